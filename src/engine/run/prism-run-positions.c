#include "config.h"

#include "run/prism-run-positions.h"

#include "run/prism-run-index.h"

#include <math.h>
#include <string.h>

#define POSITIONS_HEAD "y,x,angle\n"

/**
 * prism_run_positions_to_text:
 * @pattern: positions
 *
 * Writes y, x and the angle of the line of each, in the order of the visits, exactly.
 *
 * Returns: (transfer full): pattern.csv
 */
char *
prism_run_positions_to_text (const PrismPattern *pattern)
{
  GString *text = g_string_new (POSITIONS_HEAD);
  char y[G_ASCII_DTOSTR_BUF_SIZE], x[G_ASCII_DTOSTR_BUF_SIZE], angle[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < pattern->n_points; i++)
    g_string_append_printf (text, "%s,%s,%s\n",
                            g_ascii_dtostr (y, sizeof y, pattern->points[i].y),
                            g_ascii_dtostr (x, sizeof x, pattern->points[i].x),
                            g_ascii_dtostr (angle, sizeof angle, pattern->points[i].angle));
  return g_string_free (text, FALSE);
}

static gboolean
parse_point (const char **text,
             double reach,
             PrismPoint *point)
{
  char *comma, *second = NULL, *end = NULL;

  point->y = g_ascii_strtod (*text, &comma);
  point->x = *comma == ',' ? g_ascii_strtod (comma + 1, &second) : NAN;
  point->angle = second != NULL && *second == ',' ? g_ascii_strtod (second + 1, &end) : NAN;
  if (end == NULL || *end != '\n' || !(fabs (point->y) <= reach) || !(fabs (point->x) <= reach)
      || !(fabs (point->angle) <= 2.0 * G_PI))
    return FALSE;
  *text = end + 1;
  return TRUE;
}

/**
 * prism_run_positions_parse:
 * @text: of pattern.csv
 * @n_points: how many positions the run has
 * @image_size: n
 *
 * Reads the positions in the order of the visits.
 *
 * Units: px from the origin of k-space, within ±2n.
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the positions
 */
PrismPattern *
prism_run_positions_parse (const char *text,
                           guint n_points,
                           int image_size,
                           GError **error)
{
  g_autofree PrismPoint *points = NULL;
  gsize length = strlen (text);

  if (!g_str_has_prefix (text, POSITIONS_HEAD) || length / 6 < n_points)
    {
      prism_run_index_refuse (PRISM_RUN_POSITIONS,
                              "it has not as many positions as the run", error);
      return NULL;
    }
  points = g_new (PrismPoint, n_points);
  text += strlen (POSITIONS_HEAD);
  for (guint i = 0; i < n_points; i++)
    if (!parse_point (&text, 2.0 * image_size, &points[i]))
      {
        prism_run_index_refuse (PRISM_RUN_POSITIONS,
                                "a line is not a position within the field", error);
        return NULL;
      }
  return prism_pattern_new_points (points, n_points);
}
