/*
 * slow_land.c - see slow_land.h.
 *
 * A state is a string of letters and what turn it is; it is found by its text.  Turns are made on
 * copies, and values are repeated until nothing changes.
 */
#include "core/read.h"
#include "tests/slow_land.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/move.h"
#include "tb/masks.h"
#include "tests/random_variant.h"
#include "tests/slow_graph.h"

enum { SQUARES = 20 };

struct state {
    char at[SQUARES + 1]; /* '.' land, '~' sea, '*' no square, or a letter, upper case White's */
    bool black, even, begun;
};

struct list {
    struct state *s;
    size_t n, room;
};

static void push(struct list *l, const struct state *s)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->s = slow_grow(l->s, l->room, sizeof *l->s);
    }
    l->s[l->n++] = *s;
}

static bool is_man(char c) { return isalpha((unsigned char)c); }
static bool is_black(char c) { return islower((unsigned char)c); }
static char king(bool black) { return black ? 'k' : 'K'; }

/* The square one step away, or -1. */
static int step_from(const struct bk_variant *v, int sq, const struct bk_step *st, bool black)
{
    int f = sq % v->files + st->df, r = sq / v->files + (black ? -st->dr : st->dr);

    return f < 0 || f >= v->files || r < 0 || r >= v->ranks ? -1 : r * v->files + f;
}

/* == Moves == */

/* Can the man on `from` go to `to`, or take there, by one step or ride? */
static bool rides(const struct bk_variant *v, const char *at, int from, int to, bool taking)
{
    const struct bk_movement *m = &slow_piece(v, at[from])->move;

    for (int i = 0; i < m->nsteps; i++) {
        const struct bk_step *st = &m->step[i];
        int sq = from, met = 0;

        if (!(st->how & (taking ? BK_TAKES : BK_QUIET)))
            continue;
        for (int n = 1; st->range == 0 || n <= st->range; n++) {
            sq = step_from(v, sq, st, is_black(at[from]));
            if (sq < 0 || at[sq] == '~' || at[sq] == '*')
                break;
            if (sq == to) {
                if (met == (st->how & BK_HOPS ? 1 : 0))
                    return true;
                break;
            }
            met += at[sq] != '.';
        }
    }
    return false;
}

/* The same by two steps, over empty land. */
static bool steps_twice(const struct bk_variant *v, const char *at, int from, int to)
{
    const struct bk_movement *m = &slow_piece(v, at[from])->move;

    for (int i = 0; m->steps_max == 2 && from != to && i < m->nsteps; i++) {
        int mid = step_from(v, from, &m->step[i], is_black(at[from]));

        for (int j = 0; mid >= 0 && at[mid] == '.' && j < m->nsteps; j++)
            if (m->bend && step_from(v, mid, &m->step[j], is_black(at[from])) == to)
                return true;
    }
    return false;
}

static bool goes(const struct bk_variant *v, const char *at, int from, int to, bool taking)
{
    return rides(v, at, from, to, taking) || steps_twice(v, at, from, to);
}

static bool safe(const struct bk_variant *v, const char *at, bool black)
{
    int sq = (int)(strchr(at, king(black)) - at);

    for (int from = 0; at[from]; from++)
        if (is_man(at[from]) && is_black(at[from]) != black && goes(v, at, from, sq, true))
            return false;
    return true;
}

static int men_of(const char *at, bool black)
{
    int n = 0;

    for (; *at; at++)
        n += is_man(*at) && is_black(*at) == black;
    return n;
}

/* == Powers == */

static bool has(const struct bk_variant *v, char c, int power, bool black)
{
    return is_man(c) && is_black(c) == black && slow_piece(v, c)->power == power &&
           (!v->land.one_each || (power == BK_POWER_CREATES) == !black);
}

/* Is `sq` one leap away from a man of a side with this power? */
static bool in_range(const struct bk_variant *v, const char *at, int sq, int power, bool black)
{
    for (int from = 0; at[from]; from++)
        if (has(v, at[from], power, black)) {
            const struct bk_movement *m = &slow_piece(v, at[from])->move;

            for (int i = 0; i < m->nsteps; i++)
                if (step_from(v, from, &m->step[i], black) == sq)
                    return true;
        }
    return false;
}

static bool is_land(const struct bk_variant *v, const char *at, int f, int r)
{
    return f >= 0 && f < v->files && r >= 0 && r < v->ranks && !strchr("~*", at[r * v->files + f]);
}

