#include "config.h"

#include "prism-cli-measurements.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-export.h"
#include "results/prism-export.h"

#include <math.h>
#include <stdio.h>

/* Below this share of their area, neighbouring pupils do not tie each other's phases together. */
#define LEAST_OVERLAP 0.35

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

static gboolean
read_settings (const PrismCliOptions *options,
               PrismPtychographySettings *settings,
               GError **error)
{
  prism_ptychography_settings_init (settings);
  if (options->preset != NULL || options->config != NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--preset and --config are of simulated runs: leave them out, and set what"
                   " recorded frames need with --set, for example --set passes=20.");
      return FALSE;
    }
  for (char **setting = options->settings; setting != NULL && *setting != NULL; setting++)
    if (!prism_ptychography_settings_parse (settings, *setting, error))
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
}

static void
print_outcome (const PrismPtychographyOutcome *outcome,
               const char *directory)
{
  const PrismPrediction *held_out = &outcome->held_out;

  if (held_out->n_frames > 0)
    prism_cli_print_line (stdout,
                          "%u frames that were never used: misfit %.4f, correlation %.4f (others:"
                          " %.4f, %.4f).",
                          held_out->n_frames, held_out->misfit, held_out->correlation,
                          outcome->used.misfit, outcome->used.correlation);
  prism_cli_print_line (stdout, "%s", prism_ptychography_export_get_verdict (outcome));
  for (guint i = 0; i < outcome->doubts->len; i++)
    prism_cli_print_line (stdout, "%s", (const char *) g_ptr_array_index (outcome->doubts, i));
  prism_cli_print_line (stdout,
                        "%.2f s. Written to %s: amplitude, phase, pupil, object (.npy, .png),"
                        " frames.csv, passes.csv, summary.json.",
                        outcome->seconds, directory);
}

static PrismExit
conclude (PrismPtychography *solver,
          PrismPtychographyOutcome *outcome,
          const char *directory,
          gboolean json,
          gboolean quiet)
{
  g_autofree char *summary = prism_ptychography_export_dup_summary (solver, outcome);
  g_autoptr (GError) error = NULL;

  outcome->summary = summary;
  if (!prism_ptychography_export_save_all (solver, outcome, directory, &error))
    return prism_cli_report (error);
  if (json)
    fputs (summary, stdout);
  else if (!quiet)
    print_outcome (outcome, directory);
  return prism_cli_finish_output ();
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
  g_autoptr (GArray) progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  PrismPtychographySettings settings;
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismPtychogram) frames = NULL;
  g_autoptr (PrismPtychography) solver = NULL;
  g_autofree double *misfits = NULL;
  g_autofree double *correlations = NULL;
  g_autofree PrismFindingFrame *found = NULL;
  g_autoptr (GPtrArray) doubts = NULL;
  g_autoptr (GError) error = NULL;
  PrismPtychographyOutcome outcome = { .settings = &settings, .progress = progress };
  double begun;

  quiet = quiet || json;
  if (!read_settings (options, &settings, &error)
      || (recording = prism_cli_recording_load (reading, path, &error)) == NULL
      || (frames = prism_ptychogram_new (recording, &settings, &error)) == NULL
      || !prism_export_check_directory (directory, &error))
    return prism_cli_report (error);
  if (!quiet)
    print_understood (recording, frames);
  outcome.misfits = misfits = g_new (double, recording->n_frames);
  outcome.correlations = correlations = g_new (double, recording->n_frames);
  begun = prism_clock_get_seconds ();
  solver = prism_ptychography_new (g_steal_pointer (&frames), &settings, recording->wavelength,
                                   recording->na, &error);
  if (solver == NULL)
    return prism_cli_report (error);

  prism_ptychography_begin (solver);
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    {
      prism_ptychography_step (solver);
      outcome.held_out = prism_ptychography_predict (solver, TRUE, misfits, correlations);
      g_array_append_val (progress, outcome.held_out);
      if (!quiet)
        print_pass (solver, &outcome.held_out, prism_ptychography_get_n_passes (solver),
                    prism_clock_get_seconds () - begun);
    }
  outcome.seconds = prism_clock_get_seconds () - begun;
  outcome.recording = recording;
  outcome.used = prism_ptychography_predict (solver, FALSE, misfits, correlations);
  found = prism_finding_frame_dup_all (solver, misfits, correlations);
  outcome.doubts = doubts = prism_light_check_find (solver, found);
  return conclude (solver, &outcome, directory, json, quiet);
}
