/*
 * memtable.c - see memtable.h.  HOT: a row of codes as scores.
 */
#include "tb/memory/memtable.h"

#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "core/rules.h"
#include "table/index_new.h"
#include "tb/memory/cpu.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* == Codes and scores == */

int16_t bk_code_score(unsigned code, unsigned code_bytes, enum bk_metric metric)
{
    unsigned loss = code_bytes < 2 ? BK_CODE_LOSS8 : BK_CODE_LOSS16,
             shift = bk_metric_shift(metric);

    if (code == BK_CODE_ILLEGAL)
        return BK_SCORE_NONE;
    if (code == BK_CODE_DRAW)
        return 0;
    if (code < loss)
        return (int16_t)(BK_SCORE_WIN - (int)(((code - BK_CODE_WIN) << shift) + shift));
    return (int16_t)(-BK_SCORE_WIN + (int)((code - loss) << shift));
}

/* == A row of codes as scores == */

/*
 * A symmetry of the board, or another order of a man's squares, only puts the codes of a row into
 * another order, the same for all rows of a view.  The score of a code is arithmetic: two lines,
 * one for wins and one for losses.
 *
 * A win in 2k + 1 plies for the side to move is a loss in 2k + 2 for who moved
 * there, a loss in 2k a win in 2k + 1:
 *   2 + k    2k + 2 - WIN  =  2 code - (WIN + 2)             (1)
 *   LOSS + k  WIN - 2k - 1  =  WIN - 1 + 2 LOSS - 2 code     (2)
 * To zeroing the number is d itself, 2 + d and LOSS + d: (1) and (2) with 1 for each 2.  `step` is
 * this 2 or 1, known where a function is compiled.
 */
#define OF_WIN(step)  (BK_SCORE_WIN + (step))
#define OF_LOSS(step) (BK_SCORE_WIN - 1 + (step)*BK_CODE_LOSS8)

/* Without a branch, so that the compiler does many at once. */
static inline void in_order(const uint8_t *code, unsigned n, int16_t *out, int step)
{
    for (unsigned j = 0; j < n; j++) {
        int16_t c = code[j], win = (int16_t)(step * c - OF_WIN(step));
        int16_t loss = (int16_t)(OF_LOSS(step) - step * c);
        int16_t score = c < BK_CODE_LOSS8 ? win : loss; /* 16 bits are wide enough for all */

        score = c == BK_CODE_DRAW ? 0 : score;
        out[j] = c == BK_CODE_ILLEGAL ? BK_SCORE_NONE : score;
    }
}

static inline void row_scores(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                              int16_t *out, int step)
{
    int16_t score[BK_SQ_NONE + 1];

    if (!place) {
        in_order(code, n, out, step);
        return;
    }
    in_order(code, span, score, step); /* the scores, not the codes: bytes that are written one by
                                    one and read by sixteens make the machine wait */
    score[BK_SQ_NONE] = BK_SCORE_NONE;
    for (unsigned j = 0; j < n; j++)
        out[j] = score[place[j]];
}

void bk_row_scores_portable(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                            int16_t *out)
{
    row_scores(code, span, place, n, out, 2);
}

void bk_row_scores_portable_zeroing(const uint8_t *code, unsigned span, const uint8_t *place,
                                    unsigned n, int16_t *out)
{
    row_scores(code, span, place, n, out, 1);
}

#ifdef __x86_64__
#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

