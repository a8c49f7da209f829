/* The transforms in shared memory against FFTW, and what must hold of any. */
#include "prism-cuda-fft.cuh"
#include "prism-cuda-optics.h"

#include "test-cuda-common.h"

#include <complex>
#include <fftw3.h>
#include <vector>

#define N_LINES 4

typedef std::complex<float> Point;
typedef std::vector<Point> Points;

typedef enum
{
  FORM_WHOLE,  /* all points to all points */
  FORM_REDUCE, /* all points to the first few */
  FORM_EXPAND, /* the first few points to all */
} Form;

static const int sizes[] = { 64, 128, 256, 512, 1024, 2048, 4096 };

/* Lines [blocks][N_LINES][n]; count: points wanted or given. */
template <int N>
static __global__ void
transform_kernel (float2 *lines,
                  const PrismCudaComplex *roots,
                  Form form,
                  bool inverse,
                  int count)
{
  constexpr int THREADS = PrismCudaFft<N>::THREADS;
  PRISM_CUDA_DYNAMIC_SHARED (float2, shared);
  const int line = threadIdx.x / THREADS, t = threadIdx.x % THREADS;
  float2 *points = lines + ((size_t) blockIdx.x * (blockDim.x / THREADS) + line) * N;
  PrismCudaFft<N> fft;
  float2 x[PRISM_CUDA_FFT_POINTS];

  prism_cuda_fft_load<N> (fft, roots, t);
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    x[e] = points[t + e * THREADS];
  if (form == FORM_EXPAND)
    {
      for (int i = t; i < count; i += THREADS)
        shared[prism_cuda_fft_get_place<N> (line, i)] = points[i];
      __syncthreads ();
      if (inverse)
        prism_cuda_fft_expand<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t, count);
      else
        prism_cuda_fft_expand<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t, count);
    }
  else if (inverse)
    prism_cuda_fft_transform<N, PRISM_CUDA_FFT_INVERSE> (x, fft, shared, line, t,
                                                         form == FORM_REDUCE ? count : N);
  else
    prism_cuda_fft_transform<N, PRISM_CUDA_FFT_FORWARD> (x, fft, shared, line, t,
                                                         form == FORM_REDUCE ? count : N);
  for (int e = 0; e < PRISM_CUDA_FFT_POINTS; e++)
    if (form != FORM_REDUCE || t + e * THREADS < count)
      points[t + e * THREADS] = x[e];
}

/* points: two blocks of lines. */
static Points
transform (const Points &points,
           int n,
           Form form,
           bool inverse,
           int count)
{
  const int n_lines = MIN (N_LINES, 4096 / n);
  const size_t n_bytes = points.size () * sizeof (Point);
  std::vector<PrismCudaComplex> table (n);
  Points result (points.size ());
  void *lines = new_device_array (points.data (), n_bytes), *roots;

  g_assert_cmpuint (points.size (), ==, 2 * n_lines * n);
  prism_cuda_fft_fill_table (table.data (), n);
  roots = new_device_array (table.data (), n * sizeof table[0]);
  assert_cuda (prism_cuda_fft_dispatch (n, [&] (auto size) {
    constexpr int N = decltype (size)::value;

    return prism_cuda_launch (transform_kernel<N>, dim3 (2),
                              dim3 (n_lines * PrismCudaFft<N>::THREADS),
                              prism_cuda_fft_get_shared_bytes<N> (n_lines), nullptr, lines, roots,
                              form, inverse, count);
  }));
  assert_cuda (cudaMemcpy (result.data (), lines, n_bytes, cudaMemcpyDeviceToHost));
  return result;
}

static Points
new_points (int n,
            guint64 seed)
{
  const int n_points = 2 * MIN (N_LINES, 4096 / n) * n;
  const float *values = new_random_floats (2 * n_points, seed);
  Points points (n_points);

  for (int i = 0; i < n_points; i++)
    points[i] = Point (values[2 * i] - 0.5f, values[2 * i + 1] - 0.5f);
  return points;
}

/* Each line of n points. */
static Points
transform_with_fftw (const Points &points,
                     int n,
                     bool inverse)
{
  Points result (points);
  fftwf_complex *values = reinterpret_cast<fftwf_complex *> (result.data ());
  const int n_lines = (int) points.size () / n;
  fftwf_plan plan = fftwf_plan_many_dft (1, &n, n_lines, values, NULL, 1, n, values, NULL, 1, n,
                                         inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);

  fftwf_execute (plan);
  fftwf_destroy_plan (plan);
  return result;
}

/* Root mean square over the first count points of all lines, relative to all of b. */
static double
get_distance (const Points &a,
              const Points &b,
              int n,
              int count)
{
  double difference = 0.0, power = 0.0;

  for (size_t i = 0; i < b.size (); i++)
    {
      power += std::norm (b[i]);
      if ((int) (i % n) < count)
        difference += std::norm (a[i] - b[i]);
    }
  return sqrt (difference / power * n / count);
}

static void
test_fftw (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);

  for (int inverse = 0; inverse < 2; inverse++)
    {
      const Points points = new_points (n, n + inverse);
      const Points expected = transform_with_fftw (points, n, inverse);

      g_assert_cmpfloat (get_distance (transform (points, n, FORM_WHOLE, inverse, n), expected, n,
                                       n),
                         <, 3e-7);
    }
}

