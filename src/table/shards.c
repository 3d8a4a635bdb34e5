/*
 * shards.c - see shards.h.
 *
 * Each shard has a cell: a pointer to its bytes, or NULL; how many answers are
 * being read from them (pins); and whether it was asked since the clock's hand
 * last passed.
 *
 *     ask      pin; load the pointer; NULL: read the file, without a lock, and
 *              put the bytes in under the mutex, unless another was quicker
 *     make room, under the mutex: take the pointer out; if there are pins, put
 *              it back, else free the bytes
 *
 * Both sides first say what they are about (pins; NULL) and then look at what
 * the other says, in one order for all threads.  So either the pin is seen, or
 * the one who pinned sees NULL and goes to the file.
 *
 * Where everything fits the budget nothing is ever taken out, and no pin is
 * needed.  Bytes of a small file lie in one piece; their cells point into it.
 */
#include "table/shards.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table/model.h"

struct cell {
    _Atomic(uint8_t *) data;
    _Atomic uint32_t pins;
    uint32_t bytes; /* of data; under the mutex */
    atomic_bool asked;
};

struct bk_shards {
    int fd;
    const char *path;
    uint64_t n, at, all, budget;
    bool stays; /* all of them fit: nothing is ever taken out */
    struct cell *cell;
    pthread_mutex_t lock;
    uint8_t *whole; /* of a small file; under the mutex */
    uint64_t kept;  /* bytes; under the mutex */
    uint64_t hand;  /* the cell that the clock looks at next */
};

enum bk_err bk_shards_new(struct bk_shards **out, int fd, const char *path, uint64_t n, uint64_t at,
                          uint64_t bytes, uint64_t budget, struct bk_report *why)
{
    struct bk_shards *c = calloc(1, sizeof *c);

    *out = NULL;
    if (c && pthread_mutex_init(&c->lock, NULL)) {
        free(c);
        c = NULL;
    }
    if (!c || !(c->cell = calloc(n ? n : 1, sizeof *c->cell))) {
        bk_shards_free(c);
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", path);
    }
    c->fd = fd;
    c->path = path;
    c->n = n;
    c->at = at;
    c->all = bytes;
    c->budget = budget;
    c->stays = bytes <= budget;
    *out = c;
    return BK_OK;
}

