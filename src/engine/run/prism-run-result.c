#include "config.h"

#include "run/prism-run-result.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "formats/prism-nexus.h"
#include "measure/prism-scene.h"
#include "ptychography/prism-finding-picture.h"
#include "run/prism-run-file.h"

/* A row a pass, as the run had them. */
static PrismHistory *
make_history (const PrismFinding *finding)
{
  PrismHistory *history = prism_history_new ();

  for (guint i = 0; i < finding->progress->len; i++)
    {
      const PrismPrediction *held = &g_array_index (finding->progress, PrismPrediction, i);
      PrismHistoryRow row = { .step = i + 1,
                              .sample = PRISM_ROW_POLISH,
                              .sample_step = i + 1,
                              .loss_new = held->misfit,
                              .loss_old = NAN,
                              .learning_rate = NAN,
                              .cache_hit_rate = NAN,
                              .device_bytes = NAN,
                              .cache_bytes = NAN,
                              .steps_per_second = NAN,
                              .seconds = NAN,
                              .correlation = isfinite (held->correlation) ? held->correlation : 0 };

      prism_metrics_init (&row.metrics);
      prism_history_append (history, &row);
    }
  return history;
}

/* Those that the passes went over. */
static guint
count_used (const PrismFinding *finding)
{
  guint n = 0;

  for (guint i = 0; i < finding->n_frames; i++)
    n += !finding->frames[i].held && !finding->frames[i].left_out;
  return n > 0 ? n : finding->used.n_frames;
}

static PrismSnapshot *
load_folder (const char *path,
             GError **error)
{
  g_autoptr (PrismFinding) finding = prism_finding_load (path, error);
  g_autoptr (PrismSnapshot) self = NULL;
  const PrismPrediction *held;
  PrismConfig *config;
  int side;
  int r;

  if (finding == NULL)
    return NULL;
  self = prism_snapshot_new ();
  if (!prism_finding_picture_make_pair (finding, &self->reconstruction, &self->phase_image, error))
    return NULL;
  held = &finding->held_out;
  self->serial = self->run = 1;
  self->state = PRISM_STATE_FINISHED;
  self->phase = PRISM_PHASE_DONE;
  self->has_no_target = TRUE;
  config = prism_config_dup (finding->settings);
  side = MAX (finding->object_height, finding->object_width);
  finding->reduction = r = prism_finding_picture_get_reduction (side);
  prism_scene_apply_object (config, finding->source, side / r / 2 * 2,
                            isfinite (finding->radius) ? finding->radius / r : 1);
  self->config = config;
  self->n_samples = self->n_visited = count_used (finding);
  self->step = self->n_steps = self->pass = finding->pass;
  self->n_tiles = held->n_tiles;
  self->n_passes = MAX (finding->pass, (guint) finding->settings->passes)
                   + (MAX (held->n_tiles, 1) - 1) * (guint) finding->settings->passes;
  self->misfit = held->n_frames > 0 ? held->misfit : finding->used.misfit;
  if (held->n_frames > 0 && isfinite (held->correlation))
    self->correlation = held->correlation;
  prism_verdict_predict (&self->verdict, held);
  self->coverage = finding->coverage;
  self->seconds = finding->seconds;
  self->device = g_strdup (finding->device != NULL ? finding->device : "");
  self->device_reason = g_strdup (finding->device_reason);
  self->history = make_history (finding);
  self->n_rows = prism_history_get_n_rows (self->history);
  prism_snapshot_set_finding (self, finding);
  return g_steal_pointer (&self);
}

/* Returns: (transfer full) (nullable): the folder that is named, or whose summary is */
static char *
dup_folder (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  return strcmp (base, PRISM_EXCHANGE_HEAD) == 0 ? g_path_get_dirname (path) : NULL;
}

/**
 * prism_run_result_is:
 * @path: what a user names
 *
 * Returns: whether it names the file of a run, by its ending, a folder, or the summary in it
 */
gboolean
prism_run_result_is (const char *path)
{
  g_autofree char *folder = dup_folder (path);

  return folder != NULL || g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX);
}

