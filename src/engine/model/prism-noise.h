/* prism-noise: counter-based random numbers (Philox4x32-10) and the camera's noise. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Streams keep independent uses of one seed apart. */
typedef enum
{
  PRISM_STREAM_SHOT,
  PRISM_STREAM_READ,
  PRISM_STREAM_WEIGHTS,
  PRISM_STREAM_REPLAY,
  PRISM_STREAM_PATTERN,
  PRISM_STREAM_OBJECT,
  PRISM_STREAM_BOOTSTRAP,
  PRISM_STREAM_BOOTSTRAP_READ,
} PrismStream;

/* What the camera adds to an intensity. */
typedef struct
{
  double snr;                           /* shot noise, dB; 0 = none */
  double photon;                        /* one photon's energy: shot noise by it; 0 = by snr */
  double read_snr;                      /* read noise, dB; 0 = none */
} PrismNoise;

void   prism_noise_philox  (const guint32 counter[4],
                            const guint32 key[2],
                            guint32       output[4]);
double prism_noise_uniform (guint64     seed,
                            PrismStream stream,
                            guint32     index,
                            guint64     position);
double prism_noise_normal  (guint64     seed,
                            PrismStream stream,
                            guint32     index,
                            guint64     position);
void   prism_noise_apply   (float       *intensity,
                            gsize        n_pixels,
                            double       snr_db,
                            guint64      seed,
                            PrismStream  stream,
                            guint32      sample);

gboolean prism_noise_is_on (const PrismNoise *self);
void   prism_noise_expose  (const PrismNoise *self,
                            float            *intensity,
                            gsize             n_pixels,
                            guint64           seed,
                            gboolean          again,
                            guint32           sample);

G_END_DECLS
