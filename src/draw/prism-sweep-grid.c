#include "config.h"

#include "prism-sweep-grid.h"

#include "prism-mapping.h"
#include "prism-scale.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static char **
dup_labels (PrismSweep *sweep,
            guint axis,
            guint n)
{
  char **labels = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    labels[i] = axis != PRISM_SWEEP_FIELD_NO_AXIS ? prism_sweep_dup_value (sweep, axis, i)
                                                  : g_strdup ("");
  return labels;
}

/* Values that grow; anything else is a list of names. */
static double *
dup_values (PrismSweep *sweep,
            guint axis,
            guint n)
{
  g_autofree double *values = g_new (double, n);

  if (axis == PRISM_SWEEP_FIELD_NO_AXIS
      || (sweep->axes[axis].param->type != PRISM_PARAM_INTEGER
          && sweep->axes[axis].param->type != PRISM_PARAM_REAL))
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      char *end;

      values[i] = g_ascii_strtod (sweep->axes[axis].values[i], &end);
      if (*end != '\0' || (i > 0 && values[i] <= values[i - 1]))
        return NULL;
    }
  return g_steal_pointer (&values);
}

static char *
dup_axis_title (PrismSweep *sweep,
                guint axis)
{
  return g_strdup (axis != PRISM_SWEEP_FIELD_NO_AXIS ? _ (sweep->axes[axis].param->label) : "");
}

/**
 * prism_sweep_grid_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 * @measure: a metric's number, or a PrismSweepMeasure
 *
 * Returns: (transfer full): the grid, which needs neither any more
 */
PrismSweepGrid *
prism_sweep_grid_new (PrismSweep *sweep,
                      const PrismSweepTable *table,
                      guint measure)
{
  PrismSweepGrid *self = g_new0 (PrismSweepGrid, 1);
  PrismSweepField *field = prism_sweep_field_new (sweep, table, measure);

  self->field = field;
  self->title = prism_sweep_measure_dup_title (measure);
  self->column_title = dup_axis_title (sweep, field->column_axis);
  self->column_labels = dup_labels (sweep, field->column_axis, field->n_columns);
  self->column_values = dup_values (sweep, field->column_axis, field->n_columns);
  if (prism_sweep_grid_is_map (self))
    {
      self->row_title = dup_axis_title (sweep, field->row_axis);
      self->row_labels = dup_labels (sweep, field->row_axis, field->n_rows);
    }
  self->n_points = sweep->n_points;
  self->cells = g_new (guint, self->n_points);
  for (guint i = 0; i < self->n_points; i++)
    self->cells[i] = prism_sweep_field_find (field, sweep, i);
  self->marked = G_MAXUINT;
  self->areas = g_new0 (PrismSweepArea, (gsize) field->n_rows * field->n_columns);
  return self;
}

/**
 * prism_sweep_grid_free:
 * @self: (nullable): a grid
 */
void
prism_sweep_grid_free (PrismSweepGrid *self)
{
  if (self == NULL)
    return;
  prism_sweep_field_free (self->field);
  g_free (self->title);
  g_free (self->column_title);
  g_free (self->row_title);
  g_strfreev (self->column_labels);
  g_strfreev (self->row_labels);
  g_free (self->column_values);
  g_free (self->cells);
  g_free (self->areas);
  g_free (self);
}

/**
 * prism_sweep_grid_is_map:
 * @self: a grid
 *
 * Returns: whether it has rows and columns; otherwise it is a curve
 */
gboolean
prism_sweep_grid_is_map (const PrismSweepGrid *self)
{
  return self->field->row_axis != PRISM_SWEEP_FIELD_NO_AXIS;
}

/**
 * prism_sweep_grid_find:
 * @x: in units of the last drawing
 * @y: in units of the last drawing
 *
 * Returns: the cell that lies there; G_MAXUINT for none
 */
guint
prism_sweep_grid_find (const PrismSweepGrid *self,
                       double x,
                       double y)
{
  for (guint i = 0; i < self->field->n_rows * self->field->n_columns; i++)
    {
      const PrismSweepArea *area = &self->areas[i];

      if (x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height)
        return i;
    }
  return G_MAXUINT;
}

