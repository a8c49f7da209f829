#include "config.h"

#include "ptychography/prism-mosaic.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-csv.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-mosaic-private.h"
#include "ptychography/prism-ptychography-private.h"
#include "ptychography/prism-ptychography-state.h"
#include "recording/prism-recording-geometry.h"

#include <inttypes.h>

/* Tiles at least that are asked which way directions point. */
#define LEAST_ASKED 4

/**
 * prism_mosaic_free:
 * @self: (nullable): a mosaic
 */
void
prism_mosaic_free (PrismMosaic *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; self->findings != NULL && i < self->plan.n_tiles; i++)
    prism_finding_unref (self->findings[i]);
  for (guint i = 0; self->objects != NULL && i < self->plan.n_tiles; i++)
    prism_arena_free_array (self->objects[i]);
  g_free (self->findings);
  g_free (self->objects);
  g_clear_pointer (&self->meetings, g_array_unref);
  g_free (self->plan.tiles);
  prism_recording_free (self->recording);
  prism_config_free (self->settings);
  g_free (self);
}

static int
count_tiles (int length,
             int side,
             int overlap)
{
  const int step = MAX (side - overlap, 1);

  return length <= side ? 1 : (length - overlap + step - 1) / step;
}

/* From the middle of the field, squared and doubled. */
static gint64
get_distance (const PrismMosaic *self,
              const PrismMosaicTile *tile)
{
  const gint64 x = 2 * tile->x + self->plan.side - (gint64) self->recording->width;
  const gint64 y = 2 * tile->y + self->plan.side - (gint64) self->recording->height;

  return x * x + y * y;
}

static int
compare_tiles (gconstpointer a,
               gconstpointer b,
               gpointer data)
{
  const PrismMosaicTile *one = a, *other = b;
  const gint64 x = get_distance (data, one), y = get_distance (data, other);

  return x != y ? (x > y) - (x < y) : one->y != other->y ? one->y - other->y
                                                         : one->x - other->x;
}

/* The nearest of those that are explained before it, of two as near the better known, inner one. */
static guint
find_neighbour (const PrismMosaicPlan *plan,
                guint tile)
{
  gint64 least = G_MAXINT64;
  guint found = tile;

  for (guint i = 0; i < tile; i++)
    {
      const gint64 x = plan->tiles[i].x - plan->tiles[tile].x;
      const gint64 y = plan->tiles[i].y - plan->tiles[tile].y;

      if (x * x + y * y < least)
        {
          least = x * x + y * y;
          found = i;
        }
    }
  return found;
}

static gboolean
lay_out (PrismMosaic *self,
         int side,
         double percent,
         GError **error)
{
  PrismMosaicPlan *plan = &self->plan;
  const int width = self->recording->width, height = self->recording->height;
  const int least = 32, most = 10000; /* side, tiles */
  gint64 n;

  plan->side = side / 4 * 4;
  if (plan->side < least || plan->side > MIN (width, height))
    return prism_error_config (error,
                               _ ("tile = %d: tiles of these frames, which have %d×%d pixels, are"
                                  " from"
                                  " %d to %d; 0: the whole frame is one."),
                               side, width, height, least, MIN (width, height));
  plan->n_columns = count_tiles (width, plan->side, plan->side * percent / 100);
  plan->n_rows = count_tiles (height, plan->side, plan->side * percent / 100);
  n = (gint64) plan->n_columns * plan->n_rows;
  if (n > most)
    return prism_error_config (error,
                               _ ("tile = %d makes %" PRId64 " tiles, and %d is the most:"
                                  " choose a larger one, or a smaller tile_overlap."),
                               side, n, most);
  plan->n_tiles = (guint) n;
  plan->tiles = g_new0 (PrismMosaicTile, plan->n_tiles);
  for (int i = 0; i < (int) n; i++)
    {
      plan->tiles[i].x = prism_mosaic_get_origin (width, plan->side, plan->n_columns,
                                                  i % plan->n_columns);
      plan->tiles[i].y = prism_mosaic_get_origin (height, plan->side, plan->n_rows,
                                                  i / plan->n_columns);
    }
  prism_sort (plan->tiles, plan->n_tiles, sizeof *plan->tiles, compare_tiles, self);
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      plan->tiles[i].neighbour = find_neighbour (plan, i);
      plan->tiles[i].gain = 1;
    }
  return TRUE;
}

