#include "config.h"

#include "prism-cpu-telescope-kernels.h"

#include "prism-cpu-telescope-vector.h"

#include <string.h>

/* Elements are pairs of vectors: element k of an array is (v[2k], v[2k+1]).
 *
 * Forward passes (decimation in frequency, e^{+2πi…}) take points in natural order and leave them in
 * digit-reversed order; backward passes (decimation in time, e^{-2πi…}) are their exact adjoint and
 * undo the order. Both go depth first: a part of 64 points stays in the first-level cache. */

#define MAX_RADIX 8

/* ---- passes over elements ---- */

static ALWAYS_INLINE void
forward_butterflies (Vector *x,
                     const float *twiddles,
                     int step,
                     const int radix)
{
  for (int j = 0; j < step; j++, twiddles += 2 * (radix - 1))
    {
      Vector re[MAX_RADIX], im[MAX_RADIX];

      for (int i = 0; i < radix; i++)
        {
          re[i] = x[2 * (i * step + j)];
          im[i] = x[2 * (i * step + j) + 1];
        }
      transform (re, im, radix, radix);
      for (int i = 0; i < radix; i++)
        {
          if (i > 0)
            multiply (&re[i], &im[i], twiddles + 2 * (i - 1));
          x[2 * (i * step + j)] = re[i];
          x[2 * (i * step + j) + 1] = im[i];
        }
    }
}

static ALWAYS_INLINE void
backward_butterflies (Vector *x,
                      const float *twiddles,
                      int step,
                      const int radix)
{
  for (int j = 0; j < step; j++, twiddles += 2 * (radix - 1))
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
      for (int i = 0; i < radix; i++)
        {
          x[2 * (i * step + j)] = re[i];
          x[2 * (i * step + j) + 1] = im[i];
        }
    }
}

static void
run_forward_pass (const PrismCpuFftPass *pass,
                  Vector *x)
{
  if (pass->radix == 8)
    forward_butterflies (x, pass->twiddles, pass->step, 8);
  else if (pass->radix == 4)
    forward_butterflies (x, pass->twiddles, pass->step, 4);
  else
    forward_butterflies (x, pass->twiddles, pass->step, 2);
}

static void
run_backward_pass (const PrismCpuFftPass *pass,
                   Vector *x)
{
  if (pass->radix == 8)
    backward_butterflies (x, pass->twiddles, pass->step, 8);
  else if (pass->radix == 4)
    backward_butterflies (x, pass->twiddles, pass->step, 4);
  else
    backward_butterflies (x, pass->twiddles, pass->step, 2);
}

/* The last forward pass (first backward pass) on count runs of 8 points has no twiddles. */
static void
run_last_forward_pass (Vector *x,
                       int count)
{
  for (; count > 0; count--, x += 16)
    {
      Vector re[8], im[8];

      for (int i = 0; i < 8; i++)
        {
          re[i] = x[2 * i];
          im[i] = x[2 * i + 1];
        }
      transform_8 (re, im, 8);
      for (int i = 0; i < 8; i++)
        {
          x[2 * i] = re[i];
          x[2 * i + 1] = im[i];
        }
    }
}

static void
run_first_backward_pass (Vector *x,
                         int count)
{
  for (; count > 0; count--, x += 16)
    {
      Vector re[8], im[8];

      for (int i = 0; i < 8; i++)
        {
          re[i] = x[2 * i];
          im[i] = x[2 * i + 1];
        }
      transform_8 (im, re, 8);
      for (int i = 0; i < 8; i++)
        {
          x[2 * i] = re[i];
          x[2 * i + 1] = im[i];
        }
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
      run_last_forward_pass (x, n_parts);
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
      run_first_backward_pass (x, n_parts);
      return;
    }
  for (; n_parts > 0; n_parts--, x += 2 * pass->radix * pass->step)
    {
      start_backward (pass->next, x, pass->radix);
      run_backward_pass (pass, x);
    }
}

/* ---- first and last pass between few and many points ---- */

/* Butterflies j … end-1 of the first forward pass, of whose inputs only n_inputs are not 0. */
static ALWAYS_INLINE void
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
static ALWAYS_INLINE void
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
          int k = i * step + j;

          multiply_conjugate (&re[i], &im[i], shifts + 2 * k);
          outputs[2 * k] = previous == NULL ? re[i] : previous[2 * k] + re[i];
          outputs[2 * k + 1] = previous == NULL ? im[i] : previous[2 * k + 1] + im[i];
        }
    }
}

/* Transforms are no longer than needed, so that at least half of a butterfly's points are not 0. */
static ALWAYS_INLINE void
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

