#include "config.h"

#include "../engine/support/test-remove-tree.h"
#include "file-answer.h"
#include "base/prism-error.h"
#include "compare/prism-compare-window.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "formats/prism-npy.h"
#include "parameters/prism-parameter-panel.h"
#include "parameters/prism-parameter-row.h"
#include "prism-test.h"
#include "support/prism-notice.h"
#include "compare/prism-tiles-window.h"
#include "window-test.h"

#include <adwaita.h>

typedef WindowTest Fixture;

SET_UP
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  window_test_open (self, config);
}

TEAR_DOWN
{
  window_test_close (self);
  window_test_forget_runs ();
}

static PrismImage *
get_reconstruction (Fixture *fixture)
{
  PrismPanel *panel
      = prism_dashboard_get_panel (widget_test_get_part (fixture->window, "dashboard"),
                                   "reconstruction");

  return PRISM_VIEW (panel->child)->image;
}

/* The keyboard begins at the picture, which leaves Space to the window. */
TEST_FIXTURE (space_runs_from_the_start, "/app/window/space-runs-from-the-start")
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self->window));

  g_assert_true (PRISM_IS_CANVAS (focus));
  g_assert_false (widget_test_press (focus, GDK_KEY_space, 0));
  g_assert_true (widget_test_press (GTK_WIDGET (self->window), GDK_KEY_space, 0));
  WAIT_FOR (window_test_is_active (self->session));
  g_assert_true (focus == gtk_window_get_focus (GTK_WINDOW (self->window)));

  /* A result is no run that was paused. */
  WAIT_FOR (window_test_has_finished (self->session));
  g_assert_true (widget_test_press (GTK_WIDGET (self->window), GDK_KEY_space, 0));
  g_assert_true (window_test_has_finished (self->session));
}

/* Return makes the panel of the keyboard large, Escape leads back, and the keyboard stays there. */
TEST_FIXTURE (return_enlarges, "/app/window/return-enlarges")
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self->window));
  GtkWidget *panel = gtk_widget_get_ancestor (focus, PRISM_TYPE_PANEL);

  g_assert_true (widget_test_press (panel, GDK_KEY_Return, 0));
  g_assert_true (PRISM_PANEL (panel)->maximized);
  g_assert_true (widget_test_press (GTK_WIDGET (self->window), GDK_KEY_Escape, 0));
  g_assert_false (PRISM_PANEL (panel)->maximized);
  g_assert_true (focus == gtk_window_get_focus (GTK_WINDOW (self->window)));
}

/* What takes the place of a button that had the keyboard gets it. */
TEST_FIXTURE (focus_follows_the_run_button, "/app/window/focus-follows-the-run-button")
{
  GtkWindow *window = GTK_WINDOW (self->window);
  GtkWidget *run = widget_test_find (window, GTK_TYPE_BUTTON);

  while (!GTK_IS_BUTTON (run) || !gtk_widget_has_css_class (run, "suggested-action"))
    {
      gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD);
      run = gtk_window_get_focus (window);
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  g_assert_true (GTK_IS_BUTTON (gtk_window_get_focus (window)));
  g_assert_true (gtk_widget_has_css_class (gtk_window_get_focus (window), "run-button"));
  WAIT_FOR (window_test_has_finished (self->session));
  g_assert_true (gtk_window_get_focus (window) == run);
}

/* A preset with other sizes leaves the pictures, until they are discarded; they can be saved. */
TEST_FIXTURE (result_stays, "/app/window/result-stays")
{
  GActionGroup *actions = G_ACTION_GROUP (self->window);

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  g_action_group_activate_action (actions, "preset", g_variant_new_string ("quick-look"));
  for (gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 2;
       g_get_monotonic_time () < end;)
    g_main_context_iteration (NULL, FALSE);
  g_assert_nonnull (get_reconstruction (self));
  g_assert_cmpint (get_reconstruction (self)->width, ==, 32);
  g_assert_true (g_action_group_get_action_enabled (actions, "export-all"));

  g_action_group_activate_action (actions, "discard-result", NULL);
  WAIT_FOR (window_test_is_idle (self->session));
  g_assert_null (get_reconstruction (self));
  g_assert_true (g_action_group_get_action_enabled (actions, "export-previous"));
}

static PrismChartData *
get_correlation_chart (Fixture *fixture)
{
  PrismPanel *panel
      = prism_dashboard_get_panel (widget_test_get_part (fixture->window, "dashboard"), "chart-3");

  return PRISM_CHART (panel->child)->data;
}

static gboolean
has_correlation (gpointer data)
{
  PrismChartSeries *series = prism_chart_data_get_series (get_correlation_chart (data), 0);

  return prism_chart_series_get_n_points (series) > 0;
}

/* The third chart has the curve of the result: correlation and measured part of each of the 33
 * rings, the threshold as far as was measured; a new scene has none. */