static int empty_sides(const struct bk_variant *v, const char *at, int f, int r)
{
    return !is_land(v, at, f - 1, r) + !is_land(v, at, f + 1, r) + !is_land(v, at, f, r - 1) +
           !is_land(v, at, f, r + 1);
}

static bool narrow(const struct bk_variant *v, const char *at, int sq)
{
    static const int way[4][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } };
    int f = sq % v->files, r = sq / v->files;

    if (!v->land.bridges || empty_sides(v, at, f, r) <= 1)
        return false;
    for (int i = 0; i < 4; i++)
        if (is_land(v, at, f + way[i][0], r + way[i][1]) &&
            empty_sides(v, at, f + way[i][0], r + way[i][1]) >= 3)
            return true;
    return false;
}

static bool can_change(const struct bk_variant *v, int sq)
{
    return bk_bits_has(&v->land.changes, (unsigned)sq);
}

static bool may_create(const struct bk_variant *v, const struct state *s, int sq)
{
    return can_change(v, sq) && s->even && s->begun && s->at[sq] == '~' &&
           in_range(v, s->at, sq, BK_POWER_CREATES, s->black) &&
           !(v->land.cancels && in_range(v, s->at, sq, BK_POWER_DESTROYS, !s->black)) &&
           !narrow(v, s->at, sq);
}

/* `at`: the board after the move. */
static bool may_destroy(const struct bk_variant *v, const struct state *s, const char *at, int sq)
{
    return can_change(v, sq) && !s->even && (s->begun || s->black) && at[sq] == '.' &&
           in_range(v, at, sq, BK_POWER_DESTROYS, s->black) &&
           !(v->land.cancels && in_range(v, at, sq, BK_POWER_CREATES, !s->black));
}

/* == Turns == */

static void end_turn(const struct bk_variant *v, const struct state *s, struct list *out)
{
    struct state t = *s;

    if (!safe(v, s->at, s->black))
        return;
    t.even ^= s->black;
    t.black = !s->black;
    push(out, &t);
}

static void after_move(const struct bk_variant *v, const struct state *s, struct list *out)
{
    end_turn(v, s, out);
    if (v->bare != BK_BARE_NOTHING && men_of(s->at, !s->black) == 1)
        return; /* over at the capture */
    for (int sq = 0; s->at[sq]; sq++)
        if (may_destroy(v, s, s->at, sq)) {
            struct state t = *s;

            t.at[sq] = '~';
            t.begun = true;
            end_turn(v, &t, out);
        }
}

/* A man arrives: the pawn of these games must become a knight on its last rank. */
static char arrived(const struct bk_variant *v, char c, int sq)
{
    int last = is_black(c) ? 0 : v->ranks - 1;

    return toupper((unsigned char)c) == 'P' && sq / v->files == last ? is_black(c) ? 'n' : 'N' : c;
}

static void moves(const struct bk_variant *v, const struct state *s, struct list *out)
{
    for (int from = 0; s->at[from]; from++)
        for (int to = 0; is_man(s->at[from]) && is_black(s->at[from]) == s->black && s->at[to];
             to++) {
            struct state t = *s;
            char there = s->at[to];

            if (there == '~' || there == '*' || there == king(!s->black) ||
                (is_man(there) && is_black(there) == s->black) ||
                !goes(v, s->at, from, to, there != '.'))
                continue;
            t.at[to] = arrived(v, s->at[from], to);
            t.at[from] = '.';
            after_move(v, &t, out);
        }
}

static void turns(const struct bk_variant *v, const struct state *s, struct list *out)
{
    out->n = 0;
    moves(v, s, out);
    for (int sq = 0; s->at[sq]; sq++)
        if (may_create(v, s, sq)) {
            struct state t = *s;

            t.at[sq] = '.';
            moves(v, &t, out);
        }
}

/* == Ends == */

/* Can the king to move, who is alone, take the other side's only man? */
static bool takes_back(const struct bk_variant *v, const struct state *s)
{
    int from = (int)(strchr(s->at, king(s->black)) - s->at);

    for (int sq = 0; s->at[sq]; sq++) {
        struct state t = *s;

        if (!is_man(s->at[sq]) || is_black(s->at[sq]) == s->black || s->at[sq] == king(!s->black) ||
            !goes(v, s->at, from, sq, true))
            continue;
        t.at[sq] = t.at[from];
        t.at[from] = '.';
        if (safe(v, t.at, s->black))
            return true;
    }
    return false;
}

