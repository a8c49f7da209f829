#include "config.h"

#include "device/prism-device.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"

static gboolean
check_room (const PrismConfig *config,
            const PrismBackendSpec *spec,
            gboolean saves,
            GError **error)
{
  guint64 available = prism_available_get_memory ();
  PrismMemoryEstimate need;
  g_autofree char *needed_text = NULL, *available_text = NULL;

  prism_memory_estimate_init (&need, config, spec, &prism_cpu_backend_ops, saves);
  if (need.host <= available)
    return TRUE;
  needed_text = g_format_size_full (need.host, G_FORMAT_SIZE_IEC_UNITS);
  available_text = g_format_size_full (available, G_FORMAT_SIZE_IEC_UNITS);
  return prism_error_memory (
      error,
      config->kind == PRISM_FRAMES_RECORDED
          ? _ ("This run needs %s of memory and %s are available. Choose a part of the frames"
               " (crop) or smaller tiles (tile).")
          : _ ("This run needs %s of memory and %s are available. Choose a smaller image_size or "
               "object_size, fewer positions, or a cache_size that limits the measurements."),
      needed_text, available_text);
}

/* Lets the CPU do what the device that was chosen cannot: or says why not, where nobody but that
 * device may. */
static const PrismBackendOps *
choose_capable (const PrismConfig *config,
                const PrismBackendSpec *spec,
                const PrismBackendOps *ops,
                char **reason,
                GError **error)
{
  g_autofree char *unsupported = ops->dup_unsupported_reason (spec);

  if (unsupported == NULL)
    return ops;
  if (config->backend != PRISM_BACKEND_AUTO)
    {
      prism_error_set (error, PRISM_ERROR_BACKEND, _ ("%s Set backend to auto or cpu."),
                       unsupported);
      return NULL;
    }
  g_free (*reason);
  *reason = g_strdup_printf (_ ("Running on the CPU: %s"), unsupported);
  return &prism_cpu_backend_ops;
}

/**
 * prism_device_check_config:
 * @config: what to reconstruct and how
 *
 * Checks what is known by now: that the CPU has the memory where the CPU will compute, that of a
 * run file aside, and that a device can be used that is asked for. No driver is asked:
 * prism_device_open() checks what is not known yet, and how much a GPU has.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 * Thread: any.
 *
 * Returns: whether nothing speaks against it
 */
gboolean
prism_device_check_config (const PrismConfig *config,
                           GError **error)
{
  const PrismBackendOps *ops;
  const gboolean known = prism_registry_peek (config->backend, &ops, error);
  g_autofree char *reason = NULL;
  PrismBackendSpec spec;

  if ((known && ops == NULL) || !prism_task_init_spec (config, config->samples, &spec, error))
    return FALSE;
  if (known)
    ops = choose_capable (config, &spec, ops, &reason, error);
  if (known && ops == NULL)
    return FALSE;
  return ops != &prism_cpu_backend_ops || check_room (config, &spec, FALSE, error);
}

static gboolean
can_reuse (PrismDevice *self,
           const PrismBackendOps *ops,
           const PrismBackendSpec *spec)
{
  PrismBackendSpec have;

  if (self->backend == NULL || self->backend->ops != ops)
    return FALSE;
  have = self->wanted;
  if (have.n_slots < spec->n_slots)
    return FALSE;
  have.n_slots = spec->n_slots;
  return memcmp (&have, spec, sizeof have) == 0;
}

static void
set_backend (PrismDevice *self,
             PrismBackend *backend,
             const PrismBackendSpec *wanted)
{
  self->backend = backend;
  self->wanted = *wanted;
  g_free (self->name);
  self->name = backend->ops->dup_device_name (backend);
  g_free (self->precision_advice);
  self->precision_advice = backend->ops->dup_precision_advice (wanted);
}

static PrismBackend *
open_cpu (const PrismConfig *config,
          const PrismBackendSpec *spec,
          gboolean saves,
          GError **error)
{
  if (!check_room (config, spec, saves, error))
    return NULL;
  return prism_cpu_backend_ops.open (spec, error);
}

/* The GPU was there and has failed: what the user is told besides. */
static void
explain_fall_back (PrismDevice *self,
                   const PrismBackendOps *ops,
                   const GError *cause)
{
  g_free (self->reason);
  self->fallback = cause->code;
  if (cause->code != PRISM_ERROR_DEVICE_LOST)
    {
      self->reason = g_strdup_printf (_ ("Running on the CPU: %s"), cause->message);
      return;
    }
  self->reason = g_strdup_printf (_ ("Running on the CPU: the GPU stopped answering (%s)."),
                                  ops->get_loss ());
  prism_registry_note_loss (ops);
}

static gboolean
is_of_the_device (const GError *cause)
{
  return cause->domain == PRISM_ERROR
         && (cause->code == PRISM_ERROR_DEVICE_LOST || cause->code == PRISM_ERROR_MEMORY
             || cause->code == PRISM_ERROR_BACKEND || cause->code == PRISM_ERROR_DIVERGED);
}

static char *
dup_notice (const GError *cause)
{
  return g_strdup_printf (_ ("%s The run takes place on the CPU."), cause->message);
}

/* Why neither the GPU nor the CPU can do it. */
static void
join_reasons (const GError *cause,
              GError **error)
{
  g_prefix_error (error, _ ("%s The CPU cannot take over: "), cause->message);
}

