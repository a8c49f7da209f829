#include "config.h"

#include "benchmark/prism-benchmark-text.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "config/prism-builtin.h"

#define COLUMN 24

/**
 * prism_benchmark_dup_title:
 * @self: a benchmark
 *
 * Returns: (transfer full): what is run, how often
 */
char *
prism_benchmark_dup_title (const PrismBenchmark *self)
{
  const PrismConfig *config = self->config;
  g_autofree char *object = prism_builtin_dup_label (config->object);

  return g_strdup_printf (
      ngettext ("“%s”, %d px in a field of %d px, %d positions, %u round",
                "“%s”, %d px in a field of %d px, %d positions, %u rounds", self->n_rounds),
      object, config->object_size, config->image_size, config->samples, self->n_rounds);
}

/**
 * prism_benchmark_dup_machine:
 * @self: a benchmark
 * @made: (nullable): when, as the reader writes it; %NULL: UTC, ISO 8601
 * @device: (nullable): the device in the reader's words; %NULL: as it named itself
 *
 * Returns: (transfer full): when and on what it was measured, as far as that is known
 */
char *
prism_benchmark_dup_machine (const PrismBenchmark *self, const char *made, const char *device)
{
  const char *const parts[] = { self->program, made != NULL ? made : self->made, self->processor,
                                device != NULL ? device : self->device };
  GString *text = g_string_new (NULL);

  PRISM_FOR_EACH_OF (part, parts)
    if (*part != NULL)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", *part);
  return g_string_free (text, FALSE);
}

/**
 * prism_benchmark_dup_left_out:
 * @self: a benchmark
 *
 * Returns: (transfer full): a line for each switch that does nothing here, and why; may be empty
 */
