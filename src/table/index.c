/*
 * index.c - see index.h.
 *
 * One symmetry turns the men into their block, another its kings to their slice; the
 * rest is a sum of digits times weights, which the block has ready.
 *
 * HOT: every probe ranks at least one position.  What bk_index_rank_turned() calls
 * is in this file, or inline, so that the compiler sees all of it.
 */
#include "table/index.h"

#include <assert.h>
#include <string.h>

#include "table/combination.h"

unsigned bk_index_leads(const struct bk_index *ix, const struct bk_block *b, unsigned slot)
{
    unsigned k = 1;

    if (bk_index_is_anchor(ix, slot))
        return 0;
    if (slot > ix->like[slot] && b->cell[slot - 1] == b->cell[slot])
        return 0;
    while (slot + k < ix->nslots && ix->like[slot + k] == ix->like[slot] &&
           b->cell[slot + k] == b->cell[slot])
        k++;
    return k;
}

uint64_t bk_index_radix(const struct bk_index *ix, const struct bk_block *b, unsigned slot)
{
    unsigned k = bk_index_leads(ix, b, slot);

    return k ? bk_choose(ix->cells[slot]->size[b->cell[slot]], k) : 1;
}

/* Places the rooks that castling rights hold at home; *held: their squares.  False: one is not
   there. */
static bool place_home(const struct bk_index *ix, const struct bk_pos *p, struct bk_placement *out,
                       struct bk_bits *held)
{
    *held = (struct bk_bits){ { 0 } };
    for (unsigned s = 0; s < ix->nslots; s++) {
        if (ix->right[s] < 0)
            continue;
        out->sq[s] = (uint8_t)bk_right_home(ix->v, (unsigned)ix->right[s]);
        bk_bits_set(held, out->sq[s]);
        if (p->at[out->sq[s]] != bk_man(ix->type[s], ix->colour[s]))
            return false;
    }
    return true;
}

/* Is this the first of the men who are like an anchor, but for not being it? */
static bool follows_anchor(const struct bk_index *ix, unsigned s)
{
    return s && bk_index_is_anchor(ix, s - 1) && ix->type[s - 1] == ix->type[s] &&
           ix->colour[s - 1] == ix->colour[s];
}

bool bk_index_place(const struct bk_index *ix, const struct bk_pos *p, struct bk_placement *out)
{
    unsigned filled = 0;
    struct bk_bits held;

    if (memcmp(p->count, ix->m.count, sizeof p->count) || p->rights != ix->m.rights)
        return false;
    if (ix->m.rights && !place_home(ix, p, out, &held))
        return false;
    for (unsigned c = 0; c < 2; c++)
        out->king[c] = ix->anchored ? 0 : p->king[c];
    for (unsigned s = 0; s < ix->nslots; s++) {
        struct bk_bits men = p->by[ix->colour[s]];
        uint8_t man = bk_man(ix->type[s], ix->colour[s]);

        if (ix->like[s] < s || ix->right[s] >= 0 || follows_anchor(ix, s))
            continue;
        filled = s;
        if (ix->m.rights)
            for (unsigned w = 0; w < 4; w++)
                men.w[w] &= ~held.w[w];
        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;)
            if (p->at[sq] == man)
                out->sq[filled++] = (uint8_t)sq;
    }
    return true;
}

bool bk_index_place_exchanged(const struct bk_index *ix, const struct bk_pos *p,
                              const uint8_t swap[BK_SQ_MAX], struct bk_placement *out)
{
    if (ix->m.rights || p->rights)
        return false;
    for (unsigned c = 0; c < 2; c++)
        out->king[c] = ix->anchored ? 0 : swap[p->king[!c]];
    for (unsigned s = 0; s < ix->nslots; s++) {
        struct bk_bits men = p->by[!ix->colour[s]];
        uint8_t man = bk_man(ix->type[s], !ix->colour[s]);
        unsigned filled = s;

        if (ix->like[s] < s || follows_anchor(ix, s))
            continue;
        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;)
            if (p->at[sq] == man)
                out->sq[filled++] = swap[sq];
    }
    return true;
}

static void turn(const struct bk_index *ix, struct bk_placement *at, unsigned sym)
{
    const uint8_t *map = ix->map[sym]; /* for 0, too: a branch could not be predicted */

    at->king[0] = map[at->king[0]];
    at->king[1] = map[at->king[1]];
    for (unsigned s = 0; s < BK_SLOTS_MAX && s < ix->nslots; s++)
        at->sq[s] = map[at->sq[s]];
}

/* Sorts equal men by cell, then by square. */
static void sort_men(const struct bk_index *ix, struct bk_placement *at)
{
    for (unsigned i = 1; ix->equals && i < ix->nslots; i++)
        for (unsigned j = i; j > ix->like[j]; j--) {
            const uint8_t *cell_of = ix->cells[j]->cell_of;
            uint8_t a = at->sq[j - 1], b = at->sq[j];

            if (cell_of[a] < cell_of[b] || (cell_of[a] == cell_of[b] && a <= b))
                break;
            at->sq[j - 1] = b;
            at->sq[j] = a;
        }
}

