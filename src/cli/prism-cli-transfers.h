/* prism-cli-transfers: bench --transfers: copies between the host's memory and a graphics
 * processor's, timed. */
#pragma once

#include "config/prism-config.h"
#include "prism-cli-exit.h"

G_BEGIN_DECLS

#define PRISM_CLI_TRANSFERS_ALL -1      /* sizes, one after the other */

PrismExit prism_cli_transfers_run (const PrismConfig *config,
                                   int                n_mib,
                                   gboolean           json);

G_END_DECLS
