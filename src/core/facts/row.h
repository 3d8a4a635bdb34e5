/*
 * row.h - facts of a row: for each fact the squares of the inner man that make it true.  HOT.
 *
 * A fact that does not depend on the inner man is true for all its squares or for none.  Facts of
 * place are looked up.  Others are computed a group at a time, when one of the group is asked, and
 * kept:
 *
 *   - a group is kept for the next row unless a man that it depends on has moved (`keep`);
 *   - what men and sides attack is kept likewise, square by square (row_moved());
 *   - a costly group (fact_costly()) is computed for the squares that are asked, few deep in a
 *     tree; squares that are asked later are added.
 *
 * row_all() computes all facts of a row at once, for samples to learn from, at random places.
 *
 * In what follows x is the square of the inner man; "occupied" never has it.
 */
#ifndef BK_FACTS_ROW_H
#define BK_FACTS_ROW_H

#include "core/facts/reach.h"

#define GROUP_WORDS (FACT_GROUPS_MAX / 64)
#define FEW         6 /* at most so many squares are looked at one by one */

enum how {
    HOW_STANDS,  /* place of other men: from[stride * square of i + square of j] <= least */
    HOW_SQUARES, /* place of the inner man: from[stride * square of i]                    */
    HOW_GROUP,   /* computed with its group                                               */
    HOW_COSTLY,  /* likewise, but only for the squares that are asked                     */
};

/* A fact as the rows of one inner man see it. */
struct row_item {
    const void *from; /* HOW_STANDS: bytes; HOW_SQUARES: sets; borrowed */
    uint16_t stride, group;
    uint8_t how, i, j, least;
};

struct row {
    struct bk_fact_row head; /* first: what callers hold */
    const struct reach *reach;
    const struct places *places;
    struct row_item *item; /* behind fact[] */
    set board;
    unsigned words; /* of a mask of groups */
    bool fresh;     /* no row has been set */
    uint8_t sq[BK_MEN_MAX];
    set occupied, own[2];   /* of all men but the inner */
    set have_side[2];       /* by side: the t for which side[][t] is known */
    set side[2][BK_SQ_MAX]; /* [side][t]: the x for which it attacks t, through the other king */
    set have_at[BK_MEN_MAX];
    set at[BK_MEN_MAX][BK_SQ_MAX];                /* [man][t]: the x for which it attacks t */
    uint64_t have[GROUP_WORDS];                   /* the groups that are known */
    uint64_t keep[BK_MEN_MAX][GROUP_WORDS];       /* by man: the groups that do not depend on it */
    uint64_t attacks_by[BK_MEN_MAX][GROUP_WORDS]; /* by man: its FACT_ATTACKS groups */
    uint16_t safe_group[BK_MEN_MAX];              /* by man: its group of safe squares */
    set known[FACT_GROUPS_MAX]; /* by costly group in `have`: the x for which it is known */
    set fact[];
};

INLINE bool fact_costly(unsigned kind) { return kind >= FACT_KING_SAFE; }

/* == A new row == */

/* Is the group about the safe squares of a man other than the inner one?  These depend on few
   squares: row_recheck_safe() decides whether they are kept. */
INLINE bool row_safe_kept(unsigned inner, const struct fact_group *g)
{
    return g->i != inner && (g->kind == FACT_KING_SAFE || g->kind == FACT_MAN_SAFE);
}

/* The men other than the inner one on whom a group depends, as a mask. */
static unsigned depends_on(const struct fact_group *g, unsigned inner)
{
    if (g->kind == FACT_ATTACKS)
        return 1u << g->i | 1u << g->j; /* men in the way: row_moved() */
    if (row_safe_kept(inner, g))
        return 0; /* row_recheck_safe() */
    return g->kind == FACT_KING_DIFF ? 3u | 1u << g->i : ~0u;
}

static struct row_item row_item_of(const struct row *r, unsigned fact)
{
    const struct bk_facts *f = r->head.f;
    const struct fact_item *d = &f->item[fact];
    unsigned m = f->group[d->group].metric, inner = r->head.inner;
    struct row_item item = { .group = d->group, .i = d->i, .j = d->j, .least = d->least };

    if (d->kind != FACT_PLACE) {
        item.how = fact_costly(d->kind) ? HOW_COSTLY : HOW_GROUP;
    } else if (inner != d->i && inner != d->j) {
        item.how = HOW_STANDS;
        item.from = d->metric;
        item.stride = d->stride;
    } else {
        bool pair = fact_metric_pairs(m), first = pair && inner == d->i;

        item.how = HOW_SQUARES;
        item.from = r->places->at[m][first] + d->least - f->least[m];
        item.stride = pair ? f->steps[m] : 0;
        item.i = first ? d->j : d->i;
    }
    return item;
}

