#include "config.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "prism-cli-engine.h"
#include "prism-cli-measurements.h"
#include "prism-cli-output.h"
#include "prism-cli-run-file.h"
#include "prism-cli.h"
#include "results/prism-tensorboard.h"
#include "results/prism-export.h"
#include "ptychography/prism-ptychogram.h"
#include "run/prism-run-file.h"
#include "run/prism-run-lock.h"

/* Names of the parts that are not as they were written. */
static GPtrArray *
find_damage (const char *path)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (path, NULL);
  GPtrArray *damaged = g_ptr_array_new_with_free_func (g_free);
  const char *const *names = archive != NULL ? prism_archive_get_names (archive) : NULL;

  PRISM_FOR_EACH_STRING (name, names)
    if (!prism_archive_check (archive, *name, NULL))
      g_ptr_array_add (damaged, g_strdup (*name));
  return damaged;
}

/* Of recorded frames what decides what comes of them. */
static void
print_config (const PrismSnapshot *snapshot)
{
  g_autofree char *config = prism_config_to_text (snapshot->config);
  g_auto (GStrv) lines = g_strsplit (g_strchomp (config), "\n", -1);
  const gboolean recorded = prism_snapshot_is_recorded (snapshot);

  for (char **line = lines; !recorded && *line != NULL; line++)
    prism_cli_say ("%s", *line);
  PRISM_FOR_EACH_PARAM (param)
    if (recorded && prism_config_decides (snapshot->config, param))
      {
        g_autofree char *value = prism_config_dup_text (snapshot->config, param);

        prism_cli_say ("%s=%s", param->key, value);
      }
}

/* The passes of the polish go over all samples. */
static char *
dup_place (const PrismSnapshot *snapshot)
{
  const gboolean polishes = snapshot->phase == PRISM_PHASE_POLISH && snapshot->n_passes > 0;
  const guint pass = polishes ? MIN (snapshot->pass + 1, snapshot->n_passes) : snapshot->pass;

  if (snapshot->phase == PRISM_PHASE_DONE && snapshot->n_done > 0)
    return g_strdup_printf ("%u of %u tiles", snapshot->n_done, snapshot->n_tiles);
  if (snapshot->n_tiles > 0)
    return g_strdup_printf ("tile %u of %u, pass %u of %u",
                            prism_snapshot_get_tile (snapshot, pass), snapshot->n_tiles, pass,
                            snapshot->n_passes);
  if (polishes || snapshot->problem != NULL)
    return g_strdup_printf ("pass %u of %u", pass, snapshot->n_passes);
  return g_strdup_printf ("position %u of %u", MIN (snapshot->sample + 1, snapshot->n_samples),
                          snapshot->n_samples);
}

static void
print_text (const char *path,
            const PrismRun *run,
            GPtrArray *damaged)
{
  const PrismSnapshot *snapshot = run->snapshot;
  g_autofree char *metrics = prism_metrics_dup_text (&snapshot->metrics, 0, FALSE);
  g_autofree char *object_notice = prism_snapshot_dup_object_notice (snapshot);
  g_autofree char *place = dup_place (snapshot);

  prism_cli_say ("%s, begun %s, saved %s%s.", run->state_name,
                 run->identity->started, run->saved,
                 prism_run_lock_is_taken (path) ? ", being written now" : "");
  if (run->identity->parent != NULL)
    prism_cli_say ("Forked from %s.", run->identity->parent);
  prism_cli_say ("Step %" G_GUINT64_FORMAT ", %s, %.1f s on %s.", snapshot->step, place,
                 snapshot->seconds, snapshot->device);
  if (isfinite (snapshot->metrics.psnr))
    printf ("%s, coverage %.0f %%.\n", metrics, 100 * snapshot->coverage);
  /* Where the frames are, and how well those are predicted that were never used. */
  if (snapshot->problem != NULL)
    {
      prism_cli_say ("Recorded frames: %s, %u of them used.", snapshot->config->object,
                     snapshot->n_samples);
      if (snapshot->correlation != 0)
        prism_cli_say ("Frames that were never used: misfit %.4f, correlation %.4f, %s.",
                       snapshot->misfit, snapshot->correlation,
                       prism_snapshot_get_stopped (snapshot) > 0
                           ? "and no verdict on the whole field"
                           : prism_verdict_get_label (&snapshot->verdict, snapshot->coverage));
    }
  if (run->notice != NULL)
    prism_cli_say ("%s", run->notice);
  if (object_notice != NULL)
    prism_cli_say ("Object: %s", object_notice);
  PRISM_FOR_EACH_POINTER (const char, name, damaged)
    prism_cli_say ("Damaged: %s", name);
  putchar ('\n');
  print_config (snapshot);
}

