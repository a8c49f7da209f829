#include "../engine/support/test-remove-tree.h"
#include "base/prism-error.h"
#include "canvas/prism-image-view.h"
#include "kspace/prism-kspace-view.h"
#include "output/prism-figure.h"
#include "prism-scale.h"
#include "prism-test.h"
#include "widget-test.h"

static gboolean
save_panel (GtkWidget *panel,
            const char *path,
            const PrismFigureOptions *options,
            GError **error)
{
  g_autoptr (GPtrArray) panels = g_ptr_array_new ();

  g_ptr_array_add (panels, panel);
  return prism_figure_save_sheet (&(const PrismFigureSheet) { panels, 1 }, path, options, error);
}

static char *directory;

static char *
dup_path (const char *name)
{
  return g_build_filename (directory, name, NULL);
}

static PrismView *
create_view (void)
{
  PrismView *view = g_object_ref_sink (PRISM_VIEW (g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL)));
  g_autoptr (PrismImage) image = widget_test_create_image (64, 64, NULL);

  /* Columns, as narrow as they can be. */
  for (int i = 0; i < 64 * 64; i++)
    image->pixels[i] = i % 2 == 0 ? 0.25f : 0.75f;
  g_object_set (view, "title", "Columns", "colormap", PRISM_COLORMAP_INFERNO, NULL);
  prism_view_set_image (view, image);
  return view;
}

static PrismChart *
create_chart (void)
{
  PrismChart *chart = g_object_ref_sink (PRISM_CHART (widget_test_new_chart ("Curves")));

  prism_chart_set_axis (chart, PRISM_CHART_LEFT, "left", FALSE, NAN, NAN);
  prism_chart_set_axis (chart, PRISM_CHART_RIGHT, "right", FALSE, 0, 1);
  prism_chart_add_series (chart, "First", PRISM_CHART_LEFT);
  prism_chart_add_series (chart, "Second", PRISM_CHART_RIGHT);
  for (int i = 0; i < 500; i++)
    {
      prism_chart_append (chart, 0, i, sin (0.03 * i));
      prism_chart_append (chart, 1, i, 0.5 + 0.3 * cos (0.02 * i));
    }
  return chart;
}

static char *
save_view (PrismView *view,
           const char *name,
           const PrismFigureOptions *options)
{
  char *path = dup_path (name);

  g_assert_true (MUST (save_panel (GTK_WIDGET (view), path, options, &error)));
  return path;
}

/* In the rows from first to end. */
static guint
count_in_rows (cairo_surface_t *surface,
               int first,
               int end,
               guint32 color,
               int tolerance)
{
  guint n = 0;

  for (int y = first; y < end; y++)
    for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
      {
        guint32 pixel = widget_test_get_pixel (surface, x, y);
        gboolean near = TRUE;

        for (int shift = 0; shift < 24; shift += 8)
          near &= ABS ((int) (pixel >> shift & 0xff) - (int) (color >> shift & 0xff)) <= tolerance;
        n += near;
      }
  return n;
}

static guint
count_pixels (cairo_surface_t *surface,
              guint32 color,
              int tolerance)
{
  return count_in_rows (surface, 0, cairo_image_surface_get_height (surface), color, tolerance);
}

static cairo_surface_t *
load_png (const char *path)
{
  cairo_surface_t *surface = cairo_image_surface_create_from_png (path);

  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  return surface;
}

/* Sharp columns of two colours of the map on a white page. */
TEST (png_has_the_colors, "/app/figure/png-has-the-colors")
{
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_INFERNO);
  PrismFigureOptions options = { .width = 200, .resolution = 144 };
  g_autoptr (PrismView) view = create_view ();
  g_autofree char *path = save_view (view, "view.PNG", &options);
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpmem (contents, 8, "\211PNG\r\n\032\n", 8);
  g_autoptr (cairo_surface_t) surface = load_png (path);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 400);
  g_assert_cmphex (widget_test_get_pixel (surface, 2, 2) & 0xffffff, ==, 0xffffff);
  guint n_dark = count_pixels (surface, table[64], 0);
  guint n_light = count_pixels (surface, table[191], 0);
  g_test_message ("%u dark, %u light pixels", n_dark, n_light);
  /* The plot is about 178 × 178 pixels; the scale bar covers a corner. */
  g_assert_cmpuint (n_dark, >, 12000);
  g_assert_cmpuint (n_dark, <, 17500);
  g_assert_cmpuint (n_light, >, 12000);
  /* The ends of the map are in the colour bar alone. */
  g_assert_cmpuint (count_pixels (surface, table[250], 12), >, 20);
}