TEST_FIXTURE (correlation, "/app/window/correlation")
{
  GActionGroup *actions = G_ACTION_GROUP (self->window);
  PrismKspaceView *view
      = PRISM_DASHBOARD (widget_test_get_part (self->window, "dashboard"))->kspace_view;
  PrismChartData *chart = get_correlation_chart (self);
  gboolean shown;
  guint n_measured = 0;

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  WAIT_FOR (has_correlation (self));
  while (n_measured < 33
         && prism_chart_series_get_y (prism_chart_data_get_series (chart, 1), n_measured, FALSE)
                > 0.0)
    n_measured++;
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (prism_chart_series_get_n_points (prism_chart_data_get_series (chart, i)), ==,
                      i == 2 ? n_measured : 33);
  g_action_group_activate_action (actions, "show-correlation", NULL);
  g_object_get (view, "show-correlation", &shown, NULL);
  g_assert_true (shown);
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (self->window)),
                                         GTK_WIDGET (view)));
  g_assert_true (g_action_group_get_action_enabled (actions, "export-correlation"));

  g_action_group_activate_action (actions, "discard-result", NULL);
  WAIT_FOR (window_test_is_idle (self->session));
  g_assert_cmpuint (
      prism_chart_series_get_n_points (prism_chart_data_get_series (chart, 0)), ==, 0);
}

/* From the search to what was found, past the header of its group. */
TEST_FIXTURE (tab_leads_to_the_match, "/app/window/tab-leads-to-the-match")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_PARAMETER_PANEL);
  GtkWidget *entry = widget_test_get_part (panel, "search_entry");

  g_action_group_activate_action (G_ACTION_GROUP (self->window), "search", NULL);
  g_assert_false (widget_test_press (entry, GDK_KEY_Tab, 0));
  gtk_editable_set_text (GTK_EDITABLE (entry), "learning_rate");
  g_assert_true (widget_test_press (entry, GDK_KEY_Tab, 0));
  GtkWidget *row = gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (self->window)),
                                            PRISM_TYPE_PARAMETER_ROW);
  g_assert_nonnull (row);
  g_assert_cmpstr (PRISM_PARAMETER_ROW (row)->param->key, ==,
                   "learning_rate");
}

/* One key from the sidebar to a picture, the time bar, the header, and around; another one back. */
TEST_FIXTURE (around_the_window, "/app/window/around-the-window")
{
  PrismDashboard *dashboard = widget_test_get_part (self->window, "dashboard");
  GtkWidget *header = gtk_widget_get_ancestor (widget_test_get_part (self->window, "open_button"),
                                               ADW_TYPE_HEADER_BAR);
  GtkWidget *const parts[] = { prism_dashboard_get_focus_widget (dashboard),
                               widget_test_get_part (self->window, "time_bar"), header,
                               widget_test_get_part (self->window, "parameter_panel") };

  window_test_activate (self, "search");
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (parts); i++)
    {
      GtkWidget *const part = parts[i % G_N_ELEMENTS (parts)], *focus;

      window_test_activate (self, "focus-other");
      focus = gtk_window_get_focus (GTK_WINDOW (self->window));
      g_assert_true (focus == part || gtk_widget_is_ancestor (focus, part));
    }
  for (gsize i = 2 * G_N_ELEMENTS (parts) - 1; i-- > 0;)
    {
      GtkWidget *const part = parts[i % G_N_ELEMENTS (parts)], *focus;

      window_test_activate (self, "focus-back");
      focus = gtk_window_get_focus (GTK_WINDOW (self->window));
      g_assert_true (focus == part || gtk_widget_is_ancestor (focus, part));
    }
}

/* Nor at a button that is closed to it: one that begins a run, or leads to its first moment. */
TEST_FIXTURE (keys_leave_closed_buttons, "/app/window/keys-leave-closed-buttons")
{
  static const char *const actions[] = { "win.run", "win.time-first" };
  PrismDashboard *dashboard = widget_test_get_part (self->window, "dashboard");

  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      GtkWidget *button
          = FIND (i == 0 ? widget_test_get_part (dashboard, "start") : self->window,
                  GTK_IS_BUTTON (it) && gtk_widget_get_mapped (it)
                      && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (it)),
                                    actions[i])
                             == 0);

      g_assert_true (gtk_widget_grab_focus (button));
      g_assert_true (gtk_widget_activate (button));
      WAIT_FOR (!gtk_widget_is_sensitive (button));
      g_assert_true (gtk_window_get_focus (GTK_WINDOW (self->window))
                     == prism_dashboard_get_focus_widget (dashboard));
      WAIT_FOR (window_test_has_finished (self->session));
    }
}

/* Where the sidebar goes, and on a projector, Space is for the run and for no button. */
TEST_FIXTURE (keys_stay_with_the_picture, "/app/window/keys-stay-with-the-picture")
{
  static const char *const ways[] = { "show-sidebar", "projector" };
  PrismDashboard *dashboard = widget_test_get_part (self->window, "dashboard");
  GtkWidget *picture = prism_dashboard_get_focus_widget (dashboard);

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      window_test_activate (self, "search");
      window_test_activate (self, ways[i]);
      g_assert_true (gtk_window_get_focus (GTK_WINDOW (self->window)) == picture);
      window_test_activate (self, ways[i]);
    }
  gtk_widget_grab_focus (widget_test_get_part (self->window, "open_button"));
  window_test_activate (self, "projector");
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (self->window)) == picture);
}

