/* prism-scale: scales of axes, colour bars and the bar of a picture. */
#pragma once

#include "prism-mapping.h"
#include "prism-paint.h"

#include <glib.h>

G_BEGIN_DECLS

/* Round numbers for an axis, and how they are written. */

#define PRISM_TICKS_MAX 32

typedef struct
{
  gboolean logarithmic;
  int n_major;
  double major[PRISM_TICKS_MAX];        /* [n_major] ascending, with a label */
  int n_minor;
  double minor[4 * PRISM_TICKS_MAX];    /* [n_minor] ascending, without */
  double step;                          /* between major ticks, 0 when logarithmic */
} PrismTicks;

void  prism_ticks_init_linear  (PrismTicks *self,
                                double      low,
                                double      high,
                                int         max_ticks);
void  prism_ticks_init_integer (PrismTicks *self,
                                double      low,
                                double      high,
                                int         max_ticks);
void  prism_ticks_init_log     (PrismTicks *self,
                                double      low,
                                double      high,
                                int         max_ticks);
char *prism_ticks_dup_label    (const PrismTicks *self,
                                int               i);

char *prism_ticks_dup_value    (double  value);
char *prism_ticks_dup_count    (guint64 count);
char *prism_ticks_take_minus   (char   *text);

/* The scale from colours to values in cairo, the same on the screen and in
 * figures. */

double prism_color_bar_get_room (const PrismMapping *mapping,
                                 double              usual);
void   prism_color_bar_draw     (PrismPaint         *paint,
                                 const PrismMapping *mapping,
                                 double              x,
                                 double              y,
                                 double              width,
                                 double              height);

/* A bar that says how long something on an image is. */

double prism_scale_bar_get_length (double size);
char *prism_scale_bar_choose (double  visible,
                              double  metres,
                              double *length);
void prism_scale_bar_draw (PrismPaint *paint,
                           double      scale,
                           double      visible,
                           double      metres,
                           double      right,
                           double      bottom);
void prism_scale_bar_draw_frame (PrismPaint       *paint,
                                 const PrismFrame *frame,
                                 double            metres);
char *prism_scale_bar_dup_place (int    dx,
                                 int    dy,
                                 double metres,
                                 double seconds);

G_END_DECLS
