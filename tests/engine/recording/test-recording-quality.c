#include "../support/recording-notes.h"
#include "../support/simulated-microscope.h"
#include "prism-test.h"
#include "recording/prism-recording-private.h"

/* A simulated microscope's frames, and what a camera or a program makes of them. */
static PrismRecording *
simulate_with (const char *photons, const char *stray)
{
  return simulated_microscope_new (NULL, "size", "128", "per_side", "7", "photons", photons,
                                   "stray", stray, "read_noise", "0", NULL);
}

static PrismRecording *
simulate (void)
{
  return simulate_with ("0", "0");
}

static gsize
count_values (const PrismRecording *recording)
{
  return (gsize) recording->n_frames * recording->height * recording->width;
}

static float
find_most (const PrismRecording *recording)
{
  float most = 0;

  for (gsize i = 0; i < count_values (recording); i++)
    most = MAX (most, recording->frames[i]);
  return most;
}

TEST (good, "/engine/recording-quality/good")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const gsize n = count_values (recording);
  g_autofree float *before = g_memdup2 (recording->frames, n * sizeof (float));
  const guint n_notes = recording->notes->len;

  prism_recording_quality_check (recording, TRUE);
  g_assert_cmpuint (recording->notes->len, ==, n_notes);
  g_assert_cmpmem (before, n * sizeof (float), recording->frames, n * sizeof (float));
}

TEST (amplitudes, "/engine/recording-quality/amplitudes")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const gsize n = count_values (recording);

  for (gsize i = 0; i < n; i++)
    recording->frames[i] = sqrtf (recording->frames[i]);
  prism_recording_quality_check (recording, FALSE);
  g_assert_false (recording_has_note (recording, "amplitudes"));
  prism_recording_quality_check (recording, TRUE);
  g_assert_true (recording_has_note (recording, "amplitudes"));
}

/* Stray light, whose noise goes beyond the band, makes no amplitudes of intensities. */
TEST (stray, "/engine/recording-quality/stray")
{
  g_autoptr (PrismRecording) recording = simulate_with ("1e6", "0.001");

  prism_recording_quality_check (recording, TRUE);
  g_assert_false (recording_has_note (recording, "amplitudes"));
}

TEST (full, "/engine/recording-quality/full")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const float most = find_most (recording);

  for (gsize i = 0; i < n_pixels; i++)
    recording->frames[7 * n_pixels + i] = most;
  prism_recording_quality_check (recording, TRUE);
  g_assert_true (recording_has_note (recording, "Frame 7 is full nearly everywhere, and is taken"
                                                " as dark."));
  g_assert_cmpfloat (recording->frames[7 * n_pixels], ==, 0);
}

/* Another frame has some such pixels, too: what is counted says from which share on. */
TEST (full_share, "/engine/recording-quality/full/share")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const float most = find_most (recording);

  for (gsize i = 0; i < 3 + n_pixels / 500; i++)
    recording->frames[7 * n_pixels + i] = most;
  recording->frames[8 * n_pixels] = most;
  prism_recording_quality_check (recording, TRUE);
  g_assert_true (recording_has_note (recording, "1 frame has the largest value, "));
  g_assert_true (recording_has_note (recording, ", in more than 0.1 % of its pixels: "));
}

/* Frames that know black and white alone, all of them white, are told of once. */
TEST (black_and_white, "/engine/recording-quality/black-and-white")
{
  g_autoptr (PrismRecording) recording = simulate ();
  guint n = 0;

  for (gsize i = 0; i < count_values (recording); i++)
    recording->frames[i] = i % 3 > 0;
  prism_recording_quality_check (recording, TRUE);
  for (guint i = 0; i < recording->notes->len; i++)
    n += strstr (g_ptr_array_index (recording->notes, i), "nearly everywhere") != NULL;
  g_assert_cmpuint (n, ==, 1);
  g_assert_true (recording_has_note (recording, "Frames 0, 1, 2, 3, 4, 5, 6, 7 … are full"));
}

static void
multiply (PrismRecording *recording, guint frame, float factor)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;

  for (gsize i = 0; i < n_pixels; i++)
    recording->frames[frame * n_pixels + i] *= factor;
}

/* A bright frame that is far too bright, and what is not: frames of another order. */
TEST (glaring, "/engine/recording-quality/glaring")
{
  g_autoptr (PrismRecording) recording = simulate (), shifted = simulate ();
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const guint n = recording->n_frames, n_notes = shifted->notes->len;

  multiply (recording, 1, 50);
  prism_recording_quality_check (recording, TRUE);
  g_assert_true (recording_has_note (recording, "times the light"));
  g_assert_cmpfloat (recording->frames[n_pixels + 5], ==, 0);
  g_assert_cmpfloat (recording->frames[2 * n_pixels + 5], >, 0);
  for (guint k = 0; k < 2 * n; k++)
    shifted->directions[k] += k % 2 == 0 ? shifted->na : 0;
  prism_recording_quality_check (shifted, TRUE);
  g_assert_cmpuint (shifted->notes->len, ==, n_notes);
}

