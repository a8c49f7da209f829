#include "config.h"

#include "support/prism-table.h"

#include "prism-scale.h"
#include "support/prism-widget.h"

static gboolean
on_sideways (GtkWidget *view,
             GVariant *args,
             gpointer scroll)
{
  gboolean scrolled;

  g_signal_emit_by_name (gtk_widget_get_ancestor (view, GTK_TYPE_SCROLLED_WINDOW), "scroll-child",
                         GPOINTER_TO_INT (scroll), TRUE, &scrolled);
  return scrolled;
}

/* GTK keeps both keys, though rows have nothing to go to beside them. */
static void
add_key (GtkColumnView *view,
         guint key,
         GtkScrollType scroll)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();
  GtkShortcutAction *action = gtk_callback_action_new (on_sideways, GINT_TO_POINTER (scroll), NULL);

  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (key, 0), action));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (view), keys);
}

/**
 * prism_table_sort:
 * @view: a table that has no rows yet, in a scrolled window by the time that keys are pressed
 * @rows: what it shows
 *
 * Has ← and → show the columns that have no room.
 *
 * Returns: (transfer full): the rows, sorted by the columns of the table
 */
GListModel *
prism_table_sort (GtkColumnView *view,
                  GListStore *rows)
{
  add_key (view, GDK_KEY_Left, GTK_SCROLL_STEP_LEFT);
  add_key (view, GDK_KEY_Right, GTK_SCROLL_STEP_RIGHT);
  return G_LIST_MODEL (gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (rows)),
                                                g_object_ref (gtk_column_view_get_sorter (view))));
}

/**
 * prism_table_new:
 * @parent: a widget whose only child the table is to be
 * @rows: what it shows
 * @label: what it is called for those who hear it
 *
 * Makes a table that scrolls, of which nothing is selected.
 *
 * Returns: (transfer none): the table, in the scrolled window that is the child of @parent
 */
GtkColumnView *
prism_table_new (AdwBin *parent,
                 GListStore *rows,
                 const char *label)
{
  GtkWidget *view = gtk_column_view_new (NULL), *scrolled = gtk_scrolled_window_new ();
  GListModel *sorted = prism_table_sort (GTK_COLUMN_VIEW (view), rows);
  g_autoptr (GtkNoSelection) selection = gtk_no_selection_new (sorted);

  gtk_column_view_set_model (GTK_COLUMN_VIEW (view), GTK_SELECTION_MODEL (selection));
  gtk_column_view_set_show_row_separators (GTK_COLUMN_VIEW (view), TRUE);
  prism_widget_set_name (view, label);
  /* A bar that is seen says that there are more columns. */
  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  adw_bin_set_child (parent, scrolled);
  return GTK_COLUMN_VIEW (view);
}

static char *
dup_cell (gpointer func,
          gpointer row,
          const PrismTableColumn *column)
{
  return func != NULL ? ((char *(*) (gpointer, gpointer)) func) (row, column->data) : NULL;
}

static double
get_number (gconstpointer row,
            const PrismTableColumn *column)
{
  return ((double (*) (gconstpointer, gpointer)) column->get_number) (row, column->data);
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *item,
          const PrismTableColumn *column)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (NULL);

  if (column->bar)
    {
      GtkWidget *bar = gtk_level_bar_new ();

      gtk_widget_set_size_request (bar, 120, -1);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      gtk_box_append (GTK_BOX (box), bar);
    }
  gtk_label_set_xalign (GTK_LABEL (label), column->right);
  if (column->cut > 0)
    g_object_set (label, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", column->cut, NULL);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *item,
         const PrismTableColumn *column)
{
  GtkWidget *box = gtk_list_item_get_child (item), *label = gtk_widget_get_last_child (box);
  gpointer row = gtk_list_item_get_item (item);
  g_autofree char *text = prism_ticks_take_minus (dup_cell (column->dup_text, row, column));
  g_autofree char *tip = prism_ticks_take_minus (dup_cell (column->dup_tip, row, column));

  gtk_label_set_text (GTK_LABEL (label), text);
  prism_label_show_sign (label);
  gtk_widget_set_tooltip_text (label, tip);
  if (column->bar)
    gtk_level_bar_set_value (GTK_LEVEL_BAR (gtk_widget_get_first_child (box)),
                             CLAMP (get_number (row, column), 0.0, 1.0));
}

/**
 * prism_table_compare:
 * @x: a number
 * @y: another one
 *
 * Orders numbers; what is none comes last.
 *
 * Returns: less than, equal to, or more than 0
 */
int
prism_table_compare (double x,
                     double y)
{
  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  return (x > y) - (x < y);
}

static int
compare_rows (gconstpointer a,
              gconstpointer b,
              gpointer data)
{
  const PrismTableColumn *column = data;
  g_autofree char *first = NULL, *second = NULL;

  if (column->get_number != NULL)
    return prism_table_compare (get_number (a, column), get_number (b, column));
  first = dup_cell (column->dup_text, (gpointer) a, column);
  second = dup_cell (column->dup_text, (gpointer) b, column);
  return g_utf8_collate (first, second);
}

static void
column_free (gpointer data)
{
  PrismTableColumn *column = data;

  if (column->free_data != NULL)
    ((GDestroyNotify) column->free_data) (column->data);
  g_free (column);
}

/**
 * prism_table_append:
 * @view: a table
 * @title: of the column
 * @column: what it shows, and what it sorts by
 *
 * Returns: (transfer none): the new column
 */
GtkColumnViewColumn *
prism_table_append (GtkColumnView *view,
                    const char *title,
                    const PrismTableColumn *column)
{
  /* The sorter has it, which may live longer than the column. */
  PrismTableColumn *own = g_memdup2 (column, sizeof *column);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) shown = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter
      = GTK_SORTER (gtk_custom_sorter_new (compare_rows, own, column_free));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), own);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), own);
  gtk_column_view_column_set_sorter (shown, sorter);
  gtk_column_view_column_set_resizable (shown, TRUE);
  gtk_column_view_append_column (view, shown);
  return shown; /* the view has it */
}
