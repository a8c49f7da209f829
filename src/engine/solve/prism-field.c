#include "config.h"

#include "solve/prism-field.h"

#include "base/prism-random.h"
#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: q = points along a side of the frame, H × W = the mask's box.
 *
 * Transforms are unitary here: a frame and its box have the same energy. */

static gsize
count_points (const PrismFieldWork *work)
{
  return (gsize) work->side * work->side;
}

/**
 * prism_field_expand:
 * @work: of this thread
 * @mask: aperture
 * @box: (array): spectrum behind it, unitary
 * @field: (out caller-allocates) (array): its transform, where the mask is open
 *
 * Shape: @box [H][W][2], @field [q][q][2].
 */
void
prism_field_expand (const PrismFieldWork *work,
                    const PrismMask *mask,
                    const float *box,
                    float *field)
{
  const float scale = 1.0f / work->side;

  memset (field, 0, 2 * count_points (work) * sizeof (float));
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const gsize i = (gsize) y * mask->width + x, to = (gsize) y * work->side + x;

        if (!mask->bits[i])
          continue;
        field[2 * to] = scale * box[2 * i];
        field[2 * to + 1] = scale * box[2 * i + 1];
      }
  prism_fft_square_expand (work->fft, field, mask->height);
}

/**
 * prism_field_reduce:
 * @work: of this thread
 * @mask: aperture
 * @field: (array): a field, which is destroyed
 * @box: (out caller-allocates) (array): its spectrum, where the mask is open
 *
 * The adjoint of prism_field_expand(), and its inverse.
 *
 * Shape: @field [q][q][2], @box [H][W][2].
 */
