/*
 * model.c - bytes to models and back; answers.
 *
 * Bytes: zstd of five streams, each a run of bytes after a header of counts.
 * Nodes and codes are in preorder, so no links are stored: a node's first
 * answer follows it.  Numbers that do not fit a byte are BIG, with two bytes
 * more in the last stream.
 *
 *     tree   a node: 0 a leaf, else its fact + 1
 *     code   a leaf's code in preorder: 0 a question, else a value + 1
 *     rc     a byte a question
 *     rp     a byte a question
 *     big    u16, least byte first, in the order of use
 *
 * Whatever the bytes are, a parsed tree has no circles (answers come after
 * their question), its facts exist, and its values are those that bits are for.
 */
#include "table/model.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define BIG       255 /* the number is in the stream `big` */
#define RAW_MAX   (UINT32_C(1) << 28)
#define HEADER    16 /* four counts: nodes, codes, questions, bigs */
#define DEPTH_MAX 64 /* questions on the way to a value */

static uint32_t get_u32(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_u32(uint8_t *b, uint32_t x)
{
    for (unsigned i = 0; i < 4; i++)
        b[i] = (uint8_t)(x >> 8 * i);
}

/* == Reading == */

struct reader {
    struct bk_model *m;
    const uint8_t *tree, *code, *rc, *rp, *big;
    uint32_t codes, bigs; /* still to be read */
    unsigned facts, values;
    uint32_t *open; /* nodes whose second answer is still to come */
};

/* Sets *out to the number that a byte of a stream stands for; false: there is none. */
static bool read_number(struct reader *r, uint8_t byte, uint32_t *out)
{
    *out = byte;
    if (byte != BIG)
        return true;
    if (!r->bigs)
        return false;
    r->bigs--;
    *out = r->big[0] | (uint32_t)r->big[1] << 8;
    r->big += 2;
    return true;
}

/* Reads the nodes, in preorder.  False: they make no tree. */
static bool read_tree(struct reader *r)
{
    struct bk_model *m = r->m;
    uint32_t open = 0, leaves = 0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        struct bk_fact_node *node = &m->tree[i];
        uint32_t x;

        if (!read_number(r, r->tree[i], &x))
            return false;
        *node = (struct bk_fact_node){ .fact = BK_FACT_LEAF };
        if (x) {
            if (x > r->facts)
                return false;
            node->fact = (uint16_t)(x - 1);
            node->yes = i + 1;
            r->open[open++] = i;
            continue;
        }
        node->yes = leaves++;
        if (!open)
            return i + 1 == m->nodes;
        m->tree[r->open[--open]].no = i + 1;
    }
    return false;
}

/* Reads the code of one leaf, in preorder.  DEPTH_MAX suffices for Huffman's codes of any counts,
   and bounds the recursion of answers. */
static bool read_code(struct reader *r, uint32_t leaf, uint32_t *question)
{
    struct {
        uint32_t question;
        unsigned depth;
    } open[DEPTH_MAX];
    struct bk_model *m = r->m;
    bk_code *link = &m->leaf[leaf];
    unsigned n = 0, depth = 0;

    for (;;) {
        uint32_t x;

        if (!r->codes || !read_number(r, *r->code, &x))
            return false;
        r->code++;
        r->codes--;
        if (!x) {
            struct bk_question *q = &m->question[*question];

            if (*question == m->questions || depth == DEPTH_MAX || r->rc[*question] > BK_RC_MAX ||
                r->rp[*question] > BK_RP_MAX)
                return false;
            q->rc = r->rc[*question];
            q->rp = r->rp[*question];
            open[n].question = *question;
            open[n++].depth = ++depth;
            *link = (bk_code)(*question)++;
            link = &q->next[0];
            continue;
        }
        if (x > r->values)
            return false;
        *link = ~(bk_code)(x - 1);
        if (!n)
            return true;
        link = &m->question[open[--n].question].next[1];
        depth = open[n].depth;
    }
}

