/*
 * many.c - see many.h.
 *
 * A round: whole lines are read while there are any, cut into pieces, and each piece is answered by
 * one thread, by bk_probe_batch() and into a text of its own; then the texts are written in order.
 * Text is written by hand: a JSON tree for each line took longer than its probe.
 */
#include "cli/many.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/end.h"
#include "core/utf8.h"
#include "study/game.h"
#include "study/text.h"
#include "tb/memory/pool.h"

#define ROUND_BYTES (4u << 20) /* read before it is answered; a longer line is refused */
#define PIECE_LINES 2048       /* what one thread takes at a time */

static int status_of(enum bk_lib_err err)
{
    switch (err) { /* no default: -Wswitch names the one you forgot */
    case BK_LIB_OK: return CLI_OK;
    case BK_LIB_NO_TABLE: return CLI_NO;
    case BK_LIB_ILLEGAL: return CLI_USAGE;
    case BK_LIB_USAGE: return CLI_USAGE;
    case BK_LIB_NEWER:
    case BK_LIB_CORRUPT: return CLI_DAMAGED;
    case BK_LIB_FEN:
    case BK_LIB_PIECE: return CLI_USAGE;
    case BK_LIB_NOT_IN_MEMORY:
    case BK_LIB_NEEDS_BYTES:
    case BK_LIB_OVER_BUDGET:
    case BK_LIB_SYSTEM: return CLI_SYSTEM;
    }
    return CLI_SYSTEM;
}

int many_fail(struct bk_lib *lib, enum bk_lib_err err)
{
    const char *text = bk_error(lib);

    return cli_fail(status_of(err), "%s", *text ? text : bk_lib_strerror(err));
}

const char *many_end_name(enum bk_lib_end end) { return bk_end_name((enum bk_end)end); }

/* == The best line == */

/* Does some move keep the result whose distance is lost, so that another one stands first?  Then
   l->unknown is set, and l->fen is after that move. */
static enum bk_lib_err look_for_lost(struct many_line *l, struct bk_lib *lib, size_t n)
{
    struct bk_lib_move *move = calloc(n + 1, sizeof *move);
    char next[BK_LIB_FEN_MAX];
    enum bk_lib_err err = move ? bk_probe_moves(lib, l->fen, move, n, &n) : BK_LIB_SYSTEM;

    for (size_t i = 0; !err && i < n && !l->unknown; i++)
        if (move[i].wdl == l->last.wdl && move[i].dtw < 0) {
            err = bk_play(lib, l->fen, move[i].name, next);
            l->unknown = !err;
        }
    if (l->unknown)
        memcpy(l->fen, next, sizeof next);
    free(move);
    return err;
}

/* Follows the line for one ply, which must bring the end one ply nearer. */
static enum bk_lib_err step(struct many_line *l, struct bk_lib *lib)
{
    struct bk_lib_move best;
    char next[BK_LIB_FEN_MAX];
    struct bk_answer after;
    size_t n;
    enum bk_lib_err err = bk_probe_moves(lib, l->fen, &best, 1, &n);

    if (!err && n) {
        err = bk_play(lib, l->fen, best.name, next);
        if (!err)
            err = bk_probe_fen(lib, next, &after);
    }
    if (err)
        return err;
    l->unknown = n && after.wdl && after.dtw < 0;
    if (l->unknown) {
        memcpy(l->fen, next, sizeof next);
        return BK_LIB_NO_TABLE;
    }
    l->contradicts = !n || !after.wdl || after.dtw != l->last.dtw - 1;
    if (l->contradicts) {
        err = look_for_lost(l, lib, n);
        l->contradicts = !err && !l->unknown;
        return err ? err : l->unknown ? BK_LIB_NO_TABLE : BK_LIB_CORRUPT;
    }
    memcpy(l->name[l->n++], best.name, sizeof l->name[0]);
    memcpy(l->fen, next, sizeof next);
    l->last = after;
    return BK_LIB_OK;
}

