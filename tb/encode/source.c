/*
 * source.c - see source.h.
 *
 * A row is brought onto squares first: where the inner man is the solver's, its
 * codes lie side by side by square; otherwise one is fetched for each position,
 * from places that are equally far apart, or, of rows of kings that follow each other, from where
 * they were put side by side.  Then 64 codes at a time are sorted into sets (bytes.h).
 */
#include "tb/encode/source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tb/encode/bytes.h"
#include "tb/encode/input.h"

#define SETS 4 /* words of a set, as struct bk_row_values has it */

/* Returns the words that the board needs; facts may have more (BAREKING_SET_BITS), left unused. */
static unsigned words_of(const struct bk_source *src)
{
    unsigned nsq = src->t->ix->v->nsq;

    return nsq <= 64 ? 1 : nsq <= 128 ? 2 : 4;
}

/* Where the positions of a row lie: from `base` on, by square or every `step`. */
struct place {
    uint64_t base, step;
    bool by_square; /* base is square 0's, and the others follow */
};

/* Finds where the positions of a row lie; codes and bitmaps differ in their strides alone. */
static struct place find_place(const struct bk_source *src, const struct bk_row *row,
                               const uint64_t *stride, uint64_t slice_stride)
{
    const struct bk_index *ix = src->t->ix;
    const struct bk_memblock *mb = &src->t->block[row->block];
    const struct bk_pairs *pairs = ix->block[row->block].pairs;
    uint8_t black = row->inner == 1 ? row->inner_sq[0] : row->sq[1];
    struct place p = { 0 };

    p.base = (uint64_t)pairs->slice[(size_t)row->sq[0] * ix->v->nsq + black] * slice_stride;
    p.step = slice_stride;
    for (unsigned slot = 0; slot < ix->nslots; slot++)
        if (row->inner != 2 + slot)
            p.base += stride[slot] * (mb->raw[slot] ? row->sq[2 + slot] : row->place[slot]);
    if (row->inner >= 2) {
        p.step = stride[row->inner - 2];
        p.by_square = mb->raw[row->inner - 2];
    }
    return p;
}

static struct place code_place(const struct bk_source *src, const struct bk_row *row)
{
    const struct bk_memblock *mb = &src->t->block[row->block];

    return find_place(src, row, mb->stride, mb->slice_stride);
}

static struct place bit_place(const struct bk_source *src, const struct bk_row *row)
{
    const struct bk_memblock *mb = &src->t->block[row->block];

    return find_place(src, row, mb->bit_stride, mb->bit_slice_stride);
}

/* == Onto squares == */

/* Sets `set` to the bits of a bitmap for the squares of the row, no others. */
static void fetch_bits(const uint64_t *map, const struct place *p, const struct bk_row *row,
                       unsigned words, uint64_t *set)
{
    if (p->by_square) { /* a set of the solver: on whole words */
        for (unsigned w = 0; w < words; w++)
            set[w] = map[p->base / 64 + w];
        return;
    }
    for (unsigned w = 0; w < words; w++)
        set[w] = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint64_t at = p->base + i * p->step;

        set[row->inner_sq[i] / 64] |= (map[at / 64] >> at % 64 & 1) << row->inner_sq[i] % 64;
    }
}

/* Returns the row's codes by square, illegal where it has none: in the table, or in `room`. */
static const uint8_t *fetch_codes(const uint8_t *code, const struct place *p,
                                  const struct bk_row *row, unsigned nsq, unsigned words,
                                  uint8_t *room)
{
    if (p->by_square && nsq == 64 * words)
        return code + p->base;
    memset(room, BK_CODE_ILLEGAL, 64 * words);
    if (p->by_square) {
        memcpy(room, code + p->base, nsq);
        return room;
    }
    for (uint32_t i = 0; i < row->n; i++)
        room[row->inner_sq[i]] = code[p->base + i * p->step];
    return room;
}

static void fetch_wide_codes(const uint16_t *code, const struct place *p, const struct bk_row *row,
                             unsigned nsq, uint16_t *room)
{
    memset(room, 0, 64 * SETS * sizeof *room);
    if (p->by_square)
        memcpy(room, code + p->base, nsq * sizeof *room);
    for (uint32_t i = 0; !p->by_square && i < row->n; i++)
        room[row->inner_sq[i]] = code[p->base + i * p->step];
}

