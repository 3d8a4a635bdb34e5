/*
 * format.h - a table file.  The bytes are described in docs/format.md.
 *
 * One file holds the win/draw/loss values (.bkw) or the distances (.bkd) of
 * one material, both sides to move, as independently compressed chunks.  A
 * reader checks everything it reads: a damaged file gives BK_E_CORRUPT, never
 * a wrong value, and never more memory than the header's checked sizes ask.
 */
#ifndef BK_FORMAT_H
#define BK_FORMAT_H

#include <stdio.h>

#include "table/index.h"

#define BK_FORMAT_VERSION 1
enum bk_kind { BK_KIND_WDL, BK_KIND_DTW };

/* Values of .bkw, per position; illegal positions hold any of them. */
enum { BK_WDL_LOSS, BK_WDL_DRAW, BK_WDL_WIN };

/* What a table adds up to; from the side to move, [white, black]. */
struct bk_summary {
    uint64_t win[2], draw[2], loss[2];             /* once a symmetry class */
    uint64_t all_win[2], all_draw[2], all_loss[2]; /* all placements */
    int64_t win_plies[2], loss_plies[2];           /* longest; -1: none or unknown */
    uint64_t win_number[2], loss_number[2];        /* a position that has it */
};

struct bk_file_info {
    enum bk_kind kind;
    unsigned value_bytes; /* dtw: 1 or 2 bytes of plies / 2; wdl: 0 (two bits) */
    bool distances;       /* a .bkd belongs to it */
    uint64_t rules_id;
    uint64_t positions; /* per side */
    uint32_t chunk_positions;
    uint32_t chunks; /* per side */
    uint8_t order[BK_SLOTS_MAX + 1];
    unsigned norder;
    char variant[64];
    char material[BK_MATERIAL_NAME_MAX];
    struct bk_summary summary;
};

/*
 * The path of a table's file: DIR/VARIANT/MATERIAL.bkw or .bkd; out has PATH_MAX bytes.
 * Where castling homes are shuffled, VARIANT has just the homes that the material's rights
 * speak of (bk_homes_name()), and the file says so: info->variant, info->rules_id.
 */
char *bk_table_path(char *out, const char *dir, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind);

/* == Reading == */

struct bk_file; /* opaque; any number of threads may share one */

/*
 * Opens and checks header, directory and size.  v is borrowed and must be the
 * game the file was made for.  Returns BK_OK; BK_E_NO_TABLE (no such file);
 * BK_E_CORRUPT (damaged, or another game's, with what differs); BK_E_SYSTEM.
 */
enum bk_err bk_file_open(struct bk_file **out, const char *path, const struct bk_variant *v,
                         struct bk_report *why);
void bk_file_close(struct bk_file *f);
const struct bk_file_info *bk_file_info(const struct bk_file *f);
const struct bk_index *bk_file_index(const struct bk_file *f); /* borrowed from f */
const char *bk_file_path(const struct bk_file *f);
uint64_t bk_file_bytes(const struct bk_file *f);

/*
 * The value of one position: wdl (BK_WDL_*), or plies / 2.  The one door to
 * values: a later codec changes what is behind it and nothing else.
 * Cost: at most one chunk read and decoded; recent ones are kept (8 MiB a file).
 */
enum bk_err bk_file_value(struct bk_file *f, unsigned side, uint64_t number, unsigned *value,
                          struct bk_report *why);

/*
 * One chunk as its raw bytes, see bk_chunk_pack(): bk_file_chunk_bytes() of them at most.
 * Values of .bkw are checked.  The number of values in *n.
 */
enum bk_err bk_file_chunk(struct bk_file *f, unsigned side, uint32_t chunk, unsigned char *raw,
                          uint32_t *n, struct bk_report *why);
size_t bk_file_chunk_bytes(const struct bk_file_info *info);

/* Reads every chunk and compares checksums. */
enum bk_err bk_file_check(struct bk_file *f, struct bk_report *why);

/* == Writing == */

/* A compressed chunk, in memory or in a scratch file. */
struct bk_chunk {
    void *data; /* owned, malloc; NULL: in the scratch file */
    uint32_t bytes;
    uint32_t checksum; /* bk_chunk_seal() */
    uint64_t at;       /* in the scratch file */
};

/* What compresses chunks of up to `most` raw bytes, one of its own for each thread. */
struct bk_packer;
struct bk_packer *bk_packer_new(size_t most); /* NULL: no memory */
void bk_packer_free(struct bk_packer *p);

/*
 * Compresses the raw bytes of a chunk at a zstd level; chunk->data is the
 * caller's.  Raw: two bits a position (BK_WDL_*), the first in the low bits, or
 * value_bytes a distance, low byte first.
 */
enum bk_err bk_chunk_pack(struct bk_chunk *chunk, struct bk_packer *p, const void *raw,
                          size_t bytes, int level, struct bk_report *why);

/* Computes the checksum; nth: the chunk's number, counted through both sides. */
void bk_chunk_seal(struct bk_chunk *chunk, uint64_t nth);

/* A new file without a name beside `path`, whose folders are made; -1: errno. */
int bk_file_scratch(const char *path);

/*
 * Writes a whole file under a temporary name beside `path`, syncs it, renames
 * it.  chunk: 2 * info->chunks, white's first, sealed.  scratch: the file of
 * those whose data is NULL.  On failure nothing is left.
 */
enum bk_err bk_file_write(const char *path, const struct bk_file_info *info,
                          const struct bk_chunk *chunk, int scratch, struct bk_report *why);

#endif
