#include "config.h"

#include "canvas/prism-canvas-private.h"

#include <math.h>

/* Where the image lies in the canvas, and what of it is pointed at. */

#define MAX_SCALE 160

/**
 * prism_canvas_get_viewport:
 * @self: a canvas
 *
 * Returns: (transfer none): its viewport
 */
PrismViewport *
prism_canvas_get_viewport (PrismCanvas *self)
{
  return self->viewport;
}

/**
 * prism_canvas_get_frame:
 * @self: a canvas
 * @frame: (out caller-allocates): where the image lies now
 *
 * Returns: whether there is an image and room for it
 */
gboolean
prism_canvas_get_frame (PrismCanvas *self,
                        PrismFrame *frame)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));

  if (self->image_width < 1 || self->image_height < 1 || width < 1 || height < 1)
    return FALSE;
  prism_frame_init (frame, width, height, self->image_width, self->image_height);
  prism_frame_set_view (frame, prism_viewport_get_zoom (self->viewport),
                        prism_viewport_get_x (self->viewport),
                        prism_viewport_get_y (self->viewport),
                        gtk_widget_get_scale_factor (GTK_WIDGET (self)));
  return TRUE;
}

/**
 * prism_canvas_get_pixel:
 * @self: a canvas
 * @x: (out): column
 * @y: (out): row
 *
 * Finds the pixel at the cursor of the viewport.
 *
 * Returns: whether the cursor is on the image
 */
gboolean
prism_canvas_get_pixel (PrismCanvas *self,
                        int *x,
                        int *y)
{
  double cursor_x;
  double cursor_y;

  if (!prism_viewport_get_cursor (self->viewport, &cursor_x, &cursor_y))
    return FALSE;
  *x = (int) floor (cursor_x * self->image_width);
  *y = (int) floor (cursor_y * self->image_height);
  return *x >= 0 && *y >= 0 && *x < self->image_width && *y < self->image_height;
}

/**
 * prism_canvas_get_selection:
 * @self: a canvas
 * @pixels: (out caller-allocates): the rectangle, in pixels of the image
 *
 * Returns: whether a rectangle is selected
 */
gboolean
prism_canvas_get_selection (PrismCanvas *self,
                            GdkRectangle *pixels)
{
  *pixels = self->selection;
  return self->selection.width > 0;
}

/**
 * prism_canvas_set_selection:
 * @self: a canvas
 * @pixels: (nullable): a rectangle in pixels of the image, NULL for none
 *
 * Selects the part of a rectangle that lies on the image.
 */
void
prism_canvas_set_selection (PrismCanvas *self,
                            const GdkRectangle *pixels)
{
  GdkRectangle image = { 0, 0, self->image_width, self->image_height };
  GdkRectangle selection = { 0 };

  if (pixels != NULL && !gdk_rectangle_intersect (pixels, &image, &selection))
    selection = (GdkRectangle) { 0 };
  if (gdk_rectangle_equal (&selection, &self->selection))
    return;
  self->selection = selection;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "selection-changed");
}

/**
 * prism_canvas_place:
 * @self: a canvas
 * @scale: logical pixels per pixel of the image
 * @x0: left edge of the image
 * @y0: top edge of the image
 *
 * Moves and enlarges the view, within its limits. A direction in which all of the image is seen
 * keeps the shared position: another view may show less.
 */
void
prism_canvas_place (PrismCanvas *self,
                    double scale,
                    double x0,
                    double y0)
{
  PrismFrame frame;
  double center_x = prism_viewport_get_x (self->viewport);
  double center_y = prism_viewport_get_y (self->viewport);
  double width = scale * self->image_width;
  double height = scale * self->image_height;

  if (!prism_canvas_get_frame (self, &frame))
    return;
  if (width > frame.area_width)
    center_x = (frame.area_width / 2 - CLAMP (x0, frame.area_width - width, 0.0)) / width;
  if (height > frame.area_height)
    center_y = (frame.area_height / 2 - CLAMP (y0, frame.area_height - height, 0.0)) / height;
  prism_viewport_set_view (self->viewport, scale / frame.fit, center_x, center_y);
}

static double
clamp_scale (PrismCanvas *self,
             const PrismFrame *frame,
             double scale)
{
  double original = 1.0 / gtk_widget_get_scale_factor (GTK_WIDGET (self));

  return CLAMP (scale, MIN (frame->fit, original), MAX (frame->fit, MAX_SCALE));
}

/**
 * prism_canvas_zoom:
 * @self: a canvas
 * @factor: above 1 to enlarge
 *
 * Zooms around the cursor, or around the middle when there is none.
 */
void
prism_canvas_zoom (PrismCanvas *self,
                   double factor)
{
  PrismFrame frame;
  double scale;
  double x;
  double y;

  if (!prism_canvas_get_frame (self, &frame))
    return;
  scale = clamp_scale (self, &frame, frame.scale * factor);
  if (prism_viewport_get_cursor (self->viewport, &x, &y))
    {
      x = frame.x0 + x * frame.image_width * frame.scale;
      y = frame.y0 + y * frame.image_height * frame.scale;
    }
  else
    {
      x = frame.area_width / 2;
      y = frame.area_height / 2;
    }
  prism_canvas_place (self, scale,
                      x - (x - frame.x0) * scale / frame.scale,
                      y - (y - frame.y0) * scale / frame.scale);
}

/**
 * prism_canvas_zoom_to:
 * @self: a canvas
 * @magnification: pixels of the screen for each of the image
 *
 * Shows one pixel of the image as one of the screen, or as several.
 */
void
prism_canvas_zoom_to (PrismCanvas *self,
                      double magnification)
{
  double original = 1.0 / gtk_widget_get_scale_factor (GTK_WIDGET (self));
  PrismFrame frame;

  if (prism_canvas_get_frame (self, &frame))
    prism_canvas_zoom (self, magnification * original / frame.scale);
}
