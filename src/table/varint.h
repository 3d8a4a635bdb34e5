/*
 * varint.h - numbers in a file: fixed, least byte first; or as many bytes as they need.
 *
 * A varint has seven bits a byte, the lowest first; the highest bit of a byte
 * says that another follows.  Source: docs/format.md 1.
 */
#ifndef BK_VARINT_H
#define BK_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BK_VARINT_BYTES_MAX 10

static inline void bk_fixed_put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t bk_fixed_get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/* Writes a varint of up to BK_VARINT_BYTES_MAX bytes; returns how many. */
static inline size_t bk_varint_put(uint8_t *at, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

/* Bytes that are read one after the other.  `failed` stays once something did not fit. */
struct bk_bytes_in {
    const uint8_t *at, *end;
    bool failed;
};

static inline const uint8_t *bk_bytes_take(struct bk_bytes_in *in, size_t n)
{
    const uint8_t *at = in->at;

    if (in->failed || (size_t)(in->end - in->at) < n) {
        in->failed = true;
        return NULL;
    }
    in->at += n;
    return at;
}

static inline uint64_t bk_fixed_take(struct bk_bytes_in *in, unsigned bytes)
{
    const uint8_t *at = bk_bytes_take(in, bytes);

    return at ? bk_fixed_get(at, bytes) : 0;
}

/* Takes a varint of at most `most`, written in the shortest way; else 0, and `failed` is set. */
static inline uint64_t bk_varint_take(struct bk_bytes_in *in, uint64_t most)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        const uint8_t *at = bk_bytes_take(in, 1);

        if (!at || (shift == 63 && *at > 1) || (shift && !*at))
            break;
        value |= (uint64_t)(*at & 0x7f) << shift;
        if (!(*at & 0x80)) {
            if (value > most)
                break;
            return value;
        }
    }
    in->failed = true;
    return 0;
}

#endif
