/* prism-sweep-forecast: how long the runs of a sweep will take that have no result yet.
 * Thread: that of a device where runs may be timed; otherwise any. */
#pragma once

#include "forecast/prism-forecast.h"
#include "results/prism-sweep.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  guint n_jobs;                         /* at a time */
  guint n_threads;                      /* of each run; 0 = as its configuration says */
  double start;                         /* s: of a process, beside each run */
  gboolean may_time;                    /* runs of a shape that is not known are tried */
  gboolean on_host_only;                /* where they would be on the CPU */
  GCancellable *cancellable;            /* (nullable) */
} PrismSweepTerms;

gboolean prism_sweep_forecast_init (PrismForecast         *self,
                                    PrismSweep            *sweep,
                                    const char            *directory,
                                    const PrismSweepTerms *terms);

G_END_DECLS
