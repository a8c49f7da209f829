#include "config.h"

#include "prism-picture.h"

#include "base/prism-error.h"
#include "prism-paint.h"

/* Levels beyond the first halve the size, down to a few pixels. */
#define MAX_LEVELS 8
#define MIN_LEVEL_SIZE 32
/* Length of the longer side, about, that an image gets in a vector format. */
#define VECTOR_SIZE 1200
#define MAX_ENLARGEMENT 16

struct _PrismPicture
{
  PrismMapping mapping; /* with the levels that were found */
  int n_levels;
  cairo_surface_t *levels[MAX_LEVELS]; /* [0] has the size of the image */
};

static cairo_surface_t *
create_surface (int width,
                int height,
                GError **error)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);

  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    return surface;

  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               "A picture of %d × %d pixels could not be made: %s. Choose a smaller image.",
               width, height, cairo_status_to_string (cairo_surface_status (surface)));
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

/* Mean of four pixels, two channels at a time: the sums fit into 16 bits. */
static guint32
average_pixels (guint32 a,
                guint32 b,
                guint32 c,
                guint32 d)
{
  const guint32 mask = 0x00ff00ff;
  guint32 even = (a & mask) + (b & mask) + (c & mask) + (d & mask) + 0x00020002;
  guint32 odd = (a >> 8 & mask) + (b >> 8 & mask) + (c >> 8 & mask) + (d >> 8 & mask) + 0x00020002;

  return (even >> 2 & mask) | (odd >> 2 & mask) << 8;
}

static void
halve_surface (cairo_surface_t *small,
               cairo_surface_t *large)
{
  int height = cairo_image_surface_get_height (large);
  int width = cairo_image_surface_get_width (large);

  for (int y = 0; y < cairo_image_surface_get_height (small); y++)
    {
      const guint32 *above = get_row (large, 2 * y);
      const guint32 *below = get_row (large, MIN (2 * y + 1, height - 1));
      guint32 *row = get_row (small, y);

      for (int x = 0; x < cairo_image_surface_get_width (small); x++)
        {
          int right = MIN (2 * x + 1, width - 1);
          row[x] = average_pixels (above[2 * x], above[right], below[2 * x], below[right]);
        }
    }
  cairo_surface_mark_dirty (small);
}

static void
create_levels (PrismPicture *self)
{
  while (self->n_levels < MAX_LEVELS)
    {
      cairo_surface_t *large = self->levels[self->n_levels - 1];
      int width = (cairo_image_surface_get_width (large) + 1) / 2;
      int height = (cairo_image_surface_get_height (large) + 1) / 2;
      cairo_surface_t *small;

      if (MIN (width, height) < MIN_LEVEL_SIZE)
        return;
      /* Without memory for the smaller ones the first level still paints, if coarsely. */
      small = create_surface (width, height, NULL);
      if (small == NULL)
        return;
      halve_surface (small, large);
      self->levels[self->n_levels++] = small;
    }
}

/**
 * prism_picture_new:
 * @image: what to show
 * @reference: (nullable): an image of the same shape that is subtracted first
 * @mapping: how; its levels are computed from the values unless they are manual
 * @error: return location
 *
 * Colours an image, and averages it down for being painted small.
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
  self->levels[self->n_levels++] = surface;
  prism_mapping_compute_levels (&self->mapping, image, reference);
  for (int y = 0; y < image->height; y++)
    {
      gsize start = (gsize) y * image->width;
      prism_mapping_apply (&self->mapping, image->pixels + start,
                           reference == NULL ? NULL : reference->pixels + start,
                           get_row (surface, y), image->width);
    }
  cairo_surface_mark_dirty (surface);
  create_levels (self);
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
    cairo_surface_destroy (self->levels[i]);
  g_free (self);
}

/**
 * prism_picture_get_mapping:
 * @self: a picture
 *
 * Returns: (transfer none): the mapping with the levels that the picture has
 */
const PrismMapping *
prism_picture_get_mapping (PrismPicture *self)
{
  return &self->mapping;
}

/**
 * prism_picture_get_surface:
 * @self: a picture
 * @level: 0 for the full size, 1 for half, …
 *
 * Returns: (transfer none) (nullable): the pixels, NULL beyond the last level
 */
cairo_surface_t *
prism_picture_get_surface (PrismPicture *self,
                           int level)
{
  return level < self->n_levels ? self->levels[level] : NULL;
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
               const PrismFrame *frame,
               cairo_filter_t filter)
{
  double width = frame->scale * frame->image_width;
  double height = frame->scale * frame->image_height;

  cairo_save (cr);
  cairo_rectangle (cr, frame->x0, frame->y0, width, height);
  cairo_clip (cr);
  cairo_translate (cr, frame->x0, frame->y0);
  cairo_scale (cr, width / cairo_image_surface_get_width (surface),
               height / cairo_image_surface_get_height (surface));
  prism_paint_set_pixels (cr, surface, filter);
  cairo_paint (cr);
  cairo_restore (cr);
}

/**
 * prism_picture_draw:
 * @self: a picture
 * @cr: where
 * @frame: the place of the image
 *
 * Paints sharp pixels when enlarged; when reduced, the level next above the wanted size.
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
      cairo_surface_t *enlarged = create_enlarged (self->levels[0]);

      paint_surface (cr, enlarged, frame, CAIRO_FILTER_NEAREST);
      cairo_surface_destroy (enlarged);
      return;
    }
  for (; scale < 0.7 && level + 1 < self->n_levels; scale *= 2)
    level++;
  paint_surface (cr, self->levels[level], frame,
                 scale >= 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
}
