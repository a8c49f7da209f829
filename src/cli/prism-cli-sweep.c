#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "prism-cli-batch.h"
#include "prism-cli-measurements.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "prism-sweep-plot.h"

#define MAX_ENSEMBLE 1000

typedef struct
{
  char **axes;  /* (nullable) */
  int ensemble; /* members, 0 = none */
  char *directory;
  int n_jobs;
  gboolean slurm;
  char **slurm_options; /* (nullable) */
  gboolean merge;
  gboolean keep_runs;
  char *plot; /* (nullable): path of a curve or map */
  char *show; /* (nullable): key of what it shows */
  guint measure;
  char *measurements; /* (nullable): recorded frames */
  PrismCliRecordingOptions reading;
  gboolean quiet;
} SweepOptions;

/* Either axes or an ensemble. */
static gboolean
check_what (const SweepOptions *options,
            GError **error)
{
  if (options->axes == NULL && options->ensemble == 0)
    prism_error_config (error,
                        "A sweep needs something to go over, such as --over snr=10,20,40 or"
                        " --over aperture_radius=8:20:3; --ensemble 8 repeats one run instead.");
  else if (options->axes != NULL && options->ensemble != 0)
    prism_error_config (error,
                        "--over and --ensemble cannot be combined: an ensemble repeats one run; a"
                        " sweep is repeated by --over seed=0:9:10.");
  else
    return TRUE;
  return FALSE;
}

/* Recorded frames are read once here: what is wrong with them is told before the first run. */
static PrismSweep *
load_base (const PrismCliOptions *parameters,
           const SweepOptions *options,
           GError **error)
{
  g_autoptr (PrismConfig) base
      = prism_cli_options_load_for (parameters,
                                    options->measurements != NULL ? PRISM_FRAMES_RECORDED
                                                                  : PRISM_FRAMES_OF_TELESCOPE,
                                    error);
  g_auto (PrismCliRunFile) file = { 0 };

  if (base == NULL)
    return NULL;
  if (options->measurements == NULL)
    return prism_sweep_new (base);
  if (!prism_cli_measurements_load (&file, options->measurements, &options->reading, base, TRUE,
                                    options->quiet, error))
    return NULL;
  return prism_sweep_new_recorded (base, file.scene->problem);
}

static PrismSweep *
make_sweep (const PrismCliOptions *parameters,
            const SweepOptions *options,
            GError **error)
{
  g_autoptr (PrismSweep) sweep = NULL;

  if (!prism_cli_measurements_check (options->measurements, &options->reading,
                                     options->ensemble != 0 ? "--ensemble" : NULL, error)
      || !check_what (options, error)
      || (sweep = load_base (parameters, options, error)) == NULL)
    return NULL;
  sweep->keeps_runs = options->keep_runs;
  if (options->ensemble > 0)
    {
      g_autofree char *axis
          = g_strdup_printf ("%s=0:%d:%d", PRISM_SWEEP_ENSEMBLE_KEY, options->ensemble - 1,
                             options->ensemble);

      if (!prism_sweep_add_axis (sweep, axis, error))
        return NULL;
    }
  PRISM_FOR_EACH_STRING (axis, options->axes)
    if (!prism_sweep_add_axis (sweep, *axis, error))
      return NULL;
  return prism_sweep_check (sweep, error) ? g_steal_pointer (&sweep) : NULL;
}

/* Reads what the runs have left and writes it together. */
static PrismExit
merge (PrismSweep *sweep,
       const SweepOptions *options,
       GError **error)
{
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, options->directory, NULL);
  g_autoptr (PrismSweepSheet) sheet = prism_sweep_sheet_new (sweep, table);
  g_autoptr (PrismSweepPlot) plot
      = options->plot != NULL ? prism_sweep_plot_new (sweep, table, options->measure) : NULL;
  const PrismSweepEnsemble *ensemble = &sheet->ensemble;

  if (!prism_sweep_sheet_save_all (sheet, sweep, table, options->directory, error)
      || (plot != NULL && !prism_sweep_plot_save (plot, options->plot, error)))
    return PRISM_EXIT_FAILED;
  if (!options->quiet)
    {
      prism_cli_print_text (prism_sweep_table_to_text (table, sweep));
      if (ensemble->n_runs > 0)
        printf ("Mean of %u runs of %.1f to %.1f dB: %.1f dB. The quarter of the pixels where the"
                " runs differ most\nhas %.0f %% of its squared error.\n",
                ensemble->n_runs, ensemble->least, ensemble->most, ensemble->psnr,
                100.0 * ensemble->share);
      prism_cli_say ("%u of %u points have a result. Written to %s: sweep.csv,"
                     " sweep.png%s.",
                     table->n_finished, table->n_rows, options->directory,
                     sheet->spread != NULL ? ", mean and uncertainty (.npy, .png)" : "");
    }
  return table->n_finished == table->n_rows ? PRISM_EXIT_OK : PRISM_EXIT_FAILED;
}

static char *
dup_name (guint point,
          gconstpointer sweep)
{
  return prism_sweep_dup_title ((PrismSweep *) sweep, point);
}

