/* Every other frame, by its distance from the middle, is of one half. Pupil, places and gains are
 * those of the result, so that both objects lie on each other; they are not free, and what is wrong
 * with them is wrong in both. What differs is noise: the half-bit criterion says up to which
 * frequency the objects agree (van Heel & Schatz, J. Struct. Biol. 151 (2005) 250). It says nothing
 * of errors that both have: phases that change as slowly as the field. */
#include "config.h"

#include "results/prism-halves.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "ptychography/prism-ptychography-state.h"

#include <math.h>
#include <string.h>

/* Returns: (transfer full) (nullable): [q][q][2], the object of one half; NULL without an error
 * where it was ended */
static float *
explain (PrismProblem *problem,
         const char *folder,
         guint half,
         PrismPtychographyWatch watch,
         gpointer data,
         GError **error)
{
  PrismPtychogram *frames = prism_ptychogram_new_half (problem->frames, half);
  g_autoptr (PrismConfig) settings = prism_config_dup (problem->settings);
  g_autoptr (PrismPtychography) solver = NULL;
  gboolean goes_on;

  g_free (settings->start);
  settings->start = g_strdup (folder);
  settings->pupil = PRISM_PUPIL_SEARCH;
  settings->free_pupil = settings->gains = FALSE;
  settings->positions = PRISM_PLACES_HELD;
  solver = prism_ptychography_new (frames, settings, frames->wavelength, frames->na, error);
  if (solver == NULL || !prism_ptychography_start_load (solver, error))
    return NULL;
  prism_ptychography_set_watch (solver, watch, data);
  goes_on = prism_ptychography_begin (solver);
  while (goes_on && prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    goes_on = prism_ptychography_step (solver);
  return goes_on ? prism_ptychography_dup_object (solver, error) : NULL;
}

/* The ring beyond which the objects do not agree by half a bit, from the one on where they agree
 * best: what is as slow as the field, no frame says well. Beyond n_rings no light came, and both
 * have what they began with. */
static double
find_reach (const PrismFrc *frc,
            guint n_rings)
{
  guint best = 0, ring;

  for (guint i = 1; i < n_rings; i++)
    if (frc->correlation[i] - frc->half_bit[i] > frc->correlation[best] - frc->half_bit[best])
      best = i;
  for (ring = best; ring + 1 < n_rings; ring++)
    {
      const double here = frc->correlation[ring] - frc->half_bit[ring];
      const double next = frc->correlation[ring + 1] - frc->half_bit[ring + 1];

      if (!(next >= 0))
        return here > 0 ? ring + here / (here - MIN (next, 0)) : 0;
    }
  return ring;
}

/**
 * prism_halves_new:
 * @problem: the frames, with the settings of the result
 * @folder: of the result
 * @watch: (nullable): asked before every frame; ends it
 *
 * Explains both halves of the frames, which takes about as long as the result did without its
 * search, and compares them. Of a field in tiles that is done with the middle one.
 *
 * Errors: those of prism_finding_load(); PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what came out; %NULL without an error where it was ended
 */
PrismHalves *
prism_halves_new (PrismProblem *problem,
                  const char *folder,
                  PrismPtychographyWatch watch,
                  gpointer data,
                  GError **error)
{
  const PrismPtychogram *frames = problem->frames;
  const int side = frames->upsampling * frames->side;
  PrismHalves *self;
  prism_autofree_array float *first = explain (problem, folder, 0, watch, data, error);
  prism_autofree_array float *second
      = first != NULL ? explain (problem, folder, 1, watch, data, error) : NULL;
  const double *at;
  double reach;

  if (second == NULL)
    return NULL;
  self = g_new0 (PrismHalves, 1);
  self->frc = prism_frc_new_complex (first, second, side);
  /* Of λ over the NA of the objective and the farthest light that is used. */
  at = frames->centers[frames->order[frames->n_used - 1]];
  self->limit = frames->wavelength / (frames->na * (1 + hypot (at[0], at[1]) / frames->radius));
  reach = find_reach (self->frc, (guint) MIN (side * frames->pixel_size / self->limit + 1,
                                              self->frc->n_rings));
  self->resolution = side * frames->pixel_size / MAX (reach, 1);
  return self;
}

/**
 * prism_halves_free:
 * @self: (nullable): what came out
 */
void
prism_halves_free (PrismHalves *self)
{
  if (self == NULL)
    return;
  prism_frc_free (self->frc);
  g_free (self);
}

/* Adds what was found to the summary, which keeps all else. */
static gboolean
save_summary (const PrismHalves *self,
              const char *folder,
              GError **error)
{
  g_autofree char *path = g_build_filename (folder, "summary.json", NULL);
  g_autoptr (GBytes) bytes = prism_file_load (path, G_MAXINT32, error);
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *text = NULL;
  JsonObject *resolution;

  if (bytes == NULL)
    return FALSE;
  node = prism_json_parse_object (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_return_val_if_fail (node != NULL, FALSE); /* prism_finding_load() has read it */
  resolution = json_object_new ();
  json_object_set_double_member (resolution, "nm", 1e9 * self->resolution);
  json_object_set_double_member (resolution, "limit_nm", 1e9 * self->limit);
  json_object_set_string_member (resolution, "threshold", "half-bit");
  json_object_set_object_member (json_node_get_object (node), "resolution", resolution);
  text = json_to_string (node, TRUE);
  return prism_file_save (path, text, strlen (text), error);
}

/**
 * prism_halves_save:
 * @folder: of the result
 *
 * Writes beside the result halves.csv, the correlation of every ring, and into its summary.json
 * what that comes to.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether they are on the disk
 */
gboolean
prism_halves_save (const PrismHalves *self,
                   const char *folder,
                   GError **error)
{
  g_autofree char *table = prism_file_dup_place (folder, "halves.csv");

  return prism_frc_save_csv (self->frc, table, error) && save_summary (self, folder, error);
}
