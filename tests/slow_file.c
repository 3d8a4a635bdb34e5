/*
 * slow_file.c - see slow_file.h.  Section numbers are those of docs/format.md.
 *
 * Everything is looked up anew for each answer: the unit by adding up blocks, the
 * shard by walking the directory, the row by unranking numbers until another man
 * has moved.
 */
#include "tests/slow_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "core/facts.h"
#include "table/index_new.h"
#include "tests/plain_facts.h"

#define UNITS 4096

struct part {
    const uint8_t *at;
    size_t n;
};

struct slow_unit {
    unsigned side;
    uint64_t first, end; /* numbers */
    struct part model, directory, shards;
    uint8_t *raw; /* the model unpacked */
    uint32_t nodes, codes, questions, large;
};

struct slow_file {
    uint8_t *bytes;
    size_t n;
    const struct bk_variant *v;
    struct bk_index *ix;
    struct bk_facts *facts;
    unsigned flags, kind;
    uint64_t summary[2][14];
    unsigned nunits;
    struct slow_unit unit[UNITS];
};

/* == Numbers: section 1 == */

static uint64_t fixed(const uint8_t **at, unsigned n)
{
    uint64_t x = 0;

    for (unsigned i = 0; i < n; i++)
        x += (uint64_t)(*at)[i] << 8 * i;
    *at += n;
    return x;
}

static uint64_t varint(const uint8_t **at)
{
    uint64_t x = 0;
    unsigned i = 0;

    do
        x += (uint64_t)((*at)[i] % 128) << 7 * i;
    while ((*at)[i++] >= 128);
    *at += i;
    return x;
}

/* == The head: sections 2 to 4 == */

static bool read_units(struct slow_file *f, const uint8_t **at, const uint8_t *end_of_head)
{
    const uint8_t *front = end_of_head;
    uint32_t block = 0;
    unsigned side = 0;

    f->nunits = (unsigned)varint(at);
    if (f->nunits > UNITS)
        return false;
    for (unsigned i = 0; i < f->nunits; i++) {
        struct slow_unit *u = &f->unit[i];
        uint64_t blocks = varint(at), shards, sum;

        if (block == f->ix->nblocks) {
            block = 0;
            side++;
        }
        u->side = side;
        u->first = f->ix->block[block].first;
        block += (uint32_t)blocks;
        u->end = f->ix->block[block - 1].first + f->ix->block[block - 1].size;
        u->model.n = varint(at);
        shards = varint(at);
        u->directory.n = 14 * shards;
        u->shards.n = varint(at);
        sum = fixed(at, 4);
        u->model.at = front;
        u->directory.at = front + u->model.n;
        front += u->model.n + u->directory.n;
        if (sum != (XXH3_64bits_withSeed(u->model.at, u->model.n + u->directory.n, i) &
                    UINT64_C(0xffffffff)))
            return false;
    }
    for (unsigned i = 0; i < f->nunits; i++) {
        f->unit[i].shards.at = front;
        front += f->unit[i].shards.n;
    }
    return front == f->bytes + f->n && block == f->ix->nblocks;
}

static bool read_head(struct slow_file *f, char why[200])
{
    const uint8_t *at = f->bytes + 11, *end, *order;
    char material[256] = "";
    struct bk_material m;
    struct bk_report report;
    uint64_t positions, head;
    unsigned digits, n;

    snprintf(why, 200, "the head");
    if (f->n < 32 ||
        memcmp(f->bytes,
               "\x89"
               "BKE\r\n\x1a\n\x01",
               9) ||
        f->bytes[9] > 3 || f->bytes[10] != 1)
        return false;
    f->kind = f->bytes[9];
    f->flags = (unsigned)fixed(&at, 1);
    head = fixed(&at, 4);
    end = f->bytes + head - 8;
    if (head > f->n || fixed(&end, 8) != XXH3_64bits(f->bytes, head - 8))
        return false;
    at += 8; /* rules */
    if (f->kind > 1 && fixed(&at, 8) != f->v->nmove_id)
        return false;
    positions = varint(&at);
    digits = (unsigned)fixed(&at, 1);
    order = at;
    at += digits;
    n = (unsigned)fixed(&at, 1);
    memcpy(material, at, n);
    at += n;
    n = (unsigned)fixed(&at, 1);
    at += n;
    for (unsigned side = 0; side < (f->flags & 2 ? 1u : 2u); side++)
        for (unsigned i = 0; i < (f->kind > 1 ? 14u : 10u); i++)
            f->summary[side][i] = varint(&at);
    if (f->flags & 2)
        memcpy(f->summary[1], f->summary[0], sizeof f->summary[0]);
    if (bk_material_parse(&m, f->v, material, &report) ||
        bk_index_new(&f->ix, f->v, &m, order, &report) || f->ix->positions != positions)
        return false;
    snprintf(why, 200, "units");
    return read_units(f, &at, f->bytes + head) && *at == 0 && at + 1 + 8 == f->bytes + head;
}

/* == Models: section 6 == */

