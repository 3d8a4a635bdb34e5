/*
 * array.h - arrays that grow, and small ones that are sorted.
 *
 * A growing array is three things in its owner: a pointer (NULL at first), how
 * many elements are in use, and how many there is room for (0 at first, a size_t).
 *
 *      if (!BK_ARRAY_ROOM(l->item, l->room, l->n + 1))
 *          return bk_no_memory(why);
 *      l->item[l->n++] = item;
 *
 * Cost: room doubles, so an element is moved once or twice on average.
 */
#ifndef BK_ARRAY_H
#define BK_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes room for `wanted` elements.  False: there is no memory (or the size does
 * not fit into a size_t), and the array is as it was.  `array` and `room` are
 * lvalues; freed with free().
 */
#define BK_ARRAY_ROOM(array, room, wanted)                                                         \
    bk_array_room(&(array), &(room), (wanted), sizeof *(array))

/* Returns for how many elements BK_ARRAY_ROOM() makes room, where there is room for `room` and more
   are wanted; 0: the size does not fit into a size_t. */
size_t bk_array_more(size_t room, size_t wanted, size_t element_bytes);

/* BK_ARRAY_ROOM() as a function; `array` points to the pointer. */
bool bk_array_room(void *array, size_t *room, size_t wanted, size_t element_bytes);

/*
 * Sorts values of equal men, kept in slots: slots with the same `like`, which
 * lie side by side, ascend afterwards; values never pass to an unlike slot.
 * Returns whether they did already.  An insertion sort: there are few men.
 */
static inline bool bk_sort_like(uint8_t *value, const uint8_t *like, unsigned slots)
{
    bool sorted = true;

    for (unsigned i = 1; i < slots; i++)
        for (unsigned j = i; j && like[j - 1] == like[i] && value[j - 1] > value[j]; j--) {
            uint8_t swap = value[j];

            value[j] = value[j - 1];
            value[j - 1] = swap;
            sorted = false;
        }
    return sorted;
}

#endif
