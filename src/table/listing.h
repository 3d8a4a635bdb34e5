/*
 * listing.h - folders of tables, by the names of files: which tables there are, which file answers,
 * and what is odd about folders that have none.
 */
#ifndef BK_LISTING_H
#define BK_LISTING_H

#include <stddef.h>

#include "core/variant.h"
#include "table/head.h"

/* == Lists == */

struct bk_listed {
    struct bk_material m; /* canonical */
    char name[BK_MATERIAL_NAME_MAX];
    unsigned men;
    uint64_t wdl_bytes, dtw_bytes, five_bytes, dtz_bytes; /* of the files */
    bool plain;         /* there is a .bkw; where there is none five results answer for it */
    bool distances;     /* there is a file of distances to the end */
    bool five, zeroing; /* there is a .bk5, a .bkz */
    bool lost;          /* there are no distances, and should be; set only with `heads` */
};

/*
 * Lists the tables of a game in folders, separated by ':', by men, then name; a table that is in
 * several as the one that answers.  Names that are no canonical material of the game are passed
 * over, and distances without wdl.  A folder that is not there has none.
 *
 * heads    also finds out `lost`: reads the heads of wdl files that have no distances beside them,
 *          a read each; else no file is opened
 * *out, n  owned: free(); whatever is returned, all that could be read
 *
 * Returns BK_OK; BK_E_SYSTEM (memory, a folder that cannot be read; the first is told).
 */
enum bk_err bk_listing(struct bk_listed **out, size_t *n, const struct bk_variant *v,
                       const char *paths, bool heads, struct bk_report *why);

/* Sets `out`, PATH_MAX bytes, to the path of the file that answers, and returns it: in the first of
   the folders `dirs`, separated by ':', that has both files of the table, else in the first that
   has this one, else in the first, where it is not. */
char *bk_table_find(char *out, const char *dirs, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind);

/* == Folders that were meant otherwise == */

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
