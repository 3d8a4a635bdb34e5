/*
 * view.c - views of tables in memory.  See view.h.
 *
 * Where men of the parent stand in the table: their squares tell their cells, the cells the block,
 * and the kings the slice and the turn of the board that brings them there.  So a position is a
 * base, of slice and fixed men, and the offset that free men add to it.
 *
 * What a free man adds depends on its own square alone.  So its squares are looked up once, as
 * digits; then the men but the last are gone through one within another, and the squares of the
 * last one are a row of codes, which bk_row_scores() turns into scores.
 *
 * A table by rule has no codes: the values of its positions follow from kings and bare men.
 *
 * Cost: some loops over men and kinds once a view, then HOT: gather_row().  A free man that may
 * leave its block makes a view slow: one position at a time.
 */
#include "tb/memory/view.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"

/* == Plan == */

void bk_view_plan(struct bk_view_plan *p, const struct bk_view_request *r)
{
    const struct bk_memtable *t = r->t;
    const struct bk_index *parent = r->parent;
    unsigned rights = t->ix->m.rights;
    int swap;

    if (r->exchanged) /* in the parent's colours */
        rights = bk_material_exchanged(&t->ix->m).rights;
    memset(p, 0, sizeof *p);
    p->t = t;
    p->stm = !r->mover;
    p->exchanged = r->exchanged;
    for (unsigned s = 0; s < parent->nslots; s++) {
        if ((int)s == r->taken || (int)s == r->also)
            continue;
        p->parent[p->nmen] = (uint8_t)s;
        p->type[p->nmen] = (uint8_t)((int)s == r->changed ? r->to : parent->type[s]);
        p->colour[p->nmen] = parent->colour[s];
        p->right[p->nmen] = -1;
        if (parent->right[s] >= 0 && rights >> parent->right[s] & 1)
            p->right[p->nmen] = (int8_t)(r->exchanged ? parent->right[s] ^ 2 : parent->right[s]);
        p->nmen++;
    }
    swap = bk_material_swap(&t->ix->m, parent->v);
    bk_symmetry_map(parent->v, swap > 0 ? (unsigned)swap : 0, p->swap);
    if (p->exchanged)
        for (unsigned i = 0; i < p->nmen; i++)
            p->colour[i] = !p->colour[i];
}

/* == Where men stand == */

/* Where the men of a plan stand in the table, and by which turn of the board. */
struct located {
    const struct bk_memblock *block;
    uint64_t base;               /* slice and fixed men */
    unsigned slot[BK_SLOTS_MAX]; /* by man */
    uint8_t map[BK_SQ_MAX];      /* parent's squares to the table's */
    unsigned stm;
};

/* The men's offset in a table after each symmetry of their block, and the block. */
struct still {
    const struct bk_block *b;
    const struct bk_memblock *mb;
    unsigned turn_block;
    uint64_t offset[BK_SYMMETRIES]; /* by the symmetry that the kings ask for */
};

/* Is this the slot of a man such as the plan's `i`th? */
static inline bool is_slot_of(const struct bk_view_plan *p, unsigned i, unsigned s)
{
    const struct bk_index *ix = p->t->ix;

    return ix->type[s] == p->type[i] && ix->colour[s] == p->colour[i] &&
           ix->right[s] == p->right[i];
}

/* Sets `sq` to the squares of a placement's men in the table, before any turn. */
static void squares_of(const struct bk_view_plan *p, const struct bk_placement *at, uint8_t *sq)
{
    for (unsigned i = 0; i < p->nmen; i++) {
        sq[i] = at->sq[p->parent[i]];
        if (p->exchanged)
            sq[i] = p->swap[sq[i]];
    }
}

/* Sets the cells of men on these squares, and their slots: those of each kind in order of the
   cells.  False: one cannot stand there. */
static bool find_slots(const struct bk_view_plan *p, const uint8_t *sq, uint8_t *cell,
                       unsigned *slot)
{
    const struct bk_index *ix = p->t->ix;
    unsigned used = 0;

    for (unsigned i = 0; i < p->nmen; i++) {
        unsigned s = 0;

        while (!is_slot_of(p, i, s))
            s++;
        cell[i] = ix->cells[s]->cell_of[sq[i]];
        if (cell[i] == BK_SQ_NONE)
            return false;
    }
    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned best = BK_SLOTS_MAX;

        for (unsigned i = 0; i < p->nmen; i++)
            if (!(used >> i & 1) && is_slot_of(p, i, s) &&
                (best == BK_SLOTS_MAX || cell[i] < cell[best]))
                best = i;
        used |= 1u << best;
        slot[best] = s;
    }
    return true;
}

/* The block of men in these cells and slots, as bk_block_of_cells() has it. */
static int32_t find_block(const struct bk_view_plan *p, const uint8_t *cell, const unsigned *slot)
{
    uint8_t in_slot[BK_SLOTS_MAX];

    for (unsigned i = 0; i < p->nmen; i++)
        in_slot[slot[i]] = cell[i];
    return bk_block_of_cells(p->t->ix, in_slot);
}

/* Returns the number of the pair of a table's anchors: some of its men, on these squares, after a
   turn of the block. */
static size_t pair_of_anchors(const struct bk_view_plan *p, const uint8_t *by_block,
                              const uint8_t *sq, const unsigned *slot)
{
    const struct bk_index *ix = p->t->ix;
    unsigned on[2] = { 0, 0 };

    for (unsigned i = 0; i < p->nmen; i++)
        for (unsigned c = 0; c < 2; c++)
            if ((int)slot[i] == ix->anchor[c])
                on[c] = by_block[sq[i]];
    return (size_t)on[0] * ix->v->nsq + on[1];
}

