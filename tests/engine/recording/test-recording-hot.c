#include "base/prism-arena.h"
#include "base/prism-random.h"
#include "prism-test.h"
#include "recording/prism-recording-private.h"

/* Frames of waves with other directions, and what a camera adds to them. */

#define N 20
#define SIDE 32

static PrismRecording *
make_frames (void)
{
  PrismRecording *recording = prism_recording_new ("frames.npy", "test");

  recording->n_frames = N;
  recording->height = recording->width = SIDE;
  recording->frames = prism_arena_new_array (sizeof (float) * N * SIDE * SIDE, "frames", NULL);
  for (guint j = 0; j < N; j++)
    for (guint y = 0; y < SIDE; y++)
      for (guint x = 0; x < SIDE; x++)
        {
          const double noise = prism_random_uniform (1, 2, j, (guint64) y * SIDE + x);
          const double light = j < N / 2 ? 6.2 : 1.2;
          const double wave = sin (cos (0.3 * j) * x + sin (0.3 * j) * y);

          recording->frames[(j * SIDE + y) * SIDE + x] = (float) (light + wave + 0.2 * noise);
        }
  return recording;
}

static void
add (PrismRecording *recording, int y, int x, double value)
{
  for (guint j = 0; j < N; j++)
    recording->frames[(j * SIDE + y) * SIDE + x] += (float) value;
}

TEST (found, "/engine/recording-hot/found")
{
  g_autoptr (PrismRecording) recording = make_frames ();
  guint n = 99;

  g_autofree guint8 *before = prism_recording_hot_find (recording, &n);
  g_assert_nonnull (before);
  g_assert_cmpuint (n, ==, 0);
  add (recording, 0, 0, 20);
  add (recording, 7, 30, 20);
  add (recording, 7, 31, 25);
  add (recording, 31, 12, 100);
  g_autofree guint8 *hot = prism_recording_hot_find (recording, &n);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpuint (hot[0], ==, 1);
  g_assert_cmpuint (hot[7 * SIDE + 30], ==, 1);
  g_assert_cmpuint (hot[7 * SIDE + 31], ==, 1);
  g_assert_cmpuint (hot[31 * SIDE + 12], ==, 1);
}

/* A lens makes no point of one pixel: stars that stand still in all frames stay. */
TEST (stars, "/engine/recording-hot/stars")
{
  g_autoptr (PrismRecording) recording = make_frames ();
  guint n;

  for (int y = -2; y <= 2; y++)
    for (int x = -2; x <= 2; x++)
      add (recording, 16 + y, 10 + x, 1000 * exp (-(x * x + y * y) / 1.44));
  g_autofree guint8 *hot = prism_recording_hot_find (recording, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* Light that gathers in a corner changes with its direction; what a camera adds does not. */
TEST (corner, "/engine/recording-hot/corner")
{
  g_autoptr (PrismRecording) recording = make_frames ();
  guint n;

  for (guint j = 0; j < N; j++)
    recording->frames[j * SIDE * SIDE] += (float) (15 * (1 + j % 5));
  g_autofree guint8 *hot = prism_recording_hot_find (recording, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* Rows between two modules of a detector. lost: a frame without anything */
static void
fill_gap (PrismRecording *recording, float value, gboolean lost)
{
  for (guint j = 0; j < N; j++)
    for (guint i = 12 * SIDE; i < 14 * SIDE; i++)
      recording->frames[j * SIDE * SIDE + i] = value;
  for (guint i = 0; lost && i < SIDE * SIDE; i++)
    recording->frames[3 * SIDE * SIDE + i] = 0;
}

TEST (gaps, "/engine/recording-hot/gaps")
{
  static const float values[] = { 65535, 4294967295.0f, -1, -1e6f, 0 };

  for (gsize k = 0; k < 2 * G_N_ELEMENTS (values); k++)
    {
      g_autoptr (PrismRecording) recording = make_frames ();
      guint n;

      fill_gap (recording, values[k / 2], k % 2);
      add (recording, 20, 20, 10);
      recording->frames[2 * SIDE * SIDE + 20 * SIDE + 20] = 0;
      g_autofree guint8 *found = prism_recording_hot_find_gaps (recording, &n);
      g_assert_cmpuint (n, ==, 2 * SIDE);
      g_assert_cmpuint (found[12 * SIDE], ==, 1);
      g_assert_cmpuint (found[14 * SIDE - 1], ==, 1);
    }
}

/* Where an object lets no light through frames show the same, but a lens has no sharp edge. */
TEST (opaque, "/engine/recording-hot/opaque")
{
  g_autoptr (PrismRecording) recording = make_frames ();
  guint n;

  for (guint j = 0; j < N; j++)
    for (int i = 0; i < SIDE * SIDE; i++)
      {
        const double distance = hypot (i % SIDE - 16, i / SIDE - 16);
        float *value = &recording->frames[j * SIDE * SIDE + i];

        *value = (float) floor ((double) *value * CLAMP ((distance - 5) / 5, 0, 1));
      }
  g_autofree guint8 *found = prism_recording_hot_find_gaps (recording, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* What is masked already is none. */
TEST (masked, "/engine/recording-hot/masked")
{
  g_autoptr (PrismRecording) recording = make_frames ();
  guint n;

  fill_gap (recording, 0, FALSE);
  recording->mask = g_malloc (SIDE * SIDE);
  for (guint i = 0; i < SIDE * SIDE; i++)
    recording->mask[i] = i / SIDE != 12 && i / SIDE != 13;
  g_autofree guint8 *found = prism_recording_hot_find_gaps (recording, &n);
  g_assert_cmpuint (n, ==, 0);
}

TEST (too_few, "/engine/recording-hot/too-few")
{
  g_autoptr (PrismRecording) recording = make_frames ();
  guint n = 99;

  recording->n_frames = 8;
  g_autofree guint8 *hot = prism_recording_hot_find (recording, &n);
  g_assert_null (hot);
  g_assert_cmpuint (n, ==, 0);
  g_assert_null (prism_recording_hot_find_gaps (recording, &n));
}
