/*
 * encode.c - codes in memory to files, and back.
 *
 * Both directions walk the numbers of docs/index.md in order.  Every digit of
 * a block (slice, man, set of equal men) adds an offset into the codes that
 * was computed beforehand, so that a position costs one addition and one load.
 *
 * Illegal positions may hold any value: they repeat the value before them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/homes.h"
#include "tb/build.h"

#define WDL_CHUNK (1u << 18) /* 64 KiB packed */
#define DTW_CHUNK (1u << 16)

/* == Walking a block == */

#define DIGITS_MAX (BK_SLOTS_MAX + 1)

struct walk {
    unsigned ndigits;
    uint64_t radix[DIGITS_MAX];
    uint64_t *offset[DIGITS_MAX]; /* by digit and value */
};

static void walk_release(struct walk *w)
{
    for (unsigned i = 0; i < w->ndigits; i++)
        free(w->offset[i]);
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
            return bk_fail(why, BK_E_SYSTEM, "out of memory");
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

static uint16_t wdl_of(unsigned code, unsigned loss, uint16_t before)
{
    if (code == BK_CODE_ILLEGAL)
        return before;
    return code == BK_CODE_DRAW ? BK_WDL_DRAW : code < loss ? BK_WDL_WIN : BK_WDL_LOSS;
}

static uint16_t k_of(unsigned code, unsigned loss, uint16_t before)
{
    if (code <= BK_CODE_DRAW)
        return before;
    return (uint16_t)(code < loss ? code - BK_CODE_WIN : code - loss);
}

struct encoder {
    const struct bk_memtable *t;
    struct walk *walk; /* by block */
    struct bk_file_info info;
    int level;
    struct bk_chunk *chunk;
    uint16_t *(*value); /* by thread */
    enum bk_err err;
    struct bk_report why;
};

/* Values of the numbers first .. first + n). */
static void take_values(const struct encoder *e, unsigned side, uint64_t first, uint32_t n,
                        uint16_t *out)
{
    const struct bk_index *ix = e->t->ix;
    bool wdl = e->info.kind == BK_KIND_WDL;
    unsigned loss = e->t->code_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;
    uint16_t before = wdl ? BK_WDL_DRAW : 0, map[256];
    uint32_t block = bk_index_block_with(ix, first);

    for (unsigned code = 0; code < 256; code++)
        map[code] = wdl ? wdl_of(code, loss, 0) : k_of(code, loss, 0);
    while (n) {
        const struct bk_block *b = &ix->block[block];
        const struct walk *w = &e->walk[block];
        const void *codes = e->t->block[block].code[side];
        uint64_t rest = b->first + b->size - first;
        uint32_t todo = rest < n ? (uint32_t)rest : n;
        struct cursor c;

        if (todo)
            cursor_seek(&c, w, first - b->first);
        n -= todo;
        first += todo;
        block++;
        while (todo) {
            unsigned last = w->ndigits - 1;
            uint64_t left = w->radix[last] - c.digit[last];
            uint32_t run = left < todo ? (uint32_t)left : todo;
            const uint64_t *offset = w->offset[last] + c.digit[last];

            for (uint32_t i = 0; i < run; i++) {
                uint64_t at = c.base + offset[i];

                if (e->t->code_bytes == 1) {
                    unsigned code = ((const uint8_t *)codes)[at];

                    if (code > (wdl ? BK_CODE_ILLEGAL : BK_CODE_DRAW))
                        before = map[code];
                } else {
                    unsigned code = ((const uint16_t *)codes)[at];

                    before = wdl ? wdl_of(code, loss, before) : k_of(code, loss, before);
                }
                *out++ = before;
            }
            todo -= run;
            cursor_carry(&c);
        }
    }
}

static void encode_chunk(void *context, uint64_t item, unsigned thread)
{
    struct encoder *e = context;
    unsigned side = item >= e->info.chunks;
    uint64_t first = (item - (uint64_t)side * e->info.chunks) * e->info.chunk_positions;
    uint64_t rest = e->info.positions - first;
    uint32_t n = rest < e->info.chunk_positions ? (uint32_t)rest : e->info.chunk_positions;
    struct bk_report why = { "" };
    enum bk_err err;

    if (__atomic_load_n((int *)&e->err, __ATOMIC_RELAXED))
        return;
    take_values(e, side, first, n, e->value[thread]);
    err = bk_chunk_pack(&e->chunk[item], &e->info, e->value[thread], n, e->level, &why);
    if (err && !__atomic_exchange_n((int *)&e->err, (int)err, __ATOMIC_RELAXED))
        e->why = why;
}

static enum bk_err encode_kind(struct encoder *e, const char *dir, struct bk_pool *pool,
                               uint64_t *bytes, struct bk_report *why)
{
    const struct bk_index *ix = e->t->ix;
    unsigned threads = bk_pool_threads(pool);
    char path[PATH_MAX];
    uint64_t items;
    enum bk_err err;

    e->info.value_bytes = e->info.kind == BK_KIND_WDL ? 0 : e->t->code_bytes;
    e->info.chunk_positions = e->info.kind == BK_KIND_WDL ? WDL_CHUNK : DTW_CHUNK;
    e->info.chunks =
        (uint32_t)((e->info.positions + e->info.chunk_positions - 1) / e->info.chunk_positions);
    items = 2 * (uint64_t)e->info.chunks;
    e->chunk = calloc(items + 1, sizeof *e->chunk);
    e->value = calloc(threads, sizeof *e->value);
    err = e->chunk && e->value ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (unsigned i = 0; !err && i < threads; i++)
        if (!(e->value[i] = malloc(e->info.chunk_positions * sizeof **e->value)))
            err = bk_fail(why, BK_E_SYSTEM, "out of memory");
    if (!err) {
        bk_pool_run(pool, items, encode_chunk, e);
        err = e->err;
        if (err && why)
            *why = e->why;
    }
    bk_table_path(path, dir, ix->v, &ix->m, e->info.kind);
    if (!err)
        err = bk_file_write(path, &e->info, e->chunk, why);
    *bytes = 0;
    for (uint64_t i = 0; e->chunk && i < items; i++) {
        *bytes += e->chunk[i].bytes;
        free(e->chunk[i].data);
    }
    for (unsigned i = 0; e->value && i < threads; i++)
        free(e->value[i]);
    free(e->value);
    free(e->chunk);
    return err;
}

enum bk_err bk_encode(const struct bk_memtable *t, const struct bk_summary *sum, const char *dir,
                      bool distances, int level, struct bk_pool *pool, uint64_t bytes[2],
                      struct bk_report *why)
{
    const struct bk_index *ix = t->ix;
    struct encoder e = { .t = t, .level = level };
    enum bk_err err = BK_OK;

    bytes[0] = bytes[1] = 0;
    e.info.distances = distances;
    e.info.rules_id = ix->v->wings_id[bk_wings(ix->m.rights)];
    e.info.positions = ix->positions;
    e.info.norder = ix->nslots + 1;
    memcpy(e.info.order, ix->order, sizeof e.info.order);
    bk_homes_name(ix->v, bk_wings(ix->m.rights), e.info.variant);
    bk_material_name(&ix->m, ix->v, e.info.material);
    e.info.summary = *sum;
    e.walk = calloc(ix->nblocks, sizeof *e.walk);
    if (!e.walk)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (uint32_t i = 0; !err && i < ix->nblocks; i++)
        err = walk_init(&e.walk[i], t, ix, i, NULL, why);
    /* distances first: a .bkw that says it has them never stands alone */
    if (!err && distances) {
        e.info.kind = BK_KIND_DTW;
        err = encode_kind(&e, dir, pool, &bytes[1], why);
    }
    if (!err) {
        e.info.kind = BK_KIND_WDL;
        err = encode_kind(&e, dir, pool, &bytes[0], why);
    }
    for (uint32_t i = 0; i < ix->nblocks; i++)
        walk_release(&e.walk[i]);
    free(e.walk);
    return err;
}

/* == In == */

struct loader {
    struct bk_memtable *t;
    struct bk_file *wdl, *dtw;
    struct walk *walk; /* by block, for the present order of equal men */
    enum bk_err err;
    struct bk_report why;
};

static void put_values(const struct loader *l, unsigned side, uint64_t first, uint32_t n,
                       const uint16_t *wdl, const uint16_t *k)
{
    const struct bk_index *ix = bk_file_index(l->wdl);
    unsigned loss = l->t->code_bytes == 1 ? BK_CODE_LOSS8 : BK_CODE_LOSS16;
    uint32_t block = bk_index_block_with(ix, first);

    while (n) {
        const struct bk_block *b = &ix->block[block];
        const struct walk *w = &l->walk[block];
        void *codes = l->t->block[block].code[side];
        uint64_t rest = b->first + b->size - first;
        uint32_t todo = rest < n ? (uint32_t)rest : n;
        struct cursor c;

        if (todo)
            cursor_seek(&c, w, first - b->first);
        n -= todo;
        first += todo;
        block++;
        for (; todo; todo--, wdl++, k++) {
            unsigned last = w->ndigits - 1;
            uint64_t at = c.base + w->offset[last][c.digit[last]];
            unsigned code = BK_CODE_DRAW;

            if (*wdl != BK_WDL_DRAW)
                code = *k + (*wdl == BK_WDL_WIN ? (unsigned)BK_CODE_WIN : loss);

            if (l->t->code_bytes == 1)
                ((uint8_t *)codes)[at] = (uint8_t)code;
            else
                ((uint16_t *)codes)[at] = (uint16_t)code;
            if (++c.digit[last] == w->radix[last])
                cursor_carry(&c);
        }
    }
}

static void load_chunk(void *context, uint64_t item, unsigned thread)
{
    struct loader *l = context;
    const struct bk_file_info *info = bk_file_info(l->wdl);
    unsigned side = item >= info->chunks;
    uint32_t chunk = (uint32_t)(item - (uint64_t)side * info->chunks), n, nk;
    uint64_t first = (uint64_t)chunk * info->chunk_positions;
    uint16_t *wdl = malloc(info->chunk_positions * sizeof *wdl);
    uint16_t *k = calloc(info->chunk_positions, sizeof *k);
    struct bk_report why = { "" };
    enum bk_err err = wdl && k ? BK_OK : bk_fail(&why, BK_E_SYSTEM, "out of memory");

    (void)thread;
    if (!err)
        err = bk_file_chunk(l->wdl, side, chunk, wdl, &n, &why);
    for (uint32_t done = 0; !err && l->dtw && done < n; done += nk) {
        uint32_t part = (uint32_t)((first + done) / bk_file_info(l->dtw)->chunk_positions);

        err = bk_file_chunk(l->dtw, side, part, k + done, &nk, &why);
    }
    if (!err)
        put_values(l, side, first, n, wdl, k);
    else if (!__atomic_exchange_n((int *)&l->err, (int)err, __ATOMIC_RELAXED))
        l->why = why;
    free(wdl);
    free(k);
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
    enum bk_err err = BK_OK;

    for (unsigned s = 0; s < ix->nslots; s++)
        order[s] = (uint8_t)(s - ix->like[s]);
    l->walk = calloc(ix->nblocks, sizeof *l->walk);
    if (!l->walk)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    do {
        for (uint32_t i = 0; !err && i < ix->nblocks; i++) {
            order_within(ix, i, order, here);
            err = walk_init(&l->walk[i], l->t, ix, i, here, why);
        }
        if (!err) {
            bk_pool_run(pool, 2 * (uint64_t)bk_file_info(l->wdl)->chunks, load_chunk, l);
            err = l->err;
            if (err && why)
                *why = l->why;
        }
        for (uint32_t i = 0; i < ix->nblocks; i++) {
            walk_release(&l->walk[i]);
            l->walk[i].ndigits = 0;
        }
    } while (!err && next_order(ix, order));
    free(l->walk);
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
                 (l->dtw && (bk_file_info(l->dtw)->kind != BK_KIND_DTW ||
                             WDL_CHUNK % bk_file_info(l->dtw)->chunk_positions))))
        err = bk_fail(why, BK_E_CORRUPT, "%s: damaged: not the kind its name says", path);
    if (!err && (!bk_material_equal(&bk_file_index(l->wdl)->m, m) ||
                 (l->dtw && !bk_material_equal(&bk_file_index(l->dtw)->m, m))))
        err = bk_fail(why, BK_E_CORRUPT, "%s: holds another material (%s)", path,
                      bk_file_info(l->wdl)->material);
    return err;
}

enum bk_err bk_load(struct bk_memtable **out, const struct bk_variant *v, const char *dir,
                    const struct bk_material *m, bool distances, bool mark_illegal,
                    struct bk_pool *pool, struct bk_report *why)
{
    struct loader l = { 0 };
    enum bk_err err = bk_memtable_new(&l.t, v, m, why);

    if (err)
        return err;
    if (!l.t->by_rule) {
        err = open_pair(&l, v, dir, m, distances, why);
        if (!err && l.dtw)
            l.t->code_bytes = (uint8_t)bk_file_info(l.dtw)->value_bytes;
        for (uint32_t i = 0; !err && i < l.t->ix->nblocks; i++)
            err = bk_solve_layout(l.t, i, why);
        if (!err)
            err = load_values(&l, pool, why);
        if (!err && mark_illegal)
            err = bk_solve_mark_illegal(l.t, pool, why);
        bk_file_close(l.wdl);
        bk_file_close(l.dtw);
    }
    if (err)
        bk_memtable_free(l.t);
    else
        *out = l.t;
    return err;
}
