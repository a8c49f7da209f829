/* prism-report: what a run came to, or several side by side, as one file to hand on: a page of HTML
 * with everything in it, or PDF. The ending of the path decides. */
#pragma once

#include "results/prism-comparison.h"

G_BEGIN_DECLS

gboolean prism_report_check_path (const char  *path,
                                  GError     **error);
gboolean prism_report_save       (const PrismComparison  *comparison,
                                  const char             *path,
                                  GError                **error);

G_END_DECLS
