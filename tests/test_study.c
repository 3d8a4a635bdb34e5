/*
 * test_study.c - searches for people who study endgames.
 *
 * They are compared with the definitions of docs/study.md, written out once more upon the slow
 * solver (tests/ref.h): the same positions, no more and no less.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "core/move.h"
#include "study/alike.h"
#include "study/mine.h"
#include "table/index_new.h"
#include "tests/given.h"
#include "tests/proof.h"
#include "tests/ref.h"

/* == A small game and its classes of positions == */

static const char small_text[] = "[variant]\n"
                                 "name = small\n"
                                 "source = -\n"
                                 "board = 4x5\n"
                                 "bare-king = wins-unless-bared-back\n"
                                 "stalemate = loss\n"
                                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                                 "[piece rook]\nletter = R\nmove = R\n"
                                 "[piece knight]\nletter = N\nmove = N\n"
                                 "[piece ferz]\nletter = Q\nmove = F\n"
                                 "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-4\n"
                                 "becomes = 5 must Q\n";
static const char *const tables[] = { "KRvKN", "KRvKR", "KQvKP" };
#define NTABLES (sizeof tables / sizeof tables[0])

static char dir[PROOF_DIR_MAX];
static struct bk_variant *small;
static struct ref_table *slow[NTABLES];

static int set_up(void **state)
{
    char path[PROOF_DIR_MAX + 16];
    struct bk_report why;
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/small.ini", proof_folder(dir));
    f = fopen(path, "w");
    if (!f || fputs(small_text, f) < 0 || fclose(f))
        return -1;
    if (bk_variant_load(&small, path, &why)) {
        print_error("%s\n", why.text);
        return -1;
    }
    for (size_t i = 0; i < NTABLES; i++) {
        struct bk_material m = material(small, tables[i]);

        slow[i] = ref_solve(small, (const uint8_t(*)[BK_TYPES_MAX])m.count, NULL, 0);
        proof_build(small, dir, tables[i]);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < NTABLES; i++)
        ref_free(slow[i]);
    bk_variant_free(small);
    proof_remove(dir);
    return 0;
}

/* A class of symmetric positions; `at` is its least image: squares, then the side to move. */
struct class
{
    char at[BK_SQ_MAX + 1];
    struct ref_pos p; /* some position of the class */
    int plies;        /* its distance */
};

/* Lowers `least` to the image of p under `map` if that is less.  either: whoever is to move. */
static void image(struct class *least, const struct ref_pos *p, const uint8_t *map, bool exchanged,
                  bool either)
{
    char at[BK_SQ_MAX + 1] = "";

    for (unsigned sq = 0; sq < small->nsq; sq++)
        at[map[sq]] = (char)('m' + (exchanged ? -p->at[sq] : p->at[sq]));
    at[small->nsq] = (exchanged ? !p->stm : p->stm) && !either ? 'b' : 'w';
    if (!least->at[0] || memcmp(at, least->at, sizeof at) < 0)
        memcpy(least->at, at, sizeof at);
}

static struct class class_of(const struct bk_material *m, const struct ref_pos *p, int plies,
                             bool either)
{
    unsigned group = bk_material_symmetries(m, small);
    struct class c = { .p = *p, .plies = plies };
    struct bk_material other = bk_material_exchanged(m);
    int swap = bk_material_equal(m, &other) ? bk_material_swap(m, small) : -1;

    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++) {
        uint8_t map[BK_SQ_MAX], turn[BK_SQ_MAX], both[BK_SQ_MAX];

        if (!(group >> sym & 1) || !bk_symmetry_map(small, sym, map))
            continue;
        image(&c, p, map, false, either);
        if (swap < 0 || !bk_symmetry_map(small, (unsigned)swap, turn))
            continue;
        for (unsigned sq = 0; sq < small->nsq; sq++)
            both[sq] = map[turn[sq]];
        image(&c, p, both, true, either);
    }
    return c;
}

