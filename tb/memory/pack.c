/*
 * pack.c - see pack.h.
 */
#include "tb/memory/pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* == Cut down: layout == */

int bk_part_slot(const struct bk_index *ix, const struct bk_part_man *man)
{
    for (unsigned s = 0; s < ix->nslots; s++)
        if (ix->type[s] == man->type && ix->colour[s] == man->colour)
            return bk_index_is_anchor(ix, s) ? -1 : (int)s; /* he has no digit */
    return -1;
}

/* The man's digits from `first` on, `n` of them; n 0: none of his squares is in this cell. */
struct digits {
    unsigned first, n;
};

static struct digits digits_of(const struct bk_index *ix, uint32_t block,
                               const struct bk_part_man *man, unsigned slot, bool raw)
{
    const struct bk_cells *cells = ix->cells[slot];
    unsigned first = BK_SQ_MAX, end = 0;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        for (unsigned sq = 0; (ix->group | 1u) >> sym & 1 && sq < ix->v->nsq; sq++) {
            unsigned at = ix->map[sym][sq], digit = raw ? at : cells->place_of[at];

            if (!man->on[sq] || cells->cell_of[at] != ix->block[block].cell[slot])
                continue;
            first = digit < first ? digit : first;
            end = digit + 1 > end ? digit + 1 : end;
        }
    return (struct digits){ first, end ? end - first : 0 };
}

bool bk_part_pays(const struct bk_index *ix, const struct bk_part *part)
{
    uint64_t whole = 0, copies = 0;

    for (unsigned i = 0; i < part->nmen; i++)
        if (bk_part_slot(ix, &part->man[i]) < 0)
            return false;
    for (uint32_t b = 0; b < ix->nblocks; b++) {
        whole += ix->block[b].size * (unsigned)(part->side[0] + part->side[1]);
        for (unsigned i = 0; i < part->nmen; i++) {
            unsigned slot = (unsigned)bk_part_slot(ix, &part->man[i]);
            struct digits d = digits_of(ix, b, &part->man[i], slot, false);

            copies += ix->block[b].size * d.n / ix->cells[slot]->size[ix->block[b].cell[slot]];
        }
    }
    return part->nmen == 1 || 4 * copies <= 3 * whole;
}

/* Returns what all places of a man take: the next larger stride.  Those above are multiples. */
static uint64_t unit_above(const struct bk_memblock *mb, unsigned nslots, unsigned slot)
{
    uint64_t unit = mb->slice_stride;

    for (unsigned s = 0; s < nslots; s++)
        if (mb->stride[s] > mb->stride[slot] && mb->stride[s] < unit)
            unit = mb->stride[s];
    return unit;
}

bool bk_narrow_lay_out(const struct bk_index *ix, uint32_t block, const struct bk_part_man *man,
                       struct bk_memblock *mb)
{
    unsigned slot = (unsigned)bk_part_slot(ix, man);
    struct digits d = digits_of(ix, block, man, slot, mb->raw[slot]);
    uint64_t unit, narrow;

    mb->narrow_n = 0;
    if (!d.n)
        return false;
    unit = unit_above(mb, ix->nslots, slot);
    narrow = d.n * mb->stride[slot];
    if (!narrow || narrow >= unit)
        return true; /* he stands still in this block, or goes everywhere */
    for (unsigned s = 0; s < ix->nslots; s++)
        if (mb->stride[s] >= unit)
            mb->stride[s] = mb->stride[s] / unit * narrow;
    mb->slice_stride = (mb->slice_stride + unit - 1) / unit * narrow;
    mb->narrow_slot = (uint8_t)slot;
    mb->narrow_first = (uint8_t)d.first;
    mb->narrow_n = (uint8_t)d.n;
    return true;
}

/* == Cut down: copies == */

/* Copies n bits of `from`, from bit `first` on, to bit `at` of `to`, where bits are zero. */
static void copy_bits(uint64_t *to, uint64_t at, const uint64_t *from, uint64_t first, uint64_t n)
{
    while (n) {
        unsigned room = 64 - (unsigned)(at & 63), part = n < room ? (unsigned)n : room;

        to[at >> 6] |= bk_bits_at(from, first, part) << (at & 63);
        at += part;
        first += part;
        n -= part;
    }
}

/* Copies the narrow part of an array, laid out as `wide`, into one that is laid out as `narrow`. */
static void copy_part(void *to, const void *from, const struct bk_memblock *wide,
                      const struct bk_memblock *narrow, uint32_t nslices, unsigned nslots,
                      unsigned code_bytes)
{
    uint64_t stride = wide->stride[narrow->narrow_slot], skip = narrow->narrow_first * stride;
    uint64_t unit = unit_above(wide, nslots, narrow->narrow_slot), run = narrow->narrow_n * stride;

    for (uint64_t slice = 0; slice < nslices; slice++) {
        uint64_t at = slice * narrow->slice_stride, first = slice * wide->slice_stride,
                 end = first + wide->slice_stride;

        for (first += skip; first + run <= end; first += unit, at += run)
            if (code_bytes)
                memcpy((char *)to + at * code_bytes, (const char *)from + first * code_bytes,
                       run * code_bytes);
            else
                copy_bits(to, at, from, first, run);
    }
}

