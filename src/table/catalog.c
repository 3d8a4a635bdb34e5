/*
 * catalog.c - a hash of materials that is read without a lock.
 *
 * Idea: every probe asks for a material, and almost always for one that has
 * been asked for before.  So the key of an entry is cheap: the position's men
 * counted by colour and type, and its allowances as they are.  The entry holds
 * what is costly to find: the normalised material, whether its table is kept
 * with the colours exchanged, where its files are.
 *
 *      KNvKR, as asked ---home---> KRvKN, canonical, has the two files ---origin---> the open table
 *
 * Invariant: an entry is complete before it is linked in, and neither changes nor is freed until
 * the catalogue is; only the open table may be evicted and opened again (tables.h).  A reader needs
 * one atomic load for each step along a chain.  A writer opens the files first, then takes the
 * mutex, looks again, and links its entry at the head of the chain.  If two threads open the same
 * files at once, one does so in vain; no thread waits for a disk.
 *
 * Rejected: a reader-writer lock, simpler by ten lines.  All probing threads would write its
 * counter, whose cache line would move between the cores.
 */
#include "table/catalog.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/derive.h"
#include "core/rules.h"
#include "core/word.h"
#include "table/listing.h"
#include "table/material.h"
#include "table/readers.h"

#define LOOSE_BYTES  (UINT64_C(1) << 30)
#define BUCKETS      4096
#define READER_BYTES 320 /* with its path, about */

enum { LACKS = 1, LACKS_NOT };

/* A file that has been found. */
struct source {
    char *path;             /* owned */
    struct bk_reader *file; /* owned; NULL: there is none */
};

struct entry {
    _Atomic(struct entry *) next;
    struct bk_material key;
    struct entry *home; /* the entry of the canonical material; may be this one */
    bool exchanged;     /* the canonical entry's files have the colours exchanged */
    _Atomic(char *)
        missing[2];           /* owned; the message of bk_catalog_missing(); 1: from memory alone */
    _Atomic uint8_t lacks[2]; /* bk_catalog_lacks_distances(): LACKS, LACKS_NOT; 0: not found out */
    /* set in entries of canonical materials only */
    struct bk_origin origin;
    enum bk_err err;
    char *text;                   /* owned; the message of `err`, or NULL */
    struct source file[BK_KINDS]; /* by kind */
    const uint8_t *swap;
    int64_t bytes; /* charged to the cache */
};

/* The entries that threads have asked for last: mostly the next position has the same men.  Each is
   in a cache line of its own. */
#define LAST 16
struct last {
    _Atomic(struct entry *) entry; /* NULL: nothing yet */
    char apart[64 - sizeof(struct entry *)];
};

struct bk_catalog {
    struct last last[LAST];
    const struct bk_variant *v;
    struct bk_cache *cache; /* shared */
    char *paths, *folders;  /* as given; the same cut at the colons */
    const char **folder;
    size_t nfolders;
    uint8_t swap[BK_SYMMETRIES][BK_SQ_MAX];
    pthread_mutex_t adding;
    _Atomic(struct entry *) bucket[BUCKETS];
};

/* == Folders ============================================================= */

static enum bk_err folders_read(struct bk_catalog *c, const char *paths, struct bk_report *why)
{
    size_t room = 1;
    char *rest;

    for (const char *s = paths; *s; s++)
        room += *s == ':' || *s == ';'; /* strsep() of Windows takes both */
    c->paths = strdup(paths);
    c->folders = strdup(paths);
    c->folder = calloc(room, sizeof *c->folder);
    if (!c->paths || !c->folders || !c->folder)
        return bk_fail(why, BK_E_SYSTEM, "no memory for the list of folders");
    rest = c->folders;
    for (char *one; (one = strsep(&rest, ":")) != NULL;)
        if (*one)
            c->folder[c->nfolders++] = one;
    return BK_OK;
}

enum bk_err bk_catalog_new_in(struct bk_catalog **out, struct bk_cache *cache,
                              const struct bk_variant *v, const char *paths, struct bk_report *why)
{
    struct bk_catalog *c = calloc(1, sizeof *c);
    enum bk_err err;

    *out = NULL;
    if (!c || pthread_mutex_init(&c->adding, NULL)) {
        free(c);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a catalogue of tables");
    }
    c->v = v;
    c->cache = bk_cache_share(cache);
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        bk_symmetry_map(v, sym, c->swap[sym]);
    err = folders_read(c, paths ? paths : "", why);
    if (err)
        bk_catalog_free(c);
    else
        *out = c;
    return err;
}

