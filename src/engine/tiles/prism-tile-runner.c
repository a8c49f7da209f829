#include "config.h"

#include "tiles/prism-tile-runner.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "batch/prism-batch-cost.h"
#include "device/prism-registry.h"
#include "formats/prism-npy.h"
#include "results/prism-sweep.h"

/* Cuts tiles on a thread of its own, ahead of the runs that want them, so that
 * neither they nor a window wait for strips of the picture.
 *
 * Thread: that of the main context in which it was made. */

/* Tiles that are cut before anybody wants them. */
#define N_AHEAD 2

/* What a tile has come to: NULL, one of these, or an error. */
static const char ordered[] = "ordered", cut_well[] = "cut";

typedef struct
{
  const PrismTilePlan *plan; /* borrowed */
  char *directory;
  PrismTileCut *cut; /* the thread's */
  PrismBatch *batch; /* (nullable): told when tiles have come */
  GMainContext *context;
  GThreadPool *pool; /* of one thread */

  GMutex lock;
  gpointer *outcomes; /* [n_tiles] */
  GSource *told;      /* (nullable): while somebody is to be told */
} Supply;

static gboolean
tell (gpointer data)
{
  Supply *self = data;

  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->told, g_source_unref);
  g_mutex_unlock (&self->lock);
  prism_batch_go_on (self->batch);
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
  self->outcomes[tile] = ok ? (gpointer) cut_well : error;
  if (self->told == NULL)
    {
      self->told = g_idle_source_new ();
      g_source_set_priority (self->told, G_PRIORITY_DEFAULT);
      g_source_set_callback (self->told, tell, self, NULL);
      g_source_attach (self->told, self->context);
    }
  g_mutex_unlock (&self->lock);
}

/* Errors: PRISM_ERROR_MEMORY. */
static Supply *
supply_new (const PrismTilePlan *plan,
            const char *directory,
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
  self->context = g_main_context_ref_thread_default ();
  self->outcomes = g_new0 (gpointer, plan->n_tiles);
  g_mutex_init (&self->lock);
  self->pool = g_thread_pool_new (cut_tile, self, 1, FALSE, NULL);
  return self;
}

/* Waits for the tile that is being cut. */
static void
supply_free (gpointer data)
{
  Supply *self = data;

  g_thread_pool_free (self->pool, TRUE, TRUE);
  if (self->told != NULL)
    {
      g_source_destroy (self->told);
      g_source_unref (self->told);
    }
  for (guint i = 0; i < self->plan->n_tiles; i++)
    if (self->outcomes[i] != NULL && self->outcomes[i] != ordered && self->outcomes[i] != cut_well)
      g_error_free (self->outcomes[i]);
  g_free (self->outcomes);
  prism_tile_cut_free (self->cut);
  g_main_context_unref (self->context);
  g_mutex_clear (&self->lock);
  g_free (self->directory);
  g_free (self);
}

/* Has a tile cut, and those that come after it in the picture. */
static gboolean
order_tile (guint tile,
            gpointer data)
{
  Supply *self = data;
  gboolean has_come;

  g_mutex_lock (&self->lock);
  has_come = self->outcomes[tile] != NULL && self->outcomes[tile] != ordered;
  for (guint i = tile; i < self->plan->n_tiles && i <= tile + N_AHEAD; i++)
    if (self->outcomes[i] == NULL)
      {
        self->outcomes[i] = (gpointer) ordered;
        g_thread_pool_push (self->pool, GUINT_TO_POINTER (i + 1), NULL);
      }
  g_mutex_unlock (&self->lock);
  return has_come;
}

/* One that could not be written ahead of its time is tried again.
 *
 * Errors: those of prism_tile_cut_prepare(); the tile may be ordered again then. */
static gboolean
take_tile (guint tile,
           gpointer data,
           GError **error)
{
  Supply *self = data;
  gpointer outcome;

  g_mutex_lock (&self->lock);
  outcome = g_steal_pointer (&self->outcomes[tile]);
  g_mutex_unlock (&self->lock);
  if (outcome == cut_well)
    return TRUE;
  if (g_error_matches (outcome, PRISM_ERROR, PRISM_ERROR_IO))
    {
      /* It came too early, when the disk was full: the batch has looked for room since. */
      g_autoptr (PrismTileCut) cut = prism_tile_cut_new (self->plan, self->directory, error);

      g_error_free (outcome);
      return cut != NULL && prism_tile_cut_prepare (cut, tile, error);
    }
  g_propagate_error (error, outcome);
  return FALSE;
}

