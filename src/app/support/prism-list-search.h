/* prism-list-search: typing into an open drop-down finds what has the text anywhere. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void prism_list_search_enable (GtkDropDown *list);

G_END_DECLS
