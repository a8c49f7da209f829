#include "../support/test-mask.h"
#include "../support/test-remove-tree.h"
#include "base/prism-number.h"
#include "formats/prism-fields-readers.h"
#include "model/prism-pattern.h"
#include "prism-test.h"

/* Only the fields that patterns read. */
static PrismConfig
make_config (PrismPatternKind kind)
{
  PrismConfig config = { 0 };

  config.image_size = 256;
  config.aperture_shape = PRISM_SHAPE_DISK;
  config.aperture_radius = 10.0;
  config.pattern = kind;
  config.samples = 100;
  config.order = PRISM_ORDER_GIVEN;
  config.star_lines = 4;
  config.pattern_rings = 4;
  config.pattern_turns = 3.0;
  config.pattern_jitter = 0.5;
  config.seed = 7;
  return config;
}

static PrismPattern *
make_pattern (const PrismConfig *config)
{
  PrismPattern *pattern = MUST (prism_pattern_new (config, &error));

  g_assert_nonnull (pattern);
  return pattern;
}

static double
point_radius (const PrismPoint *point)
{
  return hypot (point->y, point->x);
}

static gboolean
has_origin (const PrismPattern *pattern)
{
  for (guint i = 0; i < pattern->n_points; i++)
    if (point_radius (&pattern->points[i]) < 1e-9)
      return TRUE;
  return FALSE;
}

static void
assert_same_points (const PrismPattern *a, const PrismPattern *b)
{
  g_assert_cmpuint (a->n_points, ==, b->n_points);
  g_assert_cmpmem (a->points, a->n_points * sizeof *a->points, b->points,
                   b->n_points * sizeof *b->points);
}

static const char *const golden_files[] = { "small_same.npz", "medium_same.npz" };

TEST_ROWS (fermat_golden, "/engine/pattern/fermat/golden", golden_files)
{
  const char *path = in_folder (g_getenv ("PRISM_TEST_DATA"), *(const char *const *) data);
  g_autoptr (PrismFields) golden = MUST (prism_fields_load_npz (path, &error));
  PrismConfig config = make_config (PRISM_PATTERN_FERMAT);

  const PrismField *image = MUST (prism_fields_find (golden, "config.image"));
  const PrismField *fermat = MUST (prism_fields_find (golden, "fermat"));
  config.image_size = (int) image->values[0];
  config.samples = (int) fermat->shape[0];
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  g_assert_cmpuint (pattern->n_points, ==, fermat->shape[0]);
  for (guint i = 0; i < pattern->n_points; i++)
    {
      g_assert_cmpfloat_with_epsilon (pattern->points[i].y, fermat->values[2 * i], 1e-9);
      g_assert_cmpfloat_with_epsilon (pattern->points[i].x, fermat->values[2 * i + 1], 1e-9);
    }
}

static const struct
{
  const char *name;
  PrismPatternKind kind;
} kinds[] = {
  { "fermat", PRISM_PATTERN_FERMAT },
  { "random-disk", PRISM_PATTERN_RANDOM_DISK },
  { "random-square", PRISM_PATTERN_RANDOM_SQUARE },
  { "raster", PRISM_PATTERN_RASTER },
  { "star", PRISM_PATTERN_STAR },
  { "circles", PRISM_PATTERN_CIRCLES },
  { "archimedean", PRISM_PATTERN_ARCHIMEDEAN },
  { "logarithmic", PRISM_PATTERN_LOGARITHMIC },
  { "jittered", PRISM_PATTERN_JITTERED },
};

