#include "config.h"

#include "prism-mark-text.h"

#include "config/prism-units.h"
#include "prism-ticks.h"

#include <glib/gi18n.h>
#include <math.h>

/**
 * prism_mark_text_get_kind:
 * @kind: a kind
 *
 * Returns: (transfer none): its name as a user reads it
 */
const char *
prism_mark_text_get_kind (PrismMarkKind kind)
{
  static const char *const labels[PRISM_MARK_N_KINDS]
      = { N_ ("Line"), N_ ("Rectangle"), N_ ("Ellipse"), N_ ("Ruler") };

  g_return_val_if_fail ((guint) kind < PRISM_MARK_N_KINDS, NULL);

  return _ (labels[kind]);
}

/**
 * prism_mark_text_dup_length:
 * @mark: a line or a ruler
 * @metres: of a pixel; 0 when it is not known
 *
 * Returns: (transfer full): "84.3 px = 12 km"
 */
char *
prism_mark_text_dup_length (const PrismMark *mark,
                            double metres)
{
  PrismLineProfile line;
  double length;
  g_autofree char *physical = NULL;

  prism_mark_get_line (mark, &line);
  length = prism_line_profile_get_length (&line);
  if (!(metres > 0))
    return g_strdup_printf (_ ("%.1f px"), length);
  physical = prism_units_dup_length (length * metres);
  return g_strdup_printf (_ ("%.1f px = %s"), length, physical);
}

/**
 * prism_mark_text_dup_size:
 * @mark: a mark
 * @metres: of a pixel; 0 when it is not known
 *
 * Returns: (transfer full): how large it is, and for areas where
 */
char *
prism_mark_text_dup_size (const PrismMark *mark,
                          double metres)
{
  PrismArea area;

  if (!prism_mark_is_area (mark))
    return prism_mark_text_dup_length (mark, metres);
  prism_mark_get_area (mark, &area);
  return g_strdup_printf (_ ("%d × %d px at %d, %d"), area.width, area.height, area.x, area.y);
}

/**
 * prism_mark_text_dup_name:
 * @mark: a mark
 * @number: by which the picture names it
 * @metres: of a pixel; 0 when it is not known
 *
 * Returns: (transfer full): its number, kind and size
 */
char *
prism_mark_text_dup_name (const PrismMark *mark,
                          guint number,
                          double metres)
{
  g_autofree char *size = prism_mark_text_dup_size (mark, metres);

  return g_strdup_printf ("%u  %s, %s", number, prism_mark_text_get_kind (mark->kind), size);
}

static char *
dup_area (const PrismMark *mark,
          const PrismImage *image,
          const PrismImage *reference)
{
  PrismAreaValues values;
  PrismArea area;
  const double *const sources[] = { &values.mean, &values.deviation, &values.minimum,
                                    &values.maximum, &values.snr, &values.contrast };
  g_auto (GStrv) numbers = g_new0 (char *, G_N_ELEMENTS (sources) + 1);

  prism_mark_get_area (mark, &area);
  prism_area_compute (&area, image, reference, &values);
  if (values.count == 0)
    return g_strdup (_ ("no pixel of the picture"));
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    numbers[i] = isfinite (*sources[i]) ? prism_ticks_dup_value (*sources[i]) : g_strdup ("–");
  return g_strdup_printf (_ ("%d px, mean %s, sd %s, min %s, max %s, SNR %s, contrast %s"),
                          values.count, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
                          numbers[5]);
}

static char *
dup_line (const PrismMark *mark,
          const PrismImage *image,
          const PrismImage *reference)
{
  PrismLineProfile line;
  g_autofree double *values = NULL;
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;
  double minimum = INFINITY;
  double maximum = -INFINITY;

  prism_mark_get_line (mark, &line);
  values = g_new (double, prism_line_profile_count (&line));
  prism_line_profile_compute (&line, image, reference, values);
  for (guint i = 0; i < prism_line_profile_count (&line); i++)
    if (isfinite (values[i]))
      {
        minimum = MIN (minimum, values[i]);
        maximum = MAX (maximum, values[i]);
      }
  if (minimum > maximum)
    return g_strdup (_ ("no pixel of the picture"));
  low = prism_ticks_dup_value (minimum);
  high = prism_ticks_dup_value (maximum);
  return g_strdup_printf (_ ("width %d px, min %s, max %s"), line.width, low, high);
}

/**
 * prism_mark_text_dup_reading:
 * @mark: a mark
 * @image: (nullable): what it lies on
 * @reference: (nullable): of the same shape, subtracted from it
 * @metres: of a pixel; 0 when it is not known
 *
 * Reads the picture where the mark is.
 *
 * Returns: (transfer full): one line of numbers
 */
char *
prism_mark_text_dup_reading (const PrismMark *mark,
                             const PrismImage *image,
                             const PrismImage *reference,
                             double metres)
{
  if (mark->kind == PRISM_MARK_RULER)
    return g_strdup_printf (_ ("%d px across, %d px down, %.1f°"), ABS (mark->x1 - mark->x0),
                            ABS (mark->y1 - mark->y0),
                            atan2 (mark->y0 - mark->y1, mark->x1 - mark->x0) * 180 / G_PI);
  if (image == NULL)
    return g_strdup ("");
  return mark->kind == PRISM_MARK_LINE ? dup_line (mark, image, reference)
                                       : dup_area (mark, image, reference);
}
