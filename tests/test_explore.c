/*
 * test_explore.c - the server's parts without a socket: addresses, moves as people write them,
 * answers, deadlines.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/end.h"
#include "core/load.h"
#include "core/san.h"
#include "explore/api.h"
#include "explore/ask.h"
#include "explore/count.h"
#include "explore/deadline.h"
#include "explore/far.h"
#include "explore/query.h"
#include "tb/whole.h"

#define FAR "tests/golden/normal"

/* == Addresses == */

static void query__takes_a_target_apart(void **state)
{
    struct ex_query q;
    const char *why;

    (void)state;
    assert_int_equal(ex_query_read(&q, "/api/v1/a%20b/probe?fen=8%2F8+w&x", &why), 0);
    assert_int_equal(q.nparts, 4);
    assert_string_equal(q.part[2], "a b");
    assert_string_equal(ex_query_arg(&q, "fen"), "8/8 w");
    assert_string_equal(ex_query_arg(&q, "x"), "");
    assert_null(ex_query_arg(&q, "y"));
    assert_int_equal(ex_query_read(&q, "/", &why), 0);
    assert_int_equal(q.nparts, 0);
}

static void query__refuses_what_is_no_plain_address(void **state)
{
    static const char *const bad[] = {
        "",         "x",
        "/..",      "/../../etc/passwd",
        "/a/../b",  "/%2e%2e/x",
        "/a%2Fb",   "/a\\b",
        "/a%5cb",   "//",
        "/a//b",    "/a%00b",
        "/a%0",     "/a%zz",
        "/a%7f",    "/a\x80",
        "/a?b=%",   "/a?=b",
        "/a?b&b",   "/a?b=1&b=2",
        "/a?b=%0a", "/a/b/c/d/e/f/g",
    };
    struct ex_query q;
    const char *why;
    char longer[EX_TARGET_MAX + 2];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        why = NULL;
        if (ex_query_read(&q, bad[i], &why) != 400 || !why)
            fail_msg("'%s' was read", bad[i]);
    }
    memset(longer, 'a', sizeof longer - 1);
    longer[0] = '/';
    longer[sizeof longer - 1] = 0;
    assert_int_equal(ex_query_read(&q, longer, &why), 414);
    longer[EX_TARGET_MAX] = 0;
    assert_int_equal(ex_query_read(&q, longer, &why), 0);
    for (unsigned most = EX_ARGS_MAX; most <= EX_ARGS_MAX + 1; most++) {
        char *at = longer + sprintf(longer, "/a?");

        for (unsigned i = 0; i < most; i++)
            at += sprintf(at, "k%u&", i);
        assert_int_equal(ex_query_read(&q, longer, &why), most > EX_ARGS_MAX ? 400 : 0);
        assert_int_equal(q.nargs, EX_ARGS_MAX);
    }
}

/* == Moves == */

static void check_san(const char *game, const char *fen, const char *name, const char *wanted)
{
    struct bk_move *list = calloc(BK_MOVES_MAX, sizeof *list);
    char own[16], san[BK_SAN_MAX];
    struct bk_report why;
    struct bk_variant *v;
    struct bk_pos p;
    unsigned n;
    bool found = false;

    assert_int_equal(bk_variant_load(&v, game, NULL), BK_OK);
    if (bk_pos_from_fen(&p, v, fen, &why))
        fail_msg("%s", why.text);
    n = bk_moves_legal(v, &p, list);
    for (unsigned i = 0; i < n && !found; i++) {
        if (strcmp(bk_move_name(v, &list[i], own), name) != 0)
            continue;
        found = true;
        bk_san(v, &p, &list[i], list, n, san);
        assert_string_equal(san, wanted);
    }
    if (!found)
        fail_msg("no move %s", name);
    free(list);
    bk_variant_free(v);
}