struct classes {
    struct class *c;
    size_t n, room;
};

static void add(struct classes *list, struct class c)
{
    if (list->n == list->room) {
        list->room = 2 * list->room + 64;
        list->c = realloc(list->c, list->room * sizeof *list->c);
        assert_non_null(list->c);
    }
    list->c[list->n++] = c;
}

static int compare(const void *a, const void *b)
{
    return memcmp(((const struct class *)a)->at, ((const struct class *)b)->at,
                  sizeof((struct class *)0)->at);
}

static void sort(struct classes *list, bool once)
{
    size_t n = 0;

    if (list->n)
        qsort(list->c, list->n, sizeof *list->c, compare);
    for (size_t i = 0; i < list->n; i++)
        if (!once || !n || compare(&list->c[n - 1], &list->c[i]))
            list->c[n++] = list->c[i];
    list->n = n;
}

/* == The definitions, once more == */

static struct ref_value slow_value(struct ref_table *t, const struct ref_pos *p)
{
    struct ref_value x = { 0, 0 };

    assert_true(ref_value(t, p, &x));
    return x;
}

static bool has_moves(const struct ref_pos *p)
{
    struct ref_moves moves = { NULL, 0, 0 };
    bool has;

    ref_moves(small, p, &moves);
    has = moves.n;
    ref_moves_free(&moves);
    return has;
}

static bool slow_pair(struct ref_table *t, const struct ref_pos *p, enum study_kind kind)
{
    struct ref_pos other = *p;
    int a, b;

    other.stm = !other.stm;
    if (p->stm != BK_WHITE || ref_in_check(small, p, BK_WHITE) || ref_in_check(small, p, BK_BLACK))
        return false;
    if (!has_moves(p) || !has_moves(&other))
        return false;
    a = slow_value(t, p).wdl;
    b = -slow_value(t, &other).wdl; /* both as White sees them */
    return kind == STUDY_ZUGZWANG        ? a < b
           : kind == STUDY_FULL_ZUGZWANG ? a == -1 && b == 1
                                         : a == 1 && b == -1;
}

/* Returns how many moves keep the value `wdl`; sets `*after` to the position after the last of
   them, `*all` to the number of legal moves. */
static unsigned slow_keepers(struct ref_table *t, const struct ref_pos *p, int wdl,
                             struct ref_pos *after, unsigned *all)
{
    struct ref_moves moves = { NULL, 0, 0 };
    unsigned found = 0;

    ref_moves(small, p, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        struct ref_pos next = *p;

        ref_apply(small, &next, &moves.move[i]);
        if (-slow_value(t, &next).wdl >= wdl) {
            found++;
            *after = next;
        }
    }
    *all = moves.n;
    ref_moves_free(&moves);
    return found;
}

/* Could the other side take the man on `sq`?  Exchanges him with his king and asks for check. */
static bool slow_attacked(const struct ref_pos *p, unsigned sq, unsigned king)
{
    struct ref_pos q = *p;
    unsigned colour = p->at[sq] > 0 ? BK_WHITE : BK_BLACK;

    q.at[sq] = p->at[king];
    q.at[king] = p->at[sq];
    return ref_in_check(small, &q, colour);
}

static bool slow_lost_man(struct ref_table *t, const struct ref_pos *p, unsigned sq)
{
    struct ref_moves moves = { NULL, 0, 0 };
    bool lost = false;

    ref_moves(small, p, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        struct ref_pos next = *p;

        ref_apply(small, &next, &moves.move[i]);
        lost |= moves.move[i].taken == sq && slow_value(t, &next).wdl < 0;
    }
    ref_moves_free(&moves);
    return lost;
}

