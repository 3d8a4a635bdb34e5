/* test_index.c - claims about material names, symmetries and numbers. */
#include <stdlib.h>
#include <string.h>

#include "core/load.h"
#include "table/combination.h"
#include "table/index.h"
#include "table/index_new.h"
#include "table/material.h"
#include "tests/given.h"

static struct bk_index *index_of(const struct bk_variant *v, const char *name)
{
    struct bk_material m = material(v, name);
    struct bk_index *ix;

    assert_int_equal(bk_index_new(&ix, v, &m, NULL, NULL), BK_OK);
    return ix;
}

static void material__names_are_brought_into_file_order(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_material m = material(v, "kNRvrK");
    char name[BK_MATERIAL_NAME_MAX];

    (void)state;
    assert_string_equal(bk_material_name(&m, v, name), "KRNvKR");
    bk_variant_free(v);
}

/* The low bits of a hash choose a bucket: men of one type more or less must change them, whatever
   their type. */
static void material__hash_tells_men_of_all_types_apart(void **state)
{
    enum { BUCKETS = 1 << 16 };
    static bool taken[BUCKETS];
    unsigned n = 0, shared = 0;

    (void)state;
    for (unsigned type = 0; type < BK_TYPES_MAX; type++)
        for (unsigned other = 0; other < type; other++)
            for (unsigned men = 0; men < 16; men++, n++) {
                struct bk_material m = { 0 };
                unsigned bucket;

                for (unsigned colour = 0; colour < 2; colour++) {
                    m.count[colour][type] = (uint8_t)(1 + (men >> (2 * colour) & 1));
                    m.count[colour][other] = (uint8_t)(1 + (men >> (2 * colour + 1) & 1));
                }
                bucket = bk_material_hash(&m) % BUCKETS;
                shared += taken[bucket];
                taken[bucket] = true;
            }
    assert_true(shared < n * n / BUCKETS); /* half of it by chance */
}

static void material__exchanged_names_are_one_table(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_material a = material(v, "KRvKN"), b = material(v, "KNvKR");

    (void)state;
    bk_material_canonical(&a, v);
    bk_material_canonical(&b, v);
    assert_true(bk_material_equal(&a, &b));
    bk_variant_free(v);
}

static void material__refuses_what_is_no_name(void **state)
{
    static const char *const bad[] = { "",       "K",        "KvK ",     "KRKN",       "KRvN",
                                       "RvK",    "KXvK",     "KKvK",     "KRvKvR",     "KR-KN",
                                       "KRvKN[", "KRvKN[]x", "KRvKN[R]", "KRRRRRRRRvK" };
    struct bk_variant *v = load("shatranj");

    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bk_material m;
        struct bk_report why = { "" };

        if (bk_material_parse(&m, v, bad[i], &why) == BK_OK)
            fail_msg("'%s' was taken for a material", bad[i]);
        assert_true(strlen(why.text) > 0);
    }
    bk_variant_free(v);
}

static void material__allowances_matter_only_while_men_can_use_them(void **state)
{
    struct bk_variant *v = load("darwinian");
    struct bk_material all = material(v, "KWvKF"), one = material(v, "KWvKF[RCe]");
    struct bk_material none = material(v, "KWvKF[-]");
    char name[BK_MATERIAL_NAME_MAX];

    (void)state;
    assert_true(bk_material_equal(&all, &one));
    assert_string_equal(bk_material_name(&all, v, name), "KWvKF");
    assert_string_equal(bk_material_name(&none, v, name), "KWvKF[-]");
    bk_variant_free(v);
}

