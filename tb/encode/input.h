/*
 * input.h - what is encoded: rows of values, from wherever they come.
 */
#ifndef BK_INPUT_H
#define BK_INPUT_H

#include "core/facts.h"
#include "table/model.h"
#include "table/rows.h"

/* Values of so few bits are results; of more, distances, unless the source says that they are the
   five results of the n-move rule. */
#define BK_RESULT_BITS 2
#define BK_FIVE_BITS   3

struct bk_turned; /* source.h */

struct bk_unit_source {
    uint64_t first, end; /* numbers; whole rows */
    unsigned bits;       /* of a value, at most BK_VALUE_BITS_MAX: then 2^16 - 1 is no value */
    bool five;           /* they are the five results, of BK_FIVE_BITS bits */
    const struct bk_facts *facts;
    unsigned inner; /* the man whose square differs within a row */
    void *context;
    /*
     * Sets `row` to the row that holds `number`, and `values`, unless NULL, to its values.  `row`
     * has what the thread's last call left there (n is 0 before the first), so that a source may go
     * on from it.  turned: the source's scratch for rows that follow each other; NULL: they do not.
     */
    void (*row)(void *context, uint64_t number, struct bk_row *row, struct bk_turned *turned,
                struct bk_row_values *values);
    /* Says that the values of `row` will be asked for soon.  NULL: of no use to the source. */
    void (*soon)(void *context, const struct bk_row *row);
    /*
     * Not NULL if several processes encode a unit together.  Each has the values of its own part
     * alone (unit.h), and the first one learns for all.
     *
     * fetch  called by the first: brings the values of n rows, given by a number of each; n 0: no
     *        more will be fetched.  Fails in all processes alike.
     * serve  called by the others: sends rows until the first wants no more
     */
    enum bk_err (*fetch)(void *context, const uint64_t *number, uint32_t n, struct bk_report *why);
    enum bk_err (*serve)(void *context, struct bk_report *why);
};

/* Are values of so many bits results? */
static inline bool bk_bits_of_results(unsigned bits, bool five)
{
    return bits <= BK_RESULT_BITS || five;
}

/* What is known of a unit before its values are. */
struct bk_unit_size {
    uint64_t rows, numbers;
    unsigned facts, words, bits;
    bool five;            /* struct bk_unit_source */
    unsigned board_words; /* bk_facts_board_words() */
    unsigned care;        /* how many of 100 positions have a value that must be stored */
    uint64_t here;        /* numbers that this process encodes; all, if it is alone */
    bool taught;          /* another process learns for this one */
};

/* How much work goes into small files; work.h says what each means. */
enum bk_effort { BK_EFFORT_FAST, BK_EFFORT_NORMAL, BK_EFFORT_BEST };

#endif
