/*
 * jobs.c - see jobs.h.
 */
#include "cli/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/save.h"
#include "tb/make/budget.h"

/* == Words for a shell == */

/* Where a word stands.  Not in a shell: make reads it before the shell does. */
enum place { IN_SHELL, IN_RECIPE, IN_VARIABLE };

/*
 * Writes a text, without line breaks (refuse_words()), so that the shell reads it as one word.  For
 * make a `#` begins a comment where a variable is set, unless an odd number of backslashes stands
 * before it, of which it then takes away half.
 */
static void print_word(FILE *f, const char *text, enum place place)
{
    size_t backslashes = 0; /* just before `s` */

    putc('\'', f);
    for (const char *s = text; *s; s++) {
        if (*s == '#' && place == IN_VARIABLE)
            for (size_t i = 0; i <= backslashes; i++)
                putc('\\', f);
        if (*s == '\'')
            fputs("'\\''", f);
        else if (*s == '$' && place != IN_SHELL)
            fputs("$$", f);
        else
            putc(*s, f);
        backslashes = *s == '\\' ? backslashes + 1 : 0;
    }
    putc('\'', f);
}

/* A path that means the same from any folder. */
static const char *from_root(const char *path, char out[PATH_MAX])
{
    char here[PATH_MAX];

    if (*path == '/' || !getcwd(here, sizeof here) ||
        snprintf(out, PATH_MAX, "%s/%s", here, path) >= PATH_MAX)
        return path;
    return out;
}

/* The game: a name, or a file from anywhere. */
static const char *game_of(const struct cli *c, char out[PATH_MAX])
{
    return bk_embedded_is(c->arg[0]) ? c->arg[0] : from_root(c->arg[0], out);
}

/* Returns the path of this program's file, or its name alone. */
static const char *program(char out[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

    if (n <= 0)
        return "bareking";
    out[n] = 0;
    return out;
}

/* Refuses what no line can hold, or no list of folders. */
static int refuse_words(const struct cli *c)
{
    char dir[PATH_MAX], game[PATH_MAX], self[PATH_MAX];
    const struct {
        const char *what, *text;
    } word[] = {
        { "the folder of the tables", from_root(c->dir, dir) },
        { "the game's file", game_of(c, game) },
        { "this program", program(self) },
        { "the folder of the jobs", c->slurm ? c->slurm : "" },
        { "--for", c->terrain ? c->terrain : "" },
    };

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strchr(word[i].text, '\n'))
            return cli_fail(CLI_USAGE,
                            "plan: %s: jobs name %s on one line, and it has a line break",
                            word[i].text, word[i].what);
    if (strchr(word[0].text, ':'))
        return cli_fail(CLI_USAGE,
                        "plan: %s: jobs name the folder by its whole path, which has a `:`",
                        word[0].text);
    return CLI_OK;
}

/* Writes the options of every build of the plan. */
static void print_options(FILE *f, const struct cli *c, enum place place)
{
    char path[PATH_MAX];

    fputs(" --dir ", f);
    print_word(f, from_root(c->dir, path), place);
    if (c->terrain) {
        fputs(" --for ", f);
        print_word(f, c->terrain, place);
    }
    if (c->memory)
        fprintf(f, " --memory %llu", (unsigned long long)c->memory);
    fputs(c->wdl ? " --wdl" : "", f);
    fputs(c->dtz ? " --dtz" : "", f);
    fputs(c->dtw ? " --dtw" : "", f);
    fputs(c->standalone ? " --standalone" : "", f);
    if (c->effort != BK_EFFORT_NORMAL)
        fprintf(f, " --effort %s", cli_effort[c->effort]);
    fputs(" --any --quiet", f); /* what was asked for has been looked at here */
}

/* == A Makefile == */

static void print_missing(const struct bk_plan *p)
{
    for (unsigned i = 0; i < p->n; i++)
        if (!p->table[i].present)
            printf(" t%u", i);
    printf("\n");
}

/* Writes the rule of the nth table, which waits for those that it needs. */
static void print_rule(const struct cli *c, const struct bk_plan *p, unsigned nth)
{
    const struct bk_plan_table *t = &p->table[nth];
    char game[PATH_MAX];

    printf("t%u:", nth);
    for (unsigned k = 0; k < t->nnext; k++)
        if (!p->table[t->next[k]].present)
            printf(" t%u", t->next[k]);
    printf("\n\t$(BAREKING) build ");
    print_word(stdout, game_of(c, game), IN_RECIPE);
    putchar(' ');
    print_word(stdout, t->name, IN_RECIPE);
    print_options(stdout, c, IN_RECIPE);
    printf(" --threads $(THREADS)\n");
}

