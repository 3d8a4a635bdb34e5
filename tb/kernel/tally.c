/*
 * tally.c - see tally.h.
 */
#include "tb/kernel/tally.h"

#include <string.h>

static void longer(struct bk_longest *into, const struct bk_longest *from)
{
    if (from->plies >= 0 && bk_longest_before(from, into))
        *into = *from;
}

void bk_tally_init(struct bk_tally *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned side = 0; side < 2; side++)
        t->longest_win[side].plies = t->longest_loss[side].plies = -1;
}

void bk_tally_add(struct bk_tally *into, const struct bk_tally *from)
{
    for (unsigned side = 0; side < 2; side++) {
        into->win[side] += from->win[side];
        into->draw[side] += from->draw[side];
        into->loss[side] += from->loss[side];
        into->all_win[side] += from->all_win[side];
        into->all_draw[side] += from->all_draw[side];
        into->all_loss[side] += from->all_loss[side];
        into->cursed[side] += from->cursed[side];
        into->blessed[side] += from->blessed[side];
        into->all_cursed[side] += from->all_cursed[side];
        into->all_blessed[side] += from->all_blessed[side];
        longer(&into->longest_win[side], &from->longest_win[side]);
        longer(&into->longest_loss[side], &from->longest_loss[side]);
    }
}
