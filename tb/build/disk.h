/*
 * disk.h - how much disk a table will take, before it is made.
 */
#ifndef BK_DISK_H
#define BK_DISK_H

#include "table/index.h"
#include "table/info.h"

/*
 * A guess of the bytes of one file of a material, from what files of its kind take a position:
 * disk.c has the constants, and how far from the truth they are.  m: canonical, ix: its index.
 */
uint64_t bk_disk_guess(const struct bk_material *m, const struct bk_index *ix, enum bk_kind kind);

#endif