static bool slow_domination(struct ref_table *t, const struct ref_pos *p, int wdl)
{
    struct ref_moves moves = { NULL, 0, 0 };
    int king = small->royal + 1, sign = p->stm == BK_WHITE ? 1 : -1;
    unsigned at_king = 0;
    bool found = false;

    if (wdl >= 0 || ref_in_check(small, p, p->stm))
        return false;
    for (unsigned sq = 0; sq < small->nsq; sq++)
        if (p->at[sq] == sign * king)
            at_king = sq;
    ref_moves(small, p, &moves);
    for (unsigned sq = 0; sq < small->nsq; sq++) {
        unsigned goes = 0, lost = 0;

        if (p->at[sq] * sign <= 0 || sq == at_king || slow_attacked(p, sq, at_king))
            continue;
        for (unsigned i = 0; i < moves.n; i++) {
            struct ref_pos next = *p;

            if (moves.move[i].from != sq)
                continue;
            ref_apply(small, &next, &moves.move[i]);
            goes++;
            lost += slow_lost_man(t, &next, moves.move[i].to);
        }
        found |= goes >= 3 && goes == lost;
    }
    ref_moves_free(&moves);
    return found;
}

static bool slow_is(struct ref_table *t, const struct ref_pos *p, struct ref_value x,
                    enum study_kind kind)
{
    struct ref_pos after;
    unsigned all;

    switch (kind) {
    case STUDY_ZUGZWANG:
    case STUDY_FULL_ZUGZWANG:
    case STUDY_BARE_RACE: return slow_pair(t, p, kind);
    case STUDY_ONLY_MOVE:
        return x.wdl >= 0 && slow_keepers(t, p, x.wdl, &after, &all) == 1 && all > 1;
    case STUDY_DOMINATION: return slow_domination(t, p, x.wdl);
    default: return x.wdl > 0 && x.dtw > 1;
    }
}

/* Is `kind` a property of the placement, with either side to move? */
static bool is_of_both(enum study_kind kind)
{
    return kind == STUDY_ZUGZWANG || kind == STUDY_FULL_ZUGZWANG || kind == STUDY_BARE_RACE;
}

static struct classes scan_slowly(size_t table, enum study_kind kind)
{
    struct bk_material m = material(small, tables[table]);
    struct classes list = { NULL, 0, 0 };

    for (uint64_t i = 0; i < ref_size(slow[table]); i++) {
        struct ref_pos p;
        struct ref_value x;

        if (ref_at(slow[table], i, &p, &x) && slow_is(slow[table], &p, x, kind))
            add(&list, class_of(&m, &p, x.dtw, is_of_both(kind)));
    }
    sort(&list, true);
    return list;
}

/* == And the search == */

struct found {
    struct bk_material m;
    enum study_kind kind;
    struct classes list;
};

static void keep(void *context, const struct study_find *f)
{
    struct found *all = context;
    struct ref_pos p = proof_ref(small, &f->p);

    add(&all->list, class_of(&all->m, &p, f->worth.plies, is_of_both(all->kind)));
}

/* Calls `found` for each find of a search; true: a kind that ranks had more than `limit`. */
static bool search_for(size_t table, enum study_kind kind, uint64_t limit, unsigned threads,
                       const char *where, void (*found)(void *context, const struct study_find *f),
                       void *context)
{
    bool more = false;
    struct bk_material m = material(small, tables[table]);
    struct study_where *w = NULL;
    struct study_values x;
    struct bk_pool *pool;
    struct bk_report why;

    assert_int_equal(bk_pool_open(&pool, threads, &why), BK_OK);
    if (where && study_where_new(&w, small, (const uint8_t(*)[BK_TYPES_MAX])m.count, where, &why))
        fail_msg("%s", why.text);
    if (study_values_open(&x,
                          &(struct study_values_options){
                              .v = small, .dir = dir, .pool = pool, .memory = 1 << 26 },
                          &m, &why) ||
        study_mine_run(&x,
                       &(struct study_mine){ .kind = kind,
                                             .where = w,
                                             .limit = limit,
                                             .more = &more,
                                             .context = context,
                                             .found = found },
                       &why))
        fail_msg("%s", why.text);
    study_values_close(&x);
    study_where_free(w);
    bk_pool_close(pool);
    return more;
}

