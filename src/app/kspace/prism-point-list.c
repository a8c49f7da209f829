#include "config.h"

#include "kspace/prism-kspace-edit.h"

#include "support/prism-class.h"

#include "base/prism-error.h"
#include "model/prism-pattern-points.h"

/* Positions per pixel of k-space: finer than a hand is, and short as a text. */
#define DIGITS 100.0
/* No position is longer than "-2048.01, -2048.01; ". */
#define LONGEST_TEXT 24

/**
 * prism_point_list_new:
 *
 * Thread: main, like everything here.
 *
 * Returns: (transfer full): a list without positions
 */
PrismPointList *
prism_point_list_new (void)
{

  return PRISM_NEW (PrismPointList, g_array_new (FALSE, FALSE, sizeof (PrismPoint)),
                    .selected = -1);
}

/**
 * prism_point_list_free:
 * @self: (nullable): a list
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismPointList, prism_point_list_free, g_array_unref, points)

static PrismPoint
round_point (const PrismPointList *self,
             double y,
             double x)
{
  int half = self->image_size / 2;

  /* + 0.0 makes 0 of -0. */
  return (PrismPoint) {
    round (CLAMP (y, -half, half) * DIGITS) / DIGITS + 0.0,
    round (CLAMP (x, -half, half) * DIGITS) / DIGITS + 0.0,
  };
}

/**
 * prism_point_list_set:
 * @self: a list
 * @points: (array length=n_points): positions
 * @n_points: how many
 * @image_size: n
 *
 * Begins with these positions, to a hundredth of a pixel. The same one stays selected.
 *
 * Units: px from the origin of k-space.
 */
void
prism_point_list_set (PrismPointList *self,
                      const PrismPoint *points,
                      guint n_points,
                      int image_size)
{
  self->image_size = image_size;
  g_array_set_size (self->points, 0);
  for (guint i = 0; i < n_points; i++)
    {
      PrismPoint point = round_point (self, points[i].y, points[i].x);

      g_array_append_val (self->points, point);
    }
  if (self->selected >= (int) n_points)
    self->selected = -1;
}

/**
 * prism_point_list_get:
 * @self: a list
 * @i: index, may be the number of positions when there is none to read
 *
 * Returns: (transfer none): position @i and those after it
 */
const PrismPoint *
prism_point_list_get (const PrismPointList *self,
                      guint i)
{
  return &g_array_index (self->points, PrismPoint, i);
}

/**
 * prism_point_list_select:
 * @self: a list
 * @i: index, -1 for none
 *
 * Holds a position.
 */
void
prism_point_list_select (PrismPointList *self,
                         int i)
{
  g_return_if_fail (i >= -1 && i < (int) self->points->len);

  self->selected = i;
}

/**
 * prism_point_list_select_next:
 * @self: a list
 * @direction: 1 for the next, -1 for the one before
 *
 * Holds another position, round about.
 */
void
prism_point_list_select_next (PrismPointList *self,
                              int direction)
{
  int n = (int) self->points->len;

  if (n == 0)
    return;
  if (self->selected < 0)
    self->selected = direction > 0 ? 0 : n - 1;
  else
    self->selected = (self->selected + direction + n) % n;
}

/**
 * prism_point_list_find:
 * @self: a list
 * @y: where
 * @x: where
 * @radius: how near
 *
 * Returns: the index of the nearest position within the radius, -1 for none
 */
int
prism_point_list_find (const PrismPointList *self,
                       double y,
                       double x,
                       double radius)
{
  double least = radius;
  int nearest = -1;

  for (guint i = 0; i < self->points->len; i++)
    {
      const PrismPoint *point = prism_point_list_get (self, i);
      double distance = hypot (point->y - y, point->x - x);

      if (distance > least)
        continue;
      least = distance;
      nearest = (int) i;
    }
  return nearest;
}

/**
 * prism_point_list_add:
 * @self: a list
 * @y: where
 * @x: where
 * @error: return location
 *
 * Adds a position at the end and holds it.
 *
 * Errors: PRISM_ERROR_CONFIG when the list is full.
 *
 * Returns: whether there was room
 */
gboolean
prism_point_list_add (PrismPointList *self,
                      double y,
                      double x,
                      GError **error)
{
  guint most = MIN (PRISM_PATTERN_MAX_POINTS,
                    (guint) prism_config_get_param ("pattern_points")->maximum / LONGEST_TEXT);
  PrismPoint point = round_point (self, y, x);

  if (self->points->len >= most)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("The list is full: it holds %u positions. Remove some first."), most);
      return FALSE;
    }
  g_array_append_val (self->points, point);
  self->selected = (int) self->points->len - 1;
  return TRUE;
}

/**
 * prism_point_list_move:
 * @self: a list
 * @y: where to
 * @x: where to
 *
 * Moves the position that is held, within the field.
 *
 * Returns: whether it is at another place now
 */
gboolean
prism_point_list_move (PrismPointList *self,
                       double y,
                       double x)
{
  PrismPoint point = round_point (self, y, x);
  PrismPoint *held;

  if (self->selected < 0)
    return FALSE;
  held = &g_array_index (self->points, PrismPoint, self->selected);
  if (held->y == point.y && held->x == point.x)
    return FALSE;
  *held = point;
  return TRUE;
}

/**
 * prism_point_list_remove:
 * @self: a list
 *
 * Removes the position that is held. The last one stays: a pattern has at least one.
 *
 * Returns: whether it is gone
 */
gboolean
prism_point_list_remove (PrismPointList *self)
{
  if (self->selected < 0 || self->points->len < 2)
    return FALSE;
  g_array_remove_index (self->points, self->selected);
  self->selected = -1;
  return TRUE;
}

/**
 * prism_point_list_to_text:
 * @self: a list
 *
 * Returns: (transfer full): the value of the parameter pattern_points
 */
char *
prism_point_list_to_text (const PrismPointList *self)
{
  return prism_pattern_points_to_text (prism_point_list_get (self, 0), self->points->len);
}
