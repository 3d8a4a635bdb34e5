/*
 * values.h - a table opened for full scans: its values, and those of all tables that it leads to by
 * captures and promotions (conversions), in memory (tb/settled.h).
 *
 * Opened once, it may be searched (mine.h) and counted any number of times.
 */
#ifndef BK_STUDY_VALUES_H
#define BK_STUDY_VALUES_H

#include "tb/settled.h"

struct study_values {
    const struct bk_variant *v;
    struct bk_pool *pool;
    struct bk_material m;
    struct bk_settled *settled;
    const struct bk_index *index; /* borrowed */
    bool one_sided;               /* the table has White to move only */
    bool distances;
    bool five; /* there are results by the n-move rule */
    struct bk_catalog *catalog;
};

struct study_values_options {
    const struct bk_variant *v; /* borrowed, as are the next two, until it is closed */
    struct bk_pool *pool;
    const volatile int *stop; /* nonzero: give up soon; NULL is fine */
    const char *dir;
    uint64_t memory; /* bytes at most for values */
    void *context;
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL is fine */
};

/*
 * Opens the table of m, which is canonical and not decided by rule.
 *
 * Returns BK_OK; BK_E_NO_TABLE; BK_E_USAGE (it does not fit o->memory); BK_E_CORRUPT; BK_E_NEWER;
 * BK_E_SYSTEM (interrupted, too).  On failure there is nothing to close.  Cost: some 1 us a
 * position of all these tables.
 */
enum bk_err study_values_open(struct study_values *out, const struct study_values_options *o,
                              const struct bk_material *m, struct bk_report *why);
void study_values_close(struct study_values *x);

/* The counts of a table; positions that symmetries make one count once. */
#define STUDY_PLIES_MAX (1 << 15) /* more than tables of this program's making have */
struct study_tally {
    uint64_t win[2], draw[2], loss[2];  /* by side to move */
    uint64_t plies[2][STUDY_PLIES_MAX]; /* won (odd) and lost ones (even); longer ones in the last
                                           two */
    unsigned longest;                   /* plies */
};
/* Counts the positions of x.  Of a one-sided table Black's numbers are 0.  BK_E_SYSTEM; as of
   bk_settled_scan(). */
enum bk_err study_tally(struct study_tally *out, struct study_values *x, struct bk_report *why);

#endif
