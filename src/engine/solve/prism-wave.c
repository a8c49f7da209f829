#include "config.h"

#include "solve/prism-wave.h"

#include "base/prism-random.h"
#include "num/prism-tuning.h"
#include "solve/prism-wave-kernels.h"

#include <float.h>

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
  return points->side * points->side;
}

static const PrismWaveKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_wave_kernels);

/* What one pass does with the wave. */
typedef struct
{
  const PrismWaveKernels *kernels;
  const float *amplitude; /* [q][q] */
  float *z;               /* [q][q][2] of a search */
  float beta;             /* 0: it begins */
  double sum;             /* of what the pass has to change */
} Pass;

/* The wave behind an aperture, what is done with it, and what the aperture lets through of that. */
static void
visit (const PrismWavePoints *points,
       const PrismMask *mask,
       const float *box,
       PrismFftFunc func,
       Pass *pass)
{
  const gsize q = points->side, h = mask->height, w = mask->width;
  const float scale = 1.0f / q;

  pass->sum = 0.0;
  for (gsize x = 0; x < w; x++)
    {
      float *column = points->other + 2 * x * q;

      for (gsize y = 0; y < h; y++)
        {
          const float factor = mask->bits[y * w + x] ? scale : 0.0f;

          column[2 * y] = factor * box[2 * (y * w + x)];
          column[2 * y + 1] = factor * box[2 * (y * w + x) + 1];
        }
      memset (column + 2 * h, 0, 2 * (q - h) * sizeof (float));
    }
  prism_fft_square_visit (points->fft, points->other, w, points->buffer, func,
                          pass);
}

/* The box that a pass has led to. */
static void
take (const PrismWavePoints *points,
      const PrismMask *mask,
      float *box)
{
  const gsize q = points->side, h = mask->height, w = mask->width;
  const float scale = 1.0f / q;

  for (gsize x = 0; x < w; x++)
    for (gsize y = 0; y < h; y++)
      {
        const float factor = mask->bits[y * w + x] ? scale : 0.0f;

        box[2 * (y * w + x)] = factor * points->other[2 * (x * q + y)];
        box[2 * (y * w + x) + 1] = factor * points->other[2 * (x * q + y) + 1];
      }
}

static void
project_rows (gpointer data,
              gsize first,
              gsize n,
              float *values)
{
  Pass *pass = data;

  pass->sum += pass->kernels->project (values, pass->amplitude + first, n);
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
  Pass pass = { .kernels = all_kernels[prism_isa_get ()], .amplitude = amplitude };

  visit (points, mask, box, project_rows, &pass);
  take (points, mask, box);
  return pass.sum;
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
  const gsize size = 2 * prism_mask_count_box (mask);
  g_autofree float *last = g_memdup2 (box, size * sizeof (float));
  double misfit = INFINITY, momentum = 1.0;

  for (guint i = 0; i < n_passes && misfit > close; i++)
    {
      const double before = misfit, next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * momentum * momentum));
      float inertia;

      misfit = prism_wave_project (points, mask, amplitude, box);
      inertia = misfit > before ? 0.0f : (momentum - 1.0) / next;
      momentum = misfit > before ? 1.0 : next;
      all_kernels[prism_isa_get ()]->move (box, last, size, inertia);
    }
  memcpy (box, last, size * sizeof (float));
  return misfit;
}

/* The end of one step and the beginning of the next. */
static void
search_rows (gpointer data,
             gsize first,
             gsize n,
             float *values)
{
  Pass *pass = data;
  float *z = pass->z + 2 * first;

  if (pass->beta == 0.0f)
    memcpy (z, values, 2 * n * sizeof (float));
  pass->sum += pass->kernels->search (z, pass->amplitude + first, n, pass->beta, values);
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
  Pass pass = { .kernels = all_kernels[prism_isa_get ()],
                .amplitude = amplitude,
                .z = points->state };

  visit (points, mask, box, search_rows, &pass);
  pass.beta = prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  for (guint k = 0; k < n_passes && (k == 0 || !(pass.sum < near)); k++)
    {
      take (points, mask, box);
      visit (points, mask, box, search_rows, &pass);
    }
}

/**
 * prism_wave_sum_squares:
 * @values: (array length=n_values): of a frame, or of a box
 * @n_values: how many
 *
 * Thread: any.
 *
 * Returns: their energy
 */
double
prism_wave_sum_squares (const float *values,
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
  const gsize size = 2 * prism_mask_count_box (mask);
  double sum = 0.0, normals[PRISM_RANDOM_N_NORMALS] = { 0.0 };
  float scale;

  for (gsize i = 0; i < size; i++)
    {
      if (i % PRISM_RANDOM_N_NORMALS == 0)
        prism_random_draw_normals (seed, PRISM_STREAM_FIELD, frame, attempt * (size / 2) + i,
                                   normals);
      box[i] = mask->bits[i / 2] ? normals[i % PRISM_RANDOM_N_NORMALS] : 0.0f;
      sum += box[i] * box[i];
    }
  scale = sqrt (energy / MAX (sum, DBL_MIN));
  for (gsize i = 0; i < size; i++)
    box[i] *= scale;
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
  const float scale = 1.0f / (q * q);

  for (gsize i = 0; i < count_points (points); i++)
    {
      points->other[2 * i] = amplitude[i] * amplitude[i];
      points->other[2 * i + 1] = 0.0f;
    }
  prism_fft_square_reduce (points->fft, points->other, n);
  for (guint y = 0; y < q; y++)
    for (guint x = 0; x < q; x++)
      {
        const gsize row = y < q / 2 ? y : n - q + y, column = x < q / 2 ? x : n - q + x;

        memcpy (few->other + 2 * (y * q + x), points->other + 2 * (row * n + column),
                2 * sizeof (float));
      }
  prism_fft_square_expand (few->fft, few->other, q);
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
  const gsize n = prism_mask_count_box (mask);

  for (gsize i = 0; i < n / 2; i++)
    if (mask->bits[i] != mask->bits[n - 1 - i])
      return FALSE;
  return TRUE;
}
