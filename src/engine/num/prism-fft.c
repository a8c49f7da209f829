#include "config.h"

#include "num/prism-fft.h"

#include "num/prism-fft-private.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct _PrismFftSquare
{
  int size;
  int block;           /* rows or columns at once */
  fftwf_plan plans[2]; /* of so many: back, forward */
};

/**
 * prism_fft_lock_planner:
 *
 * FFTW's planner has a global state: one plan is made or destroyed at a time.
 */
void
prism_fft_lock_planner (void)
{
  pthread_mutex_lock (&planner);
}

/**
 * prism_fft_unlock_planner:
 *
 * Lets the next one make plans.
 */
void
prism_fft_unlock_planner (void)
{
  pthread_mutex_unlock (&planner);
}

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

  prism_fft_lock_planner ();
  plan = forward ? fftwf_plan_dft_r2c_2d (size, size, field, values, FFTW_ESTIMATE)
                 : fftwf_plan_dft_c2r_2d (size, size, values, field, FFTW_ESTIMATE);
  prism_fft_unlock_planner ();
  fftwf_execute (plan);
  prism_fft_lock_planner ();
  fftwf_destroy_plan (plan);
  prism_fft_unlock_planner ();
}

/* A row alone takes up to three times as long, and so do columns whose numbers lie apart: they are
 * copied. More at once find no room in the cache, and of 128 points FFTW's guess for eight rows is
 * worse than that for four. */
static int
choose_block (int size)
{
  return size % 8 == 0 && size != 128 ? 8 : 4;
}

/**
 * prism_fft_square_new:
 * @size: q, a power of two or a multiple of 4
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
  self->block = choose_block (size);
  prism_fft_lock_planner ();
  for (int i = 0; i < 2; i++)
    {
      const int sign = i == 1 ? FFTW_FORWARD : FFTW_BACKWARD;

      self->plans[i] = fftwf_plan_many_dft (1, &size, self->block, values, NULL, 1, size, values,
                                            NULL, 1, size, sign, FFTW_ESTIMATE);
    }
  prism_fft_unlock_planner ();
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
  prism_fft_lock_planner ();
  for (int i = 0; i < 2; i++)
    fftwf_destroy_plan (self->plans[i]);
  prism_fft_unlock_planner ();
  g_free (self);
}

/* Those of whole blocks. */
static void
run_rows (const PrismFftSquare *self,
          fftwf_plan plan,
          float *values,
          int n_rows)
{
  for (int y = 0; y < n_rows; y += self->block)
    {
      fftwf_complex *rows = (fftwf_complex *) values + (gsize) y * self->size;

      fftwf_execute_dft (plan, rows, rows);
    }
}

/* A block of columns to rows of their own. */
static void
turn (const fftwf_complex *from,
      gsize from_stride,
      gsize n_rows,
      gsize n_columns,
      fftwf_complex *to,
      gsize to_stride)
{
  for (gsize y = 0; y < n_rows; y++)
    for (gsize x = 0; x < n_columns; x++)
      memcpy (to + x * to_stride + y, from + y * from_stride + x, sizeof *to);
}

static void
run_columns (const PrismFftSquare *self,
             fftwf_plan plan,
             float *numbers)
{
  const gsize q = self->size, n = self->block;
  fftwf_complex *values = (fftwf_complex *) numbers, *block = fftwf_alloc_complex (q * n);

  for (gsize x = 0; x < q; x += n)
    {
      turn (values + x, q, q, n, block, q);
      fftwf_execute_dft (plan, block, block);
      turn (block, q, n, q, values + x, q);
    }
  fftwf_free (block);
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
  run_rows (self, self->plans[0], values, n_rows);
  run_columns (self, self->plans[0], values);
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
  run_columns (self, self->plans[1], values);
  run_rows (self, self->plans[1], values, n_rows);
}

/**
 * prism_fft_square_visit:
 * @self: transforms
 * @columns: (array) (inout): the first columns of a square of complex numbers; the others are 0
 * @n_columns: W, at most q
 * @func: (scope call): called for some rows after the other, which come in order
 * @data: for @func
 *
 * Transforms with the positive exponent, has the square changed, and transforms what it has become
 * with the negative one, of which the first columns are wanted. The square is never there as a
 * whole. Nothing is normalised.
 *
 * Shape: @columns [W][q][2], column by column, with room for W up to a multiple of 8, or q.
 */
void
prism_fft_square_visit (const PrismFftSquare *self,
                        float *columns,
                        int n_columns,
                        PrismFftFunc func,
                        gpointer data)
{
  const gsize q = self->size, n = self->block;
  const gsize n_rest = (n - n_columns % n) % n;
  fftwf_complex *values = (fftwf_complex *) columns, *block = fftwf_alloc_complex (q * n);

  memset (values + q * n_columns, 0, q * n_rest * sizeof *values);
  run_rows (self, self->plans[0], columns, n_columns);
  for (gsize y = 0; y < q; y += n)
    {
      turn (values + y, q, n_columns, n, block, q);
      for (gsize k = 0; k < n; k++)
        memset (block + k * q + n_columns, 0, (q - n_columns) * sizeof *block);
      fftwf_execute_dft (self->plans[0], block, block);
      func (data, y * q, n * q, (float *) block);
      fftwf_execute_dft (self->plans[1], block, block);
      turn (block, q, n, n_columns, values + y, q);
    }
  run_rows (self, self->plans[1], columns, n_columns);
  fftwf_free (block);
}
