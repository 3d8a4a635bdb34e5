/*
 * report.h - how the command speaks: errors, numbers, boards, JSON.
 */
#ifndef BK_CLI_REPORT_H
#define BK_CLI_REPORT_H

#include <stdio.h>

#include "cli/cli.h"
#include "core/end.h"
#include "core/load.h"
#include "explore/json.h"
#include "table/material.h"

/* == Errors == */

/* Writes `bareking: ...` on one line of stderr, whatever the text holds; with --json it is said in
   the answer, too. */
void cli_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same on stderr alone, of what is no error: a JSON answer has fields of its own for it. */
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* json: is what follows asked with --json?  Forgets errors that were said before. */
void cli_say_json(bool json);
/* Ends a command: with --json, errors not told yet are a line of their own, with the status. */
void cli_answer_errors(int status);

/* Says the error, and is `status`.  Like bk_fail() a macro, so that analysers see which. */
#define cli_fail(status, ...) (cli_say(__VA_ARGS__), cli_status_of(status))
static inline int cli_status_of(int status) { return status; }

/* Out of memory: CLI_SYSTEM. */
#define cli_no_memory() cli_fail(CLI_SYSTEM, "out of memory")

/* The exit status that goes with an error of the library floors. */
static inline int cli_status(enum bk_err err)
{
    switch (err) { /* no default: -Wswitch names the one you forgot */
    case BK_OK: return CLI_OK;
    case BK_E_NO_TABLE: return CLI_NO;
    case BK_E_ILLEGAL: return CLI_USAGE;
    case BK_E_DIFFERS: return CLI_NO;
    case BK_E_USAGE: return CLI_USAGE;
    case BK_E_NEWER:
    case BK_E_CORRUPT: return CLI_DAMAGED;
    case BK_E_SYSTEM:
    case BK_E_NOT_CACHED:
    case BK_E_OVER_BUDGET:
    case BK_E_NEEDS_BYTES: return CLI_SYSTEM;
    }
    return CLI_SYSTEM;
}

/* Says the report (or the code's own text, if it is empty). */
static inline int cli_fail_report(enum bk_err err, const struct bk_report *why)
{
    return cli_fail(cli_status(err), "%s", why->text[0] ? why->text : bk_strerror(err));
}

/* Writes what is odd about the folders of tables (table/folders.h), "; " before it; "" if they are
   the default, CLI_TABLES, which the user did not name.  Returns out. */
char *cli_odd_folders(char *out, size_t room, const struct cli *c, const struct bk_variant *v);

/*
 * A question about material `m` met a table that is not there: `m`'s own or
 * one that it leads to.  Names all that are missing and the command that builds
 * them, with --for (c->terrain) on a terrain; CLI_NO.
 */
int cli_fail_no_table(const struct cli *c, const struct bk_variant *v, const struct bk_material *m);

/* == Text from outside == */

/*
 * A name or path that is safe to show: control characters become `?` (bk_plain_text() of
 * core/err.h).  For output that people read; lists for programs have names as they are.  cli_say()
 * does the same by itself, and texts of variant files are checked when they are read.  Returns
 * `out`.
 */
#define CLI_SHOWN_MAX 4400
char *cli_shown(char out[CLI_SHOWN_MAX], const char *text);

/* == Input == */

/* Says that a file cannot be read, for this errno.  A missing file, or a folder, is bad
   usage (CLI_USAGE); else CLI_SYSTEM. */
int cli_fail_unread(const char *path, int error);

/* Loads the variant named by the first argument, on the terrain of --for.  *out owned.  The FEN of
   --for must be one, whether or not kings stand on it, also where a material is named. */
int cli_variant(const struct cli *c, struct bk_variant **out);
/* Loads the variant `name` likewise. */
int cli_variant_named(const struct cli *c, const char *name, struct bk_variant **out);
/* Loads the variant named by the first argument on the board, or with the homes, of this FEN. */
int cli_variant_for(const struct cli *c, const char *fen, struct bk_variant **out);
/* Reads the arguments from the second on as materials; *out owned, nargs - 1 of them. */
int cli_materials(const struct cli *c, const struct bk_variant *v, struct bk_material **out);
/* Reads the materials likewise; where none is given, nor --men, takes the one of --for's FEN.
 *n tells how many. */
int cli_wanted(const struct cli *c, const struct bk_variant *v, struct bk_material **out,
               unsigned *n);
/* Reads the first material, in the colours of its table.  None, or one decided by rule, is an
   error: `command` wants one, `to` do something with its table. */
int cli_one_material(const struct cli *c, const struct bk_variant *v, const char *command,
                     const char *to, struct bk_material *out);
/* Tells, after the answer, if a material was asked for in the other colours than its table's. */
void cli_tell_colours(const struct cli *c, const struct bk_variant *v);
/* Returns the arguments [first, end) with blanks between; owned.  NULL: no memory. */
char *cli_join(const struct cli *c, unsigned first, unsigned end);
/* Reads a FEN and makes sure the position is legal. */
int cli_position(const struct bk_variant *v, const char *fen, struct bk_pos *p);
/* Reads a whole number from `least` to `most`, nothing before or after it. */
bool cli_number(const char *text, uint64_t least, uint64_t most, uint64_t *out);

/* == Text == each returns `out` */

#define CLI_TEXT_MAX 64
char *cli_count(char out[CLI_TEXT_MAX], uint64_t n);       /* 33,220,691 */
char *cli_bytes(char out[CLI_TEXT_MAX], uint64_t bytes);   /* 3.4 MiB    */
char *cli_seconds(char out[CLI_TEXT_MAX], double seconds); /* 1:02:03    */
char *cli_plies(char out[CLI_TEXT_MAX], long long plies);  /* 39 plies (20 turns) */
/* "wins in 39 plies (20 turns)"; without plies where they are -1, and of draws */
char *cli_verdict(char out[CLI_TEXT_MAX], int wdl, long long plies);
const char *cli_colour(unsigned colour); /* White */
/* How a game is over, "Black's king is bare; White has won"; wdl from the side to move.  Empty: it
   is not. */
#define CLI_END_MAX 96
char *cli_end(char out[CLI_END_MAX], const struct bk_pos *p, enum bk_end end, int wdl);
void cli_draw_board(const struct bk_variant *v, const struct bk_pos *p);

/* == JSON == */

/* Writes one line on stdout, with the errors that were said before as its "errors".  `value` is
   taken; NULL means memory ran out. */
int cli_print_json(json_t *value);
/* Writes one line of many: nothing is added to it.  `value` is taken. */
int cli_print_json_line(json_t *value);

#endif
