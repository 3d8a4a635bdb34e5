/*
 * tables.c - see tables.h.
 *
 * A link is found by asking for the table of some position with the men that are left: where they
 * stand does not matter.  It is then a list of men, by the order in which the other file has them,
 * and where squares go if that file has the colours exchanged.
 *
 * Invariant: a link is complete before it is set, and stays as long as its table.
 */
#include "table/tables.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* == Positions == */

/* Sets `out` to the position with the colours exchanged. */
static void exchange(struct bk_pos *out, const struct bk_variant *v, const struct bk_pos *p,
                     const uint8_t *swap)
{
    bk_pos_init(out, v);
    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits men = p->by[colour];

        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;)
            bk_pos_put(out, v, bk_man_type(p->at[sq]), !colour, swap[sq]);
    }
    out->stm = !p->stm;
    out->rights = (uint8_t)((p->rights & 3) << 2 | p->rights >> 2);
}

static bool place_exchanged(const struct bk_index *ix, const struct bk_pos *p, const uint8_t *swap,
                            struct bk_placement *at)
{
    struct bk_pos turned;

    if (!p->rights)
        return bk_index_place_exchanged(ix, p, swap, at);
    exchange(&turned, ix->v, p, swap);
    return bk_index_place(ix, &turned, at);
}

enum bk_err bk_spot_of(struct bk_spot *out, const struct bk_table *t, const struct bk_file *f,
                       const struct bk_pos *p, struct bk_report *why)
{
    const struct bk_index *ix = bk_file_index(f);
    bool one_side = bk_file_info(f)->one_side;
    bool exchanged = one_side ? p->stm == BK_BLACK : t->exchanged;
    bool placed =
        exchanged ? place_exchanged(ix, p, t->swap, &out->at) : bk_index_place(ix, p, &out->at);

    out->side = one_side ? 0 : p->stm ^ exchanged;
    if (placed && bk_spot_number(out, f))
        return BK_OK;
    return bk_fail(why, BK_E_ILLEGAL, "%s has no number for this position", bk_file_path(f));
}

/* == Links == */

struct link {
    struct link *next; /* in the list `others` */
    uint64_t key;
    struct bk_origin *origin; /* of the other table, or this one */
    bool exchanged;           /* which of the origin's two tables */
    unsigned side;            /* to move, as its file has it */
    const uint8_t *swap;      /* where squares go; NULL: they stay */
    uint8_t from[BK_MEN_MAX]; /* by man of the other file: the man of this one */
};

struct bk_links {
    struct bk_table_men men;
    /* for plain steps, by man taken; [0]: nobody, in a table that keeps one side */
    _Atomic(struct link *) taken[BK_MEN_MAX];
    _Atomic(struct link *) others; /* for the other steps */
};

/* Does a step take a man at most, and do nothing else? */
static bool is_plain(struct bk_step_of_men s)
{
    return s.becomes == BK_STAYS && !s.also && !s.rights;
}

static uint64_t key_of(struct bk_step_of_men s)
{
    return (uint64_t)s.by << 40 | (uint64_t)s.taken << 32 | (uint64_t)s.also << 24 |
           (uint64_t)s.becomes << 16 | (uint64_t)s.rights << 8 | s.how;
}

/* Adds man i to `m`: his place, how he moves, where he may change, where he may stand. */
static void look_around(struct bk_table_men *m, const struct bk_index *ix, unsigned i)
{
    const struct bk_variant *v = ix->v;
    unsigned type = i < 2 ? v->royal : ix->type[i - 2], colour = i < 2 ? i : ix->colour[i - 2];

    m->of[colour]++;
    for (unsigned exchanged = 0; exchanged < 2; exchanged++)
        m->place[exchanged][bk_man(type, colour ^ exchanged)] =
            (uint8_t)(i < 2 ? i : 2u + ix->like[i - 2]);
    m->listed |= bk_rules_takes_twice(v, type);
    m->passes |= (unsigned)bk_rules_passes(v, type) << i;
    m->alike |= (unsigned)bk_man_moves_as_he_takes(v, type, colour) << i;
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (bk_man_may_change(v, type, colour, sq)) {
            bk_bits_set(&m->change[i], sq);
            m->changes[colour] |= 1u << i;
        }
        if (bk_rules_may_stand(v, type, colour, sq))
            bk_bits_set(&m->stand[i], sq);
    }
}

