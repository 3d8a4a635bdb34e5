/*
 * memtable.c - views of tables in memory.  See memtable.h.
 */
#include "tb/memory/memtable.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/rules.h"

int16_t bk_code_score(unsigned code, unsigned code_bytes)
{
    unsigned loss = code_bytes < 2 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    if (code == BK_CODE_ILLEGAL)
        return BK_SCORE_NONE;
    if (code == BK_CODE_DRAW)
        return 0;
    if (code < loss)
        return (int16_t)(BK_SCORE_WIN - (int)(2 * (code - BK_CODE_WIN) + 1));
    return (int16_t)(-BK_SCORE_WIN + (int)(2 * (code - loss)));
}

/* The codes of the bits code + 2 * draw. */
static const uint8_t code_of_bits[4] = { BK_CODE_LOSS8, BK_CODE_WIN, BK_CODE_DRAW,
                                         BK_CODE_ILLEGAL };

/* What a position is worth to the side that moved into it, one ply earlier. */
static int16_t for_the_mover(int16_t score)
{
    if (score == BK_SCORE_NONE)
        return BK_SCORE_NONE;
    return (int16_t)(score < 0 ? -score - 1 : score > 0 ? -score + 1 : 0);
}

enum bk_err bk_memtable_new(struct bk_memtable **out, const struct bk_variant *v,
                            const struct bk_material *m, struct bk_report *why)
{
    struct bk_memtable *t = calloc(1, sizeof *t);
    enum bk_err err;

    if (!t)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    err = bk_index_new(&t->ix, v, m, NULL, why);
    if (err) {
        free(t);
        return err;
    }
    t->by_rule = bk_material_by_rule(m, v);
    t->code_bytes = 1;
    t->block = calloc(t->ix->nblocks, sizeof *t->block);
    if (!t->block) {
        bk_memtable_free(t);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    for (unsigned code = 0; code < 256; code++)
        t->score8[code] = for_the_mover(bk_code_score(code, 1));
    t->row_scores = bk_row_scores_for();
    *out = t;
    return BK_OK;
}

void bk_memtable_free(struct bk_memtable *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; t->block && i < t->ix->nblocks; i++)
        bk_memblock_free(&t->block[i]);
    free(t->block);
    bk_index_free(t->ix);
    free(t);
}

/* == Blocks == */

size_t bk_memblock_array_bytes(uint64_t places, unsigned code_bytes)
{
    return code_bytes ? (size_t)places * code_bytes : ((size_t)places + 63) / 64 * 8;
}

uint64_t bk_memblock_bytes(uint64_t places, unsigned code_bytes)
{
    return (code_bytes ? 2 : 4) * (uint64_t)bk_memblock_array_bytes(places, code_bytes);
}

bool bk_memblock_alloc(struct bk_memblock *mb, struct bk_spill *st, uint64_t places,
                       unsigned code_bytes)
{
    size_t bytes = bk_memblock_array_bytes(places, code_bytes);
    bool ok = true;

    for (unsigned side = 0; side < 2; side++) {
        ok = ok && (mb->code[side] = bk_spill_new(st, bytes));
        if (!code_bytes)
            ok = ok && (mb->draw[side] = bk_spill_new(st, bytes));
    }
    return ok;
}

void bk_memblock_free_side(struct bk_memblock *mb, unsigned side)
{
    bk_spill_free(mb->code[side]);
    bk_spill_free(mb->draw[side]);
    mb->code[side] = mb->draw[side] = NULL;
}

void bk_memblock_free_attained(struct bk_memblock *mb)
{
    for (unsigned told = 0; told < 2; told++)
        for (unsigned side = 0; side < 2; side++) {
            bk_spill_free(mb->attained[told][side]);
            mb->attained[told][side] = NULL;
        }
}

void bk_memblock_free(struct bk_memblock *mb)
{
    bk_memblock_free_attained(mb);
    for (unsigned side = 0; side < 2; side++)
        bk_memblock_free_side(mb, side);
}

/* The code of a place, as one byte would hold it where there are bitmaps. */
static unsigned code_at(const struct bk_memtable *t, const struct bk_memblock *mb, unsigned stm,
                        uint64_t at)
{
    if (t->code_bytes == 0)
        return code_of_bits[bk_two_bits(mb, stm, at)];
    return t->code_bytes == 1 ? ((const uint8_t *)mb->code[stm])[at]
                              : ((const uint16_t *)mb->code[stm])[at];
}

/* == Plans == */

