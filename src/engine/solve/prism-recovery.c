#include "config.h"

#include "solve/prism-recovery.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-finite.h"
#include "base/prism-record.h"

#include <string.h>

/* A state that a file still needs is not written to any more: another one takes its place. */
typedef struct
{
  int ref_count;
  PrismArena *arena;
  float *parameters; /* [P] */
  float *first;      /* [P] Adam's moments */
  float *second;     /* [P] */
  float *largest;    /* [P], NULL but with amsgrad */
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
  State *arriving;            /* of a device that may fail half way; else NULL */
  PrismRecoveryWaitFunc wait; /* (nullable) */
  gpointer wait_data;
};

static State *
state_ref (State *self)
{
  /* The macros are compiled here and so seen by ThreadSanitizer. */
  g_atomic_int_inc (&self->ref_count);
  return self;
}

static void
state_unref (State *self)
{
  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  prism_arena_free (self->arena);
  g_free (self);
}

static State *
state_new (const PrismBackendSpec *spec,
           GError **error)
{
  gsize bytes = spec->decoder.n_parameters * sizeof (float);
  State *self = g_new0 (State, 1);

  self->ref_count = 1;
  self->arena = prism_arena_new ();
  prism_arena_add_array (self->arena, (gpointer *) &self->parameters, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->first, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->second, bytes);
  if (spec->amsgrad)
    prism_arena_add_array (self->arena, (gpointer *) &self->largest, bytes);
  if (prism_arena_allocate (self->arena, "the last good state", error))
    return self;
  state_unref (self);
  return NULL;
}

static gboolean
is_own (State *state)
{
  return g_atomic_int_get (&state->ref_count) == 1;
}

/* Gives a file that needs a state the time to be done with it. */
static gboolean
await_own (PrismRecovery *self,
           State *state)
{
  if (!is_own (state) && self->wait != NULL)
    self->wait (self->wait_data);
  return is_own (state);
}

/* Makes sure that nobody else reads a state, whose values are then of no use. */
static gboolean
ensure_own (PrismRecovery *self,
            State **state,
            GError **error)
{
  State *fresh;

  if (await_own (self, *state))
    return TRUE;
  fresh = state_new (&self->backend->spec, error);
  if (fresh == NULL)
    return FALSE;
  state_unref (*state);
  *state = fresh;
  return TRUE;
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
  self->kept = state_new (&backend->spec, error);
  if (self->kept != NULL && can_be_lost)
    self->arriving = state_new (&backend->spec, error);
  if (self->kept == NULL || (can_be_lost && self->arriving == NULL)
      || !prism_recovery_save (self, error))
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
  g_clear_pointer (&self->kept, state_unref);
  g_clear_pointer (&self->arriving, state_unref);
  g_free (self);
}

/**
 * prism_recovery_set_wait:
 * @self: a keeper
 * @wait: called where the next state needs the place of one that a file still needs; may wait for
 * that to be over, and spares the memory for another one
 * @data: for @wait
 */
void
prism_recovery_set_wait (PrismRecovery *self,
                         PrismRecoveryWaitFunc wait,
                         gpointer data)
{
  self->wait = wait;
  self->wait_data = data;
}

static void
receive (PrismRecovery *self,
         State *state)
{
  const PrismBackendOps *ops = self->backend->ops;

  ops->get_parameters (self->backend, state->parameters);
  ops->get_moments (self->backend, state->first, state->second, state->largest, &state->n_steps);
}

static gboolean
is_state_finite (PrismRecovery *self,
                 const State *state)
{
  gsize n = self->backend->spec.decoder.n_parameters;

  return prism_finite_all (state->parameters, n) && prism_finite_all (state->first, n)
         && prism_finite_all (state->second, n)
         && (state->largest == NULL || prism_finite_all (state->largest, n));
}