static bool read_model(struct reader *r)
{
    uint32_t question = 0;

    if (!read_tree(r))
        return false;
    for (uint32_t i = 0; i < r->m->leaves; i++)
        if (!read_code(r, i, &question))
            return false;
    return question == r->m->questions && !r->codes && !r->bigs;
}

/*
 * Returns the most leaves and questions of a unit with so many numbers: format.md 6.  They tell
 * positions apart, and cost more than they save long before there is one for every four; real
 * models have one for some hundred, or, where there are many numbers, some thousands.
 */
static uint64_t parts_most(uint64_t numbers) { return numbers / 4 + (1u << 16); }

bool bk_model_may_have(uint64_t numbers, uint64_t leaves, uint64_t questions)
{
    return leaves + questions <= parts_most(numbers);
}

/* Finds the streams; false: the counts do not fit `n` bytes, or are more than a unit may have. */
static bool find_streams(struct reader *r, const uint8_t *raw, size_t n, uint64_t numbers)
{
    struct bk_model *m = r->m;
    uint64_t need;

    if (n < HEADER)
        return false;
    m->nodes = get_u32(raw);
    r->codes = get_u32(raw + 4);
    m->questions = get_u32(raw + 8);
    r->bigs = get_u32(raw + 12);
    need =
        HEADER + (uint64_t)m->nodes + r->codes + 2 * (uint64_t)m->questions + 2 * (uint64_t)r->bigs;
    if (need != n || m->nodes % 2 == 0 || m->questions > r->codes)
        return false;
    m->leaves = m->nodes / 2 + 1;
    if (!bk_model_may_have(numbers, m->leaves, m->questions))
        return false;
    r->tree = raw + HEADER;
    r->code = r->tree + m->nodes;
    r->rc = r->code + r->codes;
    r->rp = r->rc + m->questions;
    r->big = r->rp + m->questions;
    return true;
}

static enum bk_err parse_raw(struct bk_model *m, const uint8_t *raw, size_t n, uint64_t numbers,
                             unsigned facts, unsigned bits, struct bk_report *why)
{
    struct reader r = { .m = m,
                        .facts = facts,
                        .values = bits == 2   ? 3
                                  : bits == 3 ? 5
                                              : 1u << bits };
    bool good;

    if (!find_streams(&r, raw, n, numbers))
        return bk_fail(why, BK_E_CORRUPT, "model: its counts do not fit its size");
    m->tree = malloc(m->nodes * sizeof(*m->tree));
    m->leaf = malloc(m->leaves * sizeof(*m->leaf));
    m->question = malloc(((size_t)m->questions + 1) * sizeof(*m->question));
    r.open = malloc(m->nodes * sizeof(*r.open));
    if (!m->tree || !m->leaf || !m->question || !r.open) {
        free(r.open);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a model of %u nodes", m->nodes);
    }
    good = read_model(&r);
    free(r.open);
    return good ? BK_OK : bk_fail(why, BK_E_CORRUPT, "model: not a tree over facts and values");
}

/*
 * The most bytes of streams.  A leaf has two nodes and one code, a question two codes, rc and rp;
 * each node and code may be BIG, with two bytes more: at most 9 a leaf, 8 a question.
 */
static uint64_t raw_most(uint64_t numbers)
{
    uint64_t parts = parts_most(numbers);

    return parts < (RAW_MAX - HEADER) / 9 ? HEADER + 9 * parts : RAW_MAX;
}

uint64_t bk_model_bytes_max(uint64_t numbers) { return ZSTD_compressBound(raw_most(numbers)); }

