#include "config.h"

#include "num/prism-fft.h"

#include <pthread.h>

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct _PrismFftSquare
{
  int size;
  int block;           /* rows or columns at once */
  fftwf_plan plans[2]; /* of so many: back, forward */
};

/* FFTW plans one transform at a time. n: of a size at once, whose numbers lie stride apart, and
 * which lie step apart. */
static fftwf_plan
plan_many (int size,
           int n,
           fftwf_complex *from,
           int from_stride,
           int from_step,
           fftwf_complex *to,
           int to_stride,
           int to_step,
           gboolean forward)
{
  /* Rows of an even number of points begin at multiples of 16 bytes, which halves the time. */
  const unsigned flags = FFTW_ESTIMATE | (size % 2 != 0 ? FFTW_UNALIGNED : 0);
  fftwf_plan plan;

  pthread_mutex_lock (&planner);
  plan = fftwf_plan_many_dft (1, &size, n, from, NULL, from_stride, from_step, to, NULL, to_stride,
                              to_step, forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  pthread_mutex_unlock (&planner);
  return plan;
}

/* plans: [n] (nullable) */
static void
destroy (fftwf_plan *plans,
         int n)
{
  pthread_mutex_lock (&planner);
  for (int i = 0; i < n; i++)
    g_clear_pointer (&plans[i], fftwf_destroy_plan);
  pthread_mutex_unlock (&planner);
}

/**
 * prism_fft_choose_side:
 * @at_least: points
 * @largest_prime: of its factors
 *
 * Returns: the next size that transforms well: a multiple of 4 without other factors
 */
int
prism_fft_choose_side (int at_least,
                       int largest_prime)
{
  for (int side = (at_least + 3) / 4 * 4;; side += 4)
    {
      int rest = side;

      for (int prime = 2; prime <= largest_prime; prime++)
        while (rest % prime == 0)
          rest /= prime;
      if (rest == 1)
        return side;
    }
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

  pthread_mutex_lock (&planner);
  plan = forward ? fftwf_plan_dft_r2c_2d (size, size, field, values, FFTW_ESTIMATE)
                 : fftwf_plan_dft_c2r_2d (size, size, values, field, FFTW_ESTIMATE);
  pthread_mutex_unlock (&planner);
  fftwf_execute (plan);
  destroy (&plan, 1);
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
  fftwf_complex *values = fftwf_alloc_complex ((gsize) size * PRISM_FFT_SQUARE_BLOCK);
  fftwf_complex *block = fftwf_alloc_complex ((gsize) size * PRISM_FFT_SQUARE_BLOCK);

  self->size = size;
  /* A row alone takes up to three times as long, and so do columns whose numbers lie apart: they
   * are copied. More at once find no room in the cache, and of 128 points FFTW's guess for eight
   * rows is worse than that for four. */
  self->block = size % PRISM_FFT_SQUARE_BLOCK == 0 && size != 128 ? PRISM_FFT_SQUARE_BLOCK : 4;
  for (int i = 0; i < 2; i++)
    self->plans[i] = plan_many (size, self->block, values, 1, size, block, 1, size, i);
  fftwf_free (values);
  fftwf_free (block);
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
  destroy (self->plans, 2);
  g_free (self);
}

/* Those of whole blocks. In place FFTW takes a buffer from the heap each time, for which threads
 * wait; from one block to another it does not. */
static void
run_rows (const PrismFftSquare *self,
          fftwf_plan plan,
          float *values,
          int n_rows,
          fftwf_complex *block)
{
  const gsize size = (gsize) self->block * self->size;

  for (int y = 0; y < n_rows; y += self->block)
    {
      fftwf_complex *rows = (fftwf_complex *) values + (gsize) y * self->size;

      fftwf_execute_dft (plan, rows, block);
      memcpy (rows, block, size * sizeof *rows);
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
             float *numbers,
             fftwf_complex *block)
{
  const gsize q = self->size, n = self->block;
  fftwf_complex *values = (fftwf_complex *) numbers, *other = block + n * q;

  for (gsize x = 0; x < q; x += n)
    {
      turn (values + x, q, q, n, block, q);
      fftwf_execute_dft (plan, block, other);
      turn (other, q, n, q, values + x, q);
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
  fftwf_complex *block = fftwf_alloc_complex (2 * (gsize) self->block * self->size);

  run_rows (self, self->plans[0], values, n_rows, block);
  run_columns (self, self->plans[0], values, block);
  fftwf_free (block);
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
  fftwf_complex *block = fftwf_alloc_complex (2 * (gsize) self->block * self->size);

  run_columns (self, self->plans[1], values, block);
  run_rows (self, self->plans[1], values, n_rows, block);
  fftwf_free (block);
}

/**
 * prism_fft_square_visit:
 * @self: transforms
 * @columns: (array) (inout): the first columns of a square of complex numbers; the others are 0
 * @n_columns: W, at most q
 * @buffer: (array): for this thread, at a multiple of 16 bytes
 * @func: (scope call): called for some rows after the other, which come in order
 * @data: for @func
 *
 * Transforms with the positive exponent, has the square changed, and transforms what it has become
 * with the negative one, of which the first columns are wanted. The square is never there as a
 * whole. Nothing is normalised.
 *
 * Shape: @columns [W][q][2], column by column, with room for W up to a multiple of 8, or q;
 *   @buffer [2][PRISM_FFT_SQUARE_BLOCK][q][2].
 */
void
prism_fft_square_visit (const PrismFftSquare *self,
                        float *columns,
                        int n_columns,
                        float *buffer,
                        PrismFftFunc func,
                        gpointer data)
{
  const gsize q = self->size, n = self->block;
  const gsize n_rest = (n - n_columns % n) % n;
  fftwf_complex *values = (fftwf_complex *) columns;
  fftwf_complex *block = (fftwf_complex *) buffer, *other = block + n * q;

  memset (values + q * n_columns, 0, q * n_rest * sizeof *values);
  run_rows (self, self->plans[0], columns, n_columns, block);
  for (gsize y = 0; y < q; y += n)
    {
      turn (values + y, q, n_columns, n, block, q);
      for (gsize k = 0; k < n; k++)
        memset (block + k * q + n_columns, 0, (q - n_columns) * sizeof *block);
      fftwf_execute_dft (self->plans[0], block, other);
      func (data, y * q, n * q, (float *) other);
      fftwf_execute_dft (self->plans[1], other, block);
      turn (block, q, n, n_columns, values + y, q);
    }
  run_rows (self, self->plans[1], columns, n_columns, block);
}

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

  pthread_mutex_lock (&planner);
  plan = fftwf_plan_dft_2d (size, size, numbers, numbers,
                            forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  pthread_mutex_unlock (&planner);
  fftwf_execute (plan);
  destroy (&plan, 1);
}

/* Dimensions of this file: n = pixels along a side, w = n/2 + 1. Rows and columns go in blocks of
 * sizes that do not depend on the number of threads: neither do the bits. */

enum
{
  ROWS = 32,
  COLUMNS = 16
};

struct _PrismFftField
{
  int size;              /* n */
  int width;             /* w */
  PrismPool *pool;       /* (unowned) */
  fftwf_plan rows[2];    /* of ROWS of them: back, forward */
  fftwf_plan columns[2]; /* of COLUMNS of them */
  fftwf_plan rest[2];    /* (nullable) of the last ones */
};

/* One transform, for the workers. */
typedef struct
{
  PrismFftField *self;
  float *field;
  float *half;
  int near;
  gboolean forward;
} Job;

/**
 * prism_fft_field_new:
 * @size: n, a multiple of 32
 * @pool: (not nullable): its threads; it outlives the transforms
 *
 * Prepares transforms of arrays that prism_arena_new_array() has made. The plan is FFTW's guess,
 * since measured ones would round differently from run to run.
 *
 * Returns: (transfer full): the transforms
 */
PrismFftField *
prism_fft_field_new (int size,
                     PrismPool *pool)
{
  PrismFftField *self = g_new0 (PrismFftField, 1);
  const int w = self->width = size / 2 + 1;
  float *field = fftwf_alloc_real ((gsize) size * size);
  fftwf_complex *half = fftwf_alloc_complex ((gsize) size * w);

  self->size = size;
  self->pool = pool;
  pthread_mutex_lock (&planner);
  /* One alone takes three times as long. */
  self->rows[0] = fftwf_plan_many_dft_c2r (1, &size, ROWS, half, NULL, 1, w, field,
                                           NULL, 1, size, FFTW_ESTIMATE);
  self->rows[1] = fftwf_plan_many_dft_r2c (1, &size, ROWS, field, NULL, 1, size, half, NULL, 1,
                                           w, FFTW_ESTIMATE);
  pthread_mutex_unlock (&planner);
  for (int i = 0; i < 2; i++)
    {
      self->columns[i] = plan_many (size, COLUMNS, half, w, 1, half, w, 1, i);
      self->rest[i] = plan_many (size, w % COLUMNS, half, w, 1, half, w, 1, i);
    }
  fftwf_free (field);
  fftwf_free (half);
  return self;
}

/**
 * prism_fft_field_free:
 * @self: (nullable): transforms
 */
void
prism_fft_field_free (PrismFftField *self)
{
  if (self == NULL)
    return;
  destroy (self->rows, 2);
  destroy (self->columns, 2);
  destroy (self->rest, 2);
  g_free (self);
}

/* All rows of a chunk of which one is wanted. */
static void
transform_rows (gpointer data,
                guint chunk,
                guint worker)
{
  const Job *job = data;
  const int n = job->self->size, w = job->self->width, first = chunk * ROWS;
  float *field = job->field + (gsize) first * n;
  fftwf_complex *half = (fftwf_complex *) job->half + (gsize) first * w;

  (void) worker;
  if (first >= job->near && first + ROWS <= n - job->near)
    {
      if (job->forward)
        memset (half, 0, ROWS * w * sizeof *half);
    }
  else if (job->forward)
    fftwf_execute_dft_r2c (job->self->rows[1], field, half);
  else
    fftwf_execute_dft_c2r (job->self->rows[0], half, field);
}

static void
transform_columns (gpointer data,
                   guint chunk,
                   guint worker)
{
  const Job *job = data;
  const int first = chunk * COLUMNS;
  fftwf_complex *half = (fftwf_complex *) job->half + first;
  const gboolean is_whole = first + COLUMNS <= job->self->width;

  (void) worker;
  fftwf_execute_dft (is_whole ? job->self->columns[job->forward] : job->self->rest[job->forward],
                     half, half);
}

static void
run_rows_field (const Job *job)
{
  prism_pool_run (job->self->pool, job->self->size / ROWS, transform_rows, (gpointer) job);
}

static void
run_columns_field (const Job *job)
{
  prism_pool_run (job->self->pool, (job->self->width + COLUMNS - 1) / COLUMNS,
                  transform_columns, (gpointer) job);
}

/**
 * prism_fft_field_forward:
 * @self: transforms
 * @field: (array): real numbers
 * @half: (out caller-allocates) (array): half spectrum, zero frequency at [0][0]
 * @near: rows -near…near-1 around the first one may not be 0; n/2 for all
 *
 * Transforms without normalising.
 *
 * Shape: @field [n][n], @half [n][n/2+1][2].
 */
void
prism_fft_field_forward (PrismFftField *self,
                         float *field,
                         float *half,
                         int near)
{
  const Job job = { self, field, half, near, TRUE };

  run_rows_field (&job);
  run_columns_field (&job);
}

/**
 * prism_fft_field_backward:
 * @self: transforms
 * @half: (array) (inout): half spectrum, which is destroyed
 * @field: (out caller-allocates) (array): real numbers
 * @near: rows -near…near-1 around the first one are wanted, n/2 for all
 *
 * Transforms without normalising.
 *
 * Shape: @half [n][n/2+1][2], @field [n][n].
 */
void
prism_fft_field_backward (PrismFftField *self,
                          float *half,
                          float *field,
                          int near)
{
  const Job job = { self, field, half, near, FALSE };

  run_columns_field (&job);
  run_rows_field (&job);
}

#define BLOCK PRISM_FFT_PLANE_BLOCK

struct _PrismFftPlane
{
  int size;                   /* n */
  fftwf_plan row[2];          /* of one: back, forward */
  fftwf_plan rows[2];         /* of BLOCK of them */
  fftwf_plan columns[2];      /* of BLOCK of them */
  fftwf_plan last_columns[2]; /* (nullable) of the last ones */
};

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
  for (int i = 0; i < 2; i++)
    {
      self->row[i] = plan_many (size, 1, values, 1, size, values, 1, size, i);
      self->rows[i] = plan_many (size, BLOCK, values, 1, size, values, 1, size, i);
      /* Into a buffer that has them as rows: back in place FFTW takes twice as long. */
      self->columns[i] = plan_many (size, BLOCK, values, size, 1, buffer, 1, size, i);
      if (size % BLOCK != 0)
        self->last_columns[i] = plan_many (size, size % BLOCK, values, size, 1, buffer, 1, size, i);
    }
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
  destroy (self->row, 2);
  destroy (self->rows, 2);
  destroy (self->columns, 2);
  destroy (self->last_columns, 2);
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

/**
 * prism_fft_alternate:
 * @values: (inout): complex numbers
 * @size: n
 * @factor: what they are multiplied by besides
 *
 * Multiplies by (-1)^(row + column), which moves the centre of the transform from [0][0] to
 * [n/2][n/2].
 *
 * Shape: values [n][n][2].
 * Thread: any.
 */
void
prism_fft_alternate (float *values,
                     int size,
                     float factor)
{
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++)
      {
        float *at = values + 2 * ((gsize) row * size + column);
        const float sign = (row + column) % 2 != 0 ? -factor : factor;

        at[0] *= sign;
        at[1] *= sign;
      }
}
