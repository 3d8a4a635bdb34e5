/*
 * layout.h - tables that are not solved here: codes laid out as the solver would.
 */
#ifndef BK_LAYOUT_H
#define BK_LAYOUT_H

#include "tb/kernel/kernel.h"
#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* Memory for a block's codes, zeroed. */
enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            struct bk_report *why);

/* Marks illegal positions in the codes of all blocks: a file may hold anything there. */
enum bk_err bk_layout_mark_illegal(struct bk_memtable *t, const struct bk_kernel *k,
                                   struct bk_pool *pool, struct bk_report *why);

#endif
