#include "config.h"

#include "kernels/prism-cpu-telescope-kernels.h"

#include "kernels/prism-cpu-telescope-passes.h"

/* ---- tiles: lanes change places with elements ---- */

/* Lanes elements, one per row or column of the other direction. */
INLINE void
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
  vector_transpose (re);
  vector_transpose (im);
#pragma GCC unroll 16
  for (int i = 0; i < LANES; i++)
    {
      tile[2 * i] = re[i];
      tile[2 * i + 1] = im[i];
    }
}

/* tile [lanes] rows of the image from column x on; what is not there is 0. */
static void
load_tile (Vector *tile,
           const float *image,
           int object_size,
           int n_rows,
           int x)
{
  const int n_columns = MIN (LANES, object_size - x);

  if (n_columns == LANES && n_rows == LANES)
    {
      for (int y = 0; y < LANES; y++)
        tile[y] = *(const LooseVector *) (image + (gsize) y * object_size + x);
      return;
    }
  memset (tile, 0, LANES * sizeof (Vector));
  for (int y = 0; y < n_rows; y++)
    memcpy (tile + y, image + (gsize) y * object_size + x, n_columns * sizeof (float));
}

static void
store_tile (float *image,
            const Vector *tile,
            int object_size,
            int n_rows,
            int x,
            gboolean accumulate)
{
  const int n_columns = MIN (LANES, object_size - x);

  for (int y = 0; y < n_rows; y++)
    {
      float *row = image + (gsize) y * object_size + x;

      if (n_columns == LANES)
        {
          Vector sum = tile[y];

          if (accumulate)
            sum += *(LooseVector *) row;
          *(LooseVector *) row = sum;
        }
      else
        for (int i = 0; i < n_columns; i++)
          row[i] = accumulate ? row[i] + tile[y][i] : tile[y][i];
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
      Vector tile[LANES];

      memcpy (tile, columns + x, sizeof tile);
      vector_transpose (tile);
      store_tile (image, tile, object_size, n_rows, x, accumulate);
    }
}

/* ---- rows of the image ---- */

/* A real row's points 2q and 2q+1 travel as one complex point z_q; its half spectrum is
 * R_k = ½·(Z_k + Z*_{h-k}) - ½·i·e^{-2πik/n}·(Z_k - Z*_{h-k}) at k and h-k. */
INLINE void
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

  for (int x = 0; x < object_size; x += LANES)
    {
      load_tile (columns + x, image, object_size, n_rows, x);
      vector_transpose (columns + x);
    }
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
INLINE void
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
    multiply_conjugate (&image_rows[2 * y], &image_rows[2 * y + 1],
                        phases + 2 * ((y0 * y) & (n - 1)));

  for (int part = 0; part < fft->n_parts; part++)
    {
      for (int i = 0; i < fft->length; i++)
        {
          int y = fft->n_parts * fft->order[i] + part;

          z[2 * i] = y < object_size ? image_rows[2 * y] : (Vector) { 0 };
          z[2 * i + 1] = y < object_size ? image_rows[2 * y + 1] : (Vector) { 0 };
        }
      start_backward (fft->passes->next, z, fft->passes->radix);
      reduce (fft, part, (Vector *) patch, (Vector *) patch, height, z);
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
  Vector *elements = (Vector *) patch;

  for (int y = 0; y < height; y++, bits += stride, elements += 2)
    {
      guint8 row[LANES] = { 0 };
      Vector factors;

      if (count == LANES)
        memcpy (row, bits, LANES);
      else
        memcpy (row, bits, count);
      factors = unpack_bits (row) * scale;
      elements[0] *= factors;
      elements[1] *= factors;
    }
}

static void
expand_patch (const PrismCpuFft *fft,
              PrismCpuParts parts,
              const float *patch,
              int height,
              gsize stride,
              float *columns,
              float *work)
{
  Vector *x = (Vector *) work;

  for (int part = parts.first; part < fft->n_parts; part += parts.step)
    {
      expand (fft, part, (const Vector *) patch, height, x);
      finish_forward (fft->passes->next, x, fft->passes->radix);
      for (int i = 0; i < fft->length; i += LANES, columns += stride)
        transpose_tile ((Vector *) columns, x + 2 * i);
    }
}

