#include "prism-test.h"
#include "widget-test.h"
#include "window/prism-arrangement.h"
#include "window/prism-panel-grid.h"

static void
allocate (GtkWidget *widget,
          int width,
          int height)
{
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, NULL, NULL, NULL, NULL);
  gtk_widget_allocate (widget, width, height, -1, NULL);
}

static const char *const ids[]
    = { "reconstruction", "target", "measurement", "kspace", "error",
        "chart-1", "chart-2", "chart-3", "chart-4" };

static GtkWidget *
new_grid (int n_panels)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new ();
  g_autoptr (GString) ui = g_string_new ("<interface><object class='PrismPanelGrid' id='grid'>");

  g_type_ensure (PRISM_TYPE_PANEL_GRID);
  g_type_ensure (PRISM_TYPE_PANEL);
  for (int i = 0; i < n_panels; i++)
    g_string_append_printf (ui,
                            "<child><object class='PrismPanel'><property name='id'>%s</property>"
                            "</object></child>",
                            ids[i]);
  g_string_append (ui, "</object></interface>");
  g_assert_true (gtk_builder_add_from_string (builder, ui->str, -1, NULL));
  return g_object_ref (GTK_WIDGET (gtk_builder_get_object (builder, "grid")));
}

static GtkWidget *
get_panel (GtkWidget *grid,
           int i)
{
  GtkWidget *child = gtk_widget_get_first_child (grid);

  while (i-- > 0)
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static void
get_area (GtkWidget *grid,
          int i,
          graphene_rect_t *area)
{
  g_assert_true (gtk_widget_compute_bounds (get_panel (grid, i), grid, area));
}

/* Whatever the size, no two panels overlap and none leaves the grid. */
static void
check_layout (GtkWidget *grid,
              int n_panels,
              int width,
              int height)
{
  graphene_rect_t whole = GRAPHENE_RECT_INIT (0, 0, width, height);

  allocate (grid, width, height);
  for (int i = 0; i < n_panels; i++)
    {
      graphene_rect_t a, b;

      get_area (grid, i, &a);
      g_assert_true (graphene_rect_contains_rect (&whole, &a));
      for (int j = 0; j < i; j++)
        {
          get_area (grid, j, &b);
          g_assert_false (graphene_rect_intersection (&a, &b, NULL));
        }
    }
}

TEST (grid_layout, "/app/panel-grid/layout")
{
  static const int sizes[][2] = {
    { 400, 1600 },
    { 560, 1500 },
    { 700, 1100 },
    { 880, 600 },
    { 1061, 781 },
    { 2201, 1303 },
    { 3840, 2160 },
  };
  static const char *const arrangements[] = { "explore", "teach", "device" };
  g_autoptr (GtkWidget) grid = new_grid (9);

  for (gsize a = 0; a < G_N_ELEMENTS (arrangements); a++)
    {
      g_object_set (grid, "arrangement", arrangements[a], NULL);
      for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
        check_layout (grid, 9, sizes[i][0], sizes[i][1]);
    }
}

/* The Fourier plane is as large as the picture, and beside it. */
TEST (grid_teach, "/app/panel-grid/teach")
{
  g_autoptr (GtkWidget) grid = new_grid (9);
  graphene_rect_t picture, plane;

  g_object_set (grid, "arrangement", "teach", NULL);
  allocate (grid, 1200, 1000);
  get_area (grid, 0, &picture);
  get_area (grid, 3, &plane);
  g_assert_cmpfloat_with_epsilon (picture.size.width, plane.size.width, 1);
  g_assert_cmpfloat (picture.origin.y, ==, plane.origin.y);
}

static GtkWidget *
find_splitter (GtkWidget *grid,
               int number)
{
  GtkWidget *child = gtk_widget_get_first_child (grid);

  while (child != NULL && (!PRISM_IS_SPLITTER (child) || number-- > 0))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

/* A gap that is moved takes its neighbours' sizes along, no further than their least, and stays
 * where it is in another grid that is given the same text. */
TEST (grid_splitters, "/app/panel-grid/splitters")
{
  g_autoptr (GtkWidget) grid = new_grid (9), other = new_grid (9);
  g_autofree char *lines = NULL;
  graphene_rect_t before, after, again;

  allocate (grid, 1200, 900);
  get_area (grid, 0, &before);
  g_signal_emit_by_name (find_splitter (grid, 1), "moved", 700);
  allocate (grid, 1200, 900);
  get_area (grid, 0, &after);
  g_assert_cmpfloat_with_epsilon (after.size.width, 700, 1);
  check_layout (grid, 9, 1200, 900);
  g_object_get (grid, "lines", &lines, NULL);
  g_object_set (other, "lines", lines, NULL);
  allocate (other, 1200, 900);
  get_area (other, 0, &again);
  g_assert_true (graphene_rect_equal (&after, &again));

  /* Two presses of a key before the next frame are two steps. */
  g_signal_emit_by_name (find_splitter (grid, 1), "nudged", -16);
  g_signal_emit_by_name (find_splitter (grid, 1), "nudged", -16);
  allocate (grid, 1200, 900);
  get_area (grid, 0, &after);
  g_assert_cmpfloat_with_epsilon (after.size.width, 668, 1);

  g_signal_emit_by_name (find_splitter (grid, 1), "moved", 5000);
  check_layout (grid, 9, 1200, 900);
  g_signal_emit_by_name (find_splitter (grid, 1), "reset");
  allocate (grid, 1200, 900);
  get_area (grid, 0, &after);
  g_assert_true (graphene_rect_equal (&before, &after));
  g_object_set (grid, "lines", "no such text", NULL);
  check_layout (grid, 9, 1200, 900);
}

TEST (grid_first_is_large, "/app/panel-grid/first-is-large")
{
  g_autoptr (GtkWidget) grid = new_grid (9);
  graphene_rect_t first, second;

  allocate (grid, 1200, 900);
  get_area (grid, 0, &first);
  get_area (grid, 1, &second);
  g_assert_cmpfloat (first.size.width, >, 1.9 * second.size.width);
  g_assert_cmpfloat (first.size.height, >, 1.9 * second.size.height);
}

TEST (grid_maximized, "/app/panel-grid/maximized")
{
  g_autoptr (GtkWidget) grid = new_grid (9);
  GtkWidget *first = get_panel (grid, 0), *last = get_panel (grid, 8);
  graphene_rect_t area;

  g_object_set (last, "maximized", TRUE, NULL);
  allocate (grid, 1200, 900);
  get_area (grid, 8, &area);
  g_assert_cmpfloat (area.size.width, ==, 1200);
  g_assert_cmpfloat (area.size.height, ==, 900);
  g_assert_false (gtk_widget_get_child_visible (first));

  /* Another one takes its place, and gives it back. */
  g_object_set (first, "maximized", TRUE, NULL);
  g_assert_false (PRISM_PANEL (last)->maximized);
  g_assert_true (prism_panel_grid_get_maximized (PRISM_PANEL_GRID (grid)) == PRISM_PANEL (first));
  g_object_set (first, "maximized", FALSE, NULL);
  g_assert_null (prism_panel_grid_get_maximized (PRISM_PANEL_GRID (grid)));
  check_layout (grid, 9, 1200, 900);
}

/* A panel that is hidden may change what the one that is shown alone says: GTK warns where that is
 * drawn without a size. */
TEST (grid_hidden_last_word, "/app/panel-grid/hidden-last-word")
{
  GtkWidget *grid = new_grid (2), *label = gtk_label_new ("before");
  GtkWidget *first = gtk_widget_get_first_child (grid);
  g_autoptr (ShownWindow) window = widget_test_show (grid, 800, 600);

  prism_panel_set_child (PRISM_PANEL (first), label);
  g_signal_connect_swapped (gtk_widget_get_next_sibling (first), "unmap",
                            G_CALLBACK (gtk_widget_queue_resize), label);
  g_object_set (first, "maximized", TRUE, NULL);
  WAIT_FOR (gtk_widget_get_width (first) == 800);
  cairo_surface_destroy (widget_test_render (grid));
  g_object_unref (grid);
}

/* With large text whole rows fit the page that is seen, wherever that ends, and no picture gets
 * lower: charts make room where the page then has all pictures, and come back. */
TEST (grid_pages, "/app/panel-grid/pages")
{
  g_autoptr (GtkWidget) grid = new_grid (9);

  prism_panel_grid_set_scale (PRISM_PANEL_GRID (grid), 1.7);
  for (int page = 300; page < 1200; page += 17)
    {
      graphene_rect_t area;
      int height, n_cut = 0, n_shown = 9;

      prism_panel_grid_set_page (PRISM_PANEL_GRID (grid), page);
      gtk_widget_measure (grid, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
      gtk_widget_measure (grid, GTK_ORIENTATION_VERTICAL, 1360, &height, NULL, NULL, NULL);
      allocate (grid, 1360, MAX (height, page));
      while (!gtk_widget_get_child_visible (get_panel (grid, n_shown - 1)))
        n_shown--;
      check_layout (grid, n_shown, 1360, MAX (height, page));
      for (int i = 0; i < n_shown; i++)
        {
          get_area (grid, i, &area);
          n_cut += area.origin.y < page && area.origin.y + area.size.height > page;
          g_assert_cmpfloat (area.size.height, >=, 204);
        }
      /* Three rows of 227 px have the pictures and a chart, four of them all. */
      g_assert_cmpint (n_shown, ==, page < 640 || page > 864 ? 9 : 6);
      g_assert_true (n_shown == 6 ? height <= page : page < 864 || height <= page);
      /* One that is two rows high does not fit in a page of one. */
      g_assert_cmpint (n_cut, <=, page < 406 ? 1 : 0);
    }
}
