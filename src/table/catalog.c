/*
 * catalog.c - a hash of materials that is read without a lock.
 *
 * Idea: every probe asks for a material, and almost always for one that has
 * been asked for before.  So the key of an entry is what a position has at
 * hand, its men counted by colour and type and its allowances as they are; the
 * answer holds all that costs something: the normalised material, whether its
 * table is kept with the colours exchanged, the open files.
 *
 *      KNvKR, as asked ---home---> KRvKN, owner of the two files
 *
 * Invariant: an entry is complete before it is linked in and never changes or
 * goes away afterwards.  A reader needs one atomic load a step; a writer opens the files first,
 * then takes the mutex, looks again, and links its entry at the head of a chain.  Two that open the
 * same files at once do so in vain once; nobody waits for a disk.
 *
 * Rejected: a reader-writer lock, simpler by ten lines, whose counter every
 * probing thread would pull to and fro between the cores.
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

#include "core/homes.h"
#include "table/materials.h"
#include "table/needed.h"

#define LOOSE_BYTES (UINT64_C(1) << 30)
#define BUCKETS     4096
#define ENTRY_BYTES 2048 /* with what is kept with its table, about */

struct entry {
    _Atomic(struct entry *) next;
    struct bk_material key;
    const struct entry *home; /* of the material as the table is kept; may be this one */
    struct bk_table table;    /* how the home's files answer */
    _Atomic(char *) missing;  /* owned; what bk_catalog_missing() said */
    /* of a home only */
    enum bk_err err;
    char *text; /* owned; of an error that has one to keep */
    struct bk_file *wdl, *dtw;
};

struct bk_catalog {
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
        room += *s == ':';
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

static void entry_free(struct entry *e)
{
    bk_table_release(&e->table);
    bk_file_close(e->wdl);
    bk_file_close(e->dtw);
    free(e->text);
    free(atomic_load(&e->missing));
    free(e);
}

void bk_catalog_free(struct bk_catalog *c)
{
    int64_t entries = 0;

    if (!c)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct entry *e = atomic_load(&c->bucket[i]), *next; e; e = next) {
            next = atomic_load(&e->next);
            entry_free(e);
            entries++;
        }
    bk_cache_charge(c->cache, -entries * ENTRY_BYTES);
    bk_cache_drop(c->cache);
    pthread_mutex_destroy(&c->adding);
    free(c->paths);
    free(c->folders);
    free(c->folder);
    free(c);
}

/* == Opening ============================================================= */

/* Opens DIR/VARIANT/MATERIAL of a kind and makes sure that it is what its name says. */
static enum bk_err file_open(struct bk_file **out, const struct bk_catalog *c, const char *dir,
                             const struct bk_material *m, enum bk_kind kind, struct bk_report *why)
{
    char path[PATH_MAX];
    enum bk_err err =
        bk_file_open_in(out, c->cache, bk_table_path(path, dir, c->v, m, kind), c->v, m, kind, why);

    if (err)
        *out = NULL;
    return err;
}

/* Both files of a table in one folder; that of the distances may be missing. */
static enum bk_err pair_open(struct entry *e, const struct bk_catalog *c, const char *dir,
                             struct bk_report *why)
{
    enum bk_err err = file_open(&e->wdl, c, dir, &e->key, BK_KIND_WDL, why);

    if (err)
        return err;
    err = file_open(&e->dtw, c, dir, &e->key, BK_KIND_DTW, why);
    if (err == BK_E_NO_TABLE)
        return BK_OK;
    if (err) {
        bk_file_close(e->wdl);
        e->wdl = NULL;
    }
    return err;
}

/* The first folder that has the table answers, even if what it has is damaged. */
static enum bk_err home_open(struct entry *e, const struct bk_catalog *c, struct bk_report *why)
{
    enum bk_err err = BK_E_NO_TABLE;

    for (size_t i = 0; i < c->nfolders && err == BK_E_NO_TABLE; i++)
        err = pair_open(e, c, c->folder[i], why);
    return err;
}

/* == The hash ============================================================ */

