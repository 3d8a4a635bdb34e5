/*
 * cmd_doctor.c - is a folder of tables whole?  doctor.
 *
 * Every file is read, all its bytes; then it is asked of each table whether those that it leads to
 * are there, too.  Tables are told in groups by what is the matter, games one after the other:
 *
 *   damaged      checksums, or what the head says, are wrong
 *   unreadable   the system does not let it be read: nobody knows what is in it
 *   newer        made by a later version, which knows what it is
 *   other-rules  the game of this name has other rules here
 *   half         one file of two: distances without results, or results that promise distances
 *   missing      no table, or no distances, of a material that others lead to: how many, and some
 *   unknown      a game or a name that this program does not know
 *   not-read     a board that a FEN shows, which the folder's name does not tell; no fault
 *   unfinished   the state of a table whose maker was stopped, or is at work; no fault
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/report.h"
#include "core/array.h"
#include "table/format.h"
#include "table/material.h"
#include "tb/memory/pool.h"

#define NAMED_MAX 3 /* how many of the tables that need a missing one are named */

enum trouble {
    DAMAGED,
    UNREADABLE,
    NEWER,
    OTHER_RULES,
    HALF,
    MISSING,
    UNKNOWN,
    NOT_READ,
    UNFINISHED,
    TROUBLES
};
static const char *const trouble_name[TROUBLES] = {
    "damaged", "unreadable", "newer",    "other-rules", "half",
    "missing", "unknown",    "not-read", "unfinished",
};

/* A file, and what became of reading it. */
struct looked {
    const struct folder_file *f;
    struct bk_material m;
    enum bk_kind kind;
    bool named; /* its name is a material's */
    enum bk_err err;
    struct bk_report why;
    bool distances, standalone, other_rules;
};

struct doctor {
    const struct cli *c;
    struct folder folder;
    struct bk_pool *pool;
    json_t *games; /* with --json */
    unsigned troubles[TROUBLES];
    /* the game at hand */
    struct bk_variant *v; /* NULL: unknown */
    char game[NAME_MAX + 1];
    struct looked *file; /* owned; n of them */
    size_t n;
    json_t *list;
    unsigned tables;
};

static bool is_fault(enum trouble what) { return what != NOT_READ && what != UNFINISHED; }

static void tell(struct doctor *d, enum trouble what, const char *name, const char *why)
{
    char shown[CLI_SHOWN_MAX];

    d->troubles[what]++;
    if (d->list)
        json_array_append_new(d->list,
                              json_pack("{ss so so}", "trouble", trouble_name[what], "file",
                                        ex_json_string(name), "why", ex_json_string(why)));
    else if (!d->c->quiet || is_fault(what))
        printf("  %-11s  %s: %s\n", trouble_name[what], cli_shown(shown, name), why);
}

/* == Reading files == */

static void look(void *context, uint64_t item, unsigned thread)
{
    struct doctor *d = context;
    struct looked *x = &d->file[item];
    char path[PATH_MAX];
    struct bk_file *f;

    (void)thread;
    if (!x->named)
        return;
    folder_path(path, &d->folder, x->f->path);
    x->err = bk_file_open_as(&f, path, d->v, &x->m, x->kind, &x->why);
    if (x->err) {
        x->other_rules = x->err == BK_E_CORRUPT && bk_file_other_rules(path, d->v);
        return;
    }
    x->distances = bk_file_info(f)->distances;
    x->standalone = bk_file_info(f)->standalone;
    x->err = bk_file_check(f, &x->why);
    bk_file_close(f);
}

/* Is the table looked for under this name? */
static bool is_its_name(const struct doctor *d, struct looked *x, const char *name)
{
    char proper[BK_MATERIAL_NAME_MAX];
    struct bk_material m = x->m;

    bk_material_canonical(&m, d->v);
    bk_material_name(&m, d->v, proper);
    return !strcmp(name, proper) ||
           !bk_fail(&x->why, BK_E_USAGE, "the table is looked for as %s", proper);
}

static void read_name(struct doctor *d, struct looked *x, const struct folder_file *f)
{
    const char *base = f->path + f->game_n + 1;
    char name[NAME_MAX + 1];

    *x = (struct looked){ .f = f };
    snprintf(name, sizeof name, "%.*s", (int)strlen(base) - 4, base);
    if (!bk_kind_of_name(&x->kind, base))
        bk_report_write(&x->why, "no kind of table that this version knows");
    else
        x->named =
            d->v && !bk_material_parse(&x->m, d->v, name, &x->why) && is_its_name(d, x, name);
}

