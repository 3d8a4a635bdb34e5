/*
 * guess.c - see guess.h.
 *
 * The distance is Damerau's and Levenshtein's with neighbours exchanged at
 * most once: row by row, of which three are kept.
 */
#include "core/guess.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 48 /* longer ones are nobody's names */

struct bk_guess bk_guess_at(const char *wrong)
{
    struct bk_guess g = { .wrong = wrong };

    g.mistakes = (unsigned)(strlen(wrong) + 2) / 3 + 1;
    return g;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Counts the mistakes between a and b, of WORD_MAX letters at most. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[3][WORD_MAX + 1], n = (unsigned)strlen(b);
    unsigned *before = row[0], *above = row[1], *now = row[2];

    for (unsigned j = 0; j <= n; j++)
        above[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned *old = before;

        now[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);

            now[j] = least(above[j - 1] + !same, least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        before = above;
        above = now;
        now = old;
    }
    return above[n];
}

void bk_guess_offer(struct bk_guess *g, const char *word)
{
    unsigned mistakes;

    if (strlen(word) > WORD_MAX || strlen(g->wrong) > WORD_MAX)
        return;
    mistakes = distance(g->wrong, word);
    if (mistakes < g->mistakes) {
        g->best = word;
        g->mistakes = mistakes;
    }
}

char *bk_guess_text(const struct bk_guess *g, char out[BK_GUESS_TEXT_MAX])
{
    *out = 0;
    if (g->best)
        snprintf(out, BK_GUESS_TEXT_MAX, "; did you mean `%s`?", g->best);
    return out;
}
