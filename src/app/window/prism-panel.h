/* prism-panel: the frame around a view, with a button that shows it alone. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PRISM_TYPE_PANEL (prism_panel_get_type ())

G_DECLARE_FINAL_TYPE (PrismPanel, prism_panel, PRISM, PANEL, GtkWidget)

const char *prism_panel_get_id        (PrismPanel *self);
const char *prism_panel_get_title     (PrismPanel *self);
const char *prism_panel_get_topic     (PrismPanel *self);
void        prism_panel_set_topic     (PrismPanel *self,
                                       const char *topic);
void        prism_panel_set_child     (PrismPanel *self,
                                       GtkWidget  *child);
GtkWidget  *prism_panel_get_child     (PrismPanel *self);
gboolean    prism_panel_get_maximized (PrismPanel *self);

G_END_DECLS
