/*
 * foresee.c - see foresee.h.
 *
 * Three ways to look at a position, by what is wanted of it:
 *
 *      BOTH   what it is worth, and its distance
 *      LOSS   whether it is lost, and if so its distance: an exit of a won one
 *      WON    its distance, as it is won: a reply in a lost one
 *
 * Each asks settle.h first, which knows by bounds when enough is known; what it could not say is
 * touched.
 *
 * A model's guess costs nothing, and is nearly always right about a loss that no exit may turn (3
 * of 108 lost positions of five men were taken for something else).  So the distance of a position
 * that is likely not won is left for the next round, and the replies of one that is likely lost are
 * looked at before the loss is certain.  In the next round the distances of these replies are
 * there, and it is known which of their exits are lost; then only replies are wanted that may hold
 * out longer than the longest known.
 */
#include "table/foresee.h"

#include <stdlib.h>

#include "core/attack.h"
#include "core/end.h"

#define DEPTH     6    /* moves: further ones wait for the next round */
#define POSITIONS 4096 /* at most, that one question looks at */

enum wanted { BOTH, LOSS, WON };

struct foreseeing {
    const struct bk_tables *t;
    bool distances;
    bool guessing; /* the position is not yet known to be lost: look no further than its replies */
    unsigned left; /* positions that may still be looked at */
};

/* What is wanted of a position; wins in `low` plies or less are of no use. */
struct look {
    enum wanted wanted;
    int low;
    unsigned depth;
};

static void look(struct foreseeing *s, const struct bk_pos *p, struct look how);

/* Touches what a file needs to answer `p`; if `model`, its model alone.  Also touches twins: of
   several numbers settling takes the one that is turned as the position before was. */
static void touch(const struct bk_table *t, struct bk_file *f, const struct bk_pos *p, bool model)
{
    struct bk_placement twin;
    struct bk_spot spot;
    unsigned value;

    if (!f || bk_spot_of(&spot, t, f, p, NULL))
        return;
    if (model) {
        bk_file_model(f, spot.side, spot.number, NULL);
        return;
    }
    bk_file_value(f, spot.side, spot.number, &spot.at, &value, NULL);
    for (unsigned i = 0; bk_index_twin(bk_file_index(f), spot.number, &spot.at, i, &twin); i++)
        bk_file_value(f, spot.side, bk_index_rank(bk_file_index(f), &twin), &twin, &value, NULL);
}

/* Plays a move; false: it was not legal. */
static bool play(const struct foreseeing *s, struct bk_pos *after, const struct bk_pos *p,
                 const struct bk_move *m)
{
    *after = *p;
    bk_pos_play(after, s->t->v, m);
    return bk_pos_legal(s->t->v, after);
}

static void look_at_exits(struct foreseeing *s, const struct bk_pos *p, struct look how)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move); /* little stack: bareking.h */
    struct bk_pos after;
    unsigned n = move ? bk_moves_exits(s->t->v, p, move) : 0;

    for (unsigned i = 0; i < n; i++)
        if (play(s, &after, p, &move[i]))
            look(s, &after, how);
    free(move);
}

static bool is_needed_for(const struct foreseeing *s, const struct bk_pos *won, int low, int *plies)
{
    struct bk_window w = { low, BK_ENDLESS };

    return bk_settle_plies(s->t, won, 1, w, plies, NULL) == BK_E_NEEDS_BYTES;
}

/* Looks at all positions that a lost one leads to, those without exits first: the longest of these
   may spare the exits of the others. */
static void look_at_replies(struct foreseeing *s, const struct bk_pos *p, unsigned depth)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    struct look how = { .wanted = WON, .low = -1, .depth = depth + 1 };
    struct bk_pos after;
    unsigned n = move ? bk_moves_legal(s->t->v, p, move) : 0;
    int plies;

    for (int exits = 0; exits < 2; exits++)
        for (unsigned i = 0; i < n; i++) {
            play(s, &after, p, &move[i]);
            if (bk_exits_may_be(s->t->v, &after) != exits)
                continue;
            look(s, &after, how);
            if (!exits && !is_needed_for(s, &after, -1, &plies) && plies > how.low)
                how.low = plies;
        }
    free(move);
}

