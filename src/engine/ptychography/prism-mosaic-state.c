/* Tiles that are done, written down and read back to the same bits: the object that they make,
 * the numbers of each, and pupil and lights, which its neighbours begin with; and what is seen and
 * told of them. */
#include "config.h"

#include "ptychography/prism-mosaic-private.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-csv.h"
#include "ptychography/prism-finding-picture.h"

#define TILES "mosaic.csv"
#define LIGHTS "mosaic-lights.csv"
#define PUPILS "mosaic-pupils.npy"
#define OBJECTS "mosaic-objects.npy"
#define OBJECTIVE "mosaic-objective.csv"
#define TILE_HEADER                                                                                \
  "held_frames,used_frames,inner,held_misfit,held_correlation,held_expected,held_noise,held_pure," \
  "held_to_na,used_misfit,used_correlation,gain,phase,"                                            \
  "ramp_x,ramp_y,board_column,board_row,board_scale,board_turn,rim,radius,wave0,wave1,wave2,"      \
  "wave3,wave4,wave5,wave6,wave7"
#define LIGHT_HEADER "column,row,found_column,found_row,gain"
enum
{
  N_CELLS = 29
}; /* of a tile */
#define N_REALS (N_CELLS - 3)
/* Of a frame, behind its light: places and gain. */
enum
{
  N_LIGHT = 5
};
#define N_OBJECTIVE (sizeof (PrismObjective) / sizeof (double)) /* the first is n_tiles */

G_STATIC_ASSERT (PRISM_PUPIL_N_MODES == 8);
G_STATIC_ASSERT (G_STRUCT_OFFSET (PrismObjective, size) == sizeof (double));

/* The cells of a tile behind those of frames. */
static void
list_reals (PrismMosaicTile *tile,
            PrismFinding *finding,
            double *reals[N_REALS])
{
  double *const all[] = {
    &tile->held_out.misfit,
    &tile->held_out.correlation,
    &tile->held_out.expected,
    &tile->held_out.noise,
    &tile->held_out.pure,
    &tile->held_out.to_na,
    &tile->used.misfit,
    &tile->used.correlation,
    &tile->gain,
    &tile->phase,
    &tile->ramp[0],
    &tile->ramp[1],
    &tile->board.shift[0],
    &tile->board.shift[1],
    &tile->board.scale,
    &tile->board.turn,
    &finding->rim,
    &finding->radius,
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (all) + PRISM_PUPIL_N_MODES == N_REALS);
  memcpy (reals, all, sizeof all);
  for (gsize k = 0; k < PRISM_PUPIL_N_MODES; k++)
    reals[G_N_ELEMENTS (all) + k] = &tile->waves[k];
}

static guint
count_done (const PrismMosaic *self)
{
  guint n = 0;

  while (n < self->plan.n_tiles && self->plan.tiles[n].done)
    n++;
  return n;
}

/* done: [n][N_CELLS], lights: [n][N][N_LIGHT], pupils: [n][q][q][2] */
static void
take_tiles (const PrismMosaic *self,
            guint n,
            double *done,
            double *lights,
            float *pupils)
{
  const gsize n_pupil = 2 * (gsize) self->plan.side * self->plan.side;

  for (guint i = 0; i < n; i++)
    {
      PrismMosaicTile *tile = &self->plan.tiles[i];
      PrismFinding *finding = self->findings[i];
      double *reals[N_REALS];

      *done++ = tile->held_out.n_frames;
      *done++ = tile->used.n_frames;
      *done++ = tile->inner;
      list_reals (tile, finding, reals);
      for (int k = 0; k < N_REALS; k++)
        *done++ = *reals[k];
      for (guint j = 0; j < finding->n_frames; j++, lights += N_LIGHT)
        memcpy (lights, &finding->frames[j].light + 1, N_LIGHT * sizeof *lights);
      memcpy (pupils + i * n_pupil, finding->pupil, n_pupil * sizeof *pupils);
    }
}

/**
 * prism_mosaic_save:
 * @self: a mosaic whose first tiles are done
 * @bundle: where to
 *
 * Adds all that the tiles to come depend on, beside frames and settings.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has been added
 */
