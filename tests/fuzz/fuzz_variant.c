/* fuzz_variant.c - the text of a variant file. */
#include "core/read.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = fuzz_text(bytes, n);
    struct bk_report why;
    struct bk_variant *v;

    if (bk_variant_parse(&v, "fuzz.ini", text, &why) == BK_OK) {
        fuzz_variant(v);
        bk_variant_free(v);
    }
    free(text);
    return 0;
}
