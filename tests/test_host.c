/*
 * test_host.c - tables whose bytes a host brings, when it can: struct bk_host.
 *
 * The host of these tests has files, and hands out only the bytes that have been brought: at first
 * none, or the heads alone, as a web page has them from a list.  A question is answered "needs
 * bytes" until all bytes that it needs have come.
 *
 * Oracle: the same questions asked of the folder.
 *
 *     HOST_DIR=DIR HOST_GAME=shatranj HOST_MATERIAL=KQQvKQ test_host     rounds and bytes of tables
 *     HOST_N=10, HOST_SEED=1, HOST_MODELS=1 (models are there)           at hand, to look at;
 *     HOST_LOST=1 (lost positions alone, not their moves), HOST_READS=1  each range that is brought
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "core/load.h"
#include "core/move.h"
#include "probe/bareking.h"
#include "table/format.h"
#include "table/readers.h"
#include "table/material.h"
#include "tests/handle.h"
#include "tests/lines.h"

#define FILES  128
#define RANGES 8192
#define EACH   5   /* positions a line */
#define ROUNDS 40  /* nothing may take more */
#define HEAD   200 /* bytes that a list has of each file: a head, nearly always */
#define MOVES  512

struct file {
    char path[4400];
    uint8_t *data, *here; /* owned; here: by byte, has it been brought? */
    int64_t bytes;        /* -1: no such file */
    bool known;           /* the host has told whether the file exists */
};

struct host {
    const char *folder;
    bool heads;                      /* sizes and heads are there from the beginning */
    const struct bk_variant *models; /* the files' game: models are there, too; or NULL */
    pthread_mutex_t lock;
    struct file file[FILES];
    unsigned nfiles;
    uint64_t brought, requests;
    bool broken, tells;
};

/* == A host == */

static void file_read(struct file *f, const char *folder, const char *path)
{
    char full[9000];
    FILE *in;

    snprintf(f->path, sizeof f->path, "%s", path);
    snprintf(full, sizeof full, "%s%s", folder, strchr(path, '/'));
    f->bytes = -1;
    if (!(in = fopen(full, "rb")))
        return;
    fseek(in, 0, SEEK_END);
    f->bytes = ftell(in);
    rewind(in);
    f->data = malloc((size_t)f->bytes + 1);
    f->here = calloc((size_t)f->bytes + 1, 1);
    assert_true(f->data && f->here && fread(f->data, 1, (size_t)f->bytes, in) == (size_t)f->bytes);
    fclose(in);
}

/* Returns the bytes of a file before its shards. */
static int64_t models_end(const struct host *h, const struct file *f)
{
    char full[9000];
    struct bk_file *file;
    struct bk_unit_info unit;
    int64_t end = f->bytes;

    snprintf(full, sizeof full, "%s%s", h->folder, strchr(f->path, '/'));
    assert_int_equal(bk_file_open(&file, full, h->models, NULL), BK_OK);
    for (unsigned i = 0; i < bk_file_info(file)->nunits; i++) {
        assert_int_equal(bk_file_unit(file, i, &unit, NULL), BK_OK);
        end -= (int64_t)unit.shard_bytes;
    }
    bk_file_close(file);
    return end;
}

/* Returns the file of a path, read at first use.  Call it with the lock held. */
static struct file *file_of(struct host *h, const char *path)
{
    struct file *f = h->file;

    for (; f < h->file + h->nfiles; f++)
        if (!strcmp(f->path, path))
            return f;
    assert_true(h->nfiles < FILES);
    h->nfiles++;
    file_read(f, h->folder, path);
    if (h->heads) {
        f->known = true;
        if (f->bytes >= 0)
            memset(f->here, 1,
                   (size_t)(h->models         ? models_end(h, f)
                            : f->bytes < HEAD ? f->bytes
                                              : HEAD));
    }
    return f;
}

static int64_t size(void *context, const char *path)
{
    struct host *h = context;
    struct file *f;
    int64_t bytes;

    pthread_mutex_lock(&h->lock);
    f = file_of(h, path);
    bytes = h->broken ? BK_LIB_BROKEN : !f->known ? BK_LIB_LATER : f->bytes;
    pthread_mutex_unlock(&h->lock);
    return bytes < 0 && bytes == -1 ? BK_LIB_NONE : bytes;
}

