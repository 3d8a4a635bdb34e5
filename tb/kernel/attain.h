/*
 * attain.h - which positions are worth what their best exit is worth.
 *
 * An *exit* (a conversion) is a way out of the block that changes the material: a capture, a
 * change, a move that ends a castling right.  A file need not keep the value
 * of a position whose best exit attains it, since a prober looks at the exits
 * anyway:
 *   wdl        won, and an exit wins; drawn, and an exit draws
 *   distances  won, and an exit wins as soon
 * A lost position is never attained: there is nothing below a loss.
 * To zeroing there are five results, and exits that do not zero count for nothing: whether such a
 * win is cursed depends on more than the result of what it leads to.
 *
 * With distances, where all exits lead to another material (bk_setup.exits_once), all of that is
 * found while the block is solved, and finish() writes it:
 *   an exit wins        BK_EXIT_WINS, set by init()
 *   an exit draws       drawn, and not in BK_OPEN
 *   an exit wins as soon  a position that has waited for its exit's ply, and is undecided still
 *                       when it comes, is won by the exit: the stored number gets a mark (ply.h)
 * That is KNPvKB's solving 6 % and KRNvKR's 20 % quicker, for one set a side and configuration.
 *
 * Elsewhere, when a block is solved its exits are valued once more, as init() did, but for
 * the positions that are not lost; the tables they lead to are still there.  That costs less than
 * init().
 *
 * The results overwrite the frontiers, which are no longer needed: BK_LOSSES has
 * those for wdl, BK_WINS those for distances.
 */
#ifndef BK_KERNEL_ATTAIN_H
#define BK_KERNEL_ATTAIN_H

#include "tb/kernel/finish.h"
#include "tb/kernel/init.h"

/* Returns the won positions of x, in a configuration with these codes, that their best exit wins as
   soon. */
static set as_soon(const struct bk_setup *s, const void *codes, set x, const int16_t *score)
{
    const uint16_t *code16 = codes;
    set soon = NONE;

    if (s->dtw_bytes == 1)
        return won_as_soon(codes, s->width, x, score, BK_SCORE_WIN + (BK_CODE_WIN << s->shift),
                           s->shift);
    EACH (sq, x)
        if (code16[sq] == BK_CODE_WIN + ((unsigned)(BK_SCORE_WIN - score[sq]) >> s->shift))
            soon |= bit(sq);
    return soon;
}

/*
 * To zeroing: returns the positions of a configuration, with these codes, whose best exit has their
 * result, of five: but for sure losses, below which there is nothing.
 */
static set same_result(const struct bk_setup *s, const void *codes, struct finished *f,
                       const int16_t *score)
{
    int16_t late = (int16_t)(BK_SCORE_WIN - (int)s->nmove - 1); /* the best of cursed wins */
    struct by_score way = sort_scores(score, s->width, (int16_t)(-late - 1), late);

    f->late = late_by_codes(s, codes, f->wins, f->losses);
    return (way.soon & f->wins & ~f->late) | (way.winning & f->wins & f->late) |
           (way.saving & f->draw) | (way.any & f->losses & f->late);
}

/* Writes what exits attain of a slice with `side` to move. */
static void attain_side(struct scratch *w, const struct bk_state *st, unsigned side)
{
    const struct bk_setup *s = w->ctx.s;
    uint32_t slice = w->ctx.slice;
    const set *won = (const set *)sets_of(st, BK_WON, side, slice);
    const set *und = (const set *)sets_of(st, BK_UNDECIDED, side, slice);
    set *by_wdl = (set *)sets_of(st, BK_LOSSES, side, slice);
    set *by_plies = (set *)sets_of(st, BK_WINS, side, slice);
    set *saved = by_plies; /* lent until by_plies is made: positions won or drawn */
    bool any_exit = false;

    memset(by_wdl, 0, s->pitch * sizeof *by_wdl);
    memset(by_plies, 0, s->pitch * sizeof *by_plies);
    if (!w->ctx.void_slice) {
        for (uint32_t conf = 0; conf < s->nconf; conf++)
            saved[conf] = is_spare(s, conf) ? NONE
                          : s->nmove        ? ~(won[conf] & und[conf])
                                            : won[conf] ^ und[conf];
        any_exit = offer_exits(w, side, saved, true);
    }
    for (uint32_t conf = 0; conf < s->nconf; conf++) {
        const int16_t *best = w->best + (size_t)conf * s->width;
        set wins = won[conf] & ~und[conf];
        struct by_score way;

        by_plies[conf] = NONE;
        if (is_spare(s, conf)) {
            by_wdl[conf] = by_wdl[s->conf.sorted[conf]];
            by_plies[conf] = by_plies[s->conf.sorted[conf]];
            continue;
        }
        if (!any_exit || !w->touched[conf])
            continue;
        way = sort_scores(best, s->width, BK_SCORE_NONE, 0);
        if (s->nmove)
            by_wdl[conf] = same_result(s, dtw_of(s, st, side, slice, conf),
                                       &(struct finished){ .wins = wins,
                                                           .losses = ~(won[conf] | und[conf]),
                                                           .draw = und[conf] & ~won[conf] },
                                       best);
        else
            by_wdl[conf] = (way.winning & wins) | (way.saving & und[conf] & ~won[conf]);
        if (s->distances)
            by_plies[conf] = as_soon(s, dtw_of(s, st, side, slice, conf), way.winning & wins, best);
    }
}

/* BK_WON and BK_UNDECIDED as finish() leaves them: illegal positions are in both. */
static void attain(struct bk_solver *b, uint32_t slice, void *scratch)
{
    struct scratch *w = enter(b, slice, scratch);

    for (unsigned side = 0; side < 2; side++)
        attain_side(w, &b->state, side);
}

#endif
