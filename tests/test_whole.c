/*
 * test_whole.c - games with hands, solved twice.
 *
 * The slow solver in here is written from docs/whole.md and shares nothing
 * with src/core/hands.c and tb/whole.c but the variant as data: a position is a
 * string of letters, a node is found by its text, turns are made on copies, and
 * values are repeated until nothing changes.  Then every node is compared.
 *
 * WHOLE_CASES=N in the environment: so many random games, not the usual six.
 * WHOLE_MINI=1: also all of puzzle-mini from the empty board (minutes).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "random_variant.h"
#include "ref.h"
#include "tb/whole.h"

/* == The slow one: positions == */

enum { SQUARES = 36, TEXT = 80, BIG = 20000, WORST = -BIG - 1 };

struct slow {
    char at[SQUARES + 1]; /* '.', '*', or a letter, upper case White's; a1 first    */
    char pool[16];        /* of the opening, sorted                                 */
    char due, other;      /* held by the side to move; by the other side; 0: nobody */
    char stm;             /* 'w', 'b' */
    int quiet;
};

struct slow_list {
    struct slow *s;
    size_t n, room;
};

static void *grow(void *old, size_t n, size_t size)
{
    void *p = realloc(old, n * size);

    assert_non_null(p);
    return p;
}

static void push(struct slow_list *l, const struct slow *s)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->s = grow(l->s, l->room, sizeof *l->s);
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

static const struct bk_piece *piece_of(const struct bk_variant *v, char c)
{
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == toupper((unsigned char)c))
            return &v->piece[i];
    abort();
}

/* Can the man on `from` go to `to` as things stand?  Whoever is on `to`. */
static bool goes(const struct bk_variant *v, const char *at, int from, int to, bool taking)
{
    const struct bk_movement *m = &piece_of(v, at[from])->move;

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
            goes(v, at, sq, (int)(king - at), true))
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

/* The turn is over: `held` is what its mover goes on holding. */
static void end_turn(const struct bk_variant *v, struct slow s, char held, struct slow_list *out)
{
    bool us = s.stm == 'w';

    if (!safe(v, s.at, us) || (s.quiet && !safe(v, s.at, !us)))
        return;
    s.stm = us ? 'b' : 'w';
    s.due = s.other;
    s.other = held;
    s.quiet -= s.quiet > 0;
    push(out, &s);
}

static void drops_after(const struct bk_variant *v, const struct slow *s, char fresh,
                        struct slow_list *out)
{
    if (s->due) {
        for (int sq = 0; s->at[sq]; sq++)
            if (s->at[sq] == '.') {
                struct slow t = *s;

                t.at[sq] = s->due;
                t.due = 0;
                drops_after(v, &t, fresh, out);
            }
        return;
    }
    end_turn(v, *s, fresh, out);
    for (int sq = 0; fresh && s->at[sq]; sq++)
        if (s->at[sq] == '.') {
            struct slow t = *s;

            t.at[sq] = fresh;
            end_turn(v, t, 0, out);
        }
}

