/*
 * index_new.h - how an index comes to be, and how it goes.
 *
 * What an index is: index.h.
 *
 * Cost: that of its king pairs and blocks, of which there may be ten million.
 */
#ifndef BK_INDEX_NEW_H
#define BK_INDEX_NEW_H

#include "table/index.h"

/*
 * Makes the index of a material.  order: as bk_index.order, or NULL for the usual one.
 * Returns BK_OK; BK_E_USAGE (too many men); BK_E_SYSTEM (memory).
 */
enum bk_err bk_index_new(struct bk_index **out, const struct bk_variant *v,
                         const struct bk_material *m, const uint8_t *order, struct bk_report *why);
void bk_index_free(struct bk_index *ix);
uint64_t bk_index_bytes(const struct bk_index *ix); /* memory that it takes */

/* Numbers positions by another order of digits.  Nobody else may be asking. */
void bk_index_reorder(struct bk_index *ix, const uint8_t *order);

/*
 * May the index of this material have so many positions?  For numbers in files of unknown origin:
 * the true one lies between bounds that need no memory, a factor of some ten apart.
 */
bool bk_index_could_have(const struct bk_variant *v, const struct bk_material *m,
                         uint64_t positions);

#endif
