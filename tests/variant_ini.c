/*
 * variant_ini.c - writes a game as a variant file; see variant_ini.h.
 */
#include "tests/variant_ini.h"

#include <stdlib.h>
#include <string.h>

static void print_ranks(FILE *out, const char *key, unsigned mask)
{
    const char *comma = "";

    if (!mask)
        return;
    fprintf(out, "%s", key);
    for (unsigned r = 0; r < 16; r++)
        if (mask >> r & 1) {
            fprintf(out, "%s%u", comma, r + 1);
            comma = ",";
        }
}

/* The steps of one leap, range and purpose; their directions as a set of (df, dr). */
struct leap {
    int x, y; /* 0 <= x <= y */
    unsigned range, how;
    unsigned n;
    bool to[2 * BK_FILES_MAX + 1][2 * BK_RANKS_MAX + 1];
};

static bool goes(const struct leap *l, int df, int dr)
{
    return l->to[df + BK_FILES_MAX][dr + BK_RANKS_MAX];
}

static bool of_leap(const struct leap *l, const struct bk_step *s)
{
    int a = abs(s->df), b = abs(s->dr);

    return l->x == (a < b ? a : b) && l->y == (a < b ? b : a) && l->range == s->range &&
           l->how == s->how;
}

static void find_leap(struct leap *l, const struct bk_movement *m, unsigned first)
{
    const struct bk_step *s = &m->step[first];
    int a = abs(s->df), b = abs(s->dr);

    memset(l, 0, sizeof *l);
    l->x = a < b ? a : b;
    l->y = a < b ? b : a;
    l->range = s->range;
    l->how = s->how;
    for (unsigned i = first; i < m->nsteps; i++)
        if (of_leap(l, &m->step[i])) {
            l->to[m->step[i].df + BK_FILES_MAX][m->step[i].dr + BK_RANKS_MAX] = true;
            l->n++;
        }
}

/* Prints the directions of a leap, unless it has all: "f", "fl", or "ff" for an oblique pair. */
static void print_ways(FILE *out, const struct leap *l)
{
    const int x = l->x, y = l->y;
    const struct way {
        const char *text;
        int a[2], b[2];
    } straight[] = { { "f", { 0, y }, { 0, y } },
                     { "b", { 0, -y }, { 0, -y } },
                     { "l", { -y, 0 }, { -y, 0 } },
                     { "r", { y, 0 }, { y, 0 } } },
      aslant[] = { { "fl", { -y, y }, { -y, y } },
                   { "fr", { y, y }, { y, y } },
                   { "bl", { -y, -y }, { -y, -y } },
                   { "br", { y, -y }, { y, -y } } },
      lengthwise[] = { { "ff", { -x, y }, { x, y } },
                       { "fs", { -y, x }, { y, x } },
                       { "bb", { -x, -y }, { x, -y } },
                       { "bs", { -y, -x }, { y, -x } } },
      across[] = { { "ll", { -y, x }, { -y, -x } },
                   { "lv", { -x, y }, { -x, -y } },
                   { "rr", { y, x }, { y, -x } },
                   { "rv", { x, y }, { x, -y } } };
    const struct way *way = x == 0 ? straight : x == y ? aslant : lengthwise;
    unsigned all = x == 0 || x == y ? 4 : 8;

    if (l->n == all)
        return;
    for (unsigned i = 0; i < 4 && all == 8; i++)
        if (goes(l, lengthwise[i].a[0], lengthwise[i].a[1]) !=
            goes(l, lengthwise[i].b[0], lengthwise[i].b[1]))
            way = across;
    for (unsigned i = 0; i < 4; i++)
        if (goes(l, way[i].a[0], way[i].a[1]))
            fprintf(out, "%s", way[i].text);
}

static void print_movement(FILE *out, const char *key, const struct bk_movement *m)
{
    fprintf(out, "%s = ", key);
    for (unsigned i = 0; i < m->nsteps; i++) {
        struct leap l;
        bool before = false;

        find_leap(&l, m, i);
        for (unsigned j = 0; j < i; j++)
            before = before || of_leap(&l, &m->step[j]);
        if (before)
            continue;
        fprintf(out, "%s%s",
                (l.how & 3) == BK_QUIET   ? "m"
                : (l.how & 3) == BK_TAKES ? "c"
                                          : "",
                l.how & BK_HOPS ? "p" : "");
        print_ways(out, &l);
        fprintf(out, "(%d,%d)", l.x, l.y);
        if (l.range != 1)
            fprintf(out, "%u", l.range);
    }
    fprintf(out, "\n");
    if (m->steps_max == 2)
        fprintf(out, "steps = 2\nbend = %s\n%s", m->bend ? "free" : "straight",
                m->takes_twice ? "takes-twice = yes\n" : "");
}

static void print_become(FILE *out, const struct bk_variant *v, const struct bk_become *b)
{
    print_ranks(out, "becomes = ", b->ranks);
    fprintf(out, "%s%s%s%s", b->must ? " must" : " may", b->lost_only ? " lost" : "",
            b->counted ? " counted" : "", b->in_place ? " in-place" : "");
    for (unsigned i = 0; i < b->nto; i++)
        fprintf(out, " %c", v->piece[b->to[i]].letter);
    fprintf(out, "\n");
}

