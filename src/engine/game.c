/*
 * game.c - one face for two kinds of games.
 *
 * Rejected: two programs with one search each.  What a search asks (moves, play, over, key) takes
 * a few lines for either kind.
 */
#include "engine/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/chance.h"
#include "core/clients.h"
#include "core/end.h"
#include "core/rules.h"
#include "probe/probe.h"
#include "table/listing.h"

void be_moves_release(struct be_moves *list)
{
    free(list->move);
    *list = (struct be_moves){ .n = 0 };
}

/* Appends a move of zeros to the list and returns it; NULL: no memory. */
static struct be_move *moves_add(struct be_moves *list)
{
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        struct be_move *longer = realloc(list->move, room * sizeof *longer);

        if (!longer)
            return NULL;
        list->move = longer;
        list->room = room;
    }
    return memset(&list->move[list->n++], 0, sizeof *list->move);
}

/* == Games =============================================================== */

enum bk_err be_game_open(struct be_game *g, const char *name, struct bk_report *why)
{
    struct bk_variant *v;
    enum bk_err err = bk_variant_load(&v, name, why);

    if (err)
        return err;
    g->base = v;
    g->v = v;
    g->hands = bk_rules_hands(v);
    g->shipped = bk_embedded_find(name);
    return BK_OK;
}

void be_game_close(struct be_game *g)
{
    bk_catalog_free(g->catalog);
    if (g->derived)
        bk_variant_free(g->derived);
    if (g->base)
        bk_variant_free(g->base);
    free(g->paths);
    free(g->wrong);
    memset(g, 0, sizeof *g);
}

/* Returns the men of the largest table; that a folder cannot be listed is recorded in g->wrong. */
static unsigned men_in_all(const struct be_game *g)
{
    struct bk_listed *list;
    struct bk_report why;
    unsigned men;
    size_t n;

    if (bk_listing(&list, &n, g->v, g->paths, false, &why) && !*g->wrong->broken.text)
        g->wrong->broken = why;
    men = n ? list[n - 1].men : 0;
    free(list);
    return men;
}

/* Takes the catalogue `fresh`, of g->v in g->paths. */
static void take_catalog(struct be_game *g, struct bk_catalog *fresh)
{
    bk_catalog_free(g->catalog);
    g->catalog = fresh;
    g->men_max = men_in_all(g);
}

/* Makes the catalogue of g->v anew. */
static enum bk_err recatalog(struct be_game *g, struct bk_report *why)
{
    struct bk_catalog *fresh;
    enum bk_err err = bk_catalog_new(&fresh, g->v, g->paths, why);

    if (!err)
        take_catalog(g, fresh);
    return err;
}

enum bk_err be_game_tables(struct be_game *g, const char *paths, struct bk_report *why)
{
    char *copy = strdup(paths);
    struct be_wrong *wrong = calloc(1, sizeof *wrong);
    struct bk_catalog *fresh = NULL;
    enum bk_err err = copy && wrong ? bk_catalog_new(&fresh, g->v, copy, why) : bk_no_memory(why);

    if (err) {
        free(copy);
        free(wrong);
        return err;
    }
    free(g->paths);
    free(g->wrong);
    g->paths = copy;
    g->wrong = wrong;
    take_catalog(g, fresh);
    return BK_OK;
}

/* Plays by `derived` (taken, made as `how` says) from now on; NULL: by the base itself. */
static enum bk_err derive(struct be_game *g, struct bk_variant *derived,
                          const struct bk_derivation *how, struct bk_report *why)
{
    struct bk_variant *old = g->derived;
    enum bk_err err;

    if (derived == old)
        return BK_OK;
    g->how = *how;
    bk_catalog_free(g->catalog); /* it borrows from the old one */
    g->catalog = NULL;
    g->men_max = 0;
    g->derived = derived;
    g->v = derived ? derived : g->base;
    err = recatalog(g, why);
    if (old)
        bk_variant_free(old);
    return err;
}

/* == Positions =========================================================== */

static bool may_begin(const struct be_game *g, const char *fen)
{
    struct bk_hands_pos hands;
    struct bk_report why;
    struct bk_pos p;

    if (g->hands)
        return !bk_hands_from_fen(&hands, g->base, fen, &why);
    return !bk_pos_from_fen(&p, g->base, fen, &why) && bk_pos_legal(g->base, &p);
}

