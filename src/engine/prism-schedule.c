#include "config.h"

#include "prism-schedule.h"

#include <math.h>

/**
 * prism_schedule_get_rate:
 * @config: learning_rate and schedule
 * @progress: part of the run that is done, 0…1
 *
 * The learning rate of a step: constant, or ½·lr·(1 + cos(π·progress)).
 *
 * Source: numerics.md § 8.
 *
 * Returns: the rate
 */
double
prism_schedule_get_rate (const PrismConfig *config,
                         double progress)
{
  if (config->schedule == PRISM_SCHEDULE_CONSTANT)
    return config->learning_rate;
  return 0.5 * config->learning_rate * (1.0 + cos (G_PI * CLAMP (progress, 0.0, 1.0)));
}