static ALWAYS_INLINE void
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
  const float *shifts = fft->shifts + 2 * (gsize) part * fft->length;
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

/* Last backward pass of one part; its count outputs are added to previous. */
static void
reduce (const PrismCpuFft *fft,
        int part,
        Vector *outputs,
        const Vector *previous,
        int count,
        const Vector *x)
{
  const float *shifts = fft->shifts + 2 * (gsize) part * fft->length;
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

/* ---- tiles: lanes change places with elements ---- */

/* Lanes elements, one per row or column of the other direction. */
static ALWAYS_INLINE void
transpose_tile (Vector *tile,
                const Vector *elements)
{
  Vector re[LANES], im[LANES];

#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++)
    {
      re[i] = elements[2 * i];
      im[i] = elements[2 * i + 1];
    }
  transpose (re);
  transpose (im);
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++)
    {
      tile[2 * i] = re[i];
      tile[2 * i + 1] = im[i];
    }
}

/* columns [m] vectors of lanes rows; rows that are not there are 0. */
static void
load_rows (Vector *columns,
           const float *image,
           int object_size,
           int n_rows)
{
  for (int x = 0; x < object_size; x += LANES)
    {
      int n_columns = MIN (LANES, object_size - x);
      float tile[LANES * LANES] __attribute__ ((aligned (VECTOR_BYTES))) = { 0 };

      for (int y = 0; y < n_rows; y++)
        memcpy (tile + y * LANES, image + (gsize) y * object_size + x, n_columns * sizeof (float));
      transpose ((Vector *) tile);
      memcpy (columns + x, tile, n_columns * sizeof (Vector));
    }
}

static void
store_rows (float *image,
            const Vector *columns,
            int object_size,
            int n_rows,
            gboolean accumulate)
{
  for (int x = 0; x < object_size; x += LANES)
    {
      int n_columns = MIN (LANES, object_size - x);
      float tile[LANES * LANES] __attribute__ ((aligned (VECTOR_BYTES))) = { 0 };

      memcpy (tile, columns + x, n_columns * sizeof (Vector));
      transpose ((Vector *) tile);
      for (int y = 0; y < n_rows; y++)
        {
          float *row = image + (gsize) y * object_size + x;

          for (int i = 0; i < n_columns; i++)
            row[i] = accumulate ? row[i] + tile[y * LANES + i] : tile[y * LANES + i];
        }
    }
}

/* ---- rows of the image ---- */

/* A real row's points 2q and 2q+1 travel as one complex point z_q; its half spectrum is
 * R_k = ½·(Z_k + Z*_{h-k}) - ½·i·e^{-2πik/n}·(Z_k - Z*_{h-k}) at k and h-k. */
static ALWAYS_INLINE void
split_pair (Vector *rows,
            const Vector *z,
            const float *phase,
            int k,
            int h)
{
  int a = 2 * (k % h), b = 2 * ((h - k) % h);
  Vector even_re = 0.5f * (z[a] + z[b]), even_im = 0.5f * (z[a + 1] - z[b + 1]);
  Vector odd_re = 0.5f * (z[a + 1] + z[b + 1]), odd_im = 0.5f * (z[b] - z[a]);

  multiply_conjugate (&odd_re, &odd_im, phase);
  rows[2 * k] = even_re + odd_re;
  rows[2 * k + 1] = even_im + odd_im;
  rows[2 * (h - k)] = even_re - odd_re;
  rows[2 * (h - k) + 1] = odd_im - even_im;
}

static void
transform_rows (const PrismCpuFft *fft,
                const float *image,
                int object_size,
                int n_rows,
                float *rows,
                float *work)
{
  const int h = fft->length;
  const float *phases = fft->shifts + 2 * h;
  Vector *z = (Vector *) work;
  Vector *columns = z + 2 * h;

  load_rows (columns, image, object_size, n_rows);
  for (int i = 0; i < h; i++)
    {
      int q = fft->order[i];
      gboolean inside = 2 * q < object_size;

      z[2 * i] = inside ? columns[2 * q] : (Vector) { 0 };
      z[2 * i + 1] = inside ? columns[2 * q + 1] : (Vector) { 0 };
    }
  start_backward (fft->passes, z, 1);
  for (int k = 0; k <= h / 2; k++)
    split_pair ((Vector *) rows, z, phases + 2 * k, k, h);
}

/* Adds a run of columns to the half spectrum sum [h+1]: the real part of the transform of column -k
 * is that of the conjugate of column k. */
