/*
 * hash.h - what has been found out about positions in this search and before.
 *
 * calloc() gives a large table as pages of zeros that take memory only when they are first written.
 * So nothing is written before a search does, and clearing frees a used table for a fresh one.
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

/* Makes room for `mib` MiB, at least one; a new size empties the table.  False: no memory, and
   nothing changes. */
bool be_hash_resize(struct be_hash *h, unsigned mib);
/* Empties the table, while no search is under way.  Cost: none if nothing was put into it; else a
   new allocation, or a memset() where there is no memory for a second table. */
void be_hash_clear(struct be_hash *h);
void be_hash_release(struct be_hash *h);
/* How full the table is, in thousandths, by its first thousand places: keys are spread evenly. */
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
