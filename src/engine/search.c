/*
 * search.c - iterative deepening, alpha-beta with a null window behind the first move, a hash
 * table, captures to the end, and tables wherever they answer.
 *
 * First the rules and tables are asked about each move of the root.  If they answer all of them,
 * there is no search.  If they answer some, they may still prove that the best move is one of the
 * others: look_at_unknown().
 *
 * A node that a table answers is exact: a win in n plies, a loss in n, a draw.  So a search that
 * reaches the tables by some exchange sees to the end of the game.
 *
 * Told to move at once, it asks the tables on until a move is known that keeps the root's value:
 * known_will_do().  Rejected: to play the best move known so far, be it none or a loss.  A client
 * that stops a search at once got the first move of the list, which gave wins away.
 *
 * What a move brings is the library's to say (be_probe()); the list is not.  Rejected: to rank the
 * root by bk_rank_moves(), which asks all moves together.  Here the most promising is asked first,
 * a stop counts between two, what the game so far makes of a value decides their order, and with
 * hands they are whole turns: that one list would take each of these as a callback.
 */
#include "engine/search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "engine/trap.h"

/* A search under way. */
struct be_worker {
    struct be_search *s;
    uint64_t past[1024 + BE_PLY_MAX]; /* keys of the game and of the line */
    size_t npast;
    uint64_t nodes;
    struct be_moves list[BE_PLY_MAX + 1];
    struct be_move pv[BE_PLY_MAX + 1][BE_PLY_MAX];
    size_t npv[BE_PLY_MAX + 1];
    uint32_t killer[BE_PLY_MAX + 1][2];
    int history[2][BK_SQ_MAX][BK_SQ_MAX];
    bool stopped, failed;
    bool ponders;     /* `pondering` was set when last looked at: limits did not count */
    int depth;        /* plies of this iteration */
    unsigned deepest; /* the deepest ply that was searched for this line */
    unsigned nnew;    /* so many lines, from the first, may have changed in this iteration */
    size_t nmoves;    /* root moves that may be the best */
    int seeks;        /* 1, -1: won, lost by tables without distances: the way is searched; 0: no */
};

/* == The hash table ====================================================== */

enum { BE_EXACT = 3, BE_AT_LEAST = 1, BE_AT_MOST = 2 };

struct be_found {
    uint64_t key;
    uint32_t move; /* be_move_id(), 0: none */
    int16_t score;
    int8_t depth;
    uint8_t bound;
};

bool be_hash_resize(struct be_hash *h, unsigned mib)
{
    size_t n = 1;
    struct be_found *fresh;

    while (n * 2 * sizeof *fresh <= (size_t)(mib ? mib : 1) << 20)
        n *= 2;
    if (n == h->n)
        return true;
    if (!(fresh = calloc(n, sizeof *fresh)))
        return false;
    free(h->entry);
    *h = (struct be_hash){ fresh, n, false };
    return true;
}

void be_hash_clear(struct be_hash *h)
{
    struct be_found *fresh;

    if (!h->used)
        return;
    if ((fresh = calloc(h->n, sizeof *fresh)) != NULL) {
        free(h->entry);
        h->entry = fresh;
    } else {
        memset(h->entry, 0, h->n * sizeof *h->entry);
    }
    h->used = false;
}

void be_hash_release(struct be_hash *h)
{
    free(h->entry);
    *h = (struct be_hash){ NULL, 0, false };
}

unsigned be_hash_full(const struct be_hash *h)
{
    unsigned n = 0;

    for (size_t i = 0; i < 1000; i++)
        n += h->entry[i].bound != 0;
    return n;
}

unsigned be_hash_mib(const struct be_hash *h)
{
    size_t mib = h->n * sizeof *h->entry >> 20;

    return mib ? (unsigned)mib : 1;
}

static struct be_found *hash_at(const struct be_hash *h, uint64_t key)
{
    return &h->entry[key & (h->n - 1)];
}

static void hash_put(struct be_hash *h, const struct be_found *found)
{
    *hash_at(h, found->key) = *found;
    h->used = true;
}

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

/* == Limits ============================================================== */

int64_t be_now_ms(void) { return (int64_t)(1e3 * bk_now_seconds()); }

static int64_t elapsed(const struct be_search *s)
{
    return be_now_ms() - atomic_load(&s->counts_from);
}

