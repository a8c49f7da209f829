/* prism-process: what holds for a whole process, set once when it begins. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void   prism_process_init      (void);
gint64 prism_process_get_start (void);

G_END_DECLS
