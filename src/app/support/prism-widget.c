#include "config.h"

#include "support/prism-widget.h"

#include "base/prism-each.h"
#include "base/prism-system.h"

#include <adwaita.h>
#include <epoxy/gl.h>

/* A menu of GTK 4.8 that closes shows its first page again for the next time, and that takes the
 * focus of the window along from the page of the sub-menu: into a popover that is not on the
 * screen. No key comes to anything there. What the popover belongs to gets the focus then. */

static gboolean
on_settled (gpointer data)
{
  GtkWidget *popover = data;
  GtkRoot *root = gtk_widget_get_root (popover);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || gtk_widget_get_mapped (popover)
      || !(gtk_widget_is_ancestor (focus, popover) || focus == popover))
    return G_SOURCE_REMOVE;
  /* What it is of, or the nearest around that takes the focus. */
  for (GtkWidget *widget = gtk_widget_get_parent (popover); widget != NULL;
       widget = gtk_widget_get_parent (widget))
    if (gtk_widget_get_mapped (widget) && gtk_widget_grab_focus (widget))
      break;
  return G_SOURCE_REMOVE;
}

/* The focus moves only when everyone has heard that the popover is closed. */
static gboolean
on_closed (GSignalInvocationHint *hint,
           guint n_values,
           const GValue *values,
           gpointer data)
{
  GtkWidget *around = gtk_widget_get_parent (g_value_get_object (&values[0]));

  if (GTK_IS_MENU_BUTTON (around))
    gtk_widget_set_has_tooltip (around, gtk_widget_get_tooltip_text (around) != NULL);
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_settled, g_value_dup_object (&values[0]),
                   g_object_unref);
  return TRUE;
}

/* The tooltip of its button would lie over the first entries of a menu. */
static gboolean
on_opened (GSignalInvocationHint *hint,
           guint n_values,
           const GValue *values,
           gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);
  GtkWidget *around = gtk_widget_get_parent (widget);

  if (GTK_IS_POPOVER (widget) && GTK_IS_MENU_BUTTON (around))
    gtk_widget_set_has_tooltip (around, FALSE);
  return TRUE;
}

/**
 * prism_menu_focus_init:
 *
 * From now on no popover of any window keeps the focus when it closes, or lies below the tooltip of
 * its button.
 *
 * Thread: main.
 */
void
prism_menu_focus_init (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (GTK_TYPE_POPOVER);

  g_signal_add_emission_hook (g_signal_lookup ("closed", GTK_TYPE_POPOVER), 0, on_closed, NULL,
                              NULL);
  g_signal_add_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), 0, on_opened, NULL, NULL);
}

/* Spin buttons and scales of GTK 4.8 take the wheel wherever the pointer is, also when it only
 * passes over them while a page is scrolled. */

#define KEY "prism-wheel-guard"

/**
 * prism_widget_take_wheel:
 * @widget: a field, a list or a page
 * @takes: whether it takes the wheel; else it leaves it to what is around
 */
void
prism_widget_take_wheel (GtkWidget *widget,
                         gboolean takes)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_event_controller_set_propagation_phase (controller,
                                                    takes ? GTK_PHASE_BUBBLE : GTK_PHASE_NONE);
    }
}

static void
update_field (GtkEventControllerFocus *focus)
{
  prism_widget_take_wheel (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (focus)),
                           gtk_event_controller_focus_contains_focus (focus));
}

/* A page within a page leaves the wheel to the outer one where all of its height is seen. */
static void
update_page (GtkAdjustment *height,
             GtkWidget *page)
{
  prism_widget_take_wheel (page, gtk_adjustment_get_upper (height)
                                     > gtk_adjustment_get_page_size (height));
}

static gboolean
on_map (GSignalInvocationHint *hint,
        guint n_values,
        const GValue *values,
        gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if ((GTK_IS_SPIN_BUTTON (widget) || GTK_IS_SCALE (widget))
      && g_object_get_data (G_OBJECT (widget), KEY) == NULL
      && gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW) != NULL)
    {
      GtkEventController *focus = gtk_event_controller_focus_new ();

      g_object_set_data (G_OBJECT (widget), KEY, focus);
      g_signal_connect (focus, "notify::contains-focus", G_CALLBACK (update_field), NULL);
      gtk_widget_add_controller (widget, focus);
      update_field (GTK_EVENT_CONTROLLER_FOCUS (focus));
    }
  if (GTK_IS_SCROLLED_WINDOW (widget) && g_object_get_data (G_OBJECT (widget), KEY) == NULL
      && gtk_widget_get_ancestor (gtk_widget_get_parent (widget), GTK_TYPE_SCROLLED_WINDOW) != NULL)
    {
      GtkAdjustment *height
          = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (widget));

      g_object_set_data (G_OBJECT (widget), KEY, height);
      g_signal_connect_object (height, "changed", G_CALLBACK (update_page), widget, 0);
      update_page (height, widget);
    }
  return TRUE;
}

