/* prism-report-text: words that reports and the window have in common. */
#pragma once

#include "results/prism-comparison.h"

G_BEGIN_DECLS

char *prism_report_dup_label (const PrismComparisonColumn *column);

G_END_DECLS
