/* prism-fits: the headers and numbers of FITS files. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_FITS_MAX_AXES 999

/* What one header says. */
typedef struct
{
  gboolean is_image;
  gboolean is_compressed;               /* an image packed into a table */
  int bitpix;                           /* 8, 16, 32, 64, -32 or -64 */
  int n_axes;
  gint64 axes[PRISM_FITS_MAX_AXES];     /* the width first */
  double scale;
  double zero;
  gboolean has_blank;
  gint64 blank;                         /* the raw value that means NaN */
  gint64 n_parameters;                  /* PCOUNT */
  gint64 n_groups;                      /* GCOUNT */
  gboolean is_top_down;                 /* ROWORDER: the first row is the one on top */
  double steps[2];                      /* CDELT: of the world along a pixel; 0 where not said */
  gsize head;                           /* of the header in the file */
  gsize start;                          /* of the data in the file */
} PrismFitsHeader;

const char *prism_fits_find_image (PrismFitsHeader *header,
                                   const guint8    *data,
                                   gsize            size,
                                   gboolean        *is_damaged);
gboolean    prism_fits_find_next  (PrismFitsHeader *header,
                                   const guint8    *data,
                                   gsize            size);
gboolean    prism_fits_is_usable  (const PrismFitsHeader *header);
char       *prism_fits_dup_world  (const PrismFitsHeader *header,
                                   const guint8          *data,
                                   gboolean               has_unit);
double      prism_fits_get_pixel  (const guint8          *p,
                                   const PrismFitsHeader *header);

G_END_DECLS
