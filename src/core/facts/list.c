/*
 * list.c - draws up the list of facts, and the metrics of facts of place.
 *
 * In order: what a game keeps for all its lists; what its geometry rules out between men; the list.
 *
 * The order of the groups is part of BK_FACTS_VERSION: whoever adds, takes away or moves one here
 * must raise it.  Facts that are always true, always false, or the same as another are left out
 * if the geometry shows it.
 */
#include "core/facts/list.h"

#include <stdlib.h>
#include <string.h>

#include "core/rules.h"

/* == What a game keeps: its rectangle == */

static void find_rectangle(struct bk_fact_game *f)
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

/* == What a game keeps: metrics == */

static unsigned apart(unsigned a, unsigned b) { return a > b ? a - b : b - a; }
static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

/* The value of a metric for squares a and b; metrics of one square ignore `a`. */
static unsigned metric_between(const struct bk_fact_game *f, unsigned metric, unsigned a,
                               unsigned b)
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

static bool make_metrics(struct bk_fact_game *f)
{
    size_t nsq = f->v->nsq;
    uint8_t *next = malloc(METRIC_ORBIT * nsq * nsq);

    f->metric[0] = next;
    for (unsigned m = 0; next && m < METRIC_ORBIT; m++) {
        f->metric[m] = next;
        for (unsigned a = 0; a < (fact_metric_pairs(m) ? nsq : 1); a++)
            for (unsigned b = 0; b < nsq; b++)
                *next++ = (uint8_t)metric_between(f, m, a, b);
    }
    return next;
}

/* Fills wide[] and step_metric[] of the game.  False: no memory. */
static bool make_steps(struct bk_fact_game *f)
{
    unsigned files = f->v->files, last = f->v->nsq - 1u, most, room;

    for (unsigned sq = 0; sq <= last; sq++)
        f->wide[sq] = (uint16_t)(sq / files * (2 * files - 1) + sq % files);
    most = f->wide[last];
    room = 2 * most + 1;
    if (!(f->by_step = calloc(METRIC_ORBIT, room)))
        return false;
    for (unsigned m = 0; m < METRIC_ORBIT; m++) {
        uint8_t *middle = f->by_step + m * room + most;

        f->step_metric[m] = middle;
        for (unsigned a = 0; a <= (fact_metric_pairs(m) ? last : 0); a++)
            for (unsigned b = 0; b <= last; b++)
                middle[(int)f->wide[b] - (int)f->wide[a]] = (uint8_t)metric_between(f, m, a, b);
    }
    return true;
}

/* == What a game keeps: orbits == */

/* Sets seen[to] to 0 for all squares that the man can come to. */
static void find_orbit(const struct bk_variant *v, unsigned type, unsigned colour, unsigned from,
                       uint8_t *seen)
{
    uint8_t stack[BK_SQ_MAX];
    unsigned n = 1, count;

    seen[from] = 0;
    stack[0] = (uint8_t)from;
    while (n) {
        const struct bk_reach *r = bk_reach_from(v, type, colour, stack[--n], &count);

        for (unsigned i = 0; i < count; i++)
            if (seen[r[i].to]) {
                seen[r[i].to] = 0;
                stack[n++] = r[i].to;
            }
    }
}

static struct fact_orbit *orbit_new(const struct bk_variant *v, unsigned type, unsigned colour)
{
    size_t nsq = v->nsq;
    struct fact_orbit *orbit = malloc(sizeof *orbit + nsq * nsq);

    if (!orbit)
        return NULL;
    orbit->bound = false;
    memset(orbit->away, 1, nsq * nsq);
    for (unsigned from = 0; from < nsq; from++) {
        uint8_t *seen = orbit->away + from * nsq;

        find_orbit(v, type, colour, from, seen);
        for (unsigned to = 0; to < nsq; to++)
            orbit->bound |= seen[to] && bk_bits_has(&v->board, from) && bk_bits_has(&v->board, to);
    }
    return orbit;
}

/* Where the men of a kind can come: made on the first call; borrowed.  NULL: no memory. */
static const struct fact_orbit *orbit_of(struct bk_fact_game *game, unsigned type, unsigned colour)
{
    _Atomic(struct fact_orbit *) *slot = &game->orbit[type][colour];
    struct fact_orbit *there = atomic_load(slot), *mine;

    if (there)
        return there;
    mine = orbit_new(game->v, type, colour);
    if (!mine || atomic_compare_exchange_strong(slot, &there, mine))
        return mine;
    free(mine);
    return there;
}

/* == What a game keeps == */

static void game_free(struct bk_derived *derived)
{
    struct bk_fact_game *game = (struct bk_fact_game *)derived;
    const struct fact_width *width[FACT_WIDTHS] = { &bk_fact_width_64, &bk_fact_width_128,
                                                    &bk_fact_width_256 };

    for (unsigned t = 0; t < BK_TYPES_MAX; t++)
        for (unsigned c = 0; c < 2; c++) {
            free(game->orbit[t][c]);
            for (unsigned w = 0; w < FACT_WIDTHS; w++)
                width[w]->kind_free(game->reach[w][t][c]);
        }
    free(game->metric[0]);
    free(game->by_step);
    free(game);
}

