/*
 * state.c - see state.h.
 */
#include "tb/kernel/state.h"

#include <string.h>

unsigned bk_state_list(struct bk_solver *s, const struct bk_kernel *k,
                       struct bk_array list[BK_STATE_MAX])
{
    size_t sets = s->pitch * k->set_bytes, marks = s->nmarks * sizeof(uint64_t);
    unsigned n = 0;

    for (unsigned side = 0; side < 2; side++) {
        const struct bk_array all[] = {
            { &s->won[side], sets, true, !s->distances },
            { &s->und[side], sets, true, !s->distances },
            { &s->open[side], s->compact ? 0 : sets, true, false },
            { &s->fwin[side], sets, true, s->attains && s->distances },
            { &s->floss[side], sets, true, s->attains },
            { (void **)&s->fwin_marks[side], marks, false, false },
            { (void **)&s->floss_marks[side], marks, false, false },
            { (void **)&s->fwin_any[side], 1, false, false },
            { (void **)&s->floss_any[side], 1, false, false },
            { (void **)&s->todo_win[side], 1, false, false },
            { (void **)&s->todo_lose[side], 1, false, false },
            /* from here on only with distances */
            { (void **)&s->waits[side], s->pitch * sizeof(uint64_t), false, false },
            { (void **)&s->vector_waits[side], s->nvec * sizeof(uint64_t), false, false },
            { (void **)&s->slice_waits[side], sizeof(uint64_t), false, false },
            { (void **)&s->delay[side], s->nvec, false, false },
            { &s->dtw[side], (size_t)s->nconf * s->width * s->dtw_bytes, false, true },
        };
        unsigned used = s->distances ? sizeof all / sizeof all[0] : 11;

        for (unsigned i = 0; i < used; i++)
            if (all[i].slice_bytes)
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

/* On whole vectors. */
static size_t array_bytes(const struct bk_solver *s, const struct bk_array *a)
{
    return (a->slice_bytes * s->nslices + 63) & ~(size_t)63;
}

static size_t piece_bytes(const struct bk_solver *s, const struct bk_array *list, unsigned n)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < n; i++)
        if (!list[i].stays)
            bytes += array_bytes(s, &list[i]);
    return bytes;
}

bool bk_state_new(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, k, list);
    size_t bytes = piece_bytes(s, list, n);
    bool used = spares && spares->n && spares->bytes == bytes;
    char *at;

    if (spares && spares->bytes != bytes) /* no room for what cannot be used */
        bk_spares_free(spares);
    at = s->piece = used ? spares->piece[--spares->n] : bk_spill_new(s->store, bytes);

    for (unsigned i = 0; at && i < n; i++) {
        size_t own = array_bytes(s, &list[i]);

        if (list[i].stays) {
            *list[i].at = bk_spill_new(s->store, own);
            if (!*list[i].at)
                return false;
            continue;
        }
        *list[i].at = at;
        at += own;
        if (used && !list[i].sets)
            memset(*list[i].at, 0, own);
    }
    return at != NULL;
}

/* Spares are all of one size: those of another go. */
static void keep(struct bk_spares *spares, void *piece, size_t bytes)
{
    if (spares->bytes != bytes)
        bk_spares_free(spares);
    spares->bytes = bytes;
    if (spares->n == BK_SPARES_MAX)
        bk_spill_free(piece);
    else if (piece)
        spares->piece[spares->n++] = piece;
}

void bk_state_free(struct bk_solver *s, const struct bk_kernel *k, struct bk_spares *spares)
{
    struct bk_array list[BK_STATE_MAX];
    unsigned n = bk_state_list(s, k, list);

    for (unsigned i = 0; i < n; i++) {
        if (list[i].stays)
            bk_spill_free(*list[i].at);
        *list[i].at = NULL;
    }
    if (spares)
        keep(spares, s->piece, piece_bytes(s, list, n));
    else
        bk_spill_free(s->piece);
    s->piece = NULL;
}

void bk_spares_free(struct bk_spares *spares)
{
    while (spares->n)
        bk_spill_free(spares->piece[--spares->n]);
}
