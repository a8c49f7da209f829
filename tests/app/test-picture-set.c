#include "model/prism-display.h"
#include "prism-test.h"
#include "prism-mark-draw.h"
#include "tools/prism-image-tools.h"
#include "tools/prism-levels-editor.h"
#include "tools/prism-mark-readings.h"
#include "window-test.h"

static PrismPanel *
find_panel (WindowTest *test,
            const char *id)
{
  return prism_dashboard_get_panel (widget_test_get_part (test->window, "dashboard"), id);
}

static PrismCanvas *
find_canvas (WindowTest *test,
             const char *id)
{
  return PRISM_VIEW (find_panel (test, id)->child)->canvas;
}

/* Returns: (transfer none): what the draft has, until the next call */
static const char *
get_display (WindowTest *test,
             const char *key)
{
  static char *text;

  g_free (text);
  text = prism_display_dup (test->session->draft->display, key);
  return text;
}

static void
press (WindowTest *test,
       const char *id,
       guint key,
       GdkModifierType modifiers)
{
  GtkWidget *canvas = GTK_WIDGET (find_canvas (test, id));

  gtk_widget_grab_focus (canvas);
  g_assert_true (widget_test_press (canvas, key, modifiers));
  widget_test_release (canvas);
}

static void
choose_tool (WindowTest *test,
             const char *id,
             const char *tool)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (find_panel (test, id)), "picture.tool",
                                             "s", tool));
}

typedef WindowTest Fixture;

/* data: the panel that is large. */
SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  window_test_open (self, config);
  g_object_set (find_panel (self, data), "maximized", TRUE, NULL);
  WAIT_FOR (gtk_widget_get_width (GTK_WIDGET (find_canvas (self, data))) > 0);
}

TEAR_DOWN
{
  window_test_close (self);
}

/* A key that is held repeats: one ruler, and one step of undo, though the crosshair goes meanwhile
 * where the picture gets another size below a resting pointer. */
TEST_WITH (a_hold_is_one_step, "/app/picture-set/hold", "target")
{
  GtkWidget *canvas = GTK_WIDGET (find_canvas (self, "target"));
  choose_tool (self, "target", "ruler");
  press (self, "target", GDK_KEY_Right, 0);
  guint before = self->session->draft->past->len;
  for (int i = 0; i < 20; i++)
    {
      if (i == 10)
        prism_viewport_clear_cursor (PRISM_CANVAS (canvas)->viewport);
      g_assert_true (widget_test_press (canvas, GDK_KEY_Right, GDK_SHIFT_MASK));
    }
  widget_test_release (canvas);
  g_assert_true (g_str_has_prefix (get_display (self, "marks"), "ruler "));
  g_assert_null (strchr (get_display (self, "marks"), ';'));
  g_assert_cmpuint (self->session->draft->past->len, ==, before + 1);
  for (int i = 0; i < 5; i++)
    widget_test_press (canvas, GDK_KEY_Left, GDK_ALT_MASK);
  widget_test_release (canvas);
  g_assert_cmpuint (self->session->draft->past->len, ==, before + 2);
}

/* A mark by keys alone: it is a setting, one step of undo each, and in every picture. */
TEST_WITH (keys_draw_and_undo_takes_back, "/app/picture-set/keys", "target")
{
  choose_tool (self, "target", "rectangle");
  press (self, "target", GDK_KEY_Right, 0);
  press (self, "target", GDK_KEY_Right, GDK_SHIFT_MASK);
  press (self, "target", GDK_KEY_Down, GDK_SHIFT_MASK | GDK_CONTROL_MASK);
  g_autofree char *drawn = g_strdup (get_display (self, "marks"));
  g_assert_true (g_str_has_prefix (drawn, "rectangle "));
  g_assert_null (strchr (drawn, ';'));
  g_assert_true (find_canvas (self, "error")->book == find_canvas (self, "target")->book);

  press (self, "target", GDK_KEY_Left, GDK_ALT_MASK);
  g_autofree char *moved = g_strdup (get_display (self, "marks"));
  g_assert_cmpstr (moved, !=, drawn);
  window_test_activate (self, "undo");
  g_assert_cmpstr (get_display (self, "marks"), ==, drawn);
  window_test_activate (self, "redo");
  g_assert_cmpstr (get_display (self, "marks"), ==, moved);

  press (self, "target", GDK_KEY_Escape, 0);
  press (self, "target", GDK_KEY_Delete, 0);
  g_assert_cmpstr (get_display (self, "marks"), ==, "");
  window_test_activate (self, "undo");
  g_assert_cmpstr (get_display (self, "marks"), ==, moved);
}

