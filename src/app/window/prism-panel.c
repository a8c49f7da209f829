#include "config.h"

#include "window/prism-panel.h"

#include "canvas/prism-view.h"
#include "support/prism-widget.h"

G_DEFINE_FINAL_TYPE (PrismPanel, prism_panel, GTK_TYPE_WIDGET)

static void
update_names (PrismPanel *self)
{
  g_autofree char *maximize = g_strdup_printf (
      self->maximized ? _ ("Show “%s” beside the others") : _ ("Show “%s” alone"), self->title);
  g_autofree char *why = g_strdup_printf (_ ("Why does “%s” look so?"), self->title);

  prism_widget_set_name (self, self->title);
  prism_widget_set_name (self->why_button, why);
  gtk_widget_set_tooltip_text (self->why_button, _ ("Why? What this panel shows (F1)"));
  prism_widget_set_name (self->maximize_button, maximize);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->maximize_button),
                               self->maximized ? _ ("Show all panels")
                                               : _ ("Show this panel alone"));
  gtk_button_set_icon_name (GTK_BUTTON (self->maximize_button),
                            self->maximized ? "view-restore-symbolic" : "view-fullscreen-symbolic");
}

static void
update_target (PrismPanel *self)
{
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->why_button), "s",
                                    self->id != NULL ? self->id : "");
}

/* What is looked at alone is looked at closely; panels beside each other have their own zoom. */
static void
change_zoom (PrismPanel *self,
             PrismViewport *viewport)
{
  if (!self->maximized)
    {
      prism_viewport_set_view (viewport, self->zoom, self->x, self->y);
      return;
    }
  self->zoom = viewport->zoom;
  self->x = viewport->center_x;
  self->y = viewport->center_y;
}

static void
update_maximized (PrismPanel *self)
{
  if (PRISM_IS_VIEW (self->child))
    change_zoom (self, PRISM_VIEW (self->child)->canvas->viewport);
  update_names (self);
}

static void
prism_panel_dispose (PrismPanel *self)
{
  self->child = NULL;
}

static void
prism_panel_class_init (PrismPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_panel_dispose);
  PRISM_DISPOSE (klass, PrismPanel, gtk_widget_unparent, content);
  PRISM_FINALIZE (klass, PrismPanel, g_free, id, title, topic);
  PRISM_FIELD (klass, PrismPanel, id, G_TYPE_STRING, update_target);
  PRISM_FIELD (klass, PrismPanel, title, G_TYPE_STRING, update_names);
  prism_property_new (klass, "child", GTK_TYPE_WIDGET, 0, NULL, prism_panel_set_child);
  PRISM_FIELD (klass, PrismPanel, maximized, G_TYPE_BOOLEAN, update_maximized);

  PRISM_TEMPLATE (klass, PrismPanel, "prism-panel.ui", content, why_button, maximize_button);
  gtk_widget_class_install_property_action (widget_class, "panel.maximized", "maximized");
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Return, 0, "panel.maximized", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_KP_Enter, 0, "panel.maximized", NULL);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_panel_init (PrismPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->title = g_strdup ("");
  update_target (self);
  update_names (self);
}

/**
 * prism_panel_get_topic:
 * @self: a panel
 *
 * Returns: (transfer none) (nullable): the section of the handbook that explains it
 */
const char *
prism_panel_get_topic (PrismPanel *self)
{
  return self->topic != NULL ? self->topic : self->id;
}

/**
 * prism_panel_set_topic:
 * @self: a panel
 * @topic: the section of the handbook that explains it, where its id is none
 */
void
prism_panel_set_topic (PrismPanel *self,
                       const char *topic)
{
  prism_keep_text (&self->topic, topic);
}

/**
 * prism_panel_set_child:
 * @self: a panel
 * @child: (nullable): the view that it frames
 *
 * Sets the view.
 */
void
prism_panel_set_child (PrismPanel *self,
                       GtkWidget *child)
{
  if (self->child == child)
    return;
  self->child = child;
  gtk_overlay_set_child (GTK_OVERLAY (self->content), child);
  g_object_notify (G_OBJECT (self), "child");
}
