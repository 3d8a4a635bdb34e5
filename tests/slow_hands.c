/*
 * slow_hands.c - the slow solver of games with hands; see slow_hands.h.
 *
 * A position is a string of letters, a node is found by its text, turns are
 * made on copies, and values are repeated until nothing changes.
 */
#include "core/read.h"
#include "tests/slow_hands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/whole.h"
#include "tests/random_variant.h"
#include "tests/slow_graph.h"

/* == The slow one: positions == */

enum { SQUARES = 36 };
enum { WHITE, BLACK };

enum { CAP = 1 }; /* releases are counted up to this in what is compared */

static const char kinds[] = "RNFACP";

struct slow {
    char at[SQUARES + 1]; /* '.', '*', or a letter, upper case White's; a1 first    */
    char pool[16];        /* men still to be dropped in the opening, sorted         */
    char hand[2][24];     /* held by White, by Black: a letter and the turns left, '1' on, '*':
                             no end; pairs ascend                                   */
    char freed[2][8];     /* how many of each of `kinds` White, Black has released: '0' on */
    char stm;             /* 'w', 'b' */
    int quiet;
};

/* A game, and how far releases are counted: from `cap` on men are held no longer, or for ever. */
struct slow_game {
    const struct bk_variant *v;
    int cap;
    bool ever[2];
};

/* A turn as it is made. */
struct making {
    struct slow s;
    bool laid[SQUARES]; /* a man was dropped here before the move */
    char fresh, length; /* the man captured, and the turns he may be held; 0: nobody */
    int to;             /* where the man who moved stands */
};

struct slow_list {
    struct slow *s;
    size_t n, room;
};

static void push(struct slow_list *l, const struct slow *s)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->s = slow_grow(l->s, l->room, sizeof *l->s);
    }
    l->s[l->n++] = *s;
}

static bool white(char c) { return isupper((unsigned char)c); }
static bool mine(const struct slow *s, char c)
{
    return isalpha((unsigned char)c) && white(c) == (s->stm == 'w');
}
static bool yours(const struct slow *s, char c)
{
    return isalpha((unsigned char)c) && white(c) != (s->stm == 'w');
}
static char king_letter(bool is_white) { return is_white ? 'K' : 'k'; }

/* Is `sq` empty, and may the man `c` stand there? */
static bool has_room(const struct bk_variant *v, const char *at, int sq, char c)
{
    int rank = sq / v->files;

    return at[sq] == '.' && slow_piece(v, c)->ranks >> (white(c) ? rank : v->ranks - 1 - rank) & 1;
}

bool hands_goes(const struct bk_variant *v, const char *at, int from, int to, bool taking)
{
    const struct bk_movement *m = &slow_piece(v, at[from])->move;

    for (int i = 0; i < m->nsteps; i++) {
        const struct bk_step *st = &m->step[i];
        int f = from % v->files, r = from / v->files, met = 0;
        int dr = white(at[from]) ? st->dr : -st->dr;

        if (!(st->how & (taking ? BK_TAKES : BK_QUIET)))
            continue;
        for (int n = 1; st->range == 0 || n <= st->range; n++) {
            f += st->df;
            r += dr;
            if (f < 0 || f >= v->files || r < 0 || r >= v->ranks || at[r * v->files + f] == '*')
                break;
            if (r * v->files + f == to) {
                if (met == (st->how & BK_HOPS ? 1 : 0))
                    return true;
                break;
            }
            met += at[r * v->files + f] != '.';
        }
    }
    return false;
}

static bool safe(const struct bk_variant *v, const char *at, bool white_king)
{
    const char *king = strchr(at, king_letter(white_king));

    for (int sq = 0; king && at[sq]; sq++)
        if (isalpha((unsigned char)at[sq]) && white(at[sq]) != white_king &&
            hands_goes(v, at, sq, (int)(king - at), true))
            return false;
    return true;
}

static int men_on(const char *at, bool whites)
{
    int n = 0;

    for (; *at; at++)
        n += isalpha((unsigned char)*at) && white(*at) == whites;
    return n;
}

