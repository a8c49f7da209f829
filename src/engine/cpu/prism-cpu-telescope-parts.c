#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

/* An aperture that moves: the detector adds up the intensities |φᵢ|² of N parts, so that no part
 * can be compared with the target by itself. All are seen once for p = √(mean |φᵢ|²), then a factor
 * for each pixel is made of p and the target, and all are seen again to be multiplied by it on
 * their way back. The parts' boxes have one size, hence their pixels one order.
 *
 * Planes are [n][n] in that order. */

typedef struct
{
  PrismCpuTelescope *self;
  float *power; /* Σ|φᵢ|² */
} GatherStage;

typedef struct
{
  PrismCpuTelescope *self;
  const PrismCpuTelescopeComparison *comparison;
  float *power; /* becomes the factor */
} CompareStage;

static gsize
get_block_size (PrismCpuTelescope *self)
{
  return (gsize) self->image_size * self->kernels->lanes;
}

static guint
count_blocks (PrismCpuTelescope *self)
{
  return self->image_size / self->kernels->lanes;
}

/* An aperture that stands still is a line of one part. */
static guint
count_parts (const PrismMask *mask)
{
  return MAX (mask->n_parts, 1);
}

/* One block of rows of all views, one after the other. */
static void
gather_block (gpointer data,
              guint chunk,
              guint worker)
{
  GatherStage *stage = data;
  PrismCpuTelescope *self = stage->self;

  for (guint i = 0; i < self->n_views; i++)
    {
      const PrismCpuTelescopeView *view = &self->views[i];
      PrismPixelStage pixels = {
        .kind = PRISM_PIXEL_ADD_POWER,
        .target = stage->power + chunk * get_block_size (self),
      };

      self->kernels->visit_pixels (view->fft_x, PRISM_CPU_ALL_PARTS,
                                   view->plane + chunk * view->stride, view->mask->width, &pixels,
                                   prism_cpu_telescope_get_work (self, worker));
    }
}

/* Adds views for the parts from first on, as many as fit; returns the end. */
static guint
add_views (PrismCpuTelescope *self,
           const PrismMask *mask,
           guint first,
           const float *factor,
           float gain)
{
  guint end = first;

  prism_cpu_telescope_clear_views (self);
  while (end < count_parts (mask)
         && prism_cpu_telescope_add_view (self, prism_mask_get_part (mask, end), factor,
                                          PRISM_PIXEL_SCALE, gain))
    end++;
  return end;
}

/**
 * prism_cpu_telescope_gather_parts:
 * @mask: that moves
 * @expand: fills the columns of the views, from an image or from ePIE's spectrum
 * @power: (array) (out caller-allocates): Σ|φᵢ|²
 *
 * Adds up what the detector sees.
 *
 * Shape: @power [n][n] in the order for @mask.
 *
 * Returns: whether the columns of all parts are still there, as views
 */
gboolean
prism_cpu_telescope_gather_parts (PrismCpuTelescope *self,
                                  const PrismMask *mask,
                                  PrismCpuTelescopeExpand expand,
                                  float *power)
{
  GatherStage stage = { self, power };
  guint end = 0;
  guint n_batches = 0;

  memset (power, 0, (gsize) self->image_size * self->image_size * sizeof *power);
  for (; end < count_parts (mask); n_batches++)
    {
      end = add_views (self, mask, end, power, 0.0f);
      expand (self);
      prism_pool_run (self->pool, count_blocks (self), gather_block, &stage);
    }
  return n_batches == 1;
}

/* H of numerics.md, “Refinement”, as the kernels have it: the mean of √(I' + v/4) with noise,
 * v > 0, and its derivative. */
static float
expect_amplitude (float amplitude,
                  float noise,
                  float *slope)
{
  float root = sqrtf (noise);
  float s = amplitude / root;
  float base = 1.0f / (1.0f + s * (0.3f + s * (0.2f + s * 0.05f)));
  float fourth = base * base * base * base;

  *slope = 1.0f - 2.0f * fourth * base * (0.3f + s * (0.4f + s * 0.15f));
  return amplitude + 0.5f * root * fourth;
}