TEST (dark_page, "/app/figure/dark-page")
{
  PrismFigureOptions options
      = { .width = 150, .resolution = 72, .dark = TRUE, .subtitle = "seed 1" };
  g_autoptr (PrismView) view = create_view ();
  g_autofree char *path = save_view (view, "dark.png", &options);
  g_autoptr (cairo_surface_t) surface = load_png (path);

  g_assert_cmphex (widget_test_get_pixel (surface, 1, 1) & 0xffffff, ==, 0x1e1e1e);
}

typedef struct
{
  guint n_images, n_paths, n_uses;
} SvgCounts;

static void
count_element (GMarkupParseContext *context,
               const char *name,
               const char **attributes,
               const char **values,
               gpointer data,
               GError **error)
{
  SvgCounts *counts = data;

  counts->n_images += strcmp (name, "image") == 0;
  counts->n_paths += strcmp (name, "path") == 0;
  counts->n_uses += strcmp (name, "use") == 0;
}

static void
parse_svg (const char *path,
           SvgCounts *counts)
{
  static const GMarkupParser parser = { .start_element = count_element };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, counts, NULL);
  g_autofree char *contents = NULL;
  gsize length;

  *counts = (SvgCounts) { 0 };
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  MUST (g_markup_parse_context_parse (context, contents, length, &error));
  MUST (g_markup_parse_context_end_parse (context, &error));
  HAS (contents, "<svg");
}

TEST (svg_has_image_and_letters, "/app/figure/svg-has-image-and-letters")
{
  g_autoptr (PrismView) view = create_view ();
  g_autofree char *path = save_view (view, "view.svg", NULL);
  SvgCounts counts;

  parse_svg (path, &counts);
  g_test_message ("%u images, %u paths, %u uses", counts.n_images, counts.n_paths, counts.n_uses);
  g_assert_cmpuint (counts.n_images, ==, 2);
  g_assert_cmpuint (counts.n_paths, >, 20);
  g_assert_cmpuint (counts.n_uses, >, 20);
}

static void
assert_pdf (const char *path)
{
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpmem (contents, 5, "%PDF-", 5);
  g_assert_cmpuint (length, >, 2000);
  g_assert_cmpmem (contents + length - 6, 5, "%%EOF", 5);
  g_assert_nonnull (memmem (contents, length, "startxref", strlen ("startxref")));
}

TEST (pdf, "/app/figure/pdf")
{
  g_autoptr (PrismView) view = create_view ();
  g_autoptr (PrismChart) chart = create_chart ();
  g_autofree char *view_path = save_view (view, "view.pdf", NULL);
  g_autofree char *chart_path = dup_path ("chart.pdf");
  g_autoptr (GError) error = NULL;

  assert_pdf (view_path);
  g_assert_true (save_panel (GTK_WIDGET (chart), chart_path, NULL, &error));
  assert_pdf (chart_path);
}

/* Curves, and their samples in the legend, in the two colours of the palette. */
TEST (chart_has_curves_and_legend, "/app/figure/chart-has-curves-and-legend")
{
  PrismFigureOptions options = { .width = 300, .height = 200, .resolution = 72 };
  g_autoptr (PrismChart) chart = create_chart ();
  g_autofree char *path = dup_path ("chart.png");
  g_autofree char *svg = dup_path ("chart.svg");
  g_autoptr (GError) error = NULL;
  SvgCounts counts;

  g_assert_true (save_panel (GTK_WIDGET (chart), path, &options, &error));
  cairo_surface_t *surface = load_png (path);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 300);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 200);
  g_assert_cmpuint (count_pixels (surface, 0x0066bf, 30), >, 200);
  g_assert_cmpuint (count_pixels (surface, 0xcc5400, 30), >, 150);
  /* Below the title. */
  g_assert_cmpuint (count_in_rows (surface, 28, 44, 0x0066bf, 30), >, 20);
  g_assert_cmpuint (count_in_rows (surface, 28, 44, 0xcc5400, 30), >, 20);
  cairo_surface_destroy (surface);

  g_assert_true (save_panel (GTK_WIDGET (chart), svg, &options, &error));
  parse_svg (svg, &counts);
  g_assert_cmpuint (counts.n_images, ==, 0);
  g_assert_cmpuint (counts.n_paths, >, 30);
}

