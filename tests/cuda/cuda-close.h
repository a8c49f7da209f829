/* How near the numbers of two devices must be. */
#pragma once

#include <glib.h>
#include <math.h>

/* |a - b| over the largest |a|. */
static inline double
get_difference (const float *a,
                const float *b,
                gsize n_values)
{
  double largest = 1e-30, difference = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      g_assert_true (isfinite (a[i]) && isfinite (b[i]));
      largest = fmax (largest, fabs (a[i]));
      difference = fmax (difference, fabs ((double) a[i] - b[i]));
    }
  return difference / largest;
}

/* Root mean square difference, relative to b. */
static inline double
get_relative_distance (const float *a,
                       const float *b,
                       gsize n_values)
{
  double difference = 0.0, power = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      difference += ((double) a[i] - b[i]) * ((double) a[i] - b[i]);
      power += (double) b[i] * b[i];
    }
  return sqrt (difference / power);
}

#define assert_close(a, b, n_values, tolerance) \
  g_assert_cmpfloat (get_difference (a, b, n_values), <=, tolerance)

#define assert_same_double(a, b, tolerance) \
  g_assert_cmpfloat (fabs ((a) - (b)), <=, (tolerance) * (1e-12 + fabs (a)))