static int reads(void *context, const char *path, uint64_t at, void *to, size_t bytes)
{
    struct host *h = context;
    struct file *f;
    bool here = true;

    pthread_mutex_lock(&h->lock);
    f = file_of(h, path);
    assert_true(f->bytes >= 0 && at + bytes <= (uint64_t)f->bytes); /* nobody asks past the end */
    for (size_t i = 0; here && i < bytes; i++)
        here = f->here[at + i];
    if (here)
        memcpy(to, f->data + at, bytes);
    pthread_mutex_unlock(&h->lock);
    return h->broken ? BK_LIB_BROKEN : here ? BK_LIB_HOST_OK : BK_LIB_LATER;
}

/* Brings all ranges that the library has noted as needed; returns their number. */
static size_t bring(struct host *h, struct bk_lib *lib)
{
    static struct bk_range range[RANGES];
    size_t n;

    assert_int_equal(bk_take_needs(lib, range, RANGES, &n), BK_LIB_OK);
    assert_true(n <= RANGES);
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < n; i++) {
        struct file *f = file_of(h, range[i].path);
        uint64_t end = range[i].at + range[i].bytes;

        if (i && range[i].path == range[i - 1].path)
            assert_true(range[i].at > range[i - 1].at + range[i - 1].bytes); /* joined, sorted */
        f->known = true;
        h->requests++;
        if (f->bytes < 0)
            continue;
        if (end > (uint64_t)f->bytes)
            end = (uint64_t)f->bytes;
        h->brought += end - range[i].at;
        if (h->tells)
            printf("    %-30s %9llu at %llu\n", range[i].path,
                   (unsigned long long)(end - range[i].at), (unsigned long long)range[i].at);
        memset(f->here + range[i].at, 1, end - range[i].at);
    }
    pthread_mutex_unlock(&h->lock);
    return n;
}

static struct host *host_new(const char *folder, bool heads)
{
    struct host *h = calloc(1, sizeof *h);

    assert_non_null(h);
    h->folder = folder;
    h->heads = heads;
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

static void host_free(struct host *h)
{
    for (unsigned i = 0; i < h->nfiles; i++) {
        free(h->file[i].data);
        free(h->file[i].here);
    }
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static struct bk_lib *lib_on(struct host *h, const char *game)
{
    const struct bk_host asked = { sizeof asked, h, size, reads };
    const struct bk_options o = { .struct_size = sizeof o, .paths = "far", .host = &asked };

    return lib_with(game, &o);
}

/* == Questions == */

/* Asks until it is answered; *rounds: how often bytes were brought. */
static enum bk_lib_err probe(struct bk_lib *lib, struct host *h, const char *fen,
                             struct bk_answer *out, unsigned *rounds)
{
    enum bk_lib_err err;

    for (*rounds = 0; (err = bk_probe_fen(lib, fen, out)) == BK_LIB_NEEDS_BYTES; ++*rounds) {
        assert_true(*rounds < ROUNDS);
        assert_true(bring(h, lib) > 0);
    }
    return err;
}

static enum bk_lib_err rank(struct bk_lib *lib, struct host *h, const char *fen,
                            struct bk_lib_ranked *out, size_t *n, unsigned *rounds)
{
    enum bk_lib_err err;

    for (*rounds = 0;
         (err = bk_rank_moves_fen(lib, fen, 0, 0, out, MOVES, n)) == BK_LIB_NEEDS_BYTES;
         ++*rounds) {
        assert_true(*rounds < ROUNDS);
        assert_true(bring(h, lib) > 0);
    }
    return err;
}

static void same_moves(const struct line *l, struct bk_lib *far, struct host *h, const char *fen,
                       unsigned *rounds)
{
    static struct bk_lib_ranked a[MOVES], b[MOVES];
    size_t n = 0, m = 0;
    enum bk_lib_err err = bk_rank_moves_fen(l->lib, fen, 0, 0, a, MOVES, &n);

    memset(a + n, 0, sizeof *a);
    assert_int_equal(rank(far, h, fen, b, &m, rounds), err);
    assert_int_equal(m, n);
    assert_true(m < MOVES);
    for (size_t i = 0; i < n; i++)
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].err != b[i].err || a[i].wdl != b[i].wdl ||
            a[i].dtw != b[i].dtw || a[i].end != b[i].end || a[i].keeps != b[i].keeps)
            fail_msg("%s: %s %+d %d, or %s %+d %d", fen, a[i].name, a[i].wdl, a[i].dtw, b[i].name,
                     b[i].wdl, b[i].dtw);
}

enum begins { WITH_NOTHING, WITH_HEADS, WITH_MODELS, BEGINS };

