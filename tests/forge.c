/* forge.c - see forge.h.  Offsets are those of docs/format.md 2, 4, 6 and 7. */
#include "tests/forge.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#define HEAD_BYTES_AT 12
#define TAIL          8

static void put(uint8_t *to, uint64_t x, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(x >> 8 * i);
}

static uint32_t get(const uint8_t *from, unsigned bytes)
{
    uint32_t x = 0;

    for (unsigned i = 0; i < bytes; i++)
        x |= (uint32_t)from[i] << 8 * i;
    return x;
}

static void *need(void *p)
{
    if (!p)
        abort();
    return p;
}

bool forge_open(struct forge *f, const uint8_t *bytes, size_t n)
{
    uint32_t head = n >= BK_HEAD_FIRST ? get(bytes + HEAD_BYTES_AT, 4) : 0;
    struct bk_report why;
    uint8_t *copy;
    bool good;

    if (head < BK_HEAD_LEAST || head > n || head > BK_HEAD_MOST)
        return false;
    copy = need(malloc(head));
    memcpy(copy, bytes, head);
    put(copy + head - TAIL, XXH3_64bits(copy, head - TAIL), TAIL);
    good = bk_head_bytes(&head, copy, n, "forged", &why) == BK_OK &&
           bk_head_parse(&f->head, copy, head, "forged", &why) == BK_OK;
    free(copy);
    if (!good)
        return false;
    f->body_bytes = n - head;
    f->body = need(malloc(f->body_bytes + 1));
    memcpy(f->body, bytes + head, f->body_bytes);
    return true;
}

void forge_release(struct forge *f)
{
    free(f->head.unit);
    free(f->body);
}

/* Makes the checksums of a unit's shards, from *at on, that lie within the body; advances *at. */
static void seal_shards(struct forge *f, uint8_t *directory, uint32_t shards, uint64_t *at)
{
    for (uint32_t i = 0; i < shards; i++, directory += BK_SHARD_ENTRY_BYTES) {
        uint64_t bytes = 8 * (uint64_t)(get(directory + 4, 2) + get(directory + 6, 2));

        if (*at > f->body_bytes || bytes > f->body_bytes - *at)
            return;
        put(directory + 10, XXH3_64bits_withSeed(f->body + *at, bytes, i), 4);
        *at += bytes;
    }
}

static void seal_body(struct forge *f)
{
    uint64_t front = 0, at = 0, fronts = 0;

    for (unsigned i = 0; i < f->head.info.nunits; i++)
        fronts += f->head.unit[i].model_bytes + bk_directory_bytes(&f->head.unit[i]);
    at = fronts;
    for (unsigned i = 0; i < f->head.info.nunits; i++) {
        struct bk_unit_head *u = &f->head.unit[i];
        uint64_t bytes = u->model_bytes + bk_directory_bytes(u);

        if (bytes > f->body_bytes || front > f->body_bytes - bytes)
            return;
        seal_shards(f, f->body + front + u->model_bytes, u->shards, &at);
        u->sum = (uint32_t)XXH3_64bits_withSeed(f->body + front, bytes, i);
        front += bytes;
    }
}

uint8_t *forge_write(struct forge *f, size_t *n)
{
    uint8_t *head, *all;

    seal_body(f);
    head = need(bk_head_write(&f->head));
    all = need(malloc(f->head.bytes + f->body_bytes));
    memcpy(all, head, f->head.bytes);
    memcpy(all + f->head.bytes, f->body, f->body_bytes);
    *n = f->head.bytes + f->body_bytes;
    free(head);
    return all;
}

/* == Models == */

uint8_t *forge_frame(const uint8_t *raw, size_t raw_bytes, size_t *n)
{
    enum { MAGIC = 4, DESCRIPTOR = 1, SIZE = 4, BLOCK = 3 };
    uint8_t *frame = need(malloc(MAGIC + DESCRIPTOR + SIZE + BLOCK + raw_bytes));

    put(frame, 0xfd2fb528, MAGIC);
    frame[MAGIC] = 0xa0; /* a single segment, its size in four bytes */
    put(frame + MAGIC + DESCRIPTOR, raw_bytes, SIZE);
    put(frame + MAGIC + DESCRIPTOR + SIZE, 1 | raw_bytes << 3, BLOCK); /* the last, raw */
    memcpy(frame + MAGIC + DESCRIPTOR + SIZE + BLOCK, raw, raw_bytes);
    *n = MAGIC + DESCRIPTOR + SIZE + BLOCK + raw_bytes;
    return frame;
}

/* Replaces the model of a unit, which begins at `at`, by a frame that is not compressed. */
static void unpack_model(struct forge *f, struct bk_unit_head *u, uint64_t at)
{
    static uint8_t raw[1 << 17];
    size_t raw_bytes = ZSTD_decompress(raw, sizeof raw, f->body + at, u->model_bytes), n;
    uint8_t *frame, *body;

    if (ZSTD_isError(raw_bytes))
        return;
    frame = forge_frame(raw, raw_bytes, &n);
    body = need(malloc(f->body_bytes - u->model_bytes + n));
    memcpy(body, f->body, at);
    memcpy(body + at, frame, n);
    memcpy(body + at + n, f->body + at + u->model_bytes, f->body_bytes - at - u->model_bytes);
    f->body_bytes += n - u->model_bytes;
    u->model_bytes = n;
    free(frame);
    free(f->body);
    f->body = body;
}

void forge_unpack_models(struct forge *f)
{
    uint64_t at = 0;

    for (unsigned i = 0; i < f->head.info.nunits; i++) {
        unpack_model(f, &f->head.unit[i], at);
        at += f->head.unit[i].model_bytes + bk_directory_bytes(&f->head.unit[i]);
    }
}