/* The derivative of a loss for p, or the target of a projection, and what goes into the sums. */
static float
compare_pixel (const PrismCpuTelescopeComparison *comparison,
               float p,
               float t,
               double sums[2])
{
  float slope = 1.0f, d;

  switch (comparison->kind)
    {
    case PRISM_PIXEL_L1_AMPLITUDE:
    case PRISM_PIXEL_L1_INTENSITY:
      d = comparison->kind == PRISM_PIXEL_L1_AMPLITUDE ? p - t : p * p - t * t;
      sums[0] += fabsf (d);
      return d > 0.0f ? 1.0f : d < 0.0f ? -1.0f
                                        : 0.0f;
    case PRISM_PIXEL_L2_INTENSITY:
      d = p * p - t * t;
      break;
    case PRISM_PIXEL_L2_NOISY:
      d = comparison->expect != NULL
              ? prism_expect_get (comparison->expect, p, &slope)
                    - sqrtf (t * t + prism_expect_get_offset (comparison->expect))
              : expect_amplitude (p, comparison->noise, &slope)
                    - sqrtf (t * t + 0.25f * comparison->noise);
      break;
    case PRISM_PIXEL_PROJECT:
    case PRISM_PIXEL_COMPARE:
      d = p - t;
      sums[1] += (double) t * t;
      break;
    case PRISM_PIXEL_L2_AMPLITUDE:
    case PRISM_PIXEL_MEASURE:
    case PRISM_PIXEL_ADD_POWER:
    case PRISM_PIXEL_SCALE:
    default:
      d = p - t;
      break;
    }
  sums[0] += (double) d * d;
  return comparison->kind == PRISM_PIXEL_PROJECT ? t : d * slope;
}

/* What multiplies φᵢ: losses are derived for it, p = √(Σ|φᵢ|²/N). */
static float
get_divisor (const PrismCpuTelescopeComparison *comparison,
             guint n_parts,
             float p)
{
  if (comparison->kind == PRISM_PIXEL_PROJECT)
    return p;
  if (comparison->kind == PRISM_PIXEL_L1_INTENSITY || comparison->kind == PRISM_PIXEL_L2_INTENSITY)
    return n_parts;
  return p * n_parts;
}

/**
 * prism_cpu_telescope_compare_pixels:
 * @comparison: mask and what is done with the pixels
 * @n_pixels: number of pixels
 * @target: (array length=n_pixels): amplitude that was measured
 * @power: (array length=n_pixels) (inout): Σ|φᵢ|²; becomes what every φᵢ is to be multiplied by
 * @sums: (inout): as a view's; what the pixels leave is added
 *
 * Compares some pixels of the sum of the parts.
 *
 * Thread: any.
 */
void
prism_cpu_telescope_compare_pixels (const PrismCpuTelescopeComparison *comparison,
                                    gsize n_pixels,
                                    const float *target,
                                    float *power,
                                    double sums[2])
{
  const guint n_parts = count_parts (comparison->mask);

  for (gsize i = 0; i < n_pixels; i++)
    {
      float p = sqrtf (power[i] / n_parts);
      float value = compare_pixel (comparison, p, target[i], sums);
      float divisor = get_divisor (comparison, n_parts, p);

      power[i] = divisor > 0.0f ? value / divisor : 0.0f;
    }
}

static void
compare_block (gpointer data,
               guint chunk,
               guint worker)
{
  CompareStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const gsize size = get_block_size (self);
  double sums[2] = { 0.0, 0.0 };

  prism_cpu_telescope_compare_pixels (stage->comparison, size,
                                      stage->comparison->target + chunk * size,
                                      stage->power + chunk * size, sums);
  self->sums[chunk][0] = sums[0];
  self->sums[chunk][1] = sums[1];
}

/**
 * prism_cpu_telescope_compare_parts:
 * @comparison: mask that moves, target and what is done with the pixels
 * @power: (array) (inout): Σ|φᵢ|²; becomes what every φᵢ is to be multiplied by
 * @sums: (out caller-allocates): as a view's
 *
 * Compares the sum of the parts with a target.
 *
 * Shape: @power [n][n] in the order for the mask.
 */
void
prism_cpu_telescope_compare_parts (PrismCpuTelescope *self,
                                   const PrismCpuTelescopeComparison *comparison,
                                   float *power,
                                   double sums[2])
{
  CompareStage stage = { self, comparison, power };
  guint n_blocks = count_blocks (self);

  prism_pool_run (self->pool, n_blocks, compare_block, &stage);
  sums[0] = sums[1] = 0.0;
  for (guint i = 0; i < n_blocks; i++)
    {
      sums[0] += self->sums[i][0];
      sums[1] += self->sums[i][1];
    }
}

