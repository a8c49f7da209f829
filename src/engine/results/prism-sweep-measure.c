#include "config.h"

#include "results/prism-sweep-measure.h"

#include "base/prism-error.h"

#include <glib/gi18n-lib.h>
#include <math.h>

typedef struct
{
  const char *key;
  const char *title; /* to be translated */
  const char *unit;
  const char *format;
  gboolean logarithmic;
} Info;

static const Info infos[PRISM_SWEEP_N_MEASURES - PRISM_N_METRICS] = {
  { "misfit", N_ ("Misfit"), "", "%.3g", TRUE },
  { "verdict", N_ ("Explained runs"), "%", "%.0f", FALSE },
  { "rest", N_ ("Misfit over expected noise"), "", "%.3f", FALSE },
  { "seconds", N_ ("Time"), "s", "%.1f", FALSE },
  { "steps", N_ ("Steps"), "", "%.0f", FALSE },
  { "coverage", N_ ("Coverage"), "%", "%.1f", FALSE },
  { "correlation", N_ ("Held-out correlation"), "", "%.4f", FALSE },
};

static const Info *
get_info (guint self)
{
  return &infos[self - PRISM_N_METRICS];
}

/**
 * prism_sweep_measure_get_key:
 * @self: a metric's number, or a PrismSweepMeasure
 *
 * Returns: (transfer none): what files and the command line call it
 */
const char *
prism_sweep_measure_get_key (guint self)
{
  return self < PRISM_N_METRICS ? prism_metrics[self].key : get_info (self)->key;
}

/**
 * prism_sweep_measure_is_of:
 * @self: a metric's number, or a PrismSweepMeasure
 * @recorded: whether frames are
 *
 * Returns: whether runs of such frames have it: there is no truth to compare a specimen with
 */
gboolean
prism_sweep_measure_is_of (guint self,
                           gboolean recorded)
{
  if (!recorded)
    return self != PRISM_SWEEP_MEASURE_CORRELATION;
  return self >= PRISM_N_METRICS && self != PRISM_SWEEP_MEASURE_REST
         && self != PRISM_SWEEP_MEASURE_COVERAGE;
}

/**
 * prism_sweep_measure_get_first:
 * @recorded: whether frames are
 *
 * Returns: the number that their runs are told apart by where nobody names another one
 */
guint
prism_sweep_measure_get_first (gboolean recorded)
{
  return recorded ? PRISM_SWEEP_MEASURE_MISFIT : PRISM_METRICS_INDEX (psnr);
}

/**
 * prism_sweep_measure_find:
 * @self: (out): the measure
 * @recorded: whether frames are
 * @key: of prism_sweep_measure_get_key()
 *
 * Errors: PRISM_ERROR_CONFIG, with a list of those that there are.
 *
 * Returns: whether there is such a measure
 */
gboolean
prism_sweep_measure_find (guint *self,
                          gboolean recorded,
                          const char *key,
                          GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (*self = 0; *self < PRISM_SWEEP_N_MEASURES; (*self)++)
    {
      const char *one = prism_sweep_measure_get_key (*self);

      if (!prism_sweep_measure_is_of (*self, recorded))
        continue;
      if (g_str_equal (one, key))
        return TRUE;
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", one);
    }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("A sweep has no number “%s” to show: choose one of %s."), key, known->str);
  return FALSE;
}

static const char *
get_unit (guint self)
{
  return self < PRISM_N_METRICS ? prism_metrics[self].unit : get_info (self)->unit;
}

/**
 * prism_sweep_measure_dup_title:
 * @self: a metric's number, or a PrismSweepMeasure
 *
 * Returns: (transfer full): heading of an axis, translated: "PSNR in dB"
 */
char *
prism_sweep_measure_dup_title (guint self)
{
  if (self < PRISM_N_METRICS)
    return prism_metrics_dup_title (self);
  if (get_info (self)->unit[0] == '\0')
    return g_strdup (_ (get_info (self)->title));
  return g_strdup_printf (_ ("%s in %s"), _ (get_info (self)->title), get_info (self)->unit);
}

/**
 * prism_sweep_measure_dup_number:
 * @self: a metric's number, or a PrismSweepMeasure
 * @value: NAN where it is not known
 *
 * Returns: (transfer full): the value as people read it, without its unit
 */
char *
prism_sweep_measure_dup_number (guint self,
                                double value)
{
  if (!isfinite (value))
    return g_strdup ("–");
  return g_strdup_printf (self < PRISM_N_METRICS ? prism_metrics[self].format
                                                 : get_info (self)->format,
                          value);
}

/**
 * prism_sweep_measure_dup_text:
 * @self: a metric's number, or a PrismSweepMeasure
 * @value: NAN where it is not known
 *
 * Returns: (transfer full): the value as people read it: "34.20 dB"
 */
char *
prism_sweep_measure_dup_text (guint self,
                              double value)
{
  g_autofree char *number = prism_sweep_measure_dup_number (self, value);
  const char *unit = get_unit (self);

  return isfinite (value) && unit[0] != '\0' ? g_strdup_printf ("%s %s", number, unit)
                                             : g_steal_pointer (&number);
}

/**
 * prism_sweep_measure_is_logarithmic:
 * @self: a metric's number, or a PrismSweepMeasure
 *
 * Returns: whether its values are compared by their ratios
 */
gboolean
prism_sweep_measure_is_logarithmic (guint self)
{
  return self < PRISM_N_METRICS ? prism_metrics[self].logarithmic : get_info (self)->logarithmic;
}

/* What another picture explains as well is no explanation. */
static double
get_verdict (const PrismVerdict *verdict)
{
  if (verdict->kind == PRISM_VERDICT_OPEN)
    return NAN;
  return verdict->kind == PRISM_VERDICT_EXPLAINED ? 100.0 : 0.0;
}

/**
 * prism_sweep_measure_get:
 * @self: a metric's number, or a PrismSweepMeasure
 * @row: of a run
 *
 * Returns: its number; NAN where it is not known, as before the run is finished
 */
double
prism_sweep_measure_get (guint self,
                         const PrismSweepRow *row)
{
  if (!row->finished)
    return NAN;
  if (self < PRISM_N_METRICS)
    return row->metrics.values[self];
  switch ((PrismSweepMeasure) self)
    {
    case PRISM_SWEEP_MEASURE_MISFIT:
      return row->misfit;
    case PRISM_SWEEP_MEASURE_VERDICT:
      return get_verdict (&row->verdict);
    case PRISM_SWEEP_MEASURE_REST:
      return prism_verdict_get_rest (&row->verdict);
    case PRISM_SWEEP_MEASURE_SECONDS:
      return row->seconds;
    case PRISM_SWEEP_MEASURE_STEPS:
      return row->steps;
    case PRISM_SWEEP_MEASURE_COVERAGE:
      return 100.0 * row->coverage;
    case PRISM_SWEEP_MEASURE_CORRELATION:
      return row->correlation;
    case PRISM_SWEEP_N_MEASURES:
    default:
      return NAN;
    }
}
