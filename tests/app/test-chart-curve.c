#include "prism-chart-draw.h"
#include "prism-test.h"
#include "widget-test.h"

#define WIDTH 400
#define HEIGHT 200
/* More values than columns, as is every curve soon. */
#define MANY 20000

/* A chart of one curve, and what it looks like once it is drawn. */
typedef struct
{
  PrismChartData *data;
  PrismChartSeries *series;
  PrismChartLayout layout;
  cairo_surface_t *surface; /* (nullable) */
} Drawing;

static void
drawing_clear (Drawing *self)
{
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  prism_chart_data_free (self->data);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drawing, drawing_clear)

static Drawing
drawing_new (void)
{
  Drawing self = { prism_chart_data_new_titled ("", ""),
                   prism_chart_series_new ("Curve", PRISM_CHART_LEFT) };

  g_ptr_array_add (self.data->series, self.series);
  return self;
}

/* Draws the chart onto white, or the curve without symbols alone. */
static void
draw (Drawing *self,
      gboolean curve_only)
{
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  self->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (self->surface);
  PrismPaint paint;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, FALSE);
  prism_chart_layout_init (&self->layout, self->data, &paint, WIDTH, HEIGHT, NAN, NAN);
  if (curve_only)
    prism_chart_curve_draw_faint (self->series, 0, &paint, &self->layout);
  else
    prism_chart_draw (self->data, &paint, &self->layout);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_flush (self->surface);
}

static int
get_x (const Drawing *self,
       double step)
{
  return (int) prism_chart_layout_get_x (&self->layout, step);
}

static int
get_y (const Drawing *self,
       double value)
{
  return (int) prism_chart_layout_get_y (&self->layout, PRISM_CHART_LEFT, value);
}

/* The first colour of the palette: blue without red. */
static gboolean
is_first_color (guint32 pixel)
{
  return (pixel & 0xff) > 150 && (pixel >> 16 & 0xff) < 110;
}

/* Thin, slanted and faint lines are paler. */
static gboolean
is_lit (const Drawing *self,
        int x,
        int y)
{
  guint32 pixel = widget_test_get_pixel (self->surface, x, y);

  return (int) (pixel & 0xff) - (int) (pixel >> 16 & 0xff) > 20;
}

static gboolean
has_first_color (const Drawing *self,
                 int x,
                 int y)
{
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (is_first_color (widget_test_get_pixel (self->surface, x + dx, y + dy)))
        return TRUE;
  return FALSE;
}

/* One value out of a million that stands out is seen, wherever it is. */
TEST (a_single_spike_is_painted, "/app/chart-curve/a-single-spike-is-painted")
{
  static const guint64 spikes[] = { 3, 499999, 765432, 999990 };

  for (gsize i = 0; i < G_N_ELEMENTS (spikes); i++)
    {
      g_auto (Drawing) self = drawing_new ();

      for (guint64 step = 0; step < 1000000; step++)
        prism_chart_series_append (self.series, step,
                                   step == spikes[i] ? 10 : 1 + 0.1 * (step % 7));
      draw (&self, FALSE);
      int x = get_x (&self, spikes[i]), y = get_y (&self, 10);
      g_assert_true (has_first_color (&self, x, y + 2));
      g_assert_true (has_first_color (&self, x, y + 40));
      g_assert_false (has_first_color (&self, x < WIDTH / 2 ? x + 20 : x - 20, y + 20));
    }
}

/* What curves do: noise, to and fro, up and down, and waves with noise and spikes. */
static double
get_shape (int kind,
           int i,
           int n,
           GRand *random)
{
  switch (kind)
    {
    case 0:
      return 1 + g_rand_double (random);
    case 1:
      return 1 + (double) (5 * i % n) / n;
    case 2:
      return 1 + (7 * i / n) % 2;
    default:
      return 2 + sin (12.0 * i / n) + (i < n / 2 ? 0 : 0.4 * g_rand_double (random))
             + (g_rand_int_range (random, 0, n / 10) == 0 ? 3 : 0);
    }
}