static gboolean
is_finished (guint tile,
             gpointer data)
{
  const Supply *self = data;

  return prism_tile_plan_is_finished (self->plan, self->directory, tile);
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

static void
init_runs (PrismBatchRuns *runs,
           Supply *supply,
           const char *program,
           gboolean keeps)
{
  static const char *const arguments[] = { "--brief", NULL };

  *runs = (PrismBatchRuns) {
    .directory = supply->directory,
    .program = program,
    .command = "tiles",
    .stem = PRISM_TILE_PLAN_STEM,
    .arguments = arguments,
    .keeps_runs = keeps,
    .is_finished = is_finished,
    .is_ready = order_tile,
    .prepare = take_tile,
    .data = supply,
  };
  prism_tile_runner_init_need (&runs->need, supply->plan, keeps);
}

/**
 * prism_tile_batch_new:
 * @plan: what to run; outlives the runs
 * @directory: where prism_tile_plan_save() has written it
 * @program: path of prism-cli
 * @n_jobs: how many runs at a time; 0 = as many as there are processors
 * @keeps: whether each run leaves its run file, tile-000000.prismrun and so on
 * @func: called after each tile
 * @data: for @func
 *
 * Prepares the runs, see prism_batch_new(). Objects are cut when their turn comes; a tile whose
 * result is there is not run again.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: (transfer full) (nullable): the runs
 */
PrismBatch *
prism_tile_batch_new (const PrismTilePlan *plan,
                      const char *directory,
                      const char *program,
                      guint n_jobs,
                      gboolean keeps,
                      PrismBatchFunc func,
                      gpointer data,
                      GError **error)
{
  Supply *supply = supply_new (plan, directory, error);
  PrismBatchRuns runs;

  if (supply == NULL)
    return NULL;
  init_runs (&runs, supply, program, keeps);
  supply->batch = prism_batch_new (&runs, n_jobs, func, data, supply_free, error);
  if (supply->batch != NULL)
    return supply->batch;
  supply_free (supply);
  return NULL;
}

/**
 * prism_tile_slurm_save_script:
 * @plan: what to run
 * @directory: where prism_tile_plan_save() has written it
 * @program: path of prism-cli on the nodes
 * @n_jobs: how many runs at a time; 0 = as many as Slurm likes
 * @keeps: whether each run leaves its run file
 * @options: (nullable): more options of sbatch
 *
 * Writes the tiles that have no result as an array of jobs. Their objects are cut now: the nodes
 * need not see the picture.
 *
 * Errors: those of prism_tile_cut_prepare() and prism_batch_save_script().
 *
 * Returns: (transfer full) (nullable): path of the script; NULL without an error when every tile
 *   has its result
 */
char *
prism_tile_slurm_save_script (const PrismTilePlan *plan,
                              const char *directory,
                              const char *program,
                              guint n_jobs,
                              gboolean keeps,
                              const char *const *options,
                              GError **error)
{
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (plan, directory, error);
  Supply supply = { .plan = plan, .directory = (char *) directory };
  PrismBatchRuns runs;

  if (cut == NULL)
    return NULL;
  for (guint i = 0; i < plan->n_tiles; i++)
    if (!is_finished (i, &supply) && !prism_tile_cut_prepare (cut, i, error))
      return NULL;
  init_runs (&runs, &supply, program, keeps);
  return prism_batch_save_script (&runs, n_jobs, options, error);
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
  double n_rounds;

  alone.n_jobs = 1;
  alone.n_threads = 0;
  if (n_runs == 0)
    return FALSE;
  alone.start
      = program != NULL ? prism_batch_cost_get_start (program, config, terms->cancellable) : 0.0;
  if (!prism_sweep_forecast_init (self, one, NULL, &alone) || !(self->most > 0.0))
    return FALSE;
  n_rounds = (double) n_runs / MIN (n_jobs, n_runs);
  self->least *= n_rounds;
  self->most *= n_rounds;
  self->longest *= n_rounds;
  return TRUE;
}

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
PRISM_FREE_FOR_ALL (PrismTileCut,
                    prism_tile_cut_free,
                    prism_strips_free,
                    strips,
                    prism_arena_free_array,
                    band,
                    prism_arena_free_array,
                    object,
                    g_free,
                    directory)

static gboolean
open_picture (PrismTileCut *self,
              GError **error)
{
  const PrismTilePlan *plan = self->plan;

  g_clear_pointer (&self->strips, prism_strips_free);
  self->first = self->n_read = 0;
  self->strips = prism_strips_open (plan->picture, error);
  if (self->strips == NULL)
    return FALSE;
  if (self->strips->height == plan->height
      && self->strips->width == plan->width)
    return TRUE;
  g_clear_pointer (&self->strips, prism_strips_free);
  return prism_error_format (
      error,
      _ ("“%s” is another picture now, of another size. Put the old one back, or begin in"
         " another directory."),
      plan->picture);
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
  g_autofree char *object_name = g_strdup_printf (PRISM_TILE_PLAN_STEM ".npy", tile);
  g_autofree char *config_name = g_strdup_printf (PRISM_TILE_PLAN_STEM ".prism", tile);
  g_autofree char *object = prism_file_dup_place (self->directory, object_name);
  g_autofree char *path = prism_file_dup_place (self->directory, config_name);
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
         && prism_config_save (config, path, NULL, error);
}
