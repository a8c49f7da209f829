/* views-demo: the views and charts with made-up data, to be looked at; --help lists the options.
 *
 * With --save it waits until all pictures are made, writes what the window shows and ends. */
#include "config.h"

#include "model/prism-object.h"
#include "num/prism-spectrum.h"
#include "canvas/prism-image-view.h"
#include "charts/prism-chart.h"
#include "kspace/prism-kspace-view.h"
#include "output/prism-figure.h"

#include <adwaita.h>
#include <math.h>
#include <stdlib.h>

#define OBJECT_SIZE 128
#define FIELD_SIZE 512
#define N_POINTS 100

typedef struct
{
  GtkWidget *window;
  PrismView *views[5];
  PrismChart *charts[2];
  PrismImage *target;
  PrismHistory *history;
  guint n_frames;
} Demo;

static gboolean dark;
static gboolean live;
static char *size_text;
static char *probe_text;
static char *save_path;
static char *figures_path;
static double zoom = 1;
static double smoothing;
static double hover = NAN;
static int n_rows = 600;

static const GOptionEntry options[] = {
  { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, "Dark style", NULL },
  { "live", 0, 0, G_OPTION_ARG_NONE, &live, "New images with every frame", NULL },
  { "size", 0, 0, G_OPTION_ARG_STRING, &size_text, "Size of the window", "WxH" },
  { "probe", 0, 0, G_OPTION_ARG_STRING, &probe_text, "Place of the cursor, 0…1", "X,Y" },
  { "zoom", 0, 0, G_OPTION_ARG_DOUBLE, &zoom, "Zoom of the image views", "Z" },
  { "rows", 0, 0, G_OPTION_ARG_INT, &n_rows, "Steps in the charts", "N" },
  { "smoothing", 0, 0, G_OPTION_ARG_DOUBLE, &smoothing, "Smoothing of the charts", "0…1" },
  { "hover", 0, 0, G_OPTION_ARG_DOUBLE, &hover, "Step under the cursor of the charts", "STEP" },
  { "save", 0, 0, G_OPTION_ARG_FILENAME, &save_path, "Write a screenshot and end", "FILE" },
  { "figures", 0, 0, G_OPTION_ARG_FILENAME, &figures_path,
    "Write a figure of each panel with --save", "DIR" },
  { NULL },
};

/* The built-in moon. */
static PrismImage *
create_target (void)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;
  PrismImage *image;

  config->object_size = OBJECT_SIZE;
  image = prism_object_load (config, &error);
  g_assert_no_error (error);
  return image;
}

/* A blurred and noisy copy that sharpens with quality from 0 to 1. */
static PrismImage *
create_reconstruction (const PrismImage *target,
                       double quality)
{
  PrismImage *image = prism_image_new (OBJECT_SIZE, OBJECT_SIZE, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) (1000 * quality));
  int radius = (int) (4 * (1 - quality));

  for (int y = 0; y < OBJECT_SIZE; y++)
    for (int x = 0; x < OBJECT_SIZE; x++)
      {
        double sum = 0;

        for (int dy = -radius; dy <= radius; dy++)
          for (int dx = -radius; dx <= radius; dx++)
            sum += target->pixels[CLAMP (y + dy, 0, OBJECT_SIZE - 1) * OBJECT_SIZE
                                  + CLAMP (x + dx, 0, OBJECT_SIZE - 1)];
        image->pixels[y * OBJECT_SIZE + x] = sum / (2 * radius + 1) / (2 * radius + 1)
                                             + 0.03 * g_rand_double_range (random, -1, 1);
      }
  return image;
}

static PrismImage *
create_measurement (void)
{
  PrismImage *image = prism_image_new (FIELD_SIZE, FIELD_SIZE, NULL);

  for (int y = 0; y < FIELD_SIZE; y++)
    for (int x = 0; x < FIELD_SIZE; x++)
      {
        double v = (y - FIELD_SIZE / 2) / 36.0;
        double u = (x - FIELD_SIZE / 2) / 36.0;
        double r = hypot (u, v);

        image->pixels[y * FIELD_SIZE + x] = 0.3 * exp (-r * r) * (1 + 0.3 * sin (9 * u))
                                            + 0.01 / (1 + r * r) * fabs (cos (12 * r));
      }
  return image;
}

