/* prism-sweep-list: the points of a sweep as a table that sorts. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkSingleSelection *prism_sweep_list_set_up (GtkColumnView *view,
                                             GListStore    *points);
void                prism_sweep_list_show   (GtkColumnView *view,
                                             gboolean       recorded);

G_END_DECLS
