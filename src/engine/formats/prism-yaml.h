/* prism-yaml: the part of YAML that configurations are written in: mappings and scalars. Thread:
 * any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *path;                           /* "telescope.snr" */
  char *value;                          /* (nullable): text; NULL for null */
  guint line;                           /* from 1 */
} PrismYamlEntry;

GPtrArray *prism_yaml_parse (const char  *text,
                             gsize        length,
                             const char  *name,
                             GError     **error);

G_END_DECLS
