/* prism-cpu-telescope-passes: batched power-of-two transforms, as many side by side as a vector has
 * lanes. Included by the kernels only, once per instruction set.
 *
 * Elements are pairs of vectors: element k of an array is (v[2k], v[2k+1]). Forward passes
 * (decimation in frequency, e^{+2πi…}) take points in natural order and leave them in
 * digit-reversed order; backward passes (decimation in time, e^{-2πi…}) are their exact adjoint
 * and undo the order. Both go depth first: a part of 64 points stays in the first-level cache. */
#pragma once

#include "kernels/prism-cpu-fft.h"
#include "kernels/prism-cpu-vector.h"

#include <math.h>

G_BEGIN_DECLS

/* Vectors of the instruction set that a kernel file is compiled for,
 * and the small transforms that live in registers. Included by the kernels only. */

#define LANES PRISM_VECTOR_LANES
#define INLINE PRISM_VECTOR_INLINE

typedef PrismVector Vector;
typedef PrismVectorMask Mask;
/* Of the caller's arrays, which may lie anywhere. */
typedef PrismVectorUnaligned LooseVector;
typedef double WideVector __attribute__ ((vector_size (2 * sizeof (Vector))));

/* 1/√x of positive numbers. The estimate of AVX-512, whose bits Intel specifies, has 14 of them and
 * gets one Newton step, which leaves a relative error under 3e-7. That of AVX2 has other bits on
 * processors of other makers, and training would end elsewhere there. */
