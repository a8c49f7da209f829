#include "../support/microscope.h"
#include "../support/simulated-microscope.h"
#include "prism-test.h"
#include "ptychography/prism-ptychography-private.h"
#include "ptychography/prism-ptychography-state.h"
#include "ptychography/prism-ptychography.h"

#include <complex.h>

/* A microscope whose truth is known. What runs come to is in tests/behaviour. */

#define Q MICROSCOPE_SIDE
#define M MICROSCOPE_OBJECT

/* Frames of the test are periodic: they need no border. */
static PrismPtychography *
explain (const PrismRecording *recording, const char *const *changes, guint n_changes)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismPtychography *solver;

  for (guint i = 0; i < n_changes; i++)
    microscope_set (settings, changes[i]);
  PrismPtychogram *frames = MUST (prism_ptychogram_new (recording, settings, &error));
  solver = MUST (prism_ptychography_new (frames, settings, recording->wavelength, recording->na,
                                         &error));
  prism_ptychography_begin (solver);
  while (prism_ptychography_get_pass (solver) < (guint) settings->passes)
    prism_ptychography_step (solver);
  return solver;
}

#define EXPLAIN(recording, ...)                                          \
  explain (recording, (const char *const[]) { "border=0", __VA_ARGS__ }, \
           G_N_ELEMENTS (((const char *const[]) { "border=0", __VA_ARGS__ })))

/* Counts what it is told, and ends what is going on after some of it. */
typedef struct
{
  gint n_told, n_left;
  double most;
} Watch;

static gboolean
watch (double fraction, gpointer data)
{
  Watch *self = data;

  g_atomic_int_inc (&self->n_told);
  g_assert_cmpfloat (fraction, >=, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  self->most = MAX (self->most, fraction);
  return g_atomic_int_add (&self->n_left, -1) > 0;
}

/* A place that is off by a known distance on a slope of known curvature; where there is none it
 * stays. */
TEST (shift, "/engine/ptychography/shift")
{
  const double curvature[3] = { 2, 3, 1 }, wanted[2] = { 0.5, -0.25 };
  const double forces[5]
      = { 64 * (curvature[0] * wanted[0] + curvature[2] * wanted[1]),
          64 * (curvature[2] * wanted[0] + curvature[1] * wanted[1]), curvature[0], curvature[1],
          curvature[2] };
  const double flat[5] = { 1, 1, 0, 0, 0 };
  double found[2];

  prism_ptychography_place_find_shift (forces, 64, found);
  g_assert_cmpfloat_with_epsilon (found[0], wanted[0], 1e-5);
  g_assert_cmpfloat_with_epsilon (found[1], wanted[1], 1e-5);
  prism_ptychography_place_find_shift (flat, 64, found);
  g_assert_true (found[0] == 0 && found[1] == 0);
}

/* All LEDs shifted, turned and scaled, but one, which moves by (1.2, 1.6) more, at most. */
TEST (board, "/engine/ptychography/board")
{
  PrismIllumination light;
  double places[16][2], expected[2];
  guint frames[16];
  const guint8 others[16] = { [15] = 1 };
  const double complex turn = 1.02 * cexp (0.03 * I), shift = 0.7 - 0.4 * I;

  for (int j = 0; j < 16; j++)
    {
      frames[j] = (guint) j;
      places[j][0] = 5 * (j % 4) - 6;
      places[j][1] = 5 * (j / 4) - 7;
    }
  prism_illumination_init (&light, places, 16);
  for (int j = 0; j < 15; j++)
    {
      const double complex found = turn * (places[j][0] + I * places[j][1]) + shift;

      light.found[j][0] = creal (found);
      light.found[j][1] = cimag (found);
    }
  prism_illumination_fit_board (&light, frames, 15, others);
  g_assert_cmpfloat_with_epsilon (light.board.scale, 1.02, 1e-9);
  g_assert_cmpfloat_with_epsilon (light.board.turn, 0.03, 1e-9);
  g_assert_cmpfloat_with_epsilon (light.board.shift[0], 0.7, 1e-9);
  g_assert_cmpfloat_with_epsilon (light.board.shift[1], -0.4, 1e-9);
  g_assert_cmpfloat_with_epsilon (light.found[15][0], creal (turn * (9 + 8 * I) + shift), 1e-9);
  g_assert_cmpfloat_with_epsilon (light.found[15][1], cimag (turn * (9 + 8 * I) + shift), 1e-9);
  g_assert_cmpfloat_with_epsilon (prism_illumination_compute_spread (&light, frames, 16), 0, 1e-9);
  prism_illumination_get_expected (&light, 3, expected);
  light.found[3][0] = expected[0] + 1.2;
  light.found[3][1] = expected[1] + 1.6;
  g_assert_cmpfloat_with_epsilon (prism_illumination_compute_spread (&light, frames, 16), 0.5,
                                  1e-9);
  prism_illumination_reset (&light);
  prism_illumination_move (&light, 3, (double[]) { 1.2, 1.6 }, 3);
  g_assert_cmpfloat_with_epsilon (light.found[3][0], 10.2, 1e-12);
  prism_illumination_move (&light, 3, (double[]) { 28.8, 38.4 }, 5);
  g_assert_cmpfloat_with_epsilon (light.found[3][0], 12, 1e-12);
  g_assert_cmpfloat_with_epsilon (light.found[3][1], -3, 1e-12);
  g_free (light.recorded);
  g_free (light.found);
  g_free (light.gains);
}

/* A search that is ended has no object; a pass that is ended is not counted, and what it has found
 * predicts frames; a watch that lets all go on changes no bit. */
TEST (watch, "/engine/ptychography/watch")
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 1 });
  g_autoptr (PrismPtychography) plain = EXPLAIN (truth->recording, "passes=1", "threads=1");
  g_autoptr (PrismPtychography) solver = NULL;
  g_autofree float *expected = prism_ptychography_dup_prediction (plain, 14);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  Watch state = { .n_left = 100 };

  settings->border = 0;
  settings->threads = 1;
  settings->passes = 1;
  solver = prism_ptychography_new (prism_ptychogram_new (truth->recording, settings, NULL),
                                   settings, truth->recording->wavelength, truth->recording->na,
                                   NULL);
  prism_ptychography_set_watch (solver, watch, &state);
  g_assert_false (prism_ptychography_begin (solver));
  state = (Watch) { .n_left = G_MAXINT };
  g_assert_true (prism_ptychography_begin (solver));
  g_assert_cmpfloat (state.most, >, 0.95);
  state.n_told = 0;
  g_assert_true (prism_ptychography_step (solver));
  g_assert_cmpint (state.n_told, ==, solver->frames->n_used);
  g_autofree float *found = prism_ptychography_dup_prediction (solver, 14);
  g_assert_cmpmem (found, sizeof (float) * Q * Q, expected, sizeof (float) * Q * Q);
  state.n_left = 5;
  g_assert_false (prism_ptychography_step (solver));
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==, 1);
  g_assert_cmpfloat (prism_ptychography_predict (solver, TRUE, NULL, NULL).correlation, >, 0.5);
}

