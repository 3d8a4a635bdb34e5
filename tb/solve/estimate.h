/*
 * estimate.h - the memory that a table takes, without solving it.
 */
#ifndef BK_ESTIMATE_H
#define BK_ESTIMATE_H

#include "table/head.h"
#include "tb/kernel/kernel.h"
#include "tb/memory/pack.h"
#include "tb/solve/order.h"
#include "tb/solve/owners.h"

struct bk_estimate_request {
    const struct bk_index *ix;
    const struct bk_kernel *kernel;
    bool distances;
    unsigned nmove; /* distances to zeroing: as bk_memtable.nmove */
    enum bk_strategy strategy;
    bool let_go; /* as in bk_solve_job */
    bool attain; /* as in bk_solve_job */
    unsigned threads;
    const struct bk_owners *owners; /* several processes: the estimate is that of the one of `some`
                                       that takes most; NULL: one process */
    struct bk_some_ranks some;      /* all ranks, and those looked at; one process: 1, 0, 1 */
    /* Returns how much of the nth unit one such process encodes, 0 to 1: encode.h. */
    double (*encoder_share)(const struct bk_index *ix, unsigned nth, const struct bk_unit_place *p,
                            struct bk_some_ranks some);
    const struct bk_part *part; /* what others read of the table; NULL: not asked for */
    double kept; /* of a table's codes, how much one such process reads: bk_share_kept() */
};

/* What solving a table takes, in bytes; codes of one byte where there are distances. */
struct bk_estimate {
    uint64_t codes;    /* of all blocks, once they are solved */
    uint64_t held;     /* of the codes, what others read: bk_narrow() */
    uint64_t peak;     /* at the worst moment, without the encoder's buffers and other tables */
    uint64_t encoding; /* of solved blocks, and what exits attain, while a unit is encoded */
    uint64_t fixed;    /* of the peak, what no spill holds: the threads' scratch, tables of moves */
    uint64_t room;     /* what one piece of work of each thread touches of the rest */
    bool groups;       /* some blocks are solved in groups */
};

/* Cost: some microseconds a block.  BK_E_SYSTEM: no memory. */
enum bk_err bk_estimate(struct bk_estimate *out, const struct bk_estimate_request *r,
                        struct bk_report *why);

/* Which processes will want the values of a table that several solve: as struct bk_value_readers.
 */
struct bk_estimate_readers {
    const struct bk_reading *reading; /* NULL: everyone reads everything */
    uint64_t (*encoders)(const void *context, uint32_t block, uint32_t slice, unsigned side);
    const void *context; /* NULL encoders: nobody encodes */
};

/*
 * Bytes that all processes send each other while they solve a table: `values` of solved slices, and
 * `news` after plies, packed.  It is not known what plies will find, so `news` is a guess.  Cost:
 * some ns a slice and block.
 */
struct bk_estimate_traffic {
    uint64_t values, news;
};
enum bk_err bk_estimate_traffic(struct bk_estimate_traffic *out,
                                const struct bk_estimate_request *r,
                                const struct bk_estimate_readers *w, struct bk_report *why);

#endif
