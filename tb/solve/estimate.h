/*
 * estimate.h - the memory that a table takes, without solving it.
 */
#ifndef BK_ESTIMATE_H
#define BK_ESTIMATE_H

#include "table/info.h"
#include "tb/kernel/kernel.h"
#include "tb/memory/narrow.h"
#include "tb/solve/order.h"
#include "tb/solve/owners.h"

struct bk_estimate_request {
    const struct bk_index *ix;
    const struct bk_kernel *kernel;
    bool distances;
    enum bk_strategy strategy;
    bool let_go; /* as in bk_solve_job */
    bool attain; /* the same */
    unsigned threads;
    const struct bk_owners *owners; /* of several processes: the one that takes most of `some` */
    struct bk_some_ranks some;      /* of which; one process: 1, 0, 1 */
    /* Of the nth unit, how much one such process encodes: encode.h. */
    double (*encoder_share)(const struct bk_index *ix, unsigned nth, const struct bk_unit_place *p,
                            struct bk_some_ranks some);
    const struct bk_part *part; /* what others read of it; NULL: not asked for */
    double kept; /* of a table's codes, how much one such process reads: bk_share_kept() */
};

/* What solving a table takes, in bytes; codes of one byte where there are distances. */
struct bk_estimate {
    uint64_t codes;    /* of all blocks, once they are solved */
    uint64_t held;     /* of them, what others read: bk_narrow() */
    uint64_t peak;     /* at the worst moment, without the encoder's buffers and other tables */
    uint64_t encoding; /* of solved blocks, and what exits attain, while a unit is encoded */
    uint64_t fixed;    /* of that, what no spill holds: the threads' scratch, tables of moves */
    uint64_t room;     /* what one piece of work of each thread touches of the rest */
    bool groups;       /* there are any, and they are solved together */
};

/* Cost: some microseconds a block.  BK_E_SYSTEM: no memory. */
enum bk_err bk_estimate(struct bk_estimate *out, const struct bk_estimate_request *r,
                        struct bk_report *why);

/* Who will want the values of a table that several processes solve: as struct bk_wish. */
struct bk_estimate_readers {
    const struct bk_reading *reading; /* NULL: everyone reads everything */
    uint64_t (*encoders)(const void *context, uint32_t block, uint32_t slice, unsigned side);
    const void *context; /* NULL encoders: nobody encodes */
};

/*
 * Bytes that all of them send each other while they solve it: values of solved slices, and what
 * they tell each other after plies, packed; of that it is not known what will be found, so it is a
 * guess. Cost: some ns a slice and block.
 */
struct bk_estimate_traffic {
    uint64_t values, news;
};
enum bk_err bk_estimate_traffic(struct bk_estimate_traffic *out,
                                const struct bk_estimate_request *r,
                                const struct bk_estimate_readers *w, struct bk_report *why);

#endif