/* What questions of one kind have taken. */
static struct taken {
    unsigned most, rounds; /* rounds: of one question; of all */
    uint64_t bytes;
} probes[BEGINS], ranks[BEGINS];

/* Adds to what has been taken; to the sums only of games that the limits below know. */
static void add(struct taken *t, const struct line *l, unsigned rounds, const struct host *h)
{
    static const char games[] = " atlantean atlantean-commoner atlantean-double atlantean-jumper "
                                "chess darwinian grand-shatranj grand-shatranj-double "
                                "grand-shatranj-gilded grand-shatranj-gilded22 "
                                "grand-shatranj-rook puzzle puzzle-hands puzzle-mini shatranj "
                                "sultan sultan-random ";
    char name[80];

    if (l->counts) /* the model foretells nothing of five results, which come in more rounds */
        return;
    t->most = rounds > t->most ? rounds : t->most;
    snprintf(name, sizeof name, " %s ", l->base->name);
    if (!strstr(games, name))
        return;
    t->rounds += rounds;
    t->bytes += h->brought;
}

/* Asks for a position, then for its moves, each with a new host, so that all rounds are counted. */
static void same_as_folder(struct line *l, const char *fen, enum begins with)
{
    struct host *h = host_new(l->folder, with > WITH_NOTHING);
    struct bk_lib *far = lib_on(h, l->game);
    struct bk_answer a, b;
    unsigned rounds;
    enum bk_lib_err err = bk_probe_fen(l->lib, fen, &a);

    h->models = with == WITH_MODELS ? l->v : NULL;
    assert_int_equal(probe(far, h, fen, &b, &rounds), err);
    if (!err && memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%s: %+d in %d, or %+d in %d", fen, a.wdl, a.dtw, b.wdl, b.dtw);
    add(&probes[with], l, rounds, h);
    bk_close(far); /* the moves are asked of a new host */
    host_free(h);
    h = host_new(l->folder, with > WITH_NOTHING);
    h->models = with == WITH_MODELS ? l->v : NULL;
    far = lib_on(h, l->game);
    same_moves(l, far, h, fen, &rounds);
    add(&ranks[with], l, rounds, h);
    bk_close(far);
    host_free(h);
}

static void ask_line(struct line *l)
{
    uint64_t seed = 11;
    struct bk_pos p;

    for (unsigned i = 0; i < EACH && lines_position(&p, l->v, &l->m, &seed); i++) {
        char fen[BK_FEN_MAX];

        bk_pos_to_fen(&p, l->v, fen);
        for (int with = WITH_NOTHING; with < BEGINS; with++)
            same_as_folder(l, fen, (enum begins)with);
    }
}

/* In all no more may be taken than when this was written: bytes that nobody needs and rounds that
   could be spared change no answer, so that nothing else finds them (foresee.h).  A thousandth more
   bytes is no fault. */
static const struct {
    const char *with;
    struct taken probes, ranks;
} enough[BEGINS] = {
    [WITH_NOTHING] = { "nothing", { 3, 171, 687854 }, { 3, 169, 904770 } },
    [WITH_HEADS] = { "heads", { 4, 203, 375431 }, { 3, 223, 580117 } },
    [WITH_MODELS] = { "models", { 2, 90, 269648 }, { 2, 113, 445136 } },
};

static void no_more_than(const struct taken *most, const struct taken *t, const char *with,
                         const char *what)
{
    print_message("with %s: %s in %u rounds at most, %u in all, %llu bytes\n", with, what, t->most,
                  t->rounds, (unsigned long long)t->bytes);
    assert_in_range(t->most, 1, most->most);
    assert_in_range(t->rounds, 1, most->rounds);
    assert_in_range(t->bytes, 1, most->bytes + most->bytes / 1000);
}

static void host__answers_as_the_folder_does_in_every_game(void **state)
{
    (void)state;
    assert_true(lines_each(ask_line) > 0);
    for (unsigned with = 0; with < BEGINS; with++) {
        no_more_than(&enough[with].probes, &probes[with], enough[with].with, "positions");
        no_more_than(&enough[with].ranks, &ranks[with], enough[with].with, "their moves");
    }
}

#define KPVK  "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1"
#define GAMES "tests/golden/normal"

static void host__is_not_remembered_as_having_nothing(void **state)
{
    struct host *h = host_new(GAMES, false);
    struct bk_lib *lib = lib_on(h, "chess");
    struct bk_answer a;
    struct bk_range range[5];
    size_t n;
    unsigned rounds;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_NEEDS_BYTES);
    assert_non_null(strstr(bk_error(lib), "KPvK"));
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_NEEDS_BYTES);
    assert_int_equal(bk_take_needs(lib, NULL, 0, &n), BK_LIB_OK); /* counts them, takes none */
    assert_true(n >= 4);                                          /* all files of its table */
    assert_int_equal(bk_take_needs(lib, range, 1, &n), BK_LIB_OK);
    assert_string_equal(range[0].path, "far/chess/KPvK.bk5");
    assert_int_equal(range[0].at, 0);
    assert_int_equal(bk_take_needs(lib, range, 5, &n), BK_LIB_OK);
    assert_string_equal(range[0].path, "far/chess/KPvK.bkd");
    assert_string_equal(range[1].path, "far/chess/KPvK.bkw");
    assert_string_equal(range[2].path, "far/chess/KPvK.bkz");
    assert_int_equal(probe(lib, h, KPVK, &a, &rounds), BK_LIB_OK);
    assert_int_equal(a.wdl, 0);
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_OK); /* the library keeps the bytes */
    bk_close(lib);
    host_free(h);
}

