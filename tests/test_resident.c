/*
 * test_resident.c - which tables stay resident for others (tb/make/resident.h), and when memory is
 * estimated (tb/make/budget.h).
 *
 * The plan is as small as can be, with sizes and no tables; for estimates it is that of a game.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/load.h"
#include "tb/make/budget.h"
#include "tb/make/resident.h"

enum { CHEAP, DEAR, DERIVED, FIRST, SECOND, THIRD, TABLES };

/* DEAR takes long to solve.  DERIVED and THIRD lead to it, SECOND to CHEAP, the others nowhere. */
static uint32_t to_dear[] = { DEAR }, to_cheap[] = { CHEAP };
static struct bk_plan_table table[TABLES];
static struct bk_plan plan = { .table = table, .n = TABLES };

static void set_up(struct bk_resident *h, uint64_t limit, uint64_t spare)
{
    struct bk_report why;

    for (unsigned i = 0; i < TABLES; i++)
        table[i] = (struct bk_plan_table){ .positions = i == DEAR ? 1000 : 10 };
    table[DERIVED].next = table[THIRD].next = to_dear;
    table[SECOND].next = to_cheap;
    table[DERIVED].nnext = table[SECOND].nnext = table[THIRD].nnext = 1;
    assert_true(bk_resident_init(h, &plan, 0));
    h->limit = limit;
    h->spare = spare;
    h->packs = false; /* tests of packing set it */
    assert_int_equal(bk_resident_add(h, DEAR, NULL, 10, FIRST, &why), BK_OK);
    assert_int_equal(bk_resident_add(h, CHEAP, NULL, 10, FIRST, &why), BK_OK);
}

static void costs__are_with_all_that_a_table_leads_to(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 20, 0);
    assert_true(h.cost[DEAR] == 1000);
    assert_true(h.cost[DERIVED] == 1010);
    bk_resident_release(&h);
}

static void limits__are_shares_of_what_may_be_used(void **state)
{
    struct bk_resident h;

    (void)state;
    plan.machine_bytes = 1200; /* a control group's, say */
    assert_true(bk_resident_init(&h, &plan, 0));
    assert_int_equal(h.limit, 300);
    assert_int_equal(h.spare, 0);
    bk_resident_release(&h);
    assert_true(bk_resident_init(&h, &plan, 600));
    assert_int_equal(h.limit, 150);
    bk_resident_release(&h);
    assert_true(bk_resident_init(&h, &plan, 5000)); /* more than there is */
    assert_int_equal(h.limit, 300);
    bk_resident_release(&h);
    plan.holds_more = true;
    assert_true(bk_resident_init(&h, &plan, 0));
    assert_int_equal(h.limit, 400);
    assert_int_equal(h.spare, 150);
    bk_resident_release(&h);
    plan.holds_more = false;
    plan.machine_bytes = 0;
}

static void room__is_made_by_what_is_soon_solved_again(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 20, 0);
    bk_resident_make_room(&h, FIRST); /* all fits */
    assert_int_equal(h.n, 2);
    h.limit = 19;
    bk_resident_make_room(&h, FIRST);
    assert_non_null(bk_resident_find(&h, DEAR)); /* though it came first, and is needed last */
    assert_null(bk_resident_find(&h, CHEAP));
    assert_int_equal(h.bytes, 10);
    assert_false(bk_resident_find(&h, DEAR)->away); /* without h.packs nothing is packed */
    bk_resident_release(&h);
}

static void room__of_equals_is_made_by_the_one_needed_last(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 19, 0);
    h.cost[DEAR] = h.cost[CHEAP];
    bk_resident_make_room(&h, FIRST);
    assert_non_null(bk_resident_find(&h, CHEAP));
    assert_null(bk_resident_find(&h, DEAR));
    bk_resident_release(&h);
}

