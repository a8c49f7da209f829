#include "config.h"

#include "compare/prism-compare-window.h"

#include "charts/prism-chart.h"
#include "prism-report-figure.h"
#include "prism-report.h"
#include "support/prism-file-dialog.h"
#include "support/prism-notice.h"
#include "support/prism-table.h"
#include "support/prism-widget.h"

struct _PrismCompareWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  GtkLabel *common; /* what no name says, since it is equal in all that are shown */
  GtkListBox *list;
  GtkStack *stack;
  PrismCompareImages *images;
  GtkDropDown *quantity; /* of the curves */
  GtkDropDown *axis;
  GtkBox *place; /* of one chart with a curve of each run */
  PrismCompareTable *table;
  GtkButton *queue_button;

  PrismRunList *runs;
  PrismComparison *comparison; /* (nullable): of those that are shown */
};

G_DEFINE_FINAL_TYPE (PrismCompareWindow, prism_compare_window, ADW_TYPE_WINDOW)

static void
update_curves (PrismCompareWindow *self)
{
  PrismReportCurves curves = gtk_drop_down_get_selected (self->quantity);
  gboolean over_time = gtk_drop_down_get_selected (self->axis) == 1;
  GtkWidget *old = gtk_widget_get_first_child (GTK_WIDGET (self->place)), *chart;
  g_autoptr (PrismChartData) data = NULL;

  if (self->comparison == NULL || curves >= PRISM_REPORT_N_CURVES)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->axis), curves != PRISM_REPORT_CURVES_CORRELATION);
  data = prism_report_curves_new (curves, self->comparison, over_time);
  if (old != NULL)
    gtk_box_remove (self->place, old);
  chart = prism_chart_new_for (data);
  gtk_widget_set_vexpand (chart, TRUE);
  gtk_box_append (self->place, chart);
}

static void
update_pages (PrismCompareWindow *self)
{
  static const char *const saves[]
      = { "compare.save-table", "compare.save-curves", "compare.save-report" };
  g_autofree char *common = prism_run_item_dup_common (G_LIST_MODEL (self->runs->store));
  g_autofree char *text = NULL;
  const gboolean is_first = self->comparison == NULL;
  guint n_recorded = 0;

  g_clear_pointer (&self->comparison, prism_comparison_free);
  self->comparison = prism_run_list_new_comparison (self->runs);
  PRISM_FOR_EACH_POINTER (PrismResult, result, self->comparison->results)
    n_recorded += prism_snapshot_is_recorded (result->snapshot);
  /* Measurements begin with the misfit: they have no object to compare with. */
  if (is_first)
    gtk_drop_down_set_selected (self->quantity,
                                n_recorded > 0 && n_recorded == self->comparison->results->len
                                    ? PRISM_REPORT_CURVES_MISFIT
                                    : PRISM_REPORT_CURVES_METRICS);
  text = g_strconcat (common, *common != '\0' && n_recorded > 0 ? "\n" : "",
                      n_recorded > 0 ? _ ("Of recorded frames, 1 is white in the frames of that"
                                          " run.")
                                     : "",
                      NULL);
  gtk_label_set_text (self->common, text);
  gtk_widget_set_visible (GTK_WIDGET (self->common), *text != '\0');
  prism_compare_images_set_comparison (self->images, self->comparison);
  update_curves (self);
  prism_compare_table_set_comparison (self->table, self->comparison);
  PRISM_FOR_EACH_OF (one, saves)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), *one, self->comparison->results->len > 0);
}

static void
update_queue (PrismCompareWindow *self)
{
  guint n_waiting = prism_run_list_count_waiting (self->runs);
  g_autofree char *label = NULL;

  if (self->runs->running)
    label = g_strdup (_ ("Hold the queue"));
  else if (n_waiting == 0)
    label = g_strdup (_ ("Run the queue"));
  else
    label = g_strdup_printf (ngettext ("Run %u waiting", "Run %u waiting", n_waiting), n_waiting);
  gtk_button_set_label (self->queue_button, label);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.queue",
                                 self->runs->running || n_waiting > 0);
}

static void
on_queue (PrismCompareWindow *self)
{
  if (self->runs->running)
    prism_run_list_set_running (self->runs, FALSE);
  else
    prism_run_list_start_queue (self->runs);
}

static void
open_run (PrismCompareWindow *self,
          const char *path)
{
  prism_run_list_open (self->runs, path);
}

static gboolean
on_drop (PrismCompareWindow *self,
         const GValue *value)
{
  GSList *files = g_value_get_boxed (value);

  for (GSList *link = files; link != NULL; link = link->next)
    {
      g_autofree char *path = g_file_get_path (link->data);

      if (path != NULL)
        prism_run_list_open (self->runs, path);
    }
  return files != NULL;
}

/* write: of a PrismComparison */
static void
save (PrismCompareWindow *self,
      const char *path,
      gpointer write)
{
  prism_file_saver_save (write, prism_run_list_new_comparison (self->runs), prism_comparison_free,
                         path, prism_toaster_tell_saved, self->toast_overlay);
}

