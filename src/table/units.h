/*
 * units.h - an open table file from within: its units, shards, and what has been read of them.
 *
 * For the two files that read tables: format.c opens them and reads units, shards and whole rows;
 * decode.c asks for a value.  Others include format.h and decode.h.
 *
 *      number --unit--> model --facts--> leaf --> a value, or
 *                    directory --> shard --> questions --> a value
 *
 * A unit's model and directory are read when its first value is asked; a shard, when the first
 * value in it is.  The shards of a small file are read with its first model.  The facts and all
 * models of a file are one entry of the cache, its *brain*: they are evicted together.
 *
 * A pointer is published only when what it points to is complete, and stays valid until the read
 * section ends in which it was loaded (cache.h); of a pinned brain, until the file is closed.
 * Readers take no lock, and nobody reads or parses a file with a lock held.
 *
 * Errors: BK_E_CORRUPT, BK_E_SYSTEM, BK_E_NEEDS_BYTES; of the cache, BK_E_NOT_CACHED,
 * BK_E_OVER_BUDGET.  Threads: any number.  Cost: some ns if it is in memory.
 * Source: docs/format.md 10.8.
 */
#ifndef BK_UNITS_H
#define BK_UNITS_H

#include "table/cache.h"
#include "table/head.h"
#include "table/model.h"
#include "table/readers.h"
#include "table/rows.h"

/* == The bytes of shards == */

/*
 * A shard is read and checked before its first answer, outside of locks, and stays until the cache
 * needs its room (cache.h).  A small file is read as a whole, at once; each shard is still checked
 * when it is first asked.
 */
/* Bytes of shards: a file with no more is small, as nearly all with four men are. */
#define BK_SHARDS_SMALL (UINT64_C(256) << 10)
/* The same for files that a host brings: no more than one large shard. */
#define BK_SHARDS_HOSTED (UINT64_C(4) << 10)

struct bk_shards;

/*
 * The shards of one file.
 *
 * cache      borrowed: keeps them
 * file       borrowed; path: its name
 * worth      their eviction cost (cache.h)
 * n          how many there are, in all units
 * at, bytes  where they lie in the file
 */
struct bk_shards_of {
    struct bk_cache *cache;
    struct bk_reader *file;
    const char *path;
    enum bk_held_worth worth;
    uint64_t n, at, bytes;
};
/* *out is owned.  Returns BK_OK, BK_E_SYSTEM. */
enum bk_err bk_shards_new(struct bk_shards **out, const struct bk_shards_of *of,
                          struct bk_report *why);
void bk_shards_free(struct bk_shards *s); /* NULL is fine; nobody may be asking */
uint64_t
bk_shards_bytes(const struct bk_shards *s); /* memory of `s` itself, without the cached shards */

/* One shard. */
struct bk_shard_place {
    uint64_t nth;   /* of the file */
    uint32_t local; /* of its unit: the seed of its checksum */
    uint32_t bytes; /* not 0 */
    uint64_t at;    /* in the file */
    uint32_t sum;
};

/*
 * Sets *out to the bytes of a shard, checked; valid until the read section ends.
 * Returns BK_OK; BK_E_CORRUPT (cut short, checksum); BK_E_SYSTEM; BK_E_NOT_CACHED;
 * BK_E_OVER_BUDGET.
 */
enum bk_err bk_shards_get(struct bk_shards *s, const struct bk_shard_place *place,
                          const uint8_t **out, struct bk_report *why);

/* Returns the bytes of a shard if they are in memory and have been checked, else NULL.  nth, at: of
   its struct bk_shard_place. */
const uint8_t *bk_shards_there(const struct bk_shards *s, uint64_t nth, uint64_t at);

/* Reads and checks a shard into `room`, without the cache. */
enum bk_err bk_shards_read(const struct bk_shards *s, const struct bk_shard_place *place,
                           uint8_t *room, struct bk_report *why);

/* Reads all shards of a small file at once, and nothing of a larger one.  Each is still checked
   when it is first asked; an error is returned then, too. */
void bk_shards_warm(struct bk_shards *s);

/* Prefetches the cache entry of a shard that will be asked for soon. */
void bk_shards_ahead(const struct bk_shards *s, uint64_t nth);

/* == The file == */

/* A unit's model and directory: read when the unit is first asked. */
struct bk_loaded_unit {
    struct bk_model *model;
    struct bk_fact_tree *tree; /* the model's */
    struct bk_directory directory;
};

/* A unit of an open file. */
struct bk_open_unit {
    struct bk_unit_place place;
    struct bk_unit_head head;
    uint64_t model_at, shards_at; /* in the file */
    uint64_t shard0;              /* number of its first shard in the file */
};

/* The cache entry of a file: its facts and models. */
struct bk_brain {
    struct bk_held held;
    unsigned units;
    struct bk_facts *facts;                  /* shared by all models */
    _Atomic(struct bk_loaded_unit *) unit[]; /* NULL: not yet */
};