/* The text of an error without the path that it begins with, which has been said. */
static const char *reason(const struct doctor *d, const struct looked *x)
{
    char path[PATH_MAX];
    size_t n = strlen(folder_path(path, &d->folder, x->f->path));

    return !strncmp(x->why.text, path, n) && x->why.text[n] == ':' ? x->why.text + n + 2
                                                                   : x->why.text;
}

/* == Pairs == */

static const struct looked *find(const struct doctor *d, const struct bk_material *m,
                                 enum bk_kind kind)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->file[i].named && d->file[i].kind == kind && bk_material_equal(&d->file[i].m, m))
            return &d->file[i];
    return NULL;
}

/* Returns the results that answer for a table: five results do, where there are no others. */
static const struct looked *results_of(const struct doctor *d, const struct bk_material *m)
{
    const struct looked *x = find(d, m, BK_KIND_WDL);

    return x ? x : find(d, m, BK_KIND_FIVE);
}

/* Returns the results that a file of distances belongs to: those that promise it, or, of distances
   to the end, five results that know nothing of them. */
static const struct looked *results_for(const struct doctor *d, const struct looked *x)
{
    return x->kind == BK_KIND_DTZ ? find(d, &x->m, BK_KIND_FIVE) : results_of(d, &x->m);
}

/* Tells what is wrong with distances, which belong to results that promise them: a build that made
   both anew may have been killed between the two renames. */
static void tell_distances(struct doctor *d, const struct looked *x, const char *name)
{
    const struct looked *results = results_for(d, x);
    const char *suffix =
        bk_kind_suffix(results ? results->kind : bk_kind_of(false, bk_kind_counts(x->kind)));
    char what[80];

    if (!results)
        snprintf(what, sizeof what, "distances, and no .%s is there", suffix);
    else if (results->err || bk_kind_counts(results->kind) != bk_kind_counts(x->kind))
        return;
    else if (!results->distances)
        snprintf(what, sizeof what, "distances that the .%s does not promise", suffix);
    else if (results->standalone != x->standalone)
        snprintf(what, sizeof what,
                 x->standalone ? "answers alone, and the .%s does not"
                               : "does not answer alone, as the .%s does",
                 suffix);
    else
        return;
    tell(d, HALF, name, what);
}

/* Tells of results that promise distances which are not there. */
static void tell_results(struct doctor *d, const struct looked *x, const char *name)
{
    enum bk_kind distances = bk_kind_of(true, bk_kind_counts(x->kind));
    char what[80];

    snprintf(what, sizeof what, "promises distances, and no .%s is there",
             bk_kind_suffix(distances));
    if (x->distances && !find(d, &x->m, distances))
        tell(d, HALF, name, what);
}

static void tell_file(struct doctor *d, const struct looked *x)
{
    const char *name = x->f->path + x->f->game_n + 1;

    if (!x->named)
        tell(d, UNKNOWN, name, d->v ? x->why.text : "no game of this name; say its .ini file");
    else if (x->err)
        tell(d,
             x->other_rules           ? OTHER_RULES
             : x->err == BK_E_CORRUPT ? DAMAGED
             : x->err == BK_E_NEWER   ? NEWER
                                      : UNREADABLE,
             name, reason(d, x));
    else if (bk_kind_is_results(x->kind))
        tell_results(d, x, name);
    else
        tell_distances(d, x, name);
    d->tables += x->named && results_of(d, &x->m) == x;
}

/* == What tables lead to == */

struct absent {
    unsigned needed; /* how many tables need it */
    bool distances;  /* its results are there, its distances are not */
    char by[NAMED_MAX][BK_MATERIAL_NAME_MAX];
};

struct absents {
    struct bk_materials seen; /* all that are missing */
    struct absent *of;        /* owned; by number in seen */
    size_t room;
};

/* Have results distances to the end beside them, or do they say so? */
static bool has_distances(const struct doctor *d, const struct looked *x)
{
    return x->kind == BK_KIND_FIVE ? find(d, &x->m, BK_KIND_DTW) != NULL : x->distances;
}

/* Is the table there, with distances if they are asked for?  *results: its results are.  What is
   damaged has been told. */
