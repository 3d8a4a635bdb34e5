/*
 * list.c - draws up the list of facts, and the metrics of facts of place.
 *
 * The order of the groups is part of BK_FACTS_VERSION: whoever adds, takes away or moves one here
 * must raise it.  Facts that are always true, always false, or the same as another are left out
 * where the geometry shows it (never.h).
 */
#include "core/facts/list.h"

#include <stdlib.h>
#include <string.h>

#include "core/facts/never.h"

#include "core/geometry.h"
#include "core/rules.h"

/* == The men == */

static bool men_valid(const struct bk_variant *v, const struct bk_fact_men *men)
{
    if (men->n < 2 || men->n > BK_MEN_MAX)
        return false;
    for (unsigned i = 0; i < men->n; i++)
        if (men->type[i] >= v->ntypes || men->colour[i] > 1 ||
            (men->type[i] == v->royal) != (i < 2))
            return false;
    return men->colour[0] == BK_WHITE && men->colour[1] == BK_BLACK;
}

static void find_kinds(struct bk_facts *f)
{
    const struct bk_fact_men *m = &f->men;

    for (unsigned i = 0; i < m->n; i++) {
        unsigned k = 0;

        while (k < f->nkinds &&
               (m->type[f->first_of[k]] != m->type[i] || m->colour[f->first_of[k]] != m->colour[i]))
            k++;
        if (k == f->nkinds)
            f->first_of[f->nkinds++] = (uint8_t)i;
        f->kind[i] = (uint8_t)k;
    }
}

static void find_enemies(struct bk_facts *f)
{
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned j = 0; j < f->men.n; j++)
            if (f->men.colour[i] != f->men.colour[j] && !(i < 2 && j < 2))
                f->enemy[i][f->nenemies[i]++] = (uint8_t)j;
}

static void find_rides(struct bk_facts *f)
{
    for (unsigned k = 0; k < f->nkinds; k++)
        for (unsigned sq = 0; sq < f->v->nsq; sq++) {
            unsigned man = f->first_of[k], n;
            const struct bk_reach *r =
                bk_reach_from(f->v, f->men.type[man], f->men.colour[man], sq, &n);

            for (unsigned i = 0; i < n; i++)
                if (r[i].how & BK_TAKES && r[i].npaths)
                    f->rides[k] = true;
        }
}

/* == Mirrors == */

static unsigned mirrored(const struct bk_variant *v, unsigned sq, bool ranks)
{
    unsigned file = sq % v->files, rank = sq / v->files;

    return ranks ? bk_sq(v, file, v->ranks - 1u - rank) : bk_sq(v, v->files - 1u - file, rank);
}

/* Sets out[0] and out[1] to the squares to which a man on `from` goes and on which it takes, or to
   their mirror images. */
static void ends_of(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                    bool mirror, bool ranks, struct bk_bits out[2])
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, type, colour, from, &n);

    memset(out, 0, 2 * sizeof *out);
    for (unsigned i = 0; i < n; i++) {
        unsigned to = mirror ? mirrored(v, r[i].to, ranks) : r[i].to;

        if (r[i].how & BK_QUIET)
            bk_bits_set(&out[0], to);
        if (r[i].how & (BK_TAKES | BK_TWICE))
            bk_bits_set(&out[1], to);
    }
}

/* The types that a man may become on `to`, as a mask. */
static uint32_t changes_of(const struct bk_variant *v, unsigned type, unsigned colour, unsigned to)
{
    static const uint8_t none[BK_TYPES_MAX];
    struct bk_change change[BK_TYPES_MAX + 1];
    uint8_t left[BK_TYPES_MAX];
    uint32_t types = 0;

    memset(left, 1, sizeof left);
    for (unsigned n = bk_rules_changes(v, none, left, type, colour, to, false, change); n--;)
        if (change[n].type != BK_STAYS)
            types |= UINT32_C(1) << change[n].type;
    return types;
}

/* Do holes, the man's moves or its changes differ between the board and its mirror image? */
static bool tells_mirrored(const struct bk_variant *v, unsigned type, unsigned colour, bool ranks)
{
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned image = mirrored(v, sq, ranks);
        struct bk_bits here[2], there[2];

        if (bk_bits_has(&v->board, sq) != bk_bits_has(&v->board, image))
            return true;
        ends_of(v, type, colour, sq, false, ranks, here);
        ends_of(v, type, colour, image, true, ranks, there);
        if (memcmp(here, there, sizeof here) ||
            changes_of(v, type, colour, sq) != changes_of(v, type, colour, image))
            return true;
    }
    return false;
}

