#include "config.h"

#include "results/prism-sweep.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-temporary.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "model/prism-config-check.h"
#include "results/prism-sweep-measure.h"

#include <zlib.h>

#define PLAN_GROUP "sweep"
#define PLAN_VERSION 1
#define RECORDED_VERSION 2 /* of recorded frames, which programs that know 1 would not see */

/**
 * prism_sweep_new:
 * @base: what all points have in common
 *
 * Returns: (transfer full): a sweep of a single point
 */
PrismSweep *
prism_sweep_new (const PrismConfig *base)
{
  PrismSweep *self = g_new0 (PrismSweep, 1);

  self->base = prism_config_dup (base);
  self->n_points = 1;
  return self;
}

/* As a plan can hold it, and the command line reads it. */
static void
add_file_name (GPtrArray *arguments,
               const char *option,
               const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);

  g_ptr_array_add (arguments, g_strdup (option));
  g_ptr_array_add (arguments, prism_file_to_text (whole));
}

/**
 * prism_sweep_new_recorded:
 * @base: what all points have in common
 * @problem: recorded frames; a reference is kept
 *
 * A sweep whose runs explain the frames. Each reads them again from where they are.
 *
 * Returns: (transfer full): a sweep of a single point
 */
PrismSweep *
prism_sweep_new_recorded (const PrismConfig *base,
                          PrismProblem *problem)
{
  PrismSweep *self = prism_sweep_new (base);
  GPtrArray *arguments = g_ptr_array_new ();
  gsize n_keys;
  const PrismRecipeKey *keys = prism_recipe_get_keys (&n_keys);

  add_file_name (arguments, "--measurements", problem->recording->path);
  if (problem->positions != NULL)
    add_file_name (arguments, "--positions", problem->positions);
  for (gsize i = 0; i < n_keys && problem->recipe != NULL; i++)
    {
      const char *value = prism_recipe_get (problem->recipe, keys[i].key);

      if (value == NULL)
        continue;
      g_ptr_array_add (arguments, g_strdup ("--assign"));
      g_ptr_array_add (arguments, g_strconcat (keys[i].key, "=", value, NULL));
    }
  g_ptr_array_add (arguments, NULL);
  self->frames = (char **) g_ptr_array_free (arguments, FALSE);
  self->problem = prism_problem_ref (problem);
  return self;
}

/**
 * prism_sweep_new_like:
 * @other: a sweep
 *
 * Returns: (transfer full): a sweep of a single point, with the same base and of the same frames
 */
PrismSweep *
prism_sweep_new_like (PrismSweep *other)
{
  PrismSweep *self = prism_sweep_new (other->base);

  self->frames = g_strdupv (other->frames);
  self->problem = other->problem != NULL ? prism_problem_ref (other->problem) : NULL;
  self->frames_bytes = other->frames_bytes;
  return self;
}

/**
 * prism_sweep_free:
 * @self: (nullable): a sweep
 */
void
prism_sweep_free (PrismSweep *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_axes; i++)
    g_strfreev (self->axes[i].values);
  g_strfreev (self->frames);
  prism_problem_unref (self->problem);
  prism_config_free (self->base);
  g_free (self);
}

/* "first:last:count" or "first:last:count:log" */
static char **
make_range (const PrismParam *param,
            char **words,
            GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  gboolean logarithmic = g_strv_length (words) == 4;
  double first, last, count;

  if (!prism_number_parse (words[0], &first) || !prism_number_parse (words[1], &last)
      || !prism_number_parse (words[2], &count) || count < 2 || count > PRISM_SWEEP_MAX_POINTS
      || count != floor (count) || (logarithmic && strcmp (words[3], "log") != 0))
    {
      prism_error_config (error,
                          _ ("The range of %s is not understood: write %s=first:last:count or"
                             " %s=first:last:count:log, with a count from 2 to %d."),
                          param->key, param->key, param->key, PRISM_SWEEP_MAX_POINTS);
      return NULL;
    }
  if (logarithmic && (first <= 0.0 || last <= 0.0))
    {
      prism_error_config (error,
                          _ ("The logarithmic range of %s must be above 0: it goes from %g to %g."),
                          param->key, first, last);
      return NULL;
    }
  for (int i = 0; i < (int) count; i++)
    {
      double t = i / (count - 1.0);
      double value = logarithmic ? first * pow (last / first, t) : first + t * (last - first);

      if (param->type == PRISM_PARAM_INTEGER)
        value = round (value);
      g_ptr_array_add (values, g_strdup (prism_digits ("%.10g", value)));
    }
  g_ptr_array_add (values, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&values), FALSE);
}

