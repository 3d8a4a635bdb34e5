/*
 * position.c - men on squares, and the FEN that says so.
 *
 * Idea: a FEN is cut into its fields, which shows those that are missing; then
 * they are read one by one through a cursor, which each reader advances, or
 * ends with the fault and its place.  Faults in the board field name rank and
 * column, later ones the field.
 *
 * Invariant: `at`, `by`, `count` and `king` say the same thing; only put and
 * lift change them.
 */
#include "core/position.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/letter.h"
#include "core/rules.h"
#include "core/utf8.h"

/* == Men ================================================================= */

void bk_pos_init(struct bk_pos *p, const struct bk_variant *v)
{
    memset(p, 0, sizeof *p);
    p->king[BK_WHITE] = p->king[BK_BLACK] = BK_SQ_NONE;
    p->stm = BK_WHITE;
    p->ep = BK_SQ_NONE;
    p->turn = 1;
    bk_rules_allowances(v, p->left);
}

void bk_pos_put(struct bk_pos *p, const struct bk_variant *v, unsigned type, unsigned colour,
                unsigned sq)
{
    p->at[sq] = bk_man(type, colour);
    bk_bits_set(&p->by[colour], sq);
    p->count[colour][type]++;
    if (type == v->royal)
        p->king[colour] = (uint8_t)sq;
}

void bk_pos_lift(struct bk_pos *p, const struct bk_variant *v, unsigned sq)
{
    unsigned type = bk_man_type(p->at[sq]), colour = bk_man_colour(p->at[sq]);

    p->at[sq] = 0;
    bk_bits_clear(&p->by[colour], sq);
    p->count[colour][type]--;
    if (type == v->royal && p->king[colour] == sq)
        p->king[colour] = BK_SQ_NONE;
}

/* == Square names ======================================================== */

char *bk_sq_name(const struct bk_variant *v, unsigned sq, char out[8])
{
    if (sq >= v->nsq)
        snprintf(out, 8, "-");
    else
        snprintf(out, 8, "%c%u", 'a' + sq % v->files, sq / v->files + 1);
    return out;
}

/* Sultan's rulebook calls its tenth file k, as if j were i; both are read. */
unsigned bk_file_read(const struct bk_variant *v, char letter)
{
    if (letter < 'a' || letter > 'z')
        return BK_SQ_NONE;
    if (letter == 'k' && v->files == 10)
        return 9;
    return letter - 'a' < v->files ? (unsigned)(letter - 'a') : BK_SQ_NONE;
}

unsigned bk_sq_read(const struct bk_variant *v, const char **s)
{
    const char *at = *s;
    unsigned file = bk_file_read(v, *at), rank = 0;

    if (file == BK_SQ_NONE || at[1] < '1' || at[1] > '9')
        return BK_SQ_NONE;
    for (at++; *at >= '0' && *at <= '9' && rank <= BK_RANKS_MAX; at++)
        rank = rank * 10 + (unsigned)(*at - '0');
    if (rank > v->ranks)
        return BK_SQ_NONE;
    *s = at;
    return bk_sq(v, file, rank - 1);
}

/* == The fields of a FEN ================================================= */

/* `_` is a blank of addresses. */
static bool is_blank(char c) { return bk_is_space(c) || c == '_'; }

static size_t word_chars(const char *s)
{
    size_t n = 0;

    while (s[n] && !is_blank(s[n]) && s[n] != ';')
        n++;
    return n;
}

static size_t digits(const char *s)
{
    size_t n = 0;

    while (bk_is_digit(s[n]))
        n++;
    return n;
}

static bool is_square(const char *s, size_t n)
{
    return n > 1 && bk_is_lower(*s) && 1 + digits(s + 1) == n;
}

/* "3+3", "+0+0": checks that may still be given, or were, in games that count them. */
static bool is_count(const char *s, size_t n)
{
    return n > 1 && strspn(s, "0123456789+") >= n && memchr(s, '+', n);
}