enum bk_err bk_catalog_new(struct bk_catalog **out, const struct bk_variant *v, const char *paths,
                           struct bk_report *why)
{
    struct bk_cache *cache;
    enum bk_err err = bk_cache_new_loose(&cache, LOOSE_BYTES, 0, why);

    *out = NULL;
    if (!err) {
        err = bk_catalog_new_in(out, cache, v, paths, why);
        bk_cache_drop(cache);
    }
    return err;
}

struct bk_cache *bk_catalog_cache(const struct bk_catalog *c) { return c->cache; }

static void source_release(struct source *s)
{
    bk_reader_free(s->file);
    free(s->path);
    *s = (struct source){ NULL, NULL };
}

static void sources_release(struct entry *e)
{
    for (unsigned kind = 0; kind < BK_KINDS; kind++)
        source_release(&e->file[kind]);
}

static void entry_free(struct bk_catalog *c, struct entry *e)
{
    bk_cache_forget(c->cache, &e->origin.opened, 1);
    bk_cache_charge(c->cache, -e->bytes);
    sources_release(e);
    free(e->text);
    for (unsigned i = 0; i < 2; i++)
        free(atomic_load(&e->missing[i]));
    free(e);
}

void bk_catalog_free(struct bk_catalog *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct entry *e = atomic_load(&c->bucket[i]), *next; e; e = next) {
            next = atomic_load(&e->next);
            entry_free(c, e);
        }
    bk_cache_drop(c->cache);
    pthread_mutex_destroy(&c->adding);
    free(c->paths);
    free(c->folders);
    free(c->folder);
    free(c);
}

/* == Opening ============================================================= */

/* Looks for DIR/VARIANT/MATERIAL of a kind. */
static enum bk_err source_find(struct source *out, const struct bk_catalog *c, const char *dir,
                               const struct bk_material *m, enum bk_kind kind,
                               struct bk_report *why)
{
    char name[PATH_MAX], *path = strdup(bk_table_path(name, dir, c->v, m, kind));
    struct bk_reader *file = NULL;
    enum bk_err err;

    if (!path)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    err = bk_reader_new(&file, bk_cache_readers(c->cache), path, why);
    if (err)
        free(path);
    *out = err ? (struct source){ NULL, NULL } : (struct source){ path, file };
    return err;
}

static enum bk_err source_open(struct bk_file **out, const struct bk_catalog *c,
                               const struct entry *e, enum bk_kind kind, const struct bk_file *twin,
                               struct bk_report *why)
{
    const struct source *s = &e->file[kind];
    const struct bk_file_from from = { c->cache, s->file, s->path, twin };
    enum bk_err err = BK_OK;

    *out = NULL;
    if (s->file && (err = bk_file_open_from(out, &from, c->v, &e->key, kind, why)) != BK_OK)
        *out = NULL;
    return err;
}

/* Closes the others first: they may borrow the index of the wdl file. */
static void opened_free(struct bk_held *h)
{
    struct bk_opened *o = (struct bk_opened *)h;

    bk_table_release(&o->table[0]);
    bk_table_release(&o->table[1]);
    bk_file_close(o->table[0].dtw);
    bk_file_close(o->table[0].dtz);
    if (o->table[0].five != o->table[0].wdl)
        bk_file_close(o->table[0].five);
    bk_file_close(o->table[0].wdl);
    free(o->damaged);
    free(o->damaged_five);
    free(o);
}

