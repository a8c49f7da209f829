#include "config.h"

#include "prism-recovery.h"

#include "prism-arena.h"

struct _PrismRecovery
{
  PrismBackend *backend;
  PrismArena *arena;
  float *parameters; /* [P] */
  float *first;      /* [P] Adam's moments */
  float *second;     /* [P] */
  guint64 n_steps;
};

/**
 * prism_recovery_get_required_bytes:
 * @n_parameters: P
 *
 * Returns: the host memory that prism_recovery_new() takes
 */
guint64
prism_recovery_get_required_bytes (gsize n_parameters)
{
  return 3 * (guint64) n_parameters * sizeof (float);
}

/**
 * prism_recovery_new:
 * @backend: the device whose decoder is guarded
 * @error: return location
 *
 * Makes room for one state and saves the present one.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the keeper
 */
PrismRecovery *
prism_recovery_new (PrismBackend *backend,
                    GError **error)
{
  gsize bytes = backend->spec.decoder.n_parameters * sizeof (float);
  g_autoptr (PrismRecovery) self = g_new0 (PrismRecovery, 1);

  self->backend = backend;
  self->arena = prism_arena_new ();
  prism_arena_add_array (self->arena, (gpointer *) &self->parameters, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->first, bytes);
  prism_arena_add_array (self->arena, (gpointer *) &self->second, bytes);
  if (!prism_arena_allocate (self->arena, "the last good state", error))
    return NULL;
  prism_recovery_save (self);
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

/**
 * prism_recovery_save:
 * @self: a keeper
 *
 * Keeps parameters and moments as they are now.
 */
void
prism_recovery_save (PrismRecovery *self)
{
  self->backend->ops->get_parameters (self->backend, self->parameters);
  self->backend->ops->get_moments (self->backend, self->first, self->second, &self->n_steps);
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
  self->backend->ops->set_parameters (self->backend, self->parameters);
  self->backend->ops->set_moments (self->backend, self->first, self->second, self->n_steps);
}