static char **
make_values (const PrismParam *param,
             const char *text,
             GError **error)
{
  g_auto (GStrv) range = g_strsplit (text, ":", -1);
  guint n_words = g_strv_length (range);
  gboolean numeric = param->type == PRISM_PARAM_INTEGER || param->type == PRISM_PARAM_REAL;
  char **values;

  if (numeric && (n_words == 3 || n_words == 4))
    return make_range (param, range, error);
  values = g_strsplit (*text != '\0' ? text : " ", ",", -1);
  PRISM_FOR_EACH_STRING (value, values)
    g_strstrip (*value);
  return values;
}

/* Each value must be one that the parameter takes, and not twice there. Those of a former key
 * become what they mean now. */
static gboolean
check_values (PrismSweep *self,
              const PrismParam *param,
              const char *key,
              char **values,
              GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->base);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; values[i] != NULL; i++)
    {
      if (!prism_config_set_text (config, key, values[i], error))
        return FALSE;
      if (strcmp (key, param->key) != 0)
        {
          g_free (values[i]);
          values[i] = prism_config_dup_text (config, param);
        }
      if (!g_hash_table_add (seen, prism_config_dup_text (config, param)))
        return prism_error_config (
            error, _ ("%s has the value %s twice in the sweep: give each value once."), param->key,
            values[i]);
    }
  return TRUE;
}

/**
 * prism_sweep_param_is_seed:
 * @param: a parameter
 *
 * Returns: whether its values say nothing but which numbers chance draws
 */
gboolean
prism_sweep_param_is_seed (const PrismParam *param)
{
  return strcmp (param->key, "seed") == 0 || strcmp (param->key, PRISM_SWEEP_ENSEMBLE_KEY) == 0;
}

/* Two parameters make a map; what is repeated with other seeds is on neither of its axes. */
static gboolean
check_room (PrismSweep *self,
            const PrismParam *param,
            GError **error)
{
  guint n_params = prism_sweep_param_is_seed (param) ? 0 : 1;

  for (guint i = 0; i < self->n_axes; i++)
    n_params += prism_sweep_is_seed (self, i) ? 0 : 1;
  if (self->n_axes < PRISM_SWEEP_MAX_AXES && n_params <= PRISM_SWEEP_MAX_PARAMS)
    return TRUE;
  return prism_error_config (
      error,
      _ ("%s is one axis too many: a sweep has one or two parameters and, to repeat its"
         " runs, seed or training_seed."),
      param->key);
}

static const PrismParam *
find_param (PrismSweep *self,
            const char *key,
            GError **error)
{
  const PrismParam *param = prism_config_find_param (key, error);

  if (param == NULL || !prism_config_check_has (self->base, param, error))
    return NULL;
  if (param->type == PRISM_PARAM_TEXT)
    {
      prism_error_config (error, _ ("“%s” is a text: a sweep goes over numbers and choices."), key);
      return NULL;
    }
  for (guint i = 0; i < self->n_axes; i++)
    if (self->axes[i].param == param)
      {
        prism_error_config (
            error, _ ("The sweep goes over %s twice: choose two different parameters."), key);
        return NULL;
      }
  return check_room (self, param, error) ? param : NULL;
}

/**
 * prism_sweep_add_axis:
 * @text: "key=a,b,c", "key=first:last:count" or "key=first:last:count:log"
 *
 * Lets one parameter go over a list or a range of values.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the axis was understood and all its values are allowed
 */
