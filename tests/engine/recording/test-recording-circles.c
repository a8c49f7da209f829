#include "../support/recording-notes.h"
#include "../support/simulated-microscope.h"
#include "prism-test.h"
#include "recording/prism-recording-geometry.h"
#include "recording/prism-recording-private.h"

/* A simulated microscope of which something is said that is not so. */
static PrismRecording *
simulate (void)
{
  PrismRecording *recording = simulated_microscope_new (NULL, "size", "96", "per_side", "7", NULL);

  g_assert_nonnull (recording->directions);
  return recording;
}

TEST (right, "/engine/recording-circles/right")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const double na = recording->na;

  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 0);
  g_assert_cmpfloat (recording->na, ==, na);
}

/* Spectra of nine bright frames have edges of the specimen's own. */
TEST (few, "/engine/recording-circles/few")
{
  static const char *const settings[][2] = { { "5e-3", "2" }, { "6e-3", "5" }, { "6e-3", "8" } };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_autoptr (PrismRecording) recording = simulated_microscope_new (
          NULL, "per_side", "5", "pitch", settings[i][0], "seed", settings[i][1], NULL);

      prism_recording_geometry_correct (recording, FALSE);
      g_assert_cmpuint (recording->notes->len, ==, 0);
    }
}

/* A few per cent of small circles are less than a pixel of the spectrum. */
TEST (small, "/engine/recording-circles/small")
{
  g_autoptr (PrismRecording) recording = simulated_microscope_new (
      NULL, "size", "64", "per_side", "5", "specimen", "1", NULL);

  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 0);
}

TEST (na, "/engine/recording-circles/na")
{
  static const double factors[] = { 0.75, 0.85, 0.9, 1.1, 1.25 };

  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autoptr (PrismRecording) recording = simulate ();
      const double na = recording->na;

      recording->na *= factors[i];
      prism_recording_geometry_correct (recording, FALSE);
      g_assert_cmpuint (recording->notes->len, ==, 1);
      g_assert_cmpfloat_with_epsilon (recording->na, na, 0.04 * na);
    }
}

/* What somebody says stays; of an NA that does not fit a sentence tells. */
TEST (said, "/engine/recording-circles/said")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const double distance = recording->distance;

  recording->na *= 0.85;
  recording->na_said = TRUE;
  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 1);
  HAS (g_ptr_array_index (recording->notes, 0), "would fit, and stays 0.085");
  g_assert_cmpfloat_with_epsilon (recording->na, 0.085, 1e-12);
  recording->distance *= 1.1;
  recording->na = 0.1;
  prism_recording_update (recording);
  recording->directions_said = TRUE;
  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 1);
  recording->directions_said = FALSE;
  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 2);
  g_assert_cmpfloat_with_epsilon (recording->distance, distance, 0.03 * distance);
}

/* A table is believed no more than a file. */
TEST (table, "/engine/recording-circles/table")
{
  g_autoptr (PrismRecording) recording = simulate ();
  g_autoptr (GString) text = g_string_new ("na_x,na_y\n");
  const guint n = recording->n_frames;
  g_autofree double *right = g_memdup2 (recording->directions, sizeof (double) * 2 * n);

  for (guint j = 0; j < n; j++)
    g_string_append_printf (text, "%.9f,%.9f\n", -1.08 * right[2 * j], -1.08 * right[2 * j + 1]);
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  recording->na_said = TRUE;
  g_assert_true (prism_recording_parse_positions (recording, bytes, "leds.csv", NULL));
  for (guint j = 0; j < 2 * n; j++)
    g_assert_cmpfloat_with_epsilon (recording->directions[j], right[j], 0.005);
}

