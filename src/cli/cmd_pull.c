/*
 * cmd_pull.c - tables from elsewhere: needs, pull, push.
 *
 * What is wanted is known before anybody is asked: a file is looked for in the source's list by the
 * name that the game and the material give it, so no list can name a place to write to.  A file
 * gets its name when it has the size and the hash of the list, is on the disk, and is the table
 * that its name says (docs/fetching.md).
 *
 * Invariants
 *   - A table is locked while its files are looked at, fetched and named (tb/make/lock.h): builds
 *     and pulls in one folder wait for each other, table by table.
 *   - What has come of a file stays under the name that a build would write it to, PATH.part
 *     (table/write.h), so the next build removes it, and the next pull goes on with it.
 *   - Distances get their name before the results that promise them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cli/bar.h"
#include "cli/fetch.h"
#include "cli/manifest.h"
#include "cli/plans.h"
#include "cli/report.h"
#include "cli/save.h"
#include "core/clock.h"
#include "core/rules.h"
#include "table/format.h"
#include "table/write.h"
#include "tb/make/lock.h"
#include "tb/make/plan.h"

#define LIST_MOST  (UINT64_C(64) << 20) /* bytes of a list */
#define IDLE_TRIES 6                    /* without a byte between them */
#define TRIES      50                   /* of a file */
#define KINDS      2

/* == What is wanted == */

struct wanted {
    struct bk_variant *v;  /* owned */
    struct bk_material *m; /* owned: tables, each after those that it leads to */
    unsigned n, kinds;     /* kinds: of files of each; 1: results alone */
    bool counts;           /* those by the n-move rule */
};

static void wanted_free(struct wanted *w)
{
    free(w->m);
    bk_variant_free(w->v);
    *w = (struct wanted){ .n = 0 };
}

/* Reads VARIANT MATERIAL... or --men N.  Returns an exit status; CLI_OK: *w is owned. */
static int read_wanted(const struct cli *c, struct wanted *w)
{
    struct bk_report why = { "" };
    struct bk_material *m = NULL;
    unsigned n;
    enum bk_err err;
    int status = cli_plan_wanted(c);

    *w = (struct wanted){ .kinds = c->wdl ? 1 : KINDS, .counts = c->dtz };
    if (!status)
        status = cli_variant(c, &w->v);
    if (!status && c->dtz && !bk_rules_nmove(w->v))
        status = cli_fail(CLI_USAGE, "%s has no n-move rule", w->v->name);
    if (!status)
        status = cli_wanted(c, w->v, &m, &n);
    if (!status && (err = bk_plan_materials(&w->m, &w->n, w->v, m, n, c->men, &why)) != BK_OK)
        status = cli_fail_report(err, &why);
    free(m);
    if (status)
        wanted_free(w);
    return status;
}

/* Sets `out` to the name of a file below a folder of tables, and returns it. */
static const char *file_name(char out[PATH_MAX], const struct wanted *w, unsigned table,
                             unsigned nth)
{
    return bk_table_path(out, ".", w->v, &w->m[table], bk_kind_of(nth, w->counts)) + strlen("./");
}

int cmd_needs(struct cli *c)
{
    struct wanted w;
    int status = read_wanted(c, &w);
    char path[PATH_MAX];

    if (status)
        return status;
    for (unsigned i = 0; i < w.n * w.kinds; i++) {
        const char *name = file_name(path, &w, i / w.kinds, i % w.kinds);

        if (c->json)
            json_array_append_new(c->list, ex_json_string(name));
        else
            puts(name);
    }
    if (!w.n && !c->json)
        cli_note("no files: decided by rule");
    if (c->json)
        status = cli_print_json(json_pack("{ss sO}", "variant", w.v->name, "files", c->list));
    wanted_free(&w);
    return status;
}

/* == A pull == */

enum state {
    MISSING, /* to be fetched: it is not there, or damaged */
    RIGHT,   /* there, as the list has it */
    OTHER,   /* there, whole, and not as the list has it: of another build */
    FETCHED, /* whole and right, not named yet; or named */
};

struct pulled_file {
    char *path;                        /* below the folder; owned */
    const struct manifest_entry *want; /* NULL: the source has none */
    enum state state;
    bool distances, standalone; /* what a whole file that is there says of itself */
};

