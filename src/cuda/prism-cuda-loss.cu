/* Losses that are more than a sum over pixels of their own: SSIM, and the start phase's.
 *
 * Tiles of 32×32 pixels with a halo of 5, all scales in one launch. Per view, n = 512: pool reads
 * 8n² bytes; compare reads 8n², writes 12n²; spread reads 20n², writes 4n²; join reads 8n², writes
 * 4n²: 17 MB, 5 launches. compare takes 41 kB of shared memory, spread 38 kB. */
#include "prism-cuda-ssim.cuh"

#define TILE PRISM_CUDA_SIMILARITY_TILE
#define MAX_SCALES PRISM_CUDA_SIMILARITY_MAX_SCALES
#define WINDOW PRISM_CUDA_SSIM_WINDOW
#define HALO PRISM_CUDA_SSIM_HALO
#define PATCH (TILE + 2 * HALO)
#define N_MAPS PRISM_CUDA_SSIM_N_MAPS
#define N_SLOPES 3
#define THREADS 256

/* One block's part of one scale. */
typedef struct
{
  int scale;
  int size;     /* px */
  int y, x;     /* first pixel */
  size_t first; /* pixels of all scales before */
} Tile;

static __host__ __device__ __forceinline__ int
count_tiles (int size)
{
  const int n = prism_cuda_count_blocks (size, TILE);

  return n * n;
}

/* A view beyond the step's terms has no target. */
static __device__ __forceinline__ bool
is_idle (const PrismCudaSimilarity &self)
{
  return self.control->done || self.view->target == nullptr;
}

static __device__ __forceinline__ Tile
find_tile (int image_size)
{
  Tile tile = { 0, image_size, 0, 0, 0 };
  int index = blockIdx.x, n_across;

  while (index >= count_tiles (tile.size))
    {
      index -= count_tiles (tile.size);
      tile.first += (size_t) tile.size * tile.size;
      tile.size /= 2;
      tile.scale++;
    }
  n_across = prism_cuda_count_blocks (tile.size, TILE);
  tile.y = index / n_across * TILE;
  tile.x = index % n_across * TILE;
  return tile;
}

/* Targets have the origin at [0][0], neighbours at the image's edges are not neighbours there. */
static __device__ __forceinline__ size_t
get_place (int y,
           int x,
           int image_size)
{
  return (size_t) (y ^ image_size / 2) * image_size + (x ^ image_size / 2);
}

static __device__ __forceinline__ float2
load_first (const PrismCudaSimilarity &self,
            int y,
            int x)
{
  const size_t place = get_place (y, x, self.image_size);
  const float a = self.amplitude[place], b = self.view->target[place];

  return self.intensity ? make_float2 (a * a, b * b) : make_float2 (a, b);
}

/* Both images at a pixel of the tile's scale. */
static __device__ __forceinline__ float2
load_pixel (const PrismCudaSimilarity &self,
            const Tile &tile,
            int y,
            int x)
{
  const size_t n_pixels = (size_t) tile.size * tile.size;
  const float *seen = self.pyramid + 2 * (tile.first - (size_t) self.image_size * self.image_size);
  const size_t i = (size_t) y * tile.size + x;

  return tile.scale == 0 ? load_first (self, y, x) : make_float2 (seen[i], seen[n_pixels + i]);
}

/* ---- pyramid ---- */

static __device__ __forceinline__ void
store_pooled (const PrismCudaSimilarity &self,
              int scale,
              int y,
              int x,
              float2 value)
{
  const int size = self.image_size >> scale;
  float *seen = self.pyramid;

  for (int i = 1; i < scale; i++)
    seen += 2 * (size_t) (self.image_size >> i) * (self.image_size >> i);
  seen[(size_t) y * size + x] = value.x;
  seen[(size_t) (size + y) * size + x] = value.y;
}

