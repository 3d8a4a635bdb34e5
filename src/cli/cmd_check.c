/*
 * cmd_check.c - may the tables be trusted?  check (checksums), verify (values).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/plans.h"
#include "cli/report.h"
#include "table/format.h"
#include "table/listing.h"
#include "table/material.h"
#include "tb/make/build.h"
#include "tb/verify.h"

/* Returns the exit status that matters more: damage before absence. */
static int worse(int a, int b) { return a > b ? a : b; }

/* == check: one file == */

struct checker {
    const struct cli *c;
    const struct bk_variant *v;
    json_t *list; /* with --json */
    unsigned files;
    uint64_t bytes;
    struct bk_materials done; /* with --deep: tables that were looked at */
    /* what the last file says of itself */
    bool has_distances; /* distances belong to it */
    bool standalone;
};

static int report_file(struct checker *k, const char *path, uint64_t bytes, enum bk_err err,
                       const struct bk_report *why)
{
    char shown[CLI_SHOWN_MAX];

    k->files++;
    k->bytes += bytes;
    if (k->list)
        json_array_append_new(k->list, json_pack("{so sb sI}", "path", ex_json_string(path), "ok",
                                                 err == BK_OK, "bytes", (json_int_t)bytes));
    else if (!err && !k->c->quiet)
        printf("%s: good\n", cli_shown(shown, path));
    return err ? cli_fail_report(err, why) : CLI_OK;
}

/* Checks one file.  m: the material of its name, which its header must agree with. */
static int check_file(struct checker *k, const char *path, const struct bk_material *m,
                      enum bk_kind kind)
{
    struct bk_report why = { "" };
    struct bk_file *f;
    enum bk_err err = bk_file_open_as(&f, path, k->v, m, kind, &why);
    uint64_t bytes;
    int status;

    k->has_distances = k->standalone = false;
    if (err)
        return report_file(k, path, 0, err, &why);
    bytes = bk_file_bytes(f);
    k->has_distances = bk_file_info(f)->distances;
    k->standalone = bk_file_info(f)->standalone;
    err = bk_file_check(f, &why);
    status = report_file(k, path, bytes, err, &why);
    bk_file_close(f);
    return status;
}

/* Reports a file of distances that is not there, though its results, of this kind, say it should
   be. */
static int fail_promised(struct checker *k, const char *path, const char *name,
                         enum bk_kind results)
{
    struct bk_report why = { "" };

    bk_fail(&why, BK_E_CORRUPT, "%s: not there, but %s.%s says it should be", path, name,
            bk_kind_suffix(results));
    return report_file(k, path, 0, BK_E_CORRUPT, &why);
}

/* Reports distances without results: nobody can ask for them. */
static int fail_alone(struct checker *k, const char *path, const char *name, enum bk_kind kind)
{
    struct bk_report why = { "" };

    bk_fail(&why, BK_E_CORRUPT, "%s: distances, and no %s.%s is there", path, name,
            bk_kind_suffix(bk_kind_of(false, bk_kind_counts(kind))));
    return report_file(k, path, 0, BK_E_CORRUPT, &why);
}

/* == check: a material, and what it needs == */

/* Is a file of a table there?  What may not be looked at counts as there: reading it says why it
   cannot be read. */
static bool is_there(const struct checker *k, const struct bk_material *m, enum bk_kind kind)
{
    char path[PATH_MAX];

    return !access(bk_table_find(path, k->c->dir, k->v, m, kind), F_OK) || !bk_not_there(errno);
}

/* Returns the kind of the results that answer for a table: five results do, where there are no
   others. */
static enum bk_kind results_of(const struct checker *k, const struct bk_material *m)
{
    return !is_there(k, m, BK_KIND_WDL) && is_there(k, m, BK_KIND_FIVE) ? BK_KIND_FIVE
                                                                        : BK_KIND_WDL;
}

static bool has_results(const struct checker *k, const struct bk_material *m)
{
    return is_there(k, m, results_of(k, m));
}

/* Checks results and their distances, with the n-move rule or without it. */
static int check_pair(struct checker *k, const struct bk_material *m, bool counts)
{
    enum bk_kind results = bk_kind_of(false, counts), distances = bk_kind_of(true, counts);
    char path[PATH_MAX], name[BK_MATERIAL_NAME_MAX];
    bool promised = false, standalone = false;
    int status = CLI_OK;

    if (is_there(k, m, results)) {
        status = check_file(k, bk_table_find(path, k->c->dir, k->v, m, results), m, results);
        promised = k->has_distances;
        standalone = k->standalone;
    }
    bk_table_find(path, k->c->dir, k->v, m, distances);
    if (is_there(k, m, distances))
        status = worse(status, check_file(k, path, m, distances));
    else if (promised)
        status = worse(status, fail_promised(k, path, bk_material_name(m, k->v, name), results));
    k->has_distances = promised;
    k->standalone = standalone;
    return status;
}

