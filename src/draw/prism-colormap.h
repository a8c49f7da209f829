/* prism-colormap: the colour tables of the views. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_COLORMAP_SIZE 256

typedef enum
{
  PRISM_COLORMAP_GREY,
  PRISM_COLORMAP_VIRIDIS,
  PRISM_COLORMAP_MAGMA,
  PRISM_COLORMAP_INFERNO,
  PRISM_COLORMAP_PLASMA,
  PRISM_COLORMAP_CIVIDIS,
  PRISM_COLORMAP_COOLWARM,              /* diverging: blue, grey-white in the middle, red */
  PRISM_COLORMAP_COVERAGE,              /* one translucent tint; not offered to users */
  PRISM_COLORMAP_CORRELATION,           /* viridis, translucent; not offered to users */
} PrismColormap;

#define PRISM_TYPE_COLORMAP (prism_colormap_get_type ())

GType          prism_colormap_get_type  (void);
const char    *prism_colormap_get_label (PrismColormap self);
const guint32 *prism_colormap_get_table (PrismColormap self);

G_END_DECLS
