/*
 * fuzz_cli.c - the input is a command line, a word a line.
 *
 * Commands that make tables, or rightly take long, are left out: build, count, verify, whole;
 * explore, which does not end; pull and push, which ask others; plans of many men; deep counts.  So
 * are options that write files. The command runs in an empty folder.
 */
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 24

int bareking_main(int argc, char **argv); /* main.c's */

static bool takes_long(int argc, char **argv)
{
    static const char *const slow[] = { "build",   "count", "verify", "whole",
                                        "explore", "pull",  "push" };

    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
        if (argc > 1 && !strcmp(argv[1], slow[i]))
            return true;
    if (argc > 1 && !strcmp(argv[1], "plan"))
        for (int i = 2; i < argc; i++)
            if (!strncmp(argv[i], "--m", 3) || !strncmp(argv[i], "--f", 3) || strlen(argv[i]) > 5)
                return true;
    return argc > 1 && !strcmp(argv[1], "perft") &&
           (strlen(argv[argc - 1]) > 1 || argv[argc - 1][0] > '2');
}

/* Has the command line an option that writes to a path, or starts another program? */
static bool writes(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (!strncmp(argv[i], "-o", 2) || !strncmp(argv[i], "--o", 3) ||
            !strncmp(argv[i], "--pn", 4))
            return true;
    return false;
}

static void begin(void)
{
    char folder[FUZZ_DIR_MAX];

    FUZZ_CHECK(!chdir(fuzz_folder(folder)) && !rmdir(folder));
    FUZZ_CHECK(freopen("/dev/null", "w", stdout));
    if (!getenv("FUZZ_LOUD"))
        setenv("BAREKING_DIR", "none", 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static char name[] = "bareking";
    static bool begun;
    char *text = fuzz_text(bytes, n), *rest = text, *argv[WORDS_MAX + 2] = { name };
    int argc = 1, status;

    if (!begun)
        begin();
    begun = true;
    while (*rest && argc <= WORDS_MAX)
        argv[argc++] = fuzz_line(&rest);
    if (!takes_long(argc, argv) && !writes(argc, argv)) {
        optind = 0; /* getopt_long() begins anew */
        status = bareking_main(argc, argv);
        FUZZ_CHECK(status >= 0 && status <= 4);
    }
    free(text);
    return 0;
}
