/*
 * save.c - see save.h.
 *
 * PNGs are made by rsvg-convert, which comes with librsvg: linking that library
 * would bring some thirty others into a command that mostly makes tables.
 */
#include "cli/save.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/report.h"

extern char **environ;

static int fail_write(const struct cli *c)
{
    int error = errno;

    unlink(c->output);
    return cli_fail(CLI_SYSTEM, "cannot write %s: %s", c->output, strerror(error));
}

static FILE *open_output(const struct cli *c)
{
    FILE *f = fopen(c->output, "wb");

    if (!f)
        cli_say("cannot write %s: %s", c->output, strerror(errno));
    return f;
}

int save_text(const struct cli *c, struct study_text *text)
{
    int status = text->failed ? cli_no_memory() : CLI_OK;
    FILE *f = stdout;

    if (!status && c->output && !(f = open_output(c)))
        status = CLI_SYSTEM;
    if (!status && fwrite(text->at, 1, text->n, f) != text->n && c->output)
        status = fail_write(c); /* what stdout refuses main() tells */
    if (f && f != stdout && fclose(f) && !status)
        status = fail_write(c);
    study_text_free(text);
    return status;
}

/* A file without a name that holds the text and is read from its beginning. */
static FILE *held(const struct study_text *text)
{
    FILE *f = tmpfile();

    if (f && (fwrite(text->at, 1, text->n, f) != text->n || fflush(f) || fseek(f, 0, SEEK_SET))) {
        fclose(f);
        return NULL;
    }
    return f;
}

/* Runs rsvg-convert from one file to another; its exit status, or -1 with errno set. */
static int convert(FILE *from, FILE *to)
{
    char *argv[] = { "rsvg-convert", "--format=png", NULL };
    posix_spawn_file_actions_t files;
    int status = -1, error;
    pid_t child;

    if (posix_spawn_file_actions_init(&files))
        return -1;
    posix_spawn_file_actions_adddup2(&files, fileno(from), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(to), STDOUT_FILENO);
    error = posix_spawnp(&child, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error) {
        errno = error;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int run_converter(const struct cli *c, FILE *svg, FILE *png)
{
    int status = convert(svg, png);

    if (!status)
        return CLI_OK;
    if (c->output)
        unlink(c->output);
    if (status < 0 && errno == ENOENT)
        return cli_fail(CLI_SYSTEM, "no rsvg-convert here, which makes PNGs: install librsvg2-bin, "
                                    "or ask for --svg");
    if (status < 0)
        return cli_fail(CLI_SYSTEM, "cannot run rsvg-convert: %s", strerror(errno));
    return cli_fail(CLI_SYSTEM, "rsvg-convert failed with status %d", status);
}

int save_png(const struct cli *c, struct study_text *svg)
{
    FILE *from = NULL, *to = stdout;
    int status = svg->failed ? cli_no_memory() : CLI_OK;

    if (!status && !c->output && isatty(STDOUT_FILENO))
        status = cli_fail(CLI_USAGE, "a PNG is nothing for a terminal; say where, with -o FILE");
    if (!status && !(from = held(svg)))
        status = cli_fail(CLI_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    if (!status && c->output && !(to = open_output(c)))
        status = CLI_SYSTEM;
    if (!status)
        status = run_converter(c, from, to);
    if (from)
        fclose(from);
    if (to && to != stdout && fclose(to) && !status)
        status = fail_write(c);
    study_text_free(svg);
    return status;
}