/* Do operations of EPD begin here, or the `;` that sets off whatever follows a FEN?  Without any
   `;` only operations that EPD itself has are known as such: `moves e2e4` must not be passed over.
 */
static bool is_operation(const char *s)
{
    static const char known[] = " acd acn acs am bm ce dm eco fmvn hmvc id nic pm pv rc sm tcgs "
                                "tcri tcsi ";
    size_t n = word_chars(s);
    char word[8];

    if (*s == ';')
        return true;
    if (!bk_is_letter(*s))
        return false;
    if (strchr(s, ';'))
        return true;
    if (n > 4 || !is_blank(s[n]))
        return false;
    snprintf(word, sizeof word, " %.*s ", (int)n, s);
    return strstr(known, word) || (n == 2 && strchr("cv", *s) && bk_is_digit(s[1]));
}

void bk_fen_split(struct bk_fen *out, const char *text)
{
    const char *s = text + bk_utf8_mark(text);
    unsigned next = BK_FEN_BOARD;

    memset(out, 0, sizeof *out);
    out->text = out->end = text;
    for (;; next++) {
        size_t n;

        while (is_blank(*s))
            s++;
        n = word_chars(s);
        if (next >= BK_FEN_CASTLING && is_count(s, n)) {
            out->end = s += n;
            next--;
            continue;
        }
        if (!n || next == BK_FEN_FIELDS ||
            (next >= (is_square(s, n) ? BK_FEN_CLOCK : BK_FEN_PASSED) && is_operation(s)))
            break;
        if ((next == BK_FEN_CASTLING || next == BK_FEN_PASSED) && digits(s) == n)
            next = BK_FEN_CLOCK;
        else if (next == BK_FEN_CASTLING && is_square(s, n))
            next = BK_FEN_PASSED;
        out->at[next] = s;
        out->n[next] = n;
        out->end = s += n;
    }
    out->rest = s;
    out->too_many = *s && !is_operation(s);
}

size_t bk_epd_word(const char *operations, const char *name, const char **word)
{
    size_t n = strlen(name);
    bool begins = true; /* an operation may begin at `at` */

    for (const char *at = operations; at && *at; at++) {
        if (begins && !strncmp(at, name, n) && bk_is_space(at[n])) {
            for (*word = at + n; bk_is_space(**word);)
                ++*word;
            return word_chars(*word);
        }
        if (*at == '"' && !(at = strchr(at + 1, '"')))
            break;
        begins = *at == ';' || (begins && bk_is_space(*at));
    }
    return 0;
}

/* == Reading a FEN ======================================================= */

struct reading {
    const struct bk_variant *v;
    struct bk_pos *p;
    const struct bk_fen *fen;
    const char *s, *end; /* what is not read yet of a field */
    struct bk_report *why;
};

static unsigned column(const struct reading *r) { return (unsigned)(r->s - r->fen->text) + 1; }

static bool at_end(const struct reading *r) { return r->s == r->end; }

/* A character as a message shows it. */
static const char *shown(char c, char out[8])
{
    if (c > ' ' && c <= '~')
        snprintf(out, 8, "'%c'", c);
    else
        snprintf(out, 8, "\\x%02x", (unsigned)(unsigned char)c);
    return out;
}

/* Goes to a field; false if it is missing. */
static bool field(struct reading *r, unsigned which)
{
    r->s = r->fen->at[which];
    r->end = r->s ? r->s + r->fen->n[which] : NULL;
    return r->s;
}

/* Goes to a field; false if it is missing, or `-`. */
static bool field_says(struct reading *r, unsigned which)
{
    return field(r, which) && !(r->fen->n[which] == 1 && *r->s == '-');
}

/* The characters of the rest of this field, for messages: `%.*s` wants width and start. */
static int field_chars(const struct reading *r)
{
    return r->end - r->s < 40 ? (int)(r->end - r->s) : 40;
}

