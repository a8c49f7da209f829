/* prism-metrics: how close a reconstruction is to the object. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double psnr;                          /* dB, range 1 */
  double ssim;                          /* -1…1 */
  double rmse;                          /* percent of the object's root mean square */
} PrismMetrics;

gboolean prism_metrics_compute         (PrismMetrics  *metrics,
                                        const float   *image,
                                        const float   *object,
                                        int            height,
                                        int            width,
                                        GError       **error);
void     prism_metrics_compute_errors  (PrismMetrics  *metrics,
                                        const float   *image,
                                        const float   *object,
                                        int            height,
                                        int            width);
gboolean prism_metrics_compute_ssim    (double       *ssim,
                                        const float  *a,
                                        const float  *b,
                                        int           height,
                                        int           width,
                                        GError      **error);
gboolean prism_metrics_compute_ms_ssim (double       *ms_ssim,
                                        const float  *a,
                                        const float  *b,
                                        int           height,
                                        int           width,
                                        GError      **error);

G_END_DECLS
