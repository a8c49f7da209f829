#include "config.h"

#include "canvas/prism-canvas.h"

#include "profile/prism-profile.h"

G_DEFINE_FINAL_TYPE (PrismViewport, prism_viewport, G_TYPE_OBJECT)

static void
prism_viewport_class_init (PrismViewportClass *klass)
{
  prism_signal_new (klass, "changed", 0);
  prism_signal_new (klass, "cursor-moved", 0);
}

static void
prism_viewport_init (PrismViewport *self)
{
  self->zoom = 1;
  self->center_x = self->center_y = 0.5;
  self->cursor_x = self->cursor_y = NAN;
}

/**
 * prism_viewport_set_view:
 * @self: a viewport
 * @zoom: scale in units of the one that shows the whole image
 * @center_x: column in the middle of the view, divided by the width of the image
 * @center_y: row in the middle of the view, divided by the height of the image
 *
 * Zooms and moves all views that share the viewport, and emits "changed".
 */
void
prism_viewport_set_view (PrismViewport *self,
                         double zoom,
                         double center_x,
                         double center_y)
{
  g_return_if_fail (isfinite (zoom) && isfinite (center_x) && isfinite (center_y));

  zoom = CLAMP (zoom, PRISM_VIEWPORT_MIN_ZOOM, PRISM_VIEWPORT_MAX_ZOOM);
  center_x = CLAMP (center_x, 0.0, 1.0);
  center_y = CLAMP (center_y, 0.0, 1.0);
  if (zoom == self->zoom && center_x == self->center_x && center_y == self->center_y)
    return;

  self->zoom = zoom;
  self->center_x = center_x;
  self->center_y = center_y;
  g_signal_emit_by_name (self, "changed");
}

/**
 * prism_viewport_reset:
 * @self: a viewport
 *
 * Shows the whole image again.
 */
void
prism_viewport_reset (PrismViewport *self)
{
  prism_viewport_set_view (self, 1, 0.5, 0.5);
}

static void
move_cursor (PrismViewport *self,
             double x,
             double y)
{
  gboolean had = !isnan (self->cursor_x);

  if (had ? x == self->cursor_x && y == self->cursor_y : isnan (x))
    return;
  self->cursor_x = x;
  self->cursor_y = y;
  g_signal_emit_by_name (self, "cursor-moved");
}

/**
 * prism_viewport_set_cursor:
 * @self: a viewport
 * @x: column divided by the width of the image
 * @y: row divided by the height of the image
 *
 * Points at a place in all views that share the viewport, and emits "cursor-moved".
 */
void
prism_viewport_set_cursor (PrismViewport *self,
                           double x,
                           double y)
{
  g_return_if_fail (isfinite (x) && isfinite (y));

  move_cursor (self, x, y);
}

/**
 * prism_viewport_clear_cursor:
 * @self: a viewport
 *
 * Points at nothing any more.
 */
void
prism_viewport_clear_cursor (PrismViewport *self)
{
  move_cursor (self, NAN, NAN);
}

/**
 * prism_viewport_get_cursor:
 * @self: a viewport
 * @x: (out): column divided by the width of the image
 * @y: (out): row divided by the height of the image
 *
 * Returns: whether there is a cursor
 */
gboolean
prism_viewport_get_cursor (PrismViewport *self,
                           double *x,
                           double *y)
{
  *x = self->cursor_x;
  *y = self->cursor_y;
  return !isnan (self->cursor_x);
}

typedef struct
{
  PrismImage *image;
  PrismImage *reference; /* (nullable) */
  PrismMapping mapping;
} Job;

G_DEFINE_FINAL_TYPE (PrismRaster, prism_raster, G_TYPE_OBJECT)

PRISM_FREE (Job, job_free, prism_image_unref, image, prism_image_unref, reference)

/* Worker thread. */
static gpointer
make_picture (const Job *job)
{
  g_autoptr (GError) error = NULL;
  gint64 begun = prism_profile_begin ();
  PrismPicture *picture = prism_picture_new (job->image, job->reference, &job->mapping, &error);

  prism_profile_name_thread ("worker");
  prism_profile_end (PRISM_STAGE_RASTER, begun);
  if (picture == NULL)
    g_warning ("%s", error->message);
  return picture;
}

static void
start_job (PrismRaster *self)
{
  Job *job;

  if (!self->stale || !self->active || self->image == NULL)
    return;

  job = PRISM_NEW (Job, prism_image_ref (self->image), prism_image_ref (self->reference),
                   self->mapping);
  self->stale = FALSE;
  prism_worker_submit (self->worker, job);
}

static void
on_changed (PrismRaster *self)
{
  g_signal_emit_by_name (self, "changed");
}

static void
prism_raster_class_init (PrismRasterClass *klass)
{
  PRISM_FINALIZE (klass, PrismRaster, prism_image_unref, image, reference);
  PRISM_FINALIZE (klass, PrismRaster, g_object_unref, worker);
  prism_signal_new (klass, "changed", 0);
}

static void
prism_raster_init (PrismRaster *self)
{
  prism_mapping_init (&self->mapping);
  self->worker
      = prism_worker_new (make_picture, job_free, prism_picture_free, 0);
  PRISM_CONNECT (self->worker, "changed", on_changed, self);
}

/**
 * prism_raster_set_image:
 * @self: a raster
 * @image: (nullable): the newest image
 * @reference: (nullable): subtracted from it; ignored when its shape differs
 *
 * Asks for a picture of this image. An image that waits behind a job under way is replaced by the
 * next one: only the newest is coloured.
 *
 * Shape: [h][w].
 */
void
prism_raster_set_image (PrismRaster *self,
                        PrismImage *image,
                        PrismImage *reference)
{
  gboolean other;

  if (reference != NULL
      && (image == NULL || reference->width != image->width || reference->height != image->height))
    reference = NULL;
  other = prism_keep (&self->image, image, prism_image_ref, prism_image_unref);
  other |= prism_keep (&self->reference, reference, prism_image_ref, prism_image_unref);
  if (!other)
    return;
  self->stale = TRUE;
  if (image == NULL)
    prism_worker_submit (self->worker, NULL);
  start_job (self);
}

/**
 * prism_raster_set_mapping:
 * @self: a raster
 * @mapping: how to colour
 *
 * Asks for a picture in these colours.
 */
void
prism_raster_set_mapping (PrismRaster *self,
                          const PrismMapping *mapping)
{
  if (prism_mapping_equal (&self->mapping, mapping))
    return;
  self->mapping = *mapping;
  self->stale = TRUE;
  start_job (self);
}

/**
 * prism_raster_set_active:
 * @self: a raster
 * @active: whether somebody looks
 *
 * Jobs run only while active; the newest image waits until then.
 */
void
prism_raster_set_active (PrismRaster *self,
                         gboolean active)
{
  self->active = active;
  start_job (self);
}
