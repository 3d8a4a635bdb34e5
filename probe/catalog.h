/*
 * catalog.h - which table answers a position, and where its files are.
 *
 * A catalogue belongs to one game and one list of folders.  The first question
 * about a material looks for its files and opens them; what came of it, a
 * missing table included, is remembered until the catalogue is freed.
 *
 * Threads: any number may share one.  Questions about a known material take
 * no lock; opening files is done by one thread at a time.
 */
#ifndef BK_CATALOG_H
#define BK_CATALOG_H

#include "table/format.h"

struct bk_catalog;

/* Where a position's value is kept. */
struct bk_spot {
    struct bk_file *wdl, *dtw; /* borrowed; dtw NULL: no distances */
    unsigned side;             /* to move, in the table's colours */
    uint64_t wdl_number, dtw_number;
};

/* v borrowed; paths (folders, separated by ':') copied.  *out owned. */
enum bk_err bk_catalog_new(struct bk_catalog **out, const struct bk_variant *v, const char *paths,
                           struct bk_report *why);
void bk_catalog_free(struct bk_catalog *c); /* NULL is fine */

/*
 * Finds the spot of a legal position that no bare king decides (bk_pos_bare()).
 * En passant square and move number are not looked at.
 *
 * Returns BK_OK; BK_E_NO_TABLE, naming it; BK_E_CORRUPT; BK_E_SYSTEM.
 * Cost: about 0.1 us once the files are open.
 */
enum bk_err bk_catalog_find(struct bk_catalog *c, const struct bk_pos *p, struct bk_spot *out,
                            struct bk_report *why);

#endif
