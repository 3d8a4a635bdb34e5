/*
 * layout.h - codes laid out as the solver does, for a checkpoint's.
 */
#ifndef BK_LAYOUT_H
#define BK_LAYOUT_H

#include "tb/kernel/kernel.h"
#include "tb/memory/memtable.h"

/* Memory for a block's codes, zeroed.  taken: as in prepare.h. */
enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            bool taken, struct bk_report *why);

#endif