void bk_shards_free(struct bk_shards *c)
{
    if (!c)
        return;
    for (uint64_t i = 0; c->cell && !c->whole && i < c->n; i++)
        free(atomic_load(&c->cell[i].data));
    free(c->whole);
    free(c->cell);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* == Reading == */

static enum bk_err read_at(const struct bk_shards *c, uint8_t *to, uint64_t bytes, uint64_t at,
                           struct bk_report *why)
{
    while (bytes) {
        ssize_t got = pread(c->fd, to, bytes, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bk_fail(why, BK_E_SYSTEM, "%s: %s", c->path, strerror(errno));
        if (got == 0)
            return bk_fail(why, BK_E_CORRUPT, "%s: damaged: cut short", c->path);
        to += got;
        at += (uint64_t)got;
        bytes -= (uint64_t)got;
    }
    return BK_OK;
}

static enum bk_err check(const struct bk_shards *c, const struct bk_shard_place *place,
                         const uint8_t *data, struct bk_report *why)
{
    if (bk_shard_sum(data, place->bytes, place->local) == place->sum)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: checksum of shard %llu", c->path,
                   (unsigned long long)place->nth);
}

enum bk_err bk_shards_read(const struct bk_shards *c, const struct bk_shard_place *place,
                           uint8_t *room, struct bk_report *why)
{
    enum bk_err err = read_at(c, room, place->bytes, place->at, why);

    return err ? err : check(c, place, room, why);
}

/* == Making room == */

/* Takes the bytes of a cell out, unless they are being read. */
static void empty(struct bk_shards *c, struct cell *x)
{
    uint8_t *data = atomic_exchange(&x->data, NULL);

    if (!data)
        return;
    if (atomic_load(&x->pins)) {
        atomic_store(&x->data, data);
        return;
    }
    free(data);
    c->kept -= x->bytes;
}

/* With the mutex held.  Twice round at most: what is left then is being read. */
static void make_room(struct bk_shards *c)
{
    for (uint64_t i = 0; i < 2 * c->n && c->kept > c->budget; i++) {
        struct cell *x = &c->cell[c->hand];

        c->hand = c->hand + 1 == c->n ? 0 : c->hand + 1;
        if (!atomic_load_explicit(&x->data, memory_order_relaxed))
            continue;
        if (!atomic_exchange_explicit(&x->asked, false, memory_order_relaxed))
            empty(c, x);
    }
}

/* == Asking == */

/* Puts bytes into a cell, or frees them where there are some by now.  Returns what is there. */
static uint8_t *put_in(struct bk_shards *c, struct cell *x, uint8_t *data, uint32_t bytes)
{
    uint8_t *there;

    pthread_mutex_lock(&c->lock);
    there = atomic_load(&x->data);
    if (there) {
        free(data);
    } else {
        there = data;
        x->bytes = bytes;
        c->kept += bytes;
        atomic_store(&x->data, data);
        if (!c->stays)
            make_room(c);
    }
    pthread_mutex_unlock(&c->lock);
    return there;
}

static enum bk_err fetch(struct bk_shards *c, const struct bk_shard_place *place,
                         const uint8_t **out, struct bk_report *why)
{
    uint8_t *data = malloc(place->bytes);
    enum bk_err err;

    if (!data)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", c->path);
    if ((err = bk_shards_read(c, place, data, why)) != BK_OK) {
        free(data);
        return err;
    }
    *out = put_in(c, &c->cell[place->nth], data, place->bytes);
    return BK_OK;
}

static bool is_small(const struct bk_shards *c) { return c->stays && c->all <= BK_SHARDS_SMALL; }

/* With the mutex held: the bytes of a small file. */
static enum bk_err read_whole(struct bk_shards *c, struct bk_report *why)
{
    uint8_t *all;
    enum bk_err err;

    if (c->whole)
        return BK_OK;
    all = malloc(c->all ? c->all : 1);
    err = all ? read_at(c, all, c->all, c->at, why)
              : bk_fail(why, BK_E_SYSTEM, "%s: out of memory", c->path);
    if (err) {
        free(all);
        return err;
    }
    c->whole = all;
    c->kept = c->all;
    return BK_OK;
}

void bk_shards_warm(struct bk_shards *c)
{
    if (!is_small(c))
        return;
    pthread_mutex_lock(&c->lock);
    read_whole(c, NULL);
    pthread_mutex_unlock(&c->lock);
}

/* A shard of a small file. */
static enum bk_err fetch_whole(struct bk_shards *c, const struct bk_shard_place *place,
                               const uint8_t **out, struct bk_report *why)
{
    enum bk_err err;

    pthread_mutex_lock(&c->lock);
    err = read_whole(c, why);
    if (!err)
        err = check(c, place, c->whole + (place->at - c->at), why);
    if (!err) {
        *out = c->whole + (place->at - c->at);
        atomic_store_explicit(&c->cell[place->nth].data, c->whole + (place->at - c->at),
                              memory_order_release);
    }
    pthread_mutex_unlock(&c->lock);
    return err;
}

enum bk_err bk_shards_get(struct bk_shards *c, const struct bk_shard_place *place,
                          const uint8_t **out, struct bk_report *why)
{
    struct cell *x = &c->cell[place->nth];
    enum bk_err err;

    if (c->stays) {
        *out = atomic_load_explicit(&x->data, memory_order_acquire);
        if (*out)
            return BK_OK;
        return is_small(c) ? fetch_whole(c, place, out, why) : fetch(c, place, out, why);
    }
    atomic_fetch_add(&x->pins, 1);
    *out = atomic_load(&x->data);
    if (!atomic_load_explicit(&x->asked, memory_order_relaxed))
        atomic_store_explicit(&x->asked, true, memory_order_relaxed);
    if (*out)
        return BK_OK;
    err = fetch(c, place, out, why);
    if (err)
        atomic_fetch_sub(&x->pins, 1);
    return err;
}

void bk_shards_drop(struct bk_shards *c, uint64_t nth)
{
    if (!c->stays)
        atomic_fetch_sub_explicit(&c->cell[nth].pins, 1, memory_order_release);
}

uint64_t bk_shards_kept(struct bk_shards *c)
{
    uint64_t kept;

    pthread_mutex_lock(&c->lock);
    kept = c->kept;
    pthread_mutex_unlock(&c->lock);
    return kept;
}
