/*
 * spill.h - memory for the large arrays of a table being made; with a limit they spill to disk.
 *
 * Without a spill (NULL) each array of 64 KiB or more has a mapping of its own: zeroed, in huge
 * pages if the machine has them.  The memory of a freed array is kept for the next ones (stock.h).
 *
 * With a spill arrays are mapped from a file without a name, and the process stays within a limit
 * of resident bytes: if it has grown beyond it, bk_spill_ease() drops the mapped pages.  That loses
 * nothing at any moment, even while threads read and write: the file has the data, and the next
 * access maps the page again, from the page cache or else from the disk.
 */
#ifndef BK_STORE_H
#define BK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "tb/memory/stock.h"

_Static_assert(sizeof(size_t) == 8, "tables are made where addresses have 64 bits");

struct bk_spill; /* opaque; any number of threads may share one */

/*
 * dir          folder of the file, which disappears with the process; made if missing
 * limit_bytes  resident bytes of the whole process
 * room_bytes   bytes that all threads together touch between two calls of bk_spill_ease()
 */
enum bk_err bk_spill_open(struct bk_spill **out, const char *dir, uint64_t limit_bytes,
                          uint64_t room_bytes, struct bk_report *why);
/* Call it after all arrays are freed.  NULL is fine. */
void bk_spill_close(struct bk_spill *st);

/* Returns an array, zeroed and aligned to 64 bytes; NULL: no memory, or no room on the disk. Owned:
   bk_spill_free(). */
void *bk_spill_new(struct bk_spill *st, size_t bytes);
/*
 * As bk_spill_new(), for scratch that is used soon, often and all of it.  It is in memory as long
 * as such arrays take no more than a quarter of the limit together.  In a file its pages would be
 * read when they are first touched, and written to the disk for nothing (docs/solving.md 10).
 */
void *bk_spill_new_brief(struct bk_spill *st, size_t bytes);
/* As bk_spill_new(), in memory, from the allocator, and not cleared: for an array that comes and
   goes with every block.  To map it each time would take longer than to fill it. */
void *bk_spill_new_often(size_t bytes);
/* As realloc(), of NULL or of such an array, whose owner changes its size: in memory, from the
   allocator, aligned to 16 bytes, and not cleared.  NULL: no memory; the array is as it was. */
void *bk_spill_resize(void *array, size_t bytes);
/* BK_ARRAY_ROOM() (core/array.h) by bk_spill_resize(). */
#define BK_SPILL_ROOM(array, room, wanted)                                                         \
    bk_spill_room(&(array), &(room), (wanted), sizeof *(array))
bool bk_spill_room(void *array, size_t *room, size_t wanted, size_t element_bytes);
void bk_spill_free(void *p); /* NULL is fine */
/*
 * As bk_spill_new(), in memory, for a *sparse* array: only parts of it will ever be touched.  No
 * memory is reserved and pages are small.  It is aligned to a large page, so that parts of whole
 * pages have no page in common.
 */
#define BK_SPILL_LARGE BK_STOCK_UNIT
void *bk_spill_new_sparse(size_t bytes);
/* Allows large pages for a part of a sparse array, if the machine has them.  The part is made of
   whole large pages; the caller touches all of it or none. */
void bk_spill_dense(void *part, size_t bytes);
/* Moves the pages of a part of a sparse array to another part, which has no memory; afterwards
   `from` has none.  Both are whole pages.  False: the system cannot; both are unchanged. Cost: some
   us a MB. */
bool bk_spill_move(void *to, void *from, size_t bytes);
/* Clears a part of a sparse array; its whole pages are returned to the system. */
void bk_spill_forget(void *part, size_t bytes);
/* Makes the allocator return freed small blocks to the system, if it can: they may be some percent
   of the process.  Cost: returning the pages, and faulting them in again. */
void bk_spill_trim(void);
/* After an error: if the disk had no room for an array, makes the report say so instead of "out of
   memory".  st NULL is fine. */
void bk_spill_explain(struct bk_spill *st, struct bk_report *why);

/* Writes all bytes to a file; goes on after signals.  Returns 0, or the errno. */
int bk_write_at(int fd, const void *from, size_t bytes, uint64_t at);

/* Writes to a part of an array, from its byte `at` on, through its file, so that its pages need not
   be resident.  False: the disk refused. */
bool bk_spill_put(void *array, size_t at, const void *from, size_t bytes);

/* Returns the resident bytes above which bk_spill_ease() drops pages. */
uint64_t bk_spill_limit(const struct bk_spill *st);

/* Opens another file without a name in the same folder.  Owned by the caller.  -1: see errno. */
int bk_spill_file(struct bk_spill *st);
/* Stores the errno with which the disk has refused a write, for bk_spill_explain(). */
void bk_spill_refused(struct bk_spill *st, int error);

/*
 * Drops the mapped pages if the process is above its limit; called between two pieces of work.
 * st NULL: bk_stock_ease().  Cost: some 2 us, and mapping the pages again when they are touched.
 */
void bk_spill_ease(struct bk_spill *st);

/* == The arena ==
 * All these arrays are counted, but for sparse ones, in bytes as they are allocated.  While a
 * thread's arena is *dry*, arrays that it asks for are counted and nothing else: they get addresses
 * of nothing, which must not be touched (docs/memory.md).  The address has the number of bytes, so
 * that it costs some ns, and nothing has to be looked up when it is freed.
 */
struct bk_arena {
    uint64_t live, peak;           /* bytes of arrays, now and at most */
    uint64_t resident, fixed_peak; /* dry: the part of them that no spill holds, now and at most */
};

/* Returns the counts of the process since bk_arena_again(); the last two are 0. */
struct bk_arena bk_arena(void);
/* Begins to count the peak anew, from what is live. */
void bk_arena_again(void);

/* From here on this thread's arrays are dry, and counted in `a`, which is zeroed or goes on; NULL:
   they are real again.  Arrays of a dry arena are freed while it is dry. */
void bk_arena_dry(struct bk_arena *a);
bool bk_arena_is_dry(void);
/* A spill for dry arrays, which are none of the part that no spill holds. */
struct bk_spill *bk_arena_spill(void);
/* In a dry arena: raises the peaks as if so many more bytes were live for a moment, of which no
   spill holds `fixed`. */
void bk_arena_raise(uint64_t bytes, uint64_t fixed);
#define BK_ARENA_TOO_MUCH (UINT64_MAX / 4) /* for what cannot be done in any memory */
/* Returns a dry array in the place of `array` that takes so many bytes: of a sparse one more, or
   fewer, have memory now.  NULL stays NULL. */
void *bk_arena_resize(void *array, uint64_t bytes);
/* Returns the bytes of a dry array. */
uint64_t bk_arena_bytes(const void *array);

#endif