/* Unpacks the streams; *raw owned. */
static enum bk_err unpack(uint8_t **raw, size_t *raw_bytes, const void *bytes, size_t n,
                          uint64_t numbers, struct bk_report *why)
{
    unsigned long long size = ZSTD_getFrameContentSize(bytes, n);

    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > RAW_MAX)
        return bk_fail(why, BK_E_CORRUPT, "model: no zstd frame of a known size");
    if (ZSTD_findFrameCompressedSize(bytes, n) != n)
        return bk_fail(why, BK_E_CORRUPT, "model: more or less than a zstd frame");
    if (size > raw_most(numbers))
        return bk_fail(why, BK_E_CORRUPT, "model: more than its positions can need");
    *raw = malloc(size ? size : 1);
    if (!*raw)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a model");
    *raw_bytes = ZSTD_decompress(*raw, size, bytes, n);
    if (!ZSTD_isError(*raw_bytes) && *raw_bytes == size)
        return BK_OK;
    free(*raw);
    if (ZSTD_getErrorCode(*raw_bytes) == ZSTD_error_memory_allocation)
        return bk_fail(why, BK_E_SYSTEM, "no memory to unpack a model");
    return bk_fail(why, BK_E_CORRUPT, "model: zstd cannot unpack it");
}

enum bk_err bk_model_parse(struct bk_model **out, const void *bytes, size_t n, uint64_t numbers,
                           unsigned facts, unsigned bits, struct bk_report *why)
{
    struct bk_model *m;
    uint8_t *raw = NULL;
    size_t raw_bytes = 0;
    enum bk_err err = unpack(&raw, &raw_bytes, bytes, n, numbers, why);

    if (err)
        return err;
    m = calloc(1, sizeof(*m));
    if (!m)
        err = bk_fail(why, BK_E_SYSTEM, "no memory for a model");
    else
        err = parse_raw(m, raw, raw_bytes, numbers, facts, bits, why);
    free(raw);
    if (err)
        bk_model_free(m);
    else
        *out = m;
    return err;
}

void bk_model_free(struct bk_model *m)
{
    if (!m)
        return;
    free(m->tree);
    free(m->leaf);
    free(m->question);
    free(m);
}

uint64_t bk_model_bytes(const struct bk_model *m)
{
    return sizeof *m + m->nodes * sizeof *m->tree + m->leaves * sizeof *m->leaf +
           (m->questions + 1) * sizeof *m->question;
}

/* == Writing == */

struct writer {
    const struct bk_model *m;
    uint8_t *tree, *code, *rc, *rp, *big;
    uint32_t codes, questions, bigs;
    bool failed; /* a number is too large for two bytes */
};

static uint8_t write_number(struct writer *w, uint32_t x)
{
    if (x < BIG)
        return (uint8_t)x;
    w->failed |= x > UINT16_MAX;
    w->big[2 * (size_t)w->bigs] = (uint8_t)x;
    w->big[2 * (size_t)w->bigs++ + 1] = (uint8_t)(x >> 8);
    return BIG;
}

static void write_code(struct writer *w, bk_code code)
{
    const struct bk_question *q;

    if (code < 0) {
        w->code[w->codes++] = write_number(w, (uint32_t)~code + 1);
        return;
    }
    q = &w->m->question[code];
    w->code[w->codes++] = 0;
    w->rc[w->questions] = q->rc;
    w->rp[w->questions++] = q->rp;
    write_code(w, q->next[0]);
    write_code(w, q->next[1]);
}

/* Puts header and streams behind each other; returns their size. */
static size_t join(uint8_t *raw, const struct writer *w)
{
    uint8_t *at = raw + HEADER;

    put_u32(raw, w->m->nodes);
    put_u32(raw + 4, w->codes);
    put_u32(raw + 8, w->questions);
    put_u32(raw + 12, w->bigs);
    memcpy(at, w->tree, w->m->nodes);
    memcpy(at += w->m->nodes, w->code, w->codes);
    memcpy(at += w->codes, w->rc, w->questions);
    memcpy(at += w->questions, w->rp, w->questions);
    memcpy(at += w->questions, w->big, 2 * (size_t)w->bigs);
    return (size_t)(at - raw) + 2 * (size_t)w->bigs;
}

/*
 * Packs the streams.  They repeat little beyond a few bytes, so near matches are enough, chosen
 * with care.  Of 13 models this takes a ninth of the time of level 19, and 0.99 of its bytes.
 */
