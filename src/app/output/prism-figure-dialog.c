#include "config.h"

#include "output/prism-figure-dialog.h"

#include "support/prism-job.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

#define POINTS_PER_MM (72 / 25.4)
/* Of the preview: more would not be seen, and takes time after each key. */
#define PREVIEW_WIDTH 900 /* px */
#define INTERVAL 150      /* ms */

/* The entries of the list “Look”. */
enum
{
  LOOK_LIGHT,
  LOOK_DARK,
  LOOK_TRANSPARENT,
};

struct _PrismFigureDialog
{
  AdwWindow parent_instance;

  GtkPicture *preview;
  GtkLabel *size_label;
  AdwPreferencesGroup *panel_group;
  GtkSpinButton *columns_spin;
  GtkSpinButton *width_spin;      /* mm */
  GtkSpinButton *resolution_spin; /* dots per inch */
  GtkSpinButton *font_spin;       /* points */
  GtkDropDown *family_list;
  GtkDropDown *look_list;
  GtkDropDown *kind_list;
  GtkSwitch *origin_switch;
  GtkSwitch *readings_switch;
  GtkEditable *caption;
  GtkWidget *save_button;

  GPtrArray *panels; /* of GtkWidget, references */
  GPtrArray *checks; /* of GtkCheckButton, children */
  char *origin;      /* (nullable) */
  PrismThrottle *throttle;
};

enum
{
  ACCEPTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismFigureDialog, prism_figure_dialog, ADW_TYPE_WINDOW)

static void
init_options (PrismFigureDialog *self,
              PrismFigureOptions *options)
{
  static const char *const families[] = { NULL, "Serif", "Monospace" };
  guint look = gtk_drop_down_get_selected (self->look_list);
  const char *caption = gtk_editable_get_text (self->caption);

  prism_figure_options_init (options);
  options->width = POINTS_PER_MM * gtk_spin_button_get_value (self->width_spin);
  options->resolution = gtk_spin_button_get_value (self->resolution_spin);
  options->font_size = gtk_spin_button_get_value (self->font_spin);
  options->family = families[MIN (gtk_drop_down_get_selected (self->family_list),
                                  G_N_ELEMENTS (families) - 1)];
  options->dark = look == LOOK_DARK;
  options->transparent = look == LOOK_TRANSPARENT;
  options->subtitle = gtk_switch_get_active (self->origin_switch) ? self->origin : NULL;
  options->readings = gtk_switch_get_active (self->readings_switch);
  options->caption = *caption != '\0' ? caption : NULL;
}

static GPtrArray *
list_chosen (PrismFigureDialog *self)
{
  GPtrArray *chosen = g_ptr_array_new ();

  for (guint i = 0; i < self->panels->len; i++)
    if (gtk_check_button_get_active (self->checks->pdata[i]))
      g_ptr_array_add (chosen, self->panels->pdata[i]);
  return chosen;
}

/* What the file will measure. */
static void
show_size (PrismFigureDialog *self,
           GdkTexture *texture,
           const PrismFigureOptions *options)
{
  double width = options->width / POINTS_PER_MM;
  double height = width * gdk_texture_get_height (texture) / gdk_texture_get_width (texture);
  double pixels = options->width / 72 * gtk_spin_button_get_value (self->resolution_spin);
  g_autofree char *text = g_strdup_printf (_ ("%.0f × %.0f mm, %.0f × %.0f px as PNG"), width,
                                           height, pixels, pixels * height / width);

  gtk_label_set_label (self->size_label, text);
}

static void
show_preview (gpointer data)
{
  PrismFigureDialog *self = data;
  g_autoptr (GPtrArray) chosen = list_chosen (self);
  PrismFigureSheet sheet = { chosen, gtk_spin_button_get_value_as_int (self->columns_spin) };
  PrismFigureOptions options;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GError) error = NULL;

  init_options (self, &options);
  options.resolution = PREVIEW_WIDTH * 72 / options.width;
  bytes = prism_figure_render_sheet (&sheet, &options, &error);
  if (bytes != NULL)
    texture = gdk_texture_new_from_bytes (bytes, &error);
  gtk_picture_set_paintable (self->preview, texture != NULL ? GDK_PAINTABLE (texture) : NULL);
  gtk_widget_set_sensitive (self->save_button, texture != NULL);
  if (texture != NULL)
    show_size (self, texture, &options);
  else
    gtk_label_set_label (self->size_label, error->message);
}

