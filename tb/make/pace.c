/*
 * pace.c - see pace.h.
 *
 * (1) g       = (h + seconds seen) / (h + what they should have taken)        the machine is slower
 * (2) per_w   = per_w * g * h + seconds seen of w, for each (h + work seen of w)
 * (3) left    = work left * per_w, of both kinds, and the rest of the present step
 *
 * h  a twentieth of all work, and a fifth of a second: so much has to be seen before it weighs as
 *    much as what was estimated
 *
 * Within a step nothing is seen.  It goes on as estimated for nine tenths of its time, then ever
 * more slowly; once it takes longer than estimated, that is seen in (1) and (2), where little else
 * is.
 */
#include "tb/make/pace.h"

struct bk_pace bk_pace_of(const double per[BK_WORKS])
{
    return (struct bk_pace){ .per = { per[BK_SOLVING], per[BK_ENCODING] } };
}

void bk_pace_made(struct bk_pace *p, const double work[BK_WORKS], const struct bk_metered *at)
{
    for (unsigned w = 0; w < BK_WORKS; w++) {
        p->made[w] += work[w] * (1 - at->skipped[w]);
        p->took[w] += at->spent[w];
    }
}

/* Work that has been seen, and the seconds that it took, by kind. */
struct seen {
    double work[BK_WORKS], took[BK_WORKS];
};

/* Returns h. */
static double weight_of(double all) { return 0.2 + all / 20; }

/* Sets `per` to what a second of work takes, by (1) and (2). */
static void paces(double per[BK_WORKS], const struct bk_pace *p, double all, const struct seen *s)
{
    double h = weight_of(all), took = h, should = h;

    for (unsigned w = 0; w < BK_WORKS; w++) {
        took += s->took[w] / p->per[w];
        should += s->work[w];
    }
    for (unsigned w = 0; w < BK_WORKS; w++)
        per[w] = (p->per[w] * took / should * h + s->took[w]) / (h + s->work[w]);
}

/* Returns the seconds left of a step, estimated to take `whole`, after `past`. */
static double left_of_step(double whole, double past)
{
    double slow = whole / 10, over = past - 9 * slow;

    if (over <= 0)
        return whole - past;
    return slow * slow / (slow + over) + over / 10;
}

struct bk_ahead bk_pace_look(struct bk_pace *p, const double work[BK_WORKS],
                             const struct bk_metered *at, double now)
{
    double per[BK_WORKS], past = now > at->since ? now - at->since : 0, step = 0;
    struct bk_ahead a = { .left = 0 };
    double took = past, all = 0;
    struct seen s;

    for (unsigned w = 0; w < BK_WORKS; w++) {
        s.work[w] = p->made[w] + (at->done[w] - at->skipped[w]) * work[w];
        s.took[w] = p->took[w] + at->spent[w];
        took += s.took[w];
        all += p->made[w] + (1 - at->skipped[w]) * work[w] + p->later[w];
    }
    paces(per, p, all, &s);
    step = at->step * work[at->now];
    if (past > step * per[at->now]) { /* this step is slow, or all is: the less has been seen */
        double weight = weight_of(all) / (weight_of(all) + s.work[0] + s.work[1]);

        s.work[at->now] += weight * step;
        s.took[at->now] += weight * past;
        paces(per, p, all, &s);
    }
    if (step > 0)
        a.left = left_of_step(step * per[at->now], past);
    for (unsigned w = 0; w < BK_WORKS; w++) {
        double left = (1 - at->done[w]) * work[w] - (w == at->now ? step : 0);

        a.left += ((left > 0 ? left : 0) + p->later[w]) * per[w];
    }
    a.share = took + a.left > 0 ? took / (took + a.left) : 0;
    p->share = a.share = a.share > p->share ? a.share : p->share;
    return a;
}
