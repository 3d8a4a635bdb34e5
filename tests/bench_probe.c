/*
 * bench_probe.c - how long probes take: bench_probe DIR GAME MATERIAL [POSITIONS [THREADS]]
 * THREADS 0: warm alone, in this thread.
 *
 * Random legal positions of a material, either side to move, asked
 *
 *      warm    again and again, so that all that they need has been read:
 *              for wdl alone, for wdl and distance (wins and losses apart, too),
 *              by the library: by position, by list of men and by FEN, wdl alone and both; the
 *              moves of a position, ranked; all at once; then by several threads of one handle
 *      cold    each shard for the first time, the models being there, the files
 *              dropped from the page cache before each probe; reads and bytes
 *              are what the system counts (/proc/self/io)
 *
 * How many instructions a probe takes, which no neighbour changes: valgrind --tool=callgrind
 * --toggle-collect=bk_settle, with two numbers of positions, and the difference.
 *
 * ONLY=8 with THREADS 0 takes the ninth of these alone: for profilers.
 *
 * Times are of single probes, less what reading the clock takes.  Warm ones are taken in several
 * rounds over all positions, and the least of a position counts: what other programs do to the
 * machine is left out, what one probe does to another's caches is not.  The position itself has
 * just been written, as an engine's has.  The sum of all answers tells whether two programs agree.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/attack.h"
#include "core/chance.h"
#include "core/clock.h"
#include "core/load.h"
#include "probe/bareking.h"
#include "probe/probe.h"
#include "table/material.h"

#define THREADS_MAX 64
#define ROUNDS      5
#define COLD_EACH   20 /* probes of a handle: few, so that most find their shard unread */
#define COLD_ROUNDS 10

/* == Positions == */

/* A position in few bytes, so that the caches hold the tables rather than questions. */
struct question {
    struct bk_lib_piece piece[BK_MEN_MAX];
    uint8_t type[BK_MEN_MAX];
    uint8_t n, stm;
    int8_t wdl;
};

/* A question in the forms in which it is asked, as an engine has them. */
struct written {
    const struct question *q;
    struct bk_pos p;
    struct bk_lib_man men[BK_MEN_MAX];
    char fen[BK_FEN_MAX];
};

static uint64_t seed = 1;

static uint64_t draw(uint64_t n) { return bk_chance_next(&seed) % n; }

static void write_position(struct bk_pos *p, const struct bk_variant *v,
                           const struct bk_material *m, const struct question *q)
{
    bk_pos_init(p, v);
    memcpy(p->left, m->left, sizeof p->left);
    p->stm = q->stm;
    for (unsigned i = 0; i < q->n; i++)
        bk_pos_put(p, v, q->type[i], q->piece[i].colour, q->piece[i].square);
}

static bool put(struct question *q, const struct bk_variant *v, unsigned type, unsigned colour)
{
    unsigned sq = (unsigned)draw(v->nsq);

    for (unsigned i = 0; i < q->n; i++)
        if (q->piece[i].square == sq)
            return false;
    if (!bk_bits_has(&v->board, sq) || !bk_rules_may_stand(v, type, colour, sq))
        return false;
    q->type[q->n] = (uint8_t)type;
    q->piece[q->n++] =
        (struct bk_lib_piece){ (uint8_t)v->piece[type].letter, (uint8_t)colour, (uint16_t)sq };
    return true;
}

static void question_new(struct question *q, const struct bk_variant *v,
                         const struct bk_material *m)
{
    struct bk_pos p;
    bool good;

    do {
        memset(q, 0, sizeof *q);
        q->stm = (uint8_t)draw(2);
        good = true;
        for (unsigned colour = 0; colour < 2; colour++)
            for (unsigned type = 0; type < v->ntypes; type++)
                for (unsigned i = 0; good && i < m->count[colour][type]; i++)
                    good = put(q, v, type, colour);
        if (good)
            write_position(&p, v, m, q);
    } while (!good || !bk_pos_legal(v, &p));
}

/* == Asking == */

struct bench {
    const struct bk_variant *v;
    const char *dir;
    struct bk_material m;
    struct bk_catalog *catalog;
    struct bk_lib *lib;
    struct question *q;
    size_t n;
};

