#include "config.h"

#include "prism-report-text.h"

#include "backend/prism-device-counters.h"
#include "prism-finding-draw.h"
#include "prism-scale.h"
#include "results/prism-export.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef struct
{
  const char *label;
  char *(*dup) (const PrismSnapshot *snapshot); /* may return NULL: not known */
} Fact;

static char *
dup_device (const PrismSnapshot *snapshot)
{
  return g_strdup (snapshot->device);
}

static char *
dup_reason (const PrismSnapshot *snapshot)
{
  return g_strdup (snapshot->device_reason);
}

static char *
dup_time (const PrismSnapshot *snapshot)
{
  return isfinite (snapshot->seconds) ? g_strdup_printf (_ ("%.1f s"), snapshot->seconds) : NULL;
}

static char *
dup_speed (const PrismSnapshot *snapshot)
{
  if (!(snapshot->seconds > 0) || snapshot->step == 0)
    return NULL;
  return g_strdup_printf (_ ("%.1f per second"), snapshot->step / snapshot->seconds);
}

static char *
dup_visited (const PrismSnapshot *snapshot)
{
  return g_strdup_printf (_ ("%u of %u"), snapshot->n_visited, snapshot->n_samples);
}

static char *
dup_parameters (const PrismSnapshot *snapshot)
{
  if (snapshot->n_parameters == 0)
    return NULL;
  return prism_ticks_dup_count (snapshot->n_parameters);
}

static char *
dup_memory (const PrismSnapshot *snapshot)
{
  if (snapshot->memory_peak == 0)
    return NULL;
  return g_format_size_full (snapshot->memory_peak, G_FORMAT_SIZE_IEC_UNITS);
}

static char *
dup_transfers (const PrismSnapshot *snapshot)
{
  g_autofree char *size = NULL;
  g_autofree char *count = NULL;
  guint64 bytes = prism_device_counters_get_bytes (&snapshot->counters);

  if (bytes == 0)
    return NULL;
  size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  count = prism_ticks_dup_count (prism_device_counters_get_n (&snapshot->counters));
  return g_strdup_printf ("%s, %s", count, size);
}

static char *
dup_skipped (const PrismSnapshot *snapshot)
{
  return prism_ticks_dup_count (snapshot->n_skipped);
}

/* Where convergence is watched. */
static char *
dup_convergence (const PrismSnapshot *snapshot)
{
  if (snapshot->sample_states == NULL)
    return NULL;
  return g_strdup_printf (_ ("%u, and %u at another try"), snapshot->n_failed,
                          snapshot->n_rescued);
}

static char *
dup_message (const PrismSnapshot *snapshot)
{
  return g_strdup (snapshot->message);
}

static char *
dup_verdict (const PrismSnapshot *snapshot)
{
  return prism_verdict_dup_text (&snapshot->verdict);
}

static char *
dup_settling (const PrismSnapshot *snapshot)
{
  return prism_settling_dup_text (&snapshot->settling);
}

static char *
dup_maker (const PrismSnapshot *snapshot)
{
  return g_strdup (prism_snapshot_get_maker (snapshot));
}

static const Fact facts[] = {
  { N_ ("Picture"), dup_maker },
  { N_ ("Verdict"), dup_verdict },
  { N_ ("Passes taken back"), prism_snapshot_dup_taken_back },
  { N_ ("Convergence"), dup_settling },
  { N_ ("Object as it was read"), prism_snapshot_dup_object_notice },
  { N_ ("Device"), dup_device },
  { N_ ("Why this device"), dup_reason },
  { N_ ("Time of computing"), dup_time },
  { N_ ("Steps on average"), dup_speed },
  { N_ ("Positions measured"), dup_visited },
  { N_ ("Weights of the decoder"), dup_parameters },
  { N_ ("Largest memory in use"), dup_memory },
  { N_ ("Transfers to and from the device"), dup_transfers },
  { N_ ("Steps skipped as not finite"), dup_skipped },
  { N_ ("Samples that did not converge"), dup_convergence },
  { N_ ("Message"), dup_message },
};

/**
 * prism_report_get_n_facts:
 *
 * Returns: how many facts there are about each run
 */
guint
prism_report_get_n_facts (void)
{
  return G_N_ELEMENTS (facts);
}

/**
 * prism_report_dup_fact:
 * @i: which fact
 * @result: of which run
 * @label: (out): what it is, translated
 *
 * Returns: (transfer full): the fact, "" where it is not known
 */
