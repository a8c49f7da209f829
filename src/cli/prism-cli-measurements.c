#include "config.h"

#include "prism-cli-measurements.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "config/prism-config.h"
#include "config/prism-device-list.h"
#include "device/prism-registry.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-mosaic.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-export.h"
#include "ptychography/prism-ptychography-start.h"
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
  PrismPtychography *solver; /* of the whole, or of the middle tile */
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

static gboolean
read_settings (const PrismCliOptions *options,
               Work *work,
               GError **error)
{
  PrismPtychographySettings *settings = &work->settings;

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
              ? read_backend (*setting, &work->choice, error)
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
print_pass (PrismPtychography *solver,
            const PrismPrediction *held_out,
            guint n_passes,
            double seconds)
{
  prism_cli_print_line (stdout,
                        "Pass %u of %u: held-out misfit %.4f, correlation %.4f, %.2f s.",
                        prism_ptychography_get_pass (solver), n_passes, held_out->misfit,
                        held_out->correlation, seconds);
  fflush (stdout);
}

static void
print_outcome (const PrismPtychographyOutcome *outcome,
               const char *directory)
{
  const PrismPrediction *held_out = &outcome->held_out;
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (held_out);

  if (held_out->n_frames > 0)
    prism_cli_print_line (stdout,
                          "%u frames that were never used: misfit %.4f, correlation %.4f (others:"
                          " %.4f, %.4f).",
                          held_out->n_frames, held_out->misfit, held_out->correlation,
                          outcome->used.misfit, outcome->used.correlation);
  if (strcmp (outcome->device, "CPU") == 0)
    prism_cli_print_line (stdout, "%s", outcome->device_reason);
  else
    prism_cli_print_line (stdout, "%s (%s)", outcome->device_reason, outcome->device);
  if (prism_cli_engine_get_signal () != 0)
    prism_cli_print_line (stdout, "Stopped after %u pass%s.", outcome->progress->len,
                          outcome->progress->len == 1 ? "" : "es");
  prism_cli_print_line (stdout, "%s", verdict);
  for (guint i = 0; i < outcome->doubts->len; i++)
    prism_cli_print_line (stdout, "%s", (const char *) g_ptr_array_index (outcome->doubts, i));
  prism_cli_print_line (stdout,
                        "%.2f s. Written to %s: amplitude, phase, pupil, object (.npy, .png),"
                        " amplitude.tif, phase.tif, ptylab.hdf5, frames.csv, passes.csv,"
                        " summary.json.",
                        outcome->seconds, directory);
}

static PrismExit
conclude (const Work *work,
          PrismPtychographyOutcome *outcome,
          const char *directory,
          gboolean json)
{
  g_autofree char *summary = prism_ptychography_export_dup_summary (work->solver, outcome);
  g_autoptr (GError) error = NULL;

  outcome->summary = summary;
  if (!prism_ptychography_export_save_all (work->solver, outcome, directory, &error))
    return prism_cli_report (error);
  if (json)
    fputs (summary, stdout);
  else if (!work->quiet)
    print_outcome (outcome, directory);
  return prism_cli_engine_finish_output ();
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
         gboolean quiet,
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
      if (!quiet)
        print_pass (solver, &held_out, prism_ptychography_get_n_passes (solver),
                    prism_clock_get_seconds () - work->begun);
    }
  if (prism_ptychography_device_get_failure (solver) != NULL)
    note_cpu (work, prism_ptychography_device_get_failure (solver));
  g_free (work->device_name);
  work->device_name = g_strdup (prism_ptychography_device_get_name (solver));
  return TRUE;
}

static gboolean
explain_whole (Work *work,
               GError **error)
{
  PrismPtychogram *frames = prism_ptychogram_new (work->recording, &work->settings, error);

  if (frames == NULL)
    return FALSE;
  if (!work->quiet)
    print_understood (work->recording, frames);
  /* What was found until then is kept; tiles that are not finished cannot be put together. */
  prism_cli_engine_catch_signals ();
  work->begun = prism_clock_get_seconds ();
  work->solver = prism_ptychography_new (frames, &work->settings, work->recording->wavelength,
                                         work->recording->na, error);
  if (work->solver == NULL || !prism_ptychography_start_load (work->solver, error)
      || !open_device (work, work->solver, error))
    return FALSE;
  return explain (work, work->solver, work->progress, work->quiet, error);
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
      if (!explain (work, solver, i == 0 ? work->progress : progress, TRUE, error)
          || !prism_mosaic_add (work->mosaic, i, solver, error))
        return FALSE;
      if (!work->quiet)
        print_tile (work, i);
      if (i == 0)
        work->solver = g_steal_pointer (&solver);
    }
  return TRUE;
}

/**
 * prism_cli_measurements_run:
 * @path: of the frames
 * @reading: how they are to be understood
 * @options: whose settings are those of recorded frames
 * @directory: for the result
 * @json: whether the summary alone is printed
 * @quiet: whether nothing is
 *
 * Reads recorded frames, explains them, says how well, and writes the result.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_measurements_run (const char *path,
                            const PrismCliRecordingOptions *reading,
                            const PrismCliOptions *options,
                            const char *directory,
                            gboolean json,
                            gboolean quiet)
{
  g_auto (Work) work = { .quiet = quiet || json, .choice = PRISM_BACKEND_CPU };
  g_autofree double *misfits = NULL;
  g_autofree double *correlations = NULL;
  g_autofree PrismFindingFrame *found = NULL;
  g_autoptr (GPtrArray) doubts = NULL;
  g_autoptr (GError) error = NULL;
  PrismPtychographyOutcome outcome = { .settings = &work.settings };

  work.progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  if (!read_settings (options, &work, &error)
      || (work.recording = prism_cli_recording_load (reading, path, &error)) == NULL
      || !prism_recording_check (work.recording, &error)
      || !choose_device (&work, &error)
      || !prism_export_check_directory (directory, &error)
      || !(work.settings.tile > 0 ? explain_tiles (&work, &error) : explain_whole (&work, &error)))
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
  outcome.held_out = prism_ptychography_predict (work.solver, TRUE, misfits, correlations);
  outcome.used = prism_ptychography_predict (work.solver, FALSE, misfits, correlations);
  if (work.mosaic != NULL)
    outcome.held_out = prism_mosaic_get_held_out (work.mosaic);
  found = prism_finding_frame_dup_all (work.solver, misfits, correlations);
  outcome.doubts = doubts = prism_light_check_find (work.solver, found);
  return conclude (&work, &outcome, directory, json);
}
