/*
 * read.c - a game from the text of its file.
 *
 * Idea: every `key = value` is collected with its place, and understood when the board
 * and all letters are known.  So a key may speak of a piece that comes later, and every
 * complaint still names the line that it is about.
 *
 * In order: lines become sections and keys; a cursor reads a value word by word; each
 * key has a function that reads its value into the plain fields, and keys[] lists them
 * all; then the file as a whole.  A key's function complains of what cannot be
 * understood; whether the fields make a game is check.c's question; what only a writer
 * of files gets wrong (forgotten keys, keys without effect) is check_file()'s.
 *
 * Rejected: libinih, which was here before.  It tells neither columns nor sections
 * without keys, so every line was read a second time beside it.
 */
#include "core/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/attack.h"
#include "core/betza.h"
#include "core/check.h"
#include "core/hands.h"
#include "core/letter.h"
#include "core/position.h"
#include "core/rules.h"
#include "core/utf8.h"

/* == Lines: docs/variant-files.md 1 == */

#define INI_LINE_CHARS_MAX 197

/* The lines of a text, one after another.  Blank lines and comments are skipped; the rest must be
   UTF-8. */
struct ini {
    const char *next; /* what is not read yet; borrowed */
    int line;         /* the number of the last line read; 0: none */
    const char *name; /* of the section or the key */
    const char *value;
    unsigned column; /* of the value, or of what is wrong; from 1 */
    struct bk_report fault;
    char text[INI_LINE_CHARS_MAX + 1]; /* the line, cut into name and value */
};

/* What ini_next() has found. */
enum ini_kind {
    INI_END,
    INI_SECTION, /* name: what stands between the brackets */
    INI_KEY,     /* name and value, without white space around; each may be empty */
    INI_WRONG,   /* fault, line and column say what and where; nothing is read after it */
};

/* Begins to read a text, which stays borrowed; a byte order mark is skipped. */
static void ini_open(struct ini *ini, const char *text)
{
    memset(ini, 0, sizeof *ini);
    ini->next = text + bk_utf8_mark(text);
}

static enum ini_kind ini_wrong(struct ini *ini, unsigned column, const char *text)
{
    ini->column = column;
    bk_fail(&ini->fault, BK_E_USAGE, "%s", text);
    return INI_WRONG;
}

/* Cuts white space off the end. */
static void trim(char *s)
{
    size_t n = strlen(s);

    while (n && bk_is_space(s[n - 1]))
        n--;
    s[n] = '\0';
}

/* Cuts the comment off: from `;` or `#` at the start of a line, from a `;` after a blank. */
static void cut_comment(char *line)
{
    char *s = line;

    while (bk_is_space(*s))
        s++;
    if (*s == '#' || *s == ';')
        *s = '\0';
    for (; *s; s++)
        if (bk_is_space(s[0]) && s[1] == ';')
            *s = '\0';
}

/* "[variant]", "[piece NAME]" */
static enum ini_kind ini_section(struct ini *ini)
{
    char *close = strchr(ini->text, ']');
    size_t after;

    if (bk_is_space(ini->text[0]))
        return ini_wrong(ini, 1, "a section begins in the first column");
    if (!close)
        return ini_wrong(ini, 1, "expected `[variant]` or `[piece NAME]`");
    after = 1 + strspn(close + 1, " \t\r");
    if (close[after] && close[after] != ';')
        return ini_wrong(ini, (unsigned)(close + after - ini->text) + 1,
                         "unexpected text after the section");
    *close = '\0';
    ini->name = ini->text + 1;
    return INI_SECTION;
}

/* "key = value", also with a colon */
static enum ini_kind ini_key(struct ini *ini)
{
    char *equals = strpbrk(ini->text, "=:"), *value;

    if (bk_is_space(ini->text[0]))
        return ini_wrong(ini, 1, "a key begins in the first column");
    if (!equals)
        return ini_wrong(ini, 1, "expected `key = value` or `[section]`");
    value = equals + 1;
    while (bk_is_space(*value))
        value++;
    *equals = '\0';
    trim(ini->text);
    ini->name = ini->text;
    ini->value = value;
    ini->column = (unsigned)(value - ini->text) + 1;
    return INI_KEY;
}

/* Reads on up to the next section or key.  Name and value are good until the next call. */
static enum ini_kind ini_next(struct ini *ini)
{
    while (*ini->next) {
        size_t line = strcspn(ini->next, "\n"), n = line;
        const char *first = ini->text;

        if (n && ini->next[n - 1] == '\r')
            n--;

        ini->line++;
        if (n > INI_LINE_CHARS_MAX) {
            ini_wrong(ini, INI_LINE_CHARS_MAX + 1, "");
            bk_fail(&ini->fault, BK_E_USAGE, "the line is longer than %d bytes",
                    INI_LINE_CHARS_MAX);
            return INI_WRONG;
        }
        memcpy(ini->text, ini->next, n);
        ini->text[n] = '\0';
        ini->next += line + (ini->next[line] == '\n');
        cut_comment(ini->text);
        trim(ini->text);
        n = bk_utf8_span(ini->text);
        if (ini->text[n])
            return ini_wrong(ini, (unsigned)n + 1, "not UTF-8");
        n = bk_utf8_plain(ini->text); /* names and titles are shown on terminals */
        if (ini->text[n])
            return ini_wrong(ini, (unsigned)n + 1, "a control character");
        while (bk_is_space(*first))
            first++;
        if (*first)
            return *first == '[' ? ini_section(ini) : ini_key(ini);
    }
    return INI_END;
}

