#include "config.h"

#include "window/prism-dashboard.h"

#include "canvas/prism-image-view.h"
#include "config/prism-units.h"
#include "support/prism-settings.h"
#include "support/prism-widget.h"

#define N_CHARTS PRISM_ARRANGEMENT_CHARTS
#define MARGIN 12 /* px, above the grid; in prism-window.css */

G_DEFINE_FINAL_TYPE (PrismDashboard, prism_dashboard, GTK_TYPE_WIDGET)

/* The export items name their panel: %s in the template's menu cannot. */
static GMenuModel *
create_view_menu (const char *id,
                  GMenuModel *look)
{
  static const struct
  {
    const char *label;
    const char *action;
  } items[] = {
    { N_ ("Save _pixels (PNG, 8 bits)…"), "win.export-pixels-8" },
    { N_ ("Save pixels (PNG, _16 bits)…"), "win.export-pixels-16" },
    { N_ ("Save _figure (PNG, SVG, PDF)…"), "win.figure" },
  };
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();

  PRISM_FOR_EACH_OF (one, items)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (one->label), NULL);
      g_menu_item_set_action_and_target (item, one->action, "s", id);
      g_menu_append_item (export, item);
    }
  g_menu_append (menu, _ ("F_it"), "picture.zoom-fit");
  g_menu_append (menu, _ ("_Ruler"), "picture.ruler");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
  g_menu_append_section (menu, NULL, look);
  return G_MENU_MODEL (menu);
}

/* The error map keeps its diverging colours, the spectrum its logarithm. */
static void
apply_look (PrismDashboard *self)
{
  PrismView *views[] = { self->reconstruction_view, self->target_view, self->measurement_view };
  const int colormap = prism_settings_get_enum ("colormap", PRISM_TYPE_COLORMAP);
  const int stretch = prism_settings_get_enum ("stretch", PRISM_TYPE_STRETCH);

  PRISM_FOR_EACH_OF (view, views)
    g_object_set (*view, "colormap", colormap, "stretch", stretch, NULL);
  g_object_set (self->kspace_view, "colormap", colormap, NULL);
}

/* What a view has besides. The other picture is there only where the verdict is ambiguous. */
static void
add_items (PrismDashboard *self)
{
  static const struct
  {
    gsize view;
    const char *label;
    const char *action;
  } items[] = {
    { G_STRUCT_OFFSET (PrismDashboard, reconstruction_view), N_ ("Show the _other picture"),
      "win.show-second" },
    { G_STRUCT_OFFSET (PrismDashboard, measurement_view), N_ ("_One exposure"),
      "win.show-exposure" },
    { G_STRUCT_OFFSET (PrismDashboard, kspace_view), N_ ("_Open positions (CSV)…"),
      "win.open-positions" },
    { G_STRUCT_OFFSET (PrismDashboard, kspace_view), N_ ("Save positions (CS_V)…"),
      "win.save-positions" },
    { G_STRUCT_OFFSET (PrismDashboard, kspace_view), N_ ("Compare _patterns…"), "win.patterns" },
    { G_STRUCT_OFFSET (PrismDashboard, kspace_view), N_ ("_Edit positions"), "win.edit-pattern" },
    { G_STRUCT_OFFSET (PrismDashboard, kspace_view), N_ ("_Correlation of the rings"),
      "win.show-correlation" },
  };

  PRISM_FOR_EACH_OF (one, items)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (one->label), one->action);
      g_autoptr (GMenuModel) menu = NULL;

      g_menu_item_set_attribute (item, "hidden-when", "s", "action-disabled");
      g_object_get (G_STRUCT_MEMBER (GObject *, self, one->view), "menu-model", &menu, NULL);
      g_menu_prepend_item (G_MENU (menu), item);
    }
}

