/*
 * state.h - the arrays of a block that is being solved, by slice.
 *
 * Passes reach the arrays through bk_state_slice() alone.  An array has the same number of bytes
 * for every slice, and what a pass reads of other slices does not change in that pass.  So only
 * this file knows where the memory of a slice is.
 */
#ifndef BK_STATE_H
#define BK_STATE_H

#include <stdatomic.h>

#include "tb/kernel/setup.h"
#include "tb/memory/spill.h"

/* Each exists for both sides to move.  passes.c tells what holds of the sets at any time. */
enum bk_array {
    BK_WON,       /* sets: won by now, or illegal, or two men on one square */
    BK_UNDECIDED, /* sets: legal and not decided */
    BK_OPEN,      /* sets: no exit (conversion) draws or wins; not there if compact */
    BK_FORCED,    /* sets, where captures are forced alone: the mover has one, so that no quiet move
                     counts */
    BK_WINS,      /* sets: the frontier: wins found by the last win() */
    BK_LOSSES,    /* sets: losses found by the last lose(); to zeroing: of the last even ply */
    BK_LOSSES_ODD, /* sets, to zeroing alone: those of the last odd ply */
    BK_EXIT_WINS,  /* sets, if exits_once alone: an exit wins, at whatever ply */
    BK_WIN_MARKS,  /* 64-bit words: vectors of BK_WINS that hold anything */
    BK_LOSS_MARKS, /* the same of BK_LOSSES */
    BK_LOSS_MARKS_ODD,
    BK_ANY_WIN,  /* a byte: is any mark set? */
    BK_ANY_LOSS, /* the same of losses */
    BK_ANY_LOSS_ODD,
    BK_TODO_WIN,     /* an atomic byte: the next win() has something to do here; to zeroing: that of
                        the next odd ply, since an even lose() says so */
    BK_TODO_WIN_ODD, /* to zeroing alone: that of the next even ply */
    BK_TODO_LOSE,    /* the same of the next lose() */
    BK_WAITS,        /* 64-bit words, by configuration: mask of numbers k (the last bit: or more)
                        at which a position is to be looked at, whatever moved */
    BK_VECTOR_WAITS, /* the same of whole vectors: for wins, then for losses */
    BK_SLICE_WAITS,  /* two words: the same of the slice */
    BK_DELAYS,       /* 16-bit numbers, by vector: k of its latest losing exit */
    BK_LATER,        /* sets, with a ledger alone: positions with a losing exit whose ply is still
                        to come */
    BK_DTW,          /* k: `width` numbers a configuration, by square of the inner man; if
                        exits_once the top bit says that an exit wins as soon.  Arrays from BK_WAITS
                        on exist only with distances; with a ledger, of these BK_DELAYS and BK_LATER
                        alone */
    BK_ARRAYS
};

/*
 * Numbers k are plies / 2 if distances are to the end: odd plies win, even ones lose.  To zeroing
 * they are plies, and each ply has both passes, first lose(), which looks at what was won before
 * it, then win(), which wants the losses of the ply before: so these exist twice.
 */
struct bk_state {
    void *array[BK_ARRAYS][2];     /* by side to move; NULL: not there */
    size_t slice_bytes[BK_ARRAYS]; /* 0: not there */
    uint32_t nslices;
    bool sparse;                          /* most slices are another process's: ranks.h */
    bool attains;                         /* attain.h: BK_LOSSES stays, BK_WINS with distances */
    bool grouped, ledger;                 /* with either no array stays */
    void *piece;                          /* owned; holds all arrays that do not stay */
    uint32_t ply;                         /* the ply under way */
    bool losing;                          /* the pass under way is lose() (or mated()), not win() */
    unsigned shift;                       /* of plies to become k: 1, or 0 */
    atomic_uint last_wait;                /* the last k for which a position waits */
    atomic_int last_win[2], last_loss[2]; /* ply of the last win, or loss, found; -1: none */
};

/* Returns where `slice` begins in an array. */
static inline void *bk_state_slice(const struct bk_state *st, enum bk_array array, unsigned side,
                                   uint32_t slice)
{
    return (char *)st->array[array][side] + slice * st->slice_bytes[array];
}

/* Returns the frontier of losses of a ply, its marks, and whether there are any. */
static inline enum bk_array bk_losses_of(uint32_t ply)
{
    return ply & 1 ? BK_LOSSES_ODD : BK_LOSSES;
}
static inline enum bk_array bk_loss_marks_of(uint32_t ply)
{
    return ply & 1 ? BK_LOSS_MARKS_ODD : BK_LOSS_MARKS;
}
static inline enum bk_array bk_any_loss_of(uint32_t ply)
{
    return ply & 1 ? BK_ANY_LOSS_ODD : BK_ANY_LOSS;
}
/* Returns where lose() of a ply says what win() of the next has to do. */
static inline enum bk_array bk_todo_win_of(uint32_t ply)
{
    return ply & 1 ? BK_TODO_WIN_ODD : BK_TODO_WIN;
}

