/*
 * plans.c - see plans.h.
 */
#include "cli/plans.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bar.h"
#include "cli/machine.h"
#include "cli/report.h"
#include "core/rules.h"
#include "tb/memory/transport.h"

int cli_plan_wanted(const struct cli *c)
{
    if (c->nargs > 1 && c->men)
        return cli_fail(CLI_USAGE, "%s: give materials or --men N, not both; see bareking %s -h",
                        c->command, c->command);
    if (c->nargs == 1 && !c->men && !c->terrain)
        return cli_fail(CLI_USAGE, "%s: give materials, --men N or --for FEN; see bareking %s -h",
                        c->command, c->command);
    return CLI_OK;
}

/* Foretells memory and time of the plan's tables, which may take a minute with six men: a terminal
   is told of each. */
static enum bk_err foretell(const struct cli *c, struct bk_plan *p, struct bk_report *why)
{
    struct cli_bar bar = cli_bar_of(c->quiet);
    enum bk_err err;

    p->foretells = cli_bar_plan;
    p->watcher = &bar;
    err = bk_plan_memory(p, c->threads, c->memory, why);
    p->foretells = NULL;
    cli_bar_clear(&bar);
    return err;
}

/* Makes the plan of what is wanted: of --dtz, or of distances to the end. */
static int make_plan(const struct cli *c, const struct bk_variant *v, bool dtz,
                     struct bk_plan **plan)
{
    struct bk_report why = { "" };
    struct bk_material *m = NULL;
    enum bk_err err;
    unsigned n;
    int status = cli_wanted(c, v, &m, &n);

    if (!status) {
        err = bk_plan_new(plan, v, c->dir, m, n, c->men, !c->wdl || c->dtz, &why);
        if (!err && dtz && (err = bk_plan_to_zeroing(*plan, c->wdl, &why)))
            bk_plan_free(*plan);
        if (!err && c->dtz && !dtz)
            bk_plan_beside_five(*plan);
        if (!err) {
            (*plan)->processes = c->ranks ? c->ranks : bk_transport_ranks();
            (*plan)->machine_bytes = cli_machine_memory();
            bk_plan_encode(*plan, (enum bk_effort)c->effort, c->standalone);
        }
        if (!err && (err = foretell(c, *plan, &why)))
            bk_plan_free(*plan);
        if (err)
            status = cli_fail_report(err, &why);
    }
    free(m);
    return status;
}

int cli_plan_read(const struct cli *c, struct bk_variant **v, struct bk_plan **plan)
{
    int status = cli_plan_wanted(c);

    if (!status && c->dtw && (!c->dtz || c->wdl))
        status = cli_fail(CLI_USAGE,
                          "%s: --dtw is made without it, unless there is --dtz, and not "
                          "with --wdl; see bareking %s -h",
                          c->command, c->command);
    if (!status)
        status = cli_variant(c, v);
    if (status)
        return status;
    status = make_plan(c, *v, c->dtz, plan);
    if (status)
        bk_variant_free(*v);
    return status;
}

int cli_plan_dtw(const struct cli *c, const struct bk_variant *v, struct bk_plan **plan)
{
    *plan = NULL;
    return c->dtz && c->dtw ? make_plan(c, v, false, plan) : CLI_OK;
}

/* == What is refused before it begins == */

/* Says of which kind a side has more men than any game gives it, or that it has too many in all. */
static int say_unreachable(const struct bk_variant *v, const struct bk_material *m, unsigned colour,
                           struct bk_report *why)
{
    char name[BK_MATERIAL_NAME_MAX];

    bk_material_name(m, v, name);
    for (unsigned type = 0; type < v->ntypes; type++) {
        unsigned most = bk_rules_most(v, type);

        if (m->count[colour][type] > most) {
            bk_report_write(why,
                            "%s: %s has %u %c, and in a game of %s a side has %u at most; --any "
                            "builds it all the same",
                            name, cli_colour(colour), m->count[colour][type], v->piece[type].letter,
                            v->name, most);
            return CLI_USAGE;
        }
    }
    bk_report_write(why,
                    "%s: in a game of %s %s never has all these men at once; --any builds it all "
                    "the same",
                    name, v->name, cli_colour(colour));
    return CLI_USAGE;
}

/* Can games come to the materials that were named? */
static int are_reachable(const struct cli *c, const struct bk_variant *v, struct bk_report *why)
{
    struct bk_material *m;
    unsigned n;
    int status = cli_wanted(c, v, &m, &n);

    if (status)
        return status;
    for (unsigned i = 0; !status && i < n; i++)
        for (unsigned colour = 0; !status && colour < 2; colour++)
            if (!bk_rules_reachable(v, m[i].count[colour]))
                status = say_unreachable(v, &m[i], colour, why);
    free(m);
    return status;
}

