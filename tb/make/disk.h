/*
 * disk.h - how much disk a table will take, before it is made.
 */
#ifndef BK_DISK_H
#define BK_DISK_H

#include "table/head.h"
#include "table/index.h"
#include "tb/encode/unit.h"

/*
 * A guess of the bytes of one file of a material, encoded at normal effort and not standalone, from
 * what files of its kind take a position:
 * disk.c has the constants, and how far from the truth they are.  m: canonical, ix: its index.
 */
uint64_t bk_disk_guess(const struct bk_material *m, const struct bk_index *ix, enum bk_kind kind);

/* Returns how many times as much files encoded otherwise take. */
double bk_disk_share(enum bk_kind kind, enum bk_effort effort, bool standalone);

/*
 * Returns the bytes that a file of a built-in game took, not standalone, when it was made: every
 * machine makes the same.  For `best`, which was not made, normal effort's by bk_disk_share().  0:
 * it was not made, or the game's rules are others now.  name: of the canonical material.
 */
uint64_t bk_disk_known(const struct bk_variant *v, const char *name, enum bk_kind kind,
                       enum bk_effort effort);

#endif