static struct bk_fact_row *row_new(const struct bk_facts *f, unsigned inner)
{
    size_t bytes = sizeof(struct row) + f->nfacts * (sizeof(set) + sizeof(struct row_item));
    struct row *r = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (!r || !places_of(f)) {
        free(r);
        return NULL;
    }
    memset(r, 0, bytes);
    r->head = (struct bk_fact_row){ f, inner };
    r->reach = f->reach;
    r->places = places_of(f);
    r->board = set_of(&f->v->board);
    r->words = (f->ngroups + 63) / 64;
    r->fresh = true;
    r->item = (struct row_item *)(void *)(r->fact + f->nfacts);
    for (unsigned fact = 0; fact < f->nfacts; fact++)
        r->item[fact] = row_item_of(r, fact);
    for (unsigned i = 0; i < f->ngroups; i++) {
        const struct fact_group *g = &f->group[i];
        unsigned men = depends_on(g, inner);

        for (unsigned man = 0; man < f->men.n; man++)
            if (man == inner || !(men >> man & 1))
                r->keep[man][i / 64] |= UINT64_C(1) << i % 64;
        if (g->kind == FACT_ATTACKS)
            r->attacks_by[g->i][i / 64] |= UINT64_C(1) << i % 64;
        if (g->kind == FACT_KING_SAFE || g->kind == FACT_MAN_SAFE)
            r->safe_group[g->i] = (uint16_t)i;
    }
    return &r->head;
}

INLINE unsigned row_colour(const struct row *r, unsigned i) { return r->head.f->men.colour[i]; }

/* What has changed since the row before. */
struct moves {
    unsigned men;       /* mask of the men that have moved */
    set squares;        /* that men have left or come to */
    set at[BK_MEN_MAX]; /* by man: squares whose attacks by it are no longer known */
    set side[2];        /* by side: likewise */
};

/* Forgets whether man i attacks the squares whose ways pass `from` or `to`: man p has gone from the
   one to the other. */
static void row_moved_near(struct row *r, struct moves *m, unsigned i, unsigned p, unsigned from,
                           unsigned to)
{
    const struct kind_reach *k = r->reach->of[i];
    unsigned colour = row_colour(r, i);
    set changed;

    if (i == r->head.inner)
        changed = k->past[from] | k->past[to];
    else
        changed = k->touch_to[r->sq[i] * k->nsq + from] | k->touch_to[r->sq[i] * k->nsq + to];
    if (!any(changed))
        return;
    m->at[i] |= changed;
    if (p != !colour) /* a king is looked through */
        m->side[colour] |= changed;
    for (unsigned w = 0; w < r->words; w++)
        r->have[w] &= ~r->attacks_by[i][w];
}

/* Forgets what depends on man p, which has gone from `from` to `to`. */
static void row_moved(struct row *r, struct moves *m, unsigned p, unsigned from, unsigned to)
{
    const struct kind_reach *k = r->reach->of[p];

    for (unsigned w = 0; w < r->words; w++)
        r->have[w] &= r->keep[p][w];
    m->men |= 1u << p;
    m->squares |= bit(from) | bit(to);
    m->at[p] = ~NONE;
    m->side[row_colour(r, p)] |= k->to[from] | k->to[to];
    for (unsigned i = 0; i < r->head.f->men.n; i++)
        if (i != p && r->reach->of[i]->shape != LEAPS)
            row_moved_near(r, m, i, p, from, to);
}

/* Forgets the safe squares of men near which something has changed. */
static void row_recheck_safe(struct row *r, const struct moves *m)
{
    for (unsigned i = 0; i < r->head.f->men.n; i++) {
        set changed = m->squares | m->at[i] | m->side[!row_colour(r, i)];

        if (i != r->head.inner && (m->men >> i & 1 || any(changed & r->reach->of[i]->to[r->sq[i]])))
            r->have[r->safe_group[i] / 64] &= ~(UINT64_C(1) << r->safe_group[i] % 64);
    }
}

/* Forgets what has changed since the men stood on `before`. */
static void row_follow(struct row *r, const uint8_t *before)
{
    unsigned n = r->head.f->men.n;
    struct moves m = { .squares = NONE };

    for (unsigned i = 0; i < n; i++)
        if (i != r->head.inner && before[i] != r->sq[i])
            row_moved(r, &m, i, before[i], r->sq[i]);
    for (unsigned i = 0; i < n; i++)
        r->have_at[i] &= ~m.at[i];
    r->have_side[0] &= ~m.side[0];
    r->have_side[1] &= ~m.side[1];
    row_recheck_safe(r, &m);
}

