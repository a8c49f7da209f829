#include "config.h"

#include "prism-cli-measurements.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-json.h"
#include "config/prism-config.h"
#include "config/prism-device-list.h"
#include "device/prism-registry.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-finding-report.h"
#include "prism-cli.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-mosaic.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-export.h"
#include "results/prism-export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this share of their area, neighbouring pupils do not tie each other's phases together. */
#define LEAST_OVERLAP 0.35
#define SLOW_SEARCH 2.0 /* s */
#define BACKEND "backend="

/**
 * prism_cli_measurements_check:
 * @measurements: (nullable): the frames
 * @reading: how they are to be understood
 * @unused: (nullable): an option that was given and is of simulated runs alone
 *
 * Refuses what recorded frames do not have, and what says something of frames that are not there.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the options go together
 */
gboolean
prism_cli_measurements_check (const char *measurements,
                              const PrismCliRecordingOptions *reading,
                              const char *unused,
                              GError **error)
{
  if (measurements == NULL
      && (reading->positions != NULL || reading->recipe != NULL || reading->values != NULL))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--positions, --recipe and --assign say how recorded frames are to be read:"
                   " name the frames with --measurements FILE.");
      return FALSE;
    }
  if (measurements != NULL && unused != NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s is of simulated runs: leave it out with --measurements.", unused);
      return FALSE;
    }
  return TRUE;
}

/* What is computed, and what has come of it. */
typedef struct
{
  PrismRecording *recording;
  PrismPtychographySettings settings;
  PrismMosaic *mosaic;       /* (nullable) */
  PrismPtychography *solver; /* of the middle tile */
  GArray *progress;          /* of PrismPrediction: of that */
  double begun;
  gboolean quiet;
  int choice;                     /* of the device */
  const PrismRecordedOps *device; /* (nullable): that takes the passes */
  char *device_name;
  char *device_reason; /* why it is this one, a sentence */
  double search_begun;
  gint is_slow; /* it was said that a search takes long */
} Work;

static void
clear_work (Work *self)
{
  prism_ptychography_free (self->solver);
  prism_mosaic_free (self->mosaic);
  prism_recording_free (self->recording);
  g_clear_pointer (&self->progress, g_array_unref);
  g_free (self->device_name);
  g_free (self->device_reason);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, clear_work)

/* The device is a parameter of simulated runs, too, and is written as there. */
static gboolean
read_backend (const char *setting,
              int *choice,
              GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  if (!prism_config_set_text (config, "backend", setting + strlen (BACKEND), error))
    return FALSE;
  *choice = config->backend;
  return TRUE;
}

/**
 * prism_cli_measurements_read:
 * @options: whose settings are those of recorded frames
 * @settings: (out): them
 * @backend: (out): the device that is asked for
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether all are good
 */
gboolean
prism_cli_measurements_read (const PrismCliOptions *options,
                             PrismPtychographySettings *settings,
                             int *backend,
                             GError **error)
{
  *backend = PRISM_BACKEND_CPU;
  prism_ptychography_settings_init (settings);
  if (options->preset != NULL || options->config != NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--preset and --config are of simulated runs: leave them out, and set what"
                   " recorded frames need with --set, for example --set passes=20.");
      return FALSE;
    }
  for (char **setting = options->settings; setting != NULL && *setting != NULL; setting++)
    if (!(g_str_has_prefix (*setting, BACKEND)
              ? read_backend (*setting, backend, error)
              : prism_ptychography_settings_parse (settings, *setting, error)))
      return FALSE;
  return TRUE;
}

