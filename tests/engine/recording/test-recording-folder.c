#include "../support/hdf5-file.h"
#include "../support/recording-notes.h"
#include "../support/test-remove-tree.h"
#include "formats/prism-npy.h"
#include "formats/prism-png-stream.h"
#include "prism-test.h"

#include <png.h>

/* Frames that are files of their own: the order is that of the numbers in their names. */
#define N 12
#define H 4
#define W 6

FOLDER_FIXTURE ("a")

/* A picture that is brighter the larger its number is. */
static void
write_picture (const Fixture *fixture, int number, int width)
{
  g_autofree char *name = g_strdup_printf ("img_%d.png", number);
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);
  g_autoptr (PrismImage) image = prism_image_new (H, width, NULL);

  for (int i = 0; i < H * width; i++)
    image->pixels[i] = (float) number / 100.0f / (float) (1 + i % 5);
  g_assert_true (prism_image_save_png (image, path, 16, 0.0f, 1.0f, NULL, NULL));
}

static void
write_pictures (const Fixture *fixture)
{
  for (int j = N; j > 0; j--)
    write_picture (fixture, j, W);
}

static PrismRecording *
load (const Fixture *fixture)
{
  return MUST (prism_recording_load (fixture->directory, NULL, &error));
}

static void
write_text (const Fixture *fixture, const char *name)
{
  g_assert_true (g_file_set_contents (in_folder (fixture->directory, name), "x", 1, NULL));
}

TEST_FIXTURE (order, "/engine/recording-folder/order")
{
  write_pictures (self);
  write_text (self, "notes.txt");
  write_text (self, ".hidden.png");
  write_text (self, "other.tif");
  g_autoptr (PrismRecording) recording = load (self);
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_cmpuint (recording->height, ==, H);
  g_assert_cmpuint (recording->width, ==, W);
  for (int j = 0; j < N; j++)
    g_assert_cmpfloat_with_epsilon (recording->frames[j * H * W], (j + 1) / 100.0f, 1e-4);
  g_assert_true (recording_has_note (recording, "img_12.png"));
  g_assert_true (recording_has_note (recording, "Left out, of another kind: 1 × .tif."));
}

/* A frame that is there packed, too, is one frame. */
TEST_FIXTURE (twins, "/engine/recording-folder/twins")
{
  write_pictures (self);
  write_text (self, "img_3.png.gz");
  write_text (self, "img_12.png.bz2");
  g_autoptr (PrismRecording) recording = load (self);
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_true (recording_has_note (recording, "“img_3.png.gz” and others"));
}

/* A picture without a number is none of them, and pictures have counts, which exposures divide. */
TEST_FIXTURE (others, "/engine/recording-folder/others")
{
  g_autofree char *numbered = g_build_filename (self->directory, "img_1.png", NULL);
  g_autofree char *dark = g_build_filename (self->directory, "dark.png", NULL);
  g_autoptr (GString) text = g_string_new ("x_mm,y_mm,exposure_ms\n");

  for (int j = N; j > 0; j--)
    {
      write_picture (self, j, W);
      g_string_append_printf (text, "%d,0,%d\n", j, j > 6 ? 20 : 10);
      if (j == 1)
        g_assert_cmpint (g_rename (numbered, dark), ==, 0);
    }
  write_picture (self, 1, W);
  g_autoptr (PrismRecording) recording = load (self);
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_true (recording_has_note (recording, "Left out, without a number: “dark.png”"));
  g_autoptr (GBytes) table = g_bytes_new (text->str, text->len);
  g_assert_true (prism_recording_parse_positions (recording, table, "leds.csv", NULL));
  g_assert_true (recording_has_note (recording, "is divided by its exposure"));
}

static void
check_refused (const char *path, const char *expected)
{
  FAILS (prism_recording_load (path, NULL, &error), FORMAT, expected);
}

TEST_FIXTURE (refused, "/engine/recording-folder/refused")
{
  check_refused (self->directory, "a folder without frames");
  write_picture (self, 1, W);
  check_refused (self->directory, "img_1.png” is a single picture (PNG)");
  check_refused (in_folder (self->directory, "img_1.png"), "a single picture (PNG)");
  write_picture (self, 2, W + 1);
  check_refused (self->directory, "img_2.png");
  check_refused (self->directory, "its size is not that of the first");
  write_text (self, "img_1.png");
  check_refused (self->directory, "img_1.png");
}

