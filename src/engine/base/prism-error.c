#include "config.h"

#include "base/prism-error.h"

#include "base/prism-text.h"

/**
 * prism_error_quark:
 *
 * Returns: the domain of every error that the engine reports
 */
GQuark
prism_error_quark (void)
{
  return g_quark_from_static_string ("prism-error-quark");
}

/**
 * prism_error_set:
 * @error: return location
 * @code: its kind
 * @format: of the sentence, and what goes into it: names of files as they are, any bytes
 *
 * Sets an error; prism_error_io() and its like have the kind in their name. The sentence becomes
 * one line of UTF-8 that a terminal does not obey, and names files by their last place.
 *
 * Returns: FALSE
 */
gboolean
prism_error_set (GError **error,
                 PrismError code,
                 const char *format,
                 ...)
{
  g_autofree char *raw = NULL, *place = NULL, *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  raw = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  place = prism_text_dup_without_folder (raw);
  line = prism_printable_dup (place);
  g_set_error_literal (error, PRISM_ERROR, code, line);
  return FALSE;
}