TEST_ROWS (every_kind, "/engine/pattern/kind", kinds)
{
  PrismConfig config = make_config (((const typeof (*kinds) *) data)->kind);
  gboolean square = config.pattern == PRISM_PATTERN_RANDOM_SQUARE
                    || config.pattern == PRISM_PATTERN_RASTER
                    || config.pattern == PRISM_PATTERN_JITTERED;
  /* Jitter by half a pitch carries an outermost point of one row a quarter of the side outwards. */
  double limit = square ? 62.5 * sqrt (2.0) : 50.0;

  config.roi = 100;
  for (config.samples = 1; config.samples <= 40; config.samples++)
    {
      g_autoptr (PrismPattern) pattern = make_pattern (&config), again = make_pattern (&config);

      g_assert_cmpuint (pattern->n_points, ==, config.samples);
      g_assert_true (has_origin (pattern));
      for (guint i = 0; i < pattern->n_points; i++)
        {
          g_assert_cmpfloat (point_radius (&pattern->points[i]), <=, limit + 1e-9);
          for (guint j = 0; j < i; j++)
            g_assert_cmpfloat (hypot (pattern->points[i].y - pattern->points[j].y,
                                      pattern->points[i].x - pattern->points[j].x),
                               >, 1e-9);
        }
      assert_same_points (pattern, again);
    }
}

TEST (random_depends_on_the_seed, "/engine/pattern/random/seed")
{
  PrismConfig config = make_config (PRISM_PATTERN_RANDOM_DISK);
  g_autoptr (PrismPattern) one = make_pattern (&config);
  guint n_equal = 0;

  config.seed++;
  g_autoptr (PrismPattern) two = make_pattern (&config);
  for (guint i = 0; i < config.samples; i++)
    n_equal += one->points[i].y == two->points[i].y;
  g_assert_cmpuint (n_equal, <=, 1);
}

/* ρ = R√u: half of the points lie within R/√2, and the angles balance. */
TEST (random_disk_is_uniform, "/engine/pattern/random/disk-uniform")
{
  PrismConfig config = make_config (PRISM_PATTERN_RANDOM_DISK);
  guint n_inside = 0;
  double sum_y = 0.0, sum_x = 0.0;

  config.samples = 10000;
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  for (guint i = 0; i < pattern->n_points; i++)
    {
      n_inside += point_radius (&pattern->points[i]) <= 128.0 / sqrt (2.0);
      sum_y += pattern->points[i].y / pattern->n_points;
      sum_x += pattern->points[i].x / pattern->n_points;
    }
  /* five standard deviations */
  g_assert_cmpint (ABS ((int) n_inside - 5000), <, 250);
  g_assert_cmpfloat (hypot (sum_y, sum_x), <, 5.0);
}

/* Every point is two draws of the pattern's stream, but for the one farthest out, which is at the
 * centre. */
TEST (random_square_by_definition, "/engine/pattern/random/square")
{
  PrismConfig config = make_config (PRISM_PATTERN_RANDOM_SQUARE);
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  double farthest = 0.0;
  guint moved = 0;

  for (guint i = 0; i < pattern->n_points; i++)
    {
      double y = 128.0
                 * (2.0 * prism_random_uniform (config.seed, PRISM_STREAM_PATTERN, i, 0) - 1.0);
      double x = 128.0
                 * (2.0 * prism_random_uniform (config.seed, PRISM_STREAM_PATTERN, i, 1) - 1.0);

      if (hypot (y, x) > farthest)
        {
          farthest = hypot (y, x);
          moved = i;
        }
      if (point_radius (&pattern->points[i]) > 0.0)
        {
          g_assert_cmpfloat_with_epsilon (pattern->points[i].y, y, 1e-9);
          g_assert_cmpfloat_with_epsilon (pattern->points[i].x, x, 1e-9);
        }
    }
  g_assert_cmpfloat (farthest, >, 128.0);
  g_assert_cmpfloat (point_radius (&pattern->points[moved]), ==, 0.0);
}

TEST (raster_is_a_grid, "/engine/pattern/raster/grid")
{
  PrismConfig config = make_config (PRISM_PATTERN_RASTER);
  g_autoptr (PrismPattern) pattern = make_pattern (&config);

  for (guint i = 0; i < 100; i++)
    {
      g_assert_cmpfloat_with_epsilon (pattern->points[i].y, ((int) (i / 10) - 5) * 25.6, 1e-9);
      g_assert_cmpfloat_with_epsilon (pattern->points[i].x, ((int) (i % 10) - 5) * 25.6, 1e-9);
    }
}

