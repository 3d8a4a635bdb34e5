/*
 * encode.c - codes in memory to files, and back.
 *
 * Both directions walk the numbers of docs/index.md in order.  Every digit of
 * a block (slice, man, set of equal men) adds an offset into the codes that
 * was computed beforehand, so that a position costs one addition and one load.
 *
 * Illegal positions may hold any value: they repeat the value before them.
 */
#include <stdatomic.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/homes.h"
#include "tb/encode/encode.h"
#include "tb/encode/pack.h"
#include "tb/kernel/dispatch.h"
#include "core/err.h"
#include "tb/solve/estimate.h"
#include "tb/solve/layout.h"

/* == Walking a block == */

#define DIGITS_MAX (BK_SLOTS_MAX + 1)

struct walk {
    unsigned ndigits;
    uint64_t radix[DIGITS_MAX];
    uint64_t *offset[DIGITS_MAX]; /* by digit and value */
    uint32_t *run;                /* of the last digit: so many offsets from here on ascend by 1 */
};

static void walk_release(struct walk *w)
{
    for (unsigned i = 0; i < w->ndigits; i++)
        free(w->offset[i]);
    free(w->run);
    memset(w, 0, sizeof *w);
}

static bool find_runs(struct walk *w)
{
    unsigned last = w->ndigits - 1;
    const uint64_t *offset = w->offset[last];
    size_t n = w->radix[last];

    w->run = malloc((n + 1) * sizeof *w->run);
    for (size_t x = n; w->run && x-- > 0;)
        w->run[x] = x + 1 < n && offset[x + 1] == offset[x] + 1 ? w->run[x + 1] + 1 : 1;
    return w->run;
}

/* What one man on the square of `place` in its cell adds. */
static uint64_t man_offset(const struct bk_memtable *t, uint32_t block, unsigned slot,
                           unsigned place)
{
    const struct bk_memblock *mb = &t->block[block];
    const struct bk_cells *c = t->ix->cells[slot];
    unsigned sq = c->sq[c->first[t->ix->block[block].cell[slot]] + place];

    return mb->stride[slot] * (mb->raw[slot] ? sq : place);
}

/*
 * order: which of the equal men of each digit comes where (a permutation of
 * 0..k-1 per leading slot, by slot); NULL: ascending squares in slot order.
 */
static enum bk_err walk_init(struct walk *w, const struct bk_memtable *t,
                             const struct bk_index *file_ix, uint32_t block, const uint8_t *order,
                             struct bk_report *why)
{
    const struct bk_block *b = &file_ix->block[block];

    memset(w, 0, sizeof *w);
    for (unsigned i = 0; i <= file_ix->nslots; i++) {
        unsigned slot = file_ix->order[i], d = w->ndigits;
        unsigned k = slot == BK_KINGS_SLOT ? 1 : bk_index_leads(file_ix, b, slot);

        if (!k)
            continue;
        w->radix[d] = slot == BK_KINGS_SLOT ? b->pairs->nslices : bk_index_radix(file_ix, b, slot);
        w->offset[d] = malloc((w->radix[d] ? w->radix[d] : 1) * sizeof *w->offset[d]);
        if (!w->offset[d]) {
            walk_release(w);
            return bk_no_memory(why);
        }
        w->ndigits++;
        for (uint64_t x = 0; x < w->radix[d]; x++) {
            uint8_t place[BK_SLOTS_MAX];

            if (slot == BK_KINGS_SLOT) {
                w->offset[d][x] = x * t->block[block].slice_stride;
                continue;
            }
            bk_combination_unrank(x, k, place);
            w->offset[d][x] = 0;
            for (unsigned j = 0; j < k; j++)
                w->offset[d][x] +=
                    man_offset(t, block, slot + (order ? order[slot + j] : j), place[j]);
        }
    }
    if (!find_runs(w)) {
        walk_release(w);
        return bk_no_memory(why);
    }
    return BK_OK;
}

/* Calls visit with runs of equal higher digits: base offset and the last digit's offsets. */
struct cursor {
    const struct walk *w;
    uint64_t digit[DIGITS_MAX];
    uint64_t base; /* of all digits but the last */
};

static void cursor_seek(struct cursor *c, const struct walk *w, uint64_t number)
{
    c->w = w;
    c->base = 0;
    for (unsigned i = w->ndigits; i-- > 0;) {
        c->digit[i] = number % w->radix[i];
        number /= w->radix[i];
        if (i + 1 < w->ndigits)
            c->base += w->offset[i][c->digit[i]];
    }
}