static void
add_run (Vector *sum,
         const PrismColumnRun *run,
         int block)
{
  const Vector *columns = (const Vector *) (run->columns + block * run->stride);

  for (int i = 0; i < run->count; i++)
    {
      int x = run->x0 + i;

      if (x >= 0)
        {
          sum[2 * x] += columns[2 * i];
          sum[2 * x + 1] += columns[2 * i + 1];
        }
      else
        {
          sum[-2 * x] += columns[2 * i];
          sum[-2 * x + 1] -= columns[2 * i + 1];
        }
    }
}

/* The inverse of split_pair() for the hermitian row whose half is G_k/2, but Re G_k at 0 and h. */
static ALWAYS_INLINE void
join_pair (Vector *z,
           const Vector *sum,
           const float *phase,
           int k,
           int h)
{
  const Vector *a = sum + 2 * k, *b = sum + 2 * (h - k);
  Vector a_re = k == 0 ? a[0] : 0.5f * a[0], a_im = k == 0 ? (Vector) { 0 } : 0.5f * a[1];
  Vector b_re = k == 0 ? b[0] : 0.5f * b[0], b_im = k == 0 ? (Vector) { 0 } : 0.5f * b[1];
  Vector even_re = a_re + b_re, even_im = a_im - b_im;
  Vector odd_re = a_re - b_re, odd_im = a_im + b_im;

  multiply (&odd_re, &odd_im, phase);
  z[2 * k] = even_re - odd_im;
  z[2 * k + 1] = even_im + odd_re;
  if (k > 0)
    {
      z[2 * (h - k)] = even_re + odd_im;
      z[2 * (h - k) + 1] = odd_re - even_im;
    }
}

static void
restore_rows (const PrismCpuFft *fft,
              const PrismColumnRun *runs,
              int n_runs,
              int block,
              int object_size,
              int n_rows,
              gboolean accumulate,
              float *image,
              float *work)
{
  const int h = fft->length;
  const float *phases = fft->shifts + 2 * h;
  Vector *sum = (Vector *) work;
  Vector *z = sum + 2 * (h + 1);
  Vector *columns = z + 2 * h;

  memset (sum, 0, 2 * (h + 1) * sizeof (Vector));
  for (int i = 0; i < n_runs; i++)
    add_run (sum, &runs[i], block);
  for (int k = 0; k <= h / 2; k++)
    join_pair (z, sum, phases + 2 * k, k, h);
  finish_forward (fft->passes, z, 1);
  for (int i = 0; i < h; i++)
    {
      int q = fft->order[i];

      if (2 * q < object_size)
        {
          columns[2 * q] = z[2 * i];
          columns[2 * q + 1] = z[2 * i + 1];
        }
    }
  store_rows (image, columns, object_size, n_rows, accumulate);
}

/* ---- columns ---- */

/* Column x of a block of rows from its half spectrum; columns that are not there are 0. */
static void
load_columns (Vector *elements,
              const Vector *rows,
              int x,
              int count)
{
  for (int i = 0; i < LANES; i++)
    {
      int k = ABS (x + i);

      elements[2 * i] = i < count ? rows[2 * k] : (Vector) { 0 };
      elements[2 * i + 1] = i >= count ? (Vector) { 0 } : x + i < 0 ? -rows[2 * k + 1]
                                                                    : rows[2 * k + 1];
    }
}

static void
transform_columns (const PrismCpuFft *fft,
                   const float *phases,
                   const float *rows,
                   int object_size,
                   int y0,
                   int height,
                   int x,
                   int count,
                   float *patch,
                   float *work)
{
  const int n = fft->length * fft->n_parts;
  const gsize stride = 2 * ((n / 2 + LANES) / LANES * LANES);
  Vector *z = (Vector *) work;
  Vector *image_rows = z + 2 * fft->length;
  Vector tile[2 * LANES];

  for (int y = 0; y < object_size; y += LANES)
    {
      load_columns (tile, (const Vector *) rows + y / LANES * stride, x, count);
      transpose_tile (image_rows + 2 * y, tile);
    }
  for (int y = 0; y < object_size; y++)
    multiply_conjugate (&image_rows[2 * y], &image_rows[2 * y + 1], phases + 2 * ((y0 * y) & (n - 1)));

  for (int part = 0; part < fft->n_parts; part++)
    {
      for (int i = 0; i < fft->length; i++)
        {
          int y = fft->n_parts * fft->order[i] + part;

          z[2 * i] = y < object_size ? image_rows[2 * y] : (Vector) { 0 };
          z[2 * i + 1] = y < object_size ? image_rows[2 * y + 1] : (Vector) { 0 };
        }
      start_backward (fft->passes->next, z, fft->passes->radix);
      reduce (fft, part, (Vector *) patch, part == 0 ? NULL : (Vector *) patch, height, z);
    }
}

