/*
 * reading.c - see reading.h.
 */
#include "study/reading.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/attack.h"
#include "core/clients.h"
#include "core/derive.h"
#include "core/end.h"

/* == Which game == */

/* Are these names alike but for capitals, blanks and hyphens?  What stands behind an @ in the
   second, a terrain or homes, is left out. */
static bool same_name(const char *name, const char *value)
{
    for (;; name++, value++) {
        name += strspn(name, " -_");
        value += strspn(value, " -_");
        if (!*name)
            return !*value || *value == '@';
        if (tolower((unsigned char)*name) != tolower((unsigned char)*value))
            return false;
    }
}

bool study_names_game(const struct bk_variant *v, const char *value)
{
    /* tags that name no game; and chess, as sites and programs name it */
    static const char *const none[] = { "", "?", "From Position" };
    static const char *const chess[] = { "Standard", "Classical", "Normal", "Illegal" };
    char client[BK_CLIENT_NAME_MAX];

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (same_name(none[i], value))
            return true;
    for (size_t i = 0; i < sizeof chess / sizeof *chess && !strcmp(v->name, "chess"); i++)
        if (same_name(chess[i], value))
            return true;
    return same_name(v->name, value) || (*v->title && same_name(v->title, value)) ||
           same_name(bk_client_name(v->name, client), value);
}

/* == Who wrote it == */

/* Holds the token this text, in capitals or not? */
static bool holds(const struct study_token *k, const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i + n <= k->n; i++)
        if (!strncasecmp(k->text + i, text, n))
            return true;
    return false;
}

/* Is this what an engine thought of its move: "+0.11/6 0.1", "-M3/12 0.10s"?  *seconds: with that
   s, which XBoard does not write. */
static bool is_thought(const char *at, bool *seconds)
{
    size_t digits;

    if (*at != '+' && *at != '-')
        return false;
    digits = strspn(at + 1, "M0123456789.");
    if (!digits || at[1 + digits] != '/' || !isdigit((unsigned char)at[2 + digits]))
        return false;
    at += 2 + digits;
    at += strspn(at, "0123456789");
    at += strspn(at, " 0123456789.:+");
    *seconds = *at == 's';
    return *seconds || *at == '}';
}

static enum study_writer writer_of_comment(const struct study_token *k)
{
    bool seconds;

    if (!strncmp(k->text, "{--------------\n", 16) || !strncmp(k->text, "{--------------\r", 16) ||
        holds(k, "xboard adjudication"))
        return STUDY_XBOARD;
    if (*k->text == '{' && is_thought(k->text + 1, &seconds))
        return seconds ? STUDY_CLIENT : STUDY_XBOARD;
    return STUDY_ANYONE;
}

/* Is this the Annotator tag of XBoard, "1. +0.11   1... +0.26", the scores of the first moves? */
static bool tells_first_scores(const char *value)
{
    value += strspn(value, "0123456789");
    value += strspn(value, ". ");
    return (*value == '+' || *value == '-') && isdigit((unsigned char)value[1]);
}

enum study_writer study_writer_of(const struct study_token *k)
{
    static const struct {
        const char *word;
        enum study_writer writer;
    } words[] = { { "xboard", STUDY_XBOARD },
                  { "winboard", STUDY_XBOARD },
                  { "\"Computer Chess Game\"", STUDY_XBOARD },
                  { "fairy-stockfish", STUDY_CLIENT },
                  { "fairy stockfish", STUDY_CLIENT },
                  { "fairystockfish", STUDY_CLIENT },
                  { "pychess", STUDY_CLIENT },
                  { "cutechess", STUDY_CLIENT },
                  { "cute chess", STUDY_CLIENT },
                  { "cute-chess", STUDY_CLIENT },
                  { "liground", STUDY_CLIENT },
                  { "fairyground", STUDY_CLIENT },
                  { "bareking-engine", STUDY_CLIENT } };
    char value[64];

    if (k->kind == STUDY_COMMENT)
        return writer_of_comment(k);
    if (k->kind != STUDY_TAG)
        return STUDY_ANYONE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(k, words[i].word))
            return words[i].writer;
    study_tag_value(k, value, sizeof value);
    if (study_tag_is(k, "VariantMen") ||
        (study_tag_is(k, "Variant") && !strncmp(value, "gs10", 4)) ||
        (study_tag_is(k, "Annotator") && tells_first_scores(value)))
        return STUDY_XBOARD;
    return study_tag_is(k, "Annotator") && !strncasecmp(value, "bareking", 8) ? STUDY_OURSELVES
                                                                              : STUDY_ANYONE;
}

