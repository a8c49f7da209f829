/* prism-adam: the constants of one step of Adam, AdamW or AMSGrad. The update itself is fused into
 * each backend's gradient. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* w ← w - decay·w, then w ← w - rate·(m/correction1)/(√(v/correction2) + epsilon) with β 0.9/0.999;
 * of AMSGrad v is the largest so far. */
typedef struct
{
  float learning_rate;
  double beta1;                         /* double, since 1 - β2 in float is off by 1e-5 */
  double beta2;
  float epsilon;
  float correction1;                    /* 1 - β1^t */
  float correction2;                    /* 1 - β2^t */
  float decay;                          /* rate · weight decay, 0 = plain Adam */
  double clip_norm;                     /* > 0: the gradient is shortened to this norm */
} PrismAdam;

void prism_adam_init (PrismAdam *self,
                      double     learning_rate,
                      guint64    n_steps);
void prism_adam_set_decay (PrismAdam *self,
                           double     weight_decay);

G_END_DECLS