static void san__is_written_as_people_do(void **state)
{
    (void)state;
    check_san("chess", "4k3/8/8/8/8/8/4P3/4K3 w", "e2e4", "e4");
    check_san("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w", "e4d5", "exd5");
    check_san("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6");
    check_san("chess", "7k/4P3/8/8/8/8/8/4K3 w", "e7e8=Q", "e8=Q+");
    check_san("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O");
    check_san("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O");
    check_san("chess", "6k1/8/8/8/8/8/8/R3K2R w - - 0 1", "a1d1", "Rd1");
    check_san("chess", "4k3/8/8/8/8/8/6K1/R6R w - - 0 1", "a1d1", "Rad1");
    check_san("chess", "R7/4k3/8/8/8/8/1K6/R7 w - - 0 1", "a1a4", "R1a4");
    check_san("chess", "8/k7/8/8/Q2Q4/8/7K/Q7 w - - 0 1", "a4d1", "Qa4d1+");
    check_san("chess", "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7", "Qg7#");
    check_san("shatranj", "8/8/8/8/8/2q5/1K6/2Q1k3 w", "b2c3", "Kxc3#"); /* bares */
    check_san("destruction-of-atlantis",                                 /* powers over land */
              "14/14/14/14/4k9/14/4n9/14/14/14/14/2M11/14/K13 w + - 0 1", "c3d3,-c3", "Md3,-c3");
    check_san("destruction-of-atlantis",
              "14/14/14/14/4k9/14/4n9/14/14/14/1*12/2H11/14/K13 w + - 0 2", "+b4,c3b4", "+b4,Hb4");
}

/* == Answers == */

static unsigned ask(struct ex_games *g, const char *method, const char *target, const char *body,
                    const char *holds)
{
    struct ex_reply reply;
    unsigned status;

    ex_api(g, method, target, body, body ? strlen(body) : 0, &reply);
    status = reply.status;
    if (!reply.body || (holds && !strstr(reply.body, holds)))
        fail_msg("%s: no %s in %s", target, holds ? holds : "body",
                 reply.body ? reply.body : "nothing");
    ex_reply_release(&reply);
    return status;
}

static void api__unknown_is_an_error_and_rules_are_not(void **state)
{
    struct ex_games g;
    char *fens, many[EX_BATCH_MAX * 8 + 64];

    (void)state;
    assert_int_equal(ex_games_open(&g, "/nonexistent", 0, NULL, 0, NULL), BK_OK);
#define A "/api/v1/shatranj/"
    assert_int_equal(ask(&g, "GET", A "probe?fen=8/8/8/3k4/8/1KQ5/8/q7_w", NULL, "\"no-table\""),
                     404);
    assert_int_equal(
        ask(&g, "GET", A "probe?fen=8/8/8/3k4/8/1KQ5/8/q7_w", NULL, "\"missing\":[\"KQvKQ\"]"),
        404);
    assert_int_equal(
        ask(&g, "GET", A "probe?fen=8/8/8/3k4/8/1KQ5/8/8_b", NULL, "\"variant_loss\":true"), 200);
    assert_int_equal(
        ask(&g, "GET", A "probe?fen=8/8/8/3k4/8/1K6/8/8_b", NULL, "\"insufficient_material\":true"),
        200);
    assert_int_equal(
        ask(&g, "GET", A "probe?fen=8/8/8/3k4/8/1K6/8/8_b", NULL, "\"end_reason\":\"bare-draw\""),
        200);
    assert_int_equal(ask(&g, "GET", A "moves?fen=8/8/8/3k4/8/1KQ5/8/q7_w", NULL, "\"Kb4\""), 200);
    assert_int_equal(/* the game is over */
                     ask(&g, "GET", A "moves?fen=8/8/8/3k4/8/1KQ5/8/8_b", NULL, "\"moves\":[]"),
                     200);
    assert_int_equal(
        ask(&g, "GET", "/api/v1/puzzle-mini/moves?fen=ka**/2**/4/1A1K%5Ba%5D_w", NULL, ",a@"), 200);
    assert_int_equal(ask(&g, "GET",
                         "/api/v1/destruction-of-atlantis/moves?fen=k2h/4/4/K2M_w_%2B_-_0_1", NULL,
                         "\"san\":\"Kb1,-c1\""),
                     200);
    assert_int_equal(ask(&g, "GET", A "line?fen=8/8/8/3k4/8/1KQ5/8/q7_w", NULL, NULL), 404);
    assert_int_equal(ask(&g, "GET", A "map?fen=8/8/8/3k4/8/1KQ5/8/q7_w&square=c3", NULL, NULL),
                     404);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const squares[] = { "h9", "c3x", "d4" };
        char target[128];

        sprintf(target, A "map?fen=8/8/8/3k4/8/1KQ5/8/q7_w&square=%s", squares[i]);
        assert_int_equal(ask(&g, "GET", target, NULL, "square of a man"), 400);
    }
    /* on a board of the FEN's own, the names of the game's tables would be the wrong ones */
    assert_int_equal(ask(&g, "GET", A "probe?fen=8/8/8/3k4/8/1KQ5/8/q6*_w", NULL, "\"missing\":[]"),
                     404);
    /* castling takes nobody */
    assert_int_equal(ask(&g, "GET", "/api/v1/chess/moves?fen=4k3/8/8/8/8/8/8/4K2R_w_K", NULL,
                         "\"also_takes\":null,\"rook\":\"h1\""),
                     200);
    assert_int_equal(ask(&g, "GET", A "svg?fen=8/8/8/3k4/8/1KQ5/8/q7_w", NULL, "<svg"), 200);
    assert_int_equal(ask(&g, "GET", A "svg?fen=8/8/8/3k4/8/1KQ5/8/q7_w&size=9999", NULL, NULL),
                     400);
    assert_int_equal(ask(&g, "GET", A "stats?material=KQvKQ", NULL, NULL), 404);
    assert_int_equal(ask(&g, "GET", A "stats?material=KXvKQ", NULL, "usage"), 400);
    assert_int_equal(ask(&g, "GET", A "longest", NULL, NULL), 404);
    assert_int_equal(ask(&g, "GET", A "probe", NULL, NULL), 400);
    assert_int_equal(ask(&g, "GET", A "probe?fen=x", NULL, "\"fen\""), 400);
    assert_int_equal(ask(&g, "GET", A "probe?fen=8/8/8/3kR3/8/1K6/8/8_w", NULL, "illegal"), 400);
    assert_int_equal(ask(&g, "GET", A "batch", NULL, NULL), 405);
    assert_int_equal(ask(&g, "POST", A "probe", "{}", NULL), 405);
    assert_int_equal(ask(&g, "DELETE", A "probe", NULL, NULL), 405);
    assert_int_equal(ask(&g, "HEAD", A "probe?fen=8/8/8/3k4/8/1K6/8/8_w", NULL, NULL), 200);
    assert_int_equal(ask(&g, "HEAD", "/", NULL, NULL), 200);
    assert_int_equal(ask(&g, "GET", "/api/v1/shatrani/probe?fen=x", NULL, "shatranj"), 404);
    assert_int_equal(ask(&g, "GET", "/etc/passwd", NULL, NULL), 404);
    assert_int_equal(ask(&g, "GET", "/passwd", NULL, NULL), 404);
    assert_int_equal(ask(&g, "GET", "/", NULL, "<!doctype html>"), 200);
    assert_int_equal(ask(&g, "GET", "/pieces.svg", NULL, "<symbol"), 200);
    assert_int_equal(ask(&g, "POST", A "batch", "[1", NULL), 400);
    assert_int_equal(ask(&g, "POST", A "batch", "{\"fens\":[]}", NULL), 400);
    assert_int_equal(ask(&g, "POST", A "batch", "{\"fens\":[\"8/8/8/3k4/8/1K6/8/8 w\",\"y\",5]}",
                         "\"category\":\"draw\""),
                     200);