static void print_piece(FILE *out, const struct bk_variant *v, unsigned type)
{
    const struct bk_piece *p = &v->piece[type];

    fprintf(out, "\n[piece %s]\nletter = %c\n%sarmy = %u\n", p->name, p->letter,
            p->royal ? "royal = yes\n" : "", p->army);
    print_ranks(out, "ranks = ", p->ranks);
    fprintf(out, "\n");
    print_movement(out, "move", &p->move);
    if (p->zone_ranks) {
        print_ranks(out, "zone-ranks = ", p->zone_ranks);
        fprintf(out, "\n");
        print_movement(out, "zone-move", &p->zone);
    }
    if (p->double_ranks) {
        print_ranks(out, "double-step = ", p->double_ranks);
        fprintf(out, "\n");
    }
    for (unsigned i = 0; i < p->nbecomes; i++)
        print_become(out, v, &p->become[i]);
    if (p->power != BK_POWER_NONE)
        fprintf(out, "terrain-power = %s\n",
                p->power == BK_POWER_DESTROYS ? "destroys" : "creates");
}

static void print_board(FILE *out, const struct bk_variant *v)
{
    unsigned n = 0;

    fprintf(out, "board = %ux%u", v->files, v->ranks);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (!bk_bits_has(&v->board, sq))
            fprintf(out, "%s%c%u", n++ % 40 ? " " : "\nholes = ", 'a' + (char)(sq % v->files),
                    sq / v->files + 1);
    fprintf(out, "\n");
}

static char file_or_none(uint8_t file) { return file == BK_NO_HOME ? '-' : (char)('a' + file); }

static void print_castling(FILE *out, const struct bk_variant *v)
{
    const struct bk_castling *k = &v->castling;

    if (k->allowed)
        fprintf(out,
                "castling-rook = %c\ncastling-king-file = %c\ncastling-rook-files = %c %c\n"
                "castling-king-to = %c %c\ncastling-rook-to = %c %c\n",
                v->piece[k->rook].letter, 'a' + k->king_file, file_or_none(k->rook_file[0]),
                file_or_none(k->rook_file[1]), file_or_none(k->king_to[0]),
                file_or_none(k->king_to[1]), file_or_none(k->rook_to[0]),
                file_or_none(k->rook_to[1]));
    if (k->allowed && k->rank)
        fprintf(out, "castling-rank = %u\n", k->rank + 1);
}

static void print_limits(FILE *out, const struct bk_variant *v)
{
    const char *key = "limits =";

    for (unsigned t = 0; t < v->ntypes; t++)
        if (v->limit[t]) {
            fprintf(out, "%s %c%u", key, v->piece[t].letter, v->limit[t]);
            key = "";
        }
    if (!*key)
        fprintf(out, "\n");
}

static void print_nmove(FILE *out, const struct bk_variant *v)
{
    const char *plus = " +";

    if (!v->nmove.plies)
        return;
    fprintf(out, "n-move = %u\nzeroing = captures", v->nmove.plies / 2u);
    if (v->nmove.irreversible)
        fprintf(out, " + irreversible");
    for (unsigned t = 0; t < v->ntypes; t++)
        if (v->nmove.kinds >> t & 1) {
            fprintf(out, "%s %c", plus, v->piece[t].letter);
            plus = "";
        }
    fprintf(out, "\n");
}

void variant_print_ini(FILE *out, const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    static const char *const bare[] = { "nothing", "wins", "wins-unless-bared-back" };

    fprintf(out, "[variant]\nname = %s\ntitle = %s\nsource = %s\n", v->name, v->title, v->source);
    print_board(out, v);
    fprintf(out, "bare-king = %s\nstalemate = %s\nen-passant = %s\n", bare[v->bare],
            v->stalemate == BK_STALEMATE_DRAW ? "draw" : "loss", v->en_passant ? "yes" : "no");
    if (v->game_turns)
        fprintf(out, "game-length-turns = %u\n", v->game_turns);
    print_nmove(out, v);
    print_limits(out, v);
    if (v->land.live)
        fprintf(out,
                "terrain = live\nterrain-cancel = %s\nterrain-powers = %s\nterrain-bridges = %s\n",
                v->land.cancels ? "enemy" : "none",
                v->land.one_each ? "white-creates-black-destroys" : "all",
                v->land.bridges ? "two-wide" : "free");
    print_castling(out, v);
    for (unsigned t = 0; t < v->ntypes; t++)
        print_piece(out, v, t);
    if (!count)
        return;
    fprintf(out, "\n; material ");
    for (unsigned c = 0; c < 2; c++) {
        fprintf(out, "%s%c", c ? "v" : "", v->piece[v->royal].letter);
        for (unsigned t = 0; t < v->ntypes; t++)
            for (unsigned i = 0; t != v->royal && i < count[c][t]; i++)
                fprintf(out, "%c", v->piece[t].letter);
    }
    fprintf(out, "\n");
}