/* == Values == */

/* A value that is read word by word.  Each reader goes on from the cursor and leaves it behind what
   it has read.  If it cannot, it returns false, the cursor stands at what is wrong, and the fault
   says what that is. */
struct cursor {
    const char *p; /* what is not read yet */
    struct bk_report fault;
};

/* Formats what is wrong at the cursor into c->fault; returns false. */
__attribute__((format(printf, 2, 3))) static bool cursor_wrong(struct cursor *c, const char *fmt,
                                                               ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(c->fault.text, sizeof c->fault.text, fmt, ap);
    va_end(ap);
    return false;
}

/* Skips white space; false: nothing follows. */
static bool cursor_more(struct cursor *c)
{
    while (bk_is_space(*c->p))
        c->p++;
    return *c->p;
}

/* Checks that nothing follows. */
static bool cursor_end(struct cursor *c)
{
    return !cursor_more(c) || cursor_wrong(c, "unexpected `%s`", c->p);
}

static bool cursor_number(struct cursor *c, unsigned min, unsigned max, unsigned *out)
{
    const char *end = c->p;
    unsigned n = 0;

    for (; bk_is_digit(*end) && n <= max; end++)
        n = n * 10 + (unsigned)(*end - '0');
    if (end == c->p || n < min || n > max)
        return cursor_wrong(c, "expected a number from %u to %u", min, max);
    c->p = end;
    *out = n;
    return true;
}

/* Reads a number that is the whole value. */
static bool cursor_only_number(struct cursor *c, unsigned min, unsigned max, unsigned *out)
{
    return cursor_number(c, min, max, out) && cursor_end(c);
}

/* Reads a piece's letter. */
static bool cursor_type(struct cursor *c, const struct bk_variant *v, uint8_t *type)
{
    if (!cursor_more(c))
        return cursor_wrong(c, "expected a piece's letter");
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == *c->p) {
            *type = (uint8_t)i;
            c->p++;
            return true;
        }
    return cursor_wrong(c, "no piece has the letter `%c`", *c->p);
}

static bool cursor_file(struct cursor *c, const struct bk_variant *v, uint8_t *file)
{
    if (!cursor_more(c) || *c->p < 'a' || *c->p >= 'a' + v->files)
        return cursor_wrong(c, "expected a file from a to %c", 'a' + v->files - 1);
    *file = (uint8_t)(*c->p++ - 'a');
    return true;
}

/* Reads a list of ranks of the army's board: 9  2-7  9,10  3- (and all behind it, too). */
static bool cursor_ranks(struct cursor *c, const struct bk_variant *v, uint16_t *mask)
{
    unsigned below = v->land.below, last = v->ranks - 2u * below, ranks = 0;

    do {
        unsigned low = 1, high;

        if (!cursor_number(c, 1, last, &low))
            return false;
        high = low;
        if (*c->p == '-') {
            c->p++;
            high = last + below;
            if (bk_is_digit(*c->p) && !cursor_number(c, low, last, &high))
                return false;
        }
        for (unsigned r = low - 1; r < high; r++)
            ranks |= 1u << (r + below);
    } while (*c->p == ',' && c->p++);
    *mask = (uint16_t)ranks;
    return true;
}

/* Skips the next word if it is `word`; otherwise false, which is no fault. */
static bool cursor_skip(struct cursor *c, const char *word)
{
    size_t n = strlen(word);

    cursor_more(c);
    if (strncmp(c->p, word, n) || (c->p[n] && !bk_is_space(c->p[n])))
        return false;
    c->p += n;
    return true;
}

/* Reads a value that is one of `words`, which end with NULL; *out is its place. */
static bool cursor_one_of(struct cursor *c, const char *const words[], unsigned *out)
{
    char list[128] = "";

    for (unsigned i = 0; words[i]; i++) {
        if (cursor_skip(c, words[i])) {
            *out = i;
            return cursor_end(c);
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? " | " : "", words[i]);
    }
    return cursor_wrong(c, "expected %s", list);
}

/* Reads a value that is one of two words; *out: it is `yes`. */
static bool cursor_choice(struct cursor *c, const char *no, const char *yes, bool *out)
{
    const char *const words[] = { no, yes, NULL };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    *out = i == 1;
    return ok;
}

/* Copies the value to `to`, which has `size` bytes, the zero included; the cursor does not move. */
static bool cursor_copy(struct cursor *c, char *to, size_t size)
{
    size_t n = strlen(c->p);

    if (n >= size)
        return cursor_wrong(c, "longer than %d bytes", (int)size - 1);
    memcpy(to, c->p, n + 1);
    return true;
}

/* == Keys: docs/variant-files.md 2 == */

#define ARMY_MAX        200
#define TURNS_MAX       10000
#define QUIET_TURNS_MAX 20