static inline uint64_t lowest_bits(unsigned n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

VBMI static inline void put_scores(__m256i codes, __mmask32 there, int16_t *out, int step)
{
    __m512i code = _mm512_cvtepu8_epi16(codes);
    __m512i steps = step == 2 ? _mm512_add_epi16(code, code) : code;
    __mmask32 losses = _mm512_cmpge_epi16_mask(code, _mm512_set1_epi16(BK_CODE_LOSS8));
    __mmask32 some = _mm512_cmpneq_epi16_mask(code, _mm512_set1_epi16(BK_CODE_DRAW));
    __m512i score = _mm512_maskz_sub_epi16(some, steps, _mm512_set1_epi16((int16_t)OF_WIN(step)));

    score = _mm512_mask_sub_epi16(score, losses, _mm512_set1_epi16((int16_t)OF_LOSS(step)), steps);
    score = _mm512_mask_mov_epi16(score, _mm512_testn_epi16_mask(code, code),
                                  _mm512_set1_epi16(BK_SCORE_NONE));
    _mm512_mask_storeu_epi16(out, there, score);
}

/* Of up to 128 places; larger boards go the plain way. */
VBMI static inline void row_scores_vbmi(const uint8_t *code, unsigned span, const uint8_t *place,
                                        unsigned n, int16_t *out, int step)
{
    __m512i low, high = _mm512_setzero_si512();

    if (span > 128) {
        row_scores(code, span, place, n, out, step);
        return;
    }
    low = _mm512_maskz_loadu_epi8(lowest_bits(span), code);
    if (span > 64)
        high = _mm512_maskz_loadu_epi8(lowest_bits(span - 64), code + 64);
    for (unsigned j = 0; j < n; j += 64) {
        uint64_t there = lowest_bits(n - j);
        __m512i row = j ? high : low;

        if (place) {
            __m512i from = _mm512_maskz_loadu_epi8(there, place + j);
            __mmask64 codes = _mm512_cmpneq_epi8_mask(from, _mm512_set1_epi8((char)BK_SQ_NONE));

            row = _mm512_maskz_permutex2var_epi8(codes, low, from, high);
        }
        put_scores(_mm512_castsi512_si256(row), (__mmask32)there, out + j, step);
        if (n - j > 32)
            put_scores(_mm512_extracti64x4_epi64(row, 1), (__mmask32)(there >> 32), out + j + 32,
                       step);
    }
}

VBMI void bk_row_scores_vbmi(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                             int16_t *out)
{
    row_scores_vbmi(code, span, place, n, out, 2);
}

VBMI void bk_row_scores_vbmi_zeroing(const uint8_t *code, unsigned span, const uint8_t *place,
                                     unsigned n, int16_t *out)
{
    row_scores_vbmi(code, span, place, n, out, 1);
}
#endif

void bk_codes_of_bits(const uint64_t *won, const uint64_t *draw, uint64_t at, unsigned n,
                      uint8_t *code)
{
    for (unsigned j = 0; j < n; j += 64) {
        unsigned part = n - j < 64 ? n - j : 64;
        uint64_t w = bk_bits_at(won, at + j, part), d = bk_bits_at(draw, at + j, part);

        for (unsigned i = 0; i < part; i += 8, w >>= 8, d >>= 8) {
            uint64_t eight = bk_bits_to_bytes(w & ~d) * BK_CODE_WIN +
                             bk_bits_to_bytes(d & ~w) * BK_CODE_DRAW +
                             bk_bits_to_bytes(~(w | d)) * BK_CODE_LOSS8; /* both: BK_CODE_ILLEGAL */

            for (unsigned b = 0; b < 8; b++) /* one store on little-endian machines */
                code[j + i + b] = (uint8_t)(eight >> (8 * b));
        }
    }
}

/* VBMI, which puts 64 bytes in order at once, is newer than the rest of AVX-512. */
bk_row_scores *bk_row_scores_for(enum bk_metric metric)
{
    bool zeroing = metric == BK_TO_ZEROING;

#ifdef __x86_64__
    if (bk_cpu() == BK_CPU_AVX512 && __builtin_cpu_supports("avx512vbmi"))
        return zeroing ? bk_row_scores_vbmi_zeroing : bk_row_scores_vbmi;
#endif
    return zeroing ? bk_row_scores_portable_zeroing : bk_row_scores_portable;
}

/* == Tables == */

/* Sets what follows from the metric. */
static void set_scores(struct bk_memtable *t)
{
    enum bk_metric metric = bk_memtable_metric(t);

    for (unsigned code = 0; code < 256; code++)
        t->score8[code] = bk_score_before(bk_code_score(code, 1, metric));
    t->row_scores = bk_row_scores_for(metric);
}

void bk_memtable_count_to_zeroing(struct bk_memtable *t)
{
    t->nmove = (uint16_t)bk_rules_nmove(t->ix->v);
    set_scores(t);
}

enum bk_err bk_memtable_new(struct bk_memtable **out, const struct bk_variant *v,
                            const struct bk_material *m, struct bk_report *why)
{
    struct bk_memtable *t = calloc(1, sizeof *t);
    enum bk_err err;

    if (!t)
        return bk_no_memory(why);
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
        return bk_no_memory(why);
    }
    set_scores(t);
    *out = t;
    return BK_OK;
}

