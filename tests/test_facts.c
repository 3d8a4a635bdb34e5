/*
 * test_facts.c - both evaluators of facts against the plain definition.
 *
 * Games are the shipped ones and random ones (random_variant.h) on boards of up to 14x14; of each,
 * random lists of 3 to 8 men on random squares, every man in turn the inner one, in sets of 64,
 * 128 and 256.  Rows follow each other as in a table: most often one man has moved, or the kings.
 *
 * test_facts [N [SEED]]: N random games (120) from SEED (1) on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/facts/list.h"
#include "core/finish.h"
#include "core/load.h"
#include "core/move.h"
#include "core/rules.h"
#include "tests/plain_facts.h"
#include "tests/random_variant.h"
#include "tests/variant_ini.h"

#define KINDS  (FACT_FORK + METRICS + 4)
#define LEAVES 64
#define ASKED  5 /* squares of a row that are asked of the plain definition */
#define LISTS  2 /* of men, of a random game */
#define ROWS   6 /* of an inner man */

static unsigned games_drawn = 120;
static uint64_t first_seed = 1;

/* == Drawing == */

struct scene {
    uint64_t seed;
    const struct bk_variant *v;
    struct bk_fact_men men;
    struct bk_facts *facts;
    unsigned words;
    uint8_t sq[BK_MEN_MAX];
};

static bool taken(const struct scene *s, unsigned sq, unsigned but)
{
    for (unsigned i = 0; i < s->men.n; i++)
        if (i != but && s->sq[i] == sq)
            return true;
    return false;
}

/* Any square of the board where no other man stands; most often one that the man may stand on. */
static uint8_t draw_square(struct scene *s, unsigned man)
{
    for (unsigned tries = 0;; tries++) {
        unsigned sq = random_below(&s->seed, s->v->nsq);

        if (bk_bits_has(&s->v->board, sq) && !taken(s, sq, man) &&
            (tries > 50 || bk_rules_may_stand(s->v, s->men.type[man], s->men.colour[man], sq)))
            return (uint8_t)sq;
    }
}

static void draw_men(struct scene *s)
{
    unsigned room = bk_bits_count(&s->v->board), most = room - 1 < 8 ? room - 1 : 8;

    s->men.n = 3 + random_below(&s->seed, most - 2);
    assert_in_range(s->men.n, 3, BK_MEN_MAX);
    for (unsigned i = 0; i < s->men.n; i++) {
        s->men.colour[i] = (uint8_t)(i < 2 ? i : random_below(&s->seed, 2));
        do
            s->men.type[i] = (uint8_t)random_below(&s->seed, s->v->ntypes);
        while (i >= 2 && s->men.type[i] == s->v->royal && s->v->ntypes > 1);
        if (i < 2)
            s->men.type[i] = s->v->royal;
        if (i > 2 && random_once_in(&s->seed, 4)) { /* two equal men */
            s->men.type[i] = s->men.type[i - 1];
            s->men.colour[i] = s->men.colour[i - 1];
        }
    }
    memset(s->sq, BK_SQ_NONE, sizeof s->sq);
    for (unsigned i = 0; i < s->men.n && i < BK_MEN_MAX; i++)
        s->sq[i] = draw_square(s, i);
}

static void scene_open(struct scene *s, const struct bk_variant *v, uint64_t seed, unsigned bits)
{
    char wish[8];

    s->v = v;
    s->seed = seed;
    draw_men(s);
    snprintf(wish, sizeof wish, "%u", bits);
    setenv("BAREKING_SET_BITS", wish, 1);
    assert_int_equal(bk_facts_new(&s->facts, v, &s->men, NULL), BK_OK);
    unsetenv("BAREKING_SET_BITS");
    s->words = bk_facts_words(s->facts);
    assert_true(s->words * 64 >= bits && s->words * 64 >= v->nsq);
}

/* Draws the next row: at most one man moves, once in five rows all but the inner one. */
static void draw_row(struct scene *s, unsigned inner)
{
    unsigned all = random_once_in(&s->seed, 5), one = random_below(&s->seed, s->men.n);

    for (unsigned i = 0; i < s->men.n; i++)
        if (i != inner && (all || i == one))
            s->sq[i] = draw_square(s, i);
}

/* == What has been seen == */

static uint64_t seen[KINDS][2];

