/*
 * index_new.c - see index_new.h.
 *
 * An index is made from the inside: slots for the men, the symmetries that the
 * material keeps, the cells of each man, and from all these the blocks.
 */
#include "table/index_new.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/move.h"
#include "core/moves_fit.h"
#include "core/rules.h"
#include "table/combination.h"
#include "table/index_blocks.h"
#include "table/index_cells.h"
#include "table/index_pairs.h"

static void slot_new(struct bk_index *ix, unsigned type, unsigned colour, unsigned like, int right)
{
    ix->type[ix->nslots] = (uint8_t)type;
    ix->colour[ix->nslots] = (uint8_t)colour;
    ix->like[ix->nslots] = (uint8_t)like;
    ix->right[ix->nslots] = (int8_t)right;
    ix->nslots++;
}

/* Makes the slots.  Of men of one type those with a castling right come first, each unlike the
   others. */
static void slots_new(struct bk_index *ix)
{
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < ix->v->ntypes; type++) {
            unsigned men = type == ix->v->royal ? 0 : ix->m.count[colour][type], first;

            for (unsigned side = 0; side < 2 && type == ix->v->castling.rook; side++)
                if (ix->m.rights >> (2 * colour + side) & 1 && men) {
                    slot_new(ix, type, colour, ix->nslots, (int)(2 * colour + side));
                    men--;
                }
            first = ix->nslots;
            while (men--)
                slot_new(ix, type, colour, first, -1);
        }
}

enum bk_err bk_index_new(struct bk_index **out, const struct bk_variant *v,
                         const struct bk_material *m, const uint8_t *order, struct bk_report *why)
{
    struct bk_index *ix;
    enum bk_err err = BK_E_SYSTEM;

    if (bk_material_men(m, v) > BK_MEN_MAX)
        return bk_fail(why, BK_E_USAGE, "more than %d men", BK_MEN_MAX);
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
        ix->cells[s] = ix->like[s] < s ? ix->cells[ix->like[s]] : bk_index_cells_new(ix, s);
        if (!ix->cells[s])
            goto fail;
    }
    ix->order[0] = BK_KINGS_SLOT;
    for (unsigned s = 0; s < ix->nslots; s++)
        ix->order[s + 1] = (uint8_t)s;
    if (order)
        memcpy(ix->order, order, ix->nslots + 1u);
    err = bk_index_blocks_new(ix, why);
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
            !bk_index_king_strays(ix, BK_WHITE, sq) && room[BK_BLACK] > n + 1u)
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
        bk_index_pairs_free(ix->pairs[i]);
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
