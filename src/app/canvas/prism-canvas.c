#include "config.h"

#include "canvas/prism-canvas.h"

#include "profile/prism-profile.h"

#define MIN_SIZE 64
#define NATURAL_SIZE 200
/* Half the opening in the middle of the crosshair, in logical pixels. */
#define CROSSHAIR_GAP 7
/* A pixel this large, in logical pixels, gets a box around it. */
#define BOX_SCALE 5
/* Lines would strike through the numbers that pixels of this size carry. */
#define NUMBERS_SCALE 46

G_DEFINE_FINAL_TYPE (PrismCanvas, prism_canvas, GTK_TYPE_WIDGET)

static void
frame_changed (PrismCanvas *self)
{
  prism_canvas_redraw (self);
  g_signal_emit_by_name (self, "frame-changed");
}

static void
cursor_moved (PrismCanvas *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "cursor-moved");
}

static void
draw_node (PrismCanvas *self,
           cairo_t *cr,
           const PrismFrame *frame)
{
  for (int layer = 0; layer < PRISM_N_LAYERS; layer++)
    {
      PrismPicture *picture = self->rasters[layer]->worker->result;

      if (picture == NULL)
        continue;
      if (layer == PRISM_LAYER_IMAGE || self->opacity >= 1)
        {
          prism_picture_draw (picture, cr, frame);
          continue;
        }
      cairo_push_group (cr);
      prism_picture_draw (picture, cr, frame);
      cairo_pop_group_to_source (cr);
      cairo_paint_with_alpha (cr, self->opacity);
    }
  if (self->draw != NULL)
    self->draw (cr, frame, self->draw_data);
}

static GskRenderNode *
create_node (PrismCanvas *self,
             const PrismFrame *frame)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, frame->area_width, frame->area_height);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &bounds);

  draw_node (self, cr, frame);
  cairo_destroy (cr);
  return gtk_snapshot_free_to_node (snapshot);
}

static void
append_box (GtkSnapshot *snapshot,
            const GdkRGBA *color,
            double x,
            double y,
            double width,
            double height)
{
  if (width > 0 && height > 0)
    gtk_snapshot_append_color (snapshot, color, &GRAPHENE_RECT_INIT (x, y, width, height));
}

static void
append_outline (GtkSnapshot *snapshot,
                const GdkRGBA *color,
                double x,
                double y,
                double width,
                double height)
{
  append_box (snapshot, color, x, y, width, 1);
  append_box (snapshot, color, x, y + height - 1, width, 1);
  append_box (snapshot, color, x, y + 1, 1, height - 2);
  append_box (snapshot, color, x + width - 1, y + 1, 1, height - 2);
}

static const GdkRGBA light = { 1, 1, 1, 0.75 };
static const GdkRGBA shade = { 0, 0, 0, 0.4 };

static void
append_lines (GtkSnapshot *snapshot,
              const PrismFrame *frame,
              const GdkRGBA *color,
              double x,
              double y,
              double thickness)
{
  double gap = MAX (CROSSHAIR_GAP, frame->scale / 2 + 3);

  append_box (snapshot, color, 0, y, x - gap, thickness);
  append_box (snapshot, color, x + gap, y, frame->area_width - x - gap, thickness);
  append_box (snapshot, color, x, 0, thickness, y - gap);
  append_box (snapshot, color, x, y + gap, thickness, frame->area_height - y - gap);
}

/* Light with a dark edge, to be seen on any image. */
static void
append_crosshair (GtkSnapshot *snapshot,
                  const PrismFrame *frame,
                  int x,
                  int y)
{
  double left = frame->x0 + x * frame->scale;
  double top = frame->y0 + y * frame->scale;

  for (int pass = 0; pass < 2; pass++)
    {
      const GdkRGBA *color = pass == 0 ? &shade : &light;

      if (frame->scale < NUMBERS_SCALE)
        append_lines (snapshot, frame, color, floor (left + frame->scale / 2),
                      floor (top + frame->scale / 2), 2 - pass);
      if (frame->scale >= BOX_SCALE)
        append_outline (snapshot, color, floor (left) - 1 + pass, floor (top) - 1 + pass,
                        ceil (frame->scale) + 2 - 2 * pass, ceil (frame->scale) + 2 - 2 * pass);
    }
}

static void
append_selection (GtkSnapshot *snapshot,
                  const PrismFrame *frame,
                  const GdkRectangle *pixels)
{
  double x = floor (frame->x0 + pixels->x * frame->scale);
  double y = floor (frame->y0 + pixels->y * frame->scale);
  double width = ceil (pixels->width * frame->scale);
  double height = ceil (pixels->height * frame->scale);

  append_outline (snapshot, &shade, x - 1, y - 1, width + 2, height + 2);
  append_outline (snapshot, &light, x, y, width, height);
  append_outline (snapshot, &shade, x + 1, y + 1, width - 2, height - 2);
}

static void
prism_canvas_snapshot (GtkWidget *widget,
                       GtkSnapshot *snapshot)
{
  PrismCanvas *self = PRISM_CANVAS (widget);
  PrismFrame frame;
  gint64 begun = prism_profile_begin ();
  int x;
  int y;

  if (!prism_canvas_get_frame (self, &frame))
    return;
  if (self->node == NULL)
    self->node = create_node (self, &frame);

  gtk_snapshot_push_clip (snapshot,
                          &GRAPHENE_RECT_INIT (0, 0, frame.area_width, frame.area_height));
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  prism_canvas_marks_snapshot (self, snapshot, &frame);
  if (self->selection.width > 0)
    append_selection (snapshot, &frame, &self->selection);
  if (prism_canvas_get_pixel (self, &x, &y))
    append_crosshair (snapshot, &frame, x, y);
  gtk_snapshot_pop (snapshot);
  prism_profile_end (PRISM_STAGE_DRAW, begun);
}

