#include "config.h"

#include "model/prism-noise.h"

#include <math.h>

#define PHILOX_ROUNDS 10
#define PHILOX_MULTIPLIER_0 0xd2511f53u
#define PHILOX_MULTIPLIER_1 0xcd9e8d57u
#define PHILOX_WEYL_0 0x9e3779b9u /* golden ratio */
#define PHILOX_WEYL_1 0xbb67ae85u /* √3 - 1 */

#define TWO_TO_MINUS_32 (1.0 / 4294967296.0)
#define TWO_TO_MINUS_53 (1.0 / 9007199254740992.0)

#define NORMALS_PER_BLOCK 4

/* The counter is (position, index, stream), so that no two uses of a seed meet. */
static void
draw_block (guint64 seed,
            PrismStream stream,
            guint32 index,
            guint64 position,
            guint32 output[4])
{
  const guint32 counter[4] = { (guint32) position, (guint32) (position >> 32), index, stream };
  const guint32 key[2] = { (guint32) seed, (guint32) (seed >> 32) };

  prism_noise_philox (counter, key, output);
}

/* Box–Muller in double: words become numbers in (0, 1), so that the logarithm is finite. */
static void
make_normal_pair (guint32 first,
                  guint32 second,
                  double normals[2])
{
  double radius = sqrt (-2.0 * log ((first + 0.5) * TWO_TO_MINUS_32));
  double angle = 2.0 * G_PI * (second + 0.5) * TWO_TO_MINUS_32;

  normals[0] = radius * cos (angle);
  normals[1] = radius * sin (angle);
}

/* Normals of positions 4·block … 4·block + 3. */
static void
draw_normals (guint64 seed,
              PrismStream stream,
              guint32 index,
              guint64 block,
              double normals[NORMALS_PER_BLOCK])
{
  guint32 words[4];

  draw_block (seed, stream, index, block, words);
  make_normal_pair (words[0], words[1], normals);
  make_normal_pair (words[2], words[3], normals + 2);
}

/**
 * prism_noise_philox:
 * @counter: four words
 * @key: two words
 * @output: (out caller-allocates): four random words
 *
 * Philox4x32-10: a random function of counter and key.
 *
 * Thread: any.
 * Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
 */
void
prism_noise_philox (const guint32 counter[4],
                    const guint32 key[2],
                    guint32 output[4])
{
  guint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  guint32 k0 = key[0], k1 = key[1];

  for (int round = 0; round < PHILOX_ROUNDS; round++)
    {
      guint64 a = (guint64) PHILOX_MULTIPLIER_0 * c0;
      guint64 b = (guint64) PHILOX_MULTIPLIER_1 * c2;

      c0 = (guint32) (b >> 32) ^ c1 ^ k0;
      c1 = (guint32) b;
      c2 = (guint32) (a >> 32) ^ c3 ^ k1;
      c3 = (guint32) a;
      k0 += PHILOX_WEYL_0;
      k1 += PHILOX_WEYL_1;
    }
  output[0] = c0;
  output[1] = c1;
  output[2] = c2;
  output[3] = c3;
}

/**
 * prism_noise_uniform:
 * @seed: of the run
 * @stream: what the number is for
 * @index: of the sample, layer … within the stream
 * @position: of the pixel, weight … within the index
 *
 * One uniform random number of 53 bits.
 *
 * Thread: any.
 *
 * Returns: the number, 0 ≤ u < 1
 */
double
prism_noise_uniform (guint64 seed,
                     PrismStream stream,
                     guint32 index,
                     guint64 position)
{
  guint32 words[4];

  draw_block (seed, stream, index, position, words);
  return (((guint64) words[0] << 21) ^ (words[1] >> 11)) * TWO_TO_MINUS_53;
}

/**
 * prism_noise_normal:
 * @seed: of the run
 * @stream: what the number is for
 * @index: of the sample, layer … within the stream
 * @position: of the pixel, weight … within the index
 *
 * One normal random number, mean 0 and variance 1: number @position modulo 4 of the block
 * @position / 4, whose four words give two Box–Muller pairs (cosine, sine).
 *
 * Thread: any.
 *
 * Returns: the number, within ±6.8
 */
double
prism_noise_normal (guint64 seed,
                    PrismStream stream,
                    guint32 index,
                    guint64 position)
{
  double normals[NORMALS_PER_BLOCK];

  draw_normals (seed, stream, index, position / NORMALS_PER_BLOCK, normals);
  return normals[position % NORMALS_PER_BLOCK];
}

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
  for (gsize i = 0; i < n_pixels; i += NORMALS_PER_BLOCK)
    {
      double normals[NORMALS_PER_BLOCK];

      draw_normals (seed, stream, sample, i / NORMALS_PER_BLOCK, normals);
      for (gsize j = i; j < MIN (i + NORMALS_PER_BLOCK, n_pixels); j++)
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
 * prism_noise_apply:
 * @intensity: (array length=n_pixels) (inout): noise-free image, natural order of pixels
 * @n_pixels: number of pixels
 * @snr_db: 10·log10(mean(I²)/mean(noise²)); 0 leaves the image as it is
 * @seed: of the run
 * @stream: %PRISM_STREAM_READ draws white noise, any other shot noise, variance ∝ signal
 * @sample: index of the measurement
 *
 * Adds camera noise. Pixels may become negative: the caller clamps when all noise has been added.
 *
 * Thread: any.
 * Source: numerics.md § 4.
 */
void
prism_noise_apply (float *intensity,
                   gsize n_pixels,
                   double snr_db,
                   guint64 seed,
                   PrismStream stream,
                   guint32 sample)
{
  double sum, sum_of_squares, variance;

  add_up (intensity, n_pixels, &sum, &sum_of_squares);
  if (snr_db == 0.0 || !(sum > 0.0))
    return;

  /* White: of every pixel. Shot: of a pixel of intensity 1. */
  variance = sum_of_squares / pow (10.0, snr_db / 10.0);
  variance /= stream == PRISM_STREAM_READ ? (double) n_pixels : sum;
  add_noise (intensity, n_pixels, variance, stream == PRISM_STREAM_READ, seed, stream, sample);
}

/**
 * prism_noise_is_on:
 * @self: what the camera adds
 *
 * Thread: any.
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
 * @self: what the camera adds
 * @intensity: (array length=n_pixels) (inout): noise-free image, natural order of pixels
 * @n_pixels: number of pixels
 * @seed: of the run
 * @again: whether to draw other numbers than an exposure has, for another look at the same image
 * @sample: index of the measurement
 *
 * Adds shot noise, by the energy of a photon or by an SNR, and read noise, whose SNR is against the
 * noise-free image, too. Pixels may become negative: the caller clamps.
 *
 * Thread: any.
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