static void material__castling_rights_are_part_of_it(void **state)
{
    static const struct {
        const char *name, *why;
    } bad[] = {
        { "KRvK+", "material 'KRvK+': '+' without castling rights" },
        { "KRvK+X", "material 'KRvK+X': 'X' at column 6 is no castling right" },
        { "KRvK+KK", "material 'KRvK+KK': castling right 'K' twice" },
        { "KRvK+KQ", "material 'KRvK+KQ': castling right 'Q' without a white rook" },
        { "KRvKN+k", "material 'KRvKN+k': castling right 'k' without a black rook" },
    };
    struct bk_variant *v = load("chess"), *none = load("shatranj");
    struct bk_material m = material(v, "KRvKRR+qkK"), plain = material(v, "KRvKRR");
    struct bk_report why = { "" };
    char name[BK_MATERIAL_NAME_MAX];

    (void)state;
    assert_string_equal(bk_material_name(&m, v, name), "KRvKRR+Kkq");
    assert_false(bk_material_equal(&m, &plain));
    assert_true(bk_material_canonical(&m, v));
    assert_string_equal(bk_material_name(&m, v, name), "KRRvKR+KQk");
    assert_int_equal(bk_material_symmetries(&m, v), 1);
    m = material(v, "KRvKR+k"); /* of equal men, White has the rights */
    assert_true(bk_material_canonical(&m, v));
    assert_string_equal(bk_material_name(&m, v, name), "KRvKR+K");
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bk_material_parse(&m, v, bad[i].name, &why), BK_E_USAGE);
        assert_string_equal(why.text, bad[i].why);
    }
    assert_int_equal(bk_material_parse(&m, none, "KRvK+K", &why), BK_E_USAGE);
    assert_string_equal(why.text, "material 'KRvK+K': there is no castling in shatranj");
    bk_variant_free(none);
    bk_variant_free(v);
}

/* From a table with rights, king moves and castling, rook moves and captures of a rook at home lead
   to others, and nothing else does. */
static void material__castling_rights_lead_to_fewer(void **state)
{
    static const char *const after[] = { "KRvKR+K", "KRvKR+k", "KRvK+K", "KRvK", "KvKR+k", "KvKR" };
    struct bk_variant *v = load("chess");
    struct bk_material m = material(v, "KRvKR+Kk"), next[64];
    unsigned n = bk_material_next(&m, v, next, 64);
    char name[BK_MATERIAL_NAME_MAX];

    (void)state;
    assert_int_equal(n, sizeof after / sizeof *after);
    for (unsigned i = 0; i < n; i++) {
        unsigned j = 0;

        bk_material_name(&next[i], v, name);
        while (j < n && strcmp(name, after[j]))
            j++;
        if (j == n)
            fail_msg("%s", name);
    }
    m = material(v, "KRvKR");
    n = bk_material_next(&m, v, next, 64);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(next[i].rights, 0);
    bk_variant_free(v);
}

static void symmetry__is_computed_from_board_and_men(void **state)
{
    static const struct {
        const char *game, *name;
        unsigned order;
    } claim[] = {
        { "shatranj", "KRvKN", 8 },  { "shatranj", "KRvKP", 2 },  { "grand-shatranj", "KJvKH", 8 },
        { "sultan", "KRvKC", 4 },    { "sultan", "KRvKP", 2 },    { "puzzle", "KRvKA", 2 },
        { "darwinian", "KYvKR", 1 }, { "darwinian", "KCvKB", 8 }, { "darwinian", "KCvKE", 2 },
        { "darwinian", "KWvKR", 2 }, /* where a man may change depends on ranks */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v = load(claim[i].game);
        struct bk_material m = material(v, claim[i].name);
        unsigned order = (unsigned)__builtin_popcount(bk_material_symmetries(&m, v));

        if (claim[i].order != order)
            fail_msg("%s %s: %u symmetries", claim[i].game, claim[i].name, order);
        bk_variant_free(v);
    }
}

static void index__king_pairs_are_those_everybody_counts(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_index *ix = index_of(v, "KRvKN");

    (void)state;
    assert_int_equal(ix->nblocks, 1);
    assert_int_equal(ix->block[0].pairs->nslices, 462);
    assert_int_equal(ix->positions, 462 * 64 * 64);
    bk_index_free(ix);
    bk_variant_free(v);
}

static uint64_t scattered(uint64_t i) { return i * UINT64_C(0x9e3779b97f4a7c15) >> 11; }

/* Fails unless rank undoes unrank; in slices that a symmetry keeps, a mirror's number will do. */
static void check_numbers(const char *game, const char *name)
{
    struct bk_variant *v = load(game);
    struct bk_index *ix = index_of(v, name);

    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t number = scattered(i) % ix->positions;
        struct bk_placement at, again;
        struct bk_pos p;

        bk_index_unrank(ix, number, &at);
        assert_true(bk_index_rank(ix, &at) == number);
        if (!bk_index_position(ix, &at, i & 1, &p))
            continue;
        assert_true(bk_index_place(ix, &p, &again));
        assert_true(bk_index_rank(ix, &again) == number);
        for (unsigned sym = 1; sym < BK_SYMMETRIES; sym++) {
            struct bk_placement turned = at, back;
            uint64_t other;

            if (!(ix->group >> sym & 1))
                continue;
            for (unsigned k = 0; k < 2; k++)
                turned.king[k] = ix->map[sym][at.king[k]];
            for (unsigned s = 0; s < ix->nslots; s++)
                turned.sq[s] = ix->map[sym][at.sq[s]];
            other = bk_index_rank(ix, &turned);
            assert_true(other < ix->positions);
            if (other == number)
                continue;
            /* only a mirrored twin in a slice kept by a symmetry may differ */
            bk_index_unrank(ix, other, &back);
            assert_true(bk_index_is_first(ix, number, &at) != bk_index_is_first(ix, other, &back));
            assert_true(bk_index_twin(ix, number, &at, 0, &turned));
            assert_true(bk_index_rank(ix, &turned) == other);
        }
    }
    bk_index_free(ix);
    bk_variant_free(v);
}

