#include "config.h"

#include "solve/prism-judge.h"

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

/* So many frames, evenly chosen, say as much as all: 64 of 256² px tell a misfit from the noise to
 * two thousandths. */
#define MOST_FRAMES 64

/**
 * prism_judge_image:
 * @measurements: of the run
 * @scene: what they are of
 * @backend: the device that has them
 * @image: (array): an image
 * @verdict: (out caller-allocates): what the measurements say of it
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
prism_judge_image (PrismMeasurements *measurements,
                   PrismScene *scene,
                   PrismBackend *backend,
                   const float *image,
                   PrismVerdict *verdict,
                   GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const int n = backend->spec.image_size;
  const guint n_samples = prism_measurements_get_n (measurements);
  const guint n_frames = MIN (n_samples, MOST_FRAMES);
  g_autoptr (PrismImage) predicted = prism_image_new (n, n, error);
  gboolean is_shown = FALSE; /* the device has the image where the object was */
  gboolean ok = predicted != NULL;

  *verdict = (PrismVerdict) { 0 };
  for (guint k = 0; ok && k < n_frames; k++)
    {
      const guint i = (guint) ((guint64) k * n_samples / n_frames);
      const PrismMask *mask = prism_measurements_get_mask (measurements, i);
      g_autoptr (PrismImage) recorded = NULL;
      g_autoptr (PrismBuffer) buffer = NULL;

      /* A frame that the cache has let go is taken again, of the object. */
      if (is_shown && !prism_measurements_is_bound (measurements, i))
        {
          ok = prism_scene_show (scene, backend, error);
          is_shown = !ok;
        }
      if (ok)
        recorded = prism_measurements_dup_image (measurements, i, error);
      ok = recorded != NULL;
      if (ok && !is_shown)
        {
          is_shown = TRUE;
          ok = ops->set_object (backend, image, error);
        }
      if (ok)
        buffer = ops->measure (backend, mask, error);
      if (buffer != NULL)
        ops->read_buffer (backend, buffer, mask, predicted->pixels);
      ok = buffer != NULL && ops->finish (backend, error);
      if (ok)
        prism_verdict_add_frame (verdict, prism_measurements_get_noise (measurements),
                                 predicted->pixels, recorded->pixels, (gsize) n * n);
    }
  if (is_shown && !prism_scene_show (scene, backend, ok ? error : NULL))
    ok = FALSE;
  if (ok)
    prism_verdict_decide (verdict);
  else
    *verdict = (PrismVerdict) { 0 };
  return ok;
}
