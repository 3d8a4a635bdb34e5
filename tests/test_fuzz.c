/*
 * test_fuzz.c - games nobody has played, solved twice.
 *
 *   test_fuzz [N [SEED [FEN]]]   N random cases (100) from SEED (1) on; with a
 *                                FEN, what both solvers say of it in each
 *
 * A case is a random game and material.  The game is written as a variant file;
 * the fast solver makes the material's table and every table that it can lead to
 * as files, and libbareking answers from them.  The slow solver of tests/ref.c
 * solves the game as it was drawn.  Then all positions of both sides are
 * compared: legality, win, draw or loss, distance, clock.  How the fast solver
 * runs (instruction set, width of a set, threads, memory, compression, with or
 * without distances) is drawn, too.  A few cases are games with hands, which
 * tests/slow_hands.c compares state by state.
 *
 * The first difference ends the run with the game, the position, both values
 * and the line that replays the case: test_fuzz 1 SEED.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/attack.h"
#include "core/geometry.h"
#include "core/load.h"
#include "core/move.h"
#include "table/index_new.h"
#include "tb/kernel/kernel.h"
#include "tb/make/build.h"
#include "tb/solve/prepare.h"
#include "tests/feature.h"
#include "tests/proof.h"
#include "tests/random_variant.h"
#include "tests/slow_hands.h"
#include "tests/slow_land.h"
#include "tests/variant_ini.h"

#define NODES_MAX 400000 /* of the slow solver, all materials of a case together */
#define SAMPLES   300    /* positions of each smaller material */

/* == One case == */

struct setting {
    const char *kernel;
    const char *set_bits;
    unsigned threads;
    bool distances;
    unsigned k_max; /* plies / 2 above it take two bytes */
    enum bk_strategy largest;
    bool tight; /* so little memory that tables are solved anew */
    bool packs; /* tables that wait for others are packed meanwhile */
    enum bk_effort effort;
    bool standalone;
};

