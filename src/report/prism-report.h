/* prism-report: what a run came to, or several side by side, as one file to hand on: a page of HTML
 * with everything in it, or PDF. The ending of the path decides. */
#pragma once

#include "prism-mapping.h"
#include "results/prism-comparison.h"

G_BEGIN_DECLS

gboolean prism_report_check_path (const char  *path,
                                  GError     **error);
gboolean prism_report_save       (const PrismComparison  *comparison,
                                  const char             *path,
                                  GError                **error);

/* The heading of a column, translated, with its unit. */
char    *prism_report_dup_label  (const PrismComparisonColumn *column);

/* One scale of colours for the pictures of all runs, so that they compare. */

void prism_report_levels_widen   (PrismMapping     *mapping,
                                  const PrismImage *image,
                                  const PrismImage *reference);
void prism_report_levels_compute (const PrismComparison *comparison,
                                  PrismMapping          *amplitude,
                                  PrismMapping          *difference,
                                  PrismMapping          *phase);

G_END_DECLS
