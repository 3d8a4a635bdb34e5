/*
 * inject.c - runs a command with faults: its system calls fail, are cut short, are delayed, or
 * bring it a signal.
 *
 * usage: inject CALL[,CALL]:WHAT[:WHEN] ... -- COMMAND...
 *
 *   WHAT  error=NAME (ENOSPC, EDQUOT, EIO, EINTR, ...): the call is not made, and fails
 *         short: a write of n bytes becomes one of n / 2
 *         delay=MILLISECONDS before the call
 *         signal=NUMBER: the signal is sent to the command before the call; 9 ends it there
 *         count: nothing; if $INJECT_COUNT names a file, it gets each rule's number of calls
 *   WHEN  N: the N-th of these calls; N+: from there on; N+K: from there on every K-th.
 *         Default: 1+
 *
 * Calls are counted over all threads; writes to descriptors 0 to 2 are neither counted nor changed.
 * The exit status is the command's, or 128 + signal.
 *
 * Idea: a seccomp filter stops the command at the calls that are named and at no others, so it runs
 * at its usual speed; ptrace changes the registers.  x86-64 Linux alone.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RULES 8
#define CALLS 12

static const struct {
    const char *name;
    long number;
} call_names[] = {
    { "read", SYS_read },           { "write", SYS_write },   { "pread", SYS_pread64 },
    { "pwrite", SYS_pwrite64 },     { "openat", SYS_openat }, { "fsync", SYS_fsync },
    { "rename", SYS_rename },       { "unlink", SYS_unlink }, { "fallocate", SYS_fallocate },
    { "ftruncate", SYS_ftruncate }, { "flock", SYS_flock },   { "mkdir", SYS_mkdir },
    { "mmap", SYS_mmap },           { "close", SYS_close },   { "clone", SYS_clone3 },
};
#define NAMES (sizeof call_names / sizeof *call_names)

static const struct {
    const char *name;
    int number;
} errors[] = {
    { "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT }, { "EIO", EIO },       { "EINTR", EINTR },
    { "EROFS", EROFS },   { "EACCES", EACCES }, { "EMFILE", EMFILE }, { "ENOLCK", ENOLCK },
    { "ENOMEM", ENOMEM }, { "EAGAIN", EAGAIN },
};

struct rule {
    long call[CALLS];
    unsigned ncalls;
    int error, signal;
    bool cut;
    long delay_ms;
    unsigned long first, every, seen; /* in calls; every 0: `first` alone */
};

static struct rule rule[RULES];
static unsigned nrules;

static void die(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, errno ? strerror(errno) : "makes no sense");
    exit(125);
}

/* == Rules == */

static void read_calls(struct rule *r, char *text)
{
    for (char *one; (one = strsep(&text, ",")) != NULL;) {
        size_t i = 0;

        while (i < NAMES && strcmp(call_names[i].name, one))
            i++;
        if (i == NAMES || r->ncalls == CALLS)
            die(one);
        r->call[r->ncalls++] = call_names[i].number;
    }
}

static void read_what(struct rule *r, const char *text)
{
    if (!strncmp(text, "error=", 6)) {
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
            if (!strcmp(errors[i].name, text + 6))
                r->error = errors[i].number;
        if (!r->error)
            die(text);
    } else if (!strncmp(text, "delay=", 6)) {
        r->delay_ms = atol(text + 6);
    } else if (!strncmp(text, "signal=", 7)) {
        r->signal = atoi(text + 7);
    } else if (!strcmp(text, "short")) {
        r->cut = true;
    } else if (strcmp(text, "count")) {
        die(text);
    }
}

static void read_when(struct rule *r, const char *text)
{
    char *end;

    r->first = strtoul(text, &end, 10);
    r->every = *end != '+' ? 0 : end[1] ? strtoul(end + 1, NULL, 10) : 1;
    if (!r->first)
        die(text);
}