/* The cost that a table spares is squared and weighed against its wait: two tables and three. */
static void room__what_is_spared_counts_more_than_the_wait(void **state)
{
    struct bk_resident h;

    (void)state;
    for (unsigned dear = 12; dear <= 14; dear += 2) { /* 1.2 squared is less than 3 / 2 */
        set_up(&h, 19, 0);
        h.cost[CHEAP] = 10;
        h.cost[DEAR] = dear;
        bk_resident_make_room(&h, FIRST);
        assert_null(bk_resident_find(&h, dear == 12 ? DEAR : CHEAP));
        assert_int_equal(h.n, 1);
        bk_resident_release(&h);
    }
}

/* A table that is present is not solved: it reads no other, so none waits for it. */
static void tables__that_are_there_already_need_no_others(void **state)
{
    struct bk_report why;
    struct bk_resident h;

    (void)state;
    set_up(&h, 19, 0);
    assert_int_equal(bk_resident_find(&h, CHEAP)->uses, 1);
    h.cost[DEAR] = h.cost[CHEAP] = 10;
    table[FIRST].present = table[SECOND].present = true; /* DEAR is needed next, by THIRD */
    bk_resident_make_room(&h, FIRST);
    assert_null(bk_resident_find(&h, CHEAP));
    assert_int_equal(bk_resident_add(&h, CHEAP, NULL, 1, FIRST, &why), BK_OK);
    assert_int_equal(bk_resident_find(&h, CHEAP)->uses, 0);
    bk_resident_release(&h);
}

static void room__is_not_made_by_what_is_needed(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 5, 0);
    bk_resident_find(&h, DEAR)->pins = 1; /* a table that is being solved reads it */
    bk_resident_make_room(&h, SECOND);    /* SECOND reads CHEAP */
    assert_int_equal(h.n, 2);
    bk_resident_make_room(&h, FIRST);
    assert_non_null(bk_resident_find(&h, DEAR));
    assert_null(bk_resident_find(&h, CHEAP));
    bk_resident_release(&h);
}

static void room__is_spared_for_what_nobody_needs_at_once(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 5, 10);
    /* SECOND needs CHEAP; DEAR takes no more than h.spare */
    bk_resident_make_room(&h, SECOND);
    assert_int_equal(h.n, 2);
    h.spare = 9;
    bk_resident_make_room(&h, SECOND);
    assert_null(bk_resident_find(&h, DEAR));
    bk_resident_release(&h);
}

static void room__is_made_by_packing_what_is_needed_last(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 19, 0);
    h.packs = true;
    bk_resident_make_room(&h, FIRST);
    assert_int_equal(h.n, 2);
    assert_true(
        bk_resident_find(&h, DEAR)->away); /* THIRD needs it, and before that SECOND needs CHEAP */
    assert_false(bk_resident_find(&h, CHEAP)->away);
    assert_int_equal(h.bytes, 10 + bk_resident_packed(&h, 10));
    h.limit = 2 * bk_resident_packed(&h, 10); /* both are packed before one goes */
    bk_resident_make_room(&h, FIRST);
    assert_true(bk_resident_find(&h, CHEAP)->away);
    assert_int_equal(h.bytes, h.limit);
    h.limit--;
    bk_resident_make_room(&h, FIRST);
    assert_null(bk_resident_find(&h, CHEAP));
    assert_non_null(bk_resident_find(&h, DEAR));
    bk_resident_release(&h);
}

/* A table that is being read is not packed: its arrays are read. */
static void room__is_not_made_by_packing_what_is_needed(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 5, 0);
    h.packs = true;
    bk_resident_make_room(&h, SECOND); /* SECOND reads CHEAP */
    assert_null(bk_resident_find(&h, DEAR));
    assert_false(bk_resident_find(&h, CHEAP)->away);
    bk_resident_release(&h);
    set_up(&h, 2000, 0);
    h.packs = h.packs_all = true; /* packs although there is room, for tests */
    bk_resident_make_room(&h, SECOND);
    assert_true(bk_resident_find(&h, DEAR)->away);
    assert_false(bk_resident_find(&h, CHEAP)->away);
    bk_resident_release(&h);
}