char *
prism_benchmark_dup_left_out (const PrismBenchmark *self)
{
  GString *text = g_string_new (NULL);

  PRISM_FOR_EACH_POINTER (const PrismBenchmarkSwitch, of, self->left_out)
    {
      const char *gap = prism_benchmark_switch_get_gap (of, self->config);

      g_string_append_printf (text, _ ("Left out: %s (%s). %s\n"), _ (of->label), of->id,
                              gap != NULL ? gap : "");
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_benchmark_dup_remarks:
 * @self: a benchmark
 *
 * Returns: (transfer full): lines below the table: what of the goals is met with everything on, and
 *   what was left out; may be empty
 */
char *
prism_benchmark_dup_remarks (const PrismBenchmark *self)
{
  g_autofree char *goals = prism_benchmark_dup_goals (self);
  g_autofree char *left_out = prism_benchmark_dup_left_out (self);

  return g_strconcat (goals, left_out, NULL);
}

static PrismSpread
get_spread (const PrismBenchmark *self, guint variant, PrismFigure figure)
{
  return prism_benchmark_variant_get_spread (prism_benchmark_get_variant (self, variant), figure);
}

static PrismJudgement
judge (const PrismBenchmark *self,
       guint variant,
       PrismFigure figure,
       PrismSpread *plain,
       PrismSpread *other)
{
  *plain = get_spread (self, 0, figure);
  *other = get_spread (self, variant, figure);
  return prism_spread_judge (plain, other);
}

static char *
dup_quality (const PrismBenchmark *self, guint variant)
{
  PrismSpread plain, other;

  switch (judge (self, variant, PRISM_FIGURE_PSNR, &plain, &other))
    {
    case PRISM_JUDGEMENT_LESS:
      return g_strdup_printf (_ (", %.2f dB worse"), plain.median - other.median);
    case PRISM_JUDGEMENT_MORE:
      return g_strdup_printf (_ (", %.2f dB better"), other.median - plain.median);
    case PRISM_JUDGEMENT_SAME:
    case PRISM_JUDGEMENT_UNKNOWN:
    default:
      return g_strdup ("");
    }
}

static char *
dup_speed (const PrismBenchmark *self, guint variant)
{
  PrismSpread plain, time;

  switch (judge (self, variant, PRISM_FIGURE_SECONDS, &plain, &time))
    {
    case PRISM_JUDGEMENT_LESS:
      return g_strdup_printf (_ ("%.2f times faster"), plain.median / time.median);
    case PRISM_JUDGEMENT_MORE:
      return g_strdup_printf (_ ("%.2f times slower"), time.median / plain.median);
    case PRISM_JUDGEMENT_SAME:
      return g_strdup (_ ("no difference"));
    case PRISM_JUDGEMENT_UNKNOWN:
    default:
      return g_strdup (_ ("no verdict yet"));
    }
}

/**
 * prism_benchmark_dup_verdict:
 * @self: a benchmark
 * @variant: which; the first is what the others are compared with
 *
 * Returns: (transfer full): how much faster the variant is than a plain run, and how much worse or
 *   better its picture
 */
char *
prism_benchmark_dup_verdict (const PrismBenchmark *self, guint variant)
{
  g_autofree char *speed = NULL, *quality = NULL;

  if (variant == 0)
    return g_strdup ("");
  speed = dup_speed (self, variant);
  quality = dup_quality (self, variant);
  return g_strconcat (speed, quality, NULL);
}

/**
 * prism_benchmark_dup_figure:
 * @self: a benchmark
 * @variant: which
 * @figure: of its runs
 *
 * Returns: (transfer full): the median with half the width of the spread, where there is one that
 *   can be seen; PSNR with its difference from a plain run
 */
char *
prism_benchmark_dup_figure (const PrismBenchmark *self, guint variant, PrismFigure figure)
{
  const PrismFigureInfo *info = &prism_figures[figure];
  const PrismSpread spread = get_spread (self, variant, figure);
  g_autofree char *median = NULL, *half = NULL, *nothing = NULL;
  const char *unit;

  median = prism_figure_dup_text (figure, spread.median);
  if (spread.n == 0)
    return g_steal_pointer (&median);
  if (figure == PRISM_FIGURE_PSNR)
    {
      const PrismSpread plain = get_spread (self, 0, figure);

      if (variant == 0 || plain.n == 0)
        return g_steal_pointer (&median);
      return g_strdup_printf ("%s (%+.2f)", median, spread.median - plain.median);
    }
  half = prism_figure_dup_text (figure, 0.5 * (spread.most - spread.least));
  nothing = prism_figure_dup_text (figure, 0.0);
  if (strcmp (half, nothing) == 0)
    return g_steal_pointer (&median);
  unit = strchr (half, ' ');
  return prism_number_dup_within (info->factor * spread.median,
                                  0.5 * info->factor * (spread.most - spread.least),
                                  unit != NULL ? unit + 1 : "");
}

/**
 * prism_benchmark_has_figure:
 * @self: a benchmark
 * @figure: one
 *
 * Returns: whether any run has measured it
 */
gboolean
prism_benchmark_has_figure (const PrismBenchmark *self, PrismFigure figure)
{
  for (guint i = 0; i < self->variants->len; i++)
    if (get_spread (self, i, figure).n > 0)
      return TRUE;
  return FALSE;
}

static void
append_cell (GString *text, const char *cell)
{
  glong length = g_utf8_strlen (cell, -1);

  g_string_append (text, cell);
  for (glong i = length; i < COLUMN; i++)
    g_string_append_c (text, ' ');
}

static void
end_row (GString *text)
{
  while (text->len > 0 && text->str[text->len - 1] == ' ')
    g_string_truncate (text, text->len - 1);
  g_string_append_c (text, '\n');
}

/**
 * prism_benchmark_dup_text:
 * @self: a benchmark
 *
 * Returns: (transfer full): what comparison.txt has: a table with a row for each variant
 */
char *
prism_benchmark_dup_text (const PrismBenchmark *self)
{
  g_autofree char *title = prism_benchmark_dup_title (self);
  g_autofree char *machine = prism_benchmark_dup_machine (self, NULL, NULL);
  g_autofree char *remarks = prism_benchmark_dup_remarks (self);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s\n%s\n\n", title, machine);
  append_cell (text, "");
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    if (prism_benchmark_has_figure (self, figure))
      append_cell (text, _ (prism_figures[figure].label));
  end_row (text);
  for (guint i = 0; i < self->variants->len; i++)
    {
      g_autofree char *verdict = prism_benchmark_dup_verdict (self, i);

      append_cell (text, prism_benchmark_get_variant (self, i)->id);
      for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
        {
          g_autofree char *cell = prism_benchmark_dup_figure (self, i, figure);

          if (prism_benchmark_has_figure (self, figure))
            append_cell (text, cell);
        }
      g_string_append (text, verdict);
      end_row (text);
    }
  g_string_append_printf (text, "%s%s", remarks[0] != '\0' ? "\n" : "", remarks);
  return g_string_free (text, FALSE);
}

#define EVERYTHING 1 /* the variant */

/* What makes the switches worth having. */
static const PrismBenchmarkGoal all_goals[PRISM_BENCHMARK_N_GOALS] = {
  [PRISM_GOAL_SPEED]
  = { "times_faster", 3.0, TRUE, NAN, N_ ("at least %.0f times faster: %.2f") },
  [PRISM_GOAL_HITS]
  = { "hits_percent", 80.0, TRUE, NAN, N_ ("at least %.0f %% of the frames at hand: %.1f %%") },
  [PRISM_GOAL_LOSS] = { "lost_db", 1.0, FALSE, NAN, N_ ("less than %.0f dB lost: %.2f dB") },
  [PRISM_GOAL_MEMORY]
  = { "peak_gb", 2.0, FALSE, NAN, N_ ("less than %.0f GB of memory: %.2f GB") },
};

static double
get_median (const PrismBenchmark *self, guint variant, PrismFigure figure)
{
  return variant < self->variants->len ? get_spread (self, variant, figure).median : NAN;
}

/**
 * prism_benchmark_get_goals:
 * @self: a benchmark
 * @goals: (out) (array): each with what was measured
 *
 * Says what the runs with everything on reach, by medians.
 */
void
prism_benchmark_get_goals (const PrismBenchmark *self,
                           PrismBenchmarkGoal goals[PRISM_BENCHMARK_N_GOALS])
{
  for (int i = 0; i < PRISM_BENCHMARK_N_GOALS; i++)
    goals[i] = all_goals[i];
  goals[PRISM_GOAL_SPEED].value = get_median (self, 0, PRISM_FIGURE_SECONDS)
                                  / get_median (self, EVERYTHING, PRISM_FIGURE_SECONDS);
  goals[PRISM_GOAL_HITS].value = 100.0 * get_median (self, EVERYTHING, PRISM_FIGURE_HITS);
  goals[PRISM_GOAL_LOSS].value = get_median (self, 0, PRISM_FIGURE_PSNR)
                                 - get_median (self, EVERYTHING, PRISM_FIGURE_PSNR);
  goals[PRISM_GOAL_MEMORY].value = get_median (self, EVERYTHING, PRISM_FIGURE_PEAK) / 1e9;
}

/**
 * prism_benchmark_goal_is_met:
 * @self: a goal whose value is known
 *
 * Returns: whether it is reached
 */
gboolean
prism_benchmark_goal_is_met (const PrismBenchmarkGoal *self)
{
  return self->is_least ? self->value >= self->limit : self->value < self->limit;
}

/**
 * prism_benchmark_dup_goals:
 * @self: a benchmark
 *
 * Returns: (transfer full): a line for each goal that was measured; may be empty
 */
char *
prism_benchmark_dup_goals (const PrismBenchmark *self)
{
  PrismBenchmarkGoal goals[PRISM_BENCHMARK_N_GOALS];
  GString *text = g_string_new (NULL);

  prism_benchmark_get_goals (self, goals);
  for (int i = 0; i < PRISM_BENCHMARK_N_GOALS; i++)
    {
      g_autofree char *goal
          = g_strdup_printf (_ (goals[i].format), goals[i].limit, goals[i].value);

      if (isfinite (goals[i].value))
        g_string_append_printf (text,
                                prism_benchmark_goal_is_met (&goals[i])
                                    ? _ ("Met with everything on: %s.\n")
                                    : _ ("Missed with everything on: %s.\n"),
                                goal);
    }
  return g_string_free (text, FALSE);
}
