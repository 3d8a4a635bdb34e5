/*
 * cmd_annotate.c - games and positions, with what the tables say of them.
 *
 * A text is handed on as it stands; behind moves that give something away
 * comes a mark and what would have been better.  Positions out of the tables'
 * reach are passed over; what cannot be read is told, and handed on with the rest
 * of its game: a list of a thousand games is not lost by a slip in one.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/many.h"
#include "cli/report.h"
#include "cli/save.h"
#include "core/attack.h"
#include "core/derive.h"
#include "core/end.h"
#include "core/move_name.h"
#include "core/utf8.h"
#include "study/game.h"

#define BYTES_MAX (64u << 20)
#define COLUMNS   79
#define WORDS_MAX 128 /* "White wins in 39 plies (20 turns)" */
#define WHY_MAX   1024

struct annotation {
    const struct cli *c;
    struct bk_variant *base;
    struct bk_lib *lib;
    struct study_text out;
    size_t column;
    int status;    /* CLI_USAGE: something could not be read; another error has ended all */
    json_t *games; /* with --json */
    /* the game under way */
    struct bk_variant *v; /* base, or derived for its FEN: then owned */
    struct bk_pos p;
    bool begun; /* p is set: moves may come */
    bool told;  /* a position of the game was in reach */
    bool lost;  /* something of the game cannot be read: what follows stays as it is */
    unsigned ply;
    unsigned tag_line;  /* line of the last tag */
    bool fen_told;      /* these tags, with no empty line between, have had a FEN */
    const char *rest;   /* the text behind the move that is told of; in a list the line */
    unsigned signs;     /* "$n" that come next in the text, and have been put already */
    unsigned commented; /* of an EPD line: a bit for each of c0 to c9 that we have put */
    bool known;         /* a table has told something */
    bool any;           /* a token of the game was read: with --json it is told of */
    char why[WHY_MAX];  /* the first error in reading it; "": none */
    unsigned why_line;
    json_t *game, *moves;
};

/* == What the tables say == */

/* What the tables say of a position; known: it is in their reach. */
struct verdict {
    bool known;
    struct bk_answer a;
};

static int ask(struct annotation *n, const struct bk_variant *v, const struct bk_pos *p,
               struct verdict *out)
{
    char fen[BK_FEN_MAX];
    enum bk_lib_err err = bk_probe_fen(n->lib, bk_pos_to_fen(p, v, fen), &out->a);

    out->known = !err;
    n->known |= !err;
    return !err || err == BK_LIB_NO_TABLE ? CLI_OK : many_fail(n->lib, err);
}

/* "White wins in 39 plies (20 turns)" */
static char *words(char out[WORDS_MAX], unsigned stm, const struct bk_answer *a)
{
    char plies[CLI_TEXT_MAX];

    if (!a->clocked_wdl)
        snprintf(out, WORDS_MAX, "a draw");
    else if (a->dtw < 0)
        snprintf(out, WORDS_MAX, "%s wins%s", cli_colour(a->clocked_wdl > 0 ? stm : !stm),
                 a->clocked_known ? "" : ", in time or not");
    else
        snprintf(out, WORDS_MAX, "%s wins in %s", cli_colour(a->clocked_wdl > 0 ? stm : !stm),
                 cli_plies(plies, a->dtw));
    return out;
}

/* Is the result within the game's length known? */
static bool is_sure(const struct verdict *x) { return x->known && x->a.clocked_known; }

/* A move that was played, and the verdicts before and after it. */
struct played {
    struct verdict before, after;
    int given;       /* given away if > 0: 1, or 2 from a win to a loss */
    char name[16];   /* of the move */
    char best[16];   /* the move that keeps what was given away; "": no table says */
    struct bk_pos p; /* the position after the move */
};

