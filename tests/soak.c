/*
 * soak.c - the library under threads: soak QUESTIONS [THREADS [SEED]]
 *
 * Random questions of every kind to every line of tests/golden/list: by position, by FEN, wdl
 * alone, from memory alone, ranked moves, many at once.  All handles share one small budget of
 * memory and few descriptors, so that tables, models and shards come and go all the time; now and
 * then somebody looks for tables again, changes the budget, or reads ahead.
 *
 * Oracle: the same questions asked one by one, of handles with all the memory they want.
 * Watched by the sanitizers: make probe-soak.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/position.h"
#include "tests/lines.h"
#include "tests/random_variant.h"

#define THREADS_MAX 64
#define LINES_MAX   64
#define EACH        40 /* positions a line */
#define MOVES       512
#define MANY        8 /* positions of a batch */
#define MEN         16
#define KIB_MIN     1024  /* the least budget; no question needs more at once */
#define KIB_MAX     16384 /* the largest budget: nearly all tables fit */
#define SELDOM      2000  /* questions for each change() */
#define BOARDS      150   /* drawn from 180: more than a handle keeps */

struct question {
    char fen[BK_FEN_MAX];
    struct bk_lib_piece men[MEN];
    struct bk_lib_pos pos;
    /* the right answers */
    struct bk_answer answer;
    enum bk_lib_err err, ranked_err;
    uint64_t ranked;
};

static struct soaked {
    char game[64], material[BK_MATERIAL_NAME_MAX];
    bool derived; /* asked by FEN alone */
    unsigned n;
    struct question q[EACH];
    struct bk_lib *lib;
} soaked[LINES_MAX];
static unsigned nlines;

static _Atomic uint64_t left, wrong;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "soak: %s: %s\n", what, why);
    exit(1);
}

/* == Right answers == */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

/* Returns a hash of all fields of a list of moves. */
static uint64_t ranked_number(const struct bk_lib_ranked *m, size_t n)
{
    uint64_t h = n;

    for (size_t i = 0; i < n; i++) {
        for (const char *s = m[i].name; *s; s++)
            h = mix(h, (unsigned char)*s);
        h = mix(h, (uint64_t)m[i].err << 40 | (uint64_t)m[i].end << 32 | (uint32_t)m[i].dtw);
        h = mix(h, (uint64_t)(m[i].wdl + 2) << 8 | (uint64_t)m[i].keeps);
    }
    return h;
}

static enum bk_lib_err rank_of(struct bk_lib *lib, const struct question *q, bool derived,
                               uint64_t *number)
{
    struct bk_lib_ranked move[MOVES];
    size_t n;
    enum bk_lib_err err = derived ? bk_rank_moves_fen(lib, q->fen, 30, 0, move, MOVES, &n)
                                  : bk_rank_moves(lib, &q->pos, 30, 0, move, MOVES, &n);

    *number = ranked_number(move, n < MOVES ? n : MOVES);
    return err;
}

static void ask_alone(struct line *l, struct question *q, const struct bk_pos *p)
{
    bk_pos_to_fen(p, l->v, q->fen);
    if (bk_read_fen(l->lib, q->fen, q->men, MEN, &q->pos))
        die(q->fen, bk_error(l->lib));
    q->err = bk_probe_fen(l->lib, q->fen, &q->answer);
    q->ranked_err = rank_of(l->lib, q, l->derived, &q->ranked);
}

static void line_soak(struct line *l)
{
    struct bk_options o = { .struct_size = sizeof o,
                            .paths = l->folder,
                            .memory_bytes = KIB_MAX << 10,
                            .open_files = 8,
                            .share = nlines ? soaked[0].lib : NULL };
    struct soaked *s = &soaked[nlines];
    uint64_t seed = nlines;
    struct bk_pos p;

    if (nlines == LINES_MAX)
        die("the list", "too long");
    snprintf(s->game, sizeof s->game, "%s", l->game);
    bk_material_name(&l->m, l->v, s->material);
    s->derived = l->derived;
    while (s->n < EACH && lines_position(&p, l->v, &l->m, &seed))
        ask_alone(l, &s->q[s->n++], &p);
    if (!s->n) /* the material has castling rights */
        return;
    if (bk_open_with(&s->lib, l->game, &o))
        die(l->game, bk_error(s->lib));
    nlines++;
}

/* == Asking == */

static bool same(enum bk_lib_err err, const struct bk_answer *a, const struct question *q)
{
    return err == q->err && (err || !memcmp(a, &q->answer, sizeof *a));
}

static bool ask_many(const struct soaked *s, uint64_t *seed)
{
    struct bk_lib_pos pos[MANY];
    const char *fen[MANY];
    const struct question *q[MANY];
    struct bk_answer a[MANY];
    enum bk_lib_err err[MANY];
    bool good = true;

    for (unsigned i = 0; i < MANY; i++) {
        q[i] = &s->q[random_below(seed, s->n)];
        pos[i] = q[i]->pos;
        fen[i] = q[i]->fen;
    }
    if (s->derived)
        bk_probe_batch(s->lib, fen, MANY, a, err);
    else
        bk_probe_many(s->lib, pos, MANY, 0, a, err);
    for (unsigned i = 0; i < MANY; i++)
        good &= same(err[i], &a[i], q[i]);
    return good;
}

