/*
 * slow_exchange.c - the slow solver where a drop is a turn; see slow_exchange.h.
 *
 * A position is a string of letters, a node is found by its text, turns are made on copies, and
 * values are repeated until nothing changes.  An en passant square is part of the text.
 */
#include "tests/slow_exchange.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/read.h"
#include "tb/whole.h"
#include "tests/random_variant.h"
#include "tests/slow_graph.h"
#include "tests/slow_hands.h"

/* == Positions == */

enum { SQUARES = 36, OFF = 12 };

struct slow {
    char at[SQUARES + 1];  /* '.', '*', or a letter, upper case White's; a1 first */
    char was[SQUARES + 1]; /* '~' where a promoted man stands who changes sides, else ' ' */
    /* Sorted letters.  Changing sides: `held` in the case of the owner.  Hostages, in the case of
       their colour: `held` are in the other side's prison, `freed` on their own airfield. */
    char held[OFF], freed[OFF];
    char stm; /* 'w', 'b' */
    int ep;   /* -1: none */
};

struct list {
    struct slow *s;
    size_t n, room;
};

static bool white(char c) { return isupper((unsigned char)c); }
static bool is_man(char c) { return isalpha((unsigned char)c); }
static bool hostage(const struct bk_variant *v) { return v->hand_kind == BK_HAND_HOSTAGE; }
static char swapped(char c) { return (char)(white(c) ? tolower(c) : toupper(c)); }
static char of_colour(char letter, bool is_white)
{
    return (char)(is_white ? toupper(letter) : tolower(letter));
}

static int worth(const struct bk_variant *v, char c)
{
    return v->worth[slow_piece(v, c) - v->piece];
}

static int own_rank(const struct bk_variant *v, int sq, bool is_white)
{
    return is_white ? sq / v->files : v->ranks - 1 - sq / v->files;
}

static bool may_stand(const struct bk_variant *v, int sq, char c)
{
    return slow_piece(v, c)->ranks >> own_rank(v, sq, white(c)) & 1;
}

static void add(char *off, char c)
{
    size_t at = 0;

    while (off[at] && off[at] < c)
        at++;
    memmove(off + at + 1, off + at, strlen(off + at) + 1);
    off[at] = c;
}

static void drop_out(char *off, char c)
{
    char *at = strchr(off, c);

    memmove(at, at + 1, strlen(at));
}

/* Writes the letters that man `c` may be when he has come to `to`, himself perhaps among them. */
static void arrivals(const struct bk_variant *v, const struct slow *s, char c, int to,
                     char out[BK_TYPES_MAX + 2])
{
    const struct bk_piece *p = slow_piece(v, c);
    bool must = false;
    size_t n = 0;

    for (int i = 0; i < p->nbecomes; i++) {
        const struct bk_become *b = &p->become[i];

        if (!(b->ranks >> own_rank(v, to, white(c)) & 1))
            continue;
        must |= b->must;
        for (int k = 0; k < b->nto; k++) {
            char as = of_colour(v->piece[b->to[k]].letter, white(c));

            if (may_stand(v, to, as) && (!hostage(v) || strchr(s->held, as)))
                out[n++] = as;
        }
    }
    if (may_stand(v, to, c) && !(must && n))
        out[n++] = c;
    out[n] = 0;
}

static bool attacked(const struct bk_variant *v, const struct slow *s, int sq, bool by_white)
{
    char any[BK_TYPES_MAX + 2];

    for (int from = 0; s->at[from]; from++)
        if (is_man(s->at[from]) && white(s->at[from]) == by_white &&
            hands_goes(v, s->at, from, sq, true)) {
            arrivals(v, s, s->at[from], sq, any);
            if (!hostage(v) || *any || !slow_piece(v, s->at[from])->nbecomes)
                return true;
        }
    return false;
}

static bool safe(const struct bk_variant *v, const struct slow *s, bool white_king)
{
    int king = (int)(strchr(s->at, white_king ? 'K' : 'k') - s->at);

    return !attacked(v, s, king, !white_king);
}

/* == Turns == */

static void end_turn(const struct bk_variant *v, struct slow s, int ep, struct list *out)
{
    bool us = s.stm == 'w';

    if (!safe(v, &s, us))
        return;
    s.ep = ep;
    s.stm = us ? 'b' : 'w';
    if (out->n == out->room) {
        out->room = out->room ? 2 * out->room : 64;
        out->s = slow_grow(out->s, out->room, sizeof *out->s);
    }
    out->s[out->n++] = s;
}