struct pull {
    const struct cli *c;
    const char *source, *dir; /* from where, into which folder */
    struct wanted wanted;
    struct fetch from;
    struct manifest list;
    char list_name[PATH_MAX]; /* for messages */
    struct pulled_file *file; /* owned; by table and kind, n of them */
    size_t n;
    struct cli_bar bar;
    uint64_t total, done, came; /* bytes to fetch; of whole files; that came in this run */
    unsigned nth, pulled;
    uint64_t bytes; /* of files that were pulled */
    bool ends;      /* no other file will come, either */
};

static double patience(void)
{
    const char *wish = getenv("BAREKING_PATIENCE");

    return wish && atof(wish) > 0 ? atof(wish) : 30;
}

/* Says why a pull ends. */
#define fail_all(p, status, ...)                                                                   \
    ((p)->ends = true, cli_bar_clear(&(p)->bar), cli_fail(status, __VA_ARGS__))

static char *path_of(char out[PATH_MAX], const struct pull *p, const struct pulled_file *f)
{
    if ((size_t)snprintf(out, PATH_MAX, "%s/%s", p->dir, f->path) >= PATH_MAX)
        *out = 0; /* no file has this name */
    return out;
}

static const struct bk_material *material_of(const struct pull *p, const struct pulled_file *f)
{
    return &p->wanted.m[(size_t)(f - p->file) / p->wanted.kinds];
}

static enum bk_kind kind_of(const struct pull *p, const struct pulled_file *f)
{
    return bk_kind_of((size_t)(f - p->file) % p->wanted.kinds, p->wanted.counts);
}

static void draw(struct pull *p, const struct pulled_file *f, uint64_t have)
{
    double now = bk_now_seconds(), gone = now - p->bar.start;
    uint64_t done = p->done + have, total = p->total > done ? p->total : done;
    char rate[CLI_TEXT_MAX], what[CLI_TEXT_MAX + 8];

    if (!p->bar.on || now - p->bar.drawn < 0.2 || !p->came)
        return;
    p->bar.drawn = now;
    snprintf(what, sizeof what, "  %s/s",
             cli_bytes(rate, (uint64_t)((double)p->came / (gone > 0 ? gone : 1))));
    cli_bar_draw((double)done / (double)total, strrchr(f->path, '/') + 1, p->nth, p->wanted.n, what,
                 (double)(total - done) * gone / (double)p->came);
}

/* Waits before the next try; false: a signal came. */
static bool pause_before(unsigned idle)
{
    double until = bk_now_seconds() + patience() / 30 * (1u << (idle < 5 ? idle : 5));
    const struct timespec step = { .tv_nsec = 20000000 };

    while (!cli_stop && bk_now_seconds() < until)
        nanosleep(&step, NULL);
    return !cli_stop;
}

/* == The list of the source == */

/* A list under way. */
struct text {
    char *at; /* owned */
    size_t n, room;
    bool large, no_room;
};

static bool begin_text(void *context, uint64_t from)
{
    (void)from; /* asked from its beginning */
    ((struct text *)context)->n = 0;
    return true;
}

static bool put_text(void *context, const void *bytes, size_t n)
{
    struct text *t = context;

    t->large = t->n + n > LIST_MOST;
    if (t->large)
        return false;
    if (t->n + n >= t->room) {
        char *more = realloc(t->at, t->room = 2 * (t->n + n) + 1);

        t->no_room = !more;
        if (!more)
            return false;
        t->at = more;
    }
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    return true;
}

static bool tick_text(void *context)
{
    (void)context;
    return !cli_stop;
}

/* Fetches a list.  *text: owned. */
static enum fetch_end fetch_text(struct pull *p, const char *path, struct text *text,
                                 struct bk_report *why)
{
    const struct fetch_sink sink = { text, begin_text, put_text, tick_text };
    enum fetch_end end;

    *text = (struct text){ .at = calloc(1, 1), .room = 1 };
    for (unsigned idle = 0;; idle++) {
        end = text->at ? fetch_file(&p->from, path, 0, &sink, why) : FETCH_ENDED;
        if (end != FETCH_CUT || idle == IDLE_TRIES || !pause_before(idle))
            break;
    }
    if (text->at)
        text->at[text->n] = 0;
    text->no_room |= !text->at;
    return end;
}