/* gradient += gain·Σᵢ of what φᵢ·factor sends back. */
static void
send_back (PrismCpuTelescope *self,
           const PrismMask *mask,
           const float *factor,
           float gain,
           gboolean complete,
           gboolean accumulate,
           float *gradient)
{
  for (guint end = 0; end < count_parts (mask); accumulate = TRUE)
    {
      if (!complete)
        {
          end = add_views (self, mask, end, factor, gain);
          prism_cpu_telescope_expand_views (self);
        }
      for (guint i = 0; complete && i < self->n_views; i++)
        {
          self->views[i].target = (float *) factor;
          self->views[i].gain = gain;
          end = count_parts (mask);
        }
      prism_cpu_telescope_visit_views (self);
      prism_cpu_telescope_reduce_views (self);
      prism_cpu_telescope_restore_views (self, accumulate, gradient);
    }
}

/**
 * prism_cpu_telescope_see:
 * @self: a telescope, with the half spectrum of an image
 * @mask: aperture
 * @amplitude: (array) (out caller-allocates): |φ|; √(mean |φᵢ|²) while it moves
 *
 * What the detector sees of an image. Where the aperture stands still its view stays.
 *
 * Shape: @amplitude [n][n] in the order for @mask.
 * Source: numerics.md § 4.
 */
void
prism_cpu_telescope_see (PrismCpuTelescope *self,
                         const PrismMask *mask,
                         float *amplitude)
{
  const gsize n_pixels = (gsize) self->image_size * self->image_size;

  prism_cpu_telescope_clear_views (self);
  if (mask->height == 0)
    memset (amplitude, 0, n_pixels * sizeof *amplitude);
  else if (mask->n_parts == 0)
    {
      prism_cpu_telescope_add_view (self, mask, amplitude, PRISM_PIXEL_MEASURE, 0.0f);
      prism_cpu_telescope_expand_views (self);
      prism_cpu_telescope_visit_views (self);
    }
  else
    {
      const float scale = 1.0f / mask->n_parts;

      prism_cpu_telescope_gather_parts (self, mask, prism_cpu_telescope_expand_views, amplitude);
      for (gsize i = 0; i < n_pixels; i++)
        amplitude[i] = sqrtf (scale * amplitude[i]);
    }
}

/**
 * prism_cpu_telescope_return_parts:
 * @self: a telescope, with the half spectrum of an image
 * @mask: that moves
 * @amplitude: (array): of prism_cpu_telescope_see()
 * @slope: (array): derivative of a loss for it; lost
 * @gain: factor of all of it
 * @accumulate: whether to add to @gradient
 * @gradient: (array): derivative for the image
 *
 * The way back of prism_cpu_telescope_see().
 *
 * Shape: @amplitude and @slope [n][n] in the order for @mask, @gradient [m][m].
 */
void
prism_cpu_telescope_return_parts (PrismCpuTelescope *self,
                                  const PrismMask *mask,
                                  const float *amplitude,
                                  float *slope,
                                  float gain,
                                  gboolean accumulate,
                                  float *gradient)
{
  const gsize n_pixels = (gsize) self->image_size * self->image_size;

  for (gsize i = 0; i < n_pixels; i++)
    slope[i] = amplitude[i] > 0.0f ? slope[i] / (mask->n_parts * amplitude[i]) : 0.0f;
  send_back (self, mask, slope, gain, FALSE, accumulate, gradient);
}

/**
 * prism_cpu_telescope_add_parts:
 * @self: a telescope, with the half spectrum of an image
 * @comparison: mask that moves, target and what is done with the pixels
 * @gain: factor of the gradient, as of a view
 * @accumulate: whether to add to @gradient
 * @gradient: (array) (nullable): derivative for the image; NULL for %PRISM_PIXEL_COMPARE
 * @sums: (out caller-allocates): as a view's
 *
 * Compares what the detector sees of an image with a target, and sends the difference back. The
 * views are lost.
 *
 * Shape: @gradient [m][m].
 * Source: numerics.md, “A moving aperture”.
 */
