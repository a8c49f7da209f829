/* What the tests of the CPU telescope share: a telescope, golden arrays, and a naive transform in
 * double precision as the reference.
 *
 * n = image_size, m = object_size. */
#pragma once

#include "../support/test-mask.h"
#include "base/prism-random.h"
#include "cpu/prism-cpu-telescope.h"
#include "prism-npy-test.h"
#include "prism-test.h"

#include <complex.h>
#include <math.h>

typedef struct
{
  int n, m;
  PrismCpuTelescope *telescope;
} Fixture;

static inline Fixture
fixture_new (int n, int m, guint n_threads)
{
  PrismPool *pool = OWN (prism_pool_free, MUST (prism_pool_new (n_threads, &error)));

  return (Fixture) {
    n, m, OWN (prism_cpu_telescope_free,
               MUST (prism_cpu_telescope_new (n, m, PRISM_STEP_MAX_OLD + 1, pool, &error)))
  };
}

static inline void
bind (Fixture *self, guint slot, const PrismMask *mask, const float *target, double *energy)
{
  MUST (prism_cpu_telescope_bind (self->telescope, slot, mask, target, energy, &error));
}

static const char *const golden_files[]
    = { "small_same.npz", "small_valid.npz", "medium_same.npz" };

/* Of a test for each row of these. */
static inline PrismFields *
load_golden (gconstpointer row)
{
  const char *const *name = row;

  return MUST (prism_fields_load_npz (in_folder (g_getenv ("PRISM_TEST_DATA"), *name), &error));
}

static inline float *
dup_floats (PrismFields *golden, const char *key)
{
  const PrismField *array = MUST (prism_fields_find (golden, key));

  return test_dup_floats (array);
}

static inline double
get_number (PrismFields *golden, const char *key, gsize index)
{
  const PrismField *array = MUST (prism_fields_find (golden, key));

  g_assert_cmpuint (index, <, array->n_values);
  return array->values[index];
}

static inline int
get_size (PrismFields *golden, const char *key)
{
  return (int) get_number (golden, key, 0);
}

static inline float *
new_image (int n_pixels, guint64 seed)
{
  float *image = g_new (float, n_pixels);

  for (int i = 0; i < n_pixels; i++)
    image[i] = (float) prism_random_uniform (seed, PRISM_STREAM_OBJECT, 0, i);
  return image;
}

static inline double
get_distance (const float *a, const float *b, int n_values)
{
  double difference = 0.0, power = 0.0;

  for (int i = 0; i < n_values; i++)
    {
      difference += ((double) a[i] - b[i]) * ((double) a[i] - b[i]);
      power += (double) b[i] * b[i];
    }
  return sqrt (difference / power);
}

/* ---- the reference ---- */

/* Unitary transform of the lines of a field [n][n], origin in the middle, then of its columns. */
static inline void
transform_naively (double complex *field, int n, int sign)
{
  g_autofree double complex *line = g_new (double complex, n), *phases = g_new (double complex, n);

  for (int i = 0; i < n; i++)
    phases[i] = cexp (sign * 2.0 * I * G_PI * i / n);
  for (int direction = 0; direction < 2; direction++)
    for (int j = 0; j < n; j++)
      {
        double complex *first = field + (direction == 0 ? j * n : j);
        int step = direction == 0 ? 1 : n;

        for (int k = 0; k < n; k++)
          {
            line[k] = 0.0;
            for (int i = 0; i < n; i++)
              line[k] += first[i * step] * phases[(unsigned) ((k - n / 2) * (i - n / 2)) % n];
          }
        for (int k = 0; k < n; k++)
          first[k * step] = line[k] / sqrt (n);
      }
}

static inline double complex *
new_field (const float *image, int n, int m)
{
  double complex *field = g_new0 (double complex, n *n);
  int low = (n - m) / 2;

  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      field[(y + low) * n + x + low] = image[y * m + x];
  return field;
}

static inline void
apply_mask (double complex *field, const PrismMask *mask)
{
  int n = mask->image_size;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      {
        int row = y - n / 2 - mask->y0, column = x - n / 2 - mask->x0;
        gboolean inside = row >= 0 && row < mask->height && column >= 0 && column < mask->width;

        if (!inside || mask->bits[row * mask->width + column] == 0)
          field[y * n + x] = 0.0;
      }
}

static inline double complex *
new_detector_field (const float *image, const PrismMask *mask, int m)
{
  int n = mask->image_size;
  double complex *field = new_field (image, n, m);

  transform_naively (field, n, -1);
  apply_mask (field, mask);
  transform_naively (field, n, +1);
  return field;
}
