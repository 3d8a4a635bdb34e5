/*
 * replay.c - runs a fuzz target without libFuzzer: on each file of its corpus, and on changes of
 * that file that are the same in every run.
 *
 * usage: replay_TARGET CHANGES FILE...
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define BYTES_MAX (1 << 16)

static uint64_t state = 88172645463325252u;

static unsigned below(size_t n) /* xorshift */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % n);
}

/* Makes one small change: a byte, a bit, a piece taken out, doubled, or put elsewhere; returns the
   new size. */
static size_t change(uint8_t *bytes, size_t n)
{
    size_t at = n ? below(n) : 0, length = n ? 1 + below(n - at < 16 ? n - at : 16) : 0;

    if (!n)
        return 0;
    switch (below(5)) {
    case 0: bytes[at] = (uint8_t)below(256); return n;
    case 1: bytes[at] ^= (uint8_t)(1u << below(8)); return n;
    case 2: memmove(bytes + at, bytes + at + length, n - at - length); return n - length;
    case 3:
        if (n + length > BYTES_MAX)
            return n;
        memmove(bytes + at + length, bytes + at, n - at);
        return n + length;
    default: memmove(bytes + below(n - length + 1), bytes + at, length); return n;
    }
}

int main(int argc, char **argv)
{
    static uint8_t whole[BYTES_MAX], bytes[BYTES_MAX];
    unsigned long changes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, runs = 0;

    for (int i = 2; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        size_t n = in ? fread(whole, 1, sizeof whole, in) : 0;

        FUZZ_CHECK(in);
        fclose(in);
        for (unsigned long k = 0; k <= changes; k++, runs++) {
            size_t now = n;

            memcpy(bytes, whole, n);
            for (unsigned long c = 0; c < (k + 3) / 4 && c < 8; c++)
                now = change(bytes, now);
            LLVMFuzzerTestOneInput(bytes, now);
        }
    }
    fprintf(stderr, "%lu inputs\n", runs);
    return 0;
}
