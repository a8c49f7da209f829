#include "config.h"

#include "compare/prism-compare-window.h"

#include "compare/prism-compare-table.h"
#include "prism-report.h"
#include "support/prism-file-dialog.h"
#include "support/prism-notice.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

struct _PrismCompareWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  GtkListBox *list;
  GtkStack *stack;
  PrismCompareImages *images;
  PrismCompareCurves *curves;
  PrismCompareTable *table;
  GtkButton *queue_button;

  PrismRunList *runs;
};

/* What a dialog is open for. */
typedef struct
{
  PrismCompareWindow *window;
  PrismFileSaverFunc save; /* of a PrismComparison */
} Request;

static const char *const run_patterns[] = { "*.prismrun", "summary.json", NULL };
static const char *const csv_patterns[] = { "*.csv", NULL };
static const char *const report_patterns[] = { "*.html", "*.pdf", NULL };

G_DEFINE_FINAL_TYPE (PrismCompareWindow, prism_compare_window, ADW_TYPE_WINDOW)

static void
show_toast (PrismCompareWindow *self,
            const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_toaster_add (self->toast_overlay, adw_toast_new (markup));
}

static void
update_pages (PrismCompareWindow *self)
{
  g_autoptr (PrismComparison) comparison = prism_run_list_new_comparison (self->runs);
  gboolean any = comparison->results->len > 0;

  prism_compare_images_set_comparison (self->images, comparison);
  prism_compare_curves_set_comparison (self->curves, comparison);
  prism_compare_table_set_comparison (self->table, comparison);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.save-table", any);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.save-curves", any);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.save-report", any);
}

static void
update_queue (PrismCompareWindow *self)
{
  guint n_waiting = prism_run_list_count_waiting (self->runs);
  gboolean running;
  g_autofree char *label = NULL;

  g_object_get (self->runs, "queue-running", &running, NULL);
  if (running)
    label = g_strdup (_ ("Hold the queue"));
  else if (n_waiting == 0)
    label = g_strdup (_ ("Run the queue"));
  else
    label = g_strdup_printf (ngettext ("Run %u waiting", "Run %u waiting", n_waiting), n_waiting);
  gtk_button_set_label (self->queue_button, label);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.queue", running || n_waiting > 0);
}

static void
on_queue (GtkWidget *widget,
          const char *action,
          GVariant *parameter)
{
  PrismCompareWindow *self = PRISM_COMPARE_WINDOW (widget);
  gboolean running;

  g_object_get (self->runs, "queue-running", &running, NULL);
  if (running)
    prism_run_list_hold_queue (self->runs);
  else
    prism_run_list_start_queue (self->runs);
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

static void
on_saved (const char *path,
          const GError *error,
          gpointer data)
{
  g_autoptr (PrismCompareWindow) self = data;
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);

  show_toast (self, error != NULL ? error->message : text);
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->window);
  g_free (request);
}

static void
on_path_chosen (const char *path,
                gpointer data)
{
  Request *request = data;

  prism_file_saver_save (request->save, prism_run_list_new_comparison (request->window->runs),
                         (GDestroyNotify) prism_comparison_free, path, on_saved,
                         g_object_ref (request->window));
}

static void
ask_for_file (PrismCompareWindow *self,
              PrismFileSaverFunc save,
              const PrismFileDialog *dialog)
{
  Request *request = g_new0 (Request, 1);

  request->window = g_object_ref (self);
  request->save = save;
  prism_file_dialog_show (dialog, GTK_WINDOW (self), on_path_chosen, request, request_free);
}

static void
open_file (PrismCompareWindow *self,
           GFile *file)
{
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL)
    prism_run_list_open (self->runs, path);
}

static void
on_open_chosen (const char *path,
                gpointer data)
{
  PrismCompareWindow *self = data;

  prism_run_list_open (self->runs, path);
}

static void
on_open (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_OPEN, _ ("Open a run"), _ ("_Open"), NULL,
                                   _ ("Runs"), run_patterns };

  prism_file_dialog_show (&dialog, GTK_WINDOW (widget), on_open_chosen, g_object_ref (widget),
                          g_object_unref);
}

static gboolean
on_drop (GtkDropTarget *target,
         const GValue *value,
         double x,
         double y,
         PrismCompareWindow *self)
{
  GSList *files = g_value_get_boxed (value);

  for (GSList *link = files; link != NULL; link = link->next)
    open_file (self, link->data);
  return files != NULL;
}

static void
on_save_table (GtkWidget *widget,
               const char *action,
               GVariant *parameter)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save the table"), _ ("_Save"),
                                   "runs.csv", _ ("Tables"), csv_patterns };

  ask_for_file (PRISM_COMPARE_WINDOW (widget), (PrismFileSaverFunc) prism_comparison_save_csv,
                &dialog);
}

static void
on_save_curves (GtkWidget *widget,
                const char *action,
                GVariant *parameter)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save all curves"), _ ("_Save"),
                                   "curves.csv", _ ("Tables"), csv_patterns };

  ask_for_file (PRISM_COMPARE_WINDOW (widget), (PrismFileSaverFunc) prism_comparison_save_curves,
                &dialog);
}

static void
on_save_report (GtkWidget *widget,
                const char *action,
                GVariant *parameter)
{
  const PrismFileDialog dialog = { PRISM_FILE_DIALOG_SAVE, _ ("Save a report"), _ ("_Save"),
                                   "report.html", _ ("Reports"), report_patterns };

  ask_for_file (PRISM_COMPARE_WINDOW (widget), (PrismFileSaverFunc) prism_report_save, &dialog);
}

