#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "config/prism-preset.h"
#include "device/prism-registry.h"
#include "model/prism-config-ask.h"
#include "prism.h"
#include "ptychography/prism-ptychography-export.h"
#include "results/prism-export.h"
#include "run/prism-engine.h"

/* What prism.h says, on top of the engine: a run is an engine, a result is a snapshot. prism.h is
 * the documentation of every function here. */

#define QUIET_INTERVAL 5000 /* ms between two snapshots; nobody looks at them */
#define ARRAYS "arrays"     /* what frames without a file are called in sentences */

typedef struct
{
  char *name;
  libprism_array array;
} NamedArray;

struct libprism_frames
{
  char *path; /* (nullable) */
  PrismRecipe *recipe;
  GArray *arrays; /* of NamedArray */
};

struct libprism_run
{
  PrismEngine *engine;
  PrismSnapshot *newest; /* (nullable) */
  gboolean awaited;      /* it has been started and has not halted since */
  gint stopping;         /* atomic: it is to end where it has halted, too */
};

struct libprism_result
{
  PrismSnapshot *snapshot;
  GHashTable *made; /* name → what was made for it */
};

static GPrivate last_error = G_PRIVATE_INIT (g_free);

static void
note_error (const char *message)
{
  g_private_replace (&last_error, g_strdup (message));
}

/* Takes the error. Returns -1 */
static int
fail (GError *error)
{
  note_error (error->message);
  g_error_free (error);
  return -1;
}

const char *
libprism_version (void)
{
  return PRISM_VERSION;
}

const char *
libprism_last_error (void)
{
  const char *message = g_private_get (&last_error);

  return message != NULL ? message : "";
}

static void
clear_array (gpointer data)
{
  g_free (((NamedArray *) data)->name);
}

libprism_frames *
libprism_frames_new (const char *path)
{
  libprism_frames *frames = g_new0 (libprism_frames, 1);

  frames->path = g_strdup (path);
  frames->recipe = prism_recipe_new ();
  frames->arrays = g_array_new (FALSE, TRUE, sizeof (NamedArray));
  g_array_set_clear_func (frames->arrays, clear_array);
  return frames;
}

void
libprism_frames_free (libprism_frames *frames)
{
  if (frames == NULL)
    return;
  g_free (frames->path);
  prism_recipe_free (frames->recipe);
  g_array_unref (frames->arrays);
  g_free (frames);
}

int
libprism_frames_set_array (libprism_frames *frames,
                           const char *name,
                           const libprism_array *array)
{
  const NamedArray named = { g_strdup (name), *array };

  if (frames->path == NULL && array->type < LIBPRISM_COMPLEX64 && array->n_dims >= 0
      && array->n_dims <= LIBPRISM_MAX_DIMS && array->values != NULL)
    {
      g_array_append_val (frames->arrays, named);
      return 0;
    }
  note_error (frames->path != NULL
                  ? "Frames of a file have the arrays of the file: name others with their keys."
                  : "An array of frames has up to 4 dimensions of uint8, uint16, float32 or"
                    " float64.");
  g_free (named.name);
  return -1;
}

int
libprism_frames_set_text (libprism_frames *frames,
                          const char *key,
                          const char *value)
{
  GError *error = NULL;

  return prism_recipe_set (frames->recipe, key, value, &error) ? 0 : fail (error);
}

/* A PrismFieldsRunFunc: values from the caller's array. */
static gboolean
read_values (PrismFields *fields,
             const PrismField *field,
             gsize first,
             gsize n,
             double *values,
             GError **error)
{
  const libprism_array *array
      = &g_array_index ((GArray *) fields->data, NamedArray, field->handle).array;

  for (gsize i = 0; i < n; i++)
    switch (array->type)
      {
      case LIBPRISM_UINT8:
        values[i] = ((const guint8 *) array->values)[first + i];
        break;
      case LIBPRISM_UINT16:
        values[i] = ((const guint16 *) array->values)[first + i];
        break;
      case LIBPRISM_FLOAT32:
        values[i] = (double) ((const float *) array->values)[first + i];
        break;
      case LIBPRISM_FLOAT64:
      case LIBPRISM_COMPLEX64:
      default:
        values[i] = ((const double *) array->values)[first + i];
        break;
      }
  return TRUE;
}

