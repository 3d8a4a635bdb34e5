/*
 * left.h - files of a game's folder that a builder works with, and leaves where it is killed.
 *
 * They begin with a dot (locks, checkpoints and their parts: .KRvKN.ckpt.00000001.0) or end in
 * ".part" (KRvKN.bkw.part).  The folder is read once a build, and its tables are looked up in what
 * was found: a look for each table would take time as the square of their number.
 */
#ifndef BK_LEFT_H
#define BK_LEFT_H

#include <stdbool.h>
#include <stddef.h>

#include "table/material.h"

/* Begins as zeros: nothing was left. */
struct bk_left {
    char (*name)[BK_MATERIAL_NAME_MAX]; /* owned: their tables, ascending */
    size_t n, room;
    bool unknown; /* the folder could not be read: any table may have some */
};

/* Reads what is there now.  Later files are not seen: they are left to the next build. */
void bk_left_read(struct bk_left *l, const char *dir, const char *variant);
/* May there be files of the table with this name? */
bool bk_left_has(const struct bk_left *l, const char *table);
void bk_left_free(struct bk_left *l);

#endif