static void
print_json (const char *path,
            const PrismRun *run,
            GPtrArray *damaged)
{
  const PrismSnapshot *snapshot = run->snapshot;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *object_notice = prism_snapshot_dup_object_notice (snapshot);

  prism_json_add (builder,
                  "{id: %s, parent: %s, started: %s, saved: %s, state: %s, locked: %i, step: %lu, "
                  "n_steps: %lu, sample: %u, n_samples: %u, seconds: %g",
                  run->identity->id, run->identity->parent, run->identity->started, run->saved,
                  run->state_name, prism_run_lock_is_taken (path), snapshot->step,
                  snapshot->n_steps, snapshot->sample, snapshot->n_samples, snapshot->seconds);
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    prism_json_add (builder, "%s: %g", prism_metrics[i].key, snapshot->metrics.values[i]);
  prism_json_add (builder, "device: %s, notice: %s, object_notice: %s, damaged: [",
                  snapshot->device, run->notice, object_notice);
  PRISM_FOR_EACH_POINTER (const char, name, damaged)
    prism_json_add (builder, "%s", name);
  prism_json_add (builder, "]");
  /* As summary.json of its result has them. */
  if (prism_snapshot_is_recorded (snapshot))
    {
      prism_json_add (builder, "measurements: %s, verdict: %s, passes: %lu",
                      snapshot->config->object,
                      snapshot->verdict.kind == PRISM_VERDICT_OPEN
                          ? "unknown"
                          : prism_verdict_get_key (snapshot->verdict.kind),
                      prism_snapshot_count_passes (snapshot));
      if (snapshot->n_tiles > 0)
        prism_json_add (builder, "tiles: {count: %u, done: %u}", snapshot->n_tiles,
                        snapshot->n_done);
      if (snapshot->correlation != 0)
        prism_json_add (builder, "held_out: {correlation: %g, misfit: %g}", snapshot->correlation,
                        snapshot->misfit);
      prism_json_add (builder, "settings: {");
      PRISM_FOR_EACH_PARAM (param)
        if (prism_config_decides (snapshot->config, param))
          {
            g_autofree char *value = prism_config_dup_text (snapshot->config, param);

            prism_json_add (builder, "%s: %s", param->key, value);
          }
      prism_json_add (builder, "}");
    }
  if (snapshot->problem == NULL)
    prism_cli_add_config (builder, snapshot->config);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

/* Whether it is to be read as a recording rather than as a run: runs are ZIP archives of their own
 * kind. What is not there is left to the reader of runs, and so are pipes: to open one may take
 * forever. */
static gboolean
is_recording (const char *path)
{
  char head[4] = "";
  FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rbe") : NULL;
  g_autoptr (PrismArchive) archive = NULL;
  gsize n;

  if (file == NULL || g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX))
    {
      g_clear_pointer (&file, fclose);
      return g_file_test (path, G_FILE_TEST_IS_DIR) && !prism_exchange_has_result (path);
    }
  n = fread (head, 1, sizeof head, file);
  fclose (file);
  if (n == sizeof head && memcmp (head, "PK\003\004", n) == 0)
    archive = prism_archive_open (path, NULL);
  return archive == NULL
         || !g_strv_contains (prism_archive_get_names (archive), PRISM_RUN_INDEX);
}

static void
print_number (const char *label,
              double value,
              double scale,
              const char *unit)
{
  if (isfinite (value))
    prism_cli_say ("%-22s %.6g%s%s", label, value * scale,
                   *unit != '\0' ? " " : "", unit);
  else
    prism_cli_say ("%-22s unknown", label);
}

