#include "charts/prism-quantity.h"
#include "prism-test.h"
#include "widget-test.h"

#define WIDTH 400
#define HEIGHT 200

/* The numbers of an axis, one behind the other. */
static char *
dup_labels (const PrismTicks *ticks)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < ticks->n_major; i++)
    {
      g_autofree char *label = prism_ticks_dup_label (ticks, i);
      g_string_append_printf (text, "%s%s", i == 0 ? "" : " ", label);
    }
  return g_strdup (text->str);
}

TEST (ticks, "/app/chart/ticks")
{
  static const struct
  {
    char scale;
    double low, high;
    int max;
    const char *labels;
  } axes[] = {
    { '-', 0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0" },
    { '-', 0, 1, 5, "0.0 0.5 1.0" },
    { '-', 17, 31.9, 8, "20 25 30" },
    { '-', -0.83, 0.83, 9, "−0.5 0.0 0.5" },
    { '-', 0, 100000, 6, "0 20k 40k 60k 80k 100k" },
    { '-', 0, 4e6, 5, "0 1M 2M 3M 4M" },
    { '-', 12000, 12400, 5, "12.0k 12.1k 12.2k 12.3k 12.4k" },
    { '-', 0, 3e-7, 4, "0 1×10⁻⁷ 2×10⁻⁷ 3×10⁻⁷" },
    { '1', 1, 3, 10, "1 2 3" },
    { 'l', 0.0008, 120, 8, "0.001 0.01 0.1 1 10 100" },
    { 'l', 1e-9, 1, 6, "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰" },
    { 'l', 0.15, 7, 8, "0.2 0.5 1 2 5" },
    { 'l', 0.30, 0.34, 5, "0.30 0.31 0.32 0.33 0.34" },
  };
  PrismTicks ticks;

  for (gsize i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      (axes[i].scale == '-'   ? prism_ticks_init_linear
       : axes[i].scale == '1' ? prism_ticks_init_integer
                              : prism_ticks_init_log) (&ticks, axes[i].low, axes[i].high,
                                                       axes[i].max);
      SAYS (dup_labels (&ticks), axes[i].labels);
    }
  prism_ticks_init_log (&ticks, 0.0008, 120, 8);
  g_assert_cmpint (ticks.n_minor, ==, 8 * 5 + 2);
}

static void
assert_count (guint64 count,
              const char *expected)
{
  SAYS (prism_ticks_dup_count (count), expected);
}

/* Up to four digits as on the axes, whatever the language has between thousands. */
TEST (counts, "/app/chart/counts")
{
  assert_count (0, "0");
  assert_count (2720, "2720");
  assert_count (12345, "12\u2009345");
  assert_count (2797431, "2\u2009797\u2009431");
  assert_count (G_MAXUINT64, "18\u2009446\u2009744\u2009073\u2009709\u2009551\u2009615");
}

TEST (ticks_never_exceed_their_number, "/app/chart/ticks-never-exceed-their-number")
{
  for (int max = 2; max < 20; max++)
    for (double high = 1e-6; high < 1e9; high *= 1.37)
      {
        PrismTicks ticks;

        prism_ticks_init_linear (&ticks, -0.31 * high, high, max);
        g_assert_cmpint (ticks.n_major, >=, 1);
        g_assert_cmpint (ticks.n_major, <=, max);
        for (int i = 0; i < ticks.n_major; i++)
          g_assert_true (ticks.major[i] >= -0.311 * high && ticks.major[i] <= 1.001 * high);
      }
}

TEST (values_as_text, "/app/chart/values-as-text")
{
  static const struct
  {
    double value;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { 0.5317, "0.5317" },
    { 12.4, "12.40" },
    { -3, "−3.000" },
    { 31.24e-6, "3.12×10⁻⁵" },
    { 123456, "123456" },
    { NAN, "–" },
    { INFINITY, "∞" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SAYS (prism_ticks_dup_value (cases[i].value), cases[i].text);
    }

  /* Of words, too, but for no name. */
  SAYS (prism_ticks_take_minus (g_strdup (
            "-55 µm (-0.5), x -3, a-4, 2-5, 1e-7, -5,18e+05 (2e-3), run-1e-4 1e-4.png,\u00a0-1"
            " µ1e-3 -0.00")),
        "−55 µm (−0.5), x −3, a-4, 2-5, 1×10⁻⁷, −5,18×10⁵ (2×10⁻³), run-1e-4 1e-4.png,"
        "\u00a0−1 µ1e-3 0.00");
}

/* A text that was cut leaves the next one its lines. */
TEST (cut_text, "/app/chart/cut-text")
{
  g_autoptr (cairo_surface_t) surface
      = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (surface);
  const char *text = "A sentence that is much longer than the room that there is for it.";
  PrismPaint paint;

  prism_paint_init_figure (&paint, cr, FALSE);
  double before = prism_paint_draw_wrapped (&paint, text, 0, 0, 60, FALSE);
  prism_paint_draw_text_within (&paint, text, 0, 0, 0, 60);
  g_assert_cmpfloat (prism_paint_draw_wrapped (&paint, text, 0, 0, 60, FALSE), ==, before);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
}

/* The pixels of a number, where texts run from right to left by themselves or not. */
static cairo_surface_t *
paint_number (const char *text,
              PangoDirection direction,
              double *width)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 120, 40);
  cairo_t *cr = cairo_create (surface);
  PangoLayout *layout = pango_cairo_create_layout (cr);
  const PrismColor black = { 0, 0, 0, 1 };
  PrismPaint paint;

  pango_context_set_base_dir (pango_layout_get_context (layout), direction);
  prism_paint_init (&paint, cr, layout, &black, &black);
  prism_paint_measure (&paint, text, width, NULL);
  prism_paint_draw_text (&paint, text, 4, 4, 0, 0);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

/* In a language from right to left a number is read from left to right, as everywhere. */
TEST (numbers_run_to_the_right, "/app/chart/numbers-run-to-the-right")
{
  static const char *const texts[] = { "−4×10⁻⁷", "10⁻²", "−0.5", "≤ 0" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      double widths[2];
      g_autoptr (cairo_surface_t) left = paint_number (texts[i], PANGO_DIRECTION_LTR, &widths[0]);
      g_autoptr (cairo_surface_t) right = paint_number (texts[i], PANGO_DIRECTION_RTL, &widths[1]);
      gsize size = (gsize) cairo_image_surface_get_stride (left) * 40;

      g_assert_cmpfloat (widths[0], ==, widths[1]);
      g_assert_cmpmem (cairo_image_surface_get_data (left), size,
                       cairo_image_surface_get_data (right), size);
    }
}

/* A value that only belongs to its place; some are absent, two stand out. */
static double
get_wave (guint64 i)
{
  if (i == 777777 || i == 1234567)
    return i == 777777 ? 50 : -50;
  return i % 11 == 0 ? NAN : sin (i * 1e-4) + 0.1 * sin (i * 1.7);
}

static void
assert_thinned (PrismChartSeries *series)
{
  guint64 n = prism_chart_series_get_n_points (series);

  g_assert_cmpuint (n, <=, 131072);
  g_assert_cmpuint (n, >=, 65536);
  for (guint64 i = 0; i < n; i++)
    {
      double x = prism_chart_series_get_x (series, i);
      double y = prism_chart_series_get_y (series, i, FALSE);

      g_assert_true (i == 0 || x > prism_chart_series_get_x (series, i - 1));
      g_assert_true (y == (float) get_wave ((guint64) x) || isnan (get_wave ((guint64) x)));
      g_assert_cmpint (isnan (y), ==, isnan (prism_chart_series_get_y (series, i, TRUE)));
    }
}

/* A curve of two million points keeps what stands out, and not more points than it may; the same
 * density everywhere. */
TEST (long_curves_are_thinned_out, "/app/chart/thinned-out")
{
  g_autoptr (PrismChartSeries) series = prism_chart_series_new ("Long", PRISM_CHART_LEFT);
  PrismChartExtremes found = PRISM_CHART_NO_EXTREMES;

  prism_chart_series_set_smoothing (series, 0.5);
  for (guint64 i = 0; i < 2000000; i++)
    {
      prism_chart_series_append (series, i, get_wave (i));
      if (i == 131070)
        g_assert_cmpuint (prism_chart_series_get_n_points (series), ==, 131071);
      if (i == 131072 || i == 400000 || i == 1048577)
        assert_thinned (series);
    }
  assert_thinned (series);
  guint64 n = prism_chart_series_get_n_points (series);
  prism_chart_series_add_extremes (series, 0, n, FALSE, &found);
  g_assert_cmpfloat (found.minimum, ==, -50);
  g_assert_cmpfloat (found.maximum, ==, 50);
  g_assert_cmpfloat (prism_chart_series_get_x (series, 0), <, 100);
  g_assert_cmpfloat (prism_chart_series_get_x (series, n - 1), >, 2000000 - 100);
  guint64 half = prism_chart_series_find (series, 1000000);
  g_assert_cmpfloat_with_epsilon ((double) half / n, 0.5, 0.01);
  prism_chart_series_clear (series);
  for (guint64 i = 0; i < 100000; i++)
    prism_chart_series_append (series, i, i);
  g_assert_cmpuint (prism_chart_series_get_n_points (series), ==, 100000);
}

/* The average of what is constant is that, whatever was left out. */
TEST (smoothing_of_thinned_curves, "/app/chart/thinned-out-smooth")
{
  g_autoptr (PrismChartSeries) series = prism_chart_series_new ("Flat", PRISM_CHART_LEFT);
  double x = 0;

  for (; x < 300000; x++)
    prism_chart_series_append (series, x, 3);
  for (int repeat = 0; repeat < 2; repeat++)
    {
      prism_chart_series_set_smoothing (series, 0.9);
      for (guint64 i = 0; i < prism_chart_series_get_n_points (series); i += 13)
        g_assert_cmpfloat_with_epsilon (prism_chart_series_get_y (series, i, TRUE), 3, 1e-6);
      for (guint i = 0; i < 300000; i++)
        prism_chart_series_append (series, x++, 3);
      prism_chart_series_set_smoothing (series, 0);
    }
}

TEST (smoothing_is_a_corrected_average, "/app/chart/smoothing-is-a-corrected-average")
{
  static const double y[] = { 4, 2, NAN, 8, 1 };
  g_autoptr (PrismChartSeries) series = prism_chart_series_new ("Smooth", PRISM_CHART_LEFT);
  double average = 0;
  int n = 0;

  for (int i = 0; i < 3; i++)
    prism_chart_series_append (series, i, y[i]);
  prism_chart_series_set_smoothing (series, 0.9);
  for (int i = 3; i < 5; i++)
    prism_chart_series_append (series, i, y[i]);

  for (int i = 0; i < 5; i++)
    {
      if (i == 2)
        {
          g_assert_true (isnan (prism_chart_series_get_y (series, i, TRUE)));
          continue;
        }
      g_assert_cmpfloat (prism_chart_series_get_y (series, i, FALSE), ==, y[i]);
      average = 0.9 * average + 0.1 * y[i];
      n++;
      g_assert_cmpfloat_with_epsilon (prism_chart_series_get_y (series, i, TRUE),
                                      average / (1 - pow (0.9, n)), 1e-6);
    }
  prism_chart_series_set_smoothing (series, 0);
  g_assert_cmpfloat (prism_chart_series_get_y (series, 4, TRUE), ==, 1);
}

TEST (series_is_searched, "/app/chart/series-is-searched")
{
  g_autoptr (PrismChartSeries) series = prism_chart_series_new ("Search", PRISM_CHART_LEFT);
  guint64 i;

  g_assert_false (prism_chart_series_get_nearest (series, 3, &i));
  series->joined = TRUE;
  for (int x = 0; x < 100; x++)
    prism_chart_series_append (series, x, x % 10 == 0 ? x : NAN);
  g_assert_cmpuint (prism_chart_series_get_n_points (series), ==, 10);
  g_assert_cmpuint (prism_chart_series_find (series, 30), ==, 3);
  g_assert_cmpuint (prism_chart_series_find (series, 30.5), ==, 4);
  g_assert_cmpuint (prism_chart_series_find (series, 1000), ==, 10);
  g_assert_true (prism_chart_series_get_nearest (series, 34, &i));
  g_assert_cmpuint (i, ==, 3);
  g_assert_true (prism_chart_series_get_nearest (series, 36, &i));
  g_assert_cmpuint (i, ==, 4);
  g_assert_true (prism_chart_series_get_nearest (series, 1e9, &i));
  g_assert_cmpuint (i, ==, 9);
}
/* Draws a chart, and returns the leftmost place that has ink. */
static double
draw (PrismChartData *data,
      double height,
      PrismChartLayout *layout)
{
  g_autoptr (cairo_surface_t) surface
      = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;
  double left, ignored;

  prism_paint_init_figure (&paint, cr, FALSE);
  prism_chart_layout_init (layout, data, &paint, WIDTH, height, NAN, NAN);
  prism_chart_draw (data, &paint, layout);
  prism_paint_finish (&paint);
  cairo_recording_surface_ink_extents (surface, &left, &ignored, &ignored, &ignored);
  cairo_destroy (cr);
  return left;
}

static PrismChartSeries *
add_curve (PrismChartData *data,
           guint axis)
{
  PrismChartSeries *curve = prism_chart_series_new ("Curve", axis);

  g_ptr_array_add (data->series, curve);
  return curve;
}

/* One number alone is no scale, however low the chart. */
TEST (low_charts_have_scales, "/app/chart/low-charts-have-scales")
{
  static const double ends[][2] = { { 0, 1.02 }, { 25, 52 }, { 0.0388, 0.09 }, { 1.6e-4, 1e-3 } };

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    for (double height = 60; height < 200; height += 7)
      {
        g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
        PrismChartSeries *curve = add_curve (data, PRISM_CHART_LEFT);
        PrismChartLayout layout;

        data->axes[PRISM_CHART_LEFT].logarithmic = i > 1;
        prism_chart_series_append (curve, 1, ends[i][0]);
        prism_chart_series_append (curve, 2, ends[i][1]);
        draw (data, height, &layout);
        g_assert_cmpint (layout.scales[PRISM_CHART_LEFT].ticks.n_major, >=, 2);
      }
}

TEST (axes_follow_the_data, "/app/chart/axes-follow-the-data")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *loss = add_curve (data, PRISM_CHART_LEFT);
  PrismChartSeries *ssim = add_curve (data, PRISM_CHART_RIGHT);
  PrismChartLayout layout;

  data->axes[PRISM_CHART_LEFT].logarithmic = TRUE;
  data->axes[PRISM_CHART_RIGHT].minimum = 0;
  data->axes[PRISM_CHART_RIGHT].maximum = 1;
  prism_chart_series_append (loss, 1, 0);
  prism_chart_series_append (loss, 2, 1e-4);
  prism_chart_series_append (loss, 3, 0.5);
  prism_chart_series_append (ssim, 3, 0.25);
  draw (data, HEIGHT, &layout);

  /* A zero has no place on a logarithmic axis and must not stretch it. */
  g_assert_cmpfloat (layout.scales[PRISM_CHART_LEFT].low, >, 1e-5);
  g_assert_cmpfloat (layout.scales[PRISM_CHART_LEFT].low, <, 1e-4);
  g_assert_cmpfloat (prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 0), ==,
                     layout.top + layout.height);
  g_assert_cmpfloat (layout.first, ==, 1);
  g_assert_cmpfloat (layout.last, ==, 3);
  g_assert_cmpfloat_with_epsilon (prism_chart_layout_get_y (&layout, PRISM_CHART_RIGHT, 0.25),
                                  layout.top + 0.75 * layout.height, 1e-9);
  double x = prism_chart_layout_get_x (&layout, 1.7);
  g_assert_cmpfloat_with_epsilon (prism_chart_layout_get_step (&layout, x), 1.7, 1e-9);
}

