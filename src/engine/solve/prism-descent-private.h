/* prism-descent-private: the fields of a descent, for the files that are its parts */
#pragma once

#include "solve/prism-descent.h"

G_BEGIN_DECLS

/* Measurements of one step. */
#define PRISM_DESCENT_FEW_VISITS 32
#define PRISM_DESCENT_MOST_VISITS 2048

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
  gboolean samples_noise;        /* frames with noise are looked at in samples, too */
  gboolean looks_at_all;         /* pixels, in the pass that begins next */
  guint pass;                    /* its number, which the pixels to look at follow from */
  PrismNoiseEstimate *estimates; /* [N] */
  PrismMisfitTerm *terms;        /* [N] */
  PrismIterate planes;           /* [m][m] after a whole pass, n_ahead passes ago */
  PrismIterate arriving;         /* [m][m] from a device with memory of its own; NULL on others */
  gboolean is_put;               /* the device has copies that go on from planes */
  gboolean restarts;             /* the device's point becomes its image with the next pass */
  gboolean has_image;            /* arriving has the image after the last whole pass */
  guint n_ahead;                 /* passes that the device has done since planes */
  double kept_momentum;          /* momentum and last_misfit at planes; without a misfit of the */
  double kept_misfit;            /* weights as they are the momentum is of no use */
  guint n_owed;                  /* passes that were lost with a device and are done again */
};

void     prism_descent_begin_pass      (PrismDescent *self);

gboolean prism_descent_uses_samples    (PrismDescent *self);
guint    prism_descent_count_visits    (PrismDescent *self);
void     prism_descent_choose_samples  (PrismDescent *self);

gboolean prism_descent_allocate_planes (PrismDescent  *self,
                                        GError       **error);
void     prism_descent_free_planes     (PrismDescent *self);
void     prism_descent_set_planes      (PrismDescent *self,
                                        const float  *image);
void     prism_descent_restart         (PrismDescent *self);
gboolean prism_descent_put             (PrismDescent  *self,
                                        GError       **error);
gboolean prism_descent_fetch           (PrismDescent  *self,
                                        GError       **error);
gboolean prism_descent_note_pass       (PrismDescent  *self,
                                        GError       **error);
void     prism_descent_leave_device    (PrismDescent *self);

G_END_DECLS
