#include "config.h"

#include "prism-cli-measurements.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "config/prism-config.h"
#include "device/prism-registry.h"
#include "forecast/prism-forecast.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-finding-report.h"
#include "ptychography/prism-ptychogram.h"
#include "ptychography/prism-ptychography-export.h"

#define WHOLE_FIELD 512 /* pixels of a side: smaller frames are explained before a time is told */

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
    return prism_error_config (
        error, "--positions, --recipe and --assign say how recorded frames are to be read:"
               " name the frames with --measurements FILE.");
  if (measurements != NULL && unused != NULL)
    return prism_error_config (error, "%s is of simulated runs: leave it out with --measurements.",
                               unused);
  return TRUE;
}

/* sentences: (nullable) */
static void
say_all (const GPtrArray *sentences,
         const char *indent)
{
  if (sentences != NULL)
    PRISM_FOR_EACH_POINTER (const char, sentence, sentences)
      prism_cli_say ("%s%s", indent, sentence);
}

static void
print_understood (const PrismProblem *problem)
{
  const PrismRecording *recording = problem->recording;
  const PrismPtychogram *frames = problem->frames;
  const PrismMosaicPlan *plan = problem->mosaic != NULL ? &problem->mosaic->plan : NULL;
  const int side = frames->upsampling * frames->side;
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);

  prism_cli_say ("%s: %u frames of %u×%u pixels, %s.", recording->path,
                 recording->n_frames, recording->width, recording->height,
                 recording->format);
  say_all (recording->notes, "  ");
  prism_cli_say ("Object of %d×%d pixels of %.3g µm; %u bright frame%s, neighbours share %.0f %%.",
                 plan != NULL ? plan->width : side, plan != NULL ? plan->height : side,
                 1e6 * frames->pixel_size, frames->n_bright, frames->n_bright == 1 ? "" : "s",
                 100 * frames->overlap);
  prism_ptychogram_tell (frames, sentences);
  say_all (sentences, "");
  if (frames->n_at_rim > 0)
    prism_cli_say ("%u frame%s whose LED lies within %d %% of the pupil's rim may be half"
                   " bright; half_bright=%d leaves %s out.",
                   frames->n_at_rim, frames->n_at_rim == 1 ? "" : "s", PRISM_PTYCHOGRAM_RIM,
                   PRISM_PTYCHOGRAM_RIM, frames->n_at_rim == 1 ? "it" : "them");
}

static void
print_finding (const PrismFinding *finding,
               JsonObject *summary,
               const char *directory)
{
  JsonObject *seams = prism_json_to_object (prism_json_find (summary, "seams"));
  const PrismPrediction *held_out = &finding->held_out;
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (held_out);
  g_autofree char *written = prism_cli_dup_written (directory);
  g_autoptr (GPtrArray) remarks = g_ptr_array_new_with_free_func (g_free);

  if (held_out->n_frames > 0)
    prism_cli_say ("%u frame%s never used: misfit %.4f, correlation %.4f (others:"
                   " %.4f, %.4f).",
                   held_out->n_frames, held_out->n_frames == 1 ? " that was" : "s that were",
                   held_out->misfit, held_out->correlation,
                   finding->used.misfit, finding->used.correlation);
  if (held_out->expected > 0)
    prism_cli_say ("Noise and grey levels allow a perfect model: misfit %.4f, correlation"
                   " %.4f.",
                   held_out->noise, held_out->expected);
  if (g_strcmp0 (finding->device, "CPU") == 0)
    prism_cli_say ("%s", finding->device_reason);
  else
    prism_cli_say ("%s (%s)", finding->device_reason, finding->device);
  if (prism_cli_engine_get_signal () != 0 && held_out->n_tiles == 0)
    prism_cli_say ("Stopped after %u pass%s.", finding->progress->len,
                   finding->progress->len == 1 ? "" : "es");
  if (isfinite (prism_json_get_number (seams, "amplitude")))
    prism_cli_say ("Seams between tiles: amplitude %.3f, phase %.3f (1: invisible).",
                   prism_json_get_number (seams, "amplitude"),
                   prism_json_get_number (seams, "phase"));
  prism_cli_say ("%s", verdict);
  prism_finding_tell (finding, remarks);
  say_all (remarks, "");
  prism_cli_say ("%.2f s. Written to %s: %s.", finding->seconds, directory, written);
}

