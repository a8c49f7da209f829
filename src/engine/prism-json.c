#include "config.h"

#include "prism-json.h"

#include <math.h>
#include <string.h>

/* JSON-GLib 1.6 writes 1e+20 as “1e+20.0”, which nobody can read; its neighbour has a point. */
static double
avoid_bare_exponent (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_dtostr (text, sizeof text, value);
  if (strchr (text, 'e') == NULL || strchr (text, '.') != NULL)
    return value;
  return nextafter (value, 0);
}

/**
 * prism_json_add_number:
 * @builder: what writes JSON, inside an object
 * @name: name of the member
 * @value: its value
 *
 * Adds a number, or null for one that is not finite: JSON has no word for it. A power of ten from
 * 1e17 on, or below 1e-4, may be off by one part in 10¹⁶.
 *
 * Thread: any.
 */
void
prism_json_add_number (JsonBuilder *builder,
                       const char *name,
                       double value)
{
  json_builder_set_member_name (builder, name);
  if (isfinite (value))
    json_builder_add_double_value (builder, avoid_bare_exponent (value));
  else
    json_builder_add_null_value (builder);
}