static void cursor_carry(struct cursor *c)
{
    const struct walk *w = c->w;

    c->digit[w->ndigits - 1] = 0;
    for (unsigned i = w->ndigits - 1; i-- > 0;) {
        c->base -= w->offset[i][c->digit[i]];
        if (++c->digit[i] < w->radix[i]) {
            c->base += w->offset[i][c->digit[i]];
            return;
        }
        c->digit[i] = 0;
        c->base += w->offset[i][0];
    }
}

/* == Out == */

/* Both kinds of file are encoded side by side: what a chunk is. */
struct kind {
    struct bk_file_info info;
    struct bk_chunk *chunk; /* 2 * info.chunks; packed ones have bytes */
    bool *ready;            /* by chunk of one side: its values are all there */
};

/* What a thread packs with. */
struct bench {
    struct bk_packer *packer;
    struct bk_planes planes;
    uint8_t *raw;
};

struct bk_encoder {
    struct bk_memtable *t;
    const char *dir; /* borrowed */
    int level;
    struct bk_pool *pool;
    unsigned nkinds;
    struct kind kind[2]; /* BK_KIND_WDL, BK_KIND_DTW */
    struct walk *walk;   /* by block; only in a round that encodes some of it */
    bool *solved;        /* by block */
    struct bench *bench; /* by thread */
    int spill;           /* packed chunks, in the order in which they were done; no name */
    uint64_t spilled;
    /* the present round */
    uint32_t *walked; /* blocks that have a walk */
    uint32_t nwalked;
    unsigned now;
    uint64_t *item;
    uint64_t nitems;
    enum bk_err err;
    struct bk_report why;
};

/* Places at, at + 1, ...: to the planes, or for distances to `raw`, whose value before is known. */
static unsigned take_run(const struct bk_encoder *e, uint32_t block, unsigned side, uint64_t at,
                         uint32_t n, unsigned before, struct bk_planes *planes, uint8_t *raw)
{
    const struct bk_memblock *mb = &e->t->block[block];
    const void *code = mb->code[side];

    switch (e->t->code_bytes) {
    case 0: /* never with distances */
        bk_planes_add_bits(planes, code, mb->draw[side], at, n);
        return 0;
    case 1:
        if (e->now == BK_KIND_DTW)
            return bk_pack_distances((const uint8_t *)code + at, n, before, raw);
        bk_planes_add_codes(planes, (const uint8_t *)code + at, n);
        return 0;
    default:
        if (e->now == BK_KIND_DTW)
            return bk_pack_wide_distances((const uint16_t *)code + at, n, before, raw);
        bk_planes_add_wide(planes, (const uint16_t *)code + at, n);
        return 0;
    }
}

/* The numbers first .. first + n) as a chunk has them; returns the bytes. */
static size_t take_values(const struct bk_encoder *e, unsigned side, uint64_t first, uint32_t n,
                          struct bench *bench)
{
    const struct bk_index *ix = e->t->ix;
    uint32_t block = bk_index_block_with(ix, first);
    uint8_t *raw = bench->raw;
    unsigned before = 0;

    if (e->now == BK_KIND_WDL)
        bk_planes_clear(&bench->planes, n);
    while (n) {
        const struct bk_block *b = &ix->block[block];
        const struct walk *w = &e->walk[block];
        uint64_t rest = b->first + b->size - first;
        uint32_t todo = rest < n ? (uint32_t)rest : n;
        struct cursor c;

        if (todo)
            cursor_seek(&c, w, first - b->first);
        n -= todo;
        first += todo;
        while (todo) {
            unsigned last = w->ndigits - 1;
            uint64_t x = c.digit[last];
            uint32_t run = w->run[x] < todo ? w->run[x] : todo;

            before = take_run(e, block, side, c.base + w->offset[last][x], run, before,
                              &bench->planes, raw);
            raw += (size_t)run * e->t->code_bytes;
            todo -= run;
            c.digit[last] += run;
            if (c.digit[last] == w->radix[last])
                cursor_carry(&c);
        }
        block++;
    }
    if (e->now == BK_KIND_WDL)
        return bk_planes_pack(&bench->planes, bench->raw);
    return (size_t)(raw - bench->raw);
}

