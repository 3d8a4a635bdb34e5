/*
 * pack.c - see pack.h.  HOT: every position of a table comes through here, by
 * words of 64 or bytes of 8.
 */
#include "tb/encode/pack.h"

#include <string.h>

#ifdef __SSE2__ /* every x86-64 */
#include <emmintrin.h>
#endif

#include "table/format.h"
#include "tb/memory/memtable.h"

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS (ONES << 7)

/* == Collecting == */

void bk_planes_clear(struct bk_planes *p, size_t room)
{
    memset(p->won, 0, (room / 64 + 2) * sizeof *p->won);
    memset(p->draw, 0, (room / 64 + 2) * sizeof *p->draw);
    p->n = 0;
}

/* The lowest n bits of each; those above are zero. */
static inline void add_word(struct bk_planes *p, uint64_t won, uint64_t draw, unsigned n)
{
    size_t w = p->n >> 6;
    unsigned b = p->n & 63;

    p->won[w] |= won << b;
    p->draw[w] |= draw << b;
    if (b) {
        p->won[w + 1] |= won >> (64 - b);
        p->draw[w + 1] |= draw >> (64 - b);
    }
    p->n += n;
}

void bk_planes_add_bits(struct bk_planes *p, const uint64_t *won, const uint64_t *draw, uint64_t at,
                        uint32_t n)
{
    while (n) {
        unsigned part = n < 64 ? n : 64;

        add_word(p, bk_bits_at(won, at, part), bk_bits_at(draw, at, part), part);
        at += part;
        n -= part;
    }
}

/* The high bits of eight bytes, side by side. */
static inline unsigned highs(uint64_t x)
{
    return (unsigned)(((x & HIGHS) >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

/* One code, of a table whose losses begin at `loss`. */
static inline void add_code(struct bk_planes *p, unsigned code, unsigned loss)
{
    add_word(p, code == BK_CODE_ILLEGAL || (code >= BK_CODE_WIN && code < loss),
             code <= BK_CODE_DRAW, 1);
}

/* Eight codes: BK_CODE_ILLEGAL 0 and BK_CODE_DRAW 1, wins up to 127, losses from 128 on. */
static inline void planes_of(uint64_t codes, unsigned *won, unsigned *draw)
{
    uint64_t low = codes & ~HIGHS;
    uint64_t some = low + (HIGHS - ONES);        /* high bit: at least 1 */
    uint64_t decided = low + (HIGHS - 2 * ONES); /* at least 2 */

    *won = highs(~codes & (decided | ~some));
    *draw = highs(~codes & ~decided);
}

/* The same of 64 codes. */
static inline void planes_of_64(const uint8_t *code, uint64_t *won, uint64_t *draw)
{
    *won = *draw = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(code + i));
        unsigned loss = (unsigned)_mm_movemask_epi8(c); /* the high bits */
        unsigned drawn =
            (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8(BK_CODE_DRAW)));
        unsigned none = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_setzero_si128()));

        *won |= (uint64_t)(~(loss | drawn) & 0xffff) << i;
        *draw |= (uint64_t)(drawn | none) << i;
    }
#else
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t eight;
        unsigned w, d;

        memcpy(&eight, code + i, 8);
        planes_of(eight, &w, &d);
        *won |= (uint64_t)w << i;
        *draw |= (uint64_t)d << i;
    }
#endif
}

void bk_planes_add_codes(struct bk_planes *p, const uint8_t *code, uint32_t n)
{
    uint32_t i = 0;

    for (; i + 64 <= n; i += 64) {
        uint64_t won, draw;

        planes_of_64(code + i, &won, &draw);
        add_word(p, won, draw, 64);
    }
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        unsigned won, draw;

        memcpy(&eight, code + i, 8);
        planes_of(eight, &won, &draw);
        add_word(p, won, draw, 8);
    }
    for (; i < n; i++)
        add_code(p, code[i], BK_CODE_LOSS8);
}

void bk_planes_add_wide(struct bk_planes *p, const uint16_t *code, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add_code(p, code[i], BK_CODE_LOSS16);
}

/* == Two bits a position == */

/* Bit i to bit 2i. */
static inline uint64_t apart(uint32_t bits)
{
    uint64_t x = bits;

    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x << 2) & UINT64_C(0x3333333333333333);
    return (x | x << 1) & UINT64_C(0x5555555555555555);
}

static inline void put_word(uint8_t *raw, uint64_t x)
{
    for (unsigned i = 0; i < 8; i++) /* one store on little-endian machines */
        raw[i] = (uint8_t)(x >> (8 * i));
}

