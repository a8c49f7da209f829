#include "config.h"

#include "tiles/prism-tile-plan.h"

#include "base/prism-arena.h"
#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "config/prism-builtin.h"
#include "model/prism-config-check.h"
#include "results/prism-sweep-measure.h"
#include "results/prism-sweep.h"
#include "tiles/prism-tile-window.h"

#include <inttypes.h>
#include <zlib.h>

#define PLAN_GROUP "tiles"
#define PLAN_VERSION 1
#define MAX_PLAN_BYTES (8 << 20)
#define MIN_SIDE 16
#define MAX_AUTO_SIDE 512
#define AUTO_STEP 32
#define PERCENT_USED 85
#define MAX_SEED 2147483647

/**
 * prism_tile_plan_free:
 * @self: (nullable): a plan
 */
PRISM_FREE_FOR_ALL (PrismTilePlan,
                    prism_tile_plan_free,
                    prism_config_free,
                    base,
                    g_free,
                    picture,
                    g_free,
                    dark)

static gboolean
check_picture (const PrismConfig *config,
               GError **error)
{
  gsize n;
  const PrismBuiltin *builtins = prism_builtin_get_all (&n);

  for (gsize i = 0; i < n; i++)
    if (g_str_equal (builtins[i].id, config->object))
      return prism_error_config (
          error,
          _ ("Tiles are cut from a picture in a file, and the object “%s” is drawn at"
             " the size that is asked for. Open a picture from a file, or run without"
             " tiles."),
          config->object);
  if (config->pattern != PRISM_PATTERN_FILE && config->pattern != PRISM_PATTERN_HAND)
    return TRUE;
  if (config->tile == PRISM_TILE_AUTO || config->tile > config->object_size)
    return prism_error_config (
        error,
        _ ("Positions that are given in pixels hold for one field size: choose tiles of"
           " %d px or less, or a pattern that is a formula."),
        config->object_size);
  return TRUE;
}

/* The run of a tile: the field doubles until the tile takes no larger a part of it than object_size
 * does of image_size. */
static PrismConfig *
dup_base (const PrismConfig *config,
          int side,
          GError **error)
{
  g_autoptr (PrismConfig) base = prism_config_dup (config);
  int factor = 1;

  while ((gint64) side * config->image_size > (gint64) config->image_size * factor
                                                  * config->object_size
         && factor < 4096)
    factor *= 2;
  /* Lengths in the Fourier plane grow with the field, whose pixels there become finer. */
  base->image_size *= factor;
  base->dxf /= factor;
  base->aperture_radius *= factor;
  base->vane_width *= factor;
  base->roi *= factor;
  base->pattern_cutoff *= factor;
  base->line_length *= factor;
  /* A field of so many times the area collects so many times the light. */
  base->photons *= (double) factor * factor;
  base->object_size = side;
  base->object_diameter *= (double) side / config->object_size;
  base->tile = 0;
  base->object_invert = FALSE;
  if (!prism_config_check (base, error))
    {
      g_prefix_error (error, _ ("A tile of %d px: "), side);
      return NULL;
    }
  return g_steal_pointer (&base);
}

static guint64
get_run_bytes (const PrismConfig *base,
               gboolean keeps)
{
  g_autoptr (PrismSweep) one = prism_sweep_new (base);

  one->keeps_runs = keeps;
  return prism_sweep_get_required_bytes (one);
}

/* The largest side of which one run for each processor fits into memory. */
static int
choose_side (const PrismConfig *config,
             int longest)
{
  guint64 room = prism_available_get_memory () / 100 * PERCENT_USED
                 / prism_available_get_processors ();
  int most = MIN (MAX_AUTO_SIDE, MAX (longest / 2 * 2, MIN_SIDE));

  for (int side = most; side > MIN_SIDE; side = MAX ((side - 1) / AUTO_STEP * AUTO_STEP, MIN_SIDE))
    {
      g_autoptr (PrismConfig) base = dup_base (config, side, NULL);

      if (base != NULL && get_run_bytes (base, FALSE) <= room)
        return side;
    }
  return MIN_SIDE;
}

