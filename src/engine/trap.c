/*
 * trap.c - chances, by tables and a guess at what an opponent sees.
 *
 *      chance(b) = now(b) + (1 - now(b)) * later(b)                                      (1)
 *      now(b)    = ERRS * (weight of his replies that lose / weight of all) ^ 2          (2)
 *      later(b)  = LASTS * the average, by weight, over his replies that hold, of the
 *                  greatest chance that our moves from there leave                       (3)
 *
 * A reply weighs the more the better it looks.  Where no more is looked ahead, later(b) is as if
 * b were to come up AGAIN more times.
 *
 * The numbers: in 1,500 drawn positions of four and five men Fairy-Stockfish with 1,000 nodes a
 * move chose none of 3,680 moves that lost within four plies, 1.3 of a hundred that lost within
 * eight, and 4.5 of a hundred of the others; where a half, or four fifths of all moves lost, it
 * lost by 5 and 16 of a hundred moves.
 */
#include "engine/trap.h"

#include <math.h>
#include <stdlib.h>

#define ERRS   0.2
#define LASTS  0.98
#define AGAIN  30
#define LOOKS  100.0 /* what looks so much worse weighs a share of 1/e */
#define FORGET 0.01  /* replies of less weight are not followed */

/* A reply, seen from who makes it. */
struct reply {
    struct be_board after;
    int wdl, plies;
    double weight;
};

/* Sets *wdl and *plies to what rules and tables say of `b`; of what they do not know: a draw. */
static void judge(struct be_trap *t, const struct be_board *b, int *wdl, int *plies)
{
    const struct be_game *g = t->game;

    *plies = 0;
    t->stopped |= !t->left || (t->left % 64 == 0 && t->late(t->context));
    if (t->stopped)
        return;
    t->left--;
    if (be_end_now(g, b, wdl) == BE_GOES_ON &&
        (be_end_early(g, b, wdl) == BE_BARED_BACK || !be_probe(g, b, wdl, plies)))
        *wdl = 0;
}

/* The share of opponents who do not see a loss in so many plies. */
static double unseen(int plies) { return plies < 0 || plies >= 8 ? 1 : plies < 4 ? 0 : 0.3; }

/* Lists the replies with their weights; NULL: stopped. */
static struct reply *replies(struct be_trap *t, const struct be_board *b, size_t *n)
{
    struct be_moves list = { .n = 0 };
    struct reply *r = NULL;
    double best = -BE_LEAD_MAX;

    if (!be_moves_legal(t->game, b, &list) || !(r = malloc((list.n + 1) * sizeof *r)))
        t->stopped = true;
    for (size_t i = 0; i < list.n && !t->stopped; i++) {
        r[i].after = *b;
        be_play(t->game, &r[i].after, &list.move[i]);
        judge(t, &r[i].after, &r[i].wdl, &r[i].plies);
        r[i].wdl = -r[i].wdl;
        r[i].weight = -be_evaluate(t->values, t->game, &r[i].after); /* so far, what it looks */
        if (r[i].wdl >= 0 || unseen(r[i].plies) == 1)
            best = fmax(best, r[i].weight);
    }
    for (size_t i = 0; i < list.n && !t->stopped; i++)
        r[i].weight =
            fmin(exp((r[i].weight - best) / LOOKS), 1) * (r[i].wdl < 0 ? unseen(r[i].plies) : 1);
    *n = list.n;
    be_moves_release(&list);
    if (!t->stopped)
        return r;
    free(r);
    return NULL;
}

/* The greatest chance that the mover of the drawn position `b` can leave the other side. */
static double greatest(struct be_trap *t, const struct be_board *b, int ahead)
{
    struct be_moves list = { .n = 0 };
    double best = 0;
    int wdl, plies;

    if (be_end_now(t->game, b, &wdl) != BE_GOES_ON)
        return 0;
    t->stopped |= !be_moves_legal(t->game, b, &list);
    for (size_t i = 0; i < list.n && !t->stopped; i++) {
        struct be_board after = *b;

        be_play(t->game, &after, &list.move[i]);
        judge(t, &after, &wdl, &plies);
        if (!t->stopped && !wdl)
            best = fmax(best, be_trap_chance(t, &after, ahead));
    }
    be_moves_release(&list);
    return best;
}

/* (3) */
static double later(struct be_trap *t, const struct reply *r, size_t n, int ahead)
{
    double all = 0, sum = 0;

    for (size_t i = 0; i < n && !t->stopped; i++)
        if (r[i].wdl >= 0 && r[i].weight > FORGET) {
            all += r[i].weight;
            sum += r[i].weight * greatest(t, &r[i].after, ahead - 1);
        }
    return all > 0 ? LASTS * sum / all : 0;
}

/* now(b), of replies that are listed: (2) */
static double now(const struct reply *r, size_t n)
{
    double all = 0, loses = 0;

    for (size_t i = 0; i < n; i++) {
        all += r[i].weight;
        loses += r[i].wdl < 0 ? r[i].weight : 0;
    }
    return all > 0 ? ERRS * (loses / all) * (loses / all) : 0;
}

double be_trap_chance(struct be_trap *t, const struct be_board *b, int ahead)
{
    uint64_t key = be_board_key(t->game, b);
    unsigned at = key % (sizeof t->found / sizeof *t->found);
    struct reply *r = NULL;
    double at_once, then;
    size_t n;
    int wdl;

    if (!ahead && t->found[at].key == key)
        return t->found[at].chance;
    if (be_end_now(t->game, b, &wdl) != BE_GOES_ON || !(r = replies(t, b, &n)))
        return 0;
    at_once = now(r, n);
    then = ahead ? later(t, r, n, ahead) : LASTS * (1 - pow(1 - at_once, AGAIN));
    free(r);
    then = at_once + (1 - at_once) * then; /* (1) */
    if (!ahead) {
        t->found[at].key = key;
        t->found[at].chance = then;
    }
    return then;
}
