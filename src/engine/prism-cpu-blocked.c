/* Transposed convolutions 4×4, stride 2, padding 1 of maps with many channels: vector lanes are
 * channels.
 *
 * One such layer is four 2×2 convolutions, one for each parity (py, px) of the output pixel: with
 * ky = 3 - py - 2a, kx = 3 - px - 2b and a, b ∈ {0, 1}
 *   y[2i+py][2j+px] = Σ_ci Σ_ab w[ci][ky][kx] · x[ci][i+py+a-1][j+px+b-1].
 *
 * h = in_size, B = PRISM_CPU_BLOCK channels of a block, I and O = blocks of in and out channels.
 * Activations have a border of zeros: x [I][h+2][h+2][B], gout [O][2h+2][2h+2][B]; y and gin have none.
 * w [O][4 parities][I·B channels][4 taps ab][B]. */
#include "config.h"

#include "prism-cpu-blocked.h"
#include "prism-cpu-vector.h"

#include <string.h>

#define LANES PRISM_VECTOR_LANES
#define B PRISM_CPU_BLOCK
#define TAPS 4
#define PARITIES 4

/* Tiles that keep the accumulators, the weights of one channel and an operand in registers: 16 + 5
 * of 32 with AVX-512, 8 + 5 of 16 otherwise. */
#define TILE_COLUMNS 4
#define TILE_ROWS (LANES == 16 ? 4 : 2)
/* Where few output channels meet many pixels, turning the weights costs less than the sums across
 * lanes at the end of each tile. */
#define MIN_TURNED_SIZE 16
#define MAX_TURNED_BLOCKS 2
#define DATA_CHANNELS (LANES == 16 ? 4 : 2)
#define WEIGHT_CHANNELS 4
#define WEIGHT_ROWS (LANES == 16 ? 2 : 1)

/* acc[r][q] += Σ over the channels of one block; x at the tile's first pixel for tap (0, 0). */
PRISM_VECTOR_INLINE void
add_block (PrismVector acc[TILE_ROWS][TILE_COLUMNS],
           const float *x,
           const float *w,
           gsize row_stride,
           gsize pixel_stride)
{
  for (int c = 0; c < B; c++, w += TAPS * B)
    {
      PrismVector weights[TAPS];

#pragma GCC unroll 4
      for (int t = 0; t < TAPS; t++)
        weights[t] = vector_load (w + t * B);

#pragma GCC unroll 5
      for (int r = 0; r <= TILE_ROWS; r++)
#pragma GCC unroll 5
        for (int q = 0; q <= TILE_COLUMNS; q++)
          {
            PrismVector value = vector_fill (x[r * row_stride + q * pixel_stride + c]);

#pragma GCC unroll 4
            for (int t = 0; t < TAPS; t++)
              {
                int row = r - t / 2, column = q - t % 2;

                if (row >= 0 && row < TILE_ROWS && column >= 0 && column < TILE_COLUMNS)
                  acc[row][column] += value * weights[t];
              }
          }
    }
}

PRISM_VECTOR_INLINE void
store_tile (PrismVector acc[TILE_ROWS][TILE_COLUMNS],
            float *y,
            gsize row_stride,
            gsize pixel_stride)
{
#pragma GCC unroll 4
  for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
    for (int q = 0; q < TILE_COLUMNS; q++)
      vector_store (y + r * row_stride + q * pixel_stride, acc[r][q]);
}

/* One tile of one parity and LANES output channels; x at its tap (0, 0), y at its first pixel. */
static void
forward_tile (const PrismCpuBlockedShape *shape,
              float *y,
              const float *x,
              const float *w)
{
  gsize row_stride = (gsize) (shape->in_size + 2) * B;
  gsize block_stride = row_stride * (shape->in_size + 2);
  PrismVector acc[TILE_ROWS][TILE_COLUMNS] = { 0 };

  for (int i = 0; i < shape->in_blocks; i++)
    add_block (acc, x + i * block_stride, w + (gsize) i * B * TAPS * B, row_stride, B);
  store_tile (acc, y, (gsize) 4 * shape->in_size * B, 2 * B);
}

static void
forward (const PrismCpuBlockedShape *shape,
         float *y,
         const float *x,
         const float *w,
         int block,
         int first_row,
         int n_rows)
{
  int h = shape->in_size;
  gsize parity_stride = (gsize) shape->in_blocks * B * TAPS * B;

  y += (gsize) block * 4 * h * h * B;
  w += block * PARITIES * parity_stride;
  for (int parity = 0; parity < PARITIES; parity++)
    for (int row = first_row; row < first_row + n_rows; row += TILE_ROWS)
      for (int column = 0; column < h; column += TILE_COLUMNS)
        for (int lane = 0; lane < B; lane += LANES)
          {
            int py = parity / 2, px = parity % 2;

            forward_tile (shape, y + ((gsize) (2 * row + py) * 2 * h + 2 * column + px) * B + lane,
                          x + ((gsize) (row + py) * (h + 2) + column + px) * B,
                          w + parity * parity_stride + lane);
          }
}