void
prism_cpu_telescope_add_parts (PrismCpuTelescope *self,
                               const PrismCpuTelescopeComparison *comparison,
                               float gain,
                               gboolean accumulate,
                               float *gradient,
                               double sums[2])
{
  float *power = prism_cpu_telescope_get_plane (self);
  gboolean complete = prism_cpu_telescope_gather_parts (self, comparison->mask,
                                                        prism_cpu_telescope_expand_views, power);

  prism_cpu_telescope_compare_parts (self, comparison, power, sums);
  if (gradient != NULL)
    send_back (self, comparison->mask, power, gain, complete, accumulate, gradient);
}

/* An image becomes a half spectrum (rows), that the patches of all views (columns), those their
 * planes, whose rows are visited pixel by pixel and go back the same way: five parallel loops for
 * one gradient, however many views it has. */

typedef struct
{
  PrismCpuTelescope *self;
  const float *image; /* [m][m] */
} TransformStage;

typedef struct
{
  PrismCpuTelescope *self;
  const PrismColumnRun *runs; /* [n_runs] */
  guint n_runs;
  gboolean accumulate;
  float *image; /* [m][m] */
} RestoreStage;

static guint
n_stage_blocks (PrismCpuTelescope *self,
                int n_lines)
{
  return (n_lines + self->kernels->lanes - 1) / self->kernels->lanes;
}

/**
 * prism_cpu_telescope_add_view:
 * @mask: with a box that is not empty; stays until the views are cleared
 * @target: (array): amplitude; written by %PRISM_PIXEL_MEASURE alone
 * @kind: what is done with the pixels
 * @gain: factor of a loss's gradient
 *
 * Adds one view to the set that the stages work on.
 *
 * Shape: @target [n][n].
 *
 * Returns: whether its plane still fits; the first view's always does
 */
gboolean
prism_cpu_telescope_add_view (PrismCpuTelescope *self,
                              const PrismMask *mask,
                              const float *target,
                              PrismPixelKind kind,
                              float gain)
{
  const gsize lanes = self->kernels->lanes, n_blocks = self->image_size / lanes;
  const gsize n_tiles = n_stage_blocks (self, mask->width);
  const gsize stride = n_tiles * lanes * 2 * lanes;
  const gsize capacity = 2 * (gsize) self->image_size * self->image_size;
  PrismCpuTelescopeView *view = &self->views[self->n_views];

  g_return_val_if_fail (mask->height > 0, FALSE);
  if (self->n_views == PRISM_CPU_TELESCOPE_MAX_VIEWS || self->n_used + stride * n_blocks > capacity)
    return FALSE;

  view->mask = mask;
  view->fft_y = prism_cpu_fft_tables_get (self->tables, mask->height);
  view->fft_x = prism_cpu_fft_tables_get (self->tables, mask->width);
  view->n_tiles = (int) n_tiles;
  view->stride = stride;
  view->plane = self->planes + self->n_used;
  view->target = (float *) target;
  view->kind = kind;
  view->gain = gain;
  view->noise = 0.0f;
  view->sums = self->sums + self->n_views * n_blocks;

  self->n_used += stride * n_blocks;
  self->n_views++;
  return TRUE;
}

/**
 * prism_cpu_telescope_get_tile:
 * @index: from 0 to the number of tiles - 1
 * @tile: (out caller-allocates): the tile
 *
 * Finds one block of columns of one view.
 *
 * Thread: any.
 */
void
prism_cpu_telescope_get_tile (PrismCpuTelescope *self,
                              guint index,
                              PrismCpuTelescopeTile *tile)
{
  const PrismCpuTelescopeView *view = self->views;
  int first;

  for (; index >= view->n_tiles; view++)
    index -= view->n_tiles;

  first = index * self->kernels->lanes;
  tile->view = view;
  tile->x = view->mask->x0 + first;
  tile->count = MIN (self->kernels->lanes, view->mask->width - first);
  tile->bits = view->mask->bits + first;
  tile->columns = view->plane + (gsize) first * 2 * self->kernels->lanes;
}

/* Where each natural line is in a target: the transform's order, and the object's place in the
 * middle of the field. */
