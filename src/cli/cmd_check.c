/*
 * cmd_check.c - may the tables be trusted?  check (checksums), verify (values).
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/report.h"
#include "table/format.h"
#include "tb/build/build.h"
#include "tb/verify.h"

/* Of two statuses the one that matters more: damage before absence. */
static int worse(int a, int b) { return a > b ? a : b; }

/* == check: one file == */

struct checker {
    const struct cli *c;
    const struct bk_variant *v;
    json_t *list; /* with --json */
    unsigned files, bad;
    uint64_t bytes;
    bool has_distances; /* the last file said that a .bkd belongs to it */
};

static int report_file(struct checker *k, const char *path, uint64_t bytes, enum bk_err err,
                       const struct bk_report *why)
{
    k->files++;
    k->bytes += bytes;
    k->bad += err != BK_OK;
    if (k->list)
        json_array_append_new(k->list, json_pack("{ss sb sI}", "path", path, "ok", err == BK_OK,
                                                 "bytes", (json_int_t)bytes));
    else if (!err && !k->c->quiet)
        printf("%s: good\n", path);
    return err ? cli_fail_report(err, why) : CLI_OK;
}

/* name: the material in the file's name, which its header must agree with. */
static int check_file(struct checker *k, const char *path, const char *name, enum bk_kind kind)
{
    struct bk_report why = { "" };
    struct bk_file *f;
    enum bk_err err = bk_file_open(&f, path, k->v, &why);
    uint64_t bytes;
    int status;

    k->has_distances = false;
    if (err)
        return report_file(k, path, 0, err, &why);
    bytes = bk_file_bytes(f);
    k->has_distances = bk_file_info(f)->distances;
    if (bk_file_info(f)->kind != kind || strcmp(bk_file_info(f)->material, name))
        err = bk_fail(&why, BK_E_CORRUPT, "%s: holds the %s of %s", path,
                      bk_file_info(f)->kind == BK_KIND_WDL ? "results" : "distances",
                      bk_file_info(f)->material);
    else
        err = bk_file_check(f, &why);
    status = report_file(k, path, bytes, err, &why);
    bk_file_close(f);
    return status;
}

/* == check: a material, a folder == */

static int check_material(struct checker *k, const struct bk_material *m)
{
    struct bk_material kept = *m;
    char path[PATH_MAX], name[BK_MATERIAL_NAME_MAX];
    int status;

    bk_material_canonical(&kept, k->v);
    if (bk_material_by_rule(&kept, k->v))
        return CLI_OK;
    bk_material_name(&kept, k->v, name);
    if (access(bk_table_path(path, k->c->dir, k->v, &kept, BK_KIND_WDL), F_OK))
        return cli_fail_no_table(k->c, k->v, m);
    status = check_file(k, path, name, BK_KIND_WDL);
    bk_table_path(path, k->c->dir, k->v, &kept, BK_KIND_DTW);
    if (access(path, F_OK)) {
        if (k->has_distances)
            status = worse(status,
                           cli_fail(CLI_NO, "%s: not there, but %s says it should be", path, name));
        return status;
    }
    return worse(status, check_file(k, path, name, BK_KIND_DTW));
}

static int is_table_file(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 4 && (!strcmp(e->d_name + n - 4, ".bkw") || !strcmp(e->d_name + n - 4, ".bkd"));
}

static int check_folder(struct checker *k)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct dirent **entry;
    int n, status = CLI_OK;

    snprintf(folder, sizeof folder, "%s/%s", k->c->dir, k->v->name);
    n = scandir(folder, &entry, is_table_file, alphasort);
    if (n <= 0)
        status = cli_fail(CLI_NO, "no tables of %s in %s", k->v->name, k->c->dir);
    for (int i = 0; i < n; i++) {
        char *name = entry[i]->d_name, *dot = strrchr(name, '.');
        enum bk_kind kind = strcmp(dot, ".bkw") ? BK_KIND_DTW : BK_KIND_WDL;

        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path) {
            *dot = 0;
            status = worse(status, check_file(k, path, name, kind));
        }
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
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
    k.list = c->json ? json_array() : NULL;
    if (c->nargs == 1)
        status = check_folder(&k);
    for (unsigned i = 0; i + 1 < c->nargs; i++)
        status = worse(status, check_material(&k, &m[i]));
    if (c->json)
        status = worse(status,
                       cli_print_json(json_pack("{ss so}", "variant", v->name, "files", k.list)));
    else if (!c->quiet && !status)
        printf("%u file%s, %s: all good\n", k.files, k.files == 1 ? "" : "s",
               cli_bytes(bytes, k.bytes));
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
        printf("%s: %s positions agree with their successors\n", name,
               cli_count(text, r->positions));
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

/* The materials that were named, or all up to --men, or what --for needs. */
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
        for (unsigned i = 0; !err && !status && i < plan->n; i++)
            status = verify_one(f, &plan->table[i].m);
        if (!err)
            bk_plan_free(plan);
    }
    free(m);
    return status;
}

/* Every thread has files of its own open: tables times threads. */
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

    if (c->nargs > 1 ? c->men > 0 : !c->men && !c->terrain)
        return cli_fail(CLI_USAGE, "verify: give materials or --men N%s; see bareking verify -h",
                        c->men ? ", not both" : "");
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
    f.list = c->json ? json_array() : NULL;
    status = verify_all(&f);
    if (c->json)
        status = worse(status,
                       cli_print_json(json_pack("{ss so}", "variant", v->name, "tables", f.list)));
    bk_pool_close(f.pool);
    bk_variant_free(v);
    return status;
}