/* Returns how many men a capture takes by which `us` bares a side that may lose by it; 0: none. */
static unsigned bares(const struct bk_table_men *m, const struct bk_variant *v, unsigned us)
{
    unsigned theirs = m->of[!us] - 1;

    return theirs && theirs <= 1 + (unsigned)m->listed && (m->of[us] == 1 || bk_rules_bare_loses(v))
               ? theirs
               : 0;
}

static struct bk_links *links_new(const struct bk_table *t)
{
    const struct bk_index *ix = bk_file_index(t->wdl);
    struct bk_links *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->men.n = 2 + ix->nslots;
    l->men.listed = ix->m.rights;
    l->men.alone[BK_KIND_WDL] = bk_file_info(t->wdl)->standalone;
    l->men.alone[BK_KIND_DTW] = t->dtw && bk_file_info(t->dtw)->standalone;
    l->men.alone[BK_KIND_FIVE] = t->five && bk_file_info(t->five)->standalone;
    l->men.alone[BK_KIND_DTZ] = t->dtz && bk_file_info(t->dtz)->standalone;
    for (unsigned i = 0; i < l->men.n; i++)
        look_around(&l->men, ix, i);
    for (unsigned us = 0; us < 2; us++)
        l->men.bares[us] = bares(&l->men, ix->v, us);
    l->men.draws_go_on = bk_rules_stalemate_loses(ix->v);
    return l;
}

/* Do two files of a table number positions alike?  A file that is not there does. */
static bool alike(const struct bk_file *x, const struct bk_file *y)
{
    const struct bk_file_info *w = bk_file_info(x), *d = y ? bk_file_info(y) : w;

    return w->norder == d->norder && !memcmp(w->order, d->order, w->norder) &&
           w->one_side == d->one_side;
}

bool bk_table_finish(struct bk_table *t)
{
    const struct bk_file_info *w = bk_file_info(t->wdl);

    t->ix = bk_file_index(t->wdl);
    t->one_side = w->one_side;
    t->wdl_is_five = t->wdl == t->five;
    t->same_numbers = alike(t->wdl, t->dtw);
    t->same_five = alike(t->wdl, t->five);
    t->same_dtz = alike(t->wdl, t->dtz);
    t->links = links_new(t);
    t->men = t->links ? &t->links->men : NULL;
    return t->links;
}

enum bk_err bk_table_no_distances(const struct bk_table *t, struct bk_report *why)
{
    return t->damaged
               ? bk_fail(why, BK_E_CORRUPT, "%s", t->damaged)
               : bk_fail(why, BK_E_NO_TABLE, "no distances of %s", bk_file_info(t->wdl)->material);
}

enum bk_err bk_table_no_five(const struct bk_table *t, struct bk_report *why)
{
    return t->damaged_five
               ? bk_fail(why, BK_E_CORRUPT, "%s", t->damaged_five)
               : bk_fail(why, BK_E_NO_TABLE, "no %s of %s by the n-move rule",
                         t->five ? "distances" : "results", bk_file_info(t->wdl)->material);
}

void bk_table_release(struct bk_table *t)
{
    if (!t->links)
        return;
    for (unsigned i = 0; i < BK_MEN_MAX; i++)
        free(atomic_load(&t->links->taken[i]));
    for (struct link *l = atomic_load(&t->links->others), *next; l; l = next) {
        next = l->next;
        free(l);
    }
    free(t->links);
    t->links = NULL;
    t->men = NULL;
}

uint64_t bk_table_memory(const struct bk_table *t)
{
    return sizeof *t + (t->links ? sizeof *t->links : 0);
}

/* Returns the type that a man of the table has after a step. */
static unsigned type_after(const struct bk_index *ix, unsigned i, struct bk_step_of_men step)
{
    if (i == step.by && step.becomes != BK_STAYS)
        return step.becomes;
    return i < 2 ? ix->v->royal : ix->type[i - 2];
}

/* Returns the men that a step takes, a bit each. */
static uint32_t men_taken(struct bk_step_of_men step)
{
    uint32_t taken = step.taken ? 1u << step.taken : 0;

    return step.taken && step.also ? taken | 1u << step.also : taken;
}