static int fail_list(const struct text *text, enum fetch_end end, const struct bk_report *why,
                     const char *source)
{
    if (text->no_room)
        return cli_no_memory();
    if (text->large)
        return cli_fail(CLI_USAGE, "%s: a list of more than %llu MiB", source,
                        (unsigned long long)(LIST_MOST >> 20));
    if (cli_stop)
        return cli_fail(CLI_SYSTEM, "interrupted");
    if (end == FETCH_NONE)
        return cli_fail(CLI_NO, "%s: no %s there, nor in tables: `bareking manifest` makes it",
                        source, MANIFEST_NAME);
    return cli_fail(CLI_SYSTEM, "%s", why->text);
}

/* Lists, by their hashes, the wanted files of a folder that has no list. */
static int list_folder(struct pull *p)
{
    char path[PATH_MAX];
    int status;

    p->list.entry = calloc(p->n + 1, sizeof *p->list.entry);
    if (!p->list.entry)
        return cli_no_memory();
    for (size_t i = 0; i < p->n; i++) {
        struct manifest_entry *e = &p->list.entry[p->list.n++];

        snprintf(path, sizeof path, "%s/%s", p->source, p->file[i].path);
        e->path = p->file[i].path;
        e->look = !access(path, F_OK) || !bk_not_there(errno);
    }
    status = manifest_hash(p->list.entry, p->list.n, p->source, p->c->threads);
    for (size_t i = 0; i < p->n && !status; i++) {
        struct manifest_entry *e = &p->list.entry[i];

        memcpy(e->want, e->hash, sizeof e->want);
        e->want_bytes = e->bytes;
        e->sized = true;
        p->file[i].want = e->look ? e : NULL;
    }
    return status;
}

/* Reads the source's list: of the source itself, or of the site of which it is the page. */
static int read_list(struct pull *p)
{
    struct bk_report why = { "" };
    struct text text;
    enum fetch_end end = fetch_text(p, MANIFEST_NAME, &text, &why);
    int status;

    if (end == FETCH_NONE) {
        free(text.at);
        end = fetch_text(p, "tables/" MANIFEST_NAME, &text, &why);
        if (end == FETCH_WHOLE && !fetch_enter(&p->from, "tables"))
            text.no_room = true;
    }
    if (end == FETCH_NONE && p->from.folder) {
        free(text.at);
        return list_folder(p);
    }
    if (end != FETCH_WHOLE || text.no_room) {
        status = fail_list(&text, end, &why, p->source);
        free(text.at);
        return status;
    }
    if ((size_t)snprintf(p->list_name, PATH_MAX, "%s/%s", p->from.base, MANIFEST_NAME) >= PATH_MAX)
        strcpy(p->list_name, MANIFEST_NAME);
    status = manifest_take(&p->list, p->list_name, text.at, text.n, 0);
    for (size_t i = 0; i < p->n && !status; i++)
        p->file[i].want = manifest_find(&p->list, p->file[i].path);
    return status;
}

/* Are all files there, with their sizes? */
static int check_list(const struct pull *p)
{
    const struct pulled_file *lacks = NULL;
    size_t missing = 0, results = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct pulled_file *f = &p->file[i];

        if (f->want && !f->want->sized)
            return cli_fail(CLI_USAGE, "%s tells no size of %s: `bareking manifest` makes lists",
                            p->list_name, f->path);
        if (f->want)
            continue;
        missing++;
        results += bk_kind_is_results(kind_of(p, f));
        if (!lacks || (!bk_kind_is_results(kind_of(p, lacks)) && bk_kind_is_results(kind_of(p, f))))
            lacks = f;
    }
    if (!missing)
        return CLI_OK;
    return cli_fail(CLI_NO, "%s has %zu of %zu files; %s is not there%s", p->source, p->n - missing,
                    p->n, lacks->path, results ? "" : "; --wdl takes results alone");
}

/* == Is there room? == */

/* Finds the disk that a folder is on, or will be.  False: it is not known. */
static bool find_disk(const char *dir, struct statvfs *disk)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", dir);
    while (statvfs(folder, disk)) { /* the folder above, until there is one */
        char *slash = strrchr(folder, '/');

        if (!bk_not_there(errno) || !strcmp(folder, ".") || slash == folder)
            return false;
        if (slash)
            *slash = 0;
        else
            strcpy(folder, ".");
    }
    return disk->f_frsize > 0;
}