struct fuzz {
    uint64_t seed; /* replays the case */
    uint64_t state;
    struct bk_variant drawn; /* what the slow solver solves */
    struct bk_variant *v;    /* the same, from its file */
    uint8_t count[2][BK_TYPES_MAX];
    uint8_t rights; /* castling rights of the material being compared */
    struct setting how;
    char dir[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16]; /* of the tables, of the game */
    struct bk_lib *lib;
    struct bk_plan *plan;      /* all tables made */
    bool two_bytes, shuffling; /* does some table have these? */
    struct bk_pool *pool;
    struct ref_table *ref;
    struct ref_table *counted; /* with an n-move rule; NULL: the game has none */
    bool five_first;           /* its files are made first, and answer for plain results */
    const char *fen;           /* asked for, or NULL */
    uint64_t compared;         /* positions, over all cases */
    uint64_t by_ranks;         /* cases that several processes made again */
    uint64_t ruled, late;      /* cases with an n-move rule; positions that it draws */
    uint64_t seen[FEATURES];   /* cases */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

static void describe(const struct fuzz *f)
{
    printf("\nreplay: build/tests/test_fuzz 1 %llu\n", (unsigned long long)f->seed);
    printf("; kernel %s, sets of %s bits, %u threads, %s, one byte up to %u, %s memory, groups up "
           "to %d, effort %d%s\n",
           f->how.kernel, f->how.set_bits, f->how.threads,
           f->how.distances ? "with distances" : "without distances", f->how.k_max,
           f->how.tight   ? "little"
           : f->how.packs ? "packed"
                          : "enough",
           f->how.largest, f->how.effort, f->how.standalone ? ", standalone" : "");
    variant_print_ini(stdout, &f->drawn, (const uint8_t(*)[BK_TYPES_MAX])f->count);
}

/* Prints why a case cannot go on; returns false. */
static bool failed(const char *what, const struct bk_report *why)
{
    printf("\n%s: %s\n", what, why->text);
    return false;
}

/* == Tables, made as the command makes them == */

static int64_t longest(const struct bk_summary *s)
{
    int64_t plies = -1;

    for (unsigned side = 0; side < 2; side++) {
        plies = s->win_plies[side] > plies ? s->win_plies[side] : plies;
        plies = s->loss_plies[side] > plies ? s->loss_plies[side] : plies;
    }
    return plies;
}

/* Can no man be the inner one, and has a cell two squares or more?  kings.c solves such blocks. */
static bool has_shuffling(const struct bk_variant *v, const struct bk_material *m)
{
    struct bk_index *ix;
    bool some = false, inner = false;

    if (bk_index_new(&ix, v, m, NULL, NULL))
        return false;
    for (unsigned slot = 0; slot < ix->nslots; slot++) {
        inner = inner || bk_setup_can_be_inner(ix, slot);
        for (unsigned cell = 0; cell < ix->cells[slot]->n; cell++)
            some = some || ix->cells[slot]->size[cell] > 1;
    }
    bk_index_free(ix);
    return some && !inner;
}

static void built(void *context, const struct bk_built *b)
{
    struct fuzz *f = context;

    f->shuffling = f->shuffling || has_shuffling(f->v, &b->table->m);
    if (f->how.k_max < BK_CODE_K_MAX)
        f->two_bytes = f->two_bytes || longest(&b->summary) / 2 > (int64_t)f->how.k_max;
}

/* Was any table of the plan solved by `strategy`? */
static bool solved_so(const struct bk_plan *p, enum bk_strategy strategy)
{
    bool any = false;

    for (unsigned i = 0; i < p->n; i++)
        any = any || p->table[i].strategy == strategy;
    return any;
}

/* Makes the files by the n-move rule, too. */
static bool build_zeroing(struct fuzz *f, const struct bk_material *m, unsigned n)
{
    const struct bk_build_options o = { .pool = f->pool,
                                        .effort = f->how.effort,
                                        .standalone = f->how.standalone,
                                        .k_max = f->how.k_max,
                                        .frugal = f->how.tight,
                                        .packs = f->how.packs,
                                        .largest = f->how.largest };
    struct bk_report why = { "" };
    struct bk_plan *plan = NULL;
    enum bk_err err = bk_plan_new(&plan, f->v, f->dir, m, n, 0, true, &why);

    if (!err)
        err = bk_plan_to_zeroing(plan, false, &why);
    if (!err)
        err = bk_build(plan, &o, &why);
    bk_plan_free(plan);
    return !err || failed("not built to zeroing", &why);
}

static bool build(struct fuzz *f, const struct bk_material *m, unsigned n)
{
    struct bk_build_options o = { .pool = f->pool,
                                  .effort = f->how.effort,
                                  .standalone = f->how.standalone,
                                  .k_max = f->how.k_max,
                                  .frugal = f->how.tight,
                                  .packs = f->how.packs,
                                  .largest = f->how.largest,
                                  .context = f,
                                  .built = built };
    struct bk_report why = { "" };
    enum bk_err err;

    if (f->five_first && !build_zeroing(f, m, n))
        return false;
    err = bk_plan_new(&f->plan, f->v, f->dir, m, n, 0, f->how.distances, &why);
    if (err)
        return failed("no plan", &why);
    f->two_bytes = f->shuffling = false;
    err = bk_build(f->plan, &o, &why);
    f->seen[LITTLE_MEMORY] += f->how.tight && f->plan->n > 1;
    f->seen[PACKED] += f->how.packs && f->plan->n > 2;
    f->seen[TWO_BYTES] += f->two_bytes;
    f->seen[SHUFFLING] += f->shuffling;
    f->seen[GROUPS] += solved_so(f->plan, BK_GROUPS);
    f->seen[WIDE_GROUPS] += solved_so(f->plan, BK_WIDE);
    f->seen[COMPACT] += solved_so(f->plan, BK_COMPACT);
    if (err)
        return failed("not built", &why);
    return !f->counted || f->five_first || build_zeroing(f, m, n);
}

/* == Asking == */

/* A solver's answer; `value` means nothing for an illegal position. */
struct said {
    bool legal;
    struct ref_value value;
};

static bool plain(const struct fuzz *f, const struct bk_pos *p)
{
    return p->ep == BK_SQ_NONE && !p->rights && p->turn == 1 && !p->clock &&
           !memcmp(p->left[0], f->v->limit, sizeof p->left[0]) &&
           !memcmp(p->left[1], f->v->limit, sizeof p->left[1]);
}

static enum bk_lib_err ask(struct fuzz *f, const struct bk_pos *p, struct bk_answer *a)
{
    if (plain(f, p) && !random_once_in(&f->state, 16))
        return proof_ask_men(f->lib, f->v, p, a);
    return proof_ask_fen(f->lib, f->v, p, a);
}

/* Does the library say of a position at its counter what follows from the slow solver's distance to
   zeroing? */
static bool counter_is_right(struct fuzz *f, const struct bk_pos *p, const struct bk_answer *a)
{
    unsigned n = f->v->nmove.plies, left = p->clock < n ? n - p->clock : 0;
    struct ref_pos r = proof_ref(f->v, p);
    struct ref_value slow;

    if (!ref_value(f->counted, &r, &slow))
        return true; /* too much for it */
    f->late += slow.wdl && slow.dtw > n;
    return a->wdl5 == slow.wdl * (slow.dtw <= n ? 2 : 1) && a->plies_left == (int)left &&
           a->dtz == (slow.wdl ? slow.dtw : -1) && a->clocked_known &&
           a->clocked_wdl == (slow.wdl && slow.dtw + p->clock > n ? 0 : slow.wdl);
}

/* Is the library's clocked answer what follows from the slow distance and the plies left? */
static bool clock_is_right(struct fuzz *f, const struct bk_pos *p, const struct bk_answer *a,
                           const struct ref_value *slow)
{
    int left = 2 * (f->v->game_turns + 1 - p->turn) - (p->stm == BK_BLACK);
    bool late;

    if (f->counted && a->end == BK_LIB_GOES_ON)
        return counter_is_right(f, p, a);
    if (!f->v->game_turns && f->counted)
        return a->clocked_wdl == a->wdl && a->clocked_known;
    if (!f->v->game_turns)
        return a->plies_left == -1 && a->clocked_wdl == a->wdl && a->clocked_known;
    late = left < 0;
    left = late ? 0 : left;
    if (a->plies_left != left)
        return false;
    if (!a->clocked_known)
        return !f->how.distances;
    return a->clocked_wdl == (!late && slow->dtw <= left ? slow->wdl : 0);
}

static void print_said(const char *who, const struct said *s)
{
    if (!s->legal)
        printf("  %s: illegal", who);
    else if (!s->value.wdl)
        printf("  %s: draw", who);
    else
        printf("  %s: %s in %u", who, s->value.wdl > 0 ? "win" : "loss", s->value.dtw);
}

static void print_asked(struct fuzz *f, const struct bk_pos *p)
{
    struct bk_answer a;
    enum bk_lib_err err = proof_ask_fen(f->lib, f->v, p, &a);

    if (err)
        printf("  files: %s", err == BK_LIB_ILLEGAL ? "illegal" : bk_error(f->lib));
    else if (!a.wdl)
        printf("  files: draw");
    else
        printf("  files: %s in %d", a.wdl > 0 ? "win" : "loss", a.dtw);
    if (!err && f->v->game_turns)
        printf(" (turn %u, %d plies left: %+d)", p->turn, a.plies_left, a.clocked_wdl);
}

static struct said slow_of(struct fuzz *f, const struct bk_pos *p)
{
    struct ref_pos r = proof_ref(f->v, p);
    struct said s = { .value = { 0, 0 } };