INLINE Vector
inverse_root (Vector x)
{
#if defined(__AVX512F__)
  Vector root = (Vector) _mm512_rsqrt14_ps (x);

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

#define MAX_RADIX 8

/* ---- passes over elements ---- */

/* One pass over radix points each; backward passes turn before they transform. */
INLINE void
run_butterflies (Vector *x,
                 const float *twiddles,
                 int step,
                 const int radix,
                 const gboolean backward)
{
  for (int j = 0; j < step; j++, twiddles += 2 * (radix - 1))
    {
      Vector re[MAX_RADIX], im[MAX_RADIX];

      for (int i = 0; i < radix; i++)
        {
          re[i] = x[2 * (i * step + j)];
          im[i] = x[2 * (i * step + j) + 1];
          if (backward && i > 0)
            multiply_conjugate (&re[i], &im[i], twiddles + 2 * (i - 1));
        }
      transform (backward ? im : re, backward ? re : im, radix, radix);
      for (int i = 0; i < radix; i++)
        {
          if (!backward && i > 0)
            multiply (&re[i], &im[i], twiddles + 2 * (i - 1));
          x[2 * (i * step + j)] = re[i];
          x[2 * (i * step + j) + 1] = im[i];
        }
    }
}

INLINE void
run_pass (const PrismCpuFftPass *pass,
          Vector *x,
          const gboolean backward)
{
  if (pass->radix == 8)
    run_butterflies (x, pass->twiddles, pass->step, 8, backward);
  else if (pass->radix == 4)
    run_butterflies (x, pass->twiddles, pass->step, 4, backward);
  else
    run_butterflies (x, pass->twiddles, pass->step, 2, backward);
}

static void
run_forward_pass (const PrismCpuFftPass *pass,
                  Vector *x)
{
  run_pass (pass, x, FALSE);
}

static void
run_backward_pass (const PrismCpuFftPass *pass,
                   Vector *x)
{
  run_pass (pass, x, TRUE);
}

INLINE void
load_run (Vector re[8],
          Vector im[8],
          const Vector *x)
{
  for (int i = 0; i < 8; i++)
    {
      re[i] = x[2 * i];
      im[i] = x[2 * i + 1];
    }
}

INLINE void
store_run (Vector *x,
           const Vector re[8],
           const Vector im[8])
{
  for (int i = 0; i < 8; i++)
    {
      x[2 * i] = re[i];
      x[2 * i + 1] = im[i];
    }
}

/* The last forward pass (first backward pass) on count runs of 8 points has no twiddles. */
INLINE void
run_plain_pass (Vector *x,
                int count,
                const gboolean backward)
{
  for (; count > 0; count--, x += 16)
    {
      Vector re[8], im[8];

      load_run (re, im, x);
      transform_8 (backward ? im : re, backward ? re : im, 8);
      store_run (x, re, im);
    }
}

/* All forward passes from pass on, in n_parts parts of the length that pass works on. */
static void
finish_forward (const PrismCpuFftPass *pass,
                Vector *x,
                int n_parts)
{
  if (pass->next == NULL)
    {
      run_plain_pass (x, n_parts, FALSE);
      return;
    }
  for (; n_parts > 0; n_parts--, x += 2 * pass->radix * pass->step)
    {
      run_forward_pass (pass, x);
      finish_forward (pass->next, x, pass->radix);
    }
}

static void
start_backward (const PrismCpuFftPass *pass,
                Vector *x,
                int n_parts)
{
  if (pass->next == NULL)
    {
      run_plain_pass (x, n_parts, TRUE);
      return;
    }
  for (; n_parts > 0; n_parts--, x += 2 * pass->radix * pass->step)
    {
      start_backward (pass->next, x, pass->radix);
      run_backward_pass (pass, x);
    }
}

/* ---- first and last pass between few and many points ---- */

/* Butterflies j … end-1 of the first forward pass, of whose inputs only n_inputs are not 0. Part 0
 * has no shifts. */
INLINE void
expand_butterflies (Vector *x,
                    const Vector *inputs,
                    const float *shifts,
                    const float *twiddles,
                    int step,
                    int j,
                    int end,
                    const int radix,
                    const int n_inputs)
{
  twiddles += 2 * (radix - 1) * j;
  for (; j < end; j++, twiddles += 2 * (radix - 1))
    {
      Vector re[MAX_RADIX] = { 0 }, im[MAX_RADIX] = { 0 };

      for (int i = 0; i < n_inputs; i++)
        {
          re[i] = inputs[2 * (i * step + j)];
          im[i] = inputs[2 * (i * step + j) + 1];
          if (shifts != NULL)
            multiply (&re[i], &im[i], shifts + 2 * (i * step + j));
        }
      transform (re, im, radix, n_inputs);
      for (int i = 0; i < radix; i++)
        {
          if (i > 0)
            multiply (&re[i], &im[i], twiddles + 2 * (i - 1));
          x[2 * (i * step + j)] = re[i];
          x[2 * (i * step + j) + 1] = im[i];
        }
    }
}

/* Butterflies j … end-1 of the last backward pass, of whose outputs only n_outputs are wanted. */
INLINE void
reduce_butterflies (Vector *outputs,
                    const Vector *previous,
                    const Vector *x,
                    const float *shifts,
                    const float *twiddles,
                    int step,
                    int j,
                    int end,
                    const int radix,
                    const int n_outputs)
{
  twiddles += 2 * (radix - 1) * j;
  for (; j < end; j++, twiddles += 2 * (radix - 1))
    {
      Vector re[MAX_RADIX], im[MAX_RADIX];

      for (int i = 0; i < radix; i++)
        {
          re[i] = x[2 * (i * step + j)];
          im[i] = x[2 * (i * step + j) + 1];
          if (i > 0)
            multiply_conjugate (&re[i], &im[i], twiddles + 2 * (i - 1));
        }
      transform (im, re, radix, radix);
      for (int i = 0; i < n_outputs; i++)
        {
          const int k = i * step + j;

          if (shifts != NULL)
            {
              const float *shift = shifts + 2 * k;

              outputs[2 * k] = (previous[2 * k] + im[i] * shift[1]) + re[i] * shift[0];
              outputs[2 * k + 1] = (previous[2 * k + 1] - re[i] * shift[1]) + im[i] * shift[0];
            }
          else
            {
              outputs[2 * k] = re[i];
              outputs[2 * k + 1] = im[i];
            }
        }
    }
}

/* Transforms are no longer than needed, so that at least half of a butterfly's points are not 0. */
INLINE void
expand_range (Vector *x,
              const Vector *inputs,
              const float *shifts,
              const float *twiddles,
              int step,
              int j,
              int end,
              const int radix,
              int n_inputs)
{
  if (n_inputs == radix)
    expand_butterflies (x, inputs, shifts, twiddles, step, j, end, radix, radix);
  else if (n_inputs == radix - 1)
    expand_butterflies (x, inputs, shifts, twiddles, step, j, end, radix, radix - 1);
  else if (radix == 8 && n_inputs == 6)
    expand_butterflies (x, inputs, shifts, twiddles, step, j, end, radix, 6);
  else if (radix == 8 && n_inputs == 5)
    expand_butterflies (x, inputs, shifts, twiddles, step, j, end, radix, 5);
  else if (radix > 2 && n_inputs == radix / 2)
    expand_butterflies (x, inputs, shifts, twiddles, step, j, end, radix, radix / 2);
  else
    expand_butterflies (x, inputs, shifts, twiddles, step, j, end, radix, 0);
}

INLINE void
reduce_range (Vector *outputs,
              const Vector *previous,
              const Vector *x,
              const float *shifts,
              const float *twiddles,
              int step,
              int j,
              int end,
              const int radix,
              int n_outputs)
{
  if (n_outputs == radix)
    reduce_butterflies (outputs, previous, x, shifts, twiddles, step, j, end, radix, radix);
  else if (n_outputs == radix - 1)
    reduce_butterflies (outputs, previous, x, shifts, twiddles, step, j, end, radix, radix - 1);
  else if (radix == 8 && n_outputs == 6)
    reduce_butterflies (outputs, previous, x, shifts, twiddles, step, j, end, radix, 6);
  else if (radix == 8 && n_outputs == 5)
    reduce_butterflies (outputs, previous, x, shifts, twiddles, step, j, end, radix, 5);
  else if (radix > 2 && n_outputs == radix / 2)
    reduce_butterflies (outputs, previous, x, shifts, twiddles, step, j, end, radix, radix / 2);
}

/* First forward pass of one part, on count inputs. */
static void
expand (const PrismCpuFft *fft,
        int part,
        const Vector *inputs,
        int count,
        Vector *x)
{
  const float *shifts = part == 0 ? NULL : fft->shifts + 2 * (gsize) part * fft->length;
  const float *twiddles = fft->passes->twiddles;
  int radix = fft->passes->radix, step = fft->passes->step;
  int full = count / step, rest = count % step;

  for (int i = 0; i < 2; i++)
    {
      int j = i == 0 ? 0 : rest, end = i == 0 ? rest : step, n_inputs = full + 1 - i;

      if (radix == 8)
        expand_range (x, inputs, shifts, twiddles, step, j, end, 8, n_inputs);
      else if (radix == 4)
        expand_range (x, inputs, shifts, twiddles, step, j, end, 4, n_inputs);
      else
        expand_range (x, inputs, shifts, twiddles, step, j, end, 2, n_inputs);
    }
}

/* Last backward pass of one part; its count outputs are added to previous, which part 0 ignores. */
static void
reduce (const PrismCpuFft *fft,
        int part,
        Vector *outputs,
        const Vector *previous,
        int count,
        const Vector *x)
{
  const float *shifts = part == 0 ? NULL : fft->shifts + 2 * (gsize) part * fft->length;
  const float *twiddles = fft->passes->twiddles;
  int radix = fft->passes->radix, step = fft->passes->step;
  int full = count / step, rest = count % step;

  for (int i = 0; i < 2; i++)
    {
      int j = i == 0 ? 0 : rest, end = i == 0 ? rest : step, n_outputs = full + 1 - i;

      if (radix == 8)
        reduce_range (outputs, previous, x, shifts, twiddles, step, j, end, 8, n_outputs);
      else if (radix == 4)
        reduce_range (outputs, previous, x, shifts, twiddles, step, j, end, 4, n_outputs);
      else
        reduce_range (outputs, previous, x, shifts, twiddles, step, j, end, 2, n_outputs);
    }
}

G_END_DECLS
