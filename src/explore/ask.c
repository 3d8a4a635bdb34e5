/*
 * ask.c - see ask.h.
 *
 * Moves, their values and how they are written are the library's.
 */
#include "explore/ask.h"

#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/hands.h"
#include "core/rules.h"
#include "explore/json.h"
#include "table/material.h"

#define MISSING_MAX 1000   /* tables that are looked for */
#define FAR_PLIES   100000 /* more than any game takes */

/* == Values in the words of the API (docs/explore.md) == */

/* A value, from the side to move. */
struct value {
    bool known;
    int wdl, plies;  /* plies -1: a draw, or not known */
    int clocked_wdl; /* within the game's length */
    bool clocked_known;
    enum bk_lib_end end;
    bool kings_only;
};

static struct value value_of(const struct bk_answer *a, const struct bk_pos *p)
{
    return (struct value){ .known = true,
                           .wdl = a->wdl,
                           .plies = a->wdl ? a->dtw : -1,
                           .clocked_wdl = a->clocked_wdl,
                           .clocked_known = a->clocked_known,
                           .end = a->end,
                           .kings_only = bk_pos_both_bare(p) };
}

/* The value of a move, from the side that plays it; `after`: the position that it leads to. */
static struct value value_of_move(const struct bk_lib_ranked *m, const struct bk_pos *after)
{
    return (struct value){ .known = m->err == BK_LIB_OK,
                           .wdl = m->wdl,
                           .plies = m->wdl ? m->dtw : -1,
                           .clocked_wdl = m->clocked_wdl,
                           .clocked_known = m->clocked_known,
                           .end = m->end,
                           .kings_only = bk_pos_both_bare(after) };
}

/* The value after a move that has the value *v, from the other side. */
static struct value value_turned(const struct value *v)
{
    struct value turned = *v;

    turned.wdl = -v->wdl;
    turned.clocked_wdl = -v->clocked_wdl;
    turned.plies = v->plies > 0 ? v->plies - 1 : v->plies;
    return turned;
}

/* A win too late for the game's length is cursed; a "maybe" is one of which it is not known. */
static const char *category(const struct value *v)
{
    if (!v->known)
        return "unknown";
    if (!v->wdl)
        return "draw";
    if (!v->clocked_known)
        return v->wdl > 0 ? "maybe-win" : "maybe-loss";
    if (!v->clocked_wdl)
        return v->wdl > 0 ? "cursed-win" : "blessed-loss";
    return v->wdl > 0 ? "win" : "loss";
}

static void put_flag(json_t *object, const char *key, bool is)
{
    json_object_set_new(object, key, json_boolean(is));
}

/* Adds category, dtm, dtz, checkmate, ... to an object. */
static void put_value(json_t *object, const struct value *v)
{
    const char *end = bk_end_name((enum bk_end)v->end);

    json_object_set_new(object, "category", json_string(category(v)));
    json_object_set_new(object, "dtm",
                        v->known && v->wdl && v->plies >= 0
                            ? json_integer(v->wdl > 0 ? v->plies : -v->plies)
                            : json_null());
    json_object_set_new(object, "dtz", json_null());
    json_object_set_new(object, "precise_dtz", json_null());
    put_flag(object, "checkmate", v->end == BK_LIB_CHECKMATE);
    put_flag(object, "stalemate", v->end == BK_LIB_STALEMATE);
    put_flag(object, "variant_win", v->end == BK_LIB_BARE && v->wdl > 0);
    put_flag(object, "variant_loss", v->end == BK_LIB_BARE && v->wdl < 0);
    put_flag(object, "insufficient_material", v->kings_only);
    json_object_set_new(object, "end_reason", end ? json_string(end) : json_null());
}

/* {category, plies, turns}: for people. */
static json_t *view_json(const struct value *v)
{
    bool distance = v->known && v->wdl && v->plies >= 0;

    return json_pack("{ss so so}", "category", category(v), "plies",
                     distance ? json_integer(v->plies) : json_null(), "turns",
                     distance ? json_integer((v->plies + 1) / 2) : json_null());
}

/* "e4"; null: no square. */
static json_t *sq_json(const struct bk_variant *v, unsigned sq)
{
    char name[8];

    return sq >= v->nsq ? json_null() : json_string(bk_sq_name(v, sq, name));
}

/* == Moves == */

/* Moves as the library lists them. */
struct moves {
    struct bk_lib_ranked *list;    /* owned */
    struct bk_lib_move_text *text; /* owned */
    size_t n;
};

static void release_moves(struct moves *m)
{
    free(m->list);
    free(m->text);
    *m = (struct moves){ 0 };
}