TEST (star_lies_on_lines, "/engine/pattern/star/lines")
{
  PrismConfig config = make_config (PRISM_PATTERN_STAR);
  double farthest = 0.0;

  config.star_lines = 3;
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  for (guint i = 1; i < pattern->n_points; i++)
    {
      double thirds = atan2 (pattern->points[i].y, pattern->points[i].x) / (G_PI / 3.0);

      g_assert_cmpfloat_with_epsilon (thirds, round (thirds), 1e-9);
      farthest = prism_worst (farthest, point_radius (&pattern->points[i]));
    }
  g_assert_cmpfloat_with_epsilon (farthest, 128.0, 1e-9);
}

static double
get_angle (const PrismPoint *point)
{
  double angle = atan2 (point->y, point->x);

  return angle < 0.0 ? angle + 2.0 * G_PI : angle;
}

/* Four rings of radius 32, 64, 96 and 128 share 99 points as 1 : 2 : 3 : 4. */
TEST (circles_by_definition, "/engine/pattern/circles")
{
  PrismConfig config = make_config (PRISM_PATTERN_CIRCLES);
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  guint n_on[5] = { 0 };

  for (guint i = 0; i < pattern->n_points; i++)
    {
      double ring = point_radius (&pattern->points[i]) / 32.0;

      g_assert_cmpfloat_with_epsilon (ring, round (ring), 1e-9);
      n_on[(int) round (ring)]++;
    }
  g_assert_cmpuint (n_on[0], ==, 1);
  for (guint ring = 1; ring <= 4; ring++)
    g_assert_cmpfloat (fabs (n_on[ring] - 9.9 * ring), <, 1.0);
}

/* ρ = 128·φ/(6π), and neighbours are equally far apart where the curve is nearly straight. */
TEST (archimedean_by_definition, "/engine/pattern/archimedean")
{
  PrismConfig config = make_config (PRISM_PATTERN_ARCHIMEDEAN);
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  double last = 0.0;

  for (guint i = 1; i < pattern->n_points; i++)
    {
      double turns = 3.0 * point_radius (&pattern->points[i]) / 128.0;
      double angle = get_angle (&pattern->points[i]) / (2.0 * G_PI);
      double step = hypot (pattern->points[i].y - pattern->points[i - 1].y,
                           pattern->points[i].x - pattern->points[i - 1].x);

      g_assert_cmpfloat (fabs (turns - angle - round (turns - angle)), <, 1e-9);
      if (i > 50)
        g_assert_cmpfloat_with_epsilon (step, last, 0.01 * last);
      last = step;
    }
  g_assert_cmpfloat_with_epsilon (point_radius (&pattern->points[99]), 128.0, 1e-9);
}

/* From the aperture's radius outwards each point is farther by the same factor. */
TEST (logarithmic_by_definition, "/engine/pattern/logarithmic")
{
  PrismConfig config = make_config (PRISM_PATTERN_LOGARITHMIC);
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  double factor = pow (12.8, 1.0 / 98.0);

  g_assert_cmpfloat_with_epsilon (point_radius (&pattern->points[1]), 10.0, 1e-9);
  for (guint i = 2; i < pattern->n_points; i++)
    g_assert_cmpfloat_with_epsilon (point_radius (&pattern->points[i])
                                        / point_radius (&pattern->points[i - 1]),
                                    factor, 1e-9);
  g_assert_cmpfloat_with_epsilon (point_radius (&pattern->points[99]), 128.0, 1e-9);
}

