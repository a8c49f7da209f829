/* prism-import: what the first PRISM, a program in Python, was given and what it left, as a
 * configuration, positions and a picture. Nothing of it is run. Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "model/prism-pattern-points.h"

G_BEGIN_DECLS

typedef struct
{
  PrismConfig *config;
  char *comment;                        /* (nullable) */
  GPtrArray *notes;                     /* of char *: what is not as it was, a sentence each */
  PrismPoint *points;                   /* (nullable) [n_points], in the order of the visits */
  guint n_points;
  float *picture;                       /* (nullable) [height][width], amplitudes */
  gsize height;
  gsize width;
} PrismImport;

PrismImport *prism_import_load (const char  *path,
                                gboolean     training,
                                GError     **error);
PrismImport *prism_import_parse (const char  *text,
                                 gsize        length,
                                 gboolean     training,
                                 GError     **error);
void         prism_import_free (PrismImport *self);
PrismConfig *prism_import_dup_config (const PrismImport  *self,
                                      GError            **error);
char        *prism_import_dup_beside (const char *path,
                                      const char *ending);
GStrv        prism_import_save (const PrismImport  *self,
                                const char         *path,
                                GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismImport, prism_import_free)

G_END_DECLS
