/*
 * settle.h - what a position is worth: by rules, exits and files.
 *
 * A file says something that is not better than the value, and the value
 * itself where no exit attains it (docs/format.md 9).  An exit is a move that
 * changes the material; what it brings is said by rule or by another table.
 *
 *      value = the better of what the file says and the best exit            (1)
 *
 * So a wdl question asks a file, and for each exit that may be better another
 * one, until a win is found.  A position that the mover wins has a distance in
 * its file, likewise settled.  One that he loses takes one ply more than the
 * longest of the won positions that its moves lead to.
 *
 * This is the one place that settles: the library and `verify` both ask here.
 * Who knows which files are open is theirs to say (bk_tables.find).
 *
 * Threads: any number, if find() allows it.  Stack: less than 48 KB.
 */
#ifndef BK_SETTLE_H
#define BK_SETTLE_H

#include "core/move.h"
#include "table/format.h"

/* The files that answer a material, as positions have it. */
struct bk_table {
    struct bk_file *wdl, *dtw; /* borrowed; dtw NULL: no distances */
    bool exchanged;            /* it is kept with the colours exchanged */
    const uint8_t *swap;       /* where squares go then, and with one side; else NULL */
    bool same_numbers;         /* both files number positions alike */
};

/* Fills in the rest of a table whose files and swap are set. */
void bk_table_finish(struct bk_table *t);

struct bk_tables {
    const struct bk_variant *v;
    /*
     * The table of a position that no bare king decides; *out is borrowed.  p->ep is not looked
     * at.  Returns BK_OK; BK_E_NO_TABLE; any other error.  why may be NULL.
     */
    enum bk_err (*find)(void *context, const struct bk_pos *p, const struct bk_table **out,
                        struct bk_report *why);
    void *context;
};

/* Where a file keeps a position. */
struct bk_spot {
    unsigned side;
    uint64_t number;
    struct bk_placement at; /* turned as the number has it */
};

/* BK_E_ILLEGAL: there is no such place.  f: one of the table's files.  Cost: some 60 ns. */
enum bk_err bk_spot_of(struct bk_spot *out, const struct bk_table *t, const struct bk_file *f,
                       const struct bk_pos *p, struct bk_report *why);

/*
 * Is the position won (+1), drawn or lost (-1) for the side to move?  Reads no distance.
 *
 * p  legal; may be over
 *
 * Returns BK_OK; BK_E_NO_TABLE (a table that decides it is missing, its own or that after an exit);
 * BK_E_CORRUPT; BK_E_SYSTEM.
 */
enum bk_err bk_settle_wdl(const struct bk_tables *t, const struct bk_pos *p, int *wdl,
                          struct bk_report *why);

/*
 * Is it as good as `enough` (0 or 1)?  If it is, *wdl is some number from `enough` to the value,
 * else the value.  Costs less than the value.
 */
enum bk_err bk_settle_least(const struct bk_tables *t, const struct bk_pos *p, int enough, int *wdl,
                            struct bk_report *why);

/*
 * The same as bk_settle_wdl(), and how many plies to the end: -1 of a draw, and where the
 * position's table has no distances; 0 where it is over.
 */
enum bk_err bk_settle(const struct bk_tables *t, const struct bk_pos *p, int *wdl, int *plies,
                      struct bk_report *why);

/*
 * What a caller wants to know of a distance: its value if it lies between `low` and `high`, else
 * only on which side.  A distance of `low` or less may be answered by any number from itself to
 * `low`; one of `high` or more, by any from `high` up.
 */
struct bk_window {
    int low, high;
};

/* The plies of a position that is known to be won (wdl +1) or lost (-1).  Tells less, in less
   time.  BK_E_NO_TABLE also where there are no distances. */
enum bk_err bk_settle_plies(const struct bk_tables *t, const struct bk_pos *p, int wdl,
                            struct bk_window window, int *plies, struct bk_report *why);

#endif
