/*
 * encode_work.h - a table on its way into files: its units, and what is known of them so far.
 *
 * Only encode.c and encode_saved.c see what is in here.
 */
#ifndef BK_ENCODE_WORK_H
#define BK_ENCODE_WORK_H

#include "tb/encode/entropy.h"
#include "tb/encode/foretell.h"
#include "tb/encode/unit_rows.h"
#include "tb/memory/memtable.h"
#include "tb/memory/pool.h"

/* A unit of one kind of file. */
struct bk_encode_task {
    enum bk_told told;
    const struct bk_unit_place *place;
    bool done;
    struct bk_unit unit; /* model and directory */
    uint64_t at;         /* offset of its shards in the scratch file */
    uint8_t *shard;      /* owned: shards that are not in the scratch file yet */
    size_t bytes, room;
};

struct bk_encoder {
    struct bk_memtable *t;
    const char *dir;
    struct bk_encode_options o;
    struct bk_pool *pool;
    struct bk_rows *rows;
    struct bk_facts *facts;
    bool one_side;
    unsigned nkinds, nplaces;
    struct bk_unit_place *place;
    struct bk_encode_task *task; /* by kind, then by place */
    bool *solved;                /* by block */
    int scratch;                 /* file of shards; no name */
    uint64_t scratch_bytes;
    /* small units of this round, each encoded by a single thread */
    struct bk_encode_task **small;
    unsigned nsmall;
    struct bk_first_error failed;
    struct bk_logs logs;
    double work; /* bk_encode_work() of the table */
};

static inline struct bk_encode_task *bk_encode_task_of(const struct bk_encoder *e, unsigned kind,
                                                       unsigned place)
{
    return &e->task[kind * e->nplaces + place];
}

/* Are all blocks of a unit solved? */
static inline bool bk_encode_is_ready(const struct bk_encoder *e, const struct bk_unit_place *p)
{
    for (uint32_t b = p->block; b < p->block + p->nblocks; b++)
        if (!e->solved[b])
            return false;
    return true;
}

#endif
