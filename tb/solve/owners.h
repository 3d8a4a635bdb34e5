/*
 * owners.h - which of several processes (ranks) owns which pairs of kings.
 *
 * Invariants
 *   - The owner of a pair follows from the game and the number of ranks alone:
 *     every machine finds the same, in whole numbers.
 *   - It is the same for all images of a pair under the symmetries of the
 *     board, so that a slice of a table with pawns and that of the pawnless
 *     table it promotes into belong to one rank.
 *   - Ranks own equally many classes of pairs, to some percent: as many slices
 *     of a pawnless table.
 *   - Kings go from class to class; as few of their moves as can be found with
 *     little work lead to another rank.
 *   - Of a table that others move into, a rank reads the images of its own pairs
 *     and of those to which the mover's king goes from them.  That, too, follows
 *     from the game and the number of ranks alone.
 */
#ifndef BK_OWNERS_H
#define BK_OWNERS_H

#include "core/variant.h"
#include "tb/memory/ranks.h"

struct bk_owners {
    unsigned ranks, nsq;
    uint8_t *of;      /* owned; by white king's square * nsq + black king's */
    uint32_t classes; /* number of classes of pairs */
    /* [side][exchanged], by pair: the ranks, a bit each, that read a table into which they move,
       with `side` to move then; it keeps the colours of what is solved (0) or exchanges them (1).
       Owned. */
    uint64_t *readers[2][2];
};

/* How the tables still to be solved, among them the table itself, move into a table: [side to move
   then][its colours are exchanged]. */
struct bk_reading {
    bool by[2][2];
};

/*
 * ranks  1 to BK_PROCESSES_MAX
 * Returns BK_OK or BK_E_SYSTEM (memory).  Cost: some ms on 8x8, a second on 14x14.
 */
enum bk_err bk_owners_new(struct bk_owners *out, const struct bk_variant *v, unsigned ranks,
                          struct bk_report *why);
void bk_owners_free(struct bk_owners *o); /* zeroed is fine */

static inline unsigned bk_owner_of(const struct bk_owners *o, unsigned white, unsigned black)
{
    return o->of[(size_t)white * o->nsq + black];
}

/* Returns the ranks, a bit each, that read what `side` to move is worth in a table with its kings
   on these squares. */
uint64_t bk_owners_readers(const struct bk_owners *o, const struct bk_reading *r, unsigned side,
                           unsigned white, unsigned black);

#endif