/* Checks all files of a table whose results are there. */
static int check_table(struct checker *k, const struct bk_material *m)
{
    int status = check_pair(k, m, false);
    bool distances = k->has_distances, standalone = k->standalone;

    if (is_there(k, m, BK_KIND_FIVE)) {
        status = worse(status, check_pair(k, m, true));
        if (!is_there(k, m, BK_KIND_WDL)) { /* what these answer for */
            distances = is_there(k, m, BK_KIND_DTW);
            standalone = k->standalone;
        }
    }
    k->has_distances = distances;
    k->standalone = standalone;
    return status;
}

/* Checks a smaller table that `of` needs; distances: needs its distances, too. */
static int check_needed(struct checker *k, const struct bk_material *m,
                        const struct bk_material *of, bool distances)
{
    char name[BK_MATERIAL_NAME_MAX], needs[BK_MATERIAL_NAME_MAX];
    enum bk_kind kind = has_results(k, m) ? BK_KIND_DTW : BK_KIND_WDL;
    int status = CLI_OK;

    if (kind == BK_KIND_DTW && bk_materials_find(&k->done, m) < 0) {
        if (!bk_materials_add(&k->done, m))
            return cli_no_memory();
        status = check_table(k, m);
        if (k->has_distances) /* what is missing of it has been said */
            return status;
    }
    if (kind == BK_KIND_WDL || (distances && !is_there(k, m, kind)))
        status = worse(status, cli_fail(CLI_NO, "no %s %s of %s in %s, which %s needs",
                                        kind == BK_KIND_WDL ? "table" : "distances of",
                                        bk_material_name(m, k->v, name), k->v->name, k->c->dir,
                                        bk_material_name(of, k->v, needs)));
    return status;
}

/* --deep: checks all tables that positions of `m` may lead to, as verify asks them. */
static int check_below(struct checker *k, const struct bk_material *m, bool distances)
{
    struct bk_report why = { "" };
    struct bk_material *needed;
    size_t n;
    enum bk_err err = bk_materials_needed(&needed, &n, m, k->v, &why);
    int status = CLI_OK;

    if (err)
        return cli_fail_report(err, &why);
    for (size_t i = 1; i < n; i++)
        status = worse(status, check_needed(k, &needed[i], m, distances));
    free(needed);
    return status;
}

static int check_material(struct checker *k, const struct bk_material *m)
{
    struct bk_material kept = *m;
    int status;

    bk_material_canonical(&kept, k->v);
    if (bk_material_by_rule(&kept, k->v))
        return CLI_OK;
    if (!has_results(k, &kept))
        return cli_fail_no_table(k->c, k->v, m);
    if (bk_materials_find(&k->done, &kept) < 0 && !bk_materials_add(&k->done, &kept))
        return cli_no_memory();
    status = check_table(k, &kept);
    if (k->c->deep && !k->standalone)
        status = worse(status, check_below(k, &kept, k->has_distances));
    return status;
}

/* == check: a folder == */

static int is_table_file(const struct dirent *e)
{
    enum bk_kind kind;

    return strlen(e->d_name) > 4 && bk_kind_of_name(&kind, e->d_name);
}

/* Checks a file of `folder`, by its name in the directory. */
static int check_entry(struct checker *k, const char *folder, char *name)
{
    char path[PATH_MAX], *dot = strrchr(name, '.');
    enum bk_kind kind = BK_KIND_WDL, distances;
    struct bk_report why = { "" }, inner = { "" };
    struct bk_material m;
    bool promised;
    int status;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return cli_fail(CLI_SYSTEM, "%s: %s", folder, strerror(ENAMETOOLONG));
    bk_kind_of_name(&kind, name);
    distances = bk_kind_of(true, bk_kind_counts(kind));
    *dot = 0;
    if (bk_material_parse(&m, k->v, name, &inner)) {
        bk_fail(&why, BK_E_CORRUPT, "%s: no table has this name: %s", path, inner.text);
        return report_file(k, path, 0, BK_E_CORRUPT, &why);
    }
    status = check_file(k, path, &m, kind);
    promised = k->has_distances;
    if (!bk_kind_is_results(kind))
        return is_there(k, &m, bk_kind_of(false, bk_kind_counts(kind))) ||
                       (kind == BK_KIND_DTW && has_results(k, &m))
                   ? status
                   : worse(status, fail_alone(k, path, name, kind));
    if (k->c->deep && !k->standalone)
        status = worse(status, check_below(k, &m, promised && !bk_kind_counts(kind)));
    strcpy(path + strlen(path) - 3, bk_kind_suffix(distances));
    if (promised && !is_there(k, &m, distances))
        status = worse(status, fail_promised(k, path, name, kind));
    return status;
}

