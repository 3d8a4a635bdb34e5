/*
 * cmd_whole.c - games with hands, or whose terrain is live: what a position, or the empty board, is
 * worth, and the best line.  Everything is solved anew for each question.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/land.h"
#include "core/move.h"
#include "core/rules.h"
#include "tb/masks.h"
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

/* == Live terrain == */

/* What is asked of a game whose land may change, and the answer. */
struct land_asking {
    const struct cli *c;
    struct bk_variant *v;
    struct bk_pos pos;
    struct bk_masks *w;
    struct bk_masks_value value;
    bool bar;
    char (*name)[16]; /* of the best line; owned */
    unsigned n;
};

/* Sets *best to a legal turn that keeps the value, and its plies one nearer the end.  False: there
   is none. */
static bool best_turn(const struct land_asking *q, const struct bk_pos *p,
                      const struct bk_masks_value *value, struct bk_move *best)
{
    struct bk_move *move = malloc(BK_MOVES_MAX * sizeof *move);
    bool found = false;

    for (unsigned first = 0; move && !found && first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(q->v, p, &first, move);

        for (unsigned i = 0; i < n && !found; i++) {
            struct bk_pos after = *p;
            struct bk_masks_value v;

            bk_pos_play(&after, q->v, &move[i]);
            found = bk_masks_value(q->w, &after, &v) && v.wdl == -value->wdl &&
                    v.plies + 1 == value->plies;
            if (found)
                *best = move[i];
        }
    }
    free(move);
    return found;
}

static void follow_land(struct land_asking *q)
{
    struct bk_masks_value value = q->value;
    struct bk_pos p = q->pos;
    struct bk_move m;

    while (value.wdl && value.plies && q->n < LINE_MAX && best_turn(q, &p, &value, &m)) {
        bk_move_name(q->v, &m, q->name[q->n++]);
        bk_pos_play(&p, q->v, &m);
        value.wdl = -value.wdl;
        value.plies--;
    }
}

/* What the game's length leaves of a result. */
static int clocked(const struct land_asking *q)
{
    int left = bk_rules_plies_left(q->v, q->pos.turn, q->pos.stm);

    return q->c->wdl || (int)q->value.plies <= left ? q->value.wdl : 0;
}

static void print_land(const struct land_asking *q)
{
    char text[CLI_TEXT_MAX], count[CLI_TEXT_MAX];
    unsigned stm = q->pos.stm;

    printf("%s: %s to move, %s turn%s\n\n", *q->v->title ? q->v->title : q->v->name,
           cli_colour(stm), q->pos.turn & 1 ? "odd" : "even",
           q->pos.begun ? "" : ", no land destroyed yet");
    cli_draw_board(q->v, &q->pos);
    if (!bk_land_may_change(q->v, &q->pos))
        printf("\nnothing can change the land: a table of it is exact\n");
    printf("\n%s%s", q->value.wdl ? cli_colour(q->value.wdl > 0 ? stm : !stm) : "a draw",
           q->value.wdl ? " wins" : "");
    if (q->value.wdl && !q->c->wdl)
        printf(" in %s", cli_plies(text, q->value.plies));
    if (clocked(q) != q->value.wdl)
        printf("; too late: the game is a draw after %u turns", bk_rules_turns_max(q->v));
    printf("\n\n");
    for (unsigned i = 0; i < q->n; i++, stm = !stm) {
        if (stm == BK_WHITE || i == 0)
            printf("%3u. %s", q->pos.turn + (i + q->pos.stm) / 2, stm == BK_WHITE ? "" : "... ");
        printf("%s%c", q->name[i], stm == BK_BLACK || i + 1 == q->n ? '\n' : ' ');
    }
    printf("%s", q->n ? "\n" : "");
    for (unsigned phase = 0; phase < 4; phase++) {
        struct bk_masks_summary s;

        bk_masks_summary(q->w, &q->pos, phase & 1, phase < 2, &s);
        printf("%s to move, %s turn: ", cli_colour(phase & 1), phase < 2 ? "odd" : "even");
        printf("%s states, ", cli_count(count, s.states));
        printf("%s won, ", cli_count(count, s.wins));
        printf("%s drawn, ", cli_count(count, s.draws));
        printf("%s lost", cli_count(count, s.losses));
        printf(q->c->wdl ? "\n" : "; longest %s\n",
               cli_plies(text, s.longest_win > s.longest_loss ? s.longest_win : s.longest_loss));
    }
}

