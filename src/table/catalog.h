/*
 * catalog.h - which table answers a position, and where its files are.
 *
 * A catalogue belongs to one game and one list of folders.  The first question
 * about a material looks for its files; the result, a missing table included,
 * is remembered until the catalogue is freed.  Open tables, and what is read of
 * them, are held by a cache, which several catalogues may share; a table that
 * was taken out is opened again when it is next asked.
 *
 * Questions are asked within a visit of the cache (cache.h), and their tables stay readable until
 * it ends; the calls of settle.h begin one themselves.  In a loose cache tables stay open.
 *
 * Threads: any number may share one.  Questions about an open table take
 * no lock; files are opened outside of one.
 */
#ifndef BK_CATALOG_H
#define BK_CATALOG_H

#include "table/settle.h"

struct bk_catalog;

/* v borrowed; paths (folders, separated by ':') copied.  *out owned.  bk_catalog_new_in() shares
   `cache`; bk_catalog_new() has one of its own, loose (bk_cache_new_loose()). */
enum bk_err bk_catalog_new_in(struct bk_catalog **out, struct bk_cache *cache,
                              const struct bk_variant *v, const char *paths, struct bk_report *why);
enum bk_err bk_catalog_new(struct bk_catalog **out, const struct bk_variant *v, const char *paths,
                           struct bk_report *why);
void bk_catalog_free(struct bk_catalog *c);                    /* NULL is fine */
struct bk_cache *bk_catalog_cache(const struct bk_catalog *c); /* borrowed */

/* Returns which files of a canonical material there are (BK_HAS_*); none is opened.  *unsure: there
   may be more, at a host; the sizes that are needed from it have been noted (readers.h). */
enum { BK_HAS_WDL = 1, BK_HAS_DTW = 2 };
unsigned bk_catalog_has(const struct bk_catalog *c, const struct bk_material *m, bool *unsure);

/*
 * Sets *out to the table of a material, in the colours that it is kept under
 * (bk_material_canonical()).
 * Returns BK_OK; BK_E_NO_TABLE, without naming it; BK_E_CORRUPT or BK_E_NEWER, of either file;
 * BK_E_SYSTEM.
 */
enum bk_err bk_catalog_open(struct bk_catalog *c, const struct bk_material *m,
                            const struct bk_table **out, struct bk_report *why);

/*
 * Sets *out to the table of a position that no bare king decides; for bk_tables.find.  En passant
 * square and move number are not looked at.
 *
 * Returns BK_OK, also where distances alone are damaged (bk_table.damaged); BK_E_NO_TABLE, without
 * naming it; BK_E_CORRUPT; BK_E_NEWER; BK_E_SYSTEM.
 * Cost: about 40 ns once the files are open.
 */
enum bk_err bk_catalog_table(void *catalog, const struct bk_pos *p, const struct bk_table **out,
                             struct bk_report *why);

/* For bk_tables.open: opens the table of an origin again after the cache has taken it out. */
enum bk_err bk_catalog_reopen(void *catalog, struct bk_origin *origin, bool exchanged,
                              const struct bk_table **out, struct bk_report *why);

/* As bk_catalog_table(); also sets *out to where the wdl file keeps `p`, which must be legal. */
enum bk_err bk_catalog_find(struct bk_catalog *c, const struct bk_pos *p,
                            const struct bk_table **table, struct bk_spot *out,
                            struct bk_report *why);

/*
 * Names the tables that are missing to answer all positions of p's material, its own first, among
 * the nearest 1,000 that it may lead to: ", and more" says that there are others.  Returns
 * BK_E_NO_TABLE, or BK_E_NEEDS_BYTES where a host does not know all of them.  Costs a look for each
 * file, once a material.  A thread that must not read (bk_cache_only()) looks for none: it names
 * those that have been looked for in vain.
 */
enum bk_err bk_catalog_missing(struct bk_catalog *c, const struct bk_pos *p, struct bk_report *why);
/* Are all tables there that bk_catalog_missing() looks for, and only distances missing?  Found out
   once a material; costs nothing where the position's own table is not there. */
bool bk_catalog_lacks_distances(struct bk_catalog *c, const struct bk_pos *p);

#endif
