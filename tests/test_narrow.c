/*
 * test_narrow.c - the parts of tables that stay are enough for the tables that read them.
 *
 * All tables of a plan are solved.  From random positions of each, every legal move (by the plain
 * generator) that leads to another table is played.  The value there of the position after it must
 * be the same before and after the tables are narrowed to the parts that the plan says are read,
 * and after they were packed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/load.h"
#include "core/move.h"
#include "tb/make/plan.h"
#include "tb/memory/pack.h"
#include "tests/given.h"
#include "tests/left_out.h"
#include "tests/random_variant.h"
#include "tests/solved.h"

#define POSITIONS 400 /* of a table */
#define NAMES     4   /* materials of a plan, at most */

/* Returns the plan of the materials `names`, one space between them; owned. */
static struct bk_plan *plan_of(const struct bk_variant *v, const char *names, bool distances)
{
    struct bk_report why = { "" };
    struct bk_material m[NAMES];
    struct bk_plan *p;
    unsigned n = 0;

    for (const char *name = names; name; name = strchr(name, ' ') ? strchr(name, ' ') + 1 : NULL) {
        char one[BK_MATERIAL_NAME_MAX];

        snprintf(one, sizeof one, "%.*s", (int)strcspn(name, " "), name);
        assert_int_equal(bk_material_parse(&m[n++], v, one, &why), BK_OK);
    }
    assert_int_equal(bk_plan_new(&p, v, "no folder", m, n, 0, distances, &why), BK_OK);
    bk_plan_parts(p);
    return p;
}

/* Returns a checksum of the values after a position's moves to other tables; adds to `*moves`. */
static uint64_t sum_of_moves(struct solved *s, const struct bk_variant *v, const struct bk_pos *p,
                             unsigned *moves)
{
    static struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move);
    struct bk_material before, after;
    uint64_t sum = 0;

    bk_material_of(&before, v, p);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *p;
        struct solved_value value;

        bk_pos_play(&next, v, &move[i]);
        bk_material_of(&after, v, &next);
        if (bk_material_equal(&before, &after))
            continue;
        value = solved_value_after(s, &next, move[i].becomes);
        assert_true(value.legal);
        sum = sum * 1000003 + (uint64_t)(value.wdl + 1) * 1024 + value.k;
        ++*moves;
    }
    return sum;
}

/* Returns a checksum of sum_of_moves() over random positions of a table. */
static uint64_t sum_of_table(struct solved *s, const struct bk_variant *v,
                             const struct bk_plan_table *t, unsigned *moves)
{
    const struct bk_index *ix = solved_table(s, &t->m)->ix;
    uint64_t seed = 1, sum = 0;

    for (unsigned i = 0; i < POSITIONS; i++) {
        struct bk_placement at;
        struct bk_pos p;

        bk_index_unrank(ix, bk_chance_next(&seed) % ix->positions, &at);
        if (bk_index_position(ix, &at, i & 1, &p) && bk_pos_legal(v, &p))
            sum = sum * 31 + sum_of_moves(s, v, &p, moves);
    }
    return sum;
}

static uint64_t sum_of_all(struct solved *s, const struct bk_variant *v, const struct bk_plan *p,
                           unsigned *moves)
{
    uint64_t sum = 0;

    *moves = 0;
    for (unsigned i = 0; i < p->n; i++)
        sum = sum * 31 + sum_of_table(s, v, &p->table[i], moves);
    return sum;
}

/* Returns the bytes of all tables of a plan that others read. */
static uint64_t bytes_of(struct solved *s, const struct bk_plan *p)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < p->n; i++)
        if (p->table[i].part.known)
            bytes += bk_memtable_bytes(solved_table(s, &p->table[i].m));
    return bytes;
}

/* Returns how many tables stay as parts for several men. */
static unsigned in_parts(struct solved *s, const struct bk_plan *p)
{
    unsigned n = 0;

    for (unsigned i = 0; i < p->n; i++)
        n += !!solved_table(s, &p->table[i].m)->also;
    return n;
}

/* Packs a table and unpacks it, twice; returns its packed bytes. */
static uint64_t pack_and_unpack(struct bk_memtable *t, struct bk_pool *pool)
{
    struct bk_packed *packed = NULL;
    uint64_t bytes = bk_memtable_bytes(t), first = 0;

    for (unsigned i = 0; i < 2; i++) {
        assert_true(bk_pack(&packed, t, pool));
        assert_int_equal(bk_memtable_bytes(t), 0);
        assert_true(i == 0 || bk_packed_bytes(packed) == first); /* the packed form has stayed */
        first = bk_packed_bytes(packed);
        assert_true(bk_unpack(packed, t, pool));
        assert_int_equal(bk_memtable_bytes(t), bytes);
    }
    bk_packed_free(packed);
    return first;
}

/* Packs and unpacks all tables of a plan; those with large blocks must shrink to less than half. */
static void pack_all(struct solved *s, const struct bk_plan *p)
{
    struct bk_pool *pool;

    assert_int_equal(bk_pool_open(&pool, 2, NULL), BK_OK);
    for (unsigned i = 0; i < p->n; i++) {
        struct bk_memtable *t = (struct bk_memtable *)(uintptr_t)solved_table(s, &p->table[i].m);
        uint64_t bytes = bk_memtable_bytes(t);
        uint64_t left = pack_and_unpack(t, i & 1 ? pool : NULL);

        /* small arrays hardly shrink */
        assert_true(bytes / t->ix->nblocks < 16 << 10 || 2 * left < bytes);
    }
    bk_pool_close(pool);
}

