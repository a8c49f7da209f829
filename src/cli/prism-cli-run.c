#include "config.h"

#include "backend/prism-device-counters.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "config/prism-units.h"
#include "device/prism-device.h"
#include "device/prism-memory-estimate.h"
#include "forecast/prism-forecast.h"
#include "forecast/prism-cost-probe.h"
#include "formats/prism-animation.h"
#include "history/prism-keeper.h"
#include "model/prism-object.h"
#include "model/prism-pattern.h"
#include "prism-cli-engine.h"
#include "prism-cli-measurements.h"
#include "prism-cli-output.h"
#include "prism-cli-run-file.h"
#include "prism-cli.h"
#include "prism-film.h"
#include "prism-report.h"
#include "profile/prism-profile.h"
#include "results/prism-tensorboard.h"
#include "results/prism-export.h"
#include "results/prism-frc.h"
#include "results/prism-result.h"

#define MOST_RATE 60 /* moments a second */

/* The options of prism-cli run that make animations. */
typedef struct
{
  char **paths; /* (nullable): no animation */
  gboolean panels;
  PrismFilmOptions options;
} FilmOptions;

/* Finds out before the run whether there can be animations where they are wanted.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO. */
static gboolean
check_film (const FilmOptions *self,
            const PrismConfig *config,
            GError **error)
{
  if (self->paths == NULL)
    return TRUE;
  if (prism_keeper_get_capacity (config) == 0)
    return prism_error_config (
        error,
        "--animation needs moments of the run, and a history_size of %d MiB keeps none:"
        " four pictures must fit. Choose a larger one.",
        config->history_size);
  PRISM_FOR_EACH_STRING (path, self->paths)
    if (!prism_animation_check (*path, error))
      return FALSE;
  return TRUE;
}

/* Writes the animations that were asked for where the run has made a step.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY. */
static gboolean
save_film (const FilmOptions *self,
           PrismSnapshot *snapshot,
           GError **error)
{
  PrismFilmOptions options = self->options;

  if (self->paths == NULL || snapshot->frames == NULL || snapshot->frames->n_moments == 0)
    return TRUE;
  options.content = self->panels ? PRISM_FILM_PANELS : PRISM_FILM_RECONSTRUCTION;
  PRISM_FOR_EACH_STRING (path, self->paths)
    if (!prism_film_save (snapshot, *path, &options, NULL, NULL, error))
      return FALSE;
  return TRUE;
}

/* run --dry-run: what a run would be, and what it would take. */

/* A run that is only told. */
typedef struct
{
  const PrismConfig *config;
  PrismPattern *pattern;
  PrismBackendSpec spec;
  PrismMemoryEstimate need;
  const char *device; /* of prism-device-list */
  PrismForecast forecast;
} DryRun;

PRISM_CLEAR (DryRun, dry_run_clear, prism_pattern_unref, pattern)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DryRun, dry_run_clear)

/* What is not known of this machine yet is timed. */
static gboolean
foretell (DryRun *self,
          gboolean quiet,
          GError **error)
{
  PrismCosts costs;
  g_auto (PrismCliWatch) watch = { 0 };

  prism_cli_watch_init (&watch);
  if (!quiet && !prism_costs_load (&costs, self->config))
    prism_cli_warn ("Timing this machine for runs of this shape, once.");
  if (!prism_cost_probe_ensure (&costs, self->config, watch.cancellable, error))
    return FALSE;
  prism_forecast_init (&self->forecast, self->config, self->pattern, &costs);
  return TRUE;
}

/* As the run would choose it, which is what the check goes by then. */
static gboolean
choose_device (DryRun *self,
               gboolean saves,
               GError **error)
{
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops = prism_device_choose (self->config, self->pattern->n_points,
                                                    &self->spec, &reason, error);

  if (ops == NULL || !prism_device_check_config (self->config, error))
    return FALSE;
  self->device = ops->name;
  prism_memory_estimate_init (&self->need, self->config, &self->spec, ops, saves);
  return TRUE;
}