/* Goes on through one pass, which ends after every few frames. */
static void
step_in_pieces (PrismPtychography *solver, gint n_frames)
{
  Watch state = { 0 };
  guint n_pieces = 0;

  prism_ptychography_set_watch (solver, watch, &state);
  do
    {
      state.n_left = n_frames;
      n_pieces++;
    }
  while (!prism_ptychography_step (solver));
  g_assert_cmpuint (n_pieces, >, 3);
  prism_ptychography_set_watch (solver, NULL, NULL);
}

static PrismPtychography *
begin (const PrismRecording *recording, const PrismConfig *settings)
{
  PrismPtychogram *frames = MUST (prism_ptychogram_new (recording, settings, &error));
  PrismPtychography *solver;

  solver = MUST (prism_ptychography_new (frames, settings, recording->wavelength, recording->na,
                                         &error));
  return solver;
}

static void
assert_same (PrismPtychography *solver, PrismPtychography *expected)
{
  const PrismPtychogram *frames = solver->frames;
  const gsize n = (gsize) frames->upsampling * (gsize) frames->side;
  const PrismPrediction found = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  const PrismPrediction wanted = prism_ptychography_predict (expected, TRUE, NULL, NULL);
  float *object = prism_ptychography_dup_object (solver, NULL);
  float *same = prism_ptychography_dup_object (expected, NULL);

  g_assert_cmpmem (object, sizeof (float) * 2 * n * n, same, sizeof (float) * 2 * n * n);
  g_assert_cmpfloat (found.misfit, ==, wanted.misfit);
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==,
                    prism_ptychography_get_pass (expected));
  prism_arena_free_array (object);
  prism_arena_free_array (same);
}