static void slow_moves(const struct bk_variant *v, const struct slow *s, struct slow_list *out)
{
    bool us = s->stm == 'w';

    for (int from = 0; s->at[from]; from++)
        for (int to = 0; mine(s, s->at[from]) && s->at[to]; to++) {
            struct slow t = *s;
            char taken = s->at[to];

            if (to == from || taken == '*' || mine(s, taken) || taken == king_letter(!us) ||
                !goes(v, s->at, from, to, taken != '.'))
                continue;
            t.at[to] = s->at[from];
            t.at[from] = '.';
            if (taken != '.' && men_on(t.at, !us) == 1)
                end_turn(v, t, taken, out);
            else
                drops_after(v, &t, taken == '.' ? 0 : taken, out);
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

static void take_from_pool(struct slow *s, int i) { memmove(s->pool + i, s->pool + i + 1,
                                                            strlen(s->pool + i)); }

static void pool_drops(const struct bk_variant *v, const struct slow *s, int side,
                       struct slow_list *out)
{
    bool any = false;

    if (side == 2) {
        end_turn(v, *s, 0, out);
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
            if (s->at[sq] != '.' || bound)
                continue;
            t.at[sq] = c;
            take_from_pool(&t, i);
            pool_drops(v, &t, side + 1, out);
        }
    }
    if (!any)
        pool_drops(v, s, side + 1, out);
}

static void king_drops(const struct bk_variant *v, const struct slow *s, struct slow_list *out)
{
    char c = king_letter(s->stm == 'w');

    for (int sq = 0; s->at[sq]; sq++) {
        struct slow t = *s;

        if (s->at[sq] != '.')
            continue;
        t.at[sq] = c;
        take_from_pool(&t, (int)(strchr(t.pool, c) - t.pool));
        if (!t.pool[0])
            t.quiet = 2 * v->quiet_turns;
        t.quiet += t.quiet > 0; /* end_turn() takes one off */
        end_turn(v, t, 0, out);
    }
}

static void slow_turns(const struct bk_variant *v, const struct slow *s, struct slow_list *out)
{
    out->n = 0;
    if (opening(s) && strspn(s->pool, "Kk") == strlen(s->pool)) {
        king_drops(v, s, out);
    } else if (opening(s)) {
        pool_drops(v, s, 0, out);
    } else {
        slow_moves(v, s, out);
        for (int sq = 0; s->due && s->at[sq]; sq++)
            if (s->at[sq] == '.') {
                struct slow t = *s;

                t.at[sq] = s->due;
                t.due = 0;
                slow_moves(v, &t, out);
            }
    }
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

/* The king alone takes the only man of the other side. */
static bool takes_back(const struct bk_variant *v, const struct slow *s)
{
    bool us = s->stm == 'w';
    int king = (int)(strchr(s->at, king_letter(us)) - s->at);

    for (int sq = 0; s->at[sq]; sq++) {
        struct slow t = *s;

        if (!yours(s, s->at[sq]) || s->at[sq] == king_letter(!us) ||
            !goes(v, s->at, king, sq, true))
            continue;
        t.at[sq] = king_letter(us);
        t.at[king] = '.';
        if (safe(v, t.at, us) && (!s->quiet || safe(v, t.at, !us)))
            return true;
    }
    return false;
}

static bool slow_over(const struct bk_variant *v, const struct slow *s, int *score)
{
    bool us = s->stm == 'w';
    int ours = men_on(s->at, us), theirs = men_on(s->at, !us);

    if (!opening(s) && (ours == 1 || theirs == 1)) {
        *score = ours == theirs ? 0 : ours == 1 ? -BIG : BIG;
        if (ours == 1 && theirs == 2 && v->bare == BK_BARE_BACK && takes_back(v, s))
            *score = 0;
        return true;
    }
    if (!v->configuration || (!one_in_each_box(v, s->at, true) &&
                              !one_in_each_box(v, s->at, false)))
        return false;
    *score = one_in_each_box(v, s->at, !us) ? -BIG : BIG;
    return true;
}

/* == The slow one: all nodes == */

struct node {
    char text[TEXT];
    struct slow s;
    int score, outside; /* outside: the best turn that ends the game */
    size_t first, end;  /* in edge[] */
    bool over;
};

struct graph {
    const struct bk_variant *v;
    struct node *node;
    size_t n, room, *edge, nedges, edge_room;
    size_t *hash, hash_room; /* node + 1; 0: free */
};

static char *text_of(const struct slow *s, char out[TEXT])
{
    snprintf(out, TEXT, "%s[%s]%c%c%c%d", s->at, s->pool, s->due ? s->due : '-',
             s->other ? s->other : '-', s->stm, s->quiet);
    return out;
}

static size_t *slot(struct graph *g, const char *text)
{
    uint64_t h = 1469598103934665603u;
    size_t i;

    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    for (i = h & (g->hash_room - 1); g->hash[i]; i = (i + 1) & (g->hash_room - 1))
        if (!strcmp(g->node[g->hash[i] - 1].text, text))
            break;
    return &g->hash[i];
}

static void rehash(struct graph *g)
{
    free(g->hash);
    g->hash_room = g->hash_room ? 2 * g->hash_room : 1 << 16;
    g->hash = calloc(g->hash_room, sizeof *g->hash);
    assert_non_null(g->hash);
    for (size_t i = 0; i < g->n; i++)
        *slot(g, g->node[i].text) = i + 1;
}

static size_t node_of(struct graph *g, const struct slow *s)
{
    char text[TEXT];
    size_t *at;

    if (2 * g->n >= g->hash_room)
        rehash(g);
    at = slot(g, text_of(s, text));
    if (*at)
        return *at - 1;
    if (g->n == g->room) {
        g->room = g->room ? 2 * g->room : 1 << 12;
        g->node = grow(g->node, g->room, sizeof *g->node);
    }
    memset(&g->node[g->n], 0, sizeof g->node[0]);
    g->node[g->n].s = *s;
    strcpy(g->node[g->n].text, text);
    *at = ++g->n;
    return g->n - 1;
}

static int back(int score) { return score > 0 ? 1 - score : score < 0 ? -1 - score : 0; }

/* Nodes that are met on the way are appended, and their turn comes. */
static void explore(struct graph *g)
{
    struct slow_list turns = { 0 };

    for (size_t i = 0; i < g->n; i++) {
        struct slow s = g->node[i].s;
        int outside = WORST, score;

        g->node[i].first = g->node[i].end = g->nedges;
        if (slow_over(g->v, &s, &score)) {
            g->node[i].over = true;
            g->node[i].outside = score;
            continue;
        }
        slow_turns(g->v, &s, &turns);
        if (!turns.n)
            outside = safe(g->v, s.at, s.stm == 'w') && g->v->stalemate == BK_STALEMATE_DRAW ? 0
                                                                                             : -BIG;
        for (size_t k = 0; k < turns.n; k++) {
            if (slow_over(g->v, &turns.s[k], &score)) {
                outside = back(score) > outside ? back(score) : outside;
                continue;
            }
            if (g->nedges == g->edge_room) {
                g->edge_room = g->edge_room ? 2 * g->edge_room : 1 << 14;
                g->edge = grow(g->edge, g->edge_room, sizeof *g->edge);
            }
            g->edge[g->nedges++] = node_of(g, &turns.s[k]);
        }
        g->node[i].outside = outside;
        g->node[i].end = g->nedges;
    }
    free(turns.s);
}

static void repeat(struct graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->n; i++) {
            struct node *n = &g->node[i];
            int best = n->outside;

            for (size_t e = n->first; e < n->end; e++) {
                int score = back(g->node[g->edge[e]].score);

                best = score > best ? score : best;
            }
            changed |= best != n->score;
            n->score = best;
        }
    }
}

