#include "config.h"

#include "prism-sweep-plot.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "formats/prism-npy.h"
#include "formats/prism-png-stream.h"
#include "prism-mark-draw.h"

/* Of a file, in points; pixels per point of a PNG. */
#define WIDTH 420.0
#define HEIGHT 300.0
#define MARGIN 12.0
#define RESOLUTION 3.0
/* Cells of large maps stay readable, in points. */
#define LEAST_CELL 34.0
#define MOST_LENGTH 4000.0
#define LEAST_RATIO 8.0 /* of the ends of a logarithmic axis */

static const PrismColor missing = { 0.5f, 0.5f, 0.5f, 0.16f };

/* Values that grow; anything else is a list of names. */
static double *
dup_values (PrismSweep *sweep,
            guint axis,
            guint n)
{
  g_autofree double *values = g_new (double, n);

  if (sweep->axes[axis].param->type != PRISM_PARAM_INTEGER
      && sweep->axes[axis].param->type != PRISM_PARAM_REAL)
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

/* Values whose ratios are more alike than their differences. */
static gboolean
is_geometric (const double *values,
              guint n)
{
  double least = INFINITY, most = 0.0;

  if (n < 3 || values[0] <= 0.0 || values[n - 1] < LEAST_RATIO * values[0])
    return FALSE;
  for (guint i = 1; i < n; i++)
    {
      double ratio = values[i] / values[i - 1];

      least = MIN (least, log (ratio));
      most = MAX (most, log (ratio));
    }
  return most < 2.5 * least;
}

/* "34.20 dB", or of several runs "34.20 ± 0.31 dB". */
static char *
dup_value (const PrismSweepField *field,
           const PrismSweepCell *cell)
{
  g_autofree char *mean = prism_sweep_measure_dup_text (field->measure, cell->mean);
  const char *unit = strchr (mean, ' ');

  return cell->n_runs < 2 ? g_steal_pointer (&mean)
                          : prism_number_dup_within (cell->mean, cell->deviation,
                                                     unit != NULL ? unit + 1 : "");
}

/* That, with the number of runs and what “±” means. */
static char *
dup_number (const PrismSweepField *field,
            const PrismSweepCell *cell)
{
  g_autofree char *value = dup_value (field, cell), *text = NULL;

  if (cell->n_runs == 0)
    return g_strdup (_ ("no result yet"));
  if (cell->n_runs == 1)
    return g_steal_pointer (&value);
  /* TRANSLATORS: a mean with its standard deviation, the number of runs */
  text = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s, %u run", "%s, %u runs",
                                       cell->n_runs),
                          value, cell->n_runs);
  return g_strdup_printf ("%s (%s)", text, prism_error_of_get_text (PRISM_ERROR_OF_RUNS));
}

static gboolean
is_map (const PrismSweepPlot *self)
{
  return self->field->row_axis != PRISM_SWEEP_FIELD_NO_AXIS;
}

/* What a cell is and what it has come to: "Signal to noise 20 dB: 34.20 ± 0.31 dB, 8 runs". */
static char *
dup_text (const PrismSweepPlot *self,
          PrismSweep *sweep,
          guint cell)
{
  const PrismSweepField *field = self->field;
  g_autofree char *number = dup_number (field, &field->cells[cell]);
  g_autofree char *row = NULL, *column = NULL;

  if (field->column_axis == PRISM_SWEEP_FIELD_NO_AXIS)
    return g_strdup_printf (" : %s", number);
  column = prism_sweep_dup_value (sweep, field->column_axis, cell % field->n_columns);
  if (!is_map (self))
    return g_strdup_printf ("%s %s: %s", self->chart->x_title, column, number);
  row = prism_sweep_dup_value (sweep, field->row_axis, cell / field->n_columns);
  return g_strdup_printf ("%s %s, %s %s: %s", _ (sweep->axes[field->row_axis].param->label), row,
                          self->chart->x_title, column, number);
}