/* Ranks all moves, or lists them by rule alone.  If the error is one of some moves, m->n is not 0.
 */
static enum bk_lib_err list_moves(struct moves *m, const struct ex_at *at, bool by_rules)
{
    for (size_t room = 256;; room = m->n) {
        struct bk_lib_ranked *longer = realloc(m->list, room * sizeof *longer);
        enum bk_lib_err err;

        m->n = 0;
        if (!longer)
            return BK_LIB_SYSTEM;
        m->list = longer;
        err = by_rules ? bk_legal_moves_fen(at->lib, at->fen, m->list, room, &m->n)
                       : bk_rank_moves_fen(at->lib, at->fen, 0, 0, m->list, room, &m->n);
        if (m->n <= room)
            return err;
    }
}

static enum bk_lib_err write_moves(struct moves *m, const struct ex_at *at)
{
    if (!m->n)
        return BK_LIB_OK;
    m->text = malloc(m->n * sizeof *m->text);
    return m->text ? bk_write_moves_fen(at->lib, at->fen, m->list, m->n, m->text) : BK_LIB_SYSTEM;
}

/* Sets *after to the position that a move leads to; the board is that of at->v. */
static void read_after(struct bk_pos *after, const struct ex_at *at,
                       const struct bk_lib_move_text *text)
{
    if (bk_pos_from_fen(after, at->v, text->fen, NULL)) /* never: the library has written it */
        *after = at->p;
}

/* Returns a move as the API tells it; NULL: no memory. */
static json_t *move_json(const struct ex_at *at, const struct bk_lib_ranked *m,
                         const struct bk_lib_move_text *text, const struct bk_pos *after)
{
    struct value mover = value_of_move(m, after), other = value_turned(&mover);
    char letter[2] = { (char)m->becomes, 0 };
    json_t *o = json_pack("{ss ss ss}", "uci", text->uci, "san", text->san, "name", m->name);

    if (!o)
        return NULL;
    put_value(o, &other);
    put_flag(o, "zeroing", m->takes != BK_LIB_NO_SQUARE || m->becomes != BK_LIB_STAYS);
    json_object_set_new(o, "mover", view_json(&mover));
    json_object_set_new(o, "from", sq_json(at->v, m->from));
    json_object_set_new(o, "to", sq_json(at->v, m->to));
    json_object_set_new(o, "takes", sq_json(at->v, m->takes));
    json_object_set_new(o, "also_takes", sq_json(at->v, m->also_taken));
    json_object_set_new(o, "rook", sq_json(at->v, m->rook));
    json_object_set_new(o, "becomes",
                        m->becomes == BK_LIB_STAYS ? json_null() : json_string(letter));
    json_object_set_new(o, "fen", json_string(text->fen));
    return o;
}

/* == Tables == */

/* The name of the table that answers a position; false: none is needed, or there are too many
   men. */
static bool table_of(const struct bk_variant *v, const struct bk_pos *p,
                     char name[BK_MATERIAL_NAME_MAX])
{
    struct bk_material m;

    if (bk_bits_count(&p->by[0]) + bk_bits_count(&p->by[1]) > BK_MEN_MAX)
        return false;
    bk_material_of(&m, v, p);
    bk_material_canonical(&m, v);
    if (bk_material_by_rule(&m, v))
        return false;
    bk_material_name(&m, v, name);
    return true;
}

static void note_table(json_t *names, const struct bk_variant *v, const struct bk_pos *p)
{
    char name[BK_MATERIAL_NAME_MAX];
    json_t *known;
    size_t i;

    if (!table_of(v, p, name))
        return;
    json_array_foreach(names, i, known) if (!strcmp(json_string_value(known), name)) return;
    json_array_append_new(names, json_string(name));
}

/* Returns the names of those of n tables that are not there with distances. */
static json_t *absent_json(const struct ex_at *at, const struct bk_material *m, size_t n)
{
    json_t *list = json_array();
    char name[BK_MATERIAL_NAME_MAX];

    for (size_t i = 0; i < n; i++)
        if (!(bk_has(at->lib, bk_material_name(&m[i], at->v, name)) & BK_LIB_HAS_DTW))
            json_array_append_new(list, json_string(name));
    return list;
}

/* Adds what is missing to answer all positions like this one, of the nearest MISSING_MAX tables
   that they may lead to; any: something is.  The library knows which tables of the game itself are
   there, not those of other boards, where its error says what is missing. */
