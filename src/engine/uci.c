/*
 * uci.c - commands in, info and bestmove out.
 *
 * What a client has no command for is said with `info string`, errors as well.  Options may come
 * in any order, before and after `position`.
 */
#include "engine/uci.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/rules.h"
#include "engine/session.h"
#include "engine/setup.h"
#include "probe/bareking.h"
#include "table/listing.h"

#define LINES_MAX 64
#define HASH_MAX  65536
#define UCI_LINE  4096

static void complain(const struct bk_report *why) { be_say("info string error: %s", why->text); }

/* == Out ================================================================= */

/* Does the line's first move bare a king whose reply XBoard waits for (be_xboard_bares())?  Its
   adapter claims a mate as soon as it hears of "mate 1": so the reply is counted. */
static bool awaits_reply(const struct be_search *s, const struct be_line *line)
{
    struct be_board b = s->root;
    int wdl;

    if (line->score != BE_WIN - 1 || !line->n || !be_xboard_bares(s->game))
        return false;
    be_play(s->game, &b, &line->move[0]);
    return be_end_now(s->game, &b, &wdl) == BE_BARE;
}

static const char *write_score(const struct be_search *s, const struct be_line *line, char out[32])
{
    int score = line->score;

    if (score > BE_WIN - 4096)
        snprintf(out, 32, "mate %d", (BE_WIN - score + 1) / 2 + awaits_reply(s, line));
    else if (score < -BE_WIN + 4096)
        snprintf(out, 32, "mate -%d", (BE_WIN + score + 1) / 2); /* a bare king's last move: 1 */
    else
        snprintf(out, 32, "cp %d", score);
    return out;
}

static void tell_line(struct be_search *s, const struct be_line *line, unsigned nth)
{
    char pv[UCI_LINE], score[32], verdict[48], deepest[32] = "";
    int64_t ms = be_now_ms() - atomic_load(&s->began);
    uint64_t nodes = atomic_load(&s->nodes), hits = atomic_load(&s->hits);

    be_line_write(line, s, BE_UCI, pv, sizeof pv);
    if (line->seldepth)
        snprintf(deepest, sizeof deepest, " seldepth %u", line->seldepth);
    be_say("info depth %d%s multipv %u score %s nodes %llu nps %llu hashfull %u tbhits %llu "
           "time %lld pv %s",
           line->depth, deepest, nth + 1, write_score(s, line, score), (unsigned long long)nodes,
           (unsigned long long)(nodes * 1000 / (uint64_t)(ms > 0 ? ms : 1)), be_hash_full(s->hash),
           (unsigned long long)hits, (long long)ms, pv);
    if (line->by_table && nth == 0)
        be_say("info string %s (tables)", be_line_verdict(line, verdict));
    if (be_say_gone())
        be_search_stop(s);
}

static void say_best(struct be_session *s)
{
    const struct be_search *f = &s->search;
    const char *broken = be_session_broken(s), *lost = be_session_lost(s);
    const char *fault = be_session_fault(s);
    struct be_board b = f->root;
    char best[BE_NAME_MAX], ponder[BE_NAME_MAX];

    if (broken)
        be_say("info string error: %s", broken);
    if (lost)
        be_say("info string %s", lost);
    if (fault)
        be_say("info string %s", fault);
    if (f->starved)
        be_say("info string error: out of memory");
    if (!f->nfound) {
        int wdl;

        if (!f->starved)
            be_say("info string %s", be_end_text(be_end_now(f->game, &b, &wdl)));
        be_say("bestmove (none)");
        return;
    }
    be_move_write(f->game, BE_UCI, &b, &f->line[0].move[0], best);
    if (f->line[0].n < 2) {
        be_say("bestmove %s", best);
        return;
    }
    be_play(f->game, &b, &f->line[0].move[0]);
    be_say("bestmove %s ponder %s", best,
           be_move_write(f->game, BE_UCI, &b, &f->line[0].move[1], ponder));
}

/* == Options ============================================================= */

static void tell_option(const char *line) { be_say("%s", line); }

