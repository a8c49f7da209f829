#include "config.h"

#include "window/prism-dashboard.h"

#include "config/prism-units.h"
#include "canvas/prism-image-view.h"
#include "charts/prism-quantity.h"
#include "kspace/prism-correlation.h"
#include "support/prism-settings.h"
#include "support/prism-wording.h"
#include "window/prism-panel-grid.h"

#include <glib/gi18n.h>
#include <math.h>

#define N_CHARTS 4

static const char *const first_quantities[N_CHARTS]
    = { "losses", "quality", "correlation", "speed" };

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
  PrismPanel *chart_panels[N_CHARTS];
  PrismView *reconstruction_view;
  PrismView *target_view;
  PrismView *measurement_view;
  PrismView *error_view;
  PrismKspaceView *kspace_view;
  GMenuModel *image_menu;
  GMenuModel *difference_menu;

  PrismChart *charts[N_CHARTS];
  const char *quantities[N_CHARTS]; /* of the charts; interned */
  PrismViewport *viewport;          /* of the images of the object */
  PrismTimeline *timeline;
  PrismCorrelation *correlation;
  PrismSnapshot *snapshot; /* (nullable) */
  PrismSnapshot *past;     /* (nullable): what the images show instead */
};

G_DEFINE_FINAL_TYPE (PrismDashboard, prism_dashboard, GTK_TYPE_WIDGET)

static GMenuModel *
create_chart_menu (guint i)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) shown = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();
  g_autoptr (GMenuItem) figure = g_menu_item_new (_ ("Save _figure (PNG, SVG, PDF)…"), NULL);
  g_autofree char *id = g_strdup_printf ("chart-%u", i + 1);
  gsize n_quantities;
  const PrismQuantity *quantities = prism_quantity_get_all (&n_quantities);

  for (gsize q = 0; q < n_quantities; q++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (quantities[q].label), NULL);
      g_menu_item_set_action_and_target (item, "panel.quantity", "s", quantities[q].id);
      g_menu_append_item (shown, item);
    }
  g_menu_item_set_action_and_target (figure, "win.export-figure", "s", id);
  g_menu_append_item (export, figure);
  g_menu_append (export, _ ("Save all _metrics (CSV)…"), "win.export-metrics");
  g_menu_append (export, _ ("Save ring _correlation (CSV)…"), "win.export-correlation");
  g_menu_append_section (menu, _ ("Show"), G_MENU_MODEL (shown));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
  return G_MENU_MODEL (menu);
}

/* What the memory in the chart is a part of. */
static void
update_memory_limit (PrismChart *chart,
                     const PrismSnapshot *snapshot)
{
  guint64 limit = snapshot->memory_used + snapshot->memory_available;
  g_autofree char *peak = g_format_size_full (snapshot->memory_peak, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *all = g_format_size_full (limit, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *note = g_strdup_printf (_ ("peak %s, limit %s"), peak, all);

  if (snapshot->memory_used == 0 || snapshot->memory_available == G_MAXUINT64)
    prism_chart_set_limit (chart, NAN, NULL);
  else
    prism_chart_set_limit (chart, limit / (double) (1 << 20), note);
}

static void
update_charts (PrismDashboard *self,
               PrismSnapshot *snapshot)
{
  for (guint i = 0; i < N_CHARTS; i++)
    {
      if (prism_quantity_is_spectral (self->quantities[i]))
        continue;
      if (snapshot->history != NULL)
        prism_chart_set_history (self->charts[i], snapshot->history, snapshot->n_rows);
      else
        prism_chart_clear (self->charts[i]);
      if (g_str_equal (self->quantities[i], "memory"))
        update_memory_limit (self->charts[i], snapshot);
    }
}

static void
update_spectral_charts (PrismDashboard *self)
{
  for (guint i = 0; i < N_CHARTS; i++)
    {
      if (prism_quantity_is_spectral (self->quantities[i]))
        prism_quantity_show_frc (self->charts[i], prism_correlation_get_frc (self->correlation));
    }
}

static void
show_quantity (PrismDashboard *self,
               guint i,
               const char *id)
{
  GtkWidget *chart = prism_quantity_new_chart (id);
  g_autoptr (GMenuModel) menu = create_chart_menu (i);
  g_autofree char *title = NULL;

  self->charts[i] = PRISM_CHART (chart);
  self->quantities[i] = g_intern_string (id);
  if (!prism_quantity_is_spectral (id))
    prism_chart_set_timeline (self->charts[i], self->timeline);
  g_object_set (chart, "menu-model", menu, NULL);
  g_object_get (chart, "title", &title, NULL);
  prism_panel_set_child (self->chart_panels[i], chart);
  g_object_set (self->chart_panels[i], "title", title, NULL);
  if (self->snapshot != NULL)
    update_charts (self, self->snapshot);
  if (prism_quantity_is_spectral (id))
    prism_quantity_show_frc (self->charts[i], prism_correlation_get_frc (self->correlation));
}

static void
on_quantity (GSimpleAction *action,
             GVariant *value,
             gpointer data)
{
  PrismDashboard *self = data;
  guint i = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (action), "prism-chart"));

  g_simple_action_set_state (action, value);
  show_quantity (self, i, g_variant_get_string (value, NULL));
}

