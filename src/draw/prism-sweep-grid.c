#include "config.h"

#include "prism-sweep-grid.h"

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
