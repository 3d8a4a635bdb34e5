/*
 * geometry.h - the move tables: which squares a man reaches from where, computed once per variant.
 *
 * For every type, colour and square: the squares that a man reaches and, for each,
 * its *paths*: sets of squares, of which one must be empty.  A leaper has no path;
 * a rider has one; a bent rider may have several, and is blocked only if each of
 * them is.  Move generation, attacks and the kernels of tb/ all read this one table.
 *
 * Cost: at most a few MB, built in milliseconds.  Read-only afterwards.
 */
#ifndef BK_GEOMETRY_H
#define BK_GEOMETRY_H

#include "core/variant.h"

/* bk_reach.how, besides BK_QUIET, BK_TAKES and BK_HOPS of variant.h */
enum {
    BK_TWICE = 8, /* a double capture: path[0] is one square, and the enemy on it is taken
                     on the way; the move ends on an empty square or an enemy */
};

struct bk_reach {
    uint8_t to;
    uint8_t how;
    uint16_t npaths; /* 0: cannot be blocked */
    uint32_t path;   /* first of its paths in bk_geometry.path */
};

/* The first member of a structure that is cached on a geometry (facts/list.h).  The geometry frees
   it by `free`. */
struct bk_derived {
    void (*free)(struct bk_derived *d);
};

struct bk_geometry {
    /* reach[first[type][colour][sq] .. first[type][colour][sq] + count) , by `to` */
    uint32_t first[BK_TYPES_MAX][2][BK_SQ_MAX];
    uint16_t count[BK_TYPES_MAX][2][BK_SQ_MAX];
    /* The same backwards: reach_into[...] lists, in `to`, the squares from which
       a man reaches sq; paths are those of the move. */
    uint32_t first_into[BK_TYPES_MAX][2][BK_SQ_MAX];
    uint16_t count_into[BK_TYPES_MAX][2][BK_SQ_MAX];
    struct bk_reach *reach, *reach_into;
    struct bk_bits *path;
    uint32_t nreach, npath;
    /* [(type * 2 + colour) * nsq + sq]: the squares on which the man may capture, by its moves
       alone: blockers and screens are ignored */
    struct bk_bits *takes;
    struct bk_bits *ways; /* the same: bk_man_ways(); NULL unless bk_geometry_keep_ways() */
    _Atomic(struct bk_derived *) derived; /* owned; NULL until the first use */
};

/* Computes the geometry of a variant whose plain fields are set.  *out is owned.  Returns BK_OK or
   BK_E_SYSTEM. */
enum bk_err bk_geometry_new(struct bk_geometry **out, const struct bk_variant *v,
                            struct bk_report *why);
void bk_geometry_free(struct bk_geometry *g);
/* Bytes that `g` holds, without `derived`. */
uint64_t bk_geometry_bytes(const struct bk_geometry *g, const struct bk_variant *v);

/* The moves of a man from `sq`, *n of them, sorted by where they end. */
static inline const struct bk_reach *bk_reach_from(const struct bk_variant *v, unsigned type,
                                                   unsigned colour, unsigned sq, unsigned *n)
{
    const struct bk_geometry *g = v->geometry;

    *n = g->count[type][colour][sq];
    return g->reach + g->first[type][colour][sq];
}

/*
 * Sets from[sq] to `sq` and the squares to which a man there can get by quiet moves that leave it
 * what it is, blockers and screens left aside.  Source: docs/rules.md, docs/index.md.
 * Cost: sets of squares joined until none grows.
 */
void bk_man_ways(struct bk_bits from[BK_SQ_MAX], const struct bk_variant *v, unsigned type,
                 unsigned colour);
/* Has such a man, on some square, a quiet move and a way back? */
bool bk_man_comes_back(const struct bk_variant *v, unsigned type, unsigned colour);
/* Has it, on some square, a quiet move from which there is no way back? */
bool bk_man_goes_for_good(const struct bk_variant *v, unsigned type, unsigned colour);
/* Fills g->ways.  False: no memory. */
bool bk_geometry_keep_ways(struct bk_geometry *g, const struct bk_variant *v);
/* Does one of these ways lead to where there is no way back from? */
bool bk_ways_go_for_good(const struct bk_bits from[BK_SQ_MAX], const struct bk_variant *v);

/* Does a king on `from` attack `to` if nothing blocks it? */
static inline bool bk_king_attacks(const struct bk_variant *v, unsigned colour, unsigned from,
                                   unsigned to)
{
    unsigned n;
    const struct bk_reach *r = bk_reach_from(v, v->royal, colour, from, &n);

    for (unsigned i = 0; i < n; i++)
        if (r[i].to == to && r[i].how & BK_TAKES)
            return true;
    return false;
}

/* The moves of a man that end on `sq`, *n of them; `to` is where each begins. */
static inline const struct bk_reach *bk_reach_into(const struct bk_variant *v, unsigned type,
                                                   unsigned colour, unsigned sq, unsigned *n)
{
    const struct bk_geometry *g = v->geometry;

    *n = g->count_into[type][colour][sq];
    return g->reach_into + g->first_into[type][colour][sq];
}

/* The squares on which a man on `sq` may capture; blockers and screens are ignored. */
static inline const struct bk_bits *bk_takes_from(const struct bk_variant *v, unsigned type,
                                                  unsigned colour, unsigned sq)
{
    return v->geometry->takes + (size_t)(type * 2 + colour) * v->nsq + sq;
}

/* The square that a BK_TWICE move passes, and on which it takes. */
static inline unsigned bk_reach_via(const struct bk_variant *v, const struct bk_reach *r)
{
    return bk_bits_first(&v->geometry->path[r->path]);
}

/* Can a man move along `r` if these squares are occupied?  One of its paths must be empty; a hopper
   needs exactly one man on its path. */
static inline bool bk_reach_open(const struct bk_variant *v, const struct bk_reach *r,
                                 const struct bk_bits *occupied)
{
    const struct bk_bits *path = v->geometry->path + r->path;

    if (r->how & BK_HOPS) {
        struct bk_bits on = { { path->w[0] & occupied->w[0], path->w[1] & occupied->w[1],
                                path->w[2] & occupied->w[2], path->w[3] & occupied->w[3] } };
        return bk_bits_count(&on) == 1;
    }
    if (!r->npaths)
        return true;
    for (unsigned i = 0; i < r->npaths; i++)
        if (!bk_bits_meet(path + i, occupied))
            return true;
    return false;
}

#endif
