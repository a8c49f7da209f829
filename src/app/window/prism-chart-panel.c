#include "config.h"

#include "window/prism-chart-panel.h"

#include "charts/prism-quantity.h"
#include "support/prism-class.h"

struct _PrismChartPanel
{
  GObject parent_instance;

  PrismPanel *panel; /* (unowned): has the chart */
  PrismChart *chart; /* (unowned) */
  guint number;
  const char *quantity; /* interned */
  const char *charted;  /* of the quantities: the chart’s, where a run lacks what was chosen */
  GActionMap *actions;
  double smoothing; /* weight of the past, 0 for none */
  double minimum;   /* of the left axis without a logarithm */
  PrismTimeline *timeline;
  PrismCorrelation *correlation;
  PrismSnapshot *snapshot; /* (nullable) */
  PrismSnapshot *previous; /* (nullable): another run, whose curves stand behind */
};

G_DEFINE_FINAL_TYPE (PrismChartPanel, prism_chart_panel, G_TYPE_OBJECT)

/* How curves are drawn, apart from which. */
static GMenuModel *
create_look_menu (void)
{
  static const struct
  {
    const char *label;
    const char *weight;
  } items[] = {
    { N_ ("Not _smoothed"), "0" },
    { N_ ("Smoothed a _little"), "0.6" },
    { N_ ("Smoothed s_trongly"), "0.95" },
  };
  g_autoptr (GMenu) smoothing = g_menu_new ();
  GMenu *menu = g_menu_new ();

  PRISM_FOR_EACH_OF (one, items)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (one->label), NULL);
      g_menu_item_set_action_and_target (item, "panel.smoothing", "s", one->weight);
      g_menu_append_item (smoothing, item);
    }
  g_menu_append_submenu (menu, _ ("_Curves"), G_MENU_MODEL (smoothing));
  g_menu_append (menu, _ ("Lo_garithmic"), "panel.logarithmic");
  return G_MENU_MODEL (menu);
}

static GMenuModel *
create_menu (guint number)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) shown = g_menu_new ();
  g_autoptr (GMenu) export = g_menu_new ();
  g_autoptr (GMenuModel) look = create_look_menu ();
  g_autoptr (GMenuItem) figure = g_menu_item_new (_ ("Save _figure (PNG, SVG, PDF)…"), NULL);
  g_autofree char *id = g_strdup_printf ("chart-%u", number);
  gsize n_quantities;
  const PrismQuantity *quantities = prism_quantity_get_all (&n_quantities);

  for (gsize q = 0; q < n_quantities; q++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (quantities[q].label), NULL);
      g_menu_item_set_action_and_target (item, "panel.quantity", "s", quantities[q].id);
      g_menu_append_item (shown, item);
    }
  g_menu_item_set_action_and_target (figure, "win.figure", "s", id);
  g_menu_append_item (export, figure);
  g_menu_append (export, _ ("Save all _metrics (CSV)…"), "win.export-metrics");
  g_menu_append (export, _ ("Save ring _correlation (CSV)…"), "win.export-correlation");
  g_menu_append_section (menu, _ ("Show"), G_MENU_MODEL (shown));
  g_menu_append_section (menu, NULL, look);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (export));
  return G_MENU_MODEL (menu);
}