/* Of a sweep what its plan goes over, without which its runs are numbers alone. */
static char *
dup_point_name (const char *path,
                const char *name)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *plan_path = g_build_filename (folder, PRISM_PLAN_SWEEP, NULL);
  g_autofree char *config_path = g_strdup_printf ("%s/%s.prism", folder, name);
  g_autoptr (GKeyFile) plan = g_key_file_new (), config = g_key_file_new ();
  GString *words = g_string_new (NULL);
  char *axis;

  g_key_file_load_from_file (plan, plan_path, G_KEY_FILE_NONE, NULL);
  g_key_file_load_from_file (config, config_path, G_KEY_FILE_NONE, NULL);
  g_string_printf (words, "%" G_GUINT64_FORMAT,
                   1 + g_ascii_strtoull (name + strlen (PRISM_PLAN_POINT), NULL, 10));
  for (char key[] = "axis1"; (axis = g_key_file_get_string (plan, "sweep", key, NULL)) != NULL;
       key[4]++)
    {
      const char *separator = key[4] == '1' ? " · " : ", ";
      const PrismParam *param;
      g_autofree char *value = NULL, *text = NULL;

      *strchrnul (axis, '=') = '\0';
      param = prism_config_find_param (axis, NULL);
      value = g_key_file_get_string (config, "prism", axis, NULL);
      text = param != NULL && value != NULL ? prism_param_dup_value (param, value) : NULL;
      if (text != NULL)
        g_string_append_printf (words, "%s%s %s", separator, _ (param->label), text);
      g_free (axis);
    }
  return g_string_free (words, FALSE);
}

/**
 * prism_run_result_dup_name:
 * @path: as prism_run_result_is()
 *
 * Returns: (transfer full): what to call it, valid UTF-8: “cells”, of a sweep “2 · SNR 20 dB”
 */
char *
prism_run_result_dup_name (const char *path)
{
  g_autofree char *folder = dup_folder (path);
  char *name = g_filename_display_basename (folder != NULL ? folder : path);

  if (g_str_has_suffix (name, PRISM_RUN_FILE_SUFFIX))
    name[strlen (name) - strlen (PRISM_RUN_FILE_SUFFIX)] = '\0';
  if (g_str_has_prefix (name, PRISM_PLAN_POINT))
    {
      char *point = dup_point_name (folder != NULL ? folder : path, name);

      g_free (name);
      return point;
    }
  return name;
}

/**
 * prism_run_result_load:
 * @path: as prism_run_result_is()
 * @error: return location
 *
 * Reads what a run came to.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a snapshot with a configuration
 */
PrismSnapshot *
prism_run_result_load (const char *path,
                       GError **error)
{
  g_autofree char *folder = dup_folder (path);

  return folder != NULL ? load_folder (folder, error) : prism_run_file_load_snapshot (path, error);
}

/**
 * prism_run_result_list_sources:
 * @path: a file of a run, result.h5, or the folder of a result
 *
 * Returns: (transfer full) (array zero-terminated=1): what it says it was made from: the recorded
 *   frames and the table of their lights, or object and pattern, and the result that it began
 *   with; what is built in is among them
 */
char **
prism_run_result_list_sources (const char *path)
{
  static const char *const keys[] = { "path", "positions", "object", "pattern_file", "start" };
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *file = is_folder ? g_build_filename (path, "result.h5", NULL) : g_strdup (path);
  const gboolean is_result = g_str_has_suffix (file, ".h5");
  g_autoptr (PrismArchive) run
      = g_str_has_suffix (file, PRISM_RUN_FILE_SUFFIX) ? prism_archive_open (file, NULL) : NULL;
  g_autofree char *config
      = run != NULL ? prism_archive_load_text (run, "config.prism", NULL) : NULL;
  g_autofree char *frames
      = run != NULL ? prism_archive_load_text (run, PRISM_RUN_PROBLEM, NULL)
        : is_result ? prism_nexus_load_text (file, "/entry/process/frames", NULL)
                    : NULL;
  g_autoptr (JsonNode) node
      = frames != NULL ? prism_json_parse_object (frames, strlen (frames)) : NULL;
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autoptr (GStrvBuilder) sources = g_strv_builder_new ();

  if (config != NULL)
    g_key_file_load_from_data (settings, config, -1, G_KEY_FILE_NONE, NULL);
  PRISM_FOR_EACH_OF (key, keys)
    {
      g_autofree char *name = g_strconcat ("/entry/process/parameters/", *key, NULL);
      const char *given = prism_json_get_text (prism_json_to_object (node), *key);
      g_autofree char *text
          = given != NULL ? g_strdup (given)
            : run != NULL ? g_key_file_get_string (settings, "prism", *key, NULL)
            : is_result   ? prism_nexus_load_text (file, name, NULL)
                          : NULL;
      g_autofree char *source = text != NULL ? prism_file_from_text (text) : NULL;

      if (source != NULL)
        g_strv_builder_add (sources, source);
    }
  return g_strv_builder_end (sources);
}