/* Reads a number of the field, at most `max`; false if there is none or it is larger. */
static bool number_read(struct reading *r, unsigned max, unsigned *out)
{
    unsigned n = 0;

    if (!bk_is_digit(*r->s))
        return false;
    for (; bk_is_digit(*r->s); r->s++) {
        n = n * 10 + (unsigned)(*r->s - '0');
        if (n > max)
            return false;
    }
    *out = n;
    return true;
}

/* == The board field == */

unsigned bk_gap_read(const char **s)
{
    unsigned gap = 0;

    for (; bk_is_digit(**s); ++*s)
        if (gap <= BK_FILES_MAX)
            gap = gap * 10 + (unsigned)(**s - '0');
    return gap <= BK_FILES_MAX ? gap : BK_FILES_MAX + 1;
}

#define MAY_CHANGE 0x80 /* added to a cell: `?` stands before it */

/*
 * Reads one rank into cells: a letter, '*' for a hole or sea, '.' for an empty
 * square.  *n counts all squares named, also those beyond the board.  `~`,
 * the mark of a man who was a pawn, says nothing.
 */
static enum bk_err rank_read(struct reading *r, unsigned rank, unsigned char cell[BK_FILES_MAX],
                             unsigned *n)
{
    char text[8], letters[BK_TYPES_MAX + 1];

    for (*n = 0; !at_end(r) && *r->s != '/' && *r->s != '[';) {
        bool marked =
            *r->s == '?' && !bk_bits_empty(bk_rules_changeable(r->v)) && r->s + 1 < r->end;
        unsigned gap = 1, start = column(r);
        char c = *(r->s += marked);

        if (bk_is_digit(c)) {
            gap = (unsigned)(c - '0');
            r->s += marked; /* one digit */
            if ((!marked && !number_read(r, 99, &gap)) || gap == 0)
                return bk_fail(r->why, BK_E_USAGE, "FEN rank %u: bad gap at column %u", rank + 1,
                               start);
            c = '.';
        } else if (c == '*' || (bk_is_letter(c) && bk_variant_type(r->v, c) >= 0)) {
            r->s++;
            r->s += c != '*' && !at_end(r) && *r->s == '~';
        } else {
            return bk_fail(
                r->why, BK_E_USAGE, "FEN rank %u: unknown piece letter %s at column %u; %s has %s",
                rank + 1, shown(c, text), column(r), r->v->name, bk_variant_letters(r->v, letters));
        }
        for (; gap--; (*n)++)
            if (*n < r->v->files)
                cell[*n] = (unsigned char)(c | (marked ? MAY_CHANGE : 0));
    }
    return BK_OK;
}

/* Is a square marked by `?` if, and only if, its land can change?  Where all of it can no mark is
   needed. */
static bool marked_rightly(const struct reading *r, unsigned sq, bool marked)
{
    bool can = bk_bits_has(bk_rules_changeable(r->v), sq);

    return marked == can || (can && !bk_rules_names_changeable(r->v));
}

static enum bk_err cell_put(struct reading *r, unsigned sq, unsigned char cell)
{
    bool exists = bk_bits_has(&r->v->board, sq);
    char name[8], c = (char)(cell & ~MAY_CHANGE);
    unsigned type, colour;

    if (!marked_rightly(r, sq, cell & MAY_CHANGE))
        return bk_fail(r->why, BK_E_USAGE, "FEN: %s %s change in this game",
                       bk_sq_name(r->v, sq, name),
                       cell & MAY_CHANGE ? "cannot" : "can (`?` expected)");
    if (c == '*' && bk_rules_land_lives(r->v) && bk_bits_has(bk_rules_changeable(r->v), sq)) {
        bk_bits_set(&r->p->sea, sq);
        return BK_OK;
    }
    if (c == '*' && exists)
        return bk_fail(r->why, BK_E_USAGE, "FEN: '*' at %s is not a hole of this board",
                       bk_sq_name(r->v, sq, name));
    if (c != '*' && !exists)
        return bk_fail(r->why, BK_E_USAGE, "FEN: %s is a hole ('*' expected)",
                       bk_sq_name(r->v, sq, name));
    if (c == '*' || c == '.')
        return BK_OK;
    type = (unsigned)bk_variant_type(r->v, c);
    colour = c >= 'a' ? BK_BLACK : BK_WHITE;
    if (!bk_rules_may_stand(r->v, type, colour, sq))
        return bk_fail(r->why, BK_E_USAGE, "FEN: %s %s on %s, where it may not stand",
                       bk_colour_name(colour), r->v->piece[type].name, bk_sq_name(r->v, sq, name));
    bk_pos_put(r->p, r->v, type, colour, sq);
    return BK_OK;
}

