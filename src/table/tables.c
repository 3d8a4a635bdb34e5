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

/* The position as the other side sees it. */
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
    out->number = placed ? bk_index_rank_turned(ix, &out->at) : UINT64_MAX;
    if (out->number != UINT64_MAX)
        return BK_OK;
    return bk_fail(why, BK_E_ILLEGAL, "%s has no number for this position", bk_file_path(f));
}

/* == Links == */

struct link {
    const struct bk_table *table;
    unsigned side;            /* to move, as its file has it */
    const uint8_t *swap;      /* where squares go; NULL: nowhere */
    uint8_t from[BK_MEN_MAX]; /* by man of the other file: who it is here */
};

struct bk_links {
    struct bk_table_men men;
    _Atomic(struct link *) by[BK_MEN_MAX]; /* by man taken; by[0]: none is, and sides change */
};

/* Squares from which man i may change, on which he may stand. */
static void look_around(struct bk_table_men *m, const struct bk_index *ix, unsigned i)
{
    const struct bk_variant *v = ix->v;
    unsigned type = i < 2 ? v->royal : ix->type[i - 2], colour = i < 2 ? i : ix->colour[i - 2];

    m->of[colour]++;
    m->place[bk_man(type, colour)] = (uint8_t)(i < 2 ? i : 2u + ix->like[i - 2]);
    m->captures_only &= !bk_rules_takes_twice(v, type);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (bk_man_may_change(v, type, colour, sq)) {
            bk_bits_set(&m->change[i], sq);
            m->changes[colour] |= 1u << i;
        }
        if (bk_rules_may_stand(v, type, colour, sq))
            bk_bits_set(&m->stand[i], sq);
    }
}

static bool asks_others(const struct bk_file *f) { return !bk_file_info(f)->standalone; }

static struct bk_links *links_new(const struct bk_table *t)
{
    const struct bk_index *ix = bk_file_index(t->wdl);
    struct bk_links *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->men.n = 2 + ix->nslots;
    l->men.captures_only = !ix->m.rights && asks_others(t->wdl) &&
                           (!t->dtw || (asks_others(t->dtw) && t->same_numbers));
    for (unsigned i = 0; i < l->men.n; i++)
        look_around(&l->men, ix, i);
    return l;
}

void bk_table_finish(struct bk_table *t)
{
    const struct bk_file_info *w = bk_file_info(t->wdl), *d;

    t->same_numbers = true;
    if (t->dtw) {
        d = bk_file_info(t->dtw);
        t->same_numbers = w->norder == d->norder && !memcmp(w->order, d->order, w->norder) &&
                          w->one_side == d->one_side;
    }
    t->links = links_new(t);
}

void bk_table_release(struct bk_table *t)
{
    for (unsigned i = 0; t->links && i < BK_MEN_MAX; i++)
        free(atomic_load(&t->links->by[i]));
    free(t->links);
    t->links = NULL;
}

const struct bk_table_men *bk_table_men_of(const struct bk_table *t)
{
    return t->links ? &t->links->men : NULL;
}

/* The other table's men among ours but `taken`; false: they are not. */
static bool match_men(struct link *l, const struct bk_index *ours, const struct bk_index *theirs,
                      bool exchanged, unsigned taken)
{
    uint32_t used = taken ? 1u << (taken - 2) : 0;

    l->from[0] = exchanged;
    l->from[1] = !exchanged;
    for (unsigned s = 0; s < theirs->nslots; s++) {
        unsigned k = 0;

        while (k < ours->nslots && (used >> k & 1 || ours->type[k] != theirs->type[s] ||
                                    ours->colour[k] != (theirs->colour[s] ^ exchanged)))
            k++;
        if (k == ours->nslots)
            return false;
        used |= 1u << k;
        l->from[2 + s] = (uint8_t)(2 + k);
    }
    return true;
}

/* Some position of the table without the man `taken`. */
static void some_position(struct bk_pos *p, const struct bk_index *ix, unsigned taken)
{
    bk_pos_init(p, ix->v);
    memcpy(p->left, ix->m.left, sizeof p->left);
    for (unsigned i = 0; i < 2 + ix->nslots; i++)
        if (!taken || i != taken)
            bk_pos_put(p, ix->v, i < 2 ? ix->v->royal : ix->type[i - 2],
                       i < 2 ? i : ix->colour[i - 2], i);
}