/* == Rows of kings, turned ==
 *
 * If two equal men and a pawn stand beside the kings, the black king is a row's inner man, but not
 * the solver's.  So each code of a row lies in another slice, in a cache line with the codes of the
 * other squares of the solver's inner man.  The next row has the white king elsewhere, and those
 * other squares are asked for some 3,000 rows later: by then the line is gone.  So the codes of all
 * slices are turned at once, for one place of all men but the kings and the solver's inner man.
 *
 * Cost: a byte a position of these, some 100 KB on 64 squares; a slice's line is read once for 64
 * codes.  KBBvKP, files included: 64.7 -> 55.8 user s; KNNvKP 38.6 -> 34.9.
 */

/* On larger boards nothing is turned: 2^20 positions are two kings and a man on 100 squares. */
#define POSITIONS_MAX (UINT64_C(1) << 20)
/* Lines lie far apart: the machine does not prefetch them by itself. */
#define LINES_AHEAD 12

static bool make_room(struct bk_turned *t, const struct bk_turning *of)
{
    uint64_t positions = (uint64_t)of->nslices * of->nsq;

    if (positions > POSITIONS_MAX)
        return false;
    if (positions <= t->room)
        return true;
    bk_turned_release(t);
    t->code = bk_spill_resize(NULL, positions);
    t->bits = bk_spill_resize(NULL, (size_t)of->nslices * of->words * sizeof *t->bits);
    if (!t->code || !t->bits) {
        bk_turned_release(t);
        return false;
    }
    t->room = positions;
    return true;
}

static void turn(struct bk_turned *t, const struct bk_turning *of)
{
    for (uint32_t slice = 0; slice < of->nslices; slice++) {
        const uint8_t *from = of->code + slice * of->slice_stride;
        uint8_t *to = t->code + slice;

        if (slice + LINES_AHEAD < of->nslices)
            for (unsigned sq = 0; sq < of->nsq; sq += 64)
                __builtin_prefetch(from + LINES_AHEAD * of->slice_stride + sq);
        for (unsigned sq = 0; sq < of->nsq; sq++)
            to[(size_t)sq * of->nslices] = from[sq];
    }
    for (uint32_t slice = 0; of->attained && slice < of->nslices; slice++)
        memcpy(t->bits + (size_t)slice * of->words,
               of->attained + slice * of->bit_slice_stride / 64, of->words * sizeof *t->bits);
}

bool bk_turned_to(struct bk_turned *t, const struct bk_turning *of)
{
    if (t->of.code != of->code) {
        t->of = *of;
        t->there = false;
        return false;
    }
    if (!t->there && make_room(t, of)) {
        turn(t, of);
        t->of = *of;
        t->there = true;
    }
    return t->there;
}

void bk_turned_release(struct bk_turned *t)
{
    bk_spill_free(t->code);
    bk_spill_free(t->bits);
    *t = (struct bk_turned){ 0 };
}

/* A turned row: its first slice, and the square of the solver's inner man. */
struct turned_row {
    const struct bk_turned *t; /* NULL: it is not turned */
    uint32_t slice, sq;
};

static struct turned_row turned_row(const struct bk_source *src, const struct bk_row *row,
                                    struct bk_turned *turned)
{
    const struct bk_index *ix = src->t->ix;
    const struct bk_memblock *mb = &src->t->block[row->block];
    const struct bk_pairs *pairs = ix->block[row->block].pairs;
    struct turned_row r = { 0 };
    struct bk_turning of;
    unsigned slot = 0;

    if (!turned || row->inner != 1 || src->t->code_bytes != 1)
        return r;
    while (slot < ix->nslots && !mb->raw[slot])
        slot++;
    if (slot == ix->nslots)
        return r;
    r.sq = row->sq[2 + slot];
    r.slice = (uint32_t)pairs->slice[(size_t)row->sq[0] * ix->v->nsq + row->inner_sq[0]];
    of = (struct bk_turning){ .slice_stride = mb->slice_stride,
                              .bit_slice_stride = mb->bit_slice_stride,
                              .nslices = pairs->nslices,
                              .nsq = ix->v->nsq,
                              .words = words_of(src) };
    of.code = (const uint8_t *)mb->code[src->side] + code_place(src, row).base -
              r.slice * mb->slice_stride - r.sq;
    if (!src->alone)
        of.attained = mb->attained[src->told][src->side] +
                      (bit_place(src, row).base - r.slice * mb->bit_slice_stride - r.sq) / 64;
    if (bk_turned_to(turned, &of))
        r.t = turned;
    return r;
}