/* A run without training has no losses: their axis would count nothing. */
TEST (axis_without_values, "/app/chart/axis-without-values")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *loss = add_curve (data, PRISM_CHART_LEFT);
  PrismChartSeries *misfit = add_curve (data, PRISM_CHART_RIGHT);
  PrismChartLayout layout;

  for (int i = 0; i < 3; i++)
    {
      if (i == 1)
        prism_chart_series_append (misfit, 1, 0.5);
      if (i > 0)
        prism_chart_series_append (loss, i - 1, i == 1 ? NAN : 0.5);
      draw (data, HEIGHT, &layout);
      g_assert_true (layout.scales[PRISM_CHART_LEFT].shown == (i != 1));
      g_assert_true (layout.scales[PRISM_CHART_RIGHT].shown == (i > 0));
    }
}

/* The steps begin at zero, and there are as many numbers below them as have room. */
TEST (numbers_of_steps, "/app/chart/numbers-of-steps")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *psnr = add_curve (data, PRISM_CHART_LEFT);
  PrismChartLayout layout;

  for (int step = 1; step <= 4200; step++)
    {
      prism_chart_series_append (psnr, step, 20);
      if (step % 700 != 0)
        continue;
      draw (data, HEIGHT, &layout);
      g_assert_cmpfloat (layout.first, ==, 0);
      g_assert_cmpfloat (layout.x_ticks.major[0], ==, 0);
      g_assert_cmpint (layout.x_ticks.n_major, >=, 4);
      g_assert_cmpfloat (layout.x_ticks.step * layout.width / layout.last, >=, 30);
    }
}

