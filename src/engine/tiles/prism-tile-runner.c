#include "config.h"

#include "tiles/prism-tile-runner.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "batch/prism-batch-cost.h"
#include "device/prism-registry.h"
#include "results/prism-sweep-measure.h"
#include "results/prism-sweep.h"
#include "tiles/prism-tile-cut.h"

#include <glib/gstdio.h>
#include <string.h>

/* Cuts tiles on a thread of its own, ahead of the runs that want them, so that
 * neither they nor a window wait for strips of the picture.
 *
 * Thread: that of the main context in which it was made. */

/* Tiles have come that were asked for. */
typedef void (*SupplyFunc) (gpointer data);

/* Tiles that are cut before anybody wants them. */
#define N_AHEAD 2

/* What a tile has come to: nothing yet, an error, or this. */
static const char cut_well[] = "cut";

typedef struct
{
  const PrismTilePlan *plan; /* borrowed */
  char *directory;
  PrismTileCut *cut; /* the thread's */
  SupplyFunc func;
  gpointer data;
  GMainContext *context;
  GThreadPool *pool;   /* of one thread */
  GHashTable *ordered; /* of tiles, by number and 1 */

  GMutex lock;
  GHashTable *come; /* of GError or cut_well, by number of a tile and 1 */
  GSource *told;    /* (nullable): while somebody is to be told */
} Supply;

