/* prism-canvas: the area of a view where the image is painted, moved, enlarged and probed, what it
 * shares with others, and the marks over it. */
#pragma once

#include "model/prism-mark.h"
#include "prism-picture.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Zoom, position and cursor that linked views share, in coordinates of the image
 * divided by its size, so that images of different size can be linked. */

#define PRISM_TYPE_VIEWPORT (prism_viewport_get_type ())

G_DECLARE_FINAL_TYPE (PrismViewport, prism_viewport, PRISM, VIEWPORT, GObject)

#define PRISM_VIEWPORT_MIN_ZOOM (1.0 / 64)
#define PRISM_VIEWPORT_MAX_ZOOM 1024.0

PrismViewport *prism_viewport_new        (void);
void           prism_viewport_set_view   (PrismViewport *self,
                                          double         zoom,
                                          double         center_x,
                                          double         center_y);
void           prism_viewport_reset      (PrismViewport *self);
double         prism_viewport_get_zoom   (PrismViewport *self);
double         prism_viewport_get_x      (PrismViewport *self);
double         prism_viewport_get_y      (PrismViewport *self);
void           prism_viewport_set_cursor (PrismViewport *self,
                                          double         x,
                                          double         y);
void           prism_viewport_clear_cursor (PrismViewport *self);
gboolean       prism_viewport_get_cursor (PrismViewport *self,
                                          double        *x,
                                          double        *y);

/* Turns the newest image into a picture on another thread. */

#define PRISM_TYPE_RASTER (prism_raster_get_type ())

G_DECLARE_FINAL_TYPE (PrismRaster, prism_raster, PRISM, RASTER, GObject)

PrismRaster  *prism_raster_new         (void);
void          prism_raster_set_image   (PrismRaster *self,
                                        PrismImage  *image,
                                        PrismImage  *reference);
void          prism_raster_set_mapping (PrismRaster        *self,
                                        const PrismMapping *mapping);
PrismImage   *prism_raster_get_image   (PrismRaster *self);
PrismImage   *prism_raster_get_reference (PrismRaster *self);
const PrismMapping *prism_raster_get_mapping (PrismRaster *self);
void          prism_raster_set_active  (PrismRaster *self,
                                        gboolean     active);
PrismPicture *prism_raster_get_picture (PrismRaster *self);
gboolean      prism_raster_is_busy     (PrismRaster *self);

/* The marks over the pictures, which of them is held, and the tool that draws the
 * next. Views that show the same things share one. Properties: text, tool, selected, line-width.
 * Signal: changed, when the marks or the one that is held are others. */

#define PRISM_TYPE_MARK_BOOK (prism_mark_book_get_type ())

G_DECLARE_FINAL_TYPE (PrismMarkBook, prism_mark_book, PRISM, MARK_BOOK, GObject)

/* A tool that is no kind of mark. */
#define PRISM_MARK_BOOK_NO_TOOL PRISM_MARK_N_KINDS

PrismMarkBook   *prism_mark_book_new          (void);
const GArray    *prism_mark_book_get_marks    (PrismMarkBook *self);
guint            prism_mark_book_get_tool     (PrismMarkBook *self);
int              prism_mark_book_get_selected (PrismMarkBook *self);
const PrismMark *prism_mark_book_get_held     (PrismMarkBook *self);
gboolean         prism_mark_book_add          (PrismMarkBook   *self,
                                               const PrismMark *mark);
void             prism_mark_book_replace      (PrismMarkBook   *self,
                                               const PrismMark *mark);
gboolean         prism_mark_book_remove       (PrismMarkBook *self);
void             prism_mark_book_select       (PrismMarkBook *self,
                                               int            index);
void             prism_mark_book_set_tool     (PrismMarkBook *self,
                                               guint          tool);
void             prism_mark_book_begin_drag   (PrismMarkBook *self);
void             prism_mark_book_end_drag     (PrismMarkBook *self);

/* The area itself. */

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