/* Writes the first position of a game that gives no array: kings alone, as far apart as may be. */
static const char *kings_alone(const struct be_game *g, char out[BK_FEN_MAX])
{
    const struct bk_variant *v = g->base;

    for (unsigned white = 0; white < v->nsq; white++)
        for (unsigned black = v->nsq; black-- > 0;) {
            uint8_t at[BK_SQ_MAX] = { 0 };

            at[white] = bk_man(v->royal, BK_WHITE);
            at[black] = bk_man(v->royal, BK_BLACK);
            strcpy(out + bk_board_write(v, at, NULL, out), " w - - 0 1");
            if (white != black && bk_bits_has(&v->board, white) && bk_bits_has(&v->board, black) &&
                may_begin(g, out))
                return out;
        }
    return out; /* there is no position at all: reading it will say why */
}

const char *be_game_start(const struct be_game *g, char out[BK_FEN_MAX])
{
    const char *array = g->shipped ? bk_client_array(g->base->name) : NULL;
    struct bk_hands_pos p;
    struct bk_report why;

    if (array)
        return strcpy(out, array);
    if (*g->base->start)
        return strcpy(out, g->base->start);
    if (g->hands && bk_hands_start(&p, g->base, &why) == BK_OK)
        return bk_hands_to_fen(&p, g->base, out);
    return kings_alone(g, out);
}

enum bk_err be_game_read(struct be_game *g, struct be_board *b, const char *fen,
                         struct bk_report *why)
{
    struct bk_variant *derived = NULL;
    struct bk_derivation how;
    struct be_board read;
    enum bk_err err;
    bool same;

    if (g->hands) {
        err = bk_hands_from_fen(&read.hands, g->v, fen, why);
        if (!err)
            *b = read;
        return err;
    }
    memset(&how, 0, sizeof how);
    if ((err = bk_derivation_of(&how, g->base, fen, why)) != BK_OK)
        return err;
    /* clients repeat the first position before each move: if the same, the catalogue is kept */
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): no byte of it is unset */
    same = g->derived && !memcmp(&how, &g->how, sizeof how);
    if (same)
        derived = g->derived;
    else if (how.how != BK_ITSELF &&
             (err = bk_variant_derived(&derived, g->base, &how, why)) != BK_OK)
        return err;
    err = bk_pos_from_fen(&read.plain, derived ? derived : g->base, fen, why);
    if (!err && !bk_pos_legal(derived ? derived : g->base, &read.plain))
        err = bk_fail(why, BK_E_ILLEGAL, "the king of the side that has moved is in check");
    if (err) {
        if (!same)
            bk_variant_free(derived);
        return err;
    }
    *b = read;
    return derive(g, derived, &how, why);
}

char *be_board_fen(const struct be_game *g, const struct be_board *b, char out[BK_FEN_MAX])
{
    return g->hands ? bk_hands_to_fen(&b->hands, g->v, out) : bk_pos_to_fen(&b->plain, g->v, out);
}

unsigned be_man_on(const struct be_game *g, const struct be_board *b, unsigned sq)
{
    if (!g->hands)
        return b->plain.at[sq];
    return b->hands.at[sq] ? b->hands.man[b->hands.at[sq] - 1] : 0;
}

/* == Moves =============================================================== */

struct adding {
    struct be_moves *list;
    bool failed;
};

static bool add_turn(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct adding *a = context;
    struct be_move *m = moves_add(a->list);

    (void)after;
    a->failed = !m;
    if (m)
        m->turn = *turn;
    return m;
}

bool be_moves_legal(const struct be_game *g, const struct be_board *b, struct be_moves *out)
{
    struct bk_move move[BK_MOVES_MAX];
    struct adding a = { .list = out };

    out->n = 0;
    if (g->hands) {
        bk_hands_turns(&b->hands, g->v, add_turn, &a);
        return !a.failed;
    }
    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(g->v, &b->plain, &first, move);

        for (unsigned i = 0; i < n; i++) {
            struct be_move *m = moves_add(out);

            if (!m)
                return false;
            m->plain = move[i];
        }
    }
    return true;
}

bool be_moves_loud(const struct be_game *g, const struct be_board *b, struct be_moves *out)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n;

    out->n = 0;
    if (g->hands || !bk_exits_may_be(g->v, &b->plain))
        return true;
    n = bk_moves_exits(g->v, &b->plain, move);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = b->plain;
        struct be_move *m;

        if (move[i].takes == BK_SQ_NONE && move[i].becomes == BK_STAYS)
            continue;
        bk_pos_play(&after, g->v, &move[i]);
        if (!bk_pos_legal(g->v, &after))
            continue;
        if (!(m = moves_add(out)))
            return false;
        m->plain = move[i];
    }
    return true;
}