/* "a draw; with b3b4 White wins in 39 plies (20 turns)": of a move that gave something away. */
static char *what_came(char out[3 * WORDS_MAX], const struct played *m)
{
    char now[WORDS_MAX], was[WORDS_MAX];

    words(now, m->p.stm, &m->after.a);
    words(was, !m->p.stm, &m->before.a);
    if (*m->best)
        snprintf(out, 3 * WORDS_MAX, "%s; with %s %s", now, m->best, was);
    else
        strcpy(out, now);
    return out;
}

static int judge(struct annotation *n, const struct bk_variant *v, const struct bk_pos *p,
                 const struct bk_move *m, struct played *out)
{
    struct bk_lib_ranked best = { .err = BK_LIB_NO_TABLE };
    char fen[BK_FEN_MAX];
    size_t all;
    int status;

    memset(out, 0, sizeof *out);
    bk_move_name(v, m, out->name);
    out->p = *p;
    bk_pos_play(&out->p, v, m);
    status = ask(n, v, p, &out->before);
    if (!status)
        status = ask(n, v, &out->p, &out->after);
    if (status || !is_sure(&out->before) || !is_sure(&out->after))
        return status;
    out->given = out->before.a.clocked_wdl + out->after.a.clocked_wdl;
    if (out->given > 0) /* another move's table may be missing */
        bk_rank_moves_fen(n->lib, bk_pos_to_fen(p, v, fen), 0, 0, &best, 1, &all);
    if (!best.err && best.clocked_wdl == out->before.a.clocked_wdl)
        strcpy(out->best, best.name);
    return CLI_OK;
}

/* == Writing == */

static void end_line(struct annotation *n)
{
    if (n->column)
        study_put(&n->out, "\n");
    n->column = 0;
}

/* Puts a word, or a comment, on this line or the next. */
static void put_word(struct annotation *n, const char *text, size_t length)
{
    const char *line = text + length;

    if (n->column + 1 + length > COLUMNS)
        end_line(n);
    study_putf(&n->out, "%s%.*s", n->column ? " " : "", (int)length, text);
    n->column += length + (n->column > 0);
    while (line > text && line[-1] != '\n')
        line--;
    if (line > text) /* a comment of several lines */
        n->column = (size_t)(text + length - line);
}

/* Puts a remark on a move, unless it stands next in the text: then passes over that. */
static void say(struct annotation *n, const char *text, size_t length)
{
    n->rest += strspn(n->rest, " \t\r\n");
    if (!strncmp(n->rest, text, length))
        n->rest += length;
    else
        put_word(n, text, length);
}

/* Puts the signs "$n" that stand next in the text, before our remark.  Is `sign` one of them? */
static bool put_signs(struct annotation *n, const char *sign)
{
    bool there = false;

    while (n->rest += strspn(n->rest, " \t\r\n"), *n->rest == '$') {
        size_t length = 1 + strspn(n->rest + 1, "0123456789");

        there |= length == strlen(sign) && !strncmp(n->rest, sign, length);
        put_word(n, n->rest, length);
        n->rest += length;
        n->signs++;
    }
    return there;
}

static void put_comment(struct annotation *n, const char *text)
{
    struct study_text comment = { 0 };

    study_putf(&comment, "{%s}", text);
    if (comment.at)
        say(n, comment.at, comment.n);
    n->out.failed |= comment.failed;
    study_text_free(&comment);
}

static void put_played(struct annotation *n, const struct played *m)
{
    char text[3 * WORDS_MAX];
    const char *sign = m->given > 1 ? "$4" : "$2";
    bool signed_already = put_signs(n, sign);

    if (m->given > 0) {
        if (!signed_already)
            put_word(n, sign, 2);
        put_comment(n, what_came(text, m));
    } else if (!n->told && m->after.known && !m->after.a.end) {
        put_comment(n, words(text, m->p.stm, &m->after.a));
    }
    n->told |= m->after.known;
}

static json_t *answer_json(const struct verdict *x)
{
    if (!x->known)
        return json_null();
    return json_pack("{so so}", "wdl",
                     x->a.clocked_known ? json_integer(x->a.clocked_wdl) : json_null(), "dtw",
                     x->a.wdl && x->a.dtw >= 0 ? json_integer(x->a.dtw) : json_null());
}

