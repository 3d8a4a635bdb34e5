/*
 * save.h - where the documents go that the command writes: diagrams, reports.
 */
#ifndef BK_CLI_SAVE_H
#define BK_CLI_SAVE_H

#include "cli/report.h"
#include "study/text.h"

/*
 * Writes the text to c->output, or to stdout, and frees it.  A file takes its place when it is
 * whole: a failure leaves no part of it behind, and an older one as it was.  Returns an exit
 * status, its error said.
 */
int save_text(const struct cli *c, struct study_text *text);

/* Writes an SVG as a PNG, made by rsvg-convert, likewise.  CLI_USAGE where stdout is a terminal. */
int save_png(const struct cli *c, struct study_text *svg);

/* Writes one line of JSON likewise.  `value` is taken; NULL means memory ran out. */
int save_json(const struct cli *c, json_t *value);

#endif
