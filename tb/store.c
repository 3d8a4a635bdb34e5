/*
 * store.c - see store.h.  In front of every array stand 64 bytes that say how
 * it was made.
 */
#include "tb/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FRONT 64          /* keeps the array's alignment */
#define MAPPED (1u << 20) /* from this size on */

struct front {
    size_t bytes; /* with the front */
    bool mapped;
};

void *bk_store_new(size_t bytes)
{
    size_t all = ((bytes + 63) & ~(size_t)63) + FRONT;
    bool mapped = all >= MAPPED;
    char *p;

    if (all < bytes)
        return NULL;
    if (mapped) {
        p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        madvise(p, all, MADV_HUGEPAGE); /* a wish; where it is not heard nothing is lost */
    } else {
        p = aligned_alloc(64, all);
        if (!p)
            return NULL;
        memset(p, 0, all);
    }
    *(struct front *)p = (struct front){ all, mapped };
    return p + FRONT;
}

void bk_store_free(void *array)
{
    struct front *p;

    if (!array)
        return;
    p = (struct front *)((char *)array - FRONT);
    if (p->mapped)
        munmap(p, p->bytes);
    else
        free(p);
}