static void put_missing(const struct ex_at *at, bool any, json_t *o)
{
    struct bk_material m, *near = NULL;
    char name[BK_MATERIAL_NAME_MAX];
    bool more = false;
    size_t n = 0;

    if (any && !at->derived && table_of(at->v, &at->p, name)) {
        bk_material_of(&m, at->v, &at->p);
        if (bk_materials_near(&near, &n, &more, &m, at->v, MISSING_MAX, NULL) == BK_E_SYSTEM)
            ex_json_lack();
    }
    json_object_set_new(o, "missing", absent_json(at, near, n));
    if (more)
        json_object_set_new(o, "more_missing", json_true());
    free(near);
}

/* Would a table's distances tell more of this value? */
static bool lacks_distance(int wdl, int dtw, int clocked_known)
{
    return (wdl && dtw < 0) || !clocked_known;
}

/* Was a table or its distances missing, and have tables come or gone since? */
static bool may_ask_again(const struct ex_at *at, enum bk_lib_err err, bool lacks)
{
    return (err == BK_LIB_NO_TABLE || (!err && lacks)) && ex_game_look_again(at->game, at->lib);
}

/* Asks about a position, and once more if tables have come or gone. */
static enum bk_lib_err ask_value(const struct ex_at *at, struct bk_answer *out)
{
    enum bk_lib_err err = bk_probe_fen(at->lib, at->fen, out);
    bool lacks = !err && lacks_distance(out->wdl, out->dtw, out->clocked_known);

    return may_ask_again(at, err, lacks) ? bk_probe_fen(at->lib, at->fen, out) : err;
}

/* == probe == */

/* A position and its moves, answered as far as that is possible. */
struct probe {
    struct ex_at *at;
    struct moves moves;
    struct bk_answer answer;
    enum bk_lib_err err; /* of the position itself */
    char why[1024];
    bool partly;   /* some move is not known */
    bool by_rules; /* nothing was asked of tables */
};

static bool lacks_distances(const struct moves *m)
{
    bool lacks = false;

    for (size_t i = 0; i < m->n; i++)
        lacks |= lacks_distance(m->list[i].wdl, m->list[i].dtw, m->list[i].clocked_known);
    return lacks;
}

static enum bk_lib_err rank(struct probe *p)
{
    enum bk_lib_err err = list_moves(&p->moves, p->at, false);

    if (may_ask_again(p->at, err, lacks_distances(&p->moves)))
        err = list_moves(&p->moves, p->at, false);
    p->partly = err != BK_LIB_OK;
    if (err && err != BK_LIB_NO_TABLE && !p->moves.n)
        return err;
    return write_moves(&p->moves, p->at);
}

static bool ask_probe(struct probe *p, struct ex_reply *reply)
{
    enum bk_lib_err err;

    p->err = ask_value(p->at, &p->answer);
    if (p->err)
        snprintf(p->why, sizeof p->why, "%s", bk_error(p->at->lib));
    err = rank(p);
    return !err || ex_reply_lib(reply, p->at->lib, err);
}

/* Adds the moves, and names of the tables that were asked. */
static void put_moves(const struct probe *p, json_t *o)
{
    json_t *moves = json_array(), *used = json_array();

    if (!p->by_rules && !p->err)
        note_table(used, p->at->v, &p->at->p);
    for (size_t i = 0; i < p->moves.n; i++) {
        const struct bk_lib_ranked *m = &p->moves.list[i];
        struct bk_pos after;

        read_after(&after, p->at, &p->moves.text[i]);
        if (!p->by_rules && !m->err)
            note_table(used, p->at->v, &after);
        json_array_append_new(moves, move_json(p->at, m, &p->moves.text[i], &after));
    }
    json_object_set_new(o, "tables_used", used);
    put_missing(p->at, p->err || p->partly, o);
    json_object_set_new(o, "moves", moves);
}

static void put_position(const struct ex_at *at, json_t *o)
{
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_material m;

    bk_material_of(&m, at->v, &at->p);
    json_object_set_new(o, "variant", json_string(at->v->name));
    json_object_set_new(o, "fen", json_string(at->fen));
    json_object_set_new(o, "material", json_string(bk_material_name(&m, at->v, name)));
    json_object_set_new(o, "check", json_boolean(bk_in_check(at->v, &at->p, at->p.stm)));
}

static json_t *probe_json(const struct probe *p)
{
    struct value value = { .known = false };
    json_t *o;

    if (!p->err) {
        value = value_of(&p->answer, &p->at->p);
        o = json_object();
    } else
        o = ex_error_json(ex_lib_code(p->err), "%s", *p->why ? p->why : bk_lib_strerror(p->err));
    if (!o)
        return NULL;
    put_position(p->at, o);
    put_value(o, &value);
    json_object_set_new(o, "mover", view_json(&value));
    if (!p->err && p->answer.plies_left >= 0)
        json_object_set_new(o, "plies_left", json_integer(p->answer.plies_left));
    put_moves(p, o);
    return o;
}