static PrismRecording *
load_recording (const libprism_frames *frames,
                GError **error)
{
  g_autoptr (PrismFields) fields = NULL;

  if (frames->path != NULL)
    return prism_recording_load (frames->path, frames->recipe, error);
  fields = prism_fields_new (ARRAYS, "NumPy");
  fields->read_run = read_values;
  fields->data = frames->arrays;
  for (guint i = 0; i < frames->arrays->len; i++)
    {
      const NamedArray *named = &g_array_index (frames->arrays, NamedArray, i);
      gsize shape[LIBPRISM_MAX_DIMS];
      PrismField *field;

      for (int k = 0; k < named->array.n_dims; k++)
        shape[k] = named->array.shape[k];
      field = prism_fields_add (fields, named->name, PRISM_FIELD_REAL, named->array.n_dims, shape);
      field->handle = (int) i;
      if (field->obstacle == NULL && field->n_values == 0)
        field->obstacle = g_strdup ("it is empty");
    }
  prism_fields_add_stacks (fields);
  return prism_recording_understand (ARRAYS, fields, frames->recipe, error);
}

/* config: (inout): of recorded frames, which decide some of it */
static PrismScene *
load_scene (const libprism_frames *frames,
            PrismConfig *config,
            GError **error)
{
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismProblem) problem = NULL;
  g_autofree char *reason = NULL;
  PrismScene *scene;

  if (config->backend != PRISM_BACKEND_CPU
      && prism_registry_choose (config->backend, &reason, error) == NULL)
    return NULL;
  recording = load_recording (frames, error);
  if (recording == NULL || !prism_recording_check (recording, error))
    return NULL;
  problem = prism_problem_new (recording, config, error);
  if (problem == NULL)
    return NULL;
  scene = prism_scene_new_problem (problem);
  config->history_size = 0; /* each moment predicts all frames */
  prism_scene_apply_problem (scene, config);
  return scene;
}

static PrismEngine *
new_engine (const libprism_frames *frames,
            PrismConfig *config,
            GError **error)
{
  g_autoptr (PrismScene) scene = NULL;
  g_autoptr (PrismEngine) engine = NULL;

  if (frames == NULL && config->tile != 0)
    {
      prism_error_config (error,
                          "With tile=%d a picture is cut into runs of their own, which “prism-cli"
                          " run” makes: set tile=0 here.",
                          config->tile);
      return NULL;
    }
  if (frames != NULL && (scene = load_scene (frames, config, error)) == NULL)
    return NULL;
  prism_registry_find (config->backend);
  engine = prism_engine_new (NULL, NULL, error);
  if (engine == NULL
      || !prism_engine_configure_scene (engine, config, scene, error))
    return NULL;
  prism_engine_set_interval (engine, QUIET_INTERVAL);
  return g_steal_pointer (&engine);
}

/* GLib makes resources ready when they are first asked for; another thread that asks meanwhile
 * would get none. */
static void
load_resources (void)
{
  static gsize loaded;

  if (g_once_init_enter (&loaded))
    {
      prism_preset_store_is_builtin ("standard");
      g_once_init_leave (&loaded, 1);
    }
}

libprism_run *
libprism_run_new (const libprism_frames *frames,
                  const char *preset,
                  const char *path,
                  const char *const *settings)
{
  GError *error = NULL;
  g_autoptr (PrismConfig) config = NULL;
  PrismEngine *engine = NULL;
  libprism_run *run;

  load_resources ();
  config = prism_config_ask (preset, path, (char *const *) settings,
                             frames != NULL ? PRISM_FRAMES_RECORDED : PRISM_FRAMES_OF_TELESCOPE,
                             &error);
  if (config != NULL)
    engine = new_engine (frames, config, &error);
  if (engine == NULL)
    {
      fail (error);
      return NULL;
    }
  run = g_new0 (libprism_run, 1);
  run->engine = engine;
  return run;
}

void
libprism_run_free (libprism_run *run)
{
  if (run == NULL)
    return;
  prism_engine_free (run->engine);
  g_clear_pointer (&run->newest, prism_snapshot_unref);
  g_free (run);
}

void
libprism_run_start (libprism_run *run,
                    unsigned n)
{
  run->awaited = TRUE;
  if (n > 0)
    prism_engine_step (run->engine, n);
  else
    prism_engine_run (run->engine);
}

void
libprism_run_stop (libprism_run *run)
{
  g_atomic_int_set (&run->stopping, TRUE);
  prism_engine_stop (run->engine);
}

