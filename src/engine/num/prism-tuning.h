/* prism-tuning: the numbers of the methods that were chosen by trying, and what is known of each.
 * prism-tuning.c has them all in one table; docs/quality.md says what halving and doubling does. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_TUNING_START_LOSS,
  PRISM_TUNING_DESCENT_STEP,
  PRISM_TUNING_DESCENT_DIVERGENCE,
  PRISM_TUNING_DESCENT_EXPONENT,
  PRISM_TUNING_DESCENT_OFFSET,
  PRISM_TUNING_SAMPLES_FULL,
  PRISM_TUNING_VARIATION,
  PRISM_TUNING_VARIATION_IN_NOISE,
  PRISM_TUNING_VARIATION_FIRST,
  PRISM_TUNING_VARIATION_COOLING,
  PRISM_TUNING_VARIATION_ITERATIONS,
  PRISM_TUNING_LIVE_SAMPLES,
  PRISM_TUNING_LIVE_ROUNDS,
  PRISM_TUNING_LIVE_VARIATION,
  PRISM_TUNING_REFINE_EXPONENT,
  PRISM_TUNING_BRIEF_LAST,
  PRISM_TUNING_BRIEF_WINDOW,
  PRISM_TUNING_BRIEF_FINAL,
  PRISM_TUNING_BRIEF_STILL,
  PRISM_TUNING_BRIEF_EXPLAINED,
  PRISM_TUNING_FIELD_RELAXATION,
  PRISM_TUNING_FIELD_STARTS,
  PRISM_TUNING_FIELD_WHOLE,
  PRISM_TUNING_FIELD_DOUBTFUL,
  PRISM_TUNING_FIELD_MORE_DOUBTFUL,
  PRISM_TUNING_ALIGN_DAMPED,
  PRISM_TUNING_ALIGN_LESS_DAMPED,
  PRISM_TUNING_ALIGN_STARTS,
  PRISM_TUNING_ALIGN_STARTS_IN_NOISE,
  PRISM_TUNING_ALIGN_EXPLAINED,
  PRISM_TUNING_FILL_STEP,
  PRISM_TUNING_FILL_FIRST_IN_NOISE,
  PRISM_TUNING_FILL_LAST_IN_NOISE,
  PRISM_TUNING_VERDICT_DEVIATIONS,
  PRISM_TUNING_VERDICT_EXCESS,
  PRISM_TUNING_VERDICT_REST,
  PRISM_TUNING_SECOND_COVERAGE,
  PRISM_TUNING_SECOND_DIFFERENCE,
  PRISM_N_TUNINGS,
} PrismTuning;

typedef struct
{
  const char *key;
  double value;
  gboolean below_one;                   /* what is missing to 1 is the number that one may scale */
} PrismTuningEntry;

double                  prism_tuning_get       (PrismTuning tuning);
guint                   prism_tuning_get_count (PrismTuning tuning);
const PrismTuningEntry *prism_tuning_get_entry (PrismTuning tuning);

/* Other values, for tests that say how much depends on each */

void prism_tuning_scale (PrismTuning tuning,
                         double      factor);

G_END_DECLS