struct bk_memtable *bk_memtable_beside(const struct bk_memtable *t)
{
    struct bk_memtable *beside = malloc(sizeof *beside);

    if (!beside)
        return NULL;
    *beside = *t;
    beside->also = NULL;
    beside->borrows_index = true;
    beside->block = calloc(t->ix->nblocks, sizeof *t->block);
    if (!beside->block) {
        free(beside);
        return NULL;
    }
    return beside;
}

void bk_memtable_free(struct bk_memtable *t)
{
    while (t) {
        struct bk_memtable *also = t->also;

        for (uint32_t i = 0; t->block && i < t->ix->nblocks; i++)
            bk_memblock_free(&t->block[i]);
        free(t->block);
        if (also)
            also->borrows_index = t->borrows_index;
        else if (!t->borrows_index)
            bk_index_free(t->ix);
        free(t);
        t = also;
    }
}

const struct bk_memtable *bk_memtable_for(const struct bk_memtable *t, unsigned colour,
                                          unsigned type)
{
    const struct bk_memtable *part = t;

    while (part && (part->of_colour != colour || part->of_type != type))
        part = part->also;
    return t->also && part ? part : t;
}

uint64_t bk_memtable_bytes(const struct bk_memtable *t)
{
    uint64_t bytes = t->also ? bk_memtable_bytes(t->also) : 0;

    for (uint32_t i = 0; !t->by_rule && i < t->ix->nblocks; i++) {
        const struct bk_memblock *mb = &t->block[i];
        uint64_t places = (uint64_t)t->ix->block[i].pairs->nslices * mb->slice_stride;

        for (unsigned side = 0; side < 2; side++)
            bytes += mb->code[side] ? bk_memblock_bytes(places, t->code_bytes) / 2 : 0;
    }
    return bytes;
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

void *bk_memtable_array(const struct bk_memtable *t, size_t bytes)
{
    return t->by_share ? bk_spill_new_sparse(bytes) : bk_spill_new(t->spill, bytes);
}

bool bk_memtable_alloc(struct bk_memtable *t, uint32_t block)
{
    struct bk_memblock *mb = &t->block[block];
    uint64_t places = (uint64_t)t->ix->block[block].pairs->nslices * mb->slice_stride;
    size_t bytes = bk_memblock_array_bytes(places, t->code_bytes);
    bool ok = true;

    for (unsigned side = 0; side < 2; side++) {
        ok = ok && (mb->code[side] = bk_memtable_array(t, bytes));
        if (!t->code_bytes)
            ok = ok && (mb->draw[side] = bk_memtable_array(t, bytes));
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
    mb->trimmed = false;
}

/* == One position == */

/* The codes of the bits code + 2 * draw. */
static const uint8_t code_of_bits[4] = { BK_CODE_LOSS8, BK_CODE_WIN, BK_CODE_DRAW,
                                         BK_CODE_ILLEGAL };

/* Returns the two bits of one place of a table with bitmaps: code + 2 * draw. */
static inline unsigned two_bits(const struct bk_memblock *mb, unsigned stm, uint64_t at)
{
    unsigned won = (unsigned)(((const uint64_t *)mb->code[stm])[at >> 6] >> (at & 63)) & 1;
    unsigned draw = (unsigned)(((const uint64_t *)mb->draw[stm])[at >> 6] >> (at & 63)) & 1;

    return won | draw << 1;
}

unsigned bk_memblock_code(const struct bk_memtable *t, const struct bk_memblock *mb, unsigned stm,
                          uint64_t at)
{
    if (t->code_bytes == 0)
        return code_of_bits[two_bits(mb, stm, at)];
    return t->code_bytes == 1 ? ((const uint8_t *)mb->code[stm])[at]
                              : ((const uint16_t *)mb->code[stm])[at];
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
    pair = bk_index_pair(ix, &at);
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
    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned digit = mb->raw[s] ? at.sq[s] : ix->cells[s]->place_of[at.sq[s]];

        digit = bk_memblock_digit(mb, s, digit);
        if (digit == BK_SQ_NONE || !mb->code[stm])
            return BK_CODE_ILLEGAL;
        offset += mb->stride[s] * digit;
    }
    return bk_memblock_code(t, mb, stm, offset);
}