/* Each shape in each number of values, from less than one in each column to hundreds. */
static void
check_shapes (gboolean curve_only,
              void (*check) (const Drawing *self))
{
  static const int numbers[] = { 120, 380, 500, 800, 1300, MANY };

  for (int kind = 0; kind < 4; kind++)
    for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
      {
        g_auto (Drawing) self = drawing_new ();
        g_autoptr (GRand) random = g_rand_new_with_seed (numbers[k]);

        for (int i = 0; i < numbers[k]; i++)
          prism_chart_series_append (self.series, i, get_shape (kind, i, numbers[k], random));
        draw (&self, curve_only);
        check (&self);
      }
}

/* Whether the curve is within two pixels: the white rim of a symbol may be upon it. */
static gboolean
is_lit_near (const Drawing *self,
             int x,
             int y)
{
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      if (is_lit (self, x + dx, y + dy))
        return TRUE;
  return FALSE;
}

static void
check_values (const Drawing *self)
{
  for (guint64 i = 0; i < prism_chart_series_get_n_points (self->series); i++)
    g_assert_true (is_lit_near (self, get_x (self, prism_chart_series_get_x (self->series, i)),
                                get_y (self, prism_chart_series_get_y (self->series, i, FALSE))));
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
check_nothing_else (const Drawing *self)
{
  g_autoptr (cairo_surface_t) all = stroke_all (self->series, &self->layout);

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    if (is_lit (self, i % WIDTH, i / WIDTH))
      g_assert_cmpuint (widget_test_get_pixel (all, i % WIDTH, i / WIDTH), !=, 0);
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
      g_auto (Drawing) self = drawing_new ();

      for (int i = 0; i < MANY; i++)
        prism_chart_series_append (self.series, i, i % 900 == at ? 6 : 1 + i % 7 * 0.5);
      draw (&self, TRUE);
      guint32 full = widget_test_get_pixel (self.surface, (int) self.layout.left + 30,
                                            get_y (&self, 2));
      for (int x = (int) self.layout.left + 1; x < self.layout.left + self.layout.width - 1; x++)
        for (double value = 1.1; value < 3.9; value += 0.05)
          {
            double y = prism_chart_layout_get_y (&self.layout, PRISM_CHART_LEFT, value);

            g_assert_cmpuint (widget_test_get_pixel (self.surface, x, (int) y), ==, full);
          }
    }
}

/* Marks what is lit and touches the pixel. */
static void
flood (const Drawing *self,
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
          || !is_lit (self, x, y))
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
check_one_piece (const Drawing *self)
{
  g_autofree gboolean *seen = g_new0 (gboolean, WIDTH * HEIGHT);
  int right = (int) self->layout.left + (int) self->layout.width - 3;
  int n_apart = 0;

  for (int y = 0; y < HEIGHT; y++)
    flood (self, seen, right, y);
  for (int x = (int) self->layout.left + 2; x < right; x++)
    g_assert_true (is_seen_in_column (seen, x));
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    n_apart += !seen[i] && is_lit (self, i % WIDTH, i / WIDTH);
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
      g_auto (Drawing) self = drawing_new ();
      int n_lit = 0;

      self.series->joined = joined;
      for (int step = 0; step <= 100; step++)
        prism_chart_series_append (self.series, step, step > 40 && step < 60 ? NAN : 5);
      draw (&self, FALSE);
      for (int step = 43; step <= 57; step++)
        n_lit += has_first_color (&self, get_x (&self, step),
                                  get_y (&self, 5));
      g_assert_cmpint (n_lit, ==, joined ? 15 : 0);
    }
}

/* In the columns of a dense curve, too, of which some lose only a part of their values. */
TEST (absent_values_of_many_leave_a_gap, "/app/chart-curve/absent-values-of-many-leave-a-gap")
{
  for (int noisy = 0; noisy <= 1; noisy++)
    {
      g_auto (Drawing) self = drawing_new ();

      for (int i = 0; i < MANY; i++)
        {
          double value = noisy ? 1 + i % 7 : 5 + i % 2 * 0.01;

          prism_chart_series_append (self.series, i,
                                     i > 0.4 * MANY && i < 0.6 * MANY ? NAN : value);
        }
      draw (&self, FALSE);
      for (int x = (int) self.layout.left + 1; x < self.layout.left + self.layout.width - 1; x++)
        {
          double step = prism_chart_layout_get_step (&self.layout, x + 0.5);
          int n_lit = 0;

          for (int y = (int) self.layout.top; y < self.layout.top + self.layout.height; y++)
            n_lit += is_lit (&self, x, y);
          if (fabs (step - 0.4 * MANY) > 200 && fabs (step - 0.6 * MANY) > 200)
            g_assert_true ((n_lit == 0) == (step > 0.4 * MANY && step < 0.6 * MANY));
        }
    }
}

