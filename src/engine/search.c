/*
 * search.c - iterative deepening, alpha-beta with a null window behind the first move, a hash
 * table, captures to the end, and tables wherever they answer.
 *
 * A node that a table answers is exact: a win in n plies, a loss in n, a draw.  So a search that
 * reaches the tables by some exchange sees to the end of the game.
 */
#include "engine/search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/root.h"

/* By the limits, is there nothing left to do for iteration `depth`? */
static bool enough(const struct be_worker *w, int depth)
{
    const struct be_search *s = w->s;
    const struct be_limits *l = &s->limits;
    int score = s->nfound ? s->line[0].score : 0;

    if (l->endless)
        return false;
    if (l->depth && depth > l->depth)
        return true;
    if (l->mate && (score >= BE_WIN - l->mate || depth > l->mate))
        return true;
    if (depth > 1 && l->soft && (be_elapsed(s) >= l->soft || w->nmoves == 1))
        return true;
    /* a win that is found within the plies searched is the shortest */
    return l->soft && abs(score) >= BE_WIN - depth + 1;
}

/* Is it time to stop?  Looks at the clock now and then. */
static bool poll_stop(struct be_worker *w)
{
    struct be_search *s = w->s;
    unsigned often = s->game->hands ? 15 : 255;

    if (w->stopped || (w->nodes & often))
        return w->stopped;
    atomic_store_explicit(&s->nodes, w->nodes, memory_order_relaxed);
    if (atomic_load(&s->stop))
        w->stopped = true;
    if (atomic_load(&s->pondering))
        return w->stopped;
    if (w->ponders) { /* pondering is over: what would not begin now is not finished */
        w->ponders = false;
        w->stopped = w->stopped || enough(w, w->depth);
    }
    if ((s->limits.nodes && w->nodes >= s->limits.nodes) ||
        (s->limits.hard && be_elapsed(s) >= s->limits.hard))
        w->stopped = true;
    return w->stopped;
}

/* == Ordering ============================================================ */

static int order_of(const struct be_worker *w, const struct be_board *b, const struct be_move *m,
                    unsigned ply, uint32_t first)
{
    const struct be_game *g = w->s->game;
    const int *man = w->s->values->man;
    const struct bk_move *p = &m->plain;
    uint32_t id = be_move_id(g, m);
    int gain = 0;

    if (id == first)
        return 1 << 30;
    if (g->hands)
        return be_is_loud(g, m) ? 1000 : b->hands.at[m->turn.to % g->v->nsq] ? 500 : 0;
    if (p->takes != BK_SQ_NONE)
        gain += 16 * man[bk_man_type(b->plain.at[p->takes])] + 2000 -
                man[bk_man_type(b->plain.at[p->from])];
    if (p->also != BK_SQ_NONE && !p->castles)
        gain += 16 * man[bk_man_type(b->plain.at[p->also])];
    if (p->becomes != BK_STAYS)
        gain += 16 * (man[p->becomes] - man[bk_man_type(b->plain.at[p->from])]);
    if (gain)
        return gain + (1 << 20);
    if (id == w->killer[ply][0] || id == w->killer[ply][1])
        return 1 << 19;
    return w->history[b->plain.stm][p->from][p->to];
}

static void order_all(const struct be_worker *w, const struct be_board *b, struct be_moves *list,
                      unsigned ply, uint32_t first)
{
    for (size_t i = 0; i < list->n; i++)
        list->move[i].order = order_of(w, b, &list->move[i], ply, first);
}

/* Swaps the move of the largest order from place `i` on to place `i`, and returns it. */
static const struct be_move *pick(struct be_moves *list, size_t i)
{
    size_t best = i;
    struct be_move m;

    for (size_t j = i + 1; j < list->n; j++)
        if (list->move[j].order > list->move[best].order)
            best = j;
    m = list->move[best];
    list->move[best] = list->move[i];
    list->move[i] = m;
    return &list->move[i];
}

static void remember_good(struct be_worker *w, const struct be_board *b, const struct be_move *m,
                          unsigned ply, int depth)
{
    const struct be_game *g = w->s->game;
    uint32_t id = be_move_id(g, m);
    int *h;

    if (g->hands || be_is_loud(g, m))
        return;
    if (id != w->killer[ply][0]) {
        w->killer[ply][1] = w->killer[ply][0];
        w->killer[ply][0] = id;
    }
    h = &w->history[b->plain.stm][m->plain.from][m->plain.to];
    *h += depth * depth;
    if (*h > 1 << 18)
        *h /= 2;
}

/* == Scores ============================================================== */

/* Win scores: the hash counts plies from the stored position, the search from the root. */
static int to_hash(int score, unsigned ply)
{
    return score > BE_WIN_SOMEHOW    ? score + (int)ply
           : score < -BE_WIN_SOMEHOW ? score - (int)ply
                                     : score;
}

