/*
 * build.h - from a request to files.
 *
 * bk_plan_new() lists every table that a request needs, each after those it
 * can move into; bk_build() makes the ones that are not there yet.  A table's
 * files appear complete or not at all, so a build that was stopped, however,
 * goes on where it was by being asked for again.
 */
#ifndef BK_BUILD_H
#define BK_BUILD_H

#include "table/format.h"
#include "tb/memory/pool.h"
#include "tb/solve/solve.h"

/* Positions a chunk of the files that are made here; a multiple of the other. */
#define BK_WDL_CHUNK (1u << 18) /* 64 KiB packed */
#define BK_DTW_CHUNK (1u << 16)

struct bk_plan_table {
    struct bk_material m;
    char name[BK_MATERIAL_NAME_MAX];
    uint64_t positions;    /* both sides */
    uint64_t memory_bytes; /* predicted peak while it is made: bk_plan_memory() */
    uint64_t code_bytes;   /* of all its blocks, once they are solved: the same */
    uint64_t least_bytes;  /* the smallest memory limit with which it can be made */
    uint64_t store_room;   /* what a bk_spill must leave free for one piece of work a thread */
    uint64_t disk_bytes;   /* of files present, or a guess */
    bool present;          /* files are there (with distances, if asked for) */
    enum bk_manner manner; /* how its blocks will be solved: order.h */
    uint32_t *next;        /* owned: tables that it can move into, by number in the plan */
    unsigned nnext;
};

struct bk_plan {
    const struct bk_variant *v; /* borrowed */
    char dir[3072];
    bool distances;
    const volatile int *stop;    /* borrowed; set: predicting memory ends with BK_E_SYSTEM */
    struct bk_plan_table *table; /* dependency order */
    unsigned n;
};

/*
 * materials  names' materials, or n = 0 and men: all materials of up to so many men
 * dir        need not exist
 * Tables decided by rule (bare kings) are left out: there is nothing to build.
 */
enum bk_err bk_plan_new(struct bk_plan **out, const struct bk_variant *v, const char *dir,
                        const struct bk_material *m, unsigned n, unsigned men, bool distances,
                        struct bk_report *why);
void bk_plan_free(struct bk_plan *p);

/*
 * Predicts memory_bytes of the tables that are missing: the resident size of
 * the whole process at its worst, with the tables that are held meanwhile, the
 * threads' scratch and the encoder's buffers.  threads, memory_limit: as the
 * build's; 0 threads: one a core.  Tested to be right within 10 percent for
 * tables that take more than some ten MiB.
 */
enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why);

struct bk_built { /* told after each table */
    const struct bk_plan_table *table;
    struct bk_summary summary;
    double solve_cpu, encode_cpu, wall; /* seconds */
    uint64_t wdl_bytes, dtw_bytes;
};

struct bk_build_options {
    struct bk_pool *pool;
    uint64_t memory_limit; /* bytes; 0: no limit */
    const char *scratch;   /* folder for what does not fit; NULL: the tables' own */
    int level;             /* zstd; 0: the usual one */
    unsigned k_max;        /* plies / 2 that one byte may hold, for tests; 0: as many as it can */
    bool frugal;           /* for tests, as if memory were short: hold no table for later ones,
                              and be compact without distances (order.h) */
    void *context;
    void (*progress)(void *context, const struct bk_plan_table *t, unsigned nth,
                     const struct bk_progress *p); /* often; NULL is fine */
    void (*built)(void *context, const struct bk_built *b, unsigned nth);
    void (*note)(void *context, const char *text); /* what is no error: a checkpoint that does
                                                      not fit, say; NULL is fine */
    double checkpoint_seconds; /* from one checkpoint to the next; 0: none are written */
    const volatile int *stop;  /* nonzero: give up (BK_E_SYSTEM "interrupted") */
};

/* Builds what is not present.  Errors name the table. */
enum bk_err bk_build(struct bk_plan *p, const struct bk_build_options *o, struct bk_report *why);

/*
 * Loads a table from its files into memory.  Illegal positions have any value
 * in a file; mark_illegal finds them anew, which solving needs and verifying,
 * with a move generator of its own, must not use.  store: may be NULL.
 */
enum bk_err bk_load(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                    const struct bk_material *m, bool distances, bool mark_illegal,
                    struct bk_spill *store, struct bk_pool *pool, struct bk_report *why);

/*
 * The same with the positions of some sides to move alone (1 white, 2 black):
 * half the time and memory where one will do.  Views of the other side find nothing.
 */
enum bk_err bk_load_sides(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                          const struct bk_material *m, bool distances, bool mark_illegal,
                          unsigned sides, struct bk_spill *store, struct bk_pool *pool,
                          struct bk_report *why);

/* Encodes a solved table into its two files (one, without distances). */
enum bk_err bk_encode(struct bk_memtable *t, const struct bk_summary *sum, const char *dir,
                      bool distances, int level, struct bk_pool *pool, uint64_t bytes[2],
                      struct bk_report *why);

/*
 * The same while the table is being solved, so that blocks can be freed.
 * Chunks are packed as soon as all blocks that they touch are there, and lie
 * in a file without a name until finish() puts them in order: a build that is
 * killed leaves nothing.
 *
 * open     t with its digits' order and code_bytes chosen; dir borrowed
 * blocks   these are solved now; sets `encoded` of every block that is through
 * finish   writes the files; bytes: of all chunks of each kind
 */
struct bk_encoder;
enum bk_err bk_encoder_open(struct bk_encoder **out, struct bk_memtable *t, const char *dir,
                            bool distances, int level, struct bk_pool *pool, struct bk_report *why);
enum bk_err bk_encoder_blocks(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                              struct bk_report *why);
enum bk_err bk_encoder_finish(struct bk_encoder *e, const struct bk_summary *sum, uint64_t bytes[2],
                              struct bk_report *why);
void bk_encoder_close(struct bk_encoder *e); /* NULL is fine */
/* Between calls of blocks(): all it has; and back, right after open(). */
void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w);
bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r);

#endif
