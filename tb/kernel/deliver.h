/*
 * deliver.h - what a solved group leaves behind: its blocks, each by itself.
 *
 * Files, and views of other tables, know of blocks only.  A position is in the
 * group's slice of the same kings, the configuration that has its men's squares,
 * and in the same place of a row; but where the group stands for mirrored blocks,
 * or equal men are in another order there: then squares are turned.  A group may
 * hold a block twice; one is taken.
 *
 * Cost: a copy of what is kept, and the counts that finish() leaves out.
 *
 * Where all blocks have the group's frame, as those of one pawn's file, nothing is
 * turned: finish_group() writes codes where they belong when they are made, and reads the
 * group's arrays once.
 */
#ifndef BK_KERNEL_DELIVER_H
#define BK_KERNEL_DELIVER_H

#include "tb/kernel/finish.h"
#include "tb/memory/memtable.h"

/* Returns a set of the group in the squares of the block. */
static set brought(const struct bk_delivery *d, set x)
{
    set r = x;

    for (unsigned sq = 0; d->turned && sq < d->block->v->nsq; sq++)
        r = has(x, d->map[sq]) ? r | bit(sq) : r & ~bit(sq);
    return r;
}

/* Copies a row of the group's codes to the block, in the squares of the block. */
static void bring_codes(const struct bk_delivery *d, void *to, const void *from)
{
    const struct bk_setup *s = d->block;

    if (!d->turned || s->width == 1) {
        memcpy(to, from, (size_t)s->width * s->dtw_bytes);
        return;
    }
    for (unsigned sq = 0; sq < s->width; sq++)
        dtw_put(s, to, sq, dtw_get(s, from, d->map[sq]));
}

/* Writes a set to a bitmap of the block; its lowest bit alone if there is no inner man. */
static void put_set(const struct bk_delivery *d, void *map, uint32_t slice, uint32_t conf, set x)
{
    const struct bk_setup *s = d->block;
    uint64_t at = slice * d->mb->bit_slice_stride;

    if (s->inner.slot >= 0)
        ((set *)((char *)map + at / 8))[conf] = x;
    else if (has(x, 0)) /* the next slice may be another thread's, and in the same word */
        __atomic_fetch_or((uint64_t *)map + (at + conf) / 64, UINT64_C(1) << (at + conf) % 64,
                          __ATOMIC_RELAXED);
}

/* Counts a row whose codes are made, and notes its longest win and loss. */
static void count_row(const struct bk_state *st, const struct ctx *to, struct finished *f,
                      const void *row, struct bk_tally *tally)
{
    unsigned side = f->side, loss = to->s->dtw_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;
    unsigned shift = to->s->shift;

    if (to->s->distances) {
        f->late = late_by_codes(to->s, row, f->wins, f->losses);
        longest_of(to, row, f->wins, st->last_win[side],
                   BK_CODE_WIN + ((unsigned)st->last_win[side] >> shift), &tally->longest_win[side],
                   f->conf);
        longest_of(to, row, f->losses, st->last_loss[side],
                   loss + ((unsigned)st->last_loss[side] >> shift), &tally->longest_loss[side],
                   f->conf);
    }
    count_finished(to, f, tally);
}

/* Returns where the codes of a configuration of the block go. */
static inline char *codes_at(const struct bk_delivery *d, uint32_t slice, unsigned side,
                             uint32_t conf)
{
    const struct bk_setup *s = d->block;

    return (char *)d->mb->code[side] +
           (slice * d->mb->slice_stride + (size_t)conf * s->width) * s->dtw_bytes;
}

/* Copies one configuration of a slice, with `side` to move, from the group's slice `from`, and
   counts it. */
static void deliver_row(const struct bk_solver *b, const struct bk_delivery *d,
                        const struct ctx *to, uint32_t from, unsigned side, uint32_t conf,
                        struct bk_tally *tally)
{
    const struct bk_setup *s = d->block;
    const struct bk_state *st = &b->state;
    uint32_t there = d->conf[conf];
    set won = ((const set *)sets_of(st, BK_WON, side, from))[there];
    set und = ((const set *)sets_of(st, BK_UNDECIDED, side, from))[there];
    struct finished f = { .side = side, .conf = conf };
    char *row = NULL;

    won = s->inner.slot >= 0 ? brought(d, won) : won;
    und = s->inner.slot >= 0 ? brought(d, und) : und;
    f.legal = ~(won & und);
    f.wins = won & ~und;
    f.draw = und & ~won;
    f.losses = ~(won | und);
    if (s->distances) {
        row = codes_at(d, to->slice, side, conf);
        bring_codes(d, row, dtw_of(b->setup, st, side, from, there));
    } else {
        put_set(d, d->mb->code[side], to->slice, conf, won);
        put_set(d, d->mb->draw[side], to->slice, conf, und);
    }
    count_row(st, to, &f, row, tally);
}

/* Copies what exits attain of that configuration: the group's frontiers hold it. */
static void deliver_attained(const struct bk_solver *b, const struct bk_delivery *d,
                             const struct ctx *to, uint32_t from, unsigned side, uint32_t conf)
{
    for (unsigned told = 0; told < 2; told++) {
        enum bk_array sets = told == BK_WDL ? BK_LOSSES : BK_WINS;
        set x;

        if (!d->mb->attained[told][side])
            continue;
        x = ((const set *)sets_of(&b->state, sets, side, from))[d->conf[conf]];
        put_set(d, d->mb->attained[told][side], to->slice, conf,
                d->block->inner.slot >= 0 ? brought(d, x) : x);
    }
}