/* Of the rows of parameters that are seen. */
static gboolean
has_mixed_precision_first (gpointer data)
{
  GtkWidget *row = NULL;
  float top = INFINITY;

  for (GtkWidget *it = data; it != NULL; it = widget_test_next (data, it))
    {
      graphene_rect_t bounds;

      if (PRISM_IS_PARAMETER_ROW (it) && gtk_widget_get_mapped (it)
          && gtk_widget_compute_bounds (it, data, &bounds) && bounds.origin.y < top
          && bounds.size.height > 0)
        {
          top = bounds.origin.y;
          row = it;
        }
    }
  return row != NULL
         && g_str_equal (PRISM_PARAMETER_ROW (row)->param->key, "amp");
}

/* What is called so is shown, and nothing that only speaks of amplitudes and samples. */
TEST_FIXTURE (search_has_names_first, "/app/window/search-has-names-first")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_PARAMETER_PANEL);
  GtkWidget *entry = widget_test_get_part (panel, "search_entry");
  GtkWidget *list = widget_test_get_part (panel, "list");

  g_action_group_activate_action (G_ACTION_GROUP (self->window), "search", NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "AMP");
  WAIT_FOR (has_mixed_precision_first (panel));
  g_assert_false (gtk_widget_get_child_visible (gtk_widget_get_ancestor (
      widget_test_find_start (list, "Positions"), PRISM_TYPE_PARAMETER_ROW)));
}

/* The row that opens the layers is found by its own words alone. */
TEST_FIXTURE (search_hides_the_layers, "/app/window/search-hides-the-layers")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_PARAMETER_PANEL);
  GtkWidget *entry = widget_test_get_part (panel, "search_entry");
  GtkWidget *row
      = gtk_widget_get_ancestor (widget_test_find_start (panel, "Layers…"), ADW_TYPE_ACTION_ROW);

  g_assert_true (gtk_widget_get_child_visible (row));
  gtk_editable_set_text (GTK_EDITABLE (entry), "channels");
  g_signal_emit_by_name (entry, "search-changed");
  g_assert_false (gtk_widget_get_child_visible (row));
  gtk_editable_set_text (GTK_EDITABLE (entry), "LAYERS work");
  g_signal_emit_by_name (entry, "search-changed");
  g_assert_true (gtk_widget_get_child_visible (row));
}

/* Run says why it cannot, and where the keyboard is then it can be changed. */
TEST_FIXTURE (run_with_a_wrong_value, "/app/window/run-with-a-wrong-value")
{
  PrismDraft *draft = self->session->draft;
  const PrismParam *param = prism_config_get_param ("samples");

  g_assert_false (prism_draft_set_parameter (draft, param, ",,,,", NULL));
  window_test_activate (self, "run");
  g_assert_false (prism_session_get_active (self->session));
  GtkWidget *row = gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (self->window)),
                                            PRISM_TYPE_PARAMETER_ROW);
  g_assert_true (PRISM_PARAMETER_ROW (row)->param == param);
}

/* What has no effect now is found, too, and says what it waits for. */
TEST_FIXTURE (search_finds_what_waits, "/app/window/search-finds-what-waits")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_PARAMETER_PANEL);
  GtkWidget *entry = widget_test_get_part (panel, "search_entry");
  GtkWidget *reason = widget_test_find_start (panel, "Has an effect with Object: Point sources");
  GtkWidget *row = gtk_widget_get_ancestor (reason, PRISM_TYPE_PARAMETER_ROW);

  g_assert_false (gtk_widget_get_child_visible (row));
  gtk_editable_set_text (GTK_EDITABLE (entry), "point");
  g_signal_emit_by_name (entry, "search-changed");
  g_assert_true (gtk_widget_get_child_visible (row));
}

/* A picture that is cut into tiles has a window of its own, which Run opens and begins; one is
 * enough. */
TEST_FIXTURE (run_with_tiles, "/app/window/run-with-tiles")
{
  guint n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ()), n = 0;
  PrismDraft *draft = self->session->draft;
  g_autoptr (PrismConfig) config = prism_config_dup (draft->config);

  config->tile = 32;
  prism_draft_set_config (draft, config, "tiles");
  for (guint i = 0; i < 2; i++)
    g_action_group_activate_action (G_ACTION_GROUP (self->window), "run", NULL);
  g_assert_false (prism_session_get_active (self->session));
  for (guint i = 0; i < g_list_model_get_n_items (gtk_window_get_toplevels ()); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (gtk_window_get_toplevels (), i);

      n += PRISM_IS_TILES_WINDOW (window) ? 1 : 0;
    }
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n_windows + 1);
}

/* A sample that has yet to begin is not counted, so that the number stays when the run is ended. */
TEST_FIXTURE (step_and_stop, "/app/window/step-and-stop")
{
  prism_session_step (self->session, 2);
  WAIT_FOR (self->session->state == PRISM_STATE_PAUSED);
  g_assert_nonnull (widget_test_find_start (self->window, "Position 2 of 6"));
  prism_session_stop (self->session);
  WAIT_FOR (self->session->state == PRISM_STATE_STOPPED);
  g_assert_nonnull (widget_test_find_start (self->window, "Position 2 of 6"));
}

