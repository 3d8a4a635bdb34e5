/*
 * main.c - the bareking command: a table of subcommands, and their options.
 *
 * Each subcommand names the options it takes by their letters; anything else
 * on the command line is refused.  Options may stand before, between and
 * after the other arguments.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/report.h"
#include "core/clock.h"
#include "core/guess.h"
#include "explore/json.h"
#include "explore/server.h"
#include "probe/bareking.h"
#include "tb/encode/unit.h"
#include "tb/memory/ranks.h"
#include "tb/whole.h"

/* == Options == */

static const struct option_line {
    char key;
    const char *name, *value, *what;
} options[] = {
    { 'd', "dir", "DIR", "folder of the tables (default: $BAREKING_DIR, or `tables`)" },
    { 'n', "men", "N", "all materials of up to N men, kings included (3 to 8)" },
    { 't', "threads", "N", "threads to use (default: one for each core that it may use)" },
    { 'm', "memory", "SIZE", "do not use more memory: 800M, 4G (default: no limit)" },
    { 'g', "memory", "SIZE", "do not use more memory: 800M, 4G (default: 2G)" },
    { 'b', "memory", "SIZE", "tables take no more memory: 800M, 4G (default: 256M)" },
    { 'T', "scratch", "DIR",
      "folder for what --memory does not hold (default: that of the tables)" },
    { 'F', "for", "FEN", "on this position's board, with its castling homes; what it needs" },
    { 'w', "wdl", NULL, "wins, draws and losses only, no distances" },
    { 'Q', "dtz", NULL, "by the n-move rule: five results, and distances to zeroing" },
    { 'i', "dtw", NULL, "with --dtz: distances to the end, too" },
    { 'e', "effort", "HOW", "fast, normal (default) or best: more time, smaller files" },
    { 'A', "standalone", NULL,
      "files that answer without others: distances 2 to 3 times as large" },
    { 'a', "any", NULL, "materials that no game can reach, too" },
    { 'f', "force", NULL, "even if it takes more memory than there is" },
    { 'B', "make", NULL, "as a Makefile: a build a table, after those it needs" },
    { 'Y', "slurm", "DIR", "as jobs for Slurm, into this folder; its submit.sh submits them" },
    { 'K', "ranks", "N", "of N processes that share each large table (bareking-mpi)" },
    { 'J', "bonus-cap", "N", "count releases up to N (default: 1); more makes more values exact" },
    { 'I', "time-limit", "N", "after N minutes end with a checkpoint; the same command goes on" },
    { 's', "sample", "N", "look at N numbers of each table, not at every one" },
    { 'S', "seed", "N", "of the sample (default: 1)" },
    { '5', "seed", "N", "deal the array of this number (default: any)" },
    { 'D', "divide", NULL, "also the count behind each move" },
    { 'P', "deep", NULL, "also the tables that these need, as `verify` reads them" },
    { 'N', "port", "N", "port to serve at (default: 8643; 0: any that is free)" },
    { 'H', "listen", "ADDRESS", "address to serve at (default: 127.0.0.1, this machine alone)" },
    { 'O', "open", NULL, "show the page in the browser, too (by xdg-open)" },
    { 'x', "explain", "VARIANT", "the rules of one game in plain words" },
    { 'Z', "fairy", "VARIANT", "a game as a section of Fairy-Stockfish's variants.ini" },
    { '4', "nearly", NULL, "leave out rules that such a file cannot say, and name them" },
    { 'W', "what", "HOW",
      "any, zugzwang, full-zugzwang, longest, only-move, bare-race, domination or cursed" },
    { 'C', "compose", NULL, "problems with one solution all the way, longest first" },
    { 'E', "where", "EXPR", "of these, where it is true: 'plies > 20 and dist(K,k) = 2'" },
    { 'L', "limit", "N", "so many at most (default: all; of the longest and of problems 10)" },
    { 'U', "count", NULL, "not the positions, but how many are won, drawn and lost" },
    { 'R', "format", "HOW", "of `mine` fen (default), epd, csv, json or pgn; of `line` pgn" },
    { 'o', "output", "FILE", "write to this file, not to stdout (`-`); `site`: into this folder" },
    { 'V', "svg", NULL, "as SVG (default, unless FILE ends otherwise)" },
    { 'G', "png", NULL, "as PNG, by rsvg-convert" },
    { 'X', "text", NULL, "in letters" },
    { 'r', "arrow", "LIST", "arrows: e2e4,b1c3:red" },
    { 'k', "mark", "LIST", "coloured squares: e4,d5:green" },
    { 'M', "map", "SQUARE", "lift the man there; what the position is worth with him elsewhere" },
    { 'c', "caption", "TEXT", "a line below the board" },
    { 'z', "size", "PIXELS", "width of a square (default: 48)" },
    { 'l', "flip", NULL, "Black's side below" },
    { 'p', "plain", NULL, "without coordinates" },
    { 'q', "quiet", NULL, "say nothing unless it fails, or finds a fault" },
    { 'y', "quiet", NULL, "the answer alone: no progress, no remarks" },
    { 'j', "json", NULL, "the answer as one line of JSON; what went wrong as its \"errors\"" },
    { 'h', "help", NULL, "this text" },
};
#define NOPTIONS (sizeof options / sizeof options[0])

