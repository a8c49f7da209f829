/* prism-object: what the telescope looks at: an amplitude image, built in or from a file.
 * Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "formats/prism-image.h"

G_BEGIN_DECLS

/* One element of the built-in resolution target: three vertical bars, and three horizontal ones of
 * the same size to their right. */
typedef struct
{
  int group;                            /* from -2 */
  int element;                          /* 1…6 */
  double line_pairs_per_pixel;
  double y;                             /* px: upper left corner of the vertical bars */
  double x;
  double side;                          /* px: 5 line widths */
  double gap;                           /* px: between vertical and horizontal bars */
} PrismUsafElement;

#define PRISM_OBJECT_MAX_USAF_ELEMENTS 48

guint       prism_object_get_usaf_elements (int               object_size,
                                            PrismUsafElement *elements);
PrismImage *prism_object_load              (const PrismConfig  *config,
                                            GError            **error);
PrismImage *prism_object_fit               (const PrismImage  *grey,
                                            int                object_size,
                                            gboolean           invert,
                                            GError           **error);

/* The drawings that come with the program; internal to prism-object.
 * Thread: any. */

/* Intensity at a point of the frame, which spans -1…1 in both directions, y downwards. */
typedef double (*PrismDrawFunc) (double        y,
                                 double        x,
                                 gconstpointer drawing);

PrismImage *prism_object_draw          (int             object_size,
                                        int             oversampling,
                                        PrismDrawFunc   func,
                                        gconstpointer   drawing,
                                        GError        **error);
PrismImage *prism_object_draw_moon     (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_ice_moon (const PrismConfig  *config,
                                        GError            **error);
PrismImage *prism_object_draw_usaf1951 (const PrismConfig  *config,
                                        GError            **error);

G_END_DECLS