/* Whoever leaves the search can pause with Space again. */
TEST_FIXTURE (escape_leaves_the_search, "/app/window/escape-leaves-the-search")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_PARAMETER_PANEL);
  GtkWidget *entry = widget_test_get_part (panel, "search_entry");
  gboolean handled = FALSE;

  g_action_group_activate_action (G_ACTION_GROUP (self->window), "search", NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "radius");
  g_assert_true (widget_test_press (entry, GDK_KEY_Tab, 0));
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (panel);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-pressed", GDK_KEY_Escape, 0, 0, &handled);
    }
  g_assert_true (handled);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  g_assert_true (PRISM_IS_CANVAS (gtk_window_get_focus (GTK_WINDOW (self->window))));
}

static GtkWidget *
find_button (GtkWidget *widget,
             const char *label)
{
  return FIND (widget, GTK_IS_BUTTON (it)
                           && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (it)), label) == 0);
}

/* A run that a graphics processor had no memory for went on on the processor: what would need less
 * is one button away, and can be undone. */
TEST_FIXTURE (offers_after_memory, "/app/window/offers-after-memory")
{
  GtkWidget *notice = widget_test_find (self->window, PRISM_TYPE_NOTICE);
  PrismDraft *draft = self->session->draft;

  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("image_size"), "128",
                                            NULL));
  g_signal_emit_by_name (self->session, "notice", "No room. The run goes on on the CPU.", FALSE,
                         PRISM_ERROR_MEMORY);
  g_assert_nonnull (find_button (notice, "Use the processor"));
  GtkWidget *halve = find_button (notice, "Halve the sizes");
  g_assert_nonnull (halve);

  g_signal_emit_by_name (halve, "clicked");
  g_assert_cmpint (draft->config->image_size, ==, 64);
  g_assert_cmpint (draft->config->object_size, ==, 16);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "undo", NULL);
  g_assert_cmpint (draft->config->image_size, ==, 128);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "offer",
                                  g_variant_new_string ("cpu"));
  g_assert_cmpint (draft->config->backend, ==, PRISM_BACKEND_CPU);
}

/* The processor has no other to turn to, and a lost device is no matter of memory. */
TEST_FIXTURE (offers_that_make_no_sense, "/app/window/offers-that-make-no-sense")
{
  GtkWidget *notice = widget_test_find (self->window, PRISM_TYPE_NOTICE);
  PrismDraft *draft = self->session->draft;

  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("image_size"), "128",
                                            NULL));
  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("backend"), "cpu",
                                            NULL));
  g_signal_emit_by_name (self->session, "notice", "Too large.", TRUE, PRISM_ERROR_MEMORY);
  g_assert_nonnull (find_button (notice, "Halve the sizes"));
  g_assert_null (find_button (notice, "Use the processor"));

  g_signal_emit_by_name (self->session, "notice", "It fell silent.", FALSE,
                         PRISM_ERROR_DEVICE_LOST);
  g_assert_null (find_button (notice, "Halve the sizes"));
}

static void
add_mnemonic (const char *label,
              GString *mnemonics)
{
  const char *sign = strchr (label, '_');
  char letter = sign != NULL ? g_ascii_tolower (sign[1]) : '\0';

  if (letter == '\0')
    g_error ("“%s” has no mnemonic", label);
  if (strchr (mnemonics->str, letter) != NULL)
    g_error ("“%s” has the mnemonic of another entry", label);
  g_string_append_c (mnemonics, letter);
}

static guint
check_menu (GMenuModel *menu,
            GString *mnemonics,
            GActionGroup *actions)
{
  guint n_entries = 0;

  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autoptr (GMenuModel) submenu = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SUBMENU);
      g_autoptr (GString) inner = g_string_new (NULL);
      g_autofree char *label = NULL;
      g_autofree char *action = NULL;

      if (section != NULL)
        {
          n_entries += check_menu (section, mnemonics, actions);
          continue;
        }
      n_entries++;
      g_menu_model_get_item_attribute (menu, i, "label", "s", &label);
      add_mnemonic (label, mnemonics);
      if (submenu != NULL)
        check_menu (submenu, inner, actions);
      else if (g_menu_model_get_item_attribute (menu, i, "action", "s", &action)
               && g_str_has_prefix (action, "win.") && !g_str_has_suffix (action, "help-overlay"))
        g_assert_true (g_action_group_has_action (actions, action + strlen ("win.")));
    }
  return n_entries;
}

static GtkWidget *
find_by_tooltip (GtkWidget *widget,
                 const char *tooltip)
{
  return FIND (widget, g_strcmp0 (gtk_widget_get_tooltip_text (it), tooltip) == 0);
}

/* A list of nothing would open as an empty bubble. */
TEST_FIXTURE (no_recent_files, "/app/window/no-recent-files")
{
  GtkWidget *button = find_by_tooltip (GTK_WIDGET (self->window), "Recent files");

  g_assert_nonnull (button);
  g_assert_false (gtk_widget_get_sensitive (button));
}

static void
set_flag (gboolean *flag)
{
  *flag = TRUE;
}

