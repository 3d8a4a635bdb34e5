/*
 * main.c - bareking-engine: waits for the first command, which tells the protocol.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/load.h"
#include "engine/cecp.h"
#include "engine/say.h"
#include "engine/uci.h"
#include "probe/bareking.h"

static const char help[] =
    "usage: bareking-engine [--dir DIR] [--game VARIANT] [--engine CMD]\n"
    "Plays all games of bareking with a graphical interface, by UCI or by XBoard's protocol\n"
    "(CECP v2); the first command on the standard input tells which.  Plays from endgame tables\n"
    "where they answer, and searches elsewhere, or has another UCI engine choose there.\n"
    "\n"
    "In UCI the options are UCI_Variant (the game), TablePath (folders of tables), Hash (MiB),\n"
    "Clear Hash, MultiPV (lines to tell), Engine (the command of an engine behind, whose own "
    "options\n"
    "are listed, too), and for clients that ask for them Threads, which is 1, Ponder and\n"
    "UCI_AnalyseMode, which change nothing.  In XBoard's protocol the tables are told by TablePath "
    "or\n"
    "egtpath, the engine behind by Engine, the hash table's MiB by memory.\n"
    "\n"
    "  --dir DIR       folders of tables, separated by ':' (default $BAREKING_DIR, else tables)\n"
    "  --game VARIANT  the game to begin with, by name or path (default chess)\n"
    "  --engine CMD    an engine of Stockfish's family, which plays where tables do not decide\n"
    "  -h, --help      this text\n"
    "  --version       its version\n"
    "\n"
    "Exit status: 0 ok, 2 bad usage, 4 system error\n";

struct choice {
    const char *dir, *game, *engine;
    int status; /* -1: go on */
};

/* Is argv[*i] this option?  Its value, which may not be empty, stands behind `=` or is the next
 * word. */
static bool is_option(const char *name, char **argv, int *i, const char **value, int *status)
{
    size_t n = strlen(name);
    const char *word = argv[*i];

    if (strncmp(word, name, n) || (word[n] && word[n] != '='))
        return false;
    *value = word[n] ? word + n + 1 : argv[*i + 1] ? argv[++*i] : "";
    if (!**value) {
        fprintf(stderr, "bareking-engine: '%s' needs a value; see --help\n", name);
        *status = 2;
    }
    return true;
}

/* Flushes stdout.  Returns the exit status: 0, or 4 after a message; good: was all text written? */
static int written(bool good)
{
    if (good && !fflush(stdout))
        return 0;
    fprintf(stderr, "bareking-engine: cannot write: %s\n", strerror(errno));
    return 4;
}

static struct choice choose(int argc, char **argv)
{
    const char *dir = getenv("BAREKING_DIR");
    struct choice c = {
        .dir = dir && *dir ? dir : "tables", .game = "chess", .engine = "", .status = -1
    };

    for (int i = 1; i < argc && c.status < 0; i++)
        if (is_option("--dir", argv, &i, &c.dir, &c.status) ||
            is_option("--game", argv, &i, &c.game, &c.status) ||
            is_option("--engine", argv, &i, &c.engine, &c.status))
            continue;
        else if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            c.status = written(fputs(help, stdout) != EOF);
        else if (!strcmp(argv[i], "--version"))
            c.status = written(fprintf(stdout, "bareking-engine %d.%d.%d\n", BK_LIB_VERSION >> 16,
                                       BK_LIB_VERSION >> 8 & 255, BK_LIB_VERSION & 255) > 0);
        else {
            bk_one_line(argv[i]);
            fprintf(stderr, "bareking-engine: '%s' is not understood; see --help\n", argv[i]);
            c.status = 2;
        }
    return c;
}

/* Can the game be loaded?  Returns the exit status: 0, or 2 or 4 after a message. */
static int check_game(const char *name)
{
    struct bk_report why;
    struct bk_variant *v;
    enum bk_err err = bk_variant_load(&v, name, &why);

    if (!err) {
        bk_variant_free(v);
        return 0;
    }
    fprintf(stderr, "bareking-engine: %s\n", why.text);
    return err == BK_E_SYSTEM ? 4 : 2;
}

static bool is_cecp(const char *line)
{
    static const char *const first[] = { "xboard", "protover", "new",    "variant", "force",
                                         "level",  "post",     "option", "setboard" };
    size_t n = strcspn(line, " ");

    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (strlen(first[i]) == n && !strncmp(line, first[i], n))
            return true;
    return false;
}

/* Reads the first line that is not empty, a byte at a time: what follows is left to the protocol's
   reader.  A line that is too long is dropped whole, as later ones are: its beginning would be
   another command.  False: there is none. */
static bool first_line(char out[BE_LINE_MAX])
{
    size_t n = 0;
    char c;

    while (read(STDIN_FILENO, &c, 1) == 1) {
        if (c != '\n') {
            n += n < BE_LINE_MAX;
            out[n - 1] = c;
            continue;
        }
        n = n < BE_LINE_MAX ? n : 0;
        while (n && strchr("\r \t", out[n - 1]))
            n--;
        out[n] = 0;
        if (n)
            return true;
    }
    n = n < BE_LINE_MAX ? n : 0;
    out[n] = 0;
    return n;
}

int main(int argc, char **argv)
{
    static char first[BE_LINE_MAX];
    struct choice c = choose(argc, argv);
    int status;

    if (c.status >= 0)
        return c.status;
    status = check_game(c.game);
    if (status)
        return status;
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN); /* told by the write that fails */
#endif
    if (!first_line(first))
        return 0;
    bk_plain_text(first, "\t");
    return is_cecp(first) ? be_cecp_run(first, c.game, c.dir, c.engine)
                          : be_uci_run(first, c.game, c.dir, c.engine);
}
