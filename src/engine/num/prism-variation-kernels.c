#include "config.h"

#include "num/prism-variation-kernels.h"

static inline float
limit (float value)
{
  value = value > 0.0f ? value : 0.0f;
  return value < 1.0f ? value : 1.0f;
}

static void
add_divergence (float *to,
                const float *from,
                const float *restrict across,
                const float *restrict down,
                const float *restrict above,
                float strength,
                int width)
{
  to[0] = limit (from[0] + strength * (across[0] + down[0] - (above != NULL ? above[0] : 0.0f)));
  if (above == NULL)
    {
#pragma GCC ivdep
      for (int x = 1; x < width; x++)
        to[x] = limit (from[x] + strength * (across[x] - across[x - 1] + down[x]));
      return;
    }
#pragma GCC ivdep
  for (int x = 1; x < width; x++)
    to[x] = limit (from[x] + strength * (across[x] - across[x - 1] + down[x] - above[x]));
}

static void
step_dual (float *restrict across,
           float *restrict down,
           const float *row,
           const float *below,
           float step,
           int width)
{
  const int last = width - 1;

  for (int x = 0; x < last; x++)
    {
      float a = across[x] + step * (row[x + 1] - row[x]);
      float d = down[x] + step * (below[x] - row[x]);
      float length = sqrtf (a * a + d * d);
      float factor = 1.0f / (length > 1.0f ? length : 1.0f);

      across[x] = a * factor;
      down[x] = d * factor;
    }
  down[last] = CLAMP (down[last] + step * (below[last] - row[last]), -1.0f, 1.0f);
}

static void
measure (double *restrict lengths,
         const float *row,
         const float *below,
         int width)
{
  const int last = width - 1;
  const double end = below[last] - row[last];

  for (int x = 0; x < last; x++)
    {
      double across = row[x + 1] - row[x], down = below[x] - row[x];

      lengths[x] = sqrt (across * across + down * down);
    }
  lengths[last] = sqrt (end * end);
}

const PrismVariationKernels PRISM_VARIATION_KERNELS = {
  .add_divergence = add_divergence,
  .step_dual = step_dual,
  .measure = measure,
};
