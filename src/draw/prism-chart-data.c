#include "config.h"

#include "base/prism-each.h"
#include "prism-chart-draw.h"

static void
free_series (gpointer data)
{
  if (data != NULL)
    prism_chart_series_free (data);
}

PRISM_CLEAR (PrismChartMark, clear_mark, g_free, label)

static void
clear_item (gpointer data)
{
  g_clear_pointer (&((PrismChartItem *) data)->image, prism_image_unref);
}

static GArray *
new_marks (void)
{
  GArray *marks = g_array_new (FALSE, FALSE, sizeof (PrismChartMark));

  g_array_set_clear_func (marks, clear_mark);
  return marks;
}

/**
 * prism_chart_data_new_titled:
 * @title: of the chart
 * @x_title: of the horizontal axis
 *
 * Returns: (transfer full): a chart without series and items
 */
PrismChartData *
prism_chart_data_new_titled (const char *title,
                             const char *x_title)
{
  PrismChartData *self = g_new0 (PrismChartData, 1);

  self->n_refs = 1;
  self->title = g_strdup (title);
  self->x_title = g_strdup (x_title);
  self->series = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_chart_series_free);
  self->ghosts = g_ptr_array_new_with_free_func (free_series);
  self->items = g_array_new (FALSE, FALSE, sizeof (PrismChartItem));
  g_array_set_clear_func (self->items, clear_item);
  self->texts = g_string_chunk_new (1024);
  self->marks = new_marks ();
  for (int k = 0; k < 2; k++)
    self->names[k] = new_marks ();
  self->polish = self->limit = self->first = self->last = NAN;
  for (int side = 0; side < PRISM_CHART_N_SIDES; side++)
    self->axes[side].minimum = self->axes[side].maximum = NAN;
  return self;
}

/**
 * prism_chart_data_ref:
 *
 * Returns: (transfer full): the same
 */
PrismChartData *
prism_chart_data_ref (PrismChartData *self)
{
  self->n_refs++;
  return self;
}

/**
 * prism_chart_data_free:
 * @self: (transfer full): a chart's data
 *
 * Frees it with its series, where nobody else has it.
 */
void
prism_chart_data_free (PrismChartData *self)
{
  if (--self->n_refs > 0)
    return;
  g_free (self->title);
  g_free (self->x_title);
  g_free (self->description);
  g_free (self->note);
  g_free (self->empty_text);
  for (int side = 0; side < PRISM_CHART_N_SIDES; side++)
    g_free (self->axes[side].title);
  g_ptr_array_unref (self->series);
  g_ptr_array_unref (self->ghosts);
  g_array_unref (self->items);
  g_string_chunk_free (self->texts);
  g_array_unref (self->marks);
  for (int k = 0; k < 2; k++)
    g_array_unref (self->names[k]);
  g_free (self);
}

/**
 * prism_chart_data_clear:
 * @self: a chart's data
 *
 * Removes all points and marks; the series stay, and so do the ghosts.
 */
void
prism_chart_data_clear (PrismChartData *self)
{
  for (guint i = 0; i < self->series->len; i++)
    prism_chart_series_clear (prism_chart_data_get_series (self, i));
  g_array_set_size (self->marks, 0);
  self->polish = NAN;
}

/**
 * prism_chart_data_set_axis:
 * @side: which axis
 * @title: (nullable): what it measures, with the unit
 * @logarithmic: whether equal ratios are equal lengths
 * @minimum: value at the bottom, NAN to follow the data
 * @maximum: value at the top, NAN to follow the data
 *
 * Describes a vertical axis; it appears when it has a series.
 */
void
prism_chart_data_set_axis (PrismChartData *self,
                           PrismChartSide side,
                           const char *title,
                           gboolean logarithmic,
                           double minimum,
                           double maximum)
{
  PrismChartAxis *axis = &self->axes[side];

  g_return_if_fail (!logarithmic || !(minimum <= 0));

  g_free (axis->title);
  *axis = (PrismChartAxis) { g_strdup (title), logarithmic, minimum, maximum };
}

/**
 * prism_chart_data_add_series:
 * @label: (nullable): name in the legend; without one it is not there
 * @side: its axis
 *
 * Returns: (transfer none): a curve without points
 */
PrismChartSeries *
prism_chart_data_add_series (PrismChartData *self,
                             const char *label,
                             PrismChartSide side)
{
  PrismChartSeries *series = prism_chart_series_new (label, side);

  prism_chart_series_set_smoothing (series, self->smoothing);
  g_ptr_array_add (self->series, series);
  return series;
}

/**
 * prism_chart_data_get_series:
 * @self: a chart's data
 * @i: index
 *
 * Returns: (transfer none): a series
 */
PrismChartSeries *
prism_chart_data_get_series (PrismChartData *self,
                             guint i)
{
  g_return_val_if_fail (i < self->series->len, NULL);

  return g_ptr_array_index (self->series, i);
}

/**
 * prism_chart_data_get_ghost:
 * @self: a chart's data
 * @i: index of a series
 *
 * Returns: (transfer none): the curve of another run that is shown behind it, empty at first
 */
PrismChartSeries *
prism_chart_data_get_ghost (PrismChartData *self,
                            guint i)
{
  const PrismChartSeries *series = prism_chart_data_get_series (self, i);
  PrismChartSeries *ghost;

  g_return_val_if_fail (series != NULL, NULL);

  if (i >= self->ghosts->len)
    g_ptr_array_set_size (self->ghosts, i + 1);
  if (self->ghosts->pdata[i] == NULL)
    {
      ghost = self->ghosts->pdata[i] = prism_chart_series_new (series->label, series->side);
      ghost->joined = TRUE;
      prism_chart_series_set_smoothing (ghost, self->smoothing);
    }
  return self->ghosts->pdata[i];
}

