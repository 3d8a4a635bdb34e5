/*
 * cmd_ask.c - asking about one position: probe, line; of many: many.h.
 *
 * Values come from libbareking, through its public header only.  The ground
 * floor (core) reads the FEN, so that errors point at its letters, and draws
 * the board.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/many.h"
#include "cli/pgn.h"
#include "cli/report.h"
#include "core/end.h"
#include "core/rules.h"
#include "probe/bareking.h"

/* A question, ready to be asked. */
struct question {
    const struct cli *c;
    struct bk_variant *v;
    struct bk_lib *lib;
    struct bk_pos pos;
    char fen[BK_FEN_MAX];
};

static int fail_lib(const struct question *q, enum bk_lib_err err)
{
    unsigned men = bk_bits_count(&q->pos.by[0]) + bk_bits_count(&q->pos.by[1]);
    struct bk_material m;

    if (err == BK_LIB_NO_TABLE && !bk_rules_plain_is_exact(q->v, q->pos.count))
        return cli_fail(CLI_USAGE, "%s", bk_error(q->lib)); /* captured men come back */
    if (err == BK_LIB_NO_TABLE && men > BK_MEN_MAX)
        return cli_fail(CLI_NO, "no table: %u men on the board, tables have at most %d", men,
                        BK_MEN_MAX);
    if (err == BK_LIB_NO_TABLE) {
        struct cli c = *q->c;

        bk_material_of(&m, q->v, &q->pos);
        if (strchr(q->v->name, '@')) /* a derived game: the FEN alone tells of it */
            c.terrain = q->fen;
        return cli_fail_no_table(&c, q->v, &m);
    }
    return many_fail(q->lib, err);
}

static void close_question(struct question *q)
{
    bk_close(q->lib);
    bk_variant_free(q->v);
}

static int open_question(struct question *q, const struct cli *c)
{
    enum bk_lib_err err;
    char *fen;
    int status;

    memset(q, 0, sizeof *q);
    q->c = c;
    fen = cli_join(c, 1, c->nargs);
    status = fen ? cli_variant_for(c, fen, &q->v) : cli_no_memory();
    if (!status)
        status = cli_position(q->v, fen, &q->pos);
    free(fen);
    if (!status) {
        bk_pos_to_fen(&q->pos, q->v, q->fen);
        err = bk_open(&q->lib, c->arg[0], c->dir);
        if (err)
            status = fail_lib(q, err);
    }
    if (status)
        close_question(q);
    return status;
}

/* == Words == */

/* A finished game, in a sentence: who is bare, mated, stalemated. */
static void print_over(const struct bk_pos *p, const struct bk_answer *a)
{
    static const enum bk_end end[] = { [BK_LIB_GOES_ON] = BK_END_NONE,
                                       [BK_LIB_CHECKMATE] = BK_END_CHECKMATE,
                                       [BK_LIB_STALEMATE] = BK_END_STALEMATE,
                                       [BK_LIB_BARE] = BK_END_BARE,
                                       [BK_LIB_BARE_DRAW] = BK_END_BARE_DRAW };
    char how[CLI_END_MAX];

    printf("The game is over: %s.\n", cli_end(how, p, end[a->end], a->wdl));
}

/* == The clock ==
 *
 * A game of N turns is a draw when each side has had them.  Tables know nothing of that: what they
 * say is what a position is worth without a limit, and a win or a loss stands if it comes in time.
 * Both are told, of a position and of each move.
 */

/* ", too late: a draw" for a move whose result comes too late; else "". */
static const char *lateness(const struct bk_lib_ranked *m)
{
    if (m->err)
        return "";
    if (!m->clocked_known)
        return ", in time or not";
    return m->clocked_wdl == m->wdl ? "" : ", too late: a draw";
}