static bool write_at(int fd, const void *from, size_t bytes, uint64_t at)
{
    const char *p = from;

    while (bytes) {
        ssize_t put = pwrite(fd, p, bytes, (off_t)at);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        p += put;
        at += (uint64_t)put;
        bytes -= (size_t)put;
    }
    return true;
}

/* To the end of the spill. */
static enum bk_err put_away(struct bk_encoder *e, struct bk_chunk *chunk, uint64_t nth,
                            struct bk_report *why)
{
    bk_chunk_seal(chunk, nth);
    chunk->at = __atomic_fetch_add(&e->spilled, chunk->bytes, __ATOMIC_RELAXED);
    if (!write_at(e->spill, chunk->data, chunk->bytes, chunk->at))
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", e->dir, strerror(errno));
    free(chunk->data);
    chunk->data = NULL;
    return BK_OK;
}

static void encode_chunk(void *context, uint64_t nth, unsigned thread)
{
    struct bk_encoder *e = context;
    struct kind *kind = &e->kind[e->now];
    const struct bk_file_info *info = &kind->info;
    uint64_t item = e->item[nth];
    unsigned side = item >= info->chunks;
    uint64_t first = (item - (uint64_t)side * info->chunks) * info->chunk_positions;
    uint64_t rest = info->positions - first;
    uint32_t n = rest < info->chunk_positions ? (uint32_t)rest : info->chunk_positions;
    struct bk_report why = { "" };
    enum bk_err err;

    if (__atomic_load_n((int *)&e->err, __ATOMIC_RELAXED))
        return;
    bk_spill_ease(e->t->spill);
    err = bk_chunk_pack(&kind->chunk[item], e->bench[thread].packer, e->bench[thread].raw,
                        take_values(e, side, first, n, &e->bench[thread]), e->level, &why);
    if (!err)
        err = put_away(e, &kind->chunk[item], item, &why);
    if (err && !__atomic_exchange_n((int *)&e->err, (int)err, __ATOMIC_RELAXED))
        e->why = why;
}

/* Are all the blocks with the positions of a chunk solved? */
static bool is_ready(const struct bk_encoder *e, const struct bk_file_info *info, uint64_t chunk)
{
    const struct bk_index *ix = e->t->ix;
    uint64_t first = chunk * info->chunk_positions, end = first + info->chunk_positions;

    for (uint32_t b = bk_index_block_with(ix, first); b < ix->nblocks && ix->block[b].first < end;
         b++)
        if (ix->block[b].size && !e->solved[b])
            return false;
    return true;
}

/* For the blocks of a chunk; they go after the round. */
static enum bk_err prepare_walks(struct bk_encoder *e, const struct bk_file_info *info,
                                 uint64_t chunk, struct bk_report *why)
{
    const struct bk_index *ix = e->t->ix;
    uint64_t first = chunk * info->chunk_positions, end = first + info->chunk_positions;
    enum bk_err err = BK_OK;

    for (uint32_t b = bk_index_block_with(ix, first);
         !err && b < ix->nblocks && ix->block[b].first < end; b++) {
        if (e->walk[b].ndigits)
            continue;
        err = walk_init(&e->walk[b], e->t, ix, b, NULL, why);
        e->walked[e->nwalked++] = b;
    }
    return err;
}

/* Encodes the chunks on the list, for both sides to move, and empties it. */
static enum bk_err run_round(struct bk_encoder *e, struct bk_report *why)
{
    for (uint64_t i = 0; i < e->nitems; i++)
        e->item[e->nitems + i] = e->item[i] + e->kind[e->now].info.chunks;
    if (!bk_pool_try(e->pool, 2 * e->nitems, encode_chunk, e) && !e->err) {
        e->err = BK_E_SYSTEM;
        bk_fail(&e->why, e->err, "interrupted");
    }
    e->nitems = 0;
    while (e->nwalked)
        walk_release(&e->walk[e->walked[--e->nwalked]]);
    if (e->err && why)
        *why = e->why;
    return e->err;
}

/* Encodes the chunks of the present kind that have become ready with these blocks. */
static enum bk_err encode_ready(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                                struct bk_report *why)
{
    struct kind *kind = &e->kind[e->now];
    uint32_t size = kind->info.chunk_positions;
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; !err && i < n; i++) {
        const struct bk_block *b = &e->t->ix->block[block[i]];

        for (uint64_t c = b->first / size; !err && b->size && c <= (b->first + b->size - 1) / size;
             c++) {
            if (kind->ready[c] || !is_ready(e, &kind->info, c))
                continue;
            kind->ready[c] = true;
            e->item[e->nitems++] = c;
            err = prepare_walks(e, &kind->info, c, why);
            if (!err && e->nwalked >= BK_WALKS)
                err = run_round(e, why);
        }
    }
    return err ? err : run_round(e, why);
}

