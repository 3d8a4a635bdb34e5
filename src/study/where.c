/*
 * where.c - see where.h.
 *
 *      any     = all { "or" all }
 *      all     = one { "and" one }
 *      one     = "not" one | sum [ ("=" | "!=" | "<" | "<=" | ">" | ">=") sum ]
 *      sum     = product { ("+" | "-") product }
 *      product = atom { "*" atom }
 *      atom    = NUMBER | "-" atom | WORD | MAN | SQUARE | call | "(" any ")"
 *      call    = WORD "(" any { "," any } ")"
 *
 * One function a line reads it into nodes, each of which names its operands
 * by number; they are evaluated by one recursive function.
 */
#include "study/where.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/move.h"

#define NODES_MAX 256
#define DEPTH_MAX 32 /* of brackets: the stack's limit */

enum op {
    NUMBER, /* value */
    SQUARE, /* its number */
    MAN,    /* type, colour, nth of them */
    NEGATE,
    NOT,
    AND,
    OR,
    ADD,
    SUBTRACT,
    MULTIPLY,
    EQUAL,
    DIFFERENT,
    LESS,
    LESS_EQUAL,
    /* words; see words[] */
    WDL,
    PLIES,
    OTHER,
    OTHER_PLIES,
    TO_MOVE,
    CHECK,
    MOVES,
    FILE_OF,
    RANK_OF,
    EDGE,
    DISTANCE,
    LIGHT,
    ATTACKED,
    DEFENDED,
};

struct node {
    enum op op;
    int a, b; /* operands, by number; of a number a is its value */
    uint8_t type, colour, nth;
};

struct study_where {
    const struct bk_variant *v;
    struct node node[NODES_MAX];
    unsigned n;
    int root;
    bool asks_other;
};

static const struct word {
    const char *name;
    enum op op;
    unsigned operands;
    bool of_man; /* its operand is a man; else, if it has any, men or squares */
} words[] = {
    { "wdl", WDL, 0, false },          { "plies", PLIES, 0, false },
    { "other", OTHER, 0, false },      { "other_plies", OTHER_PLIES, 0, false },
    { "stm", TO_MOVE, 0, false },      { "check", CHECK, 0, false },
    { "moves", MOVES, 0, false },      { "file", FILE_OF, 1, false },
    { "rank", RANK_OF, 1, false },     { "edge", EDGE, 1, false },
    { "dist", DISTANCE, 2, false },    { "light", LIGHT, 1, false },
    { "attacked", ATTACKED, 1, true }, { "defended", DEFENDED, 1, true },
};
#define NWORDS (sizeof words / sizeof words[0])

/* Names of numbers. */
static const struct {
    const char *name;
    int value;
} names[] = {
    { "white", BK_WHITE }, { "black", BK_BLACK }, { "win", 1 }, { "draw", 0 }, { "loss", -1 }
};
#define NNAMES (sizeof names / sizeof names[0])

/* == Reading == */

struct reader {
    struct study_where *w;
    const uint8_t (*count)[BK_TYPES_MAX];
    const char *text, *at;
    unsigned depth;
    struct bk_report *why;
    enum bk_err err;
};

static int fail_at(struct reader *r, const char *at, const char *what)
{
    if (!r->err)
        r->err = bk_fail(r->why, BK_E_USAGE, "--where: column %u: %s", (unsigned)(at - r->text) + 1,
                         what);
    return 0;
}

static int node(struct reader *r, struct node n)
{
    if (r->w->n == NODES_MAX)
        return fail_at(r, r->at, "the expression is too long");
    r->w->node[r->w->n] = n;
    return (int)r->w->n++;
}