char *
prism_report_dup_fact (guint i,
                       const PrismResult *result,
                       const char **label)
{
  char *text = facts[i].dup (result->snapshot);

  *label = _ (facts[i].label);
  return text != NULL ? text : g_strdup ("");
}

/**
 * prism_report_list_settings:
 * @comparison: results
 *
 * Returns: (transfer full): of PrismComparisonColumn: what can be set of these runs, those of a
 *   group beside each other
 */
GArray *
prism_report_list_settings (const PrismComparison *comparison)
{
  GArray *settings = g_array_new (FALSE, TRUE, sizeof (PrismComparisonColumn));

  PRISM_FOR_EACH_PARAM (param)
    {
      const PrismComparisonColumn setting = { param->key, param->label, param->unit, param };
      gboolean any = FALSE;

      for (guint i = 0; i < comparison->results->len; i++)
        any |= prism_result_has_setting (prism_comparison_get_result (comparison, i), param);
      if (any)
        g_array_append_val (settings, setting);
    }
  return settings;
}

/**
 * prism_report_get_group:
 * @setting: one of prism_report_list_settings()
 *
 * Returns: (transfer none): what its group is called, translated
 */
const char *
prism_report_get_group (const PrismComparisonColumn *setting)
{
  gsize n_groups;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);

  for (gsize g = 0; g < n_groups; g++)
    if (strcmp (setting->param->group, groups[g].id) == 0)
      return _ (groups[g].label);
  g_return_val_if_reached ("");
}

/**
 * prism_report_dup_setting:
 * @result: a result
 * @setting: one of prism_report_list_settings()
 * @is_default: (out): whether it has its default
 *
 * Returns: (transfer full): the value as the command line takes it, or a translated word for one
 * that means “none” or “automatic”; “–” for one that does not concern the run; valid UTF-8
 */
char *
prism_report_dup_setting (const PrismResult *result,
                          const PrismComparisonColumn *setting,
                          gboolean *is_default)
{
  const PrismParam *param = setting->param;
  const PrismSnapshot *snapshot = result->snapshot;
  g_autoptr (PrismConfig) defaults
      = snapshot->recorded ? prism_config_new_recorded () : prism_config_new ();
  g_autofree char *text = prism_config_dup_text (snapshot->config, param);
  const char *word = prism_config_get_word (snapshot->config, param);

  *is_default = TRUE;
  if (!prism_result_has_setting (result, param))
    return g_strdup ("–");
  *is_default = !prism_config_differs (snapshot->config, defaults, param);
  return word != NULL ? g_strdup (_ (word)) : g_utf8_make_valid (text, -1);
}

/**
 * prism_report_dup_label:
 * @column: a column
 *
 * Returns: (transfer full): its heading, translated, with the unit
 */
char *
prism_report_dup_label (const PrismComparisonColumn *column)
{
  if (column->unit[0] == '\0')
    return g_strdup (_ (column->label));
  /* TRANSLATORS: a quantity and its unit, as a heading: "PSNR in dB" */
  return g_strdup_printf (_ ("%s in %s"), _ (column->label), _ (column->unit));
}

/**
 * prism_report_dup_command:
 * @result: a result
 *
 * Returns: (transfer full) (nullable): the command that computes it again, valid UTF-8; %NULL where
 *   prism_report_dup_remark() says why there is none
 */
char *
prism_report_dup_command (const PrismResult *result)
{
  const PrismSnapshot *snapshot = result->snapshot;
  g_autofree char *command
      = snapshot->recorded
            ? prism_finding_text_dup_command (snapshot->config->object, snapshot->config)
            : prism_command_dup_run (snapshot);

  return command != NULL ? g_utf8_make_valid (command, -1) : NULL;
}

/**
 * prism_report_dup_remark:
 * @result: a result
 *
 * Returns: (transfer full) (nullable): why the command would come to another end, or why there is
 *   none
 */
char *
prism_report_dup_remark (const PrismResult *result)
{
  if (result->snapshot->recorded)
    return g_strdup (_ ("A recipe and a table of positions that the frames needed come besides."));
  switch (result->snapshot->state)
    {
    case PRISM_STATE_FINISHED:
      return NULL;
    case PRISM_STATE_FAILED:
      return g_strdup (_ ("This run failed; the command begins it anew."));
    case PRISM_STATE_STOPPED:
      return g_strdup (_ ("This run was stopped early; the command computes it to its end."));
    default:
      return g_strdup (_ ("This run had not ended yet; the command computes it to its end."));
    }
}
