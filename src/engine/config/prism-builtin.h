/* prism-builtin: names of the objects that come with the program. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_BUILTIN_FILLED 0.92        /* of the width of its square, by the disk of a moon */

typedef struct
{
  const char *id;                       /* "moon" */
  const char *label;                    /* "Cratered moon" */
  const char *help;
  double distance;                      /* m; 0 where nobody knows how far and large it is */
  double side;                          /* m, of its square */
} PrismBuiltin;

const PrismBuiltin *prism_builtin_get_all   (gsize *n_builtins);
const PrismBuiltin *prism_builtin_find      (const char *id);
char               *prism_builtin_dup_label (const char *object);

G_END_DECLS