/* == Positions and moves == */

/* Writes a text with each number in it larger by `more`, 1 or -1.  False: it is too long. */
static bool renumber(char *out, size_t room, const char *text, size_t n, int more)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++) {
        char part[24] = { text[i], 0 };

        if (isdigit((unsigned char)text[i])) {
            int number = 0;

            for (; i < n && isdigit((unsigned char)text[i]) && number < 1000; i++)
                number = 10 * number + (text[i] - '0');
            i--;
            snprintf(part, sizeof part, "%d", number + more);
        }
        if (length + strlen(part) >= room)
            return false;
        strcpy(out + length, part);
        length += strlen(part);
    }
    out[length] = 0;
    return true;
}

/* Moves the en passant square of a FEN, its fourth field, up a rank: it is numbered from 0. */
static void renumber_passing(char out[BK_FEN_MAX], const char *fen)
{
    const char *at = fen;
    size_t before;

    for (unsigned field = 0; field < 3; field++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    before = (size_t)(at - fen);
    snprintf(out, BK_FEN_MAX, "%s", fen);
    if (before < BK_FEN_MAX && islower((unsigned char)*at)) {
        size_t n = strcspn(at, " ");

        if (renumber(out + before, BK_FEN_MAX - before, at, n, 1))
            snprintf(out + strlen(out), BK_FEN_MAX - strlen(out), "%s", at + n);
    }
}

enum bk_err study_reading_begin(const struct study_reading *r, const struct bk_variant *v,
                                const char *fen, struct bk_variant **derived, struct bk_pos *p,
                                struct bk_report *why)
{
    char text[BK_FEN_MAX];
    const struct bk_variant *on;
    enum bk_err err;

    if (fen && r->from_zero) {
        renumber_passing(text, fen);
        fen = text;
    }
    fen = fen ? fen : r->array;
    *derived = NULL;
    err = bk_variant_for_fen(derived, v, fen, why);
    on = *derived ? *derived : v;
    if (!err)
        err = bk_pos_from_fen(p, on, fen, why);
    if (!err && !bk_pos_legal(on, p))
        err =
            bk_fail(why, BK_E_USAGE, "illegal position: %s is to move and %s is in check",
                    p->stm == BK_WHITE ? "White" : "Black", p->stm == BK_WHITE ? "Black" : "White");
    return err;
}

/* study_move_read(), with the reading's numbers. */
static enum bk_err read_numbered(const struct study_reading *r, struct bk_move *out,
                                 const struct bk_variant *v, const struct bk_pos *p,
                                 const char *text, size_t n, struct bk_report *why)
{
    char word[STUDY_SPELLED_MAX + 1], renumbered[2 * STUDY_SPELLED_MAX];
    struct bk_report own = { "" };
    enum bk_err err;

    if (!r->from_zero || !study_spell(word, text, n) ||
        !renumber(renumbered, sizeof renumbered, word, strlen(word), 1))
        return study_move_read(out, v, p, text, n, why);
    err = study_move_read(out, v, p, renumbered, strlen(renumbered), &own);
    return err ? bk_fail(why, err, "`%s`%s, its ranks numbered from 0", word,
                         strrchr(own.text, '`') ? strrchr(own.text, '`') + 1 : " is no move")
               : BK_OK;
}

enum bk_err study_reading_move(const struct study_reading *r, struct bk_move *out,
                               const struct bk_variant *v, const struct bk_pos *p, const char *text,
                               size_t n, struct bk_report *why)
{
    int wdl = 0;
    enum bk_end end = bk_pos_end(v, p, &wdl);
    bool bares_back = end == BK_END_BARE_DRAW && !bk_pos_both_bare(p);
    bool replies = r->bared_may_reply && end == BK_END_BARE && wdl < 0;
    struct bk_pos next = *p;
    enum bk_err err;

    if (end != BK_END_NONE && !bares_back && !replies)
        return bk_fail(why, BK_E_ILLEGAL, "the game is over");
    err = read_numbered(r, out, v, p, text, n, why);
    if (err || !bares_back)
        return err;
    bk_pos_play(&next, v, out);
    return bk_pos_both_bare(&next) ? BK_OK : bk_fail(why, BK_E_ILLEGAL, "the game is over");
}

char *study_reading_name(const struct study_reading *r, const char *name, char out[16])
{
    if (!r->from_zero || !renumber(out, 16, name, strlen(name), -1))
        snprintf(out, 16, "%s", name);
    return out;
}

bool study_pass(const struct bk_variant *v, struct bk_pos *p)
{
    struct bk_pos next = *p;

    if (bk_in_check(v, p, p->stm))
        return false;
    next.stm = !p->stm;
    next.ep = BK_SQ_NONE;
    next.turn = (uint16_t)(p->turn + (p->stm == BK_BLACK));
    *p = next;
    return true;
}

/* == Which reading == */

#define READINGS_MAX 4

/* How far a reading comes. */
struct trial {
    struct study_reading reading;
    unsigned plies; /* that are legal, from the first on */
    bool whole;     /* all are */
};

/* Looks through a game for who wrote it. */
static enum study_writer look_through(struct study_tokens *t, enum study_writer writer)
{
    struct study_tokens at = *t;

    for (;;) {
        struct study_token k = study_token_next(&at);

        t->no_closing |= at.no_closing;
        if (k.kind == STUDY_END || k.kind == STUDY_RESULT || k.kind == STUDY_TAG)
            break;
        if (study_writer_of(&k) > writer)
            writer = study_writer_of(&k);
    }
    return writer;
}

/* Plays a game as far as its moves are legal; a null move ends the trial. */
static void try_reading(struct trial *trial, const struct bk_variant *base, const char *fen,
                        struct study_tokens at)
{
    struct bk_variant *derived = NULL;
    struct bk_pos p;
    bool goes_on = study_reading_begin(&trial->reading, base, fen, &derived, &p, NULL) == BK_OK;
    const struct bk_variant *v = derived ? derived : base;

    trial->plies = 0;
    trial->whole = false;
    while (goes_on) {
        struct study_token k = study_token_next(&at);
        struct bk_move move;

        trial->whole = k.kind == STUDY_END || k.kind == STUDY_RESULT || k.kind == STUDY_TAG ||
                       k.kind == STUDY_NULL;
        goes_on = !trial->whole && k.kind != STUDY_BROKEN;
        if (k.kind != STUDY_MOVE)
            continue;
        goes_on = !study_reading_move(&trial->reading, &move, v, &p, k.text, k.n, NULL);
        if (goes_on) {
            bk_pos_play(&p, v, &move);
            trial->plies++;
        }
    }
    bk_variant_free(derived);
}

/* Lists the readings that there may be.  Returns how many; the first is ours. */
static unsigned list_readings(struct trial list[READINGS_MAX], const struct bk_variant *v,
                              const char *fen)
{
    const char *array = fen ? NULL : bk_client_array(v->name);
    unsigned n = 0, arrays = array && *v->start && strcmp(array, v->start) != 0 ? 2 : 1;

    for (unsigned zero = 0; zero <= bk_client_from_zero(v); zero++)
        for (unsigned a = 0; a < arrays; a++)
            list[n++].reading = (struct study_reading){ .array = a ? array : v->start,
                                                        .from_zero = zero,
                                                        .bared_may_reply = true };
    return n;
}

/* Is this reading the writer's? */
static bool is_writers(const struct study_reading *r, const struct bk_variant *v,
                       enum study_writer writer)
{
    bool own_array = r->array == v->start, only_array = !bk_client_array(v->name);

    if (writer == STUDY_ANYONE ||
        r->from_zero != (writer == STUDY_XBOARD && bk_client_from_zero(v)))
        return false;
    return only_array || own_array == (writer == STUDY_OURSELVES);
}

/* Comes `a` further than `b` (1), as far (0), or not (-1)? */
static int compare(const struct trial *a, const struct trial *b)
{
    if (a->whole != b->whole)
        return a->whole ? 1 : -1;
    return (a->plies > b->plies) - (a->plies < b->plies);
}

enum study_doubt study_reading_choose(struct study_reading *out, const struct bk_variant *v,
                                      const char *fen, struct study_tokens *t,
                                      enum study_writer writer)
{
    struct trial list[READINGS_MAX];
    unsigned n = list_readings(list, v, fen), best = 0, alike = 0;
    bool told = false;

    *out = list[0].reading;
    if (n == 1)
        return STUDY_CERTAIN;
    writer = look_through(t, writer);
    for (unsigned i = 0; i < n; i++) {
        try_reading(&list[i], v, fen, *t);
        if (compare(&list[i], &list[best]) > 0)
            best = i;
    }
    for (unsigned i = 0; i < n; i++)
        if (!compare(&list[i], &list[best])) {
            told |= is_writers(&list[i].reading, v, writer);
            if (is_writers(&list[i].reading, v, writer))
                best = i;
            alike++;
        }
    *out = list[best].reading;
    if (told || alike == 1)
        return STUDY_CERTAIN;
    return list[best].whole ? STUDY_OPEN : STUDY_NEITHER;
}