static struct classes search(size_t table, enum study_kind kind, uint64_t limit, unsigned threads,
                             const char *where)
{
    struct found all = { .m = material(small, tables[table]), .kind = kind };

    search_for(table, kind, limit, threads, where, keep, &all);
    return all.list;
}

static void assert_same_classes(const struct classes *a, const struct classes *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_memory_equal(a->c[i].at, b->c[i].at, sizeof a->c[i].at);
}

static void mine__finds_what_the_slow_solver_finds(void **state)
{
    static const enum study_kind kinds[] = { STUDY_ZUGZWANG, STUDY_FULL_ZUGZWANG, STUDY_BARE_RACE,
                                             STUDY_ONLY_MOVE, STUDY_DOMINATION };
    size_t all[5] = { 0 };

    (void)state;
    for (size_t table = 0; table < NTABLES; table++)
        for (size_t k = 0; k < 5; k++) {
            struct classes a = scan_slowly(table, kinds[k]),
                           b = search(table, kinds[k], 0, 2, NULL);

            all[k] += a.n;
            print_message("%s: %zu of %s\n", tables[table], a.n, study_kind_names[kinds[k]]);
            sort(&b, false); /* none may come twice */
            assert_same_classes(&a, &b);
            free(a.c);
            free(b.c);
        }
    for (size_t k = 0; k < 5; k++) /* a kind that is never found would show nothing */
        if (!all[k])
            fail_msg("no %s", study_kind_names[kinds[k]]);
}

static int longer(const void *a, const void *b)
{
    return ((const struct class *)b)->plies - ((const struct class *)a)->plies;
}

static void mine__the_longest_are_the_longest(void **state)
{
    (void)state;
    for (size_t table = 0; table < NTABLES; table++) {
        struct classes a = scan_slowly(table, STUDY_LONGEST);
        struct classes b = search(table, STUDY_LONGEST, 100, 2, NULL);

        qsort(a.c, a.n, sizeof *a.c, longer);
        assert_true(b.n == 100 && a.n >= 100);
        for (size_t i = 0; i < b.n; i++) {
            assert_int_equal(b.c[i].plies, a.c[i].plies);
            assert_int_equal(slow_value(slow[table], &b.c[i].p).dtw, b.c[i].plies);
        }
        sort(&b, true);
        assert_int_equal(b.n, 100);
        free(a.c);
        free(b.c);
    }
}

static void ignore(void *context, const struct study_find *f)
{
    (void)f;
    ++*(uint64_t *)context;
}

static void mine__says_whether_there_are_more(void **state)
{
    uint64_t few = 0, all = 0;

    (void)state;
    assert_true(search_for(0, STUDY_LONGEST, 3, 1, NULL, ignore, &few));
    assert_int_equal(few, 3);
    assert_false(search_for(0, STUDY_LONGEST, 1000000, 1, NULL, ignore, &all));
    few = 0;
    assert_false(search_for(0, STUDY_LONGEST, all, 1, NULL, ignore, &few)); /* exactly as many */
    assert_int_equal(few, all);
}

/* Has the side to move exactly one winning move each time, against every longest defence? */
static bool slow_problem(struct ref_table *t, const struct ref_pos *p, int plies)
{
    struct ref_moves moves = { NULL, 0, 0 };
    struct ref_pos after;
    bool one = true;
    unsigned all;

    if (slow_keepers(t, p, 1, &after, &all) != 1)
        return false;
    if (plies == 1)
        return true;
    ref_moves(small, &after, &moves);
    for (unsigned i = 0; i < moves.n && one; i++) {
        struct ref_pos next = after;

        ref_apply(small, &next, &moves.move[i]);
        if (slow_value(t, &next).dtw == plies - 2)
            one = slow_problem(t, &next, plies - 2);
    }
    ref_moves_free(&moves);
    return one;
}

