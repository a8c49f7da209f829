#include "config.h"

#include "../support/recording-notes.h"
#include "../support/test-remove-tree.h"
#include "base/prism-error.h"
#include "formats/prism-image.h"
#include "recording/prism-recording.h"

#include <glib/gstdio.h>
#include <string.h>

/* Frames that are files of their own: the order is that of the numbers in their names. */
#define N 12
#define H 4
#define W 6

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("prism-folder-XXXXXX", NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  test_remove_tree (fixture->folder);
  g_free (fixture->folder);
}

/* A picture that is brighter the larger its number is. */
static void
write_picture (const Fixture *fixture,
               int number,
               int width)
{
  g_autofree char *name = g_strdup_printf ("img_%d.png", number);
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (PrismImage) image = prism_image_new (H, width, NULL);

  for (int i = 0; i < H * width; i++)
    image->pixels[i] = (float) number / 100.0f / (float) (1 + i % 5);
  g_assert_true (prism_image_save_png (image, path, 16, 0.0f, 1.0f, NULL, NULL));
}

static void
write_text (const Fixture *fixture,
            const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
}

static void
test_order (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (GError) error = NULL;

  for (int j = N; j > 0; j--)
    write_picture (fixture, j, W);
  write_text (fixture, "notes.txt");
  write_text (fixture, ".hidden.png");
  write_text (fixture, "other.tif");
  recording = prism_recording_load (fixture->folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_cmpuint (recording->height, ==, H);
  g_assert_cmpuint (recording->width, ==, W);
  for (int j = 0; j < N; j++)
    g_assert_cmpfloat_with_epsilon (recording->frames[j * H * W], (j + 1) / 100.0f, 1e-4);
  g_assert_true (recording_has_note (recording, "img_12.png"));
}

/* A picture without a number is none of them, and pictures have counts, which exposures divide. */
static void
test_others (Fixture *fixture,
             gconstpointer data)
{
  g_autofree char *numbered = g_build_filename (fixture->folder, "img_1.png", NULL);
  g_autofree char *dark = g_build_filename (fixture->folder, "dark.png", NULL);
  g_autoptr (GString) text = g_string_new ("x_mm,y_mm,exposure_ms\n");
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (GBytes) table = NULL;
  g_autoptr (GError) error = NULL;

  for (int j = N; j > 0; j--)
    {
      write_picture (fixture, j, W);
      g_string_append_printf (text, "%d,0,%d\n", j, j > 6 ? 20 : 10);
      if (j == 1)
        g_assert_cmpint (g_rename (numbered, dark), ==, 0);
    }
  write_picture (fixture, 1, W);
  recording = prism_recording_load (fixture->folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_true (recording_has_note (recording, "Left out, without a number: “dark.png”"));
  table = g_bytes_new (text->str, text->len);
  g_assert_true (prism_recording_parse_positions (recording, table, "leds.csv", NULL));
  g_assert_true (recording_has_note (recording, "is divided by its exposure"));
}

static void
check_refused (const char *path,
               const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecording) recording = prism_recording_load (path, NULL, &error);

  g_assert_null (recording);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT);
  if (strstr (error->message, expected) == NULL)
    g_error ("“%s” is not in: %s", expected, error->message);
}

static void
test_refused (Fixture *fixture,
              gconstpointer data)
{
  g_autofree char *one = g_build_filename (fixture->folder, "img_1.png", NULL);

  check_refused (fixture->folder, "a folder without frames");
  write_picture (fixture, 1, W);
  check_refused (one, "a single picture (PNG)");
  write_picture (fixture, 2, W + 1);
  check_refused (fixture->folder, "img_2.png");
  check_refused (fixture->folder, "its size is not that of the first");
  write_text (fixture, "img_1.png");
  check_refused (fixture->folder, "img_1.png");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) \
  g_test_add ("/engine/recording-folder/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("order", test_order);
  ADD ("others", test_others);
  ADD ("refused", test_refused);
  return g_test_run ();
}
