#include "config.h"

#include "prism-chart-draw.h"

#include "prism-test.h"
#include "widget-test.h"

#define WIDTH 400
#define HEIGHT 200
/* More values than columns, as is every curve soon. */
#define MANY 20000

/* Draws a chart onto white, or of its first series the curve without symbols; the surface is to be
 * destroyed. */
static cairo_surface_t *
draw (PrismChartData *data,
      gboolean curve_only,
      PrismChartLayout *layout)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  PrismPaint paint;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  prism_chart_layout_init (layout, data, &paint, WIDTH, HEIGHT, NAN, NAN);
  if (curve_only)
    prism_chart_curve_draw_faint (prism_chart_data_get_series (data, 0), 0, &paint, layout);
  else
    prism_chart_draw (data, &paint, layout);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static cairo_surface_t *
draw_chart (PrismChartData *data,
            PrismChartLayout *layout)
{
  return draw (data, FALSE, layout);
}

/* The first colour of the palette: blue without red. */
static gboolean
is_first_color (guint32 pixel)
{
  return (pixel & 0xff) > 150 && (pixel >> 16 & 0xff) < 110;
}

/* Thin, slanted and faint lines are paler. */
static gboolean
is_lit (cairo_surface_t *surface,
        int x,
        int y)
{
  guint32 pixel = widget_test_get_pixel (surface, x, y);

  return (int) (pixel & 0xff) - (int) (pixel >> 16 & 0xff) > 20;
}

static gboolean
has_first_color (cairo_surface_t *surface,
                 int x,
                 int y)
{
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (is_first_color (widget_test_get_pixel (surface, x + dx, y + dy)))
        return TRUE;
  return FALSE;
}

/* One value out of a million that stands out is seen, wherever it is. */
TEST (a_single_spike_is_painted, "/app/chart-curve/a-single-spike-is-painted")
{
  static const guint64 spikes[] = { 3, 499999, 765432, 999990 };

  for (gsize i = 0; i < G_N_ELEMENTS (spikes); i++)
    {
      g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
      PrismChartSeries *series = prism_chart_series_new ("Spike", PRISM_CHART_LEFT);
      PrismChartLayout layout;
      cairo_surface_t *surface;
      double x;
      double y;

      g_ptr_array_add (data->series, series);
      for (guint64 step = 0; step < 1000000; step++)
        prism_chart_series_append (series, step, step == spikes[i] ? 10 : 1 + 0.1 * (step % 7));
      surface = draw_chart (data, &layout);
      x = prism_chart_layout_get_x (&layout, spikes[i]);
      y = prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 10);
      g_assert_true (has_first_color (surface, (int) x, (int) y + 2));
      g_assert_true (has_first_color (surface, (int) x, (int) y + 40));
      g_assert_false (has_first_color (surface, (int) x < WIDTH / 2 ? (int) x + 20 : (int) x - 20,
                                       (int) y + 20));
      cairo_surface_destroy (surface);
    }
}

/* What curves do: to and fro, up and down, steps, gaps of no values between, all of these. */
typedef double (*Shape) (int i, int n, GRand *random);

static double
get_noise (int i,
           int n,
           GRand *random)
{
  return 1 + g_rand_double (random);
}

static double
get_ramps (int i,
           int n,
           GRand *random)
{
  return 1 + (double) (5 * i % n) / n;
}

static double
get_steps (int i,
           int n,
           GRand *random)
{
  return 1 + (7 * i / n) % 2;
}

static double
get_noisy_waves (int i,
                 int n,
                 GRand *random)
{
  return 2 + sin (12.0 * i / n) + (i < n / 2 ? 0 : 0.4 * g_rand_double (random))
         + (g_rand_int_range (random, 0, n / 10) == 0 ? 3 : 0);
}

static const Shape shapes[] = { get_noise, get_ramps, get_steps, get_noisy_waves };
/* From less than a value in each column to hundreds. */
static const int numbers[] = { 120, 380, 500, 800, 1300, MANY };

static PrismChartData *
create_shape (Shape shape,
              int n)
{
  PrismChartData *data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *series = prism_chart_series_new ("Shape", PRISM_CHART_LEFT);
  g_autoptr (GRand) random = g_rand_new_with_seed (n);

  g_ptr_array_add (data->series, series);
  for (int i = 0; i < n; i++)
    prism_chart_series_append (series, i, shape (i, n, random));
  return data;
}

typedef void (*Check) (PrismChartSeries *series,
                       const PrismChartLayout *layout,
                       cairo_surface_t *surface);

