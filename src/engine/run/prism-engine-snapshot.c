#include "config.h"

#include "run/prism-engine-private.h"

/* What the engine's thread says of itself. */

static void
take_place_notice (PrismEngine *self)
{
  char *notice = self->saver != NULL ? prism_saver_take_notice (self->saver) : NULL;

  if (notice != NULL && self->trainer != NULL)
    prism_trainer_set_notice (self->trainer, notice);
}

/**
 * prism_engine_make_snapshot:
 * @settled: whether the picture must be that of the very step
 *
 * Returns: (transfer full): a snapshot of what there is now
 */
PrismSnapshot *
prism_engine_make_snapshot (PrismEngine *self,
                            gboolean settled)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  take_place_notice (self);
  if (self->trainer != NULL)
    prism_trainer_publish (self->trainer, snapshot, settled);
  else
    {
      snapshot->config = self->config != NULL ? prism_config_dup (self->config)
                                              : prism_config_new ();
      prism_engine_publish_scene (self, snapshot);
    }
  prism_engine_publish_source (self, snapshot);
  snapshot->states = self->book != NULL ? prism_state_book_dup_states (self->book) : NULL;
  snapshot->spectrum = self->spectrum != NULL ? prism_image_ref (self->spectrum) : NULL;
  snapshot->serial = ++self->serial;
  snapshot->run = self->run;
  snapshot->state = self->state;
  if (self->message != NULL)
    {
      g_free (snapshot->message);
      snapshot->message = g_strdup (self->message);
    }
  snapshot->error = self->error_code;
  snapshot->run_file = self->saver != NULL ? prism_saver_dup_path (self->saver)
                                           : g_strdup (self->last_file);
  snapshot->exported = g_strdup (self->exported);
  snapshot->backend = self->device.backend != NULL ? self->device.backend->ops->name : NULL;
  snapshot->device = g_strdup (self->device.name);
  snapshot->device_reason = g_strdup (self->device.reason);
  snapshot->fallback = self->device.fallback;
  snapshot->precision_advice = g_strdup (self->device.precision_advice);
  return snapshot;
}
