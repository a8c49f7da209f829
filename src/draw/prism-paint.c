#include "config.h"

#include "prism-paint.h"

#include "base/prism-error.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#define FIGURE_FONT "Cantarell, Noto Sans, DejaVu Sans, Sans 9px"

/**
 * prism_color_get_luminance:
 * @self: a colour
 *
 * Returns: how bright it looks, 0…1
 */
double
prism_color_get_luminance (const PrismColor *self)
{
  return 0.2126 * self->red + 0.7152 * self->green + 0.0722 * self->blue;
}

/**
 * prism_color_unpack:
 * @pixel: as cairo's RGB24 and ARGB32 have it
 *
 * Returns: the colour, opaque
 */
PrismColor
prism_color_unpack (guint32 pixel)
{
  return (PrismColor) { (pixel >> 16 & 255) / 255.0f, (pixel >> 8 & 255) / 255.0f,
                        (pixel & 255) / 255.0f, 1 };
}

/**
 * prism_paint_init:
 * @self: (out caller-allocates): a painter
 * @cr: (transfer none): where to paint
 * @layout: (transfer full): with the font
 * @foreground: colour of text and lines
 * @accent: colour of what matters
 *
 * Begins to paint in a given style; prism_paint_finish() ends it.
 */
void
prism_paint_init (PrismPaint *self,
                  cairo_t *cr,
                  PangoLayout *layout,
                  const PrismColor *foreground,
                  const PrismColor *accent)
{
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  *self = (PrismPaint) { .cr = cr, .layout = layout, .foreground = *foreground, .accent = *accent };
  self->dark = prism_color_get_luminance (foreground) > 0.5;
  /* In a language from right to left, too, what has no letters runs to the right: pictures and
   * charts are not mirrored, and a number would be read from its end. */
  pango_context_set_base_dir (pango_layout_get_context (layout), PANGO_DIRECTION_LTR);
  pango_layout_context_changed (layout);
  /* Figures of equal width: numbers that change do not dance. */
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum"));
  pango_layout_set_attributes (layout, attributes);
  prism_paint_set_font (self, 1, FALSE);
}

/**
 * prism_paint_init_figure:
 * @self: (out caller-allocates): a painter
 * @cr: (transfer none): where to paint, in points
 * @dark: light text on a dark page
 *
 * Begins to paint a figure; prism_paint_finish() ends it.
 */
void
prism_paint_init_figure (PrismPaint *self,
                         cairo_t *cr,
                         gboolean dark)
{
  static const PrismColor foregrounds[] = { { 0.12, 0.12, 0.12, 1 }, { 0.93, 0.93, 0.93, 1 } };
  static const PrismColor accents[] = { { 0.110, 0.443, 0.847, 1 }, { 0.471, 0.682, 0.929, 1 } };
  PangoFontDescription *font = pango_font_description_from_string (FIGURE_FONT);
  PangoLayout *layout = pango_cairo_create_layout (cr);

  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  prism_paint_init (self, cr, layout, &foregrounds[dark != 0], &accents[dark != 0]);
  self->figure = TRUE;
}

/**
 * prism_paint_finish:
 * @self: a painter
 *
 * Frees what it holds; cr stays the caller's.
 */
void
prism_paint_finish (PrismPaint *self)
{
  g_clear_object (&self->layout);
}

static PangoFontDescription *
dup_base_font (PrismPaint *self)
{
  PangoFontDescription *font = g_object_get_data (G_OBJECT (self->layout), "base-font");

  if (font == NULL)
    {
      const PangoFontDescription *own = pango_layout_get_font_description (self->layout);

      if (own == NULL)
        own = pango_context_get_font_description (pango_layout_get_context (self->layout));
      font = pango_font_description_copy (own);
      g_object_set_data_full (G_OBJECT (self->layout), "base-font", font,
                              (GDestroyNotify) pango_font_description_free);
    }
  return pango_font_description_copy (font);
}