void
prism_field_reduce (const PrismFieldWork *work,
                    const PrismMask *mask,
                    float *field,
                    float *box)
{
  const float scale = 1.0f / work->side;

  prism_fft_square_reduce (work->fft, field, mask->height);
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const gsize i = (gsize) y * mask->width + x, from = (gsize) y * work->side + x;

        box[2 * i] = mask->bits[i] ? scale * field[2 * from] : 0.0f;
        box[2 * i + 1] = mask->bits[i] ? scale * field[2 * from + 1] : 0.0f;
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
 * prism_field_project:
 * @work: of this thread
 * @mask: aperture
 * @amplitude: (array): of the frame, its origin at [0][0]
 * @box: (array) (inout): spectrum behind the aperture, unitary
 *
 * Gives the field of a box the amplitude that was measured, and takes of it what the aperture lets
 * through.
 *
 * Shape: @amplitude [q][q], @box [H][W][2].
 *
 * Returns: Σ(|φ|-A)² before
 */
double
prism_field_project (const PrismFieldWork *work,
                     const PrismMask *mask,
                     const float *amplitude,
                     float *box)
{
  float *field = work->other;
  double misfit = 0.0;

  prism_field_expand (work, mask, box, field);
  for (gsize i = 0; i < count_points (work); i++)
    {
      const float factor = get_factor (&field[2 * i], amplitude[i]);
      const float re = (factor - 1.0f) * field[2 * i], im = (factor - 1.0f) * field[2 * i + 1];

      field[2 * i] *= factor;
      field[2 * i + 1] *= factor;
      misfit += re * re + im * im;
    }
  prism_field_reduce (work, mask, field, box);
  return misfit;
}

/* Normal random numbers with the frame's energy. */
static void
draw_box (const PrismMask *mask,
          double energy,
          guint64 seed,
          guint32 frame,
          guint attempt,
          float *box)
{
  const gsize n = (gsize) mask->height * mask->width;
  double sum = 0.0, normals[PRISM_RANDOM_N_NORMALS] = { 0.0 };
  float scale;

  for (gsize i = 0; i < 2 * n; i++)
    {
      if (i % PRISM_RANDOM_N_NORMALS == 0)
        prism_random_draw_normals (seed, PRISM_STREAM_FIELD, frame, attempt * n + i, normals);
      box[i] = mask->bits[i / 2] ? (float) normals[i % PRISM_RANDOM_N_NORMALS] : 0.0f;
      sum += box[i] * box[i];
    }
  scale = (float) sqrt (energy / MAX (sum, DBL_MIN));
  for (gsize i = 0; i < 2 * n; i++)
    box[i] *= scale;
}

/* One step of relaxed, reflected projections: z + β(S(2A(z) - z) - A(z)), where A gives the
 * measured amplitude and S takes what the aperture lets through. Returns Σ|S - A|². */
static double
reflect (const PrismFieldWork *work,
         const PrismMask *mask,
         const float *amplitude,
         float *box)
{
  const float beta = (float) prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  float *z = work->state, *other = work->other;
  double change = 0.0;

  for (gsize i = 0; i < count_points (work); i++)
    {
      const float factor = 2.0f * get_factor (&z[2 * i], amplitude[i]) - 1.0f;

      other[2 * i] = factor * z[2 * i];
      other[2 * i + 1] = factor * z[2 * i + 1];
    }
  prism_field_reduce (work, mask, other, box);
  prism_field_expand (work, mask, box, other);
  for (gsize i = 0; i < count_points (work); i++)
    {
      const float factor = get_factor (&z[2 * i], amplitude[i]);
      const float re = other[2 * i] - factor * z[2 * i];
      const float im = other[2 * i + 1] - factor * z[2 * i + 1];

      z[2 * i] += beta * re;
      z[2 * i + 1] += beta * im;
      change += re * re + im * im;
    }
  return change;
}

/* Goes on from a box in the direction of its last move, and keeps the box. */
static void
accelerate (float *box,
            float *last,
            gsize size,
            float inertia)
{
  for (gsize i = 0; i < size; i++)
    {
      const float value = box[i];

      box[i] += inertia * (value - last[i]);
      last[i] = value;
    }
}

/**
 * prism_field_descend:
 * @work: of this thread
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
prism_field_descend (const PrismFieldWork *work,
                     const PrismMask *mask,
                     const float *amplitude,
                     guint n_passes,
                     double close,
                     float *box)
{
  const gsize size = 2 * (gsize) mask->height * mask->width;
  g_autofree float *last = g_new (float, size);
  double misfit = INFINITY, momentum = 1.0;

  memcpy (last, box, size * sizeof (float));
  for (guint i = 0; i < n_passes && misfit > close; i++)
    {
      const double before = misfit, next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * momentum * momentum));

      misfit = prism_field_project (work, mask, amplitude, box);
      momentum = misfit > before ? 1.0 : momentum;
      accelerate (box, last, size, (float) ((momentum - 1.0) / next));
      momentum = misfit > before ? 1.0 : next;
    }
  memcpy (box, last, size * sizeof (float));
  return misfit;
}

/* From one start; leaves the box, and returns its misfit. Reflections find the basin on few points,
 * projections its floor. */
static double
search (const PrismFieldWork *work,
        const PrismFieldFrame *frame,
        double energy,
        float *box)
{
  const guint n_most = prism_tuning_get_count (PRISM_TUNING_FIELD_ITERATIONS);
  const guint n_last = prism_tuning_get_count (PRISM_TUNING_FIELD_LAST);
  const double near = prism_tuning_get (PRISM_TUNING_FIELD_NEAR) * energy;
  const double close = prism_tuning_get (PRISM_TUNING_FIELD_CLOSE) * energy;

  prism_field_expand (work, frame->mask, box, work->state);
  for (guint i = 0; i < n_most; i++)
    if (reflect (work, frame->mask, frame->low_passed, box) < near)
      break;
  if (frame->work != work)
    prism_field_descend (work, frame->mask, frame->low_passed, n_last, 1e-7 * energy, box);
  return prism_field_descend (frame->work, frame->mask, frame->amplitude, n_last, close, box);
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
 * prism_field_retrieve:
 * @work: of this thread, for the points that are searched on
 * @frame: whose field is searched
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
prism_field_retrieve (const PrismFieldWork *work,
                      const PrismFieldFrame *frame,
                      guint n_starts,
                      guint64 seed,
                      guint32 number,
                      float *box)
{
  const gsize size = 2 * (gsize) frame->mask->height * frame->mask->width;
  g_autofree float *best = g_new0 (float, size);
  const double energy = sum_squares (frame->amplitude, count_points (frame->work));
  const gboolean has_guess = frame->guess != NULL && sum_squares (frame->guess, size) > 0.0;
  double least = INFINITY;

  if (!(energy > 0.0))
    {
      memset (box, 0, size * sizeof (float));
      return 0.0;
    }
  for (guint i = has_guess ? 0 : 1;
       i <= n_starts && least > prism_tuning_get (PRISM_TUNING_FIELD_FOUND); i++)
    {
      double misfit;

      if (i == 0)
        memcpy (box, frame->guess, size * sizeof (float));
      else
        draw_box (frame->mask, energy, seed, number, i - 1, box);
      misfit = search (work, frame, energy, box) / energy;
      if (!(misfit < least))
        continue;
      least = misfit;
      memcpy (best, box, size * sizeof (float));
    }
  memcpy (box, best, size * sizeof (float));
  return least;
}

/**
 * prism_field_low_pass:
 * @work: of this thread, for whole frames
 * @small: of this thread, for q × q
 * @amplitude: (array): of a whole frame, its origin at [0][0]
 * @low_passed: (out caller-allocates) (array): of the same, unitary as well
 *
 * Takes the frequencies that q × q points cannot have from the intensity of a frame, and with them
 * most of the noise.
 *
 * Shape: @amplitude [n][n], @low_passed [q][q].
 */
void
prism_field_low_pass (const PrismFieldWork *work,
                      const PrismFieldWork *small,
                      const float *amplitude,
                      float *low_passed)
{
  const guint n = work->side, q = small->side;
  const float scale = 1.0f / ((float) q * q);

  for (gsize i = 0; i < count_points (work); i++)
    {
      work->other[2 * i] = amplitude[i] * amplitude[i];
      work->other[2 * i + 1] = 0.0f;
    }
  prism_fft_square_reduce (work->fft, work->other, (int) n);
  for (guint y = 0; y < q; y++)
    for (guint x = 0; x < q; x++)
      {
        const gsize row = y < q / 2 ? y : n - q + y, column = x < q / 2 ? x : n - q + x;

        memcpy (small->other + 2 * ((gsize) y * q + x), work->other + 2 * (row * n + column),
                2 * sizeof (float));
      }
  prism_fft_square_expand (small->fft, small->other, (int) q);
  for (gsize i = 0; i < count_points (small); i++)
    low_passed[i] = sqrtf (MAX (scale * small->other[2 * i], 0.0f));
}

/**
 * prism_field_has_twin:
 * @mask: aperture
 *
 * Returns: whether the aperture is its own mirror image, so that a frame belongs to two fields
 */
gboolean
prism_field_has_twin (const PrismMask *mask)
{
  const gsize n = (gsize) mask->height * mask->width;

  for (gsize i = 0; i < n / 2; i++)
    if (mask->bits[i] != mask->bits[n - 1 - i])
      return FALSE;
  return TRUE;
}
