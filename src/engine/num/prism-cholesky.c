#include "config.h"

#include "num/prism-cholesky.h"

#include "base/prism-arena.h"

#include <math.h>

/* The lower half of the matrix, row after row, becomes that of L, A = L·Lᵀ, some columns at a time.
 * No sum depends on the number of threads.
 *
 * Dimensions of this file: f = unknowns, b = columns of a block. */

#define BLOCK 48
/* Rows that one thread takes at once. */
#define ROWS 16
/* Sums that are added up beside each other. */
#define LANES 8
/* Columns of a block that are taken away at once. */
#define AT_ONCE 8

struct _PrismCholesky
{
  gsize size;     /* f */
  gsize next;     /* column of the block that comes next */
  double *values; /* [f(f + 1)/2] */
  double *panel;  /* [b][f] the block's columns as rows */
};

typedef struct
{
  PrismCholesky *self;
  gsize first; /* column of the block, */
  gsize end;   /* and the first one and row after it */
} Block;

static gsize
count_values (gsize size)
{
  return size * (size + 1) / 2;
}

/**
 * prism_cholesky_get_bytes:
 * @size: f
 *
 * Returns: what a system takes
 */
gsize
prism_cholesky_get_bytes (gsize size)
{
  return (count_values (size) + BLOCK * size) * sizeof (double);
}

/**
 * prism_cholesky_new:
 * @size: f, at least 1
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a system whose rows are to be filled in
 */
PrismCholesky *
prism_cholesky_new (gsize size,
                    GError **error)
{
  g_autoptr (PrismCholesky) self = g_new0 (PrismCholesky, 1);

  self->size = size;
  self->values = prism_arena_new_array (prism_cholesky_get_bytes (size),
                                        "a system of linear equations", error);
  if (self->values == NULL)
    return NULL;
  self->panel = self->values + count_values (size);
  return g_steal_pointer (&self);
}

/**
 * prism_cholesky_free:
 * @self: (nullable): a system
 */
void
prism_cholesky_free (PrismCholesky *self)
{
  if (self == NULL)
    return;
  prism_arena_free_array (self->values);
  g_free (self);
}

/**
 * prism_cholesky_get_size:
 *
 * Returns: f
 */
gsize
prism_cholesky_get_size (PrismCholesky *self)
{
  return self->size;
}

/**
 * prism_cholesky_get_row:
 * @row: from 0
 *
 * Shape: [row + 1].
 *
 * Returns: (transfer none) (array): the row up to the diagonal
 */
double *
prism_cholesky_get_row (PrismCholesky *self,
                        gsize row)
{
  return self->values + count_values (row);
}

static double
multiply (const double *a,
          const double *b,
          gsize n)
{
  double sums[LANES] = { 0.0 }, sum = 0.0;
  gsize i = 0;

  for (; i + LANES <= n; i += LANES)
    for (gsize k = 0; k < LANES; k++)
      sums[k] += a[i + k] * b[i + k];
  for (; i < n; i++)
    sum += a[i] * b[i];
  for (gsize k = 0; k < LANES; k++)
    sum += sums[k];
  return sum;
}

/* The part of L between the block's columns. */
static gboolean
factor_diagonal (PrismCholesky *self,
                 const Block *block)
{
  for (gsize i = block->first; i < block->end; i++)
    {
      double *row = prism_cholesky_get_row (self, i);

      for (gsize j = block->first; j <= i; j++)
        {
          const double *other = prism_cholesky_get_row (self, j);

          row[j] -= multiply (row + block->first, other + block->first, j - block->first);
          if (j < i)
            row[j] /= other[j];
        }
      if (!(row[i] > 0.0))
        return FALSE;
      row[i] = sqrt (row[i]);
    }
  return TRUE;
}

/* The block's columns of the rows below. */
static void
factor_panel (gpointer data,
              guint chunk,
              guint worker)
{
  const Block *block = data;
  PrismCholesky *self = block->self;
  const gsize first = block->end + (gsize) chunk * ROWS, end = MIN (first + ROWS, self->size);

  (void) worker;
  for (gsize i = first; i < end; i++)
    {
      double *row = prism_cholesky_get_row (self, i);

      for (gsize j = block->first; j < block->end; j++)
        {
          const double *other = prism_cholesky_get_row (self, j);

          row[j] -= multiply (row + block->first, other + block->first, j - block->first);
          row[j] /= other[j];
          self->panel[(j - block->first) * self->size + i] = row[j];
        }
    }
}

/* row[j] -= Σ factors[k]·panel[k][j] */
static void
take_away (double *row,
           const double *factors,
           const double *panel,
           gsize size,
           gsize first,
           gsize end)
{
  const double *p = panel;
  const double a = factors[0], b = factors[1], c = factors[2], d = factors[3];
  const double e = factors[4], f = factors[5], g = factors[6], h = factors[7];

  for (gsize j = first; j < end; j++)
    row[j] -= ((a * p[j] + b * p[size + j]) + (c * p[2 * size + j] + d * p[3 * size + j]))
              + ((e * p[4 * size + j] + f * p[5 * size + j])
                 + (g * p[6 * size + j] + h * p[7 * size + j]));
}

/* What the block leaves of the columns that follow. */
static void
update_rows (gpointer data,
             guint chunk,
             guint worker)
{
  const Block *block = data;
  PrismCholesky *self = block->self;
  const gsize first = block->end + (gsize) chunk * ROWS, end = MIN (first + ROWS, self->size);

  (void) worker;
  for (gsize k = block->first; k + AT_ONCE <= block->end; k += AT_ONCE)
    for (gsize i = first; i < end; i++)
      {
        double *row = prism_cholesky_get_row (self, i);

        take_away (row, row + k, self->panel + (k - block->first) * self->size, self->size,
                   block->end, i + 1);
      }
}

/**
 * prism_cholesky_factor:
 * @self: a system whose rows are filled in
 * @pool: whose threads help
 *
 * Factors some more columns.
 *
 * Returns: whether the matrix is positive definite so far
 */
gboolean
prism_cholesky_factor (PrismCholesky *self,
                       PrismPool *pool)
{
  Block block = { self, self->next, MIN (self->next + BLOCK, self->size) };
  const guint n_chunks = (guint) ((self->size - block.end + ROWS - 1) / ROWS);

  if (!factor_diagonal (self, &block))
    return FALSE;
  if (n_chunks > 0)
    {
      prism_pool_run (pool, n_chunks, factor_panel, &block);
      prism_pool_run (pool, n_chunks, update_rows, &block);
    }
  self->next = block.end;
  return TRUE;
}

/**
 * prism_cholesky_is_done:
 *
 * Returns: whether the system can be solved
 */
gboolean
prism_cholesky_is_done (PrismCholesky *self)
{
  return self->next == self->size;
}

/**
 * prism_cholesky_solve:
 * @self: a system that is factored
 * @values: (inout) (array): the right-hand side, which becomes the solution
 *
 * Shape: @values [f].
 */
void
prism_cholesky_solve (PrismCholesky *self,
                      double *values)
{
  for (gsize i = 0; i < self->size; i++)
    {
      const double *row = prism_cholesky_get_row (self, i);

      values[i] = (values[i] - multiply (row, values, i)) / row[i];
    }
  for (gsize i = self->size; i-- > 0;)
    {
      const double *row = prism_cholesky_get_row (self, i);
      const double value = values[i] /= row[i];

      for (gsize j = 0; j < i; j++)
        values[j] -= row[j] * value;
    }
}
