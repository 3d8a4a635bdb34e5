/* fetch.c - see fetch.h. */
#include "cli/fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore/library.h"
#include "probe/bareking.h"

#define PIECE     (1u << 18)
#define REDIRECTS 5L
#define CONNECT   15L        /* seconds */
#define LEAST     256L       /* bytes a second: less is a stall */
#define WORDS     (1u << 16) /* of a page that says why there is no file */

/* == A folder == */

static enum fetch_end copy(int in, const struct fetch_sink *sink, const char *path,
                           struct bk_report *why)
{
    enum fetch_end end = FETCH_WHOLE;
    char *piece = malloc(PIECE);
    ssize_t n = 1;

    if (!piece) {
        bk_no_memory(why);
        return FETCH_FAILED;
    }
    while (end == FETCH_WHOLE && n) {
        n = read(in, piece, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            bk_report_write(why, "%s: %s", path, strerror(errno));
            end = FETCH_REFUSED;
        } else if (n > 0 && (!sink->put(sink->context, piece, (size_t)n) ||
                             (sink->tick && !sink->tick(sink->context)))) {
            end = FETCH_ENDED;
        }
    }
    free(piece);
    return end;
}

static enum fetch_end from_folder(const struct fetch *f, const char *name, uint64_t from,
                                  const struct fetch_sink *sink, struct bk_report *why)
{
    enum fetch_end end = FETCH_REFUSED;
    char path[PATH_MAX];
    struct stat st;
    int in;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", f->base, name) >= sizeof path)
        *path = 0;                                      /* no file has this name */
    in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is not waited for */
    if (in < 0) {
        bk_report_write(why, "%s: %s", path, strerror(errno));
        return bk_not_there(errno) ? FETCH_NONE : FETCH_REFUSED;
    }
    if (fstat(in, &st) || !S_ISREG(st.st_mode))
        bk_report_write(why, "%s: no file", path);
    else if (from > (uint64_t)st.st_size)
        end = FETCH_RANGE;
    else if (lseek(in, (off_t)from, SEEK_SET) < 0)
        bk_report_write(why, "%s: %s", path, strerror(errno));
    else
        end = sink->begin(sink->context, from) ? copy(in, sink, path, why) : FETCH_ENDED;
    close(in);
    return end;
}

/* == A server == */

/* As in curl.h, without curl_. */
struct fetch_curl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_reset) *easy_reset;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_perform) *easy_perform;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    CURL *easy;
};

static const struct ex_function functions[] = {
    { "curl_global_init", offsetof(struct fetch_curl, global_init) },
    { "curl_easy_init", offsetof(struct fetch_curl, easy_init) },
    { "curl_easy_reset", offsetof(struct fetch_curl, easy_reset) },
    { "curl_easy_setopt", offsetof(struct fetch_curl, easy_setopt) },
    { "curl_easy_perform", offsetof(struct fetch_curl, easy_perform) },
    { "curl_easy_getinfo", offsetof(struct fetch_curl, easy_getinfo) },
    { "curl_easy_strerror", offsetof(struct fetch_curl, easy_strerror) },
    { "curl_easy_cleanup", offsetof(struct fetch_curl, easy_cleanup) },
};

static enum bk_err load_curl(struct fetch_curl *out, struct bk_report *why)
{
    /* Debian has it with OpenSSL, and with GnuTLS; the interface is the same */
    static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", NULL };
    enum bk_err err = ex_library_load(out, names, functions, sizeof functions / sizeof functions[0],
                                      "pull", "libcurl", why);

    if (!err && (out->global_init(CURL_GLOBAL_DEFAULT) || !(out->easy = out->easy_init())))
        err = bk_fail(why, BK_E_SYSTEM, "libcurl does not start");
    return err;
}

/* A file under way. */
struct transfer {
    struct fetch *f;
    const struct fetch_sink *sink;
    uint64_t from;
    uint64_t range; /* where the bytes stand, as the server says; UINT64_MAX: it does not */
    bool begun, ended, wrong_range;
    size_t words; /* bytes of an answer that is not the file */
};

