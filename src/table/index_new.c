/*
 * index_new.c - see index_new.h.
 *
 * An index is made from the inside: slots for the men, the symmetries that the
 * material keeps, the cells of each man, and from all these the blocks, with the
 * king pairs that they need.
 *
 * Cost: one look at each symmetry for each choice of cells.  Five pawns make millions of
 * choices, so blocks share their digits, and are found by keys without gaps.
 */
#include "table/index_new.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/geometry.h"
#include "core/move.h"
#include "core/rules.h"
#include "table/combination.h"

/* == Slots == */

static void slot_new(struct bk_index *ix, unsigned type, unsigned colour, unsigned like, int right)
{
    ix->type[ix->nslots] = (uint8_t)type;
    ix->colour[ix->nslots] = (uint8_t)colour;
    ix->like[ix->nslots] = (uint8_t)like;
    ix->right[ix->nslots] = (int8_t)right;
    ix->nslots++;
}

/* Can such a man be an anchor: does he go to and fro, the same way from everywhere, by one way at
   most to each square, and never change? */
static bool can_be_anchor(const struct bk_variant *v, unsigned colour, unsigned type)
{
    const struct bk_movement *m = &v->piece[type].move;

    if (bk_rules_changes_ever(v, type) || !bk_rules_moves_alike(v, type) ||
        bk_rules_takes_twice(v, type))
        return false;
    for (unsigned i = 0; i < m->nsteps; i++) {
        bool back = false;

        for (unsigned j = 0; j < m->nsteps; j++)
            back |= m->step[j].df == -m->step[i].df && m->step[j].dr == -m->step[i].dr &&
                    m->step[j].range == m->step[i].range && m->step[j].how == m->step[i].how;
        if (!back || m->step[i].how & BK_HOPS)
            return false;
    }
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(v, type, colour, sq, &n);

        if (bk_bits_has(&v->board, sq) && !bk_rules_may_stand(v, type, colour, sq))
            return false;
        for (unsigned i = 0; i < n; i++)
            if (r[i].npaths > 1)
                return false;
    }
    return true;
}

/* How good an anchor such a man makes: best is one without an equal, since a position has a number
   for each man who could be it; then a leaper; then one of few moves, so that the busiest man stays
   the inner one. */
static unsigned anchor_worth(const struct bk_index *ix, unsigned colour, unsigned type)
{
    const struct bk_variant *v = ix->v;
    unsigned moves = 0;
    bool leaps = true;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(v, type, colour, sq, &n);

        moves += n;
        for (unsigned i = 0; i < n; i++)
            leaps &= !r[i].npaths;
    }
    return (ix->m.count[colour][type] == 1) * 400000u + leaps * 200000u + 100000u - moves;
}

/* The type of a side's anchor; -1: none. */
static int choose_anchor(const struct bk_index *ix, unsigned colour)
{
    unsigned most = 0;
    int found = -1;

    for (unsigned type = 0; ix->anchored && type < ix->v->ntypes; type++) {
        unsigned worth;

        if (!ix->m.count[colour][type] || !can_be_anchor(ix->v, colour, type))
            continue;
        worth = anchor_worth(ix, colour, type);
        if (worth > most) {
            most = worth;
            found = (int)type;
        }
    }
    return found;
}

/* Makes the slots.  Of men of one type those with a castling right come first, each unlike the
   others, and so does the anchor. */
static void slots_new(struct bk_index *ix)
{
    int anchor[2];

    ix->anchored = !bk_rules_royal(ix->v);
    for (unsigned colour = 0; colour < 2; colour++) {
        anchor[colour] = choose_anchor(ix, colour);
        ix->anchor[colour] = -1;
    }
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < ix->v->ntypes; type++) {
            unsigned men = type == ix->v->royal ? 0 : ix->m.count[colour][type], first;

            for (unsigned side = 0; side < 2 && type == ix->v->castling.rook; side++)
                if (ix->m.rights >> (2 * colour + side) & 1 && men) {
                    slot_new(ix, type, colour, ix->nslots, (int)(2 * colour + side));
                    men--;
                }
            if (anchor[colour] == (int)type) {
                ix->anchor[colour] = (int8_t)ix->nslots;
                slot_new(ix, type, colour, ix->nslots, -1);
                men--;
            }
            first = ix->nslots;
            while (men--)
                slot_new(ix, type, colour, first, -1);
        }
}

