/* prism-cli-performance: bench --measure, --find-size, --pieces, --passes and --transfers: which
 * sizes pay on this machine, and what parts of a run take. */
#pragma once

#include "config/prism-config.h"
#include "prism-cli-exit.h"

G_BEGIN_DECLS

#define PRISM_CLI_TRANSFERS_ALL -1      /* sizes, one after the other */

typedef struct
{
  gboolean measure;
  gboolean find_size;
  gboolean pieces;
  gboolean passes;
  gboolean transfers;
  int n_mib;                            /* of transfers; or PRISM_CLI_TRANSFERS_ALL */
} PrismCliPerformance;

gboolean  prism_cli_performance_is_asked (const PrismCliPerformance *self);
PrismExit prism_cli_performance_run      (const PrismCliPerformance *self,
                                          const PrismConfig         *config,
                                          gboolean                   json,
                                          gboolean                   quiet, GError **error);

G_END_DECLS