/* == Subcommands == */

static const struct command {
    const char *name;
    int (*run)(struct cli *c);
    const char *takes; /* letters of its options; `d:`: --dir may be a list of folders */
    unsigned args_min, args_max;
    const char *usage, *what, *more;
} commands[] = {
    { "build", cmd_build, "dntmTIwQieAafFqj", 1, 999, "VARIANT MATERIAL... | --men N | --for FEN",
      "make tables, and those they need",
      "Tables that are there already, whole and undamaged, are skipped; a build that was stopped\n"
      "goes on when the same command is run again.  --for FEN makes just the tables of that "
      "position; with\n"
      "materials or --men it says on which board they are.\n"
      "What takes more memory than the machine or its control group has is refused before it\n"
      "begins, unless --memory or --force is given; a material that armies and promotions never\n"
      "come to (three rooks of a side, say) unless --any is.  With --dtz files know of the n-move\n"
      "rule: five results (.bk5), which answer for others, too, and distances to zeroing (.bkz);\n"
      "with --dtz --wdl five results alone, with --dtz --dtw distances to the end (.bkd), too.  "
      "With --wdl a damaged table that has\n"
      "distances is not made again without them, but by --force; so are tables that other rules\n"
      "made, after a change of a variant file, or a later version of this program.\n" },
    { "repack", cmd_repack, "dntmTeFqj", 1, 999, "VARIANT MATERIAL... | --men N | --for FEN",
      "make tables that are there anew, with another --effort",
      "Of the tables that are named, or of all up to N men that are there, the files are replaced\n"
      "by new ones: each when its new one is complete.  Tables are solved anew, which takes about "
      "as\n"
      "long as building them did: a file does not say how much effort it cost, nor all that a new\n"
      "one needs.  What was built with --wdl or --standalone stays so.  A damaged table does not\n"
      "say how it was built: it is named and left as it is; `build` makes it again.\n" },
    { "plan", cmd_plan, "dntmwQieAFBYKyj", 1, 999, "VARIANT MATERIAL... | --men N | --for FEN",
      "what a build would make: tables, memory, disk, time",
      "Writes no table.  Memory is that of the whole process, with as many threads; where it is\n"
      "more than --memory the build works within that limit and keeps the rest on disk.\n"
      "Disk is what the same files took before, where that is known: of up to four men of most\n"
      "built-in games, of five of shatranj (--effort best: within a tenth or two).  Else, or with\n"
      "--standalone, it is a guess: within some 15 percent for the tables of a game together, for\n"
      "a single one off by a factor of two, at times by far more.\n"
      "Time is this machine's with as many threads and nothing else to do.  A trial of some\n"
      "seconds finds out its pace, which is kept in DIR/.pace for 30 days if DIR is there.\n"
      "--make and --slurm write what makes the missing tables one by one, wherever each can run.\n"
      "With --ranks memory is that of the process which takes most, and what they send each other\n"
      "is told, and how long they take, roughly: docs/distributed.md.\n" },
    { "probe", cmd_probe, "d:tj", 2, 16, "VARIANT FEN|-",
      "what a position is worth, and each of its moves",
      "DIR may be a list of folders with `:` between.  Distances are in plies; a turn is two.\n"
      "`-`: FENs or EPD from stdin, one a line; blank lines and those with # are passed over.  "
      "Each\n"
      "is answered by a line, in order: FEN, wdl (1, 0, -1 for the side to move), plies to the "
      "end\n"
      "or `-`, wdl within the game's length or `?`, how it has ended or `-`, with tabs between; "
      "or\n"
      "FEN, `error`, what is wrong.  With --json an object a line: fen, wdl, dtw, end, and "
      "clocked\n"
      "in games of limited length; or fen, error, status.  The exit status is then the highest of\n"
      "all lines; one line on stderr says how many have no answer.  Of one FEN --json has "
      "`moves`,\n"
      "too, best first: move, wdl and dtw (of who plays it; null where no table is there and the\n"
      "position is worth what it is without), san, and the fen behind it.\n" },
    { "line", cmd_line, "d:tRj", 2, 16, "VARIANT FEN|-", "the best line to the end of the game",
      "DIR may be a list of folders with `:` between.  `-`: positions from stdin, as `probe` "
      "reads\n"
      "and answers them; two more fields have the moves and the FEN at the end (moves, "
      "end_fen).\n" },
    { "explore", cmd_explore, "d:NHObtj", 0, 99, "[FILE.ini...]",
      "serve a page to look at endgames with, and an API",
      "Open the address that it prints in a browser; interrupt to end.  DIR may be a list of "
      "folders\n"
      "with `:` between; tables that come later are found.  FILE.ini: games of your own.  Only "
      "this\n"
      "machine is served unless --listen says otherwise; docs/explore.md describes the API.\n" },
    { "site", cmd_site, "oqj", 1, 99, "DIR [VARIANT...] -o OUT",
      "make a folder that any web host can serve: the page of `explore`, without a server",
      "Tables of DIR, of these games or of all, are linked into OUT, or copied where that cannot "
      "be;\n"
      "an earlier site there is brought up to date.  Built-in games; docs/explore.md says what a "
      "host\n"
      "must know.  This needs a bareking that was built after `make wasm`.\n" },
    { "diagram", cmd_diagram, "d:oVGXrkMczlpj", 2, 16, "VARIANT FEN",
      "a position as a picture: SVG, PNG or text",
      "Colours of arrows and marks are green, red, blue, yellow, grey or #rrggbb; without one "
      "they\n"
      "are green.  --map asks tables: each square where the lifted man could stand is coloured by\n"
      "who wins then, with the plies to the end; DIR may be a list of folders with `:` between.\n"
      "With --json the map is written as numbers, and no picture.  PNG needs rsvg-convert "
      "(Debian:\n"
      "librsvg2-bin).\n" },
    { "stats", cmd_stats, "d:tFj", 1, 2, "VARIANT MATERIAL | --for FEN",
      "wins, draws and losses of a table, and the longest",
      "White is the first-named side: KNvKR tells of the table of KRvKN with colours exchanged.\n"
      "Results are the mover's, counted once a symmetry class, and over all placements.\n"
      "DIR may be a list of folders with `:` between.\n" },
    { "count", cmd_count, "d:ntmTwQKFfyj", 1, 999, "VARIANT MATERIAL... | --men N | --for FEN",
      "what materials add up to, without making their tables",
      "How often each side wins, draws and loses, of all placements, and the longest.  What has a\n"
      "table is read, what has none is solved in memory, with all that it leads to, and "
      "forgotten:\n"
      "no file is written, and it takes a fifth to a tenth of what building with distances does.  "
      "A "
      "line\n"
      "is written as soon as it is known; with --json an object a line, as `stats` tells.  With "
      "--ranks\n"
      "all tables are solved, and it is told what N processes would send each other meanwhile, ply "
      "by\n"
      "ply with --json: docs/distributed.md.  With --dtz what has a table by the n-move rule is "
      "read. "
      "Wins "
      "that\n"
      "it makes draws are cursed ones, such losses blessed (cursed_win, blessed_loss with --json), "
      "and\n"
      "the longest are those to zeroing: docs/rules.md.  DIR may be a list of folders with `:` "
      "between.\n" },
    { "mine", cmd_mine, "d:tgFWCEULRyj", 1, 2, "VARIANT MATERIAL --what HOW | --compose",
      "positions of a table: zugzwangs, longest, only moves, races, problems",
      "Looks through a whole table; bareking-study(7), docs/study.md, says what is meant, and "
      "what\n"
      "EXPR may ask.  Values of the table and of all that it leads to are held in memory, as "
      "`verify`\n"
      "does (--memory, default: 2G).  Positions come in the order of the table and in its "
      "colours,\n"
      "each class once; problems have one winning move at every turn, against all defences that "
      "hold\n"
      "out longest.  With --json all are one answer.  DIR may be a list of folders with `:` "
      "between.\n" },
    { "report", cmd_report, "d:tgFoyj", 1, 2, "VARIANT MATERIAL [-o FILE.html]",
      "a table as a page: counts, distances, longest line, zugzwangs, problems, maps",
      "One HTML file that needs no other, with diagrams as SVG.  As `mine` it holds the values of\n"
      "the table in memory (--memory, default: 2G).  DIR may be a list of folders with `:` "
      "between.\n" },
    { "annotate", cmd_annotate, "d:oj", 2, 2, "VARIANT FILE|-",
      "games or positions, with moves marked that give something away",
      "FILE: PGN, with FEN tags where games do not begin from the array, moves as in PGN or as\n"
      "`probe` writes them; or EPD, a position a line, whose move is its `sm` or `bm`.  A mistake\n"
      "($2) gives away a win or a draw, a blunder ($4) makes a loss of a win; what would have "
      "been\n"
      "best stands behind it.  What the tables do not reach is passed over, and so are games that\n"
      "a Variant tag says are others.  DIR may be a list of folders with `:` between.\n" },
    { "verify", cmd_verify, "d:ntgsSFqj", 1, 999, "VARIANT MATERIAL... | --men N | --for FEN",
      "compare positions of tables with their successors",
      "A sample takes one number, for both sides to move, out of each of N equal parts of a\n"
      "table; the seed decides which.  It reads little more of the files than it needs.  Else the\n"
      "values of a table and of those it leads to are held in memory, a byte or two a position, "
      "if\n"
      "that is no more than --memory, and take a third of the time.  Every number is looked\n"
      "at: a position with both kings on an axis of the board and its mirror image have two, and "
      "are\n"
      "one to `stats` (docs/index.md 7).  DIR may be a list of folders with `:` between.\n" },
    { "check", cmd_check, "d:PFqj", 1, 999, "VARIANT [MATERIAL...]",
      "compare the checksums of table files",
      "Without materials: every table file of the game in DIR, which may be a list of folders with "
      "`:`\n"
      "between.  All bytes are read.  `build` "
      "makes\n"
      "anew what is damaged.\n" },
    { "doctor", cmd_doctor, "tqj", 1, 99, "DIR [VARIANT...]",
      "what is wrong with a folder of tables: damaged, missing, of other rules, half",
      "Reads all bytes of all DIR/GAME/*.bkw and .bkd.  Tells of files that are damaged, made by "
      "other\n"
      "rules than the game's or by a later version, or half of a pair (status 3), that cannot be "
      "read\n"
      "(4), and of tables that those there lead to and that are missing, or without distances, and "
      "of\n"
      "games that are unknown (1).  VARIANT: .ini files of games of your own that lie there.\n" },
    { "manifest", cmd_manifest, "tqj", 1, 2, "DIR [MANIFEST]",
      "SHA-256 and size of all table files of a folder, written or compared",
      "Without MANIFEST: lists all DIR/GAME/*.bk?, as `sha256sum` would, with sizes.  "
      "With\n"
      "one (`-`: stdin), as a mirror has it, or sha256sum's: files that are missing (status 1) or\n"
      "differ (3); those that it does not name are told, but with --quiet, and no fault.\n" },
    { "needs", cmd_needs, "nwQFj", 1, 999, "VARIANT MATERIAL... | --men N | --for FEN",
      "the files of tables, and of those they need: a list to copy by",
      "One a line, as they are called below a folder of tables.\n" },
    { "pull", cmd_pull, "dntwQfFqj", 2, 999, "URL|DIR VARIANT MATERIAL... | --men N | --for FEN",
      "fetch tables, and those they need, from a web server or a folder",
      "What URL/manifest.txt lists (`manifest` writes it, `site` into its tables), by http or "
      "https.\n"
      "Each file is compared with its size and SHA-256 there before it gets its name; what was cut "
      "goes\n"
      "on when the same command is run again.  Tables that are there, whole, are kept, whatever "
      "made\n"
      "them, but with --force.  A DIR without a list is read as it is.  docs/fetching.md\n" },
    { "push", cmd_push, "dntwfFqj", 2, 999, "DIR VARIANT MATERIAL... | --men N | --for FEN",
      "copy tables, and those they need, into another folder, with a list for `pull`",
      "From --dir into DIR, as `pull` does it; then DIR/manifest.txt is brought up to date.\n" },
    { "info", cmd_info, "Fj", 1, 2, "FILE [VARIANT]",
      "a table file: what it is, how large its parts are, what it has learned",
      "VARIANT: of a game of your own, its file; else the game that FILE names.  --for: on\n"
      "this position's board, of a table of GAME@...\n" },
    { "facts", cmd_facts, "Fj", 1, 2, "VARIANT MATERIAL | --for FEN",
      "the questions that a table may ask, by number", "docs/facts.md says what each means.\n" },
    { "whole", cmd_whole, "tmwJyj", 1, 7, "VARIANT [FEN]",
      "solve a game with hands, or whose land changes, from a position",
      "All states of the men are solved anew in memory; see docs/whole.md.  With bonus turns a\n"
      "value may lie between two that are told.  Without FEN: from the beginning.  --wdl: where\n"
      "terrain is live, results alone, in a fifth of the memory.\n" },
    { "perft", cmd_perft, "Dj", 3, 16, "VARIANT FEN DEPTH", "count the leaves of the move tree",
      "Moves alone count: a bare king goes on.  Of games with hands whole turns count.\n" },
    { "deal", cmd_deal, "5j", 1, 1, "VARIANT", "an array of a game that has more than one",
      "The FEN of one of its arrays, or of one with the first ranks shuffled, as the game says;\n"
      "all are equally likely.  `perft` counts from it, and the engine begins from it.\n" },
    { "variants", cmd_variants, "xZ4j", 0, 0, "", "the built-in games",
      "--fairy writes all rules of the game, or refuses with the rule that such a file cannot "
      "say:\n"
      "docs/fairy-stockfish.md.  With --nearly it is a game that an engine may look ahead by, held "
      "to\n"
      "our moves.\n" },
    { "check-variant", cmd_check_variant, "j", 1, 1, "FILE", "look for mistakes in a variant file",
      "" },
};
#define NCOMMANDS (sizeof commands / sizeof commands[0])

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < NCOMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int fail_no_command(const char *name)
{
    struct bk_guess meant = bk_guess_at(name);
    char guess[BK_GUESS_TEXT_MAX];

    for (size_t i = 0; i < NCOMMANDS; i++)
        bk_guess_offer(&meant, commands[i].name);
    bk_guess_offer(&meant, "help");
    return cli_fail(CLI_USAGE, "no command '%s'%s; see bareking help", name,
                    bk_guess_text(&meant, guess));
}