int cli_jobs_make(const struct cli *c, struct bk_plan *p)
{
    char path[PATH_MAX];
    int status = refuse_words(c);

    if (status)
        return status;
    printf("# Tables of %s, each after those that it can move into; make -j N -f FILE makes them.\n"
           "# Every one is a build of THREADS threads; one that is there already is passed over.\n"
           "BAREKING ?= ",
           p->v->name);
    print_word(stdout, program(path), IN_VARIABLE);
    printf("\nTHREADS ?= %u\nall:", c->threads ? c->threads : 1);
    print_missing(p);
    for (unsigned i = 0; i < p->n; i++)
        if (!p->table[i].present)
            print_rule(c, p, i);
    printf(".PHONY: all");
    print_missing(p);
    return CLI_OK;
}

/* == Jobs == */

/* Tables with less go into an array with others of their depth. */
#define SMALL_BYTES   (UINT64_C(1) << 30)
#define SMALL_SECONDS 900
/* Tables with so many positions or more are shared by several processes, if such are asked for. */
#define SHARED_POSITIONS (UINT64_C(100) << 20)

struct job {
    unsigned depth;
    uint32_t *table; /* owned; by number in the plan */
    unsigned n;
    uint64_t memory_bytes; /* the most that one of its tables takes; so is `seconds` */
    uint64_t seconds;
    bool small, shared;
};

struct jobs {
    const struct cli *c;
    const struct bk_plan *p;
    struct job *job; /* owned */
    unsigned n;
    uint32_t *job_of, *depth; /* by number in the plan; owned */
    unsigned threads;
};

/* Returns the time limit of a table's job.  CPU time is some 100 ns a position with distances, half
   of that without; pawns take twice as long, a machine may be slow, and tables below are solved
   anew: ten times as much, and ten minutes. */
static uint64_t seconds_of(const struct jobs *j, const struct bk_plan_table *t)
{
    uint64_t nanoseconds = j->p->distances ? 1000 : 500;

    return 600 + t->positions / 1000 * nanoseconds / 1000000 / j->threads;
}

/* Do several processes share the table? */
static bool is_shared(const struct cli *c, const struct bk_plan_table *t)
{
    return c->ranks > 1 && t->positions >= SHARED_POSITIONS;
}

/* Sets the memory of each table to that of a build of its own, of shared ones to one process's. */
static enum bk_err foretell(const struct cli *c, struct bk_plan *p, unsigned threads,
                            struct bk_report *why)
{
    uint64_t *shared = calloc(p->n + 1u, sizeof *shared);
    enum bk_err err = shared ? BK_OK : bk_no_memory(why);

    p->processes = c->ranks;
    if (!err && c->ranks > 1)
        err = bk_plan_memory_alone(p, threads, why);
    for (unsigned i = 0; !err && i < p->n; i++)
        shared[i] = p->table[i].memory_bytes;
    p->processes = 1;
    if (!err)
        err = bk_plan_memory_alone(p, threads, why);
    for (unsigned i = 0; !err && i < p->n; i++)
        if (is_shared(c, &p->table[i]))
            p->table[i].memory_bytes = shared[i];
    free(shared);
    return err;
}

static struct job *find_job(struct jobs *j, const struct bk_plan_table *t, unsigned depth)
{
    bool small =
        t->memory_bytes < SMALL_BYTES && seconds_of(j, t) < SMALL_SECONDS && !is_shared(j->c, t);
    struct job *job;

    for (unsigned i = 0; small && i < j->n; i++)
        if (j->job[i].small && j->job[i].depth == depth)
            return &j->job[i];
    job = &j->job[j->n++];
    *job = (struct job){ .depth = depth,
                         .table = calloc(j->p->n + 1u, sizeof *job->table),
                         .small = small,
                         .shared = is_shared(j->c, t) };
    return job;
}

/* Puts every missing table into a job.  False: no memory. */
static bool make_jobs(struct jobs *j)
{
    for (unsigned i = 0; i < j->p->n; i++) {
        const struct bk_plan_table *t = &j->p->table[i];
        uint64_t seconds = seconds_of(j, t);
        struct job *job;

        for (unsigned k = 0; k < t->nnext; k++)
            if (!j->p->table[t->next[k]].present && j->depth[t->next[k]] >= j->depth[i])
                j->depth[i] = j->depth[t->next[k]] + 1;
        if (t->present)
            continue;
        job = find_job(j, t, j->depth[i]);
        if (!job->table)
            return false;
        j->job_of[i] = (uint32_t)(job - j->job);
        job->table[job->n++] = i;
        job->memory_bytes =
            t->memory_bytes > job->memory_bytes ? t->memory_bytes : job->memory_bytes;
        job->seconds = seconds > job->seconds ? seconds : job->seconds;
    }
    return true;
}

static void free_jobs(struct jobs *j)
{
    for (unsigned i = 0; j->job && i < j->n; i++)
        free(j->job[i].table);
    free(j->job);
    free(j->job_of);
    free(j->depth);
}

