/* prism-tune: with how many threads the steps of a run are quickest here: what is known, or found
 * out by a few of them. Thread: any; it waits for a process. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean prism_tune_check  (const PrismConfig  *config,
                            GError            **error);
char    *prism_tune_find   (const PrismConfig  *config,
                            const char         *program,
                            gboolean            again,
                            GError            **error);

G_END_DECLS