static bool opening(const struct slow *s) { return strpbrk(s->pool, "Kk"); }

/* == The slow one: turns == */

static int us_of(const struct slow *s) { return s->stm == 'w' ? WHITE : BLACK; }

static int kind_of(char c) { return (int)(strchr(kinds, toupper((unsigned char)c)) - kinds); }

static void take_out(char *hand, size_t at)
{
    memmove(hand + at, hand + at + 2, strlen(hand + at + 2) + 1);
}

/* Puts a man and his turns into a hand, where the order wants them. */
static void put_in(char *hand, char man, char turns)
{
    size_t at = 0;

    while (hand[at] && (hand[at] < man || (hand[at] == man && hand[at + 1] < turns)))
        at += 2;
    memmove(hand + at + 2, hand + at, strlen(hand + at) + 1);
    hand[at] = man;
    hand[at + 1] = turns;
}

static void release(const struct slow_game *g, struct slow *s, char man)
{
    char *n = &s->freed[us_of(s)][kind_of(man)];

    if (g->v->hand_bonus && *n - '0' < g->cap)
        ++*n;
}

/* The turns that a man captured now may be held, the next one included. */
static char turns_for(const struct slow_game *g, const struct slow *s, char man)
{
    int n = s->freed[us_of(s)][kind_of(man)] - '0';

    if (!g->v->hand_bonus)
        return '1';
    return n >= g->cap && g->ever[us_of(s)] ? '*' : (char)('1' + n);
}

/* Ends a turn: appends the position after it, if legal. */
static void end_turn(const struct slow_game *g, struct making m, struct slow_list *out)
{
    struct slow *s = &m.s;
    bool us = s->stm == 'w';
    char left[24] = "";

    if (!safe(g->v, s->at, us))
        return;
    if (s->quiet &&
        (g->v->quiet_moves
             ? hands_goes(g->v, s->at, m.to, (int)(strchr(s->at, king_letter(!us)) - s->at), true)
             : !safe(g->v, s->at, !us)))
        return;
    for (const char *h = s->hand[us_of(s)]; *h; h += 2)
        put_in(left, h[0], h[1] == '*' || h[1] == '1' ? h[1] : (char)(h[1] - 1));
    if (m.fresh)
        put_in(left, m.fresh, m.length);
    strcpy(s->hand[us_of(s)], left);
    s->stm = us ? 'b' : 'w';
    s->quiet -= s->quiet > 0;
    push(out, s);
}

/* Drops of the men held from place i of the hand on, then of the man captured. */
static void drops_after(const struct slow_game *g, const struct making *m, size_t i,
                        struct slow_list *out)
{
    const char *hand = m->s.hand[us_of(&m->s)];
    bool last = !hand[i];
    char man = last ? m->fresh : hand[i];

    if (last)
        end_turn(g, *m, out);
    else if (hand[i + 1] != '1')
        drops_after(g, m, i + 2, out);
    for (int sq = 0; man && m->s.at[sq]; sq++)
        if (has_room(g->v, m->s.at, sq, man)) {
            struct making t = *m;

            t.s.at[sq] = man;
            release(g, &t.s, man);
            if (last) {
                t.fresh = 0;
                end_turn(g, t, out);
            } else {
                take_out(t.s.hand[us_of(&t.s)], i);
                drops_after(g, &t, i, out);
            }
        }
}

static void slow_moves(const struct slow_game *g, const struct making *m, struct slow_list *out)
{
    const struct slow *s = &m->s;
    bool us = s->stm == 'w';

    for (int from = 0; s->at[from]; from++)
        for (int to = 0; mine(s, s->at[from]) && s->at[to]; to++) {
            struct making t = *m;
            char taken = s->at[to];

            if (to == from || taken == '*' || mine(s, taken) || taken == king_letter(!us) ||
                (taken != '.' && m->laid[to] && g->v->no_recapture) ||
                !hands_goes(g->v, s->at, from, to, taken != '.'))
                continue;
            t.s.at[to] = '.';
            if (!has_room(g->v, t.s.at, to, s->at[from]))
                continue;
            t.s.at[to] = s->at[from];
            t.s.at[from] = '.';
            t.to = to;
            if (taken != '.') {
                t.fresh = taken;
                t.length = turns_for(g, s, taken);
            }
            if (taken != '.' && men_on(t.s.at, !us) == 1)
                end_turn(g, t, out);
            else
                drops_after(g, &t, 0, out);
        }
}

