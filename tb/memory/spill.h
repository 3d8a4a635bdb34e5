/*
 * spill.h - memory for the large arrays of a table being made.
 *
 * Without a spill (NULL) arrays of 64 KiB and more are mapped by themselves:
 * zero, backed by huge pages where the machine has them; when they are freed
 * their memory is kept for those that come (stock.h).
 *
 * A spill keeps them in a file without a name instead, and the process within
 * a limit: bk_spill_ease() takes pages out of the process when it has grown
 * too large.  Nothing is lost by that, at any moment, whoever is reading or
 * writing: the pages are the file's, and the next touch brings them back, from
 * the page cache while the machine has room for it, else from the disk.
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
 * dir          of the file, which disappears with the process; made if missing
 * limit_bytes  of the whole process
 * room_bytes   what is touched from one bk_spill_ease() to the next, all threads together
 */
enum bk_err bk_spill_open(struct bk_spill **out, const char *dir, uint64_t limit_bytes,
                          uint64_t room_bytes, struct bk_report *why);
/* After all its arrays are freed; NULL is fine. */
void bk_spill_close(struct bk_spill *st);

/* Zeroed, aligned to 64 bytes; NULL: no memory, or no disk.  Owned: bk_spill_free(). */
void *bk_spill_new(struct bk_spill *st, size_t bytes);
/*
 * As bk_spill_new(), for scratch that is touched soon, often and all of it: it is in memory as long
 * as such arrays take no more than a quarter of the limit together.  Pages of a file are read as
 * zeros when they are touched first, and written to the disk in vain (docs/solving.md 10).
 */
void *bk_spill_new_brief(struct bk_spill *st, size_t bytes);
void bk_spill_free(void *p); /* NULL is fine */
/*
 * As bk_spill_new(), in memory, for a *sparse* array, of which only parts will ever be touched:
 * nothing is reserved, pages are small, and it begins where a large one may: parts of whole pages
 * share none.
 */
#define BK_SPILL_LARGE BK_STOCK_UNIT
void *bk_spill_new_sparse(size_t bytes);
/* Lets the pages of a part of a sparse array be large, where the machine has such.  The part is
   whole large pages, all touched when some is. */
void bk_spill_dense(void *part, size_t bytes);
/* Moves the memory of a part of a sparse array, whole pages, with what is in it to another part,
   which has none; `from` has none then.  False: it cannot be; both are as they were.  Cost: some us
   a MB, where fresh memory is found and cleared. */
bool bk_spill_move(void *to, void *from, size_t bytes);
/* Clears a part of a sparse array; whole pages of it go back to the machine. */
void bk_spill_forget(void *part, size_t bytes);
/* Gives small pieces that were freed back to the machine, where the allocator can be told: they may
   be some percent of what there is.  Cost: to give back their pages, and to find them again. */
void bk_spill_trim(void);
/* Work has failed.  If the disk had no room for an array, the report says so instead of
   "out of memory"; else it stays.  st NULL is fine. */
void bk_spill_explain(struct bk_spill *st, struct bk_report *why);

/* Writes all of these bytes to a file, interrupted or not.  0; or the errno. */
int bk_write_at(int fd, const void *from, size_t bytes, uint64_t at);

/* Writes a part of an array, from byte `at` of it, without touching it.  False: the disk refused.
 */
bool bk_spill_put(void *array, size_t at, const void *from, size_t bytes);

/* Resident bytes above which bk_spill_ease() takes pages out. */
uint64_t bk_spill_limit(const struct bk_spill *st);

/* A file of its own in the same place, without a name; it is the caller's.  -1: see errno. */
int bk_spill_file(struct bk_spill *st);
/* Notes that the disk has refused bytes, with this errno; bk_spill_explain() will say so. */
void bk_spill_refused(struct bk_spill *st, int error);

/*
 * Takes pages out of the process if it has grown too large; called between two pieces of work.
 * st NULL is fine.  Cost: some 2 us, and what touching the pages again costs.
 */
void bk_spill_ease(struct bk_spill *st);

#endif
