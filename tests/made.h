/*
 * made.h - units of made-up values, encoded and read back, for tests.
 *
 * Values come from functions of the square and the row instead of solved tables, over the numbers
 * of real indexes, so that every kind of row, value and bound is there.  What cannot be done fails
 * the test.
 */
#ifndef MADE_H
#define MADE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "table/model.h"
#include "tb/encode/unit.h"

/* How the values of a unit come about. */
struct made {
    const struct bk_rows *rows;
    unsigned bits, words;
    uint64_t seed;
    unsigned values;       /* 0 .. values - 1 */
    unsigned free_in_16;   /* of 16 positions, how many are free */
    unsigned least_in_16;  /* of 16 others, how many values are bounds */
    unsigned noise_in_256; /* of 256 positions, how many have a random value */
    bool plain;            /* all other values are 0; else squares decide them */
};

/* A game, a material and its rows. */
struct made_table {
    struct bk_variant *v;
    struct bk_index *ix;
    struct bk_rows *rows;
    struct bk_facts *facts;
};

/* The table of a material, in its canonical colours; of a game by its name. */
struct made_table made_table(const char *variant, const char *material);
void made_table_free(struct made_table *t);

/* For functions that give a row: sets `row` to the one with a number, and *v to zeroes.  False: `v`
   is NULL, no values are asked for. */
bool made_row(const struct made *m, uint64_t number, struct bk_row *row, struct bk_row_values *v);

/* A source of all numbers of a table with values made as `m` says; borrows both. */
struct bk_unit_source made_source(const struct made_table *t, struct made *m);

/* == Encoded == */

/* Shards, as the sink gets them; `at` is freed by the caller. */
struct made_bytes {
    uint8_t *at;
    size_t n;
};

/* Encodes a unit; the caller releases it and frees shards->at.  made_encode(): with the least
   effort, and so much memory. */
struct bk_unit made_encode_with(const struct bk_unit_source *src,
                                const struct bk_unit_options *options, unsigned threads,
                                struct made_bytes *shards);
struct bk_unit made_encode(const struct bk_unit_source *src, unsigned threads,
                           uint64_t memory_bytes, struct made_bytes *shards);

/* == Read == */

/* What reads a unit back: whole rows and, here and there, one position. */
struct made_reading {
    struct bk_model *model;
    struct bk_fact_tree *tree;
    struct bk_directory dir;
    struct bk_fact_row *row;
};

void made_reading_init(struct made_reading *r, const struct bk_unit *u,
                       const struct bk_unit_source *src);
void made_reading_release(struct made_reading *r);

#endif
