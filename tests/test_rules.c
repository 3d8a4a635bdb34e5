/*
 * test_rules.c - every rule of docs/rules.md, proved on a small board.
 *
 * A row of the table "Rule by rule" is a small game that has the rule: the men of
 * the real game, ranks and armies scaled down.  Its tables are built as files, as
 * the command builds them, and libbareking is asked about every position of the
 * materials: both sides to move, by men and by FEN, with the colours exchanged,
 * with castling rights, en passant squares and allowances where the game has
 * them.  Each answer must be that of the slow solver (ref.c), which shares nothing
 * but the variant as data.
 *
 * That a row is about its rule is proved, too: `off` turns the rule into another
 * one, and some position must then be worth something else.
 *
 * RULES_TIMES=1 in the environment: what each row took; RULES_ONLY=rule__p*: only these.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/derive.h"
#include "core/load.h"
#include "tests/given.h"
#include "tests/left_out.h"
#include "tests/proof.h"
#include "tests/slow_hands.h"

#define OFFS_MAX 3
#define TEXT_MAX 4000

/* A rule in place of the row's: replacements in the game's text, which must have each `from`. */
struct off {
    const char *what;    /* the other rule, for messages */
    const char *edit[6]; /* from, to, from, to ... */
};

struct proof;

struct row {
    const char *name;
    const char *game; /* a variant file */
    const char *material[4];
    struct off off[OFFS_MAX];
    const char *left[4];      /* allowances left to ask about, besides all */
    const char *base, *board; /* asked as a terrain of this game, with this FEN */
    /* is the rule at work in this position?  In some it must be */
    bool (*occurs)(const struct proof *, const struct ref_pos *, const struct ref_value *,
                   const struct bk_answer *);
};

/* The game with another rule, solved by the slow solver. */
struct other {
    struct bk_variant *v;
    struct ref_table *ref;
    bool differs;
};

struct proof {
    const struct row *row;
    struct bk_variant *v;     /* what the slow solver solves */
    struct bk_variant *built; /* what tables are built of: the same, but for terrains */
    struct bk_lib *lib;
    struct bk_material m; /* being compared */
    int swap;
    struct ref_table *ref;
    struct ref_moves moves;
    struct other other[OFFS_MAX];
    uint64_t asked, occurred, passing, castling;
};

/* == Games == */

#define GAME(board, rules)      "[variant]\nname = rule\nboard = " board "\n" rules
#define MAN(name, letter, keys) "[piece " name "]\nletter = " letter "\n" keys "\n"
#define KING                    "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
#define JUMPING_KING            "[piece jumping-king]\nletter = K\nroyal = yes\nmove = KAD\n"
#define BACK                    "bare-king = wins-unless-bared-back\n"
#define WINS                    "bare-king = wins\n"
#define DRAW                    "stalemate = draw\n"
#define LOSS                    "stalemate = loss\n"
#define NO_CORNERS              "holes = a1 a4 d1 d4\n"
#define CUT                     "holes = a1 a5 d1 d5\n"

#define SHATRANJ_MEN                                                                               \
    KING MAN("ferz", "Q", "move = F") MAN("rook", "R", "move = R") MAN("alfil", "B", "move = A")   \
        MAN("knight", "N", "move = N")

#define TWO_STEPS(name, letter, move, bend)                                                        \
    MAN(name, letter, "move = " move "\nsteps = 2\nbend = " bend)
#define GRAND_MEN                                                                                  \
    KING TWO_STEPS("oliphant", "O", "FA", "straight")                                              \
        TWO_STEPS("lightning-warmachine", "L", "WD", "straight")
#define ATLANTEAN_MEN                                                                              \
    TWO_STEPS("zigzag-general", "Z", "WFDA", "free")                                               \
    TWO_STEPS("twisted-knight", "T", "FA", "free")                                                 \
    MAN("knight", "N", "move = N") TWO_STEPS("flexible-knight", "X", "WD", "free")

/* Joyce's pawns on four ranks: the ninth is the third, the tenth the fourth. */
#define SITTING_PAWN                                                                               \
    MAN("pawn", "P",                                                                               \
        "move = mfWcfF\narmy = 2\nranks = 2-4\nzone-ranks = 4\nzone-move = sW\n"                   \
        "becomes = 3 may lost N M\nbecomes = 4 must lost in-place N M")
#define SITTING                                                                                    \
    GAME("4x4", NO_CORNERS BACK DRAW)                                                              \
    KING MAN("knight", "N", "move = N\narmy = 1") MAN("minister", "M", "move = NDW\narmy = 1")     \
        SITTING_PAWN

/* Howe's pawns, which move otherwise on the last two ranks. */
#define COMMONER(zone)                                                                             \
    GAME("4x4", BACK DRAW)                                                                         \
    KING MAN("knight", "N", "move = N\narmy = 1")                                                  \
        MAN("pawn", "P",                                                                           \
            "move = mfWcfF\narmy = 1\nranks = 2-4\nzone-ranks = 3-4\nzone-move = " zone            \
            "\nbecomes = 3-4 may lost N")

/* Pawns from their second rank to the fifth, where they sit: there is nothing to promote to. */
#define DOUBLE(rules, pawn)                                                                        \
    GAME("4x5", BACK DRAW rules)                                                                   \
    KING MAN("knight", "N", "move = N")                                                            \
        MAN("pawn", "P",                                                                           \
            "move = mfWcfF\narmy = 1\nranks = 2-5\nzone-ranks = 5\nzone-move = sW\n" pawn)

#define DARWINIAN                                                                                  \
    GAME("4x4", NO_CORNERS BACK DRAW "limits = R1 C1 E1\n")                                        \
    KING MAN("rook", "R", "move = R") MAN("cannon", "C", "move = mRcpR")                           \
        MAN("bishop", "B", "move = B") MAN("knight", "N", "move = N")                              \
            MAN("war-machine", "D", "move = D\nbecomes = 3- may counted R C")                      \
                MAN("elephant", "E", "move = A\nbecomes = 3- may B") MAN(                          \
                    "wazir", "W", "move = W\nbecomes = 2- may D\nbecomes = 3- may counted R C")    \
                    MAN("ferz", "F", "move = F\nbecomes = 2- may counted E")