/* Returns the slice in which the kings are in a block (found: of find_block()), -1: none; or the
   anchors, from the men's squares and slots.  map: set to the turn by which squares of the parent's
   board come there. */
static int32_t find_slice(const struct bk_view_plan *p, int32_t found,
                          const struct bk_placement *at, const uint8_t *sq, const unsigned *slot,
                          uint8_t *map)
{
    const struct bk_index *ix = p->t->ix;
    const struct bk_pairs *pairs = ix->block[found >> 3].pairs;
    const uint8_t *by_block = ix->map[found & 7], *by_kings;
    unsigned nsq = ix->v->nsq, wk = at->king[p->exchanged], bk = at->king[!p->exchanged];
    size_t pair;

    if (ix->anchored) {
        pair = pair_of_anchors(p, by_block, sq, slot);
    } else {
        if (p->exchanged) {
            wk = p->swap[wk];
            bk = p->swap[bk];
        }
        pair = (size_t)by_block[wk] * nsq + by_block[bk];
    }
    if (pairs->slice[pair] < 0)
        return -1;
    by_kings = ix->map[pairs->sym[pair]];
    if (p->exchanged)
        for (unsigned s = 0; s < nsq; s++)
            map[s] = by_kings[by_block[p->swap[s]]];
    else if (found & 7)
        for (unsigned s = 0; s < nsq; s++)
            map[s] = by_kings[by_block[s]];
    else
        memcpy(map, by_kings, nsq);
    return pairs->slice[pair];
}

/* Adds to *offset what a man on `sq` of the table adds.  False: the table does not hold it. */
static inline bool add_man(const struct bk_view_plan *p, const struct bk_memblock *mb,
                           unsigned slot, unsigned sq, uint64_t *offset)
{
    unsigned digit =
        bk_memblock_digit(mb, slot, mb->raw[slot] ? sq : p->t->ix->cells[slot]->place_of[sq]);

    *offset += mb->stride[slot] * digit;
    return digit != BK_SQ_NONE;
}

/*
 * Finds where the men of `at` stand in the table; free men stand on any square of their domain.
 * Returns false when the table has no such kings or cells.
 */
static bool locate(const struct bk_view_plan *p, const struct bk_placement *at, unsigned free_mask,
                   struct located *l)
{
    uint8_t cell[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];
    int32_t found, slice;

    squares_of(p, at, sq);
    if (!find_slots(p, sq, cell, l->slot))
        return false;
    found = find_block(p, cell, l->slot);
    slice = found < 0 ? -1 : find_slice(p, found, at, sq, l->slot, l->map);
    if (slice < 0)
        return false;
    for (unsigned i = 0; i < p->nmen; i++)
        sq[i] = l->map[at->sq[p->parent[i]]];
    if (!find_slots(p, sq, cell, l->slot)) /* a turn may exchange the cells of equal men */
        return false;
    l->stm = p->exchanged ? !p->stm : p->stm;
    l->block = &p->t->block[found >> 3];
    l->base = (uint64_t)slice * l->block->slice_stride;
    for (unsigned i = 0; i < p->nmen; i++)
        if (!(free_mask >> p->parent[i] & 1) && !add_man(p, l->block, l->slot[i], sq[i], &l->base))
            return false;
    return l->block->code[l->stm] != NULL;
}

/* Returns the first slot of the kind of the parent's `slot`. */
static unsigned slot_like(const struct bk_view_plan *p, unsigned slot)
{
    unsigned man = 0, s = 0;

    while (p->parent[man] != slot)
        man++;
    while (!is_slot_of(p, man, s))
        s++;
    return s;
}

/* Puts each free man on some square where it may stand, to find the block.  Returns their mask. */
static unsigned stand_somewhere(const struct bk_view_plan *p, const struct bk_free_man *men,
                                unsigned nfree, struct bk_placement *at)
{
    unsigned mask = 0;

    for (unsigned i = 0; i < nfree; i++) {
        const struct bk_cells *cells = p->t->ix->cells[slot_like(p, men[i].slot)];

        mask |= 1u << men[i].slot;
        at->sq[men[i].slot] = men[i].sq[0];
        for (unsigned j = 0; j < men[i].n; j++) {
            unsigned sq = p->exchanged ? p->swap[men[i].sq[j]] : men[i].sq[j];

            if (cells->cell_of[sq] != BK_SQ_NONE) {
                at->sq[men[i].slot] = men[i].sq[j];
                break;
            }
        }
    }
    return mask;
}

/* == Men that stand still == */

/* Finds where men stand.  Those of free_mask, of one cell each, stand on any square of it and add
   nothing.  False: the table has no such block, or does not hold it. */
static bool place_still(const struct bk_view_plan *p, const struct bk_placement *at,
                        unsigned free_mask, struct still *still)
{
    const struct bk_index *ix = p->t->ix;
    uint8_t sq[BK_SLOTS_MAX] = { 0 }, turned[BK_SLOTS_MAX] = { 0 }, cell[BK_SLOTS_MAX];
    unsigned slot[BK_SLOTS_MAX];
    int32_t found;

    squares_of(p, at, sq);
    if (!find_slots(p, sq, cell, slot))
        return false;
    found = find_block(p, cell, slot);
    if (found < 0)
        return false;
    still->b = &ix->block[found >> 3];
    still->mb = &p->t->block[found >> 3];
    still->turn_block = (unsigned)found & 7;
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        if (!(still->b->group >> sym & 1))
            continue;
        for (unsigned i = 0; i < p->nmen; i++)
            turned[i] = ix->map[sym][ix->map[still->turn_block][sq[i]]];
        if (!find_slots(p, turned, cell, slot))
            return false;
        still->offset[sym] = 0;
        for (unsigned i = 0; i < p->nmen; i++)
            if (!(free_mask >> p->parent[i] & 1) &&
                !add_man(p, still->mb, slot[i], turned[i], &still->offset[sym]))
                return false;
    }
    return true;
}