static void
set_up_views (PrismDashboard *self)
{
  for (GtkWidget *panel = gtk_widget_get_first_child (GTK_WIDGET (self->grid)); panel != NULL;
       panel = gtk_widget_get_next_sibling (panel))
    if (PRISM_IS_PANEL (panel) && PRISM_IS_VIEW (PRISM_PANEL (panel)->child))
      {
        GtkWidget *view = PRISM_PANEL (panel)->child;
        g_autoptr (GMenuModel) menu = create_view_menu (
            PRISM_PANEL (panel)->id,
            view == (GtkWidget *) self->error_view ? self->difference_menu : self->image_menu);

        g_object_set (view, "title", PRISM_PANEL (panel)->title, "menu-model", menu, NULL);
      }
  prism_finding_view_offer (self->phase_view, PRISM_FINDING_AMPLITUDE, PRISM_FINDING_SPECTRUM,
                            PRISM_FINDING_FLAT);
  g_object_bind_property (prism_settings_get_default (), "object-picture", self->phase_view,
                          "picture", G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  prism_finding_view_offer (self->pupil_view, PRISM_FINDING_PUPIL_AMPLITUDE,
                            PRISM_FINDING_PUPIL_PHASE,
                            PRISM_FINDING_PUPIL_PHASE);
  add_items (self);
  prism_kspace_view_set_correlation (self->kspace_view, self->correlation);

  prism_view_set_viewport (self->reconstruction_view, self->viewport);
  prism_view_set_viewport (self->target_view, self->viewport);
  prism_view_set_viewport (self->error_view, self->viewport);
  prism_view_set_viewport (PRISM_VIEW (self->phase_view), self->viewport);
  self->camera = self->measurement_view->canvas->viewport;
  prism_view_set_viewport (self->prediction_view, self->camera);
  g_object_set (self->measurement_view, "levels", PRISM_LEVELS_MIN_MAX, NULL);
  g_object_set (self->error_view, "levels", PRISM_LEVELS_SYMMETRIC, "colormap",
                PRISM_COLORMAP_COOLWARM, NULL);
  apply_look (self);
}

static void
set_up_tools (PrismDashboard *self)
{
  self->pictures = g_object_new (PRISM_TYPE_PICTURE_SET, NULL);
  prism_picture_set_add (self->pictures, self->reconstruction_panel, FALSE);
  prism_picture_set_add (self->pictures, self->target_panel, FALSE);
  prism_picture_set_add (self->pictures, self->error_panel, FALSE);
  prism_picture_set_add (self->pictures, self->phase_panel, FALSE);
  prism_picture_set_add (self->pictures, self->measurement_panel, TRUE);
  prism_picture_set_add (self->pictures, self->prediction_panel, TRUE);
  prism_picture_set_link (self->pictures, self->reconstruction_panel, self->target_panel);
}

static void
prism_dashboard_dispose (PrismDashboard *self)
{
  /* GTK 4.8 never frees actions by itself. */
  for (guint i = 0; self->content != NULL && i < N_CHARTS; i++)
    gtk_widget_insert_action_group (GTK_WIDGET (self->chart_panels[i]), "panel", NULL);
  if (self->content != NULL)
    prism_picture_set_drop (self->pictures);
  for (guint i = 0; i < N_CHARTS; i++)
    g_clear_object (&self->charts[i]);
}

static void
set_scale_of (PrismView *const views[2],
              const PrismUnits *units)
{
  for (gsize i = 0; i < 2; i++)
    prism_view_set_scale (views[i], units->pixel, units->pixel_angle);
}

/* Each picture has the scale of the run that it is of. */
static void
set_scale (PrismDashboard *self)
{
  PrismView *const newest[] = { self->target_view, self->measurement_view };
  PrismView *const pictures[] = { self->reconstruction_view, self->error_view };
  const PrismSnapshot *pictured = self->held != NULL && !self->past ? self->held : self->shown;
  PrismUnits units;

  if (self->recorded)
    {
      prism_view_set_scale (self->reconstruction_view, self->playback->snapshot->pixel_size, 0);
      prism_view_set_scale (self->measurement_view, 0, 0);
      prism_view_set_scale (PRISM_VIEW (self->kspace_view), 0, 0);
      return;
    }
  if (self->shown != NULL && self->shown->config != NULL)
    {
      prism_units_init_config (&units, self->shown->config);
      set_scale_of (newest, &units);
      prism_view_set_scale (PRISM_VIEW (self->kspace_view), units.plane_pixel, 0);
    }
  if (pictured != NULL && pictured->config != NULL)
    {
      prism_units_init_config (&units, pictured->config);
      set_scale_of (pictures, &units);
    }
}

static void
prism_dashboard_class_init (PrismDashboardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_dashboard_dispose);
  PRISM_DISPOSE (klass, PrismDashboard, g_source_remove, page_id);
  PRISM_DISPOSE (klass, PrismDashboard, gtk_widget_unparent, content);
  PRISM_DISPOSE (klass, PrismDashboard, g_object_unref, pictures, viewport, timeline, correlation,
                 playback);
  PRISM_DISPOSE (klass, PrismDashboard, prism_snapshot_unref, shown, held, previous);
  PRISM_DISPOSE (klass, PrismDashboard, prism_image_unref, frame);
  PRISM_FIELD (klass, PrismDashboard, shown, PRISM_TYPE_SNAPSHOT, NULL);
  PRISM_FIELD (klass, PrismDashboard, held, PRISM_TYPE_SNAPSHOT, set_scale);
  PRISM_FIELD (klass, PrismDashboard, past, G_TYPE_BOOLEAN, NULL);
  PRISM_FIELD (klass, PrismDashboard, recorded, G_TYPE_BOOLEAN, NULL);
  PRISM_FIELD (klass, PrismDashboard, shows_exposure, G_TYPE_BOOLEAN, prism_property_stored);
  PRISM_FIELD (klass, PrismDashboard, hides_exposure, G_TYPE_BOOLEAN, prism_property_stored);
  PRISM_FIELD (klass, PrismDashboard, shows_second, G_TYPE_BOOLEAN, prism_property_stored);
  PRISM_FIELD (klass, PrismDashboard, previous, PRISM_TYPE_SNAPSHOT, set_scale);
  PRISM_FIELD (klass, PrismDashboard, frame, PRISM_TYPE_IMAGE, NULL);
  g_type_ensure (PRISM_TYPE_PANEL_GRID);
  g_type_ensure (PRISM_TYPE_IMAGE_VIEW);
  g_type_ensure (PRISM_TYPE_KSPACE_VIEW);
  g_type_ensure (PRISM_TYPE_FINDING_VIEW);
  g_type_ensure (PRISM_TYPE_LIGHT_PANEL);
  PRISM_TEMPLATE (klass, PrismDashboard, "prism-dashboard.ui", content, grid, reconstruction_panel,
                  target_panel, measurement_panel, error_panel, kspace_panel, phase_panel,
                  pupil_panel, lights_panel, prediction_panel, reconstruction_view, target_view,
                  measurement_view, error_view, kspace_view, phase_view, pupil_view, lights,
                  prediction_view, lines, start, ways, image_menu, difference_menu);
  for (guint i = 0; i < N_CHARTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("chart_panel_%u", i + 1);
      gtk_widget_class_bind_template_child_full (widget_class, name, FALSE,
                                                 G_STRUCT_OFFSET (PrismDashboard, chart_panels[i]));
    }
  prism_panel_pictures_bind (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static GtkAdjustment *
get_adjustment (PrismDashboard *self)
{
  return gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->content));
}