/* == Help == */

static void print_statuses(void)
{
    printf("\nExit status: 0 ok, 1 no (no such table, nor file or folder of tables; differs),\n"
           "             2 bad usage or input (a game or a list that is not there, too),\n"
           "             3 file that is damaged, or of a later version,\n"
           "             4 system error or interrupted.\n");
}

static int print_help(void)
{
    printf("bareking - endgame tables for the Shatranj family\n\n"
           "usage: bareking COMMAND [ARGUMENT...] [OPTION...]\n\n");
    for (size_t i = 0; i < NCOMMANDS; i++)
        printf("  %-14s %s\n", commands[i].name, commands[i].what);
    printf("  %-14s %s\n  %-14s %s\n", "help", "this text; help COMMAND: more", "--version",
           "the version");
    printf("\nVARIANT is the name of a built-in game, the path of an .ini file, or\n"
           "FILE.ini#SECTION of Fairy-Stockfish's variants.ini.\n"
           "MATERIAL is White's men, `v`, Black's: KRvKN; with castling rights KRvKR+Kk, which\n"
           "--men leaves out.\n");
    print_statuses();
    return CLI_OK;
}

/* Has the option a form of one letter, too? */
static bool is_short(char key) { return key == 'h' || key == 'o'; }

static int print_command_help(const struct command *cmd)
{
    printf("usage: bareking %s %s%s[OPTION...]\n\n%c%s.\n%s\n", cmd->name, cmd->usage,
           *cmd->usage ? " " : "", toupper((unsigned char)cmd->what[0]), cmd->what + 1, cmd->more);
    for (size_t i = 0; i < NOPTIONS; i++) {
        char text[32];

        if (options[i].key != 'h' && !strchr(cmd->takes, options[i].key))
            continue;
        snprintf(text, sizeof text, "--%s%s%s", options[i].name, options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
        printf("  %c%c%s%-18s %s\n", is_short(options[i].key) ? '-' : ' ',
               is_short(options[i].key) ? options[i].key : ' ',
               is_short(options[i].key) ? ", " : "  ", text, options[i].what);
    }
    print_statuses();
    return CLI_OK;
}

/* == Reading the command line == */

/* "4G", "800M", "512k", "1000000": bytes. */
static bool read_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char digits[24];
    size_t n = strspn(text, "0123456789");
    const char *unit = text + n;
    unsigned shift = 0;

    if (!n || n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = 0;
    if (*unit) {
        const char *at = strchr(units, toupper((unsigned char)*unit));

        if (!at || (strcmp(unit + 1, "") && strcmp(unit + 1, "B") && strcmp(unit + 1, "iB")))
            return false;
        shift = 10 * (unsigned)(at - units + 1);
    }
    if (!cli_number(digits, 1, UINT64_MAX >> shift, out))
        return false;
    *out <<= shift;
    return true;
}

const char *const cli_effort[] = {
    [BK_EFFORT_FAST] = "fast", [BK_EFFORT_NORMAL] = "normal", [BK_EFFORT_BEST] = "best"
};

static bool read_effort(const char *text, int *effort)
{
    for (*effort = BK_EFFORT_FAST; *effort <= BK_EFFORT_BEST; ++*effort)
        if (!strcmp(text, cli_effort[*effort]))
            return true;
    return false;
}

static bool read_unsigned(const char *text, unsigned least, unsigned most, unsigned *out)
{
    uint64_t n = 0;

    if (!cli_number(text, least, most, &n))
        return false;
    *out = (unsigned)n;
    return true;
}

/* Takes one option in; false when its value makes no sense. */
static bool take_option(struct cli *c, int key, const char *value)
{
    switch (key) {
    case 'd': c->dir = value; return *value;
    case 'x': c->explain = value; return *value;
    case '4': c->nearly = true; return true;
    case 'Z': c->fairy = value; return *value;
    case 'm':
    case 'g':
    case 'b': return read_size(value, &c->memory);
    case 'e': return read_effort(value, &c->effort);
    case 'A': c->standalone = true; return true;
    case 'a': c->any = true; return true;
    case 'f': c->force = true; return true;
    case 'I': return read_unsigned(value, 1, UINT_MAX / 60, &c->minutes);
    case 'B': c->make = true; return true;
    case 'Y': c->slurm = value; return *value;
    case 'J': return read_unsigned(value, 0, BK_WHOLE_CAP_MAX, &c->bonus_cap);
    case 'K': return read_unsigned(value, 1, BK_PROCESSES_MAX, &c->ranks);
    case 's': return cli_number(value, 1, UINT64_MAX, &c->sample);
    case 'S': return cli_number(value, 0, UINT64_MAX, &c->seed);
    case '5': c->seeded = true; return cli_number(value, 0, INT64_MAX, &c->seed);
    case 'n': return read_unsigned(value, 3, BK_MEN_MAX, &c->men);
    case 't': return read_unsigned(value, 1, 1024, &c->threads);
    case 'N': return read_unsigned(value, 0, 65535, &c->port);
    case 'H': c->listen = value; return *value;
    case 'O': c->open = true; return true;
    case 'F': c->terrain = value; return *value;
    case 'W': c->mine.what = value; return *value;
    case 'C': c->mine.compose = true; return true;
    case 'U': c->mine.count = true; return true;
    case 'E': c->mine.where = value; return *value;
    case 'L': return cli_number(value, 1, 1000000000, &c->mine.limit);
    case 'R': c->mine.format = value; return *value;
    case 'o': c->output = strcmp(value, "-") ? value : NULL; return *value;
    case 'V': c->draw.svg = true; return true;
    case 'G': c->draw.png = true; return true;
    case 'X': c->draw.text = true; return true;
    case 'r': c->draw.arrows = value; return *value;
    case 'k': c->draw.marks = value; return *value;
    case 'M': c->draw.map = value; return *value;
    case 'c': c->draw.caption = value; return true;
    case 'l': c->draw.flip = true; return true;
    case 'p': c->draw.plain = true; return true;
    case 'z': return read_unsigned(value, 8, 512, &c->draw.pixels);
    case 'T': c->scratch = value; return *value;
    case 'w': c->wdl = true; return true;
    case 'Q': c->dtz = true; return true;
    case 'i': c->dtw = true; return true;
    case 'q':
    case 'y': c->quiet = true; return true;
    case 'j': c->json = true; return true;
    case 'D': c->divide = true; return true;
    case 'P': c->deep = true; return true;
    }
    return false;
}

static const struct option_line *option_line(int key)
{
    for (size_t i = 0; i < NOPTIONS; i++)
        if (options[i].key == key)
            return &options[i];
    return NULL;
}

/* Says what getopt_long() did not understand: an unknown letter, or a whole long option. */
static int fail_unknown(const struct command *cmd, char **argv)
{
    char word[64], guess[BK_GUESS_TEXT_MAX] = "";
    struct bk_guess meant;

    if (optopt && (!option_line(optopt) || strncmp(argv[optind - 1], "--", 2)))
        return cli_fail(CLI_USAGE, "%s: no option '-%c'; see bareking %s -h", cmd->name, optopt,
                        cmd->name);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argv[optind - 1], "="), argv[optind - 1]);
    meant = bk_guess_at(word + strspn(word, "-"));
    for (size_t i = 0; i < NOPTIONS; i++)
        if (strchr(cmd->takes, options[i].key))
            bk_guess_offer(&meant, options[i].name);
    if (meant.best)
        snprintf(guess, sizeof guess, "; did you mean --%s?", meant.best);
    return cli_fail(CLI_USAGE, "%s: cannot understand '%s'%s; see bareking %s -h", cmd->name,
                    argv[optind - 1], guess, cmd->name);
}