static void row_forget(struct row *r)
{
    memset(r->have, 0, r->words * sizeof *r->have);
    for (unsigned i = 0; i < r->head.f->men.n; i++)
        r->have_at[i] = NONE;
    r->have_side[0] = r->have_side[1] = NONE;
}

static void row_set(struct bk_fact_row *row, const uint8_t *sq)
{
    struct row *r = (struct row *)row;
    const struct bk_facts *f = r->head.f;
    uint8_t before[BK_MEN_MAX];
    unsigned moved = 0;

    memcpy(before, r->sq, sizeof before);
    r->own[0] = r->own[1] = NONE;
    for (unsigned i = 0; i < f->men.n; i++)
        if (i != r->head.inner) {
            moved += r->sq[i] != sq[i];
            r->sq[i] = sq[i];
            r->own[f->men.colour[i]] |= bit(sq[i]);
        }
    r->occupied = r->own[0] | r->own[1];
    if (r->fresh || moved > f->men.n / 2)
        row_forget(r);
    else
        row_follow(r, before);
    r->fresh = false;
}

/* == Attacks == */

INLINE bool row_inner_is(const struct row *r, unsigned colour)
{
    return row_colour(r, r->head.inner) == colour;
}

/* The square of man i as a set; empty for the inner man, which is not in `occupied`. */
INLINE set row_where(const struct row *r, unsigned i)
{
    return i == r->head.inner ? NONE : bit(r->sq[i]);
}

/* Returns the x for which man i attacks t; the inner man does not attack its own square. */
INLINE set row_attacks_anew(const struct row *r, unsigned i, unsigned t, set occupied)
{
    const struct kind_reach *k = r->reach->of[i];

    return i == r->head.inner ? attacks_into(k, t, occupied) & ~bit(t)
                              : attacks_past(k, r->sq[i], t, occupied);
}

INLINE set row_attacks(struct row *r, unsigned i, unsigned t)
{
    if (!has(r->have_at[i], t)) {
        r->have_at[i] |= bit(t);
        r->at[i][t] = row_attacks_anew(r, i, t, r->occupied);
    }
    return r->at[i][t];
}

static set row_fact_attacks(struct row *r, unsigned i, unsigned j)
{
    if (j == r->head.inner)
        return attacks_from(r->reach->of[i], r->sq[i], r->occupied);
    return row_attacks(r, i, r->sq[j]);
}

/* Tells whether `group` has to be computed, and marks it as known. */
INLINE bool row_lacks(struct row *r, unsigned group)
{
    uint64_t mask = UINT64_C(1) << group % 64, *have = &r->have[group / 64];
    bool lacks = !(*have & mask);

    *have |= mask;
    return lacks;
}

/* The x for which man i attacks man j.  If the list has that fact, its result is kept. */
INLINE set row_attacks_man(struct row *r, unsigned i, unsigned j)
{
    unsigned group = r->head.f->attack_group[i][j];
    set *fact;

    if (group == FACT_NO_GROUP) /* not in the list of facts */
        return row_fact_attacks(r, i, j);
    fact = &r->fact[r->head.f->group[group].first];
    if (row_lacks(r, group))
        *fact = row_fact_attacks(r, i, j);
    return *fact;
}

static set row_side_anew(const struct row *r, unsigned colour, unsigned t)
{
    const struct bk_facts *f = r->head.f;
    bool whole = r->head.inner == !colour; /* x is the other king, which is looked through */
    set all = NONE, seen = r->occupied & ~row_where(r, !colour);

    for (unsigned i = 0; i < f->men.n; i++) {
        if (f->men.colour[i] != colour)
            continue;
        if (whole)
            all |= ALL_IF(reaches(r->reach->of[i], r->sq[i], t, seen));
        else
            all |= row_attacks_anew(r, i, t, seen);
        if (!any(~all))
            break;
    }
    return all;
}

/* The x for which `colour` attacks t, looking through the other king. */
INLINE set row_side(struct row *r, unsigned colour, unsigned t)
{
    if (!has(r->have_side[colour], t)) {
        r->have_side[colour] |= bit(t);
        r->side[colour][t] = row_side_anew(r, colour, t);
    }
    return r->side[colour][t];
}

/* Counts one more set x in at[0 .. n - 1]: at[q] has the squares that are in more than q of the
   sets so far. */
INLINE void count_in(set *at, unsigned n, set x)
{
    for (unsigned q = n - 1; q > 0; q--)
        at[q] |= at[q - 1] & x;
    at[0] |= x;
}

/* == Groups == */

