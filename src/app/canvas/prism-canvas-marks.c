#include "config.h"

#include "canvas/prism-canvas.h"
#include "prism-mark-draw.h"
#include "support/prism-widget.h"

/* A mark is taken this near to it, in logical pixels. */
#define REACH 8.0

typedef enum
{
  GRIP_NONE,
  GRIP_FIRST,  /* its first end */
  GRIP_SECOND, /* its second end */
  GRIP_ALL,    /* all of it moves along */
} Grip;

/* Only a mark on this picture can be changed here. */
static const PrismMark *
get_held (PrismCanvas *self)
{
  const PrismMark *held = self->book != NULL ? prism_mark_book_get_held (self->book) : NULL;

  return held != NULL && held->camera == self->camera ? held : NULL;
}

static double
get_distance (double x,
              double y,
              double x0,
              double y0,
              double x1,
              double y1)
{
  double dx = x1 - x0;
  double dy = y1 - y0;
  double square = dx * dx + dy * dy;
  double t = square > 0 ? CLAMP (((x - x0) * dx + (y - y0) * dy) / square, 0, 1) : 0;

  return hypot (x - x0 - t * dx, y - y0 - t * dy);
}

/* From the outline of a mark; @x and @y in pixels of the image. */
static double
get_outline_distance (const PrismMark *mark,
                      double x,
                      double y)
{
  double left = MIN (mark->x0, mark->x1);
  double right = MAX (mark->x0, mark->x1) + 1;
  double top = MIN (mark->y0, mark->y1);
  double bottom = MAX (mark->y0, mark->y1) + 1;
  double radius;

  if (!prism_mark_is_area (mark))
    return get_distance (x, y, mark->x0 + 0.5, mark->y0 + 0.5, mark->x1 + 0.5, mark->y1 + 0.5);
  if (mark->kind == PRISM_MARK_RECTANGLE)
    return MIN (MIN (get_distance (x, y, left, top, right, top),
                     get_distance (x, y, left, bottom, right, bottom)),
                MIN (get_distance (x, y, left, top, left, bottom),
                     get_distance (x, y, right, top, right, bottom)));
  radius = hypot ((x - (left + right) / 2) / ((right - left) / 2),
                  (y - (top + bottom) / 2) / ((bottom - top) / 2));
  return fabs (radius - 1) * MIN (right - left, bottom - top) / 2;
}

static Grip
find_grip (const PrismMark *mark,
           const PrismFrame *frame,
           double x,
           double y)
{
  double reach = REACH / frame->scale;
  gboolean area = prism_mark_is_area (mark);
  double x0 = mark->x0 + (area ? mark->x0 > mark->x1 : 0.5);
  double y0 = mark->y0 + (area ? mark->y0 > mark->y1 : 0.5);
  double x1 = mark->x1 + (area ? mark->x1 >= mark->x0 : 0.5);
  double y1 = mark->y1 + (area ? mark->y1 >= mark->y0 : 0.5);

  if (hypot (x - x1, y - y1) < reach)
    return GRIP_SECOND;
  if (hypot (x - x0, y - y0) < reach)
    return GRIP_FIRST;
  return get_outline_distance (mark, x, y) < reach ? GRIP_ALL : GRIP_NONE;
}

/* The one that is held comes first, then the newest. */
static Grip
find_mark (PrismCanvas *self,
           const PrismFrame *frame,
           double x,
           double y,
           int *index)
{
  const GArray *list = self->book->marks;
  int held = self->book->selected;

  for (int i = (int) list->len; i >= 0; i--)
    {
      int candidate = i == (int) list->len ? held : i;
      const PrismMark *mark;
      Grip grip;

      if (candidate < 0)
        continue;
      mark = &g_array_index (list, PrismMark, candidate);
      grip = mark->camera == self->camera ? find_grip (mark, frame, x, y) : GRIP_NONE;
      if (grip != GRIP_NONE)
        {
          *index = candidate;
          return grip;
        }
    }
  return GRIP_NONE;
}

static gboolean
begin_new (PrismCanvas *self,
           int x,
           int y)
{
  PrismMark mark = { .camera = self->camera, .x0 = x, .y0 = y, .x1 = x, .y1 = y, .width = 1 };
  guint tool = self->book->tool;

  if (tool == PRISM_MARK_BOOK_NO_TOOL)
    return FALSE;
  mark.kind = (PrismMarkKind) tool;
  return prism_mark_book_add (self->book, &mark);
}

/**
 * prism_canvas_marks_press:
 * @self: a canvas
 * @frame: where the image lies
 * @x: where the pointer went down, in logical pixels
 * @y: where
 *
 * Takes a mark that is there, or begins the next one where a tool is chosen.
 *
 * Returns: whether the drag belongs to a mark
 */
