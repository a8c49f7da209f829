#include "config.h"

#include "tiles/prism-tile-cut.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-npy.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

/* What no light comes from needs no run. */
#define DARK_SUMMARY "{\n  \"state\" : \"finished\",\n  \"dark\" : true,\n  \"seconds\" : 0.0\n}\n"

struct _PrismTileCut
{
  const PrismTilePlan *plan; /* borrowed */
  char *directory;
  PrismStrips *strips; /* (nullable): until it is needed */
  int first;           /* row of the picture at which band begins */
  int n_read;          /* rows of the picture that have been read */
  float *band;         /* [m][width] amplitudes */
  float *object;       /* [m][m] */
};

/**
 * prism_tile_cut_new:
 * @plan: outlives the cut
 * @directory: where prism_tile_plan_save() has written it
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what cuts
 */
PrismTileCut *
prism_tile_cut_new (const PrismTilePlan *plan,
                    const char *directory,
                    GError **error)
{
  g_autoptr (PrismTileCut) self = g_new0 (PrismTileCut, 1);
  const gsize side = (gsize) plan->side;

  self->plan = plan;
  self->directory = g_strdup (directory);
  self->band = prism_arena_new_array (side * (gsize) plan->width * sizeof *self->band,
                                      "a row of tiles", error);
  if (self->band == NULL)
    return NULL;
  self->object = prism_arena_new_array (side * side * sizeof *self->object, "a tile", error);
  return self->object != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_tile_cut_free:
 * @self: (nullable): what cuts
 */
void
prism_tile_cut_free (PrismTileCut *self)
{
  if (self == NULL)
    return;
  prism_strips_free (self->strips);
  prism_arena_free_array (self->band);
  prism_arena_free_array (self->object);
  g_free (self->directory);
  g_free (self);
}

static gboolean
open_picture (PrismTileCut *self,
              GError **error)
{
  const PrismTilePlan *plan = self->plan;
  g_autofree char *name = NULL;

  g_clear_pointer (&self->strips, prism_strips_free);
  self->first = self->n_read = 0;
  self->strips = prism_strips_open (plan->picture, error);
  if (self->strips == NULL)
    return FALSE;
  if (self->strips->height == plan->height
      && self->strips->width == plan->width)
    return TRUE;
  g_clear_pointer (&self->strips, prism_strips_free);
  name = prism_file_dup_display_name (plan->picture);
  return prism_error_format (
      error,
      _ ("“%s” is another picture now, of another size. Put the old one back, or begin in"
         " another directory."),
      name);
}

static gboolean
read_row (PrismTileCut *self,
          float *row,
          GError **error)
{
  if (!prism_strips_read (self->strips, 1, row, error))
    return FALSE;
  for (int x = 0; x < self->plan->width; x++)
    row[x] = prism_tile_plan_to_amplitude (self->plan, row[x]);
  self->n_read++;
  return TRUE;
}

/* Brings the rows of the picture from y on into the band; what is below the picture is dark. */
static gboolean
move_band (PrismTileCut *self,
           int y,
           GError **error)
{
  const int side = self->plan->side;
  const gsize width = (gsize) self->plan->width;
  const int end = MIN (y + side, self->plan->height);

  if ((self->strips == NULL || y < self->first) && !open_picture (self, error))
    return FALSE;
  for (int row = y; row < MIN (self->n_read, self->first + side) && row < end; row++)
    memmove (self->band + (gsize) (row - y) * width,
             self->band + (gsize) (row - self->first) * width, width * sizeof *self->band);
  for (int row = self->n_read; row < end; row++)
    if (!read_row (self, self->band + (gsize) MAX (row - y, 0) * width, error))
      return FALSE;
  for (int row = end; row < y + side; row++)
    memset (self->band + (gsize) (row - y) * width, 0, width * sizeof *self->band);
  self->first = y;
  return TRUE;
}

/* Returns whether there is light in it. */
static gboolean
cut (PrismTileCut *self,
     int x0)
{
  const int side = self->plan->side, width = self->plan->width;
  gboolean bright = FALSE;

  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        float value = x0 + x < width ? self->band[(gsize) y * width + x0 + x] : 0.0f;

        self->object[(gsize) y * side + x] = value;
        bright = bright || value > 0.0f;
      }
  return bright;
}

static gboolean
save_dark (PrismTileCut *self,
           guint tile,
           GError **error)
{
  g_autofree char *folder = prism_tile_plan_dup_path (self->directory, tile, "");
  g_autofree char *image = g_build_filename (folder, "reconstruction.npy", NULL);
  g_autofree char *summary = g_build_filename (folder, "summary.json", NULL);
  const gsize side = (gsize) self->plan->side;

  g_mkdir_with_parents (folder, 0777);
  return prism_npy_save (image, self->object, 2, (const gsize[]) { side, side }, error)
         && prism_file_save (summary, DARK_SUMMARY, strlen (DARK_SUMMARY), error);
}

/**
 * prism_tile_cut_prepare:
 * @tile: number of a tile; each later one is cheap, an earlier row means reading anew
 *
 * Writes the object and the configuration of a tile, and where no light comes from it, its result.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG.
 *
 * Returns: whether it can run, or is finished
 */
gboolean
prism_tile_cut_prepare (PrismTileCut *self,
                        guint tile,
                        GError **error)
{
  const gsize side = (gsize) self->plan->side;
  g_autofree char *object = prism_tile_plan_dup_path (self->directory, tile, ".npy");
  g_autofree char *path = prism_tile_plan_dup_path (self->directory, tile, ".prism");
  g_autoptr (PrismConfig) config = NULL;
  PrismTilePlace place;

  prism_tile_plan_get_place (self->plan, tile, &place);
  if ((self->strips == NULL || self->first != place.y) && !move_band (self, place.y, error))
    {
      /* Half a band is none. */
      g_clear_pointer (&self->strips, prism_strips_free);
      return FALSE;
    }
  if (!cut (self, place.x))
    return save_dark (self, tile, error);
  config = prism_tile_plan_dup_config (self->plan, self->directory, tile, error);
  return config != NULL
         && prism_npy_save (object, self->object, 2, (const gsize[]) { side, side }, error)
         && prism_config_save (config, path, error);
}
