/* fuzz.c - see fuzz.h. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/explain.h"
#include "core/hands.h"
#include "core/load.h"
#include "core/move.h"
#include "core/read.h"
#include "core/rules.h"
#include "table/index.h"
#include "table/index_new.h"

#define GAMES_MAX 64

char *fuzz_folder(char out[FUZZ_DIR_MAX])
{
    const char *parent = getenv("TMPDIR");

    snprintf(out, FUZZ_DIR_MAX, "%s/bk-fuzz.XXXXXX", parent && *parent ? parent : "/tmp");
    FUZZ_CHECK(mkdtemp(out));
    return out;
}

char *fuzz_text(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);

    FUZZ_CHECK(text);
    if (n)
        memcpy(text, bytes, n);
    text[n] = 0;
    return text;
}

char *fuzz_line(char **text)
{
    char *line = *text, *end = line + strcspn(line, "\n");

    *text = end + (*end == '\n');
    *end = 0;
    return line;
}

/* A game with limits up to the bound, promotion on three ranks, double steps, double captures. */
static const char awkward[] =
    "[variant]\nname = awkward\nboard = 6x6\nbare-king = wins-unless-bared-back\nstalemate = loss\n"
    "en-passant = yes\nlimits = A4 B4 C4 D4 E4 F4 G4 H4\nholes = c3 d3\n"
    "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
    "[piece a]\nletter = A\nmove = F\nsteps = 2\nbend = free\ntakes-twice = yes\n"
    "[piece b]\nletter = B\nmove = W\n[piece c]\nletter = C\nmove = R\n"
    "[piece d]\nletter = D\nmove = N\n[piece e]\nletter = E\nmove = A\n"
    "[piece f]\nletter = F\nmove = D\n[piece g]\nletter = G\nmove = B\n"
    "[piece h]\nletter = H\nmove = mRcpR\n"
    "[piece pawn]\nletter = P\nmove = mfWcfF\ndouble-step = 2\nranks = 1-6\nzone-ranks = 5\n"
    "zone-move = sW\nbecomes = 4-6 may counted A B C D E F G H\n";

const struct bk_variant *fuzz_game(const char *name)
{
    static struct {
        char name[64];
        struct bk_variant *v;
    } game[GAMES_MAX];
    static unsigned n;
    struct bk_report why;

    for (unsigned i = 0; i < n; i++)
        if (!strcmp(game[i].name, name))
            return game[i].v;
    if (!n) {
        FUZZ_CHECK(bk_variant_parse(&game[0].v, "awkward.ini", awkward, &why) == BK_OK);
        strcpy(game[n++].name, "awkward");
        for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
            FUZZ_CHECK(n < GAMES_MAX && bk_variant_load(&game[n].v, e->name, &why) == BK_OK);
            snprintf(game[n++].name, sizeof game[0].name, "%s", e->name);
        }
        return fuzz_game(name);
    }
    return NULL;
}

static void fuzz_moves(const struct bk_variant *v, const struct bk_pos *p)
{
    static struct bk_move move[BK_MOVES_MAX];
    uint64_t all = 0;

    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(v, p, &first, move);

        all += n;
        for (unsigned i = 0; i < n; i++) {
            struct bk_pos after = *p;
            char name[16];

            bk_move_name(v, &move[i], name);
            FUZZ_CHECK(strlen(name) >= 4);
            bk_pos_play(&after, v, &move[i]);
            FUZZ_CHECK(bk_pos_legal(v, &after));
        }
    }
    FUZZ_CHECK(all == bk_perft(v, p, 1));
}

void fuzz_position(const struct bk_variant *v, const struct bk_pos *p)
{
    char fen[BK_FEN_MAX], again[BK_FEN_MAX], name[BK_MATERIAL_NAME_MAX];
    struct bk_report why;
    struct bk_material m, same;
    struct bk_pos read;
    int wdl;

    bk_pos_to_fen(p, v, fen);
    FUZZ_CHECK(bk_pos_from_fen(&read, v, fen, &why) == BK_OK);
    FUZZ_CHECK(!strcmp(bk_pos_to_fen(&read, v, again), fen));
    bk_material_of(&m, v, p);
    bk_material_name(&m, v, name);
    FUZZ_CHECK(memchr(name, 0, sizeof name));
    if (bk_material_men(&m, v) <= BK_MEN_MAX) {
        FUZZ_CHECK(bk_material_parse(&same, v, name, &why) == BK_OK);
        FUZZ_CHECK(bk_material_equal(&m, &same));
    }
    if (!bk_pos_legal(v, p))
        return;
    bk_pos_end(v, p, &wdl);
    fuzz_moves(v, p);
}

static bool count_turns(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    unsigned *n = context;

    (void)turn;
    (void)after;
    return ++*n < 1000;
}

static void fuzz_start(const struct bk_variant *v)
{
    struct bk_hands_pos hands;
    struct bk_report why;
    struct bk_pos p;
    unsigned n = 0;

    if (v->hands) {
        if (bk_hands_start(&hands, v, &why) == BK_OK)
            bk_hands_turns(&hands, v, count_turns, &n);
    } else if (v->start[0] && bk_pos_from_fen(&p, v, v->start, &why) == BK_OK) {
        fuzz_position(v, &p);
    }
}

void fuzz_variant(const struct bk_variant *v)
{
    char *words = bk_variant_explain(v);

    FUZZ_CHECK(words);
    free(words);
    fuzz_start(v);
    for (unsigned type = 0; type < v->ntypes; type++) {
        struct bk_material m = { 0 };
        struct bk_report why;
        struct bk_index *ix;

        if (bk_rules_royal(v))
            m.count[0][v->royal] = m.count[1][v->royal] = 1;
        else
            m.count[~type & 1][0] = 1;
        m.count[type & 1][type] = 1;
        if (type == v->royal)
            continue;
        bk_rules_allowances(v, m.left);
        bk_material_normalise(&m, v);
        bk_material_canonical(&m, v);
        FUZZ_CHECK(bk_material_next(&m, v, NULL, 0) < 1000000);
        if (type < 3 && bk_index_new(&ix, v, &m, NULL, &why) == BK_OK)
            bk_index_free(ix);
    }
}
