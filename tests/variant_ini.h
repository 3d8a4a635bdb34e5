/*
 * variant_ini.h - any game, drawn ones above all, as a variant file that says the same.
 */
#ifndef VARIANT_INI_H
#define VARIANT_INI_H

#include <stdint.h>
#include <stdio.h>

#include "core/variant.h"

/* The whole game as a variant file; the material, unless NULL, as a comment at its end. */
void variant_print_ini(FILE *out, const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX]);

#endif