static enum bk_err rank_put(struct reading *r, unsigned rank)
{
    unsigned char cell[BK_FILES_MAX];
    unsigned n;
    enum bk_err err = rank_read(r, rank, cell, &n);

    if (err)
        return err;
    if (n != r->v->files)
        return bk_fail(r->why, BK_E_USAGE, "FEN: rank %u has %u squares, the board has %u",
                       rank + 1, n, (unsigned)r->v->files);
    for (unsigned file = 0; file < r->v->files && !err; file++)
        err = cell_put(r, bk_sq(r->v, file, rank), cell[file]);
    return err;
}

/*
 * Checks the letters and gaps of a FEN with `*`.  It may show a board of its own (derive.h); if it
 * was not taken for one, a letter or a gap is wrong, and that is reported rather than that the
 * board is not the game's.
 */
static enum bk_err letters_check(const struct reading *r, unsigned ranks)
{
    struct reading ahead = *r;
    unsigned char cell[BK_FILES_MAX];
    enum bk_err err = BK_OK;
    unsigned n;

    while (!err && ranks--) {
        err = rank_read(&ahead, ranks, cell, &n);
        ahead.s += !err && ranks;
    }
    return err;
}

static enum bk_err board_read(struct reading *r)
{
    unsigned ranks = 1;
    bool holes = false;

    if (!field(r, BK_FEN_BOARD))
        return bk_fail(r->why, BK_E_USAGE, "FEN: empty");
    for (const char *s = r->s; s < r->end && *s != '['; s++) {
        ranks += *s == '/';
        holes |= *s == '*';
    }
    if (holes) {
        enum bk_err err = letters_check(r, ranks);

        if (err)
            return err;
    }
    if (ranks != r->v->ranks)
        return bk_fail(r->why, BK_E_USAGE, "FEN: %u rank%s, the board has %u", ranks,
                       ranks == 1 ? "" : "s", (unsigned)r->v->ranks);
    for (unsigned rank = r->v->ranks; rank--;) {
        enum bk_err err = rank_put(r, rank);

        if (err)
            return err;
        if (rank)
            r->s++; /* the slash: rank_read() stops at nothing else before the last rank */
    }
    return BK_OK;
}

static enum bk_err kings_check(struct reading *r)
{
    const char *name;

    if (!bk_rules_royal(r->v))
        return BK_OK;
    name = r->v->piece[r->v->royal].name;
    for (unsigned colour = 0; colour < 2; colour++) {
        unsigned n = r->p->count[colour][r->v->royal];

        if (n == 0)
            return bk_fail(r->why, BK_E_USAGE, "FEN: no %s %s", bk_colour_name(colour), name);
        if (n == 2)
            return bk_fail(r->why, BK_E_USAGE, "FEN: two %s %ss", bk_colour_name(colour), name);
        if (n > 2)
            return bk_fail(r->why, BK_E_USAGE, "FEN: %u %s %ss", n, bk_colour_name(colour), name);
    }
    return BK_OK;
}

/* == [allowances] == */

static enum bk_err allowance_read(struct reading *r)
{
    unsigned colour = *r->s >= 'a' ? BK_BLACK : BK_WHITE;
    int type = bk_is_letter(*r->s) ? bk_variant_type(r->v, *r->s) : -1;
    char text[8];