#define NYMPHS                                                                                     \
    GAME("4x4", NO_CORNERS BACK DRAW)                                                              \
    KING MAN("knight", "N", "move = N")                                                            \
        MAN("nymph-horse-of-the-a-side", "Y",                                                      \
            "move = fWfrF\nranks = 1-3\nbecomes = 2- may N\nbecomes = 4 must N")                   \
            MAN("nymph-horse-of-the-i-side", "U",                                                  \
                "move = fWflF\nranks = 1-3\nbecomes = 2- may N\nbecomes = 4 must N")

/* The king three squares towards the rook, the rook to the square crossed last. */
#define CASTLING                                                                                   \
    GAME("6x4", "holes = a3 b3 e2 f2\n" DRAW                                                       \
                "castling-rook = R\ncastling-king-file = e\ncastling-rook-files = a f\n"           \
                "castling-king-to = b f\ncastling-rook-to = c e\n")                                \
    KING MAN("rook", "R", "move = R") MAN("courier", "C", "move = AD")

/* == Building and opening == */

static char dir[PROOF_DIR_MAX]; /* of the tables; removed whatever becomes of the test */

static int set_up(void **state)
{
    (void)state;
    proof_folder(dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    proof_remove(dir);
    return 0;
}

/* Replaces every `from` in `text` by `to`; fails if there is none. */
static void replace(char text[TEXT_MAX], const char *from, const char *to)
{
    char out[TEXT_MAX];
    size_t n = 0;
    char *at, *rest = text;

    if (!strstr(text, from))
        fail_msg("no %s in\n%s", from, text);
    while ((at = strstr(rest, from)) != NULL) {
        n += (size_t)snprintf(out + n, sizeof out - n, "%.*s%s", (int)(at - rest), rest, to);
        rest = at + strlen(from);
    }
    snprintf(out + n, sizeof out - n, "%s", rest);
    strcpy(text, out);
}

static struct bk_variant *without(const struct row *row, const struct off *off)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof text, "%s", row->game);
    for (unsigned i = 0; off->edit[i]; i += 2)
        replace(text, off->edit[i], off->edit[i + 1]);
    return parse(text);
}

static struct bk_variant *on_terrain(const struct row *row)
{
    struct bk_variant *base, *v = NULL;
    struct bk_report why = { "" };

    if (bk_variant_load(&base, row->base, &why) || bk_variant_for_fen(&v, base, row->board, &why))
        fail_msg("%s", why.text);
    bk_variant_free(base);
    return v;
}

/* Makes the tables of a material, KWvKF or KWvKF[-], and of all it leads to. */
static void build(struct proof *p, const char *material)
{
    char name[BK_MATERIAL_NAME_MAX];

    proof_build(p->built, dir, material);
    for (unsigned i = 0; i < 4 && p->row->left[i]; i++) {
        snprintf(name, sizeof name, "%s[%s]", material, p->row->left[i]);
        proof_build(p->built, dir, name);
    }
}

/* Writes the game beside its tables and opens the library on it; a terrain on its base game. */
static void open_library(struct proof *p)
{
    char path[PROOF_DIR_MAX + 16];
    FILE *out;

    snprintf(path, sizeof path, "%s/rule.ini", dir);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(p->row->game, out);
    assert_int_equal(fclose(out), 0);
    if (bk_open(&p->lib, p->row->base ? p->row->base : path, dir))
        fail_msg("%s", bk_error(p->lib));
}

/* == Asking == */

static void said(struct proof *p, const struct bk_pos *pos, enum bk_lib_err err,
                 const struct bk_answer *a, const struct ref_value *value)
{
    char fen[BK_FEN_MAX];

    p->asked++;
    if (err)
        fail_msg("%s: %s", bk_pos_to_fen(pos, p->v, fen), bk_error(p->lib));
    if (!proof_same(a, value, true))
        fail_msg("%s: the library says %+d in %d, the slow solver %+d in %d",
                 bk_pos_to_fen(pos, p->v, fen), a->wdl, a->dtw, value->wdl, value->dtw);
}

/* Can the position be asked about as a list of men? */
static bool plain(const struct proof *p, const struct bk_pos *pos)
{
    return !p->row->base && pos->ep == BK_SQ_NONE && !pos->rights &&
           !memcmp(pos->left[0], p->v->limit, sizeof pos->left[0]) &&
           !memcmp(pos->left[1], p->v->limit, sizeof pos->left[1]);
}

/* Asks about plain positions as men, every seventh by FEN as well; about all others by FEN. */
static struct bk_answer ask(struct proof *p, const struct bk_pos *pos,
                            const struct ref_value *value)
{
    struct bk_answer a;
    bool men = plain(p, pos);

    if (men)
        said(p, pos, proof_ask_men(p->lib, p->v, pos, &a), &a, value);
    if (!men || p->asked % 7 == 0)
        said(p, pos, proof_ask_fen(p->lib, p->v, pos, &a), &a, value);
    return a;
}

/* An illegal position must be refused. */
static void ask_illegal(struct proof *p, const struct bk_pos *pos)
{
    struct bk_answer a;
    char fen[BK_FEN_MAX];

    p->asked++;
    if (proof_ask_fen(p->lib, p->v, pos, &a) != BK_LIB_ILLEGAL)
        fail_msg("%s: should be illegal", bk_pos_to_fen(pos, p->v, fen));
}

/* == Is it about the rule? == */

/* Returns the position without the rights, en passant square and allowances that `v` lacks. */
static struct ref_pos in_other(const struct bk_variant *v, const struct ref_pos *r, bool all_left)
{
    struct ref_pos o = *r;