/* Touches the model of the replies' distances, by one quiet reply: `p` may be lost. */
static void touch_replies(const struct foreseeing *s, const struct bk_pos *p)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    const struct bk_table *table;
    struct bk_pos after;
    unsigned n = move ? bk_moves_legal(s->t->v, p, move) : 0, i = 0;

    while (i < n && (move[i].takes != BK_SQ_NONE || move[i].becomes != BK_STAYS))
        i++;
    if (i < n) {
        play(s, &after, p, &move[i]);
        if (!s->t->find(s->t->context, &after, &table, NULL))
            touch(table, table->dtw, &after, true);
    }
    free(move);
}

#define UNTOLD 2

/* Returns the wdl that the model takes for likely: -1, 0, +1; UNTOLD: the model is not there. */
static int likely(const struct bk_table *t, const struct bk_pos *p)
{
    struct bk_spot spot;
    unsigned value;

    if (bk_spot_of(&spot, t, t->wdl, p, NULL) ||
        bk_file_likely(t->wdl, spot.side, spot.number, &spot.at, &value, NULL))
        return UNTOLD;
    return bk_table_result(t, value);
}

/* Is all known that is wanted of `p`?  *sure: its wdl is known; *lost: it is known to be lost. */
static bool is_known(const struct foreseeing *s, const struct bk_pos *p, struct look how,
                     bool *lost, bool *sure)
{
    enum wanted wanted = how.wanted;
    struct bk_window w = { how.low, BK_ENDLESS };
    int wdl = 1, plies;
    enum bk_err err = wanted == WON ? BK_OK : bk_settle_wdl(s->t, p, &wdl, NULL);

    *sure = !err;
    *lost = !err && wdl < 0;
    if (err)
        return err != BK_E_NEEDS_BYTES;
    if (!wdl || !s->distances || (wanted == LOSS && wdl > 0))
        return true;
    return bk_settle_plies(s->t, p, wdl, w, &plies, NULL) != BK_E_NEEDS_BYTES;
}

/* Looks at the replies of a position that is lost, or may be. */
static void look_further(struct foreseeing *s, const struct bk_pos *p, struct look how, bool lost,
                         int guess)
{
    bool as_if = !lost && how.wanted == LOSS && how.depth >= 2 && !s->guessing;
    bool ahead = !lost && guess < 0 && !bk_exits_may_be(s->t->v, p);

    if (!lost && !as_if && !ahead)
        return;
    s->guessing |= ahead;
    look_at_replies(s, p, how.depth);
    s->guessing &= !ahead;
}

static void look(struct foreseeing *s, const struct bk_pos *p, struct look how)
{
    const struct bk_table *table;
    enum wanted wanted = how.wanted;
    unsigned depth = how.depth;
    bool lost, sure, there;
    int wdl, guess = UNTOLD;

    if (depth > DEPTH || !s->left || bk_pos_bare(s->t->v, p, &wdl) != BK_END_NONE)
        return;
    s->left--;
    if (is_known(s, p, how, &lost, &sure))
        return;
    there = !s->t->find(s->t->context, p, &table, NULL);
    if (there && !sure && wanted == BOTH)
        guess = likely(table, p);
    if (there && !sure)
        touch(table, table->wdl, p, false);
    if (there && s->distances && wanted != LOSS && !lost)
        touch(table, table->dtw, p, guess < 1);
    if (s->distances && (lost || !sure))
        look_further(s, p, how, lost, guess);
    if (!lost)
        look_at_exits(
            s, p,
            (struct look){ .wanted = s->distances ? LOSS : BOTH, .low = -1, .depth = depth + 1 });
    if (there && s->distances && !sure)
        touch_replies(s, p);
}

void bk_foresee(const struct bk_tables *t, const struct bk_pos *p, bool distances)
{
    struct foreseeing s = { .t = t, .distances = distances, .left = POSITIONS };

    look(&s, p, (struct look){ .wanted = BOTH, .low = -1 });
}
