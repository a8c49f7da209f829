#include "config.h"

#include "solve/prism-recovery.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-record.h"

enum
{
  N_ARRAYS = 4
};

/* Their names in a bundle; those of the state that is kept begin with "kept-". */
static const char *const names[N_ARRAYS]
    = { "weights.npy", "moments-1.npy", "moments-2.npy", "moments-largest.npy" };

typedef struct
{
  PrismArena *arena;
  float *arrays[N_ARRAYS]; /* [P] weights, Adam's moments and, with amsgrad, the largest second */
  guint64 n_steps;
} State;

static const PrismRecordField fields[] = {
  PRISM_RECORD_FIELD (State, n_steps, COUNT, 0, PRISM_RECORD_MOST),
  { NULL },
};

struct _PrismRecovery
{
  PrismBackend *backend;
  State *kept;
  State *arriving; /* of a device that may fail half way; else NULL */
};

PRISM_FREE (State, state_free, prism_arena_free, arena)

static gsize
count_bytes (PrismRecovery *self)
{
  return self->backend->spec.decoder.n_parameters * sizeof (float);
}

static guint
count_arrays (PrismRecovery *self)
{
  return self->backend->spec.amsgrad ? N_ARRAYS : N_ARRAYS - 1;
}

static State *
state_new (PrismRecovery *recovery,
           GError **error)
{
  State *self = g_new0 (State, 1);

  self->arena = prism_arena_new ();
  for (guint i = 0; i < count_arrays (recovery); i++)
    prism_arena_add_array (self->arena, (gpointer *) &self->arrays[i], count_bytes (recovery));
  if (prism_arena_allocate (self->arena, "the last good state", error))
    return self;
  state_free (self);
  return NULL;
}

/**
 * prism_recovery_new:
 * @backend: the device whose decoder is guarded
 * @error: return location
 *
 * Makes room for the state and saves the present one.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: (transfer full) (nullable): the keeper
 */