/* A folder deeper, where there is one; where there are two they are named. */
TEST_FIXTURE (deeper, "/engine/recording-folder/deeper")
{
  g_autofree char *second = g_build_filename (self->directory, "b", NULL);
  g_autofree char *inner = g_build_filename (self->directory, "a", "images", NULL);
  const Fixture places[] = { { inner }, { second } };

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_assert_cmpint (g_mkdir_with_parents (places[i].directory, 0700), ==, 0);
      write_pictures (&places[i]);
      if (i == 1)
        {
          check_refused (self->directory, "has frames in 2 folders");
          continue;
        }
      g_autoptr (PrismRecording) recording = load (self);
      g_assert_cmpuint (recording->n_frames, ==, N);
      g_assert_true (recording_has_note (recording, "“a/images/img_1.png”"));
    }
}

/* Pictures of a kind that is not read are named. */
TEST_FIXTURE (foreign, "/engine/recording-folder/foreign")
{
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (in_folder (self->directory, "a1.bmp"), "BM", 2, NULL));
  g_autoptr (PrismRecording) recording = prism_recording_load (self->directory, NULL, &error);
  g_assert_null (recording);
  HAS (error->message, "a folder without frames", "a1.bmp” is a single picture (BMP)");
}

/* Colours are mixed with a sentence, or one is taken. */
TEST_FIXTURE (colours, "/engine/recording-folder/colours")
{
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  for (int j = 0; j < N; j++)
    {
      g_autofree char *name = g_strdup_printf ("img_%d.png", j);
      g_autofree char *path = g_build_filename (self->directory, name, NULL);
      png_image image
          = { .version = PNG_IMAGE_VERSION, .width = W, .height = H, .format = PNG_FORMAT_RGB };
      guint8 pixels[3 * H * W];

      for (int i = 0; i < 3 * H * W; i++)
        pixels[i] = (guint8) (i % 3 == 1 ? 10 * j + i % 7 + 1 : 200);
      g_assert_true (png_image_write_to_file (&image, path, 0, pixels, 0, NULL));
    }
  g_autoptr (PrismRecording) mixed = load (self);
  g_assert_true (recording_has_note (mixed, "frames=green"));
  g_assert_true (prism_recipe_set (recipe, "frames", "green", NULL));
  g_autoptr (PrismRecording) green = MUST (prism_recording_load (self->directory, recipe, &error));
  g_assert_false (recording_has_note (green, "frames=green"));
  for (int j = 0; j < N; j++)
    for (int i = 0; i < H * W; i++)
      g_assert_cmpfloat_with_epsilon (green->frames[j * H * W + i],
                                      (float) (10 * j + (3 * i + 1) % 7 + 1) / 255.0f, 1e-6f);
}

