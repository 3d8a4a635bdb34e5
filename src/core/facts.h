/*
 * facts.h - boolean features of a position: "the black knight is attacked by the white rook".
 *
 * Table files hold decision trees over such features, called *facts*; the encoder asks them while
 * it writes a file, the prober while it reads one.  Each fact is defined once, by the geometry of
 * the game alone (core/geometry.h).  Nothing is tuned to a game or a table, so leapers, bent
 * riders, screens, zones, holes and boards of any size need no code of their own.
 *
 * Two evaluators compute them, and tests/test_facts.c proves both equal to the plain
 * definition, square by square, of tests/plain_facts.c:
 *
 *   one position   bk_fact_look(), bk_fact_look_leaf(): descends a decision tree; each fact is
 *                  computed when a node asks for it.
 *   a row          the positions that differ in the square of one man only, the *inner man*; a
 *                  fact is then a bitboard: the squares of the inner man for which it is true.
 *                  bk_fact_row_descend() takes many squares down the tree at once.
 *
 * Which facts there are, and their numbers, depend on the game and the list of men alone, not on
 * which man is the inner one; files rely on both (BK_FACTS_VERSION).  Integer arithmetic only.
 *
 *   men      by their place in the list: the white king, the black king, then the others.
 *   attacks  a man attacks the squares on which it could take, with all men on the board in the
 *            way; the colour of a man there does not matter, so it also attacks (defends) men of
 *            its own side.  Captures of two men in one move (BK_TWICE) do not count.
 *   safe     a square is safe for a side if the other side does not attack it; those attacks look
 *            through the first side's king, as if it were not there.
 *
 * Side to move, castling rights and allowances are no part of a fact.
 */
#ifndef BK_FACTS_H
#define BK_FACTS_H

#include "core/variant.h"

#define BK_FACTS_VERSION 1
#define BK_FACT_TEXT_MAX 256

/* The men of a material: white king, black king, then the others in the order of the index. */
struct bk_fact_men {
    unsigned n; /* 2 .. BK_MEN_MAX */
    uint8_t type[BK_MEN_MAX], colour[BK_MEN_MAX];
};

struct bk_facts; /* all facts of a list of men; read-only, any threads */

/*
 * v  borrowed; must outlive *out, which is owned.
 * Returns BK_OK; BK_E_USAGE (men[0] and men[1] are not the two kings, or too many men);
 * BK_E_SYSTEM (memory).
 * Cost: 0.4 ms and 10 KB (KRNvKR).  Besides, the game keeps tables of what a kind of man attacks,
 * shared by all lists: 11 KB a kind on 8x8, 110 KB for riders; 4 to 5 MB on 14x14.
 * The first row of a list makes some 50 KB more.
 */
enum bk_err bk_facts_new(struct bk_facts **out, const struct bk_variant *v,
                         const struct bk_fact_men *men, struct bk_report *why);
void bk_facts_free(struct bk_facts *f); /* NULL is fine */
/* Bytes that `f` holds: without the tables of the game and without those that rows add. */
size_t bk_facts_bytes(const struct bk_facts *f);

unsigned bk_facts_count(const struct bk_facts *f);
/* 64-bit words of a set of squares in the calls below: 1, 2 or 4.  Square s is bit s % 64 of
   word s / 64. */
unsigned bk_facts_words(const struct bk_facts *f);
/* The same, as few as the board needs: whatever bytes of a file depend on is counted in these,
   since BAREKING_SET_BITS, for tests, makes sets wider. */
unsigned bk_facts_board_words(const struct bk_facts *f);

/*
 * The relative cost of computing a fact: 2 for the mobility of a king, 3 for the mobility of
 * another man and for forks, 0 for all others.
 */
unsigned bk_fact_cost(const struct bk_facts *f, unsigned fact);

/* The fact in words, "the black knight is attacked by the white rook".  Returns `out`. */
char *bk_fact_text(const struct bk_facts *f, unsigned fact, char out[BK_FACT_TEXT_MAX]);

/* == Decision trees == */

#define BK_FACT_LEAF 0xffff /* in place of a fact's number */

struct bk_fact_node {
    uint16_t fact;    /* or BK_FACT_LEAF */
    uint32_t yes, no; /* indices of the next nodes; in a leaf, `yes` is its number */
};

/* == One position, several questions ==
 * A prober asks of a position which leaf of a tree it reaches, and which men can be taken.  A
 * *look* holds the squares of the men and what they attack; it is made once for all questions, on
 * the stack, and needs no release. */

#define BK_FACT_LOOK_BYTES 576

struct bk_fact_look {
    _Alignas(32) unsigned char room[BK_FACT_LOOK_BYTES];
};

/* Makes a look.  sq: the square of each man, copied; no two on one square; entries beyond the last
   man are ignored.  Cost: 20 to 40 ns; more with men that bend or hop. */