/* The squares at a distance of at most d from a square. */
static set row_near(const struct row *r, unsigned sq, int d)
{
    const struct bk_facts *f = r->head.f;
    int steps = f->steps[METRIC_DISTANCE];

    if (d < 1)
        return d < 0 ? NONE : bit(sq);
    return d > steps ? ~NONE : r->places->at[METRIC_DISTANCE][0][(int)sq * steps + d - 1];
}

/* The x for which the white king is nearer to man i than the black king by at least `by`. */
static set row_nearer(const struct row *r, unsigned i, int by)
{
    const struct bk_facts *f = r->head.f;
    unsigned inner = r->head.inner, white = r->sq[0], black = r->sq[1], man = r->sq[i];
    int far = f->steps[METRIC_DISTANCE] + 1;
    set nearer = NONE;

    if (inner == 0)
        return row_near(r, man, (int)fact_metric_of(f, METRIC_DISTANCE, black, man) - by);
    if (inner == 1)
        return ~row_near(r, man, (int)fact_metric_of(f, METRIC_DISTANCE, white, man) + by - 1);
    if (inner != i)
        return ALL_IF((int)fact_metric_of(f, METRIC_DISTANCE, white, man) + by <=
                      (int)fact_metric_of(f, METRIC_DISTANCE, black, man));
    for (int d = 0; d <= far; d++)
        nearer |= row_near(r, white, d) & ~row_near(r, black, d + by - 1);
    return nearer;
}

static void group_counts(struct row *r, const struct fact_group *g, set *out)
{
    out[0] = out[1] = NONE;
    for (unsigned p = 0; p < r->head.f->men.n; p++)
        if (row_colour(r, p) == g->j && p != g->i && !(p < 2 && g->i < 2))
            count_in(out, 2, row_attacks_man(r, p, g->i));
}

static void group_hanging(struct row *r, const struct fact_group *g, set *out)
{
    const struct bk_facts *f = r->head.f;

    for (unsigned q = 0; q < g->n; q++)
        out[q] = NONE;
    for (unsigned j = 2; j < f->men.n; j++) {
        set attacked = NONE, defended = NONE;

        if (f->men.colour[j] == g->i)
            continue;
        for (unsigned p = 0; p < f->men.n; p++) {
            if (p == j)
                continue;
            if (f->men.colour[p] == g->i)
                attacked |= row_attacks_man(r, p, j);
            else
                defended |= row_attacks_man(r, p, j);
        }
        count_in(out, g->n, attacked & ~defended);
    }
}

/* The x for which man i attacks t, and the inner man is not an own man on t.  Other own men:
   row_targets(). */
INLINE set row_moves(struct row *r, unsigned i, unsigned t)
{
    set at = row_attacks(r, i, t);

    if (i != r->head.inner && row_inner_is(r, row_colour(r, i)))
        at &= ~bit(t);
    return at;
}

/* A set with every t for which row_moves() has an x in `wanted`. */
static set row_targets(const struct row *r, unsigned i, set wanted)
{
    const struct kind_reach *k = r->reach->of[i];
    set to = NONE;

    if (i != r->head.inner)
        to = k->to[r->sq[i]];
    else if (more_than(wanted, FEW))
        to = r->board;
    else
        EACH (x, wanted)
            to |= k->to[x];
    return to & ~r->own[row_colour(r, i)];
}

/* Computes row_attacks() and row_side() of man i and its enemies for all of `squares`: r->at[] and
   r->side[] may then be read directly. */
static void row_learn(struct row *r, unsigned i, set squares)
{
    unsigned enemy = !row_colour(r, i);
    set attacks = squares & ~r->have_at[i], side = squares & ~r->have_side[enemy];

    r->have_at[i] |= squares;
    r->have_side[enemy] |= squares;
    EACH (t, attacks)
        r->at[i][t] = row_attacks_anew(r, i, t, r->occupied);
    EACH (t, side)
        r->side[enemy][t] = row_side_anew(r, enemy, t);
}

/* The x in `wanted` for which man i may go to t, safely and onto no own man; after row_learn(). */
INLINE set row_goes_safely(const struct row *r, unsigned i, unsigned t, set wanted)
{
    unsigned colour = row_colour(r, i);
    set own = i != r->head.inner && row_inner_is(r, colour) ? bit(t) : NONE;

    return r->at[i][t] & ~r->side[!colour][t] & ~own & wanted;
}

