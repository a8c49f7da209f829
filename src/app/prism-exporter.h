/* prism-exporter: writes what a run has given, on another thread. */
#pragma once

#include <gio/gio.h>

#include "prism-snapshot.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_EXPORT_PIXELS_8,                /* PNG, grey, 8 bits */
  PRISM_EXPORT_PIXELS_16,               /* PNG, grey, 16 bits */
  PRISM_EXPORT_METRICS,                 /* CSV */
  PRISM_EXPORT_CORRELATION,             /* CSV, by spatial frequency */
  PRISM_EXPORT_ALL,                     /* a folder with everything */
} PrismExportKind;

typedef struct
{
  PrismExportKind kind;
  PrismSnapshot *snapshot;
  PrismImage *image;                    /* (nullable): pixels to save */
  float black;                          /* value of the darkest grey */
  float white;                          /* value of the brightest grey */
  const char *path;
} PrismExport;

void     prism_exporter_save_async  (const PrismExport   *what,
                                     GAsyncReadyCallback  callback,
                                     gpointer             data);
gboolean prism_exporter_save_finish (GAsyncResult  *result,
                                     char         **path,
                                     GError       **error);

G_END_DECLS