static void add_played(struct annotation *n, const struct played *m)
{
    json_t *x = json_pack("{si ss so so}", "ply", (int)n->ply, "move", m->name, "before",
                          answer_json(&m->before), "after", answer_json(&m->after));

    if (m->given > 0) {
        json_object_set_new(x, "mark", json_string(m->given > 1 ? "??" : "?"));
        if (*m->best)
            json_object_set_new(x, "best", json_string(m->best));
    }
    json_array_append_new(n->moves, x);
}

/* == A game == */

/* Makes the game's object, when it begins; without a FEN, if it cannot begin. */
static void begin_json(struct annotation *n)
{
    char fen[BK_FEN_MAX];

    if (!n->games || n->game)
        return;
    n->moves = json_array();
    n->game = json_pack("{so so}", "fen",
                        n->begun ? json_string(bk_pos_to_fen(&n->p, n->v, fen)) : json_null(),
                        "moves", n->moves);
}

/* Every game has an object, also one that could not be read, so that they can be counted. */
static void end_json(struct annotation *n)
{
    if (!n->games || !n->any)
        return;
    begin_json(n);
    if (*n->why) {
        json_object_set_new(n->game, "error", ex_json_string(n->why));
        json_object_set_new(n->game, "line", json_integer(n->why_line));
    }
    json_array_append_new(n->games, n->game);
}

static void end_game(struct annotation *n)
{
    end_json(n);
    if (n->v != n->base)
        bk_variant_free(n->v);
    n->v = n->base;
    n->begun = n->told = n->lost = n->fen_told = n->any = false;
    n->ply = 0;
    n->game = n->moves = NULL;
    *n->why = 0;
    end_line(n);
}

