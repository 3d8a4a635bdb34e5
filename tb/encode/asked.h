/*
 * asked.h - what the positions of a cell are asked, as lists.
 *
 * The code of a leaf (codes.h) asks all its positions a first question, those that answer it alike
 * a next one, until each has its value.  So a question is put to a set of squares of a row; those
 * whose answer is not the likely one are its *exceptions*.
 *
 * HOT: bytes and branches cost most, so a list is one run of words, and holds of a question only
 * what making a shard needs.  Questions with exceptions have a list of their own: filters are made
 * from that list alone, and no branch chooses the list.
 */
#ifndef BK_ASKED_H
#define BK_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "tb/encode/cells.h"
#include "tb/encode/codes.h"
#include "tb/encode/values.h"

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

/* Words of a question in a list. */
INLINE size_t bk_asked_step(unsigned list, unsigned words)
{
    return 1 + words * (size_t)(list == BK_ASKED_SOME ? 2 : 1);
}

INLINE struct bk_asked_question bk_asked_read(const uint64_t *word, unsigned words)
{
    return (struct bk_asked_question){ .question = (uint32_t)word[0],
                                       .rc = word[0] >> BK_ASKED_RC_SHIFT & 0xff,
                                       .rp = word[0] >> BK_ASKED_RP_SHIFT & 0xff,
                                       .all = word + 1,
                                       .other = word + 1 + words };
}

INLINE unsigned bk_count_set(const uint64_t *set, unsigned words)
{
    unsigned n = 0;

    for (unsigned i = 0; i < words; i++)
        n += bk_count_bits(set[i]);
    return n;
}

#endif