static bool ask_wdl(const struct soaked *s, const struct question *q, unsigned flags)
{
    int wdl = 9;
    enum bk_lib_err err = s->derived ? bk_probe_fen_wdl(s->lib, q->fen, flags, &wdl)
                                     : bk_probe_wdl(s->lib, &q->pos, flags, &wdl);

    if (flags && err == BK_LIB_NOT_IN_MEMORY)
        return true;
    return err ? q->err == err : wdl == q->answer.wdl || q->err; /* or only distances are missing */
}

static bool ask(const struct soaked *s, uint64_t *seed)
{
    const struct question *q = &s->q[random_below(seed, s->n)];
    struct bk_answer a;
    uint64_t number;

    switch (random_below(seed, 16)) {
    case 0: return rank_of(s->lib, q, s->derived, &number) == q->ranked_err && number == q->ranked;
    case 1: return ask_many(s, seed);
    case 2:
    case 3:
    case 4: return same(bk_probe_fen(s->lib, q->fen, &a), &a, q);
    case 5:
    case 6: return ask_wdl(s, q, BK_LIB_CACHE_ONLY);
    case 7:
    case 8:
    case 9: return ask_wdl(s, q, 0);
    default:
        return s->derived ? same(bk_probe_fen(s->lib, q->fen, &a), &a, q)
                          : same(bk_probe(s->lib, &q->pos, 0, &a), &a, q);
    }
}

/* Asks so many boards that a handle drops those of the list.  In games whose positions bring their
   own boards, two bare kings must be a draw on each; errors pass. */
static bool crowd(const struct soaked *s, uint64_t *seed)
{
    bool good = true;

    for (unsigned i = 0; i < BOARDS; i++) {
        unsigned row = (unsigned)random_below(seed, 5), hole = (unsigned)random_below(seed, 6);
        unsigned other = (unsigned)random_below(seed, 6);
        char fen[64];
        int wdl = 0;

        snprintf(fen, sizeof fen, "k7/%.*s%u*%u/%.*s%u*%u/7K w", (int)(2 * row), "8/8/8/8/8/",
                 1 + hole, 6 - hole, (int)(8 - 2 * row), "8/8/8/8/8/", 6 - other, 1 + other);
        good &= bk_probe_fen_wdl(s->lib, fen, 0, &wdl) || !wdl;
    }
    return good;
}

/* Makes one of six rare calls at random; false: it failed or its answer is wrong. */
static bool change(const struct soaked *s, uint64_t *seed)
{
    uint64_t used, budget;
    size_t n;

    switch (random_below(seed, 6)) {
    case 4: return crowd(s, seed);
    case 0: return !bk_refresh(s->lib);
    case 1:
        budget = KIB_MIN + random_below(seed, KIB_MAX - KIB_MIN);
        return !bk_set_memory(s->lib, budget << 10);
    case 2: return s->derived || !bk_prefetch(s->lib, s->material, 0);
    case 3: return !bk_list_tables(s->lib, NULL, 0, &n) && bk_men_max(s->lib) >= 0;
    default: return !bk_memory(s->lib, &used, &budget) && budget;
    }
}

static void *soak(void *context)
{
    uint64_t seed = *(const uint64_t *)context;

    while (atomic_fetch_sub(&left, 1) - 1 < UINT64_MAX / 2) {
        const struct soaked *s = &soaked[random_below(&seed, nlines)];
        bool good = random_below(&seed, SELDOM) ? ask(s, &seed) : change(s, &seed);

        if (!good && atomic_fetch_add(&wrong, 1) < 10)
            fprintf(stderr, "soak: %s %s is answered otherwise; last error: %s\n", s->game,
                    s->material, bk_error(s->lib));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t questions = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 4;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1, seed[THREADS_MAX];
    pthread_t id[THREADS_MAX];
    time_t began = time(NULL);

    if (!questions || !threads || threads > THREADS_MAX)
        die("usage", "soak QUESTIONS [THREADS [SEED]]");
    lines_each(line_soak);
    atomic_store(&left, questions);
    for (unsigned i = 0; i < threads; i++) {
        seed[i] = first * THREADS_MAX + i;
        if (pthread_create(&id[i], NULL, soak, &seed[i]))
            die("a thread", "cannot be made");
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    for (unsigned i = 0; i < nlines; i++)
        bk_close(soaked[i].lib);
    printf("soak: %llu questions by %u threads, %llu wrong, %.0f s\n",
           (unsigned long long)questions, threads, (unsigned long long)wrong,
           difftime(time(NULL), began));
    return wrong != 0;
}
