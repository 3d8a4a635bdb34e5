/* meter.c - see meter.h. */
#include "tb/memory/meter.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/clock.h"

struct bk_meter {
    pthread_mutex_t lock;
    struct bk_metered at;
    double own;
};

enum bk_err bk_meter_new(struct bk_meter **out, struct bk_report *why)
{
    struct bk_meter *m = calloc(1, sizeof *m);

    *out = m;
    if (!m)
        return bk_no_memory(why);
    pthread_mutex_init(&m->lock, NULL);
    return BK_OK;
}

void bk_meter_free(struct bk_meter *m)
{
    if (m)
        pthread_mutex_destroy(&m->lock);
    free(m);
}

/* Counts a part of the present step, up to all of it, as done. */
static void add(struct bk_metered *at, double part, double now)
{
    part = part < at->step ? part : at->step;
    at->done[at->now] += part;
    at->step -= part;
    at->spent[at->now] += now - at->since;
    at->since = now;
}

void bk_meter_table(struct bk_meter *m, uint32_t table, double own)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->own = own;
    m->at = (struct bk_metered){
        .table = table, .now = BK_SOLVING, .step = 1 - own, .since = bk_now_seconds()
    };
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_again(struct bk_meter *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    add(&m->at, m->at.step, bk_now_seconds());
    m->at.done[BK_SOLVING] = 1 - m->own;
    m->at.done[BK_ENCODING] = m->at.skipped[BK_SOLVING] = m->at.skipped[BK_ENCODING] = 0;
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_step(struct bk_meter *m, enum bk_work work, double part)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    add(&m->at, m->at.step, bk_now_seconds());
    if (work == BK_SOLVING)
        part *= m->own;
    if (part > 1 - m->at.done[work])
        part = 1 - m->at.done[work];
    m->at.now = work;
    m->at.step = part;
    m->at.ply = 0;
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_done(struct bk_meter *m, enum bk_work work, double part)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    if (work == m->at.now)
        add(&m->at, work == BK_SOLVING ? part * m->own : part, bk_now_seconds());
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_skip(struct bk_meter *m, enum bk_work work, double part)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    if (work == BK_SOLVING)
        part *= m->own;
    m->at.done[work] += part;
    m->at.skipped[work] += part;
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_skip_now(struct bk_meter *m, enum bk_work work, double part)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    if (work == m->at.now) {
        part *= work == BK_SOLVING ? m->own : 1;
        part = part < m->at.step ? part : m->at.step;
        m->at.done[work] += part;
        m->at.skipped[work] += part;
        m->at.step -= part;
    }
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_was_less(struct bk_meter *m, enum bk_work work, double part)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->at.skipped[work] += part;
    pthread_mutex_unlock(&m->lock);
}

void bk_meter_ply(struct bk_meter *m, uint32_t ply)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->at.ply = ply;
    pthread_mutex_unlock(&m->lock);
}

struct bk_metered bk_meter_read(struct bk_meter *m)
{
    struct bk_metered at;

    pthread_mutex_lock(&m->lock);
    at = m->at;
    pthread_mutex_unlock(&m->lock);
    return at;
}
