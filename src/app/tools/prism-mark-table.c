#include "config.h"

#include "tools/prism-mark-table.h"

#include <math.h>

/* Files have a point whatever the locale, and nothing for what is no number. */
static void
append_number (GString *text,
               double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, ',');
  if (isfinite (value))
    g_string_append (text, g_ascii_formatd (number, sizeof number, "%.9g", value));
}

static void
append_area (GString *text,
             const PrismMark *mark,
             const PrismImage *image,
             const PrismImage *reference)
{
  PrismAreaValues values = { 0, NAN, NAN, NAN, NAN, NAN, NAN };
  PrismArea area;

  prism_mark_get_area (mark, &area);
  if (image != NULL)
    prism_area_compute (&area, image, reference, &values);
  g_string_append_printf (text, ",,,%d", values.count);
  append_number (text, values.mean);
  append_number (text, values.deviation);
  append_number (text, values.minimum);
  append_number (text, values.maximum);
  append_number (text, values.snr);
  append_number (text, values.contrast);
}

static void
append_length (GString *text,
               const PrismMark *mark,
               double metres)
{
  PrismLineProfile line;
  double length;

  prism_mark_get_line (mark, &line);
  length = prism_line_profile_get_length (&line);
  append_number (text, length);
  append_number (text, metres > 0 ? length * metres : NAN);
  g_string_append (text, ",,,,,,,");
}

/**
 * prism_mark_table_dup_csv:
 * @marks: (element-type PrismMark): marks
 * @camera: whether those of what the camera sees
 * @image: (nullable): what they lie on
 * @reference: (nullable): of the same shape, subtracted from it
 * @metres: of a pixel; 0 when it is not known
 *
 * Writes a row for each mark on the picture: where it is, its length, or what is in it.
 *
 * Units: px, m where the name of a column ends so.
 *
 * Returns: (transfer full): a table with a line of names
 */
char *
prism_mark_table_dup_csv (const GArray *marks,
                          gboolean camera,
                          const PrismImage *image,
                          const PrismImage *reference,
                          double metres)
{
  GString *text = g_string_new ("number,kind,x0,y0,x1,y1,length_px,length_m,count,mean,sd,min,max,"
                                "snr,contrast\n");

  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);

      if (mark->camera != camera)
        continue;
      g_string_append_printf (text, "%u,%s,%d,%d,%d,%d", i + 1, prism_mark_get_name (mark->kind),
                              mark->x0, mark->y0, mark->x1, mark->y1);
      if (prism_mark_is_area (mark))
        append_area (text, mark, image, reference);
      else
        append_length (text, mark, metres);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_mark_table_compute_moments:
 * @mark: a rectangle or an ellipse
 * @frames: the moments that are kept of a run
 * @reference: (nullable): subtracted from each picture of its shape
 *
 * Reads the area in the picture of each moment.
 *
 * Thread: any.
 *
 * Returns: (transfer full) (element-type PrismMarkMoment): in order of their steps
 */
GArray *
prism_mark_table_compute_moments (const PrismMark *mark,
                                  const PrismFrames *frames,
                                  const PrismImage *reference)
{
  GArray *moments = g_array_new (FALSE, FALSE, sizeof (PrismMarkMoment));
  PrismArea area;

  prism_mark_get_area (mark, &area);
  for (guint i = 0; frames != NULL && i < frames->n_moments; i++)
    {
      const PrismImage *image = frames->moments[i]->image;
      gboolean same = reference != NULL && reference->width == image->width
                      && reference->height == image->height;
      PrismAreaValues values;
      PrismMarkMoment moment;

      prism_area_compute (&area, image, same ? reference : NULL, &values);
      moment = (PrismMarkMoment) { frames->moments[i]->step, values.mean, values.deviation };
      g_array_append_val (moments, moment);
    }
  return moments;
}
