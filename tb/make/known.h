/*
 * known.h - bytes of files of the built-in games that have been made: src/variants/sizes.tsv,
 * compiled in by src/variants/sizes.sh.
 */
#ifndef BK_KNOWN_H
#define BK_KNOWN_H

#include <stdint.h>

struct bk_known_table {
    const char *name;
    uint32_t normal[2], fast[2]; /* by effort; by kind of file */
};

struct bk_known_game {
    uint64_t rules_id; /* 0: the end */
    const struct bk_known_table *table;
    unsigned n;
};

extern const struct bk_known_game bk_known_games[];

#endif