TEST (jitter_stays_in_its_cell, "/engine/pattern/jittered")
{
  PrismConfig config = make_config (PRISM_PATTERN_JITTERED);
  g_autoptr (PrismPattern) jittered = make_pattern (&config);
  double farthest = 0.0;

  config.pattern_jitter = 0.0;
  g_autoptr (PrismPattern) still = make_pattern (&config);
  config.pattern = PRISM_PATTERN_RASTER;
  g_autoptr (PrismPattern) raster = make_pattern (&config);
  assert_same_points (still, raster);
  for (guint i = 0; i < raster->n_points; i++)
    {
      double dy = fabs (jittered->points[i].y - raster->points[i].y);
      double dx = fabs (jittered->points[i].x - raster->points[i].x);

      farthest = prism_worst (farthest, prism_worst (dy, dx));
    }
  g_assert_cmpfloat (farthest, <=, 0.25 * 25.6);
  g_assert_cmpfloat (farthest, >, 0.24 * 25.6);
}

TEST (cutoff, "/engine/pattern/cutoff")
{
  PrismConfig config = make_config (PRISM_PATTERN_FERMAT);

  config.pattern_cutoff = 64.0;
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  /* ρ = 128·√(i/100) ≤ 64 */
  g_assert_cmpuint (pattern->n_points, ==, 26);
}

TEST (order_radius, "/engine/pattern/order/radius")
{
  PrismConfig config = make_config (PRISM_PATTERN_RANDOM_SQUARE);

  config.order = PRISM_ORDER_RADIUS;
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  g_assert_cmpfloat (point_radius (&pattern->points[0]), ==, 0.0);
  for (guint i = 1; i < pattern->n_points; i++)
    g_assert_cmpfloat (point_radius (&pattern->points[i]), >=,
                       point_radius (&pattern->points[i - 1]));
}

TEST (order_random, "/engine/pattern/order/random")
{
  PrismConfig config = make_config (PRISM_PATTERN_FERMAT);
  g_autoptr (PrismPattern) given = make_pattern (&config);
  g_autofree double *keys = g_new (double, config.samples);
  guint n_in_place = 0;

  config.order = PRISM_ORDER_RANDOM;
  g_autoptr (PrismPattern) random = make_pattern (&config);
  for (guint i = 0; i < random->n_points; i++)
    {
      n_in_place += random->points[i].y == given->points[i].y;
      keys[i] = point_radius (&random->points[i]);
    }
  g_assert_cmpuint (n_in_place, <, 10);
  g_autoptr (PrismPattern) back = prism_pattern_new_sorted (random, keys);
  assert_same_points (back, given);
}

TEST (sorting_is_stable, "/engine/pattern/order/stable")
{
  const PrismPoint points[] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 } };
  const double keys[] = { 2.0, NAN, 1.0, 2.0, -1.0 };
  const double expected[] = { 4, 2, 0, 3, 1 };
  g_autoptr (PrismPattern) pattern = prism_pattern_new_points (points, G_N_ELEMENTS (points));
  g_autoptr (PrismPattern) sorted = prism_pattern_new_sorted (pattern, keys);

  for (guint i = 0; i < sorted->n_points; i++)
    g_assert_cmpfloat (sorted->points[i].y, ==, expected[i]);
  g_assert_cmpfloat (pattern->points[0].y, ==, 0.0);
}

static void
assert_coverage (const guint8 *plane, int n, int roi)
{
  guint n_inside = 0, n_covered = 0;

  for (int y = -n / 2; y < n / 2; y++)
    for (int x = -n / 2; x < n / 2; x++)
      if (4 * (y * y + x * x) <= roi * roi)
        {
          n_inside++;
          n_covered += plane[(y + n / 2) * n + x + n / 2];
        }
  g_assert_cmpfloat (prism_pattern_get_coverage (plane, n, roi), ==, (double) n_covered / n_inside);
}

TEST (coverage_by_definition, "/engine/pattern/coverage")
{
  const int rois[] = { 1, 2, 41, 63, 64, 80, 200 };
  int n = 64;
  g_autofree guint8 *plane = g_malloc0 (n * n);
  g_autoptr (PrismMask) left = new_box_mask (n, -32, -32, 60, 32);

  prism_mask_accumulate (left, plane);
  for (guint i = 0; i < G_N_ELEMENTS (rois); i++)
    assert_coverage (plane, n, rois[i]);
  g_assert_cmpfloat (prism_pattern_get_coverage (plane, n, 0), ==,
                     prism_pattern_get_coverage (plane, n, 64));
}

