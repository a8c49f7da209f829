#include "config.h"

#include "prism-report-marks.h"

#include "config/prism-units.h"
#include "model/prism-limits.h"
#include "prism-mark-chart.h"
#include "prism-mark-draw.h"
#include "prism-mark-text.h"
#include "prism-report-figure.h"

#include <glib/gi18n.h>

/* The levels are found where the run leaves them to its pictures. */
static void
apply_limits (PrismReportMarks *self)
{
  const PrismSnapshot *snapshot = self->result->snapshot;
  g_autoptr (GArray) list = prism_limits_list_parse (snapshot->config->limits, NULL);
  const PrismLimits *limits
      = list != NULL ? prism_limits_list_find (
            list, prism_limits_get_picture (PRISM_LIMITS_RECONSTRUCTION))
                     : NULL;

  if (limits == NULL)
    return;
  prism_mapping_set_limits (&self->mapping, limits);
  if (limits->kind == PRISM_LIMITS_USUAL)
    return;
  prism_mapping_compute_levels (&self->mapping, snapshot->reconstruction, NULL);
  self->mapping.levels = PRISM_LEVELS_MANUAL;
}

/* Those of what the camera sees have no picture in a report; the others keep their numbers. */
static gboolean
has_any (const GArray *marks)
{
  for (guint i = 0; i < marks->len; i++)
    if (!g_array_index (marks, PrismMark, i).camera)
      return TRUE;
  return FALSE;
}

/**
 * prism_report_marks_new:
 * @result: what a run ended with
 * @amplitude: colours of its pictures in the report
 *
 * Collects the marks over its reconstruction.
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the marks, %NULL where there are none
 */
PrismReportMarks *
prism_report_marks_new (const PrismResult *result,
                        const PrismMapping *amplitude)
{
  g_autoptr (GArray) marks = prism_mark_list_parse (result->snapshot->config->marks, NULL);
  PrismReportMarks *self;

  if (marks == NULL || !has_any (marks) || result->snapshot->reconstruction == NULL)
    return NULL;
  self = g_new0 (PrismReportMarks, 1);
  self->result = result;
  self->marks = g_steal_pointer (&marks);
  self->mapping = *amplitude;
  apply_limits (self);
  return self;
}

/**
 * prism_report_marks_free:
 * @self: (nullable): marks
 *
 * Frees them.
 */
void
prism_report_marks_free (PrismReportMarks *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->marks);
  g_free (self);
}

static double
get_metres (const PrismReportMarks *self)
{
  PrismUnits units;

  prism_units_init_config (&units, self->result->snapshot->config);
  return units.pixel;
}

/**
 * prism_report_marks_dup_name:
 * @i: of a mark
 *
 * Returns: (transfer full) (nullable): its number, kind and size; %NULL for one that is not shown
 */
char *
prism_report_marks_dup_name (const PrismReportMarks *self,
                             guint i)
{
  const PrismMark *mark = &g_array_index (self->marks, PrismMark, i);

  return mark->camera ? NULL : prism_mark_text_dup_name (mark, i + 1, get_metres (self));
}

/**
 * prism_report_marks_dup_reading:
 * @i: of a mark
 * @of_target: whether of the object instead of the reconstruction
 *
 * Returns: (transfer full): what the picture has there; "" where that is not known
 */
char *
prism_report_marks_dup_reading (const PrismReportMarks *self,
                                guint i,
                                gboolean of_target)
{
  const PrismMark *mark = &g_array_index (self->marks, PrismMark, i);
  const PrismSnapshot *snapshot = self->result->snapshot;
  const PrismImage *image = of_target ? snapshot->target : snapshot->reconstruction;

  if (image == NULL || (of_target && mark->kind == PRISM_MARK_RULER))
    return g_strdup ("");
  return prism_mark_text_dup_reading (mark, image, NULL, get_metres (self));
}

/**
 * prism_report_marks_new_chart:
 * @i: of a mark
 *
 * Returns: (transfer full) (nullable): the values along a line, %NULL for another mark
 */
PrismChartData *
prism_report_marks_new_chart (const PrismReportMarks *self,
                              guint i)
{
  const PrismMark *mark = &g_array_index (self->marks, PrismMark, i);
  const PrismSnapshot *snapshot = self->result->snapshot;
  PrismChartData *data;

  if (mark->camera || mark->kind != PRISM_MARK_LINE)
    return NULL;
  data = prism_mark_chart_new (mark, i + 1);
  prism_mark_chart_add (data, mark, _ ("Reconstruction"), snapshot->reconstruction, NULL);
  if (snapshot->target != NULL)
    {
      prism_mark_chart_add (data, mark, _ ("Object"), snapshot->target, NULL);
      prism_mark_chart_add (data, mark, _ ("Error"), snapshot->reconstruction, snapshot->target);
    }
  return data;
}

/**
 * prism_report_marks_draw:
 * @paint: where; the origin is the upper left corner
 * @side: of the square to fill, in points
 *
 * Paints the reconstruction with the limits that the run has, and the marks over it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_report_marks_draw (const PrismReportMarks *self,
                         PrismPaint *paint,
                         double side,
                         GError **error)
{
  PrismImage *image = self->result->snapshot->reconstruction;
  PrismFrame frame;

  if (!prism_report_figure_draw_image (paint, image, NULL, &self->mapping, side, error))
    return FALSE;
  prism_frame_init (&frame, side, side, image->width, image->height);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, 0, 0, side, side);
  cairo_clip (paint->cr);
  prism_mark_draw_list (paint, &frame, self->marks, FALSE, -1, get_metres (self));
  cairo_restore (paint->cr);
  cairo_new_path (paint->cr);
  return TRUE;
}