/* What is illegal takes the bits before it; *won and *draw come with the last position before. */
static inline void repeat(uint64_t *won, uint64_t *draw, unsigned carried)
{
    uint64_t gap = *won & *draw, w = *won & ~gap, d = *draw & ~gap;

    w |= gap & (carried >> 1);
    d |= gap & (carried & 1);
    gap &= ~UINT64_C(1);
    for (unsigned step = 1; gap && step < 64; step *= 2) {
        w |= w << step & gap;
        d |= d << step & gap;
        gap &= gap << step;
    }
    *won = w;
    *draw = d;
}

size_t bk_planes_pack(struct bk_planes *p, uint8_t *raw)
{
    size_t bytes = (p->n + 3) / 4;
    unsigned before = BK_WDL_DRAW; /* draw is bit 0, won is bit 1 */

    for (size_t w = 0; 64 * w < p->n; w++) {
        uint64_t won = p->won[w], draw = p->draw[w];
        size_t rest = p->n - 64 * w;
        uint8_t last[16];

        repeat(&won, &draw, before);
        before = (unsigned)(won >> 63) << 1 | (unsigned)(draw >> 63);
        put_word(last, apart((uint32_t)draw) | apart((uint32_t)won) << 1);
        put_word(last + 8, apart((uint32_t)(draw >> 32)) | apart((uint32_t)(won >> 32)) << 1);
        memcpy(raw + 16 * w, last, rest < 64 ? (rest + 3) / 4 : 16);
    }
    return bytes;
}

/* == Distances == */

/* Without a jump: what is decided and what not is as good as random. */
static inline unsigned k_of(unsigned code, unsigned loss, unsigned before)
{
    unsigned k = code - (code < loss ? BK_CODE_WIN : loss);
    unsigned keep = -(unsigned)(code <= BK_CODE_DRAW);

    return (before & keep) | (k & ~keep);
}

#ifdef __SSE2__
/* From one byte to the next n, where there is nothing yet: `there` tells. */
#define SPREAD(x, there, n)                                                                        \
    x = _mm_or_si128(x, _mm_andnot_si128(there, _mm_slli_si128(x, n)));                            \
    there = _mm_or_si128(there, _mm_slli_si128(there, n))

/* Sixteen without a jump: what is decided spreads to the gaps after it by doubling. */
static inline unsigned pack_16(const uint8_t *code, unsigned before, uint8_t *raw)
{
    __m128i c = _mm_loadu_si128((const __m128i *)code), two = _mm_set1_epi8(BK_CODE_WIN);
    __m128i there = _mm_cmpeq_epi8(_mm_max_epu8(c, two), c);
    __m128i loss = _mm_cmpgt_epi8(_mm_setzero_si128(), c); /* the high bit is the sign */
    __m128i k = _mm_sub_epi8(_mm_and_si128(c, _mm_set1_epi8(0x7f)), _mm_andnot_si128(loss, two));

    k = _mm_and_si128(k, there);
    SPREAD(k, there, 1);
    SPREAD(k, there, 2);
    SPREAD(k, there, 4);
    SPREAD(k, there, 8);
    k = _mm_or_si128(k, _mm_andnot_si128(there, _mm_set1_epi8((char)before)));
    _mm_storeu_si128((__m128i *)raw, k);
    return (unsigned)_mm_extract_epi16(k, 7) >> 8;
}
#endif

/* Eight bytes at once where all or none are decided, which is most of the time. */
unsigned bk_pack_distances(const uint8_t *code, uint32_t n, unsigned before, uint8_t *raw)
{
    uint32_t i = 0;

#ifdef __SSE2__
    for (; i + 16 <= n; i += 16)
        before = pack_16(code + i, before, raw + i);
#endif
    for (; i + 8 <= n; i += 8) {
        uint64_t eight, wins, decided;

        memcpy(&eight, code + i, 8);
        decided = (eight | ((eight & ~HIGHS) + (HIGHS - 2 * ONES))) & HIGHS;
        if (decided == HIGHS) {
            wins = ~eight & HIGHS; /* BK_CODE_WIN is 2, BK_CODE_LOSS8 the high bit */
            eight = (eight & ~HIGHS) - (wins >> 6);
            before = (unsigned)(code[i + 7] < BK_CODE_LOSS8 ? code[i + 7] - BK_CODE_WIN
                                                            : code[i + 7] - BK_CODE_LOSS8);
            memcpy(raw + i, &eight, 8);
        } else if (!decided) {
            memset(raw + i, (int)before, 8);
        } else {
            for (unsigned j = 0; j < 8; j++)
                raw[i + j] = (uint8_t)(before = k_of(code[i + j], BK_CODE_LOSS8, before));
        }
    }
    for (; i < n; i++)
        raw[i] = (uint8_t)(before = k_of(code[i], BK_CODE_LOSS8, before));
    return before;
}

