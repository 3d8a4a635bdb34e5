/*
 * state.c - see state.h.
 */
#include "tb/state.h"

unsigned bk_state_list(struct bk_solver *s, const struct bk_kernel *k,
                       struct bk_array list[BK_STATE_MAX])
{
    size_t sets = s->pitch * k->set_bytes, marks = s->nmarks * sizeof(uint64_t);
    unsigned n = 0;

    for (unsigned side = 0; side < 2; side++) {
        const struct bk_array all[] = {
            { &s->won[side], sets, NULL, true },
            { &s->und[side], sets, NULL, true },
            { &s->open[side], sets, NULL, true },
            { &s->fwin[side], sets, s->fwin_marks[side], true },
            { &s->floss[side], sets, s->floss_marks[side], true },
            { (void **)&s->fwin_marks[side], marks, NULL, false },
            { (void **)&s->floss_marks[side], marks, NULL, false },
            { (void **)&s->fwin_any[side], 1, NULL, false },
            { (void **)&s->floss_any[side], 1, NULL, false },
            { (void **)&s->todo_win[side], 1, NULL, false },
            { (void **)&s->todo_lose[side], 1, NULL, false },
            /* from here on only with distances */
            { (void **)&s->waits[side], s->pitch * sizeof(uint64_t), NULL, false },
            { (void **)&s->vector_waits[side], s->nvec * sizeof(uint64_t), NULL, false },
            { (void **)&s->slice_waits[side], sizeof(uint64_t), NULL, false },
            { (void **)&s->delay[side], s->nvec, NULL, false },
            { &s->dtw[side], (size_t)s->nconf * s->width * s->dtw_bytes, NULL, false },
        };
        unsigned used = s->distances ? sizeof all / sizeof all[0] : 11;

        for (unsigned i = 0; i < used; i++)
            list[n++] = all[i];
    }
    return n;
}

uint64_t bk_state_bytes(struct bk_solver *s, const struct bk_kernel *k)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, k, list);
    uint64_t bytes = 0;

    for (unsigned i = 0; i < n; i++)
        bytes += list[i].slice_bytes;
    return bytes * s->nslices;
}

/* A spare one if it fits, else a new one. */
static void *new_sets(struct bk_store *store, size_t bytes, struct bk_spares *spares)
{
    if (spares && spares->n && spares->bytes == bytes)
        return spares->sets[--spares->n];
    return bk_store_new(store, bytes);
}

bool bk_state_new(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, k, list);
    bool ok = true;

    for (unsigned i = 0; ok && i < n; i++)
        ok = (*list[i].at = new_sets(s->store, list[i].slice_bytes * s->nslices,
                                     list[i].sets ? spares : NULL)) != NULL;
    return ok;
}

/* Spares are all of one size: those of another go. */
static void keep(struct bk_spares *spares, void *sets, size_t bytes)
{
    if (spares->bytes != bytes)
        bk_spares_free(spares);
    spares->bytes = bytes;
    if (spares->n == BK_SPARES_MAX)
        bk_store_free(sets);
    else if (sets)
        spares->sets[spares->n++] = sets;
}

void bk_state_free(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, k, list);

    for (unsigned i = 0; i < n; i++) {
        if (spares && list[i].sets)
            keep(spares, *list[i].at, list[i].slice_bytes * s->nslices);
        else
            bk_store_free(*list[i].at);
        *list[i].at = NULL;
    }
}

void bk_spares_free(struct bk_spares *spares)
{
    while (spares->n)
        bk_store_free(spares->sets[--spares->n]);
}
