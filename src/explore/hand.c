/*
 * hand.c - see hand.h.
 */
#include "explore/hand.h"

#include <stdlib.h>
#include <string.h>

#include "core/hands.h"
#include "core/rules.h"
#include "explore/tell.h"

#define FAR_PLIES 100000 /* more than any game takes */

struct ranked {
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

static enum bk_lib_end end_of(enum bk_hands_end end)
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
static struct ex_value value_of(const struct bk_hands_pos *p, const struct bk_variant *v,
                                bool *configuration)
{
    int wdl = 0;
    enum bk_hands_end end = bk_hands_over(p, v, &wdl);

    *configuration = end == BK_HANDS_CONFIGURATION;
    return (struct ex_value){ .known = end != BK_HANDS_GOES_ON,
                              .wdl = wdl,
                              .plies = wdl ? 0 : -1,
                              .clocked_wdl = wdl,
                              .clocked_known = true,
                              .end = end_of(end) };
}

/* Sets *value to the worth of a position that goes on, whose army is known. */
static void ask_value(const struct ex_armies *known, const struct bk_hands_pos *p,
                      struct ex_value *value)
{
    known->value(known->context, p, &value->wdl, &value->plies);
    value->known = true;
    value->clocked_wdl = value->wdl;
}

static void put_value(json_t *o, const struct ex_value *value, bool configuration)
{
    ex_put_value(o, value);
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
    struct ex_value value, mover;
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
    value = value_of(after, t->v, &configuration);
    if (t->known && !value.known)
        ask_value(t->known, after, &value);
    mover = value;
    mover.wdl = -value.wdl;
    mover.clocked_wdl = -value.clocked_wdl;
    mover.plies = value.wdl ? value.plies + 1 : -1;
    o = json_pack("{ss ss ss}", "uci", name, "san", name, "name", name);
    put_value(o, &value, configuration);
    json_object_set_new(o, "mover", ex_view_json(&mover));
    json_object_set_new(o, "from", ex_square_json(t->v, turn->from));
    json_object_set_new(o, "to", ex_square_json(t->v, turn->to));
    json_object_set_new(o, "fen", json_string(fen));
    json_array_append_new(t->list, o);
    return true;
}

/* Orders turns: best first, where that is known; else as they were made. */
static int better(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->nth > y->nth) - (x->nth < y->nth);
}

static json_t *sorted(json_t *list)
{
    size_t n = json_array_size(list), i;
    struct ranked *r = calloc(n + 1, sizeof *r);
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

        r[i] = (struct ranked){ o, wdl * (FAR_PLIES - (int)plies), i };
        if (!strcmp(category, "unknown"))
            r[i].score = -2 * FAR_PLIES;
    }
    qsort(r, n, sizeof *r, better);
    for (i = 0; i < n; i++)
        json_array_append(out, r[i].o);
    free(r);
    json_decref(list);
    return out;
}

/* Lists all turns.  If the army is known they have values, the best first, and *value is set to the
   position's own. */
static void list_turns(struct turns *t, const struct ex_games *g, struct ex_game *game,
                       struct ex_value *value)
{
    if (g->armies && g->armies->begin(g->armies->context, game, t->p, &t->counting))
        t->known = g->armies;
    bk_hands_turns(t->p, t->v, see_turn, t);
    if (t->known) {
        ask_value(t->known, t->p, value);
        t->known->end(t->known->context);
        t->list = sorted(t->list);
    }
}

/* The value of a position that is not over, but has no turn. */
static struct ex_value value_of_stuck(const struct bk_hands_pos *p, const struct bk_variant *v)
{
    int wdl = bk_hands_stuck_wdl(p, v);

    return (struct ex_value){ .known = true,
                              .wdl = wdl,
                              .plies = wdl ? 0 : -1,
                              .clocked_wdl = wdl,
                              .clocked_known = true,
                              .end = bk_hands_in_check(p, v, p->stm) ? BK_LIB_CHECKMATE
                                                                     : BK_LIB_STALEMATE };
}

enum reading { NO_HANDS, REFUSED, READ };

/* REFUSED: *reply says why. */
static enum reading read_position(struct bk_hands_pos *p, const struct bk_variant *v,
                                  const char *fen, struct ex_reply *reply)
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
static json_t *answer_json(const struct ex_game *game, const struct turns *t,
                           const struct ex_value *value, bool configuration)
{
    json_t *o = json_object();
    char fen[BK_FEN_MAX];

    json_object_set_new(o, "variant", json_string(game->name));
    json_object_set_new(o, "fen", json_string(bk_hands_to_fen(t->p, t->v, fen)));
    json_object_set_new(o, "check", json_boolean(bk_hands_in_check(t->p, t->v, t->p->stm)));
    put_value(o, value, configuration);
    json_object_set_new(o, "mover", ex_view_json(value));
    json_object_set_new(o, "more", json_boolean(t->more));
    if (t->counting)
        json_object_set_new(o, "counting", json_true());
    json_object_set_new(o, "moves", t->list);
    return o;
}

bool ex_hand_moves(struct ex_games *g, struct ex_game *game, const char *fen,
                   struct ex_reply *reply)
{
    struct bk_hands_pos p;
    struct turns t = { .v = game->v, .p = &p };
    struct ex_value value;
    bool configuration;
    enum reading is = read_position(&p, game->v, fen, reply);

    if (is != READ)
        return is == REFUSED;
    t.list = json_array();
    t.seen = json_object();
    value = value_of(&p, game->v, &configuration);
    if (!value.known)
        list_turns(&t, g, game, &value);
    if (value.end == BK_LIB_GOES_ON && !configuration && !json_array_size(t.list))
        value = value_of_stuck(&p, game->v);
    json_decref(t.seen);
    ex_reply_json(reply, 200, answer_json(game, &t, &value, configuration));
    return true;
}
