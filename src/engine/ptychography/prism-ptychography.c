#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "num/prism-fft.h"
#include "ptychography/prism-held-out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of a pass: 1 / (1 + decay·pass). A step that gets smaller beats a constant one. */
#define STEP_DECAY 0.25
#define PUPIL_STEP 0.3
#define PUPIL_DECAY 0.1
#define FREE_GAINS_FROM 1 /* passes: before, the object is not known well enough */
#define FREE_REST_FROM 2
#define LEAST_SHARED 384               /* points of a grid that several threads share */
#define MOST_BYTES ((gsize) 256 << 20) /* of the objects of the search's starts together */
#define SHIFT_STEP 1.0
#define MOST_SHIFT 6 /* pixels of the spectrum of a frame without border */

/* Small frames go by one thread each: several would wait for each other five times a frame, which
 * takes ten times as long where other programs want the processor, too. The search has one start
 * for each thread then. */
static gboolean
make_workers (PrismPtychography *self,
              guint n_threads,
              GError **error)
{
  const gboolean small = self->frames->grid < LEAST_SHARED;
  const gsize side = (gsize) self->frames->object_side, n_bytes = 2 * sizeof (float) * side * side;

  self->crew = prism_pool_new (small ? CLAMP (MOST_BYTES / n_bytes, 1, n_threads) : 1, error);
  if (self->crew == NULL)
    return FALSE;
  self->n_workers = prism_pool_get_n_threads (self->crew);
  self->pools = g_new0 (PrismPool *, self->n_workers);
  self->frames_of_workers = g_new0 (PrismPtychographyFrame *, self->n_workers);
  for (guint i = 0; i < self->n_workers; i++)
    {
      self->pools[i] = prism_pool_new (small ? 1 : n_threads, error);
      if (self->pools[i] == NULL)
        return FALSE;
      self->frames_of_workers[i]
          = prism_ptychography_frame_new (self->frames, self->pools[i], error);
      if (self->frames_of_workers[i] == NULL)
        return FALSE;
    }
  self->frame = self->frames_of_workers[0];
  return TRUE;
}

/**
 * prism_ptychography_new:
 * @frames: (transfer full): what was recorded
 * @settings: what is wanted
 * @wavelength: m
 * @na: of the objective
 *
 * Allocates all that is needed. prism_ptychography_begin() begins.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): what explains the frames
 */
PrismPtychography *
prism_ptychography_new (PrismPtychogram *frames,
                        const PrismPtychographySettings *settings,
                        double wavelength,
                        double na,
                        GError **error)
{
  g_autoptr (PrismPtychography) self = g_new0 (PrismPtychography, 1);

  self->frames = frames;
  self->settings = *settings;
  self->defocus_phase = G_PI * na * na * 1e-6 / wavelength;
  prism_illumination_init (&self->light, frames->centers, frames->n_frames);
  return make_workers (self, prism_pool_count_threads ((guint) settings->threads), error)
             ? g_steal_pointer (&self)
             : NULL;
}

/**
 * prism_ptychography_free:
 * @self: (nullable): what to free
 *
 * Frees it with its frames.
 */
void
prism_ptychography_free (PrismPtychography *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_workers; i++)
    {
      prism_ptychography_frame_free (self->frames_of_workers[i]);
      prism_pool_free (self->pools[i]);
    }
  g_free (self->frames_of_workers);
  g_free (self->pools);
  prism_pool_free (self->crew);
  prism_illumination_clear (&self->light);
  prism_ptychogram_free (self->frames);
  g_free (self);
}

/**
 * prism_ptychography_get_frames:
 *
 * Returns: (transfer none): what was recorded
 */
const PrismPtychogram *
prism_ptychography_get_frames (PrismPtychography *self)
{
  return self->frames;
}

/**
 * prism_ptychography_get_illumination:
 *
 * Returns: (transfer none): places and gains as they are found by now
 */
const PrismIllumination *
prism_ptychography_get_illumination (PrismPtychography *self)
{
  return &self->light;
}

/**
 * prism_ptychography_get_pass:
 *
 * Returns: passes done
 */