static bool unpack(struct slow_unit *u)
{
    unsigned long long n = ZSTD_getFrameContentSize(u->model.at, u->model.n);
    const uint8_t *at;

    u->raw = malloc(n);
    if (!u->raw || ZSTD_decompress(u->raw, n, u->model.at, u->model.n) != n)
        return false;
    at = u->raw;
    u->nodes = (uint32_t)fixed(&at, 4);
    u->codes = (uint32_t)fixed(&at, 4);
    u->questions = (uint32_t)fixed(&at, 4);
    u->large = (uint32_t)fixed(&at, 4);
    return 16ull + u->nodes + u->codes + 2ull * u->questions + 2ull * u->large == n;
}

/* Returns the nth number of a model: first those of the tree, then those of the codes. */
static unsigned number_at(const struct slow_unit *u, uint32_t nth)
{
    const uint8_t *numbers = u->raw + 16;
    const uint8_t *large = numbers + u->nodes + u->codes + 2 * (size_t)u->questions;

    if (numbers[nth] < 255)
        return numbers[nth];
    for (uint32_t i = 0; i < nth; i++)
        if (numbers[i] == 255)
            large += 2;
    return (unsigned)fixed(&large, 2);
}

/* Returns the node behind the subtree that begins at `node`; adds its leaves to *leaves. */
static uint32_t behind_tree(const struct slow_unit *u, uint32_t node, uint32_t *leaves)
{
    if (number_at(u, node) == 0) {
        ++*leaves;
        return node + 1;
    }
    node = behind_tree(u, node + 1, leaves);
    return behind_tree(u, node, leaves);
}

static uint32_t leaf_of(const struct slow_file *f, const struct slow_unit *u, const uint8_t *sq)
{
    uint32_t node = 0, leaf = 0;
    unsigned x;

    while ((x = number_at(u, node)) != 0) {
        node++;
        if (!plain_fact_of(f->facts, x - 1, sq))
            node = behind_tree(u, node, &leaf);
    }
    return leaf;
}

/* Returns the entry behind the code that begins at `entry`; adds its questions to *questions. */
static uint32_t behind_code(const struct slow_unit *u, uint32_t entry, uint32_t *questions)
{
    if (number_at(u, u->nodes + entry))
        return entry + 1;
    ++*questions;
    entry = behind_code(u, entry + 1, questions);
    return behind_code(u, entry, questions);
}

/* == Shards: sections 7 and 8 == */

struct ribbon {
    const uint8_t *at;
    uint64_t bits, seed;
};

static uint64_t mix(uint64_t x)
{
    for (unsigned i = 0; i < 2; i++) {
        x ^= x >> 32;
        x *= UINT64_C(0xd6e8feb86659fd93);
    }
    return x ^ x >> 32;
}

