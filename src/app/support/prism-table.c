#include "config.h"

#include "support/prism-table.h"

#include "support/prism-widget.h"

/**
 * prism_table_sort:
 * @view: a table
 * @rows: what it shows
 *
 * Returns: (transfer full): the rows, sorted by the columns of the table
 */
GListModel *
prism_table_sort (GtkColumnView *view,
                  GListStore *rows)
{
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

/**
 * prism_table_append:
 * @view: a table
 * @title: of the column
 * @setup: makes a cell, of GtkSignalListItemFactory
 * @bind: fills a cell
 * @compare: orders two rows
 * @data: for the three
 *
 * Returns: (transfer none): the new column
 */
GtkColumnViewColumn *
prism_table_append (GtkColumnView *view,
                    const char *title,
                    GCallback setup,
                    GCallback bind,
                    GCompareDataFunc compare,
                    gpointer data)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = gtk_column_view_column_new (title, factory);
  g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare, data, NULL));

  g_signal_connect (factory, "setup", setup, data);
  g_signal_connect (factory, "bind", bind, data);
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_append_column (view, column);
  return column; /* the view has it */
}
