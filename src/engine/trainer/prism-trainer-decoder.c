#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "base/prism-record.h"
#include "trainer/prism-trainer-private.h"

/* The decoder's weights and moments: as they are drawn, as they are now, and the last good ones,
 * which are kept in the host's memory as parts of a run file: to go back to when training diverges,
 * and to go on from when the device is gone.
 *
 * P = parameters. Thread: engine. */

/* Of a decoder [P]: weights, Adam's moments and, with amsgrad, the largest second; those of the
 * state that is kept begin with "kept-". */
static const char *const arrays[]
    = { "weights.npy", "moments-1.npy", "moments-2.npy", "moments-largest.npy" };

#define OPTIMIZER "optimizer.json"

static const PrismRecordField optimizer[] = {
  { "n_steps", PRISM_RECORD_COUNT, 0, 0, PRISM_RECORD_MOST, FALSE },
  { NULL },
};

/**
 * prism_trainer_initialise_decoder:
 *
 * Draws the weights that the attempt under way starts from; attempt 0 takes those of the seed
 * itself.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_trainer_initialise_decoder (PrismTrainer *self,
                                  GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  guint64 seed = prism_config_get_training_seed (self->config)
                 + ((guint64) self->now.start_attempt << 32);
  prism_autofree_array float *parameters = prism_arena_new_array (
      plan->n_parameters * sizeof (float), "the decoder's weights", error);

  if (parameters == NULL)
    return FALSE;
  prism_decoder_plan_initialise (plan, seed, parameters);
  self->backend->ops->set_parameters (self->backend, parameters);
  self->backend->ops->reset_optimizer (self->backend);
  self->is_kept = FALSE;
  return TRUE;
}

static guint
count_arrays (PrismTrainer *self)
{
  return G_N_ELEMENTS (arrays) - (self->backend->spec.amsgrad ? 0 : 1);
}

/* The decoder's state as it is now; NULL where there is no memory, or the device is gone. */
static PrismBundle *
dup_decoder (PrismTrainer *self,
             GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  const gsize n = self->backend->spec.decoder.n_parameters;
  g_autoptr (PrismBundle) state = prism_bundle_new ();
  float *values[G_N_ELEMENTS (arrays)] = { NULL };
  guint64 n_steps;

  for (guint i = 0; i < count_arrays (self); i++)
    if ((values[i] = prism_bundle_add_array (state, arrays[i], 1, &n, error)) == NULL)
      return NULL;
  ops->get_parameters (self->backend, values[0]);
  ops->get_moments (self->backend, values[1], values[2], values[3], &n_steps);
  prism_bundle_take_text (state, OPTIMIZER, prism_record_to_text (optimizer, &n_steps));
  return prism_trainer_wait (self, error) ? g_steal_pointer (&state) : NULL;
}

/* One of its arrays, with another prefix in a file; NULL where it is not there. */
static const float *
get_array (PrismTrainer *self,
           PrismBundle *state,
           const char *name,
           GError **error)
{
  return prism_bundle_get_array (state, name, 1, &self->backend->spec.decoder.n_parameters, error);
}

static gboolean
is_finite (PrismTrainer *self,
           PrismBundle *state)
{
  for (guint i = 0; i < count_arrays (self); i++)
    if (!prism_finite_all (get_array (self, state, arrays[i], NULL),
                           self->backend->spec.decoder.n_parameters))
      return FALSE;
  return TRUE;
}

/**
 * prism_trainer_is_finite:
 *
 * Looks at weights and moments as they are now: the device does it itself, or a copy is looked at.
 * On a device that is lost they are taken to be good; it says so at the next call that can.
 *
 * Returns: whether all of them are finite
 */
gboolean
prism_trainer_is_finite (PrismTrainer *self)
{
  const PrismBackendOps *ops = self->backend->ops;
  g_autoptr (PrismBundle) state = NULL;

  if (ops->is_finite != NULL)
    return ops->is_finite (self->backend);
  state = dup_decoder (self, NULL);
  return state == NULL || is_finite (self, state);
}

