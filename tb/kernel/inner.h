/*
 * inner.h - how the inner man moves: a part of a vector at once, backwards.
 */
#ifndef BK_KERNEL_INNER_H
#define BK_KERNEL_INNER_H

#include "core/word.h"
#include "tb/kernel/slice.h"

static inline part unstep(const struct ctx *c, unsigned i, part x)
{
    return part_rotated(x, -c->s->inner.step[i].delta) & part_of(&c->src[i], 0);
}

/* Un-moves of a hopper: exactly one man stands between. */
static part unhop(const struct ctx *c, unsigned i, part to, part empty)
{
    unsigned range = c->s->inner.step[i].range;
    part board = part_with(c->board), before = unstep(c, i, to), beyond = NO_PART, acc = NO_PART;

    for (unsigned n = 2; range == 0 || n <= range; n++) {
        beyond = unstep(c, i, (beyond & empty) | (before & ~empty & board));
        before = unstep(c, i, before & empty);
        acc |= beyond;
        if (!part_any(before | beyond))
            break;
    }
    return acc;
}

/*
 * Un-moves of a rider.  Without a limit the way back through empty squares
 * doubles with every round: `to` grows by 1, 2, 4, ... steps, `open` keeps the
 * squares with as many empty ones before them.
 */
static inline part unride(const struct ctx *c, unsigned i, part to, part empty)
{
    unsigned range = c->s->inner.step[i].range;
    int back = -c->s->inner.step[i].delta;
    part acc = NO_PART, open = empty & part_of(&c->src[i], 0);

    if (range == 0 && back > 0) {
        for (unsigned n = 0; n < c->doublings; n++, back *= 2) {
            to |= part_up(to, (unsigned)back) & open;
            open &= part_up(open, (unsigned)back);
        }
        return unstep(c, i, to);
    }
    if (range == 0) {
        for (unsigned n = 0; n < c->doublings; n++, back *= 2) {
            to |= part_down(to, (unsigned)-back) & open;
            open &= part_down(open, (unsigned)-back);
        }
        return unstep(c, i, to);
    }
    for (unsigned n = 1; n <= range; n++) {
        to = unstep(c, i, to);
        acc |= to;
        to &= empty;
    }
    return acc;
}

/* Un-moves of one leap, or of two in one direction (same signs) with the square between empty. */
static part untwo_straight(const struct ctx *c, part to, part empty)
{
    const struct bk_inner *in = &c->s->inner;
    part acc = NO_PART;
    uint64_t done = 0;

    for (unsigned i = 0; i < in->nsteps; i++) {
        part mid = NO_PART;
        uint64_t same = 0;

        if (done >> i & 1)
            continue;
        for (unsigned j = i; j < in->nsteps; j++) {
            const struct bk_kstep *a = &in->step[i], *b = &in->step[j];

            if ((a->df > 0) - (a->df < 0) == (b->df > 0) - (b->df < 0) &&
                (a->dr > 0) - (a->dr < 0) == (b->dr > 0) - (b->dr < 0)) {
                same |= UINT64_C(1) << j;
                mid |= unstep(c, j, to);
            }
        }
        acc |= mid;
        mid &= empty;
        done |= same;
        for (unsigned j = i; j < in->nsteps; j++)
            if (same >> j & 1)
                acc |= unstep(c, j, mid);
    }
    return acc;
}

/*
 * Un-moves of one leap, or of two in any directions but not back to the start:
 * the first step i may be followed by every step but its opposite.  Prefix and
 * suffix unions give "all but one" without quadratic work.
 */
static part untwo_bent(const struct ctx *c, part to, part empty)
{
    const struct bk_inner *in = &c->s->inner;
    part mid[BK_STEPS_MAX], after[BK_STEPS_MAX + 1], before = NO_PART, acc = NO_PART;
    part but[BK_STEPS_MAX];

    after[in->nsteps] = NO_PART;
    for (unsigned i = in->nsteps; i-- > 0;) {
        mid[i] = unstep(c, i, to);
        acc |= mid[i];
        mid[i] &= empty;
        after[i] = after[i + 1] | mid[i];
    }
    for (unsigned i = 0; i < in->nsteps; i++) {
        but[i] = before | after[i + 1];
        before |= mid[i];
    }
    for (unsigned i = 0; i < in->nsteps; i++) {
        int op = in->step[i].opposite;

        acc |= unstep(c, i, op < 0 ? before : but[op]);
    }
    return acc;
}

