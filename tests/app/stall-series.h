/* stall-series: how often which time was measured, in a memory that does not grow. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint32 *counts;                      /* [N_BINS] of 0.05 ms */
  guint64 n;
  guint64 n_stalls;                     /* above 50 ms */
  double maximum;                       /* ms */
} StallSeries;

#define STALL_LIMIT 50.0                /* ms that make a stall */

void   stall_series_init         (StallSeries *self);
void   stall_series_clear        (StallSeries *self);
void   stall_series_add          (StallSeries *self,
                                  double       milliseconds);
void   stall_series_reset        (StallSeries *self);
double stall_series_get_quantile (const StallSeries *self,
                                  double             fraction);
void   stall_series_print        (const char *name,
                                  double      value);

G_END_DECLS
