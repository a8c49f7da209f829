#include "config.h"

#include "profiling/prism-profile-lanes.h"

#include "prism-scale.h"
#include "profile/prism-trace.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>

#define GAP 6
#define TITLE_LINES 1.4 /* of the name of a lane and of what it came to */
#define ROW_LINES 1.3
#define CURVE_LINES 4.0
#define AXIS_LINES 1.6
#define TICK_WIDTH 90.0
#define LEAST_TEXT 40.0 /* px: narrower stages have no name */
#define TURN 0.381966   /* of the circle of hues, from a stage to the next */

/* What the program calls its threads in profiles. */
G_GNUC_UNUSED static const char *const names[] = {
  NC_ ("thread", "engine"),
  NC_ ("thread", "main"),
  NC_ ("thread", "window"),
  NC_ ("thread", "saver"),
  NC_ ("thread", "worker"),
  NC_ ("thread", "thread"),
};

/* The stages of a thread. */
typedef struct
{
  const PrismTraceThread *thread;
  guint8 *depths; /* [spans]: stages around each */
  guint n_rows;
  char *text;
} Lane;

struct _PrismProfileLanes
{
  PrismTraceReading *reading;
  Lane *lanes; /* [n_lanes] */
  guint n_lanes;
  PrismTraceCounter memory;
};

static const PrismSpan *
get_span (const Lane *lane, guint i)
{
  return &g_array_index (lane->thread->spans, PrismSpan, i);
}

/* Spans are sorted, outer ones first. */
static void
find_depths (Lane *lane)
{
  gint64 ends[PRISM_PROFILE_LANES_MOST_DEPTH + 1];
  guint n_open = 0;

  lane->depths = g_new (guint8, lane->thread->spans->len + 1);
  for (guint i = 0; i < lane->thread->spans->len; i++)
    {
      const PrismSpan *span = get_span (lane, i);

      while (n_open > 0 && ends[n_open - 1] <= span->begin)
        n_open--;
      lane->depths[i] = (guint8) n_open;
      if (n_open < PRISM_PROFILE_LANES_MOST_DEPTH)
        {
          lane->n_rows = MAX (lane->n_rows, n_open + 1);
          ends[n_open++] = span->end;
        }
    }
}

/* What prism-cli profile has a row for. */
static char *
dup_lane_text (const PrismTraceThread *thread)
{
  g_autofree char *name
      = thread->worker > 0
            ? g_strdup_printf (_ ("worker %u"), thread->worker)
            : g_strdup (g_dpgettext2 (GETTEXT_PACKAGE, "thread", thread->name));
  PrismTraceSummary summary;

  prism_trace_summary_init_thread (&summary, thread);
  return g_strdup_printf (_ ("%s: busy %.2f s, waits %.2f s, covered %.0f %%"), name, summary.busy,
                          summary.stages[PRISM_STAGE_WAIT].self,
                          100 * prism_trace_get_coverage (thread));
}

/**
 * prism_profile_lanes_new:
 * @reading: a profile
 *
 * Returns: (transfer full): its lanes
 */
PrismProfileLanes *
prism_profile_lanes_new (PrismTraceReading *reading)
{
  PrismProfileLanes *self = g_new0 (PrismProfileLanes, 1);

  self->reading = prism_trace_reading_ref (reading);
  self->n_lanes = reading->trace->threads->len;
  self->lanes = g_new0 (Lane, self->n_lanes + 1);
  for (guint i = 0; i < self->n_lanes; i++)
    {
      self->lanes[i].thread = reading->trace->threads->pdata[i];
      self->lanes[i].text = dup_lane_text (self->lanes[i].thread);
      find_depths (&self->lanes[i]);
    }
  prism_trace_counter_init (&self->memory, reading->trace, PRISM_COUNTER_HOST_MEMORY);
  return self;
}

/**
 * prism_profile_lanes_free:
 * @self: (nullable): lanes
 */
void
prism_profile_lanes_free (PrismProfileLanes *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_lanes; i++)
    {
      g_free (self->lanes[i].depths);
      g_free (self->lanes[i].text);
    }
  g_free (self->lanes);
  prism_trace_reading_unref (self->reading);
  g_free (self);
}

/**
 * prism_profile_lanes_get_seconds:
 * @self: lanes
 *
 * Returns: how long the profile took, at least a microsecond
 */
double
prism_profile_lanes_get_seconds (const PrismProfileLanes *self)
{
  return MAX (self->reading->trace->seconds, 1e-6);
}

static double
get_lane_height (const Lane *lane, double line)
{
  return line * (TITLE_LINES + ROW_LINES * lane->n_rows) + GAP;
}

