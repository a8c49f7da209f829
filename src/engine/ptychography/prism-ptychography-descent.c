/* Descent on all frames together. The field behind a frame that is nearest to the model is as
 * bright as the frame and has the model's phase; the sum of squares to those fields lies above
 * the misfit, touches it where the model is, and is least at Σ conj(P)ψ / Σ|P|² for the object
 * and likewise for the pupil: a step that needs no length. Nesterov's sequence makes many of them
 * fast; it begins again when the misfit grows.
 *
 * With few frames much of the object is open. Then a step may end with the object a for which
 * ½·Σ|a - o|² + τ·Σ|∇a| is least, o the one that it led to and |∇a| of both parts of a complex
 * number together: total variation, found by projected gradient ascent of the dual problem
 * (Chambolle 2004). What it is worth stands in docs/measurements.md. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-record.h"
#include "num/prism-fft.h"

#include <float.h>

#define STEPS 5 /* over all frames, of a pass */

/* M = grid of the object, n = of a frame */
struct _PrismPtychographyDescent
{
  PrismPtychographySums *sums;
  gsize n_object; /* floats of each */
  gsize n_pupil;
  float *object; /* [M][M][2], as the last step left it */
  float *pupil;  /* [n][n][2] */
  float *field;  /* (nullable) [M][M][2]: the object, for its total variation */
  float *flat;   /* [M][M][2] */
  float *dual;   /* [M][M][2][2]: along rows and columns */
  PrismFftSquare *transform;
  guint step;   /* since the beginning */
  guint since;  /* steps since the sequence began */
  double error; /* of the step before */

  guint i; /* step of the pass under way */
};

#define FIELD(...) PRISM_RECORD_FIELD (PrismPtychographyDescent, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (step, INTEGER, 0, G_MAXINT32),
  FIELD (since, INTEGER, 0, G_MAXINT32),
  FIELD (error, REAL, 0, DBL_MAX),
  { NULL },
};

static gboolean
make_flat (PrismPtychographyDescent *descent,
           int side,
           GError **error)
{
  descent->field = prism_arena_new_array (sizeof (float) * 4 * descent->n_object,
                                          "the object's total variation", error);
  if (descent->field == NULL)
    return FALSE;
  descent->flat = descent->field + descent->n_object;
  descent->dual = descent->flat + descent->n_object;
  descent->transform = prism_fft_square_new (side);
  return TRUE;
}

/**
 * prism_ptychography_descent_new:
 * @self: what explains frames
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): what descent remembers
 */
PrismPtychographyDescent *
prism_ptychography_descent_new (PrismPtychography *self,
                                GError **error)
{
  const PrismPtychogram *frames = self->frames;
  PrismPtychographyDescent *descent = g_new0 (PrismPtychographyDescent, 1);

  descent->n_object = 2 * (gsize) frames->object_side * frames->object_side;
  descent->n_pupil = 2 * (gsize) frames->grid * frames->grid;
  descent->sums = prism_ptychography_sums_new (frames, error);
  descent->object
      = descent->sums == NULL ? NULL
                              : prism_arena_new_array (sizeof (float)
                                                           * (descent->n_object + descent->n_pupil),
                                                       "object and pupil before a step", error);
  if (descent->object == NULL)
    {
      prism_ptychography_descent_free (descent);
      return NULL;
    }
  descent->pupil = descent->object + descent->n_object;
  if (self->settings->variation > 0 && !make_flat (descent, frames->object_side, error))
    {
      prism_ptychography_descent_free (descent);
      return NULL;
    }
  return descent;
}

/**
 * prism_ptychography_descent_free:
 * @self: (nullable): what descent remembers
 */
PRISM_FREE_FOR_ALL (PrismPtychographyDescent,
                    prism_ptychography_descent_free,
                    prism_ptychography_sums_free,
                    sums,
                    prism_arena_free_array,
                    object,
                    prism_arena_free_array,
                    field,
                    prism_fft_square_free,
                    transform)