/**
 * prism_widget_set_name:
 * @widget: a widget
 * @name: what a screen reader calls it
 *
 * Thread: main.
 */
void
prism_widget_set_name (gpointer widget,
                       const char *name)
{
  gtk_accessible_update_property (widget, GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/**
 * prism_widget_control:
 * @widget: a widget
 * @controller: (transfer full): a controller, gesture or drop target
 * @object: whose functions follow its signals
 * @signal: one of them
 * @...: the function that gets @object and what the signal has; more of both; NULL
 *
 * Lets a widget be controlled.
 */
void
prism_widget_control (gpointer widget,
                      gpointer controller,
                      gpointer object,
                      const char *signal,
                      ...)
{
  va_list more;

  va_start (more, signal);
  for (; signal != NULL; signal = va_arg (more, const char *))
    g_signal_connect_object (controller, signal, va_arg (more, GCallback), object,
                             G_CONNECT_SWAPPED);
  va_end (more);
  gtk_widget_add_controller (widget, controller);
}

GtkWidget *
prism_label_new (const char *text,
                 const char *style,
                 int chars)
{
  GtkWidget *label = gtk_label_new (text);

  g_object_set (label, "xalign", 0.0f, "wrap", chars >= 0, "max-width-chars",
                chars > 0 ? chars : -1, NULL);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  return label;
}

void
prism_label_show_sign (GtkWidget *label)
{
  static const char *const styles[] = { "success", "warning", "error" };
  const char *style = prism_verdict_get_style (gtk_label_get_text (GTK_LABEL (label)));

  PRISM_FOR_EACH_OF (one, styles)
    if (g_strcmp0 (*one, style) == 0)
      gtk_widget_add_css_class (label, *one);
    else
      gtk_widget_remove_css_class (label, *one);
}

void
prism_search_leave (GtkEditable *search)
{
  if (*gtk_editable_get_text (search) == '\0')
    gtk_window_close (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (search))));
  else
    gtk_editable_set_text (search, "");
}

void
prism_widget_enable (gpointer widget,
                     const char *action,
                     ...)
{
  va_list more;

  va_start (more, action);
  for (; action != NULL; action = va_arg (more, const char *))
    gtk_widget_action_set_enabled (widget, action, va_arg (more, gboolean));
  va_end (more);
}

/**
 * prism_widget_place_window:
 * @owner: an object
 * @window: a window
 * @place: (out): a member of @owner
 *
 * Puts the window into the place, which is emptied when it is closed: a job may hold it for longer
 * than that, and for longer than there is an owner.
 *
 * Thread: main.
 */
void
prism_widget_place_window (gpointer owner,
                           gpointer window,
                           GtkWindow **place)
{
  GClosure *closure = g_cclosure_new_swap (G_CALLBACK (g_nullify_pointer), place, NULL);

  *place = window;
  g_object_watch_closure (owner, closure);
  /* One that is still held is not destroyed yet; one that is hidden stays realized. */
  g_signal_connect_closure (window, "unrealize", closure, FALSE);
}

/**
 * prism_widget_drop_children:
 * @widget: one that has no template
 *
 * Gives up all of its children, as a widget does that is disposed of.
 */
void
prism_widget_drop_children (GtkWidget *widget)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (widget)) != NULL)
    gtk_widget_unparent (child);
}

/**
 * prism_widget_drop_template:
 * @widget: one whose own class has a template
 *
 * Gives up what came from the template, as a widget does that is disposed of.
 */
void
prism_widget_drop_template (GtkWidget *widget)
{
  gtk_widget_dispose_template (widget, G_OBJECT_TYPE (widget));
}

/**
 * prism_wheel_guard_init:
 *
 * From now on spin buttons and scales in scrolled pages, of any window, leave the wheel to the page
 * until they have the focus.
 *
 * Thread: main.
 */
void
prism_wheel_guard_init (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (GTK_TYPE_WIDGET);

  g_signal_add_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), 0, on_map, NULL, NULL);
}

/* The shortcuts of a GtkApplication reach only the windows that belong to it, and one that belongs
 * to it keeps the program alive. */

static gboolean
quit (gpointer application)
{
  g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  return G_SOURCE_REMOVE;
}

