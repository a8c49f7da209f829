/* prism-progress: the numbers that decide how a run goes on: where it is, what it has counted, how
 * fast it learns. Whatever else decides that belongs here, as a field and a row of the table: it is
 * then saved in run files, restored, and kept for a device that is lost. Thread: any. */
#pragma once

#include "history/prism-schedule.h"
#include "history/prism-snapshot.h"
#include "model/prism-verdict.h"

G_BEGIN_DECLS

typedef struct
{
  PrismPhase phase;
  guint sample;
  guint pass;
  guint n_visited;                      /* samples that joined the coverage */
  guint sample_step;
  guint start_step;
  guint start_attempt;
  double start_loss;                    /* of the best attempt so far */
  guint64 step;                         /* optimiser steps and ePIE passes so far */
  guint64 n_visits;                     /* samples and passes completed */
  PrismTraining training;
  guint64 n_untrained;                  /* steps before the training, while it waited */
  gboolean in_round;                    /* of the live picture; "consistent" in files */
  gboolean held;                        /* memory self: the held image of this sample is bound */
  double max_energy;                    /* of measurements, when saved: weights refer to it */
  double misfit;                        /* of the polish, when saved; NAN before */
  double correlation;                   /* of held-out frames; 0 where there are none */
  guint n_extra_passes;                 /* of the polish, when saved */

  double loss_new;
  double loss_old;
  double learning_rate;
  double rate_factor;                   /* halved by every rollback */
  PrismMetrics metrics;
  guint64 n_skipped;
  guint skipped_in_a_row;
  guint n_rollbacks;

  guint64 n_sample_steps;               /* optimiser steps since the samples began */
  PrismConvergence visit;               /* of the sample under way */
  PrismPlateau plateau;                 /* of the schedule of that name */

  double seconds;                       /* of computing */
  double step_seconds;                  /* moving average */
  PrismSettling settling;               /* of the polish */
  PrismVerdict verdict;                 /* of the result; open before the end */
} PrismProgress;

/* What a run is judged by: rows of the records of its progress and of its snapshots alike.
 * PART (name in files, member, type, least, most) */
#define PRISM_PROGRESS_JUDGED(PART)                                                                \
  PART ("settling", settling.kind, INTEGER, 0, PRISM_N_SETTLINGS - 1),                             \
      PART ("settling_change", settling.change, REAL, 0, G_MAXDOUBLE),                             \
      PART ("settling_limit", settling.limit, REAL, 0, G_MAXDOUBLE),                               \
      PART ("verdict", verdict.kind, INTEGER, 0, PRISM_N_VERDICTS - 1),                            \
      PART ("verdict_frames", verdict.n_frames, INTEGER, 0, G_MAXINT32),                           \
      PART ("verdict_misfit", verdict.misfit, REAL, 0, G_MAXDOUBLE),                               \
      PART ("verdict_expected", verdict.expected, REAL, 0, G_MAXDOUBLE),                           \
      PART ("verdict_variance", verdict.variance, REAL, 0, G_MAXDOUBLE),                           \
      PART ("verdict_power", verdict.power, REAL, 0, G_MAXDOUBLE),                                 \
      PART ("verdict_difference", verdict.difference, REAL, 0, G_MAXDOUBLE),                       \
      PART ("verdict_is_predicted", verdict.is_predicted, SWITCH, 0, 1),                           \
      PART ("verdict_correlation", verdict.correlation, REAL, -1, 1)

void     prism_progress_init    (PrismProgress *self);
char    *prism_progress_to_text (const PrismProgress *self);
gboolean prism_progress_parse   (PrismProgress  *self,
                                 const char     *text,
                                 const char     *name,
                                 GError        **error);

G_END_DECLS
