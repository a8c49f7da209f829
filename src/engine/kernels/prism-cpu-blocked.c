/* Transposed convolutions 4×4, stride 2, padding 1 of maps with many channels: vector lanes are
 * channels.
 *
 * One such layer is four 2×2 convolutions, one for each parity (py, px) of the output pixel: with
 * ky = 3 - py - 2a, kx = 3 - px - 2b and a, b ∈ {0, 1}
 *   y[2i+py][2j+px] = Σ_ci Σ_ab w[ci][ky][kx] · x[ci][i+py+a-1][j+px+b-1].
 * Winograd's F(2×2, 2×2) does each with 9 products where the definition has 16. In one dimension,
 * with c = i + p, X = x[c] and δ[c] = x[c+1] - x[c], the outputs i and i+1 of a tile are
 *   y[i]   = x[c-1]·w0 + x[c]·w1   = X·(w0 + w1) - δ[c-1]·w0,
 *   y[i+1] = x[c]·w0   + x[c+1]·w1 = X·(w0 + w1) + δ[c]·w1,
 * three products for four. The gradient of x has the same form with g[i+1-p] for X and the taps in
 * reverse, and that of the weights is
 *   gw0 = X·(g0 + g1) - δ[c-1]·g0, gw1 = X·(g0 + g1) + δ[c]·g1.
 * Products are summed over channels (or tiles) and only then put together. Sums of weights are made
 * on the way: additions have units of their own.
 *
 * h = in_size, B = PRISM_CPU_BLOCK channels of a block, I and O = blocks of in and out channels.
 * x [I][4 maps][h+2][h+2][B]: the map with its border of zeros, its differences by columns, by
 * rows, by both, each at the place of the first of what is subtracted. y [O][2h][2h][B];
 * gin [I][h][h][B]; gout [O][2h+2][2h+2][B] with border;
 * w [O][4 parities][I·B channels][4 taps ab][B]. */
#include "config.h"

#include "kernels/prism-cpu-blocked.h"
#include "kernels/prism-cpu-vector.h"

#define LANES PRISM_VECTOR_LANES
#define B PRISM_CPU_BLOCK
#define TAPS 4
#define PARITIES 4
#define MAPS 4

/* Accumulators: three products for so many tiles of 2×2 outputs, or for so many channels. That and
 * what feeds them fills the registers, of which AVX-512 has 32 and the others 16. */
#define MAX_TILES (LANES == 16 ? 8 : 4)
#define WEIGHT_CHANNELS (LANES == 16 ? 8 : 4)

/* Rows of gin that backward_data() does from one set of differenced maps. */
#define DATA_ROWS 4

typedef enum
{
  ROW_BEFORE, /* difference of rows c-1 and c, times the first tap */
  ROW_CENTRE, /* row c, times the sum of the taps */
  ROW_AFTER,  /* difference of rows c and c+1, times the second tap */
} Row;

/* Maps of which tiles are made; strides in values. */
typedef struct
{
  gsize row;
  gsize map;
  gsize block; /* from 16 channels to the next */
} Strides;

/* From the taps of the first row, and those of the second row_stride behind: the factors of the
 * three products by columns. */
PRISM_VECTOR_INLINE void
load_triple (PrismVector triple[3],
             const float *first,
             const float *second,
             gssize row_stride,
             Row row)
{
  triple[0] = vector_load (first + (row == ROW_AFTER ? row_stride : 0));
  triple[2] = vector_load (second + (row == ROW_AFTER ? row_stride : 0));
  if (row == ROW_CENTRE)
    {
      triple[0] += vector_load (first + row_stride);
      triple[2] += vector_load (second + row_stride);
    }
  triple[1] = triple[0] + triple[2];
}

/* From the centre of a tile in the map to the factor of a row of products: the map itself or its
 * difference by rows. */
PRISM_VECTOR_INLINE const float *
get_plain (const float *x,
           Strides strides,
           Row row)
{
  if (row == ROW_CENTRE)
    return x;
  return x + 2 * strides.map - (row == ROW_BEFORE ? strides.row : 0);
}

