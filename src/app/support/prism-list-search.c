#include "config.h"

#include "support/prism-list-search.h"

/* A drop-down of GTK 4.8 has a search entry that nothing typed comes to before it is clicked, and
 * that compares the beginnings of the names alone. */

static GtkWidget *
find_child (GtkWidget *widget,
            GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_child (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The filter is made anew with each model and expression, so that it is looked for when it is
 * needed. */
static void
on_popup (GtkWidget *popover,
          GtkWidget *list)
{
  GtkWidget *entry = find_child (popover, GTK_TYPE_SEARCH_ENTRY);
  GtkWidget *view = find_child (popover, GTK_TYPE_LIST_VIEW);
  GtkSelectionModel *selection = gtk_list_view_get_model (GTK_LIST_VIEW (view));
  GListModel *model = gtk_single_selection_get_model (GTK_SINGLE_SELECTION (selection));
  GtkFilter *filter = GTK_IS_FILTER_LIST_MODEL (model)
                          ? gtk_filter_list_model_get_filter (GTK_FILTER_LIST_MODEL (model))
                          : NULL;

  if (GTK_IS_STRING_FILTER (filter))
    gtk_string_filter_set_match_mode (GTK_STRING_FILTER (filter),
                                      GTK_STRING_FILTER_MATCH_MODE_SUBSTRING);
  gtk_widget_grab_focus (entry);
}

/**
 * prism_list_search_enable:
 * @list: a drop-down with a model and an expression
 *
 * Makes the drop-down search for what is typed, anywhere in the names.
 *
 * Thread: main.
 */
void
prism_list_search_enable (GtkDropDown *list)
{
  GtkWidget *popover = find_child (GTK_WIDGET (list), GTK_TYPE_POPOVER);

  g_return_if_fail (popover != NULL);
  gtk_drop_down_set_enable_search (list, TRUE);
  g_signal_connect_after (popover, "map", G_CALLBACK (on_popup), list);
}
