/* The pupil over the field, before its tiles are explained. The passes over a tile hardly move what
 * its neighbour's pupil has of low aberrations: the object takes up most of a wrong pupil.
 * So pupil, gains and places of the middle tile are put on the bright frames of some tiles, which
 * say by which aberrations it differs there, and all of them together what the objective does over
 * its field (prism-objective). Each tile then begins with its neighbour's pupil, turned by what the
 * objective differs by. Figures: docs/measurements.md, "The objective over the field". */
#include "config.h"

#include "base/prism-pool.h"
#include "ptychography/prism-mosaic-private.h"
#include "ptychography/prism-ptychography-private.h"

typedef struct
{
  const PrismMosaic *mosaic;
  PrismPtychographyWatch watch;
  gpointer data;
  guint n_asked;
  PrismObjectiveTile *tiles; /* [n_asked] */
  gint ended;                /* atomic: by the watch, or there was no memory */
} Survey;

static void
ask_tile (gpointer data,
          guint turn,
          guint worker)
{
  Survey *survey = data;
  const guint tile = turn * (survey->mosaic->plan.n_tiles - 1) / (survey->n_asked - 1);
  const PrismFinding *known = survey->mosaic->findings[0];
  PrismObjectiveTile *told = &survey->tiles[turn];
  g_autoptr (PrismPtychography) solver = NULL;
  PrismAberrationFit fit;

  if (g_atomic_int_get (&survey->ended))
    return;
  solver = prism_mosaic_new_solver_from (survey->mosaic, tile, known, NULL);
  if (solver != NULL)
    prism_ptychography_set_watch (solver, survey->watch, survey->data);
  if (solver == NULL || !prism_ptychography_begin (solver)
      || !prism_ptychography_fit_aberrations (solver, &fit, told->waves))
    {
      g_atomic_int_set (&survey->ended, TRUE);
      return;
    }
  for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
    {
      told->waves[a] = known->waves[a] + told->waves[a] / (2 * G_PI);
      for (int b = 0; b < PRISM_PUPIL_N_MODES; b++)
        told->weights[a][b] = fit.curvatures[MAX (a, b)][MIN (a, b)];
    }
  prism_mosaic_get_middle (survey->mosaic, &survey->mosaic->plan.tiles[tile], told->at);
}

/**
 * prism_mosaic_survey:
 * @self: a mosaic whose middle tile is done
 * @watch: (nullable): asked before each frame, from several threads
 *
 * Finds what the objective does over the field, unless that is known, or there are too few tiles to
 * tell a curvature: less than two rows and columns, or than three of one of them.
 *
 * Returns: whether tiles can begin; FALSE where the watch has ended it, or there is no memory
 */
gboolean
prism_mosaic_survey (PrismMosaic *self,
                     PrismPtychographyWatch watch,
                     gpointer data)
{
  const PrismMosaicPlan *plan = &self->plan;
  const PrismRecording *recording = self->recording;
  const guint n_threads
      = 1
        + prism_mosaic_count_ahead (prism_pool_count_threads ((guint) self->settings->threads),
                                    (guint64) recording->width * recording->height,
                                    (guint64) plan->side);
  const guint n_asked = MIN (plan->n_tiles, PRISM_MOSAIC_MOST_ASKED);
  PrismObjectiveTile tiles[PRISM_MOSAIC_MOST_ASKED];
  Survey survey = { self, watch, data, n_asked, tiles, FALSE };
  g_autoptr (PrismPool) pool = NULL;

  if (self->objective.n_tiles > 0 || MIN (plan->n_rows, plan->n_columns) < 2
      || MAX (plan->n_rows, plan->n_columns) < 3
      || self->settings->pupil != PRISM_PUPIL_SEARCH || !self->settings->free_pupil)
    return TRUE;
  pool = prism_pool_new (n_threads, NULL);
  if (pool == NULL)
    return FALSE;
  prism_pool_run (pool, n_asked, ask_tile, &survey);
  if (survey.ended)
    return FALSE;
  self->objective.size[0] = recording->pixel_size * recording->width;
  self->objective.size[1] = recording->pixel_size * recording->height;
  self->objective.wavelength = recording->wavelength;
  self->objective.na = recording->na;
  prism_objective_fit (&self->objective, n_asked, tiles);
  return TRUE;
}