/* GTK holds the window of a key as long as it handles it, longer than the parent that goes. */
static gboolean
on_quit (GtkWidget *widget,
         GVariant *args,
         gpointer data)
{
  GApplication *application = g_application_get_default ();

  if (application == NULL)
    return FALSE;
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, quit, g_object_ref (application), g_object_unref);
  return TRUE;
}

/* The key that leaves anything does not leave what goes on unseen. */
static gboolean
on_escape (GtkWidget *widget,
           GVariant *args,
           gpointer data)
{
  if (gtk_window_get_hide_on_close (GTK_WINDOW (widget)))
    return FALSE;
  gtk_window_close (GTK_WINDOW (widget));
  return TRUE;
}

static void
add_shortcut (GtkShortcutController *keys,
              const char *key,
              GtkShortcutAction *action)
{
  gtk_shortcut_controller_add_shortcut (
      keys, gtk_shortcut_new (gtk_shortcut_trigger_parse_string (key), action));
}

/* A window that belongs to another one begins no larger than that. */
static void
on_parent (GtkWindow *window)
{
  GtkWindow *parent = gtk_window_get_transient_for (window);
  int width, height;

  if (parent == NULL || gtk_widget_get_width (GTK_WIDGET (parent)) == 0)
    return;
  gtk_window_get_default_size (window, &width, &height);
  gtk_window_set_default_size (window, MIN (width, gtk_widget_get_width (GTK_WIDGET (parent))),
                               MIN (height, gtk_widget_get_height (GTK_WIDGET (parent))));
}

/* A window is unrealized when it is destroyed. A dialog or a job may hold it longer than its parent
 * lives, which GTK does not follow. */
static void
on_unrealized (GtkWindow *window)
{
  gtk_window_set_transient_for (window, NULL);
}

static void
watch_parents (GListModel *windows,
               guint position,
               guint n_removed,
               guint n_added)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      g_signal_connect_after (window, "unrealize", G_CALLBACK (on_unrealized), NULL);
    }
}

/**
 * prism_window_parents_init:
 *
 * From now on every window that comes leaves its parent when it is closed.
 *
 * Thread: main.
 */
void
prism_window_parents_init (void)
{
  g_signal_connect (gtk_window_get_toplevels (), "items-changed", G_CALLBACK (watch_parents), NULL);
}

/* A question waits for its answer: nothing else is asked meanwhile. */
static void
on_windows_changed (GListModel *windows,
                    guint position,
                    guint n_removed,
                    guint n_added,
                    gpointer data)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);
      GtkShortcutController *keys;

      if (ADW_IS_MESSAGE_DIALOG (window))
        continue;
      keys = GTK_SHORTCUT_CONTROLLER (gtk_shortcut_controller_new ());
      if (!GTK_IS_APPLICATION_WINDOW (window))
        {
          add_shortcut (keys, "<Control>w", gtk_named_action_new ("window.close"));
          add_shortcut (keys, "Escape", gtk_callback_action_new (on_escape, NULL, NULL));
          g_signal_connect (window, "notify::transient-for", G_CALLBACK (on_parent), NULL);
        }
      add_shortcut (keys, "<Control>q", gtk_callback_action_new (on_quit, NULL, NULL));
      gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (keys));
    }
}

/**
 * prism_window_keys_init:
 *
 * From now on every window that comes has the keys, and begins no larger than its parent.
 *
 * Thread: main.
 */
void
prism_window_keys_init (void)
{
  g_signal_connect (gtk_window_get_toplevels (), "items-changed", G_CALLBACK (on_windows_changed),
                    NULL);
}

/* A drop-down of GTK 4.8 has a search entry that nothing typed comes to before it is clicked, that
 * compares the beginnings of the names alone, and that does nothing with Return. */

static GtkWidget *
find_child (GtkWidget *widget,
            GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_child (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static GtkSingleSelection *
get_hits (GtkWidget *popover)
{
  GtkWidget *view = find_child (popover, GTK_TYPE_LIST_VIEW);

  return GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (view)));
}

/* (nullable): It is made anew with each model and expression, so that it is looked for when it is
 * needed. */
static GtkStringFilter *
get_filter (GtkWidget *popover)
{
  GListModel *model = gtk_single_selection_get_model (get_hits (popover));
  GtkFilter *filter = GTK_IS_FILTER_LIST_MODEL (model)
                          ? gtk_filter_list_model_get_filter (GTK_FILTER_LIST_MODEL (model))
                          : NULL;

  return GTK_IS_STRING_FILTER (filter) ? GTK_STRING_FILTER (filter) : NULL;
}

