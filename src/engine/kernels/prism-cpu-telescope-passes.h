/* prism-cpu-telescope-passes: batched power-of-two transforms, as many side by side as a vector has
 * lanes. Included by the kernels only, once per instruction set.
 *
 * Elements are pairs of vectors: element k of an array is (v[2k], v[2k+1]). Forward passes
 * (decimation in frequency, e^{+2πi…}) take points in natural order and leave them in
 * digit-reversed order; backward passes (decimation in time, e^{-2πi…}) are their exact adjoint
 * and undo the order. Both go depth first: a part of 64 points stays in the first-level cache. */
#pragma once

#include "kernels/prism-cpu-fft.h"
#include "kernels/prism-cpu-telescope-vector.h"

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
