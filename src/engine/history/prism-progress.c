#include "config.h"

#include "history/prism-progress.h"

#include "base/prism-record.h"

#define MANY G_MAXINT32
#define LARGE G_MAXDOUBLE
#define FIELD(...) PRISM_RECORD_FIELD (PrismProgress, __VA_ARGS__)
#define PART(...) PRISM_RECORD_PART (PrismProgress, __VA_ARGS__, TRUE)
#define METRIC(key, ...) PART (#key, metrics.key, REAL, -LARGE, LARGE),

/* A row that is added later is optional: older run files have none. */
static const PrismRecordField fields[] = {
  FIELD (phase, INTEGER, PRISM_PHASE_PREPARE, PRISM_PHASE_DONE),
  FIELD (sample, INTEGER, 0, MANY),
  FIELD (pass, INTEGER, 0, MANY),
  FIELD (n_visited, INTEGER, 0, MANY),
  FIELD (sample_step, INTEGER, 0, MANY),
  FIELD (start_step, INTEGER, 0, MANY),
  FIELD (start_attempt, INTEGER, 0, MANY),
  FIELD (start_loss, REAL, 0, LARGE),
  FIELD (step, COUNT, 0, PRISM_RECORD_MOST),
  FIELD (n_visits, COUNT, 0, PRISM_RECORD_MOST),
  FIELD (held, SWITCH, 0, 1),
  FIELD (max_energy, REAL, 0, LARGE),
  FIELD (misfit, REAL, 0, LARGE),
  FIELD (n_extra_passes, INTEGER, 0, MANY),
  FIELD (loss_new, REAL, -LARGE, LARGE),
  FIELD (loss_old, REAL, -LARGE, LARGE),
  FIELD (learning_rate, REAL, 0, LARGE),
  FIELD (rate_factor, REAL, 0, 1),
  PRISM_RECORD_NO_MORE ("n_repeated"),
  FIELD (n_skipped, COUNT, 0, PRISM_RECORD_MOST),
  FIELD (skipped_in_a_row, INTEGER, 0, MANY),
  FIELD (n_rollbacks, INTEGER, 0, MANY),
  PART ("n_sample_steps", n_sample_steps, COUNT, 0, PRISM_RECORD_MOST),
  PRISM_RECORD_NO_MORE ("n_extra_steps"),
  PRISM_RECORD_NO_MORE ("n_spared_steps"),
  PART ("attempt", visit.attempt, INTEGER, 0, MANY),
  PART ("n_below", visit.n_below, INTEGER, 0, MANY),
  PART ("n_extra", visit.n_extra, INTEGER, 0, MANY),
  PART ("boosted", visit.boosted, SWITCH, 0, 1),
  PART ("boost_step", visit.boost_step, INTEGER, 0, MANY),
  PART ("block_n", visit.block_n, INTEGER, 0, MANY),
  PART ("block_sum", visit.block_sum, REAL, -LARGE, LARGE),
  PART ("block_mean", visit.block_mean, REAL, -LARGE, LARGE),
  PART ("plateau_factor", plateau.factor, REAL, 0, 1),
  PART ("plateau_best", plateau.best, REAL, -LARGE, LARGE),
  PART ("plateau_sum", plateau.sum, REAL, -LARGE, LARGE),
  PART ("plateau_n", plateau.n, INTEGER, 0, MANY),
  PART ("plateau_n_bad", plateau.n_bad, INTEGER, 0, MANY),
  FIELD (seconds, REAL, 0, LARGE),
  FIELD (step_seconds, REAL, 0, LARGE),
  PRISM_RECORD_NO_MORE ("pass_seconds"),
  PRISM_RECORD_NO_MORE ("pass_began"),
  PART ("consistent", in_round, SWITCH, 0, 1),
  PART ("training", training, INTEGER, PRISM_TRAINING_SET, PRISM_N_TRAININGS - 1),
  PART ("n_untrained", n_untrained, COUNT, 0, PRISM_RECORD_MOST),
  PRISM_PROGRESS_JUDGED (PART),
  PART ("correlation", correlation, REAL, -1, 1),
  PRISM_METRICS (METRIC) { NULL },
};

/**
 * prism_progress_init:
 * @self: (out caller-allocates): progress
 *
 * The progress of a run that has not begun.
 */
void
prism_progress_init (PrismProgress *self)
{
  *self = (PrismProgress) {
    .phase = PRISM_PHASE_PREPARE,
    .misfit = NAN,
    .loss_new = NAN,
    .loss_old = NAN,
    .learning_rate = NAN,
    .rate_factor = 1.0,
  };
  prism_metrics_init (&self->metrics);
  prism_convergence_begin (&self->visit, 0);
  prism_plateau_init (&self->plateau);
}

/**
 * prism_progress_to_text:
 *
 * Writes every number exactly.
 *
 * Returns: (transfer full): a JSON object
 */
char *
prism_progress_to_text (const PrismProgress *self)
{
  return prism_record_to_text (fields, self);
}

/**
 * prism_progress_parse:
 * @self: (out caller-allocates): progress
 * @text: what prism_progress_to_text() wrote
 * @name: of the text, for messages
 *
 * Reads progress. Whether its numbers fit a run is for the trainer to say.
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether everything was good
 */
gboolean
prism_progress_parse (PrismProgress *self,
                      const char *text,
                      const char *name,
                      GError **error)
{
  prism_progress_init (self);
  return prism_record_parse (fields, self, text, name, error);
}