/* Strong pixels of a column within reach of a place, and all of them. */
static void
count_strong (const Drawing *self,
              int x,
              double place,
              int *n_near,
              int *n_all)
{
  *n_near = *n_all = 0;
  for (int y = (int) self->layout.top; y < self->layout.top + self->layout.height; y++)
    if (is_first_color (widget_test_get_pixel (self->surface, x, y)))
      {
        *n_near += fabs (y - place) < 8;
        *n_all += 1;
      }
}

/* Values from 1 to 3 of which half are below 1.25: the block is pale, the median in it strong. */
TEST (a_block_has_its_median, "/app/chart-curve/a-block-has-its-median")
{
  g_auto (Drawing) self = drawing_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  int n_columns = 0, n_right = 0;

  for (int i = 0; i < MANY; i++)
    prism_chart_series_append (self.series, i, 1 + 2 * pow (g_rand_double (random), 3));
  draw (&self, FALSE);
  for (int x = (int) self.layout.left + 8; x < self.layout.left + self.layout.width - 8; x++)
    {
      double median = prism_chart_layout_get_y (&self.layout, PRISM_CHART_LEFT, 1.25);
      int n_near, n_all;

      count_strong (&self, x, median, &n_near, &n_all);
      n_columns++;
      n_right += n_near > 0 && n_near == n_all;
      g_assert_true (is_lit (&self, x, get_y (&self, 2)));
    }
  /* Symbols stand in the other columns, and steep pieces are paler. */
  g_assert_cmpint (n_right, >, 3 * n_columns / 4);
}

static gboolean
looks_like_untitled (Drawing *self)
{
  self->data->axes[PRISM_CHART_LEFT].title = g_strdup ("Memory that is used, in MiB");
  draw (self, FALSE);
  g_autoptr (cairo_surface_t) titled = g_steal_pointer (&self->surface);
  g_clear_pointer (&self->data->axes[PRISM_CHART_LEFT].title, g_free);
  draw (self, FALSE);
  return memcmp (cairo_image_surface_get_data (titled),
                 cairo_image_surface_get_data (self->surface),
                 (gsize) HEIGHT * cairo_image_surface_get_stride (titled))
         == 0;
}

/* Two texts never stand in one place. */
TEST (title_yields_to_the_note, "/app/chart-curve/title-yields-to-the-note")
{
  g_auto (Drawing) self = drawing_new ();

  for (int i = 0; i < 20; i++)
    prism_chart_series_append (self.series, i, i);
  self.data->note = g_strdup ("Peak 33 MiB");
  g_assert_false (looks_like_untitled (&self));
  g_free (self.data->note);
  self.data->note = g_strdup ("Peak 33.3 MiB, limit 22.6 GiB on this machine,"
                              " of which half is for others");
  g_assert_true (looks_like_untitled (&self));
}

/* A title that is longer than its plot ends with an ellipsis where the plot does. */
TEST (title_ends_with_the_plot, "/app/chart-curve/title-ends-with-the-plot")
{
  g_auto (Drawing) self = drawing_new ();
  int n_inked = 0;

  for (int i = 0; i < 20; i++)
    prism_chart_series_append (self.series, i, i);
  self.data->axes[PRISM_CHART_LEFT].title
      = g_strdup ("Misfit so far: grows with positions, falls with passes, and is told in a title"
                  " that no chart of this width has room for");
  draw (&self, FALSE);
  for (int y = 0; y < self.layout.top - 4; y++)
    for (int x = 0; x < WIDTH; x++)
      if ((widget_test_get_pixel (self.surface, x, y) & 0xff) < 200)
        {
          g_assert_cmpint (x, <=, (int) (self.layout.left + self.layout.width));
          n_inked++;
        }
  g_assert_cmpint (n_inked, >, 100);
}

