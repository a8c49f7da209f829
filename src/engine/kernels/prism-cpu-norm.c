/* Batch norm with ReLU. Variances are sums about the mean of the same pixels, never E[y²] - µ²:
 * over the 16 pixels of the first layer that would lose all digits. */
#include "config.h"

#include "kernels/prism-cpu-blocked.h"
#include "kernels/prism-cpu-kernels.h"
#include "kernels/prism-cpu-vector.h"

#define LANES PRISM_VECTOR_LANES
#define B PRISM_CPU_BLOCK

/* Sums run in this many accumulators, which hides the latency of an addition. */
#define WAYS 4

/* Constants of LANES channels, or of one channel in all lanes. */
typedef struct
{
  PrismVector mean;
  PrismVector gain;
  PrismVector shift;
  PrismVector offset;
  PrismVector slope;
} Constants;

PRISM_VECTOR_INLINE Constants
load_constants (const PrismCpuNorm *norm,
                int channel)
{
  return (Constants) {
    vector_load (norm->mean + channel),
    vector_load (norm->gain + channel),
    vector_load (norm->shift + channel),
    vector_load (norm->offset + channel),
    vector_load (norm->slope + channel),
  };
}

PRISM_VECTOR_INLINE Constants
fill_constants (const PrismCpuNorm *norm,
                int channel)
{
  return (Constants) {
    vector_fill (norm->mean[channel]),
    vector_fill (norm->gain[channel]),
    vector_fill (norm->shift[channel]),
    vector_fill (norm->offset[channel]),
    vector_fill (norm->slope[channel]),
  };
}

/* The comparison is written so that NaN passes. */
PRISM_VECTOR_INLINE PrismVector
normalise (Constants k,
           PrismVector y)
{
  PrismVector v = (y - k.mean) * k.gain + k.shift;

  return vector_select (v <= 0.0f, vector_zero (), v);
}

/* g·[v > 0]; the gradient of ReLU at 0 is 0. */
PRISM_VECTOR_INLINE PrismVector
mask_gradient (Constants k,
               PrismVector g,
               PrismVector y)
{
  return vector_select ((y - k.mean) * k.gain + k.shift > 0.0f, g, vector_zero ());
}

PRISM_VECTOR_INLINE PrismVector
differentiate (Constants k,
               PrismVector g,
               PrismVector y)
{
  return (mask_gradient (k, g, y) - k.offset - (y - k.mean) * k.slope) * k.gain;
}

/* Mean of n vectors, stride apart. */
PRISM_VECTOR_INLINE PrismVector
compute_mean (const float *y,
              gsize n,
              gsize stride)
{
  PrismVector sum[WAYS] = { 0 };

  for (gsize i = 0; i < n; i += WAYS)
#pragma GCC unroll 4
    for (int way = 0; way < WAYS; way++)
      sum[way] += vector_load (y + (i + way) * stride);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) * (1.0f / n);
}

/* Σ(y - mean) and Σ(y - mean)² of n vectors, stride apart. */
PRISM_VECTOR_INLINE void
compute_deviations (const float *y,
                    gsize n,
                    gsize stride,
                    PrismVector mean,
                    PrismVector *sum,
                    PrismVector *squares)
{
  PrismVector sums[WAYS] = { 0 }, products[WAYS] = { 0 };

  for (gsize i = 0; i < n; i += WAYS)
#pragma GCC unroll 4
    for (int way = 0; way < WAYS; way++)
      {
        PrismVector d = vector_load (y + (i + way) * stride) - mean;

        sums[way] += d;
        products[way] += d * d;
      }
  *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  *squares = (products[0] + products[1]) + (products[2] + products[3]);
}

/* The rounding of the first mean is taken out again with Σ(y - mean), which should be zero. */
static void
measure_blocked (const float *y,
                 gsize n_pixels,
                 float *mean,
                 float *squares)
{
  for (int lane = 0; lane < B; lane += LANES)
    {
      PrismVector m = compute_mean (y + lane, n_pixels, B);
      PrismVector sum, s;

      compute_deviations (y + lane, n_pixels, B, m, &sum, &s);
      sum *= 1.0f / n_pixels;
      vector_store (mean + lane, m + sum);
      vector_store (squares + lane, s - sum * sum * (float) n_pixels);
    }
}

