/* prism-cpu-telescope-vector: vectors of the instruction set that a kernel file is compiled for,
 * and the small transforms that live in registers. Included by the kernels only. */
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

/* 1/√x of positive numbers. The estimate has 14 (AVX-512) or 12 bits and gets one Newton step,
 * which leaves a relative error under 3e-7. */
static ALWAYS_INLINE Vector
inverse_root (Vector x)
{
#if defined(__AVX512F__)
  Vector root = (Vector) _mm512_rsqrt14_ps ((__m512) x);

  return root * (1.5f - (0.5f * x * root) * root);
#elif defined(__AVX2__)
  Vector root = (Vector) _mm256_rsqrt_ps ((__m256) x);

  return root * (1.5f - (0.5f * x * root) * root);
#else
  return 1.0f / square_root (x);
#endif
}

static ALWAYS_INLINE Vector
magnitude (Vector x)
{
  return (Vector) ((Mask) x & 0x7fffffff);
}

/* value·sign (x), and 0 where x is 0. */
static ALWAYS_INLINE Vector
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
static ALWAYS_INLINE Vector
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

/* b0 + e^{iπ/4}·b1 + … of a transform of 8 points: outputs 1, 5, 3, 7 at 0 … 3. The factor √½ goes
 * into the last additions, which become fused ones: processors add and multiply in different
 * units. */
static ALWAYS_INLINE void
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

static ALWAYS_INLINE void
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