/* "34.20 dB", or of several runs "34.20 ± 0.31 dB" with their number. */
static char *
dup_number (const PrismSweepField *field,
            const PrismSweepCell *cell)
{
  g_autofree char *mean = prism_sweep_measure_dup_text (field->measure, cell->mean);
  g_autofree char *number = NULL, *spread = NULL;

  if (cell->n_runs == 0)
    return g_strdup (_ ("no result yet"));
  if (cell->n_runs == 1)
    return g_steal_pointer (&mean);
  number = prism_sweep_measure_dup_number (field->measure, cell->mean);
  spread = prism_sweep_measure_dup_text (field->measure, cell->deviation);
  /* TRANSLATORS: a mean, its standard deviation, the number of runs */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s ± %s, %u run", "%s ± %s, %u runs",
                                       cell->n_runs),
                          number, spread, cell->n_runs);
}

/**
 * prism_sweep_grid_dup_text:
 * @cell: number of a cell
 *
 * Returns: (transfer full): what it is and what it has come to, translated: "Signal to noise 20 dB:
 * 34.20 ± 0.31 dB, 8 runs"
 */
char *
prism_sweep_grid_dup_text (const PrismSweepGrid *self,
                           guint cell)
{
  const PrismSweepField *field = self->field;
  g_autofree char *number = dup_number (field, &field->cells[cell]);
  const char *column = self->column_labels[cell % field->n_columns];

  if (!prism_sweep_grid_is_map (self))
    return g_strdup_printf ("%s %s: %s", self->column_title, column, number);
  return g_strdup_printf ("%s %s, %s %s: %s", self->row_title,
                          self->row_labels[cell / field->n_columns], self->column_title, column,
                          number);
}

#define GAP 6.0
#define BAR_WIDTH 14.0
#define MARK_WIDTH 3.0
#define MOST_SIDE 160.0 /* of a cell: few of them do not become a wall */

typedef struct
{
  double low;
  double high;
  gboolean logarithmic;
} Scale;

static double
get_part (const Scale *scale,
          double value)
{
  if (!(scale->high > scale->low))
    return 0.5;
  if (scale->logarithmic)
    return log (value / scale->low) / log (scale->high / scale->low);
  return (value - scale->low) / (scale->high - scale->low);
}

static void
set_color (cairo_t *cr,
           double part,
           double *luminance)
{
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_VIRIDIS);
  guint32 color = table[(int) CLAMP (lround (part * (PRISM_COLORMAP_SIZE - 1)), 0,
                                     PRISM_COLORMAP_SIZE - 1)];
  double red = (color >> 16 & 0xff) / 255.0, green = (color >> 8 & 0xff) / 255.0;
  double blue = (color & 0xff) / 255.0;

  *luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  cairo_set_source_rgb (cr, red, green, blue);
}

static double
measure_longest (PrismPaint *paint,
                 char **labels)
{
  double longest = 0.0;

  for (char **label = labels; *label != NULL; label++)
    {
      double width;

      prism_paint_measure (paint, *label, &width, NULL);
      longest = MAX (longest, width);
    }
  return longest;
}

static void
draw_number (PrismPaint *paint,
             const PrismSweepField *field,
             const PrismSweepCell *cell,
             const PrismSweepArea *area,
             double grey)
{
  g_autofree char *number = prism_sweep_measure_dup_number (field->measure, cell->mean);
  g_autofree char *spread = prism_sweep_measure_dup_number (field->measure, cell->deviation);
  g_autofree char *second = g_strconcat ("± ", spread, NULL);
  const double x = area->x + area->width / 2, y = area->y + area->height / 2;
  double width, second_width;
  gboolean both;

  prism_paint_measure (paint, number, &width, NULL);
  prism_paint_measure (paint, second, &second_width, NULL);
  if (width > area->width - 2 || paint->line_height > area->height)
    return;
  both = cell->n_runs > 1 && second_width < area->width - 2
         && 2 * paint->line_height < area->height;
  cairo_set_source_rgb (paint->cr, grey, grey, grey);
  prism_paint_draw_text (paint, number, x, y, 0.5, both ? 1.0 : 0.5);
  if (both)
    prism_paint_draw_text (paint, second, x, y, 0.5, 0.0);
}

