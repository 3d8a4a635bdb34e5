/*
 * layout.h - codes laid out as the solver does, for those of a checkpoint or of
 * another process.
 */
#ifndef BK_LAYOUT_H
#define BK_LAYOUT_H

#include "tb/kernel/kernel.h"
#include "tb/memory/memtable.h"

/* Memory for a block's codes, zeroed.  taken: as in prepare.h. */
enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            bool taken, struct bk_report *why);
/* The same for what exits attain in it, which is laid out. */
enum bk_err bk_layout_attained(struct bk_memtable *t, uint32_t block, struct bk_report *why);

/* Bytes of one array of a block's codes, of one of its bitmaps. */
size_t bk_layout_code_bytes(const struct bk_memtable *t, uint32_t block);
size_t bk_layout_bit_bytes(const struct bk_memtable *t, uint32_t block);

#endif
