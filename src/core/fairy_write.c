/*
 * fairy_write.c - writes variants.ini.
 *
 * Idea: rules that have no key are refused first, by name; the rest is written key by key; then
 * our own reader reads it, and the rules must be equal.  So nothing here need be proved: what is
 * written wrong is refused, too.  Where `nearly` is wanted, such rules are left out and named.
 *
 * A man who moves as one that the program knows gets that one's key, which programs of all years
 * read; others are a customPiece, which those before 2022 pass over without a word.
 *
 * "The program" is Fairy-Stockfish.
 */
#include "core/fairy_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/betza.h"
#include "core/embedded.h"
#include "core/fairy.h"
#include "core/fairy_file.h"
#include "core/letter.h"
#include "core/load.h"
#include "core/position.h"
#include "core/rules.h"

struct writing {
    const struct bk_variant *v;
    char *out;
    size_t n;
    int pawn; /* the one type that changes or goes two squares; -1: there is none */
    bool nearly;
    char left[1024]; /* the rules that are not written, as comments */
    struct bk_report *why;
};

/* Appends to the text; what has no room is cut off, and reading it back fails. */
static void put(struct writing *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct writing *w, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    w->n += (size_t)vsnprintf(w->out + w->n, BK_FAIRY_TEXT_MAX - w->n, fmt, args);
    va_end(args);
    if (w->n >= BK_FAIRY_TEXT_MAX)
        w->n = BK_FAIRY_TEXT_MAX - 1;
}

