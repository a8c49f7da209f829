/* prism-process: what holds for a whole process, set once when it begins. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_process_init (void);

G_END_DECLS