/* == What a ply has to do == */

/* Returns k of a ply. */
static inline unsigned bk_state_k(const struct bk_state *st) { return st->ply >> st->shift; }

/* Returns the bit of k in a mask of waits; the last one: k of 63 or more. */
static inline uint64_t bk_wait_bit(unsigned k) { return UINT64_C(1) << (k < 63 ? k : 63); }

/* Returns the slice's mask of the plies for which wins, or `losses`, wait in it. */
static inline uint64_t *bk_state_waits(const struct bk_state *st, unsigned side, bool losses,
                                       uint32_t slice)
{
    return (uint64_t *)bk_state_slice(st, BK_SLICE_WAITS, side, slice) + losses;
}

/* Returns the bit of the ply under way if anything in the slice waits for it; 0: nothing, or a
   ledger. */
static inline uint64_t bk_state_due(const struct bk_state *st, unsigned side, bool losses,
                                    uint32_t slice)
{
    /* a win at ply 1 is in the frontier; a loss at ply 1 is one to zeroing */
    if (!st->slice_bytes[BK_SLICE_WAITS] || st->ply <= (st->shift | !losses))
        return 0;
    return *bk_state_waits(st, side, losses, slice) & bk_wait_bit(bk_state_k(st));
}

/* Returns 0 unless the last pass, over this slice or a neighbour, has left the pass of this ply
   something to look at in `slice`.  What waits for this ply comes besides: bk_state_due(), or a
   ledger. */
static inline uint8_t bk_state_todo(const struct bk_state *st, unsigned side, uint32_t slice)
{
    const _Atomic uint8_t *todo =
        bk_state_slice(st, st->losing ? BK_TODO_LOSE : bk_todo_win_of(st->ply - 1), side, slice);

    return atomic_load_explicit(todo, memory_order_relaxed);
}

/* Returns whether the pass of this ply, from 1 on, has nothing to find in a slice, and no frontier
   to clear.  Most slices rest in most plies.  Not with a ledger, whose log may have some due. */
static inline bool bk_state_rests(const struct bk_state *st, unsigned side, uint32_t slice)
{
    bool losses = st->losing;
    const uint8_t *any =
        bk_state_slice(st, losses ? bk_any_loss_of(st->ply) : BK_ANY_WIN, side, slice);

    return !(bk_state_todo(st, side, slice) | *any) && !bk_state_due(st, side, losses, slice);
}

/* Raises `*max` to at least `k`; threads may do so at once. */
static inline void bk_raise_to(atomic_uint *max, unsigned k)
{
    unsigned seen = atomic_load_explicit(max, memory_order_relaxed);

    while (seen < k && !atomic_compare_exchange_weak_explicit(max, &seen, k, memory_order_relaxed,
                                                              memory_order_relaxed))
        ;
}

/* Sets slice_bytes, nslices and the flags for a setup; allocates nothing. */
void bk_state_measure(struct bk_state *st, const struct bk_setup *s, size_t set_bytes);
/* Returns the bytes of all arrays. */
uint64_t bk_state_bytes(const struct bk_state *st);

/* Returns whether others read the array when the block is solved. */
bool bk_state_stays(const struct bk_state *st, enum bk_array a);

/*
 * Arrays that do not stay lie in one piece, large enough for huge pages; that
 * of a solved block is kept for the next one, which has to clear only a part.
 */
enum { BK_SPARES_MAX = 32 };

struct bk_spares {
    void *piece[BK_SPARES_MAX];
    size_t bytes; /* of each */
    unsigned n;
};

void bk_spares_free(struct bk_spares *spares);

/*
 * Allocates the arrays of a state that is measured: sets have any value, the
 * rest is zero.  spill, spares: NULL is fine.  False: no memory; bk_state_free()
 * frees what there is.
 */
bool bk_state_new(struct bk_state *st, struct bk_spill *spill, struct bk_spares *spares);
/*
 * Turns the numbers of one byte in BK_DTW, an array of its own, into numbers of two.  marked: the
 * top bit of each is a mark, and stays the top one.  Takes half as much memory again meanwhile.
 * False: no memory; all is still to be freed.
 */
bool bk_state_widen(struct bk_state *st, bool marked, struct bk_spill *spill);
/* Frees all arrays; those in one piece go to `spares`, to be used again (NULL: they are freed,
   too). */
void bk_state_free(struct bk_state *st, struct bk_spares *spares);

/* Frees the arrays that do not stay, of a solved block, before the others are handed on. */
void bk_state_free_piece(struct bk_state *st);

/* Hands an array on; the state has it no longer.  Owned: bk_spill_free(). */
void *bk_state_take(struct bk_state *st, enum bk_array array, unsigned side);

#endif