static void free_graph(struct graph *g)
{
    free(g->node);
    free(g->edge);
    free(g->hash);
}

/* == Comparing == */

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
    if (s->due)
        out[n++] = s->due;
    if (s->other)
        out[n++] = s->other;
    if (out[n - 1] == '[')
        out[n++] = '-';
    sprintf(out + n, "] %c", s->stm);
    return out;
}

static void empty_board(const struct bk_variant *v, struct slow *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        s->at[sq] = bk_bits_has(&v->board, sq) ? '.' : '*';
}

/* Every way to put army[0..] on the board or, at most one of a colour, in a hand. */
static void all_placements(struct graph *g, const char *army, struct slow *s)
{
    char *hand;

    if (!*army) {
        for (int i = 0; i < 2; i++) {
            struct slow t = *s;

            t.stm = "wb"[i];
            if (i == 1) { /* s->due is black, held by White */
                t.due = s->other;
                t.other = s->due;
            }
            if (safe(g->v, t.at, i == 1))
                node_of(g, &t);
        }
        return;
    }
    for (int sq = 0; s->at[sq]; sq++)
        if (s->at[sq] == '.') {
            s->at[sq] = *army;
            all_placements(g, army + 1, s);
            s->at[sq] = '.';
        }
    hand = white(*army) ? &s->other : &s->due;
    if (toupper((unsigned char)*army) != 'K' && !*hand) {
        *hand = *army;
        all_placements(g, army + 1, s);
        *hand = 0;
    }
}

