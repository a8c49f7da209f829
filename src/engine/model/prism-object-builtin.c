#include "config.h"

#include "model/prism-object-builtin.h"

#include "base/prism-available.h"
#include "base/prism-pool.h"

#define MAX_THREADS 16

/* By the ids of prism-builtin. */
static const struct
{
  const char *id;
  PrismImage *(*draw) (const PrismConfig *config,
                       GError **error);
} drawings[] = {
  { "moon", prism_object_draw_moon },
  { "ice-moon", prism_object_draw_ice_moon },
  { "usaf1951", prism_object_draw_usaf1951 },
  { "siemens", prism_object_draw_shape },
  { "points", prism_object_draw_points },
  { "checkerboard", prism_object_draw_shape },
  { "shepp-logan", prism_object_draw_shape },
  { "text", prism_object_draw_text },
};

/**
 * prism_object_draw_builtin:
 * @id: of a built-in object
 * @config: what it depends on
 *
 * Draws a built-in object.
 *
 * Shape: [m][m].
 * Units: intensity.
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_builtin (const char *id,
                           const PrismConfig *config,
                           GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (drawings); i++)
    if (g_str_equal (drawings[i].id, id))
      return drawings[i].draw (config, error);
  g_return_val_if_reached (NULL);
}

typedef struct
{
  PrismImage *image;
  int oversampling;
  PrismDrawFunc func;
  gconstpointer drawing;
} DrawJob;

static void
draw_row (gpointer data,
          guint y,
          guint worker)
{
  const DrawJob *job = data;
  int m = job->image->width;
  int n = job->oversampling;
  double step = 2.0 / ((double) m * n);

  for (int x = 0; x < m; x++)
    {
      double sum = 0.0;
      for (int v = 0; v < n; v++)
        for (int u = 0; u < n; u++)
          sum += job->func (((double) y * n + v + 0.5) * step - 1.0,
                            ((double) x * n + u + 0.5) * step - 1.0, job->drawing);
      job->image->pixels[(gsize) y * m + x] = (float) (sum / (n * n));
    }
}

/**
 * prism_object_draw:
 * @object_size: m
 * @oversampling: points per pixel in each direction
 * @func: (scope call): intensity at a point, for several threads at once
 * @drawing: for @func
 *
 * Draws by the mean over a grid of points in each pixel, on all processors.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the drawing
 */
PrismImage *
prism_object_draw (int object_size,
                   int oversampling,
                   PrismDrawFunc func,
                   gconstpointer drawing,
                   GError **error)
{
  g_autoptr (PrismImage) image = prism_image_new (object_size, object_size, error);
  g_autoptr (PrismPool) pool = NULL;
  DrawJob job = { image, oversampling, func, drawing };

  if (image == NULL)
    return NULL;
  pool = prism_pool_new (MIN (prism_available_get_processors (), MAX_THREADS), error);
  if (pool == NULL)
    return NULL;
  prism_pool_run (pool, (guint) object_size, draw_row, &job);
  return g_steal_pointer (&image);
}