/* Where the values of a parameter lie, and that they are so called: numbers where they belong,
 * names at equal distances. Returns whether they are numbers. */
static gboolean
place_values (PrismSweep *sweep,
              guint axis,
              guint n,
              GArray *names,
              double *places)
{
  g_autofree double *values = dup_values (sweep, axis, n);
  const gboolean geometric = values != NULL && is_geometric (values, n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = prism_sweep_dup_value (sweep, axis, i);

      places[i] = values == NULL ? i : geometric ? log (values[i])
                                                 : values[i];
      prism_chart_data_add_mark (names, places[i], name);
    }
  return values != NULL;
}

/* A dot at the mean, the spread of its runs; from mean to mean a line, which what is missing
 * interrupts, and names have nothing between them. */
static void
fill_curve (PrismSweepPlot *self,
            PrismSweep *sweep)
{
  const PrismSweepField *field = self->field;
  const guint n = field->n_columns;
  g_autofree double *places = g_new0 (double, n);
  const gboolean numbers = field->column_axis != PRISM_SWEEP_FIELD_NO_AXIS
                           && place_values (sweep, field->column_axis, n, self->chart->names[0],
                                            places);
  PrismChartSeries *line
      = numbers ? prism_chart_data_add_series (self->chart, NULL, PRISM_CHART_LEFT) : NULL;
  const double range = places[n - 1] - places[0], inset = 1.0 / (2 * MAX (n, 4));
  double low, high;

  self->chart->shape = PRISM_CHART_POINTS;
  self->chart->first = places[0] - (range > 0 ? range * inset / (1 - 2 * inset) : 1);
  self->chart->last = places[n - 1] + (range > 0 ? range * inset / (1 - 2 * inset) : 1);
  self->chart->axes[PRISM_CHART_LEFT].logarithmic
      = prism_sweep_measure_get_info (field->measure)->logarithmic
        && prism_sweep_field_get_range (field, &low, &high) && low > 0 && high > LEAST_RATIO * low;
  for (guint i = 0; i < n; i++)
    {
      const PrismSweepCell *cell = &field->cells[i];
      const gboolean some = cell->n_runs > 0, spread = cell->n_runs > 1;
      PrismChartItem *item
          = prism_chart_data_add_item (self->chart, NULL, dup_text (self, sweep, i));

      item->x[0] = item->x[1] = places[i];
      item->y[0] = item->y[1] = some ? cell->mean : NAN;
      item->spread[0] = spread ? cell->mean - cell->deviation : NAN;
      item->spread[1] = spread ? cell->mean + cell->deviation : NAN;
      item->spread[2] = spread ? cell->least : NAN;
      item->spread[3] = spread ? cell->most : NAN;
      if (line != NULL)
        prism_chart_series_append (line, places[i], item->y[0]);
    }
}

