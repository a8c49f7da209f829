#include "config.h"

#include "widget-test.h"
#include "charts/prism-chart.h"
#include "../prism-test.h"

#include <adwaita.h>

/* A condition that does not come true is a failure, not a hang. */
#define PATIENCE (20 * G_TIME_SPAN_SECOND)

/* The dialogs of libadwaita 1.7 try whether buttons fit side by side, of which GTK 4.18 warns:
 * a warning ends a test. */
static GLogWriterOutput
write_log (GLogLevelFlags level,
           const GLogField *fields,
           gsize n_fields,
           gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0
        && g_str_has_prefix (fields[i].value, "Trying to measure GtkLabel"))
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, data);
}

/* Starts the test framework and GTK, with the style of the program. */
void
widget_test_init (int *argc,
                  char ***argv)
{
  g_test_init (argc, argv, NULL);
  if (gtk_check_version (4, 18, 0) == NULL)
    g_log_set_writer_func (write_log, NULL, NULL);
  adw_init ();
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (provider,
                                       "/io/github/prism_studio/PrismStudio/prism-views.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

PrismConfig *
widget_test_new_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 32;
  config->aperture_radius = 10;
  config->samples = 6;
  config->steps = 5;
  config->start_steps = 10;
  config->polish = 2;
  return config;
}

PrismSession *
widget_test_new_session (const PrismConfig *config)
{
  PrismSession *session = MUST (prism_session_new (&error));

  g_signal_connect (session, "pending", G_CALLBACK (prism_session_collect), NULL);
  if (config == NULL)
    return session;
  prism_session_start (session, config);
  WAIT_FOR (session->snapshot != NULL);
  return session;
}

/* pixels[height][width]; zeros when NULL. */
PrismImage *
widget_test_create_image (int height,
                          int width,
                          const float *pixels)
{
  return MUST (pixels == NULL ? prism_image_new (height, width, &error)
                              : prism_image_new_copy (height, width, pixels, &error));
}

/* Puts a widget into a window, and returns the window when it is on the screen. */
GtkWidget *
widget_test_show (GtkWidget *child,
                  int width,
                  int height)
{
  GtkWidget *window = gtk_window_new ();

  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_set_child (GTK_WINDOW (window), child);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (gtk_widget_get_mapped (child) && gtk_widget_get_width (child) > 0);
  return window;
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* One turn of the main loop, for WAIT_FOR: it comes back after a tenth of a second at the latest.
 */
void
widget_test_turn (gint64 begun,
                  const char *condition)
{
  guint source = g_timeout_add (100, wake, NULL);

  if (g_get_monotonic_time () - begun > PATIENCE)
    g_error ("“%s” has not become true", condition);
  g_main_context_iteration (NULL, TRUE);
  g_source_remove (source);
}

void
widget_test_let_pass (double seconds)
{
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_TIME_SPAN_SECOND);

  while (g_get_monotonic_time () < end)
    g_main_context_iteration (NULL, FALSE);
}

void
widget_test_assert_freed (GtkWidget *child)
{
  gpointer alive = child;
  GtkWidget *window = widget_test_show (child, 300, 200);

  g_object_add_weak_pointer (G_OBJECT (child), &alive);
  gtk_window_destroy (GTK_WINDOW (window));
  WAIT_FOR (alive == NULL);
}

static gboolean
has_picture (gpointer data)
{
  PrismCanvas *canvas = PRISM_VIEW (data)->canvas;

  for (int layer = 0; layer < PRISM_N_LAYERS; layer++)
    {
      PrismRaster *raster = canvas->rasters[layer];

      if (prism_worker_is_busy (raster->worker)
          || (raster->stale && raster->active && raster->image != NULL))
        return FALSE;
    }
  return TRUE;
}

/* Waits until the view shows its newest image. */
void
widget_test_wait_for_picture (PrismView *view)
{
  WAIT_FOR (has_picture (view));
}

GtkWidget *
widget_test_next (gpointer root,
                  gpointer it)
{
  GtkWidget *next = gtk_widget_get_first_child (it);

  for (; next == NULL && it != root; it = gtk_widget_get_parent (it))
    next = gtk_widget_get_next_sibling (it);
  return next;
}

gpointer
widget_test_find (gpointer root,
                  GType type)
{
  return FIND (root, G_TYPE_CHECK_INSTANCE_TYPE (it, type));
}

gpointer
widget_test_find_window (GType type)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    if (G_TYPE_CHECK_INSTANCE_TYPE (link->data, type))
      return link->data;
  return NULL;
}