static void group_king_safe(struct row *r, const struct fact_group *g, set wanted, set *out)
{
    set to = row_targets(r, g->i, wanted), all[4], empty[3], taking = to & r->occupied;

    for (unsigned q = 0; q < 4; q++)
        all[q] = empty[q % 3] = NONE;
    row_learn(r, g->i, to);
    EACH (t, taking) /* whatever x is, the man to take is on t */
        count_in(all, 4, row_goes_safely(r, g->i, t, wanted));
    to &= ~r->occupied;
    EACH (t, to) {
        set safe = row_goes_safely(r, g->i, t, wanted);

        count_in(all, 4, safe);
        count_in(empty, 3, safe & ~bit(t));
    }
    for (unsigned q = 0; q < 4; q++)
        out[q] |= all[q];
    for (unsigned q = 0; q < 3; q++)
        out[4 + q] |= empty[q];
}

static void group_man_safe(struct row *r, const struct fact_group *g, set wanted, set *out)
{
    set to = row_targets(r, g->i, wanted), all[3] = { NONE, NONE, NONE };

    row_learn(r, g->i, to);
    EACH (t, to)
        count_in(all, 3, row_goes_safely(r, g->i, t, wanted));
    for (unsigned q = 0; q < 3; q++)
        out[q] |= all[q];
}

/* The x for which man i, on t, attacks man j; `rest`: all men but i and the inner man. */
static set row_hits(const struct row *r, unsigned i, unsigned t, unsigned j, set rest)
{
    const struct kind_reach *k = r->reach->of[i];

    if (i == r->head.inner)
        return ALL_IF(reaches(k, t, r->sq[j], rest));
    if (j == r->head.inner)
        return attacks_from(k, t, rest);
    return attacks_past(k, t, r->sq[j], rest);
}

/* The x for which man i, on t, attacks man fork.b only if the king fork.a is not in the way. */
static set row_hits_behind(const struct row *r, unsigned i, unsigned t, struct fact_fork fork,
                           set rest)
{
    set without = rest & ~row_where(r, fork.a), through;

    if (r->head.inner == fork.a)
        through = ALL_IF(reaches(r->reach->of[i], t, r->sq[fork.b], without));
    else
        through = row_hits(r, i, t, fork.b, without);
    return through & ~row_hits(r, i, t, fork.b, rest);
}

/* The x for which t is defended by a man other than i, and attacked by no enemy but the king. */
static set row_held(struct row *r, unsigned i, unsigned t)
{
    set defended = NONE, attacked = NONE;

    for (unsigned p = 0; p < r->head.f->men.n; p++) {
        if (row_colour(r, p) == row_colour(r, i))
            defended |= p == i ? NONE : row_attacks(r, p, t);
        else if (p >= 2)
            attacked |= row_attacks(r, p, t);
    }
    return defended & ~attacked;
}

/* A set with all squares from which a man like i reaches man j on some board, x in `wanted`. */
INLINE set row_sources(const struct row *r, unsigned i, unsigned j, set wanted)
{
    const struct kind_reach *k = r->reach->of[i];
    set from = NONE;

    if (j != r->head.inner)
        return k->into[r->sq[j]];
    if (more_than(wanted, FEW))
        return ~NONE;
    EACH (x, wanted)
        from |= k->into[x];
    return from;
}

static set group_fork(struct row *r, const struct fact_group *g, set wanted)
{
    unsigned i = g->i, colour = row_colour(r, i);
    struct fact_fork fork = g->fork;
    set rest = r->occupied & ~row_where(r, i), out = NONE;
    set to = row_sources(r, i, fork.a, wanted) & row_sources(r, i, fork.b, wanted);

    to &= any(to) ? row_targets(r, i, wanted) : NONE;
    EACH (t, to) {
        set hit = row_hits(r, i, t, fork.a, rest) & wanted & ~out, safe;

        if (fork.skewer && any(hit))
            hit &= row_hits_behind(r, i, t, fork, rest);
        else if (fork.a != fork.b && any(hit))
            hit &= row_hits(r, i, t, fork.b, rest);
        if (!any(hit))
            continue;
        hit &= row_moves(r, i, t);
        if (!any(hit))
            continue;
        safe = hit & ~row_side(r, !colour, t);
        hit &= ~safe;
        out |= safe;
        if (fork.covered && any(hit))
            out |= hit & row_held(r, i, t);
        if (!any(wanted & ~out))
            break;
    }
    return out;
}

static void row_group(struct row *r, unsigned group)
{
    const struct fact_group *g = &r->head.f->group[group];
    set *out = r->fact + g->first;

    switch ((enum fact_kind)g->kind) {
    case FACT_PLACE: break; /* looked up */
    case FACT_KING_DIFF:
        for (unsigned q = 0; q < g->n; q++)
            out[q] = row_nearer(r, g->i, 2 - (int)q);
        break;
    case FACT_ATTACKS: out[0] = row_fact_attacks(r, g->i, g->j); break;
    case FACT_COUNTS: group_counts(r, g, out); break;
    case FACT_HANGING: group_hanging(r, g, out); break;
    case FACT_KING_SAFE:
    case FACT_MAN_SAFE:
    case FACT_FORK: break; /* row_group_for() */
    }
}

