/* prism-change: what tells two runs apart, and what it did, in words; and about how long a run
 * takes, told before it. */
#pragma once

#include "session/prism-session.h"

G_BEGIN_DECLS

gboolean prism_change_is_any     (PrismSession      *session,
                                  const PrismConfig *before,
                                  const PrismConfig *after);
char    *prism_change_dup_text   (PrismSession      *session,
                                  const PrismConfig *before,
                                  const PrismConfig *after);
char    *prism_change_dup_effect (const PrismSnapshot *before,
                                  const PrismSnapshot *after);
double   prism_change_guess_time (const PrismConfig   *config,
                                  const PrismSnapshot *known);
gboolean prism_change_is_long    (const PrismConfig   *config,
                                  const PrismSnapshot *known);

G_END_DECLS