/* == Scripts for Slurm == */

#define SCRIPT_BEGIN "#!/bin/sh\n#SBATCH --job-name=bareking-"

/* Returns the path of a file of the folder, whose own path leaves room for it (write_scripts()). */
static char *path_in(char out[PATH_MAX], const char *folder, const char *name)
{
    snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return out;
}

/* Writes what all jobs do: build, and ask to be begun again if time runs out. */
static void print_build(FILE *f, const struct jobs *j)
{
    char path[PATH_MAX], game[PATH_MAX];

    fprintf(f, "#!/bin/sh\n"
               "# build.sh MATERIAL - what every job does.  A job that is told that its time is "
               "over asks to be\n"
               "# begun again, and goes on from its last checkpoint; after ten times it gives up.\n"
               "bareking=");
    print_word(f, program(path), IN_SHELL);
    fprintf(f, "\n"
               "bareking=${BAREKING:-$bareking}\n"
               "stopped= signal=TERM\n"
               "trap 'stopped=yes; kill -$signal \"$pid\"' TERM\n"
               "if [ \"${SLURM_NTASKS:-1}\" -gt 1 ]; then\n"
               "    signal=USR1 # mpirun hands it on\n"
               "    set -- mpirun --map-by node --bind-to none "
               "\"${BAREKING_MPI:-${bareking%%-mpi}-mpi}\" build ");
    print_word(f, game_of(j->c, game), IN_SHELL);
    fprintf(f, " \"$1\"\nelse\n    set -- \"$bareking\" build ");
    print_word(f, game_of(j->c, game), IN_SHELL);
    fprintf(f, " \"$1\"\nfi\n\"$@\"");
    print_options(f, j->c, IN_SHELL);
    fprintf(f, " --threads \"${SLURM_CPUS_PER_TASK:-1}\" &\n"
               "pid=$!\n"
               "wait \"$pid\"\n"
               "status=$?\n"
               "[ -z \"$stopped\" ] || { wait \"$pid\"; status=$?; }\n"
               "if [ -n \"$stopped\" ] && [ $status -ne 0 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt "
               "10 ]; then\n"
               "    scontrol requeue \"$SLURM_JOB_ID\"\n"
               "fi\n"
               "exit $status\n");
}

static void print_script(FILE *f, const struct jobs *j, const struct job *job, unsigned nth)
{
    uint64_t mebibytes = (job->memory_bytes / 10 * 11 >> 20) + 64 + j->threads;

    fprintf(f, SCRIPT_BEGIN "%u\n#SBATCH --output=%%x.%s.out\n", nth, job->n > 1 ? "%a" : "%j");
    fprintf(f,
            "#SBATCH --ntasks=%u\n#SBATCH --cpus-per-task=%u\n#SBATCH --mem-per-cpu=%lluM\n"
            "#SBATCH --time=%llu\n",
            job->shared ? j->c->ranks : 1, j->threads, (unsigned long long)(mebibytes / j->threads),
            (unsigned long long)((job->seconds + 59) / 60));
    if (job->n > 1)
        fprintf(f, "#SBATCH --array=1-%u\n", job->n);
    fprintf(f, "#SBATCH --signal=B:TERM@60\n#SBATCH --requeue\n#SBATCH --open-mode=append\n"
               "case ${SLURM_ARRAY_TASK_ID:-1} in\n");
    for (unsigned i = 0; i < job->n; i++) {
        fprintf(f, "%u) set -- ", i + 1);
        print_word(f, j->p->table[job->table[i]].name, IN_SHELL);
        fprintf(f, " ;;\n");
    }
    fprintf(f, "esac\n. ./build.sh\n");
}

/* Writes, as :$j1:$j2, the jobs whose tables those of `job` can move into.  False: no memory. */
static bool print_dependencies(FILE *f, const struct jobs *j, const struct job *job)
{
    bool *on = calloc(j->n + 1u, sizeof *on), any = false;

    if (!on)
        return false;
    for (unsigned i = 0; i < job->n; i++) {
        const struct bk_plan_table *t = &j->p->table[job->table[i]];

        for (unsigned k = 0; k < t->nnext; k++)
            if (!j->p->table[t->next[k]].present)
                on[j->job_of[t->next[k]]] = true;
    }
    for (unsigned i = 0; i < j->n; i++)
        if (on[i]) {
            fprintf(f, "%s:$j%u", any ? "" : " --kill-on-invalid-dep=yes --dependency=afterok",
                    i + 1);
            any = true;
        }
    free(on);
    return true;
}

