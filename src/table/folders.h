/*
 * folders.h - folders that were meant otherwise, and the errors that name them.
 */
#ifndef BK_FOLDERS_H
#define BK_FOLDERS_H

#include <stddef.h>

#include "core/variant.h"

/*
 * Says what is odd about folders in which the game has no folder of its own, GAME: that they are
 * not there ("nowhere: no such folder"), that they are such a folder ("t/chess is a game's own
 * folder: say the one above it"), or that one in them is meant ("tables of chess are in t/t: say
 * that").  An empty folder, or one with other games, is not odd.
 *
 * paths  folders, separated by ':', on Windows by ';', too
 * out    room for `room` bytes; several remarks are parted by "; "; "" if there is none
 *
 * Returns out.  Cost: a look in each folder, and in one without tables of the game at its names.
 */
char *bk_folders_odd(char *out, size_t room, const struct bk_variant *v, const char *paths);

/* The same with "; " before it, if there is anything to say: for the end of an error. */
char *bk_folders_odd_too(char *out, size_t room, const struct bk_variant *v, const char *paths);

#endif
