/* prism-table: tables that are sorted by a click on any of their columns. Thread: main. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

GtkColumnView       *prism_table_new    (AdwBin     *parent,
                                         GListStore *rows,
                                         const char *label);
GListModel          *prism_table_sort   (GtkColumnView *view,
                                         GListStore    *rows);
GtkColumnViewColumn *prism_table_append (GtkColumnView    *view,
                                         const char       *title,
                                         GCallback         setup,
                                         GCallback         bind,
                                         GCompareDataFunc  compare,
                                         gpointer          data);

G_END_DECLS