/* n steps of which few have a value; joined: as metrics of every few steps are. */
static Drawing
draw_sparse (int n,
             const int *steps,
             int n_values,
             gboolean joined)
{
  Drawing self = drawing_new ();
  int next = 0;

  self.series->joined = joined;
  for (int i = 0; i < n; i++)
    {
      gboolean is_there = next < n_values && i == steps[next];

      next += is_there;
      prism_chart_series_append (self.series, i, is_there ? 1 + next : NAN);
    }
  draw (&self, FALSE);
  return self;
}

/* A value between two gaps, the first and the last one, among few steps and among many. */
TEST (a_value_alone_is_seen, "/app/chart-curve/a-value-alone-is-seen")
{
  static const int lengths[] = { 100, MANY };

  for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      int n = lengths[k];
      int steps[] = { 0, n / 3, n / 2, n - 1 };
      g_auto (Drawing) self = draw_sparse (n, steps, G_N_ELEMENTS (steps), FALSE);

      for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
        g_assert_true (has_first_color (&self, get_x (&self, steps[i]), get_y (&self, 2 + i)));
    }
}

/* One value in a thousand steps stands at its step among them, and so does that of the first. */
TEST (the_only_value_has_its_place, "/app/chart-curve/the-only-value-has-its-place")
{
  static const int lengths[] = { 1000, 1 };

  for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      int n = lengths[k], step = n > 210 ? 210 : 0;
      g_auto (Drawing) self = draw_sparse (n, &step, 1, TRUE);

      g_assert_cmpfloat (self.layout.first, ==, 0);
      g_assert_cmpfloat (self.layout.last, ==, MAX (n - 1, 1));
      g_assert_true (has_first_color (&self, get_x (&self, step), get_y (&self, 2)));
    }
}

TEST (nothing_but_absent_values_is_empty, "/app/chart-curve/nothing-but-absent-values-is-empty")
{
  g_auto (Drawing) self = draw_sparse (10, NULL, 0, FALSE);

  g_assert_true (self.layout.empty);
  /* Why it is empty is wrapped, and not cut at both sides. */
  self.data->empty_text = g_strnfill (100, 'm');
  draw (&self, FALSE);
  for (int y = (int) self.layout.top; y < self.layout.top + self.layout.height - 4; y++)
    g_assert_cmpint (widget_test_get_pixel (self.surface, 2, y) & 0xff, >, 200);
}

/* Whether something is written left of the plot at its lower end. */
static gboolean
has_floor_number (const Drawing *self)
{
  int bottom = (int) (self->layout.top + self->layout.height);

  for (int y = bottom - 3; y <= bottom + 3; y++)
    for (int x = 0; x < self->layout.left - 2; x++)
      if ((widget_test_get_pixel (self->surface, x, y) & 0xff) < 150)
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
        g_auto (Drawing) self = drawing_new ();

        self.data->axes[PRISM_CHART_LEFT].logarithmic = TRUE;
        for (int i = 0; i < n; i++)
          prism_chart_series_append (self.series, i, values[k][3 * i / n]);
        draw (&self, FALSE);
        int x = get_x (&self, n / 2);
        g_assert_true (self.layout.scales[PRISM_CHART_LEFT].shown);
        g_assert_true (has_first_color (&self, x, (int) (self.layout.top + self.layout.height))
                       == (values[k][1] <= 0));
        g_assert_true (has_floor_number (&self) == (values[k][1] <= 0));
      }
}

/* What is outside of the part that is shown lies outside, and is drawn to. */
TEST (part_goes_on_beyond, "/app/chart-curve/part-goes-on-beyond")
{
  g_auto (Drawing) self = drawing_new ();

  for (int i = 0; i < 9; i++)
    prism_chart_series_append (self.series, i, i < 5 ? 8 : 8 - 2 * (i - 4));
  self.data->first = 3;
  self.data->last = 5;
  draw (&self, TRUE);
  g_assert_cmpfloat (prism_chart_layout_get_x (&self.layout, 0), <, self.layout.left);
  g_assert_cmpfloat_with_epsilon (prism_chart_layout_get_x (&self.layout, 7),
                                  self.layout.left + 2 * self.layout.width, 1e-9);
  /* No line back from the point at the right end to the left one. */
  int y = get_y (&self, 7);
  for (int x = (int) self.layout.left + 4; x < self.layout.left + self.layout.width / 2; x++)
    g_assert_false (is_lit (&self, x, y));
}