/* Returns the line of `seen` of a fact: by kind, but places by metric and forks by sort. */
static unsigned sort_of(const struct bk_facts *f, unsigned fact)
{
    const struct fact_group *g = &f->group[f->item[fact].group];
    struct fact_fork fork;

    if (g->kind == FACT_PLACE)
        return FACT_FORK + 4 + (g->metric < METRIC_ORBIT ? g->metric : METRIC_ORBIT);
    if (g->kind != FACT_FORK)
        return g->kind;
    fork = g->fork;
    return FACT_FORK + (unsigned)(fork.skewer ? 1 : fork.covered ? 2 : 0) + (fork.a != fork.b);
}

/* == Each fact against its definition == */

static bool leaf_says(const struct bk_facts *f, unsigned fact, const uint8_t *sq)
{
    const struct bk_fact_node tree[3] = { { (uint16_t)fact, 1, 2 },
                                          { BK_FACT_LEAF, 1, 0 },
                                          { BK_FACT_LEAF, 0, 0 } };

    struct bk_fact_tree *t;
    struct bk_fact_look look;
    int32_t leaf;

    assert_int_equal(bk_fact_tree_new(&t, f, tree, 3, NULL, NULL), BK_OK);
    bk_fact_look(&look, f, sq);
    leaf = bk_fact_look_leaf(&look, t);
    bk_fact_tree_free(t);
    return leaf;
}

static void differ(const struct scene *s, unsigned inner, unsigned fact, const char *who, bool says)
{
    char text[BK_FACT_TEXT_MAX];

    print_message("game %s, set of %u, fact %u '%s', inner man %u: %s says %s; squares", s->v->name,
                  s->words * 64, fact, bk_fact_text(s->facts, fact, text), inner, who,
                  says ? "yes" : "no");
    for (unsigned i = 0; i < s->men.n; i++)
        print_message(" %c%u%s%u", s->v->piece[s->men.type[i]].letter, s->men.colour[i], "@",
                      s->sq[i]);
    print_message("\n");
    variant_print_ini(stdout, s->v, NULL);
    fail();
}

static void compare_position(const struct scene *s, unsigned inner, const uint64_t *all)
{
    unsigned x = s->sq[inner];

    for (unsigned fact = 0; fact < bk_facts_count(s->facts); fact++) {
        bool is = plain_fact_of(s->facts, fact, s->sq);
        bool row = all[fact * s->words + x / 64] >> x % 64 & 1;

        seen[sort_of(s->facts, fact)][is]++;
        if (row != is)
            differ(s, inner, fact, "the row", row);
        if (leaf_says(s->facts, fact, s->sq) != is)
            differ(s, inner, fact, "the position", !is);
    }
}

struct truths {
    const struct scene *s;
    uint64_t is[4];
};

static void note_truth(void *context, uint32_t leaf, const uint64_t *squares)
{
    struct truths *t = context;

    if (leaf)
        memcpy(t->is, squares, t->s->words * 8);
}

/* Checks that all facts, asked for the squares `some`, are there what `all` says. */
static void compare_part(struct scene *s, struct bk_fact_row *row, unsigned inner,
                         const uint64_t *some, const uint64_t *all)
{
    unsigned n = bk_facts_count(s->facts);
    uint64_t *part = calloc(n + 1, s->words * 8);

    assert_non_null(part);
    bk_fact_row_all(row, some, part);
    for (unsigned i = 0; i < n * s->words; i++)
        if ((part[i] ^ all[i]) & some[i % s->words])
            differ(s, inner, i / s->words, "a part of the row", false);
    free(part);
}

/* Checks that each fact, asked for some squares and then for all, is what `all` says; half the time
   after all facts were asked for some squares. */
static void compare_descents(struct scene *s, unsigned inner, const uint64_t *all)
{
    struct bk_fact_row *fresh;
    uint64_t some[4] = { 0 }, care[4] = { 0 };

    assert_int_equal(bk_fact_row_new(&fresh, s->facts, inner, NULL), BK_OK);
    bk_fact_row_set(fresh, s->sq);
    for (unsigned x = 0; x < s->v->nsq; x++)
        if (bk_bits_has(&s->v->board, x) && !taken(s, x, inner)) {
            care[x / 64] |= UINT64_C(1) << x % 64;
            some[x / 64] |= (uint64_t)random_once_in(&s->seed, 9) << x % 64;
        }
    if (random_once_in(&s->seed, 2))
        compare_part(s, fresh, inner, some, all);
    for (unsigned fact = 0; fact < bk_facts_count(s->facts); fact++) {
        const struct bk_fact_node tree[3] = { { (uint16_t)fact, 1, 2 },
                                              { BK_FACT_LEAF, 1, 0 },
                                              { BK_FACT_LEAF, 0, 0 } };

        for (unsigned pass = 0; pass < 2; pass++) {
            struct truths t = { s, { 0 } };
            const uint64_t *asked = pass ? care : some;

            bk_fact_row_descend(fresh, tree, asked, note_truth, &t);
            for (unsigned w = 0; w < s->words; w++)
                if (t.is[w] != (all[fact * s->words + w] & asked[w]))
                    differ(s, inner, fact, "a descent", !pass);
        }
    }
    bk_fact_row_free(fresh);
}

