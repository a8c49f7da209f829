#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

/* ePIE keeps the object's whole spectrum O, [n][n] with zero frequency at [n/2][n/2]. Real images
 * are transformed in columns 0…h; the others follow from O(-ky, -kx) = O*(ky, kx). */

typedef struct
{
  PrismCpuTelescope *self;
  float *magnitude; /* (nullable) [n][n]: wanted instead of the spectrum */
} SpectrumStage;

typedef struct
{
  PrismCpuTelescope *self;
  float step_size;
} UpdateStage;

typedef struct
{
  PrismCpuTelescope *self;
  const float *re; /* [n][n] */
  const float *im;
} FoldStage;

static guint
count_half_tiles (PrismCpuTelescope *self)
{
  return (self->image_size / 2 + self->kernels->lanes) / self->kernels->lanes;
}

static void
set_value (SpectrumStage *stage,
           gsize i,
           float re,
           float im)
{
  if (stage->magnitude != NULL)
    stage->magnitude[i] = sqrtf (re * re + im * im);
  else
    {
      stage->self->spectrum_re[i] = re;
      stage->self->spectrum_im[i] = im;
    }
}

static void
transform_tile (gpointer data,
                guint chunk,
                guint worker)
{
  SpectrumStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int n = self->image_size, h = n / 2, lanes = self->kernels->lanes, x0 = chunk * lanes;
  const int count = MIN (lanes, h + 1 - x0);
  const float scale = 1.0f / n;
  float *patch = prism_cpu_telescope_get_patch (self, worker);

  self->kernels->transform_columns (prism_cpu_fft_tables_get (self->tables, n),
                                    prism_cpu_fft_tables_get_phases (self->tables),
                                    self->half_spectrum, self->object_size, -h, n, x0,
                                    count, patch,
                                    prism_cpu_telescope_get_work (self, worker));
  for (int y = 0; y < n; y++, patch += 2 * lanes)
    {
      const gsize a = (gsize) y * n + ((x0 + h) & (n - 1));
      const gsize b = (gsize) ((n - y) & (n - 1)) * n + h - x0;

      for (int i = 0; i < count; i++)
        set_value (stage, a + i, scale * patch[i], scale * patch[lanes + i]);
      for (int i = x0 == 0 ? 1 : 0; i < count && x0 < h; i++)
        set_value (stage, b - i, scale * patch[i], -(scale * patch[lanes + i]));
    }
}

static void
transform_object (PrismCpuTelescope *self,
                  const float *image,
                  float *magnitude)
{
  SpectrumStage stage = { self, magnitude };

  prism_cpu_telescope_transform_image (self, image);
  prism_pool_run (self->pool, count_half_tiles (self), transform_tile, &stage);
}

/**
 * prism_cpu_telescope_transform_spectrum:
 * @self: a telescope
 * @image: (array): real image
 *
 * Fills the whole spectrum, from which boxes can then be taken.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
void
prism_cpu_telescope_transform_spectrum (PrismCpuTelescope *self,
                                        const float *image)
{
  transform_object (self, image, NULL);
}

/**
 * prism_cpu_telescope_get_spectrum:
 * @self: a telescope
 * @spectrum: (array) (out caller-allocates): |F{object}|
 *
 * The magnitude of the object's spectrum.
 *
 * Shape: [n][n], zero frequency at [n/2][n/2].
 * Thread: engine.
 */
void
prism_cpu_telescope_get_spectrum (PrismCpuTelescope *self,
                                  float *spectrum)
{
  transform_object (self, self->object, spectrum);
}

/**
 * prism_cpu_telescope_epie_start:
 * @self: a telescope
 * @image: (array) (nullable): first estimate of the object; NULL for a blank one of 0.5
 *
 * Starts ePIE.
 *
 * Shape: [m][m].
 * Thread: engine.
 * Source: numerics.md § 10.
 */
void
prism_cpu_telescope_epie_start (PrismCpuTelescope *self,
                                const float *image)
{
  const gsize n_pixels = (gsize) self->object_size * self->object_size;

  for (gsize i = 0; image == NULL && i < n_pixels; i++)
    self->scratch_image[i] = 0.5f;
  transform_object (self, image == NULL ? self->scratch_image : image, NULL);
}