/* A description in JSON says which file is which, and all numbers. */
TEST_FIXTURE (description, "/engine/recording-folder/description")
{
  g_autofree char *path = g_build_filename (self->directory, "info.json", NULL);
  g_autoptr (GString) text = g_string_new ("{\"magnification\": 2, \"version\": \"1.0\","
                                           " \"sensor_pixel_size\": 3.6e-6,"
                                           " \"metadata\": {\"objective_na\": 0.1},"
                                           " \"captures\": [");

  for (int j = N; j > 0; j--)
    {
      write_picture (self, j, W);
      g_string_append_printf (text,
                              "%s{\"filename\": \"img_%d.png\", \"wavelength\": 6.3e-7,"
                              " \"led_positions\": [{\"x\": %g, \"y\": 0, \"z\": 0.08}]}",
                              j < N ? "," : "", j, 1e-3 * j);
    }
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  write_picture (self, N + 1, W);
  g_autoptr (PrismRecording) recording = load (self);
  g_assert_true (recording_has_note (recording, "as “info.json” does not name them: 1 files"));
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_cmpfloat_with_epsilon (recording->frames[0], N / 100.0f, 1e-4);
  g_assert_cmpfloat_with_epsilon (recording->positions[0], 1e-3 * N, 1e-9);
  g_assert_cmpfloat_with_epsilon (recording->distance, 0.08, 1e-9);
  g_assert_cmpfloat_with_epsilon (recording->wavelength, 6.3e-7, 1e-15);
  g_assert_cmpfloat_with_epsilon (recording->pixel_size, 1.8e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (recording->na, 0.1, 1e-12);
  /* An order of files of which one is not there is none. */
  g_string_replace (text, "img_5.png", "img_50.png", 0);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_autoptr (PrismRecording) other = prism_recording_load (self->directory, NULL, NULL);
  g_assert_cmpfloat_with_epsilon (other->frames[0], 0.01f, 1e-4);
  g_assert_true (recording_has_note (other, "“info.json” names “img_50.png”"));
}

/* Numbers in YAML and a table beside the frames; a table of something else, what is hidden and what
 * is no description is left alone. */
TEST_FIXTURE (beside, "/engine/recording-folder/beside")
{
  g_autofree char *hidden = g_build_filename (self->directory, ".setup.yml", NULL);
  g_autofree char *other = g_build_filename (self->directory, "setup.doc", NULL);
  g_autofree char *yaml = g_build_filename (self->directory, "setup.yml", NULL);
  g_autofree char *csv = g_build_filename (self->directory, "LEDs.CSV", NULL);
  g_autoptr (GString) text = g_string_new ("x_mm;y_mm\n");

  for (int j = 1; j <= N; j++)
    {
      write_picture (self, j, W);
      g_string_append_printf (text, "%d;0\n", j);
    }
  g_assert_true (g_file_set_contents (yaml, "light: {lambda: 630 nm}\nNA: 0.1\nname: red\n", -1,
                                      NULL));
  g_assert_true (g_file_set_contents (csv, "a,b\n1,2\n", -1, NULL));
  g_assert_true (g_file_set_contents (hidden, "light: {", -1, NULL));
  g_assert_true (g_file_set_contents (other, "\xd0\xcf", -1, NULL));
  g_autoptr (PrismRecording) without = load (self);
  g_assert_null (without->positions);
  g_assert_true (g_file_set_contents (csv, text->str, -1, NULL));
  g_autoptr (PrismRecording) recording = load (self);
  g_assert_true (recording_has_note (recording, "“setup.yml” says more of them."));
  g_assert_cmpfloat_with_epsilon (recording->wavelength, 6.3e-7, 1e-15);
  g_assert_cmpfloat_with_epsilon (recording->na, 0.1, 1e-12);
  for (int j = 0; j < N; j++)
    g_assert_cmpfloat_with_epsilon (recording->positions[2 * j], 1e-3 * (j + 1), 1e-9);
}

static void
write_places (const Fixture *fixture, const char *name, double scale, int n)
{
  g_autoptr (GString) text = g_string_new ("x,y\n");

  for (int j = 0; j < n; j++)
    g_string_append_printf (text, "%g,0\n", j == 0 ? 0 : scale * (j + 1));
  g_assert_true (g_file_set_contents (in_folder (fixture->directory, name), text->str, -1, NULL));
}

/* A stack alone has numbers and places by files of its name, not by others. */
TEST_FIXTURE (stack, "/engine/recording-folder/stack")
{
  g_autofree char *path = g_build_filename (self->directory, "frames.npy", NULL);
  g_autofree char *json = g_build_filename (self->directory, "frames.json", NULL);
  g_autofree char *other = g_build_filename (self->directory, "other.json", NULL);
  g_autofree float *values = g_new0 (float, N *H *W);

  for (gsize i = 0; i < N * H * W; i++)
    values[i] = (float) (i % 7);
  g_assert_true (prism_npy_save (path, values, 3, (gsize[]) { N, H, W }, NULL));
  g_assert_true (g_file_set_contents (other, "{\"na\": 0.2}", -1, NULL));
  write_places (self, "leds.csv", 2e-3, N);
  g_autoptr (PrismRecording) alone = MUST (prism_recording_load (path, NULL, &error));
  g_assert_true (isnan (alone->na) && alone->positions == NULL);
  g_assert_true (g_file_set_contents (json, "{\"na\": 0.1, \"wavelength\": 6.3e-7,"
                                            " \"zled\": 0.08}",
                                      -1, NULL));
  write_places (self, "frames.csv", 1e-3, N);
  g_autoptr (PrismRecording) known = MUST (prism_recording_load (path, NULL, &error));
  g_assert_true (recording_has_note (known, "“frames.json” says more of them."));
  g_assert_cmpfloat_with_epsilon (known->na, 0.1, 1e-12);
  g_assert_cmpfloat_with_epsilon (known->positions[2], 2e-3, 1e-9);
}

/* Of several files beside the frames each that is not used is named with the reason: the one that
 * puts the one dark frame on the axis, and all bright ones out of the NA, for instance. */
TEST_FIXTURE (several, "/engine/recording-folder/several")
{
  static const char *const expected[] = {
    "“bad.json” is not used",
    "“short.csv” beside the frames is not used",
    "it has 11 rows for 12 frames",
    "“dark.csv” beside the frames is not used: The light of 1",
    "“far.csv” beside the frames is not used: All frames look",
    "“ci.yml” beside the frames is not used",
    "null.json” has no positions of 12 frames",
  };
  g_autofree char *bad = g_build_filename (self->directory, "bad.json", NULL);
  g_autofree char *ci = g_build_filename (self->directory, "ci.yml", NULL);
  g_autofree char *null = g_build_filename (self->directory, "null.json", NULL);
  g_autofree char *yaml = g_build_filename (self->directory, "setup.yaml", NULL);

  write_pictures (self);
  g_assert_true (g_file_set_contents (bad, "{\"na\": 0.1", -1, NULL));
  g_assert_true (g_file_set_contents (ci, "jobs: none\n", -1, NULL));
  g_assert_true (g_file_set_contents (null, "null\n", -1, NULL));
  g_assert_true (g_file_set_contents (
      yaml, "wavelength: 630 nm\nNA: 0.1\npixel_size: 1.8 um\nled_distance: 80 mm\n", -1, NULL));
  write_places (self, "leds.csv", 1e-3, N);
  write_places (self, "short.csv", 1e-3, N - 1);
  write_places (self, "dark.csv", 12e-3, N);
  write_places (self, "far.csv", 60, N);
  for (int both = 0; both < 2; both++)
    {
      g_autoptr (PrismRecording) recording = load (self);

      for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
        if (!recording_has_note (recording, expected[i]))
          g_error ("“%s” is in no note", expected[i]);
      g_assert_true ((recording->positions == NULL) == both);
      g_assert_true (recording_has_note (recording, both ? "“leds.csv”, “more.csv” all fit"
                                                         : "leds.csv” has the positions"));
      write_places (self, "more.csv", 1.1e-3, N);
    }
}

/* A file of arrays for each frame, with numbers beside it, or all of them in groups of one file
 * with a number for each frame. Few such files say more of pictures. */
TEST_FIXTURE (arrays, "/engine/recording-folder/arrays")
{
  g_autofree char *path = g_build_filename (self->directory, "scan.h5", NULL);
  const hsize_t shape[] = { H, W };
  double values[H * W];

  for (int turn = 0; turn < 2; turn++)
    {
      Hdf5File all = hdf5_file_create (path);

      for (int j = N; j > 0; j--)
        {
          g_autofree char *name = g_strdup_printf ("f%d.h5", j);
          g_autofree char *file = g_build_filename (self->directory, name, NULL);
          g_autofree char *frame = g_strdup_printf ("%d/image", j);
          g_autofree char *x = g_strdup_printf ("%d/x_mm", j);
          g_autofree char *y = g_strdup_printf ("%d/y_mm", j);
          Hdf5File one = hdf5_file_create (file);

          for (int i = 0; i < H * W; i++)
            values[i] = 100 * j + i;
          hdf5_file_add (&one, "raw/image", 2, shape, values);
          HDF5_FILE_SCALARS (&one, { "NA", 0.1 }, { "raw/wavelength_nm", 630 });
          hdf5_file_close (&one);
          hdf5_file_add (&all, frame, 2, shape, values);
          HDF5_FILE_SCALARS (&all, { x, 2 * j }, { y, -j });
        }
      hdf5_file_close (&all);
      if (turn == 0)
        g_unlink (path);
      g_autoptr (PrismRecording) recording
          = MUST (prism_recording_load (turn == 0 ? self->directory : path, NULL, &error));
      g_assert_cmpuint (recording->n_frames, ==, N);
      g_assert_cmpuint (recording->width, ==, W);
      for (int j = 0; j < N; j++)
        g_assert_cmpfloat (recording->frames[j * H * W + W], ==, 100 * (j + 1) + W);
      g_assert_true ((recording->positions == NULL) == (turn == 0));
      if (turn == 0)
        g_assert_cmpfloat_with_epsilon (recording->wavelength, 630e-9, 1e-15);
      else
        g_assert_cmpfloat_with_epsilon (recording->positions[2 * N - 1], -1e-3 * N, 1e-12);
    }
  for (int j = PRISM_RECORDING_FEW; j <= N; j++)
    {
      g_autofree char *name = g_strdup_printf ("f%d.h5", j);
      g_autofree char *file = g_build_filename (self->directory, name, NULL);

      g_unlink (file);
    }
  for (int j = 1; j <= N; j++)
    write_picture (self, j, W);
  g_autoptr (PrismRecording) pictures
      = MUST (prism_recording_load (self->directory, NULL, &error));
  g_assert_true (recording_has_note (pictures, "img_12.png"));
}
