#include "config.h"

#include "solve/prism-goodness.h"

/* Is an image right? Without its object only the frames can say. What the telescope would see of
 * the image is computed at some of the positions; with the predicted intensity of a pixel the
 * camera has a mean H and a variance of the amplitude T there, and
 *
 *   misfit = Σ (H - T)²/u   is compared with   expected = Σ var T/u ± √(Σ 2·(var T/u)²),
 *
 * u the noise of a frame: a test of goodness of fit. The expectation comes from the prediction, so
 * that it is right for few photons, too: a truth lies within two deviations of it for all kinds of
 * noise (/engine/verdict/truth). An image explains the frames up to five deviations or one percent.
 *
 * Source: numerics.md, “Verdict”. n = image_size, m = object_size, N = samples. */

/* So many frames, evenly chosen, say as much as all: 64 of 256² px tell a misfit from the noise to
 * two thousandths. */
#define MOST_FRAMES 64

/* What the telescope sees of what the device was shown. */
static gboolean
predict (PrismBackend *backend,
         const PrismMask *mask,
         float *predicted,
         GError **error)
{
  g_autoptr (PrismBuffer) buffer = backend->ops->measure (backend, mask, error);

  if (buffer == NULL)
    return FALSE;
  backend->ops->read_buffer (backend, buffer, mask, predicted);
  return backend->ops->finish (backend, error);
}

/**
 * prism_goodness_image:
 * @measurements: of the run
 * @image: (array): an image
 * @verdict: (out caller-allocates): what the measurements say of it
 * @left: (out) (array length=N) (nullable): what it leaves of each frame, relative to the noise; 0
 *   where that is noise. All frames are looked at then
 * @error: return location
 *
 * Computes what the telescope would see of the image at some of the positions, and compares it with
 * what was recorded there. The device then shows the scene again.
 *
 * Shape: @image [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST; the verdict is then
 * open.
 * Source: numerics.md, “Verdict”.
 *
 * Returns: whether it could be judged
 */
gboolean
prism_goodness_image (PrismMeasurements *measurements,
                      const float *image,
                      PrismVerdict *verdict,
                      double *left,
                      GError **error)
{
  PrismBackend *backend = measurements->backend;
  const int n = backend->spec.image_size;
  const guint n_samples = measurements->n_measurements;
  const guint n_frames = left != NULL ? n_samples : MIN (n_samples, MOST_FRAMES);
  g_autoptr (PrismPool) pool = prism_pool_new (prism_pool_count_threads (0), NULL);
  g_autoptr (PrismImage) predicted = prism_image_new (n, n, error);
  gboolean is_shown = FALSE, ok = predicted != NULL;

  *verdict = (PrismVerdict) { 0 };
  for (guint k = 0; ok && k < n_frames; k++)
    {
      const guint i = (guint64) k * n_samples / n_frames;
      g_autoptr (PrismImage) recorded = NULL;
      PrismVerdict one = { 0 };

      /* A frame that the cache has let go is taken again, of the object. */
      is_shown = is_shown && prism_measurements_is_bound (measurements, i);
      ok = is_shown || prism_scene_show (measurements->scene, backend, error);
      if (ok)
        recorded = prism_measurements_dup_image (measurements, i, error);
      ok = recorded != NULL && (is_shown || backend->ops->set_object (backend, image, error))
           && predict (backend, prism_measurements_get_mask (measurements, i), predicted->pixels,
                       error);
      is_shown = TRUE;
      if (!ok)
        break;
      prism_verdict_add_frame (&one, pool, &measurements->noise, predicted->pixels,
                               recorded->pixels, (gsize) n * n);
      prism_verdict_add (verdict, &one);
      prism_verdict_decide (&one);
      if (left != NULL)
        left[k] = one.kind == PRISM_VERDICT_UNEXPLAINED ? one.misfit / one.expected : 0.0;
    }
  ok = prism_scene_show (measurements->scene, backend, ok ? error : NULL) && ok;
  if (ok)
    prism_verdict_decide (verdict);
  else
    *verdict = (PrismVerdict) { 0 };
  return ok;
}