/* 2×2 means of a tile, of those, and so on. */
static __global__ void
__launch_bounds__ (THREADS)
    pool (PrismCudaSimilarity self)
{
  __shared__ float2 levels[2][TILE / 2][TILE / 2];
  const int n_across = self.image_size / TILE;
  const int tile_y = blockIdx.x / n_across, tile_x = blockIdx.x % n_across;

  if (is_idle (self))
    return;
  for (int scale = 1; scale < self.n_scales; scale++)
    {
      const int size = TILE >> scale, y = threadIdx.x / size, x = threadIdx.x % size;

      if (y < size)
        {
          float2 sum = {};

          for (int i = 0; i < 4; i++)
            {
              const int from_y = 2 * y + i / 2, from_x = 2 * x + i % 2;

              sum += scale == 1 ? load_first (self, tile_y * TILE + from_y, tile_x * TILE + from_x)
                                : levels[scale & 1][from_y][from_x];
            }
          sum = 0.25f * sum;
          levels[(scale + 1) & 1][y][x] = sum;
          store_pooled (self, scale, tile_y * size + y, tile_x * size + x, sum);
        }
      __syncthreads ();
    }
}

/* ---- values and their slopes ---- */

typedef PrismCudaSsimTile<TILE, TILE> CompareMemory;

/* Similarity from the five means, and its slopes for the means of a, a² and a·b. */
static __device__ __forceinline__ float
compare_means (const float means[N_MAPS],
               bool luminance,
               float slopes[N_SLOPES])
{
  const float a = means[0], b = means[1];
  const float square_a = a * a, square_b = b * b, product = a * b;
  const float inverse_mean = luminance ? 1.0f / (square_a + square_b + PRISM_CUDA_SSIM_C1) : 0.0f;
  const float inverse_variance
      = 1.0f / (means[2] - square_a + means[3] - square_b + PRISM_CUDA_SSIM_C2);
  const float mean_term = luminance ? (2.0f * product + PRISM_CUDA_SSIM_C1) * inverse_mean : 1.0f;
  const float contrast = (2.0f * (means[4] - product) + PRISM_CUDA_SSIM_C2) * inverse_variance;
  const float value = mean_term * contrast;

  slopes[0] = 2.0f
              * (b * (contrast * inverse_mean - mean_term * inverse_variance)
                 + a * value * (inverse_variance - inverse_mean));
  slopes[1] = -value * inverse_variance;
  slopes[2] = 2.0f * mean_term * inverse_variance;
  return value;
}

static __global__ void
__launch_bounds__ (THREADS)
    compare (PrismCudaSimilarity self,
             PrismCudaWindow window)
{
  PRISM_CUDA_DYNAMIC_SHARED (CompareMemory, memory);
  __shared__ double scratch[PRISM_CUDA_WARP];
  const Tile tile = find_tile (self.image_size);
  const bool luminance = self.n_scales == 1 || tile.scale == MAX_SCALES - 1;
  const size_t n_pixels = (size_t) tile.size * tile.size;
  float *maps = self.maps + N_SLOPES * tile.first;
  double sum = 0.0;

  if (is_idle (self))
    return;
  for (int i = threadIdx.x; i < PATCH * PATCH; i += THREADS)
    memory->pixels[i / PATCH][i % PATCH]
        = load_pixel (self, tile, prism_cuda_ssim_reflect (tile.y - HALO + i / PATCH, tile.size),
                      prism_cuda_ssim_reflect (tile.x - HALO + i % PATCH, tile.size));
  __syncthreads ();
  memory->blur_rows (window);
  __syncthreads ();

  for (int i = threadIdx.x; i < TILE * TILE; i += THREADS)
    {
      const int y = i / TILE, x = i % TILE;
      const size_t place = (size_t) (tile.y + y) * tile.size + tile.x + x;
      float means[N_MAPS] = { 0.0f }, slopes[N_SLOPES];

      if (tile.y + y >= tile.size || tile.x + x >= tile.size)
        continue;
      memory->find_means (window, y, x, means);
      sum += compare_means (means, luminance, slopes);
#pragma unroll
      for (int map = 0; map < N_SLOPES; map++)
        maps[map * n_pixels + place] = slopes[map];
    }
  sum = prism_cuda_sum_block (sum, scratch);
  if (threadIdx.x == 0)
    self.sums[blockIdx.x] = sum;
}

/* ---- the loss ---- */

