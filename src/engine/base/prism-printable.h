/* prism-printable: text from files and names, made fit to be shown. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char    *prism_printable_dup (const char *text);
gboolean prism_printable_is  (const char *text);

G_END_DECLS
