/*
 * behind.c - a client of UCI engines.
 *
 * Every wait has an end: pipes are polled, and an engine that says nothing for too long is ended.
 *
 * The position is sent as the last one after a capture or a change, and the moves since, so that
 * the engine sees repetitions.  An engine that does not know a move drops it and all that follow
 * without a word; so `d` must show the position, else it is sent by itself.
 *
 * A game that a variant file cannot say is told nearly (core/fairy_write.h): then the engine is
 * asked about the moves that both know.
 *
 * Rejected: to compare moves only once a game, or never.  Fairy-Stockfish of 2021 takes a variant
 * file with men that it does not know, and plays with what is left.
 */
#include "engine/behind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#ifndef _WIN32
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#endif

#include "core/fairy_file.h"
#include "core/fairy_write.h"
#include "engine/name.h"
#include "engine/say.h"

#define START_MS 10000 /* to say uciok, or readyok */
#define PERFT_MS 3000  /* to list its moves */
#define GRACE_MS 1000  /* to answer after `stop` */
#define SILENT_MS                                                                                  \
    4000 /* it may say nothing for so long while it thinks, then it is asked whether it            \
            is there, and has as long again */
#define QUIT_MS  500
#define NAP_MS   3 /* how late a stop or the end of pondering is noticed */
#define NODES_MS 1 /* the slowest engine thinks a thousand nodes a second: then it is stopped */
#define FAULTS   3 /* in a row: it is given up until the next game */

struct be_behind {
    char *command;
    long pid;           /* 0: it does not run */
    int to;             /* its standard input */
    struct be_wait out; /* its standard output */
    struct be_lines in;
    char *options;  /* owned; its lines `option ...`, each with a newline */
    char file[256]; /* the variants file that was written for it; "": none */
    uint64_t rules; /* of the game that was set; 0: none was */
    uint64_t heard; /* of the game in `file`, since it runs; 0: of none */
    bool cannot;    /* it cannot play that game */
    bool nearly;    /* that game was told without some of its rules */
    unsigned lines, hash_mib;
    unsigned faults; /* in a row, of its own making */
    char fault[256];
    bool told;
};

/* Sets what be_behind_fault() tells; false. */
static bool fails(struct be_behind *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fails(struct be_behind *b, const char *fmt, ...)
{
    va_list args;
    int n = snprintf(b->fault, sizeof b->fault, "engine behind: ");

    va_start(args, fmt);
    vsnprintf(b->fault + n, sizeof b->fault - (size_t)n, fmt, args);
    va_end(args);
    bk_plain_text(b->fault, "");
    b->told = false;
    return false;
}

const char *be_behind_fault(struct be_behind *b)
{
    if (b->told || !*b->fault)
        return NULL;
    b->told = true;
    return b->fault;
}

/* == The process ========================================================= */

#ifdef _WIN32

static bool start(struct be_behind *b) { return fails(b, "not on Windows yet"); }
static void end(struct be_behind *b) { b->pid = 0; }
static bool say(struct be_behind *b, const char *text)
{
    (void)b;
    (void)text;
    return false;
}
static char *hear(struct be_behind *b, int64_t ms)
{
    (void)b;
    (void)ms;
    return NULL;
}

#else

static void end(struct be_behind *b)
{
    if (!b->pid)
        return;
    close(b->to);
    close(b->out.in);
    be_lines_release(&b->in);
    kill(-(pid_t)b->pid, SIGKILL);
    waitpid((pid_t)b->pid, NULL, 0);
    b->pid = 0;
    b->rules = b->heard = 0;
    b->lines = b->hash_mib = 0;
}

/* Starts the shell with `in` and `out`, in a process group of its own, which end() can end. */
static bool spawn(struct be_behind *b, int in, int out)
{
    extern char **environ;
    char shell[] = "/bin/sh", option[] = "-c", *argv[] = { shell, option, b->command, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    pid_t pid;
    bool good;

    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE); /* ours is ignored */
    if (posix_spawn_file_actions_init(&files) || posix_spawnattr_init(&how))
        return false;
    good = !posix_spawn_file_actions_adddup2(&files, in, 0) &&
           !posix_spawn_file_actions_adddup2(&files, out, 1) &&
           !posix_spawnattr_setsigdefault(&how, &usual) && !posix_spawnattr_setpgroup(&how, 0) &&
           !posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF) &&
           !posix_spawn(&pid, shell, &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    b->pid = good ? pid : 0;
    return good;
}

static bool start(struct be_behind *b)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 };
    bool good = !pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC) && spawn(b, in[0], out[1]);

    if (good) { /* an engine that does not read must not stop us, nor one that does not write */
        fcntl(in[1], F_SETFL, O_NONBLOCK);
        fcntl(out[0], F_SETFL, O_NONBLOCK);
        b->to = in[1];
        b->out.in = out[0];
        b->in = (struct be_lines){ .from = &b->out };
        in[1] = out[0] = -1;
    } else {
        fails(b, "cannot be started: %s", strerror(errno));
    }
    for (unsigned i = 0; i < 2; i++) {
        if (in[i] >= 0)
            close(in[i]);
        if (out[i] >= 0)
            close(out[i]);
    }
    return good;
}