static void
print_time (const DryRun *self)
{
  const double *seconds = self->forecast.seconds;
  g_autofree char *text = prism_forecast_dup_text (&self->forecast);
  g_autofree char *spared = prism_clock_dup_duration (seconds[PRISM_TRAINING_SPARED]);
  g_autofree char *needed = prism_clock_dup_duration (seconds[PRISM_TRAINING_NEEDED]);

  printf ("# Time       %s\n", text);
  if (isfinite (seconds[PRISM_TRAINING_NEEDED]))
    printf ("#            %s if passes alone suffice, %s if the decoder must be"
            " trained\n",
            spared, needed);
}

/* The sizes are comments: the whole is a configuration again. */
static void
print_text (const DryRun *self)
{
  const PrismConfig *config = self->config;
  g_autofree char *text = prism_config_to_text (config);
  g_autofree char *host = g_format_size_full (self->need.host, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *device = g_format_size_full (self->need.device, G_FORMAT_SIZE_IEC_UNITS);

  printf ("# Nothing has been computed.\n");
  printf ("# Positions  %u frame%s of %d×%d px\n", self->pattern->n_points,
          self->pattern->n_points == 1 ? "" : "s", config->image_size, config->image_size);
  printf ("# Object     %d×%d px\n", config->object_size, config->object_size);
  if (prism_config_trains (config))
    printf ("# Decoder    %" G_GSIZE_FORMAT " parameters\n", self->spec.decoder.n_parameters);
  printf ("# Device     %s\n", self->device);
  printf ("# Memory     %s", host);
  if (self->need.device > 0)
    printf (", on the GPU %s", device);
  putchar ('\n');
  print_time (self);
  printf ("\n%s", text);
}

static void
print_json (const DryRun *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const PrismForecast *forecast = &self->forecast;

  prism_json_add (builder,
                  "{samples: %u, image_size: %d, object_size: %d, parameters: %ld, device: %s, "
                  "run_bytes: %lu, device_bytes: %lu, seconds_least: %g, seconds_most: %g, "
                  "seconds_as_set: %g, seconds_spared: %g, seconds_needed: %g, seconds_longest: %g",
                  self->pattern->n_points, self->config->image_size, self->config->object_size,
                  prism_config_trains (self->config) ? (gint64) self->spec.decoder.n_parameters : 0,
                  self->device, self->need.host, self->need.device, forecast->least, forecast->most,
                  forecast->seconds[PRISM_TRAINING_SET], forecast->seconds[PRISM_TRAINING_SPARED],
                  forecast->seconds[PRISM_TRAINING_NEEDED], forecast->longest);
  prism_cli_add_config (builder, self->config);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

/* Of recorded frames, which are ready: some are searched and passed over. */
static PrismExit
tell_frames (PrismScene *scene,
             const PrismConfig *config,
             gboolean saves,
             gboolean json)
{
  const PrismProblem *problem = scene->problem;
  const guint64 bytes = prism_problem_get_required_bytes (problem, config, saves);
  g_autofree char *memory = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = prism_config_to_text (config);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_auto (PrismCliWatch) watch = { 0 };
  g_autofree char *time = NULL;
  PrismForecast forecast = { .least = NAN };

  prism_cli_watch_init (&watch);
  if (prism_forecast_init_problem (&forecast, problem, config, watch.cancellable))
    time = prism_forecast_dup_text (&forecast);
  if (g_cancellable_is_cancelled (watch.cancellable))
    return prism_cli_engine_stopped ("");
  prism_json_add (builder,
                  "{frames: %u, object_size: %d, tiles: %u, run_bytes: %lu, seconds_as_set: %g",
                  problem->frames->n_frames, config->object_size,
                  prism_problem_get_n_tiles (problem), bytes, forecast.least);
  prism_cli_add_config (builder, config);
  prism_json_add (builder, "}");
  if (json)
    prism_cli_print_json (builder);
  else
    printf ("# Nothing has been computed.\n# Memory     %s\n# Time       %s\n\n%s", memory,
            time != NULL ? time : "open: the frames decide it", text);
  return PRISM_EXIT_OK;
}

/* Prints the whole configuration of a run, its sizes, memory and time; computes nothing of it. */
static PrismExit
tell_run (const PrismCliRunFile *file,
          const PrismConfig *config,
          gboolean json,
          gboolean quiet,
          GError **error)
{
  const gboolean saves = file->save != NULL;
  g_auto (DryRun) run = { .config = config };
  g_autoptr (PrismImage) object = NULL;

  if (file->scene != NULL)
    return tell_frames (file->scene, config, saves, json);
  object = prism_object_load (config, error);
  run.pattern = object != NULL ? prism_pattern_new (config, error) : NULL;
  if (run.pattern == NULL || !choose_device (&run, saves, error)
      || !foretell (&run, quiet || json, error))
    return prism_cli_engine_get_signal () != 0 ? prism_cli_engine_stopped ("")
                                               : PRISM_EXIT_FAILED;
  (json ? print_json : print_text) (&run);
  return PRISM_EXIT_OK;
}

typedef struct
{
  char *directory;
  char **reports;     /* (nullable): paths */
  const char *events; /* (nullable): directory */
  const FilmOptions *film;
  gboolean brief;
  gboolean json;
  gboolean quiet;
} RunOptions;

/* How far its samples converged, what it resolves, and how it correlates with the object. */
static void
print_quality (const PrismSnapshot *snapshot)
{
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, NULL);
  PrismResolution resolution;
  char *texts[] = {
    snapshot->sample_states != NULL
        ? prism_convergence_dup_text (snapshot->sample_states, snapshot->n_samples)
        : NULL,
    prism_resolution_compute_snapshot (&resolution, snapshot)
        ? prism_resolution_to_text (&resolution)
        : NULL,
    frc != NULL ? prism_frc_to_text (frc) : NULL,
  };

  PRISM_FOR_EACH_OF (text, texts)
    {
      if (*text != NULL)
        printf ("%s\n", *text);
      g_free (*text);
    }
}

/* A device that shares the host's memory has nothing to tell here. */
static void
print_device (const PrismSnapshot *snapshot)
{
  const PrismDeviceCounters *counters = &snapshot->counters;
  guint64 bytes = prism_device_counters_get_bytes (counters);
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *used = g_format_size_full (snapshot->memory_used, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *peak = g_format_size_full (snapshot->memory_peak, G_FORMAT_SIZE_IEC_UNITS);

  if (bytes == 0)
    return;
  printf ("%" G_GUINT64_FORMAT " transfers of %s in all, %" G_GUINT64_FORMAT
          " graph launches, %" G_GUINT64_FORMAT " waits, %s used, %s at most.\n",
          prism_device_counters_get_n (counters), size, counters->n_launches, counters->n_waits,
          used, peak);
  if (counters->n_overflows > 0)
    printf ("%" G_GUINT64_FORMAT " steps skipped by the loss scale, which is %g now.\n",
            counters->n_overflows, counters->loss_scale);
}

static void
print_fold (const PrismFold *fold)
{
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  if (fold == NULL)
    return;
  before = g_format_size_full (fold->n_bytes_before, G_FORMAT_SIZE_IEC_UNITS);
  after = g_format_size_full (fold->n_bytes, G_FORMAT_SIZE_IEC_UNITS);
  printf ("Decoder for output: %" G_GSIZE_FORMAT " → %" G_GSIZE_FORMAT " parameters, %s → %s,"
          " %.2f → %.2f ms for an image, which differs by %.1e at most.\n",
          fold->n_parameters_before, fold->plan.n_parameters, before, after,
          fold->milliseconds_before, fold->milliseconds, fold->difference);
}

/* What the first passes look at; the last ones look at whole frames. */
static void
print_frames (const PrismSnapshot *snapshot)
{
  const guint side = snapshot->frame_side, n = (guint) snapshot->config->image_size;

  if (side == 0)
    return;
  if (side < n)
    printf ("Passes on %u×%u pixels of %u×%u frames.\n", side, side, n, n);
  else if (snapshot->config->frames == PRISM_FRAMES_SMALL)
    printf ("Passes on whole %u×%u frames: there are no smaller ones here.\n", n, n);
}

static void
print_outcome (const PrismSnapshot *snapshot,
               const char *directory)
{
  gboolean trains = prism_config_trains (snapshot->config);
  const char *one = trains ? "step" : "pass";
  const char *many = trains ? "steps" : "passes";
  const char *training = prism_training_get_text (snapshot->training);
  g_autofree char *metrics = prism_metrics_dup_text (&snapshot->metrics, 0, FALSE);
  g_autofree char *remarks = prism_snapshot_dup_remarks (snapshot, FALSE);
  g_autofree char *written = prism_cli_dup_written (directory);
  g_auto (GStrv) lines = g_strsplit (remarks, "\n", -1);

  prism_cli_say ("%s after %" G_GUINT64_FORMAT " %s in %.1f s on %s.",
                 snapshot->state == PRISM_STATE_FINISHED ? "Finished" : "Stopped",
                 snapshot->step, snapshot->step == 1 ? one : many, snapshot->seconds,
                 snapshot->device);
  if (isfinite (snapshot->metrics.psnr))
    printf ("%s, coverage %.0f %%.\n", metrics, 100 * snapshot->coverage);
  print_frames (snapshot);
  if (training != NULL && snapshot->training != PRISM_TRAINING_WAITS)
    prism_cli_say ("%s", training);
  else
    prism_cli_say ("Picture: %s.", prism_snapshot_get_maker (snapshot));
  PRISM_FOR_EACH_STRING (line, lines)
    prism_cli_say ("%s", *line);
  print_quality (snapshot);
  print_device (snapshot);
  print_fold (snapshot->fold);
  prism_cli_say ("Written to %s: %s.", directory, written);
}

static gboolean
save_reports (PrismSnapshot *snapshot,
              char **paths,
              GError **error)
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (PrismResult) result = NULL;
  g_autofree char *name = NULL;

  if (paths == NULL)
    return TRUE;
  name = prism_approach_dup_name (snapshot->config);
  result = prism_result_new (name, snapshot);
  prism_comparison_add (comparison, result);
  for (; *paths != NULL; paths++)
    if (!prism_report_save (comparison, *paths, error))
      return FALSE;
  return TRUE;
}

typedef struct
{
  PrismSnapshot *snapshot;
  gboolean brief;
} Export;

/* Of recorded frames, whose folder is written already; a field that was stopped has no more. */
static PrismExit
conclude_measurements (PrismSnapshot *snapshot,
                       const RunOptions *options,
                       GError **error)
{
  const gboolean is_part = prism_snapshot_get_stopped (snapshot) > 0;

  if (!prism_cli_engine_check (snapshot, error)
      || (options->events != NULL && !is_part
          && !prism_tensorboard_save (snapshot, options->events, error))
      || (!is_part && !save_film (options->film, snapshot, error))
      || !prism_cli_measurements_conclude (options->directory, is_part ? NULL : options->reports,
                                           options->json, options->quiet, error))
    return PRISM_EXIT_FAILED;
  return PRISM_EXIT_OK;
}

static gboolean
write_into (gpointer data,
            const char *directory,
            GError **error)
{
  const Export *self = data;

  return prism_export_save (self->snapshot, directory, self->brief, error);
}

static gboolean
write_all (PrismSnapshot *snapshot,
           const RunOptions *options,
           GError **error)
{
  gint64 begun = prism_profile_begin ();
  gboolean ok = prism_cli_write_result (options->directory, write_into,
                                        &(Export) { snapshot, options->brief }, error)
                && (options->events == NULL
                    || prism_tensorboard_save (snapshot, options->events, error))
                && save_reports (snapshot, options->reports, error)
                && save_film (options->film, snapshot, error);

  prism_profile_end (PRISM_STAGE_EXPORT, begun);
  return ok;
}

/* A run that failed half way has a result, too; one that never began has none. */
static PrismExit
conclude (PrismSnapshot *snapshot,
          const RunOptions *options,
          GError **error)
{
  if (prism_snapshot_is_recorded (snapshot))
    return conclude_measurements (snapshot, options, error);
  if ((snapshot->state != PRISM_STATE_FAILED || snapshot->reconstruction != NULL)
      && !write_all (snapshot, options, error))
    return PRISM_EXIT_FAILED;
  if (!prism_cli_engine_check (snapshot, error))
    return PRISM_EXIT_FAILED;
  if (options->json)
    prism_cli_print_text (prism_export_dup_summary (snapshot));
  else if (!options->quiet)
    print_outcome (snapshot, options->directory);
  return PRISM_EXIT_OK;
}

static void
print_scale (const PrismConfig *config)
{
  g_autofree char *advice = prism_units_dup_advice (config);
  g_autofree char *text = NULL;
  PrismUnits units;

  prism_units_init_config (&units, config);
  text = prism_units_dup_text (&units);
  printf ("%s\n", text);
  if (advice != NULL)
    prism_cli_warn ("%s", advice);
}

/* Says how the run's file goes on, or that it is not what it should be, beside what else went
 * wrong. path: (nullable): of the file */
static void
conclude_saving (const PrismSnapshot *snapshot,
                 const char *path,
                 gboolean quiet,
                 GError **error)
{
  const GError *unsaved = prism_cli_engine_get_save_failure ();

  if (unsaved != NULL && prism_cli_engine_check (snapshot, NULL))
    prism_cli_note (g_error_copy (unsaved), error);
  else if (unsaved == NULL && path != NULL && snapshot->state == PRISM_STATE_STOPPED && !quiet)
    prism_cli_say ("To go on: prism-cli run --resume %s", path);
}

static void
end_profile (const char *path,
             const PrismSnapshot *snapshot,
             const PrismRoof *roof,
             gboolean quiet,
             GError **error)
{
  g_autoptr (PrismTrace) trace = prism_profile_stop ();
  GError *unsaved = NULL;

  /* What a GPU can do nobody has measured. */
  if (g_strcmp0 (snapshot->backend, "cpu") == 0)
    trace->roof = *roof;
  if (!prism_trace_save (trace, path, &unsaved))
    prism_cli_note (unsaved, error);
  else if (!quiet)
    prism_cli_say ("Profile of %.2f s in %s; to take it took %.3f %% of them.",
                   trace->seconds, path, 100 * prism_trace_get_overhead (trace));
}

/**
 * prism_cli_run:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli run: reconstructs, shows how it gets on, writes the result.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_run (int argc,
               char **argv,
               GError **error)
{
  PrismCliOptions options = { 0 };
  char *directory = (char *) "prism-output", *events = NULL, *profile = NULL;
  char *measurements = NULL;
  char **reports = NULL;
  FilmOptions film = { 0 };
  g_auto (PrismCliRunFile) file = { 0 };
  PrismCliRecordingOptions reading = { 0 };
  gboolean json = FALSE, quiet = FALSE, dry_run = FALSE, brief = FALSE, of_one_run;
  const PrismCliOption entries[] = {
    PRISM_CLI_OUTPUT_ENTRY (&directory,
                            "Write the result into this directory (default: prism-output)"),
    { "brief", 0, PRISM_CLI_SWITCH, &brief,
      "Write reconstruction.npy (recorded frames: object, pupil), tables and summary alone" },
    { "report", 'r', PRISM_CLI_OUTPUTS, &reports,
      "Write a report, as HTML or PDF by the ending; may be given again", "FILE" },
    PRISM_CLI_TENSORBOARD_ENTRY (&events),
    { "animation", 'a', PRISM_CLI_OUTPUTS, &film.paths,
      "Write the moments of the run: .apng, .gif, .webm, or a folder; may be given again", "FILE",
      .names = "frame-*.png" },
    { "animation-panels", 0, PRISM_CLI_SWITCH, &film.panels, "Animate the error and k-space, too" },
    { "animation-rate", 0, PRISM_CLI_INTEGER, &film.options.rate,
      "Moments per second (default: 15)", "N", 1, MOST_RATE },
    { "animation-scale", 0, PRISM_CLI_INTEGER, &film.options.scale,
      "Size of a pixel (default: 1)", "N", 1, 2 },
    { "save", 0, PRISM_CLI_OUTPUT, &file.save,
      "Save the run as it goes on, in this new file (.prismrun)", "FILE" },
    { "resume", 0, PRISM_CLI_INPUT, &file.resume,
      "Go on with a run that was saved; with --set and --save as another run", "FILE" },
    PRISM_CLI_MEASUREMENTS_ENTRIES (&measurements, &reading),
    { "dry-run", 'n', PRISM_CLI_SWITCH, &dry_run,
      "Run nothing: print the whole configuration, sizes, memory and time" },
    { "profile", 0, PRISM_CLI_OUTPUT, &profile,
      "Note where the time goes: .prismprof, .json (Perfetto), .syscap (Sysprof)", "FILE" },
    { "json", 0, PRISM_CLI_SWITCH, &json, "Print nothing but the summary, as JSON" },
    PRISM_CLI_QUIET_ENTRY (&quiet),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (PrismSnapshot) snapshot = NULL;
  PrismRoof roof;
  PrismExit code;

  prism_film_options_init (&film.options);
  if (!prism_cli_parse (entries, &options, &argc, &argv, error)
      || !prism_cli_check_reports (reports, error)
      || (profile != NULL && !prism_trace_check_path (profile, error)))
    return PRISM_EXIT_FAILED;
  of_one_run = reports != NULL || events != NULL || film.paths != NULL || file.save != NULL
               || profile != NULL || brief;
  if (!prism_cli_measurements_check (measurements, &reading, NULL, error)
      || (measurements != NULL
          && (config = prism_cli_options_load_for (&options, PRISM_FRAMES_RECORDED, error))
                 == NULL))
    return PRISM_EXIT_FAILED;

  prism_cli_engine_catch_signals (); /* from here on there may be something to tidy up */
  file.output = directory;
  file.brief = brief;
  if (measurements == NULL)
    config = prism_cli_run_file_load (&file, &options, error);
  else if (!prism_cli_measurements_load (&file, measurements, &reading, config, film.paths != NULL,
                                         quiet || json, error))
    return PRISM_EXIT_FAILED;
  if (config != NULL && dry_run
      && (config->tile == 0 || file.resume != NULL || file.scene != NULL))
    {
      if (file.resume == NULL)
        return tell_run (&file, config, json, quiet, error);
      prism_error_config (error,
                          "--dry-run tells of a run from its beginning: leave out --resume.");
      return PRISM_EXIT_FAILED;
    }
  if (config != NULL && config->tile != 0 && file.resume == NULL && file.scene == NULL)
    {
      if (!of_one_run)
        return prism_cli_tiles_run (config, directory, dry_run, json, quiet, error);
      prism_error_config (error,
                          "With tile there is a run for each tile: --report, --tensorboard,"
                          " --animation, --save, --resume, --profile and --brief are for one run."
                          " Leave them out, or set tile=0.");
      return PRISM_EXIT_FAILED;
    }
  if (config == NULL || !prism_cli_claim_folder (directory, error)
      || (events != NULL && !prism_cli_claim_folder (events, error))
      || !check_film (&film, config, error))
    return PRISM_EXIT_FAILED;
  if (!quiet && !json)
    {
      prism_cli_note_older (directory);
      if (file.scene == NULL && (file.run == NULL || file.run->snapshot->problem == NULL))
        print_scale (config);
    }
  if (profile != NULL)
    {
      /* What the machine can do is measured before, so that it is no part of the run. */
      prism_roof_measure (&roof);
      prism_profile_name_thread ("main");
      prism_profile_start ();
    }
  snapshot = prism_cli_run_file_run (&file, config, quiet || json, error);
  if (snapshot == NULL)
    return PRISM_EXIT_FAILED;

  if (file.resume == NULL)
    prism_forecast_learn (snapshot);
  code = conclude (snapshot,
                   &(const RunOptions) { directory, reports, events, &film, brief, json, quiet },
                   error);
  if (profile != NULL)
    end_profile (profile, snapshot, &roof, quiet || json, error);
  conclude_saving (snapshot, file.save != NULL ? file.save : file.resume, quiet || json, error);
  return code == PRISM_EXIT_OK && *error == NULL && snapshot->state == PRISM_STATE_STOPPED
             ? prism_cli_engine_get_exit ()
             : code;
}
