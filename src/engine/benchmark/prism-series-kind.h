/* prism-series-kind: the one table of what a performance measurement goes over. Thread: any. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

/* What is gone over. */
typedef enum
{
  PRISM_SERIES_PRECISION,
  PRISM_SERIES_THREADS,
  PRISM_SERIES_FRAMES,
  PRISM_SERIES_CHUNK,
  PRISM_SERIES_TERMS,
  PRISM_SERIES_TRANSFERS,               /* sizes of copies: nothing to choose */
  PRISM_SERIES_RUNS,                    /* searched for alone */
  PRISM_N_SERIES,
} PrismSeriesKind;

typedef struct
{
  const char *id;
  const char *label;                    /* to be translated */
  const char *unit;                     /* to be translated: of what the time is */
  const char *key;                      /* (nullable): the parameter */
  gboolean is_searched;                 /* whether it is a size to search for */
  gboolean is_choice;                   /* values have names and no order */
  gboolean is_rate;                     /* points are rates, and no setting of a run */
  const char *remark;                   /* (nullable), to be translated: beside the time */
} PrismSeriesInfo;

extern const PrismSeriesInfo prism_series_infos[PRISM_N_SERIES];

int                    prism_series_get_most    (PrismSeriesKind    kind,
                                                 const PrismConfig *config);
const char            *prism_series_get_gap     (PrismSeriesKind    kind,
                                                 const PrismConfig *config);
char                  *prism_series_dup_name    (PrismSeriesKind kind,
                                                 int             value);
guint                  prism_series_get_mib     (int value);
char                 **prism_series_dup_settings (PrismSeriesKind kind,
                                                  int             value);

G_END_DECLS