/* Each shape in each number of values. */
static void
check_shapes (gboolean curve_only,
              Check check)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
      {
        g_autoptr (PrismChartData) data = create_shape (shapes[s], numbers[k]);
        PrismChartLayout layout;
        cairo_surface_t *surface = draw (data, curve_only, &layout);

        check (prism_chart_data_get_series (data, 0), &layout, surface);
        cairo_surface_destroy (surface);
      }
}

/* Whether the curve is within two pixels: the white rim of a symbol may be upon it. */
static gboolean
is_lit_near (cairo_surface_t *surface,
             int x,
             int y)
{
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      if (is_lit (surface, x + dx, y + dy))
        return TRUE;
  return FALSE;
}

static void
check_values (PrismChartSeries *series,
              const PrismChartLayout *layout,
              cairo_surface_t *surface)
{
  for (guint64 i = 0; i < prism_chart_series_get_n_points (series); i++)
    {
      double x = prism_chart_layout_get_x (layout, prism_chart_series_get_x (series, i));
      double y = prism_chart_layout_get_y (layout, PRISM_CHART_LEFT,
                                           prism_chart_series_get_y (series, i, FALSE));

      g_assert_true (is_lit_near (surface, (int) x, (int) y));
    }
}

/* Each value is under the curve's colour. */
TEST (all_values_are_painted, "/app/chart-curve/all-values-are-painted")
{
  check_shapes (FALSE, check_values);
}

/* The line through all values, thicker than the curve may be. */
static cairo_surface_t *
stroke_all (PrismChartSeries *series,
            const PrismChartLayout *layout)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  for (guint64 i = 0; i < prism_chart_series_get_n_points (series); i++)
    cairo_line_to (cr, prism_chart_layout_get_x (layout, prism_chart_series_get_x (series, i)),
                   prism_chart_layout_get_y (layout, PRISM_CHART_LEFT,
                                             prism_chart_series_get_y (series, i, FALSE)));
  cairo_set_line_width (cr, 4);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_SQUARE);
  cairo_stroke (cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static void
check_nothing_else (PrismChartSeries *series,
                    const PrismChartLayout *layout,
                    cairo_surface_t *surface)
{
  cairo_surface_t *all = stroke_all (series, layout);

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    if (is_lit (surface, i % WIDTH, i / WIDTH))
      g_assert_cmpuint (widget_test_get_pixel (all, i % WIDTH, i / WIDTH), !=, 0);
  cairo_surface_destroy (all);
}

/* Nothing is painted where the curve is not. */
TEST (only_the_curve_is_painted, "/app/chart-curve/only-the-curve-is-painted")
{
  check_shapes (TRUE, check_nothing_else);
}

/* Noise is a closed surface, and a value apart does not open it, wherever in a column it is. */
TEST (noise_is_closed, "/app/chart-curve/noise-is-closed")
{
  for (int at = 0; at < 60; at++)
    {
      g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
      PrismChartSeries *series = prism_chart_series_new ("Noise", PRISM_CHART_LEFT);
      PrismChartLayout layout;
      cairo_surface_t *surface;
      guint32 full;

      g_ptr_array_add (data->series, series);
      for (int i = 0; i < MANY; i++)
        prism_chart_series_append (series, i, i % 900 == at ? 6 : 1 + i % 7 * 0.5);
      surface = draw (data, TRUE, &layout);
      full = widget_test_get_pixel (surface, (int) layout.left + 30,
                                    (int) prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 2));
      for (int x = (int) layout.left + 1; x < layout.left + layout.width - 1; x++)
        for (double value = 1.1; value < 3.9; value += 0.05)
          {
            double y = prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, value);

            g_assert_cmpuint (widget_test_get_pixel (surface, x, (int) y), ==, full);
          }
      cairo_surface_destroy (surface);
    }
}

/* Marks what is lit and touches the pixel. */
static void
flood (cairo_surface_t *surface,
       gboolean *seen,
       int x,
       int y)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (int));
  int at = y * WIDTH + x;

  g_array_append_val (stack, at);
  while (stack->len > 0)
    {
      at = g_array_index (stack, int, stack->len - 1);
      g_array_set_size (stack, stack->len - 1);
      x = at % WIDTH;
      y = at / WIDTH;
      if (x < 1 || y < 1 || x >= WIDTH - 1 || y >= HEIGHT - 1 || seen[at]
          || !is_lit (surface, x, y))
        continue;
      seen[at] = TRUE;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          {
            int next = at + dy * WIDTH + dx;

            g_array_append_val (stack, next);
          }
    }
}

