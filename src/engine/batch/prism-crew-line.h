/* prism-crew-line: what a crew is told and what it answers, a line of text each. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char     *prism_crew_line_dup_order   (guint         item,
                                       char        **command);
gboolean  prism_crew_line_read_order  (const char   *line,
                                       guint        *item,
                                       char       ***command);
char     *prism_crew_line_dup_answer  (guint         item,
                                       int           status,
                                       const char   *message);
gboolean  prism_crew_line_read_answer (const char   *line,
                                       guint        *item,
                                       int          *status,
                                       char        **message);

G_END_DECLS