void bk_fact_look(struct bk_fact_look *look, const struct bk_facts *f,
                  const uint8_t sq[BK_MEN_MAX]);

/* A tree in the form that looks read: twelve bytes a question. */
struct bk_fact_tree;

/* Converts a tree to that form.  f: borrowed.  tree: `nodes` nodes, each before its children, `yes`
   right behind it.  leaf: the value of each leaf by number; NULL: the number itself.  *out is
   owned.  Returns BK_OK or BK_E_SYSTEM. */
enum bk_err bk_fact_tree_new(struct bk_fact_tree **out, const struct bk_facts *f,
                             const struct bk_fact_node *tree, uint32_t nodes, const int32_t *leaf,
                             struct bk_report *why);
void bk_fact_tree_free(struct bk_fact_tree *tree); /* NULL is fine */
size_t bk_fact_tree_bytes(uint32_t nodes);         /* memory of a tree of `nodes` nodes */

/* The value of the leaf that the position reaches.  HOT: 40 to 130 ns down learned trees. */
int32_t bk_fact_look_leaf(struct bk_fact_look *look, const struct bk_fact_tree *tree);

/* A capture: man `by` attacks man `taken` of the other side, not its king. */
struct bk_fact_take {
    uint8_t by, taken;
};

/*
 * Returns the captures of a side, one bit each: bit BK_MEN_MAX * by + taken.  Captures of two men
 * and en passant are left out; whether a capture exposes the own king is not asked.
 */
uint64_t bk_fact_look_takes(const struct bk_fact_look *look, unsigned colour);

/* The lowest capture of a mask that is not 0. */
static inline struct bk_fact_take bk_fact_takes_first(uint64_t takes)
{
    unsigned bit = (unsigned)__builtin_ctzll(takes);

    return (struct bk_fact_take){ (uint8_t)(bit / BK_MEN_MAX), (uint8_t)(bit % BK_MEN_MAX) };
}
_Static_assert(BK_MEN_MAX *BK_MEN_MAX <= 64, "a bit a capture");

/*
 * Does a move of man `by` to `to`, where it takes man `taken` (BK_FACT_NOBODY: nobody), leave the
 * king of its own side attacked?
 */
#define BK_FACT_NOBODY 255
bool bk_fact_look_exposes(const struct bk_fact_look *look, unsigned by, unsigned to,
                          unsigned taken);

/*
 * Sets `out` to the empty squares that man `by` attacks and may go to without leaving its king
 * attacked.  For a man that moves as it takes, these are all its legal moves that take nobody.
 * Cost: about that of one bk_fact_look_exposes().
 */
void bk_fact_look_quiet(struct bk_fact_look *look, unsigned by, struct bk_bits *out);

/* `take` captures the last man of one side, and the other side has one man besides its king: can
   the bared king take that man at once? */
bool bk_fact_look_bares_back(const struct bk_fact_look *look, struct bk_fact_take take);

/* == Rows == */

/*
 * The scratch memory of one thread, for rows of one inner man (a place in the list of men).  Facts
 * of the row before are kept unless they depend on a man that has moved, so rows are best asked in
 * the order of their numbers.  *out owned; f borrowed.
 * Returns BK_OK or BK_E_SYSTEM.
 */
struct bk_fact_row;
enum bk_err bk_fact_row_new(struct bk_fact_row **out, const struct bk_facts *f, unsigned inner,
                            struct bk_report *why);
void bk_fact_row_free(struct bk_fact_row *row); /* NULL is fine */

/* Sets the squares of the men of the row, no two on one square; sq[inner] is not read. */
void bk_fact_row_set(struct bk_fact_row *row, const uint8_t *sq);

/* Called with a leaf and the squares of the inner man that lead to it, at least one. */
typedef void bk_leaf_visit(void *context, uint32_t leaf, const uint64_t *squares);

/*
 * Takes the squares of `care` down the tree.  Visits each leaf that some of them reach, once;
 * the order is that of the tree, `yes` first.
 * care  squares of the board on which no other man stands.
 * HOT: 0.2 to 0.65 us for 64 squares down learned trees of KRNvKR, 3 to 7 leaves a row.
 */
void bk_fact_row_descend(struct bk_fact_row *row, const struct bk_fact_node *tree,
                         const uint64_t *care, bk_leaf_visit *visit, void *context);

/*
 * Computes all facts of the row: out[fact * bk_facts_words() + word].  Bits of squares that are not
 * in `care`, of holes and of squares of other men are undefined.
 * HOT: for rows that have nothing in common, 3 to 5 us on 8x8 with five men (230 to 350 facts), 7
 * to 9 on 10x10 with bent riders; less where `care` is a quarter of the squares.
 */
void bk_fact_row_all(struct bk_fact_row *row, const uint64_t *care, uint64_t *out);

#endif
