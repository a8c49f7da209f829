/* prism-image-private: what the loaders of the file formats share. Thread: any. */
#pragma once

#include "formats/prism-image.h"

#include <math.h>

G_BEGIN_DECLS

#ifndef PRISM_IMAGE_MAX_SIDE
#define PRISM_IMAGE_MAX_SIDE 16384
#endif
/* Values up to here can be added up in single precision. */
#define PRISM_IMAGE_MAX_VALUE 1e37
#define PRISM_IMAGE_MAX_BYTES (G_GUINT64_CONSTANT (1) << 30)

/* Rec. 601 luma. */
#define PRISM_LUMA_RED 0.299
#define PRISM_LUMA_GREEN 0.587
#define PRISM_LUMA_BLUE 0.114

typedef struct
{
  const guint8 *data;                   /* [size]: the whole file */
  gsize size;                           /* bytes, > 0 */
  const char *name;                     /* for messages */
  const char *format;                   /* "PNG" */
  int channel;                          /* of a colour that is taken, 1 to 3; 0: all are mixed */
} PrismImageSource;

typedef PrismImage *(*PrismImageLoadFunc) (const PrismImageSource  *source,
                                           GError                 **error);

PrismImage *prism_image_load_png  (const PrismImageSource  *source,
                                   GError                 **error);
PrismImage *prism_image_load_jpeg (const PrismImageSource  *source,
                                   GError                 **error);
PrismImage *prism_image_load_tiff (const PrismImageSource  *source,
                                   GError                 **error);
PrismImage *prism_image_load_fits (const PrismImageSource  *source,
                                   GError                 **error);
PrismImage *prism_image_load_npy  (const PrismImageSource  *source,
                                   GError                 **error);

/* Where the pixels of a FITS file are. */
typedef struct
{
  guint64 height;
  guint64 width;
  guint64 start;                        /* byte of the first pixel */
  gsize n_bytes;                        /* of a pixel */
  gboolean is_real;                     /* not parts of a range */
  gboolean is_top_down;                 /* the first row is on top */
  char *world;                          /* of prism_fits_dup_world(); free with g_free() */
  gpointer header;                      /* free with g_free() */
} PrismImageFitsPlane;

gboolean    prism_image_find_fits_plane (PrismImageFitsPlane    *plane,
                                         const PrismImageSource *source,
                                         GError                **error);
void        prism_image_decode_fits_row (const PrismImageFitsPlane *plane,
                                         const guint8              *bytes,
                                         float                     *row);

void        prism_image_set_error  (GError                **error,
                                    const PrismImageSource *source,
                                    const char             *reason);
void        prism_image_set_damage (GError                **error,
                                    const PrismImageSource *source,
                                    const char             *detail);
gboolean    prism_image_check_size (const PrismImageSource *source,
                                    guint64                 height,
                                    guint64                 width,
                                    GError                **error);

guint32     prism_image_get_mpf_count        (const guint8 *mpf,
                                              gsize         size);
int         prism_image_get_exif_orientation (const guint8 *exif,
                                              gsize         size);
PrismImage *prism_image_dup_oriented         (PrismImage  *self,
                                              int          orientation,
                                              GError     **error);

/* In single precision; what that cannot hold is not infinite, but too large an image. */
static inline float
prism_image_narrow (double value)
{
  if (isfinite (value) && fabs (value) > PRISM_IMAGE_MAX_VALUE)
    return copysignf (2.0f * (float) PRISM_IMAGE_MAX_VALUE, (float) value);
  return (float) value;
}

static inline float
prism_image_get_luma (double red,
                      double green,
                      double blue)
{
  return prism_image_narrow (PRISM_LUMA_RED * red + PRISM_LUMA_GREEN * green
                             + PRISM_LUMA_BLUE * blue);
}

/* Of the colours what is asked for. */
static inline float
prism_image_mix (const PrismImageSource *source,
                 double red,
                 double green,
                 double blue)
{
  if (source->channel == 0)
    return prism_image_get_luma (red, green, blue);
  return prism_image_narrow (source->channel == 1 ? red : source->channel == 2 ? green : blue);
}

G_END_DECLS