static PrismPattern *
create_fermat (void)
{
  PrismPoint points[N_POINTS];

  for (int i = 0; i < N_POINTS; i++)
    {
      double rho = FIELD_SIZE / 2 * sqrt (i / (double) N_POINTS);
      double phi = i * 137.508 * G_PI / 180;

      points[i] = (PrismPoint) { rho * sin (phi), rho * cos (phi) };
    }
  return prism_pattern_new_points (points, N_POINTS);
}

static PrismImage *
create_coverage (const PrismPattern *pattern,
                 guint n,
                 double radius)
{
  PrismImage *image = prism_image_new (FIELD_SIZE, FIELD_SIZE, NULL);

  for (guint i = 0; i < n; i++)
    for (int y = 0; y < FIELD_SIZE; y++)
      for (int x = 0; x < FIELD_SIZE; x++)
        if (hypot (y - FIELD_SIZE / 2 - pattern->points[i].y,
                   x - FIELD_SIZE / 2 - pattern->points[i].x)
            <= radius)
          image->pixels[y * FIELD_SIZE + x] = 1;
  return image;
}

static void
fill_kspace (PrismKspaceView *view,
             const PrismImage *target)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (PrismPattern) pattern = create_fermat ();
  g_autoptr (PrismImage) spectrum = prism_spectrum_new_image (target, FIELD_SIZE, NULL);
  g_autoptr (PrismImage) coverage = create_coverage (pattern, 34, 20);

  config->image_size = FIELD_SIZE;
  config->aperture_radius = 20;
  config->aperture_shape = PRISM_SHAPE_OBSCURED;
  config->obscuration = 0.3;
  config->vanes = 2;
  config->vane_width = 2;
  config->roi = FIELD_SIZE;
  prism_view_set_image (PRISM_VIEW (view), spectrum);
  prism_kspace_view_set_coverage (view, coverage);
  prism_kspace_view_set_pattern (view, pattern, 34, 34);
  prism_kspace_view_set_config (view, config);
}

static PrismView *
add_view (GtkGrid *grid,
          int column,
          int row,
          GtkWidget *widget,
          const char *title)
{
  g_autoptr (GMenu) menu = g_menu_new ();

  g_menu_append (menu, "Save pixels…", "demo.save-pixels");
  g_menu_append (menu, "Save figure…", "demo.save-figure");
  g_object_set (widget, "title", title, "hexpand", TRUE, "vexpand", TRUE, "menu-model", menu, NULL);
  gtk_grid_attach (grid, widget, column, row, 1, 1);
  return PRISM_VIEW (widget);
}

static void
fill_views (Demo *demo,
            GtkGrid *grid)
{
  g_autoptr (PrismViewport) viewport = prism_viewport_new ();
  g_autoptr (PrismImage) measurement = create_measurement ();
  g_autoptr (PrismImage) reconstruction = NULL;

  demo->views[0] = add_view (grid, 0, 0, prism_image_view_new (), "Target");
  demo->views[1] = add_view (grid, 1, 0, prism_image_view_new (), "Reconstruction");
  demo->views[2] = add_view (grid, 2, 0, prism_image_view_new (), "Error");
  demo->views[3] = add_view (grid, 0, 1, prism_image_view_new (), "Measurement");
  demo->views[4] = add_view (grid, 1, 1, g_object_new (PRISM_TYPE_KSPACE_VIEW, NULL), "k-space");
  for (int i = 0; i < 3; i++)
    prism_view_set_viewport (demo->views[i], viewport);
  g_object_set (demo->views[2], "colormap", PRISM_COLORMAP_COOLWARM, "levels",
                PRISM_LEVELS_SYMMETRIC, NULL);
  g_object_set (demo->views[3], "colormap", PRISM_COLORMAP_INFERNO, "levels", PRISM_LEVELS_MIN_MAX,
                "stretch", PRISM_STRETCH_LOG, NULL);

  demo->target = create_target ();
  reconstruction = create_reconstruction (demo->target, 0.7);
  prism_view_set_image (demo->views[0], demo->target);
  prism_view_set_image (demo->views[1], reconstruction);
  prism_view_set_image (demo->views[2], reconstruction);
  prism_view_set_reference (demo->views[2], demo->target);
  prism_view_set_image (demo->views[3], measurement);
  fill_kspace (PRISM_KSPACE_VIEW (demo->views[4]), demo->target);
  prism_viewport_set_view (viewport, zoom, 0.45, 0.4);
  if (probe_text != NULL)
    prism_viewport_set_cursor (viewport, atof (probe_text), atof (strchr (probe_text, ',') + 1));
}

