#include "config.h"

#include "base/prism-error.h"

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
 * prism_error_config:
 * @error: return location
 * @format: of the sentence, and what goes into it
 *
 * Sets PRISM_ERROR_CONFIG.
 *
 * Returns: FALSE
 */
gboolean
prism_error_config (GError **error,
                    const char *format,
                    ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_CONFIG, text);
  return FALSE;
}