static bool wholly_encoded(const struct bk_encoder *e, uint32_t block)
{
    const struct bk_block *b = &e->t->ix->block[block];

    for (unsigned k = 0; b->size && k < e->nkinds; k++) {
        uint32_t size = e->kind[k].info.chunk_positions;

        for (uint64_t c = b->first / size; c <= (b->first + b->size - 1) / size; c++)
            if (!e->kind[k].ready[c])
                return false;
    }
    return true;
}

enum bk_err bk_encoder_blocks(struct bk_encoder *e, const uint32_t *block, uint32_t n,
                              struct bk_report *why)
{
    struct bk_memtable *t = e->t;
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; i < n; i++)
        e->solved[block[i]] = true;
    for (e->now = 0; !err && e->now < e->nkinds; e->now++)
        err = encode_ready(e, block, n, why);
    for (uint32_t b = 0; !err && b < t->ix->nblocks; b++)
        if (e->solved[b] && !t->block[b].encoded)
            t->block[b].encoded = wholly_encoded(e, b);
    return err;
}

static enum bk_err open_spill(struct bk_encoder *e, struct bk_report *why)
{
    char path[PATH_MAX];

    bk_table_path(path, e->dir, e->t->ix->v, &e->t->ix->m, BK_KIND_WDL);
    e->spill = bk_file_scratch(path);
    return e->spill < 0 ? bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno)) : BK_OK;
}

static enum bk_err prepare_kind(struct bk_encoder *e, enum bk_kind which, struct bk_report *why)
{
    const struct bk_index *ix = e->t->ix;
    struct kind *k = &e->kind[which];
    struct bk_file_info *info = &k->info;

    memset(info, 0, sizeof *info);
    info->kind = which;
    info->distances = e->nkinds > 1;
    info->rules_id = ix->v->wings_id[bk_wings(ix->m.rights)];
    info->positions = ix->positions;
    info->norder = ix->nslots + 1;
    memcpy(info->order, ix->order, sizeof info->order);
    bk_homes_name(ix->v, bk_wings(ix->m.rights), info->variant);
    bk_material_name(&ix->m, ix->v, info->material);
    info->value_bytes = which == BK_KIND_WDL ? 0 : e->t->code_bytes;
    info->chunk_positions = which == BK_KIND_WDL ? BK_WDL_CHUNK : BK_DTW_CHUNK;
    info->chunks =
        (uint32_t)((info->positions + info->chunk_positions - 1) / info->chunk_positions);
    k->chunk = calloc(2 * (size_t)info->chunks + 1, sizeof *k->chunk);
    k->ready = calloc((size_t)info->chunks + 1, sizeof *k->ready);
    return k->chunk && k->ready ? BK_OK : bk_no_memory(why);
}

static bool set_up(struct bench *b)
{
    b->packer = bk_packer_new(2 * BK_DTW_CHUNK); /* bytes: two each */
    b->raw = malloc(2 * BK_DTW_CHUNK);
    b->planes.won = malloc((BK_WDL_CHUNK / 64 + 2) * sizeof *b->planes.won);
    b->planes.draw = malloc((BK_WDL_CHUNK / 64 + 2) * sizeof *b->planes.draw);
    return b->packer && b->raw && b->planes.won && b->planes.draw;
}

static void clear_away(struct bench *b)
{
    bk_packer_free(b->packer);
    free(b->raw);
    free(b->planes.won);
    free(b->planes.draw);
}

