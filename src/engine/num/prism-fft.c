#include "config.h"

#include "num/prism-fft.h"

#include "num/prism-fft-private.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct _PrismFftSquare
{
  int size;
  int block;             /* columns at once */
  fftwf_plan rows[2];    /* of one row: back, forward */
  fftwf_plan columns[2]; /* of a block of columns */
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

/* From this size on, columns whose numbers lie a power of two apart push each other out of the
 * cache: FFTW's guess takes ten times as long as for columns that are copied side by side. */
#define LEAST_COPIED 256

/* Smaller ones FFTW copies itself where the size is no power of two: few find room on the stack,
 * while all of them would make threads wait for each other's memory. */
static int
choose_block (int size)
{
  if (size < LEAST_COPIED && (size & (size - 1)) == 0)
    return size;
  return size % 8 == 0 ? 8 : 4;
}

static gboolean
copies (const PrismFftSquare *self)
{
  return self->size >= LEAST_COPIED;
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
  int stride;

  self->size = size;
  self->block = choose_block (size);
  stride = copies (self) ? self->block : size;
  prism_fft_lock_planner ();
  for (int i = 0; i < 2; i++)
    {
      const int sign = i == 1 ? FFTW_FORWARD : FFTW_BACKWARD;

      self->rows[i] = fftwf_plan_dft_1d (size, values, values, sign, FFTW_ESTIMATE);
      self->columns[i]
          = fftwf_plan_many_dft (1, &size, self->block, values, NULL, stride, 1, values, NULL,
                                 stride, 1, sign, FFTW_ESTIMATE);
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
    {
      fftwf_destroy_plan (self->rows[i]);
      fftwf_destroy_plan (self->columns[i]);
    }
  prism_fft_unlock_planner ();
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

static void
run_copied_columns (const PrismFftSquare *self,
                    fftwf_plan plan,
                    fftwf_complex *values)
{
  const gsize n_bytes = self->block * sizeof *values;
  fftwf_complex *block = fftwf_alloc_complex ((gsize) self->size * self->block);

  for (int x = 0; x < self->size; x += self->block)
    {
      for (gsize y = 0; y < (gsize) self->size; y++)
        memcpy (block + y * self->block, values + y * self->size + x, n_bytes);
      fftwf_execute_dft (plan, block, block);
      for (gsize y = 0; y < (gsize) self->size; y++)
        memcpy (values + y * self->size + x, block + y * self->block, n_bytes);
    }
  fftwf_free (block);
}

static void
run_columns (const PrismFftSquare *self,
             fftwf_plan plan,
             float *numbers)
{
  fftwf_complex *values = (fftwf_complex *) numbers;

  if (copies (self))
    run_copied_columns (self, plan, values);
  else
    for (int x = 0; x < self->size; x += self->block)
      fftwf_execute_dft (plan, values + x, values + x);
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
  run_columns (self, self->columns[0], values);
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
  run_columns (self, self->columns[1], values);
  run_rows (self, self->rows[1], values, n_rows);
}
