/*
 * cecp.c - XBoard's commands.
 *
 * The engine plays one side or none (force); after each command that may have made it the engine's
 * turn, look() finds out whether it is.  It says every end of a game by its exact name, since
 * XBoard knows no bare king outside Shatranj and would wait for ever.
 */
#include "engine/cecp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clients.h"
#include "core/rules.h"
#include "engine/session.h"
#include "engine/setup.h"
#include "probe/bareking.h"
#include "table/listing.h"

#define NOBODY 2 /* in place of a colour */

struct cecp {
    struct be_session s;
    unsigned ours;    /* the colour we play, or NOBODY */
    atomic_bool post; /* the search reads it, too */
    bool analyze;
    bool over;    /* the game is over, and we have said so */
    bool told;    /* the interface has told a result: we move when it asks again */
    bool versus;  /* the other side is a program, too: XBoard tests what we claim */
    bool playing; /* the search under way is for a move, no analysis */
    char *pongs;  /* owned; `pong` lines due after that move; NULL: none */
    int per;      /* `level`: moves a period; 0: all */
    int64_t base, increment, exact, left;
    int depth;
};

static void complain(const char *what, const char *command)
{
    be_say("Error (%s): %.60s", what, command);
}

/* == Introductions ======================================================= */

/* Games with hands have turns of several drops, and land may change with a move, which XBoard
   cannot show; by name they are played all the same. */
static bool can_show(const char *name)
{
    struct bk_report why;
    struct bk_variant *v;
    bool shown = false;

    if (bk_variant_load(&v, name, &why) == BK_OK) {
        shown = !bk_rules_hands(v) && !bk_rules_land_lives(v);
        bk_variant_free(v);
    }
    return shown;
}

static void say_features(void)
{
    char games[1024] = "", name[BK_CLIENT_NAME_MAX];
    size_t n = 0;

    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        if (can_show(e->name))
            n += (size_t)snprintf(games + n, sizeof games - n, "%s%s", n ? "," : "",
                                  bk_client_name(e->name, name));
    be_say("feature done=0");
    be_say("feature myname=\"bareking-engine %d.%d.%d\"", BK_LIB_VERSION >> 16,
           BK_LIB_VERSION >> 8 & 255, BK_LIB_VERSION & 255);
    be_say("feature ping=1 setboard=1 usermove=1 playother=1 analyze=1 memory=1 highlight=1");
    be_say("feature san=0 time=1 draw=0 sigint=0 sigterm=0 reuse=1 colors=0 name=0 smp=0 ics=0 "
           "debug=1");
    be_say("feature variants=\"%s\"", games);
    be_say("feature egt=\"bareking\"");
    be_say("feature option=\"TablePath -path \"");
    be_say("feature option=\"Engine -string \"");
    be_say("feature done=1");
}

/* == Thinking aloud ====================================================== */

/* XBoard's score: 100000 and the number of moves for a win. */
static int cecp_score(int score)
{
    if (score > BE_WIN - 4096)
        return 100000 + (BE_WIN - score + 1) / 2;
    if (score < -BE_WIN + 4096)
        return -100000 - (BE_WIN + score + 1) / 2;
    return score;
}

static void tell_line(struct be_search *s, const struct be_line *line, unsigned nth)
{
    const struct cecp *c = s->context;
    char pv[2048], verdict[48], by[64] = "";
    int64_t ms = be_now_ms() - atomic_load(&s->began);

    if ((!c->post && !c->analyze) || nth)
        return;
    be_line_write(line, s, BE_CECP, pv, sizeof pv);
    if (line->by_table)
        snprintf(by, sizeof by, " {tables: %s}", be_line_verdict(line, verdict));
    be_say("%d %d %lld %llu%s%s%s", line->depth, cecp_score(line->score), (long long)ms / 10,
           (unsigned long long)atomic_load(&s->nodes), *pv ? " " : "", pv, by);
    if (be_say_gone())
        be_search_stop(s);
}

/* `.` */
static void say_status(struct cecp *c)
{
    struct be_search *s = &c->s.search;

    if (c->s.thinking)
        be_say("stat01: %lld %llu %d %d %d", (long long)(be_now_ms() - atomic_load(&s->began)) / 10,
               (unsigned long long)atomic_load(&s->nodes), atomic_load(&s->depth),
               atomic_load(&s->all) - atomic_load(&s->done), atomic_load(&s->all));
}