/* A tile is no larger than the picture: what lies beyond it has no light. */
static int
fit_side (PrismTilePlan *self,
          const PrismConfig *config)
{
  const int longest = MAX (self->height, self->width);
  const int most = MAX (longest + longest % 2, MIN_SIDE);

  if (config->tile <= 0)
    return choose_side (config, longest);
  if (config->tile <= most || config->tile % 2 != 0)
    return config->tile;
  self->asked = config->tile;
  return most;
}

/* The brightest pixel of each tile that a row of the picture goes through, as a number that is
 * larger where it is brighter; what is no number is dark. brightest: [n_tiles] */
static void
find_brightest (const PrismTilePlan *self,
                int y,
                const float *row,
                float *brightest)
{
  for (int i = 0; i < self->n_rows; i++)
    {
      const int top = prism_tile_window_get_origin (self->height, self->side, self->n_rows, i);

      for (int k = 0; y >= top && y < top + self->side && k < self->n_columns; k++)
        {
          const int left
              = prism_tile_window_get_origin (self->width, self->side, self->n_columns, k);
          float *most = &brightest[(gsize) i * (gsize) self->n_columns + (gsize) k];

          for (int x = left; x < MIN (left + self->side, self->width); x++)
            {
              const float value = isnan (row[x]) ? -INFINITY : row[x];

              *most = MAX (*most, self->invert ? -value : value);
            }
        }
    }
}

/* One look at all pixels: their range and their sum, and which tiles have light. */
static gboolean
survey (PrismTilePlan *self,
        PrismStrips *strips,
        GError **error)
{
  prism_autofree_array float *row
      = prism_arena_new_array ((gsize) self->width * sizeof *row, "a row of the picture", error);
  g_autofree float *brightest = g_new (float, self->n_tiles);

  self->low = INFINITY;
  self->high = -INFINITY;
  if (row == NULL)
    return FALSE;
  for (guint i = 0; i < self->n_tiles; i++)
    brightest[i] = -INFINITY;
  for (int y = 0; y < self->height; y++)
    {
      if (!prism_strips_read (strips, 1, row, error))
        return FALSE;
      for (int x = 0; x < self->width; x++)
        if (isfinite (row[x]))
          {
            self->low = MIN (self->low, row[x]);
            self->high = MAX (self->high, row[x]);
          }
        else if (isnan (row[x]))
          self->origin.n_unknown++;
        else
          self->origin.n_infinite++;
      self->origin.n_pixels += (guint64) self->width;
      self->checksum = (guint32) crc32 (self->checksum, (const guint8 *) row,
                                        (uInt) ((gsize) self->width * sizeof *row));
      find_brightest (self, y, row, brightest);
    }
  /* What no light comes from is not run. */
  self->dark = g_new0 (guint8, self->n_tiles);
  for (guint i = 0; i < self->n_tiles; i++)
    self->dark[i] = !(prism_tile_plan_to_amplitude (self, self->invert ? -brightest[i]
                                                                       : brightest[i])
                      > 0.0f);
  return TRUE;
}

static gboolean
check_values (const PrismTilePlan *self,
              GError **error)
{
  if (self->amplitude && (self->low < 0.0 || self->high > 1.0))
    prism_error_format (
        error,
        _ ("“%s” has values from %g to %g, but an amplitude lies between 0 and 1. Divide"
           " it by its maximum."),
        self->picture, self->low, self->high);
  else if (!(self->high > (self->amplitude ? 0.0 : self->low)))
    prism_error_format (
        error,
        _ ("“%s” has the same value everywhere, so that there is nothing to reconstruct."
           " Choose a picture that shows something."),
        self->picture);
  else
    return TRUE;
  return FALSE;
}

static gboolean
lay_out (PrismTilePlan *self,
         double overlap,
         GError **error)
{
  guint64 n;

  self->overlap = lround (self->side * overlap / 100.0);
  self->n_rows = prism_tile_window_count (self->height, self->side, self->overlap);
  self->n_columns = prism_tile_window_count (self->width, self->side, self->overlap);
  n = (guint64) self->n_rows * (guint64) self->n_columns;
  self->n_tiles = (guint) MIN (n, G_MAXUINT);
  if (n <= PRISM_TILE_PLAN_MAX_TILES)
    return TRUE;
  return prism_error_config (error,
                             _ ("The picture of %d × %d pixels makes %" PRIu64
                                " tiles of %d px, and may make %d:"
                                " choose a larger tile or a smaller tile_overlap."),
                             self->width, self->height, n, self->side, PRISM_TILE_PLAN_MAX_TILES);
}