static const uint8_t *fetch_turned_codes(const struct turned_row *r, const struct bk_row *row,
                                         unsigned words, uint8_t *room)
{
    const uint8_t *code = r->t->code + (size_t)r->sq * r->t->of.nslices + r->slice;

    memset(room, BK_CODE_ILLEGAL, 64 * words);
    for (uint32_t i = 0; i < row->n; i++)
        room[row->inner_sq[i]] = code[i];
    return room;
}

static void fetch_turned_bits(const struct turned_row *r, const struct bk_row *row, unsigned words,
                              uint64_t *set)
{
    const uint64_t *bits = r->t->bits + (size_t)r->slice * words + r->sq / 64;

    for (unsigned w = 0; w < words; w++)
        set[w] = 0;
    for (uint32_t i = 0; i < row->n; i++)
        set[row->inner_sq[i] / 64] |= (bits[(size_t)i * words] >> r->sq % 64 & 1)
                                      << row->inner_sq[i] % 64;
}

/* == Into sets == */

/* The positions of a row by result, and k of those that are decided. */
struct sorted {
    uint64_t win[SETS], draw[SETS], loss[SETS];
    uint64_t late[SETS];     /* by the n-move rule: of wins and losses those that it makes draws */
    uint8_t k[2][64 * SETS]; /* low byte, high byte; of other positions anything */
};

static void sort_bitmaps(const struct bk_source *src, const struct bk_row *row, unsigned words,
                         struct sorted *out)
{
    const struct bk_memblock *mb = &src->t->block[row->block];
    struct place p = code_place(src, row);
    uint64_t won[SETS], drawn[SETS];

    fetch_bits(mb->code[src->side], &p, row, words, won);
    fetch_bits(mb->draw[src->side], &p, row, words, drawn);
    for (unsigned w = 0; w < words; w++) {
        out->win[w] = won[w] & ~drawn[w];
        out->draw[w] = drawn[w] & ~won[w];
        out->loss[w] = ~(won[w] | drawn[w]);
    }
    if (!p.by_square) { /* other squares hold no position */
        uint64_t there[SETS] = { 0 };

        for (uint32_t i = 0; i < row->n; i++)
            there[row->inner_sq[i] / 64] |= UINT64_C(1) << row->inner_sq[i] % 64;
        for (unsigned w = 0; w < words; w++)
            out->loss[w] &= there[w];
    }
}

/* The code of the soonest win that a file speaks of: to zeroing values are d - 1. */
static unsigned least_win(const struct bk_memtable *t) { return BK_CODE_WIN + !!t->nmove; }

/* Is the position of this code decided, but by the n-move rule alone not? */
static bool is_late(const struct bk_memtable *t, unsigned code, unsigned loss)
{
    return code >= loss ? code - loss > t->nmove : code > BK_CODE_WIN + (unsigned)t->nmove;
}

static void find_late(const struct bk_memtable *t, const uint8_t *code, unsigned words,
                      struct sorted *out)
{
    for (unsigned w = 0; w < words; w++) {
        uint64_t late = 0;

        for (unsigned i = 0; i < 64; i++)
            late |= (uint64_t)is_late(t, code[64 * w + i], BK_CODE_LOSS8) << i;
        out->late[w] = late;
    }
}

static void sort_codes(const struct bk_source *src, const struct bk_row *row,
                       const struct turned_row *turned, unsigned words, struct sorted *out)
{
    struct place p = code_place(src, row);
    uint8_t room[64 * SETS];
    const uint8_t *code = turned->t ? fetch_turned_codes(turned, row, words, room)
                                    : fetch_codes(src->t->block[row->block].code[src->side], &p,
                                                  row, src->t->ix->v->nsq, words, room);

    for (unsigned w = 0; w < words; w++) {
        struct bk_bytes_sorted s = bk_bytes_sort(code + 64 * w);

        out->draw[w] = s.one;
        out->loss[w] = s.top;
        out->win[w] = ~(s.zero | s.one | s.top);
    }
    for (unsigned i = 0; src->told == BK_DISTANCES && i < 64 * words; i++)
        out->k[0][i] =
            (uint8_t)(code[i] - (code[i] >= BK_CODE_LOSS8 ? BK_CODE_LOSS8 : least_win(src->t)));
    if (src->t->nmove)
        find_late(src->t, code, words, out);
}

