/* prism-trainer-private: the trainer's state, shared by the files that make up the trainer.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "prism-measurements.h"
#include "prism-polish.h"
#include "prism-recovery.h"
#include "prism-trainer.h"

G_BEGIN_DECLS

struct _PrismTrainer
{
  PrismConfig *config;
  PrismTrainerSource source;
  PrismBackend *backend;
  PrismPattern *pattern;                /* in the order of the visits */
  PrismMeasurements *measurements;
  PrismRecovery *recovery;              /* NULL for algorithm epie */
  PrismPolish *polish;                  /* NULL before the polish */
  PrismHistory *history;

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
  gboolean held;                        /* memory self: the held image of this sample is bound */

  double loss_new;
  double loss_old;
  double learning_rate;
  double rate_factor;                   /* halved by every rollback */
  PrismMetrics metrics;
  guint64 n_skipped;
  guint skipped_in_a_row;
  guint n_rollbacks;
  char *notice;                         /* (nullable) one sentence for the user */

  guint8 *coverage;                     /* [n][n] 0/1, origin at [n/2][n/2] */
  double covered;                       /* fraction of the region of interest */
  PrismImage *coverage_image;           /* (nullable) [n][n], made when it is published */
  PrismImage *measurement_image;        /* (nullable) [n][n] of measurement_sample */
  PrismImage *result;                   /* (nullable) [m][m] once the phase is done */
  guint measurement_sample;

  double seconds;                       /* of computing */
  double step_seconds;                  /* moving average */
  double pass_seconds;                  /* of the last ePIE pass */
  double pass_began;
};

guint64 prism_trainer_count_steps          (PrismTrainer *self);
double  prism_trainer_get_steps_per_second (PrismTrainer *self);

G_END_DECLS
