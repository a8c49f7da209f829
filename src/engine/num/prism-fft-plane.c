#include "config.h"

#include "num/prism-fft-plane.h"

#include "num/prism-fft-private.h"

#include <string.h>

#define BLOCK PRISM_FFT_PLANE_BLOCK

struct _PrismFftPlane
{
  int size;                   /* n */
  fftwf_plan row[2];          /* of one: back, forward */
  fftwf_plan rows[2];         /* of BLOCK of them */
  fftwf_plan columns[2];      /* of BLOCK of them */
  fftwf_plan last_columns[2]; /* (nullable) of the last ones */
};

/* Rows of an even number of points begin at multiples of 16 bytes, which halves the time. */
static unsigned
get_alignment (int size)
{
  return size % 2 != 0 ? FFTW_UNALIGNED : 0;
}

static fftwf_plan
plan_rows (int size,
           int n_rows,
           fftwf_complex *values,
           int sign)
{
  return fftwf_plan_many_dft (1, &size, n_rows, values, NULL, 1, size, values, NULL, 1, size, sign,
                              FFTW_ESTIMATE | get_alignment (size));
}

/* Into a buffer that has them as rows: back in place FFTW takes twice as long. */
static fftwf_plan
plan_columns (int size,
              int n_columns,
              fftwf_complex *values,
              fftwf_complex *buffer,
              int sign)
{
  return fftwf_plan_many_dft (1, &size, n_columns, values, NULL, size, 1, buffer, NULL, 1, size,
                              sign, FFTW_ESTIMATE | get_alignment (size));
}

/**
 * prism_fft_plane_new:
 * @size: n, points along a side, at least PRISM_FFT_PLANE_BLOCK
 *
 * Prepares transforms. The plan is FFTW's guess, since measured ones would round differently from
 * run to run.
 *
 * Returns: (transfer full): the transforms
 */
PrismFftPlane *
prism_fft_plane_new (int size)
{
  PrismFftPlane *self = g_new0 (PrismFftPlane, 1);
  fftwf_complex *values = fftwf_alloc_complex ((gsize) size * size);
  fftwf_complex *buffer = fftwf_alloc_complex ((gsize) size * BLOCK);

  self->size = size;
  prism_fft_lock_planner ();
  for (int i = 0; i < 2; i++)
    {
      const int sign = i == 1 ? FFTW_FORWARD : FFTW_BACKWARD;

      self->row[i] = plan_rows (size, 1, values, sign);
      self->rows[i] = plan_rows (size, BLOCK, values, sign);
      self->columns[i] = plan_columns (size, BLOCK, values, buffer, sign);
      if (size % BLOCK != 0)
        self->last_columns[i] = plan_columns (size, size % BLOCK, values, buffer, sign);
    }
  prism_fft_unlock_planner ();
  fftwf_free (values);
  fftwf_free (buffer);
  return self;
}

/**
 * prism_fft_plane_free:
 * @self: (nullable): transforms
 */
void
prism_fft_plane_free (PrismFftPlane *self)
{
  if (self == NULL)
    return;
  prism_fft_lock_planner ();
  for (int i = 0; i < 2; i++)
    {
      fftwf_destroy_plan (self->row[i]);
      fftwf_destroy_plan (self->rows[i]);
      fftwf_destroy_plan (self->columns[i]);
      g_clear_pointer (&self->last_columns[i], fftwf_destroy_plan);
    }
  prism_fft_unlock_planner ();
  g_free (self);
}

/**
 * prism_fft_plane_rows:
 * @values: (array) (inout): complex numbers, at a multiple of 16 bytes
 * @first: the first row
 * @n_rows: PRISM_FFT_PLANE_BLOCK at most
 * @forward: with the negative exponent
 *
 * Transforms rows in place, without normalising.
 *
 * Shape: @values [n][n][2].
 */
void
prism_fft_plane_rows (const PrismFftPlane *self,
                      float *values,
                      int first,
                      int n_rows,
                      gboolean forward)
{
  fftwf_complex *at = (fftwf_complex *) values + (gsize) first * self->size;

  if (n_rows == BLOCK)
    fftwf_execute_dft (self->rows[forward], at, at);
  else
    for (int row = 0; row < n_rows; row++, at += self->size)
      fftwf_execute_dft (self->row[forward], at, at);
}

/**
 * prism_fft_plane_columns:
 * @values: (array) (inout): complex numbers, at a multiple of 16 bytes
 * @first: the first column, even where n is; one with less than PRISM_FFT_PLANE_BLOCK after it is a
 *   multiple of that
 * @forward: with the negative exponent
 * @buffer: (array): for this thread, at a multiple of 16 bytes
 *
 * Transforms that many columns in place, or those that are left, without normalising.
 *
 * Shape: @values [n][n][2], @buffer [PRISM_FFT_PLANE_BLOCK][n][2].
 */
void
prism_fft_plane_columns (const PrismFftPlane *self,
                         float *values,
                         int first,
                         gboolean forward,
                         float *buffer)
{
  const int n = self->size, n_columns = MIN (BLOCK, n - first);
  fftwf_complex *at = (fftwf_complex *) values + first;
  fftwf_complex *columns = (fftwf_complex *) buffer;

  g_return_if_fail (n % 2 != 0 || first % 2 == 0);
  fftwf_execute_dft (n_columns == BLOCK ? self->columns[forward] : self->last_columns[forward], at,
                     columns);
  for (int row = 0; row < n; row++, at += n)
    for (int column = 0; column < n_columns; column++)
      memcpy (at[column], columns[(gsize) column * n + row], sizeof *at);
}