/* 1:1 is called so, and what is looked at alone has a zoom of its own. */
TEST_WITH (large_view_has_its_zoom, "/app/picture-set/large-view-has-its-zoom", "target")
{
  PrismView *view = PRISM_VIEW (PRISM_PANEL (find_panel (self, "target"))->child);
  WAIT_FOR (gtk_widget_get_mapped (GTK_WIDGET (view->canvas)));
  widget_test_let_pass (0.2);
  gtk_widget_activate_action (GTK_WIDGET (view->canvas), "picture.zoom-1", NULL);
  g_assert_true (g_str_has_suffix (
      gtk_label_get_label (widget_test_get_part (view, "info_label")), " · 1×"));
  gtk_widget_activate_action (GTK_WIDGET (view->canvas), "picture.zoom-2", NULL);
  g_assert_true (g_str_has_suffix (
      gtk_label_get_label (widget_test_get_part (view, "info_label")), " · 2×"));
  g_object_set (find_panel (self, "target"), "maximized", FALSE, NULL);
  g_assert_cmpfloat (view->canvas->viewport->zoom, ==, 1);
  LACKS (gtk_label_get_label (widget_test_get_part (view, "info_label")), " · ");
}

static gboolean
has_bench (gpointer panel)
{
  GtkWidget *bench = widget_test_find (panel, PRISM_TYPE_MARK_READINGS);

  return gtk_widget_get_height (bench) > 0;
}

/* The room for what marks tell goes when a tool is chosen: were it only gone with the mark, the
 * picture would get another place below the pointer that draws. */
TEST_WITH (picture_stays_below_pointer, "/app/picture-set/below-pointer", "target")
{
  PrismFrame before, after;

  PrismPanel *panel = find_panel (self, "target");
  PrismCanvas *canvas = find_canvas (self, "target");
  WAIT_FOR (!has_bench (panel));
  choose_tool (self, "target", "line");
  WAIT_FOR (has_bench (panel));
  g_assert_true (prism_canvas_get_frame (canvas, &before));
  g_assert_true (prism_canvas_marks_press (canvas, &before, before.area_width / 2.0,
                                           before.area_height / 2.0));
  prism_canvas_marks_drag (canvas, &before, before.area_width / 2.0 + 3 * before.scale,
                           before.area_height / 2.0);
  prism_canvas_marks_release (canvas);
  widget_test_let_pass (0.3);
  g_assert_true (prism_canvas_get_frame (canvas, &after));
  g_assert_cmpfloat (after.scale, ==, before.scale);
  g_assert_cmpfloat (after.y0, ==, before.y0);
  press (self, "target", GDK_KEY_Delete, 0);
  choose_tool (self, "target", "none");
  WAIT_FOR (!has_bench (panel));
}

/* Of what a picture has in a window of 900 × 600 px, the readings leave it most of both sides. */
TEST_WITH (low_window_has_readings_beside, "/app/picture-set/low-window", "target")
{
  GtkWidget *canvas = GTK_WIDGET (find_canvas (self, "target"));
  GtkWidget *bench
      = widget_test_find (GTK_WIDGET (find_panel (self, "target")), PRISM_TYPE_MARK_READINGS);
  GtkWidget *room = gtk_widget_get_parent (bench);
  choose_tool (self, "target", "line");
  WAIT_FOR (has_bench (find_panel (self, "target")));
  gtk_widget_allocate (room, 505, 355, -1, NULL);
  g_assert_cmpint (gtk_widget_get_height (canvas), ==, 355);
  g_assert_cmpint (gtk_widget_get_width (canvas), >=, 505 / 2 - 50);
  g_assert_cmpint (gtk_widget_get_height (bench), ==, 355);
  /* A wide one has room for them beside a picture that stays as large as it was. */
  gtk_widget_allocate (room, 1000, 600, -1, NULL);
  g_assert_cmpint (gtk_widget_get_height (canvas), ==, 600);
  g_assert_cmpint (gtk_widget_get_width (canvas), >=, 600);
  gtk_widget_allocate (room, 600, 900, -1, NULL);
  g_assert_cmpint (gtk_widget_get_width (bench), ==, 600);
  g_assert_cmpint (gtk_widget_get_height (canvas), >, 600);
}

