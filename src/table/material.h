/*
 * material.h - what is on the board, as a name.
 *
 * A material is the men of both sides and, in games whose pieces evolve a
 * limited number of times, how often each side may still do so.  "KRvKN":
 * White's men, `v`, Black's; kings first, then the order of the variant file.
 * "KWWWvK[RCC]" lists the evolutions still allowed where that is less than the
 * men could use; "[-]" means none.  "KRvKR+Kk" has castling rights, as a FEN
 * writes them: a king with rights and the rooks they name stand at home.
 *
 * One table serves a material and the same with the colours exchanged
 * (bk_material_swap()), whenever the board allows it.
 *
 * The moves of a material's men lead to other materials, and so to other tables
 * (bk_material_next(), bk_materials_needed()).
 */
#ifndef BK_MATERIAL_H
#define BK_MATERIAL_H

#include <stddef.h>
#include <string.h>

#include "core/position.h"
#include "core/symmetry.h"

#define BK_MATERIAL_NAME_MAX 96

struct bk_material {
    uint8_t count[2][BK_TYPES_MAX]; /* royals included: 1 each, or none */
    uint8_t left[2][BK_TYPES_MAX];  /* evolutions left, normalised; 0 for types without limit */
    uint8_t rights;                 /* castling, as in bk_pos: bit 2 * colour + side */
};

/*
 * Reads a name.  Letters in any order and case-insensitive but for `v`; one
 * royal a side.  `left` is normalised.  Errors name the letter and its column,
 * or the right that lacks its rook.
 */
enum bk_err bk_material_parse(struct bk_material *m, const struct bk_variant *v, const char *name,
                              struct bk_report *why);
/*
 * Writes the name; returns `out`.  The names of all materials that tables are
 * made for fit; that of a crowd (more than BK_MEN_MAX men, from a FEN) ends in "...".
 */
char *bk_material_name(const struct bk_material *m, const struct bk_variant *v,
                       char out[BK_MATERIAL_NAME_MAX]);
void bk_material_of(struct bk_material *m, const struct bk_variant *v, const struct bk_pos *p);

/* Lowers each allowance to what the men on the board can still use.  Castling rights go
   where the game has none, or a side has fewer rooks than rights. */
void bk_material_normalise(struct bk_material *m, const struct bk_variant *v);

unsigned bk_material_men(const struct bk_material *m, const struct bk_variant *v);
/* The home squares of a castling right: of its rook, of the king. */
unsigned bk_right_home(const struct bk_variant *v, unsigned right);
unsigned bk_right_king(const struct bk_variant *v, unsigned right);
/* How many castling rights a side has. */
static inline unsigned bk_material_rights_of(const struct bk_material *m, unsigned colour)
{
    return (m->rights >> 2 * colour & 1u) + (m->rights >> (2 * colour + 1) & 1u);
}
bool bk_material_equal(const struct bk_material *a, const struct bk_material *b);
/* Returns the material with the colours exchanged. */
struct bk_material bk_material_exchanged(const struct bk_material *m);

/*
 * The symmetry of the board that goes with exchanging the colours (an index
 * for bk_symmetry_map()), or -1 when there is none: then KRvKN and KNvKR are
 * different tables.
 */
int bk_material_swap(const struct bk_material *m, const struct bk_variant *v);
/* Brings a material to the colours its table is kept under; true if exchanged. */
bool bk_material_canonical(struct bk_material *m, const struct bk_variant *v);

/* Is it decided by rule (a bare king, or two)?  Then no table is kept. */
bool bk_material_by_rule(const struct bk_material *m, const struct bk_variant *v);

/* Returns BK_E_USAGE, with a message, if captured men would come back: then no table is exact. */
enum bk_err bk_material_check_hands(const struct bk_material *m, const struct bk_variant *v,
                                    struct bk_report *why);

/* More than any table that is built leads to; `build` refuses others. */
#define BK_NEXT_MAX 1024