static gboolean
has_memory (const PrismProfileLanes *self)
{
  return self->memory.n_samples > 1 && self->memory.most > 0.0;
}

/**
 * prism_profile_lanes_get_height:
 * @self: lanes
 * @line: height of a line of text
 *
 * Returns: what all of it needs
 */
double
prism_profile_lanes_get_height (const PrismProfileLanes *self, double line)
{
  double height = AXIS_LINES * line;

  for (guint i = 0; i < self->n_lanes; i++)
    height += get_lane_height (&self->lanes[i], line);
  if (has_memory (self))
    height += (TITLE_LINES + CURVE_LINES) * line + GAP;
  return height;
}

static double
get_scale (const PrismProfileView *view)
{
  return MAX (view->width, 1.0) / MAX (view->to - view->from, 1e-9);
}

static double
get_x (const PrismProfileView *view, gint64 time)
{
  return (1e-9 * time - view->from) * get_scale (view);
}

/* Of those of a depth the last one that has begun by then. */
static const PrismSpan *
find_in_row (const Lane *lane, guint depth, gint64 time, gint64 slack)
{
  guint first = 0, end = lane->thread->spans->len;

  while (first < end)
    {
      const guint middle = first + (end - first) / 2;

      if (get_span (lane, middle)->begin <= time + slack)
        first = middle + 1;
      else
        end = middle;
    }
  for (guint i = first; i > 0; i--)
    {
      if (lane->depths[i - 1] == depth)
        return get_span (lane, i - 1)->end >= time - slack ? get_span (lane, i - 1) : NULL;
      if (lane->depths[i - 1] < depth && get_span (lane, i - 1)->begin < time - slack)
        return NULL;
    }
  return NULL;
}

/**
 * prism_profile_lanes_find:
 * @self: lanes
 * @view: what is seen
 * @x: a place
 * @y: of it
 *
 * Returns: (transfer none) (nullable): the stage there
 */
const PrismSpan *
prism_profile_lanes_find (const PrismProfileLanes *self,
                          const PrismProfileView *view,
                          double x,
                          double y)
{
  const gint64 time = (gint64) (1e9 * (view->from + x / get_scale (view)));
  const gint64 slack = (gint64) (1e9 / get_scale (view));
  double top = 0.0;

  for (guint i = 0; i < self->n_lanes; i++)
    {
      const Lane *lane = &self->lanes[i];
      const double row = (y - top - TITLE_LINES * view->line) / (ROW_LINES * view->line);

      if (row >= 0.0 && row < lane->n_rows)
        return find_in_row (lane, (guint) row, time, slack);
      top += get_lane_height (lane, view->line);
    }
  return NULL;
}

/**
 * prism_profile_lanes_dup_tip:
 * @span: a stage
 *
 * Returns: (transfer full): what it is, when, how long
 */
char *
prism_profile_lanes_dup_tip (const PrismSpan *span)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%s: %.3f ms, from %.4f s"), prism_stage_get_label (span->kind),
                          1e-6 * (span->end - span->begin), 1e-9 * span->begin);
  if (span->count > 1)
    g_string_append_printf (text, _ (", %" PRIu64 " at once"), span->count);
  return g_string_free (text, FALSE);
}

static double
get_part (double hue)
{
  const double x = fabs (fmod (hue, 1.0) * 6.0 - 3.0) - 1.0;

  return CLAMP (x, 0.0, 1.0);
}

/* Each stage has its hue, on every page and in every profile. */
static void
set_color (const PrismPaint *paint, guint stage)
{
  const double hue = TURN * stage, pale = paint->dark ? 0.25 : 0.55, all = paint->dark ? 0.6 : 0.95;

  cairo_set_source_rgb (paint->cr, all * (pale + (1.0 - pale) * get_part (hue)),
                        all * (pale + (1.0 - pale) * get_part (hue + 2.0 / 3.0)),
                        all * (pale + (1.0 - pale) * get_part (hue + 1.0 / 3.0)));
}

static void
draw_name (PrismPaint *paint, const PrismSpan *span, double x, double width, double y)
{
  const char *name = prism_stage_get_label (span->kind);
  double text_width, text_height;

  if (width < LEAST_TEXT)
    return;
  prism_paint_measure (paint, name, &text_width, &text_height);
  if (text_width + 2 * GAP > width)
    return;
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_draw_text (paint, name, x + GAP, y, 0, 0);
}

