/*
 * test_study.c - what is drawn and found for people who study endgames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/load.h"
#include "study/pictures.h"

static struct bk_variant *load(const char *name)
{
    struct bk_report why;
    struct bk_variant *v;

    if (bk_variant_load(&v, name, &why))
        fail_msg("%s", why.text);
    return v;
}

/* == Pictures == */

static void pictures__every_man_of_every_game_has_one(void **state)
{
    (void)state;
    for (const struct bk_embedded *game = bk_embedded_variants; game->name; game++) {
        struct bk_variant *v = load(game->name);

        for (unsigned t = 0; t < v->ntypes; t++) {
            const struct study_picture *p = study_picture(&v->piece[t]);

            if (!p || !strstr(p->body, "<path"))
                fail_msg("%s: no picture of %s", v->name, v->piece[t].name);
        }
        bk_variant_free(v);
    }
}

/* Two kinds of men that look the same would be no use on a board. */
static void pictures__men_of_a_game_differ(void **state)
{
    (void)state;
    for (const struct bk_embedded *game = bk_embedded_variants; game->name; game++) {
        struct bk_variant *v = load(game->name);

        for (unsigned a = 0; a < v->ntypes; a++)
            for (unsigned b = 0; b < a; b++)
                assert_ptr_not_equal(study_picture(&v->piece[a]), study_picture(&v->piece[b]));
        bk_variant_free(v);
    }
}

static void pictures__an_unknown_man_has_none_but_a_king_is_a_king(void **state)
{
    struct bk_piece man = { .name = "griffin" };

    (void)state;
    assert_null(study_picture(&man));
    strcpy(man.name, "rook alfil"); /* no name that a file could have: nothing is found by parts */
    assert_null(study_picture(&man));
    strcpy(man.name, "emperor");
    man.royal = true;
    assert_non_null(study_picture(&man));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures__every_man_of_every_game_has_one),
        cmocka_unit_test(pictures__men_of_a_game_differ),
        cmocka_unit_test(pictures__an_unknown_man_has_none_but_a_king_is_a_king),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
