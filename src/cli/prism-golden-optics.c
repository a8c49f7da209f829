#include "config.h"

#include "prism-golden.h"

#include "base/prism-number.h"
#include "prism-check.h"

#include <math.h>
#include <string.h>

/* n = image_size, m = object_size. */

#define TOLERANCE 1e-5

static float *
new_plane (PrismGolden *self)
{
  gsize n = self->config->image_size;

  return g_new0 (float, n *n);
}

static gboolean
check_mask (PrismGolden *self,
            const char *key,
            const PrismMask *mask,
            GError **error)
{
  gsize n = self->config->image_size, n_wrong = 0;
  g_autoptr (PrismNpy) expected = NULL;
  g_autofree guint8 *plane = g_new0 (guint8, n * n);

  expected = prism_golden_get_plane (self, key, (int) n, error);
  if (expected == NULL)
    return FALSE;
  prism_mask_accumulate (mask, plane);
  for (gsize i = 0; i < n * n; i++)
    n_wrong += plane[i] != expected->values[i];
  prism_check_list_add (self->checks, key, n_wrong, 0, "pixels that differ");
  return TRUE;
}

static gboolean
check_pattern (PrismGolden *self,
               GError **error)
{
  g_autoptr (PrismPattern) pattern = NULL;
  double largest = 0.0;

  pattern = prism_pattern_new (self->config, error);
  if (pattern == NULL)
    return FALSE;
  if (pattern->n_points != self->centers->n_points)
    largest = INFINITY;
  for (guint i = 0; i < MIN (pattern->n_points, self->centers->n_points); i++)
    {
      const PrismPoint *a = &pattern->points[i], *b = &self->centers->points[i];
      largest = prism_worst (largest, hypot (a->y - b->y, a->x - b->x));
    }
  prism_check_list_add (self->checks, "fermat", largest, 1e-9, "largest distance, px");
  return TRUE;
}

static gboolean
check_spectrum (PrismGolden *self,
                GError **error)
{
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) expected = NULL;
  g_autofree float *values = NULL;
  g_autofree double *magnitude = NULL;

  expected = prism_golden_get (self, "spectrum", (PrismGoldenShape) { 3, { n, n, 2 } }, error);
  if (expected == NULL)
    return FALSE;
  values = new_plane (self);
  magnitude = g_new (double, n *n);
  for (gsize i = 0; i < n * n; i++)
    magnitude[i] = hypot (expected->values[2 * i], expected->values[2 * i + 1]);
  self->backend->ops->get_spectrum (self->backend, values);
  prism_check_list_add (self->checks, "spectrum", prism_check_get_error (values, magnitude, n * n),
                        TOLERANCE, "|E|, relative to its maximum");
  return TRUE;
}

/* The object through mask against an array of the file, which is an intensity with square set. */
static gboolean
check_measurement (PrismGolden *self,
                   const char *key,
                   const PrismMask *mask,
                   gboolean square,
                   GError **error)
{
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) expected = NULL;
  g_autoptr (PrismBuffer) buffer = NULL;
  g_autofree float *values = NULL;

  expected = prism_golden_get_plane (self, key, (int) n, error);
  if (expected == NULL)
    return FALSE;
  buffer = self->backend->ops->measure (self->backend, mask, error);
  if (buffer == NULL)
    return FALSE;
  values = new_plane (self);
  self->backend->ops->read_buffer (self->backend, buffer, mask, values);
  for (gsize i = 0; square && i < n * n; i++)
    values[i] *= values[i];
  prism_check_list_add (self->checks, key, prism_check_get_error (values, expected->values, n * n),
                        TOLERANCE, "relative to its maximum");
  return TRUE;
}

static gboolean
check_buffer (PrismGolden *self,
              GError **error)
{
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) expected = NULL;
  g_autoptr (PrismBuffer) buffer = NULL;
  g_autofree float *values = NULL;
  prism_autofree_array float *amplitude = NULL;

  expected = prism_golden_get_plane (self, "held", (int) n, error);
  if (expected == NULL)
    return FALSE;
  amplitude = prism_npy_dup_floats (expected);
  buffer = self->backend->ops->load_buffer (self->backend, self->old_mask, amplitude, error);
  if (buffer == NULL)
    return FALSE;
  values = new_plane (self);
  self->backend->ops->read_buffer (self->backend, buffer, self->old_mask, values);
  prism_check_list_add (self->checks, "load and read",
                        prism_check_get_error (values, expected->values, n * n), 0,
                        "a detector image to the device and back");
  return TRUE;
}

/**
 * prism_golden_check_optics:
 * @self: a golden file
 * @error: return location
 *
 * Checks masks, pattern, spectrum and measurements of the object.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_optics (PrismGolden *self,
                           GError **error)
{
  return check_mask (self, "pupil.old", self->old_mask, error)
         && check_mask (self, "pupil.new", self->new_mask, error)
         && check_pattern (self, error)
         && check_spectrum (self, error)
         && check_measurement (self, "amplitude.new", self->new_mask, FALSE, error)
         && check_measurement (self, "intensity.new", self->new_mask, TRUE, error)
         && check_measurement (self, "amplitude.old.of_object", self->old_mask, FALSE, error)
         && check_buffer (self, error);
}
