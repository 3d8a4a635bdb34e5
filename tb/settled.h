/*
 * settled.h - the values of a table and of all that it leads to, in memory.
 *
 * Asking for every position of a table one after the other costs
 * several times what is necessary: a position is asked for once by each that
 * leads to it, and each time its facts, its ribbons and its exits are looked
 * at anew.  Here whole rows are read (bk_scan_row()), exits are settled once,
 * and so is how long a loss takes.  Tables nearest to the end come first:
 *
 *      1. of each position what the files and its exits say
 *      2. of each lost one, how long its longest move holds out
 *      3. of the others of the table itself, what their moves bring         (verify)
 *
 * Searches do without 3, and then ask for single positions.
 *
 * A value is a code of one byte, two where distances are long.  It all rests
 * on the plain move generator; none of the kernels is used.
 *
 * Threads: bk_settled_new() and bk_settled_each() share out work over a pool.
 */
#ifndef BK_SETTLED_H
#define BK_SETTLED_H

#include "table/catalog.h"
#include "tb/memory/pool.h"

/* What a position is worth. */
struct bk_worth {
    int wdl, plies; /* plies of a win or a loss, where they are known; else -1 */
};
#define BK_WORTH_NONE (-2) /* the wdl of a position without moves that is not over */

struct bk_settled;

struct bk_settled_options {
    const struct bk_variant *v;
    struct bk_catalog *catalog; /* borrowed, as long as the bk_settled lives */
    struct bk_pool *pool;       /* NULL: one thread */
    const volatile int *stop;   /* nonzero: give up soon; NULL is fine */
    uint64_t memory;            /* bytes at most for values */
    void *context;
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL is fine */
};

/*
 * Reads and settles all tables that positions of m lead to (m: canonical, its files are there).
 * Missing tables are left out: what a position needs of them is asked for, and fails.
 * *out owned; NULL, and BK_OK, where the values do not fit o->memory or the files of a table do
 * not go together: then positions have to be asked one by one.
 * Returns BK_OK; BK_E_CORRUPT; BK_E_NEWER; BK_E_SYSTEM.  Cost: some 0.5 us a position.
 */
enum bk_err bk_settled_new(struct bk_settled **out, const struct bk_settled_options *o,
                           const struct bk_material *m, struct bk_report *why);
void bk_settled_free(struct bk_settled *s); /* NULL is fine */

/* A legal position of the table.  stored: what its files say it is worth, exits settled; found:
   what the best of its moves brings. */
struct bk_seen {
    uint64_t number;
    uint32_t block; /* of the index */
    const struct bk_placement *at;
    const struct bk_pos *p;
    struct bk_worth stored, found;
};
typedef void bk_settled_visit(void *context, unsigned thread, const struct bk_seen *seen);

/*
 * Visits all legal positions of m's table, in any order, by all threads.  A lost one's distance
 * follows from its moves; stored.plies is its own in files that answer alone.
 * Returns BK_OK; BK_E_NO_TABLE (naming what is missing); BK_E_CORRUPT; BK_E_SYSTEM (interrupted,
 * too).  Cost: some 1.5 us a position.
 */
enum bk_err bk_settled_each(struct bk_settled *s, bk_settled_visit *visit, void *context,
                            struct bk_report *why);

/* == Searching ==
 * Values alone, in portions of rows, so that a search may show what it has found before all is
 * read, and stop.  It begins with:
 */

/* Settles how long losses of m's table itself take.  The same errors.  Cost: 1.5 us a lost
 * position. */
enum bk_err bk_settled_losses(struct bk_settled *s, struct bk_report *why);

/* The index of m's table, and its rows; borrowed. */
const struct bk_index *bk_settled_index(const struct bk_settled *s);
uint64_t bk_settled_rows(const struct bk_settled *s);
/* Is Black to move the same as White to move, and only the latter visited? */
bool bk_settled_one_sided(const struct bk_settled *s);

/*
 * Visits the legal positions of rows [first, first + n) of m's table, in any order, by all threads.
 * seen->found is not looked for: its wdl is BK_WORTH_NONE.  Cost: some 0.1 us a position.
 */
enum bk_err bk_settled_scan(struct bk_settled *s, uint64_t first, uint64_t n,
                            bk_settled_visit *visit, void *context, struct bk_report *why);

/*
 * Sets `out` to what a legal position is worth, of m's table or one that a move leads to.  number:
 * set to its number in its table, or UINT64_MAX where it was not looked up; NULL is fine.  Visitors
 * may call this.
 * Returns BK_OK; BK_E_NO_TABLE; BK_E_CORRUPT; BK_E_SYSTEM.  Cost: 0.1 us where it is in memory.
 */
enum bk_err bk_settled_ask(const struct bk_settled *s, const struct bk_pos *p, struct bk_worth *out,
                           uint64_t *number, struct bk_report *why);

#endif
