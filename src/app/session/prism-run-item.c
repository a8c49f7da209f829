#include "config.h"

#include "session/prism-run-list.h"

#include "support/prism-class.h"
#include "support/prism-ui-text.h"

G_DEFINE_FINAL_TYPE (PrismRunItem, prism_run_item, G_TYPE_OBJECT)

/* A run whose picture nobody can, or could yet, compare with an object. */
static char *
dup_unmeasured (const PrismResult *result)
{
  const PrismSnapshot *snapshot = result->snapshot;
  gboolean stopped = snapshot->state == PRISM_STATE_STOPPED;

  if (result->snapshot->correlation != 0)
    return g_strdup_printf (stopped ? _ ("Misfit %.4f, stopped early") : _ ("Misfit %.4f"),
                            snapshot->misfit);
  if (snapshot->has_no_target)
    return g_strdup (stopped ? _ ("Stopped early, no target") : _ ("Finished, no target"));
  return g_strdup (stopped ? _ ("Stopped early") : _ ("Finished"));
}

static char *
dup_result (const PrismResult *result)
{
  const PrismSnapshot *snapshot = result->snapshot;
  g_autofree char *text = NULL;

  if (!isfinite (snapshot->metrics.psnr))
    text = dup_unmeasured (result);
  else if (snapshot->state == PRISM_STATE_STOPPED)
    text = g_strdup_printf (_ ("%.2f dB, stopped early"), snapshot->metrics.psnr);
  else
    text = g_strdup_printf (_ ("%.2f dB"), snapshot->metrics.psnr);
  return prism_verdict_dup_signed (&snapshot->verdict, snapshot->coverage, text);
}

static char *
dup_status (PrismRunItem *self)
{
  switch (self->status)
    {
    case PRISM_RUN_WAITING:
      return g_strdup (_ ("Waiting"));
    case PRISM_RUN_UNDER_WAY:
      return g_strdup (_ ("Running…"));
    case PRISM_RUN_FAILED:
      return g_strdup (_ ("Failed"));
    case PRISM_RUN_STOPPED:
      return g_strdup (_ ("Stopped early"));
    case PRISM_RUN_DONE:
    default:
      break;
    }
  return self->result != NULL ? dup_result (self->result) : g_strdup (_ ("Finished"));
}

static gboolean
get_done (PrismRunItem *self)
{
  return self->result != NULL;
}

static void
prism_run_item_class_init (PrismRunItemClass *klass)
{
  PRISM_FINALIZE (klass, PrismRunItem, g_free, name, given, own_name, path);
  PRISM_FINALIZE (klass, PrismRunItem, prism_config_free, config);
  PRISM_FINALIZE (klass, PrismRunItem, prism_result_unref, result);
  PRISM_FIELD (klass, PrismRunItem, name, G_TYPE_STRING, NULL);
  prism_property_new (klass, "status", G_TYPE_STRING, 0, dup_status, NULL);
  PRISM_FIELD (klass, PrismRunItem, shown, G_TYPE_BOOLEAN, prism_property_stored);
  prism_property_new (klass, "done", G_TYPE_BOOLEAN, 0, get_done, NULL);
}

static void
prism_run_item_init (PrismRunItem *self)
{
  self->shown = TRUE;
}

/**
 * prism_run_item_new:
 * @own_name: (nullable) (transfer full): number or file, which no other run has; none before it
 *   has begun
 * @given: (nullable): what it is called; one without is told from others by its settings
 * @config: of the run
 *
 * Returns: (transfer full): a run that waits
 */
PrismRunItem *
prism_run_item_new (char *own_name,
                    const char *given,
                    const PrismConfig *config)
{
  PrismRunItem *self = g_object_new (PRISM_TYPE_RUN_ITEM, NULL);

  self->own_name = own_name;
  self->given = g_strdup (given);
  self->config = prism_config_dup (config);
  return self;
}

/**
 * prism_run_item_set_status:
 * @self: a run
 * @status: how far it is
 *
 * Takes note of how far it is.
 */
void
prism_run_item_set_status (PrismRunItem *self,
                           PrismRunStatus status)
{
  if (self->status == status)
    return;
  self->status = status;
  g_object_notify (G_OBJECT (self), "status");
}

/**
 * prism_run_item_set_result:
 * @self: a run
 * @result: what it came to
 *
 * Takes the result: the run is done.
 */
void
prism_run_item_set_result (PrismRunItem *self,
                           PrismResult *result)
{
  prism_result_ref (result);
  g_clear_pointer (&self->result, prism_result_unref);
  self->result = result;
  self->status = PRISM_RUN_DONE;
  g_object_notify (G_OBJECT (self), "status");
  g_object_notify (G_OBJECT (self), "done");
}

