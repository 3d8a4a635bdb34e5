/*
 * map.h - result maps: what a position is worth with one man on every other square.
 */
#ifndef BK_CLI_MAP_H
#define BK_CLI_MAP_H

#include "cli/many.h"
#include "study/diagram.h"

/* One square where the lifted man could stand. */
struct place {
    uint8_t sq;
    char fen[BK_FEN_MAX];
    struct bk_answer answer;
    int white_wdl;
};

struct map {
    struct place place[BK_SQ_MAX];
    size_t n;
};

/*
 * Asks the value of every legal position that has the man of `from` on another free square, or
 * where he is; without en passant and castling rights.  Returns BK_LIB_OK, or an error of the
 * library: then `map` is undefined.
 */
enum bk_lib_err map_ask(struct map *map, struct bk_lib *lib, const struct bk_variant *v,
                        const struct bk_pos *p, unsigned from);

/* Colours the squares of a diagram of that position, with distances and a legend. */
void map_colour(struct study_diagram *d, const struct map *map, unsigned from);

#endif
