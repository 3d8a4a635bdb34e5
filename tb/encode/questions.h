/*
 * questions.h - the yes-or-no questions that tell the values of a unit apart.
 *
 * The *code* of a leaf asks all its positions a first question, those that answer it alike a next
 * one, until each has its value.  One answer is the likely one; positions that give the other are
 * the question's *exceptions*.  Here are:
 *
 *   codes   which questions each leaf asks, in what order
 *   rates   how many bits the filters of a question have (table/model.h)
 *   lists   of (question, squares) for each cell: what shards are made from (shard.h)
 *
 * All counts are of the whole unit, none of the sample; only struct bk_met may hold estimates.
 */
#ifndef BK_QUESTIONS_H
#define BK_QUESTIONS_H

#include "table/model.h"
#include "tb/encode/cells.h"
#include "tb/encode/entropy.h"
#include "tb/memory/spill.h"

/* == Codes == */

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

/* Returns the value that the code gives a position whose value is a bound: any from `bound` on will
   do. */
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

/* == Rates == */

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

/* == Lists of questions ==
 * For each cell, lists of (question, squares): each question with the set of squares of the row
 * whose positions are asked, and the set of those that are exceptions.
 *
 * HOT: bytes and branches cost most, so a list is one run of words, and holds of a question only
 * what making a shard needs.  Questions with exceptions have a list of their own: filters are made
 * from that list alone, and no branch chooses the list.
 */

enum { BK_ASKED_SURE, BK_ASKED_SOME, BK_ASKED_LISTS }; /* without exceptions; with some */

/* A question in a list: a word with its number and its rates; the set of squares that are asked;
   with BK_ASKED_SOME, the set of those that are exceptions. */
#define BK_ASKED_RC_SHIFT 40
#define BK_ASKED_RP_SHIFT 48
struct bk_asked {
    struct bk_asked_list {
        uint64_t *word; /* owned: free() */
        size_t n, room;
    } of[BK_ASKED_LISTS];
    uint32_t keys[2]; /* of ribbons A, B, estimated, in units of 2^-BK_KEY_PARTS */
};
#define BK_KEY_PARTS 10

void bk_asked_release(struct bk_asked *asked);

/* The first question of a leaf and its rates in one place: one cache miss a cell, not several. */
struct bk_asked_first {
    bk_code code; /* no question: below 0 */
    uint8_t rc, rp;
    bool more;    /* another one follows the likely answer */
    uint8_t mark; /* for the caller's own use */
};

/* Appends the questions of a cell, all of the leaf's likeliest value.  False: no memory. */
bool bk_ask_likely(struct bk_asked *out, const struct bk_codes *codes,
                   const struct bk_asked_first *first, const uint64_t *squares, unsigned words);
/* Appends the questions of any cell; values: of its row, of `bits` bits each.  False: no memory. */
bool bk_ask(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
            const uint64_t *squares, const struct bk_row_values *values, unsigned words,
            unsigned bits);
/* Counts in met[question], for each question that has exceptions in the cell, the cell and the
   positions asked there. */
void bk_ask_met(struct bk_met *met, const struct bk_codes *codes, uint32_t leaf,
                const uint64_t *squares, const struct bk_row_values *values, unsigned words,
                unsigned bits);

/* A question as it was appended. */
struct bk_asked_question {
    uint32_t question;
    unsigned rc, rp;
    const uint64_t *all, *other; /* other: the exceptions, with BK_ASKED_SOME only */
};

/* Returns the words that a question takes in a list. */
INLINE size_t bk_asked_step(unsigned list, unsigned words)
{
    return 1 + words * (size_t)(list == BK_ASKED_SOME ? 2 : 1);
}

/* Returns the question that begins at `word`. */
INLINE struct bk_asked_question bk_asked_read(const uint64_t *word, unsigned words)
{
    return (struct bk_asked_question){ .question = (uint32_t)word[0],
                                       .rc = word[0] >> BK_ASKED_RC_SHIFT & 0xff,
                                       .rp = word[0] >> BK_ASKED_RP_SHIFT & 0xff,
                                       .all = word + 1,
                                       .other = word + 1 + words };
}

#endif