static void
remember (PrismPtychography *self)
{
  PrismPtychographyDescent *descent = self->descent;

  memcpy (descent->object, prism_ptychography_frame_get_object (self->frame),
          sizeof (float) * descent->n_object);
  memcpy (descent->pupil, prism_ptychography_frame_get_pupil (self->frame),
          sizeof (float) * descent->n_pupil);
}

/**
 * prism_ptychography_descent_begin:
 *
 * Begins with object and pupil as they are, where all frames are to be explained together.
 */
void
prism_ptychography_descent_begin (PrismPtychography *self)
{
  if (self->descent == NULL)
    return;
  self->descent->step = self->descent->since = self->descent->i = self->descent->sums->next = 0;
  self->descent->error = INFINITY;
  remember (self);
}

/* values: where the slopes were taken; becomes where they lead to. */
static void
reach (float *values,
       const float *sums,
       const float *weights,
       gsize n_points,
       float rate)
{
  float largest = 0, floor;

  for (gsize i = 0; i < n_points; i++)
    largest = MAX (largest, weights[i]);
  floor = MAX (0.02f * largest, 1e-30f);
  for (gsize i = 0; i < 2 * n_points; i++)
    values[i] += rate * sums[i] / (weights[i / 2] + floor);
}

/* values: where a step has led to; becomes where the next slopes are taken. before: where the last
 * step led to; becomes that of this one. */
static void
extrapolate (float *values,
             float *before,
             gsize n,
             float memory)
{
  for (gsize i = 0; i < n; i++)
    {
      const float reached = values[i];

      values[i] = reached + memory * (reached - before[i]);
      before[i] = reached;
    }
}

typedef struct
{
  PrismPtychographyDescent *descent;
  int side;
  float tau;
} Flattening;

/* Makes what the dual field leaves of a row, field + τ·div; opposite edges are joined. */
static void
flatten_row (gpointer data,
             guint row,
             guint worker)
{
  const Flattening *job = data;
  const PrismPtychographyDescent *descent = job->descent;
  const guint side = (guint) job->side;
  const gsize start = (gsize) row * side, above = (gsize) ((row + side - 1) % side) * side;
  const float *dual = descent->dual;

  for (guint column = 0; column < side; column++)
    {
      const gsize i = start + column, left = start + (column + side - 1) % side;
      const float *at = dual + 4 * i, *up = dual + 4 * (above + column) + 2;

      for (int k = 0; k < 2; k++)
        descent->flat[2 * i + k] = descent->field[2 * i + k]
                                   + job->tau * (at[k] - dual[4 * left + k] + at[2 + k] - up[k]);
    }
}

/* Moves the dual field of a row along the differences, and cuts it to a length of 1. */
static void
raise_row (gpointer data,
           guint row,
           guint worker)
{
  const Flattening *job = data;
  const PrismPtychographyDescent *descent = job->descent;
  const guint side = (guint) job->side;
  const float step = 0.24f / job->tau; /* it converges below 1/4 */
  const gsize start = (gsize) row * side, below = (gsize) ((row + 1) % side) * side;
  const float *flat = descent->flat;

  for (guint column = 0; column < side; column++)
    {
      const gsize i = start + column, right = start + (column + 1) % side;
      float *dual = descent->dual + 4 * i, square = 0, factor;

      for (int k = 0; k < 2; k++)
        {
          dual[k] += step * (flat[2 * right + k] - flat[2 * i + k]);
          dual[2 + k] += step * (flat[2 * (below + column) + k] - flat[2 * i + k]);
          square += dual[k] * dual[k] + dual[2 + k] * dual[2 + k];
        }
      factor = 1 / MAX (sqrtf (square), 1);
      for (int k = 0; k < 4; k++)
        dual[k] *= factor;
    }
}