/* == Cells == */

/*
 * A man's quiet moves that leave it what it is make a graph on the squares.
 * Two squares are of one cell when each can be reached from the other.  If no
 * move leads from one cell to another (a colour-bound piece, say) there is
 * nothing to gain from telling them apart: then all squares are one cell.
 *
 * Cost: sets of squares joined until none grows, once for each kind of man.
 */

/*
 * Sets how far on each cell is: more than any cell from which a move leads to it.  Cells make no
 * circle, so this ends, at the longest way to a cell.
 */
static void find_advance(struct bk_cells *c, const struct bk_bits ways[BK_SQ_MAX])
{
    bool grew = true;

    memset(c->advance, 0, sizeof c->advance);
    while (grew) {
        grew = false;
        for (unsigned a = 0; a < c->n; a++)
            for (unsigned b = 0; b < c->n; b++) {
                if (a == b || !bk_bits_has(&ways[c->sq[c->first[a]]], c->sq[c->first[b]]) ||
                    c->advance[b] > c->advance[a])
                    continue;
                c->advance[b] = c->advance[a] + 1;
                grew = true;
            }
    }
}

/* A cell of one square. */
static void cells_home(struct bk_cells *c, unsigned home)
{
    memset(c->cell_of, BK_SQ_NONE, sizeof c->cell_of);
    c->n = c->size[0] = 1;
    c->sq[0] = (uint8_t)home;
    c->cell_of[home] = 0;
}

/* Returns the cells of the man in a slot, whose type, colour and right are set; owned, by free().
   NULL: no memory. */
static struct bk_cells *cells_new(const struct bk_index *ix, unsigned slot)
{
    const struct bk_variant *v = ix->v;
    unsigned type = ix->type[slot], colour = ix->colour[slot], filled = 0;
    struct bk_cells *c = calloc(1, sizeof *c);
    struct bk_bits *ways = malloc(BK_SQ_MAX * sizeof *ways);

    if (!c || !ways) {
        free(c);
        c = NULL;
        goto out;
    }
    if (ix->right[slot] >= 0) {
        cells_home(c, bk_right_home(v, (unsigned)ix->right[slot]));
        goto out;
    }
    bk_man_ways(ways, v, type, colour);
    memset(c->cell_of, BK_SQ_NONE, sizeof c->cell_of);
    bool split = bk_ways_go_for_good(ways, v);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (c->cell_of[sq] != BK_SQ_NONE || !bk_rules_may_stand(v, type, colour, sq))
            continue;
        c->first[c->n] = (uint8_t)filled;
        for (unsigned t = sq; t < v->nsq; t++) {
            bool together = !split || (bk_bits_has(&ways[sq], t) && bk_bits_has(&ways[t], sq));

            if (!together || !bk_rules_may_stand(v, type, colour, t))
                continue;
            c->cell_of[t] = (uint8_t)c->n;
            c->place_of[t] = c->size[c->n]++;
            c->sq[filled++] = (uint8_t)t;
        }
        c->n++;
    }
    if (split)
        find_advance(c, ways);
out:
    free(ways);
    return c;
}

/* == King pairs == */

/*
 * Pairs are gone through in the order of their numbers, white square * nsq +
 * black square, so that the least of several images comes first and becomes
 * the slice; the others store the symmetry that brings them to it (docs/index.md 3).
 *
 * Cost: squares^2 pairs, times the symmetries; once for each group.
 */

/* Has this side castling rights, and its king is not at home on `sq`? */
static bool king_strays(const struct bk_index *ix, unsigned colour, unsigned sq)
{
    return ix->m.rights >> 2 * colour & 3 && sq != bk_right_king(ix->v, 2 * colour);
}

