/* Each kernel reads and writes 8 or 16 bytes per point of a field. */
#include "prism-cuda-optics.h"

#include "prism-cuda-compare.cuh"
#include "prism-cuda-terms.cuh"

#define THREADS 256

static __device__ __forceinline__ bool
is_done (const PrismCudaOptics &optics)
{
  return optics.control->done != 0;
}

static __device__ __forceinline__ int
get_index (void)
{
  return blockIdx.x * THREADS + threadIdx.x;
}

/* Centred coordinate of a line of a field. */
static __device__ __forceinline__ int
get_centred (int i,
             int n)
{
  return i < n / 2 ? i : i - n;
}

/* Whether the view's mask lets a frequency through. */
static __device__ __forceinline__ bool
is_open (const PrismCudaOpticsView &view,
         int index,
         int n)
{
  const int y = get_centred (index / n, n) - view.y0, x = get_centred (index % n, n) - view.x0;

  return view.width > 0 && y >= 0 && y < view.height && x >= 0 && x < view.width
         && view.bits[(size_t) y * view.width + x] != 0;
}

static __global__ void
__launch_bounds__ (PRISM_CUDA_WARP)
    look_up (PrismCudaOptics optics,
             PrismCudaTerms terms)
{
  if (!is_done (optics))
    prism_cuda_terms_look_up (optics, terms);
}

static __global__ void
__launch_bounds__ (THREADS)
    sum_losses (PrismCudaOptics optics,
                PrismCudaTerms terms,
                int n_sums)
{
  __shared__ double scratch[PRISM_CUDA_MAX_TERMS];

  if (!is_done (optics))
    prism_cuda_terms_sum_losses (optics, terms, n_sums, scratch);
}

static __global__ void
__launch_bounds__ (THREADS)
    embed (PrismCudaOptics optics,
           const float *__restrict__ image,
           float2 *__restrict__ field)
{
  const int n = optics.image_size, m = optics.object_size, i = get_index ();
  const int y = get_centred (i / n, n) + m / 2, x = get_centred (i % n, n) + m / 2;
  const bool inside = y >= 0 && y < m && x >= 0 && x < m;

  if (!is_done (optics))
    field[i] = make_float2 (inside ? image[(size_t) y * m + x] : 0.0f, 0.0f);
}

static __global__ void
__launch_bounds__ (THREADS)
    crop (PrismCudaOptics optics,
          const float2 *__restrict__ field,
          float *__restrict__ image)
{
  const int n = optics.image_size, m = optics.object_size, i = get_index ();
  const int y = get_centred (i / n, n) + m / 2, x = get_centred (i % n, n) + m / 2;

  if (!is_done (optics) && y >= 0 && y < m && x >= 0 && x < m)
    image[(size_t) y * m + x] = field[i].x;
}

static __global__ void
__launch_bounds__ (THREADS)
    mask (PrismCudaOptics optics,
          const PrismCudaOpticsView *__restrict__ view,
          const float2 *__restrict__ spectrum,
          float2 *__restrict__ field)
{
  const int n = optics.image_size, i = get_index ();
  const float scale = is_open (*view, i, n) ? 1.0f / ((float) n * n) : 0.0f;

  if (!is_done (optics))
    field[i] = make_float2 (scale * spectrum[i].x, scale * spectrum[i].y);
}

static __global__ void
__launch_bounds__ (THREADS)
    add (PrismCudaOptics optics,
         const PrismCudaOpticsView *__restrict__ view,
         const float2 *__restrict__ field,
         int accumulate,
         float2 *__restrict__ spectrum)
{
  const int n = optics.image_size, i = get_index ();
  float2 sum = accumulate ? spectrum[i] : make_float2 (0.0f, 0.0f);

  if (is_done (optics))
    return;
  if (is_open (*view, i, n))
    {
      sum.x += view->gain / ((float) n * n) * field[i].x;
      sum.y += view->gain / ((float) n * n) * field[i].y;
    }
  spectrum[i] = sum;
}