void be_play(const struct be_game *g, struct be_board *b, const struct be_move *m)
{
    if (g->hands)
        bk_hands_play(&b->hands, g->v, &m->turn);
    else
        bk_pos_play(&b->plain, g->v, &m->plain);
}

uint32_t be_move_id(const struct be_game *g, const struct be_move *m)
{
    const struct bk_turn *t = &m->turn;
    uint32_t id = 0;

    if (!g->hands && (m->plain.creates || m->plain.destroys))
        return (uint32_t)bk_chance_of(
                   (uint64_t)m->plain.from | (uint64_t)m->plain.to << 8 |
                   (uint64_t)m->plain.becomes << 16 | (uint64_t)m->plain.takes << 24 |
                   (uint64_t)m->plain.also << 32 | (uint64_t)m->plain.creates << 40 |
                   (uint64_t)m->plain.destroys << 48) |
               UINT32_C(1);
    if (!g->hands) /* `takes` tells two ways to the same square apart; +1: no move is 0 */
        return (uint32_t)m->plain.from | (uint32_t)m->plain.to << 8 |
               (uint32_t)(m->plain.becomes + 1) << 16 |
               (uint32_t)((m->plain.takes ^ m->plain.also) & 255) << 24;
    for (const uint8_t *s = (const uint8_t *)t; s < (const uint8_t *)(t + 1); s++)
        id = (id ^ *s) * UINT32_C(16777619);
    return id | 1;
}

bool be_same_move(const struct be_game *g, const struct be_move *a, const struct be_move *b)
{
    const struct bk_move *x = &a->plain, *y = &b->plain;

    if (g->hands)
        return !memcmp(&a->turn, &b->turn, sizeof a->turn);
    return x->from == y->from && x->to == y->to && x->becomes == y->becomes &&
           x->takes == y->takes && x->also == y->also && x->creates == y->creates &&
           x->destroys == y->destroys;
}

bool be_is_loud(const struct be_game *g, const struct be_move *m)
{
    return g->hands ? m->turn.takes != BK_SQ_NONE
                    : m->plain.takes != BK_SQ_NONE || m->plain.becomes != BK_STAYS;
}

/* == The end ============================================================= */

const char *be_end_text(enum be_end end)
{
    switch (end) {
    case BE_GOES_ON: return "goes on";
    case BE_CHECKMATE: return "checkmate";
    case BE_STALEMATE: return "stalemate";
    case BE_BARE: return "bare king";
    case BE_BARE_BOTH: return "bare kings";
    case BE_BARED_BACK: return "bared back";
    case BE_CONFIGURATION: return "configuration";
    case BE_LENGTH: return "length of the game";
    }
    return "";
}

static enum be_end hands_end(const struct be_game *g, const struct be_board *b, int *wdl)
{
    switch (bk_hands_over(&b->hands, g->v, wdl)) {
    case BK_HANDS_GOES_ON: return BE_GOES_ON;
    case BK_HANDS_BARE: return BE_BARE;
    case BK_HANDS_BARE_DRAW: {
        unsigned men = bk_bits_count(&b->hands.occupied);

        return men == 2 ? BE_BARE_BOTH : BE_BARED_BACK;
    }
    case BK_HANDS_CONFIGURATION: return BE_CONFIGURATION;
    }
    return BE_GOES_ON;
}

enum be_end be_end_early(const struct be_game *g, const struct be_board *b, int *wdl)
{
    const struct bk_pos *p = &b->plain;

    if (g->hands)
        return hands_end(g, b, wdl);
    switch (bk_pos_bare(g->v, p, wdl)) {
    case BK_END_BARE: return BE_BARE;
    case BK_END_BARE_DRAW: return bk_pos_both_bare(p) ? BE_BARE_BOTH : BE_BARED_BACK;
    case BK_END_NONE:
    case BK_END_OUT: /* games without a royal man are refused */
    case BK_END_CHECKMATE:
    case BK_END_STALEMATE: break;
    }
    return BE_GOES_ON;
}

bool be_in_check(const struct be_game *g, const struct be_board *b)
{
    return g->hands ? bk_hands_in_check(&b->hands, g->v, b->hands.stm)
                    : bk_in_check(g->v, &b->plain, b->plain.stm);
}

enum be_end be_end_stuck(const struct be_game *g, const struct be_board *b, int *wdl)
{
    bool check = be_in_check(g, b);