/* Fills in an open table whose files are open.  False: no memory. */
static bool opened_fill(struct bk_opened *o, const struct bk_catalog *c, struct entry *e)
{
    bool filled = true;
    const struct bk_table files = o->table[0];
    uint64_t bytes = sizeof *o + (o->damaged ? strlen(o->damaged) : 0);

    for (enum bk_kind kind = 0; kind < BK_KINDS; kind++)
        if (bk_table_file(&files, kind) && (kind != BK_KIND_FIVE || files.five != files.wdl))
            bytes += bk_file_memory(bk_table_file(&files, kind));
    for (unsigned exchanged = 0; exchanged < (e->swap ? 2 : 1); exchanged++) {
        o->table[exchanged] = (struct bk_table){ .wdl = files.wdl,
                                                 .dtw = files.dtw,
                                                 .five = files.five,
                                                 .dtz = files.dtz,
                                                 .damaged = o->damaged,
                                                 .damaged_five = o->damaged_five,
                                                 .exchanged = exchanged,
                                                 .swap = e->swap,
                                                 .origin = &e->origin,
                                                 .cache = c->cache,
                                                 .held = &o->held };
        filled &= bk_table_finish(&o->table[exchanged]);
        bytes += bk_table_memory(&o->table[exchanged]) - sizeof *o->table;
    }
    bk_held_begin(&o->held, bytes, BK_WORTH_TABLE, opened_free);
    return filled;
}

/* Opens a file beside the results.  If it is damaged these answer all the same, and *damaged is the
   message for whoever asks for it. */
static enum bk_err open_beside(struct bk_file **out, char **damaged, const struct bk_catalog *c,
                               const struct entry *e, enum bk_kind kind,
                               const struct bk_file *results, struct bk_report *why)
{
    struct bk_report own = { "" };
    enum bk_err err = source_open(out, c, e, kind, results, &own);

    if (bk_is_of_file(err) && results)
        return *damaged || (*damaged = strdup(own.text)) ? BK_OK : bk_no_memory(why);
    return err ? bk_fail(why, err, "%s", own.text) : BK_OK;
}

/* Opens the files of an entry, results first: five results where there are no others. */
static enum bk_err open_files(struct bk_opened *o, const struct bk_catalog *c,
                              const struct entry *e, struct bk_report *why)
{
    struct bk_table *t = &o->table[0];
    enum bk_kind results = e->file[BK_KIND_WDL].file ? BK_KIND_WDL : BK_KIND_FIVE;
    enum bk_err err = source_open(&t->wdl, c, e, results, NULL, why), of[3];

    if (err && err != BK_E_NEEDS_BYTES)
        return err;
    if (results == BK_KIND_FIVE)
        t->five = t->wdl;
    of[0] = open_beside(&t->dtw, &o->damaged, c, e, BK_KIND_DTW, t->wdl, why);
    of[1] = results == BK_KIND_FIVE
                ? BK_OK
                : open_beside(&t->five, &o->damaged_five, c, e, BK_KIND_FIVE, t->wdl, why);
    of[2] = open_beside(&t->dtz, &o->damaged_five, c, e, BK_KIND_DTZ, t->wdl, why);
    for (unsigned i = 0; i < 3; i++) /* the needs of all files are noted at once (readers.h) */
        err = err ? err : of[i];
    return err;
}

/* Opens the files of a canonical entry.  *out owned. */
static enum bk_err opened_new(struct bk_opened **out, const struct bk_catalog *c, struct entry *e,
                              struct bk_report *why)
{
    struct bk_opened *o = calloc(1, sizeof *o);
    enum bk_err err;

    if (!o)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    err = open_files(o, c, e, why);
    if (!err && !opened_fill(o, c, e))
        err = bk_no_memory(why);
    if (!err)
        err = bk_cache_fits(c->cache, o->held.bytes, bk_file_path(o->table[0].wdl), why);
    if (err)
        opened_free(&o->held);
    else
        *out = o;
    return err;
}

/* Finds a file in the first folder that has it: BK_OK, too, if none has. */
static enum bk_err find_apart(struct entry *e, const struct bk_catalog *c, enum bk_kind kind,
                              struct bk_report *why)
{
    enum bk_err err = e->file[kind].file ? BK_OK : BK_E_NO_TABLE;

    for (size_t i = 0; i < c->nfolders && err == BK_E_NO_TABLE; i++)
        err = source_find(&e->file[kind], c, c->folder[i], &e->key, kind, why);
    return err == BK_E_NO_TABLE ? BK_OK : err;
}

/* Finds results and their distances: in the first folder that has both; else each in the first that
   has it: of one game's rules and one material, whatever build they come from, they say the same
   (format.md 1).  BK_OK, too, if there are none. */