/* Reads argv into *c.  True: go on; false: finished with *status. */
static bool read_options(struct cli *c, const struct command *cmd, int argc, char **argv,
                         int *status)
{
    struct option longs[NOPTIONS + 1];
    unsigned n = 0;
    int key;

    memset(longs, 0, sizeof longs);
    for (size_t i = 0; i < NOPTIONS; i++)
        if (options[i].key == 'h' || strchr(cmd->takes, options[i].key))
            longs[n++] = (struct option){ options[i].name,
                                          options[i].value ? required_argument : no_argument, NULL,
                                          options[i].key };
    opterr = 0;
    while ((key = getopt_long(argc, argv, strchr(cmd->takes, 'o') ? ":ho:" : ":h", longs, NULL)) !=
           -1) {
        const struct option_line *o = option_line(key);

        if (key == 'h') {
            *status = print_command_help(cmd);
            return false;
        }
        if (key == ':') {
            *status = cli_fail(CLI_USAGE, "%s: '%s' needs a value; see bareking %s -h", cmd->name,
                               argv[optind - 1], cmd->name);
            return false;
        }
        if (!o) {
            *status = fail_unknown(cmd, argv);
            return false;
        }
        if (!take_option(c, key, optarg)) {
            *status = cli_fail(CLI_USAGE, "%s: '%s' makes no sense as --%s %s; see bareking %s -h",
                               cmd->name, optarg, o->name, o->value, cmd->name);
            return false;
        }
    }
    c->arg = argv + optind;
    c->nargs = (unsigned)(argc - optind);
    if (c->nargs < cmd->args_min || c->nargs > cmd->args_max) {
        *status = cli_fail(CLI_USAGE, "%s: too %s arguments; usage: bareking %s%s%s", cmd->name,
                           c->nargs < cmd->args_min ? "few" : "many", cmd->name,
                           *cmd->usage ? " " : "", cmd->usage);
        return false;
    }
    return true;
}

