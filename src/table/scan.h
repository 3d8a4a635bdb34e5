/*
 * scan.h - what a table file says of whole rows: for scans of a table.
 */
#ifndef BK_SCAN_H
#define BK_SCAN_H

#include "table/format.h"

/*
 * Reads a file row by row.  Each thread has its own; rows are best asked in the
 * order of their numbers.  *out owned; f borrowed.
 */
struct bk_scan;
enum bk_err bk_scan_new(struct bk_scan **out, struct bk_file *f, struct bk_report *why);
void bk_scan_free(struct bk_scan *s); /* NULL is fine */
/*
 * Sets `out` to what the file says of a row of its index, for the squares of the inner man in
 * `care`, on which no other man stands (bk_row_care()).  out: planes and care; see bk_model_row().
 * Returns BK_OK, BK_E_CORRUPT, BK_E_SYSTEM.  Cost: some 2 to 4 ns a position.
 */
enum bk_err bk_scan_row(struct bk_scan *s, unsigned side, const struct bk_row *row,
                        const uint64_t *care, struct bk_row_values *out, struct bk_report *why);
/* Sets `care` to the squares that the inner man of a row may stand on; false: two other men share a
   square. */
bool bk_row_care(const struct bk_row *row, unsigned men, uint64_t care[4]);

#endif
