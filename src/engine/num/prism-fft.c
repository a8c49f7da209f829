#include "config.h"

#include "num/prism-fft.h"

#include <fftw3.h>
#include <pthread.h>

/* FFTW's planner has a global state: one plan is made or destroyed at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct _PrismFftSquare
{
  int size;
  fftwf_plan rows[2];    /* of one row: back, forward */
  fftwf_plan columns[2]; /* of all columns */
};

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

/**
 * prism_fft_square_new:
 * @size: q
 *
 * Prepares transforms of arrays that prism_arena_new_array() has made. The plan is FFTW's guess,
 * since measured ones would round differently from run to run.
 *
 * Returns: (transfer full): the transforms
 */
PrismFftSquare *
prism_fft_square_new (int size)
{
  PrismFftSquare *self = g_new0 (PrismFftSquare, 1);
  fftwf_complex *values = fftwf_alloc_complex ((gsize) size * size);

  self->size = size;
  pthread_mutex_lock (&planner);
  for (int i = 0; i < 2; i++)
    {
      const int sign = i == 1 ? FFTW_FORWARD : FFTW_BACKWARD;

      self->rows[i] = fftwf_plan_dft_1d (size, values, values, sign, FFTW_ESTIMATE);
      self->columns[i] = fftwf_plan_many_dft (1, &size, size, values, NULL, size, 1, values, NULL,
                                              size, 1, sign, FFTW_ESTIMATE);
    }
  pthread_mutex_unlock (&planner);
  fftwf_free (values);
  return self;
}

/**
 * prism_fft_square_free:
 * @self: (nullable): transforms
 */
void
prism_fft_square_free (PrismFftSquare *self)
{
  if (self == NULL)
    return;
  pthread_mutex_lock (&planner);
  for (int i = 0; i < 2; i++)
    {
      fftwf_destroy_plan (self->rows[i]);
      fftwf_destroy_plan (self->columns[i]);
    }
  pthread_mutex_unlock (&planner);
  g_free (self);
}

static void
run_rows (const PrismFftSquare *self,
          fftwf_plan plan,
          float *values,
          int n_rows)
{
  for (int y = 0; y < n_rows; y++)
    {
      fftwf_complex *row = (fftwf_complex *) values + (gsize) y * self->size;

      fftwf_execute_dft (plan, row, row);
    }
}

/**
 * prism_fft_square_expand:
 * @self: transforms
 * @values: (array) (inout): complex numbers
 * @n_rows: the first ones; the others are 0
 *
 * Transforms in place, with the positive exponent, without normalising.
 *
 * Shape: @values [q][q][2].
 */
void
prism_fft_square_expand (const PrismFftSquare *self,
                         float *values,
                         int n_rows)
{
  run_rows (self, self->rows[0], values, n_rows);
  fftwf_execute_dft (self->columns[0], (fftwf_complex *) values, (fftwf_complex *) values);
}

/**
 * prism_fft_square_reduce:
 * @self: transforms
 * @values: (array) (inout): complex numbers
 * @n_rows: of the result that are wanted, the first ones; the others are left half way
 *
 * Transforms in place, with the negative exponent, without normalising.
 *
 * Shape: @values [q][q][2].
 */
void
prism_fft_square_reduce (const PrismFftSquare *self,
                         float *values,
                         int n_rows)
{
  fftwf_execute_dft (self->columns[1], (fftwf_complex *) values, (fftwf_complex *) values);
  run_rows (self, self->rows[1], values, n_rows);
}
