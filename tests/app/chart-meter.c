#include "config.h"

#include "prism-chart-draw.h"
#include "stall-process.h"

#include <math.h>
#include <stdio.h>

/* chart-meter: what it takes to draw a chart, in ms of one processor, as one JSON object.
 *
 * The smallest of some drawings counts: the others were disturbed. Sizes are those of a chart in a
 * small window and in a large one on a screen with twice the pixels. */

#define N_DRAWINGS 20
#define N_VALUES 100000

typedef double (*Curve) (int i, GRand *random);

static double
get_noise (int i,
           GRand *random)
{
  return 100 + 30 * g_rand_double (random) + (g_rand_int_range (random, 0, 1000) == 0 ? 200 : 0);
}

/* As the loss of samples that are learned one after the other. */
static double
get_teeth (int i,
           GRand *random)
{
  return exp (-i % 1600 / 400.0 - i / 20000.0) * (0.6 + g_rand_double (random));
}

static double
get_smooth (int i,
            GRand *random)
{
  return 20 + 10 * log10 (1 + i / 100.0);
}

static PrismChartData *
create_data (Curve curve,
             int n_values,
             int n_series,
             gboolean logarithmic)
{
  PrismChartData *data = prism_chart_data_new_titled ("", "");
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  data->axes[PRISM_CHART_LEFT].logarithmic = logarithmic;
  for (int k = 1; k <= n_series; k++)
    {
      PrismChartSeries *series = prism_chart_series_new ("Curve", PRISM_CHART_LEFT);

      g_ptr_array_add (data->series, series);
      for (int i = 0; i < n_values; i++)
        prism_chart_series_append (series, i, k * curve (i, random));
    }
  return data;
}

static double
draw (PrismChartData *data,
      cairo_surface_t *surface,
      int width,
      int height)
{
  cairo_t *cr = cairo_create (surface);
  PrismChartLayout layout;
  PrismPaint paint;

  prism_paint_init_figure (&paint, cr, FALSE);
  double begin = stall_process_get_thread_time ();
  prism_chart_layout_init (&layout, data, &paint, width, height, NAN, NAN);
  prism_chart_draw (data, &paint, &layout);
  double time = stall_process_get_thread_time () - begin;
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  return time;
}

static double
measure (PrismChartData *data,
         int width,
         int height,
         int scale)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * scale,
                                                         height * scale);
  double least = INFINITY;

  cairo_surface_set_device_scale (surface, scale, scale);
  for (int i = 0; i < N_DRAWINGS; i++)
    least = MIN (least, draw (data, surface, width, height));
  cairo_surface_destroy (surface);
  return least;
}

int
main (void)
{
  static const struct
  {
    const char *name;
    Curve curve;
    int n_values, n_series;
    gboolean logarithmic;
  } charts[] = {
    { "noise", get_noise, N_VALUES, 1, FALSE },
    { "noise_400_values", get_noise, 400, 1, FALSE },
    { "teeth", get_teeth, N_VALUES, 3, TRUE },
    { "smooth", get_smooth, N_VALUES, 1, FALSE },
  };

  printf ("{\n");
  for (gsize i = 0; i < G_N_ELEMENTS (charts); i++)
    {
      g_autoptr (PrismChartData) data = create_data (charts[i].curve, charts[i].n_values,
                                                     charts[i].n_series, charts[i].logarithmic);

      printf ("  \"%s\": {\"small_ms\": %.2f, \"large_ms\": %.2f}%s\n", charts[i].name,
              measure (data, 236, 198, 1), measure (data, 500, 400, 2),
              i + 1 < G_N_ELEMENTS (charts) ? "," : "");
    }
  printf ("}\n");
  return 0;
}
