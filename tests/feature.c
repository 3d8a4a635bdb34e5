/*
 * feature.c - see feature.h.
 */
#include "tests/feature.h"

#include "core/rules.h"
#include "tests/random_variant.h"

const char *const feature_name[FEATURES] = {
    "holes",
    "over 64 squares",
    "promotion to what is lost",
    "in place",
    "changes",
    "limits",
    "zones",
    "double steps",
    "en passant",
    "castling rights",
    "off the first rank",
    "double captures",
    "two steps",
    "hoppers",
    "riders",
    "limit of turns",
    "hands",
    "configuration",
    "opening drops",
    "quiet turns",
    "live terrain",
    "bare-king nothing",
    "wins",
    "wins-unless-bared-back",
    "stalemate draw",
    "loss",
    "portable",
    "avx2",
    "avx512",
    "sets of 64",
    "128",
    "256",
    "two threads",
    "little memory",
    "packed tables",
    "distances of two bytes",
    "no distances",
    "groups",
    "wide ones",
    "compact",
    "a pawn beside a man",
    "pawns",
    "equal men beside another",
    "pawns that go other ways",
    "pawns of several kinds",
    "pawns that use up limits",
    "double steps of other men",
    "gaps in ranks",
    "double steps from the third rank on",
    "narrow boards",
    "men who shuffle beside kings alone",
};

static bool any_step(const struct bk_piece *p, bool (*is)(const struct bk_step *))
{
    for (unsigned i = 0; i < p->move.nsteps; i++)
        if (is(&p->move.step[i]))
            return true;
    for (unsigned i = 0; i < p->zone.nsteps && p->zone_ranks; i++)
        if (is(&p->zone.step[i]))
            return true;
    return false;
}

static bool hops(const struct bk_step *s) { return s->how & BK_HOPS; }
static bool rides(const struct bk_step *s) { return s->range != 1 && !(s->how & BK_HOPS); }

static bool any_rule(const struct bk_piece *p, enum feature feature)
{
    for (unsigned i = 0; i < p->nbecomes; i++)
        if (feature == ALLOWANCES ? p->become[i].counted
                                  : feature != LOST || p->become[i].lost_only)
            return true;
    return false;
}

/* Is there a rank between others where it may not stand? */
static bool has_gap(const struct bk_piece *p)
{
    unsigned ranks = p->ranks / (p->ranks & -(unsigned)p->ranks);

    return ranks & (ranks + 1);
}

/* Does `m` ride, have a step that is not one rank forward, or take two steps a turn? */
static bool goes_other_ways(const struct bk_movement *m)
{
    for (unsigned i = 0; i < m->nsteps; i++)
        if (m->step[i].dr != 1 || m->step[i].range != 1)
            return true;
    return m->steps_max == 2;
}

static bool type_shows(const struct bk_variant *v, unsigned type, enum feature feature)
{
    const struct bk_piece *p = &v->piece[type];

    switch (feature) {
    case TAKES_TWICE: return bk_rules_takes_twice(v, type);
    case PASSING: return v->en_passant && p->double_ranks;
    case DOUBLES: return p->double_ranks;
    case ZONES: return p->zone_ranks;
    case CASTLES: return v->castling.allowed && type == v->castling.rook;
    case IN_PLACE: return bk_rules_changes_in_place(v, type);
    case BENT: return p->move.steps_max == 2;
    case ODD_PAWNS: return random_is_pawn(p) && goes_other_ways(&p->move);
    case COUNTED_PAWNS: return random_is_pawn(p) && any_rule(p, ALLOWANCES);
    case DOUBLE_MEN: return !random_is_pawn(p) && p->double_ranks;
    case GAPS: return has_gap(p);
    case LATE_DOUBLES: return p->double_ranks >> 2;
    case HOPPERS: return any_step(p, hops);
    case RIDERS: return any_step(p, rides);
    case CHANGES:
    case LOST:
    case ALLOWANCES: return any_rule(p, feature);
    default: return true;
    }
}

/* Are there at least `least` pawns, and another man beside the kings? */
static bool has_pawns(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                      unsigned least)
{
    unsigned pawns = 0, others = 0;

    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < v->ntypes; t++) {
            if (random_is_pawn(&v->piece[t]))
                pawns += count[c][t];
            else if (!v->piece[t].royal)
                others += count[c][t];
        }
    return pawns >= least && others;
}

/* Are two men equal, and is there a third, so that both may be outer men?  Pawns do not count. */
static bool has_equals(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    unsigned men = 0;
    bool alike = false;

    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < v->ntypes; t++)
            if (!random_is_pawn(&v->piece[t]) && !v->piece[t].royal) {
                men += count[c][t];
                alike = alike || count[c][t] > 1;
            }
    return alike && men > 2;
}

/* Are there pawns of several kinds? */
static bool has_kinds(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX])
{
    unsigned kinds = 0;

    for (unsigned t = 0; t < v->ntypes; t++)
        kinds += random_is_pawn(&v->piece[t]) && count[0][t] + count[1][t];
    return kinds > 1;
}

bool feature_shows(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                   enum feature feature)
{
    bool side[2] = { false, false };

    if (feature == PAWN_BESIDE || feature == PAWNS_BESIDE)
        return has_pawns(v, count, feature == PAWNS_BESIDE ? 2 : 1);
    if (feature == EQUALS)
        return has_equals(v, count);
    if (feature == KINDS_OF_PAWNS)
        return has_kinds(v, count);

    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < v->ntypes; t++)
            side[c] = side[c] || (count[c][t] && type_shows(v, t, feature));
    return feature == PASSING ? side[0] && side[1] : side[0] || side[1];
}
