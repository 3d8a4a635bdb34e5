/*
 * diagram.h - a position as a picture: SVG, or letters.
 *
 * Boards of any size, with holes; arrows, coloured squares, words on squares, a legend.  Square s
 * of a diagram is square s of the game.  No tables are asked here: the caller colours the squares.
 */
#ifndef BK_STUDY_DIAGRAM_H
#define BK_STUDY_DIAGRAM_H

#include "core/hands.h"
#include "study/text.h"

/*
 * == Pictures of men ==
 *
 * They are those of pieces.svg, which says how they are drawn: SVG elements on a square of 48 by 48
 * units, without colours.  Who uses one sets fill, stroke, color and stroke-width around it.
 */

#define STUDY_PICTURE_SIZE 48

struct study_picture {
    const char *names; /* of men that it stands for, as in variant files: " alfil elephant " */
    const char *body;  /* SVG elements */
};

/* All of them, ended by a NULL name; made of pieces.svg at build time. */
extern const struct study_picture study_pictures[];

/*
 * The picture of a man, by its name in the variant file; a royal man of
 * another name is drawn as a king.  NULL: none, as for men of somebody's own
 * game; such a man is shown by its letter.
 */
const struct study_picture *study_picture(const struct bk_piece *man);

/* == Diagrams == */

#define STUDY_ARROWS_MAX 64
#define STUDY_LEGEND_MAX 6
#define STUDY_OFF_MAX    BK_HANDS_MEN_MAX
#define STUDY_COLOUR_MAX 8 /* "#rrggbb" */

struct study_arrow {
    uint8_t from, to;
    char colour[STUDY_COLOUR_MAX];
};

struct study_diagram {
    const struct bk_variant *v;
    const struct bk_pos *p;
    bool flip;           /* Black's side below */
    bool plain;          /* no coordinates */
    bool shared;         /* pictures are not in the SVG, but elsewhere on its page */
    unsigned pixels;     /* width of a square; 0: 48 */
    const char *caption; /* below the board; NULL: none */
    uint8_t faded;       /* the man on this square is drawn lightly; BK_SQ_NONE: nobody */
    char fill[BK_SQ_MAX][STUDY_COLOUR_MAX]; /* "": the board's own colour */
    char label[BK_SQ_MAX][8];               /* a few characters on the square; "": none */
    struct study_arrow arrow[STUDY_ARROWS_MAX];
    unsigned narrows;
    struct {
        char colour[STUDY_COLOUR_MAX];
        char text[64];
    } legend[STUDY_LEGEND_MAX];
    unsigned nlegend;
    uint8_t off[STUDY_OFF_MAX]; /* men off the board, bk_man() each: drawn below it */
    unsigned noff;
};

/*
 * Reads a FEN to be drawn, legal or not, after study_diagram_init(d, v, p).  In games with hands
 * the men in its brackets go to d->off, and the rest to *p; then it must be the start of a turn.
 */
enum bk_err study_diagram_read(struct study_diagram *d, const struct bk_variant *v,
                               struct bk_pos *p, const char *fen, struct bk_report *why);

/* A diagram of a position, without anything upon it.  v and p borrowed. */
void study_diagram_init(struct study_diagram *d, const struct bk_variant *v,
                        const struct bk_pos *p);

/* "green", "red", "blue", "yellow", "grey" or "#rrggbb" into out; false: it is none. */
bool study_colour(const char *name, size_t n, char out[STUDY_COLOUR_MAX]);

/* Reads a word of a list of arrows (squares: 2) or marks (1): squares of the board, and a colour
   behind ':', else green.  False: it is none. */
bool study_squares(const struct bk_variant *v, const char *word, size_t n, unsigned squares,
                   uint8_t sq[2], char colour[STUDY_COLOUR_MAX]);

/* The colour of a verdict, from White's side: -1, 0, +1. */
const char *study_verdict_colour(int white_wdl);

/* Puts the diagram as an SVG element; it needs no style sheet, script or font of its own. */
void study_diagram_svg(struct study_text *out, const struct study_diagram *d);

/* Puts the pictures that diagrams with `shared` refer to, once a page, in an element that shows
   nothing itself. */
void study_diagram_shared(struct study_text *out, const struct bk_variant *v);

/* Puts the diagram in letters: upper case for White, dots, blanks for holes; marked squares in
   brackets, or by their labels where they have some. */
void study_diagram_text(struct study_text *out, const struct study_diagram *d);

#endif