TEST (no_samples_is_an_error, "/engine/pattern/no-samples")
{
  PrismConfig config = make_config (PRISM_PATTERN_FERMAT);

  config.samples = 0;
  FAILS (prism_pattern_new (&config, &error), CONFIG, "at least 1 position, not 0");
}

TEST (nothing_within_cutoff_is_an_error, "/engine/pattern/cutoff/nothing-left")
{
  PrismConfig config = make_config (PRISM_PATTERN_HAND);

  config.pattern_points = "10, 0; 0, 12";
  config.pattern_cutoff = 5.0;
  FAILS (prism_pattern_new (&config, &error), CONFIG, "pattern_cutoff");
}

/* Text and CSV keep every digit; the number of samples is the list's. */
TEST (points_round_trip, "/engine/pattern/points/round-trip")
{
  PrismConfig config = make_config (PRISM_PATTERN_FERMAT);
  g_autoptr (PrismPattern) pattern = make_pattern (&config);
  g_autofree char *text = prism_pattern_points_to_text (pattern->points, pattern->n_points);
  g_autofree char *csv = prism_pattern_points_to_csv (pattern->points, pattern->n_points);
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "points.csv", NULL);

  config.samples = 3;
  config.pattern = PRISM_PATTERN_HAND;
  config.pattern_points = text;
  g_autoptr (PrismPattern) placed = make_pattern (&config);
  assert_same_points (placed, pattern);

  g_assert_true (g_file_set_contents (path, csv, -1, NULL));
  config.pattern = PRISM_PATTERN_FILE;
  config.pattern_file = path;
  g_autoptr (PrismPattern) loaded = make_pattern (&config);
  assert_same_points (loaded, pattern);
}

static PrismPoint *
load_text (const char *text, guint *n_points, GError **error)
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "points.csv", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return prism_pattern_points_load (path, 256, n_points, error);
}

static const struct
{
  const char *text;
  int code;
  const char *says;
} bad_files[] = {
  { "", PRISM_ERROR_CONFIG, "no position" },
  { "y,x\n", PRISM_ERROR_CONFIG, "no position" },
  { "1,2\n3\n", PRISM_ERROR_FORMAT, "line 2" },
  { "1,2\n3,four\n", PRISM_ERROR_FORMAT, "line 2" },
  { "1,2\ny,x\n", PRISM_ERROR_FORMAT, "line 2" },
  { "1,nan\n", PRISM_ERROR_FORMAT, "line 1" },
  { "1,2\n\n129,0\n", PRISM_ERROR_CONFIG, "line 3" },
  { "1,1e400\n", PRISM_ERROR_FORMAT, "line 1" },
  { "\xff\xfe", PRISM_ERROR_FORMAT, "not a text file" },
  { "y,x\n12,5,3,5\n", PRISM_ERROR_FORMAT, "the number of fields is 4, but must be 2" },
  { "12,5,3,5\n", PRISM_ERROR_FORMAT, "the number of fields is 4, but must be 2" },
  { "y;x\r\n1,5;2\r\n12,5\r\n", PRISM_ERROR_FORMAT, "line 3" },
  { "name\ty\tx\n\t1\t2\n", PRISM_ERROR_FORMAT, "the number of fields is 2, but must be 3" },
  { "0x10,3\n", PRISM_ERROR_FORMAT, "line 1: a position is two numbers" },
  { "infinity,3\n", PRISM_ERROR_FORMAT, "line 1: a position is two numbers" },
  { "y;x\n1.234,5;2\n", PRISM_ERROR_FORMAT, "line 2: a position is two numbers" },
  { "y;x\n1,;2\n", PRISM_ERROR_FORMAT, "line 2: a position is two numbers" },
  { "y;x\n1,2,3;2\n", PRISM_ERROR_FORMAT, "line 2: a position is two numbers" },
  { "y;x\n1\n", PRISM_ERROR_FORMAT, "line 2: a position is two numbers" },
  { "1 2\n3, 4\n", PRISM_ERROR_FORMAT, "line 2: a position is two numbers" },
  { "y,x\n\"1.5,2\n", PRISM_ERROR_FORMAT, "line 2: a quotation mark" },
  { "1.5;-2;8\n-30;4;9\n", PRISM_ERROR_FORMAT, "line 1: the number of fields is 3, but must be 2" },
  { "1 2 3\n", PRISM_ERROR_FORMAT, "line 1: the number of fields is 3, but must be 2" },
  { "y,x,x\n1,2,3\n", PRISM_ERROR_FORMAT, "line 1: more than one column has the name of x" },
  { "# of a scan\nky;y;x\n1;2;3\n", PRISM_ERROR_FORMAT, "line 2: more than one column has" },
  { "y,x\n\"1.5\"2,2\n", PRISM_ERROR_FORMAT, "line 2: a quotation mark" },
};