guint
prism_ptychography_get_pass (PrismPtychography *self)
{
  return self->pass;
}

/**
 * prism_ptychography_get_aberrations:
 *
 * Returns: (transfer none): [PRISM_PUPIL_N_MODES], what the passes began with, radians
 */
const double *
prism_ptychography_get_aberrations (PrismPtychography *self)
{
  return self->aberrations;
}

/**
 * prism_ptychography_get_rim:
 *
 * Returns: width of the pupil's rim, pixels
 */
double
prism_ptychography_get_rim (PrismPtychography *self)
{
  return self->rim;
}

/**
 * prism_ptychography_begin:
 *
 * Begins: with a search for the pupil where that is wanted, and with the innermost frame.
 */
void
prism_ptychography_begin (PrismPtychography *self)
{
  memset (self->aberrations, 0, sizeof self->aberrations);
  prism_illumination_reset (&self->light);
  self->pass = 0;
  self->rim = isnan (self->settings.rim) ? 1 : self->settings.rim;
  prism_ptychography_frame_set_rim (self->frame, self->rim);
  if (self->settings.pupil == PRISM_PUPIL_SEARCH)
    prism_ptychography_search (self);
  else if (!isnan (self->settings.defocus))
    self->aberrations[0] = self->settings.defocus * self->defocus_phase / 2;
  prism_ptychography_frame_begin (self->frame, self->aberrations);
}

/* The inner frames fix what is free otherwise: the object's scale with all gains together. */
static void
normalise_gains (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  double sum = 0;

  for (guint i = 0; i < frames->n_bright; i++)
    sum += log (MAX (self->light.gains[frames->order[i]], 1e-6));
  sum = exp (sum / frames->n_bright);
  for (guint i = 0; i < frames->n_used; i++)
    self->light.gains[frames->order[i]] /= sum;
}

/**
 * prism_ptychography_step:
 *
 * Takes one pass over all frames that are not held out, the inner ones first.
 */
void
prism_ptychography_step (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const double most = MOST_SHIFT * (double) frames->grid / frames->side;
  const double step = 1 / (1 + STEP_DECAY * self->pass);
  const gboolean free_rest = self->pass >= FREE_REST_FROM;
  const gboolean free_gains = self->settings.gains && self->pass >= FREE_GAINS_FROM;
  const double pupil_step = PUPIL_STEP * step / (1 + PUPIL_DECAY * self->pass);
  PrismPtychographyVisit visit = {
    .object_step = step,
    .pupil_step = self->settings.free_pupil && free_rest ? pupil_step : 0,
  };

  for (guint i = 0; i < frames->n_used; i++)
    {
      const guint j = frames->order[i];
      PrismPtychographyLesson lesson;

      visit.gain = free_gains ? (double) NAN : self->light.gains[j];
      visit.wants_shift = self->settings.positions && free_rest;
      lesson = prism_ptychography_frame_visit (self->frame, j, self->light.found[j], &visit);
      self->light.gains[j] = lesson.gain;
      if (visit.wants_shift)
        prism_illumination_move (
            &self->light, j,
            (const double[2]) { SHIFT_STEP * lesson.shift[0], SHIFT_STEP * lesson.shift[1] }, most);
    }
  if (free_gains)
    normalise_gains (self);
  if (self->settings.positions && free_rest)
    prism_illumination_fit_board (&self->light, frames->order, frames->n_used, frames->held);
  self->pass++;
}

/**
 * prism_ptychography_dup_object:
 *
 * Computes the object, whose pixels are as bright as the innermost frame's. The mean phase is 0.
 *
 * Shape: [u·q][u·q][2].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the part of it that the frames show; prism_arena_free_array() it
 */
