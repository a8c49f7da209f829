/* prism-table: tables that are sorted by a click on any of their columns. Thread: main. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* What the cells of a column say, and by what it sorts. A row is an object of the list. */
typedef struct
{
  gpointer dup_text;                    /* char * (row, data) */
  gpointer get_number;                  /* (nullable): double (row, data): what is not a number
                                         * comes last; NULL: it sorts by what the cells say */
  gpointer dup_tip;                     /* (nullable): char * (row, data), NULL for none */
  gpointer data;
  gpointer free_data;                   /* (nullable) */
  gboolean right;                       /* the cells stand at the right */
  gboolean bar;                         /* beside a bar as long as the number, from 0 to 1 */
  int cut;                              /* what is longer than so many characters ends with dots
                                         * where the column is narrow; 0: nothing */
} PrismTableColumn;

GtkColumnView       *prism_table_new    (AdwBin     *parent,
                                         GListStore *rows,
                                         const char *label);
GListModel          *prism_table_sort   (GtkColumnView *view,
                                         GListStore    *rows);
GtkColumnViewColumn *prism_table_append (GtkColumnView          *view,
                                         const char             *title,
                                         const PrismTableColumn *column);
int                  prism_table_compare (double x,
                                          double y);

G_END_DECLS