/* Adds up what is to be fetched, and looks if it fits on the disk. */
static int check_room(struct pull *p)
{
    char path[PATH_MAX], needs[CLI_TEXT_MAX], has[CLI_TEXT_MAX];
    struct statvfs disk;
    struct stat st;

    for (size_t i = 0; i < p->n; i++) {
        uint64_t more = p->file[i].want ? p->file[i].want->want_bytes : 0;

        if (stat(path_of(path, p, &p->file[i]), &st) || (uint64_t)st.st_size != more)
            p->total = p->total + more < more ? UINT64_MAX : p->total + more;
    }
    if (p->c->force || !find_disk(p->dir, &disk) || p->total / disk.f_frsize < disk.f_bavail)
        return CLI_OK;
    return cli_fail(CLI_SYSTEM, "%s are to come, and %s has room for %s; --force tries it",
                    cli_bytes(needs, p->total), p->dir,
                    cli_bytes(has, (uint64_t)disk.f_bavail * disk.f_frsize));
}

/* == What is there == */

/* Opens a file as the table that its name says, and reads all of it. */
static enum bk_err check_file(const struct pull *p, struct pulled_file *f, const char *path,
                              struct bk_report *why)
{
    struct bk_file *file;
    enum bk_err err =
        bk_file_open_as(&file, path, p->wanted.v, material_of(p, f), kind_of(p, f), why);

    if (err)
        return err;
    err = bk_file_check(file, why);
    f->distances = bk_file_info(file)->distances;
    f->standalone = bk_file_info(file)->standalone;
    bk_file_close(file);
    return err;
}

/* Is a file there with the bytes of the list? */
static int is_right(const struct pull *p, const struct pulled_file *f, const char *path,
                    bool *right)
{
    struct manifest_entry e = { .path = f->path, .look = true };
    struct stat st;

    *right = false;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != f->want->want_bytes)
        return CLI_OK;
    if (manifest_hash(&e, 1, p->dir, 1))
        return CLI_SYSTEM;
    *right = !strcmp(e.hash, f->want->want);
    return CLI_OK;
}

/* What a file that is there, as the list has it, says of itself. */
static void peek_at(struct pulled_file *f, const char *path)
{
    struct bk_file_info info;

    if (bk_file_peek(&info, path, NULL))
        return;
    f->distances = info.distances;
    f->standalone = info.standalone;
}

/* Finds out what is there of a file.  An error: it stays as it is. */
static int look_at(struct pull *p, struct pulled_file *f)
{
    struct bk_report why = { "" };
    char path[PATH_MAX];
    bool right;
    enum bk_err err;
    int status = is_right(p, f, path_of(path, p, f), &right);

    f->state = right ? RIGHT : MISSING;
    if (right)
        peek_at(f, path);
    if (status || right || p->c->force)
        return status;
    err = check_file(p, f, path, &why);
    if (!err)
        f->state = OTHER;
    if (!err || err == BK_E_NO_TABLE)
        return CLI_OK;
    if (bk_file_other_rules(path, p->wanted.v))
        return cli_fail(CLI_USAGE,
                        "%s was made by other rules than those of this %s; --force replaces it",
                        path, p->wanted.v->name);
    if (err != BK_E_CORRUPT)
        return cli_fail(cli_status(err), "%s%s", why.text,
                        err == BK_E_NEWER ? "; --force replaces it" : "");
    cli_bar_clear(&p->bar);
    if (!p->c->quiet)
        cli_note("%s; fetching it again", why.text);
    return CLI_OK;
}

/* Files of another build stay if all of the table is there, and belongs together: of distances the
   results must know. */
static void keep_pair(const struct pull *p, struct pulled_file *f)
{
    bool whole = f[0].state != MISSING;

    if (p->wanted.kinds > 1)
        whole =
            whole && f[1].state != MISSING && f[0].distances && f[0].standalone == f[1].standalone;
    for (unsigned k = 0; k < p->wanted.kinds && !whole; k++)
        if (f[k].state == OTHER)
            f[k].state = MISSING;
}

/* == One file == */

struct coming {
    struct pull *p;
    struct pulled_file *f;
    char part[BK_PART_MAX];
    int fd, error; /* error: errno of writing it */
    uint64_t have;
    bool large; /* more came than the list says */
    struct sha256_ctx sha;
};

static bool restart(struct coming *g)
{
    g->have = 0;
    g->large = false;
    sha256_init(&g->sha);
    if (!ftruncate(g->fd, 0) && !lseek(g->fd, 0, SEEK_SET))
        return true;
    g->error = errno;
    return false;
}