#undef A
    strcpy(many, "{\"fens\":[\"x\"");
    fens = many + strlen(many);
    for (unsigned i = 0; i < EX_BATCH_MAX; i++)
        fens += sprintf(fens, ",\"x\"");
    strcpy(fens, "]}");
    assert_int_equal(ask(&g, "POST", "/api/v1/shatranj/batch", many, NULL), 400);
    ex_games_close(&g);
}

/* The map of a pawn has the squares where a pawn may stand and no others: it begins with a2. */
static void api__a_map_has_the_squares_of_its_man(void **state)
{
    struct ex_games g;

    (void)state;
    assert_int_equal(ex_games_open(&g, FAR, 0, NULL, 0, NULL), BK_OK);
    assert_int_equal(ask(&g, "GET", "/api/v1/chess/map?fen=8/8/8/3k4/8/4P3/8/4K3_w&square=e3", NULL,
                         "\"squares\":[{\"square\":\"a2\""),
                     200);
    ex_games_close(&g);
}

/* The distances file of KQvK is missing: a line that comes to KQvK stops there. */
static void api__a_line_into_lost_distances_is_no_damage(void **state)
{
    static const char *const names[] = { "KPvK.bkw", "KPvK.bkd", "KQvK.bkw", "KRvK.bkw", "KRvK.bkd",
                                         "KBvK.bkw", "KBvK.bkd", "KNvK.bkw", "KNvK.bkd" };
    char dir[] = "/tmp/bareking-lost-XXXXXX", cwd[PATH_MAX - 64], real[PATH_MAX], path[PATH_MAX];
    struct ex_games g;

    (void)state;
    assert_true(mkdtemp(dir) && getcwd(cwd, sizeof cwd));
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(real, sizeof real, "%s/" FAR "/chess/%s", cwd, names[i]);
        snprintf(path, sizeof path, "%s/chess/%s", dir, names[i]);
        assert_int_equal(symlink(real, path), 0);
    }
    assert_int_equal(ex_games_open(&g, dir, 0, NULL, 0, NULL), BK_OK);
    assert_int_equal(ask(&g, "GET", "/api/v1/chess/line?fen=8/8/1K1k4/8/1P6/8/8/8_w", NULL,
                         "no distances after"),
                     404);
    ex_games_close(&g);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/chess/%s", dir, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/chess", dir);
    assert_int_equal(rmdir(path) | rmdir(dir), 0);
}

