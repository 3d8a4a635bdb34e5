/*
 * proof.h - tables as files, asked through the library.
 *
 * What the tests share that compare the files of tb/, read by libbareking, with
 * the slow solver: folders, the two kinds of positions, and questions.
 */
#ifndef PROOF_H
#define PROOF_H

#include "core/position.h"
#include "probe/bareking.h"
#include "tests/ref.h"

/*
 * A new folder in $TMPDIR, in memory if there is none, else in /tmp; exits if it cannot.  It goes
 * with all that is in it when the program ends, well or not, by exit(): a test that fails half way
 * leaves nothing.
 */
#define PROOF_DIR_MAX 256
char *proof_folder(char out[PROOF_DIR_MAX]);
void proof_remove(const char *path); /* a folder and all in it, now */

/* The release of libzstd with which sums of whole files were taken: another one may compress a
   model to other bytes (docs/format.md 11). */
#define PROOF_ZSTD 10504

/* Makes the table of a material, and of all that it leads to, in `dir`, as the command makes them;
   those that are there stay.  What cannot be done fails the test. */
void proof_build(const struct bk_variant *v, const char *dir, const char *material);

/* == Positions == */

struct bk_pos proof_pos(const struct bk_variant *v, const struct ref_pos *r);
struct ref_pos proof_ref(const struct bk_variant *v, const struct bk_pos *p);
/* The colours exchanged, and the board turned by `sym` (bk_material_swap()). */
struct bk_pos proof_exchanged(const struct bk_variant *v, const struct bk_pos *p, unsigned sym);

/* == Questions == */

/* Asks about the position as a list of men, which tells no more than men and the side to move. */
enum bk_lib_err proof_ask_men(struct bk_lib *lib, const struct bk_variant *v,
                              const struct bk_pos *p, struct bk_answer *out);
enum bk_lib_err proof_ask_fen(struct bk_lib *lib, const struct bk_variant *v,
                              const struct bk_pos *p, struct bk_answer *out);

/* Does the answer say what the slow solver says?  Without distances, any two wins are the same. */
bool proof_same(const struct bk_answer *a, const struct ref_value *value, bool distances);

/* Fails the test unless the answer to the position's FEN is what the slow solver says. */
void proof_agree(struct bk_lib *lib, const struct bk_variant *v, const struct ref_pos *r,
                 const struct ref_value *value);

#endif