static void introduce(const struct be_session *s)
{
    char games[2048] = "";
    size_t n = 0;

    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        n += (size_t)snprintf(games + n, sizeof games - n, " var %s", e->name);
    for (const struct bk_embedded_fairy *e = bk_embedded_fairy; e->name; e++)
        if (!bk_embedded_find(e->name))
            n += (size_t)snprintf(games + n, sizeof games - n, " var %s", e->name);
    be_say("id name bareking-engine %d.%d.%d", BK_LIB_VERSION >> 16, BK_LIB_VERSION >> 8 & 255,
           BK_LIB_VERSION & 255);
    be_say("id author the authors of bareking");
    be_say("option name UCI_Variant type combo default %s%s", s->game.base->name, games);
    be_say("option name TablePath type string default %s", *s->paths ? s->paths : "<empty>");
    be_say("option name Hash type spin default 16 min 1 max %d", HASH_MAX);
    be_say("option name Clear Hash type button");
    be_say("option name Engine type string default %s",
           s->behind ? be_behind_command(s->behind) : "<empty>");
    if (s->behind)
        be_behind_options(s->behind, tell_option); /* Threads among them */
    else
        be_say("option name Threads type spin default 1 min 1 max 1");
    be_say("option name MultiPV type spin default 1 min 1 max %d", LINES_MAX);
    be_say("option name Ponder type check default false");
    be_say("option name UCI_AnalyseMode type check default false");
    be_say("uciok");
}

/* Describes a game that XBoard may not know to adapters of other protocols. */
static void say_game(const struct be_session *s)
{
    const struct bk_variant *v = s->game.v;
    char fen[BK_FEN_MAX];

    if (be_xboard_knows(&s->game))
        return;
    be_say("info string variant %s files %u ranks %u pocket 0 template %s startpos %s",
           s->game.base->name, (unsigned)v->files, (unsigned)v->ranks,
           bk_rules_castles(v) ? "capablanca" : "fairy", be_game_start(&s->game, fen));
}

static bool read_number(const char *text, long min, long max, long *out)
{
    char *end;

    *out = strtol(text, &end, 10);
    return *text && !*end && *out >= min && *out <= max;
}

static void say_tables(struct be_session *s)
{
    const char *broken;
    char odd[600];

    if (!*s->paths)
        return;
    bk_folders_odd_too(odd, sizeof odd, s->game.base, s->paths);
    if (s->game.men_max) {
        if (*odd)
            be_say("info string %s", odd + 2);
        return;
    }
    broken = be_session_broken(s);
    if (broken)
        be_say("info string error: %s", broken);
    else
        be_say("info string no tables of %s in %s%s", s->game.base->name, s->paths, odd);
}

static void set_game(struct be_session *s, const char *name)
{
    struct bk_report why;

    if (be_session_game(s, name, &why)) {
        complain(&why);
        return;
    }
    say_game(s);
    say_tables(s);
}

static void set_tables(struct be_session *s, const char *paths)
{
    struct bk_report why;

    if (be_session_tables(s, !strcmp(paths, "<empty>") ? "" : paths, &why))
        complain(&why);
    else
        say_tables(s);
}

static void set_engine(struct be_session *s, const char *command)
{
    struct bk_report why;

    if (be_session_engine(s, !strcmp(command, "<empty>") ? "" : command, &why))
        complain(&why);
}

/* Passes an option on to the engine behind; false: that has none of this name. */
static bool set_behind(struct be_session *s, const char *name, const char *value)
{
    be_session_stop(s);
    return s->behind && be_behind_set(s->behind, name, value);
}

static void set_number(struct be_session *s, const char *name, const char *value)
{
    bool hash = !strcasecmp(name, "Hash");
    long n;

    if (!read_number(value, 1, hash ? HASH_MAX : LINES_MAX, &n)) {
        be_say("info string error: %s: '%s' is not a number of the range", name, value);
        return;
    }
    be_session_stop(s);
    if (!hash)
        s->search.nlines = (unsigned)n;
    else if (!be_hash_resize(&s->hash, (unsigned)n))
        be_say("info string error: no memory for a hash table of %ld MiB", n);
}

static bool takes_no_effect(const char *name)
{
    return !strcasecmp(name, "Threads") || !strcasecmp(name, "Ponder") ||
           !strcasecmp(name, "UCI_AnalyseMode") || !strcasecmp(name, "UCI_Chess960");
}

