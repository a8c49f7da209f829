/* prism-dashboard: all that is seen of a run: five images and four charts. */
#pragma once

#include "window/prism-picture-set.h"
#include "window/prism-arrangement.h"
#include "reconstruction/prism-finding-view.h"
#include "charts/prism-chart.h"
#include "kspace/prism-kspace-view.h"
#include "session/prism-session.h"
#include "window/prism-chart-panel.h"
#include "window/prism-panel-grid.h"

G_BEGIN_DECLS

#define PRISM_TYPE_DASHBOARD (prism_dashboard_get_type ())

G_DECLARE_FINAL_TYPE (PrismDashboard, prism_dashboard, PRISM, DASHBOARD, GtkWidget)

struct _PrismDashboard
{
  GtkWidget parent_instance;

  GtkWidget *content;
  PrismPanelGrid *grid;
  PrismPanel *reconstruction_panel;
  PrismPanel *target_panel;
  PrismPanel *measurement_panel;
  PrismPanel *error_panel;
  PrismPanel *kspace_panel;
  PrismPanel *phase_panel;
  PrismPanel *pupil_panel;
  PrismPanel *lights_panel;
  PrismPanel *prediction_panel;
  PrismPanel *chart_panels[PRISM_ARRANGEMENT_CHARTS];
  PrismView *reconstruction_view;
  PrismView *target_view;
  PrismView *measurement_view;
  PrismView *error_view;
  PrismKspaceView *kspace_view;
  PrismFindingView *phase_view;
  PrismFindingView *pupil_view;
  PrismLightPanel *lights;
  PrismView *prediction_view;
  GtkWidget *lines; /* below the reconstruction */
  GtkWidget *start; /* ways in, where the reconstruction will be */
  GtkBox *ways;     /* its buttons */
  GMenuModel *image_menu;
  GMenuModel *difference_menu;

  PrismChartPanel *charts[PRISM_ARRANGEMENT_CHARTS];
  PrismPictureSet *pictures;
  PrismViewport *viewport; /* of the images of the object */
  PrismViewport *camera;   /* (unowned): of what the camera sees */
  gboolean exposed;        /* the measurement is one exposure of the object */
  gboolean recorded;       /* the panels are those of recorded frames */
  PrismTimeline *timeline;
  PrismCorrelation *correlation;
  PrismPlayback *playback; /* (nullable): what is followed */
  PrismSnapshot *shown;    /* (nullable): what the images show */
  PrismSnapshot *held;     /* (nullable): whose reconstruction stays for the time being */
  gboolean past;           /* it is not the newest */
  gboolean shows_exposure; /* instead of the measurement */
  gboolean hides_exposure; /* before a run: a lesson asks what it will be */
  gboolean shows_second;   /* instead of the reconstruction, where there is a second picture */
  PrismSnapshot *previous; /* (nullable): of another run, which this one is compared with */
  PrismSession *session;   /* (unowned) (nullable) */
  guint looked;            /* number of the frame that is looked at */
  PrismImage *frame;       /* (nullable): of recorded ones, the same at every moment */
  guint page_id;           /* idle source, 0 or one */
};

void        prism_dashboard_set_session      (PrismDashboard *self,
                                              PrismSession   *session);
PrismPanel *prism_dashboard_get_panel        (PrismDashboard *self,
                                              const char     *id);
GtkWidget  *prism_dashboard_get_focus_widget (PrismDashboard *self);
gboolean    prism_dashboard_restore          (PrismDashboard *self);
void        prism_dashboard_reset_zoom       (PrismDashboard *self);

G_END_DECLS
