/* prism-finding-report: what explains recorded frames, as one file to hand on: a page of HTML with
 * everything in it, or PDF. The ending of the path decides. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

gboolean prism_finding_report_save (const PrismFinding  *finding,
                                    const char          *path,
                                    GError             **error);

G_END_DECLS
