/* prism-forecast: how long a run will take, told before it begins: how often each piece of it will
 * be needed, times what the piece costs here. Where the data decide, it is a range.
 *
 * Thread: any. */
#pragma once

#include "forecast/prism-costs.h"
#include "history/prism-snapshot.h"
#include "ptychography/prism-problem.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  double seconds[PRISM_N_TRAININGS];    /* of the run that ends so; NAN for one that cannot */
  PrismTraining likely;                 /* which it will be */
  double least;                         /* s, of what is to be expected */
  double most;                          /* the same as least where nothing is open */
  double longest;                       /* s, of the longest course that may follow: with noise the
                                         * fields behind the frames are searched to the last where
                                         * neither explains them */
} PrismForecast;

void     prism_forecast_init          (PrismForecast     *self,
                                       const PrismConfig *config,
                                       const PrismPattern *pattern,
                                       const PrismCosts  *costs);
gboolean prism_forecast_init_config   (PrismForecast     *self,
                                       const PrismConfig *config);
gboolean prism_forecast_init_problem (PrismForecast      *self,
                                      const PrismProblem *problem,
                                      const PrismConfig  *config,
                                      GCancellable       *cancellable);
char    *prism_forecast_dup_text      (const PrismForecast *self);
void     prism_forecast_learn         (const PrismSnapshot *snapshot);

G_END_DECLS
