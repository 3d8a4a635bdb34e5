/*
 * kings_codes.h - what kings.c has found becomes codes, bitmaps and counts.
 */
#ifndef BK_KERNEL_KINGS_CODES_H
#define BK_KERNEL_KINGS_CODES_H

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "tb/kernel/classes.h"
#include "tb/kernel/kings_block.h"
#include "tb/kernel/tally.h"

static set wins_of(const struct conf *c, unsigned side, unsigned wk)
{
    return c->won[side][wk] & c->legal[side][wk];
}

static set losses_of(const struct conf *c, unsigned side, unsigned wk)
{
    return c->legal[side][wk] & ~c->won[side][wk] & ~c->undecided[side][wk];
}

/* Turns a row of stored plies / 2 into codes. */
static void make_codes(const struct kings *g, struct conf *c, unsigned side, unsigned wk)
{
    set wins = wins_of(c, side, wk), losses = losses_of(c, side, wk);
    set draws = c->undecided[side][wk];
    uint16_t *row = row_of(g, c, side, wk);

    if (g->s->dtw_bytes == 1) {
        put_codes(row_of(g, c, side, wk), g->nsq, wins, losses, draws, BK_CODE_WIN, BK_CODE_LOSS8,
                  BK_CODE_DRAW);
        return;
    }
    for (unsigned bk = 0; bk < g->nsq; bk++)
        row[bk] = (uint16_t)(has(wins, bk)     ? BK_CODE_WIN + row[bk]
                             : has(losses, bk) ? BK_CODE_LOSS16 + row[bk]
                             : has(draws, bk)  ? BK_CODE_DRAW
                                               : BK_CODE_ILLEGAL);
}

#ifdef __BMI2__
/* A bitmap being written: `word` has its last n bits, less than a word. */
struct bits {
    uint64_t *to, word;
    unsigned n;
};

static inline void append(struct bits *b, uint64_t bits, unsigned n)
{
    b->word |= bits << b->n;
    b->n += n;
    if (b->n < 64)
        return;
    *b->to++ = b->word;
    b->n -= 64;
    b->word = n - b->n < 64 ? bits >> (n - b->n) : 0;
}

/* Writes rows to a bitmap where kings have no symmetry: there the slices of a row follow each
   other. */
static void put_rows(const struct kings *g, const set *rows, uint64_t *map)
{
    struct bits b = { map, 0, 0 };

    for (unsigned wk = 0; wk < g->nsq; wk++)
        for (unsigned w = 0; w < WORDS; w++) {
            uint64_t there = word_of(g->slices[wk], w);

            append(&b, _pext_u64(word_of(rows[wk], w), there),
                   (unsigned)__builtin_popcountll(there));
        }
    if (b.n)
        *b.to = b.word;
}
#endif

/* Returns the configuration that is solved for `conf`: of equal men one order is solved. */
static const struct conf *solved_for(const struct kings *g, uint32_t conf)
{
    return &g->conf[g->s->conf.sorted ? g->s->conf.sorted[conf] : conf];
}

/* Writes told[which] of all configurations as a bitmap, by slice and configuration. */
static void put_bits(const struct kings *g, unsigned which, uint64_t *map)
{
    const struct bk_pairs *pairs = g->s->pairs;
    uint64_t bits = 0, n = 0;

#ifdef __BMI2__
    if (g->nconf == 1 && pairs->group == 1) {
        put_rows(g, g->conf->told[which], map);
        return;
    }
#endif
    for (uint32_t slice = 0; slice < pairs->nslices; slice++)
        for (uint32_t i = 0; i < g->nconf; i++) {
            const uint8_t *king = pairs->king[slice];

            bits |= (uint64_t)has(solved_for(g, i)->told[which][king[0]], king[1]) << n % 64;
            if (++n % 64 == 0) {
                map[n / 64 - 1] = bits;
                bits = 0;
            }
        }
    if (n % 64)
        map[n / 64] = bits;
}

#if SET_IS_NUMBER
/* Copies codes where kings have no symmetry: of each row a few pieces; what lies between are the
   squares beside the white king. */
