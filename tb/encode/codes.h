/*
 * codes.h - the codes of leaves while they are made: which questions, asked in
 * what order, and what they cost.
 *
 * All counts are of the whole unit, none of the sample; only what questions meet may be a guess.
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

/* Of a question, values from place `split` on are below the other answer. */
struct bk_codes {
    struct bk_model model;  /* owned: leaf, question; borrowed: tree */
    uint32_t *first;        /* by leaf, and one more: its values in `coded` */
    struct bk_coded *coded; /* of a leaf ascending by value */
    uint16_t *most;         /* by question: the largest value below the likely answer */
    unsigned longest;       /* questions that a position is asked, at most */
    uint16_t *place;        /* NULL, or of bk_codes_places(): [leaf][bound][value] */
    unsigned bits;          /* with `place`: of a value */
};

enum bk_err bk_codes_new(struct bk_codes *out, const struct bk_leaf_counts *counts,
                         struct bk_fact_node *tree, uint32_t nodes, const struct bk_logs *logs,
                         struct bk_spill *spill, struct bk_report *why);
void bk_codes_release(struct bk_codes *c);

/* Makes bk_code_place_of() a look-up, for a quarter of what the counts of so many bits take.
   Without memory for it all stays as it is. */
void bk_codes_places(struct bk_codes *c, unsigned bits);

/* The value that a position gets that may have any from `bound` on. */
static inline uint32_t bk_code_at_least(const struct bk_codes *c, uint32_t leaf, uint32_t bound)
{
    bk_code code = c->model.leaf[leaf];

    while (code >= 0)
        code = c->model.question[code].next[c->most[code] < bound];
    return (uint32_t)~code;
}

/* Where a value of a leaf comes in the leaf's code. */
static inline uint32_t bk_code_place(const struct bk_codes *c, uint32_t leaf, uint32_t value)
{
    const struct bk_coded *v = c->coded + c->first[leaf];
    uint32_t n = c->first[leaf + 1] - c->first[leaf];

    for (; n > 1; n -= n / 2)
        v += v[n / 2].value <= value ? n / 2 : 0;
    return v->place;
}

/* The same of a value, or of the one that such a bound gets. */
static inline uint32_t bk_code_place_of(const struct bk_codes *c, uint32_t leaf, bool bound,
                                        uint32_t value)
{
    if (c->place)
        return c->place[(((size_t)leaf * 2 + bound) << c->bits) + value];
    return bk_code_place(c, leaf, bound ? bk_code_at_least(c, leaf, value) : value);
}

/* Where that look-up goes first, or would if there were one. */
static inline const void *bk_code_place_at(const struct bk_codes *c, uint32_t leaf, uint32_t value)
{
    return c->place ? (const void *)&c->place[((size_t)leaf * 2 << c->bits) + value]
                    : (const void *)&c->coded[c->first[leaf]];
}

/* Whom a question asks in a unit. */
struct bk_askers {
    uint64_t positions, exceptions;
};

/* What it meets there; apart from these, because cells look for it where memory is far. */
struct bk_met {
    uint64_t cells;    /* with an exception */
    uint64_t in_cells; /* positions in them */
};

/* Adds up, for each question, the positions that are asked and their exceptions. */
void bk_codes_ask(const struct bk_codes *c, const struct bk_leaf_counts *counts,
                  struct bk_askers *askers, struct bk_spill *spill);

/*
 * Makes what questions meet in `some` of `all` equal parts of a unit a guess of what they meet in
 * the whole.  The fewer cells of a question were seen, the more it is taken for one like the
 * others.
 */
void bk_met_guess(struct bk_met *met, const struct bk_askers *askers, uint32_t questions,
                  uint32_t some, uint32_t all);

/* Chooses rc and rp so that filters and bits together are fewest. */
void bk_rates_choose(struct bk_question *q, const struct bk_askers *askers,
                     const struct bk_met *met);

#endif