TEST (csv_errors, "/engine/pattern/csv/bad")
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad_files); i++)
    {
      g_autoptr (GError) error = NULL;
      guint n_points = 0;

      g_test_message ("%s", bad_files[i].text);
      g_assert_null (load_text (bad_files[i].text, &n_points, &error));
      g_assert_error (error, PRISM_ERROR, bad_files[i].code);
      HAS (error->message, bad_files[i].says);
    }
}

/* As LibreOffice and Excel write them, with the decimal mark of either language. */
static const char *const real_files[] = {
  "y,x\n1.5,-2\n-30,4\n",
  "\"kx\";\"note\";\"ky\"\r\n-2;a;1.5\r\n4;b;-3e1",
  "\xef\xbb\xbf# two\n\n  1.5   -2.0\n-30\t4\n",
  "\xef\xbb\xbfy;x\r\n1,5;-2\r\n-30;4\r\n",
  "1,5;-2,0\r\n-3e1;4\r\n",
  "y\tx\r\n1,5\t-2\r\n-30\t4\r\n",
  "1,5 -2\n-30,0 4,0\n",
  "\"y\",\"x\"\r\n\"1,5\",\"-2\"\r\n\"-30\",\"4\"\r\n",
  "\"a \"\"b\"\", c\",y,x,\r\n\"d, e\",1.5,-2,\r\n,-30,4,\r\n",
  "y, x, name of it\n1.5, -2, a b\n-30, 4, \"c;\"\n",
  "sep=;\r\ny;x\r\n1,5;-2\r\n-30;4\r\n",
  "\"1.5\"\t\"-2\"\n\"-30\" \"4\"\n",
  "y,x\r1.5,-2\r-30,4\r",
};

TEST (csv_dialects, "/engine/pattern/csv/dialects")
{
  for (gsize i = 0; i < G_N_ELEMENTS (real_files); i++)
    {
      static const PrismPoint expected[] = { { 1.5, -2.0 }, { -30.0, 4.0 } };
      guint n_points = 0;

      g_test_message ("%s", real_files[i]);
      g_autofree PrismPoint *points = MUST (load_text (real_files[i], &n_points, &error));
      g_assert_cmpmem (points, n_points * sizeof *points, expected, sizeof expected);
    }
}

TEST (setting, "/engine/pattern/points/setting")
{
  static const char *const good = "1.5, -2; -30,4";
  guint n_points = 0;
  g_autofree PrismPoint *points = MUST (prism_pattern_points_parse (good, "points", 256, &n_points,
                                                                    &error));

  g_assert_cmpuint (n_points, ==, 2);
  g_assert_cmpfloat (points[1].y, ==, -30.0);
  FAILS (prism_pattern_points_parse ("1,5, -2", "points", 256, &n_points, &error), FORMAT, "");
}

TEST (rim, "/engine/pattern/csv/rim")
{
  guint n_points = 0;
  g_autofree PrismPoint *points = MUST (load_text ("128,-128\n", &n_points, &error));

  g_assert_cmpfloat (points[0].y, ==, 128);
  g_assert_cmpfloat (points[0].x, ==, -128);
}