/* As libprism_run_wait() says it. */
static int
tell_state (const libprism_run *run)
{
  switch (run->newest->state)
    {
    case PRISM_STATE_FAILED:
      note_error (run->newest->message);
      return -1;
    case PRISM_STATE_PAUSED:
    case PRISM_STATE_STOPPED:
    case PRISM_STATE_FINISHED:
      return 1;
    case PRISM_STATE_IDLE:
    case PRISM_STATE_PREPARING:
    case PRISM_STATE_RUNNING:
    default:
      return 0;
    }
}

int
libprism_run_wait (libprism_run *run,
                   unsigned milliseconds)
{
  PrismSnapshot *snapshot;
  int code;

  if (!run->awaited && run->newest != NULL
      && !(run->newest->state == PRISM_STATE_PAUSED && g_atomic_int_get (&run->stopping)))
    return tell_state (run);
  snapshot = prism_engine_wait (run->engine, milliseconds);
  if (snapshot == NULL)
    return 0;
  g_clear_pointer (&run->newest, prism_snapshot_unref);
  run->newest = snapshot;
  code = tell_state (run);
  if (code != 0)
    run->awaited = FALSE;
  return code;
}

libprism_result *
libprism_run_get_result (libprism_run *run)
{
  libprism_result *result;

  if (run->newest == NULL)
    {
      note_error ("There is no result yet: the run has not been waited for.");
      return NULL;
    }
  result = g_new0 (libprism_result, 1);
  result->snapshot = prism_snapshot_ref (run->newest);
  result->made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return result;
}

int
libprism_run_save (libprism_run *run,
                   const char *directory)
{
  GError *error = NULL;

  if (run->newest == NULL || tell_state (run) != 1 || run->newest->reconstruction == NULL)
    {
      note_error ("There is nothing to write yet: wait until the run has halted or ended.");
      return -1;
    }
  if (!prism_snapshot_is_recorded (run->newest))
    return prism_export_save (run->newest, directory, FALSE, &error) ? 0 : fail (error);
  run->newest = prism_engine_write (run->engine, directory, FALSE, run->newest, &error);
  return run->newest != NULL ? 0 : fail (error);
}

void
libprism_result_free (libprism_result *result)
{
  if (result == NULL)
    return;
  prism_snapshot_unref (result->snapshot);
  g_hash_table_unref (result->made);
  g_free (result);
}

/* Something that is made when it is asked for first, and kept; the data is taken. */
static const void *
keep (libprism_result *result,
      const char *name,
      gpointer data)
{
  g_hash_table_insert (result->made, g_strdup (name), data);
  return data;
}

/* Where a structure has what. */
typedef struct
{
  const char *name;
  gsize offset;
  gsize n; /* doubles, one after the other */
} Member;

#define IN(type, name, member, n)           \
  {                                         \
    name, G_STRUCT_OFFSET (type, member), n \
  }

static const Member images[] = {
  IN (PrismSnapshot, "reconstruction", reconstruction, 0),
  IN (PrismSnapshot, "phase", phase_image, 0),
  IN (PrismSnapshot, "target", target, 0),
  IN (PrismSnapshot, "second", second, 0),
  IN (PrismSnapshot, "measurement", measurement, 0),
  IN (PrismSnapshot, "coverage", coverage_plane, 0),
  IN (PrismSnapshot, "spectrum", spectrum, 0),
};

static const Member texts[] = {
  IN (PrismSnapshot, "message", message, 0),
  IN (PrismSnapshot, "device", device, 0),
  IN (PrismSnapshot, "device_reason", device_reason, 0),
};

static const Member of_frames[] = {
  IN (PrismFindingFrame, "gains", gain, 1),
  IN (PrismFindingFrame, "light", light, 1),
  IN (PrismFindingFrame, "misfits", misfit, 1),
  IN (PrismFindingFrame, "correlations", correlation, 1),
  IN (PrismFindingFrame, "places", found, 2),
  IN (PrismFindingFrame, "places_recorded", recorded, 2),
};

static const Member of_passes[] = {
  IN (PrismPrediction, "passes", misfit, 2), /* the correlation follows */
};

G_STATIC_ASSERT (G_STRUCT_OFFSET (PrismPrediction, correlation)
                 == G_STRUCT_OFFSET (PrismPrediction, misfit) + sizeof (double));

#define METRIC_COLUMN(key, ...) IN (PrismHistoryRow, #key, metrics.key, 1),

