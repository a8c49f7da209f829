#include "config.h"

#include "canvas/prism-viewport.h"

#include <math.h>

struct _PrismViewport
{
  GObject parent_instance;

  double zoom;     /* 1 shows the whole image */
  double center_x; /* 0…1 */
  double center_y;
  double cursor_x; /* 0…1, NAN without a cursor */
  double cursor_y;
};

enum
{
  CHANGED,
  CURSOR_MOVED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismViewport, prism_viewport, G_TYPE_OBJECT)

static void
prism_viewport_class_init (PrismViewportClass *klass)
{
  signals[CHANGED] = g_signal_new ("changed", PRISM_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CURSOR_MOVED] = g_signal_new ("cursor-moved", PRISM_TYPE_VIEWPORT, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
prism_viewport_init (PrismViewport *self)
{
  self->zoom = 1;
  self->center_x = self->center_y = 0.5;
  self->cursor_x = self->cursor_y = NAN;
}

/**
 * prism_viewport_new:
 *
 * A viewport that shows the whole image.
 *
 * Returns: (transfer full): the viewport
 */
PrismViewport *
prism_viewport_new (void)
{
  return g_object_new (PRISM_TYPE_VIEWPORT, NULL);
}

/**
 * prism_viewport_set_view:
 * @self: a viewport
 * @zoom: scale in units of the one that shows the whole image
 * @center_x: column in the middle of the view, divided by the width of the image
 * @center_y: row in the middle of the view, divided by the height of the image
 *
 * Zooms and moves all views that share the viewport, and emits "changed".
 */
void
prism_viewport_set_view (PrismViewport *self,
                         double zoom,
                         double center_x,
                         double center_y)
{
  g_return_if_fail (PRISM_IS_VIEWPORT (self));
  g_return_if_fail (isfinite (zoom) && isfinite (center_x) && isfinite (center_y));

  zoom = CLAMP (zoom, PRISM_VIEWPORT_MIN_ZOOM, PRISM_VIEWPORT_MAX_ZOOM);
  center_x = CLAMP (center_x, 0.0, 1.0);
  center_y = CLAMP (center_y, 0.0, 1.0);
  if (zoom == self->zoom && center_x == self->center_x && center_y == self->center_y)
    return;

  self->zoom = zoom;
  self->center_x = center_x;
  self->center_y = center_y;
  g_signal_emit (self, signals[CHANGED], 0);
}

/**
 * prism_viewport_reset:
 * @self: a viewport
 *
 * Shows the whole image again.
 */
void
prism_viewport_reset (PrismViewport *self)
{
  prism_viewport_set_view (self, 1, 0.5, 0.5);
}

/**
 * prism_viewport_get_zoom:
 * @self: a viewport
 *
 * Returns: the scale in units of the one that shows the whole image
 */
double
prism_viewport_get_zoom (PrismViewport *self)
{
  return self->zoom;
}

/**
 * prism_viewport_get_x:
 * @self: a viewport
 *
 * Returns: the column in the middle, divided by the width of the image
 */
double
prism_viewport_get_x (PrismViewport *self)
{
  return self->center_x;
}

/**
 * prism_viewport_get_y:
 * @self: a viewport
 *
 * Returns: the row in the middle, divided by the height of the image
 */
double
prism_viewport_get_y (PrismViewport *self)
{
  return self->center_y;
}

static void
move_cursor (PrismViewport *self,
             double x,
             double y)
{
  gboolean had = !isnan (self->cursor_x);

  if (had ? x == self->cursor_x && y == self->cursor_y : isnan (x))
    return;
  self->cursor_x = x;
  self->cursor_y = y;
  g_signal_emit (self, signals[CURSOR_MOVED], 0);
}

/**
 * prism_viewport_set_cursor:
 * @self: a viewport
 * @x: column divided by the width of the image
 * @y: row divided by the height of the image
 *
 * Points at a place in all views that share the viewport, and emits "cursor-moved".
 */
void
prism_viewport_set_cursor (PrismViewport *self,
                           double x,
                           double y)
{
  g_return_if_fail (PRISM_IS_VIEWPORT (self));
  g_return_if_fail (isfinite (x) && isfinite (y));

  move_cursor (self, x, y);
}

/**
 * prism_viewport_clear_cursor:
 * @self: a viewport
 *
 * Points at nothing any more.
 */
void
prism_viewport_clear_cursor (PrismViewport *self)
{
  g_return_if_fail (PRISM_IS_VIEWPORT (self));

  move_cursor (self, NAN, NAN);
}

/**
 * prism_viewport_get_cursor:
 * @self: a viewport
 * @x: (out): column divided by the width of the image
 * @y: (out): row divided by the height of the image
 *
 * Returns: whether there is a cursor
 */
gboolean
prism_viewport_get_cursor (PrismViewport *self,
                           double *x,
                           double *y)
{
  *x = self->cursor_x;
  *y = self->cursor_y;
  return !isnan (self->cursor_x);
}
