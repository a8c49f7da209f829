/* prism-gif: the bytes of an animated GIF.
 *
 * h, w = height and width. One thread at a time. */
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

typedef struct
{
  int height;                           /* 1…65535 */
  int width;
  int rate;                             /* frames per second */
  gboolean loop;
  guint n_frames;                       /* appended so far */
  guint time;                           /* of the next picture, 1/100 s */
} PrismGif;

void     prism_gif_append_head  (PrismGif   *self,
                                 GByteArray *bytes);
gboolean prism_gif_append_frame (PrismGif       *self,
                                 GByteArray     *bytes,
                                 const guint32  *pixels,
                                 GError        **error);
void     prism_gif_append_tail  (GByteArray *bytes);

G_END_DECLS
