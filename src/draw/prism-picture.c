#include "config.h"

#include "prism-picture.h"

#include "base/prism-error.h"

/* Levels beyond the first halve the size, down to a few pixels. */
#define MIN_LEVEL_SIZE 32
/* Length of the longer side, about, that an image gets in a vector format. */
#define VECTOR_SIZE 1200
#define MAX_ENLARGEMENT 16

static cairo_surface_t *
create_surface (int width,
                int height,
                GError **error)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);

  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    return surface;

  prism_error_memory (
      error, "A picture of %d × %d pixels could not be made: %s. Choose a smaller image.", width,
      height, cairo_status_to_string (cairo_surface_status (surface)));
  cairo_surface_destroy (surface);
  return NULL;
}

static guint32 *
get_row (cairo_surface_t *surface,
         int y)
{
  return (guint32 *) (cairo_image_surface_get_data (surface)
                      + (gsize) y * cairo_image_surface_get_stride (surface));
}

/* Values are averaged, not their colours: red beside blue is no purple. What is not finite has no
 * part in it. Returns: (nullable): without memory the larger one still paints, if coarsely */
static PrismImage *
halve (const PrismImage *large)
{
  const int width = (large->width + 1) / 2, height = (large->height + 1) / 2;
  PrismImage *small = prism_image_new (height, width, NULL);

  for (int i = 0; small != NULL && i < width * height; i++)
    {
      const int y = 2 * (i / width), x = 2 * (i % width);
      float sum = 0.0f;
      int n = 0;

      for (int row = y; row < MIN (y + 2, large->height); row++)
        for (int column = x; column < MIN (x + 2, large->width); column++)
          {
            const float value = large->pixels[(gsize) row * large->width + column];

            sum += isfinite (value) ? value : 0.0f;
            n += isfinite (value) ? 1 : 0;
          }
      small->pixels[i] = n > 0 ? sum / n : NAN;
    }
  return small;
}

static PrismImage *
create_values (PrismImage *image,
               const PrismImage *reference,
               GError **error)
{
  PrismImage *values;

  if (reference == NULL)
    return prism_image_ref (image);
  values = prism_image_new (image->height, image->width, error);
  for (gsize i = 0; values != NULL && i < (gsize) image->width * image->height; i++)
    values->pixels[i] = image->pixels[i] - reference->pixels[i];
  return values;
}

/**
 * prism_picture_new:
 * @image: what to show
 * @reference: (nullable): an image of the same shape that is subtracted first
 * @mapping: how; its levels are computed from the values unless they are manual
 * @error: return location
 *
 * Colours an image, and averages its values down for being painted small.
 *
 * Shape: @image and @reference [h][w].
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the picture
 */