gboolean
prism_mosaic_save (const PrismMosaic *self,
                   PrismBundle *bundle,
                   GError **error)
{
  const gsize n = count_done (self), q = (gsize) self->plan.side;
  const gsize n_frames = self->recording->n_frames, m = q * (gsize) self->plan.upsampling;
  g_autofree double *done = g_try_new (double, N_CELLS *n);
  g_autofree double *lights = g_try_new (double, N_LIGHT *n *n_frames);
  float *pupils
      = prism_bundle_add_array (bundle, PUPILS, 4, (const gsize[]) { n, q, q, 2 }, error);
  float *objects
      = pupils != NULL
            ? prism_bundle_add_array (bundle, OBJECTS, 4, (const gsize[]) { n, m, m, 2 }, error)
            : NULL;

  if (objects == NULL)
    return FALSE;
  if (done == NULL || lights == NULL)
    return prism_error_memory (error, _ ("There is no memory for the LEDs of %u tiles."),
                               (guint) n);
  take_tiles (self, (guint) n, done, lights, pupils);
  for (gsize i = 0; i < n; i++)
    memcpy (objects + 2 * i * m * m, self->objects[i], 2 * m * m * sizeof *objects);
  if (self->objective.n_tiles > 0)
    {
      double values[N_OBJECTIVE];

      memcpy (values, &self->objective, sizeof values);
      values[0] = self->objective.n_tiles;
      prism_bundle_take_text (bundle, OBJECTIVE,
                              prism_csv_new_exact ("objective", values, N_OBJECTIVE, 1));
    }
  prism_bundle_take_text (bundle, TILES, prism_csv_new_exact (TILE_HEADER, done, n, N_CELLS));
  prism_bundle_take_text (bundle, LIGHTS,
                          prism_csv_new_exact (LIGHT_HEADER, lights, n * n_frames, N_LIGHT));
  return TRUE;
}

static PrismFinding *
new_finding (const PrismMosaic *self,
             const double *lights,
             const float *pupil)
{
  const gsize n_pupil = 2 * (gsize) self->plan.side * self->plan.side;
  PrismFinding *finding = g_new0 (PrismFinding, 1);

  g_atomic_ref_count_init (&finding->ref_count);
  finding->side = self->plan.side;
  finding->pupil = g_memdup2 (pupil, n_pupil * sizeof *pupil);
  finding->n_frames = self->recording->n_frames;
  finding->frames = g_new0 (PrismFindingFrame, finding->n_frames);
  for (guint j = 0; j < finding->n_frames; j++, lights += N_LIGHT)
    memcpy (&finding->frames[j].light + 1, lights, N_LIGHT * sizeof *lights);
  return finding;
}

/* What is missing is asked for again. */
static void
load_objective (PrismMosaic *self,
                PrismBundle *bundle)
{
  const gboolean has = prism_bundle_has (bundle, OBJECTIVE);
  const char *text = has ? prism_bundle_get_text (bundle, OBJECTIVE, NULL) : NULL;
  gsize n = 0;
  g_autofree double *values = text != NULL ? prism_csv_parse_exact (text, 1, &n, NULL) : NULL;

  if (values == NULL || n != N_OBJECTIVE)
    return;
  memcpy (&self->objective, values, sizeof self->objective);
  self->objective.n_tiles = (guint) CLAMP (values[0], 0, self->plan.n_tiles);
}

static void
put_tiles (PrismMosaic *self,
           guint n,
           const double *done,
           const double *lights,
           const float *pupils)
{
  const gsize n_pupil = 2 * (gsize) self->plan.side * self->plan.side;
  const gsize n_frames = self->recording->n_frames;

  for (guint i = 0; i < n; i++)
    {
      PrismMosaicTile *tile = &self->plan.tiles[i];
      PrismFinding *finding
          = new_finding (self, lights + i * n_frames * N_LIGHT, pupils + i * n_pupil);
      double *reals[N_REALS];

      tile->held_out.n_frames = CLAMP (done[0], 0, n_frames);
      tile->used.n_frames = CLAMP (done[1], 0, n_frames);
      tile->inner = CLAMP (done[2], 0, n_frames - 1);
      done += 3;
      list_reals (tile, finding, reals);
      for (int k = 0; k < N_REALS; k++)
        *reals[k] = *done++;
      finding->board = tile->board;
      memcpy (finding->waves, tile->waves, sizeof finding->waves);
      prism_finding_unref (self->findings[i]);
      self->findings[i] = finding;
    }
}

/**
 * prism_mosaic_load:
 * @self: a mosaic of the same plan
 * @n_tiles: how many of its first tiles are done, at least 1
 * @bundle: what prism_mosaic_save() added to
 *
 * Goes on from there, to the same bits.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY; it is as before then.
 *
 * Returns: whether everything was good
 */