    if (!v->castling.allowed)
        o.rights = 0;
    if (!v->en_passant)
        o.ep = BK_SQ_NONE;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned t = 0; t < v->ntypes; t++)
            if (all_left || o.left[side][t] > v->limit[t])
                o.left[side][t] = v->limit[t];
    return o;
}

/* Is there an i-th other rule?  The short form looks at none: what they show is true of the row
 * alone. */
static bool is_off(const struct row *row, unsigned i)
{
    return i < OFFS_MAX && row->off[i].what && tries_all();
}

static void look_for_difference(struct proof *p, const struct ref_pos *r,
                                const struct ref_value *value)
{
    for (unsigned i = 0; is_off(p->row, i); i++) {
        struct other *o = &p->other[i];
        struct ref_value there;
        struct ref_pos pos;

        if (o->differs)
            continue;
        pos = in_other(o->v, r,
                       !memcmp(r->left[0], p->v->limit, sizeof r->left[0]) &&
                           !memcmp(r->left[1], p->v->limit, sizeof r->left[1]));
        if (ref_value(o->ref, &pos, &there))
            o->differs = there.wdl != value->wdl || there.dtw != value->dtw;
    }
}

/* Solves the material with the slow solver by each other rule that has made no difference yet. */
static void solve_others(struct proof *p)
{
    for (unsigned i = 0; is_off(p->row, i); i++) {
        struct other *o = &p->other[i];

        if (o->differs)
            continue;
        if (!o->v)
            o->v = without(p->row, &p->row->off[i]);
        ref_free(o->ref);
        o->ref = ref_solve(o->v, (const uint8_t(*)[BK_TYPES_MAX])p->m.count, NULL, 0);
        assert_non_null(o->ref);
    }
}

/* == All positions of a material == */

static void prove_one(struct proof *p, const struct ref_pos *r, const struct ref_value *value)
{
    struct bk_pos pos = proof_pos(p->v, r);
    struct bk_answer a = ask(p, &pos, value);

    if (p->swap >= 0) {
        struct bk_pos turned = proof_exchanged(p->v, &pos, (unsigned)p->swap);

        ask(p, &turned, value);
    }
    look_for_difference(p, r, value);
    if (p->row->occurs)
        p->occurred += p->row->occurs(p, r, value, &a);
}

/* Proves the positions after each double step, with their en passant squares. */
static void prove_passing(struct proof *p, const struct ref_pos *r)
{
    ref_moves(p->v, r, &p->moves);
    for (unsigned i = 0; i < p->moves.n; i++) {
        struct ref_pos after = *r;
        struct ref_value value;

        if (p->moves.move[i].ep == BK_SQ_NONE)
            continue;
        ref_apply(p->v, &after, &p->moves.move[i]);
        assert_true(ref_value(p->ref, &after, &value));
        prove_one(p, &after, &value);
        p->passing++;
    }
}

/* Proves the position with allowances `left`: "Rr" is one more rook to White, one to Black. */
static void prove_with_left(struct proof *p, const struct ref_pos *r, const char *left)
{
    struct ref_pos pos = *r;
    struct ref_value value;

    memset(pos.left, 0, sizeof pos.left);
    for (; *left; left++)
        if (*left != '-')
            pos.left[*left >= 'a'][bk_variant_type(p->v, *left)]++;
    assert_true(ref_value(p->ref, &pos, &value));
    prove_one(p, &pos, &value);
}

/* Are the men of the material's castling rights at home? */
static bool at_home(const struct proof *p, const struct ref_pos *r)
{
    for (unsigned right = 0; right < 4; right++)
        if (p->m.rights >> right & 1) {
            int king = p->v->royal + 1, rook = p->v->castling.rook + 1;

            if (r->at[bk_right_king(p->v, right)] != (right / 2 ? -king : king) ||
                r->at[bk_right_home(p->v, right)] != (right / 2 ? -rook : rook))
                return false;
        }
    return p->m.rights != 0;
}

static void prove_with_rights(struct proof *p, const struct ref_pos *r)
{
    struct ref_pos pos = *r;
    struct ref_value value;

    pos.rights = p->m.rights;
    assert_true(ref_value(p->ref, &pos, &value));
    prove_one(p, &pos, &value);
    p->castling++;
}

static void prove_legal(struct proof *p, const struct ref_pos *r, const struct ref_value *value)
{
    prove_one(p, r, value);
    for (unsigned i = 0; i < 4 && p->row->left[i]; i++)
        prove_with_left(p, r, p->row->left[i]);
    if (p->v->en_passant)
        prove_passing(p, r);
    if (at_home(p, r))
        prove_with_rights(p, r);
}

/* No two men on one square? */
static bool complete(const struct proof *p, const struct ref_pos *r)
{
    unsigned men = 0;

    for (unsigned sq = 0; sq < p->v->nsq; sq++)
        men += r->at[sq] != 0;
    return men == bk_material_men(&p->m, p->v);
}

static void prove_material(struct proof *p, const char *material)
{
    struct bk_report why = { "" };
    struct ref_value value;
    struct ref_pos r;

    if (bk_material_parse(&p->m, p->v, material, &why))
        fail_msg("%s: %s", material, why.text);
    p->swap = bk_material_swap(&p->m, p->v);
    p->ref = ref_solve(p->v, (const uint8_t(*)[BK_TYPES_MAX])p->m.count, NULL, 0);
    assert_non_null(p->ref);
    solve_others(p);
    for (uint64_t i = 0; i < ref_size(p->ref); i++) {
        if (ref_at(p->ref, i, &r, &value)) {
            prove_legal(p, &r, &value);
        } else if (complete(p, &r)) {
            struct bk_pos pos = proof_pos(p->v, &r);

            ask_illegal(p, &pos);
        }
    }
    ref_free(p->ref);
}

/* == A row == */