/* As GTK's file dialogs do with what they are given: none of it was opened. */
TEST_FIXTURE (exports_are_not_recent, "/app/window/exports-are-not-recent")
{
  GtkWidget *button = find_by_tooltip (GTK_WIDGET (self->window), "Recent files");
  GtkRecentManager *manager = gtk_recent_manager_get_default ();
  g_autofree char *folder = g_dir_make_tmp ("prism-recent-XXXXXX", NULL);
  g_autofree char *uri = g_filename_to_uri (folder, NULL, NULL);
  gboolean changed = FALSE;
  gulong handler;

  handler = g_signal_connect_data (manager, "changed", G_CALLBACK (set_flag), &changed, NULL,
                                   G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_recent_manager_add_item (manager, uri);
  WAIT_FOR (changed);
  g_assert_true (gtk_recent_manager_has_item (manager, uri));
  g_assert_false (gtk_widget_get_sensitive (button));
  g_signal_handler_disconnect (manager, handler);
  gtk_recent_manager_remove_item (manager, uri, NULL);
  g_rmdir (folder);
}

typedef struct
{
  const char *folder;
  guint n; /* folders wanted in it */
} Saved;

static gboolean
has_summaries (gpointer data)
{
  const Saved *saved = data;
  g_autoptr (GDir) listing = g_dir_open (saved->folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (listing)) != NULL)
    {
      g_autofree char *path = g_build_filename (saved->folder, name, "summary.json", NULL);

      n += g_file_test (path, G_FILE_TEST_IS_REGULAR);
    }
  return n == saved->n;
}

/* What a user has in the chosen folder stays; each time there is one more folder in it. */
TEST_FIXTURE (everything_gets_its_folder, "/app/window/everything-gets-its-folder")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-everything-XXXXXX", NULL);
  g_autofree char *own = g_build_filename (folder, "metrics.csv", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  Saved saved = { folder, 0 };

  g_assert_true (g_file_set_contents (own, "mine", -1, NULL));
  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  for (saved.n = 1; saved.n <= 2; saved.n++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (self->window), "export-all", NULL);
      file_answer_give (file);
      WAIT_FOR (has_summaries (&saved));
    }
  SAYS (file_text (own), "mine");
}

static GMenuModel *
find_primary_menu (GtkWidget *widget)
{
  GtkMenuButton *button = FIND (widget, GTK_IS_MENU_BUTTON (it)
                                            && gtk_menu_button_get_primary (GTK_MENU_BUTTON (it)));

  return gtk_menu_button_get_menu_model (button);
}

/* What it holds does something, each key opens one entry, and it fits a window of 600 pixels. */
TEST_FIXTURE (main_menu, "/app/window/main-menu")
{
  GMenuModel *menu = find_primary_menu (GTK_WIDGET (self->window));
  g_autoptr (GString) mnemonics = g_string_new (NULL);

  g_assert_nonnull (menu);
  g_assert_cmpuint (check_menu (menu, mnemonics, G_ACTION_GROUP (self->window)), <=, 12);
}

/* Alt and a letter press one button of the header, Run, and Pause in its place, among them. */
TEST_FIXTURE (header, "/app/window/header")
{
  GtkWidget *header = FIND (self->window, ADW_IS_HEADER_BAR (it));
  g_autoptr (GString) mnemonics = g_string_new (NULL);

  for (GtkWidget *it = header; it != NULL; it = widget_test_next (header, it))
    if (GTK_IS_LABEL (it) && gtk_label_get_use_underline (GTK_LABEL (it))
        && gtk_widget_get_ancestor (it, GTK_TYPE_POPOVER) == NULL)
      add_mnemonic (gtk_label_get_label (GTK_LABEL (it)), mnemonics);
  g_assert_cmpuint (mnemonics->len, >=, 6);
}

/* What makes a button with a picture small leaves no room around words. */
TEST_FIXTURE (small_buttons, "/app/window/small-buttons")
{
  g_assert_null (FIND (self->window, gtk_widget_has_css_class (it, "small-button")
                                         && GTK_IS_BUTTON (it)
                                         && gtk_button_get_label (GTK_BUTTON (it)) != NULL));
}

static void
apply_preset (Fixture *fixture,
              const char *id)
{
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "preset",
                                  g_variant_new_string (id));
}

/* A scene brings object and scale along, and leaves the device; a method leaves all three. */
TEST_FIXTURE (presets, "/app/window/presets")
{
  PrismDraft *draft = self->session->draft;
  const char *const values[] = { "threads", "1", NULL };

  g_assert_true (prism_draft_set_several (draft, values, "One thread", NULL, NULL));
  apply_preset (self, "europa");
  g_assert_cmpstr (draft->config->object, ==, "ice-moon");
  g_assert_cmpfloat (draft->config->object_diameter, ==, 3138000);
  g_assert_cmpint (draft->config->threads, ==, 1);
  apply_preset (self, "quick-look");
  g_assert_cmpint (draft->config->image_size, ==, 256);
  g_assert_cmpstr (draft->config->object, ==, "ice-moon");
  g_assert_cmpfloat (draft->config->object_diameter, ==, 3138000);
  g_assert_null (draft->problem);
}

/* What has nothing to do cannot be pressed. */
TEST_FIXTURE (queue_waits_for_runs, "/app/window/queue-waits-for-runs")
{
  GActionGroup *actions = G_ACTION_GROUP (self->window);

  g_assert_false (g_action_group_get_action_enabled (actions, "queue-run"));
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.queue-add", NULL);
  g_assert_true (g_action_group_get_action_enabled (actions, "queue-run"));
  gtk_widget_activate_action (GTK_WIDGET (self->window), "win.queue-run", NULL);
  g_assert_false (g_action_group_get_action_enabled (actions, "queue-run"));
  WAIT_FOR (window_test_has_finished (self->session));
}