static void api__boards_without_end_do_not_fill_a_handle(void **state)
{
    struct ex_games g;
    struct ex_game *game;
    char target[256];

    (void)state;
    assert_int_equal(ex_games_open(&g, "/nonexistent", 0, NULL, 0, NULL), BK_OK);
    for (unsigned i = 0; i < 3 * EX_BOARDS_MAX; i++) {
        char rank[16] = "", *to = rank;

        for (unsigned file = 0, gap = 0; file < 8; file++) { /* holes by the bits of i */
            gap++;
            if (i >> file & 1) {
                to += gap > 1 ? sprintf(to, "%u*", gap - 1) : sprintf(to, "*");
                gap = 0;
            } else if (file == 7)
                sprintf(to, "%u", gap);
        }
        snprintf(target, sizeof target, "/api/v1/shatranj/probe?fen=8/8/8/3k4/8/1K6/%s/8_w", rank);
        ask(&g, "GET", target, NULL, "\"category\":\"draw\"");
    }
    game = ex_game_named(&g, "shatranj", NULL);
    assert_true(game->nboards <= EX_BOARDS_MAX);
    ex_games_close(&g);
}

/* == Deadlines == */

static bool ended(int fd, double seconds, char *said, size_t room)
{
    struct timespec pause = { 0, 20000000 };

    memset(said, 0, room);
    for (int i = 0; i < (int)(seconds * 50); i++) {
        ssize_t n = recv(fd, said, room - 1, MSG_DONTWAIT | MSG_PEEK);
        char byte;

        if (n > 0 && recv(fd, said, room - 1, MSG_DONTWAIT) == n &&
            recv(fd, &byte, 1, MSG_DONTWAIT) == 0)
            return true;
        if (n == 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static void deadline__ends_who_owes_a_request_but_nobody_who_waits_for_us(void **state)
{
    struct ex_deadlines *d = ex_deadlines_new(1);
    struct ex_connection *slow, *ours, *resting;
    int a[2], b[2], c[2];
    char said[256];
    bool cut = false;

    (void)state;
    assert_non_null(d);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, a), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, b), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, c), 0);
    slow = ex_connection_open(d, a[0]);
    ours = ex_connection_open(d, b[0]);
    resting = ex_connection_open(d, c[0]);
    ex_connection_ours(d, ours);
    ex_connection_resting(d, resting);
    for (unsigned i = 0; i < 60 && !(cut = ended(a[1], 0.1, said, sizeof said)); i++)
        ex_connection_asking(d, slow); /* byte by byte: the deadline counts from the first */
    assert_true(cut);
    assert_non_null(strstr(said, "HTTP/1.1 408 "));
    assert_non_null(strstr(said, "\"late\""));
    assert_false(ended(b[1], 0.1, said, sizeof said));
    assert_true(ended(c[1], 3, said, sizeof said));
    assert_string_equal(said, ""); /* a 408 would be taken for an answer */
    ex_connection_close(d, slow);
    ex_connection_close(d, resting);
    ex_connection_close(d, ours);
    ex_deadlines_free(d);
    for (int i = 0; i < 2; i++) {
        close(a[i]);
        close(b[i]);
        close(c[i]);
    }
}

/* Fails unless the connection ends within 5 s, but 1 s or more after `since`, and says `word`; "":
   says nothing. */
static void ends_in_time(int fd, double since, const char *word)
{
    char said[256];

    assert_true(ended(fd, 5, said, sizeof said));
    assert_true(bk_now_seconds() - since >= 1);
    if (*word ? !strstr(said, word) : *said != 0)
        fail_msg("'%s', not '%s'", said, word);
}

static bool is_quiet(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
}

enum { NEW, GONE, FULL, RESTED, TAKING, ALL };

/* A connection that takes an answer ends without a 408, which would follow half an answer; and the
   watcher never blocks on a socket. */