/* Does a costly group take as long for one square as for all?  It does if it counts the safe
   squares of a man other than the inner one. */
INLINE bool row_costs_as_much(const struct row *r, const struct fact_group *g)
{
    return g->kind != FACT_FORK && g->i != r->head.inner;
}

/* Computes a costly group for the squares `wanted`, in addition to those known. */
static void row_group_for(struct row *r, unsigned group, set wanted)
{
    const struct fact_group *g = &r->head.f->group[group];
    set *out = r->fact + g->first;

    if (row_costs_as_much(r, g))
        wanted = ~NONE;
    r->known[group] |= wanted;
    if (g->kind == FACT_KING_SAFE)
        group_king_safe(r, g, wanted, out);
    else if (g->kind == FACT_MAN_SAFE)
        group_man_safe(r, g, wanted, out);
    else
        out[0] |= group_fork(r, g, wanted);
}

static void row_costly(struct row *r, unsigned group, set squares)
{
    const struct fact_group *g = &r->head.f->group[group];

    if (row_lacks(r, group)) { /* nothing is known of it yet */
        for (unsigned q = 0; q < g->n; q++)
            r->fact[g->first + q] = NONE;
        r->known[group] = NONE;
    }
    if (any(squares & ~r->known[group]))
        row_group_for(r, group, squares & ~r->known[group]);
}

/* Returns the x that make `fact` true; of a costly fact only the x in `squares` need be right. */
INLINE set row_fact(struct row *r, unsigned fact, set squares)
{
    const struct row_item *item = &r->item[fact];

    switch ((enum how)item->how) {
    case HOW_STANDS: {
        const uint8_t *from = item->from;

        return ALL_IF(from[item->stride * r->sq[item->i] + r->sq[item->j]] <= item->least);
    }
    case HOW_SQUARES: {
        const set *from = item->from;

        return from[item->stride * r->sq[item->i]];
    }
    case HOW_GROUP:
        if (row_lacks(r, item->group))
            row_group(r, item->group);
        break;
    case HOW_COSTLY: row_costly(r, item->group, squares); break;
    }
    return r->fact[fact];
}

/* == Asking == */

static void row_descend(struct bk_fact_row *row, const struct bk_fact_node *tree,
                        const uint64_t *care, bk_leaf_visit *visit, void *context)
{
    struct row *r = (struct row *)row;
    struct {
        set squares;
        uint32_t at;
    } later[BK_SQ_MAX]; /* disjoint sets of squares, so at most BK_SQ_MAX */
    uint32_t at = 0, waiting = 0;
    uint64_t words[sizeof(set) / 8];
    set squares;

    memcpy(&squares, care, sizeof squares);
    if (!any(squares))
        return;
    for (;;) {
        const struct bk_fact_node *node = &tree[at];

        if (node->fact != BK_FACT_LEAF) {
            set is = row_fact(r, node->fact, squares), yes = squares & is, no = squares & ~is;

            at = any(yes) ? node->yes : node->no;
            squares = any(yes) ? yes : no;
            if (any(yes) && any(no)) {
                later[waiting].squares = no;
                later[waiting++].at = node->no;
                __builtin_prefetch(&tree[node->no]);
            }
            continue;
        }
        memcpy(words, &squares, sizeof squares);
        visit(context, node->yes, words);
        if (!waiting--)
            return;
        squares = later[waiting].squares;
        at = later[waiting].at;
    }
}

/* == All facts of a row ==
 *
 * On the way down a tree a fact is computed when a node asks for it.  If all facts are wanted, it
 * is quicker to visit each square that a man may go to once, and to collect there what every fact
 * about that man needs.  The results are left in the row as if they had been asked for.
 */

/* Fills r->at[i][t] for every square t. */
static void all_attacks(struct row *r, unsigned i)
{
    const struct kind_reach *k = r->reach->of[i];
    set *at = r->at[i], to;

    r->have_at[i] = ~NONE;
    if (i == r->head.inner) {
        for (unsigned t = 0; t < k->nsq; t++)
            at[t] = attacks_into(k, t, r->occupied) & ~bit(t);
        return;
    }
    memset(at, 0, k->nsq * sizeof *at);
    to = k->to[r->sq[i]];
    EACH (t, to)
        at[t] = attacks_past(k, r->sq[i], t, r->occupied);
}

/* Fills r->side[colour][t] for every square t from what all_attacks() found.  Only squares behind
   the other king, which `colour` looks through, are computed anew. */