static gboolean
is_seen_in_column (const gboolean *seen,
                   int x)
{
  for (int y = 0; y < HEIGHT; y++)
    if (seen[y * WIDTH + x])
      return TRUE;
  return FALSE;
}

static void
check_one_piece (PrismChartSeries *series,
                 const PrismChartLayout *layout,
                 cairo_surface_t *surface)
{
  g_autofree gboolean *seen = g_new0 (gboolean, WIDTH * HEIGHT);
  int right = (int) layout->left + (int) layout->width - 3;
  int n_apart = 0;

  for (int y = 0; y < HEIGHT; y++)
    flood (surface, seen, right, y);
  for (int x = (int) layout->left + 2; x < right; x++)
    g_assert_true (is_seen_in_column (seen, x));
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    n_apart += !seen[i] && is_lit (surface, i % WIDTH, i / WIDTH);
  g_assert_cmpint (n_apart, ==, 0);
}

/* Wherever lines become columns and columns lines, the curve is one, and goes on to its end. */
TEST (a_curve_is_one, "/app/chart-curve/a-curve-is-one")
{
  check_shapes (TRUE, check_one_piece);
}

TEST (absent_values_leave_a_gap, "/app/chart-curve/absent-values-leave-a-gap")
{
  for (int joined = 0; joined <= 1; joined++)
    {
      g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
      PrismChartSeries *series = prism_chart_series_new ("Gap", PRISM_CHART_LEFT);
      PrismChartLayout layout;
      cairo_surface_t *surface;
      int n_lit = 0;

      g_ptr_array_add (data->series, series);
      series->joined = joined;
      for (int step = 0; step <= 100; step++)
        prism_chart_series_append (series, step, step > 40 && step < 60 ? NAN : 5);
      surface = draw_chart (data, &layout);
      for (int step = 43; step <= 57; step++)
        n_lit += has_first_color (surface, (int) prism_chart_layout_get_x (&layout, step),
                                  (int) prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 5));
      g_assert_cmpint (n_lit, ==, joined ? 15 : 0);
      cairo_surface_destroy (surface);
    }
}

/* In the columns of a dense curve, too, of which some lose only a part of their values. */
TEST (absent_values_of_many_leave_a_gap, "/app/chart-curve/absent-values-of-many-leave-a-gap")
{
  for (int noisy = 0; noisy <= 1; noisy++)
    {
      g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
      PrismChartSeries *series = prism_chart_series_new ("Gap", PRISM_CHART_LEFT);
      PrismChartLayout layout;
      cairo_surface_t *surface;

      g_ptr_array_add (data->series, series);
      for (int i = 0; i < MANY; i++)
        {
          double value = noisy ? 1 + i % 7 : 5 + i % 2 * 0.01;

          prism_chart_series_append (series, i, i > 0.4 * MANY && i < 0.6 * MANY ? NAN : value);
        }
      surface = draw_chart (data, &layout);
      for (int x = (int) layout.left + 1; x < layout.left + layout.width - 1; x++)
        {
          double step = prism_chart_layout_get_step (&layout, x + 0.5);
          int n_lit = 0;

          for (int y = (int) layout.top; y < layout.top + layout.height; y++)
            n_lit += is_lit (surface, x, y);
          if (fabs (step - 0.4 * MANY) > 200 && fabs (step - 0.6 * MANY) > 200)
            g_assert_true ((n_lit == 0) == (step > 0.4 * MANY && step < 0.6 * MANY));
        }
      cairo_surface_destroy (surface);
    }
}

/* Strong pixels of a column within reach of a place, and all of them. */
static void
count_strong (cairo_surface_t *surface,
              const PrismChartLayout *layout,
              int x,
              double place,
              int *n_near,
              int *n_all)
{
  *n_near = *n_all = 0;
  for (int y = (int) layout->top; y < layout->top + layout->height; y++)
    if (is_first_color (widget_test_get_pixel (surface, x, y)))
      {
        *n_near += fabs (y - place) < 8;
        *n_all += 1;
      }
}