/* Returns the number of a pair of kings, in the table's own squares. */
static inline size_t pair_of(const struct bk_view_plan *p, const struct still *still, unsigned wk,
                             unsigned bk)
{
    const uint8_t *turn = p->t->ix->map[still->turn_block];

    if (p->exchanged) {
        unsigned swap = p->swap[wk];

        wk = p->swap[bk];
        bk = swap;
    }
    return (size_t)turn[wk] * p->t->ix->v->nsq + turn[bk];
}

/* == Places == */

/*
 * The places of a free man in a table: digit[j], times the stride, is what square j
 * adds; BK_SQ_NONE where it cannot stand.
 */
struct places {
    uint64_t stride;
    unsigned n;
    size_t skip; /* of the view, from square to square */
    uint8_t digit[BK_SQ_MAX];
};

/*
 * The last free man.  Where its squares follow each other in a table, every choice of squares for
 * the others gives a row of codes of the same shape, from another base on.
 */
struct row {
    struct places man;
    bool near;     /* they follow each other */
    bool in_order; /* and as they do on the parent's board */
    unsigned span; /* from place 0 to the last one */
};

/* Returns what a code is worth to the mover, who moved into it. */
static inline int16_t score_of(const struct bk_memtable *t, unsigned code)
{
    return t->code_bytes < 2 ? t->score8[code]
                             : bk_score_before(bk_code_score(code, 2, bk_memtable_metric(t)));
}

/* Returns the score at one place of the located block. */
static inline int16_t score_at(const struct bk_memtable *t, const struct located *l, uint64_t at)
{
    return score_of(t, bk_memblock_code(t, l->block, l->stm, at));
}

/* Adapts the digits of a man of which the table holds only some places. */
static void narrow_places(struct places *out, const struct bk_memblock *mb, unsigned slot)
{
    if (!mb->narrow_n || slot != mb->narrow_slot)
        return;
    for (unsigned j = 0; j < out->n; j++)
        if (out->digit[j] != BK_SQ_NONE)
            out->digit[j] = (uint8_t)bk_memblock_digit(mb, slot, out->digit[j]);
}

/* Sets `out` to the places of a free man, but for `skip`.  False: it would change block. */
static bool find_places(const struct bk_view_plan *p, const struct located *l,
                        const struct bk_free_man *man, struct places *out)
{
    const struct bk_cells *cells;
    unsigned i = 0, s, cell = BK_SQ_NONE;
    bool one_cell = true;

    while (p->parent[i] != man->slot)
        i++;
    s = l->slot[i];
    cells = p->t->ix->cells[s];
    out->stride = l->block->stride[s];
    out->n = man->n;
    if (cells->n == 1) { /* cell_of[] is 0 or BK_SQ_NONE, all bits of a byte: no branches */
        for (unsigned j = 0; j < man->n; j++) {
            unsigned sq = l->map[man->sq[j]];

            out->digit[j] =
                (uint8_t)(cells->cell_of[sq] | (l->block->raw[s] ? sq : cells->place_of[sq]));
        }
        narrow_places(out, l->block, s);
        return true;
    }
    for (unsigned j = 0; j < man->n; j++) {
        unsigned sq = l->map[man->sq[j]], c = cells->cell_of[sq];

        out->digit[j] = c == BK_SQ_NONE    ? BK_SQ_NONE
                        : l->block->raw[s] ? (uint8_t)sq
                                           : cells->place_of[sq];
        one_cell &= c == BK_SQ_NONE || cell == BK_SQ_NONE || c == cell;
        cell = c == BK_SQ_NONE ? cell : c;
    }
    narrow_places(out, l->block, s);
    return one_cell;
}

/* Sets the rest of a row whose man has its places. */
static void shape_row(struct row *r)
{
    uint8_t end = 0, differs = 0; /* bytes alone: the compiler does many at once */

    for (unsigned j = 0; j < r->man.n; j++) {
        uint8_t next = (uint8_t)(r->man.digit[j] + 1); /* of BK_SQ_NONE: 0 */

        end = next > end ? next : end;
        differs |= (uint8_t)(r->man.digit[j] ^ j);
    }
    r->near = r->man.stride == 1;
    r->span = end;
    r->in_order = !differs;
}

/* == Rows == */

/* The scores of the last man's squares, the others standing where `base` says. */
static void gather_row(const struct bk_memtable *t, const struct located *l, uint64_t base,
                       const struct row *r, int16_t *out)
{
    const void *code = l->block->code[l->stm];
    const uint8_t *place = r->in_order ? NULL : r->man.digit;

    if (r->near && t->code_bytes == 1) {
        t->row_scores((const uint8_t *)code + base, r->span, place, r->man.n, out);
    } else if (r->near && !t->code_bytes) {
        uint8_t codes[BK_SQ_MAX + 8];

        bk_codes_of_bits(code, l->block->draw[l->stm], base, r->span, codes);
        t->row_scores(codes, r->span, place, r->man.n, out);
    } else if (t->code_bytes == 1) {
        uint8_t codes[BK_SQ_MAX];

        for (unsigned j = 0; j < r->man.n; j++)
            codes[j] = r->man.digit[j] == BK_SQ_NONE
                           ? BK_CODE_ILLEGAL
                           : ((const uint8_t *)code)[base + r->man.stride * r->man.digit[j]];
        t->row_scores(codes, r->man.n, NULL, r->man.n, out);
    } else {
        for (unsigned j = 0; j < r->man.n; j++)
            out[j] = r->man.digit[j] == BK_SQ_NONE
                         ? BK_SCORE_NONE
                         : score_at(t, l, base + r->man.stride * r->man.digit[j]);
    }
}