/*
 * The materials one move away: captures (of two men, where a man takes
 * twice), promotions, both at once; each with the castling rights that such a
 * move may leave.  Not canonical.  At most `room` are written, none of them twice;
 * returns how many there are.
 */
unsigned bk_material_next(const struct bk_material *m, const struct bk_variant *v,
                          struct bk_material *out, unsigned room);
/* As bk_material_next(), by moves of `colour` alone. */
unsigned bk_material_next_of(const struct bk_material *m, const struct bk_variant *v,
                             unsigned colour, struct bk_material *out, unsigned room);

/* Returns the material after a move of `colour`: `taken` (type, or -1) of the other side is lost
   and the mover's `from` type becomes `to` (-1: no change), using up an allowance if `counted`.
   Castling rights stay: take those away first that the move ends. */
struct bk_material bk_material_after(const struct bk_material *m, const struct bk_variant *v,
                                     unsigned colour, int taken, int from, int to, bool counted);

/* == Symmetries of the board == */

/* Mask of the symmetries under which the board and every man of the material
   (as it stands and as it may become) move alike. */
unsigned bk_material_symmetries(const struct bk_material *m, const struct bk_variant *v);

/*
 * == Lists ==
 *
 * A list of materials, each once, with look-up:
 *
 *      struct bk_materials l = { 0 };
 *
 *      if (bk_materials_find(&l, &m) < 0 && !bk_materials_add(&l, &m))
 *          return bk_no_memory(why);
 *      ...
 *      bk_materials_free(&l);
 *
 * Cost: to find or add one takes some 50 ns, however many there are.
 */
struct bk_materials {
    struct bk_material *m; /* owned; n of them, as they were added */
    size_t n, room;
    uint32_t *slot; /* owned; by hash: number + 1, or 0 if it is free */
    size_t slots;   /* a power of two, more than twice n; or 0 */
};

/* Returns a hash of 32 bits.  A sum of products, so that none waits for another. */
static inline uint64_t bk_material_hash(const struct bk_material *m)
{
    uint64_t word[offsetof(struct bk_material, rights) / sizeof(uint64_t)], h = m->rights;
    uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

    _Static_assert(sizeof word == offsetof(struct bk_material, rights) &&
                       sizeof word + 1 == sizeof *m,
                   "whole words, and the rights");
    memcpy(word, m, sizeof word);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++, odd += UINT64_C(0xbf58476d1ce4e5ba))
        h += word[i] * odd;
    h ^= h >> 29; /* what only the highest bits tell, men of types 6 and 7, reaches all bits */
    return h * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* Returns the number of a material in the list, or -1. */
int64_t bk_materials_find(const struct bk_materials *l, const struct bk_material *m);
/* Adds a material that is not in the list, as number l->n.  False: no memory, and the list is as it
   was. */
bool bk_materials_add(struct bk_materials *l, const struct bk_material *m);
void bk_materials_free(struct bk_materials *l);

/* == The tables that the positions of a material may lead to == */

/*
 * Lists a material and all that its moves can make of it, then of those, to the end:
 * canonical, each once, those that are decided by rule left out, the nearest
 * first (so (*out)[0] is the material itself, if it has a table).
 *
 * *out owned: free(); *n: how many.  Returns BK_OK; BK_E_SYSTEM (memory); BK_E_USAGE (a move may
 * lead to more than a thousand).
 */
enum bk_err bk_materials_needed(struct bk_material **out, size_t *n, const struct bk_material *m,
                                const struct bk_variant *v, struct bk_report *why);

/*
 * As bk_materials_needed(), but the nearest `most` at most; *more: there are others.  For messages
 * that name what is missing, where no list was asked for: where a pawn may become twelve kinds,
 * three pawns of each colour lead to 157,079 tables, in three seconds.
 *
 * Cost: at most that of `most` materials, some us each.
 */
enum bk_err bk_materials_near(struct bk_material **out, size_t *n, bool *more,
                              const struct bk_material *m, const struct bk_variant *v, size_t most,
                              struct bk_report *why);

#endif
