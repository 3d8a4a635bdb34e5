/*
 * listing.h - which tables there are in some folders, by the names of their files.
 */
#ifndef BK_LISTING_H
#define BK_LISTING_H

#include "table/head.h"

struct bk_listed {
    struct bk_material m; /* canonical */
    char name[BK_MATERIAL_NAME_MAX];
    unsigned men;
    uint64_t wdl_bytes, dtw_bytes; /* of the files */
    bool distances;                /* there is a file of distances */
    bool lost;                     /* there is none, and should be: known with `heads` */
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

#endif
