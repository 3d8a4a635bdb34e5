/*
 * test_lock.c - two builders of one table (tb/make/lock.h), and files that they leave.
 *
 * Tests of locks run twice, with flock() and as on a file system without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/make/lock.h"
#include "tests/proof.h"

#define FILE_OF "game/.KRvK.lock"

static char folder[PROOF_DIR_MAX];

/* == The system's calls == */

/* What another builder does just before such a call, once; NULL: nothing. */
static void (*before_flock)(void), (*before_unlink)(void), (*before_kill)(void);

static void do_once(void (**what)(void))
{
    void (*now)(void) = *what;

    *what = NULL;
    if (now)
        now();
}

int flock(int fd, int how)
{
    do_once(&before_flock);
    return (int)syscall(SYS_flock, fd, how);
}

int unlink(const char *path)
{
    do_once(&before_unlink);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int kill(pid_t pid, int signal)
{
    do_once(&before_kill);
    return (int)syscall(SYS_kill, pid, signal);
}

/* == One lock == */

static int open_folder(void **state)
{
    (void)state;
    return chdir(proof_folder(folder));
}

static int close_folder(void **state)
{
    (void)state;
    unlink(FILE_OF);
    unlink(FILE_OF ".dead");
    unlink("elsewhere");
    rmdir("game");
    return chdir("/") || rmdir(folder); /* nothing may be left */
}

static struct bk_lock_wish wish(bool no_flock)
{
    return (struct bk_lock_wish){
        .dir = folder, .variant = "game", .material = "KRvK", .no_flock = no_flock
    };
}

static struct bk_lock *take(const struct bk_lock_wish *w, bool *waited)
{
    struct bk_report why = { "" };
    struct bk_lock *l;

    if (bk_lock_take(&l, w, waited, &why))
        fail_msg("%s", why.text);
    return l;
}

static void lock__is_free_again_and_leaves_nothing(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct bk_lock_wish w = wish(none);
        bool waited;

        for (int i = 0; i < 3; i++) {
            struct bk_lock *l = take(&w, &waited);

            assert_false(waited);
            assert_int_equal(access(FILE_OF, F_OK), 0);
            bk_lock_free(l);
            assert_int_not_equal(access(FILE_OF, F_OK), 0);
        }
    }
    bk_lock_free(NULL);
}