/* What the frames say of a file's places is nothing for those of a table. */
TEST (better_table, "/engine/recording-circles/better-table")
{
  g_autoptr (PrismRecording) recording = simulate ();
  g_autoptr (GString) text = g_string_new ("x_mm,y_mm\n");
  const guint n = recording->n_frames;
  g_autofree double *right = g_memdup2 (recording->directions, sizeof (double) * 2 * n);

  for (guint j = 0; j < 2 * n; j++)
    {
      g_string_append_printf (text, "%.9f%s", 1e3 * recording->positions[j],
                              j % 2 == 0 ? "," : "\n");
      recording->positions[j] += 4e-3;
    }
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  recording->directions_given = FALSE;
  prism_recording_update (recording);
  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpfloat (fabs (recording->shift[0]), >, 3e-3);
  g_assert_true (prism_recording_parse_positions (recording, bytes, "leds.csv", NULL));
  g_assert_cmpfloat (recording->shift[0], ==, 0);
  for (guint j = 0; j < 2 * n; j++)
    g_assert_cmpfloat_with_epsilon (recording->directions[j], right[j], 1e-3);
}

/* Directions that are too large, turned, and of a board that is shifted. */
TEST (directions, "/engine/recording-circles/directions")
{
  static const double wrong[][4]
      = { { 1.07, 0, 0, 0 }, { 0.93, 0, 0, 0 }, { 1, 0.07, 0, 0 }, { 1, 0, 0.02, -0.01 } };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (PrismRecording) recording = simulate ();
      const guint n = recording->n_frames;
      g_autofree double *right = g_memdup2 (recording->directions, sizeof (double) * 2 * n);
      const double c = wrong[i][0] * cos (wrong[i][1]), s = wrong[i][0] * sin (wrong[i][1]);
      double worst = 0;

      recording->directions_given = TRUE;
      for (guint j = 0; j < n; j++)
        {
          double *at = recording->directions + 2 * j;

          at[0] = c * right[2 * j] - s * right[2 * j + 1] + wrong[i][2];
          at[1] = s * right[2 * j] + c * right[2 * j + 1] + wrong[i][3];
        }
      prism_recording_geometry_correct (recording, FALSE);
      g_assert_cmpuint (recording->notes->len, ==, 1);
      for (guint j = 0; j < 2 * n; j++)
        worst = MAX (worst, fabs (recording->directions[j] - right[j]));
      g_test_message ("%g %g %g %g: off by %.4f", wrong[i][0], wrong[i][1], wrong[i][2],
                      wrong[i][3], worst);
      g_assert_cmpfloat (worst, <, 0.005);
    }
}

/* How far directions are from what they should be, whose sign together cannot be seen. */
static double
find_worst (const PrismRecording *recording, const double *right)
{
  double worst[2] = { 0 };

  for (guint j = 0; j < 2 * recording->n_frames; j++)
    {
      worst[0] = MAX (worst[0], fabs (recording->directions[j] - right[j]));
      worst[1] = MAX (worst[1], fabs (recording->directions[j] + right[j]));
    }
  return MIN (worst[0], worst[1]);
}

/* A board that is turned, mirrored, at another distance, one LED off or counted from its corner, or
 * a pixel that is half or twice as large: no edges are where they should be. */
