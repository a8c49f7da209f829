#include "config.h"

#include "model/prism-exposure.h"

#include "base/prism-arena.h"
#include "num/prism-fft.h"
#include "num/prism-spectrum.h"

#include <math.h>

/* Takes away what the aperture stops. Shape: @half [n][n/2+1][2], zero frequency at [0][0]. */
static void
stop (float *half,
      const PrismMask *mask)
{
  const int n = mask->image_size, width = n / 2 + 1;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < width; x++)
      {
        const int row = (y < n / 2 ? y : y - n) - mask->y0, column = x - mask->x0;
        float *value = half + 2 * ((gsize) y * width + x);

        if (row < 0 || row >= mask->height || column < 0 || column >= mask->width
            || mask->bits[row * mask->width + column] == 0)
          value[0] = value[1] = 0.0f;
      }
}

/**
 * prism_exposure_new_image:
 * @object: amplitude
 * @mask: an aperture around the zero frequency, which is its own mirror image
 *
 * The amplitude behind the aperture, |F⁻¹{P F{a}}|, where the object is, on the object's scale: the
 * blurred picture that one exposure is. Without noise.
 *
 * Shape: @object [m][m], at most the field's [n][n]; the result [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 * Source: numerics.md § 1.
 *
 * Returns: (transfer full) (nullable): the exposure
 */
PrismImage *
prism_exposure_new_image (const PrismImage *object,
                          const PrismMask *mask,
                          GError **error)
{
  const int n = mask->image_size, m = object->width;
  g_autoptr (PrismImage) field = prism_image_new (n, n, error);
  g_autoptr (PrismImage) exposure = prism_image_new (m, object->height, error);
  float *half = field != NULL && exposure != NULL ? prism_spectrum_transform (object, n, error)
                                                  : NULL;

  if (half == NULL)
    return NULL;
  stop (half, mask);
  prism_fft_transform (field->pixels, half, n, FALSE);
  prism_arena_free_array (half);
  for (int y = 0; y < object->height; y++)
    for (int x = 0; x < m; x++)
      exposure->pixels[y * m + x] = fabsf (field->pixels[(gsize) y * n + x]) / ((float) n * n);
  return g_steal_pointer (&exposure);
}