    if (bk_rules_hands(r->v))
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN: men in hand at column %u; of %s with hands `bareking whole` knows",
                       column(r), r->v->name);
    if (type < 0 || !bk_rules_allowance(r->v, (unsigned)type))
        return bk_fail(r->why, BK_E_USAGE,
                       "FEN allowances: %s at column %u is not a piece with a limit",
                       shown(*r->s, text), column(r));
    if (r->p->left[colour][type] == bk_rules_allowance(r->v, (unsigned)type))
        return bk_fail(r->why, BK_E_USAGE, "FEN allowances: more than %u '%c' at column %u",
                       bk_rules_allowance(r->v, (unsigned)type), *r->s, column(r));
    r->p->left[colour][type]++;
    r->s++;
    return BK_OK;
}

static enum bk_err allowances_read(struct reading *r)
{
    if (at_end(r))
        return BK_OK;
    memset(r->p->left, 0, sizeof r->p->left);
    r->s++;
    if (r->s[0] == '-' && r->s[1] == ']')
        r->s++;
    while (at_end(r) || *r->s != ']') {
        enum bk_err err;

        if (at_end(r))
            return bk_fail(r->why, BK_E_USAGE, "FEN allowances: ']' missing at column %u",
                           column(r));
        if ((err = allowance_read(r)) != BK_OK)
            return err;
    }
    r->s++;
    if (!at_end(r))
        return bk_fail(r->why, BK_E_USAGE, "FEN: space expected after ']' at column %u", column(r));
    return BK_OK;
}

/* == Side to move == */

static enum bk_err side_read(struct reading *r)
{
    if (!field(r, BK_FEN_SIDE))
        return BK_OK;
    if (field_chars(r) != 1 || (*r->s != 'w' && *r->s != 'b'))
        return bk_fail(r->why, BK_E_USAGE, "FEN side to move: '%.*s' is neither 'w' nor 'b'",
                       field_chars(r), r->s);
    r->p->stm = *r->s == 'w' ? BK_WHITE : BK_BLACK;
    return BK_OK;
}

/* == Castling == */

bool bk_is_right(const struct bk_variant *v, char letter)
{
    char lower = bk_lower(letter);

    return bk_is_letter(letter) && (lower == 'k' || lower == 'q' || lower - 'a' < v->files);
}

/* The side of a right's letter, Q and K or the file of the rook: 0 a-side, 1 the other, -1 none. */
static int castling_side(const struct bk_variant *v, char letter)
{
    char lower = bk_lower(letter);
    unsigned file = bk_file_read(v, lower);

    if (!bk_rules_castles(v))
        return -1;
    if (lower == 'k' || lower == 'q')
        return v->castling.rook_file[lower == 'k'] == BK_NO_HOME ? -1 : lower == 'k';
    for (int side = 0; side < 2; side++)
        if (file != BK_SQ_NONE && file == v->castling.rook_file[side])
            return side;
    return -1;
}

static bool at_home(const struct reading *r, unsigned type, unsigned colour, unsigned file)
{
    return r->p->at[bk_sq(r->v, file, bk_rules_home_rank(r->v, colour))] == bk_man(type, colour);
}

/* Reads a letter of the rights.  One whose king and rook are not at home says nothing. */
static enum bk_err right_read(struct reading *r)
{
    const struct bk_castling *c = &r->v->castling;
    unsigned colour = *r->s >= 'a' ? BK_BLACK : BK_WHITE, bit;
    char text[8];
    int side;