/* With the models there, the library asks for what they make likely: fewer bytes and rounds. */
static void host__is_spared_what_models_foretell(void **state)
{
    struct bk_variant *v;
    struct host *h = host_new(GAMES, true);
    struct bk_lib *lib = lib_on(h, "chess");
    struct bk_range range[8];
    struct bk_answer a;
    unsigned rounds;
    size_t n;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "chess", NULL), BK_OK);
    h->models = v;
    assert_int_equal(bk_probe_fen(lib, "8/8/8/4K3/8/P2k4/8/8 w - - 0 1", &a), BK_LIB_NEEDS_BYTES);
    assert_int_equal(bk_take_needs(lib, range, 8, &n), BK_LIB_OK);
    assert_int_equal(n, 1); /* a draw: no distances */
    assert_string_equal(range[0].path, "far/chess/KPvK.bkw");
    bk_close(lib);
    lib = lib_on(h, "chess");
    assert_int_equal(probe(lib, h, "6k1/8/7K/8/6P1/8/8/8 b - - 0 1", &a, &rounds), BK_LIB_OK);
    assert_int_equal(a.wdl, -1);
    assert_int_equal(rounds, 1);
    bk_close(lib);
    host_free(h);
    bk_variant_free(v);
}

static void host__who_fails_may_be_asked_again(void **state)
{
    struct host *h = host_new(GAMES, true);
    struct bk_lib *lib = lib_on(h, "chess");
    struct bk_answer a;
    unsigned rounds;

    (void)state;
    h->broken = true;
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_SYSTEM);
    h->broken = false;
    assert_int_equal(probe(lib, h, KPVK, &a, &rounds), BK_LIB_OK);
    h->broken = true;
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_OK); /* it is in memory */
    bk_close(lib);
    host_free(h);
}

static void host__without_a_table_says_which_are_missing(void **state)
{
    struct host *h = host_new(GAMES, false);
    struct bk_lib *lib = lib_on(h, "chess");
    struct bk_lib_table missing[8];
    struct bk_answer a;
    unsigned rounds;
    size_t n;

    (void)state;
    assert_int_equal(probe(lib, h, "8/8/8/3k4/8/8/3BB3/4K3 w - - 0 1", &a, &rounds),
                     BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "no table KBBvK of chess"));
    while (bk_list_missing(lib, "KBBvK", missing, 8, &n) == BK_LIB_NEEDS_BYTES)
        bring(h, lib);
    assert_string_equal(missing[0].material, "KBBvK");
    bk_close(lib);
    host_free(h);
}

static void host__sees_wrong_bytes_refused(void **state)
{
    struct host *h = host_new(GAMES, true);
    struct bk_lib *lib = lib_on(h, "chess");
    struct bk_answer a;
    unsigned rounds;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_NEEDS_BYTES);
    for (unsigned i = 0; i < h->nfiles; i++)
        for (int64_t k = HEAD; k < h->file[i].bytes; k++)
            h->file[i].data[k] ^= 1;
    assert_int_equal(probe(lib, h, KPVK, &a, &rounds), BK_LIB_CORRUPT);
    bk_close(lib);
    host_free(h);
}