    s.legal = ref_value(f->ref, &r, &s.value);
    return s;
}

/* Prints what the files and the slow solver say of a position. */
static void print_both(struct fuzz *f, const struct bk_pos *p)
{
    struct said slow = slow_of(f, p);

    print_asked(f, p);
    print_said("slow", &slow);
    printf("\n");
}

static void print_moves(struct fuzz *f, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(f->v, p, move);

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *p;
        char name[16];

        bk_pos_play(&after, f->v, &move[i]);
        printf("  %-10s", bk_move_name(f->v, &move[i], name));
        print_both(f, &after);
    }
}

/* == Comparing == */

/* Sets `m` to the material with all allowances, in its table's colours; true: they are exchanged.
 */
static bool material_of(const struct fuzz *f, const struct bk_variant *v, struct bk_material *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->count, f->count, sizeof m->count);
    memcpy(m->left[0], v->limit, sizeof m->left[0]);
    memcpy(m->left[1], v->limit, sizeof m->left[1]);
    m->rights = f->rights;
    bk_material_normalise(m, v);
    return bk_material_canonical(m, v);
}

static bool same(struct fuzz *f, const struct bk_pos *p, const struct said *slow)
{
    struct bk_answer a;
    enum bk_lib_err err = ask(f, p, &a);
    char fen[BK_FEN_MAX];

    f->compared++;
    if (err == BK_LIB_ILLEGAL && !slow->legal)
        return true;
    if (!err && slow->legal && proof_same(&a, &slow->value, f->how.distances) &&
        clock_is_right(f, p, &a, &slow->value))
        return true;
    printf("\nDIFFERENCE at %s\n", bk_pos_to_fen(p, f->v, fen));
    print_asked(f, p);
    print_said("slow", slow);
    printf("\n");
    print_moves(f, p);
    return false;
}

/* Compares the position with the colours exchanged, if the board allows it. */
static bool same_exchanged(struct fuzz *f, const struct bk_pos *p, const struct said *slow)
{
    struct bk_material m;
    struct bk_pos q;
    int sym;

    bk_material_of(&m, f->v, p);
    sym = bk_material_swap(&m, f->v);
    if (sym < 0)
        return true;
    q = proof_exchanged(f->v, p, (unsigned)sym);
    return same(f, &q, slow);
}