/* Returns how many differ; says the first. */
static unsigned compare(struct graph *g, struct bk_whole *w, const char *what)
{
    unsigned different = 0;

    for (size_t i = 0; i < g->n; i++) {
        const struct node *n = &g->node[i];
        char fen[BK_FEN_MAX];
        struct bk_hands_pos p;
        struct bk_report why = { "" };
        unsigned dtw = 0, slow_dtw = n->score ? (unsigned)(BIG - abs(n->score)) : 0;
        int wdl = 0, slow_wdl = (n->score > 0) - (n->score < 0);
        enum bk_err err = bk_hands_from_fen(&p, g->v, fen_of(g->v, &n->s, fen), &why);

        if (!err) {
            p.quiet = (uint8_t)n->s.quiet;
            bk_whole_value(w, &p, &wdl, &dtw);
        }
        if ((err || wdl != slow_wdl || dtw != slow_dtw) && !different++)
            print_error("%s: %s quiet %d: fast %d in %u, slow %d in %u %s\n", what, fen,
                        n->s.quiet, wdl, dtw, slow_wdl, slow_dtw, why.text);
    }
    return different;
}

static struct bk_variant *parse(const char *text)
{
    struct bk_report why = { "" };
    struct bk_variant *v;

    if (bk_variant_parse(&v, "case", text, &why))
        fail_msg("%s\n%s", why.text, text);
    return v;
}

static unsigned legal_states(const struct graph *g)
{
    unsigned n = 0;

    for (size_t i = 0; i < g->n; i++)
        n += !g->node[i].s.quiet && !opening(&g->node[i].s);
    return n;
}

/* All placements of `army`, e.g. "KRkf". */
static unsigned check_army(const struct bk_variant *v, const char *army)
{
    struct graph g = { .v = v };
    struct slow s;
    struct bk_hands_pos p;
    struct bk_whole *w;
    struct bk_whole_summary sum;
    struct bk_report why = { "" };
    struct bk_whole_options o = { .pool = NULL };
    char fen[BK_FEN_MAX];
    unsigned different;

    empty_board(v, &s);
    all_placements(&g, army, &s);
    if (!g.n)
        return 0;
    explore(&g);
    repeat(&g);
    assert_int_equal(bk_hands_from_fen(&p, v, fen_of(v, &g.node[0].s, fen), &why), BK_OK);
    assert_int_equal(bk_whole_new(&w, v, &p, &o, &why), BK_OK);
    different = compare(&g, w, army);
    bk_whole_summary(w, &sum);
    if (sum.states != legal_states(&g)) {
        print_error("%s: fast %llu states, slow %u\n", army, (unsigned long long)sum.states,
                    legal_states(&g));
        different++;
    }
    bk_whole_free(w);
    free_graph(&g);
    return different;
}

/* From the empty board. */
static unsigned check_opening(const struct bk_variant *v, const char *pool)
{
    struct graph g = { .v = v };
    struct slow s;
    struct bk_hands_pos p;
    struct bk_whole *w;
    struct bk_report why = { "" };
    struct bk_whole_options o = { .opening = true };
    unsigned different;

    empty_board(v, &s);
    strcpy(s.pool, pool);
    s.stm = 'w';
    node_of(&g, &s);
    explore(&g);
    repeat(&g);
    assert_int_equal(bk_hands_start(&p, v, &why), BK_OK);
    assert_int_equal(bk_whole_new(&w, v, &p, &o, &why), BK_OK);
    different = compare(&g, w, pool);
    bk_whole_free(w);
    free_graph(&g);
    return different;
}

/* == Games == */

#define MEN                                                                                        \
    "[piece king]\nletter = K\nroyal = yes\nmove = K\n"                                            \
    "[piece rook]\nletter = R\nmove = R\narmy = %d\n"                                              \
    "[piece knight]\nletter = N\nmove = N\narmy = %d\n"                                            \
    "[piece ferz]\nletter = F\nmove = F\narmy = %d\n"                                              \
    "[piece alfil]\nletter = A\nmove = A\n"                                                        \
    "[piece cannon]\nletter = C\nmove = mRcpR\n"                                                   \
    "[piece pawn]\nletter = P\nmove = mfWcfF\n"

