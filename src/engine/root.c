/*
 * root.c - what rules and tables say of the moves that may be played, and the answer by them.
 *
 * Where they say all, there is nothing to search.  Where they know some moves, they may still be
 * sure that the best is one of the others: look_at_unknown().
 *
 * Asked for a move at once, it goes on until a move is known that keeps what the root is worth
 * (known_will_do()).  Rejected: to play the best of what is known so far, be it none or a loss; a
 * client that stops a search at once got the first move of the list, which gave wins away.
 */
#include "engine/root.h"

#include <stdlib.h>
#include <string.h>

/* == What is known of a move =============================================== */

/* Returns how many replies to the drawn position `b` do not lose; unknown ones count. */
static unsigned count_holding(struct be_worker *w, const struct be_board *b)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[1];
    unsigned holds = 0;

    if (!be_moves_legal(g, b, list))
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        struct be_board after = *b;
        int score;

        be_play(g, &after, &list->move[i]);
        holds += be_out_of_time(w->s) || !be_known(w, &after, 0, &score) || score <= 0;
    }
    return holds;
}

/* Sets *wdl and *plies to what rules and tables say of the position after a root move, from the
   root's side.  False: they say nothing. */
static bool judge(struct be_worker *w, const struct be_board *after, int *wdl, int *plies)
{
    const struct be_game *g = w->s->game;

    *plies = 0;
    if (be_end_now(g, after, wdl) == BE_GOES_ON) {
        if (be_end_early(g, after, wdl) == BE_BARED_BACK)
            *wdl = 0;
        else if (!be_probe(g, after, wdl, plies))
            return false;
        else
            atomic_fetch_add_explicit(&w->s->hits, 1, memory_order_relaxed);
    }
    *wdl = -*wdl;
    *plies = *wdl && *plies >= 0 ? *plies + 1 : -1;
    return true;
}

/* How often has the position occurred in the game? */
static unsigned count_visits(const struct be_worker *w, const struct be_board *b)
{
    uint64_t key = be_board_key(w->s->game, b);
    unsigned n = 0;

    for (size_t i = 0; i < w->npast; i++)
        n += w->past[i] == key;
    return n;
}

/* May a reply bring about a position that has occurred twice? */
static bool reply_is_third(struct be_worker *w, const struct be_board *b)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[1];

    if (w->npast < 6 || !be_moves_legal(g, b, list)) /* fewer plies hold no such position */
        return false;
    for (size_t i = 0; i < list->n; i++) {
        struct be_board after = *b;

        be_play(g, &after, &list->move[i]);
        if (count_visits(w, &after) >= 2)
            return true;
    }
    return false;
}

/* Sets `again` and `third` from the game so far, of which tables know nothing. */
static void look_back(struct be_worker *w, const struct be_board *after, struct be_root_move *r)
{
    unsigned visits = count_visits(w, after);

    r->again = visits;
    r->third = visits >= 2 || (r->wdl > 0 && reply_is_third(w, after));
}

/* A move's rank, larger is better.  A position that comes for the third time is a draw by most
   rules: such a move is the last of wins and the first of losses, however long.  Without a distance
   a position that comes for the second time is shunned, too. */
static int root_rank(const struct be_root_move *r)
{
    int far = r->third ? 1 << 18 : 1 << 20;

    return r->wdl * (far - (r->plies < 0 ? far / 2 : r->plies)) -
           (r->again && r->plies < 0 ? 1 << 12 : 0);
}

static int best_first(const void *a, const void *b)
{
    const struct be_root_move *x = a, *y = b;
    int rx = root_rank(x), ry = root_rank(y);

    if (rx != ry)
        return rx > ry ? -1 : 1;
    if (x->again != y->again) /* equal rank: the same length */
        return x->again == (x->wdl < 0) ? -1 : 1;
    if (!x->wdl && x->holds != y->holds)
        return x->holds < y->holds ? -1 : 1;
    if ((!x->wdl || x->plies < 0) && x->looks != y->looks)
        return x->looks > y->looks ? -1 : 1;
    return x->nth < y->nth ? -1 : 1; /* not every qsort() leaves equals as they were */
}

/*
 * `root` is sorted, and its result is known by tables without distances: a win that only stays one
 * is never won.  Keeps the moves of the best rank, to be searched as if nothing were known of
 * positions whose distance is not, but for draws; a move that leads to where the game has been is
 * the last resort.
 */
static void seek(struct be_worker *w, struct be_root *root)
{
    const struct be_root_move *best = &root->move[0];
    size_t n = 0;

    if (!root->n || !best->wdl || best->plies >= 0)
        return;
    while (n < root->n && root_rank(&root->move[n]) == root_rank(best))
        n++;
    w->seeks = best->wdl;
    root->n = n;
    root->all_known = false;
}

