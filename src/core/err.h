/*
 * err.h - errors are values.
 *
 * A call that can fail returns enum bk_err and, where a person will want to
 * know more, fills a struct bk_report with one line that names what is wrong
 * and where.  Nothing here prints, exits or aborts.
 */
#ifndef BK_ERR_H
#define BK_ERR_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>

enum bk_err {
    BK_OK,
    BK_E_NO_TABLE,    /* expected: this material was never generated          */
    BK_E_ILLEGAL,     /* expected: the position cannot occur                  */
    BK_E_DIFFERS,     /* expected: a check found a difference                 */
    BK_E_USAGE,       /* bad input: FEN, variant, material, argument          */
    BK_E_CORRUPT,     /* broken: the file contradicts docs/format.md          */
    BK_E_SYSTEM,      /* broken: memory, disk, permissions                    */
    BK_E_NOT_CACHED,  /* expected: it needs a read, which is not allowed      */
    BK_E_OVER_BUDGET, /* more memory than the caller allows                   */
    BK_E_NEEDS_BYTES, /* expected: the caller has not yet supplied file bytes */
    BK_E_NEWER,       /* expected: the file needs a later version of this     */
};

/* Is it the file itself that cannot be used, now and later?  All other errors may pass. */
static inline bool bk_is_of_file(enum bk_err err)
{
    return err == BK_E_CORRUPT || err == BK_E_NEWER;
}

/* One line for people, without a newline.  Empty when there was no error. */
struct bk_report {
    char text[512];
};

/* A fixed description of the code.  Never NULL. */
const char *bk_strerror(enum bk_err err);

/*
 * Formats the report (NULL is fine) and is `err`, so that a failing function can
 * end with `return bk_fail(why, BK_E_USAGE, "...", ...)`.  A macro, so that
 * compilers and analysers see which error it is.
 */
#define bk_fail(why, err, ...) (bk_report_write((why), __VA_ARGS__), bk_err_of(err))

/* Does an errno say that there is no such file?  Others say why it cannot be reached. */
static inline bool bk_not_there(int error) { return error == ENOENT || error == ENOTDIR; }

/* BK_E_SYSTEM: the machine has no more memory. */
#define bk_no_memory(why) bk_fail(why, BK_E_SYSTEM, "out of memory")

/* BK_E_SYSTEM: a signal asked to stop. */
#define bk_interrupted(why) bk_fail(why, BK_E_SYSTEM, "interrupted")

/* Makes a text that quotes input fit for a terminal: what it would obey instead of showing it
   (bk_utf8_is_control()) becomes `?`, but for the characters of `keep`. */
void bk_plain_text(char *text, const char *keep);
/* The same, and it stays on one line. */
void bk_one_line(char *text);

/* The first half of bk_fail(). */
void bk_report_write(struct bk_report *why, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static inline enum bk_err bk_err_of(enum bk_err err) { return err; }

/* Reports a fault of a text: "LABEL:LINE:COLUMN: ..." and BK_E_USAGE.  Column 0, the line as a
   whole, is written as 1. */
enum bk_err bk_fail_at(struct bk_report *why, const char *label, int line, unsigned column,
                       const char *fmt, va_list ap) __attribute__((format(printf, 5, 0)));

/*
 * The first error that one of several threads has met; later ones are dropped.
 * Begins as { .err = BK_OK }.  The report is read when the threads have ended.
 */
struct bk_first_error {
    _Atomic int err; /* enum bk_err */
    struct bk_report why;
};

/* Has a thread failed, so that the others may stop?  Cheap: one relaxed load. */
bool bk_first_error_any(const struct bk_first_error *first);

/* Keeps `err` (BK_OK: nothing happens) and its report unless an error has been kept already. */
void bk_first_error_keep(struct bk_first_error *first, enum bk_err err,
                         const struct bk_report *why);

/* The error that was kept, its report copied to `why` (NULL is fine).  No thread may be keeping one
   at the same time. */
enum bk_err bk_first_error_of(const struct bk_first_error *first, struct bk_report *why);

#endif