static void mine__problems_have_one_solution_and_none_is_longer(void **state)
{
    (void)state;
    for (size_t table = 0; table < NTABLES; table++) {
        struct classes a = scan_slowly(table, STUDY_COMPOSE);
        struct classes b = search(table, STUDY_COMPOSE, 5, 2, NULL);
        size_t i = 0;

        qsort(a.c, a.n, sizeof *a.c, longer);
        while (i < a.n && !slow_problem(slow[table], &a.c[i].p, a.c[i].plies))
            i++;
        assert_true(b.n > 0 && i < a.n);
        assert_int_equal(b.c[0].plies, a.c[i].plies);
        for (i = 0; i < b.n; i++)
            assert_true(slow_problem(slow[table], &b.c[i].p, b.c[i].plies));
        free(a.c);
        free(b.c);
    }
}

static void mine__where_leaves_out_the_others(void **state)
{
    struct classes all = search(0, STUDY_ONLY_MOVE, 0, 1, NULL);
    struct classes some = search(0, STUDY_ONLY_MOVE, 0, 1, "stm = black and edge(k) = 0");
    struct classes rest = search(0, STUDY_ONLY_MOVE, 0, 1, "stm = white or edge(k) > 0");
    struct classes other = search(0, STUDY_ZUGZWANG, 0, 1, "other = loss");
    struct classes far = search(0, STUDY_ONLY_MOVE, 0, 1, "other_plies > 2");
    struct classes top = search(0, STUDY_ONLY_MOVE, 0, 1, "rank(k) = 5"); /* of a board of 4x5 */

    (void)state;
    assert_true(some.n && rest.n && other.n && far.n && top.n);
    assert_int_equal(some.n + rest.n, all.n);
    free(all.c);
    free(some.c);
    free(rest.c);
    free(other.c);
    free(far.c);
    free(top.c);
}

/* Finds come in the same order with any number of threads; a limit keeps the first of them. */
static void mine__the_order_is_that_of_the_table(void **state)
{
    struct classes one = search(2, STUDY_ONLY_MOVE, 0, 1, NULL);
    struct classes three = search(2, STUDY_ONLY_MOVE, 0, 3, NULL);
    struct classes few = search(2, STUDY_ONLY_MOVE, 7, 3, NULL);

    (void)state;
    assert_same_classes(&one, &three);
    assert_int_equal(few.n, 7);
    one.n = 7;
    assert_same_classes(&one, &few);
    free(one.c);
    free(three.c);
    free(few.c);
}

/* == Lines == */

/* Plays the move at `*line` and advances `*line` to the next; false: the line is at its end. */
static bool next_move(const struct bk_variant *v, struct bk_pos *p, const char **line,
                      struct bk_move *out)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move);
    size_t length = strcspn(*line, " ");
    char name[16];

    for (unsigned i = 0; length && i < n; i++)
        if (strlen(bk_move_name(v, &move[i], name)) == length && !strncmp(*line, name, length)) {
            bk_pos_play(p, v, &move[i]);
            *line += length + ((*line)[length] == ' ');
            *out = move[i];
            return true;
        }
    assert_int_equal(length, 0);
    return false;
}

/* Problems: for each, the classes of its line's positions, and its moves under each symmetry. */
struct problems {
    struct problem {
        struct classes met;
        char *moves[BK_SYMMETRIES]; /* NULL: no symmetry */
    } * x;
    size_t n;
};

static struct problem problem_of(const struct study_find *f)
{
    struct problem x = { .met = { NULL, 0, 0 } };
    uint8_t map[BK_SYMMETRIES][BK_SQ_MAX];
    struct bk_pos p = f->p, before = p;
    const char *line = f->line;
    struct bk_material m;
    struct bk_move move;
    unsigned group;

