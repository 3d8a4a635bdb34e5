/*
 * slice.h - what the passes over a slice share.
 *
 * Part of passes.c, as all files of this folder.
 */
#ifndef BK_KERNEL_SLICE_H
#define BK_KERNEL_SLICE_H

#include <assert.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "tb/kernel/solver.h"
#include "tb/kernel/squares.h"
#include "tb/kernel/ways.h"

/* == A slice under way == */

/* A slice that a pass works on, and what it reads besides. */
struct ctx {
    /* the same for all slices */
    const struct bk_setup *s;
    const struct bk_bits *path;
    set board, live; /* live: all ones if there is an inner man, else none */
    lanes inner_cell, inner_stay;
    const lanes *src;   /* by step of the inner man: squares from which it stays on the rectangle */
    unsigned doublings; /* rounds in which a ride's length doubles, until it spans the board */
    /* of the slice under way */
    const struct bk_state *st;
    uint32_t slice;
    unsigned king[2];      /* of a game with royals; else the anchors' squares */
    struct bk_fixed fixed; /* the setup's, and the anchors, who stand still in a slice */
    set base_occ;          /* kings and fixed men */
    bool void_slice;       /* two of these stand on one square */
    unsigned nking[2];
    const struct bk_king_move *king_move[2];
    const uint32_t *king_path[2]; /* by move; NULL: he leaps */
};

/* Of games of a few kinds alone: kept out of the code that all games run. */
#define BK_SELDOM __attribute__((noinline))

/* Which slices a king can go to, with the sets that tell what the opponent has won there. */
struct near {
    unsigned nplain, nturned;
    const lanes *won[BK_SQ_MAX];       /* plain ones: of slices in the same frame */
    const lanes *undecided[BK_SQ_MAX]; /* compact, as in struct won */
    const struct bk_king_move *turned[BK_SQ_MAX];
    bool odd;   /* captures may be forced, or he rides */
    bool rides; /* it is an anchor who rides: then, by plain or turned one, what must be empty */
    uint32_t path[BK_SQ_MAX], turned_path[BK_SQ_MAX];
};

/* The last results of a side in a slice, with the marks of vectors that hold anything. */
struct frontier {
    const lanes *sets;
    const uint64_t *marks;
    uint8_t sym;   /* of the king's move to that slice */
    uint32_t path; /* what must be empty, if he rides; else not set */
};

/*
 * Rows of stored numbers that are to be read or written, each a line of memory
 * or two.  They are fetched a few at a time as more are listed, and worked on
 * when there are many, or at the end of the slice.
 */
enum { ROWS_MAX = 64 * 8 };

struct rows {
    uint32_t n, fetched;
    uint32_t conf[ROWS_MAX + LANES + 1];
    set squares[ROWS_MAX + LANES];
};

/* Positions won at this ply by an exit, each configuration once.  With exits_once alone. */
struct soon {
    uint32_t n;
    uint32_t *conf; /* nconf, and one more that may be written */
    set *squares;
};

/*
 * Vectors with positions that may be lost.  They are looked at in batches: what
 * the next ones need is prefetched meanwhile.
 */
enum { CANDIDATES_MAX = 16 };

struct candidates {
    uint32_t n;
    uint32_t vector[CANDIDATES_MAX];
    lanes sets[CANDIDATES_MAX];
};

/* == Scratch of a thread == */

struct scratch {
    struct ctx ctx;
    struct near near;
    unsigned nfrom; /* number of `from`: frontiers of the slices that the king can go to */
    struct frontier from[BK_SQ_MAX];
    struct candidates cand;
    struct rows due, found;
    struct soon soon;
    lanes *acc;       /* pitch sets: positions found by un-moves, or due at this ply */
    uint64_t *dirty;  /* nmarks words: vectors of acc that hold anything */
    uint64_t *due_in; /* nmarks words: vectors in which something has waited for this ply */
    set *quiet;       /* pitch sets, if captures are forced: positions in which other moves count */
    int16_t *best;    /* nconf * width: best exit so far */
    uint8_t *touched; /* nconf: `best` has an exit there */
    int16_t *view;    /* the largest view of an exit */
};

static size_t align64(size_t n) { return (n + 63) & ~(size_t)63; }

/* Bytes of the largest view: all men on their squares, but for one that changes on any square. */
static size_t view_bytes(const struct bk_setup *s)
{
    size_t all = (size_t)s->nconf * s->width, most = all;

    for (unsigned o = 0; all && o < s->nouter; o++) /* all is 0 if a man has no square */
        if (all / s->outer[o].n * s->v->nsq > most)
            most = all / s->outer[o].n * s->v->nsq;
    return most * sizeof(int16_t);
}