static void host__is_shared_with_the_budget(void **state)
{
    struct host *h = host_new(GAMES, true);
    struct bk_lib *first = lib_on(h, "chess"), *second;
    const struct bk_options o = { .struct_size = sizeof o, .paths = "far", .share = first };
    struct bk_answer a;
    unsigned rounds;

    (void)state;
    assert_int_equal(bk_open_with(&second, "chess", &o), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(second, KPVK, &a), BK_LIB_NEEDS_BYTES);
    assert_true(bring(h, first) > 0); /* noted by the one, taken by the other */
    bk_close(first);
    assert_int_equal(probe(second, h, KPVK, &a, &rounds), BK_LIB_OK);
    bk_close(second);
    host_free(h);
}

static void host__options_of_before_are_read_without_one(void **state)
{
    struct bk_options o = { .struct_size = offsetof(struct bk_options, host), .paths = GAMES };
    struct bk_host half = { .struct_size = sizeof half };
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    o.host = (const struct bk_host *)(uintptr_t)8; /* beyond .struct_size: must not be read */
    assert_int_equal(bk_open_with(&lib, "chess", &o), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_OK);
    bk_close(lib);
    o = (struct bk_options){ .struct_size = sizeof o, .host = &half };
    assert_int_equal(bk_open_with(&lib, "chess", &o), BK_LIB_USAGE);
    bk_close(lib);
    half = (struct bk_host){ sizeof half - 1, NULL, size, reads }; /* an older, shorter struct */
    assert_int_equal(bk_open_with(&lib, "chess", &o), BK_LIB_USAGE);
    bk_close(lib);
}

static void host__is_not_shared_with_what_was_not_opened(void **state)
{
    struct bk_lib *none, *lib;
    struct bk_options o = { .struct_size = sizeof o };

    (void)state;
    assert_int_equal(bk_open_with(&none, "no such game", &o), BK_LIB_USAGE);
    o.share = none;
    assert_int_equal(bk_open_with(&lib, "chess", &o), BK_LIB_USAGE);
    assert_string_equal(bk_error(lib), "the handle to share with was not opened");
    bk_close(lib);
    bk_close(none);
}

static void host__prefetch_asks_for_all_at_once(void **state)
{
    struct host *h = host_new(GAMES, true);
    struct bk_lib *lib = lib_on(h, "chess");
    struct bk_answer a;
    unsigned rounds = 0;

    (void)state;
    for (; bk_prefetch(lib, "KPvK", 0) == BK_LIB_NEEDS_BYTES; rounds++)
        bring(h, lib);
    assert_in_range(rounds, 1, 2); /* models; shards */
    assert_int_equal(bk_probe_fen(lib, KPVK, &a), BK_LIB_OK);
    bk_close(lib);
    host_free(h);
}

/* == Several threads == */

struct asker {
    struct host *h;
    struct bk_lib *lib;
    struct bk_answer answer;
    enum bk_lib_err err;
};

static void *ask_and_bring(void *context)
{
    struct asker *a = context;
    struct bk_range range[64];
    size_t n;

    while ((a->err = bk_probe_fen(a->lib, KPVK, &a->answer)) == BK_LIB_NEEDS_BYTES) {
        if (bk_take_needs(a->lib, range, 64, &n))
            break;
        pthread_mutex_lock(&a->h->lock);
        for (size_t i = 0; i < n && i < 64; i++) {
            struct file *f = file_of(a->h, range[i].path);

            f->known = true;
            for (uint64_t k = range[i].at; k < range[i].at + range[i].bytes; k++)
                if ((int64_t)k < f->bytes)
                    f->here[k] = 1;
        }
        pthread_mutex_unlock(&a->h->lock);
    }
    return NULL;
}

/* The shards of a file of 3 GB, noted in order, join into one range.  Searching for each among all
   before it once took minutes. */
static void needs__shards_in_a_row_are_one(void **state)
{
    const uint64_t shards = 1000000, each = 3000;
    struct bk_needs *needs;
    struct bk_need out[4];

    (void)state;
    assert_int_equal(bk_needs_new(&needs, NULL), BK_OK);
    for (uint64_t i = 0; i < shards; i++)
        assert_int_equal(bk_needs_note(needs, "a", 100 + i * each, each, NULL), BK_E_NEEDS_BYTES);
    bk_needs_note(needs, "a", 100 + 7 * each, each, NULL); /* noted before */
    bk_needs_note(needs, "b", 100, 5, NULL);
    bk_needs_note(needs, "a", 0, 50, NULL);
    bk_needs_note(needs, "a", 90, 20, NULL);
    assert_int_equal(bk_needs_take(needs, out, 4), 3);
    assert_string_equal(out[0].path, "a");
    assert_true(out[0].at == 0 && out[0].bytes == 50);
    assert_true(out[1].at == 90 && out[1].bytes == 10 + shards * each);
    assert_true(out[2].at == 100 && out[2].bytes == 5);
    assert_int_equal(bk_needs_take(needs, out, 4), 0);
    bk_needs_free(needs);
}

