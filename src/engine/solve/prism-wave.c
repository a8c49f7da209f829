#include "config.h"

#include "solve/prism-wave.h"

#include "base/prism-random.h"
#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Phase retrieval of one frame. What is known of the wave φ behind it is its amplitude A, and that
 * its spectrum vanishes outside the aperture. A start is a random spectrum, or that of an image
 * that is nearly right.
 *
 *   search   z ← z + β(S(2P(z) - z) - P(z)), where P gives z the amplitude A and S takes what the
 *            aperture lets through: it leaves wrong basins (Fienup, 1982; Elser, 2003)
 *   descend  φ ← S(P(φ)), accelerated: it finds the floor of the basin (Gerchberg and Saxton, 1972;
 *            Nesterov, 1983)
 *
 * The search is done on as few points as have the frequencies of the intensity. Transforms are
 * unitary: a frame and its box have the same energy.
 *
 * q = points along a side of the frame, H × W = the mask's box. */

static gsize
count_points (const PrismWavePoints *points)
{
  return (gsize) points->side * points->side;
}

/* From the spectrum behind an aperture to the wave. */
static void
expand (const PrismWavePoints *points,
        const PrismMask *mask,
        const float *box,
        float *wave)
{
  const float scale = 1.0f / points->side;

  memset (wave, 0, 2 * count_points (points) * sizeof (float));
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const gsize i = (gsize) y * mask->width + x, to = (gsize) y * points->side + x;

        if (!mask->bits[i])
          continue;
        wave[2 * to] = scale * box[2 * i];
        wave[2 * to + 1] = scale * box[2 * i + 1];
      }
  prism_fft_square_expand (points->fft, wave, mask->height);
}

/* The adjoint of expand(), and its inverse. The wave is destroyed. */
static void
reduce (const PrismWavePoints *points,
        const PrismMask *mask,
        float *wave,
        float *box)
{
  const float scale = 1.0f / points->side;

  prism_fft_square_reduce (points->fft, wave, mask->height);
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const gsize i = (gsize) y * mask->width + x, from = (gsize) y * points->side + x;

        box[2 * i] = mask->bits[i] ? scale * wave[2 * from] : 0.0f;
        box[2 * i + 1] = mask->bits[i] ? scale * wave[2 * from + 1] : 0.0f;
      }
}

/* The factor that gives a value the modulus a. */
static float
get_factor (const float *value,
            float a)
{
  return a / sqrtf (MAX (value[0] * value[0] + value[1] * value[1], FLT_MIN));
}

/**
 * prism_wave_project:
 * @points: of this thread
 * @mask: aperture
 * @amplitude: (array): of the frame, its origin at [0][0]
 * @box: (array) (inout): spectrum behind the aperture, unitary
 *
 * Gives the wave of a box the amplitude that was measured, and takes of it what the aperture lets
 * through.
 *
 * Shape: @amplitude [q][q], @box [H][W][2].
 *
 * Returns: Σ(|φ|-A)² before
 */
double
prism_wave_project (const PrismWavePoints *points,
                    const PrismMask *mask,
                    const float *amplitude,
                    float *box)
{
  float *wave = points->other;
  double misfit = 0.0;

  expand (points, mask, box, wave);
  for (gsize i = 0; i < count_points (points); i++)
    {
      const float factor = get_factor (&wave[2 * i], amplitude[i]);
      const float re = (factor - 1.0f) * wave[2 * i], im = (factor - 1.0f) * wave[2 * i + 1];

      wave[2 * i] *= factor;
      wave[2 * i + 1] *= factor;
      misfit += re * re + im * im;
    }
  reduce (points, mask, wave, box);
  return misfit;
}

/**
 * prism_wave_descend:
 * @points: of this thread
 * @mask: aperture
 * @amplitude: (array): of the frame, its origin at [0][0]
 * @n_passes: at most
 * @close: misfit that is small enough
 * @box: (array) (inout): spectrum behind the aperture, unitary
 *
 * Does alternating projections, with momentum that is forgotten where it leads uphill.
 *
 * Shape: @amplitude [q][q], @box [H][W][2].
 *
 * Returns: Σ(|φ|-A)² before the last one
 */