/* A pass that is ended over and over goes on where it was, and one that was written down before
 * any pass goes on from there: to the same bits. */
static PrismPtychography *
check_goes_on (const PrismRecording *recording, const char *method, const char *rim, int n_passes)
{
  g_autoptr (PrismPtychography) loaded = NULL;
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  g_assert_true (prism_config_set_text (settings, "method", method, NULL));
  g_assert_true (prism_config_set_text (settings, "rim", rim, NULL));
  settings->border = 0;
  settings->passes = n_passes;
  PrismPtychography *plain = begin (recording, settings);
  g_autoptr (PrismPtychography) broken = begin (recording, settings);
  g_assert_true (prism_ptychography_begin (plain));
  g_assert_true (prism_ptychography_begin (broken));
  if (settings->method == PRISM_METHOD_COMPLEX)
    n_passes = (int) prism_ptychography_get_n_passes (plain);
  for (int pass = 0; pass < n_passes; pass++)
    {
      g_autoptr (PrismBundle) bundle = prism_bundle_new ();
      PrismPtychography *next = begin (recording, settings);

      g_assert_true (prism_ptychography_save (plain, bundle, NULL));
      g_assert_true (prism_ptychography_load (next, bundle, NULL));
      g_clear_pointer (&loaded, prism_ptychography_free);
      loaded = next;
      g_assert_true (prism_ptychography_step (plain));
      g_assert_true (prism_ptychography_step (loaded));
      step_in_pieces (broken, 13);
      assert_same (broken, plain);
      assert_same (loaded, plain);
    }
  return plain;
}

TEST (goes_on, "/engine/ptychography/goes-on")
{
  g_autoptr (Microscope) truth
      = microscope_new (&(const MicroscopeErrors) { .seed = 3, .place_spread = 0.3 });

  g_autoptr (PrismRecording) small
      = simulated_microscope_new (NULL, "size", "32", "per_side", "9", NULL);

  prism_ptychography_free (check_goes_on (truth->recording, "sequential", "auto", 6));
  prism_ptychography_free (check_goes_on (truth->recording, "descent", "2", 6));
  /* Two passes, and two of the decoder. */
  prism_ptychography_free (check_goes_on (small, "complex", "auto", 2));
}

/* Why frames are not predicted is found out once, not whenever their run is opened. */
TEST (judged, "/engine/ptychography/judged")
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 3 });
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismBundle) bundle = prism_bundle_new ();

  settings->border = 0;
  settings->passes = 2;
  g_autoptr (PrismPtychography) plain = begin (truth->recording, settings);
  g_autoptr (PrismPtychography) loaded = begin (truth->recording, settings);
  g_assert_true (prism_ptychography_begin (plain));
  g_assert_true (prism_ptychography_step (plain));
  PrismPrediction held = prism_ptychography_predict (plain, TRUE, NULL, NULL), again;
  prism_ptychography_judge (plain, &held);
  /* No judge of these frames would say so. */
  plain->judged.cause = PRISM_CAUSE_MOTION;
  plain->remedy = g_strdup ("Tried with something.");
  g_assert_true (prism_ptychography_save (plain, bundle, NULL));
  prism_ptychography_save_judged (plain, bundle);
  g_assert_true (prism_ptychography_load (loaded, bundle, NULL));
  g_assert_true (MUST (prism_ptychography_load_judged (loaded, bundle, &error)));
  again = prism_ptychography_predict (loaded, TRUE, NULL, NULL);
  prism_ptychography_judge (loaded, &again);
  g_assert_cmpint (again.cause, ==, PRISM_CAUSE_MOTION);
  g_assert_cmpfloat (again.misfit, ==, held.misfit);
  g_assert_cmpfloat (again.noise, ==, held.noise);
  g_assert_cmpfloat (again.gain, ==, held.gain);
  g_assert_cmpstr (loaded->remedy, ==, "Tried with something.");
  /* A pass that was ended is none that others have to be better than. */
  prism_ptychography_set_watch (plain, watch, &(Watch) { .n_left = 13 });
  g_assert_false (prism_ptychography_step (plain));
  again = prism_ptychography_predict (plain, TRUE, NULL, NULL);
  prism_ptychography_judge (plain, &again);
  g_assert_cmpfloat (again.gain, >, again.error);
}

/* Ends each search for places of lights once, and a pass never. */
typedef struct
{
  PrismPtychography *solver;
  guint n_ended;
} Ending;

