#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-text.h"
#include "instrument/prism-instrument-simulate.h"
#include "measure/prism-scene.h"
#include "prism-test.h"
#include "ptychography/prism-mosaic.h"

#include <complex.h>

static double
find_number (const char *text, const char *name)
{
  g_autoptr (JsonNode) node = json_from_string (text, NULL);
  JsonObject *root = json_node_get_object (node);

  return json_object_get_double_member (json_object_get_object_member (root, "objective"), name);
}

/* Tiles whose pupils are those of a lens with a curved, tilted focus and coma say so, also where
 * some of them do not know their coma; written down and read back it is the same. */
TEST (objective, "/engine/mosaic/objective")
{
  PrismObjective objective = { .size = { 1e-3, 0.8e-3 }, .wavelength = 0.5e-6, .na = 0.1 }, again;
  PrismObjectiveTile tiles[15] = { 0 };
  const double depth = 4 * 0.5e-6 / (0.1 * 0.1); /* m a wave of defocus */
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  PrismObjectivePlace place;

  for (int i = 0; i < 15; i++)
    {
      const double x = (i % 5 - 2) * 0.2e-3, y = ((double) (i / 5) - 1) * 0.3e-3;

      tiles[i].at[0] = x;
      tiles[i].at[1] = y;
      tiles[i].waves[0] = (x * x + y * y) / (2 * 10e-3) / depth + 2e-3 * x / depth;
      tiles[i].waves[3] = 0.1 * x / 0.5e-3;
      tiles[i].waves[4] = 0.1 * y / 0.5e-3;
      for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
        tiles[i].weights[a][a] = 1;
      if (i % 4 == 0)
        {
          tiles[i].waves[3] = 0.7;
          tiles[i].weights[3][3] = 0;
        }
    }
  prism_objective_fit (&objective, 15, tiles);
  g_assert_cmpfloat_with_epsilon (objective.numbers[PRISM_OBJECTIVE_CURVATURE], 1 / 10e-3, 1e-3);
  g_assert_cmpfloat (objective.errors[PRISM_OBJECTIVE_CURVATURE], <, 1e-3);
  g_assert_cmpfloat_with_epsilon (objective.numbers[PRISM_OBJECTIVE_TILT], 2e-3, 1e-6);
  g_assert_cmpfloat (objective.numbers[PRISM_OBJECTIVE_ASTIGMATISM], <, 1e-9);
  prism_objective_evaluate (&objective, (const double[]) { 0.25e-3, 0 }, &place);
  g_assert_cmpfloat_with_epsilon (place.waves[3], 0.05, 1e-6);
  /* Coma of so many waves between its extremes has a variance of an eighth of its square. */
  g_assert_cmpfloat_with_epsilon (place.strehl, 1 - pow (2 * G_PI * 0.05, 2) / 8, 2e-3);
  g_assert_cmpfloat (place.plane_strehl, <, place.strehl);
  prism_json_add (builder, "{frames: {wavelength_nm: %g, na: %g}", 500.0, 0.1);
  prism_objective_add (&objective, builder);
  prism_json_add (builder, "}");
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, FALSE);
  g_assert_cmpfloat_with_epsilon (find_number (text, "field_curvature_per_mm"), 0.1, 1e-6);
  prism_objective_load (&again, json_node_get_object (root));
  g_assert_cmpuint (again.n_tiles, ==, 15);
  for (int k = 0; k < PRISM_OBJECTIVE_N_TERMS; k++)
    g_assert_cmpfloat_with_epsilon (again.terms[k], objective.terms[k], 1e-12);
}

/* LEDs 5 mm away: they are seen from another direction at each side of the field. */

#define SIDE 48
#define FIELD 96

static PrismRecording *
simulate (const char *curvature, PrismInstrumentTruth **truth)
{
  const char *const values[][2] = {
    { "size", "96" },
    { "per_side", "9" },
    { "distance", "5e-3" },
    { "pitch", "0.22e-3" },
    { "slide_thickness", "0" },
    { "photons", "0" },
    { "curvature", curvature },
  };
  PrismInstrument instrument;

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_true (prism_instrument_set (&instrument, values[i][0], values[i][1], NULL));
  PrismRecording *recording = prism_instrument_simulate (&instrument, truth, NULL);
  g_assert_nonnull (recording);
  return recording;
}

static PrismConfig *
make_settings (const char *tile)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  g_assert_true (prism_config_set_text (settings, "tile", tile, NULL));
  return g_steal_pointer (&settings);
}

