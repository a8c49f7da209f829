#include "config.h"

#include "charts/prism-chart.h"

#include "support/prism-widget.h"

#define SAMPLE_WIDTH 12
/* An accessible name that followed each step would keep a screen reader's bus busy. */
#define LABEL_INTERVAL 1000 /* ms */
G_DEFINE_FINAL_TYPE (PrismChart, prism_chart, GTK_TYPE_WIDGET)

static void
update_label (PrismChart *self)
{
  double first;
  double last;
  g_autofree char *label = NULL;

  if (self->data->description != NULL)
    label = g_strdup (self->data->description);
  else if (prism_chart_data_get_extent (self->data, &first, &last))
    label = g_strdup_printf (_ ("%s, chart, %s %.0f to %.0f"), self->data->title,
                             self->data->x_title, first, last);
  else if (self->data->empty_text != NULL)
    label = g_strdup_printf (_ ("%s, chart, %s"), self->data->title, self->data->empty_text);
  else
    label = g_strdup_printf (_ ("%s, chart, empty"), self->data->title);
  prism_widget_set_name (self->plot, label);
}

static void
on_rows_read (gpointer data,
              gboolean was_empty)
{
  PrismChart *self = data;

  prism_chart_plot_data_changed (self->plot);
  if (was_empty)
    update_label (self);
  if (self->label_source == 0)
    prism_later (&self->label_source, LABEL_INTERVAL, update_label, self);
}

static void
prism_chart_class_init (PrismChartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismChart, prism_chart_feed_free, ghost_feed, feed);
  PRISM_DISPOSE (klass, PrismChart, g_source_remove, label_source);
  PRISM_ON_DISPOSE (klass, prism_widget_drop_template);
  PRISM_FINALIZE (klass, PrismChart, prism_chart_data_free, data);

  g_type_ensure (PRISM_TYPE_CHART_PLOT);
  gtk_widget_class_set_css_name (widget_class, "prism-chart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  PRISM_TEMPLATE (klass, PrismChart, "prism-chart.ui", header, title_label, legend, menu_button,
                  plot);
}

static void
prism_chart_init (PrismChart *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* The name of an image is spoken when it gets the focus. */
  prism_widget_control (self, gtk_event_controller_focus_new (), self, "enter", update_label, NULL);
}

/**
 * prism_chart_set_axis:
 * @self: a chart
 * @side: which axis
 * @title: (nullable): what it measures, with the unit
 * @logarithmic: whether equal ratios are equal lengths
 * @minimum: value at the bottom, NAN to follow the data
 * @maximum: value at the top, NAN to follow the data
 *
 * Describes a vertical axis; it appears when it has a series.
 */
void
prism_chart_set_axis (PrismChart *self,
                      PrismChartSide side,
                      const char *title,
                      gboolean logarithmic,
                      double minimum,
                      double maximum)
{
  prism_chart_data_set_axis (self->data, side, title, logarithmic, minimum, maximum);
  prism_chart_plot_redraw (self->plot);
}

/**
 * prism_chart_set_limit:
 * @self: a chart
 * @limit: of the left axis, NAN for none
 * @note: (nullable): a few words about it
 *
 * Says what the values cannot exceed: in words above the plot, and as a line when they come near.
 */
void
prism_chart_set_limit (PrismChart *self,
                       double limit,
                       const char *note)
{
  if (!prism_keep_text (&self->data->note, note))
    return;
  self->data->limit = limit;
  prism_chart_plot_redraw (self->plot);
}

static void
draw_sample (GtkDrawingArea *area,
             cairo_t *cr,
             int width,
             int height,
             gpointer data)
{
  PrismPaint paint;

  prism_paint_init_widget (&paint, GTK_WIDGET (area), cr);
  prism_chart_curve_draw_sample (&paint, GPOINTER_TO_UINT (data), 0, height / 2.0, width);
  prism_paint_finish (&paint);
}

static void
legend_toggled (PrismChart *self,
                GtkToggleButton *button)
{
  guint i = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "prism-series"));

  prism_chart_data_get_series (self->data, i)->hidden = !gtk_toggle_button_get_active (button);
  prism_chart_plot_redraw (self->plot);
}

