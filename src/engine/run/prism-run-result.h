/* prism-run-result: what a run came to, read again: from its file, or from the folder of its
 * result. Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

gboolean       prism_run_result_is       (const char *path);
char          *prism_run_result_dup_name (const char *path);
PrismSnapshot *prism_run_result_load     (const char  *path,
                                          GError     **error);

char         **prism_run_result_list_sources (const char *path);

G_END_DECLS