struct rules {
    const char *board, *holes, *bare, *stalemate, *configuration;
    int quiet, rooks, knights, ferzes;
};

static struct bk_variant *game(const struct rules *r)
{
    char text[2000];

    snprintf(text, sizeof text,
             "[variant]\nname = case\nboard = %s\n%s%s\nbare-king = %s\nstalemate = %s\n"
             "hand = captured\nhand-bonus = none\nconfiguration = %s\nopening = drops\n"
             "opening-quiet-turns = %d\n" MEN,
             r->board, *r->holes ? "holes = " : "", r->holes, r->bare, r->stalemate,
             r->configuration, r->quiet, r->rooks, r->knights, r->ferzes);
    return parse(text);
}

static const struct rules usual3 = { "3x3", "", "wins-unless-bared-back", "loss", "2x2", 1, 0, 0,
                                     1 };

static void expect(const struct rules *r, const char *army)
{
    struct bk_variant *v = game(r);

    assert_int_equal(check_army(v, army), 0);
    bk_variant_free(v);
}

static void hands__two_against_one_agrees_with_the_slow_solver(void **state)
{
    (void)state;
    expect(&usual3, "KRkf");
    expect(&usual3, "KRNkf");
    expect(&usual3, "KFkrn");
    expect(&(struct rules){ "4x3", "", "wins-unless-bared-back", "loss", "2x2", 0, 0, 0, 0 },
           "KRAkf");
    expect(&(struct rules){ "4x4", "d4", "wins-unless-bared-back", "loss", "2x2", 0, 0, 0, 0 },
           "KRka");
}

static void hands__equal_men_are_interchangeable(void **state)
{
    (void)state;
    expect(&usual3, "KFFkr");
    expect(&usual3, "KRRkff");
}

static void hands__two_against_two_with_configurations(void **state)
{
    (void)state;
    expect(&(struct rules){ "3x3", "c3", "wins-unless-bared-back", "loss", "2x2", 0, 0, 0, 0 },
           "KRNkfn"); /* three boxes, three men */
    expect(&(struct rules){ "4x2", "", "wins-unless-bared-back", "loss", "2x2", 0, 0, 0, 0 },
           "KRNkf"); /* two boxes: Black's two men may do it */
    expect(&(struct rules){ "4x2", "", "wins", "draw", "none", 0, 0, 0, 0 }, "KRNkf");
}

static void hands__a_dropped_screen_is_a_screen(void **state)
{
    (void)state;
    expect(&usual3, "KCNkc");
    expect(&(struct rules){ "5x2", "", "wins", "draw", "2x2", 0, 0, 0, 0 }, "KCPkr");
}

static void opening__agrees_from_the_empty_board(void **state)
{
    struct rules r = usual3;
    struct bk_variant *v;

    (void)state;
    v = game(&r);
    assert_int_equal(check_opening(v, "FKfk"), 0);
    bk_variant_free(v);
    r.knights = 1;
    r.holes = "c3";
    v = game(&r);
    assert_int_equal(check_opening(v, "FKNfkn"), 0);
    bk_variant_free(v);
}

static void opening__ferzes_go_to_different_bindings(void **state)
{
    struct rules r = usual3;
    struct bk_variant *v;

    (void)state;
    r.ferzes = 2;
    r.holes = "c3";
    r.quiet = 0;
    v = game(&r);
    assert_int_equal(check_opening(v, "FFKffk"), 0);
    bk_variant_free(v);
}

static void opening__agrees_on_all_of_puzzle_mini(void **state)
{
    struct bk_report why;
    struct bk_variant *v;

    (void)state;
    if (!getenv("WHOLE_MINI"))
        skip();
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    assert_int_equal(check_opening(v, "AAKaak"), 0);
    bk_variant_free(v);
}