/* Some passes at the end of thousands of steps have room of their own, and the scale stays one
 * that can be read backwards. */
TEST (polish_has_width, "/app/chart/polish-has-width")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *psnr = add_curve (data, PRISM_CHART_LEFT);
  PrismChartLayout layout;

  for (int step = 1; step <= 4000; step++)
    prism_chart_series_append (psnr, step, 20);
  data->polish = 4000;
  draw (data, HEIGHT, &layout);
  g_assert_cmpfloat (layout.bend, ==, layout.last);

  for (int pass = 1; pass <= 40; pass++)
    prism_chart_series_append (psnr, 4000 + pass, 20 + pass);
  draw (data, HEIGHT, &layout);
  double begin = prism_chart_layout_get_x (&layout, 4000);
  g_assert_cmpfloat (prism_chart_layout_get_x (&layout, 4040) - begin, >, 0.2 * layout.width);
  for (double step = 1; step < 4040; step += 0.7)
    {
      double x = prism_chart_layout_get_x (&layout, step);

      g_assert_cmpfloat (x, <, prism_chart_layout_get_x (&layout, step + 0.7));
      g_assert_cmpfloat_with_epsilon (prism_chart_layout_get_step (&layout, x), step, 1e-6);
    }
  for (int i = 0; i < layout.x_ticks.n_major; i++)
    g_assert_cmpfloat (layout.x_ticks.major[i], <=, 4000);

  prism_chart_data_clear (data);
  g_assert_true (isnan (data->polish));
}

