/* prism-canvas: the area of a view where the image is painted, moved, enlarged and probed. */
#pragma once

#include "canvas/prism-mark-book.h"
#include "canvas/prism-viewport.h"
#include "prism-paint.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_CANVAS (prism_canvas_get_type ())

G_DECLARE_FINAL_TYPE (PrismCanvas, prism_canvas, PRISM, CANVAS, GtkWidget)

typedef enum
{
  PRISM_LAYER_IMAGE,
  PRISM_LAYER_OVERLAY,                  /* painted over the image, in the same place */
  PRISM_N_LAYERS,
} PrismCanvasLayer;

typedef void (*PrismCanvasDraw) (cairo_t          *cr,
                                 const PrismFrame *frame,
                                 gpointer          data);

PrismRaster   *prism_canvas_get_raster     (PrismCanvas      *self,
                                            PrismCanvasLayer  layer);
void           prism_canvas_set_size       (PrismCanvas *self,
                                            int          image_width,
                                            int          image_height);
void           prism_canvas_set_viewport   (PrismCanvas   *self,
                                            PrismViewport *viewport);
PrismViewport *prism_canvas_get_viewport   (PrismCanvas *self);
void           prism_canvas_set_draw_func  (PrismCanvas     *self,
                                            PrismCanvasDraw  draw,
                                            gpointer         data);
void           prism_canvas_set_menu_model (PrismCanvas *self,
                                            GMenuModel  *model);
gboolean       prism_canvas_get_frame      (PrismCanvas *self,
                                            PrismFrame  *frame);
gboolean       prism_canvas_get_pixel      (PrismCanvas *self,
                                            int         *x,
                                            int         *y);
gboolean       prism_canvas_get_selection  (PrismCanvas  *self,
                                            GdkRectangle *pixels);
void           prism_canvas_set_selection  (PrismCanvas        *self,
                                            const GdkRectangle *pixels);
void           prism_canvas_zoom           (PrismCanvas *self,
                                            double       factor);
void           prism_canvas_zoom_to        (PrismCanvas *self,
                                            double       magnification);
void           prism_canvas_set_opacity    (PrismCanvas *self,
                                            double       opacity);
double         prism_canvas_get_opacity    (PrismCanvas *self);
void           prism_canvas_set_marks      (PrismCanvas   *self,
                                            PrismMarkBook *book,
                                            gboolean       camera);
PrismMarkBook *prism_canvas_get_marks      (PrismCanvas *self);
gboolean       prism_canvas_get_camera     (PrismCanvas *self);
void           prism_canvas_set_metres     (PrismCanvas *self,
                                            double       metres);
void           prism_canvas_marks_draw     (PrismCanvas      *self,
                                            PrismPaint       *paint,
                                            const PrismFrame *frame,
                                            gboolean          held);
void           prism_canvas_redraw         (PrismCanvas *self);

G_END_DECLS