static void
draw_cell (PrismSweepGrid *grid,
           PrismPaint *paint,
           const Scale *scale,
           guint i)
{
  const PrismSweepCell *cell = &grid->field->cells[i];
  const PrismSweepArea *area = &grid->areas[i];
  const double gap = MIN (area->width, area->height) > 8.0 ? 1.0 : 0.0;
  double luminance = 0.0;

  cairo_rectangle (paint->cr, area->x, area->y, area->width - gap, area->height - gap);
  if (cell->n_runs == 0)
    {
      prism_paint_set_alpha (paint, 0.08);
      cairo_fill (paint->cr);
    }
  else
    {
      set_color (paint->cr, get_part (scale, cell->mean), &luminance);
      cairo_fill (paint->cr);
      draw_number (paint, grid->field, cell, area, luminance > 0.5 ? 0.05 : 0.98);
    }
  if (i != grid->marked)
    return;
  prism_paint_set_alpha (paint, 1.0);
  cairo_set_line_width (paint->cr, MARK_WIDTH);
  cairo_rectangle (paint->cr, area->x + MARK_WIDTH / 2, area->y + MARK_WIDTH / 2,
                   area->width - gap - MARK_WIDTH, area->height - gap - MARK_WIDTH);
  cairo_stroke (paint->cr);
}

/* The scale from colours to numbers. */
static void
draw_bar (PrismPaint *paint,
          const Scale *scale,
          double x,
          double y,
          double height)
{
  PrismTicks ticks;

  if (!(scale->high > scale->low))
    return;
  for (int i = 0; i < (int) height; i++)
    {
      double luminance;

      set_color (paint->cr, 1.0 - i / height, &luminance);
      cairo_rectangle (paint->cr, x, y + i, BAR_WIDTH, 1.5);
      cairo_fill (paint->cr);
    }
  if (scale->logarithmic)
    prism_ticks_init_log (&ticks, scale->low, scale->high, (int) (height / 30));
  else
    prism_ticks_init_linear (&ticks, scale->low, scale->high, (int) (height / 30));
  prism_paint_set_alpha (paint, 0.85);
  for (int i = 0; i < ticks.n_major; i++)
    {
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);
      double at = y + height * (1.0 - get_part (scale, ticks.major[i]));

      prism_paint_draw_text (paint, label, x + BAR_WIDTH + 4, at, 0, 0.5);
    }
}

/* Headings that would touch the one before are left out. */
static void
draw_headings (const PrismSweepGrid *grid,
               PrismPaint *paint)
{
  const PrismSweepField *field = grid->field;
  double free_x = -INFINITY, free_y = -INFINITY;

  prism_paint_set_alpha (paint, 0.85);
  for (guint j = 0; j < field->n_columns; j++)
    {
      const PrismSweepArea *area = &grid->areas[j];
      const double x = area->x + area->width / 2;
      double width;

      prism_paint_measure (paint, grid->column_labels[j], &width, NULL);
      if (x - width / 2 < free_x)
        continue;
      prism_paint_draw_text (paint, grid->column_labels[j], x, area->y - GAP / 2, 0.5, 1.0);
      free_x = x + width / 2 + GAP;
    }
  for (guint i = 0; i < field->n_rows; i++)
    {
      const PrismSweepArea *area = &grid->areas[i * field->n_columns];
      const double y = area->y + area->height / 2;

      if (y - paint->line_height / 2 < free_y)
        continue;
      prism_paint_draw_text (paint, grid->row_labels[i], area->x - GAP, y, 1.0, 0.5);
      free_y = y + paint->line_height / 2;
    }
}

static void
lay_out (PrismSweepGrid *grid,
         PrismPaint *paint,
         double width,
         double height)
{
  const PrismSweepField *field = grid->field;
  const double line = paint->line_height;
  const double left = line + 2 * GAP + measure_longest (paint, grid->row_labels);
  const double top = 3 * line + 2 * GAP;
  const double right = BAR_WIDTH + 5 * line + GAP;
  const double w = CLAMP ((width - left - right) / field->n_columns, 2.0, MOST_SIDE);
  const double h = CLAMP ((height - top - GAP) / field->n_rows, 2.0, MOST_SIDE);

  for (guint i = 0; i < field->n_rows * field->n_columns; i++)
    grid->areas[i] = (PrismSweepArea) { left + (i % field->n_columns) * w,
                                        top + (i / field->n_columns) * h, w, h };
}