static void
restore_columns (const PrismCpuFft *fft,
                 const float *phases,
                 const float *patch,
                 int object_size,
                 int y0,
                 int height,
                 gsize stride,
                 float *columns,
                 float *work)
{
  const int n = fft->length * fft->n_parts;
  Vector *z = (Vector *) work;
  Vector *image_rows = z + 2 * fft->length;

  for (int part = 0; part < fft->n_parts; part++)
    {
      expand (fft, part, (const Vector *) patch, height, z);
      finish_forward (fft->passes->next, z, fft->passes->radix);
      for (int i = 0; i < fft->length; i++)
        {
          int y = fft->n_parts * fft->order[i] + part;

          if (y >= object_size)
            continue;
          image_rows[2 * y] = z[2 * i];
          image_rows[2 * y + 1] = z[2 * i + 1];
          multiply (&image_rows[2 * y], &image_rows[2 * y + 1], phases + 2 * ((y0 * y) & (n - 1)));
        }
    }
  for (int y = 0; y < object_size; y += LANES, columns += stride)
    transpose_tile ((Vector *) columns, image_rows + 2 * y);
}

static void
mask_patch (float *patch,
            const guint8 *bits,
            gsize stride,
            int height,
            int count,
            float scale)
{
  for (int y = 0; y < height; y++, bits += stride, patch += 2 * LANES)
    for (int i = 0; i < LANES; i++)
      {
        float factor = i < count && bits[i] ? scale : 0.0f;

        patch[i] *= factor;
        patch[LANES + i] *= factor;
      }
}

static void
expand_patch (const PrismCpuFft *fft,
              const float *patch,
              int height,
              gsize stride,
              float *columns,
              float *work)
{
  Vector *x = (Vector *) work;

  for (int part = 0; part < fft->n_parts; part++)
    {
      expand (fft, part, (const Vector *) patch, height, x);
      finish_forward (fft->passes->next, x, fft->passes->radix);
      for (int i = 0; i < fft->length; i += LANES, columns += stride)
        transpose_tile ((Vector *) columns, x + 2 * i);
    }
}

static void
reduce_patch (const PrismCpuFft *fft,
              const float *columns,
              int height,
              gsize stride,
              float *patch,
              float *work)
{
  Vector *x = (Vector *) work;

  for (int part = 0; part < fft->n_parts; part++)
    {
      for (int i = 0; i < fft->length; i += LANES, columns += stride)
        transpose_tile (x + 2 * i, (const Vector *) columns);
      start_backward (fft->passes->next, x, fft->passes->radix);
      reduce (fft, part, (Vector *) patch, part == 0 ? NULL : (Vector *) patch, height, x);
    }
}

/* ---- pixels ---- */

typedef struct
{
  float gain;
  Vector sums[2];
  LooseVector *target; /* of the next pixel */
} PixelState;

/* What a pixel y = re + i·im contributes, and what it leaves in its place. */
static ALWAYS_INLINE void
visit_pixel (PixelState *state,
             const PrismPixelKind kind,
             LooseVector *target,
             Vector *re,
             Vector *im)
{
  Vector square = *re * *re + *im * *im;
  Vector difference, factor = { 0 };

  switch (kind)
    {
    case PRISM_PIXEL_L1_AMPLITUDE:
    case PRISM_PIXEL_L2_AMPLITUDE:
      factor = inverse_root (square);
      difference = square * factor - *target;
      break;
    case PRISM_PIXEL_L1_INTENSITY:
    case PRISM_PIXEL_L2_INTENSITY:
      difference = square - *target * *target;
      break;
    case PRISM_PIXEL_MEASURE:
      *target = square_root (square);
      return;
    case PRISM_PIXEL_PROJECT:
    case PRISM_PIXEL_COMPARE:
    default:
      factor = square_root (square);
      difference = factor - *target;
      break;
    }

  if (kind == PRISM_PIXEL_L1_AMPLITUDE || kind == PRISM_PIXEL_L1_INTENSITY)
    state->sums[0] += magnitude (difference);
  else
    state->sums[0] += difference * difference;

  if (kind == PRISM_PIXEL_L1_AMPLITUDE)
    factor *= signed_gain (difference, state->gain + (Vector) { 0 });
  else if (kind == PRISM_PIXEL_L2_AMPLITUDE)
    factor *= difference * state->gain;
  else if (kind == PRISM_PIXEL_L1_INTENSITY)
    factor = signed_gain (difference, state->gain + (Vector) { 0 });
  else if (kind == PRISM_PIXEL_L2_INTENSITY)
    factor = difference * state->gain;
  else
    {
      state->sums[1] += *target * *target;
      factor = *target / (factor + 1e-12f);
    }
  *re *= factor;
  *im *= factor;
}