struct key {
    const char *name;
    int first;    /* 2, 1: others need it, so it is read before those of less */
    bool repeats; /* may stand more than once in its section */
    /* Read the value at the cursor, to its end, into the fields of the game or of a piece of it.
       One of the two is NULL: the key belongs to [variant] or to [piece], as the other says. */
    bool (*of_variant)(struct cursor *c, struct bk_variant *v);
    bool (*of_piece)(struct cursor *c, struct bk_variant *v, struct bk_piece *p);
};

static bool key_name(struct cursor *c, struct bk_variant *v)
{
    if (!cursor_copy(c, v->name, sizeof v->name))
        return false;
    for (; *c->p; c->p++)
        if (!bk_is_lower(*c->p) && !bk_is_digit(*c->p) && *c->p != '-')
            return cursor_wrong(c, "a name has only a-z, 0-9 and -");
    return true;
}

static bool key_title(struct cursor *c, struct bk_variant *v)
{
    return cursor_copy(c, v->title, sizeof v->title);
}

static bool key_source(struct cursor *c, struct bk_variant *v)
{
    return cursor_copy(c, v->source, sizeof v->source);
}

static bool key_board(struct cursor *c, struct bk_variant *v)
{
    unsigned files = 0, ranks = 0;

    if (!cursor_number(c, 2, BK_FILES_MAX, &files))
        return false;
    if (*c->p != 'x')
        return cursor_wrong(c, "expected FILESxRANKS, such as 10x8");
    c->p++;
    if (!cursor_number(c, 2, BK_RANKS_MAX, &ranks) || !cursor_end(c))
        return false;
    bk_variant_board(v, files, ranks);
    return true;
}

static bool key_holes(struct cursor *c, struct bk_variant *v)
{
    while (cursor_more(c)) {
        const char *start = c->p;
        uint8_t file = 0;
        unsigned rank = 0, sq;

        if (!cursor_file(c, v, &file) || !cursor_number(c, 1, v->ranks, &rank))
            return false;
        sq = bk_sq(v, file, rank - 1);
        if (!bk_bits_has(&v->board, sq)) {
            c->p = start;
            return cursor_wrong(c, "%c%u stands twice", 'a' + file, rank);
        }
        bk_bits_clear(&v->board, sq);
    }
    return true;
}

static bool key_bare_king(struct cursor *c, struct bk_variant *v)
{
    static const char *const words[] = {
        [BK_BARE_NOTHING] = "nothing",
        [BK_BARE_WINS] = "wins",
        [BK_BARE_BACK] = "wins-unless-bared-back",
        NULL,
    };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    v->bare = (enum bk_bare)i;
    return ok;
}

static bool key_stalemate(struct cursor *c, struct bk_variant *v)
{
    static const char *const words[] = {
        [BK_STALEMATE_DRAW] = "draw",
        [BK_STALEMATE_LOSS] = "loss",
        [BK_STALEMATE_WIN] = "win",
        [BK_STALEMATE_FEWER] = "fewer-men-win",
        NULL,
    };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    v->stalemate = (enum bk_stalemate)i;
    return ok;
}

static bool loses_or_wins(struct cursor *c, struct bk_out_of *out)
{
    out->told = true;
    out->wins = cursor_skip(c, "wins");
    return out->wins || cursor_skip(c, "loses") || cursor_wrong(c, "expected loses | wins");
}

static bool key_out_of_men(struct cursor *c, struct bk_variant *v)
{
    return loses_or_wins(c, &v->out_of) && cursor_end(c);
}

/* "loses K", "loses K2 P" */
static bool key_out_of_kind(struct cursor *c, struct bk_variant *v)
{
    struct bk_out_of *out = &v->out_of;

    if (!loses_or_wins(c, out))
        return false;
    do {
        unsigned n = 0;
        uint8_t type = 0;

        if (!cursor_type(c, v, &type) || (bk_is_digit(*c->p) && !cursor_number(c, 0, ARMY_MAX, &n)))
            return false;
        if (out->kinds >> type & 1)
            return cursor_wrong(c, "%c stands twice", v->piece[type].letter);
        out->kinds |= UINT32_C(1) << type;
        out->most[type] = (uint8_t)n;
    } while (cursor_more(c));
    return true;
}

static bool key_captures(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "may", "must", &v->must_capture);
}

static bool key_en_passant(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "no", "yes", &v->en_passant);
}

static bool key_castling_rook(struct cursor *c, struct bk_variant *v)
{
    v->castling.allowed = true;
    return cursor_type(c, v, &v->castling.rook) && cursor_end(c);
}

static bool key_castling_rank(struct cursor *c, struct bk_variant *v)
{
    unsigned rank = 1;
    bool ok = cursor_only_number(c, 1, v->ranks / 2, &rank);

    v->castling.rank = (uint8_t)(rank - 1);
    return ok;
}

static bool key_castling_king_file(struct cursor *c, struct bk_variant *v)
{
    return cursor_file(c, v, &v->castling.king_file) && cursor_end(c);
}

/* Reads a file, or `-`: there is no castling on this wing. */
static bool file_or_none(struct cursor *c, const struct bk_variant *v, uint8_t *file)
{
    if (!cursor_more(c) || *c->p != '-')
        return cursor_file(c, v, file);
    c->p++;
    *file = BK_NO_HOME;
    return true;
}

