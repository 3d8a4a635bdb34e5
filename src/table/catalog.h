/*
 * catalog.h - which table answers a position, and where its files are.
 *
 * A catalogue belongs to one game and one list of folders.  The first question
 * about a material looks for its files; the result is remembered until the
 * catalogue is freed, also that a table is missing.  Open tables, with their
 * models and shards, are entries of a cache, which several catalogues may share;
 * an evicted table is opened again when it is next asked.
 *
 * The caller asks within a read section of the cache (a visit, cache.h).  Tables are valid until it
 * ends.  The calls of settle.h begin a section themselves.  A loose cache never closes tables.
 *
 * Threads: any number may share one.  Questions about an open table take no lock.  Files are opened
 * without a lock.
 */
#ifndef BK_CATALOG_H
#define BK_CATALOG_H

#include "table/settle.h"

struct bk_catalog;

/* Makes a catalogue.  v: borrowed; paths: folders, separated by ':', copied.  *out owned.
   bk_catalog_new_in() shares `cache`; bk_catalog_new() makes a loose one (bk_cache_new_loose()). */
enum bk_err bk_catalog_new_in(struct bk_catalog **out, struct bk_cache *cache,
                              const struct bk_variant *v, const char *paths, struct bk_report *why);
enum bk_err bk_catalog_new(struct bk_catalog **out, const struct bk_variant *v, const char *paths,
                           struct bk_report *why);
void bk_catalog_free(struct bk_catalog *c);                    /* NULL is fine */
struct bk_cache *bk_catalog_cache(const struct bk_catalog *c); /* borrowed */

/* Returns which files of a canonical material there are (BK_HAS_*); none is opened.  *unsure: there
   may be more, at a host; the sizes that are needed from it have been noted (readers.h). */
enum { BK_HAS_WDL = 1, BK_HAS_DTW = 2 }; /* a .bk5 is results, too */
unsigned bk_catalog_has(const struct bk_catalog *c, const struct bk_material *m, bool *unsure);

/*
 * Sets *out to the table of a canonical material (bk_material_canonical()).
 * Returns BK_OK; BK_E_NO_TABLE, without naming it; BK_E_CORRUPT or BK_E_NEWER, of either file;
 * BK_E_SYSTEM.
 */
enum bk_err bk_catalog_open(struct bk_catalog *c, const struct bk_material *m,
                            const struct bk_table **out, struct bk_report *why);

/*
 * Sets *out to the table of a position that no bare king decides; for bk_tables.find.  Ignores the
 * en passant square and the move number.
 *
 * Returns BK_OK, also if only the distances are damaged (bk_table.damaged); BK_E_NO_TABLE, without
 * naming it; BK_E_CORRUPT; BK_E_NEWER; BK_E_SYSTEM.
 * Cost: about 40 ns once the files are open.
 */
enum bk_err bk_catalog_table(void *catalog, const struct bk_pos *p, const struct bk_table **out,
                             struct bk_report *why);

/* For bk_tables.open: opens the table of an origin again after the cache has evicted it. */
enum bk_err bk_catalog_reopen(void *catalog, struct bk_origin *origin, bool exchanged,
                              const struct bk_table **out, struct bk_report *why);

/* As bk_catalog_table(); also sets *out to the number of `p`, which must be legal, in the wdl file.
 */
enum bk_err bk_catalog_find(struct bk_catalog *c, const struct bk_pos *p,
                            const struct bk_table **table, struct bk_spot *out,
                            struct bk_report *why);

/*
 * Names in the report the missing tables of p's material: its own first, then those that its moves
 * may lead to, of the nearest 1,000; ", and more" says that there are others.  A thread that must
 * not read files (bk_cache_only()) names only those that it knows to be missing.
 *
 * Returns BK_E_NO_TABLE; BK_E_NEEDS_BYTES if a host does not know yet which files it has.
 * Cost: a look for each file, once for each material.
 */
enum bk_err bk_catalog_missing(struct bk_catalog *c, const struct bk_pos *p, struct bk_report *why);
/* Are all tables there that bk_catalog_missing() looks for, and only distances missing?  Cost: that
   of bk_catalog_missing(), once for each material; nothing if the position's own table is missing.
 */
bool bk_catalog_lacks_distances(struct bk_catalog *c, const struct bk_pos *p);

#endif
