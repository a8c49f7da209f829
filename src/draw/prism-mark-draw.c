#include "config.h"

#include "prism-mark-draw.h"

#include "base/prism-number.h"
#include "config/prism-units.h"
#include "prism-scale.h"

/* Lengths in units of the paint. */
#define LINE_WIDTH 1.5
#define SHADE_WIDTH 3.5
#define GRIP 4.0
#define TICK 5.0

typedef struct
{
  double x0;
  double y0;
  double x1;
  double y1;
} Ends;

/* Middles of pixels for lines, outer edges for areas. */
static Ends
get_ends (const PrismFrame *frame,
          const PrismMark *mark)
{
  double first = prism_mark_is_area (mark) ? 0 : 0.5;
  double last = prism_mark_is_area (mark) ? 1 : 0.5;
  double left = MIN (mark->x0, mark->x1) + first;
  double right = MAX (mark->x0, mark->x1) + last;
  double top = MIN (mark->y0, mark->y1) + first;
  double bottom = MAX (mark->y0, mark->y1) + last;
  gboolean leftward = mark->x1 < mark->x0;
  gboolean upward = mark->y1 < mark->y0;

  return (Ends) {
    frame->x0 + frame->scale * (leftward ? right : left),
    frame->y0 + frame->scale * (upward ? bottom : top),
    frame->x0 + frame->scale * (leftward ? left : right),
    frame->y0 + frame->scale * (upward ? top : bottom),
  };
}

/* So far across a line on either side: at both ends a tick, or the whole band over which a wide
 * line takes the mean. */
static void
add_across (cairo_t *cr,
            const Ends *ends,
            double half,
            gboolean band)
{
  double length = hypot (ends->x1 - ends->x0, ends->y1 - ends->y0);
  double dx = length > 0 ? half * (ends->x1 - ends->x0) / length : half;
  double dy = length > 0 ? half * (ends->y1 - ends->y0) / length : 0;

  cairo_move_to (cr, ends->x0 + dy, ends->y0 - dx);
  cairo_line_to (cr, ends->x0 - dy, ends->y0 + dx);
  (band ? cairo_line_to : cairo_move_to) (cr, ends->x1 - dy, ends->y1 + dx);
  cairo_line_to (cr, ends->x1 + dy, ends->y1 - dx);
  if (band)
    cairo_close_path (cr);
}

static void
add_path (cairo_t *cr,
          const PrismFrame *frame,
          const PrismMark *mark,
          const Ends *ends)
{
  double width = ends->x1 - ends->x0;
  double height = ends->y1 - ends->y0;

  if (mark->kind == PRISM_MARK_RECTANGLE)
    cairo_rectangle (cr, ends->x0, ends->y0, width, height);
  else if (mark->kind == PRISM_MARK_ELLIPSE)
    {
      cairo_save (cr);
      cairo_translate (cr, ends->x0 + width / 2, ends->y0 + height / 2);
      cairo_scale (cr, width / 2, height / 2);
      cairo_new_sub_path (cr);
      cairo_arc (cr, 0, 0, 1, 0, 2 * G_PI);
      cairo_restore (cr);
    }
  else
    {
      cairo_move_to (cr, ends->x0, ends->y0);
      cairo_line_to (cr, ends->x1, ends->y1);
      if (mark->width > 1)
        add_across (cr, ends, mark->width * frame->scale / 2, TRUE);
    }
  if (mark->kind == PRISM_MARK_RULER)
    add_across (cr, ends, TICK, FALSE);
}

static void
stroke (cairo_t *cr,
        gboolean selected)
{
  cairo_set_source_rgba (cr, 0, 0, 0, 0.55);
  cairo_set_line_width (cr, SHADE_WIDTH);
  cairo_stroke_preserve (cr);
  if (selected)
    cairo_set_source_rgb (cr, 1.0, 0.55, 0.15);
  else
    cairo_set_source_rgb (cr, 1.0, 0.9, 0.35);
  cairo_set_line_width (cr, LINE_WIDTH);
  cairo_stroke (cr);
}

/* Returns: (transfer full): "84.30 ± 0.41 px = 12.050 ± 0.058 km" */
static char *
dup_length (const PrismMark *mark,
            double metres)
{
  PrismLineProfile line;
  const double error = PRISM_LINE_PROFILE_ERROR;
  double length;
  g_autofree char *pixels = NULL, *physical = NULL;

  prism_mark_get_line (mark, &line);
  length = prism_line_profile_get_length (&line);
  pixels = prism_number_dup_within (length, error, "px");
  if (!(metres > 0))
    return g_steal_pointer (&pixels);
  physical = prism_units_dup_length_within (length * metres, error * metres);
  return g_strdup_printf ("%s = %s", pixels, physical);
}

