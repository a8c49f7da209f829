/* Transposed convolutions 4×4, stride 2, padding 1 with few output channels and wide maps: vector
 * lanes are pixels of a row.
 *
 * h = in_size, I = in_channels, O = out_channels, M (s) = a map of PRISM_CPU_MAP_SIZE (s) values,
 * P = a plane of PRISM_CPU_PLANE_SIZE (h) values with its border of zeros. x [I][P]; y [O][M (2h)];
 * gout [O][4 parities][P], the pixels of one parity (py, px) each; gin [I][h][h]; w [I][O][4][4].
 * Parities and taps as in prism-cpu-blocked.c. */
#include "config.h"

#include "kernels/prism-cpu-planar.h"
#include "kernels/prism-cpu-vector.h"

#define LANES PRISM_VECTOR_LANES
#define TAPS PRISM_CPU_PLANAR_TAPS

/* Vectors of a row that a tile spans: with two channels and both px this makes 16 accumulators
 * with AVX-512 and 8 otherwise. */
#define MAX_SPAN (LANES == 16 ? 4 : 2)
#define DATA_CHANNELS 4
#define WEIGHT_CHANNELS (LANES == 16 ? 4 : 2)
#define ROWS_IN_CACHE 16

PRISM_VECTOR_INLINE int
tap_index (int parity,
           int a,
           int b)
{
  return (3 - parity / 2 - 2 * a) * 4 + 3 - parity % 2 - 2 * b;
}

static gboolean
is_wide (const PrismCpuPlanarShape *shape)
{
  return shape->in_size >= MAX_SPAN * LANES;
}

/* acc[px][c][v] += for one row of one input channel; w at its weights for tap a and this py. */
PRISM_VECTOR_INLINE void
add_row_forward (PrismVector acc[2][2][MAX_SPAN],
                 const float *x,
                 const float *w,
                 int n_channels,
                 int span)
{
  PrismVector values[3][MAX_SPAN];

#pragma GCC unroll 3
  for (int s = 0; s < 3; s++)
#pragma GCC unroll 4
    for (int v = 0; v < span; v++)
      values[s][v] = vector_load_once (x + s - 1 + v * LANES);

#pragma GCC unroll 2
  for (int c = 0; c < n_channels; c++)
#pragma GCC unroll 2
    for (int px = 0; px < 2; px++)
#pragma GCC unroll 2
      for (int b = 0; b < 2; b++)
        {
          PrismVector weight = vector_fill (w[c * TAPS + 3 - px - 2 * b]);

#pragma GCC unroll 4
          for (int v = 0; v < span; v++)
            acc[px][c][v] += weight * values[px + b][v];
        }
}

/* Both px of one py; x at the tile's first pixel, y at its first output, w at the first channel. */
PRISM_VECTOR_INLINE void
forward_tile (const PrismCpuPlanarShape *shape,
              float *y,
              const float *x,
              const float *w,
              int py,
              int n_channels,
              int span)
{
  gsize stride = PRISM_CPU_PLANE_STRIDE (shape->in_size);
  gsize out_plane = PRISM_CPU_MAP_SIZE (2 * shape->in_size);
  PrismVector acc[2][2][MAX_SPAN] = { 0 };

  x += (py - 1) * (gssize) stride;
  for (int i = 0; i < shape->in_channels; i++)
    {
      add_row_forward (acc, x, w + (3 - py) * 4, n_channels, span);
      add_row_forward (acc, x + stride, w + (1 - py) * 4, n_channels, span);
      x += PRISM_CPU_PLANE_SIZE (shape->in_size);
      w += shape->out_channels * TAPS;
    }

#pragma GCC unroll 2
  for (int c = 0; c < n_channels; c++)
#pragma GCC unroll 4
    for (int v = 0; v < span; v++)
      vector_store_interleaved (y + c * out_plane + 2 * v * LANES, acc[0][c][v], acc[1][c][v]);
}

PRISM_VECTOR_INLINE void
forward_rows (const PrismCpuPlanarShape *shape,
              float *y,
              const float *x,
              const float *w,
              int first_row,
              int n_rows,
              int n_channels,
              int span)
{
  int h = shape->in_size;

  x += PRISM_CPU_PLANE_START (h);
  for (int row = first_row; row < first_row + n_rows; row++)
    for (int py = 0; py < 2; py++)
      for (int column = 0; column < h; column += span * LANES)
        forward_tile (shape, y + (gsize) (2 * row + py) * 2 * h + 2 * column,
                      x + row * PRISM_CPU_PLANE_STRIDE (h) + column, w, py, n_channels, span);
}

