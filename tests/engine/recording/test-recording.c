#include "../support/hdf5-file.h"
#include "../support/recording-notes.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"
#include "recording/prism-recording.h"

/* N frames of h × w pixels; every value says where it lies. */
#define N 5
#define H 4
#define W 6
#define M 40

FOLDER_FIXTURE ("cells.hdf5")

static double
get_value (int j, int y, int x)
{
  return 100 * j + 10 * y + x + 1;
}

static void
fill (double values[N][H][W])
{
  for (int j = 0; j < N; j++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        values[j][y][x] = get_value (j, y, x);
}

/* encoder has y first, in m. */
static const double encoder[2 * N] = { 0, 0, 0, 4e-3, 4e-3, 0, 0, -4e-3, -4e-3, 8e-3 };

/* A third column says how high the LEDs are. */
static void
write_ptylab (const char *path, guint columns)
{
  const hsize_t frames[] = { N, H, W };
  double values[N][H][W], places[3 * N] = { 0 };
  Hdf5File file = hdf5_file_create (path);

  fill (values);
  hdf5_file_add (&file, "ptychogram", 3, frames, &values[0][0][0]);
  for (int i = 0; i < 2 * N; i++)
    places[i / 2 * columns + i % 2] = encoder[i];
  hdf5_file_add (&file, "encoder", 2, (hsize_t[]) { N, columns }, places);
  HDF5_FILE_SCALARS (&file, { "wavelength", 630e-9 }, { "dxd", 3.69e-6 }, { "magnification", 2 },
                     { "zled", 0.08 }, { "NA", 0.1 });
  hdf5_file_close (&file);
}

static void
check_ptylab (const char *path, guint columns)
{
  g_autoptr (GError) error = NULL;
  double column, row;

  write_ptylab (path, columns);
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (path, NULL, &error));
  g_assert_cmpstr (recording->format, ==, "PtyLab HDF5");
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_cmpuint (recording->height, ==, H);
  g_assert_cmpuint (recording->width, ==, W);
  for (int j = 0; j < N; j++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        g_assert_cmpfloat (recording->frames[(j * H + y) * W + x], ==, get_value (j, y, x));
  g_assert_cmpfloat_with_epsilon (recording->pixel_size, 1.845e-6, 1e-15);
  g_assert_true (isnan (recording->defocus));
  g_assert_true (prism_recording_check (recording, &error));
  /* The second frame's LED lies at x = 4 mm, and so does its box. */
  prism_recording_get_center (recording, 1, 128, &column, &row);
  g_assert_cmpfloat_with_epsilon (column, 4 / hypot (4, 80) * 1.845e-6 * 128 / 630e-9, 1e-9);
  g_assert_cmpfloat (row, ==, 0);
}

TEST_FIXTURE (ptylab, "/engine/recording/ptylab")
{
  check_ptylab (self->path, 2);
  check_ptylab (self->path, 3);
}

/* What is said in other units than metres, a group or attributes is understood, with a sentence. */
TEST_FIXTURE (units, "/engine/recording/units")
{
  static const struct
  {
    double wavelength, dxd, zled, encoder;
    const char *note;
  } cases[] = {
    { 630, 3.69e-6, 0.08, 1, "630, is taken as nm" },
    { 0.63, 3.69e-6, 0.08, 1, "0.63, is taken as µm" },
    { 630e-9, 3.69, 0.08, 1, "3.69, is taken as µm" },
    { 630e-9, 3.69e-6, 80, 1, "80, is taken as mm" },
    { 630e-9, 3.69e-6, -0.08, 1, "without its sign" },
    { 630e-9, 3.69e-6, 0.08, 1e3, "are taken as mm" },
    { 630e-9, 3.69e-6, 0.08, 1e6, "are taken as µm" },
    { 630e-9, 3.69e-6, 80, 1e3, "axes" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const hsize_t frames[] = { N, H, 8 * W }, pairs[] = { N, 2 };
      double values[N * H * 8 * W], places[2 * N];
      g_autoptr (GError) error = NULL;
      Hdf5File file = hdf5_file_create (self->path);

      for (gsize k = 0; k < G_N_ELEMENTS (values); k++)
        values[k] = 1 + k % 3;
      for (gsize k = 0; k < G_N_ELEMENTS (places); k++)
        places[k] = cases[i].encoder * encoder[k];
      hdf5_file_add (&file, "cells/ptychogram", 3, frames, values);
      hdf5_file_add (&file, "cells/encoder", 2, pairs, places);
      hdf5_file_add (&file, "wavelength", 1, (hsize_t[]) { 2 },
                     (double[]) { cases[i].wavelength, cases[i].wavelength });
      hdf5_file_scalar (&file, "cells/dxd", cases[i].dxd);
      hdf5_file_attribute (&file, "magnification", 2);
      HDF5_FILE_SCALARS (&file, { "zled", cases[i].zled }, { "NA", 0.1 });
      hdf5_file_close (&file);
      g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, NULL, &error));
      g_assert_true (prism_recording_check (recording, &error));
      g_assert_cmpfloat_with_epsilon (recording->wavelength, 630e-9, 1e-15);
      g_assert_cmpfloat_with_epsilon (recording->pixel_size, 1.845e-6, 1e-15);
      g_assert_cmpfloat_with_epsilon (recording->directions[2], 4 / hypot (4, 80), 1e-9);
      g_assert_true (i + 1 == G_N_ELEMENTS (cases)
                     || recording_has_note (recording, cases[i].note));
    }
}