static void
fill_places (PrismCpuTelescope *self,
             int n_inputs,
             gboolean of_rows,
             int *places)
{
  const PrismCpuFft *fft = prism_cpu_fft_tables_get (self->tables, n_inputs);
  const int n = self->image_size, lanes = self->kernels->lanes;
  const int shift = (n - self->object_size) / 2;

  for (int i = 0; i < n; i++)
    {
      int line = (fft->n_parts * fft->order[i % fft->length] + i / fft->length + shift) % n;

      places[line] = of_rows ? i / lanes * n * lanes + i % lanes : i * lanes;
    }
}

/**
 * prism_cpu_telescope_fill_places:
 * @mask: aperture
 *
 * Fills place_y and place_x for the targets of a mask.
 */
void
prism_cpu_telescope_fill_places (PrismCpuTelescope *self,
                                 const PrismMask *mask)
{
  const PrismMask *part = prism_mask_get_part (mask, 0);

  fill_places (self, part->height, TRUE, self->place_y);
  fill_places (self, part->width, FALSE, self->place_x);
}

static void
transform_block (gpointer data,
                 guint chunk,
                 guint worker)
{
  TransformStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int lanes = self->kernels->lanes, m = self->object_size, y = chunk * lanes;

  self->kernels->transform_rows (prism_cpu_fft_tables_get (self->tables, self->image_size / 2),
                                 stage->image + (gsize) y * m, m, MIN (lanes, m - y),
                                 self->half_spectrum + chunk * self->half_stride,
                                 prism_cpu_telescope_get_work (self, worker));
}

/**
 * prism_cpu_telescope_transform_image:
 * @image: (array): real image
 *
 * First stage: the half spectrum of the image's rows.
 *
 * Shape: @image [m][m].
 */
void
prism_cpu_telescope_transform_image (PrismCpuTelescope *self,
                                     const float *image)
{
  TransformStage stage = { self, image };

  prism_pool_run (self->pool, n_stage_blocks (self, self->object_size), transform_block, &stage);
}

static void
expand_tile (gpointer data,
             guint chunk,
             guint worker)
{
  PrismCpuTelescope *self = data;
  const PrismCpuTelescopeKernels *kernels = self->kernels;
  float *work = prism_cpu_telescope_get_work (self, worker);
  float *patch = prism_cpu_telescope_get_patch (self, worker);
  const float scale = 1.0f / ((float) self->image_size * self->image_size);
  PrismCpuTelescopeTile tile;
  const PrismMask *mask;

  prism_cpu_telescope_get_tile (self, chunk, &tile);
  mask = tile.view->mask;
  kernels->transform_columns (tile.view->fft_y, prism_cpu_fft_tables_get_phases (self->tables),
                              self->half_spectrum, self->object_size, mask->y0, mask->height,
                              tile.x, tile.count, patch, work);
  kernels->mask_patch (patch, tile.bits, mask->width, mask->height, tile.count, scale);
  kernels->expand_patch (tile.view->fft_y, PRISM_CPU_ALL_PARTS, patch, mask->height,
                         tile.view->stride, tile.columns, work);
}

/**
 * prism_cpu_telescope_expand_views:
 *
 * Second stage: from the half spectrum through the masks to the columns of the detectors' planes.
 */
void
prism_cpu_telescope_expand_views (PrismCpuTelescope *self)
{
  prism_pool_run (self->pool, prism_cpu_telescope_get_n_tiles (self), expand_tile, self);
}

static void
visit_block (gpointer data,
             guint chunk,
             guint worker)
{
  PrismCpuTelescope *self = data;
  const guint n_blocks = self->image_size / self->kernels->lanes;
  const PrismCpuTelescopeView *view = &self->views[chunk / n_blocks];
  const guint block = chunk % n_blocks;
  PrismPixelStage stage = {
    .kind = view->kind,
    .target = view->target + (gsize) block * self->image_size * self->kernels->lanes,
    .noise = view->noise,
  };

  self->kernels->visit_pixels (view->fft_x, PRISM_CPU_ALL_PARTS, view->plane + block * view->stride,
                               view->mask->width, &stage,
                               prism_cpu_telescope_get_work (self, worker));
  view->sums[block][0] = stage.sums[0];
  view->sums[block][1] = stage.sums[1];
}

/**
 * prism_cpu_telescope_visit_views:
 *
 * Third stage: the rows of the detectors, their pixels, and the rows back again.
 */
void
prism_cpu_telescope_visit_views (PrismCpuTelescope *self)
{
  const guint n_blocks = self->image_size / self->kernels->lanes;

  prism_pool_run (self->pool, self->n_views * n_blocks, visit_block, self);
}