/* With --deep: notes the folder's tables as done, as each is looked at in its turn. */
static int note_entries(struct checker *k, struct dirent **entry, int n)
{
    struct bk_material m;
    enum bk_kind kind;
    char name[BK_MATERIAL_NAME_MAX];

    for (int i = 0; i < n; i++) {
        size_t length = strlen(entry[i]->d_name) - 4;

        if (!bk_kind_of_name(&kind, entry[i]->d_name) || !bk_kind_is_results(kind) ||
            length >= sizeof name)
            continue;
        memcpy(name, entry[i]->d_name, length);
        name[length] = 0;
        if (!bk_material_parse(&m, k->v, name, NULL) && !bk_materials_add(&k->done, &m))
            return cli_no_memory();
    }
    return CLI_OK;
}

/* Checks the files of the folder that `length` letters of `dir` name; *any is set if there are. */
static int check_folder(struct checker *k, const char *dir, size_t length, bool *any)
{
    char folder[PATH_MAX];
    struct dirent **entry;
    int n, status = CLI_OK;

    snprintf(folder, sizeof folder, "%.*s/%s", (int)length, dir, k->v->name);
    n = scandir(folder, &entry, is_table_file, alphasort);
    if (n < 0 && !bk_not_there(errno))
        status = cli_fail(CLI_SYSTEM, "%s: %s", folder, strerror(errno));
    *any |= n > 0;
    if (n > 0 && k->c->deep)
        status = note_entries(k, entry, n);
    for (int i = 0; i < n; i++) {
        status = worse(status, check_entry(k, folder, entry[i]->d_name));
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return status;
}

static int check_folders(struct checker *k)
{
    const char *dirs = k->c->dir;
    char odd[400];
    int status = CLI_OK;
    bool any = false;

    while (*dirs) {
        size_t n = strcspn(dirs, ":");

        if (n)
            status = worse(status, check_folder(k, dirs, n, &any));
        dirs += n + (dirs[n] == ':');
    }
    if (!any && !status)
        status = cli_fail(CLI_NO, "no tables of %s in %s%s", k->v->name, k->c->dir,
                          cli_odd_folders(odd, sizeof odd, k->c, k->v));
    return status;
}

int cmd_check(struct cli *c)
{
    struct checker k = { .c = c };
    struct bk_material *m = NULL;
    struct bk_variant *v;
    char bytes[CLI_TEXT_MAX];
    int status = cli_variant(c, &v);

    if (status)
        return status;
    status = cli_materials(c, v, &m);
    if (status) {
        bk_variant_free(v);
        return status;
    }
    k.v = v;
    k.list = json_incref(c->list);
    if (c->nargs == 1)
        status = check_folders(&k);
    for (unsigned i = 0; i + 1 < c->nargs; i++)
        status = worse(status, check_material(&k, &m[i]));
    if (c->json)
        status = worse(status,
                       cli_print_json(json_pack("{ss so}", "variant", v->name, "files", k.list)));
    else if (!c->quiet && !status)
        printf("%u file%s, %s: all good\n", k.files, k.files == 1 ? "" : "s",
               cli_bytes(bytes, k.bytes));
    bk_materials_free(&k.done);
    free(m);
    bk_variant_free(v);
    return status;
}

/* == verify == */

struct verification {
    const struct cli *c;
    const struct bk_variant *v;
    struct bk_pool *pool;
    json_t *list;
    bool bar;
    const char *table; /* being verified */
};

static void draw_bar(void *context, uint64_t done, uint64_t all)
{
    const struct verification *f = context;

    fprintf(stderr, "\r%s  %3.0f %%\033[K", f->table, all ? 100.0 * (double)done / (double)all : 0);
    fflush(stderr);
}

static void tell_verified(const struct verification *f, const char *name,
                          const struct bk_verify_result *r)
{
    char text[CLI_TEXT_MAX];

    if (f->list) {
        json_t *first = r->different
                            ? json_pack("{ss ss}", "fen", r->first_fen, "why", r->first_why)
                            : json_null();

        json_array_append_new(f->list, json_pack("{ss sI sI sb so}", "material", name, "positions",
                                                 (json_int_t)r->positions, "different",
                                                 (json_int_t)r->different, "counts_agree",
                                                 (int)r->counts_agree, "first", first));
    } else if (!f->c->quiet && !r->different && r->counts_agree) {
        printf("%s: %s position%s with their successors\n", name, cli_count(text, r->positions),
               r->positions == 1 ? " agrees" : "s agree");
        fflush(stdout);
    }
}

static int verify_one(struct verification *f, const struct bk_material *m)
{
    struct bk_verify_options o = { .pool = f->pool,
                                   .sample = f->c->sample,
                                   .seed = f->c->seed,
                                   .memory = f->c->memory,
                                   .context = f,
                                   .progress = f->bar ? draw_bar : NULL,
                                   .stop = &cli_stop };
    struct bk_material kept = *m;
    struct bk_verify_result r;
    struct bk_report why = { "" };
    char name[BK_MATERIAL_NAME_MAX];
    enum bk_err err;

    bk_material_canonical(&kept, f->v);
    bk_material_name(&kept, f->v, name);
    if (bk_material_by_rule(&kept, f->v)) {
        if (!f->c->quiet && !f->list)
            printf("%s: decided by rule; no table\n", name);
        return CLI_OK;
    }
    memset(&r, 0, sizeof r);
    f->table = name; /* while it is verified */
    err = bk_verify(f->v, f->c->dir, &kept, &o, &r, &why);
    f->table = NULL;
    if (f->bar)
        fputs("\r\033[K", stderr);
    if (err && cli_stop)
        return cli_fail(CLI_SYSTEM, "interrupted");
    if (!err || err == BK_E_DIFFERS)
        tell_verified(f, name, &r);
    if (err == BK_E_NO_TABLE)
        return cli_fail_no_table(f->c, f->v, &kept);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

/* Verifies the materials that were named, or all up to --men, or what --for needs. */
static int verify_all(struct verification *f)
{
    struct bk_material *m = NULL;
    struct bk_plan *plan = NULL;
    struct bk_report why = { "" };
    enum bk_err err;
    unsigned named;
    int status = cli_wanted(f->c, f->v, &m, &named);
    bool below = f->c->nargs == 1; /* --men, --for: also the tables that they need */

    for (unsigned i = 0; !status && !below && i < named; i++)
        status = verify_one(f, &m[i]);
    if (!status && below) {
        cli_end_on_signals(); /* a plan of all materials takes its time */
        err = bk_plan_new(&plan, f->v, f->c->dir, m, named, f->c->men, false, &why);
        cli_catch_signals();
        if (err)
            status = cli_fail_report(err, &why);
        if (!err && !plan->n && !f->c->quiet && !f->list)
            printf("nothing to verify: decided by rule\n");
        for (unsigned i = 0; !err && !status && i < plan->n; i++)
            status = verify_one(f, &plan->table[i].m);
        if (!err)
            bk_plan_free(plan);
    }
    free(m);
    return status;
}

/* Raises the limit of open files: every thread has files of its own open, tables times threads. */
static void allow_files(void)
{
    struct rlimit r;

    if (!getrlimit(RLIMIT_NOFILE, &r)) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r); /* else opening the last of them will say so */
    }
}

int cmd_verify(struct cli *c)
{
    struct verification f = { .c = c, .bar = !c->quiet && isatty(STDERR_FILENO) };
    struct bk_report why = { "" };
    struct bk_variant *v;
    enum bk_err err;
    int status;

    status = cli_plan_wanted(c);
    if (!status)
        status = cli_variant(c, &v);
    if (status)
        return status;
    f.v = v;
    cli_catch_signals();
    allow_files();
    err = bk_pool_open(&f.pool, c->threads, &why);
    if (err) {
        bk_variant_free(v);
        return cli_fail_report(err, &why);
    }
    f.list = json_incref(c->list);
    status = verify_all(&f);
    if (status == CLI_USAGE) /* it is no answer that nothing was verified */
        json_decref(f.list);
    else if (c->json)
        status = worse(status,
                       cli_print_json(json_pack("{ss so}", "variant", v->name, "tables", f.list)));
    bk_pool_close(f.pool);
    bk_variant_free(v);
    return status;
}
