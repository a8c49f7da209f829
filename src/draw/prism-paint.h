/* prism-paint: cairo, text and the colours of a style together, for widgets and for figures. */
#pragma once

#include <pango/pangocairo.h>

G_BEGIN_DECLS

/* 0…1 */
typedef struct
{
  float red;
  float green;
  float blue;
  float alpha;
} PrismColor;

typedef struct
{
  cairo_t *cr;
  PangoLayout *layout;
  PrismColor foreground;
  PrismColor accent;
  gboolean dark;                        /* light foreground */
  gboolean figure;                      /* on a page, not on the screen */
  double line_height;                   /* of the text, in units of cr */
} PrismPaint;

void prism_paint_init        (PrismPaint       *self,
                              cairo_t          *cr,
                              PangoLayout      *layout,
                              const PrismColor *foreground,
                              const PrismColor *accent);
void prism_paint_init_figure (PrismPaint *self,
                              cairo_t    *cr,
                              gboolean    dark);
void prism_paint_finish      (PrismPaint *self);
void prism_paint_set_family  (PrismPaint *self,
                              const char *family);
void prism_paint_set_font    (PrismPaint *self,
                              double      size,
                              gboolean    bold);
void prism_paint_set_alpha   (PrismPaint *self,
                              double      alpha);
void prism_paint_measure     (PrismPaint *self,
                              const char *text,
                              double     *width,
                              double     *height);
void prism_paint_draw_text   (PrismPaint *self,
                              const char *text,
                              double      x,
                              double      y,
                              double      align_x,
                              double      align_y);
void prism_paint_draw_patch  (PrismPaint *self,
                              double      x,
                              double      y,
                              double      width,
                              double      height);
void prism_paint_draw_text_up (PrismPaint *self,
                               const char *text,
                               double      x,
                               double      y);
void prism_paint_set_pixels  (cairo_t         *cr,
                              cairo_surface_t *surface,
                              cairo_filter_t   filter);

G_END_DECLS