/* May an anchor stand there?  Where there is none his square is 0, as it were. */
static bool anchor_stands(const struct bk_index *ix, unsigned colour, unsigned sq)
{
    int type = bk_index_anchor_type(ix, colour);

    return type < 0 ? sq == 0 : bk_rules_may_stand(ix->v, (unsigned)type, colour, sq);
}

static bool pair_exists(const struct bk_index *ix, unsigned wk, unsigned bk)
{
    const struct bk_variant *v = ix->v;

    if (ix->anchored) {
        bool both = ix->anchor[BK_WHITE] >= 0 && ix->anchor[BK_BLACK] >= 0;

        return !(both && wk == bk) && anchor_stands(ix, BK_WHITE, wk) &&
               anchor_stands(ix, BK_BLACK, bk);
    }
    return wk != bk && bk_rules_may_stand(v, v->royal, BK_WHITE, wk) &&
           bk_rules_may_stand(v, v->royal, BK_BLACK, bk) && !king_strays(ix, BK_WHITE, wk) &&
           !king_strays(ix, BK_BLACK, bk) &&
           !(bk_king_attacks(v, BK_WHITE, wk, bk) && bk_king_attacks(v, BK_BLACK, bk, wk));
}

/* NULL is fine. */
static void pairs_free(struct bk_pairs *p)
{
    if (p) {
        free(p->king);
        free(p->stabilizer);
        free(p->slice);
        free(p->sym);
        free(p);
    }
}

/* How symmetries turn both halves of a pair.  That of a side without an anchor stays 0. */
struct turns {
    const uint8_t *map[BK_SYMMETRIES][2];
    uint8_t still[BK_SQ_MAX];
};

static void find_turns(struct turns *t, const struct bk_index *ix)
{
    for (unsigned sq = 0; sq < BK_SQ_MAX; sq++)
        t->still[sq] = (uint8_t)sq;
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        for (unsigned c = 0; c < 2; c++)
            t->map[sym][c] = bk_index_anchor_type(ix, c) < 0 ? t->still : ix->map[sym];
}

/* Adds the next pair, in the order of their numbers: a slice of its own, or that of its least
   image. */
static void add_pair(struct bk_pairs *p, const struct turns *turns, unsigned nsq, unsigned wk,
                     unsigned bk)
{
    unsigned self = wk * nsq + bk, least = self, by = 0, keep = 0;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        unsigned image;

        if (!(p->group >> sym & 1))
            continue;
        image = turns->map[sym][BK_WHITE][wk] * nsq + turns->map[sym][BK_BLACK][bk];
        if (image == self)
            keep |= 1u << sym;
        if (image < least) {
            least = image;
            by = sym;
        }
    }
    if (least == self) {
        p->king[p->nslices][0] = (uint8_t)wk;
        p->king[p->nslices][1] = (uint8_t)bk;
        p->stabilizer[p->nslices] = (uint8_t)keep;
        p->slice[self] = (int32_t)p->nslices++;
    } else { /* the least image came first */
        p->slice[self] = p->slice[least];
        p->sym[self] = (uint8_t)by;
    }
}

/* Returns the king pairs of a material under a group of symmetries, a mask; owned.  ix->map is
   set.  NULL: no memory. */
static struct bk_pairs *pairs_new(const struct bk_index *ix, unsigned group)
{
    unsigned nsq = ix->v->nsq;
    size_t all = (size_t)nsq * nsq;
    struct bk_pairs *p = calloc(1, sizeof *p);
    struct turns turns;

    if (!p)
        return NULL;
    find_turns(&turns, ix);
    p->group = group;
    p->king = malloc(all * sizeof *p->king);
    p->stabilizer = malloc(all);
    p->slice = malloc(all * sizeof *p->slice);
    p->sym = calloc(all, 1);
    if (!p->king || !p->stabilizer || !p->slice || !p->sym) {
        pairs_free(p);
        return NULL;
    }
    for (unsigned wk = 0; wk < nsq; wk++)
        for (unsigned bk = 0; bk < nsq; bk++) {
            p->slice[wk * nsq + bk] = -1;
            if (pair_exists(ix, wk, bk))
                add_pair(p, &turns, nsq, wk, bk);
        }
    return p;
}