/* acc[product][tile] += for the channels of one block; plain at the first tile's centre. */
PRISM_VECTOR_INLINE void
add_block (PrismVector acc[3][MAX_TILES],
           const float *plain,
           const float *w,
           Strides strides,
           Row row,
           int tile_rows,
           int tile_columns)
{
  for (int c = 0; c < B; c++, w += TAPS * B, plain++)
    {
      PrismVector weights[3];

      load_triple (weights, w, w + B, 2 * B, row);
#pragma GCC unroll 8
      for (int t = 0; t < tile_rows * tile_columns; t++)
        {
          const float *centre
              = plain + t / tile_columns * 2 * strides.row + t % tile_columns * 2 * B;

          acc[0][t] += vector_fill (centre[strides.map - B]) * weights[0];
          acc[1][t] += vector_fill (centre[0]) * weights[1];
          acc[2][t] += vector_fill (centre[strides.map]) * weights[2];
        }
    }
}

/* Puts a row of products together: first and second row of outputs of one tile. */
PRISM_VECTOR_INLINE void
add_outputs (float *first,
             float *second,
             gsize column_stride,
             PrismVector left,
             PrismVector right,
             Row row)
{
  if (row == ROW_CENTRE)
    {
      vector_store (first, left);
      vector_store (first + column_stride, right);
      vector_store (second, left);
      vector_store (second + column_stride, right);
    }
  else if (row == ROW_BEFORE)
    {
      vector_store (first, vector_load (first) - left);
      vector_store (first + column_stride, vector_load (first + column_stride) - right);
    }
  else
    {
      vector_store (second, vector_load (second) + left);
      vector_store (second + column_stride, vector_load (second + column_stride) + right);
    }
}

/* n_blocks blocks of channels into a tile's outputs, which are pixel_stride and row_stride apart; x
 * at the first tile's centre. */
PRISM_VECTOR_INLINE void
multiply_row (float *y,
              gsize row_stride,
              gsize pixel_stride,
              const float *x,
              const float *w,
              Strides strides,
              int n_blocks,
              Row row,
              int tile_rows,
              int tile_columns)
{
  const float *plain = get_plain (x, strides, row);
  PrismVector acc[3][MAX_TILES] = { 0 };

  for (int i = 0; i < n_blocks; i++)
    add_block (acc, plain + i * strides.block, w + (gsize) i * B * TAPS * B, strides, row,
               tile_rows, tile_columns);
#pragma GCC unroll 8
  for (int t = 0; t < tile_rows * tile_columns; t++)
    {
      float *first = y + t / tile_columns * 2 * row_stride + t % tile_columns * 2 * pixel_stride;

      add_outputs (first, first + row_stride, pixel_stride, acc[1][t] - acc[0][t],
                   acc[1][t] + acc[2][t], row);
    }
}

/* All tiles of some rows; x at the first centre, y at the first output. */
PRISM_VECTOR_INLINE void
multiply_tiles (float *y,
                gsize row_stride,
                gsize pixel_stride,
                const float *x,
                const float *w,
                Strides strides,
                int n_blocks,
                int n_rows,
                int n_columns,
                int tile_rows,
                int tile_columns)
{
  for (int i = 0; i < n_rows; i += 2 * tile_rows)
    for (int j = 0; j < n_columns; j += 2 * tile_columns)
      {
        float *outputs = y + i * row_stride + j * pixel_stride;
        const float *centre = x + i * strides.row + j * B;

        multiply_row (outputs, row_stride, pixel_stride, centre, w, strides, n_blocks, ROW_CENTRE,
                      tile_rows, tile_columns);
        multiply_row (outputs, row_stride, pixel_stride, centre, w, strides, n_blocks, ROW_BEFORE,
                      tile_rows, tile_columns);
        multiply_row (outputs, row_stride, pixel_stride, centre, w, strides, n_blocks, ROW_AFTER,
                      tile_rows, tile_columns);
      }
}

static void
multiply (float *y,
          gsize row_stride,
          gsize pixel_stride,
          const float *x,
          const float *w,
          Strides strides,
          int n_blocks,
          int n_rows,
          int n_columns)
{
  if (n_columns >= 2 * MAX_TILES)
    multiply_tiles (y, row_stride, pixel_stride, x, w, strides, n_blocks, n_rows, n_columns, 1,
                    MAX_TILES);
  else if (n_columns >= 8)
    multiply_tiles (y, row_stride, pixel_stride, x, w, strides, n_blocks, n_rows, n_columns, 1, 4);
  else
    multiply_tiles (y, row_stride, pixel_stride, x, w, strides, n_blocks, n_rows, n_columns, 2, 2);
}

