/*
 * chart.h - how long games last, as bars.
 */
#ifndef BK_STUDY_CHART_H
#define BK_STUDY_CHART_H

#include "study/text.h"
#include "study/values.h"

/* Puts an SVG element: for each number of turns, how many positions with `side` to move are won and
   lost in it, on a scale on which each line is ten times the one below. */
void study_chart(struct study_text *out, const struct study_tally *t, unsigned side);

#endif
