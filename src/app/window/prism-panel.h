/* prism-panel: the frame around a view, with a button that shows it alone. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PANEL (prism_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismPanel, prism_panel, PRISM, PANEL, GtkWidget)

struct _PrismPanel
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *why_button;
  GtkToggleButton *maximize_button;

  char *id;
  char *title;
  char *topic;      /* (nullable): of the handbook, where it is not the id */
  GtkWidget *child; /* (nullable) */
  gboolean maximized;
  double zoom; /* of the view among the others, while it is shown alone */
  double x;
  double y;
};

const char *prism_panel_get_topic     (PrismPanel *self);
void        prism_panel_set_topic     (PrismPanel *self,
                                       const char *topic);
void        prism_panel_set_child     (PrismPanel *self,
                                       GtkWidget  *child);

G_END_DECLS