/* Before hundreds of passes one step has no width: its title is whole, and the numbers of its ends
 * do not stand on each other. */
TEST (one_step_before_passes, "/app/chart/one-step-before-passes")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *misfit = add_curve (data, PRISM_CHART_RIGHT);
  PrismChartLayout layout;

  g_free (data->x_title);
  data->x_title = g_strdup ("Step");
  data->polish = 1;
  for (int step = 1; step <= 402; step++)
    prism_chart_series_append (misfit, step, 1.0 / step);
  g_assert_cmpfloat (draw (data, HEIGHT, &layout), >=, -1);
  g_assert_cmpint (layout.x_ticks.n_major, ==, 1);
  g_assert_cmpfloat (layout.x_ticks.major[0], ==, 0);
}

static PrismHistory *
create_history (guint64 n_rows)
{
  PrismHistory *history = prism_history_new ();

  for (guint64 i = 0; i < n_rows; i++)
    {
      PrismHistoryRow row = {
        .step = i + 1,
        .sample = i < 10 ? -1 : (gint32) (i - 10) / 10,
        .loss_new = 1.0 / (i + 1),
        .metrics.psnr = i % 5 == 0 ? i : NAN,
      };

      g_assert_true (prism_history_append (history, &row));
    }
  return history;
}

static PrismChart *
create_chart (void)
{
  PrismChart *chart = PRISM_CHART (widget_test_new_chart ("Loss"));
  PrismChartSeries *psnr;

  prism_chart_set_axis (chart, PRISM_CHART_LEFT, "loss", TRUE, NAN, NAN);
  prism_chart_set_axis (chart, PRISM_CHART_RIGHT, "PSNR / dB", FALSE, NAN, NAN);
  prism_chart_add_field (chart, "New", PRISM_CHART_LEFT,
                         G_STRUCT_OFFSET (PrismHistoryRow, loss_new), 100, PRISM_CHART_ALL_ROWS);
  psnr = prism_chart_add_field (chart, "PSNR", PRISM_CHART_RIGHT,
                                G_STRUCT_OFFSET (PrismHistoryRow, metrics.psnr), 1,
                                PRISM_CHART_ALL_ROWS);
  psnr->joined = TRUE;
  return chart;
}