TEST (kspace_figure, "/app/figure/k-space")
{
  const gboolean is_old_cairo = cairo_version () < CAIRO_VERSION_ENCODE (1, 18, 0);
  g_autoptr (PrismView) view = g_object_ref_sink (g_object_new (PRISM_TYPE_KSPACE_VIEW, NULL));
  g_autoptr (PrismImage) spectrum = widget_test_create_image (32, 32, NULL);
  g_autoptr (PrismImage) coverage = widget_test_create_image (32, 32, NULL);
  SvgCounts counts;

  prism_view_set_image (view, spectrum);
  prism_kspace_view_set_coverage (PRISM_KSPACE_VIEW (view), coverage);
  g_autofree char *path = save_view (view, "k-space.svg", NULL);
  parse_svg (path, &counts);
  /* Spectrum, coverage with its transparency, and the colour bar; cairo 1.18 needs one less. */
  g_assert_cmpuint (counts.n_images, >=, is_old_cairo ? 3 : 2);
}

static void
assert_refused (PrismView *view,
                const char *path,
                int code,
                const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (save_panel (GTK_WIDGET (view), path, NULL, &error));
  g_assert_error (error, PRISM_ERROR, code);
  g_test_message ("%s", error->message);
  HAS (error->message, word);
}

static int
measure_sheet (const PrismFigureSheet *sheet,
               const PrismFigureOptions *options)
{
  g_autoptr (GBytes) bytes = prism_figure_render_sheet (sheet, options, NULL);
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_bytes (bytes, NULL);

  return gdk_texture_get_height (texture);
}

/* What marks tell stands below the panels that they lie on: a line with a chart, an area without;
 * what lies on another kind of picture is left out. */
TEST (marks_below_panels, "/app/figure/marks")
{
  g_autoptr (PrismView) view = create_view ();
  g_autoptr (PrismMarkBook) book = g_object_new (PRISM_TYPE_MARK_BOOK, NULL);
  g_autoptr (GPtrArray) panels = g_ptr_array_new ();
  PrismFigureSheet sheet = { panels, 1 };
  PrismFigureOptions options;

  prism_canvas_set_marks (view->canvas, book, FALSE);
  g_ptr_array_add (panels, view);
  prism_figure_options_init (&options);
  options.width = 144;
  options.resolution = 100;
  options.readings = TRUE;
  int plain = measure_sheet (&sheet, &options);
  g_object_set (book, "text", "camera line 0 0 3 3", NULL);
  int camera = measure_sheet (&sheet, &options);
  g_object_set (book, "text", "rectangle 0 0 3 3", NULL);
  int area = measure_sheet (&sheet, &options);
  g_object_set (book, "text", "line 0 0 3 3", NULL);
  int line = measure_sheet (&sheet, &options);
  g_assert_cmpint (camera, ==, plain);
  g_assert_cmpint (area, >, plain);
  g_assert_cmpint (line, >, area + 40);
  options.readings = FALSE;
  g_assert_cmpint (measure_sheet (&sheet, &options), ==, plain);
}

