#include "config.h"

#include "compare/prism-sweep-list.h"

#include "compare/prism-sweep-point.h"

static void
setup_cell (GtkSignalListItemFactory *factory,
            GtkListItem *item,
            gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), GPOINTER_TO_INT (data) > PRISM_SWEEP_COLUMN_VERDICT);
  /* “not …” would be no verdict. */
  if (GPOINTER_TO_INT (data) != PRISM_SWEEP_COLUMN_VERDICT)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
bind_cell (GtkSignalListItemFactory *factory,
           GtkListItem *item,
           gpointer data)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  PrismSweepPoint *point = gtk_list_item_get_item (item);
  g_autofree char *text = prism_sweep_point_dup_text (point, GPOINTER_TO_INT (data));
  g_autofree char *tooltip = prism_sweep_point_dup_tooltip (point, GPOINTER_TO_INT (data));

  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, tooltip);
}

static int
compare_points (gconstpointer a,
                gconstpointer b,
                gpointer data)
{
  return prism_sweep_point_compare ((PrismSweepPoint *) a, (PrismSweepPoint *) b,
                                    GPOINTER_TO_INT (data));
}

/**
 * prism_sweep_list_show:
 * @view: of prism_sweep_list_set_up()
 * @recorded: whether the runs are of recorded frames
 *
 * Shows the columns that such runs have: recorded frames have no truth to compare a specimen with.
 */
void
prism_sweep_list_show (GtkColumnView *view,
                       gboolean recorded)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  for (guint i = PRISM_SWEEP_COLUMN_METRICS; i < PRISM_SWEEP_N_COLUMNS; i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      const gboolean shown = i == PRISM_SWEEP_COLUMN_CORRELATION ? recorded
                             : i < PRISM_SWEEP_COLUMN_MISFIT     ? !recorded
                                                                 : TRUE;

      gtk_column_view_column_set_visible (column, shown);
    }
}

/**
 * prism_sweep_list_set_up:
 * @view: a list
 * @points: of PrismSweepPoint
 *
 * Gives the list its columns and the points, sorted by the column that is chosen.
 *
 * Returns: (transfer none): which point is chosen
 */
GtkSingleSelection *
prism_sweep_list_set_up (GtkColumnView *view,
                         GListStore *points)
{
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  for (int i = 0; i < PRISM_SWEEP_N_COLUMNS; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autofree char *label = prism_sweep_column_dup_label (i);
      GtkColumnViewColumn *column;
      g_autoptr (GtkSorter) sorter
          = GTK_SORTER (gtk_custom_sorter_new (compare_points, GINT_TO_POINTER (i), NULL));

      g_signal_connect (factory, "setup", G_CALLBACK (setup_cell), GINT_TO_POINTER (i));
      g_signal_connect (factory, "bind", G_CALLBACK (bind_cell), GINT_TO_POINTER (i));
      column = gtk_column_view_column_new (label, factory);
      gtk_column_view_column_set_sorter (column, sorter);
      gtk_column_view_column_set_resizable (column, TRUE);
      gtk_column_view_column_set_expand (column, i <= PRISM_SWEEP_COLUMN_STATE);
      gtk_column_view_append_column (view, column);
      g_object_unref (column);
    }
  sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (points)),
                                    g_object_ref (gtk_column_view_get_sorter (view)));
  selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  return selection;
}