static size_t scratch_bytes(const struct bk_setup *s)
{
    return align64(sizeof(struct scratch)) +
           (1 + s->must_capture) * align64(s->pitch * sizeof(set)) +
           2 * align64(s->nmarks * sizeof(uint64_t)) +
           align64((size_t)s->nconf * s->width * sizeof(int16_t)) + align64(s->nconf) +
           align64(view_bytes(s)) + align64((s->nconf + 1u) * sizeof(uint32_t)) +
           align64((s->nconf + 1u) * sizeof(set));
}

static void *carve(char **at, size_t bytes)
{
    void *here = *at;

    *at += align64(bytes);
    return here;
}

static void lay_out(struct scratch *w, const struct bk_setup *s)
{
    char *at = (char *)w;

    carve(&at, sizeof *w);
    w->acc = carve(&at, s->pitch * sizeof(set));
    w->quiet = s->must_capture ? carve(&at, s->pitch * sizeof(set)) : NULL;
    w->dirty = carve(&at, s->nmarks * sizeof(uint64_t));
    w->due_in = carve(&at, s->nmarks * sizeof(uint64_t));
    w->best = carve(&at, (size_t)s->nconf * s->width * sizeof(int16_t));
    w->touched = carve(&at, s->nconf);
    w->view = carve(&at, view_bytes(s));
    w->soon.conf = carve(&at, (s->nconf + 1u) * sizeof *w->soon.conf);
    w->soon.squares = carve(&at, (s->nconf + 1u) * sizeof *w->soon.squares);
}

static void enter_setup(struct ctx *c, const struct bk_setup *s)
{
    const struct bk_variant *v = s->v;

    c->s = s;
    c->path = v->geometry->path;
    c->board = set_of(&v->board);
    c->live = s->inner.slot < 0 ? NONE : ~NONE;
    c->inner_cell = ((const lanes *)s->inner_sets)[0];
    c->inner_stay = ((const lanes *)s->inner_sets)[1];
    c->src = (const lanes *)s->inner_sets + 2;
    for (c->doublings = 0; 1u << c->doublings < v->files || 1u << c->doublings < v->ranks;)
        c->doublings++;
}

static void enter_slice(struct ctx *c, const struct bk_solver *b, uint32_t slice)
{
    const struct bk_setup *s = c->s;

    c->st = &b->state;
    c->slice = slice;
    c->king[0] = s->pairs->king[slice][0];
    c->king[1] = s->pairs->king[slice][1];
    c->base_occ = s->anchored ? NONE : bit(c->king[0]) | bit(c->king[1]);
    c->void_slice = false;
    c->fixed = s->fixed;
    for (unsigned side = 0; s->anchored && side < 2; side++)
        if (s->ix->anchor[side] >= 0) {
            c->fixed.slot[c->fixed.n] = (uint8_t)s->ix->anchor[side];
            c->fixed.sq[c->fixed.n++] = (uint8_t)c->king[side];
        }
    for (unsigned i = 0; i < c->fixed.n; i++) {
        if (has(c->base_occ, c->fixed.sq[i]))
            c->void_slice = true;
        c->base_occ |= bit(c->fixed.sq[i]);
    }
    for (unsigned side = 0; side < 2; side++) {
        const uint32_t *path = s->kings->path[side];

        c->king_path[side] = path ? path + s->kings->first[side][slice] : NULL;
        c->king_move[side] = s->kings->move[side] + s->kings->first[side][slice];
        c->nking[side] = s->kings->first[side][slice + 1] - s->kings->first[side][slice];
    }
}

/* Makes a thread's scratch, zeros at first, ready for a slice.  It is laid out anew for another
   setup: once a block, but where several processes share the block two setups alternate
   (bk_share_init_halo()). */
static struct scratch *enter(const struct bk_solver *b, uint32_t slice, void *memory)
{
    struct scratch *w = memory;

    if (w->ctx.s != b->setup) {
        lay_out(w, b->setup);
        enter_setup(&w->ctx, b->setup);
    }
    enter_slice(&w->ctx, b, slice);
    return w;
}

/* == Ways == */

/* Returns the square on the way of `r` where a man that takes twice takes first. */
static inline unsigned via_of(const struct ctx *c, const struct bk_reach *r)
{
    return lowest(set_of(&c->path[r->path]));
}

static inline set open_squares(const struct ctx *c, bool hops, unsigned npaths, uint32_t path,
                               set occ)
{
    return squares_off_way(c->path + path, hops, npaths, c->live, occ);
}

/* == Sets == */

/* Returns the sets of a slice as vectors of LANES. */
static inline lanes *sets_of(const struct bk_state *st, enum bk_array array, unsigned side,
                             uint32_t slice)
{
    return bk_state_slice(st, array, side, slice);
}

/* What a side has won in a slice: `won`; if compact, less `undecided`: what is in both an exit
   saves, and is no win. */
struct won {
    const lanes *won, *undecided; /* undecided: NULL unless compact */
};

