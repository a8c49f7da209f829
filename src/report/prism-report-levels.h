/* prism-report-levels: one scale of colours for the pictures of all runs, so that they compare. */
#pragma once

#include "prism-mapping.h"
#include "results/prism-comparison.h"

G_BEGIN_DECLS

void prism_report_levels_widen   (PrismMapping     *mapping,
                                  const PrismImage *image,
                                  const PrismImage *reference,
                                  gboolean          first);
void prism_report_levels_compute (const PrismComparison *comparison,
                                  PrismMapping          *amplitude,
                                  PrismMapping          *difference,
                                  PrismMapping          *phase);

G_END_DECLS