static void
add_charts (PrismDashboard *self)
{
  for (guint i = 0; i < N_CHARTS; i++)
    {
      g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
      g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (
          "quantity", G_VARIANT_TYPE_STRING, g_variant_new_string (first_quantities[i]));

      g_object_set_data (G_OBJECT (action), "prism-chart", GUINT_TO_POINTER (i));
      g_signal_connect_object (action, "change-state", G_CALLBACK (on_quantity), self, 0);
      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
      gtk_widget_insert_action_group (GTK_WIDGET (self->chart_panels[i]), "panel",
                                      G_ACTION_GROUP (group));
      show_quantity (self, i, first_quantities[i]);
    }
}

/* Colour map and stretch of one view, as radio items of its menu. */
static void
add_view_actions (PrismPanel *panel,
                  PrismView *view)
{
  static const char *const names[] = { "colormap", "stretch" };
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GPropertyAction) action = g_property_action_new (names[i], view, names[i]);
      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
    }
  gtk_widget_insert_action_group (GTK_WIDGET (panel), "panel", G_ACTION_GROUP (group));
}

/* GTK 4.8 never frees them by itself, and they hold their views and the images in them. */
static void
drop_view_actions (PrismDashboard *self)
{
  PrismPanel *panels[] = { self->reconstruction_panel, self->target_panel, self->measurement_panel,
                           self->error_panel, self->kspace_panel };

  if (self->content == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (panels); i++)
    gtk_widget_insert_action_group (GTK_WIDGET (panels[i]), "panel", NULL);
}

/* The export items name their panel: %s in the template's menu cannot. */
static GMenuModel *
create_view_menu (PrismDashboard *self,
                  const char *id,
                  GMenuModel *look)
{
  static const struct
  {
    const char *label;
    const char *action;
  } items[] = {
    { N_ ("Save _pixels (PNG, 8 bits)…"), "win.export-pixels-8" },
    { N_ ("Save pixels (PNG, _16 bits)…"), "win.export-pixels-16" },
    { N_ ("Save _figure (PNG, SVG, PDF)…"), "win.export-figure" },
  };
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (items); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (items[i].label), NULL);
      g_menu_item_set_action_and_target (item, items[i].action, "s", id);
      g_menu_append_item (export, item);
    }
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
  g_menu_append_section (menu, NULL, look);
  return G_MENU_MODEL (menu);
}

static void
set_up_view (PrismDashboard *self,
             PrismPanel *panel,
             PrismView *view,
             GMenuModel *look)
{
  g_autoptr (GMenuModel) menu = create_view_menu (self, prism_panel_get_id (panel), look);

  g_object_set (view, "title", prism_panel_get_title (panel), "menu-model", menu, NULL);
  add_view_actions (panel, view);
}

static void
apply_enum (PrismView *view,
            const char *property,
            GType type,
            const char *nick)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (type);
  GEnumValue *value = g_enum_get_value_by_nick (enum_class, nick != NULL ? nick : "");

  if (value != NULL)
    g_object_set (view, property, value->value, NULL);
}