static void read_rule(char *text)
{
    struct rule *r = &rule[nrules++];
    char *calls = strsep(&text, ":"), *what = strsep(&text, ":");

    if (nrules > RULES || !what)
        die("rule");
    read_calls(r, calls);
    read_what(r, what);
    read_when(r, text ? text : "1+");
}

/* == The command == */

static void install_filter(void)
{
    struct sock_filter f[4 + RULES * CALLS + 2];
    unsigned n = 0;
    struct sock_fprog program;

    f[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < nrules; i++)
        for (unsigned k = 0; k < rule[i].ncalls; k++) {
            f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                  (unsigned)rule[i].call[k], 0, 1);
            f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
            if (n + 3 > sizeof f / sizeof *f)
                die("too many calls");
        }
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program = (struct sock_fprog){ (unsigned short)n, f };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        die("seccomp");
}

static pid_t start(char **argv)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        die("ptrace");
    raise(SIGSTOP);
    install_filter();
    execvp(argv[0], argv);
    die(argv[0]);
    return -1;
}

/* == A call == */

static bool falls_due(struct rule *r)
{
    unsigned long nth = ++r->seen;

    if (nth < r->first)
        return false;
    return r->every ? (nth - r->first) % r->every == 0 : nth == r->first;
}

static void wait_ms(long ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&t, NULL);
}

static void apply(struct rule *r, pid_t thread, pid_t command, struct user_regs_struct *regs)
{
    if (r->delay_ms)
        wait_ms(r->delay_ms);
    if (r->signal)
        kill(command, r->signal);
    if (r->cut && regs->rdx > 1)
        regs->rdx /= 2;
    if (r->error) {
        regs->orig_rax = (unsigned long long)-1; /* not made */
        regs->rax = (unsigned long long)-r->error;
    }
    if (r->cut || r->error)
        ptrace(PTRACE_SETREGS, thread, NULL, regs);
}

static void at_call(pid_t thread, pid_t command)
{
    struct user_regs_struct regs;
    long call;

    if (ptrace(PTRACE_GETREGS, thread, NULL, &regs))
        return;
    call = (long)regs.orig_rax;
    if ((call == SYS_write || call == SYS_pwrite64) && regs.rdi <= 2)
        return;
    for (unsigned i = 0; i < nrules; i++)
        for (unsigned k = 0; k < rule[i].ncalls; k++)
            if (rule[i].call[k] == call && falls_due(&rule[i]))
                apply(&rule[i], thread, command, &regs);
}

/* == Following == */

static void tell_count(void)
{
    const char *path = getenv("INJECT_COUNT");
    FILE *out = path ? fopen(path, "w") : NULL;

    for (unsigned i = 0; out && i < nrules; i++)
        fprintf(out, "%lu\n", rule[i].seen);
    if (out)
        fclose(out);
}

/* Traces the command with its threads and children until it ends; returns its exit status, or 128 +
   signal. */
static int follow(pid_t command)
{
    for (;;) {
        int status, signal = 0;
        pid_t pid = waitpid(-1, &status, __WALL);

        if (pid < 0)
            die("waitpid");
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid != command)
                continue;
            tell_count();
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
            at_call(pid, command);
        else if (!(status >> 16) && WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP)
            signal = WSTOPSIG(status);
        ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal);
    }
}

int main(int argc, char **argv)
{
    int i = 1, status;
    pid_t command;

    errno = 0;
    for (; i < argc && strcmp(argv[i], "--"); i++)
        read_rule(argv[i]);
    if (i + 1 >= argc || !nrules)
        die("usage: inject CALL[,CALL]:WHAT[:WHEN] ... -- COMMAND...");
    command = start(argv + i + 1);
    if (command < 0 || waitpid(command, &status, 0) != command)
        die("fork");
    if (ptrace(PTRACE_SETOPTIONS, command, NULL,
               (void *)(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                        PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL)))
        die("ptrace");
    ptrace(PTRACE_CONT, command, NULL, NULL);
    return follow(command);
}