static void assert_about_the_rule(const struct proof *p)
{
    for (unsigned i = 0; is_off(p->row, i); i++)
        if (!p->other[i].differs)
            fail_msg("%s: %s would make no difference", p->row->name, p->row->off[i].what);
    if (p->row->occurs && !p->occurred)
        fail_msg("%s: does not occur", p->row->name);
    if (p->v->en_passant)
        assert_true(p->passing > 0);
    if (p->v->castling.allowed)
        assert_true(p->castling > 0);
}

static void tell(const struct proof *p, clock_t begin)
{
    if (getenv("RULES_TIMES"))
        print_message("%s: %llu answers, %.1f s\n", p->row->name, (unsigned long long)p->asked,
                      (double)(clock() - begin) / CLOCKS_PER_SEC);
}

static void prove(void **state)
{
    struct proof p = { .row = *state };
    clock_t begin = clock();

    p.v = parse(p.row->game);
    p.built = p.row->base ? on_terrain(p.row) : p.v;
    for (unsigned i = 0; i < 4 && p.row->material[i]; i++)
        build(&p, p.row->material[i]);
    open_library(&p);
    for (unsigned i = 0; i < 4 && p.row->material[i]; i++)
        prove_material(&p, p.row->material[i]);
    assert_about_the_rule(&p);
    tell(&p, begin);
    bk_close(p.lib);
    ref_moves_free(&p.moves);
    for (unsigned i = 0; i < OFFS_MAX; i++) {
        ref_free(p.other[i].ref);
        bk_variant_free(p.other[i].v);
    }
    if (p.built != p.v)
        bk_variant_free(p.built);
    bk_variant_free(p.v);
}

/* == Rules without a key of their own: where are they at work? == */

static unsigned others(const struct proof *p, const struct ref_pos *r, bool black)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < p->v->nsq; sq++)
        n += r->at[sq] && (r->at[sq] < 0) == black && abs(r->at[sq]) != p->v->royal + 1;
    return n;
}

/* Bare, not in check, without a move, and yet lost although stalemate draws. */
static bool bared_and_stalemated(const struct proof *p, const struct ref_pos *r,
                                 const struct ref_value *value, const struct bk_answer *a)
{
    struct ref_moves moves = { 0 };
    bool yes;

    if (others(p, r, r->stm) || value->wdl >= 0)
        return false;
    assert_int_equal(a->end, BK_LIB_BARE);
    ref_moves(p->v, r, &moves);
    yes = !moves.n && !ref_in_check(p->v, r, r->stm);
    ref_moves_free(&moves);
    return yes;
}

static bool two_kings(const struct proof *p, const struct ref_pos *r, const struct ref_value *value,
                      const struct bk_answer *a)
{
    if (others(p, r, false) || others(p, r, true))
        return false;
    assert_int_equal(value->wdl, 0);
    assert_int_equal(a->wdl, 0);
    return true;
}

/* Is there a right that cannot be used although the rook's way is free: the king's is not safe? */
static bool castling_forbidden(const struct proof *p, const struct ref_pos *r,
                               const struct ref_value *value, const struct bk_answer *a)
{
    unsigned us = r->stm, home = us ? (p->v->ranks - 1u) * p->v->files : 0;
    struct ref_moves moves = { 0 };
    bool castles = false;

    (void)value, (void)a;
    if (!(r->rights & REF_RIGHT(us, 0)))
        return false;
    for (unsigned file = 1; file < p->v->castling.king_file; file++)
        if (r->at[home + file])
            return false;
    ref_moves(p->v, r, &moves);
    for (unsigned i = 0; i < moves.n; i++)
        castles = castles || moves.move[i].wing >= 0;
    ref_moves_free(&moves);
    return !castles;
}

/* == The rows == */

