/* Gradient of a doubling's weights in mixed precision. h = in.size, I = in.channels,
 * O = out.channels.
 *
 * 32·I·O·h² flop, half of the matrix unused for I = 8; bytes 4·h²·(I·O/16 + 8·O·I/16) as they leave
 * the caches, and 64·I·O for each split.
 *
 * A block computes the 16 taps of up to 16 × 16 pairs of channels over its share of the pixels. The
 * sum goes over the 16 px of a row: left the input's channels, right the run of four kx times the
 * channels of dY, one row ky of the kernel for each of four warps; the other four take every second
 * row of pixels. */
#include "prism-cuda-mixed.cuh"

namespace wmma = nvcuda::wmma;

#define N_SLICES 2

template <typename Kind, typename Shape>
struct Weights
{
  static constexpr int n_in = Shape::in_chunk;
  static constexpr int n_out = Shape::out_chunk;
  static constexpr int n_columns = 4 * n_out / 16; /* matrices of a run */
  static constexpr int width = 2 * PRISM_CUDA_MIXED_WIDTH + 2;
  static constexpr int in_pitch = PRISM_CUDA_MIXED_WIDTH * n_in;
  static constexpr int out_pitch = prism_cuda_mixed_pitch (width, n_out);
  static constexpr int n_steps = PRISM_CUDA_MIXED_WIDTH / Kind::depth;
};

template <typename Kind, typename Shape>
static __device__ __forceinline__ void
accumulate (PrismCudaMixedSums<Kind> sums[],
            const typename Kind::Memory *in,
            const typename Kind::Memory *out,
            int height)
{
  typedef Weights<Kind, Shape> W;
  const int warp = threadIdx.x / PRISM_CUDA_WARP, ky = warp % 4;

  for (int row = warp / 4; row < height; row += N_SLICES)
    for (int step = 0; step < W::n_steps; step++)
      {
        PrismCudaMixedLeft<Kind, wmma::col_major> left;
        PrismCudaMixedRight<Kind> right;

        wmma::load_matrix_sync (left, in + row * W::in_pitch + step * Kind::depth * W::n_in,
                                W::n_in);
#pragma unroll
        for (int column = 0; column < W::n_columns; column++)
          {
            wmma::load_matrix_sync (right,
                                    out + (2 * row + ky) * W::out_pitch
                                        + step * Kind::depth * 2 * W::n_out + column * 16,
                                    2 * W::n_out);
            wmma::mma_sync (sums[column], left, right, sums[column]);
          }
      }
}

/* The stage is [slice][ky][column][16 in][16 of kx and out]. */
template <typename Kind, typename Shape>
static __device__ __forceinline__ void
finish (const float *stage,
        const PrismCudaProduct &product,
        int first_in,
        int first_out)
{
  typedef Weights<Kind, Shape> W;
  const int slice_stride = 4 * W::n_columns * PRISM_CUDA_MIXED_MATRIX;
  const int n_in = product.in.channels, n_out = product.out.channels;
  float *result
      = product.weight_gradient + (size_t) blockIdx.z * n_in * n_out * PRISM_CUDA_TAPS;
  bool finite = true;

  for (int i = threadIdx.x; i < W::n_in * W::n_out * PRISM_CUDA_TAPS; i += blockDim.x)
    {
      const int tap = i % PRISM_CUDA_TAPS, pair = i / PRISM_CUDA_TAPS;
      const int out = pair % W::n_out, in = pair / W::n_out;
      const int place = tap % 4 * W::n_out + out;
      const float *from = stage
                          + (tap / 4 * W::n_columns + place / 16) * PRISM_CUDA_MIXED_MATRIX
                          + in * PRISM_CUDA_MIXED_STRIDE + place % 16;
      float sum = 0.0f;

      for (int slice = 0; slice < N_SLICES; slice++)
        sum += from[slice * slice_stride];
      result[((size_t) (first_in + in) * n_out + first_out + out) * PRISM_CUDA_TAPS + tap] = sum;
      finite = finite && isfinite (sum);
    }
  if (!finite)
    product.control->not_finite = 1;
}