float *
prism_ptychography_dup_object (PrismPtychography *self,
                               GError **error)
{
  const PrismPtychogram *frames = self->frames;
  const int m = frames->object_side, q = frames->upsampling * frames->side;
  const int corner = frames->upsampling * frames->border;
  const float *spectrum = prism_ptychography_frame_get_object (self->frame);
  prism_autofree_array float *field
      = prism_arena_new_array (sizeof (float) * 2 * m * m, "the object", error);
  float *object = prism_arena_new_array (sizeof (float) * 2 * q * q, "the object", error);
  g_autoptr (PrismFftSquare) transform = NULL;
  double sum[2] = { 0 }, length;

  if (field == NULL || object == NULL)
    {
      prism_arena_free_array (object);
      return NULL;
    }
  memcpy (field, spectrum, sizeof (float) * 2 * m * m);
  transform = prism_fft_square_new (m);
  prism_fft_square_expand (transform, field, m);
  for (int row = 0; row < q; row++)
    for (int column = 0; column < q; column++)
      {
        const float *from = field + 2 * ((gsize) (row + corner) * m + column + corner);
        float *to = object + 2 * ((gsize) row * q + column);
        const float sign = (row + column) % 2 != 0 ? -1 : 1;

        for (int k = 0; k < 2; k++)
          {
            to[k] = sign * from[k];
            sum[k] += (double) to[k];
          }
      }
  length = hypot (sum[0], sum[1]);
  for (gsize i = 0; length > 0 && i < (gsize) q * q; i++)
    {
      const float re = object[2 * i], im = object[2 * i + 1];
      const float c = (float) (sum[0] / length), s = (float) (sum[1] / length);

      object[2 * i] = re * c + im * s;
      object[2 * i + 1] = im * c - re * s;
    }
  return object;
}

/**
 * prism_ptychography_dup_pupil:
 *
 * Shape: [q][q][2], on the spectrum of a frame without border, its centre at q/2.
 *
 * Returns: (transfer full): the pupil; g_free() it
 */
float *
prism_ptychography_dup_pupil (PrismPtychography *self)
{
  const int q = self->frames->side;
  float *pupil = g_new (float, 2 * (gsize) q * q);

  prism_pupil_resample (prism_ptychography_frame_get_pupil (self->frame), self->frames->grid, pupil,
                        q);
  prism_pupil_clip (pupil, q, self->frames->radius * q / self->frames->grid);
  return pupil;
}

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
get_median (double *values,
            guint n)
{
  if (n == 0)
    return (double) NAN;
  qsort (values, n, sizeof *values, compare_doubles);
  return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/**
 * prism_ptychography_predict:
 * @held: whether the frames that were never used are predicted, or those that were
 * @misfits: (nullable) (array length=N): of every such frame, for the others left as it is
 * @correlations: (nullable) (array length=N): the same
 *
 * Compares frames with what object, pupil and board predict.
 *
 * Returns: how well that is met
 */
PrismPrediction
prism_ptychography_predict (PrismPtychography *self,
                            gboolean held,
                            double *misfits,
                            double *correlations)
{
  const PrismPtychogram *frames = self->frames;
  const int q = frames->side, n = frames->grid;
  g_autofree double *values = g_new (double, frames->n_frames);
  PrismPrediction prediction = { 0 };
  double error = 0, energy = 0;

  for (guint j = 0; j < frames->n_frames; j++)
    {
      const float *amplitudes = prism_ptychogram_get (frames, j);
      PrismHeldOut sums = { 0 };
      const float *corner;

      if ((frames->held[j] != 0) != held)
        continue;
      corner = prism_ptychography_frame_predict (self->frame, j, self->light.found[j])
               + 2 * ((gsize) frames->border * n + frames->border);
      for (int row = 0; row < q; row++)
        prism_held_out_add (&sums, corner + 2 * (gsize) row * n,
                            amplitudes + (gsize) row * q, q);
      error += prism_held_out_get_error (&sums);
      energy += sums.recorded_squares;
      values[prediction.n_frames++] = prism_held_out_get_correlation (&sums);
      if (misfits != NULL)
        misfits[j] = sqrt (prism_held_out_get_error (&sums) / MAX (sums.recorded_squares, 1e-300));
      if (correlations != NULL)
        correlations[j] = values[prediction.n_frames - 1];
    }
  prediction.misfit = prediction.n_frames > 0 ? sqrt (error / energy) : (double) NAN;
  prediction.correlation = get_median (values, prediction.n_frames);
  return prediction;
}