/* Where the light comes from for somebody in the middle of a tile. */
static double *
dup_directions (const PrismMosaic *self,
                const PrismMosaicTile *tile,
                int sign)
{
  const PrismRecording *whole = self->recording;
  const double h = whole->distance;
  double *directions = g_new (double, 2 * (gsize) whole->n_frames);
  double middle[2];

  prism_mosaic_get_middle (self, tile, middle);
  for (gsize j = 0; j < whole->n_frames; j++)
    {
      const double *from = whole->directions + 2 * j;
      const double up = sqrt (MAX (1 - from[0] * from[0] - from[1] * from[1], 1e-6));
      const double x = h * from[0] / up - sign * middle[0];
      const double y = h * from[1] / up - sign * middle[1];
      const double length = sqrt (x * x + y * y + h * h);

      directions[2 * j] = self->plan.has_distance ? x / length : from[0];
      directions[2 * j + 1] = self->plan.has_distance ? y / length : from[1];
    }
  return directions;
}

static PrismRecording *
cut (const PrismMosaic *self,
     const PrismMosaicTile *tile,
     int sign,
     GError **error)
{
  const guint side = (guint) self->plan.side;
  PrismRecording *part = prism_recording_cut (self->recording, 0, (guint) tile->x, (guint) tile->y,
                                              side, side, error);

  if (part == NULL)
    return NULL;
  part->directions = dup_directions (self, tile, sign);
  part->directions_given = TRUE;
  if (sign == 0)
    part->distance = NAN; /* for the pupil directions are the same everywhere */
  return part;
}

/* Frames cannot tell in the middle of a field whether all directions point the other way, nor
 * whether they change at all for the pupil, which an objective may have elsewhere in each place.
 * Off the middle the edges of the circles in their spectra tell: the outermost tiles do, with a
 * radius that all have, where they are surely clearer than as it is said. */
static gboolean
find_sign (PrismMosaic *self,
           GError **error)
{
  enum
  {
    N_RADII = PRISM_RECORDING_GEOMETRY_N_RADII
  };
  PrismMosaicPlan *plan = &self->plan;
  double edges[PRISM_MOSAIC_MOST_ASKED][3][N_RADII], sums[3][N_RADII] = { { 0 } };
  double square = 0, better;
  int sign = 1, radius = 0;
  guint n = 0;

  plan->sign = 1;
  for (guint i = 0; plan->has_distance && i < PRISM_MOSAIC_MOST_ASKED && i + 1 < plan->n_tiles; i++)
    {
      const PrismMosaicTile *tile = &plan->tiles[plan->n_tiles - 1 - i];
      g_autoptr (PrismRecording) part = cut (self, tile, 0, error);
      double shift[2];

      if (part == NULL || !prism_parallel_go_on (error))
        return FALSE;
      prism_mosaic_get_middle (self, tile, shift);
      for (int axis = 0; axis < 2; axis++)
        shift[axis] /= -self->recording->distance;
      if (!prism_recording_geometry_compute_edges (part, shift, edges[n]))
        continue;
      for (int k = 0; k < 3; k++)
        for (int r = 0; r < N_RADII; r++)
          sums[k][r] += edges[n][k][r];
      n++;
    }
  for (int k = 0; k < 3; k++)
    for (int r = 0; r < N_RADII; r++)
      if (sums[k][r] > sums[sign + 1][radius])
        {
          sign = k - 1;
          radius = r;
        }
  for (guint i = 0; i < n; i++)
    square += pow (edges[i][sign + 1][radius] - edges[i][2][radius], 2);
  better = sums[sign + 1][radius] - sums[2][radius];
  if (n >= LEAST_ASKED
      && better > PRISM_RECORDING_GEOMETRY_SURE * sqrt (MAX (square - better * better / n, 0)))
    plan->sign = sign;
  return TRUE;
}