static void
add_legend (PrismChart *self,
            const char *label,
            guint series)
{
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *sample = gtk_drawing_area_new ();
  GtkWidget *name = gtk_label_new (label);
  g_autofree char *tooltip = g_strdup_printf (_ ("Show or hide the curve “%s”"), label);

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (sample), SAMPLE_WIDTH);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (sample), 12);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (sample), draw_sample, GUINT_TO_POINTER (series),
                                  NULL);
  gtk_widget_set_valign (sample, GTK_ALIGN_CENTER);
  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_END);
  gtk_box_append (GTK_BOX (box), sample);
  gtk_box_append (GTK_BOX (box), name);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  prism_widget_set_name (button, label);
  g_object_set_data (G_OBJECT (button), "prism-series", GUINT_TO_POINTER (series));
  PRISM_CONNECT (button, "toggled", legend_toggled, self);
  gtk_flow_box_append (self->legend, button);
  /* The button takes the focus, not its place. */
  gtk_widget_set_focusable (gtk_widget_get_parent (button), FALSE);
  /* One curve needs no legend: the title names it. */
  gtk_widget_set_visible (GTK_WIDGET (self->legend), series > 0);
}

/**
 * prism_chart_new_for:
 * @data: (transfer none): what it shows; curves that it has are in the legend
 *
 * Returns: (transfer floating): a chart
 */
GtkWidget *
prism_chart_new_for (PrismChartData *data)
{
  PrismChart *self = g_object_new (PRISM_TYPE_CHART, NULL);
  g_autofree char *menu = g_strdup_printf (_ ("%s menu"), data->title);

  self->data = prism_chart_data_ref (data);
  self->feed = prism_chart_feed_new (data, on_rows_read, self);
  self->ghost_feed = prism_chart_feed_new_ghost (self->feed);
  prism_chart_plot_set_data (self->plot, data);
  gtk_label_set_label (self->title_label, data->title);
  prism_widget_set_name (self, data->title);
  prism_widget_set_name (self->menu_button, menu);
  for (guint i = 0; i < data->series->len; i++)
    add_legend (self, prism_chart_data_get_series (data, i)->label, i);
  update_label (self);
  return GTK_WIDGET (self);
}

/**
 * prism_chart_add_series:
 * @self: a chart
 * @label: name in the legend
 * @side: its axis
 *
 * Adds a curve that prism_chart_append() feeds.
 *
 * Returns: its index
 */
guint
prism_chart_add_series (PrismChart *self,
                        const char *label,
                        PrismChartSide side)
{
  prism_chart_data_add_series (self->data, label, side);
  add_legend (self, label, self->data->series->len - 1);
  prism_chart_plot_redraw (self->plot);
  return self->data->series->len - 1;
}

/**
 * prism_chart_add_field:
 * @self: a chart
 * @label: name in the legend
 * @side: its axis
 * @offset: of a double in #PrismHistoryRow
 * @factor: by which it is multiplied, to change its unit
 * @rows: of which part of a run its values are; the numbers of the other mean something else
 *
 * Returns: (transfer none): a curve that prism_chart_set_history() feeds
 */
PrismChartSeries *
prism_chart_add_field (PrismChart *self,
                       const char *label,
                       PrismChartSide side,
                       gsize offset,
                       double factor,
                       PrismChartRows rows)
{
  guint series = prism_chart_add_series (self, label, side);

  prism_chart_feed_add_field (self->feed, series, offset, factor, rows);
  return prism_chart_data_get_series (self->data, series);
}

/**
 * prism_chart_set_empty_text:
 * @self: a chart
 * @text: (nullable): why no point will come
 *
 * Says it in place of the curves as long as there are none.
 */
void
prism_chart_set_empty_text (PrismChart *self,
                            const char *text)
{
  if (!prism_keep_text (&self->data->empty_text, text))
    return;
  update_label (self);
  prism_chart_plot_redraw (self->plot);
}

/**
 * prism_chart_append:
 * @self: a chart
 * @series: index of a series
 * @x: above its last x
 * @y: value, NAN when absent
 *
 * Adds a point.
 */
void
prism_chart_append (PrismChart *self,
                    guint series,
                    double x,
                    double y)
{
  prism_chart_series_append (prism_chart_data_get_series (self->data, series), x, y);
  prism_chart_plot_data_changed (self->plot);
}

/**
 * prism_chart_clear:
 * @self: a chart
 *
 * Removes all points, and forgets the history.
 */