gboolean
prism_canvas_marks_press (PrismCanvas *self,
                          const PrismFrame *frame,
                          double x,
                          double y)
{
  int index = -1;
  gboolean inside;

  if (self->book == NULL)
    return FALSE;
  inside = prism_frame_get_pixel (frame, x, y, &self->mark_x, &self->mark_y);
  self->grip = find_mark (self, frame, (x - frame->x0) / frame->scale,
                          (y - frame->y0) / frame->scale, &index);
  self->mark_made = self->grip == GRIP_NONE;
  self->book->dragging = TRUE;
  if (!self->mark_made)
    prism_mark_book_select (self->book, index);
  else if (inside && begin_new (self, self->mark_x, self->mark_y))
    self->grip = GRIP_SECOND;
  if (self->grip == GRIP_NONE)
    {
      prism_mark_book_end_drag (self->book);
      return FALSE;
    }
  self->mark_before = *prism_mark_book_get_held (self->book);
  return TRUE;
}

/* No mark is lost beyond the border. */
static void
clamp_mark (PrismMark *mark,
            const PrismFrame *frame)
{
  mark->x0 = CLAMP (mark->x0, 0, frame->image_width - 1);
  mark->y0 = CLAMP (mark->y0, 0, frame->image_height - 1);
  mark->x1 = CLAMP (mark->x1, 0, frame->image_width - 1);
  mark->y1 = CLAMP (mark->y1, 0, frame->image_height - 1);
}

/* Up to where the whole of it stays on the picture. */
static void
shift_within (PrismMark *mark,
              const PrismFrame *frame,
              int dx,
              int dy)
{
  int right = frame->image_width - 1 - MAX (mark->x0, mark->x1);
  int below = frame->image_height - 1 - MAX (mark->y0, mark->y1);
  int left = -MIN (mark->x0, mark->x1);
  int above = -MIN (mark->y0, mark->y1);

  dx = CLAMP (dx, MIN (left, 0), MAX (right, 0));
  dy = CLAMP (dy, MIN (above, 0), MAX (below, 0));
  mark->x0 += dx;
  mark->x1 += dx;
  mark->y0 += dy;
  mark->y1 += dy;
}

/**
 * prism_canvas_marks_drag:
 * @self: a canvas whose drag belongs to a mark
 * @frame: where the image lies
 * @x: where the pointer is, in logical pixels
 * @y: where
 *
 * Moves the end, or all, of the mark along.
 */
void
prism_canvas_marks_drag (PrismCanvas *self,
                         const PrismFrame *frame,
                         double x,
                         double y)
{
  PrismMark mark = self->mark_before;
  int column;
  int row;

  if (get_held (self) == NULL)
    return;
  prism_frame_get_pixel (frame, x, y, &column, &row);
  if (self->grip == GRIP_FIRST)
    {
      mark.x0 = column;
      mark.y0 = row;
      clamp_mark (&mark, frame);
    }
  else if (self->grip == GRIP_SECOND)
    {
      mark.x1 = column;
      mark.y1 = row;
      clamp_mark (&mark, frame);
    }
  else
    shift_within (&mark, frame, column - self->mark_x, row - self->mark_y);
  prism_mark_book_replace (self->book, &mark);
}

/**
 * prism_canvas_marks_release:
 * @self: a canvas
 *
 * Ends what pointer or key has done with it. A click draws nothing.
 */
void
prism_canvas_marks_release (PrismCanvas *self)
{
  const PrismMark *held = get_held (self);

  if (self->book == NULL)
    return;
  if (self->grip != GRIP_NONE && self->mark_made && held != NULL && held->x0 == held->x1
      && held->y0 == held->y1)
    prism_mark_book_remove (self->book);
  self->grip = GRIP_NONE;
  prism_mark_book_end_drag (self->book);
}

/**
 * prism_canvas_marks_get_end:
 * @self: a canvas
 * @x: (out): column where the mark ends that keys draw
 * @y: (out): row
 *
 * Returns: whether there is one: it is held, and of the tool
 */
gboolean
prism_canvas_marks_get_end (PrismCanvas *self,
                            int *x,
                            int *y)
{
  const PrismMark *held = get_held (self);

  if (held == NULL || held->kind != self->book->tool)
    return FALSE;
  *x = held->x1;
  *y = held->y1;
  return TRUE;
}

/**
 * prism_canvas_marks_stretch:
 * @self: a canvas
 * @from_x: column where the keyboard was
 * @from_y: row
 * @x: column where it is now
 * @y: row
 *
 * Draws with the tool by keys: the mark that ends where the keyboard was gets another end, or a new
 * one begins there. All that a key does until it is released is one change.
 *
 * Returns: whether a tool is chosen
 */
