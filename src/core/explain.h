/*
 * explain.h - a game's rules in plain words, written from its data.
 *
 * What the words say is what the tables were made by: nothing here knows a
 * game by name.
 */
#ifndef BK_EXPLAIN_H
#define BK_EXPLAIN_H

#include "core/variant.h"

/* Several lines of text, owned: free() it.  NULL when there is no memory. */
char *bk_variant_explain(const struct bk_variant *v);

#endif