static void
print_recording (const PrismRecording *recording,
                 const GError *missing)
{
  prism_cli_say ("%s: %u frames of %u × %u pixels.", recording->format,
                 recording->n_frames, recording->width, recording->height);
  print_number ("Wavelength", recording->wavelength, 1e9, "nm");
  print_number ("Pixel at the specimen", recording->pixel_size, 1e6, "µm");
  print_number ("Aperture (NA)", recording->na, 1, "");
  print_number ("Distance of the LEDs", recording->distance, 1e3, "mm");
  if (isfinite (recording->defocus))
    print_number ("Defocus, not used", recording->defocus, 1e6, "µm: the search finds it");
  PRISM_FOR_EACH_POINTER (const char, note, recording->notes)
    prism_cli_say ("%s", note);
  prism_cli_measurements_print_choice (recording);
  prism_cli_say ("%s",
                 missing != NULL ? missing->message
                                 : "Nothing is missing for a reconstruction.");
}

static void
print_recording_json (const PrismRecording *recording,
                      const GError *missing)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder,
                  "{format: %s, n_frames: %u, height: %u, width: %u, wavelength: %g, pixel_size: "
                  "%g, na: %g, distance: %g, defocus: %g, positions: %i, directions: [",
                  recording->format, recording->n_frames, recording->height, recording->width,
                  recording->wavelength, recording->pixel_size, recording->na, recording->distance,
                  recording->defocus, recording->positions != NULL);
  for (gsize i = 0; recording->directions != NULL && i < 2 * (gsize) recording->n_frames; i++)
    prism_json_add (builder, "%g", recording->directions[i]);
  prism_json_add (builder, "], notes: [");
  PRISM_FOR_EACH_POINTER (const char, note, recording->notes)
    prism_json_add (builder, "%s", note);
  prism_json_add (builder, "], tile: %d, missing: %s}",
                  MAX (prism_mosaic_choose_side (recording, PRISM_TILE_AUTO), 0),
                  missing != NULL ? missing->message : NULL);
  prism_cli_print_json (builder);
}

/* What was understood of a recording, and what is missing. */
static PrismExit
inspect_recording (const PrismCliRecordingOptions *self,
                   const char *path,
                   gboolean json,
                   GError **error)
{
  g_autoptr (GError) missing = NULL;
  g_autoptr (PrismRecording) recording = prism_cli_recording_load (self, path, error);

  if (recording == NULL)
    return PRISM_EXIT_FAILED;
  if (prism_recording_check (recording, &missing))
    prism_ptychogram_check_pixel (recording, -1, &missing);
  (json ? print_recording_json : print_recording) (recording, missing);
  return missing != NULL ? prism_cli_exit_from_error (missing) : PRISM_EXIT_OK;
}

/* What a recipe can say. */
static PrismExit
print_keys (void)
{
  gsize n;
  const PrismRecipeKey *keys = prism_recipe_get_keys (&n);

  for (gsize i = 0; i < n; i++)
    prism_cli_say ("%-18s %s%s%s%s", keys[i].key, keys[i].help,
                   keys[i].choices != NULL ? " (" : "",
                   keys[i].choices != NULL ? keys[i].choices : "",
                   keys[i].choices != NULL ? ")" : "");
  return PRISM_EXIT_OK;
}

/**
 * prism_cli_inspect:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli inspect: says what is in a run file, and what of it is damaged; or what was understood
 * of a recording, and what is missing.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_inspect (int argc,
                   char **argv,
                   GError **error)
{
  gboolean json = FALSE, keys = FALSE;
  PrismCliRecordingOptions options = { 0 };
  const PrismCliOption entries[] = {
    { "json", 0, PRISM_CLI_SWITCH, &json, "Print JSON" },
    { "recipe", 0, PRISM_CLI_INPUT, &options.recipe,
      "How a recording is to be understood", "FILE" },
    { "assign", 0, PRISM_CLI_TEXTS, &options.values,
      "One line of a recipe; as often as needed", "KEY=VALUE" },
    { "positions", 0, PRISM_CLI_INPUT, &options.positions,
      "Where the light of each frame came from", "CSV" },
    { "save-recipe", 0, PRISM_CLI_OUTPUT, &options.save_recipe,
      "Write recipe and --assign into a file", "FILE" },
    { "keys", 0, PRISM_CLI_ALONE, &keys, "List what a recipe can say" },
    { NULL },
  };
  g_autoptr (GPtrArray) damaged = NULL;
  g_autoptr (PrismRun) run = NULL;

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (keys)
    return print_keys ();
  if (is_recording (argv[1]))
    return inspect_recording (&options, argv[1], json, error);
  run = prism_cli_run_file_read (argv[1], error);
  if (run == NULL)
    return PRISM_EXIT_FAILED;
  damaged = find_damage (argv[1]);
  (json ? print_json : print_text) (argv[1], run, damaged);
  return damaged->len > 0 ? PRISM_EXIT_FILE : PRISM_EXIT_OK;
}

/* Reads the frames of a run again, which it takes, and writes what explains them, as the run itself
 * would have. */
