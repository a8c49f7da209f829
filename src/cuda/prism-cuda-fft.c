#include "config.h"

#include "prism-cuda-fft.h"

#include <glib.h>
#include <math.h>

/**
 * prism_cuda_fft_fill_table:
 * @table: (array length=n) (out caller-allocates): roots of unity e^{-2πik/n}
 * @n: number of roots, a power of two, at least 8
 *
 * Fills the table of twiddle factors on the host. Roots are those of the first eighth of the circle
 * mirrored, so that each is the true value rounded once and symmetries are exact.
 *
 * Shape: @table [n].
 * Thread: any.
 */
void
prism_cuda_fft_fill_table (PrismCudaComplex *table,
                           int n)
{
  for (int k = 0; k <= n / 8; k++)
    {
      const double angle = 2.0 * G_PI * k / n;
      const float c = (float) cos (angle), s = (float) sin (angle);

      table[k] = (PrismCudaComplex) { c, -s };
      table[n / 4 - k] = (PrismCudaComplex) { s, -c };
    }
  for (int k = 0; k < n / 4; k++)
    {
      const PrismCudaComplex root = table[k];

      table[k + n / 4] = (PrismCudaComplex) { root.y, -root.x };
      table[k + n / 2] = (PrismCudaComplex) { -root.x, -root.y };
      table[k + 3 * n / 4] = (PrismCudaComplex) { -root.y, root.x };
    }
}