static void all_side(struct row *r, unsigned colour)
{
    const struct bk_facts *f = r->head.f;
    unsigned inner = r->head.inner, king = r->sq[!colour];
    set *side = r->side[colour];

    r->have_side[colour] = ~NONE;
    memset(side, 0, f->v->nsq * sizeof *side);
    for (unsigned i = 0; i < f->men.n; i++) {
        const struct kind_reach *k = r->reach->of[i];
        const set *at = r->at[i];
        set to, behind;

        if (f->men.colour[i] != colour)
            continue;
        if (inner == !colour) { /* the other king is x: not in `occupied` */
            to = attacks_from(k, r->sq[i], r->occupied);
            EACH (t, to)
                side[t] = ~NONE;
        } else if (i == inner) {
            behind = k->shape == LEAPS ? NONE : k->past[king];
            for (unsigned t = 0; t < k->nsq; t++)
                side[t] |=
                    has(behind, t) ? attacks_into(k, t, r->occupied & ~bit(king)) & ~bit(t) : at[t];
        } else {
            to = k->to[r->sq[i]];
            behind = k->shape == LEAPS ? NONE : k->touch_to[r->sq[i] * k->nsq + king];
            EACH (t, to)
                side[t] |=
                    has(behind, t) ? attacks_past(k, r->sq[i], t, r->occupied & ~bit(king)) : at[t];
        }
    }
}

/* Where man i may go, and what it then attacks. */
struct goings {
    unsigned i;
    set rest;             /* the squares of all men but i and the inner man */
    set hits[BK_MEN_MAX]; /* [j]: squares from which i may attack enemy j, not the inner man */
    set near;             /* squares from which i may attack some enemy */
};

/* Fills g->hits and g->near, for all squares at once. */
static void all_near(struct row *r, struct goings *g)
{
    const struct bk_facts *f = r->head.f;
    const struct kind_reach *k = r->reach->of[g->i];

    g->near = NONE;
    for (unsigned n = 0; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n];

        if (j == r->head.inner) {
            g->near = ~NONE;
            continue;
        }
        if (g->i == r->head.inner)
            g->hits[j] = attacks_into(k, r->sq[j], g->rest);
        else
            g->hits[j] = k->into[r->sq[j]];
        g->near |= g->hits[j];
    }
}

/* Sets hit[j] to the x of `go` for which man i, gone to t, attacks enemy j.  Returns the mask of
   the j that have such an x; hit[] of all others may be unset. */
INLINE unsigned all_hits(const struct row *r, const struct goings *g, unsigned t, set go, set *hit)
{
    const struct bk_facts *f = r->head.f;
    const struct kind_reach *k = r->reach->of[g->i];
    unsigned mask = 0;

    for (unsigned n = 0; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n];

        if (j == r->head.inner)
            hit[j] = attacks_from(k, t, g->rest) & go;
        else if (!has(g->hits[j], t))
            continue;
        else if (g->i == r->head.inner)
            hit[j] = go;
        else
            hit[j] = attacks_past(k, t, r->sq[j], g->rest) & go;
        mask |= (unsigned)any(hit[j]) << j;
    }
    return mask;
}

/* Adds the squares `hit` to a fork's facts: fact[0] where the man is safe, fact[1] where it is safe
   or covered. */
INLINE void all_fork(struct row *r, const uint16_t fact[2], set hit, set safe, set covered)
{
    if (fact[0] != FACT_NONE)
        r->fact[fact[0]] |= hit & safe;
    if (fact[1] != FACT_NONE)
        r->fact[fact[1]] |= hit & covered;
}

static void all_skewers(struct row *r, const struct goings *g, unsigned t, set hit)
{
    const struct bk_facts *f = r->head.f;
    unsigned king = f->enemy[g->i][0];

    for (unsigned n = 1; n < f->nenemies[g->i]; n++) {
        unsigned j = f->enemy[g->i][n], fact = f->skewer_fact[g->i][j];
        struct fact_fork fork = { (uint8_t)king, (uint8_t)j, false, true };

        if (fact != FACT_NONE && (j == r->head.inner || has(r->reach->of[g->i]->into[r->sq[j]], t)))
            r->fact[fact] |= hit & row_hits_behind(r, g->i, t, fork, g->rest);
    }
}

/* row_held() for x in `of`, where all of at[] is known. */
static set all_held(const struct row *r, unsigned i, unsigned t, set of)
{
    const struct bk_facts *f = r->head.f;
    unsigned colour = row_colour(r, i);
    set defended = NONE;

    for (unsigned p = 2; p < f->men.n; p++) {
        if (f->men.colour[p] != colour)
            of &= ~r->at[p][t];
        else if (p != i)
            defended |= r->at[p][t];
    }
    return of & (defended | r->at[colour][t]);
}

