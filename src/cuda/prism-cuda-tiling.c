#include "config.h"

#include "prism-cuda-tiling.h"

#include <glib.h>

/* Blocks that keep a large device busy: an H200 has 132 multiprocessors. */
#define ENOUGH_BLOCKS 120
#define MANY_BLOCKS (4 * ENOUGH_BLOCKS)

/* Shared memory of a block: all devices have 64 KiB; half of it where two blocks shall fit. */
#define MOST_SHARED (60 << 10)
#define HALF_SHARED (44 << 10)

#define NORM_BYTES 16
#define WEIGHT_THREADS 128

/* From this side on the sums of more parts cost less than what waits for too few blocks. */
#define LARGE_SIZE 256

static int
round_down (int value)
{
  int power = 1;

  while (2 * power <= value)
    power *= 2;
  return power;
}

static int
round_up (int value)
{
  int power = 1;

  while (power < value)
    power *= 2;
  return power;
}

static int
divide_up (int value,
           int by)
{
  return (value + by - 1) / by;
}

/**
 * prism_cuda_tiling_count:
 * @self: a tiling
 * @size: side of the map that is cut
 *
 * Number of tiles.
 *
 * Units: pixels.
 * Thread: any.
 *
 * Returns: the number
 */
int
prism_cuda_tiling_count (const PrismCudaTiling *self,
                         int size)
{
  return divide_up (size, self->tile_height) * divide_up (size, self->tile_width);
}

static int
count_blocks (const PrismCudaTiling *self,
              int size,
              int n_written)
{
  return prism_cuda_tiling_count (self, size) * divide_up (n_written, self->n_channels);
}

/* The largest tile of a shape like 8×8 or 8×16 with at most n_pixels. */
static void
set_tile (PrismCudaTiling *self,
          int size,
          int n_pixels)
{
  int side = round_up (size);

  self->tile_width = 4;
  self->tile_height = 4;
  while (self->tile_width * self->tile_height < n_pixels && self->tile_height < side)
    {
      if (self->tile_width == self->tile_height)
        self->tile_width *= 2;
      else
        self->tile_height *= 2;
    }
}

/* Fewer pixels a block until there are enough blocks. */
static void
fit_tile (PrismCudaTiling *self,
          int size,
          int n_written,
          int most_pixels,
          int least_pixels)
{
  int n_pixels = most_pixels;

  set_tile (self, size, n_pixels);
  while (n_pixels > least_pixels && count_blocks (self, size, n_written) < ENOUGH_BLOCKS)
    {
      n_pixels /= 2;
      set_tile (self, size, n_pixels);
    }
}

/* Slices, threads, and channels at a time: n_places threads share out a tile, each of n_summed
 * channels takes channel_bytes of shared memory, and the slices' sums slice_bytes each. */
static void
finish_tiling (PrismCudaTiling *self,
               int n_places,
               int n_summed,
               int most_threads,
               size_t channel_bytes,
               size_t slice_bytes,
               size_t most_shared)
{
  int granularity = 32 * self->n_channels;
  int most_channels = MAX (1, most_shared / channel_bytes);
  int n_chunks = divide_up (n_summed, most_channels);

  int whole;

  self->chunk = divide_up (n_summed, n_chunks);
  self->n_slices = round_down (MIN (self->chunk, MAX (1, most_threads / n_places)));
  whole = divide_up (self->chunk, self->n_slices) * self->n_slices;
  self->chunk = MIN (whole, MIN (most_channels, n_summed));
  self->n_threads = divide_up (n_places * self->n_slices, granularity) * granularity;
  self->shared_bytes = MAX (self->chunk * channel_bytes, self->n_slices * slice_bytes);
}

/* Four pixels a thread where that still gives enough blocks, one where the map is small. */
static void
plan_pixels (PrismCudaTiling *self,
             int size,
             int n_written,
             int wide_channels,
             int narrow_channels)
{
  int n_pixels = 128;

  *self = (PrismCudaTiling) { .pixels = 2, .n_channels = wide_channels };
  set_tile (self, size, n_pixels);
  if (size >= 16 && count_blocks (self, size, n_written) >= 96)
    {
      for (; n_pixels < 512 && count_blocks (self, size, n_written) >= MANY_BLOCKS; n_pixels *= 2)
        set_tile (self, size, 2 * n_pixels);
      return;
    }
  self->pixels = 1;
  self->n_channels = narrow_channels;
  fit_tile (self, size, n_written, 256, 32);
}

static void
plan_double_forward (PrismCudaProduct *product)
{
  PrismCudaTiling *tiling = &product->forward;
  int size = product->in.size, n_pixels;
  size_t plane;

  plan_pixels (tiling, size, product->out.channels, 2, 2);
  if (tiling->pixels == 1
      && (product->out.channels == 1
          || count_blocks (tiling, size, product->out.channels) < ENOUGH_BLOCKS))
    tiling->n_channels = 1;
  n_pixels = tiling->tile_height * tiling->tile_width;
  plane = (tiling->tile_height + 2) * (tiling->tile_width + 2) * sizeof (float);
  finish_tiling (tiling, n_pixels / (tiling->pixels * tiling->pixels), product->in.channels,
                 tiling->pixels == 2 ? 256 : 512,
                 plane + NORM_BYTES + tiling->n_channels * 16 * sizeof (float),
                 tiling->n_channels * 4 * n_pixels * sizeof (float),
                 tiling->pixels == 2 ? HALF_SHARED : MOST_SHARED);
}