/* Prints what the n-move rule says at the position's counter. */
static void print_counter(const struct question *q, const struct bk_answer *a)
{
    printf("By the rule of %u moves, with %u %s counted: ", bk_rules_nmove(q->v) / 2, q->pos.clock,
           q->pos.clock == 1 ? "ply" : "plies");
    if (!a->clocked_known)
        printf("in time or not, no distance says.");
    else if (a->clocked_wdl)
        printf("%s wins.", cli_colour(a->clocked_wdl > 0 ? q->pos.stm : !q->pos.stm));
    else
        printf("a draw.");
    if (a->dtz >= 0)
        printf("  To zeroing: %d %s.", a->dtz, a->dtz == 1 ? "ply" : "plies");
    putchar('\n');
}

static void print_clock(const struct question *q, const struct bk_answer *a)
{
    if (a->plies_left < 0)
        return;
    if (bk_rules_nmove(q->v)) {
        print_counter(q, a);
        return;
    }
    printf("With the limit of %u turns, %d %s left: %s\n", bk_rules_turns_max(q->v), a->plies_left,
           a->plies_left == 1 ? "ply is" : "plies are",
           !a->clocked_known                                  ? "in time or not, no distance says."
           : a->clocked_wdl == 0                              ? "a draw."
           : (a->clocked_wdl > 0) == (q->pos.stm == BK_WHITE) ? "White wins."
                                                              : "Black wins.");
}

static json_t *clocked_json(int wdl, int known) { return known ? json_integer(wdl) : json_null(); }

/* Adds what tables say by the n-move rule: results with the counter at 0 and as it is, plies. */
static void add_zeroing_json(json_t *o, int wdl5, int dtz, int wdl, int clocked, int known)
{
    const char *category = many_category(wdl, clocked, known);

    json_object_set_new(o, "wdl5", json_integer(wdl5));
    json_object_set_new(o, "dtz", dtz < 0 ? json_null() : json_integer(dtz));
    json_object_set_new(o, "category", category ? json_string(category) : json_null());
}

static void add_clock_json(json_t *answer, const struct bk_answer *a)
{
    if (a->plies_left >= 0 && answer)
        json_object_set_new(answer, "clocked",
                            json_pack("{so si}", "wdl",
                                      clocked_json(a->clocked_wdl, a->clocked_known), "plies_left",
                                      a->plies_left));
}

/* == probe == */

static void print_probe(const struct question *q, const struct bk_answer *a,
                        const struct bk_lib_ranked *move, size_t n)
{
    const char *mover = cli_colour(q->pos.stm);
    char text[CLI_TEXT_MAX];

    printf("%s: %s to move\n\n", *q->v->title ? q->v->title : q->v->name, mover);
    cli_draw_board(q->v, &q->pos);
    putchar('\n');
    if (a->end) {
        print_over(&q->pos, a);
        return;
    }
    if (a->wdl)
        printf("%s %s\n", cli_colour(a->wdl > 0 ? q->pos.stm : !q->pos.stm),
               cli_verdict(text, 1, a->dtw));
    else
        printf("a draw\n");
    print_clock(q, a);
    printf("\n%s's moves:\n", mover);
    for (size_t i = 0; i < n; i++)
        printf("  %-10s %s%s\n", move[i].name,
               move[i].err ? "not known: no table" : cli_verdict(text, move[i].wdl, move[i].dtw),
               lateness(&move[i]));
}

/* A distance, or null where there is none. */
static json_t *plies_json(int wdl, int dtw)
{
    return wdl && dtw >= 0 ? json_integer(dtw) : json_null();
}

static json_t *moves_json(const struct bk_answer *a, bool five, const struct bk_lib_ranked *move,
                          const struct bk_lib_move_text *text, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++) {
        bool known = !move[i].err;
        json_t *m = json_pack("{ss so so}", "move", move[i].name, "wdl",
                              known ? json_integer(move[i].wdl) : json_null(), "dtw",
                              known ? plies_json(move[i].wdl, move[i].dtw) : json_null());

        if (a->plies_left >= 0)
            json_object_set_new(m, "clocked_wdl",
                                clocked_json(move[i].clocked_wdl, move[i].clocked_known));
        if (five && known) {
            add_zeroing_json(m, move[i].wdl5, move[i].dtz, move[i].wdl, move[i].clocked_wdl,
                             move[i].clocked_known);
            json_object_set_new(m, "zeroing", json_boolean(move[i].zeroes));
        }
        json_object_set_new(m, "san", json_string(text[i].san));
        json_object_set_new(m, "fen", json_string(text[i].fen));
        json_array_append_new(list, m);
    }
    return list;
}

