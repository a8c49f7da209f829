#include "config.h"

#include "model/prism-aperture.h"

#include "base/prism-arena.h"
#include "num/prism-fft.h"
#include "num/prism-spectrum.h"

#define COMPARISON 16.0 /* operations on a pixel of a frame between the transforms */

static PrismMask *
mask_new (int image_size,
          int y0,
          int x0,
          int height,
          int width)
{
  PrismMask *self = g_new0 (PrismMask, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->image_size = image_size;
  if (height <= 0 || width <= 0)
    return self;

  self->y0 = y0;
  self->x0 = x0;
  self->height = height;
  self->width = width;
  self->bits = prism_arena_new_array ((gsize) height * width, "an aperture", NULL);
  if (self->bits == NULL)
    g_clear_pointer (&self, prism_mask_unref);
  return self;
}

/* The smallest mask with the same pixels: outer rows and columns of zeros go. bits is
 * [height][width] with its first pixel at (y0, x0). */
static PrismMask *
mask_new_cropped (int image_size,
                  int y0,
                  int x0,
                  int height,
                  int width,
                  const guint8 *bits)
{
  int top = height, bottom = -1, left = width, right = -1;
  PrismMask *self;

  for (int y = 0; y < height; y++)
    {
      const guint8 *row = bits + (gsize) y * width;
      const guint8 *first = memchr (row, 1, width);

      if (first == NULL)
        continue;
      top = MIN (top, y);
      bottom = y;
      left = MIN (left, (int) (first - row));
      right = MAX (right, (int) ((const guint8 *) memrchr (row, 1, width) - row));
    }

  self = mask_new (image_size, y0 + top, x0 + left, bottom - top + 1, right - left + 1);
  for (int y = 0; self != NULL && y < self->height; y++)
    memcpy (self->bits + (gsize) y * self->width,
            bits + (gsize) (top + y) * width + left,
            self->width);
  return self;
}

static gboolean
aperture_contains (const PrismAperture *self,
                   double dy,
                   double dx)
{
  double distance2 = dy * dy + dx * dx;
  double radius = self->radius;
  double inner = self->obscuration * radius;
  double inner2 = inner > 0 ? inner * inner : -1.0;

  switch ((PrismApertureShape) self->shape)
    {
    case PRISM_SHAPE_HEXAGON:
      return fabs (dy) <= 0.5 * sqrt (3.0) * radius
             && sqrt (3.0) * fabs (dx) + fabs (dy) <= sqrt (3.0) * radius;
    case PRISM_SHAPE_OBSCURED:
      return distance2 <= radius * radius && distance2 > inner2;
    case PRISM_SHAPE_DISK:
    default:
      return distance2 <= radius * radius;
    }
}

/* Vane by vane rather than pixel by pixel: sine and cosine are what costs. */
static void
remove_vanes (const PrismAperture *self,
              PrismMask *mask,
              double center_y,
              double center_x)
{
  for (int i = 0; i < self->vanes; i++)
    {
      double sine = sin (i * G_PI / self->vanes);
      double cosine = cos (i * G_PI / self->vanes);

      for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++)
          {
            double dy = mask->y0 + y - center_y;
            double dx = mask->x0 + x - center_x;

            if (fabs (dy * cosine - dx * sine) < 0.5 * self->vane_width)
              mask->bits[(gsize) y * mask->width + x] = 0;
          }
    }
}

/**
 * prism_aperture_init_config:
 * @self: (out caller-allocates): the aperture
 * @config: a configuration
 *
 * Takes shape and lengths from the configuration.
 *
 * Units: pixels of k-space.
 */
void
prism_aperture_init_config (PrismAperture *self,
                            const PrismConfig *config)
{
  self->shape = config->aperture_shape;
  self->radius = config->aperture_radius;
  self->obscuration = config->obscuration;
  self->vanes = config->vanes;
  self->vane_width = config->vane_width;
}

/**
 * prism_aperture_get_mask:
 * @image_size: n
 * @center_y: centre, px from the origin of k-space, not rounded
 * @center_x: centre
 *
 * The pixels of the k-grid that lie in the aperture at this place.
 *
 * Disk: (ky-cy)² + (kx-cx)² ≤ r². Hexagon: circumradius r, flat sides top and bottom. Obscured:
 * disk without the inner disk and without the pixels nearer than half the vane's width to a line
 * through the centre at the angles i·π/vanes, from the x axis towards y.
 *
 * Shape: the box is as small as the pixels allow and clipped to the grid; empty far outside of it.
 * Source: numerics.md § 3.
 *
 * Returns: (transfer full) (nullable): the mask; %NULL when memory does not suffice
 */