/* May our man k, after a step, be the one of slot s of theirs? */
static bool is_man_of(const struct bk_index *ours, unsigned k, struct bk_step_of_men step,
                      const struct bk_index *theirs, unsigned s, bool exchanged)
{
    int right = ours->right[k - 2], theirs_right = theirs->right[s];

    if (right >= 0 && step.rights >> right & 1)
        right = -1;
    if (theirs_right >= 0 && exchanged)
        theirs_right ^= 2;
    return type_after(ours, k, step) == theirs->type[s] && right == theirs_right &&
           ours->colour[k - 2] == (theirs->colour[s] ^ exchanged);
}

/* Finds the other table's men among ours after a step; false: they do not match. */
static bool match_men(struct link *l, const struct bk_index *ours, const struct bk_index *theirs,
                      bool exchanged, struct bk_step_of_men step)
{
    uint32_t used = men_taken(step);

    l->from[0] = exchanged;
    l->from[1] = !exchanged;
    for (unsigned s = 0; s < theirs->nslots; s++) {
        unsigned k = 2;

        while (k < 2 + ours->nslots &&
               (used >> k & 1 || !is_man_of(ours, k, step, theirs, s, exchanged)))
            k++;
        if (k == 2 + ours->nslots)
            return false;
        used |= 1u << k;
        l->from[2 + s] = (uint8_t)k;
    }
    return true;
}

/* Sets `p` to some position with the men that are there after a step. */
static void some_position(struct bk_pos *p, const struct bk_index *ix, unsigned colour,
                          struct bk_step_of_men step)
{
    uint32_t taken = men_taken(step);

    bk_pos_init(p, ix->v);
    memcpy(p->left, ix->m.left, sizeof p->left);
    p->rights = ix->m.rights & (uint8_t)~step.rights;
    if (step.how & BK_STEP_COUNTED && p->left[colour][step.becomes])
        p->left[colour][step.becomes]--;
    for (unsigned i = 0; i < 2 + ix->nslots; i++)
        if (!(taken >> i & 1))
            bk_pos_put(p, ix->v, type_after(ix, i, step), i < 2 ? i : ix->colour[i - 2], i);
}

/* Fills `l` with the link to the table after a step, which may be the same with the other side to
   move. */
static enum bk_err link_find(struct link *l, const struct bk_tables *tables,
                             const struct bk_table *t, unsigned colour, struct bk_step_of_men step,
                             struct bk_report *why)
{
    const struct bk_index *ix = t->ix;
    bool is_exit = bk_step_exits(step), one_side, exchanged;
    const struct bk_table *other = t;
    struct bk_pos p;
    enum bk_err err = BK_OK;

    if (is_exit) {
        some_position(&p, ix, colour, step);
        err = tables->find(tables->context, &p, &other, why);
    }
    if (err)
        return err;
    one_side = other->one_side;
    exchanged = one_side ? colour == BK_WHITE : is_exit && other->exchanged;
    l->key = key_of(step);
    l->origin = other->origin;
    l->exchanged = other->exchanged;
    l->swap = exchanged ? other->swap : NULL;
    l->side = one_side ? 0 : !colour ^ exchanged;
    if (match_men(l, ix, other->ix, exchanged, step))
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: not the table of its men", bk_file_path(other->wdl));
}

static struct link *link_with(struct bk_links *links, struct bk_step_of_men step)
{
    uint64_t key = key_of(step);
    struct link *l;

    if (is_plain(step))
        return atomic_load_explicit(&links->taken[step.taken], memory_order_acquire);
    l = atomic_load_explicit(&links->others, memory_order_acquire);
    while (l && l->key != key)
        l = l->next;
    return l;
}

/* Keeps a new link; one that another thread was quicker with is taken instead. */
static const struct link *link_keep(struct bk_links *links, struct bk_step_of_men step,
                                    struct link *l)
{
    struct link *there = NULL;

    if (is_plain(step)) {
        if (atomic_compare_exchange_strong(&links->taken[step.taken], &there, l))
            return l;
        free(l);
        return there;
    }
    l->next = atomic_load(&links->others); /* a link that is there twice does no harm */
    while (!atomic_compare_exchange_strong(&links->others, &l->next, l))
        ;
    return l;
}

static enum bk_err link_of(const struct link **out, const struct bk_tables *tables,
                           const struct bk_men *m, struct bk_step_of_men step,
                           struct bk_report *why)
{
    struct bk_links *links = m->table->links;
    struct link *l = link_with(links, step);
    enum bk_err err;