/* == Blocks == */

/*
 * All choices of a cell for every man are gone through in ascending order.  The
 * first of each class is its block; the symmetry stored for the others turns them
 * into it (not the reverse: a symmetry need not be its own inverse).
 */

/* The cells of all men after a symmetry, equal men sorted. */
static void turn_cells(const struct bk_index *ix, const uint8_t *cell, unsigned sym, uint8_t *out)
{
    for (unsigned s = 0; s < ix->nslots; s++) {
        const struct bk_cells *c = ix->cells[s];

        out[s] = c->cell_of[ix->map[sym][c->sq[c->first[cell[s]]]]];
    }
    bk_sort_like(out, ix->like, ix->nslots);
}

/* Has a cell fewer squares than equal men? */
static bool cells_overfull(const struct bk_index *ix, const struct bk_block *b)
{
    for (unsigned s = 0; s < ix->nslots; s++)
        if (bk_index_radix(ix, b, s) == 0)
            return true;
    return false;
}

/* Sets what a step of each digit adds to the number.  Returns how many numbers the block has. */
static uint64_t weigh_digits(const struct bk_index *ix, const struct bk_block *b,
                             struct bk_digits *d)
{
    uint64_t weight = 1;

    memset(d->weight, 0, sizeof d->weight);
    for (unsigned i = ix->nslots + 1; i-- > 0;) {
        unsigned slot = ix->order[i];

        if (slot == BK_KINGS_SLOT) {
            d->slice_weight = weight;
            weight *= b->pairs->nslices;
        } else if ((d->leads[slot] = (uint8_t)bk_index_leads(ix, b, slot)) != 0) {
            d->weight[slot] = weight;
            weight *= bk_index_radix(ix, b, slot);
        }
    }
    return weight;
}

/* Arrays that grow while blocks are found. */
struct rooms {
    size_t block, digits;
};

/*
 * The digits of a new block are mostly those of one shortly before: only so many are compared.  To
 * have some twice costs memory, not more than a block with digits of its own.
 */
#define DIGITS_LOOKED_AT 8

static bool find_digits(struct bk_index *ix, struct bk_block *b, struct rooms *room)
{
    struct bk_digits d = { .block = ix->nblocks };
    uint32_t i = ix->ndigits, end = i > DIGITS_LOOKED_AT ? i - DIGITS_LOOKED_AT : 0;

    b->size = weigh_digits(ix, b, &d);
    while (i-- > end) {
        const struct bk_digits *known = &ix->digits[i];

        b->digits = i;
        if (known->slice_weight == d.slice_weight && ix->block[known->block].pairs == b->pairs &&
            !memcmp(known->weight, d.weight, sizeof d.weight) &&
            !memcmp(known->leads, d.leads, sizeof d.leads) &&
            ix->block[known->block].size == b->size)
            return true;
    }
    if (!BK_ARRAY_ROOM(ix->digits, room->digits, ix->ndigits + 1u))
        return false;
    b->digits = ix->ndigits;
    ix->digits[ix->ndigits++] = d;
    return true;
}

/* Returns the symmetries that keep these cells.  *found: -1; or, where a symmetry turns them into a
   block that is there, what block_of[] has for them. */
static unsigned group_of(const struct bk_index *ix, const uint8_t *cell, uint32_t key,
                         int32_t *found)
{
    unsigned group = 1;
    uint8_t turned[BK_SLOTS_MAX];

    *found = -1;
    for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++) {
        uint32_t image;

        if (!(ix->group >> sym & 1))
            continue;
        turn_cells(ix, cell, sym, turned);
        image = bk_index_key(ix, turned);
        if (image == key)
            group |= 1u << sym;
        else if (ix->block_of[image] >= 0 && !(ix->block_of[image] & 7)) {
            *found = (ix->block_of[image] & ~7) | (int32_t)sym;
            break;
        }
    }
    return group;
}