/* Drops of the men held from place i of the hand on, before the move. */
static void drops_before(const struct slow_game *g, const struct making *m, size_t i,
                         struct slow_list *out)
{
    const char *hand = m->s.hand[us_of(&m->s)];

    if (!hand[i]) {
        slow_moves(g, m, out);
        return;
    }
    drops_before(g, m, i + 2, out);
    for (int sq = 0; m->s.at[sq]; sq++)
        if (has_room(g->v, m->s.at, sq, hand[i])) {
            struct making t = *m;

            t.s.at[sq] = hand[i];
            t.laid[sq] = true;
            release(g, &t.s, hand[i]);
            take_out(t.s.hand[us_of(&t.s)], i);
            drops_before(g, &t, i, out);
        }
}

static bool lattice_ferz_or_alfil(const struct bk_variant *v, char c, int a, int b)
{
    int x = abs(a % v->files - b % v->files), y = abs(a / v->files - b / v->files);

    switch (toupper((unsigned char)c)) { /* by hand for the two kinds that occur */
    case 'F': return (x + y) % 2 == 0;
    case 'A': return x % 2 == 0 && y % 2 == 0 && (x / 2 + y / 2) % 2 == 0;
    }
    return false;
}

static void take_from_pool(struct slow *s, int i)
{
    memmove(s->pool + i, s->pool + i + 1, strlen(s->pool + i));
}

static void pool_drops(const struct slow_game *g, const struct slow *s, int side,
                       struct slow_list *out)
{
    const struct bk_variant *v = g->v;
    bool any = false;

    if (side == 2) {
        end_turn(g, (struct making){ .s = *s }, out);
        return;
    }
    for (int i = 0; s->pool[i]; i++) {
        char c = s->pool[i];

        if (white(c) != (side == 0) || toupper((unsigned char)c) == 'K')
            continue;
        any = true;
        for (int sq = 0; s->at[sq]; sq++) {
            struct slow t = *s;
            bool bound = false;

            for (int k = 0; s->at[k]; k++)
                bound |= s->at[k] == c && lattice_ferz_or_alfil(v, c, k, sq);
            if (!has_room(v, s->at, sq, c) || bound)
                continue;
            t.at[sq] = c;
            take_from_pool(&t, i);
            pool_drops(g, &t, side + 1, out);
        }
    }
    if (!any)
        pool_drops(g, s, side + 1, out);
}

static void king_drops(const struct slow_game *g, const struct slow *s, struct slow_list *out)
{
    const struct bk_variant *v = g->v;
    char c = king_letter(s->stm == 'w');

    for (int sq = 0; s->at[sq]; sq++) {
        struct slow t = *s;
        size_t before;

        if (!has_room(v, s->at, sq, c))
            continue;
        t.at[sq] = c;
        take_from_pool(&t, (int)(strchr(t.pool, c) - t.pool));
        before = out->n;
        end_turn(g, (struct making){ .s = t }, out);
        if (out->n > before && !t.pool[0]) /* the turns after that are quiet */
            out->s[before].quiet = 2 * v->quiet_turns;
    }
}

static void slow_turns(const struct slow_game *g, const struct slow *s, struct slow_list *out)
{
    struct making m = { .s = *s };

    out->n = 0;
    if (opening(s) && strspn(s->pool, "Kk") == strlen(s->pool))
        king_drops(g, s, out);
    else if (opening(s))
        pool_drops(g, s, 0, out);
    else
        drops_before(g, &m, 0, out);
}

/* == The slow one: ends == */