/* == Whose turn ========================================================== */

static void pong(struct cecp *c)
{
    if (c->pongs)
        be_say("%s", c->pongs);
    free(c->pongs);
    c->pongs = NULL;
}

/* Has the mover a move that he could make, if the game went on? */
static bool may_reply(const struct cecp *c)
{
    struct be_moves list = { .n = 0 };
    bool may = !be_moves_legal(&c->s.game, be_session_board(&c->s), &list) || list.n;

    be_moves_release(&list);
    return may;
}

/* Is it too early to claim a win over a bare king?  Where XBoard waits for his reply, so do we
   (be_xboard_bares()), also for a human's; then XBoard ends the game, or we do. */
static bool too_early(const struct cecp *c, enum be_end end)
{
    return end == BE_BARE && be_xboard_bares(&c->s.game) && c->ours != be_session_mover(&c->s) &&
           c->ours != NOBODY && may_reply(c);
}

/*
 * Claims the result; white: 1 if White has won, -1 if Black, 0 a draw.  Against another program
 * XBoard tests claims, and takes a claim of an end that it does not know for false, which loses. It
 * believes a program that claims its own loss, and two that offer a draw.
 */
static void say_end(const struct cecp *c, int white, enum be_end end)
{
    const char *result = white > 0 ? "1-0" : white < 0 ? "0-1" : "1/2-1/2";
    int won = c->ours == BK_WHITE ? white : -white;

    if (!c->versus || c->ours == NOBODY || won < 0)
        be_say("%s {%s}", result, be_end_text(end));
    else if (!won)
        be_say("offer draw");
}

/* Claims the result, once, if the game is over. */
static void claim(struct cecp *c)
{
    const struct be_board *b = be_session_board(&c->s);
    int wdl;
    enum be_end end;

    if (c->over || c->told || c->s.nowhere ||
        (end = be_end_now(&c->s.game, b, &wdl)) == BE_GOES_ON || too_early(c, end))
        return;
    c->over = true;
    if (be_session_mover(&c->s) == BK_BLACK)
        wdl = -wdl;
    say_end(c, wdl, end);
}

/* Returns the moves until the clock is set anew; 0: never. */
static int moves_to_go(const struct cecp *c)
{
    int made = (int)(c->s.n - 1) / 2;

    return c->per ? c->per - made % c->per : 0;
}

static void set_limits(struct cecp *c)
{
    struct be_limits *l = &c->s.search.limits;

    *l = (struct be_limits){ .depth = c->depth, .endless = c->analyze };
    if (c->analyze)
        return;
    if (c->exact)
        be_limits_exact(l, c->exact);
    else if (c->left || !c->depth)
        be_limits_clock(l, c->left ? c->left : 1000, c->increment, moves_to_go(c));
}

/* If it is our turn, or we analyse, begins to search. */
static void look(struct cecp *c)
{
    bool ours = c->ours == be_session_mover(&c->s);
    int wdl;

    if (c->s.thinking || c->s.nowhere || (!c->analyze && (!ours || c->over || c->told)))
        return;
    if (be_end_now(&c->s.game, be_session_board(&c->s), &wdl) != BE_GOES_ON) {
        if (!c->analyze)
            claim(c);
        return;
    }
    set_limits(c);
    c->playing = !c->analyze;
    if (!be_session_think(&c->s))
        complain("no thread", "go");
}

/* Ends a search without a move. */
static void halt(struct cecp *c)
{
    be_session_stop(&c->s);
    c->playing = false;
    pong(c);
}

/* The search is over: plays its move if it was for one. */
static void found(struct cecp *c)
{
    const struct be_search *f = &c->s.search;
    const char *broken = be_session_broken(&c->s), *lost = be_session_lost(&c->s);
    const char *fault = be_session_fault(&c->s);
    char name[BE_NAME_MAX];
    struct be_move m;

    if (broken)
        be_say("tellusererror %s", broken);
    if (lost)
        be_say("# %s", lost);
    if (fault)
        be_say("# %s", fault);
    if (f->starved)
        be_say("tellusererror out of memory");
    if (c->playing && f->nfound) {
        m = f->line[0].move[0];
        be_move_write(&c->s.game, BE_CECP, be_session_board(&c->s), &m, name);
        if (be_session_play(&c->s, &m)) {
            be_say("move %s", name);
            claim(c);
        }
    }
    c->playing = false;
    pong(c);
}