static bool begin_file(void *context, uint64_t from)
{
    struct coming *g = context;

    return from == g->have || restart(g);
}

static bool put_file(void *context, const void *bytes, size_t n)
{
    struct coming *g = context;
    const char *at = bytes;

    g->large = n > g->f->want->want_bytes - g->have;
    if (g->large)
        return false;
    sha256_update(&g->sha, n, bytes);
    g->have += n;
    g->p->came += n;
    while (n) {
        ssize_t put = write(g->fd, at, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            g->error = put ? errno : EIO;
            return false;
        }
        at += put;
        n -= (size_t)put;
    }
    return true;
}

static bool tick_file(void *context)
{
    struct coming *g = context;

    draw(g->p, g->f, g->have);
    return !cli_stop;
}

/* Opens the part, with what has come of it before. */
static int open_coming(struct coming *g, const char *path)
{
    uint8_t piece[1 << 15];
    uint64_t there;
    ssize_t n = 1;

    sha256_init(&g->sha);
    if (!bk_file_folders(path) || (g->fd = bk_file_resume_part(g->part, path, &there)) < 0)
        return fail_all(g->p, CLI_SYSTEM, "%s: %s", path, strerror(errno));
    while (there <= g->f->want->want_bytes && n > 0) {
        n = read(g->fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0) {
            sha256_update(&g->sha, (size_t)n, piece);
            g->have += (uint64_t)n;
        }
    }
    if (n >= 0 && g->have == there)
        return CLI_OK;
    return restart(g) ? CLI_OK : fail_all(g->p, CLI_SYSTEM, "%s: %s", g->part, strerror(g->error));
}

/* What is wrong with a file that has come to its end: NULL, nothing. */
static const char *find_fault(struct coming *g, char fault[CLI_TEXT_MAX])
{
    char hash[MANIFEST_HASH_CHARS + 1];

    *fault = 0;
    if (g->large)
        snprintf(fault, CLI_TEXT_MAX, "more than the %llu bytes",
                 (unsigned long long)g->f->want->want_bytes);
    else if (g->have < g->f->want->want_bytes)
        snprintf(fault, CLI_TEXT_MAX, "%llu bytes, not the %llu", (unsigned long long)g->have,
                 (unsigned long long)g->f->want->want_bytes);
    if (*fault)
        return fault;
    manifest_digest(hash, &g->sha);
    return strcmp(hash, g->f->want->want) != 0 ? "other bytes than those" : NULL;
}

/* Says why a transfer has ended for good. */
static int fail_transfer(struct coming *g, enum fetch_end end, const struct bk_report *why)
{
    if (g->error) { /* a full disk, say: what has come would keep it full */
        unlink(g->part);
        return fail_all(g->p, CLI_SYSTEM, "%s: %s", g->part, strerror(g->error));
    }
    if (cli_stop)
        return fail_all(g->p, CLI_SYSTEM, "interrupted; the same command goes on");
    if (end == FETCH_NONE)
        return cli_fail(CLI_NO, "%s", why->text);
    if (end == FETCH_REFUSED)
        return cli_fail(CLI_SYSTEM, "%s", why->text);
    return fail_all(g->p, CLI_SYSTEM, "%s; the same command goes on", why->text);
}

/* One try.  Sets `why`. */
static enum fetch_end try_once(struct coming *g, struct bk_report *why)
{
    const struct fetch_sink sink = { g, begin_file, put_file, tick_file };
    uint64_t want = g->f->want->want_bytes;
    enum fetch_end end = FETCH_WHOLE;

    if (g->have < want)
        end = fetch_file(&g->p->from, g->f->path, g->have, &sink, why);
    if (g->large)
        return FETCH_WHOLE;
    if (end == FETCH_WHOLE && g->have < want && !g->p->from.folder) { /* cut, and no length told */
        bk_report_write(why, "%s: %s ends too early", g->p->source, g->f->path);
        return FETCH_CUT;
    }
    return end;
}

/* Fetches until the file has the bytes of the list.  One that has others is fetched anew, once:
   what had come before may have been of another file. */