static void
print_understood (const PrismRecording *recording,
                  const PrismPtychogram *frames)
{
  prism_cli_print_line (stdout, "%s: %u frames of %u×%u pixels, %s.", recording->path,
                        recording->n_frames, recording->width, recording->height,
                        recording->format);
  for (guint i = 0; recording->notes != NULL && i < recording->notes->len; i++)
    prism_cli_print_line (stdout, "  %s", (const char *) g_ptr_array_index (recording->notes, i));
  prism_cli_print_line (
      stdout, "Object of %d×%d pixels of %.3g µm; %u bright frames, neighbours share %.0f %%.",
      frames->upsampling * frames->side, frames->upsampling * frames->side,
      1e6 * frames->pixel_size, frames->n_bright, 100 * frames->overlap);
  if (frames->n_at_rim > 0)
    prism_cli_print_line (stdout,
                          "%u frames whose LED lies within %d %% of the pupil's rim may be half"
                          " bright; half_bright=%d leaves them out.",
                          frames->n_at_rim, PRISM_PTYCHOGRAM_RIM, PRISM_PTYCHOGRAM_RIM);
  if (frames->uneven)
    prism_cli_print_line (stdout, "Stray light is not the same everywhere: of each frame its own is"
                                  " taken off; background=auto finds it.");
  if (frames->overlap < LEAST_OVERLAP)
    prism_cli_print_line (stderr,
                          "prism-cli: neighbouring pupils share %.0f %% of their area; below %.0f"
                          " %% their phases are hardly tied together.",
                          100 * frames->overlap, 100 * LEAST_OVERLAP);
}

static void
print_finding (const PrismFinding *finding,
               const char *device,
               const char *device_reason,
               const char *directory,
               gboolean brief)
{
  const PrismPrediction *held_out = &finding->held_out;
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (held_out);

  if (held_out->n_frames > 0)
    prism_cli_print_line (stdout,
                          "%u frames that were never used: misfit %.4f, correlation %.4f (others:"
                          " %.4f, %.4f).",
                          held_out->n_frames, held_out->misfit, held_out->correlation,
                          finding->used.misfit, finding->used.correlation);
  if (strcmp (device, "CPU") == 0)
    prism_cli_print_line (stdout, "%s", device_reason);
  else
    prism_cli_print_line (stdout, "%s (%s)", device_reason, device);
  if (prism_cli_engine_get_signal () != 0)
    prism_cli_print_line (stdout, "Stopped after %u pass%s.", finding->progress->len,
                          finding->progress->len == 1 ? "" : "es");
  prism_cli_print_line (stdout, "%s", verdict);
  for (guint i = 0; i < finding->doubts->len; i++)
    prism_cli_print_line (stdout, "%s", (const char *) g_ptr_array_index (finding->doubts, i));
  prism_cli_print_line (stdout,
                        brief ? "%.2f s. Written to %s: object.npy, pupil.npy, frames.csv,"
                                " passes.csv, summary.json."
                              : "%.2f s. Written to %s: amplitude, phase, pupil, object (.npy,"
                                " .png), amplitude.tif, phase.tif, ptylab.hdf5, frames.csv,"
                                " passes.csv, summary.json.",
                        finding->seconds, directory);
}

static const char *
get_text (JsonNode *summary,
          const char *name)
{
  return json_object_get_string_member_with_default (json_node_get_object (summary), name, "");
}

/**
 * prism_cli_measurements_conclude:
 * @directory: that a result has been written into
 * @reports: (nullable): paths of reports
 * @brief: whether the result is
 * @json: whether the summary alone is printed
 * @quiet: whether nothing is
 *
 * Writes the reports of a result of recorded frames, and says what it is.
 *
 * Errors: those of prism_finding_load() and prism_finding_report_save().
 *
 * Returns: whether all is written
 */
