/* array.c - room doubles from 64 elements on. */
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

size_t bk_array_more(size_t room, size_t wanted, size_t element_bytes)
{
    size_t more = room ? room : FIRST_ROOM;

    while (more < wanted && more <= SIZE_MAX / 2)
        more *= 2;
    return more < wanted || more > SIZE_MAX / element_bytes ? 0 : more;
}

bool bk_array_room(void *array, size_t *room, size_t wanted, size_t element_bytes)
{
    size_t more;
    void *old, *moved;

    if (wanted <= *room)
        return true;
    more = bk_array_more(*room, wanted, element_bytes);
    if (!more)
        return false;
    memcpy(&old, array, sizeof old);
    moved = realloc(old, more * element_bytes);
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof moved);
    *room = more;
    return true;
}