    if (!bk_is_right(r->v, *r->s))
        return bk_fail(r->why, BK_E_USAGE, "FEN castling: unknown right %s at column %u",
                       shown(*r->s, text), column(r));
    side = castling_side(r->v, *r->s);
    if (side >= 0 && at_home(r, r->v->royal, colour, c->king_file) &&
        at_home(r, c->rook, colour, c->rook_file[side])) {
        bit = 1u << (2 * colour + (unsigned)side);
        if (r->p->rights & bit)
            return bk_fail(r->why, BK_E_USAGE, "FEN castling: '%c' at column %u says a right twice",
                           *r->s, column(r));
        r->p->rights |= (uint8_t)bit;
    }
    r->s++;
    return BK_OK;
}

static enum bk_err castling_read(struct reading *r)
{
    enum bk_err err = BK_OK;

    if (!field_says(r, BK_FEN_CASTLING))
        return BK_OK;
    if (r->fen->n[BK_FEN_CASTLING] == 1 && *r->s == '+') { /* elsewhere it says nothing */
        r->p->begun = bk_rules_land_lives(r->v);
        return BK_OK;
    }
    while (!err && !at_end(r))
        err = right_read(r);
    return err;
}

/* == En passant == */

/* Is `ep` behind an enemy man that can just have made a double step? */
static bool ep_possible(const struct reading *r, unsigned ep)
{
    const struct bk_variant *v = r->v;
    unsigned them = !r->p->stm, own_rank = bk_own_rank(v, ep, them);
    int ahead = bk_ahead(v, them);
    unsigned from, to;
    uint8_t man;

    if (own_rank == 0 || own_rank + 1u >= v->ranks)
        return false;
    from = (unsigned)((int)ep - ahead);
    to = (unsigned)((int)ep + ahead);
    man = r->p->at[to];
    return man && bk_man_colour(man) == them && !r->p->at[from] && !r->p->at[ep] &&
           bk_bits_has(&v->board, from) && bk_bits_has(&v->board, ep) &&
           bk_rules_doubles_from(v, bk_man_type(man), them, from);
}

/* A square over which nobody can have passed just now says nothing. */
static enum bk_err ep_read(struct reading *r)
{
    const char *text;
    unsigned ep;
    int chars;

    if (!field_says(r, BK_FEN_PASSED))
        return BK_OK;
    text = r->s;
    chars = field_chars(r);
    ep = bk_sq_read(r->v, &r->s);
    if (ep == BK_SQ_NONE || !at_end(r))
        return bk_fail(r->why, BK_E_USAGE, "FEN en passant: '%.*s' is no square", chars, text);
    if (bk_rules_en_passant(r->v) && ep_possible(r, ep))
        r->p->ep = (uint8_t)ep;
    return BK_OK;
}

/* == Clocks == */

/* Reads the number of the turn at r->s.  0 stands for 1. */
static enum bk_err turn_read(struct reading *r)
{
    const char *text = r->s;
    int chars = field_chars(r);
    unsigned n;

    if (!number_read(r, UINT16_MAX, &n) || !at_end(r))
        return bk_fail(r->why, BK_E_USAGE, "FEN move number: '%.*s' is not 1 to %u", chars, text,
                       (unsigned)UINT16_MAX);
    r->p->turn = (uint16_t)(n ? n : 1);
    return BK_OK;
}

static enum bk_err clocks_read(struct reading *r)
{
    const char *rest = r->fen->rest;
    size_t chars;
    unsigned n;

    if (field_says(r, BK_FEN_CLOCK)) {
        const char *text = r->s;
        int width = field_chars(r);

        if (!number_read(r, 9999, &n) || !at_end(r))
            return bk_fail(r->why, BK_E_USAGE, "FEN half-move clock: '%.*s' is not 0 to 9999",
                           width, text);
        r->p->clock = bk_rules_nmove(r->v) ? (uint16_t)n : 0;
    }
    if (r->fen->too_many) {
        r->s = rest;
        r->end = rest + word_chars(rest);
        return bk_fail(r->why, BK_E_USAGE, "FEN: '%.*s' after the last field, at column %u",
                       field_chars(r), r->s, column(r));
    }
    if (field(r, BK_FEN_TURN))
        return field_says(r, BK_FEN_TURN) ? turn_read(r) : BK_OK;
    if (!(chars = bk_epd_word(rest, "fmvn", &r->s)))
        return BK_OK;
    r->end = r->s + chars;
    return turn_read(r);
}