static unsigned bucket_of(const struct bk_material *key)
{
    return (unsigned)bk_material_hash(key) % BUCKETS;
}

static struct entry *look_up(struct bk_catalog *c, const struct bk_material *key)
{
    struct entry *e = atomic_load_explicit(&c->bucket[bucket_of(key)], memory_order_acquire);

    while (e && memcmp(&e->key, key, sizeof *key))
        e = atomic_load_explicit(&e->next, memory_order_acquire);
    return e;
}

/* Links a new entry in, unless another thread was quicker.  Returns what is there. */
static struct entry *link_in(struct bk_catalog *c, struct entry *e)
{
    _Atomic(struct entry *) *head = &c->bucket[bucket_of(&e->key)];
    struct entry *there;

    pthread_mutex_lock(&c->adding);
    there = look_up(c, &e->key);
    if (!there) {
        atomic_store_explicit(&e->next, atomic_load(head), memory_order_relaxed);
        atomic_store_explicit(head, e, memory_order_release);
    }
    pthread_mutex_unlock(&c->adding);
    if (there)
        entry_free(e);
    else
        bk_cache_charge(c->cache, ENTRY_BYTES);
    return there ? there : e;
}

/* How the files of its home answer the material of an entry. */
static void table_set(struct entry *e, const struct bk_catalog *c, bool exchanged)
{
    int swap;

    if (e->home->err)
        return;
    swap = bk_material_swap(&e->home->key, c->v);
    e->table = (struct bk_table){ .wdl = e->home->wdl,
                                  .dtw = e->home->dtw,
                                  .exchanged = exchanged,
                                  .swap = swap < 0 ? NULL : c->swap[swap] };
    bk_table_finish(&e->table);
}

/* The home entry of a canonical material, opened if it is new. */
static enum bk_err home_get(struct bk_catalog *c, const struct bk_material *m,
                            const struct entry **out, struct bk_report *why)
{
    struct bk_report own = { "" };
    struct entry *e;
    enum bk_err err;

    if ((*out = look_up(c, m)) != NULL)
        return BK_OK;
    if ((err = bk_cache_may_read(why)) != BK_OK)
        return err;
    if (!(e = calloc(1, sizeof *e)))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a table");
    e->key = *m;
    e->home = e;
    err = e->err = home_open(e, c, &own);
    if (err == BK_E_CORRUPT && !(e->text = strdup(own.text)))
        err = BK_E_SYSTEM;
    if (err != BK_OK && err != BK_E_NO_TABLE && err != BK_E_CORRUPT) {
        entry_free(e); /* no memory, no file handles: that may pass, so it is not kept */
        return bk_fail(why, err, "%s", own.text);
    }
    table_set(e, c, false);
    *out = link_in(c, e);
    return BK_OK;
}

/* The entry of a material as a position has it. */
static enum bk_err entry_get(struct bk_catalog *c, const struct bk_material *key,
                             const struct entry **out, struct bk_report *why)
{
    struct bk_material m = *key;
    const struct entry *home;
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
    table_set(e, c, exchanged);
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

static enum bk_err entry_of(struct bk_catalog *c, const struct bk_pos *p, const struct entry **out,
                            struct bk_report *why)
{
    struct bk_material key = key_of(p);
    unsigned men;

    if ((*out = look_up(c, &key)) != NULL)
        return BK_OK;
    men = bk_bits_count(&p->by[0]) + bk_bits_count(&p->by[1]);
    if (men > BK_MEN_MAX) /* not remembered: a game has too many such materials */
        return bk_fail(why, BK_E_NO_TABLE, "no table of %s for %u men: %d at most", c->v->name, men,
                       BK_MEN_MAX);
    return entry_get(c, &key, out, why);
}

/* == Asking ============================================================== */

/* Without its name, which costs: bk_catalog_missing(). */
static enum bk_err home_error(const struct entry *home, struct bk_report *why)
{
    if (home->err == BK_E_CORRUPT)
        return bk_fail(why, BK_E_CORRUPT, "%s", home->text);
    return BK_E_NO_TABLE;
}

enum bk_err bk_catalog_open(struct bk_catalog *c, const struct bk_material *m,
                            const struct bk_table **out, struct bk_report *why)
{
    const struct entry *e;
    enum bk_err err = home_get(c, m, &e, why);

    if (!err && e->err)
        err = home_error(e, why);
    if (!err)
        *out = &e->table;
    return err;
}

enum bk_err bk_catalog_table(void *catalog, const struct bk_pos *p, const struct bk_table **out,
                             struct bk_report *why)
{
    struct bk_catalog *c = catalog;
    const struct entry *e;
    enum bk_err err;

    if ((err = entry_of(c, p, &e, why)) != BK_OK)
        return err;
    if (e->home->err)
        return home_error(e->home, why);
    *out = &e->table;
    return BK_OK;
}

enum bk_err bk_catalog_find(struct bk_catalog *c, const struct bk_pos *p,
                            const struct bk_table **table, struct bk_spot *out,
                            struct bk_report *why)
{
    enum bk_err err = bk_catalog_table(c, p, table, why);

    return err ? err : bk_spot_of(out, *table, (*table)->wdl, p, why);
}

/* == What is missing ===================================================== */

/* Is this file in one of the folders? */
static bool is_there(const struct bk_catalog *c, const struct bk_material *m, enum bk_kind kind)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < c->nfolders; i++)
        if (!access(bk_table_path(path, c->folder[i], c->v, m, kind), F_OK))
            return true;
    return false;
}

