#include "config.h"

#include "results/prism-sweep-ensemble.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "num/prism-metrics.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>

typedef struct
{
  float spread;
  float error; /* squared */
} Pixel;

/* The least certain first. */
static int
compare_pixels (gconstpointer a,
                gconstpointer b)
{
  const Pixel *one = a, *other = b;

  return one->spread > other->spread ? -1 : one->spread < other->spread;
}

/* Squared error of the first n pixels over that of all. */
static double
get_share (const Pixel *pixels,
           gsize n,
           gsize n_pixels)
{
  double part = 0.0, all = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      part += i < n ? pixels[i].error : 0.0;
      all += pixels[i].error;
    }
  return all > 0.0 ? part / all : NAN;
}

static gboolean
compute_share (PrismSweepEnsemble *self,
               const PrismImage *mean,
               const PrismImage *spread,
               const PrismImage *target,
               GError **error)
{
  gsize n_pixels = (gsize) mean->height * mean->width;
  Pixel *pixels
      = prism_arena_new_array (n_pixels * sizeof *pixels, _ ("the order of the pixels"), error);

  if (pixels == NULL)
    return FALSE;
  for (gsize i = 0; i < n_pixels; i++)
    {
      float difference = mean->pixels[i] - target->pixels[i];

      pixels[i] = (Pixel) { spread->pixels[i], difference * difference };
    }
  qsort (pixels, n_pixels, sizeof *pixels, compare_pixels);
  self->share = get_share (pixels, n_pixels / PRISM_SWEEP_ENSEMBLE_PART, n_pixels);
  prism_arena_free_array (pixels);
  return TRUE;
}

static void
compute_runs (PrismSweepEnsemble *self,
              const PrismSweepTable *table)
{
  self->n_runs = 0;
  self->least = self->most = NAN;
  for (guint i = 0; i < table->n_rows; i++)
    {
      if (table->rows[i].image == NULL)
        continue;
      self->n_runs++;
      self->least = fmin (self->least, table->rows[i].metrics.psnr);
      self->most = fmax (self->most, table->rows[i].metrics.psnr);
    }
}

/**
 * prism_sweep_ensemble_compute:
 * @self: (out caller-allocates): the numbers
 * @table: of an ensemble
 * @mean: of prism_sweep_table_get_spread()
 * @spread: of prism_sweep_table_get_spread()
 *
 * Compares the mean with the object, and finds how much of its squared error lies in the quarter of
 * the pixels where the runs differ most: a quarter if the map says nothing, all of it at best.
 *
 * Shape: both [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_FORMAT when the runs have left no object of this size.
 *
 * Returns: whether the numbers are there
 */
gboolean
prism_sweep_ensemble_compute (PrismSweepEnsemble *self,
                              const PrismSweepTable *table,
                              const PrismImage *mean,
                              const PrismImage *spread,
                              GError **error)
{
  const PrismImage *target = table->target;
  PrismMetrics metrics;

  if (target == NULL || target->height != mean->height || target->width != mean->width)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   _ ("The runs of the ensemble have left no object to compare their mean with:"
                      " run them anew."));
      return FALSE;
    }
  prism_metrics_compute_errors (&metrics, mean->pixels, target->pixels, mean->height, mean->width);
  self->psnr = metrics.psnr;
  compute_runs (self, table);
  return compute_share (self, mean, spread, target, error);
}