gboolean
prism_mosaic_load (PrismMosaic *self,
                   guint n_tiles,
                   PrismBundle *bundle,
                   GError **error)
{
  const gsize n = n_tiles, q = (gsize) self->plan.side;
  const gsize m = q * (gsize) self->plan.upsampling;
  gsize n_done = 0, n_lights = 0;
  const char *tile_text = prism_bundle_get_text (bundle, TILES, error);
  const char *light_text = tile_text != NULL ? prism_bundle_get_text (bundle, LIGHTS, error) : NULL;
  g_autofree double *done = NULL;
  g_autofree double *lights = NULL;
  const float *pupils, *objects;

  if (light_text == NULL
      || (pupils = prism_bundle_get_array (bundle, PUPILS, 4, (const gsize[]) { n, q, q, 2 },
                                           error))
             == NULL
      || (objects = prism_bundle_get_array (bundle, OBJECTS, 4, (const gsize[]) { n, m, m, 2 },
                                            error))
             == NULL)
    return FALSE;
  done = prism_csv_parse_exact (tile_text, N_CELLS, &n_done, error);
  if (done != NULL)
    lights = prism_csv_parse_exact (light_text, N_LIGHT, &n_lights, error);
  if (lights == NULL)
    return FALSE;
  if (n_done != n || n > self->plan.n_tiles
      || n_lights != n * self->recording->n_frames)
    return prism_error_format (error,
                               _ ("%s cannot be used: it is not a row of numbers for each of %u"
                                  " tiles."),
                               TILES,
                               n_tiles);
  put_tiles (self, n_tiles, done, lights, pupils);
  load_objective (self, bundle);
  for (guint i = 0; i < n_tiles; i++)
    {
      float *object = prism_arena_new_array (2 * m * m * sizeof *object, "the object of a tile",
                                             error);

      if (object == NULL)
        return FALSE;
      memcpy (object, objects + 2 * i * m * m, 2 * m * m * sizeof *object);
      prism_mosaic_put (self, i, object);
    }
  return TRUE;
}

/**
 * prism_mosaic_draw:
 * @square: (nullable) (array): the middle tile's object, where no more is known
 * @field: side of the square that holds the field
 * @reduction: its pixels along one of the pictures
 * @white: of the object, that is 1 in the pictures
 * @side: m
 * @amplitude: (out)
 * @phase: (out)
 *
 * Makes the pictures of the field: of all tiles, or of the middle one in its place.
 *
 * Shape: @square [s·u][s·u][2], pictures [m][m].
 */
void
prism_mosaic_draw (const PrismMosaic *self,
                   const float *square,
                   int field,
                   int reduction,
                   float white,
                   int side,
                   float *amplitude,
                   float *phase)
{
  const PrismMosaicPlan *plan = &self->plan;
  const int u = plan->upsampling, s = u * plan->side;
  const int top = (field - plan->height) / 2, left = (field - plan->width) / 2;
  g_autoptr (PrismMosaicBlend) blend = NULL;

  if (square != NULL)
    {
      prism_finding_picture_reduce (NULL, square, s, s, top + u * plan->tiles[0].y,
                                    left + u * plan->tiles[0].x, reduction, white, side, amplitude,
                                    phase);
      return;
    }
  blend = prism_mosaic_blend_new (self);
  prism_finding_picture_reduce (prism_mosaic_blend_get_row, blend, plan->height, plan->width, top,
                                left, reduction, white, side, amplitude, phase);
}

/**
 * prism_mosaic_tell:
 * @object: (transfer full): of the middle tile where none is done, otherwise of all
 * @white: of the object, that is 1 in the finding
 * @n_tiles: that are done
 * @finding: of the middle tile
 *
 * Makes it one of the field.
 *
 * Shape: @object [s·u][s·u][2] or [H][W][2].
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_mosaic_tell (const PrismMosaic *self,
                   float *object,
                   float white,
                   guint n_tiles,
                   PrismFinding *finding)
{
  const PrismMosaicPlan *plan = &self->plan;
  const int u = plan->upsampling, s = u * plan->side;

  if (n_tiles == 0)
    {
      prism_finding_set_object (finding, object, s, s, white);
      return prism_finding_place_object (finding, plan->height, plan->width,
                                         u * plan->tiles[0].y, u * plan->tiles[0].x, NULL);
    }
  prism_finding_set_object (finding, object, plan->height, plan->width, white);
  finding->held_out = prism_mosaic_get_held_out (self, &finding->held_out);
  finding->objective = self->objective;
  finding->settings->tile = plan->side;
  finding->automatic_tile = prism_mosaic_choose_side (self->recording, PRISM_TILE_AUTO);
  finding->tiles = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n_tiles; i++)
    g_ptr_array_add (finding->tiles, prism_mosaic_dup_sentence (self, i));
  return TRUE;
}