static bool out_of_time(const struct be_search *s)
{
    return atomic_load(&s->stop) ||
           (!atomic_load(&s->pondering) && s->limits.hard && elapsed(s) >= s->limits.hard);
}

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
    if (depth > 1 && l->soft && (elapsed(s) >= l->soft || w->nmoves == 1))
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
        (s->limits.hard && elapsed(s) >= s->limits.hard))
        w->stopped = true;
    return w->stopped;
}

/* == Scores ============================================================== */

/* The score of a position `ply` plies from the root at which the game is over. */
static int score_over(int wdl, unsigned ply) { return wdl * (BE_WIN - (int)ply); }

/* The score by a table with `plies` to the end; -1: not known. */
static int score_by_table(int wdl, int plies, unsigned ply)
{
    return plies < 0 ? wdl * (BE_WIN_SOMEHOW + 1000 - (int)ply) : wdl * (BE_WIN - (int)ply - plies);
}

/* Sets *score to what is known without a search: by the end, the tables or the number of turns.
   False: nothing is known. */
static bool known_score(struct be_worker *w, const struct be_board *b, unsigned ply, int *score)
{
    const struct be_game *g = w->s->game;
    int wdl, plies;
    bool last = be_plies_left(g, b) <= 0; /* perhaps with a mate */
    enum be_end end = last ? be_end_now(g, b, &wdl) : be_end_early(g, b, &wdl);

    if (end == BE_BARED_BACK || end == BE_BARE_BOTH) {
        *score = 0;
        return true;
    }
    if (end != BE_GOES_ON) {
        *score = score_over(wdl, ply);
        return true;
    }
    if (!be_probe(g, b, &wdl, &plies) || (w->seeks && wdl && plies < 0))
        return false;
    atomic_fetch_add_explicit(&w->s->hits, 1, memory_order_relaxed);
    *score = score_by_table(wdl, plies, ply);
    return true;
}

/* == Moves of the root =================================================== */

/* A move of the root, and what is known of it. */
struct root_move {
    struct be_move move;
    size_t nth;     /* its place among the root's moves as they were listed */
    bool known;     /* tables or rules give its value: */
    int wdl, plies; /* for the root's mover; to the end, with this ply; -1: not known */
    double chance;  /* of a draw: that the other side goes wrong in the end (trap.h) */
    int looks;      /* be_evaluate() after it, for the root */
    bool again;     /* the position after it has occurred in the game */
    bool third;     /* it has occurred twice; or, of a win, a reply may lead to one that has */
    bool worse;     /* the best is surely another one, which is not known */
    bool sure;      /* not known, but surely wins as soon as the root's table says */
};

struct root {
    struct root_move *move;
    size_t n;
    bool all_known;
    size_t nbest; /* the best is surely among so many, which root_make() puts first; only these
                     are searched for the first line; 0: it may be any */
    int least;    /* if nbest: a lower bound of the best one's score */
};

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
static void look_back(struct be_worker *w, const struct be_board *after, struct root_move *r)
{
    unsigned visits = count_visits(w, after);

    r->again = visits;
    r->third = visits >= 2 || (r->wdl > 0 && reply_is_third(w, after));
}

/* A move's rank, larger is better.  A position that comes for the third time is a draw by most
   rules: such a move is the last of wins and the first of losses, however long.  Without a distance
   a position that comes for the second time is shunned, too. */
static int root_rank(const struct root_move *r)
{
    int far = r->third ? 1 << 18 : 1 << 20;

    return r->wdl * (far - (r->plies < 0 ? far / 2 : r->plies)) -
           (r->again && r->plies < 0 ? 1 << 12 : 0);
}

