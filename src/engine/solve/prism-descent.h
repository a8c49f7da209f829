/* prism-descent: passes of accelerated descent on the misfit between an image and the measurements,
 * weighted by their noise; a pass in steps of some measurements each.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "measure/prism-measurements.h"
#include "solve/prism-control.h"

G_BEGIN_DECLS

#define PRISM_DESCENT_MOST_VISITS 2048  /* of one step */

/* To be read by others, but changed by the functions below alone, but for smoothness,
 * samples_noise, and sample, which is 0 where the visits of a pass are done again: it must not see
 * two exposures of its measurements. */
typedef struct
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  gsize n_pixels;  /* m·m */
  guint n_samples; /* that take part: the first ones */
  guint sample;    /* next measurement of the pass */
  double exponent; /* of the weights: (min v / v)^exponent */
  double step_size;
  double momentum;               /* t of Nesterov's sequence */
  double misfit;                 /* Σ w·Σ(H(|φ|)-T)² so far in this pass */
  double last_misfit;            /* of the last whole pass; NAN before */
  double power;                  /* Σ w·ΣA² */
  double overlap;                /* largest Σ w·P */
  double smoothness;             /* factor of the total variation, not saved */
  double least_noise;            /* min v, 0 without noise */
  gboolean exact;                /* the last pass found nothing that single precision could mend */
  gboolean samples_noise;        /* frames with noise are looked at in samples, too */
  gboolean looks_at_all;         /* pixels, in the pass that begins next */
  guint pass;                    /* its number, which the pixels to look at follow from */
  PrismMisfitTerm *terms;        /* [N] */
  PrismIterate planes;           /* [m][m] after the last whole pass */
  PrismIterate arriving;         /* [m][m] from a device with memory of its own; NULL on others */
  gboolean is_put;               /* the device has copies that go on from planes */
} PrismDescent;

PrismDescent *prism_descent_new              (PrismBackend       *backend,
                                              PrismMeasurements  *measurements,
                                              guint               place,
                                              GError            **error);
void          prism_descent_free             (PrismDescent *self);
gboolean      prism_descent_add_samples      (PrismDescent  *self,
                                              guint          n_samples,
                                              GError       **error);
gboolean      prism_descent_set_exponent     (PrismDescent  *self,
                                              double         exponent,
                                              GError       **error);
void          prism_descent_set_image        (PrismDescent *self,
                                              const float  *image);
void          prism_descent_cool             (PrismDescent *self,
                                              double        factor,
                                              guint         pass,
                                              guint         n_passes);
guint         prism_descent_find_side        (PrismBackend      *backend,
                                              PrismMeasurements *measurements);
void          prism_descent_look_at          (PrismDescent *self,
                                              guint         pass,
                                              gboolean      all);
guint         prism_descent_count_visits     (PrismDescent *self);
void          prism_descent_choose_samples   (PrismDescent *self);
gboolean      prism_descent_pass             (PrismDescent  *self,
                                              PrismControl  *control,
                                              GError       **error);
gboolean      prism_descent_save             (PrismDescent  *self,
                                              PrismBundle   *bundle,
                                              const char    *name,
                                              GError       **error);
gboolean      prism_descent_load             (PrismDescent  *self,
                                              PrismBundle   *bundle,
                                              const char    *name,
                                              gboolean       goes_on,
                                              GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismDescent, prism_descent_free)

G_END_DECLS