/* Values from 1 to 3 of which half are below 1.25: the block is pale, the median in it strong. */
TEST (a_block_has_its_median, "/app/chart-curve/a-block-has-its-median")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  PrismChartSeries *series = prism_chart_series_new ("Noise", PRISM_CHART_LEFT);
  PrismChartLayout layout;
  cairo_surface_t *surface;
  int n_columns = 0;
  int n_right = 0;

  g_ptr_array_add (data->series, series);
  for (int i = 0; i < MANY; i++)
    prism_chart_series_append (series, i, 1 + 2 * pow (g_rand_double (random), 3));
  surface = draw_chart (data, &layout);
  for (int x = (int) layout.left + 8; x < layout.left + layout.width - 8; x++)
    {
      double median = prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 1.25);
      int n_near;
      int n_all;

      count_strong (surface, &layout, x, median, &n_near, &n_all);
      n_columns++;
      n_right += n_near > 0 && n_near == n_all;
      g_assert_true (is_lit (surface, x,
                             (int) prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 2)));
    }
  /* Symbols stand in the other columns, and steep pieces are paler. */
  g_assert_cmpint (n_right, >, 3 * n_columns / 4);
  cairo_surface_destroy (surface);
}

static gboolean
looks_like_untitled (PrismChartData *data)
{
  PrismChartLayout layout;
  cairo_surface_t *titled;
  cairo_surface_t *untitled;
  gboolean same;

  data->axes[PRISM_CHART_LEFT].title = g_strdup ("Memory that is used, in MiB");
  titled = draw_chart (data, &layout);
  g_clear_pointer (&data->axes[PRISM_CHART_LEFT].title, g_free);
  untitled = draw_chart (data, &layout);
  same = memcmp (cairo_image_surface_get_data (titled), cairo_image_surface_get_data (untitled),
                 (gsize) HEIGHT * cairo_image_surface_get_stride (titled))
         == 0;
  cairo_surface_destroy (titled);
  cairo_surface_destroy (untitled);
  return same;
}

/* Two texts never stand in one place. */
TEST (title_yields_to_the_note, "/app/chart-curve/title-yields-to-the-note")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *series = prism_chart_series_new ("Used", PRISM_CHART_LEFT);

  g_ptr_array_add (data->series, series);
  for (int i = 0; i < 20; i++)
    prism_chart_series_append (series, i, i);
  data->note = g_strdup ("Peak 33 MiB");
  g_assert_false (looks_like_untitled (data));
  g_free (data->note);
  data->note = g_strdup ("Peak 33.3 MiB, limit 22.6 GiB on this machine,"
                         " of which half is for others");
  g_assert_true (looks_like_untitled (data));
}

/* A title that is longer than its plot ends with an ellipsis where the plot does. */
TEST (title_ends_with_the_plot, "/app/chart-curve/title-ends-with-the-plot")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *series = prism_chart_series_new ("Misfit", PRISM_CHART_LEFT);
  PrismChartLayout layout;
  cairo_surface_t *surface;
  int n_inked = 0;

  g_ptr_array_add (data->series, series);
  for (int i = 0; i < 20; i++)
    prism_chart_series_append (series, i, i);
  data->axes[PRISM_CHART_LEFT].title
      = g_strdup ("Misfit so far: grows with positions, falls with passes, and is told in a title"
                  " that no chart of this width has room for");
  surface = draw_chart (data, &layout);
  for (int y = 0; y < layout.top - 4; y++)
    for (int x = 0; x < WIDTH; x++)
      if ((widget_test_get_pixel (surface, x, y) & 0xff) < 200)
        {
          g_assert_cmpint (x, <=, (int) (layout.left + layout.width));
          n_inked++;
        }
  g_assert_cmpint (n_inked, >, 100);
  cairo_surface_destroy (surface);
}

/* n steps of which few have a value; joined: as metrics of every few steps are. */
static PrismChartData *
create_sparse (int n,
               const int *steps,
               int n_values,
               gboolean joined)
{
  PrismChartData *data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *series = prism_chart_series_new ("Sparse", PRISM_CHART_LEFT);
  int next = 0;

  series->joined = joined;
  g_ptr_array_add (data->series, series);
  for (int i = 0; i < n; i++)
    {
      gboolean is_there = next < n_values && i == steps[next];

      next += is_there;
      prism_chart_series_append (series, i, is_there ? 1 + next : NAN);
    }
  return data;
}

/* A value between two gaps, the first and the last one, among few steps and among many. */
TEST (a_value_alone_is_seen, "/app/chart-curve/a-value-alone-is-seen")
{
  static const int lengths[] = { 100, MANY };

  for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      int n = lengths[k];
      int steps[] = { 0, n / 3, n / 2, n - 1 };
      g_autoptr (PrismChartData) data = create_sparse (n, steps, G_N_ELEMENTS (steps), FALSE);
      PrismChartLayout layout;
      cairo_surface_t *surface = draw_chart (data, &layout);

      for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
        g_assert_true (has_first_color (
            surface, (int) prism_chart_layout_get_x (&layout, steps[i]),
            (int) prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 2 + i)));
      cairo_surface_destroy (surface);
    }
}