/* A row of the view, the squares of which need not follow each other. */
static void put_row(const struct bk_memtable *t, const struct located *l, uint64_t base,
                    const struct row *r, int16_t *out)
{
    int16_t score[BK_SQ_MAX];

    if (r->man.skip == 1) {
        gather_row(t, l, base, r, out);
        return;
    }
    gather_row(t, l, base, r, score);
    for (unsigned j = 0; j < r->man.n; j++)
        out[j * r->man.skip] = score[j];
}

/* Sets the scores of n free men and the last one to BK_SCORE_NONE. */
static void put_none(const struct places *men, unsigned n, const struct row *row, int16_t *out)
{
    const struct places *man = n ? men : &row->man;

    for (unsigned j = 0; j < man->n; j++)
        if (n)
            put_none(men + 1, n - 1, row, out + j * man->skip);
        else
            out[j * man->skip] = BK_SCORE_NONE;
}

/* Fills the view of the free men but the last, n of them, and of the last one, `row`.
   base: the place where all of them have digit 0. */
static void gather(const struct bk_memtable *t, const struct located *l, uint64_t base,
                   const struct places *men, unsigned n, const struct row *row, int16_t *out)
{
    if (!n) {
        put_row(t, l, base, row, out);
        return;
    }
    for (unsigned j = 0; j < men->n; j++) {
        int16_t *there = out + j * men->skip;

        if (men->digit[j] != BK_SQ_NONE)
            gather(t, l, base + men->stride * men->digit[j], men + 1, n - 1, row, there);
        else
            put_none(men + 1, n - 1, row, there);
    }
}

/* == By rule == */

/* The only man left, on `sq`: can the bared king, to move, take it? */
static inline bool bares_back(const struct bk_view_plan *p, const struct bk_placement *at,
                              unsigned sq)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, mover = !p->stm;

    return bk_king_attacks(v, bared, at->king[bared], sq) &&
           bk_rules_may_stand(v, v->royal, bared, sq) &&
           !bk_king_attacks(v, mover, at->king[mover], sq);
}

/* The mover's score where a side is out of men: the one that has just moved counts first.  What the
   opponent has won takes him a turn to claim. */
static int16_t out_score(const struct bk_view_plan *p)
{
    const struct bk_index *ix = p->t->ix;
    unsigned mover = p->exchanged ? p->stm : !p->stm; /* in the table's colours */
    int worth = bk_rules_out_wdl(ix->v);

    if (!bk_rules_out(ix->v, ix->m.count[mover]))
        worth = -worth;
    return worth > 0 ? BK_SCORE_WIN - 1 : -BK_SCORE_WIN + 2;
}

/*
 * The mover has just bared the opponent (or both are bare).  A win, unless
 * the only man left can be taken by a king that may go there.
 */
static int16_t rule_score(const struct bk_view_plan *p, const struct bk_placement *at)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, mover = !p->stm;

    if (!bk_rules_royal(v))
        return out_score(p);
    if (bk_king_attacks(v, bared, at->king[bared], at->king[mover]))
        return BK_SCORE_NONE;
    if (p->nmen == 0)
        return 0;
    if (p->nmen > 1 || !bk_rules_bares_back(v) || !bares_back(p, at, at->sq[p->parent[0]]))
        return BK_SCORE_WIN - 1;
    return 0;
}

/* Sets `out` to rule_score() of the only man left on each of its squares, where baring back saves:
   only next to the bared king does it matter where it is. */
static void rule_scores(const struct bk_view_plan *p, const struct bk_placement *at,
                        const struct bk_free_man *man, int16_t *out)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, n;
    const struct bk_reach *r = bk_reach_from(v, v->royal, bared, at->king[bared], &n);
    bool meet = bk_king_attacks(v, bared, at->king[bared], at->king[!bared]);
    int16_t by_square[BK_SQ_MAX];

    for (unsigned sq = 0; sq < v->nsq; sq++)
        by_square[sq] = meet ? BK_SCORE_NONE : BK_SCORE_WIN - 1;
    for (unsigned i = 0; i < n && !meet; i++)
        if (bares_back(p, at, r[i].to))
            by_square[r[i].to] = 0;
    for (unsigned j = 0; j < man->n; j++)
        out[j] = by_square[man->sq[j]];
}

/*
 * Is the score the same wherever the men stand?  With two men left, or where
 * baring back does not save, only the kings count: rule_score().
 */
static bool same_everywhere(const struct bk_view_plan *p)
{
    return p->t->by_rule && (p->nmen != 1 || !bk_rules_bares_back(p->t->ix->v));
}

/* == Filling == */

/* One position at a time: for rules and for men that cross cells. */
static void fill_slowly(const struct bk_view_plan *p, struct bk_placement *at,
                        const struct bk_free_man *men, unsigned nfree, int16_t **out)
{
    struct located l;

    if (nfree) {
        for (unsigned j = 0; j < men->n; j++) {
            at->sq[men->slot] = men->sq[j];
            fill_slowly(p, at, men + 1, nfree - 1, out);
        }
    } else if (p->t->by_rule) {
        *(*out)++ = rule_score(p, at);
    } else if (!locate(p, at, 0, &l)) {
        *(*out)++ = BK_SCORE_NONE;
    } else {
        *(*out)++ = score_at(p->t, &l, l.base);
    }
}

/* Positions of so many free men. */
static size_t places_of(const struct bk_free_man *men, unsigned nfree)
{
    size_t n = 1;

    for (unsigned i = 0; i < nfree; i++)
        n *= men[i].n;
    return n;
}

