/* prism-golden: checks a device against a file of golden arrays. The keys are those of the
 * reference implementation in PyTorch:
 *
 *   config.image, config.object, config.radius, config.edge, config.old_center, config.new_center
 *   object [m][m], spectrum [n][n][2], pupil.old, pupil.new [n][n], fermat [N][2]
 *   init/NAME, final/NAME, grad.LOSS/NAME: parameters before and after ten Adam steps, gradients
 *   out, final.out [m][m], held, amplitude.new, intensity.new, amplitude.old.of_object [n][n]
 *   loss.LOSS [2] = old, new; adam.losses [10][2]; epie/1, epie/10 [n][n] at twice the radius
 *   metric.a, metric.b, metric.psnr, metric.ssim, metric.ms_ssim, metric.rmse_percent
 *
 * All of them must be there, with at least one loss, and no others: a check that falls away without
 * a word would pass for one that was good. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

gboolean prism_golden_check (const char   *path,
                             int           choice,
                             int           n_threads,
                             JsonBuilder  *builder,
                             guint         counts[2],
                             GError      **error);

G_END_DECLS
