/* prism-available: how much memory a program may still take, and takes. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

guint64 prism_available_get_memory  (void);
guint64 prism_available_get_resident (void);
guint64 prism_available_read_system (const char *root);

G_END_DECLS