static void fill_with(int16_t score, size_t n, int16_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = score;
}

/* May a free man be in another cell? */
static bool any_of_several_cells(const struct bk_view_plan *p, const struct bk_free_man *men,
                                 unsigned nfree)
{
    for (unsigned i = 0; i < nfree; i++)
        if (p->t->ix->cells[slot_like(p, men[i].slot)]->n > 1)
            return true;
    return false;
}

/* Fills a view from one block, row by row.  False: a free man would leave it. */
static bool fill_from_block(const struct bk_view_plan *p, const struct located *l,
                            const struct bk_free_man *men, unsigned nfree, int16_t *out)
{
    struct places other[BK_SLOTS_MAX];                  /* free men but the last */
    struct row last = { .man = { .n = 1, .skip = 1 } }; /* or a single place */
    size_t skip = 1;

    for (unsigned i = nfree; i-- > 0; skip *= men[i].n) {
        struct places *man = i + 1 < nfree ? &other[i] : &last.man;

        if (!find_places(p, l, &men[i], man))
            return false;
        man->skip = skip;
    }
    shape_row(&last);
    gather(p->t, l, l->base, other, nfree ? nfree - 1 : 0, &last, out);
    return true;
}

/* Returns the free men, as bits, who are the table's anchors: their squares make its slice. */
static unsigned free_anchors(const struct bk_view_plan *p, const struct bk_free_man *men,
                             unsigned nfree)
{
    const struct bk_index *ix = p->t->ix;
    unsigned mask = 0;

    for (unsigned c = 0; ix->anchored && c < 2; c++)
        for (unsigned i = 0; ix->anchor[c] >= 0 && i < p->nmen; i++) {
            if (!is_slot_of(p, i, (unsigned)ix->anchor[c]))
                continue;
            for (unsigned j = 0; j < nfree; j++)
                if (men[j].slot == p->parent[i])
                    mask |= 1u << j;
            break; /* find_slots() gives the slot to the first such man */
        }
    return mask;
}

/* A view in which some of the free men, `pinned`, stand still in turn. */
struct pinned_view {
    const struct bk_view_plan *p;
    const struct bk_free_man *men;
    unsigned nfree, pinned;
    size_t skip[BK_SLOTS_MAX]; /* by free man: from square to square */
};

/* Fills the view for the others, where `at` has the pinned ones. */
static void fill_others(const struct pinned_view *x, struct bk_placement *at, int16_t *out)
{
    struct places other[BK_SLOTS_MAX];
    struct row last = { .man = { .n = 1, .skip = 1 } };
    struct located l;
    unsigned n = 0, left = 0, mask = 0;
    bool there;

    for (unsigned i = 0; i < x->nfree; i++)
        if (!(x->pinned >> i & 1)) {
            left++;
            mask |= 1u << x->men[i].slot;
        }
    there = locate(x->p, at, mask, &l);
    for (unsigned i = 0; i < x->nfree; i++) {
        struct places *man;

        if (x->pinned >> i & 1)
            continue;
        man = n + 1 < left ? &other[n] : &last.man;
        n++;
        if (there)
            find_places(x->p, &l, &x->men[i], man);
        else
            man->n = x->men[i].n;
        man->skip = x->skip[i];
    }
    if (!there) {
        put_none(other, left ? left - 1 : 0, &last, out);
        return;
    }
    shape_row(&last);
    gather(x->p->t, &l, l.base, other, left ? left - 1 : 0, &last, out);
}

/* Fills a view, the men before the `nth` standing where `at` has them. */
static void fill_pinned(const struct pinned_view *x, struct bk_placement *at, unsigned nth,
                        int16_t *out)
{
    while (nth < x->nfree && !(x->pinned >> nth & 1))
        nth++;
    if (nth == x->nfree) {
        fill_others(x, at, out);
        return;
    }
    for (unsigned j = 0; j < x->men[nth].n; j++) {
        at->sq[x->men[nth].slot] = x->men[nth].sq[j];
        fill_pinned(x, at, nth + 1, out + j * x->skip[nth]);
    }
}

/* Fills a view in which anchors are free: of one cell are all other free men. */
static void fill_around_anchors(const struct bk_view_plan *p, struct bk_placement *at,
                                const struct bk_free_man *men, unsigned nfree, unsigned pinned,
                                int16_t *out)
{
    struct pinned_view x = { .p = p, .men = men, .nfree = nfree, .pinned = pinned };
    size_t step = 1;

    for (unsigned i = nfree; i-- > 0; step *= men[i].n)
        x.skip[i] = step;
    fill_pinned(&x, at, 0, out);
}

void bk_view_fill(const struct bk_view_plan *p, const struct bk_placement *where,
                  const struct bk_free_man *men, unsigned nfree, int16_t *out)
{
    struct bk_placement at = *where;
    struct located l;

    if (same_everywhere(p)) {
        fill_with(rule_score(p, &at), places_of(men, nfree), out);
        return;
    }
    if (p->t->by_rule && nfree == 1) {
        rule_scores(p, &at, men, out);
        return;
    }
    if (!p->t->by_rule) {
        unsigned free_mask = stand_somewhere(p, men, nfree, &at);
        unsigned pinned = free_anchors(p, men, nfree);

        if (pinned) {
            if (!any_of_several_cells(p, men, nfree)) {
                fill_around_anchors(p, &at, men, nfree, pinned, out);
                return;
            }
        } else if (locate(p, &at, free_mask, &l)) {
            if (fill_from_block(p, &l, men, nfree, out))
                return;
        } else if (!any_of_several_cells(p, men, nfree)) {
            fill_with(BK_SCORE_NONE, places_of(men, nfree), out);
            return;
        }
    }
    fill_slowly(p, &at, men, nfree, &out);
}