static bool one_in_each_box(const struct bk_variant *v, const char *at, bool whites)
{
    for (int f = 0; f < v->files; f += 2)
        for (int r = 0; r < v->ranks; r += 2) {
            int squares = 0, men = 0;

            for (int sq = 0; at[sq]; sq++)
                if (sq % v->files / 2 == f / 2 && sq / v->files / 2 == r / 2 && at[sq] != '*') {
                    squares++;
                    men += at[sq] != '.' && white(at[sq]) == whites;
                }
            if (squares && men != 1)
                return false;
        }
    return true;
}

/* Can the king to move, who is alone, take the other side's only man? */
static bool takes_back(const struct bk_variant *v, const struct slow *s)
{
    bool us = s->stm == 'w';
    int king = (int)(strchr(s->at, king_letter(us)) - s->at);

    for (int sq = 0; s->at[sq]; sq++) {
        struct slow t = *s;

        if (!yours(s, s->at[sq]) || s->at[sq] == king_letter(!us) ||
            !hands_goes(v, s->at, king, sq, true))
            continue;
        t.at[sq] = '.';
        if (!has_room(v, t.at, sq, king_letter(us)))
            continue;
        t.at[sq] = king_letter(us);
        t.at[king] = '.';
        if (safe(v, t.at, us) && (!s->quiet || v->quiet_moves || safe(v, t.at, !us)))
            return true; /* kings never attack each other, so this move gives no check itself */
    }
    return false;
}

static bool slow_over(const struct bk_variant *v, const struct slow *s, int *score)
{
    bool us = s->stm == 'w';
    int ours = men_on(s->at, us), theirs = men_on(s->at, !us);

    if (!opening(s) && (ours == 1 || theirs == 1)) {
        if (v->configuration && ours + theirs > 2 && one_in_each_box(v, s->at, !us)) {
            *score = -SLOW_WON; /* won when the turn ended, before anyone could bare back */
            return true;
        }
        *score = ours == theirs ? 0 : ours == 1 ? -SLOW_WON : SLOW_WON;
        if (ours == 1 && theirs == 2 && v->bare == BK_BARE_BACK && takes_back(v, s))
            *score = 0;
        return true;
    }
    if (!v->configuration ||
        (!one_in_each_box(v, s->at, true) && !one_in_each_box(v, s->at, false)))
        return false;
    *score = one_in_each_box(v, s->at, !us) ? -SLOW_WON : SLOW_WON;
    return true;
}

/* == The slow one: all nodes == */

struct graph {
    struct slow_game rules;
    const struct bk_variant *v;
    struct slow_graph all; /* of struct slow */
};

static struct graph begin_graph(const struct bk_variant *v)
{
    return (struct graph){ .v = v,
                           .rules = { .v = v, .cap = CAP },
                           .all = { .bytes = sizeof(struct slow) } };
}

static char *text_of(const struct slow *s, char out[SLOW_TEXT])
{
    snprintf(out, SLOW_TEXT, "%s[%s]%s,%s %s,%s %c%d", s->at, s->pool, s->hand[WHITE],
             s->hand[BLACK], s->freed[WHITE], s->freed[BLACK], s->stm, s->quiet);
    return out;
}

static size_t node_of(struct graph *g, const struct slow *s)
{
    char text[SLOW_TEXT];

    return slow_node_add(&g->all, text_of(s, text), s);
}

static const struct slow *position_of(const struct graph *g, size_t node)
{
    return slow_state(&g->all, node);
}

/* Adds the edges of every node; new nodes are appended and explored in their turn. */
static void explore(struct graph *g)
{
    struct slow_list turns = { 0 };

    for (size_t i = 0; i < g->all.n; i++) {
        struct slow s = *position_of(g, i);
        int outside = SLOW_WORST, score;

        g->all.node[i].first = g->all.node[i].end = g->all.nedges;
        if (slow_over(g->v, &s, &score)) {
            g->all.node[i].outside = score;
            continue;
        }
        slow_turns(&g->rules, &s, &turns);
        if (!turns.n)
            outside = safe(g->v, s.at, s.stm == 'w') && g->v->stalemate == BK_STALEMATE_DRAW
                          ? 0
                          : -SLOW_WON;
        for (size_t k = 0; k < turns.n; k++) {
            if (slow_over(g->v, &turns.s[k], &score)) {
                outside = slow_back(score) > outside ? slow_back(score) : outside;
                continue;
            }
            slow_edge_add(&g->all, node_of(g, &turns.s[k]));
        }
        g->all.node[i].outside = outside;
        g->all.node[i].end = g->all.nedges;
    }
    free(turns.s);
}

