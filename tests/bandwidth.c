/*
 * bandwidth.c - what this machine's memory can do, for `make bench`.
 *
 * Streaming copy and streaming OR over 256 MiB, one thread, best of five: the
 * yardstick for "bytes touched".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

#define WORDS ((size_t)32 << 20)

int main(void)
{
    uint64_t *a = malloc(WORDS * 8), *b = malloc(WORDS * 8);
    double copy = 1e9, merge = 1e9;

    if (!a || !b)
        return 4;
    memset(a, 1, WORDS * 8);
    memset(b, 2, WORDS * 8);
    for (int i = 0; i < 5; i++) {
        double t = bk_now_seconds();

        memcpy(a, b, WORDS * 8);
        t = bk_now_seconds() - t;
        copy = t < copy ? t : copy;
        t = bk_now_seconds();
        for (size_t j = 0; j < WORDS; j++)
            a[j] |= b[j];
        t = bk_now_seconds() - t;
        merge = t < merge ? t : merge;
    }
    printf("memory: copy %.1f GB/s, or %.1f GB/s (bytes read and written, one thread; %d)\n",
           2 * WORDS * 8 / copy / 1e9, 3 * WORDS * 8 / merge / 1e9, (int)(a[5] & 3));
    free(a);
    free(b);
    return 0;
}