static uint64_t key_of(uint64_t row, uint64_t question, uint64_t square)
{
    uint64_t x = row + (256 * question + square) * UINT64_C(0xd1342543de82ef95);

    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Bit i of the ribbon. */
static bool bit_at(const struct ribbon *r, uint64_t i) { return r->at[i / 8] >> i % 8 & 1; }

static bool bit(const struct ribbon *r, uint64_t key)
{
    uint64_t x = key * (mix(r->seed + UINT64_C(0x632be59bd9b4e019)) | 1), mask[2], start;
    uint64_t c = x ^ x >> 29, bytes = r->bits / 8;
    bool odd = false;

    mask[0] = c * UINT64_C(0x9fb21c651e98df25);
    mask[1] = c * UINT64_C(0xd1342543de82ef95) >> 1;
    start = (x >> 32) * (bytes + 1) >> 32;
    start = start < 8 ? 0 : start - 8;
    if (start > bytes - 16)
        start = bytes - 16;
    for (unsigned i = 0; i < 128; i++)
        if (mask[i / 64] >> i % 64 & 1)
            odd ^= bit_at(r, 8 * start + i);
    return odd;
}

static bool maybe(const struct ribbon *a, uint64_t key, unsigned r)
{
    uint64_t asked = key;

    if (r && !a->bits)
        return false;
    for (unsigned j = 0; j < r; j++, asked *= UINT64_C(0xf1357aea2e62a9c5))
        if (bit(a, asked) != (key >> j & 1))
            return false;
    return true;
}

static bool is_set(const struct ribbon *b, uint64_t key)
{
    return b->bits && bit(b, key << 32 | key >> 32);
}

/* Sets `r` to both ribbons of the shard that holds `number`.  A wrong checksum ends the test. */
static void ribbons_of(const struct slow_unit *u, uint64_t number, struct ribbon r[2])
{
    const uint8_t *entry = u->directory.at, *at = u->shards.at;
    uint64_t first = u->first;

    for (unsigned nth = 0;; nth++) {
        uint64_t n = fixed(&entry, 4), words[2], sum;

        words[0] = fixed(&entry, 2);
        words[1] = fixed(&entry, 2);
        r[0] = (struct ribbon){ at, 64 * words[0], fixed(&entry, 1) };
        r[1] = (struct ribbon){ at + 8 * words[0], 64 * words[1], fixed(&entry, 1) };
        sum = fixed(&entry, 4);
        if (number < first + n) {
            if (sum !=
                (XXH3_64bits_withSeed(at, 8 * (words[0] + words[1]), nth) & UINT64_C(0xffffffff)))
                abort();
            return;
        }
        first += n;
        at += 8 * (words[0] + words[1]);
    }
}

/* == Rows == */

/* Sets `sq` to the squares of the men: white king, black king, slots. */
static void squares_of(const struct bk_index *ix, uint64_t number, uint8_t sq[BK_MEN_MAX])
{
    struct bk_placement at;

    memset(&at, 0, sizeof at);
    bk_index_unrank(ix, number, &at);
    memcpy(sq, at.king, 2);
    memcpy(sq + 2, at.sq, BK_MEN_MAX - 2);
}

/* Returns the inner man, who varies along a row, numbered as in squares_of(). */
static unsigned inner_of(const struct bk_index *ix)
{
    unsigned last = ix->order[ix->nslots];

    return last == 255 ? 1 : 2 + last;
}

static uint64_t first_of_row(const struct bk_index *ix, uint64_t number)
{
    uint8_t sq[BK_MEN_MAX], before[BK_MEN_MAX];
    unsigned inner = inner_of(ix);

    squares_of(ix, number, sq);
    sq[inner] = 0;
    while (number > 0) {
        uint32_t block = bk_index_block_with(ix, number);

        if (bk_index_block_with(ix, number - 1) != block)
            break;
        squares_of(ix, number - 1, before);
        before[inner] = 0;
        if (memcmp(sq, before, sizeof sq))
            break;
        number--;
    }
    return number;
}

/* == Values == */

unsigned slow_file_value(const struct slow_file *f, unsigned side, uint64_t number)
{
    const struct slow_unit *u = f->unit;
    const uint8_t *rc, *rp;
    uint8_t sq[BK_MEN_MAX];
    uint32_t entry = 0, question = 0, leaf;
    uint64_t row;
    struct ribbon r[2];
    unsigned inner = inner_of(f->ix), x;

    while (u->side != side || number >= u->end)
        u++;
    rc = u->raw + 16 + u->nodes + u->codes;
    rp = rc + u->questions;
    squares_of(f->ix, number, sq);
    for (leaf = leaf_of(f, u, sq); leaf; leaf--)
        entry = behind_code(u, entry, &question);
    ribbons_of(u, number, r);
    row = mix(first_of_row(f->ix, number) + UINT64_C(0x9e3779b97f4a7c15));
    while ((x = number_at(u, u->nodes + entry)) == 0) {
        uint64_t cell = key_of(row, question, 255), key = key_of(row, question, sq[inner]);
        bool other = maybe(&r[0], cell, rc[question]) && maybe(&r[0], key, rp[question]) &&
                     is_set(&r[1], key);

        entry++;
        question++;
        if (other)
            entry = behind_code(u, entry, &question);
    }
    return x - 1;
}

/* == Opening == */

static bool read_file(struct slow_file *f, const char *path)
{
    FILE *in = fopen(path, "rb");
    long n;

    if (!in)
        return false;
    fseek(in, 0, SEEK_END);
    n = ftell(in);
    rewind(in);
    f->n = (size_t)n;
    f->bytes = malloc(f->n + 64); /* a varint may run over the end of what is damaged */
    n = f->bytes && fread(f->bytes, 1, f->n, in) == f->n;
    fclose(in);
    return n;
}

struct slow_file *slow_file_open(const char *path, const struct bk_variant *v, char why[200])
{
    struct slow_file *f = calloc(1, sizeof *f);
    struct bk_fact_men men = { .n = 2 };
    struct bk_report report;
    bool good;

    snprintf(why, 200, "no such file");
    if (!f)
        return NULL;
    f->v = v;
    good = read_file(f, path) && read_head(f, why);
    for (unsigned i = 0; good && i < f->nunits; i++)
        good = unpack(&f->unit[i]);
    if (good) {
        men.type[0] = men.type[1] = v->royal;
        men.colour[1] = 1;
        for (unsigned s = 0; s < f->ix->nslots; s++, men.n++) {
            men.type[men.n] = f->ix->type[s];
            men.colour[men.n] = f->ix->colour[s];
        }
        good = bk_facts_new(&f->facts, v, &men, &report) == BK_OK;
    }
    if (good)
        return f;
    slow_file_close(f);
    return NULL;
}

void slow_file_close(struct slow_file *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < f->nunits && i < UNITS; i++)
        free(f->unit[i].raw);
    bk_facts_free(f->facts);
    bk_index_free(f->ix);
    free(f->bytes);
    free(f);
}

bool slow_file_one_side(const struct slow_file *f) { return f->flags & 2; }
uint64_t slow_file_summary(const struct slow_file *f, unsigned side, unsigned nth)
{
    return f->summary[side][nth];
}