enum bk_err bk_encoder_open(struct bk_encoder **out, struct bk_memtable *t, const char *dir,
                            bool distances, int level, struct bk_pool *pool, struct bk_report *why)
{
    struct bk_encoder *e = calloc(1, sizeof *e);
    unsigned threads = bk_pool_threads(pool);
    enum bk_err err;

    if (!e)
        return bk_no_memory(why);
    *e = (struct bk_encoder){
        .t = t, .dir = dir, .level = level, .pool = pool, .spill = -1, .nkinds = distances ? 2 : 1
    };
    err = open_spill(e, why);
    for (unsigned kind = 0; !err && kind < e->nkinds; kind++)
        err = prepare_kind(e, (enum bk_kind)kind, why);
    if (!err) {
        e->item = malloc((2 * (size_t)e->kind[e->nkinds - 1].info.chunks + 1) * sizeof *e->item);
        e->walk = calloc(t->ix->nblocks + 1u, sizeof *e->walk);
        e->walked = calloc(t->ix->nblocks + 1u, sizeof *e->walked);
        e->solved = calloc(t->ix->nblocks + 1u, sizeof *e->solved);
        e->bench = calloc(threads, sizeof *e->bench);
        if (!e->item || !e->walk || !e->walked || !e->solved || !e->bench)
            err = bk_no_memory(why);
    }
    for (unsigned i = 0; !err && i < threads; i++)
        if (!set_up(&e->bench[i]))
            err = bk_no_memory(why);
    if (err) {
        bk_encoder_close(e);
        return err;
    }
    *out = e;
    return BK_OK;
}

void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w)
{
    bk_write_array(w, e->solved, e->t->ix->nblocks * sizeof *e->solved);
    for (unsigned k = 0; k < e->nkinds; k++) {
        bk_write_array(w, e->kind[k].ready, e->kind[k].info.chunks * sizeof *e->kind[k].ready);
        bk_write_array(w, e->kind[k].chunk,
                       2 * (size_t)e->kind[k].info.chunks * sizeof *e->kind[k].chunk);
    }
    bk_write(w, &e->spilled, sizeof e->spilled);
    bk_write_file(w, e->spill, e->spilled);
}

bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r)
{
    bool ok = bk_read_array(r, e->solved, e->t->ix->nblocks * sizeof *e->solved);

    for (unsigned k = 0; ok && k < e->nkinds; k++) {
        ok =
            bk_read_array(r, e->kind[k].ready, e->kind[k].info.chunks * sizeof *e->kind[k].ready) &&
            bk_read_array(r, e->kind[k].chunk,
                          2 * (size_t)e->kind[k].info.chunks * sizeof *e->kind[k].chunk);
        for (uint64_t i = 0; i < 2 * (uint64_t)e->kind[k].info.chunks; i++)
            e->kind[k].chunk[i].data = NULL; /* an address of another process, or of a forger */
    }
    return ok && bk_read(r, &e->spilled, sizeof e->spilled) &&
           bk_read_file(r, e->spill, e->spilled);
}

void bk_encoder_close(struct bk_encoder *e)
{
    if (!e)
        return;
    for (unsigned k = 0; k < e->nkinds; k++) {
        for (uint64_t i = 0; e->kind[k].chunk && i < 2 * (uint64_t)e->kind[k].info.chunks; i++)
            free(e->kind[k].chunk[i].data);
        free(e->kind[k].chunk);
        free(e->kind[k].ready);
    }
    for (uint32_t i = 0; e->walk && i < e->t->ix->nblocks; i++)
        walk_release(&e->walk[i]);
    for (unsigned i = 0; e->bench && i < bk_pool_threads(e->pool); i++)
        clear_away(&e->bench[i]);
    if (e->spill >= 0)
        close(e->spill);
    free(e->bench);
    free(e->item);
    free(e->walk);
    free(e->walked);
    free(e->solved);
    free(e);
}

/* Distances first: a .bkw that says it has them never stands alone. */
enum bk_err bk_encoder_finish(struct bk_encoder *e, const struct bk_summary *sum, uint64_t bytes[2],
                              struct bk_report *why)
{
    enum bk_err err = BK_OK;

    bytes[0] = bytes[1] = 0;
    for (unsigned k = e->nkinds; !err && k-- > 0;) {
        struct kind *kind = &e->kind[k];
        char path[PATH_MAX];

        kind->info.summary = *sum;
        bk_table_path(path, e->dir, e->t->ix->v, &e->t->ix->m, (enum bk_kind)k);
        err = bk_file_write(path, &kind->info, kind->chunk, e->spill, why);
        for (uint64_t i = 0; i < 2 * (uint64_t)kind->info.chunks; i++)
            bytes[k] += kind->chunk[i].bytes;
    }
    return err;
}

enum bk_err bk_encode(struct bk_memtable *t, const struct bk_summary *sum, const char *dir,
                      bool distances, int level, struct bk_pool *pool, uint64_t bytes[2],
                      struct bk_report *why)
{
    uint32_t *all = malloc((t->ix->nblocks + 1u) * sizeof *all);
    struct bk_encoder *e = NULL;
    enum bk_err err;