static const struct row rows[] = {
    { .name = "rule__baring_wins",
      .game = GAME("4x4", NO_CORNERS BACK LOSS) SHATRANJ_MEN,
      .material = { "KRvK", "KRvKN", "KRNvKQ" },
      .off = { { "a bare king that plays on", { BACK, "bare-king = nothing\n" } } } },
    { .name = "rule__baring_back",
      .game = GAME("4x4", BACK LOSS) SHATRANJ_MEN,
      .material = { "KQvKN", "KRvKN" },
      .off = { { "no baring back", { BACK, WINS } } } },
    { .name = "rule__without_baring_back",
      .game = GAME("4x4", WINS LOSS) SHATRANJ_MEN,
      .material = { "KQvKN" },
      .off = { { "baring back", { WINS, BACK } } } },
    { .name = "rule__bared_and_stalemated",
      .game = GAME("4x4", BACK DRAW) SHATRANJ_MEN,
      .material = { "KRvK", "KNvK", "KRvKQ" },
      .occurs = bared_and_stalemated },
    { .name = "rule__stalemate_draws",
      .game = GAME("4x4", BACK DRAW) SHATRANJ_MEN,
      .material = { "KRvKN" },
      .off = { { "stalemate that loses", { DRAW, LOSS } } } },
    { .name = "rule__stalemate_loses",
      .game = GAME("4x4", BACK LOSS) SHATRANJ_MEN,
      .material = { "KRvKN" },
      .off = { { "stalemate that draws", { LOSS, DRAW } } } },
    { .name = "rule__two_kings_with_bare_king",
      .game = GAME("4x4", WINS LOSS) SHATRANJ_MEN,
      .material = { "KvK", "KQvKB" },
      .occurs = two_kings },
    { .name = "rule__two_kings_without_bare_king",
      .game = GAME("4x4", LOSS) SHATRANJ_MEN,
      .material = { "KvK", "KRvK", "KQvKB" },
      .occurs = two_kings },
    { .name = "rule__oliphant_and_warmachine",
      .game = GAME("5x4", BACK DRAW) GRAND_MEN,
      .material = { "KOvKL" },
      .off = { { "one step", { "steps = 2\nbend = straight\n", "" } },
               { "a free second step", { "straight", "free" } } } },
    { .name = "rule__zigzag_general_twisted_and_flexible_knight",
      .game = GAME("5x4", BACK DRAW) KING ATLANTEAN_MEN,
      .material = { "KTvKX", "KZvKN" },
      .off = { { "a straight second step", { "free", "straight" } } } },
    { .name = "rule__capture_at_the_end",
      .game = GAME("4x4", BACK DRAW) KING ATLANTEAN_MEN,
      .material = { "KTvKX" },
      .off = { { "capturing twice", { "bend = free\n", "bend = free\ntakes-twice = yes\n" } } } },
    { .name = "rule__jumping_king",
      .game = GAME("4x4", BACK DRAW) JUMPING_KING ATLANTEAN_MEN,
      .material = { "KTvKN" },
      .off = { { "a plain king", { "KAD", "K" } } } },
    { .name = "rule__pawns",
      .game = GAME("4x5", CUT BACK LOSS)
          SHATRANJ_MEN MAN("pawn", "P", "move = mfWcfF\nranks = 2-4\nbecomes = 5 must Q"),
      .material = { "KPvKN", "KPvKP" },
      .off = { { "moving as it takes", { "mfWcfF", "fF" } } } },
    { .name = "rule__promotion_to_what_is_lost",
      .game = SITTING,
      .material = { "KPvKN", "KPPvKN" },
      .off = { { "promotion to anything", { "may lost", "may", "must lost in-place", "must" } } } },
    { .name = "rule__ninth_may_tenth_must",
      .game = SITTING,
      .material = { "KPvKM", "KPvKN" },
      .off = { { "no promotion on the ninth", { "becomes = 3 may lost N M\n", "" } },
               { "a choice on the tenth", { "must", "may" } } } },
    { .name = "rule__sitting_on_the_tenth",
      .game = SITTING,
      .material = { "KPPvKN" },
      .off = { { "no step sideways", { "zone-ranks = 4\nzone-move = sW\n", "" } },
               { "no capture sideways", { "zone-move = sW", "zone-move = msW" } } } },
    { .name = "rule__promotion_of_a_sitter",
      .game = SITTING,
      .material = { "KPvKN" },
      .off = { { "no promotion in place", { "in-place ", "" } } } },
    { .name = "rule__no_double_step",
      .game = DOUBLE("", ""),
      .material = { "KPvKP" },
      .off = { { "a double step", { "ranks = 2-5\n", "ranks = 2-5\ndouble-step = 2\n" } } } },
    { .name = "rule__double_step_of_grand_shatranj",
      .game = DOUBLE("en-passant = yes\n", "double-step = 2"),
      .material = { "KPvKP" },
      .off = { { "no double step", { "en-passant = yes\n", "", "double-step = 2\n", "" } },
               { "no en passant", { "en-passant = yes\n", "" } } } },
    { .name = "rule__no_double_step_where_two_are_gone_anyway",
      .game = GAME("3x5", DRAW "en-passant = yes\n")
          KING MAN("oliphant", "O", "move = fWfF\nsteps = 2\ndouble-step = 1-2")
              MAN("pawn", "P", "move = mfWcfF\ndouble-step = 2"),
      .material = { "KOvKP", "KOvKO" },
      .off = { { "one step", { "steps = 2\n", "" } } } },
    { .name = "rule__gilded",
      .game = GAME("4x4", NO_CORNERS BACK DRAW)
          KING MAN("lightning-warmachine", "L", "move = WD\nsteps = 2\narmy = 1")
              MAN("rook", "R", "move = R\narmy = 1")
                  MAN("pawn", "P",
                      "move = mfWcfF\narmy = 2\nranks = 2-4\nzone-ranks = 4\nzone-move = sW\n"
                      "becomes = 3 may lost L R\nbecomes = 4 must lost in-place L R"),
      .material = { "KPPvKR" },
      .off = { { "two warmachines and no rook",
                 { "steps = 2\narmy = 1", "steps = 2\narmy = 2", "move = R\narmy = 1",
                   "move = R\narmy = 0" } },
               { "two of each", { "army = 1", "army = 2" } } } },
    { .name = "rule__commoner",
      .game = COMMONER("K"),
      .material = { "KPvKN" },
      .off = { { "a plain pawn", { "zone-ranks = 3-4\nzone-move = K\n", "" } },
               { "a duty to promote", { "may", "must" } } } },
    { .name = "rule__commoner_of_grand_shatranj",
      .game = GAME("4x4", NO_CORNERS BACK DRAW)
          KING MAN("lightning-warmachine", "L", "move = WD\nsteps = 2\narmy = 1")
              MAN("rook", "R", "move = R\narmy = 1")
                  MAN("pawn", "P",
                      "move = mfWcfF\narmy = 2\nranks = 2-4\nzone-ranks = 3-4\nzone-move = K\n"
                      "becomes = 3-4 may lost L R"),
      .material = { "KPvKR" },
      .off = { { "a pawn that sits",
                 { "zone-ranks = 3-4\nzone-move = K", "zone-ranks = 4\nzone-move = sW" } },
               { "a duty to promote", { "may", "must" } } } },
    { .name = "rule__jumper",
      .game = COMMONER("KAD"),
      .material = { "KPvKN" },
      .off = { { "a commoner", { "KAD", "K" } } } },
    { .name = "rule__double_captures",
      .game = GAME("4x4", NO_CORNERS BACK DRAW)
          KING MAN("twisted-knight", "T", "move = FA\nsteps = 2\nbend = free\ntakes-twice = yes")
              MAN("flexible-knight", "X", "move = WD\nsteps = 2\nbend = free\ntakes-twice = yes")
                  MAN("knight", "N", "move = N"),
      .material = { "KTvKX", "KTvKXN" },
      .off = { { "one capture a move", { "takes-twice = yes\n", "" } } } },
    { .name = "rule__the_atlanteans_own_game",
      .game = GAME("4x4", NO_CORNERS BACK DRAW) KING MAN(
          "twisted-knight", "T", "move = FA\nsteps = 2\nbend = free\ntakes-twice = yes\narmy = 1")
          MAN("pawn", "P",
              "move = mfWcfF\narmy = 2\nranks = 2-4\nzone-ranks = 3-4\nzone-move = KAD\n"
              "becomes = 3-4 may lost T"),
      .material = { "KTvKP", "KPvKP" },
      .off = { { "one capture a move", { "takes-twice = yes\n", "" } },
               { "a commoner", { "KAD", "K" } } } },
    { .name = "rule__evolution",
      .game = DARWINIAN,
      .material = { "KWvKF" },
      .off = { { "wazirs that stay wazirs", { "becomes = 2- may D\n", "" } },
               { "evolution from the third rank on", { "becomes = 2-", "becomes = 3-" } },
               { "a duty to evolve", { "may D", "must D" } } } },
    { .name = "rule__wazir_straight_to_rook_or_cannon",
      .game = DARWINIAN,
      .material = { "KWvKN" },
      .off = { { "the way over the war machine only",
                 { "becomes = 2- may D\nbecomes = 3- may counted R C", "becomes = 2- may D" } } } },
    { .name = "rule__lifetime_limits",
      .game = GAME("4x4", NO_CORNERS BACK DRAW "limits = R1 E1\n") KING MAN("rook", "R", "move = R")
          MAN("elephant", "E", "move = A") MAN("knight", "N", "move = N")
              MAN("wazir", "W", "move = W\nbecomes = 3- may counted R")
                  MAN("ferz", "F", "move = F\nbecomes = 2- may counted E"),
      .material = { "KWvKF", "KWWvKN" },
      .left = { "-", "R", "rRe" },
      .off = { { "no limits", { "limits = R1 E1\n", "limits = R9 E9\n" } } } },
    { .name = "rule__limits_on_some_ranks_only",
      .game = GAME("4x4", DRAW "limits = R1\n") KING MAN("rook", "R", "move = R\narmy = 1")
          MAN("wazir", "W", "move = W\nbecomes = 2 may counted R\nbecomes = 4 may R") MAN(
              "ferz", "F", "move = F\nbecomes = 2- may counted R\nbecomes = 3 may lost in-place R"),
      .material = { "KWWvK", "KFFvK", "KWvKF" },
      .left = { "-", "R" },
      .off = { { "counted on the fourth rank, too", { "4 may R", "4 may counted R" } },
               { "counted in no place", { "2 may counted R", "2 may R" } } } },
    { .name = "rule__nymph_horse",
      .game = NYMPHS,
      .material = { "KYvKU", "KYvKY" },
      .off = { { "both ways", { "fWfrF", "fWfF", "fWflF", "fWfF" } },
               { "capturing aslant only", { "fWfrF", "mfWfrF" } } } },
    { .name = "rule__nymph_on_the_ninth",
      .game = NYMPHS,
      .material = { "KYvKN" },
      .off = { { "a nymph that may stay", { "ranks = 1-3\n", "", "becomes = 4 must N\n", "" } } } },
    { .name = "rule__cannon",
      .game = GAME("4x4", BACK DRAW) KING MAN("cannon", "C", "move = mRcpR")
          MAN("rook", "R", "move = R"),
      .material = { "KCvKC", "KCvKR" },
      .off = { { "a rook", { "mRcpR", "R" } }, { "hops without capture", { "mRcpR", "pR" } } } },
    { .name = "rule__darwinian_pawns",
      .game = GAME("4x4", NO_CORNERS BACK DRAW "limits = R1\n") KING MAN("queen", "Q", "move = Q")
          MAN("rook", "R", "move = R") MAN("bishop", "B", "move = B") MAN("knight", "N", "move = N")
              MAN("wazir", "W", "move = W\nbecomes = 3- may counted R")
                  MAN("pawn", "P", "move = mfWcfF\nranks = 2-3\nbecomes = 4 must N R B Q"),
      .material = { "KPvKN", "KPvKW" },
      .left = { "-", "R" },
      .off = { { "promotion to a knight only", { "must N R B Q", "must N" } },
               { "a limit on pawns' rooks", { "must N R B Q", "must counted R" } } } },
    { .name = "rule__missing_corner",
      .game = GAME("5x4", "holes = d3 d4 e3 e4\n" BACK LOSS) SHATRANJ_MEN,
      .material = { "KRvKN", "KNvKR", "KBvKQ", "KQvKB" }, /* no colours to exchange */
      .off = { { "a full board", { "holes = d3 d4 e3 e4\n", "" } } } },
    { .name = "rule__castling_of_sultan",
      .game = CASTLING,
      .material = { "KRvKC+Q", "KRvKC+K" },
      .off = { { "two squares", { "= b f", "= c f", "= c e", "= d e" } } } },
    { .name = "rule__castling_conditions",
      .game = CASTLING,
      .material = { "KRvKR+Q" },
      .occurs = castling_forbidden },
    { .name = "rule__castling_on_another_rank",
      .game = GAME("6x5", "holes = a1 b1 c1 e1 a3 c3 d3 f3 b5 c5 d5 f5\n" DRAW
                          "castling-rook = R\ncastling-rank = 2\n"
                          "castling-king-file = d\ncastling-rook-files = a f\n"
                          "castling-king-to = b f\ncastling-rook-to = c e\n")
          KING MAN("rook", "R", "move = R") MAN("courier", "C", "move = AD"),
      .material = { "KRvKC+Q", "KRvKR+Kq" },
      .off = { { "no castling",
                 { "castling-rook = R\ncastling-rank = 2\n"
                   "castling-king-file = d\ncastling-rook-files = a f\n"
                   "castling-king-to = b f\ncastling-rook-to = c e\n",
                   "" } } } },
    { .name = "rule__castling_rights_in_tables",
      .game = CASTLING,
      .material = { "KRvKR+Qq", "KRvKR+Kq", "KCvKR+q" },
      .off = { { "no castling",
                 { "castling-rook = R\ncastling-king-file = e\ncastling-rook-files = a f\n"
                   "castling-king-to = b f\ncastling-rook-to = c e\n",
                   "" } } } },
    { .name = "rule__promotion_of_sultan",
      .game = GAME("4x4", NO_CORNERS DRAW) KING MAN("queen", "Q", "move = Q")
          MAN("rook", "R", "move = R") MAN("bishop", "B", "move = B") MAN("knight", "N", "move = N")
              MAN("courier", "C", "move = AD")
                  MAN("pawn", "P", "move = mfWcfF\nranks = 2-3\nbecomes = 4 must Q R B N C"),
      .material = { "KPvKC", "KPvKR" },
      .off = { { "bishop, knight or courier only", { "must Q R B N C", "must B N C" } },
               { "queen or courier only", { "must Q R B N C", "must Q C" } } } },
    { .name = "rule__frozen_terrain",
      .game = GAME("4x5", "holes = a1 b1 b3 c5 d5\n" BACK DRAW) KING MAN(
          "jumping-general", "J", "move = KAD\narmy = 1") MAN("minister", "M",
                                                              "move = NDW\narmy = 1")
          MAN("high-priestess", "H", "move = NAF\narmy = 1") MAN(
              "oliphant",
              "O", "move = FA\nsteps = 2\narmy = 2") MAN("knight", "N", "move = N\narmy = 2")
              MAN("lightning-warmachine", "L", "move = WD\nsteps = 2\narmy = 2") MAN(
                  "pawn",
                  "P",
                  "move = mfWcfF\narmy = 10\nranks = 3-5\nzone-ranks = 5\nzone-move = sW\n"
                  "becomes = 4 may lost J M H O N L\nbecomes = 5 must lost in-place J M H O N L"),
      .material = { "KOvKL", "KLvKO", "KPvKJ" },
      .base = "grand-shatranj",
      .board = "2**/4/1*2/4/**2",
      .off = { { "no sea", { "holes = a1 b1 b3 c5 d5\n", "" } } } },
    { .name = "rule__en_passant",
      .game = GAME("4x5", DRAW "en-passant = yes\n") KING MAN("courier", "C", "move = AD")
          MAN("pawn", "P", "move = mfWcfF\nranks = 2-4\ndouble-step = 2\nbecomes = 5 must C"),
      .material = { "KPvKP" },
      .off = { { "no en passant", { "en-passant = yes\n", "" } } } },
    { .name = "rule__en_passant_where_stalemate_loses",
      .game = GAME("4x5", CUT LOSS "en-passant = yes\n") KING MAN("courier", "C", "move = AD")
          MAN("pawn", "P", "move = mfWcfF\nranks = 2-4\ndouble-step = 2\nbecomes = 5 must C"),
      .material = { "KPvKP" },
      .off = { { "stalemate that draws", { LOSS, DRAW } } } },
};