/* One that all tiles have, so that their pixels are the same. */
static gboolean
find_upsampling (PrismMosaic *self,
                 GError **error)
{
  PrismMosaicPlan *plan = &self->plan;
  const int most_side = 32768;

  for (guint i = 0; i < plan->n_tiles; i++)
    {
      g_autoptr (PrismRecording) part = prism_recording_new_like (self->recording);
      int u;

      part->height = part->width = (guint) plan->side;
      part->directions = dup_directions (self, &plan->tiles[i], plan->sign);
      u = prism_ptychogram_find_upsampling (part, self->settings, error);
      if (u == 0)
        return FALSE;
      plan->upsampling = MAX (plan->upsampling, u);
    }
  self->settings->upsampling = plan->upsampling;
  plan->height = plan->upsampling * self->recording->height;
  plan->width = plan->upsampling * self->recording->width;
  if (MAX (plan->height, plan->width) <= most_side)
    return TRUE;
  return prism_error_config (error,
                             _ ("%s: the object would have %d×%d pixels, and %d×%d is the most:"
                                " crop"
                                " the frames."),
                             self->recording->path, plan->width, plan->height, most_side,
                             most_side);
}

/**
 * prism_mosaic_new:
 * @recording: frames that nobody changes any more
 * @settings: with the side of a tile
 *
 * Plans the tiles, and finds out which way directions change over the field.
 *
 * Errors: PRISM_ERROR_CONFIG for what is missing or does not fit, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): a mosaic without tiles
 */
PrismMosaic *
prism_mosaic_new (PrismRecording *recording,
                  const PrismConfig *settings,
                  GError **error)
{
  g_autoptr (PrismMosaic) self = g_new0 (PrismMosaic, 1);

  self->recording = prism_recording_ref (recording);
  self->settings = prism_config_dup (settings);
  self->settings->tile = 0;
  self->plan.sign = 1;
  self->plan.has_distance = recording->distance > 0 && recording->pixel_size > 0;
  if (recording->directions == NULL)
    {
      prism_error_config (error,
                          _ ("%s: directions or positions of the LEDs are needed: give them with"
                             " --positions FILE.csv."),
                          recording->path);
      return NULL;
    }
  if (!lay_out (self, settings->tile, settings->tile_overlap, error) || !find_sign (self, error)
      || !find_upsampling (self, error))
    return NULL;
  self->findings = g_new0 (PrismFinding *, self->plan.n_tiles);
  self->objects = g_new0 (float *, self->plan.n_tiles);
  self->meetings = prism_mosaic_join_new ();
  return g_steal_pointer (&self);
}

/**
 * prism_mosaic_new_planned:
 * @planned: a mosaic without tiles
 *
 * Returns: (transfer full): another one of the same plan
 */
PrismMosaic *
prism_mosaic_new_planned (const PrismMosaic *planned)
{
  g_autoptr (PrismMosaic) self = g_memdup2 (planned, sizeof *planned);
  const guint n = self->plan.n_tiles;

  prism_recording_ref (self->recording);
  self->settings = prism_config_dup (planned->settings);
  self->plan.tiles = g_memdup2 (planned->plan.tiles, n * sizeof *self->plan.tiles);
  self->findings = g_new0 (PrismFinding *, n);
  self->objects = g_new0 (float *, n);
  self->meetings = prism_mosaic_join_new ();
  return g_steal_pointer (&self);
}

/**
 * prism_mosaic_cut:
 * @tile: its number
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): its frames, with the directions that it has
 */
PrismRecording *
prism_mosaic_cut (const PrismMosaic *self,
                  guint tile,
                  GError **error)
{
  return cut (self, &self->plan.tiles[tile], self->plan.sign, error);
}

/**
 * prism_mosaic_new_frames:
 * @tile: its number
 *
 * Errors: those of prism_ptychogram_new().
 *
 * Returns: (transfer full): its frames, made ready
 */
PrismPtychogram *
prism_mosaic_new_frames (const PrismMosaic *self,
                         guint tile,
                         GError **error)
{
  g_autoptr (PrismRecording) part = prism_mosaic_cut (self, tile, error);

  return part != NULL ? prism_ptychogram_new (part, self->settings, error) : NULL;
}

/**
 * prism_mosaic_new_solver_from:
 * @tile: its number
 * @known: (nullable): what was found elsewhere in the field; %NULL for a search
 *
 * Errors: those of prism_ptychogram_new(), prism_ptychography_new() and
 * prism_ptychography_start_load().
 *
 * Returns: (transfer full): what explains the tile, and begins with pupil, gains and what LEDs are
 *   off by there
 */
