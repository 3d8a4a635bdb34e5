/*
 * attain.h - which positions are worth what their best exit is worth.
 *
 * An *exit* is a way out of the block that changes the material: a capture, a
 * change, a move that ends a castling right.  A file need not keep the value
 * of a position whose best exit attains it, since whoever asks looks at the
 * exits anyway:
 *   wdl        won, and an exit wins; drawn, and an exit draws
 *   distances  won, and an exit wins as soon
 * A lost position is never attained: there is nothing below a loss.
 *
 * When a block is solved its exits are valued once more, as init() did, but for
 * the positions that are not lost; the tables they lead to are still there.
 * Frontiers are of no use any more, so that the results lie in them: floss has
 * the wdl ones, fwin those of distances.
 *
 * Cost: less than init().
 */
#ifndef BK_KERNEL_ATTAIN_H
#define BK_KERNEL_ATTAIN_H

#include "tb/kernel/exits.h"

/* Of the won positions x of a configuration those whose codes, from place `base` on, are those of
   wins by the scores. */
static set as_soon(const struct bk_solver *s, unsigned side, size_t base, set x,
                   const int16_t *score)
{
    const uint8_t *code8 = (const uint8_t *)s->dtw[side] + base;
    const uint16_t *code16 = (const uint16_t *)s->dtw[side] + base;
    set soon = NONE;

#ifdef __AVX512BW__
    for (unsigned half = 0; s->dtw_bytes == 1 && half < 2 * WORDS; half++) {
        __mmask32 m = (__mmask32)(word_of(x, half / 2) >> (32 * (half & 1)));
        __m512i k;

        if (!m)
            continue;
        k = _mm512_sub_epi16(_mm512_set1_epi16(BK_SCORE_WIN + 2 * BK_CODE_WIN),
                             _mm512_maskz_loadu_epi16(m, score + 32 * half));
        m = _mm512_mask_cmpeq_epi16_mask(
            m, _mm512_srli_epi16(k, 1),
            _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(m, code8 + 32 * half)));
        soon = set_word(soon, half / 2, word_of(soon, half / 2) | (uint64_t)m << (32 * (half & 1)));
    }
    if (s->dtw_bytes == 1)
        return soon;
#endif
    EACH (sq, x) {
        unsigned code = s->dtw_bytes == 1 ? code8[sq] : code16[sq];

        if (code == BK_CODE_WIN + ((unsigned)(BK_SCORE_WIN - score[sq]) >> 1))
            soon |= bit(sq);
    }
    return soon;
}

/* won and und as finish() leaves them: illegal positions are in both. */
static void attain(struct bk_solver *s, uint32_t slice, void *work)
{
    struct scratch *w = lay_out(s, work);
    size_t first = (size_t)slice * s->pitch;

    enter(&w->ctx, s, slice);
    for (unsigned side = 0; side < 2; side++) {
        const set *won = (const set *)s->won[side] + first,
                  *und = (const set *)s->und[side] + first;
        set *by_wdl = (set *)s->floss[side] + first, *by_plies = (set *)s->fwin[side] + first;
        set *saved = by_plies; /* for now: won or drawn */
        bool any_way = false;

        memset(by_wdl, 0, s->pitch * sizeof *by_wdl);
        memset(by_plies, 0, s->pitch * sizeof *by_plies);
        if (!w->ctx.void_slice) {
            for (uint32_t conf = 0; conf < s->nconf; conf++)
                saved[conf] = won[conf] ^ und[conf];
            any_way = value_ways_out(s, w, side, saved, true);
        }
        for (uint32_t conf = 0; conf < s->nconf; conf++) {
            size_t at = (size_t)conf * s->width;
            set wins = won[conf] & ~und[conf];
            struct by_score way;

            by_plies[conf] = NONE;
            if (!any_way || !w->touched[conf])
                continue;
            way = sort_scores(w->best + at, s->width, BK_SCORE_NONE, 0);
            by_wdl[conf] = (way.winning & wins) | (way.saving & und[conf] & ~won[conf]);
            if (s->distances)
                by_plies[conf] = as_soon(s, side, (size_t)slice * s->nconf * s->width + at,
                                         way.winning & wins, w->best + at);
        }
    }
}

#endif
