#include "base/prism-random.h"
#include "prism-test.h"
#include "results/prism-survey.h"

#define N 256

/* Only the fields that surveys read. */
static PrismConfig
make_config (void)
{
  PrismConfig config = { 0 };

  config.image_size = N;
  config.aperture_shape = PRISM_SHAPE_DISK;
  config.aperture_radius = 5.0; /* 81 pixels */
  config.samples = 60;
  config.order = PRISM_ORDER_GIVEN;
  config.star_lines = 4;
  config.pattern_rings = 4;
  config.pattern_turns = 3.0;
  config.pattern_jitter = 0.5;
  config.pattern_file = (char *) "";
  config.pattern_points = (char *) "0, 0; 10, 0";
  return config;
}

static PrismSurvey *
make_survey (const PrismPoint *points, guint n_points, const PrismConfig *config)
{
  g_autoptr (PrismPattern) pattern = prism_pattern_new_points (points, n_points);
  return MUST (prism_survey_new_pattern (pattern, config, &error));
}

TEST (apart, "/engine/survey/apart")
{
  const PrismPoint points[] = { { 0, -100 }, { 0, 90 }, { 0, 30 }, { 0, 50 } };
  PrismConfig config = make_config ();
  g_autoptr (PrismSurvey) survey = make_survey (points, G_N_ELEMENTS (points), &config);

  g_assert_cmpfloat_with_epsilon (survey->coverage, 324.0 / (G_PI * 128.0 * 128.0), 1e-4);
  g_assert_cmpfloat (survey->redundancy, ==, 1.0);
  g_assert_cmpfloat (survey->twice, ==, 0.0);
  g_assert_cmpfloat (survey->neighbour_overlap, ==, 0.0);
  /* 130, 40, 20, 20 */
  g_assert_cmpfloat_with_epsilon (survey->spacing_median, 30.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (survey->spacing_mean, 52.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (survey->spacing_min, 20.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (survey->path_length, 190.0 + 60.0 + 20.0, 1e-9);
}

TEST (same_place, "/engine/survey/same-place")
{
  const PrismPoint points[] = { { 0, 0 }, { 0, 0 } };
  PrismConfig config = make_config ();
  g_autoptr (PrismSurvey) two = make_survey (points, 2, &config);
  g_autoptr (PrismSurvey) one = make_survey (points, 1, &config);

  g_assert_cmpfloat (two->redundancy, ==, 2.0);
  g_assert_cmpfloat (two->twice, ==, 1.0);
  g_assert_cmpfloat (two->neighbour_overlap, ==, 1.0);
  g_assert_cmpfloat (two->spacing_mean, ==, 0.0);
  g_assert_cmpfloat (two->visits->pixels[N / 2 * N + N / 2], ==, 2.0f);
  g_assert_cmpfloat (one->redundancy, ==, 1.0);
  g_assert_cmpfloat (one->neighbour_overlap, ==, 0.0);
  g_assert_cmpfloat (one->spacing_mean, ==, 0.0);
  g_assert_cmpfloat (one->path_length, ==, 0.0);
  g_assert_cmpfloat (one->visits->pixels[N / 2 * N + N / 2], ==, 1.0f);
}

static gboolean
sees (const PrismPoint *point, int row, int column)
{
  return pow (row - N / 2 - point->y, 2) + pow (column - N / 2 - point->x, 2) <= 81.0;
}

static double
get_distance (const PrismPoint *a, const PrismPoint *b)
{
  return hypot (a->y - b->y, a->x - b->x);
}

/* Each number again, by its definition and without any of the code. */
TEST (definition, "/engine/survey/definition")
{
  PrismPoint points[40];
  PrismConfig config = make_config ();
  guint n_covered = 0, n_twice = 0, n_visits = 0;
  double shared = 0.0, spacing = 0.0;

  config.aperture_radius = 9.0;
  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    for (guint k = 0; k < 2; k++)
      (k == 0 ? &points[i].y : &points[i].x)[0]
          = 120.0 * (prism_random_uniform (3, PRISM_STREAM_PATTERN, i, k) - 0.5);
  g_autoptr (PrismSurvey) survey = make_survey (points, G_N_ELEMENTS (points), &config);

  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++)
      {
        guint n = 0;

        for (guint i = 0; i < G_N_ELEMENTS (points); i++)
          n += sees (&points[i], y, x);
        n_visits += n;
        n_covered += n > 0;
        n_twice += n > 1;
        g_assert_cmpfloat (survey->visits->pixels[y * N + x], ==, MIN (n, 2));
      }
  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    {
      double least = INFINITY;
      guint nearest = 0, n_own = 0, n_shared = 0;

      for (guint j = 0; j < G_N_ELEMENTS (points); j++)
        if (j != i && get_distance (&points[i], &points[j]) < least)
          {
            least = get_distance (&points[i], &points[j]);
            nearest = j;
          }
      spacing += least;
      for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
          {
            n_own += sees (&points[i], y, x);
            n_shared += sees (&points[i], y, x) && sees (&points[nearest], y, x);
          }
      shared += (double) n_shared / n_own;
    }
  g_assert_cmpint (survey->diameter, ==, N);
  g_assert_cmpfloat_with_epsilon (survey->plane_coverage, (double) n_covered / (N * N), 1e-12);
  g_assert_cmpfloat_with_epsilon (survey->twice, (double) n_twice / n_covered, 1e-12);
  g_assert_cmpfloat_with_epsilon (survey->redundancy, (double) n_visits / n_covered, 1e-12);
  g_assert_cmpfloat_with_epsilon (survey->neighbour_overlap, shared / G_N_ELEMENTS (points), 1e-12);
  g_assert_cmpfloat_with_epsilon (survey->spacing_mean, spacing / G_N_ELEMENTS (points), 1e-9);
}

TEST (raster_spacing, "/engine/survey/raster")
{
  PrismConfig config = make_config ();

  config.pattern = PRISM_PATTERN_RASTER;
  config.samples = 100;
  g_autoptr (PrismSurvey) survey = prism_survey_new (&config, NULL);
  g_assert_cmpfloat_with_epsilon (survey->spacing_median, 25.6, 1e-9);
  g_assert_cmpfloat_with_epsilon (survey->spacing_mean, 25.6, 1e-9);
  g_assert_cmpfloat_with_epsilon (survey->spacing_min, 25.6, 1e-9);
}

/* What is being typed need not be a field yet. */
TEST (no_field, "/engine/survey/no-field")
{
  PrismConfig config = make_config ();

  config.image_size = 257;
  FAILS (prism_survey_new (&config, &error), CONFIG, "image_size is 257 px");
}

/* Bright at a position, grey where seen, dark elsewhere: also where a tile is larger than k-space
 * and where it is smaller. */
TEST (tile, "/engine/survey/tile")
{
  static const int sizes[] = { 64, 256, 400 };
  const PrismPoint points[] = { { -40, 0 }, { 60, 50 } };
  PrismConfig config = make_config ();

  config.aperture_radius = 20.0;
  g_autoptr (PrismSurvey) survey = make_survey (points, G_N_ELEMENTS (points), &config);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      int s = sizes[i];
      g_autoptr (PrismImage) tile = prism_gallery_draw_tile (survey, &config, s, NULL);
      double scale = s / (double) N;
      int y = (int) (88.5 * scale), x = (int) (128.5 * scale), aside = (int) (12 * scale);
      int middle = (int) (128.5 * scale);

      g_assert_cmpint (tile->width, ==, s);
      g_assert_cmpfloat (tile->pixels[y * s + x], ==, 1.0f);
      g_assert_cmpfloat_with_epsilon (tile->pixels[(y - aside) * s + x], 0.36, 0.01);
      g_assert_cmpfloat_with_epsilon (tile->pixels[middle * s + (int) (20 * scale)], 0.10, 0.01);
    }
}

TEST (sheet_has_every_kind, "/engine/survey/sheet")
{
  PrismConfig config = make_config ();
  g_autoptr (PrismImage) sheet = prism_gallery_draw_sheet (&config, NULL);
  guint n_bright = 0;

  g_assert_cmpuint (prism_gallery_get_n_kinds (), ==, 11);
  /* Ten of them: the file is not named. Three rows of four. */
  g_assert_nonnull (sheet);
  g_assert_cmpint (sheet->width, >, 4 * 260);
  g_assert_cmpint (sheet->height, >, 3 * 260);
  for (int i = 0; i < sheet->width * sheet->height; i++)
    n_bright += sheet->pixels[i] >= 0.9f;
  g_assert_cmpuint (n_bright, >, 10 * 60);
}