#define ROWS (sizeof rows / sizeof *rows)

/* == Rules that ask something else == */

#define TURNS 5

/* All positions at every turn of a short game: a win stands if its plies are left. */
static void rule__fifty_turns(void **state)
{
    static const struct row row = {
        .name = "rule__fifty_turns",
        .game = GAME("4x4", BACK DRAW "game-length-turns = 5\n") SHATRANJ_MEN,
        .material = { "KRvKN" },
    };
    struct proof p = { .row = &row };
    uint64_t late = 0, in_time = 0;
    clock_t begin = clock();
    struct ref_value value;
    struct ref_pos r;

    (void)state;
    p.v = p.built = parse(row.game);
    build(&p, row.material[0]);
    open_library(&p);
    assert_int_equal(bk_material_parse(&p.m, p.v, row.material[0], NULL), BK_OK);
    p.ref = ref_solve(p.v, (const uint8_t(*)[BK_TYPES_MAX])p.m.count, NULL, 0);
    for (uint64_t i = 0; i < ref_size(p.ref); i++) {
        struct bk_pos pos;

        if (!ref_at(p.ref, i, &r, &value))
            continue;
        pos = proof_pos(p.v, &r);
        for (pos.turn = 1; pos.turn <= TURNS + 1; pos.turn++) {
            int left = 2 * (TURNS + 1 - pos.turn) - (pos.stm == BK_BLACK);
            bool after = left < 0; /* the last move was one too many */
            struct bk_answer a;

            left = after ? 0 : left;
            said(&p, &pos, proof_ask_fen(p.lib, p.v, &pos, &a), &a, &value);
            assert_int_equal(a.plies_left, left);
            assert_true(a.clocked_known);
            assert_int_equal(a.clocked_wdl, !after && value.dtw <= left ? value.wdl : 0);
            late += a.wdl && !a.clocked_wdl;
            in_time += a.wdl && a.clocked_wdl;
        }
    }
    assert_true(late > 1000 && in_time > 1000);
    tell(&p, begin);
    ref_free(p.ref);
    bk_close(p.lib);
    bk_variant_free(p.v);
}

