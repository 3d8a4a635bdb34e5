/*
 * save.h - where the documents go that the command writes: diagrams, reports.
 */
#ifndef BK_CLI_SAVE_H
#define BK_CLI_SAVE_H

#include "cli/cli.h"
#include "study/text.h"

/*
 * Writes the text to c->output, or to stdout, and frees it.  A file that cannot be written whole is
 * not left behind.  Returns an exit status, its error said.
 */
int save_text(const struct cli *c, struct study_text *text);

/* The same of an SVG as a PNG, made by rsvg-convert.  CLI_USAGE where stdout is a terminal. */
int save_png(const struct cli *c, struct study_text *svg);

#endif