/* The tile's part of O, unmasked. */
static void
load_patch (PrismCpuTelescope *self,
            const PrismCpuTelescopeTile *tile,
            float *patch)
{
  const PrismMask *mask = tile->view->mask;
  const int h = self->image_size / 2, lanes = self->kernels->lanes;
  gsize row = (gsize) (mask->y0 + h) * self->image_size + tile->x + h;

  for (int y = 0; y < mask->height; y++, row += self->image_size, patch += 2 * lanes)
    for (int i = 0; i < lanes; i++)
      {
        patch[i] = i < tile->count ? self->spectrum_re[row + i] : 0.0f;
        patch[lanes + i] = i < tile->count ? self->spectrum_im[row + i] : 0.0f;
      }
}

static void
expand_tile (gpointer data,
             guint chunk,
             guint worker)
{
  PrismCpuTelescope *self = data;
  float *patch = prism_cpu_telescope_get_patch (self, worker);
  PrismCpuTelescopeTile tile;
  const PrismMask *mask;

  prism_cpu_telescope_get_tile (self, chunk, &tile);
  mask = tile.view->mask;
  load_patch (self, &tile, patch);
  self->kernels->mask_patch (patch, tile.bits, mask->width, mask->height, tile.count,
                             1.0f / self->image_size);
  self->kernels->expand_patch (tile.view->fft_y, PRISM_CPU_ALL_PARTS, patch, mask->height,
                               tile.view->stride, tile.columns,
                               prism_cpu_telescope_get_work (self, worker));
}

/* O += s·P·(ψ - P·O). */
static void
update_tile (gpointer data,
             guint chunk,
             guint worker)
{
  UpdateStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int n = self->image_size, lanes = self->kernels->lanes;
  float *patch = prism_cpu_telescope_get_patch (self, worker);
  PrismCpuTelescopeTile tile;
  const PrismMask *mask;
  gsize row;

  prism_cpu_telescope_get_tile (self, chunk, &tile);
  mask = tile.view->mask;
  self->kernels->reduce_patch (tile.view->fft_y, PRISM_CPU_ALL_PARTS, tile.columns, mask->height,
                               tile.view->stride, patch,
                               prism_cpu_telescope_get_work (self, worker));
  row = (gsize) (mask->y0 + n / 2) * n + tile.x + n / 2;
  for (int y = 0; y < mask->height; y++, row += n, patch += 2 * lanes)
    for (int i = 0; i < tile.count; i++)
      if (tile.bits[(gsize) y * mask->width + i])
        {
          float *re = &self->spectrum_re[row + i], *im = &self->spectrum_im[row + i];

          *re += stage->step_size * (patch[i] / n - *re);
          *im += stage->step_size * (patch[lanes + i] / n - *im);
        }
}

/* From ePIE's spectrum through the views' masks to the columns of their planes. */
static void
expand_spectrum (PrismCpuTelescope *self)
{
  prism_pool_run (self->pool, prism_cpu_telescope_get_n_tiles (self), expand_tile, self);
}

/* A slot that sees nothing. */
static void
add_dark_sums (PrismCpuTelescope *self,
               const PrismCpuTelescopeSlot *slot,
               double *residual,
               double *power)
{
  double sum = slot->mean_square * self->image_size * self->image_size;

  *residual += sum;
  *power += sum;
}

static void
add_view_sums (PrismCpuTelescope *self,
               double *residual,
               double *power)
{
  double sums[2];

  prism_cpu_telescope_get_sums (self, 0, sums);
  *residual += sums[0];
  *power += sums[1];
}

/**
 * prism_cpu_telescope_epie_update:
 * @self: a telescope
 * @slot: of a measurement that is bound
 * @step_size: s
 * @residual: (inout): Σ(|φ|-A)² before the update is added to it
 * @power: (inout): ΣA² is added to it
 *
 * One update of ePIE: φ = F⁻¹{P·O}, ψ = F{A·φ/|φ|}, O += s·P·(ψ - P·O). An aperture that moves is
 * taken to stand still in the middle of its line; see prism_cpu_telescope_mopie_update().
 *
 * Thread: engine.
 * Source: numerics.md § 10.
 */
