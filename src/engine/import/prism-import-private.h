/* prism-import-private: what is found in files of the first PRISM, before it is a configuration. */
#pragma once

#include "import/prism-import.h"
#include "import/prism-import-table.h"

G_BEGIN_DECLS

#define PRISM_IMPORT_MAX_ROWS 128

typedef struct
{
  char *name;                           /* of the file, as it reads in a message */
  char *folder;                         /* that it lies in, where names are looked for */
  char *values[PRISM_IMPORT_MAX_ROWS];  /* (nullable): what is stated, by row; "None" is Python's */
  gboolean asked[PRISM_IMPORT_MAX_ROWS]; /* somebody looked what the row says */
  guint n_values;                       /* how often something known was stated */
  gboolean written;                     /* in a file, whose defaults are others */
  gboolean mopie;                       /* passes of Mo-PIE instead of a decoder */
  PrismImport *found;                   /* notes, positions and picture */
  double diameter;                      /* of the aperture, beside the positions; 0: not there */
  double line_length;                   /* of the positions; 0: they are points */
  gboolean line_turns;                  /* each line has an angle of its own */
} PrismImportSource;

PrismImportSource *prism_import_source_new  (const char *path);
void               prism_import_source_free (PrismImportSource *self);
void               prism_import_source_note (PrismImportSource *self,
                                             const char        *format,
                                             ...) G_GNUC_PRINTF (2, 3);
gboolean           prism_import_source_read_text (PrismImportSource  *self,
                                                  const char         *text,
                                                  gsize               length,
                                                  gboolean            is_args,
                                                  GError            **error);
gboolean           prism_import_source_read (PrismImportSource  *self,
                                             const char         *path,
                                             GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismImportSource, prism_import_source_free)

G_END_DECLS