/* One random game; returns how many positions differ. */
static unsigned random_case(uint64_t seed)
{
    static const char *const boards[][2] = {
        { "3x3", "" }, { "3x3", "c3" }, { "4x2", "" }, { "3x3", "b2" }, { "2x5", "" },
        { "4x3", "d3" }, { "4x4", "c3 d3 c4 d4" }, { "3x4", "a1 c4" },
    };
    uint64_t state = seed;
    unsigned b = random_below(&state, 8), five = random_below(&state, 3) > 0;
    char army[8] = "K", *end = army + 1;
    struct rules r = { boards[b][0], boards[b][1], "wins-unless-bared-back", "loss", "2x2", 0, 0,
                       0, 0 };
    struct bk_variant *v;
    unsigned different;

    if (random_once_in(&state, 4))
        r.bare = "wins";
    if (random_once_in(&state, 4))
        r.stalemate = "draw";
    if (random_once_in(&state, 4))
        r.configuration = "none";
    for (unsigned i = 0; i < (five && random_once_in(&state, 2) ? 2u : 1u); i++)
        *end++ = "RNFACP"[random_below(&state, 6)];
    *end++ = 'k';
    for (unsigned i = (unsigned)(end - army) == 4 || !five; i < 2; i++)
        *end++ = "rnfacp"[random_below(&state, 6)];
    *end = 0;
    v = game(&r);
    different = check_army(v, army);
    if (different)
        print_error("case %llu: %s holes %s, %s, bare %s, stalemate %s, configuration %s\n",
                    (unsigned long long)seed, r.board, r.holes, army, r.bare, r.stalemate,
                    r.configuration);
    bk_variant_free(v);
    return different;
}

static void hands__random_games_agree(void **state)
{
    const char *cases = getenv("WHOLE_CASES");
    unsigned n = cases ? (unsigned)strtoul(cases, NULL, 10) : 6;

    (void)state;
    for (unsigned i = 1; i <= n; i++)
        assert_int_equal(random_case(i), 0);
}

/* == Single claims == */

struct wanted {
    const struct bk_hands_pos *p;
    const struct bk_variant *v;
    const char *name;
    unsigned found, all;
};

static bool look(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct wanted *g = context;
    char name[BK_TURN_NAME_MAX];

    (void)after;
    g->all++;
    g->found += !strcmp(bk_turn_name(g->p, g->v, turn, name), g->name);
    return true;
}

static unsigned turns_named(const struct bk_variant *v, const char *fen, const char *name,
                            unsigned *all)
{
    struct bk_hands_pos p;
    struct bk_report why = { "" };
    struct wanted g = { .p = &p, .v = v, .name = name };

    if (bk_hands_from_fen(&p, v, fen, &why))
        fail_msg("%s", why.text);
    bk_hands_turns(&p, v, look, &g);
    if (all)
        *all = g.all;
    return g.found;
}

static void turn__is_written_in_the_order_it_is_played(void **state)
{
    struct bk_variant *v = game(&usual3);

    (void)state;
    /* White holds r, takes f with the king. */
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "r@c3,a1b1,f@a1", NULL), 1);
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,r@c3,f@a1", NULL), 1);
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,r@c3", NULL), 1);
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,r@a1", NULL), 0); /* check */
    assert_int_equal(turns_named(v, "k2/1N1/Kfn[r] w", "a1b1,f@c3", NULL), 0); /* r is due */
    bk_variant_free(v);
}

static void turn__ends_with_the_man_due_on_the_board(void **state)
{
    struct bk_variant *v = game(&usual3);

    (void)state;
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "a1b1", NULL), 0);
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "a1b1,f@a2", NULL), 0); /* check */
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "a1b1,f@b3", NULL), 1);
    assert_int_equal(turns_named(v, "k2/2n/K1N[f] w", "f@b3,a1b1", NULL), 1);
    bk_variant_free(v);
}

static void opening__puts_one_of_each_colour(void **state)
{
    struct bk_variant *v = game(&usual3);
    unsigned all;

    (void)state;
    assert_int_equal(turns_named(v, "3/3/3[KFkf] w", "F@a1,f@c3", &all), 1);
    assert_int_equal(all, 9 * 8);
    bk_variant_free(v);
}