/* A man taken goes where the game keeps him. */
static void take(const struct bk_variant *v, struct slow *s, int sq)
{
    char c = s->at[sq];

    if (s->was[sq] == '~') {
        for (int i = 0; i < v->ntypes; i++)
            if (v->piece[i].nbecomes)
                c = of_colour(v->piece[i].letter, white(c));
    }
    add(s->held, hostage(v) ? c : swapped(c));
    s->at[sq] = '.';
    s->was[sq] = ' ';
}

/* Moves to `to`, where nobody of one's own stands; `victim`: who is taken, or -1. */
static void move(const struct bk_variant *v, const struct slow *s, int from, int to, int victim,
                 int ep, struct list *out)
{
    char as[BK_TYPES_MAX + 2];

    arrivals(v, s, s->at[from], to, as);
    for (const char *a = as; *a; a++) {
        struct slow t = *s;

        if (victim >= 0)
            take(v, &t, victim);
        t.at[to] = *a;
        t.was[to] = *a != s->at[from] && !hostage(v) ? '~' : s->was[from];
        t.at[from] = '.';
        t.was[from] = ' ';
        if (*a != s->at[from] && hostage(v)) {
            drop_out(t.held, *a);
            add(t.held, s->at[from]);
        }
        end_turn(v, t, ep, out);
    }
}

static void man_moves(const struct bk_variant *v, const struct slow *s, int from, struct list *out)
{
    bool us = s->stm == 'w';
    int ahead = us ? v->files : -v->files;
    const struct bk_piece *p = slow_piece(v, s->at[from]);

    for (int to = 0; s->at[to]; to++) {
        char there = s->at[to];

        if (there == '*' || to == from || (is_man(there) && white(there) == us) ||
            there == (us ? 'k' : 'K'))
            continue;
        if (hands_goes(v, s->at, from, to, there != '.'))
            move(v, s, from, to, there == '.' ? -1 : to, -1, out);
        if (to == s->ep && p->double_ranks && own_rank(v, to, us) > own_rank(v, from, us) &&
            hands_goes(v, s->at, from, to, true))
            move(v, s, from, to, to - ahead, -1, out);
    }
    if (p->double_ranks >> own_rank(v, from, us) & 1 && s->at[from + ahead] == '.' &&
        s->at[from + 2 * ahead] == '.')
        move(v, s, from, from + 2 * ahead, -1, v->en_passant ? from + ahead : -1, out);
}

static void drops(const struct bk_variant *v, const struct slow *s, char c, struct list *out)
{
    for (int sq = 0; s->at[sq]; sq++)
        if (s->at[sq] == '.' && may_stand(v, sq, c)) {
            struct slow t = *s;

            t.at[sq] = c;
            end_turn(v, t, -1, out);
        }
}

static void hostage_drops(const struct bk_variant *v, const struct slow *s, struct list *out)
{
    bool us = s->stm == 'w';

    for (const char *c = s->freed; *c; c++) {
        struct slow t = *s;

        if (white(*c) != us)
            continue;
        drop_out(t.freed, *c);
        drops(v, &t, *c, out);
    }
    for (const char *c = s->held; *c; c++)
        for (const char *given = s->held; *given; given++) {
            struct slow t = *s;

            if (white(*c) != us || white(*given) == us || worth(v, *given) < worth(v, *c))
                continue;
            drop_out(t.held, *c);
            drop_out(t.held, *given);
            add(t.freed, *given);
            drops(v, &t, *c, out);
        }
}

static void turns(const struct bk_variant *v, const struct slow *s, struct list *out)
{
    bool us = s->stm == 'w';

    out->n = 0;
    for (int from = 0; s->at[from]; from++)
        if (is_man(s->at[from]) && white(s->at[from]) == us)
            man_moves(v, s, from, out);
    if (hostage(v))
        hostage_drops(v, s, out);
    for (const char *c = s->held; *c && !hostage(v); c++) {
        struct slow t = *s;

        if (white(*c) != us)
            continue;
        drop_out(t.held, *c);
        drops(v, &t, *c, out);
    }
}

/* == All nodes == */

struct graph {
    const struct bk_variant *v;
    struct slow_graph all; /* of struct slow */
};

static size_t node_of(struct graph *g, const struct slow *s)
{
    char text[SLOW_TEXT];

    snprintf(text, SLOW_TEXT, "%s%s[%s]{%s}%c%d", s->at, s->was, s->held, s->freed, s->stm, s->ep);
    return slow_node_add(&g->all, text, s);
}

static const struct slow *position_of(const struct graph *g, size_t node)
{
    return slow_state(&g->all, node);
}