static void put_code_rows(const struct kings *g, const char *codes, char *out)
{
    size_t bytes = g->s->dtw_bytes;

    for (unsigned wk = 0; wk < g->nsq; wk++, codes += g->nsq * bytes)
        for (set left = g->slices[wk]; any(left);) {
            unsigned first = lowest(left);
            unsigned n = lowest(~shifted(left, -(int)first)); /* his own square is a gap */

            memcpy(out, codes + first * bytes, n * bytes);
            out += n * bytes;
            left &= ~((bit(n) - 1) << first);
        }
}
#endif

/* Slices whose codes are put together, so that the cache lines of each configuration are at
   hand. */
enum { SLICES_AT_ONCE = 64 };

static void put_codes_of(const struct kings *g, unsigned side, uint32_t conf, uint32_t first,
                         uint32_t end, void *out)
{
    const struct bk_pairs *pairs = g->s->pairs;
    const void *codes = solved_for(g, conf)->k[side];

    for (uint32_t slice = first; slice < end; slice++) {
        unsigned at = pairs->king[slice][0] * g->nsq + pairs->king[slice][1];
        size_t to = (size_t)slice * g->nconf + conf;

        if (g->s->dtw_bytes == 1)
            ((uint8_t *)out)[to] = ((const uint8_t *)codes)[at];
        else
            ((uint16_t *)out)[to] = ((const uint16_t *)codes)[at];
    }
}

static void put_codes_by_slice(const struct kings *g, unsigned side, void *out)
{
    uint32_t nslices = g->s->pairs->nslices;

#if SET_IS_NUMBER
    if (g->nconf == 1 && g->s->pairs->group == 1) {
        put_code_rows(g, g->conf->k[side], out);
        return;
    }
#endif
    for (uint32_t first = 0; first < nslices; first += SLICES_AT_ONCE)
        for (uint32_t i = 0; i < g->nconf; i++)
            put_codes_of(g, side, i, first,
                         nslices - first < SLICES_AT_ONCE ? nslices : first + SLICES_AT_ONCE, out);
}

/* Counts positions x of a configuration: adds the classes to *own, all placements to *all. */
static void count_slices(const struct kings *g, uint32_t conf, const set *x, uint64_t *own,
                         uint64_t *all)
{
    const struct bk_pairs *pairs = g->s->pairs;
    unsigned symmetries = (unsigned)__builtin_popcount(g->s->ix->group);

    if (pairs->group == 1) { /* every pair of kings is a slice */
        uint64_t n = 0;

        for (unsigned wk = 0; wk < g->nsq; wk++)
            n += count(x[wk]);
        *own += n;
        *all += n * symmetries;
        return;
    }
    for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
        unsigned keep = pairs->stabilizer[slice];

        if (!has(x[pairs->king[slice][0]], pairs->king[slice][1]))
            continue;
        *own += any(representatives(g->s, keep & ~1u, conf, bit(0)));
        *all += symmetries / (unsigned)__builtin_popcount(keep);
    }
}

/* Notes in `l` the first position with the code `code`: that of `plies`, the most of the block. */
static void find_longest(const struct kings *g, const void *codes, int plies, unsigned code,
                         struct bk_longest *l)
{
    struct bk_longest this = { .plies = plies,
                               .advance = g->s->b->advance,
                               .block = (uint32_t)(g->s->b - g->s->ix->block) };
    const struct bk_pairs *pairs = g->s->pairs;
    uint64_t n = (uint64_t)pairs->nslices * g->nconf, at = 0;

    if (plies < 0 || plies < l->plies)
        return;
    if (g->s->dtw_bytes == 1) {
        const uint8_t *found = memchr(codes, (int)code, n);

        at = found ? (uint64_t)(found - (const uint8_t *)codes) : n;
    } else {
        while (at < n && ((const uint16_t *)codes)[at] != code)
            at++;
    }
    this.number = at;
    if (at == n || !bk_longest_before(&this, l))
        return;
    *l = this;
    l->at = g->conf[at % g->nconf].at;
    l->at.king[0] = pairs->king[at / g->nconf][0];
    l->at.king[1] = pairs->king[at / g->nconf][1];
}

