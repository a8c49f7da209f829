#include "config.h"

#include "prism-golden.h"

#include "prism-check.h"
#include "prism-error.h"

static gboolean
check_metric (PrismGolden *self,
              const char *key,
              double value,
              GError **error)
{
  g_autoptr (PrismNpy) expected = NULL;

  if (!prism_golden_has (self, key))
    return TRUE;
  expected = prism_golden_get (self, key, 1, error);
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
  g_autoptr (PrismNpy) a = NULL;
  g_autoptr (PrismNpy) b = NULL;
  prism_autofree_array float *image = NULL;
  prism_autofree_array float *object = NULL;
  PrismMetrics metrics;
  double ms_ssim;

  if (!prism_golden_has (self, "metric.a") || !prism_golden_has (self, "metric.b"))
    return TRUE;
  a = prism_npz_get (self->npz, "metric.a", error);
  if (a == NULL)
    return FALSE;
  if (a->n_dims != 2 || a->values == NULL || a->n_values > G_MAXINT)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "%s is no file of golden arrays: “metric.a” is no image.", self->name);
      return FALSE;
    }
  b = prism_golden_get (self, "metric.b", a->n_values, error);
  if (b == NULL)
    return FALSE;
  image = prism_npy_dup_floats (a);
  object = prism_npy_dup_floats (b);
  if (!prism_metrics_compute (&metrics, image, object, (int) a->shape[0], (int) a->shape[1], error)
      || !prism_metrics_compute_ms_ssim (&ms_ssim, image, object, (int) a->shape[0],
                                         (int) a->shape[1], error))
    return FALSE;
  return check_metric (self, "metric.psnr", metrics.psnr, error)
         && check_metric (self, "metric.ssim", metrics.ssim, error)
         && check_metric (self, "metric.ms_ssim", ms_ssim, error)
         && check_metric (self, "metric.rmse_percent", metrics.rmse, error);
}
