/* prism-mark-table: the numbers of marks as tables, and the curve of an area over a run. */
#pragma once

#include "history/prism-frames.h"
#include "model/prism-mark.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 step;
  double mean;
  double deviation;
} PrismMarkMoment;

char   *prism_mark_table_dup_csv         (const GArray     *marks,
                                          gboolean          camera,
                                          const PrismImage *image,
                                          const PrismImage *reference,
                                          double            metres);
GArray *prism_mark_table_compute_moments (const PrismMark   *mark,
                                          const PrismFrames *frames,
                                          const PrismImage  *reference);

G_END_DECLS
