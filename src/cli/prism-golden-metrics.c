#include "config.h"

#include "prism-golden.h"

#include "prism-check.h"

/* px: what metric.a and metric.b have in all golden files */
#define SIDE 200

static gboolean
check_metric (PrismGolden *self,
              const char *key,
              double value,
              GError **error)
{
  g_autoptr (PrismNpy) expected = prism_golden_get (self, key, (PrismGoldenShape) { 0 }, error);

  if (expected == NULL)
    return FALSE;
  prism_check_list_add (self->checks, key, prism_check_get_ratio (value, expected->values[0]), 1e-5,
                        "relative");
  return TRUE;
}

/**
 * prism_golden_check_metrics:
 * @self: a golden file
 * @error: return location
 *
 * Checks PSNR, SSIM, MS-SSIM and RMSE of two images.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_metrics (PrismGolden *self,
                            GError **error)
{
  g_autoptr (PrismNpy) a = prism_golden_get_plane (self, "metric.a", SIDE, error);
  g_autoptr (PrismNpy) b = NULL;
  prism_autofree_array float *image = NULL;
  prism_autofree_array float *object = NULL;
  PrismMetrics metrics;
  double ms_ssim;

  if (a == NULL)
    return FALSE;
  b = prism_golden_get_plane (self, "metric.b", SIDE, error);
  if (b == NULL)
    return FALSE;
  image = prism_npy_dup_floats (a);
  object = prism_npy_dup_floats (b);
  if (!prism_metrics_compute (&metrics, image, object, SIDE, SIDE, error)
      || !prism_metrics_compute_ms_ssim (&ms_ssim, image, object, SIDE, SIDE, error))
    return FALSE;
  return check_metric (self, "metric.psnr", metrics.psnr, error)
         && check_metric (self, "metric.ssim", metrics.ssim, error)
         && check_metric (self, "metric.ms_ssim", ms_ssim, error)
         && check_metric (self, "metric.rmse_percent", metrics.rmse, error);
}
