#include "config.h"

#include "benchmark/prism-benchmark-goal.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define EVERYTHING 1 /* the variant */

/* What makes the switches worth having. */
static const PrismBenchmarkGoal all_goals[PRISM_BENCHMARK_N_GOALS] = {
  [PRISM_GOAL_SPEED] = { "times_faster", 3.0, TRUE, NAN },
  [PRISM_GOAL_HITS] = { "hits_percent", 80.0, TRUE, NAN },
  [PRISM_GOAL_LOSS] = { "lost_db", 1.0, FALSE, NAN },
  [PRISM_GOAL_MEMORY] = { "peak_gb", 2.0, FALSE, NAN },
};

static double
get_median (const PrismBenchmark *self, guint variant, PrismFigure figure)
{
  PrismSpread spread;

  if (variant >= self->variants->len)
    return NAN;
  prism_benchmark_variant_get_spread (prism_benchmark_get_variant (self, variant), figure, &spread);
  return spread.median;
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

static char *
dup_text (PrismBenchmarkGoalKind kind, double limit, double value)
{
  switch (kind)
    {
    case PRISM_GOAL_SPEED:
      return g_strdup_printf (_ ("at least %.0f times faster: %.2f"), limit, value);
    case PRISM_GOAL_HITS:
      return g_strdup_printf (_ ("at least %.0f %% of the frames at hand: %.1f %%"), limit, value);
    case PRISM_GOAL_LOSS:
      return g_strdup_printf (_ ("less than %.0f dB lost: %.2f dB"), limit, value);
    case PRISM_GOAL_MEMORY:
    case PRISM_BENCHMARK_N_GOALS:
    default:
      return g_strdup_printf (_ ("less than %.0f GB of memory: %.2f GB"), limit, value);
    }
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
      g_autofree char *goal = dup_text (i, goals[i].limit, goals[i].value);

      if (isfinite (goals[i].value))
        g_string_append_printf (text,
                                prism_benchmark_goal_is_met (&goals[i])
                                    ? _ ("Met with everything on: %s.\n")
                                    : _ ("Missed with everything on: %s.\n"),
                                goal);
    }
  return g_string_free (text, FALSE);
}