static int fetch_right(struct coming *g)
{
    unsigned idle = 0, wrong = 0;

    for (unsigned tries = 0;; tries++) {
        struct bk_report why = { "" };
        uint64_t before = g->have;
        enum fetch_end end = try_once(g, &why);
        char room[CLI_TEXT_MAX];
        const char *fault = NULL;

        if (!g->error && (end == FETCH_WHOLE || end == FETCH_RANGE)) {
            if (!(fault = find_fault(g, room)))
                return CLI_OK;
            if (wrong++) {
                unlink(g->part);
                cli_bar_clear(&g->p->bar);
                return cli_fail(CLI_DAMAGED, "%s: %s has %s of the list", g->p->source, g->f->path,
                                fault);
            }
            restart(g);
        }
        idle = g->have > before ? 0 : idle + 1;
        if (g->error || (!fault && end != FETCH_CUT) || idle > IDLE_TRIES || tries == TRIES ||
            !pause_before(idle))
            return fail_transfer(g, end, &why);
    }
}

/* Syncs what has come, and looks if it is the table that its name says. */
static int accept(struct coming *g)
{
    struct bk_report why = { "" };
    enum bk_err err;

    if (!bk_file_sync(g->fd)) {
        g->error = errno;
        return fail_transfer(g, FETCH_ENDED, &why);
    }
    err = check_file(g->p, g->f, g->part, &why);
    if (!err) {
        g->f->state = FETCHED;
        g->p->done += g->have;
        return CLI_OK;
    }
    if (err == BK_E_SYSTEM)
        return fail_all(g->p, CLI_SYSTEM, "%s", why.text);
    unlink(g->part);
    cli_bar_clear(&g->p->bar);
    return cli_fail(cli_status(err), "%s: %s is as the list has it, and no table of use here: %s",
                    g->p->source, g->f->path, why.text);
}

/* Makes a file ready to get its name. */
static int fetch_one(struct pull *p, struct pulled_file *f)
{
    struct coming g = { .p = p, .f = f, .fd = -1 };
    char path[PATH_MAX];
    int status = open_coming(&g, path_of(path, p, f));

    if (!status)
        status = fetch_right(&g);
    if (!status)
        status = accept(&g);
    if (g.fd >= 0)
        close(g.fd);
    return status;
}

/* == One table == */

/* Names the files that have come: distances, then the results that promise them. */
static int publish(struct pull *p, struct pulled_file *f)
{
    struct bk_report why = { "" };
    char path[PATH_MAX];

    for (unsigned k = p->wanted.kinds; k--;) {
        if (f[k].state != FETCHED)
            continue;
        if (bk_file_publish(path_of(path, p, &f[k]), &why))
            return fail_all(p, CLI_SYSTEM, "%s", why.text);
        p->pulled++;
        p->bytes += f[k].want->want_bytes;
        if (p->c->list)
            json_array_append_new(p->c->list, ex_json_string(f[k].path));
    }
    return CLI_OK;
}

static int pull_locked(struct pull *p, struct pulled_file *f, bool own)
{
    char path[PATH_MAX];
    int status = CLI_OK;

    for (unsigned k = 0; k < p->wanted.kinds && !status; k++)
        status = look_at(p, &f[k]);
    if (status)
        return status;
    keep_pair(p, f);
    for (unsigned k = p->wanted.kinds; k-- && !status;)
        if (f[k].state == MISSING)
            status = fetch_one(p, &f[k]);
    if (!status)
        status = publish(p, f);
    for (unsigned k = 0; k < p->wanted.kinds && !status && !own; k++)
        bk_file_withdraw(path_of(path, p, &f[k])); /* what was left beside a file that is there */
    return status;
}

static void tell_wait(void *context, const char *text)
{
    struct pull *p = context;

    cli_bar_clear(&p->bar);
    if (!p->c->quiet)
        cli_note("%s", text);
}

/* Takes the lock of a table, or of the folder's list; waits for whoever has it. */
static enum bk_err take_lock(struct bk_lock **lock, struct pull *p, const char *variant,
                             const char *material, struct bk_report *why)
{
    const struct bk_lock_wish wish = { .dir = p->dir,
                                       .variant = variant,
                                       .material = material,
                                       .stop = &cli_stop,
                                       .context = p,
                                       .note = tell_wait };
    bool waited;

    return bk_lock_take(lock, &wish, &waited, why);
}

static int pull_table(struct pull *p, unsigned table)
{
    char material[BK_MATERIAL_NAME_MAX];
    struct bk_report why = { "" };
    struct bk_lock *lock;
    int status;

    bk_material_name(&p->wanted.m[table], p->wanted.v, material);
    if (take_lock(&lock, p, p->wanted.v->name, material, &why))
        return fail_all(p, CLI_SYSTEM, "%s", why.text);
    status = pull_locked(p, &p->file[(size_t)table * p->wanted.kinds], bk_lock_is_own(lock));
    bk_lock_free(lock);
    return status;
}