TEST (history_is_read_as_it_grows, "/app/chart/history-is-read-as-it-grows")
{
  g_autoptr (PrismChart) chart = g_object_ref_sink (create_chart ());
  PrismChartData *data = chart->data;
  PrismChartSeries *loss = prism_chart_data_get_series (data, 0);
  g_autoptr (PrismHistory) history = create_history (100);
  g_autoptr (PrismHistory) other = create_history (7);

  prism_chart_set_history (chart, history, 30);
  g_assert_cmpuint (prism_chart_series_get_n_points (loss), ==, 30);
  g_assert_cmpfloat_with_epsilon (prism_chart_series_get_y (loss, 29, FALSE), 100.0 / 30, 1e-6);
  g_assert_cmpuint (prism_chart_series_get_n_points (prism_chart_data_get_series (data, 1)), ==, 6);
  prism_chart_set_history (chart, history, 30);
  prism_chart_set_history (chart, history, 100);
  g_assert_cmpuint (prism_chart_series_get_n_points (loss), ==, 100);
  for (int i = 0; i < 100; i++)
    g_assert_cmpfloat (prism_chart_series_get_x (loss, i), ==, i + 1);
  /* The start phase and nine samples. */
  g_assert_cmpuint (data->marks->len, ==, 10);

  prism_chart_set_history (chart, other, 7);
  g_assert_cmpuint (prism_chart_series_get_n_points (loss), ==, 7);
  prism_chart_set_history (chart, NULL, 0);
  g_assert_cmpuint (prism_chart_series_get_n_points (loss), ==, 0);
}