/* The error map keeps its diverging colours, the spectrum its logarithm. */
static void
apply_look (PrismDashboard *self)
{
  PrismView *views[] = { self->reconstruction_view, self->target_view, self->measurement_view };
  g_autofree char *colormap = NULL;
  g_autofree char *stretch = NULL;

  g_object_get (prism_settings_get_default (), "colormap", &colormap, "stretch", &stretch, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    {
      apply_enum (views[i], "colormap", PRISM_TYPE_COLORMAP, colormap);
      apply_enum (views[i], "stretch", PRISM_TYPE_STRETCH, stretch);
    }
  apply_enum (PRISM_VIEW (self->kspace_view), "colormap", PRISM_TYPE_COLORMAP, colormap);
}

static void
add_kspace_items (PrismDashboard *self)
{
  g_autoptr (GMenu) section = g_menu_new ();
  GMenuModel *menu = NULL;

  g_menu_append (section, _ ("_Correlation of the rings"), "win.show-correlation");
  g_menu_append (section, _ ("_Edit positions"), "win.edit-pattern");
  g_menu_append (section, _ ("Compare _patterns…"), "win.patterns");
  g_menu_append (section, _ ("Save positions (CS_V)…"), "win.save-positions");
  g_menu_append (section, _ ("_Open positions (CSV)…"), "win.open-positions");
  g_object_get (self->kspace_view, "menu-model", &menu, NULL);
  g_menu_prepend_section (G_MENU (menu), NULL, G_MENU_MODEL (section));
  g_object_unref (menu);
}

static void
set_up_views (PrismDashboard *self)
{
  set_up_view (self, self->reconstruction_panel, self->reconstruction_view, self->image_menu);
  set_up_view (self, self->target_panel, self->target_view, self->image_menu);
  set_up_view (self, self->measurement_panel, self->measurement_view, self->image_menu);
  set_up_view (self, self->error_panel, self->error_view, self->difference_menu);
  set_up_view (self, self->kspace_panel, PRISM_VIEW (self->kspace_view), self->image_menu);
  add_kspace_items (self);
  prism_kspace_view_set_correlation (self->kspace_view, self->correlation);

  prism_view_set_viewport (self->reconstruction_view, self->viewport);
  prism_view_set_viewport (self->target_view, self->viewport);
  prism_view_set_viewport (self->error_view, self->viewport);
  g_object_set (self->measurement_view, "levels", PRISM_LEVELS_MIN_MAX, NULL);
  g_object_set (self->error_view, "levels", PRISM_LEVELS_SYMMETRIC, "colormap",
                PRISM_COLORMAP_COOLWARM, NULL);
  apply_look (self);
}

static void
prism_dashboard_dispose (GObject *object)
{
  PrismDashboard *self = PRISM_DASHBOARD (object);

  drop_view_actions (self);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_object (&self->viewport);
  g_clear_object (&self->timeline);
  g_clear_object (&self->correlation);
  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  g_clear_pointer (&self->past, prism_snapshot_unref);
  G_OBJECT_CLASS (prism_dashboard_parent_class)->dispose (object);
}

static void
bind_panels (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, content);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, grid);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, reconstruction_panel);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, target_panel);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, measurement_panel);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, error_panel);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, kspace_panel);
  for (guint i = 0; i < N_CHARTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("chart_panel_%u", i + 1);
      gtk_widget_class_bind_template_child_full (widget_class, name, FALSE,
                                                 G_STRUCT_OFFSET (PrismDashboard, chart_panels[i]));
    }
}

static void
prism_dashboard_class_init (PrismDashboardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_dashboard_dispose;
  g_type_ensure (PRISM_TYPE_PANEL_GRID);
  g_type_ensure (PRISM_TYPE_IMAGE_VIEW);
  g_type_ensure (PRISM_TYPE_KSPACE_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, PRISM_RESOURCE ("prism-dashboard.ui"));
  bind_panels (widget_class);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, reconstruction_view);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, target_view);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, measurement_view);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, error_view);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, kspace_view);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, image_menu);
  gtk_widget_class_bind_template_child (widget_class, PrismDashboard, difference_menu);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
