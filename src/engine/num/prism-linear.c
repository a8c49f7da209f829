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
