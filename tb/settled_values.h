/*
 * settled_values.h - the values of tables in memory, as codes, and what asks them.
 *
 * Private to settled.h and its parts: settled_rows.h.
 *
 * Code of a value: NOTHING where no legal position is; DRAWN; else LOST plus
 * the plies, of which a win has an odd number and a loss an even one (without
 * distances: 1 and 0).  ASK stands for what could not be settled, because a
 * table is missing or a distance is longer than there is room for; a caller
 * that needs it asks table/settle.h, which says what is the matter.
 *
 * Codes are read and written while other threads do the same.
 */
#ifndef BK_SETTLED_VALUES_H
#define BK_SETTLED_VALUES_H

#include <pthread.h>

#include "tb/settled.h"

enum { BK_SETTLED_NOTHING, BK_SETTLED_DRAWN, BK_SETTLED_LOST };

#define BK_SETTLED_SEARCH 4 /* a pass of its own */

/* A table. */
struct bk_settled_values {
    const struct bk_table *table;
    const struct bk_index *ix;
    const struct bk_rows *rows;
    unsigned sides;
    bool distances, alone, wide;
    unsigned ask;                 /* the code ASK */
    uint8_t mirror[BK_SLOTS_MAX]; /* by slot: the one whose square it has, colours exchanged */
    void *code[2];                /* by side; each by number */
    struct bk_scan *(*scan)[2];   /* by thread: of the results, the distances; NULL: not yet */
};

/* The tables, and the pass that goes through one of them. */
struct bk_settled {
    struct bk_settled_options o;
    struct bk_tables tables;
    bool distances;
    unsigned threads;
    struct bk_settled_values *values; /* by nearness to the end: the table itself is the last */
    size_t n;
    struct bk_settled_values **by_file; /* a hash of the results' files */
    size_t buckets;                     /* a power of two */
    /* the pass that runs */
    struct bk_settled_values *now;
    int pass;
    uint64_t first, all, piece; /* of rows: the first, how many, how many at a time */
    uint64_t done;
    bk_settled_visit *visit;
    void *context;
    /* under the mutex */
    pthread_mutex_t lock;
    enum bk_err err;
    struct bk_report why;
    bool failed; /* read without it */
};

/* == Codes == */

/* Returns the code of a number. */
static inline unsigned bk_settled_load(const struct bk_settled_values *t, unsigned side,
                                       uint64_t number)
{
    if (t->wide)
        return __atomic_load_n((const uint16_t *)t->code[side] + number, __ATOMIC_RELAXED);
    return __atomic_load_n((const uint8_t *)t->code[side] + number, __ATOMIC_RELAXED);
}

/* Sets the code of a number. */
static inline void bk_settled_store(const struct bk_settled_values *t, unsigned side,
                                    uint64_t number, unsigned code)
{
    if (t->wide)
        __atomic_store_n((uint16_t *)t->code[side] + number, (uint16_t)code, __ATOMIC_RELAXED);
    else
        __atomic_store_n((uint8_t *)t->code[side] + number, (uint8_t)code, __ATOMIC_RELAXED);
}

/* Returns the code of a value; plies of a win or a loss. */
static inline unsigned bk_settled_code(const struct bk_settled_values *t, int wdl, int plies)
{
    unsigned code;

    if (!wdl)
        return BK_SETTLED_DRAWN;
    code = BK_SETTLED_LOST + (t->distances ? (unsigned)plies : wdl > 0);
    return code < t->ask ? code : t->ask;
}

/* Returns what a code says: not NOTHING, nor ASK. */
static inline struct bk_worth bk_settled_worth_of(const struct bk_settled_values *t, unsigned code)
{
    if (code == BK_SETTLED_DRAWN)
        return (struct bk_worth){ 0, -1 };
    return (struct bk_worth){ (code - BK_SETTLED_LOST) & 1 ? 1 : -1,
                              t->distances ? (int)(code - BK_SETTLED_LOST) : -1 };
}

/* == Asking == */

/* Makes tables found by their files.  s->values is set, s->by_file has room and is empty. */
void bk_settled_values_hash(struct bk_settled *s);

/* Asks the files what a position is worth; plies only if `distances`. */
enum bk_err bk_settled_ask_files(const struct bk_settled *s, const struct bk_pos *p, bool distances,
                                 struct bk_worth *out, struct bk_report *why);

/* Sets `out` to what a position is worth that a move led to, and *number, unless NULL, to its
   number, where it is looked up. */
enum bk_err bk_settled_worth_after(const struct bk_settled *s, const struct bk_pos *p,
                                   bool distances, struct bk_worth *out, uint64_t *number,
                                   struct bk_report *why);

#endif