/**
 * prism_sweep_map_draw:
 * @grid: a map; where its cells lie is noted in it
 * @paint: where; from its origin
 * @width: of all
 * @height: of all
 *
 * Draws a cell for each pair of values, its number in it where there is room, and the scale of its
 * colours.
 */
void
prism_sweep_map_draw (PrismSweepGrid *grid,
                      PrismPaint *paint,
                      double width,
                      double height)
{
  const PrismSweepField *field = grid->field;
  const guint n_cells = field->n_rows * field->n_columns;
  const double line = paint->line_height;
  Scale scale = { INFINITY, -INFINITY, FALSE };
  const PrismSweepArea *last = &grid->areas[n_cells - 1];

  for (guint i = 0; i < n_cells; i++)
    if (field->cells[i].n_runs > 0)
      {
        scale.low = MIN (scale.low, field->cells[i].mean);
        scale.high = MAX (scale.high, field->cells[i].mean);
      }
  scale.logarithmic = prism_sweep_measure_is_logarithmic (field->measure) && scale.low > 0.0;
  lay_out (grid, paint, width, height);
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_set_font (paint, 1.0, TRUE);
  prism_paint_draw_text (paint, grid->title, grid->areas[0].x, 0, 0, 0);
  prism_paint_set_font (paint, 1.0, FALSE);
  prism_paint_draw_text (paint, grid->column_title, grid->areas[0].x, line + GAP / 2, 0, 0);
  prism_paint_draw_text_up (paint, grid->row_title, 0,
                            (grid->areas[0].y + last->y + last->height) / 2);
  draw_headings (grid, paint);
  for (guint i = 0; i < n_cells; i++)
    draw_cell (grid, paint, &scale, i);
  draw_bar (paint, &scale, last->x + last->width + 2 * GAP, grid->areas[0].y,
            last->y + last->height - grid->areas[0].y);
}

#define SYMBOL 3.5
#define CAP 4.0         /* half the bar at the end of a spread */
#define LEAST_RATIO 8.0 /* of the ends of a logarithmic axis */
#define MARGIN 0.06     /* of the range, above and below */

/* Where a number lies: the inner rectangle and both scales. */
typedef struct
{
  double left;
  double top;
  double right;
  double bottom;
  double low;
  double high;
  gboolean log_y;
  gboolean log_x;
} Frame;

static double
get_y (const Frame *frame,
       double value)
{
  double part = frame->log_y ? log (value / frame->low) / log (frame->high / frame->low)
                             : (value - frame->low) / (frame->high - frame->low);

  return frame->bottom - part * (frame->bottom - frame->top);
}

/* Names stand at equal distances, numbers where they belong. */
static double
get_x (const PrismSweepGrid *grid,
       const Frame *frame,
       guint column)
{
  const guint n = grid->field->n_columns;
  const double *values = grid->column_values;
  const double inset = (frame->right - frame->left) / (2.0 * MAX (n, 4));
  double part = 0.5;

  if (n > 1 && values == NULL)
    part = column / (n - 1.0);
  else if (n > 1 && frame->log_x)
    part = log (values[column] / values[0]) / log (values[n - 1] / values[0]);
  else if (n > 1)
    part = (values[column] - values[0]) / (values[n - 1] - values[0]);
  return frame->left + inset + part * (frame->right - frame->left - 2 * inset);
}

/* Values whose ratios are more alike than their differences. */
static gboolean
is_geometric (const PrismSweepGrid *grid)
{
  const double *values = grid->column_values;
  const guint n = grid->field->n_columns;
  double least = INFINITY, most = 0.0;

  if (values == NULL || n < 3 || values[0] <= 0.0 || values[n - 1] < LEAST_RATIO * values[0])
    return FALSE;
  for (guint i = 1; i < n; i++)
    {
      double ratio = values[i] / values[i - 1];

      least = MIN (least, log (ratio));
      most = MAX (most, log (ratio));
    }
  return most < 2.5 * least;
}

