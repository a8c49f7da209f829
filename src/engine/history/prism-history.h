/* prism-history: the rows of metrics.csv, one per step, appended by the engine thread and read by
 * others up to the number of rows that a snapshot states. The newest stay in memory, older ones go
 * to a file without a name. Thread: any, also while the engine appends. */
#pragma once

#include "num/prism-metrics.h"

G_BEGIN_DECLS

typedef struct _PrismHistory PrismHistory;

/* Where a row has the index of a sample. */
#define PRISM_ROW_START (-1)  /* a step of the start phase */
#define PRISM_ROW_POLISH (-2) /* a pass over all measurements */
#define PRISM_ROW_ROUND (-3)  /* a round of the live picture while training waits */

/* A value that was not computed at this step is NAN. */
typedef struct
{
  guint64 step;                         /* from 1, over all phases */
  gint32 sample;                        /* index, or PRISM_ROW_START and so on */
  guint32 sample_step;                  /* from 1 within the sample */
  double loss_new;
  double loss_old;                      /* NAN while nothing is old, and in passes */
  double learning_rate;                 /* NAN where no decoder learns */
  PrismMetrics metrics;
  double cache_hit_rate;                /* NAN before the first frame */
  double device_bytes;
  double cache_bytes;                   /* of frames that are held for later */
  double steps_per_second;              /* NAN where no decoder learns */
  double seconds;
  double correlation;                   /* of held-out frames; 0 where there are none */
} PrismHistoryRow;

#define PRISM_HISTORY_BLOCK 256         /* as many rows as are read at once */
#ifndef PRISM_HISTORY_CHUNK
#define PRISM_HISTORY_CHUNK 4096        /* as many as are moved at once; fewer in a fuzz target */
#endif

PrismHistory   *prism_history_new         (void);
PrismHistory   *prism_history_ref         (PrismHistory *self);
void            prism_history_unref       (PrismHistory *self);
gboolean        prism_history_append      (PrismHistory          *self,
                                           const PrismHistoryRow *row);
guint64         prism_history_get_n_rows  (PrismHistory *self);
guint64         prism_history_get_n_moved (PrismHistory *self);
gpointer        prism_history_get_companion (PrismHistory   *self,
                                             gpointer      (*create) (void),
                                             GDestroyNotify  destroy);
PrismHistoryRow prism_history_get_row     (PrismHistory *self,
                                           guint64       i);
gboolean        prism_history_read        (PrismHistory    *self,
                                           guint64          first,
                                           gsize            n_rows,
                                           PrismHistoryRow *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHistory, prism_history_unref)

G_END_DECLS
