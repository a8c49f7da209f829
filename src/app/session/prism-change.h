/* prism-change: what tells two runs apart, and what it did, in words. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

gboolean prism_change_is_any   (const PrismConfig *before,
                                const PrismConfig *after);
char    *prism_change_dup_text (const PrismConfig *before,
                                const PrismConfig *after);
char    *prism_change_dup_effect (const PrismSnapshot *before,
                                  const PrismSnapshot *after);

G_END_DECLS
