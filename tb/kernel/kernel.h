/*
 * kernel.h - the passes over a slice.
 *
 * passes.c is compiled once for each width of a set and each instruction set;
 * dispatch.h picks one of the results.  A pass is run by one thread with
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

/* A solved block of a group, and where its positions are in it. */
struct bk_delivery {
    const struct bk_setup *block; /* by itself, to count */
    struct bk_memblock *mb;       /* gets its codes, or bitmaps, and what exits attain */
    const uint32_t *conf;         /* the group's configuration, by the block's */
    const uint8_t *map;           /* the block's squares to the group's */
    bool turned;                  /* they are not the same */
};

/* Where a configuration of a group goes to. */
struct bk_landing {
    const struct bk_delivery *to; /* NULL: nowhere */
    uint32_t conf;                /* of the block */
};

struct bk_kernel {
    const char *name;
    size_t set_bytes;
    unsigned lanes;    /* sets in a vector */
    size_t turn_bytes; /* of one bk_setup.turn_tab */
    size_t (*scratch_bytes)(const struct bk_setup *s);
    /* conf.occ, conf.count, turn_tab, inner_sets, moves by vectors; false: no memory */
    bool (*compile)(struct bk_setup *s);
    /* ply 0: legality and exits, mates and stalemates; then an odd ply, an even one.  They tell
       whether anything was new. */
    void (*init)(struct bk_solver *b, uint32_t slice, void *scratch);
    bool (*mated)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    bool (*win)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    bool (*lose)(struct bk_solver *b, uint32_t slice, unsigned side, void *scratch);
    /* with a ledger, before one of the last two: positions, as notes (memory/notes.h), whose exit
       counts at this ply; the same thread runs that pass next, with the same scratch */
    void (*ripen)(struct bk_solver *b, uint32_t slice, unsigned side, bool losses,
                  const uint8_t *notes, size_t bytes, void *scratch);
    /* turns BK_DTW into codes in place, BK_WON and BK_UNDECIDED into the two bitmaps of memtable.h,
       adds up, unless it is a group; `tally` is the thread's own */
    void (*finish)(struct bk_solver *b, uint32_t slice, struct bk_tally *tally, void *scratch);
    /* after finish(), which has told it if exits_once: what exits attain (attain.h), to BK_LOSSES
       (wdl) and BK_WINS (distances) */
    void (*attain)(struct bk_solver *b, uint32_t slice, void *scratch);
    /* after that: a slice of one block of a group goes to the block's own arrays, and is counted */
    void (*deliver)(const struct bk_solver *b, const struct bk_delivery *d, uint32_t slice,
                    struct bk_tally *tally);
    /* both at once for a group whose blocks have its frame, with distances and exits_once:
       landing[] by its configurations */
    void (*finish_group)(struct bk_solver *b, const struct bk_landing *landing, uint32_t slice,
                         struct bk_tally *tally, void *scratch);
    bk_kings_solver *solve_kings; /* a block without an inner man: kings.h */
    bk_kings_bytes *kings_bytes;
};

#endif