/* Where nobody says, the light of the LEDs decides. */
TEST (choice, "/engine/mosaic/choice")
{
  static const struct
  {
    guint width, height;
    double distance;
    int asked, chosen;
  } rows[] = {
    { 1024, 1024, 0.11, PRISM_TILE_AUTO, 256 },
    { 1024, 1024, 0.11, 512, 512 },
    { 1024, 1024, 0.11, 0, 0 },
    { 1024, 1024, 1, PRISM_TILE_AUTO, PRISM_TILE_AUTO }, /* two pixels */
    { 1024, 1024, 0.4, PRISM_TILE_AUTO, 512 },
    { 1024, 300, 0.11, PRISM_TILE_AUTO, 256 },
    { 1024, 1024, NAN, PRISM_TILE_AUTO, PRISM_TILE_AUTO },
    { 128, 128, 1e-4, PRISM_TILE_AUTO, 64 },
    { 64, 64, 1e-4, PRISM_TILE_AUTO, PRISM_TILE_AUTO },
  };
  g_autoptr (PrismRecording) recording = prism_recording_new ("field", "a test");
  g_autoptr (PrismInstrumentTruth) truth = NULL;

  recording->na = 0.1;
  recording->wavelength = 523e-9;
  recording->pixel_size = 1e-6;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      recording->width = rows[i].width;
      recording->height = rows[i].height;
      recording->distance = rows[i].distance;
      g_autofree char *sentence = prism_mosaic_dup_choice (recording);
      g_assert_cmpint (prism_mosaic_choose_side (recording, rows[i].asked), ==, rows[i].chosen);
      if (i == 0)
        HAS (sentence, "by 18 pixels of the spectrum", "tiles of 256 pixels");
      if (isnan (rows[i].distance))
        HAS (sentence, "by 20 pixels of the spectrum", "distance=100mm");
    }
  recording->width = recording->height = 1024;
  recording->distance = 0.11;
  recording->na = 0.01; /* no microscope */
  g_assert_cmpint (prism_mosaic_choose_side (recording, PRISM_TILE_AUTO), ==, PRISM_TILE_AUTO);
  g_autoptr (PrismRecording) near = simulate ("1", &truth);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismProblem) problem = MUST (prism_problem_new (near, settings, &error));
  g_assert_cmpint (prism_problem_get_n_tiles (problem), ==, 4);
  g_autoptr (PrismProblem) same = MUST (prism_problem_ref_for (problem, settings, &error));
  g_assert_true (same == problem);
  g_autoptr (PrismScene) scene = prism_scene_new_problem (problem);
  prism_scene_apply_problem (scene, settings);
  g_assert_cmpint (settings->tile, ==, 64);
}

static void
explain (PrismPtychography *solver)
{
  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    g_assert_true (prism_ptychography_step (solver));
}

static PrismMosaic *
explain_tiles (PrismRecording *recording)
{
  g_autoptr (PrismConfig) settings = make_settings ("48");
  g_autoptr (GError) error = NULL;
  PrismMosaic *mosaic = MUST (prism_mosaic_new (recording, settings, &error));

  for (guint i = 0; i < mosaic->plan.n_tiles; i++)
    {
      g_autoptr (PrismPtychography) solver = MUST (prism_mosaic_new_solver (mosaic, i, &error));

      explain (solver);
      g_assert_true (prism_mosaic_add (mosaic, i, solver, &error));
    }
  return mosaic;
}

/* A tile sees an LED under the angle that its middle has to it. */
TEST (directions, "/engine/mosaic/directions")
{
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = simulate ("1", &truth);
  g_autoptr (PrismConfig) settings = make_settings ("48");
  g_autoptr (PrismMosaic) mosaic = prism_mosaic_new (recording, settings, NULL);
  const PrismMosaicPlan *plan = &mosaic->plan;

  g_assert_cmpuint (plan->n_tiles, ==, 9);
  g_assert_cmpint (plan->tiles[0].x, ==, 24);
  g_assert_cmpint (plan->tiles[0].y, ==, 24);
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const PrismMosaicTile *tile = &plan->tiles[i];
      g_autoptr (PrismRecording) part = prism_mosaic_cut (mosaic, i, NULL);
      const double x = recording->pixel_size * (tile->x + SIDE / 2 - FIELD / 2);
      const double y = recording->pixel_size * (tile->y + SIDE / 2 - FIELD / 2);

      g_assert_true (i == 0 || tile->neighbour < i);
      for (guint j = 0; j < recording->n_frames; j += 7)
        {
          const double u = recording->positions[2 * j] - x, v = recording->positions[2 * j + 1] - y;
          const double length = sqrt (u * u + v * v + 25e-6);

          g_assert_cmpfloat_with_epsilon (part->directions[2 * j], u / length, 1e-9);
          g_assert_cmpfloat_with_epsilon (part->directions[2 * j + 1], v / length, 1e-9);
        }
      for (int row = 0; row < SIDE; row++)
        g_assert_cmpmem (part->frames + (2 * SIDE + row) * SIDE, SIDE * 4,
                         recording->frames + (2 * FIELD + tile->y + row) * FIELD + tile->x,
                         SIDE * 4);
    }
}

