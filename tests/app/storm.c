#include "config.h"

#include "storm.h"
#include "file-answer.h"
#include "config/prism-preset.h"
#include "charts/prism-quantity.h"
#include "support/prism-settings.h"
#include "widget-test.h"

#define MAX_WINDOWS 6
#define N_REMEMBERED 40

typedef struct
{
  guint weight;
  void (*blow) (Storm *self);
} Gust;

/* The last ones, for the moment it ends badly. */
static char remembered[N_REMEMBERED][160];
static guint n_done;

void
storm_remember (const char *format,
                ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (remembered[n_done++ % N_REMEMBERED], sizeof remembered[0], format, args);
  va_end (args);
}

/* Writes the last ones as lines of TAP; for handlers of signals. */
void
storm_tell (void)
{
  for (guint i = n_done > N_REMEMBERED ? n_done - N_REMEMBERED : 0; i < n_done; i++)
    {
      const char *line = remembered[i % N_REMEMBERED];

      if (write (STDERR_FILENO, "# ", 2) < 0 || write (STDERR_FILENO, line, strlen (line)) < 0
          || write (STDERR_FILENO, "\n", 1) < 0)
        break;
    }
}

/* A number below n. */
guint
storm_pick (Storm *self,
            guint n)
{
  return (guint) g_rand_int_range (self->rand, 0, (gint32) n);
}

/* (nullable) */
PrismWindow *
storm_get_window (Storm *self)
{
  return prism_application_get_window (self->application);
}

static GVariant *
pick_string (Storm *self,
             const char *const *names)
{
  return g_variant_new_string (names[storm_pick (self, g_strv_length ((char **) names))]);
}

static char *
dup_uri (Storm *self)
{
  static const char *const names[]
      = { "object.png", "setup.prism", "run.prismrun", "broken.prismrun", "broken.png",
          "none.png" };
  g_autofree char *path
      = g_build_filename (self->folder, names[storm_pick (self, G_N_ELEMENTS (names))], NULL);

  return g_filename_to_uri (path, NULL, NULL);
}

/* What the menus and notices of the window say with an action that takes a word. */
static GVariant *
make_word (Storm *self,
           const char *action)
{
  static const char *const pictures[]
      = { "reconstruction", "target", "measurement", "error", "kspace", NULL };
  static const char *const panels[] = { "reconstruction", "error", "kspace", "chart-1", "chart-2",
                                        "chart-3", "chart-4", NULL };
  static const char *const lessons[]
      = { "aperture", "resolution", "phase", "noise", "prior", "judging", NULL };
  static const char *const offers[] = { "halve", "amp", "cpu", NULL };
  static const char *const interrupted[] = { "resume", "show", "discard", NULL };
  static const char *const arrangements[] = { "explore", "teach", "device", NULL };
  static const char *const moments[] = { "Halfway", "", NULL };
  static const struct
  {
    const char *action;
    const char *const *words;
  } choices[] = {
    { "export-pixels-8", pictures },
    { "export-pixels-16", pictures },
    { "copy", pictures },
    { "copy-figure", pictures },
    { "save-readings", pictures },
    { "figure", panels },
    { "why", panels },
    { "lesson", lessons },
    { "offer", offers },
    { "interrupted", interrupted },
    { "arrangement", arrangements },
    { "time-name", moments },
  };

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (g_str_equal (action, choices[i].action))
      return pick_string (self, choices[i].words);
  return NULL;
}

static GVariant *
make_target (Storm *self,
             const char *action,
             const GVariantType *type)
{
  gsize n_presets;

  if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    return g_variant_new_boolean (storm_pick (self, 2) == 0);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_INT32))
    return g_variant_new_int32 (g_rand_int_range (self->rand, 1, 20));
  g_assert_true (g_variant_type_equal (type, G_VARIANT_TYPE_STRING));
  GVariant *word = make_word (self, action);
  if (word != NULL)
    return word;
  if (g_str_equal (action, "show-folder"))
    return g_variant_new_string (self->folder);
  if (g_str_equal (action, "open-uri"))
    return g_variant_new_take_string (dup_uri (self));
  if (g_str_equal (action, "handbook-page"))
    return g_variant_new_string ("lessons");
  g_assert_cmpstr (action, ==, "preset");
  const PrismPreset *presets = prism_preset_get_all (&n_presets);
  return g_variant_new_string (presets[storm_pick (self, (guint) n_presets)].id);
}

