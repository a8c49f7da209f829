#include "config.h"

#include "output/prism-film-dialog.h"

#include "formats/prism-video.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>

struct _PrismFilmDialog
{
  AdwWindow parent_instance;

  GtkDropDown *content_list;
  GtkDropDown *kind_list;
  GtkDropDown *scale_list;
  GtkSpinButton *rate_spin;
  GtkSwitch *loop_switch;
};

enum
{
  ACCEPTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismFilmDialog, prism_film_dialog, ADW_TYPE_WINDOW)

static void
on_accept (PrismFilmDialog *self)
{
  g_signal_emit (self, signals[ACCEPTED], 0);
  gtk_window_close (GTK_WINDOW (self));
}

static void
prism_film_dialog_class_init (PrismFilmDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  signals[ACCEPTED] = g_signal_new ("accepted", PRISM_TYPE_FILM_DIALOG, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-film-dialog.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismFilmDialog, content_list);
  gtk_widget_class_bind_template_child (widget_class, PrismFilmDialog, kind_list);
  gtk_widget_class_bind_template_child (widget_class, PrismFilmDialog, scale_list);
  gtk_widget_class_bind_template_child (widget_class, PrismFilmDialog, rate_spin);
  gtk_widget_class_bind_template_child (widget_class, PrismFilmDialog, loop_switch);
  gtk_widget_class_bind_template_callback (widget_class, on_accept);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
prism_film_dialog_init (PrismFilmDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  if (prism_video_is_possible ())
    gtk_string_list_append (GTK_STRING_LIST (gtk_drop_down_get_model (self->kind_list)),
                            _ ("WebM"));
}

/**
 * prism_film_dialog_new:
 * @parent: (nullable): the window it belongs to
 *
 * Returns: (transfer none): the dialog, to be presented
 */
PrismFilmDialog *
prism_film_dialog_new (GtkWindow *parent)
{
  return g_object_new (PRISM_TYPE_FILM_DIALOG, "transient-for", parent, NULL);
}

/**
 * prism_film_dialog_get_options:
 * @self: a dialog
 * @options: (out caller-allocates): what was chosen; the colours are left at their defaults
 */
void
prism_film_dialog_get_options (PrismFilmDialog *self,
                               PrismFilmOptions *options)
{
  prism_film_options_init (options);
  options->content = (PrismFilmContent) gtk_drop_down_get_selected (self->content_list);
  options->scale = 1 + (int) gtk_drop_down_get_selected (self->scale_list);
  options->rate = gtk_spin_button_get_value_as_int (self->rate_spin);
  options->loop = gtk_switch_get_active (self->loop_switch);
}

/**
 * prism_film_dialog_get_kind:
 * @self: a dialog
 *
 * Returns: the format that was chosen
 */
PrismAnimationKind
prism_film_dialog_get_kind (PrismFilmDialog *self)
{
  return (PrismAnimationKind) gtk_drop_down_get_selected (self->kind_list);
}