static void
init_range (Frame *frame,
            const PrismSweepField *field)
{
  double low, high, margin;

  if (!prism_sweep_field_get_range (field, &low, &high))
    low = 0.0, high = 1.0;
  frame->log_y = prism_sweep_measure_is_logarithmic (field->measure) && low > 0.0
                 && high > LEAST_RATIO * low;
  if (frame->log_y)
    {
      double factor = pow (high / low, MARGIN);

      frame->low = low / factor;
      frame->high = high * factor;
      return;
    }
  margin = high > low ? MARGIN * (high - low) : MAX (fabs (high) * 0.05, 1e-3);
  frame->low = low - margin;
  frame->high = high + margin;
}

static void
draw_rows (PrismPaint *paint,
           const Frame *frame,
           const PrismTicks *ticks)
{
  cairo_set_line_width (paint->cr, 1);
  for (int i = 0; i < ticks->n_major; i++)
    {
      const double y = round (get_y (frame, ticks->major[i])) + 0.5;
      g_autofree char *label = prism_ticks_dup_label (ticks, i);

      prism_paint_set_alpha (paint, 0.12);
      cairo_move_to (paint->cr, frame->left, y);
      cairo_line_to (paint->cr, frame->right, y);
      cairo_stroke (paint->cr);
      prism_paint_set_alpha (paint, 0.85);
      prism_paint_draw_text (paint, label, frame->left - GAP, y, 1.0, 0.5);
    }
}

static double
measure_ticks (PrismPaint *paint,
               const PrismTicks *ticks)
{
  double longest = 0.0;

  for (int i = 0; i < ticks->n_major; i++)
    {
      g_autofree char *label = prism_ticks_dup_label (ticks, i);
      double width;

      prism_paint_measure (paint, label, &width, NULL);
      longest = MAX (longest, width);
    }
  return longest;
}

/* Every value of the parameter that has room for its name. */
static void
draw_columns (PrismSweepGrid *grid,
              PrismPaint *paint,
              const Frame *frame)
{
  double free_x = -INFINITY;

  for (guint i = 0; i < grid->field->n_columns; i++)
    {
      const double x = get_x (grid, frame, i);
      double width;

      prism_paint_set_alpha (paint, 0.4);
      cairo_move_to (paint->cr, round (x) + 0.5, frame->bottom);
      cairo_line_to (paint->cr, round (x) + 0.5, frame->bottom + 4);
      cairo_stroke (paint->cr);
      prism_paint_measure (paint, grid->column_labels[i], &width, NULL);
      if (x - width / 2 < free_x)
        continue;
      prism_paint_set_alpha (paint, 0.85);
      prism_paint_draw_text (paint, grid->column_labels[i], x, frame->bottom + GAP, 0.5, 0);
      free_x = x + width / 2 + GAP;
    }
}

static void
set_accent (PrismPaint *paint,
            double alpha)
{
  const PrismColor *color = &paint->accent;

  cairo_set_source_rgba (paint->cr, color->red, color->green, color->blue, alpha);
}

static void
draw_spread (PrismPaint *paint,
             const Frame *frame,
             const PrismSweepCell *cell,
             double x)
{
  /* On a logarithmic axis nothing reaches down to 0. */
  const double below = MAX (cell->mean - cell->deviation, frame->low);
  const double above = MIN (cell->mean + cell->deviation, frame->high);
  const double ends[] = { get_y (frame, below), get_y (frame, above) };

  set_accent (paint, 0.55);
  cairo_set_line_width (paint->cr, 1.4);
  cairo_move_to (paint->cr, x, ends[0]);
  cairo_line_to (paint->cr, x, ends[1]);
  for (int i = 0; i < 2; i++)
    {
      cairo_move_to (paint->cr, x - CAP, ends[i]);
      cairo_line_to (paint->cr, x + CAP, ends[i]);
    }
  cairo_stroke (paint->cr);
  /* The extremes as ticks beside it. */
  for (int i = 0; i < 2; i++)
    {
      const double y = get_y (frame, i == 0 ? cell->least : cell->most);

      cairo_move_to (paint->cr, x - CAP / 2, y);
      cairo_line_to (paint->cr, x + CAP / 2, y);
    }
  cairo_stroke (paint->cr);
}