/* == Comparing == */

/* Writes " k1.0,0.2": of the types that the other side has, in the order of the game's file. */
static void write_freed(const struct bk_variant *v, const struct slow *s, char *out)
{
    char men[SQUARES + 16 + 2 * 24];

    snprintf(men, sizeof men, "%s%s%s%s", s->at, s->pool, s->hand[WHITE], s->hand[BLACK]);
    for (int side = 0; side < 2; side++) {
        const char *before = side ? "," : " k";

        for (int type = 0; type < v->ntypes; type++) {
            char c = v->piece[type].letter;

            if (c == 'K' || !strchr(men, side == WHITE ? tolower((unsigned char)c) : c))
                continue;
            out += sprintf(out, "%s%c", before, s->freed[side][kind_of(c)]);
            before = ".";
        }
    }
}

static char *fen_of(const struct bk_variant *v, const struct slow *s, char out[BK_FEN_MAX])
{
    size_t n = 0;

    for (int r = v->ranks; r--;) {
        for (int f = 0; f < v->files; f++) {
            char c = s->at[r * v->files + f];

            if (c != '.')
                out[n++] = c;
            else if (f && s->at[r * v->files + f - 1] == '.')
                out[n - 1]++;
            else
                out[n++] = '1';
        }
        out[n++] = r ? '/' : '[';
    }
    n += (size_t)sprintf(out + n, "%s", s->pool);
    for (int side = 0; side < 2; side++)
        for (const char *h = s->hand[side]; *h; h += 2)
            n += (size_t)sprintf(out + n, h[1] == '1' ? "%c" : "%c=%c", h[0], h[1]);
    if (out[n - 1] == '[')
        out[n++] = '-';
    n += (size_t)sprintf(out + n, "] %c", s->stm);
    if (v->hand_bonus)
        write_freed(v, s, out + n);
    return out;
}

static void empty_board(const struct bk_variant *v, struct slow *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        s->at[sq] = bk_bits_has(&v->board, sq) ? '.' : '*';
    strcpy(s->freed[WHITE], "000000");
    strcpy(s->freed[BLACK], "000000");
}

/* Adds a node for every way to put `army` on the board or, at most one man a colour, in a hand. */
static void all_placements(struct graph *g, const char *army, struct slow *s)
{
    char *hand;

    if (!*army) {
        for (int i = 0; i < 2; i++) {
            struct slow t = *s;

            t.stm = "wb"[i];
            if (safe(g->v, t.at, i == 1))
                node_of(g, &t);
        }
        return;
    }
    for (int sq = 0; s->at[sq]; sq++)
        if (has_room(g->v, s->at, sq, *army)) {
            s->at[sq] = *army;
            all_placements(g, army + 1, s);
            s->at[sq] = '.';
        }
    hand = s->hand[white(*army) ? BLACK : WHITE];
    if (toupper((unsigned char)*army) != 'K' && !*hand) {
        put_in(hand, *army, '1');
        all_placements(g, army + 1, s);
        *hand = 0;
    }
}

/* == A whole game == */

/* Adds every placement of `army`; from_empty: the empty board instead. */
static void begin(struct graph *g, const char *army, bool from_empty)
{
    struct slow s;

    empty_board(g->v, &s);
    if (from_empty) {
        strcpy(s.pool, army);
        s.stm = 'w';
        node_of(g, &s);
    } else {
        all_placements(g, army, &s);
    }
}

/* Solves these, and all that follows from them. */
static void solve(struct graph *g, const char *army, bool from_empty)
{
    begin(g, army, from_empty);
    explore(g);
    slow_repeat(&g->all);
}