static bool refuse(struct writing *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct writing *w, const char *fmt, ...)
{
    char text[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    bk_fail(w->why, BK_E_USAGE, "%s: a variants.ini cannot say this game: %s", w->v->name, text);
    return false;
}

/* A rule that has no key: refused, or left out and named.  True: go on without it. */
static bool leave(struct writing *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool leave(struct writing *w, const char *fmt, ...)
{
    size_t n = strlen(w->left);
    char text[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!w->nearly)
        return refuse(w, "%s", text);
    snprintf(w->left + n, sizeof w->left - n, "# not said: %s\n", text);
    return true;
}

/* == Moves =============================================================== */

static bool same_steps(const struct bk_movement *a, const struct bk_movement *b)
{
    for (unsigned i = 0; i < a->nsteps; i++) {
        unsigned j = 0;

        while (j < b->nsteps && memcmp(&a->step[i], &b->step[j], sizeof a->step[i]) != 0)
            j++;
        if (j == b->nsteps)
            return false;
    }
    return a->nsteps == b->nsteps;
}

static bool reads_as(const char *betza, const struct bk_movement *m)
{
    struct bk_movement read = { .steps_max = 1 };
    struct bk_report why;
    size_t at;

    return !bk_betza_read(&read, betza, &at, &why) && same_steps(&read, m);
}

/* == What has no key ===================================================== */

static bool game_can_be_said(struct writing *w)
{
    const struct bk_variant *v = w->v;

    if (bk_rules_land_lives(v))
        return refuse(w, "land vanishes and comes back (`terrain`)");
    if (bk_rules_without_tables(v))
        return refuse(w, "%s", bk_rules_without_tables(v));
    if (bk_rules_hands(v))
        return refuse(w, "captured men are held and keep their colour (`hands`)");
    if (bk_rules_turns_max(v) &&
        !leave(w, "it is drawn after %u turns (`game-length-turns`)", bk_rules_turns_max(v)))
        return false;
    if (bk_rules_homes_told(v))
        return refuse(w, "each FEN has homes of its own (`castling-homes`)");
    if (v->files > BK_FAIRY_PROGRAM_FILES || v->ranks > BK_FAIRY_PROGRAM_RANKS)
        return refuse(w, "a board of %ux%u: there they go to %dx%d", v->files, v->ranks,
                      BK_FAIRY_PROGRAM_FILES, BK_FAIRY_PROGRAM_RANKS);
    return true;
}

static bool end_can_be_said(struct writing *w)
{
    return !bk_rules_bares_back(w->v) || bk_rules_stalemate_loses(w->v) ||
           leave(w, "baring back (`bare-king = wins-unless-bared-back`) where stalemate is a draw");
}

static bool move_can_be_said(struct writing *w, unsigned type)
{
    const struct bk_piece *p = &w->v->piece[type];

    return (!bk_rules_takes_twice(w->v, type) ||
            leave(w, "[piece %s] takes two men in a move", p->name)) &&
           (p->move.steps_max < 2 ||
            leave(w, "[piece %s] may go two steps in a move (`steps = 2`)", p->name)) &&
           (!p->zone_ranks ||
            leave(w, "[piece %s] moves otherwise on some ranks (`zone-ranks`)", p->name));
}

/* Does it change, or make double steps, in a way that can be written? */
static bool change_can_be_said(struct writing *w, unsigned type)
{
    const struct bk_piece *p = &w->v->piece[type];

    if (bk_rules_changes_in_place(w->v, type) &&
        !leave(w, "[piece %s] may change where it stands (`in-place`)", p->name))
        return false;
    if (p->nbecomes && p->become[0].counted)
        return leave(w, "[piece %s] evolves, a limited number of times", p->name);
    if (p->nbecomes && w->nearly && !reads_as("mfWcfF", &p->move))
        return leave(w, "[piece %s] changes, and moves otherwise than a pawn", p->name);
    if (p->nbecomes > 1 && !leave(w, "[piece %s] changes by several rules (`becomes`)", p->name))
        return false;
    if (!p->nbecomes && !p->double_ranks)
        return true;
    if (w->pawn >= 0)
        return leave(w, "[piece %s] and [piece %s] both change or make double steps",
                     w->v->piece[w->pawn].name, p->name);
    w->pawn = (int)type;
    return true;
}

/* == Men ================================================================= */

/* Removes the steps of `atom` from `left`, if they are all there.  Returns how many. */
static unsigned take_atom(struct bk_movement *left, const char *atom)
{
    struct bk_movement read = { .steps_max = 1 }, rest = *left;
    struct bk_report why;
    size_t at;

    if (bk_betza_read(&read, atom, &at, &why))
        return 0;
    for (unsigned i = 0; i < read.nsteps; i++) {
        const struct bk_step *s = &read.step[i];
        unsigned j = 0;

        while (j < rest.nsteps &&
               (rest.step[j].df != s->df || rest.step[j].dr != s->dr ||
                rest.step[j].range != s->range || (rest.step[j].how & s->how) != s->how ||
                (rest.step[j].how ^ s->how) & BK_HOPS))
            j++;
        if (j == rest.nsteps)
            return 0;
        rest.step[j].how &= (uint8_t) ~(s->how & (BK_QUIET | BK_TAKES));
        if (!(rest.step[j].how & (BK_QUIET | BK_TAKES)))
            rest.step[j] = rest.step[--rest.nsteps];
    }
    *left = rest;
    return read.nsteps;
}

/* Writes a move as the atoms that say most, first those without letters before them.  False: no
   atoms say it. */
static bool write_betza(const struct bk_movement *m, char out[128])
{
    static const char *const how[] = { "", "m", "c" };
    static const char *const way[] = { "",   "fs", "bs", "f",  "b",  "s",  "l",  "r",  "fl",
                                       "fr", "bl", "br", "ff", "bb", "ll", "rr", "lv", "rv" };
    static const char *const atom[] = { "Q", "R", "B", "NN", "K", "W", "F",  "N",
                                        "D", "A", "H", "G",  "C", "Z", "pR", "pB" };
    struct bk_movement left = *m;
    size_t n = 0;

    out[0] = 0;
    for (unsigned w = 0; w < sizeof way / sizeof *way; w++)
        for (unsigned h = 0; h < sizeof how / sizeof *how; h++)
            for (unsigned a = 0; a < sizeof atom / sizeof *atom; a++)
                for (unsigned range = 1; range < 10; range++) {
                    char text[16];

                    snprintf(text, sizeof text, range > 1 ? "%s%s%s%u" : "%s%s%s", how[h], way[w],
                             atom[a], range);
                    if (take_atom(&left, text) && n < 100)
                        n += (size_t)snprintf(out + n, 128 - n, "%s", text);
                }
    return !left.nsteps && n < 100;
}

/* The first step of a move of two.  Where both go the same way, a step to the next square becomes
   a ride as far as the two may come: all of that is within the move. */
static struct bk_movement first_step(const struct bk_movement *m)
{
    struct bk_movement first = *m;

    first.steps_max = 1;
    for (unsigned i = 0; m->steps_max > 1 && !m->bend && i < m->nsteps; i++) {
        const struct bk_step *s = &m->step[i];
        int farthest = 1;

        for (unsigned j = 0; j < m->nsteps; j++)
            for (int times = 2; times < 5; times++)
                if (m->step[j].df == s->df * times && m->step[j].dr == s->dr * times)
                    farthest = times > farthest ? times : farthest;
        if (abs(s->df) < 2 && abs(s->dr) < 2)
            first.step[i].range = (uint8_t)(2 * farthest);
    }
    return first;
}

static bool write_man(struct writing *w, unsigned type, unsigned *custom)
{
    const struct bk_piece *p = &w->v->piece[type];
    const struct bk_movement first = first_step(&p->move), *m = &first;
    const char *known = NULL, *betza;
    char text[128], letter = bk_lower(p->letter);

    for (size_t i = 0; !known && (betza = bk_fairy_predefined(i, &known)) != NULL; i++)
        if (!reads_as(betza, m) || !strcmp(known, "king") != p->royal ||
            !strcmp(known, "pawn") != ((int)type == w->pawn))
            known = NULL;
    if (known) {
        put(w, "%s = %c\n", known, letter);
        return true;
    }
    if ((int)type == w->pawn)
        return refuse(w, "[piece %s] moves otherwise than a pawn, and changes", p->name);
    if (!write_betza(m, text))
        return refuse(w, "[piece %s]: no atoms say its move", p->name);
    if (p->royal)
        put(w, "king = %c:%s\n", letter, text);
    else
        put(w, "customPiece%u = %c:%s\n", ++*custom, letter, text);
    return true;
}

/* == Pawns =============================================================== */

static void put_ranks(struct writing *w, const char *key, unsigned colour, uint16_t ranks)
{
    put(w, "%s%s =", key, colour == BK_WHITE ? "White" : "Black");
    for (unsigned rank = 0; rank < w->v->ranks; rank++)
        if (ranks >> rank & 1)
            put(w, " *%u", colour == BK_WHITE ? rank + 1 : w->v->ranks - rank);
    put(w, "\n");
}

static void write_pawn(struct writing *w)
{
    const struct bk_variant *v = w->v;
    const struct bk_piece *p = &v->piece[w->pawn];
    const struct bk_become *b = &p->become[0];
    uint16_t ranks = 0;

    for (unsigned i = 0; i < p->nbecomes; i++) /* more than one: nearly */
        ranks |= p->become[i].ranks;

    put(w, "promotionPieceTypes = ");
    for (unsigned i = 0; p->nbecomes && i < b->nto; i++)
        put(w, "%c", bk_lower(v->piece[b->to[i]].letter));
    put(w, p->nbecomes ? "\n" : "-\n");
    for (unsigned colour = 0; p->nbecomes && colour < 2; colour++)
        put_ranks(w, "promotionRegion", colour, ranks);
    put(w, "mandatoryPawnPromotion = %s\n", p->nbecomes && b->must ? "true" : "false");
    if (p->nbecomes && b->lost_only) {
        put(w, "promotionLimit =");
        for (unsigned i = 0; i < b->nto; i++)
            put(w, " %c:%u", bk_lower(v->piece[b->to[i]].letter), v->piece[b->to[i]].army);
        put(w, "\n");
    }
    put(w, "doubleStep = %s\n", p->double_ranks ? "true" : "false");
    for (unsigned colour = 0; p->double_ranks && colour < 2; colour++)
        put_ranks(w, "doubleStepRegion", colour, p->double_ranks);
    if (p->double_ranks && !v->en_passant)
        put(w, "enPassantRegion = -\n");
}

/* == The whole =========================================================== */

/* Writes the array; of a game that has none two kings, where they may stand. */
static bool write_start(struct writing *w)
{
    const struct bk_variant *v = w->v;
    char fen[BK_FEN_MAX] = "";
    struct bk_report why;
    struct bk_pos p;

    for (unsigned white = 0; !*v->start && !*fen && white < v->nsq; white++)
        for (unsigned black = v->nsq; !*fen && black-- > 0;) {
            uint8_t at[BK_SQ_MAX] = { 0 };

            if (white == black || !bk_rules_may_stand(v, v->royal, BK_WHITE, white) ||
                !bk_rules_may_stand(v, v->royal, BK_BLACK, black))
                continue;
            at[white] = bk_man(v->royal, BK_WHITE);
            at[black] = bk_man(v->royal, BK_BLACK);
            strcpy(fen + bk_board_write(v, at, NULL, fen), " w - - 0 1");
            if (bk_pos_from_fen(&p, v, fen, &why) || !bk_pos_legal(v, &p))
                *fen = 0;
        }
    put(w, "startFen = %s\n", *v->start ? v->start : fen);
    return *v->start || *fen || refuse(w, "no position to begin with");
}

static void write_castling(struct writing *w)
{
    const struct bk_castling *k = &w->v->castling;
    static const char *const side[] = { "castlingQueensideFile", "castlingKingsideFile" };

    put(w, "castling = %s\n", k->allowed ? "true" : "false");
    if (!k->allowed)
        return;
    put(w, "castlingKingFile = %c\n", 'a' + k->king_file);
    for (unsigned i = 0; i < 2; i++)
        if (k->king_to[i] != BK_NO_HOME)
            put(w, "%s = %c\n", side[i], 'a' + k->king_to[i]);
    if (w->v->piece[k->rook].letter != 'R')
        put(w, "castlingRookPieces = %c\n", bk_lower(w->v->piece[k->rook].letter));
}

static void write_ends(struct writing *w)
{
    const struct bk_variant *v = w->v;

    put(w, "stalemateValue = %s\n", v->stalemate == BK_STALEMATE_LOSS ? "loss" : "draw");
    if (v->bare == BK_BARE_NOTHING)
        return;
    put(w, "extinctionValue = loss\nextinctionPieceTypes = *\nextinctionPieceCount = 1\n");
    put(w, "extinctionClaim = %s\nextinctionOpponentPieceCount = %u\n",
        v->bare == BK_BARE_BACK ? "true" : "false", v->bare == BK_BARE_BACK ? 2 : 0);
}

/* Is the section that was written this game? */
static enum bk_err read_back(struct writing *w)
{
    struct bk_report why;
    struct bk_variant *read;
    enum bk_err err = bk_fairy_parse(&read, w->v->name, w->out, NULL, &why);
    bool same;

    if (err == BK_E_SYSTEM)
        return bk_fail(w->why, err, "%s", why.text);
    if (err)
        refuse(w, "%s", why.text);
    if (err)
        return err;
    same = read->rules_id == w->v->rules_id;
    bk_variant_free(read);
    if (!same)
        refuse(w, "what its keys say is another game");
    return same ? BK_OK : BK_E_USAGE;
}

static bool write_all(struct writing *w)
{
    const struct bk_variant *v = w->v;
    unsigned custom = 0;

    if (!game_can_be_said(w))
        return false;
    for (unsigned type = 0; type < v->ntypes; type++)
        if (!move_can_be_said(w, type) || !change_can_be_said(w, type))
            return false;
    if (!end_can_be_said(w))
        return false;
    put(w, "%s[%s]\nmaxFile = %u\nmaxRank = %u\n", w->left, v->name, v->files, v->ranks);
    for (unsigned type = 0; type < v->ntypes; type++)
        if (!write_man(w, type, &custom))
            return false;
    if (!write_start(w))
        return false;
    if (w->pawn >= 0)
        write_pawn(w);
    else
        put(w, "doubleStep = false\n");
    write_castling(w);
    write_ends(w);
    return true;
}

enum bk_err bk_fairy_write(const struct bk_variant *v, bool nearly, char out[BK_FAIRY_TEXT_MAX],
                           struct bk_report *why)
{
    struct writing w = { .v = v, .out = out, .pawn = -1, .nearly = nearly, .why = why };

    if (!write_all(&w))
        return BK_E_USAGE;
    return *w.left ? BK_OK : read_back(&w);
}

/* Has the game of this name the rules of `v`? */
static bool same_rules(const struct bk_variant *v, const char *name)
{
    struct bk_variant *other;
    struct bk_report why;
    bool same;

    if (bk_variant_load(&other, name, &why))
        return false;
    same = other->rules_id == v->rules_id;
    bk_variant_free(other);
    return same;
}

const char *bk_fairy_name_of(const struct bk_variant *v)
{
    static const char *const ours[] = { "chess", "shatranj" }; /* the program has them, too */

    for (unsigned i = 0; i < 2; i++)
        if (same_rules(v, ours[i]))
            return ours[i];
    for (const struct bk_embedded_fairy *e = bk_embedded_fairy; e->name; e++)
        if (same_rules(v, e->name))
            return e->name;
    return NULL;
}