PrismRecovery *
prism_recovery_new (PrismBackend *backend,
                    GError **error)
{
  gboolean can_be_lost = prism_backend_can_be_lost (backend->ops);
  g_autoptr (PrismRecovery) self = g_new0 (PrismRecovery, 1);

  self->backend = backend;
  self->kept = state_new (self, error);
  if (self->kept != NULL && can_be_lost)
    self->arriving = state_new (self, error);
  if (self->kept == NULL || (can_be_lost && self->arriving == NULL)
      || !prism_recovery_save (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_recovery_free:
 * @self: (nullable): a keeper
 */
PRISM_FREE_FOR_ALL (PrismRecovery, prism_recovery_free, state_free, kept, state_free, arriving)

static void
receive (PrismRecovery *self,
         State *state)
{
  const PrismBackendOps *ops = self->backend->ops;

  ops->get_parameters (self->backend, state->arrays[0]);
  ops->get_moments (self->backend, state->arrays[1], state->arrays[2], state->arrays[3],
                    &state->n_steps);
}

static gboolean
is_state_finite (PrismRecovery *self,
                 const State *state)
{
  for (guint i = 0; i < count_arrays (self); i++)
    if (!prism_finite_all (state->arrays[i], self->backend->spec.decoder.n_parameters))
      return FALSE;
  return TRUE;
}

/**
 * prism_recovery_save:
 * @self: a keeper
 * @error: return location
 *
 * Keeps parameters and moments as they are now. What was kept before stays until all of them have
 * arrived.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND; neither on the CPU.
 *
 * Returns: whether they are kept
 */
gboolean
prism_recovery_save (PrismRecovery *self,
                     GError **error)
{
  State *state = self->arriving != NULL ? self->arriving : self->kept;

  receive (self, state);
  if (self->arriving == NULL)
    return TRUE;
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (!is_state_finite (self, state))
    return prism_error_set (error, PRISM_ERROR_BACKEND,
                            "The device returned weights that are not finite.");
  self->arriving = self->kept;
  self->kept = state;
  return TRUE;
}

/**
 * prism_recovery_check_device:
 * @self: a keeper
 *
 * Looks at weights and moments as they are now, which takes no memory: the device does it itself,
 * or they come to where the next state will. On a device that is lost they are taken to be good; it
 * says so at the next call that can.
 *
 * Returns: whether all of them are finite
 */
gboolean
prism_recovery_check_device (PrismRecovery *self)
{
  const PrismBackendOps *ops = self->backend->ops;

  if (ops->is_finite != NULL)
    return ops->is_finite (self->backend);
  if (self->arriving == NULL)
    return TRUE;
  receive (self, self->arriving);
  return !ops->finish (self->backend, NULL) || is_state_finite (self, self->arriving);
}

/**
 * prism_recovery_forget_moments:
 * @self: a keeper
 *
 * Lets the state that is kept begin a new optimisation.
 */
void
prism_recovery_forget_moments (PrismRecovery *self)
{
  for (guint i = 1; i < count_arrays (self); i++)
    memset (self->kept->arrays[i], 0, count_bytes (self));
  self->kept->n_steps = 0;
}

/**
 * prism_recovery_apply:
 * @self: a keeper
 *
 * Puts the kept state back.
 */
void
prism_recovery_apply (PrismRecovery *self)
{
  const PrismBackendOps *ops = self->backend->ops;

  ops->set_parameters (self->backend, self->kept->arrays[0]);
  ops->set_moments (self->backend, self->kept->arrays[1], self->kept->arrays[2],
                    self->kept->arrays[3], self->kept->n_steps);
}

/**
 * prism_recovery_move:
 * @self: a keeper
 * @backend: another device with a decoder of the same plan
 *
 * Guards another device from now on; what is kept stays, and the old device is not touched.
 */
void
prism_recovery_move (PrismRecovery *self,
                     PrismBackend *backend)
{
  self->backend = backend;
  if (!prism_backend_can_be_lost (backend->ops))
    g_clear_pointer (&self->arriving, state_free);
}

/**
 * prism_recovery_write:
 * @self: a keeper
 * @bundle: where to
 * @error: return location
 *
 * Adds the decoder's state as it is now, weights.npy and moments-1.npy, moments-2.npy,
 * moments-largest.npy [P] and optimizer.json, and, where it is another, the one that is kept.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether everything has arrived
 */
gboolean
prism_recovery_write (PrismRecovery *self,
                      PrismBundle *bundle,
                      GError **error)
{
  const gsize n = self->backend->spec.decoder.n_parameters;
  gboolean is_kept = TRUE;
  State now = { 0 };

  for (guint i = 0; i < count_arrays (self); i++)
    if ((now.arrays[i] = prism_bundle_add_array (bundle, names[i], 1, &n, error)) == NULL)
      return FALSE;
  receive (self, &now);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  prism_bundle_take_text (bundle, "optimizer.json", prism_record_to_text (fields, &now));
  for (guint i = 0; i < count_arrays (self); i++)
    is_kept &= memcmp (now.arrays[i], self->kept->arrays[i], count_bytes (self)) == 0;
  if (is_kept && now.n_steps == self->kept->n_steps)
    return TRUE;
  for (guint i = 0; i < count_arrays (self); i++)
    {
      g_autofree char *name = g_strconcat ("kept-", names[i], NULL);
      float *copy = prism_bundle_add_array (bundle, name, 1, &n, error);

      if (copy == NULL)
        return FALSE;
      memcpy (copy, self->kept->arrays[i], count_bytes (self));
    }
  prism_bundle_take_text (bundle, "kept-optimizer.json", prism_record_to_text (fields, self->kept));
  return TRUE;
}

static gboolean
read_state (PrismRecovery *self,
            PrismBundle *bundle,
            const char *prefix,
            GError **error)
{
  const gsize n = self->backend->spec.decoder.n_parameters;
  g_autofree char *name = g_strconcat (prefix, "optimizer.json", NULL);
  const char *numbers = prism_bundle_get_text (bundle, name, error);

  if (numbers == NULL
      || !prism_record_parse (fields, self->kept, numbers, name, error))
    return FALSE;
  for (guint i = 0; i < count_arrays (self); i++)
    {
      g_autofree char *array = g_strconcat (prefix, names[i], NULL);
      const float *held = prism_bundle_get_array (bundle, array, 1, &n, error);

      if (held == NULL)
        return FALSE;
      memcpy (self->kept->arrays[i], held, count_bytes (self));
    }
  return TRUE;
}

/**
 * prism_recovery_read:
 * @self: a keeper of a decoder of the same plan
 * @bundle: what prism_recovery_write() added to
 * @error: return location
 *
 * Puts the decoder into the state that it had, and keeps what was kept then.
 *
 * Errors: PRISM_ERROR_FORMAT; the keeper is then of no use.
 *
 * Returns: whether everything was good
 */
gboolean
prism_recovery_read (PrismRecovery *self,
                     PrismBundle *bundle,
                     GError **error)
{
  if (!read_state (self, bundle, "", error))
    return FALSE;
  prism_recovery_apply (self);
  return !prism_bundle_has (bundle, "kept-weights.npy")
         || read_state (self, bundle, "kept-", error);
}