static gboolean
is_object (const PrismParam *param)
{
  return g_str_equal (param->key, "object");
}

/* A setting that has an effect on the run; of recorded frames the file is their object. */
static gboolean
tells (const PrismRunItem *self,
       const PrismParam *param)
{
  return is_object (param) || prism_config_applies (self->config, param);
}

/* How many more of the runs that are compared, and on which the setting has an effect, have the
 * value of this one than another: the least where it is this one's alone. */
static int
count_more (GListModel *runs,
            const PrismRunItem *self,
            const PrismParam *param)
{
  int n_more = 0;

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (PrismRunItem) run = g_list_model_get_item (runs, i);

      if (run->shown && tells (run, param))
        n_more += prism_config_differs (self->config, run->config, param) ? -1 : 1;
    }
  return n_more;
}

/* "Radius 12 px"; what it is of, how it is computed and a pattern go without their names. */
static void
append_setting (GString *words,
                const PrismConfig *config,
                const PrismParam *param)
{
  const gboolean is_method = g_str_equal (param->key, "method");
  const gboolean plain = is_method || is_object (param) || g_str_equal (param->key, "pattern");
  g_autofree char *value = is_method ? g_strdup (gettext (prism_approach_find (config)->label))
                                     : prism_ui_text_dup_value (config, param);

  g_string_append_printf (words, "%s%s%s%s", words->len > 0 ? ", " : "",
                          plain ? "" : gettext (param->label), plain ? "" : " ", value);
}

typedef struct
{
  const PrismParam *param;
  int n_more;
} Difference;

static int
compare_differences (gconstpointer a,
                     gconstpointer b)
{
  return ((const Difference *) a)->n_more - ((const Difference *) b)->n_more;
}

/* "1 · Radius 12 px, SNR 20 dB", what fewest have first, since an end may be cut; without a
 * difference "1 · Moon, PRISM". One that was given a name is told from others by that, and by its
 * object. */
static void
name (PrismRunItem *self,
      GListModel *runs)
{
  const PrismParam *object = prism_config_get_param ("object");
  g_autofree char *old = self->name;
  g_autofree char *approach = prism_approach_dup_name (self->config);
  g_autoptr (GString) words = g_string_new (NULL);
  g_autoptr (GArray) differences = g_array_new (FALSE, FALSE, sizeof (Difference));

  PRISM_FOR_EACH_PARAM (param)
    if ((self->given == NULL || param == object) && tells (self, param))
      {
        const Difference difference = { param, count_more (runs, self, param) };

        if (difference.n_more <= 0)
          g_array_append_val (differences, difference);
      }
  g_array_sort (differences, compare_differences);
  PRISM_FOR_EACH (Difference, difference, differences)
    append_setting (words, self->config, difference->param);
  if (self->given != NULL)
    g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", self->given);
  else if (words->len == 0)
    g_string_append (words, approach);
  self->name = self->own_name != NULL ? g_strdup_printf ("%s · %s", self->own_name, words->str)
                                      : g_strdup (words->str);
  if (g_strcmp0 (old, self->name) != 0)
    g_object_notify (G_OBJECT (self), "name");
}

/**
 * prism_run_item_name_all:
 * @runs: of PrismRunItem
 *
 * Names each by the settings that most of those that are shown have otherwise: two that differ are
 * never called the same.
 */
void
prism_run_item_name_all (GListModel *runs)
{
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (PrismRunItem) run = g_list_model_get_item (runs, i);

      name (run, runs);
    }
}

/**
 * prism_run_item_dup_common:
 * @runs: of PrismRunItem
 *
 * What the names do not say, since most that are shown have it: of that what one sets first.
 *
 * Returns: (transfer full): "Where nothing else is said: Moon, Object size 96 px, PRISM"; "" where
 *   there is nothing
 */
char *
prism_run_item_dup_common (GListModel *runs)
{
  static const char *const keys[] = { "object", "object_size", "image_size", "aperture_radius",
                                      "samples", "pattern", "snr", "method" };
  const guint n_runs = g_list_model_get_n_items (runs);
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint k = 0; n_runs > 1 && k < G_N_ELEMENTS (keys); k++)
    for (guint i = 0; i < n_runs; i++)
      {
        const PrismParam *param = prism_config_get_param (keys[k]);
        g_autoptr (PrismRunItem) run = g_list_model_get_item (runs, i);

        if (!run->shown || !tells (run, param) || count_more (runs, run, param) <= 0)
          continue;
        append_setting (words, run->config, param);
        break;
      }
  return words->len > 0 ? g_strdup_printf (_ ("Where nothing else is said: %s"), words->str)
                        : g_strdup ("");
}