gboolean
prism_cli_measurements_conclude (const char *directory,
                                 char **reports,
                                 gboolean brief,
                                 gboolean json,
                                 gboolean quiet,
                                 GError **error)
{
  g_autofree char *path = g_build_filename (directory, "summary.json", NULL);
  g_autoptr (PrismFinding) finding = prism_finding_load (directory, error);
  g_autoptr (GBytes) bytes = finding != NULL ? prism_file_load (path, G_MAXINT32, error) : NULL;
  g_autoptr (JsonNode) summary = NULL;
  const char *text;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  summary = prism_json_parse_object (text, length);
  for (; reports != NULL && *reports != NULL; reports++)
    if (!prism_finding_report_save (finding, *reports, error))
      return FALSE;
  if (json)
    fwrite (text, 1, length, stdout);
  else if (!quiet && summary != NULL)
    print_finding (finding, get_text (summary, "device"), get_text (summary, "device_reason"),
                   directory, brief);
  return TRUE;
}

/* The device is looked for only where somebody asks for it: none has shown that it is quicker with
 * small frames. */
static gboolean
choose_device (Work *self,
               GError **error)
{
  const PrismBackendOps *ops;

  if (self->choice == PRISM_BACKEND_CPU)
    {
      self->device_reason = g_strdup ("Running on the CPU, as backend=cpu says.");
      return TRUE;
    }
  ops = prism_registry_choose (self->choice, &self->device_reason, error);
  if (ops == NULL)
    return FALSE;
  self->device = prism_registry_get_recorded (ops);
  if (self->device != NULL || ops == prism_registry_get_ops ("cpu"))
    return TRUE;
  g_free (self->device_reason);
  self->device_reason = g_strdup ("Running on the CPU: the GPU's module does not know recorded"
                                  " frames.");
  return TRUE;
}

/* Why the passes are the CPU's after all. */
static void
note_cpu (Work *self,
          const char *why)
{
  g_free (self->device_reason);
  self->device_reason = g_strdup_printf ("Running on the CPU: %s", why);
  self->device = NULL;
}

/* The passes of a solver that has just been made; a device that cannot leaves them to the CPU,
 * where it is not the one that was asked for. */
static gboolean
open_device (Work *self,
             PrismPtychography *solver,
             GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (self->device != NULL && self->settings.method == PRISM_METHOD_DESCENT)
    note_cpu (self, "descent on all frames is not the GPU's.");
  if (self->device == NULL)
    return TRUE;
  if (prism_ptychography_device_open (solver, self->device, &problem))
    return TRUE;
  if (self->choice != PRISM_BACKEND_AUTO)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  note_cpu (self, problem->message);
  return TRUE;
}

/* In the search, from several threads. */
static gboolean
watch_search (double fraction,
              gpointer data)
{
  Work *work = data;

  if (!work->quiet && prism_clock_get_seconds () - work->search_begun > SLOW_SEARCH
      && g_atomic_int_compare_and_exchange (&work->is_slow, 0, 1))
    {
      prism_cli_print_line (stdout, "The search for the pupil goes on; Ctrl+C ends it.");
      fflush (stdout);
    }
  return prism_cli_engine_get_signal () == 0;
}

/* All passes; how well held-out frames are predicted after each is added to progress. */
static gboolean
explain (Work *work,
         PrismPtychography *solver,
         GArray *progress,
         GError **error)
{
  gboolean begun;

  work->search_begun = prism_clock_get_seconds ();
  prism_ptychography_set_watch (solver, watch_search, work);
  begun = prism_ptychography_begin (solver);
  prism_ptychography_set_watch (solver, NULL, NULL);
  if (!begun)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CANCELLED,
                   "It was stopped in the search for the pupil, before anything was found; nothing"
                   " is written.");
      return FALSE;
    }
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver)
         && (progress->len == 0 || prism_cli_engine_get_signal () == 0))
    {
      PrismPrediction held_out;

      prism_ptychography_step (solver);
      held_out = prism_ptychography_predict (solver, TRUE, NULL, NULL);
      g_array_append_val (progress, held_out);
    }
  if (prism_ptychography_device_get_failure (solver) != NULL)
    note_cpu (work, prism_ptychography_device_get_failure (solver));
  g_free (work->device_name);
  work->device_name = g_strdup (prism_ptychography_device_get_name (solver));
  return TRUE;
}

