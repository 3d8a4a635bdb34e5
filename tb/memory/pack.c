/*
 * pack.c - see pack.h.
 */
#include "tb/memory/pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Level 3 leaves a twentieth less, and takes half as long again. */
#define LEVEL 1
#define PIECE ((size_t)1 << 20) /* packed by one thread */

/* An array in pieces that follow each other. */
struct packed_array {
    char *pieces;    /* owned; NULL: not packed yet */
    uint32_t *end;   /* owned: by piece, one past its last byte */
    size_t n, bytes; /* of the pieces */
};

/* The packed arrays of a table's blocks in their order, whether packed or not. */
struct bk_packed {
    size_t n;
    uint64_t bytes;
    struct packed_array array[];
};

/* == The arrays of a table == */

struct place {
    void **at;
    size_t bytes;
};

enum { ARRAYS = 4 }; /* of a block */

static struct place array_of(struct bk_memtable *t, uint32_t block, unsigned nth)
{
    struct bk_memblock *mb = &t->block[block];
    uint64_t places = (uint64_t)t->ix->block[block].pairs->nslices * mb->slice_stride;
    unsigned side = nth & 1;

    return (struct place){ nth < 2 ? &mb->code[side] : &mb->draw[side],
                           bk_memblock_array_bytes(places, t->code_bytes) };
}

static size_t arrays_of(const struct bk_memtable *t)
{
    size_t n = 0;

    for (; t; t = t->also)
        n += (size_t)t->ix->nblocks * ARRAYS;
    return n;
}

/* Called with each array and its number.  False: it failed, and no more are visited. */
typedef bool each_array(void *context, size_t nth, const struct bk_memtable *t, struct place place);

static bool of_each_array(struct bk_memtable *t, each_array *what, void *context)
{
    size_t nth = 0;

    for (; t; t = t->also)
        for (uint32_t block = 0; block < t->ix->nblocks; block++)
            for (unsigned i = 0; i < ARRAYS; i++, nth++)
                if (!what(context, nth, t, array_of(t, block, i)))
                    return false;
    return true;
}

/* == Pieces == */

struct work {
    struct bk_packed *p;
    struct bk_pool *pool;
    char *array;         /* under way */
    size_t bytes, first; /* of it; the first piece of this round */
    const struct packed_array *from;
    char **piece; /* a round's, of so many bytes */
    size_t *piece_bytes;
    unsigned round; /* pieces of one */
    atomic_bool good;
};

static size_t pieces_of(size_t bytes) { return (bytes + PIECE - 1) / PIECE; }

static size_t bytes_of_piece(const struct work *w, size_t nth)
{
    size_t left = w->bytes - nth * PIECE;

    return left < PIECE ? left : PIECE;
}

static void pack_piece(void *context, uint64_t i, unsigned thread)
{
    struct work *w = context;
    size_t nth = w->first + (size_t)i;

    (void)thread;
    w->piece_bytes[i] = ZSTD_compress(w->piece[i], ZSTD_compressBound(PIECE),
                                      w->array + nth * PIECE, bytes_of_piece(w, nth), LEVEL);
    if (ZSTD_isError(w->piece_bytes[i]))
        atomic_store_explicit(&w->good, false, memory_order_relaxed);
}

static void unpack_piece(void *context, uint64_t nth, unsigned thread)
{
    struct work *w = context;
    size_t at = nth ? w->from->end[nth - 1] : 0, want = bytes_of_piece(w, (size_t)nth);

    (void)thread;
    if (ZSTD_decompress(w->array + nth * PIECE, want, w->from->pieces + at,
                        w->from->end[nth] - at) != want)
        atomic_store_explicit(&w->good, false, memory_order_relaxed);
}

/* Packs the pieces of the array under way, some at a time, one behind the other. */
static bool pack_pieces(struct work *w, struct packed_array *to)
{
    size_t at = 0;

    for (w->first = 0; w->first < to->n; w->first += w->round) {
        size_t n = to->n - w->first < w->round ? to->n - w->first : w->round;

        bk_pool_run(w->pool, n, pack_piece, w);
        if (!w->good)
            return false;
        for (size_t i = 0; i < n; at += w->piece_bytes[i++]) {
            memcpy(to->pieces + at, w->piece[i], w->piece_bytes[i]);
            to->end[w->first + i] = (uint32_t)(at + w->piece_bytes[i]);
        }
    }
    return true;
}

