/*
 * row.h - facts of a row: of each fact the squares of the inner man that make it true.  HOT.
 *
 * A fact that does not concern the inner man is true everywhere or nowhere.  Facts are computed a
 * group at a time, when one of the group is asked.
 */
#ifndef BK_FACTS_ROW_H
#define BK_FACTS_ROW_H

#include "core/facts/reach.h"

#define GROUP_WORDS    (FACT_GROUPS_MAX / 64)
#define TREE_DEPTH_MAX 4096

struct row {
    struct bk_fact_row head; /* first: what callers hold */
    const struct reach *reach;
    uint8_t sq[BK_MEN_MAX];
    set occupied, own[2]; /* of all men but the inner */
    uint64_t have[GROUP_WORDS];
    set have_side[2];       /* for which squares side[] is known */
    set side[2][BK_SQ_MAX]; /* where x lets a side attack a square, through the other king */
    set fact[];
};

static struct bk_fact_row *row_new(const struct bk_facts *f, unsigned inner)
{
    size_t bytes = sizeof(struct row) + f->nfacts * sizeof(set);
    struct row *r = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (!r)
        return NULL;
    memset(r, 0, bytes);
    r->head = (struct bk_fact_row){ f, inner };
    r->reach = f->reach;
    return &r->head;
}

static void row_set(struct bk_fact_row *row, const uint8_t *sq)
{
    struct row *r = (struct row *)row;
    const struct bk_facts *f = r->head.f;

    r->own[0] = r->own[1] = NONE;
    for (unsigned i = 0; i < f->men.n; i++)
        if (i != r->head.inner) {
            r->sq[i] = sq[i];
            r->own[f->men.colour[i]] |= bit(sq[i]);
        }
    r->occupied = r->own[0] | r->own[1];
    memset(r->have, 0, sizeof r->have);
    r->have_side[0] = r->have_side[1] = NONE;
}

/* == Attacks == */

INLINE unsigned row_colour(const struct row *r, unsigned i) { return r->head.f->men.colour[i]; }
INLINE bool row_inner_is(const struct row *r, unsigned colour)
{
    return row_colour(r, r->head.inner) == colour;
}

/* A set for the squares that man i stands on: the inner man is not in `occupied`. */
INLINE set row_where(const struct row *r, unsigned i)
{
    return i == r->head.inner ? NONE : bit(r->sq[i]);
}

/* Man i attacks square t. */
INLINE set row_attacks(const struct row *r, unsigned i, unsigned t, set occupied)
{
    const struct kind_reach *k = r->reach->of[i];

    return i == r->head.inner ? attacks_into(k, t, occupied) & ~bit(t)
                              : attacks_past(k, r->sq[i], t, occupied);
}

static set row_fact_attacks(const struct row *r, unsigned i, unsigned j)
{
    if (j == r->head.inner)
        return attacks_from(r->reach->of[i], r->sq[i], r->occupied);
    return row_attacks(r, i, r->sq[j], r->occupied);
}

/* A side attacks t, looking through the other king.  Where that king is the inner man, x is none
   in the way. */
static set row_side(struct row *r, unsigned colour, unsigned t)
{
    const struct bk_facts *f = r->head.f;
    set all = NONE, seen = r->occupied & ~row_where(r, !colour);

    if (has(r->have_side[colour], t))
        return r->side[colour][t];
    for (unsigned i = 0; i < f->men.n; i++)
        if (f->men.colour[i] == colour) {
            if (r->head.inner == !colour)
                all |= ALL_IF(reaches(r->reach->of[i], r->sq[i], t, seen));
            else
                all |= row_attacks(r, i, t, seen);
        }
    r->have_side[colour] |= bit(t);
    r->side[colour][t] = all;
    return all;
}

/* at[n - 1] of at least n of some sets: counts one more. */
INLINE void count_in(set *at, unsigned n, set x)
{
    for (unsigned q = n - 1; q > 0; q--)
        at[q] |= at[q - 1] & x;
    at[0] |= x;
}

/* == Groups == */