PrismPtychography *
prism_mosaic_new_solver_from (const PrismMosaic *self,
                              guint tile,
                              const PrismFinding *known,
                              GError **error)
{
  PrismPtychogram *frames = prism_mosaic_new_frames (self, tile, error);
  g_autoptr (PrismConfig) settings = prism_config_dup (self->settings);
  g_autoptr (PrismPtychography) solver = NULL;

  /* There is no search, and others are explained at the same time. */
  if (known != NULL)
    settings->threads = 1;
  if (frames != NULL)
    solver = prism_ptychography_new (frames, settings, self->recording->wavelength,
                                     self->recording->na, error);
  if (solver == NULL)
    return NULL;
  solver->is_part = self->plan.n_tiles > 1;
  if (known != NULL)
    prism_ptychography_start_take (solver, known, TRUE);
  else if (!prism_ptychography_start_load (solver, error))
    return NULL;
  return g_steal_pointer (&solver);
}

/**
 * prism_mosaic_new_solver:
 * @tile: its number; its neighbour is done
 *
 * Errors: those of prism_mosaic_new_solver_from().
 *
 * Returns: (transfer full): what explains it, and begins with what its neighbour has found, and
 *   what the objective differs by between the two
 */
PrismPtychography *
prism_mosaic_new_solver (const PrismMosaic *self,
                         guint tile,
                         GError **error)
{
  const guint neighbour = self->plan.tiles[tile].neighbour;
  const PrismFinding *known = neighbour != tile ? self->findings[neighbour] : NULL;
  g_autofree float *pupil = NULL;
  PrismObjectivePlace here, there;
  PrismFinding turned;
  double at[2], turn[PRISM_PUPIL_N_MODES];

  if (known == NULL || self->objective.n_tiles == 0)
    return prism_mosaic_new_solver_from (self, tile, known, error);
  prism_mosaic_get_middle (self, &self->plan.tiles[tile], at);
  prism_objective_evaluate (&self->objective, at, &here);
  prism_mosaic_get_middle (self, &self->plan.tiles[neighbour], at);
  prism_objective_evaluate (&self->objective, at, &there);
  turned = *known;
  for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
    {
      turn[a] = 2 * G_PI * (here.waves[a] - there.waves[a]);
      turned.waves[a] += here.waves[a] - there.waves[a];
    }
  turned.pupil = pupil
      = g_memdup2 (known->pupil, 2 * sizeof *pupil * (gsize) known->side * (gsize) known->side);
  prism_pupil_turn (pupil, known->side, known->radius, turn);
  return prism_mosaic_new_solver_from (self, tile, &turned, error);
}

/**
 * prism_mosaic_add:
 * @tile: its number; those before it are done
 * @solver: that has explained it
 *
 * Puts a tile to the others.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_mosaic_add (PrismMosaic *self,
                  guint tile,
                  PrismPtychography *solver,
                  GError **error)
{
  PrismMosaicTile *one = &self->plan.tiles[tile];
  float *object = prism_ptychography_dup_object (solver, error);
  PrismFinding *found;

  if (object == NULL)
    return FALSE;
  found = prism_finding_new (solver, NULL, self->recording->path, 0);
  one->inner = tile == 0 ? solver->frames->order[0]
                         : self->plan.tiles[0].inner;
  one->held_out = found->held_out;
  one->used = found->used;
  one->board = found->board;
  memcpy (one->waves, found->waves, sizeof one->waves);
  /* Tiles are joined in the unit of the frames: white is another amplitude in each. */
  prism_mosaic_join_level (object, self->plan.side * self->plan.upsampling, solver, one->inner);
  prism_mosaic_put (self, tile, object);
  prism_finding_unref (self->findings[tile]);
  self->findings[tile] = found;
  return TRUE;
}

/* Of the tiles that are done. offset: of what it is of, in PrismPrediction */
static double
find_median (const PrismMosaic *self,
             gsize offset)
{
  g_autofree double *values = g_new (double, self->plan.n_tiles);
  guint n = 0;

  for (guint i = 0; i < self->plan.n_tiles; i++)
    if (self->plan.tiles[i].done && self->plan.tiles[i].held_out.n_frames > 0)
      values[n++] = G_STRUCT_MEMBER (double, &self->plan.tiles[i].held_out, offset);
  return prism_sort_median (values, n);
}

/**
 * prism_mosaic_get_held_out:
 * @middle: of the middle tile
 *
 * Returns: how well the tiles predict frames that were never used: the root mean square of their
 *   misfits, the median of all else; why not, and what the last pass has brought, is the middle
 *   tile's to say
 */