struct sample {
    const char *game, *names;
    const struct solved_options *how;
    unsigned at_most; /* per cent of the bytes that may stay */
    unsigned parts;   /* tables that stay as parts for several men */
};

static void compare(struct bk_variant *v, const struct sample *x)
{
    struct solved *s = solved_new(v, x->how);
    struct bk_plan *p = plan_of(v, x->names, x->how->distances);
    unsigned moves, again;
    uint64_t whole, part, sum;

    for (unsigned i = 0; i < p->n; i++)
        assert_non_null(solved_table(s, &p->table[i].m));
    sum = sum_of_all(s, v, p, &moves);
    whole = bytes_of(s, p);
    for (unsigned i = 0; i < p->n; i++)
        bk_narrow((struct bk_memtable *)(uintptr_t)solved_table(s, &p->table[i].m),
                  &p->table[i].part, NULL);
    part = bytes_of(s, p);
    assert_int_equal(sum_of_all(s, v, p, &again), sum);
    assert_int_equal(again, moves);
    pack_all(s, p);
    assert_int_equal(sum_of_all(s, v, p, &again), sum);
    assert_int_equal(again, moves);
    printf("%s %s: %u moves, %llu of %llu bytes stay, %u tables in parts\n", v->name, x->names,
           moves, (unsigned long long)part, (unsigned long long)whole, in_parts(s, p));
    assert_true(moves > 100);
    assert_true(part * 100 <= whole * x->at_most);
    assert_int_equal(in_parts(s, p), x->parts);
    bk_plan_free(p);
    solved_free(s);
}

static const struct solved_options distances = { .distances = true },
                                   groups = { .groups = BK_GROUPS }, compact = { .compact = true };

static void narrow__what_stays_is_what_is_read_and_comes_back_packed(void **state)
{
    static const struct sample sample[] = {
        /* both pawns promote, into one table, for one of them with colours exchanged */
        { "shatranj", "KPvKP", &distances, 20, 0 },
        { "shatranj", "KPvKP", &groups, 20, 0 },
        { "shatranj", "KPvKP", &compact, 5, 0 },
        /* without pawns the symmetries bring the promoted man to every edge */
        { "shatranj", "KRvKP", &groups, 50, 0 },
        { "chess", "KRvKP", &groups, 50, 0 },
        /* pawns become four kinds of men, some of them against an equal man */
        { "chess", "KPvKP", &distances, 45, 0 },
        /* from here on nine tenths of the time: in `make test-all` */
        { "chess", "KPvKP", &compact, 45, 0 },
        /* pawns become lost men, on three ranks */
        { "grand-shatranj", "KPvKP", &groups, 50, 0 },
        /* men evolve by what they take, and in place */
        { "darwinian", "KFvKP", &distances, 60, 4 },
        { "sultan", "KPvKP", &groups, 60, 0 },
    };

    (void)state;
    for (unsigned i = 0; i < (tries_all() ? sizeof sample / sizeof *sample : 6); i++) {
        struct bk_variant *v = load(sample[i].game);

        compare(v, &sample[i]);
        bk_variant_free(v);
    }
}

/* KRNvKP is reached from KRPvKP by a knight, from KNPvKP by a rook. */
static void narrow__a_part_stays_for_each_of_several_men(void **state)
{
    static const struct solved_options *const how[] = { &distances, &groups, &compact };
    struct bk_variant *v = parse("[variant]\nname = five\ntitle = Five\nsource = none\n"
                                 "board = 5x5\nbare-king = wins-unless-bared-back\n"
                                 "stalemate = loss\n"
                                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                                 "[piece rook]\nletter = R\nmove = R\n"
                                 "[piece knight]\nletter = N\nmove = N\n"
                                 "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-4\n"
                                 "becomes = 5 must R N\n");

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        compare(v, &(struct sample){ "", "KRPvKP KNPvKP", how[i], 50, 1 });
    bk_variant_free(v);
}

/* A pawn promotes beside a king and a rook that may still castle, and a move of king or rook ends
   the right. */
static void narrow__of_tables_with_rights_enough_stays(void **state)
{
    static const struct solved_options *const how[] = { &distances, &groups, &compact };
    struct bk_variant *v =
        parse("[variant]\nname = castles\ntitle = Castles\nsource = none\nboard = 5x5\n"
              "stalemate = draw\ncastling-rook = R\ncastling-king-file = c\n"
              "castling-rook-files = a e\ncastling-king-to = b d\ncastling-rook-to = c c\n"
              "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
              "[piece rook]\nletter = R\nmove = R\n"
              "[piece knight]\nletter = N\nmove = N\n"
              "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-4\nbecomes = 5 must R N\n");

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        compare(v, &(struct sample){ "", "KRvKP+K KRPvK+K", how[i], 80, 0 });
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow__what_stays_is_what_is_read_and_comes_back_packed),
        cmocka_unit_test(narrow__a_part_stays_for_each_of_several_men),
        cmocka_unit_test(narrow__of_tables_with_rights_enough_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