static void compare_rows(struct scene *s, unsigned inner)
{
    const uint64_t whole[4] = { ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0) };
    uint64_t *all = calloc(bk_facts_count(s->facts) + 1, s->words * 8);
    struct bk_fact_row *row;

    assert_non_null(all);
    assert_int_equal(bk_fact_row_new(&row, s->facts, inner, NULL), BK_OK);
    for (unsigned n = 0; n < ROWS; n++) {
        draw_row(s, inner);
        bk_fact_row_set(row, s->sq);
        bk_fact_row_all(row, whole, all);
        compare_descents(s, inner, all);
        for (unsigned k = 0; k < ASKED; k++) {
            s->sq[inner] = draw_square(s, inner);
            compare_position(s, inner, all);
        }
    }
    bk_fact_row_free(row);
    free(all);
}

/* == Trees == */

struct visits {
    struct scene *s;
    const struct bk_fact_tree *tree;
    unsigned inner;
    uint64_t care[4], met[4];
    uint64_t leaves; /* visited, a bit each */
};

static void visit(void *context, uint32_t leaf, const uint64_t *squares)
{
    struct visits *v = context;
    struct bk_fact_look look;
    bool some = false;

    assert_true(leaf < LEAVES);
    assert_false(v->leaves >> leaf & 1);
    v->leaves |= UINT64_C(1) << leaf;
    for (unsigned w = 0; w < v->s->words; w++) {
        some |= squares[w] != 0;
        assert_int_equal(v->met[w] & squares[w], 0);
        assert_int_equal(squares[w] & ~v->care[w], 0);
        v->met[w] |= squares[w];
        for (unsigned b = 0; b < 64; b++)
            if (squares[w] >> b & 1) {
                v->s->sq[v->inner] = (uint8_t)(w * 64 + b);
                bk_fact_look(&look, v->s->facts, v->s->sq);
                assert_int_equal(bk_fact_look_leaf(&look, v->tree), leaf);
            }
    }
    assert_true(some);
}

/* A tree of 64 leaves: a random leaf is split by a random fact till there are so many. */
static void draw_tree(struct scene *s, struct bk_fact_node tree[2 * LEAVES])
{
    uint32_t leaf[LEAVES] = { 0 }, nodes = 1;

    for (unsigned n = 1; n < LEAVES; n++) {
        uint32_t *at = &leaf[random_below(&s->seed, n)];

        tree[*at] =
            (struct bk_fact_node){ (uint16_t)random_below(&s->seed, bk_facts_count(s->facts)),
                                   nodes, nodes + 1 };
        *at = nodes;
        leaf[n] = nodes + 1;
        nodes += 2;
    }
    for (uint32_t n = 0; n < LEAVES; n++)
        tree[leaf[n]] = (struct bk_fact_node){ BK_FACT_LEAF, n, 0 };
}

static void compare_trees(struct scene *s, unsigned inner)
{
    struct bk_fact_node tree[2 * LEAVES];
    struct bk_fact_tree *fast = NULL;
    struct bk_fact_row *row;

    assert_int_equal(bk_fact_row_new(&row, s->facts, inner, NULL), BK_OK);
    for (unsigned n = 0; n < ROWS; n++) {
        struct visits v = { .s = s, .inner = inner };
        uint8_t sq[BK_MEN_MAX];

        if (n % 3 == 0) {
            draw_tree(s, tree);
            bk_fact_tree_free(fast);
            assert_int_equal(bk_fact_tree_new(&fast, s->facts, tree, 2 * LEAVES - 1, NULL, NULL),
                             BK_OK);
        }
        v.tree = fast;
        draw_row(s, inner);
        for (unsigned x = 0; x < s->v->nsq; x++)
            if (bk_bits_has(&s->v->board, x) && !taken(s, x, inner) && !random_once_in(&s->seed, 4))
                v.care[x / 64] |= UINT64_C(1) << x % 64;
        memcpy(sq, s->sq, sizeof sq);
        bk_fact_row_set(row, s->sq);
        bk_fact_row_descend(row, tree, v.care, visit, &v);
        assert_memory_equal(v.met, v.care, sizeof v.met);
        memcpy(s->sq, sq, sizeof sq);
    }
    bk_fact_tree_free(fast);
    bk_fact_row_free(row);
}