/* Pixels that labels have made white. */
static guint
count_white (const GArray *marks)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 300, 300);
  cairo_t *cr = cairo_create (surface);
  PrismFrame frame;
  PrismPaint paint;
  guint n = 0;

  prism_frame_init (&frame, 300, 300, 100, 100);
  prism_paint_init_figure (&paint, cr, FALSE);
  prism_mark_draw_list (&paint, &frame, marks, FALSE, -1, 0);
  prism_paint_finish (&paint);
  cairo_surface_flush (surface);
  for (int y = 0; y < 300; y++)
    for (int x = 0; x < 300; x++)
      n += (widget_test_get_pixel (surface, x, y) & 0xff) > 200;
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return n;
}

/* Marks at one place have labels that can all be read. */
TEST (labels_apart, "/app/picture-set/labels-apart")
{
  g_autoptr (GArray) one = prism_mark_list_parse ("ruler 30 40 60 40", NULL);
  g_autoptr (GArray) three
      = prism_mark_list_parse ("ruler 30 40 60 40; ruler 30 40 60 40; ruler 31 41 61 41", NULL);
  const guint n = count_white (one);

  g_assert_cmpuint (n, >, 50);
  g_assert_cmpuint (count_white (three), >, 2.7 * n);
}

static gboolean
sees_last_row (gpointer panel)
{
  GtkWidget *bench = widget_test_find (panel, PRISM_TYPE_MARK_READINGS);
  GtkListBox *list = widget_test_get_part (bench, "list");
  GtkWidget *row = gtk_widget_get_last_child (GTK_WIDGET (list));
  GtkWidget *scrolled = gtk_widget_get_ancestor (GTK_WIDGET (list), GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  return row != NULL && gtk_list_box_get_selected_row (list) == GTK_LIST_BOX_ROW (row)
         && gtk_widget_compute_bounds (row, scrolled, &bounds) && bounds.size.height > 10
         && bounds.origin.y > 0
         && bounds.origin.y + bounds.size.height <= gtk_widget_get_height (scrolled) + 1;
}

/* The list shows the mark that was drawn last, however many there are. */
TEST_WITH (list_follows, "/app/picture-set/list-follows", "target")
{
  PrismMark mark = { .kind = PRISM_MARK_RULER, .x0 = 1, .y0 = 1, .x1 = 9, .width = 1 };
  PrismMarkBook *book = find_canvas (self, "target")->book;

  choose_tool (self, "target", "ruler");
  WAIT_FOR (has_bench (find_panel (self, "target")));
  for (int i = 0; i < 30; i++)
    {
      mark.y1 = i % 20;
      g_assert_true (prism_mark_book_add (book, &mark));
    }
  WAIT_FOR (sees_last_row (find_panel (self, "target")));
}

/* In a window of 900 px a picture that is large has 505 px; other languages have longer words. */
TEST_WITH (tools_fit, "/app/picture-set/tools-fit", "target")
{
  GtkWidget *tools;
  int width;

  tools = widget_test_find (GTK_WIDGET (find_panel (self, "target")), PRISM_TYPE_IMAGE_TOOLS);
  gtk_widget_measure (tools, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, 505 - 25);
}

/* How much of a picture that lies over another is seen has its unit. */
TEST_WITH (opacity_has_unit, "/app/picture-set/opacity", "target")
{
  GtkWidget *tools = FIND (find_panel (self, "target"), PRISM_IS_IMAGE_TOOLS (it));
  GtkWidget *button = gtk_widget_get_ancestor (widget_test_get_part (tools, "overlay_choice"),
                                               GTK_TYPE_MENU_BUTTON);

  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  WAIT_FOR (FIND (button, GTK_IS_LABEL (it)
                              && g_str_equal (gtk_label_get_text (GTK_LABEL (it)), "50 %"))
            != NULL);
  gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
}

/* What the camera sees has marks of its own, and the tool goes with the panel. */
TEST_WITH (measurement_has_marks_of_its_own, "/app/picture-set/measurement", "measurement")
{
  PrismMarkBook *book = find_canvas (self, "measurement")->book;
  window_test_activate (self, "run");
  WAIT_FOR (window_test_has_finished (self->session));
  choose_tool (self, "measurement", "ellipse");
  press (self, "measurement", GDK_KEY_Right, 0);
  press (self, "measurement", GDK_KEY_Right, GDK_SHIFT_MASK | GDK_CONTROL_MASK);
  g_assert_true (g_str_has_prefix (get_display (self, "marks"), "camera ellipse "));
  g_object_set (find_panel (self, "measurement"), "maximized", FALSE, NULL);
  g_assert_cmpuint (book->tool, ==, PRISM_MARK_BOOK_NO_TOOL);
}

/* What the file of the run on the screen has, as soon as that is what is wished. */
static gboolean
is_in_file (WindowTest *test)
{
  g_autoptr (PrismSnapshot) snapshot = prism_run_file_load_snapshot (test->session->run_file, NULL);

  return snapshot != NULL && g_strcmp0 (snapshot->display, test->session->draft->display) == 0;
}

/* A mark that is made when the run is over is in its file, and so is its undo. */
TEST_WITH (marks_after_the_end_are_saved, "/app/picture-set/after-the-end", "target")
{
  window_test_activate (self, "run");
  WAIT_FOR (window_test_has_finished (self->session));
  choose_tool (self, "target", "ruler");
  press (self, "target", GDK_KEY_Right, 0);
  press (self, "target", GDK_KEY_Right, GDK_SHIFT_MASK);
  g_assert_true (g_str_has_prefix (get_display (self, "marks"), "ruler "));
  WAIT_FOR (is_in_file (self));
  while (*get_display (self, "marks") != '\0')
    window_test_activate (self, "undo");
  WAIT_FOR (is_in_file (self));
}

static gboolean
shows_marks (WindowTest *test,
             const char *marks)
{
  g_autofree char *text = NULL;

  g_object_get (find_canvas (test, "target")->book, "text", &text, NULL);
  return strcmp (text, marks) == 0;
}

/* Marks stay with the object that they were drawn on, as long as it is on the screen; another one
 * has its own, and an undo that brings the object back brings its marks. */
TEST_WITH (marks_are_of_their_object, "/app/picture-set/of-their-object", "target")
{
  const char *points[] = { "object", "points", NULL };

  window_test_activate (self, "run");
  WAIT_FOR (window_test_has_finished (self->session));
  choose_tool (self, "target", "ruler");
  press (self, "target", GDK_KEY_Right, 0);
  press (self, "target", GDK_KEY_Right, GDK_SHIFT_MASK);
  g_autofree char *of_moon = g_strdup (get_display (self, "marks"));
  g_assert_true (g_str_has_prefix (of_moon, "ruler "));
  g_assert_true (prism_draft_set_several (self->session->draft, points, "", NULL, NULL));
  g_assert_cmpstr (get_display (self, "marks"), ==, "");
  /* The run on the screen hears of a mark a little after it was drawn. */
  WAIT_FOR (shows_marks (self, of_moon));
  window_test_activate (self, "run");
  WAIT_FOR (strcmp (self->session->snapshot->config->object, "points") == 0
            && window_test_has_finished (self->session));
  g_assert_true (shows_marks (self, ""));
  window_test_activate (self, "undo");
  g_assert_cmpstr (get_display (self, "marks"), ==, of_moon);
  g_assert_true (shows_marks (self, ""));
}

/* Their rows are read again a little later: marks may be gone by then that no frame took away. */
TEST_WITH (rows_of_marks_that_are_gone, "/app/picture-set/rows-of-the-gone", "target")
{
  const gint64 begin = g_get_monotonic_time ();

  choose_tool (self, "target", "ruler");
  press (self, "target", GDK_KEY_Right, 0);
  while (g_get_monotonic_time () - begin < G_USEC_PER_SEC)
    {
      press (self, "target", GDK_KEY_Right, GDK_SHIFT_MASK);
      g_main_context_iteration (NULL, FALSE);
    }
  while (*get_display (self, "marks") != '\0')
    window_test_activate (self, "undo");
  g_usleep (G_USEC_PER_SEC);
  for (int i = 0; i < 100; i++)
    g_main_context_iteration (NULL, FALSE);
}

static void
get_mapping (WindowTest *test,
             const char *id,
             PrismMapping *mapping)
{
  prism_view_get_mapping (PRISM_VIEW (find_panel (test, id)->child), mapping);
}

/* Limits and gamma are settings: one step of undo, in the run's file, and back from it. */
TEST_WITH (limits_are_settings, "/app/picture-set/limits-as-settings", "reconstruction")
{
  PrismMapping mapping;

  PrismDraft *draft = self->session->draft;
  window_test_activate (self, "run");
  WAIT_FOR (window_test_has_finished (self->session));
  GtkWidget *levels = widget_test_find (GTK_WIDGET (find_panel (self, "reconstruction")),
                                        PRISM_TYPE_LEVELS_EDITOR);
  gtk_range_set_value (widget_test_find (levels, GTK_TYPE_SCALE), 2);
  WAIT_FOR (*get_display (self, "limits") != '\0' && is_in_file (self));
  g_assert_cmpstr (get_display (self, "limits"), ==, "reconstruction gamma 2");
  window_test_activate (self, "undo");
  g_assert_cmpstr (get_display (self, "limits"), ==, "");
  get_mapping (self, "reconstruction", &mapping);
  g_assert_cmpfloat (mapping.gamma, ==, 1);
  window_test_activate (self, "redo");
  get_mapping (self, "reconstruction", &mapping);
  g_assert_cmpfloat (mapping.gamma, ==, 2);

  prism_draft_set_display (draft, "limits", "target 0.25 0.5; error extremes", NULL);
  get_mapping (self, "target", &mapping);
  g_assert_cmpint (mapping.levels, ==, PRISM_LEVELS_MANUAL);
  g_assert_cmpfloat (mapping.black, ==, 0.25f);
  g_assert_cmpfloat (mapping.white, ==, 0.5f);
  get_mapping (self, "error", &mapping);
  g_assert_cmpint (mapping.levels, ==, PRISM_LEVELS_MIN_MAX);
  get_mapping (self, "reconstruction", &mapping);
  g_assert_cmpfloat (mapping.gamma, ==, 1);
  WAIT_FOR (*get_display (self, "limits") != '\0' && is_in_file (self));
}

static gboolean
has_table (WindowTest *test)
{
  PrismDashboard *dashboard = widget_test_get_part (test->window, "dashboard");
  g_autofree char *text = prism_picture_set_dup_csv (dashboard->pictures, "reconstruction");

  return text != NULL && strstr (text, "Reconstruction") != NULL;
}

TEST_WITH (readings_are_tables, "/app/picture-set/readings", "reconstruction")
{
  PrismDashboard *dashboard = widget_test_get_part (self->window, "dashboard");
  prism_draft_set_display (
      self->session->draft, "marks",
      "rectangle 2 3 11 12; ruler 0 0 3 4; camera ruler 1 1 2 2; line 4 4 10 4 2", NULL);
  PrismMarkBook *book = find_canvas (self, "reconstruction")->book;
  g_assert_cmpuint (book->marks->len, ==, 4);
  window_test_activate (self, "run");
  WAIT_FOR (window_test_has_finished (self->session));

  g_autofree char *table = prism_picture_set_dup_csv (dashboard->pictures, "reconstruction");
  HAS (table, "\n1,rectangle,2,3,11,12,,,100,", "\n2,ruler,0,0,3,4,5,");
  LACKS (table, "\n3,");
  prism_mark_book_select (book, 3);
  WAIT_FOR (has_table (self));
  g_autofree char *profile = prism_picture_set_dup_csv (dashboard->pictures, "reconstruction");
  g_auto (GStrv) lines = g_strsplit (profile, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "distance_px,distance_m,\"Reconstruction\","));
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 7 + 1);
  g_assert_true (g_str_has_prefix (lines[7], "6,"));
}