/* Starts a child that holds the lock until it is killed; returns its process id. */
static pid_t holder(bool no_flock)
{
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (!pid) {
        struct bk_lock_wish w = wish(no_flock);
        struct bk_lock *l;
        bool waited;

        if (bk_lock_take(&l, &w, &waited, NULL) || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void end_holder(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void lock__of_a_killed_builder_is_taken_over(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct bk_lock_wish w = wish(none);
        struct bk_lock *l;
        bool waited;

        end_holder(holder(none));
        assert_int_equal(access(FILE_OF, F_OK), 0); /* left by the killed child */
        l = take(&w, &waited);
        assert_false(waited);
        bk_lock_free(l);
        assert_int_not_equal(access(FILE_OF, F_OK), 0);
    }
}

static volatile int stop;
static char said[512];

static void hear(void *context, const char *text)
{
    (void)context;
    snprintf(said, sizeof said, "%s", text);
    stop = 1;
}

static void lock__that_is_held_is_waited_for_with_a_word_until_asked_to_stop(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        pid_t pid = holder(none);
        struct bk_lock_wish w = wish(none);
        struct bk_report why = { "" };
        struct bk_lock *l;
        char process[32];
        bool waited;

        w.stop = &stop;
        w.note = hear;
        stop = 0;
        assert_int_equal(bk_lock_take(&l, &w, &waited, &why), BK_E_SYSTEM);
        assert_string_equal(why.text, "interrupted");
        assert_true(waited);
        snprintf(process, sizeof process, "process %d on ", (int)pid);
        assert_non_null(strstr(said, "KRvK is being made by "));
        assert_non_null(strstr(said, process));
        end_holder(pid);
        w.stop = NULL;
        bk_lock_free(take(&w, &waited));
    }
}

/* Writes the lock file of a process of this machine, as if it had begun at `began`. */
static void write_lock(pid_t pid, const char *began)
{
    char host[65] = "";
    FILE *f;

    gethostname(host, sizeof host - 1);
    mkdir("game", 0777);
    f = fopen(FILE_OF, "w");
    assert_non_null(f);
    fprintf(f, "%s %d %s\n", host, (int)pid, began);
    fclose(f);
}

/* A process number that lives, but began at another time, is another process. */
static void lock__of_a_process_whose_number_is_used_again_is_dead(void **state)
{
    struct bk_lock_wish w = wish(true);
    bool waited;

    (void)state;
    write_lock(getpid(), "12345");
    bk_lock_free(take(&w, &waited));
    assert_false(waited);
}

/* A process that cannot find out when it began writes 0: it counts as alive while its number is. */
static void lock__of_a_process_of_unknown_beginning_is_believed(void **state)
{
    struct bk_lock_wish w = wish(true);
    struct bk_lock *l;
    bool waited;

    (void)state;
    write_lock(getpid(), "0");
    w.stop = &stop;
    w.note = hear;
    stop = 0;
    assert_int_equal(bk_lock_take(&l, &w, &waited, NULL), BK_E_SYSTEM);
    assert_true(waited);
    unlink(FILE_OF);
}

/* The file of a builder that lives was removed and made anew by another: freeing the first lock
   leaves the second file alone. */
static void lock__that_is_given_back_is_no_other_s(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct bk_lock_wish w = wish(none);
        struct bk_lock *mine, *other;
        bool waited;

        mine = take(&w, &waited);
        assert_int_equal(unlink(FILE_OF), 0);
        other = take(&w, &waited);
        bk_lock_free(mine);
        assert_int_equal(access(FILE_OF, F_OK), 0);
        bk_lock_free(other);
        assert_int_not_equal(access(FILE_OF, F_OK), 0);
    }
}

/* Whether a builder on another machine lives cannot be found out: its lock counts. */
static void lock__of_another_host_is_believed(void **state)
{
    struct bk_lock_wish w = wish(true);
    struct bk_lock *l;
    bool waited;
    FILE *f;

    (void)state;
    mkdir("game", 0777);
    f = fopen(FILE_OF, "w");
    fprintf(f, "far.away.example 4194000 77\n");
    fclose(f);
    w.stop = &stop;
    w.note = hear;
    stop = 0;
    assert_int_equal(bk_lock_take(&l, &w, &waited, NULL), BK_E_SYSTEM);
    assert_non_null(strstr(said, "process 4194000 on far.away.example"));
    assert_non_null(strstr(said, FILE_OF)); /* the file to remove if the builder is dead */
    unlink(FILE_OF);
}

static void lock__is_never_made_through_a_link_or_a_pipe(void **state)
{
    (void)state;
    mkdir("game", 0777);
    alarm(20);
    for (int none = 0; none < 2; none++) {
        struct bk_lock_wish w = wish(none);
        struct bk_lock *l;
        bool waited;

        assert_int_equal(symlink("../elsewhere", FILE_OF), 0);
        assert_int_equal(bk_lock_take(&l, &w, &waited, NULL), BK_E_SYSTEM);
        assert_int_not_equal(access("elsewhere", F_OK), 0);
        unlink(FILE_OF);
        assert_int_equal(mkfifo(FILE_OF, 0600), 0);
        assert_int_equal(bk_lock_take(&l, &w, &waited, NULL), BK_E_SYSTEM);
        unlink(FILE_OF);
    }
    alarm(0);
}

/* == Several users == */

#define NOBODY 65534

/* What a builder of another user finds in the folder, and what is expected of it. */
struct shared {
    mode_t folder, file; /* their rights; a file of 0 is made by a holder that lives */
    bool no_flock;
    bool own, waits; /* is the lock its own; does it wait for the other? */
};

/* As another user, takes the lock and gives it back.  Ends the process: 0, all is as expected. */
static void be_nobody(const struct shared *s)
{
    struct bk_lock_wish w = wish(s->no_flock);
    struct bk_lock *l = NULL;
    bool waited;
    enum bk_err err;

    alarm(20);
    stop = 0;
    *said = 0;
    w.note = hear;
    w.stop = s->waits ? &stop : NULL;
    if (setgid(NOBODY) || setuid(NOBODY))
        _exit(2);
    err = bk_lock_take(&l, &w, &waited, NULL);
    if (waited != s->waits || !err == s->waits)
        _exit(3);
    if (bk_lock_is_own(l) != s->own || !*said != !(s->own || s->waits))
        _exit(4);
    if (s->own && !strstr(said, FILE_OF))
        _exit(5);
    bk_lock_free(l);
    _exit(0);
}

static void leave_to_nobody(const struct shared *s)
{
    pid_t dead = fork(), other = 0, pid;
    int status;

    if (!dead)
        _exit(0);
    waitpid(dead, NULL, 0);
    assert_int_equal(mkdir("game", 0777), 0);
    assert_int_equal(chmod("game", s->folder), 0);
    if (s->file) {
        write_lock(dead, "77");
        assert_int_equal(chmod(FILE_OF, s->file), 0);
    } else {
        other = holder(s->no_flock);
    }
    pid = fork();
    if (!pid)
        be_nobody(s);
    waitpid(pid, &status, 0);
    if (status)
        fail_msg("folder %o, file %o%s: status %x", (unsigned)s->folder, (unsigned)s->file,
                 s->no_flock ? ", no flock" : "", (unsigned)status);
    if (other)
        end_holder(other);
    assert_int_equal(access("game/.KRvK.65534.lock", F_OK), -1);
    unlink(FILE_OF);
    assert_int_equal(rmdir("game"), 0);
}

/* What one user's killed builder has left stops no other user: in a folder whose files all may
   replace, and in one like /tmp. */
static void lock__left_by_another_user_stops_nobody(void **state)
{
    static const struct shared left[] = {
        { .folder = 0777, .file = 0644 },
        { .folder = 0777, .file = 0600, .own = true },
        { .folder = 01777, .file = 0644 },
        { .folder = 01777, .file = 0600, .own = true },
        { .folder = 0777, .file = 0644, .no_flock = true },
        { .folder = 01777, .file = 0644, .no_flock = true, .own = true },
    };

    (void)state;
    if (geteuid())
        skip(); /* only root can be two users */
    assert_int_equal(chmod(folder, 0755), 0);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        leave_to_nobody(&left[i]);
}

/* Whatever the mask of its holder is. */
static void lock__held_by_another_user_is_waited_for(void **state)
{
    mode_t mask;

    (void)state;
    if (geteuid())
        skip();
    assert_int_equal(chmod(folder, 0755), 0);
    mask = umask(077);
    for (unsigned i = 0; i < 4; i++)
        leave_to_nobody(
            &(struct shared){ .folder = i & 1 ? 01777 : 0777, .no_flock = i >> 1, .waits = true });
    umask(mask);
}

/* A folder where nothing can be made is told of before hours of solving. */
static void lock__is_refused_where_nothing_can_be_made(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    if (geteuid())
        skip();
    assert_int_equal(chmod(folder, 0755), 0);
    write_lock(getpid(), "12345");
    assert_int_equal(chmod("game", 0755), 0);
    assert_int_equal(chmod(FILE_OF, 0644), 0);
    pid = fork();
    if (!pid) {
        struct bk_lock_wish w = wish(false);
        struct bk_lock *l;
        bool waited;

        alarm(20);
        _exit(setgid(NOBODY) || setuid(NOBODY) ||
              bk_lock_take(&l, &w, &waited, NULL) != BK_E_SYSTEM);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    unlink(FILE_OF);
}

/* == Two at once == */

static struct bk_lock *in_hand;

static void give_back(void) { bk_lock_free(in_hand); }

/* Its holder removes the file after another has opened it: that one must not take a lock that
   nobody else sees. */
static void lock__of_a_file_that_goes_is_taken_anew(void **state)
{
    struct bk_lock_wish w = wish(false);
    bool waited;

    (void)state;
    in_hand = take(&w, &waited);
    before_flock = give_back;
    in_hand = take(&w, &waited);
    assert_false(waited);
    assert_int_equal(access(FILE_OF, F_OK), 0);
    bk_lock_free(in_hand);
    assert_int_not_equal(access(FILE_OF, F_OK), 0);
}

static void look_whether_it_is_held(void)
{
    struct bk_lock_wish w = wish(false);
    bool waited;

    stop = 0;
    w.stop = &stop;
    w.note = hear;
    assert_int_equal(bk_lock_take(&in_hand, &w, &waited, NULL), BK_E_SYSTEM);
    assert_true(waited);
}

/* Else another might hold it when its file goes, and a third make a new one. */
static void lock__is_held_until_its_file_has_gone(void **state)
{
    struct bk_lock_wish w = wish(false);
    struct bk_lock *l;
    bool waited;

    (void)state;
    l = take(&w, &waited);
    before_unlink = look_whether_it_is_held;
    bk_lock_free(l);
    assert_null(before_unlink);
    assert_int_not_equal(access(FILE_OF, F_OK), 0);
}

static void take_over(void)
{
    unlink(FILE_OF);
    write_lock(getpid(), "0");
}

/* Without flock(): of two who find a dead builder's file one has put its own in its place when the
   other comes to remove it. */
static void lock__that_was_just_taken_over_is_left_alone(void **state)
{
    struct bk_lock_wish w = wish(true);
    struct bk_lock *l;
    bool waited;
    pid_t dead = fork();

    (void)state;
    if (!dead)
        _exit(0);
    waitpid(dead, NULL, 0);
    write_lock(dead, "77");
    before_kill = take_over;
    w.stop = &stop;
    w.note = hear;
    stop = 0;
    assert_int_equal(bk_lock_take(&l, &w, &waited, NULL), BK_E_SYSTEM);
    assert_null(before_kill);
    assert_int_equal(access(FILE_OF, F_OK), 0);
    assert_int_not_equal(access(FILE_OF ".dead", F_OK), 0);
    unlink(FILE_OF);
}

/* == Many at once, some of them killed == */

struct arena {
    volatile int inside, worst;
    volatile int turns;
};

/* Takes the lock so many times; then `dies`: once more, and is killed with it. */
static void contend(struct arena *a, bool no_flock, unsigned seed, int turns, bool dies)
{
    struct bk_lock_wish w = wish(no_flock);

    for (int i = 0; i < turns + dies; i++) {
        struct bk_lock *l;
        bool waited;
        int now;

        if (bk_lock_take(&l, &w, &waited, NULL))
            _exit(2);
        now = __sync_add_and_fetch(&a->inside, 1);
        if (now > a->worst)
            a->worst = now;
        usleep((unsigned)rand_r(&seed) % 300);
        __sync_sub_and_fetch(&a->inside, 1);
        __sync_add_and_fetch(&a->turns, 1);
        if (i == turns)
            kill(getpid(), SIGKILL);
        bk_lock_free(l);
    }
}

static struct arena *arena_new(void)
{
    struct arena *a =
        mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(a != MAP_FAILED);
    return a;
}

static void lock__lets_one_in_at_a_time(void **state)
{
    struct arena *a = arena_new();

    (void)state;
    for (int none = 0; none < 2; none++) {
        pid_t pid[3];

        memset(a, 0, sizeof *a);
        for (unsigned i = 0; i < 3; i++) {
            pid[i] = fork();
            if (!pid[i]) {
                contend(a, none, i, 40, false);
                _exit(0);
            }
        }
        for (unsigned i = 0; i < 3; i++) {
            int status;

            waitpid(pid[i], &status, 0);
            assert_int_equal(status, 0);
        }
        assert_int_equal(a->worst, 1);
        assert_int_equal(a->turns, 120);
        assert_int_not_equal(access(FILE_OF, F_OK), 0);
    }
    munmap(a, sizeof *a);
}

/* Three at a time contend, and each is killed with the lock in hand: another takes it over, and one
   alone. */
static void lock__of_killed_holders_lets_one_in_at_a_time(void **state)
{
    enum { LIVES = 24, AT_ONCE = 3 };
    struct arena *a = arena_new();

    (void)state;
    for (int none = 0; none < 2; none++) {
        struct bk_lock_wish w = wish(none);
        bool waited;

        memset(a, 0, sizeof *a);
        for (unsigned i = 0; i < LIVES + AT_ONCE; i++) {
            int status;

            if (i >= AT_ONCE) {
                assert_true(wait(&status) > 0);
                assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            }
            if (i < LIVES && !fork()) {
                alarm(60);
                contend(a, none, i, (int)i % 3, true);
            }
        }
        assert_int_equal(a->worst, 1);
        bk_lock_free(take(&w, &waited)); /* of the last one, who is dead, too */
        assert_int_not_equal(access(FILE_OF, F_OK), 0);
    }
    munmap(a, sizeof *a);
}

/* Of several who find a dead builder's lock, one removes its file: another might remove the new one
   that the first has made since. */
static void lock__of_the_dead_is_removed_by_one_alone(void **state)
{
    struct bk_lock_wish w = wish(true);
    struct bk_lock *l;
    bool waited;

    (void)state;
    write_lock(getpid(), "12345");
    close(open(FILE_OF ".dead", O_CREAT | O_WRONLY, 0666)); /* somebody is at it */
    w.stop = &stop;
    w.note = hear;
    stop = 0;
    assert_int_equal(bk_lock_take(&l, &w, &waited, NULL), BK_E_SYSTEM);
    assert_true(waited);
    assert_int_equal(access(FILE_OF, F_OK), 0);
    unlink(FILE_OF ".dead");
    w.stop = NULL;
    bk_lock_free(take(&w, &waited));
    assert_false(waited);
}

static void left__is_told_of_tables_whose_files_are_under_way(void **state)
{
    static const char *const file[] = { ".KQvK.lock",
                                        "KNvK.bkd.part",
                                        ".KPvK+K.ckpt",
                                        ".KBvK[B].ckpt.part",
                                        ".KAvK.ckpt.0000001f.12",
                                        "KRvK.bkw",
                                        "notes.part",
                                        ".",
                                        "part" };
    static const char *const left[] = { "KQvK", "KNvK", "KPvK+K", "KBvK[B]", "KAvK" };
    static const char *const none[] = { "KRvK", "KPvK", "KQ", "KQvKQ", "", "KBvK" };
    struct bk_left l;

    (void)state;
    bk_left_read(&l, folder, "game"); /* which is not there yet */
    assert_false(bk_left_has(&l, "KQvK"));
    assert_int_equal(mkdir("game", 0777), 0);
    assert_int_equal(chdir("game"), 0);
    for (unsigned i = 0; i < sizeof file / sizeof *file; i++)
        if (strcmp(file[i], "."))
            close(open(file[i], O_CREAT | O_WRONLY, 0666));
    bk_left_read(&l, folder, "game");
    for (unsigned i = 0; i < sizeof left / sizeof *left; i++)
        assert_true(bk_left_has(&l, left[i]));
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(bk_left_has(&l, none[i]));
    for (unsigned i = 0; i < sizeof file / sizeof *file; i++)
        unlink(file[i]);
    bk_left_free(&l);
    assert_int_equal(chdir(".."), 0);
}

/* Of a process that was killed while others looked for its mark. */
static void mark__of_a_killed_process_is_swept_and_no_other_file(void **state)
{
    static const char *const stays[] = { ".bareking-aaaaaa", ".bareking-short", "bareking-bbbbbbb",
                                         ".bareking-linked", ".bareking-filled" };
    int held, full;

    (void)state;
    bk_mark_sweep("nowhere");
    held = open(stays[0], O_CREAT | O_RDWR, 0600);
    assert_int_equal(flock(held, LOCK_EX), 0);
    close(open(stays[1], O_CREAT | O_WRONLY, 0600));
    close(open(stays[2], O_CREAT | O_WRONLY, 0600));
    assert_int_equal(symlink(stays[2], stays[3]), 0);
    full = open(stays[4], O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(full, "x", 1), 1);
    close(full);
    close(open(".bareking-cccccc", O_CREAT | O_WRONLY, 0600));
    bk_mark_sweep(folder);
    assert_int_equal(access(".bareking-cccccc", F_OK), -1);
    for (unsigned i = 0; i < sizeof stays / sizeof *stays; i++)
        assert_int_equal(unlink(stays[i]), 0);
    close(held);
}

static void sweep(void) { bk_mark_sweep(folder); }

/* Another build sweeps it away between its making and its locking. */
static void mark__that_is_swept_away_is_made_again(void **state)
{
    struct bk_report why = { "" };

    (void)state;
    alarm(60);
    before_flock = sweep;
    if (bk_mark_seen(folder, &why))
        fail_msg("%s", why.text);
    assert_null(before_flock);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lock__is_free_again_and_leaves_nothing, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__of_a_killed_builder_is_taken_over, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(
            lock__that_is_held_is_waited_for_with_a_word_until_asked_to_stop, open_folder,
            close_folder),
        cmocka_unit_test_setup_teardown(lock__of_a_process_whose_number_is_used_again_is_dead,
                                        open_folder, close_folder),
        cmocka_unit_test_setup_teardown(lock__of_a_process_of_unknown_beginning_is_believed,
                                        open_folder, close_folder),
        cmocka_unit_test_setup_teardown(lock__that_is_given_back_is_no_other_s, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__of_another_host_is_believed, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__is_never_made_through_a_link_or_a_pipe, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__left_by_another_user_stops_nobody, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__held_by_another_user_is_waited_for, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__is_refused_where_nothing_can_be_made, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__of_a_file_that_goes_is_taken_anew, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__is_held_until_its_file_has_gone, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__that_was_just_taken_over_is_left_alone, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__lets_one_in_at_a_time, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(lock__of_killed_holders_lets_one_in_at_a_time, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(lock__of_the_dead_is_removed_by_one_alone, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(left__is_told_of_tables_whose_files_are_under_way,
                                        open_folder, close_folder),
        cmocka_unit_test_setup_teardown(mark__that_is_swept_away_is_made_again, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(mark__of_a_killed_process_is_swept_and_no_other_file,
                                        open_folder, close_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