static bool any_tells_mirrored(const struct bk_facts *f, bool ranks)
{
    for (unsigned k = 0; k < f->nkinds; k++) {
        unsigned man = f->first_of[k];

        if (tells_mirrored(f->v, f->men.type[man], f->men.colour[man], ranks))
            return true;
    }
    return false;
}

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

/* == Metrics == */

static bool find_metrics(struct bk_facts *f)
{
    for (unsigned m = 0; m < METRIC_ORBIT; m++)
        f->metric[m] = f->game->metric[m];
    for (unsigned k = 0; k < f->nkinds; k++) {
        unsigned man = f->first_of[k];
        const struct fact_orbit *orbit =
            bk_fact_orbit_of(f->game, f->men.type[man], f->men.colour[man]);

        if (!orbit)
            return false;
        f->metric[METRIC_ORBIT + k] = orbit->away;
        f->bound[k] = orbit->bound;
    }
    return true;
}

/* == The list == */

static void add(struct bk_facts *f, unsigned kind, unsigned i, unsigned j, int n)
{
    struct fact_group *g = &f->group[f->ngroups];

    if (n <= 0)
        return;
    *g = (struct fact_group){ .kind = (uint8_t)kind, .i = (uint8_t)i, .j = (uint8_t)j };
    g->first = (uint16_t)f->nfacts;
    g->n = (uint16_t)n;
    f->ngroups++;
    f->nfacts += (unsigned)n;
}

/* Adds a group of `n` facts of a metric: at most `least`, least + 1, ... */
static void add_run(struct bk_facts *f, unsigned metric, unsigned i, unsigned j, unsigned least,
                    unsigned n)
{
    unsigned end = f->least[metric] + f->steps[metric];

    if (!n)
        return;
    add(f, FACT_PLACE, i, j, (int)n);
    f->group[f->ngroups - 1].metric = (uint8_t)metric;
    f->group[f->ngroups - 1].least = (uint8_t)least;
    if (!f->steps[metric])
        end = f->least[metric] = (uint8_t)least;
    f->least[metric] = (uint8_t)smaller(least, f->least[metric]);
    f->steps[metric] = (uint8_t)(larger(end, least + n) - f->least[metric]);
}

/* Adds facts for `n` bounds of a metric from `least` on, a group each run; bounds that tell nothing
   new of any two squares are left out. */
static void add_place(struct bk_facts *f, unsigned metric, unsigned i, unsigned j, unsigned least,
                      int n)
{
    bool seen[256] = { false }, below = false;
    unsigned most = 255, run = 0;

    bk_fact_metric_values(f, metric, i, j, seen);
    while (most && !seen[most])
        most--;
    for (unsigned x = 0; x < least; x++)
        below |= seen[x];
    for (unsigned x = least; (int)x < (int)least + n; x++) {
        bool tells = (seen[x] || below) && x < most;

        below = false;
        if (!tells)
            add_run(f, metric, i, j, x - run, run);
        run = tells ? run + 1 : 0;
    }
    if (n > 0)
        add_run(f, metric, i, j, least + (unsigned)n - run, run);
}

static void add_distances(struct bk_facts *f)
{
    unsigned wide = larger(f->game->width, f->game->height);
    int narrow = (int)smaller(f->game->width, f->game->height);
    int axis = (int)wide - 3 < narrow - 1 ? (int)wide - 3 : narrow - 1;

    f->least[METRIC_DISTANCE] = 1; /* FACT_KING_DIFF needs all distances */
    f->steps[METRIC_DISTANCE] = (uint8_t)larger(wide, 2) - 2;
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned j = i + 1; j < f->men.n; j++) {
            /* distance 1 from a king that attacks all squares next to it: an attack, or illegal */
            unsigned least = i < 2 && bk_fact_attacks_next(f, i) ? 2 : 1;

            add_place(f, METRIC_DISTANCE, i, j, least, (int)wide - 1 - (int)least);
            add_place(f, METRIC_AXIS, i, j, 0, axis);
        }
    for (unsigned i = 0; i < f->men.n; i++) {
        add_place(f, METRIC_EDGE, i, i, 0, (narrow - 1) / 2);
        add_place(f, METRIC_CORNER, i, i, 0, ((int)wide - 1) / 2);
    }
    for (unsigned i = 2; i < f->men.n; i++)
        add(f, FACT_KING_DIFF, i, i, 4);
}