/* Does every man stand where he may? */
static inline bool all_may_stand(const struct bk_index *ix, const struct bk_placement *at)
{
    bool may = true;

    for (unsigned s = 0; s < ix->nslots; s++)
        may &= ix->cells[s]->cell_of[at->sq[s]] != BK_SQ_NONE;
    return may;
}

static inline int32_t block_of(const struct bk_index *ix, struct bk_placement *at)
{
    uint32_t key = 0, none = 0;
    int32_t found;

    if (ix->whole)
        return all_may_stand(ix, at) ? 0 : -1;
    if (ix->equals)
        sort_men(ix, at);
    for (unsigned s = 0; s < BK_SLOTS_MAX && s < ix->nslots; s++) {
        key += ix->key_of[s][at->sq[s]];
        none |= ix->key_of[s][at->sq[s]];
    }
    if (none & BK_NO_KEY)
        return -1;
    found = ix->block_of[key];
    if (found < 0)
        return -1;
    if (found & 7) {
        turn(ix, at, (unsigned)found & 7);
        sort_men(ix, at);
    }
    return found >> 3;
}

int32_t bk_index_block(const struct bk_index *ix, struct bk_placement *at)
{
    if (ix->whole)
        sort_men(ix, at);
    return block_of(ix, at);
}

/* Returns the digit of k equal men in one cell, of whom the first has this slot. */
static inline uint64_t digit_of(const struct bk_index *ix, const struct bk_placement *at,
                                unsigned slot, unsigned k)
{
    uint8_t place[BK_SLOTS_MAX];

    if (k == 1)
        return ix->cells[slot]->place_of[at->sq[slot]];
    for (unsigned i = 0; i < k; i++)
        place[i] = ix->cells[slot]->place_of[at->sq[slot + i]];
    return bk_combination_rank(place, k);
}

uint64_t bk_index_rank_turned(const struct bk_index *ix, struct bk_placement *at, uint32_t *block)
{
    int32_t nth = block_of(ix, at);
    const struct bk_block *b;
    const struct bk_digits *d;
    const struct bk_pairs *pairs;
    uint64_t number;
    size_t pair;

    if (nth < 0)
        return UINT64_MAX;
    if (block)
        *block = (uint32_t)nth;
    b = &ix->block[nth];
    pairs = b->pairs;
    pair = bk_index_pair(ix, at);
    if (pairs->slice[pair] < 0)
        return UINT64_MAX;
    turn(ix, at, pairs->sym[pair]);
    sort_men(ix, at);
    d = bk_index_digits(ix, b);
    number = b->first + (uint32_t)pairs->slice[pair] * d->slice_weight;
    for (unsigned s = 0; s < ix->nslots; s++)
        if (d->leads[s])
            number += digit_of(ix, at, s, d->leads[s]) * d->weight[s];
    return number;
}

uint64_t bk_index_rank(const struct bk_index *ix, const struct bk_placement *where)
{
    struct bk_placement at = *where;

    return bk_index_rank_turned(ix, &at, NULL);
}

uint32_t bk_index_block_with(const struct bk_index *ix, uint64_t number)
{
    uint32_t low = 0, high = ix->nblocks;

    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;

        if (ix->block[mid].first <= number)
            low = mid;
        else
            high = mid;
    }
    return low;
}

void bk_index_unrank(const struct bk_index *ix, uint64_t number, struct bk_placement *out)
{
    const struct bk_block *b = &ix->block[bk_index_block_with(ix, number)];

    number -= b->first;
    for (unsigned i = ix->nslots + 1; i-- > 0;) {
        unsigned slot = ix->order[i];

        if (slot == BK_KINGS_SLOT) {
            uint64_t slice = number % b->pairs->nslices;

            number /= b->pairs->nslices;
            out->king[0] = b->pairs->king[slice][0];
            out->king[1] = b->pairs->king[slice][1];
            for (unsigned c = 0; ix->anchored && c < 2; c++)
                if (ix->anchor[c] >= 0)
                    out->sq[ix->anchor[c]] = b->pairs->king[slice][c];
        } else if (bk_index_leads(ix, b, slot)) {
            unsigned k = bk_index_leads(ix, b, slot);
            uint64_t radix = bk_index_radix(ix, b, slot);
            const struct bk_cells *c = ix->cells[slot];
            uint8_t place[BK_SLOTS_MAX];

            assert(radix); /* no block has a cell too small for its men */
            bk_combination_unrank(number % radix, k, place);
            number /= radix;
            for (unsigned j = 0; j < k; j++)
                out->sq[slot + j] = c->sq[c->first[b->cell[slot]] + place[j]];
        }
    }
}