/* Compares the positions after each double step, with their en passant squares. */
static bool same_passing(struct fuzz *f, const struct ref_pos *r, struct ref_moves *moves)
{
    ref_moves(&f->drawn, r, moves);
    for (unsigned i = 0; i < moves->n; i++) {
        struct ref_pos after = *r;
        struct said slow;
        struct bk_pos p;

        if (moves->move[i].ep == BK_SQ_NONE)
            continue;
        ref_apply(&f->drawn, &after, &moves->move[i]);
        p = proof_pos(f->v, &after);
        slow = slow_of(f, &p);
        if (!same(f, &p, &slow))
            return false;
    }
    return true;
}

/* Are there as many moves as the slow generator finds, the best with the position's value? */
static bool same_moves(struct fuzz *f, const struct bk_pos *p, const struct ref_pos *r,
                       const struct said *slow, struct ref_moves *moves)
{
    struct bk_lib_move best = { .name = "" };
    struct bk_answer a;
    char fen[BK_FEN_MAX];
    size_t n;

    bk_pos_to_fen(p, f->v, fen);
    if (bk_probe_fen(f->lib, fen, &a) || bk_probe_moves(f->lib, fen, &best, 1, &n)) {
        printf("\nDIFFERENCE at %s: %s\n", fen, bk_error(f->lib));
        return false;
    }
    ref_moves(&f->drawn, r, moves);
    if (a.end != BK_LIB_GOES_ON)
        moves->n = 0;
    if (n == moves->n &&
        (!n || (best.wdl == slow->value.wdl && (!f->how.distances || best.dtw == a.dtw))))
        return true;
    printf("\nDIFFERENCE in moves at %s: %zu, the best %s %+d in %d; slow %u\n", fen, n, best.name,
           best.wdl, best.dtw, moves->n);
    print_moves(f, p);
    return false;
}

/* Compares one position of the slow solver's list; by chance in the other ways to ask, too. */
static bool same_all_ways(struct fuzz *f, const struct ref_pos *r, const struct said *slow,
                          struct ref_moves *moves)
{
    struct bk_pos p = proof_pos(f->v, r);

    if (f->v->game_turns && random_once_in(&f->state, 4))
        p.turn = (uint16_t)(1 + random_below(&f->state, f->v->game_turns + 2u));
    if (f->counted) /* at any counter */
        p.clock = (uint16_t)(f->compared % (f->v->nmove.plies + 2u));
    if (!same(f, &p, slow))
        return false;
    p.turn = 1;
    p.clock = 0;
    if (random_once_in(&f->state, 8) && !same_exchanged(f, &p, slow))
        return false;
    if (slow->legal && random_once_in(&f->state, 50) && !same_moves(f, &p, r, slow, moves))
        return false;
    return !slow->legal || !f->v->en_passant || !random_once_in(&f->state, 3) ||
           same_passing(f, r, moves);
}

/* Are the kings and rooks of the castling rights f->rights at home? */
static bool has_rights(const struct fuzz *f, const struct ref_pos *r)
{
    for (unsigned right = 0; right < 4; right++)
        for (unsigned rook = 0; rook < 2 && f->rights >> right & 1; rook++) {
            unsigned sq = rook ? bk_right_home(f->v, right) : bk_right_king(f->v, right);
            int code = (rook ? f->v->castling.rook : f->v->royal) + 1;

            if (r->at[sq] != (right / 2 ? -code : code))
                return false;
        }
    return true;
}

/* Are all men of the material on squares of their own? */
static bool complete(const struct fuzz *f, const struct ref_pos *r)
{
    unsigned men = 0;

    for (unsigned sq = 0; sq < f->v->nsq; sq++)
        men += r->at[sq] != 0;
    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < f->v->ntypes; t++)
            men -= f->count[c][t];
    return men == 0;
}

/*
 * Compares each placement of the material, which the slow solver's list has once.
 * sum: legal positions by side to move and result (loss, draw, win); sum[0][0] is
 * UINT64_MAX if the slow solver would have to solve too much.
 */
static bool compare_all(struct fuzz *f, uint64_t sum[2][3])
{
    uint64_t n = ref_size(f->ref);
    struct ref_moves moves = { 0 };
    bool ok = true;

    for (uint64_t i = 0; ok && i < n; i++) {
        struct said slow = { .value = { 0, 0 } };
        struct ref_pos r;

        slow.legal = ref_at(f->ref, i, &r, &slow.value);
        if (f->rights) {
            if (!slow.legal || !has_rights(f, &r))
                continue;
            r.rights = f->rights;
            if (!ref_value(f->ref, &r, &slow.value)) {
                sum[0][0] = UINT64_MAX;
                break;
            }
        }
        if (slow.legal)
            sum[r.stm][slow.value.wdl + 1]++;
        if (complete(f, &r))
            ok = same_all_ways(f, &r, &slow, &moves);
    }
    ref_moves_free(&moves);
    return ok;
}