unsigned bk_catalog_has(const struct bk_catalog *c, const struct bk_material *m)
{
    if (!is_there(c, m, BK_KIND_WDL))
        return 0;
    return is_there(c, m, BK_KIND_DTW) ? BK_HAS_WDL | BK_HAS_DTW : BK_HAS_WDL;
}

/* Writes what the n materials lack into `out`; how many do. */
static size_t list_missing(struct bk_catalog *c, const struct bk_material *m, size_t n,
                           bool distances, char *out, size_t room)
{
    char game[64], name[BK_MATERIAL_NAME_MAX];
    size_t missing = 0, at = 0;

    for (size_t i = 0; i < n; i++) {
        enum bk_kind kind = is_there(c, &m[i], BK_KIND_WDL) ? BK_KIND_DTW : BK_KIND_WDL;

        if (kind == BK_KIND_DTW && (!distances || is_there(c, &m[i], kind)))
            continue;
        bk_material_name(&m[i], c->v, name);
        bk_homes_name(c->v, bk_wings(m[i].rights), game);
        if (missing++ == 0)
            at = (size_t)snprintf(out, room, "no %s %s of %s%s%s",
                                  kind == BK_KIND_WDL ? "table" : "distances of", name, game,
                                  c->nfolders ? " in " : ": no folder given",
                                  c->nfolders ? c->paths : "");
        else if (at < room)
            at += (size_t)snprintf(out + at, room - at, "%s%s%s",
                                   missing == 2 ? "; also missing: " : ", ", name,
                                   kind == BK_KIND_WDL ? "" : " (distances)");
    }
    return missing;
}

enum bk_err bk_catalog_missing(struct bk_catalog *c, const struct bk_pos *p, struct bk_report *why)
{
    struct bk_material key = key_of(p), *needed;
    struct entry *e = look_up(c, &key);
    char *text = e ? atomic_load(&e->missing) : NULL;
    struct bk_report found = { "" };
    size_t n;

    if (text)
        return bk_fail(why, BK_E_NO_TABLE, "%s", text);
    if (!e && bk_material_men(&key, c->v) > BK_MEN_MAX) /* entry_of() said so */
        return BK_E_NO_TABLE;
    if (bk_materials_needed(&needed, &n, &key, c->v, why))
        return BK_E_SYSTEM;
    if (!list_missing(c, needed, n, false, found.text, sizeof found.text))
        list_missing(c, needed, n, true, found.text, sizeof found.text);
    free(needed);
    text = e ? strdup(found.text) : NULL;
    if (text) {
        char *none = NULL;

        if (!atomic_compare_exchange_strong(&e->missing, &none, text))
            free(text);
    }
    return bk_fail(why, BK_E_NO_TABLE, "%s", found.text);
}
