/*
 * fairy_value.h - values in Fairy-Stockfish's variants.ini: numbers, files, men, squares.
 *
 * For fairy.c and its neighbours, which know what keys are for.  A function that is false has found
 * what is wrong: f->in.err and the report say what and where, and nothing more is read.  A key that
 * is not there has the value `missing`.
 *
 * "The program" is Fairy-Stockfish.
 */
#ifndef BK_FAIRY_VALUE_H
#define BK_FAIRY_VALUE_H

#include "core/fairy_file.h"
#include "core/variant.h"

/* A game that is being read from a section. */
struct bk_fairy_game {
    struct bk_fairy_file in;
    struct bk_variant *v;
    char cell[BK_RANKS_MAX][BK_FILES_MAX]; /* of startFen; '.' empty, '*' a hole */
    char side, rights[16], passed[8];
};

/* Sets f->in.err and the report: the value of entry `e` is wrong, at offset `at` in it; false. */
#define BK_WRONG(f, e, at, ...) bk_fairy_wrong(&(f)->in, e, (unsigned)(at), __VA_ARGS__)

/* Reads `true` or `false`. */
bool bk_fairy_get_bool(struct bk_fairy_game *f, const char *name, bool missing, bool *out);
/* Reads a number from min to max. */
bool bk_fairy_get_number(struct bk_fairy_game *f, const char *name, unsigned min, unsigned max,
                         unsigned missing, unsigned *out);
/* Reads a file, counted from 1: a letter or a number. */
bool bk_fairy_get_file(struct bk_fairy_game *f, const char *name, unsigned max, unsigned missing,
                       unsigned *out);
/* Reads letters of pieces, with or without blanks between, as a mask of types; "-": none. */
bool bk_fairy_get_types(struct bk_fairy_game *f, const struct bk_fairy_entry *e, uint32_t *out);
/* Reads squares: d4, *4 (a rank), d* (a file), - (none). */
bool bk_fairy_get_region(struct bk_fairy_game *f, const struct bk_fairy_entry *e,
                         struct bk_bits *out);
/* Reads White's region and Black's as ranks from the own side; they must be mirror images. */
bool bk_fairy_get_ranks(struct bk_fairy_game *f, const char *white, const char *black,
                        uint16_t *out);

/* Refuses the letter at e->value[at] if a later section gives it to a man: the program reads
   letters section by section, and forgets the man that had it before. */
bool bk_fairy_means_the_same(struct bk_fairy_game *f, const struct bk_fairy_entry *e, unsigned at);
/* `old` and `key` are two keys for one thing.  Refuses `old` in a later section than `key`: the
   program reads `old` first there, and it takes the place of the inherited `key`. */
bool bk_fairy_comes_first(struct bk_fairy_game *f, const char *key, const char *old);

#endif