static GtkWidget *
open_levels (WindowTest *test)
{
  GtkWidget *levels = widget_test_find (find_panel (test, "target"), PRISM_TYPE_LEVELS_EDITOR);

  gtk_popover_popup (GTK_POPOVER (gtk_widget_get_ancestor (levels, GTK_TYPE_POPOVER)));
  WAIT_FOR (gtk_widget_get_mapped (levels));
  return levels;
}

static void
close_levels (GtkWidget *levels)
{
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (levels, GTK_TYPE_POPOVER)));
  WAIT_FOR (!gtk_widget_get_mapped (levels));
}

/* Limits by typing; linked ones are those of the target, too. */
TEST_WITH (limits_are_linked, "/app/picture-set/limits", "target")
{
  PrismMapping mapping;

  GtkWidget *levels = open_levels (self);
  GtkWidget *black = widget_test_find (levels, GTK_TYPE_SPIN_BUTTON);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (black), 0.25);
  get_mapping (self, "target", &mapping);
  g_assert_cmpfloat (mapping.black, ==, 0.25);
  get_mapping (self, "reconstruction", &mapping);
  g_assert_cmpfloat (mapping.black, ==, 0);
  gtk_check_button_set_active (
      GTK_CHECK_BUTTON (FIND (levels, GTK_IS_CHECK_BUTTON (it) && gtk_widget_get_visible (it))),
      TRUE);
  get_mapping (self, "reconstruction", &mapping);
  g_assert_cmpfloat (mapping.black, ==, 0.25);
}

