/* machine.c - see machine.h. */
#include "cli/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/report.h"
#include "core/load.h"
#include "tb/make/build.h"
#include "tb/memory/cpu.h"
#include "tb/memory/group.h"

/* == Its memory == */

uint64_t cli_machine_memory(void)
{
    const char *wish = getenv("BAREKING_MACHINE");
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    uint64_t limit, has;

    if (wish)
        return strtoull(wish, NULL, 10);
    if (pages <= 0 || bytes <= 0)
        return 0;
    has = (uint64_t)pages * (uint64_t)bytes;
    limit = bk_group_memory("");
    return limit < has ? limit : has;
}

void cli_give_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/* == Its pace, as it is kept == */

#define VERSION   2 /* of the lines, of the trial, and of what work is foretold from */
#define STALE     (30 * 24 * 3600)
#define LINES_MAX 256

struct kept {
    uint64_t machine;
    unsigned threads;
    double per[BK_WORKS];
    int64_t when; /* seconds since 1970 */
};

/* Returns a number for this version on this kind of processor. */
static uint64_t this_machine(void)
{
    char line[256], text[512];
    FILE *in = fopen("/proc/cpuinfo", "re");

    *line = 0;
    while (in && fgets(line, sizeof line, in) && strncmp(line, "model name", 10))
        *line = 0;
    if (in)
        fclose(in);
    snprintf(text, sizeof text, "%d %d %d %s", VERSION, BK_FORMAT_VERSION, (int)bk_cpu(), line);
    return XXH64(text, strlen(text), 0);
}

static bool is_pace(double per) { return per > 1e-5 && per < 1e5; }

static bool read_line(struct kept *k, const char *line)
{
    return sscanf(line, "%" SCNx64 " %u %lf %lf %" SCNd64, &k->machine, &k->threads,
                  &k->per[BK_SOLVING], &k->per[BK_ENCODING], &k->when) == 5 &&
           is_pace(k->per[BK_SOLVING]) && is_pace(k->per[BK_ENCODING]);
}

static bool path_of(char path[PATH_MAX], const struct cli *c, const char *name)
{
    return (size_t)snprintf(path, PATH_MAX, "%s/%s", c->dir, name) < PATH_MAX;
}

/* Reads what is kept of any machine, LINES_MAX at most.  Returns how many. */
static unsigned read_kept(struct kept *out, const struct cli *c)
{
    char path[PATH_MAX], line[256];
    struct stat st;
    unsigned n = 0;
    FILE *in;

    if (!path_of(path, c, ".pace") || stat(path, &st) || !S_ISREG(st.st_mode))
        return 0;
    in = fopen(path, "re");
    while (in && n < LINES_MAX && fgets(line, sizeof line, in))
        n += read_line(&out[n], line);
    if (in)
        fclose(in);
    return n;
}

/* Keeps a pace; what cannot be kept is lost. */
static void keep(const struct cli *c, const struct kept *k)
{
    char path[PATH_MAX], part[PATH_MAX];
    struct kept *all = calloc(LINES_MAX, sizeof *all);
    unsigned n = all ? read_kept(all, c) : 0;
    bool good;
    FILE *out;
    int fd;

    if (!all || !path_of(path, c, ".pace") || !path_of(part, c, ".pace-XXXXXX") ||
        (fd = mkstemp(part)) < 0) {
        free(all);
        return;
    }
    out = fdopen(fd, "w");
    for (unsigned i = 0; out && i <= n && i < LINES_MAX; i++) {
        const struct kept *x = i ? &all[i - 1] : k;

        if (!i || x->machine != k->machine || x->threads != k->threads)
            fprintf(out, "%016" PRIx64 " %u %.4f %.4f %" PRId64 "\n", x->machine, x->threads,
                    x->per[BK_SOLVING], x->per[BK_ENCODING], x->when);
    }
    good = out && !fchmod(fd, 0644);
    if (out)
        good = !fclose(out) && good;
    else
        close(fd);
    if (!good || rename(part, path))
        unlink(part);
    free(all);
}

/* Sets `per` to what is kept of this machine with so many threads.  False: nothing, or it is old.
 */
static bool find_kept(double per[BK_WORKS], const struct cli *c, unsigned threads)
{
    struct kept *all = calloc(LINES_MAX, sizeof *all);
    unsigned n = all ? read_kept(all, c) : 0;
    uint64_t machine = this_machine();
    int64_t now = time(NULL);
    bool found = false;

    for (unsigned i = 0; !found && i < n; i++) {
        found = all[i].machine == machine && all[i].threads == threads && all[i].when <= now &&
                now - all[i].when < STALE;
        if (found)
            memcpy(per, all[i].per, sizeof all[i].per);
    }
    free(all);
    return found;
}

