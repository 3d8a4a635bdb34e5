/*
 * guess.h - the nearest known word to a misspelt one: for errors that say "did you mean ...?".
 *
 * A guess keeps the nearest word so far; a word that is offered replaces it if it has
 * fewer mistakes.  The first one needs fewer than a bound.  Small, on the stack.
 */
#ifndef BK_GUESS_H
#define BK_GUESS_H

struct bk_guess {
    const char *wrong; /* borrowed: what was written */
    const char *best;  /* borrowed: the nearest so far; NULL: none near enough */
    unsigned mistakes; /* of `best`, or the bound: a better word has fewer */
};

/* Begins with nothing found.  Nearly a third of the letters may be wrong, and one at least. */
struct bk_guess bk_guess_at(const char *wrong);

/* Offers a word.  A letter left out, added, wrong or exchanged with its neighbour is a mistake; a
   capital is none.  Cost: the product of the lengths. */
void bk_guess_offer(struct bk_guess *g, const char *word);

/* "; did you mean `word`?", or nothing; out has 80 bytes.  Returns out. */
#define BK_GUESS_TEXT_MAX 80
char *bk_guess_text(const struct bk_guess *g, char out[BK_GUESS_TEXT_MAX]);

#endif