static gboolean
end_search_once (double fraction, gpointer data)
{
  Ending *self = data;
  const gboolean is_due = prism_ptychography_is_searching (self->solver)
                          && prism_ptychography_get_pass (self->solver) == 12
                          && self->n_ended++ == 0;

  return !is_due;
}

/* Looking for the places of lights that are far off can be ended, and goes on to the same bits. */
TEST (places_end, "/engine/ptychography/places-end")
{
  g_autoptr (PrismRecording) recording = simulated_microscope_new (
      NULL, "size", "32", "per_side", "9", "photons", "0", "shifts", "2", NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychography) broken = NULL;
  Ending ending = { 0 };
  guint n_pieces = 0;

  settings->border = 0;
  g_autoptr (PrismPtychography) plain = begin (recording, settings);
  ending.solver = broken = begin (recording, settings);
  g_assert_true (prism_ptychography_begin (plain));
  g_assert_true (prism_ptychography_begin (broken));
  prism_ptychography_set_watch (broken, end_search_once, &ending);
  for (; prism_ptychography_get_pass (broken) < 13; n_pieces++)
    prism_ptychography_step (broken);
  while (prism_ptychography_get_pass (plain) < 13)
    g_assert_true (prism_ptychography_step (plain));
  g_assert_cmpuint (n_pieces, ==, 14);
  assert_same (broken, plain);
}

/* With LEDs far from their places frames contradict each other: passes that make it worse are taken
 * back, and all frames are explained together, also where it was written down in between. */
TEST (turn, "/engine/ptychography/turn")
{
  g_autoptr (PrismRecording) recording
      = simulated_microscope_new (NULL, "size", "64", "per_side", "9", "photons", "3000",
                                  "shifts", "8", NULL);
  g_autoptr (PrismPtychography) solver = check_goes_on (recording, "sequential", "auto", 6);
  const char *const alone[] = { "border=0", "passes=2" };
  const guint turn = solver->turned_at;

  g_test_message ("turned after pass %u, misfit %g", turn,
                  prism_ptychography_get_held (solver)->misfit);
  g_assert_cmpuint (turn, >=, 3);
  g_assert_cmpuint (turn, <, 6);
  g_autoptr (PrismPtychography) other = explain (recording, alone, G_N_ELEMENTS (alone));
  g_assert_cmpfloat (prism_ptychography_get_held (solver)->misfit, <=,
                     prism_ptychography_get_held (other)->misfit);
}

/* What was written down of other frames, or is damaged, is refused. */
TEST (bad_state, "/engine/ptychography/bad-state")
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 3 });
  g_autoptr (PrismBundle) bundle = prism_bundle_new (), empty = prism_bundle_new ();
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  settings->pupil = PRISM_PUPIL_FLAT;
  g_autoptr (PrismPtychography) solver = begin (truth->recording, settings);
  g_assert_true (prism_ptychography_begin (solver));
  g_assert_true (prism_ptychography_save (solver, bundle, NULL));
  settings->border = 8;
  g_autoptr (PrismPtychography) other = begin (truth->recording, settings);
  FAILS (prism_ptychography_load (other, bundle, &error), FORMAT, "");
  prism_bundle_take_text (empty, "estimate.json", g_strdup ("{}"));
  FAILS (prism_ptychography_load (solver, empty, &error), FORMAT, "");
}

/* A rim wider than what NA may be off by is not cut: the pupil changes there, too. */
TEST (soft_rim, "/engine/ptychography/soft-rim")
{
  const double aberrations[PRISM_PUPIL_N_MODES] = { 0 };
  const PrismPtychographyVisit visit = { .object_step = 1, .pupil_step = 1, .gain = 1 };
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 5 });
  g_autoptr (PrismPool) pool = prism_pool_new (1, NULL);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  microscope_set (settings, "rim=12");
  g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (truth->recording, settings, NULL);
  g_assert_cmpfloat (frames->widest_rim, ==, 12);
  g_autoptr (PrismPtychographyFrame) frame = prism_ptychography_frame_new (frames, pool, NULL);
  for (int soft = 0; soft < 2; soft++)
    {
      const int far = (int) floor (frames->radius + 4), middle = frames->grid / 2;
      const float *at = prism_ptychography_frame_get_pupil (frame)
                        + 2 * ((gsize) middle * frames->grid + middle + far);

      g_assert_cmpfloat (1.06 * frames->radius, <, far);
      prism_ptychography_frame_set_rim (frame, soft ? 12 : 1);
      prism_ptychography_frame_begin (frame, aberrations);
      for (guint i = 0; i < frames->n_bright; i++)
        prism_ptychography_frame_visit (frame, frames->order[i], frames->centers[frames->order[i]],
                                        &visit);
      g_test_message ("%g, %g", (double) at[0], (double) at[1]);
      g_assert_true ((at[0] != 1 || at[1] != 0) == soft);
    }
}

