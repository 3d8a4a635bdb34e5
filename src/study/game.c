/*
 * game.c - see game.h.
 *
 * PGN is ASCII, but games come with figurines, dashes, halves and signs of the Informator, from
 * sites, books and word processors.  All that is known of such spellings is said here, once.
 */
#include "study/game.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/move.h"
#include "core/rules.h"
#include "core/utf8.h"

#define PLAIN_MAX 64 /* bytes of a word in ASCII, signs and all */

/* == Spelling: signs beyond ASCII == */

/* What stands for a sign that is not ASCII; any other is an evaluation or a remark, "!". */
static const struct {
    const char *sign, *means;
} signs[] = {
    { "\u00D7", "x" },   { "\u2010", "-" },   { "\u2011", "-" }, { "\u2012", "-" },
    { "\u2013", "-" },   { "\u2014", "-" },   { "\u2015", "-" }, { "\u2212", "-" },
    { "\u00BD", "1/2" }, { "\u2026", "..." }, { "\uFE0E", "" },  { "\uFE0F", "" },
    { "\xBD", "1/2" },   { "\xD7", "x" },     { "\x96", "-" }, /* Latin-1 and its kin */
};

/* Sets *means to what the sign at `at` stands for: NULL, if it is ASCII, for itself.  Returns its
   length in bytes. */
static size_t read_sign(const char *at, const char **means)
{
    static const char *const men[] = { "K", "Q", "R", "B", "N", "P" };
    size_t bytes = bk_utf8_bytes(at);

    *means = NULL;
    if (!(*at & 0x80))
        return 1;
    bytes = bytes ? bytes : 1;
    *means = "!";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i].sign) == bytes && !strncmp(at, signs[i].sign, bytes))
            *means = signs[i].means;
    if (!strncmp(at, "\xE2\x99", 2) && (unsigned char)at[2] >= 0x94 && (unsigned char)at[2] <= 0x9F)
        *means = men[((unsigned char)at[2] - 0x94) % 6]; /* U+2654, white, to U+265F, black */
    return bytes;
}

/* Writes a word in ASCII.  False: it is too long. */
static bool make_plain(char out[PLAIN_MAX + 1], const char *text, size_t n)
{
    size_t length = 0, bytes;
    const char *means;

    for (const char *at = text; at < text + n; at += bytes) {
        char own[2] = { *at, 0 };

        bytes = read_sign(at, &means);
        means = means ? means : own;
        if (length + strlen(means) > PLAIN_MAX)
            return false;
        strcpy(out + length, means);
        length += strlen(means);
    }
    out[length] = 0;
    return true;
}

/* == Spelling: words == */

/* The length of one blank; 0: there is none. */
static size_t blank(const char *at)
{
    static const char *const wide[] = { "\u00A0", "\u2007", "\u2009", "\u200A", "\u202F",
                                        "\u3000", "\uFEFF", "\u2002", "\u2003" };

    if (*at & 0x80)
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
            if (!strncmp(at, wide[i], strlen(wide[i])))
                return strlen(wide[i]);
    return isspace((unsigned char)*at) != 0;
}

size_t study_blanks(const char *at)
{
    size_t n = 0;

    for (size_t more; (more = blank(at + n)) > 0;)
        n += more;
    return n;
}

/* The length of the dots that the text begins with: ".", "...", and the ellipsis as one sign. */
static size_t count_dots(const char *at)
{
    size_t n = 0;

    while (at[n] == '.' || !strncmp(at + n, "\u2026", 3))
        n += at[n] == '.' ? 1 : 3;
    return n;
}

/* The length of "(Q)" or a figurine in brackets; 0: it is something else. */
static size_t bracketed_man(const char *at)
{
    const char *means;
    size_t bytes;

    if (*at != '(' || !at[1])
        return 0;
    bytes = read_sign(at + 1, &means);
    return isalpha((unsigned char)(means ? *means : at[1])) && at[1 + bytes] == ')' ? bytes + 2 : 0;
}

/* The length of the word that the text begins with: up to a blank, a bracket, `;` or `$`; of
   "e8(Q)" all. */
static size_t word_length(const char *at)
{
    size_t n = 0, man;

    while (at[n] && !blank(at + n)) {
        if (strchr("{}()[];$", at[n])) {
            man = n && (isdigit((unsigned char)at[n - 1]) || at[n - 1] == '=')
                      ? bracketed_man(at + n)
                      : 0;
            if (!man)
                break;
            n += man;
        } else {
            n++;
        }
    }
    return n;
}

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcasecmp(word, list[i]))
            return true;
    return false;
}