static void
activate (Storm *self,
          GActionGroup *group,
          const char *name)
{
  const GVariantType *type = g_action_group_get_action_parameter_type (group, name);
  GVariant *target = type != NULL ? make_target (self, name, type) : NULL;
  g_autofree char *text = target != NULL ? g_variant_print (target, FALSE) : g_strdup ("");

  storm_remember ("%s %s%s", name, text,
                  g_action_group_get_action_enabled (group, name) ? "" : ", which is disabled");
  g_action_group_activate_action (group, name, target);
}

static void
blow_window_action (Storm *self)
{
  GActionGroup *group = G_ACTION_GROUP (storm_get_window (self));
  g_auto (GStrv) names = g_action_group_list_actions (group);

  activate (self, group, names[storm_pick (self, g_strv_length (names))]);
}

/* What a run is steered with, more often than anything else. */
static void
blow_run (Storm *self)
{
  static const char *const names[] = { "run", "run", "pause", "toggle-run", "step", "step-several",
                                       "stop", "restart", "discard-result", "undo", "redo", "fork",
                                       "fork-back", "queue-add", "queue-run", "time-previous",
                                       "time-first", "focus-back" };

  activate (self, G_ACTION_GROUP (storm_get_window (self)),
            names[storm_pick (self, G_N_ELEMENTS (names))]);
}

static void
blow_program_action (Storm *self)
{
  static const char *const names[] = { "about", "preferences" };

  activate (self, G_ACTION_GROUP (self->application),
            names[storm_pick (self, G_N_ELEMENTS (names))]);
}

/* The menu of a panel. */
static void
blow_panel_action (Storm *self)
{
  static const char *const colormaps[] = { "grey", "viridis", "coolwarm", NULL };
  static const char *const stretches[] = { "linear", "sqrt", "log", NULL };
  PrismDashboard *dashboard = storm_get_window (self)->dashboard;
  g_autofree char *chart = g_strdup_printf ("chart-%u", 1 + storm_pick (self, 4));
  gsize n_quantities;
  const PrismQuantity *quantities = prism_quantity_get_all (&n_quantities);
  const char *quantity = quantities[storm_pick (self, (guint) n_quantities)].id;
  PrismPanel *panel;

  if (storm_pick (self, 2) == 0)
    {
      storm_remember ("%s shows %s", chart, quantity);
      panel = prism_dashboard_get_panel (dashboard, chart);
      g_assert_true (gtk_widget_activate_action (GTK_WIDGET (panel), "panel.quantity", "s",
                                                 quantity));
      return;
    }
  storm_remember ("other colours");
  panel = prism_dashboard_get_panel (dashboard, storm_pick (self, 2) == 0 ? "reconstruction"
                                                                          : "kspace");
  gtk_widget_activate_action_variant (panel->child, "panel.colormap",
                                      pick_string (self, colormaps));
  gtk_widget_activate_action_variant (panel->child, "panel.stretch", pick_string (self, stretches));
}

static GPtrArray *
list_windows (void)
{
  g_autoptr (GList) list = gtk_window_list_toplevels ();
  GPtrArray *windows = g_ptr_array_new ();

  for (GList *link = list; link != NULL; link = link->next)
    if (gtk_widget_get_mapped (link->data))
      g_ptr_array_add (windows, link->data);
  return windows;
}

/* The window itself every other time. */
static GtkWidget *
pick_window (Storm *self)
{
  g_autoptr (GPtrArray) windows = list_windows ();

  if (windows->len == 0 || storm_pick (self, 2) == 0)
    return GTK_WIDGET (storm_get_window (self));
  return g_ptr_array_index (windows, storm_pick (self, windows->len));
}