/* Last forward pass, pixels and first backward pass of count runs of 8 points, all in registers. */
static ALWAYS_INLINE void
visit_runs (PixelState *state,
            const PrismPixelKind kind,
            Vector *x,
            int count)
{
  for (; count > 0; count--, x += 16)
    {
      Vector re[8], im[8];

      for (int i = 0; i < 8; i++)
        {
          re[i] = x[2 * i];
          im[i] = x[2 * i + 1];
        }
      transform_8 (re, im, 8);
      for (int i = 0; i < 8; i++)
        visit_pixel (state, kind, state->target++, &re[i], &im[i]);
      if (kind == PRISM_PIXEL_MEASURE || kind == PRISM_PIXEL_COMPARE)
        continue;
      transform_8 (im, re, 8);
      for (int i = 0; i < 8; i++)
        {
          x[2 * i] = re[i];
          x[2 * i + 1] = im[i];
        }
    }
}

static void
visit_part (PrismPixelStage *stage,
            Vector *x,
            int count)
{
  PixelState state = { stage->gain, { { 0 }, { 0 } }, (LooseVector *) stage->target };

  switch (stage->kind)
    {
    case PRISM_PIXEL_L1_AMPLITUDE:
      visit_runs (&state, PRISM_PIXEL_L1_AMPLITUDE, x, count);
      break;
    case PRISM_PIXEL_L1_INTENSITY:
      visit_runs (&state, PRISM_PIXEL_L1_INTENSITY, x, count);
      break;
    case PRISM_PIXEL_L2_AMPLITUDE:
      visit_runs (&state, PRISM_PIXEL_L2_AMPLITUDE, x, count);
      break;
    case PRISM_PIXEL_L2_INTENSITY:
      visit_runs (&state, PRISM_PIXEL_L2_INTENSITY, x, count);
      break;
    case PRISM_PIXEL_MEASURE:
      visit_runs (&state, PRISM_PIXEL_MEASURE, x, count);
      break;
    case PRISM_PIXEL_PROJECT:
      visit_runs (&state, PRISM_PIXEL_PROJECT, x, count);
      break;
    case PRISM_PIXEL_COMPARE:
      visit_runs (&state, PRISM_PIXEL_COMPARE, x, count);
      break;
    }
  stage->target = (float *) state.target;
  for (int i = 0; i < LANES; i++)
    {
      stage->sums[0] += state.sums[0][i];
      stage->sums[1] += state.sums[1][i];
    }
}

/* As finish_forward() and start_backward(), with the pixels in between. */
static void
visit_points (const PrismCpuFftPass *pass,
              PrismPixelStage *stage,
              Vector *x,
              int n_parts)
{
  if (pass->next == NULL)
    {
      visit_part (stage, x, n_parts);
      return;
    }
  for (; n_parts > 0; n_parts--, x += 2 * pass->radix * pass->step)
    {
      run_forward_pass (pass, x);
      visit_points (pass->next, stage, x, pass->radix);
      run_backward_pass (pass, x);
    }
}

static void
visit_pixels (const PrismCpuFft *fft,
              float *block,
              int width,
              PrismPixelStage *stage,
              float *work)
{
  gboolean adjoint = stage->kind != PRISM_PIXEL_MEASURE && stage->kind != PRISM_PIXEL_COMPARE;
  Vector *x = (Vector *) work;
  Vector *sum = x + 2 * fft->length;

  for (int part = 0; part < fft->n_parts; part++)
    {
      Vector *outputs = part == fft->n_parts - 1 ? (Vector *) block : sum;

      expand (fft, part, (const Vector *) block, width, x);
      visit_points (fft->passes->next, stage, x, fft->passes->radix);
      if (adjoint)
        reduce (fft, part, outputs, part == 0 ? NULL : sum, width, x);
    }
}

const PrismCpuTelescopeKernels PRISM_CPU_TELESCOPE_KERNELS = {
  .name = PRISM_ISA_NAME,
  .lanes = LANES,
  .transform_rows = transform_rows,
  .restore_rows = restore_rows,
  .transform_columns = transform_columns,
  .restore_columns = restore_columns,
  .mask_patch = mask_patch,
  .expand_patch = expand_patch,
  .reduce_patch = reduce_patch,
  .visit_pixels = visit_pixels,
};