/**
 * prism_tile_plan_new:
 * @config: with a picture's file as its object; tile and tile_overlap
 *
 * Plans the tiles of a picture, which is read once from its beginning to its end.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the plan
 */
PrismTilePlan *
prism_tile_plan_new (const PrismConfig *config,
                     GError **error)
{
  g_autoptr (PrismTilePlan) self = g_new0 (PrismTilePlan, 1);
  g_autoptr (PrismStrips) strips = NULL;

  if (!check_picture (config, error))
    return NULL;
  strips = prism_strips_open (config->object, error);
  if (strips == NULL)
    return NULL;
  self->picture = g_canonicalize_filename (config->object, NULL);
  self->height = strips->height;
  self->width = strips->width;
  self->amplitude = strips->is_amplitude;
  self->real = strips->is_real;
  self->invert = config->object_invert && !self->amplitude;
  self->side = fit_side (self, config);
  if (self->side < MIN_SIDE || self->side % 2 != 0)
    {
      prism_error_config (error, _ ("tile is %d, but must be an even number from %d, 0 or “auto”."),
                          self->side, MIN_SIDE);
      return NULL;
    }
  self->base = dup_base (config, self->side, error);
  if (self->base == NULL || !lay_out (self, config->tile_overlap, error)
      || !survey (self, strips, error) || !check_values (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_tile_plan_is_dark:
 * @tile: number of a tile
 *
 * Returns: whether no light comes from it; FALSE as well for a plan that was loaded, where nobody
 * has looked
 */
gboolean
prism_tile_plan_is_dark (const PrismTilePlan *self,
                         guint tile)
{
  return self->dark != NULL && self->dark[tile];
}

/**
 * prism_tile_plan_dup_note:
 *
 * Returns: (transfer full) (nullable): a sentence where the side is not the one that was asked for,
 * and what tiles do not show of the picture
 */
char *
prism_tile_plan_dup_note (const PrismTilePlan *self)
{
  g_autofree char *strange = prism_image_origin_dup_notice (&self->origin);
  g_autofree char *single = NULL;

  if (self->asked != 0)
    single = g_strdup_printf (_ ("The picture is smaller than a tile of %d px: a single tile of %d"
                                 " px holds all of it."),
                              self->asked, self->side);
  return single != NULL && strange != NULL ? g_strdup_printf ("%s %s", single, strange)
         : single != NULL                  ? g_steal_pointer (&single)
                                           : g_steal_pointer (&strange);
}

/**
 * prism_tile_plan_get_place:
 * @tile: number of a tile
 * @place: (out): where it lies
 */
void
prism_tile_plan_get_place (const PrismTilePlan *self,
                           guint tile,
                           PrismTilePlace *place)
{
  place->row = (int) tile / self->n_columns;
  place->column = (int) tile % self->n_columns;
  place->y = prism_tile_window_get_origin (self->height, self->side, self->n_rows, place->row);
  place->x = prism_tile_window_get_origin (self->width, self->side, self->n_columns,
                                           place->column);
}

/**
 * prism_tile_plan_dup_path:
 * @directory: of the tiles
 * @tile: number of a tile
 * @ending: "" for the folder of its result, ".prism" for its configuration, ".npy" for its object,
 *   ".prismrun" for its run file
 *
 * Returns: (transfer full): the path
 */
char *
prism_tile_plan_dup_path (const char *directory,
                          guint tile,
                          const char *ending)
{
  return g_strdup_printf ("%s%c" PRISM_TILE_PLAN_STEM "%s", directory, G_DIR_SEPARATOR, tile,
                          ending);
}

/**
 * prism_tile_plan_dup_config:
 * @directory: of the tiles
 * @tile: number of a tile
 *
 * Chance is drawn anew for every tile: the same noise everywhere would show in the picture.
 *
 * Errors: PRISM_ERROR_CONFIG where the directory's name is no text.
 *
 * Returns: (transfer full) (nullable): the configuration of its run
 */
PrismConfig *
prism_tile_plan_dup_config (const PrismTilePlan *self,
                            const char *directory,
                            guint tile,
                            GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->base);
  g_autofree char *path = prism_tile_plan_dup_path (directory, tile, ".npy");
  g_autofree char *object = g_canonicalize_filename (path, NULL);

  config->seed = ((gint64) config->seed + tile) % ((gint64) MAX_SEED + 1);
  return prism_config_set_text (config, "object", object, error) ? g_steal_pointer (&config) : NULL;
}

/**
 * prism_tile_plan_get_bytes:
 * @keeps: whether each run leaves its run file
 *
 * Units: bytes.
 *
 * Returns: what the run of a tile needs of the machine's memory
 */
guint64
prism_tile_plan_get_bytes (const PrismTilePlan *self,
                           gboolean keeps)
{
  return get_run_bytes (self->base, keeps);
}

/**
 * prism_tile_plan_get_disk:
 * @with_run: whether its run file is kept, which is smaller than what the run holds in memory
 *
 * Units: bytes.
 *
 * Returns: what a tile leaves on the disk: its object, its result, what goes with them
 */
guint64
prism_tile_plan_get_disk (const PrismTilePlan *self,
                          gboolean with_run)
{
  return 8 * (guint64) self->side * (guint64) self->side + (1 << 18)
         + (with_run ? get_run_bytes (self->base, FALSE) : 0);
}

/**
 * prism_tile_plan_is_finished:
 * @directory: of the tiles
 * @tile: number of a tile
 *
 * Returns: whether its run has ended as it should and its image is there as a whole
 */
gboolean
prism_tile_plan_is_finished (const PrismTilePlan *self,
                             const char *directory,
                             guint tile)
{
  g_autofree char *folder = prism_tile_plan_dup_path (directory, tile, "");
  g_autofree char *path = g_build_filename (folder, "reconstruction.npy", NULL);
  GStatBuf info;

  return g_stat (path, &info) == 0
         && (guint64) info.st_size > 4 * (guint64) self->side * (guint64) self->side
         && prism_sweep_row_is_finished (folder);
}

static GKeyFile *
new_plan (const PrismTilePlan *self)
{
  GKeyFile *file = g_key_file_new ();
  g_autofree char *base = prism_config_to_text (self->base);
  g_autofree char *picture = prism_file_to_text (self->picture);

  g_key_file_set_integer (file, PLAN_GROUP, "version", PLAN_VERSION);
  g_key_file_set_string (file, PLAN_GROUP, "picture", picture);
  g_key_file_set_integer (file, PLAN_GROUP, "height", self->height);
  g_key_file_set_integer (file, PLAN_GROUP, "width", self->width);
  g_key_file_set_integer (file, PLAN_GROUP, "tile", self->side);
  g_key_file_set_integer (file, PLAN_GROUP, "overlap", self->overlap);
  g_key_file_set_boolean (file, PLAN_GROUP, "amplitude", self->amplitude);
  g_key_file_set_boolean (file, PLAN_GROUP, "real", self->real);
  g_key_file_set_boolean (file, PLAN_GROUP, "invert", self->invert);
  g_key_file_set_double (file, PLAN_GROUP, "low", self->low);
  g_key_file_set_double (file, PLAN_GROUP, "high", self->high);
  g_key_file_set_uint64 (file, PLAN_GROUP, "checksum", self->checksum);
  g_key_file_set_string (file, PLAN_GROUP, "base", base);
  return file;
}

/**
 * prism_tile_plan_save:
 * @directory: where to; created where it is missing
 *
 * Writes the plan. A directory of the same tiles is taken again, so that what is missing can be
 * made up for.
 *
 * Errors: those of prism_plan_save(), prism_tile_plan_dup_config() and prism_sweep_row_check().
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_tile_plan_save (const PrismTilePlan *self,
                      const char *directory,
                      GError **error)
{
  if (!prism_plan_save (directory, PRISM_PLAN_TILES, PRISM_TILES_NAMES, new_plan (self), error))
    return FALSE;
  for (guint i = 0; i < self->n_tiles; i++)
    {
      g_autofree char *folder = prism_tile_plan_dup_path (directory, i, "");
      g_autoptr (PrismConfig) config = prism_tile_plan_dup_config (self, directory, i, error);

      if (config == NULL || !prism_sweep_row_check (folder, config, error))
        return FALSE;
    }
  return TRUE;
}

static PrismTilePlan *
parse (GKeyFile *file,
       const char *name,
       GError **error)
{
  g_autoptr (PrismTilePlan) self = g_new0 (PrismTilePlan, 1);
  g_autofree char *base = g_key_file_get_string (file, PLAN_GROUP, "base", NULL);
  g_autofree char *picture = g_key_file_get_string (file, PLAN_GROUP, "picture", NULL);
  gboolean possible;

  self->height = g_key_file_get_integer (file, PLAN_GROUP, "height", NULL);
  self->width = g_key_file_get_integer (file, PLAN_GROUP, "width", NULL);
  self->side = g_key_file_get_integer (file, PLAN_GROUP, "tile", NULL);
  self->overlap = g_key_file_get_integer (file, PLAN_GROUP, "overlap", NULL);
  self->amplitude = g_key_file_get_boolean (file, PLAN_GROUP, "amplitude", NULL);
  self->real = g_key_file_get_boolean (file, PLAN_GROUP, "real", NULL);
  self->invert = g_key_file_get_boolean (file, PLAN_GROUP, "invert", NULL);
  self->low = g_key_file_get_double (file, PLAN_GROUP, "low", NULL);
  self->high = g_key_file_get_double (file, PLAN_GROUP, "high", NULL);
  self->checksum = (guint32) g_key_file_get_uint64 (file, PLAN_GROUP, "checksum", NULL);
  possible = self->height > 0 && self->height <= PRISM_STRIPS_MAX_SIDE && self->width > 0
             && self->width <= PRISM_STRIPS_MAX_SIDE && self->side >= MIN_SIDE
             && self->side <= 4096 && self->overlap >= 0 && self->overlap < self->side
             && isfinite (self->low) && isfinite (self->high) && self->high >= self->low;
  if (base == NULL || picture == NULL || !possible
      || g_key_file_get_integer (file, PLAN_GROUP, "version", NULL) != PLAN_VERSION)
    {
      prism_error_format (
          error, _ ("%s is not the plan of tiles, or is of a newer version of the program."), name);
      return NULL;
    }
  self->picture = prism_file_from_text (picture);
  self->base = prism_config_load_text (base, -1, name, error);
  if (self->base == NULL || !prism_config_check (self->base, error)
      || !lay_out (self, 100.0 * self->overlap / self->side, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_tile_plan_load:
 * @directory: of tiles
 *
 * Reads the plan that prism_tile_plan_save() wrote.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): the plan
 */
PrismTilePlan *
prism_tile_plan_load (const char *directory,
                      GError **error)
{
  g_autofree char *path = g_build_filename (directory, PRISM_PLAN_TILES, NULL);
  g_autoptr (GKeyFile) file = prism_plan_load (
      directory, PRISM_PLAN_TILES,
      _ ("“%s” has no tiles: choose a directory that tiles were written into."), error);

  return file != NULL ? parse (file, path, error) : NULL;
}

/**
 * prism_tile_plan_to_amplitude:
 * @value: of a pixel of the picture
 *
 * The same scale for all tiles: 0 is the darkest pixel of the picture and 1 the brightest, and the
 * amplitude is the root of that; amplitudes stay as they are. What is no number is dark.
 *
 * Returns: 0…1
 */
float
prism_tile_plan_to_amplitude (const PrismTilePlan *self,
                              float value)
{
  double part;

  if (!isfinite (value))
    value = value > 0 ? self->high : self->low;
  if (self->amplitude)
    return value;
  part = (value - self->low) / (self->high - self->low);
  return sqrt (CLAMP (self->invert ? 1.0 - part : part, 0.0, 1.0));
}

/**
 * prism_tile_plan_to_value:
 * @amplitude: of a pixel
 *
 * The way back from prism_tile_plan_to_amplitude().
 *
 * Returns: in the picture's unit
 */
float
prism_tile_plan_to_value (const PrismTilePlan *self,
                          double amplitude)
{
  double part = amplitude * amplitude;

  if (self->amplitude)
    return amplitude;
  return self->low + (self->high - self->low) * (self->invert ? 1.0 - part : part);
}
