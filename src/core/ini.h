/*
 * ini.h - the lines of a variant file, one after another.
 *
 * docs/variant-files.md 1 is the form.  The reader finds sections and keys, whatever
 * their names; it skips blank lines and comments, and checks that the rest is UTF-8.
 */
#ifndef BK_INI_H
#define BK_INI_H

#include "core/err.h"

#define BK_INI_LINE_CHARS_MAX 197

struct bk_ini {
    const char *next; /* what is not read yet; borrowed */
    int line;         /* the number of the last line read; 0: none */
    const char *name; /* of the section or the key */
    const char *value;
    unsigned column; /* of the value, or of what is wrong; from 1 */
    struct bk_report fault;
    char text[BK_INI_LINE_CHARS_MAX + 1]; /* the line, cut into name and value */
};

enum bk_ini_kind {
    BK_INI_END,
    BK_INI_SECTION, /* name: what stands between the brackets */
    BK_INI_KEY,     /* name and value, without white space around; each may be empty */
    BK_INI_WRONG,   /* fault, line and column say what and where; nothing is read after it */
};

/* Begins to read a text, which stays borrowed; a byte order mark is skipped. */
void bk_ini_open(struct bk_ini *ini, const char *text);

/* Reads on up to the next section or key.  Name and value are good until the next call. */
enum bk_ini_kind bk_ini_next(struct bk_ini *ini);

#endif
