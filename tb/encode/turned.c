/*
 * turned.c - see turned.h.
 */
#include "tb/encode/turned.h"

#include <stdlib.h>
#include <string.h>

/* On larger boards nothing is turned: 2^20 positions are two kings and a man on 100 squares. */
#define POSITIONS_MAX (UINT64_C(1) << 20)
/* Lines lie far apart: the machine does not prefetch them by itself. */
#define LINES_AHEAD 12

static bool make_room(struct bk_turned *t, const struct bk_turning *of)
{
    uint64_t positions = (uint64_t)of->nslices * of->nsq;

    if (positions > POSITIONS_MAX)
        return false;
    if (positions <= t->room)
        return true;
    bk_turned_release(t);
    t->code = malloc(positions);
    t->bits = malloc((size_t)of->nslices * of->words * sizeof *t->bits);
    if (!t->code || !t->bits) {
        bk_turned_release(t);
        return false;
    }
    t->room = positions;
    return true;
}

static void turn(struct bk_turned *t, const struct bk_turning *of)
{
    for (uint32_t slice = 0; slice < of->nslices; slice++) {
        const uint8_t *from = of->code + slice * of->slice_stride;
        uint8_t *to = t->code + slice;

        if (slice + LINES_AHEAD < of->nslices)
            for (unsigned sq = 0; sq < of->nsq; sq += 64)
                __builtin_prefetch(from + LINES_AHEAD * of->slice_stride + sq);
        for (unsigned sq = 0; sq < of->nsq; sq++)
            to[(size_t)sq * of->nslices] = from[sq];
    }
    for (uint32_t slice = 0; of->attained && slice < of->nslices; slice++)
        memcpy(t->bits + (size_t)slice * of->words,
               of->attained + slice * of->bit_slice_stride / 64, of->words * sizeof *t->bits);
}

bool bk_turned_to(struct bk_turned *t, const struct bk_turning *of)
{
    if (t->of.code != of->code) {
        t->of = *of;
        t->there = false;
        return false;
    }
    if (!t->there && make_room(t, of)) {
        turn(t, of);
        t->of = *of;
        t->there = true;
    }
    return t->there;
}

void bk_turned_release(struct bk_turned *t)
{
    free(t->code);
    free(t->bits);
    *t = (struct bk_turned){ 0 };
}