static long code_of(const struct fetch *f)
{
    long code = 0;

    f->curl->easy_getinfo(f->curl->easy, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

/* Takes a line of a header: "Content-Range: bytes 100-199/200". */
static size_t take_header(char *line, size_t size, size_t n, void *context)
{
    static const char name[] = "content-range:";
    struct transfer *t = context;
    char text[64];
    size_t skip = sizeof name - 1;

    if (n >= 5 && !strncasecmp(line, "HTTP/", 5)) /* another answer begins */
        t->range = UINT64_MAX;
    if (n <= skip || strncasecmp(line, name, skip) != 0)
        return size * n;
    snprintf(text, sizeof text, "%.*s", (int)(n - skip), line + skip);
    skip = strspn(text, " \t");
    if (!strncasecmp(text + skip, "bytes ", 6) && strspn(text + skip + 6, "0123456789"))
        t->range = strtoull(text + skip + 6, NULL, 10);
    return size * n;
}

/* Tells the sink where the bytes stand. */
static bool begin(struct transfer *t, long code)
{
    uint64_t from = code == 206 ? t->range : 0;

    t->begun = true;
    t->wrong_range = from != 0 && from != t->from;
    if (t->wrong_range)
        return false;
    t->ended = !t->sink->begin(t->sink->context, from);
    return !t->ended;
}

static size_t take_bytes(char *bytes, size_t size, size_t n, void *context)
{
    struct transfer *t = context;
    long code = code_of(t->f);

    n *= size;
    if (code != 200 && code != 206) {
        t->words += n;
        return t->words <= WORDS ? n : 0;
    }
    if (!t->begun && !begin(t, code))
        return 0;
    t->ended = !t->sink->put(t->sink->context, bytes, n);
    return t->ended ? 0 : n;
}

static int take_tick(void *context, curl_off_t down, curl_off_t now, curl_off_t up, curl_off_t sent)
{
    struct transfer *t = context;

    (void)down, (void)now, (void)up, (void)sent;
    if (t->sink->tick && !t->sink->tick(t->sink->context))
        t->ended = true;
    return t->ended;
}

/* Writes BASE/name with what is no letter of an address as %XX. */
static bool write_url(char out[PATH_MAX], const char *base, const char *name)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    int n = snprintf(out, PATH_MAX, "%s/", base);

    for (; *name && n + 4 < PATH_MAX; name++)
        n += sprintf(out + n, strchr(plain, *name) ? "%c" : "%%%02X", (unsigned char)*name);
    return !*name;
}

/* Sets what every transfer has.  False: this libcurl knows something of it not. */
static bool set_up(struct transfer *t, const char *url, char *error)
{
    const struct fetch_curl *c = t->f->curl;
    const char *may = strncasecmp(url, "https:", 6) ? "http,https" : "https";
    unsigned version = bk_lib_version();
    char agent[64], range[32];
    bool good;

    c->easy_reset(c->easy);
    snprintf(agent, sizeof agent, "bareking/%u.%u.%u", version >> 16, version >> 8 & 255,
             version & 255);
    snprintf(range, sizeof range, "%llu-", (unsigned long long)t->from);
    /* of 7.85: without these a server could lead to file:// */
    good = !c->easy_setopt(c->easy, CURLOPT_PROTOCOLS_STR, may) &&
           !c->easy_setopt(c->easy, CURLOPT_REDIR_PROTOCOLS_STR, may);
    good &= !c->easy_setopt(c->easy, CURLOPT_URL, url) &&
            !c->easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L) &&
            !c->easy_setopt(c->easy, CURLOPT_FOLLOWLOCATION, 1L) &&
            !c->easy_setopt(c->easy, CURLOPT_MAXREDIRS, REDIRECTS) &&
            !c->easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT, CONNECT) &&
            !c->easy_setopt(c->easy, CURLOPT_LOW_SPEED_LIMIT, LEAST) &&
            !c->easy_setopt(c->easy, CURLOPT_LOW_SPEED_TIME, t->f->stall) &&
            !c->easy_setopt(c->easy, CURLOPT_USERAGENT, agent) &&
            !c->easy_setopt(c->easy, CURLOPT_ERRORBUFFER, error) &&
            !c->easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, take_bytes) &&
            !c->easy_setopt(c->easy, CURLOPT_WRITEDATA, t) &&
            !c->easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, take_header) &&
            !c->easy_setopt(c->easy, CURLOPT_HEADERDATA, t) &&
            !c->easy_setopt(c->easy, CURLOPT_NOPROGRESS, 0L) &&
            !c->easy_setopt(c->easy, CURLOPT_XFERINFOFUNCTION, take_tick) &&
            !c->easy_setopt(c->easy, CURLOPT_XFERINFODATA, t);
    return good && (!t->from || !c->easy_setopt(c->easy, CURLOPT_RANGE, range));
}

