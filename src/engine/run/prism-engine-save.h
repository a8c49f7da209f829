/* prism-engine-save: how the pictures of a run that is over are looked at, written into its file.
 * Thread: any; see prism-run-lock for programs. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

gboolean prism_run_view_save (const char *path,
                              const PrismConfig *config,
                              GError **error);

G_END_DECLS