/* Is the memory that there is, or that --memory leaves, enough for the table that takes most? */
static int fits(const struct cli *c, const struct bk_plan *p, struct bk_report *why)
{
    const struct bk_plan_table *most = NULL, *least = NULL;
    uint64_t has = cli_machine_memory(), try = has / 4 * 3 >> 20;
    char takes[CLI_TEXT_MAX], there[CLI_TEXT_MAX], advice[CLI_TEXT_MAX] = "";

    for (unsigned i = 0; i < p->n; i++) {
        const struct bk_plan_table *t = &p->table[i];

        if (!t->present && (!most || t->memory_bytes > most->memory_bytes))
            most = t;
        if (!t->present && (!least || bk_plan_least(t) > bk_plan_least(least)))
            least = t;
    }
    if (c->memory && least && bk_plan_least(least) > c->memory) {
        bk_report_write(why, "%s needs a memory limit of %llu MiB, it is %llu MiB", least->name,
                        (unsigned long long)((bk_plan_least(least) >> 20) + 1),
                        (unsigned long long)(c->memory >> 20));
        return CLI_SYSTEM;
    }
    if (c->memory || !has || !most || most->memory_bytes <= has)
        return CLI_OK;
    if (most->least_bytes <= try << 20)
        snprintf(advice, sizeof advice, "; --memory %lluM keeps the rest on disk",
                 (unsigned long long)try);
    bk_report_write(why, "%s takes %s of memory, and there are %s%s; --force tries it", most->name,
                    cli_bytes(takes, most->memory_bytes), cli_bytes(there, has), advice);
    return CLI_SYSTEM;
}

/* Does a folder stand where a file of the table has to be?  path: which. */
static bool folder_stands(const struct bk_plan *p, const struct bk_plan_table *t,
                          char path[PATH_MAX])
{
    struct stat st;

    for (unsigned distances = 0; distances < 2; distances++) {
        bk_table_path(path, p->dir, p->v, &t->m, bk_plan_kind(p, distances));
        if (!stat(path, &st) && S_ISDIR(st.st_mode))
            return true;
    }
    return false;
}

/* Was a file of the table made by other rules?  path: which. */
static bool is_foreign(const struct bk_plan *p, const struct bk_plan_table *t, char path[PATH_MAX])
{
    bool foreign = false;

    for (unsigned distances = 0; !foreign && distances < 2; distances++) {
        bk_table_path(path, p->dir, p->v, &t->m, bk_plan_kind(p, distances));
        foreign = bk_file_other_rules(path, p->v);
    }
    return foreign;
}

/* Was a file of the table made by a later version?  fault: which, and what it has. */
static bool is_newer(const struct bk_plan *p, const struct bk_plan_table *t,
                     struct bk_report *fault)
{
    struct bk_file_info info;
    char path[PATH_MAX];
    bool newer = false;

    for (unsigned distances = 0; !newer && distances < 2; distances++) {
        bk_table_path(path, p->dir, p->v, &t->m, bk_plan_kind(p, distances));
        newer = bk_file_peek(&info, path, fault) == BK_E_NEWER;
    }
    return newer;
}

/* Would a table take the place of a good one: of another game with this name, of a later version,
   or one that cannot be read? */
static int replaces_good(const struct bk_plan *p, struct bk_report *why)
{
    struct bk_report fault = { "" };
    char path[PATH_MAX];

    for (unsigned i = 0; i < p->n; i++) {
        if (p->table[i].unreadable) {
            if (bk_plan_fault(p, &p->table[i], &fault) != BK_E_SYSTEM)
                bk_report_write(&fault, "%s could not be read just now", p->table[i].name);
            bk_report_write(why, "%s; --force makes it again", fault.text);
            return CLI_SYSTEM;
        }
        if (p->table[i].present)
            continue;
        if (p->table[i].damaged && folder_stands(p, &p->table[i], path)) {
            bk_report_write(why, "%s: %s", path, strerror(EISDIR));
            return CLI_SYSTEM;
        }
        if (is_newer(p, &p->table[i], &fault)) {
            bk_report_write(why, "%s; --force makes it again", fault.text);
            return CLI_DAMAGED;
        }
        if (is_foreign(p, &p->table[i], path)) {
            bk_report_write(why,
                            "%s was made by other rules than those of this %s, maybe for another "
                            "game of this name: name yours otherwise, or take another folder; "
                            "--force makes it again",
                            path, p->v->name);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

int cli_plan_refused(const struct cli *c, const struct bk_variant *v, const struct bk_plan *p,
                     struct bk_report *why)
{
    int status = c->any ? CLI_OK : are_reachable(c, v, why);

    if (!status && !c->force)
        status = replaces_good(p, why);
    return status || c->force ? status : fits(c, p, why);
}

int cli_plan_fits(const struct cli *c, const struct bk_plan *p)
{
    struct bk_report why = { "" };
    int status = c->force ? CLI_OK : fits(c, p, &why);

    return status ? cli_fail(status, "%s", why.text) : CLI_OK;
}