static void
measure_planar (const float *y,
                gsize n_pixels,
                float *mean,
                float *squares)
{
  gsize n = n_pixels / LANES;
  float m = vector_sum (compute_mean (y, n, LANES)) * (1.0f / LANES);
  PrismVector sum, s;
  float rest;

  compute_deviations (y, n, LANES, vector_fill (m), &sum, &s);
  rest = vector_sum (sum) / n_pixels;
  *mean = m + rest;
  *squares = vector_sum (s) - rest * rest * n_pixels;
}

/* Row and the row below it, either of which may be outside of the map and zero: one row of the four
 * maps, from the border on the left to the last column. x at that border, below and row at the
 * first column of y. */
PRISM_VECTOR_INLINE void
apply_row (Constants k,
           float *x,
           gsize map,
           const float *row,
           const float *below,
           int size,
           gboolean has_row,
           gboolean has_below)
{
  PrismVector here = { 0 }, under = { 0 };

  for (int column = 0; column <= size; column++, x += B)
    {
      PrismVector right = { 0 }, under_right = { 0 };

      if (has_row && column < size)
        right = normalise (k, vector_load (row + column * B));
      if (has_below && column < size)
        under_right = normalise (k, vector_load (below + column * B));
      vector_store (x, here);
      vector_store (x + map, right - here);
      vector_store (x + 2 * map, under - here);
      vector_store (x + 3 * map, (under_right - under) - (right - here));
      here = right;
      under = under_right;
    }
}

static void
apply_blocked (const PrismCpuNorm *norm,
               int channel,
               float *x,
               const float *y,
               int size,
               int first_row,
               int n_rows)
{
  gsize stride = (gsize) (size + 2) * B, map = stride * (size + 2);

  for (int lane = 0; lane < B; lane += LANES)
    {
      Constants k = load_constants (norm, channel + lane);

      for (int row = first_row == 0 ? -1 : first_row; row < first_row + n_rows; row++)
        {
          const float *here = y + (gssize) row * size * B + lane, *below = here + (gsize) size * B;
          float *target = x + (row + 1) * stride + lane;

          if (row < 0)
            apply_row (k, target, map, here, below, size, FALSE, TRUE);
          else if (row == size - 1)
            apply_row (k, target, map, here, below, size, TRUE, FALSE);
          else
            apply_row (k, target, map, here, below, size, TRUE, TRUE);
        }
    }
}

static void
apply_planar (const PrismCpuNorm *norm,
              int channel,
              float *x,
              const float *y,
              gsize n_pixels)
{
  Constants k = fill_constants (norm, channel);

  for (gsize i = 0; i < n_pixels; i += LANES)
    vector_store (x + i, normalise (k, vector_load (y + i)));
}

static void
apply_transposed (const PrismCpuNorm *norm,
                  int channel,
                  float *x,
                  gsize plane_size,
                  const float *y,
                  gsize n_pixels)
{
  for (int lane = 0; lane < B; lane += LANES)
    {
      Constants k = load_constants (norm, channel + lane);

      for (gsize i = 0; i < n_pixels; i += LANES)
        {
          PrismVector rows[LANES];

#pragma GCC unroll 16
          for (int p = 0; p < LANES; p++)
            rows[p] = normalise (k, vector_load (y + (i + p) * B + lane));
          vector_transpose (rows);
#pragma GCC unroll 16
          for (int c = 0; c < LANES; c++)
            vector_store (x + (lane + c) * plane_size + i, rows[c]);
        }
    }
}