/* A counter that has run over. Where the directions come later it is found then. */
TEST (scrambled, "/engine/recording-quality/scrambled")
{
  g_autoptr (PrismRecording) recording = simulate_with ("1e5", "0");
  const gsize n_pixels = (gsize) recording->height * recording->width;
  g_autofree double *directions = g_steal_pointer (&recording->directions);
  const double most = (double) find_most (recording);

  for (gsize i = n_pixels; i < 2 * n_pixels; i++)
    recording->frames[i] = (float) fmod (3 * (double) recording->frames[i], most);
  prism_recording_quality_check (recording, TRUE);
  g_assert_cmpfloat (recording->frames[n_pixels + 5], >, 0);
  recording->directions = g_steal_pointer (&directions);
  prism_recording_quality_leave_out (recording);
  g_assert_true (recording_has_note (recording, "Frame 1 has details"));
  g_assert_cmpfloat (recording->frames[n_pixels + 5], ==, 0);
  g_assert_cmpfloat (recording->frames[5], >, 0);
}

/* Of one value; and of more than a few, but a step that is much of what dark frames have. */
TEST (few_values, "/engine/recording-quality/few-values")
{
  for (int rounded = 0; rounded < 2; rounded++)
    {
      g_autoptr (PrismRecording) recording = simulate ();
      const float most = find_most (recording), levels = rounded ? 650 : 15;

      for (gsize i = 0; i < count_values (recording); i++)
        recording->frames[i] = floorf (levels * recording->frames[i] / most);
      prism_recording_quality_check (recording, TRUE);
      g_assert_true (recording_has_note (recording, rounded ? " different values each"
                                                            : "about 1 value each"));
    }
}

TEST (noise, "/engine/recording-quality/noise")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const float most = find_most (recording);

  for (gsize i = 0; i < count_values (recording); i++)
    recording->frames[i] += (float) g_random_double_range (0, 0.02 * (double) most);
  prism_recording_quality_check (recording, TRUE);
  g_assert_true (recording_has_note (recording, "noise"));
}

/* Masked pixels, hot ones, are neither noise nor do they hide where the light comes from. */
TEST (masked, "/engine/recording-quality/masked")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const guint n_notes = recording->notes->len;
  const float most = find_most (recording);

  recording->mask = g_malloc (n_pixels);
  memset (recording->mask, 1, n_pixels);
  for (gsize i = 0; i < 20; i++)
    {
      const gsize at = (700 * i + 77) % n_pixels;

      recording->mask[at] = 0;
      for (guint j = 0; j < recording->n_frames; j++)
        recording->frames[j * n_pixels + at] += most;
    }
  prism_recording_quality_check (recording, TRUE);
  prism_recording_geometry_correct (recording, TRUE);
  g_assert_cmpuint (recording->notes->len, ==, n_notes);
  memset (recording->mask, 1, n_pixels);
  prism_recording_quality_check (recording, TRUE);
  g_assert_true (recording_has_note (recording, "noise"));
}

/* Directions from the last frame to the first: dark frames where the bright ones should be. */
TEST (order, "/engine/recording-quality/order")
{
  g_autoptr (PrismRecording) recording = simulate ();
  const guint n_notes = recording->notes->len, n = recording->n_frames;

  prism_recording_check_light (recording);
  g_assert_cmpuint (recording->notes->len, ==, n_notes);
  for (guint j = 0; j < n / 2; j++)
    for (guint k = 0; k < 2; k++)
      {
        double *one = recording->directions + 2 * j + k;
        double *other = recording->directions + 2 * (n - 1 - j) + k, value = *one;

        *one = *other;
        *other = value;
      }
  prism_recording_check_light (recording);
  g_assert_true (recording_has_note (recording, "same order"));
}

/* Wherever the largest value lies, and also where none is above zero. */
TEST (largest, "/engine/recording-quality/largest")
{
  float values[3 * 7 * 5];
  PrismRecording recording = { .n_frames = 3, .height = 7, .width = 5, .frames = values };

  for (gsize at = 0; at < G_N_ELEMENTS (values); at++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
        values[i] = -1 - (float) i;
      g_assert_cmpfloat (prism_recording_get_largest (&recording), ==, 0);
      values[at] = 2;
      g_assert_cmpfloat (prism_recording_get_largest (&recording), ==, 2);
    }
}