/* The whole board is off, and the search finds a pupil that does not meet the frames: it is
 * repeated once places are known. */
TEST (wrong_board, "/engine/ptychography/wrong-board")
{
  g_autoptr (PrismRecording) recording = simulated_microscope_new (
      NULL, "photons", "0", "per_side", "11", "defocus", "1e-5", NULL);

  for (gsize k = 0; k < 2 * (gsize) recording->n_frames; k++)
    recording->directions[k]
        += 2 * recording->wavelength / (recording->pixel_size * recording->width);
  g_autoptr (PrismPtychography) solver = explain (recording, NULL, 0);
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    g_assert_true (prism_ptychography_step (solver));
  PrismPrediction found = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  g_test_message ("misfit %g, correlation %g", found.misfit, found.correlation);
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==, 40);
  g_assert_cmpfloat (found.misfit, <, 0.06);
}

/* Of a rectangle in a square of side n, by its middle and its sides. */
static double complex
transform_bar (const double bar[4], double u, double v, double n)
{
  const double a = G_PI * u * bar[2] / n, b = G_PI * v * bar[3] / n;

  return bar[2] * bar[3] * (fabs (a) > 0 ? sin (a) / a : 1) * (fabs (b) > 0 ? sin (b) / b : 1)
         * cexp (-2 * G_PI * I * (u * bar[0] + v * bar[1]) / n);
}

/* Five frames of dark bars that reach over their edges, by a perfect lens: so few have steps of the
 * search that are far too long, and the pupil it ended with was half a wave off. */
TEST (few_frames, "/engine/ptychography/few-frames")
{
  enum
  {
    FIELD = 96, /* pixels, of which a frame shows the middle */
    SIDE = 32,
    RADIUS = 21, /* of FIELD's spectrum */
    FROM = (FIELD - SIDE) / 2,
  };
  static const int places[][2] = { { 0, 0 }, { 17, 0 }, { -17, 0 }, { 0, 17 }, { 0, -17 } };
  g_autoptr (PrismRecording) recording = prism_recording_new ("bars", "a test");
  g_autofree double complex *wave = g_new (double complex, FIELD *SIDE);
  double sum = 0;

  recording->n_frames = G_N_ELEMENTS (places);
  recording->width = recording->height = SIDE;
  recording->na = 0.067;
  recording->wavelength = 532e-9;
  recording->pixel_size = RADIUS * recording->wavelength / recording->na / FIELD;
  recording->frames = prism_arena_new_array (sizeof (float) * 5 * SIDE * SIDE, "a test", NULL);
  recording->directions = g_new (double, 10);
  for (int j = 0; j < 5; j++)
    {
      for (int k = 0; k < 2; k++)
        recording->directions[2 * j + k] = -places[j][k] * recording->na / RADIUS;
      /* Rows of the pupil's window first, each at the pixels of a row; then columns. */
      for (int v = -RADIUS; v <= RADIUS; v++)
        for (int x = 0; x < SIDE; x++)
          {
            double complex *at = &wave[(v + RADIUS) * SIDE + x];

            *at = 0;
            for (int u = -RADIUS; u <= RADIUS; u++)
              {
                const int p = u + places[j][0], q = v + places[j][1];
                double complex value = p == 0 && q == 0 ? FIELD * FIELD : 0;

                if (u * u + v * v > RADIUS * RADIUS)
                  continue;
                for (int i = 0; i < 6; i++)
                  {
                    const double width = 6 - 0.8 * i;
                    const double bars[][4]
                        = { { 36.6 + 4.6 * i, 43.4, width / 3.5, 9.1 },
                            { 36.6 + 4.6 * i, 53.7 + 0.11 * i, 3.4, width / 3.5 } };

                    for (int k = 0; k < 2; k++)
                      value -= 0.9 * transform_bar (bars[k], p, q, FIELD);
                  }
                *at += value * cexp (2 * G_PI * I * u * (x + FROM) / FIELD);
              }
          }
      for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
          {
            double complex field = 0;

            for (int v = -RADIUS; v <= RADIUS; v++)
              field += wave[(v + RADIUS) * SIDE + x] * cexp (2 * G_PI * I * v * (y + FROM) / FIELD);
            recording->frames[(j * SIDE + y) * SIDE + x]
                = (float) (3000 * pow (cabs (field) / (FIELD * FIELD), 2));
          }
    }
  g_autoptr (PrismPtychography) solver = EXPLAIN (recording, "hold_out=0", "passes=1");
  for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
    sum += solver->aberrations[a] * solver->aberrations[a];
  g_test_message ("%g rad", sqrt (sum));
  g_assert_cmpfloat (sqrt (sum), <, 0.2);
}