/* What is narrower than a pixel is drawn once for each. */
static void
draw_rows (const Lane *lane, PrismPaint *paint, const PrismProfileView *view, double top)
{
  double ends[PRISM_PROFILE_LANES_MOST_DEPTH] = { 0.0 };

  for (guint i = 0; i < lane->thread->spans->len; i++)
    {
      const PrismSpan *span = get_span (lane, i);
      const guint depth = lane->depths[i];
      const double left = MAX (get_x (view, span->begin), 0.0);
      const double right = MIN (get_x (view, span->end), view->width);
      const double y = top + ROW_LINES * view->line * depth;

      if (left > view->width)
        break;
      if (depth >= PRISM_PROFILE_LANES_MOST_DEPTH || right < ends[depth])
        continue;
      set_color (paint, span->kind);
      cairo_rectangle (paint->cr, left, y, MAX (right - left, 1.0), ROW_LINES * view->line - 1.0);
      cairo_fill (paint->cr);
      ends[depth] = MAX (right, left + 1.0);
      draw_name (paint, span, left, right - left, y + 0.1 * view->line);
    }
}

static void
draw_curve (const PrismProfileLanes *self,
            PrismPaint *paint,
            const PrismProfileView *view,
            double top)
{
  const GArray *samples = self->reading->trace->samples;
  const double height = CURVE_LINES * view->line;
  const PrismColor *color = &paint->accent;

  for (guint i = 0; i < samples->len; i++)
    {
      const PrismSpan *sample = &g_array_index (samples, PrismSpan, i);

      if (sample->kind == PRISM_N_STAGES + PRISM_COUNTER_HOST_MEMORY)
        cairo_line_to (paint->cr, get_x (view, sample->begin),
                       top + height * (1.0 - sample->value / self->memory.most));
    }
  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, color->alpha);
  cairo_set_line_width (paint->cr, 2);
  cairo_stroke (paint->cr);
}

static void
draw_memory (const PrismProfileLanes *self,
             PrismPaint *paint,
             const PrismProfileView *view,
             double top)
{
  g_autofree char *text = g_strdup_printf (_ ("Memory: %.1f MiB at most, %+.2f MiB/s"),
                                           self->memory.most / 1048576.0,
                                           self->memory.slope / 1048576.0);

  prism_paint_set_alpha (paint, 1.0);
  prism_paint_draw_text (paint, text, 0, top, 0, 0);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, 0, top, view->width,
                   (TITLE_LINES + CURVE_LINES) * view->line + 2);
  cairo_clip (paint->cr);
  draw_curve (self, paint, view, top + TITLE_LINES * view->line);
  cairo_restore (paint->cr);
}

static void
draw_axis (PrismPaint *paint, const PrismProfileView *view, double top)
{
  const int n = (int) CLAMP (view->width / TICK_WIDTH, 2, PRISM_TICKS_MAX - 1);
  PrismTicks ticks;

  prism_ticks_init_linear (&ticks, view->from, view->to, n);
  for (int i = 0; i < ticks.n_major; i++)
    {
      g_autofree char *number = prism_ticks_dup_label (&ticks, i);
      g_autofree char *label = g_strdup_printf (_ ("%s s"), number);
      const double x = floor (get_x (view, (gint64) (1e9 * ticks.major[i]))) + 0.5;
      double width, height;

      prism_paint_measure (paint, label, &width, &height);
      if (x < 0.0 || x + width > view->width)
        continue;
      prism_paint_set_alpha (paint, 0.15);
      cairo_set_line_width (paint->cr, 1);
      cairo_move_to (paint->cr, x, 0);
      cairo_line_to (paint->cr, x, top + 4);
      cairo_stroke (paint->cr);
      prism_paint_set_alpha (paint, 0.75);
      prism_paint_draw_text (paint, label, x + 3, top, 0, 0);
    }
}

/**
 * prism_profile_lanes_draw:
 * @self: lanes
 * @paint: where; from its origin
 * @view: what is seen
 *
 * Draws a lane for each thread, then the memory of the program, then the time.
 */
void
prism_profile_lanes_draw (const PrismProfileLanes *self,
                          PrismPaint *paint,
                          const PrismProfileView *view)
{
  double top = 0.0;

  for (guint i = 0; i < self->n_lanes; i++)
    {
      const Lane *lane = &self->lanes[i];

      prism_paint_set_alpha (paint, 1.0);
      prism_paint_draw_text (paint, lane->text, 0, top, 0, 0);
      draw_rows (lane, paint, view, top + TITLE_LINES * view->line);
      top += get_lane_height (lane, view->line);
    }
  if (has_memory (self))
    {
      draw_memory (self, paint, view, top);
      top += (TITLE_LINES + CURVE_LINES) * view->line + GAP;
    }
  draw_axis (paint, view, top);
}
