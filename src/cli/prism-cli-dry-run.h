/* prism-cli-dry-run: run --dry-run: what a run would be, and what it would take. */
#pragma once

#include "prism-cli.h"

G_BEGIN_DECLS

PrismExit prism_cli_dry_run (const PrismConfig *config,
                             gboolean           saves,
                             gboolean           json,
                             gboolean           quiet);

G_END_DECLS