static inline struct won won_in(const struct ctx *c, const struct bk_state *st, unsigned side,
                                uint32_t slice)
{
    return (struct won){ sets_of(st, BK_WON, side, slice),
                         c->s->compact ? sets_of(st, BK_UNDECIDED, side, slice) : NULL };
}

/*
 * Compact sets are written while other threads read them here: a pass saves what is undecided (won
 * 0 -> 1 where undecided is 1), and finds losses (undecided 1 -> 0 where won is 0).  Neither
 * changes won & ~undecided of any bit, whichever of the two words is read first.
 */
static inline lanes won_lanes(struct won x, size_t vector)
{
    lanes won = x.won[vector];

    if (x.undecided)
        won &= ~x.undecided[vector];
    return won;
}

static inline part won_part(struct won x, size_t vector, unsigned p)
{
    part won = part_of(&x.won[vector], p);

    if (x.undecided)
        won &= ~part_of(&x.undecided[vector], p);
    return won;
}

static inline set won_set(struct won x, size_t conf)
{
    set won = ((const set *)x.won)[conf];

    return x.undecided ? won & ~((const set *)x.undecided)[conf] : won;
}

/* == Stored numbers == */

/* Returns the row of a configuration's stored numbers k. */
static inline void *dtw_of(const struct bk_setup *s, const struct bk_state *st, unsigned side,
                           uint32_t slice, uint32_t conf)
{
    return (char *)bk_state_slice(st, BK_DTW, side, slice) + (size_t)conf * s->width * s->dtw_bytes;
}

/* Mark in the stored number of a won position: an exit wins as soon. */
enum { DTW_AS_SOON8 = 0x80, DTW_AS_SOON16 = 0x8000 };

static_assert(BK_CODE_K_MAX < DTW_AS_SOON8 && BK_CODE_K_MAX16 < DTW_AS_SOON16,
              "the top bit of a stored number is free");

static inline unsigned dtw_get(const struct bk_setup *s, const void *dtw, size_t i)
{
    return s->dtw_bytes == 1 ? ((const uint8_t *)dtw)[i] : ((const uint16_t *)dtw)[i];
}

static inline void dtw_put(const struct bk_setup *s, void *dtw, size_t i, unsigned k)
{
    if (s->dtw_bytes == 1)
        ((uint8_t *)dtw)[i] = (uint8_t)k;
    else
        ((uint16_t *)dtw)[i] = (uint16_t)k;
}

/* Returns the squares of all men but the inner one, in the configurations of a vector. */
static inline lanes occupied(const struct ctx *c, uint32_t vector)
{
    return lanes_of(c->base_occ) | ((const lanes *)c->s->conf.occ)[vector];
}

static inline part part_occupied(const struct ctx *c, uint32_t vector, unsigned p)
{
    return part_with(c->base_occ) | part_of(&((const lanes *)c->s->conf.occ)[vector], p);
}

static inline void mark(uint64_t *marks, uint32_t vector)
{
    marks[vector / 64] |= UINT64_C(1) << vector % 64;
}

/* For each marked vector of a slice; a word of `marks`, of nmarks, is read when the loop comes to
   it. */
#define EACH_MARKED(vector, marks, nmarks)                                                         \
    for (uint32_t word_ = 0; word_ < (nmarks); word_++)                                            \
        for (uint64_t left_ = (marks)[word_], vector;                                              \
             left_ &&                                                                              \
             (vector = 64 * word_ + (unsigned)__builtin_ctzll(left_), left_ &= left_ - 1, true);)

/* == Positions that wait for a ply of their own == */

/*
 * An exit wins, or ends what it delays, at its own ply, whatever moved before:
 * masks of numbers k say of a configuration, a vector and a slice at which plies
 * something in them is to be looked at.  Wins that wait and losses are told apart
 * by vectors and slices: most that waits is to be won, so that even plies
 * would look at five times as many configurations as have anything for them.
 */

/* The masks of a slice's vectors, for odd plies or for even ones. */
static inline uint64_t *vector_waits_of(const struct bk_setup *s, const struct bk_state *st,
                                        unsigned side, bool losses, uint32_t slice)
{
    return (uint64_t *)bk_state_slice(st, BK_VECTOR_WAITS, side, slice) + (losses ? s->nvec : 0);
}

/* Notes that positions of a configuration wait, to be won or to be lost, for the plies of the mask
   `waits`, the last of them 2 * most. */
static void note_wait(const struct ctx *c, struct bk_state *st, unsigned side, bool losses,
                      uint32_t conf, uint64_t waits, unsigned most)
{
    ((uint64_t *)bk_state_slice(st, BK_WAITS, side, c->slice))[conf] |= waits;
    vector_waits_of(c->s, st, side, losses, c->slice)[conf / LANES] |= waits;
    *bk_state_waits(st, side, losses, c->slice) |= waits;
    bk_raise_to(&st->last_wait, most);
}

#endif