static struct hands_state state_of(const struct graph *g, size_t node, char fen[BK_FEN_MAX])
{
    const struct slow *s = position_of(g, node);
    int score = g->all.node[node].score;

    return (struct hands_state){ .fen = fen_of(g->v, s, fen),
                                 .quiet = (unsigned)s->quiet,
                                 .wdl = (score > 0) - (score < 0),
                                 .dtw = score ? (unsigned)(SLOW_WON - abs(score)) : 0 };
}

uint64_t hands_each(const struct bk_variant *v, const char *army, hands_visit *visit, void *context)
{
    struct graph g = begin_graph(v);
    uint64_t n;

    solve(&g, army, false);
    for (size_t i = 0; i < g.all.n; i++) {
        char fen[BK_FEN_MAX];
        struct hands_state s = state_of(&g, i, fen);

        visit(context, &s);
    }
    n = g.all.n;
    slow_graph_free(&g.all);
    return n;
}

uint64_t hands_changed(const struct bk_variant *v, const struct bk_variant *other, const char *army,
                       bool from_empty)
{
    struct graph a = begin_graph(v), b = begin_graph(other);
    uint64_t n = 0;

    solve(&a, army, from_empty);
    solve(&b, army, from_empty);
    for (size_t i = 0; i < a.all.n; i++) {
        size_t at = slow_node_find(&b.all, a.all.node[i].text);

        n += at != SIZE_MAX && b.all.node[at].score != a.all.node[i].score;
    }
    slow_graph_free(&a.all);
    slow_graph_free(&b.all);
    return n;
}

/* == Comparing == */

/* Sets *value to what `w` says in the game of `g`: true of one side at least, of the other at most.
 */
static void ask(const struct graph *g, struct bk_whole *w, const struct bk_hands_pos *p,
                struct bk_whole_value *value)
{
    struct bk_whole_value least, most;

    bk_whole_value(w, p, &least, &most);
    *value = g->rules.ever[p->stm] ? most : least;
}

/* Returns how many states of `g` have another value in `w`; prints the first of them. */
static unsigned compare(struct graph *g, struct bk_whole *w, const char *what)
{
    unsigned different = 0;

    for (size_t i = 0; i < g->all.n; i++) {
        char fen[BK_FEN_MAX];
        struct hands_state s = state_of(g, i, fen);
        struct bk_hands_pos p;
        struct bk_report why = { "" };
        struct bk_whole_value fast = { 0, 0 };
        enum bk_err err = bk_hands_from_fen(&p, g->v, s.fen, &why);

        if (!err) {
            p.quiet = (uint8_t)s.quiet;
            ask(g, w, &p, &fast);
        }
        if ((err || fast.wdl != s.wdl || fast.plies != s.dtw) && !different++)
            printf("%s: %s quiet %u: fast %d in %u, slow %d in %u %s\n", what, fen, s.quiet,
                   fast.wdl, fast.plies, s.wdl, s.dtw, why.text);
    }
    return different;
}

static unsigned legal_states(const struct graph *g)
{
    unsigned n = 0;

    for (size_t i = 0; i < g->all.n; i++) {
        const struct slow *s = position_of(g, i);

        n += !s->quiet && !opening(s) && !strcmp(s->freed[WHITE], "000000") &&
             !strcmp(s->freed[BLACK], "000000");
    }
    return n;
}

static unsigned compare_number(const struct graph *g, struct bk_whole *w, const char *what)
{
    struct bk_whole_summary sum;

    bk_whole_summary(w, &sum);
    if (sum.states == legal_states(g))
        return 0;
    printf("%s: fast %llu states, slow %u\n", what, (unsigned long long)sum.states,
           legal_states(g));
    return 1;
}