/* Adds the edges of every node; new nodes are appended and explored in their turn. */
static void explore(struct graph *g)
{
    struct list after = { 0 };

    for (size_t i = 0; i < g->all.n; i++) {
        struct slow s = *position_of(g, i);

        turns(g->v, &s, &after);
        g->all.node[i].first = g->all.nedges;
        for (size_t k = 0; k < after.n; k++)
            slow_edge_add(&g->all, node_of(g, &after.s[k]));
        if (!after.n)
            g->all.node[i].outside =
                safe(g->v, &s, s.stm == 'w') && g->v->stalemate == BK_STALEMATE_DRAW ? 0
                                                                                     : -SLOW_WON;
        g->all.node[i].end = g->all.nedges;
    }
    free(after.s);
}

/* == All placements == */

static void each_place(struct graph *g, const char *army, struct slow *s);

/* Puts man `c` on every square where he may stand; mark: he was promoted. */
static void each_square(struct graph *g, const char *army, struct slow *s, char c, char mark)
{
    for (int sq = 0; s->at[sq]; sq++)
        if (s->at[sq] == '.' && may_stand(g->v, sq, c)) {
            s->at[sq] = c;
            s->was[sq] = mark;
            each_place(g, army + 1, s);
            s->at[sq] = '.';
            s->was[sq] = ' ';
        }
}

static void each_off(struct graph *g, const char *army, struct slow *s, char c, char *off)
{
    add(off, c);
    each_place(g, army + 1, s);
    drop_out(off, c);
}

/* A man who changes sides: of either, in hand, on the board, promoted. */
static void each_owner(struct graph *g, const char *army, struct slow *s)
{
    const struct bk_piece *p = slow_piece(g->v, *army);

    for (int is_white = 0; is_white < 2; is_white++) {
        char c = of_colour(*army, is_white);
        uint32_t seen = 0;

        each_off(g, army, s, c, s->held);
        each_square(g, army, s, c, ' ');
        for (int i = 0; i < p->nbecomes; i++)
            for (int k = 0; k < p->become[i].nto; k++) {
                unsigned as = p->become[i].to[k];

                if (!(seen >> as & 1))
                    each_square(g, army, s, of_colour(g->v->piece[as].letter, is_white), '~');
                seen |= UINT32_C(1) << as;
            }
    }
}

/* Adds a node for every way to place the men of `army` from here on. */
static void each_place(struct graph *g, const char *army, struct slow *s)
{
    if (!*army) {
        for (int i = 0; i < 2; i++) {
            struct slow t = *s;

            t.stm = "wb"[i];
            if (safe(g->v, &t, i == 1))
                node_of(g, &t);
        }
    } else if (toupper((unsigned char)*army) == 'K') {
        each_square(g, army, s, *army, ' ');
    } else if (hostage(g->v)) {
        each_off(g, army, s, *army, s->held);
        each_off(g, army, s, *army, s->freed);
        each_square(g, army, s, *army, ' ');
    } else {
        each_owner(g, army, s);
    }
}

static void begin(struct graph *g, const char *army)
{
    struct slow s = { .ep = -1 };

    for (unsigned sq = 0; sq < g->v->nsq; sq++) {
        s.at[sq] = bk_bits_has(&g->v->board, sq) ? '.' : '*';
        s.was[sq] = ' ';
    }
    each_place(g, army, &s);
}

/* == Comparing == */

static char *fen_of(const struct bk_variant *v, const struct slow *s, char out[BK_FEN_MAX])
{
    size_t n = 0;

    for (int r = v->ranks; r--;) {
        for (int f = 0; f < v->files; f++) {
            int sq = r * v->files + f;

            if (s->at[sq] != '.')
                out[n++] = s->at[sq];
            else if (f && s->at[sq - 1] == '.')
                out[n - 1]++;
            else
                out[n++] = '1';
            if (s->was[sq] == '~')
                out[n++] = '~';
        }
        out[n++] = r ? '/' : '[';
    }
    n +=
        (size_t)sprintf(out + n, hostage(v) ? "%s]{%s} %c" : "%s]%s %c", s->held, s->freed, s->stm);
    if (s->ep >= 0)
        sprintf(out + n, " - %c%d", 'a' + s->ep % v->files, s->ep / v->files + 1);
    return out;
}

static unsigned compare(const struct graph *g, struct bk_whole *w, const char *what)
{
    struct bk_whole_summary sum;
    unsigned different = 0;
    size_t states = 0;

    for (size_t i = 0; i < g->all.n; i++) {
        const struct slow *s = position_of(g, i);
        int score = g->all.node[i].score, wdl = (score > 0) - (score < 0);
        unsigned dtw = score ? (unsigned)(SLOW_WON - abs(score)) : 0;
        struct bk_whole_value least = { 0, 0 }, most;
        struct bk_report why = { "" };
        struct bk_hands_pos p;
        char fen[BK_FEN_MAX];
        enum bk_err err = bk_hands_from_fen(&p, g->v, fen_of(g->v, s, fen), &why);

        states += s->ep < 0;
        if (!err)
            bk_whole_value(w, &p, &least, &most);
        if ((err || least.wdl != wdl || least.plies != dtw) && !different++)
            printf("%s: %s: fast %d in %u, slow %d in %u %s\n", what, fen, least.wdl, least.plies,
                   wdl, dtw, why.text);
    }
    bk_whole_summary(w, &sum);
    if (sum.states == states)
        return different;
    printf("%s: fast %llu states, slow %zu\n", what, (unsigned long long)sum.states, states);
    return different + 1;
}

