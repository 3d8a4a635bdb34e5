/*
 * layout.h - memory for codes, laid out as the solver does, that come from a
 * checkpoint or from another process.
 */
#ifndef BK_LAYOUT_H
#define BK_LAYOUT_H

#include "tb/kernel/kernel.h"
#include "tb/memory/memtable.h"

/* Allocates a block's codes, zeroed.  taken: as in prepare.h. */
enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            bool taken, struct bk_report *why);
/* Allocates the bitmaps of what exits attain in a block that is laid out, zeroed. */
enum bk_err bk_layout_attained(struct bk_memtable *t, uint32_t block, struct bk_report *why);

/* Return the bytes of one array of a block's codes, and of one of its bitmaps. */
size_t bk_layout_code_bytes(const struct bk_memtable *t, uint32_t block);
size_t bk_layout_bit_bytes(const struct bk_memtable *t, uint32_t block);

#endif
