/* prism-exporter: writes what a run has given; for prism-file-saver. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_EXPORT_PIXELS_8,                /* PNG, grey, 8 bits */
  PRISM_EXPORT_PIXELS_16,               /* PNG, grey, 16 bits */
  PRISM_EXPORT_METRICS,                 /* CSV */
  PRISM_EXPORT_CORRELATION,             /* CSV, by spatial frequency */
  PRISM_EXPORT_EVENTS,                  /* a folder with an event file for TensorBoard */
  PRISM_EXPORT_ALL,                     /* a folder with everything */
} PrismExportKind;

typedef struct
{
  PrismExportKind kind;
  PrismSnapshot *snapshot;              /* a reference */
  PrismImage *image;                    /* (nullable): pixels to save, a reference */
  float black;                          /* value of the darkest grey */
  float white;                          /* value of the brightest grey */
  char *parent;                         /* (nullable): where everything gets a new folder */
} PrismExport;

PrismExport *prism_exporter_new  (PrismExportKind  kind,
                                  PrismSnapshot   *snapshot);
PrismExport *prism_exporter_dup  (const PrismExport *self);
void         prism_exporter_free (gpointer self);
gboolean     prism_exporter_save (gpointer     self,
                                  const char  *path,
                                  GError     **error);
char        *prism_exporter_make_folder (const PrismConfig  *config,
                                         const char         *parent,
                                         GError            **error);
/* Makes the folder in @parent; nothing that is there is replaced. (transfer full) */
char        *prism_exporter_save_in_new_folder (PrismSnapshot  *snapshot,
                                                const char     *parent,
                                                GError        **error);

G_END_DECLS