void ex_ask_probe(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply)
{
    struct ex_at at;
    struct probe p = { .at = &at };

    if (!ex_at_open(&at, g, game, ex_query_arg(q, "fen"), reply))
        return;
    if (ask_probe(&p, reply))
        ex_reply_json(reply, ex_lib_status(p.err), probe_json(&p));
    release_moves(&p.moves);
    ex_at_close(&at);
}

/* == Turns of games with hands (core/hands.h) == */

struct ranked_turn {
    json_t *o; /* borrowed */
    int score;
    size_t nth;
};

/* The turns that are being listed. */
struct turns {
    const struct bk_variant *v;
    const struct bk_hands_pos *p;
    json_t *list, *seen;           /* the answers; the FENs after these turns */
    bool more;                     /* there are more than EX_TURNS_MAX */
    bool counting;                 /* the army's values are being found */
    const struct ex_armies *known; /* knows this army's values; NULL: not solved */
};

static enum bk_lib_end hand_end(enum bk_hands_end end)
{
    switch (end) {
    case BK_HANDS_GOES_ON: return BK_LIB_GOES_ON;
    case BK_HANDS_BARE: return BK_LIB_BARE;
    case BK_HANDS_BARE_DRAW: return BK_LIB_BARE_DRAW;
    case BK_HANDS_CONFIGURATION: return BK_LIB_GOES_ON; /* told apart by name */
    }
    return BK_LIB_GOES_ON;
}

/* The value of a position that is over, from its side to move. */
static struct value hand_value(const struct bk_hands_pos *p, const struct bk_variant *v,
                               bool *configuration)
{
    int wdl = 0;
    enum bk_hands_end end = bk_hands_over(p, v, &wdl);

    *configuration = end == BK_HANDS_CONFIGURATION;
    return (struct value){ .known = end != BK_HANDS_GOES_ON,
                           .wdl = wdl,
                           .plies = wdl ? 0 : -1,
                           .clocked_wdl = wdl,
                           .clocked_known = true,
                           .end = hand_end(end) };
}

/* Sets *value to the worth of a position that goes on, whose army is known; bonus turns may leave
   it open. */
static void army_value(const struct ex_armies *known, const struct bk_hands_pos *p,
                       struct value *value)
{
    int wdl, plies;

    if (!known->value(known->context, p, &wdl, &plies))
        return;
    value->wdl = value->clocked_wdl = wdl;
    value->plies = plies;
    value->known = true;
}

static void put_hand_value(json_t *o, const struct value *value, bool configuration)
{
    put_value(o, value);
    if (configuration) {
        json_object_set_new(o, "end_reason", json_string("configuration"));
        json_object_set_new(o, value->wdl > 0 ? "variant_win" : "variant_loss", json_true());
    }
}

static bool see_turn(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct turns *t = context;
    char name[BK_TURN_NAME_MAX], fen[BK_FEN_MAX];
    bool configuration;
    struct value value, mover;
    json_t *o;

    bk_hands_to_fen(after, t->v, fen);
    if (json_object_get(t->seen, fen))
        return true;
    if (json_array_size(t->list) == EX_TURNS_MAX) {
        t->more = true;
        return false;
    }
    json_object_set_new(t->seen, fen, json_true());
    bk_turn_name(t->p, t->v, turn, name);
    value = hand_value(after, t->v, &configuration);
    if (t->known && !value.known)
        army_value(t->known, after, &value);
    mover = value;
    mover.wdl = -value.wdl;
    mover.clocked_wdl = -value.clocked_wdl;
    mover.plies = value.wdl ? value.plies + 1 : -1;
    o = json_pack("{ss ss ss}", "uci", name, "san", name, "name", name);
    put_hand_value(o, &value, configuration);
    json_object_set_new(o, "mover", view_json(&mover));
    json_object_set_new(o, "from", sq_json(t->v, turn->from));
    json_object_set_new(o, "to", sq_json(t->v, turn->to));
    json_object_set_new(o, "fen", json_string(fen));
    json_array_append_new(t->list, o);
    return true;
}

/* Orders turns: best first, where that is known; else as they were made. */
static int better_turn(const void *a, const void *b)
{
    const struct ranked_turn *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->nth > y->nth) - (x->nth < y->nth);
}

