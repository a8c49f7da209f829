/* prism-cuda-optics: how the optics' kernels share out lines among blocks. */
#pragma once

#include "prism-cuda-fft.cuh"
#include "prism-cuda-optics.h"

template <int N>
struct PrismCudaOpticsShape
{
  /* Lines of a block. Small sizes fill whole warps; of the large ones enough lines stand side by
   * side that what is read across them comes in runs of 16 or 32 bytes. */
  static constexpr int PAIRS = N <= 256 ? 512 / N : N == 1024 || N == 2048 ? 2 : 1;
  static constexpr int COLUMNS = N <= 128 ? 512 / N : 1;
  static constexpr int ROWS = N == 64 ? 16 : N <= 256 ? 8 : N == 512 ? 4 : N <= 2048 ? 2 : 1;
  static constexpr int GROUPS = N == 256 ? 8 : N <= 1024 ? 4 : N == 2048 ? 2 : 1;
};

/* Combined with other conditions by |, so that all that is asked for is asked at once. */
static __device__ __forceinline__ bool
prism_cuda_optics_is_done (const PrismCudaOptics &optics)
{
  return optics.control != nullptr && optics.control->done != 0;
}

/* What does not depend on a loss. A box without rows has no columns. */
static __device__ __forceinline__ PrismCudaOpticsView
prism_cuda_optics_make_view (const PrismCudaSlot &slot)
{
  PrismCudaOpticsView view = PrismCudaOpticsView ();

  view.target = const_cast<float *> (slot.target);
  view.bits = slot.bits;
  view.y0 = slot.y0;
  view.x0 = slot.x0;
  view.height = slot.height;
  view.width = slot.height > 0 ? slot.width : 0;
  return view;
}

/* Index in the object of point i of a line of the field; not below object_size where it is none. */
static __device__ __forceinline__ int
prism_cuda_optics_get_pixel (const PrismCudaOptics &optics,
                             int i)
{
  return (i + optics.object_size / 2) & (optics.image_size - 1);
}
