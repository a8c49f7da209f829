/* prism-benchmark-switch: the one table of what makes runs faster and can be switched off.
 * Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;
  const char *label;                    /* to be translated */
  const char *key;                      /* (nullable): the parameter */
  const char *plain;                    /* its value in a plain run */
  const char *on;                       /* its value with the switch on */
  const char *variable;                 /* (nullable): of the environment, set in a plain run */
  gboolean usual;                       /* whether it is gone over unasked */
} PrismBenchmarkSwitch;

const PrismBenchmarkSwitch *prism_benchmark_get_switches    (gsize *n);
const PrismBenchmarkSwitch *prism_benchmark_find_switch     (const char *id);
const char                 *prism_benchmark_switch_get_gap  (const PrismBenchmarkSwitch *self,
                                                             const PrismConfig          *config);
gboolean                    prism_benchmark_switch_apply    (const PrismBenchmarkSwitch *self,
                                                             PrismConfig                *config,
                                                             gboolean                    on,
                                                             GError                    **error);

G_END_DECLS
