/* prism-multiples: many small images of one kind on a sheet, in rows and columns, all on one
 * scale. */
#pragma once

#include "formats/prism-image.h"
#include "prism-paint.h"

G_BEGIN_DECLS

typedef struct
{
  PrismImage *image;                    /* (nullable): what is missing stays an empty frame */
  char *title;                          /* above it: "snr=20" */
  char *note;                           /* (nullable), below it: "34.2 dB" */
} PrismMultiple;

void     prism_multiples_get_size (guint   n_items,
                                   guint   n_columns,
                                   double *width,
                                   double *height);
void     prism_multiples_draw     (PrismPaint          *paint,
                                   const PrismMultiple *items,
                                   guint                n_items,
                                   guint                n_columns);
gboolean prism_multiples_save_png (const PrismMultiple *items,
                                   guint                n_items,
                                   guint                n_columns,
                                   const char          *path,
                                   GError             **error);

G_END_DECLS
