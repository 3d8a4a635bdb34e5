/*
 * passes.c - the passes over one slice.  HOT.
 *
 * Compiled once for each width of a set (BK_SET_BITS) and each instruction
 * set; BK_KERNEL names the result.  The parts: slice.h what passes share,
 * compile.h a block's moves as vectors, init.h the first pass (with legal.h and
 * exits.h), ply.h the passes of a ply (with moves.h and inner.h), finish.h and attain.h the last.
 * All squares of the inner man are one word: bit s is "true with the inner man on s"; LANES
 * configurations are worked on at once (lanes.h).  A slice has `pitch` sets, a whole number of such
 * vectors; what is beyond its nconf configurations counts as won and never changes.  A pass reads
 * any slice but writes only its own, so slices are worked on side by side without locks.
 *
 * Invariants, for every configuration and side to move:
 *   BK_WON        grows; it holds illegal positions and clashes (two men on one
 *                 square) from the start, so that moving there is never an escape
 *   BK_UNDECIDED  legal and undecided; shrinks
 *   BK_OPEN       no exit (conversion) draws or wins: a position that is in BK_UNDECIDED, too, may
 *                 be lost.  Only init() writes it, and mated() where a stalemate is a draw and
 *                 exits are valued again: a pass need not fetch it to keep it up to date
 *   BK_EXIT_WINS  an exit wins; only init() writes it (attain.h)
 *   BK_WINS       frontier: what the last win() added to BK_WON
 *   BK_LOSSES     frontier: what the last lose() lost (state.h: to zeroing there are two)
 *   BK_DTW        of a decided position k (state.h), with a mark if an exit wins as soon and
 *                 exits_once; of an undecided one the k at which an exit counts (a win if
 *                 not open, a delay of the loss if open)
 *
 * Without distances BK_OPEN may have no array (compact): a position that an exit
 * saves is both in BK_WON and undecided, which no other position is.
 */
#include "tb/kernel/kernel.h"

#include "tb/kernel/attain.h"
#include "tb/kernel/compile.h"
#include "tb/kernel/deliver.h"
#include "tb/kernel/finish.h"
#include "tb/kernel/init.h"
#include "tb/kernel/ply.h"

#define NAME2(a, b) a##b
#define NAME1(a, b) NAME2(a, b)
#define KERNEL_NAME NAME1(bk_kernel_, BK_KERNEL)
#define STRING2(x)  #x
#define STRING1(x)  STRING2(x)

const struct bk_kernel KERNEL_NAME = {
    .name = STRING1(BK_KERNEL),
    .set_bytes = sizeof(set),
    .lanes = LANES,
    .turn_bytes = (BK_SET_BITS / 8) * 256 * sizeof(set),
    .scratch_bytes = scratch_bytes,
    .compile = compile_tables,
    .init = init,
    .mated = mated,
    .win = win,
    .lose = lose,
    .ripen = ripen,
    .finish = finish,
    .attain = attain,
    .deliver = deliver,
    .finish_group = finish_group,
    .solve_kings = NAME1(bk_kings_, BK_KERNEL),
};
