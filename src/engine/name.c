/*
 * name.c - what clients write, by way of our own notation; core reads moves and FENs.
 */
#include "engine/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clients.h"
#include "core/exchange.h"
#include "core/letter.h"
#include "core/move.h"
#include "core/rules.h"

/* == Squares ============================================================= */

/* Returns what is subtracted from a rank's number: 1 where the dialect counts from 0. */
static unsigned from_zero(const struct be_game *g, enum be_dialect d)
{
    return d == BE_CECP && bk_client_from_zero(g->v);
}

static char *sq_write(const struct be_game *g, enum be_dialect d, unsigned sq, char out[8])
{
    snprintf(out, 8, "%c%u", (char)('a' + sq % g->v->files),
             (sq / g->v->files + 1 - from_zero(g, d)) & 31);
    return out;
}

unsigned be_sq_read(const struct be_game *g, enum be_dialect d, const char *text)
{
    unsigned file = (unsigned)(text[0] - 'a'), rank;
    char *end;

    if (text[0] < 'a' || file >= g->v->files || !isdigit((unsigned char)text[1]))
        return BK_SQ_NONE;
    rank = (unsigned)strtoul(text + 1, &end, 10) + from_zero(g, d);
    if (*end || rank < 1 || rank > g->v->ranks)
        return BK_SQ_NONE;
    return bk_sq(g->v, file, rank - 1);
}

/* == Moves =============================================================== */

#define NAME_PART_MAX 12 /* a square and what stands before it */

/* Adds a square to a name, after `between` unless that is "". */
static void add_square(const struct be_game *g, enum be_dialect d, char *out, const char *between,
                       unsigned sq)
{
    size_t n = strlen(out);
    char name[8];

    snprintf(out + n, NAME_PART_MAX, "%s%s", between, sq_write(g, d, sq, name));
}

/* Writes a move from its name in our notation, which says which squares matter: `a1b2c3` has one
   between.  Reading it back saves repeating the rules for it. */
static void write_plain(const struct be_game *g, enum be_dialect d, const struct bk_move *m,
                        char *out)
{
    char own[16];
    const char *s = bk_move_name(g->v, m, own);
    unsigned sq[3] = { BK_SQ_NONE, BK_SQ_NONE, BK_SQ_NONE }, n = 0;

    while (n < 3 && *s && *s != '=')
        if ((sq[n++] = bk_sq_read(g->v, &s)) == BK_SQ_NONE)
            break;
    out[0] = 0;
    add_square(g, d, out, "", sq[0]);
    add_square(g, d, out, "", sq[1]);
    if (n == 3 && d == BE_CECP)
        add_square(g, d, out, ",", sq[1]);
    if (n == 3)
        add_square(g, d, out, "", sq[2]);
    if (m->becomes != BK_STAYS) {
        size_t chars = strlen(out);

        out[chars] = (char)tolower((unsigned char)g->v->piece[m->becomes].letter);
        out[chars + 1] = 0;
    }
}

char *be_move_write(const struct be_game *g, enum be_dialect d, const struct be_board *b,
                    const struct be_move *m, char out[BE_NAME_MAX])
{
    struct bk_move plain = m->plain;
    size_t n = 0;

    if (g->hands && bk_rules_drops_are_turns(g->v) && bk_turn_move(&b->hands, &m->turn, &plain)) {
        write_plain(g, d, &plain, out);
        return out;
    }
    if (g->hands) /* ranks as everywhere: no game with hands has ten */
        return bk_turn_name(&b->hands, g->v, &m->turn, out);
    plain.creates = plain.destroys = 0;
    if (m->plain.creates) {
        strcpy(out, "+");
        add_square(g, d, out, "", m->plain.creates - 1u);
        n = strlen(strcat(out, ","));
    }
    write_plain(g, d, &plain, out + n);
    if (m->plain.destroys)
        add_square(g, d, out, ",-", m->plain.destroys - 1u);
    return out;
}

/* Copies a name without `=`, `+`, `#` and `-`, which say nothing.  Where a drop is a turn, nor does
   the case. */
static void copy_said(const struct be_game *g, const char *name, char out[BE_NAME_MAX])
{
    size_t n = 0;

    for (; *name && n + 1 < BE_NAME_MAX; name++)
        if (!strchr("=+#-", *name))
            out[n++] = bk_rules_drops_are_turns(g->v) ? bk_lower(*name) : *name;
    out[n] = 0;
}

/* The legal turn of this name. */
static bool turn_read(const struct be_game *g, const struct be_board *b, const char *name,
                      struct be_move *out)
{
    struct be_moves list = { .n = 0 };
    char wanted[BE_NAME_MAX], each[BE_NAME_MAX], said[BE_NAME_MAX];
    bool found = false;

    copy_said(g, name, wanted);
    if (*wanted && be_moves_legal(g, b, &list))
        for (size_t i = 0; i < list.n && !found; i++) {
            copy_said(g, bk_turn_name(&b->hands, g->v, &list.move[i].turn, each), said);
            found = !strcmp(said, wanted);
            if (found)
                *out = list.move[i];
        }
    be_moves_release(&list);
    return found;
}

bool be_move_read(const struct be_game *g, enum be_dialect d, const struct be_board *b,
                  const char *name, struct be_move *out)
{
    if (g->hands)
        return turn_read(g, b, name, out);
    *out = (struct be_move){ .order = 0 };
    return !bk_move_read(&out->plain, g->v, &b->plain, name, strlen(name), 1 - from_zero(g, d),
                         NULL);
}

/* == FENs ================================================================ */

enum bk_err be_fen_read(struct be_game *g, enum be_dialect d, struct be_board *b, const char *fen,
                        struct bk_report *why)
{
    char own[2 * BK_FEN_MAX], square[8];
    struct bk_fen f;
    unsigned ep;
    int n;

    bk_fen_split(&f, fen);
    if (!f.at[BK_FEN_PASSED] || !from_zero(g, d))
        return be_game_read(g, b, fen, why);
    snprintf(square, sizeof square, "%.*s", (int)f.n[BK_FEN_PASSED], f.at[BK_FEN_PASSED]);
    ep = be_sq_read(g, d, square);
    if (ep == BK_SQ_NONE)
        return be_game_read(g, b, fen, why);
    n = snprintf(own, sizeof own, "%.*s%s%s", (int)(f.at[BK_FEN_PASSED] - fen), fen,
                 bk_sq_name(g->v, ep, square), f.at[BK_FEN_PASSED] + f.n[BK_FEN_PASSED]);
    return n < (int)sizeof own ? be_game_read(g, b, own, why)
                               : bk_fail(why, BK_E_USAGE, "FEN: longer than %d characters", n);
}
