/*
 * save.h - where the files go that the command writes: diagrams, reports, sites, jobs.
 *
 * Other users may be able to write to the folder.  So a file is created under a random name that no
 * file has, and renamed when it is complete: a link at its final name is replaced, and nothing is
 * written through it.  (Tables: table/write.h.)
 */
#ifndef BK_CLI_SAVE_H
#define BK_CLI_SAVE_H

#include <limits.h>

#include "cli/report.h"
#include "study/text.h"

/* == A file and its place == */

#define SAVE_PART_MAX (PATH_MAX + 16)

/* A file under way; f is for its writer, who may look at it. */
struct save_file {
    FILE *f;
    char path[PATH_MAX], part[SAVE_PART_MAX];
};

/* The rights of a new file, 0666 or 0777, as far as the process's mask leaves them. */
unsigned save_mode(unsigned mode);
/* Opens a file that is to become `path`.  False: errno. */
bool save_begin(struct save_file *s, const char *path, unsigned mode);
/* Closes the file and renames it to `path`.  error: 0, or the errno of an earlier failure: then the
   file is removed.  Returns the first errno, or 0. */
int save_end(struct save_file *s, int error);
/* Makes `path` another name of the file `from`, in place of what had that name.  Returns an errno,
   or 0. */
int save_link(const char *from, const char *path);

/* == What -o says == a link leads where it leads, as with `>` */

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
