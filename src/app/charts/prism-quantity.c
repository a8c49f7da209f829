#include "config.h"

#include "charts/prism-quantity.h"

#define MAX_SERIES 3

typedef struct
{
  const char *label;
  PrismChartSide side;
  gsize offset; /* of a double in PrismHistoryRow */
  double factor;
  PrismChartRows rows;
} PrismCurve;

typedef struct
{
  PrismQuantity quantity;
  const char *title; /* (nullable): of the chart, where the label is too long for a tile */
  const char *x;     /* (nullable): title of the horizontal axis where it is not the step */
  const char *left;  /* (nullable): title of the left axis; NULL: as the metric says */
  const char *right; /* (nullable) */
  const char *topic; /* (nullable): section of the handbook; NULL: numbers of quality */
  gboolean logarithmic;
  double minimum; /* of the left axis; NAN follows the data */
  double maximum;
  PrismCurve curves[MAX_SERIES];
} PrismPlan;

#define AT(field) G_STRUCT_OFFSET (PrismHistoryRow, field)

#define METRIC(key, name, unit, format, fine_format, is_logarithmic, note) \
  {                                                                        \
    .quantity = { #key, name },                                            \
    .logarithmic = is_logarithmic,                                         \
    .minimum = NAN,                                                        \
    .maximum = NAN,                                                        \
    .curves = { { name, PRISM_CHART_LEFT, AT (metrics.key), 1 } },         \
  },

#define CORRELATION "correlation"

static const PrismPlan plans[] = {
  {
      .quantity = { PRISM_QUANTITY_LOSSES, N_ ("Losses") },
      .title = N_ ("Misfit"),
      .topic = "losses",
      .left = N_ ("Loss"),
      .right = N_ ("Misfit"),
      .logarithmic = TRUE,
      .minimum = NAN,
      .maximum = NAN,
      .curves = {
          { N_ ("New"), PRISM_CHART_LEFT, AT (loss_new), 1, PRISM_CHART_STEP_ROWS },
          { N_ ("Old"), PRISM_CHART_LEFT, AT (loss_old), 1, PRISM_CHART_STEP_ROWS },
          { N_ ("Misfit"), PRISM_CHART_RIGHT, AT (loss_new), 1, PRISM_CHART_POLISH_ROWS },
      },
  },
  {
      .quantity = { PRISM_QUANTITY_MISFIT, N_ ("Misfit") },
      .topic = "losses",
      .left = N_ ("up per position, down per pass"),
      .logarithmic = TRUE,
      .minimum = NAN,
      .maximum = NAN,
      .curves = {
          { N_ ("Misfit"), PRISM_CHART_LEFT, AT (loss_new), 1, PRISM_CHART_POLISH_ROWS },
      },
  },
  {
      .quantity = { PRISM_QUANTITY_PREDICTION, N_ ("Held-out frames") },
      .topic = "held-out-frames",
      .title = N_ ("Held-out frames"),
      .left = N_ ("Misfit"),
      .right = N_ ("Correlation"),
      .minimum = NAN,
      .maximum = NAN,
      .curves = {
          { N_ ("Misfit"), PRISM_CHART_LEFT, AT (loss_new), 1, PRISM_CHART_POLISH_ROWS },
          { N_ ("Correlation"), PRISM_CHART_RIGHT, AT (correlation), 1, PRISM_CHART_POLISH_ROWS },
      },
  },
  {
      .quantity = { "quality", N_ ("Quality") },
      .topic = "quality",
      .left = N_ ("PSNR in dB"),
      .right = N_ ("SSIM"),
      .minimum = NAN,
      .maximum = NAN,
      .curves = {
          { N_ ("PSNR"), PRISM_CHART_LEFT, AT (metrics.psnr), 1 },
          { N_ ("SSIM"), PRISM_CHART_RIGHT, AT (metrics.ssim), 1 },
      },
  },
  {
      .quantity = { "resources", N_ ("Cache and memory") },
      .topic = "cache-and-memory",
      .left = N_ ("Frames at hand in %"),
      .right = N_ ("Memory in MiB"),
      .maximum = 100,
      .curves = {
          { N_ ("Hit rate"), PRISM_CHART_LEFT, AT (cache_hit_rate), 100 },
          { N_ ("Used"), PRISM_CHART_RIGHT, AT (device_bytes), 1.0 / (1 << 20) },
      },
  },
  {
      .quantity = { "cache", N_ ("Cache hit rate") },
      .topic = "cache-and-memory",
      .left = N_ ("Frames at hand in %"),
      .maximum = 100,
      .curves = { { N_ ("Hit rate"), PRISM_CHART_LEFT, AT (cache_hit_rate), 100 } },
  },
  {
      .quantity = { CORRELATION, N_ ("Fourier ring correlation") },
      .topic = "frc",
      .title = N_ ("FRC"),
      .x = N_ ("Radius in px"),
      .left = N_ ("Correlation, part measured"),
      .minimum = NAN,
      .maximum = 1.05,
      .curves = {
          { N_ ("FRC"), PRISM_CHART_LEFT },
          { N_ ("Measured"), PRISM_CHART_LEFT },
          { N_ ("½ bit"), PRISM_CHART_LEFT },
      },
  },
  {
      .quantity = { "speed", N_ ("Speed") },
      .topic = "speed",
      .left = N_ ("Iterations per second"),
      .maximum = NAN,
      .curves = { { N_ ("Speed"), PRISM_CHART_LEFT, AT (steps_per_second), 1 } },
  },
  {
      .quantity = { "memory", N_ ("Memory use") },
      .topic = "cache-and-memory",
      .left = N_ ("Memory in MiB"),
      .maximum = NAN,
      .curves = { { N_ ("Used"), PRISM_CHART_LEFT, AT (device_bytes), 1.0 / (1 << 20) } },
  },
  {
      .quantity = { "rate", N_ ("Learning rate") },
      .topic = "learning-rate",
      .left = N_ ("Learning rate"),
      .maximum = NAN,
      .curves = { { N_ ("Learning rate"), PRISM_CHART_LEFT, AT (learning_rate), 1 } },
  },
  PRISM_METRICS (METRIC)
};

#define FIRST_METRIC (G_N_ELEMENTS (plans) - PRISM_N_METRICS)
#define N_PAIRED 2 /* metrics that share the chart “quality” */

static PrismQuantity quantities[G_N_ELEMENTS (plans) - N_PAIRED];

/**
 * prism_quantity_get_all:
 * @n_quantities: (out): their number
 *
 * Returns: (transfer none) (array length=n_quantities): what can be charted
 */
const PrismQuantity *
prism_quantity_get_all (gsize *n_quantities)
{
  for (gsize i = 0; i < G_N_ELEMENTS (quantities); i++)
    quantities[i] = plans[i < FIRST_METRIC ? i : i + N_PAIRED].quantity;
  *n_quantities = G_N_ELEMENTS (quantities);
  return quantities;
}

static const PrismPlan *
find_plan (const char *id)
{
  PRISM_FOR_EACH_OF (plan, plans)
    {
      if (strcmp (plan->quantity.id, id) == 0)
        return plan;
    }
  return &plans[0];
}

/**
 * prism_quantity_new_chart:
 * @id: of the quantity
 *
 * Makes a chart that waits for a history.
 *
 * Returns: (transfer floating): the chart
 */
GtkWidget *
prism_quantity_new_chart (const char *id)
{
  const PrismPlan *plan = find_plan (id);
  g_autofree char *left = plan->left != NULL
                              ? g_strdup (gettext (plan->left))
                              : prism_metric_dup_title (
                                  &prism_metrics[plan - plans - FIRST_METRIC]);
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled (
      gettext (plan->title != NULL ? plan->title : plan->quantity.label),
      plan->x != NULL ? gettext (plan->x) : _ ("Step"));
  GtkWidget *chart = prism_chart_new_for (data);

  prism_chart_data_set_axis (data, PRISM_CHART_LEFT, left, plan->logarithmic, plan->minimum,
                             plan->maximum);
  if (plan->right != NULL)
    prism_chart_data_set_axis (data, PRISM_CHART_RIGHT, gettext (plan->right), plan->logarithmic,
                               NAN, NAN);
  for (gsize i = 0; i < MAX_SERIES && plan->curves[i].label != NULL; i++)
    {
      const PrismCurve *curve = &plan->curves[i];

      /* What has no history is fed as a whole. Metrics are computed every few steps only. */
      if (plan->x != NULL)
        prism_chart_add_series (PRISM_CHART (chart), gettext (curve->label), curve->side);
      else
        prism_chart_add_field (PRISM_CHART (chart), gettext (curve->label), curve->side,
                               curve->offset, curve->factor, curve->rows)
            ->joined
            = TRUE;
    }
  return chart;
}

/**
 * prism_quantity_is_spectral:
 * @id: of the quantity
 *
 * Returns: whether its chart is over spatial frequencies, not over steps
 */
gboolean
prism_quantity_is_spectral (const char *id)
{
  return strcmp (id, CORRELATION) == 0;
}

/**
 * prism_quantity_show_frc:
 * @chart: of a quantity that is spectral
 * @frc: (nullable): the curve
 *
 * Shows correlation and measured part of each ring, and the threshold as far as was measured: what
 * agrees beyond that is a guess. The title of the axis says up to which radius the correlation is
 * above it, and how much of the plane was measured up to there.
 */
void
prism_quantity_show_frc (PrismChart *chart,
                         const PrismFrc *frc)
{
  const double *curves[] = {
    frc != NULL ? frc->correlation : NULL,
    frc != NULL ? frc->covered : NULL,
    frc != NULL ? frc->half_bit : NULL,
  };
  const PrismPlan *plan = find_plan (CORRELATION);
  const guint measured = frc != NULL ? prism_frc_get_measured (frc) : 0;
  const guint n_rings = frc != NULL ? frc->n_rings : 0;
  const double reach = frc != NULL ? prism_frc_get_reach (frc) : 0;
  g_autofree char *title = NULL;

  if (frc == NULL)
    title = g_strdup (gettext (plan->left));
  else if (measured + 1 < n_rings && reach >= measured)
    title = g_strdup_printf (_ ("Above ½ bit as far as measured, %.1f px"), reach);
  else
    title = g_strdup_printf (_ ("Above ½ bit up to %.1f px, %.0f %% of it measured"), reach,
                             100 * prism_frc_get_share (frc));
  if (g_strcmp0 (chart->data->axes[PRISM_CHART_LEFT].title, title) != 0)
    prism_chart_set_axis (chart, PRISM_CHART_LEFT, title, plan->logarithmic, plan->minimum,
                          plan->maximum);
  for (guint i = 0; i < G_N_ELEMENTS (curves); i++)
    prism_chart_replace (chart, i, curves[i],
                         frc != NULL && i == 2 ? measured + 1 : n_rings);
}

/**
 * prism_quantity_get_topic:
 * @id: of the quantity
 *
 * Returns: the section of the handbook that explains it
 */
const char *
prism_quantity_get_topic (const char *id)
{
  const PrismPlan *plan = find_plan (id);

  return plan->topic != NULL ? plan->topic : "numbers-of-quality";
}

/**
 * prism_quantity_get_gap:
 * @id: of the quantity
 * @snapshot: of a run
 *
 * Returns: (nullable): why there are no values, and never will be; NULL where there may be some
 */
const char *
prism_quantity_get_gap (const char *id,
                        const PrismSnapshot *snapshot)
{
  const PrismCurve *curves = find_plan (id)->curves;
  const gsize offset = curves[0].offset;

  if (snapshot->has_no_target
      && (prism_quantity_is_spectral (id)
          || (offset >= AT (metrics) && offset < AT (metrics) + sizeof (PrismMetrics))))
    return _ ("No target: unknown");
  if (snapshot->training == PRISM_TRAINING_SPARED && offset == AT (steps_per_second))
    return _ ("No steps: the decoder was not trained");
  if (!prism_snapshot_is_recorded (snapshot) && curves[1].offset == AT (correlation))
    return _ ("Frames are held out of recorded measurements only");
  return NULL;
}