void bk_view_plan(struct bk_view_plan *p, const struct bk_memtable *t,
                  const struct bk_index *parent, unsigned mover, bool exchanged, int taken,
                  int also, int changed, unsigned to)
{
    unsigned rights = t->ix->m.rights;
    int swap;

    if (exchanged) /* in the parent's colours */
        rights = bk_material_exchanged(&t->ix->m).rights;
    memset(p, 0, sizeof *p);
    p->t = t;
    p->stm = !mover;
    p->exchanged = exchanged;
    for (unsigned s = 0; s < parent->nslots; s++) {
        if ((int)s == taken || (int)s == also)
            continue;
        p->parent[p->nmen] = (uint8_t)s;
        p->type[p->nmen] = (uint8_t)((int)s == changed ? to : parent->type[s]);
        p->colour[p->nmen] = parent->colour[s];
        p->right[p->nmen] = -1;
        if (parent->right[s] >= 0 && rights >> parent->right[s] & 1)
            p->right[p->nmen] = (int8_t)(exchanged ? parent->right[s] ^ 2 : parent->right[s]);
        p->nmen++;
    }
    swap = bk_material_swap(&t->ix->m, parent->v);
    bk_symmetry_map(parent->v, swap > 0 ? (unsigned)swap : 0, p->swap);
    if (p->exchanged)
        for (unsigned i = 0; i < p->nmen; i++)
            p->colour[i] = !p->colour[i];
}

/* == By rule == */

static bool king_reaches(const struct bk_variant *v, unsigned colour, unsigned from, unsigned to)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, v->royal, colour, from, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].to == to && r[i].how & BK_TAKES)
            return true;
    return false;
}

/*
 * The mover has just bared the opponent (or both are bare).  A win, unless
 * the only man left can be taken by a king that may go there.
 */
static int16_t rule_score(const struct bk_view_plan *p, const struct bk_placement *at)
{
    const struct bk_variant *v = p->t->ix->v;
    unsigned bared = p->stm, mover = !p->stm;

    if (king_reaches(v, bared, at->king[bared], at->king[mover]))
        return BK_SCORE_NONE;
    if (p->nmen == 0)
        return 0;
    if (p->nmen > 1 || !bk_rules_bares_back(v) ||
        !bk_rules_may_stand(v, v->royal, bared, at->sq[p->parent[0]]) ||
        !king_reaches(v, bared, at->king[bared], at->sq[p->parent[0]]) ||
        king_reaches(v, mover, at->king[mover], at->sq[p->parent[0]]))
        return BK_SCORE_WIN - 1;
    return 0;
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

/* Is this the slot of a man such as the plan's `i`th? */
static inline bool is_slot_of(const struct bk_view_plan *p, unsigned i, unsigned s)
{
    const struct bk_index *ix = p->t->ix;

    return ix->type[s] == p->type[i] && ix->colour[s] == p->colour[i] &&
           ix->right[s] == p->right[i];
}

/* Where the men of a plan stand in the table, and by which turn of the board. */
struct located {
    const struct bk_memblock *block;
    uint64_t base;               /* slice and fixed men */
    unsigned slot[BK_SLOTS_MAX]; /* by man */
    uint8_t map[BK_SQ_MAX];      /* parent's squares to the table's */
    unsigned stm;
};

static void sort_slots(const struct bk_view_plan *p, const uint8_t *cell, unsigned *slot)
{
    const struct bk_index *ix = p->t->ix;
    unsigned used = 0;

    /* men of each slot's kind, in order of their cells */
    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned best = BK_SLOTS_MAX;

        for (unsigned i = 0; i < p->nmen; i++)
            if (!(used >> i & 1) && is_slot_of(p, i, s) &&
                (best == BK_SLOTS_MAX || cell[i] < cell[best]))
                best = i;
        used |= 1u << best;
        slot[best] = s;
    }
}

/*
 * `at` has every man somewhere; free men stand on any square of their domain.
 * Returns false when the table has no such kings or cells.
 */
static bool locate(const struct bk_view_plan *p, const struct bk_placement *at, unsigned free_mask,
                   struct located *l)
{
    const struct bk_index *ix = p->t->ix;
    unsigned nsq = ix->v->nsq;
    unsigned wk = at->king[p->exchanged], bk = at->king[!p->exchanged];
    uint8_t cell[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];
    size_t key = 0, pair = 0;
    int32_t found = -1;
    unsigned turn_block = 0;
    const struct bk_block *b = NULL;
    const uint8_t *turn = NULL; /* of the whole board, after an exchange of colours */
    uint8_t both[BK_SQ_MAX];