static void
on_page_known (PrismDashboard *self)
{
  prism_panel_grid_set_page (self->grid,
                             (int) gtk_adjustment_get_page_size (get_adjustment (self)) - MARGIN);
}

/* The page is told while sizes are given out, when none may be asked for. */
static void
on_page_changed (PrismDashboard *self)
{
  if (self->page_id == 0)
    prism_later (&self->page_id, 0, on_page_known, self);
}

/* One exposure is looked at as the object is: in its place, on its scale. */
static void
follow_exposure (PrismDashboard *self)
{
  PrismImage *image = self->measurement_view->image;
  const gboolean exposed = image != NULL && self->shown != NULL && image == self->shown->exposure;
  PrismMapping scale;

  if (exposed == self->exposed)
    return;
  self->exposed = exposed;
  prism_view_set_viewport (self->measurement_view, exposed ? self->viewport : self->camera);
  prism_view_get_mapping (self->target_view, &scale);
  g_object_set (self->measurement_view, "levels",
                exposed ? PRISM_LEVELS_MANUAL : PRISM_LEVELS_MIN_MAX, "black", scale.black, "white",
                scale.white, "title",
                exposed ? _ ("One exposure") : self->measurement_panel->title,
                NULL);
}

/* The picture that was begun takes the keyboard with the place. */
static void
on_start_gone (PrismDashboard *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (root != NULL && !gtk_widget_get_visible (self->start)
      && (focus == NULL || gtk_widget_is_ancestor (focus, self->start)))
    gtk_widget_grab_focus (prism_dashboard_get_focus_widget (self));
}

