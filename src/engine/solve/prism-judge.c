#include "config.h"

#include "solve/prism-judge.h"

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

/* So many frames, evenly chosen, say as much as all: 64 of 256² px tell a misfit from the noise to
 * two thousandths. */
#define MOST_FRAMES 64

typedef struct
{
  PrismMeasurements *measurements;
  PrismScene *scene;
  PrismBackend *backend;
  const float *image;    /* [m][m] */
  PrismImage *predicted; /* [n][n] of the frame under way */
  gboolean shown;        /* the device has the image where the object was */
} Judge;

/* A frame that the cache has let go is taken again, of the object. */
static PrismImage *
get_recorded (Judge *self,
              guint i,
              GError **error)
{
  if (self->shown && !prism_measurements_is_bound (self->measurements, i))
    {
      if (!prism_scene_show (self->scene, self->backend, error))
        return NULL;
      self->shown = FALSE;
    }
  return prism_measurements_dup_image (self->measurements, i, error);
}

static gboolean
predict (Judge *self,
         guint i,
         GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  const PrismMask *mask = prism_measurements_get_mask (self->measurements, i);
  g_autoptr (PrismBuffer) buffer = NULL;

  if (!self->shown)
    {
      self->shown = TRUE;
      if (!ops->set_object (self->backend, self->image, error))
        return FALSE;
    }
  buffer = ops->measure (self->backend, mask, error);
  if (buffer == NULL)
    return FALSE;
  ops->read_buffer (self->backend, buffer, mask, self->predicted->pixels);
  return ops->finish (self->backend, error);
}

static gboolean
add_frame (Judge *self,
           guint i,
           PrismVerdict *verdict,
           GError **error)
{
  g_autoptr (PrismImage) recorded = get_recorded (self, i, error);
  gsize n = self->backend->spec.image_size;

  if (recorded == NULL || !predict (self, i, error))
    return FALSE;
  prism_verdict_add_frame (verdict, prism_measurements_get_noise (self->measurements),
                           self->predicted->pixels, recorded->pixels, n * n);
  return TRUE;
}

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
  int n = backend->spec.image_size;
  guint n_samples = prism_measurements_get_n (measurements);
  guint n_frames = MIN (n_samples, MOST_FRAMES);
  g_autoptr (PrismImage) predicted = prism_image_new (n, n, error);
  Judge self = { measurements, scene, backend, image, predicted, FALSE };
  gboolean ok = predicted != NULL;

  *verdict = (PrismVerdict) { 0 };
  for (guint k = 0; ok && k < n_frames; k++)
    ok = add_frame (&self, (guint) ((guint64) k * n_samples / n_frames), verdict, error);
  if (self.shown && !prism_scene_show (scene, backend, ok ? error : NULL))
    ok = FALSE;
  if (ok)
    prism_verdict_decide (verdict);
  else
    *verdict = (PrismVerdict) { 0 };
  return ok;
}