static Strides
get_input_strides (const PrismCpuBlockedShape *shape)
{
  gsize h = shape->in_size;

  return (Strides) { (h + 2) * B, (h + 2) * (h + 2) * B, PRISM_CPU_BLOCKED_SIZE (h) * B };
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
  Strides strides = get_input_strides (shape);
  gsize parity_stride = (gsize) shape->in_blocks * B * TAPS * B;
  gsize out_row = (gsize) 2 * h * B;

  y += block * 2 * h * out_row;
  w += block * PARITIES * parity_stride;
  for (int parity = 0; parity < PARITIES; parity++)
    for (int lane = 0; lane < B; lane += LANES)
      {
        int py = parity / 2, px = parity % 2;

        multiply (y + (2 * first_row + py) * out_row + px * B + lane, 2 * out_row, 2 * B,
                  x + (first_row + py + 1) * strides.row + (px + 1) * B,
                  w + parity * parity_stride + lane, strides, shape->in_blocks, n_rows, h);
      }
}

/* 16 input channels of one output block and parity: w [16][4 taps][16] → turned [16][4 taps][16]
 * with in and out channels exchanged and the taps in reverse. */
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

/* maps [4][DATA_ROWS][h][B] of one parity's gradient as forward() has them of its input; gout at
 * the first pixel. */
static void
split_parity (float *maps,
              const float *gout,
              int h)
{
  gsize map = (gsize) DATA_ROWS * h * B;
  gsize gout_row = (gsize) (2 * h + 2) * B;

  for (int row = 0; row < DATA_ROWS; row++, gout += 2 * gout_row)
    for (int lane = 0; lane < B; lane += LANES)
      {
        const float *g = gout + lane;
        float *m = maps + (gsize) row * h * B + lane;
        PrismVector here = vector_load (g), below = vector_load (g + 2 * gout_row);

        for (int column = 0; column < h; column++, m += B)
          {
            PrismVector right, right_below;

            g += 2 * B;
            right = vector_load (g);
            right_below = vector_load (g + 2 * gout_row);
            vector_store (m, here);
            vector_store (m + map, right - here);
            vector_store (m + 2 * map, below - here);
            vector_store (m + 3 * map, (right_below - below) - (right - here));
            here = right;
            below = right_below;
          }
      }
}

static gsize
get_turned_size (const PrismCpuBlockedShape *shape)
{
  return (gsize) PRISM_CPU_BLOCKED_GROUP * shape->out_blocks * PARITIES * B * TAPS * B;
}

static gsize
get_scratch_size (const PrismCpuBlockedShape *shape)
{
  return get_turned_size (shape)
         + (gsize) shape->out_blocks * PARITIES * MAPS * DATA_ROWS * shape->in_size * B;
}

/* Up to PRISM_CPU_BLOCKED_GROUP blocks of the input, as a forward pass from all parities of gout
 * with turned weights. Turning and differencing cost a sixth of it; lanes of output channels would
 * need neither, but sums across lanes. */
static void
backward_group (const PrismCpuBlockedShape *shape,
                float *gin,
                const float *gout,
                const float *w,
                int n_blocks,
                int first_row,
                int n_rows,
                float *scratch)
{
  int h = shape->in_size, n_parities = shape->out_blocks * PARITIES;
  gsize map = (gsize) DATA_ROWS * h * B, pixels = (gsize) (2 * h + 2) * B;
  Strides strides = { (gsize) h * B, map, MAPS * map };
  float *maps = scratch + get_turned_size (shape);

  for (int i = 0; i < n_blocks * n_parities; i++)
    turn_block (scratch + i * B * TAPS * B,
                w + ((gsize) i % n_parities * shape->in_blocks + i / n_parities) * B * TAPS * B);
  for (int row = first_row; row < first_row + n_rows; row += DATA_ROWS)
    {
      for (int i = 0; i < n_parities; i++)
        {
          const float *plane = gout + i / PARITIES * pixels * (2 * h + 2);

          split_parity (maps + i * MAPS * map,
                        plane + (2 * row + 1 - i % PARITIES / 2) * pixels + (1 - i % 2) * B, h);
        }
      for (int block = 0; block < n_blocks; block++)
        for (int lane = 0; lane < B; lane += LANES)
          multiply (gin + ((gsize) block * h + row) * h * B + lane, (gsize) h * B, B,
                    maps + strides.row + B, scratch + block * n_parities * B * TAPS * B + lane,
                    strides, n_parities, DATA_ROWS, h);
    }
}

