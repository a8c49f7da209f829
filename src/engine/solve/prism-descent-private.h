/* prism-descent-private: the fields of a descent, for the files that are its parts */
#pragma once

#include "num/prism-variation.h"
#include "solve/prism-descent.h"

G_BEGIN_DECLS

/* n = image_size, m = object_size, N = samples */
struct _PrismDescent
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  guint n_samples; /* that take part: the first ones */
  guint sample;    /* next measurement of the pass */
  double exponent; /* of the weights: (min v / v)^exponent */
  double step_size;
  double momentum;               /* t of Nesterov's sequence */
  double misfit;                 /* Σ w·Σ(H(|φ|)-T)² so far in this pass */
  double last_misfit;            /* of the last whole pass; NAN before */
  double power;                  /* Σ w·ΣA² */
  double overlap;                /* largest Σ w·P */
  double smoothness;             /* factor of the total variation */
  double least_noise;            /* min v, 0 without noise */
  gboolean exact;                /* the last pass found nothing that single precision could mend */
  PrismVariation *variation;
  float *across;                 /* [m][m] dual field of the total variation, along rows */
  float *down;                   /* [m][m] along columns */
  PrismNoiseEstimate *estimates; /* [N] */
  PrismMisfitTerm *terms;        /* [N] */
  float *image;                  /* [m][m] after the last whole pass */
  float *point;                  /* [m][m] where the gradient is taken: image and momentum */
  float *gradient;               /* [m][m] of the pass under way */
};

void prism_descent_begin_pass (PrismDescent *self);

G_END_DECLS