static size_t compress(uint8_t *out, size_t bound, const uint8_t *raw, size_t bytes)
{
    static const struct {
        ZSTD_cParameter what;
        int value;
    } parameter[] = { { ZSTD_c_compressionLevel, 19 }, { ZSTD_c_strategy, ZSTD_btopt },
                      { ZSTD_c_hashLog, 13 },          { ZSTD_c_chainLog, 13 },
                      { ZSTD_c_searchLog, 6 },         { ZSTD_c_minMatch, 4 } };
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t n = context ? 0 : (size_t)-ZSTD_error_memory_allocation;

    for (size_t i = 0; !ZSTD_isError(n) && i < sizeof parameter / sizeof *parameter; i++)
        n = ZSTD_CCtx_setParameter(context, parameter[i].what, parameter[i].value);
    if (!ZSTD_isError(n))
        n = ZSTD_compress2(context, out, bound, raw, bytes);
    ZSTD_freeCCtx(context);
    return n;
}

enum bk_err bk_model_write(uint8_t **bytes, size_t *n, const struct bk_model *m,
                           struct bk_report *why)
{
    size_t codes = (size_t)m->leaves + 2 * (size_t)m->questions, room, raw_bytes, bound;
    struct writer w = { .m = m };
    uint8_t *raw, *out;

    room = m->nodes + codes + 2 * (size_t)m->questions + 2 * (m->nodes + codes);
    bound = ZSTD_compressBound(HEADER + room);
    w.tree = malloc(room);
    raw = malloc(HEADER + room);
    out = malloc(bound);
    if (!w.tree || !raw || !out) {
        free(w.tree);
        free(raw);
        free(out);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a model");
    }
    w.code = w.tree + m->nodes;
    w.rc = w.code + codes;
    w.rp = w.rc + m->questions;
    w.big = w.rp + m->questions;
    for (uint32_t i = 0; i < m->nodes; i++)
        w.tree[i] = m->tree[i].fact == BK_FACT_LEAF ? 0 : write_number(&w, m->tree[i].fact + 1u);
    for (uint32_t i = 0; i < m->leaves; i++)
        write_code(&w, m->leaf[i]);
    raw_bytes = join(raw, &w);
    *n = compress(out, bound, raw, raw_bytes);
    free(w.tree);
    free(raw);
    if (!ZSTD_isError(*n) && !w.failed && raw_bytes <= RAW_MAX && *n <= BK_MODEL_MOST) {
        *bytes = out;
        return BK_OK;
    }
    free(out);
    if (ZSTD_isError(*n))
        return bk_fail(why, BK_E_SYSTEM, "zstd: %s", ZSTD_getErrorName(*n));
    return bk_fail(why, BK_E_SYSTEM, "a model that no file can hold");
}

/* == Directory == */

void bk_shard_entry_write(uint8_t out[BK_SHARD_ENTRY_BYTES], const struct bk_shard *s,
                          uint32_t numbers)
{
    put_u32(out, numbers);
    for (unsigned i = 0; i < 2; i++) {
        out[4 + 2 * i] = (uint8_t)s->words[i];
        out[5 + 2 * i] = (uint8_t)(s->words[i] >> 8);
        out[8 + i] = s->seed[i];
    }
    put_u32(out + 10, s->sum);
}

static struct bk_shard read_entry(const uint8_t *b, uint64_t first, uint64_t at)
{
    struct bk_shard s = { .first = first, .at = at, .sum = get_u32(b + 10) };

    for (unsigned i = 0; i < 2; i++) {
        s.words[i] = (uint16_t)(b[4 + 2 * i] | b[5 + 2 * i] << 8);
        s.seed[i] = b[8 + i];
    }
    return s;
}

/* Makes the guesses, some two to four a shard.  False: no memory. */
static bool make_guesses(struct bk_directory *d, uint64_t first)
{
    uint64_t numbers = d->end - first;
    uint32_t shard = 0;

    while (d->n && numbers >> d->step > 4 * (uint64_t)d->n)
        d->step++;
    d->guess = malloc(((numbers >> d->step) + 2) * sizeof *d->guess);
    for (uint64_t i = 0; d->guess && i <= (numbers >> d->step) + 1; i++) {
        while (shard + 1 < d->n && d->shard[shard + 1].first <= first + (i << d->step))
            shard++;
        d->guess[i] = shard;
    }
    return d->guess;
}