/* acc[q][c] += for one parity and LANES channels of gout; gout at the tile's pixel for tap (0, 0), w
 * at its first channel. */
PRISM_VECTOR_INLINE void
add_taps_data (PrismVector acc[TILE_COLUMNS][DATA_CHANNELS],
               const float *gout,
               const float *w,
               gsize row_stride)
{
#pragma GCC unroll 2
  for (int a = 0; a < 2; a++)
    {
      PrismVector g[TILE_COLUMNS + 1];

#pragma GCC unroll 5
      for (int s = 0; s <= TILE_COLUMNS; s++)
        g[s] = vector_load (gout - a * 2 * row_stride + (s - 1) * 2 * B);

#pragma GCC unroll 4
      for (int c = 0; c < DATA_CHANNELS; c++)
#pragma GCC unroll 2
        for (int b = 0; b < 2; b++)
          {
            PrismVector weight = vector_load (w + (c * TAPS + 2 * a + b) * B);

#pragma GCC unroll 4
            for (int q = 0; q < TILE_COLUMNS; q++)
              acc[q][c] += weight * g[q - b + 1];
          }
    }
}

/* gin of a tile of pixels and channels; gout at pixel (2·row, 2·column), w at the first channel. */
static void
backward_data_tile (const PrismCpuBlockedShape *shape,
                    float *gin,
                    const float *gout,
                    const float *w)
{
  gsize row_stride = (gsize) (2 * shape->in_size + 2) * B;
  gsize block_stride = row_stride * (2 * shape->in_size + 2);
  gsize parity_stride = (gsize) shape->in_blocks * B * TAPS * B;
  union
  {
    PrismVector tile[TILE_COLUMNS][DATA_CHANNELS];
    PrismVector list[TILE_COLUMNS * DATA_CHANNELS];
  } acc = { 0 };
  float sums[TILE_COLUMNS * DATA_CHANNELS];

  for (int o = 0; o < shape->out_blocks; o++)
    for (int parity = 0; parity < PARITIES; parity++, w += parity_stride)
      for (int lane = 0; lane < B; lane += LANES)
        {
          gsize first = (3 - parity / 2) * row_stride + (3 - parity % 2) * B + lane;

          add_taps_data (acc.tile, gout + o * block_stride + first, w + lane, row_stride);
        }

  for (int i = 0; i < TILE_COLUMNS * DATA_CHANNELS; i += LANES)
    vector_store (sums + i, vector_sum_each (acc.list + i));
  for (int q = 0; q < TILE_COLUMNS; q++)
    memcpy (gin + q * B, sums + q * DATA_CHANNELS, DATA_CHANNELS * sizeof (float));
}

static void
backward_data_summed (const PrismCpuBlockedShape *shape,
                      float *gin,
                      const float *gout,
                      const float *w,
                      int first_row,
                      int n_rows)
{
  int h = shape->in_size;

  for (int c = 0; c < B; c += DATA_CHANNELS)
    for (int row = first_row; row < first_row + n_rows; row++)
      for (int column = 0; column < h; column += TILE_COLUMNS)
        backward_data_tile (shape, gin + ((gsize) row * h + column) * B + c,
                            gout + ((gsize) 2 * row * (2 * h + 2) + 2 * column) * B,
                            w + c * TAPS * B);
}

/* 16 input channels of one output block and parity: w [16][4 taps][16] → turned [16][4 taps][16] with
 * in and out channels exchanged and the taps in reverse. */
static void
turn_block (float *turned,
            const float *w)
{
  for (int t = 0; t < TAPS; t++)
    for (int in = 0; in < B; in += LANES)
      for (int out = 0; out < B; out += LANES)
        {
          PrismVector rows[LANES];

#pragma GCC unroll 16
          for (int i = 0; i < LANES; i++)
            rows[i] = vector_load (w + ((in + i) * TAPS + t) * B + out);
          vector_transpose (rows);
#pragma GCC unroll 16
          for (int i = 0; i < LANES; i++)
            vector_store (turned + ((out + i) * TAPS + TAPS - 1 - t) * B + in, rows[i]);
        }
}

/* One tile of LANES input channels; gin at its first pixel, gout at pixel (2·row, 2·column). */
static void
turned_tile (const PrismCpuBlockedShape *shape,
             float *gin,
             const float *gout,
             const float *turned)
{
  int h = shape->in_size;
  gsize row_stride = (gsize) (2 * h + 2) * B;
  gsize block_stride = row_stride * (2 * h + 2);
  PrismVector acc[TILE_ROWS][TILE_COLUMNS] = { 0 };

  for (int o = 0; o < shape->out_blocks; o++)
    for (int parity = 0; parity < PARITIES; parity++, turned += B * TAPS * B)
      add_block (acc,
                 gout + o * block_stride + (1 - parity / 2) * row_stride + (1 - parity % 2) * B,
                 turned, 2 * row_stride, 2 * B);
  store_tile (acc, gin, (gsize) h * B, B);
}