static bool two_files(struct cursor *c, const struct bk_variant *v, uint8_t file[2])
{
    return file_or_none(c, v, &file[0]) && file_or_none(c, v, &file[1]) && cursor_end(c);
}

static bool key_castling_rook_files(struct cursor *c, struct bk_variant *v)
{
    return two_files(c, v, v->castling.rook_file);
}

static bool key_castling_king_to(struct cursor *c, struct bk_variant *v)
{
    return two_files(c, v, v->castling.king_to);
}

static bool key_castling_rook_to(struct cursor *c, struct bk_variant *v)
{
    return two_files(c, v, v->castling.rook_to);
}

static bool key_castling_homes(struct cursor *c, struct bk_variant *v)
{
    static const char *const words[] = { "fixed", "shuffled", NULL };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    v->castling.shuffled = i;
    return ok;
}

/* "Q9 R5 P1": a number of each type that is named. */
static bool numbers_of_types(struct cursor *c, const struct bk_variant *v, uint8_t of[BK_TYPES_MAX])
{
    while (cursor_more(c)) {
        const char *start = c->p;
        uint8_t type = 0;
        unsigned n = 0;

        if (!cursor_type(c, v, &type) || !cursor_number(c, 1, 255, &n))
            return false;
        if (of[type]) {
            c->p = start;
            return cursor_wrong(c, "%c stands twice", v->piece[type].letter);
        }
        of[type] = (uint8_t)n;
    }
    return true;
}

static bool key_limits(struct cursor *c, struct bk_variant *v)
{
    return numbers_of_types(c, v, v->limit);
}

static bool key_game_length(struct cursor *c, struct bk_variant *v)
{
    unsigned n = 0;
    bool ok = cursor_only_number(c, 1, TURNS_MAX, &n);

    v->game_turns = (uint16_t)n;
    return ok;
}

static bool key_nmove(struct cursor *c, struct bk_variant *v)
{
    unsigned n = 0;
    bool ok = cursor_only_number(c, 1, BK_NMOVE_MAX, &n);

    v->nmove.plies = (uint16_t)(2 * n);
    return ok;
}

/* "captures", "captures + P Q", "captures + irreversible" */
static bool key_zeroing(struct cursor *c, struct bk_variant *v)
{
    if (!cursor_skip(c, "captures"))
        return cursor_wrong(c, "expected captures, captures + LETTERS or captures + irreversible");
    if (!cursor_more(c))
        return true;
    if (!cursor_skip(c, "+"))
        return cursor_wrong(c, "expected `+`");
    v->nmove.irreversible = cursor_skip(c, "irreversible");
    if (v->nmove.irreversible)
        return cursor_end(c);
    do {
        uint8_t type = 0;

        if (!cursor_type(c, v, &type))
            return false;
        v->nmove.kinds |= UINT32_C(1) << type;
    } while (cursor_more(c));
    return true;
}

static bool key_hand(struct cursor *c, struct bk_variant *v)
{
    static const char *const words[] = { "none", "captured", "turned", "hostage", NULL };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    v->hands = i;
    v->hand_kind = i ? (enum bk_hand)(i - 1) : BK_HAND_CAPTURED;
    return ok;
}

static bool key_values(struct cursor *c, struct bk_variant *v)
{
    return numbers_of_types(c, v, v->worth);
}

static bool key_hand_bonus(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "none", "n-for-n", &v->hand_bonus);
}

static bool key_hand_recapture(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "yes", "no", &v->no_recapture);
}

static bool key_configuration(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "none", "2x2", &v->configuration);
}

static bool key_opening(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "array", "drops", &v->opening_drops);
}

static bool key_quiet_turns(struct cursor *c, struct bk_variant *v)
{
    unsigned n = 0;
    bool ok = cursor_only_number(c, 0, QUIET_TURNS_MAX, &n);

    v->quiet_turns = (uint8_t)n;
    return ok;
}

static bool key_quiet(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "turns", "moves", &v->quiet_moves);
}

static bool key_terrain(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "frozen", "live", &v->land.live);
}

static bool key_terrain_cancel(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "none", "enemy", &v->land.cancels);
}

static bool key_terrain_powers(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "all", "white-creates-black-destroys", &v->land.one_each);
}

static bool key_terrain_bridges(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "free", "two-wide", &v->land.bridges);
}

/* "3-12": the ranks of the army's board.  The ranks of other keys are counted from its first. */
static bool key_terrain_ranks(struct cursor *c, struct bk_variant *v)
{
    unsigned low = 1, high = 1;

    if (!cursor_number(c, 1, v->ranks, &low))
        return false;
    if (*c->p != '-')
        return cursor_wrong(c, "expected `-` and the last rank");
    c->p++;
    if (!cursor_number(c, low, v->ranks, &high))
        return false;
    if (high != v->ranks + 1u - low)
        return cursor_wrong(c, "as many ranks of %u stand before these as behind them", v->ranks);
    v->land.below = (uint8_t)(low - 1);
    return cursor_end(c);
}

/* Reads the FEN of an array.  Only the letters are looked at here; the whole FEN is read once the
   game is known, by check_start() or bk_deal_check(). */
