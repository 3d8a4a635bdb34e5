/*
 * scores.h - a row of codes as scores: what every view is made of.
 */
#ifndef BK_SCORES_H
#define BK_SCORES_H

#include <stdint.h>

/*
 * out[j] = what code[place[j]] (codes of one byte) is worth to the opponent who
 * moved into it; BK_SCORE_NONE where place[j] is BK_SQ_NONE.
 *
 * place  n places below `span`; NULL: 0, 1, ... in order
 * code   span codes; nothing beyond is read
 *
 * Threads: any.  Cost: some 9 ns for 64 where the machine puts 64 bytes in order at
 * once (AVX-512 VBMI), else some 50, 30 if they are in order.
 */
typedef void bk_row_scores(const uint8_t *code, unsigned span, const uint8_t *place, unsigned n,
                           int16_t *out);

bk_row_scores bk_row_scores_portable;
#ifdef __x86_64__
bk_row_scores bk_row_scores_vbmi;
#endif

/* The best for this machine. */
bk_row_scores *bk_row_scores_for(void);

/* Codes of n places of two bitmaps (docs of struct bk_memblock), from bit `at` on, into whole
   eights of bytes. */
void bk_codes_of_bits(const uint64_t *won, const uint64_t *draw, uint64_t at, unsigned n,
                      uint8_t *code);

#endif
