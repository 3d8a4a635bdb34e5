/*
 * info.h - what a table file is, without its values.
 *
 * Source: docs/format.md 1 to 3.
 */
#ifndef BK_INFO_H
#define BK_INFO_H

#include "table/index.h"

#define BK_FORMAT_VERSION 1
enum bk_kind { BK_KIND_WDL, BK_KIND_DTW };

/* Bits of a value of this kind. */
unsigned bk_kind_bits(enum bk_kind kind);

/* Values of a .bkw; those of a .bkd are k, plies / 2. */
enum { BK_WDL_WIN, BK_WDL_DRAW, BK_WDL_LOSS };

/* What a table adds up to; from the side to move, [white, black]. */
struct bk_summary {
    uint64_t win[2], draw[2], loss[2];             /* once a symmetry class */
    uint64_t all_win[2], all_draw[2], all_loss[2]; /* all placements */
    int64_t win_plies[2], loss_plies[2];           /* longest; -1: none or unknown */
    uint64_t win_number[2], loss_number[2];        /* a position that has it; 0 without plies */
};

struct bk_file_info {
    enum bk_kind kind;
    bool standalone; /* answers every legal position alone, losses' distances too */
    bool one_side;   /* White to move only; Black's are the same, colours exchanged */
    bool distances;  /* a .bkd belongs to it */
    uint64_t rules_id;
    uint64_t positions; /* a side */
    uint8_t order[BK_SLOTS_MAX + 1];
    unsigned norder;
    char variant[64];
    char material[BK_MATERIAL_NAME_MAX];
    struct bk_summary summary; /* one_side: Black's is White's */
    unsigned nunits;
};

/*
 * The path of a table's file: DIR/VARIANT/MATERIAL.bkw or .bkd; out has PATH_MAX bytes.
 * Where castling homes are shuffled, VARIANT has just the homes that the material's rights
 * speak of (bk_homes_name()), and the file says so: info->variant, info->rules_id.
 */
char *bk_table_path(char *out, const char *dir, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind);

/* Is Black to move the same as White to move with colours exchanged?  m: canonical. */
bool bk_table_one_side(const struct bk_material *m, const struct bk_variant *v);

/* The men of an index as facts know them: the kings, then the slots. */
struct bk_fact_men bk_table_men(const struct bk_index *ix);

/* == Units == */

/* One side to move and a run of whole blocks: what has a model of its own. */
struct bk_unit_place {
    unsigned side;
    uint32_t block, nblocks; /* of the index */
    uint64_t first, end;     /* numbers */
};

/*
 * Cuts the numbers of an index into units, as builders do, in the order of the file.
 * Returns how many there are; out[i] is written for the first `room` of them.
 * Source: docs/format.md 1.
 */
unsigned bk_units_of(const struct bk_index *ix, bool one_side, struct bk_unit_place *out,
                     unsigned room);

#endif
