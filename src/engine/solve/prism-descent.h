/* prism-descent: passes of accelerated descent on the misfit between an image and the measurements,
 * weighted by their noise; a pass in steps of some measurements each.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "measure/prism-measurements.h"
#include "solve/prism-control.h"

G_BEGIN_DECLS

typedef struct _PrismDescent PrismDescent;

PrismDescent *prism_descent_new              (PrismBackend       *backend,
                                              PrismMeasurements  *measurements,
                                              guint               place,
                                              GError            **error);
void          prism_descent_free             (PrismDescent *self);
void          prism_descent_move             (PrismDescent *self,
                                              PrismBackend *backend);
gboolean      prism_descent_add_samples      (PrismDescent  *self,
                                              guint          n_samples,
                                              GError       **error);
gboolean      prism_descent_set_exponent     (PrismDescent  *self,
                                              double         exponent,
                                              GError       **error);
void          prism_descent_set_image        (PrismDescent *self,
                                              const float  *image);
void          prism_descent_forget_samples   (PrismDescent *self);
void          prism_descent_repeat_pass      (PrismDescent *self);
void          prism_descent_set_smoothness   (PrismDescent *self,
                                              double        factor);
void          prism_descent_cool             (PrismDescent *self,
                                              double        factor,
                                              guint         pass,
                                              guint         n_passes);
guint         prism_descent_find_side        (PrismBackend      *backend,
                                              PrismMeasurements *measurements);
void          prism_descent_sample_noise     (PrismDescent *self,
                                              gboolean      samples_noise);
void          prism_descent_look_at          (PrismDescent *self,
                                              guint         pass,
                                              gboolean      all);
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
                                              GError       **error);
guint         prism_descent_get_sample       (PrismDescent *self);
double        prism_descent_get_exponent     (PrismDescent *self);
double        prism_descent_get_misfit       (PrismDescent *self);
double        prism_descent_get_power        (PrismDescent *self);
gboolean      prism_descent_has_noise        (PrismDescent *self);
gboolean      prism_descent_is_exact         (PrismDescent *self);
const float  *prism_descent_get_image        (PrismDescent *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismDescent, prism_descent_free)

G_END_DECLS