/* Refuses a list of folders where one folder is wanted. */
static bool check_dir(const struct cli *c, const struct command *cmd, int *status)
{
    if (!strchr(c->dir, ':') || !strchr(cmd->takes, 'd') || strchr(cmd->takes, ':'))
        return true;
    *status =
        cli_fail(CLI_USAGE, "%s: '%s' is a list of folders, with `:` between; say one, with --dir",
                 cmd->name, c->dir);
    return false;
}

/* Is --scratch a folder that can be written into?  It may be hours until it is needed. */
static bool check_scratch(const struct cli *c, const struct command *cmd, int *status)
{
    struct stat st;
    int error = 0;

    if (!c->scratch)
        return true;
    if (stat(c->scratch, &st) || access(c->scratch, W_OK | X_OK))
        error = errno;
    else if (!S_ISDIR(st.st_mode))
        error = ENOTDIR;
    if (error)
        *status = cli_fail(bk_not_there(error) ? CLI_USAGE : CLI_SYSTEM, "%s: --scratch %s: %s",
                           cmd->name, c->scratch, strerror(error));
    return !error;
}

/* == Signals == */

volatile int cli_stop, cli_finish;

static void ask_to_stop(int sig)
{
    (void)sig;
    cli_stop = cli_finish = 1;
}

