#include "config.h"

#include "session/prism-run-time.h"

#include <math.h>

#define LONG 3.0 /* s: more is no answer to a pull at a slider */
/* Pixels of all frames. The quick look has 5 million, and is over after a few seconds on two cores
 * of a processor. */
#define MANY 20e6
#define MANY_TRAINED 0.8e6 /* the same of a run that trains, twenty times as slow */

/* Where the pattern is a list, its length is what it was. */
static double
count_pixels (const PrismConfig *config,
              guint n_known)
{
  gboolean counts = prism_config_applies (config, prism_config_get_param ("samples"),
                                          FALSE);
  guint n_samples = counts || n_known == 0 ? (guint) config->samples : n_known;

  return (double) config->image_size * config->image_size * n_samples;
}

/**
 * prism_run_time_guess:
 * @config: of a run
 * @known: (nullable): a run that is finished
 *
 * Takes the time of the known run, which was of the same machine, and lets it grow with the pixels
 * of all frames and the passes. Training makes a run many times longer: of a run that may do
 * without it the time is that of the same course, and a run that surely trains says nothing about
 * one that may not.
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
  double factor;

  if (known == NULL || known->config == NULL || known->state != PRISM_STATE_FINISHED
      || known->seconds <= 0.0 || known->config->method != config->method
      || prism_config_may_spare_training (known->config)
             != prism_config_may_spare_training (config))
    return NAN;
  factor = prism_config_may_spare_training (config)
               ? 1.0
               : (double) config->passes / known->config->passes;
  return factor * known->seconds * count_pixels (config, known->n_samples)
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
  gboolean trains = prism_config_trains (config) && !prism_config_may_spare_training (config);

  return isfinite (seconds) ? seconds > LONG
                            : count_pixels (config, 0) > (trains ? MANY_TRAINED : MANY);
}