static void
forward (const PrismCpuPlanarShape *shape,
         float *y,
         const float *x,
         const float *w,
         const float *bias,
         int first_channel,
         int n_channels,
         int first_row,
         int n_rows)
{
  gsize out_plane = PRISM_CPU_MAP_SIZE (2 * shape->in_size);

  y += first_channel * out_plane;
  w += first_channel * TAPS;
  while (n_channels > 0)
    {
      int n = MIN (n_channels, 2);

      if (n == 2 && is_wide (shape))
        forward_rows (shape, y, x, w, first_row, n_rows, 2, MAX_SPAN);
      else
        for (int c = 0; c < n; c++)
          forward_rows (shape, y + c * out_plane, x, w + c * TAPS, first_row, n_rows, 1, 1);
      y += n * out_plane;
      w += n * TAPS;
      n_channels -= n;
    }
}

/* acc[c][v] += for one output channel; gout at the tile's first pixel in its first parity. */
PRISM_VECTOR_INLINE void
add_channel_data (PrismVector acc[DATA_CHANNELS][MAX_SPAN],
                  const float *gout,
                  const float *w,
                  gsize w_stride,
                  gsize stride,
                  gsize plane,
                  int n_channels,
                  int span)
{
#pragma GCC unroll 4
  for (int parity = 0; parity < 4; parity++)
#pragma GCC unroll 4
    for (int t = 0; t < 4; t++)
      {
        int a = t / 2, b = t % 2;
        const float *g
            = gout + parity * plane + (1 - parity / 2 - a) * (gssize) stride + 1 - parity % 2 - b;
        PrismVector values[MAX_SPAN];

        /* Too many planes at once for the processor to foresee the next row by itself. */
        __builtin_prefetch (gout + parity * plane + 2 * stride + t * LANES, 0, 3);

#pragma GCC unroll 4
        for (int v = 0; v < span; v++)
          values[v] = vector_load_once (g + v * LANES);

#pragma GCC unroll 4
        for (int c = 0; c < n_channels; c++)
          {
            PrismVector weight = vector_fill (w[c * w_stride + tap_index (parity, a, b)]);

#pragma GCC unroll 4
            for (int v = 0; v < span; v++)
              acc[c][v] += weight * values[v];
          }
      }
}

/* gout and gin at the tile's first pixel, w at the first input channel. */
PRISM_VECTOR_INLINE void
backward_data_tile (const PrismCpuPlanarShape *shape,
                    float *gin,
                    gsize gin_plane,
                    const float *gout,
                    const float *w,
                    int n_channels,
                    int span)
{
  int h = shape->in_size;
  gsize plane = PRISM_CPU_PLANE_SIZE (h);
  PrismVector acc[DATA_CHANNELS][MAX_SPAN] = { 0 };

  for (int o = 0; o < shape->out_channels; o++)
    add_channel_data (acc, gout + o * 4 * plane, w + o * TAPS, shape->out_channels * TAPS,
                      PRISM_CPU_PLANE_STRIDE (h), plane, n_channels, span);

#pragma GCC unroll 4
  for (int c = 0; c < n_channels; c++)
#pragma GCC unroll 4
    for (int v = 0; v < span; v++)
      vector_store (gin + c * gin_plane + v * LANES, acc[c][v]);
}

PRISM_VECTOR_INLINE void
backward_data_rows (const PrismCpuPlanarShape *shape,
                    float *gin,
                    gsize gin_plane,
                    const float *gout,
                    const float *w,
                    int first_row,
                    int n_rows,
                    int n_channels,
                    int span)
{
  int h = shape->in_size;

  gout += PRISM_CPU_PLANE_START (h);
  for (int row = first_row; row < first_row + n_rows; row++)
    for (int column = 0; column < h; column += span * LANES)
      backward_data_tile (shape, gin + (gsize) row * h + column, gin_plane,
                          gout + row * PRISM_CPU_PLANE_STRIDE (h) + column, w, n_channels, span);
}

