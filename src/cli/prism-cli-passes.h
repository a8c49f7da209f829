/* prism-cli-passes: bench --passes: whole passes of the refinement, timed on the device of a
 * configuration. */
#pragma once

#include "config/prism-config.h"
#include "prism-cli-exit.h"

G_BEGIN_DECLS

PrismExit prism_cli_passes_run (const PrismConfig *config,
                                gboolean           json);

G_END_DECLS