static enum bk_err add_block(struct bk_index *ix, const uint8_t *cell, struct rooms *room)
{
    struct bk_block b = { .group = 0 };
    uint32_t key = bk_index_key(ix, cell);
    int32_t found;

    memcpy(b.cell, cell, sizeof b.cell);
    if (cells_overfull(ix, &b))
        return BK_OK;
    b.group = group_of(ix, cell, key, &found);
    if (found >= 0) {
        ix->block_of[key] = found;
        return BK_OK;
    }
    if (!ix->pairs[b.group] && !(ix->pairs[b.group] = pairs_new(ix, b.group)))
        return BK_E_SYSTEM;
    b.pairs = ix->pairs[b.group];
    b.first = ix->positions;
    if (!find_digits(ix, &b, room))
        return BK_E_SYSTEM;
    for (unsigned s = 0; s < ix->nslots; s++)
        b.advance += ix->cells[s]->advance[cell[s]];
    ix->positions += b.size;
    if (!BK_ARRAY_ROOM(ix->block, room->block, ix->nblocks + 1u))
        return BK_E_SYSTEM;
    ix->block_of[key] = (int32_t)(ix->nblocks * 8);
    ix->block[ix->nblocks++] = b;
    return BK_OK;
}

/* Adds the one block of men for whom there is no room: without slices, as on a board that has no
   room for the kings. */
static enum bk_err add_empty_block(struct bk_index *ix, struct rooms *room)
{
    struct bk_block b = { .group = 1 };
    struct bk_pairs *pairs = ix->pairs[1] = pairs_new(ix, 1);

    if (!pairs || !BK_ARRAY_ROOM(ix->block, room->block, 1) ||
        !BK_ARRAY_ROOM(ix->digits, room->digits, 1))
        return BK_E_SYSTEM;
    ix->digits[ix->ndigits++] = (struct bk_digits){ .block = 0 };
    pairs->nslices = 0;
    for (size_t i = 0; i < (size_t)ix->v->nsq * ix->v->nsq; i++)
        pairs->slice[i] = -1;
    b.pairs = pairs;
    ix->block[ix->nblocks++] = b;
    return BK_OK;
}

/* Gives back unused room: most tables have one block, and arrays grow as for many. */
static void shrink_arrays(struct bk_index *ix)
{
    struct bk_block *just = realloc(ix->block, ix->nblocks * sizeof *just);
    struct bk_digits *digits = realloc(ix->digits, ix->ndigits * sizeof *digits);

    if (just)
        ix->block = just;
    if (digits)
        ix->digits = digits;
}

/*
 * Equal men in cells a <= b <= c <= ... are numbered by C(a, 1) + C(b + 1, 2) + C(c + 2, 3) + ...:
 * of n cells C(n + k - 1, k) ascending choices, without gaps.  Unlike men make a mixed radix of
 * these numbers, the last men's digit the lowest: consecutive blocks have keys that are near.  Five
 * pawns of 48 squares, three against two: 23 M keys, and 255 M if equal men were not kept in order.
 * False: no memory.
 */
static bool keys_new(struct bk_index *ix)
{
    ix->nkeys = 1;
    ix->key_of = malloc((ix->nslots + 1u) * sizeof *ix->key_of);
    for (unsigned end = ix->nslots, from; ix->key_of && end; end = from) {
        const struct bk_cells *c = ix->cells[end - 1];

        from = ix->like[end - 1];
        for (unsigned i = 0; i < end - from; i++)
            for (unsigned sq = 0; sq < BK_SQ_MAX; sq++)
                ix->key_of[from + i][sq] =
                    c->cell_of[sq] == BK_SQ_NONE
                        ? BK_NO_KEY
                        : ix->nkeys * (uint32_t)bk_choose(c->cell_of[sq] + i, i + 1);
        ix->nkeys *= c->n ? (uint32_t)bk_choose(c->n + end - from - 1, end - from) : 0;
    }
    return ix->key_of != NULL;
}