/* As many positions as an axis is long: it counts the frames. One without numbers is dark. */
TEST_FIXTURE (axis, "/engine/recording/axis")
{
  const hsize_t frames[] = { H, W, M }, pairs[] = { 2, M };
  double values[H][W][M], places[2][M];
  Hdf5File file = hdf5_file_create (self->path);

  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int j = 0; j < M; j++)
        values[y][x][j] = j == 7 ? NAN : get_value (j == 5 ? 4 : j, y, x);
  for (int j = 0; j < M; j++)
    {
      places[0][j] = j == 6 ? NAN : 1e-3 * j;
      places[1][j] = 2e-3 * j;
    }
  hdf5_file_add (&file, "ptychogram", 3, frames, &values[0][0][0]);
  hdf5_file_add (&file, "encoder", 2, pairs, &places[0][0]);
  hdf5_file_close (&file);
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, NULL, &error));
  g_assert_cmpuint (recording->n_frames, ==, M);
  g_assert_cmpuint (recording->width, ==, W);
  g_assert_null (recording->mask);
  g_assert_cmpfloat (recording->frames[(6 * H + 1) * W + 2], ==, get_value (6, 1, 2));
  g_assert_cmpfloat (recording->frames[7 * H * W], ==, 0);
  g_assert_true (recording_has_note (recording, "Frame 7 has values that are no numbers"));
  g_assert_true (recording_has_note (recording, "Frame 5 is the same as another one"));
  g_assert_true (recording_has_note (recording, "Frame 6 is left out: its place in “encoder”"));
  g_assert_true (recording->unplaced[6] && !recording->unplaced[5]);
  g_assert_false (recording_has_note (recording, "no value but 0"));
}

/* The sine behind a slide fulfils Snell's law and comes out where the LED is. */
TEST_FIXTURE (slide, "/engine/recording/slide")
{
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  write_ptylab (self->path, 2);
  g_assert_true (prism_recipe_set (recipe, "slide_thickness", "1 mm", NULL));
  g_assert_true (prism_recipe_set (recipe, "slide_index", "1.5", NULL));
  g_autoptr (PrismRecording) recording = prism_recording_load (self->path, recipe, NULL);
  double sine = recording->directions[2], inside = sine / 1.5;
  g_assert_cmpfloat_with_epsilon (80e-3 * sine / sqrt (1 - sine * sine)
                                      + 1e-3 * inside / sqrt (1 - inside * inside),
                                  4e-3, 1e-12);
}

TEST_FIXTURE (turned, "/engine/recording/turned")
{
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  write_ptylab (self->path, 2);
  g_assert_true (prism_recipe_set (recipe, "transpose", "yes", NULL));
  g_assert_true (prism_recipe_set (recipe, "flip_rows", "yes", NULL));
  g_assert_true (prism_recipe_set (recipe, "crop", "1 2 3 4", NULL));
  g_assert_true (prism_recipe_set (recipe, "values", "amplitude", NULL));
  g_autoptr (PrismRecording) recording = prism_recording_load (self->path, recipe, NULL);
  g_assert_cmpuint (recording->height, ==, 4);
  g_assert_cmpuint (recording->width, ==, 3);
  /* Turned, a frame has W rows and H columns; row 0 is column W − 1. */
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 3; x++)
      {
        double value = get_value (3, x + 1, W - 1 - (y + 2));

        g_assert_cmpfloat (recording->frames[(3 * 4 + y) * 3 + x], ==, value * value);
      }
}