static bool is_over(const struct bk_variant *v, const struct state *s, int *score)
{
    int ours = men_of(s->at, s->black), theirs = men_of(s->at, !s->black);

    *score = 0;
    if (ours == 1 && theirs == 1)
        return true;
    if (v->bare == BK_BARE_NOTHING || (ours > 1 && theirs > 1))
        return false;
    *score = ours == 1 ? -SLOW_WON : SLOW_WON;
    if (ours == 1 && theirs == 2 && v->bare == BK_BARE_BACK && takes_back(v, s))
        *score = 0;
    return true;
}

/* == All states == */

struct graph {
    const struct bk_variant *v;
    struct slow_graph all; /* of struct state */
};

static size_t node_of(struct graph *g, const struct state *s)
{
    char text[SLOW_TEXT];

    snprintf(text, SLOW_TEXT, "%s%d%d%d", s->at, s->black, s->even, s->begun);
    return slow_node_add(&g->all, text, s);
}

static const struct state *state_of(const struct graph *g, size_t node)
{
    return slow_state(&g->all, node);
}

/* Adds the edges of every node; new nodes are appended and explored in their turn. */
static void explore(struct graph *g)
{
    struct list next = { 0 };

    for (size_t i = 0; i < g->all.n; i++) {
        struct state s = *state_of(g, i);
        int outside = SLOW_WORST, score;

        g->all.node[i].first = g->all.node[i].end = g->all.nedges;
        if (is_over(g->v, &s, &score)) {
            g->all.node[i].outside = score;
            continue;
        }
        turns(g->v, &s, &next);
        if (!next.n)
            outside =
                safe(g->v, s.at, s.black) && g->v->stalemate == BK_STALEMATE_DRAW ? 0 : -SLOW_WON;
        for (size_t k = 0; k < next.n; k++)
            if (is_over(g->v, &next.s[k], &score))
                outside = slow_back(score) > outside ? slow_back(score) : outside;
            else
                slow_edge_add(&g->all, node_of(g, &next.s[k]));
        g->all.node[i].outside = outside;
        g->all.node[i].end = g->all.nedges;
    }
    free(next.s);
}

/* == Comparing == */

static char *fen_of(const struct bk_variant *v, const struct state *s, char out[BK_FEN_MAX])
{
    bool marks = memcmp(&v->land.changes, &v->board, sizeof v->board) != 0;
    size_t n = 0;

    for (int r = v->ranks; r--;) {
        int gap = 0;

        for (int f = 0; f < v->files; f++) {
            int sq = r * v->files + f;
            char c = s->at[sq];

            if (c == '.' && !(marks && can_change(v, sq))) {
                gap++;
                continue;
            }
            n += gap ? (size_t)sprintf(out + n, "%d", gap) : 0;
            gap = 0;
            if (marks && can_change(v, sq))
                out[n++] = '?';
            out[n++] = c == '.' ? '1' : c == '~' ? '*' : c;
        }
        n += gap ? (size_t)sprintf(out + n, "%d", gap) : 0;
        out[n++] = r ? '/' : ' ';
    }
    sprintf(out + n, "%c %c - 0 %d", s->black ? 'b' : 'w', s->begun ? '+' : '-', s->even ? 2 : 1);
    return out;
}

static uint64_t sum_of_text(const char *fen)
{
    uint64_t h = 7;

    for (; *fen; fen++)
        h = (h ^ (unsigned char)*fen) * 1099511628211u;
    return h ^ h >> 31;
}

/* Do the turns of a state lead where those of the move generator do? */
static bool same_turns(const struct bk_variant *v, const struct state *s, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];
    struct list next = { 0 };
    uint64_t slow = 0, fast = 0;
    unsigned n = bk_moves_legal(v, p, move);
    char fen[BK_FEN_MAX];

    turns(v, s, &next);
    for (size_t i = 0; i < next.n; i++) {
        struct bk_report why = { "" };
        struct bk_pos q;

        if (bk_pos_from_fen(&q, v, fen_of(v, &next.s[i], fen), &why))
            abort();
        slow += sum_of_text(bk_pos_to_fen(&q, v, fen));
    }
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos q = *p;
        struct bk_move again;
        char name[16];

        bk_pos_play(&q, v, &move[i]);
        q.turn = (uint16_t)(2 - q.turn % 2);
        fast += sum_of_text(bk_pos_to_fen(&q, v, fen));
        bk_move_name(v, &move[i], name);
        if (bk_move_read(&again, v, p, name, strlen(name), 1, NULL) ||
            memcmp(&again, &move[i], sizeof again) != 0) {
            printf("%s is not read as it was written\n", name);
            return false;
        }
    }
    slow -= fast;
    n -= (unsigned)next.n;
    free(next.s);
    return !slow && !n;
}