static void group_place(const struct row *r, const struct fact_group *g, set *out)
{
    const struct bk_facts *f = r->head.f;
    unsigned inner = r->head.inner;

    for (unsigned q = 0; q < g->n; q++)
        out[q] = NONE;
    for (unsigned x = 0; x < f->v->nsq; x++) {
        unsigned a = g->i == inner ? x : r->sq[g->i], b = g->j == inner ? x : r->sq[g->j];
        unsigned m = fact_metric_of(f, g->metric, a, b);

        for (unsigned q = 0; q < g->n; q++)
            if (m <= g->least + q)
                out[q] |= bit(x);
    }
}

static void group_king_diff(const struct row *r, const struct fact_group *g, set *out)
{
    const struct bk_facts *f = r->head.f;
    unsigned inner = r->head.inner, i = g->i;

    for (unsigned q = 0; q < g->n; q++)
        out[q] = NONE;
    for (unsigned x = 0; x < f->v->nsq; x++) {
        unsigned white = inner == 0 ? x : r->sq[0], black = inner == 1 ? x : r->sq[1];
        unsigned man = inner == i ? x : r->sq[i];

        for (unsigned q = 0; q < g->n; q++)
            if (fact_metric_of(f, METRIC_DISTANCE, white, man) + 2 <=
                fact_metric_of(f, METRIC_DISTANCE, black, man) + q)
                out[q] |= bit(x);
    }
}

static void group_counts(const struct row *r, const struct fact_group *g, set *out)
{
    for (unsigned q = 0; q < 4; q++)
        out[q] = NONE;
    for (unsigned p = 0; p < r->head.f->men.n; p++)
        if (p != g->i && !(p < 2 && g->i < 2))
            count_in(row_colour(r, p) != row_colour(r, g->i) ? out : out + 2, 2,
                     row_fact_attacks(r, p, g->i));
}

static void group_hanging(const struct row *r, const struct fact_group *g, set *out)
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
                attacked |= row_fact_attacks(r, p, j);
            else
                defended |= row_fact_attacks(r, p, j);
        }
        count_in(out, g->n, attacked & ~defended);
    }
}

/* Where man i may go and take: t is attacked by it and not held by an own man. */
static set row_moves(const struct row *r, unsigned i, unsigned t)
{
    set at = row_attacks(r, i, t, r->occupied);

    if (i != r->head.inner && row_inner_is(r, row_colour(r, i)))
        at &= ~bit(t);
    return at;
}

/* The squares that may be among those of row_moves(). */
static set row_targets(const struct row *r, unsigned i)
{
    set to = i == r->head.inner ? r->reach->board : r->reach->of[i]->to[r->sq[i]];

    return to & ~r->own[row_colour(r, i)];
}

static void group_safe(struct row *r, const struct fact_group *g, set *out)
{
    unsigned i = g->i, colour = row_colour(r, i);
    set to = row_targets(r, i);

    for (unsigned q = 0; q < g->n; q++)
        out[q] = NONE;
    EACH (t, to) {
        set safe = row_moves(r, i, t);

        if (!any(safe))
            continue;
        safe &= ~row_side(r, !colour, t);
        count_in(out, g->kind == FACT_KING_SAFE ? 4 : 3, safe);
        if (g->kind == FACT_KING_SAFE && !has(r->occupied, t))
            count_in(out + 4, 3, safe & ~bit(t));
    }
}

/* Man i, on t, attacks man j; `rest` stands besides the inner man and i. */
static set row_hits(const struct row *r, unsigned i, unsigned t, unsigned j, set rest)
{
    const struct kind_reach *k = r->reach->of[i];

    if (i == r->head.inner)
        return ALL_IF(reaches(k, t, r->sq[j], rest));
    if (j == r->head.inner)
        return attacks_from(k, t, rest);
    return attacks_past(k, t, r->sq[j], rest);
}

/* t is defended by another man than i, and attacked by the enemy's king at most. */
static set row_held(const struct row *r, unsigned i, unsigned t)
{
    set defended = NONE, attacked = NONE;

    for (unsigned p = 0; p < r->head.f->men.n; p++) {
        if (row_colour(r, p) == row_colour(r, i))
            defended |= p == i ? NONE : row_attacks(r, p, t, r->occupied);
        else if (p >= 2)
            attacked |= row_attacks(r, p, t, r->occupied);
    }
    return defended & ~attacked;
}