static void ask_to_finish(int sig)
{
    (void)sig;
    cli_finish = 1;
}

/* As ask_to_finish(); a second signal ends the process at once, but not within a second or two:
   `timeout` sends it to its child and then to all of the group. */
static void ask_to_finish_once(int sig)
{
    static double first;
    double now = bk_now_seconds();

    if (first == 0)
        first = now;
    else if (now - first > 1.5)
        _exit(128 + sig);
    cli_finish = 1;
}

static bool json_wanted;

/* Does what cli_fail() and cli_answer_errors() do, by calls that a signal's handler may make. */
static void stop_at_once(int sig)
{
    static const char line[] = "bareking: interrupted\n";
    static const char answer[] = "{\"errors\":[\"interrupted\"],\"status\":4}\n";
    ssize_t put = write(STDERR_FILENO, line, sizeof line - 1);

    static_assert(CLI_SYSTEM == 4, "the status in the answer");
    if (json_wanted)
        put = write(STDOUT_FILENO, answer, sizeof answer - 1);
    (void)sig;
    (void)put;
    _exit(CLI_SYSTEM);
}

static void on_signals(void (*handler)(int))
{
    struct sigaction sa = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };

    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
}

/*
 * The first signal asks to finish; SA_RESETHAND lets a second one end the process at once.  Tables
 * are worth more than what is said of them: when nobody reads stdout any more, the build goes on,
 * and its end says that the answer could not be written.
 */
