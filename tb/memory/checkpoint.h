/*
 * checkpoint.h - the state of a table under way, in a file.
 *
 * Written under another name, synced and renamed, so that at any instant there
 * is a whole one or none.  The owner of the state says what is in it: a writer
 * takes bytes and arrays one after the other, a reader gives them back in the
 * same order.  Arrays are packed by all threads; a checksum covers everything
 * and is compared before the first byte is believed.
 */
#ifndef BK_CHECKPOINT_H
#define BK_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "tb/memory/pool.h"
#include "tb/memory/spill.h"

#define BK_CHECKPOINT_PATH_MAX 4200

/* Where, how often, and for what; `next` is this module's own. */
struct bk_checkpoint {
    const char *path;       /* borrowed */
    double seconds;         /* from one to the next, or three times what one takes; 0: never */
    uint64_t fingerprint;   /* of all that must be the same to go on */
    struct bk_pool *pool;   /* borrowed */
    struct bk_spill *spill; /* of the arrays; borrowed, may be NULL */
    double next;            /* when it is due */
};

/* Is it time?  The first call starts the clock. */
bool bk_checkpoint_due(struct bk_checkpoint *c);

struct bk_writer;
struct bk_reader;

/* A new checkpoint; failure of any call is kept and told by bk_writer_commit(). */
enum bk_err bk_writer_open(struct bk_writer **out, struct bk_checkpoint *c, struct bk_report *why);
void bk_write(struct bk_writer *w, const void *from, size_t bytes);
void bk_write_array(struct bk_writer *w, const void *from, size_t bytes); /* packed */
void bk_write_file(struct bk_writer *w, int fd, uint64_t bytes);          /* from its beginning */
/* Ends it and puts it in its place.  Frees w; on failure the one before stays. */
enum bk_err bk_writer_commit(struct bk_writer *w, struct bk_report *why);

/*
 * BK_E_NO_TABLE: there is none; `why` is empty, or says that it was written by
 * another version, for other rules or options.  BK_E_CORRUPT: it is damaged.  BK_E_SYSTEM: it is
 * there, and perhaps good, but there is no memory, or the system refuses it.
 */
enum bk_err bk_reader_open(struct bk_reader **out, struct bk_checkpoint *c, struct bk_report *why);
/* False, and ever after: there is no more, or no memory. */
bool bk_read(struct bk_reader *r, void *to, size_t bytes);
bool bk_read_array(struct bk_reader *r, void *to, size_t bytes);
bool bk_read_file(struct bk_reader *r, int fd, uint64_t bytes); /* fd -1: skips them */
/* Notes, by errno, that what is read has no place to go to: the checkpoint itself is good.
   bk_read_file() does so, too.  bk_reader_refused(): the first errno, or 0. */
void bk_reader_refuse(struct bk_reader *r, int error);
int bk_reader_refused(const struct bk_reader *r);
uint64_t bk_reader_left(const struct bk_reader *r); /* bytes that are there to be read */
void bk_reader_close(struct bk_reader *r);          /* NULL is fine */

/*
 * Several processes write a part each, PATH.GENERATION.RANK, before the first of them writes the
 * file itself, which names the generation: until then that of the generation before is good.
 */
void bk_checkpoint_part(char out[BK_CHECKPOINT_PATH_MAX], const char *path, uint32_t generation,
                        unsigned rank);
/* Remove the parts of all other generations (0: of all), or of this one alone. */
void bk_checkpoint_remove_parts(const char *path, uint32_t generation);
void bk_checkpoint_remove_generation(const char *path, uint32_t generation);

/* Removes the checkpoint, whole or not, and its parts.  parts: looks for them even if there is no
   checkpoint.  Cost: the folder is read where there was a checkpoint, or `parts` says so. */
void bk_checkpoint_remove(const char *path, bool parts);

#endif