/* A packed table that none needs at once counts with its packed size. */
static void room__is_spared_for_what_is_packed(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 5, bk_resident_packed(&(struct bk_resident){ .p = &plan, .packs = true }, 10));
    h.packs = true;
    bk_resident_make_room(&h, SECOND);
    assert_true(bk_resident_find(&h, DEAR) && bk_resident_find(&h, DEAR)->away);
    bk_resident_release(&h);
}

/* Results pack better than distances; several processes pack nothing.  Where a table is packed
   there is a margin, because packed sizes are estimates. */
static void packing__is_foretold(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 19, 0);
    assert_int_equal(bk_resident_packed(&h, 1000), 1000);
    h.packs = true;
    assert_int_equal(bk_resident_packed(&h, 1000), 251);
    plan.distances = true;
    assert_int_equal(bk_resident_packed(&h, 1000), 401);
    plan.distances = false;
    h.bytes = 3200;
    assert_int_equal(bk_resident_margin(&h), 0);
    h.kept[0].packed_bytes = 1;
    assert_int_equal(bk_resident_margin(&h), 100);
    h.kept[0].packed_bytes = 0;
    bk_resident_release(&h);
    plan.processes = 1;
    assert_true(bk_resident_init(&h, &plan, 0) && h.packs);
    bk_resident_release(&h);
    plan.processes = 2;
    assert_true(bk_resident_init(&h, &plan, 0) && !h.packs);
    bk_resident_release(&h);
    plan.processes = 0;
}

static void frames__are_those_of_the_tables_that_are_held(void **state)
{
    struct bk_report why;
    struct bk_resident h;

    (void)state;
    set_up(&h, 30, 0);
    for (unsigned i = 0; i < TABLES; i++)
        table[i].frame_bytes = UINT64_C(1) << i;
    assert_int_equal(bk_resident_add(&h, SECOND, NULL, 10, FIRST, &why), BK_OK);
    bk_resident_find(&h, CHEAP)->away = true;
    assert_int_equal(bk_resident_frames(&h), 1 << CHEAP | 1 << DEAR | 1 << SECOND);
    bk_resident_release(&h);
}

static void a_packed_table__is_there_when_it_is_needed(void **state)
{
    struct bk_report why;
    struct bk_resident h;

    (void)state;
    set_up(&h, 2, 0);
    h.packs = true;
    bk_resident_make_room(&h, FIRST);
    assert_true(bk_resident_find(&h, CHEAP)->away);
    h.limit = 12;
    assert_int_equal(bk_resident_gather(&h, SECOND, SECOND, NULL, NULL, &why), BK_OK);
    assert_false(bk_resident_find(&h, CHEAP)->away);
    assert_int_equal(h.bytes, 10 + 2 * bk_resident_packed(&h, 10)); /* the packed form stays */
    bk_resident_make_room(&h, SECOND);
    assert_false(bk_resident_find(&h, CHEAP)->away);
    bk_resident_leave(&h, SECOND);
    h.limit = 2;
    bk_resident_make_room(&h, THIRD);
    assert_true(bk_resident_find(&h, CHEAP)->away);
    bk_resident_release(&h);
}

static void a_table__stays_if_it_does_packed(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 2000, 0);
    table[THIRD].next[0] = DERIVED;
    h.cost[CHEAP] = h.cost[DEAR] = 0; /* they will go */
    assert_false(bk_resident_will_keep(&h, DERIVED, 4000));
    h.packs = true;
    assert_true(bk_resident_will_keep(&h, DERIVED, 4000));
    assert_false(bk_resident_will_keep(&h, DERIVED, 9000));
    h.cost[DEAR] = 1e6; /* it stays, packed: of its estimated size, then of its real one */
    bk_resident_find(&h, DEAR)->uses = 2;
    bk_resident_find(&h, DEAR)->bytes = 4000;
    assert_true(bk_resident_will_keep(&h, DERIVED, 3900));
    bk_resident_find(&h, DEAR)->packed_bytes = 1100;
    assert_false(bk_resident_will_keep(&h, DERIVED, 3900));
    bk_resident_find(&h, DEAR)->bytes = 10;
    bk_resident_find(&h, DEAR)->packed_bytes = 0;
    table[THIRD].next[0] = DEAR;
    bk_resident_release(&h);
}