    if (!all)
        return bk_no_memory(why);
    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        all[i] = i;
    err = bk_encoder_open(&e, t, dir, distances, level, pool, why);
    if (!err)
        err = bk_encoder_blocks(e, all, t->ix->nblocks, why);
    if (!err)
        err = bk_encoder_finish(e, sum, bytes, why);
    bk_encoder_close(e);
    free(all);
    return err;
}

/* == In == */

/* What a thread unpacks with. */
struct unpacking {
    unsigned char *wdl;   /* raw, of a chunk */
    unsigned char *codes; /* with distances: of a chunk of them; raw at first */
    uint64_t *won, *draw; /* without: bitmaps of a chunk and a word more */
};

struct loader {
    struct bk_memtable *t;
    struct bk_file *wdl, *dtw;
    unsigned sides;          /* to move: a bit each */
    struct unpacking *bench; /* by thread */
    struct walk *walk;       /* by block, for the present order of equal men */
    enum bk_err err;
    struct bk_report why;
};

/* n bits (64 or fewer) from place `at` on: threads may share words. */
static inline void put_bits(uint64_t *map, uint64_t at, uint64_t bits, unsigned n)
{
    unsigned b = at & 63;

    if (bits << b)
        __atomic_fetch_or(&map[at >> 6], bits << b, __ATOMIC_RELAXED);
    if (b + n > 64 && bits >> (64 - b))
        __atomic_fetch_or(&map[(at >> 6) + 1], bits >> (64 - b), __ATOMIC_RELAXED);
}

/* Values i, i + 1, ... of what is unpacked to places that follow each other. */
static void put_run(const struct bk_memblock *mb, unsigned side, uint64_t at, uint32_t n,
                    unsigned code_bytes, const struct unpacking *from, uint32_t i)
{
    if (code_bytes) {
        memcpy((char *)mb->code[side] + at * code_bytes, from->codes + (size_t)i * code_bytes,
               (size_t)n * code_bytes);
        return;
    }
    for (unsigned part; n; n -= part, at += part, i += part) {
        part = n < 64 ? n : 64;
        put_bits(mb->code[side], at, bk_bits_at(from->won, i, part), part);
        put_bits(mb->draw[side], at, bk_bits_at(from->draw, i, part), part);
    }
}

/* The same for places that do not. */
static void put_apart(const struct bk_memblock *mb, unsigned side, uint64_t base,
                      const uint64_t *offset, uint32_t n, unsigned code_bytes,
                      const struct unpacking *from, uint32_t i)
{
    for (uint32_t j = 0; j < n; j++)
        if (code_bytes == 1)
            ((uint8_t *)mb->code[side])[base + offset[j]] = from->codes[i + j];
        else
            put_run(mb, side, base + offset[j], 1, code_bytes, from, i + j);
}

#define SHORT_RUN 8 /* a call costs more than so many single bytes */

/* The numbers first .. first + n), which are unpacked, to where they belong. */
static void put_values(const struct loader *l, unsigned side, uint64_t first, uint32_t n,
                       const struct unpacking *from)
{
    const struct bk_index *ix = bk_file_index(l->wdl);
    unsigned code_bytes = l->t->code_bytes;
    uint32_t i = 0;

    for (uint32_t block = bk_index_block_with(ix, first); i < n; block++) {
        const struct bk_block *b = &ix->block[block];
        const struct bk_memblock *mb = &l->t->block[block];
        const struct walk *w = &l->walk[block];
        uint64_t rest = b->first + b->size - (first + i);
        uint32_t end = rest < n - i ? i + (uint32_t)rest : n;
        struct cursor c;

        if (i < end)
            cursor_seek(&c, w, first + i - b->first);
        while (i < end) {
            unsigned last = w->ndigits - 1;
            uint64_t x = c.digit[last];
            const uint64_t *offset = w->offset[last] + x;
            uint32_t run = w->run[x];

            if (run < SHORT_RUN)
                run = w->radix[last] - x < SHORT_RUN ? (uint32_t)(w->radix[last] - x) : SHORT_RUN;
            if (run > end - i)
                run = end - i;
            if (w->run[x] < run)
                put_apart(mb, side, c.base, offset, run, code_bytes, from, i);
            else
                put_run(mb, side, c.base + *offset, run, code_bytes, from, i);
            i += run;
            c.digit[last] += run;
            if (c.digit[last] == w->radix[last])
                cursor_carry(&c);
        }
    }
}

