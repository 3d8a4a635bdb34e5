/*
 * keys.c - one function a key.
 *
 * Idea: a function reads one value into the plain fields and complains of what
 * cannot be understood; whether the fields make a game is check.c's question.  The
 * table at the end is the list of all keys; docs/variant-files.md 2 says what each
 * means.
 */
#include "core/keys.h"

#include <string.h>

#include "core/betza.h"
#include "core/letter.h"

#define ARMY_MAX        200
#define TURNS_MAX       10000
#define QUIET_TURNS_MAX 20

/* == Of the game ========================================================= */

static bool key_name(struct bk_cursor *c, struct bk_variant *v)
{
    if (!bk_cursor_copy(c, v->name, sizeof v->name))
        return false;
    for (; *c->p; c->p++)
        if (!bk_is_lower(*c->p) && !bk_is_digit(*c->p) && *c->p != '-')
            return bk_cursor_wrong(c, "a name has only a-z, 0-9 and -");
    return true;
}

static bool key_title(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_copy(c, v->title, sizeof v->title);
}

static bool key_source(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_copy(c, v->source, sizeof v->source);
}

static bool key_board(struct bk_cursor *c, struct bk_variant *v)
{
    unsigned files = 0, ranks = 0;

    if (!bk_cursor_number(c, 2, BK_FILES_MAX, &files))
        return false;
    if (*c->p != 'x')
        return bk_cursor_wrong(c, "expected FILESxRANKS, such as 10x8");
    c->p++;
    if (!bk_cursor_number(c, 2, BK_RANKS_MAX, &ranks) || !bk_cursor_end(c))
        return false;
    bk_variant_board(v, files, ranks);
    return true;
}

static bool key_holes(struct bk_cursor *c, struct bk_variant *v)
{
    while (bk_cursor_more(c)) {
        const char *start = c->p;
        uint8_t file = 0;
        unsigned rank = 0, sq;

        if (!bk_cursor_file(c, v, &file) || !bk_cursor_number(c, 1, v->ranks, &rank))
            return false;
        sq = bk_sq(v, file, rank - 1);
        if (!bk_bits_has(&v->board, sq)) {
            c->p = start;
            return bk_cursor_wrong(c, "%c%u stands twice", 'a' + file, rank);
        }
        bk_bits_clear(&v->board, sq);
    }
    return true;
}

static bool key_bare_king(struct bk_cursor *c, struct bk_variant *v)
{
    static const char *const words[] = {
        [BK_BARE_NOTHING] = "nothing",
        [BK_BARE_WINS] = "wins",
        [BK_BARE_BACK] = "wins-unless-bared-back",
        NULL,
    };
    unsigned i = 0;
    bool ok = bk_cursor_one_of(c, words, &i);

    v->bare = (enum bk_bare)i;
    return ok;
}

static bool key_stalemate(struct bk_cursor *c, struct bk_variant *v)
{
    static const char *const words[] = {
        [BK_STALEMATE_DRAW] = "draw",
        [BK_STALEMATE_LOSS] = "loss",
        NULL,
    };
    unsigned i = 0;
    bool ok = bk_cursor_one_of(c, words, &i);

    v->stalemate = (enum bk_stalemate)i;
    return ok;
}

static bool key_en_passant(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_choice(c, "no", "yes", &v->en_passant);
}

static bool key_castling_rook(struct bk_cursor *c, struct bk_variant *v)
{
    v->castling.allowed = true;
    return bk_cursor_type(c, v, &v->castling.rook) && bk_cursor_end(c);
}

static bool key_castling_king_file(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_file(c, v, &v->castling.king_file) && bk_cursor_end(c);
}

/* Reads a file, or `-`: there is no castling on this wing. */
static bool file_or_none(struct bk_cursor *c, const struct bk_variant *v, uint8_t *file)
{
    if (!bk_cursor_more(c) || *c->p != '-')
        return bk_cursor_file(c, v, file);
    c->p++;
    *file = BK_NO_HOME;
    return true;
}

