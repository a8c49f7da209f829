/* Convolutions 3×3 of wide maps: vector lanes are pixels of a row. Always computed with padding 1:
 * without it the result is the same map less its frame, which the decoder cuts.
 *
 * h = in_size, I = in_channels, O = out_channels, M = a map of PRISM_CPU_MAP_SIZE (h) values, P = a
 * plane of PRISM_CPU_PLANE_SIZE (h) values with its border of zeros. x [I][P]; y [O][M]; gout
 * [O][P]; gin [I][h][h]; w [O][I][16], of which 3×3 are used; for backward_data w is [I][O][16] and
 * turned by 180°, which makes it a forward pass. */
#include "config.h"

#include "kernels/prism-cpu-planar.h"
#include "kernels/prism-cpu-vector.h"

#define LANES PRISM_VECTOR_LANES
#define TAPS PRISM_CPU_PLANAR_TAPS

/* A tile has MAX_SPAN vectors of a row for n_channels × n_rows = 4. */
#define MAX_SPAN (LANES == 16 ? 4 : 2)
#define TILE 4
#define MAX_WEIGHT_CHANNELS 4
#define WEIGHT_ROWS (LANES == 16 ? 3 : 1)

/* acc[c][r][v] += for one input channel; x at the tile's first pixel, w at the first channel. */
PRISM_VECTOR_INLINE void
add_channel (PrismVector acc[TILE][TILE][MAX_SPAN],
             const float *x,
             const float *w,
             gsize w_stride,
             gsize stride,
             int n_channels,
             int n_rows,
             int span)
{
#pragma GCC unroll 6
  for (int source = 0; source < n_rows + 2; source++)
#pragma GCC unroll 3
    for (int kx = 0; kx < 3; kx++)
      {
        PrismVector values[MAX_SPAN];

#pragma GCC unroll 4
        for (int v = 0; v < span; v++)
          values[v] = vector_load_once (x + (source - 1) * (gssize) stride + kx - 1 + v * LANES);

#pragma GCC unroll 3
        for (int ky = 0; ky < 3; ky++)
#pragma GCC unroll 4
          for (int c = 0; c < n_channels; c++)
            if (source - ky >= 0 && source - ky < n_rows)
              {
                PrismVector weight = vector_fill (w[c * w_stride + ky * 3 + kx]);

#pragma GCC unroll 4
                for (int v = 0; v < span; v++)
                  acc[c][source - ky][v] += weight * values[v];
              }
      }
}

/* x and y at the tile's first pixel, w and bias at the first channel. */
PRISM_VECTOR_INLINE void
convolve_tile (const PrismCpuPlanarShape *shape,
               float *y,
               gsize y_plane,
               const float *x,
               const float *w,
               const float *bias,
               int n_channels,
               int n_rows,
               int span)
{
  int h = shape->in_size;
  PrismVector acc[TILE][TILE][MAX_SPAN];

#pragma GCC unroll 4
  for (int c = 0; c < n_channels; c++)
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 4
      for (int v = 0; v < span; v++)
        acc[c][r][v] = vector_fill (bias != NULL ? bias[c] : 0.0f);

  for (int i = 0; i < shape->in_channels; i++)
    add_channel (acc, x + i * PRISM_CPU_PLANE_SIZE (h), w + i * TAPS, shape->in_channels * TAPS,
                 PRISM_CPU_PLANE_STRIDE (h), n_channels, n_rows, span);

#pragma GCC unroll 4
  for (int c = 0; c < n_channels; c++)
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 4
      for (int v = 0; v < span; v++)
        vector_store (y + c * y_plane + r * h + v * LANES, acc[c][r][v]);
}

PRISM_VECTOR_INLINE void
convolve_rows (const PrismCpuPlanarShape *shape,
               float *y,
               gsize y_plane,
               const float *x,
               const float *w,
               const float *bias,
               int first_row,
               int n_rows,
               int n_channels,
               int span)
{
  int h = shape->in_size;

  x += PRISM_CPU_PLANE_START (h);
  for (int row = first_row; row < first_row + n_rows; row += TILE / n_channels)
    for (int column = 0; column < h; column += span * LANES)
      convolve_tile (shape, y + (gsize) row * h + column, y_plane,
                     x + row * PRISM_CPU_PLANE_STRIDE (h) + column, w, bias, n_channels,
                     TILE / n_channels, span);
}