/* Sets l->fen to a FEN, without what follows it.  False: it is too long, or no memory. */
static bool take_fen(struct many_line *l, const char *fen)
{
    char *own = strdup(fen);
    bool fits;

    if (own)
        study_epd_to_fen(own);
    fits = own && strlen(own) < sizeof l->fen;
    if (fits)
        strcpy(l->fen, own);
    free(own);
    return fits;
}

enum bk_lib_err many_follow(struct many_line *l, struct bk_lib *lib, const char *fen)
{
    enum bk_lib_err err;

    memset(l, 0, sizeof *l);
    if (!take_fen(l, fen))
        return bk_probe_fen(lib, fen, &l->first) ? BK_LIB_USAGE : BK_LIB_SYSTEM;
    err = bk_probe_fen(lib, l->fen, &l->first);
    l->last = l->first;
    if (err || !l->first.wdl || l->first.dtw <= 0)
        return err;
    l->name = calloc((size_t)l->first.dtw, sizeof *l->name);
    if (!l->name)
        return BK_LIB_SYSTEM;
    while (!err && !l->last.end)
        err = step(l, lib);
    return err;
}

/* == Words and numbers == */

static void put_number(struct study_text *t, int n)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%d", n);
    study_put(t, digits);
}

/* Puts a string of JSON, or a field: what would end it, or is not ASCII, is '?' or escaped. */
static void put_words(struct study_text *t, const char *s, bool json)
{
    if (json)
        study_put(t, "\"");
    while (*s) {
        const char *from = s;

        while (*s && !iscntrl((unsigned char)*s) && !(*s & 0x80) && *s != '"' && *s != '\\')
            s++;
        study_put_n(t, from, (size_t)(s - from));
        if (!*s)
            break;
        if (iscntrl((unsigned char)*s) || *s & 0x80) {
            study_put(t, "?");
        } else {
            study_put(t, json ? "\\" : "");
            study_put_n(t, s, 1);
        }
        s++;
    }
    if (json)
        study_put(t, "\"");
}

/* == Answers as text == */

const char *many_category(int wdl, int clocked, int known)
{
    if (!known)
        return NULL;
    if (clocked || !wdl)
        return clocked > 0 ? "win" : clocked < 0 ? "loss" : "draw";
    return wdl > 0 ? "cursed-win" : "blessed-loss";
}

static void put_distance(struct study_text *t, const struct bk_answer *a, const char *none)
{
    if (a->wdl && a->dtw >= 0)
        put_number(t, a->dtw);
    else
        study_put(t, none);
}

/* Puts the result within the game's length. */
static void put_clocked(struct study_text *t, const struct bk_answer *a, const char *none)
{
    if (a->clocked_known)
        put_number(t, a->clocked_wdl);
    else
        study_put(t, none);
}

static void put_end(struct study_text *t, const struct bk_answer *a, const char *none, bool json)
{
    const char *end = many_end_name(a->end);

    if (end)
        put_words(t, end, json);
    else
        study_put(t, none);
}

/* Puts what tables say by the n-move rule. */
static void put_zeroing(struct study_text *t, const struct bk_answer *a)
{
    const char *category = many_category(a->wdl, a->clocked_wdl, a->clocked_known);

    study_put(t, ",\"wdl5\":");
    put_number(t, a->wdl5);
    study_put(t, ",\"dtz\":");
    if (a->dtz < 0)
        study_put(t, "null");
    else
        put_number(t, a->dtz);
    study_put(t, ",\"category\":");
    if (category)
        put_words(t, category, true);
    else
        study_put(t, "null");
}

/* end: the last answer of a line, else `a`; counts: the game has an n-move rule.  The object is
   left open. */