/* A cell in colours for each pair of values, with its number. */
static void
fill_map (PrismSweepPlot *self,
          PrismSweep *sweep)
{
  const PrismSweepField *field = self->field;

  self->chart->shape = PRISM_CHART_CELLS;
  self->chart->first = -0.5;
  self->chart->last = field->n_columns - 0.5;
  g_free (self->chart->axes[PRISM_CHART_LEFT].title);
  self->chart->axes[PRISM_CHART_LEFT]
      = (PrismChartAxis) { g_strdup (_ (sweep->axes[field->row_axis].param->label)), FALSE, -0.5,
                           field->n_rows - 0.5 };
  for (guint axis = 0; axis < 2; axis++)
    for (guint i = 0; i < (axis == 0 ? field->n_columns : field->n_rows); i++)
      {
        g_autofree char *name
            = prism_sweep_dup_value (sweep, axis == 0 ? field->column_axis : field->row_axis, i);

        prism_chart_data_add_mark (self->chart->names[axis], i, name);
      }
  for (guint i = 0; i < field->n_rows * field->n_columns; i++)
    {
      const PrismSweepCell *cell = &field->cells[i];
      const double column = i % field->n_columns, row = i / field->n_columns;
      g_autofree char *mean = prism_sweep_measure_dup_number (field->measure, cell->mean);
      g_autofree char *within = prism_number_dup_within (cell->mean, cell->deviation, "");
      g_auto (GStrv) lines = g_strsplit (cell->n_runs > 1 ? within : mean, " ±", 2);
      char *number = cell->n_runs > 0 ? g_strjoinv ("\n±", lines) : NULL;
      PrismChartItem *item
          = prism_chart_data_add_item (self->chart, number, dup_text (self, sweep, i));

      for (int k = 0; k < 2; k++)
        {
          item->x[k] = column - 0.5 + k;
          item->y[k] = row - 0.5 + k;
        }
      item->value = cell->n_runs > 0 ? cell->mean : NAN;
      item->color = &missing;
    }
  prism_chart_data_find_colors (self->chart,
                                prism_sweep_measure_get_info (field->measure)->logarithmic);
}

/**
 * prism_sweep_plot_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 * @measure: a metric's number, or a PrismSweepMeasure
 *
 * Returns: (transfer full): the plot, which needs neither any more
 */
PrismSweepPlot *
prism_sweep_plot_new (PrismSweep *sweep,
                      const PrismSweepTable *table,
                      guint measure)
{
  PrismSweepPlot *self = g_new0 (PrismSweepPlot, 1);
  g_autofree char *title = prism_metric_dup_title (prism_sweep_measure_get_info (measure));
  guint column_axis;

  self->field = prism_sweep_field_new (sweep, table, measure);
  column_axis = self->field->column_axis;
  self->csv = prism_sweep_field_to_csv (self->field, sweep);
  self->chart = prism_chart_data_new_titled (title, column_axis != PRISM_SWEEP_FIELD_NO_AXIS
                                                        ? _ (sweep->axes[column_axis].param->label)
                                                        : "");
  self->n_points = sweep->n_points;
  self->cells = g_new (guint, self->n_points);
  for (guint i = 0; i < self->n_points; i++)
    self->cells[i] = prism_sweep_field_find (self->field, sweep, i);
  if (is_map (self))
    fill_map (self, sweep);
  else
    fill_curve (self, sweep);
  return self;
}

/**
 * prism_sweep_plot_free:
 * @self: (nullable): a plot
 */
PRISM_FREE_FOR_ALL (PrismSweepPlot,
                    prism_sweep_plot_free,
                    prism_chart_data_free,
                    chart,
                    prism_sweep_field_free,
                    field,
                    g_free,
                    cells,
                    g_free,
                    csv)

/**
 * prism_sweep_plot_check_path:
 * @path: of a file
 *
 * Errors: PRISM_ERROR_FORMAT where its ending says no format.
 *
 * Returns: whether prism_sweep_plot_save() can write it
 */
gboolean
prism_sweep_plot_check_path (const char *path,
                             GError **error)
{
  static const char *const endings[] = { ".png", ".svg", ".pdf", ".csv" };
  g_autofree char *lower = g_ascii_strdown (path, -1);

  PRISM_FOR_EACH_OF (one, endings)
    if (g_str_has_suffix (lower, *one))
      return TRUE;
  return prism_error_config (error,
                             _ ("“%s” has no ending that says what to write: end it in .png, .svg,"
                                " .pdf or .csv."),
                             path);
}

static void
draw_page (PrismChartData *chart,
           cairo_surface_t *surface,
           double width,
           double height)
{
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  cairo_translate (cr, MARGIN, MARGIN);
  prism_chart_draw_figure (chart, &paint, width - 2 * MARGIN, height - 2 * MARGIN);
  prism_paint_finish (&paint);
  cairo_show_page (cr);
  cairo_destroy (cr);
}