TEST (run_begins_anew, "/app/chart/begins-anew")
{
  /* Passes without training that did not explain the measurements, the training, passes again. */
  static const gint32 samples[] = { -3, -3, -2, -2, -1, -1, 0, 0, 1, 1, -2, -2 };
  g_autoptr (PrismChart) chart
      = PRISM_CHART (g_object_ref_sink (prism_quantity_new_chart ("losses")));
  PrismChartData *data = chart->data;
  PrismChartSeries *misfit = prism_chart_data_get_series (data, 2);
  g_autoptr (PrismHistory) history = prism_history_new ();

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      PrismHistoryRow row
          = { .step = i + 1, .sample = samples[i], .loss_new = 1.0 / (i + 1), .loss_old = NAN };

      g_assert_true (prism_history_append (history, &row));
    }

  prism_chart_set_history (chart, history, 4);
  g_assert_cmpfloat (data->polish, ==, 2);
  /* What comes now is no polish. */
  prism_chart_set_history (chart, history, 8);
  g_assert_true (isnan (data->polish));
  prism_chart_set_history (chart, history, 12);
  g_assert_cmpfloat (data->polish, ==, 10);
  /* Two rounds and two passes, a gap, two passes. */
  g_assert_cmpuint (prism_chart_series_get_n_points (misfit), ==, 7);
  g_assert_true (isnan (prism_chart_series_get_y (misfit, 4, FALSE)));
  g_assert_false (isnan (prism_chart_series_get_y (misfit, 5, FALSE)));
}

TEST (long_history_is_read_in_pieces, "/app/chart/long-history-is-read-in-pieces")
{
  g_autoptr (PrismChart) chart = g_object_ref_sink (create_chart ());
  PrismChartSeries *loss = prism_chart_data_get_series (chart->data, 0);
  g_autoptr (PrismHistory) history = create_history (120000);

  prism_chart_set_history (chart, history, 120000);
  g_assert_cmpuint (prism_chart_series_get_n_points (loss), <, 120000);
  WAIT_FOR (prism_chart_series_get_n_points (loss) == 120000);
  for (guint64 i = 0; i < 120000; i++)
    g_assert_cmpfloat (prism_chart_series_get_x (loss, i), ==, i + 1);
}

/* Seconds have parts, steps have none. */
TEST (cursor_says_time, "/app/chart/cursor-says-time")
{
  g_autoptr (PrismChart) chart = g_object_ref_sink (create_chart ());
  PrismChartData *data = chart->data;

  SAYS (prism_chart_cursor_dup_text (data, 1.25), "Step 1");
  data->continuous = TRUE;
  g_autofree char *time = prism_chart_cursor_dup_text (data, 1.25);
  g_assert_true (g_str_has_prefix (time, "Step 1.25"));
}

static const char *
get_hover_text (PrismChart *chart)
{
  return PRISM_CHART_PLOT (widget_test_get_part (chart, "plot"))->hover_text;
}