/**
 * prism_paint_set_family:
 * @self: a painter
 * @family: name of a font, or several of which the first is taken that is there
 *
 * Paints texts with another font of the same size from now on.
 */
void
prism_paint_set_family (PrismPaint *self,
                        const char *family)
{
  PangoFontDescription *font = dup_base_font (self);

  pango_font_description_set_family (font, family);
  g_object_set_data_full (G_OBJECT (self->layout), "base-font", font,
                          (GDestroyNotify) pango_font_description_free);
  prism_paint_set_font (self, 1, FALSE);
}

/**
 * prism_paint_set_font:
 * @self: a painter
 * @size: size in units of the size that the widget or figure has
 * @bold: whether bold
 *
 * Chooses the font of the next texts.
 */
void
prism_paint_set_font (PrismPaint *self,
                      double size,
                      gboolean bold)
{
  PangoFontDescription *font = dup_base_font (self);
  int height;

  if (pango_font_description_get_size_is_absolute (font))
    pango_font_description_set_absolute_size (font, size * pango_font_description_get_size (font));
  else
    pango_font_description_set_size (font, (int) (size * pango_font_description_get_size (font)));
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (self->layout, font);
  pango_font_description_free (font);

  pango_layout_set_text (self->layout, "0", 1);
  pango_layout_get_size (self->layout, NULL, &height);
  self->line_height = height / (double) PANGO_SCALE;
}

/**
 * prism_paint_set_color:
 * @self: a painter
 * @color: a colour
 * @alpha: of the alpha that it has, 0 invisible … 1 full
 *
 * Paints with it from now on.
 */