PrismPicture *
prism_picture_new (PrismImage *image,
                   PrismImage *reference,
                   const PrismMapping *mapping,
                   GError **error)
{
  g_autoptr (PrismPicture) self = NULL;
  cairo_surface_t *surface = create_surface (image->width, image->height, error);

  g_return_val_if_fail (reference == NULL
                            || (reference->width == image->width
                                && reference->height == image->height),
                        NULL);
  if (surface == NULL)
    return NULL;

  self = g_new0 (PrismPicture, 1);
  self->mapping = *mapping;
  self->surface = surface;
  self->levels[0] = create_values (image, reference, error);
  if (self->levels[0] == NULL)
    return NULL;
  self->n_levels = 1;
  prism_mapping_compute_levels (&self->mapping, image, reference);
  for (int y = 0; y < image->height; y++)
    prism_mapping_apply (&self->mapping, self->levels[0]->pixels + (gsize) y * image->width, NULL,
                         get_row (surface, y), image->width);
  cairo_surface_mark_dirty (surface);
  for (const PrismImage *large = self->levels[0];
       large != NULL && self->n_levels < PRISM_PICTURE_MAX_LEVELS
       && (MIN (large->width, large->height) + 1) / 2 >= MIN_LEVEL_SIZE;)
    {
      self->levels[self->n_levels] = halve (large);
      large = self->levels[self->n_levels];
      self->n_levels += large != NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * prism_picture_free:
 * @self: (transfer full): a picture
 *
 * Thread: any.
 */
void
prism_picture_free (PrismPicture *self)
{
  for (int i = 0; i < self->n_levels; i++)
    prism_image_unref (self->levels[i]);
  cairo_surface_destroy (self->surface);
  g_free (self);
}

/* Repeats each pixel: SVG has no way to ask for sharp pixels that all viewers follow. */
static cairo_surface_t *
create_enlarged (cairo_surface_t *small)
{
  int width = cairo_image_surface_get_width (small);
  int height = cairo_image_surface_get_height (small);
  int factor = CLAMP (VECTOR_SIZE / MAX (width, height), 1, MAX_ENLARGEMENT);
  cairo_surface_t *large = create_surface (factor * width, factor * height, NULL);

  if (large == NULL)
    return cairo_surface_reference (small);
  for (int y = 0; y < factor * height; y++)
    {
      const guint32 *from = get_row (small, y / factor);
      guint32 *to = get_row (large, y);

      for (int x = 0; x < factor * width; x++)
        to[x] = from[x / factor];
    }
  cairo_surface_mark_dirty (large);
  return large;
}

static void
paint_surface (cairo_t *cr,
               cairo_surface_t *surface,
               const PrismFrame *frame)
{
  prism_paint_surface (cr, surface, frame->x0, frame->y0, frame->scale * frame->image_width,
                       frame->scale * frame->image_height);
}

/* Between the four values around a place, in units of pixels; the nearest where one is missing. */
static float
get_between (const PrismImage *values,
             double y,
             double x)
{
  const int left = CLAMP ((int) floor (x), 0, values->width - 1);
  const int top = CLAMP ((int) floor (y), 0, values->height - 1);
  const int right = MIN (left + 1, values->width - 1), below = MIN (top + 1, values->height - 1);
  const float *upper = values->pixels + (gsize) top * values->width;
  const float *lower = values->pixels + (gsize) below * values->width;
  const float u = (float) CLAMP (x - left, 0.0, 1.0), v = (float) CLAMP (y - top, 0.0, 1.0);
  const float value = (1 - v) * ((1 - u) * upper[left] + u * upper[right])
                      + v * ((1 - u) * lower[left] + u * lower[right]);

  return isfinite (value) ? value : (v < 0.5f ? upper : lower)[u < 0.5f ? left : right];
}

/* One value for each pixel of the device that is seen, which is coloured then. */
static void
paint_reduced (PrismPicture *self,
               cairo_t *cr,
               const PrismFrame *frame,
               const PrismImage *values)
{
  const double device = frame->device_scale, pixel = frame->scale * device;
  const double across = pixel * frame->image_width / values->width;
  const double down = pixel * frame->image_height / values->height;
  double x0, y0, x1, y1;
  int left, top, width, height;
  g_autofree float *row = NULL;
  cairo_surface_t *surface;

  cairo_clip_extents (cr, &x0, &y0, &x1, &y1);
  left = (int) round (device * MAX (x0, frame->x0));
  top = (int) round (device * MAX (y0, frame->y0));
  width = (int) round (MIN (device * x1, device * frame->x0 + pixel * frame->image_width)) - left;
  height = (int) round (MIN (device * y1, device * frame->y0 + pixel * frame->image_height)) - top;
  surface = width > 0 && height > 0 ? create_surface (width, height, NULL) : NULL;
  if (surface == NULL)
    return;
  row = g_new (float, width);
  for (int y = 0; y < height; y++)
    {
      for (int x = 0; x < width; x++)
        row[x] = get_between (values, (top + y + 0.5 - device * frame->y0) / down - 0.5,
                              (left + x + 0.5 - device * frame->x0) / across - 0.5);
      prism_mapping_apply (&self->mapping, row, NULL, get_row (surface, y), width);
    }
  cairo_surface_mark_dirty (surface);
  prism_paint_surface (cr, surface, left / device, top / device, width / device, height / device);
  cairo_surface_destroy (surface);
}

/**
 * prism_picture_draw:
 * @self: a picture
 * @cr: where
 * @frame: the place of the image
 *
 * Paints sharp pixels when enlarged; when reduced, the colours of values in between.
 */
void
prism_picture_draw (PrismPicture *self,
                    cairo_t *cr,
                    const PrismFrame *frame)
{
  double scale = frame->scale * frame->device_scale;
  int level = 0;

  if (cairo_surface_get_type (cairo_get_target (cr)) == CAIRO_SURFACE_TYPE_SVG)
    {
      cairo_surface_t *enlarged = create_enlarged (self->surface);

      paint_surface (cr, enlarged, frame);
      cairo_surface_destroy (enlarged);
      return;
    }
  if (scale >= 1)
    {
      paint_surface (cr, self->surface, frame);
      return;
    }
  for (; scale < 0.7 && level + 1 < self->n_levels; scale *= 2)
    level++;
  paint_reduced (self, cr, frame, self->levels[level]);
}

/**
 * prism_picture_draw_image:
 * @cr: where
 * @image: what to show
 * @reference: (nullable): an image of the same shape that is subtracted first
 * @mapping: how
 * @frame: the place of the image
 * @error: return location
 *
 * Colours an image and paints it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_picture_draw_image (cairo_t *cr,
                          PrismImage *image,
                          PrismImage *reference,
                          const PrismMapping *mapping,
                          const PrismFrame *frame,
                          GError **error)
{
  g_autoptr (PrismPicture) picture = prism_picture_new (image, reference, mapping, error);

  if (picture != NULL)
    prism_picture_draw (picture, cr, frame);
  return picture != NULL;
}