    *wdl = check || bk_rules_stalemate_loses(g->v) ? -1 : 0;
    return check ? BE_CHECKMATE : BE_STALEMATE;
}

enum be_end be_end_now(const struct be_game *g, const struct be_board *b, int *wdl)
{
    enum be_end end = be_end_early(g, b, wdl);
    struct be_moves list = { .n = 0 };
    int left = be_plies_left(g, b);

    if (left >= 0 && end != BE_GOES_ON && end != BE_BARED_BACK)
        return end;
    end = BE_GOES_ON;
    if (left >= 0 && be_moves_legal(g, b, &list) && !list.n)
        end = be_end_stuck(g, b, wdl);
    be_moves_release(&list);
    if (end == BE_GOES_ON && left <= 0) { /* what ends with the last ply has ended in time */
        *wdl = 0;
        end = BE_LENGTH;
    }
    return end;
}

int be_plies_left(const struct be_game *g, const struct be_board *b)
{
    return g->hands ? BK_UNLIMITED : bk_rules_plies_left(g->v, b->plain.turn, b->plain.stm);
}

/* == Keys ================================================================ */

/* What tells men of a kind and place apart: turns left beyond the one that every man held has, what
   a man was born as, and whose he is off the board. */
static uint64_t marks_of(const struct bk_hands_pos *p, unsigned i)
{
    unsigned turns = p->sq[i] == BK_SQ_NONE ? p->turns[i] - 1u : 0;
    unsigned was = p->born[i] == bk_man_type(p->man[i]) ? 0 : 1u + p->born[i];

    return turns | was << 8 | (unsigned)p->freed[i] << 16;
}

static uint64_t hands_key(const struct bk_hands_pos *p)
{
    uint64_t key = bk_chance_of(UINT64_C(1) << 40 | p->stm | (uint64_t)p->quiet << 8 |
                                (uint64_t)(uint8_t)(p->ep + 1) << 16 | (uint64_t)p->rights << 24);

    for (unsigned i = 0; i < p->n; i++) /* equal men in any order are one position */
        key += bk_chance_of((uint64_t)p->man[i] << 8 | p->sq[i] | marks_of(p, i) << 16);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned type = 0; type < BK_TYPES_MAX; type++)
            if (p->released[side][type])
                key += bk_chance_of(UINT64_C(1) << 41 | (uint64_t)p->released[side][type] << 16 |
                                    type << 1 | side);
    return key;
}

uint64_t be_board_key(const struct be_game *g, const struct be_board *b)
{
    const struct bk_pos *p = &b->plain;
    uint64_t key = UINT64_C(1) << 40 | p->stm | (uint64_t)p->ep << 8 | (uint64_t)p->rights << 16;
    uint64_t land = 0;

    if (g->hands)
        return hands_key(&b->hands);
    if (bk_rules_land_lives(g->v)) { /* odd and even turns are different positions */
        struct bk_bits sea = p->sea;

        key |= UINT64_C(1) << 32 | (uint64_t)p->begun << 33 | (uint64_t)(p->turn & 1) << 34;
        for (unsigned sq; (sq = bk_bits_pop(&sea)) != BK_SQ_NONE;)
            land += bk_chance_of(UINT64_C(1) << 42 | sq);
    }
    key = bk_chance_of(key) + land;
    for (unsigned c = 0; c < 2; c++) {
        struct bk_bits men = p->by[c];

        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;)
            key += bk_chance_of((uint64_t)p->at[sq] << 8 | sq);
        for (unsigned type = 0; type < g->v->ntypes; type++)
            if (p->left[c][type])
                key += bk_chance_of(UINT64_C(1) << 41 | c << 20 | type << 8 | p->left[c][type]);
    }
    return key;
}

uint64_t be_turn_key(const struct be_game *g, const struct be_board *b)
{
    if (be_plies_left(g, b) == BK_UNLIMITED)
        return 0;
    return bk_chance_of(UINT64_C(1) << 42 | b->plain.turn);
}

/* == Tables ============================================================== */

/* Sets *p to `h` without hands.  False: no table has it, since a man is held, quiet turns count, or
   captured men are not simply gone. */
static bool plain_of(const struct be_game *g, const struct bk_hands_pos *h, struct bk_pos *p)
{
    const struct bk_pos *made = p;

    bk_pos_init(p, g->v);
    p->stm = h->stm;
    if (h->quiet)
        return false;
    for (unsigned i = 0; i < h->n; i++) {
        if (h->sq[i] == BK_SQ_NONE)
            return false;
        bk_pos_put(p, g->v, bk_man_type(h->man[i]), bk_man_colour(h->man[i]), h->sq[i]);
    }
    return bk_rules_plain_is_exact(g->v, made->count);
}

