/* prism-cpu-telescope-vector: vectors of the instruction set that a kernel file is compiled for,
 * and the small transforms that live in registers. Included by the kernels only. */
#pragma once

#include "kernels/prism-cpu-vector.h"

#include <math.h>

#define LANES PRISM_VECTOR_LANES
#define INLINE PRISM_VECTOR_INLINE

typedef PrismVector Vector;
typedef PrismVectorMask Mask;
/* Of the caller's arrays, which may lie anywhere. */
typedef PrismVectorUnaligned LooseVector;
typedef double WideVector __attribute__ ((vector_size (2 * sizeof (Vector))));

/* 1/√x of positive numbers. The estimate has 14 (AVX-512) or 12 bits and gets one Newton step,
 * which leaves a relative error under 3e-7. */
INLINE Vector
inverse_root (Vector x)
{
#if defined(__AVX512F__)
  Vector root = (Vector) _mm512_rsqrt14_ps (x);

  return root * (1.5f - (0.5f * x * root) * root);
#elif defined(__AVX2__)
  Vector root = (Vector) _mm256_rsqrt_ps (x);

  return root * (1.5f - (0.5f * x * root) * root);
#else
  return 1.0f / vector_sqrt (x);
#endif
}

INLINE Vector
magnitude (Vector x)
{
  return (Vector) ((Mask) x & 0x7fffffff);
}

/* value·sign (x), and 0 where x is 0. */
INLINE Vector
multiply_sign (Vector value,
               Vector x)
{
#if defined(__AVX512F__)
  __mmask16 any = _mm512_cmp_ps_mask ((__m512) x, _mm512_setzero_ps (), _CMP_NEQ_UQ);
  __m512i sign = _mm512_set1_epi32 ((int) 0x80000000);

  /* value ^ (x & sign) */
  return (Vector) _mm512_maskz_ternarylogic_epi32 (any, (__m512i) value, (__m512i) x, sign, 0x78);
#else
  return (Vector) (((Mask) value ^ ((Mask) x & (gint32) 0x80000000)) & (x != 0.0f));
#endif
}

/* bits [lanes] 0 or 1, as numbers. The compiler's own conversion goes lane by lane. */
INLINE Vector
unpack_bits (const guint8 *bits)
{
#if defined(__AVX512F__)
  __m128i bytes = _mm_loadu_si128 ((const __m128i *) bits);

  return (Vector) _mm512_cvtepi32_ps (_mm512_cvtepu8_epi32 (bytes));
#elif defined(__AVX2__)
  __m128i bytes = _mm_loadl_epi64 ((const __m128i *) bits);

  return (Vector) _mm256_cvtepi32_ps (_mm256_cvtepu8_epi32 (bytes));
#else
  Vector numbers;

  for (int i = 0; i < LANES; i++)
    numbers[i] = bits[i];
  return numbers;
#endif
}

/* (re, im) ·= factor[0] ± i·factor[1]. */
INLINE void
multiply (Vector      *re,
          Vector      *im,
          const float *factor)
{
  Vector x = *re;

  *re = x * factor[0] - *im * factor[1];
  *im = x * factor[1] + *im * factor[0];
}

INLINE void
multiply_conjugate (Vector      *re,
                    Vector      *im,
                    const float *factor)
{
  Vector x = *re;

  *re = x * factor[0] + *im * factor[1];
  *im = *im * factor[0] - x * factor[1];
}

/* Sum and difference of points a and b, in place; points from n_inputs on are 0. */
INLINE void
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
INLINE void
turn (Vector *re,
      Vector *im)
{
  Vector x = *re;

  *re = -*im;
  *im = x;
}

INLINE void
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

INLINE void
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

/* b0 + e^{iπ/4}·b1 + … of a transform of 8 points: outputs 1, 5, 3, 7 at 0 … 3. The factor √½ goes
 * into the last additions, which become fused ones: processors add and multiply in different
 * units. */
INLINE void
transform_odd (Vector *re,
               Vector *im)
{
  const float half = (float) M_SQRT1_2;
  Vector sum_re = re[1] - im[1], sum_im = re[1] + im[1];
  Vector difference_re = re[3] + im[3], difference_im = re[3] - im[3];
  Vector a_re = re[0] - im[2], a_im = im[0] + re[2];
  Vector b_re = re[0] + im[2], b_im = im[0] - re[2];
  Vector c_re = sum_re - difference_re, c_im = sum_im + difference_im;
  Vector d_re = sum_re + difference_re, d_im = sum_im - difference_im;

  re[0] = a_re + half * c_re;
  im[0] = a_im + half * c_im;
  re[1] = a_re - half * c_re;
  im[1] = a_im - half * c_im;
  re[2] = b_re - half * d_im;
  im[2] = b_im + half * d_re;
  re[3] = b_re + half * d_im;
  im[3] = b_im - half * d_re;
}

INLINE void
transform_8 (Vector    *re,
             Vector    *im,
             const int  n_inputs)
{
  for (int i = 0; i < 4; i++)
    cross (re, im, i, i + 4, n_inputs);
  transform_4 (re, im, 4);
  transform_odd (re + 4, im + 4);
  /* 0 2 4 6 1 5 3 7 to 0 1 2 3 4 5 6 7. */
  exchange (re, im, 1, 4);
  exchange (re, im, 2, 4);
  exchange (re, im, 3, 6);
}

/* re[radix], im[radix], in place: transform with e^{+2πi/radix} of n_inputs non-zero points; those
 * beyond must be set to 0. With re and im exchanged it is the transform with e^{-2πi/radix}. */
INLINE void
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