static void index__unrank_undoes_rank(void **state)
{
    static const char *const claim[][2] = {
        { "shatranj", "KRNvKR" },
        { "shatranj", "KRRvKN" },
        { "chess", "KPPvKP" },
        { "chess", "KQPvKR" },
        { "grand-shatranj", "KMPvKP" },
        { "grand-shatranj", "KPPvKN" },
        { "sultan", "KCCvKB" },
        { "puzzle", "KAAvKF" },
        { "darwinian", "KWYvKU" },
        { "atlantean", "KZXvKT" },
        { "atlantean-commoner", "KPPvKP" },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof claim / sizeof *claim; i++)
        check_numbers(claim[i][0], claim[i][1]);
}

/* In ascending order, a choice of cells that is not the first of its class leads to a block met
   before.  Every block has a key, and no two choices have the same key. */
static void index__ascending_cells_have_a_key_each(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_index *ix = index_of(v, "KPPPvKP");
    bool *met = calloc(ix->nkeys, sizeof *met);
    unsigned n = ix->cells[0]->n, choices = 0, blocks = 0;

    (void)state;
    assert_non_null(met);
    assert_int_equal(n, 48);
    assert_int_equal(ix->nkeys, 48u * 49 * 50 / 6 * 48);
    for (unsigned i = 0; i < n * n * n * n; i++) {
        const uint8_t cell[BK_SLOTS_MAX] = { (uint8_t)(i / n / n / n), (uint8_t)(i / n / n % n),
                                             (uint8_t)(i / n % n), (uint8_t)(i % n) };
        uint32_t key;
        int32_t found;

        if (cell[0] > cell[1] || cell[1] > cell[2])
            continue;
        key = bk_index_key(ix, cell);
        assert_true(key < ix->nkeys && !met[key]);
        met[key] = true;
        choices++;
        found = ix->block_of[key];
        assert_int_equal(found < 0, cell[0] == cell[1] || cell[1] == cell[2]);
        assert_true(found >> 3 <= (int32_t)blocks);
        if (found >= 0 && !(found & 7)) {
            assert_int_equal(found >> 3, blocks);
            assert_memory_equal(ix->block[blocks++].cell, cell, ix->nslots);
        }
    }
    assert_int_equal(choices, ix->nkeys);
    assert_int_equal(blocks, ix->nblocks);
    free(met);
    bk_index_free(ix);
    bk_variant_free(v);
}

static void index__combinations_are_numbered_without_gaps(void **state)
{
    uint64_t number = 0;

    (void)state;
    for (uint8_t c = 2; c < 20; c++)
        for (uint8_t b = 1; b < c; b++)
            for (uint8_t a = 0; a < b; a++, number++) {
                uint8_t place[3] = { a, b, c }, back[3];

                assert_int_equal(bk_combination_rank(place, 3), number);
                bk_combination_unrank(number, 3, back);
                assert_memory_equal(place, back, 3);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(material__names_are_brought_into_file_order),
        cmocka_unit_test(material__hash_tells_men_of_all_types_apart),
        cmocka_unit_test(material__exchanged_names_are_one_table),
        cmocka_unit_test(material__refuses_what_is_no_name),
        cmocka_unit_test(material__allowances_matter_only_while_men_can_use_them),
        cmocka_unit_test(material__castling_rights_are_part_of_it),
        cmocka_unit_test(material__castling_rights_lead_to_fewer),
        cmocka_unit_test(symmetry__is_computed_from_board_and_men),
        cmocka_unit_test(index__king_pairs_are_those_everybody_counts),
        cmocka_unit_test(index__unrank_undoes_rank),
        cmocka_unit_test(index__ascending_cells_have_a_key_each),
        cmocka_unit_test(index__combinations_are_numbered_without_gaps),
    };

    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