/* == Commands ============================================================ */

static void new_game(struct cecp *c, char *rest)
{
    struct bk_report why;

    (void)rest;
    halt(c);
    if ((!c->s.game.shipped || strcmp(c->s.game.base->name, "chess")) &&
        be_session_game(&c->s, "chess", &why))
        complain(why.text, "new");
    else if (be_session_start(&c->s, &why))
        complain(why.text, "new");
    c->ours = c->analyze ? NOBODY : BK_BLACK;
    c->over = c->told = c->versus = false;
    c->depth = 0;
    c->left = c->base;
    be_session_forget(&c->s);
    look(c); /* an analysis goes on with the new game */
}

static void variant(struct cecp *c, char *rest)
{
    char name[BK_CLIENT_NAME_MAX];
    struct bk_report why;

    halt(c);
    if (be_session_game(&c->s, bk_own_name(be_rest(&rest), name), &why)) {
        complain(why.text, "variant");
        look(c); /* the game that there is goes on */
        return;
    }
    be_setup_say(&c->s.game);
    c->over = c->told = false;
    look(c);
}

static void setboard(struct cecp *c, char *rest)
{
    struct bk_report why;

    halt(c);
    c->s.nowhere = be_session_fen(&c->s, be_rest(&rest), &why);
    if (c->s.nowhere)
        be_say("tellusererror Illegal position: %s", why.text);
    else
        c->over = c->told = false;
    look(c);
}

static void usermove(struct cecp *c, char *rest)
{
    char *name = be_rest(&rest);

    halt(c);
    if (c->over)
        be_say("Illegal move (game over): %.40s", name);
    else if (c->s.nowhere || !be_session_move(&c->s, name))
        be_say("Illegal move: %.40s", name);
    else if (!c->analyze)
        claim(c);
    look(c);
}

static void force(struct cecp *c, char *rest)
{
    (void)rest;
    halt(c);
    c->ours = NOBODY;
    c->told = false;
}

static void go(struct cecp *c, char *rest)
{
    (void)rest;
    halt(c);
    c->analyze = false;
    c->ours = be_session_mover(&c->s);
    c->told = false;
    look(c);
}

static void playother(struct cecp *c, char *rest)
{
    (void)rest;
    halt(c);
    c->ours = !be_session_mover(&c->s);
}

static void take_back(struct cecp *c, size_t plies, const char *command)
{
    halt(c);
    if (!c->s.nowhere && be_session_undo(&c->s, plies))
        c->over = c->told = false;
    else
        complain("no move to take back", command);
    look(c);
}

static void undo(struct cecp *c, char *rest)
{
    (void)rest;
    take_back(c, 1, "undo");
}

static void remove_two(struct cecp *c, char *rest)
{
    (void)rest;
    take_back(c, 2, "remove");
}

static void result(struct cecp *c, char *rest)
{
    (void)rest;
    halt(c);
    c->told = true;
}

static void computer(struct cecp *c, char *rest)
{
    (void)rest;
    c->versus = true;
}

static void analyze(struct cecp *c, char *rest)
{
    (void)rest;
    halt(c);
    c->analyze = true;
    c->over = c->told = false; /* a game that is over is analysed all the same */
    c->ours = NOBODY;
    look(c);
}

static void leave_analyze(struct cecp *c, char *rest)
{
    (void)rest;
    if (!c->analyze) /* it may be thinking about a move, which is waited for */
        return;
    halt(c);
    c->analyze = false;
}

/* level MOVES BASE INCREMENT: minutes, or minutes:seconds; seconds */
static void level(struct cecp *c, char *rest)
{
    char *per = be_word(&rest), *base = be_word(&rest), *increment = be_word(&rest), *colon;

    if (!per || !base || !increment) {
        complain("level MOVES BASE INCREMENT", "level");
        return;
    }
    c->per = (int)(be_number(per, 1) % 10000);
    colon = strchr(base, ':');
    c->base = be_number(base, 60000) + (colon ? be_number(colon + 1, 1000) : 0);
    c->increment = be_number(increment, 1000);
    c->left = c->base;
    c->exact = 0;
}

