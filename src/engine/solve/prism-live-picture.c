#include "config.h"

#include "solve/prism-live-picture.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "num/prism-tuning.h"
#include "solve/prism-method-state.h"

/* While frames arrive, some passes of descent over those that are there, after each or after some:
 * the descent goes on with image and momentum of the round before, so that few passes are enough,
 * and no round begins far from what explains its frames. The last round, of all frames, is as long
 * as the passes of others together.
 *
 * m = object_size, N = samples. */

#define FIELD(...) PRISM_RECORD_FIELD (PrismLivePicture, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (n_rounds, INTEGER),
  FIELD (n_passes, INTEGER),
  FIELD (pass, INTEGER),
  FIELD (misfit, REAL),
  { NULL },
};

static const PrismMethodState state = {
  "consistency.json",
  fields,
  { PRISM_METHOD_PLANE (PrismLivePicture, "consistency-image.npy", image) },
};

/**
 * prism_live_picture_is_due:
 * @n_samples: measurements so far, at least 1
 * @n_all: N
 * @has_noise: of the camera: a round after each sample then finds the right basin more often
 *
 * Returns: whether a round belongs here: after every sample, of a hundred or more after every
 * second, third and so on, and after the last; without noise where the samples have grown by a part
 */
gboolean
prism_live_picture_is_due (guint n_samples,
                           guint n_all,
                           gboolean has_noise)
{
  guint most = prism_tuning_get_count (PRISM_TUNING_LIVE_ROUNDS);
  guint stride = (n_all + most - 1) / most;

  if (!has_noise)
    stride = (n_samples + 9) / 10;
  return n_samples == 1 || n_samples >= n_all || n_samples % stride == 0;
}

/**
 * prism_live_picture_count_last:
 * @n_passes: of a round, as the user wants them
 *
 * Returns: passes of the last round
 */
guint
prism_live_picture_count_last (guint n_passes)
{
  return prism_tuning_get_count (PRISM_TUNING_BRIEF_LAST) * n_passes;
}

/* More passes of a round of few samples cost next to nothing. */
static guint
count_passes (guint n_passes,
              guint n_samples,
              guint n_all)
{
  const guint whole = prism_tuning_get_count (PRISM_TUNING_LIVE_SAMPLES);

  if (n_samples >= n_all)
    return prism_live_picture_count_last (n_passes);
  return (whole + n_samples - 1) / n_samples * n_passes;
}

/**
 * prism_live_picture_count_visits:
 * @n_passes: of a round, as the user wants them
 * @n_all: N
 * @has_noise: of the camera
 * @n_all_passes: (out): of all rounds
 * @n_rounds: (out): of the run
 *
 * Thread: any.
 *
 * Returns: how often a measurement is visited in all rounds of a run
 */
guint64
prism_live_picture_count_visits (guint n_passes,
                                 guint n_all,
                                 gboolean has_noise,
                                 guint64 *n_all_passes,
                                 guint *n_rounds)
{
  guint64 n_visits = 0;

  *n_all_passes = *n_rounds = 0;
  for (guint n = 1; n <= n_all; n++)
    if (prism_live_picture_is_due (n, n_all, has_noise))
      {
        const guint64 each = count_passes (n_passes, n, n_all);

        *n_all_passes += each;
        n_visits += each * n;
        ++*n_rounds;
      }
  return n_visits;
}

/**
 * prism_live_picture_new:
 * @backend: a device that has descend
 * @measurements: of the run
 * @start: (nullable) (array): what the first round begins with; read at once. NULL for blank
 * @error: return location
 *
 * Shape: @start [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a live picture before its first round
 */
PrismLivePicture *
prism_live_picture_new (PrismBackend *backend,
                        PrismMeasurements *measurements,
                        const float *start,
                        GError **error)
{
  g_autoptr (PrismLivePicture) self = g_new0 (PrismLivePicture, 1);
  self->misfit = NAN;
  self->descent = prism_descent_new (backend, measurements, 0, error);
  if (self->descent == NULL)
    return NULL;
  self->image = prism_arena_new_array (self->descent->n_pixels * sizeof (float),
                                       "the live picture", error);
  if (self->image == NULL)
    return NULL;
  self->descent->samples_noise = TRUE;
  prism_descent_set_image (self->descent, start);
  return g_steal_pointer (&self);
}

