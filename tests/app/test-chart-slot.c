#include "prism-test.h"
#include "window/prism-chart-panel.h"
#include "charts/prism-quantity.h"

static PrismChartData *
get_data (PrismPanel *panel)
{
  return PRISM_CHART (panel->child)->data;
}

static void
set_state (PrismPanel *panel,
           const char *action,
           GVariant *state)
{
  g_assert_true (gtk_widget_activate_action_variant (GTK_WIDGET (panel), action, state));
}

/* Smoothing stays when another quantity is chosen; each begins with the axis it asks for. */
TEST (look, "/app/chart-slot/look")
{
  g_autoptr (PrismPanel) panel = g_object_ref_sink (g_object_new (PRISM_TYPE_PANEL, NULL));
  g_autoptr (PrismTimeline) timeline = g_object_new (PRISM_TYPE_TIMELINE, NULL);
  g_autoptr (PrismCorrelation) correlation = g_object_new (PRISM_TYPE_CORRELATION, NULL);
  g_autoptr (PrismChartPanel) slot
      = prism_chart_panel_new (panel, 1, "cache", timeline, correlation);

  g_assert_cmpfloat (get_data (panel)->smoothing, ==, 0);
  set_state (panel, "panel.smoothing", g_variant_new_string ("0.6"));
  g_assert_cmpfloat (get_data (panel)->smoothing, ==, 0.6);
  g_assert_false (get_data (panel)->axes[PRISM_CHART_LEFT].logarithmic);
  set_state (panel, "panel.logarithmic", NULL);
  g_assert_true (get_data (panel)->axes[PRISM_CHART_LEFT].logarithmic);
  g_assert_true (isnan (get_data (panel)->axes[PRISM_CHART_LEFT].minimum));
  set_state (panel, "panel.logarithmic", NULL);
  g_assert_cmpfloat (get_data (panel)->axes[PRISM_CHART_LEFT].minimum, ==, 0);
  set_state (panel, "panel.quantity", g_variant_new_string ("losses"));
  g_assert_true (get_data (panel)->axes[PRISM_CHART_LEFT].logarithmic);
  g_assert_cmpfloat (get_data (panel)->smoothing, ==, 0.6);
  gtk_widget_insert_action_group (GTK_WIDGET (panel), "panel", NULL);
}

/* A ring of which little was measured is no more than that, whatever the curve is there. */
TEST (frc_says_what_was_measured, "/app/chart-slot/frc")
{
  double ones[] = { 1, 1, 1, 1 }, covered[] = { 1, 1, 0.5, 0.2 };
  double half_bit[] = { 0.7, 0.7, 0.6, 0.5 };
  const PrismFrc frc = { G_N_ELEMENTS (ones), ones, covered, half_bit };
  g_autoptr (GtkWidget) chart = g_object_ref_sink (prism_quantity_new_chart ("correlation"));

  prism_quantity_show_frc (PRISM_CHART (chart), &frc);
  g_assert_cmpstr (PRISM_CHART (chart)->data->axes[PRISM_CHART_LEFT].title, ==,
                   "Above ½ bit up to 3.0 px, 44 % of it measured");

  /* A curve above the threshold where nothing was measured is no contradiction of the title. */
  covered[2] = covered[3] = 0;
  prism_quantity_show_frc (PRISM_CHART (chart), &frc);
  PrismChartData *data = PRISM_CHART (chart)->data;
  g_assert_cmpstr (data->axes[PRISM_CHART_LEFT].title, ==,
                   "Above ½ bit as far as measured, 1.0 px");
  g_assert_cmpuint (prism_chart_series_get_n_points (prism_chart_data_get_series (data, 0)), ==, 4);
  g_assert_cmpuint (prism_chart_series_get_n_points (prism_chart_data_get_series (data, 2)), ==, 2);
}