static void
assert_refused (PrismRecording *recording, const char *setting, const char *sentence)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  if (setting != NULL)
    microscope_set (settings, setting);
  FAILS (prism_ptychogram_new (recording, settings, &error), CONFIG, sentence);
}

TEST (bad, "/engine/ptychography/bad")
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 7 });
  PrismRecording *recording = truth->recording;
  double *directions = recording->directions;
  const double wavelength = recording->wavelength;

  recording->wavelength = NAN;
  assert_refused (recording, NULL, "--assign 'wavelength=");
  recording->wavelength = 1000 * wavelength;
  assert_refused (recording, NULL, "radius");
  recording->wavelength = wavelength / 3;
  assert_refused (recording, NULL, "too large for NA");
  recording->wavelength = wavelength;
  recording->na = NAN;
  assert_refused (recording, NULL, "--assign na=");
  recording->na = 0.1;
  recording->pixel_size = 0;
  assert_refused (recording, NULL, "--assign 'pixel_size=");
  recording->pixel_size = 1.8e-6;
  recording->directions = NULL;
  assert_refused (recording, NULL, "--positions");
  recording->directions = directions;
  assert_refused (recording, "upsampling=2", "at least 3");
  recording->wavelength = 2 * wavelength;
  assert_refused (recording, "rim=16", "choose a smaller one");
  recording->wavelength = wavelength;
  for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
    directions[2 * j] += 0.5;
  assert_refused (recording, NULL, "bright-field");
}

TEST (pupil_fit, "/engine/ptychography/pupil-fit")
{
  enum
  {
    N = 96
  };
  const double wanted[PRISM_PUPIL_N_MODES] = { 4, -1, 0.5, 0.3, -0.2, 0.4, 0.1, -0.1 };
  const double start[PRISM_PUPIL_N_MODES] = { 3 };
  g_autofree float *pupil = g_new (float, 2 * N * N), *other = g_new (float, 2 * N * N);
  double found[PRISM_PUPIL_N_MODES];

  prism_pupil_make_phase (pupil, N, N, 30, wanted);
  prism_pupil_clip (pupil, N, 30);
  prism_pupil_fit (pupil, N, 30, start, found);
  for (int i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_assert_cmpfloat_with_epsilon (found[i], wanted[i], 1e-3);
  prism_pupil_resample (pupil, N, other, 64);
  prism_pupil_fit (other, 64, 20, start, found);
  for (int i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_assert_cmpfloat_with_epsilon (found[i], wanted[i], 0.03);
}

/* Zernike's polynomials, as in polar coordinates. */
TEST (modes, "/engine/ptychography/modes")
{
  for (int i = 0; i < 64; i++)
    {
      const double r = 0.3 + 0.2 * (i % 4), angle = 0.1 + 0.1 * i, coma = 3 * r * r * r - 2 * r;
      const double expected[PRISM_PUPIL_N_MODES] = { 2 * r * r - 1,
                                                     r * r * cos (2 * angle),
                                                     r * r * sin (2 * angle),
                                                     coma * cos (angle),
                                                     coma * sin (angle),
                                                     6 * pow (r, 4) - 6 * r * r + 1,
                                                     pow (r, 3) * cos (3 * angle),
                                                     pow (r, 3) * sin (3 * angle) };
      double modes[PRISM_PUPIL_N_MODES];

      prism_pupil_evaluate_modes (r * cos (angle), r * sin (angle), modes);
      for (guint mode = 0; mode < PRISM_PUPIL_N_MODES; mode++)
        {
          g_test_message ("%s at %g, %g", prism_pupil_get_mode_name (mode), r, angle);
          g_assert_cmpfloat_with_epsilon (modes[mode], expected[mode], 1e-12);
        }
    }
}