static unsigned compare(const struct graph *g, const struct bk_masks *w)
{
    unsigned different = 0;

    for (size_t i = 0; i < g->all.n; i++) {
        const struct state *s = state_of(g, i);
        int score = g->all.node[i].score, wdl = (score > 0) - (score < 0), over;
        unsigned plies = wdl ? (unsigned)(SLOW_WON - abs(score)) : 0;
        struct bk_masks_value value = { 9, 0 };
        struct bk_report why = { "" };
        char fen[BK_FEN_MAX];
        struct bk_pos p;
        bool known =
            !bk_pos_from_fen(&p, g->v, fen_of(g->v, s, fen), &why) && bk_masks_value(w, &p, &value);

        if (known && value.wdl == wdl && value.plies == plies &&
            (is_over(g->v, s, &over) || i % 7 || same_turns(g->v, s, &p)))
            continue;
        if (!different++)
            printf("%s: fast %d in %u, slow %d in %u %s\n", fen, value.wdl, value.plies, wdl, plies,
                   why.text);
    }
    return different;
}

/* Adds all placements of `men` on all land, or on the land that there is. */
static void place_all(struct graph *g, const char *men, struct state *s, bool all_land)
{
    if (!*men) {
        for (unsigned turn = 0; turn < 4; turn++) {
            s->black = turn & 1;
            s->even = turn & 2;
            if (safe(g->v, s->at, !s->black))
                node_of(g, s);
        }
        return;
    }
    for (int sq = 0; s->at[sq]; sq++) {
        int rank = *men >= 'a' ? g->v->ranks - 1 - sq / g->v->files : sq / g->v->files;

        if (s->at[sq] != '.' || !(slow_piece(g->v, *men)->ranks >> rank & 1))
            continue;
        s->at[sq] = *men;
        place_all(g, men + 1, s, all_land);
        s->at[sq] = '.';
    }
}

static void each_land(struct graph *g, const char *men, struct state *s, int sq)
{
    if (!s->at[sq]) {
        place_all(g, men, s, true);
        return;
    }
    each_land(g, men, s, sq + 1);
    if (s->at[sq] == '.' && can_change(g->v, sq)) {
        s->at[sq] = '~';
        each_land(g, men, s, sq + 1);
        s->at[sq] = '.';
    }
}

static void begin(struct graph *g, const char *men, const char *fen)
{
    struct state s = { .begun = !fen };
    struct bk_report why;
    struct bk_pos p;

    for (unsigned sq = 0; sq < g->v->nsq; sq++)
        s.at[sq] = bk_bits_has(&g->v->board, sq) ? '.' : '*';
    if (!fen) {
        each_land(g, men, &s, 0);
        return;
    }
    if (bk_pos_from_fen(&p, g->v, fen, &why))
        abort();
    for (unsigned sq = 0; sq < g->v->nsq; sq++)
        if (bk_bits_has(&p.sea, sq))
            s.at[sq] = '~';
    place_all(g, men, &s, false);
}

unsigned land_check(const struct bk_variant *v, const char *men, const char *fen,
                    unsigned long *states)
{
    struct bk_masks_options o = { .all_land = !fen };
    struct graph g = { .v = v, .all = { .bytes = sizeof(struct state) } };
    struct bk_report why = { "" };
    struct bk_masks *w = NULL;
    unsigned different = 0;
    char text[BK_FEN_MAX];
    struct bk_pos p;

    begin(&g, men, fen);
    *states = g.all.n;
    if (g.all.n) {
        explore(&g);
        slow_repeat(&g.all);
        if (bk_pos_from_fen(&p, v, fen_of(v, state_of(&g, 0), text), &why) ||
            bk_masks_new(&w, v, &p, &o, &why)) {
            printf("%s %s: %s\n", men, text, why.text);
            different = 1;
        } else {
            different = compare(&g, w);
        }
    }
    bk_masks_free(w);
    slow_graph_free(&g.all);
    return different;
}

/* == Games == */