enum how { WDL, BOTH, BY_MEN, BY_FEN, POS_WDL, POS, FEN_WDL, RANK_WDL, RANK };
static const char *const how_name[] = { "wdl",           "wdl + dtw",     "  by men",
                                        "  by FEN",      "  by pos, wdl", "  by pos",
                                        "  by FEN, wdl", "rank, wdl",     "rank" };

static void die(const char *what)
{
    fprintf(stderr, "bench_probe: %s\n", what);
    exit(1);
}

/* Sets `w` to the forms of `q` that asking it in the way `how` needs. */
static void write_out(struct written *w, const struct bench *b, const struct question *q,
                      enum how how)
{
    const struct bk_variant *v = b->v;

    w->q = q;
    if (how == WDL || how == BOTH || how == BY_FEN || how == FEN_WDL)
        write_position(&w->p, v, &b->m, q);
    if (how == BY_FEN || how == FEN_WDL)
        bk_pos_to_fen(&w->p, v, w->fen);
    for (unsigned i = 0; how == BY_MEN && i < q->n; i++) {
        uint8_t man = bk_man(q->type[i], q->piece[i].colour);

        w->men[i] = (struct bk_lib_man){ .letter = bk_man_letter(v, man),
                                         .file = (unsigned char)(q->piece[i].square % v->files),
                                         .rank = (unsigned char)(q->piece[i].square / v->files) };
    }
}

/* Returns the answer as a number. */
static int ask_written(const struct bench *b, const struct written *w, enum how how)
{
    const struct question *q = w->q;
    struct bk_report why = { "" };
    struct bk_value value;
    const struct bk_lib_pos pos = { .men = q->piece, .n = q->n, .black_to_move = q->stm };
    struct bk_lib_ranked move[256];
    struct bk_answer a;
    unsigned visit;
    size_t n;
    int wdl;

    switch (how) {
    case WDL:
    case BOTH:
        visit = bk_visit_begin(bk_catalog_cache(b->catalog));
        if (how == WDL ? bk_wdl_of(&value.wdl, b->catalog, b->v, &w->p, &why)
                       : bk_value_of(&value, b->catalog, b->v, &w->p, &why))
            die(why.text);
        bk_visit_end(bk_catalog_cache(b->catalog), visit);
        return how == WDL ? value.wdl : value.wdl * 0x10000 + value.dtw;
    case BY_MEN:
        if (bk_probe_men(b->lib, w->men, q->n, q->stm, &a))
            die(bk_error(b->lib));
        return a.wdl * 0x10000 + a.dtw;
    case BY_FEN:
        if (bk_probe_fen(b->lib, w->fen, &a))
            die(bk_error(b->lib));
        return a.wdl * 0x10000 + a.dtw;
    case POS_WDL:
        if (bk_probe_wdl(b->lib, &pos, 0, &wdl))
            die(bk_error(b->lib));
        return wdl;
    case POS:
        if (bk_probe(b->lib, &pos, 0, &a))
            die(bk_error(b->lib));
        return a.wdl * 0x10000 + a.dtw;
    case FEN_WDL:
        if (bk_probe_fen_wdl(b->lib, w->fen, 0, &wdl))
            die(bk_error(b->lib));
        return wdl;
    case RANK_WDL:
    case RANK:
        if (bk_rank_moves(b->lib, &pos, 0, how == RANK ? 0 : BK_LIB_WDL_ONLY, move, 256, &n))
            die(bk_error(b->lib));
        return n ? move[0].wdl * 0x10000 + move[0].dtw : 0;
    }
    return 0;
}

static int ask(const struct bench *b, const struct question *q, enum how how)
{
    struct written w;

    write_out(&w, b, q, how);
    return ask_written(b, &w, how);
}

static double now_ns(void) { return 1e9 * bk_now_seconds(); }

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the median time, in ns, between two readings of the clock with nothing between them. */
static double clock_ns(void)
{
    static double ns[1001];

    for (size_t i = 0; i < 1001; i++) {
        double began = now_ns();

        ns[i] = now_ns() - began;
    }
    qsort(ns, 1001, sizeof *ns, by_size);
    return ns[500];
}

static void print_times(const char *name, const char *of, double *ns, size_t n)
{
    double sum = 0;

    if (!n)
        return;
    for (size_t i = 0; i < n; i++)
        sum += ns[i];
    qsort(ns, n, sizeof *ns, by_size);
    printf("  %-14s %-7s %7zu  mean %8.0f  p50 %8.0f  p99 %8.0f ns\n", name, of, n, sum / (double)n,
           ns[n / 2], ns[n * 99 / 100]);
}