static bool is_there(const struct doctor *d, const struct bk_material *m, bool distances,
                     bool *results)
{
    const struct looked *x = results_of(d, m);

    *results = x != NULL;
    return x && (!distances || x->err || has_distances(d, x));
}

static bool note_absent(struct doctor *d, struct absents *a, const struct bk_material *m,
                        const struct bk_material *by, bool results)
{
    int64_t at = bk_materials_find(&a->seen, m);
    struct absent *x;

    if (at < 0) {
        at = (int64_t)a->seen.n;
        if (!BK_ARRAY_ROOM(a->of, a->room, a->seen.n + 1) || !bk_materials_add(&a->seen, m))
            return false;
        a->of[at] = (struct absent){ .distances = results };
    }
    x = &a->of[at];
    if (x->needed < NAMED_MAX)
        bk_material_name(by, d->v, x->by[x->needed]);
    x->needed++;
    return true;
}

static int note_needs(struct doctor *d, struct absents *a, const struct looked *x)
{
    struct bk_report why = { "" };
    struct bk_material *needed;
    size_t n;
    enum bk_err err = bk_materials_needed(&needed, &n, &x->m, d->v, &why);
    bool noted = true;

    if (err)
        return cli_fail_report(err, &why);
    for (size_t i = 1; noted && i < n; i++) {
        bool results;

        if (!is_there(d, &needed[i], has_distances(d, x), &results))
            noted = note_absent(d, a, &needed[i], &x->m, results);
    }
    free(needed);
    return noted ? CLI_OK : cli_no_memory();
}

static void tell_absent(struct doctor *d, const struct bk_material *m, const struct absent *x)
{
    char name[BK_MATERIAL_NAME_MAX], why[NAMED_MAX * BK_MATERIAL_NAME_MAX + 80];
    size_t n = (size_t)snprintf(why, sizeof why, "%s", x->distances ? "its distances, for" : "for");

    for (unsigned i = 0; i < x->needed && i < NAMED_MAX; i++)
        n += (size_t)snprintf(why + n, sizeof why - n, "%s %s", i ? "," : "", x->by[i]);
    if (x->needed > NAMED_MAX)
        snprintf(why + n, sizeof why - n, " and %u more", x->needed - NAMED_MAX);
    tell(d, MISSING, bk_material_name(m, d->v, name), why);
}

static int tell_needs(struct doctor *d)
{
    struct absents a = { .room = 0 };
    int status = CLI_OK;

    for (size_t i = 0; !status && i < d->n; i++) {
        const struct looked *x = &d->file[i];

        if (x->named && !x->err && results_of(d, &x->m) == x && !x->standalone)
            status = note_needs(d, &a, x);
    }
    for (size_t i = 0; !status && i < a.seen.n; i++)
        tell_absent(d, &a.seen.m[i], &a.of[i]);
    bk_materials_free(&a.seen);
    free(a.of);
    return status;
}

/* == What is unfinished == */

static int is_state(const struct dirent *e)
{
    const char *end = strrchr(e->d_name, '.');

    return *e->d_name == '.' && !strcmp(end, ".ckpt");
}

static void tell_unfinished(struct doctor *d)
{
    char path[PATH_MAX];
    struct dirent **e;
    int n = scandir(folder_path(path, &d->folder, d->game), &e, is_state, alphasort);

    for (int i = 0; i < n; i++) {
        tell(d, UNFINISHED, e[i]->d_name, "the command that was stopped goes on from it");
        free(e[i]);
    }
    if (n >= 0)
        free(e);
}

/* == A game's folder == */

/* Loads the game d->game, built in or one of those that were given; d->v: NULL if there is none. */
static int load_game(struct doctor *d)
{
    struct bk_report why = { "" };
    enum bk_err err = BK_OK;

    for (unsigned i = 1; !err && i < d->c->nargs; i++) {
        err = bk_variant_load(&d->v, d->c->arg[i], &why);
        if (!err && !strcmp(d->v->name, d->game))
            return CLI_OK;
        if (!err)
            bk_variant_free(d->v);
    }
    d->v = NULL;
    if (!err && bk_embedded_is(d->game))
        err = bk_variant_load(&d->v, d->game, &why);
    if (!err)
        return CLI_OK;
    d->v = NULL;
    return cli_fail_report(err, &why);
}