/* Is "i can come to j" the same as "they stand on one colour", or as "j can come to i", which is
   earlier in the list? */
static bool orbit_is_told(const struct bk_facts *f, unsigned i, unsigned j)
{
    unsigned mine = METRIC_ORBIT + f->kind[i], other = METRIC_ORBIT + f->kind[j];

    return bk_fact_zero_alike(f, i, j, mine, METRIC_COLOUR, false) ||
           (j < i && bk_fact_zero_alike(f, i, j, mine, other, true));
}

/* Adds, for kinds that cannot come to every square, which man can come to which, and whether two
   men stand on one colour. */
static void add_orbits(struct bk_facts *f)
{
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned j = 0; j < f->men.n; j++) {
            bool bound = f->bound[f->kind[i]], before = j < i && f->bound[f->kind[j]];

            if (i == j || !bound)
                continue;
            if (!orbit_is_told(f, i, j))
                add_place(f, METRIC_ORBIT + f->kind[i], i, j, 0, 1);
            if (!before)
                add_place(f, METRIC_COLOUR, i, j, 0, 1);
        }
}

/* Adds facts of ranks where forward differs from backward, or of files where one wing differs from
   the other. */
static void add_directions(struct bk_facts *f, bool ranks)
{
    int along = (int)(ranks ? f->game->height : f->game->width),
        across = (int)(ranks ? f->game->width : f->game->height);

    for (unsigned i = 0; i < f->men.n; i++)
        add_place(f, ranks ? METRIC_RANK : METRIC_FILE, i, i, 0, along - 1);
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned j = i + 1; j < f->men.n; j++) {
            add_place(f, ranks ? METRIC_FILES_APART : METRIC_RANKS_APART, i, j, 0,
                      across - 1 < 3 ? across - 1 : 3);
            if (along > 1)
                add_place(f, ranks ? METRIC_RANK_AHEAD : METRIC_FILE_AHEAD, i, j, METRIC_ZERO - 2,
                          5);
        }
}

/* Counts the men of a colour that may attack man j. */
static unsigned attackers_of(const struct bk_facts *f, unsigned colour, unsigned j)
{
    unsigned n = 0;

    for (unsigned i = 0; i < f->men.n; i++)
        n += f->men.colour[i] == colour && i != j && !(i < 2 && j < 2) &&
             bk_fact_may_attack(f, i, j);
    return n;
}

static unsigned attacked_men(const struct bk_facts *f, unsigned colour)
{
    unsigned n = 0;

    for (unsigned j = 2; j < f->men.n; j++)
        n += f->men.colour[j] != colour && attackers_of(f, colour, j);
    return n;
}

/* Adds "i attacks j", unless it never happens or is the same as "j attacks i". */
static void add_attack(struct bk_facts *f, unsigned i, unsigned j)
{
    if (i == j || (i < 2 && j < 2) || !bk_fact_may_attack(f, i, j))
        return;
    if (j < i && bk_fact_always_mutual(f, i, j))
        return;
    f->attack_group[i][j] = (uint16_t)f->ngroups;
    add(f, FACT_ATTACKS, i, j, 1);
}

static void add_attacks(struct bk_facts *f)
{
    memset(f->attack_group, 0xff, sizeof f->attack_group);
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned j = 0; j < f->men.n; j++)
            add_attack(f, i, j);
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned c = 0; c < 2; c++)
            if (attackers_of(f, c, i) > 1) /* FACT_ATTACKS tells of a single one */
                add(f, FACT_COUNTS, i, c, 2);
    for (unsigned c = 0; c < 2; c++)
        add(f, FACT_HANGING, c, c, (int)smaller(2, attacked_men(f, c)));
}

/* Can the fork happen at all, and be told from other facts? */
static bool fork_tells(const struct bk_facts *f, unsigned i, struct fact_fork fork)
{
    unsigned colour = f->men.colour[i];
    bool bitten = bk_fact_bites_back(f, i, fork.a) ||
                  (!fork.skewer && fork.b != fork.a && bk_fact_bites_back(f, i, fork.b));

    if (!fork.covered)
        return !bitten && bk_fact_may_attack(f, i, fork.b);
    if (i < 2) /* a king may not go where it is attacked, defended or not */
        return false;
    if (fork.a >= 2)
        return !bitten;
    return bk_fact_may_meet(f, i, !colour) &&
           (fork.b == fork.a || !bk_fact_bites_back(f, i, fork.b));
}