    if (p->exchanged) {
        wk = p->swap[wk];
        bk = p->swap[bk];
    }
    for (unsigned i = 0; i < p->nmen; i++) {
        sq[i] = at->sq[p->parent[i]];
        if (p->exchanged)
            sq[i] = p->swap[sq[i]];
    }
    for (unsigned pass = 0;; pass++) {
        uint8_t in_slot[BK_SLOTS_MAX];

        for (unsigned i = 0; i < p->nmen; i++) {
            unsigned s = 0;

            while (!is_slot_of(p, i, s))
                s++;
            cell[i] = ix->cells[s]->cell_of[sq[i]];
            if (cell[i] == BK_SQ_NONE)
                return false;
        }
        sort_slots(p, cell, l->slot);
        if (pass == 1)
            break;
        for (unsigned i = 0; i < p->nmen; i++)
            in_slot[l->slot[i]] = cell[i];
        for (unsigned s = 0; s < ix->nslots; s++)
            key = key * ix->cells[s]->n + in_slot[s];
        found = ix->block_of[key];
        if (found < 0)
            return false;
        b = &ix->block[found >> 3];
        turn_block = (unsigned)found & 7;
        if (turn_block) {
            wk = ix->map[turn_block][wk];
            bk = ix->map[turn_block][bk];
        }
        pair = (size_t)wk * nsq + bk;
        if (b->pairs->slice[pair] < 0)
            return false;
        turn = ix->map[b->pairs->sym[pair]];
        if (turn_block) { /* one after the other */
            for (unsigned s = 0; s < nsq; s++)
                both[s] = turn[ix->map[turn_block][s]];
            turn = both;
        }
        for (unsigned i = 0; i < p->nmen; i++)
            sq[i] = turn[sq[i]];
    }
    if (p->exchanged)
        for (unsigned s = 0; s < nsq; s++)
            l->map[s] = turn[p->swap[s]];
    else
        memcpy(l->map, turn, nsq);
    l->stm = p->exchanged ? !p->stm : p->stm;
    l->block = &p->t->block[found >> 3];
    l->base = (uint64_t)b->pairs->slice[pair] * l->block->slice_stride;
    for (unsigned i = 0; i < p->nmen; i++)
        if (!(free_mask >> p->parent[i] & 1)) {
            unsigned s = l->slot[i];

            l->base +=
                l->block->stride[s] * (l->block->raw[s] ? sq[i] : ix->cells[s]->place_of[sq[i]]);
        }
    return l->block->code[l->stm] != NULL;
}

/*
 * The places of a free man in a table: digit[j], times the stride, is what square j
 * adds; BK_SQ_NONE where it cannot stand.  False: it would change block.
 */
struct places {
    uint64_t stride;
    unsigned n;
    uint8_t digit[BK_SQ_MAX];
};

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
    if (cells->n == 1) { /* cell_of[] is 0 or BK_SQ_NONE, all bits of a byte: no jumps */
        for (unsigned j = 0; j < man->n; j++) {
            unsigned sq = l->map[man->sq[j]];

            out->digit[j] = cells->cell_of[sq] | (l->block->raw[s] ? sq : cells->place_of[sq]);
        }
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
    return one_cell;
}

/*
 * The last free man: where its squares follow each other in a table, they are the
 * same row of codes for all squares of the others, from another base on.
 */
struct row {
    struct places man;
    bool near;     /* they follow each other */
    bool in_order; /* and as they do on the parent's board */
    unsigned span; /* from place 0 to the last one */
};

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

static int16_t score_at(const struct bk_memtable *t, const struct located *l, uint64_t at)
{
    unsigned code = code_at(t, l->block, l->stm, at);

    return t->code_bytes < 2 ? t->score8[code] : for_the_mover(bk_code_score(code, 2));
}

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
    } else {
        for (unsigned j = 0; j < r->man.n; j++)
            out[j] = r->man.digit[j] == BK_SQ_NONE
                         ? BK_SCORE_NONE
                         : score_at(t, l, base + r->man.stride * r->man.digit[j]);
    }
}