/* The positions of a chunk of win, draw and loss that a chunk of distances has. */
static enum bk_err load_distances(const struct loader *l, unsigned side, uint64_t first,
                                  uint32_t done, const struct unpacking *u, uint32_t *n,
                                  struct bk_report *why)
{
    uint32_t part = (uint32_t)((first + done) / bk_file_info(l->dtw)->chunk_positions);
    enum bk_err err = bk_file_chunk(l->dtw, side, part, u->codes, n, why);

    if (err)
        return err;
    if (l->t->code_bytes == 1)
        bk_unpack_codes(u->wdl, done, *n, u->codes);
    else
        bk_unpack_wide_codes(u->wdl, done, *n, u->codes);
    put_values(l, side, first + done, *n, u);
    return BK_OK;
}

static void load_chunk(void *context, uint64_t item, unsigned thread)
{
    struct loader *l = context;
    const struct bk_file_info *info = bk_file_info(l->wdl);
    const struct unpacking *u = &l->bench[thread];
    unsigned side = item >= info->chunks;
    uint32_t chunk = (uint32_t)(item - (uint64_t)side * info->chunks), n, nk;
    uint64_t first = (uint64_t)chunk * info->chunk_positions;
    struct bk_report why = { "" };
    enum bk_err err;

    if (!(l->sides >> side & 1))
        return;
    bk_spill_ease(l->t->spill);
    err = bk_file_chunk(l->wdl, side, chunk, u->wdl, &n, &why);
    if (!err && !l->dtw) {
        bk_unpack_planes(u->wdl, n, u->won, u->draw);
        put_values(l, side, first, n, u);
    }
    for (uint32_t done = 0; !err && l->dtw && done < n; done += nk)
        err = load_distances(l, side, first, done, u, &nk, &why);
    if (err && !__atomic_exchange_n((int *)&l->err, (int)err, __ATOMIC_RELAXED))
        l->why = why;
}

static bool set_up_unpacking(const struct loader *l, struct unpacking *u)
{
    const struct bk_file_info *info = bk_file_info(l->wdl);
    size_t words = info->chunk_positions / 64 + 2;

    u->wdl = malloc(bk_file_chunk_bytes(info));
    if (l->dtw)
        return u->wdl && (u->codes = malloc(bk_file_chunk_bytes(bk_file_info(l->dtw))));
    u->won = malloc(words * sizeof *u->won);
    u->draw = malloc(words * sizeof *u->draw);
    return u->wdl && u->won && u->draw;
}

static void clear_unpacking(struct unpacking *u)
{
    free(u->wdl);
    free(u->codes);
    free(u->won);
    free(u->draw);
}

/* The next arrangement of the equal men led by each slot; false after the last. */
static bool next_order(const struct bk_index *ix, uint8_t *order)
{
    for (unsigned lead = 0; lead < ix->nslots; lead++) {
        unsigned k = 1;

        if (ix->like[lead] != lead)
            continue;
        while (lead + k < ix->nslots && ix->like[lead + k] == lead)
            k++;
        /* next permutation in lexicographic order */
        for (unsigned i = k - 1; i-- > 0;)
            if (order[lead + i] < order[lead + i + 1]) {
                unsigned j = k - 1;
                uint8_t swap;

                while (order[lead + j] < order[lead + i])
                    j--;
                swap = order[lead + i];
                order[lead + i] = order[lead + j];
                order[lead + j] = swap;
                for (unsigned a = i + 1, b = k - 1; a < b; a++, b--) {
                    swap = order[lead + a];
                    order[lead + a] = order[lead + b];
                    order[lead + b] = swap;
                }
                return true;
            }
        for (unsigned i = 0; i < k; i++)
            order[lead + i] = (uint8_t)i;
    }
    return false;
}

/*
 * The arrangement that the men of one digit take from that of all equal men:
 * the ranks of their entries among each other.
 */
static void order_within(const struct bk_index *ix, uint32_t block, const uint8_t *order,
                         uint8_t *out)
{
    const struct bk_block *b = &ix->block[block];

    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned k = bk_index_leads(ix, b, s);

        for (unsigned i = 0; i < k; i++) {
            out[s + i] = 0;
            for (unsigned j = 0; j < k; j++)
                out[s + i] += order[s + j] < order[s + i];
        }
    }
}

static enum bk_err load_values(struct loader *l, struct bk_pool *pool, struct bk_report *why)
{
    const struct bk_index *ix = bk_file_index(l->wdl);
    uint8_t order[BK_SLOTS_MAX], here[BK_SLOTS_MAX];
    unsigned threads = bk_pool_threads(pool);
    enum bk_err err = BK_OK;