static bool is_sign(const char *word)
{
    /* the words: en passant, checks, mate; novelty, diagram */
    static const char *const words[] = { "e.p.",  "e.p",   "ep",    "ep.",     "ch",
                                         "ch.",   "check", "dis",   "dis.",    "disch",
                                         "dbl",   "dbl.",  "dblch", "dis.ch.", "mate",
                                         "mate.", "N",     "TN",    "D" };

    return is_one_of(word, words, sizeof words / sizeof *words) ||
           !word[strspn(word, "+-=/!?#~<>^_|&.,:*")];
}

/* Is it a null move, with marks or without? */
static bool is_null(const char *word)
{
    static const char *const nulls[] = { "--", "Z0", "0000", "@@@@", "null", "pass", "<>" };
    size_t n = strlen(word);
    char bare[PLAIN_MAX + 1];

    while (n && strchr("!?", word[n - 1]))
        n--;
    snprintf(bare, sizeof bare, "%.*s", (int)n, word);
    return is_one_of(bare, nulls, sizeof nulls / sizeof *nulls);
}

/*
 * STUDY_RESULT  1-0, 0-1, 1/2-1/2, *; with dashes, with colons, 1/2 alone or as one sign
 * STUDY_NULL    a null move: -- Z0 0000 @@@@ null pass <>
 * STUDY_SIGN    !? +- +/= e.p. ch N and whatever has neither letters nor digits
 * STUDY_MOVE    none of these: a move, if anything
 */
static enum study_token_kind kind_of_word(const char *text, size_t n)
{
    static const char *const results[] = { "1-0", "0-1", "1/2-1/2", "*",      "1/2",
                                           "1:0", "0:1", "1/2:1/2", "0.5-0.5" };
    char word[PLAIN_MAX + 1];

    if (!make_plain(word, text, n))
        return STUDY_MOVE;
    if (is_one_of(word, results, sizeof results / sizeof *results))
        return STUDY_RESULT;
    if (is_sign(word) && !is_null(word))
        return STUDY_SIGN;
    return is_null(word) ? STUDY_NULL : STUDY_MOVE;
}

/* == Spelling: moves == */

/* Takes checks, marks, evaluations, and words for them, off the end of a move. */
static void strip_end(char *word)
{
    static const char *const words[] = { "e.p.", "e.p", "ep.", "ep", "ch.", "ch", "mate" };
    size_t n = strlen(word), before;

    do {
        before = n;
        while (n && strchr("+#!?=-/~.,", word[n - 1]))
            word[--n] = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t chars = strlen(words[i]);

            if (n > chars && !strcmp(word + n - chars, words[i]) &&
                !islower((unsigned char)word[n - chars - 1]))
                word[n -= chars] = 0;
        }
    } while (n < before);
}

/* Writes what a pawn becomes as "=Q": out of "(Q)", "=(Q)", "/Q", "q" and "=q". */
static void spell_change(char *word)
{
    size_t n = strlen(word);
    bool bracket = n > 3 && word[n - 1] == ')' && word[n - 3] == '(';
    char *man, *before;

    if (n < 3)
        return;
    man = word + n - (bracket ? 2 : 1);
    before = man - 1;
    if (!isalpha((unsigned char)*man))
        return;
    if (bracket && before[-1] == '=')
        before--;
    if (*before == '(' || *before == '/' || *before == '=') {
        before[1] = (char)toupper((unsigned char)*man);
        before[0] = '=';
        before[2] = 0;
    } else if (isdigit((unsigned char)*before) && islower((unsigned char)*man) &&
               n + 1 < PLAIN_MAX) {
        man[1] = (char)toupper((unsigned char)*man);
        man[0] = '=';
        man[2] = 0;
    }
}

size_t study_spell(char out[STUDY_SPELLED_MAX + 1], const char *text, size_t n)
{
    char word[PLAIN_MAX + 1];

    *out = 0;
    if (!make_plain(word, text, n))
        return 0;
    strip_end(word);
    spell_change(word);
    if (strlen(word) > STUDY_SPELLED_MAX)
        return 0;
    for (char *at = word; *at; at++)
        *at = *at == ':' ? 'x' : *at;
    if (strchr(word, '-') && !word[strspn(word, "0Oo-")])
        for (char *at = word; *at; at++)
            *at = *at == '-' ? '-' : 'O';
    strcpy(out, word);
    return strlen(out);
}

/* == Tokens == */

