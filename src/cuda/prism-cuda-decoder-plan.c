#include "config.h"

#include "prism-cuda-decoder.h"

#define FIRST_PIXELS 16

/* What the first layer's kernels are tested for. */
#define MIN_LATENT 64
#define MAX_LATENT 4096

/* ---- how the kernels in fp32 cut their work ---- */

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

/* The next power of two. */
static int
round_up (int value)
{
  return value > 1 ? 1 << g_bit_storage ((gulong) value - 1) : 1;
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
  self->n_slices
      = 1 << (g_bit_storage ((gulong) MIN (self->chunk, MAX (1, most_threads / n_places))) - 1);
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

/* Of a doubling, forward or to the data gradient. */
static void
plan_double (PrismCudaProduct *product,
             gboolean back)
{
  PrismCudaTiling *tiling = back ? &product->backward : &product->forward;
  const PrismCudaMap *written = back ? &product->in : &product->out;
  const PrismCudaMap *summed = back ? &product->out : &product->in;
  const int size = product->in.size, read = back ? 2 : 1; /* pixels that are read for one */
  int n_pixels;
  size_t plane;

  plan_pixels (tiling, size, written->channels, back ? 4 : 2, 2);
  if (!back && tiling->pixels == 1
      && (written->channels == 1 || count_blocks (tiling, size, written->channels) < ENOUGH_BLOCKS))
    tiling->n_channels = 1;
  n_pixels = tiling->tile_height * tiling->tile_width;
  plane = (read * tiling->tile_height + 2) * (read * tiling->tile_width + 2) * sizeof (float);
  finish_tiling (tiling, n_pixels / (tiling->pixels * tiling->pixels), summed->channels,
                 tiling->pixels == 2 ? 256 : 512,
                 plane + NORM_BYTES + tiling->n_channels * 16 * sizeof (float),
                 tiling->n_channels * (back ? 1 : 4) * n_pixels * sizeof (float),
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
 * prism_cuda_tiling_plan:
 * @product: (inout): a product with its kind and shapes
 *
 * Plans its three kernels.
 *
 * Thread: any.
 */
void
prism_cuda_tiling_plan (PrismCudaProduct *product)
{
  const PrismCudaMap *in = &product->in, *out = &product->out;
  const gboolean is_last = product->kind == PRISM_CUDA_OUTPUT;

  if (product->kind == PRISM_CUDA_DOUBLE)
    {
      plan_double (product, FALSE);
      plan_double (product, TRUE);
      plan_weights (&product->weights, in->channels, out->channels, 4, in->size, 4);
      return;
    }
  plan_convolution (&product->forward, out->size, out->channels, in->channels, is_last ? 1 : 2);
  plan_convolution (&product->backward, in->size, in->channels, out->channels, 2);
  plan_weights (&product->weights, out->channels, in->channels, is_last ? 1 : 4, out->size, 3);
}

/* ---- and those in mixed precision ---- */

/* As in prism-cuda-mixed.cu. */
#define MIXED_WIDTH 16
#define MIXED_THREADS 256
#define N_WARPS 8
#define MIXED_ROWS 2
#define MATRIX_BYTES (16 * 20 * sizeof (float))
#define MIN_SIZE 16
#define WEIGHT_ROWS 8

static int
round_to_matrix (int value)
{
  return (value + 15) / 16 * 16;
}

/* Rows of a tile: all eight warps have two of them, but for those side by side and the slices. */
static void
plan_mixed_tiles (PrismCudaTiling *self,
                  int size,
                  int n_written,
                  int n_channels,
                  int n_side_by_side)
{
  *self = (PrismCudaTiling) { .tile_width = MIXED_WIDTH, .n_channels = n_channels };
  self->n_threads = MIXED_THREADS;
  self->n_slices = 1;
  self->tile_height = MIXED_ROWS * N_WARPS / n_side_by_side;
  if (self->tile_height > MIXED_ROWS
      && prism_cuda_tiling_count (self, size) * ((n_written + n_channels - 1) / n_channels)
             < ENOUGH_BLOCKS)
    {
      self->n_slices = 2;
      self->tile_height /= 2;
    }
}

static void
plan_mixed_forward (PrismCudaProduct *product,
                    gsize bytes)
{
  PrismCudaTiling *tiling = &product->forward;
  int n_parities = MAX (1, 16 / MIN (product->out.channels, 16)), n_columns = 4 / n_parities;
  int n_shifts = product->in.channels >= 16 ? 3 : 4;
  gsize weights, tile;

  plan_mixed_tiles (tiling, product->in.size, product->out.channels,
                    MIN (product->out.channels, 16), n_columns);
  tiling->chunk = MIN (product->in.channels, 16);
  weights = 3 * n_shifts * tiling->chunk * n_columns * 16;
  tile = (tiling->tile_height + 2) * round_to_matrix ((MIXED_WIDTH + n_shifts - 1) * tiling->chunk);
  tiling->shared_bytes = MAX ((weights + tile) * bytes, 2 * N_WARPS * MATRIX_BYTES);
}

static void
plan_mixed_backward (PrismCudaProduct *product,
                     gsize bytes)
{
  PrismCudaTiling *tiling = &product->backward;
  int n_groups = product->in.channels >= 32 ? 2 : 1;
  gsize weights, tile;

  plan_mixed_tiles (tiling, product->in.size, product->in.channels, 16 * n_groups, n_groups);
  tiling->chunk = MIN (product->out.channels, 16);
  weights = 16 * tiling->chunk * 16 * n_groups;
  tile = (2 * tiling->tile_height + 2) * round_to_matrix ((2 * MIXED_WIDTH + 2) * tiling->chunk);
  tiling->shared_bytes = MAX ((weights + tile) * bytes, 2 * N_WARPS * MATRIX_BYTES);
}

static void
plan_mixed_weights (PrismCudaProduct *product,
                    gsize bytes)
{
  PrismCudaSplitting *splitting = &product->weights;
  int n_in = MIN (product->in.channels, 16), n_out = MIN (product->out.channels, 16);
  int n_blocks = product->in.channels / n_in * (product->out.channels / n_out);
  int n_chunks = product->in.size / MIXED_WIDTH * (product->in.size / WEIGHT_ROWS);
  gsize tiles, stage;

  *splitting = (PrismCudaSplitting) { .chunk_height = WEIGHT_ROWS, .chunk_width = MIXED_WIDTH };
  splitting->n_splits
      = CLAMP (2 * ENOUGH_BLOCKS / n_blocks, 1, MIN (n_chunks, PRISM_CUDA_MAX_PARTS));
  tiles = (2 * WEIGHT_ROWS + 2) * round_to_matrix ((2 * MIXED_WIDTH + 2) * n_out)
          + WEIGHT_ROWS * MIXED_WIDTH * n_in + 16;
  stage = N_WARPS * n_out / 4 * MATRIX_BYTES;
  splitting->shared_bytes = MAX (tiles * bytes, stage);
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
      || product->in.channels < 8 || (product->in.channels & (product->in.channels - 1)) != 0
      || product->out.channels != product->in.channels / 2)
    return FALSE;
  plan_mixed_forward (product, bytes);
  plan_mixed_backward (product, bytes);
  plan_mixed_weights (product, bytes);
  product->precision = precision;
  return TRUE;
}

/* ---- layers and arrays ---- */

static int
count_moments (const PrismLayer *plan,
               const PrismCudaTiling *forward)
{
  return prism_cuda_tiling_count (forward, plan->kind == PRISM_LAYER_DOUBLE ? plan->in_size
                                                                            : plan->out_size);
}

/* Sizes and tilings of layer index, and how many partial results they make. */
static void
plan_layer (PrismCudaDecoder *self,
            int index)
{
  PrismCudaLayer *layer = &self->layers[index];
  const PrismLayer *plan = &self->plan.layers[index];
  PrismCudaProduct *shape = &layer->shape;

  layer->plan = plan;
  layer->n_moments = layer->n_full_moments = 1;
  if (index == 0)
    return;
  shape->in.channels = plan->in_channels;
  shape->in.size = plan->in_size;
  shape->out.channels = plan->out_channels;
  shape->out.size = plan->out_size;
  shape->padding = plan->padding;
  if (plan->kind == PRISM_LAYER_DOUBLE)
    shape->kind = PRISM_CUDA_DOUBLE;
  else
    shape->kind = prism_cuda_decoder_is_image (self, index) ? PRISM_CUDA_OUTPUT
                                                            : PRISM_CUDA_CONVOLVE;
  prism_cuda_tiling_plan (shape);
  layer->full_forward = shape->forward;
  if (shape->kind == PRISM_CUDA_DOUBLE)
    prism_cuda_mixed_plan_double (shape, self->precision);
  layer->n_moments = count_moments (plan, &shape->forward);
  layer->n_full_moments = count_moments (plan, &layer->full_forward);
  layer[-1].n_sums = prism_cuda_tiling_count (&shape->backward, plan->in_size);
  if (index == self->plan.n_layers - 1)
    layer->n_sums = prism_cuda_decoder_is_image (self, index) ? layer[-1].n_sums : 1;
}

static void
add_map (PrismCudaLayer *layer,
         PrismCudaArena *arena)
{
  gsize n_channels = layer->plan->out_channels;
  gsize n = n_channels * layer->plan->out_size * layer->plan->out_size;
  gsize n_moments = MAX (layer->n_moments, layer->n_full_moments);

  PRISM_CUDA_PLAN (arena, layer->y, n);
  PRISM_CUDA_PLAN (arena, layer->gradient, n);
  PRISM_CUDA_PLAN (arena, layer->norm, n_channels);
  PRISM_CUDA_PLAN (arena, layer->moments, n_channels * n_moments);
  if (n_moments > PRISM_CUDA_MAX_PARTS)
    PRISM_CUDA_PLAN (arena, layer->all_moments, n_channels);
}

static void
add_layer (PrismCudaDecoder *self,
           PrismCudaArena *arena,
           int index)
{
  PrismCudaLayer *layer = &self->layers[index];
  gsize n_channels = layer->plan->out_channels;

  if (!prism_cuda_decoder_is_image (self, index))
    add_map (layer, arena);
  PRISM_CUDA_PLAN (arena, layer->sums, n_channels * layer->n_sums);
  if (layer->n_sums > PRISM_CUDA_MAX_PARTS)
    PRISM_CUDA_PLAN (arena, layer->all_sums, n_channels);
  if (index > 0 && layer->shape.weights.n_splits > 1)
    PRISM_CUDA_PLAN (arena, layer->weight_parts,
                     layer->shape.weights.n_splits * layer->plan->n_weights);
}

static void
add_arrays (PrismCudaDecoder *self,
            PrismCudaArena *arena)
{
  gsize n = self->plan.n_parameters;
  gsize n_pixels = (gsize) self->plan.object_size * self->plan.object_size;
  gsize width = (gsize) self->plan.layers[0].out_channels * FIRST_PIXELS;
  PrismCudaExpand expand = { .latent = self->plan.latent };

  PRISM_CUDA_PLAN (arena, self->values, n);
  PRISM_CUDA_PLAN (arena, self->first, n);
  PRISM_CUDA_PLAN (arena, self->second, n);
  if (self->amsgrad)
    PRISM_CUDA_PLAN (arena, self->largest, n);
  PRISM_CUDA_PLAN (arena, self->gradient, n);
  PRISM_CUDA_PLAN (arena, self->output, n_pixels);
  PRISM_CUDA_PLAN (arena, self->output_gradient, n_pixels);
  prism_cuda_expand_split (&expand);
  PRISM_CUDA_PLAN (arena, self->expanded, expand.n_blocks * width);
  PRISM_CUDA_PLAN (arena, self->expanded_gradient, width);
  PRISM_CUDA_PLAN (arena, self->bias_gradient,
                   self->plan.layers[self->plan.n_layers - 1].out_channels);
  PRISM_CUDA_PLAN (arena, self->clip_partials, PRISM_CUDA_CLIP_N_PARTIALS);
  for (int i = 0; i < self->plan.n_layers; i++)
    add_layer (self, arena, i);
}

/**
 * prism_cuda_decoder_dup_unsupported_reason:
 * @plan: a plan
 *
 * The kernels read weights 16 bytes at a time and their tiles are planned and tested for layers
 * that halve the channels of a power of two; every norm is theirs, too. Activations of the output,
 * start values and any such latent vector are free.
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): what of the plan they do not take, in one sentence
 */
char *
prism_cuda_decoder_dup_unsupported_reason (const PrismDecoderPlan *plan)
{
  gboolean halves = TRUE, has_norms = TRUE;

  for (int i = 0; i < plan->n_layers; i++)
    {
      halves = halves && 2 * plan->layers[i].out_channels == plan->layers[i].in_channels;
      has_norms = has_norms && (plan->layers[i].norm || i == plan->n_layers - 1);
    }
  if (!has_norms)
    return g_strdup (_ ("The GPU computes no decoder without batch norm (norm)."));
  if (plan->latent < MIN_LATENT || plan->latent > MAX_LATENT
      || (plan->latent & (plan->latent - 1)) != 0)
    return g_strdup_printf (_ ("The GPU computes no decoder with a latent vector of %d: it must be"
                               " a power of two from %d to %d (latent)."),
                            plan->latent, MIN_LATENT, MAX_LATENT);
  if (!halves)
    return g_strdup (_ ("The GPU computes only decoders whose every layer has half the channels of"
                        " the one before (channels, depth, latent)."));
  return NULL;
}

/**
 * prism_cuda_decoder_plan:
 * @self: (inout): a decoder with its layers, precision and optimiser set
 * @arena: where the arrays will come from
 *
 * Plans the kernels of each layer and registers every array. Does not touch the device.
 *
 * Thread: engine.
 */
void
prism_cuda_decoder_plan (PrismCudaDecoder *self,
                         PrismCudaArena *arena)
{
  for (int i = 0; i < self->plan.n_layers; i++)
    plan_layer (self, i);
  add_arrays (self, arena);
}