static int print_probe_json(const struct question *q, const struct bk_answer *a,
                            const struct bk_lib_ranked *move, size_t n)
{
    struct bk_lib_move_text *text = malloc((n + 1) * sizeof *text);
    bool five = a->plies_left >= 0 && bk_rules_nmove(q->v); /* tables know of the rule */
    enum bk_lib_err err;
    json_t *answer;

    if (!text)
        return cli_fail(CLI_SYSTEM, "no memory for %zu moves", n);
    err = bk_write_moves_fen(q->lib, q->fen, move, n, text);
    if (err) {
        free(text);
        return fail_lib(q, err);
    }
    answer = json_pack("{ss ss si so ss? so}", "variant", q->v->name, "fen", q->fen, "wdl", a->wdl,
                       "dtw", plies_json(a->wdl, a->dtw), "end", many_end_name(a->end), "moves",
                       moves_json(a, five, move, text, n));
    free(text);
    add_clock_json(answer, a);
    if (answer && five)
        add_zeroing_json(answer, a->wdl5, a->dtz, a->wdl, a->clocked_wdl, a->clocked_known);
    return cli_print_json(answer);
}

/* Ranks all moves.  Some may be without a table where the position is worth what it is without
   them; that is said on stderr.  *move owned. */
static enum bk_lib_err rank_moves(const struct question *q, struct bk_lib_ranked **move, size_t *n)
{
    enum bk_lib_err err = bk_rank_moves_fen(q->lib, q->fen, 0, 0, NULL, 0, n);

    if (err && (err != BK_LIB_NO_TABLE || !*n))
        return err;
    *move = malloc((*n + 1) * sizeof **move);
    if (*move)
        err = bk_rank_moves_fen(q->lib, q->fen, 0, 0, *move, *n, n);
    if (err != BK_LIB_NO_TABLE)
        return err;
    fprintf(stderr, "bareking: not all moves are known: %s\n", bk_error(q->lib));
    return BK_LIB_OK;
}

static bool from_stdin(const struct cli *c) { return c->nargs == 2 && !strcmp(c->arg[1], "-"); }

int cmd_probe(struct cli *c)
{
    struct bk_lib_ranked *move = NULL;
    struct question q;
    struct bk_answer a;
    enum bk_lib_err err;
    size_t n = 0;
    int status;

    if (from_stdin(c))
        return many_answer(c, false);
    status = open_question(&q, c);
    if (status)
        return status;
    err = bk_probe_fen(q.lib, q.fen, &a);
    if (!err && !a.end)
        err = rank_moves(&q, &move, &n);
    if (err)
        status = fail_lib(&q, err);
    else if (!a.end && !move)
        status = cli_no_memory();
    else if (c->json)
        status = print_probe_json(&q, &a, move, n);
    else
        print_probe(&q, &a, move, n);
    free(move);
    close_question(&q);
    return status;
}

/* == line == */

static int fail_line(struct question *q, const struct many_line *l, enum bk_lib_err err)
{
    struct bk_report why;

    if (l->contradicts)
        return cli_fail(CLI_DAMAGED, "the tables contradict each other after %s", l->fen);
    if (l->unknown)
        return cli_fail(CLI_NO, "there are no distances after %s, so there is no best line",
                        l->fen);
    bk_pos_from_fen(&q->pos, q->v, l->fen, &why); /* so that a missing table is named rightly */
    return fail_lib(q, err);
}