static void
append_rows (PrismHistory *history,
             guint n)
{
  static const double sigma = 0.35;

  for (guint i = 0; i < n; i++)
    {
      guint64 step = prism_history_get_n_rows (history) + 1;
      double decay = 0.4 / (1 + 0.01 * step) + 0.002;
      double noise = exp (sigma * (g_random_double () + g_random_double () - 1));
      PrismHistoryRow row = {
        .step = step,
        .sample = step <= 100 ? -1 : (gint32) (step - 101) / 60,
        .loss_new = decay * noise * (step > 100 ? 1 + 0.8 * exp ((step - 101) % 60 / -12.0) : 1),
        .loss_old = step <= 100 ? NAN : 0.7 * decay / noise,
        .metrics.psnr = step % 20 == 0 ? 30 - 18 * exp (-(step / 300.0)) + 0.3 * noise : NAN,
        .metrics.ssim = step % 20 == 0 ? 0.97 - 0.6 * exp (-(step / 250.0)) : NAN,
      };

      prism_history_append (history, &row);
    }
}

static void
show_history (Demo *demo)
{
  for (gsize i = 0; i < G_N_ELEMENTS (demo->charts); i++)
    prism_chart_set_history (demo->charts[i], demo->history,
                             prism_history_get_n_rows (demo->history));
}

static void
fill_charts (Demo *demo,
             GtkGrid *grid)
{
  g_autoptr (PrismTimeline) timeline = prism_timeline_new ();
  g_autoptr (GMenu) menu = g_menu_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  PrismChartSeries *series;

  demo->charts[0] = PRISM_CHART (widget_test_new_chart ("Loss"));
  prism_chart_set_axis (demo->charts[0], PRISM_CHART_LEFT, "loss", TRUE, NAN, NAN);
  prism_chart_add_field (demo->charts[0], "New", PRISM_CHART_LEFT,
                         G_STRUCT_OFFSET (PrismHistoryRow, loss_new), 1, PRISM_CHART_ALL_ROWS);
  prism_chart_add_field (demo->charts[0], "Old", PRISM_CHART_LEFT,
                         G_STRUCT_OFFSET (PrismHistoryRow, loss_old), 1, PRISM_CHART_ALL_ROWS);

  demo->charts[1] = PRISM_CHART (widget_test_new_chart ("Quality"));
  prism_chart_set_axis (demo->charts[1], PRISM_CHART_LEFT, "PSNR / dB", FALSE, NAN, NAN);
  prism_chart_set_axis (demo->charts[1], PRISM_CHART_RIGHT, "SSIM", FALSE, 0, 1);
  series = prism_chart_add_field (demo->charts[1], "PSNR", PRISM_CHART_LEFT,
                                  G_STRUCT_OFFSET (PrismHistoryRow, metrics.psnr), 1,
                                  PRISM_CHART_ALL_ROWS);
  series->joined = TRUE;
  series = prism_chart_add_field (demo->charts[1], "SSIM", PRISM_CHART_RIGHT,
                                  G_STRUCT_OFFSET (PrismHistoryRow, metrics.ssim), 1,
                                  PRISM_CHART_ALL_ROWS);
  series->joined = TRUE;

  g_menu_append (menu, "Save figure…", "demo.save-figure");
  for (gsize i = 0; i < G_N_ELEMENTS (demo->charts); i++)
    {
      prism_chart_set_menu (demo->charts[i], G_MENU_MODEL (menu));
      prism_chart_set_timeline (demo->charts[i], timeline);
      prism_chart_set_smoothing (demo->charts[i], smoothing);
      g_object_set (demo->charts[i], "vexpand", TRUE, "hexpand", TRUE, NULL);
      gtk_box_append (GTK_BOX (box), GTK_WIDGET (demo->charts[i]));
    }
  gtk_grid_attach (grid, box, 2, 1, 1, 1);
  demo->history = prism_history_new ();
  append_rows (demo->history, n_rows);
  show_history (demo);
  prism_timeline_set_cursor (timeline, hover);
}