static json_t *sorted_turns(json_t *list)
{
    size_t n = json_array_size(list), i;
    struct ranked_turn *r = calloc(n + 1, sizeof *r);
    json_t *out = r ? json_array() : NULL, *o;

    if (!out) {
        free(r);
        return list;
    }
    json_array_foreach(list, i, o)
    {
        const char *category = json_string_value(json_object_get(o, "category"));
        json_int_t plies =
            json_integer_value(json_object_get(json_object_get(o, "mover"), "plies"));
        int wdl;

        if (!category) /* no memory, so the answer will have no text */
            category = "unknown";
        wdl = !strcmp(category, "loss") ? 1 : !strcmp(category, "win") ? -1 : 0;

        r[i] = (struct ranked_turn){ o, wdl * (FAR_PLIES - (int)plies), i };
        if (!strcmp(category, "unknown"))
            r[i].score = -2 * FAR_PLIES;
    }
    qsort(r, n, sizeof *r, better_turn);
    for (i = 0; i < n; i++)
        json_array_append(out, r[i].o);
    free(r);
    json_decref(list);
    return out;
}

/* Lists all turns.  If the army is known they have values, the best first, and *value is set to the
   position's own. */
static void list_turns(struct turns *t, const struct ex_games *g, struct ex_game *game,
                       struct value *value)
{
    if (g->armies && g->armies->begin(g->armies->context, game, t->p, &t->counting))
        t->known = g->armies;
    bk_hands_turns(t->p, t->v, see_turn, t);
    if (t->known) {
        army_value(t->known, t->p, value);
        t->known->end(t->known->context);
        t->list = sorted_turns(t->list);
    }
}

/* The value of a position that is not over, but has no turn. */
static struct value value_of_stuck(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    int wdl = bk_hands_stuck_wdl(p, v);

    return (struct value){ .known = true,
                           .wdl = wdl,
                           .plies = wdl ? 0 : -1,
                           .clocked_wdl = wdl,
                           .clocked_known = true,
                           .end = bk_hands_in_check(p, v, p->stm) ? BK_LIB_CHECKMATE
                                                                  : BK_LIB_STALEMATE };
}

enum reading { NO_HANDS, REFUSED, READ };

/* REFUSED: *reply says why. */
static enum reading read_hands(struct bk_hands_pos *p, const struct bk_variant *v, const char *fen,
                               struct ex_reply *reply)
{
    struct bk_report why = { "" };
    char text[BK_FEN_MAX];

    if (!fen)
        return NO_HANDS;
    if (!ex_fen_copy(text, fen, reply))
        return REFUSED;
    if (!bk_hands_from_fen(p, v, text, &why) && bk_hands_legal(p, v))
        return READ;
    if (!strchr(text, '['))
        return NO_HANDS;
    ex_reply_error(reply, 400, "fen", "%s", *why.text ? why.text : "illegal position");
    return REFUSED;
}

/* Makes the answer; t->list is taken. */
static json_t *turns_json(const struct ex_game *game, const struct turns *t,
                          const struct value *value, bool configuration)
{
    json_t *o = json_object();
    char fen[BK_FEN_MAX];

    json_object_set_new(o, "variant", json_string(game->name));
    json_object_set_new(o, "fen", json_string(bk_hands_to_fen(t->p, t->v, fen)));
    json_object_set_new(o, "check", json_boolean(bk_hands_in_check(t->p, t->v, t->p->stm)));
    put_hand_value(o, value, configuration);
    json_object_set_new(o, "mover", view_json(value));
    json_object_set_new(o, "more", json_boolean(t->more));
    if (t->counting)
        json_object_set_new(o, "counting", json_true());
    json_object_set_new(o, "moves", t->list);
    return o;
}

/* Answers /moves in games with hands: every position that a turn leads to, once, with the turn's
   name.  Values are known if the army has been solved (g->armies; `counting`: it is being solved),
   and of positions that end the game.  False: fen says nothing of hands; nothing was answered. */
static bool answer_turns(struct ex_games *g, struct ex_game *game, const char *fen,
                         struct ex_reply *reply)
{
    struct bk_hands_pos p;
    struct turns t = { .v = game->v, .p = &p };
    struct value value;
    bool configuration;
    enum reading is = read_hands(&p, game->v, fen, reply);

    if (is != READ)
        return is == REFUSED;
    t.list = json_array();
    t.seen = json_object();
    value = hand_value(&p, game->v, &configuration);
    if (!value.known)
        list_turns(&t, g, game, &value);
    if (value.end == BK_LIB_GOES_ON && !configuration && !json_array_size(t.list))
        value = value_of_stuck(&p, game->v);
    json_decref(t.seen);
    ex_reply_json(reply, 200, turns_json(game, &t, &value, configuration));
    return true;
}

/* == moves == */