    bk_material_of(&m, small, &p);
    group = bk_material_symmetries(&m, small);
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        if (group >> sym & 1 && bk_symmetry_map(small, sym, map[sym]))
            x.moves[sym] = calloc(strlen(line) + 1, 16);
    while (next_move(small, &p, &line, &move)) {
        struct ref_pos slow_p = proof_ref(small, &before);

        bk_material_of(&m, small, &before);
        add(&x.met, class_of(&m, &slow_p, 0, false));
        for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
            if (x.moves[sym])
                sprintf(x.moves[sym] + strlen(x.moves[sym]), "%u %u-%u %u;", before.at[move.from],
                        map[sym][move.from], map[sym][move.to], before.at[move.to]);
        before = p;
    }
    return x;
}

static void keep_problem(void *context, const struct study_find *f)
{
    struct problems *all = context;

    all->x = realloc(all->x, (all->n + 1) * sizeof *all->x);
    assert_non_null(all->x);
    all->x[all->n++] = problem_of(f);
}

/* Fails if the lines of two problems share a position, or if a symmetry maps the moves of `b` to
   those of `a`. */
static void assert_unlike(const struct problem *a, const struct problem *b)
{
    for (size_t i = 0; i < a->met.n; i++)
        for (size_t j = 0; j < b->met.n; j++)
            assert_int_not_equal(compare(&a->met.c[i], &b->met.c[j]), 0);
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        if (b->moves[sym])
            assert_string_not_equal(a->moves[0], b->moves[sym]);
}

/* The context of check_shown(), which checks a problem's idle men (who neither move nor are taken),
   its defences (of the longest the first by name) and its place in the order. */
struct shown {
    struct ref_table *slow;
    int plies, idle; /* of the problem before: plies to the end, idle men */
    size_t n;
};

static void check_defence(struct ref_table *t, const struct bk_pos *before, const char *name)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(small, before, move);
    char first[16] = "~", other[16];
    int longest = -1;

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *before;
        struct ref_pos p;
        int dtw;

        bk_pos_play(&after, small, &move[i]);
        p = proof_ref(small, &after);
        dtw = (int)slow_value(t, &p).dtw;
        bk_move_name(small, &move[i], other);
        if (dtw > longest || (dtw == longest && strcmp(other, first) < 0))
            strcpy(first, other);
        longest = dtw > longest ? dtw : longest;
    }
    assert_string_equal(name, first);
}

static void check_shown(void *context, const struct study_find *f)
{
    struct shown *s = context;
    struct bk_pos p = f->p, before = p;
    struct bk_bits idle = p.by[0];
    const char *line = f->line;
    struct bk_move move;

    for (unsigned i = 0; i < 4; i++)
        idle.w[i] |= p.by[1].w[i];
    for (int n = 0; next_move(small, &p, &line, &move); n++) {
        char name[16];

        if (n & 1)
            check_defence(s->slow, &before, bk_move_name(small, &move, name));
        bk_bits_clear(&idle, move.from);
        if (move.takes != BK_SQ_NONE)
            bk_bits_clear(&idle, move.takes);
        before = p;
    }
    assert_int_equal(f->idle, bk_bits_count(&idle));
    assert_true(f->worth.plies > 1); /* one move is no problem */
    assert_true(f->worth.plies < s->plies ||
                (f->worth.plies == s->plies && (int)f->idle >= s->idle));
    s->plies = f->worth.plies;
    s->idle = f->idle;
    s->n++;
}

static void mine__problems_come_longest_first_and_with_fewest_idle_men(void **state)
{
    (void)state;
    for (size_t table = 0; table < NTABLES; table++) {
        struct shown s = { .slow = slow[table], .plies = 100000 };

        search_for(table, STUDY_COMPOSE, 2000, 2, NULL, check_shown, &s);
        print_message("%s: %zu problems, the last in %d plies\n", tables[table], s.n, s.plies);
        assert_true(s.n > 1);
    }
}