/**
 * prism_live_picture_free:
 * @self: (nullable): a live picture
 */
PRISM_FREE_FOR_ALL (PrismLivePicture,
                    prism_live_picture_free,
                    prism_descent_free,
                    descent,
                    prism_arena_free_array,
                    image)

/**
 * prism_live_picture_go_round:
 * @self: a live picture
 * @n_samples: measurements so far, which take part in a round that begins
 * @n_passes: of it, at least 1; of few samples more
 * @smoothness: factor of the total variation in it, at least 0
 * @control: asked between some frames and the next
 * @error: return location
 *
 * Does the passes of a round, or those that are left of the one under way. Momentum is carried over
 * from round to round, which is what makes a few passes enough.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the round is through, and the picture another one
 */
gboolean
prism_live_picture_go_round (PrismLivePicture *self,
                             guint n_samples,
                             guint n_passes,
                             double smoothness,
                             PrismControl *control,
                             GError **error)
{
  const guint n_all = self->descent->measurements->n_measurements;
  PrismDescent *descent = self->descent;

  if (self->pass >= self->n_passes)
    {
      if (!prism_descent_add_samples (descent, n_samples, error)
          || !prism_descent_set_exponent (
              descent, prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT), error))
        return FALSE;
      self->n_passes = count_passes (n_passes, n_samples, n_all);
      self->pass = 0;
      self->n_rounds++;
    }
  for (; self->pass < self->n_passes; self->pass++)
    {
      if (descent->sample == 0 && descent->n_samples >= n_all)
        {
          /* The last round comes down to what the user wants. */
          prism_descent_cool (descent, smoothness, self->pass, self->n_passes);
          prism_descent_look_at (descent, self->pass,
                                 self->n_passes - self->pass
                                     <= prism_tuning_get_count (PRISM_TUNING_SAMPLES_FULL));
        }
      else if (descent->sample == 0)
        {
          /* While samples arrive, more smoothness without noise fills what they leave open in the
           * few passes of a round. Rounds of few samples, too, look at other pixels from pass to
           * pass. */
          descent->smoothness = smoothness;
          if (descent->least_noise == 0.0)
            descent->smoothness *= prism_tuning_get (PRISM_TUNING_LIVE_VARIATION);
          prism_descent_look_at (descent, self->n_rounds * self->n_passes + self->pass,
                                 FALSE);
        }
      if (!prism_descent_pass (descent, control, error))
        return FALSE;
    }
  memcpy (self->image, descent->planes.image, descent->n_pixels * sizeof (float));
  self->misfit = descent->last_misfit / descent->power;
  return TRUE;
}

/**
 * prism_live_picture_save:
 * @bundle: where to
 * @error: return location
 *
 * Errors: as prism_descent_save().
 *
 * Returns: whether it has been added
 */
gboolean
prism_live_picture_save (PrismLivePicture *self,
                         PrismBundle *bundle,
                         GError **error)
{
  return prism_method_state_save (&state, self, "", &self->descent->backend->spec, bundle, error)
         && prism_descent_save (self->descent, bundle, "live", error);
}

/**
 * prism_live_picture_load:
 * @self: a new live picture
 * @bundle: what prism_live_picture_save() added to
 * @error: return location
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether it goes on from there, bit for bit
 */
gboolean
prism_live_picture_load (PrismLivePicture *self,
                         PrismBundle *bundle,
                         GError **error)
{
  return prism_method_state_load (&state, self, "", &self->descent->backend->spec, bundle, error)
         && prism_descent_load (self->descent, bundle, "live", self->pass < self->n_passes, error);
}

/**
 * prism_live_picture_get_image:
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none) (nullable) (array): the picture after the last whole round
 */
const float *
prism_live_picture_get_image (PrismLivePicture *self)
{
  return isnan (self->misfit) ? NULL : self->image;
}
