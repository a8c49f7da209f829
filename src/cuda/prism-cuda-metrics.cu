#include "prism-cuda-ssim.cuh"

/* m = size of both images. A block compares tiles of 32×8 pixels: both images are read once with a
 * border of 5 pixels, five maps are blurred along x into shared memory and along y into registers.
 * Reads 8·m² bytes from memory (the border comes from the cache), some 250·m² operations. */

#define HALO PRISM_CUDA_SSIM_HALO

#define TILE_WIDTH 32
#define TILE_HEIGHT 8
#define N_THREADS (TILE_WIDTH * TILE_HEIGHT)
#define MAX_BLOCKS 1024

typedef PrismCudaSsimTile<TILE_WIDTH, TILE_HEIGHT> Tile;

/* As PrismMetricsSums, whose first member is the number of pixels. */
enum
{
  SIMILARITY,
  DIFFERENCE,
  POWER,
  IMAGE,
  OBJECT,
  IMAGE_SQUARE,
  OBJECT_SQUARE,
  PRODUCT,
  N_SUMS
};

static __device__ __forceinline__ bool
is_wanted (const PrismCudaControl *control,
           int forced)
{
  return forced || (!control->done && control->steps[control->cursor].with_metrics);
}

static __device__ __forceinline__ void
load_tile (Tile *tile,
           const float *a,
           const float *b,
           int y0,
           int x0,
           int size)
{
  for (int i = threadIdx.x; i < Tile::HEIGHT * Tile::WIDTH; i += N_THREADS)
    {
      const int y = i / Tile::WIDTH, x = i % Tile::WIDTH;
      const size_t from = (size_t) prism_cuda_ssim_reflect (y0 + y - HALO, size) * size
                          + prism_cuda_ssim_reflect (x0 + x - HALO, size);

      tile->pixels[y][x] = make_float2 (a[from], b[from]);
    }
}

/* The same expressions as prism-ssim-kernels.c. */
static __device__ __forceinline__ float
compare_pixel (const Tile *tile,
               const PrismCudaWindow &window,
               int y,
               int x)
{
  float maps[PRISM_CUDA_SSIM_N_MAPS] = { 0.0f };

  tile->find_means (window, y, x, maps);

  const float square_a = maps[0] * maps[0], square_b = maps[1] * maps[1];
  const float product = maps[0] * maps[1];
  const float mean_term
      = (2.0f * product + PRISM_CUDA_SSIM_C1) / (square_a + square_b + PRISM_CUDA_SSIM_C1);
  const float contrast = (2.0f * (maps[4] - product) + PRISM_CUDA_SSIM_C2)
                         / (maps[2] - square_a + maps[3] - square_b + PRISM_CUDA_SSIM_C2);

  return mean_term * contrast;
}

static __device__ __forceinline__ void
add_pixel (double sums[N_SUMS],
           const Tile *tile,
           const PrismCudaWindow &window,
           double first_a,
           double first_b,
           int y,
           int x)
{
  const float2 pixel = tile->pixels[y + HALO][x + HALO];
  const double b = pixel.y, difference = pixel.x - b;
  const double shifted_a = pixel.x - first_a, shifted_b = b - first_b;

  sums[SIMILARITY] += compare_pixel (tile, window, y, x);
  sums[DIFFERENCE] += difference * difference;
  sums[POWER] += b * b;
  sums[IMAGE] += shifted_a;
  sums[OBJECT] += shifted_b;
  sums[IMAGE_SQUARE] += shifted_a * shifted_a;
  sums[OBJECT_SQUARE] += shifted_b * shifted_b;
  sums[PRODUCT] += shifted_a * shifted_b;
}

/* partials [N_SUMS][gridDim.x]. */
static __global__ void
__launch_bounds__ (N_THREADS)
    compare_kernel (const PrismCudaControl *control,
                    double *partials,
                    const float *image,
                    const float *object,
                    PrismCudaWindow window,
                    int size,
                    int forced)
{
  __shared__ Tile tile;
  __shared__ double scratch[PRISM_CUDA_WARP];
  const int y = threadIdx.x / TILE_WIDTH, x = threadIdx.x % TILE_WIDTH;
  const int n_across = prism_cuda_count_blocks (size, TILE_WIDTH);
  const int n_tiles = n_across * (prism_cuda_count_blocks (size, TILE_HEIGHT));
  double sums[N_SUMS] = { 0.0 };

  if (!is_wanted (control, forced))
    return;
  for (int i = blockIdx.x; i < n_tiles; i += gridDim.x)
    {
      const int y0 = i / n_across * TILE_HEIGHT, x0 = i % n_across * TILE_WIDTH;

      load_tile (&tile, image, object, y0, x0, size);
      __syncthreads ();
      tile.blur_rows (window);
      __syncthreads ();
      if (y0 + y < size && x0 + x < size)
        add_pixel (sums, &tile, window, image[0], object[0], y, x);
      __syncthreads ();
    }
  prism_cuda_store_partials (partials, gridDim.x, sums, scratch);
}

static __global__ void
__launch_bounds__ (N_THREADS)
    finish_kernel (PrismCudaControl *control,
                   const double *partials,
                   int n_partials,
                   double n_pixels,
                   int forced)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  double sums[N_SUMS] = { 0.0 };

  if (!is_wanted (control, forced))
    return;
#pragma unroll
  for (int i = 0; i < N_SUMS; i++)
    sums[i] = prism_cuda_add_partials (partials + i * n_partials, n_partials, scratch);
  if (threadIdx.x == 0)
    {
      control->sums[0] = n_pixels;
#pragma unroll
      for (int i = 0; i < N_SUMS; i++)
        control->sums[1 + i] = i == SIMILARITY ? sums[i] / n_pixels : sums[i];
    }
}

static int
count_blocks (int size)
{
  const int n_across = prism_cuda_count_blocks (size, TILE_WIDTH);
  const int n_tiles = n_across * (prism_cuda_count_blocks (size, TILE_HEIGHT));

  return n_tiles < MAX_BLOCKS ? n_tiles : MAX_BLOCKS;
}

/**
 * prism_cuda_metrics_get_n_partials:
 * @size: m
 *
 * Thread: any.
 *
 * Returns: how many doubles prism_cuda_metrics_compute() works in
 */
size_t
prism_cuda_metrics_get_n_partials (int size)
{
  return (size_t) N_SUMS * count_blocks (size);
}

/**
 * prism_cuda_metrics_compute:
 * @control: (device): its sums are set
 * @partials: (array) (device): to work in
 * @image: (array) (device): reconstruction
 * @object: (array) (device): truth
 * @size: m, at least 6
 * @forced: 0: only where the step under way wants metrics and the chunk is not done
 * @stream: a stream
 *
 * Compares an image with the object. May be captured. Reruns give the same bits.
 *
 * Shape: images [m][m]; @partials as prism_cuda_metrics_get_n_partials() says.
 * Units: range of the values 1.
 * Thread: engine.
 * Source: numerics.md, metrics.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_metrics_compute (PrismCudaControl *control,
                            double *partials,
                            const float *image,
                            const float *object,
                            int size,
                            int forced,
                            cudaStream_t stream)
{
  const int n_blocks = count_blocks (size);

  PRISM_CUDA_TRY (prism_cuda_launch (compare_kernel, n_blocks, N_THREADS, 0, stream, control,
                                     partials, image, object, prism_cuda_ssim_get_window (), size,
                                     forced));
  return prism_cuda_launch (finish_kernel, 1, N_THREADS, 0, stream, control, partials, n_blocks,
                            (double) size * size, forced);
}