/* Lowers the total variation of the object. */
static void
flatten (PrismPtychography *self,
         float tau,
         float *spectrum)
{
  PrismPtychographyDescent *descent = self->descent;
  PrismPool *pool = self->n_workers > 1 ? self->crew : self->pools[0];
  const int side = self->frames->object_side;
  const gsize n_points = descent->n_object / 2;
  Flattening job = { descent, side, tau };

  memcpy (descent->field, spectrum, sizeof (float) * descent->n_object);
  prism_fft_square_expand (descent->transform, descent->field, side);
  prism_fft_alternate (descent->field, side, 1);
  memset (descent->dual, 0, sizeof (float) * 2 * descent->n_object);
  for (int i = 0; i < 15; i++)
    {
      prism_pool_run (pool, (guint) side, flatten_row, &job);
      prism_pool_run (pool, (guint) side, raise_row, &job);
    }
  prism_pool_run (pool, (guint) side, flatten_row, &job);
  for (gsize i = 0; i < descent->n_object; i++)
    spectrum[i] = descent->flat[i] / (float) n_points;
  prism_fft_alternate (spectrum, side, 1);
  prism_fft_square_reduce (descent->transform, spectrum, side);
}

/* Looks at all frames, or at the rest of them where it was ended. Returns the misfit, NAN where it
 * is ended. */
static double
visit_all (PrismPtychography *self,
           double fraction,
           gboolean frees_gains,
           gboolean frees_rest)
{
  const PrismPtychogram *frames = self->frames;
  PrismPtychographySums *sums = self->descent->sums;
  PrismPtychographyVisit visit = {
    .object_step = 1,
    .pupil_step = self->settings->free_pupil && frees_rest ? 1 : 0,
    .sums = sums,
    .wants_shift = frees_rest && self->settings->positions != PRISM_PLACES_HELD,
  };
  double error = 0, energy = 0;

  sums->n_frames = 0;
  for (guint i = 0; i < frames->n_used; i++)
    if (self->strays[frames->order[i]] != PRISM_STRAY_FOUND)
      sums->frames[sums->n_frames++] = frames->order[i];
  if (!prism_ptychography_sum_up (self, &visit, frees_gains, fraction, 1.0 / STEPS))
    return (double) NAN;
  for (guint i = 0; i < sums->n_frames; i++)
    {
      const PrismPtychographyLesson *lesson = &sums->lessons[i];
      const guint j = sums->frames[i];

      self->light.gains[j] = lesson->gain;
      error += lesson->error;
      energy += lesson->energy;
      if (visit.wants_shift)
        prism_illumination_move (
            &self->light, j,
            (const double[2]) { lesson->shift[0] / 2, lesson->shift[1] / 2 },
            prism_ptychography_light_get_most (self));
    }
  /* Where nothing is left of it, what is left is rounding, of either sign. */
  return sqrt (MAX (error, 0) / MAX (energy, 1e-300));
}

/* To where the last step led, from where the memory of earlier ones went too far. */
static void
go_back (PrismPtychography *self)
{
  PrismPtychographyDescent *descent = self->descent;

  memcpy (prism_ptychography_frame_get_object (self->frame), descent->object,
          sizeof (float) * descent->n_object);
  memcpy (prism_ptychography_frame_get_pupil (self->frame), descent->pupil,
          sizeof (float) * descent->n_pupil);
  descent->since = 0;
  descent->error = INFINITY;
}

/* Object and pupil move at the same time, so that each takes a part of its step. */
static void
take_step (PrismPtychography *self,
           double error,
           gboolean frees_rest)
{
  PrismPtychographyDescent *descent = self->descent;
  const float points = (float) (descent->n_pupil / 2);
  const double pupil_step = 0.4 / (1 + 0.3 * descent->step);
  float *object = prism_ptychography_frame_get_object (self->frame);
  float *pupil = prism_ptychography_frame_get_pupil (self->frame);
  float memory;

  if (!(error <= descent->error))
    {
      go_back (self);
      return;
    }
  memory = (float) descent->since / (float) (descent->since + 3);
  descent->error = error;
  reach (object, descent->sums->object, descent->sums->object_weights, descent->n_object / 2,
         0.9f / points);
  if (descent->field != NULL)
    flatten (self, (float) self->settings->variation * prism_ptychogram_get_white (self->frames),
             object);
  extrapolate (object, descent->object, descent->n_object, memory);
  if (self->settings->free_pupil && frees_rest)
    {
      reach (pupil, descent->sums->pupil, descent->sums->pupil_weights, descent->n_pupil / 2,
             (float) pupil_step / points);
      extrapolate (pupil, descent->pupil, descent->n_pupil, 0);
    }
  descent->since++;
}