PrismPrediction
prism_mosaic_get_held_out (const PrismMosaic *self,
                           const PrismPrediction *middle)
{
  PrismPrediction all = { .cause = middle->cause,
                          .error = middle->error,
                          .gain = middle->gain,
                          .n_tiles = self->plan.n_tiles };
  guint n = 0;

  for (guint i = 0; i < self->plan.n_tiles; i++)
    {
      const PrismPrediction *held = &self->plan.tiles[i].held_out;

      all.n_done += self->plan.tiles[i].done;
      if (!self->plan.tiles[i].done || held->n_frames == 0)
        continue;
      all.n_frames = held->n_frames;
      all.misfit += held->misfit * held->misfit;
      all.noise += held->noise * held->noise;
      n++;
    }
  all.misfit = n > 0 ? sqrt (all.misfit / n) : NAN;
  all.correlation = find_median (self, G_STRUCT_OFFSET (PrismPrediction, correlation));
  all.pure = find_median (self, G_STRUCT_OFFSET (PrismPrediction, pure));
  if (n == 0)
    return all;
  all.noise = sqrt (all.noise / n);
  all.expected = find_median (self, G_STRUCT_OFFSET (PrismPrediction, expected));
  all.to_na = find_median (self, G_STRUCT_OFFSET (PrismPrediction, to_na));
  return all;
}

/**
 * prism_mosaic_is_unexplained:
 *
 * Returns: whether the tiles that are done do not predict their frames, taken together
 */
gboolean
prism_mosaic_is_unexplained (const PrismMosaic *self)
{
  const PrismPrediction held
      = prism_mosaic_get_held_out (self, &self->plan.tiles[0].held_out);
  PrismVerdict verdict;

  prism_verdict_predict (&verdict, &held);
  return verdict.kind == PRISM_VERDICT_UNEXPLAINED;
}

/**
 * prism_mosaic_dup_table:
 *
 * Returns: (transfer full): CSV with a row for each tile
 */
char *
prism_mosaic_dup_table (const PrismMosaic *self)
{
  GString *table = g_string_new ("tile,x_px,y_px,begins_with,held_out_misfit,held_out_correlation,"
                                 "gain,phase_rad,ramp_x,ramp_y,board_column_px,board_row_px");

  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_string_append_printf (table, ",%s", prism_pupil_get_mode_name (i));
  g_string_append_c (table, '\n');
  for (guint i = 0; i < self->plan.n_tiles; i++)
    {
      const PrismMosaicTile *tile = &self->plan.tiles[i];
      const double cells[] = { tile->held_out.misfit, tile->held_out.correlation, tile->gain,
                               tile->phase, tile->ramp[0], tile->ramp[1], tile->board.shift[0],
                               tile->board.shift[1] };

      if (!tile->done)
        continue;
      g_string_append_printf (table, "%u,%d,%d,", i, tile->x, tile->y);
      if (tile->neighbour != i)
        g_string_append_printf (table, "%u", tile->neighbour);
      prism_csv_append_numbers (table, cells, G_N_ELEMENTS (cells));
      prism_csv_append_numbers (table, tile->waves, PRISM_PUPIL_N_MODES);
      g_string_append_c (table, '\n');
    }
  return g_string_free (table, FALSE);
}

/**
 * prism_mosaic_dup_sentence:
 * @tile: one that is done
 *
 * Returns: (transfer full): what has come of it
 */
char *
prism_mosaic_dup_sentence (const PrismMosaic *self,
                           guint tile)
{
  const PrismMosaicTile *one = &self->plan.tiles[tile];
  const gboolean is_held = one->held_out.n_frames > 0;
  const PrismPrediction *met = is_held ? &one->held_out : &one->used;
  g_autofree char *start = one->neighbour == tile ? g_strdup ("a pupil of its own")
                                                  : g_strdup_printf ("the pupil of tile %u",
                                                                     one->neighbour + 1);

  return g_strdup_printf ("Tile %u of %u at %d, %d, with %s: %smisfit %.4f, correlation %.4f; gain"
                          " %.3f, phase %.2f rad.",
                          tile + 1, self->plan.n_tiles, one->x, one->y, start,
                          is_held ? "held-out " : "", met->misfit, met->correlation, one->gain,
                          one->phase);
}