static enum bk_err find_pair(struct entry *e, const struct bk_catalog *c, bool counts,
                             struct bk_report *why)
{
    struct source alone = { NULL, NULL }; /* the first results without distances */
    enum bk_kind results = bk_kind_of(false, counts), distances = bk_kind_of(true, counts);
    struct source *file = &e->file[results];
    enum bk_err err = BK_E_NO_TABLE;

    for (size_t i = 0; i < c->nfolders && err == BK_E_NO_TABLE; i++) {
        err = source_find(file, c, c->folder[i], &e->key, results, why);
        if (err)
            continue;
        err = source_find(&e->file[distances], c, c->folder[i], &e->key, distances, why);
        if (err == BK_E_NO_TABLE && !alone.file) {
            alone = *file;
            *file = (struct source){ NULL, NULL };
        } else if (err == BK_E_NO_TABLE) {
            source_release(file);
        }
    }
    if (err == BK_E_NO_TABLE && alone.file) {
        *file = alone;
        return BK_OK;
    }
    source_release(&alone);
    return err == BK_E_NO_TABLE ? BK_OK : err;
}

/* Finds the files of an entry; BK_E_NO_TABLE: no results. */
static enum bk_err home_find(struct entry *e, const struct bk_catalog *c, struct bk_report *why)
{
    enum bk_err err = find_pair(e, c, false, why);

    if (!err && bk_rules_nmove(c->v)) {
        err = find_pair(e, c, true, why);
        if (err == BK_E_SYSTEM && e->file[BK_KIND_WDL].file) /* a folder behind one that answers */
            err = BK_OK;
    }
    if (!err && !e->file[BK_KIND_WDL].file && !e->file[BK_KIND_FIVE].file)
        return BK_E_NO_TABLE;
    if (!err)
        err = find_apart(e, c, BK_KIND_DTW, why);
    if (!err && e->file[BK_KIND_FIVE].file)
        err = find_apart(e, c, BK_KIND_DTZ, why);
    return err;
}

/* Finds and opens the files of a canonical entry.  If they are damaged no later folder is tried;
   the distances may be missing. */
static enum bk_err home_open(struct bk_opened **out, struct entry *e, const struct bk_catalog *c,
                             struct bk_report *why)
{
    enum bk_err err = home_find(e, c, why);

    return err ? err : opened_new(out, c, e, why);
}

/* Where a host does not know the size of the wdl file, notes those of the others too, so that all
   are asked for at once. */
static void note_others(const struct bk_catalog *c, const struct entry *e)
{
    struct source s;

    for (size_t i = 0; i < c->nfolders; i++)
        for (enum bk_kind kind = BK_KIND_DTW; kind < (bk_rules_nmove(c->v) ? BK_KINDS : 2); kind++)
            if (!source_find(&s, c, c->folder[i], &e->key, kind, NULL))
                source_release(&s);
}

enum bk_err bk_catalog_reopen(void *catalog, struct bk_origin *origin, bool exchanged,
                              const struct bk_table **out, struct bk_report *why)
{
    struct bk_catalog *c = catalog;
    struct entry *e = (struct entry *)(void *)((char *)origin - offsetof(struct entry, origin));
    struct bk_opened *o = NULL;
    enum bk_err err = bk_cache_may_read(why);

    if (!err)
        err = opened_new(&o, c, e, why);
    if (err == BK_E_NO_TABLE) /* it was there */
        err = bk_fail(why, BK_E_SYSTEM, "%s: has gone since it was opened",
                      e->file[e->file[BK_KIND_WDL].file ? BK_KIND_WDL : BK_KIND_FIVE].path);
    if (err)
        return err;
    o = (struct bk_opened *)bk_cache_keep(c->cache, &origin->opened, &o->held);
    *out = &o->table[exchanged];
    return BK_OK;
}

/* The table of an entry without error, opened again if need be. */
static enum bk_err table_of(struct bk_catalog *c, struct entry *e, const struct bk_table **out,
                            struct bk_report *why)
{
    *out = bk_origin_table(&e->home->origin, e->exchanged);
    return *out ? BK_OK : bk_catalog_reopen(c, &e->home->origin, e->exchanged, out, why);
}

/* == The hash ============================================================ */

static unsigned bucket_of(const struct bk_material *key)
{
    return (unsigned)bk_material_hash(key) % BUCKETS;
}

