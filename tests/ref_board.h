/*
 * ref_board.h - what the parts of the slow solver share: men as numbers, squares, castling.
 */
#ifndef REF_BOARD_H
#define REF_BOARD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/ref.h"

/* realloc() to n things of `size` bytes; without memory it ends the program. */
static inline void *grow(void *old, size_t n, size_t size)
{
    void *p = realloc(old, n * size);

    if (!p) {
        fprintf(stderr, "ref: no memory for %zu x %zu bytes\n", n, size);
        abort();
    }
    return p;
}

static inline int code_of(unsigned colour, unsigned type)
{
    return colour == BK_WHITE ? (int)type + 1 : -((int)type + 1);
}

static inline unsigned type_of(int code) { return (unsigned)(abs(code) - 1); }

static inline unsigned colour_of(int code) { return code > 0 ? BK_WHITE : BK_BLACK; }

/* The square (df, dr) away if it exists and is no hole, else BK_SQ_NONE. */
static inline unsigned away(const struct bk_variant *v, unsigned sq, int df, int dr)
{
    int file = (int)(sq % v->files) + df, rank = (int)(sq / v->files) + dr;

    if (file < 0 || rank < 0 || file >= v->files || rank >= v->ranks)
        return BK_SQ_NONE;
    sq = (unsigned)(rank * v->files + file);
    return bk_bits_has(&v->board, sq) ? sq : BK_SQ_NONE;
}

/* Is the square on one of the ranks of the mask, as `colour` counts them? */
static inline bool on_ranks(const struct bk_variant *v, unsigned mask, unsigned sq, unsigned colour)
{
    unsigned rank = sq / v->files;

    return mask >> (colour == BK_WHITE ? rank : v->ranks - 1u - rank) & 1;
}

static inline unsigned count_men(const struct bk_variant *v, const struct ref_pos *pos, int code)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        n += pos->at[sq] == code;
    return n;
}

/* Returns the number of men of `colour` other than the king. */
static inline unsigned count_others(const struct bk_variant *v, const struct ref_pos *pos,
                                    unsigned colour)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        n += pos->at[sq] && colour_of(pos->at[sq]) == colour && type_of(pos->at[sq]) != v->royal;
    return n;
}

static inline int sign(int x) { return (x > 0) - (x < 0); }

struct castle {
    unsigned king, rook, king_to, rook_to;
};

static inline struct castle castle_squares(const struct bk_variant *v, unsigned colour,
                                           unsigned wing)
{
    const struct bk_castling *c = &v->castling;
    unsigned home = (colour == BK_WHITE ? c->rank : v->ranks - 1u - c->rank) * v->files;

    return (struct castle){ home + c->king_file, home + c->rook_file[wing], home + c->king_to[wing],
                            home + c->rook_to[wing] };
}

/* Do the king and the rook of a castling right stand on their home squares? */
static inline bool at_home(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour,
                           unsigned wing)
{
    struct castle c = castle_squares(v, colour, wing);

    return pos->at[c.king] == code_of(colour, v->royal) &&
           pos->at[c.rook] == code_of(colour, v->castling.rook);
}

#endif