static void
print_tile (const Work *work,
            guint i)
{
  const PrismMosaicPlan *plan = prism_mosaic_get_plan (work->mosaic);
  const PrismMosaicTile *tile = &plan->tiles[i];
  g_autofree char *start = tile->neighbour == i ? g_strdup ("a pupil of its own")
                                                : g_strdup_printf ("the pupil of tile %u",
                                                                   tile->neighbour + 1);

  prism_cli_print_line (stdout,
                        "Tile %u of %u at %d, %d, with %s: held-out misfit %.4f, correlation %.4f;"
                        " gain %.3f, phase %.2f rad, %.2f s.",
                        i + 1, plan->n_tiles, tile->x, tile->y, start, tile->held_out.misfit,
                        tile->held_out.correlation, tile->gain, tile->phase,
                        prism_clock_get_seconds () - work->begun);
}

static void
print_plan (const Work *work)
{
  const PrismMosaicPlan *plan = prism_mosaic_get_plan (work->mosaic);

  prism_cli_print_line (stdout, "%d×%d tiles of %d×%d pixels; the object has %d×%d.%s",
                        plan->n_columns, plan->n_rows, plan->side, plan->side, plan->width,
                        plan->height,
                        !plan->has_distance ? " The distance of the LEDs is not known: all tiles"
                                              " have the directions of the middle."
                        : plan->sign < 0    ? " Their spectra say that all directions point the"
                                              " other way."
                                            : "");
}

/* The middle one first, whose solver is kept. */
static gboolean
explain_tiles (Work *work,
               GError **error)
{
  work->begun = prism_clock_get_seconds ();
  work->mosaic = prism_mosaic_new (work->recording, &work->settings, error);
  if (work->mosaic == NULL)
    return FALSE;
  for (guint i = 0; i < prism_mosaic_get_plan (work->mosaic)->n_tiles; i++)
    {
      g_autoptr (GArray) progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
      g_autoptr (PrismPtychography) solver = prism_mosaic_new_solver (work->mosaic, i, error);

      if (solver == NULL || !open_device (work, solver, error))
        return FALSE;
      if (i == 0 && !work->quiet)
        {
          print_understood (work->recording, prism_ptychography_get_frames (solver));
          print_plan (work);
        }
      if (!explain (work, solver, i == 0 ? work->progress : progress, error)
          || !prism_mosaic_add (work->mosaic, i, solver, error))
        return FALSE;
      if (!work->quiet)
        print_tile (work, i);
      if (i == 0)
        work->solver = g_steal_pointer (&solver);
    }
  return TRUE;
}

static PrismScene *
load_scene (const char *path,
            const PrismCliRecordingOptions *reading,
            const PrismPtychographySettings *settings,
            gboolean quiet,
            GError **error)
{
  g_autoptr (PrismRecording) recording = prism_cli_recording_load (reading, path, error);
  g_autoptr (PrismRecipe) recipe = NULL;
  g_autoptr (PrismProblem) problem = NULL;

  if (recording == NULL || !prism_recording_check (recording, error))
    return NULL;
  recipe = prism_cli_recording_new_recipe (reading, error);
  problem = recipe != NULL ? prism_problem_new (recording, settings, error) : NULL;
  if (problem == NULL)
    return NULL;
  prism_problem_set_reading (problem, recipe, reading->positions);
  if (!quiet)
    print_understood (recording, problem->frames);
  return prism_scene_new_problem (problem);
}

/**
 * prism_cli_measurements_load:
 * @file: options of run files; gets the frames as its scene
 * @path: of the frames
 * @reading: how they are to be understood
 * @settings: what is wanted
 * @backend: the device that is asked for
 * @is_filmed: whether the pictures of passes are wanted
 * @quiet: whether nothing is printed
 *
 * Reads recorded frames, says what was understood of them, and makes a new run of them.
 *
 * Errors: those of prism_cli_recording_load(), prism_recording_check(), prism_problem_new(),
 * prism_registry_choose() and prism_cli_run_file_check().
 *
 * Returns: (transfer full) (nullable): its configuration
 */
