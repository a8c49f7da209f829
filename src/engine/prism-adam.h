/* prism-adam: the constants of one Adam step. The update itself is fused into each backend's
 * gradient. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* w ← w - rate·(m/correction1)/(√(v/correction2) + epsilon) with β 0.9/0.999. */
typedef struct
{
  float learning_rate;
  double beta1;                         /* double, since 1 - β2 in float is off by 1e-5 */
  double beta2;
  float epsilon;
  float correction1;                    /* 1 - β1^t */
  float correction2;                    /* 1 - β2^t */
} PrismAdam;

void prism_adam_init (PrismAdam *self,
                      double     learning_rate,
                      guint64    n_steps);

G_END_DECLS