static void
convolve_group (const PrismCpuPlanarShape *shape,
                float *y,
                gsize y_plane,
                const float *x,
                const float *w,
                const float *bias,
                int first_row,
                int n_rows,
                int n_channels)
{
  gboolean wide = shape->in_size >= MAX_SPAN * LANES;

  if (wide && n_channels == 4)
    convolve_rows (shape, y, y_plane, x, w, bias, first_row, n_rows, 4, MAX_SPAN);
  else if (wide && n_channels == 2)
    convolve_rows (shape, y, y_plane, x, w, bias, first_row, n_rows, 2, MAX_SPAN);
  else if (wide)
    convolve_rows (shape, y, y_plane, x, w, bias, first_row, n_rows, 1, MAX_SPAN);
  else if (n_channels == 4)
    convolve_rows (shape, y, y_plane, x, w, bias, first_row, n_rows, 4, 1);
  else if (n_channels == 2)
    convolve_rows (shape, y, y_plane, x, w, bias, first_row, n_rows, 2, 1);
  else
    convolve_rows (shape, y, y_plane, x, w, bias, first_row, n_rows, 1, 1);
}

static void
convolve (const PrismCpuPlanarShape *shape,
          float *y,
          gsize y_plane,
          const float *x,
          const float *w,
          const float *bias,
          int first_channel,
          int n_channels,
          int first_row,
          int n_rows)
{
  for (int c = first_channel; c < first_channel + n_channels;)
    {
      int left = first_channel + n_channels - c;
      int n = left >= 4 ? 4 : left >= 2 ? 2
                                        : 1;

      convolve_group (shape, y + c * y_plane, y_plane, x, w + (gsize) c * shape->in_channels * TAPS,
                      bias != NULL ? bias + c : NULL, first_row, n_rows, n);
      c += n;
    }
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
  convolve (shape, y, PRISM_CPU_MAP_SIZE (shape->in_size), x, w, bias, first_channel, n_channels,
            first_row, n_rows);
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
  const PrismCpuPlanarShape turned = { shape->in_size, shape->out_channels, shape->in_channels };

  convolve (&turned, gin, gin_plane, gout, w, NULL, first_channel, n_channels, first_row, n_rows);
}

/* acc[c][r][kx] += over the whole map, for n_rows rows ky of the kernel; x at the first pixel's
 * partner for the first of them, gout at the first pixel of the first channel. */
PRISM_VECTOR_INLINE void
add_map_weights (PrismVector acc[MAX_WEIGHT_CHANNELS][3][3],
                 const float *x,
                 const float *gout,
                 int h,
                 int n_channels,
                 int n_rows)
{
  gsize stride = PRISM_CPU_PLANE_STRIDE (h);
  gsize plane = PRISM_CPU_PLANE_SIZE (h);

  for (int row = 0; row < h; row++, x += stride, gout += stride)
    for (int column = 0; column < h; column += LANES)
      {
        PrismVector g[MAX_WEIGHT_CHANNELS];

#pragma GCC unroll 4
        for (int c = 0; c < n_channels; c++)
          g[c] = LANES == 16 ? vector_load_once (gout + c * plane + column)
                             : vector_load (gout + c * plane + column);

#pragma GCC unroll 3
        for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 3
          for (int kx = 0; kx < 3; kx++)
            {
              PrismVector value = vector_load_once (x + column + r * stride + kx - 1);

#pragma GCC unroll 4
              for (int c = 0; c < n_channels; c++)
                acc[c][r][kx] += g[c] * value;
            }
      }
}

/* Between one input and n_channels output channels; gw_stride between those. */
PRISM_VECTOR_INLINE void
backward_weights_group (float *gw,
                        gsize gw_stride,
                        const float *x,
                        const float *gout,
                        int h,
                        int n_channels,
                        int n_rows)
{
  for (int ky = 0; ky < 3; ky += n_rows)
    {
      PrismVector acc[MAX_WEIGHT_CHANNELS][3][3] = { 0 };

      add_map_weights (acc, x + (ky - 1) * (gssize) PRISM_CPU_PLANE_STRIDE (h), gout, h, n_channels,
                       n_rows);
      for (int c = 0; c < n_channels; c++)
        for (int r = 0; r < n_rows; r++)
          for (int kx = 0; kx < 3; kx++)
            gw[c * gw_stride + (ky + r) * 3 + kx] = vector_sum (acc[c][r][kx]);
    }
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
  gout += first_out * plane + PRISM_CPU_PLANE_START (h);
  for (int i = 0; i < n_in; i++, gw += TAPS, x += plane)
    {
      int o = 0;

      for (; o + 4 <= n_out; o += 4)
        backward_weights_group (gw + o * n_in * TAPS, n_in * TAPS, x, gout + o * plane, h, 4, 1);
      for (; o + 2 <= n_out; o += 2)
        backward_weights_group (gw + o * n_in * TAPS, n_in * TAPS, x, gout + o * plane, h, 2,
                                WEIGHT_ROWS);
      for (; o < n_out; o++)
        backward_weights_group (gw + o * n_in * TAPS, n_in * TAPS, x, gout + o * plane, h, 1, 3);
    }
}

const PrismCpuPlanarKernels PRISM_VECTOR_SYMBOL (prism_cpu_convolve_kernels) = {
  .forward = forward,
  .backward_data = backward_data,
  .backward_weights = backward_weights,
};
