#include "config.h"

#include "num/prism-adam.h"

/**
 * prism_adam_init:
 * @self: (out caller-allocates): constants
 * @learning_rate: of this step
 * @n_steps: steps done including this one, from 1
 *
 * Prepares one Adam step (β 0.9/0.999, ε 1e-8), bias corrections in double, without weight decay
 * and without a limit of the gradient.
 *
 * Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1.
 */
void
prism_adam_init (PrismAdam *self,
                 double learning_rate,
                 guint64 n_steps)
{
  self->learning_rate = learning_rate;
  self->beta1 = 0.9;
  self->beta2 = 0.999;
  self->epsilon = 1e-8f;
  self->correction1 = 1.0 - pow (self->beta1, n_steps);
  self->correction2 = 1.0 - pow (self->beta2, n_steps);
  self->decay = 0.0f;
  self->clip_norm = 0.0;
}

/**
 * prism_adam_set_decay:
 * @self: constants of a step
 * @weight_decay: λ
 *
 * Lets each weight shrink by the part rate·λ of itself, beside the gradient.
 *
 * Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019, algorithm 2.
 */
void
prism_adam_set_decay (PrismAdam *self,
                      double weight_decay)
{
  self->decay = self->learning_rate * weight_decay;
}
