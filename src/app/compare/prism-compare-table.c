#include "config.h"

#include "compare/prism-compare-table.h"

#include "charts/prism-chart.h"
#include "prism-report-figure.h"
#include "prism-report-text.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>
#include <math.h>

struct _PrismCompareTable
{
  GtkWidget parent_instance;

  GtkWidget *scrolled;
  GtkColumnView *view;
  GListStore *rows; /* of GObjects that hold a PrismResult */
};

G_DEFINE_FINAL_TYPE (PrismCompareTable, prism_compare_table, GTK_TYPE_WIDGET)

/* A row carries its result; without a column it is the name. */
static PrismResult *
get_result (gpointer row)
{
  return g_object_get_data (row, "prism-result");
}

static GObject *
create_row (PrismResult *result)
{
  GObject *row = g_object_new (G_TYPE_OBJECT, NULL);

  g_object_set_data_full (row, "prism-result", prism_result_ref (result),
                          (GDestroyNotify) prism_result_unref);
  return row;
}

static char *
dup_text (const PrismComparisonColumn *column,
          const PrismResult *result)
{
  g_autofree char *text = NULL;

  if (column == NULL)
    return g_strdup (result->name);
  text = prism_comparison_dup_shown_text (column, result);
  return g_strdup (column->numeric || text[0] == '\0' ? text : _ (text));
}

/* What is not known comes last, whichever way the rest is sorted, as far as a sorter can say. */
static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer data)
{
  const PrismComparisonColumn *column = data;
  const PrismResult *first = get_result ((gpointer) a);
  const PrismResult *second = get_result ((gpointer) b);
  g_autofree char *first_text = NULL;
  g_autofree char *second_text = NULL;

  if (column != NULL && column->numeric)
    {
      double x = prism_comparison_get_number (column, first);
      double y = prism_comparison_get_number (column, second);

      if (isnan (x) || isnan (y))
        return isnan (x) - isnan (y);
      return (x > y) - (x < y);
    }
  first_text = dup_text (column, first);
  second_text = dup_text (column, second);
  return g_utf8_collate (first_text, second_text);
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *item,
          const PrismComparisonColumn *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column != NULL && column->numeric ? 1 : 0);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *item,
         const PrismComparisonColumn *column)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  const PrismResult *result = get_result (gtk_list_item_get_item (item));
  g_autofree char *text = dup_text (column, result);
  g_autofree char *tooltip = column != NULL ? prism_comparison_dup_remark (column, result) : NULL;

  gtk_label_set_label (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, tooltip);
}

/* NULL is the column of the names. */
static void
append_column (PrismCompareTable *self,
               const PrismComparisonColumn *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  PrismComparisonColumn *own
      = column != NULL ? g_memdup2 (column, sizeof *column) : NULL;
  g_autofree char *title
      = column != NULL ? prism_report_dup_label (column) : g_strdup (C_ ("table of runs", "Run"));
  g_autoptr (GtkColumnViewColumn) shown = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_rows, own, NULL));

  g_object_set_data_full (G_OBJECT (shown), "prism-column", own, g_free);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), own);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), own);
  gtk_column_view_column_set_sorter (shown, sorter);
  gtk_column_view_column_set_resizable (shown, TRUE);
  gtk_column_view_append_column (self->view, shown);
}

static void
drop_columns (PrismCompareTable *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);

  while (g_list_model_get_n_items (columns) > 0)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, 0);
      GtkSorter *sorter = gtk_column_view_column_get_sorter (column);

      /* The sorter must not ask for a column that is gone. */
      if (GTK_IS_CUSTOM_SORTER (sorter))
        gtk_custom_sorter_set_sort_func (GTK_CUSTOM_SORTER (sorter), NULL, NULL, NULL);
      gtk_column_view_remove_column (self->view, column);
    }
}

static void
prism_compare_table_dispose (GObject *object)
{
  PrismCompareTable *self = PRISM_COMPARE_TABLE (object);

  if (self->scrolled != NULL)
    {
      g_list_store_remove_all (self->rows);
      drop_columns (self);
    }
  g_clear_object (&self->rows);
  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_compare_table_parent_class)->dispose (object);
}

static void
prism_compare_table_class_init (PrismCompareTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = prism_compare_table_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
prism_compare_table_init (PrismCompareTable *self)
{
  GtkWidget *view = gtk_column_view_new (NULL);
  GtkSorter *sorter = gtk_column_view_get_sorter (GTK_COLUMN_VIEW (view));
  GtkSortListModel *sorted;
  GtkNoSelection *selection;

  self->rows = g_list_store_new (G_TYPE_OBJECT);
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->rows)),
                                    g_object_ref (sorter));
  selection = gtk_no_selection_new (G_LIST_MODEL (sorted));
  self->view = GTK_COLUMN_VIEW (view);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  gtk_column_view_set_show_column_separators (self->view, TRUE);
  gtk_column_view_set_show_row_separators (self->view, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Table of the runs"), -1);
  self->scrolled = gtk_scrolled_window_new ();
  /* A bar that is seen says that there are more columns. */
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (self->scrolled), FALSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), view);
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
}

static gboolean
differs (const PrismComparison *comparison,
         const PrismComparisonColumn *column)
{
  g_autofree char *first = NULL;

  for (guint i = 0; i < comparison->results->len; i++)
    {
      g_autofree char *text = dup_text (column, prism_comparison_get_result (comparison, i));

      if (first == NULL)
        first = g_steal_pointer (&text);
      else if (g_strcmp0 (first, text) != 0)
        return TRUE;
    }
  return FALSE;
}