enum bk_err bk_directory_parse(struct bk_directory *out, const void *bytes, size_t n,
                               uint64_t first, uint64_t end, struct bk_report *why)
{
    const uint8_t *b = bytes;
    uint64_t begin = first;

    *out = (struct bk_directory){ .n = (uint32_t)(n / BK_SHARD_ENTRY_BYTES),
                                  .first = first,
                                  .end = end };
    if (n % BK_SHARD_ENTRY_BYTES || n / BK_SHARD_ENTRY_BYTES > UINT32_MAX || (!n && first != end))
        return bk_fail(why, BK_E_CORRUPT, "directory of %zu bytes", n);
    out->shard = calloc((size_t)out->n + 1, sizeof(*out->shard));
    if (!out->shard)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a directory of %u shards", out->n);
    for (uint32_t i = 0; i < out->n; i++, b += BK_SHARD_ENTRY_BYTES) {
        uint32_t numbers = get_u32(b);

        out->shard[i] = read_entry(b, first, out->bytes);
        out->bytes += bk_shard_bytes(&out->shard[i]);
        if (!numbers || numbers > end - first || out->shard[i].words[0] == 1 ||
            out->shard[i].words[1] == 1)
            break;
        first += numbers;
    }
    if (b != (const uint8_t *)bytes + n || first != end) {
        bk_directory_release(out);
        return bk_fail(why, BK_E_CORRUPT, "directory: its shards do not add up to the table");
    }
    out->shard[out->n].first = UINT64_MAX;
    if (!make_guesses(out, begin)) {
        bk_directory_release(out);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a directory of %u shards", out->n);
    }
    return BK_OK;
}

void bk_directory_release(struct bk_directory *d)
{
    free(d->shard);
    free(d->guess);
    *d = (struct bk_directory){ 0 };
}

uint64_t bk_directory_held(const struct bk_directory *d)
{
    uint64_t numbers = d->n ? d->end - d->shard[0].first : 0;

    return (d->n + UINT64_C(1)) * sizeof *d->shard + ((numbers >> d->step) + 2) * sizeof *d->guess;
}