static struct entry *look_up(const struct bk_catalog *c, const struct bk_material *key)
{
    struct entry *e = atomic_load_explicit(&c->bucket[bucket_of(key)], memory_order_acquire);

    while (e && memcmp(&e->key, key, sizeof *key))
        e = atomic_load_explicit(&e->next, memory_order_acquire);
    return e;
}

/* Returns the bytes that an entry takes until the catalogue is freed. */
static int64_t entry_bytes(const struct entry *e)
{
    size_t bytes = sizeof *e + (e->text ? strlen(e->text) : 0);

    for (unsigned kind = 0; kind < BK_KINDS; kind++)
        bytes += e->file[kind].file ? READER_BYTES : 0;
    return (int64_t)bytes;
}

/* Links `e` in and returns it; if another thread was quicker, frees `e` and returns the other's. */
static struct entry *link_in(struct bk_catalog *c, struct entry *e)
{
    _Atomic(struct entry *) *head = &c->bucket[bucket_of(&e->key)];
    struct entry *there;

    e->bytes = entry_bytes(e);
    bk_cache_charge(c->cache, e->bytes);
    pthread_mutex_lock(&c->adding);
    there = look_up(c, &e->key);
    if (!there) {
        atomic_store_explicit(&e->next, atomic_load(head), memory_order_relaxed);
        atomic_store_explicit(head, e, memory_order_release);
    }
    pthread_mutex_unlock(&c->adding);
    if (there)
        entry_free(c, e);
    return there ? there : e;
}

/* Returns the entry of a canonical material, opened if it is new. */
static enum bk_err home_get(struct bk_catalog *c, const struct bk_material *m, struct entry **out,
                            struct bk_report *why)
{
    struct bk_report own = { "" };
    struct bk_opened *opened = NULL;
    struct entry *e;
    int swap = bk_material_swap(m, c->v);
    enum bk_err err;

    if ((*out = look_up(c, m)) != NULL)
        return BK_OK;
    if ((err = bk_cache_may_read(why)) != BK_OK)
        return err;
    if (!(e = calloc(1, sizeof *e)))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    e->key = *m;
    e->home = e;
    e->swap = swap < 0 ? NULL : c->swap[swap];
    err = e->err = home_open(&opened, e, c, &own);
    if (bk_is_of_file(err) && !(e->text = strdup(own.text)))
        err = BK_E_SYSTEM;
    if (err != BK_OK && err != BK_E_NO_TABLE && !bk_is_of_file(err)) {
        if (err == BK_E_NEEDS_BYTES && !e->file[BK_KIND_WDL].file)
            note_others(c, e);
        entry_free(c, e); /* no memory, no bytes, no file handles: may pass, so it is not kept */
        return bk_fail(why, err, "%s", own.text);
    }
    if (err) {
        sources_release(e);
    } else {
        bk_cache_keep(c->cache, &e->origin.opened, &opened->held);
    }
    *out = link_in(c, e);
    return BK_OK;
}

/* Sets *out to the entry of a material as positions have it, made if it is new. */
static enum bk_err entry_get(struct bk_catalog *c, const struct bk_material *key,
                             struct entry **out, struct bk_report *why)
{
    struct bk_material m = *key;
    struct entry *home;
    struct entry *e;
    bool exchanged;
    enum bk_err err;

    bk_material_normalise(&m, c->v);
    exchanged = bk_material_canonical(&m, c->v);
    if ((err = home_get(c, &m, &home, why)) != BK_OK)
        return err;
    if ((*out = look_up(c, key)) != NULL) /* its own home, or added in the meantime */
        return BK_OK;
    if (!(e = calloc(1, sizeof *e)))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    e->key = *key;
    e->home = home;
    e->exchanged = exchanged;
    *out = link_in(c, e);
    return BK_OK;
}

static struct bk_material key_of(const struct bk_pos *p)
{
    struct bk_material key;

    memcpy(key.count, p->count, sizeof key.count);
    memcpy(key.left, p->left, sizeof key.left);
    key.rights = p->rights;
    return key;
}