/* Compares all states, by the game in which `ever` holds men for ever, with what `w` says. */
static unsigned check_game(const struct bk_variant *v, const char *army, bool from_empty,
                           unsigned ever, struct bk_whole *w)
{
    struct graph g = begin_graph(v);
    unsigned different;

    g.rules.ever[ever] = v->hand_bonus;
    solve(&g, army, from_empty);
    different = compare(&g, w, army) + (from_empty ? 0 : compare_number(&g, w, army));
    slow_graph_free(&g.all);
    return different;
}

/* Reads any position of these men; false: they do not fit. */
static bool some_position(const struct bk_variant *v, const char *army, bool from_empty,
                          struct bk_hands_pos *p)
{
    struct graph g = begin_graph(v);
    struct bk_report why = { "" };
    char fen[BK_FEN_MAX];
    bool fits;

    begin(&g, army, from_empty);
    fits = g.all.n && !bk_hands_from_fen(p, v, fen_of(v, position_of(&g, 0), fen), &why);
    if (g.all.n && !fits)
        printf("%s: %s\n", fen, why.text);
    slow_graph_free(&g.all);
    return fits;
}

static unsigned check(const struct bk_variant *v, const char *army, bool from_empty)
{
    struct bk_whole_options o = { .opening = from_empty, .bonus_cap = CAP };
    struct bk_report why = { "" };
    struct bk_whole *w = NULL;
    struct bk_hands_pos p;
    unsigned different = 0;

    if (!some_position(v, army, from_empty, &p))
        return 0;
    if (bk_whole_new(&w, v, &p, &o, &why) != BK_OK) {
        printf("%s: %s\n", army, why.text);
        return 1;
    }
    for (unsigned ever = 0; ever < (v->hand_bonus ? 2 : 1); ever++)
        different += check_game(v, army, from_empty, ever, w);
    bk_whole_free(w);
    return different;
}

unsigned hands_check_army(const struct bk_variant *v, const char *army)
{
    return check(v, army, false);
}

unsigned hands_check_opening(const struct bk_variant *v, const char *pool)
{
    return check(v, pool, true);
}

/* == Games == */

#define MEN                                                                                        \
    "[piece king]\nletter = K\nroyal = yes\nmove = K\n%s%s\n"                                      \
    "[piece rook]\nletter = R\nmove = R\narmy = %d\n%s%s\n"                                        \
    "[piece knight]\nletter = N\nmove = N\narmy = %d\n"                                            \
    "[piece ferz]\nletter = F\nmove = F\narmy = %d\n"                                              \
    "[piece alfil]\nletter = A\nmove = A\n"                                                        \
    "[piece cannon]\nletter = C\nmove = mRcpR\narmy = %d\n"                                        \
    "[piece pawn]\nletter = P\nmove = mfWcfF\n"

char *hands_text(const struct hands_rules *r, char out[HANDS_TEXT_MAX])
{
    const char *king = r->king_ranks ? r->king_ranks : "",
               *rook = r->rook_ranks ? r->rook_ranks : "";

    snprintf(out, HANDS_TEXT_MAX,
             "[variant]\nname = case\nboard = %s\n%s%s\nbare-king = %s\nstalemate = %s\n"
             "hand = captured\nhand-bonus = %s\nhand-recapture = %s\nconfiguration = %s\nopening = "
             "drops\n"
             "opening-quiet-turns = %d\n%s" MEN,
             r->board, *r->holes ? "holes = " : "", r->holes, r->bare, r->stalemate,
             r->bonus ? "n-for-n" : "none", r->no_recapture ? "no" : "yes", r->configuration,
             r->quiet, r->quiet_moves ? "opening-quiet = moves\n" : "", *king ? "ranks = " : "",
             king, r->rooks, *rook ? "ranks = " : "", rook, r->knights, r->ferzes, r->cannons);
    return out;
}

struct bk_variant *hands_game(const struct hands_rules *r)
{
    struct bk_report why = { "" };
    char text[HANDS_TEXT_MAX];
    struct bk_variant *v;

    if (bk_variant_parse(&v, "case", hands_text(r, text), &why)) {
        printf("%s\n%s", why.text, text);
        abort();
    }
    return v;
}