static void print_line(const struct question *q, const struct many_line *l, unsigned stm)
{
    unsigned turn = q->pos.turn;
    char text[CLI_TEXT_MAX];
    struct bk_pos end;

    if (!l->first.wdl && !l->first.end) {
        printf("a draw: there is no line to an end\n");
        print_clock(q, &l->first);
        return;
    }
    if (!l->first.end)
        printf("%s %s\n", cli_colour(l->first.wdl > 0 ? stm : !stm),
               cli_verdict(text, 1, l->first.dtw));
    print_clock(q, &l->first);
    if (!l->first.end)
        putchar('\n');
    for (size_t i = 0; i < l->n; i++, stm = !stm) {
        if (stm == BK_WHITE)
            printf("%3u. %s", turn, l->name[i]);
        else if (i == 0)
            printf("%3u. ... %s\n", turn++, l->name[i]);
        else
            printf("%*s %s\n", 8 - (int)strlen(l->name[i - 1]), "", l->name[i]);
        if (stm == BK_BLACK && i)
            turn++;
    }
    if (l->n)
        printf("%s\n%s\n", stm == BK_BLACK ? "\n" : "", l->fen);
    if (bk_pos_from_fen(&end, q->v, l->fen, NULL) == BK_OK)
        print_over(&end, &l->last);
    if (l->first.wdl && l->first.clocked_known && !l->first.clocked_wdl)
        printf("That is too late: the %s has made it a draw.\n",
               bk_rules_nmove(q->v) ? "n-move rule" : "limit of turns");
}

static int print_line_json(const struct question *q, const struct many_line *l)
{
    json_t *moves = json_array(), *answer;

    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(moves, json_string(l->name[i]));
    answer = json_pack("{ss ss si so so ss? ss}", "variant", q->v->name, "fen", q->fen, "wdl",
                       l->first.wdl, "dtw", plies_json(l->first.wdl, l->first.dtw), "moves", moves,
                       "end", many_end_name(l->last.end), "end_fen", l->fen);
    add_clock_json(answer, &l->first);
    return cli_print_json(answer);
}

/* Prints the line as a game, with what the position is worth before its first move. */
static int print_line_pgn(const struct question *q, const struct many_line *l)
{
    char *moves = malloc(l->n * sizeof *l->name + 1), *at = moves;

    if (!moves)
        return cli_no_memory();
    *at = '\0';
    for (size_t i = 0; i < l->n; i++)
        at += sprintf(at, "%s%s", i ? " " : "", l->name[i]);
    cli_print_pgn(q->v, &q->pos, moves, l->first.wdl, l->first.dtw);
    free(moves);
    return CLI_OK;
}

static int check_line_format(const struct cli *c)
{
    if (!c->mine.format)
        return CLI_OK;
    if (strcmp(c->mine.format, "pgn") != 0)
        return cli_fail(CLI_USAGE, "line: '%s' is no format; there is pgn", c->mine.format);
    if (c->json || from_stdin(c))
        return cli_fail(CLI_USAGE, "line: --format pgn goes with one FEN, and without --json");
    return CLI_OK;
}

int cmd_line(struct cli *c)
{
    struct question q;
    struct many_line l;
    enum bk_lib_err err;
    unsigned stm;
    int status = check_line_format(c);

    if (status)
        return status;
    if (from_stdin(c))
        return many_answer(c, true);
    status = open_question(&q, c);
    if (status)
        return status;
    stm = q.pos.stm;
    err = many_follow(&l, q.lib, q.fen);
    if (err)
        status = fail_line(&q, &l, err);
    else if (l.first.wdl && l.first.dtw < 0)
        status =
            cli_fail(CLI_NO, "there are no distances of the table: it was built with --wdl, or its "
                             ".bkd file is lost; `build` makes them");
    else if (c->json)
        status = print_line_json(&q, &l);
    else if (c->mine.format)
        status = print_line_pgn(&q, &l);
    else
        print_line(&q, &l, stm);
    free(l.name);
    close_question(&q);
    return status;
}
