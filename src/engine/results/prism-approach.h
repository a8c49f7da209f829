/* prism-approach: the ways from measurements to an image that are worth comparing on the same data,
 * each as the few parameters that make it. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "decoder" */
  const char *label;                    /* "Decoder only" */
  const char *help;                     /* one sentence */
} PrismApproach;

const PrismApproach *prism_approach_get_all      (gsize *n_methods);
const PrismApproach *prism_approach_find         (const PrismConfig *config);
char              *prism_approach_dup_name     (const PrismConfig *config);
gboolean           prism_approach_is_distinct  (const PrismApproach *self,
                                              const PrismConfig *config);
PrismConfig       *prism_approach_apply        (const PrismApproach *self,
                                              const PrismConfig *config);

G_END_DECLS
