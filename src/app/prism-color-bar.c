#include "config.h"

#include "prism-color-bar.h"

#include "prism-ticks.h"

#include <glib/gi18n.h>
#include <math.h>

#define TICK_LENGTH 3
#define GAP 3
#define MIN_HEIGHT 24
/* Wide enough for "−0.0005" at the caption size. */
#define LABEL_WIDTH 44

struct _PrismColorBar
{
  GtkWidget parent_instance;

  PrismMapping mapping;
  double marker; /* value under the probe, NAN without */
};

G_DEFINE_FINAL_TYPE (PrismColorBar, prism_color_bar, GTK_TYPE_WIDGET)

static void
draw_ramp (cairo_t *cr,
           const PrismMapping *mapping,
           double x,
           double y,
           double width,
           double height)
{
  const guint32 *table = prism_colormap_get_table (mapping->colormap);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1,
                                                         PRISM_COLORMAP_SIZE);
  unsigned char *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  if (data != NULL)
    for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
      *(guint32 *) (data + i * stride) = table[PRISM_COLORMAP_SIZE - 1 - i];
  cairo_surface_mark_dirty (surface);

  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, width, height / PRISM_COLORMAP_SIZE);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_surface_destroy (surface);
}

/* The logarithmic stretch is linear at the black end and follows decades above: its ticks are
 * powers of ten where those are apart from each other. */
static void
compute_ticks (const PrismMapping *mapping,
               int max_ticks,
               PrismTicks *ticks)
{
  double range = (double) mapping->white - mapping->black;

  if (mapping->stretch == PRISM_STRETCH_LOG && mapping->black >= 0
      && mapping->black < 0.01 * mapping->white)
    prism_ticks_init_log (ticks, mapping->black + range / mapping->gain, mapping->white, max_ticks);
  else
    prism_ticks_init_linear (ticks, mapping->black, mapping->white, max_ticks);
  ticks->n_minor = 0;
}

/**
 * prism_color_bar_draw:
 * @paint: where
 * @mapping: the scale
 * @x: left edge of the bar
 * @y: top edge
 * @width: of the bar alone; the numbers stand to its right
 * @height: of the bar
 *
 * Paints the bar, white level on top, with numbers that do not overlap.
 */
void
prism_color_bar_draw (PrismPaint *paint,
                      const PrismMapping *mapping,
                      double x,
                      double y,
                      double width,
                      double height)
{
  PrismTicks ticks;
  double previous = G_MAXDOUBLE;
  double spacing = 1.3 * paint->line_height;

  draw_ramp (paint->cr, mapping, x, y, width, height);
  cairo_set_line_width (paint->cr, 1);
  prism_paint_set_alpha (paint, 0.35);
  cairo_rectangle (paint->cr, x - 0.5, y - 0.5, width + 1, height + 1);
  cairo_stroke (paint->cr);

  compute_ticks (mapping, (int) (height / (1.6 * paint->line_height)), &ticks);
  for (int i = 0; i < ticks.n_major; i++)
    {
      double position = prism_mapping_get_position (mapping, ticks.major[i]);
      double tick_y = floor (y + (1 - position) * height) + 0.5;
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);

      if (previous - tick_y < spacing)
        continue;
      previous = tick_y;
      prism_paint_set_alpha (paint, 0.55);
      cairo_move_to (paint->cr, x + width + 0.5, tick_y);
      cairo_rel_line_to (paint->cr, TICK_LENGTH, 0);
      cairo_stroke (paint->cr);
      prism_paint_set_alpha (paint, 0.8);
      prism_paint_draw_text (paint, label, x + width + TICK_LENGTH + GAP,
                             CLAMP (tick_y, y + 0.4 * paint->line_height,
                                    y + height - 0.4 * paint->line_height),
                             0, 0.5);
    }
}

static void
draw_marker (PrismPaint *paint,
             double x,
             double y)
{
  cairo_move_to (paint->cr, x, y);
  cairo_rel_line_to (paint->cr, -5, -4);
  cairo_rel_line_to (paint->cr, 0, 8);
  cairo_close_path (paint->cr);
  prism_paint_set_alpha (paint, 1);
  cairo_fill (paint->cr);
}

static void
prism_color_bar_snapshot (GtkWidget *widget,
                          GtkSnapshot *snapshot)
{
  PrismColorBar *self = PRISM_COLOR_BAR (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, height);
  double bar = width - LABEL_WIDTH - TICK_LENGTH - GAP - 6;
  double position = prism_mapping_get_position (&self->mapping, self->marker);
  PrismPaint paint;
  cairo_t *cr;

  if (height < MIN_HEIGHT || bar < 2)
    return;

  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  prism_paint_init_widget (&paint, widget, cr);
  prism_color_bar_draw (&paint, &self->mapping, 6, 1, bar, height - 2);
  if (!isnan (self->marker))
    draw_marker (&paint, 5, 1 + (1 - position) * (height - 2));
  prism_paint_finish (&paint);
  cairo_destroy (cr);
}

static void
prism_color_bar_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;

  *minimum = *natural = horizontal ? LABEL_WIDTH + 12 + TICK_LENGTH + GAP + 6 : MIN_HEIGHT;
}

static void
update_label (PrismColorBar *self)
{
  g_autofree char *black = prism_ticks_dup_value (self->mapping.black);
  g_autofree char *white = prism_ticks_dup_value (self->mapping.white);
  g_autofree char *label = g_strdup_printf (_ ("Colour bar, %s, %s, from %s to %s"),
                                            prism_colormap_get_label (self->mapping.colormap),
                                            prism_stretch_get_label (self->mapping.stretch), black,
                                            white);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
prism_color_bar_class_init (PrismColorBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = prism_color_bar_snapshot;
  widget_class->measure = prism_color_bar_measure;
  gtk_widget_class_set_css_name (widget_class, "prism-color-bar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
prism_color_bar_init (PrismColorBar *self)
{
  prism_mapping_init (&self->mapping);
  self->marker = NAN;
  update_label (self);
}

/**
 * prism_color_bar_new:
 *
 * Returns: (transfer floating): a colour bar from 0 to 1 in grey
 */
GtkWidget *
prism_color_bar_new (void)
{
  return g_object_new (PRISM_TYPE_COLOR_BAR, NULL);
}

/**
 * prism_color_bar_set_mapping:
 * @self: a colour bar
 * @mapping: the scale to show
 *
 * Shows another scale.
 */
void
prism_color_bar_set_mapping (PrismColorBar *self,
                             const PrismMapping *mapping)
{
  g_return_if_fail (PRISM_IS_COLOR_BAR (self));

  if (prism_mapping_equal (&self->mapping, mapping))
    return;
  self->mapping = *mapping;
  update_label (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * prism_color_bar_set_marker:
 * @self: a colour bar
 * @value: the value to point at, NAN for none
 *
 * Points at the colour of a value.
 */
void
prism_color_bar_set_marker (PrismColorBar *self,
                            double value)
{
  g_return_if_fail (PRISM_IS_COLOR_BAR (self));

  if (value == self->marker || (isnan (value) && isnan (self->marker)))
    return;
  self->marker = value;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