    for (unsigned s = 0; s < ix->nslots; s++)
        order[s] = (uint8_t)(s - ix->like[s]);
    l->walk = calloc(ix->nblocks, sizeof *l->walk);
    l->bench = calloc(threads, sizeof *l->bench);
    if (!l->walk || !l->bench)
        err = bk_no_memory(why);
    for (unsigned i = 0; !err && i < threads; i++)
        if (!set_up_unpacking(l, &l->bench[i]))
            err = bk_no_memory(why);
    while (!err) {
        for (uint32_t i = 0; !err && i < ix->nblocks; i++) {
            order_within(ix, i, order, here);
            err = walk_init(&l->walk[i], l->t, ix, i, here, why);
        }
        if (!err) {
            if (!bk_pool_try(pool, 2 * (uint64_t)bk_file_info(l->wdl)->chunks, load_chunk, l) &&
                !l->err) {
                l->err = BK_E_SYSTEM;
                bk_fail(&l->why, l->err, "interrupted");
            }
            err = l->err;
            if (err && why)
                *why = l->why;
        }
        for (uint32_t i = 0; i < ix->nblocks; i++)
            walk_release(&l->walk[i]);
        if (!next_order(ix, order))
            break;
    }
    for (unsigned i = 0; l->bench && i < threads; i++)
        clear_unpacking(&l->bench[i]);
    free(l->walk);
    free(l->bench);
    return err;
}

static enum bk_err open_pair(struct loader *l, const struct bk_variant *v, const char *dir,
                             const struct bk_material *m, bool distances, struct bk_report *why)
{
    char path[PATH_MAX];
    enum bk_err err = bk_file_open(&l->wdl, bk_table_path(path, dir, v, m, BK_KIND_WDL), v, why);

    if (!err && distances)
        err = bk_file_open(&l->dtw, bk_table_path(path, dir, v, m, BK_KIND_DTW), v, why);
    if (!err && (bk_file_info(l->wdl)->kind != BK_KIND_WDL ||
                 (l->dtw &&
                  (bk_file_info(l->dtw)->kind != BK_KIND_DTW ||
                   bk_file_info(l->wdl)->chunk_positions % bk_file_info(l->dtw)->chunk_positions))))
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: not the kind its name says", path);
    if (!err && (!bk_material_equal(&bk_file_index(l->wdl)->m, m) ||
                 (l->dtw && !bk_material_equal(&bk_file_index(l->dtw)->m, m))))
        err = bk_fail(why, BK_E_CORRUPT, "%s: holds another material (%s)", path,
                      bk_file_info(l->wdl)->material);
    return err;
}

enum bk_err bk_load_sides(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                          const struct bk_material *m, bool distances, bool mark_illegal,
                          unsigned sides, struct bk_spill *spill, struct bk_pool *pool,
                          struct bk_report *why)
{
    const struct bk_kernel *k = bk_kernel_for(v->nsq);
    struct loader l = { .sides = sides };
    enum bk_err err = bk_memtable_new(&l.t, v, m, why);

    if (err)
        return err;
    l.t->spill = spill;
    if (!l.t->by_rule) {
        err = open_pair(&l, v, dir, m, distances, why);
        if (!err)
            l.t->code_bytes = (uint8_t)(l.dtw ? bk_file_info(l.dtw)->value_bytes : 0);
        for (uint32_t i = 0; !err && i < l.t->ix->nblocks; i++) {
            err = bk_layout_block(l.t, i, k, why);
            for (unsigned side = 0; side < 2; side++)
                if (!(sides >> side & 1)) /* not a byte of it has been touched */
                    bk_memblock_free_side(&l.t->block[i], side);
        }
        if (!err)
            err = load_values(&l, pool, why);
        if (!err && mark_illegal)
            err = bk_layout_mark_illegal(l.t, k, pool, why);
        bk_file_close(l.wdl);
        bk_file_close(l.dtw);
    }
    if (err)
        bk_memtable_free(l.t);
    else
        *out = l.t;
    return err;
}

enum bk_err bk_load(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                    const struct bk_material *m, bool distances, bool mark_illegal,
                    struct bk_spill *spill, struct bk_pool *pool, struct bk_report *why)
{
    return bk_load_sides(out, v, dir, m, distances, mark_illegal, 3, spill, pool, why);
}
