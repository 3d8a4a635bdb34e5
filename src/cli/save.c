/*
 * save.c - see save.h.
 *
 * PNGs are made by rsvg-convert, which comes with librsvg: linking that library
 * would bring some thirty others into a command that mostly makes tables.
 */
#include "cli/save.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/report.h"
#include "explore/json.h"

extern char **environ;

/*
 * An output under way.  A file is written beside its place and takes it when it is whole: one that
 * was there before stays until then, and a link goes on leading where it did.  What is no file (a
 * device, a pipe), or lies where no file can be made beside it, is written in place, and is never
 * removed.
 */
struct output {
    FILE *f;
    bool beside;
    char path[PATH_MAX], part[PATH_MAX + 32];
};

static int fail_write(const struct cli *c, int error)
{
    return cli_fail(CLI_SYSTEM, "cannot write %s: %s", c->output ? c->output : "the answer",
                    strerror(error));
}

/* Opens a file beside `name`, with the rights of the one that is there; NULL where none can be. */
static FILE *open_beside(struct output *o, const char *name)
{
    struct stat is;
    bool there = !stat(name, &is);
    FILE *f;

    if ((there && (!S_ISREG(is.st_mode) || access(name, W_OK) || !realpath(name, o->path))) ||
        (!there && (!lstat(name, &is) || strlen(name) >= sizeof o->path)))
        return NULL;
    if (!there)
        strcpy(o->path, name);
    /* a name of its own: a process that was killed may have left one */
    snprintf(o->part, sizeof o->part, "%s.%ld.part", o->path, (long)getpid());
    if (!(f = fopen(o->part, "wbxe")))
        return NULL;
    if (there && fchmod(fileno(f), is.st_mode & 07777)) {
        fclose(f);
        unlink(o->part);
        return NULL;
    }
    return f;
}

static int open_output(struct output *o, const struct cli *c)
{
    *o = (struct output){ .f = stdout };
    if (!c->output)
        return CLI_OK;
    o->f = open_beside(o, c->output);
    o->beside = o->f != NULL;
    if (!o->beside && !(o->f = fopen(c->output, "wb")))
        return fail_write(c, errno);
    return CLI_OK;
}

/* Ends the output.  status, error: what went wrong before, said (an exit status) or not (an errno).
   Returns an exit status; what stdout refuses later main() tells. */
static int close_output(struct output *o, const struct cli *c, int status, int error)
{
    errno = 0;
    if (o->f != stdout && fclose(o->f) && !error)
        error = errno ? errno : EIO;
    if (o->beside && !status && !error && rename(o->part, o->path))
        error = errno;
    if (o->beside && (status || error))
        unlink(o->part);
    return !status && error ? fail_write(c, error) : status;
}

int save_text(const struct cli *c, struct study_text *text)
{
    struct output o;
    int status = text->failed ? cli_no_memory() : open_output(&o, c), error = 0;

    if (!status) {
        errno = 0;
        if (text->n && fwrite(text->at, 1, text->n, o.f) != text->n)
            error = errno ? errno : EIO;
        status = close_output(&o, c, status, error);
    }
    study_text_free(text);
    return status;
}

int save_json(const struct cli *c, json_t *value)
{
    struct study_text text = { 0 };
    char *line;

    if (!c->output)
        return cli_print_json(value);
    line = ex_json_text(value);
    if (!line)
        return cli_no_memory();
    study_put(&text, line);
    study_put(&text, "\n");
    free(line);
    return save_text(c, &text);
}

/* Returns an unnamed file that holds the text, read from its beginning; NULL: errno says why. */
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

static int run_converter(FILE *svg, FILE *png)
{
    int status = convert(svg, png);

    if (!status)
        return CLI_OK;
    if (status < 0 && errno == ENOENT)
        return cli_fail(CLI_SYSTEM, "no rsvg-convert here, which makes PNGs: install librsvg2-bin, "
                                    "or ask for --svg");
    if (status < 0)
        return cli_fail(CLI_SYSTEM, "cannot run rsvg-convert: %s", strerror(errno));
    return cli_fail(CLI_SYSTEM, "rsvg-convert failed with status %d", status);
}

int save_png(const struct cli *c, struct study_text *svg)
{
    FILE *from = NULL;
    struct output to;
    int status = svg->failed ? cli_no_memory() : CLI_OK;

    if (!status && !c->output && isatty(STDOUT_FILENO))
        status = cli_fail(CLI_USAGE, "a PNG is nothing for a terminal; say where, with -o FILE");
    if (!status && !(from = held(svg)))
        status = cli_fail(CLI_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    if (!status)
        status = open_output(&to, c);
    if (!status)
        status = close_output(&to, c, run_converter(from, to.f), 0);
    if (from)
        fclose(from);
    study_text_free(svg);
    return status;
}