static void
check_losses (PrismPanel *panel,
              PrismChartPanel *slot,
              PrismConfig *config,
              PrismMethod method,
              PrismTraining training,
              const char *title)
{
  const guint n_series = strcmp (title, "Loss") == 0             ? 3
                         : config->kind == PRISM_FRAMES_RECORDED ? 2
                                                                 : 1;
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  g_autofree char *quantity = NULL;

  snapshot->config = config;
  config->method = method;
  snapshot->training = training;
  snapshot->phase = PRISM_PHASE_POLISH;
  snapshot->steps_per_second = NAN;
  g_object_set (slot, "snapshot", snapshot, NULL);
  g_assert_cmpuint (get_data (panel)->series->len, ==, n_series);
  g_assert_cmpstr (get_data (panel)->axes[PRISM_CHART_LEFT].title, ==, title);
  /* It does not change within a run. */
  g_assert_cmpstr (panel->title, ==, n_series == 2 ? "Held-out frames" : "Misfit");
  g_object_get (slot, "quantity", &quantity, NULL);
  g_assert_cmpstr (quantity, ==, "losses");
}

/* Where no decoder is trained the chart is of what passes minimise, and no curve waits for ever. */
TEST (misfit_of_passes, "/app/chart-slot/misfit-of-passes")
{
  g_autoptr (PrismPanel) panel = g_object_ref_sink (g_object_new (PRISM_TYPE_PANEL, NULL));
  g_autoptr (PrismTimeline) timeline = g_object_new (PRISM_TYPE_TIMELINE, NULL);
  g_autoptr (PrismCorrelation) correlation = g_object_new (PRISM_TYPE_CORRELATION, NULL);
  g_autoptr (PrismChartPanel) slot
      = prism_chart_panel_new (panel, 1, "losses", timeline, correlation);
  const char *left = "up per position, down per pass";

  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_EPIE, PRISM_TRAINING_SET, left);
  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_DECODER, PRISM_TRAINING_SET, "Loss");
  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_MOPIE, PRISM_TRAINING_SET, left);
  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_AUTO, PRISM_TRAINING_WAITS, left);
  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_AUTO, PRISM_TRAINING_NEEDED, "Loss");
  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_AUTO, PRISM_TRAINING_SPARED, left);
  check_losses (panel, slot, prism_config_new (), PRISM_METHOD_AUTO, PRISM_TRAINING_RESCUED, left);
  check_losses (panel, slot, prism_config_new_recorded (), PRISM_METHOD_AUTO, PRISM_TRAINING_SPARED,
                "Misfit");
  gtk_widget_insert_action_group (GTK_WIDGET (panel), "panel", NULL);
}

/* A run that spares the decoder has no steps, and says so where their speed would be. */
TEST (without_training, "/app/chart-slot/without-training")
{
  g_autoptr (PrismPanel) panel = g_object_ref_sink (g_object_new (PRISM_TYPE_PANEL, NULL));
  g_autoptr (PrismTimeline) timeline = g_object_new (PRISM_TYPE_TIMELINE, NULL);
  g_autoptr (PrismCorrelation) correlation = g_object_new (PRISM_TYPE_CORRELATION, NULL);
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  g_autoptr (PrismChartPanel) slot
      = prism_chart_panel_new (panel, 1, "speed", timeline, correlation);

  snapshot->training = PRISM_TRAINING_NEEDED;
  g_object_set (slot, "snapshot", snapshot, NULL);
  g_assert_null (get_data (panel)->empty_text);
  snapshot->training = PRISM_TRAINING_SPARED;
  g_object_set (slot, "snapshot", snapshot, NULL);
  g_assert_cmpstr (get_data (panel)->empty_text, ==, "No steps: the decoder was not trained");
  set_state (panel, "panel.quantity", g_variant_new_string ("cache"));
  g_assert_null (get_data (panel)->empty_text);
  gtk_widget_insert_action_group (GTK_WIDGET (panel), "panel", NULL);
}
