#include "config.h"

#include "compare/prism-sweep-chart.h"

#include "prism-sweep-plot.h"
#include "support/prism-file-dialog.h"
#include "support/prism-widget.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _PrismSweepChart
{
  GtkBox parent_instance;

  GtkDropDown *measure_list;
  GtkDrawingArea *area;

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
  PrismSweepGrid *grid = self->plot != NULL ? self->plot->grid : NULL;

  if (grid != NULL)
    grid->marked = self->point < grid->n_points ? grid->cells[self->point] : G_MAXUINT;
  gtk_widget_queue_draw (GTK_WIDGET (self->area));
}

static void
make_plot (PrismSweepChart *self)
{
  guint selected = gtk_drop_down_get_selected (self->measure_list);

  g_clear_pointer (&self->plot, prism_sweep_plot_free);
  if (self->sweep != NULL && selected < PRISM_SWEEP_N_MEASURES)
    self->plot = prism_sweep_plot_new (self->sweep, self->table, self->measures[selected]);
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
draw (GtkDrawingArea *area,
      cairo_t *cr,
      int width,
      int height,
      gpointer data)
{
  PrismSweepChart *self = data;
  PrismPaint paint;

  if (self->plot == NULL)
    return;
  prism_paint_init_widget (&paint, GTK_WIDGET (area), cr);
  prism_sweep_plot_draw (self->plot, &paint, width, height);
  prism_paint_finish (&paint);
}

static gboolean
on_tooltip (GtkWidget *widget,
            int x,
            int y,
            gboolean keyboard,
            GtkTooltip *tooltip,
            gpointer data)
{
  PrismSweepChart *self = data;
  guint cell = self->plot != NULL && !keyboard ? prism_sweep_grid_find (self->plot->grid, x, y)
                                               : G_MAXUINT;
  g_autofree char *text = NULL;

  if (cell == G_MAXUINT)
    return FALSE;
  text = prism_sweep_grid_dup_text (self->plot->grid, cell);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
choose (PrismSweepChart *self,
        guint cell)
{
  g_signal_emit (self, signals[CHOSEN], 0, self->plot->grid->field->cells[cell].point);
}

static void
on_click (GtkGestureClick *gesture,
          int n,
          double x,
          double y,
          gpointer data)
{
  PrismSweepChart *self = data;
  guint cell = self->plot != NULL ? prism_sweep_grid_find (self->plot->grid, x, y) : G_MAXUINT;

  gtk_widget_grab_focus (GTK_WIDGET (self->area));
  if (cell == G_MAXUINT)
    return;
  choose (self, cell);
  if (n == 2)
    g_signal_emit (self, signals[OPENED], 0);
}

/* Arrows go from cell to cell. */
static gboolean
on_key (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        gpointer data)
{
  PrismSweepChart *self = data;
  const PrismSweepField *field = self->plot != NULL ? self->plot->grid->field : NULL;
  guint cell, row, column;

  if (field == NULL)
    return FALSE;
  cell = self->plot->grid->marked;
  if (key == GDK_KEY_Return && cell != G_MAXUINT)
    {
      g_signal_emit (self, signals[OPENED], 0);
      return TRUE;
    }
  row = cell != G_MAXUINT ? cell / field->n_columns : 0;
  column = cell != G_MAXUINT ? cell % field->n_columns : 0;
  if (key == GDK_KEY_Right && cell != G_MAXUINT)
    column = MIN (column + 1, field->n_columns - 1);
  else if (key == GDK_KEY_Left)
    column = column > 0 ? column - 1 : 0;
  else if (key == GDK_KEY_Down && cell != G_MAXUINT)
    row = MIN (row + 1, field->n_rows - 1);
  else if (key == GDK_KEY_Up)
    row = row > 0 ? row - 1 : 0;
  else if (key != GDK_KEY_Right && key != GDK_KEY_Down)
    return FALSE;
  choose (self, row * field->n_columns + column);
  return TRUE;
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
save (GtkWidget *widget,
      const char *action,
      GVariant *parameter)
{
  static const char *const patterns[] = { "*.png", "*.svg", "*.pdf", "*.csv", NULL };
  PrismSweepChart *self = PRISM_SWEEP_CHART (widget);
  g_autofree char *name
      = g_strdup_printf ("sweep-%s.png",
                         prism_sweep_measure_get_key (self->plot->grid->field->measure));
  const PrismFileDialog dialog = {
    .mode = PRISM_FILE_DIALOG_SAVE,
    .title = _ ("Save the curve or map"),
    .accept = _ ("_Save"),
    .name = name,
    .filter_label = _ ("PNG, SVG, PDF, CSV"),
    .patterns = patterns,
  };

  prism_file_dialog_show (&dialog, GTK_WINDOW (gtk_widget_get_root (widget)), on_path,
                          g_object_ref (self), g_object_unref);
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
  PRISM_TEMPLATE (widget_class, PrismSweepChart, "prism-sweep-chart.ui", measure_list, area);
  gtk_widget_class_install_action (widget_class, "sweep-chart.save", NULL, save);
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
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->point = G_MAXUINT;
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_measures (self, FALSE);
  gtk_drawing_area_set_draw_func (self->area, draw, self, NULL);
  g_signal_connect_object (self->measure_list, "notify::selected", G_CALLBACK (make_plot), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->area, "query-tooltip", G_CALLBACK (on_tooltip), self, 0);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self->area, G_CONNECT_SWAPPED);
  g_signal_connect (click, "pressed", G_CALLBACK (on_click), self);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->area), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self->area), keys);
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
  PrismSweepGrid *grid = self->plot != NULL ? self->plot->grid : NULL;

  return grid != NULL && point < grid->n_points
             ? prism_sweep_grid_dup_text (grid, grid->cells[point])
             : NULL;
}
