/* prism-csv: cells of tables as RFC 4180 has them, with "." whatever the locale, and tables of
 * numbers that come back to the bit. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void    prism_csv_append_text   (GString    *table,
                                 const char *text);
void    prism_csv_append_number (GString *table,
                                 double   number);
void    prism_csv_append_numbers (GString      *table,
                                  const double *numbers,
                                  gsize         n);
char   *prism_csv_new_exact     (const char   *header,
                                 const double *values,
                                 gsize         n_rows,
                                 gsize         n_columns);
double *prism_csv_parse_exact   (const char *text,
                                 gsize       n_columns,
                                 gsize      *n_rows,
                                 GError    **error);

G_END_DECLS