uint32_t bk_directory_find(const struct bk_directory *d, uint64_t number)
{
    uint64_t at = (number - d->first) >> d->step;
    uint32_t low = d->guess[at], high = d->guess[at + 1]; /* one of low .. high */

    while (high - low > 1) { /* seldom */
        uint32_t middle = low + (high - low) / 2;

        if (d->shard[middle].first <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low + (d->shard[low + 1].first <= number); /* a sum: a branch could not be predicted */
}

uint32_t bk_shard_sum(const void *bytes, size_t n, uint32_t shard)
{
    return (uint32_t)XXH3_64bits_withSeed(bytes, n, shard);
}

/* == Answers == */

struct ribbons {
    struct bk_ribbon a, b;
};

static struct ribbons ribbons_of(const struct bk_shard *s, const uint8_t *bytes,
                                 const struct bk_row_hashes *h)
{
    return (struct ribbons){ { bytes, s->words[0], h->factor[0] },
                             { bytes + 8 * (size_t)s->words[0], s->words[1], h->factor[1] } };
}

unsigned bk_model_value(const struct bk_model *m, const struct bk_shard *s, const uint8_t *bytes,
                        struct bk_row_hashes hashes, unsigned square, bk_code code)
{
    struct ribbons r = ribbons_of(s, bytes, &hashes);

    while (code >= 0) {
        const struct bk_question *q = &m->question[code];
        uint64_t cell = bk_question_key(hashes.row, (uint32_t)code, BK_CELL_SQUARE);
        uint64_t key = bk_question_key(hashes.row, (uint32_t)code, square);

        code = q->next[bk_filter_passes(&r.a, cell, q->rc) && bk_filter_passes(&r.a, key, q->rp) &&
                       bk_bit_is_set(&r.b, key)];
    }
    return (unsigned)~code;
}

unsigned bk_model_likely(const struct bk_model *m, bk_code code)
{
    while (code >= 0)
        code = m->question[code].next[0];
    return (unsigned)~code;
}

static void window_ahead(const struct bk_ribbon *r, uint64_t key)
{
    if (r->words)
        __builtin_prefetch(r->bytes + bk_ribbon_equation_of(key, r->factor, r->words).start);
}

void bk_model_ahead(const struct bk_model *m, const struct bk_shard *s, const uint8_t *bytes,
                    struct bk_row_hashes hashes, unsigned square, bk_code code)
{
    struct ribbons r = ribbons_of(s, bytes, &hashes);
    uint64_t row = hashes.row;

    __builtin_prefetch(&m->question[code]);
    window_ahead(&r.a, bk_question_key(row, (uint32_t)code, BK_CELL_SQUARE));
    window_ahead(&r.b, bk_bit_key(bk_question_key(row, (uint32_t)code, square)));
    window_ahead(&r.b, bk_bit_key(bk_question_key(row, (uint32_t)code + 1, square)));
}

struct row_answer {
    const struct bk_model *m;
    struct ribbons r;
    uint64_t row;
    unsigned words, bits;
    struct bk_row_values *out;
};

/* Sets `out` to the exceptions of question `code` among `squares`; false: there are none. */
static bool exceptions(const struct row_answer *w, bk_code code, const uint64_t *squares,
                       uint64_t *out)
{
    const struct bk_question *q = &w->m->question[code];
    uint64_t cell = bk_question_key(w->row, (uint32_t)code, BK_CELL_SQUARE), any = 0;

    if (!bk_filter_passes(&w->r.a, cell, q->rc))
        return false;
    for (unsigned i = 0; i < w->words; i++) {
        out[i] = 0;
        for (uint64_t left = squares[i]; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctzll(left);
            uint64_t key = bk_question_key(w->row, (uint32_t)code, 64 * i + s);

            if (bk_filter_passes(&w->r.a, key, q->rp) && bk_bit_is_set(&w->r.b, key))
                out[i] |= UINT64_C(1) << s;
        }
        any |= out[i];
    }
    return any;
}

static void answer(const struct row_answer *w, bk_code code, const uint64_t *squares)
{
    uint64_t rest[4];

    memcpy(rest, squares, w->words * sizeof(*rest));
    while (code >= 0) {
        uint64_t other[4], any = 0;

        if (exceptions(w, code, rest, other)) {
            for (unsigned i = 0; i < w->words; i++)
                any |= rest[i] &= ~other[i];
            answer(w, w->m->question[code].next[1], other);
            if (!any)
                return;
        }
        code = w->m->question[code].next[0];
    }
    for (unsigned b = 0; b < w->bits; b++)
        if ((uint32_t)~code >> b & 1)
            for (unsigned i = 0; i < w->words; i++)
                w->out->plane[b][i] |= rest[i];
}

static void answer_leaf(void *context, uint32_t leaf, const uint64_t *squares)
{
    const struct row_answer *w = context;

    answer(w, w->m->leaf[leaf], squares);
}

void bk_model_row(const struct bk_model *m, const struct bk_shard *s, const uint8_t *bytes,
                  uint64_t first, struct bk_fact_row *row, const uint64_t *care, unsigned words,
                  unsigned bits, struct bk_row_values *out)
{
    struct bk_row_hashes h = bk_row_hashes(s, first);
    struct row_answer w = { m, ribbons_of(s, bytes, &h), h.row, words, bits, out };

    memcpy(out->care, care, words * sizeof(*care));
    memset(out->least, 0, words * sizeof(*care));
    for (unsigned b = 0; b < bits; b++)
        memset(out->plane[b], 0, words * sizeof(*care));
    bk_fact_row_descend(row, m->tree, care, answer_leaf, &w);
}