char *hands_fen(const struct bk_variant *v, const struct ref_pos *pos, char out[BK_FEN_MAX])
{
    struct slow s;

    empty_board(v, &s);
    s.stm = pos->stm == BK_WHITE ? 'w' : 'b';
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (pos->at[sq])
            s.at[sq] = pos->at[sq] > 0
                           ? v->piece[pos->at[sq] - 1].letter
                           : (char)tolower((unsigned char)v->piece[-pos->at[sq] - 1].letter);
    return fen_of(v, &s, out);
}

/* == Random cases == */

static const char *const boards[][2] = {
    { "3x3", "" },   { "3x3", "c3" },          { "4x2", "" },      { "3x3", "b2" }, { "2x5", "" },
    { "4x3", "d3" }, { "4x4", "c3 d3 c4 d4" }, { "3x4", "a1 c4" },
};

/* Two to three men a side, kings included, five in all at most. */
static void draw_army(uint64_t *seed, char army[8])
{
    bool five = random_once_in(seed, 3);
    unsigned white = five && random_once_in(seed, 2) ? 2 : 1;
    unsigned black = five && white == 1 ? 2 : 1;

    *army++ = 'K';
    while (white--)
        *army++ = "RNFACP"[random_below(seed, 6)];
    *army++ = 'k';
    while (black--)
        *army++ = "rnfacp"[random_below(seed, 6)];
    *army = 0;
}

/* The same men on both sides, one or two beside the king. */
static void draw_opening(uint64_t *seed, struct hands_rules *r, char pool[8])
{
    static const char *const one[] = { "KRkr", "KNkn", "FKfk", "CKck" };
    unsigned kind = random_below(seed, 4);

    r->quiet = (int)random_below(seed, 3);
    r->rooks = kind == 0;
    r->knights = kind == 1;
    r->ferzes = kind == 2;
    r->cannons = kind == 3;
    strcpy(pool, one[kind]);
}

void hands_draw(uint64_t seed, struct hands_case *c)
{
    unsigned b = random_below(&seed, sizeof boards / sizeof *boards);

    *c = (struct hands_case){ .rules = { .board = boards[b][0],
                                         .holes = boards[b][1],
                                         .bare = "wins-unless-bared-back",
                                         .stalemate = "loss",
                                         .configuration = "2x2" } };
    if (random_once_in(&seed, 3))
        c->rules.bare = "wins";
    if (random_once_in(&seed, 3))
        c->rules.stalemate = "draw";
    if (random_once_in(&seed, 3))
        c->rules.configuration = "none";
    if (random_once_in(&seed, 4))
        c->rules.king_ranks = random_once_in(&seed, 2) ? "1" : "1-2";
    if (random_once_in(&seed, 4))
        c->rules.rook_ranks = random_once_in(&seed, 2) ? "2" : "1,2";
    c->opening = random_once_in(&seed, 4);
    if (c->opening)
        draw_opening(&seed, &c->rules, c->army);
    else
        draw_army(&seed, c->army);
    c->rules.no_recapture = random_once_in(&seed, 2);
    c->rules.bonus = random_once_in(&seed, 3);
    c->rules.quiet_moves = c->rules.quiet && random_once_in(&seed, 2);
}

unsigned hands_check(const struct hands_case *c)
{
    struct bk_variant *v = hands_game(&c->rules);
    unsigned different = check(v, c->army, c->opening);

    if (different)
        printf(
            "%s holes %s, %s%s, bare %s, stalemate %s, configuration %s, quiet %d, K on %s, R on "
            "%s%s%s%s\n",
            c->rules.board, c->rules.holes, c->opening ? "opening " : "", c->army, c->rules.bare,
            c->rules.stalemate, c->rules.configuration, c->rules.quiet,
            c->rules.king_ranks ? c->rules.king_ranks : "all",
            c->rules.rook_ranks ? c->rules.rook_ranks : "all",
            c->rules.no_recapture ? ", no recapture" : "", c->rules.bonus ? ", bonus turns" : "",
            c->rules.quiet_moves ? ", quiet moves" : "");
    bk_variant_free(v);
    return different;
}