/* == Kings == */

/* A plane of king pairs in a table that has codes: what a black square adds to the number of a
 * pair. */
struct plane {
    const struct bk_pairs *pairs;
    const uint8_t *code; /* of one byte: of the men in slice 0 */
    uint64_t stride;     /* from slice to slice */
    unsigned n;
    int32_t by_bk[BK_SQ_MAX]; /* of n black squares, less that of the first */
    const uint8_t *bk;
};

/* Fills the row of one white square, whose pair with the first black one is `by_wk`; codes of one
   byte, no symmetry of the kings: then there is no branch. */
static void view_king_row(const struct plane *p, unsigned by_wk, const int16_t *score, int16_t *out)
{
    const int32_t *slices = p->pairs->slice + by_wk;
    const uint8_t *code = p->code;
    uint64_t stride = p->stride;

    for (unsigned j = 0; j < p->n; j++) {
        int32_t slice = slices[p->by_bk[j]], none = slice >> 31; /* all ones where there is none */
        int16_t there = score[code[(uint64_t)(slice & ~none) * stride]];

        out[p->bk[j]] = (int16_t)((there & ~none) | (BK_SCORE_NONE & none));
    }
}

/* Fills the row of one white square for any codes and symmetries. */
static void view_king_row_slowly(const struct bk_view_plan *p, const struct plane *plane,
                                 const struct still *still, unsigned by_wk, int16_t *out)
{
    unsigned stm = p->exchanged ? !p->stm : p->stm;

    for (unsigned j = 0; j < plane->n; j++) {
        size_t pair = by_wk + (size_t)plane->by_bk[j];
        int32_t slice = plane->pairs->slice[pair];
        uint64_t at =
            (uint64_t)slice * still->mb->slice_stride + still->offset[plane->pairs->sym[pair]];

        out[plane->bk[j]] =
            slice < 0 ? BK_SCORE_NONE : score_of(p->t, bk_memblock_code(p->t, still->mb, stm, at));
    }
}

/* bk_view_kings() in a table by rule. */
static void rule_kings(const struct bk_view_plan *p, const struct bk_placement *where,
                       const struct bk_king_squares kings[2], int16_t *out)
{
    struct bk_placement at = *where;
    unsigned nsq = p->t->ix->v->nsq;

    for (unsigned i = 0; i < kings[0].n; i++)
        for (unsigned j = 0; j < kings[1].n; j++) {
            at.king[0] = kings[0].sq[i];
            at.king[1] = kings[1].sq[j];
            out[at.king[0] * nsq + at.king[1]] =
                at.king[0] == at.king[1] ? BK_SCORE_NONE : rule_score(p, &at);
        }
}

/* Sets the scores of all pairs of kings to BK_SCORE_NONE. */
static void no_kings(const struct bk_view_plan *p, const struct bk_king_squares kings[2],
                     int16_t *out)
{
    for (unsigned i = 0; i < kings[0].n; i++)
        for (unsigned j = 0; j < kings[1].n; j++)
            out[kings[0].sq[i] * p->t->ix->v->nsq + kings[1].sq[j]] = BK_SCORE_NONE;
}

void bk_view_kings(const struct bk_view_plan *p, const struct bk_placement *where,
                   const struct bk_king_squares kings[2], int16_t *out)
{
    const struct bk_memtable *t = p->t;
    unsigned nsq = t->ix->v->nsq, stm = p->exchanged ? !p->stm : p->stm;
    struct plane plane = { .bk = kings[1].sq, .n = kings[1].n };
    struct still still = { .b = NULL };

    if (t->by_rule) {
        rule_kings(p, where, kings, out);
        return;
    }
    if (!place_still(p, where, 0, &still) || !still.mb->code[stm]) {
        no_kings(p, kings, out);
        return;
    }
    plane.pairs = still.b->pairs;
    plane.stride = still.mb->slice_stride;
    plane.code = (const uint8_t *)still.mb->code[stm] + still.offset[0];
    for (unsigned j = 0; j < kings[1].n; j++)
        plane.by_bk[j] = (int32_t)pair_of(p, &still, kings[0].sq[0], kings[1].sq[j]) -
                         (int32_t)pair_of(p, &still, kings[0].sq[0], kings[1].sq[0]);
    for (unsigned i = 0; i < kings[0].n; i++) {
        unsigned by_wk = (unsigned)pair_of(p, &still, kings[0].sq[i], kings[1].sq[0]);
        int16_t *row = out + kings[0].sq[i] * nsq;

        if (t->code_bytes == 1 && plane.pairs->group == 1)
            view_king_row(&plane, by_wk, t->score8, row);
        else
            view_king_row_slowly(p, &plane, &still, by_wk, row);
    }
}

/* == Views that share where men stand == */

/*
 * Views of a group of blocks range over men of several cells.  Each choice of their squares may
 * lead to another block of the table: a *placing* is that block, and the men's offset in it after
 * each symmetry that the kings may ask for.  It is the same in every view of a kind, so it is kept.
 *
 * Men of one cell never change the block.  After a turn of the block and one of the kings they have
 * the same places in every view: *turned men*.
 *
 * So a view is: for each choice the placing, by the kings the slice and the turn, and then the rows
 * of the turned men from there on.
 *
 * Threads: a thread that does not find a placing makes it; the first one published is kept, others
 * are freed.
 */

/* Where a choice of squares for the men of several cells leads to, with all that is read of it in
   one piece of memory. */
