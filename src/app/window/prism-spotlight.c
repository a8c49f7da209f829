#include "config.h"

#include "window/prism-spotlight.h"

#include "support/prism-class.h"

/* Of the height: what is pointed at has room in it. */
#define RADIUS (1.0 / 9)
#define RING_WIDTH 3
/* After which the ring is small again. */
#define REST 1200 /* ms */

struct _PrismSpotlight
{
  GtkWidget parent_instance;

  gboolean active;
  gboolean moving;
  double x; /* px, NAN before the pointer has moved */
  double y;
  int width;
  int height;
  guint rest_id;
};

G_DEFINE_FINAL_TYPE (PrismSpotlight, prism_spotlight, GTK_TYPE_WIDGET)

static void
on_rest (PrismSpotlight *self)
{
  self->moving = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
update_active (PrismSpotlight *self)
{
  self->moving = FALSE;
  self->x = self->y = NAN;
  g_clear_handle_id (&self->rest_id, g_source_remove);
  gtk_widget_set_visible (GTK_WIDGET (self), self->active);
}

static void
prism_spotlight_snapshot (GtkWidget *widget,
                          GtkSnapshot *snapshot)
{
  PrismSpotlight *self = PRISM_SPOTLIGHT (widget);
  static const GdkRGBA yellow = { 1, 0.82, 0.1, 0.95 };
  const GdkRGBA colors[] = { yellow, yellow, yellow, yellow };
  const float widths[] = { RING_WIDTH, RING_WIDTH, RING_WIDTH, RING_WIDTH };
  GskRoundedRect ring;
  double x, y, radius;

  if (!prism_spotlight_get_point (self, &x, &y, &radius))
    return;
  radius /= self->moving ? 1 : 3;
  gsk_rounded_rect_init_from_rect (
      &ring, &GRAPHENE_RECT_INIT (x - radius, y - radius, 2 * radius, 2 * radius), radius);
  gtk_snapshot_append_border (snapshot, &ring, widths, colors);
}

static void
prism_spotlight_size_allocate (GtkWidget *widget,
                               int width,
                               int height,
                               int baseline)
{
  PrismSpotlight *self = PRISM_SPOTLIGHT (widget);

  if (width == self->width && height == self->height)
    return;
  self->width = width;
  self->height = height;
  g_signal_emit_by_name (self, "resized");
}

static void
prism_spotlight_class_init (PrismSpotlightClass *klass)
{
  PRISM_DISPOSE (klass, PrismSpotlight, g_source_remove, rest_id);
  GTK_WIDGET_CLASS (klass)->snapshot = prism_spotlight_snapshot;
  GTK_WIDGET_CLASS (klass)->size_allocate = prism_spotlight_size_allocate;
  /* In the middle of a layout. */
  prism_signal_new (klass, "resized", 0);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass),
                                        GTK_ACCESSIBLE_ROLE_PRESENTATION);
  PRISM_FIELD (klass, PrismSpotlight, active, G_TYPE_BOOLEAN, update_active);
}

static void
prism_spotlight_init (PrismSpotlight *self)
{
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  update_active (self);
}

/**
 * prism_spotlight_move:
 * @self: a spotlight
 * @x: of the pointer, in its own coordinates
 * @y: of the pointer
 *
 * Follows the pointer; nothing while it is not active.
 */
void
prism_spotlight_move (PrismSpotlight *self,
                      double x,
                      double y)
{
  gboolean first = isnan (self->x);

  if (!self->active || (x == self->x && y == self->y))
    return;
  self->x = x;
  self->y = y;
  /* The first place is where the pointer happens to be. */
  if (first)
    return;
  self->moving = TRUE;
  prism_later (&self->rest_id, REST, on_rest, self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * prism_spotlight_get_point:
 * @self: a spotlight
 * @x: (out): what it points at
 * @y: (out): what it points at
 * @radius: (out): of what it rings
 *
 * Units: px.
 *
 * Returns: whether it points at something
 */
gboolean
prism_spotlight_get_point (PrismSpotlight *self,
                           double *x,
                           double *y,
                           double *radius)
{
  *x = self->x;
  *y = self->y;
  *radius = RADIUS * gtk_widget_get_height (GTK_WIDGET (self));
  return self->active && !isnan (self->x);
}
