/* prism-palette: the 256 colours that stand for those of a picture. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_PALETTE_SIZE 256

typedef struct
{
  guint n_colors;
  guint32 colors[PRISM_PALETTE_SIZE];   /* 0xRRGGBB */
} PrismPalette;

void prism_palette_apply (PrismPalette  *self,
                          const guint32 *pixels,
                          gsize          n_pixels,
                          guint8        *indices);

G_END_DECLS
