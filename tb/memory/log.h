/*
 * log.h - bytes that are written once and read later: a file without a name
 * that only grows.
 *
 * With a spill it lies beside the spill's, else in memory.  Moved by whole
 * pieces, never mapped.
 * Threads: any number write and read at a time, each its own pieces.
 */
#ifndef BK_LOG_H
#define BK_LOG_H

#include "tb/memory/checkpoint.h"
#include "tb/memory/spill.h"

struct bk_log;

/* spill: NULL is fine; borrowed.  *out is owned. */
enum bk_err bk_log_open(struct bk_log **out, struct bk_spill *spill, struct bk_report *why);
void bk_log_close(struct bk_log *l); /* NULL is fine */

/* Reserves so many bytes, to be written next; returns their offset. */
uint64_t bk_log_room(struct bk_log *l, uint64_t bytes);
/* If this fails, the log has failed from then on. */
void bk_log_write(struct bk_log *l, uint64_t at, const void *from, size_t bytes);
/* False: there are not so many bytes, or they cannot be read; the log has failed. */
bool bk_log_read(struct bk_log *l, uint64_t at, void *to, size_t bytes);

/* Has a write or a read failed?  The spill can explain it. */
bool bk_log_failed(const struct bk_log *l);
uint64_t bk_log_bytes(const struct bk_log *l);

/* All of it, to a checkpoint and back into an empty log; false: it cannot be read. */
void bk_log_save(const struct bk_log *l, struct bk_writer *w);
bool bk_log_load(struct bk_log *l, struct bk_reader *r);

#endif