/**
 * prism_sweep_plot_save:
 * @path: of the file: .png, .svg, .pdf, or .csv for its numbers
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_sweep_plot_save (PrismSweepPlot *self,
                       const char *path,
                       GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *page;
  double width = WIDTH, height = HEIGHT;

  if (!prism_sweep_plot_check_path (path, error))
    return FALSE;
  if (g_str_has_suffix (lower, ".csv"))
    return prism_file_save (path, self->csv, strlen (self->csv), error);
  if (is_map (self))
    {
      width = CLAMP (self->field->n_columns * LEAST_CELL + 160.0, WIDTH, MOST_LENGTH);
      height = CLAMP (self->field->n_rows * LEAST_CELL + 80.0, HEIGHT, MOST_LENGTH);
    }
  page = prism_page_new (path, width, height, RESOLUTION, FALSE, bytes);
  draw_page (self->chart, page, width, height);
  return prism_page_finish (page, bytes, error)
         && prism_file_save (path, bytes->data, bytes->len, error);
}

/* Of an uncertainty map that is nothing but 0. */
#define LEAST_WHITE 1e-6f
/* Of pictures, in points, with what is between them and beside all; pixels per point of a PNG. */
#define SIDE 128.0
#define PICTURE_GAP 12.0
#define NOTE_HEIGHT 16.0
#define BESIDE 90.0
#define ABOVE 60.0
#define SHEET_RESOLUTION 2.5

static void
add_picture (PrismSweepSheet *self,
             guint n_columns,
             PrismImage *image,
             char *text,
             char *tip)
{
  const guint i = self->chart->items->len;
  PrismChartItem *item = prism_chart_data_add_item (self->chart, text, tip);

  for (int k = 0; k < 2; k++)
    {
      item->x[k] = i % n_columns - 0.5 + k;
      item->y[k] = i / n_columns - 0.5 + k;
    }
  item->image = prism_image_ref (image);
}

static float
get_maximum (const PrismImage *image)
{
  float maximum = LEAST_WHITE;

  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    maximum = MAX (maximum, image->pixels[i]);
  return maximum;
}

/* Of a grid: rows are all parameters but the last, whose values have the columns. */
static void
add_names (PrismChartData *chart,
           PrismSweep *sweep)
{
  const guint last = sweep->n_axes - 1, n_columns = sweep->axes[last].n_values;
  g_autoptr (GString) title = g_string_new (NULL);

  for (guint j = 0; j < n_columns; j++)
    {
      g_autofree char *name = prism_sweep_dup_value (sweep, last, j);

      prism_chart_data_add_mark (chart->names[0], j, name);
    }
  for (guint i = 0; i < sweep->n_points / n_columns; i++)
    {
      g_autoptr (GString) row = g_string_new (NULL);

      for (guint k = 0; k < last; k++)
        {
          guint position = prism_sweep_get_position (sweep, i * n_columns, k);
          g_autofree char *value = prism_sweep_dup_value (sweep, k, position);

          g_string_append_printf (row, "%s%s", k > 0 ? ", " : "", value);
        }
      prism_chart_data_add_mark (chart->names[1], i, row->str);
    }
  for (guint k = 0; k < last; k++)
    g_string_append_printf (title, "%s%s", k > 0 ? ", " : "", _ (sweep->axes[k].param->label));
  prism_chart_data_set_axis (chart, PRISM_CHART_LEFT, title->str, FALSE, NAN, NAN);
}

/**
 * prism_sweep_sheet_new:
 * @sweep: a sweep
 * @table: what its runs have come to
 *
 * Puts the reconstructions in rows and columns with names where there are two axes, and one
 * after the other with their values where there is one. An ensemble of at least two results begins
 * with mean and uncertainty.
 *
 * Returns: (transfer full): the sheet
 */