static void add_fork(struct bk_facts *f, unsigned i, unsigned a, unsigned b, bool covered,
                     bool skewer)
{
    struct fact_fork fork = { (uint8_t)a, (uint8_t)b, covered, skewer };

    if (!fork_tells(f, i, fork))
        return;
    if (skewer)
        f->skewer_fact[i][b] = (uint16_t)f->nfacts;
    else
        f->fork_fact[i][a][b][covered] = (uint16_t)f->nfacts;
    add(f, FACT_FORK, i, i, 1);
    f->group[f->ngroups - 1].fork = fork;
}

/* Adds the forks and skewers of man i: squares from which it attacks one or two enemies, or one
   behind the king. */
static void add_forks(struct bk_facts *f, unsigned i)
{
    const uint8_t *enemy = f->enemy[i];
    unsigned n = f->nenemies[i];

    for (unsigned covered = 0; covered < 2; covered++) {
        for (unsigned a = 0; a < n; a++)
            add_fork(f, i, enemy[a], enemy[a], covered, false);
        for (unsigned a = 0; a < n; a++)
            for (unsigned b = a + 1; b < n; b++)
                add_fork(f, i, enemy[a], enemy[b], covered, false);
    }
    for (unsigned b = 1; i >= 2 && f->rides[f->kind[i]] && b < n; b++)
        add_fork(f, i, enemy[0], enemy[b], false, true);
}

static void add_safety(struct bk_facts *f)
{
    for (unsigned i = 0; i < 2; i++)
        add(f, FACT_KING_SAFE, i, i, 7);
    for (unsigned i = 2; i < f->men.n; i++)
        add(f, FACT_MAN_SAFE, i, i, (int)smaller(3, larger(1, bk_fact_attacks_most(f, i))));
    f->first_fork = f->nfacts;
    memset(f->fork_fact, 0xff, sizeof f->fork_fact);
    memset(f->skewer_fact, 0xff, sizeof f->skewer_fact);
    for (unsigned i = 0; i < f->men.n; i++)
        add_forks(f, i);
}

static void shrink_groups(struct bk_facts *f)
{
    struct fact_group *group = realloc(f->group, (f->ngroups + 1) * sizeof *group);

    if (group)
        f->group = group;
}

/* Makes item[] from the groups.  False: no memory. */
static bool make_items(struct bk_facts *f)
{
    f->item = calloc(f->nfacts ? f->nfacts : 1, sizeof *f->item);
    if (!f->item)
        return false;
    for (unsigned g = 0; g < f->ngroups; g++)
        for (unsigned q = 0; q < f->group[g].n; q++) {
            const struct fact_group *d = &f->group[g];
            struct fact_item *item = &f->item[d->first + q];

            *item = (struct fact_item){ .kind = d->kind, .i = d->i, .j = d->j, .fork = d->fork };
            item->q = (uint8_t)q;
            item->group = (uint16_t)g;
            if (d->kind == FACT_PLACE) {
                item->metric = f->metric[d->metric];
                item->stride = fact_metric_pairs(d->metric) ? f->v->nsq : 0;
                item->least = (uint8_t)(d->least + q);
            }
        }
    return true;
}

enum bk_err bk_fact_list_init(struct bk_facts *f, const struct bk_variant *v,
                              const struct bk_fact_men *men, struct bk_report *why)
{
    if (!men_valid(v, men))
        return bk_fail(why, BK_E_USAGE, "facts: not two kings and at most %d other men",
                       BK_MEN_MAX - 2);
    memset(f, 0, sizeof *f);
    f->v = v;
    f->men = *men;
    find_kinds(f);
    find_enemies(f);
    find_rides(f);
    f->group = calloc(FACT_GROUPS_MAX, sizeof *f->group);
    f->game = bk_fact_game_of(v);
    if (!f->group || !f->game || !find_metrics(f))
        goto no_memory;
    add_attacks(f);
    add_distances(f);
    add_orbits(f);
    if (any_tells_mirrored(f, true))
        add_directions(f, true);
    if (any_tells_mirrored(f, false))
        add_directions(f, false);
    add_safety(f);
    shrink_groups(f);
    if (make_items(f))
        return BK_OK;

no_memory:
    bk_fact_list_release(f);
    return bk_fail(why, BK_E_SYSTEM, "out of memory");
}

void bk_fact_list_release(struct bk_facts *f)
{
    free(f->group);
    free(f->item);
}
