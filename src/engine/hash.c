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
    *h = (struct be_hash){ fresh, n };
    return true;
}

void be_hash_clear(struct be_hash *h)
{
    if (h->entry)
        memset(h->entry, 0, h->n * sizeof *h->entry);
}

void be_hash_release(struct be_hash *h)
{
    free(h->entry);
    *h = (struct be_hash){ NULL, 0 };
}