/* == Warm == */

static void warm(struct bench *b, enum how how)
{
    static const char *const of[] = { "losses", "draws", "wins" };
    double *ns = malloc(b->n * sizeof *ns), *some = malloc(b->n * sizeof *some);
    double clock = clock_ns();
    uint64_t sum = 0;

    if (!ns || !some)
        die("out of memory");
    for (size_t i = 0; i < b->n; i++)
        sum = sum * UINT64_C(0x9e3779b97f4a7c15) + (unsigned)ask(b, &b->q[i], how);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < b->n; i++) {
            struct written w;
            double began, took;

            write_out(&w, b, &b->q[i], how);
            began = now_ns();
            ask_written(b, &w, how);
            took = now_ns() - began - clock;
            if (!round || took < ns[i])
                ns[i] = took;
        }
    for (int wdl = -1; wdl <= 1 && (how == BOTH || how == WDL); wdl++) {
        size_t n = 0;

        for (size_t i = 0; i < b->n; i++)
            if (b->q[i].wdl == wdl)
                some[n++] = ns[i];
        print_times(how_name[how], of[wdl + 1], some, n);
    }
    print_times(how_name[how], "all", ns, b->n);
    if (how == WDL || how == BOTH)
        printf("  %-10s answers %016llx\n", how_name[how], (unsigned long long)sum);
    free(ns);
    free(some);
}

static void *ask_all(void *context)
{
    const struct bench *b = context;

    for (size_t i = 0; i < b->n; i++)
        ask(b, &b->q[i], POS_WDL);
    return NULL;
}

static double cpu_ns(void) { return 1e9 * bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

/* Prints the rate of n threads by wall clock, and the CPU time of a probe.  Other programs hardly
   change the latter; where it is that of one thread, n threads are n times as quick. */
static void threads(struct bench *b, unsigned n)
{
    pthread_t id[THREADS_MAX];
    double began = now_ns(), cpu = cpu_ns();

    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&id[i], NULL, ask_all, b))
            die("no thread");
    for (unsigned i = 0; i < n; i++)
        pthread_join(id[i], NULL);
    printf("  wdl, %u thread%s: %.2f million a second, %.0f ns of a core each\n", n,
           n == 1 ? "" : "s", (double)n * (double)b->n / (now_ns() - began) * 1e3,
           (cpu_ns() - cpu) / ((double)n * (double)b->n));
}

/* Prints the time of a position when one call asks for all. */
static void batch(const struct bench *b)
{
    struct bk_lib_pos *pos = calloc(b->n, sizeof *pos);
    struct bk_answer *a = calloc(b->n, sizeof *a);
    double began;

    if (!pos || !a)
        die("out of memory");
    for (size_t i = 0; i < b->n; i++)
        pos[i] = (struct bk_lib_pos){ .men = b->q[i].piece,
                                      .n = b->q[i].n,
                                      .black_to_move = b->q[i].stm };
    began = now_ns();
    if (bk_probe_many(b->lib, pos, b->n, 0, a, NULL))
        die(bk_error(b->lib));
    printf("  batch: %.0f ns a position\n", (now_ns() - began) / (double)b->n);
    free(pos);
    free(a);
}

/* == Cold == */

struct io {
    unsigned long long calls, bytes;
};

static struct io io_now(void)
{
    struct io io = { 0, 0 };
    FILE *f = fopen("/proc/self/io", "r");
    char line[128];

    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "rchar: %llu", &io.bytes);
        sscanf(line, "syscr: %llu", &io.calls);
    }
    if (f)
        fclose(f);
    return io;
}

static void drop(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
    }
}

static void load_models(struct bk_file *f)
{
    struct bk_unit_info unit;

    for (unsigned i = 0; f && i < bk_file_info(f)->nunits; i++)
        if (bk_file_unit(f, i, &unit, NULL))
            die("a model cannot be read");
}

/* Opens all tables that probes may read, and loads their models; returns the number in `*out`. */
static size_t open_all(const struct bench *b, const struct bk_table ***out)
{
    struct bk_material *needed;
    size_t n, k = 0;

    if (bk_materials_needed(&needed, &n, &b->m, b->v, NULL) || !(*out = malloc(n * sizeof **out)))
        die("out of memory");
    for (size_t i = 0; i < n; i++) {
        if (bk_catalog_open(b->catalog, &needed[i], &(*out)[k], NULL))
            continue;
        load_models((*out)[k]->wdl);
        load_models((*out)[k]->dtw);
        k++;
    }
    free(needed);
    return k;
}