void
prism_cpu_telescope_epie_update (PrismCpuTelescope *self,
                                 guint slot,
                                 double step_size,
                                 double *residual,
                                 double *power)
{
  const PrismCpuTelescopeSlot *bound = &self->slots[slot];
  UpdateStage stage = { self, (float) step_size };
  const PrismMask *mask;

  g_return_if_fail (slot < self->n_slots && bound->mask != NULL);

  mask = prism_mask_get_part (bound->mask, bound->mask->n_parts);
  if (bound->mask->height == 0)
    {
      add_dark_sums (self, bound, residual, power);
      return;
    }
  prism_cpu_telescope_clear_views (self);
  prism_cpu_telescope_add_view (self, mask, bound->target, PRISM_PIXEL_PROJECT, 0.0f);
  expand_spectrum (self);
  prism_cpu_telescope_visit_views (self);
  prism_pool_run (self->pool, prism_cpu_telescope_get_n_tiles (self), update_tile, &stage);
  add_view_sums (self, residual, power);
}

/* Columns of the spectrum of O's real part; the half spectrum counts those between 0 and h twice,
 * so they get O(k) + O*(-k). */
static void
fold_tile (gpointer data,
           guint chunk,
           guint worker)
{
  FoldStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int n = self->image_size, h = n / 2, lanes = self->kernels->lanes, x0 = chunk * lanes;
  float *patch = prism_cpu_telescope_get_patch (self, worker);

  /* Columns 0 and h, which the field's first one is as well, are in one tile with others, and alone
   * in the last one. */
  for (int y = 0; y < n; y++)
    {
      const gsize row = (gsize) y * n, mirrored = (gsize) ((n - y) & (n - 1)) * n;
      const gsize a = row + ((x0 + h) & (n - 1)), b = mirrored + h - x0;
      float *re = patch + (gsize) y * 2 * lanes, *im = re + lanes;

      for (int i = 0; i < lanes; i++)
        re[i] = im[i] = 0.0f;
      for (int i = 0; i < MIN (lanes, h - x0); i++)
        {
          re[i] = (stage->re[a + i] + stage->re[b - i]) / n;
          im[i] = (stage->im[a + i] - stage->im[b - i]) / n;
        }
      if (x0 == 0 || x0 == h)
        {
          re[0] = stage->re[a] / n;
          im[0] = stage->im[a] / n;
        }
    }
  self->kernels->restore_columns (prism_cpu_fft_tables_get (self->tables, n),
                                  prism_cpu_fft_tables_get_phases (self->tables), patch,
                                  self->object_size, -h, n, self->half_stride,
                                  self->half_spectrum + (gsize) x0 * 2 * lanes,
                                  prism_cpu_telescope_get_work (self, worker));
}

/**
 * prism_cpu_telescope_restore_spectrum:
 * @self: a telescope; its half spectrum is lost
 * @re: (array): real part of a spectrum
 * @im: (array): imaginary part
 * @accumulate: whether to add to @image
 * @image: (array): real part of what the spectrum belongs to, inside the support
 *
 * The adjoint of prism_cpu_telescope_transform_spectrum(), which is also its inverse.
 *
 * Shape: @re and @im [n][n], zero frequency at [n/2][n/2]; @image [m][m].
 * Thread: engine.
 */
void
prism_cpu_telescope_restore_spectrum (PrismCpuTelescope *self,
                                      const float *re,
                                      const float *im,
                                      gboolean accumulate,
                                      float *image)
{
  FoldStage stage = { self, re, im };
  const int n_columns = self->image_size / 2 + 1;
  const PrismColumnRun run = { self->half_spectrum, self->half_stride, 0, n_columns };

  prism_pool_run (self->pool, count_half_tiles (self), fold_tile, &stage);
  prism_cpu_telescope_restore_image (self, &run, 1, accumulate, image);
}

/**
 * prism_cpu_telescope_epie_project:
 * @self: a telescope
 * @image: (array) (out caller-allocates): real part inside the support, clamped to [0, 1]
 *
 * Ends a pass of ePIE: takes the object out of its spectrum and starts the next pass from it.
 *
 * Shape: [m][m].
 * Thread: engine.
 * Source: numerics.md § 10.
 */