void
prism_paint_set_color (PrismPaint *self,
                       const PrismColor *color,
                       double alpha)
{
  cairo_set_source_rgba (self->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/**
 * prism_paint_set_alpha:
 * @self: a painter
 * @alpha: 0 invisible … 1 full
 *
 * Paints with the foreground from now on.
 */
void
prism_paint_set_alpha (PrismPaint *self,
                       double alpha)
{
  prism_paint_set_color (self, &self->foreground, alpha);
}

/**
 * prism_paint_snap:
 * @x: a place
 *
 * Returns: the middle of its pixel, where a line of one pixel is sharp
 */
double
prism_paint_snap (double x)
{
  return floor (x) + 0.5;
}

/**
 * prism_paint_stroke:
 * @self: a paint
 * @color: of the line
 * @alpha: from 0 to 1
 * @width: of the line, in pixels
 *
 * Draws the path that there is.
 */
void
prism_paint_stroke (PrismPaint *self,
                    const PrismColor *color,
                    double alpha,
                    double width)
{
  prism_paint_set_color (self, color, alpha);
  cairo_set_line_width (self->cr, width);
  cairo_stroke (self->cr);
}

/**
 * prism_paint_draw_line:
 * @self: a painter
 * @x: where it begins
 * @y: where it begins
 * @dx: how far it goes
 * @dy: how far it goes
 * @alpha: of the foreground, 0…1
 *
 * Paints a line one pixel wide, in the dashes that are set.
 */
void
prism_paint_draw_line (PrismPaint *self,
                       double x,
                       double y,
                       double dx,
                       double dy,
                       double alpha)
{
  cairo_new_path (self->cr); /* text leaves a current point */
  cairo_move_to (self->cr, x, y);
  cairo_rel_line_to (self->cr, dx, dy);
  prism_paint_stroke (self, &self->foreground, alpha, 1);
}

/**
 * prism_paint_add_round:
 * @self: a painter
 * @x: left edge
 * @y: top edge
 * @width: of the rectangle
 * @height: of the rectangle
 * @radius: of its corners
 *
 * Adds a rectangle with round corners to the path.
 */
void
prism_paint_add_round (PrismPaint *self,
                       double x,
                       double y,
                       double width,
                       double height,
                       double radius)
{
  cairo_new_sub_path (self->cr);
  for (int corner = 0; corner < 4; corner++)
    cairo_arc (self->cr, corner == 0 || corner == 3 ? x + width - radius : x + radius,
               corner >= 2 ? y + radius : y + height - radius, radius, corner * G_PI / 2,
               (corner + 1) * G_PI / 2);
  cairo_close_path (self->cr);
}

/**
 * prism_paint_add_polygon:
 * @self: a painter
 * @x: middle
 * @y: middle
 * @size: of a unit of the corners
 * @corners: from the middle; none for a circle of radius 1
 * @n_corners: how many
 *
 * Adds a shape to the path.
 */
void
prism_paint_add_polygon (PrismPaint *self,
                         double x,
                         double y,
                         double size,
                         const double (*corners)[2],
                         guint n_corners)
{
  cairo_new_sub_path (self->cr);
  if (n_corners == 0)
    cairo_arc (self->cr, x, y, size, 0, 2 * G_PI);
  for (guint i = 0; i < n_corners; i++)
    cairo_line_to (self->cr, x + size * corners[i][0], y + size * corners[i][1]);
  if (n_corners > 2)
    cairo_close_path (self->cr);
}

/**
 * prism_paint_measure:
 * @self: a painter
 * @text: a line
 * @width: (out) (optional): its width
 * @height: (out) (optional): its height
 *
 * Measures a text in the font that is set.
 */
void
prism_paint_measure (PrismPaint *self,
                     const char *text,
                     double *width,
                     double *height)
{
  int w;
  int h;

  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_size (self->layout, &w, &h);
  if (width != NULL)
    *width = w / (double) PANGO_SCALE;
  if (height != NULL)
    *height = h / (double) PANGO_SCALE;
}

/**
 * prism_paint_draw_text:
 * @self: a painter
 * @text: a line
 * @x: anchor
 * @y: anchor
 * @align_x: 0 starts at the anchor, 0.5 is centred on it, 1 ends there
 * @align_y: 0 lies below the anchor, 1 above
 *
 * Paints a text in the colour that is set.
 */
void
prism_paint_draw_text (PrismPaint *self,
                       const char *text,
                       double x,
                       double y,
                       double align_x,
                       double align_y)
{
  double width;
  double height;

  prism_paint_measure (self, text, &width, &height);
  cairo_move_to (self->cr, x - align_x * width, y - align_y * height);
  pango_cairo_show_layout (self->cr, self->layout);
}

/**
 * prism_paint_draw_text_within:
 * @self: a painter
 * @text: a line
 * @x: as prism_paint_draw_text()
 * @y: as there
 * @align_x: as there
 * @room: that it may take, beyond which its end is cut
 *
 * Paints a text below its anchor that may be too long.
 */
void
prism_paint_draw_text_within (PrismPaint *self,
                              const char *text,
                              double x,
                              double y,
                              double align_x,
                              double room)
{
  pango_layout_set_ellipsize (self->layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_width (self->layout, (int) (MAX (room, 0) * PANGO_SCALE));
  prism_paint_draw_text (self, text, x, y, align_x, 0);
  pango_layout_set_width (self->layout, -1);
  pango_layout_set_ellipsize (self->layout, PANGO_ELLIPSIZE_NONE);
}

/**
 * prism_paint_draw_text_up:
 * @self: a painter
 * @text: a line
 * @x: left edge
 * @y: middle
 *
 * Paints a text that reads from bottom to top, for the title of a vertical axis.
 */
void
prism_paint_draw_text_up (PrismPaint *self,
                          const char *text,
                          double x,
                          double y)
{
  double width;

  prism_paint_measure (self, text, &width, NULL);
  cairo_save (self->cr);
  cairo_translate (self->cr, x, y + width / 2);
  cairo_rotate (self->cr, -G_PI / 2);
  cairo_move_to (self->cr, 0, 0);
  pango_cairo_show_layout (self->cr, self->layout);
  cairo_restore (self->cr);
}

/**
 * prism_paint_draw_wrapped:
 * @self: a painter
 * @text: a paragraph
 * @x: left edge
 * @y: top edge
 * @width: of a line
 * @draw: whether to draw it, or only to measure
 *
 * Paints a text in as many lines as it needs.
 *
 * Returns: its height
 */
double
prism_paint_draw_wrapped (PrismPaint *self,
                          const char *text,
                          double x,
                          double y,
                          double width,
                          gboolean draw)
{
  g_autoptr (PangoLayout) layout = pango_layout_copy (self->layout);
  int height;

  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, NULL, &height);
  if (draw)
    {
      cairo_move_to (self->cr, x, y);
      pango_cairo_show_layout (self->cr, layout);
      cairo_new_path (self->cr);
    }
  return height / (double) PANGO_SCALE;
}

/**
 * prism_paint_draw_patch:
 * @self: a painter
 * @x: left edge
 * @y: top edge
 * @width: of the patch
 * @height: of the patch
 *
 * Darkens a rectangle with round corners, for light text on an image.
 */
void
prism_paint_draw_patch (PrismPaint *self,
                        double x,
                        double y,
                        double width,
                        double height)
{
  prism_paint_add_round (self, x, y, width, height, 4);
  cairo_set_source_rgba (self->cr, 0.04, 0.04, 0.06, 0.62);
  cairo_fill (self->cr);
}

/**
 * prism_paint_set_pixels:
 * @cr: whose source becomes the pixels; one of its units is one of them
 * @surface: pixels, the first at the origin; those at the edges go on outside
 * @filter: between pixels
 *
 * Is cairo_set_source_surface() with a filter. cairo_get_source() would make a pattern that nobody
 * frees where @cr is in an error, as for a page that is too large.
 */
void
prism_paint_set_pixels (cairo_t *cr,
                        cairo_surface_t *surface,
                        cairo_filter_t filter)
{
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface (surface);

  cairo_pattern_set_filter (pattern, filter);
  cairo_pattern_set_extend (pattern, CAIRO_EXTEND_PAD);
  cairo_set_source (cr, pattern);
  cairo_pattern_destroy (pattern);
}

/**
 * prism_paint_surface:
 * @cr: where to
 * @surface: an image
 * @x: left edge of where it comes
 * @y: top edge
 * @width: over which it is spread
 * @height: over which it is spread
 *
 * Paints all of an image, its pixels with sharp edges.
 */
void
prism_paint_surface (cairo_t *cr,
                     cairo_surface_t *surface,
                     double x,
                     double y,
                     double width,
                     double height)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, width / cairo_image_surface_get_width (surface),
               height / cairo_image_surface_get_height (surface));
  prism_paint_set_pixels (cr, surface, CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
}

/**
 * prism_byte_sink_write:
 * @bytes: a GByteArray
 * @data: (array length=length): what comes next
 * @length: of @data
 *
 * Appends to an array; for cairo's streams.
 *
 * Returns: CAIRO_STATUS_SUCCESS
 */
cairo_status_t
prism_byte_sink_write (void *bytes,
                       const unsigned char *data,
                       unsigned int length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/**
 * prism_page_new:
 * @name: ends in .svg, .pdf, or else it is a PNG
 * @width: in points
 * @height: in points
 * @scale: pixels of a PNG per point
 * @transparent: whether a PNG has no ground of its own
 * @bytes: of the file, complete after prism_page_finish()
 *
 * Returns: (transfer full): where to draw, in points
 */
cairo_surface_t *
prism_page_new (const char *name,
                double width,
                double height,
                double scale,
                gboolean transparent,
                GByteArray *bytes)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  cairo_surface_t *page;

  if (g_str_has_suffix (lower, ".svg"))
    {
      page = cairo_svg_surface_create_for_stream (prism_byte_sink_write, bytes, width, height);
      cairo_svg_surface_set_document_unit (page, CAIRO_SVG_UNIT_PT);
    }
  else if (g_str_has_suffix (lower, ".pdf"))
    {
      page = cairo_pdf_surface_create_for_stream (prism_byte_sink_write, bytes, width, height);
      cairo_pdf_surface_set_metadata (page, CAIRO_PDF_METADATA_CREATOR, "PRISM Studio");
    }
  else
    {
      page = cairo_image_surface_create (transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                         (int) ceil (width * scale), (int) ceil (height * scale));
      cairo_surface_set_device_scale (page, scale, scale);
    }
  return page;
}

/**
 * prism_page_finish:
 * @page: (transfer full): of prism_page_new()
 * @bytes: the same
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether the bytes are those of a file
 */
gboolean
prism_page_finish (cairo_surface_t *page,
                   GByteArray *bytes,
                   GError **error)
{
  cairo_status_t status = cairo_surface_status (page);

  if (status == CAIRO_STATUS_SUCCESS && cairo_surface_get_type (page) == CAIRO_SURFACE_TYPE_IMAGE)
    status = cairo_surface_write_to_png_stream (page, prism_byte_sink_write, bytes);
  cairo_surface_finish (page);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (page);
  cairo_surface_destroy (page);
  if (status != CAIRO_STATUS_SUCCESS)
    return prism_error_memory (
        error, _ ("The figure could not be made: %s. Choose a smaller size or resolution."),
        cairo_status_to_string (status));
  return TRUE;
}

/**
 * prism_frame_init:
 * @self: (out caller-allocates): a frame
 * @area_width: of the view
 * @area_height: of the view
 * @image_width: of the image
 * @image_height: of the image
 *
 * Fits the whole image into the middle of the area.
 *
 * Units: logical pixels for the area, pixels for the image.
 */
void
prism_frame_init (PrismFrame *self,
                  double area_width,
                  double area_height,
                  int image_width,
                  int image_height)
{
  *self = (PrismFrame) {
    .area_width = area_width,
    .area_height = area_height,
    .image_width = MAX (image_width, 1),
    .image_height = MAX (image_height, 1),
  };
  self->fit = MAX (MIN (area_width / self->image_width, area_height / self->image_height), 1e-6);
  prism_frame_set_view (self, 1, 0.5, 0.5, 1);
}

/* An image smaller than the area is centred, a larger one leaves no gap at its edges. */
static double
place_axis (double area,
            double length,
            double center,
            double device_scale)
{
  double start = length <= area
                     ? (area - length) / 2
                     : CLAMP (area / 2 - center * length, area - length, 0.0);

  return round (start * device_scale) / device_scale;
}

/**
 * prism_frame_set_view:
 * @self: a frame
 * @zoom: scale in units of the one that fits
 * @center_x: column in the middle of the area, divided by the width of the image
 * @center_y: row in the middle of the area, divided by the height of the image
 * @device_scale: device pixels per logical pixel
 *
 * Places the image; its corner falls on a device pixel.
 */
void
prism_frame_set_view (PrismFrame *self,
                      double zoom,
                      double center_x,
                      double center_y,
                      double device_scale)
{
  self->device_scale = device_scale;
  self->scale = self->fit * zoom;
  self->x0 = place_axis (self->area_width, self->scale * self->image_width, center_x, device_scale);
  self->y0 = place_axis (self->area_height, self->scale * self->image_height, center_y,
                         device_scale);
}

/**
 * prism_frame_get_pixel:
 * @self: a frame
 * @area_x: position in the area
 * @area_y: position in the area
 * @x: (out): column of the image
 * @y: (out): row of the image
 *
 * Finds the pixel below a point.
 *
 * Returns: whether the point lies on the image
 */
gboolean
prism_frame_get_pixel (const PrismFrame *self,
                       double area_x,
                       double area_y,
                       int *x,
                       int *y)
{
  *x = (int) floor ((area_x - self->x0) / self->scale);
  *y = (int) floor ((area_y - self->y0) / self->scale);
  return *x >= 0 && *y >= 0 && *x < self->image_width && *y < self->image_height;
}
