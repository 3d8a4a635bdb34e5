/*
 * name.c - what clients write, by way of our own notation.
 *
 * Moves are not parsed: each legal move is written in the client's way and compared.  So whatever
 * is written can be read, in every game.
 */
#include "engine/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clients.h"
#include "core/move_name.h"

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

/* Adds a square to a name, after `between` unless that is "". */
static void add_square(const struct be_game *g, enum be_dialect d, char out[BE_NAME_MAX],
                       const char *between, unsigned sq)
{
    size_t n = strlen(out);
    char name[8];

    snprintf(out + n, BE_NAME_MAX - n, "%s%s", between, sq_write(g, d, sq, name));
}

/* Writes a move from its name in our notation, which says which squares matter: `a1b2c3` has one
   between.  Reading it back saves repeating the rules for it. */
static void write_plain(const struct be_game *g, enum be_dialect d, const struct bk_move *m,
                        char out[BE_NAME_MAX])
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
    if (g->hands) /* ranks as everywhere: no game with hands has ten */
        bk_turn_name(&b->hands, g->v, &m->turn, out);
    else
        write_plain(g, d, &m->plain, out);
    return out;
}

/* Is *s a character that does not tell moves apart?  `x` is one only before a square: at the end it
   is what a man becomes (Atlantean's flexible knight). */
static bool is_mark(const char *s, bool hands)
{
    return strchr("=+#-", *s) || (*s == 'x' && !hands && isalpha((unsigned char)s[1]));
}

/* The characters that tell moves apart, in lower case. */
static void bare_name(const char *name, bool hands, char out[BE_NAME_MAX])
{
    size_t n = 0;

    for (; *name && n + 1 < BE_NAME_MAX; name++)
        if (!is_mark(name, hands))
            out[n++] = hands ? *name : (char)tolower((unsigned char)*name);
    out[n] = 0;
}

/* Does `name` mean this castling move, written as king takes rook or as O-O?  The third way,
   write_plain()'s, is be_move_read()'s to compare. */
static bool names_castling(const struct be_game *g, enum be_dialect d, const struct bk_move *m,
                           const char *name)
{
    char other[BE_NAME_MAX] = "";

    if (!m->castles)
        return false;
    if (!strcmp(name, "oo") || !strcmp(name, "ooo") || !strcmp(name, "00") || !strcmp(name, "000"))
        return (strlen(name) == 3) == (m->also < m->from);
    add_square(g, d, other, "", m->from);
    add_square(g, d, other, "", m->also);
    return !strcmp(name, other);
}

bool be_move_read(const struct be_game *g, enum be_dialect d, const struct be_board *b,
                  const char *name, struct be_move *out)
{
    struct be_moves list = { .n = 0 };
    char wanted[BE_NAME_MAX], each[BE_NAME_MAX];
    size_t n, matches = 0;
    bool found = false;

    bare_name(name, g->hands, wanted);
    n = strlen(wanted);
    if (n && be_moves_legal(g, b, &list))
        for (size_t i = 0; i < list.n && !found; i++) {
            const struct be_move *m = &list.move[i];

            be_move_write(g, d, b, m, each);
            found = !strcmp(each, wanted) || (!g->hands && names_castling(g, d, &m->plain, wanted));
            if (found || (!g->hands && m->plain.becomes != BK_STAYS && strlen(each) == n + 1 &&
                          !strncmp(each, wanted, n))) {
                *out = *m;
                matches++;
            }
        }
    be_moves_release(&list);
    return found || matches == 1; /* what a man becomes need not be said if only one is possible */
}

/* == FENs ================================================================ */

enum { BOARD, SIDE, CASTLING, PASSING, CLOCK, TURN, FIELDS };

struct fields {
    char text[FIELDS][BK_FEN_MAX];
};

static bool is_number(const char *s) { return *s && s[strspn(s, "0123456789")] == 0; }

/* Removes what says nothing: `~` of promoted men, and empty brackets, unless the game has
   allowances, of which they say that none is left. */
