#include "config.h"

#include "tiles/prism-tile-supply.h"

#include "base/prism-error.h"

/* Tiles that are cut before anybody wants them. */
#define N_AHEAD 2

/* What a tile has come to: nothing yet, an error, or this. */
static const char cut_well[] = "cut";

struct _PrismTileSupply
{
  const PrismTilePlan *plan; /* borrowed */
  char *directory;
  PrismTileCut *cut; /* the thread's */
  PrismTileSupplyFunc func;
  gpointer data;
  GMainContext *context;
  GThreadPool *pool;   /* of one thread */
  GHashTable *ordered; /* of tiles, by number and 1 */

  GMutex lock;
  GHashTable *come; /* of GError or cut_well, by number of a tile and 1 */
  GSource *told;    /* (nullable): while somebody is to be told */
};

static gboolean
tell (gpointer data)
{
  PrismTileSupply *self = data;

  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->told, g_source_unref);
  g_mutex_unlock (&self->lock);
  self->func (self->data);
  return G_SOURCE_REMOVE;
}

/* Key and tile of an order: a number that is not 0. */
static void
cut_tile (gpointer key,
          gpointer data)
{
  PrismTileSupply *self = data;
  GError *error = NULL;
  const guint tile = GPOINTER_TO_UINT (key) - 1;
  const gboolean ok = prism_tile_plan_is_finished (self->plan, self->directory, tile)
                      || prism_tile_cut_prepare (self->cut, tile, &error);

  g_mutex_lock (&self->lock);
  g_hash_table_insert (self->come, key, ok ? (gpointer) cut_well : (gpointer) error);
  if (self->told == NULL)
    {
      self->told = g_idle_source_new ();
      g_source_set_priority (self->told, G_PRIORITY_DEFAULT);
      g_source_set_callback (self->told, tell, self, NULL);
      g_source_attach (self->told, self->context);
    }
  g_mutex_unlock (&self->lock);
}

static void
free_outcome (gpointer outcome)
{
  if (outcome != cut_well)
    g_error_free (outcome);
}

/**
 * prism_tile_supply_new:
 * @plan: outlives the supply
 * @directory: where prism_tile_plan_save() has written it
 * @func: called when a tile has come
 * @data: for @func
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the supply
 */
PrismTileSupply *
prism_tile_supply_new (const PrismTilePlan *plan,
                       const char *directory,
                       PrismTileSupplyFunc func,
                       gpointer data,
                       GError **error)
{
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (plan, directory, error);
  PrismTileSupply *self;

  if (cut == NULL)
    return NULL;
  self = g_new0 (PrismTileSupply, 1);
  self->plan = plan;
  self->directory = g_strdup (directory);
  self->cut = g_steal_pointer (&cut);
  self->func = func;
  self->data = data;
  self->context = g_main_context_ref_thread_default ();
  self->ordered = g_hash_table_new (NULL, NULL);
  self->come = g_hash_table_new_full (NULL, NULL, NULL, free_outcome);
  g_mutex_init (&self->lock);
  self->pool = g_thread_pool_new (cut_tile, self, 1, FALSE, NULL);
  return self;
}

/**
 * prism_tile_supply_free:
 * @self: (nullable): a supply
 *
 * Waits for the tile that is being cut.
 */
void
prism_tile_supply_free (PrismTileSupply *self)
{
  if (self == NULL)
    return;
  g_thread_pool_free (self->pool, TRUE, TRUE);
  if (self->told != NULL)
    {
      g_source_destroy (self->told);
      g_source_unref (self->told);
    }
  prism_tile_cut_free (self->cut);
  g_hash_table_unref (self->come);
  g_hash_table_unref (self->ordered);
  g_main_context_unref (self->context);
  g_mutex_clear (&self->lock);
  g_free (self->directory);
  g_free (self);
}

/**
 * prism_tile_supply_order:
 * @tile: number of a tile
 *
 * Has a tile cut, and those that come after it in the picture.
 *
 * Returns: whether it has come
 */
gboolean
prism_tile_supply_order (PrismTileSupply *self,
                         guint tile)
{
  gboolean has_come;

  for (guint i = tile; i < self->plan->n_tiles && i <= tile + N_AHEAD; i++)
    if (g_hash_table_add (self->ordered, GUINT_TO_POINTER (i + 1)))
      g_thread_pool_push (self->pool, GUINT_TO_POINTER (i + 1), NULL);
  g_mutex_lock (&self->lock);
  has_come = g_hash_table_contains (self->come, GUINT_TO_POINTER (tile + 1));
  g_mutex_unlock (&self->lock);
  return has_come;
}

/* One that came too early, when the disk was full: the batch has looked for room since. */
static gboolean
cut_now (PrismTileSupply *self,
         guint tile,
         GError **error)
{
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (self->plan, self->directory, error);

  return cut != NULL && prism_tile_cut_prepare (cut, tile, error);
}

/**
 * prism_tile_supply_take:
 * @tile: number of a tile that has come
 *
 * One that could not be written ahead of its time is tried again.
 *
 * Errors: those of prism_tile_cut_prepare(); the tile may be ordered again then.
 *
 * Returns: whether it can run, or is finished
 */
gboolean
prism_tile_supply_take (PrismTileSupply *self,
                        guint tile,
                        GError **error)
{
  gpointer key = GUINT_TO_POINTER (tile + 1), outcome = NULL;

  g_mutex_lock (&self->lock);
  g_hash_table_steal_extended (self->come, key, NULL, &outcome);
  g_mutex_unlock (&self->lock);
  g_hash_table_remove (self->ordered, key);
  if (outcome == cut_well)
    return TRUE;
  if (g_error_matches (outcome, PRISM_ERROR, PRISM_ERROR_IO))
    {
      g_error_free (outcome);
      return cut_now (self, tile, error);
    }
  g_propagate_error (error, outcome);
  return FALSE;
}
