/*
 * lines.h - the lines of tests/golden/list: sets of tables that every later program must read.
 *
 * A line that cannot be read ends the program: none is ever passed over.
 */
#ifndef LINES_H
#define LINES_H

#include "probe/bareking.h"
#include "table/material.h"

#define GOLDEN "tests/golden"

struct line {
    char set[16], game[64], what[200]; /* folder; game; material, or a FEN of it */
    char folder[4096];
    struct bk_variant *base, *v; /* v: the game that the tables are of: */
    bool derived;                /* of the board of a FEN, and asked by FEN alone */
    struct bk_material m;        /* canonical */
    bool distances, alone;       /* are there any; without the tables after it */
    struct bk_lib *lib;
};

/* Calls `visit` for each line, from the folder of the sources; returns how many there were. */
unsigned lines_each(void (*visit)(struct line *l));

/* A legal position with the men of a material, by no castling right; false: none was found. */
bool lines_position(struct bk_pos *p, const struct bk_variant *v, const struct bk_material *m,
                    uint64_t *seed);

#endif