/* == All of it == */

static const char startpos[] = "startpos";

bool bk_fen_is_start(const char *text)
{
    struct bk_fen f;

    if (!strstr(text, startpos)) /* mostly */
        return false;
    bk_fen_split(&f, text);
    return f.n[BK_FEN_BOARD] == strlen(startpos) &&
           !strncmp(f.at[BK_FEN_BOARD], startpos, strlen(startpos)) && !f.at[BK_FEN_SIDE];
}

const char *bk_fen_meant(const struct bk_variant *v, const char *text)
{
    return *v->start && bk_fen_is_start(text) ? v->start : text;
}

/* Reads the FEN field by field; kings: each side must have one.  *p is written in any case. */
static enum bk_err fen_read(struct bk_pos *p, const struct bk_variant *v, const char *fen,
                            bool kings, struct bk_report *why)
{
    static enum bk_err (*const part[])(struct reading *) = {
        board_read, kings_check, allowances_read, side_read, castling_read, ep_read, clocks_read,
    };
    struct bk_fen fields;
    struct reading r = { .v = v, .p = p, .fen = &fields, .why = why };
    enum bk_err err = BK_OK;

    bk_pos_init(p, v);
    if (bk_fen_is_start(fen))
        return bk_fail(why, BK_E_USAGE, "%s has no starting position: give a FEN", v->name);
    bk_fen_split(&fields, fen);
    for (size_t i = 0; !err && i < sizeof part / sizeof *part; i++)
        if (kings || part[i] != kings_check)
            err = part[i](&r);
    return err;
}

enum bk_err bk_fen_rest_check(const struct bk_variant *v, const struct bk_fen *fen, unsigned *stm,
                              struct bk_report *why)
{
    struct bk_pos p;
    struct reading r = { .v = v, .p = &p, .fen = fen, .why = why };
    enum bk_err err;

    bk_pos_init(&p, v);
    err = side_read(&r);
    err = err ? err : castling_read(&r);
    err = err ? err : ep_read(&r);
    err = err ? err : clocks_read(&r);
    *stm = p.stm;
    return err;
}

enum bk_err bk_pos_from_fen(struct bk_pos *p, const struct bk_variant *v, const char *fen,
                            struct bk_report *why)
{
    struct bk_pos read;
    enum bk_err err = fen_read(&read, v, bk_fen_meant(v, fen), true, why);

    if (!err)
        *p = read;
    return err;
}

enum bk_err bk_fen_check(const struct bk_variant *v, const char *fen, struct bk_report *why)
{
    struct bk_pos read;

    return fen_read(&read, v, bk_fen_meant(v, fen), false, why);
}

/* == Writing a FEN ======================================================= */

struct writing {
    char *out;
    size_t n;
};

