/*
 * explain.h - a game's rules in plain words, written from its data.
 *
 * The words come from the same data as the tables: no game is known by name
 * here.
 */
#ifndef BK_EXPLAIN_H
#define BK_EXPLAIN_H

#include "core/variant.h"

/* Several lines of text, owned: free() it.  NULL when there is no memory. */
char *bk_variant_explain(const struct bk_variant *v);

#endif
