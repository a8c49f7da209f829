/* prism-png-stream: a PNG that comes row by row, so that a large picture is never there as a
 * whole. One thread at a time. */
#pragma once

#include "formats/prism-image.h"

#include <stdio.h>

G_BEGIN_DECLS

typedef struct
{
  int width;
  int height;
  int bits;                             /* of a grey pixel, 8 or 16; 0: colours, see below */
  const char *const *text;              /* (nullable): key and value in turn, UTF-8 */
  FILE *file;                           /* (nullable): where it goes; NULL: into memory */
} PrismPngFormat;

typedef struct _PrismPngStream PrismPngStream;

PrismPngStream *prism_png_stream_new  (const PrismPngFormat  *format,
                                       GError               **error);
void            prism_png_stream_free (PrismPngStream *self);
gboolean        prism_png_stream_add  (PrismPngStream  *self,
                                       const guint8    *rows,
                                       gsize            stride,
                                       int              n_rows,
                                       GError         **error);
gboolean        prism_png_stream_add_grey (PrismPngStream  *self,
                                           const float     *pixels,
                                           float            black,
                                           float            white,
                                           GError         **error);
const char     *prism_png_stream_end  (PrismPngStream  *self,
                                       gsize           *length,
                                       GError         **error);
gboolean        prism_png_stream_save (PrismPngStream  *self,
                                       const char      *path,
                                       GError         **error);

PrismPngStream *prism_image_encode_png (const PrismImage   *self,
                                        int                 bits,
                                        float               black,
                                        float               white,
                                        const char *const  *text,
                                        GError            **error);
gboolean        prism_image_save_png   (const PrismImage   *self,
                                        const char         *path,
                                        int                 bits,
                                        float               black,
                                        float               white,
                                        const char *const  *text,
                                        GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPngStream, prism_png_stream_free)

G_END_DECLS