/* setoption name NAME [value VALUE], in which both may have blanks */
static void set_option(struct be_session *s, char *rest)
{
    char *word = be_word(&rest), *name, *value = "", *found;

    if (!word || strcmp(word, "name")) {
        be_say("info string error: setoption name NAME value VALUE");
        return;
    }
    name = be_rest(&rest);
    if ((found = strstr(name, " value")) != NULL && (!found[6] || found[6] == ' ')) {
        *found = 0;
        value = found + 6 + strspn(found + 6, " ");
    }
    if (!strcasecmp(name, "UCI_Variant"))
        set_game(s, value);
    else if (!strcasecmp(name, "TablePath"))
        set_tables(s, value);
    else if (!strcasecmp(name, "Engine"))
        set_engine(s, value);
    else if (!strcasecmp(name, "Hash") || !strcasecmp(name, "MultiPV"))
        set_number(s, name, value);
    else if (!strcasecmp(name, "Clear Hash")) {
        be_session_stop(s);
        be_hash_clear(&s->hash);
    } else if (!set_behind(s, name, value) && !takes_no_effect(name))
        be_say("info string error: no option '%s'", name);
}

/* == position ============================================================ */

static void set_position(struct be_session *s, char *rest)
{
    char *moves = strstr(rest, "moves"), *word;
    struct bk_report why = { "" };
    enum bk_err err;

    if (moves) {
        *moves = 0;
        moves += strlen("moves");
    }
    word = be_word(&rest);
    if (word && !strcmp(word, "startpos"))
        err = be_session_start(s, &why);
    else if (word && !strcmp(word, "fen"))
        err = be_session_fen(s, be_rest(&rest), &why);
    else
        err = bk_fail(&why, BK_E_USAGE, "position startpos|fen FEN [moves MOVE...]");
    s->nowhere = err;
    if (err)
        complain(&why);
    while (!s->nowhere && moves && (word = be_word(&moves)) != NULL)
        if (!be_session_move(s, word)) {
            be_say("info string error: '%.40s' is no legal move", word);
            s->nowhere = true;
        }
}

/* == go ================================================================== */

struct going {
    struct be_session *s;
    struct be_limits limits;
    int64_t left[2], increment[2], movetime;
    int togo;
    bool ponder, moves; /* `searchmoves` is being read */
};

static void add_only(struct going *g, const char *name)
{
    struct be_moves *only = &g->s->search.only;
    struct be_move m, *longer;

    if (!be_move_read(&g->s->game, BE_UCI, be_session_board(g->s), name, &m)) {
        be_say("info string error: '%.40s' is no legal move", name);
        return;
    }
    if (!(longer = realloc(only->move, (only->n + 1) * sizeof m)))
        return;
    only->move = longer;
    only->move[only->n++] = m;
    only->room = only->n;
}

/* Takes a word of `go` that has no number; false: it is none of these. */
static bool take_word(struct going *g, const char *word)
{
    if (!strcmp(word, "infinite"))
        g->limits.endless = true;
    else if (!strcmp(word, "ponder"))
        g->ponder = true;
    else if (strcmp(word, "searchmoves"))
        return false;
    g->moves = !strcmp(word, "searchmoves");
    return true;
}

/* Takes a word of `go` that has a number; false: it is none of these. */
static bool take_number(struct going *g, const char *word, const char *value)
{
    enum { WTIME, BTIME, WINC, BINC, MOVETIME, DEPTH, MOVESTOGO, NODES, MATE, NUMBERS };
    static const char *const name[NUMBERS] = { "wtime", "btime",     "winc",  "binc", "movetime",
                                               "depth", "movestogo", "nodes", "mate" };
    unsigned which = 0;
    char *end = NULL;
    long long n = value ? strtoll(value, &end, 10) : 0;

    while (which < NUMBERS && strcmp(word, name[which]))
        which++;
    if (which < NUMBERS && (!value || end == value || *end)) {
        be_say("info string error: go: %s needs a number", word);
        return true;
    }
    n = n < 0 ? 0 : n < BE_NUMBER_MAX ? n : BE_NUMBER_MAX;
    switch (which) {
    case WTIME:
    case BTIME: g->left[which - WTIME] = n + 1; return true;
    case WINC:
    case BINC: g->increment[which - WINC] = n; return true;
    case MOVETIME: g->movetime = n + 1; return true;
    case DEPTH: g->limits.depth = n < BE_PLY_MAX ? (int)n : BE_PLY_MAX; return true;
    case MOVESTOGO: g->togo = n < INT_MAX ? (int)n : 0; return true;
    case NODES: g->limits.nodes = (uint64_t)n; return true;
    case MATE: g->limits.mate = n < 1000 ? (int)(2 * n) : 0; return true;
    default: return false;
    }
}