static bool two_files(struct bk_cursor *c, const struct bk_variant *v, uint8_t file[2])
{
    return file_or_none(c, v, &file[0]) && file_or_none(c, v, &file[1]) && bk_cursor_end(c);
}

static bool key_castling_rook_files(struct bk_cursor *c, struct bk_variant *v)
{
    return two_files(c, v, v->castling.rook_file);
}

static bool key_castling_king_to(struct bk_cursor *c, struct bk_variant *v)
{
    return two_files(c, v, v->castling.king_to);
}

static bool key_castling_rook_to(struct bk_cursor *c, struct bk_variant *v)
{
    return two_files(c, v, v->castling.rook_to);
}

static bool key_castling_homes(struct bk_cursor *c, struct bk_variant *v)
{
    static const char *const words[] = { "fixed", "shuffled", NULL };
    unsigned i = 0;
    bool ok = bk_cursor_one_of(c, words, &i);

    v->castling.shuffled = i;
    return ok;
}

static bool key_limits(struct bk_cursor *c, struct bk_variant *v)
{
    while (bk_cursor_more(c)) {
        const char *start = c->p;
        uint8_t type = 0;
        unsigned n = 0;

        if (!bk_cursor_type(c, v, &type) || !bk_cursor_number(c, 1, 255, &n))
            return false;
        if (v->limit[type]) {
            c->p = start;
            return bk_cursor_wrong(c, "%c stands twice", v->piece[type].letter);
        }
        v->limit[type] = (uint8_t)n;
    }
    return true;
}

static bool key_game_length(struct bk_cursor *c, struct bk_variant *v)
{
    unsigned n = 0;
    bool ok = bk_cursor_only_number(c, 1, TURNS_MAX, &n);

    v->game_turns = (uint16_t)n;
    return ok;
}

static bool key_hand(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_choice(c, "none", "captured", &v->hands);
}

static bool key_hand_bonus(struct bk_cursor *c, struct bk_variant *v)
{
    static const char *const words[] = { "none", NULL };
    unsigned i;

    (void)v;
    return bk_cursor_one_of(c, words, &i);
}

static bool key_configuration(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_choice(c, "none", "2x2", &v->configuration);
}

static bool key_opening(struct bk_cursor *c, struct bk_variant *v)
{
    return bk_cursor_choice(c, "array", "drops", &v->opening_drops);
}

static bool key_quiet_turns(struct bk_cursor *c, struct bk_variant *v)
{
    unsigned n = 0;
    bool ok = bk_cursor_only_number(c, 0, QUIET_TURNS_MAX, &n);

    v->quiet_turns = (uint8_t)n;
    return ok;
}

/* Only the letters are looked at here; read.c has the whole FEN read once the game is known. */
static bool key_start(struct bk_cursor *c, struct bk_variant *v)
{
    if (!bk_cursor_copy(c, v->start, sizeof v->start))
        return false;
    for (; *c->p && !bk_is_space(*c->p); c->p++)
        if (bk_is_letter(*c->p) && bk_variant_type(v, *c->p) < 0)
            return bk_cursor_wrong(c, "no piece has the letter `%c`", bk_upper(*c->p));
    return true;
}

static bool key_letter(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    if (*c->p < 'A' || *c->p > 'Z')
        return bk_cursor_wrong(c, "a letter is one of A to Z");
    p->letter = *c->p++;
    return bk_cursor_end(c);
}

static bool key_royal(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    if (!bk_cursor_choice(c, "no", "yes", &p->royal))
        return false;
    if (p->royal)
        v->royal = (uint8_t)(p - v->piece);
    return true;
}

static bool betza(struct bk_cursor *c, struct bk_movement *m)
{
    struct bk_report why;
    size_t at;

    if (!bk_betza_read(m, c->p, &at, &why))
        return true;
    c->p += at;
    return bk_cursor_wrong(c, "%s", why.text);
}

static bool key_move(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return betza(c, &p->move);
}

static bool key_steps(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 1;
    bool ok = bk_cursor_only_number(c, 1, 2, &n);

    (void)v;
    p->move.steps_max = (uint8_t)n;
    return ok;
}