/* The product of the terms, each to the power of its weight, as prism_ssim_combine_scales(). */
static __device__ double
combine_scales (const double *terms,
                int n_scales,
                double *factors)
{
  const double weights[MAX_SCALES] = { 0.0448, 0.2856, 0.3001, 0.2363, 0.1333 };
  double sum = 0.0, norm = 0.0, similarity;

  if (n_scales == 1)
    {
      factors[0] = 1.0;
      return terms[0];
    }
#pragma unroll
  for (int i = 0; i < MAX_SCALES; i++)
    if (i < n_scales)
      {
        sum += weights[i] * log (fmin (fmax (terms[i], 1e-10), 1.0));
        norm += weights[i];
      }
  if (n_scales == MAX_SCALES)
    norm = 1.0;
  similarity = exp (sum / norm);
#pragma unroll
  for (int i = 0; i < MAX_SCALES; i++)
    if (i < n_scales)
      factors[i] = terms[i] >= 1e-10 && terms[i] <= 1.0
                       ? similarity * weights[i] / (norm * terms[i])
                       : 0.0;
  return similarity;
}

/* One block. A sum that is not finite must not be clamped away. */
static __global__ void
__launch_bounds__ (THREADS)
    combine (PrismCudaSimilarity self)
{
  __shared__ double scratch[PRISM_CUDA_WARP], terms[MAX_SCALES];
  const double *sums = self.sums;
  bool finite = true;
  double loss;

  if (is_idle (self))
    return;
  for (int scale = 0; scale < self.n_scales; scale++)
    {
      const int size = self.image_size >> scale;
      double sum = 0.0;

      for (int i = threadIdx.x; i < count_tiles (size); i += THREADS)
        sum += sums[i];
      sum = prism_cuda_sum_block (sum, scratch);
      sums += count_tiles (size);
      finite = finite && isfinite (sum);
      if (threadIdx.x == 0)
        terms[scale] = sum / ((double) size * size);
    }
  if (threadIdx.x > 0)
    return;

  loss = self.view->factor * 0.5 * (1.0 - combine_scales (terms, self.n_scales, self.factors));
  if (!finite)
    loss = NAN;
  if (self.term == 0 && self.accumulate)
    self.control->loss_new += loss;
  else if (self.term == 0)
    {
      self.control->loss_new = loss;
      self.control->loss_old = 0.0;
    }
  else
    self.control->loss_old += loss;
  if (!isfinite (loss))
    self.control->not_finite = 1;
}

/* ---- the gradient ---- */

typedef struct
{
  float slopes[N_SLOPES][PATCH][PATCH];
  float rows[N_SLOPES][PATCH][TILE];
  float weights[WINDOW]; /* a kernel's parameter is not to be indexed by a variable */
} SpreadMemory;

/* One point of the transpose of a blur: slopes [WINDOW] stand around point i, step apart, 0 beyond
 * the image; what a window took from beyond a border goes back to where it was reflected from. */
static __device__ __forceinline__ float
spread_point (const float *slopes,
              int step,
              int i,
              int size,
              const PrismCudaWindow &window,
              const float weights[WINDOW])
{
  float sum = 0.0f;

#pragma unroll
  for (int k = 0; k < WINDOW; k++)
    sum = fmaf (window.weights[k], slopes[k * step], sum);
  if (i > 0 && i <= HALO)
    {
#pragma unroll
      for (int k = 0; k < WINDOW; k++)
        {
          const int tap = 2 * i + k; /* i + r + HALO of row r = i - HALO + k */

          if (tap < WINDOW)
            sum = fmaf (weights[tap], slopes[k * step], sum);
        }
    }
  if (i < size - 1 && i >= size - 1 - HALO)
    {
      const int j = size - 1 - i;

#pragma unroll
      for (int k = 0; k < WINDOW; k++)
        {
          const int tap = 2 * j + WINDOW - 1 - k;

          if (tap < WINDOW)
            sum = fmaf (weights[tap], slopes[k * step], sum);
        }
    }
  return sum;
}

