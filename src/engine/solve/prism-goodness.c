#include "config.h"

#include "solve/prism-goodness.h"

#include "base/prism-pool.h"
#include "num/prism-tuning.h"

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
/* Of these so many are compared at once, as many as have so many pixels but at least two. */
#define FRAMES_AT_ONCE 16
#define PIXELS_AT_ONCE (1u << 18) /* two planes of them each are held beside all else */

typedef struct
{
  const PrismNoise *noise;
  gsize n_pixels;
  PrismImage *recorded[FRAMES_AT_ONCE];
  PrismImage *predicted[FRAMES_AT_ONCE];
  PrismVerdict verdicts[FRAMES_AT_ONCE];
} Batch;

static guint
get_frame (guint k,
           guint n_frames,
           guint n_samples)
{
  return (guint) ((guint64) k * n_samples / n_frames);
}

static void
compare (gpointer data,
         guint turn)
{
  Batch *self = data;
  PrismVerdict verdict = { 0 }; /* sums beside those of another thread take three times as long */

  prism_verdict_add_frame (&verdict, self->noise, self->predicted[turn]->pixels,
                           self->recorded[turn]->pixels, self->n_pixels);
  self->verdicts[turn] = verdict;
}

static gboolean
predict (PrismBackend *backend,
         const PrismMask *mask,
         float *pixels,
         GError **error)
{
  g_autoptr (PrismBuffer) buffer = backend->ops->measure (backend, mask, error);

  if (buffer != NULL)
    backend->ops->read_buffer (backend, buffer, mask, pixels);
  return buffer != NULL && backend->ops->finish (backend, error);
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
  const gsize n_pixels = n * n;
  const guint n_samples = measurements->n_measurements;
  const guint n_frames = left != NULL ? n_samples : MIN (n_samples, MOST_FRAMES);
  const guint n_at_once = (guint) CLAMP (PIXELS_AT_ONCE / n_pixels, 2, FRAMES_AT_ONCE);
  Batch batch = { .noise = &measurements->noise, .n_pixels = n_pixels };
  gboolean ok = TRUE;

  *verdict = (PrismVerdict) { 0 };
  for (guint first = 0; ok && first < n_frames; first += n_at_once)
    {
      const guint n_now = MIN (n_at_once, n_frames - first);

      /* A frame that the cache has let go is taken again, of the object. */
      ok = first == 0 || prism_scene_show (measurements->scene, backend, error);
      for (guint k = 0; ok && k < n_now; k++)
        {
          batch.recorded[k] = prism_measurements_dup_image (
              measurements, get_frame (first + k, n_frames, n_samples), error);
          if (batch.recorded[k] != NULL && batch.predicted[k] == NULL)
            batch.predicted[k] = prism_image_new (n, n, error);
          ok = batch.predicted[k] != NULL && batch.recorded[k] != NULL;
        }
      ok = ok && backend->ops->set_object (backend, image, error);
      for (guint k = 0; ok && k < n_now; k++)
        {
          const guint i = get_frame (first + k, n_frames, n_samples);

          ok = predict (backend, prism_measurements_get_mask (measurements, i),
                        batch.predicted[k]->pixels, error);
        }
      if (ok)
        prism_parallel_run (n_now, n_now * n_pixels, compare, &batch);
      for (guint k = 0; ok && k < n_now; k++)
        {
          prism_verdict_add (verdict, &batch.verdicts[k]);
          if (left == NULL)
            continue;
          prism_verdict_decide (&batch.verdicts[k]);
          left[first + k] = batch.verdicts[k].kind == PRISM_VERDICT_UNEXPLAINED
                                ? batch.verdicts[k].misfit / batch.verdicts[k].expected
                                : 0.0;
        }
      for (guint k = 0; k < n_now; k++)
        g_clear_pointer (&batch.recorded[k], prism_image_unref);
    }
  for (guint k = 0; k < n_at_once; k++)
    g_clear_pointer (&batch.predicted[k], prism_image_unref);
  if (!prism_scene_show (measurements->scene, backend, ok ? error : NULL))
    ok = FALSE;
  if (ok)
    prism_verdict_decide (verdict);
  else
    *verdict = (PrismVerdict) { 0 };
  return ok;
}
