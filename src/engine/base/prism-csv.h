/* prism-csv: cells of tables as RFC 4180 has them, with '.' whatever the locale. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_csv_append_text   (GString    *table,
                              const char *text);
void prism_csv_append_number (GString *table,
                              double   number);

G_END_DECLS