struct placing {
    const struct bk_pairs *pairs; /* NULL: the table has no such block */
    const struct bk_memblock *mb;
    const uint8_t *code; /* of the side to move */
    uint64_t slice_stride;
    uint64_t offset[BK_SYMMETRIES]; /* by the symmetry that the kings ask for */
    unsigned turn_block;
};

/* The other free men after a turn of the block and one of the kings. */
struct turned_men {
    struct places man[BK_SLOTS_MAX]; /* in the order of the view, but for the last: */
    struct row last;
    unsigned n;                  /* of man[] */
    unsigned slot[BK_SLOTS_MAX]; /* of them and the last */
    bool any;                    /* there is a last man; else `last` is a single place */
};

struct bk_view_cache {
    /* By the square of the man that moves: placings of all choices of squares, the last man's
       fastest. */
    _Atomic(struct placing *) placing[BK_SQ_MAX];
    _Atomic(struct turned_men *) turned[BK_SYMMETRIES][BK_SYMMETRIES]; /* block's, kings' */
};

struct bk_view_cache *bk_view_cache_new(void) { return calloc(1, sizeof(struct bk_view_cache)); }

void bk_view_cache_free(struct bk_view_cache *c)
{
    if (!c)
        return;
    for (unsigned sq = 0; sq < BK_SQ_MAX; sq++)
        free(atomic_load(&c->placing[sq]));
    for (unsigned i = 0; i < BK_SYMMETRIES * BK_SYMMETRIES; i++)
        free(atomic_load(&c->turned[i / BK_SYMMETRIES][i % BK_SYMMETRIES]));
    free(c);
}

/* A view being filled. */
struct filling {
    struct bk_view_cache *c;
    const struct bk_view_plan *p;
    struct bk_placement at;
    const struct bk_free_man *men;
    size_t skip[BK_SLOTS_MAX];            /* of the view, by free man */
    unsigned still[BK_SLOTS_MAX], nstill; /* free men of several cells */
    unsigned other[BK_SLOTS_MAX], nother; /* of one */
    unsigned free_mask;                   /* slots of those */
    size_t pair[BK_SYMMETRIES];           /* of the kings, by turn of the block */
    unsigned stm;                         /* side to move in the table */
};

/* Returns the placing of the men of several cells, who stand where f->at says. */
static struct placing placing_of(const struct filling *f)
{
    struct still men = { .b = NULL };
    struct placing at = { .pairs = NULL };

    if (!place_still(f->p, &f->at, f->free_mask, &men) || !men.mb->code[f->stm])
        return at;
    at.pairs = men.b->pairs;
    at.mb = men.mb;
    at.code = men.mb->code[f->stm];
    at.slice_stride = men.mb->slice_stride;
    at.turn_block = men.turn_block;
    memcpy(at.offset, men.offset, sizeof at.offset);
    return at;
}

/* Writes the placings of all choices for these men from the ith on.  Returns the end. */
static struct placing *place_choices(struct filling *f, unsigned i, struct placing *at)
{
    const struct bk_free_man *man = &f->men[f->still[i]];

    if (i == f->nstill) {
        *at = placing_of(f);
        return at + 1;
    }
    for (unsigned j = 0; j < man->n; j++) {
        f->at.sq[man->slot] = man->sq[j];
        at = place_choices(f, i + 1, at);
    }
    return at;
}

static struct placing *placings_new(const struct filling *f)
{
    struct filling each = *f;
    struct placing *made;
    size_t n = 1;

    for (unsigned i = 0; i < f->nstill; i++)
        n *= f->men[f->still[i]].n;
    made = malloc(n * sizeof *made);
    if (made)
        place_choices(&each, 0, made);
    return made;
}

static struct turned_men *turned_new(const struct filling *f, const struct placing *at,
                                     unsigned sym)
{
    const struct bk_view_plan *p = f->p;
    const struct bk_index *ix = p->t->ix;
    const uint8_t *by_block = ix->map[at->turn_block], *by_kings = ix->map[sym];
    struct turned_men *made = calloc(1, sizeof *made);
    struct located l = { .block = at->mb };
    uint8_t cell[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];

    if (!made)
        return NULL;
    squares_of(p, &f->at, sq);
    find_slots(p, sq, cell, l.slot); /* of men of one cell the same after any turn */
    for (unsigned s = 0; s < ix->v->nsq; s++)
        l.map[s] = by_kings[by_block[p->exchanged ? p->swap[s] : s]];
    made->last.man = (struct places){ .n = 1, .skip = 1 };
    for (unsigned i = 0; i < f->nother; i++) {
        struct places *man = i + 1 < f->nother ? &made->man[i] : &made->last.man;

        find_places(p, &l, &f->men[f->other[i]], man);
        man->skip = f->skip[f->other[i]];
        for (unsigned j = 0; j < p->nmen; j++)
            if (p->parent[j] == f->men[f->other[i]].slot)
                made->slot[i] = l.slot[j];
    }
    made->n = f->nother ? f->nother - 1 : 0;
    made->any = f->nother;
    shape_row(&made->last);
    return made;
}

static const struct placing *find_placings(const struct filling *f, unsigned moved)
{
    _Atomic(struct placing *) *kept = &f->c->placing[moved];
    struct placing *found = atomic_load_explicit(kept, memory_order_acquire), *mine;

    if (found)
        return found;
    mine = placings_new(f);
    if (mine && !atomic_compare_exchange_strong(kept, &found, mine)) {
        free(mine); /* another thread was first */
        mine = found;
    }
    return mine;
}

static struct turned_men *find_turned(const struct filling *f, const struct placing *at,
                                      unsigned sym)
{
    _Atomic(struct turned_men *) *kept = &f->c->turned[at->turn_block][sym];
    struct turned_men *found = atomic_load_explicit(kept, memory_order_acquire), *mine;

    if (found)
        return found;
    mine = turned_new(f, at, sym);
    if (mine && !atomic_compare_exchange_strong(kept, &found, mine)) {
        free(mine);
        mine = found;
    }
    return mine;
}

