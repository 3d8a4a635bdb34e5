/*
 * explore_client.c - asks `bareking explore`, as clients other than browsers do.
 *
 *      explore_client PORT get TARGET [METHOD [BODY]]     prints the status, and the body
 *                                                         (HOST=127.0.0.2: there, by that name)
 *      explore_client PORT raw                            sends stdin as it is, prints what comes
 *      explore_client PORT head                           likewise, prints status line and headers
 *      explore_client PORT slow SECONDS                   a byte of a request now and then, till it
 *                                                         is cut off; how long that took
 *      explore_client PORT load CLIENTS REQUESTS          targets from stdin, a line each, asked in
 *                                                         turn by so many at once; times of answers
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"

static unsigned port;
static const char *host = "127.0.0.1"; /* $HOST */

static void die(const char *what)
{
    fprintf(stderr, "explore_client: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int dial(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    struct timeval limit = { .tv_sec = 30 };
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    if (fd < 0 || inet_pton(AF_INET, host, &to.sin_addr) != 1 ||
        connect(fd, (struct sockaddr *)&to, sizeof to))
        die("connect");
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* Sends n bytes; false: the other side has closed. */
static bool put(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Reads one answer; returns its status, 0: none.  body: owned, ended; may be NULL. */
static int read_answer(int fd, char **body)
{
    size_t room = 4096, n = 0, length = 0, head = 0;
    char *text = malloc(room + 1);
    int status = 0;

    for (;;) {
        ssize_t got;
        char *end;

        if (n == room && !(text = realloc(text, (room *= 2) + 1)))
            die("memory");
        got = recv(fd, text + n, room - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
        text[n] = 0;
        if (!head && (end = strstr(text, "\r\n\r\n"))) {
            char *field = strcasestr(text, "\r\nContent-Length:");

            head = (size_t)(end - text) + 4;
            length = field && field < end ? strtoull(field + 17, NULL, 10) : 0;
            sscanf(text, "HTTP/1.%*d %d", &status);
        }
        if (head && n >= head + length)
            break;
    }
    if (body)
        *body = strdup(head ? (text[n] = 0, text + head) : "");
    free(text);
    return status;
}

static int get(const char *target, const char *method, const char *with)
{
    size_t room = strlen(target) + strlen(with) + 256;
    char *request = malloc(room), *body;
    int fd = dial(), n = snprintf(request, room, "%s %s HTTP/1.1\r\nHost: %s:%u\r\n", method,
                                  target, getenv("HOST") ? host : "localhost", port);

    if (*with)
        n += snprintf(request + n, room - (size_t)n, "Content-Length: %zu\r\n", strlen(with));
    n += snprintf(request + n, room - (size_t)n, "Connection: close\r\n\r\n%s", with);
    put(fd, request, (size_t)n);
    printf("%d ", read_answer(fd, &body));
    printf("%s\n", body);
    free(body);
    free(request);
    close(fd);
    return 0;
}

static int raw(void)
{
    static char bytes[1 << 20];
    size_t n = fread(bytes, 1, sizeof bytes, stdin);
    int fd = dial();
    char *body;

    put(fd, bytes, n);
    printf("%d", read_answer(fd, &body));
    printf(" %s\n", body);
    free(body);
    close(fd);
    return 0;
}

/* Reads until the server closes the connection, as the request on stdin must ask. */
static int head(void)
{
    static char bytes[1 << 20];
    size_t n = fread(bytes, 1, sizeof bytes - 1, stdin);
    int fd = dial();
    ssize_t got;
    char *end;

    put(fd, bytes, n);
    for (n = 0; (got = recv(fd, bytes + n, sizeof bytes - 1 - n, 0)) > 0;)
        n += (size_t)got;
    close(fd);
    bytes[n] = 0;
    end = strstr(bytes, "\r\n\r\n");
    printf("%.*s\n", end ? (int)(end - bytes) : 0, bytes);
    return end == NULL;
}

/* Sends a request that is never idle for long and never complete. */
static int slow(double seconds)
{
    int fd = dial(), status;
    double from = bk_now_seconds();
    char *body;

    put(fd, "GET / HTTP/1.1\r\n", 16);
    while (bk_now_seconds() - from < seconds) {
        char peek;

        if (recv(fd, &peek, 1, MSG_DONTWAIT | MSG_PEEK) >= 0)
            break;
        if (!put(fd, "X-A: b\r\n", 8))
            break;
        usleep(200000);
    }
    status = read_answer(fd, &body);
    printf("%d after %.0f s %s\n", status, bk_now_seconds() - from, body);
    free(body);
    close(fd);
    return 0;
}

/* == Load == */

static char **target;
static size_t ntargets, nrequests;
static double *took;
static size_t next_request, bad;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *client(void *context)
{
    int fd = dial();

    (void)context;
    for (;;) {
        char request[4096];
        double from;
        size_t i;
        int status;

        pthread_mutex_lock(&lock);
        i = next_request++;
        pthread_mutex_unlock(&lock);
        if (i >= nrequests)
            break;
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 target[i % ntargets]);
        from = bk_now_seconds();
        status = put(fd, request, strlen(request)) ? read_answer(fd, NULL) : 0;
        took[i] = bk_now_seconds() - from;
        if (status != 200) {
            pthread_mutex_lock(&lock);
            bad++;
            fprintf(stderr, "%d: %s\n", status, target[i % ntargets]);
            pthread_mutex_unlock(&lock);
        }
    }
    close(fd);
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static int load(unsigned clients)
{
    pthread_t thread[64];
    char line[4096];
    double from;

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        target = realloc(target, (ntargets + 1) * sizeof *target);
        target[ntargets++] = strdup(line);
    }
    took = calloc(nrequests, sizeof *took);
    from = bk_now_seconds();
    for (unsigned i = 0; i < clients; i++)
        if (pthread_create(&thread[i], NULL, client, NULL))
            die("thread");
    for (unsigned i = 0; i < clients; i++)
        pthread_join(thread[i], NULL);
    from = bk_now_seconds() - from;
    qsort(took, nrequests, sizeof *took, by_size);
    printf("%zu requests, %u clients: %zu errors, %.0f a second, median %.2f ms, p99 %.2f ms, "
           "longest %.2f ms\n",
           nrequests, clients, bad, (double)nrequests / from, 1e3 * took[nrequests / 2],
           1e3 * took[nrequests * 99 / 100], 1e3 * took[nrequests - 1]);
    return bad != 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3) {
        port = (unsigned)atoi(argv[1]);
        host = getenv("HOST") ? getenv("HOST") : host;
        if (argc >= 4 && !strcmp(argv[2], "get"))
            return get(argv[3], argc > 4 ? argv[4] : "GET", argc > 5 ? argv[5] : "");
        if (!strcmp(argv[2], "raw"))
            return raw();
        if (!strcmp(argv[2], "head"))
            return head();
        if (argc == 4 && !strcmp(argv[2], "slow"))
            return slow(atof(argv[3]));
        if (argc == 5 && !strcmp(argv[2], "load") && atoi(argv[3]) <= 64) {
            nrequests = (size_t)atol(argv[4]);
            return load((unsigned)atoi(argv[3]));
        }
    }
    fprintf(stderr, "usage: explore_client PORT get|raw|head|slow|load ...\n");
    return 2;
}
