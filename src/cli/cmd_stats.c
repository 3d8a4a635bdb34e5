/*
 * cmd_stats.c - the counts of a table.
 *
 * The counts of a table are in the header of its file.
 */
#include <stdlib.h>

#include "cli/counts.h"
#include "cli/report.h"

/* == From a file == */

static int read_counts(const struct cli *c, const struct bk_variant *v, const struct bk_material *m,
                       struct bk_counts out[2])
{
    struct bk_report why = { "" };
    enum bk_err err = bk_counts_read(out, c->dir, v, m, &why);

    if (err == BK_E_NO_TABLE)
        return cli_fail_no_table(c, v, m);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

/* == Telling == */

static void print_longest(const char *what, int64_t plies, const char *fen)
{
    char text[CLI_TEXT_MAX];

    if (plies >= 0)
        printf("  longest %-5s %s: %s\n", what, cli_plies(text, plies), fen);
}

static void print_side(unsigned side, const struct bk_counts *s)
{
    char win[CLI_TEXT_MAX], draw[CLI_TEXT_MAX], loss[CLI_TEXT_MAX];

    printf("\n%s to move\n  %-14s %16s %16s %16s\n", cli_colour(side), "", "wins", "draws",
           "losses");
    printf("  %-14s %16s %16s %16s\n", "classes", cli_count(win, s->win), cli_count(draw, s->draw),
           cli_count(loss, s->loss));
    printf("  %-14s %16s %16s %16s\n", "all placements", cli_count(win, s->all_win),
           cli_count(draw, s->all_draw), cli_count(loss, s->all_loss));
    print_longest("win", s->win_plies, s->win_fen);
    print_longest("loss", s->loss_plies, s->loss_fen);
}

int cmd_stats(struct cli *c)
{
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_counts side[2] = { { .win = 0 } };
    struct bk_material *m = NULL;
    struct bk_variant *v;
    unsigned n;
    bool by_rule;
    int status;

    if (c->nargs < 2 && !c->terrain)
        return cli_fail(CLI_USAGE, "stats: give a material or --for FEN; see bareking stats -h");
    status = cli_variant(c, &v);

    if (status)
        return status;
    status = cli_wanted(c, v, &m, &n);
    if (!status) {
        by_rule = bk_material_by_rule(m, v);
        status = by_rule ? cli_counts_by_rule(c, v, m, side) : read_counts(c, v, m, side);
        bk_material_name(m, v, name);
        if (!status && c->json)
            status = cli_print_json(json_pack("{ss ss so so}", "variant", v->name, "material", name,
                                              "white", cli_counts_json(&side[0]), "black",
                                              cli_counts_json(&side[1])));
        else if (!status) {
            printf("%s of %s%s; results are the mover's\n", name, v->name,
                   by_rule ? ", decided by rule" : "");
            print_side(BK_WHITE, &side[0]);
            print_side(BK_BLACK, &side[1]);
        }
    }
    free(m);
    bk_variant_free(v);
    return status;
}