gboolean
prism_canvas_marks_stretch (PrismCanvas *self,
                            int from_x,
                            int from_y,
                            int x,
                            int y)
{
  int end_x, end_y;
  PrismMark mark;

  if (self->book == NULL || self->book->tool == PRISM_MARK_BOOK_NO_TOOL)
    return FALSE;
  self->book->dragging = TRUE;
  if ((!prism_canvas_marks_get_end (self, &end_x, &end_y) || end_x != from_x || end_y != from_y)
      && !begin_new (self, from_x, from_y))
    return TRUE;
  mark = *prism_mark_book_get_held (self->book);
  mark.x1 = x;
  mark.y1 = y;
  prism_mark_book_replace (self->book, &mark);
  return TRUE;
}

/**
 * prism_canvas_marks_nudge:
 * @self: a canvas
 * @dx: columns
 * @dy: rows
 *
 * Moves the mark that is held, as one change until the key is released.
 *
 * Returns: whether there is one
 */
gboolean
prism_canvas_marks_nudge (PrismCanvas *self,
                          int dx,
                          int dy)
{
  const PrismMark *held = get_held (self);
  PrismFrame frame;
  PrismMark mark;

  if (held == NULL || !prism_canvas_get_frame (self, &frame))
    return FALSE;
  mark = *held;
  shift_within (&mark, &frame, dx, dy);
  self->book->dragging = TRUE;
  prism_mark_book_replace (self->book, &mark);
  return TRUE;
}

/**
 * prism_canvas_marks_remove:
 * @self: a canvas
 *
 * Removes the mark that is held.
 *
 * Returns: whether there was one
 */
gboolean
prism_canvas_marks_remove (PrismCanvas *self)
{

  return get_held (self) != NULL && prism_mark_book_remove (self->book);
}

/**
 * prism_canvas_marks_let_go:
 * @self: a canvas
 *
 * Puts the tool away, or else lets go of the mark that is held.
 *
 * Returns: whether there was either
 */
gboolean
prism_canvas_marks_let_go (PrismCanvas *self)
{

  if (self->book == NULL)
    return FALSE;
  if (self->book->tool != PRISM_MARK_BOOK_NO_TOOL)
    {
      prism_mark_book_set_tool (self->book, PRISM_MARK_BOOK_NO_TOOL);
      return TRUE;
    }
  if (get_held (self) == NULL)
    return FALSE;
  prism_mark_book_select (self->book, -1);
  return TRUE;
}

/**
 * prism_canvas_marks_draw:
 * @self: a canvas
 * @paint: where
 * @frame: where the image lies there
 * @held: whether the one that is held has grips
 *
 * Paints the marks over the image.
 */
void
prism_canvas_marks_draw (PrismCanvas *self,
                         PrismPaint *paint,
                         const PrismFrame *frame,
                         gboolean held)
{

  if (self->book != NULL)
    prism_mark_draw_list (paint, frame, self->book->marks, self->camera,
                          held ? self->book->selected : -1, self->metres);
}

/**
 * prism_canvas_marks_snapshot:
 * @self: a canvas
 * @snapshot: of the widget
 * @frame: where the image lies
 *
 * Adds the marks to what the screen shows. They are painted apart from the picture, which a drag
 * leaves as it is.
 */
void
prism_canvas_marks_snapshot (PrismCanvas *self,
                             GtkSnapshot *snapshot,
                             const PrismFrame *frame)
{
  PrismPaint paint;
  cairo_t *cr;

  if (self->book == NULL || self->book->marks->len == 0)
    return;
  cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, frame->area_width, frame->area_height));
  prism_paint_init_widget (&paint, GTK_WIDGET (self), cr);
  prism_canvas_marks_draw (self, &paint, frame, TRUE);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
}

/**
 * prism_canvas_set_marks:
 * @self: a canvas
 * @book: marks, perhaps shared with others
 * @camera: whether the image is what the camera sees
 *
 * Shows these marks and lets pointer and keys draw and change them.
 */
void
prism_canvas_set_marks (PrismCanvas *self,
                        PrismMarkBook *book,
                        gboolean camera)
{

  g_return_if_fail (self->book == NULL);

  self->book = g_object_ref (book);
  self->camera = camera;
  PRISM_CONNECT (book, "changed", gtk_widget_queue_draw, self);
}

/* Where the image lies in the canvas, and what of it is pointed at. */

#define MAX_SCALE 160

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
  prism_frame_set_view (frame, self->viewport->zoom,
                        self->viewport->center_x,
                        self->viewport->center_y,
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
  double center_x = self->viewport->center_x;
  double center_y = self->viewport->center_y;
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
  const double original = 1.0 / gtk_widget_get_scale_factor (GTK_WIDGET (self));
  PrismFrame frame;
  double scale;
  double x, y;

  if (!prism_canvas_get_frame (self, &frame))
    return;
  scale = CLAMP (frame.scale * factor, MIN (frame.fit, original), MAX (frame.fit, MAX_SCALE));
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