static bool read_array(struct cursor *c, struct bk_variant *v, char fen[256])
{
    if (!cursor_copy(c, fen, 256))
        return false;
    for (; *c->p && !bk_is_space(*c->p); c->p++)
        if (bk_is_letter(*c->p) && bk_variant_type(v, *c->p) < 0)
            return cursor_wrong(c, "no piece has the letter `%c`", bk_upper(*c->p));
    return true;
}

static bool key_start(struct cursor *c, struct bk_variant *v) { return read_array(c, v, v->start); }

static bool key_deal(struct cursor *c, struct bk_variant *v)
{
    if (v->deal.n == BK_DEALS_MAX)
        return cursor_wrong(c, "more than %d arrays", BK_DEALS_MAX);
    return read_array(c, v, v->deal.array[v->deal.n++]);
}

static bool key_deal_shuffle(struct cursor *c, struct bk_variant *v)
{
    return cursor_choice(c, "no", "yes", &v->deal.shuffle);
}

static bool key_deal_apart(struct cursor *c, struct bk_variant *v)
{
    while (cursor_more(c)) {
        uint8_t type = 0;

        if (!cursor_type(c, v, &type))
            return false;
        v->deal.apart |= UINT32_C(1) << type;
    }
    return true;
}

static bool key_letter(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    if (*c->p < 'A' || *c->p > 'Z')
        return cursor_wrong(c, "a letter is one of A to Z");
    p->letter = *c->p++;
    return cursor_end(c);
}

static bool key_royal(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    if (!cursor_choice(c, "no", "yes", &p->royal))
        return false;
    if (p->royal)
        v->royal = (uint8_t)(p - v->piece);
    return true;
}

static bool betza(struct cursor *c, struct bk_movement *m)
{
    struct bk_report why;
    size_t at;

    if (!bk_betza_read(m, c->p, &at, &why))
        return true;
    c->p += at;
    return cursor_wrong(c, "%s", why.text);
}

static bool key_move(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return betza(c, &p->move);
}

static bool key_steps(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 1;
    bool ok = cursor_only_number(c, 1, 2, &n);

    (void)v;
    p->move.steps_max = (uint8_t)n;
    return ok;
}

static bool key_bend(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = { "straight", "free", NULL };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    (void)v;
    p->move.bend = i == 1;
    return ok;
}

static bool key_takes_twice(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return cursor_choice(c, "no", "yes", &p->move.takes_twice);
}

static bool key_army(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    unsigned n = 0;
    bool ok = cursor_only_number(c, 0, ARMY_MAX, &n);

    (void)v;
    p->army = (uint8_t)n;
    return ok;
}

static bool key_ranks(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return cursor_ranks(c, v, &p->ranks) && cursor_end(c);
}

static bool key_zone_ranks(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return cursor_ranks(c, v, &p->zone_ranks) && cursor_end(c);
}

static bool key_zone_move(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    (void)v;
    return betza(c, &p->zone);
}

static bool key_double_step(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    return cursor_ranks(c, v, &p->double_ranks) && cursor_end(c);
}

static bool word_once(struct cursor *c, const char *word, bool *said)
{
    return !*said && (*said = cursor_skip(c, word));
}

static bool key_becomes(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    struct bk_become *b = &p->become[p->nbecomes];

    if (p->nbecomes == BK_BECOMES_MAX)
        return cursor_wrong(c, "a piece has at most %d `becomes`", BK_BECOMES_MAX);
    if (!cursor_ranks(c, v, &b->ranks))
        return false;
    b->must = cursor_skip(c, "must");
    if (!b->must && !cursor_skip(c, "may"))
        return cursor_wrong(c, "expected may | must");
    while (word_once(c, "lost", &b->lost_only) || word_once(c, "counted", &b->counted) ||
           word_once(c, "in-place", &b->in_place)) /* in any order */
        ;
    while (cursor_more(c)) {
        if (b->nto == BK_TYPES_MAX)
            return cursor_wrong(c, "more letters than pieces");
        if (!cursor_type(c, v, &b->to[b->nto]))
            return false;
        b->nto++;
    }
    p->nbecomes++;
    return true;
}

static bool key_terrain_power(struct cursor *c, struct bk_variant *v, struct bk_piece *p)
{
    static const char *const words[] = { "none", "destroys", "creates", NULL };
    unsigned i = 0;
    bool ok = cursor_one_of(c, words, &i);

    (void)v;
    p->power = (uint8_t)i;
    return ok;
}

