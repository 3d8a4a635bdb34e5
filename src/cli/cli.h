/*
 * cli.h - what the subcommands share.
 *
 * main.c turns the command line into one struct cli and calls the subcommand,
 * which returns an exit status.  A subcommand writes its answer to stdout;
 * every error is one line on stderr, `bareking: ...`, written by cli_fail()
 * or a relative of it (report.h).
 */
#ifndef BK_CLI_H
#define BK_CLI_H

#include <stdbool.h>
#include <stdint.h>

#define CLI_TABLES "tables" /* the folder of tables, where none is said */

/* Exit statuses. */
enum {
    CLI_OK,      /* done; yes */
    CLI_NO,      /* no: table, file or folder of tables not there; values differ */
    CLI_USAGE,   /* bad usage or input; an input file, but no table, is not there */
    CLI_DAMAGED, /* a table file is damaged, or needs a newer bareking */
    CLI_SYSTEM,  /* memory, disk, permissions; interrupted */
};

/* How a diagram is drawn. */
struct cli_draw {
    bool svg, png, text; /* none: as the name of the file says */
    bool flip, plain;
    unsigned pixels;            /* width of a square; 0: the usual */
    const char *arrows, *marks; /* lists, or NULL */
    const char *map;            /* square of the man that is lifted, or NULL */
    const char *caption;
};

/* What is looked for in a table; NULL: not given. */
struct cli_mine {
    const char *what, *where, *format;
    uint64_t limit; /* 0: the usual */
    bool compose, count;
};

struct json_t; /* jansson's */

/* The command line, read. */
struct cli {
    const char *command;
    char **arg; /* what is left when the options are taken out */
    unsigned nargs;
    bool any_game; /* the command also knows games of which no tables are made yet */
    const char *dir;
    unsigned threads;    /* 0: one a core */
    uint64_t memory;     /* bytes; 0: no limit */
    const char *scratch; /* folder for what does not fit, or NULL */
    unsigned men;        /* 0: not given */
    int effort;          /* enum bk_effort, of tb/encode/unit.h; cli_effort[] has their names */
    bool standalone;
    uint64_t sample; /* 0: all */
    uint64_t seed;
    bool seeded;         /* --seed of `deal` */
    const char *explain; /* variant to explain, or NULL */
    const char *fairy;   /* variant to write for Fairy-Stockfish, or NULL */
    bool nearly;
    const char *listen; /* address to serve at, or NULL */
    unsigned port;
    bool open;           /* show the page in a browser */
    const char *terrain; /* FEN whose board and material are meant, or NULL */
    bool wdl, dtw, dtz, quiet, json, divide, deep, force, any;
    struct json_t *list; /* with --json: an empty list for the answer, owned; else NULL */
    const char *output;  /* file to write, or NULL: stdout */
    bool make;           /* the plan as a Makefile */
    const char *slurm;   /* folder for the plan as jobs, or NULL */
    unsigned minutes;    /* after which a build ends, to go on later; 0: never */
    unsigned bonus_cap;  /* of struct bk_whole_options */
    unsigned ranks;      /* processes of a job; 0: one */
    struct cli_draw draw;
    struct cli_mine mine;
};
extern const char *const cli_effort[];

/* Set by SIGINT and SIGTERM once cli_catch_signals() was called. */
extern volatile int cli_stop;
void cli_catch_signals(void);
/*
 * For a build: SIGINT stops it at once; SIGTERM and SIGUSR1, which mpirun hands on, at the end of a
 * ply, with a checkpoint, and so does the clock after `minutes` (0: never).  All set cli_finish.
 */
extern volatile int cli_finish;
void cli_finish_on_signals(unsigned minutes);
/* Makes SIGINT and SIGTERM end the command at once, with a line and status 4: for work that leaves
   nothing behind. */
void cli_end_on_signals(void);

int cmd_build(struct cli *c);
int cmd_plan(struct cli *c);
int cmd_repack(struct cli *c);
int cmd_probe(struct cli *c);
int cmd_line(struct cli *c);
int cmd_stats(struct cli *c);
int cmd_count(struct cli *c);
int cmd_check(struct cli *c);
int cmd_verify(struct cli *c);
int cmd_info(struct cli *c);
int cmd_doctor(struct cli *c);
int cmd_manifest(struct cli *c);
int cmd_needs(struct cli *c);
int cmd_pull(struct cli *c);
int cmd_push(struct cli *c);
int cmd_facts(struct cli *c);
int cmd_perft(struct cli *c);
int cmd_diagram(struct cli *c);
int cmd_mine(struct cli *c);
int cmd_report(struct cli *c);
int cmd_annotate(struct cli *c);
int cmd_whole(struct cli *c);
int cmd_deal(struct cli *c);
int cmd_variants(struct cli *c);
int cmd_check_variant(struct cli *c);
int cmd_explore(struct cli *c);
int cmd_site(struct cli *c);

#endif
