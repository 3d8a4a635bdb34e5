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
#include "core/clients.h"
#include "core/end.h"
#include "core/move.h"
#include "core/utf8.h"
#include "study/reading.h"

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
    bool listed;   /* positions, not games */
    struct study_tokens *tokens; /* of the games */
    /* the game under way */
    struct bk_variant *v; /* base, or derived for its FEN: then owned */
    struct bk_pos p;
    struct study_reading reading;
    bool begun;    /* p is set: moves may come */
    bool told;     /* a position of the game was in reach */
    bool unjudged; /* moves are read and no more: it is not sure what they mean */
    bool lost;     /* the game cannot be read, or is another: what follows stays as it is */
    unsigned ply;
    char fen[BK_FEN_MAX]; /* of its FEN tag; "": none so far */
    unsigned fen_line;
    char variant[64]; /* of its Variant tag; "": none so far */
    unsigned variant_line;
    enum study_writer writer; /* as far as its tags and comments tell */
    bool event_told;
    /* its last tags, with no empty line between */
    unsigned tag_line, block_line;  /* lines of the last and the first; 0: there are none */
    enum study_writer block_writer; /* as far as these tell */
    bool fen_told;                  /* one was a FEN */
    const char *rest;   /* the text behind the move that is told of; in a list the line */
    unsigned signs;     /* that come next in the text, and have been put already */
    unsigned commented; /* of an EPD line: a bit for each of c0 to c9 that we have put */
    bool known;         /* a table has told something */
    bool any;           /* a token of the game was read: with --json it is told of */
    char why[WHY_MAX];  /* the first error in reading it, or else a note on how it was read; "":
                           neither */
    bool noted;         /* a note */
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

/* "a draw; with b3b4 White wins in 39 plies (20 turns)": of a move that gave something away; its
   squares as the game has them. */
