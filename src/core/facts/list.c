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

/* == The board == */

static void find_rectangle(struct bk_facts *f)
{
    unsigned right = 0, top = 0;

    f->left = f->bottom = BK_SQ_MAX;
    for (unsigned sq = 0; sq < f->v->nsq; sq++) {
        unsigned file = sq % f->v->files, rank = sq / f->v->files;

        if (!bk_bits_has(&f->v->board, sq))
            continue;
        f->left = file < f->left ? file : f->left;
        right = file > right ? file : right;
        f->bottom = rank < f->bottom ? rank : f->bottom;
        top = rank > top ? rank : top;
    }
    f->width = right - f->left + 1;
    f->height = top - f->bottom + 1;
}

static unsigned mirrored(const struct bk_variant *v, unsigned sq, bool ranks)
{
    unsigned file = sq % v->files, rank = sq / v->files;

    return ranks ? bk_sq(v, file, v->ranks - 1u - rank) : bk_sq(v, v->files - 1u - file, rank);
}

/* Where a man goes and takes, as one set each, the squares mirrored or not. */
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

/* What a man may become when it comes to a square, as a mask of types. */
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

/* Does the man tell the board from its mirror image: the one half of it from the other? */
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

/* == Metrics == */

static unsigned apart(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

/* A metric of two squares; those of one square ignore `a`. */
static unsigned metric_between(const struct bk_facts *f, unsigned metric, unsigned a, unsigned b)
{
    unsigned files = f->v->files, x = a % files, y = a / files, u = b % files, w = b / files;
    unsigned side = smaller(apart(u, f->left), apart(u, f->left + f->width - 1));
    unsigned end = smaller(apart(w, f->bottom), apart(w, f->bottom + f->height - 1));

    switch (metric) {
    case METRIC_DISTANCE: return larger(apart(x, u), apart(y, w));
    case METRIC_AXIS: return smaller(apart(x, u), apart(y, w));
    case METRIC_EDGE: return smaller(side, end);
    case METRIC_CORNER: return larger(side, end);
    case METRIC_COLOUR: return (x + y + u + w) & 1;
    case METRIC_RANK: return w - smaller(w, f->bottom);
    case METRIC_FILES_APART: return apart(x, u);
    case METRIC_RANK_AHEAD: return METRIC_ZERO + w - y;
    case METRIC_FILE: return u - smaller(u, f->left);
    case METRIC_RANKS_APART: return apart(y, w);
    case METRIC_FILE_AHEAD: return METRIC_ZERO + u - x;
    }
    return 0;
}

/* Fills orbit[from * nsq + to] with 0 where a man of the kind can come on an empty board, taking
   or not; tells whether it cannot come everywhere. */
static bool find_orbits(const struct bk_facts *f, unsigned kind, uint8_t *orbit)
{
    const struct bk_variant *v = f->v;
    unsigned man = f->first_of[kind];
    bool bound = false;

    memset(orbit, 1, (size_t)v->nsq * v->nsq);
    for (unsigned from = 0; from < v->nsq; from++) {
        uint8_t *seen = orbit + (size_t)from * v->nsq, stack[BK_SQ_MAX];
        unsigned n = 1, count;

        seen[from] = 0;
        stack[0] = (uint8_t)from;
        while (n) {
            const struct bk_reach *r =
                bk_reach_from(v, f->men.type[man], f->men.colour[man], stack[--n], &count);

            for (unsigned i = 0; i < count; i++)
                if (seen[r[i].to]) {
                    seen[r[i].to] = 0;
                    stack[n++] = r[i].to;
                }
        }
        for (unsigned to = 0; to < v->nsq; to++)
            bound |= seen[to] && bk_bits_has(&v->board, from) && bk_bits_has(&v->board, to);
    }
    return bound;
}

static bool make_metrics(struct bk_facts *f)
{
    size_t nsq = f->v->nsq, used = 0, room = (METRIC_ORBIT + f->nkinds) * nsq * nsq;

    f->metric = malloc(room);
    if (!f->metric)
        return false;
    for (unsigned m = 0; m < METRIC_ORBIT + f->nkinds; m++) {
        uint8_t *at = f->metric + used;

        f->table[m] = (uint32_t)used;
        if (m >= METRIC_ORBIT)
            f->bound[m - METRIC_ORBIT] = find_orbits(f, m - METRIC_ORBIT, at);
        for (unsigned a = 0; a < (fact_metric_pairs(m) ? nsq : 1); a++)
            for (unsigned b = 0; b < nsq && m < METRIC_ORBIT; b++)
                at[a * nsq + b] = (uint8_t)metric_between(f, m, a, b);
        used += fact_metric_pairs(m) ? nsq * nsq : nsq;
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

/* Facts of a metric: at most `least`, least + 1, ... */
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

/* The same for `n` bounds, of which those that tell nothing new of any two squares are left out. */
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
    unsigned wide = larger(f->width, f->height);
    int narrow = (int)smaller(f->width, f->height);
    int axis = (int)wide - 3 < narrow - 1 ? (int)wide - 3 : narrow - 1;

    f->least[METRIC_DISTANCE] = 1; /* all are wanted for FACT_KING_DIFF */
    f->steps[METRIC_DISTANCE] = (uint8_t)larger(wide, 2) - 2;
    for (unsigned i = 0; i < f->men.n; i++)
        for (unsigned j = i + 1; j < f->men.n; j++) {
            /* next to a king who attacks all that is next to it: a fact of attack, or illegal */
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

/* "i can come to j" is the same as "they stand on one colour", or as "j can come to i", which
   comes before it. */
static bool orbit_is_told(const struct bk_facts *f, unsigned i, unsigned j)
{
    unsigned mine = METRIC_ORBIT + f->kind[i], other = METRIC_ORBIT + f->kind[j];

    return bk_fact_zero_alike(f, i, j, mine, METRIC_COLOUR, false) ||
           (j < i && bk_fact_zero_alike(f, i, j, mine, other, true));
}

/* Where men may not come everywhere, it matters who can come to whom. */
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

/* Where forward is not backward: ranks; where one wing is not the other: files. */
static void add_directions(struct bk_facts *f, bool ranks)
{
    int along = (int)(ranks ? f->height : f->width), across = (int)(ranks ? f->width : f->height);

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

/* The men of a colour that may attack man j. */
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

/* i attacks j; left out where that is the same as j attacking i. */
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
            if (attackers_of(f, c, i) > 1) /* of one, FACT_ATTACKS tells */
                add(f, FACT_COUNTS, i, c, 2);
    for (unsigned c = 0; c < 2; c++)
        add(f, FACT_HANGING, c, c, (int)smaller(2, attacked_men(f, c)));
}

/* Can the fork be told from others, and happen at all? */
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

/* Squares from which man i attacks one or two enemies, or one behind the king. */
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

/* Each fact on its own, for the evaluators. */
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
                item->table = f->table[d->metric];
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
    find_rectangle(f);
    f->group = calloc(FACT_GROUPS_MAX, sizeof *f->group);
    if (!f->group || !make_metrics(f))
        goto no_memory;
    add_attacks(f);
    add_distances(f);
    add_orbits(f);
    if (any_tells_mirrored(f, true))
        add_directions(f, true);
    if (any_tells_mirrored(f, false))
        add_directions(f, false);
    add_safety(f);
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
    free(f->metric);
}
