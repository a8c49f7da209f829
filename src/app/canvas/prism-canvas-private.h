/* prism-canvas-private: what the files of the canvas share: where the image lies, marks, and mouse,
 * touch and keyboard, in terms of the viewport. */
#pragma once

#include "canvas/prism-canvas.h"

G_BEGIN_DECLS

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
};

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
