#include "config.h"

#include "prism-past.h"

#include "prism-aperture.h"

#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size. */

struct _PrismPast
{
  PrismPattern *pattern; /* (nullable): what the plane was made from */
  PrismAperture aperture;
  guint n_visited;
  int n;
  guint8 *plane;     /* (nullable) [n][n] 0/1 */
  PrismImage *image; /* (nullable) [n][n], of the plane */
  double coverage;   /* of the region of interest, of the plane */
};

/**
 * prism_past_new:
 *
 * Thread: any.
 *
 * Returns: (transfer full): what remembers the coverage from one moment to the next
 */
PrismPast *
prism_past_new (void)
{
  return g_new0 (PrismPast, 1);
}

/**
 * prism_past_free:
 * @self: (nullable): a past
 *
 * Thread: any.
 */
void
prism_past_free (PrismPast *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_clear_pointer (&self->image, prism_image_unref);
  g_free (self->plane);
  g_free (self);
}

static gboolean
aperture_equal (const PrismAperture *a,
                const PrismAperture *b)
{
  return a->shape == b->shape && a->radius == b->radius && a->obscuration == b->obscuration
         && a->vanes == b->vanes && a->vane_width == b->vane_width;
}

/* Forgets the plane where it belongs to another scene or to a later moment. */
static gboolean
prepare_plane (PrismPast *self,
               PrismPattern *pattern,
               const PrismConfig *config,
               guint n_visited)
{
  gsize n_bytes = (gsize) config->image_size * config->image_size;
  PrismAperture aperture;

  prism_aperture_init_config (&aperture, config);
  if (self->plane != NULL && pattern == self->pattern && config->image_size == self->n
      && aperture_equal (&aperture, &self->aperture) && n_visited >= self->n_visited)
    return TRUE;

  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_clear_pointer (&self->image, prism_image_unref);
  g_clear_pointer (&self->plane, g_free);
  self->plane = g_try_malloc0 (n_bytes);
  if (self->plane == NULL)
    return FALSE;
  self->pattern = prism_pattern_ref (pattern);
  self->aperture = aperture;
  self->n = config->image_size;
  self->n_visited = 0;
  self->coverage = 0.0;
  return TRUE;
}

static PrismImage *
make_image (const guint8 *plane,
            int n)
{
  PrismImage *image = prism_image_new (n, n, NULL);

  for (gsize i = 0; image != NULL && i < (gsize) n * n; i++)
    image->pixels[i] = plane[i];
  return image;
}

/* Adds the apertures up to this moment, as the trainer does. */
static void
cover (PrismPast *self,
       const PrismConfig *config,
       guint n_visited)
{
  for (; self->n_visited < n_visited; self->n_visited++)
    {
      const PrismPoint *point = &self->pattern->points[self->n_visited];
      g_autoptr (PrismMask) mask
          = prism_aperture_get_mask (&self->aperture, self->n, point->y, point->x);

      prism_mask_accumulate (mask, self->plane);
      g_clear_pointer (&self->image, prism_image_unref);
    }
  if (self->image != NULL)
    return;
  self->image = make_image (self->plane, self->n);
  self->coverage = prism_pattern_get_coverage (self->plane, self->n,
                                               config->roi > 0 ? config->roi : self->n);
}

static void
fill_coverage (PrismPast *self,
               PrismSnapshot *snapshot,
               guint n_visited)
{
  n_visited = MIN (n_visited, snapshot->pattern->n_points);
  if (!prepare_plane (self, snapshot->pattern, snapshot->config, n_visited))
    return;
  cover (self, snapshot->config, n_visited);
  snapshot->coverage_plane = self->image != NULL ? prism_image_ref (self->image) : NULL;
  snapshot->coverage = self->coverage;
}

static void
fill_moment (PrismSnapshot *snapshot,
             const PrismMoment *moment)
{
  snapshot->phase = moment->phase;
  snapshot->sample = moment->sample;
  snapshot->sample_step = moment->sample_step;
  snapshot->pass = moment->pass;
  snapshot->n_visited = moment->n_visited;
  snapshot->step = moment->step;
  snapshot->seconds = moment->seconds;
  snapshot->misfit = moment->misfit;
  snapshot->metrics = moment->metrics;
  snapshot->config = prism_config_dup (moment->settings->config);
  snapshot->reconstruction = prism_image_ref (moment->image);
  snapshot->n_rows = moment->n_rows;
}

static void
fill_losses (PrismSnapshot *snapshot)
{
  const PrismHistoryRow *row;

  if (snapshot->history == NULL || snapshot->n_rows == 0
      || snapshot->n_rows > prism_history_get_n_rows (snapshot->history))
    return;
  row = prism_history_get_row (snapshot->history, snapshot->n_rows - 1);
  snapshot->loss_new = row->loss_new;
  snapshot->loss_old = row->loss_old;
  snapshot->learning_rate = row->learning_rate;
  snapshot->steps_per_second = row->steps_per_second;
}

/* What is the same at every moment of a run. */
static void
fill_run (PrismSnapshot *snapshot,
          PrismSnapshot *live)
{
  snapshot->serial = live->serial;
  snapshot->run = live->run;
  snapshot->state = PRISM_STATE_PAUSED;
  snapshot->n_samples = live->n_samples;
  snapshot->n_passes = live->n_passes;
  snapshot->n_steps = live->n_steps;
  snapshot->n_parameters = live->n_parameters;
  snapshot->backend = live->backend;
  snapshot->device = g_strdup (live->device);
  snapshot->device_reason = g_strdup (live->device_reason);
  snapshot->target = live->target != NULL ? prism_image_ref (live->target) : NULL;
  snapshot->spectrum = live->spectrum != NULL ? prism_image_ref (live->spectrum) : NULL;
  snapshot->pattern = live->pattern != NULL ? prism_pattern_ref (live->pattern) : NULL;
  snapshot->history = live->history != NULL ? prism_history_ref (live->history) : NULL;
  snapshot->frames = live->frames != NULL ? prism_frames_ref (live->frames) : NULL;
}

/**
 * prism_past_new_snapshot:
 * @self: a past
 * @live: the newest snapshot of the run
 * @moment: a moment of the same run
 *
 * Shows the run as it was: picture, numbers, coverage and rows are those of the moment, made for
 * it; the measurement is there where the run has not left its sample. The state is paused.
 *
 * Returns: (transfer full): the snapshot
 */
PrismSnapshot *
prism_past_new_snapshot (PrismPast *self,
                         PrismSnapshot *live,
                         const PrismMoment *moment)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  fill_run (snapshot, live);
  fill_moment (snapshot, moment);
  fill_losses (snapshot);
  if (snapshot->pattern != NULL)
    fill_coverage (self, snapshot, moment->n_visited);
  if (live->measurement != NULL && live->sample == moment->sample && live->pass == moment->pass)
    snapshot->measurement = prism_image_ref (live->measurement);
  return snapshot;
}