/* Root mean square of the amplitude's error, of its mean, away from the rim of the field. */
static double
compare_amplitudes (const float *object, const PrismInstrumentTruth *truth)
{
  const int n = (int) truth->n_side, rim = n / 12;
  double scale[2] = { 0 }, sum = 0, mean = 0;
  int count = 0;

  for (int round = 0; round < 2; round++)
    for (int y = rim; y < n - rim; y++)
      for (int x = rim; x < n - rim; x++)
        {
          const gsize i = 2 * ((gsize) y * n + x);
          const double a = hypot (object[i], object[i + 1]);
          const double b = hypot (truth->object[i], truth->object[i + 1]);

          if (round == 0)
            {
              scale[0] += a * b;
              scale[1] += a * a;
              mean += b;
              count++;
            }
          else
            sum += pow (a * scale[0] / scale[1] - b, 2);
        }
  return sqrt (sum / count) / (mean / count);
}

static PrismRecording *
scale_frames (PrismRecording *recording, float factor)
{
  for (gsize i = 0; i < (gsize) recording->n_frames * recording->height * recording->width; i++)
    recording->frames[i] *= factor;
  return recording;
}

static double
find_mean (const float *object, const PrismMosaicPlan *plan)
{
  const gsize n = (gsize) plan->width * plan->height;
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += hypot (object[2 * i], object[2 * i + 1]);
  return sum / n;
}

/* With directions of their own tiles predict frames far better than the field as one, their LEDs
 * are where they should be, and together they are the specimen. */
TEST (explain, "/engine/mosaic/explain")
{
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = simulate ("1", &truth);
  g_autoptr (PrismConfig) whole = make_settings ("0");
  g_autoptr (PrismPtychography) solver = NULL;
  g_autoptr (PrismMosaic) mosaic = explain_tiles (scale_frames (recording, 100));
  const PrismMosaicPlan *plan = &mosaic->plan;
  const PrismPrediction held = prism_mosaic_get_held_out (mosaic, &(PrismPrediction) { 0 });
  prism_autofree_array float *object = prism_mosaic_dup_object (mosaic, NULL);
  g_autofree char *table = prism_mosaic_dup_table (mosaic);
  double seams[2];

  solver = prism_ptychography_new (prism_ptychogram_new (recording, whole, NULL), whole,
                                   recording->wavelength, recording->na, NULL);
  explain (solver);
  PrismPrediction alone = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  g_test_message ("tiles %g, %g; whole %g, %g", held.misfit, held.correlation, alone.misfit,
                  alone.correlation);
  g_assert_cmpfloat (held.misfit, <, 0.75 * alone.misfit);
  g_assert_cmpfloat (held.correlation, >, 0.9);
  g_assert_cmpint (plan->width, ==, (int) truth->n_side);
  for (guint i = 1; i < plan->n_tiles; i++)
    {
      const double *shift = plan->tiles[i].board.shift;

      g_test_message ("tile %u: board %g, %g, gain %g", i, shift[0], shift[1], plan->tiles[i].gain);
      g_assert_cmpfloat (hypot (shift[0], shift[1]), <, 0.5);
    }
  g_test_message ("amplitude %g", compare_amplitudes (object, truth));
  /* In the unit of the frames, as the object of one picture is. */
  prism_autofree_array float *whole_object = prism_ptychography_dup_object (solver, NULL);
  g_assert_cmpfloat (find_mean (object, plan), >, 0.5 * find_mean (whole_object, plan));
  g_assert_cmpfloat (find_mean (object, plan), <, 2 * find_mean (whole_object, plan));
  prism_mosaic_find_seams (mosaic, seams);
  g_test_message ("seams %g, %g", seams[0], seams[1]);
  g_assert_cmpfloat (seams[0], <, 1.1);
  g_assert_cmpfloat (seams[1], <, 1.2);
  g_assert_cmpfloat (compare_amplitudes (object, truth), <, 0.08);
  HAS (table, "\n8,48,48,");
  /* What is saved comes back, and what is known of the objective with it. */
  g_autoptr (PrismBundle) bundle = prism_bundle_new ();
  g_autoptr (PrismConfig) settings = make_settings ("48");
  g_autoptr (PrismMosaic) again = prism_mosaic_new (recording, settings, NULL);
  mosaic->objective
      = (PrismObjective) { .n_tiles = plan->n_tiles, .scatter = 0.5, .terms[1] = 0.25 };
  MUST (prism_mosaic_save (mosaic, bundle, &error));
  MUST (prism_mosaic_load (again, plan->n_tiles, bundle, &error));
  g_assert_cmpuint (again->objective.n_tiles, ==, plan->n_tiles);
  g_assert_cmpfloat (again->objective.scatter, ==, 0.5);
  g_assert_cmpfloat (again->objective.terms[1], ==, 0.25);
  prism_autofree_array float *object_again = prism_mosaic_dup_object (again, NULL);
  g_assert_cmpmem (object_again, 2 * sizeof (float) * (gsize) plan->width * plan->height, object,
                   2 * sizeof (float) * (gsize) plan->width * plan->height);
}

