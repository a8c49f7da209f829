#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

/* Frames of which only some points are made. Points lie as their part of a whole frame does,
 * without the rest: [q/lanes] blocks of rows, [q] columns, [lanes] rows.
 *
 * Dimensions of this file: n = image_size, q = n/step. */

typedef struct
{
  PrismCpuTelescope *telescope;
  const PrismCpuTelescopeView *view;
  PrismCpuTelescopeLattice lattice;
  PrismPixelKind kind;
  float *points;
  gsize block_size; /* floats */
} PointsStage;

/* The parts whose points are the wanted ones: a target begins with the object's first pixel. */
static PrismCpuParts
get_parts (PrismCpuTelescope *self,
           int step,
           guint offset)
{
  const int shift = (self->image_size - self->object_size) / 2;

  return (PrismCpuParts) { ((int) offset - shift % step + step) % step, step };
}

/**
 * prism_cpu_telescope_lattice_init:
 * @self: (out caller-allocates): which rows and columns are made
 * @telescope: of the frame
 * @part: whose box the transforms fit
 * @step: a power of two; n/@step is not less than the sides of the box
 * @offset_y: of the rows, in natural order
 * @offset_x: of the columns
 *
 * Thread: any.
 */
void
prism_cpu_telescope_lattice_init (PrismCpuTelescopeLattice *self,
                                  PrismCpuTelescope *telescope,
                                  const PrismMask *part,
                                  guint step,
                                  guint offset_y,
                                  guint offset_x)
{
  self->fft_y = prism_cpu_fft_tables_get (telescope->tables, part->height);
  self->fft_x = prism_cpu_fft_tables_get (telescope->tables, part->width);
  self->rows = get_parts (telescope, (int) step, offset_y);
  self->columns = get_parts (telescope, (int) step, offset_x);
}

/**
 * prism_cpu_telescope_lattice_count_blocks:
 * @self: rows and columns
 * @telescope: of the frame
 *
 * Thread: any.
 *
 * Returns: blocks of its rows
 */
guint
prism_cpu_telescope_lattice_count_blocks (const PrismCpuTelescopeLattice *self,
                                          const PrismCpuTelescope *telescope)
{
  return self->fft_y->length / telescope->kernels->lanes
         * (self->fft_y->n_parts / self->rows.step);
}

/**
 * prism_cpu_telescope_lattice_get_block:
 * @self: rows and columns
 * @telescope: of the frame
 * @block: of its rows
 *
 * Thread: any.
 *
 * Returns: where the block is in an array of all rows
 */
gsize
prism_cpu_telescope_lattice_get_block (const PrismCpuTelescopeLattice *self,
                                       const PrismCpuTelescope *telescope,
                                       guint block)
{
  const guint n_each = self->fft_y->length / telescope->kernels->lanes;

  return (self->rows.first + block / n_each * self->rows.step) * n_each + block % n_each;
}

static void
visit_block (gpointer data,
             guint chunk,
             guint worker)
{
  PointsStage *stage = data;
  PrismCpuTelescope *self = stage->telescope;
  const gsize block = prism_cpu_telescope_lattice_get_block (&stage->lattice, self, chunk);
  PrismPixelStage pixels = {
    .kind = stage->kind,
    .target = stage->points + chunk * stage->block_size,
    .is_compact = TRUE,
  };

  self->kernels->visit_pixels (stage->lattice.fft_x, stage->lattice.columns,
                               stage->view->plane + block * stage->view->stride,
                               stage->view->mask->width, &pixels,
                               prism_cpu_telescope_get_work (self, worker));
}

/* Through one part of a mask, from the half spectrum. */
static void
see_part (PrismCpuTelescope *self,
          const PrismMask *part,
          guint step,
          PrismPixelKind kind,
          float *points)
{
  PointsStage stage = {
    .telescope = self,
    .view = self->views,
    .kind = kind,
    .points = points,
    .block_size = (gsize) self->image_size / step * self->kernels->lanes,
  };

  prism_cpu_telescope_lattice_init (&stage.lattice, self, part, step, 0, 0);
  prism_cpu_telescope_clear_views (self);
  prism_cpu_telescope_add_view (self, part, NULL, kind, 0.0f);
  prism_cpu_telescope_expand_views (self);
  prism_pool_run (self->pool, prism_cpu_telescope_lattice_count_blocks (&stage.lattice, self),
                  visit_block, &stage);
}

/**
 * prism_cpu_telescope_measure_points:
 * @self: a telescope
 * @mask: aperture
 * @step: a power of two; n/@step is not less than the sides of the mask's box
 * @points: (array) (out caller-allocates): some pixels of prism_cpu_telescope_measure()
 *
 * What the camera sees of the object, without noise, in the pixels whose row and column are
 * multiples of @step.
 *
 * Shape: @points [q][q] in the telescope's own order for @mask.
 * Thread: engine.
 * Source: numerics.md, “Small frames”.
 */
void
prism_cpu_telescope_measure_points (PrismCpuTelescope *self,
                                    const PrismMask *mask,
                                    guint step,
                                    float *points)
{
  const gsize side = self->image_size / step;
  const float scale = 1.0f / MAX (mask->n_parts, 1);

  g_return_if_fail (mask->image_size == self->image_size);

  if (mask->height == 0 || mask->n_parts > 0)
    memset (points, 0, side * side * sizeof *points);
  if (mask->height == 0)
    return;
  prism_cpu_telescope_transform_image (self, self->object);
  if (mask->n_parts == 0)
    see_part (self, mask, step, PRISM_PIXEL_MEASURE, points);
  for (guint i = 0; i < mask->n_parts; i++)
    see_part (self, prism_mask_get_part (mask, i), step, PRISM_PIXEL_ADD_POWER, points);
  for (gsize i = 0; mask->n_parts > 0 && i < side * side; i++)
    points[i] = sqrtf (scale * points[i]);
}

/* Where a natural row or column lies among those of the points; first is its own place in a whole
 * frame, in lines. */
static gsize
find_place (const PrismCpuFft *fft,
            PrismCpuParts parts,
            gsize place)
{
  const gsize part = place / fft->length;

  return (part - parts.first) / parts.step * fft->length + place % fft->length;
}

/**
 * prism_cpu_telescope_read_points:
 * @self: a telescope
 * @mask: aperture that @points belong to
 * @step: of the points
 * @points: (array): of prism_cpu_telescope_measure_points()
 * @amplitude: (array) (out caller-allocates): the same in natural order, origin at [q/2][q/2]
 *
 * Gives points of a detector image to the outside.
 *
 * Shape: both [q][q].
 * Thread: engine.
 */
void
prism_cpu_telescope_read_points (PrismCpuTelescope *self,
                                 const PrismMask *mask,
                                 guint step,
                                 const float *points,
                                 float *amplitude)
{
  const gsize n = self->image_size, side = n / step, lanes = self->kernels->lanes;
  PrismCpuTelescopeLattice lattice;

  prism_cpu_telescope_fill_places (self, mask);
  prism_cpu_telescope_lattice_init (&lattice, self, prism_mask_get_part (mask, 0), step, 0, 0);
  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++)
      {
        const gsize whole = self->place_y[y * step];
        const gsize row = find_place (lattice.fft_y, lattice.rows,
                                      whole / (n * lanes) * lanes + whole % lanes);
        const gsize column = find_place (lattice.fft_x, lattice.columns,
                                         self->place_x[x * step] / lanes);

        amplitude[y * side + x]
            = points[row / lanes * side * lanes + column * lanes + row % lanes];
      }
}