gboolean
prism_sweep_add_axis (PrismSweep *self,
                      const char *text,
                      GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *key = equals != NULL ? g_strndup (text, equals - text) : NULL;
  g_auto (GStrv) values = NULL;
  const PrismParam *param;
  guint n_values;

  if (equals == NULL)
    return prism_error_config (error, _ ("“%s” is no axis of a sweep: write key=a,b,c or"
                                         " key=first:last:count."),
                               text);
  param = find_param (self, g_strstrip (key), error);
  values = param != NULL ? make_values (param, equals + 1, error) : NULL;
  if (values == NULL || !check_values (self, param, key, values, error))
    return FALSE;
  n_values = g_strv_length (values);
  if ((guint64) self->n_points * n_values > PRISM_SWEEP_MAX_POINTS)
    return prism_error_config (
        error, _ ("The sweep has %u × %u points and may have %d: take fewer values."),
        self->n_points, n_values, PRISM_SWEEP_MAX_POINTS);
  self->axes[self->n_axes++] = (PrismSweepAxis) { param, g_steal_pointer (&values), n_values };
  self->n_points *= n_values;
  return TRUE;
}

/**
 * prism_sweep_get_value:
 * @point: number of a point
 * @axis: number of an axis
 *
 * Returns: (transfer none): the value that the point has on the axis, as in files
 */
const char *
prism_sweep_get_value (PrismSweep *self,
                       guint point,
                       guint axis)
{
  return self->axes[axis].values[prism_sweep_get_position (self, point, axis)];
}

/**
 * prism_sweep_get_position:
 * @point: number of a point
 * @axis: number of an axis
 *
 * Returns: which of the axis' values the point has, from 0
 */
guint
prism_sweep_get_position (PrismSweep *self,
                          guint point,
                          guint axis)
{
  for (guint i = self->n_axes - 1; i > axis; i--)
    point /= self->axes[i].n_values;
  return point % self->axes[axis].n_values;
}

/**
 * prism_sweep_is_seed:
 * @axis: number of an axis
 *
 * Returns: whether its values say nothing but which numbers chance draws
 */
gboolean
prism_sweep_is_seed (PrismSweep *self,
                     guint axis)
{
  return prism_sweep_param_is_seed (self->axes[axis].param);
}

/**
 * prism_sweep_dup_title:
 * @point: number of a point
 *
 * Returns: (transfer full): "snr=20, aperture_radius=8"
 */
char *
prism_sweep_dup_title (PrismSweep *self,
                       guint point)
{
  g_autoptr (GString) title = g_string_new (NULL);

  for (guint i = 0; i < self->n_axes; i++)
    g_string_append_printf (title, "%s%s=%s", i > 0 ? ", " : "", self->axes[i].param->key,
                            prism_sweep_get_value (self, point, i));
  return g_string_free (g_steal_pointer (&title), FALSE);
}

/**
 * prism_sweep_dup_value:
 * @axis: number of an axis
 * @value: which of its values, from 0
 *
 * Returns: (transfer full): heading of a row or a column, translated: "20 dB"
 */
char *
prism_sweep_dup_value (PrismSweep *self,
                       guint axis,
                       guint value)
{
  return prism_param_dup_value (self->axes[axis].param, self->axes[axis].values[value]);
}

/**
 * prism_sweep_dup_label:
 * @point: number of a point
 *
 * What a point is called where people look at it.
 *
 * Returns: (transfer full): "Signal-to-noise ratio 20 dB, Radius 8 px", translated
 */
char *
prism_sweep_dup_label (PrismSweep *self,
                       guint point)
{
  g_autoptr (GString) label = g_string_new (NULL);

  for (guint i = 0; i < self->n_axes; i++)
    {
      const PrismParam *param = self->axes[i].param;
      const char *given = prism_sweep_get_value (self, point, i);
      g_autofree char *value = prism_param_dup_value (param, given);

      g_string_append_printf (label, "%s%s %s", i > 0 ? ", " : "", _ (param->label), value);
    }
  return g_string_free (g_steal_pointer (&label), FALSE);
}