static void a_table__stays_if_what_is_worth_more_leaves_room(void **state)
{
    struct bk_resident h;

    (void)state;
    set_up(&h, 20, 0);
    table[THIRD].next[0] = DERIVED; /* THIRD needs DERIVED and no longer DEAR */
    assert_true(bk_resident_will_keep(&h, DERIVED, 10)); /* the cheap one will go */
    assert_false(bk_resident_will_keep(&h, DERIVED, 21));
    assert_false(bk_resident_will_keep(&h, FIRST, 1)); /* nobody needs it */
    h.cost[DERIVED] = 0;
    assert_false(bk_resident_will_keep(&h, DERIVED, 15)); /* beside two that are worth more */
    table[THIRD].next[0] = DEAR;
    bk_resident_release(&h);
}

static enum bk_err cannot_make(void *context, uint32_t made, struct bk_memtable **t,
                               uint64_t *bytes, struct bk_report *why)
{
    (void)context;
    (void)t;
    (void)bytes;
    return made == FIRST ? bk_interrupted(why) : BK_OK;
}

static void a_table__that_is_not_made_pins_no_other(void **state)
{
    static uint32_t to_both[] = { CHEAP, FIRST };
    struct bk_report why = { "" };
    struct bk_resident h;

    (void)state;
    set_up(&h, 20, 0);
    table[SECOND].next = to_both;
    table[SECOND].nnext = 2;
    assert_int_equal(bk_resident_gather(&h, SECOND, SECOND, cannot_make, NULL, &why), BK_E_SYSTEM);
    assert_int_equal(bk_resident_find(&h, CHEAP)->pins, 0);
    bk_resident_release(&h);
}

static enum bk_err make_ten(void *context, uint32_t made, struct bk_memtable **t, uint64_t *bytes,
                            struct bk_report *why)
{
    const struct bk_resident *h = context;

    (void)t;
    (void)why;
    if (made == FIRST)
        assert_int_equal(bk_resident_find(h, CHEAP)->pins, 1);
    assert_true(h->bytes <= h->limit);
    *bytes = 10;
    return BK_OK;
}

/* SECOND leads to FIRST, which is made for it and needs CHEAP meanwhile. */
static void a_table__is_let_go_when_what_was_made_of_it_is_there(void **state)
{
    static uint32_t to_first[] = { FIRST };
    struct bk_report why = { "" };
    struct bk_resident h;

    (void)state;
    set_up(&h, 15, 0);
    table[SECOND].next = to_first;
    table[FIRST].next = to_cheap;
    table[FIRST].nnext = 1;
    assert_int_equal(bk_resident_gather(&h, SECOND, SECOND, make_ten, &h, &why), BK_OK);
    assert_int_equal(bk_resident_find(&h, FIRST)->pins, 1);
    assert_int_equal(h.n, 1); /* the others make room */
    assert_int_equal(h.bytes, 10);
    bk_resident_leave(&h, SECOND);
    assert_int_equal(bk_resident_find(&h, FIRST)->pins, 0);
    bk_resident_release(&h);
}

static void a_table__goes_when_the_last_that_needs_it_is_done(void **state)
{
    static uint32_t to_derived[] = { DERIVED };
    struct bk_report why = { "" };
    struct bk_resident h;

    (void)state;
    set_up(&h, 20, 0);
    table[THIRD].next = to_derived;
    bk_resident_find(&h, DEAR)->uses = 1;
    assert_true(bk_resident_will_keep(&h, DERIVED, 15)); /* DEAR goes, and leaves its room */
    bk_resident_find(&h, DEAR)->uses = 2;
    assert_false(bk_resident_will_keep(&h, DERIVED, 15));
    bk_resident_done(&h, DERIVED);
    assert_non_null(bk_resident_find(&h, DEAR));
    bk_resident_done(&h, DERIVED);
    assert_null(bk_resident_find(&h, DEAR));
    /* DEAR, made again where no later table needs it */
    assert_int_equal(bk_resident_add(&h, DEAR, NULL, 10, TABLES, &why), BK_OK);
    bk_resident_done(&h, DERIVED);
    assert_null(bk_resident_find(&h, DEAR));
    bk_resident_release(&h);
}