static void put_json(struct study_text *t, const char *fen, const struct bk_answer *a,
                     const struct bk_answer *end, bool counts)
{
    study_put(t, "{\"fen\":");
    put_words(t, fen, true);
    study_put(t, ",\"wdl\":");
    put_number(t, a->wdl);
    study_put(t, ",\"dtw\":");
    put_distance(t, a, "null");
    study_put(t, ",\"end\":");
    put_end(t, end, "null", true);
    if (a->plies_left < 0)
        return;
    study_put(t, ",\"clocked\":{\"wdl\":");
    put_clocked(t, a, "null");
    study_put(t, ",\"plies_left\":");
    put_number(t, a->plies_left);
    study_put(t, "}");
    if (counts)
        put_zeroing(t, a);
}

static void put_fields(struct study_text *t, const char *fen, const struct bk_answer *a,
                       const struct bk_answer *end)
{
    put_words(t, fen, false);
    study_put(t, "\t");
    put_number(t, a->wdl);
    study_put(t, "\t");
    put_distance(t, a, "-");
    study_put(t, "\t");
    put_clocked(t, a, "?");
    study_put(t, "\t");
    put_end(t, end, "-", false);
}

static void put_moves(struct study_text *t, const struct many_line *l, bool json)
{
    study_put(t, json ? ",\"moves\":[" : "\t");
    for (size_t i = 0; i < l->n; i++) {
        study_put(t, i == 0 ? "" : json ? "," : " ");
        put_words(t, l->name[i], json);
    }
    study_put(t, json ? "],\"end_fen\":" : "\t");
    put_words(t, l->fen, json);
}

/* Puts one answer; line: the moves that follow, or NULL. */
static void put_answer(struct study_text *t, const char *fen, const struct bk_answer *a,
                       const struct many_line *line, bool json, bool counts)
{
    const struct bk_answer *end = line ? &line->last : a;

    if (json)
        put_json(t, fen, a, end, counts);
    else
        put_fields(t, fen, a, end);
    if (line)
        put_moves(t, line, json);
    study_put(t, json ? "}\n" : "\n");
}

static void put_error(struct study_text *t, const char *fen, int status, const char *why, bool json)
{
    if (json)
        study_put(t, "{\"fen\":");
    put_words(t, fen, json);
    study_put(t, json ? ",\"error\":" : "\terror\t");
    put_words(t, why, json);
    if (json) {
        study_put(t, ",\"status\":");
        put_number(t, status);
        study_put(t, "}");
    }
    study_put(t, "\n");
}

/* == A round == */

struct piece { /* lines that one thread answers */
    size_t first, n;
    struct study_text text;
    int status;     /* the highest */
    size_t errors;  /* how many */
    size_t refused; /* number of the first line with an error */
    char why[512];  /* text of that error */
};

struct round {
    const struct cli *c;
    struct bk_lib *lib;
    bool lines;
    bool counts; /* plies that are left are those of the n-move rule */
    char *bytes; /* ROUND_BYTES and one more; those before `n` were read */
    size_t n;
    char **fen; /* into bytes, each ended by 0 */
    size_t nfens, room;
    struct piece *piece;
    size_t npieces, pieces_room;
    bool begun, ended;
    /* totals of all rounds */
    uint64_t asked, errors, first_error;
    char first_why[512];
    int status;
};

static void fail_line(struct round *r, struct piece *p, size_t i, enum bk_lib_err err,
                      const char *why)
{
    const char *text = why && *why ? why : bk_lib_strerror(err);
    int status = status_of(err);

    if (!p->errors++) {
        p->refused = i;
        snprintf(p->why, sizeof p->why, "%s", text);
    }
    p->status = status > p->status ? status : p->status;
    put_error(&p->text, r->fen[i], status, text, r->c->json);
}

static void answer_line(struct round *r, struct piece *p, size_t i)
{
    struct many_line l;
    enum bk_lib_err err = many_follow(&l, r->lib, r->fen[i]);

    if (!err && l.first.wdl && l.first.dtw < 0)
        fail_line(r, p, i, BK_LIB_NO_TABLE, "the table has no distances");
    else if (err)
        fail_line(r, p, i, err,
                  l.contradicts ? "the tables contradict each other"
                  : l.unknown   ? "there are no distances of a table that the line leads to"
                                : bk_error(r->lib));
    else
        put_answer(&p->text, r->fen[i], &l.first, &l, r->c->json, r->counts);
    free(l.name);
}