/* Steps to the next choice of cells in ascending order; those of equal men ascend.  False: there is
   none. */
static bool next_cells(const struct bk_index *ix, uint8_t *cell)
{
    unsigned s = ix->nslots;

    while (s && cell[s - 1] + 1 == ix->cells[s - 1]->n)
        s--;
    if (!s)
        return false;
    cell[s - 1]++;
    for (; s < BK_SLOTS_MAX && s < ix->nslots; s++)
        cell[s] = ix->like[s] < s ? cell[s - 1] : 0;
    return true;
}

/*
 * Makes the blocks of an index whose slots, cells, symmetries and order are set, with their pairs,
 * digits and keys.  After a failure what has been made stays in ix, for bk_index_free().
 * Returns BK_OK; BK_E_USAGE (too many choices of cells); BK_E_SYSTEM (memory).
 */
static enum bk_err blocks_new(struct bk_index *ix, struct bk_report *why)
{
    size_t choices = 1;
    struct rooms room = { 0, 0 };
    uint8_t cell[BK_SLOTS_MAX] = { 0 };

    for (unsigned s = 0; s < ix->nslots; s++) {
        choices *= ix->cells[s]->n;
        if (choices > (size_t)1 << 28)
            return bk_fail(why, BK_E_USAGE, "too many pawn placements for one table");
    }
    if (!keys_new(ix) || !(ix->block_of = malloc((ix->nkeys + !ix->nkeys) * sizeof *ix->block_of)))
        return bk_no_memory(why);
    memset(ix->block_of, 0xff, ix->nkeys * sizeof *ix->block_of);
    if (ix->nkeys)
        do
            if (add_block(ix, cell, &room))
                return bk_no_memory(why);
        while (next_cells(ix, cell));
    if (!ix->nblocks && add_empty_block(ix, &room))
        return bk_no_memory(why);
    shrink_arrays(ix);
    ix->whole = ix->nkeys == 1 && ix->block_of[0] == 0;
    return BK_OK;
}

void bk_index_reorder(struct bk_index *ix, const uint8_t *order)
{
    memcpy(ix->order, order, ix->nslots + 1u);
    for (uint32_t i = 0; i < ix->ndigits; i++)
        weigh_digits(ix, &ix->block[ix->digits[i].block], &ix->digits[i]);
}

/* == The whole == */

enum bk_err bk_index_new(struct bk_index **out, const struct bk_variant *v,
                         const struct bk_material *m, const uint8_t *order, struct bk_report *why)
{
    unsigned men_max = bk_rules_royal(v) ? BK_MEN_MAX : BK_SLOTS_MAX;
    struct bk_index *ix;
    enum bk_err err = BK_E_SYSTEM;

    if (bk_material_men(m, v) > men_max)
        return bk_fail(why, BK_E_USAGE, "more than %u men", men_max);
    if (!bk_moves_fit(v, (const uint8_t(*)[BK_TYPES_MAX])m->count))
        return bk_fail(why, BK_E_USAGE, "no table: a position could have more than %d moves",
                       BK_MOVES_MAX);
    ix = calloc(1, sizeof *ix);
    if (!ix)
        return bk_no_memory(why);
    ix->v = v;
    ix->m = *m;
    slots_new(ix);
    for (unsigned s = 0; s < ix->nslots; s++)
        ix->equals |= ix->like[s] < s;
    ix->group = bk_material_symmetries(m, v);
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        if (ix->group >> sym & 1) {
            bk_symmetry_map(v, sym, ix->map[sym]);
            for (unsigned sq = 0; sq < v->nsq; sq++)
                ix->unmap[sym][ix->map[sym][sq]] = (uint8_t)sq;
        }
    for (unsigned s = 0; s < ix->nslots; s++) {
        ix->cells[s] = ix->like[s] < s ? ix->cells[ix->like[s]] : cells_new(ix, s);
        if (!ix->cells[s])
            goto fail;
    }
    ix->order[0] = BK_KINGS_SLOT;
    for (unsigned s = 0; s < ix->nslots; s++)
        ix->order[s + 1] = (uint8_t)s;
    if (order)
        memcpy(ix->order, order, ix->nslots + 1u);
    err = blocks_new(ix, why);
    if (err)
        goto fail;
    *out = ix;
    return BK_OK;

fail:
    bk_index_free(ix);
    if (err == BK_E_SYSTEM)
        bk_no_memory(why);
    return err;
}