/* Two panels beside each other, words below; fonts make the page no wider, but the panels lower. */
TEST (sheet, "/app/figure/sheet")
{
  g_autoptr (PrismView) view = create_view ();
  g_autoptr (PrismChart) chart = create_chart ();
  g_autoptr (GPtrArray) panels = g_ptr_array_new ();
  PrismFigureSheet sheet = { panels, 2 };
  PrismFigureOptions options;
  g_autoptr (GError) error = NULL;

  prism_figure_options_init (&options);
  options.width = 144;
  options.resolution = 100;
  FAILS (prism_figure_render_sheet (&sheet, &options, &error), CONFIG, "");
  g_ptr_array_add (panels, view);
  g_ptr_array_add (panels, chart);
  g_autoptr (GBytes) first = MUST (prism_figure_render_sheet (&sheet, &options, &error));
  g_autoptr (GdkTexture) plain = gdk_texture_new_from_bytes (first, NULL);
  options.caption = "Columns, and curves that have nothing to do with them.";
  g_autoptr (GBytes) second = prism_figure_render_sheet (&sheet, &options, &error);
  g_autoptr (GdkTexture) captioned = gdk_texture_new_from_bytes (second, NULL);
  sheet.columns = 1;
  g_autoptr (GBytes) third = prism_figure_render_sheet (&sheet, &options, &error);
  g_autoptr (GdkTexture) tall = gdk_texture_new_from_bytes (third, NULL);
  g_assert_cmpint (gdk_texture_get_width (plain), ==, 200);
  g_assert_cmpint (gdk_texture_get_width (tall), ==, 200);
  g_assert_cmpint (gdk_texture_get_height (captioned), >, gdk_texture_get_height (plain));
  g_assert_cmpint (gdk_texture_get_height (tall), >, 3 * gdk_texture_get_height (captioned) / 2);
}

/* Alpha of the corner of a page without a ground. */
TEST (transparent, "/app/figure/transparent")
{
  g_autoptr (PrismView) view = create_view ();
  g_autoptr (GPtrArray) panels = g_ptr_array_new ();
  PrismFigureSheet sheet = { panels, 1 };
  PrismFigureOptions options;

  g_ptr_array_add (panels, view);
  prism_figure_options_init (&options);
  options.width = 200;
  options.font_size = 6;
  options.transparent = TRUE;
  g_autoptr (GBytes) bytes = prism_figure_render_sheet (&sheet, &options, NULL);
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_bytes (bytes, NULL);
  g_autofree guint32 *pixels = g_new0 (guint32, (gsize) gdk_texture_get_width (texture)
                                                    * gdk_texture_get_height (texture));
  gdk_texture_download (texture, (guchar *) pixels, 4 * gdk_texture_get_width (texture));
  g_assert_cmpuint (pixels[0] >> 24, ==, 0);
}

/* A bar is as long as it says, and what it says is round. */
TEST (scale_bar, "/app/figure/scale-bar")
{
  const struct
  {
    double visible, metres;
    const char *label;
    double length;
  } bars[] = {
    { 512, 0.461e-6, "50 µm", 50e-6 / 0.461e-6 },
    { 96, 171875, "2000 km", 2e6 / 171875 },
    { 96, 0, "20 px", 20 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bars); i++)
    {
      double length;

      SAYS (prism_scale_bar_choose (bars[i].visible, bars[i].metres, &length), bars[i].label);
      g_assert_cmpfloat_with_epsilon (length, bars[i].length, 1e-9 * length);
    }
}

TEST (errors, "/app/figure/errors")
{
  g_autoptr (PrismView) view = create_view ();
  g_autofree char *bitmap = dup_path ("figure.bmp");
  g_autofree char *nowhere = dup_path ("missing/figure.png");
  g_autofree char *fine = dup_path ("fine.png");
  PrismFigureOptions huge = { .width = 40000, .height = 40000, .resolution = 600 };

  assert_refused (view, bitmap, PRISM_ERROR_FORMAT, ".svg");
  assert_refused (view, nowhere, PRISM_ERROR_IO, "missing");
  FAILS (save_panel (GTK_WIDGET (view), fine, &huge, &error), MEMORY, "");
  prism_view_set_image (view, NULL);
  assert_refused (view, fine, PRISM_ERROR_CONFIG, "Columns");
  g_assert_false (g_file_test (fine, G_FILE_TEST_EXISTS));
}

int
main (int argc,
      char **argv)
{
  widget_test_init (&argc, &argv);
  directory = g_dir_make_tmp ("prism-figure-XXXXXX", NULL);
  g_assert_nonnull (directory);
  int result = prism_test_run ();
  test_remove_tree (directory);
  g_free (directory);
  return result;
}