/**
 * prism_trainer_keep_decoder:
 *
 * Keeps weights and moments as they are now. Of a device that can be lost, what was kept before
 * stays until all of them have arrived; of the host it makes room for them.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether they are kept
 */
gboolean
prism_trainer_keep_decoder (PrismTrainer *self,
                            GError **error)
{
  const gboolean can_be_lost = prism_backend_can_be_lost (self->backend->ops);
  g_autoptr (PrismBundle) state = NULL;

  if (!can_be_lost)
    g_clear_pointer (&self->kept, prism_bundle_free);
  state = dup_decoder (self, error);
  if (state == NULL)
    return FALSE;
  if (!prism_backend_check_finite (!can_be_lost || is_finite (self, state), error))
    return FALSE;
  prism_bundle_free (self->kept);
  self->kept = g_steal_pointer (&state);
  self->is_kept = TRUE;
  return TRUE;
}

/**
 * prism_trainer_go_back:
 *
 * Gives the device the weights and moments that are kept.
 */
void
prism_trainer_go_back (PrismTrainer *self)
{
  const float *values[G_N_ELEMENTS (arrays)] = { NULL };
  guint64 n_steps = 0;

  for (guint i = 0; i < count_arrays (self); i++)
    values[i] = get_array (self, self->kept, arrays[i], NULL);
  prism_record_parse (optimizer, &n_steps, prism_bundle_get_text (self->kept, OPTIMIZER, NULL),
                      OPTIMIZER, NULL);
  self->backend->ops->set_parameters (self->backend, values[0]);
  self->backend->ops->set_moments (self->backend, values[1], values[2], values[3], n_steps);
  self->is_kept = TRUE;
}

/**
 * prism_trainer_add_decoder:
 * @bundle: where to
 *
 * Adds the decoder's state as it is now, and while starts are tried the best one so far.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether everything has arrived
 */
gboolean
prism_trainer_add_decoder (PrismTrainer *self,
                           PrismBundle *bundle,
                           GError **error)
{
  g_autoptr (PrismBundle) now = NULL;

  if (self->is_kept)
    {
      prism_bundle_add_bundle (bundle, self->kept, "", "");
      return TRUE;
    }
  now = dup_decoder (self, error);
  if (now == NULL)
    return FALSE;
  prism_bundle_add_bundle (bundle, now, "", "");
  if (self->now.phase == PRISM_PHASE_START)
    prism_bundle_add_bundle (bundle, self->kept, "", "kept-");
  return TRUE;
}

static gboolean
load_kept (PrismTrainer *self,
           PrismBundle *bundle,
           const char *prefix,
           GError **error)
{
  g_autoptr (PrismBundle) state = prism_bundle_new ();
  g_autofree char *numbers = g_strconcat (prefix, OPTIMIZER, NULL);
  const char *text = prism_bundle_get_text (bundle, numbers, error);
  guint64 n_steps;

  if (text == NULL || !prism_record_parse (optimizer, &n_steps, text, numbers, error))
    return FALSE;
  prism_bundle_add_bundle (state, bundle, numbers, OPTIMIZER);
  for (guint i = 0; i < count_arrays (self); i++)
    {
      g_autofree char *name = g_strconcat (prefix, arrays[i], NULL);

      if (get_array (self, bundle, name, error) == NULL)
        return FALSE;
      prism_bundle_add_bundle (state, bundle, name, arrays[i]);
    }
  prism_bundle_free (self->kept);
  self->kept = g_steal_pointer (&state);
  return TRUE;
}

/**
 * prism_trainer_load_decoder:
 * @bundle: what prism_trainer_add_decoder() added to
 *
 * Puts the decoder into the state that it had, and keeps what was kept then.
 *
 * Errors: PRISM_ERROR_FORMAT; the trainer is then of no use.
 *
 * Returns: whether everything was good
 */
gboolean
prism_trainer_load_decoder (PrismTrainer *self,
                            PrismBundle *bundle,
                            GError **error)
{
  if (!load_kept (self, bundle, "", error))
    return FALSE;
  prism_trainer_go_back (self);
  self->is_kept = !prism_bundle_has (bundle, "kept-weights.npy");
  return self->is_kept || load_kept (self, bundle, "kept-", error);
}