static void
reduce_patch (const PrismCpuFft *fft,
              PrismCpuParts parts,
              const float *columns,
              int height,
              gsize stride,
              float *patch,
              float *work)
{
  Vector *x = (Vector *) work;

  /* Part 0 takes no notice of what is there, any other adds to it. */
  if (parts.first > 0)
    memset (patch, 0, 2 * height * sizeof (Vector));
  for (int part = parts.first; part < fft->n_parts; part += parts.step)
    {
      for (int i = 0; i < fft->length; i += LANES, columns += stride)
        transpose_tile (x + 2 * i, (const Vector *) columns);
      start_backward (fft->passes->next, x, fft->passes->radix);
      reduce (fft, part, (Vector *) patch, (Vector *) patch, height, x);
    }
}

/* ---- pixels ---- */

/* Keeps 1/|y| finite at y = 0, where the gradient then is 0; costs nothing inside a fused
 * addition. */
#define TINY 1e-37f

typedef struct
{
  PrismPixelKind kind;
  LooseVector *target; /* of the next pixel */
  float noise;         /* v */
  WideVector sums[2];
} PixelState;

/* H of numerics.md: the mean of √(I' + v/4) when I' is drawn with the mean a² and the variance
 * v·a², clamped at 0. With s = a/√v it is √v·(s + ½/(1 + 0.3s + 0.2s² + 0.05s³)⁴) to 0.01·√v. */
INLINE Vector
expect_amplitude (Vector amplitude,
                  float noise,
                  Vector *slope)
{
  float root = __builtin_sqrtf (noise);
  Vector s = amplitude / root;
  Vector base = 1.0f / (1.0f + s * (0.3f + s * (0.2f + s * 0.05f)));
  Vector fourth = base * base * base * base;

  *slope = 1.0f - 2.0f * fourth * base * (0.3f + s * (0.4f + s * 0.15f));
  return amplitude + 0.5f * root * fourth;
}

/* What a pixel y = re + i·im contributes to the sums, and what it leaves in its place. */
INLINE void
visit_pixel (const PrismPixelKind kind,
             float noise,
             LooseVector *target,
             Vector sums[2],
             Vector *re,
             Vector *im)
{
  Vector square = *re * *re + *im * *im;
  Vector difference, factor = { 0 }, slope;

  switch (kind)
    {
    case PRISM_PIXEL_L1_AMPLITUDE:
    case PRISM_PIXEL_L2_AMPLITUDE:
      square = *re * *re + (*im * *im + TINY);
      factor = inverse_root (square);
      difference = square * factor - *target;
      break;
    case PRISM_PIXEL_L2_NOISY:
      square = *re * *re + (*im * *im + TINY);
      factor = inverse_root (square);
      difference = expect_amplitude (square * factor, noise, &slope)
                   - vector_sqrt (*target * *target + 0.25f * noise);
      factor *= slope;
      break;
    case PRISM_PIXEL_L1_INTENSITY:
    case PRISM_PIXEL_L2_INTENSITY:
      difference = square - *target * *target;
      break;
    case PRISM_PIXEL_MEASURE:
      *target = vector_sqrt (square);
      return;
    case PRISM_PIXEL_ADD_POWER:
      *target += square;
      return;
    case PRISM_PIXEL_SCALE:
      *re *= *target;
      *im *= *target;
      return;
    case PRISM_PIXEL_PROJECT:
    case PRISM_PIXEL_COMPARE:
    default:
      factor = vector_sqrt (square);
      difference = factor - *target;
      break;
    }

  if (kind == PRISM_PIXEL_L1_AMPLITUDE || kind == PRISM_PIXEL_L1_INTENSITY)
    sums[0] += magnitude (difference);
  else
    sums[0] += difference * difference;

  if (kind == PRISM_PIXEL_L1_AMPLITUDE)
    factor = multiply_sign (factor, difference);
  else if (kind == PRISM_PIXEL_L2_AMPLITUDE || kind == PRISM_PIXEL_L2_NOISY)
    factor *= difference;
  else if (kind == PRISM_PIXEL_L1_INTENSITY)
    factor = multiply_sign (1.0f + (Vector) { 0 }, difference);
  else if (kind == PRISM_PIXEL_L2_INTENSITY)
    factor = difference;
  else
    {
      sums[1] += *target * *target;
      factor = *target / (factor + 1e-12f);
    }
  *re *= factor;
  *im *= factor;
}