static void
prism_dashboard_init (PrismDashboard *self)
{
  PrismSettings *settings = prism_settings_get_default ();

  self->viewport = g_object_new (PRISM_TYPE_VIEWPORT, NULL);
  self->timeline = g_object_new (PRISM_TYPE_TIMELINE, NULL);
  self->correlation = g_object_new (PRISM_TYPE_CORRELATION, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  set_up_views (self);
  prism_view_set_footer (self->reconstruction_view, self->lines);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->reconstruction_view->overlay), self->start);
  PRISM_CONNECT (self->start, "notify::visible", on_start_gone, self);
  g_signal_connect (self, "notify::shows-exposure", G_CALLBACK (follow_exposure), NULL);
  g_signal_connect (self, "notify::hides-exposure", G_CALLBACK (follow_exposure), NULL);
  set_up_tools (self);
  for (guint i = 0; i < N_CHARTS; i++)
    self->charts[i]
        = prism_chart_panel_new (self->chart_panels[i], i + 1,
                                 prism_arrangement_find (NULL)->quantities[i], self->timeline,
                                 self->correlation);
  g_object_bind_property (self, "shown", self->correlation, "snapshot", G_BINDING_DEFAULT);
  PRISM_CONNECT (get_adjustment (self), "notify::page-size", on_page_changed, self);
  PRISM_CONNECT (settings, "notify::colormap", apply_look, self);
  PRISM_CONNECT (settings, "notify::stretch", apply_look, self);
}

/* Recorded frames have no target and no error; a telescope has no phase, pupil and lights. */
static void
choose_panels (PrismDashboard *self,
               gboolean microscope)
{
  PrismPanel *const of_telescope[] = { self->target_panel, self->error_panel };
  PrismPanel *const of_microscope[] = { self->phase_panel, self->pupil_panel, self->lights_panel,
                                        self->prediction_panel };

  if (microscope == self->recorded)
    return;
  self->recorded = microscope;
  prism_dashboard_restore (self);
  PRISM_FOR_EACH_OF (one, of_telescope)
    gtk_widget_set_visible (GTK_WIDGET (*one), !microscope);
  for (gsize i = 0; i < G_N_ELEMENTS (of_microscope); i++)
    gtk_widget_set_visible (GTK_WIDGET (of_microscope[i]), microscope);
  if (!microscope)
    g_object_set (self->measurement_view, "levels", PRISM_LEVELS_MIN_MAX, "title",
                  self->measurement_panel->title, NULL);
  g_object_notify (G_OBJECT (self), "recorded");
}

/* Nothing stays of what is not shown any more. The frame that was chosen stays in the past, where
 * another one may have been looked at. A frame and what is predicted of it are on one scale, and of
 * the middle tile where a field has some. */
static void
show_finding (PrismDashboard *self)
{
  PrismFinding *finding = self->shown->finding;
  const gboolean in_tiles = prism_snapshot_is_in_tiles (self->shown);
  g_autofree char *title = NULL;
  g_autofree char *gap = NULL;
  PrismMapping mapping;

  gap = prism_panel_pictures_dup_gap (self->past);
  prism_finding_view_set_snapshot (self->phase_view, self->shown);
  prism_finding_view_set_snapshot (self->pupil_view, self->shown);
  prism_light_panel_set_finding (self->lights, finding, in_tiles, gap);
  if (finding != NULL && !self->past)
    self->looked = finding->looked;
  g_clear_pointer (&self->frame, prism_image_unref);
  if (self->recorded)
    self->frame = prism_session_new_frame (self->session, self->looked);
  g_object_notify (G_OBJECT (self), "frame");
  if (finding != NULL && self->past)
    {
      g_free (gap);
      gap = g_strdup_printf (_ ("Of this moment the prediction of frame %u alone is kept"),
                             finding->looked);
    }
  g_object_set (self->prediction_view, "empty-text", gap, "title",
                in_tiles ? _ ("Prediction, middle tile") : self->prediction_panel->title, NULL);
  prism_view_set_image (self->prediction_view, finding != NULL && finding->looked == self->looked
                                                   ? finding->predicted
                                                   : NULL);
  if (self->frame == NULL)
    return;
  title = g_strdup_printf (in_tiles ? _ ("Frame %u, middle tile") : _ ("Frame %u"), self->looked);
  g_object_set (self->measurement_view, "title", title, NULL);
  prism_view_get_mapping (self->measurement_view, &mapping);
  mapping.levels = PRISM_LEVELS_MIN_MAX;
  prism_mapping_compute_levels (&mapping, self->frame, NULL);
  mapping.levels = PRISM_LEVELS_MANUAL;
  prism_view_set_mapping (self->measurement_view, &mapping);
  prism_view_set_mapping (self->prediction_view, &mapping);
}

