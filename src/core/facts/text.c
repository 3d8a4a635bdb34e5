/*
 * text.c - facts in words, for people who want to read what a table has learned.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/facts/list.h"

struct text {
    char *out;
    size_t n;
};

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct text *t, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(t->out + t->n, BK_FACT_TEXT_MAX - t->n, fmt, args);
    va_end(args);
    if (n > 0)
        t->n += (size_t)n;
    if (t->n > BK_FACT_TEXT_MAX - 1)
        t->n = BK_FACT_TEXT_MAX - 1;
}

static const char *side(unsigned colour) { return colour == BK_WHITE ? "White" : "Black"; }

/* "the white knight"; of equal men "white knight 2". */
static void say_man(struct text *t, const struct bk_facts *f, unsigned i)
{
    unsigned like = 0, before = 0;

    for (unsigned j = 0; j < f->men.n; j++)
        if (f->kind[j] == f->kind[i]) {
            like++;
            before += j < i;
        }
    say(t, "%s%s %s", like > 1 ? "" : "the ", f->men.colour[i] == BK_WHITE ? "white" : "black",
        f->v->piece[f->men.type[i]].name);
    if (like > 1)
        say(t, " %u", before + 1);
}

static void say_two(struct text *t, const struct bk_facts *f, unsigned i, unsigned j)
{
    say_man(t, f, i);
    say(t, " and ");
    say_man(t, f, j);
}

/* "the knight stands at least 2 ranks below the king": j is at most `by` ahead of i. */
static void say_ahead(struct text *t, const struct bk_facts *f, const struct fact_group *g, int by,
                      const char *what, const char *less, const char *more)
{
    say_man(t, f, g->j);
    if (by == 0)
        say(t, " stands on the %s of, or %s, ", what, less);
    else
        say(t, " stands at %s %d %s%s %s ", by < 0 ? "least" : "most", abs(by), what,
            abs(by) == 1 ? "" : "s", by < 0 ? less : more);
    say_man(t, f, g->i);
}

/* "the king and the rook are at most 2 files apart". */
static void say_apart(struct text *t, const struct bk_facts *f, const struct fact_group *g,
                      unsigned most, const char *what)
{
    say_two(t, f, g->i, g->j);
    if (most)
        say(t, " are at most %u %s%s apart", most, what, most == 1 ? "" : "s");
    else
        say(t, " stand on one %s", what);
}

static void say_place(struct text *t, const struct bk_facts *f, const struct fact_group *g,
                      unsigned q)
{
    unsigned most = g->least + q;

    switch (g->metric) {
    case METRIC_DISTANCE:
        say_two(t, f, g->i, g->j);
        say(t, " are at most %u apart", most);
        return;
    case METRIC_AXIS:
        say_two(t, f, g->i, g->j);
        if (most)
            say(t, " are at most %u file%s or rank%s apart", most, most == 1 ? "" : "s",
                most == 1 ? "" : "s");
        else
            say(t, " stand on one file or one rank");
        return;
    case METRIC_FILES_APART: say_apart(t, f, g, most, "file"); return;
    case METRIC_RANKS_APART: say_apart(t, f, g, most, "rank"); return;
    case METRIC_COLOUR:
        say_two(t, f, g->i, g->j);
        say(t, " stand on squares of one colour");
        return;
    case METRIC_EDGE:
        say_man(t, f, g->i);
        say(t, most ? " is at most %u from the edge" : " stands on the edge", most);
        return;
    case METRIC_CORNER:
        say_man(t, f, g->i);
        say(t, most ? " is at most %u from a corner" : " stands in a corner", most);
        return;
    case METRIC_RANK:
        say_man(t, f, g->i);
        say(t, " stands on rank %u or below", f->game->bottom + most + 1);
        return;
    case METRIC_FILE:
        say_man(t, f, g->i);
        say(t, " stands on file %c or left of it", (char)('a' + f->game->left + most));
        return;
    case METRIC_RANK_AHEAD:
        say_ahead(t, f, g, (int)most - METRIC_ZERO, "rank", "below", "above");
        return;
    case METRIC_FILE_AHEAD:
        say_ahead(t, f, g, (int)most - METRIC_ZERO, "file", "left of", "right of");
        return;
    }
    say_man(t, f, g->i);
    say(t, " could come to the square of ");
    say_man(t, f, g->j);
}

static void say_king_diff(struct text *t, const struct bk_facts *f, unsigned i, int q)
{
    say(t, "the white king is ");
    if (q < 2)
        say(t, "at least %d nearer to ", 2 - q);
    else if (q == 2)
        say(t, "as near or nearer to ");
    else
        say(t, "at most %d farther from ", q - 2);
    say_man(t, f, i);
    say(t, " than the black king");
}

static void say_fork(struct text *t, const struct bk_facts *f, unsigned i, struct fact_fork fork)
{
    say_man(t, f, i);
    say(t, fork.covered ? " can attack " : " can safely attack ");
    say_man(t, f, fork.a);
    if (fork.b != fork.a) {
        say(t, fork.skewer ? ", and behind it " : " and ");
        say_man(t, f, fork.b);
    }
    if (fork.covered)
        say(t, " from a square that is safe, or defended and attacked by the king at most");
}

char *bk_fact_text(const struct bk_facts *f, unsigned fact, char out[BK_FACT_TEXT_MAX])
{
    const struct fact_item *item = &f->item[fact];
    const struct fact_group *g = &f->group[item->group];
    unsigned i = g->i, q = item->q;
    struct text t = { out, 0 };

    out[0] = 0;
    switch ((enum fact_kind)g->kind) {
    case FACT_PLACE: say_place(&t, f, g, q); break;
    case FACT_KING_DIFF: say_king_diff(&t, f, i, (int)q); break;
    case FACT_ATTACKS:
        say_man(&t, f, g->j);
        say(&t, f->men.colour[i] == f->men.colour[g->j] ? " is defended by " : " is attacked by ");
        say_man(&t, f, i);
        break;
    case FACT_COUNTS:
        say(&t, "at least %u %s ", q + 1, q ? "men" : "man");
        say(&t, "%s%s ", g->j == f->men.colour[i] ? "defend" : "attack", q ? "" : "s");
        say_man(&t, f, i);
        break;
    case FACT_HANGING:
        say(&t, "%s attacks at least %u %s not defended", side(i), q + 1,
            q ? "men that are" : "man that is");
        break;
    case FACT_KING_SAFE:
        say_man(&t, f, i);
        say(&t, " has at least %u safe%s square%s", q % 4 + 1, q >= 4 ? " empty" : "",
            q % 4 ? "s" : "");
        break;
    case FACT_MAN_SAFE:
        say_man(&t, f, i);
        say(&t, " has at least %u safe square%s", q + 1, q ? "s" : "");
        break;
    case FACT_FORK: say_fork(&t, f, i, g->fork); break;
    }
    return out;
}