/* The table after a capture of `taken`, or (0) its own with the other side to move. */
static enum bk_err link_find(struct link *l, const struct bk_tables *tables,
                             const struct bk_table *t, unsigned stm_after, unsigned taken,
                             struct bk_report *why)
{
    const struct bk_index *ix = bk_file_index(t->wdl);
    struct bk_pos p;
    bool one_side, exchanged;
    enum bk_err err = BK_OK;

    l->table = t;
    if (taken) {
        some_position(&p, ix, taken);
        err = tables->find(tables->context, &p, &l->table, why);
    }
    if (err)
        return err;
    one_side = bk_file_info(l->table->wdl)->one_side;
    exchanged = one_side ? stm_after == BK_BLACK : taken && l->table->exchanged;
    l->swap = exchanged ? l->table->swap : NULL;
    l->side = one_side ? 0 : stm_after ^ exchanged;
    if (match_men(l, ix, bk_file_index(l->table->wdl), exchanged, taken))
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: not the table of its men", bk_file_path(l->table->wdl));
}

static enum bk_err link_of(const struct link **out, const struct bk_tables *tables,
                           const struct bk_table *t, unsigned stm_after, unsigned taken,
                           struct bk_report *why)
{
    _Atomic(struct link *) *place = &t->links->by[taken];
    struct link *there = atomic_load_explicit(place, memory_order_acquire), *mine;
    enum bk_err err;

    *out = there;
    if (there)
        return BK_OK;
    if (!(mine = malloc(sizeof *mine)))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    err = link_find(mine, tables, t, stm_after, taken, why);
    if (!err && atomic_compare_exchange_strong(place, &there, mine)) {
        *out = mine;
        return BK_OK;
    }
    free(mine);
    *out = there;
    return err;
}

/* == Men == */

void bk_men_place(struct bk_men *out, const struct bk_table *t, const struct bk_pos *p)
{
    bool one_side = bk_file_info(t->wdl)->one_side;
    bool exchanged = one_side ? p->stm == BK_BLACK : t->exchanged;
    const uint8_t *place = t->links->men.place;
    uint8_t at[BK_MEN_MAX] = { 0 }, placed[BK_MEN_MAX] = { 0 };

    out->table = t;
    out->spot.side = one_side ? 0 : p->stm ^ exchanged;
    out->spot.number = UINT64_MAX;
    for (unsigned w = 0; w < 4; w++)
        for (uint64_t left = p->by[0].w[w] | p->by[1].w[w]; left; left &= left - 1) {
            unsigned sq = 64 * w + (unsigned)__builtin_ctzll(left);
            unsigned man = exchanged ? ((p->at[sq] - 1u) ^ 1) + 1 : p->at[sq];
            unsigned i = place[man] + placed[place[man]]++;

            at[i] = exchanged ? t->swap[sq] : (uint8_t)sq;
        }
    memcpy(&out->spot.at, at, sizeof at);
}

enum bk_err bk_men_number(struct bk_men *m, struct bk_report *why)
{
    const struct bk_file *f = m->table->wdl;

    m->spot.number = bk_index_rank_turned(bk_file_index(f), &m->spot.at);
    if (m->spot.number != UINT64_MAX)
        return BK_OK;
    return bk_fail(why, BK_E_ILLEGAL, "%s has no number for this position", bk_file_path(f));
}

void bk_men_position(const struct bk_men *m, struct bk_pos *out)
{
    bk_index_position(bk_file_index(m->table->wdl), &m->spot.at, m->spot.side, out);
}

enum bk_err bk_men_move(const struct bk_tables *tables, const struct bk_men *m, unsigned by,
                        unsigned to, unsigned taken, struct bk_men *out, struct bk_report *why)
{
    const uint8_t *was = bk_placement_squares(&m->spot.at);
    uint8_t is[BK_MEN_MAX] = { 0 };
    const struct link *l;
    enum bk_err err;

    if (!taken && !bk_file_info(m->table->wdl)->one_side) {
        *out = *m;
        bk_placement_put(&out->spot.at, by, to);
        out->spot.side = !m->spot.side;
        out->spot.number = UINT64_MAX;
        return BK_OK;
    }
    err = link_of(&l, tables, m->table, !m->spot.side, taken, why);
    if (err)
        return err;
    out->table = l->table;
    out->spot.side = l->side;
    out->spot.number = UINT64_MAX;
    for (unsigned x = 0; x < 2 + bk_file_index(l->table->wdl)->nslots; x++) {
        unsigned sq = l->from[x] == by ? to : was[l->from[x]];

        is[x] = l->swap ? l->swap[sq] : (uint8_t)sq;
    }
    memcpy(&out->spot.at, is, sizeof is);
    return BK_OK;
}
