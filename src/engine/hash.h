/*
 * hash.h - what has been found out about positions in this search and before.
 */
#ifndef BE_HASH_H
#define BE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BE_EXACT = 3, BE_AT_LEAST = 1, BE_AT_MOST = 2 };

struct be_found {
    uint64_t key;
    uint32_t move; /* be_move_id(), 0: none */
    int16_t score;
    int8_t depth;
    uint8_t bound;
};

/* Begins as zeros. */
struct be_hash {
    struct be_found *entry; /* owned */
    size_t n;               /* a power of two */
};

/* Room for so many MiB, at least one; false: no memory, and nothing changes. */
bool be_hash_resize(struct be_hash *h, unsigned mib);
void be_hash_clear(struct be_hash *h);
void be_hash_release(struct be_hash *h);

static inline struct be_found *be_hash_at(const struct be_hash *h, uint64_t key)
{
    return &h->entry[key & (h->n - 1)];
}

#endif