PrismConfig *
prism_cli_measurements_load (PrismCliRunFile *file,
                             const char *path,
                             const PrismCliRecordingOptions *reading,
                             const PrismPtychographySettings *settings,
                             int backend,
                             gboolean is_filmed,
                             gboolean quiet,
                             GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autofree char *reason = NULL;

  if (!prism_cli_run_file_check (file, error))
    return NULL;
  if (file->resume != NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--resume brings its own frames: leave out --measurements.");
      return NULL;
    }
  if (backend != PRISM_BACKEND_CPU && prism_registry_choose (backend, &reason, error) == NULL)
    return NULL;
  file->scene = load_scene (path, reading, settings, quiet, error);
  if (file->scene == NULL)
    return NULL;
  config->backend = backend;
  config->threads = settings->threads;
  /* Each moment predicts all frames. */
  if (!is_filmed && file->save == NULL)
    config->history_size = 0;
  prism_scene_apply_problem (file->scene, config);
  return g_steal_pointer (&config);
}

/**
 * prism_cli_measurements_run_tiles:
 * @path: of the frames
 * @reading: how they are to be understood
 * @settings: of tiles
 * @backend: the device that is asked for
 * @directory: for the result
 * @json: whether the summary alone is printed
 * @quiet: whether nothing is
 *
 * Reads recorded frames, explains them tile by tile, says how well, and writes the result.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_measurements_run_tiles (const char *path,
                                  const PrismCliRecordingOptions *reading,
                                  const PrismPtychographySettings *settings,
                                  int backend,
                                  const char *directory,
                                  gboolean json,
                                  gboolean quiet)
{
  g_auto (Work) work = { .settings = *settings, .quiet = quiet || json, .choice = backend };
  g_autofree double *misfits = NULL;
  g_autofree double *correlations = NULL;
  g_autofree PrismFindingFrame *found = NULL;
  g_autoptr (GPtrArray) doubts = NULL;
  g_autoptr (GError) error = NULL;
  PrismPtychographyOutcome outcome = { .settings = &work.settings };

  work.progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  if ((work.recording = prism_cli_recording_load (reading, path, &error)) == NULL
      || !prism_recording_check (work.recording, &error)
      || !choose_device (&work, &error)
      || !prism_export_check_directory (directory, &error)
      || !explain_tiles (&work, &error))
    {
      const PrismExit code = prism_cli_report (error);

      return g_error_matches (error, PRISM_ERROR, PRISM_ERROR_CANCELLED)
                 ? prism_cli_engine_finish_output ()
                 : code;
    }
  outcome.seconds = prism_clock_get_seconds () - work.begun;
  outcome.recording = work.recording;
  outcome.progress = work.progress;
  outcome.mosaic = work.mosaic;
  outcome.device = work.device_name != NULL ? work.device_name : "CPU";
  outcome.device_reason = work.device_reason;
  outcome.misfits = misfits = g_new (double, work.recording->n_frames);
  outcome.correlations = correlations = g_new (double, work.recording->n_frames);
  prism_ptychography_predict (work.solver, TRUE, misfits, correlations);
  outcome.used = prism_ptychography_predict (work.solver, FALSE, misfits, correlations);
  outcome.held_out = prism_mosaic_get_held_out (work.mosaic);
  found = prism_finding_frame_dup_all (work.solver, misfits, correlations);
  outcome.doubts = doubts = prism_light_check_find (work.solver, found);
  if (!prism_ptychography_export_save_all (work.solver, &outcome, directory, &error)
      || !prism_cli_measurements_conclude (directory, NULL, FALSE, json, quiet, &error))
    return prism_cli_report (error);
  return prism_cli_engine_finish_output ();
}
