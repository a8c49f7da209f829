#include "config.h"

#include "support/prism-paint-widget.h"

static PrismColor
get_color (const GdkRGBA *rgba)
{
  return (PrismColor) { rgba->red, rgba->green, rgba->blue, rgba->alpha };
}

/**
 * prism_paint_init_widget:
 * @self: (out caller-allocates): a painter
 * @widget: whose font and colours to take
 * @cr: (transfer none): where to paint
 *
 * Begins to paint a widget; prism_paint_finish() ends it.
 */
void
prism_paint_init_widget (PrismPaint *self,
                         GtkWidget *widget,
                         cairo_t *cr)
{
  GtkStyleContext *style = gtk_widget_get_style_context (widget);
  PrismColor foreground;
  PrismColor accent;
  GdkRGBA rgba;

  gtk_style_context_get_color (style, &rgba);
  foreground = get_color (&rgba);
  if (!gtk_style_context_lookup_color (style, "accent_color", &rgba))
    gtk_style_context_get_color (style, &rgba);
  accent = get_color (&rgba);
  prism_paint_init (self, cr, gtk_widget_create_pango_layout (widget, NULL), &foreground, &accent);
}
