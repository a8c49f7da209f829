/* prism-report-text: words that reports and the window have in common. */
#pragma once

#include "results/prism-comparison.h"

G_BEGIN_DECLS

char *prism_report_dup_label (const PrismComparisonColumn *column);

/* A fact about a run that is neither quality nor a setting. */
guint    prism_report_get_n_facts (void);
char    *prism_report_dup_fact    (guint               i,
                                   const PrismResult  *result,
                                   const char        **label);
GArray     *prism_report_list_settings (const PrismComparison *comparison);
const char *prism_report_get_group     (const PrismComparisonColumn *setting);
char    *prism_report_dup_setting (const PrismResult           *result,
                                   const PrismComparisonColumn *setting,
                                   gboolean                    *is_default);
char    *prism_report_dup_command (const PrismResult *result);
char    *prism_report_dup_remark  (const PrismResult *result);

G_END_DECLS
