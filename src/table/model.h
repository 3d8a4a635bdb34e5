/*
 * model.h - the values of a table as questions, and how they are answered.
 *
 * A tree over facts (core/facts.h) brings a position to a leaf.  A leaf is a
 * small binary code over the values seen there: a single value, or a question
 * whose two answers lead to a value or to a further question.  A question has
 * a likely answer; positions with the other are its exceptions, and what says
 * so lies in the two ribbons (ribbon.h) of the shard that holds the position:
 *
 *   A, filters: rc bits asked of the cell (row, question), rp bits asked of
 *      the position.  All agree with the fingerprint of what was asked for
 *      every exception, and for one in 2^(rc + rp) others;
 *   B, bits: for those that pass, whether it is an exception.
 *
 *     q = the leaf's code
 *     while q is a question
 *         q = q.next[maybe(A, cell, q.rc) && maybe(A, position, q.rp) && bit(B, position)]
 *
 * Exceptions come in clusters, so one filter of a cell speaks for a row's many.
 * Positions that need no answer are simply not asked when the ribbons are
 * made, and cost nothing.
 *
 * Row: the numbers that differ in the square of one man alone, the inner man
 * (rows.h); it is known by its first number.  Unit: the numbers of one side to
 * move that share a model.  Shard: consecutive whole rows of a unit, 1 to 3 KB,
 * all that an answer reads.
 *
 * Everything here is read-only after parsing, and may be shared by threads.
 */
#ifndef BK_MODEL_H
#define BK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/facts.h"
#include "table/ribbon.h"

#define BK_VALUE_BITS_MAX 16

/* == Values of a row ==
 * Bit s of a set: with the inner man on square s.  Four words whatever the board; those beyond
 * bk_facts_words() are neither read nor written. */
struct bk_row_values {
    uint64_t care[4];  /* squares that are asked; others are free */
    uint64_t least[4]; /* of `care`: the planes say at least the value, else exactly it */
    uint64_t plane[BK_VALUE_BITS_MAX][4]; /* bit b of the value */
};

/* == Model == */

/* What follows a tree or an answer: a question (0 and up), or ~value. */
typedef int32_t bk_code;

struct bk_question {
    bk_code next[2]; /* the likely answer, the other */
    uint8_t rc, rp;  /* filter bits of the cell, of the position */
    uint16_t split;  /* the encoder's: tb/encode/questions.h */
};
#define BK_RC_MAX 20
#define BK_RP_MAX 14

struct bk_model {
    uint32_t nodes, leaves, questions;
    struct bk_fact_node *tree; /* node 0 is the root; an answer's node comes after its question's */
    bk_code *leaf;             /* by leaf: its code */
    struct bk_question *question; /* a question comes after the one that leads to it */
};

/*
 * Reads a model.
 *
 * bytes   as bk_model_write() made them; damaged ones are refused (BK_E_CORRUPT) or make a
 *         model that can be asked without harm.
 * numbers of its unit: they bound its leaves and questions (format.md 6)
 * facts   bk_facts_count() of the facts that its tree asks
 * bits    of a value: 2 for wdl, 16 for distances; other values are refused
 *
 * *out owned.
 */
enum bk_err bk_model_parse(struct bk_model **out, const void *bytes, size_t n, uint64_t numbers,
                           unsigned facts, unsigned bits, struct bk_report *why);
/* The most bytes in a file of any model; and of a model of a unit with so many numbers. */
#define BK_MODEL_MOST (1u << 26)
uint64_t bk_model_bytes_max(uint64_t numbers);
/* May a unit of so many numbers have so many leaves and questions? */
bool bk_model_may_have(uint64_t numbers, uint64_t leaves, uint64_t questions);
void bk_model_free(struct bk_model *m);
uint64_t bk_model_bytes(const struct bk_model *m); /* memory that it takes */

/* Sets *bytes, owned (free()), to those of a model's file; BK_E_SYSTEM (memory; more than a file
   may have: too many bytes, a value of 2^16 - 1).  bk_model_may_have() is not asked. */
enum bk_err bk_model_write(uint8_t **bytes, size_t *n, const struct bk_model *m,
                           struct bk_report *why);

/* == Directory: the shards of a unit ==
 * An entry is BK_SHARD_ENTRY_BYTES long, all numbers least byte first:
 *   u32  how many numbers it holds        u16, u16  words of its ribbons A, B, never one
 *   u8, u8  their seeds                   u32  checksum of its bytes
 * A shard's bytes are the words of A, then those of B.  Shards follow each other in the order of
 * their numbers, without gaps. */
#define BK_SHARD_ENTRY_BYTES 14

struct bk_shard {
    uint64_t first; /* number of its first position */
    uint64_t at;    /* its first byte within the unit's shards */
    uint16_t words[2];
    uint8_t seed[2];
    uint32_t sum;
};

struct bk_directory {
    uint32_t n;
    uint64_t first, end;    /* numbers: the first, one past the last */
    uint64_t bytes;         /* of all shards together */
    struct bk_shard *shard; /* owned; n of them, and one that begins at the end */
    unsigned step;          /* guess[] has an entry for each 2^step numbers */
    uint32_t *guess;        /* owned; by entry: the shard that holds its first number */
};