/* The nearest place below, with no other label on it; where there is none, where it would be. */
static double
find_room (const GArray *labels,
           const cairo_rectangle_t *label,
           double bottom)
{
  double y = label->y;

  for (guint i = 0; i < labels->len; i++)
    {
      const cairo_rectangle_t *other = &g_array_index (labels, cairo_rectangle_t, i);

      if (label->x < other->x + other->width && other->x < label->x + label->width
          && y < other->y + other->height && other->y < y + label->height)
        {
          y = other->y + other->height + 1;
          i = (guint) -1;
        }
    }
  return y + label->height <= bottom ? y : label->y;
}

/* Its number, by which the list of readings names it; of a ruler its length, too. Not over the
 * @labels so far, of which it becomes one. */
static void
draw_label (PrismPaint *paint,
            const PrismFrame *frame,
            const PrismMark *mark,
            guint number,
            double metres,
            GArray *labels)
{
  g_autofree char *length = mark->kind == PRISM_MARK_RULER
                                ? dup_length (mark, metres)
                                : NULL;
  g_autofree char *text = length != NULL ? g_strdup_printf ("%u  %s", number, length)
                                         : g_strdup_printf ("%u", number);
  const Ends ends = get_ends (frame, mark);
  const double middle = prism_mark_is_area (mark) ? 0 : 0.5;
  cairo_rectangle_t label;

  prism_paint_measure (paint, text, &label.width, &label.height);
  label.x = MIN (ends.x0, ends.x1) + middle * fabs (ends.x1 - ends.x0);
  label.y = MIN (ends.y0, ends.y1) + middle * fabs (ends.y1 - ends.y0) - label.height - 5;
  label.width += 8;
  label.height += 3;
  label.x = CLAMP (label.x, 0, MAX (frame->area_width - label.width, 0));
  label.y = MAX (label.y, 0);
  label.y = find_room (labels, &label, frame->area_height);
  g_array_append_val (labels, label);
  prism_paint_draw_patch (paint, label.x, label.y, label.width, label.height);
  cairo_set_source_rgb (paint->cr, 1, 1, 1);
  prism_paint_draw_text (paint, text, label.x + 4, label.y + 1.5, 0, 0);
}

/**
 * prism_mark_draw_list:
 * @paint: where
 * @frame: the place of the picture
 * @marks: (element-type PrismMark): marks, numbered from 1
 * @camera: whether the picture is what the camera sees; other marks are left out
 * @selected: index of the mark with grips, -1 for none
 * @metres: of a pixel; 0 when it is not known
 *
 * Paints marks over a picture, each with a dark edge to be seen on any.
 */
void
prism_mark_draw_list (PrismPaint *paint,
                      const PrismFrame *frame,
                      const GArray *marks,
                      gboolean camera,
                      int selected,
                      double metres)
{
  g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof (cairo_rectangle_t));

  cairo_save (paint->cr);
  prism_paint_set_font (paint, 0.8, TRUE);
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);
      Ends ends = get_ends (frame, mark);

      if (mark->camera != camera)
        continue;
      cairo_new_path (paint->cr);
      add_path (paint->cr, frame, mark, &ends);
      stroke (paint->cr, (int) i == selected);
      if ((int) i == selected)
        {
          cairo_new_path (paint->cr);
          cairo_arc (paint->cr, ends.x0, ends.y0, GRIP, 0, 2 * G_PI);
          cairo_new_sub_path (paint->cr);
          cairo_arc (paint->cr, ends.x1, ends.y1, GRIP, 0, 2 * G_PI);
          stroke (paint->cr, TRUE);
        }
    }
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);

      if (mark->camera == camera)
        draw_label (paint, frame, mark, i + 1, metres, labels);
    }
  prism_paint_set_font (paint, 1, FALSE);
  cairo_restore (paint->cr);
}

/**
 * prism_mark_chart_new:
 * @mark: a line
 * @number: by which the picture names it
 *
 * Returns: (transfer full): a chart without curves
 */
PrismChartData *
prism_mark_chart_new (const PrismMark *mark,
                      guint number)
{
  g_autofree char *title = g_strdup_printf (_ ("Profile along line %u"), number);
  PrismChartData *data = prism_chart_data_new_titled (title, _ ("Distance / px"));

  prism_chart_data_set_axis (data, PRISM_CHART_LEFT, _ ("Value"), FALSE, NAN, NAN);
  data->continuous = TRUE;
  return data;
}

/**
 * prism_mark_chart_add:
 * @data: of prism_mark_chart_new()
 * @mark: the line
 * @label: of the picture
 * @image: a picture
 * @reference: (nullable): of the same shape, subtracted from it
 *
 * Adds the values of a picture along the line.
 */
