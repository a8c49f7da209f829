/* prism-multiples: many small images of one kind on a sheet, in rows and columns, all on one
 * scale. */
#pragma once

#include "formats/prism-image.h"
#include "prism-paint.h"

G_BEGIN_DECLS

typedef struct
{
  PrismImage *image;                    /* (nullable): what is missing stays an empty frame */
  char *title;                          /* (nullable), above it: "20 dB" */
  char *note;                           /* (nullable), below it: "34.2 dB" */
} PrismMultiple;

typedef struct
{
  PrismMultiple *items;                 /* [n_items], row by row */
  guint n_items;
  guint n_columns;
  char *title;                          /* (nullable): of all of it */
  char **columns;                       /* (nullable) [n_columns]: headings */
  char **rows;                          /* (nullable), one a row */
  guint marked;                         /* item; G_MAXUINT for none */
} PrismMultiples;

void     prism_multiples_clear    (PrismMultiples *self);
void     prism_multiples_get_size (const PrismMultiples *self,
                                   double               *width,
                                   double               *height);
guint    prism_multiples_find     (const PrismMultiples *self,
                                   double                x,
                                   double                y);
void     prism_multiples_draw     (const PrismMultiples *self,
                                   PrismPaint           *paint);
gboolean prism_multiples_save_png (const PrismMultiples *self,
                                   const char           *path,
                                   GError              **error);

G_END_DECLS