/* Pulls all tables; one that does not come is no reason to leave out the others. */
static int pull_tables(struct pull *p)
{
    int worst = CLI_OK;

    for (unsigned i = 0; i < p->wanted.n && !p->ends; i++) {
        int status;

        p->nth = i + 1;
        status = cli_stop ? fail_all(p, CLI_SYSTEM, "interrupted; the same command goes on")
                          : pull_table(p, i);
        worst = status > worst ? status : worst;
    }
    cli_bar_clear(&p->bar);
    return worst;
}

/* == The whole == */

static int open_files(struct pull *p)
{
    char path[PATH_MAX];

    p->n = (size_t)p->wanted.n * p->wanted.kinds;
    p->file = calloc(p->n + 1, sizeof *p->file);
    for (size_t i = 0; p->file && i < p->n; i++) {
        const struct wanted *w = &p->wanted;

        p->file[i].path =
            strdup(file_name(path, w, (unsigned)(i / w->kinds), (unsigned)(i % w->kinds)));
        if (!p->file[i].path)
            return cli_no_memory();
    }
    return p->file ? CLI_OK : cli_no_memory();
}

/* Refuses a folder as the source of itself. */
static int check_apart(const struct pull *p)
{
    struct stat from, to;

    if (p->from.folder && !stat(p->source, &from) && !stat(p->dir, &to) &&
        from.st_dev == to.st_dev && from.st_ino == to.st_ino)
        return cli_fail(CLI_USAGE, "%s: %s is the same folder", p->c->command, p->source);
    return CLI_OK;
}

static void pull_free(struct pull *p)
{
    for (size_t i = 0; p->file && i < p->n; i++)
        free(p->file[i].path);
    free(p->file);
    manifest_free(&p->list);
    fetch_close(&p->from);
    wanted_free(&p->wanted);
}

static int tell_json(const struct pull *p, unsigned there, unsigned other)
{
    return cli_print_json(json_pack("{ss so so sO sI si si}", "variant", p->wanted.v->name, "from",
                                    ex_json_string(p->source), "dir", ex_json_string(p->dir),
                                    "files", p->c->list, "bytes", (json_int_t)p->bytes,
                                    "already_there", (int)there, "of_another_build", (int)other));
}

/* Tells what has come, and what was there. */
static int tell(const struct pull *p)
{
    char bytes[CLI_TEXT_MAX], time[CLI_TEXT_MAX], dir[CLI_SHOWN_MAX], more[CLI_TEXT_MAX] = "";
    unsigned there = 0, other = 0;

    for (size_t i = 0; i < p->n; i++) {
        there += p->file[i].state == RIGHT;
        other += p->file[i].state == OTHER;
    }
    if (p->c->json)
        return tell_json(p, there, other);
    if (p->c->quiet)
        return CLI_OK;
    if (other)
        snprintf(more, sizeof more, ", %u whole and of another build", other);
    if (p->n)
        printf("%s: %u file%s came, %s, in %s; %u there already%s\n", cli_shown(dir, p->dir),
               p->pulled, p->pulled == 1 ? "" : "s", cli_bytes(bytes, p->bytes),
               cli_seconds(time, bk_now_seconds() - p->bar.start), there, more);
    else
        printf("nothing to fetch: decided by rule\n");
    return CLI_OK;
}

/* Finds out what is wanted, and what the source has of it. */
static int prepare(struct pull *p, bool listed)
{
    struct bk_report why = { "" };
    enum bk_err err;
    int status = read_wanted(p->c, &p->wanted);

    if (!status)
        status = open_files(p);
    if (status || !p->n)
        return status;
    err = fetch_open(&p->from, p->source, patience(), &why);
    if (err)
        return cli_fail_report(err, &why);
    status = check_apart(p);
    if (!status)
        status = listed ? read_list(p) : list_folder(p);
    if (!status)
        status = check_list(p);
    return status ? status : check_room(p);
}

