/* prism-rows-private: a picture of any format, read row by row. One thread at a time. */
#pragma once

#include "formats/prism-fields.h"
#include "formats/prism-image-origin.h"
#include "formats/prism-source.h"

#include <math.h>

G_BEGIN_DECLS

#ifndef PRISM_IMAGE_MAX_SIDE
#define PRISM_IMAGE_MAX_SIDE 16384
#endif
/* Values up to here can be added up in single precision. */
#define PRISM_IMAGE_MAX_VALUE 1e37

typedef struct _PrismRows PrismRows;

struct _PrismRows
{
  PrismSource source;
  char *name;                           /* for messages */
  const char *format;                   /* "PNG" */
  int channel;                          /* of a colour that is taken, 1 to 3; 0: all are mixed */
  gboolean is_strip;                    /* there is never room for the whole picture */

  /* What a format's open function finds: */
  guint64 height;
  guint64 width;
  gboolean is_real;                     /* numbers in a unit of their own, not parts of a range */
  int orientation;                      /* as in TIFF and Exif; 0: upright */
  char *world;                          /* (nullable): of a FITS file, see PrismStrips */
  PrismImageOrigin origin;              /* complete when the picture is closed */
  gpointer state;
  gboolean (*read) (PrismRows *self,
                    guint64    y,       /* one after the other */
                    float     *row,     /* [width] */
                    GError   **error);
  void (*close) (PrismRows *self);
};

gboolean prism_rows_open_png  (PrismRows *self,
                               GError   **error);
gboolean prism_rows_open_jpeg (PrismRows *self,
                               GError   **error);
gboolean prism_rows_open_tiff (PrismRows *self,
                               GError   **error);
gboolean prism_rows_open_fits (PrismRows *self,
                               GError   **error);
gboolean prism_rows_open_npy  (PrismRows *self,
                               GError   **error);

gboolean prism_rows_fail       (const PrismRows *self,
                                const char      *reason,
                                GError         **error);
gboolean prism_rows_damaged    (const PrismRows *self,
                                const char      *detail,
                                GError         **error);
gboolean prism_rows_check_size (const PrismRows *self,
                                GError         **error);

int      prism_exif_get_orientation (const guint8 *exif,
                                     gsize         size);
guint32  prism_exif_get_n_images    (const guint8 *mpf,
                                     gsize         size);

/* Of a TIFF file. */

struct tiff;

char *prism_tiff_dup_described (struct tiff *tiff,
                                const char  *word,
                                const char  *end);
void  prism_tiff_add_scale     (PrismFields *fields,
                                struct tiff *tiff);

/* In single precision; what that cannot hold is not infinite, but too large an image. */
static inline float
prism_rows_narrow (double value)
{
  if (isfinite (value) && fabs (value) > PRISM_IMAGE_MAX_VALUE)
    return copysignf (2.0f * (float) PRISM_IMAGE_MAX_VALUE, (float) value);
  return (float) value;
}

/* Of the colours what is asked for: one, or Rec. 601 luma. */
static inline float
prism_rows_mix (const PrismRows *self,
                double           red,
                double           green,
                double           blue)
{
  if (self->channel > 0)
    return prism_rows_narrow (self->channel == 1 ? red : self->channel == 2 ? green : blue);
  return prism_rows_narrow (0.299 * red + 0.587 * green + 0.114 * blue);
}

G_END_DECLS
