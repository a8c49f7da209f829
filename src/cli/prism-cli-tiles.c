#include "config.h"

#include "base/prism-file.h"
#include "formats/prism-strip-writer.h"
#include "prism-benchmark-report.h"
#include "prism-cli-batch.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "tiles/prism-tile-blend.h"
#include "tiles/prism-tile-runner.h"

typedef struct
{
  const char *directory;
  const char *result; /* (nullable): path of the picture */
  int n_jobs;
  gboolean slurm;
  char **slurm_options; /* (nullable) */
  gboolean keep_runs;
  gboolean merge;
  gboolean dry_run;
  gboolean json;
  gboolean quiet;
} TilesOptions;

/* Puts together what the tiles have left. */
static PrismExit
merge (const PrismTilePlan *plan,
       const TilesOptions *options,
       GError **error)
{
  g_autoptr (PrismTileTable) table = prism_tile_table_load (plan, options->directory, NULL);
  g_autofree char *path = options->result != NULL
                              ? g_strdup (options->result)
                              : g_build_filename (options->directory,
                                                  PRISM_TILE_REPORT_PICTURE, NULL);
  g_autoptr (PrismTileBlend) blend
      = prism_tile_report_save_all (plan, table, options->directory, options->result, error);

  if (blend == NULL)
    return PRISM_EXIT_FAILED;
  if (options->json)
    {
      g_autofree char *summary = g_build_filename (options->directory, "summary.json", NULL);
      g_autofree char *text = NULL;

      if (g_file_get_contents (summary, &text, NULL, NULL))
        fputs (text, stdout);
    }
  else if (!options->quiet)
    {
      double median = prism_tile_table_get_median_psnr (table);
      const guint most = 10;
      guint n = 0;

      printf ("%u of %u tiles have a result; %u of them do not fit their measurements.\n",
              table->n_finished, table->n_rows, table->n_unexplained);
      for (guint i = 0; i < table->n_rows; i++)
        {
          const char *failure = table->rows[i].failure;

          if (table->states[i] >= PRISM_TILE_DARK || n++ >= most)
            continue;
          prism_cli_say ("Tile %u is %s%s%s", i, prism_tile_table_get_state (table, i),
                         failure != NULL ? ": " : ".", failure != NULL ? failure : "");
        }
      if (n > most)
        printf ("%u more are missing: see tiles.csv.\n", n - most);
      if (isfinite (blend->psnr) && isfinite (median))
        printf ("PSNR of the picture %.1f dB, of the tiles %.1f dB (median).\n", blend->psnr,
                median);
      printf ("Tiles %.1f s, putting together %.1f s.\n", prism_tile_table_get_seconds (table),
              blend->seconds);
      prism_cli_say ("Written: %s; in %s tiles.csv, summary.json, map.png, report.html.",
                     path, options->directory);
    }
  return table->n_finished == table->n_rows ? PRISM_EXIT_OK : PRISM_EXIT_FAILED;
}

static char *
dup_name (guint tile,
          gconstpointer plan)
{
  PrismTilePlace place;

  prism_tile_plan_get_place (plan, tile, &place);
  return g_strdup_printf ("tile %u, row %d, column %d", tile, place.row + 1, place.column + 1);
}

/* Of the runs that are left; FALSE where nobody can tell. */
static gboolean
foresee (PrismForecast *forecast,
         const PrismTilePlan *plan,
         guint n_runs,
         PrismBatch *batch,
         const char *program)
{
  g_auto (PrismCliWatch) watch = { 0 };
  PrismSweepTerms terms;

  prism_cli_batch_init_terms (&terms, batch, &watch);
  return prism_tile_forecast_init (forecast, plan, n_runs, program, &terms);
}