static bool wanted(const struct be_search *s, const struct be_move *m)
{
    for (size_t i = 0; i < s->only.n; i++)
        if (be_same_move(s->game, &s->only.move[i], m))
            return true;
    return !s->only.n;
}

const struct be_root_move *be_root_best_known(const struct be_root *root)
{
    const struct be_root_move *best = NULL;

    for (size_t i = 0; i < root->n; i++)
        if (root->move[i].known && (!best || root_rank(&root->move[i]) > root_rank(best)))
            best = &root->move[i];
    return best;
}

/* If some unknown moves surely win within `plies`, the best is one of these: marks them `sure`, all
   others `worse`. */
static void prefer_sure(const struct be_worker *w, struct be_root *root, int plies)
{
    const struct be_search *s = w->s;
    bool any = false;

    for (size_t i = 0; i < root->n; i++) {
        struct be_root_move *r = &root->move[i];
        struct be_board after = s->root;

        be_play(s->game, &after, &r->move);
        r->sure = !r->known && !be_out_of_time(w->s) && be_lost_within(s->game, &after, plies - 1);
        any |= r->sure;
    }
    for (size_t i = 0; any && i < root->n; i++)
        root->move[i].worse = !root->move[i].sure;
}

static void best_to_front(struct be_root *root)
{
    for (size_t i = 0; i < root->n; i++) {
        struct be_root_move m = root->move[i];

        if (m.worse)
            continue;
        memmove(&root->move[root->nbest + 1], &root->move[root->nbest],
                (i - root->nbest) * sizeof m);
        root->move[root->nbest++] = m;
    }
}

/*
 * A table is missing that some move leads to, and the root's own one is there.  If that proves more
 * than the best known move brings, only unknown moves may be the best: marks the known ones
 * `worse`.  Else the engine would never capture into the missing table, and walk about in a won
 * position.
 */
static void look_at_unknown(struct be_worker *w, struct be_root *root)
{
    const struct be_search *s = w->s;
    const struct be_root_move *best = be_root_best_known(root);
    int wdl = -2, plies = -1;

    if (best) {
        wdl = best->wdl;
        plies = best->plies;
    }
    if ((wdl > 0 && plies < 0) || !be_probe_better(s->game, &s->root, &wdl, &plies))
        return;
    root->least = be_score_table(wdl, plies, 0);
    for (size_t i = 0; i < root->n; i++)
        root->move[i].worse = root->move[i].known;
    if (wdl > 0 && plies > 0)
        prefer_sure(w, root, plies);
    best_to_front(root);
}

/* What tables prove of the root, asked when it is first wanted. */
struct proof {
    bool asked;
    int least; /* a lower bound of its result; 2: nothing is proved */
};

static int least_of_root(struct be_worker *w, struct proof *proof)
{
    const struct be_search *s = w->s;
    int wdl, plies;

    if (proof->asked)
        return proof->least;
    proof->asked = true;
    proof->least = 2;
    if (judge(w, &s->root, &wdl, &plies))
        proof->least = -wdl;
    else if (be_end_early(s->game, &s->root, &wdl) == BE_GOES_ON) {
        wdl = -2;
        if (be_probe_better(s->game, &s->root, &wdl, &plies))
            proof->least = wdl;
    }
    return proof->least;
}

/* There is no time to ask about all moves: may the best known one be played?  If it is worth what
   the root is, and no draw by repetition: a result is not given away for a few milliseconds, also
   when told to stop. */
static bool known_will_do(struct be_worker *w, const struct be_root *root, struct proof *proof)
{
    const struct be_root_move *best = be_root_best_known(root);

    if (!best || (best->wdl > 0 && best->third))
        return false;
    return best->wdl > 0 || best->wdl >= least_of_root(w, proof);
}

/* Sets what is known of the root's move `r`. */
static void judge_move(struct be_worker *w, struct be_root_move *r)
{
    struct be_board after = w->s->root;

    be_play(w->s->game, &after, &r->move);
    r->known = judge(w, &after, &r->wdl, &r->plies);
    if (r->known)
        look_back(w, &after, r);
}

/* Sets the value of each move.  After the first that is not known, asks about the rest only if the
   root's own table may prove more (be_probe_better()).  Out of time, asks no more once a known move
   will do; if all before were known, those that there was no time for are removed. */
static void judge_all(struct be_worker *w, struct be_root *root)
{
    struct proof proof = { .asked = false };
    bool late = false;

    root->all_known = true;
    for (size_t i = 0; i < root->n; i++) {
        late = be_out_of_time(w->s) && known_will_do(w, root, &proof);
        if (late && root->all_known)
            root->n = i;
        if (late)
            break;
        judge_move(w, &root->move[i]);
        if (!root->move[i].known) {
            root->all_known = false;
            if (w->s->only.n || least_of_root(w, &proof) > 1)
                return;
        }
    }
    if (!root->all_known && !late)
        look_at_unknown(w, root);
}

