#include "config.h"

#include "num/prism-cholesky.h"

#include <math.h>
#include <string.h>

/* Systems whose matrix is B·Bᵀ plus something on the diagonal, B of random numbers. */

#define SIZE 131 /* no multiple of any block */

static double
get_entry (const double *b,
           gsize i,
           gsize k)
{
  double sum = i == k ? 0.5 : 0.0;

  for (gsize j = 0; j < SIZE; j++)
    sum += b[i * SIZE + j] * b[k * SIZE + j];
  return sum;
}

static double *
draw (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  double *b = g_new (double, SIZE *SIZE);

  for (gsize i = 0; i < SIZE * SIZE; i++)
    b[i] = g_rand_double_range (random, -1.0, 1.0);
  return b;
}

static void
solve (const double *b,
       guint n_threads,
       double *values)
{
  g_autoptr (PrismPool) pool = prism_pool_new (n_threads, NULL);
  g_autoptr (PrismCholesky) system = prism_cholesky_new (SIZE, NULL);

  g_assert_cmpuint (prism_cholesky_get_size (system), ==, SIZE);
  for (gsize i = 0; i < SIZE; i++)
    for (gsize k = 0; k <= i; k++)
      prism_cholesky_get_row (system, i)[k] = get_entry (b, i, k);
  while (!prism_cholesky_is_done (system))
    g_assert_true (prism_cholesky_factor (system, pool));
  prism_cholesky_solve (system, values);
}

/* The right-hand side is the matrix times 1, 2, 3 … */
static void
test_solution (void)
{
  g_autofree double *b = draw ();
  double values[SIZE] = { 0.0 };

  for (gsize i = 0; i < SIZE; i++)
    for (gsize k = 0; k < SIZE; k++)
      values[i] += get_entry (b, i, k) * (double) (k + 1);
  solve (b, 2, values);
  for (gsize i = 0; i < SIZE; i++)
    g_assert_cmpfloat_with_epsilon (values[i], (double) (i + 1), 1e-8);
}

static void
test_threads (void)
{
  g_autofree double *b = draw ();
  double one[SIZE], many[SIZE];

  for (gsize i = 0; i < SIZE; i++)
    one[i] = many[i] = cos ((double) i);
  solve (b, 1, one);
  solve (b, 3, many);
  g_assert_cmpmem (one, sizeof one, many, sizeof many);
}

/* A matrix that is not positive definite is found out, in whichever block. */
static void
test_indefinite (gconstpointer data)
{
  const gsize wrong = GPOINTER_TO_UINT (data);
  g_autoptr (PrismPool) pool = prism_pool_new (1, NULL);
  g_autoptr (PrismCholesky) system = prism_cholesky_new (SIZE, NULL);
  gboolean ok = TRUE;

  for (gsize i = 0; i < SIZE; i++)
    {
      memset (prism_cholesky_get_row (system, i), 0, (i + 1) * sizeof (double));
      prism_cholesky_get_row (system, i)[i] = i == wrong ? -1.0 : 1.0;
    }
  while (ok && !prism_cholesky_is_done (system))
    ok = prism_cholesky_factor (system, pool);
  g_assert_false (ok);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cholesky/solution", test_solution);
  g_test_add_func ("/engine/cholesky/threads", test_threads);
  g_test_add_data_func ("/engine/cholesky/indefinite/first", GUINT_TO_POINTER (3), test_indefinite);
  g_test_add_data_func ("/engine/cholesky/indefinite/last", GUINT_TO_POINTER (SIZE - 1),
                        test_indefinite);
  return g_test_run ();
}