/* Loss of one pixel, whose value y becomes slope·y. */
static __device__ __forceinline__ double
visit_pixel (PrismCudaOpticsPixel pixel,
             float2 &y,
             float target,
             float noise)
{
  const bool intensity = pixel == PRISM_CUDA_OPTICS_L1_INTENSITY
                         || pixel == PRISM_CUDA_OPTICS_L2_INTENSITY;
  const bool squared = pixel == PRISM_CUDA_OPTICS_L2_AMPLITUDE
                       || pixel == PRISM_CUDA_OPTICS_L2_INTENSITY
                       || pixel == PRISM_CUDA_OPTICS_L2_NOISY;
  const float amplitude = sqrtf (y.x * y.x + y.y * y.y);
  float difference = intensity ? amplitude * amplitude - target * target : amplitude - target;
  float slope = squared ? difference : (difference > 0.0f) - (difference < 0.0f);

  if (pixel == PRISM_CUDA_OPTICS_L2_NOISY)
    difference = prism_cuda_optics_compare (amplitude, target, noise, slope);

  if (pixel == PRISM_CUDA_OPTICS_PROJECT)
    slope = target;
  if (!intensity)
    slope = amplitude > 0.0f ? slope / amplitude : 0.0f;
  y.x *= slope;
  y.y *= slope;
  return squared ? (double) difference * difference : fabs ((double) difference);
}

/* The same of L2_EXPECTED. */
static __device__ __forceinline__ double
visit_expected_pixel (const PrismCudaOpticsView &view,
                      float2 &y,
                      float target)
{
  const float amplitude = sqrtf (y.x * y.x + y.y * y.y);
  float difference, slope;

  if (view.expect != nullptr)
    difference = prism_cuda_optics_compare (amplitude, target, *view.expect, slope);
  else
    difference = prism_cuda_optics_compare (amplitude, target, view.noise, slope);
  slope = amplitude > 0.0f ? slope / amplitude : 0.0f;
  y.x *= slope;
  y.y *= slope;
  return (double) difference * difference;
}

/* A kernel of its own for what is seldom wanted, so that the other's registers suffice. */
template <bool EXPECTED>
static __global__ void
__launch_bounds__ (THREADS, EXPECTED ? 4 : 1)
    visit (PrismCudaOptics optics,
           PrismCudaOpticsPixel pixel,
           const PrismCudaOpticsView *__restrict__ view,
           float *pixels,
           float2 *__restrict__ field,
           double *__restrict__ sums)
{
  __shared__ double scratch[PRISM_CUDA_WARP];
  const int n_pixels = optics.image_size * optics.image_size;
  float *image = pixels == nullptr ? view->target : pixels;
  const bool sees = view->width > 0;
  double sum = 0.0;

  if (is_done (optics))
    return;
  for (int i = get_index (); i < n_pixels; i += gridDim.x * THREADS)
    {
      const float2 y = sees ? field[i] : make_float2 (0.0f, 0.0f);

      if (!EXPECTED && pixel == PRISM_CUDA_OPTICS_MEASURE)
        image[i] = sqrtf (y.x * y.x + y.y * y.y);
      else if (EXPECTED && sees)
        sum += visit_expected_pixel (*view, field[i], image[i]);
      else if (sees)
        sum += visit_pixel (pixel, field[i], image[i], view->noise);
    }
  sum = prism_cuda_sum_block (sum, scratch);
  if (threadIdx.x == 0 && sums != nullptr)
    sums[blockIdx.x] = sum;
}

/* A block for every THREADS points. */
static dim3
get_grid (const PrismCudaOptics *optics)
{
  return dim3 ((unsigned int) optics->image_size * optics->image_size / THREADS);
}

/**
 * prism_cuda_field_look_up:
 * @optics: sizes and control
 * @terms: with slots
 * @stream: a stream, which may be under capture
 *
 * Fills the views of the step under way.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_field_look_up (const PrismCudaOptics *optics,
                          const PrismCudaTerms *terms,
                          cudaStream_t stream)
{
  return prism_cuda_launch (look_up, dim3 (1), dim3 (PRISM_CUDA_WARP), 0, stream, *optics, *terms);
}

/**
 * prism_cuda_field_sum_losses:
 * @optics: sizes and control
 * @terms: with the sums of all views
 * @stream: a stream, which may be under capture
 *
 * Adds up the losses of the step under way.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_field_sum_losses (const PrismCudaOptics *optics,
                             const PrismCudaTerms *terms,
                             cudaStream_t stream)
{
  return prism_cuda_launch (sum_losses, dim3 (1), dim3 (THREADS), 0, stream, *optics, *terms,
                            prism_cuda_optics_get_n_sums (optics->image_size));
}

/**
 * prism_cuda_field_embed:
 * @optics: sizes and control
 * @image: real image
 * @field: result
 * @stream: a stream, which may be under capture
 *
 * Puts an image into an empty field.
 *
 * Shape: @image [m][m], @field [n][n].
 * Thread: engine.
 */
