#include "config.h"

#include "model/prism-noise.h"

#include <math.h>

/* Adds √variance·normal to every pixel; of a pixel of intensity 1 where it is shot noise. */
static void
add_noise (float *intensity,
           gsize n_pixels,
           double variance,
           gboolean white,
           guint64 seed,
           PrismStream stream,
           guint32 sample)
{
  for (gsize i = 0; i < n_pixels; i += PRISM_RANDOM_N_NORMALS)
    {
      double normals[PRISM_RANDOM_N_NORMALS];

      prism_random_draw_normals (seed, stream, sample, i / PRISM_RANDOM_N_NORMALS, normals);
      for (gsize j = i; j < MIN (i + PRISM_RANDOM_N_NORMALS, n_pixels); j++)
        {
          double signal = white ? 1.0 : MAX (intensity[j], 0.0f);
          intensity[j] += (float) (normals[j - i] * sqrt (variance * signal));
        }
    }
}

static void
add_up (const float *intensity,
        gsize n_pixels,
        double *sum,
        double *sum_of_squares)
{
  *sum = *sum_of_squares = 0.0;
  for (gsize i = 0; i < n_pixels; i++)
    {
      *sum += intensity[i];
      *sum_of_squares += (double) intensity[i] * intensity[i];
    }
}

/**
 * prism_noise_is_on:
 *
 * Returns: whether it adds anything
 */
gboolean
prism_noise_is_on (const PrismNoise *self)
{
  return self->snr > 0.0 || self->photon > 0.0 || self->read_snr > 0.0;
}

/**
 * prism_noise_expose:
 * @intensity: (array length=n_pixels) (inout): noise-free image, natural order of pixels
 * @n_pixels: number of pixels
 * @seed: of the run
 * @again: whether to draw other numbers than an exposure has, for another look at the same image
 * @sample: index of the measurement
 *
 * Adds shot noise, by the energy of a photon or by an SNR, and read noise, whose SNR is against the
 * noise-free image, too. Pixels may become negative: the caller clamps.
 *
 * Source: numerics.md § 4.
 */
void
prism_noise_expose (const PrismNoise *self,
                    float *intensity,
                    gsize n_pixels,
                    guint64 seed,
                    gboolean again,
                    guint32 sample)
{
  double sum, sum_of_squares, shot = self->photon;

  add_up (intensity, n_pixels, &sum, &sum_of_squares);
  if (!(sum > 0.0))
    return;
  if (shot == 0.0 && self->snr > 0.0)
    shot = sum_of_squares / pow (10.0, self->snr / 10.0) / sum;
  if (shot > 0.0)
    add_noise (intensity, n_pixels, shot, FALSE, seed,
               again ? PRISM_STREAM_BOOTSTRAP : PRISM_STREAM_SHOT, sample);
  if (self->read_snr > 0.0)
    add_noise (intensity, n_pixels, sum_of_squares / pow (10.0, self->read_snr / 10.0) / n_pixels,
               TRUE, seed, again ? PRISM_STREAM_BOOTSTRAP_READ : PRISM_STREAM_READ, sample);
}