unsigned bk_pack_wide_distances(const uint16_t *code, uint32_t n, unsigned before, uint8_t *raw)
{
    for (uint32_t i = 0; i < n; i++) {
        before = k_of(code[i], BK_CODE_LOSS16, before);
        raw[2 * i] = (uint8_t)before;
        raw[2 * i + 1] = (uint8_t)(before >> 8);
    }
    return before;
}

/* == Back == */

/* Bit 2i to bit i. */
static inline uint32_t together(uint64_t x)
{
    x &= UINT64_C(0x5555555555555555);
    x = (x | x >> 1) & UINT64_C(0x3333333333333333);
    x = (x | x >> 2) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(x | x >> 16);
}

static inline uint64_t get_word(const uint8_t *raw)
{
    uint64_t x = 0;

    for (unsigned i = 0; i < 8; i++) /* one load on little-endian machines */
        x |= (uint64_t)raw[i] << (8 * i);
    return x;
}

void bk_unpack_planes(const uint8_t *raw, size_t n, uint64_t *won, uint64_t *draw)
{
    for (size_t i = 0; i < n; i += 64) {
        uint8_t pairs[16] = { 0 };
        uint64_t a, b;

        memcpy(pairs, raw + i / 4, n - i < 64 ? (n - i + 3) / 4 : 16);
        a = get_word(pairs);
        b = get_word(pairs + 8);
        draw[i / 64] = (uint64_t)together(b) << 32 | together(a);
        won[i / 64] = (uint64_t)together(b >> 1) << 32 | together(a >> 1);
    }
}

static inline unsigned two_bits(const uint8_t *raw, uint32_t i)
{
    return raw[i >> 2] >> (2 * (i & 3)) & 3;
}

static inline unsigned code_of(unsigned wdl, unsigned k, unsigned loss)
{
    return wdl == BK_WDL_DRAW ? BK_CODE_DRAW : k + (wdl == BK_WDL_WIN ? BK_CODE_WIN : loss);
}

/* The pairs of 16 bits, each in a byte of its own. */
static inline uint64_t pairs_apart(unsigned bits)
{
    uint64_t x = bits;

    x = (x | x << 24) & UINT64_C(0x000000ff000000ff);
    x = (x | x << 12) & UINT64_C(0x000f000f000f000f);
    return (x | x << 6) & UINT64_C(0x0303030303030303);
}

/*
 * Eight at once.  BK_CODE_DRAW and BK_CODE_WIN are what BK_WDL_DRAW and _WIN are, so
 * that a code is k + wdl, without k in draws, with the high bit turned in losses.
 */
static inline uint64_t codes_of(uint64_t k, uint64_t wdl)
{
    uint64_t draw = wdl & ONES, loss = ~(wdl | wdl >> 1) & ONES;

    k &= ~((draw << 8) - draw); /* 1 to 255 in each byte */
    return ((k & ~HIGHS) + wdl) ^ (k & HIGHS) ^ loss << 7;
}

void bk_unpack_codes(const uint8_t *raw, uint32_t from, uint32_t n, uint8_t *code)
{
    uint32_t i = 0;

    for (; i < n && (from + i) & 3; i++)
        code[i] = (uint8_t)code_of(two_bits(raw, from + i), code[i], BK_CODE_LOSS8);
    for (; i + 8 <= n; i += 8) {
        const uint8_t *two = raw + (from + i) / 4;
        uint64_t eight;

        memcpy(&eight, code + i, 8);
        eight = codes_of(eight, pairs_apart(two[0] | (unsigned)two[1] << 8));
        memcpy(code + i, &eight, 8);
    }
    for (; i < n; i++)
        code[i] = (uint8_t)code_of(two_bits(raw, from + i), code[i], BK_CODE_LOSS8);
}

void bk_unpack_wide_codes(const uint8_t *raw, uint32_t from, uint32_t n, void *bytes)
{
    uint8_t *low_first = bytes;
    uint16_t *code = bytes;

    for (uint32_t i = 0; i < n; i++)
        code[i] = (uint16_t)code_of(two_bits(raw, from + i),
                                    low_first[2 * i] | (unsigned)low_first[2 * i + 1] << 8,
                                    BK_CODE_LOSS16);
}