static void skip(struct reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* Takes a sign, if it stands here. */
static bool take(struct reader *r, const char *sign)
{
    skip(r);
    if (strncmp(r->at, sign, strlen(sign)) != 0)
        return false;
    r->at += strlen(sign);
    return true;
}

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (isalpha((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/* Takes a word, if it stands here. */
static bool take_word(struct reader *r, const char *word)
{
    skip(r);
    if (word_length(r->at) != strlen(word) || strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

static int read_any(struct reader *r);

static int read_number(struct reader *r)
{
    const char *start = r->at;
    int value = 0;

    for (; isdigit((unsigned char)*r->at); r->at++) {
        value = 10 * value + (*r->at - '0');
        if (value > 1000000)
            return fail_at(r, start, "the number is too large");
    }
    return node(r, (struct node){ .op = NUMBER, .a = value });
}

/* K, k, R#2: a letter that the game has. */
static int read_man(struct reader *r)
{
    const struct bk_variant *v = r->w->v;
    const char *start = r->at;
    int type = bk_variant_type(v, *r->at);
    unsigned colour = isupper((unsigned char)*r->at) ? BK_WHITE : BK_BLACK, nth = 0, there;

    if (type < 0)
        return fail_at(r, start, "the game has no such man");
    r->at++;
    there = r->count[colour][type];
    if (!there)
        return fail_at(r, start, "the material has no such man");
    if (take(r, "#")) {
        nth = (unsigned)(*r->at - '1');
        if (nth >= there)
            return fail_at(r, r->at, "there are not so many of them");
        r->at++;
    } else if (there > 1) {
        return fail_at(r, start, "there are several of them; add #1, #2, ...");
    }
    return node(
        r, (struct node){
               .op = MAN, .type = (uint8_t)type, .colour = (uint8_t)colour, .nth = (uint8_t)nth });
}

static bool is_place(const struct reader *r, int operand)
{
    return r->w->node[operand].op == MAN || r->w->node[operand].op == SQUARE;
}

static int read_operands(struct reader *r, const struct word *word, const char *start)
{
    struct node n = { .op = word->op };

    if (word->op == OTHER || word->op == OTHER_PLIES)
        r->w->asks_other = true;
    if (!word->operands)
        return node(r, n);
    if (!take(r, "("))
        return fail_at(r, r->at, "a bracket is missing here");
    n.a = read_any(r);
    if (word->operands == 2 && !take(r, ","))
        return fail_at(r, r->at, "a comma and a second man or square are missing here");
    if (word->operands == 2)
        n.b = read_any(r);
    if (!take(r, ")"))
        return fail_at(r, r->at, "a closing bracket is missing here");
    if (!r->err && word->of_man && r->w->node[n.a].op != MAN)
        return fail_at(r, start, "this is asked of a man");
    if (!r->err && (!is_place(r, n.a) || (word->operands == 2 && !is_place(r, n.b))))
        return fail_at(r, start, "this is asked of men and squares");
    return node(r, n);
}

static int read_word(struct reader *r)
{
    const char *start = r->at;
    size_t n = word_length(start);

    for (size_t i = 0; i < NWORDS; i++)
        if (strlen(words[i].name) == n && !strncmp(words[i].name, start, n)) {
            r->at += n;
            return read_operands(r, &words[i], start);
        }
    for (size_t i = 0; i < NNAMES; i++)
        if (strlen(names[i].name) == n && !strncmp(names[i].name, start, n)) {
            r->at += n;
            return node(r, (struct node){ .op = NUMBER, .a = names[i].value });
        }
    if ((n == 3 && (!strncmp(start, "not", n) || !strncmp(start, "and", n))) ||
        (n == 2 && !strncmp(start, "or", n)))
        return fail_at(r, start, "not, and, or stand between conditions; here they need brackets");
    return fail_at(r, start, "no such word; docs/study.md has them all");
}

static int read_atom(struct reader *r)
{
    const char *start;
    unsigned sq;
    int a;

    skip(r);
    start = r->at;
    if (r->depth >= DEPTH_MAX)
        return fail_at(r, start, "too many brackets");
    r->depth++;
    if (isdigit((unsigned char)*start)) {
        a = read_number(r);
    } else if (take(r, "-")) {
        a = read_atom(r);
        a = node(r, (struct node){ .op = NEGATE, .a = a });
    } else if (take(r, "(")) {
        a = read_any(r);
        if (!take(r, ")"))
            a = fail_at(r, r->at, "a closing bracket is missing here");
    } else if (word_length(start) > 1) {
        a = read_word(r);
    } else if (isalpha((unsigned char)*start) && isdigit((unsigned char)start[1])) {
        sq = bk_sq_read(r->w->v, &r->at);
        a = sq == BK_SQ_NONE ? fail_at(r, start, "no square of this board")
                             : node(r, (struct node){ .op = SQUARE, .a = (int)sq });
    } else if (isalpha((unsigned char)*start)) {
        a = read_man(r);
    } else {
        a = fail_at(r, start, "a number, a man, a square or a word is missing here");
    }
    r->depth--;
    return a;
}

static int read_product(struct reader *r)
{
    int a = read_atom(r);

    while (!r->err && take(r, "*")) {
        int b = read_atom(r);

        a = node(r, (struct node){ .op = MULTIPLY, .a = a, .b = b });
    }
    return a;
}

static int read_sum(struct reader *r)
{
    int a = read_product(r);

    while (!r->err) {
        enum op op = ADD;
        int b;

        if (!take(r, "+")) {
            if (!take(r, "-"))
                break;
            op = SUBTRACT;
        }
        b = read_product(r);
        a = node(r, (struct node){ .op = op, .a = a, .b = b });
    }
    return a;
}

/* Reads a comparison; of the signs longer ones come before those that they begin with. */
static int read_comparison(struct reader *r)
{
    static const struct {
        const char *sign;
        enum op op;
        bool swapped;
    } signs[] = { { "<=", LESS_EQUAL, false }, { ">=", LESS_EQUAL, true },
                  { "!=", DIFFERENT, false },  { "==", EQUAL, false },
                  { "=", EQUAL, false },       { "<", LESS, false },
                  { ">", LESS, true } };
    int a = read_sum(r);

    for (size_t i = 0; !r->err && i < sizeof signs / sizeof signs[0]; i++)
        if (take(r, signs[i].sign)) {
            int b = read_sum(r);

            return node(r, (struct node){ .op = signs[i].op,
                                          .a = signs[i].swapped ? b : a,
                                          .b = signs[i].swapped ? a : b });
        }
    return a;
}

static int read_one(struct reader *r)
{
    unsigned nots = 0;
    int a;

    while (take_word(r, "not"))
        nots++;
    a = read_comparison(r);
    for (unsigned i = 0; i < nots && !r->err; i++)
        a = node(r, (struct node){ .op = NOT, .a = a });
    return a;
}

static int read_all(struct reader *r)
{
    int a = read_one(r);

    while (!r->err && take_word(r, "and")) {
        int b = read_one(r);

        a = node(r, (struct node){ .op = AND, .a = a, .b = b });
    }
    return a;
}

static int read_any(struct reader *r)
{
    int a = read_all(r);

    while (!r->err && take_word(r, "or")) {
        int b = read_all(r);

        a = node(r, (struct node){ .op = OR, .a = a, .b = b });
    }
    return a;
}

enum bk_err study_where_new(struct study_where **out, const struct bk_variant *v,
                            const uint8_t count[2][BK_TYPES_MAX], const char *text,
                            struct bk_report *why)
{
    struct study_where *w = calloc(1, sizeof *w);
    struct reader r = { .w = w, .count = count, .text = text, .at = text, .why = why };

    *out = NULL;
    if (!w)
        return bk_no_memory(why);
    w->v = v;
    w->root = read_any(&r);
    skip(&r);
    if (!r.err && *r.at)
        fail_at(&r, r.at, "this cannot stand here");
    if (r.err)
        free(w);
    else
        *out = w;
    return r.err;
}

void study_where_free(struct study_where *w) { free(w); }

bool study_where_asks_other(const struct study_where *w) { return w->asks_other; }

/* == Evaluating == */

/* The square of the nth man of a kind, from a1 on. */
static int square_of(const struct study_where *w, const struct node *n, const struct bk_pos *p)
{
    unsigned nth = n->nth;

    for (unsigned sq = 0; sq < w->v->nsq; sq++)
        if (p->at[sq] == bk_man(n->type, n->colour) && !nth--)
            return (int)sq;
    return -1; /* `p` is no position of the material */
}

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* Steps of a king on an empty board without holes. */
static int distance(const struct bk_variant *v, int a, int b)
{
    return larger(abs(a % v->files - b % v->files), abs(a / v->files - b / v->files));
}

/* Steps to the nearest edge of the rectangle; 0 on the rim. */
static int edge(const struct bk_variant *v, int sq)
{
    int file = sq % v->files, rank = sq / v->files;

    return smaller(smaller(file, v->files - 1 - file), smaller(rank, v->ranks - 1 - rank));
}

static int count_moves(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];

    return (int)bk_moves_legal(v, p, move);
}

static int value(const struct study_where *w, int at, const struct study_facts *f);

/* Is a man attacked by the other side, or (by_own) covered by his own? */
static int is_attacked(const struct study_where *w, const struct node *man,
                       const struct study_facts *f, bool by_own)
{
    int sq = square_of(w, man, f->p);

    return sq >= 0 && bk_attacked(w->v, f->p, (unsigned)sq, by_own ? man->colour : !man->colour);
}

/* Numbers that grow too large stay as large as they can be. */
static int within(long long x) { return x > INT_MAX ? INT_MAX : x < -INT_MAX ? -INT_MAX : (int)x; }

static int value(const struct study_where *w, int at, const struct study_facts *f)
{
    const struct node *n = &w->node[at];

    switch (n->op) { /* no default: -Wswitch names the one you forgot */
    case NUMBER:
    case SQUARE: return n->a;
    case MAN: return square_of(w, n, f->p);
    case NEGATE: return -value(w, n->a, f);
    case NOT: return !value(w, n->a, f);
    case AND: return value(w, n->a, f) && value(w, n->b, f);
    case OR: return value(w, n->a, f) || value(w, n->b, f);
    case ADD: return within((long long)value(w, n->a, f) + value(w, n->b, f));
    case SUBTRACT: return within((long long)value(w, n->a, f) - value(w, n->b, f));
    case MULTIPLY: return within((long long)value(w, n->a, f) * value(w, n->b, f));
    case EQUAL: return value(w, n->a, f) == value(w, n->b, f);
    case DIFFERENT: return value(w, n->a, f) != value(w, n->b, f);
    case LESS: return value(w, n->a, f) < value(w, n->b, f);
    case LESS_EQUAL: return value(w, n->a, f) <= value(w, n->b, f);
    case WDL: return f->wdl;
    case PLIES: return f->plies;
    case OTHER: return f->other_wdl;
    case OTHER_PLIES: return f->other_plies;
    case TO_MOVE: return f->p->stm;
    case CHECK: return bk_in_check(w->v, f->p, f->p->stm);
    case MOVES: return count_moves(w->v, f->p);
    case FILE_OF: return value(w, n->a, f) % w->v->files + 1;
    case RANK_OF: return value(w, n->a, f) / w->v->files + 1;
    case EDGE: return edge(w->v, value(w, n->a, f));
    case DISTANCE: return distance(w->v, value(w, n->a, f), value(w, n->b, f));
    case LIGHT: return (value(w, n->a, f) % w->v->files + value(w, n->a, f) / w->v->files) & 1;
    case ATTACKED: return is_attacked(w, &w->node[n->a], f, false);
    case DEFENDED: return is_attacked(w, &w->node[n->a], f, true);
    }
    return 0;
}

bool study_where_true(const struct study_where *w, const struct study_facts *f)
{
    return value(w, w->root, f) != 0;
}