static struct bk_fact_game *game_new(const struct bk_variant *v)
{
    struct bk_fact_game *game = calloc(1, sizeof *game);

    if (!game)
        return NULL;
    game->derived.free = game_free;
    game->v = v;
    find_rectangle(game);
    if (make_metrics(game) && make_steps(game))
        return game;
    game_free(&game->derived);
    return NULL;
}

/* What the game keeps: made on the first call; borrowed.  NULL: no memory. */
static struct bk_fact_game *game_of(const struct bk_variant *v)
{
    _Atomic(struct bk_derived *) *slot = &v->geometry->derived;
    struct bk_derived *there = atomic_load(slot);
    struct bk_fact_game *mine;

    if (there)
        return (struct bk_fact_game *)there;
    mine = game_new(v);
    if (!mine || atomic_compare_exchange_strong(slot, &there, &mine->derived))
        return mine;
    game_free(&mine->derived);
    return (struct bk_fact_game *)there;
}

/* == What geometry rules out ==
 *
 * Facts that the geometry of a game makes always true, always false or the same as another are not
 * asked.  Everything here is said of all squares where the men may stand, whoever else is on the
 * board.
 *
 * A *way* is a square, a square that is attacked from there, the squares between that must be
 * empty and whether one of them must hold a screen instead.  All questions here are about pairs of
 * ways: one there, and one back.  Cost: reaches times reaches of a square, for each square.
 */

struct way {
    unsigned from, to;
    struct bk_bits path;
    bool hops;
};

static bool may_stand(const struct bk_facts *f, unsigned i, unsigned sq)
{
    return bk_rules_may_stand(f->v, f->men.type[i], f->men.colour[i], sq);
}

static const struct bk_reach *reaches_of(const struct bk_facts *f, unsigned i, unsigned from,
                                         unsigned *n)
{
    return bk_reach_from(f->v, f->men.type[i], f->men.colour[i], from, n);
}

static unsigned ways_of(const struct bk_reach *r)
{
    return !(r->how & BK_TAKES) ? 0 : r->npaths ? r->npaths : 1;
}

static struct way way_of(const struct bk_facts *f, unsigned from, const struct bk_reach *r,
                         unsigned k)
{
    struct way w = { .from = from, .to = r->to, .hops = r->how & BK_HOPS };

    if (r->npaths)
        w.path = f->v->geometry->path[r->path + k];
    return w;
}

static bool never_blocked(const struct way *w) { return !w->hops && !bk_bits_count(&w->path); }

/* A test of a way and one of another man back: from there->to to there->from. */
typedef bool way_test(const struct way *there, const struct way *back);

static bool any_back(const struct bk_facts *f, unsigned man, const struct way *w, way_test *test)
{
    unsigned n;
    const struct bk_reach *r = reaches_of(f, man, w->to, &n);

    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; r[i].to == w->from && k < ways_of(&r[i]); k++) {
            struct way back = way_of(f, w->to, &r[i], k);

            if (test(w, &back))
                return true;
        }
    return false;
}

static bool whatever(const struct way *there, const struct way *back)
{
    (void)there;
    (void)back;
    return true;
}

static bool back_never_blocked(const struct way *there, const struct way *back)
{
    (void)there;
    return never_blocked(back);
}

static bool same_path(const struct way *there, const struct way *back)
{
    return there->hops == back->hops && !memcmp(&there->path, &back->path, sizeof back->path);
}

/* Is there a way of man i to a square where man j may stand for which "man j has a way back that
   passes `test`" is `is`?  went: i may just have come, so it may be on any square. */
static bool some_way(const struct bk_facts *f, unsigned i, unsigned j, bool went, way_test *test,
                     bool is)
{
    for (unsigned from = 0; from < f->v->nsq; from++) {
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n; a++)
            for (unsigned k = 0; k < ways_of(&r[a]); k++) {
                struct way w = way_of(f, from, &r[a], k);

                if ((went || may_stand(f, i, from)) && may_stand(f, j, w.to) &&
                    any_back(f, j, &w, test) == is)
                    return true;
            }
    }
    return false;
}

/* Is there a square from which man i could attack man j? */
static bool may_attack(const struct bk_facts *f, unsigned i, unsigned j)
{
    for (unsigned from = 0; from < f->v->nsq; from++) {
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n && may_stand(f, i, from); a++)
            if (ways_of(&r[a]) && may_stand(f, j, r[a].to))
                return true;
    }
    return false;
}

/* Does i always attack j when j attacks i, and the other way round? */
static bool always_mutual(const struct bk_facts *f, unsigned i, unsigned j)
{
    return !some_way(f, i, j, false, same_path, false) &&
           !some_way(f, j, i, false, same_path, false);
}

