/*
 * unit_rows.h - the rows of units that are encoded: values of a table in memory.
 *
 * When several processes encode a unit together, each has the values of its own
 * part.  The first one learns from rows of all parts: it asks for the values of
 * rows, each process answers with those that it has, and they are kept as long
 * as units of the same numbers may ask for them.
 */
#ifndef BK_UNIT_ROWS_H
#define BK_UNIT_ROWS_H

#include "table/format.h"
#include "tb/encode/input.h"
#include "tb/encode/sample.h"
#include "tb/encode/source.h"

/* Rows that were fetched: of each care, least and planes, as many words of each as a set has.  A
   hash table by the row's first number, at least half of it empty: binary search in an ordered list
   took a tenth of all the time of a build. */
struct bk_fetched_rows {
    uint32_t *place; /* 1 << bits: a row, or UINT32_MAX */
    unsigned bits;
    uint64_t *word; /* `each` words a row: number of its first position, then its values */
    uint32_t n;
    size_t each;
};

struct bk_rows_alike;

/* The rows of a unit. */
struct bk_unit_rows {
    struct bk_unit_source src; /* for bk_unit_encode() */
    struct bk_source source;
    struct bk_rows_alike *alike;    /* of a unit that processes share, else NULL */
    struct bk_fetched_rows fetched; /* by the first process, to learn from; n 0: nothing */
};

/* The rows of all units of the same numbers. */
struct bk_rows_alike {
    struct bk_unit_rows of[BK_SAMPLES_MAX];
    unsigned n;
    bool left; /* fetching has failed: the others serve no more */
};

/* Sets `u` to the rows of a unit of a table with these facts.  source: where its values are; all
   but `bits` set.  It is copied; what it points to is borrowed, and so are the facts.
   u->src.context is `u`, which must stay where it is. */
void bk_unit_rows_open(struct bk_unit_rows *u, const struct bk_source *source,
                       const struct bk_unit_place *place, const struct bk_facts *facts);

/* Makes all processes encode these units together.  Each knows how many bits distances take in its
   own part; the most are taken. */
void bk_unit_rows_share(struct bk_rows_alike *a);

/* == Of units that processes share == */

/* Sends rows to the first process until it wants no more; context: a struct bk_unit_rows.  It is
   bk_unit_source.serve. */
enum bk_err bk_unit_rows_serve(void *context, struct bk_report *why);
/* Ends the others' bk_unit_rows_serve(), if they are there: the first process wants no more rows of
   unit i for now.  Those that have been fetched stay. */
void bk_unit_rows_enough(const struct bk_rows_alike *a, uint32_t i);

/* Frees the rows that were fetched. */
void bk_unit_rows_forget(struct bk_unit_rows *u);
/* Returns the bytes that these take. */
uint64_t bk_unit_rows_bytes(const struct bk_unit_rows *u);

#endif