static void all_forks(struct row *r, const struct goings *g, unsigned t, set go, set safe)
{
    const struct bk_facts *f = r->head.f;
    set hit[BK_MEN_MAX], some = NONE, covered = safe;
    unsigned mask = all_hits(r, g, t, go, hit);

    for (unsigned a = mask; a; a &= a - 1)
        some |= hit[__builtin_ctz(a)];
    if (g->i >= 2 && any(some & ~safe))
        covered |= all_held(r, g->i, t, some & ~safe);
    if (!any(some & covered))
        return;
    for (unsigned rest = mask; rest; rest &= rest - 1) {
        unsigned a = (unsigned)__builtin_ctz(rest);

        for (unsigned other = rest; other; other &= other - 1) {
            unsigned b = (unsigned)__builtin_ctz(other);

            all_fork(r, f->fork_fact[g->i][a][b], hit[a] & hit[b], safe, covered);
        }
    }
    if (mask >> f->enemy[g->i][0] & 1 && any(hit[f->enemy[g->i][0]] & safe))
        all_skewers(r, g, t, hit[f->enemy[g->i][0]] & safe);
}

/* Counts t among the safe squares of man i, for x in `safe`. */
INLINE void all_safe(struct row *r, set *out, unsigned i, unsigned t, set safe)
{
    if (i >= 2) {
        count_in(out, 3, safe);
        return;
    }
    count_in(out, 4, safe);
    if (!has(r->occupied, t))
        count_in(out + 4, 3, safe & ~bit(t));
}

/* Computes the facts about safe squares and forks of man i, for x in `wanted`. */
static void all_goings(struct row *r, unsigned i, set wanted)
{
    const struct bk_facts *f = r->head.f;
    const struct fact_group *group = &f->group[r->safe_group[i]];
    unsigned colour = row_colour(r, i);
    bool inner_own = i != r->head.inner && row_inner_is(r, colour);
    struct goings g = { .i = i, .rest = r->occupied & ~row_where(r, i) };
    set to = row_targets(r, i, ~NONE), safe_squares[7];

    for (unsigned q = 0; q < 7; q++)
        safe_squares[q] = NONE;
    all_near(r, &g);
    EACH (t, to) {
        set go = r->at[i][t] & ~(inner_own ? bit(t) : NONE) & wanted;
        set safe = go & ~r->side[!colour][t];

        if (any(safe))
            all_safe(r, safe_squares, i, t, safe);
        if (has(g.near, t) && any(go))
            all_forks(r, &g, t, go, safe);
    }
    memcpy(r->fact + group->first, safe_squares, group->n * sizeof(set));
}

/* Fills a group of facts of place.  If it concerns the inner man, its sets lie side by side in
   `from`; if not, each is all squares or none. */
static void all_place(struct row *r, const struct fact_group *g)
{
    const struct row_item *item = &r->item[g->first];
    set *out = r->fact + g->first;

    if (item->how == HOW_SQUARES) {
        const set *from = item->from;

        from += item->stride * r->sq[item->i];
        for (unsigned q = 0; q < g->n; q++)
            out[q] = from[q];
    } else {
        const uint8_t *from = item->from;
        unsigned away = from[item->stride * r->sq[item->i] + r->sq[item->j]];

        for (unsigned q = 0; q < g->n; q++)
            out[q] = ALL_IF(away <= g->least + q);
    }
}

static void row_all(struct bk_fact_row *row, const uint64_t *care, uint64_t *out)
{
    struct row *r = (struct row *)row;
    const struct bk_facts *f = r->head.f;
    set wanted;

    memcpy(&wanted, care, sizeof wanted);
    for (unsigned i = 0; i < f->men.n; i++)
        all_attacks(r, i);
    all_side(r, BK_WHITE);
    all_side(r, BK_BLACK);
    for (unsigned fact = f->first_fork; fact < f->nfacts; fact++)
        r->fact[fact] = NONE;
    for (unsigned i = 0; i < f->men.n; i++)
        all_goings(r, i, wanted);
    for (unsigned group = 0; group < f->ngroups; group++) {
        const struct fact_group *g = &f->group[group];

        if (g->kind == FACT_PLACE)
            all_place(r, g);
        else if (fact_costly(g->kind))
            r->known[group] = wanted; /* all_goings() */
        else if (row_lacks(r, group))
            row_group(r, group);
    }
    for (unsigned w = 0; w < r->words; w++)
        r->have[w] = ~UINT64_C(0);
    memcpy(out, r->fact, f->nfacts * sizeof(set));
}

#endif