static void
update (PrismFigureDialog *self)
{
  if (self->throttle != NULL)
    prism_throttle_call (self->throttle, FALSE);
}

static void
on_accept (PrismFigureDialog *self)
{
  g_signal_emit (self, signals[ACCEPTED], 0);
}

static void
prism_figure_dialog_dispose (GObject *object)
{
  PrismFigureDialog *self = PRISM_FIGURE_DIALOG (object);

  g_clear_pointer (&self->throttle, prism_throttle_free);
  g_clear_pointer (&self->panels, g_ptr_array_unref);
  g_clear_pointer (&self->checks, g_ptr_array_unref);
  g_clear_pointer (&self->origin, g_free);
  G_OBJECT_CLASS (prism_figure_dialog_parent_class)->dispose (object);
}

static void
prism_figure_dialog_class_init (PrismFigureDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_figure_dialog_dispose;
  signals[ACCEPTED] = g_signal_new ("accepted", PRISM_TYPE_FIGURE_DIALOG, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 0);
  PRISM_TEMPLATE (widget_class, PrismFigureDialog, "prism-figure-dialog.ui", preview, size_label,
                  panel_group, columns_spin, width_spin, resolution_spin, font_spin, family_list,
                  look_list, kind_list, origin_switch, readings_switch, caption, save_button);
  PRISM_TEMPLATE_CALLBACKS (widget_class, on_accept, update);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
prism_figure_dialog_init (PrismFigureDialog *self)
{
  self->panels = g_ptr_array_new_with_free_func (g_object_unref);
  self->checks = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->throttle = prism_throttle_new (INTERVAL, 0, show_preview, self);
}

/**
 * prism_figure_dialog_new:
 * @parent: (nullable): the window it belongs to
 * @origin: (nullable): a line about what the pictures were recorded with
 *
 * Returns: (transfer none): a dialog without panels, to be presented
 */
PrismFigureDialog *
prism_figure_dialog_new (GtkWindow *parent,
                         const char *origin)
{
  PrismFigureDialog *self = g_object_new (PRISM_TYPE_FIGURE_DIALOG, "transient-for", parent, NULL);

  self->origin = g_strdup (origin);
  return self;
}

/**
 * prism_figure_dialog_add:
 * @self: a dialog
 * @panel: a #PrismView or a #PrismChart, which it keeps
 * @title: of the panel
 * @chosen: whether it is part of the figure in the beginning
 *
 * Offers one more panel.
 */
void
prism_figure_dialog_add (PrismFigureDialog *self,
                         GtkWidget *panel,
                         const char *title,
                         gboolean chosen)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *check = gtk_check_button_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), chosen);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), check);
  adw_preferences_group_add (self->panel_group, row);
  g_signal_connect_swapped (check, "toggled", G_CALLBACK (update), self);
  g_ptr_array_add (self->panels, g_object_ref (panel));
  g_ptr_array_add (self->checks, check);
  update (self);
}

/**
 * prism_figure_dialog_get_ending:
 * @self: a dialog
 *
 * Returns: (transfer none): of the name of the file: "pdf", "svg" or "png"
 */
const char *
prism_figure_dialog_get_ending (PrismFigureDialog *self)
{
  static const char *const endings[] = { "pdf", "svg", "png" };

  return endings[MIN (gtk_drop_down_get_selected (self->kind_list), G_N_ELEMENTS (endings) - 1)];
}

/**
 * prism_figure_dialog_save:
 * @self: a dialog
 * @path: file name that ends in .png, .svg or .pdf
 * @error: return location
 *
 * Saves the figure that the preview shows.
 *
 * Errors: those of prism_figure_save_sheet().
 *
 * Returns: whether the file was written
 */
gboolean
prism_figure_dialog_save (PrismFigureDialog *self,
                          const char *path,
                          GError **error)
{
  g_autoptr (GPtrArray) chosen = list_chosen (self);
  PrismFigureSheet sheet = { chosen, gtk_spin_button_get_value_as_int (self->columns_spin) };
  PrismFigureOptions options;

  init_options (self, &options);
  return prism_figure_save_sheet (&sheet, path, &options, error);
}
