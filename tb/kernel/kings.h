/*
 * kings.h - blocks in which no man can be the inner one: all are pawns, say, that go forward or
 * shuffle on their last rank.  There the black king takes its place.
 */
#ifndef BK_KINGS_H
#define BK_KINGS_H

#include <stdbool.h>
#include <stddef.h>

struct bk_memblock;
struct bk_setup;
struct bk_spill;
struct bk_tally;

/*
 * Solves such a block in the caller's thread.
 *
 * s        prepared, with its exits
 * mb       gets its codes, and what exits attain if s says so, in memory from `spill`
 * tally    gets the counts, and with distances the longest results, as from the kernels
 * too_far  set if distances do not fit: then there are no codes and no counts
 *
 * False: no memory.  In a dry run (memory/spill.h) only the memory is taken.
 */
typedef bool bk_kings_solver(const struct bk_setup *s, struct bk_spill *spill,
                             struct bk_memblock *mb, struct bk_tally *tally, bool *too_far);

/* A block with more configurations, of men that shuffle, is solved slice by slice (passes.c).  A
   configuration takes 60 to 120 KB on a hundred squares. */
#define BK_KINGS_CONFIGURATIONS_MAX 2048

/* By instruction set and width of a set. */
bk_kings_solver bk_kings_portable64, bk_kings_portable128, bk_kings_portable256;
#ifdef __x86_64__
bk_kings_solver bk_kings_avx2_64, bk_kings_avx2_128, bk_kings_avx2_256;
bk_kings_solver bk_kings_avx512_64, bk_kings_avx512_128, bk_kings_avx512_256;
#endif

#endif
