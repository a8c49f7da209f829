/* The compiler makes vectors of these loops. */
#include "config.h"

#include "solve/prism-wave-kernels.h"

#include <float.h>

/* The factor that gives a value the modulus a. */
static inline float
get_factor (float re,
            float im,
            float a)
{
  const float square = re * re + im * im;

  return a / sqrtf (square > FLT_MIN ? square : FLT_MIN);
}

static double
project (float *restrict wave,
         const float *restrict amplitude,
         gsize n)
{
  float misfit = 0;

  for (gsize i = 0; i < n; i++)
    {
      const float x = wave[2 * i], y = wave[2 * i + 1], factor = get_factor (x, y, amplitude[i]);
      const float re = (factor - 1.0f) * x, im = (factor - 1.0f) * y;

      wave[2 * i] = factor * x;
      wave[2 * i + 1] = factor * y;
      misfit += re * re + im * im;
    }
  return misfit;
}

static double
search (float *restrict z,
        const float *restrict amplitude,
        gsize n,
        float beta,
        float *restrict other)
{
  float change = 0;

  for (gsize i = 0; i < n; i++)
    {
      float x = z[2 * i], y = z[2 * i + 1], factor = get_factor (x, y, amplitude[i]);
      const float re = other[2 * i] - factor * x, im = other[2 * i + 1] - factor * y;

      z[2 * i] = x = x + beta * re;
      z[2 * i + 1] = y = y + beta * im;
      factor = 2.0f * get_factor (x, y, amplitude[i]) - 1.0f;
      other[2 * i] = factor * x;
      other[2 * i + 1] = factor * y;
      change += re * re + im * im;
    }
  return change;
}

static void
move (float *restrict values,
      float *restrict last,
      gsize n,
      float inertia)
{
  for (gsize i = 0; i < n; i++)
    {
      const float value = values[i];

      values[i] = value + inertia * (value - last[i]);
      last[i] = value;
    }
}

const PrismWaveKernels PRISM_WAVE_KERNELS = {
  .project = project,
  .search = search,
  .move = move,
};
