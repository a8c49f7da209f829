#include "config.h"

#include "base/prism-error.h"
#include "trainer/prism-trainer-private.h"

#include <string.h>

/* The part of the trainer that follows how samples converge and chooses those that are tried again.
 *
 * Dimensions of this file: N = samples. */

/**
 * prism_trainer_watch_step:
 * @self: a trainer at the samples
 * @sample_step: number of the step in the sample, from 1
 * @result: of the step
 *
 * Takes note of the losses of the step that has just been recorded.
 */
void
prism_trainer_watch_step (PrismTrainer *self,
                          guint sample_step,
                          const PrismStepResult *result)
{
  PrismProgress *now = &self->now;

  now->n_sample_steps++;
  prism_plateau_add (&now->plateau, result->loss_new + result->loss_old);
  if (self->config->convergence)
    now->n_extra_steps += prism_convergence_add (&now->visit, self->config, sample_step,
                                                 result->loss_new, result->loss_old);
}

/**
 * prism_trainer_begin_visit:
 * @self: a trainer before the first step of a sample
 *
 * Begins to watch the sample.
 */
void
prism_trainer_begin_visit (PrismTrainer *self)
{
  prism_convergence_begin (&self->now.visit, self->now.visit.attempt);
}

/**
 * prism_trainer_get_n_sample_steps:
 * @self: a trainer at the samples
 *
 * Returns: the most steps that the sample under way gets, as it stands
 */
guint
prism_trainer_get_n_sample_steps (PrismTrainer *self)
{
  return self->config->steps + (self->config->convergence ? self->now.visit.n_extra : 0);
}

/**
 * prism_trainer_judge_sample:
 * @self: a trainer after the last step of a sample
 *
 * Notes what became of the sample, and whether the learning rate falls.
 */
void
prism_trainer_judge_sample (PrismTrainer *self)
{
  guint8 *state = &self->sample_states[self->now.sample];
  guint n_planned = prism_trainer_get_n_sample_steps (self);

  prism_plateau_end_sample (&self->now.plateau);
  if (!self->config->convergence)
    return;
  self->now.n_spared_steps += n_planned - MIN (n_planned, self->now.sample_step);
  if (self->now.visit.n_below == 0)
    *state = PRISM_SAMPLE_FAILED;
  else if (self->now.visit.attempt > 0)
    *state = PRISM_SAMPLE_RESCUED;
  else
    *state = PRISM_SAMPLE_CONVERGED;
}

/**
 * prism_trainer_choose_retry:
 * @self: a trainer that has been through all samples
 * @sample: the first that may be chosen
 * @attempt: round of the rescue, from 1
 *
 * Looks for the next failed sample, in this round or in those that follow.
 *
 * Returns: whether there is one, which the trainer has then turned to
 */
gboolean
prism_trainer_choose_retry (PrismTrainer *self,
                            guint sample,
                            guint attempt)
{
  if (!self->config->convergence)
    return FALSE;
  for (; attempt <= (guint) self->config->max_retries; attempt++, sample = 0)
    for (; sample < self->pattern->n_points; sample++)
      if (self->sample_states[sample] == PRISM_SAMPLE_FAILED)
        {
          self->now.sample = sample;
          self->now.sample_step = 0;
          prism_convergence_begin (&self->now.visit, attempt);
          self->now.n_extra_steps += prism_trainer_get_n_sample_steps (self);
          return TRUE;
        }
  return FALSE;
}

/**
 * prism_trainer_count_retry_steps:
 *
 * Counts what the failed samples will take when each is tried once more; nobody knows yet which of
 * them fail again.
 *
 * Returns: steps, beside those of the visit under way
 */
guint64
prism_trainer_count_retry_steps (PrismTrainer *self)
{
  guint first = self->now.visit.attempt > 0 ? self->now.sample + 1 : 0, n_failed = 0;
  PrismConvergence rescue;

  if (!self->config->convergence || self->config->max_retries == 0
      || self->now.phase != PRISM_PHASE_SAMPLES)
    return 0;
  for (guint i = first; i < self->pattern->n_points; i++)
    n_failed += self->sample_states[i] == PRISM_SAMPLE_FAILED;
  prism_convergence_begin (&rescue, 1);
  return (guint64) n_failed * (self->config->steps + rescue.n_extra);
}

/**
 * prism_trainer_publish_convergence:
 * @snapshot: (inout): a new snapshot
 *
 * Fills in which samples converged.
 */
void
prism_trainer_publish_convergence (PrismTrainer *self,
                                   PrismSnapshot *snapshot)
{
  guint n = self->pattern->n_points;

  if (!self->config->convergence)
    return;
  snapshot->sample_states = g_memdup2 (self->sample_states, n);
  for (guint i = 0; i < n; i++)
    {
      snapshot->n_failed += self->sample_states[i] == PRISM_SAMPLE_FAILED;
      snapshot->n_rescued += self->sample_states[i] == PRISM_SAMPLE_RESCUED;
    }
  if (self->now.phase != PRISM_PHASE_SAMPLES)
    return;
  snapshot->tier = prism_convergence_get_tier (&self->now.visit);
  snapshot->attempt = self->now.visit.attempt;
}

/* One digit for each sample. */
static char *
dup_digits (PrismTrainer *self,
            const guint8 *states)
{
  guint n = self->pattern->n_points;
  char *text = g_malloc0 (n + 1);

  for (guint i = 0; i < n; i++)
    text[i] = (char) ('0' + states[i]);
  return text;
}

static gboolean
parse_digits (PrismTrainer *self,
              PrismBundle *bundle,
              const char *name,
              guint8 *states,
              GError **error)
{
  const char *text = prism_bundle_get_text (bundle, name, error);
  guint n = self->pattern->n_points;

  if (text == NULL)
    return FALSE;
  for (guint i = 0; i <= n; i++)
    {
      if (i == n ? text[i] != '\0' : text[i] < '0' || text[i] > '0' + PRISM_SAMPLE_RESCUED)
        {
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                       "%s cannot be used: it is not one digit from 0 to 3 for each of %u samples.",
                       name, n);
          return FALSE;
        }
      if (i < n)
        states[i] = (guint8) (text[i] - '0');
    }
  return TRUE;
}

/**
 * prism_trainer_write_samples:
 * @bundle: where to
 *
 * Writes down what became of the samples so far, samples.txt, and what it was when the last good
 * state was kept, kept-samples.txt: a #PrismSampleState each, as a digit. Nothing without
 * convergence.
 */
void
prism_trainer_write_samples (PrismTrainer *self,
                             PrismBundle *bundle)
{
  if (!self->config->convergence)
    return;
  prism_bundle_take_text (bundle, "samples.txt", dup_digits (self, self->sample_states));
  prism_bundle_take_text (bundle, "kept-samples.txt", dup_digits (self, self->saved_states));
}

/**
 * prism_trainer_read_samples:
 * @self: a trainer of the same run
 * @bundle: what prism_trainer_write_samples() added to
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether everything was good
 */
gboolean
prism_trainer_read_samples (PrismTrainer *self,
                            PrismBundle *bundle,
                            GError **error)
{
  if (!self->config->convergence)
    return TRUE;
  return parse_digits (self, bundle, "samples.txt", self->sample_states, error)
         && parse_digits (self, bundle, "kept-samples.txt", self->saved_states, error);
}