static void deadline__of_each_is_counted_from_what_it_owes(void **state)
{
    struct ex_deadlines *d = ex_deadlines_new(1);
    struct ex_connection *c[ALL];
    clock_t work = clock();
    double begin, asked;
    int pair[ALL][2];
    bool early;

    (void)state;
    alarm(60);
    assert_non_null(d);
    begin = bk_now_seconds();
    for (unsigned i = 0; i < ALL; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]), 0);
        assert_non_null(c[i] = ex_connection_open(d, pair[i][0]));
    }
    close(pair[GONE][1]);
    while (send(pair[FULL][0], "", 1, MSG_DONTWAIT) == 1)
        ;
    ex_connection_resting(d, c[RESTED]);
    usleep(700000); /* between two looks of the watcher */
    ex_connection_taking(d, c[TAKING]);
    asked = bk_now_seconds();
    ex_connection_asking(d, c[RESTED]);
    ends_in_time(pair[NEW][1], begin, " 408 ");
    early = !is_quiet(pair[TAKING][1]) || !is_quiet(pair[RESTED][1]);
    assert_true(!early || bk_now_seconds() - asked >= 1);
    ends_in_time(pair[TAKING][1], asked, "");
    ends_in_time(pair[RESTED][1], asked, " 408 ");
    assert_true(clock() - work < CLOCKS_PER_SEC / 4); /* the watcher sleeps */
    for (unsigned i = 0; i < ALL; i++) {
        ex_connection_close(d, c[i]);
        close(pair[i][0]);
        if (i != GONE)
            close(pair[i][1]);
    }
    ex_deadlines_free(d);
    alarm(0);
}

static void deadline__is_kept_while_others_come_and_go(void **state)
{
    enum { MANY = 5 };
    static const unsigned leave[] = { 2, 1,
                                      4 }; /* two from between others, and last the newest one */
    struct ex_deadlines *d = ex_deadlines_new(1);
    struct ex_connection *c[MANY];
    double begin = bk_now_seconds();
    int pair[MANY][2];
    char byte;

    (void)state;
    alarm(60);
    assert_non_null(d);
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]), 0);
        assert_non_null(c[i] = ex_connection_open(d, pair[i][0]));
    }
    for (unsigned i = 0; i < sizeof leave / sizeof *leave; i++)
        ex_connection_close(d, c[leave[i]]);
    for (unsigned i = 0; i < sizeof leave / sizeof *leave; i++) /* perhaps in the same memory */
        assert_non_null(c[leave[i]] = ex_connection_open(d, pair[leave[i]][0]));
    for (unsigned i = 0; i < MANY; i++) {
        ends_in_time(pair[i][1], begin, " 408 ");
        assert_int_equal(recv(pair[i][0], &byte, 1, MSG_DONTWAIT), 0); /* the server sees the end */
    }
    for (unsigned i = 0; i < MANY; i++) {
        ex_connection_close(d, c[i]);
        close(pair[i][0]);
        close(pair[i][1]);
    }
    ex_deadlines_free(d);
    alarm(0);
}

/* == Men who come back == */

/* Opens what counts for games without tables, by `limits`. */
static void counter_open(struct ex_games *g, struct bk_pool **pool, const struct ex_limits *limits)
{
    struct bk_report why;

    assert_int_equal(ex_games_open(g, "nowhere", 0, NULL, 0, &why), BK_OK);
    assert_int_equal(bk_pool_open(pool, 1, &why), BK_OK);
    assert_non_null(g->counter = ex_counter_new(*pool, "nowhere", limits));
    g->armies = ex_counter_armies(g->counter);
}

static void counter_close(struct ex_games *g, struct bk_pool *pool)
{
    ex_counter_free(g->counter);
    bk_pool_close(pool);
    ex_games_close(g);
}

/* Asks until the army is solved; returns the answer and sets `*asked` to the number of requests. */
static json_t *ask_army(struct ex_games *g, const char *target, unsigned *asked)
{
    const struct timespec soon = { .tv_nsec = 20000000 };

    for (*asked = 1;; ++*asked) {
        struct ex_reply reply;
        json_t *o;

        ex_api(g, "GET", target, NULL, 0, &reply);
        o = json_loadb(reply.body, reply.n, 0, NULL);
        ex_reply_release(&reply);
        if (!json_object_get(o, "counting") || *asked > 1000)
            return o;
        json_decref(o);
        nanosleep(&soon, NULL);
    }
}