static int from_hash(int score, unsigned ply)
{
    return score > BE_WIN_SOMEHOW    ? score - (int)ply
           : score < -BE_WIN_SOMEHOW ? score + (int)ply
                                     : score;
}

static bool repeats(const struct be_worker *w, uint64_t key)
{
    for (size_t back = 4; back <= w->npast && back <= 100; back += 2)
        if (w->past[w->npast - back] == key)
            return true;
    return false;
}

/* == The tree ============================================================ */

/* A position of the tree, and what is asked of it: its score between alpha and beta. */
struct node {
    const struct be_board *b;
    int alpha, beta, depth; /* plies to search; 0 and less: captures alone */
    unsigned ply;           /* from the root */
};

/* Counts a node at `ply`; false: time to stop. */
static bool node_begin(struct be_worker *w, unsigned ply)
{
    w->nodes++;
    w->npv[ply] = 0;
    w->deepest = ply > w->deepest ? ply : w->deepest;
    return !poll_stop(w);
}

/* Searches captures and changes, until standing still is as good; after EXCHANGES plies only moves
   to `last`, where the last one went: many men en prise would take for ever. */
#define EXCHANGES 4

static int quiesce(struct be_worker *w, const struct be_board *b, int alpha, int beta, unsigned ply,
                   unsigned loud, unsigned last)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[ply];
    int best, score;

    if (!node_begin(w, ply))
        return 0;
    if (be_known(w, b, ply, &score))
        return score;
    best = be_evaluate(w->s->values, g, b);
    if (best >= beta || ply >= BE_PLY_MAX - 1)
        return best;
    alpha = best > alpha ? best : alpha;
    if (!be_moves_loud(g, b, list)) {
        w->failed = w->stopped = true;
        return 0;
    }
    order_all(w, b, list, ply, 0);
    for (size_t i = 0; i < list->n; i++) {
        const struct be_move *m = pick(list, i);
        struct be_board after = *b;

        if (loud >= EXCHANGES && m->plain.to != last)
            continue;
        be_play(g, &after, m);
        score = -quiesce(w, &after, -beta, -alpha, ply + 1, loud + 1, m->plain.to);
        if (w->stopped)
            return 0;
        best = score > best ? score : best;
        alpha = best > alpha ? best : alpha;
        if (alpha >= beta)
            break;
    }
    return best;
}

static void pv_take(struct be_worker *w, unsigned ply, const struct be_move *m)
{
    size_t n = ply + 1 <= BE_PLY_MAX ? w->npv[ply + 1] : 0;

    w->pv[ply][0] = *m;
    if (n > BE_PLY_MAX - 1)
        n = BE_PLY_MAX - 1;
    memcpy(&w->pv[ply][1], w->pv[ply + 1], n * sizeof *w->pv[0]);
    w->npv[ply] = n + 1;
}

static int alphabeta(struct be_worker *w, const struct be_board *b, int alpha, int beta, int depth,
                     unsigned ply);

/* Searches the node's i-th move: the first with the whole window, others with a null window until
   they prove better; late ones to less depth at first, but where a mate must not be missed. */
static int search_move(struct be_worker *w, const struct node *t, const struct be_board *after,
                       size_t i, bool quiet)
{
    int alpha = t->alpha, beta = t->beta, depth = t->depth - 1, score;
    int less = quiet && i >= 4 && depth >= 2 && !w->s->limits.mate ? 1 + (i >= 16) : 0;

    if (i == 0)
        return -alphabeta(w, after, -beta, -alpha, depth, t->ply + 1);
    score = -alphabeta(w, after, -alpha - 1, -alpha, depth - less, t->ply + 1);
    if (score > alpha && less)
        score = -alphabeta(w, after, -alpha - 1, -alpha, depth, t->ply + 1);
    if (score > alpha && score < beta)
        score = -alphabeta(w, after, -beta, -alpha, depth, t->ply + 1);
    return score;
}

static bool hash_answers(const struct be_found *f, const struct node *t, int *score)
{
    *score = from_hash(f->score, t->ply);
    return f->depth >= t->depth &&
           (f->bound == BE_EXACT || (f->bound == BE_AT_LEAST && *score >= t->beta) ||
            (f->bound == BE_AT_MOST && *score <= t->alpha));
}

/* Stores the best score of node `t`, whose window is the one asked for, and the id of its move. */
static void hash_keep(struct be_worker *w, const struct node *t, uint64_t key, int best,
                      uint32_t id)
{
    const struct be_found found = {
        .key = key,
        .move = id,
        .score = (int16_t)to_hash(best, t->ply),
        .depth = (int8_t)t->depth,
        .bound = best >= t->beta    ? BE_AT_LEAST
                 : best <= t->alpha ? BE_AT_MOST
                                    : BE_EXACT,
    };

    be_hash_put(w->s->hash, &found);
}