/* Compares up to SAMPLES positions of a table, chosen by number. */
static bool compare_samples(struct fuzz *f, const struct bk_index *ix)
{
    for (unsigned i = 0; i < SAMPLES && ix->positions; i++) {
        uint64_t number =
            ix->positions <= SAMPLES / 2 ? i / 2 : bk_chance_next(&f->state) % ix->positions;
        struct bk_placement at;
        struct bk_pos p;
        struct said slow;

        if (number >= ix->positions)
            break;
        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, i & 1, &p))
            continue;
        slow = slow_of(f, &p);
        if (!slow.legal && bk_pos_legal(f->v, &p))
            continue; /* too much for the slow solver */
        if (!same(f, &p, &slow))
            return false;
    }
    return true;
}

static bool compare_smaller(struct fuzz *f)
{
    bool ok = true;

    for (unsigned i = 0; ok && i < f->plan->n; i++) {
        struct bk_report why = { "" };
        struct bk_index *ix;

        if (bk_index_new(&ix, f->v, &f->plan->table[i].m, NULL, &why))
            return failed("no index", &why);
        ok = compare_samples(f, ix);
        bk_index_free(ix);
    }
    return ok;
}

/* Counts legal positions by side to move, one for each class of mirrored ones. */
static void count_classes(const struct bk_index *ix, uint64_t classes[2])
{
    for (uint64_t i = 0; i < ix->positions; i++)
        for (unsigned stm = 0; stm < 2; stm++) {
            struct bk_placement at;
            struct bk_pos p;

            bk_index_unrank(ix, i, &at);
            classes[stm] += bk_index_is_first(ix, i, &at) && bk_index_position(ix, &at, stm, &p) &&
                            bk_pos_legal(ix->v, &p);
        }
}

static bool compare_summary(const struct bk_summary *s, const uint64_t classes[2],
                            uint64_t sum[2][3], bool swap)
{
    for (unsigned stm = 0; stm < 2; stm++) {
        const uint64_t *slow = sum[stm ^ swap];

        if (s->all_loss[stm] == slow[0] && s->all_draw[stm] == slow[1] &&
            s->all_win[stm] == slow[2] && s->win[stm] + s->draw[stm] + s->loss[stm] == classes[stm])
            continue;
        printf("\nDIFFERENCE in counts, %s to move (colours exchanged: %d)\n",
               stm ? "black" : "white", swap);
        printf("file, all: %llu %llu %llu, classes %llu %llu %llu\n",
               (unsigned long long)s->all_win[stm], (unsigned long long)s->all_draw[stm],
               (unsigned long long)s->all_loss[stm], (unsigned long long)s->win[stm],
               (unsigned long long)s->draw[stm], (unsigned long long)s->loss[stm]);
        printf("slow, all: %llu %llu %llu, classes together %llu\n", (unsigned long long)slow[2],
               (unsigned long long)slow[1], (unsigned long long)slow[0],
               (unsigned long long)classes[stm]);
        return false;
    }
    return true;
}

/* Compares the counts in the head: all placements, and one for each class of mirrored ones. */
static bool compare_counts(struct fuzz *f, uint64_t sum[2][3])
{
    struct bk_report why = { "" };
    uint64_t classes[2] = { 0, 0 };
    struct bk_material m;
    struct bk_file *file;
    char path[PATH_MAX];
    bool swap = material_of(f, f->v, &m), ok;

    if (bk_material_by_rule(&m, f->v))
        return true;
    if (bk_file_open(
            &file,
            bk_table_path(path, f->dir, f->v, &m, f->five_first ? BK_KIND_FIVE : BK_KIND_WDL), f->v,
            &why))
        return failed("no file", &why);
    count_classes(bk_file_index(file), classes);
    ok = compare_summary(&bk_file_info(file)->summary, classes, sum, swap);
    bk_file_close(file);
    return ok;
}

static void answer(struct fuzz *f)
{
    struct bk_report why = { "" };
    struct bk_pos p;

    if (bk_pos_from_fen(&p, f->v, f->fen, &why)) {
        printf("%s\n", why.text);
        return;
    }
    printf("%s\n  itself    ", f->fen);
    print_both(f, &p);
    print_moves(f, &p);
}

/* == Drawing == */

static bool shows(const struct fuzz *f, enum feature feature)
{
    return feature_shows(&f->drawn, (const uint8_t(*)[BK_TYPES_MAX])f->count, feature);
}

static void draw_variant(struct fuzz *f)
{
    static const unsigned squares[] = { 12, 16, 20, 30 };
    struct random_opts opts = { RANDOM_ALL, squares[random_below(&f->state, 4)] };

    if (random_once_in(&f->state, 4))
        opts.features = (unsigned)bk_chance_next(&f->state) & RANDOM_ALL;
    if (random_once_in(&f->state, 3))
        opts.features |= RANDOM_ODD;
    if (random_once_in(&f->state, 4))
        opts.features |= RANDOM_RARE;
    random_variant(&f->drawn, &f->state, &opts);
}

