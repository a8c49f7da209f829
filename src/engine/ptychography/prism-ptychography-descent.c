/* Descent on all frames together. The field behind a frame that is nearest to the model is as
 * bright as the frame and has the model's phase; the sum of squares to those fields lies above
 * the misfit, touches it where the model is, and is least at Σ conj(P)ψ / Σ|P|² for the object
 * and likewise for the pupil: a step that needs no length. Nesterov's sequence makes many of them
 * fast; it begins again when the misfit grows. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-record.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 5 /* over all frames, of a pass */
/* Object and pupil move at the same time, so that each takes a part of its step. */
#define OBJECT_STEP 0.9
#define PUPIL_STEP 0.4
#define PUPIL_DECAY 0.3
#define SHIFT_STEP 0.5
#define FREE_GAINS_FROM 3 /* steps: before, the object is not known well enough */
#define FREE_REST_FROM 8
#define OBJECT_FLOOR 0.02 /* of the largest weight */
#define PUPIL_FLOOR 2e-2

/* M = grid of the object, n = of a frame */
struct _PrismPtychographyDescent
{
  PrismPtychographySums *sums;
  gsize n_object; /* floats of each */
  gsize n_pupil;
  float *object; /* [M][M][2], as the last step left it */
  float *pupil;  /* [n][n][2] */
  guint step;    /* since the beginning */
  guint since;   /* steps since the sequence began */
  double error;  /* of the step before */

  /* Of the pass under way: where it goes on. */
  guint i;             /* step */
  guint next;          /* of the order: frame of that step */
  double error_so_far; /* of its frames */
  double energy_so_far;
};

#define FIELD(...) PRISM_RECORD_FIELD (PrismPtychographyDescent, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (step, INTEGER, 0, G_MAXINT32),
  FIELD (since, INTEGER, 0, G_MAXINT32),
  FIELD (error, REAL, 0, DBL_MAX),
  { NULL },
};

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
  descent->sums = prism_ptychography_sums_new (frames->object_side, frames->grid, error);
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
  return descent;
}

/**
 * prism_ptychography_descent_free:
 * @self: (nullable): what descent remembers
 */
void
prism_ptychography_descent_free (PrismPtychographyDescent *self)
{
  if (self == NULL)
    return;
  prism_ptychography_sums_free (self->sums);
  prism_arena_free_array (self->object);
  g_free (self);
}

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
  self->descent->step = self->descent->since = self->descent->i = self->descent->next = 0;
  self->descent->error = INFINITY;
  remember (self);
}

/* values: where the slopes were taken; becomes where the next ones are. before: the values that the
 * last step led to; becomes those of this one. */
static void
advance (float *values,
         float *before,
         const float *sums,
         const float *weights,
         gsize n_points,
         float rate,
         float floor,
         float memory)
{
  float largest = 0;

  for (gsize i = 0; i < n_points; i++)
    largest = MAX (largest, weights[i]);
  floor = MAX (floor * largest, 1e-30f);
  for (gsize i = 0; i < 2 * n_points; i++)
    {
      const float reached = values[i] + rate * sums[i] / (weights[i / 2] + floor);

      values[i] = reached + memory * (reached - before[i]);
      before[i] = reached;
    }
}

/* Looks at all frames, or at the rest of them where it was ended. Returns the misfit, NAN where it
 * is ended. */
static double
visit_all (PrismPtychography *self,
           double fraction)
{
  const PrismPtychogram *frames = self->frames;
  PrismPtychographyDescent *descent = self->descent;
  const gboolean free_rest = descent->step >= FREE_REST_FROM;
  const gboolean free_gains = self->settings->gains && descent->step >= FREE_GAINS_FROM;
  PrismPtychographyVisit visit = {
    .object_step = 1,
    .pupil_step = self->settings->free_pupil && free_rest ? 1 : 0,
    .sums = descent->sums,
    .wants_shift = free_rest && self->settings->positions != PRISM_PLACES_HELD,
  };

  if (descent->next == 0)
    {
      prism_ptychography_sums_clear (descent->sums);
      descent->error_so_far = descent->energy_so_far = 0;
    }
  for (; descent->next < frames->n_used; descent->next++)
    {
      const double share = (double) descent->next / frames->n_used;
      const guint j = frames->order[descent->next];
      PrismPtychographyLesson lesson;

      if (!prism_ptychography_go_on (self, fraction + share / STEPS))
        return (double) NAN;
      if (self->strays[j] == PRISM_STRAY_FOUND)
        continue;
      visit.gain = free_gains ? (double) NAN : self->light.gains[j];
      lesson = prism_ptychography_frame_visit (self->frame, j, self->light.found[j], &visit);
      self->light.gains[j] = lesson.gain;
      self->misfits[j] = sqrt (MAX (lesson.error, 0) / MAX (lesson.energy, 1e-300));
      descent->error_so_far += lesson.error;
      descent->energy_so_far += lesson.energy;
      if (visit.wants_shift)
        prism_illumination_move (
            &self->light, j,
            (const double[2]) { SHIFT_STEP * lesson.shift[0], SHIFT_STEP * lesson.shift[1] },
            prism_ptychography_light_get_most (self));
    }
  descent->next = 0;
  /* Where nothing is left of it, what is left is rounding, of either sign. */
  return sqrt (MAX (descent->error_so_far, 0) / MAX (descent->energy_so_far, 1e-300));
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

static void
take_step (PrismPtychography *self,
           double error)
{
  PrismPtychographyDescent *descent = self->descent;
  const float points = (float) (descent->n_pupil / 2);
  const double pupil_step = PUPIL_STEP / (1 + PUPIL_DECAY * descent->step);
  const gboolean free_rest = descent->step >= FREE_REST_FROM;
  float memory;

  if (!(error <= descent->error))
    {
      go_back (self);
      return;
    }
  memory = (float) descent->since / (float) (descent->since + 3);
  descent->error = error;
  advance (prism_ptychography_frame_get_object (self->frame), descent->object,
           descent->sums->object, descent->sums->object_weights, descent->n_object / 2,
           (float) OBJECT_STEP / points, (float) OBJECT_FLOOR, memory);
  if (self->settings->free_pupil && free_rest)
    advance (prism_ptychography_frame_get_pupil (self->frame), descent->pupil,
             descent->sums->pupil, descent->sums->pupil_weights, descent->n_pupil / 2,
             (float) pupil_step / points, (float) PUPIL_FLOOR, 0);
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
      const double error = visit_all (self, (double) descent->i / STEPS);

      if (isnan (error))
        return FALSE;
      take_step (self, error);
      if (self->settings->gains && descent->step >= FREE_GAINS_FROM)
        prism_ptychography_light_normalise (self);
      if (descent->step >= FREE_REST_FROM)
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
  return (self->descent->i * self->frames->n_used + self->descent->next) / STEPS;
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
  descent->i = descent->next = 0;
  return TRUE;
}
