/* prism-run-diff: what tells two runs apart, and what it did, in words. */
#pragma once

#include "session/prism-session.h"

G_BEGIN_DECLS

gboolean prism_run_diff_is_any     (PrismSession      *session,
                                    const PrismConfig *before,
                                    const PrismConfig *after);
char    *prism_run_diff_dup_text   (PrismSession      *session,
                                    const PrismConfig *before,
                                    const PrismConfig *after);
char    *prism_run_diff_dup_effect (const PrismSnapshot *before,
                                    const PrismSnapshot *after);

G_END_DECLS
