/*
 * store.h - memory for the large arrays of a table being made.
 *
 * Arrays of a megabyte and more are mapped by themselves: they are zero without
 * being touched, go back to the machine as soon as they are freed, and may be
 * backed by huge pages.  Smaller ones come from malloc().
 */
#ifndef BK_STORE_H
#define BK_STORE_H

#include <stddef.h>

/* Zeroed, aligned to 64 bytes; NULL: no memory.  Owned: bk_store_free(). */
void *bk_store_new(size_t bytes);
void bk_store_free(void *p); /* NULL is fine */

#endif