static int score_of_stuck(const struct be_game *g, const struct node *t)
{
    int wdl;

    be_end_stuck(g, t->b, &wdl);
    return be_score_over(wdl, t->ply);
}

/* Searches the moves that have been listed and ordered, until one reaches t.beta.  Returns the best
   score; *id: its move. */
static int search_moves(struct be_worker *w, struct node t, bool check, uint32_t *id)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[t.ply];
    int best = -BE_INFINITE;

    *id = 0;
    for (size_t i = 0; i < list->n && !w->stopped; i++) {
        struct be_board after = *t.b;
        const struct be_move *m = pick(list, i);
        int score;

        be_play(g, &after, m);
        score = search_move(w, &t, &after, i, !check && !be_is_loud(g, m));
        if (w->stopped || score <= best)
            continue;
        best = score;
        *id = be_move_id(g, m);
        if (score > t.alpha) {
            t.alpha = score;
            pv_take(w, t.ply, m);
        }
        if (t.alpha >= t.beta) {
            remember_good(w, t.b, m, t.ply, t.depth);
            break;
        }
    }
    return best;
}

static int alphabeta(struct be_worker *w, const struct be_board *b, int alpha, int beta, int depth,
                     unsigned ply)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[ply];
    uint64_t here = be_board_key(g, b), key = here + be_turn_key(g, b);
    const struct be_found *found = be_hash_at(w->s->hash, key);
    bool was_found = found->key == key, pv = beta - alpha > 1, check;
    uint32_t id = was_found ? found->move : 0;
    struct node t = { .b = b, .alpha = alpha, .beta = beta, .ply = ply };
    int score;

    if (repeats(w, here)) {
        w->npv[ply] = 0;
        return 0;
    }
    check = be_in_check(g, b);
    t.depth = depth + check;
    if (t.depth <= 0 || ply >= BE_PLY_MAX - 1)
        return quiesce(w, b, alpha, beta, ply, 0, BK_SQ_NONE);
    if (!node_begin(w, ply))
        return 0;
    if (be_known(w, b, ply, &score) || (!pv && was_found && hash_answers(found, &t, &score)))
        return score;
    if (!be_moves_legal(g, b, list)) {
        w->failed = w->stopped = true;
        return 0;
    }
    if (!list->n)
        return score_of_stuck(g, &t);
    order_all(w, b, list, ply, id);
    w->past[w->npast++] = here;
    score = search_moves(w, t, check, &id);
    w->npast--;
    if (!w->stopped)
        hash_keep(w, &t, key, score, id);
    return score;
}

/* == By search =========================================================== */

/* The score to tell: tables may be sure of more than the search sees. */
static int told_score(const struct be_worker *w, const struct be_root *root, unsigned nth,
                      int score)
{
    if (w->seeks && abs(score) < BE_WIN_SOMEHOW)
        return be_score_table(w->seeks, -1, 0);
    return nth == 0 && root->nbest && score < root->least ? root->least : score;
}

/* Moves the root's move `i` to place `nth`, and those between back by one.  The lines move
   likewise: at any time they are those of the first moves, in their order.  The last one may go.
   Returns the line to fill. */
static struct be_line *take_place(struct be_worker *w, struct be_root *root, size_t i, unsigned nth)
{
    struct be_search *s = w->s;
    struct be_root_move m = root->move[i];
    unsigned last = i < s->nfound           ? (unsigned)i
                    : s->nfound < s->nlines ? s->nfound++
                                            : s->nfound - 1;

    memmove(&root->move[nth + 1], &root->move[nth], (i - nth) * sizeof m);
    root->move[nth] = m;
    memmove(&s->line[nth + 1], &s->line[nth], (last - nth) * sizeof *s->line);
    w->nnew = w->nnew > last ? w->nnew : last + 1;
    return &s->line[nth];
}

/* One iteration for the nth line: brings the best of the moves from `nth` on to that place. */
static void root_search(struct be_worker *w, struct be_root *root, unsigned nth, int depth)
{
    struct be_search *s = w->s;
    struct node t = { .b = &s->root, .alpha = -BE_INFINITE, .beta = BE_INFINITE, .depth = depth };
    size_t searched = 0;

    w->deepest = 0;
    atomic_store(&s->all, (int)root->n);
    for (size_t i = nth; i < root->n && !w->stopped; i++) {
        struct be_board after = s->root;
        struct be_root_move m = root->move[i];
        struct be_line *line;
        int score;

        if (nth == 0 && m.worse)
            continue;
        atomic_store(&s->done, (int)i);
        be_play(s->game, &after, &m.move);
        score = search_move(w, &t, &after, searched++, false);
        if (w->stopped) /* what an aborted search says of the move is no score */
            return;
        if (score <= t.alpha)
            continue;
        t.alpha = score;
        pv_take(w, 0, &m.move);
        line = take_place(w, root, i, nth);
        line->score = told_score(w, root, nth, score);
        line->depth = depth;
        line->seldepth = w->deepest;
        line->by_table = false;
        line->plies = -1;
        line->n = w->npv[0];
        memcpy(line->move, w->pv[0], w->npv[0] * sizeof *w->pv[0]);
    }
}