/* Does the position have the material of the entry? */
static bool is_of(const struct entry *e, const struct bk_pos *p)
{
    const uint8_t *count[] = { (const uint8_t *)e->key.count, (const uint8_t *)p->count };
    const uint8_t *left[] = { (const uint8_t *)e->key.left, (const uint8_t *)p->left };
    uint64_t differ = e->key.rights ^ p->rights;

    for (size_t i = 0; i < sizeof p->count; i += 8)
        differ |= (bk_word_get(count[0] + i) ^ bk_word_get(count[1] + i)) |
                  (bk_word_get(left[0] + i) ^ bk_word_get(left[1] + i));
    return !differ;
}

static enum bk_err entry_found(struct bk_catalog *c, const struct bk_pos *p, struct entry **out,
                               struct bk_report *why)
{
    struct bk_material key = key_of(p);

    if ((*out = look_up(c, &key)) != NULL)
        return BK_OK;
    if (bk_material_men(&key, c->v) > BK_MEN_MAX)
        return BK_E_NO_TABLE; /* not remembered: a game has too many such materials */
    return entry_get(c, &key, out, why);
}

static enum bk_err entry_of(struct bk_catalog *c, const struct bk_pos *p, struct entry **out,
                            struct bk_report *why)
{
    _Atomic(struct entry *) *last = &c->last[bk_thread_some(LAST)].entry;
    enum bk_err err;

    *out = atomic_load_explicit(last, memory_order_acquire);
    if (*out && is_of(*out, p))
        return BK_OK;
    err = entry_found(c, p, out, why);
    if (!err)
        atomic_store_explicit(last, *out, memory_order_release);
    return err;
}

/* == Asking ============================================================== */

/* Returns the error of a canonical entry.  BK_E_NO_TABLE has no message: naming the table costs
   (bk_catalog_missing()). */
static enum bk_err home_error(const struct entry *home, struct bk_report *why)
{
    if (bk_is_of_file(home->err))
        return bk_fail(why, home->err, "%s", home->text);
    return BK_E_NO_TABLE;
}

enum bk_err bk_catalog_open(struct bk_catalog *c, const struct bk_material *m,
                            const struct bk_table **out, struct bk_report *why)
{
    struct entry *e;
    enum bk_err err = home_get(c, m, &e, why);

    if (!err && e->err)
        err = home_error(e, why);
    if (!err)
        err = table_of(c, e, out, why);
    return !err && (*out)->damaged ? bk_table_no_distances(*out, why) : err;
}

enum bk_err bk_catalog_table(void *catalog, const struct bk_pos *p, const struct bk_table **out,
                             struct bk_report *why)
{
    struct bk_catalog *c = catalog;
    struct entry *e;
    enum bk_err err;

    if ((err = entry_of(c, p, &e, why)) != BK_OK)
        return err;
    if (e->home->err)
        return home_error(e->home, why);
    return table_of(c, e, out, why);
}

enum bk_err bk_catalog_find(struct bk_catalog *c, const struct bk_pos *p,
                            const struct bk_table **table, struct bk_spot *out,
                            struct bk_report *why)
{
    enum bk_err err = bk_catalog_table(c, p, table, why);

    return err ? err : bk_spot_of(out, *table, (*table)->wdl, p, why);
}

/* == What is missing ===================================================== */

/* Is this file there, by what has been looked for before?  True if nobody has looked for it. */
static bool may_be_there(const struct bk_catalog *c, const struct bk_material *m, enum bk_kind kind)
{
    const struct entry *e = look_up(c, m);

    if (!e || !e->home->err)
        return !e || kind == BK_KIND_WDL || e->home->file[kind].file;
    return e->home->err != BK_E_NO_TABLE;
}

/* Is this file in one of the folders?  *unsure: a host does not
   know yet, and it may be.  A thread that must not read goes by may_be_there(). */
static bool is_there(const struct bk_catalog *c, const struct bk_material *m, enum bk_kind kind,
                     bool *unsure)
{
    char path[PATH_MAX];

    if (bk_cache_may_read(NULL))
        return may_be_there(c, m, kind);
    for (size_t i = 0; i < c->nfolders; i++) {
        enum bk_err err = bk_reader_look(bk_cache_readers(c->cache),
                                         bk_table_path(path, c->folder[i], c->v, m, kind), NULL);

        if (!err)
            return true;
        *unsure |= err == BK_E_NEEDS_BYTES;
    }
    /* five results answer for others */
    return kind == BK_KIND_WDL && bk_rules_nmove(c->v) && is_there(c, m, BK_KIND_FIVE, unsure);
}

