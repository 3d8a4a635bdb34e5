/*
 * finish.h - the last pass over a slice: codes and counts.
 */
#ifndef BK_KERNEL_FINISH_H
#define BK_KERNEL_FINISH_H

#include "tb/kernel/classes.h"
#include "tb/kernel/legal.h"
#include "tb/kernel/tally.h"

/* Sets `at` to where the men of a position stand. */
static void place_men(const struct bk_setup *s, struct bk_placement *at, uint32_t slice,
                      uint32_t conf, unsigned sq)
{
    at->king[0] = s->pairs->king[slice][0];
    at->king[1] = s->pairs->king[slice][1];
    for (unsigned o = 0; o < s->nouter; o++)
        at->sq[s->outer[o].slot] = s->conf.sq[conf][o];
    for (unsigned i = 0; i < s->fixed.n; i++)
        at->sq[s->fixed.slot[i]] = s->fixed.sq[i];
    if (s->inner.slot >= 0)
        at->sq[s->inner.slot] = (uint8_t)sq;
    for (unsigned c = 0; s->anchored && c < 2; c++)
        if (s->ix->anchor[c] >= 0)
            at->sq[s->ix->anchor[c]] = s->pairs->king[slice][c];
}

static void consider(const struct bk_setup *s, struct bk_longest *l, int plies, uint32_t slice,
                     uint32_t conf, unsigned sq)
{
    struct bk_longest this = { .plies = plies,
                               .number = ((uint64_t)slice * s->nconf + conf) * s->width + sq,
                               .advance = s->b->advance,
                               .block = (uint32_t)(s->b - s->ix->block) };

    if (!bk_longest_before(&this, l))
        return;
    *l = this;
    place_men(s, &l->at, slice, conf, sq);
}

/* Turns the numbers k of a configuration's row, `dtw`, into codes in place. */
static void write_codes(const struct bk_setup *s, void *dtw, set wins, set losses, set draw)
{
    if (s->dtw_bytes == 1) {
        put_codes(dtw, s->width, wins, losses, draw, BK_CODE_WIN, BK_CODE_LOSS8, BK_CODE_DRAW);
        return;
    }
    for (unsigned sq = 0; sq < s->width; sq++) {
        unsigned k = dtw_get(s, dtw, sq);

        dtw_put(s, dtw, sq,
                has(wins, sq)     ? BK_CODE_WIN + k
                : has(losses, sq) ? BK_CODE_LOSS16 + k
                : has(draw, sq)   ? BK_CODE_DRAW
                                  : BK_CODE_ILLEGAL);
    }
}

/* Notes in `l` the first position of x whose plies are the maximum, `last`: its number in `dtw` is
   `stored`. */
static void longest_of(const struct ctx *c, const void *dtw, set x, int last, unsigned stored,
                       struct bk_longest *l, uint32_t conf)
{
    const struct bk_setup *s = c->s;

    if (last < 0 || !any(x) || last < l->plies)
        return;
    if (last == l->plies && ((uint64_t)c->slice * s->nconf + conf) * s->width > l->number)
        return;
    if (s->dtw_bytes == 1)
        x = where_is(dtw, s->width, x, stored, false);
    EACH (sq, x)
        if (dtw_get(s, dtw, sq) == stored) {
            consider(s, l, last, c->slice, conf, sq);
            return;
        }
}

/* A configuration that is finished, with one side to move. */
struct finished {
    unsigned side;
    uint32_t conf;
    set legal, wins, losses, draw;
    set late; /* to zeroing: decided, but later than the rule allows; else nothing */
};

/* Returns the squares of x whose number in a row is larger than k. */
static inline set beyond(const struct bk_setup *s, const void *row, set x, unsigned k)
{
    set more = NONE;

    if (s->dtw_bytes == 1)
        return k < UINT8_MAX ? where_is(row, s->width, x, k, true) : NONE;
    EACH (sq, x)
        if (dtw_get(s, row, sq) > k)
            more |= bit(sq);
    return more;
}

/* Returns the wins and losses, by a row of codes, that are later than the n-move rule allows. */
static inline set late_by_codes(const struct bk_setup *s, const void *row, set wins, set losses)
{
    unsigned loss = s->dtw_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;

    return s->nmove ? beyond(s, row, wins, BK_CODE_WIN + s->nmove) |
                          beyond(s, row, losses, loss + s->nmove)
                    : NONE;
}

