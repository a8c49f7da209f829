/* prism-ticks: round numbers for an axis, and how they are written. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_TICKS_MAX 32

typedef struct
{
  gboolean logarithmic;
  int n_major;
  double major[PRISM_TICKS_MAX];        /* [n_major] ascending, with a label */
  int n_minor;
  double minor[4 * PRISM_TICKS_MAX];    /* [n_minor] ascending, without */
  double step;                          /* between major ticks, 0 when logarithmic */
} PrismTicks;

void  prism_ticks_init_linear  (PrismTicks *self,
                                double      low,
                                double      high,
                                int         max_ticks);
void  prism_ticks_init_integer (PrismTicks *self,
                                double      low,
                                double      high,
                                int         max_ticks);
void  prism_ticks_init_log     (PrismTicks *self,
                                double      low,
                                double      high,
                                int         max_ticks);
char *prism_ticks_dup_label    (const PrismTicks *self,
                                int               i);

char *prism_ticks_dup_value    (double  value);
char *prism_ticks_dup_count    (guint64 count);

G_END_DECLS