static void host__serves_several_threads(void **state)
{
    struct host *h = host_new(GAMES, false);
    struct bk_lib *lib = lib_on(h, "chess");
    struct asker asker[4];
    pthread_t thread[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        asker[i] = (struct asker){ .h = h, .lib = lib };
        assert_int_equal(pthread_create(&thread[i], NULL, ask_and_bring, &asker[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(asker[i].err, BK_LIB_OK);
        assert_int_equal(asker[i].answer.dtw, asker[0].answer.dtw);
    }
    bk_close(lib);
    host_free(h);
}

/* == Looking at tables == */

static void look_at_one(struct bk_lib *near, const struct bk_variant *v, const char *fen,
                        bool moves)
{
    static struct bk_lib_ranked list[MOVES];
    struct host *h = host_new(getenv("HOST_DIR"), true);
    struct bk_lib *lib = lib_on(h, v->name);
    struct bk_answer a, b;
    unsigned rounds;
    size_t n;

    h->tells = getenv("HOST_READS") != NULL;
    if (getenv("HOST_MODELS"))
        h->models = v;
    if (moves)
        assert_int_equal(rank(lib, h, fen, list, &n, &rounds), BK_LIB_OK);
    else
        assert_int_equal(probe(lib, h, fen, &a, &rounds), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(near, fen, &b), BK_LIB_OK);
    printf("%s %-40s %+d %4d  %u rounds %8llu bytes %4llu requests\n", moves ? "moves" : "probe",
           fen, b.wdl, b.dtw, rounds, (unsigned long long)h->brought,
           (unsigned long long)h->requests);
    bk_close(lib);
    host_free(h);
}

/* Sets `fen` to the next random position of `m`; with HOST_LOST, to the next that is lost. */
static void draw(struct bk_lib *near, const struct bk_variant *v, const struct bk_material *m,
                 uint64_t *seed, char fen[BK_FEN_MAX])
{
    struct bk_answer a;
    struct bk_pos p;

    do {
        while (!lines_position(&p, v, m, seed))
            ++*seed;
        bk_pos_to_fen(&p, v, fen);
        assert_int_equal(bk_probe_fen(near, fen, &a), BK_LIB_OK);
    } while (getenv("HOST_LOST") && a.wdl >= 0);
}

static int look_at_tables(const char *dir, const char *game, const char *material)
{
    const char *n = getenv("HOST_N"), *from = getenv("HOST_SEED");
    uint64_t seed = from ? strtoull(from, NULL, 10) : 1;
    struct bk_lib *near;
    struct bk_variant *v;
    struct bk_material m;

    if (bk_open(&near, game, dir) || bk_variant_load(&v, game, NULL) ||
        bk_material_parse(&m, v, material, NULL))
        return 1;
    bk_material_canonical(&m, v);
    for (int moves = 0; moves < (getenv("HOST_LOST") ? 1 : 2); moves++)
        for (unsigned i = 0; i < (n ? strtoul(n, NULL, 10) : 10); i++) {
            char fen[BK_FEN_MAX];

            draw(near, v, &m, &seed, fen);
            look_at_one(near, v, fen, moves);
        }
    bk_close(near);
    bk_variant_free(v);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host__answers_as_the_folder_does_in_every_game),
        cmocka_unit_test(host__is_not_remembered_as_having_nothing),
        cmocka_unit_test(host__is_spared_what_models_foretell),
        cmocka_unit_test(host__who_fails_may_be_asked_again),
        cmocka_unit_test(host__without_a_table_says_which_are_missing),
        cmocka_unit_test(host__sees_wrong_bytes_refused),
        cmocka_unit_test(host__is_shared_with_the_budget),
        cmocka_unit_test(host__options_of_before_are_read_without_one),
        cmocka_unit_test(host__is_not_shared_with_what_was_not_opened),
        cmocka_unit_test(host__prefetch_asks_for_all_at_once),
        cmocka_unit_test(needs__shards_in_a_row_are_one),
        cmocka_unit_test(host__serves_several_threads),
    };

    if (getenv("HOST_DIR"))
        return look_at_tables(getenv("HOST_DIR"), getenv("HOST_GAME"), getenv("HOST_MATERIAL"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