PrismMask *
prism_aperture_get_mask (const PrismAperture *self,
                         int image_size,
                         double center_y,
                         double center_x)
{
  int half = image_size / 2;
  int y0 = (int) ceil (CLAMP (center_y - self->radius, -half, half));
  int x0 = (int) ceil (CLAMP (center_x - self->radius, -half, half));
  int y1 = (int) floor (CLAMP (center_y + self->radius, -half - 1, half - 1));
  int x1 = (int) floor (CLAMP (center_x + self->radius, -half - 1, half - 1));
  g_autoptr (PrismMask) box = NULL;

  g_return_val_if_fail (image_size > 0 && image_size % 2 == 0, NULL);

  box = mask_new (image_size, y0, x0, y1 - y0 + 1, x1 - x0 + 1);
  if (box == NULL)
    return NULL;
  for (int y = 0; y < box->height; y++)
    for (int x = 0; x < box->width; x++)
      box->bits[(gsize) y * box->width + x] = aperture_contains (self, box->y0 + y - center_y,
                                                                 box->x0 + x - center_x);
  if (self->shape == PRISM_SHAPE_OBSCURED)
    remove_vanes (self, box, center_y, center_x);
  return mask_new_cropped (image_size, box->y0, box->x0, box->height, box->width, box->bits);
}

/**
 * prism_mask_new_plane:
 * @image_size: n
 * @plane: (array): 0 or 1
 *
 * A mask from a whole plane, such as the coverage: finds its bounding box.
 *
 * Shape: plane [n][n], origin at [n/2][n/2].
 *
 * Returns: (transfer full) (nullable): the mask; %NULL when memory does not suffice
 */
PrismMask *
prism_mask_new_plane (int image_size,
                      const guint8 *plane)
{
  return mask_new_cropped (image_size, -image_size / 2, -image_size / 2, image_size, image_size,
                           plane);
}

/* The same pixels in a box of at least this size, which stays on the grid. */
static PrismMask *
mask_new_padded (const PrismMask *self,
                 int height,
                 int width)
{
  int half = self->image_size / 2;
  int y0 = MIN (self->y0, half - height), x0 = MIN (self->x0, half - width);
  PrismMask *padded = mask_new (self->image_size, y0, x0, height, width);

  for (int y = 0; padded != NULL && y < self->height; y++)
    memcpy (padded->bits + (gsize) (self->y0 + y - y0) * width + self->x0 - x0,
            self->bits + (gsize) y * self->width, self->width);
  return padded;
}

/* The union of parts, in the smallest box that holds them. */
static PrismMask *
mask_new_union (int image_size,
                PrismMask **parts,
                guint n_parts)
{
  int y0 = image_size, x0 = image_size, y1 = -image_size, x1 = -image_size;
  PrismMask *self;

  for (guint i = 0; i < n_parts; i++)
    if (parts[i]->height > 0)
      {
        y0 = MIN (y0, parts[i]->y0);
        x0 = MIN (x0, parts[i]->x0);
        y1 = MAX (y1, parts[i]->y0 + parts[i]->height);
        x1 = MAX (x1, parts[i]->x0 + parts[i]->width);
      }
  self = mask_new (image_size, y0, x0, y1 - y0, x1 - x0);
  for (guint i = 0; self != NULL && i < n_parts; i++)
    for (int y = 0; y < parts[i]->height; y++)
      {
        const PrismMask *part = parts[i];
        const guint8 *bits = part->bits + (gsize) y * part->width;
        guint8 *row = self->bits + (gsize) (part->y0 + y - y0) * self->width + part->x0 - x0;

        for (int x = 0; x < part->width; x++)
          row[x] |= bits[x];
      }
  return self;
}

/**
 * prism_mask_new_parts:
 * @image_size: n
 * @parts: (array length=n_parts): where the aperture is at each point of its line, and last at the
 *   line's middle, which does not count
 * @n_parts: how many, the middle included; at least 3
 *
 * The mask of an aperture that moves during the exposure.
 *
 * Returns: (transfer full) (nullable): their union, with the parts in boxes of one size; empty when
 * all of them are; %NULL when memory does not suffice
 */