/* == Captures == */

static struct bk_move moves[BK_MOVES_MAX];

static unsigned man_on(const struct scene *s, unsigned sq)
{
    for (unsigned i = 0; i < s->men.n; i++)
        if (s->sq[i] == sq)
            return i;
    return BK_FACT_NOBODY;
}

/* Does no man take two, or change?  Only then do facts and moves tell the same captures. */
static bool moves_plainly(const struct scene *s)
{
    for (unsigned i = 0; i < s->men.n; i++)
        if (bk_rules_takes_twice(s->v, s->men.type[i]) ||
            bk_rules_changes_ever(s->v, s->men.type[i]))
            return false;
    return true;
}

static void set_up(const struct scene *s, unsigned stm, struct bk_pos *p)
{
    bk_pos_init(p, s->v);
    for (unsigned i = 0; i < s->men.n; i++)
        bk_pos_put(p, s->v, s->men.type[i], s->men.colour[i], s->sq[i]);
    p->stm = (uint8_t)stm;
}

/* A bare king to move: can he take the last man? */
static bool takes_last(const struct scene *s, const struct bk_pos *p)
{
    unsigned n = bk_moves_legal(s->v, p, moves);

    for (unsigned i = 0; i < n; i++)
        if (moves[i].takes != BK_SQ_NONE)
            return true;
    return false;
}

static uint64_t bares_seen[2], exposes_seen[2], alike_seen[2];

/* Compares where the man `by` may go without taking: by bk_fact_look_quiet(), by legal moves. */
static void compare_quiet(const struct scene *s, unsigned by, const struct bk_bits *legal)
{
    unsigned type = s->men.type[by], colour = s->men.colour[by];
    bool alike = bk_man_moves_as_he_takes(s->v, type, colour);
    struct bk_fact_look look;
    struct bk_bits to;

    alike_seen[alike]++;
    if (!alike)
        return;
    bk_fact_look(&look, s->facts, s->sq);
    bk_fact_look_quiet(&look, by, &to);
    for (unsigned sq = 0; sq < s->v->nsq; sq++)
        assert_int_equal(bk_bits_has(&to, sq) && bk_rules_may_stand(s->v, type, colour, sq),
                         bk_bits_has(legal, sq));
}

static void compare_bare(const struct scene *s, const struct bk_fact_look *look,
                         struct bk_fact_take take, const struct bk_pos *after)
{
    struct bk_bits theirs = after->by[!after->stm];
    unsigned last;
    bool back;

    if (!bk_bits_single(&after->by[after->stm]) || bk_bits_count(&theirs) != 2)
        return;
    bk_bits_clear(&theirs, after->king[!after->stm]);
    last = bk_bits_first(&theirs);
    back = bk_fact_look_bares_back(look, take) &&
           bk_rules_may_stand(s->v, s->v->royal, after->stm, last);
    bares_seen[back]++;
    assert_int_equal(back, takes_last(s, after));
}

/* Compares every move of a side with what bk_fact_look() says of it. */
static void compare_moves(const struct scene *s, unsigned stm)
{
    static struct bk_move list[BK_MOVES_MAX];
    struct bk_fact_look look;
    struct bk_pos p;
    struct bk_bits quiet[BK_MEN_MAX] = { { { 0 } } };
    unsigned n, met = 0, want = 0;
    uint64_t takes;

    set_up(s, stm, &p);
    bk_fact_look(&look, s->facts, s->sq);
    takes = bk_fact_look_takes(&look, stm);
    n = bk_moves_pseudo(s->v, &p, list);
    for (unsigned i = 0; i < n; i++) {
        unsigned by = man_on(s, list[i].from), taken = man_on(s, list[i].to);
        struct bk_fact_take take = { (uint8_t)by, (uint8_t)taken };
        struct bk_pos after = p;
        bool legal;

        if (list[i].creates || list[i].destroys) /* tables are of land that stays */
            continue;
        bk_pos_play(&after, s->v, &list[i]);
        legal = bk_pos_legal(s->v, &after);
        exposes_seen[!legal]++;
        assert_int_equal(bk_fact_look_exposes(&look, by, list[i].to, taken), !legal);
        if (taken == BK_FACT_NOBODY) {
            if (legal)
                bk_bits_set(&quiet[by], list[i].to);
            continue;
        }
        met++;
        assert_true(takes >> (BK_MEN_MAX * take.by + take.taken) & 1);
        if (legal)
            compare_bare(s, &look, take, &after);
    }
    for (unsigned i = 0; i < s->men.n; i++)
        if (s->men.colour[i] == stm)
            compare_quiet(s, i, &quiet[i]);
    for (; takes; takes &= takes - 1) {
        struct bk_fact_take take = bk_fact_takes_first(takes);

        want += bk_rules_may_stand(s->v, s->men.type[take.by], stm, s->sq[take.taken]);
    }
    assert_int_equal(met, want);
}