static void
blow_key (Storm *self)
{
  static const guint keys[]
      = { GDK_KEY_space, GDK_KEY_n, GDK_KEY_N, GDK_KEY_Escape, GDK_KEY_0, GDK_KEY_comma,
          GDK_KEY_period, GDK_KEY_less, GDK_KEY_greater, GDK_KEY_b, GDK_KEY_g, GDK_KEY_l, GDK_KEY_p,
          GDK_KEY_Left, GDK_KEY_Right, GDK_KEY_Up, GDK_KEY_Down, GDK_KEY_plus, GDK_KEY_minus,
          GDK_KEY_Return, GDK_KEY_Delete, GDK_KEY_Insert, GDK_KEY_Tab, GDK_KEY_Home, GDK_KEY_End,
          GDK_KEY_F5, GDK_KEY_a, GDK_KEY_BackSpace, GDK_KEY_1, GDK_KEY_3, GDK_KEY_5 };
  static const GdkModifierType modifiers[] = { 0, 0, 0, GDK_SHIFT_MASK, GDK_CONTROL_MASK };
  GtkWidget *window = pick_window (self);
  guint key = keys[storm_pick (self, G_N_ELEMENTS (keys))];
  GdkModifierType modifier = modifiers[storm_pick (self, G_N_ELEMENTS (modifiers))];

  storm_remember ("key %s (%u) in %s", gdk_keyval_name (key), modifier,
                  G_OBJECT_TYPE_NAME (window));
  for (GtkWidget *widget = gtk_window_get_focus (GTK_WINDOW (window)); widget != NULL;
       widget = gtk_widget_get_parent (widget))
    if (GTK_IS_POPOVER (widget) || widget_test_press (widget, key, modifier))
      return;
}

/* Any value that the table allows, or the reset of one. */
static void
blow_parameter (Storm *self)
{
  static const char *const objects[] = { "moon", "ice-moon", "text", "points", "nothing-of-that" };
  PrismDraft *draft = storm_get_window (self)->draft;
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);
  const PrismParam *param = &params[storm_pick (self, (guint) n_params)];
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *text = number;
  double x = g_rand_double (self->rand);

  if (param->type == PRISM_PARAM_TEXT)
    text = strcmp (param->key, "object") == 0 ? objects[storm_pick (self, G_N_ELEMENTS (objects))]
                                              : "16 8 1";
  else if (param->type == PRISM_PARAM_SWITCH)
    text = x < 0.5 ? "on" : "off";
  else if (param->type == PRISM_PARAM_CHOICE)
    {
      guint n_choices = 0;

      while (param->choices[n_choices].name != NULL)
        n_choices++;
      text = param->choices[storm_pick (self, n_choices)].name;
    }
  else
    {
      x = param->minimum + (param->maximum - param->minimum) * x * x * x * x;
      g_ascii_formatd (number, sizeof number,
                       param->type == PRISM_PARAM_INTEGER ? "%.0f" : "%.6g", x);
    }
  storm_remember ("%s = %s", param->key, text);
  if (storm_pick (self, 8) == 0)
    prism_draft_reset_parameter (draft, param);
  else
    prism_draft_set_parameter (draft, param, text, NULL);
}

static void
blow_setting (Storm *self)
{
  static const char *const themes[] = { "follow", "light", "dark", NULL };
  static const char *const colormaps[] = { "grey", "viridis", "magma", NULL };
  PrismSettings *settings = prism_settings_get_default ();

  storm_remember ("other settings");
  switch (storm_pick (self, 6))
    {
    case 0:
      g_object_set (settings, "theme", themes[storm_pick (self, 3)], NULL);
      break;
    case 1:
      g_object_set (settings, "preview", storm_pick (self, 2) == 0, NULL);
      break;
    case 2:
      g_object_set (settings, "preview-rate", g_rand_int_range (self->rand, 1, 61), NULL);
      break;
    case 3:
      g_object_set (settings, "colormap", colormaps[storm_pick (self, 3)], NULL);
      break;
    case 4:
      g_object_set (settings, "kept-runs", g_rand_int_range (self->rand, 0, 4), NULL);
      break;
    default:
      g_object_set (settings, "show-sidebar", storm_pick (self, 2) == 0, NULL);
    }
}

static void
blow_size (Storm *self)
{
  GtkWindow *window = GTK_WINDOW (pick_window (self));
  int width = g_rand_int_range (self->rand, 360, 1600);
  int height = g_rand_int_range (self->rand, 300, 1000);

  storm_remember ("%s gets %d×%d", G_OBJECT_TYPE_NAME (window), width, height);
  gtk_window_set_default_size (window, width, height);
}

