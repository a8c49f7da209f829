/* prism-method: the ways from measurements to an image that are worth comparing on the same data,
 * each as the few parameters that make it. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "decoder" */
  const char *label;                    /* "Decoder only" */
  const char *help;                     /* one sentence */
} PrismMethod;

const PrismMethod *prism_method_get_all      (gsize *n_methods);
const PrismMethod *prism_method_find         (const PrismConfig *config);
char              *prism_method_dup_name     (const PrismConfig *config);
char              *prism_method_dup_run_name (const PrismConfig *config,
                                              gboolean           recorded);
gboolean           prism_method_is_distinct  (const PrismMethod *self,
                                              const PrismConfig *config);
PrismConfig       *prism_method_apply        (const PrismMethod *self,
                                              const PrismConfig *config);

G_END_DECLS
