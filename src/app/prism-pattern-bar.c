#include "config.h"

#include "prism-pattern-bar.h"

#include <glib/gi18n.h>

struct _PrismPatternBar
{
  GtkWidget parent_instance;

  GtkWidget *edit_button;
  GtkWidget *patterns_button;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE (PrismPatternBar, prism_pattern_bar, GTK_TYPE_WIDGET)

static void
prism_pattern_bar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PRISM_TYPE_PATTERN_BAR);
  G_OBJECT_CLASS (prism_pattern_bar_parent_class)->dispose (object);
}

static void
prism_pattern_bar_class_init (PrismPatternBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_pattern_bar_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/prism_studio/PrismStudio/prism-pattern-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PrismPatternBar, edit_button);
  gtk_widget_class_bind_template_child (widget_class, PrismPatternBar, patterns_button);
  gtk_widget_class_bind_template_child (widget_class, PrismPatternBar, label);
  gtk_widget_class_set_css_name (widget_class, "prism-pattern-bar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_pattern_bar_init (PrismPatternBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* GTK 4.8 reads the label inside as well as the name of the button. */
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->edit_button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->patterns_button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

/**
 * prism_pattern_bar_new:
 * @desk: what it shows
 *
 * Returns: (transfer floating): a bar, whose buttons activate actions of the window
 */
GtkWidget *
prism_pattern_bar_new (PrismPatternDesk *desk)
{
  PrismPatternBar *self = g_object_new (PRISM_TYPE_PATTERN_BAR, NULL);

  g_object_bind_property (desk, "summary", self->label, "label", G_BINDING_SYNC_CREATE);
  g_object_bind_property (desk, "details", self->label, "tooltip-text", G_BINDING_SYNC_CREATE);
  return GTK_WIDGET (self);
}