static void write_fmt(struct writing *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void write_fmt(struct writing *w, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(w->out + w->n, BK_FEN_MAX - w->n, fmt, args);
    va_end(args);
    if (n > 0)
        w->n += (size_t)n;
    if (w->n > BK_FEN_MAX - 1)
        w->n = BK_FEN_MAX - 1;
}

char bk_man_letter(const struct bk_variant *v, uint8_t man)
{
    char letter = v->piece[bk_man_type(man)].letter;

    return bk_man_colour(man) == BK_WHITE ? letter : bk_lower(letter);
}

/* What is written of a square. */
static unsigned char cell_of(const struct bk_variant *v, uint8_t man, const struct bk_bits *sea,
                             unsigned sq)
{
    bool hole = !bk_bits_has(&v->board, sq) || (sea && bk_bits_has(sea, sq));
    bool marked = bk_rules_names_changeable(v) && bk_bits_has(bk_rules_changeable(v), sq);
    char c = hole ? '*' : man ? bk_man_letter(v, man) : '.';

    return (unsigned char)(c | (marked ? MAY_CHANGE : 0));
}

/* Writes `n` squares that are alike, which only empty ones of land are together. */
static size_t run_write(unsigned char cell, unsigned n, char *out)
{
    char *at = out;

    if (cell & MAY_CHANGE)
        *at++ = '?';
    if ((cell & ~MAY_CHANGE) == '.')
        return (size_t)(at + sprintf(at, "%u", n) - out);
    *at++ = (char)(cell & ~MAY_CHANGE);
    return (size_t)(at - out);
}

static size_t rank_write(const struct bk_variant *v, const uint8_t *at, const struct bk_bits *sea,
                         unsigned rank, char *out)
{
    size_t n = 0;

    for (unsigned file = 0, alike; file < v->files; file += alike) {
        unsigned sq = bk_sq(v, file, rank);
        unsigned char cell = cell_of(v, at[sq], sea, sq);

        alike = 1;
        while ((cell & ~MAY_CHANGE) == '.' && file + alike < v->files &&
               (alike < 9 || !(cell & MAY_CHANGE)) &&
               cell_of(v, at[sq + alike], sea, sq + alike) == cell)
            alike++;
        n += run_write(cell, alike, out + n);
    }
    return n;
}

size_t bk_board_write(const struct bk_variant *v, const uint8_t at[BK_SQ_MAX],
                      const struct bk_bits *sea, char *out)
{
    size_t n = 0;

    for (unsigned rank = v->ranks; rank--;) {
        n += rank_write(v, at, sea, rank, out + n);
        if (rank)
            out[n++] = '/';
    }
    out[n] = '\0';
    return n;
}

/* Writes the allowances, if any has been used up. */
static void allowances_write(struct writing *w, const struct bk_variant *v, const struct bk_pos *p)
{
    uint8_t full[2][BK_TYPES_MAX];
    bool none = true;

    bk_rules_allowances(v, full);
    if (!memcmp(p->left, full, sizeof full))
        return;
    write_fmt(w, "[");
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < v->ntypes; type++)
            for (unsigned i = 0; full[0][type] && i < p->left[colour][type]; i++, none = false)
                write_fmt(w, "%c", bk_man_letter(v, bk_man(type, colour)));
    write_fmt(w, none ? "-]" : "]");
}

const struct bk_right bk_rights_written[4] = { { 'K', 1 }, { 'Q', 0 }, { 'k', 3 }, { 'q', 2 } };

static char home_letter(const struct bk_variant *v, unsigned right)
{
    return (char)((right / 2 == BK_WHITE ? 'A' : 'a') + v->castling.rook_file[right & 1]);
}

/* KQkq; where homes are shuffled, the rooks' files, which no other rook can obscure. */
static void castling_write(struct writing *w, const struct bk_variant *v, const struct bk_pos *p)
{
    if (!p->rights)
        write_fmt(w, p->begun ? "+" : "-");
    for (const struct bk_right *r = bk_rights_written; r < bk_rights_written + 4; r++)
        if (p->rights >> r->bit & 1)
            write_fmt(w, "%c", bk_rules_homes_told(v) ? home_letter(v, r->bit) : r->letter);
}

char *bk_pos_to_fen(const struct bk_pos *p, const struct bk_variant *v, char out[BK_FEN_MAX])
{
    struct writing w = { .out = out };
    char ep[8];

    static_assert(BK_BOARD_CHARS_MAX + BK_SQ_MAX + 64 < BK_FEN_MAX, "a board fits into a FEN");
    w.n = bk_board_write(v, p->at, &p->sea, out);
    allowances_write(&w, v, p);
    write_fmt(&w, " %c ", p->stm == BK_WHITE ? 'w' : 'b');
    castling_write(&w, v, p);
    write_fmt(&w, " %s %u %u", bk_sq_name(v, p->ep, ep), (unsigned)p->clock, (unsigned)p->turn);
    return out;
}
