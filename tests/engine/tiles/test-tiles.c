#include "../support/test-remove-tree.h"
#include "model/prism-object.h"
#include "prism-test.h"
#include "tiles/prism-tile-blend.h"
#include "tiles/prism-tile-runner.h"
#include "tiles/prism-tile-window.h"

#define tear_down NULL

#define SIZE 256
#define SIDE 64
/* Of the range, which is 1. */
#define MOST_SEAM 0.005

typedef struct
{
  const char *directory, *picture;
  PrismImage *truth;
} Fixture;

SET_UP
{
  self->directory = OWN (test_folder_free, test_folder_new ());
  self->picture = in_folder (self->directory, "picture.npy");
  self->truth = OWN (prism_image_unref, prism_image_new (SIZE, SIZE, NULL));
}

/* "constant", "gradient" or "photograph". */
static void
draw_truth (Fixture *fixture, const char *kind)
{
  if (strcmp (kind, "photograph") == 0)
    {
      g_autoptr (PrismConfig) config = prism_config_new ();

      config->object_size = SIZE;
      g_autoptr (PrismImage) moon = prism_object_load (config, NULL);
      memcpy (fixture->truth->pixels, moon->pixels, SIZE * SIZE * sizeof (float));
    }
  for (int y = 0; y < SIZE && strcmp (kind, "photograph") != 0; y++)
    for (int x = 0; x < SIZE; x++)
      fixture->truth->pixels[y * SIZE + x]
          = strcmp (kind, "constant") == 0 ? 0.6f : 0.1f + 0.8f * (float) (x + y) / (2 * SIZE);
  g_assert_true (prism_npy_save (fixture->picture, fixture->truth->pixels, 2,
                                 (const gsize[]) { SIZE, SIZE }, NULL));
}

static PrismTilePlan *
make_plan (Fixture *fixture, double overlap)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  g_assert_true (prism_config_set_text (config, "object", fixture->picture, NULL));
  config->tile = SIDE;
  config->tile_overlap = overlap;
  PrismTilePlan *plan = MUST (prism_tile_plan_new (config, &error));
  g_assert_true (MUST (prism_tile_plan_save (plan, fixture->directory, &error)));
  return plan;
}

/* Runs that got brightness and contrast a little wrong, each in its own way. */
static void
write_results (Fixture *fixture, const PrismTilePlan *plan, guint left_out)
{
  const char *summary = "{ \"state\" : \"finished\", \"seconds\" : 1.0, \"steps\" : 5,"
                        " \"configuration\" : {} }";

  for (guint i = 0; i < plan->n_tiles; i++)
    {
      g_autofree char *folder = prism_tile_plan_dup_path (fixture->directory, i, "");
      float gain = 1.0f + 0.04f * (float) sin (12.9898 * i);
      float offset = 0.02f * (float) sin (78.233 * i + 1.0), pixels[SIDE * SIDE];
      PrismTilePlace place;

      if (i == left_out)
        continue;
      prism_tile_plan_get_place (plan, i, &place);
      for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
          pixels[y * SIDE + x]
              = gain * fixture->truth->pixels[(place.y + y) * SIZE + place.x + x] + offset;
      g_mkdir (folder, 0700);
      g_assert_true (prism_npy_save (in_folder (folder, "reconstruction.npy"), pixels, 2,
                                     (const gsize[]) { SIDE, SIDE }, NULL));
      g_assert_true (g_file_set_contents (in_folder (folder, "summary.json"), summary, -1, NULL));
    }
}

static PrismTileBlend *
blend (Fixture *fixture, const PrismTilePlan *plan, PrismImage **result)
{
  g_autofree char *path = g_build_filename (fixture->directory, "result.npy", NULL);
  g_autoptr (PrismTileTable) table = prism_tile_table_load (plan, fixture->directory, NULL);
  PrismTileBlend *self
      = MUST (prism_tile_blend_run (plan, table, fixture->directory, path, &error));

  *result = MUST (prism_image_load (path, &error));
  return self;
}

/* The largest step of the error from one pixel to the next across a border of a tile, on average
 * along the side of a tile. */
