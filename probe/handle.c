/*
 * handle.c - see handle.h.
 *
 * What lies outside of handles belongs to a thread: the text of its last error, here, and whether
 * it may read files just now (table/cache.c).  So no call of another thread can change a text while
 * it is read, and a handle need not know its threads.  What goes wrong within a call is written to
 * a report of its own, `here`, for the rules may answer all the same.  Handles are told apart by a
 * number: a new one may lie where one was that has been closed, whose text is not its own.
 */
#include "probe/handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "core/load.h"
#include "table/listing.h"
#include "table/readers.h"

struct bk_lib {
    uint64_t serial; /* from 1; no other handle's */
    struct bk_variant *v;
    struct bk_cache *cache; /* NULL: it was not opened */
    _Atomic(struct bk_found *) found;
    pthread_mutex_t changing; /* what is found, and what is derived */
};

/* == Errors ============================================================== */

static _Thread_local struct bk_last last;
static _Thread_local struct bk_report here; /* of the call under way */
static _Atomic uint64_t handles;            /* that have been opened */

static uint64_t serial_of(const struct bk_lib *lib) { return lib ? lib->serial : 0; }

void bk_last_get(struct bk_last *out) { *out = last; }
void bk_last_set(const struct bk_last *before) { last = *before; }

enum bk_lib_err bk_call_code(const struct bk_call *call, enum bk_err err)
{
    switch (err) { /* no default: -Wswitch names the one you forgot */
    case BK_OK: return BK_LIB_OK;
    case BK_E_NO_TABLE: return BK_LIB_NO_TABLE;
    case BK_E_ILLEGAL: return BK_LIB_ILLEGAL;
    case BK_E_DIFFERS: return BK_LIB_CORRUPT;
    case BK_E_USAGE: return call->usage;
    case BK_E_CORRUPT: return BK_LIB_CORRUPT;
    case BK_E_SYSTEM: return BK_LIB_SYSTEM;
    case BK_E_NOT_CACHED: return BK_LIB_NOT_IN_MEMORY;
    case BK_E_OVER_BUDGET: return BK_LIB_OVER_BUDGET;
    case BK_E_NEEDS_BYTES: return BK_LIB_NEEDS_BYTES;
    case BK_E_NEWER: return BK_LIB_NEWER;
    }
    return BK_LIB_SYSTEM;
}

const char *bk_lib_strerror(enum bk_lib_err err)
{
    switch (err) { /* likewise */
    case BK_LIB_OK: return "success";
    case BK_LIB_NO_TABLE: return "no table for this material";
    case BK_LIB_ILLEGAL: return "illegal position";
    case BK_LIB_USAGE: return "bad input";
    case BK_LIB_CORRUPT: return "table file is damaged";
    case BK_LIB_SYSTEM: return "system error";
    case BK_LIB_FEN: return "bad FEN";
    case BK_LIB_PIECE: return "no such piece in this game";
    case BK_LIB_NOT_IN_MEMORY: return "not in memory";
    case BK_LIB_OVER_BUDGET: return "over the budget of memory";
    case BK_LIB_NEEDS_BYTES: return "needs bytes of files";
    case BK_LIB_NEWER: return "table file needs a newer bareking";
    }
    return "unknown error";
}

const char *bk_error(const struct bk_lib *lib)
{
    return last.serial == serial_of(lib) ? last.why.text : "";
}

unsigned bk_lib_version(void) { return BK_LIB_VERSION; }

/* == Calls =============================================================== */

static enum bk_err usable(const struct bk_call *call, bool given, unsigned flags, unsigned known)
{
    if (!call->lib || !given)
        return bk_fail(call->why, BK_E_USAGE, "%s is NULL",
                       call->lib ? "an argument" : "the handle");
    if (!call->lib->cache)
        return bk_fail(call->why, BK_E_USAGE, "the handle was not opened: its game is unknown");
    if (flags & ~known)
        return bk_fail(call->why, BK_E_USAGE, "unknown flags %#x", flags & ~known);
    return BK_OK;
}

enum bk_err bk_call_open(struct bk_call *call, struct bk_lib *lib, bool given, unsigned flags,
                         unsigned known)
{
    enum bk_err err;

    call->lib = lib;
    call->why = &here;
    call->usage = BK_LIB_USAGE;
    call->visiting = false;
    if ((err = usable(call, given, flags, known)) != BK_OK)
        return err;
    call->visit = bk_visit_begin(lib->cache);
    call->visiting = true;
    call->base = call->on = atomic_load(&lib->found);
    call->was_only = bk_cache_only(flags & BK_LIB_CACHE_ONLY);
    return BK_OK;
}