/* Directions that are all negated explain one tile as well, and so do those of the middle; the
 * outer ones tell. */
TEST (sign, "/engine/mosaic/sign")
{
  g_autoptr (PrismConfig) settings = make_settings ("48");

  for (int sign = 1; sign >= -1; sign--)
    {
      g_autoptr (PrismInstrumentTruth) truth = NULL;
      g_autoptr (PrismRecording) recording = simulate (sign == 0 ? "0" : "1", &truth);

      for (guint i = 0; i < 2 * recording->n_frames; i++)
        recording->directions[i] *= sign < 0 ? -1 : 1;
      g_autoptr (PrismMosaic) mosaic = prism_mosaic_new (recording, settings, NULL);
      g_assert_cmpint (mosaic->plan.sign, ==, sign);
    }
}

TEST (bad, "/engine/mosaic/bad")
{
  static const struct
  {
    const char *tile, *sentence;
  } wrong[] = { { "16", "from 32 to 96" }, { "200", "from 32 to 96" } };
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = simulate ("1", &truth);

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (PrismConfig) settings = make_settings (wrong[i].tile);

      FAILS (prism_mosaic_new (recording, settings, &error), CONFIG, wrong[i].sentence);
    }
}

static double complex
draw (int x, int y)
{
  return (1 + 0.4 * sin (0.3 * x) * cos (0.2 * y)) * cexp (I * sin (0.11 * x + 0.17 * y));
}

/* Tiles of one picture, each with a phase and a ramp of its own, are that picture again, and nobody
 * sees where they meet. */
TEST (join, "/engine/mosaic/join")
{
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = simulate ("1", &truth);
  g_autoptr (PrismConfig) settings = make_settings ("48");
  g_autoptr (PrismMosaic) mosaic = prism_mosaic_new (recording, settings, NULL);
  const PrismMosaicPlan *plan = &mosaic->plan;
  const int u = plan->upsampling, m = u * plan->side;
  double seams[2], worst = 0;

  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const double turn = 0.9 * i;
      const double ramp[2] = { i > 0 ? 0.01 * ((int) i - 4) : 0, 0.09 * (i % 2) };
      float *part = prism_arena_new_array (2 * sizeof (float) * m * m, "", NULL);

      for (int k = 0; k < m * m; k++)
        {
          const int x = k % m, y = k / m;
          const double complex value = draw (u * plan->tiles[i].x + x, u * plan->tiles[i].y + y)
                                       * cexp (I * (turn + ramp[0] * x + ramp[1] * y));

          part[2 * k] = (float) creal (value);
          part[2 * k + 1] = (float) cimag (value);
        }
      prism_mosaic_put (mosaic, i, part);
      if (i > 0)
        {
          g_assert_cmpfloat_with_epsilon (plan->tiles[i].ramp[0], -ramp[0], 1e-4);
          g_assert_cmpfloat_with_epsilon (plan->tiles[i].ramp[1], -ramp[1], 1e-4);
        }
    }
  prism_autofree_array float *object = prism_mosaic_dup_object (mosaic, NULL);
  for (int k = 0; k < plan->height * plan->width; k++)
    {
      const double complex found = object[2 * k] + I * object[2 * k + 1];
      const double complex expected = draw (k % plan->width, k / plan->width);

      worst = MAX (worst, cabs (found - expected));
    }
  g_test_message ("phase %g", worst);
  g_assert_cmpfloat (worst, <, 1e-4);
  prism_mosaic_find_seams (mosaic, seams);
  g_test_message ("seams %g, %g", seams[0], seams[1]);
  g_assert_cmpfloat (MAX (seams[0], seams[1]), <, 1.01);
}