/* From wherever i attacks j: does j attack i, too, with nobody able to stand in the way? */
static bool bites_back(const struct bk_facts *f, unsigned i, unsigned j)
{
    return !some_way(f, i, j, true, back_never_blocked, false);
}

/* Is there a square from which i could attack j while j attacks i? */
static bool may_meet(const struct bk_facts *f, unsigned i, unsigned j)
{
    return some_way(f, i, j, true, whatever, true);
}

/* Does i attack the squares next to it, always, and no others? */
static bool attacks_next(const struct bk_facts *f, unsigned i)
{
    for (unsigned from = 0; from < f->v->nsq; from++) {
        bool attacked[BK_SQ_MAX] = { false };
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n; a++)
            if (ways_of(&r[a])) {
                if (r[a].npaths || r[a].how & BK_HOPS)
                    return false;
                attacked[r[a].to] = true;
            }
        for (unsigned to = 0; to < f->v->nsq; to++)
            if (bk_bits_has(&f->v->board, from) && bk_bits_has(&f->v->board, to) &&
                attacked[to] != (fact_metric_of(f, METRIC_DISTANCE, from, to) == 1))
                return false;
    }
    return true;
}

/* The most squares that man i could attack. */
static unsigned attacks_most(const struct bk_facts *f, unsigned i)
{
    unsigned most = 0;

    for (unsigned from = 0; from < f->v->nsq; from++) {
        struct bk_bits to = { { 0 } };
        unsigned n;
        const struct bk_reach *r = reaches_of(f, i, from, &n);

        for (unsigned a = 0; a < n && may_stand(f, i, from); a++)
            if (ways_of(&r[a]))
                bk_bits_set(&to, r[a].to);
        most = bk_bits_count(&to) > most ? bk_bits_count(&to) : most;
    }
    return most;
}

/* Sets seen[x] to true for each value x of the metric that men i and j can have. */
static void metric_values(const struct bk_facts *f, unsigned metric, unsigned i, unsigned j,
                          bool seen[256])
{
    uint8_t there[BK_SQ_MAX];
    unsigned n = 0, nsq = f->v->nsq;

    for (unsigned b = 0; b < nsq; b++)
        if (may_stand(f, j, b))
            there[n++] = (uint8_t)b;
    for (unsigned a = 0; a < (fact_metric_pairs(metric) ? nsq : 1); a++) {
        if (fact_metric_pairs(metric) && !may_stand(f, i, a))
            continue;
        for (unsigned k = 0; k < n; k++)
            if (!fact_metric_pairs(metric) || there[k] != a)
                seen[fact_metric_of(f, metric, a, there[k])] = true;
    }
}

/* Are `metric` and `other` of men i and j 0 on the same squares?  turned: `other` is of j and i. */
static bool zero_alike(const struct bk_facts *f, unsigned i, unsigned j, unsigned metric,
                       unsigned other, bool turned)
{
    for (unsigned a = 0; a < f->v->nsq; a++)
        for (unsigned b = 0; b < f->v->nsq; b++) {
            bool zero = !fact_metric_of(f, metric, a, b);

            if (a != b && may_stand(f, i, a) && may_stand(f, j, b) &&
                zero != !fact_metric_of(f, other, turned ? b : a, turned ? a : b))
                return false;
        }
    return true;
}

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

static bool find_metrics(struct bk_facts *f)
{
    for (unsigned m = 0; m < METRIC_ORBIT; m++)
        f->metric[m] = f->game->metric[m];
    for (unsigned k = 0; k < f->nkinds; k++) {
        unsigned man = f->first_of[k];
        const struct fact_orbit *orbit = orbit_of(f->game, f->men.type[man], f->men.colour[man]);

        if (!orbit)
            return false;
        f->metric[METRIC_ORBIT + k] = orbit->away;
        f->bound[k] = orbit->bound;
    }
    return true;
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

    metric_values(f, metric, i, j, seen);
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
            unsigned least = i < 2 && attacks_next(f, i) ? 2 : 1;

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

    return zero_alike(f, i, j, mine, METRIC_COLOUR, false) ||
           (j < i && zero_alike(f, i, j, mine, other, true));
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
        n += f->men.colour[i] == colour && i != j && !(i < 2 && j < 2) && may_attack(f, i, j);
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
    if (i == j || (i < 2 && j < 2) || !may_attack(f, i, j))
        return;
    if (j < i && always_mutual(f, i, j))
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
    bool bitten =
        bites_back(f, i, fork.a) || (!fork.skewer && fork.b != fork.a && bites_back(f, i, fork.b));

    if (!fork.covered)
        return !bitten && may_attack(f, i, fork.b);
    if (i < 2) /* a king may not go where it is attacked, defended or not */
        return false;
    if (fork.a >= 2)
        return !bitten;
    return may_meet(f, i, !colour) && (fork.b == fork.a || !bites_back(f, i, fork.b));
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
        add(f, FACT_MAN_SAFE, i, i, (int)smaller(3, larger(1, attacks_most(f, i))));
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
    f->game = game_of(v);
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
