#include "config.h"

#include "prism-notice.h"

#include "prism-wording.h"

struct _PrismNotice
{
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkWidget *bar;
  GtkImage *icon;
  GtkLabel *label;
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
  gtk_widget_class_bind_template_callback (widget_class, on_close_clicked);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
}

static void
prism_notice_init (PrismNotice *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_notice_show:
 * @self: a notice
 * @sentence: for the user
 * @failed: whether something failed, or is only worth knowing
 *
 * Shows a sentence in place of the one before.
 */
void
prism_notice_show (PrismNotice *self,
                   const char *sentence,
                   gboolean failed)
{
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
 * prism_notice_hide:
 * @self: a notice
 *
 * Takes the sentence away.
 */
void
prism_notice_hide (PrismNotice *self)
{
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
}