/* An open file: format.c opens and closes it. */
struct bk_file {
    const char *path;
    char *own_path; /* NULL: borrowed */
    struct bk_cache *cache;
    struct bk_reader *file;
    bool borrows;               /* cache and file are borrowed */
    const struct bk_file *twin; /* has the index and the rows, or NULL */
    uint64_t bytes;
    struct bk_head head;
    struct bk_index *ix;
    struct bk_rows *rows;
    unsigned inner;             /* the man who varies within rows */
    const uint8_t *inner_place; /* by his square: his place in the row; NULL: rows differ */
    struct bk_open_unit *unit;
    unsigned first_unit[3]; /* by side; [2] is the end */
    struct bk_shards *shards;
    bk_home brain;
    const struct bk_material
        *wanted; /* while it is opened: the material that it must have, or NULL */
    enum bk_kind wanted_kind;
};

/* == Errors: inline, so that compilers and analysers see which error is returned == */

/* Sets the report, with the file's path: damaged, and `what`.  Returns BK_E_CORRUPT. */
static inline enum bk_err bk_file_damaged(const struct bk_file *f, struct bk_report *why,
                                          const char *what)
{
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: %s", f->path, what);
}

/* Sets the report: out of memory.  Returns BK_E_SYSTEM. */
static inline enum bk_err bk_file_no_memory(const struct bk_file *f, struct bk_report *why)
{
    return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
}

/* Sets the report: there is no such position.  Returns BK_E_USAGE. */
static inline enum bk_err bk_file_no_number(const struct bk_file *f, uint64_t number,
                                            struct bk_report *why)
{
    return bk_fail(why, BK_E_USAGE, "%s: no position number %llu", f->path,
                   (unsigned long long)number);
}

/* == Numbers == */

/* Returns the unit that holds a number; NULL: there is none. */
static inline struct bk_open_unit *bk_unit_with(const struct bk_file *f, unsigned side,
                                                uint64_t number)
{
    if (side > 1 || number >= f->ix->positions)
        return NULL;
    for (unsigned i = f->first_unit[side]; i < f->first_unit[side + 1]; i++)
        if (number < f->unit[i].place.end)
            return &f->unit[i];
    return NULL;
}

/* Returns the first number of the row that holds a number. */
static inline uint64_t bk_file_row(const struct bk_file *f, uint64_t number)
{
    return bk_row_first(f->rows, bk_index_block_with(f->ix, number), number);
}

/* == Models and directories == */

/* As `full`: no limit; the cache evicts others to make room. */
#define BK_ANY_BYTES UINT64_MAX

/* Would `bytes` more keep the cache within `full`? */
bool bk_file_fits(const struct bk_file *f, uint64_t bytes, uint64_t full);

/* Makes the brain of a file and publishes it in its slot; *out is NULL if `full` has no room for
 * it. */
enum bk_err bk_brain_make(struct bk_file *f, uint64_t full, struct bk_brain **out,
                          struct bk_report *why);

/* Sets *out to the brain of a file: its facts, and room for its models. */
static inline enum bk_err bk_brain_of(struct bk_file *f, struct bk_brain **out,
                                      struct bk_report *why)
{
    *out = (struct bk_brain *)bk_held_at(&f->brain);
    return *out ? BK_OK : bk_brain_make(f, BK_ANY_BYTES, out, why);
}

/* As bk_brain_of(), and pins the brain: it stays until the file is closed. */
enum bk_err bk_brain_pinned(struct bk_file *f, struct bk_brain **out, struct bk_report *why);

/* Reads a unit's model and directory into the brain.  If another thread was first, its copy stays;
   if they do not fit into `full`, they are freed. */
enum bk_err bk_brain_load(struct bk_file *f, struct bk_brain *b, struct bk_open_unit *u,
                          uint64_t full, struct bk_report *why);

/* Sets *out to the model and the directory of a unit; reads them if they are not in memory. */
static inline enum bk_err bk_brain_unit(struct bk_file *f, struct bk_brain *b,
                                        struct bk_open_unit *u, const struct bk_loaded_unit **out,
                                        struct bk_report *why)
{
    enum bk_err err;

    *out = atomic_load_explicit(&b->unit[u - f->unit], memory_order_acquire);
    if (*out)
        return BK_OK;
    err = bk_brain_load(f, b, u, BK_ANY_BYTES, why);
    *out = atomic_load(&b->unit[u - f->unit]);
    return err;
}

/* == Shards == */

/* Returns where a shard begins in the file. */
static inline uint64_t bk_shard_at(const struct bk_open_unit *u, const struct bk_shard *s)
{
    return u->shards_at + s->at;
}

/* Returns the place of shard `local` of a unit. */
static inline struct bk_shard_place
bk_shard_place_of(const struct bk_open_unit *u, const struct bk_loaded_unit *l, uint32_t local)
{
    const struct bk_shard *s = &l->directory.shard[local];

    return (struct bk_shard_place){ .nth = u->shard0 + local,
                                    .local = local,
                                    .bytes = (uint32_t)bk_shard_bytes(s),
                                    .at = bk_shard_at(u, s),
                                    .sum = s->sum };
}

/* Sets *bytes to those of a shard; reads them if they are not in memory.  A shard may have none. */
enum bk_err bk_file_shard(struct bk_file *f, const struct bk_shard_place *place,
                          const uint8_t **bytes, struct bk_report *why);

#endif
