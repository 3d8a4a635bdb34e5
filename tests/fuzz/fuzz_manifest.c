/*
 * fuzz_manifest.c - the input is a list that `bareking manifest` compares with a folder of two
 * small files, which the lists of the corpus name.
 *
 * It must say what it finds, with one of the statuses there are, and the same in JSON.  A list of a
 * file that has the wrong hash, or is not there, is never good: one line of each kind, put behind
 * whatever was read as good, must be seen.  As a list from elsewhere (`pull`) it is refused, or
 * each of its names leads down and is plain.
 */
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/manifest.h"
#include "core/utf8.h"
#include "tests/fuzz/fuzz.h"

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

int bareking_main(int argc, char **argv); /* main.c's */

static char folder[FUZZ_DIR_MAX];

static void tidy(void)
{
    char command[FUZZ_DIR_MAX + 16];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    FUZZ_CHECK(!system(command));
}

static void write_file(const char *path, const void *bytes, size_t n, const char *more)
{
    FILE *f = fopen(path, "wb");

    FUZZ_CHECK(f && fwrite(bytes, 1, n, f) == n && fputs(more, f) >= 0);
    fclose(f);
}

static void begin(void)
{
    FUZZ_CHECK(!chdir(fuzz_folder(folder)));
    atexit(tidy);
    FUZZ_CHECK(!mkdir("t", 0777) && !mkdir("t/six", 0777));
    write_file("t/six/KRvKN.bkw", "table\n", 6, "");
    write_file("t/six/KRvKN.bkd", "", 0, "");
    FUZZ_CHECK(freopen("/dev/null", "w", stdout));
}

/* Compares the folder with the list; returns the status. */
static int manifest(bool json)
{
    static char name[] = "bareking", command[] = "manifest", dir[] = "t", list[] = "list",
                threads[] = "--threads", one[] = "1", how[] = "--json";
    char *argv[] = { name, command, dir, list, threads, one, json ? how : NULL, NULL };
    int status;

    optind = 0; /* getopt_long() begins anew */
    status = bareking_main(json ? 7 : 6, argv);
    FUZZ_CHECK(status >= 0 && status <= 4);
    return status;
}

static void take(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    struct manifest m;
    int status;

    FUZZ_CHECK(text);
    if (n)
        memcpy(text, bytes, n);
    text[n] = 0;
    status = manifest_take(&m, "list", text, n, 0);
    FUZZ_CHECK(status == 0 || status == 2);
    for (size_t i = 0; i < m.n && !status; i++) {
        const char *path = m.entry[i].path;

        FUZZ_CHECK(*path && *path != '/' && !path[bk_utf8_plain(path)] && !strchr(path, '\t'));
        FUZZ_CHECK(strcmp(path, "..") && strncmp(path, "../", 3) && !strstr(path, "/../"));
        FUZZ_CHECK(!strcmp(manifest_find(&m, path)->want, m.entry[i].want));
    }
    manifest_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static bool begun;
    int status;

    if (!begun)
        begin();
    begun = true;
    take(bytes, n);
    write_file("list", bytes, n, "");
    status = manifest(false);
    FUZZ_CHECK(status == manifest(true));
    if (status)
        return 0;
    write_file("list", bytes, n, "\n" ZEROS "  six/KRvKN.bkw\n");
    FUZZ_CHECK(manifest(false));
    write_file("list", bytes, n, "\n" ZEROS "  six/KRvKB.bkw\n");
    FUZZ_CHECK(manifest(false));
    return 0;
}