static const Member of_rows[] = {
  IN (PrismHistoryRow, "loss_new", loss_new, 1),
  IN (PrismHistoryRow, "loss_old", loss_old, 1),
  IN (PrismHistoryRow, "learning_rate", learning_rate, 1),
  PRISM_METRICS (METRIC_COLUMN)
      IN (PrismHistoryRow, "seconds", seconds, 1),
  IN (PrismHistoryRow, "correlation", correlation, 1),
};

static const char *const counts[] = { "step", "sample", "sample_step" };

static const Member *
find_member (const Member *members,
             gsize n_members,
             const char *name)
{
  for (gsize i = 0; i < n_members; i++)
    if (strcmp (members[i].name, name) == 0)
      return &members[i];
  return NULL;
}

#define FIND(members, name) find_member (members, G_N_ELEMENTS (members), name)

/* Doubles of structures that follow each other, together. */
static double *
gather (const Member *member,
        gconstpointer structures,
        gsize n,
        gsize size)
{
  double *values = g_new (double, MAX (n * member->n, 1));

  for (gsize i = 0; i < n; i++)
    memcpy (values + i * member->n, (const char *) structures + i * size + member->offset,
            member->n * sizeof *values);
  return values;
}

static void
set_array (libprism_array *array,
           libprism_type type,
           const void *values,
           gsize rows,
           gsize columns)
{
  array->type = type;
  array->n_dims = columns > 0 ? 2 : 1;
  array->shape[0] = rows;
  array->shape[1] = columns;
  array->values = values;
}

/* Doubles of one member of every structure. */
static int
give_members (libprism_result *result,
              const char *name,
              const Member *member,
              gconstpointer structures,
              gsize n,
              gsize size,
              libprism_array *array)
{
  const void *values = g_hash_table_lookup (result->made, name);

  if (values == NULL)
    values = keep (result, name, gather (member, structures, n, size));
  set_array (array, LIBPRISM_FLOAT64, values, n, member->n > 1 ? member->n : 0);
  return 1;
}

static int
give_column (libprism_result *result,
             const char *name,
             libprism_array *array)
{
  PrismSnapshot *snapshot = result->snapshot;
  const char *column = name + strlen ("history/");
  const Member *member = FIND (of_rows, column);
  gsize n = snapshot->history != NULL ? (gsize) snapshot->n_rows : 0;
  double *values;

  if (member == NULL && !g_strv_contains (counts, column))
    return 0;
  values = g_hash_table_lookup (result->made, name);
  if (values == NULL)
    {
      values = g_new (double, MAX (n, 1));
      for (gsize i = 0; i < n; i++)
        {
          const PrismHistoryRow row = prism_history_get_row (snapshot->history, i);

          if (member != NULL)
            values[i] = G_STRUCT_MEMBER (double, &row, member->offset);
          else if (strcmp (column, "step") == 0)
            values[i] = (double) row.step;
          else if (strcmp (column, "sample") == 0)
            values[i] = (double) row.sample;
          else
            values[i] = (double) row.sample_step;
        }
      keep (result, name, values);
    }
  set_array (array, LIBPRISM_FLOAT64, values, n, 0);
  return 1;
}

static int
give_roles (libprism_result *result,
            const PrismFinding *finding,
            libprism_array *array)
{
  guint8 *roles = g_hash_table_lookup (result->made, "roles");

  if (roles == NULL)
    {
      roles = g_new (guint8, finding->n_frames);
      for (guint i = 0; i < finding->n_frames; i++)
        roles[i] = finding->frames[i].left_out ? 2 : finding->frames[i].held ? 1
                                                                             : 0;
      keep (result, "roles", roles);
    }
  set_array (array, LIBPRISM_UINT8, roles, finding->n_frames, 0);
  return 1;
}

static int
give_finding (libprism_result *result,
              const PrismFinding *finding,
              const char *name,
              libprism_array *array)
{
  const Member *of_frame = FIND (of_frames, name);
  const Member *of_pass = FIND (of_passes, name);

  if (of_frame != NULL)
    return give_members (result, name, of_frame, finding->frames, finding->n_frames,
                         sizeof *finding->frames, array);
  if (of_pass != NULL)
    return give_members (result, name, of_pass, finding->progress->data, finding->progress->len,
                         sizeof (PrismPrediction), array);
  if (strcmp (name, "object") == 0)
    set_array (array, LIBPRISM_COMPLEX64, finding->object, (gsize) finding->object_height,
               (gsize) finding->object_width);
  else if (strcmp (name, "pupil") == 0)
    set_array (array, LIBPRISM_COMPLEX64, finding->pupil, (gsize) finding->side,
               (gsize) finding->side);
  else
    return strcmp (name, "roles") == 0 ? give_roles (result, finding, array) : 0;
  return array->values != NULL;
}