/* A table has answered about `p` without a distance: if it was made with distances, they are lost,
   which goes into g->wrong. */
static void note_lost_distances(const struct be_game *g, const struct bk_pos *p)
{
    struct bk_cache *cache = bk_catalog_cache(g->catalog);
    unsigned visit = bk_visit_begin(cache);
    const struct bk_table *t;

    if (!bk_catalog_table(g->catalog, p, &t, NULL) && bk_table_lacks_distances(t) &&
        bk_table_promises_distances(t)) {
        const char *path = bk_file_path(t->wdl);

        bk_report_write(&g->wrong->lost, "%.*sd: not there, but %s says it should be",
                        (int)strlen(path) - 1, path, strrchr(path, '/') + 1);
    }
    bk_visit_end(cache, visit);
}

/* A question to the tables: about *p, which lies in `own` where the board has hands. */
struct question {
    struct bk_tables t;
    struct bk_pos own;
    const struct bk_pos *p;
};

/* False: no table has such a position. */
static bool question_begin(struct question *q, const struct be_game *g, const struct be_board *b)
{
    if (!g->men_max || (g->hands && !plain_of(g, &b->hands, &q->own)))
        return false;
    q->p = g->hands ? &q->own : &b->plain;
    q->t = (struct bk_tables){ .v = g->v,
                               .find = bk_catalog_table,
                               .open = bk_catalog_reopen,
                               .context = g->catalog,
                               .cache = bk_catalog_cache(g->catalog) };
    return bk_bits_count(&q->p->by[0]) + bk_bits_count(&q->p->by[1]) <= g->men_max;
}

/* Sets *out to what the library says of q->p.  False: the tables do not answer. */
static bool value_of(const struct be_game *g, const struct question *q, struct bk_value *out)
{
    struct bk_cache *cache = bk_catalog_cache(g->catalog);
    unsigned visit = bk_visit_begin(cache);
    struct bk_report why = { "" };
    enum bk_err err = bk_value_of(out, g->catalog, g->v, q->p, &why);

    if ((bk_is_of_file(err) || err == BK_E_SYSTEM) && !*g->wrong->broken.text)
        g->wrong->broken = why;
    if (bk_is_of_file(err)) { /* perhaps only distances are broken */
        err = bk_wdl_of(&out->wdl, &out->five, g->catalog, g->v, q->p, NULL);
        out->dtw = -1;
    }
    bk_visit_end(cache, visit);
    return !err;
}

bool be_probe(const struct be_game *g, const struct be_board *b, int *wdl, int *plies)
{
    struct question q;
    struct bk_value value;
    bool known;

    if (!question_begin(&q, g, b) || !value_of(g, &q, &value))
        return false;
    if (value.wdl && value.dtw < 0 && !*g->wrong->lost.text)
        note_lost_distances(g, q.p);
    *wdl = bk_clocked(value.wdl, value.dtw, be_plies_left(g, b), &known);
    *plies = *wdl ? value.dtw : -1;
    return true;
}

bool be_probe_better(const struct be_game *g, const struct be_board *b, int *wdl, int *plies)
{
    int least = *wdl, most = *wdl > 0 ? *plies : BK_ENDLESS, within = -1;
    struct question q;

    if (!question_begin(&q, g, b))
        return false;
    if (*wdl <= 0 && bk_settle_least(&q.t, q.p, 1, &least, NULL) &&
        bk_settle_least(&q.t, q.p, 0, &least, NULL))
        return false;
    if (least > 0 &&
        bk_settle_plies(&q.t, q.p, 1, (struct bk_window){ most - 1, most }, &within, NULL))
        within = -1;
    if (within > be_plies_left(g, b) || (*wdl > 0 ? within < 0 || within >= most : least <= *wdl))
        return false;
    *wdl = least;
    *plies = within;
    return true;
}

bool be_lost_within(const struct be_game *g, const struct be_board *b, int plies)
{
    struct question q;
    int wdl, n;

    return question_begin(&q, g, b) && !bk_settle_wdl(&q.t, q.p, &wdl, NULL) && wdl < 0 &&
           !bk_settle_plies(&q.t, q.p, wdl, (struct bk_window){ plies, plies + 1 }, &n, NULL) &&
           n <= plies;
}