/* Reads a directory of `n` bytes for the numbers first to end - 1.  BK_E_CORRUPT when it does
   not fit them. */
enum bk_err bk_directory_parse(struct bk_directory *out, const void *bytes, size_t n,
                               uint64_t first, uint64_t end, struct bk_report *why);
void bk_directory_release(struct bk_directory *d);
uint64_t bk_directory_held(const struct bk_directory *d); /* memory that it takes */
void bk_shard_entry_write(uint8_t out[BK_SHARD_ENTRY_BYTES], const struct bk_shard *s,
                          uint32_t numbers);

/* Returns the shard that holds a number of the unit.  Cost: a look-up and mostly one comparison. */
uint32_t bk_directory_find(const struct bk_directory *d, uint64_t number);

static inline size_t bk_shard_bytes(const struct bk_shard *s)
{
    return 8 * ((size_t)s->words[0] + s->words[1]);
}
/* Checksum of a shard's bytes; `shard` is its place in the directory. */
uint32_t bk_shard_sum(const void *bytes, size_t n, uint32_t shard);

/* == Keys, for those that ask and make shards ==
 * The key of a position with regard to a question; a cell's is that of BK_CELL_SQUARE. */
#define BK_CELL_SQUARE 0xff

static inline uint64_t bk_row_hash(uint64_t first)
{
    return bk_mix(first + UINT64_C(0x9e3779b97f4a7c15));
}

/* What the keys of a row's positions have in common: of the row and its shard alone, so it may be
   ready before the leaf is known. */
struct bk_row_hashes {
    uint64_t row, factor[2];
};

static inline struct bk_row_hashes bk_row_hashes(const struct bk_shard *s, uint64_t first)
{
    return (struct bk_row_hashes){ bk_row_hash(first),
                                   { bk_ribbon_factor(s->seed[0]), bk_ribbon_factor(s->seed[1]) } };
}

static inline uint64_t bk_question_key(uint64_t row_hash, uint32_t question, unsigned square)
{
    uint64_t x = row_hash + ((uint64_t)question << 8 | square) * UINT64_C(0xd1342543de82ef95);

    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Returns the key by which ribbon B is asked. */
static inline uint64_t bk_bit_key(uint64_t key) { return key << 32 | key >> 32; }

/* Returns the key by which ribbon A is asked for the next filter bit; for bit 0 that is the key
   itself.  For an exception it answers bit j of the key to filter bit j. */
#define BK_FILTER_STEP UINT64_C(0xf1357aea2e62a9c5)
static inline uint64_t bk_next_filter_key(uint64_t key) { return key * BK_FILTER_STEP; }

#define BK_FILTER_BATCH 4 /* bits looked at before asking whether all are right */

/* Does ribbon A answer the first `bits` filter bits of a key as for an exception? */
static inline bool bk_filter_passes(const struct bk_ribbon *a, uint64_t key, unsigned bits)
{
    uint64_t print = key;

    if (!bits || !a->words)
        return !bits;
    for (;; bits -= BK_FILTER_BATCH, print >>= BK_FILTER_BATCH) {
        unsigned wrong = 0;

        for (unsigned j = 0; j < BK_FILTER_BATCH; j++, key = bk_next_filter_key(key))
            wrong |= (unsigned)(bk_ribbon_bit(a, key) ^ (print >> j & 1)) << j;
        if (bits <= BK_FILTER_BATCH)
            return !(wrong & ((1u << bits) - 1));
        if (wrong)
            return false;
    }
}

/* Is a position whose filters let it pass an exception? */
static inline bool bk_bit_is_set(const struct bk_ribbon *b, uint64_t key)
{
    return b->words && bk_ribbon_bit(b, bk_bit_key(key));
}

/* == Answers ==
 * bytes: of the shard that holds the row, checked.  first: of the row.  Any answer is below
 * 2^bits; what it is for a free position means nothing. */

/* The value of the position with the inner man on `square`, which the tree brought to a leaf with
   this code. */
unsigned bk_model_value(const struct bk_model *m, const struct bk_shard *s, const uint8_t *bytes,
                        struct bk_row_hashes hashes, unsigned square, bk_code code);

/* The value that follows from this code if each question has its likely answer. */
unsigned bk_model_likely(const struct bk_model *m, bk_code code);

/* Prefetches what bk_model_value() will look at first. */
void bk_model_ahead(const struct bk_model *m, const struct bk_shard *s, const uint8_t *bytes,
                    struct bk_row_hashes hashes, unsigned square, bk_code code);

/*
 * A whole row: writes the planes of those squares that are in `care`, 0 elsewhere, and
 * out->care; out->least is empty.  row: set to the row by bk_fact_row_set().  words:
 * bk_facts_words(); bits: planes written.
 */
void bk_model_row(const struct bk_model *m, const struct bk_shard *s, const uint8_t *bytes,
                  uint64_t first, struct bk_fact_row *row, const uint64_t *care, unsigned words,
                  unsigned bits, struct bk_row_values *out);

#endif