static void drop_all(const struct bk_table *const *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        drop(bk_file_path(table[i]->wdl));
        if (table[i]->dtw)
            drop(bk_file_path(table[i]->dtw));
    }
}

static void cold(const struct bench *b, enum how how)
{
    double ns[COLD_EACH * COLD_ROUNDS];
    struct io sum = { 0, 0 }, before, idle;
    unsigned long long most = 0;
    size_t n = 0;

    before = io_now();
    idle = io_now(); /* the reads of io_now() itself */
    idle.calls -= before.calls;
    idle.bytes -= before.bytes;
    for (unsigned round = 0; round < COLD_ROUNDS; round++) {
        struct bench fresh = *b;
        const struct bk_table **table;
        size_t ntables;

        if (bk_catalog_new(&fresh.catalog, b->v, b->dir, NULL))
            die("out of memory");
        ntables = open_all(&fresh, &table);
        for (unsigned i = 0; i < COLD_EACH; i++, n++) {
            struct io after;
            double began;

            drop_all(table, ntables);
            before = io_now();
            began = now_ns();
            ask(&fresh, &b->q[n % b->n], how);
            ns[n] = now_ns() - began;
            after = io_now();
            sum.calls += after.calls - before.calls - idle.calls;
            sum.bytes += after.bytes - before.bytes - idle.bytes;
            if (after.calls - before.calls - idle.calls > most)
                most = after.calls - before.calls - idle.calls;
        }
        free(table);
        bk_catalog_free(fresh.catalog);
    }
    print_times(how_name[how], "cold", ns, n);
    printf("  %-10s cold    %.1f reads (%llu at most) and %.1f KB a probe\n", how_name[how],
           (double)sum.calls / (double)n, most, (double)sum.bytes / (double)n / 1e3);
}

/* == All of it == */

/* Returns the library's memory budget in bytes: BUDGET, in MiB, or 0 for the library's default. */
static uint64_t budget(void)
{
    const char *mib = getenv("BUDGET");

    return mib ? strtoull(mib, NULL, 10) << 20 : 0;
}

static void bench_open(struct bench *b, char **argv)
{
    struct bk_variant *v;
    struct bk_report why = { "" };
    const struct bk_options options = { .struct_size = sizeof options,
                                        .paths = argv[1],
                                        .memory_bytes = budget() };

    b->dir = argv[1];
    if (bk_variant_load(&v, argv[2], &why) || bk_material_parse(&b->m, v, argv[3], &why) ||
        bk_catalog_new(&b->catalog, v, b->dir, &why))
        die(why.text);
    b->v = v;
    if (bk_open_with(&b->lib, argv[2], &options))
        die(bk_error(b->lib));
    b->q = malloc(b->n * sizeof *b->q);
    if (!b->q)
        die("out of memory");
    for (size_t i = 0; i < b->n; i++) {
        question_new(&b->q[i], v, &b->m);
        b->q[i].wdl = (int8_t)ask(b, &b->q[i], WDL);
    }
}

int main(int argc, char **argv)
{
    struct bench b = { .n = argc > 4 ? strtoul(argv[4], NULL, 10) : 20000 };
    unsigned most = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 4;

    if (argc < 4 || !b.n || most > THREADS_MAX)
        die("usage: bench_probe DIR GAME MATERIAL [POSITIONS [THREADS]]");
    bench_open(&b, argv);
    printf("%s %s, %zu random legal positions\n", argv[2], argv[3], b.n);
    for (enum how how = WDL; how <= RANK; how++)
        if (!getenv("ONLY") || (enum how)strtol(getenv("ONLY"), NULL, 10) == how)
            warm(&b, how);
    if (getenv("ONLY") && !most)
        return 0;
    batch(&b);
    for (unsigned n = 1; n <= most; n *= 2)
        threads(&b, n);
    if (most) {
        cold(&b, WDL);
        cold(&b, BOTH);
    }
    free(b.q);
    bk_close(b.lib);
    bk_catalog_free(b.catalog);
    bk_variant_free((struct bk_variant *)(uintptr_t)b.v);
    return 0;
}