INLINE gboolean
leaves_pixels (PrismPixelKind kind)
{
  return kind != PRISM_PIXEL_MEASURE && kind != PRISM_PIXEL_COMPARE
         && kind != PRISM_PIXEL_ADD_POWER;
}

/* Last forward pass, pixels and first backward pass of count runs of 8 points, all in registers. */
INLINE void
visit_runs (PixelState *state,
            const PrismPixelKind kind,
            Vector *x,
            int count)
{
  LooseVector *target = state->target;
  Vector sums[2] = { { 0 }, { 0 } };

  state->target += 8 * count;
  for (; count > 0; count--, x += 16, target += 8)
    {
      Vector re[8], im[8];

      load_run (re, im, x);
      transform_8 (re, im, 8);
      for (int i = 0; i < 8; i++)
        visit_pixel (kind, state->noise, target + i, sums, &re[i], &im[i]);
      if (!leaves_pixels (kind))
        continue;
      transform_8 (im, re, 8);
      store_run (x, re, im);
    }
  state->sums[0] += __builtin_convertvector(sums[0], WideVector);
  if (kind == PRISM_PIXEL_PROJECT || kind == PRISM_PIXEL_COMPARE)
    state->sums[1] += __builtin_convertvector(sums[1], WideVector);
}

static void
visit_part (PixelState *state,
            Vector *x,
            int count)
{
#define CASE(kind)                      \
  case kind:                            \
    visit_runs (state, kind, x, count); \
    break;

  switch (state->kind)
    {
      CASE (PRISM_PIXEL_L1_AMPLITUDE)
      CASE (PRISM_PIXEL_L1_INTENSITY)
      CASE (PRISM_PIXEL_L2_AMPLITUDE)
      CASE (PRISM_PIXEL_L2_INTENSITY)
      CASE (PRISM_PIXEL_L2_NOISY)
      CASE (PRISM_PIXEL_MEASURE)
      CASE (PRISM_PIXEL_PROJECT)
      CASE (PRISM_PIXEL_COMPARE)
      CASE (PRISM_PIXEL_ADD_POWER)
      CASE (PRISM_PIXEL_SCALE)
    }

#undef CASE
}

/* As finish_forward() and start_backward(), with the pixels in between. */
static void
visit_points (const PrismCpuFftPass *pass,
              PixelState *state,
              Vector *x,
              int n_parts)
{
  if (pass->next == NULL)
    {
      visit_part (state, x, n_parts);
      return;
    }
  for (; n_parts > 0; n_parts--, x += 2 * pass->radix * pass->step)
    {
      run_forward_pass (pass, x);
      visit_points (pass->next, state, x, pass->radix);
      run_backward_pass (pass, x);
    }
}

static void
visit_pixels (const PrismCpuFft *fft,
              PrismCpuParts parts,
              float *block,
              int width,
              PrismPixelStage *stage,
              float *work)
{
  gboolean adjoint = leaves_pixels (stage->kind);
  PixelState state = { stage->kind, NULL, stage->noise, { { 0 }, { 0 } } };
  Vector *x = (Vector *) work;
  Vector *sum = x + 2 * fft->length;
  const int divisor = stage->is_compact ? parts.step : 1;

  if (parts.first > 0)
    memset (sum, 0, 2 * width * sizeof (Vector));
  for (int part = parts.first; part < fft->n_parts; part += parts.step)
    {
      Vector *outputs = part + parts.step >= fft->n_parts ? (Vector *) block : sum;

      state.target = (LooseVector *) stage->target + (gsize) (part / divisor) * fft->length;
      expand (fft, part, (const Vector *) block, width, x);
      visit_points (fft->passes->next, &state, x, fft->passes->radix);
      if (adjoint)
        reduce (fft, part, outputs, sum, width, x);
    }
  for (int i = 0; i < LANES; i++)
    {
      stage->sums[0] += state.sums[0][i];
      stage->sums[1] += state.sums[1][i];
    }
}

const PrismCpuTelescopeKernels PRISM_VECTOR_SYMBOL (prism_cpu_telescope_kernels) = {
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
