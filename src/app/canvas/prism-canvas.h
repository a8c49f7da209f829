/* prism-canvas: the area of a view where the image is painted, moved, enlarged and probed, what it
 * shares with others, and the marks over it. */
#pragma once

#include "support/prism-job.h"
#include "model/prism-mark.h"
#include "prism-picture.h"

G_BEGIN_DECLS

/* Zoom, position and cursor that linked views share, in coordinates of the image
 * divided by its size, so that images of different size can be linked. */

#define PRISM_TYPE_VIEWPORT (prism_viewport_get_type ())

G_DECLARE_FINAL_TYPE (PrismViewport, prism_viewport, PRISM, VIEWPORT, GObject)

struct _PrismViewport
{
  GObject parent_instance;

  double zoom;     /* 1 shows the whole image */
  double center_x; /* 0…1 */
  double center_y;
  double cursor_x; /* 0…1, NAN without a cursor */
  double cursor_y;
};

#define PRISM_VIEWPORT_MIN_ZOOM (1.0 / 64)
#define PRISM_VIEWPORT_MAX_ZOOM 1024.0

void           prism_viewport_set_view   (PrismViewport *self,
                                          double         zoom,
                                          double         center_x,
                                          double         center_y);
void           prism_viewport_reset      (PrismViewport *self);
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

struct _PrismRaster
{
  GObject parent_instance;

  PrismImage *image;     /* (nullable) [h][w], the newest */
  PrismImage *reference; /* (nullable) [h][w] */
  PrismMapping mapping;
  PrismWorker *worker; /* makes pictures */
  gboolean active;
  gboolean stale; /* no picture of this image and mapping was asked for yet */
};

void          prism_raster_set_image   (PrismRaster *self,
                                        PrismImage  *image,
                                        PrismImage  *reference);
void          prism_raster_set_mapping (PrismRaster        *self,
                                        const PrismMapping *mapping);
void          prism_raster_set_active  (PrismRaster *self,
                                        gboolean     active);

/* The marks over the pictures, which of them is held, and the tool that draws the
 * next. Views that show the same things share one. Properties: text, tool, selected, line-width.
 * Signal: changed, when the marks or the one that is held are others. */

#define PRISM_TYPE_MARK_BOOK (prism_mark_book_get_type ())

G_DECLARE_FINAL_TYPE (PrismMarkBook, prism_mark_book, PRISM, MARK_BOOK, GObject)

struct _PrismMarkBook
{
  GObject parent_instance;

  GArray *marks; /* of PrismMark */
  char *text;    /* of the marks before a drag that is under way */
  guint tool;
  int selected;   /* -1 for none */
  int line_width; /* px, of the next line */
  gboolean dragging;
};

/* A tool that is no kind of mark. */
#define PRISM_MARK_BOOK_NO_TOOL PRISM_MARK_N_KINDS

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

struct _PrismCanvas
{
  GtkWidget parent_instance;

  PrismRaster *rasters[PRISM_N_LAYERS];
  PrismViewport *viewport;
  PrismCanvasDraw draw; /* (nullable) */
  gpointer draw_data;
  GtkEventController *motion;
  guint resized;          /* idle source, 0 or one */
  GMenuModel *menu_model; /* (nullable) */
  GtkWidget *menu;        /* (nullable) popover, made when first shown */
  int image_width;        /* 0 without an image */
  int image_height;
  GdkRectangle selection; /* pixels of the image; empty without */
  double opacity;         /* of the layer over the image */
  GskRenderNode *node;    /* (nullable) image and overlay, until something changes */

  PrismFrame drag_frame; /* when the gesture began */
  gboolean selecting;
  gboolean marking; /* a mark is drawn or moved */
  int anchor_x;     /* pixel of the image where a selection began */
  int anchor_y;

  PrismMarkBook *book; /* (nullable) the marks over it */
  gboolean camera;     /* they are those of what the camera sees */
  double metres;       /* of a pixel, for rulers; 0 when it is not known */
  int grip;            /* what the drag holds of the mark */
  gboolean mark_made;  /* the drag has made the mark */
  PrismMark mark_before; /* as the drag found it */
  int mark_x;            /* pixel where the drag began */
  int mark_y;
};

void           prism_canvas_set_size       (PrismCanvas *self,
                                            int          image_width,
                                            int          image_height);
void           prism_canvas_set_viewport   (PrismCanvas   *self,
                                            PrismViewport *viewport);
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
void           prism_canvas_set_marks      (PrismCanvas   *self,
                                            PrismMarkBook *book,
                                            gboolean       camera);
void           prism_canvas_marks_draw     (PrismCanvas      *self,
                                            PrismPaint       *paint,
                                            const PrismFrame *frame,
                                            gboolean          held);
void           prism_canvas_redraw         (PrismCanvas *self);

/* Within this room. */

void prism_canvas_input_class_init (GtkWidgetClass *klass);
void prism_canvas_input_init       (PrismCanvas *self);
void prism_canvas_input_resized    (PrismCanvas *self);

/* Moves the view so that the image's corner comes to x0, y0 at scale. */
void prism_canvas_place            (PrismCanvas *self,
                                    double       scale,
                                    double       x0,
                                    double       y0);

/* Marks, in terms of logical pixels while they are dragged and of the image's by keys. */
gboolean prism_canvas_marks_press    (PrismCanvas      *self,
                                      const PrismFrame *frame,
                                      double            x,
                                      double            y);
void     prism_canvas_marks_drag     (PrismCanvas      *self,
                                      const PrismFrame *frame,
                                      double            x,
                                      double            y);
void     prism_canvas_marks_release  (PrismCanvas *self);
gboolean prism_canvas_marks_get_end  (PrismCanvas *self,
                                      int         *x,
                                      int         *y);
gboolean prism_canvas_marks_stretch  (PrismCanvas *self,
                                      int          from_x,
                                      int          from_y,
                                      int          x,
                                      int          y);
gboolean prism_canvas_marks_nudge    (PrismCanvas *self,
                                      int          dx,
                                      int          dy);
gboolean prism_canvas_marks_remove   (PrismCanvas *self);
gboolean prism_canvas_marks_let_go   (PrismCanvas *self);
void     prism_canvas_marks_snapshot (PrismCanvas      *self,
                                      GtkSnapshot      *snapshot,
                                      const PrismFrame *frame);

G_END_DECLS
