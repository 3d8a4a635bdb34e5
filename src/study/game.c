/*
 * game.c - see game.h.
 */
#include "study/game.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/move_name.h"
#include "core/rules.h"
#include "study/spell.h"

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
    size_t n = strspn(at, "0123456789"), dots = study_dots(at + n);

    return !n || dots || study_blanks(at + n) || strchr("{};()[]$", at[n]) ? n + dots : 0;
}

/* Reads what is not in brackets. */
static void read_word(struct study_token *k)
{
    static const enum study_token_kind kinds[] = { [STUDY_WORD_MOVE] = STUDY_MOVE,
                                                   [STUDY_WORD_RESULT] = STUDY_RESULT,
                                                   [STUDY_WORD_NULL] = STUDY_NULL,
                                                   [STUDY_WORD_SIGN] = STUDY_SIGN };
    size_t digits = number(k->text);

    k->n = study_word(k->text);
    k->kind = STUDY_MOVE;
    if (k->n)
        k->kind = kinds[study_word_kind(k->text, k->n)];
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
