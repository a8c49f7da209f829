#include "config.h"

#include "history/prism-schedule.h"

/**
 * prism_plateau_init:
 * @self: (out caller-allocates): state of the schedule “plateau”
 *
 * Begins with the full rate.
 */
void
prism_plateau_init (PrismPlateau *self)
{
  *self = (PrismPlateau) { .factor = 1.0, .best = INFINITY };
}

/**
 * prism_plateau_add:
 * @loss: of a step
 *
 * Takes note of a step of the sample under way.
 */
void
prism_plateau_add (PrismPlateau *self,
                   double loss)
{
  if (!isfinite (loss))
    return;
  self->sum += loss;
  self->n++;
}

/**
 * prism_plateau_end_sample:
 *
 * Compares the mean loss of the sample with the lowest so far: single steps are too noisy, since
 * each looks at other measurements. After more than ten samples in a row that were not better the
 * factor is halved.
 */
void
prism_plateau_end_sample (PrismPlateau *self)
{
  double mean = self->n > 0 ? self->sum / self->n : INFINITY;

  self->sum = 0.0;
  self->n = 0;
  if (mean < self->best * (1.0 - 1e-4))
    {
      self->best = mean;
      self->n_bad = 0;
    }
  else if (++self->n_bad > 10)
    {
      self->factor *= 0.5;
      self->n_bad = 0;
    }
}

/**
 * prism_schedule_get_restart_rate:
 * @rate: at each restart
 * @step: steps since the first
 *
 * Cosine with warm restarts: min + ½·(rate - min)·(1 + cos(π·t/T)) with min 1e-6, t steps into a
 * cycle of T = 50, 100, 200, … steps.
 *
 * Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017.
 *
 * Returns: the rate, never above @rate
 */
double
prism_schedule_get_restart_rate (double rate,
                                 guint64 step)
{
  guint64 length = 50;
  double minimum = MIN (1e-6, rate);

  for (; step >= length; length *= 2)
    step -= length;
  return minimum + 0.5 * (rate - minimum) * (1.0 + cos (G_PI * step / length));
}

/**
 * prism_schedule_get_rate:
 * @config: learning_rate and schedule
 * @progress: part of the run that is done, 0…1
 * @step: optimiser steps since the samples began
 * @plateau: state of the schedule “plateau”
 *
 * The learning rate of a step: constant, ½·lr·(1 + cos(π·progress)), halved on each plateau, or a
 * cosine with warm restarts.
 *
 * Source: numerics.md § 8.
 *
 * Returns: the rate
 */
double
prism_schedule_get_rate (const PrismConfig *config,
                         double progress,
                         guint64 step,
                         const PrismPlateau *plateau)
{
  switch ((PrismSchedule) config->schedule)
    {
    case PRISM_SCHEDULE_CONSTANT:
      return config->learning_rate;
    case PRISM_SCHEDULE_PLATEAU:
      return config->learning_rate * plateau->factor;
    case PRISM_SCHEDULE_RESTARTS:
      return prism_schedule_get_restart_rate (config->learning_rate, step);
    case PRISM_SCHEDULE_COSINE:
    default:
      return 0.5 * config->learning_rate * (1.0 + cos (G_PI * CLAMP (progress, 0.0, 1.0)));
    }
}

/**
 * prism_training_get_key:
 * @self: what a run does
 *
 * Returns: what files call it
 */
const char *
prism_training_get_key (PrismTraining self)
{
  static const char *const keys[PRISM_N_TRAININGS] = {
    [PRISM_TRAINING_SET] = "as set",
    [PRISM_TRAINING_WAITS] = "waits",
    [PRISM_TRAINING_SPARED] = "spared",
    [PRISM_TRAINING_NEEDED] = "needed",
    [PRISM_TRAINING_RESCUED] = "rescued",
  };

  return keys[self];
}

/**
 * prism_training_get_text:
 * @self: what a run does
 *
 * Returns: (nullable): what it left out or did not, and why, in one sentence for the user; %NULL
 * where it is as the user wanted
 */
const char *
prism_training_get_text (PrismTraining self)
{
  switch (self)
    {
    case PRISM_TRAINING_WAITS:
      return _ ("The decoder waits for the passes over the measurements.");
    case PRISM_TRAINING_SPARED:
      return _ ("The decoder was not trained: passes alone sufficed.");
    case PRISM_TRAINING_NEEDED:
      return _ ("The decoder is trained: nothing sufficed without it.");
    case PRISM_TRAINING_RESCUED:
      return _ ("Exit waves of the frames led to the image: passes alone did not suffice.");
    case PRISM_TRAINING_SET:
    default:
      return NULL;
    }
}