/* == Order of promise ==================================================== */

/* Larger is better: what is known of a move, else what it looks worth. */
static int promise(const struct be_root_move *r)
{
    return !r->known ? r->looks : r->wdl ? root_rank(r) : 0;
}

static int promising_first(const void *a, const void *b)
{
    const struct be_root_move *x = a, *y = b;
    int px = promise(x), py = promise(y);

    return px != py ? (px > py ? -1 : 1) : x->nth < y->nth ? -1 : 1;
}

/* So that a ranking that is interrupted, or a search, has looked at the best ones. */
static void order_by_promise(struct be_root *root)
{
    qsort(root->move, root->n, sizeof *root->move, promising_first);
}

/* Fills `root` with the moves in `list` that are wanted, in order of how they look. */
static void take_moves(const struct be_search *s, const struct be_moves *list, struct be_root *root)
{
    for (size_t i = 0; i < list->n; i++) {
        struct be_root_move r = { .move = list->move[i], .nth = root->n };
        struct be_board after = s->root;

        if (!wanted(s, &r.move))
            continue;
        be_play(s->game, &after, &r.move);
        r.looks = -be_evaluate(s->values, s->game, &after);
        root->move[root->n++] = r;
    }
    order_by_promise(root);
}

/* Puts the moves, of which all are known, in their order, the best first. */
static void rank_all(struct be_worker *w, struct be_root *root)
{
    for (size_t i = 0; i < root->n; i++) {
        struct be_board after = w->s->root;

        if (root->move[i].wdl)
            continue;
        be_play(w->s->game, &after, &root->move[i].move);
        root->move[i].holds = count_holding(w, &after);
    }
    qsort(root->move, root->n, sizeof *root->move, best_first);
    seek(w, root);
}

bool be_root_make(struct be_worker *w, struct be_root *root)
{
    struct be_search *s = w->s;
    struct be_moves *list = &w->list[0];
    int wdl;

    if (be_end_now(s->game, &s->root, &wdl) != BE_GOES_ON)
        return true; /* no moves */
    if (!be_moves_legal(s->game, &s->root, list) ||
        !(root->move = calloc(list->n + 1, sizeof *root->move)))
        return false;
    take_moves(s, list, root);
    judge_all(w, root);
    if (root->all_known)
        rank_all(w, root);
    else if (!root->nbest)
        order_by_promise(root);
    return true;
}

/* == By the tables ======================================================= */

/* Appends to `line` the best moves from `b` on by the tables, until the end or the line is full. */
static void follow(struct be_worker *w, struct be_board b, struct be_line *line)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[0];
    int wdl;

    while (line->n < BE_PLY_MAX && be_end_now(g, &b, &wdl) == BE_GOES_ON &&
           be_moves_legal(g, &b, list)) {
        struct be_root_move best = { .wdl = -2 };

        for (size_t i = 0; i < list->n; i++) {
            struct be_root_move r = { .move = list->move[i] };
            struct be_board after = b;

            if (be_out_of_time(w->s)) /* the line's first move is there already */
                return;
            be_play(g, &after, &r.move);
            if (judge(w, &after, &r.wdl, &r.plies) &&
                (best.wdl == -2 || root_rank(&r) > root_rank(&best)))
                best = r;
        }
        if (best.wdl <= -2 || !best.wdl)
            return;
        be_play(g, &b, &best.move);
        line->move[line->n++] = best.move;
    }
}

void be_root_answer(struct be_worker *w, const struct be_root *root)
{
    struct be_search *s = w->s;
    bool by_table = atomic_load(&s->hits); /* or by rules alone */

    for (s->nfound = 0; s->nfound < s->nlines && s->nfound < root->n; s->nfound++) {
        const struct be_root_move *r = &root->move[s->nfound];
        struct be_line *line = &s->line[s->nfound];
        struct be_board after = s->root;

        be_play(s->game, &after, &r->move);
        *line = (struct be_line){ .move = { r->move },
                                  .n = 1,
                                  .score = be_score_table(r->wdl, r->plies, 0),
                                  .depth = r->plies > 0 ? r->plies : 1,
                                  .by_table = by_table,
                                  .plies = r->plies };
        if (r->wdl && r->plies >= 0)
            follow(w, after, line);
    }
    atomic_store(&s->nodes, root->n);
    for (unsigned i = 0; s->tell && i < s->nfound; i++)
        s->tell(s, &s->line[i], i);
}
