/* prism-measurements: the camera's images of one run: taken from the scene when first asked
 * for, kept in the cache, bound to the backend's slots, and weighted by their energy.
 *
 * Dimensions: n = image_size, N = number of samples. Thread: engine. */
#pragma once

#include "backend/prism-cache.h"
#include "formats/prism-image.h"
#include "measure/prism-scene.h"
#include "model/prism-line.h"
#include "model/prism-noise.h"

G_BEGIN_DECLS

typedef struct
{
  PrismMask *mask;
  PrismBuffer *target;                  /* (nullable) bound to the slot of this number */
  PrismBuffer *points;                  /* (nullable) of a frame that is held small */
  gboolean has_points;                  /* bound instead of the target */
  gboolean is_new;                      /* it was taken, and has not been used yet */
  gboolean is_used;                     /* its mask has been used */
  double energy;                        /* Σ intensity, 0 before the first binding */
  PrismNoiseEstimate estimate;          /* of its noise; all 0 before it is asked for */
} PrismMeasurement;

/* To be read by others, but changed by the functions below alone. */
typedef struct
{
  PrismBackend *backend;
  PrismCache *cache;
  PrismAperture aperture;
  PrismLine line;
  PrismScene *scene;
  PrismPattern *pattern;                /* of the scene */
  PrismNoise noise;
  double photons;                       /* of an exposure at the centre; 0: noise.photon is not
                                         * used */
  gint64 seed;
  double motion_blur;                   /* px, 0 = none */
  double motion_angle;                  /* rad */
  guint step;                           /* of points; 0: whole frames are held */
  double max_energy;
  guint64 n_evictions;                  /* of the cache, when the slots were last looked through */
  guint renewed;                        /* sample + 1 that was taken again, 0 = none */
  guint n_measurements;
  PrismMeasurement *measurements;       /* [n_measurements] */
} PrismMeasurements;

PrismMeasurements *prism_measurements_new          (const PrismConfig *config,
                                                    PrismBackend      *backend,
                                                    PrismCache        *cache,
                                                    PrismScene        *scene);
void               prism_measurements_free         (PrismMeasurements *self);
gboolean           prism_measurements_config_has_noise (const PrismConfig *config);
guint              prism_measurements_choose_step  (const PrismConfig     *config,
                                                    const PrismBackendOps *ops,
                                                    guint                  n_samples);
guint              prism_measurements_choose_side  (int    image_size,
                                                    double radius);
void               prism_measurements_set_noise    (PrismMeasurements *self,
                                                    const PrismConfig *config);
gboolean           prism_measurements_has_noise    (PrismMeasurements *self);
gboolean           prism_measurements_acquire      (PrismMeasurements  *self,
                                                    guint               i,
                                                    GError            **error);
gboolean           prism_measurements_acquire_many (PrismMeasurements  *self,
                                                    const guint        *samples,
                                                    guint              *n_samples,
                                                    GError            **error);
void               prism_measurements_note_use     (PrismMeasurements *self,
                                                    guint              i);
guint              prism_measurements_get_step     (PrismMeasurements *self);
gboolean           prism_measurements_acquire_points (PrismMeasurements  *self,
                                                    guint               i,
                                                    GError            **error);
gboolean           prism_measurements_check        (PrismMeasurements *self,
                                                    guint              i);
void               prism_measurements_forget       (PrismMeasurements *self,
                                                    guint              i);
gboolean           prism_measurements_take_renewed (PrismMeasurements *self,
                                                    guint             *sample);
gboolean           prism_measurements_is_bound     (PrismMeasurements *self,
                                                    guint              i);
void               prism_measurements_move         (PrismMeasurements *self,
                                                    PrismBackend      *backend);
PrismMask         *prism_measurements_get_mask     (PrismMeasurements *self,
                                                    guint              i);
double             prism_measurements_get_weight   (PrismMeasurements *self,
                                                    guint              i,
                                                    double             gamma);
PrismImage        *prism_measurements_dup_image    (PrismMeasurements  *self,
                                                    guint               i,
                                                    GError            **error);
PrismImage        *prism_measurements_dup_points   (PrismMeasurements  *self,
                                                    PrismBackend       *backend,
                                                    guint               i,
                                                    guint               step,
                                                    GError            **error);
const PrismNoiseEstimate *
                   prism_measurements_estimate_noise (PrismMeasurements  *self,
                                                    guint               i,
                                                    GError            **error);
gboolean           prism_measurements_compute_noise_misfit (PrismMeasurements  *self,
                                                            double             *misfit,
                                                            GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismMeasurements, prism_measurements_free)

G_END_DECLS
