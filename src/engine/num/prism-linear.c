#include "config.h"

#include "num/prism-linear.h"

/**
 * prism_linear_solve:
 * @matrix: (inout): a positive definite matrix with the right-hand side as its last column, which
 *   becomes the solution
 * @n: number of unknowns
 *
 * Solves by elimination without pivots.
 *
 * Shape: matrix [n][n + 1].
 */
void
prism_linear_solve (double *matrix,
                    int n)
{
  const int width = n + 1;

  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      {
        const double factor = matrix[b * width + a] / matrix[a * width + a];

        if (b == a)
          continue;
        for (int c = a; c <= n; c++)
          matrix[b * width + c] -= factor * matrix[a * width + c];
      }
  for (int a = 0; a < n; a++)
    matrix[a * width + n] /= matrix[a * width + a];
}

static double
dot (const double *a,
     const double *b,
     guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/**
 * prism_linear_settle:
 * @differences: (array length=n_differences): what is told of them
 * @ties: (array): how much each unknown is held to 0
 * @x: (array) (out caller-allocates): the unknowns
 * @n: how many
 *
 * Finds the x for which Σ weight·(x_a - x_b - value)² + Σ tie·x² is least, by conjugate gradients.
 *
 * Shape: @ties and @x [n].
 */
void
prism_linear_settle (const PrismDifference *differences,
                     guint n_differences,
                     const double *ties,
                     double *x,
                     guint n)
{
  g_autofree double *rest = g_new0 (double, n);
  g_autofree double *way = NULL;
  g_autofree double *image = g_new (double, n);
  const PrismDifference *end = differences + n_differences;
  double square, first;

  memset (x, 0, n * sizeof *x);
  for (const PrismDifference *one = differences; one < end; one++)
    {
      rest[one->a] += one->weight * one->value;
      rest[one->b] -= one->weight * one->value;
    }
  way = g_memdup2 (rest, n * sizeof *rest);
  first = square = dot (rest, rest, n);
  for (guint step = 0; step < 4 * n && square > 1e-24 * first; step++)
    {
      double factor, before = square;

      for (guint i = 0; i < n; i++)
        image[i] = ties[i] * way[i];
      for (const PrismDifference *one = differences; one < end; one++)
        {
          const double force = one->weight * (way[one->a] - way[one->b]);

          image[one->a] += force;
          image[one->b] -= force;
        }
      factor = square / dot (way, image, n);
      for (guint i = 0; i < n; i++)
        {
          x[i] += factor * way[i];
          rest[i] -= factor * image[i];
        }
      square = dot (rest, rest, n);
      for (guint i = 0; i < n; i++)
        way[i] = rest[i] + square / before * way[i];
    }
}

/* Rows that are made orthogonal to all before them in one sweep over those, which bounds how often
 * they come from memory. */
enum
{
  GROUP = 8
};

/* Sums run in this many accumulators, which the compiler puts into vectors, and go to double after
 * so many values. Both are fixed: the same start values on every processor. */
enum
{
  LANES = 16
};
#define PIECE 512

/* A row that has lost more than this part of its length is made orthogonal once more, since what is
 * left is mostly rounding (Kahan). */
#define MIN_LEFT 0.5

/* Of a whole number of LANES. */
static double
multiply_piece (const float *a,
                const float *b,
                gsize n)
{
  float sums[LANES] = { 0 };
  double sum = 0.0;

  for (gsize i = 0; i < n; i += LANES)
    for (int k = 0; k < LANES; k++)
      sums[k] += a[i + k] * b[i + k];
  for (int k = 0; k < LANES; k++)
    sum += sums[k];
  return sum;
}

static double
multiply (const float *a,
          const float *b,
          gsize n)
{
  gsize n_whole = n / LANES * LANES;
  double sum = 0.0;

  for (gsize i = 0; i < n_whole; i += PIECE)
    sum += multiply_piece (a + i, b + i, MIN (PIECE, n_whole - i));
  for (gsize i = n_whole; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

static void
subtract (float *row,
          const float *other,
          gsize n)
{
  float factor = multiply (row, other, n);

  for (gsize i = 0; i < n; i++)
    row[i] -= factor * other[i];
}

/* Row index, of length before when it was drawn, against the first n_others rows; to length 1. */
static void
finish_row (float *matrix,
            gsize index,
            gsize n_columns,
            double before)
{
  float *row = matrix + index * n_columns;
  double length = sqrt (multiply (row, row, n_columns));

  for (int i = 0; i < 2 && length < MIN_LEFT * before; i++)
    {
      before = length;
      for (gsize other = 0; other < index; other++)
        subtract (row, matrix + other * n_columns, n_columns);
      length = sqrt (multiply (row, row, n_columns));
    }
  for (gsize i = 0; i < n_columns; i++)
    row[i] *= length > 0.0 ? 1.0 / length : 0.0;
}

/* Modified Gram-Schmidt. */
static void
apply_to_rows (float *matrix,
               gsize n_rows,
               gsize n_columns)
{
  for (gsize first = 0; first < n_rows; first += GROUP)
    {
      gsize last = MIN (first + GROUP, n_rows);
      double lengths[GROUP];

      for (gsize i = first; i < last; i++)
        lengths[i - first]
            = sqrt (multiply (matrix + i * n_columns, matrix + i * n_columns, n_columns));
      for (gsize other = 0; other < first; other++)
        for (gsize i = first; i < last; i++)
          subtract (matrix + i * n_columns, matrix + other * n_columns, n_columns);
      for (gsize i = first; i < last; i++)
        {
          for (gsize other = first; other < i; other++)
            subtract (matrix + i * n_columns, matrix + other * n_columns, n_columns);
          finish_row (matrix, i, n_columns, lengths[i - first]);
        }
    }
}

static void
transpose (float *to,
           const float *from,
           gsize n_rows,
           gsize n_columns)
{
  for (gsize row = 0; row < n_rows; row++)
    for (gsize column = 0; column < n_columns; column++)
      to[column * n_rows + row] = from[row * n_columns + column];
}

/**
 * prism_orthogonal_apply:
 * @matrix: (inout) (array): values from a normal distribution
 * @n_rows: rows
 * @n_columns: columns
 *
 * Makes the rows orthonormal, or the columns where there are more rows. From normal values that is
 * a matrix drawn evenly from all of its kind. Rows² · columns products and as many sums.
 *
 * Shape: @matrix [n_rows][n_columns].
 */
void
prism_orthogonal_apply (float *matrix,
                        gsize n_rows,
                        gsize n_columns)
{
  g_autofree float *turned = NULL;

  if (n_rows <= n_columns)
    {
      apply_to_rows (matrix, n_rows, n_columns);
      return;
    }
  turned = g_new (float, n_rows *n_columns);
  transpose (turned, matrix, n_rows, n_columns);
  apply_to_rows (turned, n_columns, n_rows);
  transpose (matrix, turned, n_columns, n_rows);
}
