#include "config.h"

#include "solve/prism-goodness.h"

#include "base/prism-pool.h"

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

/* Frames that are compared at once. */
typedef struct
{
  PrismMeasurements *measurements;
  guint n;
  guint numbers[FRAMES_AT_ONCE];
  PrismImage *recorded[FRAMES_AT_ONCE];
  PrismImage *predicted[FRAMES_AT_ONCE];
  PrismVerdict verdicts[FRAMES_AT_ONCE];
} Batch;

static void
batch_clear (Batch *self)
{
  for (guint k = 0; k < self->n; k++)
    {
      prism_image_unref (self->recorded[k]);
      prism_image_unref (self->predicted[k]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

static void
compare (gpointer data,
         guint turn)
{
  Batch *self = data;
  const PrismImage *recorded = self->recorded[turn];
  PrismVerdict verdict = { 0 }; /* sums beside those of another thread take three times as long */

  prism_verdict_add_frame (&verdict, &self->measurements->noise, self->predicted[turn]->pixels,
                           recorded->pixels, recorded->width * recorded->width);
  self->verdicts[turn] = verdict;
}

static gboolean
compare_all (Batch *self,
             const float *image,
             GError **error)
{
  PrismMeasurements *measurements = self->measurements;
  PrismBackend *backend = measurements->backend;
  const int n = backend->spec.image_size;

  /* A frame that the cache has let go is taken again, of the object. */
  if (!prism_scene_show (measurements->scene, backend, error))
    return FALSE;
  for (guint k = 0; k < self->n; k++)
    {
      self->recorded[k] = prism_measurements_dup_image (measurements, self->numbers[k], error);
      if (self->recorded[k] != NULL)
        self->predicted[k] = prism_image_new (n, n, error);
      if (self->predicted[k] == NULL)
        return FALSE;
    }
  if (!backend->ops->set_object (backend, image, error))
    return FALSE;
  for (guint k = 0; k < self->n; k++)
    {
      const PrismMask *mask = prism_measurements_get_mask (measurements, self->numbers[k]);
      g_autoptr (PrismBuffer) buffer = backend->ops->measure (backend, mask, error);

      if (buffer != NULL)
        backend->ops->read_buffer (backend, buffer, mask, self->predicted[k]->pixels);
      if (buffer == NULL || !backend->ops->finish (backend, error))
        return FALSE;
    }
  prism_parallel_run (self->n, (gsize) self->n * n * n, compare, self);
  return TRUE;
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
  const guint n_at_once = CLAMP (PIXELS_AT_ONCE / (n * n), 2, FRAMES_AT_ONCE);
  gboolean ok = TRUE;

  *verdict = (PrismVerdict) { 0 };
  for (guint first = 0; ok && first < n_frames; first += n_at_once)
    {
      g_auto (Batch) batch
          = { .measurements = measurements, .n = MIN (n_at_once, n_frames - first) };

      for (guint k = 0; k < batch.n; k++)
        batch.numbers[k] = (guint64) (first + k) * n_samples / n_frames;
      ok = compare_all (&batch, image, error);
      for (guint k = 0; ok && k < batch.n; k++)
        {
          PrismVerdict *one = &batch.verdicts[k];

          prism_verdict_add (verdict, one);
          prism_verdict_decide (one);
          if (left != NULL)
            left[first + k]
                = one->kind == PRISM_VERDICT_UNEXPLAINED ? one->misfit / one->expected : 0.0;
        }
    }
  ok = prism_scene_show (measurements->scene, backend, ok ? error : NULL) && ok;
  if (ok)
    prism_verdict_decide (verdict);
  else
    *verdict = (PrismVerdict) { 0 };
  return ok;
}