/*
 * Returns from where the inner man reaches `to` in one move, `empty` being the
 * empty squares without it; occupied squares may be among them.  how: BK_QUIET
 * or BK_TAKES.
 */
static part inner_into_part(const struct ctx *c, part to, part empty, unsigned how)
{
    const struct bk_inner *in = &c->s->inner;
    part acc = NO_PART;

    if (in->two_steps)
        return in->bend ? untwo_bent(c, to, empty) : untwo_straight(c, to, empty);
    for (unsigned i = 0; i < in->nsteps; i++) {
        if (!(in->step[i].how & how))
            continue;
        if (in->step[i].how & BK_HOPS)
            acc |= unhop(c, i, to, empty);
        else if (in->step[i].range == 1)
            acc |= unstep(c, i, to);
        else
            acc |= unride(c, i, to, empty);
    }
    return acc;
}

/* Returns inner_into_part() for a whole vector. */
static inline lanes inner_into(const struct ctx *c, lanes to, lanes empty, unsigned how)
{
    lanes from;

    EACH_PART (p)
        set_part(&from, p, inner_into_part(c, part_of(&to, p), part_of(&empty, p), how));
    return from;
}

/* The ends of the moves by which the inner man takes on `via`. */
static inline set ends_of_twice(const struct bk_setup *s, unsigned via)
{
    return ((const set *)s->inner_twice)[via];
}

/* Returns the squares from which such a move, taking on `via`, ends on `to`. */
static inline set beginnings_of_twice(const struct bk_setup *s, unsigned via, unsigned to)
{
    return ((const set *)s->inner_twice)[s->v->nsq + via * s->v->nsq + to];
}

/* == Turning == */

#if defined __AVX512BW__ && BK_SET_BITS == 64
/* Returns x after a symmetry: bits become 16-bit words, which are permuted.  No table to wait
   for. */
static inline set turned(const struct bk_setup *s, unsigned sym, set x)
{
    const uint8_t *from = s->ix->unmap[sym];
    __m512i low = _mm512_movm_epi16((__mmask32)x), high = _mm512_movm_epi16((__mmask32)(x >> 32));
    __mmask32 half[2];

    if (s->inner.slot < 0)
        return x;
    for (unsigned i = 0; i < 2; i++) {
        __m512i order = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(from + 32 * i)));

        half[i] = _mm512_movepi16_mask(_mm512_permutex2var_epi16(low, order, high));
    }
    return (half[0] | (uint64_t)half[1] << 32) & (~(set)0 >> (64 - s->v->nsq));
}
#else

#if BK_SET_BITS == 64
/* Returns x after a symmetry of the 8x8 board, by arithmetic (Hacker's Delight 7-1). */
static inline set turned_square(unsigned sym, set x)
{
    if (sym & 1) {
        x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
        x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
        x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    }
    if (sym & 2)
        x = __builtin_bswap64(x);
    return sym & 4 ? bk_word_transposed(x) : x;
}
#endif

static inline set turned(const struct bk_setup *s, unsigned sym, set x)
{
    const set(*tab)[256] = s->turn_tab[sym];
    set r = NONE;

#if BK_SET_BITS == 64
    if (s->v->files == 8 && s->v->ranks == 8)
        return s->inner.slot < 0 ? x : turned_square(sym, x);
#endif
    if (count(x) <= 6) {
        const uint8_t *map = s->ix->map[sym];

        EACH (sq, x)
            r |= bit(s->inner.slot < 0 ? sq : map[sq]);
        return r;
    }
#if SET_IS_NUMBER
    for (unsigned i = 0; i < BK_SET_BITS / 8; i++)
        r |= tab[i][(uint8_t)(x >> (8 * i))];
#else
    for (unsigned i = 0; i < BK_SET_BITS / 8; i++)
        r |= tab[i][(uint8_t)(x[i >> 3] >> (8 * (i & 7)))];
#endif
    return r;
}
#endif

static inline unsigned inverse(unsigned sym)
{
    return sym & 4 ? 4 | (sym & 1) << 1 | (sym & 2) >> 1 : sym;
}

#endif
