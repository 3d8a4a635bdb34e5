/*
 * fuzz.h - what the fuzz targets share.
 *
 * A target is a function of some bytes that must come back: without a fault, soon, and with
 * whatever it promises (a written FEN can be read again, say) held.  With clang,
 * libFuzzer calls it (`make fuzz-inputs`); without, replay.c does, with the files
 * of corpus/ and changes of them (`make test`).  docs/security.md.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/position.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Aborts with a message unless a promise holds. */
#define FUZZ_CHECK(true_)                                                                          \
    do                                                                                             \
        if (!(true_)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #true_);                    \
            abort();                                                                               \
        }                                                                                          \
    while (0)

/*
 * A new folder in $TMPDIR, else in /tmp.  A target that is killed leaves the folder behind: start
 * it with a $TMPDIR that is removed afterwards.
 */
#define FUZZ_DIR_MAX 256
char *fuzz_folder(char out[FUZZ_DIR_MAX]);

/* The bytes as text, cut at the first NUL, with one behind; owned. */
char *fuzz_text(const uint8_t *bytes, size_t n);

/* The text's next line, ended; *text moves behind it.  "" when there is no more. */
char *fuzz_line(char **text);

/* A built-in game, or one of those made to be awkward; loaded once, never freed.  NULL: no such. */
const struct bk_variant *fuzz_game(const char *name);

/* Asks everything about a position that needs no tables. */
void fuzz_position(const struct bk_variant *v, const struct bk_pos *p);

/* Asks everything about a game: its words, its beginning, a few materials. */
void fuzz_variant(const struct bk_variant *v);

#endif