/**
 * prism_cli_measurements_conclude:
 * @directory: that a result has been written into
 * @reports: (nullable): paths of reports
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
                                 gboolean json,
                                 gboolean quiet,
                                 GError **error)
{
  g_autofree char *path = g_build_filename (directory, "summary.json", NULL);
  g_autoptr (PrismFinding) finding = reports != NULL
                                         ? prism_finding_load (directory, error)
                                         : prism_finding_load_numbers (directory, error);
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
    print_finding (finding, json_node_get_object (summary), directory);
  return TRUE;
}

/**
 * prism_cli_measurements_print_choice:
 * @recording: frames
 *
 * Says why their field is cut into tiles, where it is.
 */
void
prism_cli_measurements_print_choice (const PrismRecording *recording)
{
  g_autofree char *choice = prism_mosaic_dup_choice (recording);

  if (choice != NULL)
    prism_cli_say ("%s", choice);
}

static void
print_plan (const PrismMosaicPlan *plan,
            int asked)
{
  if (asked != plan->side)
    prism_cli_say (asked > MAX (plan->width, plan->height) / plan->upsampling
                       ? "Frames are no larger: tile=%d becomes %d."
                       : "Sides of tiles are multiples of 4: tile=%d becomes %d.",
                   asked, plan->side);
  prism_cli_say ("%d×%d tiles of %d×%d pixels.%s", plan->n_columns, plan->n_rows, plan->side,
                 plan->side,
                 !plan->has_distance ? " The distance of the LEDs is not known: all tiles"
                                       " have the directions of the middle."
                 : plan->sign < 0    ? " Their spectra say that all directions point the"
                                       " other way."
                 : plan->sign == 0   ? " Their spectra say that light comes from the same"
                                       " directions everywhere."
                                     : "");
}

static PrismScene *
new_scene (PrismRecording *recording,
           const PrismRecipe *recipe,
           const char *positions,
           const PrismConfig *settings,
           gboolean quiet,
           GError **error)
{
  g_auto (PrismCliWatch) watch = { 0 };
  g_autoptr (PrismProblem) problem = NULL;
  PrismForecast forecast;

  prism_cli_watch_init (&watch);
  if (!prism_recording_check (recording, error))
    return NULL;
  problem = prism_problem_new (recording, settings, error);
  if (problem == NULL)
    return NULL;
  prism_problem_set_reading (problem, recipe, positions);
  if (!quiet)
    print_understood (problem);
  if (!quiet && settings->tile == PRISM_TILE_AUTO)
    prism_cli_measurements_print_choice (recording);
  if (!quiet && problem->mosaic != NULL)
    print_plan (&problem->mosaic->plan, problem->settings->tile);
  if (!quiet && MIN (recording->width, recording->height) >= WHOLE_FIELD
      && prism_forecast_init_problem (&forecast, problem, settings, watch.cancellable))
    {
      g_autofree char *time = prism_forecast_dup_text (&forecast);

      prism_cli_say ("Time: %s.", time);
    }
  return prism_scene_new_problem (problem);
}

/**
 * prism_cli_measurements_take:
 * @file: options of run files; gets the frames as its scene
 * @recording: the frames
 * @recipe: how they were understood
 * @positions: (nullable): table that says where the LEDs are
 * @config: (inout): of prism_cli_options_load_for()
 * @is_filmed: whether the pictures of passes are wanted
 * @quiet: whether nothing is printed
 *
 * Says what was understood of recorded frames, and makes a new run of them.
 *
 * Errors: those of prism_recording_check(), prism_problem_new() and prism_registry_choose().
 *
 * Returns: whether it can begin
 */
