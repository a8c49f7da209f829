#include "config.h"

#include "num/prism-fft-complex.h"

#include "num/prism-fft-private.h"

/**
 * prism_fft_complex_transform:
 * @values: (array) (inout): real and imaginary part follow each other
 * @size: n
 * @forward: whether the exponent is negative
 *
 * Transforms in place, without normalising.
 *
 * Shape: values [n][n][2].
 */
void
prism_fft_complex_transform (float *values,
                             int size,
                             gboolean forward)
{
  fftwf_complex *numbers = (fftwf_complex *) values;
  fftwf_plan plan;

  prism_fft_lock_planner ();
  plan = fftwf_plan_dft_2d (size, size, numbers, numbers,
                            forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  prism_fft_unlock_planner ();
  fftwf_execute (plan);
  prism_fft_lock_planner ();
  fftwf_destroy_plan (plan);
  prism_fft_unlock_planner ();
}