unsigned exchange_check_army(const struct bk_variant *v, const char *army)
{
    struct bk_whole_options o = { .opening = true }; /* there is none: it says nothing */
    struct bk_report why = { "" };
    struct graph g = { .v = v, .all = { .bytes = sizeof(struct slow) } };
    struct bk_whole *w = NULL;
    struct bk_hands_pos p;
    unsigned different = 0;
    char fen[BK_FEN_MAX];

    begin(&g, army);
    if (g.all.n) {
        if (bk_hands_from_fen(&p, v, fen_of(v, position_of(&g, 0), fen), &why) ||
            bk_whole_new(&w, v, &p, &o, &why)) {
            printf("%s %s: %s\n", army, fen, why.text);
            abort();
        }
        explore(&g);
        slow_repeat(&g.all);
        different = compare(&g, w, army);
    }
    bk_whole_free(w);
    slow_graph_free(&g.all);
    return different;
}

/* == Games == */

struct bk_variant *exchange_game(const struct exchange_rules *r)
{
    char text[2000];
    struct bk_report why = { "" };
    struct bk_variant *v;

    snprintf(
        text, sizeof text,
        "[variant]\nname = case\nboard = %s\n%s%s\nbare-king = nothing\nstalemate = %s\n%s"
        "hand = %s\n%s"
        "[piece king]\nletter = K\nroyal = yes\nmove = K\n[piece queen]\nletter = Q\nmove = Q\n"
        "[piece rook]\nletter = R\nmove = R\n[piece bishop]\nletter = B\nmove = B\n"
        "[piece knight]\nletter = N\nmove = N\n[piece courier]\nletter = C\nmove = AD\n"
        "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = %s\n%s%s\n%s%s\n",
        r->board, *r->holes ? "holes = " : "", r->holes, r->stalemate,
        r->en_passant ? "en-passant = yes\n" : "", r->hostage ? "hostage" : "turned",
        r->hostage ? "values = Q9 R5 B3 N3 C3 P1\n" : "", r->pawn_ranks,
        r->double_step ? "double-step = " : "", r->double_step ? r->double_step : "",
        r->promotion ? "becomes = " : "", r->promotion ? r->promotion : "");
    if (bk_variant_parse(&v, "case", text, &why)) {
        printf("%s\n%s", why.text, text);
        abort();
    }
    return v;
}

static const struct {
    const char *board, *holes, *ranks, *doubles, *promotion;
} grounds[] = {
    { "3x3", "", "1-2", NULL, "3 must R N" }, { "3x4", "b2", "2-3", NULL, "4 must Q N" },
    { "2x5", "", "2-4", "2", "5 must R N" },  { "3x4", "", "1-3", "1,2", "4 must N" },
    { "4x3", "d3", "1-3", "1", "3 may B C" }, { "3x4", "c4", "1-4", NULL, NULL },
};

unsigned exchange_check_random(uint64_t seed)
{
    unsigned g = random_below(&seed, sizeof grounds / sizeof *grounds), different;
    struct exchange_rules r = { .board = grounds[g].board,
                                .holes = grounds[g].holes,
                                .pawn_ranks = grounds[g].ranks,
                                .double_step = grounds[g].doubles,
                                .promotion = grounds[g].promotion };
    char army[] = "K.k.";
    struct bk_variant *v;

    r.hostage = random_once_in(&seed, 2);
    r.en_passant = r.double_step && !random_once_in(&seed, 3);
    r.stalemate = random_once_in(&seed, 3) ? "loss" : "draw";
    army[1] = "QRBNCPPP"[random_below(&seed, 8)];
    army[3] = "qrbncppp"[random_below(&seed, 8)];
    v = exchange_game(&r);
    different = exchange_check_army(v, army);
    if (different)
        printf("%s on %s holes %s, pawns on %s, doubles %s, becomes %s, stalemate %s%s%s\n", army,
               r.board, r.holes, r.pawn_ranks, r.double_step ? r.double_step : "none",
               r.promotion ? r.promotion : "none", r.stalemate, r.hostage ? ", hostage" : "",
               r.en_passant ? ", en passant" : "");
    bk_variant_free(v);
    return different;
}