/**
 * prism_ptychography_descent_step:
 *
 * Takes some steps on all frames that are not held out, which count as one pass, or the rest of
 * them where it was ended.
 *
 * Returns: whether it was not ended; otherwise it is not counted, and its first steps stay
 */
gboolean
prism_ptychography_descent_step (PrismPtychography *self)
{
  PrismPtychographyDescent *descent = self->descent;

  for (; descent->i < STEPS; descent->i++)
    {
      /* Before, the object is not known well enough. */
      const gboolean frees_gains = self->settings->gains && descent->step >= 3;
      const gboolean frees_rest = descent->step >= 8;
      const double error
          = visit_all (self, (double) descent->i / STEPS, frees_gains, frees_rest);

      if (isnan (error))
        return FALSE;
      take_step (self, error, frees_rest);
      if (frees_gains)
        prism_ptychography_light_normalise (self);
      if (frees_rest)
        prism_ptychography_light_settle (self);
      descent->step++;
    }
  descent->i = 0;
  self->pass++;
  return TRUE;
}

/**
 * prism_ptychography_descent_get_next:
 *
 * Returns: how many frames the pass under way has visited, each of its steps a part of it
 */
guint
prism_ptychography_descent_get_next (PrismPtychography *self)
{
  return (self->descent->i * self->frames->n_used + self->descent->sums->next) / STEPS;
}

/**
 * prism_ptychography_descent_save:
 * @self: between two passes
 * @bundle: where to
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether its sequence has been added, where there is one
 */
gboolean
prism_ptychography_descent_save (PrismPtychography *self,
                                 PrismBundle *bundle,
                                 GError **error)
{
  PrismPtychographyDescent *descent = self->descent;
  const gsize n = descent != NULL ? descent->n_object + descent->n_pupil : 0;
  float *values;

  if (descent == NULL)
    return TRUE;
  values = prism_bundle_add_array (bundle, "descent.npy", 1, &n, error);
  if (values == NULL)
    return FALSE;
  memcpy (values, descent->object, sizeof (float) * n);
  prism_bundle_take_text (bundle, "descent.json", prism_record_to_text (fields, descent));
  return TRUE;
}

/**
 * prism_ptychography_descent_load:
 * @bundle: what prism_ptychography_descent_save() added to
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether it goes on from there, where there is one
 */
gboolean
prism_ptychography_descent_load (PrismPtychography *self,
                                 PrismBundle *bundle,
                                 GError **error)
{
  PrismPtychographyDescent *descent = self->descent;
  const float *values;
  const char *text;
  gsize n;

  /* What was before all frames were taken together. */
  if (!prism_bundle_has (bundle, "descent.npy"))
    {
      prism_ptychography_descent_begin (self);
      return TRUE;
    }
  if (descent == NULL)
    descent = self->descent = prism_ptychography_descent_new (self, error);
  if (descent == NULL)
    return FALSE;
  n = descent->n_object + descent->n_pupil;
  values = prism_bundle_get_array (bundle, "descent.npy", 1, &n, error);
  text = values != NULL ? prism_bundle_get_text (bundle, "descent.json", error) : NULL;
  if (text == NULL || !prism_record_parse (fields, descent, text, "descent.json", error))
    return FALSE;
  memcpy (descent->object, values, sizeof (float) * n);
  descent->i = descent->sums->next = 0;
  return TRUE;
}
