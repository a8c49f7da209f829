#include "config.h"

#include "prism-recovery.h"

#include "prism-arena.h"
#include "prism-error.h"
#include "prism-record.h"

#include <string.h>

typedef struct
{
  float *parameters; /* [P] */
  float *first;      /* [P] Adam's moments */
  float *second;     /* [P] */
  float *largest;    /* [P], NULL but with amsgrad */
  guint64 n_steps;
} State;

static const PrismRecordField fields[] = {
  { "n_steps", PRISM_RECORD_COUNT, G_STRUCT_OFFSET (State, n_steps), 0, 9007199254740992.0, FALSE },
  { NULL },
};

struct _PrismRecovery
{
  PrismBackend *backend;
  PrismArena *arena;
  State kept;
  State arriving; /* of a device that may fail half way; else the arrays of kept */
};

/**
 * prism_recovery_get_required_bytes:
 * @ops: the device
 * @spec: of the run
 *
 * Returns: the host memory that prism_recovery_new() takes
 */
guint64
prism_recovery_get_required_bytes (const PrismBackendOps *ops,
                                   const PrismBackendSpec *spec)
{
  guint n_states = prism_backend_can_be_lost (ops) ? 2 : 1;
  guint n_arrays = spec->amsgrad ? 4 : 3;

  return (guint64) n_arrays * n_states * spec->decoder.n_parameters * sizeof (float);
}

