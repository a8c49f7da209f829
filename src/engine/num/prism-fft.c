#include "config.h"

#include "num/prism-fft.h"

#include <fftw3.h>
#include <pthread.h>

/* FFTW's planner has a global state: one plan is made or destroyed at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

/**
 * prism_fft_transform:
 * @field: (array) (inout): real field
 * @half: (array) (inout): its half spectrum, real and imaginary part, zero frequency at [0][0]
 * @size: n
 * @forward: whether @half is made of @field; else the other way round, which destroys @half
 *
 * Transforms without normalising.
 *
 * Shape: @field [n][n], @half [n][n/2+1][2].
 */
void
prism_fft_transform (float *field,
                     float *half,
                     int size,
                     gboolean forward)
{
  fftwf_complex *values = (fftwf_complex *) half;
  fftwf_plan plan;

  pthread_mutex_lock (&planner);
  plan = forward ? fftwf_plan_dft_r2c_2d (size, size, field, values, FFTW_ESTIMATE)
                 : fftwf_plan_dft_c2r_2d (size, size, values, field, FFTW_ESTIMATE);
  pthread_mutex_unlock (&planner);
  fftwf_execute (plan);
  pthread_mutex_lock (&planner);
  fftwf_destroy_plan (plan);
  pthread_mutex_unlock (&planner);
}