static void st(struct cecp *c, char *rest) { c->exact = be_number(rest, 1000); }

static void sd(struct cecp *c, char *rest)
{
    int n = atoi(rest);

    c->depth = n > 0 && n < BE_PLY_MAX ? n : 0;
}

/* time N: hundredths of a second; one more than told, as c->left is 0 where nothing is known. */
static void time_left(struct cecp *c, char *rest) { c->left = be_number(rest, 10) + 1; }

/* ping N: answered by `pong N` when all that came before is done. */
static void ping(struct cecp *c, char *rest)
{
    char *n = be_rest(&rest), *longer;
    size_t had = c->pongs ? strlen(c->pongs) : 0, room = had + strlen(n) + sizeof "\npong ";

    if ((longer = realloc(c->pongs, room)) != NULL) {
        snprintf(longer + had, room - had, "%spong %s", had ? "\n" : "", n);
        c->pongs = longer;
    }
    if (!c->playing)
        pong(c);
}

static void post(struct cecp *c, char *rest)
{
    (void)rest;
    c->post = true;
}

static void nopost(struct cecp *c, char *rest)
{
    (void)rest;
    c->post = false;
}

static void status(struct cecp *c, char *rest)
{
    (void)rest;
    say_status(c);
}

static void move_now(struct cecp *c, char *rest)
{
    (void)rest;
    if (c->playing)
        be_search_stop(&c->s.search);
}

/* Tells the first move of a short search. */
static void hint(struct cecp *c, char *rest)
{
    struct be_search *f = &c->s.search;
    char name[BE_NAME_MAX];
    int wdl;

    (void)rest;
    if (c->s.thinking || c->s.nowhere ||
        be_end_now(&c->s.game, be_session_board(&c->s), &wdl) != BE_GOES_ON)
        return;
    f->limits = (struct be_limits){ .depth = 4, .soft = 200, .hard = 200 };
    f->tell = NULL;
    if (be_session_think(&c->s)) {
        be_session_finish(&c->s);
        if (f->nfound)
            be_say("Hint: %s", be_move_write(&c->s.game, BE_CECP, be_session_board(&c->s),
                                             &f->line[0].move[0], name));
    }
    f->tell = tell_line;
}

static void set_paths(struct cecp *c, const char *paths)
{
    struct bk_report why;
    char odd[600];

    halt(c);
    if (be_session_tables(&c->s, paths, &why))
        complain(why.text, "egtpath");
    else if (*bk_folders_odd(odd, sizeof odd, c->s.game.base, paths))
        be_say("tellusererror egtpath: %s", odd);
    look(c);
}

/* egtpath bareking PATH */
static void egtpath(struct cecp *c, char *rest)
{
    char *type = be_word(&rest);

    if (type && !strcmp(type, "bareking"))
        set_paths(c, be_rest(&rest));
}

static void set_engine(struct cecp *c, const char *command)
{
    struct bk_report why;

    halt(c);
    if (be_session_engine(&c->s, command, &why))
        be_say("tellusererror %s", why.text);
    look(c);
}

/* option TablePath=PATH, option Engine=COMMAND */
static void option(struct cecp *c, char *rest)
{
    char *text = be_rest(&rest);

    if (!strncmp(text, "TablePath=", 10))
        set_paths(c, text + 10);
    else if (!strncmp(text, "Engine=", 7))
        set_engine(c, text + 7);
    else
        complain("unknown option", text);
}

/* memory MIB, ours being the hash table */
static void memory(struct cecp *c, char *rest)
{
    int mib = atoi(rest);

    halt(c);
    if (mib < 1 || mib > 65536 || !be_hash_resize(&c->s.hash, (unsigned)mib))
        complain("no such memory", "memory");
    look(c);
}

/* == A human's man in the hand =========================================== */