/* == Without an index == */

/* Squares that a man may stand on. */
static unsigned room_of(const struct bk_index *ix, unsigned type, unsigned colour)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < ix->v->nsq; sq++)
        n += bk_rules_may_stand(ix->v, type, colour, sq);
    return n;
}

/* Bounds the number of king pairs: *most counts all, *least leaves out those in reach of White's
   king. */
static void bound_pairs(const struct bk_index *ix, uint64_t *least, uint64_t *most)
{
    uint64_t room[2];

    for (unsigned c = 0; c < 2; c++)
        room[c] = ix->m.rights >> 2 * c & 3 ? 1 : room_of(ix, ix->v->royal, c);
    *least = 0;
    *most = room[BK_WHITE] * room[BK_BLACK];
    for (unsigned sq = 0; sq < ix->v->nsq; sq++) {
        unsigned n;

        bk_reach_from(ix->v, ix->v->royal, BK_WHITE, sq, &n);
        if (bk_rules_may_stand(ix->v, ix->v->royal, BK_WHITE, sq) &&
            !king_strays(ix, BK_WHITE, sq) && room[BK_BLACK] > n + 1u)
            *least += room[BK_BLACK] - n - 1;
    }
}

/*
 * All placements are the king pairs times the choices of squares for each lot of equal men.  A
 * number stands for one of them at least, and for no more than there are symmetries.
 */
bool bk_index_could_have(const struct bk_variant *v, const struct bk_material *m,
                         uint64_t positions)
{
    struct bk_index ix;
    uint64_t least, most;

    if (bk_material_men(m, v) > BK_MEN_MAX)
        return false;
    memset(&ix, 0, sizeof ix);
    ix.v = v;
    ix.m = *m;
    slots_new(&ix);
    bound_pairs(&ix, &least, &most);
    for (unsigned s = 0, men; s < BK_SLOTS_MAX && s < ix.nslots; s += men) {
        unsigned room = ix.right[s] >= 0 ? 1 : room_of(&ix, ix.type[s], ix.colour[s]);

        for (men = 1; s + men < ix.nslots && ix.like[s + men] == s; men++)
            ;
        least *= bk_choose(room, men);
        most *= bk_choose(room, men);
    }
    return positions >= least / BK_SYMMETRIES && positions <= most;
}

/* == Freeing, and memory == */

void bk_index_free(struct bk_index *ix)
{
    if (!ix)
        return;
    for (unsigned s = 0; s < ix->nslots; s++)
        if (ix->like[s] == s)
            free(ix->cells[s]);
    for (unsigned i = 0; i < 256; i++)
        pairs_free(ix->pairs[i]);
    free(ix->block);
    free(ix->digits);
    free(ix->key_of);
    free(ix->block_of);
    free(ix);
}

uint64_t bk_index_bytes(const struct bk_index *ix)
{
    uint64_t bytes = sizeof *ix + ix->nblocks * sizeof *ix->block +
                     ix->ndigits * sizeof *ix->digits + ix->nslots * sizeof *ix->key_of,
             all = (uint64_t)ix->v->nsq * ix->v->nsq;

    for (unsigned s = 0; s < ix->nslots; s++)
        bytes += ix->like[s] == s ? sizeof *ix->cells[s] : 0;
    for (unsigned g = 0; g < 256; g++) {
        const struct bk_pairs *p = ix->pairs[g];

        if (p)
            bytes +=
                sizeof *p + all * (sizeof *p->king + sizeof *p->stabilizer + sizeof *p->slice + 1);
    }
    return bytes + ix->nkeys * sizeof *ix->block_of;
}
