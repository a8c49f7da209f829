/* prism-paint: cairo, text and the colours of a style together, for widgets and for figures. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  cairo_t *cr;
  PangoLayout *layout;
  GdkRGBA foreground;
  GdkRGBA accent;
  gboolean dark;                        /* light foreground */
  gboolean figure;                      /* on a page, not on the screen */
  double line_height;                   /* of the text, in units of cr */
} PrismPaint;

void prism_paint_init_widget (PrismPaint *self,
                              GtkWidget  *widget,
                              cairo_t    *cr);
void prism_paint_init_figure (PrismPaint *self,
                              cairo_t    *cr,
                              gboolean    dark);
void prism_paint_finish      (PrismPaint *self);
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

G_END_DECLS