static void check_value(struct bk_whole *w, const struct bk_variant *v, json_t *o)
{
    static const char *const categories[] = { "loss", "draw", "win" };
    const char *category = json_string_value(json_object_get(o, "category"));
    struct bk_whole_value value = { 0, 0 }, most;
    struct bk_hands_pos p;
    int plies;

    assert_int_equal(bk_hands_from_fen(&p, v, json_string_value(json_object_get(o, "fen")), NULL),
                     BK_OK);
    if (bk_hands_over(&p, v, &value.wdl) == BK_HANDS_GOES_ON)
        assert_true(bk_whole_value(w, &p, &value, &most));
    assert_string_equal(category, categories[value.wdl + 1]);
    plies = (int)json_integer_value(json_object_get(o, "dtm"));
    assert_int_equal(plies, value.wdl * (int)value.plies);
}

/* Fails unless the mover's plies are 1 more than those after the move, or null in a draw. */
static void check_mover(json_t *move)
{
    int after = abs((int)json_integer_value(json_object_get(move, "dtm")));
    json_t *plies = json_object_get(json_object_get(move, "mover"), "plies");

    if (!strcmp(json_string_value(json_object_get(move, "category")), "draw"))
        assert_true(json_is_null(plies));
    else
        assert_int_equal(json_integer_value(plies), after + 1);
}

static void hands__an_army_is_solved_beside_and_then_told(void **state)
{
    static const char *const fens[] = { "1k**/f1**/K2N/4_w", "1k**/f1**/K2R/4_b" };
    struct ex_games g;
    struct bk_pool *pool;
    struct bk_report why;

    (void)state;
    counter_open(&g, &pool, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct ex_game *game = ex_game_named(&g, "puzzle-mini", NULL);
        struct bk_whole_options o = { .pool = pool };
        struct bk_hands_pos p;
        struct bk_whole *w;
        char target[200], fen[64];
        unsigned asked;
        int best = 3;
        size_t k;
        json_t *answer, *move;

        snprintf(target, sizeof target, "/api/v1/puzzle-mini/moves?fen=%s", fens[i]);
        snprintf(fen, sizeof fen, "%s", fens[i]);
        *strchr(fen, '_') = ' ';
        assert_int_equal(bk_hands_from_fen(&p, game->v, fen, &why), BK_OK);
        answer = ask_army(&g, target, &asked);
        assert_true(asked > 1); /* it was not known at first */
        assert_int_equal(bk_whole_new(&w, game->v, &p, &o, &why), BK_OK);
        check_value(w, game->v, answer);
        assert_true(json_array_size(json_object_get(answer, "moves")) > 1);
        json_array_foreach(json_object_get(answer, "moves"), k, move)
        {
            const char *category = json_string_value(json_object_get(move, "category"));
            int rank = !strcmp(category, "loss") ? 2 : !strcmp(category, "draw") ? 1 : 0;

            check_value(w, game->v, move);
            check_mover(move);
            assert_true(rank <= best); /* best first */
            best = rank;
        }
        bk_whole_free(w);
        json_decref(answer);
        answer = ask_army(&g, target, &asked);
        assert_int_equal(asked, 1);
        json_decref(answer);
    }
    counter_close(&g, pool);
}

/* Is the army of a target known? */
static bool asks_once(struct ex_games *g, const char *target)
{
    struct ex_reply reply;
    json_t *o;
    bool known;

    ex_api(g, "GET", target, NULL, 0, &reply);
    o = json_loadb(reply.body, reply.n, 0, NULL);
    ex_reply_release(&reply);
    known = !json_object_get(o, "counting");
    if (known)
        assert_string_not_equal(json_string_value(json_object_get(o, "category")), "unknown");
    json_decref(o);
    return known;
}

/* Clients with an army each, who ask in turn: all get theirs, also where there is memory for one
   besides that which is being solved, and again when theirs has had to go. */
static void hands__clients_with_an_army_each_all_get_it(void **state)
{
    static const char *const men[] = { "f", "r", "n", "R" };
    static const struct ex_limits of_few = { 15, 200000, 400000 }; /* an army: 13^4 x 4 bytes */
    const struct timespec soon = { .tv_nsec = 5000000 };

    (void)state;
    for (unsigned few = 0; few < 2; few++) {
        unsigned got[4] = { 0 }, last = 0;
        struct bk_pool *pool;
        struct ex_games g;

        counter_open(&g, &pool, few ? &of_few : NULL);
        for (unsigned round = 0; round < 2000 && last < 3; round++) {
            last = UINT_MAX;
            for (unsigned i = 0; i < 4; i++) {
                char target[100];

                snprintf(target, sizeof target, "/api/v1/puzzle-mini/moves?fen=1k**/%s1**/K2N/4_w",
                         men[i]);
                got[i] += asks_once(&g, target);
                last = got[i] < last ? got[i] : last;
            }
            nanosleep(&soon, NULL);
        }
        assert_true(last >= 3);
        counter_close(&g, pool);
    }
}

