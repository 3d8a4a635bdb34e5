/*
 * shards.c - see shards.h.
 *
 * Each shard of a large file has a home in the cache.  A small file has one, for its bytes and,
 * behind them, a byte for each shard: has it been checked?  Two threads that find a shard missing
 * both read it, and one of them is in vain: that is seldom, and nobody waits for anybody.
 */
#include "table/shards.h"

#include <stdlib.h>
#include <string.h>

#include "table/model.h"

struct bk_shards {
    struct bk_shards_of of;
    bool small;
    bk_home *home; /* by shard; a small file has one */
};

struct bytes {
    struct bk_held held;
    _Alignas(8) uint8_t data[]; /* shards are read as words */
};

static uint64_t homes(const struct bk_shards *s) { return s->small ? 1 : s->of.n; }

uint64_t bk_shards_bytes(const struct bk_shards *s)
{
    return sizeof *s + homes(s) * sizeof *s->home;
}

enum bk_err bk_shards_new(struct bk_shards **out, const struct bk_shards_of *of,
                          struct bk_report *why)
{
    struct bk_shards *s = calloc(1, sizeof *s);

    *out = NULL;
    if (s) {
        s->of = *of;
        s->small = of->bytes <= (bk_reader_hosted(of->file) ? BK_SHARDS_HOSTED : BK_SHARDS_SMALL);
        s->home = calloc(homes(s) ? homes(s) : 1, sizeof *s->home);
    }
    if (!s || !s->home) {
        free(s);
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", of->path);
    }
    *out = s;
    return BK_OK;
}

void bk_shards_free(struct bk_shards *s)
{
    if (!s)
        return;
    bk_cache_forget(s->of.cache, s->home, homes(s));
    free(s->home);
    free(s);
}

/* == Reading == */

static enum bk_err check(const struct bk_shards *s, const struct bk_shard_place *place,
                         const uint8_t *data, struct bk_report *why)
{
    if (bk_shard_sum(data, place->bytes, place->local) == place->sum)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: checksum of shard %llu", s->of.path,
                   (unsigned long long)place->nth);
}

enum bk_err bk_shards_read(const struct bk_shards *s, const struct bk_shard_place *place,
                           uint8_t *room, struct bk_report *why)
{
    enum bk_err err = bk_reader_read(s->of.file, room, place->bytes, place->at, why);

    return err ? err : check(s, place, room, why);
}

static void bytes_free(struct bk_held *h) { free(h); }

/* Room for bytes that will be held. */
static enum bk_err bytes_new(struct bytes **out, const struct bk_shards *s, uint64_t bytes,
                             struct bk_report *why)
{
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = bk_cache_fits(s->of.cache, bytes, s->of.path, why);
    if (err)
        return err;
    if (!(*out = malloc(sizeof **out + bytes)))
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", s->of.path);
    bk_held_begin(&(*out)->held, sizeof **out + bytes, s->of.worth, bytes_free);
    return BK_OK;
}

/* == Shards of a large file == */

static enum bk_err fetch(struct bk_shards *s, const struct bk_shard_place *place,
                         struct bk_held **out, struct bk_report *why)
{
    struct bytes *b;
    enum bk_err err = bytes_new(&b, s, place->bytes, why);

    if (err)
        return err;
    if ((err = bk_shards_read(s, place, b->data, why)) != BK_OK) {
        free(b);
        return err;
    }
    *out = bk_cache_keep(s->of.cache, &s->home[place->nth], &b->held);
    return BK_OK;
}

/* == A small file == */

static enum bk_err fetch_whole(struct bk_shards *s, struct bk_held **out, struct bk_report *why)
{
    struct bytes *b;
    enum bk_err err = bytes_new(&b, s, s->of.bytes + s->of.n, why);

    if (err)
        return err;
    if ((err = bk_reader_read(s->of.file, b->data, s->of.bytes, s->of.at, why)) != BK_OK) {
        free(b);
        return err;
    }
    memset(b->data + s->of.bytes, 0, s->of.n);
    *out = bk_cache_keep(s->of.cache, s->home, &b->held);
    return BK_OK;
}

static _Atomic uint8_t *checked(const struct bk_shards *s, struct bytes *b, uint64_t nth)
{
    return (_Atomic uint8_t *)(b->data + s->of.bytes + nth);
}

static enum bk_err get_small(struct bk_shards *s, const struct bk_shard_place *place,
                             const uint8_t **out, struct bk_report *why)
{
    struct bk_held *h = bk_held_at(s->home);
    struct bytes *b;
    enum bk_err err = h ? BK_OK : fetch_whole(s, &h, why);

    if (err)
        return err;
    b = (struct bytes *)h;
    *out = b->data + (place->at - s->of.at);
    if (!atomic_load_explicit(checked(s, b, place->nth), memory_order_relaxed)) {
        if ((err = check(s, place, *out, why)) != BK_OK)
            return err;
        atomic_store_explicit(checked(s, b, place->nth), 1, memory_order_relaxed);
    }
    return BK_OK;
}

enum bk_err bk_shards_get(struct bk_shards *s, const struct bk_shard_place *place,
                          const uint8_t **out, struct bk_report *why)
{
    struct bk_held *h;
    enum bk_err err;

    if (s->small)
        return get_small(s, place, out, why);
    h = bk_held_at(&s->home[place->nth]);
    if (!h && (err = fetch(s, place, &h, why)) != BK_OK)
        return err;
    *out = ((struct bytes *)h)->data;
    return BK_OK;
}

const uint8_t *bk_shards_there(const struct bk_shards *s, uint64_t nth, uint64_t at)
{
    struct bytes *b = (struct bytes *)bk_held_at(&s->home[s->small ? 0 : nth]);

    if (!b || !s->small)
        return b ? b->data : NULL;
    return atomic_load_explicit(checked(s, b, nth), memory_order_relaxed)
               ? b->data + (at - s->of.at)
               : NULL;
}

void bk_shards_ahead(const struct bk_shards *s, uint64_t nth)
{
    const void *held = atomic_load_explicit(&s->home[s->small ? 0 : nth], memory_order_relaxed);

    __builtin_prefetch(held);
}

void bk_shards_warm(struct bk_shards *s)
{
    struct bk_held *h;

    if (s->small && !atomic_load(s->home))
        fetch_whole(s, &h, NULL);
}