static bool draw_material(struct fuzz *f, enum feature focus)
{
    unsigned men = 3 + random_below(&f->state, 4);
    unsigned a = random_below(&f->state, 9), b = random_below(&f->state, 9);
    uint64_t room = UINT64_C(256) << (a < b ? a : b); /* small tables test as much, in less time */
    struct bk_material m;

    if (!random_material(&f->drawn, &f->state, men, room, f->count))
        return false;
    material_of(f, &f->drawn, &m);
    return shows(f, focus) &&
           (!bk_material_by_rule(&m, &f->drawn) || random_once_in(&f->state, 64));
}

/* Draws a game and a material of at most NODES_MAX nodes, and solves it with the slow solver. */
static void draw_game(struct fuzz *f)
{
    /* what is rare is looked for in half of the cases */
    static const enum feature rare[] = { TAKES_TWICE, ALLOWANCES, PASSING,        ZONES,
                                         IN_PLACE,    CASTLES,    PAWN_BESIDE,    PAWNS_BESIDE,
                                         EQUALS,      ODD_PAWNS,  KINDS_OF_PAWNS, COUNTED_PAWNS,
                                         DOUBLE_MEN };
    const unsigned n = sizeof rare / sizeof *rare;
    unsigned drawn = random_below(&f->state, 2 * n);
    enum feature focus = drawn < n ? rare[drawn] : FEATURES;

    for (unsigned games = 0;; games++) {
        draw_variant(f);
        for (unsigned tries = 0; tries < 4; tries++) {
            if (!draw_material(f, games < 1000 ? focus : FEATURES))
                continue;
            f->ref =
                ref_solve(&f->drawn, (const uint8_t(*)[BK_TYPES_MAX])f->count, NULL, NODES_MAX);
            if (f->ref)
                return;
        }
    }
}

static void draw_setting(struct fuzz *f)
{
    static const char *const kernels[] = { "portable", "avx2", "avx512" };
    static const char *const bits[] = { "64", "128", "256" };

    f->how.kernel = kernels[random_below(&f->state, 3)];
    f->how.set_bits = bits[random_below(&f->state, 3)];
    f->how.threads = random_once_in(&f->state, 4) ? 2 : 1;
    f->how.distances = !random_once_in(&f->state, 5);
    f->how.k_max = random_once_in(&f->state, 4) ? 1 + random_below(&f->state, 8) : BK_CODE_K_MAX;
    f->how.tight = random_once_in(&f->state, 4);
    f->how.largest = (const enum bk_strategy[]){ 0, 0, BK_GROUPS, BK_GROUPS,
                                                 BK_APART }[random_below(&f->state, 5)];
    f->how.effort = (enum bk_effort)random_below(&f->state, 3);
    f->how.standalone = random_once_in(&f->state, 4);
    f->how.packs = !f->how.tight && f->seed % 2;
    setenv("BAREKING_KERNEL", f->how.kernel, 1);
    setenv("BAREKING_SET_BITS", f->how.set_bits, 1);
}

/* Draws castling rights that the men allow, rather many than few; none if they allow none. */
static void draw_rights(struct fuzz *f)
{
    struct bk_material m;

    for (unsigned tries = 0; tries < 32 && f->v->castling.allowed; tries++) {
        f->rights = (uint8_t)(bk_chance_next(&f->state) & 15);
        if (tries < 8)
            f->rights |= (uint8_t)(bk_chance_next(&f->state) & 15);
        material_of(f, f->v, &m);
        if (f->rights && __builtin_popcount(m.rights) == __builtin_popcount(f->rights))
            return;
    }
    f->rights = 0;
}

/* Gives one case in three an n-move rule, and solves it by that, too.  What the other cases draw
   does not depend on it. */
static void draw_nmove(struct fuzz *f)
{
    uint64_t own = f->seed * 3 + 1;
    struct bk_report why;

    f->counted = NULL;
    f->five_first = false;
    if (f->drawn.game_turns || !random_once_in(&own, 3) || bk_variant_finish(&f->drawn, &why))
        return;
    random_nmove(&f->drawn, &own);
    f->counted =
        ref_solve_nmove(&f->drawn, (const uint8_t(*)[BK_TYPES_MAX])f->count, 4 * NODES_MAX);
    if (!f->counted)
        f->drawn.nmove = (struct bk_nmove){ .plies = 0 };
    f->five_first = f->counted && random_once_in(&own, 2);
    f->ruled += f->counted != NULL;
}

/* == What was in play == */