/* What an answer means. */
static enum fetch_end end_of_answer(const struct transfer *t, const char *url, long code,
                                    struct bk_report *why)
{
    if (code == 200 || code == 206) {
        bk_report_write(why, "%s: another part was sent than the one asked for", url);
        return t->wrong_range ? FETCH_RANGE : FETCH_WHOLE;
    }
    bk_report_write(why, "%s: the server says %ld", url, code);
    if (code == 404 || code == 410)
        return FETCH_NONE;
    if (code == 416)
        return FETCH_RANGE;
    return code == 408 || code == 429 || code >= 500 ? FETCH_CUT : FETCH_REFUSED;
}

/* What an error means. */
static enum fetch_end end_of_error(const struct transfer *t, CURLcode error, long code)
{
    switch ((int)error) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_COULDNT_CONNECT: return t->f->worked ? FETCH_CUT : FETCH_FAILED;
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_WEIRD_SERVER_REPLY: return FETCH_CUT;
    case CURLE_UNSUPPORTED_PROTOCOL: return code ? FETCH_REFUSED : FETCH_CUT; /* led to; no HTTP */
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_OUT_OF_MEMORY: return FETCH_FAILED;
    default: return FETCH_REFUSED;
    }
}

static enum fetch_end from_server(struct fetch *f, const char *name, uint64_t from,
                                  const struct fetch_sink *sink, struct bk_report *why)
{
    struct transfer t = { .f = f, .sink = sink, .from = from, .range = UINT64_MAX };
    char url[PATH_MAX], error[CURL_ERROR_SIZE] = "";
    CURLcode got;
    long code;

    if (!write_url(url, f->base, name)) {
        bk_report_write(why, "%s: the address is too long", f->base);
        return FETCH_FAILED;
    }
    if (!set_up(&t, url, error)) {
        bk_report_write(why, "pull needs libcurl 7.85 or later");
        return FETCH_FAILED;
    }
    got = f->curl->easy_perform(f->curl->easy);
    code = code_of(f);
    f->worked |= code != 0;
    if (!got && (code == 200 || code == 206) && !t.begun) /* it has no bytes */
        begin(&t, code);
    if (t.ended)
        return FETCH_ENDED;
    if (!got || t.wrong_range || t.words > WORDS)
        return end_of_answer(&t, url, code, why);
    bk_report_write(why, "%s: %s", url, *error ? error : f->curl->easy_strerror(got));
    return end_of_error(&t, got, code);
}

/* == Both == */

/* Is a source the address of a server? */
static bool is_url(const char *source) { return strstr(source, "://") != NULL; }

static enum bk_err open_url(struct fetch *f, const char *url, struct bk_report *why)
{
    size_t n = strlen(url);

    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return bk_fail(why, BK_E_USAGE, "%s: neither http:// nor https://", url);
    if (url[strcspn(url, "?# \t")])
        return bk_fail(why, BK_E_USAGE, "%s: an address without `?`, `#` and blanks is wanted",
                       url);
    while (n && url[n - 1] == '/')
        n--;
    if (n + NAME_MAX >= sizeof f->base)
        return bk_fail(why, BK_E_USAGE, "the address is too long");
    snprintf(f->base, sizeof f->base, "%.*s", (int)n, url);
    f->curl = calloc(1, sizeof *f->curl);
    return f->curl ? load_curl(f->curl, why) : bk_no_memory(why);
}

enum bk_err fetch_open(struct fetch *f, const char *source, double patience, struct bk_report *why)
{
    struct stat st;
    enum bk_err err;

    *f = (struct fetch){ .stall = patience < 1 ? 1 : (long)patience };
    if (is_url(source)) {
        err = open_url(f, source, why);
        if (err)
            fetch_close(f);
        return err;
    }
    f->folder = true;
    if ((size_t)snprintf(f->base, sizeof f->base, "%s", source) >= sizeof f->base)
        return bk_fail(why, BK_E_USAGE, "the folder's path is too long");
    if (stat(source, &st))
        return bk_fail(why, bk_not_there(errno) ? BK_E_NO_TABLE : BK_E_SYSTEM, "%s: %s", source,
                       strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return bk_fail(why, BK_E_USAGE, "%s: no folder", source);
    return BK_OK;
}

bool fetch_enter(struct fetch *f, const char *below)
{
    size_t n = strlen(f->base);

    return (size_t)snprintf(f->base + n, sizeof f->base - n, "/%s", below) < sizeof f->base - n;
}

void fetch_close(struct fetch *f)
{
    if (f->curl && f->curl->easy)
        f->curl->easy_cleanup(f->curl->easy);
    free(f->curl);
    f->curl = NULL;
}

enum fetch_end fetch_file(struct fetch *f, const char *path, uint64_t from,
                          const struct fetch_sink *sink, struct bk_report *why)
{
    return f->folder ? from_folder(f, path, from, sink, why)
                     : from_server(f, path, from, sink, why);
}
