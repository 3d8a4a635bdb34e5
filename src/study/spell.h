/*
 * spell.h - the words of a game as people and programs spell them.
 *
 * PGN is ASCII, but games come with figurines, dashes, halves and signs of the Informator, from
 * sites, books and word processors.  Here all that is known of such spellings is said, once.
 */
#ifndef BK_STUDY_SPELL_H
#define BK_STUDY_SPELL_H

#include <stddef.h>

#define STUDY_SPELLED_MAX 24 /* letters of a move, signs left out */

/* The length of the blanks that the text begins with, those of typesetters (no-break space) too. */
size_t study_blanks(const char *at);
/* The length of the dots that the text begins with: ".", "...", and the ellipsis as one sign. */
size_t study_dots(const char *at);
/* The length of the word that the text begins with: up to a blank, a bracket, `;` or `$`; of
   "e8(Q)" all. */
size_t study_word(const char *at);

enum study_word_kind {
    STUDY_WORD_MOVE,   /* none of the others: a move, if anything */
    STUDY_WORD_RESULT, /* 1-0, 0-1, 1/2-1/2, *; with dashes, with colons, 1/2 alone or as one sign
                        */
    STUDY_WORD_NULL,   /* a null move: -- Z0 0000 @@@@ null pass <> */
    STUDY_WORD_SIGN,   /* !? +- +/= e.p. ch N and whatever has neither letters nor digits */
};
enum study_word_kind study_word_kind(const char *text, size_t n);

/*
 * Writes a move as PGN has it: letters for figurines, `x` for a colon or a cross, `-` for any dash,
 * O-O for 0-0, "e8=Q" for "e8(Q)", "e8/Q", "e8=q" and "a7a8q"; without checks, marks, evaluations,
 * `e.p.` and `ch` behind it.  Returns its length; 0: nothing is left, or it is too long for a move.
 */
size_t study_spell(char out[STUDY_SPELLED_MAX + 1], const char *text, size_t n);

#endif
