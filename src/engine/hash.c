/* hash.c - one entry a place; the newer wins. */
#include "engine/hash.h"

#include <stdlib.h>
#include <string.h>

bool be_hash_resize(struct be_hash *h, unsigned mib)
{
    size_t n = 1;
    struct be_found *fresh;

    while (n * 2 * sizeof *fresh <= (size_t)(mib ? mib : 1) << 20)
        n *= 2;
    if (n == h->n)
        return true;
    if (!(fresh = calloc(n, sizeof *fresh)))
        return false;
    free(h->entry);
    *h = (struct be_hash){ fresh, n, false };
    return true;
}

void be_hash_clear(struct be_hash *h)
{
    struct be_found *fresh;

    if (!h->used)
        return;
    if ((fresh = calloc(h->n, sizeof *fresh)) != NULL) {
        free(h->entry);
        h->entry = fresh;
    } else {
        memset(h->entry, 0, h->n * sizeof *h->entry);
    }
    h->used = false;
}

void be_hash_release(struct be_hash *h)
{
    free(h->entry);
    *h = (struct be_hash){ NULL, 0, false };
}

unsigned be_hash_full(const struct be_hash *h)
{
    unsigned n = 0;

    for (size_t i = 0; i < 1000; i++)
        n += h->entry[i].bound != 0;
    return n;
}