static void
on_remove_clicked (GtkWidget *button,
                   PrismRunItem *item)
{
  prism_run_list_remove (PRISM_COMPARE_WINDOW (gtk_widget_get_root (button))->runs, item);
}

static GtkWidget *
create_label (PrismRunItem *item,
              const char *property,
              const char *style)
{
  GtkWidget *label = prism_label_new (NULL, style, 0);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  /* A hyphen would be read as a part of a file's name. */
  pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  g_signal_connect (label, "notify::label", G_CALLBACK (prism_label_show_sign), NULL);
  g_object_bind_property (item, property, label, "label", G_BINDING_SYNC_CREATE);
  return label;
}

/* For those who hear it: "Remove 1 · Moon". */
static void
name_widget (GtkWidget *widget,
             GParamSpec *pspec,
             PrismRunItem *item)
{
  const char *format = GTK_IS_CHECK_BUTTON (widget) ? _ ("Compare %s") : _ ("Remove %s");
  g_autofree char *label = g_strdup_printf (format, item->name);

  prism_widget_set_name (widget, label);
}

static GtkWidget *
create_row (gpointer data,
            gpointer unused)
{
  PrismRunItem *item = data;
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *check = gtk_check_button_new ();
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *button = gtk_button_new_from_icon_name ("user-trash-symbolic");

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Remove from the list"));
  name_widget (button, NULL, item);
  name_widget (check, NULL, item);
  PRISM_CONNECT (item, "notify::name", name_widget, button);
  PRISM_CONNECT (item, "notify::name", name_widget, check);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_remove_clicked), item, 0);
  g_object_bind_property (item, "shown", check, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  gtk_box_append (GTK_BOX (text), create_label (item, "name", "body"));
  gtk_box_append (GTK_BOX (text), create_label (item, "status", "caption"));
  g_object_bind_property (item, "name", text, "tooltip-text", G_BINDING_SYNC_CREATE);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_box_append (GTK_BOX (row), check);
  gtk_box_append (GTK_BOX (row), text);
  gtk_box_append (GTK_BOX (row), button);
  return row;
}

static void
on_mode (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  PrismCompareWindow *self = PRISM_COMPARE_WINDOW (widget);

  prism_compare_window_show_page (self, "images");
  prism_compare_images_set_mode (self->images, g_variant_get_int32 (parameter));
}

static void
on_page (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  prism_compare_window_show_page (PRISM_COMPARE_WINDOW (widget),
                                  g_variant_get_string (parameter, NULL));
}

/* Ctrl+1 … Ctrl+5: the three ways to hold pictures against each other, the curves, the table. */
static void
add_keys (GtkWidgetClass *widget_class)
{
  static const struct
  {
    guint key;
    const char *action;
    const char *page;
  } keys[] = {
    { GDK_KEY_4, "compare.page", "curves" },
    { GDK_KEY_5, "compare.page", "table" },
    { GDK_KEY_o, "compare.open", NULL },
    { GDK_KEY_e, "compare.save-table", NULL },
    { GDK_KEY_p, "compare.save-report", NULL },
  };

  for (int mode = PRISM_COMPARE_SIDE_BY_SIDE; mode <= PRISM_COMPARE_SWIPE; mode++)
    gtk_widget_class_add_binding_action (widget_class, GDK_KEY_1 + mode, GDK_CONTROL_MASK,
                                         "compare.mode", "i", mode);
  PRISM_FOR_EACH_OF (one, keys)
    gtk_widget_class_add_binding_action (widget_class, one->key, GDK_CONTROL_MASK,
                                         one->action, one->page != NULL ? "s" : NULL,
                                         one->page);
}

static void
prism_compare_window_class_init (PrismCompareWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismCompareWindow, g_object_unref, runs);
  PRISM_DISPOSE (klass, PrismCompareWindow, prism_comparison_free, comparison);
  g_type_ensure (PRISM_TYPE_COMPARE_IMAGES);
  g_type_ensure (PRISM_TYPE_COMPARE_TABLE);
  PRISM_TEMPLATE (klass, PrismCompareWindow, "prism-compare-window.ui", toast_overlay, list, common,
                  stack, images, quantity, axis, place, table, queue_button);
  PRISM_TEMPLATE_CALLBACKS (klass, update_curves);
  PRISM_ACTION (klass, "compare.queue", on_queue);
  PRISM_ASK (klass,
             { "compare.open",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Open a run"), N_ ("Runs"),
                 "*.prismrun summary.json" },
               open_run },
             { "compare.save-table",
               { PRISM_FILE_DIALOG_SAVE, N_ ("Save the table"), N_ ("Tables"), "*.csv",
                 "runs.csv" },
               save,
               prism_comparison_save_csv },
             { "compare.save-curves",
               { PRISM_FILE_DIALOG_SAVE, N_ ("Save all curves"), N_ ("Tables"), "*.csv",
                 "curves.csv" },
               save,
               prism_comparison_save_curves },
             { "compare.save-report",
               { PRISM_FILE_DIALOG_SAVE, N_ ("Save a report"), N_ ("Reports"), "*.html *.pdf",
                 "report.html" },
               save,
               prism_report_save });
  gtk_widget_class_install_action (widget_class, "compare.mode", "i", on_mode);
  gtk_widget_class_install_action (widget_class, "compare.page", "s", on_page);
  add_keys (widget_class);
}