static void note_game(struct fuzz *f)
{
    const struct bk_variant *v = f->v;
    const struct bk_kernel *kernel = bk_kernel_for(v->nsq);
    const char *name = kernel->name;

    for (enum feature i = LOST; i <= RIDERS; i++)
        f->seen[i] += i != CASTLES && i != CASTLES_ELSEWHERE && shows(f, i); /* check_rights() */
    f->seen[HOLES] += bk_bits_count(&v->board) < v->nsq;
    f->seen[LARGE] += v->nsq > 64;
    f->seen[CLOCK] += v->game_turns > 0;
    f->seen[BARE_NOTHING + (enum feature)v->bare]++;
    f->seen[STALE_DRAW + (enum feature)v->stalemate]++;
    f->seen[strstr(name, "512") ? AVX512 : strstr(name, "avx2") ? AVX2 : PORTABLE]++;
    f->seen[kernel->set_bytes * 8 == 64 ? SET64 : kernel->set_bytes * 8 == 128 ? SET128 : SET256]++;
    f->seen[PAWN_BESIDE] += shows(f, PAWN_BESIDE);
    f->seen[PAWNS_BESIDE] += shows(f, PAWNS_BESIDE);
    f->seen[NARROW] +=
        v->files < 3 || v->ranks < 3 || v->files > 2u * v->ranks || v->ranks > 2u * v->files;
    for (enum feature i = EQUALS; i <= LATE_DOUBLES; i++)
        f->seen[i] += shows(f, i);
    f->seen[TWO_THREADS] += f->how.threads > 1;
    f->seen[NO_DISTANCES] += !f->how.distances;
}

static void print_features(const struct fuzz *f)
{
    printf("fuzz: cases with");
    for (enum feature i = 0; i < FEATURES; i++)
        printf("%s %s %llu", i ? "," : "", feature_name[i], (unsigned long long)f->seen[i]);
    printf("\n");
}

/* == Running == */

/* Writes the game to its file and reads it back: it must be the same. */
static bool write_game(struct fuzz *f)
{
    struct bk_report why = { "" };
    FILE *out = fopen(f->path, "w");

    if (!out) {
        printf("%s: %s\n", f->path, strerror(errno));
        return false;
    }
    variant_print_ini(out, &f->drawn, (const uint8_t(*)[BK_TYPES_MAX])f->count);
    if (fclose(out) || bk_variant_finish(&f->drawn, &why) || bk_variant_load(&f->v, f->path, &why))
        return failed("refused", &why);
    if (f->v->rules_id == f->drawn.rules_id)
        return true;
    printf("\nDIFFERENCE: the game's file holds other rules than were drawn\n");
    return false;
}

/* Makes the tables of the material without and, if any were drawn, with castling rights. */
static bool make_tables(struct fuzz *f)
{
    struct bk_material m[2];
    uint8_t rights = f->rights;
    unsigned n = 0;

    f->rights = 0;
    material_of(f, f->v, &m[n++]);
    f->rights = rights;
    if (rights)
        material_of(f, f->v, &m[n++]);
    return build(f, m, n);
}

/*
 * Makes the tables again by two to four processes, which share blocks of any size, and compares all
 * bytes.  BAREKING_FUZZ_MPI names the program that can do so; without it the check is left out.
 */
static bool same_by_ranks(struct fuzz *f)
{
    const char *mpi = getenv("BAREKING_FUZZ_MPI");
    static const char *const effort[] = { "fast", "normal", "best" };
    char command[4 * PROOF_DIR_MAX + 1024], tables[PROOF_DIR_MAX + 16] = "";
    size_t n;

    if (!mpi || !f->plan->n)
        return true;
    snprintf(tables, sizeof tables, "%s/ranks", f->dir);
    n = (size_t)snprintf(command, sizeof command,
                         "BAREKING_SHARED_FROM=1 mpirun -n %u '%s' build '%s' --dir '%s' --quiet "
                         "--threads %u --effort %s%s%s",
                         2 + (unsigned)(f->seed % 3), mpi, f->path, tables, f->how.threads,
                         effort[f->how.effort], f->how.distances ? "" : " --wdl",
                         f->how.standalone ? " --standalone" : "");
    for (unsigned i = 0; i < f->plan->n && n < sizeof command; i++)
        n += (size_t)snprintf(command + n, sizeof command - n, " %s", f->plan->table[i].name);
    if (n < sizeof command)
        n += (size_t)snprintf(command + n, sizeof command - n, " && diff -r '%s/%s' '%s/%s'",
                              f->dir, f->v->name, tables, f->v->name);
    if (n >= sizeof command)
        return true; /* too many tables for a line */
    if (system(command)) {
        printf("\nDIFFERENCE by several processes: %s\n", command);
        return false;
    }
    proof_remove(tables);
    f->by_ranks++;
    return true;
}

