#include "config.h"

#include "num/prism-fft-field.h"

#include "num/prism-fft-private.h"

#include <string.h>

/* Dimensions of this file: n = pixels along a side, w = n/2 + 1. Rows and columns go in blocks of
 * sizes that do not depend on the number of threads: neither do the bits. */

#define ROWS 32
#define COLUMNS 16

struct _PrismFftField
{
  int size;              /* n */
  PrismPool *pool;       /* (unowned) */
  fftwf_plan rows[2];    /* of one row: back, forward */
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

static int
get_width (const PrismFftField *self)
{
  return self->size / 2 + 1;
}

static void
plan_columns (PrismFftField *self,
              fftwf_complex *half,
              int forward)
{
  const int w = get_width (self), sign = forward ? FFTW_FORWARD : FFTW_BACKWARD;

  self->columns[forward] = fftwf_plan_many_dft (1, &self->size, COLUMNS, half, NULL, w, 1, half,
                                                NULL, w, 1, sign, FFTW_ESTIMATE);
  self->rest[forward] = fftwf_plan_many_dft (1, &self->size, w % COLUMNS, half, NULL, w, 1, half,
                                             NULL, w, 1, sign, FFTW_ESTIMATE);
}

/**
 * prism_fft_field_new:
 * @size: n, at least 32 and even
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
  float *field = fftwf_alloc_real ((gsize) size * size);
  fftwf_complex *half = fftwf_alloc_complex ((gsize) size * (size / 2 + 1));

  self->size = size;
  self->pool = pool;
  prism_fft_lock_planner ();
  /* Rows of the half spectrum begin where no vector does. */
  self->rows[0] = fftwf_plan_dft_c2r_1d (size, half, field, FFTW_ESTIMATE | FFTW_UNALIGNED);
  self->rows[1] = fftwf_plan_dft_r2c_1d (size, field, half, FFTW_ESTIMATE | FFTW_UNALIGNED);
  plan_columns (self, half, 0);
  plan_columns (self, half, 1);
  prism_fft_unlock_planner ();
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
  prism_fft_lock_planner ();
  for (int i = 0; i < 2; i++)
    {
      fftwf_destroy_plan (self->rows[i]);
      fftwf_destroy_plan (self->columns[i]);
      fftwf_destroy_plan (self->rest[i]);
    }
  prism_fft_unlock_planner ();
  g_free (self);
}

static void
transform_row (const Job *job,
               int y)
{
  const int n = job->self->size, w = get_width (job->self);
  float *field = job->field + (gsize) y * n;
  fftwf_complex *half = (fftwf_complex *) job->half + (gsize) y * w;

  if (y < job->near || y >= n - job->near)
    {
      if (job->forward)
        fftwf_execute_dft_r2c (job->self->rows[1], field, half);
      else
        fftwf_execute_dft_c2r (job->self->rows[0], half, field);
    }
  else if (job->forward)
    memset (half, 0, w * sizeof *half);
}

static void
transform_rows (gpointer data,
                guint chunk,
                guint worker)
{
  const Job *job = data;
  const int first = (int) chunk * ROWS;

  (void) worker;
  for (int y = first; y < MIN (first + ROWS, job->self->size); y++)
    transform_row (job, y);
}

static void
transform_columns (gpointer data,
                   guint chunk,
                   guint worker)
{
  const Job *job = data;
  const int first = (int) chunk * COLUMNS;
  fftwf_complex *half = (fftwf_complex *) job->half + first;
  const gboolean is_whole = first + COLUMNS <= get_width (job->self);

  (void) worker;
  fftwf_execute_dft (is_whole ? job->self->columns[job->forward] : job->self->rest[job->forward],
                     half, half);
}

static void
run_rows (const Job *job)
{
  prism_pool_run (job->self->pool, (job->self->size + ROWS - 1) / ROWS, transform_rows,
                  (gpointer) job);
}

static void
run_columns (const Job *job)
{
  prism_pool_run (job->self->pool, (get_width (job->self) + COLUMNS - 1) / COLUMNS,
                  transform_columns, (gpointer) job);
}

/**
 * prism_fft_field_forward:
 * @self: transforms
 * @field: (array): real numbers
 * @half: (out caller-allocates) (array): half spectrum, zero frequency at [0][0]
 * @near: rows -near…near-1 around the first one are read, the others are 0; n/2 for all
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

  run_rows (&job);
  run_columns (&job);
}

/**
 * prism_fft_field_backward:
 * @self: transforms
 * @half: (array) (inout): half spectrum, which is destroyed
 * @field: (out caller-allocates) (array): real numbers
 * @near: rows -near…near-1 around the first one are written, n/2 for all
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

  run_columns (&job);
  run_rows (&job);
}