static __global__ void
__launch_bounds__ (THREADS)
    spread (PrismCudaSimilarity self,
            PrismCudaWindow window)
{
  PRISM_CUDA_DYNAMIC_SHARED (SpreadMemory, memory);
  const Tile tile = find_tile (self.image_size);
  const size_t n_pixels = (size_t) tile.size * tile.size;
  const float *maps = self.maps + N_SLOPES * tile.first;

  if (is_idle (self))
    return;
  if (threadIdx.x == 0)
    {
#pragma unroll
      for (int k = 0; k < WINDOW; k++)
        memory->weights[k] = window.weights[k];
    }
  for (int i = threadIdx.x; i < N_SLOPES * PATCH * PATCH; i += THREADS)
    {
      const int map = i / (PATCH * PATCH), y = i / PATCH % PATCH, x = i % PATCH;
      const int from_y = tile.y - HALO + y, from_x = tile.x - HALO + x;
      const bool inside = from_y >= 0 && from_y < tile.size && from_x >= 0 && from_x < tile.size;

      memory->slopes[map][y][x]
          = inside ? maps[map * n_pixels + (size_t) from_y * tile.size + from_x] : 0.0f;
    }
  __syncthreads ();
  for (int i = threadIdx.x; i < N_SLOPES * PATCH * TILE; i += THREADS)
    {
      const int map = i / (PATCH * TILE), y = i / TILE % PATCH, x = i % TILE;

      memory->rows[map][y][x]
          = spread_point (&memory->slopes[map][y][x], 1, tile.x + x, tile.size, window,
                          memory->weights);
    }
  __syncthreads ();

  for (int i = threadIdx.x; i < TILE * TILE; i += THREADS)
    {
      const int y = i / TILE, x = i % TILE;
      float slopes[N_SLOPES];
      float2 pixel;

      if (tile.y + y >= tile.size || tile.x + x >= tile.size)
        continue;
#pragma unroll
      for (int map = 0; map < N_SLOPES; map++)
        slopes[map] = spread_point (&memory->rows[map][y][x], TILE, tile.y + y, tile.size, window,
                                    memory->weights);
      pixel = load_pixel (self, tile, tile.y + y, tile.x + x);
      self.gradients[tile.first + (size_t) (tile.y + y) * tile.size + tile.x + x]
          = slopes[0] + 2.0f * pixel.x * slopes[1] + pixel.y * slopes[2];
    }
}

/* The slope for |y|: all scales together, and |y|² where intensities are compared. The factor 1/4
 * of each mean cancels with the smaller number of pixels. */
static __global__ void
__launch_bounds__ (THREADS)
    join (PrismCudaSimilarity self)
{
  const int n = self.image_size, y = blockIdx.x;
  const float *gradients = self.gradients;

  if (is_idle (self))
    return;
  for (int x = threadIdx.x; x < n; x += THREADS)
    {
      const size_t place = get_place (y, x, n);
      size_t first = 0;
      float sum = 0.0f;

      for (int scale = 0; scale < self.n_scales; scale++)
        {
          const int size = n >> scale;

          sum = fmaf ((float) self.factors[scale],
                      gradients[first + (size_t) (y >> scale) * size + (x >> scale)], sum);
          first += (size_t) size * size;
        }
      self.slope[place] = self.intensity ? 2.0f * self.amplitude[place] * sum : sum;
    }
}

/**
 * prism_cuda_similarity_get_n_scales:
 * @image_size: n
 *
 * Thread: any.
 *
 * Returns: how many scales of MS-SSIM an image has: it stops where the next would be smaller than
 *   the window
 */
int
prism_cuda_similarity_get_n_scales (int image_size)
{
  int n_scales = 1;

  while (n_scales < MAX_SCALES && image_size >> n_scales >= WINDOW)
    n_scales++;
  return n_scales;
}

/**
 * prism_cuda_similarity_compute:
 * @self: images and working memory
 * @stream: a stream, which may be under capture
 *
 * One term of an SSIM loss: weight·(1 - similarity)/2 into control, and what |y| contributes to the
 * similarity. 11×11 Gaussian window of σ 1.5, reflected border, population covariance, range 1.
 *
 * Thread: engine.
 * Source: Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment", 2004; Wang, Simoncelli
 *   and Bovik, "Multi-scale structural similarity", 2003; numerics.md § 7.
 */