void
prism_cpu_telescope_epie_project (PrismCpuTelescope *self,
                                  float *image)
{
  const gsize n_pixels = (gsize) self->object_size * self->object_size;

  prism_cpu_telescope_restore_spectrum (self, self->spectrum_re, self->spectrum_im, FALSE, image);
  for (gsize i = 0; i < n_pixels; i++)
    image[i] = CLAMP (image[i], 0.0f, 1.0f);
  transform_object (self, image, NULL);
}

/**
 * prism_cpu_telescope_compute_misfit:
 * @self: a telescope
 * @image: (array): an estimate of the object
 * @slot: of a measurement that is bound
 * @residual: (inout): Σ(|φ|-A)² is added to it
 * @power: (inout): ΣA² is added to it
 *
 * How far an image is from explaining one measurement.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 * Source: numerics.md § 8.
 */
void
prism_cpu_telescope_compute_misfit (PrismCpuTelescope *self,
                                    const float *image,
                                    guint slot,
                                    double *residual,
                                    double *power)
{
  const PrismCpuTelescopeSlot *bound = &self->slots[slot];
  const PrismCpuTelescopeComparison comparison = {
    .mask = bound->mask,
    .target = bound->target,
    .kind = PRISM_PIXEL_COMPARE,
  };
  double sums[2];

  g_return_if_fail (slot < self->n_slots && bound->mask != NULL);

  if (bound->mask->height == 0)
    {
      add_dark_sums (self, bound, residual, power);
      return;
    }
  prism_cpu_telescope_transform_image (self, image);
  if (bound->mask->n_parts > 0)
    {
      prism_cpu_telescope_add_parts (self, &comparison, 0.0f, FALSE, NULL, sums);
      *residual += sums[0];
      *power += sums[1];
      return;
    }
  prism_cpu_telescope_clear_views (self);
  prism_cpu_telescope_add_view (self, bound->mask, bound->target, PRISM_PIXEL_COMPARE, 0.0f);
  prism_cpu_telescope_expand_views (self);
  prism_cpu_telescope_visit_views (self);
  add_view_sums (self, residual, power);
}

/* Mo-PIE: ePIE whose aperture moves during the exposure. With p = √(mean |φᵢ|²) over the N parts,
 * ψᵢ = F{A·φᵢ/p}, all of them from the same O. Parallel: O += s·Σᵢ Pᵢ·(ψᵢ - O) / Σᵢ Pᵢ; the divisor
 * makes s = 1 the projection on the ψᵢ, while the bare sum grows without bound where more than two
 * parts overlap. Serial: O += s·Pᵢ·(ψᵢ - O), one part after the other. To go on from the new O with
 * the old p would grow without bound, too. */

typedef struct
{
  PrismCpuTelescope *self;
  guint view;
  gboolean serial;
  float step_size;
} AddStage;

/* A view's tile; ψ is in the patch. */
static void
add_tile (const AddStage *stage,
          const PrismCpuTelescopeTile *tile,
          const float *patch)
{
  PrismCpuTelescope *self = stage->self;
  const PrismMask *mask = tile->view->mask;
  const int n = self->image_size, lanes = self->kernels->lanes;
  const float *from_re = stage->serial ? self->delta_re : self->spectrum_re;
  const float *from_im = stage->serial ? self->delta_im : self->spectrum_im;
  const float step_size = stage->serial ? stage->step_size : 1.0f;
  gsize row = (gsize) (mask->y0 + n / 2) * n + tile->x + n / 2;

  for (int y = 0; y < mask->height; y++, row += n, patch += 2 * lanes)
    for (int i = 0; i < tile->count; i++)
      if (tile->bits[(gsize) y * mask->width + i])
        {
          self->delta_re[row + i] += step_size * (patch[i] / n - from_re[row + i]);
          self->delta_im[row + i] += step_size * (patch[lanes + i] / n - from_im[row + i]);
          self->n_points[row + i] += 1.0f;
        }
}

static void
reduce_tile (gpointer data,
             guint chunk,
             guint worker)
{
  AddStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  float *patch = prism_cpu_telescope_get_patch (self, worker);
  PrismCpuTelescopeTile tile;
  guint first = 0;

  for (guint i = 0; i < stage->view; i++)
    first += self->views[i].n_tiles;
  prism_cpu_telescope_get_tile (self, first + chunk, &tile);
  self->kernels->reduce_patch (tile.view->fft_y, PRISM_CPU_ALL_PARTS, tile.columns,
                               tile.view->mask->height, tile.view->stride, patch,
                               prism_cpu_telescope_get_work (self, worker));
  add_tile (stage, &tile, patch);
}

