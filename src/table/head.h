/*
 * head.h - a table file without its values: its path, kind, units and summary, and its head, which
 * says all that.
 *
 * bk_head_parse() checks the bytes one by one; format.c checks what they mean in a game.
 * Source: docs/format.md 1 to 5.
 */
#ifndef BK_HEAD_H
#define BK_HEAD_H

#include "table/index.h"
#include "table/model.h"

/* == Names and kinds == */

#define BK_FORMAT_VERSION 1
/* Results and distances, without the n-move rule (.bkw, .bkd) and with it (.bk5, .bkz). */
enum bk_kind { BK_KIND_WDL, BK_KIND_DTW, BK_KIND_FIVE, BK_KIND_DTZ, BK_KINDS };

/* Is it a kind of results, not distances?  Does it know of the n-move rule? */
static inline bool bk_kind_is_results(enum bk_kind kind) { return !((unsigned)kind & 1); }
static inline bool bk_kind_counts(enum bk_kind kind) { return kind >= BK_KIND_FIVE; }
static inline enum bk_kind bk_kind_of(bool distances, bool counts)
{
    return (enum bk_kind)((unsigned)distances + 2u * (unsigned)counts);
}
/* The end of its files' names: "bkw". */
const char *bk_kind_suffix(enum bk_kind kind);
/* Sets *out to the kind of a file by its name or path; false: the name is no table's. */
bool bk_kind_of_name(enum bk_kind *out, const char *name);

/* Bits of a value of this kind. */
unsigned bk_kind_bits(enum bk_kind kind);

/* Values of a .bkw; those of a .bkd are k, plies / 2. */
enum { BK_WDL_WIN, BK_WDL_DRAW, BK_WDL_LOSS };
/* Values of a .bk5; those of a .bkz are d - 1. */
enum { BK_FIVE_WIN, BK_FIVE_CURSED, BK_FIVE_DRAW, BK_FIVE_BLESSED, BK_FIVE_LOSS };

/* The counts and longest lines of a table; from the side to move, [white, black]. */
struct bk_summary {
    uint64_t win[2], draw[2], loss[2];             /* once a symmetry class */
    uint64_t all_win[2], all_draw[2], all_loss[2]; /* all placements */
    /* with the n-move rule: of these wins and losses those that it makes draws */
    uint64_t cursed[2], blessed[2], all_cursed[2], all_blessed[2];
    int64_t win_plies[2], loss_plies[2];    /* longest; -1: none or unknown */
    uint64_t win_number[2], loss_number[2]; /* a position that has it; 0 without plies */
};

struct bk_file_info {
    enum bk_kind kind;
    bool standalone; /* answers every legal position alone, losses' distances too */
    bool one_side;   /* White to move only; Black's are the same, colours exchanged */
    bool distances;  /* a .bkd belongs to it, or a .bkz */
    uint64_t rules_id;
    uint64_t nmove_id;  /* of the n-move rule; 0: a kind that does not know of it */
    uint64_t positions; /* a side */
    uint8_t order[BK_SLOTS_MAX + 1];
    unsigned norder;
    char variant[64];
    char material[BK_MATERIAL_NAME_MAX];
    struct bk_summary summary; /* one_side: Black's is White's */
    unsigned nunits;
};

/*
 * The path of a table's file: DIR/VARIANT/MATERIAL.bkw and so on; out has PATH_MAX bytes.
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

/* == Bytes == */

#define BK_HEAD_FIRST     16u /* bytes that bk_head_bytes() wants */
#define BK_HEAD_LEAST     32u
#define BK_HEAD_MOST      (1u << 20)
#define BK_UNITS_MAX      4096u
#define BK_UNIT_SHARD_MAX UINT64_C(0xffffffff)

struct bk_unit_head {
    uint32_t nblocks, shards;
    uint64_t model_bytes, shard_bytes;
    uint32_t sum; /* of model and directory */
};

struct bk_head {
    struct bk_file_info info;
    uint32_t bytes;
    struct bk_unit_head *unit; /* owned; info.nunits of them */
};

static inline uint64_t bk_directory_bytes(const struct bk_unit_head *u)
{
    return (uint64_t)u->shards * BK_SHARD_ENTRY_BYTES;
}

/*
 * Sets *out to the bytes of the head that begins with `first`.  Checks magic number and that
 * length, which all versions have.  path: for messages.  BK_E_CORRUPT: not ours, older, damaged.
 */
enum bk_err bk_head_bytes(uint32_t *out, const uint8_t first[BK_HEAD_FIRST], uint64_t file_bytes,
                          const char *path, struct bk_report *why);

/* Reads a whole head, bk_head_bytes() long.  out->unit is owned on BK_OK, NULL else.  BK_E_NEWER:
   it has what a later version added, and its checksum is right; BK_E_CORRUPT. */
enum bk_err bk_head_parse(struct bk_head *out, const uint8_t *bytes, uint32_t n, const char *path,
                          struct bk_report *why);

/* Returns the bytes of a head, owned, and sets h->bytes; NULL: no memory. */
uint8_t *bk_head_write(struct bk_head *h);

#endif