cudaError_t
prism_cuda_similarity_compute (const PrismCudaSimilarity *self,
                               cudaStream_t stream)
{
  const PrismCudaWindow window = prism_cuda_ssim_get_window ();
  int n_tiles = 0;

  for (int scale = 0; scale < self->n_scales; scale++)
    n_tiles += count_tiles (self->image_size >> scale);
  if (self->n_scales > 1)
    PRISM_CUDA_TRY (prism_cuda_launch (pool, count_tiles (self->image_size), THREADS, 0, stream,
                                       *self));
  PRISM_CUDA_TRY (prism_cuda_launch (compare, n_tiles, THREADS, sizeof (CompareMemory), stream,
                                     *self, window));
  PRISM_CUDA_TRY (prism_cuda_launch (combine, 1, THREADS, 0, stream, *self));
  PRISM_CUDA_TRY (prism_cuda_launch (spread, n_tiles, THREADS, sizeof (SpreadMemory), stream, *self,
                                     window));
  return prism_cuda_launch (join, self->image_size, THREADS, 0, stream, *self);
}

/* ---- the start phase ----
 *
 * Two kernels, because the gradient is divided by the start image's sum: 12 bytes per pixel each,
 * 0.2 MB for m = 128. */

#define EPSILON 1e-8 /* of the loss's normaliser */

static __global__ void
__launch_bounds__ (THREADS)
    sum_pixels (const PrismCudaControl *control,
                const float *__restrict__ image,
                const float *__restrict__ start,
                int n_pixels,
                double *__restrict__ sums)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double difference = 0.0, norm = 0.0;

  if (control->done)
    return;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    {
      difference += fabsf (image[i] - start[i]);
      norm += fabsf (start[i]);
    }
  difference = prism_cuda_sum_block (difference, scratch);
  norm = prism_cuda_sum_block (norm, scratch);
  if (threadIdx.x > 0)
    return;
  sums[2 * blockIdx.x] = difference;
  sums[2 * blockIdx.x + 1] = norm;
}

/* Every block adds up the sums of all, in the same order. */
static __global__ void
__launch_bounds__ (THREADS)
    compute_gradient (PrismCudaControl *control,
                      const float *__restrict__ image,
                      const float *__restrict__ start,
                      int n_pixels,
                      const double *__restrict__ sums,
                      float *__restrict__ gradient)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const bool mine = threadIdx.x < gridDim.x;
  double difference = mine ? sums[2 * threadIdx.x] : 0.0;
  double norm = mine ? sums[2 * threadIdx.x + 1] : 0.0;
  float scale;

  if (control->done)
    return;
  difference = prism_cuda_sum_block (difference, scratch);
  norm = prism_cuda_sum_block (norm, scratch);
  scale = (float) (1.0 / (norm + EPSILON * n_pixels));
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n_pixels; i += gridDim.x * THREADS)
    {
      const float d = image[i] - start[i];

      gradient[i] = d > 0.0f ? scale : d < 0.0f ? -scale
                                                : 0.0f;
    }
  if (blockIdx.x > 0 || threadIdx.x > 0)
    return;
  control->loss_new = difference * scale;
  control->loss_old = 0.0;
  if (!isfinite (control->loss_new))
    control->not_finite = 1;
}

/**
 * prism_cuda_start_compute_gradient:
 * @control: of the run
 * @image: what the decoder put out
 * @start: what it should put out
 * @n_pixels: of both
 * @sums: working memory
 * @gradient: derivative of the loss for @image
 * @stream: a stream, which may be under capture
 *
 * mean|image - start| / (mean|start| + 1e-8) into loss_new, 0 into loss_old.
 *
 * Shape: @image, @start, @gradient [n_pixels], @sums [PRISM_CUDA_START_MAX_BLOCKS][2].
 * Thread: engine.
 * Source: numerics.md § 8.
 */
cudaError_t
prism_cuda_start_compute_gradient (PrismCudaControl *control,
                                   const float *image,
                                   const float *start,
                                   int n_pixels,
                                   double *sums,
                                   float *gradient,
                                   cudaStream_t stream)
{
  const int n_wanted = (n_pixels + 4 * THREADS - 1) / (4 * THREADS);
  const int n_blocks = n_wanted < PRISM_CUDA_START_MAX_BLOCKS ? n_wanted
                                                              : PRISM_CUDA_START_MAX_BLOCKS;

  PRISM_CUDA_TRY (prism_cuda_launch (sum_pixels, n_blocks, THREADS, 0, stream, control, image,
                                     start, n_pixels, sums));
  return prism_cuda_launch (compute_gradient, n_blocks, THREADS, 0, stream, control, image, start,
                            n_pixels, sums, gradient);
}
