/* fuzz_material.c - "GAME\nMATERIAL\n": names, allowances, rights, and materials one move away. */
#include <string.h>

#include "table/index.h"
#include "table/index_new.h"
#include "tests/fuzz/fuzz.h"

static void index_of(const struct bk_material *m, const struct bk_variant *v)
{
    struct bk_report why;
    struct bk_index *ix;

    if (bk_material_men(m, v) > 4 || bk_index_new(&ix, v, m, NULL, &why))
        return;
    for (uint64_t i = 0; i < 64 && i < ix->positions; i++) {
        struct bk_placement at;
        struct bk_pos p;

        bk_index_unrank(ix, ix->positions * i / 64, &at);
        if (bk_index_position(ix, &at, 0, &p))
            FUZZ_CHECK(bk_index_rank(ix, &at) == ix->positions * i / 64);
    }
    bk_index_free(ix);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct bk_material next[1024];
    char *text = fuzz_text(bytes, n), *rest = text, name[BK_MATERIAL_NAME_MAX];
    const struct bk_variant *v = fuzz_game(fuzz_line(&rest));
    struct bk_material m, again;
    struct bk_report why;

    if (v && bk_material_parse(&m, v, fuzz_line(&rest), &why) == BK_OK) {
        unsigned count = bk_material_next(&m, v, next, 1024);

        bk_material_name(&m, v, name);
        FUZZ_CHECK(bk_material_parse(&again, v, name, &why) == BK_OK);
        FUZZ_CHECK(bk_material_equal(&m, &again));
        for (unsigned i = 0; i < count && i < 1024; i++) {
            bk_material_name(&next[i], v, name);
            FUZZ_CHECK(bk_material_parse(&again, v, name, &why) == BK_OK);
            FUZZ_CHECK(bk_material_equal(&next[i], &again));
        }
        bk_material_canonical(&m, v);
        bk_material_by_rule(&m, v);
        index_of(&m, v);
    }
    free(text);
    return 0;
}