static void skip_blanks(struct study_tokens *t)
{
    const char *end = t->at + study_blanks(t->at);

    for (; t->at < end; t->at++) {
        t->within = *t->at != '\n';
        t->line += !t->within;
    }
}

/* Returns the length of a comment; 0: it is not closed. */
static size_t comment(const char *at, bool *no_closing)
{
    const char *end = *no_closing ? NULL : strchr(at, '}');

    *no_closing = !end;
    return end ? (size_t)(end + 1 - at) : 0;
}

/* Does the next game begin here, at the beginning of a line? */
static bool begins_tags(const char *line) { return *line == '['; }

/* Returns the length of the rest of a game with an open bracket: up to the next one's tags. */
static size_t rest_of_game(const char *at)
{
    bool in_tags = *at == '[';

    for (const char *line = strchr(at, '\n'); line; line = strchr(line, '\n')) {
        line++;
        if (begins_tags(line) && !in_tags)
            return (size_t)(line - at);
        in_tags = in_tags && strchr("[\r\n", *line);
    }
    return strlen(at);
}

/* Returns the length of what says nothing in a variation, though it may hold brackets: a comment,
   an escaped line.  0: there is none; a comment that is not closed sets *open. */
static size_t unread(const char *at, bool line_begins, bool *open, bool *no_closing)
{
    size_t n = 0;

    if (*at == ';' || (*at == '%' && line_begins))
        return strcspn(at, "\n");
    if (*at == '{') {
        n = comment(at, no_closing);
        *open = !n;
    }
    return n;
}

/* Returns the length of a variation.  Sets *open if it is not closed before the next game's tags:
   then that is the rest of the game. */
static size_t variation(const char *at, bool *open, bool *no_closing)
{
    unsigned depth = 0;
    size_t n = 0, skipped;

    while (at[n]) {
        bool line_begins = n && at[n - 1] == '\n';

        if (line_begins && begins_tags(at + n))
            break;
        skipped = unread(at + n, line_begins, open, no_closing);
        if (*open)
            return n + rest_of_game(at + n);
        n += skipped;
        if (skipped)
            continue;
        depth += at[n] == '(';
        if (at[n++] == ')' && !--depth)
            return n;
    }
    *open = true;
    return n;
}

/* Returns the length up to the last bracket of a line, if a quote stands before it: the value of
   the tag holds quotes or a backslash as they are.  0: it does not. */
static size_t careless_tag(const char *at)
{
    size_t n = strcspn(at, "\n");

    while (n && isspace((unsigned char)at[n - 1]))
        n--;
    return n > 2 && at[n - 1] == ']' && at[n - 2] == '"' ? n : 0;
}

/* Returns a tag's length, which ends behind its value: that may hold a bracket, but no line's end;
   the name, the value and the bracket may stand on lines of their own.  0: not closed. */
static size_t tag(const char *at)
{
    bool quoted = false;

    for (size_t n = 0; at[n]; n++) {
        size_t blanks = at[n] == '\n' && !quoted ? study_blanks(at + n) : 0;

        if (at[n] == '\n' && at[n + blanks] != '"' && at[n + blanks] != ']')
            break;
        n += blanks;
        if (at[n] == '\\' && quoted && at[n + 1] && at[n + 1] != '\n')
            n++;
        else if (at[n] == '"')
            quoted = !quoted;
        else if (at[n] == ']' && !quoted)
            return n + 1;
    }
    return careless_tag(at);
}

/* Returns the length of a move's number: "12.", "12...", and "12" or dots alone, as PGN may be
   read.  0: none, as "1-0" and "0-0" are. */
static size_t number(const char *at)
{
    size_t n = strspn(at, "0123456789"), dots = count_dots(at + n);

    return !n || dots || study_blanks(at + n) || strchr("{};()[]$", at[n]) ? n + dots : 0;
}

/* Reads what is not in brackets. */
static void read_word(struct study_token *k)
{
    size_t digits = number(k->text);

    k->n = word_length(k->text);
    k->kind = STUDY_MOVE;
    if (k->n)
        k->kind = kind_of_word(k->text, k->n);
    else
        k->n = 1; /* a closing bracket that nothing has opened */
    if (digits && k->kind != STUDY_NULL && k->kind != STUDY_RESULT) {
        k->n = digits;
        k->kind = STUDY_NUMBER;
    }
}

