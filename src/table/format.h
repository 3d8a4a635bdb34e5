/*
 * format.h - a table file.  The bytes are described in docs/format.md.
 *
 * One file holds the win/draw/loss values (.bkw) or the distances (.bkd) of
 * one material.  Here it is opened and checked, and its rows are read;
 * table/decode.h reads a single value.
 *
 * A file alone does not settle a position: if the best exit (a conversion: a
 * move that changes the material) attains the value, the file may hold any
 * value that is not better.  table/settle.h asks both.
 *
 * Everything that is read is checked: a damaged file gives BK_E_CORRUPT, never a
 * wrong value, and takes no more memory than the checked sizes ask.  Opening
 * reads the head alone; the model of a unit is read when it is first asked, a
 * shard likewise.
 */
#ifndef BK_FORMAT_H
#define BK_FORMAT_H

#include "table/cache.h"
#include "table/head.h"
#include "table/model.h"
#include "table/rows.h"

/* == Opening == */

struct bk_file; /* opaque; any number of threads may share one */

/*
 * Opens and checks the head.  v is borrowed and must be the game the file was
 * made for.  Returns BK_OK; BK_E_NO_TABLE (no such file); BK_E_CORRUPT (damaged,
 * older than version 1, or another game's, with what differs); BK_E_NEWER (of a later
 * version); BK_E_SYSTEM.
 */
enum bk_err bk_file_open(struct bk_file **out, const char *path, const struct bk_variant *v,
                         struct bk_report *why);
/*
 * As bk_file_open(), for a file whose name says what it holds, the table of a canonical material:
 * another table is BK_E_CORRUPT before memory is taken for it.
 *
 * Memory of both: the index of the material, and some bytes for each shard; a model takes at most
 * 15 bytes a position and 4 MB, whatever it says of itself.  A true one takes far less.
 */
enum bk_err bk_file_open_as(struct bk_file **out, const char *path, const struct bk_variant *v,
                            const struct bk_material *m, enum bk_kind kind, struct bk_report *why);
#define BK_FILE_BYTES (UINT64_C(64) << 20) /* budget of each such file's own cache */
/*
 * As bk_file_open_as(), for a file that a reader has found.  What is read of it is held in `cache`;
 * the memory of the file itself counts nowhere.
 *
 * reader, cache, path   borrowed, and outlive the file
 * twin                  the other file of the same table, or NULL: its index is borrowed if it is
 *                       the same
 */
struct bk_file_from {
    struct bk_cache *cache;
    struct bk_reader *reader;
    const char *path;
    const struct bk_file *twin;
};
enum bk_err bk_file_open_from(struct bk_file **out, const struct bk_file_from *from,
                              const struct bk_variant *v, const struct bk_material *m,
                              enum bk_kind kind, struct bk_report *why);
/* Returns the bytes that an open file takes, without what the cache holds of it, what it borrows,
   and its reader. */
uint64_t bk_file_memory(const struct bk_file *f);
void bk_file_close(struct bk_file *f); /* NULL is fine; nobody may be asking */
/* Sets *out to what the head of a file says, without a game to read it in.  Errors: as
   bk_file_open(). */
enum bk_err bk_file_peek(struct bk_file_info *out, const char *path, struct bk_report *why);
/* Is this a table, with a good head, that was made by other rules than the game's? */
bool bk_file_other_rules(const char *path, const struct bk_variant *v);
const struct bk_file_info *bk_file_info(const struct bk_file *f);
const struct bk_index *bk_file_index(const struct bk_file *f); /* borrowed from f */
const struct bk_rows *bk_file_rows(const struct bk_file *f);   /* borrowed from f */
const char *bk_file_path(const struct bk_file *f);
uint64_t bk_file_bytes(const struct bk_file *f);

/* == Looking at a file == */

/* Reads every model, directory and shard, and checks all that docs/format.md 10 lists. */
enum bk_err bk_file_check(struct bk_file *f, struct bk_report *why);

/* A unit: where its bytes go, and what it has learned.  model and facts are borrowed from f, which
   keeps them from now on, whatever its budget. */
struct bk_unit_info {
    struct bk_unit_place place;
    uint64_t model_bytes, shards, shard_bytes;
    const struct bk_model *model;
    const struct bk_facts *facts;
};
enum bk_err bk_file_unit(struct bk_file *f, unsigned nth, struct bk_unit_info *out,
                         struct bk_report *why);

/* == Whole rows == */

/*
 * Reads a file row by row.  Each thread has its own; rows are best asked in the
 * order of their numbers.  *out owned; f borrowed.
 */
struct bk_scan;
enum bk_err bk_scan_new(struct bk_scan **out, struct bk_file *f, struct bk_report *why);
void bk_scan_free(struct bk_scan *s); /* NULL is fine */
/*
 * Sets `out` to what the file says of a row of its index, for the squares of the inner man in
 * `care`, on which no other man stands (bk_row_care()).  out: planes and care; see bk_model_row().
 * Returns BK_OK, BK_E_CORRUPT, BK_E_SYSTEM.  Cost: some 2 to 4 ns a position.
 */
enum bk_err bk_scan_row(struct bk_scan *s, unsigned side, const struct bk_row *row,
                        const uint64_t *care, struct bk_row_values *out, struct bk_report *why);
/* Sets `care` to the squares that the inner man of a row may stand on; false: two other men share a
   square. */
bool bk_row_care(const struct bk_row *row, unsigned men, uint64_t care[4]);

#endif
