/*
 * test_builds.c - several processes that build the same folder (tb/make/build.h): each
 * table is made once, whoever is killed, and nobody takes away what another works with.
 *
 * Processes tell each other by shared memory where they are, so that they always meet; what happens
 * when they meet anywhere is for tests/faults.sh.
 */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/load.h"
#include "tb/make/build.h"
#include "tb/make/lock.h"
#include "tests/files.h"
#include "tests/proof.h"

#define GAME     "tests/six.ini"
#define MATERIAL "KRvKN"
#define TABLES   16
#define LATE     10 /* the ply of KRvKN at which builders meet */

/* What builders know of each other. */
struct shared {
    volatile int under_way;          /* the first has come to a ply of KRvKN, and waits there */
    volatile int waits;              /* the second has said that it waits */
    volatile unsigned built[TABLES]; /* how often a table was made, by its place in the plan */
    volatile unsigned plies;         /* of KRvKN, told to the second */
};

static struct shared *shared;
static char said[512];

struct builder {
    bool first, dies; /* dies: killed where the second waits for it */
    struct bk_plan *plan;
};

static void meet(void *context, const struct bk_plan_table *t, const struct bk_progress *p)
{
    const struct builder *b = context;

    if (strcmp(t->name, MATERIAL) != 0)
        return;
    shared->plies += !b->first;
    if (!b->first)
        return;
    usleep(5000); /* so that the next checkpoint is due: they may not take much of the time */
    if (p->ply < LATE)
        return;
    shared->under_way = 1;
    while (!shared->waits)
        usleep(1000);
    if (b->dies)
        kill(getpid(), SIGKILL);
}

static void say_wait(void *context, const char *text)
{
    (void)context;
    snprintf(said, sizeof said, "%s", text);
    shared->waits = strstr(text, MATERIAL " is being made by process ") != NULL;
}

static void count(void *context, const struct bk_built *built)
{
    const struct builder *b = context;

    shared->built[built->table - b->plan->table]++;
}

/* Builds KRvKN and another table; checkpoints come with every ply, if any.  Returns their number,
   or 0: an error. */
static unsigned build(const char *dir, struct builder b, bool checkpoints)
{
    const struct bk_build_options o = { .context = &b,
                                        .effort = BK_EFFORT_FAST,
                                        .progress = meet,
                                        .built = count,
                                        .wait = say_wait,
                                        .checkpoint_seconds = checkpoints ? 1e-6 : 0 };
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct bk_material m[2];
    unsigned n = 0;

    if (!bk_variant_load(&v, GAME, &why) && !bk_material_parse(&m[0], v, "KQvKN", &why) &&
        !bk_material_parse(&m[1], v, MATERIAL, &why) &&
        !bk_plan_new(&b.plan, v, dir, m, 2, 0, true, &why)) {
        if (!bk_build(b.plan, &o, &why))
            n = b.plan->n;
        bk_plan_free(b.plan);
        bk_variant_free(v);
    }
    if (!n)
        printf("%s\n", why.text);
    return n;
}

static pid_t start(const char *dir, struct builder b, bool checkpoints)
{
    pid_t pid = fork();

    if (!pid) {
        alarm(60);
        _exit(!build(dir, b, checkpoints));
    }
    return pid;
}

static int end_of(pid_t pid)
{
    int status = -1;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static char undisturbed[PROOF_DIR_MAX];
static unsigned tables; /* in the plan */

/* Fails unless two folders have the same files of the game, and the first no others. */
static void same_files(const char *one, const char *other)
{
    char a[PROOF_DIR_MAX + 300], b[PROOF_DIR_MAX + 300];
    const struct dirent *e;
    unsigned n = 0;
    DIR *d;

    snprintf(a, sizeof a, "%s/six", one);
    assert_non_null(d = opendir(a));
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            snprintf(a, sizeof a, "%s/six/%s", one, e->d_name);
            snprintf(b, sizeof b, "%s/six/%s", other, e->d_name);
            same_bytes(a, b);
            n++;
        }
    closedir(d);
    assert_int_equal(n, 2 * tables);
}

