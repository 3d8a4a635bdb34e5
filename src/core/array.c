/* array.c - room doubles from 64 elements on. */
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

bool bk_array_room(void *array, size_t *room, size_t wanted, size_t element_bytes)
{
    size_t more = *room ? *room : FIRST_ROOM;
    void *old, *moved;

    if (wanted <= *room)
        return true;
    while (more < wanted && more <= SIZE_MAX / 2)
        more *= 2;
    if (more < wanted || more > SIZE_MAX / element_bytes)
        return false;
    memcpy(&old, array, sizeof old);
    moved = realloc(old, more * element_bytes);
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof moved);
    *room = more;
    return true;
}
