#include "config.h"

#include "fuzz.h"
#include "model/prism-pattern-points.h"

#include <math.h>

/* Positions within the field, and the same after a round trip. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  guint n_points = 0, n_again = 0;
  g_autofree PrismPoint *points = prism_pattern_points_load (fuzz_get_path (data, size), 256,
                                                             &n_points, NULL);

  if (points == NULL)
    return 0;
  for (guint i = 0; i < n_points; i++)
    g_assert_true (fabs (points[i].y) <= 128.0 && fabs (points[i].x) <= 128.0);
  g_autofree char *text = prism_pattern_points_to_text (points, n_points);
  g_autofree PrismPoint *again = prism_pattern_points_parse (text, "again", 256, &n_again, NULL);
  g_assert_cmpmem (points, n_points * sizeof *points, again, n_again * sizeof *again);
  return 0;
}
