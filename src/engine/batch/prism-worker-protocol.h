/* prism-worker-protocol: what worker processes are told and what they answer, a line of text each.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char     *prism_worker_protocol_dup_order   (guint         item,
                                             char        **command);
gboolean  prism_worker_protocol_read_order  (const char   *line,
                                             guint        *item,
                                             char       ***command);
char     *prism_worker_protocol_dup_answer  (guint         item,
                                             int           status,
                                             const char   *message);
gboolean  prism_worker_protocol_read_answer (const char   *line,
                                             guint        *item,
                                             int          *status,
                                             char        **message);

G_END_DECLS