/* == Games with hands, solved whole == */

/* On the board of puzzle-mini. */
static const struct hands_rules puzzle = {
    .board = "4x4",
    .holes = "c3 d3 c4 d4",
    .bare = "wins-unless-bared-back",
    .stalemate = "loss",
    .configuration = "2x2",
};
/* Half of it, two boxes: two men can have one in each. */
static const struct hands_rules two_boxes = {
    .board = "4x4",
    .holes = "a3 b3 c3 d3 a4 b4 c4 d4",
    .bare = "wins-unless-bared-back",
    .stalemate = "loss",
    .configuration = "2x2",
    .ferzes = 1,
};

/* Counts of states with a man in hand, and of states with another value without hands. */
struct in_hand {
    const struct bk_variant *v;
    struct ref_table *ref; /* of the game without hands */
    uint64_t held, changed;
};

static void look_for_hands(void *context, const struct hands_state *s)
{
    struct in_hand *h = context;
    struct ref_value value;
    struct ref_pos r;

    h->held += !strstr(s->fen, "[-]");
    if (strstr(s->fen, "[-]") && ref_from_fen(h->v, s->fen, &r) && ref_value(h->ref, &r, &value))
        h->changed += value.wdl != s->wdl || value.dtw != s->dtw;
}

static void rule__hands(void **state)
{
    struct hands_rules r = puzzle;
    struct bk_variant *v;
    struct in_hand h = { 0 };
    uint8_t count[2][BK_TYPES_MAX] = { { 1, 0, 0, 0, 2 }, { 1, 0, 0, 1 } };

    (void)state;
    r.configuration = "none"; /* what is left is the hands */
    v = hands_game(&r);
    assert_int_equal(hands_check_army(v, "KAAkf"), 0);
    h.v = v;
    h.ref = ref_solve(v, (const uint8_t(*)[BK_TYPES_MAX])count, NULL, 0);
    hands_each(v, "KAAkf", look_for_hands, &h);
    assert_true(h.held > 1000);
    assert_true(h.changed > 0);
    ref_free(h.ref);
    bk_variant_free(v);
}

