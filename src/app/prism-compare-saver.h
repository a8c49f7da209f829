/* prism-compare-saver: writes tables, curves and reports of several runs on another thread. */
#pragma once

#include <gio/gio.h>

#include "prism-comparison.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_COMPARE_TABLE_CSV,
  PRISM_COMPARE_CURVES_CSV,
  PRISM_COMPARE_REPORT,                 /* HTML or PDF, by the ending */
} PrismCompareOutput;

void     prism_compare_saver_save_async  (PrismCompareOutput     output,
                                          const PrismComparison *comparison,
                                          const char            *path,
                                          GAsyncReadyCallback    callback,
                                          gpointer               data);
gboolean prism_compare_saver_save_finish (GAsyncResult  *result,
                                          char         **path,
                                          GError       **error);

G_END_DECLS
