/*
 * log.h - an append-only file without a name: bytes are written once and read later.
 *
 * With a spill the file is in the spill's folder, else in memory (memfd).  Callers read and write
 * whole records; the file is never mapped.
 * Threads: any number write and read at a time, each its own records.
 */
#ifndef BK_LOG_H
#define BK_LOG_H

#include "tb/memory/checkpoint.h"
#include "tb/memory/spill.h"

struct bk_log;

/* spill: NULL is fine; borrowed.  *out is owned. */
enum bk_err bk_log_open(struct bk_log **out, struct bk_spill *spill, struct bk_report *why);
void bk_log_close(struct bk_log *l); /* NULL is fine */

/* Reserves `bytes` at the end and returns their offset; the caller writes them next. */
uint64_t bk_log_room(struct bk_log *l, uint64_t bytes);
/* Writes at a reserved offset.  After an error bk_log_failed() is true. */
void bk_log_write(struct bk_log *l, uint64_t at, const void *from, size_t bytes);
/* Returns false if the bytes cannot be read, or the file is shorter; then bk_log_failed() is true.
 */
bool bk_log_read(struct bk_log *l, uint64_t at, void *to, size_t bytes);

/* Returns whether a write or a read has failed.  bk_spill_explain() says why. */
bool bk_log_failed(const struct bk_log *l);
uint64_t bk_log_bytes(const struct bk_log *l);

/* Write the whole log to a checkpoint, and read it back into an empty log.  load() returns false if
   the checkpoint cannot be read. */
void bk_log_save(const struct bk_log *l, struct bk_writer *w);
bool bk_log_load(struct bk_log *l, struct bk_reader *r);

#endif