static void
add_state (PrismRecovery *self,
           State *state,
           gsize bytes)
{
  prism_arena_add_array (self->arena, (gpointer *) &state->parameters, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &state->first, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &state->second, bytes);
  if (self->backend->spec.amsgrad)
    prism_arena_add_array (self->arena, (gpointer *) &state->largest, bytes);
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
  gsize bytes = backend->spec.decoder.n_parameters * sizeof (float);
  gboolean can_be_lost = prism_backend_can_be_lost (backend->ops);
  g_autoptr (PrismRecovery) self = g_new0 (PrismRecovery, 1);

  self->backend = backend;
  self->arena = prism_arena_new ();
  add_state (self, &self->kept, bytes);
  if (can_be_lost)
    add_state (self, &self->arriving, bytes);
  if (!prism_arena_allocate (self->arena, "the last good state", error))
    return NULL;
  if (!can_be_lost)
    self->arriving = self->kept;
  if (!prism_recovery_save (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_recovery_free:
 * @self: (nullable): a keeper
 */
void
prism_recovery_free (PrismRecovery *self)
{
  if (self == NULL)
    return;
  prism_arena_free (self->arena);
  g_free (self);
}

/* By the bits of the exponents, which the compiler turns into vectors: these are large arrays. */
static gboolean
is_finite (const float *values,
           gsize n_values)
{
  const guint32 exponent = 0x7f800000;
  guint32 bad = 0;

  for (gsize i = 0; i < n_values; i++)
    {
      guint32 bits;

      memcpy (&bits, &values[i], sizeof bits);
      bad |= (bits & exponent) == exponent;
    }
  return bad == 0;
}

static gboolean
check_arriving (PrismRecovery *self,
                GError **error)
{
  gsize n = self->backend->spec.decoder.n_parameters;

  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (is_finite (self->arriving.parameters, n) && is_finite (self->arriving.first, n)
      && is_finite (self->arriving.second, n)
      && (self->arriving.largest == NULL || is_finite (self->arriving.largest, n)))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "The device returned weights that are not finite.");
  return FALSE;
}

/**
 * prism_recovery_save:
 * @self: a keeper
 * @error: return location
 *
 * Keeps parameters and moments as they are now. What was kept before stays until all of them have
 * arrived.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND, never on the CPU.
 *
 * Returns: whether they are kept
 */
gboolean
prism_recovery_save (PrismRecovery *self,
                     GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  State state;

  ops->get_parameters (self->backend, self->arriving.parameters);
  ops->get_moments (self->backend, self->arriving.first, self->arriving.second,
                    self->arriving.largest, &self->arriving.n_steps);
  if (self->arriving.parameters == self->kept.parameters)
    {
      self->kept.n_steps = self->arriving.n_steps;
      return TRUE;
    }
  if (!check_arriving (self, error))
    return FALSE;
  state = self->arriving;
  self->arriving = self->kept;
  self->kept = state;
  return TRUE;
}

/**
 * prism_recovery_check_device:
 * @self: a keeper
 *
 * Looks at weights and moments as they are now. Without memory to do so they are taken to be good,
 * and on a device that is lost, which says so at the next call that can.
 *
 * Returns: whether all of them are finite
 */
gboolean
prism_recovery_check_device (PrismRecovery *self)
{
  const PrismBackendOps *ops = self->backend->ops;
  gsize n = self->backend->spec.decoder.n_parameters;
  guint n_arrays = self->backend->spec.amsgrad ? 4 : 3;
  float *values = prism_arena_new_array (n_arrays * n * sizeof *values, "a look at the weights",
                                         NULL);
  gboolean finite;
  guint64 n_steps;

  if (values == NULL)
    return TRUE;
  ops->get_parameters (self->backend, values);
  ops->get_moments (self->backend, values + n, values + 2 * n,
                    n_arrays == 4 ? values + 3 * n : NULL, &n_steps);
  finite = !ops->finish (self->backend, NULL) || is_finite (values, n_arrays * n);
  prism_arena_free_array (values);
  return finite;
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
  gsize bytes = self->backend->spec.decoder.n_parameters * sizeof (float);

  memset (self->kept.first, 0, bytes);
  memset (self->kept.second, 0, bytes);
  if (self->kept.largest != NULL)
    memset (self->kept.largest, 0, bytes);
  self->kept.n_steps = 0;
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

  ops->set_parameters (self->backend, self->kept.parameters);
  ops->set_moments (self->backend, self->kept.first, self->kept.second, self->kept.largest,
                    self->kept.n_steps);
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
}

/* The names of a state's arrays; those of the state that is kept begin with "kept-". */
static char *
dup_name (const char *prefix,
          const char *name)
{
  return g_strconcat (prefix, name, NULL);
}

static float *
add_array (PrismRecovery *self,
           PrismBundle *bundle,
           const char *prefix,
           const char *name,
           GError **error)
{
  gsize n = self->backend->spec.decoder.n_parameters;
  g_autofree char *full = dup_name (prefix, name);

  return prism_bundle_add_array (bundle, full, 1, &n, error);
}

/* Makes room in the bundle. */
static gboolean
add_arrays (PrismRecovery *self,
            PrismBundle *bundle,
            const char *prefix,
            State *state,
            GError **error)
{
  gboolean amsgrad = self->backend->spec.amsgrad;

  state->parameters = add_array (self, bundle, prefix, "weights.npy", error);
  if (state->parameters != NULL)
    state->first = add_array (self, bundle, prefix, "moments-1.npy", error);
  if (state->first != NULL)
    state->second = add_array (self, bundle, prefix, "moments-2.npy", error);
  if (state->second != NULL && amsgrad)
    state->largest = add_array (self, bundle, prefix, "moments-largest.npy", error);
  return state->second != NULL && (state->largest != NULL || !amsgrad);
}

static void
add_numbers (PrismBundle *bundle,
             const char *prefix,
             const State *state)
{
  g_autofree char *name = dup_name (prefix, "optimizer.json");

  prism_bundle_take_text (bundle, name, prism_record_to_text (fields, state));
}

static gboolean
are_equal (PrismRecovery *self,
           const State *a,
           const State *b)
{
  gsize bytes = self->backend->spec.decoder.n_parameters * sizeof (float);

  return a->n_steps == b->n_steps && memcmp (a->parameters, b->parameters, bytes) == 0
         && memcmp (a->first, b->first, bytes) == 0 && memcmp (a->second, b->second, bytes) == 0
         && (a->largest == NULL || memcmp (a->largest, b->largest, bytes) == 0);
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
  const PrismBackendOps *ops = self->backend->ops;
  gsize bytes = self->backend->spec.decoder.n_parameters * sizeof (float);
  State now = { 0 }, kept = { 0 };

  if (!add_arrays (self, bundle, "", &now, error))
    return FALSE;
  ops->get_parameters (self->backend, now.parameters);
  ops->get_moments (self->backend, now.first, now.second, now.largest, &now.n_steps);
  if (!ops->finish (self->backend, error))
    return FALSE;
  add_numbers (bundle, "", &now);
  if (are_equal (self, &now, &self->kept))
    return TRUE;
  if (!add_arrays (self, bundle, "kept-", &kept, error))
    return FALSE;
  memcpy (kept.parameters, self->kept.parameters, bytes);
  memcpy (kept.first, self->kept.first, bytes);
  memcpy (kept.second, self->kept.second, bytes);
  if (kept.largest != NULL)
    memcpy (kept.largest, self->kept.largest, bytes);
  add_numbers (bundle, "kept-", &self->kept);
  return TRUE;
}

static gboolean
copy_array (PrismRecovery *self,
            PrismBundle *bundle,
            const char *prefix,
            const char *name,
            float *values,
            GError **error)
{
  gsize n = self->backend->spec.decoder.n_parameters;
  g_autofree char *full = dup_name (prefix, name);
  const float *held = values != NULL ? prism_bundle_get_array (bundle, full, 1, &n, error) : NULL;

  if (held != NULL)
    memcpy (values, held, n * sizeof *values);
  return held != NULL || values == NULL;
}

static gboolean
read_state (PrismRecovery *self,
            PrismBundle *bundle,
            const char *prefix,
            GError **error)
{
  g_autofree char *name = dup_name (prefix, "optimizer.json");
  const char *numbers = prism_bundle_get_text (bundle, name, error);
  State *kept = &self->kept;

  return numbers != NULL && prism_record_parse (fields, kept, numbers, name, error)
         && copy_array (self, bundle, prefix, "weights.npy", kept->parameters, error)
         && copy_array (self, bundle, prefix, "moments-1.npy", kept->first, error)
         && copy_array (self, bundle, prefix, "moments-2.npy", kept->second, error)
         && copy_array (self, bundle, prefix, "moments-largest.npy", kept->largest, error);
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
