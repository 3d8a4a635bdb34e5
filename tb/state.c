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
            { &s->won[side], sets, NULL },
            { &s->und[side], sets, NULL },
            { &s->open[side], sets, NULL },
            { &s->fwin[side], sets, s->fwin_marks[side] },
            { &s->floss[side], sets, s->floss_marks[side] },
            { (void **)&s->fwin_marks[side], marks, NULL },
            { (void **)&s->floss_marks[side], marks, NULL },
            { (void **)&s->fwin_any[side], 1, NULL },
            { (void **)&s->floss_any[side], 1, NULL },
            { (void **)&s->todo_win[side], 1, NULL },
            { (void **)&s->todo_lose[side], 1, NULL },
            /* from here on only with distances */
            { (void **)&s->waits[side], s->pitch * sizeof(uint64_t), NULL },
            { (void **)&s->vector_waits[side], s->nvec * sizeof(uint64_t), NULL },
            { (void **)&s->slice_waits[side], sizeof(uint64_t), NULL },
            { (void **)&s->delay[side], s->nvec, NULL },
            { &s->dtw[side], (size_t)s->nconf * s->width * s->dtw_bytes, NULL },
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

bool bk_state_new(struct bk_solver *s, const struct bk_kernel *k)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, k, list);
    bool ok = true;

    for (unsigned i = 0; ok && i < n; i++)
        ok = (*list[i].at = bk_store_new(s->store, list[i].slice_bytes * s->nslices)) != NULL;
    return ok;
}

void bk_state_free(struct bk_solver *s)
{
    for (unsigned side = 0; side < 2; side++) {
        void **all[] = {
            &s->won[side], &s->und[side], &s->open[side], &s->fwin[side], &s->floss[side],
            &s->dtw[side],
            (void **)&s->fwin_marks[side], (void **)&s->floss_marks[side],
            (void **)&s->fwin_any[side], (void **)&s->floss_any[side],
            (void **)&s->todo_win[side], (void **)&s->todo_lose[side],
            (void **)&s->waits[side], (void **)&s->vector_waits[side],
            (void **)&s->slice_waits[side], (void **)&s->delay[side],
        };

        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
            bk_store_free(*all[i]);
            *all[i] = NULL;
        }
    }
}
