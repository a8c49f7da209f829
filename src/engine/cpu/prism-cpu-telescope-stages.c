#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

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
count_blocks (PrismCpuTelescope *self,
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
  const gsize n_tiles = count_blocks (self, mask->width);
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

  prism_pool_run (self->pool, count_blocks (self, self->object_size), transform_block, &stage);
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

  prism_pool_run (self->pool, count_blocks (self, self->object_size), restore_block, &stage);
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
