/* prism-object: what the telescope looks at: an amplitude image, built in or from a file. */
#pragma once

#include "prism-config.h"
#include "prism-image.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "moon" */
  const char *label;                    /* "Cratered moon" */
  const char *help;
} PrismBuiltinObject;

const PrismBuiltinObject *prism_object_get_builtins (gsize *n_builtins);
PrismImage               *prism_object_load         (const PrismConfig  *config,
                                                     GError            **error);
PrismImage               *prism_object_fit          (const PrismImage  *grey,
                                                     int                object_size,
                                                     gboolean           invert,
                                                     GError           **error);

G_END_DECLS
