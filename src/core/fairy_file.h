/*
 * fairy_file.h - Fairy-Stockfish's variants.ini: its sections, its keys, and their values.
 *
 * This part knows which keys may stand in a file, which of them are in force, and how a value
 * is read; fairy.c knows what the keys mean for a game.
 *
 * A function that is false has found what is wrong: f->err and the report say what and where, and
 * nothing more is read.
 *
 * "The program" is Fairy-Stockfish.
 */
#ifndef BK_FAIRY_FILE_H
#define BK_FAIRY_FILE_H

#include <stddef.h>

#include "core/err.h"
#include "core/embedded.h"
#include "core/variant.h"

/* == Sections and keys == */

#define BK_FAIRY_SECTIONS_MAX 512
#define BK_FAIRY_ENTRIES_MAX  192 /* in force at once */
#define BK_FAIRY_NAME_MAX     63  /* letters of a section's name that becomes a game's */
#define BK_FAIRY_BUILT_IN_MAX 4   /* built-in games that inherit from each other */

enum bk_fairy_kind {
    BK_FAIRY_PIECE,     /* text: its move */
    BK_FAIRY_CANNOT_BE, /* a predefined piece whose move we do not have; text: why */
    BK_FAIRY_CUSTOM,    /* customPieceN */
    BK_FAIRY_READ,      /* understood */
    BK_FAIRY_HARMLESS,  /* changes no table */
    BK_FAIRY_FLAG,      /* squares to be reached, which end the game; only `-`, none, may stand */
    BK_FAIRY_ONLY,      /* text: the one value that may stand */
};

struct bk_fairy_key {
    const char *name;
    enum bk_fairy_kind kind;
    const char *text;
};

struct bk_fairy_entry {
    const struct bk_fairy_key *key;
    const char *name, *value;
    int line; /* 0: of a built-in game */
    unsigned column;
    unsigned level; /* of inheritance: 0 is the deepest */
    bool again;     /* a deeper section has the key, too */
    unsigned until; /* of one in former[]: the level that took its place */
};

struct bk_fairy_section {
    const char *name, *base; /* base NULL: none */
    int line;                /* 0: of a built-in game */
    char *body;              /* the text after its header's line; each line of it ends in NUL */
    size_t length;
};

/* All names and values are borrowed from the text that was read, or from built_in[]. */
struct bk_fairy_file {
    const char *label; /* for messages */
    struct bk_fairy_section section[BK_FAIRY_SECTIONS_MAX];
    unsigned nsections;
    const struct bk_fairy_section *wanted;
    struct bk_fairy_section built_in[BK_FAIRY_BUILT_IN_MAX]; /* inherited from; bodies owned */
    unsigned nbuilt_in;
    struct bk_fairy_entry entry[BK_FAIRY_ENTRIES_MAX]; /* in force */
    unsigned nentries;
    struct bk_fairy_entry former[BK_FAIRY_ENTRIES_MAX]; /* of men, that others took the place of */
    unsigned nformer;
    enum bk_err err; /* the first fault: nothing is read after it */
    struct bk_report *why;
};

/*
 * Reads a file of which label and why are set, all else being 0: cuts `text`, which is changed,
 * into sections and finds the wanted one, `name`, or the only one if NULL.
 */
bool bk_fairy_file_read(struct bk_fairy_file *f, char *text, const char *name);
/* Makes `f` a file that has the game, built into the program, and nothing else. */
void bk_fairy_file_of_built_in(struct bk_fairy_file *f, const struct bk_embedded_fairy *game);
/* Frees what bk_fairy_file_gather() has opened; entries are invalid afterwards. */
void bk_fairy_file_end(struct bk_fairy_file *f);
/* Fills entry[] with what is in force: the wanted section, laid over all it inherits from. */
bool bk_fairy_file_gather(struct bk_fairy_file *f);

/* The i-th predefined piece whose move we have: returns the move, sets *name to its key.  NULL:
   there are no more. */
const char *bk_fairy_predefined(size_t i, const char **name);

/* The entry of a key, or NULL. */
const struct bk_fairy_entry *bk_fairy_get(const struct bk_fairy_file *f, const char *name);

/* Sets f->err and the report: what is wrong, and where (column 0: the line as a whole); false. */
bool bk_fairy_fault(struct bk_fairy_file *f, int line, unsigned column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Likewise for the value of `e`, wrong at offset `at`.  For a built-in game's value the place is
   the line of the wanted section. */
bool bk_fairy_wrong(struct bk_fairy_file *f, const struct bk_fairy_entry *e, unsigned at,
                    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Tells which rule keeps a game from us that the program has built in; NULL: no such game. */
const char *bk_fairy_refused(const char *name);

/* == Values == a key that is not there has the value `missing` */

/* A game that is being read from a section. */
struct bk_fairy_game {
    struct bk_fairy_file in;
    struct bk_variant *v;
    char cell[BK_RANKS_MAX][BK_FILES_MAX]; /* of startFen; '.' empty, '*' a hole */
    char side, rights[16], passed[8];
    bool held; /* are there men in hand in startFen? */
    uint8_t in_hand[2][BK_TYPES_MAX];
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
/*
 * Finds the type of the letter at e->value[at].  The program reads letters section by section: the
 * man is meant who had the letter in e's section.  *type is -1 if a later section took him away.
 */
bool bk_fairy_get_letter(struct bk_fairy_game *f, const struct bk_fairy_entry *e, unsigned at,
                         int *type);
/* Does a later section give the letter of the man of `e` to another?  The program takes him away.
 */
bool bk_fairy_letter_goes(const struct bk_fairy_file *f, const struct bk_fairy_entry *e);
/* Reads letters of pieces, with or without blanks between, as a mask of types; "-": none. */
bool bk_fairy_get_types(struct bk_fairy_game *f, const struct bk_fairy_entry *e, uint32_t *out);
/* Reads squares: d4, *4 (a rank), d* (a file), - (none). */
bool bk_fairy_get_region(struct bk_fairy_game *f, const struct bk_fairy_entry *e,
                         struct bk_bits *out);
/* Reads White's region and Black's as ranks from the own side; they must be mirror images.  Where
   Black's is missing it is `usual`; NULL: both must be there. */
bool bk_fairy_get_ranks(struct bk_fairy_game *f, const char *white, const char *black,
                        const char *usual, uint16_t *out);

/* `old` and `key` are two keys for one thing.  Refuses `old` in a later section than `key`: the
   program reads `old` first there, and it takes the place of the inherited `key`. */
bool bk_fairy_comes_first(struct bk_fairy_game *f, const char *key, const char *old);

#endif