/* What is scrolled out of the window is out of reach. */
static gboolean
is_in_reach (GtkWidget *widget)
{
  GtkWidget *native = GTK_WIDGET (gtk_widget_get_native (widget));
  graphene_rect_t bounds;

  return gtk_widget_compute_bounds (widget, native, &bounds) && bounds.origin.x >= 0
         && bounds.origin.y >= 0 && bounds.origin.x < gtk_widget_get_width (native)
         && bounds.origin.y < gtk_widget_get_height (native);
}

static void
list_pressable (GtkWidget *widget,
                GPtrArray *list)
{
  /* These ask for programs that are not there: a browser, a mail program. */
  if (!gtk_widget_get_mapped (widget) || !gtk_widget_is_sensitive (widget)
      || GTK_IS_LINK_BUTTON (widget) || ADW_IS_ABOUT_WINDOW (widget))
    return;
  if ((GTK_IS_BUTTON (widget) || GTK_IS_MENU_BUTTON (widget) || GTK_IS_SWITCH (widget)
       || GTK_IS_CHECK_BUTTON (widget) || GTK_IS_DROP_DOWN (widget) || GTK_IS_SPIN_BUTTON (widget)
       || GTK_IS_RANGE (widget) || GTK_IS_EDITABLE (widget) || GTK_IS_EXPANDER (widget)
       || GTK_IS_LIST_BOX_ROW (widget) || PRISM_IS_CANVAS (widget)
       || strcmp (G_OBJECT_TYPE_NAME (widget), "GtkModelButton") == 0)
      && is_in_reach (widget))
    g_ptr_array_add (list, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    list_pressable (child, list);
}

/* Whoever presses elsewhere closes the bubbles that are open, except those that it is in. */
static void
close_bubbles (GtkWidget *widget,
               GtkWidget *pressed)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_visible (widget)
      && (pressed == NULL || !gtk_widget_is_ancestor (pressed, widget)))
    gtk_popover_popdown (GTK_POPOVER (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    close_bubbles (child, pressed);
}

static void
close_all_bubbles (GtkWidget *pressed)
{
  g_autoptr (GPtrArray) windows = list_windows ();

  for (guint i = 0; i < windows->len; i++)
    close_bubbles (g_ptr_array_index (windows, i), pressed);
}

static void
set_number (Storm *self,
            GtkAdjustment *adjustment)
{
  double lower = gtk_adjustment_get_lower (adjustment);
  double upper = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);
  double x = g_rand_double (self->rand);

  gtk_adjustment_set_value (adjustment, lower + (upper - lower) * x * x);
}

static void
press (Storm *self,
       GtkWidget *widget)
{
  static const char *const texts[] = { "", "radius", "3", "-1", "1e99", "0:3:4", "<b>",
                                       "äöü", "nan" };

  if (GTK_IS_RANGE (widget))
    set_number (self, gtk_range_get_adjustment (GTK_RANGE (widget)));
  else if (GTK_IS_SPIN_BUTTON (widget))
    set_number (self, gtk_spin_button_get_adjustment (GTK_SPIN_BUTTON (widget)));
  else if (GTK_IS_DROP_DOWN (widget))
    gtk_drop_down_set_selected (
        GTK_DROP_DOWN (widget),
        storm_pick (self, g_list_model_get_n_items (
                              gtk_drop_down_get_model (GTK_DROP_DOWN (widget)))));
  else if (GTK_IS_BUTTON (widget) && !GTK_IS_TOGGLE_BUTTON (widget))
    g_signal_emit_by_name (widget, "clicked");
  else if (PRISM_IS_CANVAS (widget))
    gtk_widget_grab_focus (widget);
  else if (GTK_IS_EDITABLE (widget))
    {
      gtk_widget_grab_focus (widget);
      if (gtk_editable_get_editable (GTK_EDITABLE (widget)))
        gtk_editable_set_text (GTK_EDITABLE (widget),
                               texts[storm_pick (self, G_N_ELEMENTS (texts))]);
      gtk_widget_activate (widget);
    }
  else
    gtk_widget_activate (widget);
}

static void
blow_press (Storm *self)
{
  GtkWidget *window = pick_window (self);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  const char *name = NULL;

  list_pressable (window, list);
  if (list->len == 0)
    return;
  g_autoptr (GtkWidget) widget = g_ptr_array_index (list, storm_pick (self, list->len));
  if (GTK_IS_BUTTON (widget))
    name = gtk_button_get_label (GTK_BUTTON (widget));
  if (name == NULL)
    name = gtk_widget_get_tooltip_text (widget);
  storm_remember ("%s “%s” in %s", G_OBJECT_TYPE_NAME (widget), name != NULL ? name : "",
                  G_OBJECT_TYPE_NAME (window));
  g_object_ref (widget);
  close_all_bubbles (widget);
  press (self, widget);
}

