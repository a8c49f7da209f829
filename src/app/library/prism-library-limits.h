/* prism-library-limits: how many runs stay, and what that comes to in words. Thread: any, but
 * prism_library_limits_init(). */
#pragma once

#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"

G_BEGIN_DECLS

void  prism_library_limits_init     (PrismRunLimits *limits);
char *prism_library_limits_dup_amount (guint   n,
                                       guint64 bytes);
char *prism_library_limits_dup_text (const PrismRunLimits *limits,
                                     GPtrArray            *entries);
GHashTable *prism_library_limits_find_next (GPtrArray  *cards,
                                            const char *runs);

G_END_DECLS
