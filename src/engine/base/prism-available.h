/* prism-available: how much memory a program may still take, and takes, and how many processors it
 * has. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

guint64 prism_available_get_memory      (void);
guint64 prism_available_get_resident    (void);
guint64 prism_available_read_system     (const char *root);
guint   prism_available_get_processors  (void);
guint   prism_available_read_processors (const char *root,
                                         guint       n_assigned);

G_END_DECLS