static void
show (PrismDashboard *self,
      PrismSnapshot *shown)
{
  PrismSnapshot *before = self->shown;

  self->shown = prism_snapshot_ref (shown);
  prism_snapshot_unref (before);
  choose_panels (self, prism_snapshot_is_recorded (shown));
  set_scale (self);
  g_object_notify (G_OBJECT (self), "shown");
  follow_exposure (self);
  show_finding (self);
}

static void
on_frame_chosen (PrismDashboard *self,
                 guint frame)
{
  self->looked = frame;
  prism_engine_look_at (self->session->engine, frame);
  if (self->past)
    show_finding (self);
}

/* Curves go on to the newest step while the images show the past; a line marks the moment. */
static void
on_shown_changed (PrismDashboard *self)
{
  PrismSnapshot *shown = self->playback->shown;
  gboolean was_past = self->past, preview;

  self->past = self->playback->moment != NULL;
  g_object_get (prism_settings_get_default (), "preview", &preview, NULL);
  if (shown != NULL
      && (self->past || was_past || preview || shown->state != PRISM_STATE_RUNNING))
    show (self, shown);
  if (self->past != was_past)
    g_object_notify (G_OBJECT (self), "past");
  if (self->past || was_past)
    prism_timeline_set_moment (self->timeline, self->past ? (double) shown->step : NAN);
}

/**
 * prism_dashboard_set_session:
 * @self: a new dashboard
 * @session: what it follows
 *
 * Lets the charts follow the run, and the images the moment of it that is shown.
 */
void
prism_dashboard_set_session (PrismDashboard *self,
                             PrismSession *session)
{
  self->playback = g_object_ref (session->playback);
  self->session = session;
  PRISM_CONNECT (self->lights, "frame-chosen", on_frame_chosen, self);
  prism_picture_set_set_session (self->pictures, session);
  PRISM_CONNECT (self->playback, "notify::shown", on_shown_changed, self);
  for (guint i = 0; i < N_CHARTS; i++)
    {
      g_object_bind_property (session, "snapshot", self->charts[i], "snapshot",
                              G_BINDING_SYNC_CREATE);
      g_object_bind_property (self, "previous", self->charts[i], "previous", G_BINDING_SYNC_CREATE);
    }
  on_shown_changed (self);
}

/**
 * prism_dashboard_get_panel:
 * @self: a dashboard
 * @id: of a panel, such as "reconstruction"
 *
 * Returns: (transfer none) (nullable): the panel
 */
PrismPanel *
prism_dashboard_get_panel (PrismDashboard *self,
                           const char *id)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->grid)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (PRISM_IS_PANEL (child) && g_strcmp0 (PRISM_PANEL (child)->id, id) == 0)
        return PRISM_PANEL (child);
    }
  return NULL;
}

/**
 * prism_dashboard_get_focus_widget:
 * @self: a dashboard
 *
 * Returns: (transfer none): what the keyboard is at in the beginning
 */
GtkWidget *
prism_dashboard_get_focus_widget (PrismDashboard *self)
{
  return GTK_WIDGET (self->reconstruction_view->canvas);
}

/**
 * prism_dashboard_restore:
 * @self: a dashboard
 *
 * Shows all panels again.
 *
 * Returns: whether one had been shown alone
 */
gboolean
prism_dashboard_restore (PrismDashboard *self)
{
  PrismPanel *panel = prism_panel_grid_get_maximized (self->grid);

  if (panel == NULL)
    return FALSE;
  g_object_set (panel, "maximized", FALSE, NULL);
  return TRUE;
}

/**
 * prism_dashboard_reset_zoom:
 * @self: a dashboard
 *
 * Shows all images and charts as a whole again.
 */
void
prism_dashboard_reset_zoom (PrismDashboard *self)
{
  prism_viewport_reset (self->viewport);
  prism_viewport_reset (self->camera);
  prism_viewport_reset (PRISM_VIEW (self->kspace_view)->canvas->viewport);
  prism_timeline_reset (self->timeline);
}