/* From the first points and to the first points, on both sides of where passes can be skipped. */
static void
test_few (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);
  const int counts[] = { 1, 7, n / 8, n / 8 + 1, n / 4, n / 2 + 3, n };

  for (int i = 0; i < 2 * (int) G_N_ELEMENTS (counts); i++)
    {
      const int count = counts[i / 2];
      Points points = new_points (n, i);
      Points expected = transform_with_fftw (points, n, i % 2);

      g_assert_cmpfloat (get_distance (transform (points, n, FORM_REDUCE, i % 2, count), expected,
                                       n, count),
                         <, 3e-7);
      for (size_t j = 0; j < points.size (); j++)
        if ((int) (j % n) >= count)
          points[j] = 0.0f;
      expected = transform_with_fftw (points, n, i % 2);
      g_assert_cmpfloat (get_distance (transform (points, n, FORM_EXPAND, i % 2, count), expected,
                                       n, n),
                         <, 3e-7);
    }
}

/* One point anywhere becomes a wave whose values are roots of unity: the table's precision. */
static void
test_impulse (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);
  const int places[] = { 0, 1, n / 3, n - 1 };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      Points points (new_points (n, 0).size ());
      Points wave;

      for (size_t j = places[i]; j < points.size (); j += n)
        points[j] = 1.0f;
      wave = transform (points, n, FORM_WHOLE, false, n);
      for (size_t j = 0; j < wave.size (); j++)
        {
          const double angle = -2.0 * G_PI * (double) (places[i] * (j % n) % n) / n;

          g_assert_cmpfloat (std::abs (std::complex<double> (wave[j]) - std::polar (1.0, angle)), <,
                             4e-7);
        }
    }
}

static void
test_linear (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);
  const Points a = new_points (n, 1), b = new_points (n, 2);
  const Points a_out = transform (a, n, FORM_WHOLE, false, n);
  const Points b_out = transform (b, n, FORM_WHOLE, false, n);
  const Point factor (0.5f, -2.0f);
  Points sum (a), expected (a_out);

  for (size_t i = 0; i < a.size (); i++)
    {
      sum[i] += factor * b[i];
      expected[i] += factor * b_out[i];
    }
  g_assert_cmpfloat (get_distance (transform (sum, n, FORM_WHOLE, false, n), expected, n, n), <,
                     5e-7);
}

/* Parseval; and there and back is n times the same. */
static void
test_round_trip (gconstpointer data)
{
  const int n = GPOINTER_TO_INT (data);
  const Points points = new_points (n, 3);
  const Points spectrum = transform (points, n, FORM_WHOLE, false, n);
  Points back = transform (spectrum, n, FORM_WHOLE, true, n);
  double power = 0.0, spectral_power = 0.0;

  for (size_t i = 0; i < points.size (); i++)
    {
      power += n * (double) std::norm (points[i]);
      spectral_power += std::norm (spectrum[i]);
      back[i] /= (float) n;
    }
  g_assert_cmpfloat_with_epsilon (spectral_power, power, 1e-6 * power);
  g_assert_cmpfloat (get_distance (back, points, n, n), <, 5e-7);
}

/* 16 points that half a warp reads or writes at once stand in 16 banks of 8 bytes. */
template <int N>
static void
check_places (void)
{
  std::vector<bool> taken (2 * PrismCudaFft<N>::PITCH);

  for (int line = 0; line < 2; line++)
    for (int first = 0; first < N; first += 16)
      {
        guint banks = 0;

        for (int i = first; i < first + 16; i++)
          {
            const int place = prism_cuda_fft_get_place<N> (line, i);

            g_assert_cmpint (place, <, line * PrismCudaFft<N>::PITCH + N);
            g_assert_false (taken[place]);
            taken[place] = true;
            banks |= 1u << place % 16;
          }
        g_assert_cmpuint (banks, ==, 0xffff);
      }
}

static void
test_places (gconstpointer data)
{
  prism_cuda_fft_dispatch (GPOINTER_TO_INT (data), [] (auto size) {
    check_places<decltype (size)::value> ();
    return cudaSuccess;
  });
}

static void
test_other_sizes (void)
{
  const int wrong[] = { 0, 32, 96, 8192, -64 };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_cmpint (prism_cuda_fft_dispatch (wrong[i], [] (auto size) { return cudaSuccess; }), ==,
                     cudaErrorInvalidValue);
}

static void
add_test (const char *name,
          int size,
          GTestDataFunc function)
{
  g_autofree char *path = g_strdup_printf ("/cuda/fft/%s/%d", name, size);

  g_test_add_data_func (path, GINT_TO_POINTER (size), function);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      add_test ("fftw", sizes[i], test_fftw);
      add_test ("few", sizes[i], test_few);
      add_test ("impulse", sizes[i], test_impulse);
      add_test ("linear", sizes[i], test_linear);
      add_test ("round-trip", sizes[i], test_round_trip);
      add_test ("places", sizes[i], test_places);
    }
  g_test_add_func ("/cuda/fft/other-sizes", test_other_sizes);
  return g_test_run ();
}