static void
reduce_tile (gpointer data,
             guint chunk,
             guint worker)
{
  PrismCpuTelescope *self = data;
  const PrismCpuTelescopeKernels *kernels = self->kernels;
  float *work = prism_cpu_telescope_get_work (self, worker);
  float *patch = prism_cpu_telescope_get_patch (self, worker);
  PrismCpuTelescopeTile tile;
  const PrismMask *mask;
  float scale;

  prism_cpu_telescope_get_tile (self, chunk, &tile);
  mask = tile.view->mask;
  scale = tile.view->gain / ((float) self->image_size * self->image_size);
  kernels->reduce_patch (tile.view->fft_y, PRISM_CPU_ALL_PARTS, tile.columns, mask->height,
                         tile.view->stride, patch, work);
  kernels->mask_patch (patch, tile.bits, mask->width, mask->height, tile.count, scale);
  kernels->restore_columns (tile.view->fft_y, prism_cpu_fft_tables_get_phases (self->tables), patch,
                            self->object_size, mask->y0, mask->height, tile.view->stride,
                            tile.columns, work);
}

/**
 * prism_cpu_telescope_reduce_views:
 *
 * Fourth stage: back through the masks. The image's rows take the place of the first rows of the
 * planes.
 */
void
prism_cpu_telescope_reduce_views (PrismCpuTelescope *self)
{
  prism_pool_run (self->pool, prism_cpu_telescope_get_n_tiles (self), reduce_tile, self);
}

static void
restore_block (gpointer data,
               guint chunk,
               guint worker)
{
  RestoreStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int lanes = self->kernels->lanes, m = self->object_size, y = chunk * lanes;

  self->kernels->restore_rows (prism_cpu_fft_tables_get (self->tables, self->image_size / 2),
                               stage->runs, stage->n_runs, chunk, m, MIN (lanes, m - y),
                               stage->accumulate, stage->image + (gsize) y * m,
                               prism_cpu_telescope_get_work (self, worker));
}

/**
 * prism_cpu_telescope_restore_image:
 * @runs: (array length=n_runs): columns
 * @n_runs: number of runs; without any the image is 0
 * @accumulate: whether to add to @image
 * @image: (array): result
 *
 * Last stage: the sum of columns becomes a real image.
 *
 * Shape: @image [m][m].
 */
void
prism_cpu_telescope_restore_image (PrismCpuTelescope *self,
                                   const PrismColumnRun *runs,
                                   guint n_runs,
                                   gboolean accumulate,
                                   float *image)
{
  RestoreStage stage = { self, runs, n_runs, accumulate, image };

  prism_pool_run (self->pool, n_stage_blocks (self, self->object_size), restore_block, &stage);
}

/**
 * prism_cpu_telescope_restore_views:
 * @accumulate: whether to add to @gradient
 * @gradient: (array): sum of what all views send back; 0 without any
 *
 * Last stage for the views, after prism_cpu_telescope_reduce_views().
 *
 * Shape: @gradient [m][m].
 */
void
prism_cpu_telescope_restore_views (PrismCpuTelescope *self,
                                   gboolean accumulate,
                                   float *gradient)
{
  PrismColumnRun runs[PRISM_CPU_TELESCOPE_MAX_VIEWS];

  for (guint i = 0; i < self->n_views; i++)
    {
      const PrismCpuTelescopeView *view = &self->views[i];

      runs[i] = (PrismColumnRun) { view->plane, view->stride, view->mask->x0, view->mask->width };
    }
  prism_cpu_telescope_restore_image (self, runs, self->n_views, accumulate, gradient);
}

/**
 * prism_cpu_telescope_get_sums:
 * @view: index of a view
 * @sums: (out caller-allocates): what its pixels left, see #PrismPixelStage
 *
 * Adds up the blocks of rows, always in the same order.
 */
void
prism_cpu_telescope_get_sums (PrismCpuTelescope *self,
                              guint view,
                              double sums[2])
{
  const int n_blocks = self->image_size / self->kernels->lanes;

  sums[0] = sums[1] = 0.0;
  for (int i = 0; i < n_blocks; i++)
    {
      sums[0] += self->views[view].sums[i][0];
      sums[1] += self->views[view].sums[i][1];
    }
}
