/*
 * memo.c - see memo.h.
 */
#include "table/memo.h"

#include <stddef.h>

/* Returns the memo's entry for a position, cleared if another had it. */
static struct bk_known *known_of(struct bk_memo *m, const void *file, uint64_t place)
{
    uint64_t h = (place ^ (uintptr_t)file << 20) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned at = h >> 32 & (BK_MEMO_PLACES - 1);
    uint64_t *used = &m->used[at / 64], bit = UINT64_C(1) << at % 64;
    struct bk_known *k = &m->known[at];

    if (!(*used & bit) || k->file != file || k->place != place)
        *k = (struct bk_known){
            .file = file, .place = place, .least = -2, .most = 2, .soonest = 0, .latest = BK_ENDLESS
        };
    *used |= bit;
    return k;
}

bool bk_memo_wdl(struct bk_memo *m, const void *file, uint64_t place, int enough, int *wdl)
{
    const struct bk_known *k = known_of(m, file, place);

    *wdl = (int)k->least;
    return k->least >= enough || k->least == k->most;
}

void bk_memo_note_wdl(struct bk_memo *m, const void *file, uint64_t place, int enough, int wdl)
{
    struct bk_known *k = known_of(m, file, place);

    if (wdl > k->least)
        k->least = (int8_t)wdl;
    if (wdl < enough) /* it is the value */
        k->least = k->most = (int8_t)wdl;
}

bool bk_memo_plies(struct bk_memo *m, const void *file, uint64_t place, struct bk_window w,
                   int *plies)
{
    const struct bk_known *k = known_of(m, file, place);

    *plies = k->latest <= w.low ? k->latest : k->soonest;
    return k->latest <= w.low || k->soonest >= w.high || k->soonest == k->latest;
}

void bk_memo_note_plies(struct bk_memo *m, const void *file, uint64_t place, struct bk_window w,
                        int plies)
{
    struct bk_known *k = known_of(m, file, place);

    if (plies < w.high && plies < k->latest)
        k->latest = plies;
    if (plies > w.low)
        k->soonest = plies < w.high ? plies : w.high > k->soonest ? w.high : k->soonest;
}