static void
on_popup (GtkWidget *popover)
{
  GtkStringFilter *filter = get_filter (popover);

  if (filter != NULL)
    gtk_string_filter_set_match_mode (filter, GTK_STRING_FILTER_MATCH_MODE_SUBSTRING);
  gtk_widget_grab_focus (find_child (popover, GTK_TYPE_SEARCH_ENTRY));
}

/* The first hit is taken, also of letters that have only just been typed. */
static void
on_search_return (GtkWidget *popover,
                  GtkEditable *entry)
{
  GtkStringFilter *filter = get_filter (popover);

  if (filter != NULL)
    gtk_string_filter_set_search (filter, gtk_editable_get_text (entry));
  if (g_list_model_get_n_items (G_LIST_MODEL (get_hits (popover))) == 0)
    return;
  gtk_single_selection_set_selected (get_hits (popover), 0);
  g_signal_emit_by_name (find_child (popover, GTK_TYPE_LIST_VIEW), "activate", 0);
}

/**
 * prism_list_search_enable:
 * @list: a drop-down with a model and an expression
 *
 * Makes the drop-down search for what is typed, anywhere in the names; Return takes the first.
 *
 * Thread: main.
 */
void
prism_list_search_enable (GtkDropDown *list)
{
  GtkWidget *popover = find_child (GTK_WIDGET (list), GTK_TYPE_POPOVER);

  g_return_if_fail (popover != NULL);
  gtk_drop_down_set_enable_search (list, TRUE);
  /* GTK's 400 reach below a screen of 600. */
  g_object_set (find_child (popover, GTK_TYPE_SCROLLED_WINDOW), "max-content-height", 280, NULL);
  g_signal_connect_after (popover, "map", G_CALLBACK (on_popup), NULL);
  PRISM_CONNECT (find_child (popover, GTK_TYPE_SEARCH_ENTRY), "activate", on_search_return,
                 popover);
}

/* Where no graphics processor draws (remote desktops, virtual machines, bare drivers) GL is a
 * program: Mesa's takes every processor for each frame, those of the run with them, and frames come
 * late. cairo draws the same windows on one thread, and less of them anew. */

/* GTK looks here first for the name of a renderer, since 4.0. */
#define GTK_KEY "gsk-renderer"

/**
 * prism_renderer_is_software:
 * @name: what GL says of itself, GL_RENDERER
 *
 * Returns: whether the processor does the work
 */
gboolean
prism_renderer_is_software (const char *name)
{
  /* Mesa's, by itself, behind Vulkan (zink, lavapipe) or behind a virtual card (virgl); Google's;
   * Windows' and Apple's, which are passed on to virtual machines. */
  static const char *const programs[] = {
    "llvmpipe",
    "lavapipe",
    "softpipe",
    "swrast",
    "software",
    "swiftshader",
    "basic render",
  };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  PRISM_FOR_EACH_OF (program, programs)
    if (strstr (lower, *program) != NULL)
      return TRUE;
  return FALSE;
}

/* What GL says of itself, NULL where there is none. The context is one that GTK makes anyhow when
 * it draws by GL. */
static char *
dup_name (GdkDisplay *display)
{
  g_autoptr (GdkGLContext) context = gdk_display_create_gl_context (display, NULL);
  char *name;

  if (context == NULL || !gdk_gl_context_realize (context, NULL))
    return NULL;
  gdk_gl_context_make_current (context);
  name = g_strdup ((const char *) glGetString (GL_RENDERER));
  gdk_gl_context_clear_current ();
  return name;
}

/**
 * prism_renderer_choose:
 * @display: where windows will be shown
 *
 * Before the first window: lets cairo draw them where GL would be software. What the user has set
 * (GSK_RENDERER) stands, and where there is no GL GTK finds out by itself.
 */
void
prism_renderer_choose (GdkDisplay *display)
{
  g_autofree char *name = NULL;

  if (g_getenv ("GSK_RENDERER") != NULL)
    return;
  name = dup_name (display);
  if (name != NULL && prism_renderer_is_software (name))
    g_object_set_data (G_OBJECT (display), GTK_KEY, (gpointer) "cairo");
}

/**
 * prism_program_dup_cli:
 *
 * Returns: (transfer full) (nullable): the path of prism-cli of this very program; PRISM_CLI in the
 *   environment says another
 */
char *
prism_program_dup_cli (void)
{
  const char *asked = g_getenv ("PRISM_CLI");

  return asked != NULL ? g_strdup (asked) : prism_program_find ("prism-cli");
}

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
