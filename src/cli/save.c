/*
 * save.c - see save.h.
 *
 * PNGs are made by rsvg-convert, which comes with librsvg: linking that library
 * would bring some thirty others into a command that mostly makes tables.
 */
#include "cli/save.h"

#include <errno.h>
#include <fcntl.h>
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

/* == A file and its place == */

unsigned save_mode(unsigned mode)
{
    mode_t mask = umask(077);

    umask(mask);
    return mode & ~mask;
}

/* Makes an empty file of a name that no file has, and that nobody can foretell: `path`, six
   letters,
   ".part".  -1: errno. */
static int make_part(char part[SAVE_PART_MAX], const char *path)
{
    snprintf(part, SAVE_PART_MAX, "%s.XXXXXX.part", path);
    return mkostemps(part, (int)strlen(".part"), O_CLOEXEC);
}

bool save_begin(struct save_file *s, const char *path, unsigned mode)
{
    int fd, error;

    s->f = NULL;
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof s->path || (fd = make_part(s->part, path)) < 0)
        return false;
    strcpy(s->path, path);
    if (!fchmod(fd, mode) && (s->f = fdopen(fd, "wb")))
        return true;
    error = errno;
    close(fd);
    unlink(s->part);
    errno = error;
    return false;
}

int save_end(struct save_file *s, int error)
{
    bool failed = ferror(s->f);

    errno = 0;
    if ((fclose(s->f) || failed) && !error)
        error = errno ? errno : EIO;
    if (!error && rename(s->part, s->path))
        error = errno;
    if (error)
        unlink(s->part);
    return error;
}

int save_link(const char *from, const char *path)
{
    char part[SAVE_PART_MAX];
    int fd = -1, error = ENAMETOOLONG;

    if (strlen(path) < PATH_MAX && (fd = make_part(part, path)) < 0)
        error = errno;
    if (fd < 0)
        return error;
    close(fd);
    unlink(part); /* for linkat(), which takes no name that is taken, nor follows it */
    if (linkat(AT_FDCWD, from, AT_FDCWD, part, AT_SYMLINK_FOLLOW)) /* to a link's target */
        return errno;
    error = rename(part, path) ? errno : 0;
    unlink(part); /* two names of one file: rename() leaves both */
    return error;
}

/* == An output == */

/*
 * An output under way.  A file is written beside its place and takes it when it is whole: one that
 * was there before stays until then, and a link goes on leading where it did.  What is no file (a
 * device, a pipe), or lies where no file can be made beside it, is written in place, and is never
 * removed.
 */
struct output {
    FILE *f;
    bool beside;
    struct save_file file; /* if beside */
};

static int fail_write(const struct cli *c, int error)
{
    return cli_fail(CLI_SYSTEM, "cannot write %s: %s", c->output ? c->output : "the answer",
                    strerror(error));
}

/* Opens a file beside `name`, with the rights of the one that is there.  False where none can be.
 */
static bool open_beside(struct save_file *file, const char *name)
{
    char path[PATH_MAX];
    struct stat is;

    if (stat(name, &is)) /* a link to nothing is written through, too */
        return lstat(name, &is) && save_begin(file, name, save_mode(0666));
    return S_ISREG(is.st_mode) && !access(name, W_OK) && realpath(name, path) &&
           save_begin(file, path, is.st_mode & 07777);
}

static int open_output(struct output *o, const struct cli *c)
{
    *o = (struct output){ .f = stdout };
    if (!c->output)
        return CLI_OK;
    o->beside = open_beside(&o->file, c->output);
    o->f = o->beside ? o->file.f : fopen(c->output, "wb");
    if (!o->f)
        return fail_write(c, errno);
    return CLI_OK;
}

/* Ends the output.  status, error: what went wrong before, said (an exit status) or not (an errno).
   Returns an exit status; what stdout refuses later main() tells. */
static int close_output(struct output *o, const struct cli *c, int status, int error)
{
    errno = 0;
    if (o->beside)
        error = save_end(&o->file, status && !error ? ECANCELED : error);
    else if (o->f != stdout && fclose(o->f) && !error)
        error = errno ? errno : EIO;
    return !status && error ? fail_write(c, error) : status;
}

int save_text(const struct cli *c, struct study_text *text)
{
    struct output o;
    int status = text->failed ? cli_no_memory() : open_output(&o, c), error = 0;

    if (!status && !c->output && text->n && isatty(STDOUT_FILENO)) {
        bk_plain_text(text->at, "\n\t"); /* of games that others have written, say */
        text->n = strlen(text->at);
    }
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