static void clean_board(const struct bk_variant *v, char *board)
{
    char *to = board, *bracket;

    for (const char *s = board; *s; s++)
        if (*s != '~')
            *to++ = *s;
    *to = 0;
    bracket = strchr(board, '[');
    for (unsigned type = 0; type < v->ntypes; type++)
        if (bk_rules_allowance(v, type))
            return;
    if (bracket && !strcmp(bracket, "[]"))
        *bracket = 0;
}

/* Sorts the words behind the side into castling, en passant, clocks. */
static void sort_fields(const struct be_game *g, enum be_dialect d, const char *fen,
                        struct fields *f)
{
    char copy[BK_FEN_MAX], *s = copy, *word;
    unsigned next = BOARD;

    *f = (struct fields){ .text = { "", "w", "-", "-", "0", "1" } };
    snprintf(copy, sizeof copy, "%s", fen);
    for (; next < FIELDS && (word = strtok_r(s, " \t", &s)) != NULL;) {
        unsigned is = next;

        if (next >= CASTLING && next <= PASSING && is_number(word))
            is = CLOCK;
        else if (next == CASTLING && be_sq_read(g, d, word) != BK_SQ_NONE)
            is = PASSING;
        else if (next >= CLOCK && !is_number(word))
            continue; /* checks given, EPD: not ours */
        snprintf(f->text[is], sizeof f->text[is], "%s", word);
        next = is + 1;
    }
    clean_board(g->base, f->text[BOARD]);
    if (!strcmp(f->text[TURN], "0"))
        strcpy(f->text[TURN], "1");
}

static enum bk_err try_fields(struct be_game *g, struct be_board *b, const struct fields *f,
                              struct bk_report *why)
{
    char fen[2 * BK_FEN_MAX];
    int n = snprintf(fen, sizeof fen, "%s %s %s %s %s %s", f->text[BOARD], f->text[SIDE],
                     f->text[CASTLING], f->text[PASSING], f->text[CLOCK], f->text[TURN]);

    if (n >= (int)sizeof fen)
        return bk_fail(why, BK_E_USAGE, "FEN: longer than %d characters", BK_FEN_MAX);
    return be_game_read(g, b, fen, why);
}

/* Removes each castling right that cannot be read, then the en passant square if it cannot. */
static void drop_impossible(struct be_game *g, struct be_board *b, struct fields *f)
{
    struct fields one = *f;
    struct bk_report why;
    char rights[8] = "";

    strcpy(one.text[PASSING], "-");
    for (const char *s = f->text[CASTLING]; *s && strlen(rights) < 4; s++) {
        snprintf(one.text[CASTLING], sizeof one.text[CASTLING], "%s%c", rights, *s);
        if (*s != '-' && try_fields(g, b, &one, &why) == BK_OK)
            snprintf(rights + strlen(rights), 2, "%c", *s);
    }
    strcpy(f->text[CASTLING], *rights ? rights : "-");
    one = *f;
    if (try_fields(g, b, &one, &why) != BK_OK)
        strcpy(f->text[PASSING], "-");
}

enum bk_err be_fen_read(struct be_game *g, enum be_dialect d, struct be_board *b, const char *fen,
                        struct bk_report *why)
{
    struct fields f;
    struct be_board read;
    enum bk_err err;
    unsigned ep;

    if (strlen(fen) >= BK_FEN_MAX)
        return bk_fail(why, BK_E_USAGE, "FEN: longer than %d characters", BK_FEN_MAX);
    sort_fields(g, d, fen, &f);
    ep = be_sq_read(g, d, f.text[PASSING]);
    if (ep != BK_SQ_NONE)
        bk_sq_name(g->v, ep, f.text[PASSING]);
    err = try_fields(g, &read, &f, why);
    if (err == BK_E_USAGE && (strcmp(f.text[CASTLING], "-") || strcmp(f.text[PASSING], "-"))) {
        drop_impossible(g, &read, &f);
        err = try_fields(g, &read, &f, why);
    }
    if (!err)
        *b = read;
    return err;
}