/* Sets the men's strides to those of a block: with a sitting pawn they are larger. */
static void set_strides(struct turned_men *men, const struct bk_memblock *mb)
{
    for (unsigned i = 0; i < men->n; i++)
        men->man[i].stride = mb->stride[men->slot[i]];
    if (men->any) {
        men->last.man.stride = mb->stride[men->slot[men->n]];
        men->last.near = men->last.man.stride == 1;
    }
}

static bool has_strides(const struct turned_men *men, const struct bk_memblock *mb)
{
    for (unsigned i = 0; i < men->n; i++)
        if (men->man[i].stride != mb->stride[men->slot[i]])
            return false;
    return !men->any || men->last.man.stride == mb->stride[men->slot[men->n]];
}

/* Sets the scores of the men of one cell, from the ith on, to BK_SCORE_NONE. */
static void no_others(const struct filling *f, unsigned i, int16_t *out)
{
    const struct bk_free_man *man = &f->men[f->other[i]];

    if (i == f->nother) {
        *out = BK_SCORE_NONE;
        return;
    }
    for (unsigned j = 0; j < man->n; j++)
        no_others(f, i + 1, out + j * f->skip[f->other[i]]);
}

/* Fills the view of one choice.  False: no memory. */
static bool fill_choice(const struct filling *f, const struct placing *at, int16_t *out)
{
    int32_t slice = at->pairs ? at->pairs->slice[f->pair[at->turn_block]] : -1;
    struct located l = { .block = at->mb, .stm = f->stm };
    const struct turned_men *men;
    struct turned_men other;
    unsigned sym;

    if (slice < 0) {
        no_others(f, 0, out);
        return true;
    }
    sym = at->pairs->sym[f->pair[at->turn_block]];
    men = find_turned(f, at, sym);
    if (!men)
        return false;
    if (!has_strides(men, at->mb)) {
        other = *men;
        set_strides(&other, at->mb);
        men = &other;
    }
    l.base = (uint64_t)slice * at->slice_stride + at->offset[sym];
    gather(f->p->t, &l, l.base, men->man, men->n, &men->last, out);
    return true;
}

/* Fills the view of all choices of the last man of several cells, where no other is free and codes
   have one byte: the positions of a king that takes the inner man, each in another block. */
static void fill_single_places(const struct filling *f, const struct placing *at, unsigned n,
                               size_t skip, int16_t *out)
{
    const int16_t *score = f->p->t->score8;

    for (unsigned j = 0; j < n; j++, at++, out += skip) {
        size_t pair = f->pair[at->turn_block];
        int32_t slice = at->pairs ? at->pairs->slice[pair] : -1;

        *out = BK_SCORE_NONE;
        if (slice >= 0)
            *out = score[at->code[(uint64_t)slice * at->slice_stride +
                                  at->offset[at->pairs->sym[pair]]]];
    }
}

/* Fills the view of all choices for the men of several cells from the ith on, and moves *at on.
   False: no memory. */
static bool fill_choices(const struct filling *f, unsigned i, const struct placing **at,
                         int16_t *out)
{
    const struct bk_free_man *man = &f->men[f->still[i]];
    size_t skip = f->skip[f->still[i]];
    bool ok = true;

    if (i == f->nstill)
        return fill_choice(f, (*at)++, out);
    if (i + 1 == f->nstill && !f->nother && f->p->t->code_bytes == 1) {
        fill_single_places(f, *at, man->n, skip, out);
        *at += man->n;
        return true;
    }
    for (unsigned j = 0; ok && j < man->n; j++)
        ok = fill_choices(f, i + 1, at, out + j * skip);
    return ok;
}

/* Sets f->pair to the kings' pair in the table's own squares, by turn of the block. */
static void find_pairs(struct filling *f)
{
    const struct bk_index *ix = f->p->t->ix;
    unsigned wk = f->at.king[0], bk = f->at.king[1];

    if (f->p->exchanged) {
        wk = f->p->swap[f->at.king[1]];
        bk = f->p->swap[f->at.king[0]];
    }
    for (unsigned turn = 0; turn < BK_SYMMETRIES; turn++)
        if ((ix->group | 1) >> turn & 1)
            f->pair[turn] = (size_t)ix->map[turn][wk] * ix->v->nsq + ix->map[turn][bk];
}

void bk_view_fill_kept(struct bk_view_cache *c, const struct bk_view_plan *p,
                       const struct bk_placement *at, unsigned moved, const struct bk_free_man *men,
                       unsigned nfree, int16_t *out)
{
    struct filling f = { .c = c, .p = p, .at = *at, .men = men };
    const struct placing *placing;
    size_t skip = 1;

    if (p->t->by_rule) {
        bk_view_fill(p, at, men, nfree, out);
        return;
    }
    stand_somewhere(p, men, nfree, &f.at);
    for (unsigned i = nfree; i-- > 0; skip *= men[i].n)
        f.skip[i] = skip;
    for (unsigned i = 0; i < nfree; i++) {
        if (p->t->ix->cells[slot_like(p, men[i].slot)]->n > 1) {
            f.still[f.nstill++] = i;
        } else {
            f.other[f.nother++] = i;
            f.free_mask |= 1u << men[i].slot;
        }
    }
    f.stm = p->exchanged ? !p->stm : p->stm;
    find_pairs(&f);
    placing = find_placings(&f, moved);
    if (!placing || !fill_choices(&f, 0, &placing, out))
        bk_view_fill(p, at, men, nfree, out); /* no memory for it: the slow way */
}
