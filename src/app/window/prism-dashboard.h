/* prism-dashboard: all that is seen of a run: five images and four charts. */
#pragma once

#include "charts/prism-chart.h"
#include "kspace/prism-kspace-view.h"
#include "session/prism-session.h"
#include "window/prism-chart-panel.h"
#include "window/prism-panel-grid.h"

G_BEGIN_DECLS

#define PRISM_TYPE_DASHBOARD (prism_dashboard_get_type ())

G_DECLARE_FINAL_TYPE (PrismDashboard, prism_dashboard, PRISM, DASHBOARD, GtkWidget)

void        prism_dashboard_set_session      (PrismDashboard *self,
                                              PrismSession   *session);
PrismTimeline *
            prism_dashboard_get_timeline     (PrismDashboard *self);
PrismPanel *prism_dashboard_get_panel        (PrismDashboard *self,
                                              const char     *id);
PrismPanelGrid *
            prism_dashboard_get_grid         (PrismDashboard *self);
PrismChartPanel *
            prism_dashboard_get_chart        (PrismDashboard *self,
                                              guint           i);
PrismKspaceView *prism_dashboard_get_kspace_view (PrismDashboard *self);
void        prism_dashboard_add_line         (PrismDashboard *self,
                                              GtkWidget      *line);
GtkWidget  *prism_dashboard_get_focus_widget (PrismDashboard *self);
char       *prism_dashboard_dup_readings     (PrismDashboard *self,
                                              const char     *id);
gboolean    prism_dashboard_restore          (PrismDashboard *self);
void        prism_dashboard_set_scale        (PrismDashboard *self,
                                              double          scale);
void        prism_dashboard_reset_zoom       (PrismDashboard *self);

G_END_DECLS
