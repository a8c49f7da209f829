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

static gboolean
set (GError **error,
     PrismError code,
     const char *format,
     va_list arguments)
{
  g_autofree char *text = g_strdup_vprintf (format, arguments);

  g_set_error_literal (error, PRISM_ERROR, code, text);
  return FALSE;
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
  va_list arguments;

  va_start (arguments, format);
  set (error, PRISM_ERROR_CONFIG, format, arguments);
  va_end (arguments);
  return FALSE;
}

/**
 * prism_error_format:
 * @error: return location
 * @format: of the sentence, and what goes into it
 *
 * Sets PRISM_ERROR_FORMAT.
 *
 * Returns: FALSE
 */
gboolean
prism_error_format (GError **error,
                    const char *format,
                    ...)
{
  va_list arguments;

  va_start (arguments, format);
  set (error, PRISM_ERROR_FORMAT, format, arguments);
  va_end (arguments);
  return FALSE;
}
