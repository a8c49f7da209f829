#include "base/prism-arena.h"
#include "num/prism-fft.h"
#include "prism-test.h"

/* Transforms against each other: of a field by one thread and by a pool, and of squares of sizes
 * that are no powers of two against their sums. */

#define SIZE 96
#define N_PIXELS (SIZE * SIZE)
#define N_HALF (SIZE * (SIZE / 2 + 1))

typedef struct
{
  float *field, *half;
  float *wanted, *back;
} Work;

static void
work_open (Work *self)
{
  self->field = prism_arena_new_array (N_PIXELS * sizeof (float), "a test", NULL);
  self->half = prism_arena_new_array (2 * N_HALF * sizeof (float), "a test", NULL);
  self->wanted = prism_arena_new_array (2 * N_HALF * sizeof (float), "a test", NULL);
  self->back = prism_arena_new_array (N_PIXELS * sizeof (float), "a test", NULL);
}

static void
work_close (Work *self)
{
  prism_arena_free_array (self->field);
  prism_arena_free_array (self->half);
  prism_arena_free_array (self->wanted);
  prism_arena_free_array (self->back);
}

/* Rows -near…near-1 have values. */
static void
fill (Work *self, int near)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (near);

  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      self->field[y * SIZE + x] = y < near || y >= SIZE - near
                                      ? (float) g_rand_double_range (random, -1, 1)
                                      : 0.0f;
}

TEST (field, "/engine/fft/field")
{
  const int nears[] = { SIZE / 2, 16, 5 };
  g_autoptr (PrismPool) pool = prism_pool_new (3, NULL);
  g_autoptr (PrismFftField) fft = prism_fft_field_new (SIZE, pool);
  Work work;

  work_open (&work);
  for (guint k = 0; k < G_N_ELEMENTS (nears); k++)
    {
      fill (&work, nears[k]);
      for (int i = 0; i < 2 * N_HALF; i++)
        work.half[i] = NAN;
      prism_fft_field_forward (fft, work.field, work.half, nears[k]);
      prism_fft_transform (work.field, work.wanted, SIZE, TRUE);
      for (int i = 0; i < 2 * N_HALF; i++)
        g_assert_cmpfloat_with_epsilon (work.half[i], work.wanted[i], 2e-4);
      prism_fft_field_backward (fft, work.half, work.back, nears[k]);
      for (int i = 0; i < N_PIXELS; i++)
        if (i < nears[k] * SIZE || i >= (SIZE - nears[k]) * SIZE)
          g_assert_cmpfloat_with_epsilon (work.back[i] / N_PIXELS, work.field[i], 1e-6);
    }
  work_close (&work);
}

/* Bits do not depend on the number of threads. */
TEST (threads, "/engine/fft/threads")
{
  Work work, other;
  Work *const works[] = { &work, &other };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (PrismPool) pool = prism_pool_new (1 + 2 * i, NULL);
      g_autoptr (PrismFftField) fft = prism_fft_field_new (SIZE, pool);

      work_open (works[i]);
      fill (works[i], SIZE / 2);
      prism_fft_field_forward (fft, works[i]->field, works[i]->half, SIZE / 2);
      memcpy (works[i]->wanted, works[i]->half, 2 * N_HALF * sizeof (float));
      prism_fft_field_backward (fft, works[i]->half, works[i]->back, SIZE / 2);
    }
  g_assert_cmpmem (work.wanted, 2 * N_HALF * sizeof (float), other.wanted,
                   2 * N_HALF * sizeof (float));
  g_assert_cmpmem (work.back, N_PIXELS * sizeof (float), other.back, N_PIXELS * sizeof (float));
  work_close (&work);
  work_close (&other);
}

/* Σ v(y, x) e^(2πi(ky·y + kx·x)/q), of the first @n_rows. */
static void
sum_up (const float *values, int size, int n_rows, int ky, int kx, double sum[2])
{
  sum[0] = sum[1] = 0.0;
  for (int y = 0; y < n_rows; y++)
    for (int x = 0; x < size; x++)
      {
        const double angle = 2.0 * G_PI * (ky * y + kx * x) / size;
        const float *value = values + 2 * (y * size + x);

        sum[0] += value[0] * cos (angle) - value[1] * sin (angle);
        sum[1] += value[0] * sin (angle) + value[1] * cos (angle);
      }
}

TEST (sides, "/engine/fft/sides")
{
  g_assert_cmpint (prism_fft_choose_side (17, 5), ==, 20);
  g_assert_cmpint (prism_fft_choose_side (25, 7), ==, 28);
  g_assert_cmpint (prism_fft_choose_side (25, 5), ==, 32);
  g_assert_cmpint (prism_fft_choose_side (37, 11), ==, 40);
  g_assert_cmpint (prism_fft_choose_side (41, 11), ==, 44);
}

TEST (square, "/engine/fft/square")
{
  const int sizes[] = { 16, 20, 24, 28, 40, 256, 260 };

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      const int q = sizes[k], n_rows = q / 2 - 1;
      const gsize n_bytes = 2 * (gsize) q * q * sizeof (float);
      g_autoptr (PrismFftSquare) fft = prism_fft_square_new (q);
      float *values = prism_arena_new_array (n_bytes, "a test", NULL);
      g_autofree float *before = g_malloc (n_bytes);
      double sum[2];

      for (int i = 0; i < 2 * q * q; i++)
        values[i] = i < 2 * q * n_rows ? (i * 7919 % 101 - 50) / 50.0f : 0.0f;
      memcpy (before, values, n_bytes);
      prism_fft_square_expand (fft, values, n_rows);
      for (int i = 0; i < q * q; i += q < 100 ? 13 : 6007)
        {
          sum_up (before, q, n_rows, i / q, i % q, sum);
          g_assert_cmpfloat_with_epsilon (values[2 * i], sum[0], 2e-5 * q);
          g_assert_cmpfloat_with_epsilon (values[2 * i + 1], sum[1], 2e-5 * q);
        }
      prism_fft_square_reduce (fft, values, n_rows);
      for (int i = 0; i < 2 * q * n_rows; i++)
        g_assert_cmpfloat_with_epsilon (values[i] / (q * q), before[i], 1e-6);
      prism_arena_free_array (values);
    }
}
