/* prism-png-stream: a PNG of 8-bit RGB that comes a few rows at a time, so that a large picture is
 * never there as a whole. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismPngStream PrismPngStream;

PrismPngStream *prism_png_stream_new    (int      width,
                                         int      height,
                                         GError **error);
void            prism_png_stream_free   (PrismPngStream *self);
gboolean        prism_png_stream_add    (PrismPngStream   *self,
                                         cairo_surface_t  *surface,
                                         GError          **error);
gboolean        prism_png_stream_save   (PrismPngStream  *self,
                                         const char      *path,
                                         GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPngStream, prism_png_stream_free)

G_END_DECLS
