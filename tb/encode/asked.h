/*
 * asked.h - what the positions of a cell are asked, as lists.
 *
 * The code of a leaf (codes.h) asks all its positions a first question, those that answer it alike
 * a next one, until each has its value.  So a question is put to a set of squares of a row, of
 * whom some are *exceptions*: theirs is not the likely answer.
 *
 * HOT: what costs is bytes and jumps, so a list is one run of words, and what it holds of a
 * question is all that making a shard needs.
 */
#ifndef BK_ASKED_H
#define BK_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "tb/encode/cells.h"
#include "tb/encode/codes.h"
#include "tb/encode/values.h"

/* A word with the question and its rates, once they are chosen; then those who are asked; with
   BK_ASKED_SOME, then those of them that are exceptions. */
#define BK_ASKED_SOME     (UINT64_C(1) << 32)
#define BK_ASKED_RC_SHIFT 40
#define BK_ASKED_RP_SHIFT 48
struct bk_asked {
    uint64_t *word; /* owned: free() */
    size_t n, room;
};

/* Appends the questions of a cell whose positions have the leaf's likeliest value, all of them.
   False: no memory. */
bool bk_ask_likely(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
                   const uint64_t *squares, unsigned words);
/* The same of any cell; values: of its row, of so many bits. */
bool bk_ask(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
            const uint64_t *squares, const struct bk_row_values *values, unsigned words,
            unsigned bits);

/* A question as it was appended. */
struct bk_asked_question {
    uint32_t question;
    unsigned rc, rp;
    const uint64_t *all, *other; /* other: NULL, or those that are exceptions */
};

/* The question at place *at of a list, which becomes that of the next. */
INLINE struct bk_asked_question bk_asked_read(const struct bk_asked *asked, size_t *at,
                                              unsigned words)
{
    const uint64_t *word = asked->word + *at;
    bool some = word[0] & BK_ASKED_SOME;

    *at += 1 + words + (some ? words : 0);
    return (struct bk_asked_question){ .question = (uint32_t)word[0],
                                       .rc = word[0] >> BK_ASKED_RC_SHIFT & 0xff,
                                       .rp = word[0] >> BK_ASKED_RP_SHIFT & 0xff,
                                       .all = word + 1,
                                       .other = some ? word + 1 + words : NULL };
}

INLINE unsigned bk_count_set(const uint64_t *set, unsigned words)
{
    unsigned n = 0;

    for (unsigned i = 0; i < words; i++)
        n += bk_count_bits(set[i]);
    return n;
}

#endif