static double
measure_seam (Fixture *fixture, const PrismTilePlan *plan, const PrismImage *result)
{
  const float *truth = fixture->truth->pixels, *pixels = result->pixels;
  double most = 0.0;

  for (guint i = 0; i < plan->n_tiles; i++)
    {
      PrismTilePlace place;

      prism_tile_plan_get_place (plan, i, &place);
      for (int side = 0; side < 4; side++)
        {
          gboolean vertical = side < 2;
          int border = (vertical ? place.x : place.y) + (side % 2 == 0 ? 0 : SIDE);
          int start = vertical ? place.y : place.x;
          double step = 0.0;

          if (border <= 0 || border >= SIZE)
            continue;
          for (int k = start; k < start + SIDE; k++)
            {
              int here = vertical ? k * SIZE + border : border * SIZE + k;
              int before = vertical ? here - 1 : here - SIZE;

              step += (pixels[here] - truth[here]) - (pixels[before] - truth[before]);
            }
          most = MAX (most, fabs (step) / SIDE);
        }
    }
  return most;
}

/* Without an overlap nothing is matched and nothing fades: seams must be seen then. */
TEST_WITH (seams, "/engine/tiles/seams/constant", "constant")
{
  for (int overlap = 0; overlap <= 25; overlap += 25)
    {
      g_autoptr (PrismImage) result = NULL;

      test_remove_tree (self->directory);
      g_mkdir (self->directory, 0700);
      draw_truth (self, data);
      g_autoptr (PrismTilePlan) plan = make_plan (self, overlap);
      write_results (self, plan, G_MAXUINT);
      g_autoptr (PrismTileBlend) whole = blend (self, plan, &result);
      double seam = measure_seam (self, plan, result);
      g_test_message ("seam %.4f %% of the range, %.1f dB", 100.0 * seam, whole->psnr);
      g_assert_true (overlap > 0 ? seam < MOST_SEAM : seam > MOST_SEAM);
      g_assert_cmpuint (whole->n_missing, ==, 0);
    }
}

TEST_ALSO (seams, "/engine/tiles/seams/gradient", "gradient")
TEST_ALSO (seams, "/engine/tiles/seams/photograph", "photograph")

/* Right tiles make the picture they were cut from. */
TEST_FIXTURE (cut_and_blend, "/engine/tiles/cut-and-blend")
{
  g_autoptr (PrismImage) result = NULL;

  draw_truth (self, "photograph");
  g_autoptr (PrismTilePlan) plan = make_plan (self, 25.0);
  g_autoptr (PrismTilePlan) again = prism_tile_plan_load (self->directory, NULL);
  g_assert_cmpuint (again->n_tiles, ==, plan->n_tiles);
  g_assert_cmpuint (plan->n_tiles, ==, 25);
  write_results (self, plan, 7);
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (plan, self->directory, NULL);
  /* Backwards, too: an earlier row is read anew. */
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      guint tile = plan->n_tiles - 1 - i;
      g_autofree char *path = prism_tile_plan_dup_path (self->directory, tile, ".npy");
      g_autofree char *folder = prism_tile_plan_dup_path (self->directory, tile, "");

      g_mkdir (folder, 0700);
      g_assert_true (prism_tile_cut_prepare (cut, tile, NULL));
      if (g_file_test (path, G_FILE_TEST_EXISTS))
        g_assert_cmpint (g_rename (path, in_folder (folder, "reconstruction.npy")), ==, 0);
    }
  g_autoptr (PrismTileBlend) whole = blend (self, plan, &result);
  /* One has an object and no result. */
  g_assert_cmpuint (whole->n_missing, >, 0);
  for (int i = 0; i < SIZE * SIZE; i++)
    if (result->pixels[i] != 0.0f)
      g_assert_cmpfloat_with_epsilon (result->pixels[i], self->truth->pixels[i], 2e-3);
}

