#include "config.h"

#include "session/prism-run-time.h"

#include "session/prism-relevance.h"

#include <math.h>

#define LONG 3.0 /* s: more is no answer to a pull at a slider */
/* Pixels of all frames. The quick look has 5 million, and is over after a few seconds on two cores
 * of a processor. */
#define MANY 20e6

/* Where the pattern is a list, its length is what it was. */
static double
count_pixels (const PrismConfig *config,
              guint n_known)
{
  gboolean counts = prism_relevance_get (config, prism_config_get_param ("samples"));
  guint n_samples = counts || n_known == 0 ? (guint) config->samples : n_known;

  return (double) config->image_size * config->image_size * n_samples;
}

/**
 * prism_run_time_guess:
 * @config: of a run
 * @known: (nullable): a run that is finished
 *
 * Takes the time of the known run, which was of the same machine, and lets it grow with the pixels
 * of all frames.
 *
 * Units: seconds.
 * Thread: any.
 *
 * Returns: the time, NAN where it cannot be known
 */
double
prism_run_time_guess (const PrismConfig *config,
                      const PrismSnapshot *known)
{
  if (known == NULL || known->config == NULL || known->state != PRISM_STATE_FINISHED
      || known->seconds <= 0.0 || known->config->algorithm != config->algorithm)
    return NAN;
  return known->seconds * count_pixels (config, known->n_samples)
         / count_pixels (known->config, known->n_samples);
}

/**
 * prism_run_time_is_long:
 * @config: of a run
 * @known: (nullable): a run that is finished
 *
 * Thread: any.
 *
 * Returns: whether the run takes more than a few seconds, by the known run or else by its size
 */
gboolean
prism_run_time_is_long (const PrismConfig *config,
                        const PrismSnapshot *known)
{
  double seconds = prism_run_time_guess (config, known);

  return isfinite (seconds) ? seconds > LONG : count_pixels (config, 0) > MANY;
}
