/* prism-cli-results: results of earlier runs, from files. */
#pragma once

#include "results/prism-result.h"

G_BEGIN_DECLS

PrismResult *prism_cli_results_load    (const char          *path,
                                        PrismSnapshotParts   parts,
                                        GError             **error);

G_END_DECLS
