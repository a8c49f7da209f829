/* prism-cpu-vector: one vector of floats of the instruction set that this file is compiled for.
 * For kernel files only, which Meson compiles once per instruction set. */
#pragma once

#include <glib.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define PRISM_VECTOR_LANES 16
#define PRISM_VECTOR_SYMBOL(name) name##_avx512
#elif defined(__AVX2__)
#define PRISM_VECTOR_LANES 8
#define PRISM_VECTOR_SYMBOL(name) name##_avx2
#else
#define PRISM_VECTOR_LANES 4
#define PRISM_VECTOR_SYMBOL(name) name##_baseline
#endif

#define PRISM_VECTOR_INLINE static inline __attribute__ ((always_inline, unused))

typedef float PrismVector __attribute__ ((vector_size (4 * PRISM_VECTOR_LANES)));
typedef float PrismVectorUnaligned
    __attribute__ ((vector_size (4 * PRISM_VECTOR_LANES), aligned (4)));
typedef gint32 PrismVectorMask __attribute__ ((vector_size (4 * PRISM_VECTOR_LANES)));

PRISM_VECTOR_INLINE PrismVector
vector_load (const float *values)
{
  return *(const PrismVectorUnaligned *) values;
}

/* A load for several uses: GCC would rather read the memory again for each of them than hold a
 * register, and then loads, not sums, set the pace. */
PRISM_VECTOR_INLINE PrismVector
vector_load_once (const float *values)
{
  PrismVector a = vector_load (values);

#if defined(__x86_64__)
  __asm__ ("" : "+v"(a));
#endif
  return a;
}

PRISM_VECTOR_INLINE void
vector_store (float       *values,
              PrismVector  a)
{
  *(PrismVectorUnaligned *) values = a;
}

PRISM_VECTOR_INLINE PrismVector
vector_fill (float value)
{
  return value - (PrismVector){ 0 };
}

PRISM_VECTOR_INLINE PrismVector
vector_zero (void)
{
  return (PrismVector){ 0 };
}

PRISM_VECTOR_INLINE PrismVector
vector_select (PrismVectorMask mask,
               PrismVector     yes,
               PrismVector     no)
{
  return (PrismVector) (((PrismVectorMask) yes & mask) | ((PrismVectorMask) no & ~mask));
}

/* The smaller one where neither is NaN. */
PRISM_VECTOR_INLINE PrismVector
vector_min (PrismVector a,
            PrismVector b)
{
#if PRISM_VECTOR_LANES == 16
  return _mm512_min_ps (a, b);
#elif PRISM_VECTOR_LANES == 8
  return _mm256_min_ps (a, b);
#else
  return vector_select (a < b, a, b);
#endif
}

/* The larger one where neither is NaN. */
PRISM_VECTOR_INLINE PrismVector
vector_max (PrismVector a,
            PrismVector b)
{
#if PRISM_VECTOR_LANES == 16
  return _mm512_max_ps (a, b);
#elif PRISM_VECTOR_LANES == 8
  return _mm256_max_ps (a, b);
#else
  return vector_select (a > b, a, b);
#endif
}

PRISM_VECTOR_INLINE PrismVectorMask
vector_lane_index (void)
{
#if PRISM_VECTOR_LANES == 16
  return (PrismVectorMask){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#elif PRISM_VECTOR_LANES == 8
  return (PrismVectorMask){ 0, 1, 2, 3, 4, 5, 6, 7 };
#else
  return (PrismVectorMask){ 0, 1, 2, 3 };
#endif
}

/* Lane j of rows[i] ↔ lane i of rows[j]: exchanges, for each bit of the index, the lanes that have
 * it of one row with those that do not of the other. */
PRISM_VECTOR_INLINE void
vector_transpose (PrismVector rows[PRISM_VECTOR_LANES])
{
  const PrismVectorMask lane = vector_lane_index ();

#pragma GCC unroll 4
  for (int step = PRISM_VECTOR_LANES / 2; step > 0; step /= 2)
    {
      PrismVectorMask second = ((lane & step) != 0) & (PRISM_VECTOR_LANES - step);

#pragma GCC unroll 16
      for (int i = 0; i < PRISM_VECTOR_LANES; i++)
        if ((i & step) == 0)
          {
            PrismVector a = rows[i], b = rows[i + step];

            rows[i] = __builtin_shuffle (a, b, lane + second);
            rows[i + step] = __builtin_shuffle (a, b, lane + second + step);
          }
    }
}

PRISM_VECTOR_INLINE float
vector_sum (PrismVector a)
{
  const PrismVectorMask lane = vector_lane_index ();

#pragma GCC unroll 4
  for (int step = PRISM_VECTOR_LANES / 2; step > 0; step /= 2)
    a += __builtin_shuffle (a, lane ^ step);
  return a[0];
}

/* Even lanes from a, odd lanes from b: what lies at 2x and 2x+1 of a row of twice the length. */
PRISM_VECTOR_INLINE void
vector_store_interleaved (float       *values,
                          PrismVector  a,
                          PrismVector  b)
{
  const PrismVectorMask lane = vector_lane_index ();
  PrismVectorMask order = (lane >> 1) + (lane & 1) * PRISM_VECTOR_LANES;

  vector_store (values, __builtin_shuffle (a, b, order));
  vector_store (values + PRISM_VECTOR_LANES,
                __builtin_shuffle (a, b, order + PRISM_VECTOR_LANES / 2));
}

/* The inverse. */
PRISM_VECTOR_INLINE void
vector_deinterleave (PrismVector *a,
                     PrismVector *b)
{
  const PrismVectorMask lane = vector_lane_index ();
  PrismVector even = __builtin_shuffle (*a, *b, 2 * lane);

  *b = __builtin_shuffle (*a, *b, 2 * lane + 1);
  *a = even;
}

PRISM_VECTOR_INLINE PrismVector
vector_sqrt (PrismVector a)
{
#if PRISM_VECTOR_LANES == 16
  return _mm512_sqrt_ps (a);
#elif PRISM_VECTOR_LANES == 8
  return _mm256_sqrt_ps (a);
#else
#pragma GCC unroll 4
  for (int i = 0; i < PRISM_VECTOR_LANES; i++)
    a[i] = __builtin_sqrtf (a[i]);
  return a;
#endif
}