TEST (cursor_says_values, "/app/chart/cursor-says-values")
{
  g_autoptr (PrismChart) chart = g_object_ref_sink (create_chart ());
  g_autoptr (PrismHistory) history = create_history (100);

  prism_chart_set_history (chart, history, 100);
  prism_chart_add_series (chart, "Target", PRISM_CHART_LEFT); /* that is not known */
  prism_timeline_set_cursor (chart->plot->timeline, 49.7);
  g_assert_cmpstr (get_hover_text (chart), ==, "Step 50 · Positions: New 2.000, PSNR 45.00");
  prism_timeline_set_cursor (chart->plot->timeline, NAN);
  g_assert_null (get_hover_text (chart));
}

/* The next value is nearer, and of a later moment. */
TEST (moment_has_its_own_values, "/app/chart/moment-has-its-own-values")
{
  g_autoptr (PrismChart) chart
      = g_object_ref_sink (PRISM_CHART (widget_test_new_chart ("Quality")));
  g_autoptr (PrismHistory) history = create_history (100);
  PrismChartSeries *psnr
      = prism_chart_add_field (chart, "PSNR", PRISM_CHART_LEFT,
                               G_STRUCT_OFFSET (PrismHistoryRow, metrics.psnr), 1,
                               PRISM_CHART_ALL_ROWS);

  psnr->joined = TRUE;
  prism_chart_set_history (chart, history, 100);
  prism_timeline_set_moment (chart->plot->timeline, 14);
  g_assert_cmpstr (get_hover_text (chart), ==, "Step 14 · Positions: PSNR 10.00");
}

/* Whether something in the line above the plot is blue, as the first curve, or orange. */
static void
find_colors (GtkWidget *plot,
             gboolean *blue,
             gboolean *orange)
{
  g_autoptr (cairo_surface_t) surface = widget_test_render (plot);

  *blue = *orange = FALSE;
  for (int y = 0; y < 12; y++)
    for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
      {
        guint32 pixel = widget_test_get_pixel (surface, x, y);
        int difference = (int) (pixel & 0xff) - (int) (pixel >> 16 & 0xff);

        *blue = *blue || difference > 80;
        *orange = *orange || difference < -80;
      }
}

/* In a chart as narrow as those of a small window, too. */
TEST (moment_has_all_values, "/app/chart/moment-has-all-values")
{
  PrismChart *chart = create_chart ();
  g_autoptr (PrismHistory) history = create_history (100);
  g_autoptr (ShownWindow) window = widget_test_show (GTK_WIDGET (chart), 220, 200);
  GtkWidget *plot = GTK_WIDGET (chart->plot);
  gboolean blue, orange;

  prism_chart_set_axis (chart, PRISM_CHART_LEFT, "Loss in a title", TRUE, NAN, NAN);
  prism_chart_set_axis (chart, PRISM_CHART_RIGHT, "PSNR / dB", FALSE, NAN, NAN);
  prism_chart_set_history (chart, history, 100);
  for (int i = 0; i < 2; i++)
    {
      if (i == 1)
        prism_timeline_set_moment (chart->plot->timeline, 50);
      find_colors (plot, &blue, &orange);
      g_assert_cmpint (blue, ==, i);
      g_assert_cmpint (orange, ==, i);
    }
}