prism_dashboard_init (PrismDashboard *self)
{
  PrismSettings *settings = prism_settings_get_default ();

  self->viewport = prism_viewport_new ();
  self->timeline = prism_timeline_new ();
  self->correlation = prism_correlation_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  set_up_views (self);
  add_charts (self);
  g_signal_connect_object (self->correlation, "changed", G_CALLBACK (update_spectral_charts), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (settings, "notify::colormap", G_CALLBACK (apply_look), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (settings, "notify::stretch", G_CALLBACK (apply_look), self,
                           G_CONNECT_SWAPPED);
}

static gboolean
images_wanted (const PrismSnapshot *snapshot)
{
  gboolean preview;

  g_object_get (prism_settings_get_default (), "preview", &preview, NULL);
  return preview || snapshot->state != PRISM_STATE_RUNNING;
}

static void
update_kspace (PrismDashboard *self,
               PrismSnapshot *snapshot)
{
  gboolean visiting
      = snapshot->phase == PRISM_PHASE_SAMPLES
        && (snapshot->state == PRISM_STATE_RUNNING || snapshot->state == PRISM_STATE_PAUSED);

  prism_kspace_view_set_config (self->kspace_view, snapshot->config);
  prism_kspace_view_set_spectrum (self->kspace_view, snapshot->spectrum);
  prism_kspace_view_set_coverage (self->kspace_view, snapshot->coverage_plane);
  prism_kspace_view_set_states (self->kspace_view, snapshot->sample_states, snapshot->n_samples);
  prism_kspace_view_set_pattern (self->kspace_view, snapshot->pattern, snapshot->n_visited,
                                 visiting ? (int) snapshot->sample : -1);
}

static void
set_scale (PrismDashboard *self,
           const PrismConfig *config)
{
  PrismView *views[] = { self->target_view, self->reconstruction_view, self->measurement_view,
                         self->error_view };
  PrismUnits units;

  if (config == NULL)
    return;
  prism_units_init_config (&units, config);
  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    prism_view_set_scale (views[i], units.pixel, units.pixel_angle);
  prism_view_set_scale (PRISM_VIEW (self->kspace_view), units.plane_pixel, 0);
}

static void
update_images (PrismDashboard *self,
               PrismSnapshot *snapshot)
{
  g_autofree char *notice = prism_snapshot_dup_object_notice (snapshot);

  set_scale (self, snapshot->config);
  prism_view_set_image (self->target_view, snapshot->target);
  prism_view_set_notice (self->target_view, notice);
  prism_view_set_image (self->reconstruction_view, snapshot->reconstruction);
  prism_view_set_image (self->measurement_view, snapshot->measurement);
  prism_view_set_reference (self->error_view, snapshot->target);
  prism_view_set_image (self->error_view, snapshot->reconstruction);
  update_kspace (self, snapshot);
  prism_correlation_set_snapshot (self->correlation, snapshot);
}

/**
 * prism_dashboard_set_snapshot:
 * @self: a dashboard
 * @snapshot: what to show
 *
 * Hands a snapshot to the views; cheap, because colours and curves are made elsewhere or in part.
 */
void
prism_dashboard_set_snapshot (PrismDashboard *self,
                              PrismSnapshot *snapshot)
{
  PrismSnapshot *before = self->snapshot;

  self->snapshot = prism_snapshot_ref (snapshot);
  g_clear_pointer (&before, prism_snapshot_unref);

  if (self->past == NULL && images_wanted (snapshot))
    update_images (self, snapshot);
  update_charts (self, snapshot);
}

/**
 * prism_dashboard_set_past:
 * @self: a dashboard
 * @past: (nullable): the moment that the images show, NULL for the newest snapshot
 *
 * Shows another moment of the run. Curves go on to the newest step; a line marks the moment.
 */
void
prism_dashboard_set_past (PrismDashboard *self,
                          PrismSnapshot *past)
{
  const char *to_come = N_ ("What the camera sees through the aperture appears with the run.");
  const char *not_kept = N_ ("What the camera saw then is not kept.");
  PrismSnapshot *before = self->past;

  if (past == NULL && before == NULL)
    return;
  self->past = past != NULL ? prism_snapshot_ref (past) : NULL;
  prism_snapshot_unref (before);
  if (past != NULL)
    update_images (self, past);
  else if (self->snapshot != NULL)
    update_images (self, self->snapshot);
  g_object_set (self->measurement_view, "empty-text", past != NULL ? _ (not_kept) : _ (to_come),
                NULL);
  prism_timeline_set_moment (self->timeline, past != NULL ? (double) past->step : NAN);
}

/**
 * prism_dashboard_get_timeline:
 * @self: a dashboard
 *
 * Returns: (transfer none): what all its charts share
 */
PrismTimeline *
prism_dashboard_get_timeline (PrismDashboard *self)
{
  return self->timeline;
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
      if (g_strcmp0 (prism_panel_get_id (PRISM_PANEL (child)), id) == 0)
        return PRISM_PANEL (child);
    }
  return NULL;
}

/**
 * prism_dashboard_get_kspace_view:
 * @self: a dashboard
 *
 * Returns: (transfer none): the view of k-space
 */
PrismKspaceView *
prism_dashboard_get_kspace_view (PrismDashboard *self)
{
  return self->kspace_view;
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
  return GTK_WIDGET (prism_view_get_canvas (self->reconstruction_view));
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
  prism_viewport_reset (prism_view_get_viewport (self->measurement_view));
  prism_viewport_reset (prism_view_get_viewport (PRISM_VIEW (self->kspace_view)));
  prism_timeline_reset (self->timeline);
}