static GtkGesture *
find_drag (GtkWidget *widget)
{
  g_autoptr (GListModel) list = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (list, i);

      if (GTK_IS_GESTURE_DRAG (controller))
        return GTK_GESTURE (controller);
    }
  return NULL;
}

/* A handle held at the end of the histogram stays under the pointer, which does not move. */
TEST_WITH (handle_stays_under_the_pointer, "/app/picture-set/handle", "target")
{
  PrismMapping held, mapping;

  GtkWidget *levels = open_levels (self);
  GtkWidget *area = widget_test_find (levels, GTK_TYPE_DRAWING_AREA);
  WAIT_FOR (gtk_widget_get_width (area) > 0);
  GtkGesture *drag = find_drag (area);
  g_signal_emit_by_name (drag, "drag-begin", (double) gtk_widget_get_width (area), 5.0);
  get_mapping (self, "target", &held);
  g_assert_cmpfloat (held.white, >, 1);
  for (int i = 0; i < 5; i++)
    g_signal_emit_by_name (drag, "drag-update", 0.0, (double) i);
  get_mapping (self, "target", &mapping);
  g_assert_cmpfloat_with_epsilon (mapping.white, held.white, 1e-6);
  g_signal_emit_by_name (drag, "drag-end", 0.0, 4.0);
  close_levels (levels);
}

