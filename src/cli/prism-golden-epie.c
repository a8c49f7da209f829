#include "config.h"

#include "prism-golden.h"

#include "prism-check.h"

#include <string.h>

/* n = image_size, m = object_size. */

#define N_PASSES 10

static gboolean
bind_centers (PrismGolden *self,
              GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  PrismAperture aperture;

  prism_aperture_init_config (&aperture, self->config);
  aperture.radius *= 2;
  for (guint i = 0; i < self->centers->n_points; i++)
    {
      const PrismPoint *point = &self->centers->points[i];
      g_autoptr (PrismMask) mask = NULL;
      g_autoptr (PrismBuffer) buffer = NULL;
      double energy;

      mask = prism_aperture_get_mask (&aperture, self->config->image_size, point->y, point->x);
      buffer = ops->measure (self->backend, mask, error);
      if (buffer == NULL
          || !ops->bind (self->backend, PRISM_GOLDEN_SLOT_FIRST_CENTER + i, mask, buffer, &energy,
                         error))
        return FALSE;
    }
  return TRUE;
}

/* The whole field [n][n], of which the object is the middle [m][m]; around it the support is 0. */
static gboolean
check_epie_image (PrismGolden *self,
                  const char *key,
                  GError **error)
{
  gsize n = self->config->image_size, m = self->config->object_size, low = (n - m) / 2;
  g_autoptr (PrismNpy) expected = prism_golden_get_plane (self, key, (int) n, error);
  g_autofree float *object = g_new (float, m *m);
  g_autofree float *field = g_new0 (float, n *n);

  if (expected == NULL)
    return FALSE;
  self->backend->ops->read_image (self->backend, PRISM_SOURCE_EPIE, object);
  for (gsize y = 0; y < m; y++)
    memcpy (field + (low + y) * n + low, object + y * m, m * sizeof *object);
  prism_check_list_add (self->checks, key, prism_check_get_error (field, expected->values, n * n),
                        1e-3, "relative to its maximum");
  return TRUE;
}

/**
 * prism_golden_check_epie:
 * @self: a golden file
 * @error: return location
 *
 * Checks ePIE from a blank image with apertures of twice the radius, after 1 and after 10 passes.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_epie (PrismGolden *self,
                         GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;

  if (!bind_centers (self, error))
    return FALSE;
  ops->epie_start (self->backend, NULL);
  for (guint pass = 1; pass <= N_PASSES; pass++)
    {
      g_autofree char *key = g_strdup_printf ("epie/%u", pass);

      for (guint i = 0; i < self->centers->n_points; i++)
        ops->epie_update (self->backend, PRISM_GOLDEN_SLOT_FIRST_CENTER + i, 1.0);
      ops->epie_project (self->backend);
      if ((pass == 1 || pass == N_PASSES) && !check_epie_image (self, key, error))
        return FALSE;
    }
  return ops->finish (self->backend, error);
}