/* The answer of /moves; `end` and `wdl`: of bk_is_over(). */
static json_t *moves_json(const struct probe *p, enum bk_lib_end end, int wdl)
{
    struct value value = { .known = end != BK_LIB_GOES_ON,
                           .wdl = wdl,
                           .clocked_wdl = wdl,
                           .clocked_known = true,
                           .end = end };
    json_t *o = json_object();

    put_position(p->at, o);
    put_value(o, &value);
    json_object_set_new(o, "mover", view_json(&value));
    put_moves(p, o);
    return o;
}

void ex_ask_moves(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply)
{
    struct ex_at at;
    struct probe p = { .at = &at, .by_rules = true };
    enum bk_lib_end end = BK_LIB_GOES_ON;
    enum bk_lib_err err;
    int wdl = 0;

    if (bk_rules_hands(game->v) && answer_turns(g, game, ex_query_arg(q, "fen"), reply))
        return;
    if (!ex_at_open(&at, g, game, ex_query_arg(q, "fen"), reply))
        return;
    err = bk_is_over_fen(at.lib, at.fen, &end, &wdl);
    if (!err)
        err = list_moves(&p.moves, &at, true);
    if (!err)
        err = write_moves(&p.moves, &at);
    if (err)
        ex_reply_lib(reply, at.lib, err);
    else
        ex_reply_json(reply, 200, moves_json(&p, end, wdl));
    release_moves(&p.moves);
    ex_at_close(&at);
}

/* == board == */

/* Writes the board that `text` shows as `fen`: a position as we write one, else as it came. */
static enum bk_err write_board(const struct bk_variant *game, const char *text,
                               char fen[BK_FEN_MAX], struct bk_report *why)
{
    struct bk_variant *derived = NULL;
    const struct bk_variant *v;
    struct bk_hands_pos h;
    struct bk_pos p;
    enum bk_err err;

    if (bk_rules_hands(game) && (strchr(text, '[') || bk_fen_is_start(text))) {
        err = bk_hands_from_fen(&h, game, text, why);
        if (!err)
            bk_hands_to_fen(&h, game, fen);
        return err;
    }
    if ((err = bk_variant_for_fen(&derived, game, text, why)) != BK_OK)
        return err;
    v = derived ? derived : game;
    if (!bk_pos_from_fen(&p, v, text, why))
        bk_pos_to_fen(&p, v, fen);
    else {
        err = bk_fen_check(v, text, why);
        snprintf(fen, BK_FEN_MAX, "%s", text);
    }
    bk_variant_free(derived);
    return err;
}

void ex_ask_board(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                  struct ex_reply *reply)
{
    const char *given = ex_query_arg(q, "fen");
    char text[BK_FEN_MAX], fen[BK_FEN_MAX];
    struct bk_report why = { "" };
    enum bk_err err;

    (void)g;
    if (!given) {
        ex_reply_error(reply, 400, "usage", "the query lacks a fen=");
        return;
    }
    if (!ex_fen_copy(text, given, reply))
        return;
    err = write_board(game->v, text, fen, &why);
    if (err)
        ex_reply_error(reply, err == BK_E_SYSTEM ? 503 : 400, "fen", "%s", why.text);
    else
        ex_reply_json(reply, 200, json_pack("{ss ss}", "variant", game->name, "fen", fen));
}

/* == line == */

/* Does some move keep the result whose distance is lost, so that another one stands first?  Then
   at->fen is the position after it. */
static bool look_for_lost(struct ex_at *at, const struct value *value)
{
    struct moves all = { 0 };
    const struct bk_lib_ranked *m = NULL;
    struct bk_lib_move_text text;
    bool found;

    if (!list_moves(&all, at, false))
        for (size_t i = 0; i < all.n && !m; i++)
            if (all.list[i].wdl == value->wdl && all.list[i].dtw < 0)
                m = &all.list[i];
    found = m && !bk_write_moves_fen(at->lib, at->fen, m, 1, &text);
    if (found)
        memcpy(at->fen, text.fen, sizeof at->fen);
    release_moves(&all);
    return found;
}

static bool no_distances(const struct ex_at *at, struct ex_reply *reply)
{
    return ex_reply_error(reply, 404, "no-distances",
                          "there are no distances after %s, so there is no best line", at->fen);
}

static bool contradicts(const struct ex_at *at, struct ex_reply *reply)
{
    return ex_reply_error(reply, 500, "damaged", "the tables contradict each other at %s", at->fen);
}

/* Plays the best move on at->p; *value is then of the position after it.  False: *reply says why.
 */
