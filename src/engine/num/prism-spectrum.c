#include "config.h"

#include "num/prism-spectrum.h"

#include "base/prism-arena.h"
#include "num/prism-fft.h"
#include "num/prism-tuning.h"

#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = the object's side. */

/* Fills |E| [n][n], zero frequency at [n/2][n/2], from the half spectrum [n][n/2+1] of the
 * transform, whose zero frequency is at [0][0]; the other half is its mirror image. */
static void
unfold (const float *half,
        int n,
        float *magnitude)
{
  int width = n / 2 + 1;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      {
        int ky = (y + n / 2) % n, kx = (x + n / 2) % n;
        const float *value;

        if (kx >= width)
          {
            kx = n - kx;
            ky = (n - ky) % n;
          }
        value = half + 2 * ((gsize) ky * width + kx);
        magnitude[(gsize) y * n + x] = hypotf (value[0], value[1]) / n;
      }
}

/**
 * prism_spectrum_transform:
 * @image: a real image
 * @image_size: n
 *
 * The transform of an image that stands in the corner of the field, where magnitudes and the
 * phases between two images are those of any other place.
 *
 * Shape: @image at most [n][n]; the result [n][n/2+1][2], real and imaginary part, zero frequency
 * at [0][0]. Not normalised.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the half spectrum, for prism_arena_free_array()
 */
float *
prism_spectrum_transform (const PrismImage *image,
                          int image_size,
                          GError **error)
{
  gsize n = image_size;
  g_autoptr (PrismImage) field = prism_image_new (image_size, image_size, error);
  float *half;

  if (field == NULL)
    return NULL;
  half = prism_arena_new_array (n * (n / 2 + 1) * 2 * sizeof (float), "the spectrum", error);
  if (half == NULL)
    return NULL;

  for (int y = 0; y < image->height; y++)
    memcpy (field->pixels + y * n, image->pixels + (gsize) y * image->width,
            image->width * sizeof (float));
  prism_fft_transform (field->pixels, half, image_size, TRUE);
  return half;
}

/**
 * prism_spectrum_new_image:
 * @object: amplitude
 * @image_size: n
 *
 * The magnitude of the unitary spectrum of the object centred in the field.
 *
 * Shape: @object [m][m]; the result [n][n] with zero frequency at [n/2][n/2].
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 * Source: numerics.md § 1.
 *
 * Returns: (transfer full) (nullable): |F{a}|
 */
PrismImage *
prism_spectrum_new_image (const PrismImage *object,
                          int image_size,
                          GError **error)
{
  float *half = prism_spectrum_transform (object, image_size, error);
  PrismImage *image;

  if (half == NULL)
    return NULL;
  image = prism_image_new (image_size, image_size, error);
  if (image != NULL)
    unfold (half, image_size, image->pixels);
  prism_arena_free_array (half);
  return image;
}

/* Dimensions of this file: n = image_size, m = object_size, w = n/2 + 1. */

typedef struct
{
  const PrismBand *band;
  float *field; /* [n][n] */
  float *half;  /* [n][w][2], zero frequency at [0][0] */
} BandWork;

static double
get_distance (int n,
              int row,
              int column)
{
  return hypot (row < n / 2 ? row : row - n, column);
}

static double
compute_edge_rms (const BandWork *work)
{
  int n = work->band->image_size, w = n / 2 + 1;
  double sum = 0.0;
  gsize count = 0;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < w; x++)
      {
        double k = get_distance (n, y, x);
        const float *value = work->half + 2 * ((gsize) y * w + x);

        if (k > work->band->reach || k <= work->band->reach - work->band->ring)
          continue;
        sum += (double) value[0] * value[0] + (double) value[1] * value[1];
        count++;
      }
  return count > 0 ? sqrt (sum / count) : 0.0;
}

/* A transposed convolution likes to leave a checkerboard, which is a spike in the corner of
 * k-space. */
static void
limit_spikes (BandWork *work,
              float limit)
{
  const float keep = 1.0f - (float) work->band->damping;
  int n = work->band->image_size, w = n / 2 + 1;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < w; x++)
      {
        float *value = work->half + 2 * ((gsize) y * w + x);
        float magnitude = hypotf (value[0], value[1]);
        float factor = keep * (magnitude > limit ? limit / magnitude : 1.0f);

        if (factor == 1.0f || get_distance (n, y, x) <= work->band->reach)
          continue;
        value[0] *= factor;
        value[1] *= factor;
      }
}

static void
load_field (BandWork *work,
            const float *image)
{
  gsize n = work->band->image_size, m = work->band->object_size;

  for (gsize y = 0; y < m; y++)
    memcpy (work->field + y * n, image + y * m, m * sizeof (float));
}

static void
read_field (const BandWork *work,
            float *image)
{
  gsize n = work->band->image_size, m = work->band->object_size;
  float scale = 1.0f / ((float) n * n);

  for (gsize y = 0; y < m; y++)
    for (gsize x = 0; x < m; x++)
      image[y * m + x] = CLAMP (work->field[y * n + x] * scale, 0.0f, 1.0f);
}

/**
 * prism_band_apply:
 * @self: the band that was measured
 * @image: (inout) (array): an estimate of the object
 *
 * Takes away what the decoder made up beyond the measured band and no object would show: spectral
 * spikes brighter than the band's own edge, and a part of the rest. What was measured, and the gaps
 * between the apertures, stay as they are. A band that reaches the corners of k-space leaves
 * nothing to do.
 *
 * Shape: @image [m][m], clamped to [0, 1] afterwards.
 * Errors: PRISM_ERROR_MEMORY; the image is as before then.
 *
 * Returns: whether it could be done
 */
gboolean
prism_band_apply (const PrismBand *self,
                  float *image,
                  GError **error)
{
  gsize n = self->image_size;
  g_autoptr (PrismArena) arena = prism_arena_new ();
  double spike = prism_tuning_get (PRISM_TUNING_BAND_SPIKE);
  BandWork work = { .band = self };

  if (self->reach >= n * G_SQRT2 / 2.0)
    return TRUE;
  prism_arena_add_array (arena, (gpointer *) &work.field, n * n * sizeof (float));
  prism_arena_add_array (arena, (gpointer *) &work.half, n * (n / 2 + 1) * 2 * sizeof (float));
  if (!prism_arena_allocate (arena, "the band limit", error))
    return FALSE;

  load_field (&work, image);
  prism_fft_transform (work.field, work.half, n, TRUE);
  limit_spikes (&work, (float) (spike * compute_edge_rms (&work)));
  prism_fft_transform (work.field, work.half, n, FALSE);
  read_field (&work, image);
  return TRUE;
}