static gboolean
show_next_frame (GtkWidget *widget,
                 GdkFrameClock *clock,
                 gpointer data)
{
  Demo *demo = data;
  g_autoptr (PrismImage) image = create_reconstruction (demo->target,
                                                        demo->n_frames++ % 100 / 100.0);

  prism_view_set_image (demo->views[1], image);
  prism_view_set_image (demo->views[2], image);
  append_rows (demo->history, 10);
  show_history (demo);
  return G_SOURCE_CONTINUE;
}

static gboolean
is_busy (Demo *demo)
{
  for (gsize i = 0; i < G_N_ELEMENTS (demo->views); i++)
    if (demo->views[i] != NULL
        && prism_raster_is_busy (prism_canvas_get_raster (demo->views[i]->canvas,
                                                          PRISM_LAYER_IMAGE)))
      return TRUE;
  return FALSE;
}

static void
save_figures (Demo *demo)
{
  static const char *endings[] = { "png", "svg", "pdf" };
  PrismFigureOptions options;

  prism_figure_options_init (&options);
  options.dark = dark;
  options.subtitle = "Quick look · 128 in 256 px · aperture 14 px · 100 samples · seed 1";
  for (gsize e = 0; e < G_N_ELEMENTS (endings); e++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (demo->views); i++)
        {
          g_autofree char *path = g_strdup_printf ("%s/view-%zu.%s", figures_path, i, endings[e]);
          g_autoptr (GError) error = NULL;

          if (!prism_figure_save_panel (GTK_WIDGET (demo->views[i]), path, &options, &error))
            g_printerr ("%s\n", error->message);
        }
      for (gsize i = 0; i < G_N_ELEMENTS (demo->charts); i++)
        {
          g_autofree char *path = g_strdup_printf ("%s/chart-%zu.%s", figures_path, i, endings[e]);
          g_autoptr (GError) error = NULL;

          if (!prism_figure_save_panel (GTK_WIDGET (demo->charts[i]), path, &options, &error))
            g_printerr ("%s\n", error->message);
        }
    }
}

static gboolean
save_window (GtkWidget *widget,
             GdkFrameClock *clock,
             gpointer data)
{
  Demo *demo = data;
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  g_autoptr (GdkPaintable) paintable = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GskRenderNode) node = NULL;
  GtkSnapshot *snapshot;

  /* The style needs a few frames for its transitions. */
  if (width == 0 || is_busy (demo) || demo->n_frames++ < 30)
    return G_SOURCE_CONTINUE;
  paintable = gtk_widget_paintable_new (widget);
  snapshot = gtk_snapshot_new ();
  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (widget)), node, NULL);
  gdk_texture_save_to_png (texture, save_path);
  if (figures_path != NULL)
    save_figures (demo);
  g_application_quit (g_application_get_default ());
  return G_SOURCE_REMOVE;
}

static void
load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider,
                                       "/io/github/prism_studio/PrismStudio/prism-views.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static void
activate (GtkApplication *application,
          gpointer data)
{
  Demo *demo = data;
  GtkWidget *grid = gtk_grid_new ();
  int width = 1200;
  int height = 800;

  load_style ();
  if (dark)
    adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                        ADW_COLOR_SCHEME_FORCE_DARK);
  if (size_text != NULL)
    sscanf (size_text, "%dx%d", &width, &height);

  demo->window = adw_application_window_new (application);
  gtk_window_set_default_size (GTK_WINDOW (demo->window), width, height);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_widget_set_margin_top (grid, 12);
  gtk_widget_set_margin_bottom (grid, 12);
  gtk_widget_set_margin_start (grid, 12);
  gtk_widget_set_margin_end (grid, 12);
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (demo->window), grid);
  fill_views (demo, GTK_GRID (grid));
  fill_charts (demo, GTK_GRID (grid));
  if (live)
    gtk_widget_add_tick_callback (demo->window, show_next_frame, demo, NULL);
  if (save_path != NULL)
    gtk_widget_add_tick_callback (demo->window, save_window, demo, NULL);
  gtk_window_present (GTK_WINDOW (demo->window));
}

int
main (int argc,
      char *argv[])
{
  g_autoptr (AdwApplication) application = adw_application_new (NULL, G_APPLICATION_NON_UNIQUE);
  Demo demo = { 0 };

  g_application_add_main_option_entries (G_APPLICATION (application), options);
  g_signal_connect (application, "activate", G_CALLBACK (activate), &demo);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