/* Writes a line; the newline is added.  False: it is gone, or does not read. */
static bool say(struct be_behind *b, const char *text)
{
    struct iovec {
        const char *at;
        size_t n;
    } part[2] = { { text, strlen(text) }, { "\n", 1 } };

    for (unsigned i = 0; b->pid && i < 2; i++)
        while (part[i].n) {
            struct pollfd fd = { .fd = b->to, .events = POLLOUT };
            ssize_t n = write(b->to, part[i].at, part[i].n);

            if (n < 0 && errno == EAGAIN && poll(&fd, 1, GRACE_MS) > 0)
                continue;
            if (n < 0 && errno != EINTR)
                return false;
            part[i].at += n > 0 ? n : 0;
            part[i].n -= n > 0 ? (size_t)n : 0;
        }
    return b->pid;
}

/* The next line, for which it waits up to `ms`; NULL: there is none, or no more will come
   (b->in.ended). */
static char *hear(struct be_behind *b, int64_t ms)
{
    struct pollfd fd = { .fd = b->out.in, .events = POLLIN };
    char *line = NULL;

    while (b->pid && !(line = be_lines_next(&b->in)) && !b->in.ended &&
           poll(&fd, 1, (int)(ms > 0 ? ms : 0)) > 0) {
        be_lines_read(&b->in);
        ms = 0;
    }
    return line;
}

#endif