static bool step(struct ex_at *at, struct value *value, json_t *moves, struct ex_reply *reply)
{
    struct bk_lib_move_text text;
    struct bk_lib_ranked best;
    struct value played;
    struct bk_pos after;
    size_t n = 0;
    enum bk_lib_err err = bk_rank_moves_fen(at->lib, at->fen, 0, 0, &best, 1, &n);

    if (!err && n)
        err = bk_write_moves_fen(at->lib, at->fen, &best, 1, &text);
    if (err)
        return ex_reply_lib(reply, at->lib, err);
    if (!n)
        return contradicts(at, reply);
    read_after(&after, at, &text);
    played = value_of_move(&best, &after);
    if (played.wdl && played.plies < 0) {
        memcpy(at->fen, text.fen, sizeof at->fen);
        return no_distances(at, reply);
    }
    if (played.wdl != value->wdl || played.plies != value->plies)
        return look_for_lost(at, value) ? no_distances(at, reply) : contradicts(at, reply);
    json_array_append_new(moves, move_json(at, &best, &text, &after));
    at->p = after;
    memcpy(at->fen, text.fen, sizeof at->fen);
    *value = value_turned(&played);
    return true;
}

void ex_ask_line(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                 struct ex_reply *reply)
{
    json_t *o, *moves = json_array();
    struct value value;
    struct bk_answer a;
    struct ex_at at;
    enum bk_lib_err err;
    bool good = true;

    if (!ex_at_open(&at, g, game, ex_query_arg(q, "fen"), reply)) {
        json_decref(moves);
        return;
    }
    o = json_object();
    put_position(&at, o);
    err = ask_value(&at, &a);
    if (err)
        good = ex_reply_lib(reply, at.lib, err);
    else if (a.wdl && a.dtw < 0)
        good = ex_reply_error(reply, 404, "no-distances",
                              "the table has no distances, so there is no best line");
    if (good) {
        value = value_of(&a, &at.p);
        put_value(o, &value);
        json_object_set_new(o, "mover", view_json(&value));
        while (good && value.wdl && !value.end)
            good = step(&at, &value, moves, reply);
    }
    if (good) {
        json_object_set(o, "moves", moves);
        json_object_set_new(o, "end_fen", json_string(at.fen));
        ex_reply_json(reply, 200, json_incref(o));
    }
    json_decref(moves);
    json_decref(o);
    ex_at_close(&at);
}

/* == map == */

struct map {
    size_t n;
    uint8_t sq[BK_SQ_MAX];
    char fen[BK_SQ_MAX][BK_FEN_MAX];
    const char *fens[BK_SQ_MAX];
    struct bk_answer answer[BK_SQ_MAX];
    enum bk_lib_err err[BK_SQ_MAX];
};

/* Fills *map with the position with the man of `from` on each square where he may stand. */
static void spread(struct map *map, const struct ex_at *at, unsigned from)
{
    unsigned man = at->p.at[from], type = bk_man_type((uint8_t)man);
    unsigned colour = bk_man_colour((uint8_t)man);
    struct bk_pos lifted = at->p, p;

    lifted.rights = 0;
    lifted.ep = BK_SQ_NONE;
    bk_pos_lift(&lifted, at->v, from);
    map->n = 0;
    for (unsigned sq = 0; sq < at->v->nsq; sq++) {
        if (lifted.at[sq] || !bk_bits_has(&at->v->board, sq) ||
            !bk_rules_may_stand(at->v, type, colour, sq))
            continue;
        p = lifted;
        bk_pos_put(&p, at->v, type, colour, sq);
        map->sq[map->n] = (uint8_t)sq;
        map->fens[map->n] = bk_pos_to_fen(&p, at->v, map->fen[map->n]);
        map->n++;
    }
}

static json_t *square_json(const struct map *map, const struct ex_at *at, size_t i)
{
    json_t *o = json_object();

    json_object_set_new(o, "square", sq_json(at->v, map->sq[i]));
    if (map->err[i]) {
        json_object_set_new(o, "category",
                            json_string(map->err[i] == BK_LIB_ILLEGAL ? "illegal" : "unknown"));
        json_object_set_new(o, "code", json_string(ex_lib_code(map->err[i])));
    } else {
        struct value value = value_of(&map->answer[i], &at->p);
        json_t *view = view_json(&value);

        json_object_update(o, view);
        json_decref(view);
        json_object_set_new(o, "over", json_boolean(value.end != BK_LIB_GOES_ON));
    }
    return o;
}