unsigned bk_catalog_has(const struct bk_catalog *c, const struct bk_material *m, bool *unsure)
{
    bool wdl, dtw;

    *unsure = false;
    wdl = is_there(c, m, BK_KIND_WDL, unsure);
    dtw = (wdl || *unsure) && is_there(c, m, BK_KIND_DTW, unsure);
    return wdl ? dtw ? BK_HAS_WDL | BK_HAS_DTW : BK_HAS_WDL : 0;
}

/* The tables that the positions of a material may need, NEEDS_MAX at most: a material may lead to a
   hundred thousand tables that are not there. */
#define NEEDS_MAX 1000
struct needs {
    struct bk_material *m; /* owned; the nearest first */
    size_t n;
    bool more;   /* there are more than these */
    bool unsure; /* a host does not know yet which are there */
};

static enum bk_err needs_of(struct needs *out, const struct bk_catalog *c,
                            const struct bk_material *m, struct bk_report *why)
{
    *out = (struct needs){ .m = NULL };
    return bk_materials_near(&out->m, &out->n, &out->more, m, c->v, NEEDS_MAX, why);
}

/* Returns the number, `i` or more, of the first table that lacks this file; needs->n: none does. */
static size_t lacking(const struct bk_catalog *c, struct needs *needs, enum bk_kind kind, size_t i)
{
    while (i < needs->n && is_there(c, &needs->m[i], kind, &needs->unsure))
        i++;
    return i;
}

/* Writes what is odd about the folders, unless a host brings the files or the thread must not
   read.  Returns out. */
static char *odd_folders(const struct bk_catalog *c, char *out, size_t room)
{
    *out = 0;
    if (!bk_cache_may_read(NULL) && !bk_readers_hosted(bk_cache_readers(c->cache)))
        bk_folders_odd(out, room, c->v, c->paths);
    return out;
}

/* Writes "no table KRvKN of chess in DIR" for the first missing table (nth 0), with what is odd
   about the folders, for others what follows it.  Returns the length. */
static size_t name_lacking(const struct bk_catalog *c, const struct bk_material *m,
                           enum bk_kind kind, size_t nth, char *out, size_t room)
{
    char game[64], name[BK_MATERIAL_NAME_MAX], odd[240];

    bk_material_name(m, c->v, name);
    if (nth)
        return (size_t)snprintf(out, room, "%s%s%s", nth == 1 ? "; also missing: " : ", ", name,
                                kind == BK_KIND_WDL ? "" : " (distances)");
    bk_homes_name(c->v, bk_wings(m->rights), game);
    odd_folders(c, odd, sizeof odd);
    return (size_t)snprintf(out, room, "no %s %s of %s%s%s%s%s%s",
                            kind == BK_KIND_WDL ? "table" : "distances of", name, game,
                            c->nfolders ? " in " : ": no folder given", c->nfolders ? c->paths : "",
                            *odd ? " (" : "", odd, *odd ? ")" : "");
}

/* Writes the names of the tables that lack this file into `out`, as many as there is room for, and
   how many more there are, if that is known.  Returns how many lack it. */
static size_t name_all(const struct bk_catalog *c, struct needs *needs, enum bk_kind kind,
                       char *out, size_t room)
{
    char item[BK_MATERIAL_NAME_MAX + 32];
    size_t missing = 0, left = 0, at = 0;

    for (size_t i = lacking(c, needs, kind, 0); i < needs->n; i = lacking(c, needs, kind, i + 1)) {
        if (missing++ == 0) {
            at = name_lacking(c, &needs->m[i], kind, 0, out, room);
            continue;
        }
        left += left || at + name_lacking(c, &needs->m[i], kind, missing - 1, item, sizeof item) +
                                sizeof "; and 1000000 more" >
                            room;
        if (!left)
            at += (size_t)snprintf(out + at, room - at, "%s", item);
    }
    if (missing && needs->more && at < room)
        snprintf(out + at, room - at, "%s and more", missing == left + 1 ? ";" : ",");
    else if (left && at < room)
        snprintf(out + at, room - at, "%s and %zu more", missing == left + 1 ? ";" : ",", left);
    return missing;
}

/* Writes the message where no file that was looked for is missing: one was when it was first asked
   for, or (`more`) the missing table is further away. */
