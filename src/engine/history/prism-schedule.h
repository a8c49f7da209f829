/* prism-schedule: the learning rate over a run. Thread: any. */
#pragma once

#include "config/prism-config.h"

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

G_END_DECLS
