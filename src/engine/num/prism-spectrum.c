#include "config.h"

#include "num/prism-spectrum.h"

#include "base/prism-arena.h"
#include "num/prism-fft.h"

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