int
libprism_result_get_array (libprism_result *result,
                           const char *name,
                           libprism_array *array)
{
  const Member *member = FIND (images, name);
  const PrismFinding *finding = result->snapshot->finding;
  const PrismImage *image;

  if (g_str_has_prefix (name, "history/"))
    return give_column (result, name, array);
  if (member == NULL)
    return finding != NULL ? give_finding (result, finding, name, array) : 0;
  image = G_STRUCT_MEMBER (PrismImage *, result->snapshot, member->offset);
  if (image == NULL)
    return 0;
  set_array (array, LIBPRISM_FLOAT32, image->pixels, (gsize) image->height, (gsize) image->width);
  return 1;
}

static char *
dup_text (PrismSnapshot *snapshot,
          const char *name)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (strcmp (name, "verdict") == 0)
    return prism_verdict_dup_text (&snapshot->verdict);
  if (strcmp (name, "verdict_key") == 0)
    return g_strdup (prism_verdict_get_key (snapshot->verdict.kind));
  if (strcmp (name, "warnings") == 0)
    return prism_snapshot_dup_remarks (snapshot, TRUE);
  if (strcmp (name, "columns") == 0)
    {
      g_string_append (names, "step sample sample_step");
      PRISM_FOR_EACH_OF (member, of_rows)
        g_string_append_printf (names, " %s", member->name);
      return g_strdup (names->str);
    }
  if (strcmp (name, "metrics") == 0)
    {
      for (gsize i = 0; i < PRISM_N_METRICS; i++)
        g_string_append_printf (names, "%s%s", i > 0 ? " " : "", prism_metrics[i].key);
      return g_strdup (names->str);
    }
  if (strcmp (name, "configuration") == 0)
    return prism_config_to_text (snapshot->config);
  if (strcmp (name, "summary") == 0 && !prism_snapshot_is_recorded (snapshot))
    return prism_export_dup_summary (snapshot);
  return NULL;
}

const char *
libprism_result_get_text (libprism_result *result,
                          const char *name)
{
  static const char *const states[] = { "idle", "preparing", "running", "paused",
                                        "stopped", "finished", "failed" };
  PrismSnapshot *snapshot = result->snapshot;
  const char *kept = g_hash_table_lookup (result->made, name);
  char *text;

  if (strcmp (name, "state") == 0)
    return states[snapshot->state];
  if (FIND (texts, name) != NULL)
    return G_STRUCT_MEMBER (const char *, snapshot, FIND (texts, name)->offset);
  if (kept != NULL)
    return kept;
  text = dup_text (snapshot, name);
  return text != NULL ? keep (result, name, text) : NULL;
}

double
libprism_result_get_number (libprism_result *result,
                            const char *name)
{
  const PrismSnapshot *snapshot = result->snapshot;
  const PrismFinding *finding = snapshot->finding;
  const PrismPrediction none = { .expected = NAN, .noise = NAN, .to_na = NAN };
  const PrismPrediction *held_out = finding != NULL ? &finding->held_out : &none;
  const struct
  {
    const char *name;
    double value;
  } numbers[] = {
    { "pass", snapshot->pass },
    { "passes", snapshot->n_passes },
    { "sample", snapshot->sample },
    { "samples", snapshot->n_samples },
    { "step", (double) snapshot->step },
    { "seconds", snapshot->seconds },
    { "misfit", finding != NULL && held_out->n_frames > 0 ? held_out->misfit : snapshot->misfit },
    { "correlation", finding != NULL ? held_out->correlation : NAN },
    { "coverage", snapshot->coverage },
    { "expected_misfit", held_out->expected > 0 ? held_out->noise : NAN },
    { "expected_correlation", held_out->expected > 0 ? held_out->expected : NAN },
    { "signal_to_na", held_out->to_na },
    { "pixel_size", finding != NULL ? finding->pixel_size : NAN },
    { "wavelength", finding != NULL ? finding->wavelength : NAN },
    { "na", finding != NULL ? finding->na : NAN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (strcmp (numbers[i].name, name) == 0)
      return numbers[i].value;
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    if (strcmp (prism_metrics[i].key, name) == 0)
      return snapshot->metrics.values[i];
  return NAN;
}