static void
transpose (float *blocked,
           const float *planar,
           gsize plane_size,
           gsize n_pixels)
{
  for (int lane = 0; lane < B; lane += LANES)
    for (gsize i = 0; i < n_pixels; i += LANES)
      {
        PrismVector rows[LANES];

#pragma GCC unroll 16
        for (int c = 0; c < LANES; c++)
          rows[c] = vector_load (planar + (lane + c) * plane_size + i);
        vector_transpose (rows);
#pragma GCC unroll 16
        for (int p = 0; p < LANES; p++)
          vector_store (blocked + (i + p) * B + lane, rows[p]);
      }
}

PRISM_VECTOR_INLINE void
compute_products (Constants k,
                  const float *g,
                  const float *y,
                  gsize n,
                  gsize stride,
                  PrismVector *sum,
                  PrismVector *product)
{
  PrismVector sums[WAYS] = { 0 }, products[WAYS] = { 0 };

  for (gsize i = 0; i < n; i += WAYS)
#pragma GCC unroll 4
    for (int way = 0; way < WAYS; way++)
      {
        PrismVector value = vector_load (y + (i + way) * stride);
        PrismVector h = mask_gradient (k, vector_load (g + (i + way) * stride), value);

        sums[way] += h;
        products[way] += h * (value - k.mean);
      }
  *sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  *product = (products[0] + products[1]) + (products[2] + products[3]);
}

static void
reduce_blocked (const PrismCpuNorm *norm,
                int channel,
                const float *g,
                const float *y,
                gsize n_pixels,
                float *sum,
                float *product)
{
  for (int lane = 0; lane < B; lane += LANES)
    {
      PrismVector s, p;

      compute_products (load_constants (norm, channel + lane), g + lane, y + lane, n_pixels, B, &s,
                        &p);
      vector_store (sum + lane, s);
      vector_store (product + lane, p);
    }
}

static void
reduce_planar (const PrismCpuNorm *norm,
               int channel,
               const float *g,
               const float *y,
               gsize n_pixels,
               float *sum,
               float *product)
{
  PrismVector s, p;

  compute_products (fill_constants (norm, channel), g, y, n_pixels / LANES, LANES, &s, &p);
  *sum = vector_sum (s);
  *product = vector_sum (p);
}

static void
backward_blocked (const PrismCpuNorm *norm,
                  int channel,
                  float *gy,
                  const float *g,
                  const float *y,
                  gsize n_pixels)
{
  for (int lane = 0; lane < B; lane += LANES)
    {
      Constants k = load_constants (norm, channel + lane);

      for (gsize i = lane; i < n_pixels * B; i += B)
        vector_store (gy + i, differentiate (k, vector_load (g + i), vector_load (y + i)));
    }
}

static void
backward_planar (const PrismCpuNorm *norm,
                 int channel,
                 float *gy,
                 const float *g,
                 const float *y,
                 gsize n_pixels)
{
  Constants k = fill_constants (norm, channel);

  for (gsize i = 0; i < n_pixels; i += LANES)
    vector_store (gy + i, differentiate (k, vector_load (g + i), vector_load (y + i)));
}

static void
backward_split (const PrismCpuNorm *norm,
                int channel,
                float *gy,
                float *odd,
                const float *g,
                const float *y,
                gsize n_pixels)
{
  Constants k = fill_constants (norm, channel);

  for (gsize i = 0; i < n_pixels; i += 2 * LANES)
    {
      PrismVector a = differentiate (k, vector_load (g + i), vector_load (y + i));
      PrismVector b = differentiate (k, vector_load (g + i + LANES), vector_load (y + i + LANES));

      vector_deinterleave (&a, &b);
      vector_store (gy + i / 2, a);
      vector_store (odd + i / 2, b);
    }
}

const PrismCpuNormKernels PRISM_VECTOR_SYMBOL (prism_cpu_norm_kernels) = {
  .measure_blocked = measure_blocked,
  .measure_planar = measure_planar,
  .apply_blocked = apply_blocked,
  .apply_transposed = apply_transposed,
  .apply_planar = apply_planar,
  .transpose = transpose,
  .reduce_blocked = reduce_blocked,
  .reduce_planar = reduce_planar,
  .backward_blocked = backward_blocked,
  .backward_planar = backward_planar,
  .backward_split = backward_split,
};
