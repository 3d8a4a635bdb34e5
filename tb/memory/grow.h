/*
 * grow.h - arrays that grow.
 */
#ifndef BK_GROW_H
#define BK_GROW_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room for one more in an array of n elements.
 *
 * array  where its pointer is kept: realloc()'s, or NULL with *room 0
 * room   elements it has room for; doubles
 * False: no memory, and all stays as it was.
 */
static inline bool bk_grow(void *array, size_t *room, size_t n, size_t size)
{
    size_t wider = *room ? 2 * *room : 32;
    void *old, *more;

    if (n < *room)
        return true;
    memcpy(&old, array, sizeof old); /* whatever it points to */
    more = realloc(old, wider * size);
    if (!more)
        return false;
    memcpy(array, &more, sizeof more);
    *room = wider;
    return true;
}

#endif