static int best_first(const void *a, const void *b)
{
    const struct root_move *x = a, *y = b;
    int rx = root_rank(x), ry = root_rank(y);

    if (rx != ry)
        return rx > ry ? -1 : 1;
    if (x->again != y->again) /* equal rank: the same length */
        return x->again == (x->wdl < 0) ? -1 : 1;
    if (!x->wdl && x->chance != y->chance)
        return x->chance > y->chance ? -1 : 1;
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
static void seek(struct be_worker *w, struct root *root)
{
    const struct root_move *best = &root->move[0];
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

/* The best of the moves that are known; NULL: none is. */
static const struct root_move *best_known(const struct root *root)
{
    const struct root_move *best = NULL;

    for (size_t i = 0; i < root->n; i++)
        if (root->move[i].known && (!best || root_rank(&root->move[i]) > root_rank(best)))
            best = &root->move[i];
    return best;
}

/* If some unknown moves surely win within `plies`, the best is one of these: marks them `sure`, all
   others `worse`. */
static void prefer_sure(const struct be_worker *w, struct root *root, int plies)
{
    const struct be_search *s = w->s;
    bool any = false;

    for (size_t i = 0; i < root->n; i++) {
        struct root_move *r = &root->move[i];
        struct be_board after = s->root;

        be_play(s->game, &after, &r->move);
        r->sure = !r->known && !out_of_time(w->s) && be_lost_within(s->game, &after, plies - 1);
        any |= r->sure;
    }
    for (size_t i = 0; any && i < root->n; i++)
        root->move[i].worse = !root->move[i].sure;
}

static void best_to_front(struct root *root)
{
    for (size_t i = 0; i < root->n; i++) {
        struct root_move m = root->move[i];

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
static void look_at_unknown(struct be_worker *w, struct root *root)
{
    const struct be_search *s = w->s;
    const struct root_move *best = best_known(root);
    int wdl = -2, plies = -1;

    if (best) {
        wdl = best->wdl;
        plies = best->plies;
    }
    if ((wdl > 0 && plies < 0) || !be_probe_better(s->game, &s->root, &wdl, &plies))
        return;
    root->least = score_by_table(wdl, plies, 0);
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
static bool known_will_do(struct be_worker *w, const struct root *root, struct proof *proof)
{
    const struct root_move *best = best_known(root);

    if (!best || (best->wdl > 0 && best->third))
        return false;
    return best->wdl > 0 || best->wdl >= least_of_root(w, proof);
}

/* Sets what is known of the root's move `r`. */
static void judge_move(struct be_worker *w, struct root_move *r)
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
static void judge_all(struct be_worker *w, struct root *root)
{
    struct proof proof = { .asked = false };
    bool late = false;

    root->all_known = true;
    for (size_t i = 0; i < root->n; i++) {
        late = out_of_time(w->s) && known_will_do(w, root, &proof);
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

/* == Their order ========================================================= */

/* Larger is better: what is known of a move, else what it looks worth. */
static int promise(const struct root_move *r)
{
    return !r->known ? r->looks : r->wdl ? root_rank(r) : 0;
}

static int promising_first(const void *a, const void *b)
{
    const struct root_move *x = a, *y = b;
    int px = promise(x), py = promise(y);

    return px != py ? (px > py ? -1 : 1) : x->nth < y->nth ? -1 : 1;
}

/* So that a ranking that is interrupted, or a search, has looked at the best ones. */
static void order_by_promise(struct root *root)
{
    qsort(root->move, root->n, sizeof *root->move, promising_first);
}

/* Fills `root` with the moves in `list` that are wanted, in order of how they look. */
static void take_moves(const struct be_search *s, const struct be_moves *list, struct root *root)
{
    for (size_t i = 0; i < list->n; i++) {
        struct root_move r = { .move = list->move[i], .nth = root->n };
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
static void rank_all(struct be_worker *w, struct root *root)
{
    qsort(root->move, root->n, sizeof *root->move, best_first);
    seek(w, root);
}

/*
 * Lists the moves of the root, none where the game is over, and asks the tables about each, in
 * order of promise.  root->move is owned, best first as far as that is known.  False: no memory.
 *
 * Out of time, or told to stop, it asks on until a move is known that keeps what the root's own
 * table proves; moves that it did not reach are left out.  Cost: often one move, at most all.
 */
static bool root_make(struct be_worker *w, struct root *root)
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

/* == The answer by tables ================================================ */

static bool no_time_for_traps(void *search)
{
    const struct be_search *s = search;

    return out_of_time(s) || (s->limits.soft && elapsed(s) >= s->limits.soft);
}

/* Puts the moves of a drawn root, of which all are known, in the order of what they leave the other
   side to go wrong in; further ahead as long as there is time. */
static void look_for_traps(struct be_worker *w, struct root *root)
{
    struct be_search *s = w->s;
    uint64_t most = s->limits.nodes && s->limits.nodes < BE_TRAP_POSITIONS ? s->limits.nodes
                                                                           : BE_TRAP_POSITIONS;
    struct be_trap t = { s->game, s->values, most, no_time_for_traps, s, .stopped = false };
    double *chance = calloc(root->n, sizeof *chance);

    for (int ahead = 0; chance && ahead <= BE_TRAP_AHEAD && !t.stopped; ahead++) {
        for (size_t i = 0; i < root->n && !root->move[i].wdl && !t.stopped; i++) {
            struct be_board after = s->root;

            be_play(s->game, &after, &root->move[i].move);
            chance[i] = be_trap_chance(&t, &after, ahead);
        }
        for (size_t i = 0; i < root->n && !t.stopped; i++)
            root->move[i].chance = chance[i];
    }
    free(chance);
    qsort(root->move, root->n, sizeof *root->move, best_first);
}

/* Appends to `line` the best moves from `b` on by the tables, until the end or the line is full. */
static void follow(struct be_worker *w, struct be_board b, struct be_line *line)
{
    const struct be_game *g = w->s->game;
    struct be_moves *list = &w->list[0];
    int wdl;

    while (line->n < BE_PLY_MAX && be_end_now(g, &b, &wdl) == BE_GOES_ON &&
           be_moves_legal(g, &b, list)) {
        struct root_move best = { .wdl = -2 };

        for (size_t i = 0; i < list->n; i++) {
            struct root_move r = { .move = list->move[i] };
            struct be_board after = b;

            if (out_of_time(w->s)) /* the line's first move is there already */
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

/* Fills the line of a root's move that is known. */
static void line_by_table(struct be_worker *w, const struct root_move *r, struct be_line *line)
{
    const struct be_search *s = w->s;
    struct be_board after = s->root;

    be_play(s->game, &after, &r->move);
    *line = (struct be_line){ .move = { r->move },
                              .n = 1,
                              .score = score_by_table(r->wdl, r->plies, 0),
                              .depth = r->plies > 0 ? r->plies : 1,
                              .by_table = atomic_load(&s->hits), /* or by rules alone */
                              .plies = r->plies };
    if (r->wdl && r->plies >= 0)
        follow(w, after, line);
}

/* If root->all_known: fills the lines of the search, and passes each to its tell(). */
static void answer_by_tables(struct be_worker *w, struct root *root)
{
    struct be_search *s = w->s;

    if (root->n > 1 && !root->move[0].wdl)
        look_for_traps(w, root);
    for (s->nfound = 0; s->nfound < s->nlines && s->nfound < root->n; s->nfound++)
        line_by_table(w, &root->move[s->nfound], &s->line[s->nfound]);
    atomic_store(&s->nodes, root->n);
    for (unsigned i = 0; s->tell && i < s->nfound; i++)
        s->tell(s, &s->line[i], i);
}

/* == Order within the tree =============================================== */

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

/* == The tree ============================================================ */

static bool repeats(const struct be_worker *w, uint64_t key)
{
    for (size_t back = 4; back <= w->npast && back <= 100; back += 2)
        if (w->past[w->npast - back] == key)
            return true;
    return false;
}

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
    if (known_score(w, b, ply, &score))
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

    hash_put(w->s->hash, &found);
}

static int score_of_stuck(const struct be_game *g, const struct node *t)
{
    int wdl;

    be_end_stuck(g, t->b, &wdl);
    return score_over(wdl, t->ply);
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
    const struct be_found *found = hash_at(w->s->hash, key);
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
    if (known_score(w, b, ply, &score) || (!pv && was_found && hash_answers(found, &t, &score)))
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

/* == The answer by search ================================================ */

/* The score to tell: tables may be sure of more than the search sees. */
static int told_score(const struct be_worker *w, const struct root *root, unsigned nth, int score)
{
    if (w->seeks && abs(score) < BE_WIN_SOMEHOW)
        return score_by_table(w->seeks, -1, 0);
    return nth == 0 && root->nbest && score < root->least ? root->least : score;
}

/* Moves the root's move `i` to place `nth`, and those between back by one.  The lines move
   likewise: at any time they are those of the first moves, in their order.  The last one may go.
   Returns the line to fill. */
static struct be_line *take_place(struct be_worker *w, struct root *root, size_t i, unsigned nth)
{
    struct be_search *s = w->s;
    struct root_move m = root->move[i];
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
static void root_search(struct be_worker *w, struct root *root, unsigned nth, int depth)
{
    struct be_search *s = w->s;
    struct node t = { .b = &s->root, .alpha = -BE_INFINITE, .beta = BE_INFINITE, .depth = depth };
    size_t searched = 0;

    w->deepest = 0;
    atomic_store(&s->all, (int)root->n);
    for (size_t i = nth; i < root->n && !w->stopped; i++) {
        struct be_board after = s->root;
        struct root_move m = root->move[i];
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
static void rise(struct be_worker *w, struct root *root, unsigned nth)
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

static void answer_by_search(struct be_worker *w, struct root *root)
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

/* == The answer of an engine behind ======================================= */

/* The moves that it may choose among, and bounds of what they are worth. */
struct choice {
    struct be_moves may;
    int least, most;
};

/* May `r` be played?  Not if it is worth less than the best that is known, or is surely not the
   best. */
static bool is_choice(const struct root *root, const struct root_move *best,
                      const struct root_move *r)
{
    if (root->all_known)
        return root_rank(r) == root_rank(best) || (!r->wdl && !best->wdl);
    return !r->worse && (!r->known || r->wdl >= 0);
}

/* Asks about the moves that judge_all() left, so that none is played that is known to lose. */
static void judge_rest(struct be_worker *w, struct root *root)
{
    for (size_t i = 0; i < root->n && !root->all_known && !root->nbest && !w->seeks; i++)
        if (!root->move[i].known && !out_of_time(w->s))
            judge_move(w, &root->move[i]);
}

static bool choice_make(struct be_worker *w, const struct root *root, struct choice *c)
{
    const struct root_move *best = best_known(root);
    const struct be_moves none = { .n = 0 };

    *c = (struct choice){ none, -BE_WIN, BE_WIN };
    if (!(c->may.move = calloc(root->n, sizeof *c->may.move)))
        return false;
    for (size_t i = 0; i < root->n; i++)
        if (w->seeks || is_choice(root, best, &root->move[i]))
            c->may.move[c->may.n++] = root->move[i].move;
    if (w->seeks)
        *(w->seeks > 0 ? &c->least : &c->most) = score_by_table(w->seeks, -1, 0);
    else if (root->all_known)
        c->least = c->most = 0;
    else if (root->nbest)
        c->least = root->least;
    return true;
}

/* Tells the lines of what it may not choose, where so many are wanted. */
static void tell_others(struct be_worker *w, const struct root *root, const struct choice *c)
{
    struct be_search *s = w->s;

    for (size_t i = c->may.n; root->all_known && s->tell && i < root->n && i < s->nlines; i++) {
        struct be_line line;

        line_by_table(w, &root->move[i], &line);
        s->tell(s, &line, (unsigned)i);
    }
}

/* The engine has used up the time that there was: gives this search a little. */
static void little_time(struct be_search *s)
{
    struct be_limits *l = &s->limits;
    int64_t more = l->hard / 8 < 200 ? l->hard / 8 + 10 : 200;

    if (l->hard && elapsed(s) + more > l->hard)
        l->hard = l->soft = elapsed(s) + more;
}

/* The move that is played without a question: the only one, or one that wins by a table. */
static const struct root_move *plain_choice(const struct be_worker *w, const struct root *root,
                                            const struct choice *c)
{
    const struct root_move *best = best_known(root);

    if (!w->seeks && !root->nbest && best && best->wdl > 0 && best->plies >= 0)
        return best;
    for (size_t i = 0; i < root->n && c->may.n == 1; i++)
        if (be_same_move(w->s->game, &root->move[i].move, &c->may.move[0]))
            return &root->move[i];
    return NULL;
}

/* Has the engine behind choose, unless the tables win or lose.  False: no move was found. */
static bool answer_by_other(struct be_worker *w, struct root *root)
{
    struct be_search *s = w->s;
    const struct root_move *plain;
    struct choice c;
    bool good;

    if (!s->choose || !root->n || (root->all_known && root->move[0].wdl))
        return false;
    judge_rest(w, root);
    if (!choice_make(w, root, &c))
        return false;
    plain = plain_choice(w, root, &c);
    good = plain;
    if (good) {
        s->line[0] = (struct be_line){ .move = { plain->move }, .n = 1, .plies = -1 };
        if (plain->known)
            line_by_table(w, plain, &s->line[0]);
        s->nfound = 1;
        if (s->tell && plain->known)
            s->tell(s, &s->line[0], 0);
    }
    if (!good || plain->known)
        tell_others(w, root, &c);
    if (!good) {
        good = s->choose(s, &c.may, c.least, c.most);
        if (!good)
            little_time(s);
    }
    be_moves_release(&c.may);
    return good;
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
static struct be_move unsearched(const struct root *root)
{
    const struct root_move *best = best_known(root);
    bool win = best && best->wdl > 0;

    return win && !root->move[0].sure ? best->move : root->move[0].move;
}

void be_search_run(struct be_search *s)
{
    struct root root = { .n = 0 };
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
    good = root_make(s->worker, &root);
    if (good && answer_by_other(s->worker, &root))
        ;
    else if (good && root.all_known)
        answer_by_tables(s->worker, &root);
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