PrismSweepSheet *
prism_sweep_sheet_new (PrismSweep *sweep,
                       const PrismSweepTable *table)
{
  PrismSweepSheet *self = g_new0 (PrismSweepSheet, 1);
  guint n_columns, n_rows;
  const char *axis;

  if (prism_sweep_is_ensemble (sweep))
    prism_sweep_table_get_spread (table, &self->mean, &self->spread, NULL);
  if (self->spread != NULL)
    prism_sweep_ensemble_compute (&self->ensemble, table, self->mean, self->spread, NULL);
  self->first = self->spread != NULL ? 2 : 0;
  n_columns = sweep->n_axes > 1 ? sweep->axes[sweep->n_axes - 1].n_values
                                : (guint) ceil (sqrt (self->first + table->n_rows));
  n_rows = (self->first + table->n_rows + n_columns - 1) / n_columns;
  axis = sweep->n_axes > 0 ? _ (sweep->axes[sweep->n_axes - 1].param->label) : "";
  self->chart = prism_chart_data_new_titled (sweep->n_axes == 1 ? axis : "", axis);
  self->chart->shape = PRISM_CHART_CELLS;
  self->chart->pictures = TRUE;
  self->chart->description = g_strdup (_ ("Reconstructions of all points"));
  if (sweep->n_axes > 1)
    add_names (self->chart, sweep);
  else
    self->chart->bare = TRUE;
  if (self->spread != NULL)
    {
      float white = get_maximum (self->spread);
      const PrismImage *spread = self->spread;
      g_autoptr (PrismImage) scaled = prism_image_new (spread->height, spread->width, NULL);

      for (gsize i = 0; scaled != NULL && i < (gsize) spread->height * spread->width; i++)
        scaled->pixels[i] = spread->pixels[i] / white;
      add_picture (self, n_columns, self->mean,
                   self->ensemble.n_runs > 0
                       ? g_strdup_printf (_ ("Mean: %.2f dB"), self->ensemble.psnr)
                       : g_strdup (_ ("Mean")),
                   NULL);
      add_picture (self, n_columns, scaled,
                   g_strdup_printf (_ ("Uncertainty, white = %.3g"), white), NULL);
    }
  for (guint i = 0; i < table->n_rows; i++)
    {
      g_autofree char *label = prism_sweep_dup_label (sweep, i);
      g_autofree char *value = sweep->n_axes == 1 ? prism_sweep_dup_value (sweep, 0, i) : NULL;
      const PrismSweepRow *row = &table->rows[i];
      const guint measure = prism_sweep_measure_get_first (row->recorded);
      const double number = prism_sweep_measure_get (measure, row);
      char *note = row->finished ? prism_sweep_measure_dup_text (measure, number)
                                 : g_strdup (row->failure != NULL ? _ ("failed")
                                                                  : _ ("no result yet"));

      add_picture (self, n_columns, table->rows[i].image,
                   value == NULL                           ? g_strdup (note)
                   : row->finished || row->failure != NULL ? g_strdup_printf ("%s: %s", value, note)
                                                           : g_strdup (value),
                   g_strdup_printf ("%s: %s", label, note));
      g_free (note);
    }
  self->chart->first = self->chart->axes[PRISM_CHART_LEFT].minimum = -0.5;
  self->chart->last = n_columns - 0.5;
  self->chart->axes[PRISM_CHART_LEFT].maximum = n_rows - 0.5;
  self->width = n_columns * (SIDE + PICTURE_GAP) + (sweep->n_axes > 1 ? BESIDE : 0);
  self->height = n_rows * (SIDE + PICTURE_GAP + NOTE_HEIGHT)
                 + (sweep->n_axes > 1 ? ABOVE : PRISM_CHART_TITLE_HEIGHT);
  return self;
}

/**
 * prism_sweep_sheet_free:
 * @self: (nullable): a sheet
 */
PRISM_FREE_FOR_ALL (PrismSweepSheet,
                    prism_sweep_sheet_free,
                    prism_chart_data_free,
                    chart,
                    prism_image_unref,
                    mean,
                    prism_image_unref,
                    spread)

