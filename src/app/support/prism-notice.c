#include "config.h"

#include "support/prism-notice.h"

#include "support/prism-wording.h"

struct _PrismNotice
{
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkWidget *bar;
  GtkImage *icon;
  GtkLabel *label;
  GtkBox *lines; /* the sentence, and its buttons beside or below it */
  GtkBox *buttons;
  guint n_buttons;
  gboolean narrow; /* every button stands below the sentence */
};

G_DEFINE_FINAL_TYPE (PrismNotice, prism_notice, GTK_TYPE_WIDGET)

static void
on_close_clicked (PrismNotice *self)
{
  prism_notice_hide (self);
}

static void
prism_notice_dispose (GObject *object)
{
  PrismNotice *self = PRISM_NOTICE (object);
  GtkWidget *revealer = GTK_WIDGET (self->revealer);

  self->revealer = NULL;
  g_clear_pointer (&revealer, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_notice_parent_class)->dispose (object);
}

static void
prism_notice_class_init (PrismNoticeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_notice_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, PRISM_RESOURCE ("prism-notice.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismNotice, revealer);
  gtk_widget_class_bind_template_child (widget_class, PrismNotice, bar);
  gtk_widget_class_bind_template_child (widget_class, PrismNotice, icon);
  gtk_widget_class_bind_template_child (widget_class, PrismNotice, label);
  gtk_widget_class_bind_template_child (widget_class, PrismNotice, lines);
  gtk_widget_class_bind_template_child (widget_class, PrismNotice, buttons);
  gtk_widget_class_bind_template_callback (widget_class, on_close_clicked);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
}

static void
prism_notice_init (PrismNotice *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static void
remove_buttons (PrismNotice *self)
{
  GtkWidget *button;

  while ((button = gtk_widget_get_first_child (GTK_WIDGET (self->buttons))) != NULL)
    gtk_box_remove (self->buttons, button);
  self->n_buttons = 0;
  gtk_widget_set_visible (GTK_WIDGET (self->buttons), FALSE);
}

/**
 * prism_notice_show:
 * @self: a notice
 * @sentence: for the user
 * @failed: whether something failed, or is only worth knowing
 *
 * Shows a sentence in place of the one before and its buttons.
 */
void
prism_notice_show (PrismNotice *self,
                   const char *sentence,
                   gboolean failed)
{
  remove_buttons (self);
  gtk_label_set_text (self->label, sentence);
  gtk_image_set_from_icon_name (self->icon,
                                failed ? "dialog-warning-symbolic" : "dialog-information-symbolic");
  if (failed)
    gtk_widget_add_css_class (self->bar, "failed");
  else
    gtk_widget_remove_css_class (self->bar, "failed");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

/**
 * prism_notice_add_button:
 * @self: a notice that is shown
 * @label: what it does
 * @action: detailed name of the action, such as "win.run"
 *
 * Offers a way out of what the sentence says. One button stands beside it, more stand below.
 */
void
prism_notice_add_button (PrismNotice *self,
                         const char *label,
                         const char *action)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (self->buttons, button);
  self->n_buttons++;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->lines),
                                  self->narrow || self->n_buttons > 1
                                      ? GTK_ORIENTATION_VERTICAL
                                      : GTK_ORIENTATION_HORIZONTAL);
  gtk_widget_set_visible (GTK_WIDGET (self->buttons), TRUE);
}

/**
 * prism_notice_set_narrow:
 * @self: a notice
 * @narrow: whether it stands in a column
 *
 * In a column every button stands below the sentence.
 */
void
prism_notice_set_narrow (PrismNotice *self,
                         gboolean narrow)
{
  self->narrow = narrow;
}

/* The keyboard would go to what comes next, which may be a field that takes Space and letters. */
static void
give_focus_back (PrismNotice *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self)))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
}

/**
 * prism_notice_hide:
 * @self: a notice
 *
 * Takes the sentence away; a keyboard that was there goes to the picture.
 */
void
prism_notice_hide (PrismNotice *self)
{
  give_focus_back (self);
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
}