static gpointer
find_window (GType type)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    if (G_TYPE_CHECK_INSTANCE_TYPE (link->data, type))
      return link->data;
  return NULL;
}

/* Closed while it works, a window is hidden, and its entry of the menu shows the same one. */
TEST_FIXTURE (work_goes_on, "/app/window/work-goes-on")
{
  static const char *const kinds[][3] = {
    { "sweep", "sweep.run", "PrismSweepWindow" },
    { "tiles", "tiles.run", "PrismTilesWindow" },
    { "benchmark", "benchmark.run", "PrismBenchmarkWindow" },
    { "performance", "performance.run", "PrismPerformanceWindow" },
  };
  guint n_windows = g_list_model_get_n_items (gtk_window_get_toplevels ());

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (self->window), kinds[i][0], NULL);
      PrismJobWindow *window = find_window (g_type_from_name (kinds[i][2]));
      g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), kinds[i][1], NULL));
      g_assert_true (window->busy);
      gtk_window_close (GTK_WINDOW (window));
      g_assert_false (gtk_widget_get_visible (GTK_WIDGET (window)));
      g_action_group_activate_action (G_ACTION_GROUP (self->window), kinds[i][0], NULL);
      g_assert_true (gtk_widget_get_visible (GTK_WIDGET (window)));
      g_assert_true (window->busy);
      g_assert_cmpuint (g_list_model_get_n_items (gtk_window_get_toplevels ()), ==, n_windows + 1);
      gtk_window_destroy (GTK_WINDOW (window));
    }
  g_assert_nonnull (widget_test_find_start (self->window, "What runs there goes on"));
}

/* The message that is on the screen, if there is one. */
static AdwMessageDialog *
find_message (void)
{
  return find_window (ADW_TYPE_MESSAGE_DIALOG);
}

/* Several runs begin only when the user says so; the window that compares them comes first. */
TEST_FIXTURE (compare_methods_asks, "/app/window/compare-methods-asks")
{
  static const char *const responses[] = { "dismiss", "confirm" };

  for (gsize i = 0; i < G_N_ELEMENTS (responses); i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (self->window), "compare-methods", NULL);
      WAIT_FOR (find_message () != NULL);
      adw_message_dialog_response (find_message (), responses[i]);
      gtk_window_destroy (GTK_WINDOW (find_message ()));
      if (i == 1)
        WAIT_FOR (window_test_is_active (self->session));
      else
        g_assert_null (find_window (PRISM_TYPE_COMPARE_WINDOW));
    }
}

static double
get_top (Fixture *fixture)
{
  graphene_rect_t bounds;
  GtkWidget *dashboard = widget_test_get_part (fixture->window, "dashboard");

  g_assert_true (gtk_widget_compute_bounds (dashboard, GTK_WIDGET (fixture->window), &bounds));
  return bounds.origin.y;
}

static gboolean
has_banner (gpointer data)
{
  GtkWidget *notice = widget_test_find (data, PRISM_TYPE_NOTICE);

  return gtk_widget_get_height (notice) > 20;
}

/* The title names the configuration that was opened, until another takes its place; its marks are
 * there as well. */
TEST_FIXTURE (title, "/app/window/title")
{
  static const char display[] = "[display]\nmarks=ruler 1 2 3 4\nlimits=error gamma 2\n";
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "window-test.prism", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  g_assert_true (MUST (prism_config_save (config, path, display, &error)));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (self->window)), ==, "PRISM Studio");
  prism_window_open_file (self->window, file);
  WAIT_FOR (g_strcmp0 (gtk_window_get_title (GTK_WINDOW (self->window)),
                       "window-test.prism – PRISM Studio")
            == 0);
  g_assert_cmpstr (self->session->draft->display, ==, display);
  g_action_group_activate_action (G_ACTION_GROUP (self->window), "preset",
                                  g_variant_new_string ("quick-look"));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (self->window)), ==, "PRISM Studio");
}

/* That the pictures are of another scene is said where it moves none of them. */
TEST_FIXTURE (banner_moves_nothing, "/app/window/banner-moves-nothing")
{
  GtkWidget *panel = widget_test_find (self->window, PRISM_TYPE_PARAMETER_PANEL);
  double top = get_top (self);

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  prism_draft_set_parameter (self->session->draft,
                             prism_config_get_param ("aperture_radius"), "9", NULL);
  g_assert_true (self->session->outdated);
  WAIT_FOR (has_banner (gtk_widget_get_parent (panel)));
  g_assert_cmpfloat (get_top (self), ==, top);
}

static int
measure_row (GtkWidget *row)
{
  int height;

  gtk_widget_measure (row, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width (row), NULL, &height,
                      NULL, NULL);
  return height;
}

/* A parameter that waits for the next run says so in the line that it has. */
TEST_FIXTURE (rows_keep_their_height, "/app/window/rows-keep-their-height")
{
  GtkWidget *row = FIND (
      self->window, PRISM_IS_PARAMETER_ROW (it)
                        && g_strcmp0 (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (it)),
                                      "Radius")
                               == 0);
  int height = measure_row (row);

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  prism_draft_set_parameter (self->session->draft,
                             prism_config_get_param ("aperture_radius"), "9", NULL);
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), ==, "Next run");
  g_assert_cmpint (measure_row (row), ==, height);
}