static void add_key(char *out, const char *key, const char *value)
{
    if (value)
        sprintf(out + strlen(out), "%s = %s\n", key, value);
}

char *land_text(const struct land_rules *r, char out[LAND_TEXT_MAX])
{
    unsigned files = 0, ranks = 0;

    sscanf(r->board, "%ux%u", &files, &ranks);
    strcpy(out, "[variant]\nname = case\nterrain = live\n");
    add_key(out, "board", r->board);
    add_key(out, "holes", r->holes);
    add_key(out, "bare-king", r->bare);
    add_key(out, "stalemate", r->stalemate);
    add_key(out, "terrain-cancel", r->cancel);
    add_key(out, "terrain-powers", r->powers);
    add_key(out, "terrain-bridges", r->bridges);
    sprintf(out + strlen(out),
            "[piece king]\nletter = K\nroyal = yes\nmove = %s\n"
            "[piece minister]\nletter = M\nmove = NDW\nterrain-power = destroys\n"
            "[piece priestess]\nletter = H\nmove = NAF\nterrain-power = creates\n"
            "[piece knight]\nletter = N\nmove = N\n"
            "[piece rook]\nletter = R\nmove = R\n"
            "[piece cannon]\nletter = C\nmove = mRcpR\n"
            "[piece flexible-knight]\nletter = X\nmove = WD\nsteps = 2\nbend = free\n"
            "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 1-%u\nbecomes = %u must N\n",
            r->king ? r->king : "K", ranks - 1, ranks);
    return out;
}

struct bk_variant *land_game(const struct land_rules *r)
{
    struct bk_report why = { "" };
    char text[LAND_TEXT_MAX];
    struct bk_variant *v;

    if (bk_variant_parse(&v, "case", land_text(r, text), &why)) {
        printf("%s\n%s", why.text, text);
        abort();
    }
    return v;
}

/* == Random cases == */

static const char *const boards[][2] = { { "2x3", NULL }, { "2x4", NULL }, { "4x2", NULL },
                                         { "3x3", "b2" }, { "3x3", "c3" }, { "3x3", NULL } };

static const char *one_of(uint64_t *seed, const char *a, const char *b)
{
    return random_once_in(seed, 2) ? a : b;
}

void land_draw(uint64_t seed, struct land_case *c)
{
    unsigned b = random_below(&seed, sizeof boards / sizeof *boards);
    bool four = b < 4 && random_once_in(&seed, 2);
    char *man = c->men;

    *c = (struct land_case){ .rules = { .board = boards[b][0], .holes = boards[b][1] } };
    c->rules.bare = one_of(&seed, "wins-unless-bared-back", one_of(&seed, "wins", "nothing"));
    c->rules.stalemate = one_of(&seed, "draw", "loss");
    c->rules.cancel = one_of(&seed, "enemy", "none");
    c->rules.powers =
        random_once_in(&seed, 4) ? "white-creates-black-destroys" : one_of(&seed, NULL, "all");
    c->rules.bridges = random_once_in(&seed, 3) ? "two-wide" : NULL;
    c->rules.king = random_once_in(&seed, 3) ? "KAD" : NULL;
    c->begun = !random_once_in(&seed, 3);
    *man++ = 'K';
    *man++ = "MMHHNRCXP"[random_below(&seed, 9)];
    if (four && random_once_in(&seed, 3))
        *man++ = "MHNRCXP"[random_below(&seed, 7)];
    *man++ = 'k';
    *man++ = "mmhhnrcxp"[random_below(&seed, 9)];
    *man = 0;
}

/* Some land before the first destruction, with kings on it. */
static const char *first_fen(const struct bk_variant *v, char out[BK_FEN_MAX])
{
    struct state s = { .black = false };
    unsigned kings = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        s.at[sq] = !bk_bits_has(&v->board, sq) ? '*'
                   : kings < 2                 ? "Kk"[kings++]
                   : sq % 3                    ? '.'
                                               : '~';
    return fen_of(v, &s, out);
}

unsigned land_check_case(const struct land_case *c)
{
    struct bk_variant *v = land_game(&c->rules);
    char fen[BK_FEN_MAX], text[LAND_TEXT_MAX];
    unsigned long states;
    unsigned different = land_check(v, c->men, c->begun ? NULL : first_fen(v, fen), &states);

    if (different)
        printf("%s%s\n%s\n", c->men, c->begun ? "" : ", not begun", land_text(&c->rules, text));
    bk_variant_free(v);
    return different;
}
