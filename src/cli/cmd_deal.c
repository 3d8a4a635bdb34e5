/* cmd_deal.c - an array of a game that has more than one. */
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#include "cli/report.h"
#include "core/deal.h"

int cmd_deal(struct cli *c)
{
    struct bk_report why = { "" };
    struct bk_variant *v;
    char fen[BK_FEN_MAX];
    int status;
    enum bk_err err;

    c->any_game = true;
    status = cli_variant_named(c, c->arg[0], &v);
    if (status)
        return status;
    if (!c->seeded && getrandom(&c->seed, sizeof c->seed, 0) != (ssize_t)sizeof c->seed)
        c->seed = (uint64_t)time(NULL);
    c->seed &= INT64_MAX; /* a number that JSON can tell */
    err = bk_deal(v, c->seed, fen, &why);
    if (err)
        status = cli_fail_report(err, &why);
    else if (c->json)
        status = cli_print_json(
            json_pack("{ss ss sI}", "variant", v->name, "fen", fen, "seed", (json_int_t)c->seed));
    else
        printf("%s\n", fen);
    bk_variant_free(v);
    return status;
}