static void count_foretold(void *watcher, const struct bk_plan *p, unsigned nth)
{
    (void)p;
    (void)nth;
    ++*(unsigned *)watcher;
}

/* Asks for the plan's memory with one thread; returns of how many tables it is estimated anew. */
static unsigned foretold(struct bk_plan *p, uint64_t memory_limit)
{
    struct bk_report why;
    unsigned n = 0;

    p->foretells = count_foretold;
    p->watcher = &n;
    assert_int_equal(bk_plan_memory(p, 1, memory_limit, &why), BK_OK);
    p->foretells = NULL; /* n goes out of scope */
    return n;
}

static void memory__is_foretold_once_while_the_plan_is_the_same(void **state)
{
    const uint64_t limit = UINT64_C(1) << 30;
    struct bk_report why;
    struct bk_variant *v;
    struct bk_material m;
    struct bk_plan *p;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "shatranj", &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KPvKP", &why), BK_OK);
    assert_int_equal(bk_plan_new(&p, v, "no folder", &m, 1, 0, true, &why), BK_OK);
    assert_true(p->n > 1);
    assert_int_equal(foretold(p, 0), p->n);
    assert_int_equal(foretold(p, 0), 0);
    assert_int_equal(foretold(p, limit), p->n);
    assert_int_equal(foretold(p, limit), 0);
    p->table[0].present = true;
    assert_int_equal(foretold(p, limit), p->n - 1);
    bk_plan_encode(p, BK_EFFORT_NORMAL, true);
    assert_int_equal(foretold(p, limit), p->n - 1);
    bk_plan_encode(p, BK_EFFORT_NORMAL, true);
    assert_int_equal(foretold(p, limit), 0);
    assert_int_equal(bk_plan_memory_alone(p, 1, &why), BK_OK); /* estimates each table otherwise */
    assert_int_equal(foretold(p, limit), p->n - 1);
    bk_plan_free(p);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs__are_with_all_that_a_table_leads_to),
        cmocka_unit_test(limits__are_shares_of_what_may_be_used),
        cmocka_unit_test(room__is_made_by_what_is_soon_solved_again),
        cmocka_unit_test(room__of_equals_is_made_by_the_one_needed_last),
        cmocka_unit_test(room__what_is_spared_counts_more_than_the_wait),
        cmocka_unit_test(tables__that_are_there_already_need_no_others),
        cmocka_unit_test(room__is_not_made_by_what_is_needed),
        cmocka_unit_test(room__is_spared_for_what_nobody_needs_at_once),
        cmocka_unit_test(room__is_made_by_packing_what_is_needed_last),
        cmocka_unit_test(room__is_not_made_by_packing_what_is_needed),
        cmocka_unit_test(room__is_spared_for_what_is_packed),
        cmocka_unit_test(packing__is_foretold),
        cmocka_unit_test(frames__are_those_of_the_tables_that_are_held),
        cmocka_unit_test(a_packed_table__is_there_when_it_is_needed),
        cmocka_unit_test(a_table__stays_if_it_does_packed),
        cmocka_unit_test(a_table__stays_if_what_is_worth_more_leaves_room),
        cmocka_unit_test(a_table__that_is_not_made_pins_no_other),
        cmocka_unit_test(a_table__is_let_go_when_what_was_made_of_it_is_there),
        cmocka_unit_test(a_table__goes_when_the_last_that_needs_it_is_done),
        cmocka_unit_test(memory__is_foretold_once_while_the_plan_is_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
