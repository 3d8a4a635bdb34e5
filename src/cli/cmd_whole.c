/*
 * cmd_whole.c - games with hands: what a position, or the empty board, is
 * worth, and the best line.  Everything is solved anew for each question.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/rules.h"
#include "tb/whole.h"

#define LINE_MAX 400 /* turns */

struct asking {
    const struct cli *c;
    struct bk_variant *v;
    struct bk_hands_pos pos;
    struct bk_whole *w;
    struct bk_whole_value least, most; /* of `pos` */
    bool exact, bar;
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
    struct bk_whole_value wanted; /* what the best turn must lead to */
    struct bk_hands_pos next;
    char name[BK_TURN_NAME_MAX];
    bool found;
};

static bool choose(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct choosing *g = context;
    struct bk_whole_value least, most;

    if (!bk_whole_value(g->w, after, &least, &most) || least.wdl != g->wanted.wdl ||
        least.plies != g->wanted.plies)
        return true;
    g->found = true;
    g->next = *after;
    bk_turn_name(g->p, g->v, turn, g->name);
    return false;
}

/* Follows turns that bring the end one ply nearer, as far as values are exact. */
static void follow(struct asking *q)
{
    struct bk_hands_pos p = q->pos;
    struct choosing g = { .w = q->w, .v = q->v, .wanted = q->least };

    while (q->exact && g.wanted.wdl && g.wanted.plies && q->n < LINE_MAX) {
        g.p = &p;
        g.found = false;
        g.wanted.wdl = -g.wanted.wdl;
        g.wanted.plies--;
        bk_hands_turns(&p, q->v, choose, &g);
        if (!g.found)
            return;
        memcpy(q->name[q->n++], g.name, sizeof g.name);
        p = g.next;
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

        if (close > open + 1)
            printf("   %s %.*s\n",
                   bk_hands_opening(&q->pos, q->v) ? "to drop:" : "held:", (int)(close - open - 1),
                   open + 1);
        if (close[1] == '{' && close[2] != '}')
            printf("   given back: %.*s\n", (int)strcspn(close + 2, "}"), close + 2);
    }
}

static void print_value(const struct bk_whole_value *value, unsigned stm)
{
    char text[CLI_TEXT_MAX];

    if (value->wdl)
        printf("%s wins in %s", cli_colour(value->wdl > 0 ? stm : !stm),
               cli_plies(text, value->plies));
    else
        printf("a draw");
}

static void print_answer(const struct asking *q)
{
    char text[CLI_TEXT_MAX], count[CLI_TEXT_MAX];
    struct bk_whole_summary s;
    unsigned stm = q->pos.stm;

    printf("%s: %s to move\n\n", *q->v->title ? q->v->title : q->v->name, cli_colour(stm));
    print_board(q);
    printf(q->exact ? "\n" : "\nat worst for %s: ", cli_colour(stm));
    print_value(&q->least, stm);
    if (!q->exact) {
        printf("; at best: ");
        print_value(&q->most, stm);
        printf("\n(a larger --bonus-cap tells more)");
    }
    printf("\n\n");
    for (unsigned i = 0; i < q->n; i++, stm = !stm) {
        if (stm == BK_WHITE || i == 0)
            printf("%3u. %s", 1 + (i + q->pos.stm) / 2, stm == BK_WHITE ? "" : "... ");
        printf("%s%c", q->name[i], stm == BK_BLACK || i + 1 == q->n ? '\n' : ' ');
    }
    bk_whole_summary(q->w, &s);
    printf("\n%s states after the opening%s: ", cli_count(count, s.states),
           bk_rules_hand_bonus(q->v) ? ", nobody having released a man" : "");
    printf("%s won, ", cli_count(count, s.wins));
    printf("%s drawn, ", cli_count(count, s.draws));
    printf("%s lost; ", cli_count(count, s.losses));
    if (s.open)
        printf("%s not known; ", cli_count(count, s.open));
    printf("longest %s\n", cli_plies(text, s.longest));
}

static json_t *plies_json(const struct bk_whole_value *value)
{
    return value->wdl ? json_integer((json_int_t)value->plies) : json_null();
}

static int print_answer_json(const struct asking *q)
{
    json_t *line = json_array(), *o;
    struct bk_whole_summary s;
    char fen[BK_FEN_MAX];

    for (unsigned i = 0; i < q->n; i++)
        json_array_append_new(line, json_string(q->name[i]));
    bk_whole_summary(q->w, &s);
    o = json_pack("{ss ss si so so s{sI sI sI sI si}}", "variant", q->v->name, "fen",
                  bk_hands_to_fen(&q->pos, q->v, fen), "wdl", q->least.wdl, "dtw",
                  plies_json(&q->least), "moves", line, "states", "all", (json_int_t)s.states,
                  "win", (json_int_t)s.wins, "draw", (json_int_t)s.draws, "loss",
                  (json_int_t)s.losses, "longest_plies", (int)s.longest);
    if (bk_rules_hand_bonus(q->v)) { /* wdl and dtw are the least that the value can be */
        json_object_set_new(o, "exact", json_boolean(q->exact));
        json_object_set_new(o, "at_most",
                            json_pack("{si so}", "wdl", q->most.wdl, "dtw", plies_json(&q->most)));
        json_object_set_new(json_object_get(o, "states"), "open", json_integer((json_int_t)s.open));
    }
    return cli_print_json(o);
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
                                  .bonus_cap = q->c->bonus_cap,
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
    int status = cli_variant(c, &q.v);

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
        q.exact = bk_whole_value(q.w, &q.pos, &q.least, &q.most);
        follow(&q);
        if (c->json)
            status = print_answer_json(&q);
        else
            print_answer(&q);
    }
    bk_whole_free(q.w);
    free(q.name);
    bk_variant_free(q.v);
    return status;
}
