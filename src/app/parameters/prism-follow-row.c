#include "config.h"

#include "parameters/prism-follow-row.h"

#include "support/prism-wording.h"

struct _PrismFollowRow
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *control;
  GtkWidget *detail_label;
};

G_DEFINE_FINAL_TYPE (PrismFollowRow, prism_follow_row, GTK_TYPE_WIDGET)

static void
prism_follow_row_dispose (GObject *object)
{
  PrismFollowRow *self = PRISM_FOLLOW_ROW (object);

  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_follow_row_parent_class)->dispose (object);
}

static void
prism_follow_row_class_init (PrismFollowRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_follow_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-follow-row.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismFollowRow, content);
  gtk_widget_class_bind_template_child (widget_class, PrismFollowRow, control);
  gtk_widget_class_bind_template_child (widget_class, PrismFollowRow, detail_label);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_follow_row_init (PrismFollowRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* One line, whatever it says: the list below must not move under a pointer that changes a value.
 * The sentence belongs to the switch for those who hear it, too. */
static void
on_detail_changed (PrismFollowRow *self,
                   GParamSpec *pspec,
                   PrismFollow *follow)
{
  g_autofree char *detail = NULL;

  g_object_get (follow, "detail", &detail, NULL);
  gtk_label_set_text (GTK_LABEL (self->detail_label), detail);
  gtk_widget_set_tooltip_text (self->detail_label, detail);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->control),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, detail, -1);
}

/**
 * prism_follow_row_set_follow:
 * @self: a row without one
 * @follow: what is switched
 *
 * Connects the row.
 */
void
prism_follow_row_set_follow (PrismFollowRow *self,
                             PrismFollow *follow)
{
  g_object_bind_property (follow, "active", self->control, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_signal_connect_object (follow, "notify::detail", G_CALLBACK (on_detail_changed), self,
                           G_CONNECT_SWAPPED);
  on_detail_changed (self, NULL, follow);
}