static const char *
keep (PrismChartData *self,
      char *text)
{
  g_autofree char *taken = text;

  return taken != NULL ? g_string_chunk_insert (self->texts, taken) : NULL;
}

/**
 * prism_chart_data_add_item:
 * @text: (transfer full) (nullable): shown where there is room
 * @tip: (transfer full) (nullable): what it is
 *
 * Returns: (transfer none): an item, until the next is added: without an extent, all numbers NAN
 */
PrismChartItem *
prism_chart_data_add_item (PrismChartData *self,
                           char *text,
                           char *tip)
{
  const PrismChartItem item = {
    .spread = { NAN, NAN, NAN, NAN },
    .from = { NAN, NAN },
    .value = NAN,
    .text = keep (self, text),
    .tip = keep (self, tip),
  };

  g_array_append_val (self->items, item);
  return prism_chart_data_get_item (self, self->items->len - 1);
}

/**
 * prism_chart_data_get_item:
 * @i: index
 *
 * Returns: (transfer none): an item
 */
PrismChartItem *
prism_chart_data_get_item (const PrismChartData *self,
                           guint i)
{
  return &g_array_index (self->items, PrismChartItem, i);
}

/**
 * prism_chart_data_dup_tip:
 * @item: index, PRISM_CHART_NO_ITEM for none
 *
 * Returns: (transfer full) (nullable): what it is
 */
char *
prism_chart_data_dup_tip (const PrismChartData *self,
                          guint item)
{
  const PrismChartItem *found = prism_chart_data_get_item (self, item);

  if (item >= self->items->len)
    return NULL;
  return self->dup_tip != NULL ? self->dup_tip (found->subject) : g_strdup (found->tip);
}

/**
 * prism_chart_data_find_colors:
 * @logarithmic: whether equal ratios are equal distances of colours, where all values are positive
 *
 * Chooses the scale from the values of the items to colours.
 */
void
prism_chart_data_find_colors (PrismChartData *self,
                              gboolean logarithmic)
{
  PrismMapping *mapping = &self->mapping;
  double low = INFINITY, high = -INFINITY;

  for (guint i = 0; i < self->items->len; i++)
    {
      low = fmin (low, prism_chart_data_get_item (self, i)->value);
      high = fmax (high, prism_chart_data_get_item (self, i)->value);
    }
  prism_mapping_init (mapping);
  mapping->colormap = PRISM_COLORMAP_VIRIDIS;
  mapping->levels = PRISM_LEVELS_MANUAL;
  mapping->black = (float) (low < high ? low : low == high ? low - 1
                                                           : 0);
  mapping->white = (float) (low < high ? high : mapping->black + 2);
  if (!logarithmic || !(low > 0 && low < high))
    return;
  /* With this gain the logarithm of 1 + gain·t is that of the ratio to the lowest value. */
  mapping->stretch = PRISM_STRETCH_LOG;
  mapping->gain = high / low - 1;
}

/**
 * prism_chart_data_add_mark:
 * @marks: those of a chart, or names of an axis
 * @x: above the last one
 * @label: (nullable): what is or begins there
 *
 * Adds a vertical line, or a name in place of the numbers of an axis.
 */
void
prism_chart_data_add_mark (GArray *marks,
                           double x,
                           const char *label)
{
  PrismChartMark mark = { x, g_strdup (label) };

  g_array_append_val (marks, mark);
}

/**
 * prism_chart_data_set_smoothing:
 * @self: a chart's data
 * @weight: of the past, 0 for none, below 1
 *
 * Smooths all series.
 */
void
prism_chart_data_set_smoothing (PrismChartData *self,
                                double weight)
{
  self->smoothing = weight;
  for (guint i = 0; i < self->series->len; i++)
    prism_chart_series_set_smoothing (prism_chart_data_get_series (self, i), weight);
  for (guint i = 0; i < self->ghosts->len; i++)
    if (self->ghosts->pdata[i] != NULL)
      prism_chart_series_set_smoothing (self->ghosts->pdata[i], weight);
}

static gboolean
extend (PrismChartSeries *series,
        double *first,
        double *last)
{
  double a, b;

  if (series == NULL || !prism_chart_series_get_extent (series, &a, &b))
    return FALSE;
  *first = MIN (*first, a);
  *last = MAX (*last, b);
  return TRUE;
}

/**
 * prism_chart_data_get_extent:
 * @self: a chart's data
 * @first: (out): smallest x
 * @last: (out): largest x
 *
 * Of the curves that have a value, where they have none, too: what is known of one step in a
 * thousand stands at its place among these.
 *
 * Returns: whether there is a value
 */
gboolean
prism_chart_data_get_extent (PrismChartData *self,
                             double *first,
                             double *last)
{
  *first = INFINITY;
  *last = -INFINITY;
  for (guint i = 0; i < self->items->len; i++)
    {
      *first = MIN (*first, prism_chart_data_get_item (self, i)->x[0]);
      *last = MAX (*last, prism_chart_data_get_item (self, i)->x[1]);
    }
  for (guint i = 0; i < self->series->len; i++)
    extend (self->series->pdata[i], first, last);
  PRISM_FOR_EACH_POINTER (PrismChartSeries, series, self->ghosts)
    extend (series, first, last);
  if (*first <= *last && !isnan (self->first))
    {
      *first = self->first;
      *last = self->last;
    }
  return *first <= *last;
}