static void answer_probe(struct round *r, struct piece *p, size_t i, const struct bk_answer *a,
                         enum bk_lib_err err)
{
    struct bk_answer again;

    if (err) /* asked once more, for the error's text */
        fail_line(r, p, i, err, bk_probe_fen(r->lib, r->fen[i], &again) ? bk_error(r->lib) : "");
    else
        put_answer(&p->text, r->fen[i], a, NULL, r->c->json, r->counts);
}

static void answer_piece(void *context, uint64_t item, unsigned thread)
{
    struct round *r = context;
    struct piece *p = &r->piece[item];
    const char *const *fens = (const char *const *)r->fen + p->first;
    struct bk_answer *a = r->lines ? NULL : malloc(p->n * sizeof *a);
    enum bk_lib_err *err = r->lines ? NULL : calloc(p->n, sizeof *err);

    (void)thread;
    if (!r->lines && (!a || !err))
        p->text.failed = true;
    else if (!r->lines && bk_probe_batch(r->lib, fens, p->n, a, err) == BK_LIB_SYSTEM)
        for (size_t i = 0; i < p->n; i++) /* none may have been asked */
            err[i] = bk_probe_fen(r->lib, fens[i], &a[i]);
    for (size_t i = 0; i < p->n && !p->text.failed; i++)
        if (r->lines)
            answer_line(r, p, p->first + i);
        else
            answer_probe(r, p, p->first + i, &a[i], err[i]);
    free(a);
    free(err);
}

static enum bk_lib_err open_lib(struct round *r)
{
    struct bk_lib_game game = { .struct_size = sizeof game };
    enum bk_lib_err err = bk_open(&r->lib, r->c->arg[0], r->c->dir);

    if (!err)
        err = bk_game_of(r->lib, &game);
    r->counts = !game.turns;
    return err;
}

/* Can more be read without waiting? */
static bool more_waits(void)
{
    struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

    return poll(&in, 1, 0) > 0;
}