static void
count_edit (int *n)
{
  (*n)++;
}

/* The pointer tells more often than there are frames: a change for each frame, the last one counts,
 * and the end waits for none. */
TEST_WITH (drag_changes_once_a_frame, "/app/picture-set/once-a-frame", "target")
{
  PrismMapping mapping, last;
  int n_edits = 0;

  GtkWidget *levels = open_levels (self);
  GtkWidget *area = widget_test_find (levels, GTK_TYPE_DRAWING_AREA);
  WAIT_FOR (gtk_widget_get_width (area) > 0);
  double width = gtk_widget_get_width (area);
  g_signal_connect_swapped (levels, "edited", G_CALLBACK (count_edit), &n_edits);
  GtkGesture *drag = find_drag (area);
  g_signal_emit_by_name (drag, "drag-begin", width * 0.9, 5.0);
  g_assert_cmpint (n_edits, ==, 1);
  for (int i = 1; i <= 20; i++)
    g_signal_emit_by_name (drag, "drag-update", -0.01 * width * i, 0.0);
  g_assert_cmpint (n_edits, ==, 1);
  WAIT_FOR (n_edits == 2);
  get_mapping (self, "target", &mapping);
  g_assert_cmpfloat_with_epsilon (mapping.white, 0.7 * 1.1 - 0.05, 0.02);
  g_signal_emit_by_name (drag, "drag-update", -0.3 * width, 0.0);
  g_signal_emit_by_name (drag, "drag-end", -0.3 * width, 0.0);
  g_assert_cmpint (n_edits, ==, 3);
  get_mapping (self, "target", &last);
  g_assert_cmpfloat (last.white, <, mapping.white);
  close_levels (levels);
}

/* The copy has the picture's own pixels, with the marks. */
TEST_WITH (copy_has_every_pixel, "/app/picture-set/copy", "target")
{
  g_autoptr (GError) error = NULL;

  PrismView *view = PRISM_VIEW (find_panel (self, "reconstruction")->child);
  g_assert_null (prism_picture_copy_new_texture (view, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  view = PRISM_VIEW (find_panel (self, "target")->child);
  g_autoptr (GdkTexture) texture = MUST (prism_picture_copy_new_texture (view, &error));
  g_assert_cmpint (gdk_texture_get_width (texture), ==, view->image->width);
  press (self, "target", GDK_KEY_c, GDK_CONTROL_MASK);
  g_assert_true (gdk_content_formats_contain_gtype (
      gdk_clipboard_get_formats (gtk_widget_get_clipboard (GTK_WIDGET (self->window))),
      GDK_TYPE_TEXTURE));
}