/**
 * prism_device_choose:
 * @config: the run
 * @n_samples: points of its pattern
 * @spec: (out): of prism_task_init_spec()
 * @reason: (out) (transfer full): why this device and no other, one sentence
 *
 * As prism_registry_choose(), for what this run wants of a device.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_BACKEND.
 *
 * Returns: (nullable): the operations
 */
const PrismBackendOps *
prism_device_choose (const PrismConfig *config,
                     guint n_samples,
                     PrismBackendSpec *spec,
                     char **reason,
                     GError **error)
{
  const PrismBackendOps *ops = prism_registry_choose (config->backend, reason, error);

  if (ops == NULL || !prism_task_init_spec (config, n_samples, spec, error))
    return NULL;
  return choose_capable (config, spec, ops, reason, error);
}

/**
 * prism_device_open:
 * @config: the run
 * @n_samples: points of its pattern
 * @saves: whether the run has a file
 * @cache: whose images live in the device's memory; cleared when the device changes
 *
 * Makes the device for a run ready; the one of the run before stays open where it fits. Where the
 * choice is automatic and the GPU cannot be opened, the CPU takes its place.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether there is one
 */
gboolean
prism_device_open (PrismDevice *self,
                   const PrismConfig *config,
                   guint n_samples,
                   gboolean saves,
                   PrismCache *cache,
                   GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *reason = NULL;
  PrismBackendSpec spec;
  const PrismBackendOps *ops = prism_device_choose (config, n_samples, &spec, &reason, error);
  PrismBackend *backend;

  if (ops == NULL)
    return FALSE;
  g_free (self->reason);
  self->reason = g_steal_pointer (&reason);
  g_clear_pointer (&self->notice, g_free);
  self->fallback = -1;
  if (can_reuse (self, ops, &spec))
    return TRUE;

  prism_device_close (self, cache);
  backend = ops == &prism_cpu_backend_ops ? open_cpu (config, &spec, saves, &cause)
                                          : ops->open (&spec, &cause);
  if (backend == NULL)
    {
      if (config->backend != PRISM_BACKEND_AUTO || ops == &prism_cpu_backend_ops
          || !is_of_the_device (cause))
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      explain_fall_back (self, ops, cause);
      self->notice = dup_notice (cause);
      backend = open_cpu (config, &spec, saves, error);
      if (backend == NULL)
        {
          join_reasons (cause, error);
          return FALSE;
        }
    }
  set_backend (self, backend, &spec);
  return TRUE;
}

/**
 * prism_device_can_fall_back:
 * @self: an open device
 * @cause: why an operation failed
 *
 * Returns: whether the failure is the device's own and another device may do better
 */
gboolean
prism_device_can_fall_back (PrismDevice *self,
                            const GError *cause)
{
  return self->backend != NULL && self->backend->ops != &prism_cpu_backend_ops
         && is_of_the_device (cause);
}

/**
 * prism_device_fall_back:
 * @self: an open device for which prism_device_can_fall_back()
 * @config: the run
 * @cause: why the device failed
 *
 * Puts the CPU in the device's place.
 *
 * Errors: PRISM_ERROR_MEMORY; nothing has changed then.
 *
 * Returns: (transfer full) (nullable): the device that failed, to be closed when nothing of it is
 * held any more
 */
PrismBackend *
prism_device_fall_back (PrismDevice *self,
                        const PrismConfig *config,
                        const GError *cause,
                        GError **error)
{
  PrismBackend *failed = self->backend;
  PrismBackendSpec wanted = self->wanted;
  PrismBackend *backend = open_cpu (config, &wanted, FALSE, error);

  if (backend == NULL)
    {
      join_reasons (cause, error);
      return NULL;
    }
  explain_fall_back (self, failed->ops, cause);
  g_free (self->notice);
  self->notice = dup_notice (cause);
  set_backend (self, backend, &wanted);
  return failed;
}

/**
 * prism_device_get_cache_budget:
 * @self: an open device
 * @config: the run
 * @n_samples: points of its pattern
 *
 * Without a wish of the user: all measurements of the run and of the one before it, as far as half
 * of the device's memory goes. The terms of one step must always fit together; where frames are
 * held small there is no room for more.
 *
 * Units: bytes.
 *
 * Returns: how large the cache may be
 */
guint64
prism_device_get_cache_budget (PrismDevice *self,
                               const PrismConfig *config,
                               guint n_samples)
{
  guint64 plane = (guint64) config->image_size * config->image_size * sizeof (float);
  guint64 wanted = plane * n_samples * (prism_measurements_config_has_noise (config) ? 4 : 2);
  gboolean is_small = prism_measurements_choose_step (config, self->backend->ops, n_samples) > 0;
  guint64 least = plane * (is_small ? 1 : 2) * (config->replay + 2);
  PrismMemoryUse memory;

  if (config->cache_size > 0 || is_small)
    return MAX ((guint64) config->cache_size << 20, least);
  self->backend->ops->get_memory (self->backend, &memory);
  return memory.available == G_MAXUINT64 ? wanted : MIN (wanted, memory.available / 2);
}

PRISM_CLEAR (PrismDevice,
             clear_opened,
             prism_backend_free,
             backend,
             g_free,
             name,
             g_free,
             notice,
             g_free,
             precision_advice)

/**
 * prism_device_close:
 * @self: a device, open or not
 * @cache: its images go with it
 *
 * Closes it; why it was chosen is still known.
 */
void
prism_device_close (PrismDevice *self,
                    PrismCache *cache)
{
  prism_cache_leave_device (cache);
  clear_opened (self);
}