/* men: the free men but the last, n of them */
static void gather(const struct bk_memtable *t, const struct located *l, uint64_t base,
                   const struct places *men, unsigned n, const struct row *row, int16_t **out)
{
    size_t skip = row->man.n;

    if (!n) {
        gather_row(t, l, base, row, *out);
        *out += row->man.n;
        return;
    }
    for (unsigned i = 1; i < n; i++)
        skip *= men[i].n;
    for (unsigned j = 0; j < men->n; j++) {
        if (men->digit[j] != BK_SQ_NONE) {
            gather(t, l, base + men->stride * men->digit[j], men + 1, n - 1, row, out);
            continue;
        }
        for (size_t i = 0; i < skip; i++)
            *(*out)++ = BK_SCORE_NONE;
    }
}

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

void bk_view_fill(const struct bk_view_plan *p, const struct bk_placement *where,
                  const struct bk_free_man *men, unsigned nfree, int16_t *out)
{
    struct bk_placement at = *where;
    struct places other[BK_SLOTS_MAX];       /* free men but the last */
    struct row last = { .man = { .n = 1 } }; /* or a single place */
    unsigned free_mask = 0;
    struct located l;
    bool fast = !p->t->by_rule;

    if (same_everywhere(p)) {
        int16_t score = rule_score(p, &at);
        size_t n = 1;

        for (unsigned i = 0; i < nfree; i++)
            n *= men[i].n;
        for (size_t i = 0; i < n; i++)
            out[i] = score;
        return;
    }
    for (unsigned i = 0; i < nfree; i++) {
        const struct bk_index *ix = p->t->ix;
        unsigned man = 0, s = 0;

        free_mask |= 1u << men[i].slot;
        while (p->parent[man] != men[i].slot)
            man++;
        while (!is_slot_of(p, man, s))
            s++;
        /* any square where it may stand will do to find the block */
        at.sq[men[i].slot] = men[i].sq[0];
        for (unsigned j = 0; j < men[i].n; j++) {
            unsigned sq = p->exchanged ? p->swap[men[i].sq[j]] : men[i].sq[j];

            if (ix->cells[s]->cell_of[sq] != BK_SQ_NONE) {
                at.sq[men[i].slot] = men[i].sq[j];
                break;
            }
        }
    }
    if (fast) {
        bool there = locate(p, &at, free_mask, &l);

        if (!there) {
            size_t n = 1;

            for (unsigned i = 0; i < nfree; i++)
                n *= men[i].n;
            /* a free man of several cells may fit elsewhere */
            for (unsigned i = 0; i < p->nmen; i++)
                if (free_mask >> p->parent[i] & 1)
                    for (unsigned s = 0; s < p->t->ix->nslots; s++)
                        if (is_slot_of(p, i, s) && p->t->ix->cells[s]->n > 1)
                            fast = false;
            if (fast) {
                for (size_t i = 0; i < n; i++)
                    out[i] = BK_SCORE_NONE;
                return;
            }
        }
        for (unsigned i = 0; fast && i < nfree; i++)
            fast = find_places(p, &l, &men[i], i + 1 < nfree ? &other[i] : &last.man);
    }
    if (fast) {
        shape_row(&last);
        gather(p->t, &l, l.base, other, nfree ? nfree - 1 : 0, &last, &out);
    } else {
        fill_slowly(p, &at, men, nfree, &out);
    }
}

/* The men's offset in a table after each symmetry of their block, and the block. */
struct still_men {
    const struct bk_block *b;
    const struct bk_memblock *mb;
    unsigned turn_block;
    uint64_t offset[BK_SYMMETRIES]; /* by the symmetry that the kings ask for */
};

static bool place_still_men(const struct bk_view_plan *p, const struct bk_placement *at,
                            struct still_men *still)
{
    const struct bk_index *ix = p->t->ix;
    uint8_t sq[BK_SLOTS_MAX], cell[BK_SLOTS_MAX], in_slot[BK_SLOTS_MAX];
    unsigned slot[BK_SLOTS_MAX];
    size_t key = 0;
    int32_t found = -1;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        if (found >= 0 && !(still->b->group >> sym & 1))
            continue;
        for (unsigned i = 0; i < p->nmen; i++) {
            unsigned s = 0;

            while (!is_slot_of(p, i, s))
                s++;
            sq[i] = at->sq[p->parent[i]];
            if (p->exchanged)
                sq[i] = p->swap[sq[i]];
            if (found >= 0 && still->turn_block)
                sq[i] = ix->map[still->turn_block][sq[i]];
            if (sym)
                sq[i] = ix->map[sym][sq[i]];
            cell[i] = ix->cells[s]->cell_of[sq[i]];
            if (cell[i] == BK_SQ_NONE)
                return false;
        }
        sort_slots(p, cell, slot);
        if (found < 0) { /* first time round: only to find the block */
            for (unsigned i = 0; i < p->nmen; i++)
                in_slot[slot[i]] = cell[i];
            for (unsigned s = 0; s < ix->nslots; s++)
                key = key * ix->cells[s]->n + in_slot[s];
            found = ix->block_of[key];
            if (found < 0)
                return false;
            still->b = &ix->block[found >> 3];
            still->mb = &p->t->block[found >> 3];
            still->turn_block = (unsigned)found & 7;
            sym = (unsigned)-1; /* now for each symmetry, the identity included */
            continue;
        }
        still->offset[sym] = 0;
        for (unsigned i = 0; i < p->nmen; i++)
            still->offset[sym] +=
                still->mb->stride[slot[i]] *
                (still->mb->raw[slot[i]] ? sq[i] : ix->cells[slot[i]]->place_of[sq[i]]);
    }
    return true;
}

