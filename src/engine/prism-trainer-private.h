/* prism-trainer-private: the trainer's state, shared by the files that make up the trainer.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "prism-measurements.h"
#include "prism-pace.h"
#include "prism-polish.h"
#include "prism-recovery.h"
#include "prism-trainer.h"

G_BEGIN_DECLS

/* Where the run stood when the state that the recovery keeps was current. */
typedef struct
{
  PrismPhase phase;
  guint sample;
  guint pass;
  guint sample_step;
  guint n_visited;
  guint64 n_visits;
  guint64 step;
} PrismTrainerPosition;

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
  PrismTrainerPosition saved;           /* of the state in recovery */
  PrismPace pace;                       /* steps, or visits of the polish */
  GError *pending;                      /* (nullable): found while a snapshot was filled */

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
  guint64 n_repeated;                   /* steps done again because a device was lost */
  guint n_polished;                     /* visits of the last step of the polish */
  guint64 n_skipped;
  guint skipped_in_a_row;
  guint n_rollbacks;
  char *notice;                         /* (nullable) one sentence for the user */

  guint8 *coverage;                     /* [n][n] 0/1, origin at [n/2][n/2] */
  double covered;                       /* fraction of the region of interest */
  PrismImage *coverage_image;           /* (nullable) [n][n], made when it is published */
  PrismImage *measurement_image;        /* (nullable) [n][n] of measurement_sample */
  PrismImage *start_image;              /* (nullable) [m][m] */
  PrismImage *frame;                    /* (nullable) [m][m], the newest of the decoder */
  PrismImage *result;                   /* (nullable) [m][m] of the decoder or the run */
  guint measurement_sample;

  double seconds;                       /* of computing */
  double step_seconds;                  /* moving average */
  double pass_seconds;                  /* of the last ePIE pass */
  double pass_began;
};

guint64  prism_trainer_count_steps          (PrismTrainer *self);
double   prism_trainer_get_steps_per_second (PrismTrainer *self);
void     prism_trainer_append_row           (PrismTrainer *self,
                                             gint32        sample,
                                             guint32       sample_step,
                                             gboolean      with_metrics);
void     prism_trainer_clear_metrics        (PrismTrainer *self);
void     prism_trainer_cover                (PrismTrainer *self,
                                             guint         sample);
gboolean prism_trainer_initialise_decoder   (PrismTrainer  *self,
                                             GError       **error);

/* Each of these leaves the trainer where prism_trainer_move() can go on from when it fails. */
gboolean prism_trainer_begin_start          (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_step_start           (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_step_sample          (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_begin_polish         (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_step_polish          (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_keep_result          (PrismTrainer  *self,
                                             const float   *image,
                                             GError       **error);

void     prism_trainer_mark                 (PrismTrainer *self);
gboolean prism_trainer_save                 (PrismTrainer  *self,
                                             GError       **error);

G_END_DECLS