static bool print_submit(FILE *f, const struct jobs *j)
{
    fprintf(f,
            "#!/bin/sh\n"
            "# submit.sh [SBATCH-OPTION...] - hands all jobs to Slurm, each after those it needs.\n"
            "set -eu\nunset CDPATH\ncd -- \"$(dirname -- \"$0\")\"\n");
    for (unsigned i = 0; i < j->n; i++) {
        fprintf(f, "j%u=$(sbatch --parsable", i + 1);
        if (!print_dependencies(f, j, &j->job[i]))
            return false;
        fprintf(
            f, " \"$@\" job%u.sh)\nj%u=${j%u%%%%;*} # of several clusters its name stands behind\n",
            i + 1, i + 1, i + 1);
    }
    fprintf(f, "echo \"%u job%s\"\n", j->n, j->n == 1 ? "" : "s");
    return true;
}

static int fail_write(const char *folder)
{
    return cli_fail(CLI_SYSTEM, "%s: %s", folder, strerror(errno));
}

#define JOB_NAME_MAX 32
static char *job_name(char out[JOB_NAME_MAX], unsigned nth)
{
    snprintf(out, JOB_NAME_MAX, "job%u.sh", nth + 1);
    return out;
}

/* Does the file begin as print_script() begins one?  A link or a pipe does not. */
static bool is_script(const char *path)
{
    static const char begin[] = SCRIPT_BEGIN;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[sizeof begin] = "";

    if (fd < 0)
        return false;
    (void)!read(fd, text, sizeof begin - 1);
    close(fd);
    return !strcmp(text, begin);
}

/* Removes submit.sh of an earlier plan, and its job scripts from number `first` on, which no job of
   this plan takes the place of; they are numbered without gaps. */
static int remove_older(const char *folder, unsigned first)
{
    char path[PATH_MAX], name[JOB_NAME_MAX];

    if (unlink(path_in(path, folder, "submit.sh")) && errno != ENOENT)
        return fail_write(folder);
    for (; is_script(path_in(path, folder, job_name(name, first))); first++)
        if (unlink(path))
            return fail_write(folder);
    return CLI_OK;
}

/* Which of the folder's files: the number of a job, or one of these. */
enum { BUILD_SH = -1, SUBMIT_SH = -2 };

/* Writes one of the files. */
static int write_script(const struct jobs *j, int which)
{
    char path[PATH_MAX], name[JOB_NAME_MAX];
    struct save_file file;
    int error = 0;

    path_in(path, j->c->slurm,
            which == BUILD_SH    ? "build.sh"
            : which == SUBMIT_SH ? "submit.sh"
                                 : job_name(name, (unsigned)which));
    if (!save_begin(&file, path, save_mode(which == SUBMIT_SH ? 0777 : 0666)))
        return fail_write(j->c->slurm);
    if (which == BUILD_SH)
        print_build(file.f, j);
    else if (which != SUBMIT_SH)
        print_script(file.f, j, &j->job[which], (unsigned)which + 1);
    else if (!print_submit(file.f, j))
        error = ENOMEM;
    errno = save_end(&file, error);
    return errno ? fail_write(j->c->slurm) : CLI_OK;
}

static int write_scripts(const struct jobs *j)
{
    const char *folder = j->c->slurm;
    int status;

    if (strlen(folder) + 1 + JOB_NAME_MAX > PATH_MAX) {
        errno = ENAMETOOLONG;
        return fail_write(folder);
    }
    if (mkdir(folder, 0777) && errno != EEXIST)
        return fail_write(folder);
    status = remove_older(folder, j->n);
    for (unsigned i = 0; !status && i < j->n; i++)
        status = write_script(j, (int)i);
    if (!status)
        status = write_script(j, BUILD_SH);
    return status ? status : write_script(j, SUBMIT_SH);
}

int cli_jobs_slurm(const struct cli *c, struct bk_plan *p)
{
    struct jobs j = { .c = c,
                      .p = p,
                      .job = calloc(p->n + 1u, sizeof *j.job),
                      .job_of = calloc(p->n + 1u, sizeof *j.job_of),
                      .depth = calloc(p->n + 1u, sizeof *j.depth),
                      .threads = c->threads ? c->threads : 1 };
    struct bk_report why = { "" };
    char folder[CLI_SHOWN_MAX];
    unsigned tables = 0;
    int status = refuse_words(c);
    enum bk_err err;

    if (status)
        ;
    else if (!j.job || !j.job_of || !j.depth)
        status = cli_no_memory();
    else if ((err = foretell(c, p, j.threads, &why)))
        status = cli_fail_report(err, &why);
    else if (!make_jobs(&j))
        status = cli_no_memory();
    else
        status = write_scripts(&j);
    for (unsigned i = 0; i < j.n; i++)
        tables += j.job[i].n;
    if (!status && !c->quiet)
        printf("%u job%s for %u table%s; %s/submit.sh hands them to Slurm\n", j.n,
               j.n == 1 ? "" : "s", tables, tables == 1 ? "" : "s", cli_shown(folder, c->slurm));
    free_jobs(&j);
    return status;
}