/* Settings in which the runs differ, then what they differ in otherwise, then the rest. */
static void
append_columns (PrismCompareTable *self,
                const PrismComparison *comparison)
{
  append_column (self, NULL);
  for (int rank = 0; rank < 3; rank++)
    for (guint i = 0; i < comparison->columns->len; i++)
      {
        const PrismComparisonColumn *column = prism_comparison_get_column (comparison, i);
        const gboolean is_setting = column->param != NULL;
        const int own = is_setting ? 0 : 2 - differs (comparison, column);

        if (own == rank)
          append_column (self, column);
      }
}

/**
 * prism_compare_table_set_comparison:
 * @self: a table
 * @comparison: the runs
 *
 * Shows these runs, sorted as added; the columns in which they differ come first.
 */
void
prism_compare_table_set_comparison (PrismCompareTable *self,
                                    const PrismComparison *comparison)
{
  g_list_store_remove_all (self->rows);
  drop_columns (self);
  append_columns (self, comparison);
  for (guint i = 0; i < comparison->results->len; i++)
    {
      g_autoptr (GObject) row = create_row (prism_comparison_get_result (comparison, i));
      g_list_store_append (self->rows, row);
    }
}

struct _PrismCompareCurves
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkDropDown *quantity;
  GtkDropDown *axis;
  GtkBox *place;

  PrismComparison *comparison; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PrismCompareCurves, prism_compare_curves, GTK_TYPE_WIDGET)

static void
copy_series (GtkWidget *chart,
             PrismChartSeries *series)
{
  guint index = prism_chart_add_series (PRISM_CHART (chart), prism_chart_series_get_label (series),
                                        prism_chart_series_get_side (series));
  PrismChartSeries *copy
      = prism_chart_data_get_series (prism_chart_get_data (PRISM_CHART (chart)), index);

  /* Metrics are computed every few steps only. */
  prism_chart_set_joined (PRISM_CHART (chart), index, TRUE);
  for (guint64 i = 0; i < prism_chart_series_get_n_points (series); i++)
    {
      double x = prism_chart_series_get_x (series, i);
      double y = prism_chart_series_get_y (series, i, FALSE);

      if (isnan (y))
        prism_chart_series_interrupt (copy, x);
      else
        prism_chart_append (PRISM_CHART (chart), index, x, y);
    }
}

static GtkWidget *
create_chart (PrismChartData *data)
{
  const PrismChartAxis *axis = &data->axes[PRISM_CHART_LEFT];
  GtkWidget *chart = prism_chart_new (data->title);
  PrismChartData *shown = prism_chart_get_data (PRISM_CHART (chart));

  g_free (shown->x_title);
  shown->x_title = g_strdup (data->x_title);
  shown->continuous = data->continuous;
  prism_chart_set_axis (PRISM_CHART (chart), PRISM_CHART_LEFT, axis->title, axis->logarithmic,
                        axis->minimum, axis->maximum);
  for (guint i = 0; i < data->series->len; i++)
    copy_series (chart, prism_chart_data_get_series (data, i));
  gtk_widget_set_vexpand (chart, TRUE);
  return chart;
}

static void
update (PrismCompareCurves *self)
{
  PrismReportCurves curves = gtk_drop_down_get_selected (self->quantity);
  gboolean over_time = gtk_drop_down_get_selected (self->axis) == 1;
  GtkWidget *old = gtk_widget_get_first_child (GTK_WIDGET (self->place));
  g_autoptr (PrismChartData) data = NULL;

  if (self->comparison == NULL || curves >= PRISM_REPORT_N_CURVES)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->axis), curves != PRISM_REPORT_CURVES_CORRELATION);
  data = prism_report_curves_new (curves, self->comparison, over_time);
  if (old != NULL)
    gtk_box_remove (self->place, old);
  gtk_box_append (self->place, create_chart (data));
}

static void
prism_compare_curves_dispose (GObject *object)
{
  PrismCompareCurves *self = PRISM_COMPARE_CURVES (object);

  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_pointer (&self->comparison, prism_comparison_free);
  G_OBJECT_CLASS (prism_compare_curves_parent_class)->dispose (object);
}

static void
prism_compare_curves_class_init (PrismCompareCurvesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_compare_curves_dispose;
  PRISM_TEMPLATE (widget_class, PrismCompareCurves, "prism-compare-curves.ui", content, quantity,
                  axis, place);
  PRISM_TEMPLATE_CALLBACKS (widget_class, update);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
prism_compare_curves_init (PrismCompareCurves *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  for (int curves = 0; curves < PRISM_REPORT_N_CURVES; curves++)
    gtk_string_list_append (names, prism_report_curves_get_title (curves));
  gtk_drop_down_set_model (self->quantity, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->quantity, PRISM_REPORT_CURVES_METRICS);
}

/**
 * prism_compare_curves_set_comparison:
 * @self: a page
 * @comparison: the runs
 *
 * Shows a curve of each of these runs.
 */
void
prism_compare_curves_set_comparison (PrismCompareCurves *self,
                                     const PrismComparison *comparison)
{
  g_clear_pointer (&self->comparison, prism_comparison_free);
  self->comparison = prism_comparison_dup (comparison);
  update (self);
}