static gboolean
tell (gpointer data)
{
  Supply *self = data;

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
  Supply *self = data;
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

/* Errors: PRISM_ERROR_MEMORY. */
static Supply *
supply_new (const PrismTilePlan *plan,
            const char *directory,
            SupplyFunc func,
            gpointer data,
            GError **error)
{
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (plan, directory, error);
  Supply *self;

  if (cut == NULL)
    return NULL;
  self = g_new0 (Supply, 1);
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

/* Waits for the tile that is being cut. */
static void
supply_free (Supply *self)
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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Supply, supply_free)

/* Has a tile cut, and those that come after it in the picture. */
static gboolean
order_tile (Supply *self,
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
cut_now (Supply *self,
         guint tile,
         GError **error)
{
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (self->plan, self->directory, error);

  return cut != NULL && prism_tile_cut_prepare (cut, tile, error);
}

/* One that could not be written ahead of its time is tried again.
 *
 * Errors: those of prism_tile_cut_prepare(); the tile may be ordered again then. */
static gboolean
take_tile (Supply *self,
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

struct _PrismTileRunner
{
  const PrismTilePlan *plan; /* borrowed */
  char *directory;
  char *program;
  PrismTileRunnerFunc func;
  gpointer data;
  Supply *supply;
  PrismBatch *batch;
  gboolean keeps; /* run files */
};

static gboolean
is_ready (PrismBatch *batch,
          guint tile,
          gpointer data)
{
  PrismTileRunner *self = data;

  return order_tile (self->supply, tile);
}

static void
go_on (gpointer data)
{
  PrismTileRunner *self = data;

  prism_batch_go_on (self->batch);
}

static char **
dup_command (PrismBatch *batch,
             guint tile,
             gpointer data,
             GError **error)
{
  PrismTileRunner *self = data;
  g_autofree char *config = prism_tile_plan_dup_path (self->directory, tile, ".prism");
  g_autofree char *output = prism_tile_plan_dup_path (self->directory, tile, "");
  g_autofree char *run = prism_tile_plan_dup_path (self->directory, tile, ".prismrun");
  guint n_threads = prism_batch_get_n_threads (batch);
  g_autofree char *threads = g_strdup_printf ("--set=threads=%u", n_threads);
  g_autofree char *save = g_strconcat ("--save=", run, NULL);
  const char *command[] = { self->program, "run", "--quiet", "--brief", "--config", config,
                            "--output", output, NULL, NULL, NULL };
  gsize n = G_N_ELEMENTS (command) - 3;

  if (!take_tile (self->supply, tile, error)
      || prism_tile_plan_is_finished (self->plan, self->directory, tile))
    return NULL;
  if (n_threads > 0)
    command[n++] = threads;
  /* What an earlier try has left there is begun again, to the same bits. */
  g_unlink (run);
  if (self->keeps)
    command[n++] = save;
  return g_strdupv ((char **) command);
}

static void
end_tile (PrismBatch *batch,
          guint tile,
          const char *message,
          gboolean stopped,
          gpointer data)
{
  PrismTileRunner *self = data;
  g_autofree char *folder = prism_tile_plan_dup_path (self->directory, tile, "");
  g_autofree char *path = prism_file_dup_place (folder, PRISM_SWEEP_FAILURE_NAME);

  if (message != NULL && !stopped && g_mkdir_with_parents (folder, 0777) == 0)
    prism_file_save (path, message, strlen (message), NULL);
  else if (message == NULL)
    g_unlink (path);
  self->func (self, tile, message, self->data);
}

static void
note_change (PrismBatch *batch,
             gpointer data)
{
  PrismTileRunner *self = data;

  self->func (self, G_MAXUINT, prism_batch_get_notice (batch), self->data);
}

/**
 * prism_tile_runner_init_need:
 * @need: (out): what its runs need
 * @plan: of tiles
 * @keeps: whether each run leaves its run file
 */
void
prism_tile_runner_init_need (PrismBatchNeed *need,
                             const PrismTilePlan *plan,
                             gboolean keeps)
{
  g_autoptr (PrismSweep) one = prism_sweep_new (plan->base);
  const PrismBackendOps *ops = prism_registry_find (plan->base->backend);
  const gboolean lends = prism_registry_is_gpu (plan->base->backend);

  *need = (PrismBatchNeed) {
    .n_items = plan->n_tiles,
    .host = prism_tile_plan_get_bytes (plan, keeps),
    .device = lends ? prism_sweep_get_device_bytes (one, ops) : 0,
    .disk = prism_tile_plan_get_disk (plan, keeps),
    .backend = plan->base->backend,
    .threads = plan->base->threads,
  };
}

/**
 * prism_tile_runner_new:
 * @plan: what to run; outlives the runner
 * @directory: where prism_tile_plan_save() has written it
 * @program: path of prism-cli
 * @n_jobs: how many runs at a time; 0 = as many as there are processors
 * @keeps: whether each run leaves its run file, tile-000000.prismrun and so on
 * @func: called after each tile
 * @data: for @func
 *
 * Prepares the runs, see prism_batch_new(). Objects are cut when their turn comes.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: (transfer full) (nullable): the runner
 */
PrismTileRunner *
prism_tile_runner_new (const PrismTilePlan *plan,
                       const char *directory,
                       const char *program,
                       guint n_jobs,
                       gboolean keeps,
                       PrismTileRunnerFunc func,
                       gpointer data,
                       GError **error)
{
  static const PrismBatchFuncs funcs = { is_ready, dup_command, end_tile, note_change };
  g_autoptr (PrismTileRunner) self = g_new0 (PrismTileRunner, 1);
  PrismBatchNeed need;

  prism_tile_runner_init_need (&need, plan, keeps);
  self->plan = plan;
  self->directory = g_strdup (directory);
  self->program = g_strdup (program);
  self->func = func;
  self->data = data;
  self->keeps = keeps;
  self->supply = supply_new (plan, directory, go_on, self, error);
  if (self->supply == NULL)
    return NULL;
  self->batch = prism_batch_new (&need, directory, n_jobs, &funcs, self, error);
  return self->batch != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_tile_runner_free:
 * @self: (nullable): a runner
 *
 * Ends what is still running; what those runs have so far is not kept.
 */
void
prism_tile_runner_free (PrismTileRunner *self)
{
  if (self == NULL)
    return;
  prism_batch_free (self->batch);
  supply_free (self->supply);
  g_free (self->directory);
  g_free (self->program);
  g_free (self);
}

/**
 * prism_tile_runner_get_batch:
 *
 * Returns: (transfer none): the runs: start them, stop them, ask how many there are
 */
PrismBatch *
prism_tile_runner_get_batch (PrismTileRunner *self)
{
  return self->batch;
}

#define ANY_OBJECT "usaf1951" /* drawn as fast as a tile is read */

/**
 * prism_tile_forecast_count:
 * @self: (out): how many there are
 * @plan: of tiles
 * @directory: (nullable): where results may be; %NULL: there are none
 *
 * Counts what is to be done.
 */
void
prism_tile_forecast_count (PrismTileCounts *self,
                           const PrismTilePlan *plan,
                           const char *directory)
{
  *self = (PrismTileCounts) { 0 };
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const guint is_dark = prism_tile_plan_is_dark (plan, i) ? 1 : 0;

      self->n_dark += is_dark;
      if (directory != NULL && prism_tile_plan_is_finished (plan, directory, i))
        continue;
      self->n_left++;
      self->n_runs += 1 - is_dark;
    }
}

/* Of one tile. What it shows does not change how long it takes, and the whole picture in memory
 * would be more than a run ever has. */
static PrismConfig *
dup_run (const PrismTilePlan *plan,
         guint n_threads)
{
  PrismConfig *config = prism_config_dup (plan->base);

  prism_config_set_text (config, "object", ANY_OBJECT, NULL);
  if (n_threads > 0)
    config->threads = (int) n_threads;
  return config;
}

/**
 * prism_tile_forecast_init:
 * @self: (out): how long, in seconds
 * @plan: of tiles
 * @n_runs: that are left
 * @program: (nullable): path of prism-cli, whose start is timed
 * @terms: how they take place; their start is not looked at
 *
 * Returns: whether anybody can tell
 */
gboolean
prism_tile_forecast_init (PrismForecast *self,
                          const PrismTilePlan *plan,
                          guint n_runs,
                          const char *program,
                          const PrismSweepTerms *terms)
{
  const guint n_jobs = MAX (terms->n_jobs, 1);
  g_autoptr (PrismConfig) config = dup_run (plan, terms->n_threads);
  g_autoptr (PrismSweep) one = prism_sweep_new (config);
  PrismSweepTerms alone = *terms;

  alone.n_jobs = 1;
  alone.n_threads = 0;
  if (n_runs == 0)
    return FALSE;
  alone.start
      = program != NULL ? prism_batch_cost_get_start (program, config, terms->cancellable) : 0.0;
  if (!prism_sweep_forecast_init (self, one, NULL, &alone) || !(self->most > 0.0))
    return FALSE;
  self->least *= (double) n_runs / MIN (n_jobs, n_runs);
  self->most *= (double) n_runs / MIN (n_jobs, n_runs);
  return TRUE;
}