static GtkWidget *
find_toast (GtkWidget *overlay)
{
  GtkWidget *content = adw_toast_overlay_get_child (ADW_TOAST_OVERLAY (overlay));

  for (GtkWidget *child = gtk_widget_get_first_child (overlay); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (child != content)
      return child;
  return NULL;
}

/* It comes from below. */
static gboolean
is_above_the_lines (gpointer data)
{
  GtkWidget *dashboard = adw_toast_overlay_get_child (data), *toast = find_toast (data);
  graphene_rect_t bounds;

  return toast != NULL && gtk_widget_compute_bounds (toast, dashboard, &bounds)
         && bounds.origin.y > 0.5 * gtk_widget_get_height (dashboard)
         && bounds.origin.y + bounds.size.height < gtk_widget_get_height (dashboard) - 36;
}

/* What is said for a moment covers no axis and no line below a picture, no time bar and no status
 * bar. */
TEST_FIXTURE (toast_covers_no_line, "/app/window/toast-covers-no-line")
{
  GtkWidget *overlay = widget_test_find (self->window, ADW_TYPE_TOAST_OVERLAY);
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, PRISM_RESOURCE ("prism-window.css"));
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  prism_draft_set_parameter (self->session->draft,
                             prism_config_get_param ("aperture_radius"), "9", NULL);
  WAIT_FOR (is_above_the_lines (overlay));
  gtk_style_context_remove_provider_for_display (gdk_display_get_default (),
                                                 GTK_STYLE_PROVIDER (provider));
}

/* Whatever is asked for: a place that no disk of this computer has is one sentence, not silence. */
TEST_FIXTURE (places_elsewhere, "/app/window/places-elsewhere")
{
  static const struct
  {
    const char *action;
    const char *target; /* (nullable) */
    const char *sentence;
  } cases[] = {
    { "export-all", NULL, "Only folders of this computer" },
    { "export-metrics", NULL, "Only folders of this computer" },
    { "export-events", NULL, "Only folders of this computer" },
    { "export-pixels-8", "reconstruction", "Only folders of this computer" },
    { "save-config", NULL, "Only folders of this computer" },
    { "save-gallery", NULL, "Only folders of this computer" },
    { "save-positions", NULL, "Only folders of this computer" },
    { "save-report", NULL, "Only folders of this computer" },
    { "save-run", NULL, "Only folders of this computer" },
    { "open", NULL, "Only files of this computer" },
    { "open-positions", NULL, "Only files of this computer" },
  };
  GActionGroup *actions = G_ACTION_GROUP (self->window);
  g_autoptr (GFile) elsewhere = g_file_new_for_uri ("smb://server/share/run.prismrun");

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *target = cases[i].target;

      g_test_message ("%s", cases[i].action);
      g_action_group_activate_action (actions, cases[i].action,
                                      target != NULL ? g_variant_new_string (target) : NULL);
      file_answer_give (elsewhere);
      AdwMessageDialog *message = find_message ();
      g_assert_nonnull (message);
      HAS (adw_message_dialog_get_body (message), cases[i].sentence);
      gtk_window_destroy (GTK_WINDOW (message));
    }
}

/* Who types a whole name into the chooser has its ending twice. */
TEST_FIXTURE (ending_once, "/app/window/ending-once")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-ending-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "rep.html", NULL);
  g_autofree char *typed = g_strconcat (path, ".html", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (typed);

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  window_test_activate (self, "save-report");
  file_answer_give (file);
  WAIT_FOR (g_file_test (path, G_FILE_TEST_EXISTS));
  /* Nobody was asked about a file that is there. */
  window_test_activate (self, "save-report");
  file_answer_give (file);
  WAIT_FOR (g_file_test (typed, G_FILE_TEST_EXISTS));
}

static gboolean
has_text (const char *path,
          const char *part)
{
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) && strstr (text, part) != NULL;
}

/* A name without an ending gets that of the name that was suggested. A file that is there then is
 * asked about: the chooser has asked about another name. */
TEST_FIXTURE (ending_added, "/app/window/ending-added")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *bare = g_build_filename (folder, "rep.v2", NULL);
  g_autofree char *path = g_strconcat (bare, ".html", NULL);
  g_autofree char *loud = g_build_filename (folder, "REP.PDF", NULL);
  g_autoptr (GFile) typed = g_file_new_for_path (bare);
  g_autoptr (GFile) other = g_file_new_for_path (loud);
  static const char *const answers[] = { "dismiss", "confirm" };

  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  window_test_activate (self, "save-report");
  file_answer_give (typed);
  WAIT_FOR (has_text (path, "<html"));
  g_assert_true (g_file_set_contents (path, "mine", -1, NULL));
  PRISM_FOR_EACH_OF (answer, answers)
    {
      window_test_activate (self, "save-report");
      file_answer_give (typed);
      AdwMessageDialog *message = find_message ();
      g_assert_cmpstr (adw_message_dialog_get_heading (message), ==, "Replace “rep.v2.html”?");
      g_assert_true (has_text (path, "mine"));
      g_object_ref (message);
      adw_message_dialog_response (message, *answer);
      gtk_window_destroy (GTK_WINDOW (message));
      g_object_unref (message);
    }
  WAIT_FOR (has_text (path, "<html"));
  window_test_activate (self, "save-report");
  file_answer_give (other);
  WAIT_FOR (has_text (loud, "%PDF"));
}

