/*
 * hash.h - what has been found out about positions in this search and before.
 *
 * A large table is pages of zeros that the system gives when they are first written.  So nothing is
 * written before a search does, and to clear what was used is to let it go for fresh zeros.
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
    bool used;              /* something was put into it since it was cleared */
};

/* Room for so many MiB, at least one; false: no memory, and nothing changes. */
bool be_hash_resize(struct be_hash *h, unsigned mib);
/* While no search is under way.  Cost: none where nothing was put; else the memory goes back, or is
   written over where there is none for a second table. */
void be_hash_clear(struct be_hash *h);
void be_hash_release(struct be_hash *h);
/* How full it is, of a thousand, by its first thousand places: keys are spread evenly. */
unsigned be_hash_full(const struct be_hash *h);

static inline struct be_found *be_hash_at(const struct be_hash *h, uint64_t key)
{
    return &h->entry[key & (h->n - 1)];
}

static inline void be_hash_put(struct be_hash *h, const struct be_found *found)
{
    *be_hash_at(h, found->key) = *found;
    h->used = true;
}

#endif