/* No more than about a row of pictures is in memory at a time. */
static gboolean
save_sheet (const PrismSweepSheet *self,
            const char *path,
            GError **error)
{
  const int width = (int) (self->width * SHEET_RESOLUTION);
  const int height = (int) (self->height * SHEET_RESOLUTION);
  const int strip = (int) (SIDE * SHEET_RESOLUTION);
  g_autoptr (PrismPngStream) stream
      = prism_png_stream_new (&(const PrismPngFormat) { width, height }, error);

  for (int y = 0; stream != NULL && y < height; y += strip)
    {
      const int n = MIN (strip, height - y);
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, n);
      cairo_status_t status;
      gboolean ok = FALSE;

      cairo_surface_set_device_scale (surface, SHEET_RESOLUTION, SHEET_RESOLUTION);
      cairo_surface_set_device_offset (surface, 0, -y);
      draw_page (self->chart, surface, self->width, self->height);
      cairo_surface_flush (surface);
      status = cairo_surface_status (surface);
      if (status == CAIRO_STATUS_SUCCESS)
        ok = prism_png_stream_add (stream, cairo_image_surface_get_data (surface),
                                   cairo_image_surface_get_stride (surface), n, error);
      else
        prism_error_memory (
            error, _ ("A sheet %d pixels wide cannot be drawn: %s. Take fewer values."), width,
            cairo_status_to_string (status));
      cairo_surface_destroy (surface);
      if (!ok)
        return FALSE;
    }
  return stream != NULL && prism_png_stream_save (stream, path, error);
}

static gboolean
save_image (const char *directory,
            const char *name,
            const PrismImage *image,
            float white,
            GError **error)
{
  g_autofree char *array_name = g_strconcat (name, ".npy", NULL);
  g_autofree char *picture_name = g_strconcat (name, ".png", NULL);
  g_autofree char *array = g_build_filename (directory, array_name, NULL);
  g_autofree char *picture = g_build_filename (directory, picture_name, NULL);
  const gsize shape[] = { (gsize) image->height, (gsize) image->width };

  return prism_npy_save (array, image->pixels, 2, shape, error)
         && prism_image_save_png (image, picture, 16, 0.0f, white, NULL, error);
}

/**
 * prism_sweep_sheet_save_all:
 * @self: a sheet
 * @sweep: its sweep
 * @table: its table
 * @directory: of the sweep
 * @error: return location
 *
 * Writes sweep.csv and sweep.png, and of an ensemble mean and uncertainty as .npy and .png. Those
 * of an earlier time are replaced as a whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether all files are on the disk
 */
gboolean
prism_sweep_sheet_save_all (const PrismSweepSheet *self,
                            PrismSweep *sweep,
                            const PrismSweepTable *table,
                            const char *directory,
                            GError **error)
{
  static const char *const of_ensembles[]
      = { "mean.npy", "mean.png", "uncertainty.npy", "uncertainty.png", NULL };
  g_autofree char *csv = prism_sweep_table_to_csv (table, sweep);
  g_autoptr (PrismExchange) exchange = prism_exchange_new (directory, error);
  g_autofree char *csv_path = NULL, *png_path = NULL;
  const char *stage;

  if (exchange == NULL)
    return FALSE;
  stage = prism_exchange_get_directory (exchange);
  csv_path = g_build_filename (stage, "sweep.csv", NULL);
  png_path = g_build_filename (stage, "sweep.png", NULL);
  return prism_file_save (csv_path, csv, strlen (csv), error)
         && save_sheet (self, png_path, error)
         && (self->spread == NULL
             || (save_image (stage, "mean", self->mean, 1.0f, error)
                 && save_image (stage, "uncertainty", self->spread, get_maximum (self->spread),
                                error)))
         && prism_exchange_commit (exchange, of_ensembles, error);
}