enum bk_lib_err bk_call_end(struct bk_call *call, enum bk_err err)
{
    if (call->visiting) {
        bk_cache_only(call->was_only);
        bk_visit_end(call->lib->cache, call->visit);
    }
    if (err)
        last = (struct bk_last){ serial_of(call->lib), here };
    return bk_call_code(call, err);
}

/* == What is found ======================================================= */

static void found_free_one(struct bk_held *h)
{
    struct bk_found *f = (struct bk_found *)h;

    bk_catalog_free(f->catalog);
    bk_variant_free(f->owned);
    free(f->paths);
    free(f);
}

static void found_free(struct bk_held *h)
{
    struct bk_found *f = (struct bk_found *)h, *next;

    for (; f; f = next) { /* itself, then those derived */
        next = atomic_load(&f->derived);
        found_free_one(&f->held);
    }
}

/* Makes what a handle or a derived game has found.  own: taken, even on failure. */
static enum bk_err found_new(struct bk_found **out, struct bk_cache *cache,
                             const struct bk_variant *v, struct bk_variant *own, const char *paths,
                             struct bk_report *why)
{
    struct bk_found *f = calloc(1, sizeof *f);
    enum bk_err err;

    if (!f || !(f->paths = strdup(paths ? paths : ""))) {
        free(f);
        bk_variant_free(own);
        return bk_fail(why, BK_E_SYSTEM, "no memory for the list of folders");
    }
    f->v = v;
    f->owned = own;
    bk_held_begin(&f->held, 0, BK_WORTH_WDL, found_free);
    if ((err = bk_catalog_new_in(&f->catalog, cache, v, paths, why)) != BK_OK)
        found_free(&f->held);
    else
        *out = f;
    return err;
}

/* == Boards of their own ==
 * The games derived for FENs are a list, the newest first, read without a lock.  Where it grows too
 * long the game asked least recently is taken out, and released when no call of that time is under
 * way (bk_cache's visits): a call that has found it before goes on with it, and from there to the
 * next. */

#define BOARDS_MAX   64
#define BOARDS_BYTES (UINT64_C(64) << 20) /* of all derived games, but for a single one */
#define CATALOG_KIB  40                   /* bytes / 1024 of a catalogue without tables, about */

static struct bk_found *derived_find(struct bk_found *base, const struct bk_derivation *from)
{
    struct bk_found *d = atomic_load(&base->derived);
    uint64_t made = atomic_load_explicit(&base->made, memory_order_relaxed);

    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): no byte of it is unset */
    while (d && memcmp(&d->from, from, sizeof *from))
        d = atomic_load(&d->derived);
    if (d && atomic_load_explicit(&d->asked, memory_order_relaxed) != made)
        atomic_store_explicit(&d->asked, made, memory_order_relaxed);
    return d;
}

/* With the mutex: takes out the game asked least recently, of several the oldest. */
static void derived_drop(struct bk_lib *lib, struct bk_found *base)
{
    _Atomic(struct bk_found *) *least = &base->derived;
    struct bk_found *d = atomic_load(least), *gone = d;

    for (_Atomic(struct bk_found *) *at = least; (d = atomic_load(at)) != NULL; at = &d->derived)
        if (atomic_load(&d->asked) <= atomic_load(&gone->asked)) {
            least = at;
            gone = d;
        }
    atomic_store(least, atomic_load(&gone->derived));
    base->boards--;
    base->bytes -= gone->bytes;
    bk_cache_retire(lib->cache, &gone->held);
}

/* With the mutex: links a new derived game in; others may have to make room for it. */
static void derived_link(struct bk_lib *lib, struct bk_found *base, struct bk_found *d)
{
    d->bytes = sizeof *d + sizeof *d->v + bk_geometry_bytes(d->v->geometry, d->v) +
               (UINT64_C(1024) * CATALOG_KIB);
    bk_held_begin(&d->held, d->bytes, BK_WORTH_WDL, found_free_one);
    base->bytes += d->bytes;
    base->boards++;
    atomic_store(&d->asked, atomic_fetch_add(&base->made, 1) + 1);
    atomic_store(&d->derived, atomic_load(&base->derived));
    atomic_store(&base->derived, d);
    while (base->boards > BOARDS_MAX || (base->boards > 1 && base->bytes > BOARDS_BYTES))
        derived_drop(lib, base);
}

/* With the mutex held. */
static enum bk_err derived_add(struct bk_call *call, const struct bk_derivation *from)
{
    struct bk_variant *v;
    struct bk_found *d;
    enum bk_err err;

