/* prism-noise: the camera's noise. Thread: any. */
#pragma once

#include "base/prism-random.h"

G_BEGIN_DECLS

/* What the camera adds to an intensity. */
typedef struct
{
  double snr;                           /* shot noise, dB; 0 = none */
  double photon;                        /* one photon's energy: shot noise by it; 0 = by snr */
  double read_snr;                      /* read noise, dB; 0 = none */
} PrismNoise;

gboolean prism_noise_is_on  (const PrismNoise *self);
void     prism_noise_expose (const PrismNoise *self,
                             float            *intensity,
                             gsize             n_pixels,
                             guint64           seed,
                             gboolean          again,
                             guint32           sample);

G_END_DECLS