static const struct key keys[] = {
    { "board", .first = 2, .of_variant = key_board },
    { "letter", .first = 2, .of_piece = key_letter },
    { "name", .of_variant = key_name },
    { "title", .of_variant = key_title },
    { "source", .of_variant = key_source },
    { "holes", .repeats = true, .of_variant = key_holes },
    { "bare-king", .of_variant = key_bare_king },
    { "stalemate", .of_variant = key_stalemate },
    { "out-of-men", .of_variant = key_out_of_men },
    { "out-of-kind", .of_variant = key_out_of_kind },
    { "captures", .of_variant = key_captures },
    { "en-passant", .of_variant = key_en_passant },
    { "castling-rook", .of_variant = key_castling_rook },
    { "castling-rank", .of_variant = key_castling_rank },
    { "castling-king-file", .of_variant = key_castling_king_file },
    { "castling-rook-files", .of_variant = key_castling_rook_files },
    { "castling-king-to", .of_variant = key_castling_king_to },
    { "castling-rook-to", .of_variant = key_castling_rook_to },
    { "castling-homes", .of_variant = key_castling_homes },
    { "limits", .of_variant = key_limits },
    { "game-length-turns", .of_variant = key_game_length },
    { "n-move", .of_variant = key_nmove },
    { "zeroing", .of_variant = key_zeroing },
    { "start", .of_variant = key_start },
    { "deal", .repeats = true, .of_variant = key_deal },
    { "deal-shuffle", .of_variant = key_deal_shuffle },
    { "deal-apart", .of_variant = key_deal_apart },
    { "hand", .of_variant = key_hand },
    { "values", .of_variant = key_values },
    { "hand-bonus", .of_variant = key_hand_bonus },
    { "hand-recapture", .of_variant = key_hand_recapture },
    { "configuration", .of_variant = key_configuration },
    { "opening", .of_variant = key_opening },
    { "opening-quiet-turns", .of_variant = key_quiet_turns },
    { "opening-quiet", .of_variant = key_quiet },
    { "terrain", .of_variant = key_terrain },
    { "terrain-cancel", .of_variant = key_terrain_cancel },
    { "terrain-powers", .of_variant = key_terrain_powers },
    { "terrain-bridges", .of_variant = key_terrain_bridges },
    { "terrain-ranks", .first = 1, .of_variant = key_terrain_ranks },
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
    { "terrain-power", .of_piece = key_terrain_power },
};

