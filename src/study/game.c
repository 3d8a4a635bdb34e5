/*
 * game.c - see game.h.
 */
#include "study/game.h"

#include <ctype.h>
#include <string.h>

#include "core/move_name.h"
#include "core/rules.h"

#define MOVE_MAX 24 /* letters of a move, marks left out */

/* == Tokens == */

static void skip_blanks(struct study_tokens *t)
{
    for (; *t->at && isspace((unsigned char)*t->at); t->at++) {
        t->within = *t->at != '\n';
        t->line += !t->within;
    }
}

/* Returns the length of the text up to the sign `close`, that included; `open`, unless 0, nests. 0:
   it is not closed. */
static size_t closed(const char *at, char open, char close)
{
    unsigned depth = 0;

    for (size_t n = 0; at[n]; n++) {
        if (at[n] == open && open)
            depth++;
        if (at[n] == close && (!open || !--depth))
            return n + 1;
    }
    return 0;
}

/* Returns the length of a variation, whose comments may hold brackets; 0: it is not closed. */
static size_t variation(const char *at)
{
    unsigned depth = 0;

    for (size_t n = 0; at[n]; n++) {
        if (at[n] == ';') {
            n += strcspn(at + n, "\n") - 1;
        } else if (at[n] == '{') {
            size_t comment = closed(at + n, 0, '}');

            if (!comment)
                return 0;
            n += comment - 1;
        } else if (at[n] == '(') {
            depth++;
        } else if (at[n] == ')' && !--depth) {
            return n + 1;
        }
    }
    return 0;
}

/* Returns a tag's length, which ends behind its value: that may hold a bracket.  0: not closed. */
static size_t tag(const char *at)
{
    bool quoted = false;

    for (size_t n = 0; at[n] && at[n] != '\n'; n++) {
        if (at[n] == '\\' && quoted && at[n + 1])
            n++;
        else if (at[n] == '"')
            quoted = !quoted;
        else if (at[n] == ']' && !quoted)
            return n + 1;
    }
    return 0;
}

/* Returns the length of a move's number: "12.", "12...", and "12" or dots alone, as PGN may be
   read.  0: none, as "1-0" and "0-0" are. */
static size_t number(const char *at)
{
    size_t n = strspn(at, "0123456789"), dots = strspn(at + n, ".");

    return !n || dots || strchr(" \t\r\n\v\f{};()[]", at[n]) ? n + dots : 0;
}

static bool is_result(const char *at, size_t n)
{
    static const char *const results[] = { "1-0", "0-1", "1/2-1/2", "*" };

    for (size_t i = 0; i < 4; i++)
        if (strlen(results[i]) == n && !strncmp(results[i], at, n))
            return true;
    return false;
}

/* Returns the length of the rest of a game with an open bracket: up to the next one's tags. */
static size_t rest_of_game(const char *at)
{
    bool in_tags = *at == '[';

    for (const char *line = strchr(at, '\n'); line; line = strchr(line, '\n')) {
        line++;
        if (*line == '[' && !in_tags)
            return (size_t)(line - at);
        in_tags = in_tags && strchr("[\r\n", *line);
    }
    return strlen(at);
}

struct study_token study_token_next(struct study_tokens *t)
{
    struct study_token k;

    skip_blanks(t);
    k = (struct study_token){ .kind = STUDY_MOVE, .text = t->at, .line = t->line };
    if (!*t->at) {
        k.kind = STUDY_END;
    } else if (*t->at == '[') {
        k.kind = STUDY_TAG;
        k.n = tag(t->at);
    } else if (*t->at == '{') {
        k.kind = STUDY_COMMENT;
        k.n = closed(t->at, 0, '}');
    } else if (*t->at == ';' || (*t->at == '%' && !t->within)) {
        k.kind = STUDY_COMMENT;
        k.n = strcspn(t->at, "\n");
    } else if (*t->at == '(') {
        k.kind = STUDY_OTHER;
        k.n = variation(t->at);
    } else if (*t->at == '$') {
        k.kind = STUDY_OTHER;
        k.n = 1 + strspn(t->at + 1, "0123456789");
    } else if ((k.n = number(t->at)) != 0) {
        k.kind = STUDY_NUMBER;
    } else {
        k.n = strcspn(t->at, " \t\r\n\v\f{}();[]");
        k.n = k.n ? k.n : 1; /* a closing bracket that nothing has opened */
        k.kind = is_result(t->at, k.n)                    ? STUDY_RESULT
                 : k.n == 4 && !strncmp(t->at, "e.p.", 4) ? STUDY_OTHER
                                                          : STUDY_MOVE;
    }
    if (*t->at && !k.n) {
        k.kind = STUDY_BROKEN;
        k.n = rest_of_game(t->at);
    }
    for (size_t i = 0; i < k.n; i++)
        t->line += k.text[i] == '\n';
    t->at += k.n;
    t->within = true;
    return k;
}

bool study_tag_is(const struct study_token *k, const char *name)
{
    const char *at = k->text + 1 + strspn(k->text + 1, " \t");
    size_t n = strlen(name);

    return !strncmp(at, name, n) && strchr(" \t\"]", at[n]);
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
    char letter;          /* of the man, upper case */
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
    return i == n;
}

static bool read_said(struct said *s, const struct bk_variant *v, const char *text, size_t n)
{
    *s = (struct said){
        .letter = 'P', .file = -1, .rank = -1, .becomes = BK_STAYS, .between = BK_SQ_NONE
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
    return v->piece[type].letter == s->letter && m->to == s->to && m->becomes == s->becomes &&
           !m->castles && (s->file < 0 || m->from % v->files == s->file) &&
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
    char word[MOVE_MAX + 1] = "";
    struct bk_move move[BK_MOVES_MAX];
    struct meant meant = { .n = { 0, 0 } };
    struct said s;
    bool said, lenient;

    while (n && strchr("+#!?", text[n - 1]))
        n--;
    if (!n || n > MOVE_MAX)
        return bk_fail(why, BK_E_USAGE, "`%.*s` is no move", (int)(n > MOVE_MAX ? MOVE_MAX : n),
                       text);
    memcpy(word, text, n);
    if (!bk_move_read(out, v, p, word, n, 1, NULL))
        return BK_OK;
    said = read_said(&s, v, word, n);
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