static void compare_captures(struct scene *s)
{
    for (unsigned n = 0; n < (s->men.n == 4 ? 100 * ROWS : ROWS); n++) { /* four: few are bare */
        draw_row(s, s->men.n);
        if (moves_plainly(s)) {
            compare_moves(s, BK_WHITE);
            compare_moves(s, BK_BLACK);
        }
    }
}

/* == Games == */

static void compare_game(const struct bk_variant *v, uint64_t seed, unsigned lists)
{
    static const unsigned widths[] = { 64, 128, 256 };

    for (unsigned n = 0; n < lists; n++) {
        struct scene s;

        scene_open(&s, v, seed + n, widths[random_below(&seed, 3)]);
        for (unsigned inner = 0; inner < s.men.n; inner++) {
            compare_rows(&s, inner);
            compare_trees(&s, inner);
        }
        compare_captures(&s);
        bk_facts_free(s.facts);
    }
}

static void facts__evaluators_agree_with_the_definition_in_shipped_games(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v;

        assert_int_equal(bk_variant_load(&v, e->name, NULL), BK_OK);
        compare_game(v, first_seed, 3);
        bk_variant_free(v);
    }
}

/* Puts a game on a board of up to 14x14 with holes; men that could stand anywhere still can. */
static void enlarge(struct bk_variant *v, uint64_t *seed)
{
    unsigned anywhere = (1u << v->ranks) - 1;

    v->files = (uint8_t)(6 + random_below(seed, BK_FILES_MAX - 5));
    v->ranks = (uint8_t)(6 + random_below(seed, BK_RANKS_MAX - 5));
    v->nsq = (uint8_t)(v->files * v->ranks);
    v->castling.allowed = false;
    memset(&v->board, 0, sizeof v->board);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (!random_once_in(seed, 12))
            bk_bits_set(&v->board, sq);
    for (unsigned t = 0; t < v->ntypes; t++)
        if ((v->piece[t].ranks & anywhere) == anywhere)
            v->piece[t].ranks = (uint16_t)((1u << v->ranks) - 1);
}

static void facts__evaluators_agree_with_the_definition_in_random_games(void **state)
{
    unsigned large[3] = { 0 };

    (void)state;
    for (unsigned n = 0; n < games_drawn; n++) {
        uint64_t seed = first_seed + n, draw = seed;
        struct random_opts opts = { .features = seed % 2 ? RANDOM_RAREST : RANDOM_ALL };
        struct bk_variant *v = calloc(1, sizeof *v);

        assert_non_null(v);
        random_variant(v, &draw, &opts);
        if (random_once_in(&draw, 2))
            enlarge(v, &draw);
        if (bk_variant_finish(v, NULL) == BK_OK && bk_bits_count(&v->board) >= 4) {
            large[v->nsq <= 64 ? 0 : v->nsq <= 128 ? 1 : 2]++;
            compare_game(v, seed, LISTS);
        }
        bk_variant_free(v);
    }
    print_message("%u games of up to 64 squares, %u of up to 128, %u of more\n", large[0], large[1],
                  large[2]);
    assert_true(games_drawn < 100 || (large[0] && large[1] && large[2]));
}

static void facts__each_sort_has_been_true_and_false(void **state)
{
    (void)state;
    for (unsigned sort = 0; sort <= FACT_FORK + 4 + METRIC_ORBIT; sort++) {
        if (sort == FACT_PLACE)
            continue;
        if (!seen[sort][0] || !seen[sort][1])
            print_message("sort %u: %llu false, %llu true\n", sort,
                          (unsigned long long)seen[sort][0], (unsigned long long)seen[sort][1]);
        assert_true(seen[sort][0] && seen[sort][1]);
    }
}