void cli_catch_signals(void)
{
    on_signals(ask_to_stop);
    signal(SIGPIPE, SIG_IGN);
}

void cli_finish_on_signals(unsigned minutes)
{
    struct sigaction sa = { .sa_handler = ask_to_finish };

    cli_catch_signals();
    sigemptyset(&sa.sa_mask);
    sigaction(SIGUSR1, &sa, NULL); /* a job may get it twice: itself, and by mpirun */
    sigaction(SIGALRM, &sa, NULL);
    sa.sa_handler = ask_to_finish_once;
    sigaction(SIGTERM, &sa, NULL);
    if (minutes)
        alarm(60 * minutes);
}

/* The first signal ends the command: for work that leaves nothing behind. */
void cli_end_on_signals(void) { on_signals(stop_at_once); }

/* == The command == */

static int run_help(int argc, char **argv)
{
    const struct command *cmd;

    if (argc > 3)
        return cli_fail(CLI_USAGE, "help: too many arguments");
    if (argc < 3 || !strcmp(argv[2], "help") || !strcmp(argv[2], "--help") ||
        !strcmp(argv[2], "-h"))
        return print_help();
    cmd = find_command(argv[2]);
    return cmd ? print_command_help(cmd) : fail_no_command(argv[2]);
}

/* Is --json given?  Asked before options are read: errors in them are told likewise. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (strlen(argv[i]) >= 3 && !strncmp(argv[i], "--json", strlen(argv[i])))
            return true;
    return false;
}

static int run(int argc, char **argv)
{
    const char *dir = getenv("BAREKING_DIR");
    struct cli c = { .dir = dir && *dir ? dir : CLI_TABLES,
                     .seed = 1,
                     .effort = BK_EFFORT_NORMAL,
                     .bonus_cap = 1,
                     .port = EX_PORT };
    const struct command *cmd;
    int status = CLI_OK;

    if (argc < 2)
        return cli_fail(CLI_USAGE, "no command; see bareking help");
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return run_help(argc, argv);
    if (!strcmp(argv[1], "--version") && argc > 2)
        return cli_fail(CLI_USAGE, "--version: too many arguments");
    if (!strcmp(argv[1], "--version")) {
        unsigned version = bk_lib_version();

        printf("bareking %u.%u.%u\n", version >> 16, version >> 8 & 255, version & 255);
        return CLI_OK;
    }
    cmd = find_command(argv[1]);
    if (!cmd)
        return fail_no_command(argv[1]);
    c.command = cmd->name;
    if (!read_options(&c, cmd, argc - 1, argv + 1, &status) || !check_dir(&c, cmd, &status) ||
        !check_scratch(&c, cmd, &status))
        return status;
    if (c.json && !(c.list = json_array()))
        return cli_no_memory();
    status = cmd->run(&c);
    json_decref(c.list);
    return status;
}

/*
 * If descriptor 0, 1 or 2 is closed, the next file that is opened would take its number, and what
 * is meant for people would be written into a table.  So /dev/null stands there instead, opened so
 * that reading or writing fails as it should.
 */
static void guard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Discards stdout: of several processes that make tables together only the first answers. */
static void answer_nothing(void)
{
    if (!freopen("/dev/null", "w", stdout))
        exit(CLI_SYSTEM);
}

static int answer(int argc, char **argv)
{
    int status = run(argc, argv);

    cli_answer_errors(status);
    return status;
}

int main(int argc, char **argv)
{
    int status;

    ex_json_begin();
    signal(SIGUSR1, ask_to_finish); /* a job may get it before there is anything to end */
    bk_transport_open(&argc, &argv);
    guard_streams();
    /* a file that grows too large is an error of write(), with its own line, not an end */
    signal(SIGXFSZ, SIG_IGN);
    json_wanted = wants_json(argc, argv);
    cli_say_json(json_wanted);
    if (bk_transport_rank())
        answer_nothing();
    if (bk_ranks_wait(&status))
        status = answer(argc, argv);

    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && status != CLI_SYSTEM) /* else it has been told why */
        status = cli_fail(CLI_SYSTEM, "cannot write the answer: %s",
                          errno ? strerror(errno) : "output error");
    bk_ranks_end(status);
    signal(SIGTERM, SIG_IGN); /* the first of several processes that ends may signal the others */
    bk_transport_close();
    return status;
}
