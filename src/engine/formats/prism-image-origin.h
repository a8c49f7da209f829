/* prism-image-origin: what an image does not show of the file that it was read from: values that
 * are no numbers, and the pages, planes or frames after the first. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 n_pixels;                     /* that were read; 0: not from a file */
  guint64 n_unknown;                    /* not a number, or blank: as dark as the darkest */
  guint64 n_infinite;                   /* as the brightest or the darkest */
  guint64 n_pages;                      /* that the file has, of which the first was read; 0 or 1 */
  guint64 n_frames;                     /* where there are no others; so, too, below */
  guint64 n_planes;
  guint64 n_images;
  guint64 n_channels;                   /* of a pixel, where not all or as colours were read; 0 */
  guint64 n_colors;                     /* 3: the first of them as red, green and blue; 0: one */
  double lone_share;                    /* of the range, from a pixel to all others; 0, or > ½ */
  guint64 lone_x;
  guint64 lone_y;
  double pixel_ratio;                   /* height of a pixel over its width; 0: not said */
} PrismImageOrigin;

char     *prism_image_origin_dup_notice (const PrismImageOrigin *self);
char     *prism_image_origin_to_text    (const PrismImageOrigin *self);
gboolean  prism_image_origin_parse      (PrismImageOrigin  *self,
                                         const char        *text,
                                         const char        *name,
                                         GError           **error);

G_END_DECLS