template <typename Kind, typename Shape>
static __device__ __forceinline__ void
store (float *stage,
       const PrismCudaMixedSums<Kind> sums[])
{
  typedef Weights<Kind, Shape> W;
  const int warp = threadIdx.x / PRISM_CUDA_WARP;

#pragma unroll
  for (int column = 0; column < W::n_columns; column++)
    prism_cuda_mixed_store<Kind> (
        stage + (warp * W::n_columns + column) * PRISM_CUDA_MIXED_MATRIX, sums[column]);
}

template <typename Kind, typename Shape>
static __device__ __forceinline__ void
compute (const PrismCudaProduct &product)
{
  typedef Weights<Kind, Shape> W;
  typedef typename Kind::Memory Memory;
  PRISM_CUDA_DYNAMIC_SHARED (Memory, out);
  __shared__ PrismCudaNorm norms[W::n_in];
  __shared__ PrismCudaNormGradient gradient_norms[W::n_out];
  const int height = product.weights.chunk_height;
  Memory *in = out + (2 * height + 2) * W::out_pitch;
  float *stage = reinterpret_cast<float *> (out);
  const int first_out = blockIdx.x * W::n_out, first_in = blockIdx.y * W::n_in;
  const int n_across = product.in.size / PRISM_CUDA_MIXED_WIDTH;
  const int n_chunks = n_across * (product.in.size / height);
  PrismCudaMixedSums<Kind> sums[W::n_columns];

#pragma unroll
  for (int column = 0; column < W::n_columns; column++)
    wmma::fill_fragment (sums[column], 0.0f);
  if (threadIdx.x < W::n_in)
    norms[threadIdx.x] = product.in.norm[first_in + threadIdx.x];
  prism_cuda_load_norm_gradients (gradient_norms, product.out, first_out, W::n_out);
  /* The matrix of 8 channels reads 8 values past the last pixel: they must be numbers. */
  if (threadIdx.x < 16)
    in[height * W::in_pitch + threadIdx.x] = Kind::convert (0.0f);
  for (int chunk = blockIdx.z; chunk < n_chunks; chunk += product.weights.n_splits)
    {
      const int row = chunk / n_across * height, column = chunk % n_across * PRISM_CUDA_MIXED_WIDTH;
      const PrismCudaMixedBox in_box = { row, column, height, PRISM_CUDA_MIXED_WIDTH };
      const PrismCudaMixedBox out_box
          = { 2 * row - 1, 2 * column - 1, 2 * height + 2, W::width };

      __syncthreads ();
      prism_cuda_mixed_load<Kind, W::n_in> (
          in, PrismCudaActivationSource { product.in, norms, first_in }, W::n_in, W::in_pitch,
          in_box);
      prism_cuda_mixed_load<Kind, W::n_out> (
          out, PrismCudaGradientSource { product.out, gradient_norms, first_out }, W::n_out,
          W::out_pitch, out_box);
      __syncthreads ();
      accumulate<Kind, Shape> (sums, in, out, height);
    }
  __syncthreads ();
  store<Kind, Shape> (stage, sums);
  __syncthreads ();
  finish<Kind, Shape> (stage, product, first_in, first_out);
}

template <typename Kind, typename Shape>
static __global__ void
__launch_bounds__ (PRISM_CUDA_MIXED_THREADS, 2)
    mixed_weight_gradient_kernel (PrismCudaProduct product)
{
  if (product.stop != nullptr && *product.stop != 0)
    return;
  if constexpr (Kind::available)
    compute<Kind, Shape> (product);
}

template <typename Kind, typename Shape>
static cudaError_t
launch (const PrismCudaProduct *product,
        cudaStream_t stream)
{
  typedef Weights<Kind, Shape> W;
  const dim3 grid (product->out.channels / W::n_out, product->in.channels / W::n_in,
                   product->weights.n_splits);

  return prism_cuda_launch (mixed_weight_gradient_kernel<Kind, Shape>, grid,
                            dim3 (PRISM_CUDA_MIXED_THREADS), product->weights.shared_bytes, stream,
                            *product);
}

cudaError_t
prism_cuda_mixed_weight_gradient (const PrismCudaProduct *product,
                                  PrismCudaPrecision precision,
                                  cudaStream_t stream)
{
  return PRISM_CUDA_MIXED_LAUNCH (product, precision, launch, stream);
}
