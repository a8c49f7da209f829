/* prism-paint: cairo, text and the colours of a style together, for widgets and for figures. */
#pragma once

#include <cairo.h>
#include <glib.h>
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

double     prism_color_get_luminance (const PrismColor *self);
PrismColor prism_color_unpack        (guint32 pixel);

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
void prism_paint_set_color   (PrismPaint       *self,
                              const PrismColor *color,
                              double            alpha);
double prism_paint_snap      (double x);
void prism_paint_stroke      (PrismPaint       *self,
                              const PrismColor *color,
                              double            alpha,
                              double            width);
void prism_paint_draw_line   (PrismPaint *self,
                              double      x,
                              double      y,
                              double      dx,
                              double      dy,
                              double      alpha);
void prism_paint_add_round   (PrismPaint *self,
                              double      x,
                              double      y,
                              double      width,
                              double      height,
                              double      radius);
void prism_paint_add_polygon (PrismPaint   *self,
                              double        x,
                              double        y,
                              double        size,
                              const double (*corners)[2],
                              guint         n_corners);
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
void prism_paint_draw_text_within (PrismPaint *self,
                                   const char *text,
                                   double      x,
                                   double      y,
                                   double      align_x,
                                   double      room);
double prism_paint_draw_wrapped (PrismPaint *self,
                                 const char *text,
                                 double      x,
                                 double      y,
                                 double      width,
                                 gboolean    draw);
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

/* Where cairo writes a file to that is not on the disk yet. */

void prism_paint_surface     (cairo_t         *cr,
                              cairo_surface_t *surface,
                              double           x,
                              double           y,
                              double           width,
                              double           height);
cairo_status_t prism_byte_sink_write (void                *bytes,
                                      const unsigned char *data,
                                      unsigned int         length);

/* A page as the bytes of a file, of the kind that the ending of its name says. */

cairo_surface_t *prism_page_new    (const char *name,
                                    double      width,
                                    double      height,
                                    double      scale,
                                    gboolean    transparent,
                                    GByteArray *bytes);
gboolean         prism_page_finish (cairo_surface_t  *page,
                                    GByteArray       *bytes,
                                    GError          **error);

/* Where an image lies in the area of a view. */

/* Lengths of the area are logical pixels, of the image its own pixels. */
typedef struct
{
  double area_width;
  double area_height;
  int image_width;
  int image_height;
  double fit;                           /* scale that shows the whole image */
  double scale;                         /* logical pixels per pixel of the image */
  double x0;                            /* left edge of the image in the area */
  double y0;                            /* top edge of the image in the area */
  double device_scale;                  /* device pixels per logical pixel */
} PrismFrame;

void     prism_frame_init         (PrismFrame *self,
                                   double      area_width,
                                   double      area_height,
                                   int         image_width,
                                   int         image_height);
void     prism_frame_set_view     (PrismFrame *self,
                                   double      zoom,
                                   double      center_x,
                                   double      center_y,
                                   double      device_scale);
gboolean prism_frame_get_pixel    (const PrismFrame *self,
                                   double            area_x,
                                   double            area_y,
                                   int              *x,
                                   int              *y);

G_END_DECLS