/* Both solvers agree on `rules`, and some state of the men has another value by `otherwise`. */
static void prove_hands(struct hands_rules rules, struct hands_rules otherwise, const char *men,
                        bool from_empty)
{
    struct bk_variant *v = hands_game(&rules), *other = hands_game(&otherwise);

    assert_int_equal(from_empty ? hands_check_opening(v, men) : hands_check_army(v, men), 0);
    assert_true(hands_changed(v, other, men, from_empty) > 0);
    bk_variant_free(other);
    bk_variant_free(v);
}

static void rule__configuration(void **state)
{
    struct hands_rules without = puzzle;

    (void)state;
    without.configuration = "none";
    prove_hands(puzzle, without, "KAAkf", false);
}

static void rule__no_recapture(void **state)
{
    struct hands_rules r = two_boxes, otherwise = two_boxes;

    (void)state;
    r.no_recapture = true;
    prove_hands(r, otherwise, "KRNkf", false);
}

static void rule__bonus_turns(void **state)
{
    struct hands_rules r = puzzle, otherwise;

    (void)state;
    r.board = "3x3"; /* three boxes */
    r.holes = "c3";
    r.no_recapture = true;
    otherwise = r;
    r.bonus = true;
    prove_hands(r, otherwise, tries_all() ? "KRNkfn" : "KRNkf", false);
}

/* Games from the empty board on; a configuration counts before the kings are down, too. */
static void rule__opening_drops(void **state)
{
    struct hands_rules r = two_boxes, without = two_boxes;
    struct bk_variant *v;

    (void)state;
    without.configuration = "none";
    prove_hands(r, without, "FKfk", true);
    r.ferzes = 2; /* on bindings of their own */
    v = hands_game(&r);
    assert_int_equal(hands_check_opening(v, "FFKffk"), 0);
    bk_variant_free(v);
}

static void rule__no_checks_at_first(void **state)
{
    struct hands_rules r = puzzle, at_once;

    (void)state;
    r.ferzes = 0;
    r.rooks = 1;
    r.quiet = 5;
    at_once = r;
    at_once.quiet = 0;
    prove_hands(r, at_once, "KRkr", true);
}

/* The letter of the line: only the man who moves may not check, so a king may step on or off his
   cannon's line. */
static void rule__no_checks_by_moves_at_first(void **state)
{
    struct hands_rules r = puzzle, any;

    (void)state;
    r.configuration = "none";
    r.ferzes = 0;
    r.cannons = 1;
    r.quiet = 3;
    any = r;
    r.quiet_moves = true;
    prove_hands(r, any, "CKck", true);
}

static void ask_small_army(void *context, const struct hands_state *s)
{
    struct proof *p = context;
    struct ref_value value = { (int8_t)s->wdl, (uint16_t)s->dtw };
    struct ref_pos r;
    struct bk_pos pos;

    if (!strstr(s->fen, "[-]")) {
        p->occurred++; /* after the end: what is in hand does not come back */
        return;
    }
    assert_true(ref_from_fen(p->v, s->fen, &r));
    pos = proof_pos(p->v, &r);
    ask(p, &pos, &value);
}

/* Compares ordinary tables of a game with hands with the slow solver that knows hands. */
static void rule__small_armies(void **state)
{
    char text[HANDS_TEXT_MAX];
    struct row row = { .name = "rule__small_armies", .game = hands_text(&puzzle, text) };
    struct proof p = { .row = &row };
    clock_t begin = clock();

    (void)state;
    p.v = p.built = parse(row.game);
    build(&p, "KRvKA");
    open_library(&p);
    hands_each(p.v, "KRka", ask_small_army, &p);
    assert_true(p.asked > 10000);
    tell(&p, begin);
    bk_close(p.lib);
    bk_variant_free(p.v);
}

/* == All == */

int main(void)
{
    const struct CMUnitTest more[] = {
        cmocka_unit_test_setup_teardown(rule__fifty_turns, set_up, tear_down),
        cmocka_unit_test(rule__hands),
        cmocka_unit_test(rule__no_recapture),
        cmocka_unit_test(rule__bonus_turns),
        cmocka_unit_test(rule__configuration),
        cmocka_unit_test(rule__opening_drops),
        cmocka_unit_test(rule__no_checks_at_first),
        cmocka_unit_test(rule__no_checks_by_moves_at_first),
        cmocka_unit_test_setup_teardown(rule__small_armies, set_up, tear_down),
    };
    const size_t nmore = sizeof more / sizeof *more;
    struct CMUnitTest tests[ROWS + sizeof more / sizeof *more];

    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, prove, set_up, tear_down, (void *)&rows[i] };
    memcpy(tests + ROWS, more, sizeof more);
    if (getenv("RULES_ONLY"))
        cmocka_set_test_filter(getenv("RULES_ONLY"));
    return _cmocka_run_group_tests("rules", tests, ROWS + nmore, NULL, NULL);
}
