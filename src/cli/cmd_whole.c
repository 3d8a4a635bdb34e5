/*
 * cmd_whole.c - games with hands: what a position, or the empty board, is
 * worth, and the best line.  Everything is solved anew for each question.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "tb/whole.h"

#define LINE_MAX 400 /* turns */

struct asking {
    const struct cli *c;
    struct bk_variant *v;
    struct bk_hands_pos pos;
    struct bk_whole *w;
    bool bar;
    char (*name)[BK_TURN_NAME_MAX]; /* of the best line; owned */
    unsigned n;
};

static void draw_bar(void *context, unsigned ply)
{
    (void)context;
    fprintf(stderr, "\rply %u\033[K", ply);
    fflush(stderr);
}

/* == The best line == */

struct choosing {
    struct bk_whole *w;
    const struct bk_hands_pos *p;
    const struct bk_variant *v;
    long wanted; /* the rank_of() that the best turn must lead to */
    struct bk_hands_pos next;
    char name[BK_TURN_NAME_MAX];
    bool found;
};

/* One number that orders results: more is better for the side to move. */
static long rank_of(int wdl, unsigned dtw) { return wdl * (100000L - (long)dtw); }

static bool choose(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct choosing *g = context;
    unsigned dtw;
    int wdl;

    bk_whole_value(g->w, after, &wdl, &dtw);
    if (rank_of(wdl, dtw) != g->wanted)
        return true;
    g->found = true;
    g->next = *after;
    bk_turn_name(g->p, g->v, turn, g->name);
    return false;
}

/* Follows turns that bring the end one ply nearer. */
static void follow(struct asking *q)
{
    struct bk_hands_pos p = q->pos;
    struct choosing g = { .w = q->w, .v = q->v };
    unsigned dtw;
    int wdl;

    bk_whole_value(q->w, &p, &wdl, &dtw);
    while (wdl && dtw && q->n < LINE_MAX) {
        g.p = &p;
        g.found = false;
        g.wanted = rank_of(-wdl, dtw - 1);
        bk_hands_turns(&p, q->v, choose, &g);
        if (!g.found)
            return;
        memcpy(q->name[q->n++], g.name, sizeof g.name);
        p = g.next;
        wdl = -wdl;
        dtw--;
    }
}

/* == Telling == */

static void print_board(const struct asking *q)
{
    struct bk_pos p;
    bool held = false;

    bk_pos_init(&p, q->v);
    for (unsigned i = 0; i < q->pos.n; i++)
        if (q->pos.sq[i] != BK_SQ_NONE)
            bk_pos_put(&p, q->v, bk_man_type(q->pos.man[i]), bk_man_colour(q->pos.man[i]),
                       q->pos.sq[i]);
        else
            held = true;
    cli_draw_board(q->v, &p);
    if (held) {
        char fen[BK_FEN_MAX];
        char *open = strchr(bk_hands_to_fen(&q->pos, q->v, fen), '['), *close = strchr(open, ']');

        printf("   %s %.*s\n",
               bk_hands_opening(&q->pos, q->v) ? "to drop:" : "held:", (int)(close - open - 1),
               open + 1);
    }
}

static void print_answer(const struct asking *q, int wdl, unsigned dtw)
{
    char text[CLI_TEXT_MAX], count[CLI_TEXT_MAX];
    struct bk_whole_summary s;
    unsigned stm = q->pos.stm;

    printf("%s: %s to move\n\n", *q->v->title ? q->v->title : q->v->name, cli_colour(stm));
    print_board(q);
    if (wdl)
        printf("\n%s wins in %s\n\n", cli_colour(wdl > 0 ? stm : !stm), cli_plies(text, dtw));
    else
        printf("\na draw\n\n");
    for (unsigned i = 0; i < q->n; i++, stm = !stm) {
        if (stm == BK_WHITE || i == 0)
            printf("%3u. %s", 1 + (i + q->pos.stm) / 2, stm == BK_WHITE ? "" : "... ");
        printf("%s%c", q->name[i], stm == BK_BLACK || i + 1 == q->n ? '\n' : ' ');
    }
    bk_whole_summary(q->w, &s);
    printf("\n%s states after the opening: ", cli_count(count, s.states));
    printf("%s won, ", cli_count(count, s.wins));
    printf("%s drawn, ", cli_count(count, s.draws));
    printf("%s lost; ", cli_count(count, s.losses));
    printf("longest %s\n", cli_plies(text, s.longest));
}

static int print_answer_json(const struct asking *q, int wdl, unsigned dtw)
{
    json_t *line = json_array();
    struct bk_whole_summary s;
    char fen[BK_FEN_MAX];

    for (unsigned i = 0; i < q->n; i++)
        json_array_append_new(line, json_string(q->name[i]));
    bk_whole_summary(q->w, &s);
    return cli_print_json(json_pack("{ss ss si so so s{sI sI sI sI si}}", "variant", q->v->name,
                                    "fen", bk_hands_to_fen(&q->pos, q->v, fen), "wdl", wdl, "dtw",
                                    wdl ? json_integer((json_int_t)dtw) : json_null(), "moves",
                                    line, "states", "all", (json_int_t)s.states, "win",
                                    (json_int_t)s.wins, "draw", (json_int_t)s.draws, "loss",
                                    (json_int_t)s.losses, "longest_plies", (int)s.longest));
}

/* == whole == */

static enum bk_err read_question(struct asking *q, struct bk_report *why)
{
    enum bk_err err;
    char *fen;

    if (q->c->nargs == 1)
        return bk_hands_start(&q->pos, q->v, why);
    fen = cli_join(q->c, 1, q->c->nargs);
    if (!fen)
        return bk_no_memory(why);
    err = bk_hands_from_fen(&q->pos, q->v, fen, why);
    free(fen);
    return err;
}

static enum bk_err solve(struct asking *q, struct bk_report *why)
{
    struct bk_whole_options o = { .memory_limit = q->c->memory,
                                  .opening = bk_hands_opening(&q->pos, q->v),
                                  .progress = q->bar ? draw_bar : NULL,
                                  .stop = &cli_stop };
    enum bk_err err = bk_pool_open(&o.pool, q->c->threads, why);

    if (err)
        return err;
    err = bk_whole_new(&q->w, q->v, &q->pos, &o, why);
    bk_pool_close(o.pool);
    if (q->bar)
        fputs("\r\033[K", stderr);
    return err;
}

int cmd_whole(struct cli *c)
{
    struct asking q = { .c = c, .bar = !c->quiet && isatty(STDERR_FILENO) };
    struct bk_report why = { "" };
    enum bk_err err;
    unsigned dtw;
    int status = cli_variant(c, &q.v), wdl;

    if (status)
        return status;
    cli_catch_signals();
    q.name = calloc(LINE_MAX, sizeof *q.name);
    err = q.name ? read_question(&q, &why) : bk_no_memory(&why);
    if (!err)
        err = solve(&q, &why);
    if (err) {
        status = cli_stop ? cli_fail(CLI_SYSTEM, "interrupted") : cli_fail_report(err, &why);
    } else {
        bk_whole_value(q.w, &q.pos, &wdl, &dtw);
        follow(&q);
        if (c->json)
            status = print_answer_json(&q, wdl, dtw);
        else
            print_answer(&q, wdl, dtw);
    }
    bk_whole_free(q.w);
    free(q.name);
    bk_variant_free(q.v);
    return status;
}
