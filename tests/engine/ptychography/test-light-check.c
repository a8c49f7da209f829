#include "../support/microscope.h"
#include "model/prism-config-check.h"
#include "../support/test-config.h"
#include "ptychography/prism-light-check.h"

/* Frames that are held out or left out, and values that are roots. */

static Microscope *
make_microscope (void)
{
  return microscope_new (&(const MicroscopeErrors) { .seed = 3, .gain_spread = 0.05 });
}

static PrismPtychography *
solve (Microscope *truth, const char *change)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismPtychography *solver;

  microscope_set (settings, change);
  test_config_set (settings, "border=0 pupil=flat passes=6");
  PrismPtychogram *frames = MUST (prism_ptychogram_new (truth->recording, settings, &error));
  solver = MUST (prism_ptychography_new (frames, settings, truth->recording->wavelength,
                                         truth->recording->na, &error));
  g_assert_true (prism_ptychography_begin (solver));
  for (int pass = 0; pass < settings->passes; pass++)
    g_assert_true (prism_ptychography_step (solver));
  return solver;
}

/* What is said of the lights, a line each. */
static char *
dup_doubts (PrismPtychography *solver, double *misfit)
{
  PrismPrediction held_out, used;
  g_autofree PrismFindingFrame *frames = prism_finding_frame_dup_all (solver, &held_out, &used);
  g_autoptr (GString) text = g_string_new (NULL);

  *misfit = held_out.misfit;
  prism_ptychography_judge (solver, &held_out);
  g_autoptr (GPtrArray) doubts = prism_light_check_find (solver, frames);
  for (guint i = 0; i < doubts->len; i++)
    g_string_append_printf (text, "%s\n", (char *) g_ptr_array_index (doubts, i));
  g_test_message ("misfit %g\n%s", *misfit, text->str);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Every eleventh frame of rows of eleven is a whole edge, which nothing surrounds. */
TEST (rows, "/engine/light-check/rows")
{
  g_autoptr (Microscope) truth = make_microscope ();
  double misfit;

  for (int hold_out = 10; hold_out <= 11; hold_out++)
    {
      g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
      guint n = 0, n_rightmost = 0;

      settings->hold_out = hold_out;
      g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (truth->recording, settings, NULL);
      g_assert_cmpint (frames->skewed, ==, hold_out == MICROSCOPE_LEDS);
      for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
        if (frames->roles[j] == PRISM_FRAME_HELD_OUT)
          {
            n++;
            n_rightmost += j % MICROSCOPE_LEDS == MICROSCOPE_LEDS - 1;
          }
      g_assert_cmpuint (n, >=, 10);
      g_assert_cmpuint (n, <=, 12);
      g_assert_cmpuint (n_rightmost, <=, 3);
    }
  g_autoptr (PrismPtychography) solver = solve (truth, "hold_out=11");
  g_autofree char *doubts = dup_doubts (solver, &misfit);
  HAS (doubts, "one line of the array");
}

/* Roots of intensities, as of pictures with gamma: squares are tried, and named where they fit. */
TEST (roots, "/engine/light-check/roots")
{
  g_autoptr (Microscope) truth = make_microscope ();
  double misfit;

  for (gsize k = 0; k < (gsize) MICROSCOPE_FRAMES * MICROSCOPE_SIDE * MICROSCOPE_SIDE; k++)
    truth->recording->frames[k] = sqrtf (truth->recording->frames[k]);
  for (int i = 0; i < 2; i++)
    {
      /* Nobody is told what is done already. */
      truth->recording->squared = i == 1;
      g_autoptr (PrismPtychography) solver = solve (truth, "leave_out=auto");
      g_autofree char *doubts = dup_doubts (solver, &misfit);
      g_assert_true ((strstr (doubts, "(values=amplitude)") != NULL) == (i == 0));
    }
}

/* Every frame a second time, three quarters and then five quarters as bright. */
static PrismRecording *
record_twice (const Microscope *truth)
{
  const gsize n = MICROSCOPE_FRAMES, n_pixels = (gsize) MICROSCOPE_SIDE * MICROSCOPE_SIDE;
  PrismRecording *twice = prism_recording_new ("twice", "a test");

  twice->n_frames = (guint) (2 * n);
  twice->width = twice->height = MICROSCOPE_SIDE;
  twice->na = truth->recording->na;
  twice->wavelength = truth->recording->wavelength;
  twice->pixel_size = truth->recording->pixel_size;
  twice->distance = truth->recording->distance;
  twice->frames = prism_arena_new_array (2 * n * n_pixels * sizeof (float), "frames", NULL);
  twice->directions = g_new (double, 4 * n);
  for (gsize j = 0; j < 2 * n; j++)
    {
      const float factor = j < n ? 0.75f : 1.25f;

      for (gsize i = 0; i < n_pixels; i++)
        twice->frames[j * n_pixels + i] = factor * truth->recording->frames[j % n * n_pixels + i];
      for (gsize k = 0; k < 2; k++)
        twice->directions[2 * j + k] = truth->recording->directions[2 * (j % n) + k];
    }
  return twice;
}

/* Means are what was recorded once, no place that is held out is used, leaving one exposure out
 * leaves the other. */
TEST (repeated, "/engine/light-check/repeated")
{
  const gsize n = MICROSCOPE_FRAMES;
  g_autoptr (Microscope) truth = make_microscope ();
  g_autoptr (PrismRecording) twice = record_twice (truth);
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  settings->background = 0;
  g_autoptr (PrismPtychogram) once = prism_ptychogram_new (truth->recording, settings, NULL);
  g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (twice, settings, NULL);
  g_assert_cmpuint (frames->n_used, ==, once->n_used);
  g_assert_cmpuint (frames->n_repeated, ==, n);
  g_assert_cmpuint (frames->n_left_out, ==, 0);
  g_assert_cmpfloat_with_epsilon (frames->overlap, once->overlap, 1e-9);
  g_assert_cmpmem (frames->order, frames->n_used * sizeof (guint), once->order,
                   once->n_used * sizeof (guint));
  for (guint j = 0; j < n; j++)
    {
      g_assert_cmpuint (frames->roles[j], ==, once->roles[j]);
      g_assert_cmpuint (frames->roles[n + j], ==, PRISM_FRAME_LEFT_OUT);
      g_assert_cmpfloat_with_epsilon (prism_ptychogram_get (frames, j)[77],
                                      prism_ptychogram_get (once, j)[77], 1e-3);
    }
  prism_ptychogram_tell (frames, sentences);
  HAS (g_ptr_array_index (sentences, 0), "121 frames repeat");
  microscope_set (settings, "leave_out=5");
  g_autoptr (PrismPtychogram) part = prism_ptychogram_new (twice, settings, NULL);
  g_assert_cmpuint (part->n_repeated, ==, n - 1);
  g_assert_cmpuint (part->roles[n + 5], !=, PRISM_FRAME_LEFT_OUT);
}

/* Frames that are no square are not explained whole, and that is said. */
TEST (cut, "/engine/light-check/cut")
{
  g_autoptr (Microscope) truth = make_microscope ();
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  g_autoptr (PrismPtychogram) whole = prism_ptychogram_new (truth->recording, settings, NULL);
  prism_ptychogram_tell (whole, sentences);
  g_assert_cmpuint (sentences->len, ==, 0);
  truth->recording->height -= 3;
  g_autoptr (PrismPtychogram) part = prism_ptychogram_new (truth->recording, settings, NULL);
  prism_ptychogram_tell (part, sentences);
  g_assert_cmpuint (sentences->len, ==, 1);
  HAS (g_ptr_array_index (sentences, 0), "Of 64×61 pixels the 60×60");
}

/* LEDs so near that the NA edge lies across some frames of a field: none of them is used or held
 * out, and that is said. */
TEST (crossed, "/engine/light-check/crossed")
{
  g_autoptr (Microscope) truth = make_microscope ();
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  guint n = 0;

  for (int k = 0; k < 2; k++)
    {
      const PrismRecording *recording = truth->recording;
      const double length = MICROSCOPE_SIDE * recording->pixel_size;

      truth->recording->distance = k == 0 ? NAN : 0.02;
      g_autoptr (PrismPtychogram) frames = prism_ptychogram_new (recording, settings, NULL);
      prism_ptychogram_tell (frames, sentences);
      for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
        {
          const double *at = recording->directions + 2 * j;
          const gboolean is_crossed = k == 1
                                      && fabs (hypot (at[0], at[1]) - recording->na)
                                             < length / 2 / recording->distance;

          n += is_crossed;
          g_assert_true ((frames->roles[j] == PRISM_FRAME_LEFT_OUT) == is_crossed);
        }
      g_assert_cmpuint (frames->n_crossed, ==, n);
      g_assert_cmpuint (frames->n_left_out, ==, n);
      g_assert_cmpuint (sentences->len, ==, k);
    }
  g_assert_cmpuint (n, >, 1);
  HAS (g_ptr_array_index (sentences, 0), "frames are left out: their light comes in");
  /* Two exposures of a place are one frame there as well. */
  g_autoptr (PrismRecording) twice = record_twice (truth);
  g_autoptr (PrismPtychogram) frames = MUST (prism_ptychogram_new (twice, settings, &error));
  g_assert_cmpuint (frames->n_crossed, ==, n);
  g_assert_cmpuint (frames->n_left_out, ==, n);
  g_assert_cmpuint (frames->n_repeated, ==, MICROSCOPE_FRAMES);
  g_assert_cmpuint (frames->n_used, <, MICROSCOPE_FRAMES - n);
}

/* A list names frames that there are. */
TEST (lists, "/engine/light-check/lists")
{
  static const char *const wrong[] = { "3-", "-3", "5-3", "1,,2", "x", "1 2" };
  g_autoptr (GArray) ranges = prism_frame_list_parse (" 17, 31 - 35", NULL);
  g_autoptr (Microscope) truth = make_microscope ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();

  g_assert_cmpuint (ranges->len, ==, 2);
  g_assert_cmpuint (g_array_index (ranges, PrismFrameRange, 0).last, ==, 17);
  g_assert_cmpuint (g_array_index (ranges, PrismFrameRange, 1).first, ==, 31);
  g_assert_cmpuint (g_array_index (ranges, PrismFrameRange, 1).last, ==, 35);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    FAILS (prism_frame_list_parse (wrong[i], &error), CONFIG, "");
  microscope_set (settings, "leave_out=3,121");
  g_assert_null (prism_ptychogram_new (truth->recording, settings, &error));
  HAS (error->message, "names frame 121; there are frames 0 to 120");
}
