#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

#include <string.h>

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

/* Pixels of the union's box: 0 for a sum, or the spectrum to be changed in place. */
static void
begin_delta (PrismCpuTelescope *self,
             const PrismMask *mask,
             gboolean serial)
{
  const int n = self->image_size;
  const gsize bytes = mask->width * sizeof (float);

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
}

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

/* One view after the other, as they overlap; the tiles of one do not. */
static void
add_views (PrismCpuTelescope *self,
           gboolean serial,
           float step_size)
{
  for (guint i = 0; i < self->n_views; i++)
    {
      AddStage stage = { self, i, serial, step_size };

      prism_pool_run (self->pool, self->views[i].n_tiles, reduce_tile, &stage);
    }
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
  begin_delta (self, mask, serial);
  for (guint end = 0; end < mask->n_parts;)
    {
      prism_cpu_telescope_clear_views (self);
      while (end < mask->n_parts
             && prism_cpu_telescope_add_view (self, mask->parts[end], factor, PRISM_PIXEL_SCALE,
                                              0.0f))
        end++;
      prism_cpu_telescope_expand_spectrum (self);
      prism_cpu_telescope_visit_views (self);
      add_views (self, serial, step_size);
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
  prism_cpu_telescope_gather_parts (self, bound->mask, prism_cpu_telescope_expand_spectrum, plane);
  prism_cpu_telescope_compare_parts (self, &comparison, plane, sums);
  update (self, bound->mask, plane, serial, (float) step_size);
  *residual += sums[0];
  *power += sums[1];
}
