/*
 * meter.h - how far a table has come, for who watches from another thread.
 *
 * Work is of two kinds, solving and encoding, and counted in parts of the table's work of that
 * kind: all of it is 1.  It is done step by step; a step is marked when it begins, so nothing is
 * counted while it goes on, and who makes tables does not slow down.
 *
 * Calls take a meter or NULL, which they pass over.  Threads: any.
 */
#ifndef BK_METER_H
#define BK_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

enum bk_work { BK_SOLVING, BK_ENCODING, BK_WORKS };

struct bk_meter;

/* What is read of a meter. */
struct bk_metered {
    uint32_t table;           /* its number in the plan */
    uint32_t ply;             /* of the block that is being solved; 0: it has none */
    double done[BK_WORKS];    /* without the present step */
    double skipped[BK_WORKS]; /* of that, what a checkpoint had, or was not needed */
    double spent[BK_WORKS];   /* seconds that the rest of it took */
    enum bk_work now;         /* what the present step does: */
    double step;              /* its part; 0: no step has begun */
    double since;             /* when it, or what was done last in it, began: bk_now_seconds() */
};

enum bk_err bk_meter_new(struct bk_meter **out, struct bk_report *why);
void bk_meter_free(struct bk_meter *m); /* NULL is fine */

/* A table begins, of which nothing is done.  own: the part of solving that is its own; the rest is
   that of tables that are solved anew for it, and is the first step. */
void bk_meter_table(struct bk_meter *m, uint32_t table, double own);
/* All of the table's own work begins again. */
void bk_meter_again(struct bk_meter *m);
/* The present step is done, and the next one begins. */
void bk_meter_step(struct bk_meter *m, enum bk_work work, double part);
/* A part of the present step is done, by one of several threads. */
void bk_meter_done(struct bk_meter *m, enum bk_work work, double part);
/* A part is there already; less than nothing: there is more to do than was foretold. */
void bk_meter_skip(struct bk_meter *m, enum bk_work work, double part);
/* The same, of the present step. */
void bk_meter_skip_now(struct bk_meter *m, enum bk_work work, double part);
/* What is done was less work than foretold, by a part; or more, if that is less than nothing. */
void bk_meter_was_less(struct bk_meter *m, enum bk_work work, double part);
void bk_meter_ply(struct bk_meter *m, uint32_t ply);
struct bk_metered bk_meter_read(struct bk_meter *m);

#endif