static json_t *map_json(const struct map *map, const struct ex_at *at, unsigned from)
{
    char letter[2] = { bk_man_letter(at->v, at->p.at[from]), 0 };
    json_t *o = json_object(), *squares = json_array();

    put_position(at, o);
    json_object_set_new(o, "square", sq_json(at->v, from));
    json_object_set_new(o, "man", json_string(letter));
    for (size_t i = 0; i < map->n; i++)
        json_array_append_new(squares, square_json(map, at, i));
    json_object_set_new(o, "squares", squares);
    return o;
}

static bool map_lacks(const struct map *map)
{
    bool lacks = false;

    for (size_t i = 0; i < map->n; i++)
        lacks |= !map->err[i] && lacks_distance(map->answer[i].wdl, map->answer[i].dtw,
                                                map->answer[i].clocked_known);
    return lacks;
}

/* Was nothing answered?  *first: the first square whose position is not illegal. */
static bool all_unknown(const struct map *map, size_t *first)
{
    *first = map->n;
    for (size_t i = map->n; i-- > 0;) {
        if (!map->err[i])
            return false;
        if (map->err[i] != BK_LIB_ILLEGAL)
            *first = i;
    }
    return *first < map->n;
}

void ex_ask_map(struct ex_games *g, struct ex_game *game, const struct ex_query *q,
                struct ex_reply *reply)
{
    const char *square = ex_query_arg(q, "square");
    unsigned from = BK_SQ_NONE;
    struct ex_at at;
    struct map *map;
    size_t unknown;
    enum bk_lib_err err;

    if (!ex_at_open(&at, g, game, ex_query_arg(q, "fen"), reply))
        return;
    if (square)
        from = bk_sq_read(at.v, &square);
    map = malloc(sizeof *map);
    if (!map)
        ex_reply_error(reply, 503, "system", "out of memory");
    else if (from == BK_SQ_NONE || *square || !at.p.at[from])
        ex_reply_error(reply, 400, "usage", "square= must name the square of a man");
    else {
        spread(map, &at, from);
        err = bk_probe_batch(at.lib, map->fens, map->n, map->answer, map->err);
        if (may_ask_again(&at, err, map_lacks(map)))
            err = bk_probe_batch(at.lib, map->fens, map->n, map->answer, map->err);
        if (err && all_unknown(map, &unknown) &&
            (err = bk_probe_fen(at.lib, map->fens[unknown], map->answer)) != BK_LIB_OK)
            ex_reply_lib(reply, at.lib, err);
        else
            ex_reply_json(reply, 200, map_json(map, &at, from));
    }
    free(map);
    ex_at_close(&at);
}

/* == batch == */

static json_t *error_in_place(struct ex_reply *reply)
{
    json_t *o = reply->body ? json_loadb(reply->body, reply->n, 0, NULL) : NULL;

    if (o)
        json_object_set_new(o, "status", json_integer(reply->status));
    ex_reply_release(reply);
    return o;
}

static json_t *answer_one(struct ex_games *g, struct ex_game *game, const char *fen)
{
    struct ex_reply failed = { 0 };
    struct value value;
    struct bk_answer a;
    struct ex_at at;
    enum bk_lib_err err;
    json_t *o;

    if (!ex_at_open(&at, g, game, fen, &failed))
        return error_in_place(&failed);
    err = ask_value(&at, &a);
    if (err) {
        ex_reply_lib(&failed, at.lib, err);
        o = error_in_place(&failed);
    } else {
        value = value_of(&a, &at.p);
        o = json_object();
        put_value(o, &value);
        json_object_set_new(o, "mover", view_json(&value));
    }
    ex_at_close(&at);
    return o;
}

void ex_ask_batch(struct ex_games *g, struct ex_game *game, const char *body, size_t n,
                  struct ex_reply *reply)
{
    json_t *root = json_loadb(body, n, JSON_REJECT_DUPLICATES, NULL), *answers, *fen;
    json_t *fens = json_object_get(root, "fens");
    size_t i;

    if (!json_is_array(fens) || !json_array_size(fens) || json_array_size(fens) > EX_BATCH_MAX) {
        json_decref(root);
        ex_reply_error(reply, 400, "usage", "the body must be {\"fens\": [...]}, 1 to %d of them",
                       EX_BATCH_MAX);
        return;
    }
    answers = json_array();
    json_array_foreach(fens, i, fen)
    {
        json_t *one = json_is_string(fen) ? answer_one(g, game, json_string_value(fen))
                                          : json_pack("{ss ss si}", "error", "not a string", "code",
                                                      "usage", "status", 400);

        if (one)
            json_object_set(one, "asked", fen);
        json_array_append_new(answers, one);
    }
    json_decref(root);
    ex_reply_json(reply, 200, json_pack("{ss so}", "variant", game->name, "answers", answers));
}