/* Reads a token that is not the end. */
static void read_token(struct study_token *k, struct study_tokens *t)
{
    bool open = false;

    if (*k->text == '[') {
        k->kind = isalnum((unsigned char)k->text[1 + study_blanks(k->text + 1)]) ? STUDY_TAG
                                                                                 : STUDY_OTHER;
        k->n = tag(k->text);
    } else if (*k->text == '{') {
        k->kind = STUDY_COMMENT;
        k->n = comment(k->text, &t->no_closing);
    } else if (*k->text == ';' || (*k->text == '%' && !t->within)) {
        k->kind = STUDY_COMMENT;
        k->n = strcspn(k->text, "\n");
    } else if (*k->text == '(') {
        k->n = variation(k->text, &open, &t->no_closing);
        k->kind = open ? STUDY_BROKEN : STUDY_OTHER;
    } else if (*k->text == '$') {
        k->kind = STUDY_SIGN;
        k->n = 1 + strspn(k->text + 1, "0123456789");
    } else {
        read_word(k);
    }
    if (!k->n) {
        k->kind = STUDY_BROKEN;
        k->n = rest_of_game(k->text);
    }
}

struct study_token study_token_next(struct study_tokens *t)
{
    struct study_token k;

    skip_blanks(t);
    k = (struct study_token){ .kind = STUDY_END, .text = t->at, .line = t->line };
    if (*t->at)
        read_token(&k, t);
    for (size_t i = 0; i < k.n; i++)
        t->line += k.text[i] == '\n';
    t->at += k.n;
    t->within = true;
    return k;
}

bool study_tag_is(const struct study_token *k, const char *name)
{
    const char *at = k->text + 1 + study_blanks(k->text + 1);
    size_t n = strlen(name);

    return !strncasecmp(at, name, n) && (study_blanks(at + n) || strchr("\"]", at[n]));
}

bool study_tag_value(const struct study_token *k, char *out, size_t room)
{
    const char *end = k->text + k->n, *at = memchr(k->text, '"', k->n);
    size_t n = 0;

    for (at = at ? at + 1 : end; at < end && *at != '"' && n + 1 < room; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        out[n++] = *at;
    }
    out[n] = 0;
    return at < end && *at == '"';
}

/* == EPD == */

size_t study_epd_position(const char *line)
{
    struct bk_fen f;

    bk_fen_split(&f, line);
    return (size_t)(f.end - line);
}

size_t study_epd_word(const char *operations, const char *name, const char **word)
{
    return bk_epd_word(operations, name, word);
}

unsigned study_epd_fields(const char *line)
{
    unsigned fields = 0;
    struct bk_fen f;

    bk_fen_split(&f, line);
    for (unsigned i = 0; i < BK_FEN_FIELDS; i++)
        fields += f.at[i] != NULL;
    return fields;
}

const char *study_epd_end(const char *operations)
{
    bool quoted = false;
    char last = ';';

    for (const char *at = operations; *at; at++) {
        quoted ^= *at == '"';
        last = strchr(" \t\r", *at) ? last : *at;
    }
    return quoted ? NULL : last == ';' ? "" : ";";
}

void study_epd_to_fen(char *line)
{
    const char *turn;
    struct bk_fen f;
    size_t digits;
    char *end;

    bk_fen_split(&f, line);
    end = line + (f.end - line);
    if (!*f.rest || f.too_many)
        return; /* of too many fields the reader of FENs will tell */
    digits = bk_epd_word(f.rest, "fmvn", &turn);
    if (digits && f.at[BK_FEN_SIDE] && !f.at[BK_FEN_CLOCK]) {
        memmove(end + 3, turn, digits); /* "fmvn N" is longer than what it stands for */
        memcpy(end, " 0 ", 3);
        end += 3 + digits;
    }
    *end = 0;
}

/* == Moves == */

/* What a move in PGN says. */
struct said {
    char letter;          /* of the man, upper case; 0: any man's, as both squares are said */
    int file, rank;       /* where he comes from, -1: not said */
    unsigned to, becomes; /* BK_STAYS: not said */
    unsigned between;     /* where he takes on the way; BK_SQ_NONE: not said */
};

/* Reads the square at the end of n letters; returns the length of its name, or 0. */
static size_t last_square(const struct bk_variant *v, const char *text, size_t n, unsigned *sq)
{
    for (size_t length = 3; length >= 2; length--) {
        char word[4] = "";
        const char *at = word;

        if (n < length)
            continue;
        memcpy(word, text + n - length, length);
        *sq = bk_sq_read(v, &at);
        if (*sq != BK_SQ_NONE && !*at)
            return length;
    }
    return 0;
}