TEST (keys_and_accessibility, "/app/chart/keys-and-accessibility")
{
  PrismChart *chart = create_chart ();
  g_autoptr (PrismHistory) history = create_history (1000);
  g_autoptr (ShownWindow) window = widget_test_show (GTK_WIDGET (chart), 500, 250);
  GtkWidget *plot = GTK_WIDGET (chart->plot);
  PrismTimeline *timeline = chart->plot->timeline;

  gtk_test_accessible_assert_role (plot, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (plot, GTK_ACCESSIBLE_PROPERTY_LABEL, "Loss, chart, empty");
  g_assert_false (widget_test_press (plot, GDK_KEY_Left, 0));
  prism_chart_set_history (chart, history, 1000);
  gtk_test_accessible_assert_property (plot, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Loss, chart, Step 1 to 1000");
  cairo_surface_destroy (widget_test_render (plot));

  g_assert_true (widget_test_press (plot, GDK_KEY_Left, 0));
  g_assert_cmpfloat (timeline->cursor, ==, 1000);
  widget_test_press (plot, GDK_KEY_Left, 0);
  g_assert_cmpfloat (timeline->cursor, ==, 999);
  widget_test_press (plot, GDK_KEY_Home, 0);
  g_assert_cmpfloat (timeline->cursor, ==, 1);

  g_assert_true (isnan (timeline->first));
  prism_timeline_set_cursor (timeline, 301);
  widget_test_press (plot, GDK_KEY_plus, 0);
  g_assert_cmpfloat_with_epsilon (timeline->first, 301 - 301 / 1.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (timeline->last, 767, 1e-9);
  widget_test_press (plot, GDK_KEY_0, 0);
  g_assert_true (isnan (timeline->first));
  g_assert_true (widget_test_press (plot, GDK_KEY_Escape, 0));
  g_assert_false (widget_test_press (plot, GDK_KEY_Escape, 0));
}

static gboolean
has_name (PrismChart *chart,
          const char *name)
{
  g_autofree char *different = gtk_test_accessible_check_property (
      GTK_ACCESSIBLE (chart->plot), GTK_ACCESSIBLE_PROPERTY_LABEL, name);

  return different == NULL;
}

/* Also while the focus is elsewhere. */
TEST (name_follows_the_values, "/app/chart/name-follows-the-values")
{
  PrismChart *chart = create_chart ();
  g_autoptr (PrismHistory) history = create_history (1000);
  g_autoptr (ShownWindow) window = widget_test_show (GTK_WIDGET (chart), 500, 250);

  prism_chart_set_history (chart, history, 49);
  g_assert_true (has_name (chart, "Loss, chart, Step 1 to 49"));
  prism_chart_set_history (chart, history, 1000);
  WAIT_FOR (has_name (chart, "Loss, chart, Step 1 to 1000"));
}

/* All that it shows is inside. */
static void
assert_apart (GtkWidget *box)
{
  graphene_rect_t of_a, of_b;

  for (GtkWidget *a = gtk_widget_get_first_child (box); a != NULL;
       a = gtk_widget_get_next_sibling (a))
    {
      g_assert_true (gtk_widget_compute_bounds (a, box, &of_a));
      g_assert_cmpfloat (of_a.origin.y + of_a.size.height, <=, gtk_widget_get_height (box) + 0.5);
      for (GtkWidget *b = gtk_widget_get_next_sibling (a); b != NULL;
           b = gtk_widget_get_next_sibling (b))
        {
          g_assert_true (gtk_widget_compute_bounds (b, box, &of_b));
          g_assert_false (graphene_rect_intersection (&of_a, &of_b, NULL));
        }
    }
}

/* As wide as a chart is in a window of 900 by 600, and narrower. */
TEST (legend_is_whole, "/app/chart/legend-is-whole")
{
  static const char *const names[] = { "FRC", "Measured", "½ bit", "Another long name" };
  static const int widths[] = { 240, 190, 140 };

  for (gsize i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      GtkWidget *chart = widget_test_new_chart ("Correlation");
      g_autoptr (ShownWindow) window = widget_test_show (chart, widths[i], 190);
      GtkWidget *legend = FIND (chart, gtk_widget_has_css_class (it, "prism-legend"));

      for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
        prism_chart_add_series (PRISM_CHART (chart), names[k], PRISM_CHART_LEFT);
      WAIT_FOR (gtk_widget_get_width (legend) > 0);
      g_assert_cmpint (gtk_widget_get_width (chart), <, widths[i] + 40);
      for (GtkWidget *it = legend; it != NULL; it = widget_test_next (legend, it))
        g_assert_false (GTK_IS_LABEL (it)
                        && pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (it))));
      assert_apart (legend);
    }
}

TEST (is_freed, "/app/chart/is-freed")
{
  PrismChart *chart = create_chart ();
  g_autoptr (PrismHistory) history = create_history (120000);

  /* With rows that still wait to be read. */
  prism_chart_set_history (chart, history, 120000);
  widget_test_assert_freed (GTK_WIDGET (chart));
}

/* A long title gives way to the buttons beside it. */
TEST (long_title, "/app/chart/long-title")
{
  g_autoptr (GtkWidget) brief = g_object_ref_sink (widget_test_new_chart ("A"));
  g_autoptr (GtkWidget) wordy
      = g_object_ref_sink (widget_test_new_chart ("A title of many words, in German"));
  int least, width;

  gtk_widget_measure (brief, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (wordy, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  g_assert_cmpint (width, <=, least + 30);
}
