/*
 * foretell.h - what encoding a table will take in memory and send, how long it will take, and which
 * process encodes what: estimated before the values are known.
 */
#ifndef BK_FORETELL_H
#define BK_FORETELL_H

#include "table/format.h"
#include "tb/encode/unit.h"
#include "tb/encode/work.h"
#include "tb/memory/meter.h"

struct bk_encode_options {
    bool distances;  /* a .bkd, too */
    bool counts;     /* .bk5 and .bkz: the n-move rule's */
    bool no_results; /* distances alone: the results are there */
    bool standalone; /* files that answer alone: larger */
    enum bk_effort effort;
    uint64_t memory_bytes; /* that may be used to be quicker; files do not depend on it */
    /* Bytes that the columns of units sampled together may take, as bk_encode_estimate() says.  0:
       bk_columns_together() chooses. */
    uint64_t together_bytes;
    uint64_t room_bytes;    /* that encoding large units may take in all; 0: no limit */
    uint64_t file_bytes[2]; /* of the files, guessed, by kind: for how long it takes */
    struct bk_meter *meter; /* told how far encoding is; NULL is fine */
};

/* What is known of a unit beforehand (work.h), and how many seconds encoding a whole table takes
   one core; for the effort and the file_bytes of `o`. */
struct bk_unit_known bk_encode_known_of(const struct bk_index *ix, const struct bk_unit_place *p,
                                        bool distances, const struct bk_encode_options *o);
double bk_encode_work(const struct bk_index *ix, const struct bk_encode_options *o);

/* == A random sample ==
 * Some positions of a unit are drawn evenly, and of each is found: is it legal, has it exits
 * (conversions), does one of them win?  Values that an exit settles are in no file.
 */

struct bk_drawn {
    unsigned n;            /* positions */
    unsigned legal, exits; /* of them */
    unsigned wins, ends;   /* won by an exit for certain; of them, by one that ends the game */
};

/* Draws n positions of the unit.  Cost: about 1 us each; where a king alone has not lost yet, some
   0.3 ms more for each type of men. */
void bk_draw_positions(struct bk_drawn *out, const struct bk_index *ix,
                       const struct bk_unit_place *place, unsigned n);

/* Which side is to move: the one that wins more (White, in the names of materials), the other, or
   either of two with the same men. */
enum bk_mover { BK_WINS_MORE, BK_WINS_LESS, BK_WINS_EVEN };

/* Return how many of 100 positions will have a stored result, or a stored distance. */
unsigned bk_drawn_results(const struct bk_drawn *d, enum bk_mover mover);
/* For files that answer without others: all results are stored. */
unsigned bk_drawn_results_alone(const struct bk_drawn *d);
unsigned bk_drawn_distances(const struct bk_drawn *d, enum bk_mover mover);

/* Draws positions of each unit of a table.  Owned by the caller.  NULL: no memory.  Cost: 2 to 4 ms
   a unit. */
struct bk_drawn *bk_encode_draw(const struct bk_index *ix);

/* == Memory, and bytes that are sent == */

/*
 * About how many bytes encoding takes at its worst, besides the codes and what each thread has for
 * itself (some 8 MiB).
 */
struct bk_encode_needs {
    uint64_t peak;
    uint64_t own;            /* the part of it that no spill holds */
    uint64_t together, room; /* limits under which the peak holds: together_bytes, room_bytes */
};

/*
 * some           of several processes, which are asked about: the answer is of the one that takes
 *                most.  The first of all learns large units, from rows that the others send, and
 *                their shards come to it.
 * drawn          positions of its units: bk_encode_draw()
 * file_bytes     the expected sizes of the files, by kind: for shards that are sent
 * beside_bytes   what is there all the while: the process, tables, codes
 * solving_bytes  the peak while the table was solved
 */
struct bk_encode_question {
    const struct bk_index *ix;
    const struct bk_encode_options *options;
    unsigned threads;
    struct bk_some_ranks some;
    const struct bk_drawn *drawn;
    uint64_t file_bytes[2];
    uint64_t beside_bytes, solving_bytes;
};
enum bk_err bk_encode_estimate(struct bk_encode_needs *out, const struct bk_encode_question *q,
                               struct bk_report *why);

/* About how many bytes all processes send each other while they encode: rows that are learned from,
   with what is made of them, and shards.  Of q->some only `ranks` matters; `drawn` does not. */
enum bk_err bk_encode_traffic(uint64_t *rows, uint64_t *shards, const struct bk_encode_question *q,
                              struct bk_report *why);

/* == Of several processes == */

/* Returns the largest part of the nth unit of a table that one of these processes encodes, as a
   share of all of its numbers and sides to move. */
double bk_encode_share(const struct bk_index *ix, unsigned nth, const struct bk_unit_place *p,
                       struct bk_some_ranks some);

/* The units of a table, and how many processes (memory/ranks.h) encode it. */
struct bk_encode_places {
    const struct bk_index *ix;
    const struct bk_unit_place *place; /* bk_units_of() */
    bool one_side;
    unsigned ranks;
};
/* Returns the processes that encode the values of a slice of a block with `side` to move, a bit
   each; all bits: any process may read them. */
uint64_t bk_encode_readers(const struct bk_encode_places *e, uint32_t block, uint32_t slice,
                           unsigned side);

/* == What encode.c does, and estimates have to know == */

/* A unit of so many numbers is *large*: all threads encode it together. */
#define BK_LARGE_UNIT (UINT64_C(1) << 23)

/* Units of the same numbers are sampled together, as long as their columns take no more bytes. */
#define BK_TOGETHER_BYTES (UINT64_C(768) << 20)
static inline uint64_t bk_columns_together(const struct bk_encode_options *o)
{
    if (o->together_bytes)
        return o->together_bytes;
    return o->memory_bytes > BK_TOGETHER_BYTES ? o->memory_bytes : BK_TOGETHER_BYTES;
}

/* Words of a row that is sent: its first number, care, least and planes. */
static inline size_t bk_row_words_sent(unsigned words, unsigned bits)
{
    return 1 + words * (2 + (size_t)bits);
}

/* Returns the bits of a hash table's index for n fetched rows: at least half of it is empty. */
static inline unsigned bk_fetched_bits(uint64_t n)
{
    unsigned bits = 1;

    while (UINT64_C(1) << bits < 2 * n)
        bits++;
    return bits;
}

#endif