/**
 * prism_sweep_dup_config:
 * @point: number of a point
 *
 * Errors: PRISM_ERROR_CONFIG where its values do not go together.
 *
 * Returns: (transfer full) (nullable): the configuration of the point
 */
PrismConfig *
prism_sweep_dup_config (PrismSweep *self,
                        guint point,
                        GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->base);

  g_return_val_if_fail (point < self->n_points, NULL);

  for (guint i = 0; i < self->n_axes; i++)
    if (!prism_config_set_text (config, self->axes[i].param->key,
                                prism_sweep_get_value (self, point, i), error))
      return NULL;
  if (!prism_config_check (config, error))
    {
      g_autofree char *title = prism_sweep_dup_title (self, point);

      g_prefix_error (error, _ ("At the point %s: "), title);
      return NULL;
    }
  if (config->kind == PRISM_FRAMES_RECORDED)
    prism_config_settle_method (config);
  return g_steal_pointer (&config);
}

/**
 * prism_sweep_check:
 *
 * Checks the configuration of every point before the first of them runs.
 *
 * Errors: PRISM_ERROR_CONFIG; the message names the point.
 *
 * Returns: whether all can run
 */
gboolean
prism_sweep_check (PrismSweep *self,
                   GError **error)
{
  for (guint i = 0; i < self->n_points; i++)
    {
      g_autoptr (PrismConfig) config = prism_sweep_dup_config (self, i, error);

      if (config == NULL)
        return FALSE;
    }
  return TRUE;
}

/* What the largest of the runs needs; ops: (nullable): NULL for the device of each. Of recorded
 * frames it is the machine's memory, and what the plan says where they have not been read. */
static guint64
count_bytes (PrismSweep *self,
             const PrismBackendOps *ops,
             gboolean saves,
             gboolean on_device)
{
  guint64 most = self->problem == NULL ? self->frames_bytes : 0;

  for (guint i = 0; i < self->n_points && (self->frames == NULL || self->problem != NULL); i++)
    {
      g_autoptr (PrismConfig) config = prism_sweep_dup_config (self, i, NULL);
      const PrismBackendOps *one = config != NULL && ops == NULL
                                       ? prism_registry_find (config->backend)
                                       : ops;
      PrismBackendSpec spec;
      PrismMemoryEstimate need;

      if (config != NULL && self->problem != NULL)
        most = MAX (most, prism_problem_get_required_bytes (self->problem, config, saves));
      else if (config != NULL && one != NULL
               && prism_task_init_spec (config, config->samples, &spec, NULL))
        {
          prism_memory_estimate_init (&need, config, &spec, one, saves);
          most = MAX (most, on_device ? need.device : need.host);
        }
    }
  return most;
}

/**
 * prism_sweep_get_device_bytes:
 * @self: a sweep that has been checked
 * @ops: a device
 *
 * Units: bytes.
 *
 * Returns: what the largest of its runs needs on that device, or more
 */
guint64
prism_sweep_get_device_bytes (PrismSweep *self,
                              const PrismBackendOps *ops)
{
  return count_bytes (self, ops, FALSE, TRUE);
}

/**
 * prism_sweep_get_required_bytes:
 * @self: a sweep that has been checked
 *
 * Units: bytes.
 *
 * Returns: what the largest of its runs needs of the machine's memory, the program included; a run
 * on a GPU may have to go on without
 */
guint64
prism_sweep_get_required_bytes (PrismSweep *self)
{
  return MAX (count_bytes (self, &prism_cpu_backend_ops, self->keeps_runs, FALSE),
              count_bytes (self, NULL, self->keeps_runs, FALSE));
}

/**
 * prism_sweep_is_ensemble:
 *
 * Returns: whether its runs differ in nothing but the decoder's start, so that the spread of their
 * results says how certain they are
 */
gboolean
prism_sweep_is_ensemble (PrismSweep *self)
{
  return self->n_axes == 1 && strcmp (self->axes[0].param->key, PRISM_SWEEP_ENSEMBLE_KEY) == 0;
}