void
prism_chart_clear (PrismChart *self)
{
  prism_chart_feed_clear (self->feed);
  update_label (self);
  prism_chart_plot_redraw (self->plot);
}

/**
 * prism_chart_set_listed:
 * @self: a chart
 * @series: index of a series
 * @listed: whether there is such a curve now
 *
 * Leaves the name of a curve that is not there out of the legend.
 */
void
prism_chart_set_listed (PrismChart *self,
                        guint series,
                        gboolean listed)
{
  GtkFlowBoxChild *child = gtk_flow_box_get_child_at_index (self->legend, (int) series);

  gtk_widget_set_visible (GTK_WIDGET (child), listed);
}

/**
 * prism_chart_replace:
 * @self: a chart
 * @series: index of a series that prism_chart_append() could feed
 * @values: (array length=n_values): y, NAN when absent
 * @n_values: how many
 *
 * Shows another curve over 0, 1, 2, … in place of the one before.
 */
void
prism_chart_replace (PrismChart *self,
                     guint series,
                     const double *values,
                     guint n_values)
{
  PrismChartSeries *curve = prism_chart_data_get_series (self->data, series);
  guint64 n_before = prism_chart_series_get_n_points (curve);

  prism_chart_series_clear (curve);
  for (guint i = 0; i < n_values; i++)
    prism_chart_series_append (curve, i, values[i]);
  if (n_before != n_values)
    update_label (self);
  prism_chart_plot_data_changed (self->plot);
}

/**
 * prism_chart_set_history:
 * @self: a chart
 * @history: (nullable): the rows of a run
 * @n_rows: how many of them may be read
 *
 * Adds the rows that are new since the last call. Cheap enough to be called for each frame; a long
 * history is read in pieces, while the window stays responsive.
 */
void
prism_chart_set_history (PrismChart *self,
                         PrismHistory *history,
                         guint64 n_rows)
{
  if (!prism_chart_feed_continues (self->feed, history, n_rows))
    prism_chart_clear (self);
  prism_chart_feed_set_history (self->feed, history, n_rows);
}

/* Colours and lines are those of the run in front; a word says what the faint ones are. */
static void
show_ghost_label (PrismChart *self,
                  gboolean shown)
{
  if (self->ghost_label == NULL && shown)
    {
      self->ghost_label = gtk_label_new (_ ("faint: last run"));
      gtk_widget_add_css_class (self->ghost_label, "dim-label");
      gtk_label_set_ellipsize (GTK_LABEL (self->ghost_label), PANGO_ELLIPSIZE_END);
      gtk_flow_box_append (self->legend, self->ghost_label);
      gtk_widget_set_focusable (gtk_widget_get_parent (self->ghost_label), FALSE);
    }
  if (self->ghost_label == NULL)
    return;
  gtk_widget_set_visible (gtk_widget_get_parent (self->ghost_label), shown);
  gtk_widget_set_visible (GTK_WIDGET (self->legend), shown || self->data->series->len > 1);
}

/**
 * prism_chart_set_ghost:
 * @self: a chart whose curves are fed by a history
 * @history: (nullable): the rows of another run
 * @n_rows: how many of them may be read
 *
 * Shows the curves of another run as well, faint, or no more.
 */
void
prism_chart_set_ghost (PrismChart *self,
                       PrismHistory *history,
                       guint64 n_rows)
{
  if (prism_chart_feed_continues (self->ghost_feed, history, n_rows))
    return;
  prism_chart_feed_set_history (self->ghost_feed, history, n_rows);
  show_ghost_label (self, history != NULL);
  prism_chart_plot_redraw (self->plot);
}

/**
 * prism_chart_set_smoothing:
 * @self: a chart
 * @weight: of the past, 0 for none, below 1
 *
 * Shows moving averages, and the values themselves faint behind them.
 */
void
prism_chart_set_smoothing (PrismChart *self,
                           double weight)
{
  prism_chart_data_set_smoothing (self->data, weight);
  prism_chart_plot_redraw (self->plot);
}

/**
 * prism_chart_set_menu:
 * @self: a chart
 * @model: of the button beside its title
 */
void
prism_chart_set_menu (PrismChart *self,
                      GMenuModel *model)
{
  gtk_menu_button_set_menu_model (self->menu_button, model);
  gtk_widget_set_visible (GTK_WIDGET (self->menu_button), TRUE);
}