static void name_late(const struct bk_catalog *c, const struct bk_material *m, bool more,
                      struct bk_report *out)
{
    char game[64], name[BK_MATERIAL_NAME_MAX];

    bk_material_name(m, c->v, name);
    bk_homes_name(c->v, bk_wings(m->rights), game);
    if (more)
        bk_report_write(out, "a table that %s of %s leads to is not in %s: bk_list_missing()", name,
                        game, c->paths);
    else
        bk_report_write(out,
                        "tables of %s of %s came to %s after they were looked for: bk_refresh()",
                        name, game, c->paths);
}

/* Was the entry's table looked for, and not there? */
static bool is_late(const struct entry *e) { return e && e->home->err == BK_E_NO_TABLE; }

/* Writes what bk_catalog_missing() says to *out, and returns its error. */
static enum bk_err find_missing(struct bk_catalog *c, const struct bk_material *key, bool late,
                                struct bk_report *out)
{
    struct needs needs;
    enum bk_err err = needs_of(&needs, c, key, out);

    if (err)
        return BK_E_SYSTEM;
    if (!name_all(c, &needs, BK_KIND_WDL, out->text, sizeof out->text) &&
        (late || !name_all(c, &needs, BK_KIND_DTW, out->text, sizeof out->text)))
        name_late(c, needs.n ? needs.m : key, needs.more && !late, out);
    free(needs.m);
    if (needs.unsure)
        return bk_fail(out, BK_E_NEEDS_BYTES, "needs to know which tables there are");
    return BK_E_NO_TABLE;
}

/* Keeps a copy of `text` at *at, unless another thread was quicker, or there is no memory. */
static void keep_text(_Atomic(char *) *at, const char *text)
{
    char *none = NULL, *copy = strdup(text);

    if (copy && !atomic_compare_exchange_strong(at, &none, copy))
        free(copy);
}

enum bk_err bk_catalog_missing(struct bk_catalog *c, const struct bk_pos *p, struct bk_report *why)
{
    struct bk_material key = key_of(p);
    struct entry *e = look_up(c, &key);
    bool by_memory = bk_cache_may_read(NULL) != BK_OK;
    char *text = e ? atomic_load(&e->missing[0]) : NULL;
    struct bk_report found = { "" };
    enum bk_err err;

    if (!text && e && by_memory)
        text = atomic_load(&e->missing[1]);
    if (text)
        return bk_fail(why, BK_E_NO_TABLE, "%s", text);
    if (!e && bk_material_men(&key, c->v) > BK_MEN_MAX)
        return bk_fail(why, BK_E_NO_TABLE, "no table of %s for %u men: %d at most", c->v->name,
                       bk_material_men(&key, c->v), BK_MEN_MAX);
    err = find_missing(c, &key, is_late(e), &found);
    if (err == BK_E_NO_TABLE && e)
        keep_text(&e->missing[by_memory], found.text);
    return bk_fail(why, err, "%s", found.text);
}

/* Finds out what bk_catalog_lacks_distances() returns; *unsure: it may change. */
static bool find_lacks_distances(struct bk_catalog *c, const struct bk_material *key, bool *unsure)
{
    struct needs needs;
    bool lacks;

    *unsure = true;
    if (needs_of(&needs, c, key, NULL))
        return false;
    lacks = lacking(c, &needs, BK_KIND_WDL, 0) == needs.n &&
            lacking(c, &needs, BK_KIND_DTW, 0) < needs.n;
    free(needs.m);
    *unsure = needs.unsure;
    return lacks && !needs.unsure;
}

bool bk_catalog_lacks_distances(struct bk_catalog *c, const struct bk_pos *p)
{
    struct bk_material key = key_of(p);
    struct entry *e = look_up(c, &key);
    bool by_memory = bk_cache_may_read(NULL) != BK_OK, unsure, lacks;
    unsigned known = e ? atomic_load(&e->lacks[by_memory]) : 0;

    if (is_late(e) || (!e && bk_material_men(&key, c->v) > BK_MEN_MAX))
        return false; /* it lacks all */
    if (known)
        return known == LACKS;
    lacks = find_lacks_distances(c, &key, &unsure);
    if (e && !unsure)
        atomic_store(&e->lacks[by_memory], lacks ? LACKS : LACKS_NOT);
    return lacks;
}
