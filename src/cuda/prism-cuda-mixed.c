#include "config.h"

#include "prism-cuda-mixed.h"

#include "prism-cuda-tiling.h"

#include <glib.h>

/* As in prism-cuda-mixed.cuh and the kernels. */
#define WIDTH 16
#define THREADS 256
#define N_WARPS 8
#define ROWS 2
#define MATRIX_BYTES (16 * 20 * sizeof (float))
#define MIN_SIZE 16
#define ENOUGH_BLOCKS 120
#define WEIGHT_ROWS 8

static int
round_up (int value)
{
  return (value + 15) / 16 * 16;
}

/* Rows of a tile: all eight warps have two of them, but for those side by side and the slices. */
static void
plan_tiles (PrismCudaTiling *self,
            int size,
            int n_written,
            int n_channels,
            int n_side_by_side)
{
  *self = (PrismCudaTiling) { .tile_width = WIDTH, .n_channels = n_channels };
  self->n_threads = THREADS;
  self->n_slices = 1;
  self->tile_height = ROWS * N_WARPS / n_side_by_side;
  if (self->tile_height > ROWS
      && prism_cuda_tiling_count (self, size) * ((n_written + n_channels - 1) / n_channels)
             < ENOUGH_BLOCKS)
    {
      self->n_slices = 2;
      self->tile_height /= 2;
    }
}

static void
plan_forward (PrismCudaProduct *product,
              gsize bytes)
{
  PrismCudaTiling *tiling = &product->forward;
  int n_parities = MAX (1, 16 / MIN (product->out.channels, 16)), n_columns = 4 / n_parities;
  int n_shifts = product->in.channels >= 16 ? 3 : 4;
  gsize weights, tile;

  plan_tiles (tiling, product->in.size, product->out.channels, MIN (product->out.channels, 16),
              n_columns);
  tiling->chunk = MIN (product->in.channels, 16);
  weights = 3 * n_shifts * tiling->chunk * n_columns * 16;
  tile = (tiling->tile_height + 2) * round_up ((WIDTH + n_shifts - 1) * tiling->chunk);
  tiling->shared_bytes = MAX ((weights + tile) * bytes, 2 * N_WARPS * MATRIX_BYTES);
}

static void
plan_backward (PrismCudaProduct *product,
               gsize bytes)
{
  PrismCudaTiling *tiling = &product->backward;
  int n_groups = product->in.channels >= 32 ? 2 : 1;
  gsize weights, tile;

  plan_tiles (tiling, product->in.size, product->in.channels, 16 * n_groups, n_groups);
  tiling->chunk = MIN (product->out.channels, 16);
  weights = 16 * tiling->chunk * 16 * n_groups;
  tile = (2 * tiling->tile_height + 2) * round_up ((2 * WIDTH + 2) * tiling->chunk);
  tiling->shared_bytes = MAX ((weights + tile) * bytes, 2 * N_WARPS * MATRIX_BYTES);
}

static void
plan_weights (PrismCudaProduct *product,
              gsize bytes)
{
  PrismCudaSplitting *splitting = &product->weights;
  int n_in = MIN (product->in.channels, 16), n_out = MIN (product->out.channels, 16);
  int n_blocks = product->in.channels / n_in * (product->out.channels / n_out);
  int n_chunks = product->in.size / WIDTH * (product->in.size / WEIGHT_ROWS);
  gsize tiles, stage;

  *splitting = (PrismCudaSplitting) { .chunk_height = WEIGHT_ROWS, .chunk_width = WIDTH };
  splitting->n_splits
      = CLAMP (2 * ENOUGH_BLOCKS / n_blocks, 1, MIN (n_chunks, PRISM_CUDA_MAX_PARTS));
  tiles = (2 * WEIGHT_ROWS + 2) * round_up ((2 * WIDTH + 2) * n_out)
          + WEIGHT_ROWS * WIDTH * n_in + 16;
  stage = N_WARPS * n_out / 4 * MATRIX_BYTES;
  splitting->shared_bytes = MAX (tiles * bytes, stage);
}

static gboolean
fits (int channels,
      int least)
{
  return channels >= least && (channels & (channels - 1)) == 0;
}

/**
 * prism_cuda_mixed_plan_double:
 * @product: (inout): a doubling with its shapes
 * @precision: of the factors
 *
 * Plans its three kernels in mixed precision where matrices of 16 × 16 can be filled.
 *
 * Thread: any.
 *
 * Returns: whether it did; else nothing is changed
 */
int
prism_cuda_mixed_plan_double (PrismCudaProduct *product,
                              PrismCudaPrecision precision)
{
  gsize bytes = precision == PRISM_CUDA_PRECISION_TF32 ? sizeof (float) : sizeof (guint16);

  if (precision == PRISM_CUDA_PRECISION_FP32 || product->in.size < MIN_SIZE
      || !fits (product->in.channels, 8)
      || product->out.channels != product->in.channels / 2)
    return FALSE;
  plan_forward (product, bytes);
  plan_backward (product, bytes);
  plan_weights (product, bytes);
  return TRUE;
}