static void read_going(struct going *g, char *rest)
{
    for (char *word; (word = be_word(&rest)) != NULL;) {
        char *after = rest, *value;

        if (take_word(g, word))
            continue;
        value = be_word(&after);
        if (take_number(g, word, value)) {
            g->moves = false;
            rest = after;
            continue;
        }
        if (value) /* `word` takes no number: `value` is put back */
            value[strlen(value)] = *after ? ' ' : 0;
        if (g->moves)
            add_only(g, word);
        else
            be_say("info string error: go: '%.40s' is not understood", word);
    }
}

static void go(struct be_session *s, char *rest)
{
    struct going g = { .s = s };
    unsigned us = be_session_mover(s);

    be_session_stop(s);
    s->search.only.n = 0;
    read_going(&g, rest);
    if (g.movetime)
        be_limits_exact(&g.limits, g.movetime);
    else if (g.left[us] || g.left[!us]) /* a clock that was not given is at 0 */
        be_limits_clock(&g.limits, g.left[us], g.increment[us], g.togo);
    if (s->nowhere) {
        be_say("info string error: go: the last position could not be read");
        be_say("bestmove (none)");
        return;
    }
    s->search.limits = g.limits;
    atomic_store(&s->search.pondering, g.ponder);
    if (!be_session_think(s)) {
        be_say("info string error: no thread to search with");
        be_say("bestmove (none)");
    }
}

/* == The loop ============================================================ */

static void new_game(struct be_session *s)
{
    struct bk_report why;

    if (be_session_start(s, &why))
        complain(&why);
    else
        say_game(s); /* by --game it may be one that the client has never named */
    be_session_forget(s);
}

/* Ends pondering: limits of time count from now.  Without pondering the clock runs on. */
static void ponderhit(struct be_session *s)
{
    if (!atomic_load(&s->search.pondering))
        return;
    atomic_store(&s->search.counts_from, be_now_ms());
    atomic_store(&s->search.pondering, false);
}

static void stop(struct be_session *s)
{
    if (!s->thinking)
        return;
    be_session_stop(s);
    say_best(s);
}

static void show(const struct be_session *s)
{
    char fen[BK_FEN_MAX];
    int wdl;
    enum be_end end = be_end_now(&s->game, be_session_board(s), &wdl);

    if (s->nowhere) {
        be_say("info string error: d: the last position could not be read");
        return;
    }
    be_say("Fen: %s", be_board_fen(&s->game, be_session_board(s), fen));
    be_say("Game: %s", be_end_text(end));
}

/* Does the command end the search?  Each `go` is answered by one `bestmove`, so also then: else a
   client that changes an option in its analysis would wait for ever, and a script that ends in
   `quit` in vain. */
static bool ends_search(const char *word)
{
    return !strcmp(word, "go") || !strcmp(word, "position") || !strcmp(word, "setoption") ||
           !strcmp(word, "ucinewgame") || !strcmp(word, "quit");
}

/* False: `quit`. */
static bool obey(struct be_session *s, char *line)
{
    char *word = be_word(&line);

    if (!word)
        return true;
    if (ends_search(word))
        stop(s);
    if (!strcmp(word, "quit"))
        return false;
    if (!strcmp(word, "uci"))
        introduce(s);
    else if (!strcmp(word, "isready"))
        be_say("readyok");
    else if (!strcmp(word, "setoption"))
        set_option(s, line);
    else if (!strcmp(word, "ucinewgame"))
        new_game(s);
    else if (!strcmp(word, "position"))
        set_position(s, line);
    else if (!strcmp(word, "go"))
        go(s, line);
    else if (!strcmp(word, "stop"))
        stop(s);
    else if (!strcmp(word, "ponderhit"))
        ponderhit(s);
    else if (!strcmp(word, "d"))
        show(s);
    else if (strcmp(word, "debug") && strcmp(word, "register"))
        be_say("info string error: unknown command '%.40s'", word);
    return true;
}

int be_uci_run(char *first, const char *game, const char *paths, const char *engine)
{
    struct be_session s;
    struct bk_report why = { "no memory to begin with" };
    bool goes_on;

    if (!be_session_begin(&s, BE_UCI, paths) || be_session_game(&s, game, &why)) {
        complain(&why);
        be_session_end(&s);
        return 4;
    }
    s.search.tell = tell_line;
    set_engine(&s, engine);
    goes_on = obey(&s, first);
    for (char *line; goes_on;) {
        enum be_event event = be_session_wait(&s, &line);

        if (event == BE_FOUND)
            say_best(&s);
        else
            goes_on = event == BE_LINE && obey(&s, line);
    }
    be_session_end(&s);
    return be_say_status();
}