static void
print_plan (const PrismTilePlan *plan,
            const char *directory,
            PrismBatch *batch,
            const char *program)
{
  PrismForecast forecast;
  PrismTileCounts counts;
  g_autofree char *dark = NULL;
  g_autofree char *at_a_time = prism_batch_dup_text (batch);
  g_autofree char *note = prism_tile_plan_dup_note (plan);
  g_autofree char *time = NULL;

  prism_tile_forecast_count (&counts, plan, directory);
  if (counts.n_dark > 0)
    dark = g_strdup_printf (", %u of them dark", counts.n_dark);
  if (counts.n_runs > 0)
    prism_cli_warn ("Timing a tile of %d px in a field of %d px.", plan->side,
                    plan->base->image_size);
  if (foresee (&forecast, plan, counts.n_runs, batch, program))
    time = prism_forecast_dup_text (&forecast);
  if (note != NULL)
    prism_cli_print_line (stderr, "%s", note);
  fprintf (stderr, "%d × %d px: %u tile%s of %d px%s, %d row%s and %d column%s,", plan->width,
           plan->height, plan->n_tiles, plan->n_tiles == 1 ? "" : "s", plan->side,
           dark != NULL ? dark : "", plan->n_rows, plan->n_rows == 1 ? "" : "s", plan->n_columns,
           plan->n_columns == 1 ? "" : "s");
  fprintf (stderr, " at least %d px shared; field %d px; %s%s%s.\n", plan->overlap,
           plan->base->image_size, at_a_time, time != NULL ? ", " : "", time != NULL ? time : "");
}

/* The same for programs; the configuration is that of a tile. */
static void
print_plan_json (const PrismTilePlan *plan,
                 const TilesOptions *options,
                 PrismBatch *batch,
                 const char *program)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  PrismTileCounts counts;
  PrismForecast forecast;
  g_autofree char *picture = prism_file_to_text (plan->picture);
  gboolean known;

  prism_tile_forecast_count (&counts, plan, options->directory);
  known = foresee (&forecast, plan, counts.n_runs, batch, program);
  prism_json_add (builder,
                  "{picture: %s, height: %d, width: %d, tile: %d, overlap: %d, rows: %d, columns: "
                  "%d, tiles: %u, tiles_dark: %u, tiles_left: %u, jobs: %u, run_bytes: %lu, "
                  "seconds_least: %g, seconds_most: %g",
                  picture, plan->height, plan->width, plan->side, plan->overlap, plan->n_rows,
                  plan->n_columns, plan->n_tiles, counts.n_dark, counts.n_left,
                  batch->n_jobs,
                  prism_tile_plan_get_bytes (plan, options->keep_runs),
                  known ? forecast.least : NAN, known ? forecast.most : NAN);
  prism_cli_add_config (builder, plan->base);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

static PrismExit
run_here (const PrismTilePlan *plan,
          const TilesOptions *options,
          const char *program,
          GError **error)
{
  PrismCliBatch lines = { dup_name, plan, plan->n_tiles, options->quiet || options->json };
  g_autoptr (PrismBatch) batch
      = prism_tile_batch_new (plan, options->directory, program, (guint) options->n_jobs,
                              options->keep_runs, prism_cli_batch_show, &lines, error);

  if (batch == NULL)
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  if (options->dry_run && options->json)
    print_plan_json (plan, options, batch, program);
  else if (!lines.quiet)
    print_plan (plan, options->directory, batch, program);
  if (prism_cli_engine_get_signal () != 0)
    return prism_cli_engine_stopped (options->dry_run ? "" : " The same command goes on.");
  if (options->dry_run)
    return PRISM_EXIT_OK;
  if (!prism_cli_batch_run (batch, error))
    return PRISM_EXIT_FAILED;
  if (prism_cli_engine_get_signal () == 0)
    return merge (plan, options, error);
  if (!lines.quiet)
    fputs ("Stopped. The same command goes on; --merge puts together what is there.\n", stderr);
  return prism_cli_engine_get_exit ();
}