PrismMask *
prism_mask_new_parts (int image_size,
                      PrismMask **parts,
                      guint n_parts)
{
  g_autoptr (PrismMask) self = NULL;
  int height = 0, width = 0;

  g_return_val_if_fail (n_parts >= 3, NULL);

  self = mask_new_union (image_size, parts, n_parts - 1);
  if (self == NULL || self->height == 0)
    return g_steal_pointer (&self);
  for (guint i = 0; i < n_parts; i++)
    {
      height = MAX (height, parts[i]->height);
      width = MAX (width, parts[i]->width);
    }
  self->parts = g_new0 (PrismMask *, n_parts);
  self->n_parts = n_parts - 1;
  for (guint i = 0; i < n_parts; i++)
    {
      self->parts[i] = mask_new_padded (parts[i], height, width);
      if (self->parts[i] == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * prism_mask_get_part:
 * @i: a point of its line; the number of points stands for the middle
 *
 * Returns: (transfer none): where the aperture is then; @self when it stands still
 */
const PrismMask *
prism_mask_get_part (const PrismMask *self,
                     guint i)
{
  return self->n_parts > 0 ? self->parts[i] : self;
}

static void
mask_clear (PrismMask *self)
{
  for (guint i = 0; self->parts != NULL && i < self->n_parts + 1; i++)
    prism_mask_unref (self->parts[i]);
  g_free (self->parts);
  prism_arena_free_array (self->bits);
}

PRISM_DEFINE_REFERENCES (PrismMask, prism_mask, mask_clear)

/**
 * prism_mask_get_count:
 *
 * Returns: the number of its pixels that are 1
 */
gsize
prism_mask_get_count (const PrismMask *self)
{
  gsize n_bits = (gsize) self->height * self->width;
  gsize count = 0;

  for (gsize i = 0; i < n_bits; i++)
    count += self->bits[i];
  return count;
}

/**
 * prism_mask_count_operations:
 * @side: q, points of the frame along an edge
 *
 * What a visit of a frame takes: from the aperture to the camera, the comparison, and back. Columns
 * outside the box are not transformed. A transform of q numbers counts 5q log₂ q.
 *
 * Returns: multiplications and additions, 0 for an empty mask
 */
double
prism_mask_count_operations (const PrismMask *self,
                             guint side)
{
  const double n_views = MAX (self->n_parts, 1), q = side;

  if (self->height == 0)
    return 0.0;
  return n_views * (2.0 * (self->width + q) * 5.0 * q * log2 (q) + COMPARISON * q * q);
}

/**
 * prism_mask_accumulate:
 * @plane: (array) (inout): the union so far
 *
 * Adds the mask to a union of masks.
 *
 * Shape: plane [n][n], 0 or 1, origin at [n/2][n/2].
 * Thread: any; the plane belongs to the caller.
 */
void
prism_mask_accumulate (const PrismMask *self,
                       guint8 *plane)
{
  int half = self->image_size / 2;

  for (int y = 0; y < self->height; y++)
    {
      const guint8 *bits = self->bits + (gsize) y * self->width;
      guint8 *row = plane + (gsize) (self->y0 + y + half) * self->image_size + self->x0 + half;

      for (int x = 0; x < self->width; x++)
        row[x] |= bits[x];
    }
}

/* Takes away what the aperture stops. Shape: @half [n][n/2+1][2], zero frequency at [0][0]. */
static void
stop (float *half,
      const PrismMask *mask)
{
  const int n = mask->image_size, width = n / 2 + 1;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < width; x++)
      {
        const int row = (y < n / 2 ? y : y - n) - mask->y0, column = x - mask->x0;
        float *value = half + 2 * ((gsize) y * width + x);

        if (row < 0 || row >= mask->height || column < 0 || column >= mask->width
            || mask->bits[row * mask->width + column] == 0)
          value[0] = value[1] = 0.0f;
      }
}

/**
 * prism_exposure_new_image:
 * @object: amplitude
 * @mask: an aperture around the zero frequency, which is its own mirror image
 *
 * The amplitude behind the aperture, |F⁻¹{P F{a}}|, where the object is, on the object's scale: the
 * blurred picture that one exposure is. Without noise.
 *
 * Shape: @object [m][m], at most the field's [n][n]; the result [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 * Source: numerics.md § 1.
 *
 * Returns: (transfer full) (nullable): the exposure
 */
PrismImage *
prism_exposure_new_image (const PrismImage *object,
                          const PrismMask *mask,
                          GError **error)
{
  const int n = mask->image_size, m = object->width;
  g_autoptr (PrismImage) field = prism_image_new (n, n, error);
  g_autoptr (PrismImage) exposure = prism_image_new (m, object->height, error);
  float *half = field != NULL && exposure != NULL ? prism_spectrum_transform (object, n, error)
                                                  : NULL;

  if (half == NULL)
    return NULL;
  stop (half, mask);
  prism_fft_transform (field->pixels, half, n, FALSE);
  prism_arena_free_array (half);
  for (int y = 0; y < object->height; y++)
    for (int x = 0; x < m; x++)
      exposure->pixels[y * m + x] = fabsf (field->pixels[(gsize) y * n + x]) / ((float) n * n);
  return g_steal_pointer (&exposure);
}
