/* prism-builtin: names of the objects that come with the program. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "moon" */
  const char *label;                    /* "Cratered moon" */
  const char *help;
} PrismBuiltin;

const PrismBuiltin *prism_builtin_get_all   (gsize *n_builtins);
const PrismBuiltin *prism_builtin_find      (const char *id);
char               *prism_builtin_dup_label (const char *object);

G_END_DECLS
