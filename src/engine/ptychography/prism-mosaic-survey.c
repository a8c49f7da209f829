/* Whether a field is cut into tiles, and the pupil over it, before they are explained.
 *
 * Whether: light of an LED at the distance h comes to the two sides of a field of the length L from
 * directions that are L/h apart, which are L²/(λ·h) pixels of the field's spectrum (its Fresnel
 * number). One picture has a single direction for each LED, and one pupil. Where that is off by
 * more than two pixels at the edges, tiles explain more. Figures: docs/measurements.md, "Fields in
 * tiles".
 *
 * The pupil: The passes over a tile hardly move what
 * its neighbour's pupil has of low aberrations: the object takes up most of a wrong pupil.
 * So pupil, gains and places of the middle tile are put on the bright frames of some tiles, which
 * say by which aberrations it differs there, and all of them together what the objective does over
 * its field (prism-objective). Each tile then begins with its neighbour's pupil, turned by what the
 * objective differs by. Figures: docs/measurements.md, "The objective over the field". */
#include "config.h"

#include "base/prism-error.h"
#include "base/prism-pool.h"
#include "ptychography/prism-mosaic-private.h"
#include "ptychography/prism-ptychography-private.h"

/* Simulated fields with 3.9 pixels are explained better as one, those with 7.8 and the recorded one
 * with 4.6 in tiles. */
#define MOST_CHANGE 4

/**
 * prism_mosaic_get_change:
 *
 * Returns: by how much the light of an LED changes its direction over the field, pixels of the
 *   spectrum; 0 where the distance of LEDs is not known
 */
double
prism_mosaic_get_change (const PrismRecording *recording)
{
  return prism_ptychogram_get_light_change (recording, MAX (recording->width, recording->height),
                                            recording->distance);
}

/**
 * prism_mosaic_choose_side:
 * @recording: frames
 * @tile: side of a tile that is asked for, 0 for none, or PRISM_TILE_AUTO
 *
 * Returns: the same; for PRISM_TILE_AUTO the largest power of two over which light changes little,
 *   where that is less than the field
 */
int
prism_mosaic_choose_side (const PrismRecording *recording,
                          int tile)
{
  const guint most = MIN (recording->width, recording->height);
  guint side = 64; /* smaller frames do not tell where LEDs are */

  if (tile != PRISM_TILE_AUTO || most <= side
      || !(prism_mosaic_get_change (recording) > MOST_CHANGE))
    return tile;
  while (2 * side < most
         && prism_ptychogram_get_light_change (recording, 2 * side, recording->distance)
                <= MOST_CHANGE)
    side *= 2;
  return (int) side;
}

/**
 * prism_mosaic_dup_choice:
 * @recording: frames
 *
 * Returns: (transfer full) (nullable): why they are cut into tiles where nobody says otherwise, or
 *   might have to be, in the user's language; %NULL where they are not
 */
char *
prism_mosaic_dup_choice (const PrismRecording *recording)
{
  const int side = prism_mosaic_choose_side (recording, PRISM_TILE_AUTO);
  /* Boards of LEDs are 5 to 20 cm from the specimen. */
  const double usual = prism_ptychogram_get_light_change (
      recording, MAX (recording->width, recording->height), 0.1);

  if (side == PRISM_TILE_AUTO && !(recording->distance > 0) && usual > MOST_CHANGE)
    return g_strdup_printf (_ ("How far away the LEDs are is not known. At 10 cm their light would"
                               " change its direction by %.0f pixels of the spectrum over the"
                               " field, and one picture explains up to %d: with their distance"
                               " (distance=100mm) or the setting “Tile” (tile=256) it is cut into"
                               " tiles."),
                            usual, MOST_CHANGE);
  if (side == PRISM_TILE_AUTO)
    return NULL;
  return g_strdup_printf (_ ("Over the field the light of an LED changes its direction by %.0f"
                             " pixels of the spectrum, and one picture explains up to %d: the"
                             " field is cut into tiles of %d pixels. The setting “Tile” takes"
                             " it as one at 0 (tile=0)."),
                          prism_mosaic_get_change (recording), MOST_CHANGE, side);
}

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
      = prism_mosaic_count_at_once ((guint) self->settings->threads,
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