static void
backward_data (const PrismCpuBlockedShape *shape,
               float *gin,
               const float *gout,
               const float *w,
               int first_block,
               int n_blocks,
               int first_row,
               int n_rows,
               float *scratch)
{
  for (int i = first_block; i < first_block + n_blocks; i += PRISM_CPU_BLOCKED_GROUP)
    backward_group (shape, gin + (gsize) i * shape->in_size * shape->in_size * B, gout,
                    w + (gsize) i * B * TAPS * B,
                    MIN (PRISM_CPU_BLOCKED_GROUP, first_block + n_blocks - i), first_row, n_rows,
                    scratch);
}

/* acc[product][c] += over all tiles; x at the first tile's centre, gout at its first pixel. */
PRISM_VECTOR_INLINE void
add_tiles (PrismVector acc[3][WEIGHT_CHANNELS],
           const float *x,
           const float *gout,
           Strides strides,
           int h,
           Row row)
{
  gsize gout_row = (gsize) (2 * h + 2) * B;
  const float *plain = get_plain (x, strides, row);

  for (int i = 0; i < h; i += 2)
    for (int j = 0; j < h; j += 2)
      {
        const float *centre = plain + i * strides.row + j * B;
        const float *g = gout + 2 * i * gout_row + 2 * j * B;
        PrismVector gradients[3];

        load_triple (gradients, g, g + 2 * B, 2 * gout_row, row);
#pragma GCC unroll 8
        for (int c = 0; c < WEIGHT_CHANNELS; c++)
          {
            acc[0][c] += vector_fill (centre[strides.map - B + c]) * gradients[0];
            acc[1][c] += vector_fill (centre[c]) * gradients[1];
            acc[2][c] += vector_fill (centre[strides.map + c]) * gradients[2];
          }
      }
}

PRISM_VECTOR_INLINE void
backward_weights_row (float *gw,
                      const float *x,
                      const float *gout,
                      Strides strides,
                      int h,
                      Row row)
{
  PrismVector acc[3][WEIGHT_CHANNELS] = { 0 };

  add_tiles (acc, x, gout, strides, h, row);
#pragma GCC unroll 8
  for (int c = 0; c < WEIGHT_CHANNELS; c++, gw += TAPS * B)
    add_outputs (gw, gw + 2 * B, B, acc[1][c] - acc[0][c], acc[1][c] + acc[2][c], row);
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
  int py = parity / 2, px = parity % 2;
  Strides strides = get_input_strides (shape);
  gsize gout_row = (gsize) (2 * h + 2) * B;

  gout += block * gout_row * (2 * h + 2) + (py + 1) * gout_row + (px + 1) * B;
  x += (py + 1) * strides.row + (px + 1) * B;
  for (int c = 0; c < n_channels; c += WEIGHT_CHANNELS, gw += WEIGHT_CHANNELS * TAPS * B)
    for (int lane = 0; lane < B; lane += LANES)
      {
        int channel = first_channel + c;
        const float *centre = x + channel / B * strides.block + channel % B;

        backward_weights_row (gw + lane, centre, gout + lane, strides, h, ROW_CENTRE);
        backward_weights_row (gw + lane, centre, gout + lane, strides, h, ROW_BEFORE);
        backward_weights_row (gw + lane, centre, gout + lane, strides, h, ROW_AFTER);
      }
}

const PrismCpuBlockedKernels PRISM_VECTOR_SYMBOL (prism_cpu_blocked_kernels) = {
  .forward = forward,
  .backward_data = backward_data,
  .backward_weights = backward_weights,
  .get_scratch_size = get_scratch_size,
};