static void sort_wide_codes(const struct bk_source *src, const struct bk_row *row, unsigned words,
                            struct sorted *out)
{
    struct place p = code_place(src, row);
    uint16_t code[64 * SETS];

    fetch_wide_codes(src->t->block[row->block].code[src->side], &p, row, src->t->ix->v->nsq, code);
    for (unsigned w = 0; w < words; w++)
        out->win[w] = out->draw[w] = out->loss[w] = out->late[w] = 0;
    for (unsigned i = 0; i < 64 * words; i++) {
        unsigned loss = code[i] >= BK_CODE_LOSS16;
        unsigned k = code[i] - (loss ? BK_CODE_LOSS16 : least_win(src->t));

        out->loss[i / 64] |= (uint64_t)loss << i % 64;
        out->draw[i / 64] |= (uint64_t)(code[i] == BK_CODE_DRAW) << i % 64;
        out->win[i / 64] |= (uint64_t)(!loss && code[i] >= BK_CODE_WIN) << i % 64;
        out->late[i / 64] |= (uint64_t)is_late(src->t, code[i], BK_CODE_LOSS16) << i % 64;
        out->k[0][i] = (uint8_t)k;
        out->k[1][i] = (uint8_t)(k >> 8);
    }
}

/* == Values == */

static void tell_wdl(const struct sorted *s, unsigned words, struct bk_row_values *out)
{
    for (unsigned w = 0; w < words; w++) {
        out->care[w] = s->win[w] | s->draw[w] | s->loss[w];
        out->plane[0][w] = s->draw[w];
        out->plane[1][w] = s->loss[w];
    }
}

static void tell_five(const struct sorted *s, unsigned words, struct bk_row_values *out)
{
    for (unsigned w = 0; w < words; w++) {
        uint64_t decided = s->win[w] | s->loss[w], late = s->late[w] & decided;

        out->care[w] = decided | s->draw[w];
        out->plane[0][w] = late;
        out->plane[1][w] = s->draw[w] | (late & s->loss[w]);
        out->plane[2][w] = s->loss[w] & ~late;
    }
}

static void tell_distances(const struct bk_source *src, const struct sorted *s, unsigned words,
                           struct bk_row_values *out)
{
    unsigned bits = src->bits;

    for (unsigned w = 0; w < words; w++) {
        uint64_t care = s->win[w] | (src->alone ? s->loss[w] : 0);

        out->care[w] = care;
        if (!care)
            continue;
        bk_bytes_planes(s->k[0] + 64 * w, bits < 8 ? bits : 8, &out->plane[0][w], SETS);
        if (bits > 8)
            bk_bytes_planes(s->k[1] + 64 * w, bits - 8, &out->plane[8][w], SETS);
    }
}

/* Makes values that the best exits attain bounds ("at least"); at least 0 is anything. */
static void loosen(const struct bk_source *src, const struct bk_row *row,
                   const struct turned_row *turned, unsigned words, struct bk_row_values *out)
{
    const uint64_t *attained = src->t->block[row->block].attained[src->told][src->side];
    struct place p = bit_place(src, row);
    unsigned bits = src->bits;

    if (turned->t)
        fetch_turned_bits(turned, row, words, out->least);
    else
        fetch_bits(attained, &p, row, words, out->least);
    for (unsigned w = 0; w < words; w++) {
        uint64_t some = 0;

        out->least[w] &= out->care[w];
        if (!out->least[w])
            continue;
        for (unsigned b = 0; b < bits; b++)
            some |= out->plane[b][w];
        out->care[w] &= ~out->least[w] | some;
        out->least[w] &= some;
    }
}

#define LOOKED_AT (UINT64_C(1) << 20) /* codes at a time */