/* Another window goes; the oldest where there are many. */
static void
blow_close (Storm *self)
{
  g_autoptr (GPtrArray) windows = list_windows ();

  for (guint i = 0; i < windows->len; i++)
    {
      GtkWindow *window = g_ptr_array_index (windows, i);

      if (PRISM_IS_WINDOW (window) || (windows->len < MAX_WINDOWS && storm_pick (self, 2) == 0))
        continue;
      storm_remember ("%s closes", G_OBJECT_TYPE_NAME (window));
      gtk_window_close (window);
      return;
    }
}

static void
blow_answer (Storm *self)
{
  static const char *const names[] = { "written", "object.png", "setup.prism", "run.prismrun",
                                       "broken.prismrun", "no/folder/there", "", "table.csv" };
  g_autofree char *path
      = g_build_filename (self->folder, names[storm_pick (self, G_N_ELEMENTS (names))], NULL);
  guint kind = storm_pick (self, 6);
  g_autoptr (GFile) file = kind == 0   ? NULL
                           : kind == 1 ? g_file_new_for_uri ("smb://server/share/x")
                                       : g_file_new_for_path (path);

  if (!file_answer_is_wanted ())
    return;
  storm_remember ("a file dialog is answered: %s", kind == 0 ? "no" : kind == 1 ? "elsewhere"
                                                                                : path);
  file_answer_give (file);
}

static void
blow_files (Storm *self)
{
  g_autofree char *uri = dup_uri (self);
  g_autoptr (GFile) file = g_file_new_for_uri (uri);
  g_autofree char *path = g_build_filename (self->folder, "run.prismrun", NULL);
  g_autoptr (GFile) run = g_file_new_for_path (path);
  GSList *files = g_slist_prepend (g_slist_prepend (NULL, run), file);

  storm_remember ("opens %s", uri);
  if (storm_pick (self, 4) > 0 || !prism_window_compare_files (storm_get_window (self), files))
    prism_window_open_file (storm_get_window (self), file);
  g_slist_free (files);
}

/* Lets a run come to something. */
static void
blow_nothing (Storm *self)
{
  gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 2;

  storm_remember ("waits");
  while (g_get_monotonic_time () < end && storm_get_window (self) != NULL
         && prism_session_get_active (storm_get_window (self)->session))
    g_main_context_iteration (NULL, FALSE);
}

static void
blow_compare_action (Storm *self)
{
  static const char *const pages[] = { "images", "curves", "table", NULL };
  GtkWindow *window = storm_get_window (self)->compare_window;

  if (window == NULL)
    return;
  storm_remember ("another page of the comparison");
  if (storm_pick (self, 2) == 0)
    gtk_widget_activate_action (GTK_WIDGET (window), "compare.mode", "i",
                                (int) storm_pick (self, 3));
  else
    gtk_widget_activate_action_variant (GTK_WIDGET (window), "compare.page",
                                        pick_string (self, pages));
}

static const Gust gusts[] = {
  { 14, blow_run },
  { 14, blow_window_action },
  { 1, blow_program_action },
  { 3, blow_panel_action },
  { 3, blow_compare_action },
  { 8, blow_key },
  { 12, blow_parameter },
  { 3, blow_setting },
  { 3, blow_size },
  { 24, blow_press },
  { 7, blow_close },
  { 8, blow_answer },
  { 3, blow_files },
  { 3, blow_nothing },
};

/* Does one thing. */
void
storm_blow (Storm *self)
{
  guint sum = 0, at;

  for (gsize i = 0; i < G_N_ELEMENTS (gusts); i++)
    sum += gusts[i].weight;
  at = storm_pick (self, sum);
  for (gsize i = 0; i < G_N_ELEMENTS (gusts); i++)
    {
      if (at < gusts[i].weight)
        {
          if (gusts[i].blow != blow_press)
            close_all_bubbles (NULL);
          gusts[i].blow (self);
          return;
        }
      at -= gusts[i].weight;
    }
}