static void
end_delta (PrismCpuTelescope *self,
           const PrismMask *mask,
           gboolean serial,
           float step_size)
{
  const int n = self->image_size;

  for (int y = 0; y < mask->height; y++)
    {
      gsize row = (gsize) (mask->y0 + y + n / 2) * n + mask->x0 + n / 2;

      for (gsize i = row; i < row + mask->width; i++)
        if (self->n_points[i] > 0.0f)
          {
            float factor = step_size / self->n_points[i];

            self->spectrum_re[i] = serial ? self->delta_re[i]
                                          : self->spectrum_re[i] + factor * self->delta_re[i];
            self->spectrum_im[i] = serial ? self->delta_im[i]
                                          : self->spectrum_im[i] + factor * self->delta_im[i];
          }
    }
}

static void
update (PrismCpuTelescope *self,
        const PrismMask *mask,
        const float *factor,
        gboolean serial,
        float step_size)
{
  const int n = self->image_size;
  const gsize bytes = mask->width * sizeof (float);

  /* Pixels of the union's box: 0 for a sum, or the spectrum to be changed in place. */
  for (int y = 0; y < mask->height; y++)
    {
      gsize row = (gsize) (mask->y0 + y + n / 2) * n + mask->x0 + n / 2;

      memset (self->n_points + row, 0, bytes);
      memset (self->delta_re + row, 0, bytes);
      memset (self->delta_im + row, 0, bytes);
      if (serial)
        {
          memcpy (self->delta_re + row, self->spectrum_re + row, bytes);
          memcpy (self->delta_im + row, self->spectrum_im + row, bytes);
        }
    }
  for (guint end = 0; end < mask->n_parts;)
    {
      prism_cpu_telescope_clear_views (self);
      while (end < mask->n_parts
             && prism_cpu_telescope_add_view (self, mask->parts[end], factor, PRISM_PIXEL_SCALE,
                                              0.0f))
        end++;
      expand_spectrum (self);
      prism_cpu_telescope_visit_views (self);
      /* One view after the other, as they overlap; the tiles of one do not. */
      for (guint i = 0; i < self->n_views; i++)
        {
          AddStage stage = { self, i, serial, step_size };

          prism_pool_run (self->pool, self->views[i].n_tiles, reduce_tile, &stage);
        }
    }
  end_delta (self, mask, serial, step_size);
}

/**
 * prism_cpu_telescope_mopie_update:
 * @self: a telescope
 * @slot: of a measurement that is bound
 * @step_size: s
 * @serial: whether the points of the line follow each other instead of acting together
 * @residual: (inout): Σ(p - A)² before the update is added to it
 * @power: (inout): ΣA² is added to it
 *
 * One update of Mo-PIE; of ePIE where the aperture stands still.
 *
 * Thread: engine.
 * Source: numerics.md § 10.
 */
void
prism_cpu_telescope_mopie_update (PrismCpuTelescope *self,
                                  guint slot,
                                  double step_size,
                                  gboolean serial,
                                  double *residual,
                                  double *power)
{
  const PrismCpuTelescopeSlot *bound = &self->slots[slot];
  const PrismCpuTelescopeComparison comparison = {
    .mask = bound->mask,
    .target = bound->target,
    .kind = PRISM_PIXEL_PROJECT,
  };
  float *plane = prism_cpu_telescope_get_plane (self);
  double sums[2];

  g_return_if_fail (slot < self->n_slots && bound->mask != NULL);

  if (bound->mask->n_parts == 0)
    {
      prism_cpu_telescope_epie_update (self, slot, step_size, residual, power);
      return;
    }
  prism_cpu_telescope_gather_parts (self, bound->mask, expand_spectrum, plane);
  prism_cpu_telescope_compare_parts (self, &comparison, plane, sums);
  update (self, bound->mask, plane, serial, (float) step_size);
  *residual += sums[0];
  *power += sums[1];
}