    if ((call->on = derived_find(call->base, from)) != NULL) /* by another thread, meanwhile */
        return BK_OK;
    err = bk_variant_derived(&v, call->base->v, from, call->why);
    if (!err)
        err = found_new(&d, call->lib->cache, v, v, call->base->paths, call->why);
    if (err)
        return err;
    d->from = *from;
    derived_link(call->lib, call->base, d);
    call->on = d;
    return BK_OK;
}

enum bk_err bk_call_for_fen(struct bk_call *call, const char *fen)
{
    struct bk_derivation from;
    enum bk_err err = bk_derivation_of(&from, call->base->v, fen, call->why);

    call->on = call->base;
    if (err || from.how == BK_ITSELF || (call->on = derived_find(call->base, &from)) != NULL)
        return err;
    call->on = call->base;
    pthread_mutex_lock(&call->lib->changing);
    err = derived_add(call, &from);
    pthread_mutex_unlock(&call->lib->changing);
    return err;
}

/* == Folders that were meant otherwise ==
 * They are no error: tables may come there.  But who asks bk_error() after a call that took folders
 * is told. */
static void tell_folders(const struct bk_lib *lib, const char *paths)
{
    if (bk_readers_hosted(bk_cache_readers(lib->cache)))
        return;
    bk_folders_odd(here.text, sizeof here.text, lib->v, paths);
    last = (struct bk_last){ serial_of(lib), here };
}

/* == Opening ============================================================= */

#define STRUCT_MOST 4096 /* bytes that a struct with struct_size will never have */

/* Are all bytes of a caller's struct 0 that lie behind the members known here? */
static bool says_no_more(const void *given, size_t known, size_t size)
{
    const unsigned char *at = given;

    for (size_t i = known; i < size; i++)
        if (at[i])
            return false;
    return true;
}

/* Has a caller's host all members that it must have, and none that are not known here? */
static bool is_host(const struct bk_host *h)
{
    return h->struct_size >= offsetof(struct bk_host, read) + sizeof h->read &&
           h->struct_size <= STRUCT_MOST && says_no_more(h, sizeof *h, h->struct_size) && h->size &&
           h->read;
}

/* Copies the caller's options, as many members as his struct has; the rest is 0. */
static enum bk_err options_read(struct bk_options *o, const struct bk_options *given)
{
    size_t bytes = given->struct_size;

    memset(o, 0, sizeof *o);
    if (bytes < offsetof(struct bk_options, memory_bytes))
        return bk_fail(&here, BK_E_USAGE, "struct_size of the options is not set");
    if (bytes > STRUCT_MOST || !says_no_more(given, sizeof *o, bytes))
        return bk_fail(&here, BK_E_USAGE, "options that this version does not know");
    memcpy(o, given, bytes < sizeof *o ? bytes : sizeof *o);
    if (o->reserved)
        return bk_fail(&here, BK_E_USAGE, "reserved of the options: not 0");
    if (o->share && !o->share->cache)
        return bk_fail(&here, BK_E_USAGE, "the handle to share with was not opened");
    if (o->host && !o->share && !is_host(o->host))
        return bk_fail(&here, BK_E_USAGE, "the host lacks its struct_size, size() or read()");
    return BK_OK;
}

static enum bk_err host_for(struct bk_lib *lib, const struct bk_host *host)
{
    const struct bk_hosted h = { host->context, host->size, host->read };

    _Static_assert(
        (int)BK_LIB_HOST_OK == (int)BK_HOST_OK && (int)BK_LIB_NONE == (int)BK_HOST_NONE &&
            (int)BK_LIB_LATER == (int)BK_HOST_LATER && (int)BK_LIB_BROKEN == (int)BK_HOST_BROKEN,
        "the same answers");
    return bk_readers_set_host(bk_cache_readers(lib->cache), &h, &here);
}

static enum bk_err cache_for(struct bk_lib *lib, const struct bk_options *o)
{
    unsigned files = o->open_files && o->open_files < 4 ? 4 : o->open_files;
    enum bk_err err;

    if (o->share) {
        lib->cache = bk_cache_share(o->share->cache);
        return BK_OK;
    }
    err = o->memory_bytes ? bk_cache_new(&lib->cache, o->memory_bytes, files, &here)
                          : bk_cache_new_loose(&lib->cache, BK_CACHE_BYTES, files, &here);
    return !err && o->host ? host_for(lib, o->host) : err;
}

static enum bk_err lib_fill(struct bk_lib *lib, const char *variant, const struct bk_options *given)
{
    struct bk_options o;
    struct bk_found *found;
    enum bk_err err =
        given ? options_read(&o, given) : bk_fail(&here, BK_E_USAGE, "an argument is NULL");