static void
prism_compare_window_init (PrismCompareWindow *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  for (int curves = 0; curves < PRISM_REPORT_N_CURVES; curves++)
    gtk_string_list_append (names, prism_report_curves_get_title (curves));
  gtk_drop_down_set_model (self->quantity, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->quantity, PRISM_REPORT_CURVES_METRICS);
  prism_widget_control (self, gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY), self,
                        "drop", on_drop, NULL);
}

/**
 * prism_compare_window_new:
 * @runs: what to compare
 *
 * Makes a window that follows the list.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
prism_compare_window_new (PrismRunList *runs)
{
  PrismCompareWindow *self = g_object_new (PRISM_TYPE_COMPARE_WINDOW, NULL);

  self->runs = g_object_ref (runs);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (runs->store), create_row, NULL, NULL);
  PRISM_CONNECT (runs, "changed", update_pages, self);
  PRISM_CONNECT (runs, "changed", update_queue, self);
  PRISM_CONNECT (runs, "problem", prism_toaster_tell, self->toast_overlay);
  PRISM_CONNECT (runs, "notify::queue-running", update_queue, self);
  PRISM_CONNECT (G_LIST_MODEL (runs->store), "items-changed", update_queue, self);
  update_pages (self);
  update_queue (self);
  return GTK_WIDGET (self);
}

/**
 * prism_compare_window_show_page:
 * @self: a window
 * @name: "images", "curves" or "table"
 *
 * Shows a page.
 */
void
prism_compare_window_show_page (PrismCompareWindow *self,
                                const char *name)
{
  gtk_stack_set_visible_child_name (self->stack, name);
}

struct _PrismCompareTable
{
  AdwBin parent_instance;

  GtkColumnView *view;
  GListStore *rows; /* of GObjects that hold a PrismResult */
};

G_DEFINE_FINAL_TYPE (PrismCompareTable, prism_compare_table, ADW_TYPE_BIN)

/* A row carries its result; without a column it is the name. */
static PrismResult *
get_result (gpointer row)
{
  return g_object_get_data (row, "prism-result");
}

static char *
dup_text (const PrismComparisonColumn *column,
          const PrismResult *result)
{
  const char *words = g_strrstr (result->name, " · ");
  g_autofree char *text = NULL;

  /* The columns say what the name says behind number, given name or file. */
  if (column == NULL && words != NULL)
    return g_strndup (result->name, words - result->name);
  if (column == NULL)
    return g_strdup (result->name);
  text = prism_comparison_dup_shown_text (column, result);
  return g_strdup (column->numeric || text[0] == '\0' ? text : _ (text));
}

static char *
dup_cell (gpointer row,
          const PrismComparisonColumn *column)
{
  return dup_text (column, get_result (row));
}

static double
get_cell (gpointer row,
          const PrismComparisonColumn *column)
{
  return prism_comparison_get_number (column, get_result (row));
}

static char *
dup_remark (gpointer row,
            const PrismComparisonColumn *column)
{
  return column != NULL ? prism_comparison_dup_remark (column, get_result (row)) : NULL;
}

/* NULL is the column of the names. */
static void
append_column (PrismCompareTable *self,
               const PrismComparisonColumn *column)
{
  const gboolean numeric = column != NULL && column->numeric;
  g_autofree char *title
      = column != NULL ? prism_report_dup_label (column) : g_strdup (C_ ("table of runs", "Run"));

  prism_table_append (self->view, title,
                      &(PrismTableColumn) { dup_cell, numeric ? get_cell : NULL, dup_remark,
                                            g_memdup2 (column, sizeof *column), g_free,
                                            .right = numeric });
}

static void
drop_columns (PrismCompareTable *self)
{
  GListModel *columns = gtk_column_view_get_columns (self->view);

  while (g_list_model_get_n_items (columns) > 0)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, 0);

      gtk_column_view_remove_column (self->view, column);
    }
}

static void
prism_compare_table_dispose (PrismCompareTable *self)
{
  if (adw_bin_get_child (ADW_BIN (self)) != NULL)
    {
      g_list_store_remove_all (self->rows);
      drop_columns (self);
    }
}

static void
prism_compare_table_class_init (PrismCompareTableClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_compare_table_dispose);
  PRISM_DISPOSE (klass, PrismCompareTable, g_object_unref, rows);
}

static void
prism_compare_table_init (PrismCompareTable *self)
{
  self->rows = g_list_store_new (G_TYPE_OBJECT);
  self->view = prism_table_new (ADW_BIN (self), self->rows, _ ("Table of the runs"));
  gtk_column_view_set_show_column_separators (self->view, TRUE);
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
      g_autoptr (GObject) row = g_object_new (G_TYPE_OBJECT, NULL);
      PrismResult *result = prism_comparison_get_result (comparison, i);

      g_object_set_data_full (row, "prism-result", prism_result_ref (result),
                              (GDestroyNotify) prism_result_unref);
      g_list_store_append (self->rows, row);
    }
}