TEST_FIXTURE (missing, "/engine/recording/missing")
{
  const hsize_t frames[] = { N, H, W };
  static const char *const steps[][2] = {
    { "wavelength", "630 nm" }, { "pixel_size", "1.845 um" }, { "na", "0.1" }
  };
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  double values[N][H][W];
  Hdf5File file = hdf5_file_create (self->path);

  fill (values);
  hdf5_file_add (&file, "ptychogram", 3, frames, &values[0][0][0]);
  hdf5_file_close (&file);
  for (gsize i = 0; i <= G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (PrismRecording) recording = prism_recording_load (self->path, recipe, NULL);
      g_assert_nonnull (recording);
      FAILS (prism_recording_check (recording, &error), CONFIG,
             i < G_N_ELEMENTS (steps) ? steps[i][0] : "CSV file");
      if (i < G_N_ELEMENTS (steps))
        g_assert_true (prism_recipe_set (recipe, steps[i][0], steps[i][1], NULL));
    }
}

static gboolean
parse_table (PrismRecording *recording, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return prism_recording_parse_positions (recording, bytes, "leds.csv", error);
}

TEST_FIXTURE (table, "/engine/recording/table")
{
  g_autoptr (GError) error = NULL;

  write_ptylab (self->path, 2);
  g_autoptr (PrismRecording) recording = prism_recording_load (self->path, NULL, NULL);
  g_assert_true (MUST (
      parse_table (recording, "frame;x_mm;y_mm\n4;8;-4\n0;0;0\n1;4,0;0\n2;0;4\n3;-4;0\n", &error)));
  g_assert_cmpfloat_with_epsilon (recording->positions[2], 4e-3, 1e-15);
  g_assert_cmpfloat_with_epsilon (recording->positions[9], -4e-3, 1e-15);
  g_assert_false (recording_has_note (recording, "swapped"));
  /* Directions of the light: the box lies opposite. */
  g_assert_true (parse_table (recording, "na_x,na_y\n0,0\n-0.05,0\n0,-0.05\n0.05,0\n-0.1,0.05\n",
                              &error));
  g_assert_cmpfloat_with_epsilon (recording->directions[2], 0.05, 1e-12);
  g_assert_false (recording_has_note (recording, "swapped"));
  g_assert_true (parse_table (recording, "x_mm,y_mm\n0,0\n0,4\n4,0\n0,-4\n-4,8\n", &error));
  g_assert_true (recording_has_note (recording, "swapped"));
}

/* The same directions as angles, in degrees that a name or their size tells, and in rad. */
TEST_FIXTURE (angles, "/engine/recording/angles")
{
  static const char *const tables[] = {
    "theta,phi\n0,0\n2.865984,180\n2.865984,-90\n"
    "2.865984,0\n6.419284,153.434949\n",
    "frame;Azimuth [°];Zenith (deg)\n0;0;0\n1;180;2,865984\n2;270;2,865984\n"
    "3;0;2,865984\n"
    "4;153,434949;6,419284\n",
    "theta_x [deg];theta_y [deg]\n0;0\n-2,865984;0\n0;-2,865984\n2,865984;0\n-5,746382;2,880434\n",
    "theta_rad phi_rad\n0 0\n0.05002086 3.14159265\n0.05002086 -1.57079633\n0.05002086 0\n"
    "0.11203764 2.67794504\n",
    "theta phi\n0 0\n0.05002086 3.14159265\n0.05002086 4.71238898\n0.05002086 0\n"
    "0.11203764 2.67794504\n",
  };

  write_ptylab (self->path, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autoptr (PrismRecording) recording = prism_recording_load (self->path, NULL, NULL);

      g_assert_true (MUST (parse_table (recording, tables[i], &error)));
      g_assert_true (recording_has_note (recording, i < 3 ? "degrees" : "radians"));
      g_assert_cmpfloat_with_epsilon (recording->directions[2], 0.05, 1e-7);
      g_assert_cmpfloat_with_epsilon (recording->directions[5], 0.05, 1e-7);
      g_assert_cmpfloat_with_epsilon (recording->directions[8], 0.1, 1e-7);
      g_assert_cmpfloat_with_epsilon (recording->directions[9], -0.05, 1e-7);
    }
}