    if (!err && !variant)
        err = bk_fail(&here, BK_E_USAGE, "no variant given");
    if (!err && (err = bk_variant_load(&lib->v, variant, &here)) != BK_OK)
        lib->v = NULL;
    if (!err)
        err = cache_for(lib, &o);
    if (!err && (err = found_new(&found, lib->cache, lib->v, NULL, o.paths, &here)) == BK_OK) {
        atomic_store(&lib->found, found);
        tell_folders(lib, found->paths);
    } else {
        bk_cache_drop(lib->cache);
        lib->cache = NULL;
    }
    return err;
}

enum bk_lib_err bk_open_with(struct bk_lib **out, const char *variant,
                             const struct bk_options *options)
{
    struct bk_call call = { .why = &here, .usage = BK_LIB_USAGE };

    if (!out)
        return bk_call_end(&call, bk_fail(&here, BK_E_USAGE, "an argument is NULL"));
    *out = call.lib = calloc(1, sizeof *call.lib);
    if (!call.lib || pthread_mutex_init(&call.lib->changing, NULL)) {
        free(call.lib);
        *out = call.lib = NULL;
        return bk_call_end(&call, bk_fail(&here, BK_E_SYSTEM, "no memory for a handle"));
    }
    call.lib->serial = atomic_fetch_add(&handles, 1) + 1;
    return bk_call_end(&call, lib_fill(call.lib, variant, options));
}

enum bk_lib_err bk_open(struct bk_lib **out, const char *variant, const char *paths)
{
    const struct bk_options o = { .struct_size = sizeof o, .paths = paths };

    return bk_open_with(out, variant, &o);
}

void bk_close(struct bk_lib *lib)
{
    if (!lib)
        return;
    if (lib->cache) {
        found_free(&atomic_load(&lib->found)->held);
        bk_cache_settle(lib->cache); /* what was found before goes with its game */
        bk_cache_drop(lib->cache);
    }
    bk_variant_free(lib->v);
    pthread_mutex_destroy(&lib->changing);
    free(lib);
}

/* Looks for tables again, in `paths`; same: in the folders of before, and `paths` is not read. */
static enum bk_lib_err look_again(struct bk_lib *lib, const char *paths, bool same)
{
    struct bk_call call;
    struct bk_found *fresh = NULL;
    enum bk_lib_err result;
    enum bk_err err = bk_call_begin(&call, lib, true, 0, 0);

    if (!err) {
        pthread_mutex_lock(&lib->changing);
        call.base = atomic_load(&lib->found);
        err =
            found_new(&fresh, lib->cache, lib->v, NULL, same ? call.base->paths : paths, call.why);
        if (!err) {
            atomic_store(&lib->found, fresh);
            bk_cache_retire(lib->cache, &call.base->held);
            tell_folders(lib, fresh->paths);
        }
        pthread_mutex_unlock(&lib->changing);
    }
    result = bk_call_end(&call, err);
    if (!err)
        bk_cache_charge(lib->cache, 0); /* releases what is old, if nobody else is asking */
    return result;
}

enum bk_lib_err bk_refresh(struct bk_lib *lib) { return look_again(lib, NULL, true); }

enum bk_lib_err bk_set_paths(struct bk_lib *lib, const char *paths)
{
    return look_again(lib, paths, false);
}

/* == Memory ============================================================== */

enum bk_lib_err bk_set_memory(struct bk_lib *lib, uint64_t bytes)
{
    struct bk_call call;
    enum bk_err err = bk_call_begin(&call, lib, true, 0, 0);

    if (!err)
        bk_cache_set_bytes(lib->cache, bytes ? bytes : BK_CACHE_BYTES);
    return bk_call_end(&call, err);
}

enum bk_lib_err bk_memory(struct bk_lib *lib, uint64_t *used, uint64_t *budget)
{
    struct bk_call call;
    enum bk_err err = bk_call_begin(&call, lib, true, 0, 0);

    if (!err && used)
        *used = bk_cache_used(lib->cache);
    if (!err && budget)
        *budget = bk_cache_bytes(lib->cache);
    return bk_call_end(&call, err);
}

/* == A host == */

enum bk_lib_err bk_take_needs(struct bk_lib *lib, struct bk_range *out, size_t room, size_t *n)
{
    struct bk_call call;
    enum bk_err err = bk_call_begin(&call, lib, n && (out || !room), 0, 0);

    _Static_assert(sizeof *out == sizeof(struct bk_need) &&
                       offsetof(struct bk_range, at) == offsetof(struct bk_need, at) &&
                       offsetof(struct bk_range, bytes) == offsetof(struct bk_need, bytes),
                   "the same");
    if (!err)
        *n = bk_readers_take(bk_cache_readers(lib->cache), (struct bk_need *)(void *)out, room);
    return bk_call_end(&call, err);
}
