/*
 * lines.h - the lines of tests/golden/list: sets of tables that every later program must read.
 *
 * A line that cannot be read ends the program: none is ever passed over.
 */
#ifndef LINES_H
#define LINES_H

#include "probe/bareking.h"
#include "table/head.h"
#include "table/material.h"

#define GOLDEN "tests/golden"

struct line {
    char set[16], game[64], what[200]; /* folder; game; material, or a FEN of it */
    char folder[4096];
    struct bk_variant *base, *v; /* v: the game of the tables */
    bool derived;                /* `v` has the board or homes of a FEN; asked by FEN alone */
    struct bk_material m;        /* canonical */
    bool distances, alone;       /* the tables have distances; those they lead to are not there */
    bool counts;                 /* they are files by the n-move rule, with distances to zeroing */
    struct bk_lib *lib;
};

/* The kinds of files that tables of a line have: from lines_first_kind() on, so many. */
enum bk_kind lines_first_kind(const struct line *l);
unsigned lines_kinds(const struct line *l);

/* Calls `visit` for each line, from the folder of the sources; returns how many there were. */
unsigned lines_each(void (*visit)(struct line *l));

/* Draws a legal position of a material, without castling rights; false: none was found. */
bool lines_position(struct bk_pos *p, const struct bk_variant *v, const struct bk_material *m,
                    uint64_t *seed);

#endif