TEST_FIXTURE (bad_tables, "/engine/recording/bad-tables")
{
  static const char *const tables[] = {
    "", "\n\n", "x,y\n", "x\n1\n2\n3\n4\n5\n", "a,b\n1,2\n", "x,y\n1,2\n1,2\n1,2\n1,2\n",
    "x,y\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n", "x,y\n1,2\n1,nan\n1,2\n1,2\n1,2\n",
    "x,y\n1,2\n1,inf\n1,2\n1,2\n1,2\n", "x,y\n1,2\n1\n1,2\n1,2\n1,2\n",
    "frame,x,y\n0,1,2\n1,1,2\n2,1,2\n3,1,2\n5,1,2\n",
    "frame,x,y\n0,1,2\n1,1,2\n1,1,2\n3,1,2\n4,1,2\n",
    "frame,x,y\n-1,1,2\n", "frame,x,y\n0.5,1,2\n", "frame,x,y\nzero,1,2\n",
    "frame,x,y\n1e300,1,2\n",
    "x,x,y\n1,1,2\n", "x_mm,x,y\n1,1,2\n", "na_x,y\n1,1\n", "\377\376x,y\n", "x y\n1 2\n"
  };

  write_ptylab (self->path, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autoptr (PrismRecording) recording = prism_recording_load (self->path, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_false (parse_table (recording, tables[i], &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT);
      g_assert_true (g_str_has_suffix (error->message, "."));
      g_assert_null (strchr (error->message, '\n'));
      g_assert_cmpfloat_with_epsilon (recording->positions[2], 4e-3, 1e-15);
    }
}

TEST_FIXTURE (recipe, "/engine/recording/recipe")
{
  static const char *const bad[] = {
    "frames", "nonsense = 1", "wavelength = 630", "wavelength = 630 kg", "na = 2", "na = nan",
    "transpose = maybe", "crop = 1 2 3", "crop = 0 0 0 5", "crop = 1 2 3 4 5", "crop = a b c d",
    "values = phase", "na = 0.1\nna = 0.2", "frame_axis = 3", "frame_axis = 0.5", "\377"
  };
  static const char good[] = "# mine\n[recording]\nwavelength=0.63 µm\n na = NA_obj \n";
  double number;
  g_autoptr (PrismRecipe) recipe = MUST (prism_recipe_parse (good, strlen (good), "mine", &error));

  g_assert_true (prism_recipe_get_number (recipe, "wavelength", &number));
  g_assert_cmpfloat_with_epsilon (number, 630e-9, 1e-18);
  g_assert_false (prism_recipe_get_number (recipe, "na", &number));
  SAYS (prism_recipe_to_text (recipe), "[recording]\nwavelength = 0.63 µm\nna = NA_obj\n");
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      const char *line = strchr (bad[i], '\n') != NULL ? "mine, line 2: " : "mine";

      FAILS (prism_recipe_parse (bad[i], strlen (bad[i]), "mine", &error), CONFIG, line);
    }
  /* A number that is typed has a decimal comma; lists and names have their own. */
  g_assert_true (prism_recipe_set_typed (recipe, "pixel_size", " 1,84 um", NULL));
  g_assert_true (prism_recipe_is (recipe, "pixel_size", "1.84 um"));
  g_assert_false (prism_recipe_set_typed (recipe, "pixel_size", "1,845 um", NULL));
  g_assert_true (prism_recipe_set_typed (recipe, "crop", "0,1,2,3", NULL));
  g_assert_true (prism_recipe_is (recipe, "crop", "0,1,2,3"));
  g_assert_true (prism_recipe_set_typed (recipe, "dark", "1,5.tif", NULL));
  g_assert_true (prism_recipe_is (recipe, "dark", "1,5.tif"));
}

/* What a data set states of itself, in its file and in its table, is the same. */
TEST_FIXTURE (real, "/engine/recording/real")
{
  const char *folder = g_getenv ("PRISM_REAL_DATA");
  g_autofree char *path = g_strdup_printf ("%s/bloodsmear_red.hdf5", folder);
  g_autofree char *table = g_strdup_printf ("%s/bloodsmear_red_leds.csv", folder);
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  g_autoptr (GError) error = NULL;

  if (folder == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("PRISM_REAL_DATA names no folder with bloodsmear_red.hdf5");
      return;
    }
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (path, NULL, &error));
  g_assert_true (prism_recording_check (recording, NULL));
  g_autoptr (PrismRecording) tabled = prism_recording_load (path, NULL, NULL);
  g_assert_true (prism_recording_load_positions (tabled, table, &error));
  g_assert_true (prism_recipe_set (recipe, "positions", "encoder", NULL));
  g_assert_true (prism_recipe_set (recipe, "positions_axes", "yx", NULL));
  g_assert_true (prism_recipe_set (recipe, "slide_thickness", "1 mm", NULL));
  g_autoptr (PrismRecording) computed = MUST (prism_recording_load (path, recipe, &error));
  for (gsize i = 0; i < 2 * 225; i++)
    {
      g_assert_cmpfloat_with_epsilon (tabled->directions[i], recording->directions[i], 2e-6);
      g_assert_cmpfloat_with_epsilon (computed->directions[i], recording->directions[i], 2e-4);
    }
}
