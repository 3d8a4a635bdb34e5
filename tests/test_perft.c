/* test_perft.c - the plain move generator counts what the slow one counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/load.h"
#include "core/move.h"
#include "tests/ref.h"

static const struct {
    const char *game, *fen;
    unsigned depth;
} claim[] = {
    { "shatranj", "startpos", 3 },
    { "shatranj", "r3k2r/pp1q1ppp/2n1b3/3np3/3NP3/2B1B3/PP1Q1PPP/R3K2R w - - 0 1", 3 },
    { "shatranj", "8/P1k5/8/8/3b4/1K6/5p2/8 b - - 0 1", 3 },
    { "grand-shatranj", "startpos", 2 },
    { "grand-shatranj", "k9/2P5P1/10/4o5/3l6/2J7/10/6m3/1p5p2/5K4 w - - 0 1", 3 },
    { "grand-shatranj", "2P4k2/P7P1/10/4o5/10/2J7/10/6m3/1p8/3p1K3p b - - 0 1", 3 },
    { "grand-shatranj-rook", "r3k5/10/2pp6/10/4O5/10/3M6/8P1/10/R4K3R w - - 0 1", 3 },
    { "grand-shatranj-gilded", "startpos", 2 },
    { "grand-shatranj-gilded22", "startpos", 2 },
    { "grand-shatranj-double", "4k5/10/3pp5/2P7/10/10/4p5/3P1P4/10/5K4 w - - 0 1", 3 },
    { "atlantean", "4k5/10/2z7/10/5t4/3X6/10/1P4Z3/10/5K4 w - - 0 1", 3 },
    { "atlantean-commoner", "1P4P3/4P5/10/2k7/5t4/3X6/10/8K1/1p5p2/3p6 w - - 0 1", 3 },
    { "atlantean-jumper", "1P4P3/4P5/10/2k7/5t4/3X6/10/8K1/1p5p2/3p6 b - - 0 1", 3 },
    { "atlantean-double", "4k5/10/2zp6/10/5tp3/3X6/2Pn6/1P4Z3/10/5K4 w - - 0 1", 3 },
    { "darwinian", "startpos", 3 },
    { "darwinian", "9/1W2Y2F1/3c5/2U3D2/k8/1E3w3/4y2u1/2f6/4K4[RCEr] w - - 0 1", 3 },
    { "puzzle", "2k3**/2a1f1**/1n4A1/3R4/8/2A2F2/4r3/1K6 w - - 0 1", 3 },
    { "sultan", "startpos", 3 },
    { "sultan", "r4k3r/ppc2q1pcp/10/3pP5/2B4N2/10/PPPQ2PPPP/R4K3R w KQkq d6 0 1", 3 },
    { "chess", "startpos", 3 },
    { "chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3 },
    { "chess", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3 },
};

static void perft__equals_the_slow_generator_in_every_game(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v;
        struct bk_report why = { "" };
        struct bk_pos p;
        struct ref_pos r;
        const char *fen = claim[i].fen;

        assert_int_equal(bk_variant_load(&v, claim[i].game, &why), BK_OK);
        if (!strcmp(fen, "startpos"))
            fen = v->start;
        if (bk_pos_from_fen(&p, v, fen, &why))
            fail_msg("%s: %s", claim[i].game, why.text);
        assert_true(ref_from_fen(v, fen, &r));
        for (unsigned depth = 1; depth <= claim[i].depth; depth++) {
            uint64_t fast = bk_perft(v, &p, depth), slow = ref_perft(v, &r, depth);

            if (fast != slow)
                fail_msg("%s %s depth %u: %llu, slow generator %llu", claim[i].game, fen, depth,
                         (unsigned long long)fast, (unsigned long long)slow);
        }
        bk_variant_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft__equals_the_slow_generator_in_every_game),
    };

    return cmocka_run_group_tests_name("perft", tests, NULL, NULL);
}
