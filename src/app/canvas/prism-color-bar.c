#include "config.h"

#include "canvas/prism-color-bar.h"

#include "prism-scale.h"
#include "support/prism-widget.h"

#define MIN_HEIGHT 24
/* Tick, gap and "−0.0005" at the caption size. */
#define LABEL_WIDTH 50
/* Of a number of six digits, in sizes of its font. */
#define LABEL_EMS 4.4

struct _PrismColorBar
{
  GtkWidget parent_instance;

  PrismMapping mapping;
  gboolean empty; /* there is nothing whose scale it could be */
  double marker;  /* value under the probe, NAN without */
};

G_DEFINE_FINAL_TYPE (PrismColorBar, prism_color_bar, GTK_TYPE_WIDGET)

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

/* Large text needs more room, and so do small numbers. */
static int
get_label_width (PrismColorBar *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  PangoContext *context = gtk_widget_get_pango_context (widget);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double size = (double) pango_font_description_get_size (font) / PANGO_SCALE;

  if (!pango_font_description_get_size_is_absolute (font))
    size *= pango_cairo_context_get_resolution (context) / 72;
  return (int) prism_color_bar_get_room (&self->mapping,
                                         MAX (LABEL_WIDTH, (int) (LABEL_EMS * size)));
}

static void
prism_color_bar_snapshot (GtkWidget *widget,
                          GtkSnapshot *snapshot)
{
  PrismColorBar *self = PRISM_COLOR_BAR (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, height);
  double bar = width - get_label_width (self) - 6;
  double position = prism_mapping_get_position (&self->mapping, self->marker);
  PrismPaint paint;
  cairo_t *cr;

  if (self->empty || height < MIN_HEIGHT || bar < 2)
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
  PrismColorBar *self = PRISM_COLOR_BAR (widget);

  *minimum = *natural = MIN_HEIGHT;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = self->empty ? 0 : get_label_width (self) + 12 + 6;
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

  prism_widget_set_name (self, self->empty ? _ ("Colour bar, empty") : label);
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
  self->empty = TRUE;
  self->marker = NAN;
  update_label (self);
}

/**
 * prism_color_bar_set_mapping:
 * @self: a colour bar
 * @mapping: (nullable): the scale to show, %NULL for none
 *
 * Shows another scale; a bar without one takes no room.
 */
void
prism_color_bar_set_mapping (PrismColorBar *self,
                             const PrismMapping *mapping)
{
  int before;

  if (self->empty ? mapping == NULL
                  : mapping != NULL && prism_mapping_equal (&self->mapping, mapping))
    return;
  before = self->empty ? 0 : get_label_width (self);
  self->empty = mapping == NULL;
  if (mapping != NULL)
    self->mapping = *mapping;
  if (before != (self->empty ? 0 : get_label_width (self)))
    gtk_widget_queue_resize (GTK_WIDGET (self));
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
  if (value == self->marker || (isnan (value) && isnan (self->marker)))
    return;
  self->marker = value;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Side of a pixel, in logical pixels, from which on a number of four digits fits. */
#define MIN_SCALE 46.0
#define FONT_SIZE 0.75

static gboolean
is_light (PrismPicture *picture,
          int x,
          int y)
{
  cairo_surface_t *surface = picture->surface;
  const unsigned char *row = cairo_image_surface_get_data (surface)
                             + (gsize) y * cairo_image_surface_get_stride (surface);
  guint32 pixel = ((const guint32 *) row)[x];

  return 0.299 * (pixel >> 16 & 0xff) + 0.587 * (pixel >> 8 & 0xff) + 0.114 * (pixel & 0xff) > 128;
}

static void
draw_label (PrismPaint *paint,
            const PrismFrame *frame,
            double value,
            gboolean light,
            int x,
            int y)
{
  double shade = light ? 0 : 1;
  g_autofree char *text = prism_ticks_dup_value (value);

  cairo_set_source_rgba (paint->cr, shade, shade, shade, 0.85);
  prism_paint_draw_text (paint, text, frame->x0 + (x + 0.5) * frame->scale,
                         frame->y0 + (y + 0.5) * frame->scale, 0.5, 0.5);
}

/**
 * prism_pixel_labels_draw:
 * @paint: where
 * @frame: the place of the image
 * @image: the values
 * @reference: (nullable): subtracted from them
 * @picture: the colours below the numbers, of the same size
 *
 * Writes the value into each pixel in sight, dark on light and light on dark, once the view is
 * enlarged enough.
 *
 * Shape: @image and @reference [h][w].
 */
void
prism_pixel_labels_draw (PrismPaint *paint,
                         const PrismFrame *frame,
                         const PrismImage *image,
                         const PrismImage *reference,
                         PrismPicture *picture)
{
  cairo_surface_t *surface = picture->surface;
  int first_x = MAX (0, (int) floor (-frame->x0 / frame->scale));
  int first_y = MAX (0, (int) floor (-frame->y0 / frame->scale));
  int end_x = MIN (image->width, (int) ceil ((frame->area_width - frame->x0) / frame->scale));
  int end_y = MIN (image->height, (int) ceil ((frame->area_height - frame->y0) / frame->scale));

  /* The picture of an earlier image of another size can still be on the screen. */
  if (frame->scale < MIN_SCALE || cairo_image_surface_get_width (surface) != image->width
      || cairo_image_surface_get_height (surface) != image->height)
    return;

  prism_paint_set_font (paint, FONT_SIZE, FALSE);
  for (int y = first_y; y < end_y; y++)
    for (int x = first_x; x < end_x; x++)
      {
        gsize i = (gsize) y * image->width + x;
        double value = image->pixels[i] - (reference == NULL ? 0 : reference->pixels[i]);

        draw_label (paint, frame, value, is_light (picture, x, y), x, y);
      }
  prism_paint_set_font (paint, 1, FALSE);
}

/**
 * prism_readout_show:
 * @label: over a picture
 * @text: (nullable): one or more lines, NULL for none
 *
 * Shows a text, or nothing.
 */
void
prism_readout_show (GtkLabel *label,
                    const char *text)
{
  gtk_label_set_label (label, text == NULL ? "" : text);
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL);
}

/**
 * prism_readout_show_fit:
 * @label: over @picture
 * @text: (nullable): one or more lines, the first of which tells most
 * @picture: what lies below
 *
 * Shows a text; where all of it would hide half of the picture its first line alone.
 */
void
prism_readout_show_fit (GtkLabel *label,
                        const char *text,
                        GtkWidget *picture)
{
  const char *end = text != NULL ? strchr (text, '\n') : NULL;
  int width = gtk_widget_get_width (picture);
  g_autofree char *first = NULL;
  int height;

  prism_readout_show (label, text);
  if (end == NULL || width == 0)
    return;
  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL,
                      NULL);
  if (2 * height <= gtk_widget_get_height (picture))
    return;
  first = g_strndup (text, end - text);
  prism_readout_show (label, first);
}