static void
backward_data (const PrismCpuPlanarShape *shape,
               float *gin,
               gsize gin_plane,
               const float *gout,
               const float *w,
               int first_channel,
               int n_channels,
               int first_row,
               int n_rows)
{
  gsize w_stride = shape->out_channels * TAPS;

  gin += first_channel * gin_plane;
  w += first_channel * w_stride;
  while (n_channels > 0)
    {
      int n = MIN (n_channels, DATA_CHANNELS);

      if (n == DATA_CHANNELS && is_wide (shape))
        backward_data_rows (shape, gin, gin_plane, gout, w, first_row, n_rows, DATA_CHANNELS,
                            MAX_SPAN);
      else
        for (int c = 0; c < n; c++)
          backward_data_rows (shape, gin + c * gin_plane, gin_plane, gout, w + c * w_stride,
                              first_row, n_rows, 1, 1);
      gin += n * gin_plane;
      w += n * w_stride;
      n_channels -= n;
    }
}

/* acc[c][t] += over some rows of one parity's plane; x and gout at the first pixel. */
PRISM_VECTOR_INLINE void
add_rows_weights (PrismVector acc[WEIGHT_CHANNELS][4],
                  const float *x,
                  const float *gout,
                  int parity,
                  int h,
                  int n_rows,
                  int n_channels)
{
  gsize stride = PRISM_CPU_PLANE_STRIDE (h);
  gsize plane = PRISM_CPU_PLANE_SIZE (h);

  gout += (1 - parity / 2) * stride + 1 - parity % 2;
  for (int row = 0; row < n_rows; row++, x += stride, gout += stride)
    for (int column = 0; column < h; column += LANES)
      {
        PrismVector g[4];

#pragma GCC unroll 4
        for (int t = 0; t < 4; t++)
          g[t] = vector_load_once (gout + column - t / 2 * (gssize) stride - t % 2);

#pragma GCC unroll 4
        for (int c = 0; c < n_channels; c++)
          {
            PrismVector value = vector_load_once (x + c * plane + column);

#pragma GCC unroll 4
            for (int t = 0; t < 4; t++)
              acc[c][t] += value * g[t];
          }
      }
}

/* x and gout at the first pixel of the first channel. */
PRISM_VECTOR_INLINE void
backward_weights_group (float *gw,
                        const float *x,
                        const float *gout,
                        int h,
                        int n_channels)
{
  gsize stride = PRISM_CPU_PLANE_STRIDE (h);
  PrismVector acc[4][WEIGHT_CHANNELS][4] = { 0 };

  for (int row = 0; row < h; row += ROWS_IN_CACHE)
    for (int parity = 0; parity < 4; parity++)
      add_rows_weights (acc[parity], x + row * stride,
                        gout + parity * PRISM_CPU_PLANE_SIZE (h) + row * stride, parity, h,
                        ROWS_IN_CACHE, n_channels);

  for (int parity = 0; parity < 4; parity++)
    for (int c = 0; c < n_channels; c++)
      for (int t = 0; t < 4; t++)
        gw[c * TAPS + tap_index (parity, t / 2, t % 2)] = vector_sum (acc[parity][c][t]);
}

static void
backward_weights (const PrismCpuPlanarShape *shape,
                  float *gw,
                  const float *x,
                  const float *gout,
                  int first_in,
                  int n_in,
                  int first_out,
                  int n_out)
{
  int h = shape->in_size;
  gsize plane = PRISM_CPU_PLANE_SIZE (h);

  x += first_in * plane + PRISM_CPU_PLANE_START (h);
  gout += first_out * 4 * plane + PRISM_CPU_PLANE_START (h);
  for (int o = 0; o < n_out; o++, gw += n_in * TAPS, gout += 4 * plane)
    {
      int i = 0;

      for (; i + WEIGHT_CHANNELS <= n_in; i += WEIGHT_CHANNELS)
        backward_weights_group (gw + i * TAPS, x + i * plane, gout, h, WEIGHT_CHANNELS);
      for (; i < n_in; i++)
        backward_weights_group (gw + i * TAPS, x + i * plane, gout, h, 1);
    }
}

const PrismCpuPlanarKernels PRISM_VECTOR_SYMBOL (prism_cpu_double_kernels) = {
  .forward = forward,
  .backward_data = backward_data,
  .backward_weights = backward_weights,
};