static void group_fork(struct row *r, const struct fact_group *g, set *out)
{
    const struct bk_facts *f = r->head.f;
    unsigned i = g->i, colour = row_colour(r, i), n = f->nenemies[i];
    unsigned each = n + n * (n - 1) / 2;
    const uint8_t *enemy = f->enemy[i];
    set to = row_targets(r, i), rest = r->occupied & ~row_where(r, i);
    bool skewers = g->n > 2 * each;

    for (unsigned q = 0; q < g->n; q++)
        out[q] = NONE;
    EACH (t, to) {
        set hit[BK_MEN_MAX], safe, held, some = NONE;
        unsigned q = n;

        for (unsigned e = 0; e < n; e++)
            some |= hit[e] = row_hits(r, i, t, enemy[e], rest);
        some &= row_moves(r, i, t);
        if (!any(some))
            continue;
        safe = some & ~row_side(r, !colour, t);
        held = safe | (some & row_held(r, i, t));
        for (unsigned a = 0; a < n; a++) {
            out[a] |= hit[a] & safe;
            out[each + a] |= hit[a] & held;
            for (unsigned b = a + 1; b < n; b++, q++) {
                out[q] |= hit[a] & hit[b] & safe;
                out[each + q] |= hit[a] & hit[b] & held;
            }
        }
        for (unsigned b = 1; skewers && b < n; b++)
            out[2 * each + b - 1] |=
                hit[0] & safe & ~hit[b] &
                (r->head.inner == enemy[0]
                     ? ALL_IF(reaches(r->reach->of[i], t, r->sq[enemy[b]], rest))
                     : row_hits(r, i, t, enemy[b], rest & ~row_where(r, enemy[0])));
    }
}

static void row_group(struct row *r, unsigned group)
{
    const struct fact_group *g = &r->head.f->group[group];
    set *out = r->fact + g->first;

    switch ((enum fact_kind)g->kind) {
    case FACT_PLACE: group_place(r, g, out); break;
    case FACT_KING_DIFF: group_king_diff(r, g, out); break;
    case FACT_ATTACKS: out[0] = row_fact_attacks(r, g->i, g->j); break;
    case FACT_COUNTS: group_counts(r, g, out); break;
    case FACT_HANGING: group_hanging(r, g, out); break;
    case FACT_KING_SAFE:
    case FACT_MAN_SAFE: group_safe(r, g, out); break;
    case FACT_FORK: group_fork(r, g, out); break;
    }
    r->have[group / 64] |= UINT64_C(1) << group % 64;
}

INLINE set row_fact(struct row *r, unsigned fact)
{
    unsigned group = r->head.f->item[fact].group;

    if (!(r->have[group / 64] >> group % 64 & 1))
        row_group(r, group);
    return r->fact[fact];
}

/* == Asking == */

INLINE set set_from_words(const uint64_t *w)
{
    set x;

    memcpy(&x, w, sizeof x);
    return x;
}

static void descend(struct row *r, const struct bk_fact_node *tree, uint32_t at, set squares,
                    bk_leaf_visit *visit, void *context)
{
    while (tree[at].fact != BK_FACT_LEAF) {
        set yes = squares & row_fact(r, tree[at].fact), no = squares & ~yes;

        if (any(yes) && any(no))
            descend(r, tree, tree[at].yes, yes, visit, context);
        squares = any(no) ? no : yes;
        at = any(no) ? tree[at].no : tree[at].yes;
    }
    uint64_t words[sizeof squares / 8];

    memcpy(words, &squares, sizeof squares);
    visit(context, tree[at].yes, words);
}

static void row_descend(struct bk_fact_row *row, const struct bk_fact_node *tree,
                        const uint64_t *care, bk_leaf_visit *visit, void *context)
{
    set squares = set_from_words(care);

    if (any(squares))
        descend((struct row *)row, tree, 0, squares, visit, context);
}

static void row_all(struct bk_fact_row *row, uint64_t *out)
{
    struct row *r = (struct row *)row;

    for (unsigned g = 0; g < r->head.f->ngroups; g++)
        if (!(r->have[g / 64] >> g % 64 & 1))
            row_group(r, g);
    memcpy(out, r->fact, r->head.f->nfacts * sizeof(set));
}

#endif