static int finish_game(struct doctor *d, uint64_t bytes, const unsigned before[TROUBLES])
{
    char size[CLI_TEXT_MAX];
    unsigned bad = 0, faults = 0;

    for (unsigned k = 0; k < TROUBLES; k++) {
        bad += d->troubles[k] - before[k];
        faults += is_fault(k) ? d->troubles[k] - before[k] : 0;
    }
    if (d->games)
        json_array_append_new(d->games,
                              json_pack("{so sI si sI so}", "variant", ex_json_string(d->game),
                                        "files", (json_int_t)d->n, "tables", (int)d->tables,
                                        "bytes", (json_int_t)bytes, "troubles", d->list));
    else if (!d->c->quiet || faults) /* troubles do not name the game */
        printf("%s: %u table%s, %zu file%s, %s%s\n", d->game, d->tables, d->tables == 1 ? "" : "s",
               d->n, d->n == 1 ? "" : "s", cli_bytes(size, bytes), bad ? "" : ": whole");
    return CLI_OK;
}

/* Looks at one game, files [first, end) of the folder. */
static int look_at_game(struct doctor *d, size_t first, size_t end)
{
    unsigned before[TROUBLES];
    uint64_t bytes = 0;
    int status;

    memcpy(before, d->troubles, sizeof before);
    d->n = end - first;
    d->tables = 0;
    if (d->games && !(d->list = json_array()))
        return cli_no_memory();
    d->file = malloc(d->n * sizeof *d->file);
    if (!d->file)
        return cli_no_memory();
    for (size_t i = 0; i < d->n; i++) {
        read_name(d, &d->file[i], &d->folder.file[first + i]);
        bytes += d->folder.file[first + i].bytes;
    }
    if (d->v)
        bk_pool_run(d->pool, d->n, look, d);
    for (size_t i = 0; d->v && i < d->n; i++)
        tell_file(d, &d->file[i]);
    if (!d->v && strchr(d->game, '@'))
        tell(d, NOT_READ, d->game, "a board that a FEN shows: `check GAME --for FEN` looks at it");
    else if (!d->v)
        tell(d, UNKNOWN, d->game, "no game of this name is built in: give its .ini file, too");
    status = d->v ? tell_needs(d) : CLI_OK;
    tell_unfinished(d);
    free(d->file);
    return status ? status : finish_game(d, bytes, before);
}

static int look_at_all(struct doctor *d)
{
    int status = CLI_OK;
    size_t first = 0, end;

    for (; !status && first < d->folder.n; first = end) {
        const struct folder_file *f = &d->folder.file[first];

        for (end = first + 1; end < d->folder.n; end++)
            if (d->folder.file[end].game_n != f->game_n ||
                strncmp(d->folder.file[end].path, f->path, f->game_n) != 0)
                break;
        snprintf(d->game, sizeof d->game, "%.*s", (int)f->game_n, f->path);
        status = load_game(d);
        if (!status)
            status = look_at_game(d, first, end);
        bk_variant_free(d->v);
    }
    return status;
}

/* Returns the exit status of the worst that was found. */
static int verdict(const struct doctor *d)
{
    if (d->troubles[UNREADABLE])
        return CLI_SYSTEM;
    if (d->troubles[DAMAGED] || d->troubles[NEWER] || d->troubles[OTHER_RULES] || d->troubles[HALF])
        return CLI_DAMAGED;
    return d->troubles[MISSING] || d->troubles[UNKNOWN] ? CLI_NO : CLI_OK;
}

int cmd_doctor(struct cli *c)
{
    struct doctor d = { .c = c };
    struct bk_report why = { "" };
    enum bk_err err;
    int status;

    cli_end_on_signals();
    for (unsigned i = 1; i < c->nargs; i++)
        if ((err = bk_variant_load(&d.v, c->arg[i], &why)) != BK_OK)
            return cli_fail_report(err, &why);
        else
            bk_variant_free(d.v);
    status = folder_read(&d.folder, c->arg[0]);
    if (status)
        return status;
    if (!d.folder.n)
        status = folder_fail_empty(&d.folder);
    if (!status && (err = bk_pool_open(&d.pool, c->threads, &why)) != BK_OK)
        status = cli_fail_report(err, &why);
    if (!status) {
        d.games = json_incref(c->list);
        status = look_at_all(&d);
        bk_pool_close(d.pool);
        if (!status && c->json)
            status = cli_print_json(
                json_pack("{so sO}", "dir", ex_json_string(c->arg[0]), "games", d.games));
        json_decref(d.games);
        if (!status)
            status = verdict(&d);
    }
    folder_free(&d.folder);
    return status;
}
