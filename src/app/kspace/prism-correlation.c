#include "config.h"

#include "kspace/prism-correlation.h"

#include "session/prism-playback.h"
#include "support/prism-job.h"

#define INTERVAL 300 /* ms between two curves */

struct _PrismCorrelation
{
  GObject parent_instance;

  PrismWorker *worker;
  PrismImage *image;    /* (nullable): the reconstruction of the last input */
  PrismImage *coverage; /* (nullable): the coverage of the last input */
};

typedef struct
{
  PrismFrc *frc;
  PrismImage *map; /* (nullable) [n][n] */
} Result;

G_DEFINE_FINAL_TYPE (PrismCorrelation, prism_correlation, G_TYPE_OBJECT)

PRISM_FREE (Result, result_free, prism_frc_free, frc, prism_image_unref, map)

/* Of a covered pixel its ring's correlation, elsewhere not a number. */
static PrismImage *
create_map (const PrismFrc *frc,
            const PrismImage *coverage)
{
  int n = coverage->width;
  PrismImage *map = prism_image_new (n, n, NULL);

  for (int y = 0; map != NULL && y < n; y++)
    for (int x = 0; x < n; x++)
      {
        gsize i = (gsize) y * n + x;
        guint ring = (guint) floor (hypot (y - n / 2, x - n / 2) + 0.5);

        map->pixels[i] = NAN;
        if (coverage->pixels[i] > 0.0f && ring < frc->n_rings)
          map->pixels[i] = (float) frc->correlation[ring];
      }
  return map;
}

static gpointer
correlate (PrismSnapshot *snapshot)
{
  PrismFrc *frc = prism_frc_new_snapshot (snapshot, NULL);

  if (frc == NULL)
    return NULL;
  return PRISM_NEW (Result, frc, create_map (frc, snapshot->coverage_plane));
}

static void
on_changed (PrismCorrelation *self)
{
  g_signal_emit_by_name (self, "changed");
}

static void
prism_correlation_class_init (PrismCorrelationClass *klass)
{
  PRISM_FINALIZE (klass, PrismCorrelation, g_object_unref, worker);
  PRISM_FINALIZE (klass, PrismCorrelation, prism_image_unref, image, coverage);
  prism_property_new (klass, "snapshot", PRISM_TYPE_SNAPSHOT, 0, NULL,
                      prism_correlation_set_snapshot);
  /* There is another curve, or none. */
  prism_signal_new (klass, "changed", 0);
}

static void
prism_correlation_init (PrismCorrelation *self)
{
  self->worker
      = prism_worker_new (correlate, prism_snapshot_unref, result_free, INTERVAL);
  PRISM_CONNECT (self->worker, "changed", on_changed, self);
}

/**
 * prism_correlation_set_snapshot:
 * @self: a correlation
 * @snapshot: what is on the screen
 *
 * Asks for the curve of this moment; of moments that come faster than curves the newest counts. A
 * run that stands still needs no processor: its curve is made at once.
 */
void
prism_correlation_set_snapshot (PrismCorrelation *self,
                                PrismSnapshot *snapshot)
{
  PrismImage *image;
  gboolean other;

  if (snapshot == NULL)
    return;
  image = snapshot->reconstruction;
  other = prism_keep (&self->image, image, prism_image_ref, prism_image_unref);
  other |= prism_keep (&self->coverage, snapshot->coverage_plane, prism_image_ref,
                       prism_image_unref);
  if (other)
    prism_worker_submit (self->worker, image != NULL ? prism_snapshot_ref (snapshot) : NULL);
  if (snapshot->state != PRISM_STATE_RUNNING)
    prism_worker_hurry (self->worker);
}

/**
 * prism_correlation_get_frc:
 * @self: a correlation
 *
 * Returns: (transfer none) (nullable): the newest curve
 */
const PrismFrc *
prism_correlation_get_frc (PrismCorrelation *self)
{
  Result *result = self->worker->result;

  return result != NULL ? result->frc : NULL;
}

/**
 * prism_correlation_get_map:
 * @self: a correlation
 *
 * Shape: [n][n], zero frequency at [n/2][n/2].
 *
 * Returns: (transfer none) (nullable): the correlation of its ring where k-space is covered, NAN
 *   elsewhere
 */
PrismImage *
prism_correlation_get_map (PrismCorrelation *self)
{
  Result *result = self->worker->result;

  return result != NULL ? result->map : NULL;
}