static gboolean
check_arriving (PrismRecovery *self,
                GError **error)
{
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (is_state_finite (self, self->arriving))
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
 * arrived, and for as long as a file needs it.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND, neither on the CPU; PRISM_ERROR_MEMORY.
 *
 * Returns: whether they are kept
 */
gboolean
prism_recovery_save (PrismRecovery *self,
                     GError **error)
{
  State *state;

  if (!ensure_own (self, self->arriving != NULL ? &self->arriving : &self->kept, error))
    return FALSE;
  receive (self, self->arriving != NULL ? self->arriving : self->kept);
  if (self->arriving == NULL)
    return TRUE;
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
  if (self->arriving == NULL || !ensure_own (self, &self->arriving, NULL))
    return TRUE;
  receive (self, self->arriving);
  return !ops->finish (self->backend, NULL) || is_state_finite (self, self->arriving);
}

/**
 * prism_recovery_forget_moments:
 * @self: a keeper
 * @error: return location
 *
 * Lets the state that is kept begin a new optimisation.
 *
 * Errors: PRISM_ERROR_MEMORY where a file needs what is kept; it is then as it was.
 *
 * Returns: whether it does
 */
gboolean
prism_recovery_forget_moments (PrismRecovery *self,
                               GError **error)
{
  gsize bytes = self->backend->spec.decoder.n_parameters * sizeof (float);
  State *before = self->kept;

  if (!await_own (self, before))
    {
      State *fresh = state_new (&self->backend->spec, error);

      if (fresh == NULL)
        return FALSE;
      memcpy (fresh->parameters, before->parameters, bytes);
      self->kept = fresh;
      state_unref (before);
      return TRUE;
    }
  memset (before->first, 0, bytes);
  memset (before->second, 0, bytes);
  if (before->largest != NULL)
    memset (before->largest, 0, bytes);
  before->n_steps = 0;
  return TRUE;
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

  ops->set_parameters (self->backend, self->kept->parameters);
  ops->set_moments (self->backend, self->kept->first, self->kept->second, self->kept->largest,
                    self->kept->n_steps);
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
    g_clear_pointer (&self->arriving, state_unref);
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
           const char *name,
           GError **error)
{
  gsize n = self->backend->spec.decoder.n_parameters;

  return prism_bundle_add_array (bundle, name, 1, &n, error);
}

/* Lets the bundle have an array of the state that is kept. */
static void
share_array (PrismRecovery *self,
             PrismBundle *bundle,
             const char *name,
             float *values)
{
  gsize n = self->backend->spec.decoder.n_parameters;
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (values, n * sizeof *values,
                                                         (GDestroyNotify) state_unref,
                                                         state_ref (self->kept));

  prism_bundle_share_array (bundle, name, 1, &n, bytes);
}

static void
share_kept (PrismRecovery *self,
            PrismBundle *bundle)
{
  share_array (self, bundle, "kept-weights.npy", self->kept->parameters);
  share_array (self, bundle, "kept-moments-1.npy", self->kept->first);
  share_array (self, bundle, "kept-moments-2.npy", self->kept->second);
  if (self->kept->largest != NULL)
    share_array (self, bundle, "kept-moments-largest.npy", self->kept->largest);
}

/* Makes room in the bundle. */
static gboolean
add_arrays (PrismRecovery *self,
            PrismBundle *bundle,
            State *state,
            GError **error)
{
  gboolean amsgrad = self->backend->spec.amsgrad;

  state->parameters = add_array (self, bundle, "weights.npy", error);
  if (state->parameters != NULL)
    state->first = add_array (self, bundle, "moments-1.npy", error);
  if (state->first != NULL)
    state->second = add_array (self, bundle, "moments-2.npy", error);
  if (state->second != NULL && amsgrad)
    state->largest = add_array (self, bundle, "moments-largest.npy", error);
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
  State now = { 0 };

  if (!add_arrays (self, bundle, &now, error))
    return FALSE;
  receive (self, &now);
  if (!ops->finish (self->backend, error))
    return FALSE;
  add_numbers (bundle, "", &now);
  if (are_equal (self, &now, self->kept))
    return TRUE;
  share_kept (self, bundle);
  add_numbers (bundle, "kept-", self->kept);
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
  State *kept;

  if (!ensure_own (self, &self->kept, error))
    return FALSE;
  kept = self->kept;
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