static void forget(struct packed_array *x)
{
    bk_stock_other_goes(x->bytes);
    free(x->pieces);
    free(x->end);
    *x = (struct packed_array){ NULL, NULL, 0, 0 };
}

static bool pack_array(struct work *w, struct packed_array *to)
{
    char *fit;

    to->n = pieces_of(w->bytes);
    to->pieces = malloc(to->n * ZSTD_compressBound(PIECE));
    to->end = malloc(to->n * sizeof *to->end);
    if (!to->pieces || !to->end || !pack_pieces(w, to)) {
        forget(to);
        return false;
    }
    to->bytes = to->end[to->n - 1];
    fit = realloc(to->pieces, to->bytes);
    to->pieces = fit ? fit : to->pieces;
    bk_stock_other_comes(to->bytes);
    w->p->bytes += to->bytes + to->n * sizeof *to->end;
    return true;
}

/* == Tables == */

static bool put_away(void *context, size_t nth, const struct bk_memtable *t, struct place place)
{
    struct work *w = context;
    struct packed_array *x = &w->p->array[nth];

    (void)t;
    if (!*place.at)
        return true;
    w->array = *place.at;
    w->bytes = place.bytes;
    if (place.bytes > UINT32_MAX || (!x->pieces && place.bytes && !pack_array(w, x)))
        return false;
    bk_spill_free(*place.at);
    *place.at = NULL;
    return true;
}

static bool bring_back(void *context, size_t nth, const struct bk_memtable *t, struct place place)
{
    struct work *w = context;

    w->from = &w->p->array[nth];
    if (!w->from->pieces || *place.at)
        return true;
    w->array = *place.at = bk_memtable_array(t, place.bytes);
    w->bytes = place.bytes;
    if (!w->array)
        return false;
    bk_pool_run(w->pool, w->from->n, unpack_piece, w);
    if (w->good)
        return true;
    bk_spill_free(*place.at);
    *place.at = NULL;
    return false;
}

static void release_round(struct work *w)
{
    for (unsigned i = 0; w->piece && i < w->round; i++)
        free(w->piece[i]);
    free(w->piece);
    free(w->piece_bytes);
}

static bool make_round(struct work *w)
{
    bool ok;

    w->round = 4 * bk_pool_threads(w->pool);
    w->piece = calloc(w->round, sizeof *w->piece);
    w->piece_bytes = calloc(w->round, sizeof *w->piece_bytes);
    ok = w->piece && w->piece_bytes;
    for (unsigned i = 0; ok && i < w->round; i++)
        ok = (w->piece[i] = malloc(ZSTD_compressBound(PIECE))) != NULL;
    return ok;
}

static struct bk_packed *packed_new(const struct bk_memtable *t)
{
    size_t n = arrays_of(t), bytes = sizeof(struct bk_packed) + n * sizeof(struct packed_array);
    struct bk_packed *p = calloc(1, bytes);

    if (p) {
        p->n = n;
        p->bytes = bytes;
    }
    return p;
}

bool bk_pack(struct bk_packed **p, struct bk_memtable *t, struct bk_pool *pool)
{
    struct work w = { .pool = pool, .good = true };
    bool ok;

    if (!*p)
        *p = packed_new(t);
    w.p = *p;
    ok = w.p && make_round(&w) && of_each_array(t, put_away, &w);
    release_round(&w);
    return ok;
}

bool bk_unpack(struct bk_packed *p, struct bk_memtable *t, struct bk_pool *pool)
{
    struct work w = { .p = p, .pool = pool, .good = true };

    return of_each_array(t, bring_back, &w);
}

uint64_t bk_packed_bytes(const struct bk_packed *p) { return p ? p->bytes : 0; }

void bk_packed_free(struct bk_packed *p)
{
    for (size_t i = 0; p && i < p->n; i++)
        forget(&p->array[i]);
    free(p);
}
