/*
 * build.h - from a request to files.
 *
 * bk_plan_new() lists every table that a request needs, each after those it
 * can move into; bk_build() makes the ones that are not there yet, or, after
 * bk_plan_anew(), those that are.  A table's files appear complete or not at all, so
 * a build that was stopped, however, goes on where it was by being asked for again.
 */
#ifndef BK_BUILD_H
#define BK_BUILD_H

#include "tb/make/budget.h"
#include "tb/make/plan.h"
#include "tb/encode/encode.h"
#include "tb/memory/pool.h"
#include "tb/solve/solve.h"

struct bk_built { /* told after each table */
    /* Bytes that all processes sent each other since the last table was told. */
    struct bk_ranks_traffic sent;
    const struct bk_plan_table *table;
    struct bk_summary summary;
    const struct bk_index
        *ix; /* with counts_alone, during the call: index of the summary's numbers */
    double solve_cpu, encode_cpu, wall; /* seconds */
    uint64_t wdl_bytes, dtw_bytes;
    uint64_t memory_bytes; /* of the process at most while it was made, by the arena's count, which
                              has arrays on disk, too, and none of several processes */
    unsigned plies;        /* of all its blocks, but those that threads solve by themselves */
};

struct bk_build_options {
    struct bk_pool *pool;
    uint64_t memory_limit; /* bytes; 0: no limit */
    const char *scratch;   /* folder for what does not fit; NULL: the tables' own */
    enum bk_effort effort;
    bool standalone;   /* files that answer without others */
    bool counts_alone; /* nothing is encoded or written: tables go to built() and are freed.  Of
                          one process; what does not fit goes to `scratch` all the same */
    unsigned k_max;    /* plies / 2 that one byte may hold, for tests; 0: as many as it can */
    bool frugal;       /* for tests, as if memory were short: hold no table for later ones,
                          be compact (order.h), and keep no more sets than are in use */
    bool packs;        /* for tests: tables that wait are packed, even if there is room */
    enum bk_strategy largest; /* for tests: no strategy that takes more memory; 0: any */
    void *context;
    void (*progress)(void *context, const struct bk_plan_table *t,
                     const struct bk_progress *p); /* often; NULL is fine */
    /* Before the first table: what each will take has been planned (bk_plan_memory()); NULL is
       fine. */
    void (*planned)(void *context, const struct bk_plan *p);
    struct bk_meter *meter; /* told how far the table under way is; NULL is fine */
    void (*built)(void *context, const struct bk_built *b);
    void (*note)(void *context, const char *text); /* what is no error: a checkpoint that does
                                                      not fit, say; NULL is fine */
    void (*wait)(void *context, const char *text); /* another process makes the table: who, and
                                                      that it is waited for; NULL is fine */
    unsigned as_ranks; /* with counts_alone and no memory limit: `news` is told of what so many
                          processes would send each other, ply by ply; 0: it is not */
    void (*news)(void *context, const struct bk_news *n);
    double checkpoint_seconds; /* from one checkpoint to the next; 0: none are written */
    const volatile int *stop;  /* nonzero: give up (BK_E_SYSTEM "interrupted") */
    /* nonzero: the same, but at the end of a ply, with a checkpoint; set with `stop`, too.  NULL:
       as `stop` */
    const volatile int *finish;
};

/* Builds what is not present.  Errors name the table. */
enum bk_err bk_build(struct bk_plan *p, const struct bk_build_options *o, struct bk_report *why);

#endif