TEST (window, "/engine/tiles/window")
{
  float weights[SIDE];

  prism_tile_window_fill (weights, SIDE, 16);
  for (int i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (weights[i] + weights[SIDE - 16 + i], 1.0, 1e-6);
  for (int i = 0; i < SIDE; i++)
    g_assert_cmpfloat (weights[i], >, 0.0);
  for (int length = SIDE + 1; length < 500; length++)
    {
      int n = prism_tile_window_count (length, SIDE, 16);

      g_assert_cmpint (prism_tile_window_get_origin (length, SIDE, n, 0), ==, 0);
      g_assert_cmpint (prism_tile_window_get_origin (length, SIDE, n, n - 1), ==, length - SIDE);
      for (int i = 1; i < n; i++)
        g_assert_cmpint (prism_tile_window_get_origin (length, SIDE, n, i)
                             - prism_tile_window_get_origin (length, SIDE, n, i - 1),
                         <=, SIDE - 16);
    }
}

/* Two tiles, one of which is known: the other takes its gain and its offset. */
TEST (match, "/engine/tiles/match")
{
  g_autoptr (PrismTileMatch) match = prism_tile_match_new (2);
  float a[400], b[400];

  for (int i = 0; i < 400; i++)
    {
      a[i] = 0.5f + 0.3f * sinf ((float) i);
      b[i] = (a[i] - 0.1f) / 1.2f;
    }
  match->anchors[0] = PRISM_TILE_MATCH_FIXED;
  prism_tile_match_add (match, 0, 1, a, b, 20, 20, 20);
  prism_tile_match_solve (match);
  g_assert_cmpfloat_with_epsilon (match->gains[0], 1.0, 1e-5);
  g_assert_cmpfloat_with_epsilon (match->gains[1], 1.2, 0.02);
  g_assert_cmpfloat_with_epsilon (match->gains[1] * b[0] + match->offsets[1], a[0], 0.02);
}

/* From the picture's unit to amplitudes and back, of a picture that is inverted too. */
TEST (brightness, "/engine/tiles/brightness")
{
  for (int invert = 0; invert < 2; invert++)
    for (float value = 2; value <= 6; value++)
      {
        const PrismTilePlan plan = { .low = 2, .high = 6, .invert = invert };
        const float amplitude = prism_tile_plan_to_amplitude (&plan, value);
        const double part = (invert ? 6 - value : value - 2) / 4;

        g_assert_cmpfloat_with_epsilon (amplitude, sqrt (part), 1e-6);
        g_assert_cmpfloat_with_epsilon (prism_tile_plan_to_value (&plan, amplitude), value, 1e-5);
      }
}

/* The telescope stays: what a pixel of the object is, and what the aperture is in metres. */
TEST_FIXTURE (scale, "/engine/tiles/scale")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  draw_truth (self, "photograph");
  g_assert_true (prism_config_set_text (config, "object", self->picture, NULL));
  config->image_size = 64;
  config->object_size = 32;
  config->aperture_radius = 5;
  config->tile = 128;
  g_autoptr (PrismTilePlan) plan = prism_tile_plan_new (config, NULL);
  g_assert_cmpint (plan->base->image_size, ==, 256);
  g_assert_cmpfloat (plan->base->aperture_radius * plan->base->dxf, ==,
                     config->aperture_radius * config->dxf);
  g_assert_cmpfloat (plan->base->image_size * plan->base->dxf, ==,
                     config->image_size * config->dxf);
  g_assert_cmpint (plan->base->tile, ==, 0);
}

/* A tile that is larger than the picture would be dark beyond it: a single one of its size. */
TEST_FIXTURE (larger, "/engine/tiles/larger")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  draw_truth (self, "gradient");
  g_assert_true (prism_config_set_text (config, "object", self->picture, NULL));
  config->tile = SIZE;
  g_autoptr (PrismTilePlan) fitting = prism_tile_plan_new (config, NULL);
  config->tile = 4096;
  g_autoptr (PrismTilePlan) larger = prism_tile_plan_new (config, NULL);
  g_assert_cmpint (larger->side, ==, SIZE);
  g_assert_cmpuint (larger->n_tiles, ==, 1);
  g_assert_cmpint (larger->base->image_size, ==, fitting->base->image_size);
  g_autofree char *none = prism_tile_plan_dup_note (fitting);
  g_autofree char *note = prism_tile_plan_dup_note (larger);
  g_assert_null (none);
  HAS (note, "smaller than a tile of 4096 px");
}