static json_t *summary_json(const struct land_asking *q, unsigned stm, bool odd)
{
    struct bk_masks_summary s;

    bk_masks_summary(q->w, &q->pos, stm, odd, &s);
    return json_pack("{sI sI sI sI si si}", "all", (json_int_t)s.states, "win", (json_int_t)s.wins,
                     "draw", (json_int_t)s.draws, "loss", (json_int_t)s.losses, "longest_win_plies",
                     (int)s.longest_win, "longest_loss_plies", (int)s.longest_loss);
}

static int print_land_json(const struct land_asking *q)
{
    json_t *line = json_array();
    char fen[BK_FEN_MAX];

    for (unsigned i = 0; i < q->n; i++)
        json_array_append_new(line, json_string(q->name[i]));
    return cli_print_json(json_pack(
        "{ss ss si si so so s{so so so so}}", "variant", q->v->name, "fen",
        bk_pos_to_fen(&q->pos, q->v, fen), "wdl", q->value.wdl, "clocked_wdl", clocked(q), "dtw",
        q->value.wdl && !q->c->wdl ? json_integer((json_int_t)q->value.plies) : json_null(),
        "moves", line, "states", "white_odd", summary_json(q, BK_WHITE, true), "black_odd",
        summary_json(q, BK_BLACK, true), "white_even", summary_json(q, BK_WHITE, false),
        "black_even", summary_json(q, BK_BLACK, false)));
}

static enum bk_err solve_land(struct land_asking *q, struct bk_report *why)
{
    struct bk_masks_options o = { .memory_limit = q->c->memory,
                                  .results_alone = q->c->wdl,
                                  .progress = q->bar ? draw_bar : NULL,
                                  .stop = &cli_stop };
    enum bk_err err = bk_pool_open(&o.pool, q->c->threads, why);

    if (err)
        return err;
    err = bk_masks_new(&q->w, q->v, &q->pos, &o, why);
    bk_pool_close(o.pool);
    if (q->bar)
        fputs("\r\033[K", stderr);
    if (!err && !bk_masks_value(q->w, &q->pos, &q->value))
        err = bk_fail(why, BK_E_USAGE, "no state that was solved");
    return err;
}

/* Answers for a game whose terrain is live. */
static int whole_land(struct cli *c, const char *fen)
{
    struct land_asking q = { .c = c, .bar = !c->quiet && isatty(STDERR_FILENO) };
    struct bk_report why = { "" };
    enum bk_err err;
    int status = cli_variant_for(c, fen, &q.v);

    if (!status)
        status = cli_position(q.v, fen, &q.pos);
    if (status) {
        bk_variant_free(q.v);
        return status;
    }
    q.name = calloc(LINE_MAX, sizeof *q.name);
    err = q.name ? solve_land(&q, &why) : bk_no_memory(&why);
    if (err) {
        status = cli_stop ? cli_fail(CLI_SYSTEM, "interrupted") : cli_fail_report(err, &why);
    } else {
        follow_land(&q);
        if (c->json)
            status = print_land_json(&q);
        else
            print_land(&q);
    }
    bk_masks_free(q.w);
    free(q.name);
    bk_variant_free(q.v);
    return status;
}

/* Is the game one whose terrain is live?  Then *status is what became of the question. */
static bool asks_for_land(struct cli *c, const struct bk_variant *v, int *status)
{
    char *fen;

    if (!bk_rules_land_lives(v))
        return false;
    fen = c->nargs == 1 ? strdup("startpos") : cli_join(c, 1, c->nargs);
    *status = fen ? whole_land(c, fen) : cli_no_memory();
    free(fen);
    return true;
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
    if (asks_for_land(c, q.v, &status)) {
        bk_variant_free(q.v);
        return status;
    }
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