static PrismExit
run_here (PrismSweep *sweep,
          const SweepOptions *options,
          const char *program,
          GError **error)
{
  PrismCliBatch lines = { dup_name, sweep, sweep->n_points, options->quiet };
  g_autoptr (PrismBatch) batch
      = prism_sweep_batch_new (sweep, options->directory, program, (guint) options->n_jobs,
                               prism_cli_batch_show, &lines, error);
  PrismExit code;

  if (batch == NULL)
    return PRISM_EXIT_FAILED;
  if (!options->quiet)
    {
      g_autofree char *at_a_time = prism_batch_dup_text (batch);
      g_autofree char *time = NULL;
      g_auto (PrismCliWatch) watch = { 0 };
      PrismSweepTerms terms;
      PrismForecast forecast;

      /* Runs of a shape that is new here are timed first, once: a sweep is long. */
      prism_cli_batch_init_terms (&terms, batch, &watch);
      if (sweep->frames == NULL)
        terms.start = prism_batch_cost_get_start (program, sweep->base, watch.cancellable);
      fprintf (stderr, "%u runs, %s", sweep->n_points, at_a_time);
      if (prism_sweep_forecast_init (&forecast, sweep, options->directory, &terms)
          && forecast.most > 0.0)
        time = prism_forecast_dup_text (&forecast);
      fprintf (stderr, "%s%s.\n", time != NULL ? ", " : "", time != NULL ? time : "");
    }
  if (prism_cli_engine_get_signal () != 0)
    return prism_cli_engine_stopped (" The same command goes on.");
  if (!prism_cli_batch_run (batch, error))
    return PRISM_EXIT_FAILED;
  code = merge (sweep, options, error);
  return *error == NULL && prism_cli_engine_get_signal () != 0 ? prism_cli_engine_get_exit ()
                                                               : code;
}

static PrismExit
sweep_with (const PrismCliOptions *parameters,
            SweepOptions *options,
            GError **error)
{
  g_autofree char *program = prism_cli_dup_program ();
  g_autoptr (PrismSweep) sweep = NULL;

  prism_cli_engine_catch_signals ();
  sweep = options->merge ? prism_sweep_load (options->directory, error)
                         : make_sweep (parameters, options, error);
  if (sweep == NULL
      || !prism_cli_claim (PRISM_CLI_INPUT, "object", sweep->base->object, NULL, error))
    return PRISM_EXIT_FAILED;
  for (char **frames = sweep->frames; frames != NULL && *frames != NULL; frames += 2)
    if (!prism_cli_claim (PRISM_CLI_INPUT, "the sweep", frames[1], NULL, error))
      return PRISM_EXIT_FAILED;
  options->measure = prism_sweep_measure_get_first (sweep->frames != NULL);
  if (options->show != NULL
      && !prism_sweep_measure_find (&options->measure, sweep->frames != NULL, options->show,
                                    error))
    return PRISM_EXIT_FAILED;
  if (options->merge)
    return merge (sweep, options, error);
  if (!prism_sweep_save (sweep, options->directory, error))
    return PRISM_EXIT_FAILED;
  if (!options->slurm)
    return run_here (sweep, options, program, error);
  return prism_cli_batch_tell_script (
      "sweep", options->directory,
      prism_sweep_slurm_save_script (sweep, options->directory, program, (guint) options->n_jobs,
                                     (const char *const *) options->slurm_options, error),
      error);
}

/**
 * prism_cli_sweep:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli sweep: one or two parameters over lists of values, here or on a cluster.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_sweep (int argc,
                 char **argv,
                 GError **error)
{
  PrismCliOptions parameters = { 0 };
  SweepOptions options = { .directory = (char *) "prism-sweep" };
  const PrismCliOption entries[] = {
    { "over", 0, PRISM_CLI_TEXTS, &options.axes,
      "Go over a parameter: KEY=A,B,C, KEY=FIRST:LAST:COUNT or KEY=FIRST:LAST:COUNT:log; twice for"
      " a grid",
      "AXIS" },
    { "ensemble", 0, PRISM_CLI_INTEGER, &options.ensemble,
      "N runs that differ in the decoder's start alone, with their mean and an uncertainty map",
      "N", 2, MAX_ENSEMBLE },
    { "output", 'o', PRISM_CLI_FOLDER, &options.directory,
      "Directory of the sweep (default: prism-sweep); a sweep that is there goes on", "DIR",
      .names = PRISM_SWEEP_NAMES },
    PRISM_CLI_JOBS_ENTRY (&options.n_jobs),
    PRISM_CLI_SLURM_ENTRIES (
        &options.slurm, "Run nothing: write a Slurm job array for the points without a result",
        &options.slurm_options, &options.keep_runs,
        "Keep each run in a run file that the window opens, point-0000.prismrun and so on"),
    { "plot", 0, PRISM_CLI_OUTPUT, &options.plot,
      "Draw a curve, of two parameters a map: .png, .svg, .pdf, or its numbers: .csv", "FILE" },
    { "show", 0, PRISM_CLI_TEXT, &options.show,
      "What --plot shows: psnr (default), ssim, misfit (default of recorded frames), verdict,"
      " seconds …",
      "KEY" },
    PRISM_CLI_MEASUREMENTS_ENTRIES (&options.measurements, &options.reading),
    { "merge", 0, PRISM_CLI_SWITCH, &options.merge,
      "Run nothing: put the results together that are in the directory" },
    PRISM_CLI_QUIET_ENTRY (&options.quiet),
    { NULL },
  };

  if (!prism_cli_parse (entries, &parameters, &argc, &argv, error)
      || (options.plot != NULL && !prism_sweep_plot_check_path (options.plot, error)))
    return PRISM_EXIT_FAILED;
  return sweep_with (&parameters, &options, error);
}