/* Writes a side's codes, or bitmaps in which what is illegal is both won and drawn. */
static void write_values(struct kings *g, struct bk_memblock *mb, unsigned side)
{
    if (g->s->distances) {
        put_codes_by_slice(g, side, mb->code[side]);
        return;
    }
    for (uint32_t i = 0; i < g->nconf; i++) {
        struct conf *c = &g->conf[i];

        for (unsigned wk = 0; wk < g->nsq; wk++) {
            c->told[0][wk] = c->won[side][wk] | ~c->legal[side][wk];
            c->told[1][wk] = c->undecided[side][wk] | ~c->legal[side][wk];
        }
    }
    put_bits(g, 0, mb->code[side]);
    put_bits(g, 1, mb->draw[side]);
}

/* Counts a configuration's positions, and makes codes of what is stored. */
static void finish_conf(const struct kings *g, uint32_t conf, unsigned side, struct bk_tally *t)
{
    struct conf *c = &g->conf[conf];
    set wins[BK_SQ_MAX], losses[BK_SQ_MAX];

    for (unsigned wk = 0; wk < g->nsq; wk++) {
        wins[wk] = wins_of(c, side, wk);
        losses[wk] = losses_of(c, side, wk);
        if (g->s->distances)
            make_codes(g, c, side, wk);
    }
    if (c->idle)
        return;
    count_slices(g, conf, wins, &t->win[side], &t->all_win[side]);
    count_slices(g, conf, c->undecided[side], &t->draw[side], &t->all_draw[side]);
    count_slices(g, conf, losses, &t->loss[side], &t->all_loss[side]);
}

static void write_codes(struct kings *g, struct bk_memblock *mb, struct bk_tally *t)
{
    unsigned loss = g->s->dtw_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    for (unsigned side = 0; side < 2; side++) {
        int win = g->last_win[side], lost = g->last_loss[side];

        for (uint32_t i = 0; i < g->nconf; i++)
            finish_conf(g, i, side, t);
        write_values(g, mb, side);
        if (!g->s->distances)
            continue;
        find_longest(g, mb->code[side], win, BK_CODE_WIN + ((unsigned)win >> 1),
                     &t->longest_win[side]);
        find_longest(g, mb->code[side], lost, loss + ((unsigned)lost >> 1), &t->longest_loss[side]);
    }
}

/* Returns the won positions of x, of a row of codes, that their best exit wins as soon. */
static set as_soon(const struct kings *g, const void *codes, set x, const int16_t *score)
{
    set soon = NONE;

    if (g->s->dtw_bytes == 1)
        return won_as_soon(codes, g->nsq, x, score, BK_SCORE_WIN + 2 * BK_CODE_WIN);
    EACH (bk, x)
        if (((const uint16_t *)codes)[bk] ==
            BK_CODE_WIN + ((unsigned)(BK_SCORE_WIN - score[bk]) >> 1))
            soon |= bit(bk);
    return soon;
}

/* Sets told[] to what exits attain of a configuration: [0] by wdl, [1] by distance. */
static void find_attained(const struct kings *g, struct conf *c, unsigned side)
{
    for (unsigned wk = 0; wk < g->nsq; wk++) {
        const int16_t *score = c->exit[side] + wk * g->nsq;
        struct by_score way;
        set wins;

        c->told[0][wk] = c->told[1][wk] = NONE;
        if (c->idle)
            continue;
        way = sort_scores(score, g->nsq, BK_SCORE_NONE, 0);
        wins = way.winning & wins_of(c, side, wk);
        c->told[0][wk] = wins | (way.saving & c->undecided[side][wk]);
        if (g->s->distances)
            c->told[1][wk] = as_soon(g, row_of(g, c, side, wk), wins, score);
    }
}

/* Writes what exits attain (attain.h), a bit a position; after write_codes(). */
static void write_attained(const struct kings *g, struct bk_memblock *mb)
{
    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < g->nconf; i++)
            find_attained(g, &g->conf[i], side);
        put_bits(g, 0, mb->attained[BK_WDL][side]);
        if (g->s->distances)
            put_bits(g, 1, mb->attained[BK_DISTANCES][side]);
    }
}

#endif