/* Finds a key by its name; NULL: there is no such key. */
static const struct key *key_find(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

/* == The file as a whole == */

struct section {
    int type; /* -1: [variant] */
    int line;
};

struct entry {
    const struct key *key;
    int type; /* of its section */
    int line;
    unsigned column; /* of the value */
    char value[INI_LINE_CHARS_MAX + 1];
};

struct file {
    const char *label;
    struct ini ini;
    struct section section[BK_TYPES_MAX + 1];
    unsigned nsections;
    struct entry *entry;
    size_t nentries, room;
    struct bk_variant *v;
    enum bk_err err; /* the first fault: nothing is read after it */
    struct bk_report *why;
};

/* Sets f->err and the report: what is wrong, and where (column 0: the line as a whole); false. */
__attribute__((format(printf, 4, 5))) static bool fault(struct file *f, int line, unsigned column,
                                                        const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    f->err = bk_fail_at(f->why, f->label, line, column, fmt, ap);
    va_end(ap);
    return false;
}

/* == Collecting the entries == */

static const struct section *section_of(const struct file *f, int type)
{
    for (unsigned i = 0; i < f->nsections; i++)
        if (f->section[i].type == type)
            return &f->section[i];
    return NULL;
}

static bool open_variant(struct file *f)
{
    const struct section *before = section_of(f, -1);

    if (before)
        return fault(f, f->ini.line, 1, "[variant] stands twice (first on line %d)", before->line);
    f->section[f->nsections++] = (struct section){ -1, f->ini.line };
    return true;
}

static bool open_piece(struct file *f, const char *name, size_t length)
{
    struct bk_variant *v = f->v;

    if (length == 0)
        return fault(f, f->ini.line, 1, "[piece NAME] needs a name");
    if (length >= sizeof v->piece[0].name)
        return fault(f, f->ini.line, 1, "a piece's name has at most %d bytes",
                     (int)sizeof v->piece[0].name - 1);
    for (int i = 0; i < v->ntypes; i++)
        if (strlen(v->piece[i].name) == length && !memcmp(v->piece[i].name, name, length))
            return fault(f, f->ini.line, 1, "[piece %s] stands twice (first on line %d)",
                         v->piece[i].name, section_of(f, i)->line);
    if (v->ntypes == BK_TYPES_MAX)
        return fault(f, f->ini.line, 1, "more than %d pieces", BK_TYPES_MAX);
    memcpy(v->piece[v->ntypes].name, name, length);
    f->section[f->nsections++] = (struct section){ v->ntypes++, f->ini.line };
    return true;
}

/* "variant", "piece NAME" */
static bool open_section(struct file *f, const char *name)
{
    size_t length = strlen(name), skip;

    if (!strcmp(name, "variant"))
        return open_variant(f);
    if (strncmp(name, "piece", 5) || (length > 5 && name[5] != ' '))
        return fault(f, f->ini.line, 1, "unknown section [%s]; expected [variant] or [piece NAME]",
                     name);
    skip = 5 + strspn(name + 5, " ");
    while (length > skip && name[length - 1] == ' ')
        length--;
    return open_piece(f, name + skip, length > skip ? length - skip : 0);
}

static const struct entry *find_entry(const struct file *f, int type, const char *key, unsigned nth)
{
    for (size_t i = 0; i < f->nentries; i++)
        if (f->entry[i].type == type && !strcmp(f->entry[i].key->name, key) && nth-- == 0)
            return &f->entry[i];
    return NULL;
}

static bool add_entry(struct file *f, const struct key *key, int type)
{
    struct entry *e;

    if (!BK_ARRAY_ROOM(f->entry, f->room, f->nentries + 1)) {
        f->err = bk_no_memory(f->why);
        return false;
    }
    e = &f->entry[f->nentries++];
    *e = (struct entry){ key, type, f->ini.line, f->ini.column, "" };
    memcpy(e->value, f->ini.value, strlen(f->ini.value) + 1); /* a part of a line, so it fits */
    return true;
}

/* Adds the key that was read last to the section that was opened last. */
static bool take_key(struct file *f)
{
    const char *name = f->ini.name;
    const struct key *key = key_find(name);
    const struct entry *before;
    int line = f->ini.line, type;

    if (!f->nsections)
        return fault(f, line, 1, "`%s` stands before the first section", name);
    type = f->section[f->nsections - 1].type;
    if (!key)
        return fault(f, line, 1, "unknown key `%s`", name);
    if ((key->of_piece != NULL) != (type >= 0))
        return fault(f, line, 1, "`%s` belongs to %s", name,
                     key->of_piece ? "[piece NAME]" : "[variant]");
    if (!*f->ini.value)
        return fault(f, line, 1, "`%s` has no value", name);
    before = find_entry(f, type, name, 0);
    if (before && !key->repeats)
        return fault(f, line, 1, "`%s` stands twice (first on line %d)", name, before->line);
    return add_entry(f, key, type);
}

static bool collect(struct file *f)
{
    for (bool ok = true; ok;)
        switch (ini_next(&f->ini)) {
        case INI_END: return true;
        case INI_SECTION: ok = open_section(f, f->ini.name); break;
        case INI_KEY: ok = take_key(f); break;
        case INI_WRONG: ok = fault(f, f->ini.line, f->ini.column, "%s", f->ini.fault.text); break;
        }
    return false;
}

/* == Understanding them == */

static bool read_entry(struct file *f, const struct entry *e)
{
    struct cursor c = { .p = e->value };
    bool ok = e->key->of_piece ? e->key->of_piece(&c, f->v, &f->v->piece[e->type])
                               : e->key->of_variant(&c, f->v);

    return ok || fault(f, e->line, e->column + (unsigned)(c.p - e->value), "%s", c.fault.text);
}

/* Reads the entries whose keys have this `first`, in the order of the file. */
static bool read_entries(struct file *f, int first)
{
    for (size_t i = 0; i < f->nentries; i++)
        if (f->entry[i].key->first == first && !read_entry(f, &f->entry[i]))
            return false;
    return true;
}

/* Is the key there?  If not, the fault is reported at the line of its section. */
static bool need(struct file *f, int type, const char *key)
{
    return find_entry(f, type, key, 0) ||
           fault(f, section_of(f, type)->line, 0, "`%s` is missing", key);
}

static bool need_board_and_letters(struct file *f)
{
    if (!section_of(f, -1))
        return fault(f, f->ini.line ? f->ini.line : 1, 0, "there is no [variant] section");
    if (!need(f, -1, "name") || !need(f, -1, "board"))
        return false;
    for (int i = 0; i < f->v->ntypes; i++)
        if (!need(f, i, "letter") || !need(f, i, "move"))
            return false;
    return true;
}

/* Sets what holds where the keys say nothing; needs the board. */
static void set_defaults(struct bk_variant *v)
{
    v->royal = BK_NO_ROYAL;
    for (unsigned i = 0; i < v->ntypes; i++) {
        v->piece[i].ranks = bk_all_ranks(v);
        v->piece[i].move.steps_max = 1;
        v->piece[i].zone.steps_max = 1;
    }
    v->land.cancels = true;
}

/* Reports a complaint at the key that it is about, or at the section if there is none. */
static bool fault_complaint(struct file *f, const struct bk_complaint *c)
{
    const struct entry *e = find_entry(f, c->type, c->key, c->nth);

    if (e)
        return fault(f, e->line, e->column, "%s", c->text);
    return fault(f, section_of(f, c->type)->line, 0, "%s", c->text);
}

/* Refuses a key that is of no use: `text` says what it needs, and `met` whether that is there. */
static bool needs(struct file *f, int type, const char *key, bool met, const char *text)
{
    const struct entry *e = find_entry(f, type, key, 0);

    return !e || met || fault(f, e->line, e->column, "`%s` %s", key, text);
}

static bool check_castling_keys(struct file *f)
{
    static const char *const castling[] = {
        "castling-rook",    "castling-king-file", "castling-rook-files", "castling-king-to",
        "castling-rook-to", "castling-homes",     "castling-rank",
    };
    const struct entry *some = NULL;

    for (size_t i = 0; i < sizeof castling / sizeof *castling && !some; i++)
        some = find_entry(f, -1, castling[i], 0);
    for (size_t i = 0; i < 5 && some; i++) {
        const struct entry *e = find_entry(f, -1, castling[i], 0);
        bool home = i == 1 || i == 2;

        if (f->v->castling.shuffled && home && e)
            return fault(f, e->line, e->column, "castling-homes = shuffled: a FEN tells the homes");
        if (!e && !(f->v->castling.shuffled && home))
            return fault(f, some->line, some->column, "castling needs `%s`, too", castling[i]);
    }
    return true;
}

static bool check_counted(struct file *f, int type)
{
    const struct bk_piece *p = &f->v->piece[type];

    for (unsigned i = 0; i < p->nbecomes; i++) {
        const struct entry *e = find_entry(f, type, "becomes", i);

        for (unsigned j = 0; p->become[i].counted && j < p->become[i].nto; j++)
            if (!f->v->limit[p->become[i].to[j]])
                return fault(f, e->line, e->column, "counted, but `limits` does not name %c",
                             f->v->piece[p->become[i].to[j]].letter);
    }
    return true;
}

/* Refuses keys without effect: faults of the file, not of the game's data. */
static bool check_file(struct file *f)
{
    static const char *const terrain[] = { "terrain-cancel", "terrain-powers", "terrain-bridges",
                                           "terrain-ranks" };
    unsigned doubles = 0;

    for (size_t i = 0; i < sizeof terrain / sizeof *terrain; i++)
        if (!needs(f, -1, terrain[i], f->v->land.live, "needs terrain = live"))
            return false;
    for (int i = 0; i < f->v->ntypes; i++) {
        const struct bk_piece *p = &f->v->piece[i];
        bool two = p->move.steps_max == 2;

        if (!needs(f, i, "bend", two, "needs steps = 2") ||
            !needs(f, i, "takes-twice", two, "needs steps = 2") ||
            !needs(f, i, "zone-move", p->zone_ranks, "needs zone-ranks") ||
            !needs(f, i, "zone-ranks", p->zone.nsteps, "needs zone-move") ||
            !needs(f, i, "terrain-power", f->v->land.live, "needs terrain = live") ||
            !check_counted(f, i))
            return false;
        doubles |= p->double_ranks;
    }
    return check_castling_keys(f) &&
           needs(f, -1, "out-of-kind", !find_entry(f, -1, "out-of-men", 0),
                 "does not go with out-of-men") &&
           needs(f, -1, "zeroing", f->v->nmove.plies, "needs n-move") &&
           needs(f, -1, "n-move", find_entry(f, -1, "zeroing", 0), "needs zeroing, too") &&
           (!f->v->en_passant ||
            needs(f, -1, "en-passant", doubles, "needs a piece with a double-step"));
}

static bool understand(struct file *f)
{
    struct bk_variant *v = f->v;
    struct bk_complaint c;

    if (!need_board_and_letters(f) || !read_entries(f, 2) || !read_entries(f, 1))
        return false;
    set_defaults(v);
    if (!read_entries(f, 0))
        return false;
    if (bk_rules_royal(v) && !find_entry(f, v->royal, "army", 0))
        v->piece[v->royal].army = 1;
    if (!check_file(f))
        return false;
    if (v->castling.shuffled)
        v->castling.allowed = false; /* only the games derived for a FEN castle */
    if (v->land.live)
        v->land.changes = v->board;
    else
        v->land.cancels = false;
    return bk_variant_check(v, &c) || fault_complaint(f, &c);
}

/* Checks that moves which zero the counter have no way back; needs the geometry. */
static bool check_zeroing(struct file *f)
{
    struct bk_complaint c;

    return bk_zeroing_check(f->v, &c) || fault_complaint(f, &c);
}

/* Counts the men of the array; in games with hands those off the board, too. */
static enum bk_err count_start(const struct bk_variant *v, unsigned count[2][BK_TYPES_MAX],
                               struct bk_report *why)
{
    struct bk_hands_pos hands;
    struct bk_pos p;
    enum bk_err err;

    memset(count, 0, 2 * sizeof *count);
    if (bk_rules_hands(v)) {
        err = bk_hands_from_fen(&hands, v, v->start, why);
        for (unsigned i = 0; !err && i < hands.n; i++)
            count[bk_man_colour(hands.man[i])][bk_man_type(hands.man[i])]++;
        return err;
    }
    err = bk_pos_from_fen(&p, v, v->start, why);
    if (!err && !bk_pos_legal(v, &p))
        err = bk_fail(why, BK_E_ILLEGAL, "the side that is not to move is in check");
    for (unsigned type = 0; !err && type < v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++)
            count[c][type] = p.count[c][type];
    return err;
}

/* Checks that in the array no king can be taken at once, and that no army is exceeded.  Where FENs
   tell the homes another game has to be derived first: bk_start_check(). */
static bool check_start(struct file *f)
{
    const struct bk_variant *v = f->v;
    const struct entry *e = find_entry(f, -1, "start", 0);
    unsigned count[2][BK_TYPES_MAX];
    struct bk_report why = { "" };

    if (!e || v->castling.shuffled)
        return true;
    if (count_start(v, count, &why) != BK_OK)
        return fault(f, e->line, e->column, "%s", why.text);
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++)
            if (v->piece[type].army && count[c][type] > v->piece[type].army)
                return fault(f, e->line, e->column, "more men of [piece %s] than its army, %u",
                             v->piece[type].name, v->piece[type].army);
    return true;
}

enum bk_err bk_variant_parse(struct bk_variant **out, const char *label, const char *text,
                             struct bk_report *why)
{
    struct file f = { .label = label, .why = why };

    f.v = calloc(1, sizeof *f.v);
    if (!f.v)
        return bk_no_memory(why);
    ini_open(&f.ini, text);
    if (collect(&f) && understand(&f))
        f.err = bk_variant_finish(f.v, why);
    if (!f.err && check_zeroing(&f))
        check_start(&f);
    free(f.entry);
    if (f.err)
        bk_variant_free(f.v);
    else
        *out = f.v;
    return f.err;
}