static void facts__captures_have_been_bad_and_bared_back(void **state)
{
    (void)state;
    assert_true(exposes_seen[0] && exposes_seen[1] && bares_seen[0] && bares_seen[1]);
    assert_true(alike_seen[0] && alike_seen[1]);
}

static void facts__no_two_read_alike(void **state)
{
    struct bk_variant *v;
    struct scene s;

    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        assert_int_equal(bk_variant_load(&v, e->name, NULL), BK_OK);
        scene_open(&s, v, first_seed, 64);
        unsigned n = bk_facts_count(s.facts);
        char(*text)[BK_FACT_TEXT_MAX] = calloc(n, sizeof *text);

        assert_non_null(text);
        for (unsigned i = 0; i < n; i++) {
            bk_fact_text(s.facts, i, text[i]);
            assert_in_range(strlen(text[i]), 10, BK_FACT_TEXT_MAX - 2);
            for (unsigned j = 0; j < i; j++)
                assert_string_not_equal(text[i], text[j]);
        }
        free(text);
        bk_facts_free(s.facts);
        bk_variant_free(v);
    }
}

static void facts__men_without_two_kings_are_refused(void **state)
{
    struct bk_variant *v;
    struct bk_facts *f;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "shatranj", NULL), BK_OK);
    uint8_t king = v->royal, rook = (uint8_t)bk_variant_type(v, 'R');
    struct bk_fact_men one = { 1, { king }, { 0 } };
    struct bk_fact_men swapped = { 3, { king, king, rook }, { 1, 0, 0 } };
    struct bk_fact_men three = { 3, { king, king, king }, { 0, 1, 0 } };
    struct bk_fact_men good = { 3, { king, king, rook }, { 0, 1, 0 } };

    assert_int_equal(bk_facts_new(&f, v, &one, &why), BK_E_USAGE);
    assert_int_equal(bk_facts_new(&f, v, &swapped, &why), BK_E_USAGE);
    assert_int_equal(bk_facts_new(&f, v, &three, &why), BK_E_USAGE);
    assert_int_equal(bk_facts_new(&f, v, &good, &why), BK_OK);
    bk_facts_free(f);
    bk_variant_free(v);
}

#define AT_ONCE 8

static void *open_facts(void *context)
{
    struct bk_variant *v = context;
    struct bk_fact_men men = { 4, { v->royal, v->royal, 0, 1 }, { 0, 1, 0, 1 } };
    struct bk_facts *f = NULL;
    unsigned others[2], n = 0;

    for (unsigned t = 0; t < v->ntypes && n < 2; t++)
        if (t != v->royal)
            others[n++] = t;
    men.type[2] = (uint8_t)others[0];
    men.type[3] = (uint8_t)others[1];
    return bk_facts_new(&f, v, &men, NULL) ? NULL : f;
}

static void facts__opened_at_once_share_the_tables_of_their_game(void **state)
{
    struct bk_variant *v;
    pthread_t thread[AT_ONCE];
    struct bk_facts *f[AT_ONCE];

    (void)state;
    assert_int_equal(bk_variant_load(&v, "shatranj", NULL), BK_OK);
    for (unsigned i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, open_facts, v), 0);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        void *out;

        assert_int_equal(pthread_join(thread[i], &out), 0);
        f[i] = out;
        assert_non_null(f[i]);
    }
    for (unsigned i = 1; i < AT_ONCE; i++) {
        assert_ptr_equal(f[i]->game, f[0]->game);
        assert_memory_equal(f[i]->metric, f[0]->metric, sizeof f[i]->metric);
    }
    for (unsigned t = 0; t < 4; t++)
        assert_non_null(f[0]->game->reach[0][f[0]->men.type[t]][f[0]->men.colour[t]]);
    for (unsigned i = 0; i < AT_ONCE; i++)
        bk_facts_free(f[i]);
    bk_variant_free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts__evaluators_agree_with_the_definition_in_shipped_games),
        cmocka_unit_test(facts__evaluators_agree_with_the_definition_in_random_games),
        cmocka_unit_test(facts__each_sort_has_been_true_and_false),
        cmocka_unit_test(facts__captures_have_been_bad_and_bared_back),
        cmocka_unit_test(facts__no_two_read_alike),
        cmocka_unit_test(facts__men_without_two_kings_are_refused),
        cmocka_unit_test(facts__opened_at_once_share_the_tables_of_their_game),
    };

    if (argc > 1)
        games_drawn = (unsigned)atoi(argv[1]);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
