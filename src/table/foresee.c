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
 */
#include "table/foresee.h"

#include <stdlib.h>

#define DEPTH     6    /* moves: further ones wait for the next round */
#define POSITIONS 4096 /* that one question looks at */

enum wanted { BOTH, LOSS, WON };

struct foreseeing {
    const struct bk_tables *t;
    bool distances;
    unsigned left; /* positions */
};

static void look(struct foreseeing *s, const struct bk_pos *p, enum wanted wanted, unsigned depth);

/* What a file says of a position; of a file whose model alone is wanted, that.  Settling may ask
   for a twin: of two numbers it takes that which is turned as the position before was. */
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

static void look_at_exits(struct foreseeing *s, const struct bk_pos *p, enum wanted wanted,
                          unsigned depth)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move); /* little stack: bareking.h */
    struct bk_pos after;
    unsigned n = move ? bk_moves_exits(s->t->v, p, move) : 0;

    for (unsigned i = 0; i < n; i++)
        if (play(s, &after, p, &move[i]))
            look(s, &after, wanted, depth + 1);
    free(move);
}

/* All positions that a lost one leads to. */
static void look_at_replies(struct foreseeing *s, const struct bk_pos *p, unsigned depth)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    struct bk_pos after;
    unsigned n = move ? bk_moves_legal(s->t->v, p, move) : 0;

    for (unsigned i = 0; i < n; i++) {
        play(s, &after, p, &move[i]);
        look(s, &after, WON, depth + 1);
    }
    free(move);
}

/* The model of their distances, by one of them: it may be lost. */
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

/* Is all known that is wanted?  *lost: it is known to be. */
static bool is_known(const struct foreseeing *s, const struct bk_pos *p, enum wanted wanted,
                     bool *lost, bool *sure)
{
    struct bk_window all = { -1, BK_ENDLESS };
    int wdl = 1, plies;
    enum bk_err err = wanted == WON ? BK_OK : bk_settle_wdl(s->t, p, &wdl, NULL);

    *sure = !err;
    *lost = !err && wdl < 0;
    if (err)
        return err != BK_E_NEEDS_BYTES;
    if (!wdl || !s->distances || (wanted == LOSS && wdl > 0))
        return true;
    return bk_settle_plies(s->t, p, wdl, all, &plies, NULL) != BK_E_NEEDS_BYTES;
}

static void look(struct foreseeing *s, const struct bk_pos *p, enum wanted wanted, unsigned depth)
{
    const struct bk_table *table;
    bool lost, sure, there;
    int wdl;

    if (depth > DEPTH || !s->left || bk_pos_bare(s->t->v, p, &wdl) != BK_END_NONE)
        return;
    s->left--;
    if (is_known(s, p, wanted, &lost, &sure))
        return;
    there = !s->t->find(s->t->context, p, &table, NULL);
    if (there && !sure)
        touch(table, table->wdl, p, false);
    if (there && s->distances && wanted != LOSS && !lost)
        touch(table, table->dtw, p, false);
    if (lost || (!sure && s->distances && wanted == LOSS && depth >= 2))
        look_at_replies(s, p, depth);
    if (!lost)
        look_at_exits(s, p, s->distances ? LOSS : BOTH, depth);
    if (there && s->distances && !sure)
        touch_replies(s, p);
}

void bk_foresee(const struct bk_tables *t, const struct bk_pos *p, bool distances)
{
    struct foreseeing s = { t, distances, POSITIONS };

    look(&s, p, BOTH, 0);
}