static gboolean
export_again (PrismRun *run,
              const char *directory,
              GError **error)
{
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, error);
  g_autoptr (PrismSnapshot) last = NULL;

  /* Nothing is left to do for a device. */
  run->snapshot->config->backend = PRISM_BACKEND_CPU;
  if (engine == NULL)
    {
      prism_run_free (run);
      return FALSE;
    }
  if (!prism_engine_resume (engine, run, NULL, NULL, error))
    return FALSE;
  last = prism_cli_engine_wait_ready (engine);
  if (!prism_cli_engine_check (last, error))
    return FALSE;
  last = prism_engine_write (engine, directory, FALSE, g_steal_pointer (&last), error);
  return last != NULL && last->exported != NULL;
}

/* Without the frames there are the pictures alone. */
static gboolean
export_frames (PrismRun **run,
               PrismSnapshot *snapshot,
               const char *directory,
               GError **error)
{
  g_autoptr (GError) gone = NULL;

  if (snapshot->reconstruction == NULL)
    return prism_error_config (
        error, "Nothing is found yet in this run: its search for the pupil is not over. Go on"
               " with it by “prism-cli run --resume”.");
  if (export_again (g_steal_pointer (run), directory, &gone))
    {
      prism_cli_say ("Written to %s: what “prism-cli run --measurements” writes.",
                     directory);
      return TRUE;
    }
  prism_cli_warn ("%s", gone->message);
  if (!prism_export_save (snapshot, directory, FALSE, error))
    return FALSE;
  prism_cli_say ("Written to %s: amplitude, phase, the curves and a summary, without the complex"
                 " object, the pupil and the table of the frames.",
                 directory);
  return TRUE;
}

static gboolean
export_simulated (PrismRun *run,
                  const char *directory,
                  GError **error)
{
  g_autoptr (GError) missing = NULL;

  if (!prism_export_fold_decoder (run->snapshot, run->state, &missing))
    prism_cli_warn ("%s", missing->message);
  if (!prism_export_save (run->snapshot, directory, FALSE, error))
    return FALSE;
  prism_cli_say ("Written to %s: what “prism-cli run” writes.", directory);
  return TRUE;
}

/**
 * prism_cli_export:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli export: writes what a run file holds as run would have written it.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_export (int argc,
                  char **argv,
                  GError **error)
{
  char *directory = (char *) "prism-output";
  char *events = NULL;
  const PrismCliOption entries[] = {
    PRISM_CLI_TENSORBOARD_ENTRY (&events),
    PRISM_CLI_OUTPUT_ENTRY (&directory, "Write into this directory (default: prism-output)"),
    { NULL },
  };
  g_autoptr (PrismRun) run = NULL;
  g_autoptr (PrismSnapshot) snapshot = NULL;

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  run = prism_cli_run_file_read (argv[1], error);
  if (run == NULL)
    return PRISM_EXIT_FAILED;
  if (run->notice != NULL)
    prism_cli_warn ("%s", run->notice);
  if (!prism_cli_claim_folder (directory, error))
    return PRISM_EXIT_FAILED;
  prism_cli_note_older (directory);
  snapshot = prism_snapshot_ref (run->snapshot);
  if (!(snapshot->problem != NULL ? export_frames (&run, snapshot, directory, error)
                                  : export_simulated (run, directory, error))
      || (events != NULL && !prism_tensorboard_save (snapshot, events, error)))
    return PRISM_EXIT_FAILED;
  if (events != NULL)
    prism_cli_say ("Written to %s: events for TensorBoard.", events);
  return PRISM_EXIT_OK;
}