void bk_view_kings(const struct bk_view_plan *p, const struct bk_placement *where,
                   const uint8_t *white, unsigned nwhite, const uint8_t *black, unsigned nblack,
                   int16_t *out)
{
    const struct bk_memtable *t = p->t;
    unsigned nsq = t->ix->v->nsq, stm = p->exchanged ? !p->stm : p->stm;
    struct bk_placement at = *where;
    struct still_men still = { .b = NULL };
    bool there = t->by_rule || (place_still_men(p, where, &still) && still.mb->code[stm]);

    for (unsigned i = 0; i < nwhite; i++)
        for (unsigned j = 0; j < nblack; j++) {
            unsigned wk = white[i], bk = black[j];
            int16_t *score = &out[wk * nsq + bk];
            uint64_t offset;
            size_t pair;

            *score = BK_SCORE_NONE;
            if (!there || wk == bk)
                continue;
            if (t->by_rule) {
                at.king[0] = (uint8_t)wk;
                at.king[1] = (uint8_t)bk;
                *score = rule_score(p, &at);
                continue;
            }
            if (p->exchanged) {
                unsigned swap = p->swap[wk];

                wk = p->swap[bk];
                bk = swap;
            }
            if (still.turn_block) {
                wk = t->ix->map[still.turn_block][wk];
                bk = t->ix->map[still.turn_block][bk];
            }
            pair = (size_t)wk * nsq + bk;
            if (still.b->pairs->slice[pair] < 0)
                continue;
            offset = (uint64_t)still.b->pairs->slice[pair] * still.mb->slice_stride +
                     still.offset[still.b->pairs->sym[pair]];
            *score = t->code_bytes < 2
                         ? t->score8[code_at(t, still.mb, stm, offset)]
                         : for_the_mover(bk_code_score(code_at(t, still.mb, stm, offset), 2));
        }
}

unsigned bk_memtable_code(const struct bk_memtable *t, unsigned stm, struct bk_placement at)
{
    const struct bk_index *ix = t->ix;
    int32_t nth = bk_index_block(ix, &at);
    const struct bk_block *b;
    const struct bk_memblock *mb;
    size_t pair;
    uint64_t offset;

    if (nth < 0)
        return BK_CODE_ILLEGAL;
    b = &ix->block[nth];
    mb = &t->block[nth];
    pair = (size_t)at.king[0] * ix->v->nsq + at.king[1];
    if (b->pairs->slice[pair] < 0)
        return BK_CODE_ILLEGAL;
    if (b->pairs->sym[pair]) {
        const uint8_t *map = ix->map[b->pairs->sym[pair]];

        for (unsigned s = 0; s < ix->nslots; s++)
            at.sq[s] = map[at.sq[s]];
        at.king[0] = map[at.king[0]];
        at.king[1] = map[at.king[1]];
        nth = bk_index_block(ix, &at); /* equal men in the order of their cells */
    }
    offset = (uint64_t)b->pairs->slice[pair] * mb->slice_stride;
    for (unsigned s = 0; s < ix->nslots; s++)
        offset += mb->stride[s] * (mb->raw[s] ? at.sq[s] : ix->cells[s]->place_of[at.sq[s]]);
    return code_at(t, mb, stm, offset);
}

uint64_t bk_memtable_bytes(const struct bk_memtable *t)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; !t->by_rule && i < t->ix->nblocks; i++) {
        const struct bk_memblock *mb = &t->block[i];
        uint64_t places = (uint64_t)t->ix->block[i].pairs->nslices * mb->slice_stride;

        bytes += bk_memblock_bytes(places, t->code_bytes) / 2 * (!!mb->code[0] + !!mb->code[1]);
    }
    return bytes;
}
