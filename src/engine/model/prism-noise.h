/* prism-noise: the camera's noise. Thread: any. */
#pragma once

#include "base/prism-random.h"

#include <math.h>

G_BEGIN_DECLS

/* What the camera adds to an intensity. */
typedef struct
{
  double snr;                           /* shot noise, dB; 0 = none */
  double photon;                        /* one photon's energy: shot noise by it; 0 = by snr */
  double read_snr;                      /* read noise, dB; 0 = none */
} PrismNoise;

/* Of noise over signal; 0 without noise. */
static inline double
prism_noise_get_ratio (double snr_db)
{
  return snr_db > 0.0 ? pow (10.0, -snr_db / 10.0) : 0.0;
}

gboolean prism_noise_is_on  (const PrismNoise *self);
void     prism_noise_expose (const PrismNoise *self,
                             float            *intensity,
                             gsize             n_pixels,
                             guint64           seed,
                             gboolean          again,
                             guint32           sample);

/* How strong the noise of a recorded image is, from what is stated about the
 * camera and from the image itself. Thread: any. */

typedef struct
{
  double noise;                         /* v: an intensity I has the variance v·I, */
  double read;                          /* ρ: and ρ besides */
  double offset;                        /* c of T = √(A² + c) */
  double scale;                         /* of both, as that of shot noise; 0 without noise */
  double misfit;                        /* Σ(H-T)² that the truth would have */
} PrismNoiseEstimate;

void     prism_noise_estimate_init    (PrismNoiseEstimate *self,
                                       const PrismNoise   *noise,
                                       const float        *amplitude,
                                       gsize               n_pixels);

G_END_DECLS
