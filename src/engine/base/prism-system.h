/* prism-system: what the program runs on: processor, memory, library versions. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;                     /* "GLib" */
  char *version;                        /* "2.74.6" */
} PrismLibrary;

GPtrArray *prism_system_dup_libraries  (void);
char      *prism_system_dup_processor  (void);
guint64    prism_system_get_memory     (void);
guint64    prism_system_get_peak_memory (void);
void       prism_system_add_versions   (JsonBuilder *builder);

G_END_DECLS
