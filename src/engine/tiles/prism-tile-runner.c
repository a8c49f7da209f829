#include "config.h"

#include "tiles/prism-tile-runner.h"

#include "base/prism-file.h"
#include "device/prism-registry.h"
#include "results/prism-sweep-row.h"
#include "results/prism-sweep.h"
#include "tiles/prism-tile-supply.h"

#include <glib/gstdio.h>
#include <string.h>

struct _PrismTileRunner
{
  const PrismTilePlan *plan; /* borrowed */
  char *directory;
  char *program;
  PrismTileRunnerFunc func;
  gpointer data;
  PrismTileSupply *supply;
  PrismBatch *batch;
  gboolean keeps; /* run files */
};

static gboolean
is_ready (PrismBatch *batch,
          guint tile,
          gpointer data)
{
  PrismTileRunner *self = data;

  return prism_tile_supply_order (self->supply, tile);
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

  if (!prism_tile_supply_take (self->supply, tile, error)
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
  self->supply = prism_tile_supply_new (plan, directory, go_on, self, error);
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
  prism_tile_supply_free (self->supply);
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
