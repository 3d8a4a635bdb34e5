/*
 * pictures.h - what men look like.
 *
 * The pictures are those of pieces.svg, which says how they are drawn: SVG
 * elements on a square of 48 by 48 units, without colours.  Whoever uses one
 * sets fill, stroke, color and stroke-width around it.
 */
#ifndef BK_STUDY_PICTURES_H
#define BK_STUDY_PICTURES_H

#include "core/variant.h"

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

#endif