cudaError_t
prism_cuda_field_embed (const PrismCudaOptics *optics,
                        const float *image,
                        PrismCudaComplex *field,
                        cudaStream_t stream)
{
  return prism_cuda_launch (embed, get_grid (optics), dim3 (THREADS), 0, stream, *optics, image,
                            reinterpret_cast<float2 *> (field));
}

/**
 * prism_cuda_field_crop:
 * @optics: sizes and control
 * @field: field
 * @image: result
 * @stream: a stream, which may be under capture
 *
 * Takes an image out of a field.
 *
 * Shape: @field [n][n], @image [m][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_field_crop (const PrismCudaOptics *optics,
                       const PrismCudaComplex *field,
                       float *image,
                       cudaStream_t stream)
{
  return prism_cuda_launch (crop, get_grid (optics), dim3 (THREADS), 0, stream, *optics,
                            reinterpret_cast<const float2 *> (field), image);
}

/**
 * prism_cuda_field_mask:
 * @optics: sizes and control
 * @view: device structure
 * @spectrum: unnormalised transform of a field
 * @field: result
 * @stream: a stream, which may be under capture
 *
 * Takes of a spectrum what the mask lets through.
 *
 * Shape: both [n][n].
 * Thread: engine.
 */
cudaError_t
prism_cuda_field_mask (const PrismCudaOptics *optics,
                       const PrismCudaOpticsView *view,
                       const PrismCudaComplex *spectrum,
                       PrismCudaComplex *field,
                       cudaStream_t stream)
{
  return prism_cuda_launch (mask, get_grid (optics), dim3 (THREADS), 0, stream, *optics, view,
                            reinterpret_cast<const float2 *> (spectrum),
                            reinterpret_cast<float2 *> (field));
}

/**
 * prism_cuda_field_visit:
 * @optics: sizes and control
 * @pixel: what is done with the pixels
 * @view: device structure
 * @pixels: (nullable): takes the place of the view's target
 * @field: what is on the detector
 * @sums: (nullable): a sum of each block, of losses
 * @stream: a stream, which may be under capture
 *
 * Visits the pixels of a detector.
 *
 * Shape: @pixels and @field [n][n], @sums [n_sums].
 * Thread: engine.
 * Source: numerics.md § 7.
 */
cudaError_t
prism_cuda_field_visit (const PrismCudaOptics *optics,
                        PrismCudaOpticsPixel pixel,
                        const PrismCudaOpticsView *view,
                        float *pixels,
                        PrismCudaComplex *field,
                        double *sums,
                        cudaStream_t stream)
{
  return prism_cuda_launch (pixel == PRISM_CUDA_OPTICS_L2_EXPECTED ? visit<true> : visit<false>,
                            dim3 (prism_cuda_optics_get_n_sums (optics->image_size)),
                            dim3 (THREADS), 0, stream, *optics, pixel, view, pixels,
                            reinterpret_cast<float2 *> (field), sums);
}

/**
 * prism_cuda_field_add:
 * @optics: sizes and control
 * @view: device structure
 * @field: unnormalised transform of what the pixels left
 * @accumulate: whether to add to @spectrum
 * @spectrum: result
 * @stream: a stream, which may be under capture
 *
 * Takes a transform back through the mask.
 *
 * Shape: both [n][n].
 * Thread: engine.
 */
cudaError_t
prism_cuda_field_add (const PrismCudaOptics *optics,
                      const PrismCudaOpticsView *view,
                      const PrismCudaComplex *field,
                      int accumulate,
                      PrismCudaComplex *spectrum,
                      cudaStream_t stream)
{
  return prism_cuda_launch (add, get_grid (optics), dim3 (THREADS), 0, stream, *optics, view,
                            reinterpret_cast<const float2 *> (field), accumulate,
                            reinterpret_cast<float2 *> (spectrum));
}
