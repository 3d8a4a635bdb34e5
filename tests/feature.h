/*
 * feature.h - what a random game, its material and a run of the solver may show, so that the fuzzer
 * can look for what is rare and say what was in play.
 */
#ifndef FEATURE_H
#define FEATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/variant.h"

enum feature {
    HOLES,
    LARGE,
    LOST,
    IN_PLACE,
    CHANGES,
    ALLOWANCES,
    ZONES,
    DOUBLES,
    PASSING,
    CASTLES,
    CASTLES_ELSEWHERE,
    TAKES_TWICE,
    BENT,
    HOPPERS,
    RIDERS,
    CLOCK,
    HANDS,
    CONFIGURATION,
    OPENING,
    QUIET,
    LAND,
    BARE_NOTHING,
    BARE_WINS,
    BARE_BACK,
    STALE_DRAW,
    STALE_LOSS,
    PORTABLE,
    AVX2,
    AVX512,
    SET64,
    SET128,
    SET256,
    TWO_THREADS,
    LITTLE_MEMORY,
    PACKED,
    TWO_BYTES,
    NO_DISTANCES,
    GROUPS,
    WIDE_GROUPS,
    COMPACT,
    PAWN_BESIDE,
    PAWNS_BESIDE,
    EQUALS,
    ODD_PAWNS,
    KINDS_OF_PAWNS,
    COUNTED_PAWNS,
    DOUBLE_MEN,
    GAPS,
    LATE_DOUBLES,
    NARROW,
    SHUFFLING,
    FEATURES
};

extern const char *const feature_name[FEATURES];

/* Does the material show the feature?  PASSING needs a man of each side, others one man. */
bool feature_shows(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                   enum feature feature);

#endif
