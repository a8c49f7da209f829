/* prism-cpu-telescope-vector: vectors of the instruction set that a kernel file is compiled for, and
 * the small transforms that live in registers. Included by the kernels only. */
#pragma once

#include <glib.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define VECTOR_INDICES { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define VECTOR_INDICES { 0, 1, 2, 3, 4, 5, 6, 7 }
#else
#define VECTOR_BYTES 16
#define VECTOR_INDICES { 0, 1, 2, 3 }
#endif

#define LANES (VECTOR_BYTES / 4)
#define ALWAYS_INLINE inline __attribute__ ((always_inline))

typedef float Vector __attribute__ ((vector_size (VECTOR_BYTES)));
/* Of the caller's arrays, which may lie anywhere. */
typedef float LooseVector __attribute__ ((vector_size (VECTOR_BYTES), aligned (4)));
typedef gint32 Mask __attribute__ ((vector_size (VECTOR_BYTES)));
typedef double WideVector __attribute__ ((vector_size (2 * VECTOR_BYTES)));

static ALWAYS_INLINE Vector
square_root (Vector x)
{
#if defined(__AVX512F__)
  return (Vector) _mm512_sqrt_ps ((__m512) x);
#elif defined(__AVX2__)
  return (Vector) _mm256_sqrt_ps ((__m256) x);
#elif defined(__x86_64__)
  return (Vector) _mm_sqrt_ps ((__m128) x);
#else
  for (int i = 0; i < LANES; i++)
    x[i] = sqrtf (x[i]);
  return x;
#endif
}

/* 1/√x, and 0 where x is 0. The estimate has 14 (AVX-512) or 12 bits and gets one Newton step, which
 * leaves a relative error under 3e-7. NaN stays NaN. */
static ALWAYS_INLINE Vector
inverse_root (Vector x)
{
#if defined(__AVX512F__)
  __mmask16 positive = _mm512_cmp_ps_mask ((__m512) x, _mm512_setzero_ps (), _CMP_GT_OQ);
  Vector root = (Vector) _mm512_maskz_rsqrt14_ps (positive, (__m512) x);

  return root * (1.5f - (0.5f * x * root) * root);
#elif defined(__AVX2__)
  Vector root = (Vector) ((Mask) _mm256_rsqrt_ps ((__m256) x) & (x > 0.0f));

  return root * (1.5f - (0.5f * x * root) * root);
#else
  return (Vector) ((Mask) (1.0f / square_root (x)) & (x != 0.0f));
#endif
}

static ALWAYS_INLINE Vector
magnitude (Vector x)
{
  return (Vector) ((Mask) x & 0x7fffffff);
}

/* gain with the sign of x, 0 where x is 0. */
static ALWAYS_INLINE Vector
signed_gain (Vector x,
             Vector gain)
{
  return (Vector) ((((Mask) x & (gint32) 0x80000000) ^ (Mask) gain) & (x != 0.0f));
}

/* Exchanges the off-diagonal squares of side d within each square of side 2·d. */
static ALWAYS_INLINE void
transpose_step (Vector    *v,
                const int  d)
{
  const Mask index = VECTOR_INDICES;
  const Mask odd = (index & d) != 0;
  const Mask upper = (odd & (index - d + LANES)) | (~odd & index);
  const Mask lower = (odd & (index + LANES)) | (~odd & (index + d));

#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++)
    if ((i & d) == 0)
      {
        Vector a = v[i], b = v[i + d];

        v[i] = __builtin_shuffle (a, b, upper);
        v[i + d] = __builtin_shuffle (a, b, lower);
      }
}

/* v [LANES] vectors. */
static ALWAYS_INLINE void
transpose (Vector *v)
{
  if (LANES > 8)
    transpose_step (v, LANES > 8 ? 8 : 1);
  if (LANES > 4)
    transpose_step (v, LANES > 4 ? 4 : 1);
  transpose_step (v, 2);
  transpose_step (v, 1);
}

/* (re, im) ·= factor[0] ± i·factor[1]. */
static ALWAYS_INLINE void
multiply (Vector      *re,
          Vector      *im,
          const float *factor)
{
  Vector x = *re;

  *re = x * factor[0] - *im * factor[1];
  *im = x * factor[1] + *im * factor[0];
}

static ALWAYS_INLINE void
multiply_conjugate (Vector      *re,
                    Vector      *im,
                    const float *factor)
{
  Vector x = *re;

  *re = x * factor[0] + *im * factor[1];
  *im = *im * factor[0] - x * factor[1];
}

/* Sum and difference of points a and b, in place; points from n_inputs on are 0. */
static ALWAYS_INLINE void
cross (Vector    *re,
       Vector    *im,
       int        a,
       int        b,
       const int  n_inputs)
{
  Vector x = re[a], y = im[a];

  re[a] = b < n_inputs ? x + re[b] : x;
  im[a] = b < n_inputs ? y + im[b] : y;
  re[b] = b < n_inputs ? x - re[b] : x;
  im[b] = b < n_inputs ? y - im[b] : y;
}

/* (re, im) ·= i. */
static ALWAYS_INLINE void
turn (Vector *re,
      Vector *im)
{
  Vector x = *re;

  *re = -*im;
  *im = x;
}

/* (re, im) ·= e^{2πi/8}. */
static ALWAYS_INLINE void
turn_half (Vector *re,
           Vector *im)
{
  Vector x = *re;

  *re = (x - *im) * (float) M_SQRT1_2;
  *im = (x + *im) * (float) M_SQRT1_2;
}

static ALWAYS_INLINE void
exchange (Vector *re,
          Vector *im,
          int     a,
          int     b)
{
  Vector x = re[a], y = im[a];

  re[a] = re[b];
  im[a] = im[b];
  re[b] = x;
  im[b] = y;
}

static ALWAYS_INLINE void
transform_4 (Vector    *re,
             Vector    *im,
             const int  n_inputs)
{
  cross (re, im, 0, 2, n_inputs);
  cross (re, im, 1, 3, n_inputs);
  turn (&re[3], &im[3]);
  cross (re, im, 0, 1, 4);
  cross (re, im, 2, 3, 4);
  exchange (re, im, 1, 2);
}

static ALWAYS_INLINE void
transform_8 (Vector    *re,
             Vector    *im,
             const int  n_inputs)
{
  for (int i = 0; i < 4; i++)
    cross (re, im, i, i + 4, n_inputs);
  turn_half (&re[5], &im[5]);
  turn (&re[6], &im[6]);
  turn (&re[7], &im[7]);
  turn_half (&re[7], &im[7]);
  transform_4 (re, im, 4);
  transform_4 (re + 4, im + 4, 4);
  exchange (re, im, 1, 4);
  exchange (re, im, 3, 6);
  exchange (re, im, 3, 5);
  exchange (re, im, 2, 4);
}

/* re[radix], im[radix], in place: transform with e^{+2πi/radix} of n_inputs non-zero points; those
 * beyond must be set to 0. With re and im exchanged it is the transform with e^{-2πi/radix}. */
static ALWAYS_INLINE void
transform (Vector    *re,
           Vector    *im,
           const int  radix,
           const int  n_inputs)
{
  if (radix == 8)
    transform_8 (re, im, n_inputs);
  else if (radix == 4)
    transform_4 (re, im, n_inputs);
  else
    cross (re, im, 0, 1, n_inputs);
}
