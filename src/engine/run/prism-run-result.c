#include "config.h"

#include "run/prism-run-result.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-each.h"
#include "base/prism-file.h"
#include "base/prism-record.h"
#include "base/prism-text.h"
#include "config/prism-device-list.h"
#include "formats/prism-nexus.h"
#include "history/prism-history-csv.h"
#include "measure/prism-scene.h"
#include "ptychography/prism-finding-picture.h"
#include "run/prism-run-file.h"
#include "run/prism-run-snapshot.h"

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
load_recorded (const char *path,
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

#define AT(member) G_STRUCT_OFFSET (PrismSnapshot, member)

/* What a folder may have of a picture, under the first name that is there. */
static const struct
{
  const char *names[2];
  gsize offset;
} pictures[] = {
  { { "reconstruction.npy", "amplitude.npy" }, AT (reconstruction) },
  { { "second.npy" }, AT (second) },
  { { "target.npy" }, AT (target) },
  { { "measurement.npy" }, AT (measurement) },
  { { "coverage.npy" }, AT (coverage_plane) },
};

static const struct
{
  const char *name;
  gsize offset;
} numbers[] = {
  { "loss_new", AT (loss_new) },
  { "loss_old", AT (loss_old) },
  { "misfit", AT (misfit) },
  { "steps_per_second", AT (steps_per_second) },
  { "seconds", AT (seconds) },
  { "coverage", AT (coverage) },
};

static guint64
get_count (JsonObject *object,
           const char *name)
{
  return (guint64) fmin (fmax (prism_json_get_number (object, name), 0), PRISM_RECORD_MOST);
}

static void
take_summary (PrismSnapshot *self,
              JsonObject *summary)
{
  JsonObject *metrics = prism_json_to_object (prism_json_find (summary, "final"));
  JsonObject *settling = prism_json_to_object (prism_json_find (summary, "settling"));
  const char *state = prism_json_get_text (summary, "state");
  const char *backend = prism_json_get_text (summary, "backend");
  const char *message = prism_json_get_text (summary, "message");

  prism_run_snapshot_parse_state (state != NULL ? state : "", &self->state);
  if (self->state == PRISM_STATE_FAILED)
    {
      self->error = PRISM_ERROR_DIVERGED;
      self->message = g_strdup (message != NULL ? message : "");
    }
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    self->metrics.values[i] = prism_json_get_number (metrics, prism_metrics[i].key);
  PRISM_FOR_EACH_OF (number, numbers)
    G_STRUCT_MEMBER (double, self, number->offset) = prism_json_get_number (summary, number->name);
  for (PrismTraining i = 0; i < PRISM_N_TRAININGS; i++)
    if (g_strcmp0 (prism_json_get_text (summary, "training"), prism_training_get_key (i)) == 0)
      self->training = i;
  prism_verdict_take_json (&self->verdict,
                           prism_json_to_object (prism_json_find (summary, "verdict")));
  if (self->config->motion_blur > 0)
    self->verdict.cause = PRISM_CAUSE_MOTION;
  for (PrismSettlingKind i = 0; i < PRISM_N_SETTLINGS; i++)
    if (g_strcmp0 (prism_json_get_text (settling, "kind"), prism_settling_get_key (i)) == 0)
      self->settling.kind = i;
  self->settling.change = fmax (prism_json_get_number (settling, "change"), 0);
  self->settling.limit = fmax (prism_json_get_number (settling, "limit"), 0);
  self->n_samples = (guint) get_count (summary, "samples");
  self->frame_side = (guint) get_count (summary, "frame_side");
  self->step = self->n_steps = get_count (summary, "steps");
  self->n_skipped = get_count (summary, "skipped_steps");
  self->n_parameters = get_count (summary, "parameters");
  self->memory_peak
      = get_count (prism_json_to_object (prism_json_find (summary, "memory")), "peak");
  if (backend != NULL)
    self->backend
        = prism_device_list[MAX (prism_device_list_find (backend), PRISM_BACKEND_CPU)].name;
  self->device = g_strdup (prism_json_get_text (summary, "device"));
  self->device_reason = g_strdup (prism_json_get_text (summary, "device_reason"));
}

/* Of a simulated run, as prism_export_save() wrote it. */
static PrismSnapshot *
load_simulated (const char *path,
                JsonObject *summary,
                GError **error)
{
  g_autoptr (PrismSnapshot) self = prism_snapshot_new ();
  g_autofree char *metrics = g_build_filename (path, "metrics.csv", NULL);
  gint32 sample = PRISM_ROW_POLISH;

  self->serial = self->run = 1;
  self->phase = PRISM_PHASE_DONE;
  self->config = prism_config_new ();
  prism_config_take_json (self->config,
                          prism_json_to_object (prism_json_find (summary, "configuration")));
  take_summary (self, summary);
  PRISM_FOR_EACH_OF (picture, pictures)
    for (int i = 0; i < 2 && picture->names[i] != NULL; i++)
      {
        PrismImage **image = G_STRUCT_MEMBER_P (self, picture->offset);
        g_autofree char *file = g_build_filename (path, picture->names[i], NULL);

        if (*image == NULL && g_file_test (file, G_FILE_TEST_EXISTS)
            && (*image = prism_image_load (file, error)) == NULL)
          return NULL;
      }
  self->has_no_target = self->target == NULL;
  self->history = !g_file_test (metrics, G_FILE_TEST_EXISTS)
                      ? prism_history_new ()
                      : prism_history_load_csv (metrics, error);
  if (self->history == NULL)
    return NULL;
  self->n_rows = prism_history_get_n_rows (self->history);
  if (self->n_rows > 0)
    sample = prism_history_get_row (self->history, self->n_rows - 1).sample;
  self->n_visited = sample < 0 ? self->n_samples : MIN ((guint) sample + 1, self->n_samples);
  return g_steal_pointer (&self);
}

static PrismSnapshot *
load_folder (const char *path,
             GError **error)
{
  g_autofree char *file = g_build_filename (path, PRISM_EXCHANGE_HEAD, NULL);
  g_autoptr (JsonNode) head = NULL;

  prism_exchange_finish (path);
  head = prism_json_load (file, error);
  if (head == NULL)
    return NULL;
  return prism_json_find (json_node_get_object (head), "configuration") != NULL
             ? load_simulated (path, json_node_get_object (head), error)
             : load_recorded (path, error);
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