/* Compares the same men with castling rights, which have a table of their own. */
static bool check_rights(struct fuzz *f, uint8_t rights)
{
    uint64_t sum[2][3] = { { 0 } };

    f->rights = rights;
    if (!rights)
        return true;
    if (!compare_all(f, sum) || (sum[0][0] != UINT64_MAX && !compare_counts(f, sum)))
        return false;
    f->seen[CASTLES] += sum[0][0] != UINT64_MAX;
    f->seen[CASTLES_ELSEWHERE] += sum[0][0] != UINT64_MAX && f->v->castling.rank;
    return true;
}

static bool check(struct fuzz *f)
{
    uint64_t sum[2][3] = { { 0 } };
    uint8_t rights;

    if (!write_game(f))
        return false;
    draw_rights(f);
    note_game(f);
    rights = f->rights;
    if (!make_tables(f) || !same_by_ranks(f))
        return false;
    if (bk_open(&f->lib, f->path, f->dir)) {
        printf("\nnot opened: %s\n", bk_error(f->lib));
        return false;
    }
    if (f->fen)
        answer(f);
    f->rights = 0;
    return compare_all(f, sum) && compare_counts(f, sum) && check_rights(f, rights) &&
           compare_smaller(f);
}

static bool check_tables(struct fuzz *f)
{
    struct bk_report why = { "" };
    char tables[PROOF_DIR_MAX + 80];
    bool ok;

    f->ref = NULL;
    f->v = NULL;
    f->lib = NULL;
    f->plan = NULL;
    f->rights = 0;
    draw_setting(f);
    if (bk_pool_open(&f->pool, f->how.threads, &why)) {
        fprintf(stderr, "test_fuzz: %s\n", why.text);
        exit(2);
    }
    draw_game(f);
    draw_nmove(f);
    ok = check(f);
    if (!ok)
        describe(f);
    snprintf(tables, sizeof tables, "%s/%s", f->dir, f->drawn.name);
    proof_remove(tables);
    bk_plan_free(f->plan);
    bk_close(f->lib);
    ref_free(f->ref);
    ref_free(f->counted);
    bk_pool_close(f->pool);
    bk_variant_free(f->v);
    bk_geometry_free(f->drawn.geometry);
    f->drawn.geometry = NULL;
    return ok;
}

static bool check_hands(struct fuzz *f)
{
    struct hands_case c;

    hands_draw(bk_chance_next(&f->state), &c);
    f->seen[HANDS]++;
    f->seen[CONFIGURATION] += strcmp(c.rules.configuration, "none") != 0;
    f->seen[OPENING] += c.opening;
    f->seen[QUIET] += c.rules.quiet > 0;
    if (!hands_check(&c))
        return true;
    printf("replay: build/tests/test_fuzz 1 %llu\n", (unsigned long long)f->seed);
    return false;
}

static bool check_land(struct fuzz *f)
{
    struct land_case c;

    land_draw(bk_chance_next(&f->state), &c);
    f->seen[LAND]++;
    if (!land_check_case(&c))
        return true;
    printf("replay: build/tests/test_fuzz 1 %llu\n", (unsigned long long)f->seed);
    return false;
}

static bool run_case(struct fuzz *f, uint64_t seed)
{
    f->seed = f->state = seed;
    f->state = bk_chance_next(&f->state);
    if (seed % 50 == 13) /* not drawn: other cases stay what they are */
        return check_land(f);
    return random_once_in(&f->state, 30) ? check_hands(f) : check_tables(f);
}

static bool run(struct fuzz *f, unsigned long n, uint64_t seed)
{
    time_t begin = time(NULL), told = begin;

    for (unsigned long i = 0; i < n && !interrupted; i++) {
        if (!run_case(f, seed + i))
            return false;
        if (time(NULL) - told >= 10) {
            told = time(NULL);
            printf("fuzz: %lu of %lu, %llu positions, %ld s\n", i + 1, n,
                   (unsigned long long)f->compared, (long)(told - begin));
            fflush(stdout);
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct fuzz f = { .fen = argc > 3 ? argv[3] : NULL };
    bool ok;

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    printf("fuzz: %lu cases from seed %llu\n", n, (unsigned long long)seed);
    proof_folder(f.dir);
    snprintf(f.path, sizeof f.path, "%s/game.ini", f.dir);
    ok = run(&f, n, seed);
    proof_remove(f.dir);
    if (!ok || interrupted)
        return 1;
    print_features(&f);
    printf("fuzz: %lu cases, %llu positions, no difference\n", n, (unsigned long long)f.compared);
    printf("fuzz: %llu cases with an n-move rule, %llu positions that it draws\n",
           (unsigned long long)f.ruled, (unsigned long long)f.late);
    if (f.by_ranks)
        printf("fuzz: %llu cases by several processes, too\n", (unsigned long long)f.by_ranks);
    return 0;
}
