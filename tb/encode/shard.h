/*
 * shard.h - makes a shard from the questions of its rows.
 *
 *   A   the filters: keys of the exceptions, cells and positions (table/settle.h asks them first)
 *   B   a bit for each position that passes them: is it an exception?
 *
 * A is solved first: only then is it known which other keys its filters let pass.
 */
#ifndef BK_SHARD_H
#define BK_SHARD_H

#include "tb/encode/filter.h"
#include "tb/encode/questions.h"
#include "tb/encode/ribbons.h"

/* A row, and where its questions end. */
struct bk_asked_row {
    uint64_t first;
    uint32_t n;
    uint32_t keys[2];           /* of ribbons A, B, as bk_asked.keys */
    size_t end[BK_ASKED_LISTS]; /* in the lists of `asked` */
};

/* Consecutive rows with their questions. */
struct bk_asked_rows {
    struct bk_asked_row *row; /* owned */
    size_t rows, room;
    struct bk_asked asked;
    struct bk_spill *spill; /* where all arrays are, in one piece; NULL: in memory */
};

/* Appends a row without questions.  False: no memory. */
bool bk_asked_add_row(struct bk_asked_rows *l, uint64_t first, uint32_t n);
/* Gives the questions that were appended since to the last row. */
void bk_asked_by_row(struct bk_asked_rows *l);
/* Empties the list; its memory stays. */
void bk_asked_rows_clear(struct bk_asked_rows *l);
/* Moves a list that will only be read to a spill.  Without room there it stays where it is. */
void bk_asked_put_away(struct bk_asked_rows *l, struct bk_spill *spill);
void bk_asked_rows_release(struct bk_asked_rows *l);

/* Negative keys: of cells and positions without exceptions, queued so that the filters are tested
   BK_NEGATIVES at a time. */
#define BK_NEGATIVES 256
struct bk_negative_cells {
    size_t n;
    uint64_t key[BK_NEGATIVES + BK_FILTER_PAST];
    uint8_t bits[BK_NEGATIVES + BK_FILTER_PAST];
    uint64_t hash[BK_NEGATIVES];         /* of the row */
    const uint64_t *asked[BK_NEGATIVES]; /* the question, in its list */
};
struct bk_negatives {
    size_t n;
    uint64_t key[BK_NEGATIVES + 64 + BK_FILTER_PAST];
    uint8_t bits[BK_NEGATIVES + 64 + BK_FILTER_PAST];
};

/* A thread's scratch. */
struct bk_shard_room {
    struct bk_key_list {
        struct bk_ribbon_key *key;
        size_t n, room;
    } keys[2];
    struct bk_negative_cells cells;
    struct bk_negatives positions;
    struct bk_ribbon_room ribbon;
};
void bk_shard_room_release(struct bk_shard_room *room);

struct bk_made_shard {
    struct bk_shard entry;
    uint8_t *bytes; /* owned */
};

/* Makes the shard of `rows` rows, from row `row` of the first list on and through the lists after
   it.  spare: of its ribbons (ribbons.h).  False: no memory, or no ribbon holds its keys. */
bool bk_shard_make(struct bk_made_shard *out, const struct bk_asked_rows *list, size_t row,
                   size_t rows, unsigned words, unsigned spare, struct bk_shard_room *room);

#endif