static void mine__no_two_problems_are_alike(void **state)
{
    (void)state;
    for (size_t table = 0; table < NTABLES; table++) {
        struct problems all = { NULL, 0 };

        search_for(table, STUDY_COMPOSE, 100, 2, NULL, keep_problem, &all);
        print_message("%s: %zu problems\n", tables[table], all.n);
        assert_true(all.n > 1);
        for (size_t i = 0; i < all.n; i++)
            for (size_t j = 0; j < i; j++)
                assert_unlike(&all.x[i], &all.x[j]);
        for (size_t i = 0; i < all.n; i++) {
            for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
                free(all.x[i].moves[sym]);
            free(all.x[i].met.c);
        }
        free(all.x);
    }
}

/* Is the line of one move, `name`, from the position `fen` new to `a`? */
static bool is_fresh(struct study_alike *a, const struct bk_variant *v, const char *fen,
                     const char *name)
{
    struct bk_report why = { "" };
    struct bk_pos p, after;
    struct bk_move move;
    bool fresh;

    if (bk_pos_from_fen(&p, v, fen, &why))
        fail_msg("%s", why.text);
    after = p;
    assert_true(next_move(v, &after, &name, &move));
    assert_true(study_alike_add(a, &p, &move, 1, &fresh));
    return fresh;
}

static void alike__lines_that_meet_or_have_the_same_moves_are(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_material m = material(v, "KPvKP");
    struct study_alike *a;
    struct bk_index *ix;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, &why), BK_OK);
    a = study_alike_new(ix);
    assert_non_null(a);
    assert_true(is_fresh(a, v, "8/8/8/8/Pp6/8/8/K6k b - a3 0 1", "b4a3"));
    assert_true(is_fresh(a, v, "8/8/8/8/Pp6/8/8/K6k b - - 0 1", "b4b3"));
    assert_false(is_fresh(a, v, "8/8/8/8/6pP/8/8/k6K b - h3 0 1", "a1b2"));
    assert_false(is_fresh(a, v, "8/8/8/8/6pP/8/8/k6K b - - 0 9", "a1b2"));
    /* lines may end in the same way, but not have the same moves, idle men elsewhere or mirrored */
    assert_true(is_fresh(a, v, "7k/8/8/8/8/8/P6p/1K6 w - - 0 1", "b1c1"));
    assert_true(is_fresh(a, v, "7k/8/8/8/8/8/P6p/3K4 w - - 0 1", "d1c1"));
    assert_false(is_fresh(a, v, "7k/8/8/8/8/P7/7p/1K6 w - - 0 1", "b1c1"));
    assert_false(is_fresh(a, v, "7k/8/8/8/P7/8/7p/6K1 w - - 0 1", "g1f1"));
    assert_true(is_fresh(a, v, "7K/8/8/8/8/P7/7p/1k6 b - - 0 1", "b1c1"));
    for (unsigned i = 0; i < 6; i++) { /* lines from one position meet: the first alone is new */
        static const char *const names[] = { "a3a4", "h8g8", "h8h7", "h8g7", "h2h1=Q", "h2h1=N" };
        static const char *const fens[] = { "7k/8/8/8/8/P7/7p/2K5 w - - 0 1",
                                            "7k/8/8/8/8/P7/7p/2K5 b - - 0 1" };

        assert_int_equal(is_fresh(a, v, fens[i > 0], names[i]), i < 2);
    }
    study_alike_free(a);
    bk_index_free(ix);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mine__finds_what_the_slow_solver_finds),
        cmocka_unit_test(mine__the_longest_are_the_longest),
        cmocka_unit_test(mine__says_whether_there_are_more),
        cmocka_unit_test(mine__problems_have_one_solution_and_none_is_longer),
        cmocka_unit_test(mine__where_leaves_out_the_others),
        cmocka_unit_test(mine__the_order_is_that_of_the_table),
        cmocka_unit_test(mine__problems_come_longest_first_and_with_fewest_idle_men),
        cmocka_unit_test(mine__no_two_problems_are_alike),
        cmocka_unit_test(alike__lines_that_meet_or_have_the_same_moves_are),
    };

    return cmocka_run_group_tests_name("study", tests, set_up, tear_down);
}