int cmd_pull(struct cli *c)
{
    struct pull p = { .c = c, .source = *c->arg++, .dir = c->dir };
    int status;

    c->nargs--; /* the rest is as `build` has it */
    cli_catch_signals();
    p.bar = cli_bar_of(c->quiet);
    status = prepare(&p, true);
    if (!status) {
        int told;

        status = pull_tables(&p);
        told = p.ends && !c->json ? CLI_OK : tell(&p);
        status = told > status ? told : status;
    }
    pull_free(&p);
    return status;
}

/* == push == */

static int by_path(const void *a, const void *b)
{
    const struct manifest_entry *x = a, *y = b;

    return strcmp(x->path, y->path);
}

/* Adds to `out` the files that this command has put, or found, in the folder, with their hashes. */
static int add_ours(const struct pull *p, struct manifest_entry *out, size_t *n)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct pulled_file *f = &p->file[i];
        struct manifest_entry e = { .path = f->path, .bytes = f->want->want_bytes };

        memcpy(e.hash, f->want->want, sizeof e.hash);
        e.look = f->state == OTHER;
        if (f->state == MISSING)
            continue;
        if (e.look && manifest_hash(&e, 1, p->dir, 1))
            return CLI_SYSTEM;
        out[(*n)++] = e;
    }
    qsort(out, *n, sizeof *out, by_path);
    return CLI_OK;
}

/* Adds what the folder's list had before: of other files. */
static void add_listed(const struct manifest *before, struct manifest_entry *out, size_t *n)
{
    const struct manifest ours = { .entry = out, .n = *n };

    for (size_t i = 0; i < before->n; i++) {
        struct manifest_entry e = before->entry[i];

        if (manifest_find(&ours, e.path) || (i && !strcmp(e.path, before->entry[i - 1].path)))
            continue;
        memcpy(e.hash, e.want, sizeof e.hash);
        e.bytes = e.want_bytes;
        out[(*n)++] = e;
    }
    qsort(out, *n, sizeof *out, by_path);
}

static int save_list(const char *path, const struct manifest_entry *e, size_t n)
{
    struct save_file file;
    int error;

    if (!save_begin(&file, path, save_mode(0666)))
        return cli_fail(CLI_SYSTEM, "%s: %s", path, strerror(errno));
    manifest_write(file.f, e, n);
    error = fflush(file.f) || !bk_file_sync(fileno(file.f)) ? errno : 0;
    error = save_end(&file, error);
    return error ? cli_fail(CLI_SYSTEM, "%s: %s", path, strerror(error)) : CLI_OK;
}

/* Writes the folder's list anew, with what it had before. */
static int update_list(const struct pull *p)
{
    struct manifest before = { .n = 0 };
    struct manifest_entry *all = NULL;
    char path[PATH_MAX];
    size_t n = 0;
    int status = CLI_OK;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", p->dir, MANIFEST_NAME) >= sizeof path)
        return cli_fail(CLI_SYSTEM, "%s: %s", p->dir, strerror(ENAMETOOLONG));
    if (!access(path, F_OK))
        status = manifest_read(&before, path, 0);
    if (!status && !(all = calloc(before.n + p->n + 1, sizeof *all)))
        status = cli_no_memory();
    if (!status)
        status = add_ours(p, all, &n);
    if (!status) {
        add_listed(&before, all, &n);
        status = save_list(path, all, n);
    }
    free(all);
    manifest_free(&before);
    return status;
}

/* The same, one push at a time. */
static int update_list_locked(struct pull *p)
{
    struct bk_report why = { "" };
    struct bk_lock *lock;
    int status;

    if (take_lock(&lock, p, ".", "manifest", &why))
        return cli_fail(CLI_SYSTEM, "%s", why.text);
    status = update_list(p);
    bk_lock_free(lock);
    return status;
}

int cmd_push(struct cli *c)
{
    struct pull p = { .c = c, .source = c->dir, .dir = *c->arg++ };
    int status;

    c->nargs--;
    if (strstr(p.dir, "://"))
        return cli_fail(CLI_USAGE, "push: %s: a folder is wanted", p.dir);
    cli_catch_signals();
    p.bar = cli_bar_of(c->quiet);
    status = prepare(&p, false);
    if (!status) {
        int told = CLI_OK;

        status = pull_tables(&p);
        if (p.n && !p.ends)
            told = update_list_locked(&p);
        status = told > status ? told : status;
        told = p.ends && !c->json ? CLI_OK : tell(&p);
        status = told > status ? told : status;
    }
    pull_free(&p);
    return status;
}