static void counter__gives_up_what_nobody_asks_for_any_more(void **state)
{
    static const struct ex_limits hasty = { 0.3, EX_ARMY_MEMORY, EX_ARMIES_MEMORY };
    const struct timespec soon = { .tv_nsec = 50000000 };
    /* 20 seconds of a core each */
    const char *large = "/api/v1/puzzle-mini/moves?fen=1k**/fr**/K2N/R3_w";
    const char *other = "/api/v1/puzzle-mini/moves?fen=1k**/fn**/K2N/R3_w";
    double began = bk_now_seconds();
    struct bk_pool *pool;
    struct ex_games g;

    (void)state;
    counter_open(&g, &pool, &hasty);
    while (bk_now_seconds() - began < 1) { /* it goes on while somebody asks */
        assert_false(asks_once(&g, large));
        assert_true(ex_counter_busy(g.counter));
        nanosleep(&soon, NULL);
    }
    assert_false(asks_once(&g, other)); /* waits, and is not begun when its turn comes */
    began = bk_now_seconds();
    while (ex_counter_busy(g.counter) && bk_now_seconds() - began < 10)
        nanosleep(&soon, NULL);
    assert_false(ex_counter_busy(g.counter));
    assert_false(asks_once(&g, large)); /* what was given up is no result: it begins again */
    assert_true(ex_counter_busy(g.counter));
    counter_close(&g, pool);
}

/* == Without a server == */

static char *copied(const char *text)
{
    char *copy = ex_far_room(strlen(text) + 1);

    return strcpy(copy, text);
}

/* Returns n bytes, from `at` on, of a file below FAR, in room of ex_far_room(). */
static void *bytes_of(const char *path, uint64_t at, size_t n)
{
    char full[600];
    void *room = ex_far_room(n);
    FILE *f;

    snprintf(full, sizeof full, FAR "/%s", path);
    assert_non_null(f = fopen(full, "rb"));
    assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
    assert_int_equal(fread(room, 1, n, f), n);
    fclose(f);
    return room;
}

/* Announces all files, each with its first 40 bytes, less than any head; returns their number. */
static unsigned tell_files(void)
{
    unsigned n = 0;
    struct dirent *game, *file;
    DIR *games = opendir(FAR), *tables;

    assert_non_null(games);
    while ((game = readdir(games)) != NULL) {
        char path[600];

        snprintf(path, sizeof path, FAR "/%s", game->d_name);
        if (*game->d_name == '.' || !(tables = opendir(path)))
            continue;
        while ((file = readdir(tables)) != NULL) {
            struct stat s;

            snprintf(path, sizeof path, FAR "/%s/%s", game->d_name, file->d_name);
            if (*file->d_name == '.' || stat(path, &s))
                continue;
            assert_true(ex_far_file(copied(path + sizeof FAR), (double)s.st_size,
                                    bytes_of(path + sizeof FAR, 0, 40), 40));
            n++;
        }
        closedir(tables);
    }
    closedir(games);
    return n;
}

static json_t *ask_far(const char *target, unsigned *rounds)
{
    for (*rounds = 0;; ++*rounds) {
        json_t *o = json_loads(ex_far_ask(copied(target)), 0, NULL), *need;
        json_t *needs = json_object_get(o, "needs");
        size_t i;

        if (!needs)
            return o;
        assert_true(*rounds < 200 && json_array_size(needs) > 0);
        json_array_foreach(needs, i, need)
        {
            const char *path = json_string_value(json_object_get(need, "path"));
            uint64_t at = (uint64_t)json_integer_value(json_object_get(need, "at"));
            size_t n = (size_t)json_integer_value(json_object_get(need, "bytes"));

            assert_true(ex_far_bring(copied(path), (double)at, bytes_of(path, at, n), n));
        }
        json_decref(o);
    }
}