/* Takes "xc8-" or "xc8x", a man taken on the way, off n letters; returns how many are left. */
static size_t read_between(struct said *s, const struct bk_variant *v, const char *text, size_t n)
{
    unsigned sq;
    size_t length, left;

    if (!n || !strchr("x-", text[n - 1]))
        return n;
    length = last_square(v, text, n - 1, &sq);
    left = n - 1 - length;
    if (!length || !left || text[left - 1] != 'x')
        return n;
    s->between = sq;
    return left - 1;
}

/* Reads "Qdx", "P", "b10" or "": the man and where he comes from. */
static bool read_man(struct said *s, const struct bk_variant *v, const char *text, size_t n)
{
    size_t i = 0;

    if (i < n && isupper((unsigned char)text[i]))
        s->letter = text[i++];
    if (i < n && islower((unsigned char)text[i]) && text[i] != 'x')
        s->file = (int)bk_file_read(v, text[i++]); /* none: no move is from there */
    if (i < n && isdigit((unsigned char)text[i])) {
        s->rank = 0;
        for (; i < n && isdigit((unsigned char)text[i]) && s->rank < 100; i++)
            s->rank = 10 * s->rank + (text[i] - '0');
        s->rank--;
    }
    if (i < n && (text[i] == 'x' || text[i] == '-'))
        i++;
    if (!n || !isupper((unsigned char)text[0]))
        s->letter = s->file >= 0 && s->rank >= 0 ? 0 : 'P';
    return i == n;
}

static bool read_said(struct said *s, const struct bk_variant *v, const char *text, size_t n)
{
    *s = (struct said){
        .letter = 0, .file = -1, .rank = -1, .becomes = BK_STAYS, .between = BK_SQ_NONE
    };
    if (n >= 2 && isupper((unsigned char)text[n - 1])) { /* e8=Q, e8Q */
        int type = bk_variant_type(v, text[n - 1]);

        if (type < 0)
            return false;
        s->becomes = (unsigned)type;
        n -= text[n - 2] == '=' ? 2 : 1;
    }
    if (n < 2)
        return false;
    n -= last_square(v, text, n, &s->to);
    n = read_between(s, v, text, n);
    return s->to != BK_SQ_NONE && read_man(s, v, text, n);
}

/* Does a move fit what is said?  lenient: also if it takes on the way and that is not said. */
static bool fits(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m,
                 const struct said *s, bool lenient)
{
    unsigned type = bk_man_type(p->at[m->from]);

    if (s->between != bk_move_between(m) && !(lenient && s->between == BK_SQ_NONE))
        return false;
    return (!s->letter || v->piece[type].letter == s->letter) && m->to == s->to &&
           m->becomes == s->becomes && !m->castles &&
           (s->file < 0 || m->from % v->files == s->file) &&
           (s->rank < 0 || m->from / v->files == s->rank);
}

/* The legal moves that a word may mean: [0] as it stands, [1] leniently. */
struct meant {
    unsigned n[2];
    struct bk_move last[2];
};

static void may_mean(struct meant *m, bool lenient, const struct bk_move *move)
{
    m->n[lenient]++;
    m->last[lenient] = *move;
}

enum bk_err study_move_read(struct bk_move *out, const struct bk_variant *v, const struct bk_pos *p,
                            const char *text, size_t n, struct bk_report *why)
{
    char word[STUDY_SPELLED_MAX + 1];
    struct bk_move move[BK_MOVES_MAX];
    struct meant meant = { .n = { 0, 0 } };
    struct said s;
    bool said, lenient;

    if (!study_spell(word, text, n))
        return bk_fail(why, BK_E_USAGE, "`%.*s` is no move",
                       (int)(n > STUDY_SPELLED_MAX ? STUDY_SPELLED_MAX : n), text);
    if (!bk_move_read(out, v, p, word, strlen(word), 1, NULL))
        return BK_OK;
    said = read_said(&s, v, word, strlen(word));
    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned all = bk_moves_portion(v, p, &first, move);

        for (unsigned i = 0; i < all; i++) {
            if (said && fits(v, p, &move[i], &s, false))
                may_mean(&meant, false, &move[i]);
            if (said && fits(v, p, &move[i], &s, true))
                may_mean(&meant, true, &move[i]);
        }
    }
    lenient = !meant.n[false];
    *out = meant.last[lenient];
    if (meant.n[lenient] == 1)
        return BK_OK;
    return bk_fail(why, BK_E_USAGE,
                   meant.n[lenient] ? "`%s` may be several moves" : "`%s` is no legal move", word);
}
