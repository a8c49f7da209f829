/* prism-schedule: the learning rate over a run. Thread: any. */
#pragma once

#include "config/prism-config.h"

#include <glib.h>

G_BEGIN_DECLS

/* Of the schedule “plateau”: a factor that falls when the samples' losses have stopped to. */
typedef struct
{
  double factor;
  double best;                          /* lowest mean loss of a sample so far */
  double sum;                           /* of the losses of the sample under way */
  guint n;                              /* and how many they are */
  guint n_bad;                          /* samples in a row that were not better */
} PrismPlateau;

void   prism_plateau_init              (PrismPlateau *self);
void   prism_plateau_add               (PrismPlateau *self,
                                        double        loss);
void   prism_plateau_end_sample        (PrismPlateau *self);
double prism_schedule_get_rate         (const PrismConfig  *config,
                                        double              progress,
                                        guint64             step,
                                        const PrismPlateau *plateau);
double prism_schedule_get_restart_rate (double  rate,
                                        guint64 step);

/* Where a run stands. */

typedef enum
{
  PRISM_STATE_IDLE,                     /* configured or empty, nothing runs */
  PRISM_STATE_PREPARING,
  PRISM_STATE_RUNNING,
  PRISM_STATE_PAUSED,
  PRISM_STATE_STOPPED,                  /* by the user; the result is kept, if there is one */
  PRISM_STATE_FINISHED,
  PRISM_STATE_FAILED,                   /* see message */
} PrismState;

/* Whether a run has ended, in whatever way. */
#define PRISM_STATE_IS_OVER(state) ((state) >= PRISM_STATE_STOPPED)

typedef enum
{
  PRISM_PHASE_PREPARE,
  PRISM_PHASE_START,                    /* the decoder is fitted to the start image */
  PRISM_PHASE_SAMPLES,
  PRISM_PHASE_POLISH,                   /* ePIE, also the whole run of method = epie */
  PRISM_PHASE_DONE,
} PrismPhase;

/* What a run with the method “auto” does about its decoder. Thread: any. */

typedef enum
{
  PRISM_TRAINING_SET,                   /* as the configuration says */
  PRISM_TRAINING_WAITS,                 /* for what the passes alone come to */
  PRISM_TRAINING_SPARED,                /* they explain the measurements */
  PRISM_TRAINING_NEEDED,                /* they did not, nor the exit waves */
  PRISM_TRAINING_RESCUED,               /* they did not, but the exit waves did */
  PRISM_N_TRAININGS,
} PrismTraining;

const char *prism_training_get_key  (PrismTraining self);
const char *prism_training_get_text (PrismTraining self);

G_END_DECLS