/* Adds the positions x, and one of each symmetry class of them, `first`, of as many images each. */
static void count_late(struct bk_tally *t, unsigned side, const struct finished *f, set mine,
                       set first, uint64_t images)
{
    set wins = f->wins & f->late, losses = f->losses & f->late;

    t->all_cursed[side] += images * count(wins & mine);
    t->all_blessed[side] += images * count(losses & mine);
    t->cursed[side] += count(wins & first);
    t->blessed[side] += count(losses & first);
}

/* Returns those of x that stand for their class where another man could be the anchor. */
static set first_choices(const struct ctx *c, uint32_t conf, set x)
{
    const struct bk_setup *s = c->s;
    struct bk_placement at;
    set first = NONE;

    EACH (sq, x) {
        uint64_t number;

        place_men(s, &at, c->slice, conf, sq);
        number = bk_index_rank(s->ix, &at);
        if (bk_index_is_first(s->ix, number, &at))
            first |= bit(sq);
    }
    return first;
}

static void count_finished(const struct ctx *c, const struct finished *f, struct bk_tally *tally)
{
    const struct bk_setup *s = c->s;
    unsigned side = f->side, keep = s->pairs->stabilizer[c->slice] & ~1u;
    set mine = ((const set *)s->conf.count)[f->conf], all = mine;
    unsigned wins = count(f->wins & mine), draws = count(f->draw & mine);
    unsigned losses = count(f->losses & mine);
    unsigned group = (unsigned)__builtin_popcount(s->ix->group);
    uint64_t images = keep ? group / (unsigned)__builtin_popcount(keep | 1) : group;

    tally->all_win[side] += images * wins;
    tally->all_draw[side] += images * draws;
    tally->all_loss[side] += images * losses;
    if ((keep || s->choices) && any(f->legal & mine)) {
        mine = s->choices ? first_choices(c, f->conf, f->legal & mine)
                          : representatives(s, keep, f->conf, f->legal & mine);
        wins = count(f->wins & mine);
        draws = count(f->draw & mine);
        losses = count(f->losses & mine);
    }
    tally->win[side] += wins;
    tally->draw[side] += draws;
    tally->loss[side] += losses;
    if (any(f->late))
        count_late(tally, side, f, all, mine, images);
}

/* Returns the won positions of x that an exit wins as soon, and clears their marks in the row. */
static set take_as_soon(const struct bk_setup *s, void *dtw, set x)
{
    set soon = NONE;

    if (s->dtw_bytes == 1)
        return take_top_bits(dtw, s->width, x);
    EACH (sq, x) {
        unsigned k = dtw_get(s, dtw, sq);

        if (k & DTW_AS_SOON16) {
            dtw_put(s, dtw, sq, k & ~(unsigned)DTW_AS_SOON16);
            soon |= bit(sq);
        }
    }
    return soon;
}

struct attained {
    set by_wdl, by_plies;
};

/* Returns the positions of a configuration that exits attain, as noted while it was solved
   (attain.h).  dtw: its numbers, or a copy of them, whose marks are cleared. */
static inline struct attained attained_of(const struct bk_setup *s, const struct finished *f,
                                          set exit_wins, set open, void *dtw)
{
    return (struct attained){ .by_wdl = (exit_wins & f->wins) | (f->draw & ~open),
                              .by_plies = take_as_soon(s, dtw, f->wins) };
}

/* Writes what attained_of() returns to where the frontiers were. */
static void note_attained(const struct ctx *c, const struct finished *f, void *dtw)
{
    const struct bk_state *st = c->st;
    set exit_wins = ((const set *)sets_of(st, BK_EXIT_WINS, f->side, c->slice))[f->conf];
    set open = ((const set *)sets_of(st, BK_OPEN, f->side, c->slice))[f->conf];
    struct attained x = attained_of(c->s, f, exit_wins, open, dtw);

    ((set *)sets_of(st, BK_LOSSES, f->side, c->slice))[f->conf] = x.by_wdl;
    ((set *)sets_of(st, BK_WINS, f->side, c->slice))[f->conf] = x.by_plies;
}

