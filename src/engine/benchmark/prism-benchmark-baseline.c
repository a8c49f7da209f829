#include "config.h"

#include "benchmark/prism-benchmark-baseline.h"

#include "base/prism-error.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* What does not change how long a run takes. */
static const char *const others[] = { "autosave_samples", "autosave_seconds", NULL };

/* Whether the baseline has timed any variant often enough. */
static gboolean
is_comparable (const PrismBenchmark *self, const PrismBenchmark *baseline)
{
  for (guint i = 0; i < self->variants->len; i++)
    {
      const PrismBenchmarkVariant *before = prism_benchmark_find_variant (
          baseline, prism_benchmark_get_variant (self, i)->id);

      if (before != NULL && before->runs->len >= PRISM_BENCHMARK_LEAST_ROUNDS)
        return TRUE;
    }
  return FALSE;
}

/**
 * prism_benchmark_check_baseline:
 * @self: a benchmark
 * @baseline: an earlier one
 * @error: return location
 *
 * Only runs of the same configuration can be held against each other, and only what was timed.
 *
 * Errors: PRISM_ERROR_CONFIG, which names the first parameter that differs.
 *
 * Returns: whether they can
 */
gboolean
prism_benchmark_check_baseline (const PrismBenchmark *self,
                                const PrismBenchmark *baseline,
                                GError **error)
{
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *now = prism_config_dup_text (self->config, param);
      g_autofree char *before = prism_config_dup_text (baseline->config, param);

      if (strcmp (now, before) == 0 || g_strv_contains (others, param->key))
        continue;
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("The baseline is of another run: its %s is “%s”, not “%s”. Choose the same"
                      " configuration, or make a new baseline."),
                   param->key, before, now);
      return FALSE;
    }
  if (is_comparable (self, baseline))
    return TRUE;
  g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                       _ ("The baseline has not two finished runs of any of these kinds, so that"
                          " there is nothing to hold against it. Make a new baseline with the same"
                          " --switch."));
  return FALSE;
}

/* What passes on a clock says something of the program where other programs leave it as much of the
 * processors as before. Else the time that it computes is compared, where both have it. */
static gboolean
compares_processor_time (const PrismBenchmarkVariant *now, const PrismBenchmarkVariant *before)
{
  PrismSpread from, to, from_left, to_left;
  PrismJudgement judgement;

  prism_benchmark_variant_get_spread (before, PRISM_FIGURE_PROCESSOR, &from);
  prism_benchmark_variant_get_spread (now, PRISM_FIGURE_PROCESSOR, &to);
  prism_benchmark_variant_get_spread (before, PRISM_FIGURE_LEFT, &from_left);
  prism_benchmark_variant_get_spread (now, PRISM_FIGURE_LEFT, &to_left);
  judgement = prism_spread_judge (&from_left, &to_left);
  return from.n > 1 && to.n > 1
         && (judgement == PRISM_JUDGEMENT_LESS || judgement == PRISM_JUDGEMENT_MORE);
}

static void
append_load (GString *text, const PrismBenchmarkVariant *now, const PrismBenchmarkVariant *before)
{
  PrismSpread from, to;

  prism_benchmark_variant_get_spread (before, PRISM_FIGURE_LEFT, &from);
  prism_benchmark_variant_get_spread (now, PRISM_FIGURE_LEFT, &to);
  g_string_append_printf (text,
                          _ ("%s (%s): other programs left %.0f %% of the processors, before"
                             " %.0f %%. Processor time is compared instead of time.\n"),
                          prism_benchmark_variant_get_label (now), now->id, 100.0 * to.median,
                          100.0 * from.median);
}

/* Beyond the spread of both. The stage that grew most is where to look. */
static void
append_stage (GString *text, const PrismBenchmarkVariant *now, const PrismBenchmarkVariant *before)
{
  double most = 0.0;
  int found = -1;

  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      PrismSpread from, to;

      prism_benchmark_variant_get_stage (before, stage, &from);
      prism_benchmark_variant_get_stage (now, stage, &to);
      if (prism_spread_judge (&from, &to) != PRISM_JUDGEMENT_MORE
          || to.median - from.median <= most)
        continue;
      most = to.median - from.median;
      found = stage;
    }
  if (found >= 0)
    g_string_append_printf (text, _ ("  What became slower most is %s, by %.3f s.\n"),
                            prism_stage_get_id (found), most);
}

static gboolean
append_figure (GString *text,
               const PrismBenchmarkVariant *now,
               const PrismBenchmarkVariant *before,
               PrismFigure figure,
               gboolean of_processor)
{
  const PrismFigureInfo *info = prism_figure_get_info (figure);
  PrismJudgement bad = info->better > 0 ? PRISM_JUDGEMENT_LESS : PRISM_JUDGEMENT_MORE;
  g_autofree char *from_text = NULL, *to_text = NULL;
  PrismSpread from, to;

  prism_benchmark_variant_get_spread (before, figure, &from);
  prism_benchmark_variant_get_spread (now, figure, &to);
  if (!info->is_speed || info->is_processor != of_processor
      || prism_spread_judge (&from, &to) != bad)
    return FALSE;
  from_text = prism_figure_dup_text (figure, from.median);
  to_text = prism_figure_dup_text (figure, to.median);
  g_string_append_printf (text, _ ("Slower: %s (%s), %s: %s, before %s.\n"),
                          prism_benchmark_variant_get_label (now), now->id, _ (info->label),
                          to_text, from_text);
  return TRUE;
}

/**
 * prism_benchmark_dup_slower:
 * @self: a benchmark
 * @baseline: an earlier one of the same configuration
 * @n_slower: (out): how many variants have become slower
 *
 * Compares the variants that both have, in each speed that both have measured; where the machine is
 * not as busy as it was, in processor time. What differs by less than the spread of either is no
 * difference.
 *
 * Returns: (transfer full): a line for each speed that has fallen, and the stage to look at; a line
 *   for each variant that is compared in processor time
 */
char *
prism_benchmark_dup_slower (const PrismBenchmark *self,
                            const PrismBenchmark *baseline,
                            guint *n_slower)
{
  GString *text = g_string_new (NULL);

  *n_slower = 0;
  for (guint i = 0; i < self->variants->len; i++)
    {
      const PrismBenchmarkVariant *now = prism_benchmark_get_variant (self, i);
      const PrismBenchmarkVariant *before = prism_benchmark_find_variant (baseline, now->id);
      gboolean slower = FALSE, of_processor;

      if (before == NULL)
        continue;
      of_processor = compares_processor_time (now, before);
      if (of_processor)
        append_load (text, now, before);
      for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
        slower |= append_figure (text, now, before, figure, of_processor);
      if (slower)
        append_stage (text, now, before);
      *n_slower += slower;
    }
  return g_string_free (text, FALSE);
}
