/* prism-run-snapshot: the numbers of a snapshot as text, for run files. Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

char    *prism_run_snapshot_to_text       (const PrismSnapshot *snapshot);
gboolean prism_run_snapshot_add_parts     (const PrismSnapshot *snapshot,
                                           PrismBundle         *bundle);
gboolean prism_run_snapshot_parse         (PrismSnapshot  *snapshot,
                                           const char     *text,
                                           const char     *name,
                                           GError        **error);
const char *
         prism_run_snapshot_get_state_name (PrismState state);
gboolean prism_run_snapshot_parse_state   (const char *name,
                                           PrismState *state);

G_END_DECLS