static void far__answers_as_the_api_does(void **state)
{
    static const char *const asked[] = {
        "chess/probe?fen=8/4P3/8/3k4/8/8/8/4K3_w",
        "chess/line?fen=8/8/8/3k4/8/8/8/R3K3_w",
        "chess/probe?fen=8/8/8/8/1k6/8/8/R3K2r_b_Q",
        "chess/map?fen=8/8/8/3k4/8/8/4P3/4K3_w&square=e2",
        "chess/moves?fen=8/8/8/3k4/8/8/8/RN2K3_w",
        "chess/probe?fen=8/8/8/3k4/8/8/8/RN2K3_w", /* no table */
        "chess/probe?fen=nonsense",
        "chess/board?fen=nonsense",
        "chess/board?fen=startpos",
        "puzzle-mini/board?fen=startpos",
        "chess/map?fen=8/8/8/3k4/8/8/8/R3K3_w&square=h8",
        "shatranj/probe?fen=3*/*b2/k2K/1BN*_w", /* another board */
        "shatranj/line?fen=3*/*p2/k2K/*P2/*3_w",
        "puzzle-mini/probe?fen=3*/kn2/4/1F1K_w",
        "darwinian/probe?fen=3*/*f2/k2K/1W2/*3[e]_w",
        "grand-shatranj/probe?fen=10/10/10/3k6/10/10/3KO5/10/10/9o_w",
    };
    struct ex_games g;
    struct bk_report why;
    unsigned rounds, most = 0;

    (void)state;
    assert_int_equal(ex_games_open(&g, FAR, 0, NULL, 0, &why), BK_OK);
    assert_true(tell_files() > 50);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct ex_reply reply;
        char target[200];
        json_t *near, *far;

        snprintf(target, sizeof target, "/api/v1/%s", asked[i]);
        ex_api(&g, "GET", target, NULL, 0, &reply);
        near = json_loadb(reply.body, reply.n, 0, NULL);
        json_object_set_new(near, "status", json_integer(reply.status));
        far = ask_far(target, &rounds);
        if (json_object_get(near, "error")) { /* the text names the folder: not compared */
            json_object_del(near, "error");
            assert_int_equal(json_object_del(far, "error"), 0);
        }
        if (!json_equal(near, far))
            fail_msg("%s:\n%s\n%s", target, json_dumps(near, 0), json_dumps(far, 0));
        if (strstr(target, "/probe") && rounds > most)
            most = rounds;
        json_decref(near);
        json_decref(far);
        ex_reply_release(&reply);
    }
    assert_in_range(most, 1, 4);
    ex_games_close(&g);
    ex_far_forget();
}

static void far__refuses_what_it_does_not_know(void **state)
{
    static const struct {
        const char *target;
        int status;
    } asked[] = {
        { "/api/v1/nogame/probe?fen=8", 404 },
        { "/api/v1/chess/stats?material=KRvK", 404 },
        { "/api/v1/chess/name?material=X", 400 },
        { "/api/v1/chess", 404 },
        { "/api/v1/chess/../x", 400 },
        { "", 400 },
    };
    unsigned rounds;
    json_t *o;

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        o = ask_far(asked[i].target, &rounds);
        assert_int_equal(json_integer_value(json_object_get(o, "status")), asked[i].status);
        json_decref(o);
    }
    o = ask_far("/api/v1/chess/name?material=KvKR", &rounds);
    assert_string_equal(json_string_value(json_object_get(o, "material")), "KRvK");
    json_decref(o);
    assert_false(ex_far_bring(copied("chess/KRvK.bkw"), 0, ex_far_room(1), 1)); /* no such file */
    ex_far_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query__takes_a_target_apart),
        cmocka_unit_test(query__refuses_what_is_no_plain_address),
        cmocka_unit_test(san__is_written_as_people_do),
        cmocka_unit_test(api__unknown_is_an_error_and_rules_are_not),
        cmocka_unit_test(hands__an_army_is_solved_beside_and_then_told),
        cmocka_unit_test(hands__clients_with_an_army_each_all_get_it),
        cmocka_unit_test(counter__gives_up_what_nobody_asks_for_any_more),
        cmocka_unit_test(far__answers_as_the_api_does),
        cmocka_unit_test(far__refuses_what_it_does_not_know),
        cmocka_unit_test(api__a_map_has_the_squares_of_its_man),
        cmocka_unit_test(api__a_line_into_lost_distances_is_no_damage),
        cmocka_unit_test(api__boards_without_end_do_not_fill_a_handle),
        cmocka_unit_test(deadline__ends_who_owes_a_request_but_nobody_who_waits_for_us),
        cmocka_unit_test(deadline__of_each_is_counted_from_what_it_owes),
        cmocka_unit_test(deadline__is_kept_while_others_come_and_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