/**
 * prism_sweep_dup_path:
 * @directory: of the sweep
 * @point: number of a point
 * @ending: "" for the folder of its result, ".prism" for its configuration, ".prismrun" for its run
 *   file
 *
 * Returns: (transfer full): the path
 */
char *
prism_sweep_dup_path (const char *directory,
                      guint point,
                      const char *ending)
{
  return g_strdup_printf ("%s%c" PRISM_SWEEP_STEM "%s", directory, G_DIR_SEPARATOR, point, ending);
}

static guint32
add_file (guint32 checksum,
          const char *path)
{
  g_autoptr (GMappedFile) file
      = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_mapped_file_new (path, FALSE, NULL) : NULL;

  return file == NULL ? checksum
                      : (guint32) crc32_z (checksum, (guint8 *) g_mapped_file_get_contents (file),
                                           g_mapped_file_get_length (file));
}

/* Of what the runs look at: recorded frames with their directions and the result that they begin
 * with, or the files that parameters name. 0 where there is nothing but what is built in. */
static guint32
get_checksum (PrismSweep *self)
{
  static const char *const begun[] = { PRISM_EXCHANGE_HEAD, "pupil.npy", "frames.csv" };
  const PrismConfig *base = self->base;
  const PrismRecording *recording = self->problem != NULL ? self->problem->recording : NULL;
  guint32 checksum = 0;

  for (guint j = 0; recording != NULL && j < recording->n_frames; j++)
    {
      const gsize n_pixels = (gsize) recording->height * recording->width;
      const float *frame = recording->frames + j * n_pixels;

      checksum = (guint32) crc32_z (checksum, (const guint8 *) frame, n_pixels * sizeof *frame);
      prism_arena_touch (frame, n_pixels * sizeof *frame);
    }
  if (recording != NULL && recording->directions != NULL)
    checksum = (guint32) crc32_z (checksum, (const guint8 *) recording->directions,
                                  2 * (gsize) recording->n_frames * sizeof *recording->directions);
  if (self->frames == NULL)
    return add_file (add_file (checksum, base->object), base->pattern_file);
  for (gsize i = 0; i < G_N_ELEMENTS (begun) && base->start[0] != '\0'; i++)
    {
      g_autofree char *path = g_build_filename (base->start, begun[i], NULL);

      checksum = add_file (checksum, path);
    }
  return checksum;
}

static GKeyFile *
new_plan (PrismSweep *self)
{
  GKeyFile *file = g_key_file_new ();
  const guint32 checksum = get_checksum (self);
  g_autofree char *base = prism_config_to_text (self->base);

  g_key_file_set_integer (file, PLAN_GROUP, "version",
                          self->frames != NULL ? RECORDED_VERSION : PLAN_VERSION);
  if (self->frames != NULL)
    {
      g_key_file_set_string_list (file, PLAN_GROUP, "frames", (const char *const *) self->frames,
                                  g_strv_length (self->frames));
      g_key_file_set_uint64 (file, PLAN_GROUP, "bytes",
                             count_bytes (self, NULL, FALSE, FALSE));
    }
  if (checksum != 0)
    g_key_file_set_uint64 (file, PLAN_GROUP, "checksum", checksum);
  for (guint i = 0; i < self->n_axes; i++)
    {
      g_autofree char *name = g_strdup_printf ("axis%u", i + 1);
      g_autofree char *values = g_strjoinv (",", self->axes[i].values);
      g_autofree char *text = g_strdup_printf ("%s=%s", self->axes[i].param->key, values);

      g_key_file_set_string (file, PLAN_GROUP, name, text);
    }
  g_key_file_set_string (file, PLAN_GROUP, "base", base);
  return file;
}

/**
 * prism_sweep_save:
 * @self: a sweep that has been checked
 * @directory: where to; created where it is missing
 *
 * Writes the plan and the configuration of every point. A directory of the same sweep is taken
 * again, so that what is missing can be made up for.
 *
 * Errors: those of prism_plan_save() and prism_sweep_row_check().
 *
 * Returns: whether all is on the disk
 */