/* Writes the marks of squares as the board of a FEN: Y to go, R to take. */
static void say_highlight(const struct be_game *g, const char *mark)
{
    char out[BK_BOARD_CHARS_MAX + 32];
    size_t n = 0;

    for (unsigned rank = g->v->ranks; rank--;) {
        unsigned gap = 0;

        for (unsigned file = 0; file < g->v->files; file++) {
            char m = mark[bk_sq(g->v, file, rank)];

            if (m && gap)
                n += (size_t)snprintf(out + n, sizeof out - n, "%u", gap);
            gap = m ? 0 : gap + 1;
            if (m)
                out[n++] = m;
        }
        if (gap)
            n += (size_t)snprintf(out + n, sizeof out - n, "%u", gap);
        if (rank)
            out[n++] = '/';
    }
    out[n] = 0;
    be_say("highlight %s", out);
}

/* lift SQUARE: where may he go? */
static void lift(struct cecp *c, char *rest)
{
    const struct be_game *g = &c->s.game;
    unsigned sq = be_sq_read(g, BE_CECP, be_rest(&rest));
    char mark[BK_SQ_MAX] = { 0 };
    struct be_moves list = { .n = 0 };

    if (g->hands || sq == BK_SQ_NONE || c->over || c->s.nowhere)
        return;
    if (be_moves_legal(g, be_session_board(&c->s), &list))
        for (size_t i = 0; i < list.n; i++) {
            const struct bk_move *m = &list.move[i].plain;

            if (m->from == sq)
                mark[m->to] = m->takes != BK_SQ_NONE ? 'R' : 'Y';
        }
    be_moves_release(&list);
    say_highlight(g, mark);
}

/* == The loop ============================================================ */

static void ignore(struct cecp *c, char *rest)
{
    (void)c;
    (void)rest;
}

static void protover(struct cecp *c, char *rest)
{
    (void)c;
    (void)rest;
    say_features();
}

static const struct {
    const char *name;
    void (*obey)(struct cecp *c, char *rest);
} commands[] = {
    { "xboard", ignore },
    { "protover", protover },
    { "accepted", ignore },
    { "rejected", ignore },
    { "new", new_game },
    { "variant", variant },
    { "force", force },
    { "go", go },
    { "playother", playother },
    { "level", level },
    { "st", st },
    { "sd", sd },
    { "time", time_left },
    { "otim", ignore },
    { "usermove", usermove },
    { "?", move_now },
    { "ping", ping },
    { "draw", ignore },
    { "result", result },
    { "setboard", setboard },
    { "hint", hint },
    { "bk", ignore },
    { "undo", undo },
    { "remove", remove_two },
    { "hard", ignore },
    { "easy", ignore },
    { "post", post },
    { "nopost", nopost },
    { "analyze", analyze },
    { "exit", leave_analyze },
    { ".", status },
    { "name", ignore },
    { "rating", ignore },
    { "computer", computer },
    { "memory", memory },
    { "egtpath", egtpath },
    { "option", option },
    { "lift", lift },
    { "put", ignore },
    { "hover", ignore },
    { "random", ignore },
    { "white", ignore },
    { "black", ignore },
    { "cores", ignore },
    { "ics", ignore },
    { "nps", ignore },
    { "pause", ignore },
    { "resume", ignore },
};

/* False: `quit`. */
static bool obey(struct cecp *c, char *line)
{
    char *word = be_word(&line);

    if (!word)
        return true;
    if (!strcmp(word, "quit"))
        return false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(word, commands[i].name)) {
            commands[i].obey(c, line);
            return true;
        }
    complain("unknown command", word);
    return true;
}

int be_cecp_run(char *first, const char *game, const char *paths, const char *engine)
{
    struct cecp c;
    struct bk_report why = { "no memory to begin with" };
    bool goes_on;

    memset(&c, 0, sizeof c);
    c.ours = NOBODY;
    if (!be_session_begin(&c.s, BE_CECP, paths) || be_session_game(&c.s, game, &why)) {
        complain(why.text, first);
        be_session_end(&c.s);
        return 4;
    }
    c.s.search.tell = tell_line;
    c.s.search.context = &c;
    set_engine(&c, engine);
    goes_on = obey(&c, first);
    for (char *line; goes_on;) {
        enum be_event event = be_session_wait(&c.s, &line);

        if (event == BE_FOUND)
            found(&c);
        else
            goes_on = event == BE_LINE && obey(&c, line);
    }
    be_session_end(&c.s);
    free(c.pongs);
    return be_say_status();
}