/* What a label says that nothing hides within root, "" for other widgets. */
static const char *
get_text (GtkWidget *widget,
          GtkWidget *root)
{
  const char *text = GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget)) : "";

  for (; widget != root; widget = gtk_widget_get_parent (widget))
    if (!gtk_widget_get_visible (widget))
      return "";
  return text;
}

gpointer
widget_test_find_text (gpointer root,
                       const char *text)
{
  return FIND (root, g_str_equal (get_text (it, root), text));
}

gpointer
widget_test_find_start (gpointer root,
                        const char *start)
{
  return FIND (root, g_str_has_prefix (get_text (it, root), start));
}

gpointer
widget_test_find_part (gpointer root,
                       const char *part)
{
  return FIND (root, strstr (get_text (it, root), part) != NULL);
}

gpointer
widget_test_get_part (gpointer widget,
                      const char *id)
{
  GObject *part = NULL;

  for (GType type = G_OBJECT_TYPE (widget); part == NULL && type != GTK_TYPE_WIDGET;
       type = g_type_parent (type))
    part = gtk_widget_get_template_child (widget, type, id);
  g_assert_nonnull (part);
  return part;
}

GtkWidget *
widget_test_new_chart (const char *title)
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled (title, "Step");

  return prism_chart_new_for (data);
}

const char *
widget_test_get_probe (gpointer view)
{
  g_autofree char *text = NULL;

  g_object_get (view, "probe-text", &text, NULL);
  return g_intern_string (text);
}

static gboolean
press_in (GtkWidget *widget,
          GListModel *shortcuts,
          GtkShortcutTrigger *trigger)
{
  for (guint i = 0; i < g_list_model_get_n_items (shortcuts); i++)
    {
      g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (shortcuts, i);

      if (gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), trigger))
        return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                             gtk_shortcut_get_arguments (shortcut));
    }
  return FALSE;
}

/* Does what a key is bound to in the class of a widget; false when that does not want it. */
gboolean
widget_test_press (GtkWidget *widget,
                   guint key,
                   GdkModifierType modifiers)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  g_autoptr (GtkShortcutTrigger) trigger = gtk_keyval_trigger_new (key, modifiers);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_SHORTCUT_CONTROLLER (controller)
          && press_in (widget, G_LIST_MODEL (controller), trigger))
        return TRUE;
    }
  return FALSE;
}

/* Tells a widget that the key is up again. */
void
widget_test_release (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-released", GDK_KEY_VoidSymbol, 0, 0);
    }
}

/* Paints what a widget on the screen draws itself, without its background, into a new surface. */
cairo_surface_t *
widget_test_render (GtkWidget *widget)
{
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);

  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  g_autoptr (GskRenderNode) node = gtk_snapshot_free_to_node (snapshot);
  g_assert_nonnull (node);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

/* ARGB32 of one pixel. */
guint32
widget_test_get_pixel (cairo_surface_t *surface,
                       int x,
                       int y)
{
  g_assert_cmpint (x, >=, 0);
  g_assert_cmpint (x, <, cairo_image_surface_get_width (surface));
  g_assert_cmpint (y, >=, 0);
  g_assert_cmpint (y, <, cairo_image_surface_get_height (surface));
  return ((guint32 *) (cairo_image_surface_get_data (surface)
                       + y * cairo_image_surface_get_stride (surface)))[x];
}