/* What the memory in the chart is a part of. */
static void
show_memory_limit (PrismChart *chart,
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
show_history (PrismChartPanel *self)
{
  const PrismSnapshot *snapshot = self->snapshot;
  const char *gap = snapshot != NULL ? prism_quantity_get_gap (self->quantity, snapshot) : NULL;

  if (snapshot == NULL)
    return;
  prism_chart_set_empty_text (self->chart, gap);
  if (prism_quantity_is_spectral (self->quantity))
    return;
  self->chart->data->passes = prism_snapshot_is_recorded (snapshot);
  prism_keep_text (&self->chart->data->x_title,
                   self->chart->data->passes ? _ ("Pass") : _ ("Step"));
  if (snapshot->history != NULL && gap == NULL)
    prism_chart_set_history (self->chart, snapshot->history, snapshot->n_rows);
  else
    prism_chart_clear (self->chart);
  if (g_str_equal (self->quantity, "memory"))
    show_memory_limit (self->chart, snapshot);
}

static void
show_previous (PrismChartPanel *self)
{
  PrismHistory *history = self->previous != NULL ? self->previous->history : NULL;

  if (!prism_quantity_is_spectral (self->quantity))
    prism_chart_set_ghost (self->chart, history, history != NULL ? self->previous->n_rows : 0);
}

static void
show_spectrum (PrismChartPanel *self)
{
  if (prism_quantity_is_spectral (self->quantity))
    prism_quantity_show_frc (self->chart, prism_correlation_get_frc (self->correlation));
}

/* Whether there are no steps of a decoder, at least so far. */
static gboolean
makes_passes_alone (const PrismSnapshot *snapshot)
{
  if (snapshot == NULL || snapshot->config == NULL)
    return FALSE;
  return !prism_config_trains (snapshot->config) || prism_snapshot_is_untrained (snapshot)
         || (snapshot->training == PRISM_TRAINING_SET && snapshot->phase == PRISM_PHASE_PREPARE
             && prism_config_may_spare_training (snapshot->config));
}

/* Passes have no losses of steps: what they minimise is the misfit, and recorded frames have one of
 * those that are held out. */
static const char *
find_charted (PrismChartPanel *self)
{
  if (!g_str_equal (self->quantity, PRISM_QUANTITY_LOSSES) || !makes_passes_alone (self->snapshot))
    return self->quantity;
  return prism_snapshot_is_recorded (self->snapshot) ? PRISM_QUANTITY_PREDICTION
                                                     : PRISM_QUANTITY_MISFIT;
}

static void
show_quantity (PrismChartPanel *self,
               const char *chosen)
{
  g_autoptr (GMenuModel) menu = create_menu (self->number);
  const char *id;
  GtkWidget *chart;

  self->quantity = g_intern_string (chosen);
  self->charted = id = find_charted (self);
  chart = prism_quantity_new_chart (id);
  self->chart = PRISM_CHART (chart);
  if (!prism_quantity_is_spectral (id))
    prism_chart_plot_set_timeline (self->chart->plot, self->timeline);
  prism_chart_set_menu (self->chart, menu);
  prism_panel_set_child (self->panel, chart);
  g_object_set (self->panel, "title", self->chart->data->title, NULL);
  prism_panel_set_topic (self->panel, prism_quantity_get_topic (self->quantity));
  show_history (self);
  show_previous (self);
  show_spectrum (self);
}

static GSimpleAction *
get_action (PrismChartPanel *self,
            const char *name)
{
  return G_SIMPLE_ACTION (g_action_map_lookup_action (self->actions, name));
}

/* An axis with a logarithm cannot begin at zero. */
static void
set_logarithmic (PrismChartPanel *self,
                 gboolean logarithmic)
{
  PrismChartAxis *axis = &self->chart->data->axes[PRISM_CHART_LEFT];
  g_autofree char *title = g_strdup (axis->title);
  double minimum = logarithmic && !(self->minimum > 0) ? NAN : self->minimum;

  prism_chart_set_axis (self->chart, PRISM_CHART_LEFT, title, logarithmic, minimum, axis->maximum);
  g_simple_action_set_state (get_action (self, "logarithmic"),
                             g_variant_new_boolean (logarithmic));
}

/* Each quantity begins as its values ask for. */
static void
apply_look (PrismChartPanel *self)
{
  PrismChartAxis *axis = &self->chart->data->axes[PRISM_CHART_LEFT];

  self->minimum = axis->minimum;
  prism_chart_set_smoothing (self->chart, self->smoothing);
  g_simple_action_set_enabled (get_action (self, "logarithmic"),
                               !prism_quantity_is_spectral (self->quantity));
  g_simple_action_set_state (get_action (self, "logarithmic"),
                             g_variant_new_boolean (axis->logarithmic));
}

static void
on_logarithmic (GSimpleAction *action,
                GVariant *value,
                gpointer data)
{
  set_logarithmic (data, g_variant_get_boolean (value));
}

static void
on_smoothing (GSimpleAction *action,
              GVariant *value,
              gpointer data)
{
  PrismChartPanel *self = data;

  g_simple_action_set_state (action, value);
  self->smoothing = CLAMP (g_ascii_strtod (g_variant_get_string (value, NULL), NULL), 0, 0.99);
  prism_chart_set_smoothing (self->chart, self->smoothing);
}

static void
on_quantity (GSimpleAction *action,
             GVariant *value,
             gpointer data)
{
  g_simple_action_set_state (action, value);
  show_quantity (data, g_variant_get_string (value, NULL));
  apply_look (data);
  g_object_notify (data, "quantity");
}

static gboolean
is_quantity (const char *id)
{
  gsize n;
  const PrismQuantity *quantities = prism_quantity_get_all (&n);

  for (gsize i = 0; i < n; i++)
    if (g_strcmp0 (quantities[i].id, id) == 0)
      return TRUE;
  return FALSE;
}

static void
update_snapshot (PrismChartPanel *self)
{
  if (!g_str_equal (find_charted (self), self->charted))
    {
      show_quantity (self, self->quantity);
      apply_look (self);
    }
  show_history (self);
}

static char *
dup_quantity (PrismChartPanel *self)
{
  return g_strdup (self->quantity);
}

static void
set_quantity (PrismChartPanel *self,
              const char *quantity)
{
  if (is_quantity (quantity) && !g_str_equal (quantity, self->quantity))
    g_action_change_state (G_ACTION (get_action (self, "quantity")),
                           g_variant_new_string (quantity));
}

static void
prism_chart_panel_class_init (PrismChartPanelClass *klass)
{
  PRISM_FINALIZE (klass, PrismChartPanel, g_object_unref, actions, timeline, correlation);
  PRISM_FINALIZE (klass, PrismChartPanel, prism_snapshot_unref, snapshot, previous);
  PRISM_FIELD (klass, PrismChartPanel, snapshot, PRISM_TYPE_SNAPSHOT, update_snapshot);
  PRISM_FIELD (klass, PrismChartPanel, previous, PRISM_TYPE_SNAPSHOT, show_previous);
  prism_property_new (klass, "quantity", G_TYPE_STRING, 0, dup_quantity, set_quantity);
}

static void
prism_chart_panel_init (PrismChartPanel *self)
{
}

/**
 * prism_chart_panel_new:
 * @panel: where the chart stands, which lives as long
 * @number: of the panel, from 1
 * @quantity: id of what it shows first
 * @timeline: what the charts over steps share
 * @correlation: what a chart over frequencies shows
 *
 * Fills a panel with a chart whose menu chooses what it shows.
 *
 * Returns: (transfer full): what feeds the chart with its property “snapshot”
 */
PrismChartPanel *
prism_chart_panel_new (PrismPanel *panel,
                       guint number,
                       const char *quantity,
                       PrismTimeline *timeline,
                       PrismCorrelation *correlation)
{
  static const GActionEntry entries[] = {
    { "quantity", NULL, "s", "''", on_quantity },
    { "smoothing", NULL, "s", "'0'", on_smoothing },
    { "logarithmic", NULL, NULL, "false", on_logarithmic },
  };
  PrismChartPanel *self = g_object_new (PRISM_TYPE_CHART_PANEL, NULL);

  self->panel = panel;
  self->number = number;
  self->timeline = g_object_ref (timeline);
  self->correlation = g_object_ref (correlation);
  self->actions = G_ACTION_MAP (g_simple_action_group_new ());
  g_action_map_add_action_entries (self->actions, entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (panel), "panel", G_ACTION_GROUP (self->actions));
  show_quantity (self, quantity);
  g_simple_action_set_state (get_action (self, "quantity"), g_variant_new_string (quantity));
  apply_look (self);
  PRISM_CONNECT (correlation, "changed", show_spectrum, self);
  return self;
}