static char *what_came(char out[3 * WORDS_MAX], const struct study_reading *r,
                       const struct played *m)
{
    char now[WORDS_MAX], was[WORDS_MAX], best[16];

    words(now, m->p.stm, &m->after.a);
    words(was, !m->p.stm, &m->before.a);
    if (*m->best)
        snprintf(out, 3 * WORDS_MAX, "%s; with %s %s", now, study_reading_name(r, m->best, best),
                 was);
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
    if (n->unjudged)
        return CLI_OK;
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

/* Puts the signs that stand next in the text, "$1" and "!?", before our remark.  Is `sign` one of
   them? */
static bool put_signs(struct annotation *n, const char *sign)
{
    bool there = false;

    for (;;) {
        struct study_tokens at = { .at = n->rest + study_blanks(n->rest), .within = true };
        struct study_token k;

        if (strchr("[{(;%", *at.at)) /* or the end */
            break;
        k = study_token_next(&at);
        if (k.kind != STUDY_SIGN)
            break;
        there |= k.n == strlen(sign) && !strncmp(k.text, sign, k.n);
        put_word(n, k.text, k.n);
        n->rest = at.at;
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
        put_comment(n, what_came(text, &n->reading, m));
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
        json_object_set_new(n->game, n->noted ? "note" : "error", ex_json_string(n->why));
        json_object_set_new(n->game, "line", json_integer(n->why_line));
    }
    json_array_append_new(n->games, n->game);
}

/* How games are read unless something tells otherwise, and positions always. */
static struct study_reading plain_reading(const struct annotation *n)
{
    return (struct study_reading){ .array = n->base->start, .bared_may_reply = !n->listed };
}

static int set_up(struct annotation *n, unsigned line);

/* Ends a game; one without moves is set up, so that it is told of. */
static void end_game(struct annotation *n)
{
    int status = *n->fen && !n->begun && !n->lost ? set_up(n, n->fen_line) : CLI_OK;

    if (status)
        n->status = status;
    end_json(n);
    if (n->v != n->base)
        bk_variant_free(n->v);
    n->v = n->base;
    n->begun = n->told = n->unjudged = n->lost = n->any = n->noted = false;
    n->fen_told = n->event_told = false;
    n->reading = plain_reading(n);
    n->writer = n->block_writer = STUDY_ANYONE;
    n->ply = n->tag_line = 0;
    n->game = n->moves = NULL;
    *n->fen = *n->variant = *n->why = 0;
    end_line(n);
}

/* Keeps the first error of a game, or else the first note. */
static void keep_why(struct annotation *n, bool note, unsigned line, const char *why)
{
    if (*n->why && (note || !n->noted))
        return;
    snprintf(n->why, sizeof n->why, "%s", why);
    n->noted = note;
    n->why_line = line;
}

/* Says what cannot be read. */
__attribute__((format(printf, 4, 5))) static int fail_at(struct annotation *n, int status,
                                                         unsigned line, const char *fmt, ...)
{
    char why[WHY_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    keep_why(n, false, line, why);
    return cli_fail(status, "%s: line %u: %s", n->c->arg[1], line, why);
}

/* Says how a game is read: why moves are not told of, though nothing is wrong with them. */
__attribute__((format(printf, 3, 4))) static void note_at(struct annotation *n, unsigned line,
                                                          const char *fmt, ...)
{
    char why[WHY_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    keep_why(n, true, line, why);
    cli_note("%s: line %u: %s", n->c->arg[1], line, why);
}

/* Passes a game on as it stands if its tags say that it is another. */
static bool is_another(struct annotation *n)
{
    if (study_names_game(n->base, n->variant))
        return false;
    note_at(n, n->variant_line, "this is a game of `%s`, not of %s: it is passed on unchanged",
            n->variant, n->base->name);
    n->lost = true;
    return true;
}

/* Sets up the position of a FEN, or of the array (NULL). */
static int set_up_at(struct annotation *n, const char *fen, unsigned line)
{
    struct bk_variant *derived = NULL;
    struct bk_report why = { "" };
    enum bk_err err = study_reading_begin(&n->reading, n->base, fen, &derived, &n->p, &why);

    if (derived)
        n->v = derived;
    if (err)
        return fail_at(n, cli_status(err), line, "%s", why.text);
    n->begun = true;
    return CLI_OK;
}

/* Sets up the game, unless it is another's; its first move is in `line`. */
static int set_up(struct annotation *n, unsigned line)
{
    if (is_another(n))
        return CLI_OK;
    if (*n->fen)
        return set_up_at(n, n->fen, n->fen_line);
    if (*n->base->start)
        return set_up_at(n, NULL, line);
    return fail_at(n, CLI_USAGE, line, "%s begins from no array; a FEN tag is needed",
                   n->base->name);
}

/* Says that a game may be meant in several ways, which all make its moves legal. */
static void note_open(struct annotation *n, unsigned line)
{
    static const char open[] = "which is open: it is passed on unchanged";

    if (bk_client_from_zero(n->base))
        note_at(
            n, line,
            "all moves of this game are legal whether its ranks are numbered from 1 or, as XBoard "
            "does, from 0; %s (a tag, [Annotator \"bareking\"] or [Annotator \"XBoard\"], tells)",
            open);
    else
        note_at(n, line,
                "all moves of this game are legal from our array and from that of XBoard and other "
                "clients, kings on the d-file; %s (a FEN tag tells)",
                open);
}

/* Begins a game at its first move: chooses how to read it, and sets it up. */
static int begin(struct annotation *n, const struct study_token *first)
{
    struct study_tokens from = { first->text, first->line, true, n->tokens->no_closing };
    const char *fen = *n->fen ? n->fen : NULL;
    enum study_doubt doubt = STUDY_CERTAIN;

    if (study_names_game(n->base, n->variant))
        doubt = study_reading_choose(&n->reading, n->base, fen, &from, n->writer);
    n->tokens->no_closing |= from.no_closing;
    n->unjudged = doubt == STUDY_NEITHER;
    if (doubt != STUDY_OPEN)
        return set_up(n, first->line);
    note_open(n, first->line);
    n->lost = true;
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

static int read_move(struct annotation *n, const char *text, size_t length, unsigned line,
                     struct bk_move *move)
{
    struct bk_report why = { "" };
    enum bk_err err = study_reading_move(&n->reading, move, n->v, &n->p, text, length, &why);

    if (err == BK_E_ILLEGAL)
        return refuse_behind_end(n, text, length, line);
    return err ? fail_at(n, CLI_USAGE, line, "%s", why.text) : CLI_OK;
}

static int take_move(struct annotation *n, const struct study_token *k)
{
    struct played m;
    struct bk_move move;
    int status;

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

/* Passes over a null move: the rest of the game is read, but was played from no position of it. */
static int take_null(struct annotation *n, const struct study_token *k)
{
    struct played m = { .name = "--" };

    begin_json(n);
    if (!n->unjudged)
        note_at(n, k->line, "`%.*s` is a null move: from here on the game is not judged", (int)k->n,
                k->text);
    n->unjudged = true;
    if (!study_pass(n->v, &n->p))
        return fail_at(n, CLI_USAGE, k->line, "`%.*s`, a null move, in check", (int)k->n, k->text);
    n->ply++;
    put_word(n, k->text, k->n);
    if (n->game)
        add_played(n, &m);
    return CLI_OK;
}

/* Ends a game that had no moves, as a FEN begins the next one: the tags before it, with no empty
   line between, are the next one's. */
static void end_before_block(struct annotation *n)
{
    struct annotation block = *n;

    if (n->variant_line >= n->block_line)
        *n->variant = 0;
    end_game(n);
    if (block.variant_line >= block.block_line)
        strcpy(n->variant, block.variant);
    n->writer = n->block_writer = block.block_writer;
    n->tag_line = block.tag_line;
    n->block_line = block.block_line;
    n->any = true;
}

static int take_fen(struct annotation *n, const struct study_token *k)
{
    if (!n->fen_told && (*n->fen || n->lost))
        end_before_block(n);
    if (n->fen_told) {
        int status = n->lost || n->begun ? CLI_OK : set_up(n, k->line);

        return status ? status : fail_at(n, CLI_USAGE, k->line, "a second FEN tag of one game");
    }
    n->fen_line = k->line;
    n->fen_told = true;
    if (study_tag_value(k, n->fen, sizeof n->fen))
        return CLI_OK;
    *n->fen = 0;
    return fail_at(n, CLI_USAGE, k->line, "the FEN tag has no FEN in quotes, or one too long");
}

/* Keeps what tags and comments tell of who wrote the game. */
static void keep_writer(struct annotation *n, const struct study_token *k)
{
    enum study_writer writer = study_writer_of(k);

    if (writer > n->writer)
        n->writer = writer;
    if (writer > n->block_writer && k->kind == STUDY_TAG)
        n->block_writer = writer;
}

/* A tag behind moves belongs to the next game, and so may one behind an empty line. */
static int take_tag(struct annotation *n, const struct study_token *k)
{
    bool apart = n->tag_line && k->line > n->tag_line + 1, event = study_tag_is(k, "Event");

    if (n->column || n->ply || (apart && event && n->event_told))
        end_game(n);
    if (apart || !n->tag_line) {
        n->block_line = k->line;
        n->block_writer = STUDY_ANYONE;
        n->fen_told = false;
    }
    n->any = true;
    n->event_told |= event;
    n->tag_line = n->tokens->line;
    study_putf(&n->out, "%.*s\n", (int)k->n, k->text);
    keep_writer(n, k);
    if (study_tag_is(k, "Variant")) {
        study_tag_value(k, n->variant, sizeof n->variant);
        n->variant_line = k->line;
    }
    return study_tag_is(k, "FEN") ? take_fen(n, k) : CLI_OK;
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

/* Takes a move, or a null move, and tells of it; puts it unchanged if the game is lost or it cannot
   be read. */
static int take_or_put_move(struct annotation *n, const struct study_token *k)
{
    int status = n->lost || n->begun ? CLI_OK : begin(n, k);
    bool taken = !status && !n->lost;

    n->any = true;
    if (taken) {
        status = k->kind == STUDY_NULL ? take_null(n, k) : take_move(n, k);
        taken = !status;
    }
    if (!taken && (!status || status == CLI_USAGE)) {
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
    case STUDY_MOVE:
    case STUDY_NULL: return take_or_put_move(n, k);
    case STUDY_RESULT:
        n->any = true;
        put_word(n, k->text, k->n);
        end_game(n);
        return CLI_OK;
    case STUDY_BROKEN: return take_broken(n, k);
    default:
        keep_writer(n, k);
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

    n->tokens = &tokens;
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
    status = set_up_at(n, fen, number);
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
                 what_came(came, &n->reading, &m));
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
    char odd[400];
    bool whole;
    int saved;

    n->listed = is_positions(text);
    n->reading = plain_reading(n);
    whole = n->listed ? annotate_positions(n, text) : annotate_games(n, text);
    end_game(n);
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
    json_decref(n.games);
    study_text_free(&n.out);
    study_text_free(&text);
    bk_close(n.lib);
    bk_variant_free(n.base);
    return status;
}
