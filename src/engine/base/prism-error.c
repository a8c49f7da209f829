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