static void
prism_canvas_measure (GtkWidget *widget,
                      GtkOrientation orientation,
                      int for_size,
                      int *minimum,
                      int *natural,
                      int *minimum_baseline,
                      int *natural_baseline)
{
  *minimum = MIN_SIZE;
  *natural = NATURAL_SIZE;
}

static void
prism_canvas_size_allocate (GtkWidget *widget,
                            int width,
                            int height,
                            int baseline)
{
  PrismCanvas *self = PRISM_CANVAS (widget);

  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
  prism_canvas_redraw (self);
  prism_canvas_input_resized (self);
}

static void
set_active (PrismCanvas *self,
            gboolean active)
{
  for (int layer = 0; layer < PRISM_N_LAYERS; layer++)
    prism_raster_set_active (self->rasters[layer], active);
}

static void
prism_canvas_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (prism_canvas_parent_class)->map (widget);
  set_active (PRISM_CANVAS (widget), TRUE);
}

static void
prism_canvas_unmap (GtkWidget *widget)
{
  set_active (PRISM_CANVAS (widget), FALSE);
  GTK_WIDGET_CLASS (prism_canvas_parent_class)->unmap (widget);
}

static void
prism_canvas_dispose (PrismCanvas *self)
{
  for (int layer = 0; layer < PRISM_N_LAYERS; layer++)
    g_clear_object (&self->rasters[layer]);
}

static void
prism_canvas_class_init (PrismCanvasClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_canvas_dispose);
  PRISM_DISPOSE (klass, PrismCanvas, g_object_unref, viewport, menu_model, book);
  PRISM_DISPOSE (klass, PrismCanvas, g_source_remove, resized);
  PRISM_DISPOSE (klass, PrismCanvas, gtk_widget_unparent, menu);
  PRISM_DISPOSE (klass, PrismCanvas, gsk_render_node_unref, node);
  widget_class->snapshot = prism_canvas_snapshot;
  widget_class->measure = prism_canvas_measure;
  widget_class->size_allocate = prism_canvas_size_allocate;
  widget_class->map = prism_canvas_map;
  widget_class->unmap = prism_canvas_unmap;

  prism_signal_new (klass, "frame-changed", 0);
  prism_signal_new (klass, "cursor-moved", 0);
  prism_signal_new (klass, "selection-changed", 0);

  gtk_widget_class_set_css_name (widget_class, "prism-canvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  prism_canvas_input_class_init (widget_class);
}

static void
prism_canvas_init (PrismCanvas *self)
{
  g_autoptr (PrismViewport) viewport = g_object_new (PRISM_TYPE_VIEWPORT, NULL);

  for (int layer = 0; layer < PRISM_N_LAYERS; layer++)
    {
      self->rasters[layer] = g_object_new (PRISM_TYPE_RASTER, NULL);
      PRISM_CONNECT (self->rasters[layer], "changed", prism_canvas_redraw, self);
    }
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (frame_changed), NULL);
  self->opacity = 1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "crosshair");
  prism_canvas_set_viewport (self, viewport);
  prism_canvas_input_init (self);
}

/**
 * prism_canvas_set_size:
 * @self: a canvas
 * @image_width: columns, 0 for no image
 * @image_height: rows, 0 for no image
 *
 * Says how large the image is that the layers show.
 */
void
prism_canvas_set_size (PrismCanvas *self,
                       int image_width,
                       int image_height)
{
  if (self->image_width == image_width && self->image_height == image_height)
    return;
  self->image_width = image_width;
  self->image_height = image_height;
  prism_canvas_set_selection (self, NULL);
  frame_changed (self);
}

/**
 * prism_canvas_set_viewport:
 * @self: a canvas
 * @viewport: zoom, position and cursor, perhaps shared with others
 *
 * Follows this viewport from now on.
 */
void
prism_canvas_set_viewport (PrismCanvas *self,
                           PrismViewport *viewport)
{
  if (viewport == self->viewport)
    return;
  if (self->viewport != NULL)
    g_signal_handlers_disconnect_by_data (self->viewport, self);
  g_set_object (&self->viewport, viewport);
  PRISM_CONNECT (viewport, "changed", frame_changed, self);
  PRISM_CONNECT (viewport, "cursor-moved", cursor_moved, self);
  frame_changed (self);
}

/**
 * prism_canvas_set_draw_func:
 * @self: a canvas
 * @draw: (scope forever): paints over the layers
 * @data: for @draw
 *
 * Lets the owner paint over the image; what it paints is kept until prism_canvas_redraw().
 */
void
prism_canvas_set_draw_func (PrismCanvas *self,
                            PrismCanvasDraw draw,
                            gpointer data)
{
  self->draw = draw;
  self->draw_data = data;
  prism_canvas_redraw (self);
}

/**
 * prism_canvas_set_menu_model:
 * @self: a canvas
 * @model: (nullable): entries of the context menu
 *
 * Sets what the right button and the menu key show.
 */
void
prism_canvas_set_menu_model (PrismCanvas *self,
                             GMenuModel *model)
{
  g_set_object (&self->menu_model, model);
  g_clear_pointer (&self->menu, gtk_widget_unparent);
}

/**
 * prism_canvas_set_opacity:
 * @self: a canvas
 * @opacity: 0…1, of the layer over the image
 *
 * Lets the image shine through.
 */
void
prism_canvas_set_opacity (PrismCanvas *self,
                          double opacity)
{
  if (opacity == self->opacity)
    return;
  self->opacity = opacity;
  prism_canvas_redraw (self);
}

/**
 * prism_canvas_redraw:
 * @self: a canvas
 *
 * Paints image and overlay anew.
 */
void
prism_canvas_redraw (PrismCanvas *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