static void
check_refused (PrismConfig *config, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_tile_plan_new (config, &error));
  g_assert_error (error, PRISM_ERROR, code);
  HAS (error->message, part);
}

TEST_FIXTURE (refused, "/engine/tiles/refused")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->tile = SIDE;
  check_refused (config, PRISM_ERROR_CONFIG, "or run without tiles.");
  draw_truth (self, "gradient");
  g_assert_true (prism_config_set_text (config, "object", self->picture, NULL));
  config->tile = 15;
  check_refused (config, PRISM_ERROR_CONFIG, "even number");
  config->tile = SIDE;
  config->object_size = 2;
  check_refused (config, PRISM_ERROR_CONFIG, "image_size");
  config->object_size = 32;
  config->tile = 256;
  config->pattern = PRISM_PATTERN_HAND;
  check_refused (config, PRISM_ERROR_CONFIG, "tiles of 32 px or less");
  g_autoptr (PrismTilePlan) plan = make_plan (self, 25.0);
  draw_truth (self, "photograph");
  config->pattern = PRISM_PATTERN_FERMAT;
  config->tile = SIDE;
  g_autoptr (PrismTilePlan) other = prism_tile_plan_new (config, NULL);
  FAILS (prism_tile_plan_save (other, self->directory, &error), IO, "belongs to other runs");
}

/* The folder of an ordinary result keeps its summary. */
TEST_FIXTURE (strangers, "/engine/tiles/strangers")
{
  g_autofree char *taken = g_build_filename (self->directory, "taken", NULL);

  draw_truth (self, "gradient");
  g_autoptr (PrismTilePlan) plan = make_plan (self, 25.0);
  g_assert_cmpint (g_mkdir (taken, 0777), ==, 0);
  g_assert_true (g_file_set_contents (in_folder (taken, "summary.json"), "{}", -1, NULL));
  FAILS (prism_tile_plan_save (plan, taken, &error), IO, "no tiles.conf that says otherwise");
  g_autofree char *taken_tile = prism_tile_plan_dup_path (self->directory, 0, "");
  g_autofree char *summary_tile = g_build_filename (taken_tile, "summary.json", NULL);
  g_assert_cmpint (g_mkdir (taken_tile, 0777), ==, 0);
  g_assert_true (g_file_set_contents (summary_tile, "{\"configuration\":{\"seed\":7}}", -1, NULL));
  FAILS (prism_tile_plan_save (plan, self->directory, &error), IO, "with seed=7, not 0");
}

/* What is told to be dark beforehand is what is cut without light. */
TEST_FIXTURE (dark, "/engine/tiles/dark")
{
  PrismTileCounts counts;
  guint n_dark = 0;

  draw_truth (self, "constant");
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      self->truth->pixels[y * SIZE + x] = y < 100 && x < 180 ? 0.0f : 0.6f;
  self->truth->pixels[10 * SIZE + 10] = NAN;
  g_assert_true (prism_npy_save (self->picture, self->truth->pixels, 2,
                                 (const gsize[]) { SIZE, SIZE }, NULL));
  g_autoptr (PrismTilePlan) plan = make_plan (self, 25.0);
  g_autoptr (PrismTileCut) cut = prism_tile_cut_new (plan, self->directory, NULL);
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      g_assert_true (prism_tile_cut_prepare (cut, i, NULL));
      g_assert_cmpint (prism_tile_plan_is_dark (plan, i), ==,
                       prism_tile_plan_is_finished (plan, self->directory, i));
      n_dark += prism_tile_plan_is_dark (plan, i) ? 1 : 0;
    }
  g_assert_cmpuint (n_dark, >, 0);
  g_assert_cmpuint (n_dark, <, plan->n_tiles);
  prism_tile_forecast_count (&counts, plan, NULL);
  g_assert_cmpuint (counts.n_dark, ==, n_dark);
  g_assert_cmpuint (counts.n_left, ==, plan->n_tiles);
  g_assert_cmpuint (counts.n_runs, ==, plan->n_tiles - n_dark);
  g_autoptr (PrismTilePlan) loaded = prism_tile_plan_load (self->directory, NULL);
  g_assert_false (prism_tile_plan_is_dark (loaded, 0));
}