static void
plan_double_backward (PrismCudaProduct *product)
{
  PrismCudaTiling *tiling = &product->backward;
  int n_pixels;
  size_t plane;

  plan_pixels (tiling, product->in.size, product->in.channels, 4, 2);
  n_pixels = tiling->tile_height * tiling->tile_width;
  plane = (2 * tiling->tile_height + 2) * (2 * tiling->tile_width + 2) * sizeof (float);
  finish_tiling (tiling, n_pixels / (tiling->pixels * tiling->pixels), product->out.channels,
                 tiling->pixels == 2 ? 256 : 512,
                 plane + NORM_BYTES + tiling->n_channels * 16 * sizeof (float),
                 tiling->n_channels * n_pixels * sizeof (float),
                 tiling->pixels == 2 ? HALF_SHARED : MOST_SHARED);
}

static void
plan_convolution (PrismCudaTiling *tiling,
                  int size,
                  int n_written,
                  int n_summed,
                  int n_channels)
{
  int n_pixels;
  size_t plane;

  *tiling = (PrismCudaTiling) { .pixels = 4, .n_channels = n_channels };
  fit_tile (tiling, size, n_written, 1024, 64);
  n_pixels = tiling->tile_height * tiling->tile_width;
  plane = (tiling->tile_height + 2) * (tiling->tile_width + 4) * sizeof (float);
  finish_tiling (tiling, n_pixels / 4, n_summed, 256,
                 plane + NORM_BYTES + n_channels * 12 * sizeof (float),
                 n_channels * n_pixels * sizeof (float), HALF_SHARED);
}

/* Points and windows as prism-cuda-map.h has them. Each slice has a row of a chunk, so that chunks
 * are as high as there are slices. */
static void
plan_weights (PrismCudaSplitting *self,
              int n_all_points,
              int n_all_windows,
              int n_points,
              int size,
              int kernel)
{
  int side = round_up (size), stride = kernel == 4 ? 2 : 1, taps = (kernel * kernel) | 1;
  int n_rows, n_columns, n_chunks, n_blocks, n_wanted, most_splits, point_stride;

  self->n_points = n_points;
  self->n_windows = MIN (8, round_up (n_all_windows));
  self->n_groups = MIN (4, round_up (divide_up (n_all_points, n_points)));
  self->n_slices = WEIGHT_THREADS / (self->n_windows * self->n_groups);
  self->chunk_height = MIN (MIN (64, self->n_slices), side);
  self->chunk_width = MIN (self->chunk_height > 32 ? 8 : 16, side);

  n_chunks = divide_up (size, self->chunk_height) * divide_up (size, self->chunk_width);
  n_blocks = divide_up (n_all_windows, self->n_windows)
             * divide_up (n_all_points, self->n_groups * n_points);
  n_wanted = (side >= LARGE_SIZE / 2 ? 4 : 2) * ENOUGH_BLOCKS / n_blocks;
  most_splits = side >= LARGE_SIZE ? PRISM_CUDA_MAX_SPLITS : PRISM_CUDA_MAX_SPLITS / 4;
  self->n_splits = CLAMP (n_wanted, 1, MIN (n_chunks, most_splits));

  n_rows = stride * (self->chunk_height - 1) + kernel;
  n_columns = stride * (self->chunk_width - 1) + kernel;
  point_stride = n_points == 4 ? 4 * (self->n_groups + 1) : self->n_groups | 1;
  self->shared_bytes = (self->chunk_height * self->chunk_width * point_stride
                        + n_rows * n_columns * (self->n_windows | 1))
                       * sizeof (float);
  self->shared_bytes = MAX (self->shared_bytes, WEIGHT_THREADS * n_points * taps * sizeof (float));
}

/**
 * prism_cuda_tiling_plan_double:
 * @product: (inout): a doubling with its shapes
 *
 * Plans its three kernels.
 *
 * Thread: any.
 */
void
prism_cuda_tiling_plan_double (PrismCudaProduct *product)
{
  plan_double_forward (product);
  plan_double_backward (product);
  plan_weights (&product->weights, product->in.channels, product->out.channels, 4,
                product->in.size, 4);
}

/**
 * prism_cuda_tiling_plan_convolve:
 * @product: (inout): a 3×3 layer with its shapes
 * @is_last: whether its output is the image
 *
 * Plans its three kernels.
 *
 * Thread: any.
 */
void
prism_cuda_tiling_plan_convolve (PrismCudaProduct *product,
                                 int is_last)
{
  plan_convolution (&product->forward, product->out.size, product->out.channels,
                    product->in.channels, is_last ? 1 : 2);
  plan_convolution (&product->backward, product->in.size, product->in.channels,
                    product->out.channels, 2);
  plan_weights (&product->weights, product->out.channels, product->in.channels, is_last ? 1 : 4,
                product->out.size, 3);
}