/* Reads until there is a whole line and no more waits, or there is no more room. */
static int read_round(struct round *r)
{
    bool whole = memchr(r->bytes, '\n', r->n) != NULL;

    while (!r->ended && r->n < ROUND_BYTES && !(whole && !more_waits())) {
        ssize_t got = read(STDIN_FILENO, r->bytes + r->n, ROUND_BYTES - r->n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cli_fail(CLI_SYSTEM, "cannot read the positions: %s", strerror(errno));
        whole |= got > 0 && memchr(r->bytes + r->n, '\n', (size_t)got) != NULL;
        r->n += (size_t)got;
        r->ended = got == 0;
    }
    return CLI_OK;
}

/* Cuts what was read into lines, and says how many bytes these are. */
static int cut_lines(struct round *r, size_t *used)
{
    r->nfens = 0;
    r->bytes[r->n] = 0;
    *used = r->begun ? 0 : bk_utf8_mark(r->bytes);
    r->begun = true;
    while (*used < r->n) {
        char *line = r->bytes + *used, *end = memchr(line, '\n', r->n - *used);
        size_t length = end ? (size_t)(end - line) : r->n - *used, last = length;

        if (!end && !r->ended)
            break;
        *used += length + (end != NULL);
        for (size_t i = 0; i < length; i++) /* a 0 would end it, a tab is a blank */
            line[i] = (char)(!line[i] ? '\1' : line[i] == '\t' ? ' ' : line[i]);
        while (last && isspace((unsigned char)line[last - 1]))
            last--;
        line[last] = 0;
        line += strspn(line, " ");
        if (!*line || *line == '#')
            continue;
        study_epd_to_fen(line);
        if (r->nfens == r->room) {
            char **more = realloc(r->fen, (2 * r->room + PIECE_LINES) * sizeof *more);

            if (!more)
                return cli_no_memory();
            r->fen = more;
            r->room = 2 * r->room + PIECE_LINES;
        }
        r->fen[r->nfens++] = line;
    }
    if (!*used && r->n)
        return cli_fail(CLI_USAGE, "a line of more than %u bytes is no position", ROUND_BYTES);
    return CLI_OK;
}

/* Divides the lines into pieces, whose texts keep their memory from round to round. */
static int cut_pieces(struct round *r, unsigned threads)
{
    size_t lines = (r->nfens + (size_t)4 * threads - 1) / ((size_t)4 * threads);

    lines = lines > PIECE_LINES ? PIECE_LINES : lines < 16 ? 16 : lines;
    r->npieces = (r->nfens + lines - 1) / lines;
    if (r->npieces > r->pieces_room) {
        struct piece *more = realloc(r->piece, r->npieces * sizeof *more);

        if (!more)
            return cli_no_memory();
        memset(more + r->pieces_room, 0, (r->npieces - r->pieces_room) * sizeof *more);
        r->piece = more;
        r->pieces_room = r->npieces;
    }
    for (size_t i = 0; i < r->npieces; i++) {
        struct piece *p = &r->piece[i];

        p->first = i * lines;
        p->n = r->nfens - p->first < lines ? r->nfens - p->first : lines;
        p->text.n = p->errors = 0;
        p->status = CLI_OK;
    }
    return CLI_OK;
}

static int write_round(struct round *r)
{
    for (size_t i = 0; i < r->npieces; i++) {
        const struct piece *p = &r->piece[i];

        if (p->text.failed)
            return cli_no_memory();
        if (p->errors && !r->errors) {
            r->first_error = r->asked + p->refused + 1;
            memcpy(r->first_why, p->why, sizeof p->why);
        }
        r->errors += p->errors;
        r->status = p->status > r->status ? p->status : r->status;
        fwrite(p->text.at, 1, p->text.n, stdout);
    }
    r->asked += r->nfens;
    return fflush(stdout) ? CLI_SYSTEM : CLI_OK; /* main() says so */
}

static int answer_rounds(struct round *r, struct bk_pool *pool)
{
    int status = CLI_OK;

    while (!status && !(r->ended && !r->n)) {
        size_t used = 0;

        status = read_round(r);
        if (!status)
            status = cut_lines(r, &used);
        if (!status)
            status = cut_pieces(r, bk_pool_threads(pool));
        if (!status) {
            bk_pool_run(pool, r->npieces, answer_piece, r);
            status = write_round(r);
        }
        memmove(r->bytes, r->bytes + used, r->n - used);
        r->n -= used;
    }
    return status;
}

int many_answer(struct cli *c, bool lines)
{
    struct round r = { .c = c, .lines = lines, .bytes = malloc(ROUND_BYTES + 1) };
    struct bk_report why = { "" };
    struct bk_pool *pool = NULL;
    int status = r.bytes ? CLI_OK : cli_no_memory();
    enum bk_lib_err err;
    enum bk_err opened;

    if (!status && (err = open_lib(&r)) != BK_LIB_OK)
        status = many_fail(r.lib, err);
    if (!status && (opened = bk_pool_open(&pool, c->threads, &why)) != BK_OK)
        status = cli_fail_report(opened, &why);
    if (!status)
        status = answer_rounds(&r, pool);
    if (!status && r.errors) {
        cli_say_json(false); /* the lines have told the errors */
        status = cli_fail(r.status, "%llu of %llu positions without an answer; number %llu: %s",
                          (unsigned long long)r.errors, (unsigned long long)r.asked,
                          (unsigned long long)r.first_error, r.first_why);
    }
    if (pool)
        bk_pool_close(pool);
    bk_close(r.lib);
    for (size_t i = 0; i < r.pieces_room; i++)
        study_text_free(&r.piece[i].text);
    free(r.piece);
    free(r.fen);
    free(r.bytes);
    return status;
}