static void
on_remove_clicked (GtkWidget *button,
                   PrismRunItem *item)
{
  PrismCompareWindow *self = PRISM_COMPARE_WINDOW (gtk_widget_get_root (button));

  prism_run_list_remove (self->runs, item);
}

static GtkWidget *
create_label (PrismRunItem *item,
              const char *property,
              const char *style)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, style);
  g_object_bind_property (item, property, label, "label", G_BINDING_SYNC_CREATE);
  return label;
}

static void
name_remove_button (GtkWidget *button,
                    GParamSpec *pspec,
                    PrismRunItem *item)
{
  g_autofree char *label = g_strdup_printf (_ ("Remove %s"), item->name);

  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
}

static GtkWidget *
create_remove_button (PrismRunItem *item)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("user-trash-symbolic");

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _ ("Remove from the list"));
  name_remove_button (button, NULL, item);
  g_signal_connect_object (item, "notify::name", G_CALLBACK (name_remove_button), button,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_remove_clicked), item, 0);
  return button;
}

static void
name_check (GtkWidget *check,
            GParamSpec *pspec,
            PrismRunItem *item)
{
  g_autofree char *label = g_strdup_printf (_ ("Compare %s"), item->name);

  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static GtkWidget *
create_row (gpointer data,
            gpointer unused)
{
  PrismRunItem *item = data;
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *check = gtk_check_button_new ();
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  name_check (check, NULL, item);
  g_signal_connect_object (item, "notify::name", G_CALLBACK (name_check), check, G_CONNECT_SWAPPED);
  g_object_bind_property (item, "shown", check, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  gtk_box_append (GTK_BOX (text), create_label (item, "name", "body"));
  gtk_box_append (GTK_BOX (text), create_label (item, "status", "caption"));
  g_object_bind_property (item, "name", text, "tooltip-text", G_BINDING_SYNC_CREATE);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_box_append (GTK_BOX (row), check);
  gtk_box_append (GTK_BOX (row), text);
  gtk_box_append (GTK_BOX (row), create_remove_button (item));
  return row;
}

static void
prism_compare_window_dispose (GObject *object)
{
  PrismCompareWindow *self = PRISM_COMPARE_WINDOW (object);

  if (self->runs != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->runs, self);
      g_signal_handlers_disconnect_by_data (prism_run_list_get_model (self->runs), self);
    }
  g_clear_object (&self->runs);
  G_OBJECT_CLASS (prism_compare_window_parent_class)->dispose (object);
}

/* Ctrl+1 … Ctrl+5: the three ways to hold pictures against each other, the curves, the table. */
static void
add_keys (GtkWidgetClass *widget_class)
{
  for (int mode = PRISM_COMPARE_SIDE_BY_SIDE; mode <= PRISM_COMPARE_SWIPE; mode++)
    gtk_widget_class_add_binding_action (widget_class, GDK_KEY_1 + mode, GDK_CONTROL_MASK,
                                         "compare.mode", "i", mode);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_4, GDK_CONTROL_MASK, "compare.page",
                                       "s", "curves");
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_5, GDK_CONTROL_MASK, "compare.page",
                                       "s", "table");
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_o, GDK_CONTROL_MASK, "compare.open",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_e, GDK_CONTROL_MASK,
                                       "compare.save-table", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_p, GDK_CONTROL_MASK,
                                       "compare.save-report", NULL);
}

static void
prism_compare_window_class_init (PrismCompareWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_compare_window_dispose;
  g_type_ensure (PRISM_TYPE_COMPARE_IMAGES);
  g_type_ensure (PRISM_TYPE_COMPARE_CURVES);
  g_type_ensure (PRISM_TYPE_COMPARE_TABLE);
  PRISM_TEMPLATE (widget_class, PrismCompareWindow, "prism-compare-window.ui", toast_overlay, list,
                  stack, images, curves, table, queue_button);
  gtk_widget_class_install_action (widget_class, "compare.open", NULL, on_open);
  gtk_widget_class_install_action (widget_class, "compare.queue", NULL, on_queue);
  gtk_widget_class_install_action (widget_class, "compare.save-table", NULL, on_save_table);
  gtk_widget_class_install_action (widget_class, "compare.save-curves", NULL, on_save_curves);
  gtk_widget_class_install_action (widget_class, "compare.save-report", NULL, on_save_report);
  gtk_widget_class_install_action (widget_class, "compare.mode", "i", on_mode);
  gtk_widget_class_install_action (widget_class, "compare.page", "s", on_page);
  add_keys (widget_class);
}

static void
prism_compare_window_init (PrismCompareWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
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
  gtk_list_box_bind_model (self->list, prism_run_list_get_model (runs), create_row, NULL, NULL);
  g_signal_connect_swapped (runs, "changed", G_CALLBACK (update_pages), self);
  g_signal_connect_swapped (runs, "changed", G_CALLBACK (update_queue), self);
  g_signal_connect_swapped (runs, "problem", G_CALLBACK (show_toast), self);
  g_signal_connect_swapped (runs, "notify::queue-running", G_CALLBACK (update_queue), self);
  g_signal_connect_swapped (prism_run_list_get_model (runs), "items-changed",
                            G_CALLBACK (update_queue), self);
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