gboolean
prism_cli_measurements_take (PrismCliRunFile *file,
                             PrismRecording *recording,
                             const PrismRecipe *recipe,
                             const char *positions,
                             PrismConfig *config,
                             gboolean is_filmed,
                             gboolean quiet,
                             GError **error)
{
  file->scene = new_scene (recording, recipe, positions, config, quiet, error);
  if (file->scene == NULL)
    return FALSE;
  /* Each moment predicts all frames. */
  if (!is_filmed && file->save == NULL)
    config->history_size = 0;
  prism_scene_apply_problem (file->scene, config);
  return TRUE;
}

/**
 * prism_cli_measurements_load:
 * @file: options of run files; gets the frames as its scene
 * @path: of the frames
 * @reading: how they are to be understood
 * @config: (inout): of prism_cli_options_load_for()
 * @is_filmed: whether the pictures of passes are wanted
 * @quiet: whether nothing is printed
 *
 * Reads recorded frames for prism_cli_measurements_take().
 *
 * Errors: those of prism_cli_recording_load() and prism_cli_measurements_take().
 *
 * Returns: whether it can begin
 */
gboolean
prism_cli_measurements_load (PrismCliRunFile *file,
                             const char *path,
                             const PrismCliRecordingOptions *reading,
                             PrismConfig *config,
                             gboolean is_filmed,
                             gboolean quiet,
                             GError **error)
{
  g_autofree char *reason = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismRecipe) recipe = NULL;

  if (file->resume != NULL)
    return prism_error_config (error, "--resume brings its own frames: leave out --measurements.");
  if (config->backend != PRISM_BACKEND_CPU
      && prism_registry_choose (config->backend, &reason, error) == NULL)
    return FALSE;
  recording = prism_cli_recording_load (reading, path, error);
  recipe = recording != NULL ? prism_cli_recording_new_recipe (reading, error) : NULL;
  return recipe != NULL
         && prism_cli_measurements_take (file, recording, recipe, reading->positions, config,
                                         is_filmed, quiet, error);
}

/**
 * prism_cli_recording_new_recipe:
 * @self: recipe and what is assigned
 *
 * Returns: (transfer full) (nullable): how the frames are to be understood
 */
PrismRecipe *
prism_cli_recording_new_recipe (const PrismCliRecordingOptions *self,
                                GError **error)
{
  g_autoptr (PrismRecipe) recipe = NULL;

  recipe = self->recipe != NULL ? prism_recipe_load (self->recipe, error) : prism_recipe_new ();
  for (guint i = 0; recipe != NULL && self->values != NULL && self->values[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (self->values[i], "=", 2);

      if (g_strv_length (parts) != 2)
        {
          prism_error_config (
              error, "“%s” should be KEY=VALUE; “prism-cli inspect --keys” lists the keys.",
              self->values[i]);
          return NULL;
        }
      if (!prism_recipe_set (recipe, g_strstrip (parts[0]), parts[1], error))
        return NULL;
    }
  return g_steal_pointer (&recipe);
}

/**
 * prism_cli_recording_load:
 * @self: recipe and positions
 * @path: file name of the frames
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_cli_recording_load (const PrismCliRecordingOptions *self,
                          const char *path,
                          GError **error)
{
  g_auto (PrismCliWatch) watch = { 0 };
  g_autoptr (PrismRecipe) recipe = prism_cli_recording_new_recipe (self, error);

  prism_cli_watch_init (&watch);
  if (recipe == NULL
      || (self->save_recipe != NULL && !prism_recipe_save (recipe, self->save_recipe, error)))
    return NULL;
  return prism_recording_load_with (path, self->positions, recipe, error);
}
