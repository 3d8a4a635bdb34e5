/*
 * fuzz_explore.c - "TARGET\nBODY": a request to `bareking explore`, from anybody who can reach the
 * server.  A target that can be read, written again, reads the same; every request has an answer
 * with a status that docs/explore.md lists.  There are no tables here.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/api.h"
#include "explore/headers.h"
#include "explore/query.h"
#include "tests/fuzz/fuzz.h"

static void read_and_write(const char *target)
{
    static char again[3 * EX_TARGET_MAX + 2];
    struct ex_query q, r;
    const char *why = NULL;

    if (ex_query_read(&q, target, &why)) {
        FUZZ_CHECK(why && *why);
        return;
    }
    FUZZ_CHECK(q.nparts <= EX_PARTS_MAX && q.nargs <= EX_ARGS_MAX);
    for (unsigned i = 0; i < q.nparts; i++)
        FUZZ_CHECK(*q.part[i] && !strpbrk(q.part[i], "/\\") && strcmp(q.part[i], "..") != 0);
    ex_query_write(&q, again);
    if (strlen(again) > EX_TARGET_MAX) /* escapes take more room than what they stand for */
        return;
    FUZZ_CHECK(!ex_query_read(&r, again, &why));
    FUZZ_CHECK(r.nparts == q.nparts && r.nargs == q.nargs);
    for (unsigned i = 0; i < q.nparts; i++)
        FUZZ_CHECK(!strcmp(r.part[i], q.part[i]));
    for (unsigned i = 0; i < q.nargs; i++)
        FUZZ_CHECK(!strcmp(r.arg[i].key, q.arg[i].key) && !strcmp(r.arg[i].value, q.arg[i].value));
}

/* A target in absolute form becomes a path, one that is a path stays it. */
static void strip_host(const char *target)
{
    char *path = strdup(target), *authority = NULL;

    FUZZ_CHECK(path && ex_target_path(path, &authority));
    FUZZ_CHECK(authority ? *path == '/' && !strpbrk(authority, "/?#") : !strcmp(path, target));
    free(path);
    free(authority);
}

static void ask(const char *method, const char *target, const char *body)
{
    static struct ex_games games;
    struct ex_reply reply;
    struct bk_report why;

    if (!games.n)
        FUZZ_CHECK(!ex_games_open(&games, "/nonexistent", 0, NULL, 0, &why));
    ex_api(&games, method, target, body, body ? strlen(body) : 0, &reply);
    FUZZ_CHECK(reply.status == 200 || reply.status == 400 || reply.status == 404 ||
               reply.status == 405 || reply.status == 414 || reply.status == 503);
    FUZZ_CHECK(reply.body && reply.n && reply.type);
    ex_reply_release(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = fuzz_text(bytes, n), *body = text;
    char *target = fuzz_line(&body);

    read_and_write(target);
    strip_host(target);
    ask("GET", target, NULL);
    if (*body)
        ask("POST", target, body);
    free(text);
    return 0;
}
