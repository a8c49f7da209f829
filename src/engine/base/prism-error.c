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
 * prism_error_set:
 * @error: return location
 * @code: its kind
 * @format: of the sentence, and what goes into it
 *
 * Sets an error; prism_error_io() and its like have the kind in their name.
 *
 * Returns: FALSE
 */
gboolean
prism_error_set (GError **error,
                 PrismError code,
                 const char *format,
                 ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (PRISM_ERROR, code, format, arguments));
  va_end (arguments);
  return FALSE;
}