double
prism_wave_descend (const PrismWavePoints *points,
                    const PrismMask *mask,
                    const float *amplitude,
                    guint n_passes,
                    double close,
                    float *box)
{
  const gsize size = 2 * (gsize) mask->height * mask->width;
  g_autofree float *last = g_memdup2 (box, size * sizeof (float));
  double misfit = INFINITY, momentum = 1.0;

  for (guint i = 0; i < n_passes && misfit > close; i++)
    {
      const double before = misfit, next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * momentum * momentum));
      float inertia;

      misfit = prism_wave_project (points, mask, amplitude, box);
      inertia = misfit > before ? 0.0f : (float) ((momentum - 1.0) / next);
      momentum = misfit > before ? 1.0 : next;
      for (gsize k = 0; k < size; k++)
        {
          const float value = box[k];

          box[k] += inertia * (value - last[k]);
          last[k] = value;
        }
    }
  memcpy (box, last, size * sizeof (float));
  return misfit;
}

/**
 * prism_wave_search:
 * @points: of this thread, with a state
 * @mask: aperture
 * @amplitude: (array): of the frame, its origin at [0][0]
 * @n_passes: at most
 * @near: change that is small enough
 * @box: (array) (inout): spectrum behind the aperture, unitary
 *
 * Searches from a box, which is left somewhere in a basin.
 *
 * Shape: @amplitude [q][q], @box [H][W][2].
 */
void
prism_wave_search (const PrismWavePoints *points,
                   const PrismMask *mask,
                   const float *amplitude,
                   guint n_passes,
                   double near,
                   float *box)
{
  const float beta = (float) prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  float *z = points->state, *other = points->other;
  double change = INFINITY;

  expand (points, mask, box, z);
  for (guint k = 0; k < n_passes && !(change < near); k++)
    {
      for (gsize i = 0; i < count_points (points); i++)
        {
          const float factor = 2.0f * get_factor (&z[2 * i], amplitude[i]) - 1.0f;

          other[2 * i] = factor * z[2 * i];
          other[2 * i + 1] = factor * z[2 * i + 1];
        }
      reduce (points, mask, other, box);
      expand (points, mask, box, other);
      change = 0.0;
      for (gsize i = 0; i < count_points (points); i++)
        {
          const float factor = get_factor (&z[2 * i], amplitude[i]);
          const float re = other[2 * i] - factor * z[2 * i];
          const float im = other[2 * i + 1] - factor * z[2 * i + 1];

          z[2 * i] += beta * re;
          z[2 * i + 1] += beta * im;
          change += re * re + im * im;
        }
    }
}

static double
sum_squares (const float *values,
             gsize n_values)
{
  double sum = 0.0;

  for (gsize i = 0; i < n_values; i++)
    sum += values[i] * values[i];
  return sum;
}

/**
 * prism_wave_draw:
 * @mask: aperture
 * @energy: of the frame
 * @seed: of random starts
 * @frame: its number
 * @attempt: of this frame, from 0
 * @box: (array) (out caller-allocates): normal random numbers with the frame's energy
 *
 * Shape: @box [H][W][2].
 */
void
prism_wave_draw (const PrismMask *mask,
                 double energy,
                 guint64 seed,
                 guint32 frame,
                 guint attempt,
                 float *box)
{
  const gsize size = 2 * (gsize) mask->height * mask->width;
  double sum = 0.0, normals[PRISM_RANDOM_N_NORMALS] = { 0.0 };
  float scale;

  for (gsize i = 0; i < size; i++)
    {
      if (i % PRISM_RANDOM_N_NORMALS == 0)
        prism_random_draw_normals (seed, PRISM_STREAM_FIELD, frame, attempt * (size / 2) + i,
                                   normals);
      box[i] = mask->bits[i / 2] ? (float) normals[i % PRISM_RANDOM_N_NORMALS] : 0.0f;
      sum += box[i] * box[i];
    }
  scale = (float) sqrt (energy / MAX (sum, DBL_MIN));
  for (gsize i = 0; i < size; i++)
    box[i] *= scale;
}

