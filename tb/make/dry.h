/*
 * dry.h - what solving a table takes, and what processes send each other meanwhile, found by
 * solving it dry (docs/memory.md).
 */
#ifndef BK_MAKE_DRY_H
#define BK_MAKE_DRY_H

#include "tb/encode/foretell.h"
#include "tb/make/plan.h"
#include "tb/solve/share.h"

/* A dry run of a table. */
struct bk_dry_run {
    struct bk_plan *p;
    struct bk_index *ix; /* the table's, in the order in which it is solved: bk_rows_reorder() */
    uint32_t table;      /* its number in the plan */
    enum bk_strategy strategy;
    bool keep; /* it stays for others; else its blocks are let go */
    unsigned threads;
    struct bk_some_ranks some; /* of several processes, that one of these which takes most */
};

/* What it takes, in bytes. */
struct bk_solving {
    uint64_t held;     /* what stays of it, for others; of several processes, of its codes */
    uint64_t peak;     /* at the worst moment, without the encoder's buffers and other tables */
    uint64_t encoding; /* of solved blocks, and what exits attain, while a unit is encoded */
    uint64_t fixed;    /* of the peak, what no spill holds: the threads' scratch, tables of moves */
    uint64_t room;     /* what one piece of work of each thread touches of the rest */
    bool groups;       /* some blocks are solved in groups */
};

/* Fail with BK_E_SYSTEM (memory).  Cost: some 100 us a table, 0.1 us a block. */
enum bk_err bk_dry_solving(struct bk_solving *out, const struct bk_dry_run *r,
                           struct bk_report *why);
/* encode: which of the processes encode it, or NULL: none does. */
enum bk_err bk_dry_sent(struct bk_share_traffic *out, const struct bk_dry_run *r,
                        struct bk_encode_places *encode, struct bk_report *why);

#endif