/* A copy for one man being made. */
struct narrowing {
    const struct bk_memtable *from;
    struct bk_memtable *to; /* the same, or another */
    const struct bk_part_man *man;
    atomic_bool no_memory; /* blocks were left as they are */
};

/* Returns an array of a block of the copy, owned.  NULL: there is none to copy, or no memory. */
static void *copy_array(const struct narrowing *x, uint32_t block, const void *from,
                        const struct bk_memblock *narrow)
{
    const struct bk_memblock *wide = &x->from->block[block];
    uint32_t nslices = x->from->ix->block[block].pairs->nslices;
    unsigned code_bytes = x->from->code_bytes;
    size_t bytes = bk_memblock_array_bytes(nslices * narrow->slice_stride, code_bytes);
    void *to = from ? bk_spill_new(x->to->spill, bytes) : NULL;

    if (bk_arena_is_dry())
        return to;
    if (to && narrow->narrow_n)
        copy_part(to, from, wide, narrow, nslices, x->from->ix->nslots, code_bytes);
    else if (to)
        memcpy(to, from, bytes);
    return to;
}

/* Copies one man's positions of a block; a block that is not there stays so. */
static void copy_block(void *context, uint64_t block, unsigned thread)
{
    struct narrowing *x = context;
    struct bk_memblock *from = &x->from->block[block], *to = &x->to->block[block], copy = *from;
    unsigned side = !x->man->colour;
    bool any = bk_narrow_lay_out(x->from->ix, (uint32_t)block, x->man, &copy);

    (void)thread;
    memset(copy.attained, 0, sizeof copy.attained);
    memset(copy.code, 0, sizeof copy.code);
    memset(copy.draw, 0, sizeof copy.draw);
    if (any && from == to && !copy.narrow_n) { /* all of it */
        bk_memblock_free_side(to, !side);
        return;
    }
    if (any) {
        copy.code[side] = copy_array(x, (uint32_t)block, from->code[side], &copy);
        copy.draw[side] = copy_array(x, (uint32_t)block, from->draw[side], &copy);
    }
    if (any && (!copy.code[side] != !from->code[side] || !copy.draw[side] != !from->draw[side])) {
        bk_memblock_free(&copy);
        atomic_store(&x->no_memory, true);
        return;
    }
    bk_memblock_free(to);
    *to = copy;
}

/* Returns a copy for a man, made before `t` itself is narrowed.  NULL: no memory. */
static struct bk_memtable *copy_for(const struct bk_memtable *t, const struct bk_part_man *man,
                                    struct bk_pool *pool)
{
    struct bk_memtable *copy = bk_memtable_beside(t);
    struct narrowing x = { t, copy, man, false };

    if (!copy)
        return NULL;
    copy->of_colour = man->colour;
    copy->of_type = man->type;
    bk_pool_run(pool, t->ix->nblocks, copy_block, &x);
    if (atomic_load(&x.no_memory)) {
        bk_memtable_free(copy);
        return NULL;
    }
    return copy;
}

/* Makes all copies but the first man's.  False: no memory, and none is made. */
static bool copy_for_others(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool)
{
    for (unsigned i = part->nmen; i-- > 1;) {
        struct bk_memtable *copy = copy_for(t, &part->man[i], pool);

        if (!copy) {
            bk_memtable_free(t->also);
            t->also = NULL;
            return false;
        }
        copy->also = t->also;
        t->also = copy;
    }
    return true;
}

void bk_narrow(struct bk_memtable *t, const struct bk_part *part, struct bk_pool *pool)
{
    bool pays = part->nmen && bk_part_pays(t->ix, part);

    if (!part->known || t->by_rule || t->by_share)
        return;
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        bk_memblock_free_attained(&t->block[i]);
        for (unsigned side = 0; side < 2; side++)
            if (!part->side[side])
                bk_memblock_free_side(&t->block[i], side);
    }
    if (pays && copy_for_others(t, part, pool)) {
        struct narrowing x = { t, t, &part->man[0], false };

        t->of_colour = part->man[0].colour;
        t->of_type = part->man[0].type;
        bk_pool_run(pool, t->ix->nblocks, copy_block, &x);
    }
}

/* == Compressed: the arrays of a table == */

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

/* == Compressed: pieces == */

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

/* == Compressed: tables == */

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
