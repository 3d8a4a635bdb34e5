/*
 * kernel.h - the passes over a slice.
 *
 * passes.c is compiled once for each width of a set and each instruction set;
 * bk_kernel_for() picks one of the results.  A pass is run by one thread with
 * scratch_bytes() of its own, aligned to 64; it may read any slice and writes
 * only its own, so that all slices may be worked on at a time.
 */
#ifndef BK_KERNEL_H
#define BK_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tb/kernel/kings.h"

struct bk_setup;
struct bk_solver;
struct bk_tally;

struct bk_memblock;

/* A solved block of a group, and where the group's arrays hold its positions. */
struct bk_delivery {
    const struct bk_setup *block; /* setup of the block by itself, for its layout and counts */
    struct bk_memblock *mb;       /* receives the block's codes or bitmaps, and what exits attain */
    const uint32_t *conf;         /* the group's configuration, by the block's configuration */
    const uint8_t *map;           /* the group's square, by the block's square */
    bool turned;                  /* `map` is not the identity */
};

/* Where finish_group() writes a configuration of a group. */
struct bk_landing {
    const struct bk_delivery *to; /* the block that receives it; NULL: none does */
    uint32_t conf;                /* its number in that block */
};

struct bk_kernel {
    const char *name;
    size_t set_bytes;
    unsigned lanes;    /* sets in a vector */
    size_t turn_bytes; /* of one bk_setup.turn_tab */
    size_t (*scratch_bytes)(const struct bk_setup *s);
    /* fills conf.occ, conf.count, turn_tab, inner_sets, inner_twice, moves by vectors; false: no
       memory */
    bool (*compile)(struct bk_setup *s);
    /* init and mated make ply 0 (legality and exits; mates and stalemates), win an odd ply, lose an
       even one.  The last three return whether they found anything. */
    void (*init)(struct bk_solver *b, uint32_t slice, void *scratch);
    bool (*mated)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    bool (*win)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    bool (*lose)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    /* with a ledger, before win, or lose (`losses`): takes the positions whose exit counts at this
       ply, as notes (memory/notes.h); the same thread runs that pass next, with the same scratch */
    void (*ripen)(struct bk_solver *b, uint32_t slice, unsigned side, bool losses,
                  const uint8_t *notes, size_t bytes, void *scratch);
    /* turns BK_DTW into codes in place, BK_WON and BK_UNDECIDED into the two bitmaps of memtable.h;
       unless it is a group, adds the slice's counts to `tally`, which is the thread's own */
    void (*finish)(struct bk_solver *b, uint32_t slice, struct bk_tally *tally, void *scratch);
    /* after finish(), unless exits_once (finish() has done it then): writes what exits attain
       (attain.h) to BK_LOSSES (wdl) and BK_WINS (distances) */
    void (*attain)(struct bk_solver *b, uint32_t slice, void *scratch);
    /* after these: copies `slice` of one block of a group to the block's own arrays, and counts
       it */
    void (*deliver)(const struct bk_solver *b, const struct bk_delivery *d, uint32_t slice,
                    struct bk_tally *tally);
    /* finish() and deliver() at once, for a group whose blocks have its frame, with distances and
       exits_once; landing[] is by the group's configurations */
    void (*finish_group)(struct bk_solver *b, const struct bk_landing *landing, uint32_t slice,
                         struct bk_tally *tally, void *scratch);
    bk_kings_solver *solve_kings; /* a block without an inner man: kings.h */
};

/* The kernels that passes.c is compiled to, by instruction set and bits of a set. */
extern const struct bk_kernel bk_kernel_portable64, bk_kernel_portable128, bk_kernel_portable256;
#ifdef __x86_64__
extern const struct bk_kernel bk_kernel_avx2_64, bk_kernel_avx2_128, bk_kernel_avx2_256;
extern const struct bk_kernel bk_kernel_avx512_64, bk_kernel_avx512_128, bk_kernel_avx512_256;
#endif

/*
 * Returns the best kernel this machine runs for a board of nsq squares.  A plan
 * asks once; everything below is handed the answer.
 *
 * For tests that compare them byte for byte, BAREKING_KERNEL (portable, avx2,
 * avx512) limits the instructions and BAREKING_SET_BITS (64, 128, 256) asks for
 * a wider word than the board needs.
 */
const struct bk_kernel *bk_kernel_for(unsigned nsq);

#endif