static PrismExit
run_with (const PrismConfig *config,
          const TilesOptions *options,
          GError **error)
{
  g_autofree char *program = prism_cli_dup_program ();
  g_autoptr (PrismTilePlan) plan = options->merge
                                       ? prism_tile_plan_load (options->directory, error)
                                       : prism_tile_plan_new (config, error);

  if (plan == NULL
      || !prism_cli_claim (PRISM_CLI_INPUT, "the tiles", plan->picture, NULL, error))
    return PRISM_EXIT_FAILED;
  if (options->merge)
    return merge (plan, options, error);
  /* A look at the plan must not bind the directory to it. */
  if (!options->dry_run && !prism_tile_plan_save (plan, options->directory, error))
    return PRISM_EXIT_FAILED;
  if (!options->slurm)
    return run_here (plan, options, program, error);
  return prism_cli_batch_tell_script (
      "tiles", options->directory,
      prism_tile_slurm_save_script (plan, options->directory, program, (guint) options->n_jobs,
                                    options->keep_runs,
                                    (const char *const *) options->slurm_options, error),
      error);
}

/**
 * prism_cli_tiles_run:
 * @config: with tile set
 * @directory: where to
 * @dry_run: whether to say what would be run, and nothing else
 * @json: whether to print nothing but the summary
 * @quiet: whether to print nothing but errors
 *
 * What “prism-cli run” does with a large picture.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_tiles_run (const PrismConfig *config,
                     const char *directory,
                     gboolean dry_run,
                     gboolean json,
                     gboolean quiet,
                     GError **error)
{
  const TilesOptions options
      = { .directory = directory, .dry_run = dry_run, .json = json, .quiet = quiet };

  return prism_cli_claim (PRISM_CLI_FOLDER, "--output", directory, PRISM_TILES_NAMES, error)
             ? run_with (config, &options, error)
             : PRISM_EXIT_FAILED;
}

/**
 * prism_cli_tiles:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli tiles: a large picture in tiles, here or on a cluster.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_tiles (int argc,
                 char **argv,
                 GError **error)
{
  PrismCliOptions parameters = { 0 };
  g_autoptr (PrismConfig) config = NULL;
  TilesOptions options = { .directory = "prism-tiles" };
  const PrismCliOption entries[] = {
    { "output", 'o', PRISM_CLI_FOLDER, &options.directory,
      "Directory of the tiles (default: prism-tiles); tiles that are there go on", "DIR",
      .names = PRISM_TILES_NAMES },
    { "result", 'r', PRISM_CLI_OUTPUT, &options.result,
      "The picture: .tif, .npy, .fits or .png (default: picture.tif in that directory)", "FILE" },
    PRISM_CLI_JOBS_ENTRY (&options.n_jobs),
    { "dry-run", 'n', PRISM_CLI_SWITCH, &options.dry_run,
      "Run nothing: say how many tiles there are, how many at a time, memory and time" },
    PRISM_CLI_SLURM_ENTRIES (
        &options.slurm,
        "Run nothing: cut the tiles and write a Slurm job array for those without a result",
        &options.slurm_options, &options.keep_runs,
        "Keep each run in a run file that the window opens, tile-000000.prismrun and so on"),
    { "merge", 0, PRISM_CLI_SWITCH, &options.merge,
      "Run nothing: put the tiles together that are in the directory, and say what is missing" },
    PRISM_CLI_QUIET_ENTRY (&options.quiet),
    { NULL },
  };

  if (!prism_cli_parse (entries, &parameters, &argc, &argv, error)
      || (options.result != NULL && !prism_strip_writer_check_path (options.result, error)))
    return PRISM_EXIT_FAILED;
  if (!options.merge)
    {
      config = prism_cli_options_load (&parameters, error);
      if (config == NULL)
        return PRISM_EXIT_FAILED;
      if (config->tile == 0)
        config->tile = PRISM_TILE_AUTO;
    }
  return run_with (config, &options, error);
}
