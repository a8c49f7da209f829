#include "config.h"

#include "charts/prism-chart-feed.h"

#include "support/prism-class.h"

/* Rows read at once: two million of them would keep the window waiting. */
#define CHUNK 50000

/* Where the values of a series stand in a row of the history. */
typedef struct
{
  guint series;
  gsize offset; /* of a double in PrismHistoryRow */
  double factor;
  PrismChartRows rows;
} Field;

struct _PrismChartFeed
{
  PrismChartData *data; /* (unowned) */
  gboolean ghost;       /* the curves are those of another run, behind those of the present one */
  PrismChartFeedFunc func;
  gpointer user_data;

  GArray *fields;        /* of Field */
  PrismHistory *history; /* (nullable) */
  guint64 n_rows;        /* of history that may be read */
  guint64 n_read;        /* of them that were read */
  gint32 last_sample;    /* of the row before n_read */
  guint source;          /* 0 when nothing waits to be read */
};

/**
 * prism_chart_feed_new:
 * @data: of the chart, which lives longer
 * @func: called after each piece
 * @user_data: for @func
 *
 * Returns: (transfer full): a feed without fields
 */
PrismChartFeed *
prism_chart_feed_new (PrismChartData *data,
                      PrismChartFeedFunc func,
                      gpointer user_data)
{

  return PRISM_NEW (PrismChartFeed, data, .func = func, .user_data = user_data,
                    .fields = g_array_new (FALSE, FALSE, sizeof (Field)));
}

/**
 * prism_chart_feed_new_ghost:
 * @self: what feeds the curves of a chart
 *
 * Makes what feeds the same curves of another run, faint behind those of the first.
 *
 * Returns: (transfer full): a feed with the same fields
 */
PrismChartFeed *
prism_chart_feed_new_ghost (PrismChartFeed *self)
{
  PrismChartFeed *ghost = prism_chart_feed_new (self->data, self->func, self->user_data);

  g_array_unref (ghost->fields);
  ghost->fields = g_array_ref (self->fields);
  ghost->ghost = TRUE;
  return ghost;
}

/**
 * prism_chart_feed_free:
 * @self: (transfer full) (nullable): a feed
 *
 * Stops it; the curves stay as they are.
 */
void
prism_chart_feed_free (PrismChartFeed *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->history, prism_history_unref);
  g_array_unref (self->fields);
  g_free (self);
}

/**
 * prism_chart_feed_add_field:
 * @self: a feed
 * @series: index of a curve
 * @offset: of a double in #PrismHistoryRow
 * @factor: by which it is multiplied, to change its unit
 * @rows: of which part of a run its values are
 *
 * Feeds one more curve.
 */
void
prism_chart_feed_add_field (PrismChartFeed *self,
                            guint series,
                            gsize offset,
                            double factor,
                            PrismChartRows rows)
{
  Field field = { series, offset, factor, rows };

  g_return_if_fail (offset + sizeof (double) <= sizeof (PrismHistoryRow));

  g_array_append_val (self->fields, field);
}

static void
add_mark (PrismChartFeed *self,
          const PrismHistoryRow *row)
{
  const char *label = NULL;

  if (self->n_read > 0 && row->sample == self->last_sample)
    return;
  if (row->sample == PRISM_ROW_START)
    label = _ ("Start");
  else if (row->sample == PRISM_ROW_POLISH)
    {
      label = _ ("Refinement");
      if (self->n_read > 0)
        self->data->polish = row->step - 1.0;
    }
  else if (self->n_read == 0 || self->last_sample < 0)
    label = _ ("Positions");
  if (row->sample > PRISM_ROW_POLISH)
    self->data->polish = NAN;
  prism_chart_data_add_mark (self->data->marks, row->step, label);
}

static void
add_row (PrismChartFeed *self,
         const PrismHistoryRow *row)
{
  const gboolean is_pass = row->sample <= PRISM_ROW_POLISH;
  /* Where passes did not explain the measurements, training follows, and passes come again. */
  const gboolean begins
      = self->n_read > 0 && self->last_sample <= PRISM_ROW_POLISH && !is_pass;

  /* Samples and polish on the axis are those of the present run. */
  if (!self->ghost)
    add_mark (self, row);
  self->last_sample = row->sample;
  PRISM_FOR_EACH (const Field, field, self->fields)
    {
      const gboolean of_passes = field->rows == PRISM_CHART_POLISH_ROWS;
      const gboolean counts = field->rows == PRISM_CHART_ALL_ROWS || of_passes == is_pass;
      const double value = counts ? G_STRUCT_MEMBER (double, row, field->offset) : NAN;
      PrismChartSeries *series = self->ghost
                                     ? prism_chart_data_get_ghost (self->data, field->series)
                                     : prism_chart_data_get_series (self->data, field->series);

      if (begins && of_passes)
        prism_chart_series_interrupt (series, row->step - 0.5);
      prism_chart_series_append (series, row->step, field->factor * value);
    }
}

/* Rows that cannot be read back are a gap in the curves. */
static void
read_block (PrismChartFeed *self,
            gsize n_rows)
{
  PrismHistoryRow rows[PRISM_HISTORY_BLOCK];
  gboolean complete = prism_history_read (self->history, self->n_read, n_rows, rows);

  for (gsize i = 0; i < n_rows; i++, self->n_read++)
    {
      if (!complete && isnan (rows[i].seconds))
        rows[i].sample = self->last_sample;
      add_row (self, &rows[i]);
    }
}

static gboolean
read_rows (gpointer data)
{
  PrismChartFeed *self = data;
  guint64 end = MIN (self->n_rows, self->n_read + CHUNK);
  gboolean was_empty = self->n_read == 0;

  while (self->n_read < end)
    read_block (self, MIN (end - self->n_read, PRISM_HISTORY_BLOCK));
  self->func (self->user_data, was_empty);
  if (self->n_read < self->n_rows)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  return G_SOURCE_REMOVE;
}

/**
 * prism_chart_feed_continues:
 * @self: a feed
 * @history: (nullable): the rows of a run
 * @n_rows: how many of them may be read
 *
 * Returns: whether these rows go on where those before end; otherwise the feed is to be cleared
 */
gboolean
prism_chart_feed_continues (PrismChartFeed *self,
                            PrismHistory *history,
                            guint64 n_rows)
{
  return history == self->history && n_rows >= self->n_rows;
}

/**
 * prism_chart_feed_set_history:
 * @self: a feed
 * @history: (nullable): the rows of a run
 * @n_rows: how many of them may be read
 *
 * Reads the rows that are new since the last call, the first of them at once.
 */
void
prism_chart_feed_set_history (PrismChartFeed *self,
                              PrismHistory *history,
                              guint64 n_rows)
{
  if (!prism_chart_feed_continues (self, history, n_rows))
    prism_chart_feed_clear (self);
  if (history == NULL || n_rows == self->n_rows)
    return;
  if (self->history == NULL)
    self->history = prism_history_ref (history);
  self->n_rows = n_rows;
  if (self->source == 0 && read_rows (self))
    self->source = g_idle_add (read_rows, self);
}

/**
 * prism_chart_feed_clear:
 * @self: a feed
 *
 * Removes the points that it has fed, and forgets the history.
 */
void
prism_chart_feed_clear (PrismChartFeed *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->history, prism_history_unref);
  self->n_rows = self->n_read = 0;
  if (self->ghost)
    g_ptr_array_set_size (self->data->ghosts, 0);
  else
    prism_chart_data_clear (self->data);
}
