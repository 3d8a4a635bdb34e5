/*
 * whole.c - see whole.h.
 */
#include "study/whole.h"

#include <stdlib.h>
#include <string.h>

#include "tb/whole.h"

struct study_whole {
    const struct bk_variant *v;
    struct bk_whole *solved;
    struct bk_hands_pos army;
    bool opening;
};

enum bk_err study_whole_new(struct study_whole **out, const struct bk_variant *v,
                            const struct bk_hands_pos *army, struct bk_pool *pool, uint64_t memory,
                            const volatile int *stop, struct bk_report *why)
{
    struct bk_whole_options o = {
        .pool = pool, .memory_limit = memory, .opening = true, .bonus_cap = 1, .stop = stop
    };
    struct study_whole *w = calloc(1, sizeof *w);
    enum bk_err err;

    if (!w)
        return bk_no_memory(why);
    w->v = v;
    w->army = *army;
    w->opening = true;
    err = bk_whole_new(&w->solved, v, army, &o, why);
    if (err == BK_E_USAGE && !bk_hands_opening(army, v)) {
        w->opening = o.opening = false;
        err = bk_whole_new(&w->solved, v, army, &o, why);
    }
    if (err)
        free(w);
    else
        *out = w;
    return err;
}

void study_whole_free(struct study_whole *w)
{
    if (!w)
        return;
    bk_whole_free(w->solved);
    free(w);
}

bool study_whole_knows(const struct study_whole *w, const struct bk_variant *v,
                       const struct bk_hands_pos *p)
{
    return w && w->v == v && bk_hands_same_army(&w->army, p, v) && !p->rights &&
           (w->opening || !bk_hands_opening(p, v));
}

uint64_t study_whole_bytes(const struct study_whole *w) { return bk_whole_bytes(w->solved); }

bool study_whole_value(struct study_whole *w, const struct bk_hands_pos *p, int *wdl, int *plies)
{
    struct bk_whole_value least, most;
    bool exact = bk_whole_value(w->solved, p, &least, &most);

    *wdl = least.wdl;
    *plies = least.wdl ? (int)least.plies : -1;
    return exact;
}