/* Returns the largest k of n codes; of losses only if `losses`.  least: the code of k 0. */
static unsigned largest8(const uint8_t *code, uint64_t n, bool losses, unsigned least)
{
    uint8_t win = 0, loss = 0;
    unsigned k;

    static_assert(BK_CODE_LOSS8 == 0x80, "the top bit tells losses");
    for (uint64_t i = 0; i < n; i++) { /* bytes alone, no branch: the compiler does 16 at once */
        uint8_t lost = (uint8_t) - (code[i] >> 7), w = code[i] & ~lost, l = code[i] & lost;

        win = w > win ? w : win;
        loss = l > loss ? l : loss;
    }
    k = win > least ? win - least : 0;
    return losses && loss > BK_CODE_LOSS8 + k ? loss - (unsigned)BK_CODE_LOSS8 : k;
}

static unsigned largest16(const uint16_t *code, uint64_t n, bool losses, unsigned least)
{
    unsigned most = 0;

    for (uint64_t i = 0; i < n; i++) {
        unsigned k = 0;

        if (code[i] >= BK_CODE_LOSS16)
            k = losses ? code[i] - BK_CODE_LOSS16 : 0;
        else if (code[i] >= least)
            k = code[i] - least;
        most = k > most ? k : most;
    }
    return most;
}

/* Returns the largest k of a block.  Where memory is short, pages go once they are read. */
static unsigned largest_of(const struct bk_source *src, uint32_t block)
{
    const struct bk_memtable *t = src->t;
    const char *code = t->block[block].code[src->side];
    uint64_t all = t->ix->block[block].pairs->nslices * t->block[block].slice_stride;
    unsigned most = 0;

    for (uint64_t at = 0; at < all; at += LOOKED_AT) {
        uint64_t n = all - at < LOOKED_AT ? all - at : LOOKED_AT;
        const void *from = code + at * t->code_bytes;
        unsigned k = t->code_bytes == 1 ? largest8(from, n, src->alone, least_win(t))
                                        : largest16(from, n, src->alone, least_win(t));

        most = k > most ? k : most;
        bk_spill_ease(t->spill);
    }
    return most;
}

unsigned bk_source_bits(const struct bk_source *src, uint32_t block, uint32_t nblocks)
{
    unsigned most = 1, bits = 0;

    if (src->told == BK_WDL)
        return src->t->nmove ? BK_FIVE_BITS : BK_RESULT_BITS;
    for (uint32_t b = block; b < block + nblocks; b++) {
        unsigned k = largest_of(src, b);

        most = k > most ? k : most;
    }
    while (most >> bits)
        bits++;
    return bits;
}

void bk_source_soon(const struct bk_source *src, const struct bk_row *row)
{
    const struct bk_memblock *mb = &src->t->block[row->block];
    struct place p = code_place(src, row), bits = bit_place(src, row);
    const char *code = mb->code[src->side];
    unsigned bytes = src->t->code_bytes;

    for (unsigned w = 0; bytes && w < words_of(src); w++)
        __builtin_prefetch(code + (p.base + UINT64_C(64) * w) * bytes);
    if (!bytes) { /* bitmaps */
        __builtin_prefetch(code + p.base / 8);
        __builtin_prefetch((const char *)mb->draw[src->side] + p.base / 8);
    }
    if (!src->alone)
        __builtin_prefetch(mb->attained[src->told][src->side] + bits.base / 64);
}

void bk_source_row(const struct bk_source *src, const struct bk_row *row, struct bk_turned *turned,
                   struct bk_row_values *out)
{
    unsigned words = words_of(src);
    struct turned_row turn = turned_row(src, row, turned);
    struct sorted s;

    memset(out->care, 0, sizeof out->care);
    if (src->t->code_bytes == 0)
        sort_bitmaps(src, row, words, &s);
    else if (src->t->code_bytes == 1)
        sort_codes(src, row, &turn, words, &s);
    else
        sort_wide_codes(src, row, words, &s);
    if (src->told == BK_WDL && src->t->nmove)
        tell_five(&s, words, out);
    else if (src->told == BK_WDL)
        tell_wdl(&s, words, out);
    else
        tell_distances(src, &s, words, out);
    memset(out->least, 0, sizeof out->least);
    if (!src->alone)
        loosen(src, row, &turn, words, out);
}