static void
draw_points (PrismSweepGrid *grid,
             PrismPaint *paint,
             const Frame *frame)
{
  const PrismSweepField *field = grid->field;

  for (guint i = 0; i < field->n_columns; i++)
    {
      const PrismSweepCell *cell = &field->cells[i];
      const double x = get_x (grid, frame, i);

      if (cell->n_runs == 0)
        continue;
      if (cell->n_runs > 1)
        draw_spread (paint, frame, cell, x);
      set_accent (paint, 1.0);
      cairo_arc (paint->cr, x, get_y (frame, cell->mean), SYMBOL, 0, 2 * G_PI);
      cairo_fill (paint->cr);
      if (i != grid->marked)
        continue;
      prism_paint_set_alpha (paint, 1.0);
      cairo_set_line_width (paint->cr, 2);
      cairo_arc (paint->cr, x, get_y (frame, cell->mean), 2 * SYMBOL, 0, 2 * G_PI);
      cairo_stroke (paint->cr);
    }
}

/* From mean to mean; what is missing interrupts it, and names have nothing between them. */
static void
draw_line (PrismSweepGrid *grid,
           PrismPaint *paint,
           const Frame *frame)
{
  gboolean begun = FALSE;

  if (grid->column_values == NULL)
    return;
  set_accent (paint, 0.8);
  cairo_set_line_width (paint->cr, 1.6);
  for (guint i = 0; i < grid->field->n_columns; i++)
    {
      const PrismSweepCell *cell = &grid->field->cells[i];

      if (cell->n_runs > 0 && begun)
        cairo_line_to (paint->cr, get_x (grid, frame, i), get_y (frame, cell->mean));
      else if (cell->n_runs > 0)
        cairo_move_to (paint->cr, get_x (grid, frame, i), get_y (frame, cell->mean));
      begun = cell->n_runs > 0;
    }
  cairo_stroke (paint->cr);
}

/* A column of the chart belongs to its value. */
static void
note_areas (PrismSweepGrid *grid,
            const Frame *frame)
{
  const guint n = grid->field->n_columns;

  for (guint i = 0; i < n; i++)
    {
      const double x = get_x (grid, frame, i);
      const double left = i > 0 ? (get_x (grid, frame, i - 1) + x) / 2 : frame->left;
      const double right = i + 1 < n ? (get_x (grid, frame, i + 1) + x) / 2 : frame->right;

      grid->areas[i] = (PrismSweepArea) { left, frame->top, right - left,
                                          frame->bottom - frame->top };
    }
}

/**
 * prism_sweep_curve_draw:
 * @grid: a curve; where its values lie is noted in it
 * @paint: where; from its origin
 * @width: of all
 * @height: of all
 *
 * Draws the mean of each value, with standard deviation and extremes where it has several runs.
 */
void
prism_sweep_curve_draw (PrismSweepGrid *grid,
                        PrismPaint *paint,
                        double width,
                        double height)
{
  const double line = paint->line_height;
  Frame frame = { .top = line + 2 * GAP, .right = width - GAP };
  PrismTicks ticks;

  frame.bottom = MAX (height - 2 * line - 3 * GAP, frame.top + line);
  frame.log_x = is_geometric (grid);
  init_range (&frame, grid->field);
  if (frame.log_y)
    prism_ticks_init_log (&ticks, frame.low, frame.high, (int) ((frame.bottom - frame.top) / 32));
  else
    prism_ticks_init_linear (&ticks, frame.low, frame.high,
                             (int) ((frame.bottom - frame.top) / 32));
  frame.left = measure_ticks (paint, &ticks) + 2 * GAP;
  note_areas (grid, &frame);
  prism_paint_set_alpha (paint, 1.0);
  prism_paint_set_font (paint, 1.0, TRUE);
  prism_paint_draw_text (paint, grid->title, frame.left, 0, 0, 0);
  prism_paint_set_font (paint, 1.0, FALSE);
  draw_rows (paint, &frame, &ticks);
  draw_columns (grid, paint, &frame);
  prism_paint_set_alpha (paint, 0.85);
  prism_paint_draw_text (paint, grid->column_title, (frame.left + frame.right) / 2,
                         frame.bottom + GAP + line, 0.5, 0);
  draw_line (grid, paint, &frame);
  draw_points (grid, paint, &frame);
}
