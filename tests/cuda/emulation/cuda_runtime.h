/* cuda_runtime: CUDA C++ as g++ reads it: qualifiers, built-in variables, barriers, warp
 * operations, atomics, intrinsics and launches. Test only; see README.md beside it. */
#pragma once

#include "cuda_runtime_api.h"
#include "prism-emulation-thread.h"

#include <math.h>
#include <string.h>

#include <tuple>
#include <type_traits>
#include <utility>

#define __host__
#define __device__
#define __global__ __attribute__ ((noinline))
/* One copy per thread of the processor, which runs one block at a time. */
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__ ((always_inline))
#define __align__(n) __attribute__ ((aligned (n)))
#define __launch_bounds__(...)
/* GLib and libstdc++ use __noinline__ as an attribute's name: it stays as it is. */

#define warpSize PRISM_EMULATION_WARP

#define PRISM_CUDA_DYNAMIC_SHARED(type, name) \
  type *name = static_cast<type *> (prism_emulation_self->dynamic_shared)

#include "vector_functions.h"
#include "prism-emulation-warp.h"
#include "prism-emulation-atomics.h"
#include "prism-emulation-math.h"

/* Launches. */

/* One per file with kernels: finds the copies of __shared__ arrays of this thread. */
static __thread char prism_emulation_anchor;

template <typename... Parameters>
struct PrismEmulationCall
{
  void (*kernel) (Parameters...);
  std::tuple<Parameters...> parameters;

  static void
  call (const void *data)
  {
    const PrismEmulationCall *self = static_cast<const PrismEmulationCall *> (data);

    std::apply (self->kernel, self->parameters);
  }

  static void
  free (void *data)
  {
    delete static_cast<PrismEmulationCall *> (data);
  }
};

static inline void *
prism_emulation_touch (void)
{
  return &prism_emulation_anchor;
}

template <typename T>
static inline void
prism_emulation_find_output (PrismEmulationLaunch *launch,
                             const T &parameter)
{
  if constexpr (std::is_pointer<T>::value)
    {
      typedef typename std::remove_pointer<T>::type Element;

      if constexpr (!std::is_const<Element>::value && !std::is_void<Element>::value
                    && std::is_floating_point<Element>::value)
        if (launch->output == nullptr)
          {
            launch->output = parameter;
            launch->output_element_size = sizeof (Element);
          }
    }
}

template <typename... Parameters, typename... Arguments>
static inline cudaError_t
cudaLaunchKernelEx (const cudaLaunchConfig_t *config,
                    void (*kernel) (Parameters...),
                    Arguments &&...arguments)
{
  PrismEmulationLaunch launch = {};
  auto *call = new PrismEmulationCall<Parameters...> {
    kernel, std::tuple<Parameters...> (std::forward<Arguments> (arguments)...)
  };

  launch.kernel = reinterpret_cast<const void *> (kernel);
  launch.call = PrismEmulationCall<Parameters...>::call;
  launch.touch = prism_emulation_touch;
  launch.arguments = call;
  launch.free_arguments = PrismEmulationCall<Parameters...>::free;
  std::apply ([&launch] (const auto &...parameter) {
    (prism_emulation_find_output (&launch, parameter), ...);
  }, call->parameters);
  return prism_emulation_launch (config, &launch);
}

template <typename... Parameters>
static inline cudaError_t
cudaFuncSetAttribute (void (*kernel) (Parameters...),
                      cudaFuncAttribute attribute,
                      int value)
{
  return cudaFuncSetAttribute (reinterpret_cast<const void *> (kernel), attribute, value);
}

template <typename... Parameters>
static inline cudaError_t
cudaFuncGetAttributes (cudaFuncAttributes *attributes,
                       void (*kernel) (Parameters...))
{
  return cudaFuncGetAttributes (attributes, reinterpret_cast<const void *> (kernel));
}

template <typename... Parameters>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *n_blocks,
                                               void (*kernel) (Parameters...),
                                               int block_size,
                                               size_t dynamic_shared_bytes)
{
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor (n_blocks,
                                                        reinterpret_cast<const void *> (kernel),
                                                        block_size, dynamic_shared_bytes);
}

template <typename T>
static inline cudaError_t
cudaMalloc (T **pointer,
            size_t n_bytes)
{
  return cudaMalloc (reinterpret_cast<void **> (pointer), n_bytes);
}

template <typename T>
static inline cudaError_t
cudaMallocHost (T **pointer,
                size_t n_bytes,
                unsigned int flags = 0)
{
  return cudaHostAlloc (reinterpret_cast<void **> (pointer), n_bytes, flags);
}

template <typename T>
static inline cudaError_t
cudaMemcpyToSymbol (const T &symbol,
                    const void *from,
                    size_t n_bytes,
                    size_t offset = 0,
                    cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
  return cudaMemcpyToSymbol (static_cast<const void *> (&symbol), from, n_bytes, offset, kind);
}

template <typename T>
static inline cudaError_t
cudaMemcpyToSymbolAsync (const T &symbol,
                         const void *from,
                         size_t n_bytes,
                         size_t offset,
                         cudaMemcpyKind kind,
                         cudaStream_t stream = 0)
{
  return cudaMemcpyToSymbolAsync (static_cast<const void *> (&symbol), from, n_bytes, offset, kind,
                                  stream);
}