static char *fen_of_ref(const struct bk_variant *v, const struct ref_pos *pos,
                        char out[BK_FEN_MAX])
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

/* The slow solver of games without hands, which does not know the keys, says the same. */
static void hands__change_nothing_with_one_man_a_side(void **state)
{
    struct bk_variant *v = game(&(struct rules){ "5x4", "e4", "wins-unless-bared-back", "loss",
                                                 "2x2", 0, 0, 0, 0 });
    uint8_t count[2][BK_TYPES_MAX] = { { 1, 1 }, { 1, 0, 0, 0, 1 } };
    struct ref_table *t = ref_solve(v, (const uint8_t(*)[BK_TYPES_MAX])count, NULL, 0);
    struct bk_whole_options o = { .pool = NULL };
    struct bk_whole *w = NULL;
    struct bk_report why;
    struct ref_pos pos;
    struct ref_value value;

    (void)state;
    for (uint64_t i = 0; i < ref_size(t); i++) {
        struct bk_hands_pos p;
        char fen[BK_FEN_MAX];
        unsigned dtw;
        int wdl;

        if (!ref_at(t, i, &pos, &value))
            continue;
        assert_int_equal(bk_hands_from_fen(&p, v, fen_of_ref(v, &pos, fen), &why), BK_OK);
        if (!w)
            assert_int_equal(bk_whole_new(&w, v, &p, &o, &why), BK_OK);
        bk_whole_value(w, &p, &wdl, &dtw);
        if (wdl != value.wdl || dtw != value.dtw)
            fail_msg("%s: %d in %u, without hands %d in %u", fen, wdl, dtw, value.wdl, value.dtw);
    }
    bk_whole_free(w);
    ref_free(t);
    bk_variant_free(v);
}

static void plain_tables__are_exact_with_one_man_a_side(void **state)
{
    struct bk_report why;
    struct bk_variant *v;
    uint8_t count[2][BK_TYPES_MAX] = { { 1, 1 }, { 1, 0, 0, 0, 1 } };

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-hands", &why), BK_OK);
    assert_true(bk_rules_plain_is_exact(v, (const uint8_t(*)[BK_TYPES_MAX])count));
    count[0][2] = 1;
    assert_false(bk_rules_plain_is_exact(v, (const uint8_t(*)[BK_TYPES_MAX])count));
    bk_variant_free(v);
}

static void fen__comes_back_as_it_was(void **state)
{
    static const char *const fens[] = {
        "1k**/f1**/K2N/4[nF] w", "2**/2**/4/4[KkNnFf] w", "1k**/f1**/KF1N/3n[-] b",
    };
    struct bk_report why;
    struct bk_variant *v;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        struct bk_hands_pos p;
        char out[BK_FEN_MAX];

        if (bk_hands_from_fen(&p, v, fens[i], &why))
            fail_msg("%s", why.text);
        assert_string_equal(bk_hands_to_fen(&p, v, out), fens[i]);
    }
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turn__is_written_in_the_order_it_is_played),
        cmocka_unit_test(turn__ends_with_the_man_due_on_the_board),
        cmocka_unit_test(opening__puts_one_of_each_colour),
        cmocka_unit_test(plain_tables__are_exact_with_one_man_a_side),
        cmocka_unit_test(hands__change_nothing_with_one_man_a_side),
        cmocka_unit_test(fen__comes_back_as_it_was),
        cmocka_unit_test(hands__two_against_one_agrees_with_the_slow_solver),
        cmocka_unit_test(hands__equal_men_are_interchangeable),
        cmocka_unit_test(hands__two_against_two_with_configurations),
        cmocka_unit_test(hands__a_dropped_screen_is_a_screen),
        cmocka_unit_test(hands__random_games_agree),
        cmocka_unit_test(opening__agrees_from_the_empty_board),
        cmocka_unit_test(opening__agrees_on_all_of_puzzle_mini),
        cmocka_unit_test(opening__ferzes_go_to_different_bindings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
