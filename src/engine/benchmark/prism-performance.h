/* prism-performance: how long this machine takes over one size of a run after the other: threads,
 * terms of a step, steps at once, runs at a time. Which size comes next, where a search ends, and
 * which one is best is decided here; prism-bench-runner measures.
 *
 * Thread: one at a time. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-reference.h"
#include "benchmark/prism-series-kind.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* How fast a device and the host's memory exchange data: both ways, with memory
 * that is pinned and memory that is pageable. Thread: that of a device, see prism-device. */

#define PRISM_COPY_RATE_MOST_MIB 4096

typedef struct
{
  guint64 n_bytes;                      /* of a copy */
  double rates[PRISM_N_COPIES];         /* bytes/s */
} PrismCopyRate;

const char *prism_copy_kind_get_label  (PrismCopyKind kind);
gboolean    prism_copy_rate_measure    (PrismCopyRate          *self,
                                        const PrismBackendOps  *ops,
                                        guint                   n_mib,
                                        char                  **device,
                                        GError                **error);
void        prism_copy_rate_add_json   (const PrismCopyRate *self,
                                        JsonBuilder         *builder);
gboolean    prism_copy_rate_read       (PrismCopyRate *self,
                                        JsonObject    *object);
char       *prism_copy_rate_dup_number (double rate);

typedef enum
{
  PRISM_SERIES_OPEN,                    /* there is more to measure */
  PRISM_SERIES_ALL,                     /* every value was measured */
  PRISM_SERIES_FLAT,                    /* the time of a unit does not fall any more */
  PRISM_SERIES_WAITS,                   /* more at once would make commands wait */
  PRISM_SERIES_FULL,                    /* the next would need too much of the memory */
  PRISM_SERIES_NO_MEMORY,               /* the last did not get its memory */
  PRISM_SERIES_NO_TIME,
  PRISM_SERIES_STOPPED,                 /* somebody did not want to wait */
  PRISM_SERIES_NOTHING,                 /* it says nothing for this run here: see gap */
  PRISM_SERIES_FAILED,                  /* see problem */
} PrismSeriesEnd;

typedef struct
{
  int value;                            /* of the parameter, or runs at a time */
  double seconds;                       /* of one unit */
  double memory;                        /* bytes; NAN where it is not known */
  double error;                         /* of the gradient, relative; NAN where it is not known */
  PrismCopyRate copies;                 /* of rates, which have no seconds; else zeros */
  double unrest;                        /* how much longer the median step took, relative */
} PrismSeriesPoint;

typedef struct
{
  PrismSeriesKind kind;
  PrismSeriesEnd end;
  GArray *points;                       /* PrismSeriesPoint, by value */
  int most;                             /* the largest value */
  double limit;                         /* bytes that may be used; 0 where it is not known */
  const char *gap;                      /* (nullable) */
  char *problem;                        /* (nullable) */
} PrismSeries;

/* A search doubles each size until that does not help any more; else every value is measured. */
typedef struct
{
  gatomicrefcount ref_count;
  PrismConfig *config;
  gboolean searches;
  char *made;                           /* UTC, ISO 8601 */
  char *processor;
  char *device;                         /* (nullable): until a point has told */
  double seconds;                       /* that it took */
  GPtrArray *series;                    /* PrismSeries */
} PrismPerformance;

PrismPerformance *prism_performance_new         (const PrismConfig *config,
                                                 gboolean           searches);
PrismSeries      *prism_performance_get_series  (const PrismPerformance *self,
                                                 guint                   series);
gboolean          prism_performance_get_next    (PrismPerformance *self,
                                                 guint            *series,
                                                 int              *value);
void              prism_performance_end         (PrismPerformance *self,
                                                 guint             series,
                                                 PrismSeriesEnd    end,
                                                 const char       *problem);
guint             prism_performance_count_left  (const PrismPerformance *self);
const PrismSeriesPoint *
                  prism_series_get_best         (const PrismSeries *self);
gboolean          prism_series_has_choice       (const PrismSeries *self);

PRISM_DECLARE_REFERENCES (PrismPerformance, prism_performance)

G_END_DECLS