bool bk_index_position(const struct bk_index *ix, const struct bk_placement *at, unsigned stm,
                       struct bk_pos *p)
{
    bk_pos_init(p, ix->v);
    memcpy(p->left, ix->m.left, sizeof p->left);
    p->rights = ix->m.rights;
    p->stm = (uint8_t)stm;
    for (unsigned colour = 0; colour < 2 && !ix->anchored; colour++) {
        if (p->at[at->king[colour]])
            return false;
        bk_pos_put(p, ix->v, ix->v->royal, colour, at->king[colour]);
    }
    for (unsigned s = 0; s < ix->nslots; s++) {
        if (p->at[at->sq[s]])
            return false;
        bk_pos_put(p, ix->v, ix->type[s], ix->colour[s], at->sq[s]);
    }
    return true;
}

/* Compares two placements with the same kings, by the squares of the other men. */
static int compare_men(const struct bk_index *ix, const struct bk_placement *a,
                       const struct bk_placement *b)
{
    return memcmp(a->sq, b->sq, ix->nslots);
}

/* The symmetries that leave the kings of a placement where they are. */
static unsigned stabilizer(const struct bk_index *ix, uint32_t block, const struct bk_placement *at)
{
    const struct bk_pairs *pairs = ix->block[block].pairs;

    return pairs->stabilizer[pairs->slice[bk_index_pair(ix, at)]];
}

unsigned bk_index_images(const struct bk_index *ix, uint32_t block, const struct bk_placement *at)
{
    return (unsigned)__builtin_popcount(ix->group) /
           (unsigned)__builtin_popcount(stabilizer(ix, block, at));
}

/* As stabilizer(), of a number, without the identity. */
static unsigned kept_by(const struct bk_index *ix, uint64_t number, const struct bk_placement *at)
{
    return stabilizer(ix, bk_index_block_with(ix, number), at) & ~1u;
}

/* Sets `least` to the least image of `at` under the symmetries that keep its slice; true: that is
   another placement. */
static bool least_image(const struct bk_index *ix, uint64_t number, const struct bk_placement *at,
                        struct bk_placement *least)
{
    unsigned keep = kept_by(ix, number, at);
    bool other = false;

    *least = *at;
    sort_men(ix, least);
    for (unsigned sym = 1; keep >> sym; sym++) {
        struct bk_placement image = *at;

        if (!(keep >> sym & 1))
            continue;
        turn(ix, &image, sym);
        sort_men(ix, &image);
        if (compare_men(ix, &image, least) < 0) {
            *least = image;
            other = true;
        }
    }
    return other;
}

bool bk_index_twin(const struct bk_index *ix, uint64_t number, const struct bk_placement *at,
                   unsigned nth, struct bk_placement *twin)
{
    unsigned keep = kept_by(ix, number, at);

    for (; nth && keep; nth--)
        keep &= keep - 1;
    if (!keep)
        return false;
    *twin = *at;
    turn(ix, twin, (unsigned)__builtin_ctz(keep));
    sort_men(ix, twin);
    return true;
}

/* == Who is the anchor == */

/* Returns how many men there are like a side's anchor, he included; 1: there is no anchor. */
static unsigned like_anchor(const struct bk_index *ix, unsigned colour)
{
    int anchor = ix->anchored ? ix->anchor[colour] : -1;

    return anchor < 0 ? 1 : ix->m.count[colour][ix->type[anchor]];
}

unsigned bk_index_choices(const struct bk_index *ix)
{
    return like_anchor(ix, BK_WHITE) * like_anchor(ix, BK_BLACK);
}

/* Makes the nth man like a side's anchor, from 0, the anchor. */
static void choose_anchor(const struct bk_index *ix, unsigned colour, unsigned nth,
                          struct bk_placement *at)
{
    int anchor = ix->anchor[colour];
    uint8_t sq;

    if (anchor < 0 || !nth)
        return;
    sq = at->sq[anchor];
    at->sq[anchor] = at->sq[anchor + (int)nth];
    at->sq[anchor + (int)nth] = sq;
}

static uint64_t first_image(const struct bk_index *ix, uint64_t number,
                            const struct bk_placement *at)
{
    struct bk_placement least;

    return least_image(ix, number, at, &least) ? bk_index_rank(ix, &least) : number;
}

bool bk_index_is_first(const struct bk_index *ix, uint64_t number, const struct bk_placement *at)
{
    struct bk_placement least;

    if (bk_index_choices(ix) > 1)
        return bk_index_first(ix, number, at) == number;
    return !least_image(ix, number, at, &least);
}

uint64_t bk_index_first(const struct bk_index *ix, uint64_t number, const struct bk_placement *at)
{
    unsigned white = like_anchor(ix, BK_WHITE), choices = bk_index_choices(ix);
    uint64_t first = first_image(ix, number, at);

    for (unsigned i = 1; i < choices; i++) {
        struct bk_placement other = *at;
        uint64_t there;

        choose_anchor(ix, BK_WHITE, i % white, &other);
        choose_anchor(ix, BK_BLACK, i / white, &other);
        there = bk_index_rank_turned(ix, &other, NULL);
        there = first_image(ix, there, &other);
        first = there < first ? there : first;
    }
    return first;
}
