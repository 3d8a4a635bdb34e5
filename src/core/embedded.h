/*
 * embedded.h - the games that are in the binary, as texts (src/variants/).
 */
#ifndef BK_EMBEDDED_H
#define BK_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

/* The games of ours: names and texts, ended by a NULL name. */
struct bk_embedded {
    const char *name;
    const char *text;
};
extern const struct bk_embedded bk_embedded_variants[];
/* Those of which no tables are made yet (bk_rules_without_tables()): a list apart. */
extern const struct bk_embedded bk_embedded_counted[];
/* Finds a game of ours by its name, bk_embedded_find_counted(): one of those apart; NULL: there is
 * none. */
const struct bk_embedded *bk_embedded_find(const char *name);
const struct bk_embedded *bk_embedded_find_counted(const char *name);

/*
 * Games that Fairy-Stockfish has built in, in the keys of its variants.ini, ended by a NULL name.
 * base NULL: it inherits from none.  The text's first line is a comment, the title.
 */
struct bk_embedded_fairy {
    const char *name, *base, *text;
};
extern const struct bk_embedded_fairy bk_embedded_fairy[];
/* Finds such a game by its name; NULL: there is none. */
const struct bk_embedded_fairy *bk_embedded_fairy_find(const char *name);

/* Is it the name of an embedded game, of ours or of Fairy-Stockfish's? */
bool bk_embedded_is(const char *name);

#endif
