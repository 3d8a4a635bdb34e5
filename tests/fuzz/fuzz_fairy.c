/* fuzz_fairy.c - a Fairy-Stockfish variants.ini: no section named, then up to four by name. */
#include <string.h>

#include "core/fairy.h"
#include "core/finish.h"
#include "tests/fuzz/fuzz.h"

static void one(const char *text, const char *section)
{
    struct bk_report why;
    struct bk_variant *v;

    if (bk_fairy_parse(&v, "fuzz.ini", text, section, &why) == BK_OK) {
        fuzz_variant(v);
        bk_variant_free(v);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = fuzz_text(bytes, n), name[64];
    unsigned sections = 0;

    bk_fairy_is(text);
    one(text, NULL);
    for (const char *s = text; (s = strchr(s, '[')) && sections < 4; s++, sections++) {
        size_t length = strcspn(s + 1, ":]\n");

        if (length < sizeof name) {
            memcpy(name, s + 1, length);
            name[length] = 0;
            one(text, name);
        }
    }
    free(text);
    return 0;
}
