/* prism-sweep-row: what one run among many has come to, read from the folder that it left.
 *
 * m = object_size. Thread: any. */
#pragma once

#include "formats/prism-image.h"
#include "model/prism-verdict.h"
#include "num/prism-metrics.h"

G_BEGIN_DECLS

#define PRISM_SWEEP_FAILURE_NAME "failure.txt"

/* Numbers that are not known are NAN. */
typedef struct
{
  gboolean finished;
  char *failure;                        /* (nullable): one sentence */
  gboolean recorded;                    /* of frames that a camera recorded, without metrics */
  PrismMetrics metrics;
  double misfit;                        /* of recorded frames of those that were held out, if any */
  double correlation;                   /* of frames that were held out */
  double coverage;                      /* 0…1 */
  double seconds;
  double steps;                         /* of recorded frames passes */
  PrismVerdict verdict;                 /* open where it is not known */
  PrismImage *image;                    /* (nullable) [m][m] amplitude */
} PrismSweepRow;

gboolean    prism_sweep_row_is_finished (const char *folder);
void        prism_sweep_row_load        (PrismSweepRow *row,
                                         const char    *folder,
                                         gboolean       image);
PrismImage *prism_sweep_row_load_image  (const char *folder,
                                         const char *name);
void        prism_sweep_row_copy        (PrismSweepRow       *row,
                                         const PrismSweepRow *other);
void        prism_sweep_row_clear       (PrismSweepRow *row);

G_END_DECLS
