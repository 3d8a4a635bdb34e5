/*
 * bench_facts.c - the cost of facts, for `make bench`: one position, and a row, down a tree.
 *
 * bench_facts [VARIANT MATERIAL]...
 *
 * The tree is not learned from a table, but of real facts: over random positions, each node asks
 * whichever of a few random facts splits its share most evenly.  So every kind of fact occurs, as
 * deep as in a real tree; a learned one asks fewer and puts the cheap ones first.  Rows follow each
 * other as in a table, the last man but the inner one moving on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/facts.h"
#include "core/finish.h"
#include "core/load.h"
#include "core/rules.h"
#include "table/material.h"
#include "tests/random_variant.h"

#define SAMPLES    16384
#define LEAF_MIN   8
#define CANDIDATES 12
#define RUNS       200 /* of rows in which one man moves */
#define REPEATS    5   /* the best counts */

struct bench {
    struct bk_variant *v;
    struct bk_fact_men men;
    struct bk_facts *f;
    unsigned inner;
    uint64_t seed;
    uint8_t (*sample)[BK_MEN_MAX];
    uint64_t *is; /* [fact * SAMPLES / 64 + sample / 64] */
    struct bk_fact_node *tree;
    uint32_t nodes, leaves;
    uint64_t depths;
};

static double now(void) { return bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

static bool may_stand(const struct bench *b, unsigned man, unsigned sq)
{
    return bk_bits_has(&b->v->board, sq) &&
           bk_rules_may_stand(b->v, b->men.type[man], b->men.colour[man], sq);
}

static bool is_free(const struct bench *b, const uint8_t *sq, unsigned men, unsigned but,
                    unsigned at)
{
    for (unsigned i = 0; i < men; i++)
        if (i != but && sq[i] == at)
            return false;
    return may_stand(b, but, at);
}

static void draw(struct bench *b, uint8_t *sq)
{
    for (unsigned i = 0; i < b->men.n; i++)
        do
            sq[i] = (uint8_t)random_below(&b->seed, b->v->nsq);
        while (!is_free(b, sq, i, i, sq[i]));
}

/* Draws the samples and sets b->is to all their facts, a column for each fact. */
static void take_samples(struct bench *b, struct bk_fact_row *row)
{
    unsigned n = bk_facts_count(b->f), words = bk_facts_words(b->f);
    uint64_t *all = calloc((size_t)n * words, 8), whole[4];

    memset(whole, 0xff, sizeof whole);

    for (unsigned s = 0; s < SAMPLES && all; s++) {
        draw(b, b->sample[s]);
        bk_fact_row_set(row, b->sample[s]);
        bk_fact_row_all(row, whole, all);
        unsigned x = b->sample[s][b->inner];
        for (unsigned fact = 0; fact < n; fact++)
            b->is[(size_t)fact * SAMPLES / 64 + s / 64] |=
                (all[fact * words + x / 64] >> x % 64 & 1) << s % 64;
    }
    free(all);
}

static bool sample_is(const struct bench *b, unsigned fact, unsigned s)
{
    return b->is[(size_t)fact * SAMPLES / 64 + s / 64] >> s % 64 & 1;
}

/* Returns, of a few random facts, the one whose share of true samples is nearest to half. */
static unsigned choose(struct bench *b, const uint16_t *s, unsigned n)
{
    unsigned best = BK_FACT_LEAF, best_off = n;

    for (unsigned k = 0; k < CANDIDATES; k++) {
        unsigned fact = random_below(&b->seed, bk_facts_count(b->f)), yes = 0, off;

        for (unsigned i = 0; i < n; i++)
            yes += sample_is(b, fact, s[i]);
        off = 2 * yes > n ? 2 * yes - n : n - 2 * yes;
        if (off < best_off) {
            best = fact;
            best_off = off;
        }
    }
    return best;
}

static uint32_t grow(struct bench *b, uint16_t *s, unsigned n, unsigned depth)
{
    uint32_t at = b->nodes++, yes = 0;
    unsigned fact = n < LEAF_MIN ? BK_FACT_LEAF : choose(b, s, n);

    b->tree[at] = (struct bk_fact_node){ (uint16_t)fact, 0, 0 };
    if (fact == BK_FACT_LEAF) {
        b->tree[at].yes = b->leaves++;
        b->depths += (uint64_t)depth * n;
        return at;
    }
    for (unsigned i = 0; i < n; i++)
        if (sample_is(b, fact, s[i])) {
            uint16_t swap = s[i];

            s[i] = s[yes];
            s[yes++] = swap;
        }
    b->tree[at].yes = grow(b, s, yes, depth + 1);
    b->tree[at].no = grow(b, s + yes, n - yes, depth + 1);
    return at;
}

static double time_leaves(const struct bench *b, uint32_t *sum)
{
    double best = 1e9;
    struct bk_fact_tree *tree;

    if (bk_fact_tree_new(&tree, b->f, b->tree, b->nodes, NULL, NULL))
        return 0;
    for (unsigned k = 0; k < REPEATS; k++) {
        double t = now();

        for (unsigned s = 0; s < SAMPLES; s++) {
            struct bk_fact_look look;

            bk_fact_look(&look, b->f, b->sample[s]);
            *sum += (uint32_t)bk_fact_look_leaf(&look, tree);
        }
        t = now() - t;
        best = t < best ? t : best;
    }
    bk_fact_tree_free(tree);
    return best / SAMPLES * 1e9;
}

/* Returns the time of all facts of a random row, in ns; `squares`: those asked for in each word. */
static double time_all(const struct bench *b, struct bk_fact_row *row, uint64_t squares)
{
    uint64_t *all = calloc((size_t)bk_facts_count(b->f) * bk_facts_words(b->f), 8);
    const uint64_t care[4] = { squares, squares, squares, squares };
    double best = 1e9;

    for (unsigned k = 0; k < REPEATS && all; k++) {
        double t = now();

        for (unsigned s = 0; s < SAMPLES / 16; s++) {
            bk_fact_row_set(row, b->sample[s]);
            bk_fact_row_all(row, care, all);
        }
        t = now() - t;
        best = t < best ? t : best;
    }
    free(all);
    return best / (SAMPLES / 16) * 1e9;
}

static void visit(void *context, uint32_t leaf, const uint64_t *squares)
{
    uint64_t *visits = context;

    (void)leaf;
    (void)squares;
    ++*visits;
}

struct bench_row {
    uint8_t sq[BK_MEN_MAX];
    uint64_t care[4];
};

/* Sets `rows` to rows in which man `moves` goes over the board; returns how many. */
static unsigned draw_rows(struct bench *b, unsigned moves, struct bench_row rows[BK_SQ_MAX])
{
    uint8_t sq[BK_MEN_MAX];
    unsigned n = 0;

    draw(b, sq);
    for (unsigned to = 0; to < b->v->nsq; to++) {
        struct bench_row *row = &rows[n];

        if (to == sq[b->inner] || !is_free(b, sq, b->men.n, moves, to))
            continue;
        sq[moves] = (uint8_t)to;
        memset(row, 0, sizeof *row);
        memcpy(row->sq, sq, sizeof sq);
        for (unsigned x = 0; x < b->v->nsq; x++)
            if (is_free(b, sq, b->men.n, b->inner, x))
                row->care[x / 64] |= UINT64_C(1) << x % 64;
        n++;
    }
    return n;
}

static double time_rows(struct bench *b, struct bk_fact_row *row, double *visits_row)
{
    unsigned moves = b->inner + 1 < b->men.n ? b->men.n - 1 : b->inner - 1, rows = 0;
    uint64_t visits = 0;
    double spent = 0;

    for (unsigned run = 0; run < RUNS; run++) {
        static struct bench_row r[BK_SQ_MAX];
        unsigned n = draw_rows(b, moves, r);
        double best = 1e9;

        for (unsigned k = 0; k < REPEATS; k++) {
            double t = now();

            for (unsigned i = 0; i < n; i++) {
                bk_fact_row_set(row, r[i].sq);
                bk_fact_row_descend(row, b->tree, r[i].care, visit, &visits);
            }
            t = now() - t;
            best = t < best ? t : best;
        }
        spent += best;
        rows += n;
    }
    *visits_row = (double)visits / REPEATS / rows;
    return spent / rows * 1e9;
}

static bool bench_open(struct bench *b, const char *game, const char *material)
{
    struct bk_report why;
    struct bk_material m;

    memset(b, 0, sizeof *b);
    b->seed = 1;
    if (bk_variant_load(&b->v, game, &why) || bk_material_parse(&m, b->v, material, &why)) {
        fprintf(stderr, "bench_facts: %s\n", why.text);
        return false;
    }
    b->men = (struct bk_fact_men){ 2, { b->v->royal, b->v->royal }, { BK_WHITE, BK_BLACK } };
    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < b->v->ntypes; t++)
            for (unsigned k = 0; k < m.count[c][t] && t != b->v->royal; k++) {
                b->men.type[b->men.n] = (uint8_t)t;
                b->men.colour[b->men.n++] = (uint8_t)c;
            }
    b->inner = b->men.n - 1;
    if (bk_facts_new(&b->f, b->v, &b->men, &why)) {
        fprintf(stderr, "bench_facts: %s\n", why.text);
        return false;
    }
    b->sample = calloc(SAMPLES, sizeof *b->sample);
    b->is = calloc((size_t)bk_facts_count(b->f) * SAMPLES / 64, 8);
    b->tree = calloc(2 * SAMPLES, sizeof *b->tree);
    return b->sample && b->is && b->tree;
}