/* Turned weights make lanes of the input channels, so that no sums across lanes are needed. */
static void
backward_data_turned (const PrismCpuBlockedShape *shape,
                      float *gin,
                      const float *gout,
                      const float *w,
                      int first_row,
                      int n_rows)
{
  _Alignas(64) float turned[MAX_TURNED_BLOCKS * PARITIES * B * TAPS * B];
  int h = shape->in_size;
  gsize parity_stride = (gsize) shape->in_blocks * B * TAPS * B;

  for (int i = 0; i < shape->out_blocks * PARITIES; i++)
    turn_block (turned + i * B * TAPS * B, w + i * parity_stride);
  for (int row = first_row; row < first_row + n_rows; row += TILE_ROWS)
    for (int column = 0; column < h; column += TILE_COLUMNS)
      for (int lane = 0; lane < B; lane += LANES)
        turned_tile (shape, gin + ((gsize) row * h + column) * B + lane,
                     gout + ((gsize) 2 * row * (2 * h + 2) + 2 * column) * B, turned + lane);
}

static void
backward_data (const PrismCpuBlockedShape *shape,
               float *gin,
               const float *gout,
               const float *w,
               int block,
               int first_row,
               int n_rows)
{
  gin += (gsize) block * shape->in_size * shape->in_size * B;
  w += (gsize) block * B * TAPS * B;
  if (shape->in_size >= MIN_TURNED_SIZE && shape->out_blocks <= MAX_TURNED_BLOCKS)
    backward_data_turned (shape, gin, gout, w, first_row, n_rows);
  else
    backward_data_summed (shape, gin, gout, w, first_row, n_rows);
}

/* acc[c][t] += over TILE_COLUMNS pixels of a row, for the taps with a = 0 … WEIGHT_ROWS - 1 counted
 * from where gout stands. */
PRISM_VECTOR_INLINE void
add_taps_weights (PrismVector acc[WEIGHT_CHANNELS][2 * WEIGHT_ROWS],
                  const float *x,
                  const float *gout,
                  gsize row_stride)
{
#pragma GCC unroll 2
  for (int a = 0; a < WEIGHT_ROWS; a++)
    {
      PrismVector g[TILE_COLUMNS + 1];

#pragma GCC unroll 5
      for (int s = 0; s <= TILE_COLUMNS; s++)
        g[s] = vector_load (gout - a * 2 * row_stride + (s - 1) * 2 * B);

#pragma GCC unroll 4
      for (int q = 0; q < TILE_COLUMNS; q++)
#pragma GCC unroll 4
        for (int c = 0; c < WEIGHT_CHANNELS; c++)
          {
            PrismVector value = vector_fill (x[q * B + c]);

            acc[c][2 * a] += value * g[q + 1];
            acc[c][2 * a + 1] += value * g[q];
          }
    }
}

/* LANES output channels; x at the first pixel, gout at the first pixel's partner for the first tap. */
static void
backward_weights_tile (const PrismCpuBlockedShape *shape,
                       float *gw,
                       const float *x,
                       const float *gout)
{
  int h = shape->in_size;
  gsize row_stride = (gsize) (2 * h + 2) * B;
  PrismVector acc[WEIGHT_CHANNELS][2 * WEIGHT_ROWS] = { 0 };

  for (int row = 0; row < h; row++)
    for (int column = 0; column < h; column += TILE_COLUMNS)
      add_taps_weights (acc, x + ((gsize) row * (h + 2) + column) * B,
                        gout + 2 * row * row_stride + 2 * column * B, row_stride);

#pragma GCC unroll 4
  for (int c = 0; c < WEIGHT_CHANNELS; c++)
#pragma GCC unroll 4
    for (int t = 0; t < 2 * WEIGHT_ROWS; t++)
      vector_store (gw + (c * TAPS + t) * B, acc[c][t]);
}

static void
backward_weights (const PrismCpuBlockedShape *shape,
                  float *gw,
                  const float *x,
                  const float *gout,
                  int block,
                  int parity,
                  int first_channel,
                  int n_channels)
{
  int h = shape->in_size;
  gsize row_stride = (gsize) (2 * h + 2) * B;

  gout += block * row_stride * (2 * h + 2) + (3 - parity / 2) * row_stride + (3 - parity % 2) * B;
  for (int c = 0; c < n_channels; c += WEIGHT_CHANNELS)
    {
      int channel = first_channel + c;
      const float *plane = x + (gsize) (channel / B) * (h + 2) * (h + 2) * B + channel % B;

      for (int a = 0; a < 2; a += WEIGHT_ROWS)
        for (int lane = 0; lane < B; lane += LANES)
          backward_weights_tile (shape, gw + (c * TAPS + 2 * a) * B + lane, plane + (h + 3) * B,
                                 gout - a * 2 * row_stride + lane);
    }
}

const PrismCpuBlockedKernels PRISM_VECTOR_SYMBOL (prism_cpu_blocked_kernels) = {
  .forward = forward,
  .backward_data = backward_data,
  .backward_weights = backward_weights,
};