/* Says what cannot be read, and keeps the first such error of a game. */
__attribute__((format(printf, 4, 5))) static int fail_at(struct annotation *n, int status,
                                                         unsigned line, const char *fmt, ...)
{
    char why[WHY_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    if (!*n->why) {
        strcpy(n->why, why);
        n->why_line = line;
    }
    return cli_fail(status, "%s: line %u: %s", n->c->arg[1], line, why);
}

/* Sets up the position of a FEN, or of the game's array. */
static int set_up(struct annotation *n, const char *fen, unsigned line)
{
    struct bk_variant *derived = NULL;
    struct bk_report why = { "" };
    enum bk_err err;

    if (!fen && !*n->base->start)
        return fail_at(n, CLI_USAGE, line, "%s begins from no array; a FEN tag is needed",
                       n->base->name);
    err = bk_variant_for_fen(&derived, n->base, fen ? fen : n->base->start, &why);
    if (derived)
        n->v = derived;
    if (!err)
        err = bk_pos_from_fen(&n->p, n->v, fen ? fen : n->base->start, &why);
    if (err)
        return fail_at(n, cli_status(err), line, "%s", why.text);
    if (!bk_pos_legal(n->v, &n->p))
        return fail_at(n, CLI_USAGE, line, "illegal position: %s is to move and %s is in check",
                       cli_colour(n->p.stm), cli_colour(!n->p.stm));
    n->begun = true;
    return CLI_OK;
}

static int refuse_behind_end(struct annotation *n, const char *move, size_t length, unsigned line)
{
    int wdl = 0;
    enum bk_end end = bk_pos_end(n->v, &n->p, &wdl);
    char how[CLI_END_MAX];

    return fail_at(n, CLI_USAGE, line, "`%.*s` stands behind the end of the game: %s",
                   (int)(length < 40 ? length : 40), move, cli_end(how, &n->p, end, wdl));
}

/* Reads a move.  None follows mate, stalemate, or a bare king, but one that bares back. */
static int read_move(struct annotation *n, const char *text, size_t length, unsigned line,
                     struct bk_move *move)
{
    int wdl = 0;
    enum bk_end end = bk_pos_end(n->v, &n->p, &wdl);
    bool bares_back = end == BK_END_BARE_DRAW && !bk_pos_both_bare(&n->p);
    struct bk_report why = { "" };
    struct bk_pos next = n->p;

    if (end != BK_END_NONE && !bares_back)
        return refuse_behind_end(n, text, length, line);
    if (study_move_read(move, n->v, &n->p, text, length, &why))
        return fail_at(n, CLI_USAGE, line, "%s", why.text);
    bk_pos_play(&next, n->v, move);
    if (bares_back && !bk_pos_both_bare(&next))
        return refuse_behind_end(n, text, length, line);
    return CLI_OK;
}

static int take_move(struct annotation *n, const struct study_token *k)
{
    struct played m;
    struct bk_move move;
    int status = n->begun ? CLI_OK : set_up(n, NULL, k->line);

    if (status)
        return status;
    begin_json(n);
    status = read_move(n, k->text, k->n, k->line, &move);
    if (!status)
        status = judge(n, n->v, &n->p, &move, &m);
    if (status)
        return status;
    n->ply++;
    put_word(n, k->text, k->n);
    n->rest = k->text + k->n;
    put_played(n, &m);
    if (n->game)
        add_played(n, &m);
    n->p = m.p;
    return CLI_OK;
}

/* A tag behind moves belongs to the next game, and so may one behind an empty line. */
static int take_tag(struct annotation *n, const struct study_token *k)
{
    char fen[BK_FEN_MAX];

    if (n->column || n->ply)
        end_game(n);
    n->any = true;
    n->fen_told &= k->line <= n->tag_line + 1;
    n->tag_line = k->line;
    study_putf(&n->out, "%.*s\n", (int)k->n, k->text);
    if (!study_tag_is(k, "FEN"))
        return CLI_OK;
    if (!n->fen_told && (n->begun || n->lost)) /* the last game had no moves */
        end_game(n);
    n->any = true;
    if (!study_tag_value(k, fen, sizeof fen))
        return fail_at(n, CLI_USAGE, k->line, "the FEN tag has no FEN in quotes, or one too long");
    if (n->fen_told)
        return fail_at(n, CLI_USAGE, k->line, "a second FEN tag of one game");
    n->fen_told = true;
    return set_up(n, fen, k->line);
}

/* Puts a token unchanged.  A comment to the end of its line has nothing behind it; one behind % has
   a line of its own. */
static void put_as_it_stands(struct annotation *n, const struct study_token *k)
{
    if (*k->text == '%')
        end_line(n);
    put_word(n, k->text, k->n - (k->text[k->n - 1] == '\r'));
    if (*k->text == '%' || *k->text == ';')
        end_line(n);
}

/* Takes a move and tells of it; puts it unchanged if the game is lost or it cannot be read. */
static int take_or_put_move(struct annotation *n, const struct study_token *k)
{
    int status = n->lost ? CLI_OK : take_move(n, k);

    n->any = true;
    if (n->lost || status == CLI_USAGE) {
        put_as_it_stands(n, k);
        n->ply++;
    }
    return status;
}

static int take_broken(struct annotation *n, const struct study_token *k)
{
    put_as_it_stands(n, k);
    return fail_at(n, CLI_USAGE, k->line, "this bracket is not closed");
}

/* Keeps the status of one game or position.  False: all ends; CLI_USAGE does not end it. */
static bool goes_on(struct annotation *n, int status)
{
    if (status)
        n->status = status;
    return status == CLI_OK || status == CLI_USAGE;
}

static int take_token(struct annotation *n, const struct study_token *k)
{
    switch (k->kind) {
    case STUDY_TAG: return take_tag(n, k);
    case STUDY_MOVE: return take_or_put_move(n, k);
    case STUDY_RESULT:
        n->any = true;
        put_word(n, k->text, k->n);
        end_game(n);
        return CLI_OK;
    case STUDY_BROKEN: return take_broken(n, k);
    default:
        if (n->signs)
            n->signs--;
        else
            put_as_it_stands(n, k);
        return CLI_OK;
    }
}

/* Annotates games to the end of the text; false: n->status says why not. */
static bool annotate_games(struct annotation *n, const char *text)
{
    struct study_tokens tokens = { .at = text, .line = 1 };
    bool tagged = false, on = true;

    while (on) {
        struct study_token k = study_token_next(&tokens);
        int status;

        if (k.kind == STUDY_END)
            break;
        if (tagged && (k.kind != STUDY_TAG || k.line > n->tag_line + 1))
            study_put(&n->out, "\n");
        else if (k.kind == STUDY_TAG && !tagged && n->out.n)
            study_put(&n->out, n->column ? "\n\n" : "\n"), n->column = 0;
        tagged = k.kind == STUDY_TAG;
        status = take_token(n, &k);
        n->lost |= status != CLI_OK;
        on = goes_on(n, status);
    }
    end_game(n);
    return on;
}

/* == Positions == */

/* Sets up the position of a line. */
static int set_up_line(struct annotation *n, const char *line, unsigned number)
{
    char *fen = strdup(line);
    int status;

    if (!fen)
        return cli_no_memory();
    study_epd_to_fen(fen);
    status = set_up(n, fen, number);
    free(fen);
    return status;
}

/* Puts a comment, "text", under the first of c0 to c9 that is free, unless the line has it. */
static void put_remark(struct annotation *n, const char *text)
{
    const char *ops = n->rest + study_epd_position(n->rest), *word;
    unsigned taken = n->commented, nth;

    for (nth = 0; nth < 10; nth++) {
        if (!study_epd_word(ops, (char[]){ 'c', (char)('0' + nth), 0 }, &word))
            continue;
        if (!strncmp(word, text, strlen(text)))
            return;
        taken |= 1u << nth;
    }
    nth = (unsigned)__builtin_ctz(~taken);
    if (nth > 9)
        return;
    n->commented |= 1u << nth;
    study_putf(&n->out, " c%u %s;", nth, text);
}

static int annotate_move(struct annotation *n, const char *text, size_t length, unsigned line)
{
    char came[3 * WORDS_MAX], told[4 * WORDS_MAX] = "";
    struct bk_move move;
    struct played m;
    int status = read_move(n, text, length, line, &move);

    if (!status)
        status = judge(n, n->v, &n->p, &move, &m);
    if (status)
        return status;
    begin_json(n);
    n->ply++;
    if (n->game)
        add_played(n, &m);
    if (m.given > 0)
        snprintf(told, sizeof told, "\"%s%s: %s\"", m.name, m.given > 1 ? "??" : "?",
                 what_came(came, &m));
    else if (is_sure(&m.before) && is_sure(&m.after))
        snprintf(told, sizeof told, "\"%s keeps it: %s\"", m.name,
                 words(came, m.p.stm, &m.after.a));
    if (*told)
        put_remark(n, told);
    return CLI_OK;
}

/* Puts a line and the remarks on it; nothing is put if its position cannot be set up. */
static int tell_line(struct annotation *n, char *line, unsigned number)
{
    const char *ops = line + study_epd_position(line), *move, *end;
    char text[WORDS_MAX], told[WORDS_MAX + 16];
    struct verdict x;
    size_t length;
    int status = set_up_line(n, line, number);

    if (!status)
        status = ask(n, n->v, &n->p, &x);
    if (status)
        return status;
    if (!(end = study_epd_end(ops)))
        return fail_at(n, CLI_USAGE, number, "a string is not closed");
    begin_json(n);
    study_put(&n->out, line);
    for (unsigned fields = study_epd_fields(line); fields < 4;
         fields++) /* so it can be read again */
        study_put(&n->out, fields == 1 ? " w" : " -");
    study_put(&n->out, end);
    n->rest = line;
    n->commented = 0;
    if (x.known) {
        snprintf(told, sizeof told, "\"%s\"", words(text, n->p.stm, &x.a));
        put_remark(n, told);
    }
    if ((length = study_epd_word(ops, "sm", &move)) != 0 ||
        (length = study_epd_word(ops, "bm", &move)) != 0)
        status = annotate_move(n, move, length, number);
    return status;
}

static int annotate_line(struct annotation *n, char *line, unsigned number)
{
    size_t before = n->out.n;
    int status;

    n->any = true;
    status = tell_line(n, line, number);

    study_putf(&n->out, "%s\n", n->out.n == before ? line : "");
    end_game(n);
    return status;
}

static bool annotate_positions(struct annotation *n, char *text)
{
    unsigned number = 1;
    bool on = true;

    for (char *line = text, *next; *line && on; line = next, number++) {
        size_t length = strcspn(line, "\n");

        next = line + length + (line[length] == '\n');
        while (length && isspace((unsigned char)line[length - 1]))
            length--;
        line[length] = 0;
        if (*line && *line != '#')
            on = goes_on(n, annotate_line(n, line, number));
        else
            study_putf(&n->out, "%s\n", line);
    }
    return on;
}

/* == The command == */

/* Lines that end in a carriage return alone end in a line feed. */
static void mend_lines(char *text)
{
    for (char *at = text; at && (at = strchr(at, '\r')) != NULL; at++)
        if (at[1] != '\n')
            *at = '\n';
}

static int read_text(const char *name, struct study_text *out)
{
    FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;
    int status = CLI_OK;
    char bytes[4096];
    size_t n;

    if (!f)
        return cli_fail_unread(name, errno);
    while (!status && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        if (memchr(bytes, 0, n))
            status = cli_fail(CLI_USAGE, "%s is no text", name);
        else if (out->n + n > BYTES_MAX)
            status = cli_fail(CLI_USAGE, "%s has more than %u bytes", name, BYTES_MAX);
        else
            study_putf(out, "%.*s", (int)n, bytes);
    if (!status && ferror(f))
        status = cli_fail_unread(name, errno);
    if (!status && out->failed)
        status = cli_no_memory();
    if (f != stdin)
        fclose(f);
    mend_lines(out->at);
    return status;
}

/* Does the text begin with a position?  In a PGN nothing has a slash before its first blank but a
   result. */
static bool is_positions(const char *text)
{
    size_t n;

    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#')
            break;
        text += strcspn(text, "\n");
    }
    n = strcspn(text, " \t\r\n");
    return *text != '[' && *text != '{' && memchr(text, '/', n) && strncmp(text, "1/2", 3);
}

static int annotate(struct annotation *n, char *text)
{
    bool whole = is_positions(text) ? annotate_positions(n, text) : annotate_games(n, text);
    char odd[400];
    int saved;

    if (!whole)
        return n->status;
    if (!n->status && !n->known && bk_men_max(n->lib) <= 0)
        cli_say("no tables of %s in %s%s", n->base->name, n->c->dir,
                cli_odd_folders(odd, sizeof odd, n->c, n->base));
    if (n->games)
        saved = save_json(n->c, json_pack("{ss sO}", "variant", n->base->name, "games", n->games));
    else
        saved = save_text(n->c, &n->out);
    return saved ? saved : n->status;
}

int cmd_annotate(struct cli *c)
{
    struct annotation n = { .c = c };
    struct study_text text = { 0 };
    int status = cli_variant(c, &n.base);
    char nothing[] = "";

    n.v = n.base;
    if (!status)
        status = read_text(c->arg[1], &text);
    if (!status) {
        enum bk_lib_err err = bk_open(&n.lib, c->arg[0], c->dir);

        if (err)
            status = many_fail(n.lib, err);
    }
    n.games = json_incref(c->list);
    if (!status)
        status = annotate(&n, text.at ? text.at + bk_utf8_mark(text.at) : nothing);
    end_game(&n);
    json_decref(n.games);
    study_text_free(&n.out);
    study_text_free(&text);
    bk_close(n.lib);
    bk_variant_free(n.base);
    return status;
}