static PrismView *
get_target (Fixture *fixture)
{
  PrismPanel *panel
      = prism_dashboard_get_panel (widget_test_get_part (fixture->window, "dashboard"), "target");

  return PRISM_VIEW (panel->child);
}

static gboolean
has_notice (gpointer data)
{
  return *gtk_label_get_text (widget_test_get_part (data, "notice_label")) != '\0';
}

/* What the object does not show of its file stands beside it: before the run, through it, after it,
 * until there is another object. */
TEST_FIXTURE (notice_stays, "/app/window/notice-stays")
{
  g_autofree char *directory = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "a.npy", NULL);
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  PrismView *target = get_target (self);
  float pixels[32 * 32];

  for (int i = 0; i < 32 * 32; i++)
    pixels[i] = i % 32 == 7 ? NAN : i / 1024.0f;
  g_assert_true (prism_npy_save (path, pixels, 2, (const gsize[]) { 32, 32 }, NULL));
  g_assert_cmpstr (gtk_label_get_text (widget_test_get_part (target, "notice_label")), ==, "");
  g_free (config->object);
  config->object = g_strdup (path);
  prism_draft_load (self->session->draft, config);
  WAIT_FOR (has_notice (target));
  g_assert_cmpstr (gtk_label_get_text (widget_test_get_part (target, "notice_label")), ==,
                   "32 of 1024 pixels are not numbers; they were taken as the darkest value.");
  prism_session_run (self->session);
  WAIT_FOR (window_test_has_finished (self->session));
  g_assert_true (has_notice (target));
  g_free (config->object);
  config->object = g_strdup ("moon");
  prism_draft_load (self->session->draft, config);
  prism_session_run (self->session);
  WAIT_FOR (!has_notice (target));
  g_unlink (path);
  g_rmdir (directory);
}

/* The field that comes next would take Space and the letters of the shortcuts for itself. */
TEST_FIXTURE (closed_notice_leaves_focus, "/app/window/closed-notice-leaves-focus")
{
  GtkWidget *notice = widget_test_find (self->window, PRISM_TYPE_NOTICE);

  prism_notice_show (PRISM_NOTICE (notice), "A sentence.", FALSE);
  GtkWidget *button = widget_test_find (notice, GTK_TYPE_BUTTON);
  WAIT_FOR (gtk_widget_get_mapped (button));
  g_assert_true (gtk_widget_grab_focus (button));
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (PRISM_IS_CANVAS (gtk_window_get_focus (GTK_WINDOW (self->window))));
}

static const char *
get_no_loss (void)
{
  return NULL;
}

static char *
dup_no_device (void)
{
  return g_strdup ("There is no device.");
}

/* Labels outside of the parameters that tell an amount of memory: it is this one. */
static guint
count_amounts (GtkWidget *widget,
               const char *amount)
{
  guint n = 0;

  for (GtkWidget *it = widget; it != NULL; it = widget_test_next (widget, it))
    {
      const char *text = GTK_IS_LABEL (it) && gtk_widget_get_mapped (it)
                                 && gtk_widget_get_ancestor (it, ADW_TYPE_PREFERENCES_ROW) == NULL
                             ? gtk_label_get_text (GTK_LABEL (it))
                             : "";

      if (strstr (text, "iB") == NULL)
        continue;
      g_test_message ("%s", text);
      HAS (text, amount);
      n++;
    }
  return n;
}

static guint
count_in_bar_and_panel (GtkWidget *window,
                        const char *amount)
{
  return count_amounts (widget_test_find (window, ADW_TYPE_HEADER_BAR), amount)
         + count_amounts (widget_test_find (window, PRISM_TYPE_PARAMETER_PANEL), amount);
}

static void
check_amounts (Fixture *fixture)
{
  guint64 bytes;

  WAIT_FOR (count_in_bar_and_panel (GTK_WIDGET (fixture->window), "iB") == 1);
  bytes = fixture->session->required_bytes;
  g_autofree char *amount = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_assert_cmpuint (count_in_bar_and_panel (GTK_WIDGET (fixture->window), amount), ==, 1);
}

/* Beside Run stands the one amount, with a module that has no device, too. The
 * last: the file that it opens is a recent one from then on. */
TEST (one_amount_of_memory, "/app/window/one-amount-of-memory")
{
  PrismBackendOps ops = prism_cpu_backend_ops;
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  Fixture fixture;

  ops.name = "cuda";
  ops.dup_unavailable_reason = dup_no_device;
  ops.get_loss = get_no_loss;
  prism_registry_replace ("cuda", &ops);
  config->backend = PRISM_BACKEND_AUTO;
  window_test_open (&fixture, config);
  check_amounts (&fixture);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.run", NULL);
  WAIT_FOR (window_test_has_finished (fixture.session));
  check_amounts (&fixture);
  tear_down (&fixture, NULL);
  prism_registry_replace ("cuda", NULL);
}