/* == A trial of its pace == */

/* The trial: both sides of its table are encoded by all threads, in a second or two of one core. */
#define TRIAL_GAME     "grand-shatranj"
#define TRIAL_MATERIAL "KMvKN"
#define TRIAL_MEMORY   (UINT64_C(1) << 30) /* no trial where there is less */

struct trial {
    struct bk_meter *meter;
    struct bk_metered at;  /* when its table was made */
    double work[BK_WORKS]; /* of that */
    bool made;
};

static void note_made(void *context, const struct bk_built *b)
{
    struct trial *t = context;

    bk_meter_step(t->meter, BK_ENCODING, 0);
    t->at = bk_meter_read(t->meter);
    memcpy(t->work, b->table->work, sizeof t->work);
    t->made = true;
}

/* Makes the trial's table in `dir`. */
static void make_table(struct trial *t, const char *dir, unsigned threads)
{
    struct bk_build_options o = { .effort = BK_EFFORT_FAST,
                                  .context = t,
                                  .meter = t->meter,
                                  .built = note_made,
                                  .stop = &cli_stop };
    struct bk_material m;
    struct bk_variant *v;
    struct bk_plan *p;
    struct bk_pool *pool;

    if (bk_variant_load(&v, TRIAL_GAME, NULL))
        return;
    if (!bk_material_parse(&m, v, TRIAL_MATERIAL, NULL) &&
        !bk_plan_new(&p, v, dir, &m, 1, 0, true, NULL)) {
        p->machine_bytes = cli_machine_memory();
        if (!bk_pool_open(&pool, threads, NULL)) {
            o.pool = pool;
            (void)bk_build(p, &o, NULL);
            bk_pool_close(pool);
        }
        bk_plan_free(p);
    }
    bk_variant_free(v);
}

/* Removes all that the trial may have left in `dir`. */
static void clear(const char *dir)
{
    static const char *const name[] = { TRIAL_MATERIAL ".bkw", TRIAL_MATERIAL ".bkd" };
    char path[PATH_MAX];

    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/" TRIAL_GAME "/%s", dir, name[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/" TRIAL_GAME, dir);
    rmdir(path);
    rmdir(dir);
}

static bool try_out(double per[BK_WORKS], unsigned threads)
{
    const char *tmp = getenv("TMPDIR");
    struct trial t = { .made = false };
    char dir[PATH_MAX / 2];

    if ((size_t)snprintf(dir, sizeof dir, "%s/bareking-XXXXXX", tmp && *tmp ? tmp : "/tmp") >=
            sizeof dir ||
        cli_machine_memory() < TRIAL_MEMORY || bk_meter_new(&t.meter, NULL))
        return false;
    if (mkdtemp(dir)) {
        make_table(&t, dir, threads);
        clear(dir);
    }
    bk_meter_free(t.meter);
    for (unsigned w = 0; w < BK_WORKS; w++) {
        double work = t.work[w] * (1 - t.at.skipped[w]); /* that it has turned out to be */

        per[w] = t.made && work > 0 ? t.at.spent[w] / work : 0;
    }
    return is_pace(per[BK_SOLVING]) && is_pace(per[BK_ENCODING]);
}

/* == Its pace == */

/* BAREKING_PACE, for tests: as if that were kept. */
static bool find(double per[BK_WORKS], const struct cli *c, unsigned threads)
{
    const char *wish = getenv("BAREKING_PACE");

    for (unsigned w = 0; w < BK_WORKS; w++)
        per[w] = wish ? atof(wish) : 1.0 / threads;
    return (wish && is_pace(*per)) || find_kept(per, c, threads);
}

void cli_pace_of(double per[BK_WORKS], const struct cli *c, unsigned threads)
{
    find(per, c, threads);
}

void cli_pace_measured(double per[BK_WORKS], const struct cli *c, unsigned threads)
{
    struct kept k = { .machine = this_machine(), .threads = threads };

    if (find(per, c, threads))
        return;
    cli_catch_signals(); /* the trial's folder has to go */
    if (try_out(k.per, threads)) {
        memcpy(per, k.per, sizeof k.per);
        k.when = time(NULL);
        keep(c, &k);
    }
    if (cli_stop)
        return;
    cli_end_on_signals();
}
