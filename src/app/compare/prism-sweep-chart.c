#include "config.h"

#include "compare/prism-sweep-parts.h"

#include "charts/prism-chart-plot.h"
#include "prism-sweep-plot.h"
#include "support/prism-file-dialog.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

struct _PrismSweepChart
{
  GtkBox parent_instance;

  GtkDropDown *measure_list;
  PrismChartPlot *area;

  guint measures[PRISM_SWEEP_N_MEASURES]; /* of the list */
  gboolean recorded;                      /* they are those of recorded frames */
  PrismSweep *sweep;                      /* (nullable), borrowed until the next table */
  PrismSweepTable *table;                 /* (nullable) */
  PrismSweepPlot *plot;                   /* (nullable) */
  guint point;                            /* that is marked; G_MAXUINT for none */
};

G_DEFINE_FINAL_TYPE (PrismSweepChart, prism_sweep_chart, GTK_TYPE_BOX)

enum
{
  CHOSEN,
  OPENED,
  PROBLEM,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static void
show_mark (PrismSweepChart *self)
{
  if (self->plot != NULL)
    prism_chart_plot_set_chosen (self->area, self->point < self->plot->n_points
                                                 ? self->plot->cells[self->point]
                                                 : PRISM_CHART_NO_ITEM);
}

static void
make_plot (PrismSweepChart *self)
{
  guint selected = gtk_drop_down_get_selected (self->measure_list);

  g_clear_pointer (&self->plot, prism_sweep_plot_free);
  if (self->sweep != NULL && selected < PRISM_SWEEP_N_MEASURES)
    self->plot = prism_sweep_plot_new (self->sweep, self->table, self->measures[selected]);
  prism_chart_plot_set_data (self->area, self->plot != NULL ? self->plot->chart : NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep-chart.save", self->plot != NULL);
  show_mark (self);
}

/* The first of them is the one that runs are told apart by. */
static void
fill_measures (PrismSweepChart *self,
               gboolean recorded)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  guint n = 0;

  self->recorded = recorded;
  for (guint i = 0; i < PRISM_SWEEP_N_MEASURES; i++)
    if (prism_sweep_measure_is_of (i, recorded))
      {
        g_autofree char *title = prism_sweep_measure_dup_title (i);

        self->measures[n++] = i;
        gtk_string_list_append (titles, title);
      }
  gtk_drop_down_set_model (self->measure_list, G_LIST_MODEL (titles));
}

static void
on_chosen (PrismSweepChart *self,
           guint cell)
{
  g_signal_emit (self, signals[CHOSEN], 0, self->plot->field->cells[cell].point);
}

static void
on_opened (PrismSweepChart *self)
{
  g_signal_emit (self, signals[OPENED], 0);
}

static void
on_path (const char *path,
         gpointer data)
{
  PrismSweepChart *self = data;
  g_autoptr (GError) error = NULL;

  if (self->plot != NULL && !prism_sweep_plot_save (self->plot, path, &error))
    g_signal_emit (self, signals[PROBLEM], 0, error->message);
}

static void
save (PrismSweepChart *self)
{
  static const char *const patterns[] = { "*.png", "*.svg", "*.pdf", "*.csv", NULL };
  g_autofree char *name
      = g_strdup_printf ("sweep-%s.png",
                         prism_sweep_measure_get_key (self->plot->field->measure));
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save the curve or map"), _ ("_Save"),
                                   name, _ ("PNG, SVG, PDF, CSV"), patterns };

  prism_file_dialog_ask (&dialog, self, on_path);
}

static void
prism_sweep_chart_finalize (GObject *object)
{
  PrismSweepChart *self = PRISM_SWEEP_CHART (object);

  prism_sweep_plot_free (self->plot);
  prism_sweep_table_free (self->table);
  G_OBJECT_CLASS (prism_sweep_chart_parent_class)->finalize (object);
}

static void
prism_sweep_chart_class_init (PrismSweepChartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = prism_sweep_chart_finalize;
  g_type_ensure (PRISM_TYPE_CHART_PLOT);
  PRISM_TEMPLATE (widget_class, PrismSweepChart, "prism-sweep-chart.ui", measure_list, area);
  PRISM_ACTION (widget_class, "sweep-chart.save", save);
  signals[CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[OPENED] = g_signal_new ("opened", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
prism_sweep_chart_init (PrismSweepChart *self)
{
  self->point = G_MAXUINT;
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_measures (self, FALSE);
  g_signal_connect_object (self->measure_list, "notify::selected", G_CALLBACK (make_plot), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->area, "item-chosen", G_CALLBACK (on_chosen), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->area, "item-opened", G_CALLBACK (on_opened), self,
                           G_CONNECT_SWAPPED);
  make_plot (self);
}

/**
 * prism_sweep_chart_set_table:
 * @sweep: (nullable): a sweep, which stays there until the next call
 * @table: (nullable): what its runs have come to
 *
 * Shows another sweep, or what has become of this one.
 */
void
prism_sweep_chart_set_table (PrismSweepChart *self,
                             PrismSweep *sweep,
                             const PrismSweepTable *table)
{
  g_clear_pointer (&self->table, prism_sweep_table_free);
  self->sweep = table != NULL ? sweep : NULL;
  self->table = table != NULL ? prism_sweep_table_dup (table) : NULL;
  if (self->sweep != NULL && (sweep->frames != NULL) != self->recorded)
    fill_measures (self, sweep->frames != NULL);
  make_plot (self);
}

/**
 * prism_sweep_chart_mark:
 * @point: number of a point; G_MAXUINT for none
 *
 * Marks the cell that has the point.
 */
void
prism_sweep_chart_mark (PrismSweepChart *self,
                        guint point)
{
  self->point = point;
  show_mark (self);
}

/**
 * prism_sweep_chart_dup_text:
 * @point: number of a point
 *
 * Returns: (transfer full) (nullable): what its cell has come to
 */
char *
prism_sweep_chart_dup_text (PrismSweepChart *self,
                            guint point)
{
  const PrismSweepPlot *plot = self->plot;

  return plot != NULL && point < plot->n_points
             ? prism_chart_data_dup_tip (plot->chart, plot->cells[point])
             : NULL;
}
