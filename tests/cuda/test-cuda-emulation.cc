/* The emulated GPU: that kernels run as on a device, and that every kind of mistake is found. */
#include "prism-cuda-kernel.cuh"

#include "prism-emulation.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <glib.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER TRUE
#else
#define HAS_ADDRESS_SANITIZER FALSE
#endif

#define check(call) g_assert_cmpint ((call), ==, cudaSuccess)

/* A device array of T that a test fills, runs over and reads. */
template <typename T>
struct Array
{
  T *data;
  size_t n;

  explicit Array (size_t n_)
    : data (nullptr), n (n_)
  {
    check (cudaMalloc (&data, n * sizeof (T)));
  }
  ~Array () { cudaFree (data); }
  Array (const Array &) = delete;

  void
  write (const T *values)
  {
    check (cudaMemcpy (data, values, n * sizeof (T), cudaMemcpyHostToDevice));
  }

  void
  read (T *values) const
  {
    check (cudaMemcpy (values, data, n * sizeof (T), cudaMemcpyDeviceToHost));
  }
};

static __global__ void
sum_kernel (const float *values,
            float *sums,
            int n)
{
  __shared__ float scratch[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = prism_cuda_sum_block (i < n ? values[i] : 0.0f, scratch);

  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

static void
test_sum (void)
{
  float host[1000], sums[4], sum = 0.0f;
  Array<float> values (1000), result (4);

  for (int i = 0; i < 1000; i++)
    host[i] = i;
  values.write (host);
  check (prism_cuda_launch (sum_kernel, 4, 256, 0, nullptr, values.data, result.data, 1000));
  result.read (sums);
  for (int i = 0; i < 4; i++)
    sum += sums[i];
  g_assert_cmpfloat (sum, ==, 499500.0f);
}

static __global__ void
index_kernel (unsigned int *counts,
              uint4 *indices)
{
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int i = block * blockDim.x * blockDim.y * blockDim.z + thread;

  atomicAdd (&counts[i], 1u);
  indices[i] = make_uint4 (threadIdx.x, threadIdx.y, blockIdx.y, blockIdx.z);
}

/* Every thread of every block exactly once. */
static void
test_indices (void)
{
  const int n = 3 * 4 * 5 * 2 * 3 * 4;
  unsigned int counts[n];
  uint4 indices[n];
  Array<unsigned int> device_counts (n);
  Array<uint4> device_indices (n);

  check (cudaMemset (device_counts.data, 0, sizeof counts));
  check (prism_cuda_launch (index_kernel, dim3 (3, 4, 5), dim3 (2, 3, 4), 0, nullptr, device_counts.data,
                            device_indices.data));
  device_counts.read (counts);
  device_indices.read (indices);
  for (int i = 0; i < n; i++)
    {
      g_assert_cmpuint (counts[i], ==, 1);
      g_assert_cmpuint (indices[i].x, ==, i % 2);
      g_assert_cmpuint (indices[i].y, ==, i / 2 % 3);
      g_assert_cmpuint (indices[i].z, ==, i / 24 / 3 % 4);
      g_assert_cmpuint (indices[i].w, ==, i / 24 / 12);
    }
}

static __global__ void
shuffle_kernel (int *results)
{
  const int lane = threadIdx.x;

  results[lane] = __shfl_sync (0xffffffffu, 100 + lane, 3);
  results[32 + lane] = __shfl_up_sync (0xffffffffu, lane, 2, 8);
  results[64 + lane] = __shfl_down_sync (0xffffffffu, lane, 2, 8);
  results[96 + lane] = __shfl_xor_sync (0xffffffffu, lane, 5);
  results[128 + lane] = (int) __ballot_sync (0xffffffffu, lane % 3 == 0);
  results[160 + lane] = __any_sync (0xffffffffu, lane == 31) + 2 * __all_sync (0xffffffffu, lane < 31);
  results[192 + lane] = __syncthreads_count (lane < 7);
  results[224 + lane] = lane < 16 ? __shfl_sync (0x0000ffffu, lane, 1) : __shfl_sync (0xffff0000u, lane, 30);
}

static void
test_shuffle (void)
{
  int results[256];
  Array<int> device (256);

  check (prism_cuda_launch (shuffle_kernel, 1, 32, 0, nullptr, device.data));
  device.read (results);
  for (int lane = 0; lane < 32; lane++)
    {
      g_assert_cmpint (results[lane], ==, 103);
      g_assert_cmpint (results[32 + lane], ==, lane % 8 < 2 ? lane : lane - 2);
      g_assert_cmpint (results[64 + lane], ==, lane % 8 > 5 ? lane : lane + 2);
      g_assert_cmpint (results[96 + lane], ==, lane ^ 5);
      g_assert_cmphex ((guint) results[128 + lane], ==, 0x49249249);
      g_assert_cmpint (results[160 + lane], ==, 1);
      g_assert_cmpint (results[192 + lane], ==, 7);
      g_assert_cmpint (results[224 + lane], ==, lane < 16 ? 1 : 30);
    }
}

static __global__ void
unwritten_kernel (float *results)
{
  __shared__ float fixed[64];
  PRISM_CUDA_DYNAMIC_SHARED (float, dynamic);

  results[2 * threadIdx.x] = fixed[threadIdx.x];
  results[2 * threadIdx.x + 1] = dynamic[threadIdx.x];
  fixed[threadIdx.x] = dynamic[threadIdx.x] = 1.0f;
}

/* Whatever was not written is NaN: device memory, shared memory of both kinds, in every block. */
static void
test_unwritten (void)
{
  float results[128];
  double doubles[8];
  unsigned short short_bits;
  Array<float> device (128);
  Array<double> device_doubles (8);

  device.read (results);
  device_doubles.read (doubles);
  for (int i = 0; i < 8; i++)
    g_assert_true (isnan (results[i]) && isnan (doubles[i]));
  memcpy (&short_bits, results, sizeof short_bits);
  g_assert_true (isnan (__half2float (__ushort_as_half (short_bits))));
  g_assert_true (isnan (__bfloat162float (__ushort_as_bfloat16 (short_bits))));
  for (int pass = 0; pass < 2; pass++)
    {
      check (prism_cuda_launch (unwritten_kernel, 6, 64, 256, nullptr, device.data));
      device.read (results);
      for (int i = 0; i < 128; i++)
        g_assert_true (isnan (results[i]));
    }
}

template <bool with_barrier>
static __global__ void
neighbour_kernel (int *results,
                  int shift)
{
  __shared__ int values[128];

  values[threadIdx.x] = threadIdx.x;
  if (with_barrier)
    __syncthreads ();
  results[threadIdx.x] = values[(threadIdx.x + shift) % 128];
}

static int
count_wrong_neighbours (bool with_barrier,
                        int shift)
{
  int results[128], n_wrong = 0;
  Array<int> device (128);

  check (prism_cuda_launch (with_barrier ? neighbour_kernel<true> : neighbour_kernel<false>, 1, 128, 0,
                            nullptr, device.data, shift));
  device.read (results);
  for (int i = 0; i < 128; i++)
    n_wrong += results[i] != (i + shift) % 128;
  return n_wrong;
}

/* Without its barrier the kernel reads what was not written yet, whatever the order of threads. */
static void
test_missing_barrier (void)
{
  for (int shift = 1; shift < 128; shift += 63)
    {
      g_assert_cmpint (count_wrong_neighbours (true, shift), ==, 0);
      g_assert_cmpint (count_wrong_neighbours (false, shift), >, 0);
    }
}

static __global__ void
order_kernel (int *last)
{
  __shared__ int first, second;

  first = threadIdx.x;
  __syncthreads ();
  second = threadIdx.x;
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      last[0] = first;
      last[1] = second;
    }
}

/* The order of threads turns round at a barrier: who writes last differs. */
static void
test_order_of_threads (void)
{
  int last[2];
  Array<int> device (2);

  check (prism_cuda_launch (order_kernel, 1, 256, 0, nullptr, device.data));
  device.read (last);
  g_assert_cmpint (last[0], !=, last[1]);
}

static __global__ void
half_barrier_kernel (void)
{
  if (threadIdx.x < 40)
    __syncthreads ();
}

static __global__ void
lost_lane_kernel (int *results)
{
  if (threadIdx.x == 9)
    return;
  results[threadIdx.x] = __shfl_xor_sync (0xffffffffu, (int) threadIdx.x, 1);
}

static __global__ void
mixed_warp_kernel (int *results)
{
  if (threadIdx.x < 16)
    results[threadIdx.x] = __shfl_xor_sync (0xffffffffu, 1, 1);
  else
    __syncwarp ();
}

static __global__ void
short_warp_kernel (int *results)
{
  results[threadIdx.x] = __shfl_xor_sync (0xffffffffu, 1, 1);
}

static void
expect_abort (const char *path,
              const char *message)
{
  g_test_trap_subprocess (path, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (message);
}

static void
run_half_barrier (void)
{
  prism_cuda_launch (half_barrier_kernel, 2, 64, 0, nullptr);
}

static void
run_lost_lane (void)
{
  Array<int> results (64);

  prism_cuda_launch (lost_lane_kernel, 1, 64, 0, nullptr, results.data);
}

static void
run_mixed_warp (void)
{
  Array<int> results (32);

  prism_cuda_launch (mixed_warp_kernel, 1, 32, 0, nullptr, results.data);
}

static void
run_short_warp (void)
{
  Array<int> results (48);

  prism_cuda_launch (short_warp_kernel, 1, 48, 0, nullptr, results.data);
}

static void
test_barrier_not_reached (void)
{
  expect_abort ("/cuda-emulation/subprocess/half-barrier",
                "*kernel half_barrier_kernel*block (?, 0, 0)*__syncthreads*has ended*");
}

static void
test_lane_has_ended (void)
{
  expect_abort ("/cuda-emulation/subprocess/lost-lane", "*kernel lost_lane_kernel*lane 9 of the mask has ended*");
}

static void
test_warp_is_split (void)
{
  expect_abort ("/cuda-emulation/subprocess/mixed-warp", "*kernel mixed_warp_kernel*__shfl_xor_sync*");
}

static void
test_warp_is_short (void)
{
  expect_abort ("/cuda-emulation/subprocess/short-warp", "*lane 16 of the mask does not exist*");
}

static __global__ void
beyond_kernel (float *values,
               int i)
{
  values[i] = 1.0f;
}

static void
run_beyond (void)
{
  Array<float> values (10);

  prism_cuda_launch (beyond_kernel, 1, 1, 0, nullptr, values.data, 10);
}

static void
run_freed (void)
{
  float *values;

  cudaMalloc (&values, 64);
  cudaFree (values);
  prism_cuda_launch (beyond_kernel, 1, 1, 0, nullptr, values, 0);
}

static __global__ void
beyond_shared_kernel (float *values,
                      int i)
{
  PRISM_CUDA_DYNAMIC_SHARED (float, shared);

  shared[i] = 1.0f;
  values[0] = shared[i];
}

static void
run_beyond_shared (void)
{
  Array<float> values (1);

  prism_cuda_launch (beyond_shared_kernel, 1, 1, 64, nullptr, values.data, 16);
}

static void
run_forbidden (void)
{
  Array<float> values (256);

  prism_emulation_forbid (values.data + 64, 256);
  prism_cuda_launch (beyond_kernel, 1, 1, 0, nullptr, values.data, 70);
}

/* The address sanitizer sees what lies beyond every allocation, within kernels too. */
static void
test_bounds (void)
{
  if (!HAS_ADDRESS_SANITIZER)
    {
      g_test_skip ("built without the address sanitizer");
      return;
    }
  expect_abort ("/cuda-emulation/subprocess/beyond", "*heap-buffer-overflow*beyond_kernel*");
  expect_abort ("/cuda-emulation/subprocess/freed", "*heap-use-after-free*beyond_kernel*");
  expect_abort ("/cuda-emulation/subprocess/beyond-shared", "*heap-buffer-overflow*beyond_shared_kernel*");
  expect_abort ("/cuda-emulation/subprocess/forbidden", "*use-after-poison*beyond_kernel*");
}

/* Without asking for shared memory first. */
static cudaError_t
launch_plainly (dim3 grid,
                dim3 block,
                size_t shared_bytes,
                float *values)
{
  cudaLaunchConfig_t config = {};

  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  return cudaLaunchKernelEx (&config, beyond_kernel, values, 0);
}

/* The real runtime's limits and its codes. */
static void
test_configuration (void)
{
  Array<float> values (1);
  float *data = values.data;

#define launch(grid, block, shared) launch_plainly (grid, block, shared, data)
  g_assert_cmpint (launch (0, 32, 0), ==, cudaErrorInvalidConfiguration);
  g_assert_cmpint (launch (1, 0, 0), ==, cudaErrorInvalidConfiguration);
  g_assert_cmpint (launch (1, 1025, 0), ==, cudaErrorInvalidConfiguration);
  g_assert_cmpint (launch (1, dim3 (32, 33), 0), ==, cudaErrorInvalidConfiguration);
  g_assert_cmpint (launch (1, dim3 (1, 1, 65), 0), ==, cudaErrorInvalidConfiguration);
  g_assert_cmpint (launch (dim3 (1, 65536), 1, 0), ==, cudaErrorInvalidConfiguration);
  g_assert_cmpint (launch (1, 1, 48 * 1024 + 1), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorInvalidValue);
  g_assert_cmpint (cudaGetLastError (), ==, cudaSuccess);
  check (launch (1, 1024, 48 * 1024));

  check (cudaFuncSetAttribute (beyond_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  check (launch (1, 1, 64 * 1024));
  g_assert_cmpint (launch (1, 1, 64 * 1024 + 1), ==, cudaErrorInvalidValue);
#undef launch
}

static void
test_architecture (void)
{
  cudaDeviceProp properties;

  g_setenv ("PRISM_EMULATION_ARCHITECTURE", "75", TRUE);
  prism_emulation_reset ();
  check (cudaGetDeviceProperties (&properties, 0));
  g_assert_cmpint (properties.major * 10 + properties.minor, ==, 75);
  g_assert_cmpint (cudaFuncSetAttribute (beyond_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65537), ==,
                   cudaErrorInvalidValue);
  g_setenv ("PRISM_EMULATION_ARCHITECTURE", "120", TRUE);
  prism_emulation_reset ();
  check (cudaGetDeviceProperties (&properties, 0));
  g_assert_cmpint (properties.major * 10 + properties.minor, ==, 120);
  g_assert_cmpuint (properties.sharedMemPerBlockOptin, ==, 99 * 1024);
  g_unsetenv ("PRISM_EMULATION_ARCHITECTURE");
  prism_emulation_reset ();
  check (cudaGetDeviceProperties (&properties, 0));
  g_assert_cmpint (properties.major * 10 + properties.minor, ==, 90);
}

static __global__ void
deep_kernel (int *results)
{
  volatile int local[16384];

  for (int i = 0; i < 16384; i++)
    local[i] = i + threadIdx.x;
  __syncthreads ();
  results[threadIdx.x] = local[16383];
}

/* 64 KiB on each thread's stack, kept over a barrier. */
static void
test_stack (void)
{
  int results[64];
  Array<int> device (64);

  check (prism_cuda_launch (deep_kernel, 1, 64, 0, nullptr, device.data));
  device.read (results);
  for (int i = 0; i < 64; i++)
    g_assert_cmpint (results[i], ==, 16383 + i);
}

/* Every half comes back; what lies between two goes to the nearest, in the middle to the even one. */
static void
test_half (void)
{
  for (guint i = 0; i < 0x7c00; i++)
    {
      const float x = __half2float (__ushort_as_half (i)), next = __half2float (__ushort_as_half (i + 1));
      const float middle = i + 1 < 0x7c00 ? 0.5f * (x + next) : 65520.0f;

      g_assert_cmphex (__half_as_ushort (__float2half (x)), ==, i);
      g_assert_cmphex (__half_as_ushort (__float2half (-x)), ==, i | 0x8000);
      g_assert_cmphex (__half_as_ushort (__float2half (middle)), ==, i % 2 == 0 ? i : i + 1);
      g_assert_cmphex (__half_as_ushort (__float2half (nextafterf (middle, 0.0f))), ==, i);
      g_assert_cmphex (__half_as_ushort (__float2half (nextafterf (middle, INFINITY))), ==, i + 1);
    }
  g_assert_true (isnan (__half2float (__float2half (NAN))));
  g_assert_true (isinf (__half2float (__float2half (1e6f))));
  g_assert_cmpfloat ((float) __hfma (__half (3.0f), __half (5.0f), __half (0.25f)), ==, 15.25f);
}

static void
test_bfloat (void)
{
  for (guint i = 0; i < 0x7f80; i++)
    {
      const float x = __bfloat162float (__ushort_as_bfloat16 (i));
      const float middle = __uint_as_float (i << 16 | 0x8000);

      g_assert_cmphex (__bfloat16_as_ushort (__float2bfloat16 (x)), ==, i);
      g_assert_cmphex (__bfloat16_as_ushort (__float2bfloat16 (middle)), ==, i % 2 == 0 ? i : i + 1);
      g_assert_cmphex (__bfloat16_as_ushort (__float2bfloat16 (__uint_as_float (i << 16 | 0x7fff))), ==, i);
    }
  g_assert_true (isnan (__bfloat162float (__float2bfloat16 (NAN))));
}

template <int M, int N, int K, typename T, typename Layout, typename Memory>
static __global__ void
product_kernel (const Memory *a,
                const Memory *b,
                float *d)
{
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, Layout> right;
  wmma::fragment<wmma::accumulator, M, N, K, float> sum;

  wmma::fill_fragment (sum, 1.0f);
  wmma::load_matrix_sync (left, a, K);
  wmma::load_matrix_sync (right, b, std::is_same<Layout, wmma::row_major>::value ? N : K);
  if constexpr (std::is_same<T, wmma::precision::tf32>::value)
    {
      for (auto &x : left.x)
        x = wmma::__float_to_tf32 (x);
      for (auto &x : right.x)
        x = wmma::__float_to_tf32 (x);
    }
  wmma::mma_sync (sum, left, right, sum);
  for (auto &x : sum.x)
    x *= 2.0f;
  wmma::store_matrix_sync (d, sum, N, wmma::mem_row_major);
}

/* d = 2 (a b + 1), small whole numbers: exact in every format. */
template <int M, int N, int K, typename T, typename Layout, typename Memory>
static void
check_product (void)
{
  const bool by_rows = std::is_same<Layout, nvcuda::wmma::row_major>::value;
  Memory a[M * K], b[K * N];
  float d[M * N];
  Array<Memory> device_a (M * K), device_b (K * N);
  Array<float> device_d (M * N);

  for (int i = 0; i < M * K; i++)
    a[i] = Memory ((float) (i * 7 % 13 - 6));
  for (int i = 0; i < K * N; i++)
    b[i] = Memory ((float) (i * 5 % 11 - 5));
  device_a.write (a);
  device_b.write (b);
  check (prism_cuda_launch (product_kernel<M, N, K, T, Layout, Memory>, 1, 32, 0, nullptr, device_a.data,
                            device_b.data, device_d.data));
  device_d.read (d);
  for (int row = 0; row < M; row++)
    for (int column = 0; column < N; column++)
      {
        float sum = 1.0f;

        for (int k = 0; k < K; k++)
          sum += (float) a[row * K + k] * (float) b[by_rows ? k * N + column : column * K + k];
        g_assert_cmpfloat (d[row * N + column], ==, 2.0f * sum);
      }
}

static void
test_product (void)
{
  using namespace nvcuda::wmma;

  check_product<16, 16, 16, __half, row_major, __half> ();
  check_product<32, 8, 16, __half, col_major, __half> ();
  check_product<16, 16, 16, __nv_bfloat16, col_major, __nv_bfloat16> ();
  check_product<8, 32, 16, __nv_bfloat16, row_major, __nv_bfloat16> ();
  check_product<16, 16, 8, precision::tf32, row_major, float> ();
}

static void
test_intrinsics (void)
{
  float s, c;

  sincospif (0.5f, &s, &c);
  g_assert_true (s == 1.0f && c == 0.0f);
  sincospif (-1.25f, &s, &c);
  g_assert_cmpfloat_with_epsilon (s, 0.70710678f, 1e-7);
  g_assert_cmpfloat_with_epsilon (c, -0.70710678f, 1e-7);
  sincospif (3.0f, &s, &c);
  g_assert_true (s == 0.0f && c == -1.0f);
  g_assert_cmphex (__brev (1u), ==, 0x80000000u);
  g_assert_cmpint (__clz (1), ==, 31);
  g_assert_cmpint (__popc (0xf0f0u), ==, 8);
  g_assert_cmphex (__umulhi (0x80000000u, 6u), ==, 3);
  g_assert_cmphex (__funnelshift_l (0x80000000u, 1u, 1), ==, 3);
  g_assert_cmphex (__byte_perm (0x33221100u, 0x77665544u, 0x7150u), ==, 0x77115500u);
  g_assert_cmpfloat (rsqrtf (4.0f), ==, 0.5f);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda-emulation/sum", test_sum);
  g_test_add_func ("/cuda-emulation/indices", test_indices);
  g_test_add_func ("/cuda-emulation/shuffle", test_shuffle);
  g_test_add_func ("/cuda-emulation/unwritten", test_unwritten);
  g_test_add_func ("/cuda-emulation/missing-barrier", test_missing_barrier);
  g_test_add_func ("/cuda-emulation/order-of-threads", test_order_of_threads);
  g_test_add_func ("/cuda-emulation/barrier-not-reached", test_barrier_not_reached);
  g_test_add_func ("/cuda-emulation/lane-has-ended", test_lane_has_ended);
  g_test_add_func ("/cuda-emulation/warp-is-split", test_warp_is_split);
  g_test_add_func ("/cuda-emulation/warp-is-short", test_warp_is_short);
  g_test_add_func ("/cuda-emulation/bounds", test_bounds);
  g_test_add_func ("/cuda-emulation/configuration", test_configuration);
  g_test_add_func ("/cuda-emulation/architecture", test_architecture);
  g_test_add_func ("/cuda-emulation/stack", test_stack);
  g_test_add_func ("/cuda-emulation/half", test_half);
  g_test_add_func ("/cuda-emulation/bfloat", test_bfloat);
  g_test_add_func ("/cuda-emulation/product", test_product);
  g_test_add_func ("/cuda-emulation/intrinsics", test_intrinsics);
  /* What the tests above run in a process of its own. */
  g_test_add_func ("/cuda-emulation/subprocess/half-barrier", run_half_barrier);
  g_test_add_func ("/cuda-emulation/subprocess/lost-lane", run_lost_lane);
  g_test_add_func ("/cuda-emulation/subprocess/mixed-warp", run_mixed_warp);
  g_test_add_func ("/cuda-emulation/subprocess/short-warp", run_short_warp);
  g_test_add_func ("/cuda-emulation/subprocess/beyond", run_beyond);
  g_test_add_func ("/cuda-emulation/subprocess/freed", run_freed);
  g_test_add_func ("/cuda-emulation/subprocess/beyond-shared", run_beyond_shared);
  g_test_add_func ("/cuda-emulation/subprocess/forbidden", run_forbidden);
  return g_test_run ();
}
