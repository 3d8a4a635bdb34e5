/*
 * codes.h - the codes of leaves while they are made: which questions, asked in
 * what order, and what they cost.
 *
 * All counts are of the whole unit, none of the sample; only struct bk_met may hold estimates.
 */
#ifndef BK_CODES_H
#define BK_CODES_H

#include "table/model.h"
#include "tb/encode/entropy.h"
#include "tb/memory/spill.h"

/* How often each value comes in each leaf: exactly, or as a bound ("at least"). */
struct bk_leaf_counts {
    uint32_t leaves;
    unsigned bits;
    uint64_t *n; /* [leaf][bound][value] */
};

static inline uint64_t *bk_leaf_counts_of(const struct bk_leaf_counts *c, uint32_t leaf, bool bound)
{
    return c->n + (((size_t)leaf * 2 + bound) << c->bits);
}

/* A value of a leaf. */
struct bk_coded {
    uint16_t value;
    uint16_t place; /* in the order in which the leaf's code meets its values, likely ones first */
};

/* The values below a question's other answer are those from place `split` on. */
struct bk_codes {
    struct bk_model model;  /* owned: leaf, question; borrowed: tree */
    uint32_t *first;        /* by leaf, and one more: where its values begin in `coded` */
    struct bk_coded *coded; /* leaf after leaf, in each ascending by value */
    uint16_t *most;         /* by question: the largest value below the likely answer */
    unsigned longest;       /* questions that a position is asked, at most */
    uint16_t *place;        /* NULL, or of bk_codes_places(): [leaf][bound][value] */
    unsigned bits;          /* of a value in `place` */
};

enum bk_err bk_codes_new(struct bk_codes *out, const struct bk_leaf_counts *counts,
                         struct bk_fact_node *tree, uint32_t nodes, const struct bk_logs *logs,
                         struct bk_spill *spill, struct bk_report *why);
void bk_codes_release(struct bk_codes *c);

/* Makes bk_code_place_of() a look-up in c->place, a quarter of the size of the counts of values of
   `bits` bits.  Without memory for it nothing changes. */
void bk_codes_places(struct bk_codes *c, unsigned bits);

/* Returns the value that the code gives a position for which any value from `bound` on will do. */
static inline uint32_t bk_code_at_least(const struct bk_codes *c, uint32_t leaf, uint32_t bound)
{
    bk_code code = c->model.leaf[leaf];

    while (code >= 0)
        code = c->model.question[code].next[c->most[code] < bound];
    return (uint32_t)~code;
}

/* Returns the place of a value in the code of its leaf. */
static inline uint32_t bk_code_place(const struct bk_codes *c, uint32_t leaf, uint32_t value)
{
    const struct bk_coded *v = c->coded + c->first[leaf];
    uint32_t n = c->first[leaf + 1] - c->first[leaf];

    for (; n > 1; n -= n / 2)
        v += v[n / 2].value <= value ? n / 2 : 0;
    return v->place;
}

/* Returns the place of `value`, or, if `value` is a bound, of the value that the bound gets. */
static inline uint32_t bk_code_place_of(const struct bk_codes *c, uint32_t leaf, bool bound,
                                        uint32_t value)
{
    if (c->place)
        return c->place[(((size_t)leaf * 2 + bound) << c->bits) + value];
    return bk_code_place(c, leaf, bound ? bk_code_at_least(c, leaf, value) : value);
}

/* Returns the address that bk_code_place_of() reads first, to be prefetched. */
static inline const void *bk_code_place_at(const struct bk_codes *c, uint32_t leaf, uint32_t value)
{
    return c->place ? (const void *)&c->place[((size_t)leaf * 2 << c->bits) + value]
                    : (const void *)&c->coded[c->first[leaf]];
}

/* How many positions of a unit a question is asked of, and how many of these are exceptions. */
struct bk_askers {
    uint64_t positions, exceptions;
};

/* The cells of a unit in which a question has exceptions.  Kept apart from bk_askers, because these
   counts are updated cell by cell, and each access may miss the cache. */
struct bk_met {
    uint64_t cells;    /* cells with an exception */
    uint64_t in_cells; /* positions in them */
};

/* Adds up, for each question, the positions that are asked and their exceptions. */
void bk_codes_ask(const struct bk_codes *c, const struct bk_leaf_counts *counts,
                  struct bk_askers *askers, struct bk_spill *spill);

/*
 * Scales counts from `some` of `all` equal parts of a unit to estimates for the whole unit.  The
 * fewer cells of a question were seen, the nearer its estimate is to the average of all questions.
 */
void bk_met_guess(struct bk_met *met, const struct bk_askers *askers, uint32_t questions,
                  uint32_t some, uint32_t all);

/* Sets rc and rp of q so that filters and bits together have the fewest keys. */
void bk_rates_choose(struct bk_question *q, const struct bk_askers *askers,
                     const struct bk_met *met);

#endif
