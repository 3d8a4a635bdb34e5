/*
 * memo.h - a small transposition table for one question: a direct-mapped cache of value bounds.
 *
 * In games whose men evolve most positions have exits (conversions), and most of those exits again;
 * so one question reaches the same position in many ways.  A new position overwrites the old one in
 * its entry.
 *
 * Stack: 5 KB.  It costs nothing until it is used.
 */
#ifndef BK_MEMO_H
#define BK_MEMO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a caller wants to know of a distance: its value if it lies between `low` and `high`, else
 * only on which side.  A distance of `low` or less may be answered by any number from itself to
 * `low`; one of `high` or more, by any from `high` up.
 */
struct bk_window {
    int low, high;
};

#define BK_ENDLESS (1 << 20) /* more than any number of plies */

#define BK_MEMO_PLACES 128 /* a power of two */

/* Bounds of a position's value. */
struct bk_known {
    const void *file;
    uint64_t place;      /* in the file: number and side */
    int8_t least, most;  /* by the n-move rule from -2 to 2 */
    int soonest, latest; /* bounds of its plies */
};

struct bk_memo {
    uint64_t used[BK_MEMO_PLACES / 64]; /* by entry, a bit: is known[] set? */
    struct bk_known known[BK_MEMO_PLACES];
};

static inline void bk_memo_begin(struct bk_memo *m)
{
    for (unsigned i = 0; i < BK_MEMO_PLACES / 64; i++)
        m->used[i] = 0;
}

/* Does the memo know whether a position is as good as `enough`?  *wdl: as of bk_settle_least(). */
bool bk_memo_wdl(struct bk_memo *m, const void *file, uint64_t place, int enough, int *wdl);
void bk_memo_note_wdl(struct bk_memo *m, const void *file, uint64_t place, int enough, int wdl);

/* Does the memo know a position's plies as far as `w` asks?  *plies: as of bk_settle_plies(). */
bool bk_memo_plies(struct bk_memo *m, const void *file, uint64_t place, struct bk_window w,
                   int *plies);
void bk_memo_note_plies(struct bk_memo *m, const void *file, uint64_t place, struct bk_window w,
                        int plies);

#endif