static bool sayf(struct be_behind *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool sayf(struct be_behind *b, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return say(b, text);
}

/* Passes each line to take(), until one begins with `last`.  False: that has not come in `ms`
   milliseconds. */
static bool hear_to(struct be_behind *b, const char *last, int64_t ms,
                    void (*take)(struct be_behind *b, char *line, void *context), void *context)
{
    int64_t until = be_now_ms() + ms;

    while (b->pid && !b->in.ended) {
        char *line = hear(b, until - be_now_ms());

        if (line && take)
            take(b, line, context);
        if (line && !strncmp(line, last, strlen(last)))
            return true;
        if (!line && be_now_ms() >= until)
            break;
    }
    return false;
}

/* It does not do what it must: ends it.  False. */
static bool is_lost(struct be_behind *b, const char *what)
{
    bool ended = b->in.ended;

    b->faults++;
    end(b);
    return fails(b, ended ? "has ended" : "%s", what);
}

/* == What it says of itself ============================================== */

static void keep_option(struct be_behind *b, char *line, void *context)
{
    size_t had = b->options ? strlen(b->options) : 0, n = strlen(line);
    char *longer;

    (void)context;
    if (strncmp(line, "option name ", 12) || !(longer = realloc(b->options, had + n + 2)))
        return;
    memcpy(longer + had, line, n);
    strcpy(longer + had + n, "\n");
    b->options = longer;
}

static bool introduces_itself(struct be_behind *b)
{
    free(b->options);
    b->options = NULL;
    return say(b, "uci") && hear_to(b, "uciok", START_MS, keep_option, NULL);
}

/* The line of an option, which ends in a newline; NULL: it has none of this name. */
static const char *find_option(const struct be_behind *b, const char *name)
{
    const char *line = b->options ? b->options : "";
    size_t n = strlen(name);

    for (; *line; line = strchr(line, '\n') + 1)
        if (!strncasecmp(line + 12, name, n) && !strncmp(line + 12 + n, " type ", 6))
            return line;
    return NULL;
}

/* Is `value` one of those of the combo option `name`? */
static bool option_has(const struct be_behind *b, const char *name, const char *value)
{
    const char *line = find_option(b, name), *end = line ? strchr(line, '\n') : NULL;
    size_t n = strlen(value);

    for (const char *at = line; at && (at = strstr(at, " var ")) && at < end; at += 5)
        if (!strncmp(at + 5, value, n) && (at[5 + n] == ' ' || at[5 + n] == '\n'))
            return true;
    return false;
}

static bool is_ready(struct be_behind *b)
{
    return say(b, "isready") && hear_to(b, "readyok", START_MS, NULL, NULL);
}

void be_behind_options(const struct be_behind *b, void (*tell)(const char *line))
{
    static const char *const hidden[] = {
        "UCI_Variant", "VariantPath", "Protocol",        "MultiPV",     "Hash",
        "Clear Hash",  "Ponder",      "UCI_AnalyseMode", "UCI_Chess960"
    };
    char text[2048];

    for (const char *line = b->options; line && *line; line = strchr(line, '\n') + 1) {
        bool shown = true;

        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
            shown &= find_option(b, hidden[i]) != line;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        if (shown)
            tell(text);
    }
}

bool be_behind_set(struct be_behind *b, const char *name, const char *value)
{
    if (!find_option(b, name))
        return false;
    sayf(b, "setoption name %s%s%s", name, *value ? " value " : "", value);
    return true;
}

/* == Beginning and end =================================================== */

/* Starts the engine, if it does not run. */
static bool runs(struct be_behind *b)
{
    return b->pid ||
           (start(b) && (introduces_itself(b) || is_lost(b, "does not say uciok: no UCI engine")));
}

enum bk_err be_behind_new(struct be_behind **out, const char *command, struct bk_report *why)
{
    struct be_behind *b = calloc(1, sizeof *b);

    *out = NULL;
    if (!b || !(b->command = strdup(command))) {
        free(b);
        return bk_no_memory(why);
    }
    if (!runs(b)) {
        bk_fail(why, BK_E_SYSTEM, "%s: %.100s", b->fault, command);
        be_behind_free(b);
        return BK_E_SYSTEM;
    }
    *out = b;
    return BK_OK;
}

void be_behind_free(struct be_behind *b)
{
    if (!b)
        return;
    if (b->pid && say(b, "quit")) /* its output ends with it */
        hear_to(b, "\n", QUIT_MS, NULL, NULL);
    end(b);
    if (*b->file)
        unlink(b->file);
    free(b->options);
    free(b->command);
    free(b);
}

const char *be_behind_command(const struct be_behind *b) { return b->command; }

void be_behind_new_game(struct be_behind *b)
{
    b->faults = 0;
    b->rules = 0;
}

/* == The game ============================================================ */

/* Writes the game into b->file, which the engine reads. */
static bool write_file(struct be_behind *b, const char *text)
{
    const char *folder = getenv("TMPDIR");
    int fd;
    bool good;

    if (!*b->file) {
        int n = snprintf(b->file, sizeof b->file, "%s/barekingXXXXXX",
                         folder && *folder ? folder : "/tmp");

        fd = n < (int)sizeof b->file ? mkstemp(b->file) : -1;
    } else {
        fd = open(b->file, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    if (fd < 0) {
        fails(b, "no file for the game: %s", strerror(errno));
        b->file[0] = 0;
        return false;
    }
    good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    good = !close(fd) && good;
    return good || fails(b, "%s: cannot be written", b->file);
}

/* Tells the engine of a game that is not its own. */
static bool tell_game(struct be_behind *b, const struct bk_variant *v)
{
    char text[BK_FAIRY_TEXT_MAX];
    struct bk_report why;

    if (b->heard == v->rules_id) /* Fairy-Stockfish complains of a game that it has */
        return true;
    if (!find_option(b, "VariantPath"))
        return fails(b, "takes no games of others (no option VariantPath)");
    b->nearly = bk_fairy_write(v, false, text, &why) != BK_OK;
    if (b->nearly && bk_fairy_write(v, true, text, &why))
        return fails(b, "%s", why.text);
    b->heard = v->rules_id;
    return write_file(b, text) && sayf(b, "setoption name VariantPath value %s", b->file) &&
           introduces_itself(b); /* which lists the new one, too */
}

/* Sets the game, if it is another one.  VariantPath comes before UCI_Variant, and an unknown name
   is ignored by engines: so their list is asked. */
static bool set_game(struct be_behind *b, const struct be_game *g)
{
    const char *own, *name;

    if (b->rules == g->base->rules_id)
        return !b->cannot; /* which was told */
    b->rules = g->base->rules_id;
    b->cannot = true;
    own = bk_fairy_name_of(g->base);
    name = own ? own : g->base->name;
    if (!own && !tell_game(b, g->base))
        return false;
    if (find_option(b, "UCI_Variant") ? !option_has(b, "UCI_Variant", name)
                                      : strcmp(name, "chess") != 0)
        return fails(b, "does not know %s", name);
    if (find_option(b, "UCI_Variant"))
        sayf(b, "setoption name UCI_Variant value %s", name);
    b->cannot = false;
    return (say(b, "ucinewgame") && is_ready(b)) || is_lost(b, "does not say readyok");
}

/* == Has it understood? ================================================== */

struct understood {
    const struct be_game *game;
    char board[BK_FEN_MAX]; /* ours, as a FEN */
    char name[BK_MOVES_MAX][8];
    size_t n;
    bool told, same; /* `d` showed a position; it is ours */
};

/* Are board and side to move the same in two FENs?  `~` behind a man says nothing, nor do hands. */
static bool same_board(const char *a, const char *b)
{
    unsigned blanks = 0;

    while (blanks < 2) {
        a += *a == '~' ? 1 : *a == '[' ? strcspn(a, "]") + (strchr(a, ']') != NULL) : 0;
        if (*a != *b)
            return false;
        if (!*a)
            return blanks;
        if (*a == '~' || *a == '[')
            continue;
        blanks += *a == ' ';
        a++;
        b++;
    }
    return true;
}

static void take_understood(struct be_behind *b, char *line, void *context)
{
    struct understood *u = context;
    char *colon = strchr(line, ':');

    (void)b;
    if (!strncmp(line, "Fen: ", 5)) {
        u->told = true;
        u->same = same_board(line + 5, u->board);
    } else if (colon && colon[1] == ' ' && colon[2] == '1' && !colon[3] &&
               (size_t)(colon - line) < sizeof *u->name && u->n < BK_MOVES_MAX) {
        *colon = 0;
        strcpy(u->name[u->n++], line);
    }
}

/* Is it a move for the engine, too? */
static bool knows_move(const struct understood *u, const struct be_board *b,
                       const struct be_move *move)
{
    char name[BE_NAME_MAX];
    size_t at = 0;

    be_move_write(u->game, BE_UCI, b, move, name);
    while (at < u->n && strcasecmp(u->name[at], name) != 0)
        at++;
    return at < u->n;
}

/* Are the engine's moves those in `legal`? */
static bool same_moves(const struct understood *u, const struct be_board *b,
                       const struct be_moves *legal)
{
    for (size_t i = 0; i < legal->n; i++)
        if (!knows_move(u, b, &legal->move[i]))
            return false;
    return legal->n == u->n;
}

/* Returns the place of the last position after a capture or a change, from which repetitions count
   and engines count moves. */
static size_t irreversible(const struct be_search *s)
{
    size_t at = s->npast - 1;

    while (at && !be_is_loud(s->game, &s->played[at]))
        at--;
    return at;
}

/* Sends the position, by the moves since place `from` of the game. */
static bool say_position(struct be_behind *b, const struct be_search *s, size_t from)
{
    size_t room = BK_FEN_MAX + 64 + (s->npast - from) * BE_NAME_MAX, n;
    char *text = malloc(room), fen[BK_FEN_MAX], name[BE_NAME_MAX];
    bool good;

    if (!text)
        return false;
    n = (size_t)snprintf(text, room, "position fen %s",
                         be_board_fen(s->game, &s->boards[from], fen));
    for (size_t i = from + 1; i < s->npast; i++)
        n += (size_t)snprintf(
            text + n, room - n, "%s %s", i == from + 1 ? " moves" : "",
            be_move_write(s->game, BE_UCI, &s->boards[i - 1], &s->played[i], name));
    good = say(b, text);
    free(text);
    return good;
}

/* Sends the position from place `from` on, and asks what the engine makes of it. */
static bool ask_moves(struct be_behind *b, const struct be_search *s, size_t from,
                      struct understood *u)
{
    int64_t ms =
        s->limits.hard && s->limits.hard / 2 < PERFT_MS ? s->limits.hard / 2 + 50 : PERFT_MS;

    *u = (struct understood){ .game = s->game };
    be_board_fen(s->game, &s->root, u->board);
    return (say_position(b, s, from) && say(b, "d") && say(b, "go perft 1") &&
            hear_to(b, "Nodes searched", ms, take_understood, u)) ||
           is_lost(b, "does not answer `go perft 1`");
}

/* Keeps of `may` what the engine knows; searchmoves that it does not know it passes over. */
static bool keep_known(const struct understood *u, const struct be_board *b, struct be_moves *may)
{
    size_t n = 0;

    for (size_t i = 0; i < may->n; i++)
        if (knows_move(u, b, &may->move[i]))
            may->move[n++] = may->move[i];
    may->n = n;
    return n > 0;
}

/* Sends the position, with as much of the past as the engine understands.  Of a game that was told
   nearly, takes away from `may` what it does not know. */
static bool understands(struct be_behind *b, const struct be_search *s, struct be_moves *may)
{
    struct be_moves legal = { .n = 0 };
    size_t from = irreversible(s), now = s->npast - 1;
    struct understood u;
    bool good = ask_moves(b, s, from, &u);

    if (good && from < now && !u.same)
        good = ask_moves(b, s, now, &u);
    if (!good)
        return false;
    good = u.same || !u.told;
    if (b->nearly && b->heard == b->rules)
        return (good && keep_known(&u, &s->root, may)) || fails(b, "knows no move to play here");
    good = good && be_moves_legal(s->game, &s->root, &legal) && same_moves(&u, &s->root, &legal);
    be_moves_release(&legal);
    return good || fails(b, "has other moves here than the game has");
}

/* == Its answer ========================================================== */

/* A question under way. */
struct asking {
    struct be_search *s;
    const struct be_moves *may;
    int least, most;
    bool answered;
    char best[BE_NAME_MAX]; /* what it said */
};

/* Is it one of those asked about? */
static bool may_play(const struct asking *a, const struct be_move *m)
{
    for (size_t i = 0; i < a->may->n; i++)
        if (be_same_move(a->s->game, &a->may->move[i], m))
            return true;
    return false;
}

/* Reads the moves of a line, as far as they are legal.  False: the first is none that was asked
   about. */
static bool read_pv(const struct asking *a, char *rest, struct be_line *line)
{
    struct be_board b = a->s->root;

    line->n = 0;
    for (char *word; line->n < BE_PLY_MAX && (word = be_word(&rest)) != NULL;) {
        int wdl;

        if (be_end_now(a->s->game, &b, &wdl) != BE_GOES_ON ||
            !be_move_read(a->s->game, BE_UCI, &b, word, &line->move[line->n]))
            break;
        be_play(a->s->game, &b, &line->move[line->n++]);
    }
    return line->n && may_play(a, &line->move[0]);
}

static int within(int64_t x, int64_t least, int64_t most)
{
    return (int)(x < least ? least : x > most ? most : x);
}

/* Its score as ours: `cp N` or `mate N`, N in moves. */
static int read_score(const struct asking *a, const char *kind, int64_t n)
{
    int score = within(n, -BE_LEAD_MAX, BE_LEAD_MAX), moves = within(n, -2000, 2000);

    if (!strcmp(kind, "mate"))
        score = moves > 0 ? BE_WIN - (2 * moves - 1) : -BE_WIN - 2 * moves;
    return within(score, a->least, a->most);
}

/* info depth D ... multipv K score cp N nodes N ... pv MOVE...; bounds are no scores. */
static void take_info(struct asking *a, char *rest)
{
    struct be_search *s = a->s;
    struct be_line line = { .plies = -1 };
    unsigned nth = 0;
    bool scored = false;

    for (char *word; (word = be_word(&rest)) != NULL;) {
        char *value;
        int64_t n;

        if (!strcmp(word, "pv")) {
            if (!scored || nth >= s->nlines || nth > s->nfound || !read_pv(a, rest, &line))
                return;
            s->line[nth] = line;
            s->nfound = nth < s->nfound ? s->nfound : nth + 1;
            if (s->tell)
                s->tell(s, &line, nth);
            return;
        }
        if (!strcmp(word, "string") || !strcmp(word, "lowerbound") || !strcmp(word, "upperbound") ||
            !(value = be_word(&rest)))
            return;
        n = strtoll(value, NULL, 10);
        if (!strcmp(word, "depth"))
            line.depth = within(n, 0, 1000);
        else if (!strcmp(word, "seldepth"))
            line.seldepth = (unsigned)within(n, 0, 1000);
        else if (!strcmp(word, "multipv"))
            nth = (unsigned)within(n, 1, 1000) - 1;
        else if (!strcmp(word, "nodes") && n > 0)
            atomic_store(&s->nodes, (uint64_t)n);
        else if (!strcmp(word, "score") && (word = be_word(&rest)) != NULL) {
            line.score = read_score(a, value, strtoll(word, NULL, 10));
            scored = true;
        }
    }
}

/* Puts the line that begins with `m` first; it may be a new one. */
static void put_first(struct be_search *s, const struct be_move *m)
{
    struct be_line first = { .move = { *m }, .n = 1, .plies = -1 };
    unsigned at = 0;

    while (at < s->nfound && !be_same_move(s->game, &s->line[at].move[0], m))
        at++;
    if (at < s->nfound)
        first = s->line[at];
    else
        at = s->nfound < s->nlines ? s->nfound++ : s->nfound - 1;
    memmove(&s->line[1], &s->line[0], at * sizeof *s->line);
    s->line[0] = first;
}

/* Checks and takes `bestmove`. */
static bool take_best(struct be_behind *b, struct asking *a)
{
    struct be_move m;
    bool legal = be_move_read(a->s->game, BE_UCI, &a->s->root, a->best, &m);

    if (!legal || !may_play(a, &m)) {
        b->faults++;
        return fails(b, "answers '%.20s', which %s", a->best,
                     legal ? "gives something away" : "is no legal move");
    }
    b->faults = 0;
    put_first(a->s, &m);
    return true;
}

static void take_line(struct asking *a, char *line)
{
    char *word = be_word(&line), *move;

    if (word && !strcmp(word, "info"))
        take_info(a, line);
    if (!word || strcmp(word, "bestmove"))
        return;
    move = be_word(&line);
    snprintf(a->best, sizeof a->best, "%s", move ? move : "");
    a->answered = true;
}

/* == Asking ============================================================== */

/* Writes the limits of `go`; milliseconds of a clock are less what a move takes to the client. */
static size_t write_limits(const struct be_limits *l, char *out, size_t room)
{
    size_t n = 0;

#define LIMIT(...) n += (size_t)snprintf(out + n, room - n, __VA_ARGS__)
    if (l->endless)
        LIMIT(" infinite");
    if (l->depth)
        LIMIT(" depth %d", l->depth);
    if (l->nodes)
        LIMIT(" nodes %llu", (unsigned long long)l->nodes);
    if (l->mate)
        LIMIT(" mate %d", l->mate / 2);
    if (l->left) {
        LIMIT(" wtime %lld btime %lld winc %lld binc %lld", (long long)l->left, (long long)l->left,
              (long long)l->increment, (long long)l->increment);
        if (l->togo)
            LIMIT(" movestogo %d", l->togo);
    } else if (l->hard) {
        LIMIT(" movetime %lld", (long long)l->hard);
    }
    if (!n)
        LIMIT(" infinite");
#undef LIMIT
    return n;
}

/* `go`, with the moves last: what stands behind them some engines take for moves. */
static bool say_go(struct be_behind *b, const struct asking *a)
{
    const struct be_search *s = a->s;
    size_t room = 512 + a->may->n * BE_NAME_MAX, n;
    char *text = malloc(room), name[BE_NAME_MAX];
    bool good;

    if (!text)
        return false;
    n = (size_t)snprintf(text, room, "go%s", atomic_load(&s->pondering) ? " ponder" : "");
    n += write_limits(&s->limits, text + n, 400);
    for (size_t i = 0; i < a->may->n; i++)
        n += (size_t)snprintf(text + n, room - n, "%s %s", i ? "" : " searchmoves",
                              be_move_write(s->game, BE_UCI, &s->root, &a->may->move[i], name));
    good = say(b, text);
    free(text);
    return good;
}

/* Sets what engines call options and we limits of this search. */
static void say_options(struct be_behind *b, const struct asking *a)
{
    unsigned lines = a->s->nlines < a->may->n ? a->s->nlines : (unsigned)a->may->n;
    unsigned mib = be_hash_mib(a->s->hash);
    char value[16];

    snprintf(value, sizeof value, "%u", lines);
    if (b->lines != lines && be_behind_set(b, "MultiPV", value))
        b->lines = lines;
    snprintf(value, sizeof value, "%u", mib);
    if (b->hash_mib != mib && be_behind_set(b, "Hash", value))
        b->hash_mib = mib;
}

/* The time at which an engine that has not answered is stopped; INT64_MAX: never. */
static int64_t stop_at(const struct be_search *s)
{
    int64_t from = atomic_load(&s->counts_from);

    if (atomic_load(&s->pondering) || s->limits.endless)
        return INT64_MAX;
    if (s->limits.hard)
        return from + s->limits.hard;
    if (s->limits.nodes && s->limits.nodes < (uint64_t)BE_NUMBER_MAX)
        return from + SILENT_MS + (int64_t)s->limits.nodes * NODES_MS;
    return INT64_MAX;
}

/* What goes on between `go` and `bestmove`. */
struct waiting {
    bool pondering;
    int64_t stopped, heard, asked; /* when; 0: not yet */
};

/* Passes on what the client wants meanwhile.  False: the engine has had its time. */
static bool watch(struct be_behind *b, const struct be_search *s, struct waiting *w)
{
    int64_t now = be_now_ms();

    if (w->pondering && !atomic_load(&s->pondering)) {
        w->pondering = false;
        if (!atomic_load(&s->stop))
            say(b, "ponderhit");
    }
    if (!w->stopped && (atomic_load(&s->stop) || now >= stop_at(s))) {
        w->stopped = now;
        say(b, "stop");
    }
    if (w->stopped)
        return now < w->stopped + GRACE_MS;
    if (!w->asked && now > w->heard + SILENT_MS) {
        w->asked = now;
        say(b, "isready");
    }
    return !w->asked || now < w->asked + SILENT_MS;
}

/* Waits for the answer. */
static bool wait_for_best(struct be_behind *b, struct asking *a)
{
    struct waiting w = { .pondering = atomic_load(&a->s->pondering), .heard = be_now_ms() };

    while (!a->answered) {
        char *line = hear(b, NAP_MS);

        if (line) {
            w.heard = be_now_ms();
            w.asked = 0;
            take_line(a, line);
        } else if (b->in.ended || !watch(b, a->s, &w)) {
            return is_lost(b, "does not answer");
        } else {
            continue;
        }
        if (!a->answered && !watch(b, a->s, &w))
            return is_lost(b, "does not answer");
    }
    return true;
}

bool be_behind_choose(struct be_behind *b, struct be_search *s, const struct be_moves *may,
                      int least, int most)
{
    struct be_moves known = { .n = may->n, .move = malloc((may->n + 1) * sizeof *known.move) };
    struct asking a = { .s = s, .may = &known, .least = least, .most = most };
    bool good = known.move != NULL;

    *b->fault = 0;
    s->nfound = 0;
    if (good)
        memcpy(known.move, may->move, may->n * sizeof *known.move);
    good =
        good && b->faults < FAULTS && runs(b) && set_game(b, s->game) && understands(b, s, &known);
    if (good) {
        say_options(b, &a);
        good = (say_go(b, &a) || is_lost(b, "does not read")) && wait_for_best(b, &a) &&
               take_best(b, &a);
    }
    if (!good)
        s->nfound = 0;
    be_moves_release(&known);
    return good;
}