void
prism_mark_chart_add (PrismChartData *data,
                      const PrismMark *mark,
                      const char *label,
                      const PrismImage *image,
                      const PrismImage *reference)
{
  PrismChartSeries *series = prism_chart_data_add_series (data, label, PRISM_CHART_LEFT);
  g_autofree double *values = NULL;
  PrismLineProfile line;
  guint n;

  prism_mark_get_line (mark, &line);
  n = prism_line_profile_count (&line);
  values = g_new (double, n);
  prism_line_profile_compute (&line, image, reference, values);
  for (guint i = 0; i < n; i++)
    {
      double distance = n > 1 ? prism_line_profile_get_length (&line) * i / (n - 1) : 0;

      prism_chart_series_append (series, distance, values[i]);
    }
}

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
 * prism_error_of_get_text:
 * @of: what an error is found from
 *
 * Returns: what “±” means, and from what it is found, translated: no sentence
 */
const char *
prism_error_of_get_text (PrismErrorOf of)
{
  static const char *const texts[] = {
    N_ ("± of lengths from ends that lie within half a pixel: one standard error"),
    N_ ("± from two halves of the frames: one standard error"),
    N_ ("± from leaving out one tile after the other: one standard error"),
    N_ ("± from the scatter between these frames: one standard error"),
    N_ ("± from the scatter between the runs: one standard deviation"),
    N_ ("± from the rounds: half the way from the least to the most"),
  };

  return _ (texts[of]);
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
  const double error = PRISM_LINE_PROFILE_ERROR * metres;
  g_autofree char *pixels = NULL, *width = NULL, *height = NULL;
  PrismArea area;

  if (!prism_mark_is_area (mark))
    return dup_length (mark, metres);
  prism_mark_get_area (mark, &area);
  pixels = g_strdup_printf (_ ("%d × %d px at %d, %d"), area.width, area.height, area.x, area.y);
  if (!(metres > 0))
    return g_steal_pointer (&pixels);
  width = prism_units_dup_length_within (area.width * metres, error);
  height = prism_units_dup_length_within (area.height * metres, error);
  return g_strdup_printf ("%s = %s × %s", pixels, width, height);
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
    return prism_ticks_take_minus (
        g_strdup_printf (_ ("%d px across, %d px down, %.1f°"), ABS (mark->x1 - mark->x0),
                         ABS (mark->y1 - mark->y0),
                         atan2 (mark->y0 - mark->y1, mark->x1 - mark->x0) * 180 / G_PI));
  if (image == NULL)
    return g_strdup ("");
  return mark->kind == PRISM_MARK_LINE ? dup_line (mark, image, reference)
                                       : dup_area (mark, image, reference);
}

static char *
dup_within (const PrismMeasured *measured,
            const char *unit)
{
  return prism_number_dup_within (measured->value, measured->error, unit);
}

/**
 * prism_mark_text_dup_measured:
 * @reading: a mark on the object of recorded frames
 *
 * Returns: (transfer full): what it measures there, with PRISM_ERROR_OF_HALVES; its length with
 *   PRISM_ERROR_OF_ENDS
 */
char *
prism_mark_text_dup_measured (const PrismMarkReading *reading)
{
  const PrismMeasured *measured = reading->measured;
  const PrismMeasured *length = &measured[PRISM_MEASURE_LENGTH];
  g_autofree char *known
      = isfinite (length->value)
            ? prism_units_dup_length_within (1e-6 * length->value, 1e-6 * length->error)
            : NULL;
  GString *text = g_string_new (known);

  if (isfinite (measured[PRISM_MEASURE_PAIRS].value))
    {
      const double most_blurred = 0.26;
      const double contrast = measured[PRISM_MEASURE_CONTRAST].value;
      PrismMeasured element = measured[PRISM_MEASURE_ELEMENT];
      const int group = (int) floor (floor (element.value + 0.5) / 6);
      g_autofree char *pairs = dup_within (&measured[PRISM_MEASURE_PAIRS], "");
      g_autofree char *seen = dup_within (&measured[PRISM_MEASURE_CONTRAST], "");
      g_autofree char *number = NULL;

      element.value += 1 - 6 * group;
      number = dup_within (&element, "");
      g_string_append_printf (text, _ (", %s lines a mm with contrast %s"), pairs, seen);
      /* TRANSLATORS: "; USAF group 7, element 5.08 ± 0.17, resolved" */
      g_string_append_printf (text,
                              contrast >= most_blurred
                                  ? _ ("; USAF group %d, element %s, resolved")
                                  : _ ("; USAF group %d, element %s, not resolved"),
                              group, number);
    }
  if (isfinite (measured[PRISM_MEASURE_PATH].value))
    {
      g_autofree char *amplitude = dup_within (&measured[PRISM_MEASURE_AMPLITUDE], "");
      g_autofree char *path = dup_within (&measured[PRISM_MEASURE_PATH], "nm");
      g_autofree char *mass = dup_within (&measured[PRISM_MEASURE_MASS], "pg");

      g_string_append_printf (text, _ ("amplitude %s, path %s, dry mass %s"), amplitude, path,
                              mass);
    }
  if (text->len == 0)
    g_string_append (text, _ ("cannot be measured: draw it on the object, within one tile"));
  return g_string_free (text, FALSE);
}