TEST (far, "/engine/recording-circles/far")
{
  static const struct
  {
    double turn; /* degrees */
    double distance;
    double shift[2]; /* m */
    double pixel;
    gboolean mirrored;
    guint n_notes;
    const char *note;
  } wrong[] = {
    { 12, 1, { 0, 0 }, 1, FALSE, 1, "turned by -12." },
    { -45, 1, { 0, 0 }, 1, FALSE, 1, "turned by 4" },
    { 75, 1, { 0, 0 }, 1, FALSE, 1, "turned by -7" },
    { 10, 1, { 0, 0 }, 1, TRUE, 2, "y is taken as" },
    { 0, 1.5, { 0, 0 }, 1, FALSE, 1, "times as large" },
    { 0, 0.6, { 0, 0 }, 1, FALSE, 1, "times as large" },
    { 0, 1, { 4e-3, -4e-3 }, 1, FALSE, 1, "shifted" },
    { 0, 1, { 12e-3, 12e-3 }, 1, FALSE, 1, "shifted" },
    { 0, 1, { 0, 0 }, 0.5, FALSE, 1, "another pixel" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (PrismRecording) recording = simulate ();
      const guint n = recording->n_frames;
      g_autofree double *right = g_memdup2 (recording->directions, sizeof (double) * 2 * n);
      const double c = cos (wrong[i].turn * G_PI / 180), s = sin (wrong[i].turn * G_PI / 180);
      const double pixel = recording->pixel_size;

      for (guint j = 0; j < n; j++)
        {
          double *at = recording->positions + 2 * j;
          const double x = at[0], y = at[1];

          at[0] = c * x - s * y + wrong[i].shift[0];
          at[1] = (wrong[i].mirrored ? -1 : 1) * (s * x + c * y + wrong[i].shift[1]);
        }
      recording->directions_given = FALSE;
      recording->distance *= wrong[i].distance;
      recording->pixel_size *= wrong[i].pixel;
      prism_recording_update (recording);
      prism_recording_geometry_correct (recording, FALSE);
      g_test_message ("%u: off by %.4f", (guint) i, find_worst (recording, right));
      g_assert_cmpuint (recording->notes->len, ==, wrong[i].n_notes);
      g_assert_true (recording_has_note (recording, wrong[i].note));
      g_assert_cmpfloat (find_worst (recording, right), <, 0.01);
      g_assert_cmpfloat_with_epsilon (recording->pixel_size, pixel, 1e-12);
    }
}

/* A pixel that somebody said stays; a sentence tells which one would fit. */
TEST (pixel_said, "/engine/recording-circles/pixel-said")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const double pixel = 0.5 * recording->pixel_size;

  recording->pixel_size = pixel;
  recording->pixel_said = TRUE;
  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 1);
  g_assert_true (recording_has_note (recording, "would fit, and it stays"));
  g_assert_cmpfloat (recording->pixel_size, ==, pixel);
}

/* So does a distance, beside which the board is turned all the same. */
TEST (distance_said, "/engine/recording-circles/distance-said")
{
  static const double factors[] = { 1, 1.2 };

  for (gsize i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autoptr (PrismRecording) recording = simulate ();
      const double distance = factors[i] * recording->distance;

      recording->directions_given = FALSE;
      recording->distance_said = TRUE;
      recording->distance = distance;
      recording->rotation = 15;
      prism_recording_update (recording);
      prism_recording_geometry_correct (recording, FALSE);
      g_assert_cmpuint (recording->notes->len, ==, 1 + i);
      g_assert_true (recording_has_note (recording, "turned by -1"));
      g_assert_cmpint (recording_has_note (recording, "would fit, and it stays 0.1"), ==, i == 1);
      g_assert_cmpfloat (recording->distance, ==, distance);
      g_assert_cmpfloat_with_epsilon (recording->rotation, 0, 0.5);
    }
}

/* Frames in another order than the positions: there is nothing to find. */
TEST (order, "/engine/recording-circles/order")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const guint n = recording->n_frames;

  for (guint j = 0; j < n / 2; j++)
    for (guint k = 0; k < 2; k++)
      {
        const guint a = 2 * j + k, b = 2 * ((j + n / 2) % n) + k;
        const double value = recording->directions[a];

        recording->directions[a] = recording->directions[b];
        recording->directions[b] = value;
      }
  recording->directions_given = TRUE;
  prism_recording_geometry_correct (recording, FALSE);
  g_assert_cmpuint (recording->notes->len, ==, 0);
}

/* Looked at are frames whose circles are apart: neither on the axis nor at the rim. */
TEST (chosen, "/engine/recording-circles/chosen")
{
  static const double parts[] = { 0.1, 0.2, -0.5, 0.85, 0.95, 1.2 };
  g_autoptr (PrismRecording) recording = simulate ();
  g_autofree guint *frames = g_new0 (guint, recording->n_frames);

  for (guint j = 0; j < recording->n_frames; j++)
    for (int axis = 0; axis < 2; axis++)
      recording->directions[2 * j + axis]
          = recording->na * parts[MIN (j, 5)] * (axis == 0 ? 0.6 : 0.8);
  g_assert_cmpuint (prism_recording_geometry_choose (recording, frames, 9), ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (frames[i], ==, i + 1);
  g_assert_cmpuint (prism_recording_geometry_choose (recording, frames, 2), ==, 2);
  g_clear_pointer (&recording->directions, g_free);
  g_assert_cmpuint (prism_recording_geometry_choose (recording, frames, 9), ==, 0);
}