/* Returns the group's slice for the kings of the block's `slice`. */
static uint32_t slice_in_group(const struct bk_solver *b, const struct bk_delivery *d,
                               uint32_t slice)
{
    const struct bk_setup *s = d->block;
    const uint8_t *king = s->pairs->king[slice];

    return (uint32_t)b->setup->pairs->slice[(size_t)d->map[king[0]] * s->v->nsq + d->map[king[1]]];
}

/* If a slice has more configurations, many lie side by side, and the processor prefetches them by
   itself. */
enum { FETCHED_CONFS_MAX = 8 };

/* Prefetches what deliver() reads of a slice of few configurations, each in cache lines of its
   own. */
static void fetch_slice(const struct bk_solver *b, const struct bk_delivery *d, uint32_t from)
{
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t conf = 0; conf < d->block->nconf; conf++) {
            uint32_t there = d->conf[conf];

            __builtin_prefetch((const set *)sets_of(&b->state, BK_WON, side, from) + there);
            __builtin_prefetch((const set *)sets_of(&b->state, BK_UNDECIDED, side, from) + there);
            __builtin_prefetch((const set *)sets_of(&b->state, BK_WINS, side, from) + there);
            __builtin_prefetch((const set *)sets_of(&b->state, BK_LOSSES, side, from) + there);
            if (b->setup->distances)
                __builtin_prefetch(dtw_of(b->setup, &b->state, side, from, there));
        }
}

static void deliver(const struct bk_solver *b, const struct bk_delivery *d, uint32_t slice,
                    struct bk_tally *tally)
{
    const struct bk_setup *s = d->block;
    struct ctx to = { .s = s, .slice = slice };
    uint32_t from = slice_in_group(b, d, slice);

    if (s->nconf <= FETCHED_CONFS_MAX && slice + 1 < s->nslices)
        fetch_slice(b, d, slice_in_group(b, d, slice + 1));

    for (unsigned side = 0; side < 2; side++)
        for (uint32_t conf = 0; conf < s->nconf; conf++) {
            deliver_row(b, d, &to, from, side, conf, tally);
            deliver_attained(b, d, &to, from, side, conf);
        }
}

/* The arrays of a group's slice, one side to move, by configuration; looked up once. */
struct solved_sets {
    const set *won, *undecided, *open, *exit_wins;
    const char *dtw;
};

static struct solved_sets solved_in(const struct bk_solver *b, uint32_t slice, unsigned side)
{
    const struct bk_state *st = &b->state;

    return (struct solved_sets){ .won = (const set *)sets_of(st, BK_WON, side, slice),
                                 .undecided = (const set *)sets_of(st, BK_UNDECIDED, side, slice),
                                 .open = (const set *)sets_of(st, BK_OPEN, side, slice),
                                 .exit_wins = (const set *)sets_of(st, BK_EXIT_WINS, side, slice),
                                 .dtw = dtw_of(b->setup, st, side, slice, 0) };
}

/* Finishes one configuration of a group in its block, and counts it.  legal: its legal
   positions. */
static void land(const struct bk_state *st, const struct solved_sets *from, uint32_t conf,
                 const struct bk_landing *l, const struct ctx *to, unsigned side, set legal,
                 struct bk_tally *tally)
{
    const struct bk_delivery *d = l->to;
    const struct bk_setup *s = to->s;
    size_t row_bytes = (size_t)s->width * s->dtw_bytes;
    struct finished f = { side, l->conf, .legal = legal, .draw = from->undecided[conf] };
    char *row = codes_at(d, to->slice, side, l->conf);
    struct attained attained;

    f.wins = from->won[conf] & legal & ~f.draw;
    f.losses = legal & ~f.wins & ~f.draw;
    memcpy(row, from->dtw + conf * row_bytes, row_bytes);
    attained = attained_of(s, &f, from->exit_wins[conf], from->open[conf], row);
    put_set(d, d->mb->attained[BK_WDL][side], to->slice, l->conf, attained.by_wdl);
    put_set(d, d->mb->attained[BK_DISTANCES][side], to->slice, l->conf, attained.by_plies);
    write_codes(s, row, f.wins, f.losses, f.draw);
    count_row(st, to, &f, row, tally);
}

/* finish() and deliver() for a slice of a group whose blocks have its frame. */
static void finish_group(struct bk_solver *b, const struct bk_landing *landing, uint32_t slice,
                         struct bk_tally *tally, void *scratch)
{
    const struct bk_setup *s = b->setup;
    struct ctx *c = &enter(b, slice, scratch)->ctx, to = { .slice = slice };

    find_legality(c, &finishing);
    for (unsigned side = 0; side < 2; side++) { /* in turn: fewer arrays are gone through at once */
        struct solved_sets from = solved_in(b, slice, side);

        for (uint32_t vector = 0; vector < s->nvec; vector++) {
            lane_sets legal;

            *(lanes *)legal = legal_of(c, &finishing, side, vector, placed_in(c, vector));
            for (uint32_t i = 0; i < LANES && vector * LANES + i < s->nconf; i++) {
                uint32_t conf = vector * LANES + i;
                const struct bk_landing *l = &landing[conf];

                if (!l->to)
                    continue;
                if (is_spare(s, conf))
                    conf = s->conf.sorted[conf];
                to.s = l->to->block;
                land(&b->state, &from, conf, l, &to, side, legal[i], tally);
            }
        }
    }
}

#endif