gboolean
prism_sweep_save (PrismSweep *self,
                  const char *directory,
                  GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (!prism_plan_save (directory, PRISM_PLAN_SWEEP, PRISM_SWEEP_NAMES, new_plan (self), error))
    return FALSE;
  /* Earlier tries that were killed have left some. */
  for (guint i = 0; i < self->n_points; i++)
    g_ptr_array_add (names, g_strdup_printf (PRISM_SWEEP_STEM ".prism", i));
  g_ptr_array_add (names, NULL);
  prism_temporary_remove_unused (directory, (const char *const *) names->pdata);
  for (guint i = 0; i < self->n_points; i++)
    {
      g_autofree char *config_path = prism_file_dup_place (directory, names->pdata[i]);
      g_autofree char *folder = prism_sweep_dup_path (directory, i, "");
      g_autoptr (PrismConfig) config = prism_sweep_dup_config (self, i, error);

      if (config == NULL || !prism_sweep_row_check (folder, config, error)
          || !prism_config_save (config, config_path, NULL, error))
        return FALSE;
    }
  return TRUE;
}

/* A plan is anybody's file: nothing but frames may be named by it. */
static gboolean
names_frames (char **arguments)
{
  static const char *const options[] = { "--measurements", "--positions", "--assign", NULL };
  const guint n = arguments != NULL ? g_strv_length (arguments) : 0;
  gboolean ok = n > 0 && n % 2 == 0;

  for (guint i = 0; i < n && ok; i += 2)
    ok = g_strv_contains (options, arguments[i]) && arguments[i + 1][0] != '-';
  return ok;
}

static PrismSweep *
parse_plan (GKeyFile *file,
            const char *name,
            GError **error)
{
  g_autofree char *base = g_key_file_get_string (file, PLAN_GROUP, "base", NULL);
  const int version = g_key_file_get_integer (file, PLAN_GROUP, "version", NULL);
  g_auto (GStrv) frames = NULL;
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (PrismSweep) self = NULL;

  if (version == RECORDED_VERSION)
    frames = g_key_file_get_string_list (file, PLAN_GROUP, "frames", NULL, NULL);
  if (base == NULL
      || (version != PLAN_VERSION && (version != RECORDED_VERSION || !names_frames (frames))))
    {
      prism_error_format (
          error, _ ("%s is not the plan of a sweep, or is of a newer version of the program."),
          name);
      return NULL;
    }
  config = prism_config_load_text (base, -1, name, error);
  if (config == NULL)
    return NULL;
  config->kind = frames != NULL ? PRISM_FRAMES_RECORDED : PRISM_FRAMES_OF_TELESCOPE;
  self = prism_sweep_new (config);
  self->frames = g_steal_pointer (&frames);
  self->frames_bytes = g_key_file_get_uint64 (file, PLAN_GROUP, "bytes", NULL);
  for (guint i = 0; i < PRISM_SWEEP_MAX_AXES; i++)
    {
      g_autofree char *key = g_strdup_printf ("axis%u", i + 1);
      g_autofree char *text = g_key_file_get_string (file, PLAN_GROUP, key, NULL);

      if (text != NULL && !prism_sweep_add_axis (self, text, error))
        return NULL;
    }
  return prism_sweep_check (self, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_sweep_load:
 * @directory: of a sweep
 *
 * Reads the plan that prism_sweep_save() wrote.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): the sweep
 */
PrismSweep *
prism_sweep_load (const char *directory,
                  GError **error)
{
  g_autofree char *path = g_build_filename (directory, PRISM_PLAN_SWEEP, NULL);
  g_autoptr (GKeyFile) file = prism_plan_load (
      directory, PRISM_PLAN_SWEEP,
      _ ("“%s” has no sweep: choose a directory that a sweep was written into."), error);

  return file != NULL ? parse_plan (file, path, error) : NULL;
}