/* The nth line rises above those of the same depth that it is better than: a later search may see
   more of a move than an earlier one. */
static void rise(struct be_worker *w, struct be_root *root, unsigned nth)
{
    struct be_search *s = w->s;
    struct be_line line = s->line[nth];
    unsigned to = nth;

    while (to && s->line[to - 1].score < line.score)
        to--;
    if (to < nth)
        *take_place(w, root, nth, to) = line;
}

/* Does another iteration make sense? */
static bool goes_deeper(struct be_worker *w, int depth)
{
    const struct be_search *s = w->s;

    if (w->stopped || depth >= BE_PLY_MAX - 2)
        return false;
    w->ponders = atomic_load(&s->pondering);
    return w->ponders || !enough(w, depth);
}

static void answer_by_search(struct be_worker *w, struct be_root *root)
{
    struct be_search *s = w->s;

    w->nmoves = root->nbest ? root->nbest : root->n;
    for (int depth = 1; root->n && goes_deeper(w, depth); depth++) {
        w->depth = depth;
        atomic_store(&s->depth, depth);
        w->nnew = 0;
        for (unsigned nth = 0; nth < s->nlines && nth < root->n && !w->stopped; nth++) {
            root_search(w, root, nth, depth);
            atomic_store(&s->nodes, w->nodes);
            if (s->nfound > nth && s->line[nth].depth == depth)
                rise(w, root, nth);
        }
        /* after a stop, too, if something better had already been found */
        for (unsigned nth = 0; s->tell && nth < w->nnew; nth++)
            s->tell(s, &s->line[nth], nth);
    }
}

/* == The whole =========================================================== */

static void wait_for_stop(const struct be_search *s)
{
    struct timespec nap = { .tv_nsec = 1000000 };

    while (!atomic_load(&s->stop) && (s->limits.endless || atomic_load(&s->pondering)))
        nanosleep(&nap, NULL);
}

static void worker_begin(struct be_worker *w, struct be_search *s)
{
    size_t n = s->npast < 1024 ? s->npast : 1024;

    w->s = s;
    memcpy(w->past, s->past + (s->npast - n), n * sizeof *w->past);
    w->npast = n;
    w->nodes = 0;
    w->seeks = 0;
    w->stopped = w->failed = false;
    if (s->limits.mate) /* entries may come from searches that saw less at the same depth */
        be_hash_clear(s->hash);
    memset(w->killer, 0, sizeof w->killer);
    memset(w->history, 0, sizeof w->history);
    s->nfound = 0;
    atomic_store(&s->nodes, 0);
    atomic_store(&s->hits, 0);
    atomic_store(&s->depth, 0);
    atomic_store(&s->done, 0);
    atomic_store(&s->all, 0);
}

/* The move to play when nothing has been searched: the most promising, but none that only may be
   the best in place of a known win. */
static struct be_move unsearched(const struct be_root *root)
{
    const struct be_root_move *best = be_root_best_known(root);
    bool win = best && best->wdl > 0;

    return win && !root->move[0].sure ? best->move : root->move[0].move;
}

void be_search_run(struct be_search *s)
{
    struct be_root root = { .n = 0 };
    struct be_line *lines = realloc(s->line, s->nlines * sizeof *lines);
    bool good;

    s->nfound = 0;
    s->starved = true;
    if (lines)
        s->line = lines;
    if (!s->worker)
        s->worker = calloc(1, sizeof *s->worker);
    if (!lines || !s->worker)
        return;
    worker_begin(s->worker, s);
    good = be_root_make(s->worker, &root);
    if (good && root.all_known)
        be_root_answer(s->worker, &root);
    else if (good)
        answer_by_search(s->worker, &root);
    if (good && !s->nfound && root.n) { /* stopped before anything was found */
        s->line[0] = (struct be_line){ .move = { unsearched(&root) }, .n = 1, .plies = -1 };
        s->nfound = 1;
    }
    wait_for_stop(s);
    free(root.move);
    s->starved = !good || s->worker->failed;
}

void be_search_release(struct be_search *s)
{
    if (s->worker)
        for (unsigned ply = 0; ply <= BE_PLY_MAX; ply++)
            be_moves_release(&s->worker->list[ply]);
    free(s->worker);
    free(s->line);
    s->worker = NULL;
    s->line = NULL;
}