static int bench(const char *game, const char *material)
{
    static uint16_t order[SAMPLES];
    struct bk_fact_row *row;
    struct bench b;
    double leaf, all, quarter, rows, visits;
    uint32_t sum = 0;

    if (!bench_open(&b, game, material) || bk_fact_row_new(&row, b.f, b.inner, NULL))
        return 4;
    take_samples(&b, row);
    for (unsigned s = 0; s < SAMPLES; s++)
        order[s] = (uint16_t)s;
    grow(&b, order, SAMPLES, 0);
    leaf = time_leaves(&b, &sum);
    all = time_all(&b, row, ~UINT64_C(0));
    quarter = time_all(&b, row, UINT64_C(0x1248124812481248));
    rows = time_rows(&b, row, &visits);
    printf("facts: %-15s %-7s %4u facts, tree of %u leaves, %.1f deep: position %4.0f ns, row "
           "%5.0f ns (%.1f leaves; sum %08x), all facts of a row %5.0f ns, for every fourth square "
           "%5.0f ns\n",
           game, material, bk_facts_count(b.f), b.leaves, (double)b.depths / SAMPLES, leaf, rows,
           visits, sum, all, quarter);
    bk_fact_row_free(row);
    bk_facts_free(b.f);
    bk_variant_free(b.v);
    free(b.sample);
    free(b.is);
    free(b.tree);
    return 0;
}

int main(int argc, char **argv)
{
    static char *usual[] = { "",       "shatranj",       "KRNvKR", "chess",     "KQRvKR", "chess",
                             "KRPvKN", "grand-shatranj", "KJMvKN", "darwinian", "KRNvKR" };
    int n = argc > 2 ? argc : (int)(sizeof usual / sizeof *usual), failed = 0;
    char **arg = argc > 2 ? argv : usual;

    for (int i = 1; i + 1 < n && !failed; i += 2)
        failed = bench(arg[i], arg[i + 1]);
    return failed;
}
