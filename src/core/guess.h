/*
 * guess.h - which word was meant: for errors that say "did you mean ...?".
 *
 * A guess has a bar, the most mistakes that it may have made; a word that is
 * offered and found nearer replaces the one before.  Small, on the stack.
 */
#ifndef BK_GUESS_H
#define BK_GUESS_H

struct bk_guess {
    const char *wrong; /* borrowed: what was written */
    const char *best;  /* borrowed: the nearest so far; NULL: none near enough */
    unsigned mistakes; /* a better one has fewer */
};

/* Begins with nothing found.  Nearly a third of the letters may be wrong, and one at least. */
struct bk_guess bk_guess_at(const char *wrong);

/* Offers a word: letters left out, added, wrong or exchanged with their neighbour are mistakes, of
   capitals none.  Cost: the product of the lengths. */
void bk_guess_offer(struct bk_guess *g, const char *word);

/* "; did you mean `word`?", or nothing; out has 80 bytes.  Returns out. */
#define BK_GUESS_TEXT_MAX 80
char *bk_guess_text(const struct bk_guess *g, char out[BK_GUESS_TEXT_MAX]);

#endif