    *out = l;
    if (l)
        return BK_OK;
    if (!(l = malloc(sizeof *l)))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    err = link_find(l, tables, m->table, m->spot.side, step, why);
    if (err) {
        free(l);
        return err;
    }
    *out = link_keep(links, step, l);
    if (*out == l)
        bk_cache_grow(m->table->cache, m->table->held, sizeof *l);
    return BK_OK;
}

/* == Men == */

const uint8_t *bk_men_swap(const struct bk_table *t, const struct bk_pos *p)
{
    return (t->one_side ? p->stm == BK_BLACK : t->exchanged) ? t->swap : NULL;
}

/* bk_men_place(), of a position with castling rights. */
static enum bk_err place_with_rights(struct bk_men *out, const struct bk_table *t,
                                     const struct bk_pos *p, struct bk_report *why)
{
    const uint8_t *swap = bk_men_swap(t, p);

    if (swap ? place_exchanged(t->ix, p, swap, &out->spot.at)
             : bk_index_place(t->ix, p, &out->spot.at))
        return BK_OK;
    return bk_fail(why, BK_E_ILLEGAL, "%s has no number for this position", bk_file_path(t->wdl));
}

enum bk_err bk_men_place(struct bk_men *out, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why)
{
    const uint8_t *swap = bk_men_swap(t, p);
    bool exchanged = swap;
    const uint8_t *place = t->men->place[exchanged];
    unsigned words = (t->ix->v->nsq + 63u) / 64;
    uint8_t placed[BK_MEN_MAX] = { 0 };

    out->table = t;
    out->spot.at = (struct bk_placement){ .king = { 0 } };
    out->spot.side = t->one_side ? 0 : p->stm ^ exchanged;
    out->spot.number = UINT64_MAX;
    if (p->rights)
        return place_with_rights(out, t, p, why);
    for (unsigned w = 0; w < words; w++)
        for (uint64_t left = p->by[0].w[w] | p->by[1].w[w]; left; left &= left - 1) {
            unsigned sq = 64 * w + (unsigned)__builtin_ctzll(left), first = place[p->at[sq]];

            bk_placement_put(&out->spot.at, first + placed[first]++, swap ? swap[sq] : sq);
        }
    return BK_OK;
}

enum bk_err bk_men_number(struct bk_men *m, struct bk_report *why)
{
    if (bk_spot_number(&m->spot, m->table->wdl))
        return BK_OK;
    return bk_fail(why, BK_E_ILLEGAL, "%s has no number for this position",
                   bk_file_path(m->table->wdl));
}

void bk_men_position(const struct bk_men *m, struct bk_pos *out)
{
    bk_index_position(m->table->ix, &m->spot.at, m->spot.side, out);
}

/* Puts the rook of a castling step where it goes. */
static void put_rook(struct bk_men *m, const struct link *l, struct bk_step_of_men step)
{
    unsigned x = 2;

    while (l->from[x] != step.also)
        x++;
    bk_placement_put(&m->spot.at, x, l->swap ? l->swap[step.also_to] : step.also_to);
}

enum bk_err bk_men_move(const struct bk_tables *tables, const struct bk_men *m,
                        struct bk_step_of_men step, struct bk_men *out, struct bk_report *why)
{
    const uint8_t *was = bk_placement_squares(&m->spot.at);
    const struct link *l;
    enum bk_err err;

    if (bk_step_stays(m, step)) {
        bk_men_stay(m, step, out);
        return BK_OK;
    }
    err = link_of(&l, tables, m, step, why);
    if (err)
        return err;
    out->table = bk_origin_table(l->origin, l->exchanged);
    if (!out->table)
        err = tables->open(tables->context, l->origin, l->exchanged, &out->table, why);
    if (err)
        return err;
    out->spot.side = l->side;
    out->spot.number = UINT64_MAX;
    out->spot.at = (struct bk_placement){ .king = { 0 } };
    for (unsigned x = 0; x < 2 + out->table->ix->nslots; x++) {
        unsigned sq = l->from[x] == step.by ? step.to : was[l->from[x]];

        bk_placement_put(&out->spot.at, x, l->swap ? l->swap[sq] : sq);
    }
    if (step.also && !step.taken)
        put_rook(out, l, step);
    return BK_OK;
}