static bool key_bend(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = { "straight", "free", NULL };
    unsigned i = 0;
    bool ok = bk_cursor_one_of(c, words, &i);

    (void)v;
    p->move.bend = i == 1;
    return ok;
}

static bool key_takes_twice(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return bk_cursor_choice(c, "no", "yes", &p->move.takes_twice);
}

static bool key_army(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 0;
    bool ok = bk_cursor_only_number(c, 0, ARMY_MAX, &n);

    (void)v;
    p->army = (uint8_t)n;
    return ok;
}

static bool key_ranks(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return bk_cursor_ranks(c, v, &p->ranks) && bk_cursor_end(c);
}

static bool key_zone_ranks(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return bk_cursor_ranks(c, v, &p->zone_ranks) && bk_cursor_end(c);
}

static bool key_zone_move(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return betza(c, &p->zone);
}

static bool key_double_step(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return bk_cursor_ranks(c, v, &p->double_ranks) && bk_cursor_end(c);
}

static bool word_once(struct bk_cursor *c, const char *word, bool *said)
{
    return !*said && (*said = bk_cursor_skip(c, word));
}

static bool key_becomes(struct bk_cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    struct bk_become *b = &p->become[p->nbecomes];

    if (p->nbecomes == BK_BECOMES_MAX)
        return bk_cursor_wrong(c, "a piece has at most %d `becomes`", BK_BECOMES_MAX);
    if (!bk_cursor_ranks(c, v, &b->ranks))
        return false;
    b->must = bk_cursor_skip(c, "must");
    if (!b->must && !bk_cursor_skip(c, "may"))
        return bk_cursor_wrong(c, "expected may | must");
    while (word_once(c, "lost", &b->lost_only) || word_once(c, "counted", &b->counted) ||
           word_once(c, "in-place", &b->in_place)) /* in any order */
        ;
    while (bk_cursor_more(c)) {
        if (b->nto == BK_TYPES_MAX)
            return bk_cursor_wrong(c, "more letters than pieces");
        if (!bk_cursor_type(c, v, &b->to[b->nto]))
            return false;
        b->nto++;
    }
    p->nbecomes++;
    return true;
}

static const struct bk_key keys[] = {
    { "board", .first = true, .of_variant = key_board },
    { "letter", .first = true, .of_piece = key_letter },
    { "name", .of_variant = key_name },
    { "title", .of_variant = key_title },
    { "source", .of_variant = key_source },
    { "holes", .repeats = true, .of_variant = key_holes },
    { "bare-king", .of_variant = key_bare_king },
    { "stalemate", .of_variant = key_stalemate },
    { "en-passant", .of_variant = key_en_passant },
    { "castling-rook", .of_variant = key_castling_rook },
    { "castling-king-file", .of_variant = key_castling_king_file },
    { "castling-rook-files", .of_variant = key_castling_rook_files },
    { "castling-king-to", .of_variant = key_castling_king_to },
    { "castling-rook-to", .of_variant = key_castling_rook_to },
    { "castling-homes", .of_variant = key_castling_homes },
    { "limits", .of_variant = key_limits },
    { "game-length-turns", .of_variant = key_game_length },
    { "start", .of_variant = key_start },
    { "hand", .of_variant = key_hand },
    { "hand-bonus", .of_variant = key_hand_bonus },
    { "configuration", .of_variant = key_configuration },
    { "opening", .of_variant = key_opening },
    { "opening-quiet-turns", .of_variant = key_quiet_turns },
    { "royal", .of_piece = key_royal },
    { "move", .of_piece = key_move },
    { "steps", .of_piece = key_steps },
    { "bend", .of_piece = key_bend },
    { "takes-twice", .of_piece = key_takes_twice },
    { "army", .of_piece = key_army },
    { "ranks", .of_piece = key_ranks },
    { "zone-ranks", .of_piece = key_zone_ranks },
    { "zone-move", .of_piece = key_zone_move },
    { "double-step", .of_piece = key_double_step },
    { "becomes", .repeats = true, .of_piece = key_becomes },
};

const struct bk_key *bk_key_find(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}