/**
 * prism_wave_retrieve:
 * @points: of this thread, for the points that are searched on
 * @frame: whose wave is searched
 * @n_starts: at most
 * @seed: of the random starts
 * @number: of the frame, which they depend on, too
 * @box: (array) (out caller-allocates): spectrum behind the aperture, unitary
 *
 * Searches the spectrum behind an aperture that makes the amplitude of a frame, from a guess and
 * from one random start after the other until one of them finds it.
 *
 * Shape: @box [H][W][2].
 * Source: numerics.md, “Alignment”.
 *
 * Returns: Σ(|φ|-A)²/ΣA² of the best one
 */
double
prism_wave_retrieve (const PrismWavePoints *points,
                     const PrismWaveFrame *frame,
                     guint n_starts,
                     guint64 seed,
                     guint32 number,
                     float *box)
{
  const PrismMask *mask = frame->mask;
  const gsize size = 2 * (gsize) mask->height * mask->width;
  const double energy = sum_squares (frame->amplitude, count_points (frame->points));
  const gboolean has_guess = frame->guess != NULL && sum_squares (frame->guess, size) > 0.0;
  g_autofree float *best = g_new0 (float, size);
  double least = energy > 0.0 ? INFINITY : 0.0;

  for (guint i = has_guess ? 0 : 1;
       i <= n_starts && least > PRISM_WAVE_FOUND; i++)
    {
      double misfit;

      if (i == 0)
        memcpy (box, frame->guess, size * sizeof (float));
      else
        prism_wave_draw (mask, energy, seed, number, i - 1, box);
      prism_wave_search (points, mask, frame->low_passed, PRISM_WAVE_SEARCH,
                         PRISM_WAVE_SEARCH_CLOSE * energy, box);
      if (frame->points != points)
        prism_wave_descend (points, mask, frame->low_passed, PRISM_WAVE_DESCENT,
                            PRISM_WAVE_FEW_CLOSE * energy, box);
      misfit = prism_wave_descend (frame->points, mask, frame->amplitude, PRISM_WAVE_DESCENT,
                                   PRISM_WAVE_DESCENT_CLOSE * energy, box)
               / energy;
      if (!(misfit < least))
        continue;
      least = misfit;
      memcpy (best, box, size * sizeof (float));
    }
  memcpy (box, best, size * sizeof (float));
  return least;
}

/**
 * prism_wave_low_pass:
 * @points: of this thread, that the frame was read on
 * @few: of this thread, for q × q
 * @amplitude: (array): of the frame, its origin at [0][0]
 * @low_passed: (out caller-allocates) (array): of the same, unitary as well
 *
 * Takes the frequencies that q × q points cannot have from the intensity of a frame, and with them
 * most of the noise.
 *
 * Shape: @amplitude [n][n], @low_passed [q][q].
 */
void
prism_wave_low_pass (const PrismWavePoints *points,
                     const PrismWavePoints *few,
                     const float *amplitude,
                     float *low_passed)
{
  const guint n = points->side, q = few->side;
  const float scale = 1.0f / ((float) q * q);

  for (gsize i = 0; i < count_points (points); i++)
    {
      points->other[2 * i] = amplitude[i] * amplitude[i];
      points->other[2 * i + 1] = 0.0f;
    }
  prism_fft_square_reduce (points->fft, points->other, (int) n);
  for (guint y = 0; y < q; y++)
    for (guint x = 0; x < q; x++)
      {
        const gsize row = y < q / 2 ? y : n - q + y, column = x < q / 2 ? x : n - q + x;

        memcpy (few->other + 2 * ((gsize) y * q + x), points->other + 2 * (row * n + column),
                2 * sizeof (float));
      }
  prism_fft_square_expand (few->fft, few->other, (int) q);
  for (gsize i = 0; i < count_points (few); i++)
    low_passed[i] = sqrtf (MAX (scale * few->other[2 * i], 0.0f));
}

/**
 * prism_wave_has_twin:
 * @mask: aperture
 *
 * Returns: whether the aperture is its own mirror image, so that a frame belongs to two waves
 */
gboolean
prism_wave_has_twin (const PrismMask *mask)
{
  const gsize n = (gsize) mask->height * mask->width;

  for (gsize i = 0; i < n / 2; i++)
    if (mask->bits[i] != mask->bits[n - 1 - i])
      return FALSE;
  return TRUE;
}