/* One value in a thousand steps stands at its step among them, and so does that of the first. */
TEST (the_only_value_has_its_place, "/app/chart-curve/the-only-value-has-its-place")
{
  static const int lengths[] = { 1000, 1 };

  for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      int n = lengths[k], step = n > 210 ? 210 : 0;
      g_autoptr (PrismChartData) data = create_sparse (n, &step, 1, TRUE);
      PrismChartLayout layout;
      cairo_surface_t *surface = draw_chart (data, &layout);

      g_assert_cmpfloat (layout.first, ==, 0);
      g_assert_cmpfloat (layout.last, ==, MAX (n - 1, 1));
      g_assert_true (has_first_color (surface, (int) prism_chart_layout_get_x (&layout, step),
                                      (int) prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT,
                                                                      2)));
      cairo_surface_destroy (surface);
    }
}

TEST (nothing_but_absent_values_is_empty, "/app/chart-curve/nothing-but-absent-values-is-empty")
{
  g_autoptr (PrismChartData) data = create_sparse (10, NULL, 0, FALSE);
  PrismChartLayout layout;

  cairo_surface_destroy (draw_chart (data, &layout));
  g_assert_true (layout.empty);
}

/* Whether something is written left of the plot at its lower end. */
static gboolean
has_floor_number (cairo_surface_t *surface,
                  const PrismChartLayout *layout)
{
  int bottom = (int) (layout->top + layout->height);

  for (int y = bottom - 3; y <= bottom + 3; y++)
    for (int x = 0; x < layout->left - 2; x++)
      if ((widget_test_get_pixel (surface, x, y) & 0xff) < 150)
        return TRUE;
  return FALSE;
}

/* A logarithmic axis has no place for what is not positive: its lower end is said to be that. */
TEST (zeros_lie_below_a_logarithmic_axis, "/app/chart-curve/zeros-lie-below-a-logarithmic-axis")
{
  static const double values[][3] = { { 0, 0, 0 }, { 1, 0, 0.01 }, { -1, -2, 0.5 }, { 1, 2, 3 } };

  for (gsize k = 0; k < G_N_ELEMENTS (values); k++)
    for (int n = 60; n < MANY; n *= 100)
      {
        g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
        PrismChartSeries *series = prism_chart_series_new ("Zeros", PRISM_CHART_LEFT);
        PrismChartLayout layout;
        cairo_surface_t *surface;
        int x;

        g_ptr_array_add (data->series, series);
        data->axes[PRISM_CHART_LEFT].logarithmic = TRUE;
        for (int i = 0; i < n; i++)
          prism_chart_series_append (series, i, values[k][3 * i / n]);
        surface = draw_chart (data, &layout);
        x = (int) prism_chart_layout_get_x (&layout, n / 2);
        g_assert_true (layout.scales[PRISM_CHART_LEFT].shown);
        g_assert_true (has_first_color (surface, x, (int) (layout.top + layout.height))
                       == (values[k][1] <= 0));
        g_assert_true (has_floor_number (surface, &layout) == (values[k][1] <= 0));
        cairo_surface_destroy (surface);
      }
}

/* What is outside of the part that is shown lies outside, and is drawn to. */
TEST (part_goes_on_beyond, "/app/chart-curve/part-goes-on-beyond")
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled ("", "");
  PrismChartSeries *series = prism_chart_series_new ("Falling", PRISM_CHART_LEFT);
  PrismChartLayout layout;
  cairo_surface_t *surface;
  int y;

  for (int i = 0; i < 9; i++)
    prism_chart_series_append (series, i, i < 5 ? 8 : 8 - 2 * (i - 4));
  g_ptr_array_add (data->series, series);
  data->first = 3;
  data->last = 5;
  surface = draw (data, TRUE, &layout);
  g_assert_cmpfloat (prism_chart_layout_get_x (&layout, 0), <, layout.left);
  g_assert_cmpfloat_with_epsilon (prism_chart_layout_get_x (&layout, 7),
                                  layout.left + 2 * layout.width, 1e-9);
  /* No line back from the point at the right end to the left one. */
  y = (int) prism_chart_layout_get_y (&layout, PRISM_CHART_LEFT, 7);
  for (int x = (int) layout.left + 4; x < layout.left + layout.width / 2; x++)
    g_assert_false (is_lit (surface, x, y));
  cairo_surface_destroy (surface);
}
