/*
 * slow_file.h - a second reader of table files, written from docs/format.md alone.
 *
 * Shares nothing with src/table but the index (docs/index.md has a test of its
 * own): it takes the bytes apart itself, asks facts by their plain definition
 * (plain_fact_of()) and does its own arithmetic.  Reads the whole file into memory;
 * some microseconds an answer.
 */
#ifndef SLOW_FILE_H
#define SLOW_FILE_H

#include "table/index.h"

struct slow_file;

/* v borrowed.  NULL: `why` says what is wrong, at most 200 characters. */
struct slow_file *slow_file_open(const char *path, const struct bk_variant *v, char why[200]);
void slow_file_close(struct slow_file *f);

bool slow_file_one_side(const struct slow_file *f);
/* Number `nth` (0 to 9, by the n-move rule to 13) of the summary of a side: docs/format.md 3. */
uint64_t slow_file_summary(const struct slow_file *f, unsigned side, unsigned nth);

/* The value that the file has for a number; no two men may share a square. */
unsigned slow_file_value(const struct slow_file *f, unsigned side, uint64_t number);

#endif