/* Returns whether equal men are not in order: then a configuration in which they are is solved. */
static inline bool is_spare(const struct bk_setup *s, uint32_t conf)
{
    return s->conf.sorted && s->conf.sorted[conf] != conf;
}

/* Copies the results of the sorted configuration to a spare one. */
static void repeat_sorted(const struct ctx *c, unsigned side, uint32_t conf)
{
    static const enum bk_array told[] = { BK_WON, BK_UNDECIDED, BK_WINS, BK_LOSSES };
    const struct bk_setup *s = c->s;
    uint32_t sorted = s->conf.sorted[conf];

    for (unsigned i = 0; i < sizeof told / sizeof *told; i++) {
        set *sets = (set *)sets_of(c->st, told[i], side, c->slice);

        sets[conf] = sets[sorted];
    }
    if (s->distances)
        memcpy(dtw_of(s, c->st, side, c->slice, conf), dtw_of(s, c->st, side, c->slice, sorted),
               (size_t)s->width * s->dtw_bytes);
}

/* Clears what exits attain past the last configuration. */
static void note_nothing_beyond(const struct ctx *c)
{
    const struct bk_setup *s = c->s;
    size_t bytes = (s->pitch - s->nconf) * sizeof(set);

    for (unsigned side = 0; side < 2; side++) {
        memset((set *)sets_of(c->st, BK_LOSSES, side, c->slice) + s->nconf, 0, bytes);
        memset((set *)sets_of(c->st, BK_WINS, side, c->slice) + s->nconf, 0, bytes);
    }
}

/* The legality of the slice under way, for finish() and finish_group(): each thread that begins
   gets and clears one for every kernel, 1.4 MB in all. */
static _Thread_local struct legality finishing;

static void finish(struct bk_solver *b, uint32_t slice, struct bk_tally *tally, void *scratch)
{
    const struct bk_setup *s = b->setup;
    struct bk_state *st = &b->state;
    struct ctx *c = &enter(b, slice, scratch)->ctx;
    int last_win[2], last_loss[2];
    lane_sets legal[2];

    find_legality(c, &finishing);
    for (unsigned side = 0; side < 2; side++) {
        last_win[side] = atomic_load_explicit(&st->last_win[side], memory_order_relaxed);
        last_loss[side] = atomic_load_explicit(&st->last_loss[side], memory_order_relaxed);
    }
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        if (conf % LANES == 0) {
            lanes placed = placed_in(c, conf / LANES);

            for (unsigned side = 0; side < 2; side++)
                *(lanes *)legal[side] = legal_of(c, &finishing, side, conf / LANES, placed);
        }
        if (is_spare(s, conf)) {
            repeat_sorted(c, BK_WHITE, conf);
            repeat_sorted(c, BK_BLACK, conf);
            continue;
        }
        for (unsigned side = 0; side < 2; side++) {
            set *won = (set *)sets_of(st, BK_WON, side, slice) + conf;
            set *undecided = (set *)sets_of(st, BK_UNDECIDED, side, slice) + conf;
            struct finished f = { side, conf, .legal = legal[side][conf % LANES],
                                  .draw = *undecided };

            f.wins = *won & f.legal & ~f.draw;
            f.losses = f.legal & ~f.wins & ~f.draw;
            if (s->distances) {
                void *dtw = dtw_of(s, st, side, slice, conf);

                if (s->exits_once)
                    note_attained(c, &f, dtw);
                if (!s->grouped) {
                    longest_of(c, dtw, f.wins, last_win[side], (unsigned)last_win[side] >> s->shift,
                               &tally->longest_win[side], conf);
                    longest_of(c, dtw, f.losses, last_loss[side],
                               (unsigned)last_loss[side] >> s->shift, &tally->longest_loss[side],
                               conf);
                }
                if (s->nmove && !s->grouped)
                    f.late = beyond(s, dtw, f.wins | f.losses, s->nmove);
                write_codes(s, dtw, f.wins, f.losses, f.draw);
            }
            *won = f.wins | ~f.legal; /* illegal positions in both */
            *undecided = f.draw | ~f.legal;
            if (!s->grouped)
                count_finished(c, &f, tally);
        }
    }
    if (s->exits_once)
        note_nothing_beyond(c);
}

#endif