static int build_undisturbed(void **state)
{
    (void)state;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    tables = build(proof_folder(undisturbed), (struct builder){ .first = false }, false);
    return shared == MAP_FAILED || !tables || tables > TABLES;
}

/* Starts two builders that meet in KRvKN.  Fails unless the second is done well and the folder has
   what it should have.  Returns how the first has ended. */
static int meet_in(const char *dir, bool dies, bool checkpoints)
{
    pid_t first, second;
    int status;

    memset(shared, 0, sizeof *shared);
    alarm(60);
    first = start(dir, (struct builder){ .first = true, .dies = dies }, checkpoints);
    while (!shared->under_way)
        usleep(1000);
    second = start(dir, (struct builder){ .first = false }, checkpoints);
    status = end_of(first);
    assert_int_equal(end_of(second), 0);
    alarm(0);
    assert_true(shared->waits);
    same_files(dir, undisturbed);
    return status;
}

static void builds__of_one_folder_make_each_table_once(void **state)
{
    char dir[PROOF_DIR_MAX];

    (void)state;
    for (int checkpoints = 0; checkpoints < 2; checkpoints++) {
        assert_int_equal(meet_in(proof_folder(dir), false, checkpoints), 0);
        for (unsigned i = 0; i < tables; i++)
            assert_int_equal(shared->built[i], 1);
        assert_int_equal(shared->plies, 0);
        proof_remove(dir);
    }
}

/* Who waits takes over from a builder that was killed, from its checkpoint where there is one. */
static void builds__of_a_killed_process_are_taken_over(void **state)
{
    char dir[PROOF_DIR_MAX];
    unsigned plies[2];

    (void)state;
    for (int checkpoints = 0; checkpoints < 2; checkpoints++) {
        int status = meet_in(proof_folder(dir), true, checkpoints);

        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        for (unsigned i = 0; i < tables; i++)
            assert_int_equal(shared->built[i], 1);
        plies[checkpoints] = shared->plies;
        proof_remove(dir);
    }
    assert_true(plies[1] < plies[0]);
}

/* A table is there, and beside it what a builder works with: it goes, but not while its lock is
   held. */
static void builds__leave_alone_what_another_works_with(void **state)
{
    static const char *const left[] = { "KRvKN.bkw.part", ".KRvKN.ckpt", ".KRvKN.ckpt.00000001.0" };
    char dir[PROOF_DIR_MAX], path[3][PROOF_DIR_MAX + 300];
    const struct bk_lock_wish wish = { .dir = dir, .variant = "six", .material = MATERIAL };

    (void)state;
    memset(shared, 0, sizeof *shared);
    assert_int_equal(build(proof_folder(dir), (struct builder){ .first = false }, false), tables);
    for (int held = 1; held >= 0; held--) {
        struct bk_lock *lock = NULL;
        bool waited;

        if (held)
            assert_int_equal(bk_lock_take(&lock, &wish, &waited, NULL), BK_OK);
        for (unsigned i = 0; i < 3; i++) {
            struct stat old;
            struct timespec times[2];
            char table[PROOF_DIR_MAX + 300];

            snprintf(path[i], sizeof path[i], "%s/six/%s", dir, left[i]);
            spill(path[i], "x", 1);
            snprintf(table, sizeof table, "%s/six/KRvKN.bkw", dir);
            assert_int_equal(stat(table, &old), 0);
            times[0] = times[1] = old.st_mtim; /* not younger than the table */
            assert_int_equal(utimensat(AT_FDCWD, path[i], times, 0), 0);
        }
        assert_int_equal(build(dir, (struct builder){ .first = false }, false), tables);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(access(path[i], F_OK), held - 1);
        bk_lock_free(lock);
    }
    same_files(dir, undisturbed);
    proof_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds__of_one_folder_make_each_table_once),
        cmocka_unit_test(builds__of_a_killed_process_are_taken_over),
        cmocka_unit_test(builds__leave_alone_what_another_works_with),
    };

    return cmocka_run_group_tests(tests, build_undisturbed, NULL);
}
