#include "config.h"

#include "solve/prism-phase-sync-private.h"

#include "base/prism-error.h"
#include "base/prism-number.h"

/* Passes of a search or of a fill on a device with memory of its own, which go on from its copies.
 * The host has the state at the end, when somebody wants to save it, and now and then, so that a
 * device that fails takes some passes with it, which the host does again. Dimensions as in the
 * header. */

#define PASSES_TO_KEEP 100 /* until the state is fetched */
enum
{
  N_PLANES = 4
};

/**
 * prism_phase_sync_refuse:
 * @error: return location
 *
 * Errors: PRISM_ERROR_BACKEND.
 *
 * Returns: %FALSE
 */
gboolean
prism_phase_sync_refuse (GError **error)
{
  return prism_error_set (error, PRISM_ERROR_BACKEND,
                          "The device returned numbers of the search for phases that are not"
                          " finite.");
}

static void
note_kept (PrismPhaseSync *self)
{
  self->n_ahead = 0;
  self->kept_iteration = self->iteration;
  self->kept_residual = self->residual;
  self->kept_momentum = self->momentum;
}

/**
 * prism_phase_sync_put:
 * @self: an alignment whose waves are there
 * @fill: whether a fill goes on, not a search
 *
 * Gives the device what it goes on from, unless it has it or cannot.
 */
void
prism_phase_sync_put (PrismPhaseSync *self,
                      gboolean fill)
{
  const PrismIterate planes = { .image = self->image,
                                .point = fill ? self->point : NULL,
                                .across = fill ? self->across : NULL,
                                .down = fill ? self->down : NULL };
  g_autofree PrismAlignedFrame *frames = NULL;
  PrismAlignedFrames all
      = { .n_frames = self->n_samples,
          .side = self->has_noise ? self->side : self->read_side,
          .has_noise = self->has_noise };

  if (self->backend->ops->take_frames == NULL || self->searches_on_host || self->is_put)
    return;
  frames = g_new0 (PrismAlignedFrame, self->n_samples);
  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismPhaseSyncFrame *frame = &self->frames[i];

      frames[i] = (PrismAlignedFrame) { .mask = frame->mask,
                                        .box = frame->box,
                                        .amplitude = frame->is_doubtful ? frame->amplitude : NULL,
                                        .has_twin = frame->has_twin };
    }
  all.frames = frames;
  self->searches_on_host = !self->backend->ops->take_frames (self->backend, &all);
  if (self->searches_on_host)
    return;
  self->backend->ops->put_aligned (self->backend, fill ? NULL : self->field, &planes);
  self->is_put = TRUE;
  self->is_filling = fill;
  note_kept (self);
}

/**
 * prism_phase_sync_fetch:
 * @self: an alignment between two passes
 * @error: return location
 *
 * Brings the state to the host; what was there stays until all of it has arrived.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the host has it
 */
gboolean
prism_phase_sync_fetch (PrismPhaseSync *self,
                        GError **error)
{
  const gsize n_pixels = (gsize) self->m * self->m, n_points = (gsize) self->n * self->n;
  /* The host's own passes leave nothing in these. */
  const PrismIterate arriving
      = { .image = self->plane, .point = self->half, .across = self->sum, .down = self->slope };
  float *from[N_PLANES] = { arriving.image, arriving.point, arriving.across, arriving.down };
  float *to[N_PLANES] = { self->image, self->point, self->across, self->down };
  const gsize n = self->is_filling ? n_pixels : n_points;
  const guint n_arrays = self->is_filling ? N_PLANES : 1;
  const PrismIterate none = { 0 };
  gboolean arrived;

  if (self->n_ahead == 0)
    return TRUE;
  if (!self->is_filling)
    to[0] = self->field;
  arrived = self->backend->ops->get_aligned (self->backend, self->is_filling ? NULL : from[0],
                                             self->is_filling ? &arriving : &none);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  for (guint i = 0; i < n_arrays && arrived; i++)
    arrived = prism_finite_all (from[i], n);
  if (!arrived)
    return prism_phase_sync_refuse (error);
  for (guint i = 0; i < n_arrays; i++)
    memcpy (to[i], from[i], n * sizeof (float));
  note_kept (self);
  return TRUE;
}

/**
 * prism_phase_sync_leave:
 * @self: an alignment
 *
 * Lets go of what the device has of it.
 */
void
prism_phase_sync_leave (PrismPhaseSync *self)
{
  if (self->is_put)
    self->backend->ops->take_frames (self->backend, NULL);
  self->is_put = FALSE;
  self->n_ahead = 0;
}

/**
 * prism_phase_sync_move:
 * @self: an alignment whose device is given up
 * @backend: another one
 *
 * Goes on from what the host has: passes that the device was ahead by are owed.
 */
void
prism_phase_sync_move (PrismPhaseSync *self,
                       PrismBackend *backend)
{
  self->backend = backend;
  self->searches_on_host = FALSE;
  self->is_put = FALSE;
  if (self->n_ahead == 0)
    return;
  self->n_owed += self->n_ahead;
  self->n_ahead = 0;
  self->iteration = self->kept_iteration;
  self->residual = self->kept_residual;
  self->momentum = self->kept_momentum;
}

static gboolean
fetch_in_time (PrismPhaseSync *self,
               GError **error)
{
  return self->n_ahead < PASSES_TO_KEEP || prism_phase_sync_fetch (self, error);
}

/**
 * prism_phase_sync_search_on_device:
 * @self: an alignment that was put
 * @n: (out): passes that were done
 * @error: return location
 *
 * Does passes of a search until its residual is due, which is then that of the image.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the device has done them
 */
gboolean
prism_phase_sync_search_on_device (PrismPhaseSync *self,
                                   guint *n,
                                   GError **error)
{
  const PrismIterate wanted = { .image = self->slope };
  double residual;
  gboolean arrived;

  if (!fetch_in_time (self, error))
    return FALSE;
  *n = MIN (PRISM_PHASE_SYNC_EVERY - self->iteration % PRISM_PHASE_SYNC_EVERY,
            self->n_most - self->iteration);
  residual = self->backend->ops->search (self->backend, *n, (float) self->relaxation);
  arrived = self->backend->ops->get_aligned (self->backend, NULL, &wanted);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (!arrived || !isfinite (residual))
    return prism_phase_sync_refuse (error);
  memcpy (self->image, self->slope, (gsize) self->m * self->m * sizeof (float));
  self->iteration += *n;
  self->n_ahead += *n;
  self->residual = residual;
  return TRUE;
}

/**
 * prism_phase_sync_fill_on_device:
 * @self: an alignment that was put
 * @step: of the longest safe one
 * @strength: of the total variation
 * @next: t of Nesterov's sequence after the pass
 * @error: return location
 *
 * Does a pass of the fill.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the device has done it
 */
gboolean
prism_phase_sync_fill_on_device (PrismPhaseSync *self,
                                 float step,
                                 float strength,
                                 double next,
                                 GError **error)
{
  const PrismFillPass pass = { .step = step,
                               .strength = strength,
                               .inertia = (float) ((self->momentum - 1.0) / next) };
  gboolean uphill, moved;

  if (!fetch_in_time (self, error))
    return FALSE;
  moved = self->backend->ops->fill (self->backend, &pass, &uphill);
  if (!moved)
    return self->backend->ops->finish (self->backend, error) && prism_phase_sync_refuse (error);
  self->momentum = uphill ? 1.0 : next;
  self->n_ahead++;
  return TRUE;
}
