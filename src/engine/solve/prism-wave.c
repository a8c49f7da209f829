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
 * With noise that is done on as few points as have the frequencies of the intensity. Transforms are
 * unitary: a frame and its box have the same energy.
 *
 * q = points along a side of the frame, H × W = the mask's box. */

static const PrismWaveKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_wave_kernels);

/* What one pass does with a wave. */
typedef struct
{
  const PrismWaveKernels *kernels;
  const PrismWavePoints *points;
  const PrismWaveJob *job;
  float beta; /* of a search; 0: it begins */
  double sum; /* of what the pass has to change */
} Pass;

/* What the aperture lets through: of the job's box to columns of the points, or back. */
static void
transfer (Pass *pass,
          gboolean is_back)
{
  const PrismMask *mask = pass->job->mask;
  const gsize q = pass->points->side, h = mask->height, w = mask->width;
  const float scale = 1.0f / q;

  for (gsize x = 0; x < w; x++)
    {
      float *column = pass->points->other + 2 * x * q;

      for (gsize y = 0; y < h; y++)
        {
          const float factor = mask->bits[y * w + x] ? scale : 0.0f;
          float *number = pass->job->box + 2 * (y * w + x), *point = column + 2 * y;
          const float *from = is_back ? point : number;
          float *to = is_back ? number : point;

          to[0] = factor * from[0];
          to[1] = factor * from[1];
        }
      if (!is_back)
        memset (column + 2 * h, 0, 2 * (q - h) * sizeof (float));
    }
}

/* The wave behind the aperture, and what is done with it. */
static void
visit (Pass *pass,
       PrismFftFunc func)
{
  const PrismWavePoints *points = pass->points;

  pass->sum = 0.0;
  transfer (pass, FALSE);
  prism_fft_square_visit (points->fft, points->other, pass->job->mask->width, points->buffer, func,
                          pass);
}

static void
project_rows (gpointer data,
              gsize first,
              gsize n,
              float *values)
{
  Pass *pass = data;

  pass->sum += pass->kernels->project (values, pass->job->amplitude + first, n);
}

/**
 * prism_wave_project:
 * @points: of this thread
 * @job: a wave
 *
 * Gives the wave of a box the amplitude that was measured, and takes of it what the aperture lets
 * through.
 *
 * Returns: Σ(|φ|-A)² before
 */
double
prism_wave_project (const PrismWavePoints *points,
                    const PrismWaveJob *job)
{
  Pass pass = { all_kernels[prism_isa_get ()], points, job };

  visit (&pass, project_rows);
  transfer (&pass, TRUE);
  return pass.sum;
}

/* Alternating projections, with momentum that is forgotten where it leads uphill. */
static void
descend (const PrismWavePoints *points,
         const PrismWaveMove *move,
         PrismWaveJob *job)
{
  const gsize size = 2 * prism_mask_count_box (job->mask);
  g_autofree float *last = g_memdup2 (job->box, size * sizeof (float));
  double momentum = 1.0;

  job->misfit = INFINITY;
  for (guint i = 0; i < move->n_passes && job->misfit > job->close; i++)
    {
      const double before = job->misfit;
      const double next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * momentum * momentum));
      gboolean uphill;

      job->misfit = prism_wave_project (points, job);
      uphill = job->misfit > before;
      all_kernels[prism_isa_get ()]->move (job->box, last, size,
                                           uphill ? 0.0f : (momentum - 1.0) / next);
      momentum = uphill ? 1.0 : next;
    }
  memcpy (job->box, last, size * sizeof (float));
}

/* The end of one step and the beginning of the next. */
static void
search_rows (gpointer data,
             gsize first,
             gsize n,
             float *values)
{
  Pass *pass = data;
  float *z = pass->points->state + 2 * first;

  if (pass->beta == 0.0f)
    memcpy (z, values, 2 * n * sizeof (float));
  pass->sum += pass->kernels->search (z, pass->job->amplitude + first, n, pass->beta, values);
}

/**
 * prism_wave_move:
 * @points: of this thread, with a state for a search
 * @move: what is done
 * @job: (inout): with which wave
 *
 * Searches from a box, which is left somewhere in a basin, or descends to its floor.
 */
void
prism_wave_move (const PrismWavePoints *points,
                 const PrismWaveMove *move,
                 PrismWaveJob *job)
{
  Pass pass = { all_kernels[prism_isa_get ()], points, job };

  if (move->relaxation == 0.0f)
    {
      descend (points, move, job);
      return;
    }
  visit (&pass, search_rows);
  pass.beta = move->relaxation;
  for (guint k = 0; k < move->n_passes && (k == 0 || !(pass.sum < job->close)); k++)
    {
      transfer (&pass, TRUE);
      visit (&pass, search_rows);
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
  const gsize n = points->side, q = few->side;
  const float scale = 1.0f / (q * q);

  for (gsize i = 0; i < n * n; i++)
    {
      points->other[2 * i] = amplitude[i] * amplitude[i];
      points->other[2 * i + 1] = 0.0f;
    }
  prism_fft_square_reduce (points->fft, points->other, n);
  for (gsize y = 0; y < q; y++)
    for (gsize x = 0; x < q; x++)
      {
        const gsize row = y < q / 2 ? y : n - q + y, column = x < q / 2 ? x : n - q + x;

        memcpy (few->other + 2 * (y * q + x), points->other + 2 * (row * n + column),
                2 * sizeof (float));
      }
  prism_fft_square_expand (few->fft, few->other, q);
  for (gsize i = 0; i < q * q; i++)
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
